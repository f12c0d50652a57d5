//! Appends in place, of which a part may be there: they stay when all of it is, and are cut off
//! otherwise, which needs no space.
//!
//! A file that is not what the append left or a crash can have left of it was changed by somebody
//! else since: it is theirs, and the row stays.

use std::io;
use std::path::Path;

use super::obstacle::Obstacle;
use super::seat::{self, OpenFile, Seat};
use crate::contents::{digest_range, write_again};
use crate::digest::Hasher;
use crate::journal::{Row, Sectors, Sums, born};
use crate::state::State;
use crate::store::Store;
use crate::unit::{Change, Kind, Slot, Target};

/// Looks at a row whose bytes were added where the file is, at offset `at`.
pub(super) fn look(
    store: &Store,
    state: &State,
    row: &Row,
    at: u64,
    sectors: &Sectors,
    obstacle: &mut Option<Obstacle>,
) -> (Change, Seat) {
    let mut change = seat::change(Kind::Append);
    let path = row.abs_path.as_deref().unwrap_or_default();
    let mut seat = Seat::of(path);
    let looked = (|| {
        let sums = match sectors {
            Sectors::InRow(sums) => sums.clone(),
            Sectors::InSlot { sha256, slot } => {
                let Some(file) = seat::open_slot(state, slot)? else {
                    // What is durable needs no sums. The target may be anything now.
                    return Ok(Target::Other);
                };
                match Sums::read(&*file, *sha256)? {
                    Some(sums) => sums,
                    // The first wait was not over: the file was not written to.
                    None => {
                        change.slot = Slot::Damaged;
                        return Ok(Target::Other);
                    }
                }
            }
        };
        let Some(open) = open(store, state, row, path)? else {
            seat.may_be_torn = true;
            return Ok(Target::Absent);
        };
        let is_the_file = is_the_file(state, row, &open);
        let target = match is_the_file {
            Some(true) => what_was_added(row, &open, at, &sums)?,
            // A program has saved it as a new file, with what it found in the old one.
            Some(false) => Target::Other,
            None => what_is_there(row, &open, at, &sums)?,
        };
        seat.may_be_torn = is_the_file.is_some() && target == Target::Other;
        seat.file = Some(open);
        Ok(target)
    })();
    change.target = seat::or_unseen(looked, Target::Unseen, obstacle);
    (change, seat)
}

/// Opens the file that was appended to. A workspace that was moved leads to it by the path that is shown.
fn open(store: &Store, state: &State, row: &Row, path: &str) -> Result<Option<OpenFile>, Obstacle> {
    let is_placed = row.place.is_some();
    let found = seat::open(store, state, path, is_placed);
    if matches!(found, Ok(Some(_))) || !Path::new(path).ends_with(&row.path) {
        return found;
    }
    match seat::open(store, state, &row.path, is_placed) {
        Ok(Some(open)) if is_the_file(state, row, &open) == Some(true) => Ok(Some(open)),
        _ => found,
    }
}

/// Whether the file is the one that was appended to; `None` where its number does not tell.
fn is_the_file(state: &State, row: &Row, open: &OpenFile) -> Option<bool> {
    let here = state.tmp.id().ok()?.inode;
    let file = row.file.filter(|file| !state.is_copy_for(row) && file.dir == here)?;
    // A later file may have got its number.
    let is_as_old = file.born.is_none() || file.born == born(&open.stat);
    Some(file.inode == open.stat.id.inode && is_as_old)
}

/// Looks at what was added to the file. What is in front of it is read only where a part is there: that is cut off,
/// and an editor may have written the file anew in place.
fn what_was_added(row: &Row, open: &OpenFile, at: u64, sums: &Sums) -> io::Result<Target> {
    let (file, len) = (&*open.file, open.stat.len);
    let Some(added) = row.bytes.checked_sub(at).filter(|_| len >= at) else {
        return Ok(Target::Other);
    };
    Ok(if len == at {
        Target::Old
    } else if sums.are_whole(file, at, added)? {
        Target::New
    } else if sums.explain(file, at, added)? {
        what_is_there(row, open, at, sums)?
    } else {
        Target::Other
    })
}

/// The same of a file that may be another one: all of it is read.
fn what_is_there(row: &Row, open: &OpenFile, at: u64, sums: &Sums) -> io::Result<Target> {
    let (file, len) = (&*open.file, open.stat.len);
    let Some(added) = row.bytes.checked_sub(at).filter(|_| len >= at) else {
        return Ok(Target::Other);
    };
    let mut digest = Hasher::default();
    digest_range(file, 0, at, &mut digest)?;
    if Some(digest.clone().finish()) != row.prev_sha256 {
        return Ok(Target::Other);
    }
    if len >= row.bytes {
        digest_range(file, at, row.bytes, &mut digest)?;
        if row.sha256 == digest.finish() {
            return Ok(Target::New);
        }
    }
    if len == at {
        return Ok(Target::Old);
    }
    let is_ours = sums.explain(file, at, added)?;
    Ok(if is_ours { Target::Part } else { Target::Other })
}

/// Makes durable what was appended.
pub(super) fn keep(open: &OpenFile, row: &Row, at: u64) -> Result<(), Obstacle> {
    // Fresh bytes, since a sync of the old ones may have failed. A file that nobody may write
    // cannot be given any.
    if open.writable {
        last_look(open)?;
        write_again(&*open.file, at, row.bytes)?;
    }
    Ok(open.file.sync()?)
}

/// Cuts off what was appended.
pub(super) fn take_back(open: &OpenFile, at: u64) -> Result<(), Obstacle> {
    if open.stat.len > at {
        must_be_writable(open)?;
        last_look(open)?;
        open.file.set_len(at)?;
    }
    // Also where nothing is there: a recovery before this one may have cut it off.
    Ok(open.file.sync()?)
}

/// Whether a file is still what was looked at.
pub(super) fn last_look(open: &OpenFile) -> Result<(), Obstacle> {
    if open.file.stat()? == open.stat { Ok(()) } else { Err(Obstacle::changing()) }
}

pub(super) fn must_be_writable(open: &OpenFile) -> Result<(), Obstacle> {
    if open.is_linked {
        return Err(Obstacle::several_names());
    }
    if open.writable {
        Ok(())
    } else {
        Err(io::Error::from(io::ErrorKind::PermissionDenied).into())
    }
}
