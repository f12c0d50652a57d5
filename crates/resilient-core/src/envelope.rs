//! The error envelope: what an agent is told, and what it should do, for every [`Error`].
//!
//! One exhaustive match: a new situation does not compile until somebody decides its answer. The
//! shape is `spec/errors.schema.json`; the reasoning behind each row is `docs/errors.md`.

mod echo;
mod os;
mod sessions;

use serde::Serialize;
use serde_json::{Map, Value, json};

use self::os::{reason_of_full, strerror};
use crate::edit::{Diagnosis, Nearest};
use crate::error::{Blocking, Draft, Drift, Error, NotAFile};
use crate::hint::{actions, hint, near_encodings};

/// What went wrong, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// A content filter would reject the draft.
    Blocked,
    /// The world is not as the caller believes.
    StalePrecondition,
    /// The disk or a state file does not hold what it should.
    WriteCorruption,
    /// There is no room.
    QuotaExceeded,
    /// The request is not allowed or not well formed.
    PolicyViolation,
    /// A read leads out of the workspace.
    PermissionDenied,
    /// A read is of something that is not there.
    NotFound,
    /// A read was asked for in a way that it cannot be done.
    InvalidInput,
}

/// Where the cause lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasonHint {
    /// In what the content says.
    ContentFilter,
    /// In how much there is.
    SizeLimit,
    /// In how it is written.
    Encoding,
    /// In who may do it.
    Permission,
    /// Elsewhere; the context tells.
    Unknown,
    /// Of a read: beyond the boundary.
    OutsideWorkspace,
    /// Of a read: nothing is there.
    Missing,
    /// Of a read: it is no regular file.
    NotFile,
    /// Of a read: a number, a query or a glob.
    Range,
    /// Of a read: the cursor.
    CursorDecode,
    /// Of a read: the file is another one.
    FileChanged,
    /// Of the server that reads: it has no such tool.
    UnknownTool,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SuggestedAction {
    /// Take the detected strings out.
    Redact,
    /// Send smaller parts.
    Split,
    /// Write it in another form.
    Escape,
    /// Let a person decide.
    AskUser,
    /// Try again, as the context says.
    RetryLater,
    /// Do not repeat this request.
    Abort,
}

/// A failure as typed data: exactly these eight fields, and `message` when a read failed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Envelope {
    /// Always false.
    pub ok: bool,
    /// The version of this shape, `1`.
    pub schema_version: &'static str,
    /// What went wrong.
    pub error: ErrorKind,
    /// Where the cause lies.
    pub reason_hint: ReasonHint,
    /// The kinds of pattern that were found, for [`ErrorKind::Blocked`].
    pub detected_patterns: Vec<String>,
    /// What to do next.
    pub suggested_action: SuggestedAction,
    /// How many more identical attempts will be looked at.
    pub retry_budget: u32,
    /// The facts; `tool` is always among them once a tool answers. A long one is cut when it leaves.
    #[serde(serialize_with = "echo::facts")]
    pub context: Map<String, Value>,
    /// What happened, in words; the Python reader says it here.
    #[serde(serialize_with = "echo::message", skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl Envelope {
    /// Makes an envelope without patterns, budget or facts.
    #[must_use]
    pub fn new(error: ErrorKind, hint: ReasonHint, action: SuggestedAction) -> Box<Self> {
        Box::new(Self::of(error, hint, action, Value::Null))
    }

    /// Adds one fact to the context.
    #[must_use]
    pub fn with(mut self: Box<Self>, key: &str, fact: impl Into<Value>) -> Box<Self> {
        self.context.insert(key.to_owned(), fact.into());
        self
    }

    /// The envelope as it leaves: long facts are cut. It takes little memory whatever was sent.
    #[must_use]
    pub fn cut(&self) -> Box<Self> {
        Box::new(Self { context: echo::cut_facts(&self.context), ..self.clone() })
    }

    fn of(
        error: ErrorKind,
        reason_hint: ReasonHint,
        action: SuggestedAction,
        context: Value,
    ) -> Self {
        Self {
            ok: false,
            schema_version: "1",
            error,
            reason_hint,
            detected_patterns: Vec::new(),
            suggested_action: action,
            retry_budget: 0,
            context: match context {
                Value::Object(map) => map,
                _ => Map::new(),
            },
            message: None,
        }
    }

    /// The envelope of a read that failed, in the reader's words where it has its own.
    #[must_use]
    pub fn of_read(error: &Error) -> Self {
        use ErrorKind::{InvalidInput, NotFound, PermissionDenied};
        use ReasonHint::{Missing, NotFile, OutsideWorkspace};
        let (kind, hint, action) = match error {
            Error::EscapesWorkspace { .. } => {
                (PermissionDenied, OutsideWorkspace, SuggestedAction::Abort)
            }
            Error::NotFound { .. } => (NotFound, Missing, SuggestedAction::Abort),
            Error::EmptyPath
            | Error::InvalidPath { .. }
            | Error::PathForm { .. }
            | Error::LinkLoop { .. }
            | Error::NotARegularFile { .. } => (InvalidInput, NotFile, SuggestedAction::Abort),
            _ => {
                let own = Self::from(error);
                (own.error, own.reason_hint, own.suggested_action)
            }
        };
        let told = Self::from(error);
        Self {
            error: kind,
            reason_hint: hint,
            suggested_action: action,
            message: Some(error.to_string()),
            ..told
        }
    }
}

impl From<&Error> for Envelope {
    fn from(error: &Error) -> Self {
        let mut envelope = Self::without_hint(error);
        envelope.context.entry("hint").or_insert_with(|| hint(error).into());
        envelope
    }
}

impl Envelope {
    fn without_hint(error: &Error) -> Self {
        use ErrorKind::{Blocked, PolicyViolation, StalePrecondition, WriteCorruption};
        use ReasonHint::{ContentFilter, Encoding, Permission, Unknown};
        use SuggestedAction::{Abort, AskUser, Escape, Redact, RetryLater};

        let encoding = |context| Self::of(PolicyViolation, Encoding, Abort, context);
        // What the Python server knows nothing of: the call is to be made again, as the hint says.
        let correctable = |context| Self::of(PolicyViolation, Encoding, RetryLater, context);
        let permission = |context| Self::of(PolicyViolation, Permission, Abort, context);
        let stale = |action, context| Self::of(StalePrecondition, Unknown, action, context);
        let corrupt = |hint, context| Self::of(WriteCorruption, hint, Abort, context);

        match error {
            Error::EmptyPath => permission(json!({"path": "", "reason": "empty_path"})),
            Error::InvalidPath { path } => {
                permission(json!({"path": path, "reason": "invalid_path"}))
            }
            Error::NameNotUtf8 { path } => {
                permission(json!({"path": path, "reason": "name_not_utf8"}))
            }
            Error::PathForm { path, what, .. } => permission(json!({
                "path": path, "reason": "unresolved_path", "is": what,
            })),
            Error::EscapesWorkspace { path, resolved, workspaces } => permission(json!({
                "path": path, "reason": "escapes_workspace",
                "resolved": resolved, "workspaces": workspaces,
            })),
            Error::ProtectedPath { path } => permission(json!({
                "path": path, "reason": "protected_path",
            })),
            Error::NotARegularFile { path, what: NotAFile::Directory | NotAFile::Unsearched } => {
                Self::of(
                    PolicyViolation,
                    Unknown,
                    Abort,
                    json!({
                        "path": path, "reason": "is_a_directory",
                        "errno": 21, "strerror": "Is a directory",
                    }),
                )
            }
            Error::NotARegularFile { path, what } => permission(json!({
                "path": path, "reason": "not_a_regular_file", "is": what.to_string(),
            })),
            Error::LinkLoop { path } => permission(json!({"path": path, "reason": "link_loop"})),
            Error::HardLinked { path, links } => permission(json!({
                "path": path, "reason": "hard_linked", "links": links,
            })),
            Error::ReadOnly { path } => permission(json!({"path": path, "reason": "read_only"})),
            Error::Placeholder { path, line, mark, bytes, prev_bytes, prev_sha256 } => stale(
                AskUser,
                json!({
                    "path": path, "reason": "placeholder_for_text", "line": line, "mark": mark,
                    "bytes": bytes, "prev_bytes": prev_bytes, "prev_sha256": prev_sha256,
                }),
            ),
            Error::MakeDirectory { path, source } if Error::is_exhaustion(source) => {
                Self::of_os(path, "open", source)
            }
            Error::MakeDirectory { path, source } => {
                let (kind, hint) = match Self::kind_of_os(source) {
                    (PolicyViolation, _) => (PolicyViolation, Permission),
                    other => other,
                };
                Self::of(
                    kind,
                    hint,
                    Abort,
                    json!({
                        "path": path,
                        "reason": reason_of_full(source).map_or_else(
                            || format!("mkdir_failed: {}", strerror(source)),
                            str::to_owned,
                        ),
                        "errno": source.raw_os_error(),
                    }),
                )
            }
            Error::UnsafeRoot { root, variable, .. } => permission(json!({
                "root": root, "variable": variable, "reason": "unsafe_root",
            })),
            Error::RootGone { root, what } => stale(
                AskUser,
                json!({
                    "root": root, "reason": "workspace_gone", "is": what,
                }),
            ),
            Error::NewerFormat { found, known } => permission(json!({
                "reason": "newer_state_format", "found": found, "known": known,
            })),
            Error::UnknownFormat { found } => permission(json!({
                "reason": "unknown_state_format", "found": found,
            })),
            Error::ForeignState { path, what } => permission(json!({
                "reason": "foreign_state", "path": path, "what": what,
            })),

            Error::AlreadyExists { path, sha256, since } => {
                let mut context = json!({
                    "path": path, "reason": "file_already_exists", "existing_sha256": sha256,
                });
                add(&mut context, since);
                stale(AskUser, context)
            }
            Error::Stale { path, expected, actual, since } => {
                let mut context = json!({
                    "path": path, "expected_prev_sha256": expected,
                    "actual_prev_sha256": actual.map(|sha256| sha256.to_string())
                        .unwrap_or_default(),
                });
                add(&mut context, since);
                stale(AskUser, context)
            }
            Error::ReadBack { path, expected, actual, bytes } => corrupt(
                Unknown,
                json!({
                    "path": path, "reason": "read_back_differs", "expected_sha256": expected,
                    "actual_sha256": actual, "bytes": bytes,
                }),
            ),
            Error::Blocked { path, report, by, reject_at, retry_budget, draft } => {
                let (kinds, report_begins) = (report.kinds(), report.begins_before());
                let actions = actions(report);
                let report = report.clone().cut();
                let mut context = json!({
                    "score": report.score, "verdict": report.verdict,
                    "classify_reject_at": reject_at,
                    "detected": report.detected_patterns,
                    "suggested_actions": actions,
                });
                if report.omitted > 0 {
                    set(&mut context, "omitted", report.omitted);
                }
                if *by == Blocking::Secret {
                    set(&mut context, "reason", "secret_found");
                }
                if let Some(path) = path {
                    set(&mut context, "path", path.as_str());
                }
                if let Some(draft) = draft {
                    name_tools(&mut context, draft, !report_begins);
                }
                Self {
                    detected_patterns: kinds,
                    retry_budget: *retry_budget,
                    ..Self::of(Blocked, ContentFilter, Redact, context)
                }
            }
            Error::Invalid { path, report, parts } => {
                let mut context = json!({
                    "path": path, "reason": "invalid_syntax", "format": report.format,
                    "errors": report.errors, "summary": report.summary,
                });
                if report.omitted > 0 {
                    set(&mut context, "omitted", report.omitted);
                }
                if !parts.is_empty() {
                    set(&mut context, "parts", json!(parts));
                }
                encoding(context)
            }
            Error::Os { path, operation, source } => Self::of_os(path, operation, source),
            Error::TooLarge { path, bytes, most } => Self::of(
                ErrorKind::QuotaExceeded,
                ReasonHint::SizeLimit,
                Abort,
                json!({
                    "path": path, "reason": "file_too_large", "bytes": bytes, "limit": most,
                }),
            ),
            Error::OutcomeUnknown { path, journal_id, part_from, source } => {
                let mut context = json!({
                    "path": path, "reason": "outcome_unknown", "outcome": "unknown",
                    "journal_id": journal_id, "strerror": strerror(source),
                    "errno": source.raw_os_error(),
                });
                if let Some(cause) = reason_of_full(source) {
                    set(&mut context, "cause", cause);
                }
                if let Some(from) = part_from {
                    set(&mut context, "part_from", *from);
                }
                Self::of(WriteCorruption, Unknown, RetryLater, context)
            }
            Error::UnitPending { path, journal_id, reason } => stale(
                RetryLater,
                json!({
                    "path": path, "reason": "unit_pending", "journal_id": journal_id,
                    "obstacle": reason,
                }),
            ),
            Error::Locked { path, waited_ms } => {
                let reason = if path.is_some() { "file_locked" } else { "workspace_locked" };
                let mut context = json!({"reason": reason, "waited_ms": waited_ms});
                if let Some(path) = path {
                    set(&mut context, "path", path.as_str());
                }
                stale(RetryLater, context)
            }
            Error::Cancelled => stale(RetryLater, json!({"reason": "cancelled"})),
            Error::FileChanges { path } => {
                stale(RetryLater, json!({"path": path, "reason": "file_changes"}))
            }
            Error::Internal { message } => {
                corrupt(Unknown, json!({"reason": format!("internal: {message}")}))
            }

            Error::EmptyOldString { path } => {
                encoding(json!({"path": path, "reason": "empty_old_string"}))
            }
            Error::CountZero { path } => {
                encoding(json!({"path": path, "reason": "count_cannot_be_zero"}))
            }
            Error::FileNotFound { path, near } => {
                stale(AskUser, with_near(json!({"path": path, "reason": "file_not_found"}), near))
            }
            Error::NotUtf8 { path, message, nearest, diagnosis, .. } => {
                let mut context = json!({"path": path, "reason": format!("not_utf8: {message}")});
                add_found(&mut context, nearest.as_deref(), diagnosis);
                encoding(context)
            }
            Error::NotText { path, message } => {
                encoding(json!({"path": path, "reason": format!("not_utf8: {message}")}))
            }
            Error::Unencodable { path, encoding: name, character, offset, line } => Self::of(
                PolicyViolation,
                Encoding,
                Escape,
                json!({
                    "path": path, "reason": "unencodable_character", "encoding": name,
                    "character": character, "offset": offset, "line": line,
                }),
            ),
            Error::UnsureEncoding { path, encoding: name, character, line } => encoding(json!({
                "path": path, "reason": "encoding_not_sure", "encoding": name,
                "encoding_confidence": "low", "character": character, "line": line,
            })),
            Error::AppendToBinary { path, encoding: name } => encoding(json!({
                "path": path, "reason": "append_to_binary", "encoding": name,
            })),
            Error::CutCharacter { path, encoding: name } => encoding(json!({
                "path": path, "reason": "file_ends_inside_character", "encoding": name,
            })),
            Error::WriteEncoding { encoding: name } => encoding(with_near(
                json!({
                    "encoding": name, "reason": "unsupported_encoding",
                    "valid": [
                        "keep", "raw", "utf-8", "utf-8-bom", "utf-16le", "utf-16be", "ascii", "shift_jis",
                        "euc-jp", "euc-kr", "big5", "gbk", "gb18030", "latin-1", "any other single-byte encoding",
                    ],
                }),
                &near_encodings(name),
            )),
            Error::OldStringNotFound { path, old_string, nearest, diagnosis } => {
                let mut context = json!({
                    "path": path, "reason": "old_string_not_found", "old_string": old_string,
                });
                add_found(&mut context, nearest.as_deref(), diagnosis);
                stale(AskUser, context)
            }
            Error::InsufficientMatches { path, old_string, expected, actual } => stale(
                AskUser,
                json!({
                    "path": path, "reason": "insufficient_matches", "old_string": old_string,
                    "expected_count": expected, "actual_count": actual,
                }),
            ),
            Error::AmbiguousMatch { path, old_string, expected, actual, lines } => stale(
                AskUser,
                json!({
                    "path": path, "reason": "ambiguous_match", "old_string": old_string,
                    "expected_count": expected, "actual_count": actual, "lines": lines,
                }),
            ),

            Error::SessionName { .. }
            | Error::ChunkIndex { .. }
            | Error::TotalExpected { .. }
            | Error::IndexExceedsTotal { .. }
            | Error::SessionComposed { .. }
            | Error::ComposedBefore { .. }
            | Error::AfterRefusedPart { .. }
            | Error::PartsUnknown(_)
            | Error::SessionNotFound { .. }
            | Error::NoChunks { .. }
            | Error::NonContiguous { .. }
            | Error::ChunkCount { .. }
            | Error::SessionChanges { .. }
            | Error::ComposedNotUtf8 { .. }
            | Error::BadManifest { .. } => sessions::envelope(error),

            Error::BadBase64 { message } => {
                encoding(json!({"reason": format!("bad_base64: {message}")}))
            }
            Error::UnsupportedEncoding { encoding: name } => encoding(json!({
                "encoding": name, "valid": ["base64", "utf-8"], "reason": "unsupported_encoding",
            })),
            Error::NoReference => encoding(json!({"reason": "must_provide_sha256_or_label"})),
            Error::BadDigest { sha256 } => {
                encoding(json!({"sha256": sha256, "reason": "not_a_lowercase_sha256_hex"}))
            }
            Error::ScratchNotFound { sha256, label, asked_both, is_done: _ } => {
                let mut context = json!({"sha256": sha256, "reason": "not_found"});
                if let (true, Value::Object(map)) = (*asked_both, &mut context) {
                    map.insert("label".into(), json!(label));
                }
                stale(Abort, context)
            }
            Error::ScratchRemoved { sha256, removed_at, removed_for, is_done: _ } => stale(
                Abort,
                json!({
                    "sha256": sha256, "reason": "removed", "removed_at": removed_at,
                    "removed_for": removed_for,
                }),
            ),
            Error::ScratchGetDisabled => permission(
                json!({"reason": "scratch_get_disabled", "env": "RW_SCRATCH_DISABLE_GET"}),
            ),
            Error::ScratchDrift { sha256, actual } => corrupt(
                Unknown,
                json!({
                    "sha256": sha256, "actual_sha256": actual, "reason": "hash_drift_on_read",
                }),
            ),
            Error::ScratchNotUtf8 { sha256, message } => Self::of(
                PolicyViolation,
                Encoding,
                RetryLater,
                json!({
                    "sha256": sha256, "reason": "not_valid_utf8", "errno": message,
                    // The word of the Python server, which its users compare.
                    "code": "retry_with_encoding_base64",
                }),
            ),

            Error::HandoffFields { missing_fields } => {
                encoding(json!({"missing_fields": missing_fields}))
            }
            Error::HandoffStatus { status } => encoding(json!({
                "status": status, "valid": ["blocked", "complete", "handed_off", "partial"],
            })),
            Error::HandoffNotAList { field } => {
                encoding(json!({"field": field, "reason": "must_be_list"}))
            }
            Error::HandoffState { index } => encoding(json!({
                "field": "last_good_state", "index": index,
                "reason": "each_entry_needs_path_and_sha256",
            })),
            Error::FrontMatter { path, reason } => {
                encoding(json!({"path": path, "reason": reason}))
            }
            Error::NotFound { path, near } => {
                stale(Abort, with_near(json!({"path": path, "reason": "not_found"}), near))
            }

            Error::CheckpointName { name } => {
                encoding(json!({"name": name, "reason": "name_must_match_^[A-Za-z0-9_-]{1,64}$"}))
            }
            Error::CheckpointFormat { format } => {
                encoding(json!({"format": format, "valid": ["json", "markdown", "yaml"]}))
            }
            Error::CheckpointTtl { ttl } => encoding(json!({
                "ttl": ttl, "reason": "ttl_must_be_session|permanent|ISO_8601_duration",
            })),
            Error::CheckpointNotFound { name, near } => stale(
                Abort,
                with_near(json!({"name": name, "reason": "checkpoint_not_found"}), near),
            ),
            Error::CheckpointCorrupt { name, reason } => {
                corrupt(Encoding, json!({"name": name, "reason": reason}))
            }

            Error::Unredactable { count, line, kinds } => Self::of(
                PolicyViolation,
                ContentFilter,
                AskUser,
                json!({
                    "reason": "not_redactable", "remaining": count, "line": line, "kinds": kinds,
                }),
            ),
            Error::RedactionTooLarge { count, most } => Self::of(
                PolicyViolation,
                ReasonHint::SizeLimit,
                SuggestedAction::Split,
                json!({"reason": "too_many_redactions", "places": count, "most": most}),
            ),
            Error::RedactionBreaks { format, line, message } => Self::of(
                PolicyViolation,
                Encoding,
                AskUser,
                json!({
                    "reason": "redaction_breaks_syntax", "format": format, "line": line,
                    "message": message,
                }),
            ),
            Error::MarkOverValue { path, mark, line, old_line, .. } => stale(
                AskUser,
                json!({
                    "path": path, "reason": "mark_over_value", "mark": mark, "line": line,
                    "old_line": old_line,
                }),
            ),
            Error::ReadRange { message, facts } => {
                let mut context = json!({"reason": reason_of(message)});
                for (name, number) in facts {
                    set(&mut context, name, *number);
                }
                Self::of(ErrorKind::InvalidInput, ReasonHint::Range, RetryLater, context)
            }
            Error::ReadEncoding { encoding: name } => correctable(with_near(
                json!({
                    "encoding": name, "reason": "unsupported_encoding",
                    "valid": [
                        "utf-8", "utf-16le", "utf-16be", "ascii", "shift_jis", "euc-jp", "euc-kr", "big5",
                        "gbk", "gb18030", "latin-1", "any other single-byte encoding", "base64 for bytes",
                    ],
                }),
                &near_encodings(name),
            )),
            Error::Undecodable { path, encoding: name, offset } => correctable(json!({
                "path": path, "encoding": name, "offset": offset, "reason": "undecodable_byte",
            })),
            Error::Binary { path, size, head } => {
                let head: String = head.iter().map(|byte| format!("{byte:02x}")).collect();
                Self::of(
                    ErrorKind::InvalidInput,
                    Encoding,
                    Abort,
                    json!({
                        "path": path, "reason": "binary_file", "size": size, "head_hex": head,
                    }),
                )
            }
            Error::CursorLost => Self::of(
                ErrorKind::NotFound,
                ReasonHint::Missing,
                Abort,
                json!({
                    "reason": "cursor_file_not_found",
                }),
            ),
            Error::CursorDecode => Self::of(
                ErrorKind::InvalidInput,
                ReasonHint::CursorDecode,
                RetryLater,
                json!({"reason": "cursor_decode"}),
            ),
            Error::CursorStale(drift) => Self::of_drift(drift),

            Error::PolicyNotFound { path } => encoding(json!({
                "path": path, "reason": "policy_not_found",
            })),
            Error::Policy { path, place, source } => {
                let mut context = json!({
                    "path": path, "reason": source.reason(), "line": place.map(|place| place.line),
                    "column": place.map(|place| place.column),
                });
                if let crate::policy::PolicyError::BadRegex { family, name, .. } = source {
                    set(&mut context, "family", family.as_str());
                    set(&mut context, "name", name.as_str());
                }
                if let crate::policy::PolicyError::BadForm { name, .. } = source {
                    set(&mut context, "name", name.as_str());
                }
                if let crate::policy::PolicyError::UnknownKey { nearest: Some(nearest), .. } =
                    source
                {
                    set(&mut context, "nearest", *nearest);
                }
                encoding(context)
            }
            Error::BadArgument { argument, message } => {
                correctable(json!({"argument": argument, "reason": message}))
            }
            Error::Deferred => corrupt(Unknown, json!({"reason": "internal: deferred"})),
        }
    }
}

/// The identifier of what is wrong with an argument of a read. Behind `: ` stands what another library says of it.
fn reason_of(message: &str) -> String {
    match message.contains(": ") {
        true => message.to_owned(),
        false => message.replace(' ', "_"),
    }
}

impl Envelope {
    /// A walk whose file has changed: what was read stands, and it goes on; or it does not.
    fn of_drift(drift: &Drift) -> Self {
        let action = match drift.cursor {
            Some(_) => SuggestedAction::RetryLater,
            None => SuggestedAction::Abort,
        };
        let mut context = json!({
            "path": drift.path, "reason": "file_changed", "drift": drift.drift,
            "appended": drift.drift == "appended", "offset": drift.offset,
            "expected_size": drift.expected_size, "actual_size": drift.actual_size,
            "expected_mtime_ns": drift.expected_mtime_ns,
            "actual_mtime_ns": drift.actual_mtime_ns,
        });
        if let Some(cursor) = &drift.cursor {
            set(&mut context, "cursor", cursor.as_str());
        }
        Self::of(ErrorKind::StalePrecondition, ReasonHint::FileChanged, action, context)
    }
}

/// Adds to the actions that redacting can carry out the tool that does so without the draft being
/// sent again.
fn name_tools(context: &mut Value, draft: &Draft, is_enough: bool) {
    let all = match draft {
        // Nothing could be done with its digest.
        Draft::Here(_) | Draft::Sealed(_) => return,
        Draft::Scratch(sha256)
        | Draft::Rest(sha256)
        | Draft::Edit(sha256)
        | Draft::Record(sha256) => {
            set(context, "draft_sha256", sha256.to_string());
            json!({"draft_sha256": sha256})
        }
        Draft::Session { session, separator, output_path, existing, parts } => {
            set(context, "session", session.as_str());
            if !parts.is_empty() {
                set(context, "parts", json!(parts));
            }
            let mut all = json!({"session": session, "write_to": output_path});
            if !separator.is_empty() {
                set(&mut all, "separator", separator.as_str());
            }
            if let Some(sha256) = existing {
                set(&mut all, "expected_prev_sha256", sha256.to_string());
            }
            all
        }
    };
    // A redaction of the draft leaves what begins in the file.
    let actions = context.get_mut("suggested_actions").and_then(Value::as_array_mut);
    for action in actions.filter(|_| is_enough).into_iter().flatten() {
        let mut chosen = all.clone();
        match action.get("action").and_then(Value::as_str) {
            Some("redact") => {}
            Some("rename_placeholder") => set(&mut chosen, "redact", json!(["placeholder"])),
            _ => continue,
        }
        set(action, "tool", "rw_redact");
        set(action, "arguments", chosen);
    }
}

/// Adds all fields of what serializes as an object.
fn add(context: &mut Value, more: impl Serialize) {
    if let (Value::Object(map), Ok(Value::Object(more))) = (context, serde_json::to_value(more)) {
        map.extend(more);
    }
}

/// Adds the facts about a text that does not occur.
fn add_found(context: &mut Value, nearest: Option<&Nearest>, diagnosis: &Diagnosis) {
    if let Some(nearest) = nearest {
        set(context, "nearest", json!(nearest));
    }
    add(context, diagnosis);
}

/// Adds the names that may have been meant.
fn with_near(mut context: Value, near: &[String]) -> Value {
    if !near.is_empty() {
        set(&mut context, "nearest_names", near.to_vec());
    }
    context
}

fn set(context: &mut Value, key: &str, value: impl Into<Value>) {
    if let Value::Object(map) = context {
        map.insert(key.into(), value.into());
    }
}
