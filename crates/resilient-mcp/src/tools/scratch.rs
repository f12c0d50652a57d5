//! The scratch tools: raw material kept out of the user's tree, by content hash.

use schemars::JsonSchema;
use serde::Deserialize;

use resilient_core::scratch::{self as core, PutRequest};

use super::{Effect, Tool, ToolSpec};
use crate::seam::{Answer, Workspace, answer};

/// The tools of this file.
pub const TOOLS: &[ToolSpec] =
    &[ToolSpec::of::<ScratchPut>(), ToolSpec::of::<ScratchRef>(), ToolSpec::of::<ScratchGet>()];

/// Keep raw material (logs, tokens, drafts) outside the user's files, by content hash.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScratchPut {
    /// Text, or base64 of any bytes.
    pub content: String,
    /// A name to find it by.
    pub label: Option<String>,
    pub content_type: Option<String>,
    pub notes: Option<String>,
    #[serde(default)]
    pub encoding: Encoding,
}

impl Tool for ScratchPut {
    const NAME: &'static str = "rw.scratch_put";
    const TITLE: &'static str = "Keep raw material";
    const EFFECT: Effect = Effect::Adds;
    const QUICK: bool = true;

    fn run(self, workspace: &Workspace) -> Answer {
        answer(workspace.scratch().put(PutRequest {
            content: self.content,
            encoding: self.encoding.into(),
            label: self.label,
            content_type: self.content_type,
            notes: self.notes,
        }))
    }
}

/// Find scratch material by hash, label or both; returns no content.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScratchRef {
    pub sha256: Option<String>,
    pub label: Option<String>,
}

impl Tool for ScratchRef {
    const NAME: &'static str = "rw.scratch_ref";
    const TITLE: &'static str = "Find raw material";
    const EFFECT: Effect = Effect::Reads;
    const QUICK: bool = true;

    fn run(self, workspace: &Workspace) -> Answer {
        answer(workspace.scratch().reference(self.sha256.as_deref(), self.label.as_deref()))
    }
}

/// Read scratch material back, verified by its hash.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScratchGet {
    pub sha256: String,
    #[serde(default)]
    pub encoding: Encoding,
}

impl Tool for ScratchGet {
    const NAME: &'static str = "rw.scratch_get";
    const TITLE: &'static str = "Read raw material";
    const EFFECT: Effect = Effect::Reads;
    const QUICK: bool = true;

    fn run(self, workspace: &Workspace) -> Answer {
        answer(workspace.scratch().get(&self.sha256, self.encoding.into()))
    }
}

/// How bytes travel inside JSON.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, serde::Serialize, JsonSchema)]
#[schemars(description = "")]
pub enum Encoding {
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    #[serde(rename = "base64")]
    Base64,
}

impl From<Encoding> for core::Encoding {
    fn from(encoding: Encoding) -> Self {
        match encoding {
            Encoding::Utf8 => Self::Utf8,
            Encoding::Base64 => Self::Base64,
        }
    }
}
