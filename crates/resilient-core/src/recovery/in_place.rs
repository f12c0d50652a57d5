//! Writes through all names of a file, of which a part may be there: they stay when all of it is,
//! and are undone otherwise, which needs no space that the file did not have.

use std::ffi::OsStr;
use std::io;

use super::append::last_look;
use super::names::sync_names;
use super::obstacle::Obstacle;
use super::verdict::Verdict;
use super::{conflict, look, slot};
use crate::contents::{copy_all, digest_of};
use crate::disk::{File, FileBox, read_up_to};
use crate::journal::Row;
use crate::state::State;
use crate::store::Store;

/// Decides what becomes of a row whose file was written where it is.
pub(super) fn resolve(
    store: &Store,
    state: &State,
    row: &Row,
    staged: &str,
    path: &str,
) -> Result<Verdict, Obstacle> {
    if let Some(kept) = conflict::kept(state, staged)? {
        return Ok(Verdict::Conflict(vec![(path.to_owned(), kept)]));
    }
    let Some((dir, name)) = slot::place(store, state, staged)? else {
        return Ok(Verdict::Published);
    };
    let Some(mut slot) = slot::open(dir.clone(), name)? else {
        sync_names(store, state, row)?;
        // IMPORTANT: the row is finished for good before anything else of it is swept.
        dir.sync()?;
        return Ok(Verdict::Published);
    };
    let seen = match look::open(store, state, path)? {
        Some((file, writable)) => {
            let stat = file.stat()?;
            let found = look_at(state, row, &*slot.file, &*file)?;
            Some((file, writable, stat, found))
        }
        None => None,
    };
    let Some((file, writable, stat, found)) = seen else {
        let kept = conflict::keep(state, &mut slot)?;
        return Ok(Verdict::Conflict(vec![(path.to_owned(), kept)]));
    };
    if !writable && matches!(found, Found::Begun(_) | Found::Done) {
        return Err(io::Error::from(io::ErrorKind::PermissionDenied).into());
    }
    match found {
        Found::Begun(undo) => {
            last_look(&*file, &stat)?;
            copy_all(&*undo, &*file)?;
            file.sync()?;
            Ok(Verdict::Withdrawn)
        }
        Found::Done => {
            last_look(&*file, &stat)?;
            // Fresh bytes, since a sync of the old ones may have failed.
            copy_all(&*slot.file, &*file)?;
            file.sync()?;
            sync_names(store, state, row)?;
            // IMPORTANT: as above.
            slot.dir.remove_file(&slot.name)?;
            slot.dir.sync()?;
            Ok(Verdict::Finished)
        }
        Found::Nothing => Ok(Verdict::Withdrawn),
        Found::Foreign => {
            let kept = conflict::keep(state, &mut slot)?;
            Ok(Verdict::Conflict(vec![(path.to_owned(), kept)]))
        }
    }
}

/// What has become of a write in place.
enum Found {
    /// Nothing: its content was never durable, so that nothing was promised.
    Nothing,
    /// It was promised, and a part of it may be there, which is to be undone from this file.
    Begun(FileBox),
    /// All of it.
    Done,
    /// Something else: somebody has changed the file.
    Foreign,
}

fn look_at(state: &State, row: &Row, slot: &dyn File, file: &dyn File) -> io::Result<Found> {
    let undo = match row.undo.as_deref().map(OsStr::new) {
        Some(name) if slot::is_one_name(name) => match state.tmp.open(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            other => Some(other?),
        },
        _ => None,
    };
    let Some(undo) = undo else { return Ok(Found::Nothing) };
    if digest_of(slot)?.0 != row.sha256 || Some(digest_of(&*undo)?.0) != row.prev_sha256 {
        return Ok(Found::Nothing);
    }
    if digest_of(file)?.0 == row.sha256 {
        return Ok(Found::Done);
    }
    let torn = file.stat()?.len <= slot.stat()?.len.max(undo.stat()?.len)
        && is_torn(file, &[slot, &*undo])?;
    Ok(if torn { Found::Begun(undo) } else { Found::Foreign })
}

/// Whether every byte of a file is one that a crash may have left: that of one of the sources at
/// its place, or zero.
fn is_torn(file: &dyn File, sources: &[&dyn File]) -> io::Result<bool> {
    const BLOCK: usize = 64 * 1024;
    let mut here = vec![0; BLOCK];
    let mut there = vec![vec![0; BLOCK]; sources.len()];
    let mut at = 0;
    loop {
        let read = read_up_to(file, &mut here, at)?;
        if read == 0 {
            return Ok(true);
        }
        for (source, block) in sources.iter().zip(&mut there) {
            // Beyond its end a source explains zeros, which are explained anyway.
            block.fill(0);
            read_up_to(*source, block, at)?;
        }
        let explained = |(place, byte): (usize, &u8)| {
            *byte == 0 || there.iter().any(|block| block.get(place) == Some(byte))
        };
        if !here.iter().take(read).enumerate().all(explained) {
            return Ok(false);
        }
        at += read as u64;
    }
}
