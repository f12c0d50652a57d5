//! What is counted, in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use resilient_mcp::figures::{self, Counted};
use resilient_mcp::{BOUNDS_MS, Tallied};

/// What was answered so far, by status and, at the door, by reason.
#[derive(Debug, Default)]
pub(crate) struct Answered {
    by_status: Mutex<BTreeMap<u16, u64>>,
    by_reason: Mutex<BTreeMap<&'static str, u64>>,
}

/// One workspace at one moment.
#[derive(Debug)]
pub(crate) struct Seen<'a> {
    pub(crate) name: &'a str,
    pub(crate) tallied: Tallied,
    pub(crate) running: usize,
    pub(crate) sessions: usize,
    /// What was committed, and the length of the journal.
    pub(crate) figures: Option<(figures::Seen, u64)>,
}

impl Answered {
    pub(crate) fn status(&self, status: u16) {
        *self
            .by_status
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(status)
            .or_default() += 1;
    }

    pub(crate) fn refusal(&self, reason: &'static str) {
        *self
            .by_reason
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(reason)
            .or_default() += 1;
    }

    /// All of it as text.
    pub(crate) fn text(&self, places: &[Seen<'_>]) -> String {
        let mut text = String::new();
        head(&mut text, "rw_http_answers_total", "counter", "Answers over HTTP, by status.");
        for (status, count) in &*self.by_status.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = writeln!(text, "rw_http_answers_total{{status=\"{status}\"}} {count}");
        }
        head(
            &mut text,
            "rw_door_refusals_total",
            "counter",
            "Requests that were not let in, by reason.",
        );
        for (reason, count) in &*self.by_reason.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = writeln!(text, "rw_door_refusals_total{{reason=\"{reason}\"}} {count}");
        }
        head(&mut text, "rw_sessions", "gauge", "Sessions that live.");
        for Seen { name, sessions, .. } in places {
            let _ = writeln!(text, "rw_sessions{{workspace=\"{name}\"}} {sessions}");
        }
        head(&mut text, "rw_calls_running", "gauge", "Calls that are not answered yet.");
        for Seen { name, running, .. } in places {
            let _ = writeln!(text, "rw_calls_running{{workspace=\"{name}\"}} {running}");
        }
        head(&mut text, "rw_calls_total", "counter", "Calls, by tool and outcome.");
        for Seen { name, tallied, .. } in places {
            for ((tool, outcome), count) in &tallied.calls {
                let _ = writeln!(
                    text,
                    "rw_calls_total{{workspace=\"{name}\",tool=\"{tool}\",outcome=\"{outcome}\"}} {count}"
                );
            }
        }
        head(&mut text, "rw_call_seconds", "histogram", "How long calls took.");
        for Seen { name, tallied, .. } in places {
            let bounds = BOUNDS_MS.iter().map(|bound| in_seconds(*bound, 1_000));
            let sum = tallied.seconds.to_string();
            histogram(&mut text, "rw_call_seconds", name, bounds, &tallied.took, &sum);
        }
        let committed = || places.iter().filter_map(|it| Some((it.name, it.figures.as_ref()?)));
        head(&mut text, "rw_batch_calls", "histogram", "Calls that were committed together.");
        for (name, (seen, _)) in committed() {
            let Counted { bounds, classes, sum } = &seen.batches;
            let bounds = bounds.iter().map(u64::to_string);
            histogram(&mut text, "rw_batch_calls", name, bounds, classes, &sum.to_string());
        }
        head(&mut text, "rw_commit_wait_seconds", "histogram", "Waits of commits for the disk.");
        for (name, (seen, _)) in committed() {
            let Counted { bounds, classes, sum } = &seen.waits_us;
            let (bounds, sum) =
                (bounds.iter().map(|it| in_seconds(*it, 1_000_000)), in_seconds(*sum, 1_000_000));
            histogram(&mut text, "rw_commit_wait_seconds", name, bounds, classes, &sum);
        }
        head(
            &mut text,
            "rw_journal_bytes",
            "gauge",
            "Length of the journal, its closed parts included.",
        );
        for (name, (_, bytes)) in committed() {
            let _ = writeln!(text, "rw_journal_bytes{{workspace=\"{name}\"}} {bytes}");
        }
        text
    }
}

fn head(text: &mut String, name: &str, kind: &str, what: &str) {
    let _ = writeln!(text, "# HELP {name} {what}\n# TYPE {name} {kind}");
}

/// Numbers by class, each class with those below it.
fn histogram(
    text: &mut String,
    metric: &str,
    name: &str,
    bounds: impl Iterator<Item = String>,
    classes: &[u64],
    sum: &str,
) {
    let mut count = 0;
    for (bound, more) in bounds.chain(["+Inf".to_owned()]).zip(classes) {
        count += more;
        let _ = writeln!(text, "{metric}_bucket{{workspace=\"{name}\",le=\"{bound}\"}} {count}");
    }
    let _ = writeln!(text, "{metric}_sum{{workspace=\"{name}\"}} {sum}");
    let _ = writeln!(text, "{metric}_count{{workspace=\"{name}\"}} {count}");
}

fn in_seconds(number: u64, per_second: u64) -> String {
    (number as f64 / per_second as f64).to_string()
}
