//! What recovery sees of a row before it acts: each file's slot, and what its target holds now.

use std::io;

use super::conflict;
use super::obstacle::Obstacle;
use super::slot::{self, Slot};
use crate::contents::digest_of;
use crate::digest::Digest;
use crate::disk::{DirRef, FileBox, FileId, Kind, Stat};
use crate::error::Error;
use crate::journal::Row;
use crate::roots::Target;
use crate::state::State;
use crate::store::Store;

/// One file of a row.
pub(super) struct FileSeen {
    /// The target's absolute path.
    pub(super) path: String,
    pub(super) slot: SlotSeen,
}

/// What a row's slot is.
pub(super) enum SlotSeen {
    /// It is gone: the file was published.
    Gone,
    /// The file was published by a link into this directory, and the slot is its second name.
    Linked(Slot, DirRef),
    /// It holds what the row promises.
    Whole(Slot, TargetSeen),
    /// It holds something else: its content was never durable.
    Damaged,
    /// An earlier recovery set its content aside.
    Aside(Digest),
}

/// What a target is, of which a slot holds the new content.
pub(super) enum TargetSeen {
    /// As it was when the row was written, or as the row says: the slot may be published.
    Open {
        target: Target,
        /// What was looked at; `None` where there is nothing.
        stat: Option<Stat>,
    },
    /// Somebody has changed it.
    Changed,
}

/// Looks at all files of a row that was published by renames.
pub(super) fn look(store: &Store, state: &State, row: &Row) -> Result<Vec<FileSeen>, Obstacle> {
    let main = row.staged.as_ref().zip(row.abs_path.as_ref());
    let main = main.map(|(staged, path)| (path, staged, row.sha256, row.prev_sha256));
    let also = row.also.iter();
    let also = also.map(|also| (&also.abs_path, &also.staged, also.sha256, also.prev_sha256));
    also.chain(main)
        .map(|(path, staged, expected, previous)| {
            let slot = look_at(store, state, path, staged, expected, previous)?;
            Ok(FileSeen { path: path.clone(), slot })
        })
        .collect()
}

fn look_at(
    store: &Store,
    state: &State,
    path: &str,
    staged: &str,
    expected: Digest,
    previous: Option<Digest>,
) -> Result<SlotSeen, Obstacle> {
    if let Some(digest) = conflict::kept(state, staged)? {
        return Ok(SlotSeen::Aside(digest));
    }
    let Some((dir, name)) = slot::place(store, state, staged)? else { return Ok(SlotSeen::Gone) };
    let Some(slot) = slot::open(dir, name)? else { return Ok(SlotSeen::Gone) };
    let found = find(store, state, path);
    // The very file of the slot is published, whatever somebody has made of it since.
    if let Ok(Some(target)) = &found
        && target.missing.is_empty()
        && target.dir.stat(&target.name).ok().map(|stat| stat.id) == Some(slot.file.id()?)
    {
        return Ok(SlotSeen::Linked(slot, target.dir.clone()));
    }
    if digest_of(&*slot.file)?.0 != expected {
        return Ok(SlotSeen::Damaged);
    }
    let Some(target) = found? else { return Ok(SlotSeen::Whole(slot, TargetSeen::Changed)) };
    let (stat, now) = look_at_file(&target)?;
    let is_file = stat.is_none_or(|stat| stat.kind == Kind::File);
    let is_open = is_file && (now == previous || now == Some(expected));
    let target = if is_open { TargetSeen::Open { target, stat } } else { TargetSeen::Changed };
    Ok(SlotSeen::Whole(slot, target))
}

/// Finds the target of a path that a row names; `None` where somebody has put something there that
/// no write goes to: a directory, a device, a file in the place of a directory.
///
/// # Errors
/// The path is outside this process's roots or its policy, or cannot be reached.
pub(super) fn find(store: &Store, state: &State, path: &str) -> Result<Option<Target>, Obstacle> {
    match store.row_target(state, path, store.git()) {
        Ok(target) => Ok(Some(target)),
        Err(
            Error::NotARegularFile { .. }
            | Error::LinkLoop { .. }
            | Error::InvalidPath { .. }
            | Error::EmptyPath
            | Error::MakeDirectory { .. },
        ) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Opens the file that a row names for a write in place, and tells whether it may be written; `None`
/// where there is none.
pub(super) fn open(
    store: &Store,
    state: &State,
    path: &str,
) -> Result<Option<(FileBox, bool)>, Obstacle> {
    let Some(target) = find(store, state, path)? else { return Ok(None) };
    // The file went with its directory. One of its name further up is another file.
    if !target.missing.is_empty() {
        return Ok(None);
    }
    let (file, writable) = match target.dir.open_write(&target.name) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            (target.dir.open(&target.name), false)
        }
        other => (other, true),
    };
    match file {
        Ok(file) => Ok(Some((file, writable))),
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidInput) =>
        {
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// The facts and the content of what a target's name leads to. The two belong together.
fn look_at_file(target: &Target) -> Result<(Option<Stat>, Option<Digest>), Obstacle> {
    if !target.missing.is_empty() {
        return Ok((None, None));
    }
    let stat = match target.dir.stat(&target.name) {
        Ok(stat) if stat.kind != Kind::File => return Ok((Some(stat), None)),
        Ok(stat) => stat,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((None, None)),
        Err(error) => return Err(error.into()),
    };
    let file = target.dir.open(&target.name)?;
    let digest = digest_of(&*file)?.0;
    let after = file.stat()?;
    let same = |a: &Stat, b: &Stat| -> bool { key(a) == key(b) };
    if !same(&stat, &after) {
        return Err(Obstacle::changing());
    }
    Ok((Some(stat), Some(digest)))
}

fn key(stat: &Stat) -> (FileId, u64, i128, i128) {
    (stat.id, stat.len, stat.mtime_ns, stat.ctime_ns)
}

/// The last look: whether a target's name still leads to what was looked at.
pub(super) fn is_as_seen(target: &Target, seen: Option<&Stat>) -> io::Result<bool> {
    match target.dir.stat(&target.name) {
        Ok(now) => Ok(seen == Some(&now)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(seen.is_none()),
        Err(error) => Err(error),
    }
}
