//! A recorded agent: it says again what was said, to servers that run anew.
//!
//! Some of what tools answer is different each time: cursors, identifiers, the directory. What was
//! recorded after such an answer may hold the old value, so it is replaced by the new one, which
//! is at the same place of the new answer.

use std::collections::VecDeque;

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::{Agent, Reply, Said};
use crate::host::Tool;
use crate::record::Record;
use crate::transcript::{Conversation, Turn};

/// A shorter value does not count as an identifier.
const IDENTIFIER_MIN: usize = 12;

/// A record that is said again.
pub(crate) struct Replay {
    conversations: VecDeque<Conversation>,
    turns: VecDeque<Turn>,
    /// The recorded answers to the calls of the last turn.
    recorded: Vec<String>,
    /// What stands for what, the newest last.
    anew: Vec<(String, String)>,
    end: Option<crate::transcript::End>,
}

impl Replay {
    /// Says a record again, in another directory.
    pub(crate) fn new(record: &Record, root: &str) -> Self {
        Self {
            conversations: record.conversations.clone().into(),
            turns: VecDeque::new(),
            recorded: Vec::new(),
            anew: vec![(record.root.clone(), root.to_owned())],
            end: None,
        }
    }

    /// Learns what stands for what in an answer that was recorded and one that was given now.
    fn learn(&mut self, recorded: &str, now: &str) {
        let (Ok(recorded), Ok(now)) = (serde_json::from_str(recorded), serde_json::from_str(now))
        else {
            return;
        };
        let mut pending: Vec<(Value, Value)> = vec![(recorded, now)];
        while let Some(pair) = pending.pop() {
            match pair {
                (Value::Object(old), Value::Object(mut new)) => {
                    pending.extend(old.into_iter().filter_map(|(name, old)| {
                        let new = new.get_mut(&name)?.take();
                        Some((old, new))
                    }));
                }
                (Value::Array(old), Value::Array(new)) => pending.extend(old.into_iter().zip(new)),
                (Value::String(old), Value::String(new))
                    if old != new && old.len() >= IDENTIFIER_MIN =>
                {
                    self.anew.push((old, new));
                }
                _ => {}
            }
        }
    }

    fn renewed(&self, text: &str) -> String {
        self.anew.iter().rev().fold(text.to_owned(), |text, (old, new)| text.replace(old, new))
    }

    fn renewed_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.renewed(text)),
            // Through its text: the arguments of a call are small, and replacing cannot break it,
            // since neither identifiers nor paths hold what JSON escapes.
            other => serde_json::from_str(&self.renewed(&other.to_string()))
                .unwrap_or_else(|_| other.clone()),
        }
    }
}

impl Agent for Replay {
    fn begin(&mut self, _task: &str, _tools: &[Tool]) -> Result<()> {
        let next =
            self.conversations.pop_front().context("the record has no more conversations")?;
        self.turns = next.turns.into();
        self.end = Some(next.end);
        self.recorded.clear();
        Ok(())
    }

    fn turn(&mut self, replies: &[Reply]) -> Result<Said> {
        for (recorded, reply) in std::mem::take(&mut self.recorded).iter().zip(replies) {
            self.learn(recorded, &reply.whole);
        }
        let Some(turn) = self.turns.pop_front() else {
            // It was stopped here.
            return Ok(Said { end: self.end, ..Said::default() });
        };
        self.recorded = turn.calls.iter().map(|call| call.reply.clone()).collect();
        let calls = turn
            .calls
            .iter()
            .map(|call| (call.tool.clone(), self.renewed_value(&call.arguments)))
            .collect();
        Ok(Said { text: turn.text, calls, usage: turn.usage, end: None })
    }
}
