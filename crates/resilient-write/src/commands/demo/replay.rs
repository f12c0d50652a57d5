//! The story, step by step. Each step says what it measured; what is not as it should be ends it.

use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use resilient_core::Workspace;
use resilient_core::digest::Digest;
use serde_json::{Value, json};

use super::client::{Client, at};
use super::measured::Measured;
use super::report;
use crate::output::Output;

const FILE: &str = "report.tex";
const SESSION: &str = "report";
const STEPS: usize = 8;
/// As often as the agent of the original session sent the same text again.
const RETRIES: usize = 5;
/// How long the server may compose before it is killed: from before it has read the request to
/// after it has answered.
const KILL_AFTER_MS: [u64; 6] = [0, 2, 4, 8, 16, 32];

/// A replay under way.
pub(crate) struct Replay<'a> {
    workspace: PathBuf,
    output: &'a Output,
    client: Client,
    began: Instant,
    step: usize,
    measured: Measured,
}

impl<'a> Replay<'a> {
    /// Starts the server in an empty directory.
    pub(crate) fn start(workspace: &Path, output: &'a Output) -> Result<Self> {
        let began = Instant::now();
        let client = Client::start(workspace)?;
        let workspace = workspace.to_owned();
        Ok(Self { workspace, output, client, began, step: 0, measured: Measured::default() })
    }

    /// The number of the step that is under way.
    pub(crate) fn step(&self) -> usize {
        self.step
    }

    /// Hangs up and gives what was measured.
    pub(crate) fn end(self) -> Measured {
        let Self { client, began, mut measured, .. } = self;
        measured.tool_calls = client.calls;
        // A server that ends badly has been noticed by the step it failed.
        let _ = client.hang_up();
        measured.elapsed_ms = millis(began);
        measured
    }

    /// Goes through all steps.
    ///
    /// # Errors
    /// The first expectation that was not met.
    pub(crate) fn run(&mut self) -> Result<()> {
        let draft = report::draft();
        self.score(&draft)?;
        let refused = self.refused(&draft)?;
        self.retry(&draft)?;
        let redacted = self.redact(&draft, &refused)?;
        let parts = report::parts(&redacted);
        let first = report::with_faults(&parts);
        self.send(&first)?;
        self.kill(&redacted, &first.concat())?;
        let sha256 = self.mend(&first, &parts)?;
        self.hand_off(&sha256)?;
        self.look_back()
    }

    fn score(&mut self, draft: &str) -> Result<()> {
        self.begin();
        let report =
            self.client.succeed("rw_risk_score", json!({"content": draft, "target_path": FILE}))?;
        expect("verdict", "high", at(&report, "/verdict"))?;
        let kinds = kinds(at(&report, "/detected_patterns"));
        ensure!(kinds.contains(&"api_key".to_owned()), "expected api_key, found {kinds:?}");
        self.done(&format!(
            "the draft is scored before it is written: high ({}), {}",
            at(&report, "/score"),
            kinds.join(" and ")
        ))
    }

    fn refused(&mut self, draft: &str) -> Result<Value> {
        self.begin();
        let envelope = self.write(draft)?;
        self.measured.structured_error = envelope.as_object().is_some_and(|keys| keys.len() == 8);
        expect("error", "blocked", at(&envelope, "/error"))?;
        expect("suggested_action", "redact", at(&envelope, "/suggested_action"))?;
        let kept = at(&envelope, "/context/draft_sha256").clone();
        let kept = self.client.succeed("rw_scratch_get", json!({"sha256": kept}))?;
        self.measured.draft_kept = at(&kept, "/content") == draft;
        ensure!(self.measured.draft_kept, "expected the draft in the scratchpad, found another");
        ensure!(!self.file().exists(), "expected no file, found {FILE}");
        let budget = at(&envelope, "/retry_budget");
        self.done(&format!(
            "the agent tries to write it: blocked, redact, {budget} retries left; \
             the draft is kept, {} bytes",
            draft.len()
        ))?;
        Ok(envelope)
    }

    /// One attempt that should be refused.
    fn write(&mut self, content: &str) -> Result<Value> {
        self.measured.write_attempts += 1;
        let write = json!({"path": FILE, "content": content, "classify": true});
        self.client.fail("rw_safe_write", write)
    }

    fn retry(&mut self, draft: &str) -> Result<()> {
        self.begin();
        let attempts = self.measured.write_attempts;
        let mut told = Vec::new();
        for _ in 0..RETRIES {
            let envelope = self.write(draft)?;
            let unseen = at(&envelope, "/context/reason") == "retry_budget_exhausted";
            told.push(if unseen {
                "refused".to_owned()
            } else {
                at(&envelope, "/retry_budget").to_string()
            });
            self.measured.retries += 1;
            self.measured.retries_refused_unseen += u64::from(unseen);
        }
        // The original agent did so for want of an answer; this one does it to show the budget.
        self.measured.write_attempts = attempts;
        let told = told.join(", ");
        ensure!(
            told == "2, 1, 0, refused, refused",
            "expected the budget to run out, found {told}"
        );
        self.done(&format!("the same text again, {RETRIES} times, as in the original: {told}"))
    }

    fn redact(&mut self, draft: &str, refused: &Value) -> Result<String> {
        self.begin();
        let detected = at(refused, "/context/detected").as_array().cloned().unwrap_or_default();
        let redacted = report::redact(draft, &detected);
        self.measured.write_attempts += 1;
        let write = json!({"path": FILE, "content": redacted, "classify": true});
        let receipt = self.client.succeed("rw_safe_write", write)?;
        expect("sha256", Digest::of(redacted.as_bytes()), at(&receipt, "/sha256"))?;
        ensure!(!redacted.contains("oat01"), "expected no token, found a part of it");
        self.measured.self_corrected = true;
        self.done(&format!(
            "redacted by the lines and beginnings of the envelope, and written: {} bytes",
            redacted.len()
        ))?;
        Ok(redacted)
    }

    fn send(&mut self, parts: &[String]) -> Result<()> {
        for part in parts {
            let arguments =
                json!({"session": SESSION, "content": part, "total_expected": parts.len()});
            let receipt = self.client.succeed("rw_chunk_append", arguments)?;
            expect("sha256", Digest::of(part.as_bytes()), at(&receipt, "/sha256"))?;
        }
        self.measured.parts = parts.len() as u64;
        self.done(&format!("the whole report follows in {} parts", parts.len()))
    }

    /// Kills the server while it puts the new version in place of the old one.
    fn kill(&mut self, old: &str, new: &str) -> Result<()> {
        self.begin();
        let (old_sha256, new_sha256) = (Digest::of(old.as_bytes()), Digest::of(new.as_bytes()));
        let compose = json!({"session": SESSION, "output_path": FILE});
        let indices: Vec<u64> = (1..=self.measured.parts).collect();
        for ms in KILL_AFTER_MS {
            if self.on_disk()? != old_sha256 {
                let write = json!({"path": FILE, "content": old, "mode": "overwrite"});
                self.client.succeed("rw_safe_write", write)?;
            }
            self.client.tell("rw_chunk_compose", &compose)?;
            sleep(Duration::from_millis(ms));
            self.client.kill()?;
            self.measured.kills += 1;
            match self.on_disk()? {
                sha256 if sha256 == old_sha256 => self.measured.kills_left_old += 1,
                sha256 if sha256 == new_sha256 => self.measured.kills_left_new += 1,
                other => anyhow::bail!("expected the old or the new file, found {other}"),
            }
            let restarted = Instant::now();
            self.client.restart()?;
            let status = self.client.succeed("rw_chunk_status", json!({"session": SESSION}))?;
            let present = at(&status, "/present_indices").as_array().map_or(0, Vec::len) as u64;
            self.measured.parts_lost += self.measured.parts.saturating_sub(present);
            expect("present_indices", &indices, at(&status, "/present_indices"))?;
            let composed = self.client.succeed("rw_chunk_compose", compose.clone())?;
            expect("sha256", new_sha256, at(&composed, "/sha256"))?;
            self.measured.recovery_ms = self.measured.recovery_ms.max(millis(restarted));
            ensure!(self.on_disk()? == new_sha256, "expected the new file, found another");
        }
        self.done(&format!(
            "the server is killed {} times while it composes: {} times the old file was there, \
             {} times the new one, never a part; no part lost",
            self.measured.kills, self.measured.kills_left_old, self.measured.kills_left_new
        ))
    }

    /// Previews, validates, and sends again what is wrong.
    fn mend(&mut self, first: &[String], good: &[String]) -> Result<String> {
        self.begin();
        let found = self.validate(&first.concat())?;
        expect("valid", false, at(&found, "/valid"))?;
        for fault in ["\\begin{itemize}", "\\layer"] {
            let named =
                |item: &Value| at(item, "/message").as_str().is_some_and(|m| m.contains(fault));
            let items = at(&found, "/errors").as_array();
            ensure!(
                items.is_some_and(|items| items.iter().any(named)),
                "expected {fault} among the findings, found {}",
                at(&found, "/errors")
            );
        }
        for (index, (part, good)) in (1..).zip(first.iter().zip(good)) {
            if part != good {
                let arguments = json!({"session": SESSION, "index": index, "content": good});
                self.client.succeed("rw_chunk_write", arguments)?;
                self.measured.parts_resent += 1;
            }
        }
        let text = good.concat();
        let mended = self.validate(&text)?;
        expect("summary", "latex: ok", at(&mended, "/summary"))?;
        let compose = json!({"session": SESSION, "output_path": FILE, "cleanup": true});
        let composed = self.client.succeed("rw_chunk_compose", compose)?;
        let sha256 = Digest::of(text.as_bytes());
        expect("sha256", sha256, at(&composed, "/sha256"))?;
        ensure!(self.on_disk()? == sha256, "expected the report, found another file");
        self.measured.bytes = text.len() as u64;
        let summary = at(&found, "/summary").as_str().unwrap_or_default();
        self.done(&format!(
            "preview and validation find an environment that does not end and a macro that is \
             not defined\n      ({summary}); {} parts sent again, valid, composed",
            self.measured.parts_resent
        ))?;
        Ok(sha256.to_string())
    }

    fn validate(&mut self, expected: &str) -> Result<Value> {
        let preview = self.client.succeed("rw_chunk_preview", json!({"session": SESSION}))?;
        ensure!(at(&preview, "/content") == expected, "expected the parts, found another preview");
        self.client.succeed("rw_validate", json!({"session": SESSION, "target_path": FILE}))
    }

    fn hand_off(&mut self, sha256: &str) -> Result<()> {
        self.begin();
        let envelope = json!({
            "task_id": "telemetry-report",
            "status": "handed_off",
            "agent": "demo",
            "summary": "the report is complete and redacted",
            "next_steps": ["have it proofread"],
            "last_good_state": [{"path": FILE, "sha256": sha256}],
        });
        let written = self.client.succeed("rw_handoff_write", json!({"envelope": envelope}))?;
        expect("drift_warnings", json!([]), at(&written, "/drift_warnings"))?;
        self.edit_behind_its_back()?;
        let found = self.client.succeed("rw_handoff_read", json!({}))?;
        let drift = at(&found, "/drift_warnings/0");
        expect("reason", "hash_mismatch", at(drift, "/reason"))?;
        expect("expected_sha256", sha256, at(drift, "/expected_sha256"))?;
        self.measured.drift_noticed += 1;
        self.done(
            "handed off; an edit by someone else is noticed when the note is read: hash_mismatch",
        )
    }

    #[expect(clippy::disallowed_methods, reason = "someone who knows nothing of Resilient Write")]
    fn edit_behind_its_back(&self) -> Result<()> {
        let mut text = std::fs::read(self.file())?;
        text.extend_from_slice(b"% proofread\n");
        Ok(std::fs::write(self.file(), text)?)
    }

    fn look_back(&mut self) -> Result<()> {
        self.begin();
        let tail = self.client.succeed("rw_journal_tail", json!({"n": 1}))?;
        expect("path", "HANDOFF.md", at(&tail, "/entries/0/path"))?;
        let report = self.client.succeed("rw_analytics", json!({}))?;
        let rows = at(&report, "/total_writes").as_u64().unwrap_or_default();
        expect("hot path", FILE, at(&report, "/hot_paths/0/path"))?;
        let chain = Workspace::builder(self.workspace.canonicalize()?).open().verify_journal()?;
        self.measured.journal_rows = chain.rows;
        self.measured.journal_breaks = chain.breaks.len() as u64;
        ensure!(chain.breaks.is_empty(), "expected a sound journal, found {:?}", chain.breaks);
        ensure!(chain.rows == rows, "expected {rows} rows, found {}", chain.rows);
        self.done(&format!(
            "the journal tells it all: {rows} writes of {} paths, its chain without a break",
            at(&report, "/unique_paths")
        ))
    }

    fn begin(&mut self) {
        self.step += 1;
    }

    fn done(&self, what: &str) -> Result<()> {
        self.output.progress(&format!("[{}/{STEPS}] {what}", self.step))
    }

    fn file(&self) -> PathBuf {
        self.workspace.join(FILE)
    }

    #[expect(clippy::disallowed_methods, reason = "looks at the file as anybody would")]
    fn on_disk(&self) -> Result<Digest> {
        Ok(Digest::of(&std::fs::read(self.file())?))
    }
}

/// Compares what was found with what should be.
fn expect(what: &str, expected: impl serde::Serialize, found: &Value) -> Result<()> {
    let expected = serde_json::to_value(expected)?;
    ensure!(*found == expected, "{what}: expected {expected}, found {found}");
    Ok(())
}

/// The kinds of what was detected, each once.
fn kinds(detected: &Value) -> Vec<String> {
    let mut kinds: Vec<String> = detected
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|hit| at(hit, "/kind").as_str().map(str::to_owned))
        .collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

fn millis(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}
