//! How many calls there were, how they ended, and how long they took.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;

/// The times by which calls are sorted, in milliseconds; the last class has no bound.
pub const BOUNDS_MS: [u64; 10] = [1, 2, 5, 10, 25, 50, 100, 500, 2_500, 10_000];

/// The calls of one server.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    all: Mutex<Tallied>,
}

/// What was counted so far.
#[derive(Debug, Default, Clone)]
pub struct Tallied {
    /// Calls by tool and outcome: `ok`, the kind of the error, or `cancelled`.
    pub calls: BTreeMap<(&'static str, &'static str), u64>,
    /// Calls by the time that they took: one number for each bound, and one for those beyond.
    pub took: [u64; BOUNDS_MS.len() + 1],
    /// The time of all calls together.
    pub seconds: f64,
}

impl Tally {
    /// Counts a call, and says how it ended.
    pub(crate) fn count(
        &self,
        tool: &'static str,
        answer: Option<&Value>,
        took: Duration,
    ) -> &'static str {
        let outcome = outcome(answer);
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        *all.calls.entry((tool, outcome)).or_default() += 1;
        let class = BOUNDS_MS.iter().position(|bound| took <= Duration::from_millis(*bound));
        if let Some(count) = all.took.get_mut(class.unwrap_or(BOUNDS_MS.len())) {
            *count += 1;
        }
        all.seconds += took.as_secs_f64();
        outcome
    }

    pub(crate) fn so_far(&self) -> Tallied {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The kinds of error, as answers name them.
const KINDS: [&str; 8] = [
    "blocked",
    "stale_precondition",
    "write_corruption",
    "quota_exceeded",
    "policy_violation",
    "permission_denied",
    "not_found",
    "invalid_input",
];

fn outcome(answer: Option<&Value>) -> &'static str {
    let text = |at| answer.and_then(|answer| answer.pointer(at)).and_then(Value::as_str);
    match text("/error") {
        _ if answer.and_then(|answer| answer.get("ok")) == Some(&Value::Bool(true)) => "ok",
        // Before it began, or while it waited or searched.
        None => "cancelled",
        Some(_) if text("/context/reason") == Some("cancelled") => "cancelled",
        Some(error) => KINDS.into_iter().find(|kind| *kind == error).unwrap_or("other"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn calls_are_counted_by_tool_outcome_and_time() {
        let tally = Tally::default();
        let took = Duration::from_millis;
        tally.count("rw.x", Some(&json!({"ok": true, "error": "a field"})), took(1));
        tally.count("rw.x", Some(&json!({"ok": false, "error": "blocked"})), took(60_000));
        tally.count("rw.x", None, took(3));
        let cancelled = json!({
            "ok": false, "error": "stale_precondition", "context": {"reason": "cancelled"},
        });
        tally.count("rw.x", Some(&cancelled), took(3));
        let all = tally.so_far();
        let calls: Vec<_> = all.calls.into_iter().collect();
        assert_eq!(
            calls,
            [(("rw.x", "blocked"), 1), (("rw.x", "cancelled"), 2), (("rw.x", "ok"), 1),]
        );
        assert_eq!((all.took[0], all.took[2], all.took[10]), (1, 2, 1));
        assert!(all.seconds > 60.0);
    }
}
