//! What is counted, in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

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
            histogram(&mut text, name, tallied);
        }
        text
    }
}

fn head(text: &mut String, name: &str, kind: &str, what: &str) {
    let _ = writeln!(text, "# HELP {name} {what}\n# TYPE {name} {kind}");
}

fn histogram(text: &mut String, name: &str, tallied: &Tallied) {
    let mut count = 0;
    let bounds = BOUNDS_MS.iter().map(|bound| (*bound as f64 / 1000.0).to_string());
    for (bound, more) in bounds.chain(["+Inf".to_owned()]).zip(tallied.took) {
        count += more;
        let _ =
            writeln!(text, "rw_call_seconds_bucket{{workspace=\"{name}\",le=\"{bound}\"}} {count}");
    }
    let _ = writeln!(text, "rw_call_seconds_sum{{workspace=\"{name}\"}} {}", tallied.seconds);
    let _ = writeln!(text, "rw_call_seconds_count{{workspace=\"{name}\"}} {count}");
}
