//! The rules of names: which may be given, taken and moved, and the errors of a kernel where not.

use std::ffi::OsStr;
use std::io;

use super::rights::{SEARCH, WRITE};
use super::state::State;
use super::tree::{Ino, Slot};
use crate::Replace;

const NAME_LEN_MAX: usize = 255;

fn check_name(name: &OsStr) -> io::Result<()> {
    let bytes = name.as_encoded_bytes();
    if bytes.len() > NAME_LEN_MAX {
        return Err(io::ErrorKind::InvalidFilename.into());
    }
    let special = matches!(bytes, b"" | b"." | b"..");
    if special || bytes.iter().any(|byte| matches!(byte, b'/' | 0)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok(())
}

pub(super) fn find(state: &State, dir: Ino, name: &OsStr) -> io::Result<Ino> {
    check_name(name)?;
    state.permits(dir, SEARCH)?;
    state.live.lookup(dir, name).ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// Checks that a name can be given.
pub(super) fn vacant(state: &State, slot: &Slot) -> io::Result<()> {
    check_name(&slot.name)?;
    state.permits(slot.dir, SEARCH)?;
    if state.live.lookup(slot.dir, &slot.name).is_some() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    linked(state, slot.dir)?;
    state.permits(slot.dir, WRITE)
}

/// A directory that was removed takes no names, though a handle still holds it.
fn linked(state: &State, dir: Ino) -> io::Result<()> {
    if state.node(dir)?.links == 0 { Err(io::ErrorKind::NotFound.into()) } else { Ok(()) }
}

pub(super) fn not_mounted(state: &State, ino: Ino) -> io::Result<()> {
    let node = state.node(ino)?;
    if same_mount(state, ino, node.place.dir)? {
        Ok(())
    } else {
        Err(io::ErrorKind::ResourceBusy.into())
    }
}

pub(super) fn rename(state: &mut State, from: Slot, to: Slot, replace: Replace) -> io::Result<()> {
    // As on Linux, before any name is looked up.
    one_mount(state, from.dir, to.dir)?;
    let ino = find(state, from.dir, &from.name)?;
    if replace == Replace::No {
        vacant(state, &to)?;
    }
    check_name(&to.name)?;
    linked(state, to.dir)?;
    state.permits(to.dir, SEARCH)?;
    let is_dir = state.live.entries(ino).is_some();
    if is_dir {
        not_mounted(state, ino)?;
        if state.node(ino)?.is_lower {
            return Err(io::ErrorKind::CrossesDevices.into());
        }
        if state.live.is_within(to.dir, ino) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
    }
    if let Some(replaced) = state.live.lookup(to.dir, &to.name) {
        if replaced == ino {
            return Ok(());
        }
        state.may_take(to.dir, replaced)?;
        match (is_dir, state.live.entries(replaced)) {
            (true, None) => return Err(io::ErrorKind::NotADirectory.into()),
            (false, Some(_)) => return Err(io::ErrorKind::IsADirectory.into()),
            (true, Some(entries)) if !entries.is_empty() => {
                return Err(io::ErrorKind::DirectoryNotEmpty.into());
            }
            (true, Some(_)) => not_mounted(state, replaced)?,
            (false, None) => {}
        }
    }
    state.may_take(from.dir, ino)?;
    state.permits(to.dir, WRITE | SEARCH)?;
    if is_dir && from.dir != to.dir {
        // Its name for the directory above it changes.
        state.permits(ino, WRITE)?;
    }
    state.name(ino, Some(from), Some(to));
    Ok(())
}

pub(super) fn exchange(state: &mut State, from: Slot, to: Slot) -> io::Result<()> {
    if !state.exchanges {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let ino = find(state, from.dir, &from.name)?;
    let other = find(state, to.dir, &to.name)?;
    one_mount(state, from.dir, to.dir)?;
    for (ino, dir) in [(ino, to.dir), (other, from.dir)] {
        if state.live.entries(ino).is_some() {
            not_mounted(state, ino)?;
            if state.live.is_within(dir, ino) {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            if from.dir != to.dir {
                state.permits(ino, WRITE)?;
            }
        }
    }
    state.may_take(from.dir, ino)?;
    state.may_take(to.dir, other)?;
    if ino != other {
        state.exchange((from, ino), (to, other));
    }
    Ok(())
}

pub(super) fn hard_link(state: &mut State, from: Slot, to: Slot) -> io::Result<()> {
    let ino = find(state, from.dir, &from.name)?;
    vacant(state, &to)?;
    one_mount(state, from.dir, to.dir)?;
    state.may_link(ino)?;
    state.name(ino, None, Some(to));
    Ok(())
}

fn one_mount(state: &State, one: Ino, other: Ino) -> io::Result<()> {
    if same_mount(state, one, other)? { Ok(()) } else { Err(io::ErrorKind::CrossesDevices.into()) }
}

pub(super) fn same_mount(state: &State, one: Ino, other: Ino) -> io::Result<bool> {
    let mount = |ino| state.node(ino).map(|node| (node.device, node.mount));
    Ok(mount(one)? == mount(other)?)
}
