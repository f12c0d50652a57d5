//! Every situation in which a request is not carried out, with the facts that the next actor needs.
//!
//! What an agent should do about each is decided in [`crate::envelope`] and nowhere else.

use std::{fmt, io};

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::edit::{Diagnosis, Nearest};
use crate::near::nearest_one;
use crate::policy;
use crate::redact::Refusal;
use crate::risk;
use crate::validate;

/// What an operation of this library answers.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an argument is refused that has a number which no float can be.
pub(crate) const BEYOND_DOUBLE: &str = "number_beyond_double_precision";

/// Why a list of files is refused whose path is a file.
pub const NO_DIRECTORY: &str = "path must be a directory";

/// Why a query is refused that goes over the end of a line.
pub(crate) const QUERY_OF_ONE_LINE: &str = "query must be part of one line";

/// What a directory is that the user has named, and that was never there.
pub const NEVER_THERE: &str = "not there yet";
/// Where a handoff is, unless a call says otherwise.
pub const HANDOFF: &str = "HANDOFF.md";

/// What a path leads to that is no regular file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAFile {
    /// A directory.
    Directory,
    /// A directory, where one file was to be searched; several take a glob.
    Unsearched,
    /// A FIFO, a socket or a device.
    Special,
    /// One of these, or a link where none is followed.
    SpecialOrLink,
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Left { count, line, kinds } => Self::Unredactable { count, line, kinds },
            Refusal::TooMany { count, most } => Self::RedactionTooLarge { count, most },
            Refusal::Breaks { format, line, message } => {
                Self::RedactionBreaks { format, line, message }
            }
            Refusal::NoSuchFamily { ref name, ref found, .. } => {
                // Another family would take nothing out.
                let near = nearest_one(name, found.iter().map(String::as_str));
                let message = match (near, found.as_slice()) {
                    (Some(near), _) => {
                        format!("no family {name:?}; write {near:?} if that is meant")
                    }
                    (None, []) => refusal.to_string(),
                    (None, _) => {
                        format!("no family {name:?}; the text has findings of {}", found.join(", "))
                    }
                };
                Self::BadArgument { argument: "redact", message }
            }
            other => Self::BadArgument { argument: "redact", message: other.to_string() },
        }
    }
}

impl NotAFile {
    /// What it would have to be, or what it needs as it is.
    fn wanted(self) -> &'static str {
        match self {
            Self::Unsearched => "and a search of a directory needs a glob",
            Self::Directory | Self::Special | Self::SpecialOrLink => "not a regular file",
        }
    }
}

impl fmt::Display for NotAFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Directory | Self::Unsearched => "a directory",

            Self::Special => "a FIFO, socket or device",
            Self::SpecialOrLink => "a link, FIFO, socket or device",
        })
    }
}

/// What leads past a value that a mark would be written over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WayOut {
    /// The call is the redaction of that file, and lacks `keep`.
    Keep,
    /// A redaction of the file takes the value out.
    Redact,
    /// No redaction finds the value.
    Edit,
}

/// Why a request was not carried out. Unless it says otherwise, nothing has changed on disk.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each variant says what its facts are about")]
pub enum Error {
    /// The path is empty.
    #[error("the path is empty")]
    EmptyPath,
    /// The path has a NUL byte or a component that this system cannot name.
    #[error("{path:?} is not a path")]
    InvalidPath { path: String },
    /// The path leads to a file whose real path is no text: rows are text, and recovery would find another file.
    #[error("the real path of {path:?} is not UTF-8")]
    NameNotUtf8 { path: String },
    /// The path is written as a shell or a browser would take it, and cannot be resolved here.
    #[error("{path:?} is {what}")]
    PathForm { path: String, what: &'static str, instead: String },
    /// The path leads out of every workspace.
    #[error("{path:?} leads out of the workspace")]
    EscapesWorkspace { path: String, resolved: String, workspaces: Vec<String> },
    /// The path leads into the state directory or the repository's own.
    #[error("{path:?} is protected")]
    ProtectedPath { path: String },
    /// The path is a FIFO, a socket, a device or a directory.
    #[error("{path:?} is {what}, {}", what.wanted())]
    NotARegularFile { path: String, what: NotAFile },
    /// The path goes through more links than a path may.
    #[error("{path:?} goes through too many links")]
    LinkLoop { path: String },
    /// The file has further names, and replacing it would part them.
    #[error("{path:?} has {links} hard links")]
    HardLinked { path: String, links: u64 },
    /// Nobody may write the file, and replacing it would undo that.
    #[error("{path:?} is read-only")]
    ReadOnly { path: String },
    /// New content that is much shorter than the file has a line that stands for text that it leaves out.
    #[error("line {line} of the new content of {path:?} stands for text that it leaves out")]
    Placeholder {
        path: String,
        line: usize,
        mark: String,
        bytes: u64,
        prev_bytes: u64,
        prev_sha256: Digest,
    },
    /// A parent directory could not be made.
    #[error("cannot make the directories of {path:?}")]
    MakeDirectory { path: String, source: io::Error },
    /// A workspace or state directory is one that holds the system.
    #[error(
        "{program}: refusing to use '{root}' as {}. {}",
        if *is_set || variable.starts_with('-') { variable.as_str() } else { "the workspace" },
        if variable.starts_with('-') {
            "Name your project directory.".to_owned()
        } else if *is_set {
            "Set the variable to your project directory.".to_owned()
        } else {
            format!("It is the working directory: set {variable} to your project directory, or pass -w DIR.")
        }
    )]
    UnsafeRoot {
        root: String,
        variable: String,
        /// Whether somebody has named the directory, which is the working directory otherwise.
        is_set: bool,
        program: &'static str,
    },
    /// The directory of a workspace, or the one that holds the state, is not where its path leads any more.
    #[error("the directory {root:?} is {what}")]
    RootGone { root: String, what: &'static str },
    /// The state directory was written by a later version.
    #[error("the state directory has format {found}, this version knows {known}")]
    NewerFormat { found: String, known: u32 },
    /// The state directory's version is no number.
    #[error("the state directory's format is {found:?}, which is no version")]
    UnknownFormat { found: String },
    /// Something in the state directory is not what this program has made of that name.
    #[error("{path:?} {what}")]
    ForeignState { path: String, what: &'static str },

    /// A file is there that was to be created.
    #[error("{path:?} exists")]
    AlreadyExists {
        path: String,
        sha256: Option<Digest>,
        /// What is known of who has written the file, if it holds the text of this call.
        since: Option<Box<Since>>,
    },
    /// The file is not the one that the caller believes to know.
    #[error("{path:?} {}", match actual {
        None => "does not exist",
        Some(_) if !expected.is_empty() && !Digest::may_be_meant_by(expected) => {
            "is not compared: what is expected is no SHA-256"
        }
        Some(_) if expected.is_empty() => "exists",
        Some(_) => "has changed",
    })]
    Stale { path: String, expected: String, actual: Option<Digest>, since: Option<Box<Since>> },
    /// What was read back is not what was written.
    #[error("{path:?} reads back as other bytes")]
    ReadBack { path: String, expected: Digest, actual: Digest, bytes: u64 },
    /// The draft is likely to be rejected by a content filter.
    #[error("the check for secrets and personal data refuses the content")]
    Blocked {
        path: Option<String>,
        report: Box<risk::Report>,
        by: Blocking,
        reject_at: risk::Verdict,
        retry_budget: u32,
        /// Where the draft is kept; `None` where there was no room for it.
        draft: Option<Box<Draft>>,
    },
    /// The file would have syntax errors, and was to be written only without.
    #[error("{path:?} would have syntax errors: {}", .report.summary)]
    Invalid {
        path: String,
        report: Box<validate::Report>,
        /// The parts of a chunk session in which the errors are, ascending; none for another text.
        parts: Vec<u32>,
    },
    /// The operating system refused.
    #[error("{path:?}: {operation}: {source}")]
    Os { path: String, operation: &'static str, source: io::Error },
    /// The file is longer than what is read into memory as a whole.
    #[error("{path:?} has {bytes} bytes, of which at most {most} are read into memory")]
    TooLarge { path: String, bytes: u64, most: u64 },
    /// The change may or may not have been made; recovery brings file and journal together. From byte `part_from` on
    /// the file may hold a part of it.
    #[error("the disk failed after the change of {path:?} was promised")]
    OutcomeUnknown {
        path: String,
        journal_id: Option<String>,
        part_from: Option<u64>,
        source: io::Error,
    },
    /// An unfinished write of this file could be neither finished nor withdrawn.
    #[error("an unfinished write of {path:?} waits: {reason}")]
    UnitPending { path: String, journal_id: String, reason: String },
    /// Another process has held the workspace for too long, or a file that is to be written where it is.
    #[error("{} stayed locked for {waited_ms} ms", path.as_deref().unwrap_or("the workspace"))]
    Locked { path: Option<String>, waited_ms: u64 },
    /// The client cancelled the call while it waited, or while it searched. It changed nothing.
    #[error("the call was cancelled; it changed nothing")]
    Cancelled,
    /// Another program changed the file each time that a text was to go behind what the file held.
    #[error("another program goes on changing {path:?}")]
    FileChanges { path: String },
    /// A fault in this program.
    #[error("internal fault: {message}")]
    Internal { message: String },

    /// Nothing was given to be replaced.
    #[error("old_string is empty")]
    EmptyOldString { path: String },
    /// No replacement was asked for.
    #[error("count is zero")]
    CountZero { path: String },
    /// The file to be edited is not there.
    #[error("{path:?} does not exist")]
    FileNotFound { path: String, near: Vec<String> },
    /// The file is no text in any encoding that the text to be replaced fits.
    #[error("{path:?} is not UTF-8: {message}")]
    NotUtf8 {
        path: String,
        message: String,
        is_utf32: bool,
        nearest: Option<Box<Nearest>>,
        diagnosis: Box<Diagnosis>,
    },
    /// The file is no text in an encoding that is known, and its text is needed.
    #[error("{path:?} is no text: {message}")]
    NotText { path: String, message: String },
    /// The file's encoding has no such character.
    #[error("{path:?} is {encoding}, which has no {character:?} (line {line} of the new text)")]
    Unencodable { path: String, encoding: String, character: char, offset: usize, line: usize },
    /// The file's encoding is only a guess, and the new text has a character that depends on it.
    #[error("{path:?} is probably {encoding}; that is not sure enough to write {character:?}")]
    UnsureEncoding { path: String, encoding: String, character: char, line: usize },
    /// The file that text was to be added to is no text.
    #[error("{path:?} is {encoding}, to which no text is added")]
    AppendToBinary { path: String, encoding: String },
    /// The file ends inside a character, which text that is added would become a part of.
    #[error("{path:?} ends inside a character of {encoding}")]
    CutCharacter { path: String, encoding: String },
    /// A write names an encoding that is not known.
    #[error("encoding {encoding:?} is not supported")]
    WriteEncoding { encoding: String },
    /// The text to be replaced is not in the file.
    #[error("old_string does not occur in {path:?}")]
    OldStringNotFound {
        path: String,
        old_string: String,
        nearest: Option<Box<Nearest>>,
        diagnosis: Box<Diagnosis>,
    },
    /// It occurs less often than it was to be replaced.
    #[error("old_string occurs {actual} times in {path:?}, {expected} were expected")]
    InsufficientMatches { path: String, old_string: String, expected: i64, actual: u64 },
    /// It occurs more often than it was to be replaced.
    #[error("old_string occurs {actual} times in {path:?}, {expected} were expected")]
    AmbiguousMatch { path: String, old_string: String, expected: i64, actual: u64, lines: Vec<u64> },

    /// The name of a chunk session has other characters or another length.
    #[error("{session:?} is not a session name")]
    SessionName { session: String },
    /// The part's number is out of range.
    #[error("part number {index} is not in 1..=999")]
    ChunkIndex { session: String, index: i64 },
    /// The total is out of range.
    #[error("a total of {total_expected} is not in 1..=999")]
    TotalExpected { session: String, total_expected: i64 },
    /// The part's number is beyond the total.
    #[error("part {index} is beyond the total of {total_expected}")]
    IndexExceedsTotal { session: String, index: i64, total_expected: i64 },
    /// There is no such session.
    #[error("there is no chunk session {session:?}")]
    SessionNotFound { session: String, near: Vec<String>, composed: Option<Box<Composed>> },
    /// The session has no parts.
    #[error("chunk session {session:?} has no parts")]
    NoChunks { session: String, near: Vec<String>, composed: Option<Box<Composed>> },
    /// The part that is expected is gone: the session was composed, and has none.
    #[error("chunk session {session:?} was composed into {:?} and has no such part", composed.path)]
    SessionComposed { session: String, expected: String, composed: Box<Composed> },
    /// The session was begun again, and its parts would replace the file that it was composed into before.
    #[error("chunk session {session:?} was begun again after it had been composed into {path:?}")]
    ComposedBefore { session: String, path: String, actual: Digest, composed: Box<Composed> },
    /// The caller does not know the parts as they are: what it sends could make a mixture with those of another caller.
    #[error("the parts of chunk session {:?} are not those that part {} follows", .0.session, .0.part)]
    PartsUnknown(Box<UnknownParts>),
    /// An earlier part of the caller was refused, and the parts that are there are not those that it means.
    #[error(
        "an earlier part of chunk session {session:?} was refused: part {part} does not follow the kept parts"
    )]
    AfterRefusedPart {
        session: String,
        part: u32,
        /// The part that was refused, if it may be sent again.
        refused: Option<u32>,
        are_kept: bool,
    },
    /// Parts are missing in between.
    #[error("chunk session {session:?} lacks parts {missing:?}")]
    NonContiguous {
        session: String,
        have: Vec<u32>,
        missing: Vec<u32>,
        unexpected: Option<Vec<u32>>,
        /// How many parts were announced.
        total_expected: Option<u32>,
    },
    /// There are more or fewer parts than announced.
    #[error("chunk session {session:?} has {have} parts of {total_expected}")]
    ChunkCount { session: String, have: usize, total_expected: u32 },
    /// Another program changed the session each time that it was to be removed with a compose.
    #[error("another program goes on changing chunk session {session:?}")]
    SessionChanges { session: String },
    /// The parts together are no text.
    #[error("the parts of {session:?} do not make UTF-8: {message}")]
    ComposedNotUtf8 { session: String, message: String },
    /// The session's manifest cannot be read.
    #[error("the manifest {manifest:?} is damaged: {reason}")]
    BadManifest { session: String, manifest: String, reason: String },

    /// The text is no base64.
    #[error("bad base64: {message}")]
    BadBase64 { message: String },
    /// The name of an encoding is not known.
    #[error("encoding {encoding:?} is not supported")]
    UnsupportedEncoding { encoding: String },
    /// A reference names neither digest nor label.
    #[error("neither sha256 nor label is given")]
    NoReference,
    /// The text is no digest.
    #[error("{sha256:?} is not a lower-case sha256")]
    BadDigest { sha256: String },
    /// The scratchpad has no such entry.
    #[error("the scratchpad has no such entry")]
    ScratchNotFound {
        sha256: Option<String>,
        label: Option<String>,
        asked_both: bool,
        /// Whether the call was to remove it.
        is_done: bool,
    },
    /// The content was taken out of the scratchpad.
    #[error("{sha256} was removed from the scratchpad at {removed_at}")]
    ScratchRemoved {
        sha256: Digest,
        removed_at: String,
        removed_for: &'static str,
        /// Whether the call was to remove it.
        is_done: bool,
    },
    /// Reading the scratchpad is switched off.
    #[error("reading the scratchpad is switched off")]
    ScratchGetDisabled,
    /// The kept bytes are no longer those that were put.
    #[error("the kept bytes of {sha256} have changed")]
    ScratchDrift { sha256: Digest, actual: Digest },
    /// The kept bytes are no text.
    #[error("the kept bytes are not UTF-8: {message}")]
    ScratchNotUtf8 { sha256: Digest, message: String },

    /// The handoff lacks required fields.
    #[error("the handoff lacks {missing_fields:?}")]
    HandoffFields { missing_fields: Vec<&'static str> },
    /// The handoff's status is none of the four.
    #[error("{status} is no handoff status")]
    HandoffStatus { status: serde_json::Value },
    /// A field of the handoff is no list.
    #[error("{field} is not a list")]
    HandoffNotAList { field: &'static str },
    /// An entry of `last_good_state` lacks its path or digest.
    #[error("last_good_state[{index}] needs path and sha256")]
    HandoffState { index: usize },
    /// The handoff's front matter cannot be read.
    #[error("the handoff {path:?} is damaged: {reason}")]
    FrontMatter { path: String, reason: String },
    /// There is no such file to read.
    #[error("{path:?} does not exist")]
    NotFound { path: String, near: Vec<String> },

    /// The checkpoint's name has other characters or another length.
    #[error("{name:?} is not a checkpoint name")]
    CheckpointName { name: String },
    /// The checkpoint's format is none of the three.
    #[error("{format:?} is no checkpoint format")]
    CheckpointFormat { format: String },
    /// The checkpoint's time to live cannot be read.
    #[error("{ttl:?} is no time to live")]
    CheckpointTtl { ttl: String },
    /// There is no such checkpoint.
    #[error("there is no checkpoint {name:?}")]
    CheckpointNotFound { name: String, near: Vec<String> },
    /// The checkpoint's file cannot be read.
    #[error("checkpoint {name:?} is damaged: {reason}")]
    CheckpointCorrupt { name: String, reason: String },

    /// Something that was to be taken out of a text is still found in what is left.
    #[error("{count} of the findings would remain, the first in line {line}")]
    Unredactable { count: usize, line: usize, kinds: Vec<String> },
    /// More is to be taken out of a text than one redaction does.
    #[error("{count} places are to be redacted, and one call takes {most}")]
    RedactionTooLarge { count: usize, most: usize },
    /// Without its secrets the text would no longer be valid, and it was.
    #[error("without its secrets the text is no valid {format}: {message}")]
    RedactionBreaks { format: &'static str, line: usize, message: String },
    /// A mark, or a look-up, would be written over the value that it stands for.
    #[error("{path:?} has a value in line {old_line} where the new text has a mark")]
    MarkOverValue { path: String, mark: String, line: usize, old_line: usize, way_out: WayOut },
    /// A read does not accept a number, query or glob.
    #[error("{message}")]
    ReadRange { message: String, facts: Vec<(&'static str, u64)> },
    /// A read names an encoding that is not known, or in which a window cannot begin anywhere.
    #[error("encoding {encoding:?} is not supported")]
    ReadEncoding { encoding: String },
    /// Bytes that were to be text in an encoding are not.
    #[error("the byte at {offset} of {path:?} is no {encoding}")]
    Undecodable { path: String, encoding: String, offset: u64 },
    /// The file is no text, and lines of it were asked for.
    #[error("{path:?} is a binary file of {size} bytes: it has no lines")]
    Binary { path: String, size: u64, head: Vec<u8> },
    /// The text is no cursor.
    #[error("Cursor token is invalid")]
    CursorDecode,
    /// No workspace has the file that a cursor is of.
    #[error("the file of this cursor is not there")]
    CursorLost,
    /// The file is not the one that a cursor is of.
    #[error("{:?} has changed since the cursor was made", .0.path)]
    CursorStale(Box<Drift>),

    /// The policy file cannot be used.
    #[error("the policy {path:?} cannot be used: {source}")]
    Policy { path: String, place: Option<policy::Place>, source: policy::PolicyError },
    /// The policy file that the user has named is not there.
    #[error("the policy {path:?} is not there")]
    PolicyNotFound { path: String },
    /// An argument has a value that the tool does not take.
    #[error("{argument}: {message}")]
    BadArgument { argument: &'static str, message: String },

    /// The request must wait for the batch in front of it; never leaves the committer.
    #[error("deferred to the next batch")]
    #[doc(hidden)]
    Deferred,
}

/// By what a draft is blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocking {
    /// The score of the whole.
    Score,
    /// A finding whose own level is high; the policy refuses any.
    Secret,
}

/// A draft that is not kept anywhere. It is not shown where an error is logged.
#[derive(Clone, PartialEq, Eq)]
pub struct Unkept {
    /// The draft.
    pub content: String,
    /// Whether it is the new text of an edit, and so no file.
    pub is_edit: bool,
}

impl fmt::Debug for Unkept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unkept({} bytes)", self.content.len())
    }
}

/// Where a blocked draft is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Draft {
    /// Nowhere but here. [`crate::Workspace`] keeps it and answers with its digest.
    Here(Unkept),
    /// In the scratchpad.
    Scratch(Digest),
    /// In the scratchpad: a text of which a redaction was to take out a part. What it leaves is still refused.
    Rest(Digest),
    /// In the scratchpad: the new text of an edit. Written as a file it would take the place of all the rest.
    Edit(Digest),
    /// In the scratchpad: the data of a checkpoint or a handoff, which no file takes as it is.
    Record(Digest),
    /// In the scratchpad, which gives nothing back: for the user.
    Sealed(Digest),
    /// In the parts of a session, which were to be composed.
    Session {
        /// The session's name.
        session: String,
        /// What was to stand between the parts.
        separator: String,
        /// The file that was to be written.
        output_path: String,
        /// Digest of the file that is there.
        existing: Option<Digest>,
        /// The numbers of the parts in which something was found, ascending.
        parts: Vec<u32>,
    },
}

/// What is known of the change that has made a file another one than the caller expects.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Since {
    /// What has changed.
    #[serde(skip)]
    pub of: Changed,
    /// Whether it is now what the call wants to write.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub already_written: bool,
    /// `resilient_write` if the journal has the change, else `outside`.
    pub changed_by: &'static str,
    /// Who has made the change.
    #[serde(skip)]
    pub author: Author,
    /// The newest row of the file; the change, if the journal has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_write: Option<LastWrite>,
    /// What changed, as a unified diff, where the expected content is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// How often the text to be replaced occurs in the file as it is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_count: Option<u64>,
    /// Whether the edit would be made in the file as it is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub still_applies: Option<bool>,
    /// Whether the edit is what has changed the file: with the old text put back it is the expected one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub already_applied: bool,
    /// The lines on which the new text begins, if the edit was made or may have been: the first fifty.
    #[serde(rename = "new_string_lines", skip_serializing_if = "Vec::is_empty")]
    pub new_lines: Vec<u64>,
    /// What is known of the text to be replaced if it does not occur any more.
    #[serde(flatten)]
    pub missing: Option<Box<Missing>>,
}

/// What is known of a text that does not occur in a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Missing {
    /// The part of the file that comes closest, if any comes close.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Box<Nearest>>,
    /// What else shows why it does not.
    #[serde(flatten)]
    pub diagnosis: Box<Diagnosis>,
}

/// Who has made a change, as the caller of another one sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Author {
    /// The caller itself: the same client in the same session.
    Caller,
    /// A client of the caller's name in another session: the caller before it connected again, or another client.
    Namesake,
    /// Another client.
    Other,
    /// Another program: the journal does not have the change.
    #[default]
    Outside,
}

/// What a caller expects to be another one than it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Changed {
    /// A file.
    #[default]
    File,
    /// The last part of a chunk session, which the next one follows.
    Part,
    /// The part of a chunk session that has the number.
    NumberedPart,
    /// A checkpoint.
    Checkpoint,
    /// A handoff.
    Handoff,
}

/// The file that a chunk session was composed into.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of a journal row")]
pub struct Composed {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub journal_id: String,
    pub path: String,
    pub sha256: String,
    pub ts: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
}

impl Composed {
    /// Whether two are of one compose. A manifest of an earlier version names no client.
    pub(crate) fn is_same_as(&self, other: &Self) -> bool {
        self.journal_id == other.journal_id && self.path == other.path && self.ts == other.ts
    }
}

/// The parts of a chunk session that a caller does not know as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownParts {
    /// The session's name.
    pub session: String,
    /// The part that was refused.
    pub part: u32,
    /// Why the caller does not know them.
    pub why: WhyUnknown,
    /// The row by which somebody else has changed them; the newest row of the session, if the caller has not listed them.
    pub last_write: Option<LastWrite>,
    /// The parts that are there.
    pub parts: Vec<PartBy>,
    /// The file that the part is in already, with the text that was sent.
    pub composed: Option<Composed>,
}

/// Why a caller does not know the parts of a chunk session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyUnknown {
    /// It has neither sent nor listed a part in this session of its client, or the server has forgotten it.
    NotListed,
    /// Somebody else has begun anew since.
    BegunAnew,
    /// Somebody else has added or replaced a part since, or composed the parts.
    Changed,
}

/// A part of a chunk session, and who has written it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields of a journal row, and the number of the part")]
pub struct PartBy {
    pub index: u32,
    pub bytes: u64,
    pub sha256: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// The newest write of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the fields of a journal row")]
pub struct LastWrite {
    pub journal_id: String,
    pub ts: String,
    pub mode: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

/// How a file has changed under a cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the others are what they are called")]
pub struct Drift {
    pub path: String,
    pub offset: u64,
    pub expected_size: u64,
    pub actual_size: u64,
    pub expected_mtime_ns: i64,
    pub actual_mtime_ns: i64,
    /// `appended`, `unread_part`, `read_part` or `unknown`: what has changed, as far as it is known.
    pub drift: &'static str,
    /// A cursor at the same offset of the file as it is now, where what was read still stands.
    pub cursor: Option<String>,
}

impl Error {
    /// A number or a text that a read does not take.
    pub(crate) fn range(message: impl Into<String>) -> Self {
        Self::ReadRange { message: message.into(), facts: Vec::new() }
    }

    /// Whether an error says that this process, or the system, has too many files open. It passes,
    /// and says nothing of the file.
    pub(crate) fn is_exhaustion(source: &io::Error) -> bool {
        // EMFILE and ENFILE; ERROR_TOO_MANY_OPEN_FILES.
        let codes: &[i32] = if cfg!(windows) { &[4] } else { &[24, 23] };
        source.raw_os_error().is_some_and(|code| codes.contains(&code))
    }

    /// Whether the request failed for that reason.
    pub(crate) fn is_exhausted(&self) -> bool {
        match self {
            Self::Os { source, .. } | Self::MakeDirectory { source, .. } => {
                Self::is_exhaustion(source)
            }
            _ => false,
        }
    }

    /// Whether an error says that the disk is full, or the user's share of it.
    pub(crate) fn is_full(source: &io::Error) -> bool {
        matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    }

    /// Adds the path and the deed to what the operating system said.
    pub(crate) fn os(path: impl Into<String>, operation: &'static str, source: io::Error) -> Self {
        Self::Os { path: path.into(), operation, source }
    }
}
