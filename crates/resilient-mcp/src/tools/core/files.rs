//! One file: it is read, written, edited.

use resilient_core::digest::Digest;
use resilient_core::form::{Asked, Eol};
use resilient_core::read;
use resilient_core::write::{ReplaceRequest, WriteMode, WriteRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AS_BEFORE, TEXTS, TOKENS_MAX, answer, at_least_one};
use crate::args::{Texts, unfit};
use crate::seam::{Answer, Workspace};
use crate::tools::{Effect, Tool};

/// How many lines an answer may have.
const LINES_MAX: i64 = 5000;

/// Read a text file or a range of its lines. Returns content, sha256 for the next write, and next_offset if
/// there is more.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadFile {
    /// File in the workspace.
    pub path: String,
    /// First line, from 1; -50: the last 50.
    #[schemars(range(min = -5000))]
    pub offset: Option<i64>,
    /// Line count, default 2000.
    #[serde(default = "lines")]
    #[schemars(range(min = 1))]
    pub limit: i64,
}

impl Tool for ReadFile {
    const NAME: &'static str = "rw.read_file";
    const TITLE: &'static str = "Read a file";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, workspace: &Workspace) -> Answer {
        let Self { path, offset, limit } = self;
        let limit = at_least_one(limit)?.min(LINES_MAX);
        if let Some(offset) = offset.filter(|offset| *offset < -LINES_MAX) {
            return Err(unfit(
                "offset_must_be_at_least_-5000",
                "pass an `offset` of -5000 or more, or count from the first line",
            )
            .with("argument", "offset")
            .with("offset", offset));
        }
        let (max_tokens, encoding, digest) = (Some(TOKENS_MAX), None, true);
        let read = match offset.unwrap_or(1) {
            from_end @ ..0 => workspace.reader().tail(&read::TailRequest {
                path,
                max_lines: from_end.saturating_neg().min(limit),
                max_tokens,
                encoding,
                digest,
            }),
            offset => workspace.reader().lines(&read::LinesRequest {
                path,
                // Who counts from 0 means the first line.
                start_line: offset.max(1),
                max_lines: limit,
                max_tokens,
                encoding,
                digest,
            }),
        };
        answer(read.map(Text::of))
    }
}

/// Lines of a file as they are.
#[derive(Serialize)]
struct Text {
    path: String,
    content: String,
    /// The number of the first line.
    offset: u64,
    lines: u64,
    eof: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_lines: Option<u64>,
    size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<Digest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding_confidence: Option<&'static str>,
    /// How the lines of the file end, if not with `\n`. A write keeps that.
    #[serde(skip_serializing_if = "Option::is_none")]
    eol: Option<Eol>,
    /// Lines of which only a part is shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cut_lines: Vec<CutLine>,
    /// Bytes that are no character, and show as U+FFFD.
    #[serde(skip_serializing_if = "Option::is_none")]
    invalid_bytes: Option<u64>,
}

/// A line that is too long to be shown whole.
#[derive(Serialize)]
struct CutLine {
    line: u64,
    bytes: u64,
    shown_bytes: u64,
}

impl Text {
    fn of(read: read::LinesAnswer) -> Self {
        let is_cut = read.cut_lines.last().is_some_and(|cut| cut.line == read.end_line);
        let mut content = String::with_capacity(read.content.len());
        if read.lines_returned > 0 {
            for line in read.content.split('\n') {
                content.push_str(line.split_once('|').map_or(line, |(_, text)| text));
                content.push('\n');
            }
            if read.no_final_newline || is_cut {
                content.pop();
            }
        }
        let cut_line = |cut: read::CutLine| CutLine {
            line: cut.line,
            bytes: cut.bytes,
            shown_bytes: cut.shown_bytes,
        };
        Self {
            path: read.path,
            content,
            offset: read.start_line,
            lines: read.lines_returned,
            eof: read.eof,
            next_offset: (!read.eof && read.lines_returned > 0).then_some(read.end_line + 1),
            total_lines: read.total_lines,
            size: read.size,
            sha256: read.sha256,
            encoding: Some(read.encoding).filter(|name| name != "utf-8"),
            encoding_confidence: read.encoding_confidence,
            eol: read.eol.filter(|eol| *eol != Eol::Lf),
            cut_lines: read.cut_lines.into_iter().map(cut_line).collect(),
            invalid_bytes: Some(read.invalid_bytes).filter(|bytes| *bytes > 0),
        }
    }
}

/// Create, replace or append to a text file, crash-safe. Returns sha256. Small edit: rw_edit_file; over 8
/// KB: rw_write_part.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteFile {
    /// Target file.
    pub path: String,
    /// Text to write.
    pub content: String,
    /// Add at end; default false.
    #[serde(default)]
    pub append: bool,
    /// Last seen; needed to replace.
    pub expected_prev_sha256: Option<String>,
}

impl Tool for WriteFile {
    const NAME: &'static str = "rw.write_file";
    const TITLE: &'static str = "Write a file";
    const EFFECT: Effect = Effect::Changes;
    const TEXTS: Texts = TEXTS;

    fn run(self, workspace: &Workspace) -> Answer {
        let mode = match (self.append, &self.expected_prev_sha256) {
            (true, _) => WriteMode::Append,
            (false, Some(_)) => WriteMode::Overwrite,
            (false, None) => WriteMode::Create,
        };
        answer(workspace.write(WriteRequest {
            path: self.path,
            content: self.content,
            mode,
            expected_prev_sha256: self.expected_prev_sha256,
            reject_at: None,
            validate: false,
            form: AS_BEFORE,
            allow_shrink: false,
        }))
    }
}

/// Replace an exact string in a file, keeping the rest. Returns sha256, or the nearest text if none
/// matches.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditFile {
    /// File to edit.
    pub path: String,
    /// Exact text, found once.
    pub old_string: String,
    /// Text in its place.
    pub new_string: String,
    /// All places; default false.
    #[serde(default)]
    pub replace_all: bool,
    /// sha256 last seen.
    pub expected_prev_sha256: Option<String>,
}

impl Tool for EditFile {
    const NAME: &'static str = "rw.edit_file";
    const TITLE: &'static str = "Edit a file";
    const EFFECT: Effect = Effect::Changes;
    const TEXTS: Texts = TEXTS;

    fn run(self, workspace: &Workspace) -> Answer {
        answer(workspace.replace(ReplaceRequest {
            path: self.path,
            old_string: self.old_string,
            new_string: self.new_string,
            count: if self.replace_all { -1 } else { 1 },
            expected_prev_sha256: self.expected_prev_sha256,
            reject_at: None,
            validate: false,
            form: Asked::default(),
            allow_shrink: false,
        }))
    }
}

fn lines() -> i64 {
    2000
}
