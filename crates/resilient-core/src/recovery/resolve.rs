//! One row: recovery judges it, and acts behind a last look.

use std::io;
use std::path::Path;

use super::look::{self, FileSeen, SlotSeen, TargetSeen};
use super::obstacle::Obstacle;
use super::slot::Slot;
use super::verdict::Verdict;
use super::{append, conflict, discard, in_place, line, names};
use crate::digest::Digest;
use crate::disk::{Access, Replace, Stat};
use crate::journal::Row;
use crate::roots::Target;
use crate::state::State;
use crate::store::Store;

/// How often a row is looked at while somebody changes its file.
const LOOKS: usize = 4;

/// Judges one row and acts on it.
///
/// # Errors
/// The row cannot be decided or finished now; it becomes pending.
pub(super) fn resolve(store: &Store, state: &State, row: &Row) -> Result<Verdict, Obstacle> {
    let mut looks = 1;
    let verdict = loop {
        match resolve_once(store, state, row) {
            Err(obstacle) if obstacle.is_passing && looks < LOOKS => looks += 1,
            other => break other?,
        }
    };
    if !verdict.takes_row_out() && discard::finish(state, row)? {
        return Ok(Verdict::Finished);
    }
    Ok(verdict)
}

fn resolve_once(store: &Store, state: &State, row: &Row) -> Result<Verdict, Obstacle> {
    if let (Some(at), Some(sectors)) = (row.at, &row.sectors) {
        return append::resolve(store, state, row, at, sectors);
    }
    let main = row.staged.as_ref().zip(row.abs_path.as_ref());
    if let (Some(_), Some((staged, path))) = (&row.undo, main) {
        return in_place::resolve(store, state, row, staged, path);
    }
    let files = look::look(store, state, row)?;
    let is_damaged = files.iter().any(|file| matches!(file.slot, SlotSeen::Damaged));
    let is_conflict = |file: &FileSeen| {
        matches!(file.slot, SlotSeen::Aside(_) | SlotSeen::Whole(_, TargetSeen::Changed))
    };
    // All files of a row are judged together: a conflict of one keeps the contents of all.
    if !is_damaged && files.iter().any(is_conflict) {
        return keep_all(store, state, files).map(Verdict::Conflict);
    }
    if is_damaged {
        // Its content was never durable, so nothing was promised.
        return Ok(Verdict::Withdrawn);
    }
    publish_all(store, state, row, files)
}

/// Keeps the contents of all slots of a row.
fn keep_all(
    store: &Store,
    state: &State,
    files: Vec<FileSeen>,
) -> Result<Vec<(String, Digest)>, Obstacle> {
    let mut kept = Vec::new();
    for FileSeen { path, slot } in files {
        let digest = match slot {
            SlotSeen::Aside(digest) => digest,
            SlotSeen::Whole(mut slot, _) => conflict::keep(state, &mut slot)?,
            SlotSeen::Gone | SlotSeen::Linked(..) | SlotSeen::Damaged => continue,
        };
        kept.push((store.show(&path), digest));
    }
    Ok(kept)
}

/// Publishes what is not published yet.
fn publish_all(
    store: &Store,
    state: &State,
    row: &Row,
    files: Vec<FileSeen>,
) -> Result<Verdict, Obstacle> {
    // IMPORTANT: the way to a file is durable before the file goes there: this may be a disk on
    // which a killed process has left everything pending.
    names::sync_names(store, state, row)?;
    let mut open = Vec::new();
    let mut finished = false;
    for file in files {
        match file.slot {
            SlotSeen::Whole(slot, TargetSeen::Open { target, stat }) => {
                open.push((slot, target, stat));
            }
            SlotSeen::Linked(slot, target) => {
                // IMPORTANT: the target's name is durable before the slot's goes; else a crash
                // could take both.
                target.sync()?;
                slot.dir.remove_file(&slot.name)?;
                slot.dir.sync()?;
                finished = true;
            }
            _ => {}
        }
    }
    finished |= !open.is_empty();
    // All of it, or a crash could keep the one file and lose the other's content.
    for (slot, ..) in &mut open {
        slot.harden()?;
    }
    for (slot, target, stat) in open {
        publish(store, slot, target, stat)?;
    }
    if let Some(line) = &row.line
        && Path::new(&line.abs_path).starts_with(store.state_path())
    {
        line::redo(store, state, line)?;
    }
    Ok(if finished { Verdict::Finished } else { Verdict::Published })
}

/// Publishes one slot, after a last look at its target.
fn publish(
    store: &Store,
    slot: Slot,
    mut target: Target,
    seen: Option<Stat>,
) -> Result<(), Obstacle> {
    let access =
        if target.path.starts_with(store.state_path()) { Access::Private } else { Access::Default };
    for missing in std::mem::take(&mut target.missing) {
        match target.dir.create_dir(&missing, access) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
            _ => {}
        }
        target.dir.sync()?;
        target.dir = target.dir.open_dir(&missing)?;
    }
    if !look::is_as_seen(&target, seen.as_ref())? {
        return Err(Obstacle::changing());
    }
    let replace = if seen.is_some() { Replace::Yes } else { Replace::No };
    slot.dir.rename(&slot.name, &*target.dir, &target.name, replace)?;
    Ok(target.dir.sync()?)
}
