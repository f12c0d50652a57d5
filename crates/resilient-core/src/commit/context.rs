//! A call at work: it looks at what is there, stages new content and says what is to become of it.
//!
//! Nothing of the user's tree changes here. What a call has put into its [`Change`] is carried out
//! by the batch, or taken back.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::change::{
    APPEND_IN_PLACE_FROM, Append, Change, Claim, Discard, FOLLOWS_MAX, Hold, How, Old,
    Precondition, Publish, SHORT_FOLLOWS_MAX, Staged,
};
use crate::beside::{self, Note};
use crate::contents::{Content, copy_all, digest_now, digest_range, read_whole, write_again};
use crate::digest::{Digest, Hasher, PrefixHashes};
use crate::disk::{Access, DirRef, File, Kind, Replace, Stat, SyncItem};
use crate::ensure;
use crate::error::{Error, Result};
use crate::journal::{Also, By, Exchange, InPlace, Line, Mode, RemovedDir, Row, born};
use crate::log;
use crate::name::without_case;
use crate::pending::Pending;
use crate::recovery;
use crate::roots::Target;
use crate::sectors::{Sectors, Sums};
use crate::state::{Digests, State};
use crate::store::Store;

/// A call at work under the lock: what it may look at, and where it puts what it changes.
pub(crate) struct WriteContext<'a> {
    pub(crate) store: &'a Store,
    pub(crate) state: &'a mut State,
    /// Whose call it is.
    pub(super) by: Option<Arc<By>>,
    pub(super) claimed: &'a HashSet<Claim>,
    /// The logs that calls in front of this one in the batch add lines to.
    pub(super) logs: &'a HashMap<PathBuf, Log>,
    /// Whether long files are read under the lock.
    pub(super) reads_long: bool,
    /// The long file for which the call was deferred.
    pub(super) unread: Option<Unread>,
    /// The file, as it is shown, that another process has locked, for which the call was deferred.
    pub(super) busy: Option<String>,
    pub(super) change: Change,
}

/// A long file that nobody has digested yet.
pub(super) struct Unread {
    file: Arc<dyn File>,
    stat: Stat,
}

impl Unread {
    /// Digests it for the call's next turn, if it stays the same meanwhile. What cannot be read is told in that turn.
    pub(super) fn read(&self, into: &Digests) {
        let mut hasher = Hasher::default();
        let read = digest_range(&*self.file, 0, self.stat.len, &mut hasher);
        if read.and_then(|()| self.file.stat()).is_ok_and(|stat| stat == self.stat) {
            into.put_ahead(self.stat, hasher);
        }
    }
}

/// A log that the batch adds lines to.
pub(crate) struct Log {
    file: Arc<dyn File>,
    /// Where the next line goes.
    end: u64,
    /// Whether another line may follow in this batch.
    takes_more: bool,
}

impl Log {
    /// The log of a change that has a line for one, as it is behind that line.
    pub(super) fn behind(change: &Change) -> Option<(PathBuf, Self)> {
        let (file, line, target) = change.line.as_ref()?;
        let end = line.end();
        Some((
            target.path.clone(),
            Self { file: file.clone(), end, takes_more: change.row.is_some() },
        ))
    }
}

/// What a caller learns of a row that will be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Journaled {
    pub(crate) journal_id: String,
    pub(crate) ts: String,
}

impl WriteContext<'_> {
    /// Reserves a target for this call, under all names that it has.
    ///
    /// # Errors
    /// A call in front of this one in the batch has it, or the workspace was replaced while the batch began:
    /// [`Error::Deferred`]. An unfinished write of it waits for recovery: [`Error::UnitPending`].
    /// No row can name it: [`Error::NameNotUtf8`].
    pub(crate) fn claim(&mut self, target: &Target) -> Result<()> {
        let home = &self.state.home;
        if target.root.path == home.path && !target.root.is(home) {
            // The row belongs into the state that is beside the file.
            return Err(Error::Deferred);
        }
        // IMPORTANT: here, before anything is staged. Recovery would take U+FFFD in the row for the name of another file.
        if !self.store.is_nameable(&target.path) {
            return Err(Error::NameNotUtf8 { path: target.shown.clone() });
        }
        if let Some(pending) = self.state.pending.get(&target.path, &target.shown).cloned() {
            return Err(self.refuse_pending(target.shown.clone(), pending));
        }
        let file = target.stat.map(|stat| Claim::File(stat.id));
        let claims: Vec<Claim> =
            std::iter::once(Claim::Name(without_case(&target.path.to_string_lossy())))
                .chain(file)
                .collect();
        if claims.iter().any(|claim| self.claimed.contains(claim)) {
            return Err(Error::Deferred);
        }
        self.change.claims.extend(claims);
        Ok(())
    }

    /// Checks that no unfinished write waits in a directory of the state, whose files a call takes
    /// together.
    ///
    /// # Errors
    /// One does: [`Error::UnitPending`].
    pub(crate) fn claim_below(&mut self, below: &[&str]) -> Result<()> {
        let dir = below.iter().fold(self.store.state_path(), |dir, name| dir.join(name));
        match self.state.pending.below(&dir).cloned() {
            Some(pending) => Err(self.refuse_pending(self.store.show_state(&dir), pending)),
            None => Ok(()),
        }
    }

    fn refuse_pending(&mut self, path: String, pending: Pending) -> Error {
        // The next call looks again: what stood in the way may be gone.
        self.state.looks_again = true;
        Error::UnitPending { path, journal_id: pending.journal_id, reason: pending.reason }
    }

    /// Opens and digests what a target holds now, and what the call is to change. A file that is written in place
    /// stays locked until the call is done.
    ///
    /// # Errors
    /// The file is long, and is to be read while others have the lock, or another process has it locked:
    /// [`Error::Deferred`].
    pub(crate) fn old(&mut self, target: &Target) -> Result<Option<Old>> {
        let Some((file, stat)) = self.open_to_change(target)? else { return Ok(None) };
        self.digest(target, file, stat).map(Some)
    }

    /// The same where the call does not change it.
    pub(crate) fn look(&mut self, target: &Target) -> Result<Option<Old>> {
        let Some((file, stat)) = open_old(target)? else { return Ok(None) };
        self.digest(target, file, stat).map(Some)
    }

    fn digest(&mut self, target: &Target, file: Arc<dyn File>, stat: Stat) -> Result<Old> {
        let digest = self.read(target, &file, stat)?.finish();
        Ok(Old { file, stat, digest })
    }

    /// The same with the content, which is read once: what is edited is what was digested.
    pub(crate) fn old_content(
        &mut self,
        target: &Target,
    ) -> Result<Option<(Old, Vec<u8>, PrefixHashes)>> {
        let Some((file, stat)) = self.open_to_change(target)? else { return Ok(None) };
        let content = read_whole(&*file, &target.shown)?;
        let prefixes = PrefixHashes::of(&content);
        Ok(Some((Old { file, stat, digest: prefixes.digest() }, content, prefixes)))
    }

    /// What a target holds now; nothing where there is no file.
    pub(crate) fn old_bytes(&self, target: &Target) -> Result<Vec<u8>> {
        let Some((file, _)) = open_old(target)? else { return Ok(Vec::new()) };
        read_whole(&*file, &target.shown)
    }

    /// Opens what a target holds now. A file that others may write in place is locked until the call is done: what is
    /// seen of it from now on holds until then. Only programs that take no lock change it.
    ///
    /// Nothing waits here. A batch may have locked other files, and the process that has this one may want those.
    fn open_to_change(&mut self, target: &Target) -> Result<Option<(Arc<dyn File>, Stat)>> {
        if !target.stat.as_ref().is_some_and(is_written_in_place) {
            return match open_old(target)? {
                // It was short or had one name when it was looked at: it is looked at again, and locked.
                Some((_, stat)) if is_written_in_place(&stat) => Err(Error::Deferred),
                old => Ok(old),
            };
        }
        let os = |source| Error::os(target.shown.clone(), "open", source);
        let Some(file) = unless_gone(target.dir.open(&target.name)).map_err(os)? else {
            return Ok(None);
        };
        let id = file.id().map_err(os)?;
        let file = Arc::from(file);
        if !self.change.holds.iter().any(|hold| hold.is_of(id)) {
            let Some(hold) = Hold::take(&file) else {
                self.busy = Some(target.shown.clone());
                return Err(Error::Deferred);
            };
            self.change.holds.push(hold);
        }
        match unless_gone(target.dir.stat(&target.name)).map_err(os)? {
            Some(stat) if stat.id == id => Ok(Some((file, stat))),
            // Another file took its name before it was locked.
            Some(_) => Err(Error::Deferred),
            None => Ok(None),
        }
    }

    /// The same with the hasher after its last byte. Costs nothing of its length when this process appended to it last
    /// and nobody has touched it since.
    pub(crate) fn old_for_append(&mut self, target: &Target) -> Result<Option<(Old, Hasher)>> {
        let Some((file, stat)) = self.open_to_change(target)? else { return Ok(None) };
        let hasher = match self.state.digests.appended(&stat) {
            Some(hasher) => hasher,
            None => self.read(target, &file, stat)?,
        };
        Ok(Some((Old { file, stat, digest: hasher.finish() }, hasher)))
    }

    /// The hasher after a file's last byte.
    fn read(&mut self, target: &Target, file: &Arc<dyn File>, stat: Stat) -> Result<Hasher> {
        let digests = &self.state.digests;
        if let Some(hasher) = digests.take_ahead(&stat) {
            return Ok(hasher);
        }
        if !self.reads_long && Digests::is_read_ahead(&stat, &*self.store.clock) {
            self.unread = Some(Unread { file: file.clone(), stat });
            return Err(Error::Deferred);
        }
        let mut hasher = Hasher::default();
        digest_range(&**file, 0, stat.len, &mut hasher)
            .map_err(|source| Error::os(target.shown.clone(), "read", source))?;
        Ok(hasher)
    }

    /// Opens the directories whose names the first wait makes durable. Now, where a failure refuses
    /// the call alone.
    pub(super) fn open_ancestors(&mut self, open: &mut HashMap<PathBuf, DirRef>) -> Result<()> {
        let mut ancestors = Vec::new();
        for target in self.change.targets() {
            if !self.state.durable_dirs.has(target) {
                ancestors.extend(self.store.ancestors(target, open)?);
            }
        }
        self.change.ancestors = ancestors;
        Ok(())
    }

    /// Makes the directories that lead to a target.
    fn make_parents(&mut self, target: &mut Target, access: Access) -> Result<()> {
        for name in std::mem::take(&mut target.missing) {
            let failed = |source| Error::MakeDirectory { path: target.shown.clone(), source };
            if ensure::make_dir(&*target.dir, &name, access).map_err(failed)? {
                self.change.made.push((target.dir.clone(), name.clone()));
            }
            target.dir = target.dir.open_dir(&name).map_err(failed)?;
        }
        Ok(())
    }

    /// Stages bytes that are at hand.
    pub(crate) fn stage(&mut self, target: &Target, content: &Content) -> Result<Staged> {
        let slot = self.open_slot(target)?;
        write_slot(self.state, slot, content.clone())
            .map_err(|source| Error::os(target.shown.clone(), "write", source))
    }

    /// Stages what `parts` yields, a part at a time.
    pub(crate) fn stage_parts(
        &mut self,
        target: &Target,
        mut parts: impl FnMut() -> Result<Option<Vec<u8>>>,
    ) -> Result<Staged> {
        let mut staged = self.open_slot(target)?;
        let mut hasher = Hasher::default();
        let written = (|| {
            while let Some(part) = parts()? {
                hasher.update(&part);
                staged
                    .file
                    .write_all_at(&part, staged.len)
                    .map_err(|source| Error::os(target.shown.clone(), "write", source))?;
                staged.len += part.len() as u64;
            }
            Ok(())
        })();
        if let Err(error) = written {
            staged.remove(self.state);
            return Err(error);
        }
        staged.digest = hasher.finish();
        Ok(staged)
    }

    /// Opens a slot from which a rename can reach the target.
    fn open_slot(&mut self, target: &Target) -> Result<Staged> {
        let os = |source| Error::os(target.shown.clone(), "stage", source);
        let near = self.state.tmp.reaches(&*target.dir).map_err(os)?;
        let staged = self.take_slot().map_err(os)?;
        if near { Ok(staged) } else { self.stage_beside(staged, target).map_err(os) }
    }

    fn take_slot(&mut self) -> io::Result<Staged> {
        let (slot, file) = self.state.slots.take()?;
        Ok(Staged {
            place: slot.to_string_lossy().into_owned(),
            slot,
            dir: self.state.tmp.clone(),
            note: None,
            file,
            digest: Digest::of(b""),
            len: 0,
            bytes: None,
        })
    }

    /// Gives a target on another device or mount a slot beside it. The slot in `tmp/` becomes a note of it,
    /// so that recovery finds it without a search.
    fn stage_beside(&mut self, note: Staged, target: &Target) -> io::Result<Staged> {
        let mut path = target.path.clone();
        path.pop();
        // The parent directories may not exist yet; the slot then lies in the deepest one.
        for _ in &target.missing {
            path.pop();
        }
        let slot = beside::name_of(&note.place);
        path.push(&slot);
        let place = path.to_string_lossy().into_owned();
        let home = Some(self.state.home.path.to_string_lossy().into_owned());
        let pointer = serde_json::to_vec(&Note { beside: place.clone(), home })?;
        let noted = note.file.write_all_at(&pointer, 0).and_then(|()| note.file.sync());
        // IMPORTANT: private. It gets its content before it gets the attributes of what it replaces.
        let file = match noted.and_then(|()| target.dir.create_new(&slot, Access::Private)) {
            Ok(file) => file.into(),
            Err(error) => {
                note.remove(self.state);
                return Err(error);
            }
        };
        let dir = target.dir.clone();
        let staged = Staged { slot, dir, note: Some(note.slot), place, file, ..note };
        match staged.dir.sync() {
            Ok(()) => Ok(staged),
            Err(error) => {
                staged.remove(self.state);
                Err(error)
            }
        }
    }

    /// Publishes staged content at a target, with a row in the journal.
    pub(crate) fn publish(
        &mut self,
        staged: Staged,
        mut target: Target,
        old: Option<&Old>,
        mode: Mode,
    ) -> Result<Journaled> {
        let row = self.new_row(&target, staged.digest, staged.len, old.map(|old| old.digest), mode);
        let staged_name = staged.place.clone();
        let row = Row { staged: Some(staged_name), ..row };
        match old.filter(|old| old.stat.links > 1) {
            None => {
                self.push(staged, &mut target, old, Access::Default)?;
                let exchange = self.exchange()?;
                Ok(self.journal(Row { exchange, ..row }))
            }
            Some(old) => {
                let undo = self.publish_in_place(staged, target, old)?;
                Ok(self.journal(Row { undo: Some(undo), ..row }))
            }
        }
    }

    /// Publishes by way of the file itself; gives the slot that holds what it was.
    fn publish_in_place(&mut self, staged: Staged, target: Target, old: &Old) -> Result<String> {
        let os = |source| Error::os(target.shown.clone(), "stage", source);
        let prepared = (|| {
            let file = open_again(&target, old)?;
            self.sync_target(&target, &file, old.stat.len)?;
            Ok(file)
        })();
        let undo = prepared.and_then(|file| Ok((file, self.take_slot().map_err(os)?)));
        let (file, undo) = match undo {
            Ok(parts) => parts,
            Err(error) => {
                staged.remove(self.state);
                return Err(error);
            }
        };
        let undo = Staged { digest: old.digest, len: old.stat.len, ..undo };
        let copied = copy_all(&*old.file, &*undo.file)
            .and_then(|()| undo.file.make_private())
            .and_then(|()| staged.file.make_private());
        let place = undo.place.clone();
        self.change.publishes.push(Publish {
            staged,
            target: target.clone(),
            how: How::InPlace { file, undo },
            before: Some(Precondition::of(old)),
            access: Access::Default,
        });
        copied.map_err(os)?;
        Ok(place)
    }

    /// Publishes a state file, private to the user, with a row in the journal.
    pub(crate) fn publish_state(
        &mut self,
        staged: Staged,
        mut target: Target,
        old: Option<&Old>,
        mode: Mode,
    ) -> Result<Journaled> {
        let row = self.new_row(&target, staged.digest, staged.len, old.map(|old| old.digest), mode);
        let staged_name = staged.place.clone();
        self.push(staged, &mut target, old, Access::Private)?;
        let exchange = self.exchange()?;
        Ok(self.journal(Row { staged: Some(staged_name), exchange, ..row }))
    }

    /// Publishes a state file that has no row of its own, before the file of the row.
    pub(crate) fn publish_also(
        &mut self,
        staged: Staged,
        mut target: Target,
        old: Option<&Old>,
    ) -> Result<Also> {
        let also = Also {
            abs_path: target.path.to_string_lossy().into_owned(),
            exchange: None,
            prev_sha256: old.map(|old| old.digest),
            sha256: staged.digest,
            staged: staged.place.clone(),
        };
        self.push(staged, &mut target, old, Access::Private)?;
        Ok(Also { exchange: self.exchange()?, ..also })
    }

    /// What the row says of the file that was pushed last, where it is to be exchanged.
    fn exchange(&self) -> Result<Option<Exchange>> {
        let Some(Publish { staged, target, how: How::Exchange, before: Some(before), .. }) =
            self.change.publishes.last()
        else {
            return Ok(None);
        };
        let os = |source| Error::os(target.shown.clone(), "stage", source);
        Ok(Some(Exchange {
            dir: staged.dir.id().map_err(os)?.inode,
            old: before.inode(),
            staged: staged.file.id().map_err(os)?.inode,
            born: before.born(),
        }))
    }

    fn push(
        &mut self,
        staged: Staged,
        target: &mut Target,
        old: Option<&Old>,
        access: Access,
    ) -> Result<()> {
        let shown = target.shown.clone();
        let prepared = (|| {
            self.make_parents(target, access)?;
            match (access, old) {
                (Access::Private, _) => staged.file.make_private(),
                (Access::Default, Some(old)) => staged.file.copy_attributes(&*old.file),
                (Access::Default, None) => staged.file.adopt_directory(&*target.dir),
            }
            .map_err(|source| Error::os(shown, "set attributes", source))
        })();
        let how = match old {
            None => How::Rename(Replace::No),
            Some(_) if self.state.can_exchange && staged.note.is_none() => How::Exchange,
            Some(_) => How::Rename(Replace::Yes),
        };
        let before = old.map(Precondition::of);
        self.change.publishes.push(Publish { staged, target: target.clone(), how, before, access });
        prepared
    }

    /// Says that the call goes behind whatever its file holds when it is carried out.
    pub(crate) fn follows(&mut self, is_in_place: bool) {
        self.change.follows = if is_in_place { FOLLOWS_MAX } else { SHORT_FOLLOWS_MAX };
    }

    /// Appends to a file where it is, with a row in the journal; gives the digest of the whole.
    pub(crate) fn append(
        &mut self,
        target: Target,
        old: &Old,
        before: &Hasher,
        bytes: Arc<Vec<u8>>,
    ) -> Result<(Journaled, Digest)> {
        let file = open_again(&target, old)?;
        if self.state.digests.appended(&old.stat).is_none() {
            self.sync_target(&target, &file, old.stat.len)?;
        }
        let mut after = before.clone();
        after.update(&bytes);
        let (sha256, at) = (after.finish(), old.stat.len);
        let len = at + bytes.len() as u64;
        let row = self.new_row(&target, sha256, len, Some(old.digest), Mode::Append);
        let numbers = self.numbers(old, &target)?;
        let before = Precondition::of(old);
        let sums = Sums::of(&bytes, at);
        let (sectors, sums) = if sums.are_many() {
            let slot = self.stage_sums(&target, &sums)?;
            (Sectors::InSlot { sha256: slot.digest, slot: slot.place.clone() }, Some(slot))
        } else {
            (Sectors::InRow(sums), None)
        };
        self.change.append = Some(Append { file, target, at, bytes, after, before, sums });
        let sectors = Some(sectors);
        Ok((self.journal(Row { at: Some(at), sectors, file: numbers, ..row }), sha256))
    }

    fn stage_sums(&mut self, target: &Target, sums: &Sums) -> Result<Staged> {
        let os = |source| Error::os(target.shown.clone(), "stage", source);
        let slot = self.take_slot().map_err(os)?;
        write_slot(self.state, slot, Content::of(sums.as_bytes().to_vec())).map_err(os)
    }

    /// What the row says of a file that is written where it is, where a file keeps its number.
    fn numbers(&self, old: &Old, target: &Target) -> Result<Option<InPlace>> {
        if !self.state.can_exchange {
            return Ok(None);
        }
        let os = |source| Error::os(target.shown.clone(), "stage", source);
        let dir = self.state.tmp.id().map_err(os)?.inode;
        Ok(Some(InPlace { dir, inode: old.stat.id.inode, born: born(&old.stat) }))
    }

    /// Makes a file durable that others may have written, with the names that lead to it.
    ///
    /// IMPORTANT: it is so before a row says anything of it. Else a crash could keep the row and
    /// lose what it describes.
    fn sync_target(&mut self, target: &Target, file: &Arc<dyn File>, len: u64) -> Result<()> {
        let mut items = vec![SyncItem::File(file.clone()), SyncItem::Dir(target.dir.clone())];
        let ancestors = if self.state.durable_dirs.has(target) {
            Vec::new()
        } else {
            self.store.directories_above(target)?
        };
        items.extend(ancestors.into_iter().map(SyncItem::Dir));
        let results = self.store.disk.sync_all(&items);
        if results.first().is_some_and(io::Result::is_err) {
            // IMPORTANT: the system counts what could not be written as written from now on, and a
            // second sync succeeds. With fresh bytes it does not.
            let _ = write_again(&**file, 0, len);
        }
        for result in results {
            result.map_err(|source| Error::os(target.shown.clone(), "sync", source))?;
        }
        self.state.durable_dirs.add(target);
        Ok(())
    }

    /// Journals a write that found its content in place, and makes sure that it is durable.
    pub(crate) fn confirm(&mut self, target: &Target, old: &Old, mode: Mode) -> Result<Journaled> {
        // Some systems sync only what is open for writing; a file that may not be written is synced
        // as it was opened.
        let file = target.dir.open_write(&target.name).map_or_else(|_| old.file.clone(), Arc::from);
        self.sync_target(target, &file, old.stat.len)?;
        let row = self.new_row(target, old.digest, old.stat.len, Some(old.digest), mode);
        Ok(self.journal(row))
    }

    /// The file that takes the place of another one, where this call publishes one.
    pub(crate) fn new_file(&self) -> Option<&dyn File> {
        match self.change.publishes.last()? {
            Publish { how: How::InPlace { .. }, .. } => None,
            Publish { staged, .. } => Some(&*staged.file),
        }
    }

    /// Appends a line to a log of the state. It belongs to this call's row, if it has one.
    ///
    /// The lines of a batch follow one another. Recovery writes those again that belong to rows, in
    /// order; a line without a row could leave a hole between them, so it has the log for itself.
    ///
    /// # Errors
    /// The line has to wait for the next batch: [`Error::Deferred`].
    pub(crate) fn append_line(&mut self, mut target: Target, text: String) -> Result<()> {
        let (file, at) = match self.logs.get(&target.path) {
            Some(log) if log.takes_more && self.change.row.is_some() => (log.file.clone(), log.end),
            Some(_) => return Err(Error::Deferred),
            None => self.open_log(&mut target)?,
        };
        let line = Line { abs_path: target.path.to_string_lossy().into_owned(), at, text };
        if let Some(row) = &mut self.change.row {
            row.line = Some(line.clone());
        }
        self.change.line = Some((file, line, target));
        Ok(())
    }

    /// Opens or makes a log; where it ends.
    fn open_log(&mut self, target: &mut Target) -> Result<(Arc<dyn File>, u64)> {
        self.make_parents(target, Access::Private)?;
        let os = |source| Error::os(target.shown.clone(), "open", source);
        let file: Arc<dyn File> =
            ensure::private_file(&*target.dir, &target.name).map_err(os)?.into();
        let end = log::cut_torn_tail(&*file).map_err(os)?;
        Ok((file, end))
    }

    /// Takes a file or a whole directory away in one step.
    pub(crate) fn discard(&mut self, dir: DirRef, name: OsString) {
        let trash = format!("gone-{:016x}", self.store.clock.random()).into();
        self.change.discards.push(Discard { dir, name, trash, slot: None, seen: None });
    }

    /// Takes a file of the state away, with a row in the journal. It goes once the row is durable, for good.
    pub(crate) fn remove(
        &mut self,
        target: &Target,
        old: &Old,
        dir: DirRef,
        path: String,
    ) -> Result<Journaled> {
        let row = self.new_row(target, Digest::of(b""), 0, Some(old.digest), Mode::Remove);
        let journaled = self.journal(row);
        self.discard_with_row(dir, path, old.digest, None)?;
        Ok(journaled)
    }

    /// Takes a directory of the state away together with the file of this call's row, unless it lists something else
    /// than was seen.
    pub(crate) fn discard_with_row(
        &mut self,
        dir: DirRef,
        path: String,
        sha256: Digest,
        seen: Option<Vec<(OsString, Stat)>>,
    ) -> Result<()> {
        let os = |source| Error::os(self.store.shown_state(&[&path]), "stage", source);
        let (slot, _) = self.state.slots.take().map_err(os)?;
        let name = Path::new(&path).file_name().unwrap_or_default().to_owned();
        let trash = recovery::trash_name(&slot);
        let gone = RemovedDir { path, sha256, slot: slot.to_string_lossy().into_owned() };
        self.change.row.iter_mut().for_each(|row| row.gone.push(gone.clone()));
        self.change.discards.push(Discard { dir, name, trash, slot: Some(slot), seen });
        Ok(())
    }

    /// Names the files that belong to this call's row.
    pub(crate) fn together_with(&mut self, also: Vec<Also>) {
        if let Some(row) = &mut self.change.row {
            row.also = also;
        }
    }

    /// Names the chunk session whose parts this call's file was composed of.
    pub(crate) fn composed_of(&mut self, session: &str) {
        if let Some(row) = &mut self.change.row {
            row.composed = Some(session.to_owned());
        }
    }

    fn new_row(
        &self,
        target: &Target,
        sha256: Digest,
        bytes: u64,
        prev_sha256: Option<Digest>,
        mode: Mode,
    ) -> Row {
        let abs_path = target.path.to_string_lossy().into_owned();
        let home = self.state.home.path.to_string_lossy();
        let is_told = Row::home_of(&abs_path, &target.shown) == Some(&*home);
        Row {
            place: None,
            home: (!is_told).then(|| home.into_owned()),
            abs_path: Some(abs_path),
            also: Vec::new(),
            at: None,
            batch: None,
            by: self.by.as_deref().cloned(),
            bytes,
            caller: self.caller(),
            chain: None,
            composed: None,
            epoch: None,
            exchange: None,
            file: None,
            from: None,
            gone: Vec::new(),
            journal_id: self.store.journal_id(),
            line: None,
            mode,
            path: target.shown.clone(),
            prev_sha256,
            sectors: None,
            seq: None,
            sha256: sha256.into(),
            staged: None,
            ts: self.store.now(),
            undo: None,
            undoes: None,
            unit: None,
        }
    }

    /// The client by the name that it gave itself, with its version; otherwise the program.
    fn caller(&self) -> String {
        let client = self.by.as_ref().and_then(|by| by.client.clone());
        client.unwrap_or_else(|| self.store.caller.clone())
    }

    fn journal(&mut self, row: Row) -> Journaled {
        let journaled = Journaled { journal_id: row.journal_id.clone(), ts: row.ts.clone() };
        self.change.row = Some(row);
        journaled
    }
}

/// Whether a file is written where it is, by appends at least.
pub(crate) fn is_written_in_place(stat: &Stat) -> bool {
    stat.kind == Kind::File && (stat.len >= APPEND_IN_PLACE_FROM || stat.links > 1)
}

/// Opens the file that was looked at for writing.
///
/// # Errors
/// Another program has renamed or removed it since: [`Error::Stale`].
fn open_again(target: &Target, old: &Old) -> Result<Arc<dyn File>> {
    let os = |source| Error::os(target.shown.clone(), "open", source);
    match unless_gone(target.dir.open_write(&target.name)).map_err(os)? {
        Some(file) if file.id().map_err(os)? == old.stat.id => Ok(file.into()),
        _ => Err(Precondition::of(old).stale(target, digest_now(target).map_err(os)?)),
    }
}

/// Opens what a target holds now.
fn open_old(target: &Target) -> Result<Option<(Arc<dyn File>, Stat)>> {
    if target.stat.is_none() {
        return Ok(None);
    }
    let os = |source| Error::os(target.shown.clone(), "open", source);
    let Some(file) = unless_gone(target.dir.open(&target.name)).map_err(os)? else {
        return Ok(None);
    };
    let stat = file.stat().map_err(os)?;
    Ok(Some((file.into(), stat)))
}

fn unless_gone<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// Writes content into a slot; where that fails, the slot is removed.
fn write_slot(state: &State, slot: Staged, content: Content) -> io::Result<Staged> {
    if let Err(error) = slot.file.write_all_at(&content.bytes, 0) {
        slot.remove(state);
        return Err(error);
    }
    let len = content.bytes.len() as u64;
    Ok(Staged { digest: content.digest, len, bytes: Some(content.bytes), ..slot })
}
