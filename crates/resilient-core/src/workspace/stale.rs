//! What a caller whose digest is stale is told: who changed the file, what changed, and whether the edit still
//! applies.

use similar::TextDiff;

use super::Workspace;
use crate::chunk;
use crate::digest::Digest;
use crate::disk::read_all;
use crate::edit::{self, Refusal};
use crate::error::{Author, Changed, Composed, Error, LastWrite, Missing, Since};
use crate::form::Asked;
use crate::journal::{By, Entry, Filter};
use crate::risk;
use crate::write::{self, WriteMode, WriteRequest};

/// A longer text is not compared.
const TEXT_BYTES_MAX: u64 = 256 << 10;
/// Nor is a longer file looked at for an edit that was made before.
const EDITED_BYTES_MAX: u64 = 4 << 20;
/// Nor is one of more lines: what a comparison costs grows with their square.
const LINES_MAX: usize = 4000;
/// A longer diff is cut after a line.
const DIFF_BYTES_MAX: usize = 4096;

/// What a call that was refused wanted to write.
pub(super) enum Wanted {
    /// All of a file, or of a part.
    Whole(Changed, Digest),
    /// All of a file that is not to be there.
    New(String),
    /// The end of a file.
    End(End),
    /// An edit of a file.
    Edit(Edit),
    /// Another state of something else than a file.
    State(Changed),
}

/// An append that was refused.
pub(super) struct End {
    pub(super) content: String,
    pub(super) form: Asked,
}

/// An edit that was refused.
pub(super) struct Edit {
    pub(super) old_string: String,
    pub(super) new_string: String,
    pub(super) count: i64,
    pub(super) form: Asked,
}

impl Wanted {
    /// What a write wants, if it may be refused for what is there.
    pub(super) fn of(request: &WriteRequest) -> Option<Self> {
        let WriteRequest { content, mode, expected_prev_sha256, form, .. } = request;
        match mode {
            WriteMode::Append => expected_prev_sha256
                .is_some()
                .then(|| Self::End(End { content: content.clone(), form: *form })),
            WriteMode::Create => {
                let is_short = content.len() as u64 <= TEXT_BYTES_MAX;
                is_short.then(|| Self::New(content.clone()))
            }
            WriteMode::Overwrite => {
                Self::whole(Changed::File, content, expected_prev_sha256.as_deref())
            }
        }
    }

    /// Text that is to be all of a file or of a part, for a call that names a digest: no other is refused for one.
    pub(super) fn whole(of: Changed, content: &str, expected: Option<&str>) -> Option<Self> {
        let is_short = content.len() as u64 <= TEXT_BYTES_MAX;
        (is_short && expected.is_some()).then(|| Self::Whole(of, Digest::of(content.as_bytes())))
    }
}

impl Workspace {
    /// Adds to a refusal for what is there what is known of how that came there.
    pub(super) fn with_since(&self, error: Error, wanted: Option<&Wanted>) -> Error {
        let (path, expected, actual) = match (error, wanted) {
            (Error::Stale { path, expected, actual: Some(actual), since: None }, _) => {
                (path, expected, actual)
            }
            (
                Error::AlreadyExists { path, sha256: Some(sha256), since: None },
                Some(Wanted::New(content)),
            ) if Digest::of(content.as_bytes()) == sha256 => {
                let since = Since { already_written: true, ..self.since_of(&path, sha256) };
                let since = Some(Box::new(since));
                return Error::AlreadyExists { path, sha256: Some(sha256), since };
            }
            (other, _) => return other,
        };
        if !expected.is_empty() && !Digest::may_be_meant_by(&expected) {
            return Error::Stale { path, expected, actual: Some(actual), since: None };
        }
        let edit = match wanted {
            Some(Wanted::Edit(edit)) => Some(edit),
            _ => None,
        };
        let (of, already_written) = match wanted {
            Some(Wanted::Whole(of, digest)) => (*of, *digest == actual),
            Some(Wanted::State(of)) => (*of, false),
            Some(Wanted::End(end)) => (Changed::File, self.is_appended(&path, end, &expected)),
            Some(Wanted::New(_) | Wanted::Edit(_)) | None => (Changed::File, false),
        };
        let bytes_max = if edit.is_some() { EDITED_BYTES_MAX } else { TEXT_BYTES_MAX };
        let now = self.bytes_of(&path, actual, bytes_max);
        let made =
            edit.zip(now.as_ref()).and_then(|(edit, now)| edit.lines_if_made(now, &expected));
        let already_applied = made.is_some();
        let now = now.filter(|now| now.len() as u64 <= TEXT_BYTES_MAX);
        // An edit that was made is not told how to make it again.
        let open = edit.filter(|_| !already_applied).zip(now.as_ref());
        let match_count = open.map(|(edit, now)| edit::count(now, &edit.old_string));
        let missing = open.and_then(|(edit, now)| edit.missing_in(now));
        let may_be_made = open.map(|(edit, now)| edit.lines_if_inserted(now));
        let since = Since {
            of,
            already_written,
            diff: now.and_then(|now| self.diff(&self.content_of(&expected)?, &now)),
            still_applies: match_count.zip(edit).map(|(found, edit)| match edit.count {
                -1 => found > 0,
                count => u64::try_from(count) == Ok(found),
            }),
            match_count,
            already_applied,
            new_lines: made.or(may_be_made).unwrap_or_default(),
            missing: missing.map(Box::new),
            ..self.since_of(&path, actual)
        };
        Error::Stale { path, expected, actual: Some(actual), since: Some(Box::new(since)) }
    }

    /// Who has written what a path has now, as far as the journal knows.
    fn since_of(&self, path: &str, now: Digest) -> Since {
        let filter = Filter { path: Some(path.to_owned()), ..Filter::default() };
        let rows = self.journal_tail(1, &filter).map(|tail| tail.entries).unwrap_or_default();
        let last = rows.into_iter().next_back();
        let ours = last.as_ref().filter(|row| row.sha256 == now);
        let nobody = By::default();
        let me = self.store.by().unwrap_or(&nobody);
        let author = ours.map(|row| match row.by.as_ref().unwrap_or(&nobody) {
            by if by.client != me.client && !by.is_of_program(me) => Author::Other,
            by if by.client != me.client || by.session != me.session => Author::Namesake,
            _ => Author::Caller,
        });
        Since {
            changed_by: if ours.is_some() { "resilient_write" } else { "outside" },
            author: author.unwrap_or_default(),
            last_write: last.map(last_write),
            ..Since::default()
        }
    }

    /// Whether an append was made before.
    fn is_appended(&self, path: &str, end: &End, expected: &str) -> bool {
        let target = self.store.roots.readable(path);
        let is_appended = |target| write::is_appended(&target, &end.content, end.form, expected);
        target.and_then(is_appended).unwrap_or(false)
    }

    /// Adds to the refusal of a chunk session that is not there the file that it was composed into.
    pub(super) fn with_composed(&self, mut error: Error) -> Error {
        if let Error::SessionNotFound { session, composed, .. }
        | Error::NoChunks { session, composed, .. } = &mut error
        {
            *composed = self.composed_of(session).map(Box::new);
        }
        error
    }

    /// The file that a chunk session was composed into last, if that is not long ago.
    #[must_use]
    pub fn composed_of(&self, session: &str) -> Option<Composed> {
        let journals = self.store.visible().ok()??;
        chunk::composed_of(&journals, session)
    }

    /// What a file holds, if it is still the one with that digest and not too long to compare.
    fn bytes_of(&self, path: &str, digest: Digest, bytes_max: u64) -> Option<Vec<u8>> {
        let target = self.store.roots.readable(path).ok()?;
        let file = target.dir.open(&target.name).ok()?;
        let bytes = read_all(&*file, bytes_max).ok()?;
        (Digest::of(&bytes) == digest).then_some(bytes)
    }

    /// What changed between two texts, and no secret of them whole. Where nothing else changed, nothing is told.
    fn diff(&self, old: &[u8], new: &[u8]) -> Option<String> {
        let (old, new) = (str::from_utf8(old).ok()?, str::from_utf8(new).ok()?);
        let is_short = |text: &str| text.lines().count() <= LINES_MAX;
        if !is_short(old) || !is_short(new) || old.len() as u64 > TEXT_BYTES_MAX {
            return None;
        }
        let policy = self.policy().unwrap_or_default();
        let (old, new) = (risk::veil(old, &policy.risk), risk::veil(new, &policy.risk));
        (old != new).then(|| diff(&old, &new))
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

impl Edit {
    /// Where its new text begins, if it is what has made these bytes of the ones with the expected digest.
    fn lines_if_made(&self, bytes: &[u8], expected: &str) -> Option<Vec<u64>> {
        let Self { old_string, new_string, count, form } = self;
        let is_before = |before: &[u8]| Digest::of(before).is_meant_by(expected);
        edit::made_in(bytes, old_string, new_string, *count, *form, is_before)
    }

    /// Where its new text begins, if that holds the old one, so that the edit would be made a second time.
    fn lines_if_inserted(&self, bytes: &[u8]) -> Vec<u64> {
        let Self { old_string, new_string, form, .. } = self;
        if old_string == new_string || !new_string.contains(old_string) {
            return Vec::new();
        }
        edit::lines_of(bytes, new_string, form.encoding)
    }

    /// The place that comes closest to its text, if that does not occur in these bytes, and why it does not.
    fn missing_in(&self, bytes: &[u8]) -> Option<Missing> {
        let Self { old_string, new_string, count, form } = self;
        match edit::replace_in(bytes, old_string, new_string, *count, *form) {
            Err(
                Refusal::NotFound { nearest, diagnosis }
                | Refusal::NotUtf8 { nearest, diagnosis, .. },
            ) => Some(Missing { nearest, diagnosis }),
            _ => None,
        }
    }
}

fn last_write(row: Entry) -> LastWrite {
    let By { client, session, tool, .. } = row.by.unwrap_or_default();
    let (journal_id, ts, mode) = (row.journal_id, row.ts, row.mode.as_str().to_owned());
    LastWrite { journal_id, ts, mode, client, session, tool }
}

/// A unified diff of two texts with one line of context.
fn diff(old: &str, new: &str) -> String {
    let diff = TextDiff::from_lines(old, new);
    let mut text = diff.unified_diff().context_radius(1).header("expected", "actual").to_string();
    if text.len() > DIFF_BYTES_MAX {
        text.truncate(text.floor_char_boundary(DIFF_BYTES_MAX));
        text.truncate(text.rfind('\n').map_or(0, |at| at + 1));
        text.push_str("[cut]\n");
    }
    text
}
