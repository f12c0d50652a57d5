//! The chunk tools: a long file sent in parts and published at once.

use schemars::JsonSchema;
use serde::Deserialize;

use resilient_core::chunk::{ComposeRequest, PartRequest};
use resilient_core::workspace::{RedactRequest, Source};

use super::redact::choices;
use super::write::{ContentFrom, FromDraft, Verdict, not_one_content};
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
    pub content: Option<String>,
    /// In place of content: a blocked part, redacted.
    pub content_from: Option<ContentFrom>,
    /// Parts in all, if known.
    pub total_expected: Option<i64>,
    /// Hash the part must still have.
    pub expected_prev_sha256: Option<String>,
    /// Refuse text that looks like secrets.
    #[serde(default)]
    pub classify: bool,
    #[serde(default)]
    pub classify_reject_at: Verdict,
}

impl Tool for ChunkWrite {
    const NAME: &'static str = "rw.chunk_write";
    const TITLE: &'static str = "Store a part";
    const EFFECT: Effect = Effect::Sets;
    const QUICK: bool = true;
    const INSTEAD_OF_CONTENT: &'static [&'static str] = &["content_from"];

    fn run(self, workspace: &Workspace) -> Answer {
        let request = PartRequest {
            session: self.session,
            index: Some(self.index),
            content: String::new(),
            total_expected: self.total_expected,
            expected_prev_sha256: self.expected_prev_sha256,
            reject_at: self.classify.then(|| self.classify_reject_at.into()),
        };
        keep(workspace, request, self.content, self.content_from)
    }
}

/// Store the next part of a long file; then rw_chunk_compose.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChunkAppend {
    /// As in rw_chunk_write.
    pub session: String,
    pub content: Option<String>,
    /// In place of content: a blocked part, redacted.
    pub content_from: Option<ContentFrom>,
    /// Parts in all, if known.
    pub total_expected: Option<i64>,
    /// Hash of the part before; empty for the first.
    pub expected_prev_sha256: Option<String>,
    /// Refuse text that looks like secrets.
    #[serde(default)]
    pub classify: bool,
    #[serde(default)]
    pub classify_reject_at: Verdict,
}

impl Tool for ChunkAppend {
    const NAME: &'static str = "rw.chunk_append";
    const TITLE: &'static str = "Store the next part";
    const EFFECT: Effect = Effect::Adds;
    const QUICK: bool = true;
    const INSTEAD_OF_CONTENT: &'static [&'static str] = &["content_from"];

    fn run(self, workspace: &Workspace) -> Answer {
        let request = PartRequest {
            session: self.session,
            index: None,
            content: String::new(),
            total_expected: self.total_expected,
            expected_prev_sha256: self.expected_prev_sha256,
            reject_at: self.classify.then(|| self.classify_reject_at.into()),
        };
        keep(workspace, request, self.content, self.content_from)
    }
}

/// Keeps a part, or the redaction of one that was blocked.
fn keep(
    workspace: &Workspace,
    request: PartRequest,
    content: Option<String>,
    from: Option<ContentFrom>,
) -> Answer {
    match (content, from) {
        (Some(content), None) => answer(workspace.keep_part(PartRequest { content, ..request })),
        (None, Some(from)) => {
            let redacted = workspace.redact(RedactRequest {
                source: Source::Draft(from.draft_sha256),
                chosen: choices(from.redact),
                language: None,
                env: false,
                keep: false,
                write: None,
            });
            answer(redacted.and_then(|redacted| {
                let content = redacted.text.unwrap_or_default();
                let written = workspace.keep_part(PartRequest { content, ..request })?;
                Ok(FromDraft { written, replaced: redacted.redaction.replaced })
            }))
        }
        _ => Err(not_one_content()),
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
    /// Hash the file must still have.
    pub expected_prev_sha256: Option<String>,
    /// Refuse text that looks like secrets.
    #[serde(default)]
    pub classify: bool,
    #[serde(default)]
    pub classify_reject_at: Verdict,
}

impl Tool for ChunkCompose {
    const NAME: &'static str = "rw.chunk_compose";
    const TITLE: &'static str = "Publish the parts as a file";
    const EFFECT: Effect = Effect::Sets;

    fn run(self, workspace: &Workspace) -> Answer {
        answer(workspace.compose(ComposeRequest {
            session: self.session,
            output_path: self.output_path,
            separator: self.separator,
            cleanup: self.cleanup,
            expected_prev_sha256: self.expected_prev_sha256,
            reject_at: self.classify.then(|| self.classify_reject_at.into()),
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
