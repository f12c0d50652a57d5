//! What is left in `tmp/` when every row is decided. What living processes keep ready stays.
//!
//! A leftover that cannot be removed is in nobody's way: it is tried again by the next recovery.

use std::ffi::OsStr;
use std::io;

use super::conflict::is_aside;
use super::pending::Counted;
use super::relocate::Moved;
use super::slot::renewed;
use crate::beside::{self, Note};
use crate::contents::remove_tree;
use crate::disk::{Kind, Stat, read_all};
use crate::roots::Target;
use crate::state::State;
use crate::store::Store;

/// Removes what lies in `tmp/`, and the slots beside targets that it names, except for those that
/// rows which wait count on; gives the names that could not be removed.
///
/// # Errors
/// `tmp/` itself cannot be listed or synced.
pub(super) fn sweep(store: &Store, state: &mut State, keep: &Counted) -> io::Result<Vec<String>> {
    let in_use = state.slots.in_use()?;
    state.slots.retain(&in_use);
    let mut left = Vec::new();
    for name in state.tmp.entries()? {
        if keep.holds(&name) || in_use.contains(&name) || is_aside(&name) {
            continue;
        }
        match remove(store, state, &name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                left.push(format!("{}: {error}", name.to_string_lossy()));
            }
            _ => {}
        }
    }
    state.tmp.sync()?;
    Ok(left)
}

fn remove(store: &Store, state: &State, name: &OsStr) -> io::Result<()> {
    let stat = state.tmp.stat(name)?;
    if stat.kind == Kind::Dir {
        // IMPORTANT: a directory that came here is here for good before it is emptied; a crash
        // must not put what is left of it back.
        state.tmp.sync()?;
        return remove_tree(&*state.tmp, name);
    }
    remove_beside(store, state, name, &stat)?;
    state.tmp.remove_file(name)
}

/// Removes the slot beside a target that a file in `tmp/` names, if it names one.
fn remove_beside(store: &Store, state: &State, note: &OsStr, stat: &Stat) -> io::Result<()> {
    let Some(target) = beside(store, state, note, stat)? else { return Ok(()) };
    for name in [&renewed(&target.name), &target.name] {
        match target.dir.remove_file(name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    // IMPORTANT: before the note of it goes.
    target.dir.sync()
}

/// Finds the slot beside a target that a file in `tmp/` names, if it names one.
pub(super) fn beside(
    store: &Store,
    state: &State,
    note: &OsStr,
    stat: &Stat,
) -> io::Result<Option<Target>> {
    const LONGEST: u64 = 8192;
    if stat.kind != Kind::File || !(1..=LONGEST).contains(&stat.len) {
        return Ok(None);
    }
    let bytes = state.tmp.open(note).and_then(|file| read_all(&*file, LONGEST))?;
    let Ok(Note { beside: mut path, home }) = serde_json::from_slice(&bytes) else {
        return Ok(None);
    };
    if let Some(home) = home.as_deref().and_then(|home| Moved::from(store, state, home)) {
        home.carry(&mut path);
    }
    // One that this process cannot reach is left to a process that can, and its note with it.
    let target = store.locate(&path).map_err(io::Error::other)?;
    Ok(Some(target).filter(|target| beside::is_name(&target.name) && target.missing.is_empty()))
}
