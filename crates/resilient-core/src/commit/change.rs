//! What one call changes: what it has staged, where that goes, and what it is based on.

use std::ffi::{OsStr, OsString};
use std::io;
use std::sync::Arc;

use crate::contents::{digest_now, digest_of, listing};
use crate::digest::{Digest, Hasher};
use crate::disk::{Access, Dir, DirRef, File, FileId, Kind, Replace, Stat};
use crate::error::{Error, Result};
use crate::journal::{Line, Row, born};
use crate::roots::Target;
use crate::state::State;

/// Content in a slot, not yet verified and not yet durable.
#[derive(Debug)]
#[must_use = "a staged file reaches its target only when it is published"]
pub(crate) struct Staged {
    pub(crate) slot: OsString,
    /// Where the slot is: `tmp/`, or beside a target on another device.
    pub(crate) dir: DirRef,
    /// For a slot beside a target, the slot in `tmp/` that tells where it is.
    pub(crate) note: Option<OsString>,
    /// How a journal row finds the slot again: its name in `tmp/`, or an absolute path.
    pub(super) place: String,
    pub(crate) file: Arc<dyn File>,
    pub(crate) digest: Digest,
    pub(crate) len: u64,
    /// What was written, where it is at hand: what is read back is compared with it, which takes a
    /// tenth of the time that digesting it takes and shows the same.
    pub(super) bytes: Option<Arc<Vec<u8>>>,
}

impl Staged {
    /// Takes back content that turned out not to be needed. What cannot be removed is swept.
    pub(crate) fn remove(&self, state: &State) {
        let removed = self.dir.remove_file(&self.slot);
        // IMPORTANT: the note is removed after the slot that it names; else nothing would find the
        // slot again.
        if let Some(note) = &self.note
            && removed.and_then(|()| self.dir.sync()).is_ok()
        {
            let _ = state.tmp.remove_file(note);
        }
    }
}

/// From this length on, bytes are appended where the file is instead of writing it anew: what an
/// append costs is then flat in the file's length. While such an append is under way a reader may
/// see a part of it; after a crash, recovery cuts a part off.
pub const APPEND_IN_PLACE_FROM: u64 = 64 * 1024;

/// The advisory lock of a file, as long as this lives. Processes with other state directories write the same files,
/// and two writes in place must not be planned for the same end.
#[derive(Debug)]
pub(super) struct Hold(Arc<dyn File>);

impl Hold {
    /// Takes the lock, if it is free. A file system without locks is none to wait for.
    pub(super) fn take(file: &Arc<dyn File>) -> Option<Self> {
        file.try_lock().unwrap_or(true).then(|| Self(file.clone()))
    }

    pub(super) fn is_of(&self, file: FileId) -> bool {
        self.0.id().is_ok_and(|id| id == file)
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // Nothing is lost when that fails: it dies with the handle.
        let _ = self.0.unlock();
    }
}

/// A file as it is before a change.
#[derive(Debug)]
pub(crate) struct Old {
    pub(crate) file: Arc<dyn File>,
    pub(crate) stat: Stat,
    pub(crate) digest: Digest,
}

/// How staged content reaches its target.
#[derive(Debug)]
pub(crate) enum How {
    /// The slot takes the target's name.
    Rename(Replace),
    /// Slot and target exchange their names. The file that was there before comes out in the slot, and goes when
    /// the exchange is durable.
    Exchange,
    /// The slot's bytes are copied into the target, which keeps its other names. What it held is
    /// in a slot of its own.
    InPlace { file: Arc<dyn File>, undo: Staged },
}

impl How {
    /// Whether the slot stays until the file is durable.
    pub(crate) fn is_in_place(&self) -> bool {
        matches!(self, Self::InPlace { .. })
    }
}

#[derive(Debug)]
pub(crate) struct Publish {
    pub(crate) staged: Staged,
    pub(crate) target: Target,
    pub(crate) how: How,
    /// What it replaces.
    pub(crate) before: Option<Precondition>,
    /// Whether the new file gets the attributes of the old one.
    pub(crate) access: Access,
}

impl Publish {
    /// The last look at what it replaces. Attributes that somebody has given to the file since it was staged are
    /// not taken back: the new file gets them, too.
    fn check(&self) -> Result<Option<Precondition>> {
        let Some(before) = &self.before else { return Ok(None) };
        let now = before.check(&self.target)?;
        let is_kept = self.access == Access::Default && !self.how.is_in_place();
        if is_kept && now.stat != before.stat {
            self.copy_attributes().map_err(|source| match source.kind() {
                io::ErrorKind::NotFound => before.stale(&self.target, None),
                _ => Error::os(self.target.shown.clone(), "set attributes", source),
            })?;
        }
        Ok(Some(now))
    }

    fn copy_attributes(&self) -> io::Result<()> {
        let old = self.target.dir.open(&self.target.name)?;
        self.staged.file.copy_attributes(&*old)?;
        self.staged.file.sync()
    }

    fn slots(&self) -> impl Iterator<Item = &Staged> {
        let undo = match &self.how {
            How::InPlace { undo, .. } => Some(undo),
            How::Rename(_) | How::Exchange => None,
        };
        std::iter::once(&self.staged).chain(undo)
    }
}

/// Bytes that are added at a file's end, where it is.
#[derive(Debug)]
pub(crate) struct Append {
    pub(crate) file: Arc<dyn File>,
    pub(crate) target: Target,
    /// The file's length before.
    pub(crate) at: u64,
    pub(crate) bytes: Arc<Vec<u8>>,
    /// The hasher after the last of the bytes.
    pub(crate) after: Hasher,
    pub(crate) before: Precondition,
    /// The slot with the sums of its sectors, where these are too many for the row.
    pub(crate) sums: Option<Staged>,
}

/// A name that goes: first into `tmp/`, in one step, and is emptied there afterwards.
#[derive(Debug)]
pub(crate) struct Discard {
    pub(crate) dir: DirRef,
    pub(crate) name: OsString,
    pub(crate) trash: OsString,
    /// Where it belongs to a row: the slot that stays until it is done.
    pub(crate) slot: Option<OsString>,
    /// What the directory listed when it was looked at, if nothing may go that has come since.
    pub(crate) seen: Option<Vec<(OsString, Stat)>>,
}

impl Discard {
    /// Whether what is about to go is what was looked at: a program that takes no lock may have added to it.
    pub(crate) fn is_as_seen(&self) -> io::Result<bool> {
        let Some(seen) = &self.seen else { return Ok(true) };
        let look = |dir: DirRef| {
            let is_same = listing(&*dir)? == *seen;
            // Once more: something may have come while the entries were looked at.
            Ok(is_same && dir.entries()?.len() == seen.len())
        };
        match self.dir.open_dir(&self.name).and_then(look) {
            Ok(is_same) => Ok(is_same),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// What a call has based its change on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Precondition {
    stat: Stat,
    digest: Digest,
}

impl Precondition {
    pub(super) fn of(old: &Old) -> Self {
        Self { stat: old.stat, digest: old.digest }
    }

    /// Whether a name leads to the file that was looked at, as it was then. A rename changes none of what is
    /// compared.
    pub(crate) fn is_at(&self, dir: &dyn Dir, name: &OsStr) -> io::Result<bool> {
        let now = dir.stat(name)?;
        let rights = |stat: &Stat| (stat.id, stat.mode, stat.owner);
        let content = |stat: &Stat| (stat.len, stat.mtime_ns);
        if rights(&now) != rights(&self.stat) {
            return Ok(false);
        }
        if content(&now) == content(&self.stat) {
            return Ok(true);
        }
        // Somebody has touched it.
        Ok(now.id == self.stat.id
            && now.kind == Kind::File
            && digest_of(&*dir.open(name)?)?.0 == self.digest)
    }

    /// Whether a name leads to nothing else than the content that was looked at. Its rights may have changed.
    pub(crate) fn has_content(&self, dir: &dyn Dir, name: &OsStr) -> bool {
        match dir.stat(name) {
            Ok(now) => {
                let Stat { id, mode, owner, .. } = now;
                let before = Self { stat: Stat { id, mode, owner, ..self.stat }, ..*self };
                id == self.stat.id && before.is_at(dir, name).unwrap_or(false)
            }
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }

    /// Its number on the device.
    pub(crate) fn inode(&self) -> u64 {
        self.stat.id.inode
    }

    /// When it was made.
    pub(crate) fn born(&self) -> Option<i64> {
        born(&self.stat)
    }

    /// The last look before a file changes: an editor, which knows no lock, may have come in
    /// between. Gives what it is now, of which only times and attributes may differ.
    ///
    /// # Errors
    /// It holds something else, or nobody may write it any more.
    pub(crate) fn check(&self, target: &Target) -> Result<Self> {
        let now = target.dir.stat(&target.name);
        if matches!(now, Ok(now) if now == self.stat) {
            return Ok(*self);
        }
        let actual = digest_now(target).map_err(|e| Error::os(target.shown.clone(), "read", e))?;
        let is_locked = |stat: &Stat| stat.mode & 0o222 == 0;
        if let Ok(stat) = now
            && stat.id == self.stat.id
            && is_locked(&stat) == is_locked(&self.stat)
            && actual == Some(self.digest)
        {
            return Ok(Self { stat, ..*self });
        }
        Err(self.stale(target, actual))
    }

    /// The error where a target holds something else.
    pub(super) fn stale(&self, target: &Target, actual: Option<Digest>) -> Error {
        let expected = self.digest.to_string();
        Error::Stale { path: target.shown.clone(), expected, actual, since: None }
    }
}

/// What at most one call of a batch may change: a name, in whatever letters of case, and a file that may have
/// several.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Claim {
    Name(String),
    File(FileId),
}

/// How often a call is made again behind what another program has done meanwhile: an append that names no digest, and a
/// compose that removes its session.
pub(super) const FOLLOWS_MAX: u32 = 8;

/// The same for an append to a file that is written anew: the file is short, and so is each try.
pub(super) const SHORT_FOLLOWS_MAX: u32 = 64;

/// What one call changes. Its files are published in order; the journal row, if it has one, names
/// the last of them.
#[derive(Debug, Default)]
pub(crate) struct Change {
    pub(crate) publishes: Vec<Publish>,
    pub(crate) append: Option<Append>,
    pub(crate) line: Option<(Arc<dyn File>, Line, Target)>,
    pub(crate) row: Option<Row>,
    pub(crate) discards: Vec<Discard>,
    /// How often it is made again behind whatever its file holds by then: an append that names no digest.
    pub(super) follows: u32,
    /// Directories that were made for it.
    pub(crate) made: Vec<(DirRef, OsString)>,
    /// Directories that lead to its targets and may not be durable yet.
    pub(crate) ancestors: Vec<DirRef>,
    pub(super) claims: Vec<Claim>,
    /// The locks of the files that it changes, until it is done.
    pub(super) holds: Vec<Hold>,
}

impl Change {
    /// The targets of all that it writes.
    pub(crate) fn targets(&self) -> impl Iterator<Item = &Target> {
        let line = self.line.iter().map(|(_, _, target)| target);
        let append = self.append.iter().map(|append| &append.target);
        self.publishes.iter().map(|publish| &publish.target).chain(append).chain(line)
    }

    /// Whether anything is written or removed. A call may only look under the lock.
    pub(super) fn changes_anything(&self) -> bool {
        self.targets().next().is_some() || self.row.is_some() || !self.discards.is_empty()
    }

    /// How often the call is made again where an error says that another program is at work.
    pub(super) fn tries_behind(&self, error: &Error) -> u32 {
        match error {
            Error::Stale { .. } => self.follows,
            Error::SessionChanges { .. } => FOLLOWS_MAX,
            _ => 0,
        }
    }

    /// All its slots, each with the path of the target as it is shown.
    pub(crate) fn slots(&self) -> impl Iterator<Item = (&Staged, &str)> {
        let of_publishes = self
            .publishes
            .iter()
            .flat_map(|publish| publish.slots().map(|slot| (slot, publish.target.shown.as_str())));
        let of_append = self.append.iter().filter_map(|append| {
            append.sums.as_ref().map(|sums| (sums, append.target.shown.as_str()))
        });
        of_publishes.chain(of_append)
    }

    /// The last look at all that it is based on; gives what its files replace now, in their order.
    pub(crate) fn check(&self) -> Result<Vec<Option<Precondition>>> {
        let looked = self.publishes.iter().map(Publish::check).collect::<Result<_>>()?;
        self.append.iter().try_for_each(|append| append.before.check(&append.target).map(drop))?;
        for discard in &self.discards {
            if !discard.is_as_seen().map_err(|source| Error::os(self.name(), "read", source))? {
                let session = discard.name.to_string_lossy().into_owned();
                return Err(Error::SessionChanges { session });
            }
        }
        Ok(looked)
    }

    pub(crate) fn name(&self) -> String {
        self.row.as_ref().map(|row| row.path.clone()).unwrap_or_default()
    }

    pub(crate) fn unknown(&self, source: io::Error) -> Error {
        Error::OutcomeUnknown {
            path: self.name(),
            journal_id: self.row.as_ref().map(|row| row.journal_id.clone()),
            part_from: None,
            source,
        }
    }

    /// The same where a part of the change may be in the file, from a byte on.
    pub(crate) fn unknown_from(&self, from: u64, source: io::Error) -> Error {
        Error::OutcomeUnknown {
            path: self.name(),
            journal_id: self.row.as_ref().map(|row| row.journal_id.clone()),
            part_from: Some(from),
            source,
        }
    }
}
