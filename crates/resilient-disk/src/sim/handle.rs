//! How a simulated disk is entered, and what all its handles share.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Component, Path};
use std::sync::Arc;

use super::dir::SimDir;
use super::rules::find;
use super::schedule::Shared;
use super::state::State;
use super::tree::{Body, Ino, Node, ROOT};
use crate::{DirRef, FileId, Stat};

/// As many links in a path as Linux follows.
const LINKS_MAX: usize = 40;

/// Opens the directory at an absolute path, following links.
pub(super) fn open_root(disk: &Shared, path: &Path) -> io::Result<DirRef> {
    if !path.has_root() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut state = disk.enter();
    state.faults.powered()?;
    state.admit()?;
    let mut rest = components(path);
    let mut at = ROOT;
    let mut links = 0;
    while let Some(step) = rest.pop_front() {
        at = match step {
            Step::Root => ROOT,
            Step::Up => state.node(at)?.place.dir,
            Step::Down(name) => {
                let ino = find(&state, at, &name)?;
                match &state.node(ino)?.body {
                    Body::Dir(_) => ino,
                    Body::Link(_) if links == LINKS_MAX => {
                        return Err(io::Error::other("too many levels of links"));
                    }
                    Body::Link(target) => {
                        links += 1;
                        rest = components(target).into_iter().chain(rest).collect();
                        at
                    }
                    Body::File(_) | Body::Other => return Err(io::ErrorKind::NotADirectory.into()),
                }
            }
        };
    }
    Ok(Arc::new(SimDir::open(disk, &mut state, at)))
}

enum Step {
    Root,
    Up,
    Down(OsString),
}

fn components(path: &Path) -> VecDeque<Step> {
    path.components()
        .filter_map(|component| match component {
            Component::RootDir => Some(Step::Root),
            Component::ParentDir => Some(Step::Up),
            Component::Normal(name) => Some(Step::Down(name.to_owned())),
            Component::CurDir | Component::Prefix(_) => None,
        })
        .collect()
}

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
        Ok(stat(self.ino, state.node(self.ino)?))
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

pub(super) fn stat(ino: Ino, node: &Node) -> Stat {
    // One tick is a millisecond, from a day in 2001 on.
    let time = |tick: u64| i128::from(1_000_000_000_000 + tick) * 1_000_000;
    Stat {
        kind: node.body.kind(),
        id: FileId { device: node.device, inode: ino },
        len: node.body.len() as u64,
        links: node.links,
        mtime_ns: time(node.modified),
        ctime_ns: time(node.changed),
    }
}
