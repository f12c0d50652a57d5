//! What happened in a trial: conversations, calls, incidents, and the counts that a score needs.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What ends a conversation that does not end itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Limits {
    /// Turns of the model.
    pub(crate) turns: u64,
    /// Characters of a tool's answer that the model is shown.
    pub(crate) result_chars: usize,
    /// Seconds that a trial may take.
    pub(crate) seconds: Option<u64>,
    /// How often one and the same call may be repeated without another one between.
    pub(crate) repeats: Option<u64>,
    /// Whether only [`crate::arm::CORE`] is shown of the reference servers.
    pub(crate) core: bool,
}

/// A task and what became of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Conversation {
    /// What the model was asked to do.
    pub(crate) task: String,
    /// What it did.
    pub(crate) turns: Vec<Turn>,
    /// What ended it.
    pub(crate) end: End,
}

impl Conversation {
    /// Every call, in order.
    pub(crate) fn calls_mut(&mut self) -> impl Iterator<Item = &mut Exchange> {
        self.turns.iter_mut().flat_map(|turn| &mut turn.calls)
    }
}

/// One answer of the model, and what its calls came to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Turn {
    /// What it said.
    pub(crate) text: String,
    /// What it called.
    pub(crate) calls: Vec<Exchange>,
    /// What it cost.
    pub(crate) usage: Usage,
}

/// A call of a tool and its answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Exchange {
    /// The tool, as the model called it.
    pub(crate) tool: String,
    /// With what; what cannot be read as arguments is a string.
    pub(crate) arguments: Value,
    /// What the tool answered; a judge sees all of it, a record keeps the beginning of what is long.
    pub(crate) reply: String,
    /// Whether it succeeded.
    pub(crate) ok: bool,
}

impl Exchange {
    /// An argument that is a string; empty where there is none.
    pub(crate) fn argument(&self, name: &str) -> &str {
        self.arguments.get(name).and_then(Value::as_str).unwrap_or_default()
    }
}

/// What a turn cost.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Usage {
    /// Tokens of the prompt, as the endpoint counts them.
    pub(crate) prompt_tokens: u64,
    /// Tokens of the answer.
    pub(crate) completion_tokens: u64,
    /// Money, where it is known.
    pub(crate) cost: Option<f64>,
    /// Requests that were made, retries included.
    pub(crate) requests: u64,
    /// Time until the answer was there.
    pub(crate) elapsed_ms: u64,
}

impl Usage {
    /// Adds what another turn cost.
    pub(crate) fn add(&mut self, other: &Self) {
        self.prompt_tokens += other.prompt_tokens;
        self.completion_tokens += other.completion_tokens;
        self.requests += other.requests;
        self.elapsed_ms += other.elapsed_ms;
        if let Some(cost) = other.cost {
            self.cost = Some(self.cost.unwrap_or_default() + cost);
        }
    }
}

/// What ended a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum End {
    /// The model gave its final answer.
    Answer,
    /// It had no turns left.
    Turns,
    /// The conversation no longer fits into its context.
    Context,
    /// The time was up.
    Time,
    /// It made one and the same call again and again.
    Repeats,
}

impl End {
    /// The word in reports.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::Turns => "turns",
            Self::Context => "context",
            Self::Time => "time",
            Self::Repeats => "repeats",
        }
    }
}

/// Something that went wrong by design.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Incident {
    /// What.
    pub(crate) kind: IncidentKind,
    /// Before which call, counted over the trial from 1, it was first felt.
    pub(crate) call: u64,
    /// Whether content was lost by it: a refused draft that is nowhere on disk, acknowledged
    /// content that is gone, or a file that is neither the old nor the new one.
    pub(crate) lost: bool,
}

/// The kinds of what goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum IncidentKind {
    /// The content filter refused a write.
    Filtered,
    /// A call was longer than the output limit and was not made.
    CutOff,
    /// The server died in a call.
    Died,
    /// A file changed behind the agent's back.
    Drift,
}

/// What all calls of a trial come to; the figures of the tables on attempts and waste.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Counts {
    /// Calls of any tool.
    pub(crate) calls: u64,
    /// Turns of the model.
    pub(crate) turns: u64,
    /// Calls of tools that write.
    pub(crate) write_attempts: u64,
    /// Calls that failed.
    pub(crate) wasted: u64,
    /// Calls that are identical to a call that has failed before.
    pub(crate) identical_retries: u64,
}

/// Every call of some conversations, in order.
pub(crate) fn calls(conversations: &[Conversation]) -> impl Iterator<Item = &Exchange> {
    conversations.iter().flat_map(|conversation| &conversation.turns).flat_map(|turn| &turn.calls)
}

/// What the calls of some conversations come to.
pub(crate) fn count(conversations: &[Conversation]) -> Counts {
    let mut counts = Counts {
        turns: conversations.iter().map(|conversation| conversation.turns.len() as u64).sum(),
        ..Counts::default()
    };
    let mut failed = BTreeSet::new();
    for call in calls(conversations) {
        let same = format!("{} {}", call.tool, call.arguments);
        counts.calls += 1;
        counts.write_attempts += u64::from(crate::arm::writes(&call.tool));
        counts.identical_retries += u64::from(failed.contains(&same));
        if !call.ok {
            counts.wasted += 1;
            failed.insert(same);
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn exchange(tool: &str, arguments: Value, reply: &Value, ok: bool) -> Exchange {
        Exchange { tool: tool.to_owned(), arguments, reply: reply.to_string(), ok }
    }

    fn conversation(calls: Vec<Exchange>) -> Conversation {
        let turns =
            calls.into_iter().map(|call| Turn { calls: vec![call], ..Turn::default() }).collect();
        Conversation { task: String::new(), turns, end: End::Answer }
    }

    #[test]
    fn a_retry_is_identical_when_the_same_call_has_failed_before() {
        let call = |path: &str, ok| {
            exchange("write_file", json!({"path": path, "content": "x"}), &json!({}), ok)
        };
        let talk = conversation(vec![
            call("a", false),
            call("b", true),
            call("a", false),
            call("a", true),
            call("b", true),
            exchange("read_file", json!({"path": "a"}), &json!({}), true),
        ]);
        let expected =
            Counts { calls: 6, turns: 6, write_attempts: 5, wasted: 2, identical_retries: 2 };
        assert_eq!(count(&[talk]), expected);
    }
}
