//! Slots as recovery finds them: in `tmp/`, or beside a target on another device.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::commit::{BESIDE, Beside};
use crate::contents::{copy_all, write_again};
use crate::disk::{Access, DirRef, File, Replace, read_all};
use crate::roots::Target;
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
    /// Takes the slot's name from content that has its target's name already, as a system leaves it
    /// that links and unlinks in place of a rename. Such content is published, whatever somebody has
    /// made of it since. Tells whether it was so.
    pub(super) fn finish_link(&self, target: &Target) -> io::Result<bool> {
        if target.stat.map(|stat| stat.id) != Some(self.file.id()?) {
            return Ok(false);
        }
        // IMPORTANT: the target's name is durable before the slot's goes; else a crash could take both.
        target.dir.sync()?;
        self.dir.remove_file(&self.name)?;
        self.dir.sync()?;
        Ok(true)
    }

    /// Makes its content durable, whatever syncs have failed for it.
    pub(super) fn harden(&mut self) -> io::Result<()> {
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
fn renewed(slot: &OsStr) -> OsString {
    let mut name = slot.to_owned();
    name.push(".renewed");
    name
}
/// Where a slot is that a row names; `None` for a name that no slot has.
pub(super) fn place(store: &Store, state: &State, place: &str) -> Option<(DirRef, OsString)> {
    let (dir, name) = match Path::new(place).is_absolute() {
        false => (state.tmp.clone(), OsString::from(place)),
        true => store.roots.locate(place).map(|target| (target.dir, target.name)).ok()?,
    };
    let is_slot = match Path::new(place).is_absolute() {
        false => is_one_name(&name),
        true => is_beside(&name),
    };
    is_slot.then_some((dir, name))
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

pub(super) fn is_one_name(name: impl AsRef<Path>) -> bool {
    name.as_ref().components().count() == 1
}
/// Whether a name is that of a slot beside its target.
fn is_beside(name: &OsStr) -> bool {
    name.to_string_lossy().strip_prefix(BESIDE).is_some_and(|slot| slot.starts_with("s-"))
}

/// Removes slots that lie beside targets on other devices.
pub(super) fn sweep_beside(store: &Store, state: &State) -> io::Result<()> {
    for name in state.tmp.entries()? {
        let Ok(file) = state.tmp.open(&name) else { continue };
        if file.stat()?.len == 0 || file.stat()?.len > 8192 {
            continue;
        }
        let Ok(Beside { beside }) = serde_json::from_slice(&read_all(&*file, 8192)?) else {
            continue;
        };
        if let Ok(target) = store.roots.locate(&beside)
            && is_beside(&target.name)
        {
            for name in [&renewed(&target.name), &target.name] {
                match target.dir.remove_file(name) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
            // IMPORTANT: before the note of it goes.
            target.dir.sync()?;
        }
    }
    Ok(())
}
