//! The checkpoint tools: named JSON values that outlive a session.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use resilient_core::checkpoint::{self as core, SaveRequest};

use super::write::{Verdict, reject_at};
use super::{Effect, Tool, ToolSpec};
use crate::seam::{Answer, Workspace, answer};

/// The tools of this file.
pub const TOOLS: &[ToolSpec] = &[
    ToolSpec::of::<Checkpoint>(),
    ToolSpec::of::<CheckpointRead>(),
    ToolSpec::of::<CheckpointList>(),
    ToolSpec::of::<CheckpointCleanup>(),
];

/// Save progress of a task under a name, to resume after a crash or in a new session; replaces the earlier
/// value.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// 1-64 of A-Za-z0-9_-
    pub name: String,
    pub data: Value,
    /// Label only.
    #[serde(default)]
    pub format: CheckpointFormat,
    /// session, permanent or an ISO 8601 duration (P7D).
    #[serde(default = "session")]
    pub ttl: String,
    pub expected_prev_sha256: Option<String>,
    #[serde(default)]
    pub classify: bool,
    pub classify_reject_at: Option<Verdict>,
}

impl Tool for Checkpoint {
    const NAME: &'static str = "rw.checkpoint";
    const TITLE: &'static str = "Save a checkpoint";
    const EFFECT: Effect = Effect::Sets;

    fn run(self, workspace: &Workspace) -> Answer {
        answer(workspace.save_checkpoint(SaveRequest {
            name: self.name,
            data: self.data,
            format: self.format.into(),
            ttl: self.ttl,
            expected_prev_sha256: self.expected_prev_sha256,
            reject_at: reject_at(workspace, self.classify, self.classify_reject_at),
        }))
    }
}

/// Read the data of a checkpoint by its name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckpointRead {
    pub name: String,
}

impl Tool for CheckpointRead {
    const NAME: &'static str = "rw.checkpoint_read";
    const TITLE: &'static str = "Read a checkpoint";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, workspace: &Workspace) -> Answer {
        answer(workspace.checkpoints().read(&self.name))
    }
}

/// List the checkpoints with time and size.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckpointList {}

impl Tool for CheckpointList {
    const NAME: &'static str = "rw.checkpoint_list";
    const TITLE: &'static str = "List the checkpoints";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, workspace: &Workspace) -> Answer {
        answer(workspace.checkpoints().list())
    }
}

/// Remove expired checkpoints and those with ttl session.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckpointCleanup {
    /// false: only expired ones.
    #[serde(default = "yes")]
    pub include_session: bool,
}

impl Tool for CheckpointCleanup {
    const NAME: &'static str = "rw.checkpoint_cleanup";
    const TITLE: &'static str = "Remove old checkpoints";
    const EFFECT: Effect = Effect::Sets;

    fn run(self, workspace: &Workspace) -> Answer {
        answer(workspace.checkpoints().cleanup(self.include_session))
    }
}

/// What a checkpoint says about its data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CheckpointFormat {
    #[default]
    Json,
    Yaml,
    Markdown,
}

impl From<CheckpointFormat> for core::Format {
    fn from(format: CheckpointFormat) -> Self {
        match format {
            CheckpointFormat::Json => Self::Json,
            CheckpointFormat::Yaml => Self::Yaml,
            CheckpointFormat::Markdown => Self::Markdown,
        }
    }
}

fn session() -> String {
    "session".to_owned()
}

fn yes() -> bool {
    true
}
