//! Staging slots.
//!
//! New content is written into a *slot*: a file in `tmp/` whose name was made durable while it was
//! empty. Publishing renames the slot to its target, or exchanges the two. So, for any journal row, **the slot's
//! name leads to the staged file exactly as long as that is not published**, after a power loss too, and recovery
//! never has to guess from contents that somebody may have edited since (`docs/design/0001`).

use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::sync::Arc;

use super::owner::{Living, Owner};
use crate::disk::{Access, Clock, Dir, DirRef, File, Kind, Stat};

/// How many slots are kept ready.
const READY: usize = 16;
/// How many are made at once.
const MOST: usize = 16 * READY;
/// From how many names in `tmp/` on a process that starts sweeps it.
const LITTER: usize = 64 * READY;

/// The slots of this process.
#[derive(Debug)]
pub(crate) struct Slots {
    tmp: DirRef,
    /// Those whose names are durable.
    ready: Vec<OsString>,
    owner: Owner,
    made: u64,
    /// How many the batch at work is likely to need.
    expected: usize,
}

impl Slots {
    pub(super) fn of_this_process(tmp: &DirRef, clock: &dyn Clock) -> io::Result<Self> {
        let owner = Owner::join(&**tmp, clock)?;
        Ok(Self { tmp: tmp.clone(), ready: Vec::new(), owner, made: 0, expected: 0 })
    }

    /// Makes slots, without making their names durable.
    fn make(&mut self, count: usize) -> io::Result<Vec<OsString>> {
        let mut made = Vec::with_capacity(count);
        while made.len() < count {
            self.made += 1;
            let name = self.owner.slot(self.made);
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
    pub(crate) fn expect(&mut self, calls: usize) {
        self.expected = calls.min(MOST);
    }

    /// Takes a durable slot and opens it; makes more when there are none.
    pub(crate) fn take(&mut self) -> io::Result<(OsString, Arc<dyn File>)> {
        loop {
            let Some(name) = self.ready.pop() else {
                let made = self.make(READY.max(self.expected))?;
                self.tmp.sync()?;
                self.ready = made;
                continue;
            };
            match self.tmp.open_write(&name) {
                Ok(file) => return Ok((name, file.into())),
                // Somebody has emptied `tmp/`.
                Err(error) if error.kind() == io::ErrorKind::NotFound => self.ready.clear(),
                Err(error) => return Err(error),
            }
        }
    }

    /// Writes and syncs a file, which goes again.
    pub(super) fn probe(&mut self) -> io::Result<()> {
        let (name, file) = self.take()?;
        let written = file.write_all_at(&[0; 4096], 0).and_then(|()| file.sync());
        // A sweep takes what stays. Who may not remove a name may not exchange it for a target's.
        let removed = self.tmp.remove_file(&name);
        written.and(removed)
    }

    /// Which leftovers in `tmp/` are no garbage: the files of living processes, and the empty slots
    /// that these keep ready.
    pub(crate) fn in_use(&self) -> io::Result<HashSet<OsString>> {
        let names = self.tmp.entries()?;
        let living = Living::among(&*self.tmp, &names)?;
        let is_ready = |name: &OsString| {
            living
                .owner_of_slot(name)
                .is_some_and(|owner| owner != self.owner.id || self.ready.contains(name))
                && self.tmp.stat(name).is_ok_and(|stat| stat.kind == Kind::File && stat.len == 0)
        };
        Ok(names.into_iter().filter(|name| living.is_owner(name) || is_ready(name)).collect())
    }

    /// Makes slots when few are left after a batch that used so many. The caller makes their names durable and
    /// [adds](Self::add) them.
    pub(crate) fn refill(&mut self, used: usize) -> Vec<OsString> {
        if self.ready.len() >= (READY / 4).max(used.min(4 * READY)) {
            return Vec::new();
        }
        // A failure here shows at the next call, which needs them.
        self.make(READY.max(used)).unwrap_or_default()
    }

    /// Adds slots whose names have become durable.
    pub(crate) fn add(&mut self, mut slots: Vec<OsString>) {
        self.ready.append(&mut slots);
    }

    /// Forgets the slots that are not among these names.
    pub(crate) fn retain(&mut self, names: &HashSet<OsString>) {
        self.ready.retain(|slot| names.contains(slot));
    }
}

impl Drop for Slots {
    /// Leaves no empty slots behind. Best effort: the next sweep takes what stays. Needs no lock:
    /// no row names these slots, and a sweep expects that they go.
    fn drop(&mut self) {
        for name in &self.ready {
            let _ = self.tmp.remove_file(name);
        }
        let _ = self.tmp.remove_file(&self.owner.name());
    }
}

/// Whether something in `tmp/` is worth a sweep: something that is not empty, or many empty slots.
pub(super) fn holds_litter(tmp: &dyn Dir) -> io::Result<bool> {
    let names = tmp.entries()?;
    if names.len() > LITTER {
        return Ok(true);
    }
    for name in names {
        match tmp.stat(&name) {
            Ok(Stat { kind: Kind::File, len: 0, .. }) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Ok(_) => return Ok(true),
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}
