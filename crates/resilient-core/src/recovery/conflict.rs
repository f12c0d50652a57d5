//! Content that was promised and cannot be published, since somebody has changed the target: it is
//! kept in `conflicts/`.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use super::names::state_dir;
use super::slot::Slot;
use crate::contents::{copy_all, digest_of, digest_range, each_block};
use crate::digest::{Digest, Hasher};
use crate::disk::{DirRef, File, Replace};
use crate::ensure::own_file;
use crate::journal::Row;
use crate::report::Cut;
use crate::state::State;

const KEPT: &str = ".kept";

fn kept_name(slot: &OsStr) -> OsString {
    let mut name = slot.to_owned();
    name.push(KEPT);
    name
}

/// Whether a name in `tmp/` is that of content that was set aside.
pub(super) fn is_aside(name: &OsStr) -> bool {
    name.as_encoded_bytes().ends_with(KEPT.as_bytes())
}

/// The digest of a slot's content that was set aside.
pub(super) fn kept(state: &State, place: &str) -> io::Result<Option<Digest>> {
    let Some(slot) = Path::new(place).file_name() else { return Ok(None) };
    match state.tmp.open(&kept_name(slot)) {
        Ok(file) => Ok(Some(digest_of(&*file)?.0)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Sets content aside that could not be published, and gives its digest.
///
/// IMPORTANT: under a name that says so. A slot that is gone stands for a finished write, and the
/// sweep removes one that is still there when its row is gone.
pub(super) fn keep(state: &State, slot: &mut Slot) -> io::Result<Digest> {
    let kept = kept_name(&slot.name);
    keep_as(state, slot, &kept)
}

fn keep_as(state: &State, slot: &mut Slot, kept: &OsStr) -> io::Result<Digest> {
    let digest = digest_of(&*slot.file)?.0;
    slot.rewrite_and_sync()?;
    match slot.dir.rename(&slot.name, &*state.tmp, kept, Replace::Yes) {
        // A slot beside its target stays until the row is gone.
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let unnamed = OsStr::new("keeping");
            let copy = own_file(&*state.tmp, unnamed)?;
            copy_all(&*slot.file, &*copy)?;
            copy.sync()?;
            state.tmp.rename(unnamed, &*state.tmp, kept, Replace::Yes)?;
        }
        other => other?,
    }
    state.tmp.sync()?;
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
    keep_file(state, &format!("{digest}.bin"), |copy| copy_all(file, copy))?;
    Ok(digest)
}

/// Keeps a row that is about to be forgotten, durably, and gives its digest.
pub(super) fn keep_row(state: &State, row: &Row) -> io::Result<Digest> {
    let bytes = serde_json::to_vec(row)?;
    let digest = Digest::of(&bytes);
    keep_bytes(state, &format!("{digest}.row"), &bytes)?;
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
    let name = format!("journal-{}.cut", hasher.finish());
    keep_file(state, &name, |file| {
        each_block(&*state.journal, from, to, |at, block| file.write_all_at(block, at - from))
    })?;
    Ok(true)
}

fn keep_bytes(state: &State, name: &str, bytes: &[u8]) -> io::Result<()> {
    keep_file(state, name, |file| file.write_all_at(bytes, 0))
}

fn keep_file(
    state: &State,
    name: &str,
    write: impl FnOnce(&dyn File) -> io::Result<()>,
) -> io::Result<()> {
    let conflicts = open_conflicts(state)?;
    let file = own_file(&*conflicts, OsStr::new(name))?;
    write(&*file)?;
    file.sync()?;
    conflicts.sync()
}

fn open_conflicts(state: &State) -> io::Result<DirRef> {
    state_dir(state, "conflicts")
}
