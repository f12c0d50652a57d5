//! How a simulated disk is entered.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path};
use std::sync::Arc;

use super::dir::SimDir;
use super::rules::find;
use super::schedule::Shared;
use super::tree::{Body, ROOT};
use crate::DirRef;

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
