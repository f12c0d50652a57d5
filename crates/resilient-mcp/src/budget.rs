//! Counts identical retries of a blocked call, and ends them.
//!
//! A call that was held back for its content will be held back again. The first rejection states
//! the policy's budget; each identical retry states one less; after the one that states zero the
//! call is no longer run. A changed call starts anew, a success forgets. The count is of this
//! process and of the last [`CALLS`] rejected calls.

use std::collections::VecDeque;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};

use crate::seam::{Answer, Envelope, ErrorKind};

/// How many rejected calls are remembered; the longest unused is forgotten first.
const CALLS: usize = 64;

/// What identifies a call: tool and arguments, whatever the order of their keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CallKey(u64);

/// The rejected calls of this process.
#[derive(Debug, Default)]
pub(crate) struct RetryBudget {
    hasher: RandomState,
    /// The longest unused first.
    rejected: Mutex<VecDeque<Rejected>>,
}

#[derive(Debug)]
struct Rejected {
    call: CallKey,
    answered: Box<Envelope>,
}

impl RetryBudget {
    /// The key of a call that a policy may hold back, or nothing for a call that none can: `classify`
    /// asks for that, or the policy demands it of all calls (`judges_all`). Other calls are spared the pass
    /// over their content.
    pub(crate) fn key(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        judges_all: impl FnOnce() -> bool,
    ) -> Option<CallKey> {
        let classify = arguments.get("classify").and_then(Value::as_bool).unwrap_or(false);
        (classify || judges_all()).then(|| CallKey(self.hasher.hash_one((tool, arguments))))
    }

    /// The refusal of a call whose retries are used up.
    pub(crate) fn exhausted(&self, call: CallKey) -> Option<Box<Envelope>> {
        let rejected = self.lock();
        let last = &rejected.iter().find(|entry| entry.call == call)?.answered;
        (last.retry_budget == 0).then(|| last.clone().with("reason", "retry_budget_exhausted"))
    }

    /// Takes the outcome of a call into account and states in it what budget is left.
    pub(crate) fn settle(&self, call: CallKey, answer: &mut Answer) {
        let mut rejected = self.lock();
        let place = rejected.iter().position(|entry| entry.call == call);
        let before = place.and_then(|place| rejected.remove(place));
        let Err(envelope) = answer else { return };
        if envelope.error != ErrorKind::Blocked {
            // Neither a rejection nor a success: the count stays as it was.
            rejected.extend(before);
            return;
        }
        if let Some(before) = before {
            let left = before.answered.retry_budget.saturating_sub(1);
            envelope.retry_budget = envelope.retry_budget.min(left);
        }
        if rejected.len() == CALLS {
            rejected.pop_front();
        }
        rejected.push_back(Rejected { call, answered: envelope.cut() });
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Rejected>> {
        self.rejected.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seam::{ReasonHint, SuggestedAction};
    use serde_json::json;

    fn blocked() -> Answer {
        let mut envelope =
            Envelope::new(ErrorKind::Blocked, ReasonHint::ContentFilter, SuggestedAction::Redact);
        envelope.retry_budget = 3;
        Err(envelope)
    }

    /// One call as the server makes it: `None` when it was not run.
    fn call(budget: &RetryBudget, content: &str, outcome: Answer) -> (bool, Answer) {
        let arguments = json!({"content": content, "classify": true});
        let arguments = arguments.as_object().unwrap();
        let key = budget.key("rw.safe_write", arguments, || false).unwrap();
        if let Some(refused) = budget.exhausted(key) {
            return (false, Err(refused));
        }
        let mut answer = outcome;
        budget.settle(key, &mut answer);
        (true, answer)
    }

    fn stated(budget: &RetryBudget, content: &str) -> (bool, u64) {
        let (ran, answer) = call(budget, content, blocked());
        (ran, answer.unwrap_err().retry_budget.into())
    }

    /// Before, each of 64 blocked calls kept its path, of whatever length.
    #[test]
    fn a_rejected_call_takes_little_memory() {
        let budget = RetryBudget::default();
        let (rejected, mut answer) = (CallKey(1), blocked());
        if let Err(envelope) = &mut answer {
            envelope.context.insert("path".to_owned(), json!("x".repeat(1 << 20)));
        }
        budget.settle(rejected, &mut answer);
        let kept = &budget.lock()[0].answered.context["path"];
        assert!(kept.as_str().unwrap().len() < 10_000);
    }

    #[test]
    fn identical_retries_count_down_and_are_then_refused() {
        let budget = RetryBudget::default();
        for left in [3, 2, 1, 0] {
            assert_eq!(stated(&budget, "a"), (true, left));
        }
        let (ran, answer) = call(&budget, "a", blocked());
        let refused = answer.unwrap_err();
        assert!(!ran);
        assert_eq!(refused.retry_budget, 0);
        assert_eq!(refused.context["reason"], "retry_budget_exhausted");
        assert_eq!(stated(&budget, "b"), (true, 3), "a changed call starts anew");
    }

    #[test]
    fn a_success_forgets_and_another_failure_does_not_count() {
        let budget = RetryBudget::default();
        assert_eq!(stated(&budget, "a"), (true, 3));
        let stale = Envelope::new(
            ErrorKind::StalePrecondition,
            ReasonHint::Unknown,
            SuggestedAction::AskUser,
        );
        call(&budget, "a", Err(stale)).1.unwrap_err();
        assert_eq!(stated(&budget, "a"), (true, 2));
        call(&budget, "a", Ok(json!({}))).1.unwrap();
        assert_eq!(stated(&budget, "a"), (true, 3));
    }

    #[test]
    fn only_the_last_calls_are_remembered() {
        let budget = RetryBudget::default();
        for call in 0..=CALLS {
            assert_eq!(stated(&budget, &call.to_string()), (true, 3));
        }
        assert_eq!(stated(&budget, "0"), (true, 3), "the first was forgotten");
        assert_eq!(stated(&budget, "2"), (true, 2), "the third was not");
        assert_eq!(budget.lock().len(), CALLS);
    }

    #[test]
    fn the_order_of_keys_does_not_matter_and_the_tool_does() {
        let budget = RetryBudget::default();
        let key =
            |tool, arguments: Value| budget.key(tool, arguments.as_object().unwrap(), || false);
        let first = key("a", json!({"x": 1, "classify": true}));
        assert!(first.is_some());
        assert_eq!(first, key("a", json!({"classify": true, "x": 1})));
        assert_ne!(first, key("b", json!({"x": 1, "classify": true})));
        assert_eq!(key("a", json!({"x": 1})), None);
        let demanded = budget.key("a", json!({"x": 1}).as_object().unwrap(), || true);
        assert!(demanded.is_some());
    }
}
