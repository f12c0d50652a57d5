//! What all handles of a simulated disk share.

use std::fmt;
use std::io;

use super::schedule::Shared;
use super::state::State;
use super::tree::Ino;
use crate::{FileId, Owner, Stat};

/// An inode held open: it stays while the handle lives, even without a name.
pub(super) struct Handle {
    pub(super) disk: Shared,
    pub(super) ino: Ino,
}

impl Handle {
    pub(super) fn new(disk: &Shared, state: &mut State, ino: Ino) -> Self {
        state.opened(ino);
        Self { disk: disk.clone(), ino }
    }

    pub(super) fn stat(&self) -> io::Result<Stat> {
        let state = self.disk.enter();
        state.faults.powered()?;
        stat(&state, self.ino)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.disk.lock().closed(self.ino);
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.ino)
    }
}

pub(super) fn stat(state: &State, ino: Ino) -> io::Result<Stat> {
    let node = state.node(ino)?;
    // One tick is a millisecond, from a day in 2001 on.
    let time = |tick: u64| i128::from(1_000_000_000_000 + tick) * 1_000_000;
    Ok(Stat {
        kind: node.body.kind(),
        id: FileId { device: node.device, inode: node.number.unwrap_or(ino) },
        len: node.body.len() as u64,
        links: node.links,
        mtime_ns: time(node.modified),
        ctime_ns: time(node.changed),
        // Numbers go up, and none is given twice.
        born_ns: state.births.then(|| time(ino)),
        mode: node.attributes.mode,
        owner: Some(Owner { user: node.attributes.uid, group: node.attributes.gid }),
    })
}
