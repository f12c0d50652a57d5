//! Which process a slot belongs to, and whether that process lives.
//!
//! Each process has a number, which the names of its slots carry, and a file of that number in
//! `tmp/` that it keeps locked. The lock dies with the process. So a sweep of `tmp/` can
//! distinguish the slots that a living process keeps ready from those that nobody will use any
//! more.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io;

use crate::disk::{Clock, Dir, LockFile};

/// How the name of a slot begins.
const SLOT: &str = "s-";
/// How the name of a process's own file begins.
const OWNER: &str = "o-";

/// This process among those that write here.
#[derive(Debug)]
pub(super) struct Owner {
    pub(super) id: u64,
    /// Held as long as the process has the state directory open.
    _lock: Box<dyn LockFile>,
}

impl Owner {
    /// Chooses a number that no other process has. Under the workspace's lock.
    pub(super) fn join(tmp: &dyn Dir, clock: &dyn Clock) -> io::Result<Self> {
        const ATTEMPTS: usize = 16;
        for _ in 0..ATTEMPTS {
            let id = clock.random();
            let name = own_name(id);
            match tmp.stat(&name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
                Ok(_) => continue,
            }
            let lock = tmp.open_lock(&name)?;
            if lock.try_lock()? {
                return Ok(Self { id, _lock: lock });
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// The name of this process's file.
    pub(super) fn name(&self) -> OsString {
        own_name(self.id)
    }

    /// The name of one of this process's slots.
    pub(super) fn slot(&self, number: u64) -> OsString {
        format!("{SLOT}{:016x}-{number}", self.id).into()
    }
}

/// Whether a name in `tmp/` is that of a slot, or of what takes its place.
pub(crate) fn is_slot(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(SLOT.as_bytes())
}

fn own_name(id: u64) -> OsString {
    format!("{OWNER}{id:016x}").into()
}

/// The processes that have the state directory open.
pub(super) struct Living(HashSet<u64>);

impl Living {
    /// Finds out which of the processes are alive that have a file among these names.
    ///
    /// # Errors
    /// A file could not be looked at. Its process does not count as dead then.
    pub(super) fn among(tmp: &dyn Dir, names: &[OsString]) -> io::Result<Self> {
        let mut living = HashSet::new();
        for name in names {
            let Some(id) = parse(name, OWNER) else { continue };
            // A lock that can be had is nobody's. It is given back with its handle. What is no
            // regular file is no process's; what cannot be asked may be a living one's.
            let is_free = match tmp.open_lock(name).and_then(|lock| lock.try_lock()) {
                Ok(taken) => taken,
                Err(error) => error.kind() == io::ErrorKind::InvalidInput,
            };
            if !is_free {
                living.insert(id);
            }
        }
        Ok(Self(living))
    }

    /// Whether a name is the file of a living process.
    pub(super) fn is_owner(&self, name: &OsStr) -> bool {
        parse(name, OWNER).is_some_and(|id| self.0.contains(&id))
    }

    /// Whether a name is that of a living process's slot; which process, if so.
    pub(super) fn owner_of_slot(&self, name: &OsStr) -> Option<u64> {
        parse(name, SLOT).filter(|id| self.0.contains(id))
    }
}

/// The number in a name that begins so.
fn parse(name: &OsStr, prefix: &str) -> Option<u64> {
    let rest = name.to_str()?.strip_prefix(prefix)?;
    let (id, rest) = rest.split_at_checked(16)?;
    let is_whole = if prefix == SLOT {
        rest.strip_prefix('-').is_some_and(|number| number.parse::<u64>().is_ok())
    } else {
        rest.is_empty()
    };
    u64::from_str_radix(id, 16).ok().filter(|_| is_whole)
}
