//! What to do about an error, with the tools and arguments of this set.

use resilient_core::Error;
use resilient_core::error::{Changed, Draft, NO_DIRECTORY, UnknownParts, WhyUnknown};
use resilient_core::hint::{DONE_IF_SENT_BEFORE, GOES_ON, hint, is_removable, too_large};

use super::INSTEAD;

/// What to do about an error, with the tools and arguments of this set. For tests.
#[doc(hidden)]
#[must_use]
pub fn hint_of(error: &Error) -> String {
    match error {
        Error::Placeholder { line, .. } => format!(
            "put in place of line {line} the text that it stands for, or edit only what is to change with \
             `rw_edit_file`"
        ),
        Error::AlreadyExists { since: Some(_), .. } => hint(error),
        Error::Stale { since: Some(since), .. } if since.already_written || since.already_applied => {
            hint(error)
        }
        Error::AlreadyExists { sha256: Some(_), .. } => {
            "read the file, then pass context.existing_sha256 as `expected_prev_sha256` to replace all of it, or \
             `append` true to add to it, or write another path"
                .to_owned()
        }
        Error::Stale { actual: None, expected, .. } if !expected.is_empty() => {
            "leave out `expected_prev_sha256` if the file is to be made again, since it does not exist \
             now"
                .to_owned()
        }
        Error::Stale { actual: Some(_), expected, .. } if expected.is_empty() => {
            "read the file, then pass context.actual_prev_sha256 as `expected_prev_sha256` to replace it, \
             or write another path"
                .to_owned()
        }
        Error::Blocked { report, .. } if report.begins_before() => GOES_ON.to_owned(),
        Error::Blocked { report, draft, .. } if !is_removable(report) => {
            let hint = too_large(report, draft.as_deref(), "`append` true");
            in_our_words(&hint)
        }
        Error::Blocked { report, draft, .. } if is_removable(report) => match draft.as_deref() {
            Some(Draft::Session { parts, .. }) => of_parts(parts),
            _ => "take out what context.detected lists, then make the call again".to_owned(),
        },
        // No tool of this set meets one.
        Error::Stale { since: Some(since), .. }
            if matches!(
                since.of,
                Changed::NumberedPart | Changed::Checkpoint | Changed::Handoff
            ) =>
        {
            "read it again, and repeat the call with context.actual_prev_sha256 as \
             `expected_prev_sha256`"
                .to_owned()
        }
        Error::OldStringNotFound { diagnosis, .. } if diagnosis.empty_file => {
            "write the text with `rw_write_file` and `append` true, since the file is empty".to_owned()
        }
        Error::OutcomeUnknown { .. }
        | Error::EmptyOldString { .. }
        | Error::Stale { .. }
        | Error::FileNotFound { .. } => in_our_words(&hint(error)),
        // No tool of this set meets one.
        Error::SessionComposed { .. } | Error::ComposedBefore { .. } => {
            "append the text to the file with `rw_write_file` and `append` true".to_owned()
        }
        Error::AfterRefusedPart { refused: Some(part), .. } => format!(
            "send `part` {part} again, which was refused, without `last`, and then this part; to go on with the parts that are \
             there, call `rw_list_parts` with this `path` and make this call again"
        ),
        Error::AfterRefusedPart { are_kept: false, .. } => {
            "send all parts again from `part` 1 on, since an earlier part of yours was refused".to_owned()
        }
        Error::AfterRefusedPart { .. } => {
            "call `rw_list_parts` with this `path` and make this call again to go on with the parts that are there, or send \
             all parts again from `part` 1 on: an earlier call of yours was refused, which may have been part 1 of this file"
                .to_owned()
        }
        Error::PartsUnknown(unknown) => of_unknown(unknown),
        Error::NonContiguous { unexpected: Some(_), have, .. } => {
            let last = have.last().copied().unwrap_or(1);
            beyond_last("that context.missing and context.unexpected list", last)
        }
        // Part 1 starts over, whatever is kept.
        Error::NonContiguous { missing, .. } if missing.contains(&1) => {
            "read the file if the last part was sent before, since it may be written already; otherwise send all \
             parts again with `rw_write_part`, from `part` 1 on, since part 1 discards the others"
                .to_owned()
        }
        Error::NonContiguous { missing, .. } if !missing.is_empty() => {
            "read the file if the last part was sent before, since it may be written already; otherwise send the \
             parts that context.missing lists with `rw_write_part`, then the last one again"
                .to_owned()
        }
        Error::NotUtf8 { is_utf32: true, .. } => hint(error),
        Error::NotUtf8 { nearest: None, diagnosis, .. } if !diagnosis.already_applied => {
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
        Error::ChunkCount { have, .. } => {
            beyond_last("that are to change", u32::try_from(*have).unwrap_or(u32::MAX))
        }
        Error::IndexExceedsTotal { .. } | Error::NonContiguous { .. } => {
            "send all parts again, from `part` 1 on: more of them are kept than the last one says".to_owned()
        }
        Error::SessionChanges { .. } => {
            "try again when the other program that changes the parts has stopped".to_owned()
        }
        Error::NoChunks { composed: Some(_), .. } | Error::SessionNotFound { composed: Some(_), .. } => {
            "do nothing if the last part was only sent again, since context.composed is the file that it has made; \
             otherwise add to that file with `rw_write_file` and `append` true, or send all parts from `part` 1 on"
                .to_owned()
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
        Error::ReadRange { message, .. } if message.starts_with("bad_glob: ") => hint(error),
        Error::ReadRange { message, .. } if message == NO_DIRECTORY => {
            "pass a directory as `path`, or read the file with `rw_read_file`".to_owned()
        }
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
        Error::Policy { path, place, .. } => {
            let at = place.map(|place| format!(" at line {}", place.line)).unwrap_or_default();
            format!("ask the user to correct {path}{at}")
        }
        Error::PolicyNotFound { .. } => "ask the user to correct RW_POLICY_FILE".to_owned(),
        other => hint(other),
    }
}

/// What to do about parts that the caller does not know as they are.
fn of_unknown(UnknownParts { why, composed, parts, .. }: &UnknownParts) -> String {
    let done = if composed.is_some() { DONE_IF_SENT_BEFORE } else { "" };
    let why = match why {
        WhyUnknown::NotListed => {
            return format!(
                "{done}call `rw_list_parts` with this `path` and make this call again to go on with the parts that are \
                 there, or send all parts again from `part` 1 on: you have not listed the parts of this file in this \
                 connection, and a call without `path` lists only the files"
            );
        }
        WhyUnknown::BegunAnew => "another client has begun this file anew",
        WhyUnknown::Changed => "another client has changed the parts, see context.last_write",
    };
    if parts.is_empty() {
        return format!(
            "{done}send all parts again from `part` 1 on, or write another path: no parts are there, and {why}"
        );
    }
    format!(
        "{done}write another path, or send all parts again from `part` 1 on, which discards those of the other client, \
         or call `rw_list_parts` with this `path` and make this call again to go on with the parts that are there: {why}"
    )
}

/// What to do about parts behind the one that was sent as the last: send which parts, up to the last that is kept.
fn beyond_last(which: &str, last: u32) -> String {
    format!(
        "send the parts {which}, with an empty `content` where the file has no such part, and at the end `part` {last} with \
         `last` true; or send all parts again from `part` 1 on"
    )
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

/// A hint of the library with the tools of this set.
fn in_our_words(hint: &str) -> String {
    INSTEAD.iter().fold(hint.to_owned(), |hint, (theirs, ours)| hint.replace(theirs, ours))
}
