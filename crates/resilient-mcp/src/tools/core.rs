//! The set `core`: eight tools for daily work, in the shape in which models know such tools.
//!
//! Each of them asks the library for what a tool of the other sets asks for, too; here are only the fewer
//! arguments, the shorter answers, and hints in the words of this set.

use resilient_core::digest::Digest;
use resilient_core::error::{Changed, Draft};
use resilient_core::form::{Asked, AskedEncoding, AskedEol, Eol};
use resilient_core::hint::{BEGINS_IN_FILE, hint, too_large};
use resilient_core::read::{ListRequest, SearchRequest};
use resilient_core::roots::Git;
use resilient_core::write::{ReplaceRequest, WriteMode, WriteRequest};
use resilient_core::{Error, chunk, journal, read};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Call, Effect, Tool, ToolSpec};
use crate::args::{Texts, unfit};
use crate::seam::{Answer, Envelope, ErrorKind, ReasonHint, SuggestedAction, Workspace};

/// The tools of this file, all of the set.
pub const TOOLS: &[ToolSpec] = &[
    ToolSpec::of::<ReadFile>(),
    ToolSpec::of::<WriteFile>(),
    ToolSpec::of::<EditFile>(),
    ToolSpec::of::<WritePart>(),
    ToolSpec::of::<ListParts>(),
    ToolSpec::of::<ListFiles>(),
    ToolSpec::of::<SearchFiles>(),
    ToolSpec::of::<History>(),
];

/// For a tool of other sets the one that does its work here.
#[doc(hidden)]
pub const INSTEAD: &[(&str, &str)] = &[
    ("rw_safe_write", "rw_write_file"),
    ("rw_safe_replace", "rw_edit_file"),
    ("rw_chunk_write", "rw_write_part"),
    ("rw_chunk_append", "rw_write_part"),
    ("rw_chunk_compose", "rw_write_part"),
    ("rw_chunk_status", "rw_list_parts"),
    ("rw_journal_tail", "rw_history"),
    ("rr_list_files", "rw_list_files"),
    ("rr_read_lines", "rw_read_file"),
    ("rr_read_bytes", "rw_read_file"),
    ("rr_stat", "rw_read_file"),
    ("rr_read_tail", "rw_read_file"),
    ("rr_search_then_page", "rw_search_files"),
    ("rr_make_cursor", "rw_read_file"),
    ("rr_read_next", "rw_read_file"),
];

/// What no tool here does.
const RESET: &str = ", and remove the parts with `rw_chunk_reset`";

/// What to do when the text of a call is missing.
const TEXTS: Texts = &[
    (
        "content",
        "do not resend the call, which was probably cut at the output token limit: send the text in \
         smaller parts with `rw_write_part`",
    ),
    (
        "new_string",
        "do not resend the call, which was probably cut at the output token limit: make the edit in \
         several `rw_edit_file` calls with shorter strings",
    ),
];

/// A read gives every line with `\n`, and what is written after it has the line ends of the file.
const AS_BEFORE: Asked = Asked { encoding: AskedEncoding::Unsaid, eol: AskedEol::Keep };

/// How many lines an answer may have.
const LINES_MAX: i64 = 5000;
/// About how many tokens an answer may have. The clients that cut answers do so at 25,000.
const TOKENS_MAX: i64 = 20_000;

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

/// Write a long file in several calls: parts 1, 2, 3 of a path; the last one publishes it whole. Parts
/// survive a crash. Part 1 starts over.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WritePart {
    /// Same in all calls.
    pub path: String,
    /// Number of the part.
    #[schemars(range(min = 1, max = 999))]
    pub part: i64,
    /// Text of the part.
    pub content: String,
    /// Publish now; default false.
    #[serde(default)]
    pub last: bool,
    /// With last: sha256 of the file to replace.
    pub expected_prev_sha256: Option<String>,
}

impl Tool for WritePart {
    const NAME: &'static str = "rw.write_part";
    const TITLE: &'static str = "Write a long file in parts";
    const EFFECT: Effect = Effect::Changes;
    const TEXTS: Texts = TEXTS;

    fn run(self, workspace: &Workspace) -> Answer {
        answer(self.write(workspace))
    }
}

/// A part that is kept, and the file, once it is written. What chunk tools say beyond that is said here, too.
#[derive(Serialize)]
struct Written {
    path: String,
    part: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_part: Option<u32>,
    written: bool,
    /// How many parts of an earlier attempt are gone, since a second part 1 starts over.
    #[serde(skip_serializing_if = "Option::is_none")]
    discarded_parts: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<usize>,
    #[serde(flatten)]
    receipt: Map<String, Value>,
}

/// The fields of a receipt, except those that this set has under other names.
fn fields(receipt: &impl Serialize) -> Map<String, Value> {
    const OTHER: [&str; 7] = [
        "session",
        "index",
        "chunk_path",
        "output_path",
        "chunk_count",
        "chunk_hashes",
        "cleaned_up",
    ];
    match serde_json::to_value(receipt) {
        Ok(Value::Object(mut fields)) => {
            fields.retain(|name, _| !OTHER.contains(&name.as_str()));
            fields
        }
        _ => Map::new(),
    }
}

impl WritePart {
    fn write(self, workspace: &Workspace) -> resilient_core::Result<Written> {
        let Self { path, part, content, last, expected_prev_sha256 } = self;
        let Parts { target, shown, session } = Parts::of(workspace, &path)?;
        let mut discarded_parts = None;
        let before = Kept::of(workspace, &session)?;
        if part == 1 && before.present.contains(&1) && !before.wait_for_last() {
            workspace.chunks().reset(&session)?;
            discarded_parts = Some(before.present.len() as u64);
        }
        if last {
            // A part that cannot be the last one is not kept: it would stay behind.
            let present = Kept::of(workspace, &session)?.present;
            let before = u32::try_from(part).unwrap_or_default().min(chunk::PARTS_MAX);
            let missing: Vec<u32> = (1..before).filter(|at| !present.contains(at)).collect();
            if !missing.is_empty() {
                return Err(Error::NonContiguous {
                    session,
                    have: present,
                    missing,
                    unexpected: None,
                });
            }
        }
        let kept = workspace.keep_part(chunk::PartRequest {
            session: session.clone(),
            index: Some(part),
            content,
            total_expected: last.then_some(part),
            output_path: Some(target),
            ..chunk::PartRequest::default()
        });
        let kept = kept.map_err(|error| of_file(error, &shown))?;
        let now = Kept::of(workspace, &session)?;
        if !last {
            return Ok(Written {
                path: shown,
                part: kept.index,
                next_part: Some(now.next_part()),
                written: false,
                discarded_parts,
                parts: None,
                receipt: fields(&kept),
            });
        }
        if now.present.iter().any(|present| *present > kept.index) {
            let have = now.present.len();
            return Err(Error::ChunkCount { session, have, total_expected: kept.index });
        }
        let composed = workspace.compose(chunk::ComposeRequest {
            session,
            output_path: path,
            cleanup: true,
            // A file that is there is replaced only by who has seen it.
            expected_prev_sha256: Some(expected_prev_sha256.unwrap_or_default()),
            form: AS_BEFORE,
            ..chunk::ComposeRequest::default()
        })?;
        Ok(Written {
            path: composed.output_path.clone(),
            part: kept.index,
            next_part: None,
            written: true,
            discarded_parts,
            parts: Some(composed.chunk_count),
            receipt: fields(&composed),
        })
    }
}

/// Says of a refused part that it is one of this file, which is what the caller has named.
fn of_file(mut error: Error, file: &str) -> Error {
    if let Error::Blocked { path, .. } = &mut error {
        *path = Some(file.to_owned());
    }
    error
}

/// The parts of a file that are kept.
struct Kept {
    /// Their numbers, ascending.
    present: Vec<u32>,
    /// How many there are to be, once the last one has been sent.
    total: Option<u32>,
}

impl Kept {
    fn of(workspace: &Workspace, session: &str) -> resilient_core::Result<Self> {
        let parts = workspace.chunks().status(session)?.parts;
        let (present, total) =
            parts.map(|parts| (parts.present_indices, parts.total_expected)).unwrap_or_default();
        Ok(Self { present, total })
    }

    /// Whether all parts are there, and the last one was refused. Then a part that is sent again, part 1 too,
    /// takes the place of itself alone.
    fn wait_for_last(&self) -> bool {
        let all = self.total.filter(|total| *total > 1);
        all.is_some_and(|total| self.present.iter().copied().eq(1..=total))
    }

    /// The number of the part that is to be sent next.
    fn next_part(&self) -> u32 {
        let last = self.total.filter(|_| self.wait_for_last());
        last.unwrap_or_else(|| next_part(&self.present))
    }
}

/// Where the parts of a file are kept.
struct Parts {
    /// The file's absolute path.
    target: String,
    /// Its path as it is reported.
    shown: String,
    /// The chunk session: the same for every spelling of the path.
    session: String,
}

impl Parts {
    fn of(workspace: &Workspace, path: &str) -> resilient_core::Result<Self> {
        const NAME_MAX: usize = 40;
        const DIGITS: usize = 16;
        let is_open = workspace.policy().is_ok_and(|policy| policy.allow_git);
        let git = if is_open { Git::Open } else { Git::Protected };
        let target = workspace.roots().writable(path, git)?;
        let plain =
            |char: char| if char.is_ascii_alphanumeric() || char == '-' { char } else { '_' };
        let shown = workspace.roots().show(target.path());
        let name: String = shown.chars().take(NAME_MAX).map(plain).collect();
        let target = target.path().to_string_lossy().into_owned();
        let mut digits = Digest::of(target.as_bytes()).short();
        digits.truncate(DIGITS);
        Ok(Self { target, shown, session: format!("{name}-{digits}") })
    }
}

/// List the parts stored by rw_write_part, to resume: which there are and how the last one ends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListParts {
    /// Absent: all unfinished files.
    pub path: Option<String>,
}

impl Tool for ListParts {
    const NAME: &'static str = "rw.list_parts";
    const TITLE: &'static str = "List the parts of a long file";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, workspace: &Workspace) -> Answer {
        let Some(path) = self.path else {
            return answer(workspace.chunks().sessions().map(|all| unfinished(&all)));
        };
        answer(Parts::of(workspace, &path).and_then(|Parts { shown, session, .. }| {
            let status = workspace.chunks().status(&session)?;
            let parts = status.parts.as_ref().map(|parts| parts.present_indices.clone());
            let ends_with = status.parts.and_then(|parts| parts.last_part).map(|last| last.tail);
            let parts = parts.unwrap_or_default();
            let next = next_part(&parts);
            Ok(json!({"path": shown, "parts": parts, "next_part": next, "ends_with": ends_with}))
        }))
    }
}

/// The number of the first part that is missing.
fn next_part(present: &[u32]) -> u32 {
    (1..).zip(present).find(|(next, present)| next != *present).map_or_else(
        || u32::try_from(present.len()).unwrap_or(u32::MAX).saturating_add(1),
        |(next, _)| next,
    )
}

/// The files of which parts are stored by this set's tool: other sessions name no file.
fn unfinished(all: &chunk::Sessions) -> Value {
    let files = all.sessions.iter().filter_map(|session| {
        let path = session.output_path.as_ref()?;
        let next = next_part(&session.present_indices);
        Some(told([
            ("path", Some(json!(path))),
            ("parts", Some(json!(session.present_indices))),
            ("next_part", Some(json!(next))),
            ("bytes", Some(json!(session.bytes))),
            ("updated_at", session.updated_at.as_ref().map(|at| json!(at))),
            ("age_seconds", session.age_seconds.map(Value::from)),
        ]))
    });
    let files: Vec<Value> = files.collect();
    json!({"count": files.len(), "files": files})
}

/// List files below a directory with their size, without ignored ones.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListFiles {
    /// Directory, default .
    #[serde(default = "here")]
    pub path: String,
    /// Like *.rs or src/**/*.rs
    pub glob: Option<String>,
    /// Last next_from_path.
    pub from_path: Option<String>,
}

impl Tool for ListFiles {
    const NAME: &'static str = "rw.list_files";
    const TITLE: &'static str = "List files";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, workspace: &Workspace) -> Answer {
        let listing = workspace.reader().list(&ListRequest {
            glob: self.glob,
            from_path: self.from_path,
            max_tokens: Some(TOKENS_MAX),
            // What a search finds is listed, too.
            hidden: true,
            ..ListRequest::of(self.path)
        });
        answer(listing.map(|listing| {
            let files: Vec<Value> = listing
                .files
                .into_iter()
                .map(|file| {
                    told([
                        ("path", Some(json!(file.path))),
                        ("size", file.size.map(Value::from)),
                        ("is", file.is.map(Value::from)),
                        ("not_utf8", file.not_utf8.then_some(Value::Bool(true))),
                    ])
                })
                .collect();
            told([
                ("path", Some(json!(listing.path))),
                ("files", Some(json!(files))),
                ("has_more", Some(json!(listing.has_more))),
                ("next_from_path", listing.next_from_path.map(Value::from)),
                ("truncated", listing.truncated.then_some(Value::Bool(true))),
            ])
        }))
    }
}

/// Search files for a regular expression, like grep. Returns path, line number and text of matches.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchFiles {
    /// Regular expression.
    pub pattern: String,
    /// File or directory, default .
    #[serde(default = "here")]
    pub path: String,
    /// Only names like *.rs
    pub glob: Option<String>,
    /// Last next_from_path.
    pub from_path: Option<String>,
    /// Last next_from_line.
    pub from_line: Option<i64>,
}

impl SearchFiles {
    fn search(self, workspace: &Workspace, call: &Call) -> resilient_core::Result<read::Found> {
        const MATCHES: i64 = 50;
        let in_file = self.glob.is_none();
        let below = SearchRequest {
            regex: true,
            case_sensitive: true,
            from_line: self.from_line.unwrap_or(1),
            from_path: self.from_path,
            context_before: 0,
            context_after: 0,
            max_matches: MATCHES,
            max_tokens: Some(TOKENS_MAX),
            glob: Some(self.glob.unwrap_or_else(|| "*".to_owned())),
            gitignore: true,
            ..SearchRequest::of(self.path, self.pattern)
        };
        // What is no directory is a file.
        let is_file = in_file
            && below.from_path.is_none()
            && workspace
                .reader()
                .stat(&read::StatRequest { path: below.path.clone(), digest: Some(false) })
                .is_ok();
        let request = if is_file { SearchRequest { glob: None, ..below } } else { below };
        workspace.reader().search(&request, call)
    }
}

impl Tool for SearchFiles {
    const NAME: &'static str = "rw.search_files";
    const TITLE: &'static str = "Search files";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, workspace: &Workspace) -> Answer {
        self.run_watched(workspace, &Call::default())
    }

    fn run_watched(self, workspace: &Workspace, call: &Call) -> Answer {
        let path = self.path.clone();
        answer(self.search(workspace, call).map(|found| {
            let is_one = found.files_searched.is_none();
            let matches: Vec<Value> = found
                .matches
                .into_iter()
                .map(|hit| {
                    let text = hit.excerpt.split_once('|').map_or("", |(_, text)| text);
                    json!({
                        "path": hit.path.as_ref().unwrap_or(&path), "line": hit.match_line, "text": text,
                    })
                })
                .collect();
            told([
                ("matches", Some(json!(matches))),
                ("has_more", Some(json!(found.has_more))),
                (
                    "next_from_path",
                    found.next_from_path.filter(|_| found.has_more).map(Value::from),
                ),
                ("next_from_line", found.has_more.then(|| json!(found.next_from_line))),
                ("files_searched", (!is_one).then(|| json!(found.files_searched))),
                (
                    "skipped",
                    Some(json!(found.skipped)).filter(|skipped| skipped != &json!([])),
                ),
                ("truncated", found.truncated.then_some(Value::Bool(true))),
            ])
        }))
    }
}

/// List the last writes: path, sha256, size, time, client.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct History {
    /// Only this file.
    pub path: Option<String>,
    /// How many, default 20.
    #[serde(default = "twenty")]
    #[schemars(range(min = 1))]
    pub limit: i64,
}

impl Tool for History {
    const NAME: &'static str = "rw.history";
    const TITLE: &'static str = "List the last writes";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, workspace: &Workspace) -> Answer {
        let n = usize::try_from(at_least_one(self.limit)?).unwrap_or(usize::MAX);
        let filter = journal::Filter { path: self.path, ..journal::Filter::default() };
        answer(workspace.journal_tail(n, &filter))
    }
}

/// An object of the fields that have a value.
fn told<const N: usize>(fields: [(&str, Option<Value>); N]) -> Value {
    let told = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(told.collect::<Map<_, _>>())
}

fn at_least_one(limit: i64) -> Result<i64, Box<Envelope>> {
    if limit < 1 {
        return Err(unfit("limit_must_be_at_least_1", "pass a `limit` of 1 or more")
            .with("argument", "limit")
            .with("limit", limit));
    }
    Ok(limit)
}

fn answer<T: Serialize>(result: resilient_core::Result<T>) -> Answer {
    match result {
        Ok(success) => Ok(serde_json::to_value(success).unwrap_or_default()),
        Err(error) => Err(refusal(&error)),
    }
}

/// The envelope of an error, in the closed sets of the tools that write and in the words of this set.
fn refusal(error: &Error) -> Box<Envelope> {
    let mut refused = Box::new(Envelope::from(error));
    if refused.error == ErrorKind::InvalidInput {
        refused.error = ErrorKind::PolicyViolation;
        refused.reason_hint = ReasonHint::Encoding;
        // No other call of this set gives the bytes.
        if !matches!(error, Error::Binary { .. }) {
            refused.suggested_action = SuggestedAction::RetryLater;
        }
    }
    refused.with("hint", hint_of(error))
}

/// What to do about an error, with the tools and arguments of this set. For tests.
#[doc(hidden)]
#[must_use]
pub fn hint_of(error: &Error) -> String {
    match error {
        Error::Placeholder { line, .. } => format!(
            "put in place of line {line} the text that it stands for, or edit only what is to change with \
             `rw_edit_file`"
        ),
        Error::AlreadyExists { sha256: Some(_), .. } => {
            "read the file, then pass context.existing_sha256 as `expected_prev_sha256` to replace it, or \
             write another path"
                .to_owned()
        }
        Error::Stale { actual: None, .. } => {
            "leave out `expected_prev_sha256` if the file is to be made again, since it does not exist \
             now"
                .to_owned()
        }
        Error::Stale { actual: Some(_), expected, .. } if expected.is_empty() => {
            "read the file, then pass context.actual_prev_sha256 as `expected_prev_sha256` to replace it, \
             or write another path"
                .to_owned()
        }
        Error::Blocked { report, .. } if report.begins_before() => format!(
            "{BEGINS_IN_FILE} with `rw_edit_file`, then append the text without what else context.detected lists"
        ),
        Error::Blocked { report, draft, .. } if !report.is_redactable() => {
            let hint = too_large(report, draft.as_deref(), "`append` true");
            in_our_words(&hint.replace(RESET, ""))
        }
        Error::Blocked { report, draft, .. } if report.is_redactable() => match draft.as_deref() {
            Some(Draft::Session { parts, .. }) => of_parts(parts),
            _ => "take out what context.detected lists, then make the call again".to_owned(),
        },
        // No tool of this set meets one.
        Error::Stale { since: Some(since), .. }
            if matches!(since.of, Changed::Checkpoint | Changed::Handoff) =>
        {
            "read it again, and repeat the call with context.actual_prev_sha256 as \
             `expected_prev_sha256`"
                .to_owned()
        }
        Error::OutcomeUnknown { .. }
        | Error::EmptyOldString { .. }
        | Error::Stale { .. }
        | Error::FileNotFound { .. } => in_our_words(&hint(error)),
        Error::NonContiguous { missing, .. } if !missing.is_empty() => {
            "read the file if the last part was sent before, since it may be written already; otherwise send the \
             parts that context.missing lists with `rw_write_part`, then the last one again"
                .to_owned()
        }
        Error::NotUtf8 { is_utf32: true, .. } => hint(error),
        Error::NotUtf8 { nearest: None, .. } => {
            "pass text that occurs in the file, or leave this file to the user".to_owned()
        }
        Error::UnsureEncoding { .. } => {
            "write ASCII only, since the file's encoding is only guessed".to_owned()
        }
        Error::AppendToBinary { .. } => {
            "append to another file, since this one is no text".to_owned()
        }
        Error::CutCharacter { .. } => {
            "tell the user that the file ends inside a character, of which what is appended would become \
             a part"
                .to_owned()
        }
        Error::AmbiguousMatch { .. } => {
            "add the lines around the place that is meant to `old_string` and `new_string`, or pass \
             `replace_all` true to change all of them"
                .to_owned()
        }
        Error::ChunkIndex { .. } => {
            "pass a `part` from 1 to 999; a file that needs more takes larger parts".to_owned()
        }
        Error::ChunkCount { total_expected, .. } => format!(
            "send the last of the kept parts again with `last` true if the file goes on after part \
             {total_expected}, or else send all parts again, from `part` 1 on"
        ),
        Error::IndexExceedsTotal { .. } | Error::NonContiguous { .. } => {
            "send all parts again, from `part` 1 on: more of them are kept than the last one says".to_owned()
        }
        Error::SessionChanges { .. } => {
            "try again when the other program that changes the parts has stopped".to_owned()
        }
        Error::NoChunks { .. } | Error::SessionNotFound { .. } => {
            "send the parts with `rw_write_part`, from `part` 1 on".to_owned()
        }
        Error::ComposedNotUtf8 { .. } | Error::BadManifest { .. } => {
            "send all parts again, from `part` 1 on: a file of them was damaged or edited".to_owned()
        }
        Error::MarkOverValue { old_line, .. } => format!(
            "edit the lines around line {old_line} of the file with `rw_edit_file` and leave that line as it is, since \
             it holds the real value"
        ),
        Error::ReadRange { message, .. } => match message.strip_prefix("bad_regex: ") {
            Some(_) => {
                "correct `pattern`, or put a backslash before each of its signs that is meant as it is"
                    .to_owned()
            }
            None => format!("correct the call: {}", message.replace("query", "pattern")),
        },
        Error::Binary { .. } => {
            "do not read it with this tool, which gives text only: read its bytes with a shell command, or ask \
             the user to start the server with --tools full, which has a tool that gives bytes as base64"
                .to_owned()
        }
        Error::Policy { path, .. } => format!("ask the user to correct {path}"),
        Error::PolicyNotFound { .. } => "ask the user to correct RW_POLICY_FILE".to_owned(),
        other => hint(other),
    }
}

/// What to do about parts that hold what was found.
fn of_parts(parts: &[u32]) -> String {
    let which = match parts {
        [] => "the part that holds it".to_owned(),
        [part] => format!("part {part}"),
        [front @ .., last] => {
            let front: Vec<String> = front.iter().map(u32::to_string).collect();
            format!("parts {} and {last}", front.join(", "))
        }
    };
    format!(
        "send {which} again without what context.detected lists, then the last part again: the other parts are \
         kept"
    )
}

fn in_our_words(hint: &str) -> String {
    INSTEAD.iter().fold(hint.to_owned(), |hint, (theirs, ours)| hint.replace(theirs, ours))
}

fn lines() -> i64 {
    2000
}

fn twenty() -> i64 {
    20
}

fn here() -> String {
    ".".to_owned()
}
