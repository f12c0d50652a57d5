//! The open state directory: its lock, its journal, and what this process remembers about both.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::disk::{
    Access, Clock, Dir, DirRef, Disk, File, FileId, FileSystem, Stat, Stopwatch, read_range,
};
use crate::ensure;
use crate::error::{Error, Result};
use crate::journal::{End, Row, RowWriter, find_end};
use crate::pending::PendingPaths;
use crate::roots::{Entered, Root, STATE_DIR};

use turn::{Turn, is_named};

/// For so long nobody asks the disk again whether it takes a file.
const PROBED_FOR: Duration = Duration::from_secs(1);

/// The name that shows that the state directory takes one. It goes again at once, or with the next probe.
const PROBE: &str = "probe";

/// The record of a new end of the journal.
pub(crate) const WITHDRAWAL: &str = "withdrawal";

mod digests;
mod durable_dirs;
mod format;
mod ignored;
mod marker;
mod owner;
mod roll;
mod slots;
mod turn;

pub(crate) use digests::Digests;
pub(crate) use durable_dirs::DurableDirs;
pub(crate) use marker::{clean_len, decided_len_of, missing_len};
pub(crate) use owner::is_slot;
pub(crate) use slots::Slots;
pub(crate) use turn::Waited;

/// Where a state directory is, and what opening it needs.
pub(crate) struct Site<'a> {
    /// The directory that holds it.
    pub(crate) home: &'a Root,
    pub(crate) disk: &'a dyn Disk,
    pub(crate) clock: &'a dyn Clock,
    /// A journal of this length is closed before the next batch.
    pub(crate) longest_journal: u64,
    pub(crate) digests: &'a Arc<Digests>,
}

/// The open state directory. The holder of it and of the lock may write.
#[derive(Debug)]
pub(crate) struct State {
    /// The directory that holds it, as it was when it was opened.
    pub(crate) home: Arc<Entered>,
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
    pub(crate) slots: Slots,
    /// As [`Row::place`](crate::journal::Row::place).
    place: String,
    /// What the clean marker covers.
    identity: Vec<FileId>,
    /// The directory that holds the state directory, until its names are known to be durable.
    unsynced_home: Option<DirRef>,
    /// Whether this process has looked for what others left behind.
    has_looked: bool,
    has_told_network: bool,
    /// Set when a batch was left unfinished: recovery comes before anything else.
    pub(crate) dirty: bool,
    /// The rows that a recovery of this process could neither decide nor have wait.
    pub(crate) halfway: HashSet<String>,
    /// Set when a call was refused because of a row that waits: what stood in its way may be gone by the next call.
    pub(crate) looks_again: bool,
    pub(crate) digests: Arc<Digests>,
    /// What cannot be written until recovery has decided a row that waits.
    pub(crate) pending: PendingPaths,
    pub(crate) durable_dirs: DurableDirs,
    /// When the disk last took a file of [`State::probe`].
    probed: Option<Stopwatch>,
}

impl State {
    /// Takes the lock of the state directory that is in place now: with what was open before, if
    /// that is still in place, and with what is opened or made anew otherwise.
    ///
    /// # Errors
    /// Other processes write for too long; the directory cannot be opened or made.
    pub(crate) fn enter<'a>(
        site: &Site<'_>,
        held: &'a mut Option<Self>,
        mut waited: Waited<'_>,
    ) -> Result<&'a mut Self> {
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

    fn enter_anew(site: &Site<'_>, waited: &mut Waited<'_>) -> Result<Self> {
        loop {
            let home = site.home.enter(site.disk)?;
            let dir =
                ensure::private_dir(&*home.dir, OsStr::new(STATE_DIR)).map_err(|e| os("", e))?;
            let turn = Turn::open(&*dir).map_err(or_foreign)?;
            turn.take(site.clock, waited)?;
            // IMPORTANT: after the wait, as above.
            if is_in_place(site, &home, &dir, &turn) {
                return Self::open(site, home, dir, turn);
            }
            waited.pause(site.clock)?;
        }
    }

    /// Opens what is in the state directory, under its lock.
    fn open(site: &Site<'_>, home: Arc<Entered>, dir: DirRef, turn: Turn) -> Result<Self> {
        let lock = turn.file().stat().map_err(|e| os("/lock", e))?;
        must_have_names(&lock, 1, "/lock")?;
        let format = format::check(&*dir, turn.file())?;
        // What cannot be made is no reason to refuse a write.
        let _ = ignored::ignore_all(&*dir);
        for name in ["tmp", "journal.jsonl"] {
            match dir.stat(OsStr::new(name)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    // IMPORTANT: what is made now has no durable name until recovery has synced it.
                    marker::unclean(turn.file()).map_err(|e| os("/lock", e))?;
                }
                other => drop(other.map_err(|e| os("", e))?),
            }
        }
        let tmp =
            ensure::private_dir(&*dir, OsStr::new("tmp")).map_err(|e| or_foreign(os("/tmp", e)))?;
        let journal = match dir.open_write(OsStr::new("journal.jsonl")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                dir.create_new(OsStr::new("journal.jsonl"), Access::Private)
            }
            other => other,
        }
        .map_err(|e| or_foreign(os("/journal.jsonl", e)))?;
        let stat = journal.stat().map_err(|e| os("/journal.jsonl", e))?;
        let is_closing = roll::is_begun(&*dir, &stat).map_err(|e| os("/journal", e))?;
        must_have_names(&stat, 1 + u64::from(is_closing), "/journal.jsonl")?;
        let can_exchange = tmp.exchanges_whole();
        let slots = Slots::of_this_process(&tmp, site.clock).map_err(|e| os("/tmp", e))?;
        // IMPORTANT: after something was made in `tmp/`: an overlay copies a directory of a lower layer then, and that
        // has another number and another time.
        let identity = [dir.id(), tmp.id(), journal.id(), turn.file().id()];
        let identity = identity.into_iter().collect::<io::Result<_>>().map_err(|e| os("", e))?;
        let place = place_of(&*tmp).map_err(|e| os("/tmp", e))?;
        Ok(Self {
            unsynced_home: Some(home.dir.clone()),
            home,
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
            slots,
            place,
            identity,
            has_looked: false,
            has_told_network: false,
            dirty: false,
            halfway: HashSet::new(),
            looks_again: false,
            digests: site.digests.clone(),
            pending: PendingPaths::default(),
            durable_dirs: DurableDirs::default(),
            probed: None,
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

    /// Makes the version of the format durable: the process that wrote it may have died before its sync. That of an
    /// earlier version stays.
    pub(crate) fn sync_format(&self) -> Result<()> {
        if self.format < format::CURRENT {
            return Ok(());
        }
        format::make_durable(&*self.dir).map_err(|e| os("/format", e))
    }

    /// Shows that the disk takes a file: writes and syncs one, which goes again; and that the state directory takes a
    /// name, as the first part and the first scratch entry need. Strangers may cause this, so it is done once a second at
    /// most.
    pub(crate) fn probe(&mut self) -> Result<()> {
        if self.probed.is_some_and(|probed| probed.elapsed() < PROBED_FOR) {
            return Ok(());
        }
        let path = format!("{STATE_DIR}/tmp");
        self.slots.probe().map_err(|source| Error::os(path, "write", source))?;
        let name = OsStr::new(PROBE);
        let made = ensure::private_file(&*self.dir, name).map(drop);
        let named = made.and_then(|()| self.dir.remove_file(name));
        named.map_err(|source| Error::os(STATE_DIR, "write", source))?;
        self.probed = Some(Stopwatch::start());
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
    /// state directory, the directory that holds it, or parts of it, under a running server.
    fn is_current(&self, site: &Site<'_>) -> bool {
        is_in_place(site, &self.home, &self.dir, &self.turn)
            && is_named(&*self.dir, "journal.jsonl", self.journal.id())
            && is_named(&*self.dir, "tmp", self.tmp.id())
    }

    /// Learns where the journal ends from the last writer; false when recovery has to find out.
    pub(crate) fn refresh(&mut self) -> io::Result<bool> {
        let end = marker::clean_end(self.turn.file(), &*self.journal, &self.identity)?;
        let is_clean = end.is_some();
        self.end = end.unwrap_or_else(|| self.end.clone());
        Ok(is_clean)
    }

    /// By how many bytes the journal is shorter than the last writer left it: somebody has taken rows out.
    pub(crate) fn missing(&self) -> io::Result<u64> {
        marker::missing(&*self.dir, self.turn.file(), Some(&*self.journal))
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
            // opens the state anew, and refuses. Another one of this version trusts the new number only behind recovery.
            self.mark_dirty(&self.end).map_err(|e| os("/lock", e))?;
            format::make_durable(&*self.dir).map_err(|e| os("/format", e))?;
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
            None => Ok(End { len, covered: 0, ..roll::last_closed_end(&*self.dir)? }),
        }
    }

    /// Numbers and chains rows that go behind an end of the journal.
    pub(crate) fn rows_behind(&self, end: &End) -> io::Result<RowWriter> {
        RowWriter::behind(&*self.journal, end, self.fresh_epoch, self.place.clone())
    }

    /// Whether this directory is a copy of the one in which a row was written. Rows of earlier versions do not say.
    pub(crate) fn is_copy_for(&self, row: &Row) -> bool {
        row.place.as_ref().is_some_and(|place| *place != self.place)
    }

    /// Moves the journal's end behind lines that others have added. The Python server takes no lock, so
    /// it may add a line at any time; only one that comes between this call and the append is lost.
    pub(crate) fn take_in_others(&mut self) -> io::Result<()> {
        self.end.len = self.end.len.max(self.journal.stat()?.len);
        Ok(())
    }

    /// What others have added behind the journal's end.
    pub(crate) fn others_behind(&self) -> io::Result<Vec<u8>> {
        read_range(&*self.journal, self.end.len, self.journal.stat()?.len)
    }

    /// Notes that everything up to the journal's end is published. Needs no sync: it spares the
    /// next writer a look at the slots, which after a power loss it takes anyway.
    pub(crate) fn mark_clean(&self) {
        let _ = marker::write_clean(self.turn.file(), &self.end, &self.identity);
    }

    /// Notes that what is behind this end of the journal may be unfinished: before the journal's end is replaced,
    /// which could be as long as before, and after a batch whose outcome is unknown.
    pub(crate) fn mark_dirty(&self, decided: &End) -> io::Result<()> {
        marker::write_dirty(self.turn.file(), decided)
    }

    /// Up to where the journal is decided: recovery judges none of the rows before.
    pub(crate) fn decided_len(&self) -> io::Result<u64> {
        marker::decided_len(self.turn.file(), &*self.journal)
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

    /// Looks, once, whether processes that died have left anything behind: slots that are worth a sweep, or the record
    /// of a new end of the journal.
    ///
    /// IMPORTANT: the record counts even if the journal looks clean. The note that it is not may have been lost with the
    /// power; a later recovery would put the new end in the place of rows that were written since.
    pub(crate) fn finds_litter(&mut self) -> io::Result<bool> {
        if std::mem::replace(&mut self.has_looked, true) {
            return Ok(false);
        }
        match self.dir.stat(OsStr::new(WITHDRAWAL)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                slots::holds_litter(&*self.tmp)
            }
            found => found.map(|_| true),
        }
    }
}

/// Whether a state directory and its locks are still what their names lead to.
fn is_in_place(site: &Site<'_>, home: &Entered, dir: &DirRef, turn: &Turn) -> bool {
    let now = site.home.enter(site.disk);
    now.is_ok_and(|now| now.is(home))
        && is_named(&*home.dir, STATE_DIR, dir.id())
        && turn.is_current(&**dir)
}

/// What tells a directory from a copy of it. A number alone does not: two new file systems give the same ones.
fn place_of(dir: &dyn Dir) -> io::Result<String> {
    let stat = dir.stat_self()?;
    Ok(format!("{:x}-{:x}", stat.id.inode, stat.born_ns.unwrap_or_default()))
}

/// Whether an error says that a file of the state is not from this server: no regular file, or not well
/// formed.
pub(crate) fn is_nonsense(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidData
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::UnexpectedEof
            | io::ErrorKind::FileTooLarge
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::NotADirectory
    )
}

/// Refuses a file of the state that has more names: a write to it would reach what somebody has linked there.
fn must_have_names(stat: &Stat, names: u64, what: &str) -> Result<()> {
    if stat.links <= names {
        return Ok(());
    }
    Err(Error::ForeignState { path: format!("{STATE_DIR}{what}"), what: "has another name" })
}

/// The error of something that is of another kind than what has its name in the state.
fn or_foreign(error: Error) -> Error {
    match error {
        Error::Os { path, source, .. } if is_nonsense(&source) => {
            let is_dir = source.kind() == io::ErrorKind::NotADirectory;
            let what = if is_dir { "is no directory" } else { "is no regular file" };
            Error::ForeignState { path, what }
        }
        other => other,
    }
}

fn os(what: &str, source: io::Error) -> Error {
    Error::os(format!("{STATE_DIR}{what}"), "open", source)
}
