//! How a simulated disk is entered.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path};
use std::sync::Arc;

use super::dir::SimDir;
use super::handle::stat;
use super::rules::find;
use super::schedule::Shared;
use super::state::State;
use super::tree::{Body, Ino, ROOT};
use crate::{DirRef, Stat};

/// As many links in a path as Linux follows.
const LINKS_MAX: usize = 40;

/// Opens the directory at an absolute path, following links.
pub(super) fn open_root(disk: &Shared, path: &Path) -> io::Result<DirRef> {
    let mut state = disk.enter();
    state.faults.powered()?;
    state.admit()?;
    let at = lookup(&state, path)?;
    Ok(Arc::new(SimDir::open(disk, &mut state, at)))
}

/// The facts of what is at an absolute path. A link at its end is not followed.
pub(super) fn stat_at(disk: &Shared, path: &Path) -> io::Result<Stat> {
    let state = disk.enter();
    state.faults.powered()?;
    let at = match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => find(&state, lookup(&state, parent)?, name)?,
        _ => lookup(&state, path)?,
    };
    stat(&state, at)
}

fn lookup(state: &State, path: &Path) -> io::Result<Ino> {
    if !path.has_root() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut rest = components(path);
    let mut at = ROOT;
    let mut links = 0;
    while let Some(step) = rest.pop_front() {
        at = match step {
            Step::Root => ROOT,
            Step::Up => state.node(at)?.place.dir,
            Step::Down(name) => {
                let ino = find(state, at, &name)?;
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
    Ok(at)
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
