//! One file of a row: what recovery opens of it, and how.

use std::ffi::{OsStr, OsString};
use std::io;

use super::obstacle::Obstacle;
use super::slot::{self, Slot};
use crate::digest::Digest;
use crate::disk::{DirRef, FileBox, Stat};
use crate::error::Error;
use crate::roots::Target;
use crate::state::State;
use crate::store::Store;
use crate::unit::{self, Change, KnownBy};

/// One file of a row, with what was opened of it.
pub(super) struct Seat {
    /// The target's absolute path.
    pub(super) path: String,
    /// Where the slot is, or was.
    pub(super) place: Option<(DirRef, OsString)>,
    pub(super) slot: Option<Slot>,
    /// Whether the slot leads to a file that is neither of the row's two, with the content that the
    /// row promises.
    pub(super) slot_holds_promise: bool,
    /// The second slot, which holds the content before.
    pub(super) undo: Option<FileBox>,
    /// What an earlier recovery has set aside of it.
    pub(super) aside: Option<Digest>,
    pub(super) target: Option<Target>,
    /// What the target's name led to; `None` where there was nothing.
    pub(super) stat: Option<Stat>,
    /// The target, opened for a write in place.
    pub(super) file: Option<OpenFile>,
    /// Whether what was added is not in the file that has the name now, so that nobody can tell whether it was
    /// ever there whole.
    pub(super) may_be_torn: bool,
    /// Whether somebody may have removed the slot before its content was published.
    pub(super) may_be_lost: bool,
}

/// A file that is written where it is.
pub(super) struct OpenFile {
    pub(super) file: FileBox,
    pub(super) writable: bool,
    /// Whether it has another name, through which a stranger's row would reach a file outside.
    pub(super) is_linked: bool,
    pub(super) stat: Stat,
}

/// A change of which nothing is known yet.
pub(super) fn change(kind: unit::Kind) -> Change {
    Change {
        kind,
        known_by: KnownBy::Content,
        slot: unit::Slot::Gone,
        before: None,
        target: unit::Target::Unseen,
    }
}

impl Seat {
    pub(super) fn of(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            place: None,
            slot: None,
            slot_holds_promise: false,
            undo: None,
            aside: None,
            target: None,
            stat: None,
            file: None,
            may_be_torn: false,
            may_be_lost: false,
        }
    }
}

/// The fact, or `unseen` with the obstacle noted.
pub(super) fn or_unseen<T>(
    fact: Result<T, Obstacle>,
    unseen: T,
    obstacle: &mut Option<Obstacle>,
) -> T {
    fact.unwrap_or_else(|found| {
        obstacle.get_or_insert(found);
        unseen
    })
}

/// Finds the target of a path that a row names; `None` where somebody has put something there that
/// no write goes to: a directory, a device, a file in the place of a directory.
///
/// # Errors
/// The path is outside this process's roots or its policy, or cannot be reached; or the row does not say in which
/// state directory it was written, and the path leads out of the workspace that holds this one: the directory may be a
/// copy, or a stranger's.
pub(super) fn find(
    store: &Store,
    state: &State,
    path: &str,
    is_placed: bool,
) -> Result<Option<Target>, Obstacle> {
    match store.row_target(state, path, store.git()) {
        Ok(target) if !is_placed && !store.is_home(&target) => Err(Obstacle::elsewhere()),
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

/// Opens the file that a row names for a write in place; `None` where there is none.
pub(super) fn open(
    store: &Store,
    state: &State,
    path: &str,
    is_placed: bool,
) -> Result<Option<OpenFile>, Obstacle> {
    let Some(target) = find(store, state, path, is_placed)? else { return Ok(None) };
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
        Ok(file) => {
            // A process with another state directory may be writing it. The lock goes with the handle.
            if !file.try_lock().unwrap_or(true) {
                return Err(Obstacle::locked());
            }
            let stat = file.stat()?;
            let is_linked = stat.links > 1 && !is_placed && !store.may_write_links();
            Ok(Some(OpenFile { file, writable: writable && !is_linked, is_linked, stat }))
        }
        // Nothing is there, or a link, through which no write goes.
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidInput) =>
        {
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// Opens a slot in `tmp/` for reading; `None` where it does not exist.
pub(super) fn open_slot(state: &State, name: &str) -> io::Result<Option<FileBox>> {
    if !slot::is_one_name(OsStr::new(name)) {
        return Ok(None);
    }
    match state.tmp.open(OsStr::new(name)) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
