//! Who is tried: a model behind an endpoint, a script, or a record.

pub(crate) mod endpoint;
pub(crate) mod format;
pub(crate) mod model;
pub(crate) mod replay;
pub(crate) mod script;

use anyhow::Result;
use serde_json::Value;

use crate::host::Tool;
use crate::transcript::{End, Usage};

/// Something that is given a task and tools, and says what it does turn by turn.
pub(crate) trait Agent {
    /// Begins a conversation; nothing of an earlier one is known in it.
    ///
    /// # Errors
    /// There is no conversation to be had.
    fn begin(&mut self, task: &str, tools: &[Tool]) -> Result<()>;

    /// Receives the results of its last calls, and says what it does next. The first turn of a
    /// conversation receives nothing.
    ///
    /// # Errors
    /// It cannot be reached; the trial should be tried again another time.
    fn turn(&mut self, replies: &[Reply]) -> Result<Said>;
}

/// The result of a call, as the agent sees it.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    /// The answer, cut to what may be shown.
    pub(crate) shown: String,
    /// The answer, uncut; for those who do not pay for it.
    pub(crate) whole: String,
}

/// What an agent says in a turn. Without calls, it is its final answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    /// In words.
    pub(crate) text: String,
    /// The tools that it calls: name and arguments. Arguments that cannot be read are a string.
    pub(crate) calls: Vec<(String, Value)>,
    /// What the turn cost.
    pub(crate) usage: Usage,
    /// Set when it cannot go on.
    pub(crate) end: Option<End>,
}
