//! The state directory: its layout, its lock, the staging slots and the end of the journal.
//!
//! # Staging slots
//!
//! New content is written into a *slot*: a file in `tmp/` whose name was made durable while it was
//! empty. Publishing renames the slot to its target. So, for any journal row, **the slot's name
//! exists exactly as long as the file is not published**, after a power loss too, and recovery
//! never has to guess from contents that somebody may have edited since (`docs/design/0001`).

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::digest::Hasher;
use crate::disk::{
    Access, Clock, Dir, DirRef, Disk, File, FileId, FileSystem, Kind, Stat, read_up_to,
};
use crate::ensure;
use crate::error::{Error, Result};
use crate::journal::{End, ReverseLines, Row, RowWriter, find_end};
use crate::pending::PendingPaths;
use crate::roots::{Root, STATE_DIR, Target};

use marker::CleanMarker;
use owner::{Living, Owner};
use turn::{Turn, Waited, is_named};

mod format;
mod marker;
mod owner;
mod roll;
mod turn;

/// Where a state directory is, and what opening it needs.
pub(crate) struct Site<'a> {
    /// The directory that holds it.
    pub(crate) home: &'a Root,
    pub(crate) disk: &'a dyn Disk,
    pub(crate) clock: &'a dyn Clock,
    /// A journal of this length is closed before the next batch.
    pub(crate) longest_journal: u64,
}

/// The open state directory. Whoever holds it and the lock may write.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) dir: DirRef,
    pub(crate) tmp: DirRef,
    turn: Turn,
    pub(crate) journal: Arc<dyn File>,
    /// Where the next row goes.
    pub(crate) end: End,
    /// The epoch of a journal that has none.
    fresh_epoch: u64,
    /// The version of the format that was found.
    format: u32,
    longest_journal: u64,
    /// Whether the file system gives a file no second name, so that a journal cannot be closed.
    cannot_roll: bool,
    /// Whether a slot can exchange its name with a target on the same file system.
    pub(crate) can_exchange: bool,
    /// Slots whose names are durable.
    pub(crate) pool: Vec<OsString>,
    owner: Owner,
    slots_made: u64,
    /// How many slots the batch at work is likely to need.
    slots_expected: usize,
    /// What the clean marker speaks of.
    identity: Vec<FileId>,
    /// The directory that holds the state directory, until its names are known to be durable.
    unsynced_home: Option<DirRef>,
    /// Whether this process has looked for what others left behind.
    has_looked: bool,
    has_told_network: bool,
    /// Set when a batch was left unfinished: recovery comes before anything else.
    pub(crate) dirty: bool,
    pub(crate) digests: Digests,
    /// What cannot be written until recovery has decided a row that waits.
    pub(crate) pending: PendingPaths,
    /// Directories that are known to be reachable after a power loss. They are held open, so that
    /// no other directory can take over their identity.
    durable_dirs: HashMap<PathBuf, DirRef>,
}

impl State {
    /// Takes the lock of the state directory that is in place now: with what was open before, if
    /// that is still in place, and with what is opened or made anew otherwise.
    ///
    /// # Errors
    /// Other processes write for too long; the directory cannot be opened or made.
    pub(crate) fn enter<'a>(site: &Site<'_>, held: &'a mut Option<Self>) -> Result<&'a mut Self> {
        let mut waited = Waited::default();
        if let Some(state) = held {
            state.turn.take(site.clock, &mut waited)?;
            // IMPORTANT: after the wait. Meanwhile somebody may have removed or replaced what this
            // process has open, and others work with what is there now.
            if !state.is_current(site) {
                state.unlock();
                *held = None;
            }
        }
        match held {
            Some(state) => Ok(state),
            None => Ok(held.insert(Self::enter_anew(site, &mut waited)?)),
        }
    }

    fn enter_anew(site: &Site<'_>, waited: &mut Waited) -> Result<Self> {
        loop {
            let home = site.home.dir(site.disk)?;
            let dir = ensure::private_dir(&*home, OsStr::new(STATE_DIR)).map_err(|e| os("", e))?;
            let turn = Turn::open(&*dir)?;
            turn.take(site.clock, waited)?;
            // IMPORTANT: after the wait, as above.
            if is_in_place(site, &dir, &turn) {
                return Self::open(site, home, dir, turn);
            }
            waited.pause(site.clock)?;
        }
    }

    /// Opens what is in the state directory, under its lock.
    fn open(site: &Site<'_>, home: DirRef, dir: DirRef, turn: Turn) -> Result<Self> {
        let format = format::check(&*dir)?;
        for name in ["tmp", "journal.jsonl"] {
            match dir.stat(OsStr::new(name)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    // IMPORTANT: what is made now has no durable name until recovery has synced it.
                    clear_marker(turn.file()).map_err(|e| os("/lock", e))?;
                }
                other => drop(other.map_err(|e| os("", e))?),
            }
        }
        let tmp = ensure::private_dir(&*dir, OsStr::new("tmp")).map_err(|e| os("/tmp", e))?;
        let journal = match dir.open_write(OsStr::new("journal.jsonl")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                dir.create_new(OsStr::new("journal.jsonl"), Access::Private)
            }
            other => other,
        }
        .map_err(|e| os("/journal.jsonl", e))?;
        let identity = [dir.id(), tmp.id(), journal.id(), turn.file().id()];
        let identity = identity.into_iter().collect::<io::Result<_>>().map_err(|e| os("", e))?;
        let can_exchange = tmp.exchanges_whole();
        let owner = Owner::join(&*tmp, site.clock).map_err(|e| os("/tmp", e))?;
        Ok(Self {
            dir,
            tmp,
            turn,
            journal: journal.into(),
            end: End::default(),
            fresh_epoch: site.clock.random().max(1),
            format,
            longest_journal: site.longest_journal,
            cannot_roll: false,
            can_exchange,
            pool: Vec::new(),
            owner,
            slots_made: 0,
            slots_expected: 0,
            identity,
            unsynced_home: Some(home),
            has_looked: false,
            has_told_network: false,
            dirty: false,
            digests: Digests::default(),
            pending: PendingPaths::default(),
            durable_dirs: HashMap::new(),
        })
    }

    /// The directory that holds the state directory, when this process has not synced it yet.
    ///
    /// A process before this one may have made the state directory and died before its sync.
    pub(crate) fn unsynced_home(&self) -> Option<DirRef> {
        self.unsynced_home.clone()
    }

    /// Notes that it was synced.
    pub(crate) fn home_is_synced(&mut self) {
        self.unsynced_home = None;
    }

    /// Syncs it now, where what comes next may not wait for the first batch.
    pub(crate) fn sync_home(&mut self) -> Result<()> {
        if let Some(home) = &self.unsynced_home {
            home.sync().map_err(|e| os("", e))?;
        }
        self.unsynced_home = None;
        Ok(())
    }

    /// Whether nobody has the lock.
    pub(crate) fn is_free(&self) -> bool {
        let free = self.turn.try_take();
        if free {
            self.unlock();
        }
        free
    }

    /// Gives the lock back. Nothing is lost when that fails: it dies with the process.
    pub(crate) fn unlock(&self) {
        self.turn.give_back();
    }

    /// Whether the open handles are still what the names lead to: a user may have removed the
    /// state directory, or parts of it, under a running server.
    fn is_current(&self, site: &Site<'_>) -> bool {
        is_in_place(site, &self.dir, &self.turn)
            && is_named(&*self.dir, "journal.jsonl", self.journal.id())
            && is_named(&*self.dir, "tmp", self.tmp.id())
    }

    /// Learns where the journal ends from the last writer; false when recovery has to find out.
    pub(crate) fn refresh(&mut self) -> io::Result<bool> {
        let end = clean_end(self.turn.file(), &*self.journal, &self.identity)?;
        let is_clean = end.is_some();
        self.end = end.unwrap_or_else(|| self.end.clone());
        Ok(is_clean)
    }

    /// Works with another journal from now on.
    fn take_journal(&mut self, journal: Arc<dyn File>) -> io::Result<()> {
        let of = [self.dir.id()?, self.tmp.id()?, journal.id()?, self.turn.file().id()?];
        self.identity = of.to_vec();
        self.journal = journal;
        Ok(())
    }

    /// Closes a journal that has become long, and one of an earlier format. Nothing may be unfinished.
    ///
    /// # Errors
    /// The disk refuses; the journal is as before, or closed.
    pub(crate) fn roll_if_due(&mut self) -> Result<()> {
        let is_old = self.format < format::CURRENT || self.end.has_old_rows();
        if self.cannot_roll || !is_old && self.end.len < self.longest_journal {
            return Ok(());
        }
        self.sync_home()?;
        if self.format < format::CURRENT {
            // IMPORTANT: before the journal is closed. An older program that runs finds another journal,
            // opens the state anew, and refuses.
            format::upgrade(&*self.dir).map_err(|e| os("/format", e))?;
            self.format = format::CURRENT;
        }
        self.cannot_roll = !roll::roll(self).map_err(|e| os("/journal", e))?;
        Ok(())
    }

    /// Finds out where the journal's first `len` bytes end. Numbers and chain go on behind
    /// the rows of an earlier journal.
    pub(crate) fn end_at(&self, len: u64) -> io::Result<End> {
        match find_end(&*self.journal, len)? {
            Some(end) => Ok(end),
            None => Ok(End { len, covered: 0, ..roll::last_closed_end(&*self.dir) }),
        }
    }

    /// Numbers and chains rows that go behind an end of the journal.
    pub(crate) fn rows_behind(&self, end: &End) -> io::Result<RowWriter> {
        RowWriter::behind(&*self.journal, end, self.fresh_epoch)
    }

    /// Notes that everything up to the journal's end is published. Needs no sync: it spares the
    /// next writer a look at the slots, which after a power loss it takes anyway.
    pub(crate) fn mark_clean(&self) {
        let record = CleanMarker { end: self.end.clone() }.encode(&self.identity);
        let _ = self.turn.file().write_all_at(&record, 0);
    }

    /// Takes that note back: before the journal's end is replaced, which could be as long as
    /// before, and after a batch whose outcome is unknown.
    pub(crate) fn mark_dirty(&self) -> io::Result<()> {
        clear_marker(self.turn.file())
    }

    /// The protocol of the network file system that holds the state; told once.
    pub(crate) fn network(&mut self) -> Option<&'static str> {
        if std::mem::replace(&mut self.has_told_network, true) {
            return None;
        }
        match self.dir.file_system() {
            Ok(FileSystem::Network(protocol)) => Some(protocol),
            _ => None,
        }
    }

    /// Looks, once, whether processes that died have left anything behind that is worth a sweep:
    /// something that is not empty, or many empty slots. With the lock held and nothing in flight,
    /// none of it is needed.
    pub(crate) fn finds_litter(&mut self) -> io::Result<bool> {
        if std::mem::replace(&mut self.has_looked, true) {
            return Ok(false);
        }
        let names = self.tmp.entries()?;
        if names.len() > LITTER {
            return Ok(true);
        }
        for name in names {
            match self.tmp.stat(&name) {
                Ok(Stat { kind: Kind::File, len: 0, .. }) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Ok(_) => return Ok(true),
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }

    /// Whether a target's directory is known to be reachable after a power loss. Else the
    /// directories above it are to be synced: somebody may have made them a moment ago, and a file
    /// is only as durable as the names that lead to it.
    pub(crate) fn is_durable(&self, target: &Target) -> bool {
        let known = target.path.parent().and_then(|parent| self.durable_dirs.get(parent));
        known.is_some_and(
            |known| matches!((known.id(), target.dir.id()), (Ok(known), Ok(now)) if known == now),
        )
    }

    /// Notes that those directories were synced, all of them.
    pub(crate) fn mark_durable(&mut self, target: &Target) {
        if self.durable_dirs.len() >= DURABLE_DIRS {
            self.durable_dirs.clear();
        }
        if let Some(parent) = target.path.parent() {
            self.durable_dirs.insert(parent.to_owned(), target.dir.clone());
        }
    }

    /// Closes what is only kept open to spare work; tells whether there was anything.
    pub(crate) fn close_spare(&mut self) -> bool {
        !std::mem::take(&mut self.durable_dirs).is_empty()
    }

    /// Makes slots, without making their names durable.
    pub(crate) fn make_slots(&mut self, count: usize) -> io::Result<Vec<OsString>> {
        let mut made = Vec::with_capacity(count);
        while made.len() < count {
            self.slots_made += 1;
            let name = self.owner.slot(self.slots_made);
            match self.tmp.create_new(&name, Access::Default) {
                Ok(_) => made.push(name),
                // Of a process of the same number, before a power loss that took its file.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    for name in &made {
                        let _ = self.tmp.remove_file(name);
                    }
                    return Err(error);
                }
            }
        }
        Ok(made)
    }

    /// Says how many calls wait, so that slots for all of them are made at once.
    pub(crate) fn expect_slots(&mut self, calls: usize) {
        self.slots_expected = calls.min(MOST_SLOTS);
    }

    /// Takes a durable slot and opens it; makes more when there are none.
    pub(crate) fn take_slot(&mut self) -> io::Result<(OsString, Arc<dyn File>)> {
        loop {
            let Some(name) = self.pool.pop() else {
                let made = self.make_slots(SLOTS.max(self.slots_expected))?;
                self.tmp.sync()?;
                self.pool = made;
                continue;
            };
            match self.tmp.open_write(&name) {
                Ok(file) => return Ok((name, file.into())),
                // Somebody has emptied `tmp/`.
                Err(error) if error.kind() == io::ErrorKind::NotFound => self.pool.clear(),
                Err(error) => return Err(error),
            }
        }
    }

    /// Which leftovers in `tmp/` are no garbage: the files of living processes, and the empty slots
    /// that these keep ready.
    pub(crate) fn in_use(&self) -> io::Result<HashSet<OsString>> {
        let names = self.tmp.entries()?;
        let living = Living::among(&*self.tmp, &names)?;
        let is_ready = |name: &OsString| {
            living
                .owner_of_slot(name)
                .is_some_and(|owner| owner != self.owner.id || self.pool.contains(name))
                && self.tmp.stat(name).is_ok_and(|stat| stat.kind == Kind::File && stat.len == 0)
        };
        Ok(names.into_iter().filter(|name| living.is_owner(name) || is_ready(name)).collect())
    }
}

impl Drop for State {
    /// Leaves no empty slots behind. Best effort: the next sweep takes what stays. Needs no lock:
    /// no row names these slots, and a sweep expects that they go.
    fn drop(&mut self) {
        for name in &self.pool {
            let _ = self.tmp.remove_file(name);
        }
        let _ = self.tmp.remove_file(&self.owner.name());
    }
}

/// How many slots are kept ready.
pub(crate) const SLOTS: usize = 16;
/// How many are made at once.
const MOST_SLOTS: usize = 16 * SLOTS;
/// From how many names in `tmp/` on a process that starts sweeps it.
const LITTER: usize = 64 * SLOTS;
/// How many directories are kept open.
const DURABLE_DIRS: usize = 64;

/// Digests of files that were appended to in place, so that the next append need not read what is
/// there: the hasher after the last byte, valid while the file's facts are the same.
#[derive(Debug, Default)]
pub(crate) struct Digests {
    /// Most recently used last.
    known: Vec<(FileId, Stat, Hasher)>,
}

impl Digests {
    const MOST: usize = 32;

    pub(crate) fn get(&self, now: &Stat) -> Option<Hasher> {
        self.known.iter().find(|(_, stat, _)| stat == now).map(|(_, _, hasher)| hasher.clone())
    }

    pub(crate) fn put(&mut self, now: Stat, hasher: Hasher) {
        self.known.retain(|(id, ..)| *id != now.id);
        if self.known.len() >= Self::MOST {
            self.known.remove(0);
        }
        self.known.push((now.id, now, hasher));
    }
}

/// The journal's length, if the last writer of this state directory was done with all of it; for a
/// process that does not write.
pub(crate) fn clean_len(dir: &dyn Dir, journal: &dyn File) -> io::Result<Option<u64>> {
    let lock = dir.open(OsStr::new("lock"))?;
    let tmp = dir.stat(OsStr::new("tmp"))?.id;
    let identity = [dir.id()?, tmp, journal.id()?, lock.id()?];
    let end = clean_end(&*lock, journal, &identity)?;
    Ok(end.map(|end| end.len))
}

/// The journal's end, if the last writer was done. Lines that others have added since need no
/// recovery: none of them is of a batch.
fn clean_end(lock: &dyn File, journal: &dyn File, identity: &[FileId]) -> io::Result<Option<End>> {
    let mut record = [0; CleanMarker::LEN];
    let read = read_up_to(lock, &mut record, 0)?;
    let marker = CleanMarker::decode(record.get(..read).unwrap_or_default(), identity);
    let Some(CleanMarker { end }) = marker else { return Ok(None) };
    let len = journal.stat()?.len;
    let is_clean = len == end.len || len > end.len && is_of_others(journal, end.len, len)?;
    Ok(is_clean.then_some(End { len, ..end }))
}

/// Whether the bytes of a journal between two places are whole lines of others.
fn is_of_others(journal: &dyn File, from: u64, to: u64) -> io::Result<bool> {
    for line in ReverseLines::new(journal, to) {
        let line = line?;
        if line.offset < from || line.is_torn() || Row::of_batch(&line.text).is_some() {
            return Ok(false);
        }
        if line.offset == from {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a state directory and its locks are still what their names lead to.
fn is_in_place(site: &Site<'_>, dir: &DirRef, turn: &Turn) -> bool {
    let home = site.home.dir(site.disk);
    home.is_ok_and(|home| is_named(&*home, STATE_DIR, dir.id())) && turn.is_current(&**dir)
}

fn os(what: &str, source: io::Error) -> Error {
    Error::os(format!("{STATE_DIR}{what}"), "open", source)
}

fn clear_marker(lock: &dyn File) -> io::Result<()> {
    lock.write_all_at(&[0; CleanMarker::LEN], 0)
}
