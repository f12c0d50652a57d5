//! The scratch tools: raw material kept out of the user's tree, by content hash.

use schemars::JsonSchema;
use serde::Deserialize;

use resilient_core::scratch::{self as core, ListRequest, PutRequest};

use super::{Effect, Tool, ToolSpec};
use crate::args::{Texts, unfit};
use crate::seam::{Answer, Workspace, answer};

/// The tools of this file.
pub const TOOLS: &[ToolSpec] = &[
    ToolSpec::of::<ScratchPut>(),
    ToolSpec::of::<ScratchRef>(),
    ToolSpec::of::<ScratchGet>(),
    ToolSpec::of::<ScratchList>(),
    ToolSpec::of::<ScratchRemove>(),
];

/// Keep raw material (logs, drafts) outside the user's files, unencrypted, for rw_scratch_get.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScratchPut {
    /// Text, or base64 of any bytes.
    pub content: String,
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
    const TEXTS: Texts = &[(
        "content",
        "do not resend the call, which was probably cut at the output token limit: keep the material in smaller \
         pieces, each with its own `rw_scratch_put` and `label`",
    )];

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

/// Find kept material by sha256, label or both; returns no content.
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

    fn run(self, workspace: &Workspace) -> Answer {
        answer(workspace.scratch().reference(self.sha256.as_deref(), self.label.as_deref()))
    }
}

/// Read kept material; go on at next_offset.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScratchGet {
    pub sha256: String,
    #[serde(default)]
    pub encoding: Encoding,
    pub offset: Option<i64>,
    pub max_bytes: Option<i64>,
}

impl Tool for ScratchGet {
    const NAME: &'static str = "rw.scratch_get";
    const TITLE: &'static str = "Read raw material";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, workspace: &Workspace) -> Answer {
        let Self { sha256, encoding, offset, max_bytes } = self;
        answer(workspace.scratch().page(&core::GetRequest {
            sha256,
            encoding: encoding.into(),
            offset: offset.unwrap_or_default(),
            max_bytes,
        }))
    }
}

/// List kept material, newest first; returns no content.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScratchList {
    /// draft: lists the drafts of blocked calls.
    pub label_prefix: Option<String>,
    /// 1 to 1000.
    #[serde(default = "hundred")]
    pub limit: i64,
}

impl Tool for ScratchList {
    const NAME: &'static str = "rw.scratch_list";
    const TITLE: &'static str = "List raw material";
    const EFFECT: Effect = Effect::Reads;
    const ADDED: bool = true;

    fn run(self, workspace: &Workspace) -> Answer {
        let limit = usize::try_from(self.limit).ok().filter(|limit| (1..=1000).contains(limit));
        let Some(limit) = limit else {
            return Err(unfit("limit_must_be_int_in_1..1000", "pass a `limit` from 1 to 1000")
                .with("limit", self.limit));
        };
        let request = ListRequest { label_prefix: self.label_prefix, limit };
        answer(workspace.scratch().list(&request))
    }
}

/// Remove kept material for good: by sha256, or by label. Where other labels hold it, only the label goes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScratchRemove {
    pub sha256: Option<String>,
    pub label: Option<String>,
}

impl Tool for ScratchRemove {
    const NAME: &'static str = "rw.scratch_remove";
    const TITLE: &'static str = "Remove raw material";
    const EFFECT: Effect = Effect::Sets;
    const ADDED: bool = true;

    fn run(self, workspace: &Workspace) -> Answer {
        answer(workspace.scratch().remove(self.sha256.as_deref(), self.label.as_deref()))
    }
}

fn hundred() -> i64 {
    100
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
