//! Writes through all names of a file, of which a part may be there: they stay when all of it is,
//! and are undone otherwise, which needs no space that the file did not have.

use std::io;

use super::append::{last_look, must_be_writable};
use super::obstacle::Obstacle;
use super::seat::{self, Seat};
use crate::contents::{copy_all, digest_of};
use crate::disk::{File, read_up_to};
use crate::journal::Row;
use crate::state::State;
use crate::store::Store;
use crate::unit::{Change, Slot, Target};

/// Looks at the file that was written where it is, and at the slot that holds what it was.
pub(super) fn look_at_target(
    store: &Store,
    state: &State,
    row: &Row,
    (change, seat): (&mut Change, &mut Seat),
    obstacle: &mut Option<Obstacle>,
) {
    let undo = row.undo.as_deref().unwrap_or_default();
    let looked = (|| {
        let Some(file) = seat::open_slot(state, undo)? else { return Ok(Slot::Gone) };
        let is_whole = Some(digest_of(&*file)?.0) == row.prev_sha256;
        seat.undo = Some(file);
        Ok(if is_whole { Slot::Whole } else { Slot::Damaged })
    })();
    change.before = Some(seat::or_unseen(looked, Slot::Unseen, obstacle));
    let looked = (|| {
        let Some(open) = seat::open(store, state, &seat.path, row.place.is_some())? else {
            return Ok(Target::Absent);
        };
        let found = what_is_there(row, seat, &*open.file)?;
        // A file with one name is not the one that had several: that one may hold a part, wherever it is.
        let is_another = open.stat.links <= 1 && found != Target::New;
        let target = if is_another { Target::Other } else { found };
        seat.file = Some(open);
        Ok(target)
    })();
    change.target = seat::or_unseen(looked, Target::Unseen, obstacle);
}

fn what_is_there(row: &Row, seat: &Seat, file: &dyn File) -> io::Result<Target> {
    let now = digest_of(file)?.0;
    if row.sha256 == now {
        return Ok(Target::New);
    }
    if Some(now) == row.prev_sha256 {
        return Ok(Target::Old);
    }
    let (Some(slot), Some(undo)) = (&seat.slot, &seat.undo) else { return Ok(Target::Other) };
    let longest = slot.file.stat()?.len.max(undo.stat()?.len);
    let is_ours = file.stat()?.len <= longest && is_torn(file, &[&*slot.file, &**undo])?;
    Ok(if is_ours { Target::Part } else { Target::Other })
}

/// Makes a write durable of which all is there, and retires its slot.
pub(super) fn finish(seat: &Seat) -> Result<(), Obstacle> {
    let (Some(slot), Some(open)) = (&seat.slot, &seat.file) else { return Ok(()) };
    must_be_writable(open)?;
    last_look(open)?;
    // Fresh bytes, since a sync of the old ones may have failed.
    copy_all(&*slot.file, &*open.file)?;
    Ok(open.file.sync()?)
}

/// Gives a file back what it was.
pub(super) fn take_back(seat: &Seat) -> Result<(), Obstacle> {
    let (Some(undo), Some(open)) = (&seat.undo, &seat.file) else { return Ok(()) };
    must_be_writable(open)?;
    last_look(open)?;
    copy_all(&**undo, &*open.file)?;
    Ok(open.file.sync()?)
}

/// Whether every byte of a file is one that a crash may have left: that of one of the sources at
/// its place, or zero.
pub(crate) fn is_torn(file: &dyn File, sources: &[&dyn File]) -> io::Result<bool> {
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
