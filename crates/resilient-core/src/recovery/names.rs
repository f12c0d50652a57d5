//! Names that recovery makes durable, or makes where they are missing.

use std::ffi::{OsStr, OsString};
use std::io;

use super::obstacle::Obstacle;
use crate::disk::{Access, Dir, DirRef, FileBox, Replace, SyncItem};
use crate::ensure::{make_dir, own_file};
use crate::error::Error;
use crate::journal::Row;
use crate::roots::Git;
use crate::state::{State, is_nonsense};
use crate::store::Store;

/// Where recovery keeps what it can neither publish nor forget.
pub(super) const CONFLICTS: &str = "conflicts";

/// What stands in front of the number at the end of the name of something that was moved out of the way.
pub(super) const OTHER: &str = ".other.";

/// The name of what has no name of its own yet.
pub(super) const UNNAMED: &str = "keeping";

/// Makes durable the names that lead to what a row published: its process may have died between
/// the rename and the sync.
pub(super) fn sync_names(store: &Store, state: &State, row: &Row) -> Result<(), Obstacle> {
    let also = row.also.iter().map(|also| also.abs_path.as_str());
    for path in also.chain(row.abs_path.as_deref()) {
        // What is not there any more, or not for this process, has no name to be made durable.
        let target = match store.row_target(state, path, Git::Open) {
            Err(Error::Os { source, .. }) if source.kind() != io::ErrorKind::NotFound => {
                return Err(source.into());
            }
            Err(_) => continue,
            Ok(target) => target,
        };
        for item in
            store.directories_above(&target)?.into_iter().chain([target.dir]).map(SyncItem::Dir)
        {
            item.sync()?;
        }
    }
    Ok(())
}

/// Makes the directories that are missing below one, outermost first, each durable before the next;
/// gives the innermost.
pub(super) fn make_dirs(
    mut dir: DirRef,
    missing: &[OsString],
    access: Access,
) -> io::Result<DirRef> {
    for name in missing {
        make_dir(&*dir, name, access)?;
        dir.sync()?;
        dir = dir.open_dir(name)?;
    }
    Ok(dir)
}

/// Opens a directory of the state, durably, and makes it where it is missing. What somebody has put in its
/// place is moved out of the way.
pub(super) fn state_dir(state: &State, name: &str) -> io::Result<DirRef> {
    let open = || {
        make_dir(&*state.dir, OsStr::new(name), Access::Private)?;
        state.dir.sync()?;
        state.dir.open_dir(OsStr::new(name))
    };
    match open() {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            move_away(&*state.dir, OsStr::new(name))?;
            open()
        }
        other => other,
    }
}

/// Opens a private file for what gets its name when it is durable. What somebody has put in its place is moved out of
/// the way.
pub(super) fn unnamed_file(dir: &dyn Dir) -> io::Result<FileBox> {
    let name = OsStr::new(UNNAMED);
    match own_file(dir, name) {
        // Another user may own it.
        Err(error) if is_nonsense(&error) || error.kind() == io::ErrorKind::PermissionDenied => {
            move_away(dir, name)?;
            dir.create_new(name, Access::Private)
        }
        other => other,
    }
}

/// Gives something in a directory of the state that is not ours the first free one of a thousand names, which it
/// returns.
pub(super) fn move_away(dir: &dyn Dir, name: &OsStr) -> io::Result<OsString> {
    for number in 0..1000 {
        let mut free = name.to_owned();
        free.push(format!("{OTHER}{number}"));
        match dir.rename(name, dir, &free, Replace::No) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => return other.and_then(|()| dir.sync()).map(|()| free),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}
