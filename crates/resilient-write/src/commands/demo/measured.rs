//! What the replay measured, beside what the paper reports.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// Where the paper's figures are from.
const SOURCE: &str = "arXiv 2604.10842, section 5.2, table 3";

/// What one replay measured.
#[derive(Debug, Default)]
pub(crate) struct Measured {
    /// Calls of the write tool until the draft was on disk, deliberate retries not counted.
    pub(crate) write_attempts: u64,
    /// Whether the refusal was the typed envelope.
    pub(crate) structured_error: bool,
    /// Whether the script got from the refusal to a success by what the envelope says alone.
    pub(crate) self_corrected: bool,
    /// Whether the refused draft came back from the scratchpad, byte for byte.
    pub(crate) draft_kept: bool,
    /// Identical retries, made on purpose as in the original session.
    pub(crate) retries: u64,
    /// Those of them that the server refused without looking at the text.
    pub(crate) retries_refused_unseen: u64,
    /// How many parts the report has.
    pub(crate) parts: u64,
    /// Length of the report.
    pub(crate) bytes: u64,
    /// How often the server was killed while it composed.
    pub(crate) kills: u64,
    /// Kills after which the file was the old version, whole.
    pub(crate) kills_left_old: u64,
    /// Kills after which the file was the new version, whole.
    pub(crate) kills_left_new: u64,
    /// Parts that were missing after a kill.
    pub(crate) parts_lost: u64,
    /// From starting the server again to the composed file, the slowest.
    pub(crate) recovery_ms: f64,
    /// Parts that were sent again to mend what validation found.
    pub(crate) parts_resent: u64,
    /// Files that were changed behind the handoff's back and noticed.
    pub(crate) drift_noticed: u64,
    /// Rows in the journal.
    pub(crate) journal_rows: u64,
    /// Breaks in the journal's chain.
    pub(crate) journal_breaks: u64,
    /// Tool calls in all.
    pub(crate) tool_calls: u64,
    /// From beginning to end.
    pub(crate) elapsed_ms: f64,
}

impl Measured {
    fn content_lost(&self) -> bool {
        let torn = self.kills - self.kills_left_old - self.kills_left_new;
        !self.draft_kept || self.parts_lost > 0 || torn > 0
    }

    /// The rows of the paper's table: metric, original session, the paper's replay, this run.
    fn table(&self) -> [(&'static str, Value, Value, Value); 5] {
        [
            ("write attempts", json!(6), json!(2), json!(self.write_attempts)),
            ("content lost", json!(true), json!(false), json!(self.content_lost())),
            ("structured error", json!(false), json!(true), json!(self.structured_error)),
            ("agent self-corrected", json!(false), json!(true), json!(self.self_corrected)),
            ("manual intervention", json!(true), json!(false), json!(!self.self_corrected)),
        ]
    }

    /// The result for programs.
    pub(crate) fn to_json(&self) -> Value {
        let rows: Vec<Value> = self
            .table()
            .into_iter()
            .map(|(metric, original, paper, run)| {
                json!({"metric": metric, "original": original, "paper": paper, "this_run": run})
            })
            .collect();
        json!({
            "ok": true,
            "source": SOURCE,
            "table_3": rows,
            "measured": {
                "identical_retries": self.retries,
                "retries_refused_unseen": self.retries_refused_unseen,
                "draft_kept": self.draft_kept,
                "parts": self.parts,
                "bytes": self.bytes,
                "kills": self.kills,
                "kills_left_old": self.kills_left_old,
                "kills_left_new": self.kills_left_new,
                "parts_lost": self.parts_lost,
                "recovery_ms_max": round(self.recovery_ms),
                "parts_resent": self.parts_resent,
                "drift_noticed": self.drift_noticed,
                "journal_rows": self.journal_rows,
                "journal_breaks": self.journal_breaks,
                "tool_calls": self.tool_calls,
                "elapsed_ms": round(self.elapsed_ms),
            },
        })
    }

    /// The result for people.
    pub(crate) fn to_text(&self) -> String {
        let mut text = format!(
            "\n{SOURCE}, beside this run\n\n  {:22}{:>10}{:>10}{:>10}\n",
            "", "original", "paper", "this run"
        );
        for (metric, original, paper, run) in self.table() {
            let (original, paper, run) = (word(&original), word(&paper), word(&run));
            let _ = writeln!(text, "  {metric:22}{original:>10}{paper:>10}{run:>10}");
        }
        text.push_str("\nMeasured in this run\n\n");
        let unseen = self.retries_refused_unseen;
        for (name, value) in [
            ("identical retries", format!("{}, {unseen} of them refused unseen", self.retries)),
            ("report", format!("{} parts, {} bytes", self.parts, self.bytes)),
            (
                "kills while composing",
                format!(
                    "{}: {} left the old file whole, {} the new one",
                    self.kills, self.kills_left_old, self.kills_left_new
                ),
            ),
            ("parts lost", self.parts_lost.to_string()),
            (
                "slowest recovery",
                format!("{:.0} ms, start of the server included", self.recovery_ms),
            ),
            ("parts sent again", self.parts_resent.to_string()),
            (
                "journal",
                format!("{} rows, {} breaks in its chain", self.journal_rows, self.journal_breaks),
            ),
            ("tool calls", format!("{} in {:.0} ms", self.tool_calls, self.elapsed_ms)),
        ] {
            let _ = writeln!(text, "  {name:22}{value}");
        }
        text.push_str(
            "\nThe agent of this run is a script that follows the answers; it says nothing about \
             what a\nmodel makes of them. Its identical retries were made on purpose and are not \
             counted as\nwrite attempts.\n",
        );
        text
    }
}

fn word(value: &Value) -> String {
    match value {
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        other => other.to_string(),
    }
}

fn round(ms: f64) -> f64 {
    (ms * 10.0).round() / 10.0
}
