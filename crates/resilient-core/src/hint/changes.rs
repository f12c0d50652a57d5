//! What to do about a change that finds something else than it expects.

use crate::digest::Digest;
use crate::edit::{Diagnosis, Difference, Mistake, Nearest};
use crate::error::{Author, Changed, Since};

pub(super) fn stale(expected: &str, actual: Option<Digest>, since: Option<&Since>) -> String {
    if actual.is_none() && expected.is_empty() {
        return "read the directory, and correct the path if the file has another name: it does not exist now".to_owned();
    }
    if actual.is_none() {
        return "leave out `expected_prev_sha256` to create it, since it does not exist, or correct the path or the \
                name"
            .to_owned();
    }
    if !expected.is_empty() && !Digest::may_be_meant_by(expected) {
        return "pass a SHA-256 as `expected_prev_sha256`, all of its 64 hex digits or the first 12 at least"
            .to_owned();
    }
    match since {
        Some(since @ (Since { already_written: true, .. } | Since { already_applied: true, .. })) => {
            return made_before(since);
        }
        Some(Since { missing: Some(missing), .. }) => {
            return format!(
                "{}; the file has changed, too, so any other call needs context.actual_prev_sha256 as \
                 `expected_prev_sha256`",
                not_found(missing.nearest.as_deref(), &missing.diagnosis)
            );
        }
        Some(Since { of: Changed::Part, .. }) => {
            "look at the parts with `rw_chunk_status`, then repeat the call with context.actual_prev_sha256 as \
             `expected_prev_sha256` if this part is still to come next"
        }
        Some(since @ Since { of: Changed::NumberedPart, .. }) => return replaces_part(since),
        Some(Since { new_lines, .. }) if !new_lines.is_empty() => {
            "do nothing if this edit was made before: `new_string` stands in the file where \
             context.new_string_lines says; otherwise read the file, and repeat the call with \
             context.actual_prev_sha256 as `expected_prev_sha256`"
        }
        Some(Since { still_applies: Some(true), .. }) => {
            "repeat the call with context.actual_prev_sha256 as `expected_prev_sha256`: the edit \
             still applies to the file as it is now"
        }
        Some(Since { diff: Some(_), .. }) => {
            "look at context.diff, merge it into your text, and repeat the call with \
             context.actual_prev_sha256 as `expected_prev_sha256`"
        }
        Some(Since { of: Changed::Checkpoint, .. }) => {
            "read the checkpoint again with `rw_checkpoint_read`, merge what changed into your data, and repeat \
             the call with context.actual_prev_sha256 as `expected_prev_sha256`"
        }
        Some(Since { of: Changed::Handoff, .. }) => {
            "read the handoff again with `rw_handoff_read`, merge what changed into yours, and repeat the call \
             with context.actual_prev_sha256 as `expected_prev_sha256`"
        }
        _ => {
            "read the file again, merge what changed into your text, and repeat the call with \
             context.actual_prev_sha256 as `expected_prev_sha256`"
        }
    }
    .to_owned()
}

/// What to do about a part whose number another one has.
fn replaces_part(since: &Since) -> String {
    if since.author == Author::Caller {
        return "look at your part of this number with `rw_chunk_preview`: to replace it, repeat the call with \
                context.actual_prev_sha256 as `expected_prev_sha256`, or else pass another `index`"
            .to_owned();
    }
    let client = since.last_write.as_ref().and_then(|last| last.client.as_deref());
    let whose = match (since.author, client) {
        (Author::Namesake | Author::Other, Some(client)) => format!("of the client {client}"),
        (Author::Namesake | Author::Other, None) => "of another client".to_owned(),
        (Author::Caller | Author::Outside, _) => "of another program".to_owned(),
    };
    format!(
        "begin a session of another name, since this one has a part {whose} under the same `index`; only if that part is to \
         be replaced, look at it with `rw_chunk_preview` and repeat the call with context.actual_prev_sha256 as `expected_prev_sha256`"
    )
}

/// What to do about a change that stands there already. The same change by another client, such as the next value of a
/// counter, does not make the caller's own unnecessary.
pub(super) fn made_before(since: &Since) -> String {
    let what = match since {
        Since { already_applied: true, .. } => "the file has this edit already",
        Since { of: Changed::Part | Changed::NumberedPart, .. } => "the part is this text already",
        _ => "the file holds this text already",
    };
    let look = "decide whether your change is still to be made";
    match since.author {
        Author::Caller => format!("do nothing: {what}, from an earlier call of yours"),
        Author::Namesake => format!(
            "do nothing if context.last_write is an earlier call of yours; otherwise read what is there and {look}: {what}"
        ),
        Author::Other => format!(
            "read what is there and {look}: {what}, from another client, which context.last_write names"
        ),
        Author::Outside => {
            format!("read what is there and {look}: {what}, from another program than this server")
        }
    }
}

pub(super) fn not_found(nearest: Option<&Nearest>, diagnosis: &Diagnosis) -> String {
    if !diagnosis.new_lines.is_empty() {
        return "do nothing if this edit was made before: `new_string` stands in the file where \
                context.new_string_lines says, and `old_string` does not"
            .to_owned();
    }
    if diagnosis.already_applied {
        return "do nothing if this is that edit again: an earlier call has made the same one, and `old_string` is not in \
                the file now"
            .to_owned();
    }
    if diagnosis.empty_file {
        return "write the text with `rw_safe_write` and `mode` append, since the file is empty"
            .to_owned();
    }
    let place = nearest.map(at_place);
    if let Some(mistake) = diagnosis.mistakes.first() {
        let what = match mistake {
            Mistake::HtmlEntities => {
                "write the characters themselves in `old_string` and `new_string`, not HTML \
                 entities such as &lt; and &amp;"
            }
            Mistake::LiteralEscapes => {
                "write real line breaks, tabs and quotes in `old_string` and `new_string`, not \\n, \\t and \\\""
            }
            Mistake::LineNumbers => {
                "leave out the numbers in front of the lines in `old_string` and `new_string`: they are no \
                 part of the file"
            }
            Mistake::DiffSigns => {
                "leave out the signs of a diff, with which the lines in `old_string` and `new_string` begin: they are \
                 no part of the file"
            }
            Mistake::CodeFence => {
                "leave out the lines of three backticks in `old_string` and `new_string`: they are no part of the file"
            }
            Mistake::Placeholder => {
                "write the text itself in `old_string`, or edit a shorter part: a line such as \
                 \"... existing code ...\" stands for nothing in the file"
            }
        };
        let place = place.filter(|_| !diagnosis.corrected_lines.is_empty());
        return place.map_or_else(|| what.to_owned(), |place| format!("{what}; {place}"));
    }
    let what = place.unwrap_or_else(|| {
        "read the file and copy `old_string` from it: nothing in it comes near".to_owned()
    });
    let is_suggested = nearest.is_some_and(|it| it.suggested_old_string.is_some());
    if diagnosis.may_be_deleted && !is_suggested {
        return format!("do nothing if this text was taken out before; otherwise {what}");
    }
    what
}

/// What to pass if the nearest place is meant.
fn at_place(nearest: &Nearest) -> String {
    let others = match nearest.equal_lines.len() {
        0 | 1 => "",
        _ => "; context.nearest.equally_near_lines has the other places that may be meant",
    };
    let what = match nearest {
        Nearest { suggested_old_string: Some(_), suggestion_neighbours: 1.., .. } => {
            "pass context.nearest.suggested_old_string as `old_string` if that place is meant, and repeat in \
             `new_string` what it has before and after that place"
        }
        Nearest { suggested_old_string: Some(_), differs, .. }
            if differs
                .iter()
                .any(|it| matches!(it, Difference::Tabs | Difference::Indentation)) =>
        {
            "pass context.nearest.suggested_old_string as `old_string` if that place is meant, and indent \
             `new_string` as it is indented"
        }
        Nearest { suggested_old_string: Some(_), .. } => {
            "pass context.nearest.suggested_old_string as `old_string` if that place is meant"
        }
        _ => "read the lines around context.nearest.start_line and copy `old_string` from there",
    };
    format!("{what}{others}")
}
