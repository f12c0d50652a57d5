//! The tools that read files of any size: facts, lists, windows, lines, the tail, a search, a
//! cursor.

use resilient_core::read as core;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Effect, Tool, ToolSpec};
use crate::seam::{Answer, Workspace, read_answer as answer};

/// The tools of this file.
pub const TOOLS: &[ToolSpec] = &[
    ToolSpec::of::<Stat>(),
    ToolSpec::of::<ListFiles>(),
    ToolSpec::of::<ReadBytes>(),
    ToolSpec::of::<ReadLines>(),
    ToolSpec::of::<ReadTail>(),
    ToolSpec::of::<SearchThenPage>(),
    ToolSpec::of::<MakeCursor>(),
    ToolSpec::of::<ReadNext>(),
];

/// Get size, time, encoding and sha256 of a file, for the expected_prev_sha256 of a write.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stat {
    pub path: String,
    /// Unasked up to 16 MiB.
    pub digest: Option<bool>,
    #[serde(default)]
    pub include_sha256: bool,
}

impl Tool for Stat {
    const NAME: &'static str = "rr.stat";
    const TITLE: &'static str = "Tell facts about a file";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, workspace: &Workspace) -> Answer {
        let Self { path, digest, include_sha256 } = self;
        let digest = digest.or(include_sha256.then_some(true));
        answer(workspace.reader().stat(&core::StatRequest { path, digest }))
    }
}

/// List files below a directory with size and time. Go on at next_from_path.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListFiles {
    #[serde(default = "here")]
    pub path: String,
    /// As **/*.log; without / of names anywhere.
    pub glob: Option<String>,
    /// Heed .gitignore.
    #[serde(default = "yes")]
    pub gitignore: bool,
    #[serde(default)]
    pub hidden: bool,
    /// 1: no subdirectories.
    pub depth: Option<i64>,
    #[serde(default = "files")]
    pub max_files: i64,
    pub max_tokens: Option<i64>,
    pub from_path: Option<String>,
}

impl Tool for ListFiles {
    const NAME: &'static str = "rr.list_files";
    const TITLE: &'static str = "List files";
    const EFFECT: Effect = Effect::Reads;
    const ADDED: bool = true;

    fn run(self, workspace: &Workspace) -> Answer {
        answer(workspace.reader().list(&core::ListRequest {
            path: self.path,
            glob: self.glob,
            gitignore: self.gitignore,
            hidden: self.hidden,
            depth: self.depth,
            max_files: self.max_files,
            max_tokens: self.max_tokens,
            from_path: self.from_path,
        }))
    }
}

/// Read a byte range of a file as text; no character is cut. Go on at next_offset.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadBytes {
    pub path: String,
    #[serde(default)]
    pub offset: i64,
    #[serde(default = "window")]
    pub max_bytes: i64,
    /// Size of the answer, about.
    pub max_tokens: Option<i64>,
    /// Guessed when absent; base64 for raw bytes.
    pub encoding: Option<String>,
    #[serde(default)]
    pub errors: Errors,
}

impl Tool for ReadBytes {
    const NAME: &'static str = "rr.read_bytes";
    const TITLE: &'static str = "Read a window by bytes";
    const EFFECT: Effect = Effect::Reads;
    const QUICK: bool = true;

    fn run(self, workspace: &Workspace) -> Answer {
        answer(workspace.reader().window(&core::WindowRequest {
            path: self.path,
            offset: self.offset,
            max_bytes: self.max_bytes,
            max_tokens: self.max_tokens,
            encoding: self.encoding,
            on_invalid: self.errors.into(),
        }))
    }
}

/// Read lines by number, as N|text; N| is not part of the file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadLines {
    pub path: String,
    #[serde(default = "one")]
    pub start_line: i64,
    #[serde(default = "page")]
    pub max_lines: i64,
    pub max_tokens: Option<i64>,
    pub encoding: Option<String>,
}

impl Tool for ReadLines {
    const NAME: &'static str = "rr.read_lines";
    const TITLE: &'static str = "Read lines by number";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, workspace: &Workspace) -> Answer {
        let Self { path, start_line, max_lines, max_tokens, encoding } = self;
        let request =
            core::LinesRequest { path, start_line, max_lines, max_tokens, encoding, digest: false };
        answer(workspace.reader().lines(&request))
    }
}

/// Read the last lines of a file or log.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadTail {
    pub path: String,
    #[serde(default = "tail")]
    pub max_lines: i64,
    pub max_tokens: Option<i64>,
    pub encoding: Option<String>,
}

impl Tool for ReadTail {
    const NAME: &'static str = "rr.read_tail";
    const TITLE: &'static str = "Read the last lines";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, workspace: &Workspace) -> Answer {
        let Self { path, max_lines, max_tokens, encoding } = self;
        let request = core::TailRequest { path, max_lines, max_tokens, encoding, digest: false };
        answer(workspace.reader().tail(&request))
    }
}

/// Search a file, or many by glob, for text or regex; shows context. If has_more, go on at next_from_line,
/// next_from_path.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchThenPage {
    /// A file; a directory with glob.
    pub path: String,
    pub query: String,
    #[serde(default = "one")]
    pub from_line: i64,
    pub from_path: Option<String>,
    #[serde(default = "before")]
    pub context_before: i64,
    #[serde(default = "after")]
    pub context_after: i64,
    #[serde(default = "matches")]
    pub max_matches: i64,
    pub max_tokens: Option<i64>,
    #[serde(default)]
    pub case_sensitive: bool,
    #[serde(default)]
    pub regex: bool,
    /// Also total_matches.
    #[serde(default)]
    pub count: bool,
    /// Such as **/*.log.
    pub glob: Option<String>,
    #[serde(default)]
    pub gitignore: bool,
    pub encoding: Option<String>,
}

impl SearchThenPage {
    fn request(self) -> core::SearchRequest {
        core::SearchRequest {
            path: self.path,
            query: self.query,
            regex: self.regex,
            case_sensitive: self.case_sensitive,
            from_line: self.from_line,
            from_path: self.from_path,
            context_before: self.context_before,
            context_after: self.context_after,
            max_matches: self.max_matches,
            max_tokens: self.max_tokens,
            count: self.count,
            glob: self.glob,
            gitignore: self.gitignore,
            encoding: self.encoding,
        }
    }
}

impl Tool for SearchThenPage {
    const NAME: &'static str = "rr.search_then_page";
    const TITLE: &'static str = "Search, and read around";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, workspace: &Workspace) -> Answer {
        answer(workspace.reader().search(&self.request()))
    }
}

/// Begin to read all of a large file, window by window; rr_read_next goes on. For a part: rr_read_lines.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MakeCursor {
    pub path: String,
    #[serde(default)]
    pub offset: i64,
    #[serde(default = "window")]
    pub max_bytes: i64,
    pub encoding: Option<String>,
    /// Also notice edits that keep size and time.
    #[serde(default)]
    pub strict: bool,
}

impl Tool for MakeCursor {
    const NAME: &'static str = "rr.make_cursor";
    const TITLE: &'static str = "Begin a walk through a file";
    const EFFECT: Effect = Effect::Reads;
    const QUICK: bool = true;

    fn run(self, workspace: &Workspace) -> Answer {
        answer(workspace.reader().make_cursor(&core::CursorRequest {
            path: self.path,
            offset: self.offset,
            max_bytes: self.max_bytes,
            encoding: self.encoding,
            strict: self.strict,
        }))
    }
}

/// Read the window at a cursor and get the next cursor, until eof. Fails if the file changed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadNext {
    pub cursor: String,
    pub max_bytes: Option<i64>,
    pub max_tokens: Option<i64>,
    #[serde(default)]
    pub strict: bool,
}

impl Tool for ReadNext {
    const NAME: &'static str = "rr.read_next";
    const TITLE: &'static str = "Go on with a walk";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, workspace: &Workspace) -> Answer {
        let Self { cursor, max_bytes, max_tokens, strict } = self;
        let request = core::NextRequest { cursor, max_bytes, max_tokens, strict };
        answer(workspace.reader().next(&request))
    }
}

// What becomes of bytes that are no character; a doc comment would be paid for in the schema.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Errors {
    #[default]
    Replace,
    Strict,
    Ignore,
    Backslashreplace,
}

impl From<Errors> for core::OnInvalid {
    fn from(errors: Errors) -> Self {
        match errors {
            Errors::Replace => Self::Replace,
            Errors::Strict => Self::Strict,
            Errors::Ignore => Self::Ignore,
            Errors::Backslashreplace => Self::Backslash,
        }
    }
}

fn window() -> i64 {
    65_536
}

fn one() -> i64 {
    1
}

fn page() -> i64 {
    400
}

fn tail() -> i64 {
    200
}

fn before() -> i64 {
    2
}

fn after() -> i64 {
    6
}

fn here() -> String {
    ".".to_owned()
}

fn yes() -> bool {
    true
}

fn files() -> i64 {
    200
}

fn matches() -> i64 {
    5
}
