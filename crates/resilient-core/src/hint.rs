//! The one sentence that says what to do about each [`Error`].
//!
//! A word in backticks is a tool, an argument of a tool, or a command of the program. Tools and arguments are
//! those of MCP; the command line puts its own in their place.

#[cfg(any(test, feature = "sim"))]
#[doc(hidden)]
pub mod samples;

mod changes;
mod sessions;

use std::io;

use self::changes::{made_before, not_found, stale};
use crate::edit::Diagnosis;
use crate::error::{
    BEYOND_DOUBLE, Draft, Drift, Error, HANDOFF, NEVER_THERE, NO_DIRECTORY, NotAFile,
    QUERY_OF_ONE_LINE, WayOut,
};
use crate::form::Encoding;
use crate::near::nearest;
use crate::risk::{self, Action, Detection, Report, Verdict};

pub use self::sessions::DONE_IF_SENT_BEFORE;

/// What a caller should do about an error: one sentence, without a full stop.
#[must_use]
pub fn hint(error: &Error) -> String {
    if let Some(hint) = of_state(error).or_else(|| sessions::hint(error)) {
        return hint;
    }
    match error {
        Error::EmptyPath => "pass the path of a file in the workspace".to_owned(),
        Error::InvalidPath { .. } => {
            "pass a path without NUL bytes, whose names this system can have".to_owned()
        }
        Error::PathForm { instead, .. } => format!("write {instead}"),
        Error::NameNotUtf8 { .. } => {
            "ask the user to rename the file or the directory, or choose another path: its name is not UTF-8, and \
             context.path shows U+FFFD for the bytes that are wrong"
                .to_owned()
        }
        Error::EscapesWorkspace { .. } => {
            "choose a path inside a directory that context.workspaces lists, or ask the user to add the directory \
             as a workspace"
                .to_owned()
        }
        Error::ProtectedPath { .. } => {
            "choose another path: no tool lists or writes .resilient_write, none writes over the policy, and tools \
             write into .git only when the policy has allow_git_writes: true"
                .to_owned()
        }
        Error::NotARegularFile { what: NotAFile::Directory, .. } => {
            "pass the path of a file, not of a directory".to_owned()
        }
        Error::NotARegularFile { what: NotAFile::Unsearched, .. } => {
            "name the files by a glob such as **/* to search below a directory, or pass the path of one file"
                .to_owned()
        }
        Error::NotARegularFile { what: NotAFile::Special | NotAFile::SpecialOrLink, .. } => {
            "choose the path of a regular file".to_owned()
        }
        Error::LinkLoop { .. } => {
            "choose a path that does not go through this circle of links".to_owned()
        }
        Error::HardLinked { .. } => {
            "ask the user to set hard_links: in_place in policy.yaml, which writes through to all \
             names of the file, or write another path"
                .to_owned()
        }
        Error::ReadOnly { .. } => {
            "ask the user to make the file writable or to set read_only: overwrite in policy.yaml, or \
             write another path"
                .to_owned()
        }
        Error::Placeholder { line, .. } => format!(
            "send the text that line {line} stands for, or edit only what is to change with \
             `rw_safe_replace`; pass `allow_shrink` true only if the file is to be that short"
        ),
        Error::MakeDirectory { source, .. } => match os(source) {
            Some(hint) => hint.to_owned(),
            None => "choose a path whose directories exist or can be made: one of its names is a \
                     file, or its directory may not be written"
                .to_owned(),
        },
        Error::UnsafeRoot { variable, is_set: true, .. } => format!(
            "ask the user to set {variable} to the project directory instead of a system directory"
        ),
        Error::UnsafeRoot { variable, is_set: false, .. } => format!(
            "ask the user to set {variable} to the project directory or to pass -w DIR, since the working \
             directory is a system directory"
        ),
        Error::RootGone { what: NEVER_THERE, .. } => {
            "correct the directory of -w, or make it first: it does not exist".to_owned()
        }
        Error::RootGone { .. } => {
            "ask the user to make the directory again, or to name where it is now: with -w, RW_WORKSPACE or \
             RW_STATE_DIR"
                .to_owned()
        }
        Error::UnknownFormat { .. } => {
            "ask the user to look at .resilient_write/format, which this program has not written, and \
             to remove it or to point RW_STATE_DIR elsewhere"
                .to_owned()
        }
        Error::ForeignState { path, .. } => {
            format!("ask the user to look at {path}, and to put a copy of it in its place or to move it away")
        }
        Error::NewerFormat { .. } => {
            "ask the user to update resilient-write, or to point RW_STATE_DIR to another directory"
                .to_owned()
        }

        Error::AlreadyExists { since: Some(since), .. } => made_before(since),
        Error::AlreadyExists { sha256: Some(_), .. } => {
            "read the file, then pass `mode` overwrite with context.existing_sha256 as \
             `expected_prev_sha256` to replace all of it, or `mode` append to add to it, or write another path"
                .to_owned()
        }
        Error::AlreadyExists { sha256: None, .. } => {
            "write another path: this file exists and may not be read".to_owned()
        }
        Error::Stale { expected, actual, since, .. } => stale(expected, *actual, since.as_deref()),
        Error::ReadBack { .. } => {
            "read the file: another program changed it at that moment, or the disk is damaged; if this happens again, tell \
             the user and write nothing more there"
                .to_owned()
        }
        Error::Blocked { report, draft, .. } if report.begins_before() => {
            match draft.as_deref() {
                Some(Draft::Scratch(_)) => {
                    "do not send the text again: make this call again with `content_from` {draft_sha256} in place of `content`, \
                     which takes out what goes on with the end of the file, too"
                }
                _ => GOES_ON,
            }
            .to_owned()
        }
        Error::Blocked { draft: Some(draft), .. }
            if matches!(**draft, Draft::Scratch(_))
                && let Some(chosen) = with_placeholders(error) =>
        {
            let chosen = serde_json::json!(chosen);
            format!(
                "do not send the text again: make this call again with, in place of `content`, `content_from` {{draft_sha256, \
                 redact: {chosen}}}"
            )
        }
        Error::Blocked { draft: Some(draft), report, .. } if is_removable(report) => {
            match **draft {
                Draft::Session { .. } => {
                    "do not send the parts again: `rw_redact` joins them, takes the secrets out and \
                     writes the file, then `rw_chunk_reset` removes the parts"
                }
                Draft::Edit(_) => {
                    "make the edit again with a `new_string` that leaves out what context.detected lists; \
                     the draft is that text alone and no file"
                }
                Draft::Record(_) => {
                    "make the call again with data that leaves out what context.detected lists; context.draft_sha256 is \
                     the refused data"
                }
                Draft::Rest(_) => {
                    "add to `redact` what else is to go, by its number in the first answer or as \"placeholder\", or leave \
                     `redact` out to take all secrets out"
                }
                Draft::Sealed(_) | Draft::Here(_) => {
                    "send the text again without what context.detected lists"
                }
                Draft::Scratch(_) => {
                    "do not send the text again: make this call again with `content_from` {draft_sha256} in place of `content`"
                }
            }
            .to_owned()
        }
        Error::Blocked { report, .. } if is_removable(report) => {
            "take out what context.detected lists, then write again".to_owned()
        }
        Error::Blocked { report, draft, .. } => too_large(report, draft.as_deref(), "`mode` append"),
        Error::Invalid { parts, .. } if !parts.is_empty() => {
            "nothing was written: send the parts that context.parts lists again with `rw_chunk_write`, corrected, and \
             compose again, or leave out `validate`"
                .to_owned()
        }
        Error::Invalid { .. } => {
            "nothing was written: correct the lines in context.errors and make the call again, or leave \
             out `validate`"
                .to_owned()
        }
        Error::TooLarge { .. } => {
            "divide the file, or work on it with a program that reads it part by part, since this call needs the \
             whole file in memory"
                .to_owned()
        }
        // What a read does. A write that needs one needs it for nothing else.
        Error::Os { operation: "read" | "list", source, .. }
            if source.kind() == io::ErrorKind::PermissionDenied =>
        {
            "ask the user for the permission to read it, or choose another path".to_owned()
        }
        // What a directory forbids to whom it does not let in.
        Error::Os { operation: "stat" | "resolve", source, .. }
            if source.kind() == io::ErrorKind::PermissionDenied =>
        {
            "ask the user for the permission to enter its directory, or choose another path".to_owned()
        }
        Error::Os { operation: "open", source, .. }
            if source.kind() == io::ErrorKind::PermissionDenied =>
        {
            "ask the user for the permission to open it, or choose another path".to_owned()
        }
        // The moment at which a file gets its name.
        Error::Os { operation: "rename" | "exchange", source, .. }
            if source.kind() == io::ErrorKind::ResourceBusy =>
        {
            "write the file by the path that it has where it comes from, or ask the user to mount its directory instead: \
             the file is a mount point, as one that a container mounts singly, and no new file can take its name"
                .to_owned()
        }
        Error::Os { operation: "rename" | "exchange", source, .. }
            if source.kind() == io::ErrorKind::CrossesDevices =>
        {
            "ask the user to set RW_STATE_DIR to a directory of the same project, or choose another path: a project quota \
             of its own lets no file come into this directory from outside"
                .to_owned()
        }
        Error::Os { source, .. } => match os(source) {
            Some(hint) => hint.to_owned(),
            None => "look at context.strerror, then choose another path or tell the user".to_owned(),
        },
        Error::OutcomeUnknown { source, .. } if Error::is_full(source) => {
            "ask the user to make room on the disk, then read the file and look with \
             `rw_journal_tail` before you try again, since the change may have been made"
                .to_owned()
        }
        Error::OutcomeUnknown { part_from: Some(_), .. } => {
            "read the file from byte context.part_from on, where a part of this change may stand, and look with \
             `rw_journal_tail` before you try again"
                .to_owned()
        }
        Error::OutcomeUnknown { .. } => {
            "read the file and look with `rw_journal_tail` before you try again, since the change \
             may have been made"
                .to_owned()
        }
        Error::UnitPending { .. } => {
            "remove what context.obstacle names and try again, or ask the user to run \
             `resilient-write recover --abandon`, which keeps the interrupted content in \
             .resilient_write/conflicts/"
                .to_owned()
        }
        Error::Locked { path: Some(_), .. } => {
            "try again in a moment, or end the program that holds a lock (flock) on the file of context.path"
                .to_owned()
        }
        Error::Locked { path: None, .. } => {
            "try again in a moment: another process is writing in this workspace".to_owned()
        }
        Error::Cancelled => "call again if the change or the answer is still wanted".to_owned(),
        Error::FileChanges { .. } => {
            "try again in a moment: others write the file so often that the text found no end to go behind"
                .to_owned()
        }
        Error::Internal { .. } | Error::Deferred => {
            "read the file to see what it holds, then try once more and report the fault if it \
             comes back"
                .to_owned()
        }

        Error::EmptyOldString { .. } => {
            "pass the exact text to be replaced as `old_string`, or use `rw_safe_write` for a whole \
             file"
                .to_owned()
        }
        Error::CountZero { .. } => {
            "pass as `count` how often `old_string` occurs, or -1 for all".to_owned()
        }
        Error::FileNotFound { near, .. } => or_near(
            near,
            "create the file with `rw_safe_write`, or correct the path",
        ),
        Error::NotUtf8 { nearest, diagnosis, .. }
            if nearest.is_some() || **diagnosis != Diagnosis::default() =>
        {
            not_found(nearest.as_deref(), diagnosis)
        }
        Error::NotText { .. } => {
            "convert the text to UTF-8 and pass it as `content`, or leave this file to the user".to_owned()
        }
        Error::NotUtf8 { is_utf32: true, .. } => {
            "leave this file to the user, since it is UTF-32, which no tool edits".to_owned()
        }
        Error::NotUtf8 { .. } => {
            "pass the name of the file's encoding as `encoding`, or text that occurs in the file, or leave it \
             to the user"
                .to_owned()
        }
        Error::Unencodable { encoding, .. } => format!(
            "write context.character in characters that the file's encoding ({encoding}) has"
        ),
        Error::UnsureEncoding { .. } => {
            "pass the name of the file's encoding as `encoding`, which is only guessed, or write ASCII \
             only"
                .to_owned()
        }
        Error::AppendToBinary { encoding, .. } if encoding == "utf-32" => {
            "leave this file to the user, since it is UTF-32, to which no tool appends".to_owned()
        }
        Error::AppendToBinary { .. } => {
            "pass `encoding` raw to append the bytes all the same, since the file is no text".to_owned()
        }
        Error::CutCharacter { .. } => {
            "repair the end of the file, or pass `encoding` raw, since what is appended would become \
             a part of its last character"
                .to_owned()
        }
        Error::WriteEncoding { encoding } | Error::ReadEncoding { encoding } => or_near(
            &near_encodings(encoding),
            "pass one of context.valid as `encoding`, or leave it out",
        ),
        Error::OldStringNotFound { nearest, diagnosis, .. } => {
            not_found(nearest.as_deref(), diagnosis)
        }
        Error::InsufficientMatches { actual, .. } => format!(
            "pass `count` {actual} if all of them are meant, or -1, or a shorter `old_string`"
        ),
        Error::AmbiguousMatch { actual, .. } => format!(
            "add the lines around the place that is meant to `old_string` and `new_string`, or pass \
             `count` {actual} to change all of them"
        ),

        // These are answered above.
        Error::SessionName { .. }
        | Error::ChunkIndex { .. }
        | Error::TotalExpected { .. }
        | Error::IndexExceedsTotal { .. }
        | Error::SessionNotFound { .. }
        | Error::NoChunks { .. }
        | Error::SessionComposed { .. }
        | Error::ComposedBefore { .. }
        | Error::AfterRefusedPart { .. }
        | Error::PartsUnknown { .. }
        | Error::NonContiguous { .. }
        | Error::ChunkCount { .. }
        | Error::SessionChanges { .. }
        | Error::ComposedNotUtf8 { .. }
        | Error::BadManifest { .. } => String::new(),

        Error::BadBase64 { .. } => {
            "send `content` in standard base64 with padding and without white space, or leave \
             `encoding` out"
                .to_owned()
        }
        Error::UnsupportedEncoding { .. } => "pass `encoding` utf-8 or base64".to_owned(),
        Error::NoReference => "pass `sha256` or `label`".to_owned(),
        Error::BadDigest { .. } => {
            "pass all 64 hex digits of the digest in lower case, as an earlier answer gave them"
                .to_owned()
        }
        Error::ScratchNotFound { is_done: true, .. } => {
            "do nothing if it was removed before, or correct the digest or the label: nothing is kept under it"
                .to_owned()
        }
        Error::ScratchNotFound { .. } => {
            "correct the digest or the label, since nothing is kept under it, or put the content with \
             `rw_scratch_put` first"
                .to_owned()
        }
        Error::ScratchRemoved { is_done: true, .. } => {
            "do nothing: the content is gone already, since context.removed_at".to_owned()
        }
        Error::ScratchRemoved { .. } => {
            "put the content again with `rw_scratch_put`, or go on without it".to_owned()
        }
        Error::ScratchGetDisabled => {
            "go on without the content, since the user has switched reading off, or ask the user to \
             unset RW_SCRATCH_DISABLE_GET"
                .to_owned()
        }
        Error::ScratchDrift { .. } => {
            "put the content again with `rw_scratch_put`: the kept bytes have changed".to_owned()
        }
        Error::ScratchNotUtf8 { .. } => {
            "pass `encoding` base64 to get the bytes, since they are no UTF-8 text".to_owned()
        }

        Error::HandoffFields { missing_fields } => {
            format!("add to `envelope`: {}", missing_fields.join(", "))
        }
        Error::HandoffStatus { .. } => {
            "set status in `envelope` to complete, partial, blocked or handed_off".to_owned()
        }
        Error::HandoffNotAList { field } => format!("make {field} in `envelope` a list"),
        Error::HandoffState { index } => format!(
            "give entry {index} of last_good_state, counted from 0, a path and a sha256"
        ),
        Error::FrontMatter { path, .. } => format!(
            "read {path} as a file, and write the handoff anew with `rw_handoff_write`"
        ),
        Error::NotFound { path, near } if path == HANDOFF && near.is_empty() => {
            "go on without a handoff, since nobody has left one, or correct the path".to_owned()
        }
        Error::NotFound { near, .. } => or_near(near, "correct the path: nothing is there"),

        Error::CheckpointName { .. } => {
            "pass a `name` of 1 to 64 letters, digits, _ and -".to_owned()
        }
        Error::CheckpointFormat { .. } => "pass `format` json, yaml or markdown".to_owned(),
        Error::CheckpointTtl { .. } => {
            "pass `ttl` session, permanent or an ISO 8601 duration such as P7D or PT12H".to_owned()
        }
        Error::CheckpointNotFound { near, .. } => {
            or_near(near, "look at the names that `rw_checkpoint_list` gives")
        }
        Error::CheckpointCorrupt { .. } => {
            "save the checkpoint again with `rw_checkpoint`: its file was damaged or edited"
                .to_owned()
        }

        Error::Unredactable { line, kinds, .. } => format!(
            "rewrite the text around line {line} by hand, or name in `redact` other families than {}, which then stay in the \
             text: nothing was changed or written",
            kinds.join(" and ")
        ),
        Error::RedactionTooLarge { .. } => {
            "name fewer families in `redact`, or redact the text in parts: nothing was changed or written".to_owned()
        }
        Error::RedactionBreaks { line, .. } => format!(
            "rewrite line {line} by hand, or choose findings by number in `redact`: nothing was \
             changed or written"
        ),
        Error::MarkOverValue { old_line, way_out, .. } => {
            let around = format!(
                "edit the lines around line {old_line} of the file with `rw_safe_replace` and leave that line as it is, \
                 since it holds the real value"
            );
            match way_out {
                WayOut::Keep => {
                    "call `rw_redact` again with `keep` true: the scratchpad then keeps the value, which the file loses".to_owned()
                }
                WayOut::Redact => format!(
                    "{around}, or clean the file with `rw_redact`, its path in `path` and in `write_to` and `keep` true, and \
                     make this call again"
                ),
                WayOut::Edit => format!("{around}, or ask the user to take the value out of the file"),
            }
        }
        Error::ReadRange { message, .. } if message.starts_with("bad_regex: ") => {
            "correct `query`, or put a backslash before each of its signs that is meant as it is, or pass \
             `regex` false"
                .to_owned()
        }
        Error::ReadRange { message, .. } if message.starts_with("bad_glob: ") => {
            "correct `glob`: *.rs names files in every directory, src/**/*.rs those below src".to_owned()
        }
        Error::ReadRange { message, .. } if message == NO_DIRECTORY => {
            "pass a directory as `path`, or read the file with `rr_read_lines`".to_owned()
        }
        Error::ReadRange { message, .. } if message == QUERY_OF_ONE_LINE => {
            "search for a part of one line, since a search sees single lines: pass in `query` the line that is \
             rarest, and read around the match"
                .to_owned()
        }
        Error::ReadRange { message, .. } => format!("correct the call: {}", with_names(message)),
        Error::Undecodable { .. } => {
            "pass `errors` replace to see the byte as U+FFFD, or `encoding` base64 for all bytes"
                .to_owned()
        }
        Error::Binary { .. } => {
            "pass `encoding` base64 to `rr_read_bytes` for the bytes, since the file has no lines"
                .to_owned()
        }
        Error::CursorLost => {
            "begin anew with `rr_make_cursor`, since the cursor's file was moved or removed".to_owned()
        }
        Error::CursorDecode => "make a new cursor with `rr_make_cursor`".to_owned(),
        Error::CursorStale(drift) => cursor(drift).to_owned(),

        Error::PolicyNotFound { .. } => {
            "ask the user to correct RW_POLICY_FILE; until then the server refuses each write with `classify`, \
             and each text in which the built-in policy finds something"
                .to_owned()
        }
        Error::Policy { path, place, .. } => {
            let at = place.map(|place| format!(" at line {}", place.line)).unwrap_or_default();
            format!(
                "ask the user to correct {path}{at}; until then the server refuses each write with `classify`, \
                 and each text in which the built-in policy finds something"
            )
        }
        Error::BadArgument { argument, message } if message == BEYOND_DOUBLE => {
            format!("pass the number in `{argument}` as a text in quotes: no float is that large")
        }
        Error::BadArgument { argument: "since", message } => {
            format!("correct `since`: {message}, such as 2026-08-01T12:00:00Z")
        }
        Error::BadArgument { argument: "language", .. } => {
            "pass `language`, or leave out `env` for marks".to_owned()
        }
        Error::BadArgument { argument, message } => format!("correct `{argument}`: {message}"),
    }
}

/// What a redaction has to choose for a text that is refused for its placeholders, too: it leaves them otherwise.
#[must_use]
pub fn with_placeholders(error: &Error) -> Option<Vec<String>> {
    let Error::Blocked { report, reject_at: Verdict::Low, .. } = error else { return None };
    let actions = actions(report);
    actions.iter().find(|action| matches!(action, Action::RenamePlaceholder { .. }))?;
    let families = actions.iter().find_map(|action| match action {
        Action::Redact { targets } => Some(targets.as_slice()),
        _ => None,
    });
    Some(families.unwrap_or_default().iter().cloned().chain(["placeholder".to_owned()]).collect())
}

/// What to do about an append that is refused for what the file ends with.
pub const GOES_ON: &str = "append the text without what context.detected lists: the end of the file makes a secret of its \
                           beginning";

/// What could be done about what was found. Of the families that only the policy knows a report says nothing, and
/// a redaction takes them out, too.
#[must_use]
pub fn actions(report: &Report) -> Vec<Action> {
    let mut actions = report.suggested_actions.clone();
    let own = report.detected_patterns.iter().filter_map(|found| match found {
        Detection::Pattern(hit) if !risk::families().any(|known| known == hit.kind) => {
            Some(hit.kind.to_string())
        }
        _ => None,
    });
    let mut own: Vec<String> = own.collect();
    if own.is_empty() {
        return actions;
    }
    let known = actions.iter_mut().find_map(|action| match action {
        Action::Redact { targets } => Some(targets),
        _ => None,
    });
    own.extend(known.as_deref().into_iter().flatten().cloned());
    own.sort_unstable();
    own.dedup();
    match known {
        Some(targets) => *targets = own,
        None => actions.insert(0, Action::Redact { targets: own }),
    }
    actions
}

/// Whether a redaction takes out something of what was found.
#[must_use]
pub fn is_removable(report: &Report) -> bool {
    let redacts = |action: &Action| {
        matches!(action, Action::Redact { .. } | Action::RenamePlaceholder { .. })
    };
    actions(report).iter().any(redacts)
}

/// What to do about a text that is refused for its size or its shape. `appending` says how a call of `rw_safe_write`
/// appends.
#[must_use]
pub fn too_large(report: &Report, draft: Option<&Draft>, appending: &str) -> String {
    const EACH: &str = "each of at most 100,000 bytes and 5,000 lines";
    let actions = &report.suggested_actions;
    let is_run = |reason: &str| reason == "binary_content_detected";
    let has_run = actions.iter().any(|it| matches!(it, Action::Split { reason } if is_run(reason)));
    let is_long =
        actions.iter().any(|it| matches!(it, Action::Split { reason } if !is_run(reason)));
    let has_long_line = actions.iter().any(|it| matches!(it, Action::Escape { .. }));
    let mut steps = Vec::new();
    if has_run {
        steps.push("break the encoded text into lines of less than 200 characters".to_owned());
    } else if has_long_line {
        steps.push("break the lines of more than 2,000 characters".to_owned());
    }
    if is_long {
        let appends = format!(
            "send the text in several `rw_safe_write` calls, all but the first with {appending}, {EACH}"
        );
        steps.push(match draft {
            Some(Draft::Edit(_)) => {
                format!("make the edit in several `rw_safe_replace` calls with texts {EACH}")
            }
            Some(Draft::Record(_)) => {
                "shorten the data to 100,000 bytes and 5,000 lines".to_owned()
            }
            Some(Draft::Session { .. }) => {
                format!("{appends}, and remove the parts with `rw_chunk_reset`")
            }
            _ => appends,
        });
    }
    if steps.is_empty() {
        steps.push("leave out what context.detected lists".to_owned());
    }
    format!("{}, or ask the user to change classify in policy.yaml", steps.join(", and "))
}

/// What to do about a state directory that cannot be used where it is: the call has not named it.
fn of_state(error: &Error) -> Option<String> {
    let (path, source) = match error {
        Error::MakeDirectory { path, source } => (path, source),
        // A call that reads may have named the path.
        Error::Os { operation: "read" | "list" | "stat" | "resolve", source, .. }
            if source.kind() == io::ErrorKind::PermissionDenied =>
        {
            return None;
        }
        Error::Os { path, source, .. } => (path, source),
        _ => return None,
    };
    let dir = state_dir(path)?;
    match source.kind() {
        io::ErrorKind::PermissionDenied => Some(format!(
            "ask the user for the permission to use the state directory ({dir}), or to set RW_STATE_DIR to a directory \
             that this user may write"
        )),
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::NotADirectory => Some(format!(
            "ask the user to set RW_STATE_DIR to a directory that this user may write, since the state directory \
             ({dir}) cannot be used where it is"
        )),
        _ => None,
    }
}

/// The state directory, if a path is that of it or of something in it.
fn state_dir(path: &str) -> Option<&str> {
    const NAME: &str = ".resilient_write";
    const SEPARATORS: [char; 2] = ['/', '\\'];
    path.match_indices(NAME).find_map(|(at, _)| {
        let (dir, rest) = path.split_at_checked(at + NAME.len())?;
        let before = dir.strip_suffix(NAME)?;
        let is_name = (before.is_empty() || before.ends_with(SEPARATORS))
            && (rest.is_empty() || rest.starts_with(SEPARATORS));
        is_name.then_some(dir)
    })
}

/// What to do about the system's refusal, where that is known.
fn os(source: &io::Error) -> Option<&'static str> {
    use io::ErrorKind as K;
    if Error::is_exhaustion(source) {
        return Some(
            "try again when fewer calls are under way, and ask the user to raise the limit on open \
             files (ulimit -n) if this comes back",
        );
    }
    Some(match source.kind() {
        K::StorageFull | K::QuotaExceeded => {
            "ask the user to make room on the disk or to raise the quota, then try again: nothing \
             was changed"
        }
        K::OutOfMemory => {
            "try again when fewer calls are under way, or work with a smaller file: there is no memory \
             for it now"
        }
        K::FileTooLarge => {
            "write a shorter file, or ask the user to raise the limit on the size of files"
        }
        K::PermissionDenied => {
            "ask the user for the permission to write there, or choose another path"
        }
        K::ReadOnlyFilesystem => "choose a path on a file system that is not read-only",
        K::InvalidFilename => {
            "choose a shorter name that this file system takes: mostly 255 bytes, and 4095 for a whole path"
        }
        _ if source.raw_os_error() == Some(5) => {
            "tell the user that the disk fails, and write nothing more there"
        }
        _ => return None,
    })
}

/// The names of encodings that come nearest to a wrong one.
pub(crate) fn near_encodings(wrong: &str) -> Vec<String> {
    nearest(wrong, Encoding::NAMES.iter().copied().chain(["keep", "raw"]))
}

fn or_near(near: &[String], otherwise: &str) -> String {
    if near.is_empty() {
        return otherwise.to_owned();
    }
    format!("{otherwise}; the nearest: {}", near.join(", "))
}

/// What is wrong with an argument, whose name comes first; other names in it have a `_`.
fn with_names(message: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for (at, word) in message.split(' ').enumerate() {
        let (name, rest) = word.split_at(word.len() - usize::from(word.ends_with(':')));
        let is_name =
            !name.is_empty() && name.chars().all(|it| it == '_' || it.is_ascii_lowercase());
        let is_named = is_name && (at == 0 || name.contains('_'));
        words.push(if is_named { format!("`{name}`{rest}") } else { word.to_owned() });
    }
    words.join(" ")
}

fn cursor(drift: &Drift) -> &'static str {
    match (&drift.cursor, drift.drift) {
        (Some(_), "appended") => {
            "go on with `rr_read_next` and context.cursor: the file has grown, and what was read \
             still stands"
        }
        (Some(_), _) => {
            "go on with `rr_read_next` and context.cursor: only what was not read yet has changed"
        }
        (None, "read_part") => {
            "read it again from a new `rr_make_cursor`: what was read has changed"
        }
        (None, _) => {
            "read it again from a new `rr_make_cursor`: this cursor cannot tell what has changed"
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::samples::{samples, variant};
    use super::*;

    #[test]
    fn every_error_has_one_sentence_that_says_what_to_do() {
        for error in samples() {
            let hint = hint(&error).replace("...", "");
            let name = variant(&error);
            assert!(hint.len() > 8, "{name}: {hint:?}");
            assert!(
                !hint.ends_with('.') && !hint.contains(". ") && !hint.contains('\n'),
                "{name}: {hint:?}"
            );
            assert!(!hint.contains("  "), "{name}: {hint:?}");
            assert!(hint.matches('`').count().is_multiple_of(2), "{name}: {hint:?}");
        }
    }

    #[test]
    fn a_permission_that_is_missing_is_that_of_what_was_done() {
        let hint_of = |path: &str, operation| {
            hint(&Error::os(path, operation, io::ErrorKind::PermissionDenied.into()))
        };
        for (operation, permission) in [
            ("read", "to read it"),
            ("list", "to read it"),
            ("open", "to open it"),
            ("stat", "to enter its directory"),
            ("resolve", "to enter its directory"),
            ("write", "to write there"),
            ("append", "to write there"),
            ("stage", "to write there"),
            ("set attributes", "to write there"),
        ] {
            let hint = hint_of("a.txt", operation);
            assert_eq!(
                hint,
                format!("ask the user for the permission {permission}, or choose another path"),
                "{operation}"
            );
        }
    }

    #[test]
    fn of_the_state_directory_a_hint_names_it_and_what_leads_to_another_one() {
        use io::ErrorKind::{NotADirectory, PermissionDenied, ReadOnlyFilesystem};
        let of = |path: &str, operation: Option<&'static str>, kind: io::ErrorKind| {
            hint(&match operation {
                Some(operation) => Error::os(path, operation, kind.into()),
                None => Error::MakeDirectory { path: path.to_owned(), source: kind.into() },
            })
        };
        for (path, operation, kind, dir) in [
            (".resilient_write/journal.jsonl", Some("open"), PermissionDenied, ".resilient_write"),
            (".resilient_write/chunks/s", None, PermissionDenied, ".resilient_write"),
            ("/s/.resilient_write/scratch", None, PermissionDenied, "/s/.resilient_write"),
            ("/s/.resilient_write", Some("write"), PermissionDenied, "/s/.resilient_write"),
            (".resilient_write/tmp", Some("stage"), ReadOnlyFilesystem, ".resilient_write"),
            (".resilient_write/chunks/s", None, NotADirectory, ".resilient_write"),
        ] {
            let hint = of(path, operation, kind);
            assert!(hint.contains(&format!("state directory ({dir})")), "{path}: {hint}");
            assert!(hint.contains("set RW_STATE_DIR"), "{path}: {hint}");
        }
        // Others are what a call has named.
        for (path, operation) in [
            (".resilient_write.old/a", None),
            ("my.resilient_write/a", Some("write")),
            (".resilient_write/journal.jsonl", Some("read")),
        ] {
            let hint = of(path, operation, PermissionDenied);
            assert!(hint.ends_with("or choose another path"), "{path}: {hint}");
        }
    }

    #[test]
    fn what_is_told_beside_the_hint_is_there() {
        for error in samples() {
            let envelope = crate::Envelope::from(&error);
            let hint = envelope.context.get("hint").and_then(|hint| hint.as_str()).unwrap();
            let named = hint.split("context.").skip(1).map(|rest| {
                rest.split(|c: char| c != '_' && !c.is_ascii_alphanumeric()).next().unwrap()
            });
            for fact in named.collect::<BTreeSet<_>>() {
                assert!(envelope.context.contains_key(fact), "{hint}: {:?}", envelope.context);
            }
        }
    }
}
