//! Names that recovery makes durable, or makes where they are missing.

use std::ffi::{OsStr, OsString};
use std::io;

use super::obstacle::Obstacle;
use crate::disk::{Access, Dir, DirRef, FileBox, SyncItem};
use crate::error::Error;
use crate::journal::Row;
use crate::roots::Git;
use crate::state::State;
use crate::store::Store;

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
        match dir.create_dir(name, access) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        dir.sync()?;
        dir = dir.open_dir(name)?;
    }
    Ok(dir)
}

/// Opens a private file for writing, and makes it where it is missing.
pub(super) fn open_or_create(dir: &dyn Dir, name: &OsStr) -> io::Result<FileBox> {
    match dir.open_write(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            dir.create_new(name, Access::Private)
        }
        other => other,
    }
}
