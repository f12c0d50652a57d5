//! Directories of a simulated disk, as [this crate](crate) asks for them.

use std::any::Any;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::SyncKind;
use super::attributes::Attributes;
use super::fault::{Need, Turn};
use super::file::{SimFile, SimLock};
use super::handle::{Handle, stat};
use super::rights::{READ, SEARCH, WRITE};
use super::rules::{exchange, find, hard_link, not_mounted, rename, same_mount, vacant};
use super::schedule::Shared;
use super::state::State;
use super::tree::{Body, Ino, Slot};
use crate::{Access, Dir, DirRef, FileBox, FileSystem, Kind, LockFile, Replace, Stat};

/// An open directory.
#[derive(Debug)]
pub(super) struct SimDir {
    handle: Handle,
    /// Whether it could be read when it was opened. Else it was opened for searching alone.
    readable: bool,
}

impl SimDir {
    /// Opens a directory: for reading if that is permitted, else for searching alone.
    pub(super) fn open(disk: &Shared, state: &mut State, ino: Ino) -> Self {
        let readable = state.permits(ino, READ).is_ok();
        Self { handle: Handle::new(disk, state, ino), readable }
    }

    fn open_file(&self, state: &mut State, name: &OsStr, writable: bool) -> io::Result<SimFile> {
        state.faults.powered()?;
        state.admit()?;
        let ino = find(state, self.handle.ino, name)?;
        let node = state.node(ino)?;
        if node.body.kind() != Kind::File {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        state.permits(ino, if writable { READ | WRITE } else { READ })?;
        Ok(SimFile::new(Handle::new(&self.handle.disk, state, ino), writable))
    }

    fn create(
        &self,
        state: &mut State,
        verb: &str,
        name: &OsStr,
        body: Body,
        mode: u32,
    ) -> io::Result<Ino> {
        let slot = state.slot(self.handle.ino, name);
        let text = format!("{verb} {}", state.live.slot_path(&slot));
        state.operate(Need::Space, text, |state, turn| {
            turn.go()?;
            vacant(state, &slot)?;
            Ok(state.create(slot, body, Attributes::with_mode(mode)))
        })
    }

    fn create_file(&self, state: &mut State, name: &OsStr, mode: u32) -> io::Result<SimFile> {
        state.faults.powered()?;
        state.admit()?;
        let ino = self.create(state, "create", name, Body::empty_file(), mode)?;
        Ok(SimFile::new(Handle::new(&self.handle.disk, state, ino), true))
    }

    /// Runs an operation on a name here and one in another directory.
    fn between(
        &self,
        (verb, arrow, more): (&str, &str, &str),
        need: Need,
        (name, to, to_name): (&OsStr, &dyn Dir, &OsStr),
        act: impl FnOnce(&mut State, Turn, Slot, Slot) -> io::Result<()>,
    ) -> io::Result<()> {
        let to = to.as_any().downcast_ref::<Self>().map(|to| &to.handle);
        let to = to.filter(|to| to.disk.is_same(&self.handle.disk));
        let to = to.ok_or(io::ErrorKind::CrossesDevices)?;
        let mut state = self.handle.disk.enter();
        let (from, to) = (state.slot(self.handle.ino, name), state.slot(to.ino, to_name));
        let paths = (state.live.slot_path(&from), state.live.slot_path(&to));
        let text = format!("{verb} {} {arrow} {}{more}", paths.0, paths.1);
        state.operate(need, text, |state, turn| act(state, turn, from, to))
    }

    fn remove(&self, verb: &str, name: &OsStr, kind: Kind) -> io::Result<()> {
        let mut state = self.handle.disk.enter();
        let slot = state.slot(self.handle.ino, name);
        let text = format!("{verb} {}", state.live.slot_path(&slot));
        state.operate(Need::Nothing, text, |state, turn| {
            turn.go()?;
            let ino = find(state, slot.dir, name)?;
            state.may_take(slot.dir, ino)?;
            let node = state.node(ino)?;
            match (&node.body, kind) {
                (Body::Dir(entries), Kind::Dir) if !entries.is_empty() => {
                    return Err(io::ErrorKind::DirectoryNotEmpty.into());
                }
                (Body::Dir(_), Kind::Dir) => not_mounted(state, ino)?,
                (_, Kind::Dir) => return Err(io::ErrorKind::NotADirectory.into()),
                (Body::Dir(_), _) => return Err(io::ErrorKind::IsADirectory.into()),
                _ => {}
            }
            state.name(ino, Some(slot), None);
            Ok(())
        })
    }
}

impl SimDir {
    /// Opens a directory below this one, where `may_enter` permits each directory of the path.
    fn open_below(
        &self,
        names: &[OsString],
        may_enter: impl Fn(&State, Ino) -> io::Result<bool>,
    ) -> io::Result<DirRef> {
        let mut state = self.handle.disk.enter();
        state.faults.powered()?;
        state.admit()?;
        let mut at = self.handle.ino;
        for name in names {
            at = find(&state, at, name)?;
            if state.live.entries(at).is_none() {
                return Err(io::ErrorKind::NotADirectory.into());
            }
            if !may_enter(&state, at)? {
                return Err(io::ErrorKind::CrossesDevices.into());
            }
        }
        Ok(Arc::new(Self::open(&self.handle.disk, &mut state, at)))
    }
}

impl Dir for SimDir {
    fn open_dir(&self, name: &OsStr) -> io::Result<DirRef> {
        self.open_beneath(&[name.to_owned()])
    }

    fn open_beneath(&self, names: &[OsString]) -> io::Result<DirRef> {
        self.open_below(names, |_, _| Ok(true))
    }

    fn open_in_mount(&self, names: &[OsString]) -> io::Result<DirRef> {
        self.open_below(names, |state, at| same_mount(state, self.handle.ino, at))
    }

    fn open(&self, name: &OsStr) -> io::Result<FileBox> {
        Ok(Box::new(self.open_file(&mut self.handle.disk.enter(), name, false)?))
    }

    fn open_write(&self, name: &OsStr) -> io::Result<FileBox> {
        Ok(Box::new(self.open_file(&mut self.handle.disk.enter(), name, true)?))
    }

    fn create_new(&self, name: &OsStr, access: Access) -> io::Result<FileBox> {
        let mode = if access == Access::Private { 0o600 } else { 0o644 };
        Ok(Box::new(self.create_file(&mut self.handle.disk.enter(), name, mode)?))
    }

    fn create_dir(&self, name: &OsStr, access: Access) -> io::Result<()> {
        let mode = if access == Access::Private { 0o700 } else { 0o755 };
        let mut state = self.handle.disk.enter();
        self.create(&mut state, "mkdir", name, Body::empty_dir(), mode).map(drop)
    }

    fn stat(&self, name: &OsStr) -> io::Result<Stat> {
        let state = self.handle.disk.enter();
        state.faults.powered()?;
        let ino = find(&state, self.handle.ino, name)?;
        stat(&state, ino)
    }

    fn stat_self(&self) -> io::Result<Stat> {
        self.handle.stat()
    }

    fn read_link(&self, name: &OsStr) -> io::Result<PathBuf> {
        let state = self.handle.disk.enter();
        state.faults.powered()?;
        match &state.node(find(&state, self.handle.ino, name)?)?.body {
            Body::Link(target) => Ok(target.to_path_buf()),
            _ => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    fn rename(
        &self,
        name: &OsStr,
        to: &dyn Dir,
        to_name: &OsStr,
        replace: Replace,
    ) -> io::Result<()> {
        let words = match replace {
            Replace::Yes => ("rename", "->", ""),
            Replace::No => ("rename", "->", " if absent"),
        };
        self.between(
            words,
            Need::Nothing,
            (name, to, to_name),
            |state, turn, from, to| match turn {
                Turn::LinkOnly(error) => {
                    let ino = find(state, from.dir, &from.name)?;
                    vacant(state, &to)?;
                    state.name(ino, None, Some(to));
                    Err(error)
                }
                turn => {
                    turn.go()?;
                    rename(state, from, to, replace)
                }
            },
        )
    }

    fn exchange(&self, name: &OsStr, to: &dyn Dir, to_name: &OsStr) -> io::Result<()> {
        let words = ("exchange", "<->", "");
        self.between(words, Need::Nothing, (name, to, to_name), |state, turn, from, to| {
            turn.go()?;
            exchange(state, from, to)
        })
    }

    fn exchanges_whole(&self) -> bool {
        let state = self.handle.disk.enter();
        state.exchanges && !state.halves
    }

    fn hard_link(&self, name: &OsStr, to: &dyn Dir, to_name: &OsStr) -> io::Result<()> {
        self.between(
            ("link", "->", ""),
            Need::Space,
            (name, to, to_name),
            |state, turn, from, to| {
                turn.go()?;
                hard_link(state, from, to)
            },
        )
    }

    fn reaches(&self, to: &dyn Dir) -> io::Result<bool> {
        let to = to.as_any().downcast_ref::<Self>().map(|to| &to.handle);
        let to = to.filter(|to| to.disk.is_same(&self.handle.disk));
        let state = self.handle.disk.enter();
        state.faults.powered()?;
        to.map_or(Ok(false), |to| same_mount(&state, self.handle.ino, to.ino))
    }

    fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        self.remove("remove", name, Kind::File)
    }

    fn remove_dir(&self, name: &OsStr) -> io::Result<()> {
        self.remove("rmdir", name, Kind::Dir)
    }

    fn entries(&self) -> io::Result<Vec<OsString>> {
        let mut state = self.handle.disk.enter();
        state.faults.powered()?;
        // A listing reads through a handle of its own, and closes it at once.
        state.admit()?;
        state.permits(self.handle.ino, READ | SEARCH)?;
        let entries = state.live.entries(self.handle.ino).ok_or(io::ErrorKind::NotFound)?;
        Ok(entries.keys().map(|name| name.as_ref().to_owned()).collect())
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.handle.disk.enter();
        let dir = self.handle.ino;
        let text = format!("syncdir {}", state.live.path(dir));
        state.operate(Need::Nothing, text, |state, turn| {
            turn.go()?;
            if !self.readable {
                // It has to be opened for reading first.
                state.permits(dir, READ | SEARCH)?;
            }
            if !state.skips(dir, SyncKind::Dir) {
                state.sync_dir(dir);
            }
            Ok(())
        })
    }

    fn file_system(&self) -> io::Result<FileSystem> {
        let state = self.handle.disk.enter();
        state.faults.powered()?;
        let device = state.node(self.handle.ino)?.device;
        Ok(state.file_systems.get(&device).copied().unwrap_or(FileSystem::Local))
    }

    fn open_lock(&self, name: &OsStr) -> io::Result<Box<dyn LockFile>> {
        let mut state = self.handle.disk.enter();
        let file = match self.open_file(&mut state, name, true) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.create_file(&mut state, name, 0o600)?
            }
            file => file?,
        };
        Ok(Box::new(SimLock(file)))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
