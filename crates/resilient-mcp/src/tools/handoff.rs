//! The handoff tools: the note one agent leaves for the next.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use resilient_core::handoff::{DEFAULT_PATH, HandoffRequest};

use super::write::{Verdict, reject_at};
use super::{Effect, Tool, ToolSpec};
use crate::seam::{Answer, Workspace, answer};

/// The tools of this file.
pub const TOOLS: &[ToolSpec] = &[ToolSpec::of::<HandoffWrite>(), ToolSpec::of::<HandoffRead>()];

/// Leave a note for the next agent: state of the task, hashes of files. Replaces the earlier one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HandoffWrite {
    /// More keys are kept.
    #[schemars(with = "Shape")]
    pub envelope: Map<String, Value>,
    #[serde(default)]
    pub body: String,
    #[serde(default = "handoff_md")]
    pub path: String,
    /// Copy the earlier note first.
    #[serde(default)]
    pub archive: bool,
    pub expected_prev_sha256: Option<String>,
    #[serde(default)]
    pub classify: bool,
    pub classify_reject_at: Option<Verdict>,
    #[serde(default)]
    pub allow_shrink: bool,
}

// What the schema shows clients of an envelope. The library checks it, and takes what the Python server takes: any
// value of the facts without a type. A doc comment would be paid for in the schema.
#[derive(JsonSchema)]
#[schemars(description = "")]
#[expect(dead_code, reason = "only its schema matters")]
struct Shape {
    task_id: Value,
    status: Status,
    agent: Value,
    summary: Value,
    next_steps: Vec<Value>,
    last_good_state: Vec<GoodState>,
}

#[derive(JsonSchema)]
#[schemars(description = "", rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema matters")]
enum Status {
    Complete,
    Partial,
    Blocked,
    HandedOff,
}

#[derive(JsonSchema)]
#[schemars(description = "")]
#[expect(dead_code, reason = "only its schema matters")]
struct GoodState {
    path: Value,
    sha256: Value,
}

impl Tool for HandoffWrite {
    const NAME: &'static str = "rw.handoff_write";
    const TITLE: &'static str = "Write a handoff note";
    const EFFECT: Effect = Effect::Changes;
    const DEFAULT_PATH: Option<&'static str> = Some(DEFAULT_PATH);

    fn run(self, workspace: &Workspace) -> Answer {
        answer(workspace.write_handoff(HandoffRequest {
            envelope: self.envelope,
            body: self.body,
            path: self.path,
            archive: self.archive,
            expected_prev_sha256: self.expected_prev_sha256,
            reject_at: reject_at(workspace, self.classify, self.classify_reject_at),
            allow_shrink: self.allow_shrink,
        }))
    }
}

/// Read the handoff note; drift_warnings lists changed files.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HandoffRead {
    #[serde(default = "handoff_md")]
    pub path: String,
}

impl Tool for HandoffRead {
    const NAME: &'static str = "rw.handoff_read";
    const TITLE: &'static str = "Read a handoff note";
    const EFFECT: Effect = Effect::Reads;
    const DEFAULT_PATH: Option<&'static str> = Some(DEFAULT_PATH);

    fn run(self, workspace: &Workspace) -> Answer {
        answer(workspace.read_handoff(&self.path))
    }
}

fn handoff_md() -> String {
    DEFAULT_PATH.to_owned()
}
