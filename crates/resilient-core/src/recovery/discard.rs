//! What goes together with a row: a session whose parts were composed, content of the scratchpad that was
//! removed.
//!
//! Each has a slot that exists until it is gone for good. So long nobody else can have made a new
//! directory of its name under the lock; one that a stranger has made or changed is recognised by
//! its content, and stays.

use std::ffi::{OsStr, OsString};
use std::io;

use super::slot::is_one_name;
use crate::contents::{digest_of, digest_of_parts, move_dir};
use crate::digest::Digest;
use crate::disk::{Dir, Kind, Replace, Stat};
use crate::journal::{RemovedDir, Row};
use crate::name::is_name;
use crate::state::State;
use crate::store::{CHUNKS, SCRATCH};

/// How the name begins of what is on its way to be removed.
const TRASH: &str = "gone-";

/// Whether a name in `tmp/` is that of what is on its way to be removed.
pub(super) fn is_trash(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(TRASH.as_bytes())
}

/// Where in `tmp/` it goes before it is emptied.
pub(crate) fn trash_name(slot: &OsStr) -> OsString {
    let mut name = OsString::from(TRASH);
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
        remove(state, gone)?;
    }
    // IMPORTANT: gone for good before the slots that name it.
    state.tmp.sync()?;
    for gone in &unfinished {
        state.tmp.remove_file(OsStr::new(&gone.slot))?;
    }
    state.tmp.sync()?;
    Ok(true)
}

/// The directory and the name of what may go.
///
/// IMPORTANT: a journal may be a stranger's. Only sessions go, their parts, and content of the scratchpad.
fn place(gone: &RemovedDir) -> Option<(&str, &str)> {
    let (dir, name) = gone.path.rsplit_once('/')?;
    let is_part = || {
        let digits = name.strip_prefix("part-").and_then(|name| name.strip_suffix(".txt"));
        digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if let Some((CHUNKS, session)) = dir.split_once('/') {
        return (is_name(session) && is_part()).then_some((dir, name));
    }
    let is_content = || {
        let hex = name.strip_suffix(".bin");
        hex.is_some_and(|hex| hex.parse::<Digest>().is_ok())
    };
    let may_go = dir == CHUNKS && is_name(name) || dir == SCRATCH && is_content();
    may_go.then_some((dir, name))
}

fn remove(state: &State, gone: &RemovedDir) -> io::Result<()> {
    let Some((parent, name)) = place(gone) else { return Ok(()) };
    let trash = trash_name(OsStr::new(&gone.slot));
    let mut parent_dir = state.dir.clone();
    for step in parent.split('/') {
        parent_dir = match parent_dir.open_dir(OsStr::new(step)) {
            Err(error) if is_absence(&error) => return Ok(()),
            other => other?,
        };
    }
    let name = OsStr::new(name);
    match parent_dir.stat(name) {
        // IMPORTANT: a recovery that was cut may have removed it without a sync. The power would
        // bring it back with all that it held, and no slot names it any more.
        Err(error) if is_absence(&error) => parent_dir.sync(),
        Err(error) => Err(error),
        Ok(stat) if stat.kind == Kind::Dir && parent == CHUNKS => {
            let dir = parent_dir.open_dir(name)?;
            // A part of it may have been moved already.
            let moved = match state.tmp.open_dir(&trash) {
                Err(error) if is_absence(&error) => None,
                other => Some(other?),
            };
            let parts: Vec<&dyn Dir> =
                std::iter::once(&dir).chain(&moved).map(|dir| &**dir).collect();
            if digest_of_parts(&parts, |_| None)? == gone.sha256 {
                move_dir(&*parent_dir, name, &*state.tmp, &trash)?;
            }
            Ok(())
        }
        Ok(stat) if stat.kind == Kind::File && parent != CHUNKS => {
            let is_ours = digest_of(&*parent_dir.open(name)?)?.0 == gone.sha256;
            if is_ours && !is_there(state.tmp.stat(&trash))? {
                parent_dir.rename(name, &*state.tmp, &trash, Replace::No)?;
            }
            Ok(())
        }
        Ok(_) => Ok(()),
    }
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
