//! The chunk tools: a long file sent in parts and published at once.

use schemars::JsonSchema;
use serde::Deserialize;

use resilient_core::chunk::{ComposeRequest, PartRequest, PreviewRequest};
use resilient_core::workspace::{RedactRequest, Source};

use super::write::{Eol, FromDraft, Verdict, asked, reject_at};
use super::{Effect, Tool, ToolSpec};
use crate::args::unfit;
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

/// Store or replace a part of a long file by number; rw_chunk_append takes the next. Parts survive restarts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChunkWrite {
    /// A name you choose: 1-64 of A-Za-z0-9_-
    pub session: String,
    /// 1 to 999, without gaps.
    pub index: i64,
    pub content: Option<String>,
    /// A blocked part, redacted.
    pub draft_sha256: Option<String>,
    pub total_expected: Option<i64>,
    pub expected_prev_sha256: Option<String>,
    #[serde(default)]
    pub classify: bool,
    pub classify_reject_at: Option<Verdict>,
}

impl Tool for ChunkWrite {
    const NAME: &'static str = "rw.chunk_write";
    const TITLE: &'static str = "Store a part";
    const EFFECT: Effect = Effect::Sets;
    const INSTEAD_OF_CONTENT: &'static [&'static str] = &["draft_sha256"];

    fn run(self, workspace: &Workspace) -> Answer {
        let request = PartRequest {
            session: self.session,
            index: Some(self.index),
            total_expected: self.total_expected,
            expected_prev_sha256: self.expected_prev_sha256,
            reject_at: reject_at(workspace, self.classify, self.classify_reject_at),
            ..PartRequest::default()
        };
        keep(workspace, request, self.content, self.draft_sha256)
    }
}

/// Write a long file in several calls: store the next part of a session; after the last, rw_chunk_compose.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChunkAppend {
    pub session: String,
    pub content: Option<String>,
    pub draft_sha256: Option<String>,
    pub total_expected: Option<i64>,
    /// Hash of the part before; empty for the first.
    pub expected_prev_sha256: Option<String>,
    #[serde(default)]
    pub classify: bool,
    pub classify_reject_at: Option<Verdict>,
}

impl Tool for ChunkAppend {
    const NAME: &'static str = "rw.chunk_append";
    const TITLE: &'static str = "Store the next part";
    const EFFECT: Effect = Effect::Adds;
    const INSTEAD_OF_CONTENT: &'static [&'static str] = &["draft_sha256"];

    fn run(self, workspace: &Workspace) -> Answer {
        let request = PartRequest {
            session: self.session,
            index: None,
            total_expected: self.total_expected,
            expected_prev_sha256: self.expected_prev_sha256,
            reject_at: reject_at(workspace, self.classify, self.classify_reject_at),
            ..PartRequest::default()
        };
        keep(workspace, request, self.content, self.draft_sha256)
    }
}

/// Keeps a part, or the redaction of one that was blocked.
fn keep(
    workspace: &Workspace,
    request: PartRequest,
    content: Option<String>,
    draft: Option<String>,
) -> Answer {
    match (content, draft) {
        (Some(content), None) => answer(workspace.keep_part(PartRequest { content, ..request })),
        (None, Some(sha256)) => {
            let redacted = workspace.redact(RedactRequest {
                source: Source::Draft(sha256),
                chosen: Vec::new(),
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
        _ => Err(unfit(
            "content_or_draft_sha256",
            "pass `content` alone, or `draft_sha256` alone for a part that was refused",
        )),
    }
}

/// Join the parts of a session into one file; replaces an existing file.
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
    pub expected_prev_sha256: Option<String>,
    #[serde(default)]
    pub classify: bool,
    pub classify_reject_at: Option<Verdict>,
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
        let Self { encoding, eol, .. } = self;
        answer(asked(encoding.as_deref(), eol).and_then(|form| {
            workspace.compose(ComposeRequest {
                session: self.session,
                output_path: self.output_path,
                separator: self.separator,
                cleanup: self.cleanup,
                expected_prev_sha256: self.expected_prev_sha256,
                reject_at: reject_at(workspace, self.classify, self.classify_reject_at),
                validate: self.validate,
                form,
                allow_shrink: self.allow_shrink,
                one_attempt: false,
            })
        }))
    }
}

/// Read what rw_chunk_compose would write. Go on at next_offset.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChunkPreview {
    pub session: String,
    #[serde(default)]
    pub separator: String,
    #[serde(default)]
    pub offset: i64,
    #[serde(default = "page")]
    pub max_bytes: i64,
}

impl Tool for ChunkPreview {
    const NAME: &'static str = "rw.chunk_preview";
    const TITLE: &'static str = "Preview the parts";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, workspace: &Workspace) -> Answer {
        let Self { session, separator, offset, max_bytes } = self;
        let request = PreviewRequest { session, separator, offset, max_bytes };
        answer(workspace.preview(&request))
    }
}

/// List the stored parts of a session and the end of the last, to resume; without session, all sessions.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChunkStatus {
    pub session: Option<String>,
}

impl Tool for ChunkStatus {
    const NAME: &'static str = "rw.chunk_status";
    const TITLE: &'static str = "List the parts";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, workspace: &Workspace) -> Answer {
        match self.session {
            Some(session) => answer(workspace.session_status(&session)),
            None => answer(workspace.chunks().sessions()),
        }
    }
}

/// Discard all parts of a session for good.
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

fn page() -> i64 {
    65_536
}
