//! Directories that go together with a row: a session whose parts were composed.
//!
//! Each has a slot that exists until it is gone for good. So long nobody else can have made a new
//! directory of its name under the lock; one that a stranger has made or changed is told by what
//! it holds, and stays.

use std::ffi::{OsStr, OsString};
use std::io;

use super::slot::is_one_name;
use crate::contents::{digest_of_parts, move_dir};
use crate::disk::{Dir, Stat};
use crate::journal::{RemovedDir, Row};
use crate::name::is_name;
use crate::state::State;
use crate::store::CHUNKS;

/// Where in `tmp/` a directory goes before it is emptied.
pub(crate) fn trash_name(slot: &OsStr) -> OsString {
    let mut name = OsString::from("gone-");
    name.push(slot);
    name
}

/// Takes away what belongs to a row that stays; tells whether there was anything left to do.
pub(super) fn finish(state: &State, row: &Row) -> io::Result<bool> {
    let mut unfinished = Vec::new();
    for gone in row.gone.iter().filter(|gone| is_one_name(OsStr::new(&gone.slot))) {
        if is_there(state.tmp.stat(OsStr::new(&gone.slot)))? {
            unfinished.push(gone);
        }
    }
    if unfinished.is_empty() {
        return Ok(false);
    }
    for gone in &unfinished {
        remove_dir(state, gone)?;
    }
    // IMPORTANT: gone for good before the slots are that tell of it.
    state.tmp.sync()?;
    for gone in &unfinished {
        state.tmp.remove_file(OsStr::new(&gone.slot))?;
    }
    state.tmp.sync()?;
    Ok(true)
}

fn remove_dir(state: &State, gone: &RemovedDir) -> io::Result<()> {
    // A journal may be a stranger's: only sessions go.
    let session = gone.path.strip_prefix(CHUNKS).and_then(|path| path.strip_prefix('/'));
    let Some(session) = session.filter(|session| is_name(session)) else { return Ok(()) };
    let trash = trash_name(OsStr::new(&gone.slot));
    let chunks = match state.dir.open_dir(OsStr::new(CHUNKS)) {
        Err(error) if is_absence(&error) => return Ok(()),
        other => other?,
    };
    let dir = match chunks.open_dir(OsStr::new(session)) {
        Err(error) if is_absence(&error) => return Ok(()),
        other => other?,
    };
    // A part of it may have been moved already.
    let moved = match state.tmp.open_dir(&trash) {
        Err(error) if is_absence(&error) => None,
        other => Some(other?),
    };
    let parts: Vec<&dyn Dir> = std::iter::once(&dir).chain(&moved).map(|dir| &**dir).collect();
    if digest_of_parts(&parts, |_| None)? == gone.sha256 {
        move_dir(&*chunks, OsStr::new(session), &*state.tmp, &trash)?;
    }
    Ok(())
}

fn is_there(found: io::Result<Stat>) -> io::Result<bool> {
    match found {
        Ok(_) => Ok(true),
        Err(error) if is_absence(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether there is no such directory, or something else of its name.
fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
