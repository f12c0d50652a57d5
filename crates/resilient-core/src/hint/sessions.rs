//! What to do about an error of a chunk session.

use super::or_near;
use crate::error::Error;

/// What to do first about a part that is refused where the caller's earlier parts have become a file.
pub const DONE_IF_SENT_BEFORE: &str = "do nothing if this part was sent before, since context.composed is the file that it has made; otherwise ";

/// What a caller should do about an error of a chunk session; nothing about another error.
pub(super) fn hint(error: &Error) -> Option<String> {
    Some(match error {
        Error::SessionName { .. } => {
            "pass a `session` of 1 to 64 letters, digits, _ and -".to_owned()
        }
        Error::ChunkIndex { index, .. } if *index > 999 => {
            "compose the parts that are there, and send larger parts in another `session`: it takes \
             999 at most"
                .to_owned()
        }
        Error::ChunkIndex { .. } => "pass an `index` from 1 to 999".to_owned(),
        Error::TotalExpected { .. } => {
            "pass a `total_expected` from 1 to 999, or leave it out".to_owned()
        }
        Error::IndexExceedsTotal { index, .. } => {
            format!("pass a `total_expected` of {index} or more, or leave it out")
        }
        Error::SessionNotFound { composed: Some(_), .. }
        | Error::NoChunks { composed: Some(_), .. } => {
            "do nothing if context.composed is the file that is meant: the session was composed into it, and \
             its parts are gone"
                .to_owned()
        }
        Error::SessionNotFound { near, .. } | Error::NoChunks { near, .. } => {
            or_near(near, "send the parts with `rw_chunk_append` first, or correct the `session`")
        }
        Error::SessionComposed { .. } => {
            "append more text to the file context.composed.path with `rw_safe_write` and `mode` append, since the \
             session was composed into it, or begin a session of another name"
                .to_owned()
        }
        Error::ComposedBefore { .. } => {
            "if the parts go on with the file, append their text to it with `rw_safe_write` and `mode` append, then \
             remove them with `rw_chunk_reset`; if they are a new version of it, pass context.actual_prev_sha256 as \
             `expected_prev_sha256`"
                .to_owned()
        }
        Error::AfterRefusedPart { refused: Some(part), .. } => {
            format!("send part {part} again, which was refused, and then this part")
        }
        Error::AfterRefusedPart { are_kept: false, .. } => {
            "send all parts again from the first one on, since an earlier part of yours was refused".to_owned()
        }
        Error::AfterRefusedPart { .. } => {
            "remove the parts with `rw_chunk_reset` and send all parts again, or look at the parts with `rw_chunk_status`: \
             then this call goes on with them as they are"
                .to_owned()
        }
        Error::PartsUnknown(unknown) => {
            let done = if unknown.composed.is_some() { DONE_IF_SENT_BEFORE } else { "" };
            if unknown.parts.is_empty() {
                return Some(format!("{done}send all parts again from the first one on"));
            }
            format!(
                "{done}begin a session of another name, or look at the parts with `rw_chunk_status`: then this call goes \
                 on with them as they are, those of other clients included"
            )
        }
        Error::NonContiguous { missing, .. } if missing.is_empty() => {
            "remove the parts that are too many with `rw_chunk_reset`, and send all parts again"
                .to_owned()
        }
        Error::NonContiguous { have, total_expected, .. } => {
            let last = have.last().copied().unwrap_or_default();
            let total = match total_expected {
                Some(total) if *total < last => format!(" and `total_expected` {last}"),
                _ => String::new(),
            };
            format!(
                "send the parts that context.missing lists with `rw_chunk_write`{total}; if the index of a part is \
                 wrong, send an empty `content` for it, and for each part that the file does not have"
            )
        }
        Error::ChunkCount { have, total_expected, .. } if *have < *total_expected as usize => {
            let rest = *total_expected as usize - have;
            let other = if rest == 1 { "part".to_owned() } else { format!("{rest} parts") };
            format!(
                "send the other {other} that context.missing lists, or send the last part again with \
                 `rw_chunk_write` and `total_expected` {have}"
            )
        }
        Error::ChunkCount { have, .. } => format!(
            "send the parts that context.unexpected lists again with `rw_chunk_write` and `total_expected` {have}: with \
             an empty `content` if the file does not have them, otherwise with their text"
        ),
        Error::SessionChanges { .. } => {
            "try again when the other program has stopped: it changed the parts each time that they were to be removed"
                .to_owned()
        }
        Error::ComposedNotUtf8 { .. } | Error::BadManifest { .. } => {
            "reset the session with `rw_chunk_reset` and send its parts again: a file of it was \
             damaged or edited"
                .to_owned()
        }
        _ => return None,
    })
}
