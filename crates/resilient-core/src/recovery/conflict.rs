//! Content that was promised and cannot be published, since somebody has changed the target: it is
//! kept in `conflicts/`.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use super::names::{CONFLICTS, OTHER, UNNAMED, move_away, state_dir, unnamed_file};
use super::slot::Slot;
use crate::contents::{copy_all, digest_of, digest_range, each_block};
use crate::digest::{Digest, Hasher};
use crate::disk::{Dir, DirRef, File, Replace};
use crate::journal::Row;
use crate::report::Cut;
use crate::state::{State, is_nonsense};

const KEPT: &str = ".kept";

fn kept_name(slot: &OsStr) -> OsString {
    let mut name = slot.to_owned();
    name.push(KEPT);
    name
}

/// Whether a name in `tmp/` is that of content that was set aside, or of what was in its place.
pub(super) fn is_aside(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.ends_with(KEPT) || name.contains(&[KEPT, OTHER].concat())
}

/// The digest of a slot's content that was set aside.
///
/// IMPORTANT: somebody may have put something there. What is set aside leaves no slot in `tmp/`, and beside a target one
/// of the same content.
pub(super) fn kept(state: &State, place: &str, slot: Option<&Slot>) -> io::Result<Option<Digest>> {
    let Some(name) = Path::new(place).file_name() else { return Ok(None) };
    let kept = match state.tmp.open(&kept_name(name)) {
        Ok(file) => digest_of(&*file)?.0,
        Err(error) if error.kind() == io::ErrorKind::NotFound || is_nonsense(&error) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let is_ours = slot.map_or(Ok(true), |slot| digest_of(&*slot.file).map(|of| of.0 == kept))?;
    Ok(is_ours.then_some(kept))
}

/// Sets content aside that could not be published, and gives its digest.
///
/// IMPORTANT: under a name that says so. A slot that is gone stands for a finished write, and the
/// sweep removes one that is still there when its row is gone. So `tmp/` is synced before the row goes.
pub(super) fn keep(state: &State, slot: &mut Slot) -> io::Result<Digest> {
    let kept = kept_name(&slot.name);
    keep_as(state, slot, &kept)
}

fn keep_as(state: &State, slot: &mut Slot, kept: &OsStr) -> io::Result<Digest> {
    let digest = digest_of(&*slot.file)?.0;
    slot.rewrite_and_sync()?;
    match state.tmp.stat(kept) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Ok(found) if found.id == slot.file.id()? => {}
        other => other.and_then(|_| move_away(&*state.tmp, kept)).map(drop)?,
    }
    match slot.dir.rename(&slot.name, &*state.tmp, kept, Replace::Yes) {
        // A slot beside its target stays until the row is gone.
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let copy = unnamed_file(&*state.tmp)?;
            copy_all(&*slot.file, &*copy)?;
            copy.sync()?;
            state.tmp.rename(OsStr::new(UNNAMED), &*state.tmp, kept, Replace::Yes)?;
        }
        other => other?,
    }
    Ok(digest)
}

/// Sets a file aside that came out of an exchange. Its row stays, so that its name does not say that the
/// row's content was set aside.
pub(super) fn keep_old(state: &State, slot: &mut Slot) -> io::Result<Digest> {
    let mut name = slot.name.clone();
    name.push(".old");
    keep_as(state, slot, &kept_name(&name))
}

/// Moves what was set aside to `conflicts/`, once no row stands for it any more; gives the names that
/// could not be moved, and why.
pub(super) fn shelve(state: &State) -> io::Result<Vec<String>> {
    let mut kept = state.tmp.entries()?;
    kept.retain(|name| is_aside(name));
    let mut left = Vec::new();
    for name in kept {
        let moved = (|| {
            let conflicts = open_conflicts(state)?;
            let digest = digest_of(&*state.tmp.open(&name)?)?.0;
            let shelf = OsString::from(format!("{digest}.bin"));
            if let Some(other) = make_room(&*conflicts, &shelf, digest)? {
                let other = other.to_string_lossy();
                left.push(format!("conflicts/{other}: it was in the place of what is kept"));
            }
            // Needs no sync: a crash that takes it back leaves the old name, which is found again.
            state.tmp.rename(&name, &*conflicts, &shelf, Replace::Yes)
        })();
        if let Err(error) = moved {
            left.push(format!("tmp/{}: {error}", name.to_string_lossy()));
        }
    }
    Ok(left)
}

/// Keeps a part of the journal that is about to be cut, durably. The bytes were never answered for: without room for
/// them the cut goes on all the same.
pub(super) fn keep_cut(state: &State, from: u64, to: u64) -> Cut {
    let is_kept = try_keep_cut(state, from, to).unwrap_or(false);
    Cut { bytes: to - from, kept: if is_kept { to - from } else { 0 } }
}

/// Keeps a copy of what a file holds, durably, and gives its digest.
pub(super) fn keep_copy(state: &State, file: &dyn File) -> io::Result<Digest> {
    let digest = digest_of(file)?.0;
    keep_file(state, &format!("{digest}.bin"), digest, |copy| copy_all(file, copy))?;
    Ok(digest)
}

/// Keeps a row that is about to be forgotten, durably, and gives its digest.
pub(super) fn keep_row(state: &State, row: &Row) -> io::Result<Digest> {
    let bytes = serde_json::to_vec(row)?;
    let digest = Digest::of(&bytes);
    keep_file(state, &format!("{digest}.row"), digest, |file| file.write_all_at(&bytes, 0))?;
    Ok(digest)
}

/// Tells whether there was something to keep but zeros.
fn try_keep_cut(state: &State, from: u64, to: u64) -> io::Result<bool> {
    let mut is_empty = true;
    each_block(&*state.journal, from, to, |_, block| {
        is_empty = is_empty && block.iter().all(|byte| *byte == 0);
        Ok(())
    })?;
    if is_empty {
        return Ok(false);
    }
    let mut hasher = Hasher::default();
    digest_range(&*state.journal, from, to, &mut hasher)?;
    let digest = hasher.finish();
    keep_file(state, &format!("journal-{digest}.cut"), digest, |file| {
        each_block(&*state.journal, from, to, |at, block| file.write_all_at(block, at - from))
    })?;
    Ok(true)
}

/// Keeps content of that digest, which gets its name when it is durable.
fn keep_file(
    state: &State,
    name: &str,
    digest: Digest,
    write: impl FnOnce(&dyn File) -> io::Result<()>,
) -> io::Result<()> {
    let (unnamed, name) = (OsStr::new(UNNAMED), OsStr::new(name));
    let conflicts = open_conflicts(state)?;
    let file = unnamed_file(&*state.tmp)?;
    let kept = file
        .set_len(0)
        .and_then(|()| write(&*file))
        .and_then(|()| file.sync())
        .and_then(|()| make_room(&*conflicts, name, digest))
        .and_then(|_| state.tmp.rename(unnamed, &*conflicts, name, Replace::Yes));
    if kept.is_err() {
        // It takes room. The sweep removes what stays.
        let _ = state.tmp.remove_file(unnamed);
    }
    kept.and_then(|()| conflicts.sync())
}

/// Sees to it that a name in `conflicts/` is free for content of a digest: somebody may have put something there, or have
/// worked on what was kept. That gets another name, which this returns.
fn make_room(conflicts: &dyn Dir, name: &OsStr, digest: Digest) -> io::Result<Option<OsString>> {
    match conflicts.open(name).and_then(|file| digest_of(&*file)) {
        Ok((found, _)) if found == digest => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if !is_nonsense(&error) && error.kind() != io::ErrorKind::PermissionDenied => {
            return Err(error);
        }
        _ => {}
    }
    move_away(conflicts, name).map(Some)
}

fn open_conflicts(state: &State) -> io::Result<DirRef> {
    state_dir(state, CONFLICTS)
}
