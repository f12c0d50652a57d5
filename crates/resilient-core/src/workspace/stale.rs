//! What a caller whose digest is stale is told: who changed the file, what changed, and whether the edit still
//! applies.

use similar::TextDiff;

use super::Workspace;
use crate::digest::Digest;
use crate::disk::read_all;
use crate::edit;
use crate::error::{Error, LastWrite, Since};
use crate::journal::{By, Entry, Filter};

/// A longer text is not compared.
const TEXT_BYTES_MAX: u64 = 256 << 10;
/// Nor is one of more lines: what a comparison costs grows with their square.
const LINES_MAX: usize = 4000;
/// A longer diff is cut after a line.
const DIFF_BYTES_MAX: usize = 4096;

/// The edit that was refused.
pub(super) struct Edit {
    pub(super) old_string: String,
    pub(super) count: i64,
}

impl Workspace {
    /// Adds to the refusal of a stale digest what is known of the change.
    pub(super) fn with_since(&self, error: Error, edit: Option<&Edit>) -> Error {
        let Error::Stale { path, expected, actual: Some(actual), since: None } = error else {
            return error;
        };
        let filter = Filter { path: Some(path.clone()), ..Filter::default() };
        let rows = self.journal_tail(1, &filter).map(|tail| tail.entries).unwrap_or_default();
        let last = rows.into_iter().next_back();
        let is_ours = last.as_ref().is_some_and(|row| row.sha256 == actual);
        let now = self.bytes_of(&path, actual);
        let match_count =
            edit.zip(now.as_ref()).map(|(edit, now)| edit::count(now, &edit.old_string));
        let since = Since {
            changed_by: if is_ours { "resilient_write" } else { "outside" },
            last_write: last.map(last_write),
            diff: now.and_then(|now| diff(&self.content_of(&expected)?, &now)),
            still_applies: match_count.zip(edit).map(|(found, edit)| match edit.count {
                -1 => found > 0,
                count => u64::try_from(count) == Ok(found),
            }),
            match_count,
        };
        Error::Stale { path, expected, actual: Some(actual), since: Some(Box::new(since)) }
    }

    /// What a file holds, if it is still the one with that digest and not too long to compare.
    fn bytes_of(&self, path: &str, digest: Digest) -> Option<Vec<u8>> {
        let target = self.store.roots.readable(path).ok()?;
        let file = target.dir.open(&target.name).ok()?;
        let bytes = read_all(&*file, TEXT_BYTES_MAX).ok()?;
        (Digest::of(&bytes) == digest).then_some(bytes)
    }

    /// Content that is kept in the scratchpad under its digest, unless reading that is switched off.
    fn content_of(&self, digest: &str) -> Option<Vec<u8>> {
        if self.sealed_scratch {
            return None;
        }
        let digest = Digest::read(digest)?;
        let bytes = self.scratch().bytes(digest).ok()??;
        (Digest::of(&bytes) == digest).then_some(bytes)
    }
}

fn last_write(row: Entry) -> LastWrite {
    let By { client, session, tool, .. } = row.by.unwrap_or_default();
    let (journal_id, ts, mode) = (row.journal_id, row.ts, row.mode.as_str().to_owned());
    LastWrite { journal_id, ts, mode, client, session, tool }
}

/// A unified diff of two texts with one line of context.
fn diff(old: &[u8], new: &[u8]) -> Option<String> {
    let (old, new) = (str::from_utf8(old).ok()?, str::from_utf8(new).ok()?);
    let is_short = |text: &str| text.lines().count() <= LINES_MAX;
    if !is_short(old) || !is_short(new) || old.len() as u64 > TEXT_BYTES_MAX {
        return None;
    }
    let diff = TextDiff::from_lines(old, new);
    let mut text = diff.unified_diff().context_radius(1).header("expected", "actual").to_string();
    if text.len() > DIFF_BYTES_MAX {
        text.truncate(text.floor_char_boundary(DIFF_BYTES_MAX));
        text.truncate(text.rfind('\n').map_or(0, |at| at + 1));
        text.push_str("[cut]\n");
    }
    Some(text)
}
