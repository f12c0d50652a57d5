//! Writes through all names of a file, of which a part may be there: they stay when all of it is,
//! and are undone otherwise, which needs no space that the file did not have.

use std::ffi::OsStr;
use std::io;

use super::{Verdict, conflict, make_reachable, slot};
use crate::contents::{copy_all, digest_of};
use crate::disk::{File, read_up_to};
use crate::error::{Error, Result};
use crate::journal::Row;
use crate::roots::Git;
use crate::state::State;
use crate::store::Store;

/// Decides what becomes of a row whose file was written where it is.
pub(super) fn resolve(
    store: &Store,
    state: &State,
    row: &Row,
    staged: &str,
    path: &str,
) -> Result<Verdict> {
    let os = |source| Error::os(row.path.clone(), "recover", source);
    if let Some(kept) = conflict::kept(state, staged).map_err(os)? {
        return Ok(Verdict::Conflict(kept));
    }
    let Some((dir, name)) = slot::place(store, state, staged) else {
        return Ok(Verdict::Published);
    };
    let Some(mut slot) = slot::open(dir.clone(), name).map_err(os)? else {
        make_reachable(store, state, row)?;
        // IMPORTANT: the row is finished for good before anything else of it is swept.
        dir.sync().map_err(os)?;
        return Ok(Verdict::Published);
    };
    let opened =
        store.row_target(state, path, Git::Protected).ok().map(|at| at.dir.open_write(&at.name));
    let (file, found) = match opened {
        Some(Ok(file)) => {
            let found = look(state, row, &*slot.file, &*file).map_err(os)?;
            (Some(file), found)
        }
        Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => return Err(os(error)),
        _ => (None, Found::Foreign),
    };
    let Some(file) = file.filter(|_| !matches!(found, Found::Foreign)) else {
        return conflict::keep(state, &mut slot).map(Verdict::Conflict).map_err(os);
    };
    match found {
        Found::Begun(undo) => {
            copy_all(&*undo, &*file).and_then(|()| file.sync()).map_err(os)?;
            Ok(Verdict::Withdrawn)
        }
        Found::Done => {
            // Again, since its sync may have failed: only fresh bytes are certain to be written.
            copy_all(&*slot.file, &*file).and_then(|()| file.sync()).map_err(os)?;
            make_reachable(store, state, row)?;
            // IMPORTANT: as above.
            slot.dir.remove_file(&slot.name).and_then(|()| slot.dir.sync()).map_err(os)?;
            Ok(Verdict::Finished)
        }
        Found::Nothing | Found::Foreign => Ok(Verdict::Withdrawn),
    }
}

/// What has become of a write in place.
enum Found {
    /// Nothing: its content was never durable, so that nothing was promised.
    Nothing,
    /// It was promised, and a part of it may be there, which is to be undone from this file.
    Begun(Box<dyn File>),
    /// All of it.
    Done,
    /// Something else: somebody has changed the file.
    Foreign,
}

fn look(state: &State, row: &Row, slot: &dyn File, file: &dyn File) -> io::Result<Found> {
    let undo = match &row.undo {
        Some(name) if slot::is_one_name(name) => match state.tmp.open(OsStr::new(name)) {
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
