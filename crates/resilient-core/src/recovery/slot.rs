//! Slots as recovery finds them: in `tmp/`, or beside a target on another device.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::obstacle::Obstacle;
use crate::beside;
use crate::contents::{copy_all, write_again};
use crate::disk::{Access, DirRef, File, Replace};
use crate::error::Error;
use crate::state::State;
use crate::store::Store;

/// A slot that exists.
pub(super) struct Slot {
    pub(super) dir: DirRef,
    pub(super) name: OsString,
    pub(super) file: Arc<dyn File>,
    writable: bool,
}

impl Slot {
    /// Makes its content durable, whatever syncs have failed for it.
    pub(super) fn rewrite_and_sync(&mut self) -> io::Result<()> {
        if !self.writable {
            return self.renew();
        }
        write_again(&*self.file, 0, self.file.stat()?.len)?;
        self.file.sync()
    }

    /// Puts a new file of the same content and attributes in the place of one that may not be
    /// written.
    fn renew(&mut self) -> io::Result<()> {
        let name = renewed(&self.name);
        match self.dir.remove_file(&name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let file = self.dir.create_new(&name, Access::Private)?;
        copy_all(&*self.file, &*file)?;
        file.copy_attributes(&*self.file)?;
        file.sync()?;
        self.dir.rename(&name, &*self.dir, &self.name, Replace::Yes)?;
        self.file = file.into();
        Ok(())
    }
}

/// The name of a slot's content until it has taken the slot's place.
pub(super) fn renewed(slot: &OsStr) -> OsString {
    let mut name = slot.to_owned();
    name.push(".renewed");
    name
}
/// Where a slot is that a row names; `None` for a name that no slot has.
///
/// # Errors
/// The slot is beside its target, outside this process's roots or where it cannot be reached.
pub(super) fn place(
    store: &Store,
    state: &State,
    place: &str,
) -> Result<Option<(DirRef, OsString)>, Obstacle> {
    if !Path::new(place).is_absolute() {
        let name = OsString::from(place);
        return Ok(is_one_name(&name).then(|| (state.tmp.clone(), name)));
    }
    if !Path::new(place).file_name().is_some_and(beside::is_name) {
        return Ok(None);
    }
    match store.locate(place) {
        Ok(target) if target.missing.is_empty() => Ok(Some((target.dir, target.name))),
        // Its directory is gone, and the target with it.
        Ok(_) | Err(Error::NotARegularFile { .. } | Error::LinkLoop { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Opens a slot; `None` where it does not exist.
pub(super) fn open(dir: DirRef, name: OsString) -> io::Result<Option<Slot>> {
    // Content that replaces a file that nobody may write has its permissions already.
    let (opened, writable) = match dir.open_write(&name) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => (dir.open(&name), false),
        other => (other, true),
    };
    match opened {
        Ok(file) => Ok(Some(Slot { dir, name, file: file.into(), writable })),
        // No slot has such a name, or is such a thing.
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidInput) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Whether a name is a single one, so that it cannot lead out of its directory.
pub(super) fn is_one_name(name: &OsStr) -> bool {
    Path::new(name).components().count() == 1
}
