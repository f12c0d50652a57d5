//! The state directory: its layout, its lock, the staging slots and the end of the journal.
//!
//! # Staging slots
//!
//! New content is written into a *slot*: a file in `tmp/` whose name was made durable while it was
//! empty. Publishing renames the slot to its target. So, for any journal row, **the slot's name
//! exists exactly as long as the file is not published**, after a power loss too, and recovery
//! never has to guess from contents that somebody may have edited since (`docs/design/0001`).

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::contents::remove_tree;
use crate::digest::{Digest, Hasher};
use crate::disk::{Access, Dir, DirRef, File, FileId, Kind, Stat, read_all, read_up_to};
use crate::error::{Error, Result};
use crate::journal::{Backwards, Row};
use crate::roots::{STATE_DIR, Target};
use crate::store::Store;

use turn::{Turn, Waited, is_named};

mod turn;

/// The version of the state directory's format.
const FORMAT: u32 = 1;

/// The open state directory. Whoever holds it and the lock may write.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) dir: DirRef,
    pub(crate) tmp: DirRef,
    turn: Turn,
    pub(crate) journal: Arc<dyn File>,
    /// The journal's length, last number and last chain value: where the next row goes.
    pub(crate) end: End,
    /// Slots whose names are durable.
    pub(crate) pool: Vec<OsString>,
    /// This process among those that write here.
    owner: u64,
    slots_made: u64,
    /// Set when a batch was left unfinished: recovery comes before anything else.
    pub(crate) dirty: bool,
    pub(crate) digests: Digests,
    /// Directories that are known to be reachable after a power loss. They are held open, so that
    /// no other directory can take over their identity.
    grounds: HashMap<PathBuf, DirRef>,
}

/// Where the journal ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) len: u64,
    pub(crate) seq: u64,
    pub(crate) chain: Option<String>,
}

impl State {
    /// Takes the lock of the state directory that is in place now: with what was open before, if
    /// that is still in place, and with what is opened or made anew otherwise.
    ///
    /// # Errors
    /// Other processes write for too long; the directory cannot be opened or made.
    pub(crate) fn enter<'a>(store: &Store, held: &'a mut Option<Self>) -> Result<&'a mut Self> {
        let mut waited = Waited::default();
        if let Some(state) = held {
            state.turn.take(&*store.clock, &mut waited)?;
            // IMPORTANT: after the wait. Meanwhile somebody may have removed or replaced what this
            // process has open, and others work with what is there now.
            if !state.is_current(store) {
                state.unlock();
                *held = None;
            }
        }
        match held {
            Some(state) => Ok(state),
            None => Ok(held.insert(Self::enter_anew(store, &mut waited)?)),
        }
    }

    fn enter_anew(store: &Store, waited: &mut Waited) -> Result<Self> {
        loop {
            let home = store.home.dir(&*store.disk)?;
            let dir = open_or_make(&*home, STATE_DIR).map_err(|e| os("", e))?;
            let turn = Turn::open(&*dir)?;
            turn.take(&*store.clock, waited)?;
            // IMPORTANT: after the wait, as above.
            if is_in_place(store, &dir, &turn) {
                return Self::open(store, &*home, dir, turn);
            }
            waited.pause(&*store.clock)?;
        }
    }

    /// Opens what is in the state directory, under its lock.
    fn open(store: &Store, home: &dyn Dir, dir: DirRef, turn: Turn) -> Result<Self> {
        check_format(&*dir)?;
        let tmp = open_or_make(&*dir, "tmp").map_err(|e| os("/tmp", e))?;
        let journal = match dir.open_write(OsStr::new("journal.jsonl")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                dir.create_new(OsStr::new("journal.jsonl"), Access::Private)
            }
            other => other,
        }
        .map_err(|e| os("/journal.jsonl", e))?;
        // Also when a process before this one made it and died before its sync. The names in it
        // are made durable by recovery, which comes first where no writer was done before.
        home.sync().map_err(|e| os("", e))?;
        Ok(Self {
            dir,
            tmp,
            turn,
            journal: journal.into(),
            end: End::default(),
            pool: Vec::new(),
            owner: store.clock.random(),
            slots_made: 0,
            dirty: true,
            digests: Digests::default(),
            grounds: HashMap::new(),
        })
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
    fn is_current(&self, store: &Store) -> bool {
        is_in_place(store, &self.dir, &self.turn)
            && is_named(&*self.dir, "journal.jsonl", self.journal.id())
            && is_named(&*self.dir, "tmp", self.tmp.id())
    }

    /// Learns where the journal ends from the last writer; false when recovery has to find out.
    pub(crate) fn refresh(&mut self) -> io::Result<bool> {
        let len = self.journal.stat()?.len;
        let mut record = [0; Settled::LEN];
        let read = read_up_to(self.turn.file(), &mut record, 0)?;
        match Settled::decode(record.get(..read).unwrap_or_default()) {
            Some(settled) if settled.end.len == len => {
                self.end = settled.end;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Notes that everything up to the journal's end is published. Needs no sync: it spares the
    /// next writer a look at the slots, which after a power loss it takes anyway.
    pub(crate) fn settle(&self) {
        let record = Settled { owner: self.owner, end: self.end.clone() }.encode();
        let _ = self.turn.file().write_all_at(&record, 0);
    }

    /// Takes that note back, before the journal's end is replaced: it could be as long as before.
    pub(crate) fn unsettle(&self) -> io::Result<()> {
        self.turn.file().write_all_at(&[0; Settled::LEN], 0)
    }

    /// The directories whose sync makes a target's own one reachable; none for a known one.
    ///
    /// Somebody may have made them a moment ago, and a file is only as durable as the names that
    /// lead to it.
    pub(crate) fn unreached(&self, store: &Store, target: &Target) -> Vec<DirRef> {
        let known = target.path.parent().and_then(|parent| self.grounds.get(parent));
        let same = |known: &DirRef| matches!((known.id(), target.dir.id()), (Ok(known), Ok(now)) if known == now);
        if known.is_some_and(same) {
            return Vec::new();
        }
        store.directories_above(&target.path)
    }

    /// Notes that those directories were synced.
    pub(crate) fn reached(&mut self, target: &Target) {
        if self.grounds.len() >= GROUNDS {
            self.grounds.clear();
        }
        if let Some(parent) = target.path.parent() {
            self.grounds.insert(parent.to_owned(), target.dir.clone());
        }
    }

    /// Makes slots, without making their names durable.
    pub(crate) fn make_slots(&mut self, count: usize) -> io::Result<Vec<OsString>> {
        let mut made = Vec::with_capacity(count);
        for _ in 0..count {
            self.slots_made += 1;
            let name = OsString::from(format!("s-{:016x}-{}", self.owner, self.slots_made));
            self.tmp.create_new(&name, Access::Default)?;
            made.push(name);
        }
        Ok(made)
    }

    /// Takes a durable slot and opens it; makes more when there are none.
    pub(crate) fn take_slot(&mut self) -> io::Result<(OsString, Arc<dyn File>)> {
        loop {
            let Some(name) = self.pool.pop() else {
                let made = self.make_slots(SLOTS)?;
                self.tmp.sync()?;
                self.pool = made;
                continue;
            };
            match self.tmp.open_write(&name) {
                Ok(file) => return Ok((name, file.into())),
                // Another process swept the slots when it started.
                Err(error) if error.kind() == io::ErrorKind::NotFound => self.pool.clear(),
                Err(error) => return Err(error),
            }
        }
    }

    /// Removes whatever lies in `tmp/`. Under the lock, and with nothing in flight, all of it is
    /// garbage.
    pub(crate) fn sweep(&mut self) -> io::Result<()> {
        self.pool.clear();
        for name in self.tmp.entries()? {
            match self.tmp.stat(&name)?.kind {
                Kind::Dir => {
                    // IMPORTANT: a directory that came here is here for good before it is emptied;
                    // a crash must not put what is left of it back.
                    self.tmp.sync()?;
                    remove_tree(&*self.tmp, &name)?;
                }
                _ => self.tmp.remove_file(&name)?,
            }
        }
        Ok(())
    }

    /// Reads the last row's number and chain from the journal itself.
    pub(crate) fn find_end(&mut self) -> io::Result<()> {
        let len = self.journal.stat()?.len;
        let mut end = End { len, ..End::default() };
        for line in Backwards::new(&*self.journal, len) {
            if let Some(row) = Row::parse(&line?.text) {
                end.seq = row.seq.unwrap_or_default();
                end.chain = row.chain;
                break;
            }
        }
        self.end = end;
        Ok(())
    }
}

impl Drop for State {
    /// Leaves no empty slots behind. Best effort: the next process sweeps.
    fn drop(&mut self) {
        for name in &self.pool {
            let _ = self.tmp.remove_file(name);
        }
    }
}

/// How many slots are kept ready.
pub(crate) const SLOTS: usize = 16;
/// How many directories are kept open.
const GROUNDS: usize = 64;

/// What the last writer leaves in the lock file.
struct Settled {
    owner: u64,
    end: End,
}

impl Settled {
    const MAGIC: &'static [u8; 8] = b"rwsettl1";
    const LEN: usize = 8 + 8 + 8 + 8 + 32 + 16;

    fn encode(&self) -> Vec<u8> {
        let mut bytes = Self::MAGIC.to_vec();
        bytes.extend(self.owner.to_le_bytes());
        bytes.extend(self.end.len.to_le_bytes());
        bytes.extend(self.end.seq.to_le_bytes());
        let mut chain = self.end.chain.clone().unwrap_or_default().into_bytes();
        chain.resize(32, b' ');
        bytes.extend(chain);
        let sum = Digest::of(&bytes);
        bytes.extend(sum.as_bytes().iter().take(16));
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (body, sum) = bytes.split_at_checked(Self::LEN - 16)?;
        let digest = Digest::of(body);
        if !digest.as_bytes().starts_with(sum) || sum.len() != 16 {
            return None;
        }
        let number = |at: usize| body.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes);
        if !body.starts_with(Self::MAGIC) {
            return None;
        }
        let chain = str::from_utf8(body.get(32..64)?).ok()?.trim_end();
        Some(Self {
            owner: number(8)?,
            end: End {
                len: number(16)?,
                seq: number(24)?,
                chain: (!chain.is_empty()).then(|| chain.to_owned()),
            },
        })
    }
}

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

/// Whether a state directory and its locks are still what their names lead to.
fn is_in_place(store: &Store, dir: &DirRef, turn: &Turn) -> bool {
    let home = store.home.dir(&*store.disk);
    home.is_ok_and(|home| is_named(&*home, STATE_DIR, dir.id())) && turn.is_current(&**dir)
}

fn os(what: &str, source: io::Error) -> Error {
    Error::os(format!("{STATE_DIR}{what}"), "open", source)
}

fn open_or_make(parent: &dyn Dir, name: &str) -> io::Result<DirRef> {
    let name = OsStr::new(name);
    match parent.open_dir(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        other => return other,
    }
    match parent.create_dir(name, Access::Private) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => parent.open_dir(name),
    }
}

fn check_format(dir: &dyn Dir) -> Result<()> {
    let name = OsStr::new("format");
    let os = |source| Error::os(format!("{STATE_DIR}/format"), "open", source);
    let text = match dir.open(name) {
        Ok(file) => read_all(&*file, 64).map_err(os)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(source) => return Err(os(source)),
    };
    match String::from_utf8_lossy(&text).trim().parse::<u32>() {
        Ok(found) if found > FORMAT => {
            Err(Error::NewerFormat { found: found.to_string(), known: FORMAT })
        }
        Ok(_) => Ok(()),
        // A torn file can only be one that this version was making. It needs no sync: without it,
        // the next process makes it again.
        Err(_) => {
            let file = match dir.open_write(name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    dir.create_new(name, Access::Private)
                }
                other => other,
            };
            let written = file.and_then(|file| {
                file.set_len(0)?;
                file.write_all_at(format!("{FORMAT}\n").as_bytes(), 0)
            });
            written.map_err(os)
        }
    }
}
