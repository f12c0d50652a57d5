//! Directories and files that are made where they are missing. Nothing here is synced.

use std::ffi::OsStr;
use std::io;

use crate::disk::{Access, Dir, DirRef, FileBox};

/// Makes a directory unless something of its name is there; tells whether it did.
pub(crate) fn make_dir(parent: &dyn Dir, name: &OsStr, access: Access) -> io::Result<bool> {
    match parent.create_dir(name, access) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Opens a private directory, and makes it where it is missing.
pub(crate) fn private_dir(parent: &dyn Dir, name: &OsStr) -> io::Result<DirRef> {
    match parent.open_dir(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        other => return other,
    }
    make_dir(parent, name, Access::Private)?;
    parent.open_dir(name)
}

/// Opens a private file for writing that no other name leads to, and makes it where it is missing.
///
/// One that has another name may be a file outside: it keeps that name, and loses this one.
pub(crate) fn own_file(dir: &dyn Dir, name: &OsStr) -> io::Result<FileBox> {
    let file = private_file(dir, name)?;
    if file.stat()?.links <= 1 {
        return Ok(file);
    }
    dir.remove_file(name)?;
    dir.create_new(name, Access::Private)
}

/// Opens a private file for writing, and makes it where it is missing.
pub(crate) fn private_file(dir: &dyn Dir, name: &OsStr) -> io::Result<FileBox> {
    match dir.open_write(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            dir.create_new(name, Access::Private)
        }
        other => other,
    }
}
