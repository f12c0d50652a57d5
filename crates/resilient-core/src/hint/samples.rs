//! An error of each kind, for tests of what is said about them.

use std::io;

use crate::digest::Digest;
use crate::edit::{Diagnosis, Mistake, Nearest};
use crate::error::{
    Author, Blocking, Changed, Composed, Draft, Drift, Error, LastWrite, NO_DIRECTORY, NotAFile,
    PartBy, Since, UnknownParts, WayOut, WhyUnknown,
};
use crate::policy::PolicyError;
use crate::risk::{self, Verdict};
use crate::validate;

/// Gives a sample for each pattern, and does not compile when a variant has none.
macro_rules! a_sample_for_every {
    ($($variant:ident $fields:tt => [$($sample:expr),+ $(,)?]),+ $(,)?) => {
        /// Names the variant of an error.
        #[must_use]
        pub fn variant(error: &Error) -> &'static str {
            match error {
                $(pattern!($variant $fields) => stringify!($variant),)+
            }
        }

        /// One error or more of every variant.
        #[must_use]
        pub fn samples() -> Vec<Error> {
            vec![$($($sample),+),+]
        }
    };
}

macro_rules! pattern {
    ($variant:ident { }) => {
        Error::$variant
    };
    ($variant:ident { .. }) => {
        Error::$variant { .. }
    };
    ($variant:ident ( .. )) => {
        Error::$variant(..)
    };
}

fn text() -> String {
    "a.txt".to_owned()
}

fn os(errno: i32) -> io::Error {
    io::Error::from_raw_os_error(errno)
}

fn not_utf8(is_utf32: bool) -> Error {
    let diagnosis = Box::default();
    Error::NotUtf8 { path: text(), message: text(), is_utf32, nearest: None, diagnosis }
}

fn blocked(content: &str, draft: Option<Draft>) -> Error {
    Error::Blocked {
        path: Some(text()),
        report: Box::new(risk::score(content, &risk::Policy::default())),
        by: Blocking::Score,
        reject_at: Verdict::Low,
        retry_budget: 3,
        draft: draft.map(Box::new),
    }
}

/// Refused for what begins in the file.
fn begun(draft: Option<Draft>) -> Error {
    let policy = risk::Policy::default();
    let secret = secret();
    let (front, back) = secret.split_at(10);
    let report = risk::as_of_text(risk::score_appended(front, back, &policy), 10, back, &policy);
    match blocked("", draft) {
        Error::Blocked { path, by, reject_at, retry_budget, draft, .. } => {
            Error::Blocked { path, report: Box::new(report), by, reject_at, retry_budget, draft }
        }
        other => other,
    }
}

fn secret() -> String {
    ["AK", "IA", "ABCDEFGHIJKLMNOP"].concat()
}

/// A vendor's prefix with a dummy behind.
fn dummy() -> String {
    ["sk-", "ant-", "oat01-{REDACTED}"].concat()
}

fn stale(actual: Option<Digest>, since: Option<Since>) -> Error {
    Error::Stale { path: text(), expected: "0".repeat(64), actual, since: since.map(Box::new) }
}

fn written(author: Author) -> Since {
    let last_write = Some(LastWrite::default());
    Since { already_written: true, author, last_write, ..Since::default() }
}

fn not_found(nearest: Option<Nearest>, diagnosis: Diagnosis) -> Error {
    let (path, old_string) = (text(), "old".to_owned());
    Error::OldStringNotFound {
        path,
        old_string,
        nearest: nearest.map(Box::new),
        diagnosis: Box::new(diagnosis),
    }
}

fn nearest(suggested_old_string: Option<String>) -> Nearest {
    Nearest {
        start_line: 1,
        end_line: 1,
        text: None,
        equal_lines: Vec::new(),
        differs: Vec::new(),
        suggested_old_string,
        suggestion_neighbours: 0,
        similarity: 1.0,
    }
}

fn parts_unknown(why: WhyUnknown, parts: usize, composed: Option<Composed>) -> Error {
    let parts = vec![PartBy::default(); parts];
    let last_write = Some(LastWrite::default());
    let unknown = UnknownParts { session: text(), part: 2, why, last_write, parts, composed };
    Error::PartsUnknown(Box::new(unknown))
}

fn composed() -> Composed {
    Composed { journal_id: text(), path: text(), sha256: text(), ts: text(), client: None }
}

fn mistaken(mistake: Mistake) -> Error {
    not_found(None, Diagnosis { mistakes: vec![mistake], ..Diagnosis::default() })
}

fn drift(drift: &'static str, cursor: Option<String>) -> Error {
    Error::CursorStale(Box::new(Drift {
        path: text(),
        offset: 1,
        expected_size: 2,
        actual_size: 3,
        expected_mtime_ns: 4,
        actual_mtime_ns: 5,
        drift,
        cursor,
    }))
}

fn mark_over_value(way_out: WayOut) -> Error {
    Error::MarkOverValue { path: text(), mark: text(), line: 1, old_line: 2, way_out }
}

fn invalid(parts: Vec<u32>) -> Error {
    let report = Box::new(validate::validate("{", Some(validate::Format::Json), None));
    Error::Invalid { path: text(), report, parts }
}

fn parts(have: Vec<u32>, missing: Vec<u32>, total_expected: Option<u32>) -> Error {
    Error::NonContiguous { session: text(), have, missing, unexpected: None, total_expected }
}

fn beyond(have: Vec<u32>, missing: Vec<u32>, total: u32) -> Error {
    let unexpected = Some(have.iter().copied().filter(|index| *index > total).collect());
    Error::NonContiguous { session: text(), have, missing, unexpected, total_expected: Some(total) }
}

a_sample_for_every! {
    EmptyPath {} => [Error::EmptyPath],
    InvalidPath { .. } => [Error::InvalidPath { path: text() }],
    NameNotUtf8 { .. } => [Error::NameNotUtf8 { path: text() }],
    PathForm { .. } => [Error::PathForm {
        path: "~/a".to_owned(), what: "a path of a shell", instead: "an absolute path".to_owned(),
    }],
    EscapesWorkspace { .. } => [Error::EscapesWorkspace {
        path: text(), resolved: "/x".to_owned(), workspaces: vec!["/w".to_owned()],
    }],
    ProtectedPath { .. } => [Error::ProtectedPath { path: text() }],
    NotARegularFile { .. } => [
        Error::NotARegularFile { path: text(), what: NotAFile::Directory },
        Error::NotARegularFile { path: text(), what: NotAFile::Unsearched },
        Error::NotARegularFile { path: text(), what: NotAFile::Special },
    ],
    LinkLoop { .. } => [Error::LinkLoop { path: text() }],
    HardLinked { .. } => [Error::HardLinked { path: text(), links: 2 }],
    ReadOnly { .. } => [Error::ReadOnly { path: text() }],
    Placeholder { .. } => [Error::Placeholder {
        path: text(), line: 2, mark: "# ...".to_owned(), bytes: 10, prev_bytes: 1000,
        prev_sha256: Digest::of(b""),
    }],
    MakeDirectory { .. } => [
        Error::MakeDirectory { path: text(), source: os(20) },
        Error::MakeDirectory { path: text(), source: os(28) },
    ],
    UnsafeRoot { .. } => [
        Error::UnsafeRoot {
            root: "/etc".to_owned(),
            variable: "RW_WORKSPACE".to_owned(),
            is_set: true,
            program: "resilient-write",
        },
        Error::UnsafeRoot {
            root: "/".to_owned(),
            variable: "RW_STATE_DIR".to_owned(),
            is_set: false,
            program: "resilient-write",
        },
    ],
    RootGone { .. } => [Error::RootGone { root: "/w".to_owned(), what: "not there" }],
    UnknownFormat { .. } => [Error::UnknownFormat { found: text() }],
    ForeignState { .. } => [Error::ForeignState { path: text(), what: "has another name" }],
    NewerFormat { .. } => [Error::NewerFormat { found: "9".to_owned(), known: 1 }],
    AlreadyExists { .. } => [
        Error::AlreadyExists { path: text(), sha256: None, since: None },
        Error::AlreadyExists { path: text(), sha256: Some(Digest::of(b"")), since: None },
        Error::AlreadyExists {
            path: text(), sha256: Some(Digest::of(b"")), since: Some(Box::new(written(Author::Caller))),
        },
    ],
    Stale { .. } => [
        stale(None, None),
        stale(Some(Digest::of(b"")), None),
        stale(Some(Digest::of(b"")), Some(Since { diff: Some(text()), ..Since::default() })),
        stale(Some(Digest::of(b"")), Some(Since { still_applies: Some(true), ..Since::default() })),
        stale(Some(Digest::of(b"")), Some(written(Author::Caller))),
        stale(Some(Digest::of(b"")), Some(written(Author::Namesake))),
        stale(Some(Digest::of(b"")), Some(written(Author::Other))),
        stale(Some(Digest::of(b"")), Some(written(Author::Outside))),
        stale(Some(Digest::of(b"")), Some(Since { already_applied: true, ..Since::default() })),
        stale(Some(Digest::of(b"")), Some(Since { new_lines: vec![1], ..Since::default() })),
        stale(Some(Digest::of(b"")), Some(Since { of: Changed::Part, ..Since::default() })),
        stale(Some(Digest::of(b"")), Some(Since { of: Changed::NumberedPart, ..Since::default() })),
        stale(
            Some(Digest::of(b"")),
            Some(Since { of: Changed::Part, already_written: true, ..Since::default() }),
        ),
        stale(
            Some(Digest::of(b"")),
            Some(Since { missing: Some(Box::default()), ..Since::default() }),
        ),
        stale(
            Some(Digest::of(b"")),
            Some(Since { of: Changed::Checkpoint, ..Since::default() }),
        ),
        stale(Some(Digest::of(b"")), Some(Since { of: Changed::Handoff, ..Since::default() })),
        Error::Stale {
            path: text(), expected: "none".to_owned(), actual: Some(Digest::of(b"")), since: None,
        },
    ],
    ReadBack { .. } => [Error::ReadBack {
        path: text(), expected: Digest::of(b""), actual: Digest::of(b"a"), bytes: 1,
    }],
    Blocked { .. } => [
        blocked(&secret(), None),
        blocked(&secret(), Some(Draft::Scratch(Digest::of(b"")))),
        blocked(&dummy(), Some(Draft::Scratch(Digest::of(b"")))),
        blocked(&secret(), Some(Draft::Rest(Digest::of(b"")))),
        blocked(&secret(), Some(Draft::Edit(Digest::of(b"")))),
        blocked(&secret(), Some(Draft::Record(Digest::of(b"")))),
        blocked(&secret(), Some(Draft::Sealed(Digest::of(b"")))),
        blocked(
            &secret(),
            Some(Draft::Session {
                session: text(), separator: String::new(), output_path: text(), existing: None,
                parts: vec![1],
            }),
        ),
        blocked(&"x".repeat(200_000), None),
        blocked(&"x\n".repeat(6_000), Some(Draft::Scratch(Digest::of(b"")))),
        blocked(&"x\n".repeat(6_000), Some(Draft::Edit(Digest::of(b"")))),
        blocked(&"x\n".repeat(6_000), Some(Draft::Record(Digest::of(b"")))),
        blocked(
            &"x\n".repeat(6_000),
            Some(Draft::Session {
                session: text(), separator: String::new(), output_path: text(), existing: None,
                parts: vec![],
            }),
        ),
        begun(None),
        begun(Some(Draft::Scratch(Digest::of(b"")))),
    ],
    Invalid { .. } => [invalid(Vec::new()), invalid(vec![2])],
    TooLarge { .. } => [Error::TooLarge { path: text(), bytes: 2, most: 1 }],
    Os { .. } => [
        Error::os(text(), "read", io::ErrorKind::OutOfMemory.into()),
        Error::os(text(), "write", os(1)),
        Error::os(text(), "write", os(5)),
        Error::os(text(), "open", os(24)),
        Error::os(text(), "write", os(27)),
        Error::os(text(), "write", os(28)),
        Error::os(text(), "write", os(30)),
        Error::os(text(), "write", os(36)),
        Error::os(text(), "write", os(122)),
        Error::os(text(), "rename", os(16)),
        Error::os(text(), "exchange", os(18)),
        Error::os(text(), "write", io::Error::other("odd")),
    ],
    OutcomeUnknown { .. } => [
        Error::OutcomeUnknown { path: text(), journal_id: None, part_from: None, source: os(5) },
        Error::OutcomeUnknown { path: text(), journal_id: None, part_from: Some(7), source: os(5) },
    ],
    UnitPending { .. } => [Error::UnitPending { path: text(), journal_id: text(), reason: text() }],
    Locked { .. } => [
            Error::Locked { path: None, waited_ms: 30_000 },
            Error::Locked { path: Some(text()), waited_ms: 30_000 },
        ],
    Cancelled {} => [Error::Cancelled],
    FileChanges { .. } => [Error::FileChanges { path: text() }],
    Internal { .. } => [Error::Internal { message: text() }],
    EmptyOldString { .. } => [Error::EmptyOldString { path: text() }],
    CountZero { .. } => [Error::CountZero { path: text() }],
    FileNotFound { .. } => [
        Error::FileNotFound { path: text(), near: Vec::new() },
        Error::FileNotFound { path: text(), near: vec!["b.txt".to_owned()] },
    ],
    NotUtf8 { .. } => [not_utf8(false), not_utf8(true)],
    NotText { .. } => [Error::NotText { path: text(), message: text() }],
    Unencodable { .. } => [Error::Unencodable {
        path: text(), encoding: "windows-1252".to_owned(), character: 'x', offset: 1,
        line: 1,
    }],
    UnsureEncoding { .. } => [Error::UnsureEncoding {
        path: text(), encoding: text(), character: 'x', line: 1,
    }],
    AppendToBinary { .. } => [
        Error::AppendToBinary { path: text(), encoding: text() },
        Error::AppendToBinary { path: text(), encoding: "utf-32".to_owned() },
    ],
    CutCharacter { .. } => [Error::CutCharacter { path: text(), encoding: text() }],
    WriteEncoding { .. } => [Error::WriteEncoding { encoding: text() }],
    OldStringNotFound { .. } => [
        not_found(None, Diagnosis::default()),
        not_found(Some(nearest(None)), Diagnosis::default()),
        not_found(Some(nearest(Some(text()))), Diagnosis::default()),
        not_found(None, Diagnosis { new_lines: vec![1], ..Diagnosis::default() }),
        not_found(None, Diagnosis { already_applied: true, ..Diagnosis::default() }),
        not_found(None, Diagnosis { may_be_deleted: true, ..Diagnosis::default() }),
        not_found(None, Diagnosis { empty_file: true, ..Diagnosis::default() }),
        mistaken(Mistake::HtmlEntities),
        mistaken(Mistake::LiteralEscapes),
        mistaken(Mistake::Placeholder),
        mistaken(Mistake::LineNumbers),
        mistaken(Mistake::DiffSigns),
        mistaken(Mistake::CodeFence),
        not_found(
            Some(nearest(Some(text()))),
            Diagnosis {
                mistakes: vec![Mistake::LineNumbers], corrected_lines: vec![1],
                ..Diagnosis::default()
            },
        ),
    ],
    InsufficientMatches { .. } => [Error::InsufficientMatches {
        path: text(), old_string: text(), expected: 3, actual: 2,
    }],
    AmbiguousMatch { .. } => [Error::AmbiguousMatch {
        path: text(), old_string: text(), expected: 1, actual: 2, lines: vec![1, 2],
    }],
    SessionName { .. } => [Error::SessionName { session: "a b".to_owned() }],
    ChunkIndex { .. } => [
        Error::ChunkIndex { session: text(), index: 0 },
        Error::ChunkIndex { session: text(), index: 1000 },
    ],
    TotalExpected { .. } => [Error::TotalExpected { session: text(), total_expected: 0 }],
    IndexExceedsTotal { .. } => [Error::IndexExceedsTotal {
        session: text(), index: 3, total_expected: 2,
    }],
    SessionComposed { .. } => [
        Error::SessionComposed { session: text(), expected: text(), composed: Box::new(composed()) },
    ],
    ComposedBefore { .. } => [Error::ComposedBefore {
        session: text(), path: text(), actual: Digest::of(b""), composed: Box::new(composed()),
    }],
    AfterRefusedPart { .. } => [
        Error::AfterRefusedPart { session: text(), part: 2, refused: None, are_kept: true },
        Error::AfterRefusedPart { session: text(), part: 2, refused: None, are_kept: false },
        Error::AfterRefusedPart { session: text(), part: 3, refused: Some(2), are_kept: true },
    ],
    PartsUnknown { .. } => [
        parts_unknown(WhyUnknown::BegunAnew, 1, None),
        parts_unknown(WhyUnknown::BegunAnew, 1, Some(composed())),
        parts_unknown(WhyUnknown::BegunAnew, 0, None),
        parts_unknown(WhyUnknown::Changed, 1, None),
        parts_unknown(WhyUnknown::NotListed, 1, None),
        parts_unknown(WhyUnknown::NotListed, 1, Some(composed())),
    ],
    SessionNotFound { .. } => [
        Error::SessionNotFound { session: text(), near: vec![text()], composed: None },
        Error::SessionNotFound {
            session: text(),
            near: Vec::new(),
            composed: Some(Box::new(composed())),
        },
    ],
    NoChunks { .. } => [
        Error::NoChunks { session: text(), near: vec![text()], composed: None },
        Error::NoChunks {
            session: text(), near: vec![],
            composed: Some(Box::new(composed())),
        },
    ],
    NonContiguous { .. } => [
        parts(vec![1, 3], vec![2], None),
        parts(vec![1, 3], vec![2], Some(2)),
        parts(vec![1], Vec::new(), None),
        beyond(vec![1, 3], vec![2], 1),
    ],
    ChunkCount { .. } => [
        Error::ChunkCount { session: text(), have: 2, total_expected: 3 },
        Error::ChunkCount { session: text(), have: 3, total_expected: 2 },
    ],
    SessionChanges { .. } => [Error::SessionChanges { session: text() }],
    ComposedNotUtf8 { .. } => [Error::ComposedNotUtf8 { session: text(), message: text() }],
    BadManifest { .. } => [Error::BadManifest { session: text(), manifest: text(), reason: text() }],
    BadBase64 { .. } => [Error::BadBase64 { message: text() }],
    UnsupportedEncoding { .. } => [Error::UnsupportedEncoding { encoding: text() }],
    NoReference {} => [Error::NoReference],
    BadDigest { .. } => [Error::BadDigest { sha256: text() }],
    ScratchNotFound { .. } => [
        Error::ScratchNotFound { sha256: None, label: None, asked_both: false, is_done: false },
        Error::ScratchNotFound { sha256: None, label: None, asked_both: true, is_done: true },
    ],
    ScratchRemoved { .. } => [
        Error::ScratchRemoved {
            sha256: Digest::of(b""), removed_at: text(), removed_for: "age", is_done: false,
        },
        Error::ScratchRemoved {
            sha256: Digest::of(b""), removed_at: text(), removed_for: "asked", is_done: true,
        },
    ],
    ScratchGetDisabled {} => [Error::ScratchGetDisabled],
    ScratchDrift { .. } => [Error::ScratchDrift { sha256: Digest::of(b""), actual: Digest::of(b"a") }],
    ScratchNotUtf8 { .. } => [Error::ScratchNotUtf8 { sha256: Digest::of(b""), message: text() }],
    HandoffFields { .. } => [Error::HandoffFields { missing_fields: vec!["task_id", "status"] }],
    HandoffStatus { .. } => [Error::HandoffStatus { status: "odd".into() }],
    HandoffNotAList { .. } => [Error::HandoffNotAList { field: "next_steps" }],
    HandoffState { .. } => [Error::HandoffState { index: 0 }],
    FrontMatter { .. } => [Error::FrontMatter { path: text(), reason: text() }],
    NotFound { .. } => [
        Error::NotFound { path: text(), near: Vec::new() },
        Error::NotFound { path: text(), near: vec!["b.txt".to_owned(), "c/a.txt".to_owned()] },
    ],
    CheckpointName { .. } => [Error::CheckpointName { name: "a b".to_owned() }],
    CheckpointFormat { .. } => [Error::CheckpointFormat { format: text() }],
    CheckpointTtl { .. } => [Error::CheckpointTtl { ttl: text() }],
    CheckpointNotFound { .. } => [Error::CheckpointNotFound { name: text(), near: Vec::new() }],
    CheckpointCorrupt { .. } => [Error::CheckpointCorrupt { name: text(), reason: text() }],
    Unredactable { .. } => [Error::Unredactable { count: 1, line: 2, kinds: vec![text()] }],
    RedactionTooLarge { .. } => [Error::RedactionTooLarge { count: 50_001, most: 50_000 }],
    RedactionBreaks { .. } => [Error::RedactionBreaks { format: "json", line: 2, message: text() }],
    MarkOverValue { .. } => [
        mark_over_value(WayOut::Keep), mark_over_value(WayOut::Redact), mark_over_value(WayOut::Edit),
    ],
    ReadRange { .. } => [
        Error::range("max_lines must be between 1 and 5000"),
        Error::range("query must not be empty"),
        Error::range(NO_DIRECTORY),
        Error::range("from_line needs from_path where there are several files"),
        Error::range("bad_glob: a fault"),
        Error::range("bad_regex: a fault"),
    ],
    ReadEncoding { .. } => [Error::ReadEncoding { encoding: text() }],
    Undecodable { .. } => [Error::Undecodable { path: text(), encoding: text(), offset: 1 }],
    Binary { .. } => [Error::Binary { path: text(), size: 1, head: vec![0] }],
    CursorLost {} => [Error::CursorLost],
    CursorDecode {} => [Error::CursorDecode],
    CursorStale ( .. ) => [
        drift("appended", Some(text())),
        drift("unread_part", Some(text())),
        drift("read_part", None),
        drift("unknown", None),
    ],
    Policy { .. } => [Error::Policy {
        path: "policy.yaml".to_owned(), place: None, source: PolicyError::NotMapping,
    }],
    PolicyNotFound { .. } => [Error::PolicyNotFound { path: text() }],
    BadArgument { .. } => [Error::BadArgument {
        argument: "since", message: "not an ISO 8601 time with an offset or Z".to_owned(),
    }],
    Deferred {} => [Error::Deferred],
}
