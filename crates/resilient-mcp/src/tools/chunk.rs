//! The chunk tools: a long file sent in parts and published at once.

use resilient_core::chunk::ComposeRequest;
use schemars::JsonSchema;
use serde::Deserialize;

use super::write::{Eol, asked};
use super::{Effect, Tool, ToolSpec};
use crate::seam::{Answer, Workspace, answer};

/// The tools of this file.
pub const TOOLS: &[ToolSpec] = &[
    ToolSpec::of::<ChunkWrite>(),
    ToolSpec::of::<ChunkAppend>(),
    ToolSpec::of::<ChunkCompose>(),
    ToolSpec::of::<ChunkPreview>(),
    ToolSpec::of::<ChunkStatus>(),
    ToolSpec::of::<ChunkReset>(),
];

/// Store part `index` of a long file; sending an index again replaces it. Survives restarts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChunkWrite {
    /// A name you choose: 1-64 of A-Za-z0-9_-
    pub session: String,
    /// 1 to 999, without gaps.
    pub index: i64,
    pub content: String,
    /// Parts in all, if known.
    pub total_expected: Option<i64>,
}

impl Tool for ChunkWrite {
    const NAME: &'static str = "rw.chunk_write";
    const TITLE: &'static str = "Store a part";
    const EFFECT: Effect = Effect::Sets;
    const QUICK: bool = true;

    fn run(self, workspace: &Workspace) -> Answer {
        let Self { session, index, content, total_expected } = self;
        answer(workspace.chunks().write(&session, index, content, total_expected))
    }
}

/// Store the next part of a long file; then rw_chunk_compose.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChunkAppend {
    /// As in rw_chunk_write.
    pub session: String,
    pub content: String,
    /// Parts in all, if known.
    pub total_expected: Option<i64>,
}

impl Tool for ChunkAppend {
    const NAME: &'static str = "rw.chunk_append";
    const TITLE: &'static str = "Store the next part";
    const EFFECT: Effect = Effect::Adds;
    const QUICK: bool = true;

    fn run(self, workspace: &Workspace) -> Answer {
        let Self { session, content, total_expected } = self;
        answer(workspace.chunks().append(&session, content, total_expected))
    }
}

/// Join a session's parts into a file, durably; replaces an existing file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChunkCompose {
    pub session: String,
    pub output_path: String,
    #[serde(default)]
    pub separator: String,
    /// Remove the parts afterwards.
    #[serde(default)]
    pub cleanup: bool,
    #[serde(default)]
    pub validate: bool,
    pub encoding: Option<String>,
    pub eol: Option<Eol>,
    #[serde(default)]
    pub allow_shrink: bool,
}

impl Tool for ChunkCompose {
    const NAME: &'static str = "rw.chunk_compose";
    const TITLE: &'static str = "Publish the parts as a file";
    const EFFECT: Effect = Effect::Sets;

    fn run(self, workspace: &Workspace) -> Answer {
        let Self {
            session,
            output_path,
            separator,
            cleanup,
            validate,
            encoding,
            eol,
            allow_shrink,
        } = self;
        answer(asked(encoding.as_deref(), eol).and_then(|form| {
            workspace.compose_as(ComposeRequest {
                session,
                output_path,
                separator,
                cleanup,
                validate,
                form,
                allow_shrink,
            })
        }))
    }
}

/// Read what rw_chunk_compose would write.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChunkPreview {
    pub session: String,
    #[serde(default)]
    pub separator: String,
}

impl Tool for ChunkPreview {
    const NAME: &'static str = "rw.chunk_preview";
    const TITLE: &'static str = "Preview the parts";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, workspace: &Workspace) -> Answer {
        answer(workspace.chunks().preview(&self.session, &self.separator))
    }
}

/// List the parts a session has; use it to resume.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChunkStatus {
    pub session: String,
}

impl Tool for ChunkStatus {
    const NAME: &'static str = "rw.chunk_status";
    const TITLE: &'static str = "List the parts";
    const EFFECT: Effect = Effect::Reads;
    const QUICK: bool = true;

    fn run(self, workspace: &Workspace) -> Answer {
        answer(workspace.chunks().status(&self.session))
    }
}

/// Remove a session's parts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChunkReset {
    pub session: String,
}

impl Tool for ChunkReset {
    const NAME: &'static str = "rw.chunk_reset";
    const TITLE: &'static str = "Discard the parts";
    const EFFECT: Effect = Effect::Sets;

    fn run(self, workspace: &Workspace) -> Answer {
        answer(workspace.chunks().reset(&self.session))
    }
}
