//! The handles of a simulated disk: directories, files and locks as [`crate::disk`] asks for them.

use std::any::Any;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::fault::{Need, Turn, is_power_loss};
use super::pending::DataChange;
use super::state::State;
use super::tree::{Attributes, Body, Ino, Node, ROOT, Slot};
use super::{Shared, SyncKind, lock};
use crate::disk::{Access, Dir, DirRef, File, FileBox, FileId, Kind, LockFile, Replace, Stat};

/// As many links in a path as Linux follows.
const LINKS_MAX: usize = 40;
const NAME_LEN_MAX: usize = 255;

/// Opens the directory at an absolute path, following links.
pub(super) fn open_root(disk: &Shared, path: &Path) -> io::Result<DirRef> {
    if !path.has_root() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut state = lock(disk);
    state.faults.powered()?;
    state.admit()?;
    let mut rest = components(path);
    let mut at = ROOT;
    let mut links = 0;
    while let Some(step) = rest.pop_front() {
        at = match step {
            Step::Root => ROOT,
            Step::Up => state.node(at)?.place.dir,
            Step::Down(name) => {
                let ino = find(&state, at, &name)?;
                match &state.node(ino)?.body {
                    Body::Dir(_) => ino,
                    Body::Link(_) if links == LINKS_MAX => {
                        return Err(io::Error::other("too many levels of links"));
                    }
                    Body::Link(target) => {
                        links += 1;
                        rest = components(target).into_iter().chain(rest).collect();
                        at
                    }
                    Body::File(_) | Body::Other => return Err(io::ErrorKind::NotADirectory.into()),
                }
            }
        };
    }
    Ok(Arc::new(SimDir(Handle::new(disk, &mut state, at))))
}

enum Step {
    Root,
    Up,
    Down(OsString),
}

fn components(path: &Path) -> VecDeque<Step> {
    path.components()
        .filter_map(|component| match component {
            Component::RootDir => Some(Step::Root),
            Component::ParentDir => Some(Step::Up),
            Component::Normal(name) => Some(Step::Down(name.to_owned())),
            Component::CurDir | Component::Prefix(_) => None,
        })
        .collect()
}

/// An inode held open: it stays while the handle lives, even without a name.
struct Handle {
    disk: Shared,
    ino: Ino,
}

impl Handle {
    fn new(disk: &Shared, state: &mut State, ino: Ino) -> Self {
        state.opened(ino);
        Self { disk: disk.clone(), ino }
    }

    fn stat(&self) -> io::Result<Stat> {
        let state = lock(&self.disk);
        state.faults.powered()?;
        Ok(stat(self.ino, state.node(self.ino)?))
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        lock(&self.disk).closed(self.ino);
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.ino)
    }
}

#[derive(Debug)]
struct SimDir(Handle);

impl SimDir {
    fn open_file(&self, name: &OsStr, writable: bool) -> io::Result<SimFile> {
        let mut state = lock(&self.0.disk);
        state.faults.powered()?;
        state.admit()?;
        let ino = find(&state, self.0.ino, name)?;
        let node = state.node(ino)?;
        if node.body.kind() != Kind::File {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let bits = if writable { 0o600 } else { 0o400 };
        if node.attributes.mode & bits != bits {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Ok(SimFile { handle: Handle::new(&self.0.disk, &mut state, ino), writable })
    }

    fn create(
        &self,
        state: &mut State,
        verb: &str,
        name: &OsStr,
        body: Body,
        mode: u32,
    ) -> io::Result<Ino> {
        let slot = Slot::new(self.0.ino, name);
        let text = format!("{verb} {}", state.live.slot_path(&slot));
        state.operate(Need::Space, text, |state, turn| {
            turn.go()?;
            vacant(state, &slot)?;
            Ok(state.create(slot, body, Attributes::with_mode(mode)))
        })
    }

    fn create_file(&self, name: &OsStr, mode: u32) -> io::Result<SimFile> {
        let mut state = lock(&self.0.disk);
        state.faults.powered()?;
        state.admit()?;
        let ino = self.create(&mut state, "create", name, Body::empty_file(), mode)?;
        Ok(SimFile { handle: Handle::new(&self.0.disk, &mut state, ino), writable: true })
    }

    fn remove(&self, verb: &str, name: &OsStr, kind: Kind) -> io::Result<()> {
        let mut state = lock(&self.0.disk);
        let slot = Slot::new(self.0.ino, name);
        let text = format!("{verb} {}", state.live.slot_path(&slot));
        state.operate(Need::Nothing, text, |state, turn| {
            turn.go()?;
            let ino = find(state, slot.dir, name)?;
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

impl Dir for SimDir {
    fn open_dir(&self, name: &OsStr) -> io::Result<DirRef> {
        self.open_beneath(&[name.to_owned()])
    }

    fn open_beneath(&self, names: &[OsString]) -> io::Result<DirRef> {
        let mut state = lock(&self.0.disk);
        state.faults.powered()?;
        state.admit()?;
        let mut at = self.0.ino;
        for name in names {
            at = find(&state, at, name)?;
            if state.live.entries(at).is_none() {
                return Err(io::ErrorKind::NotADirectory.into());
            }
        }
        Ok(Arc::new(Self(Handle::new(&self.0.disk, &mut state, at))))
    }

    fn open(&self, name: &OsStr) -> io::Result<FileBox> {
        Ok(Box::new(self.open_file(name, false)?))
    }

    fn open_write(&self, name: &OsStr) -> io::Result<FileBox> {
        Ok(Box::new(self.open_file(name, true)?))
    }

    fn create_new(&self, name: &OsStr, access: Access) -> io::Result<FileBox> {
        let mode = if access == Access::Private { 0o600 } else { 0o644 };
        Ok(Box::new(self.create_file(name, mode)?))
    }

    fn create_dir(&self, name: &OsStr, access: Access) -> io::Result<()> {
        let mode = if access == Access::Private { 0o700 } else { 0o755 };
        self.create(&mut lock(&self.0.disk), "mkdir", name, Body::empty_dir(), mode).map(drop)
    }

    fn stat(&self, name: &OsStr) -> io::Result<Stat> {
        let state = lock(&self.0.disk);
        state.faults.powered()?;
        let ino = find(&state, self.0.ino, name)?;
        Ok(stat(ino, state.node(ino)?))
    }

    fn stat_self(&self) -> io::Result<Stat> {
        self.0.stat()
    }

    fn read_link(&self, name: &OsStr) -> io::Result<PathBuf> {
        let state = lock(&self.0.disk);
        state.faults.powered()?;
        match &state.node(find(&state, self.0.ino, name)?)?.body {
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
        let to = to.as_any().downcast_ref::<Self>().map(|to| &to.0);
        let to = to.filter(|to| Arc::ptr_eq(&to.disk, &self.0.disk));
        let to = to.ok_or(io::ErrorKind::CrossesDevices)?;
        let (from, to) = (Slot::new(self.0.ino, name), Slot::new(to.ino, to_name));
        let mut state = lock(&self.0.disk);
        let paths = (state.live.slot_path(&from), state.live.slot_path(&to));
        let mut text = format!("rename {} -> {}", paths.0, paths.1);
        if replace == Replace::No {
            text.push_str(" if absent");
        }
        state.operate(Need::Nothing, text, |state, turn| match turn {
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
        })
    }

    fn reaches(&self, to: &dyn Dir) -> io::Result<bool> {
        let to = to.as_any().downcast_ref::<Self>().map(|to| &to.0);
        let to = to.filter(|to| Arc::ptr_eq(&to.disk, &self.0.disk));
        let state = lock(&self.0.disk);
        state.faults.powered()?;
        to.map_or(Ok(false), |to| same_mount(&state, self.0.ino, to.ino))
    }

    fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        self.remove("remove", name, Kind::File)
    }

    fn remove_dir(&self, name: &OsStr) -> io::Result<()> {
        self.remove("rmdir", name, Kind::Dir)
    }

    fn entries(&self) -> io::Result<Vec<OsString>> {
        let mut state = lock(&self.0.disk);
        state.faults.powered()?;
        // A listing reads through a handle of its own, and closes it at once.
        state.admit()?;
        let entries = state.live.entries(self.0.ino).ok_or(io::ErrorKind::NotFound)?;
        Ok(entries.keys().map(|name| name.as_ref().to_owned()).collect())
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = lock(&self.0.disk);
        let dir = self.0.ino;
        let text = format!("syncdir {}", state.live.path(dir));
        state.operate(Need::Nothing, text, |state, turn| {
            turn.go()?;
            if !state.skips(dir, SyncKind::Dir) {
                state.sync_dir(dir);
            }
            Ok(())
        })
    }

    fn open_lock(&self, name: &OsStr) -> io::Result<Box<dyn LockFile>> {
        let file = match self.open_file(name, true) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.create_file(name, 0o600)?
            }
            file => file?,
        };
        let mut state = lock(&self.0.disk);
        state.next_holder += 1;
        Ok(Box::new(SimLock { holder: state.next_holder, file }))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// An open regular file.
#[derive(Debug)]
struct SimFile {
    handle: Handle,
    writable: bool,
}

impl SimFile {
    fn operate(
        &self,
        verb: &str,
        detail: &str,
        need: Need,
        act: impl FnOnce(&mut State, Turn) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut state = lock(&self.handle.disk);
        let text = format!("{verb} {}{detail}", state.live.path(self.handle.ino));
        state.operate(need, text, act)
    }

    fn writable(&self) -> io::Result<()> {
        if self.writable { Ok(()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
    }

    fn set_attributes(&self, state: &mut State, attributes: Arc<Attributes>) -> io::Result<()> {
        if state.node(self.handle.ino)?.attributes != attributes {
            state.change(self.handle.ino, DataChange::Attributes(attributes));
        }
        Ok(())
    }
}

impl File for SimFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let state = lock(&self.handle.disk);
        state.faults.powered()?;
        let bytes = state.node(self.handle.ino)?.bytes();
        let rest = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..));
        let rest = rest.unwrap_or_default();
        let len = rest.len().min(buf.len());
        if let (Some(to), Some(from)) = (buf.get_mut(..len), rest.get(..len)) {
            to.copy_from_slice(from);
        }
        Ok(len)
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let mut detail = format!(" {} bytes", bytes.len());
        if offset > 0 {
            detail = format!("{detail} at {offset}");
        }
        self.operate("write", &detail, Need::Space, |state, turn| {
            self.writable()?;
            match turn {
                Turn::Go => state.write(self.handle.ino, bytes, offset),
                Turn::Fail(error) | Turn::LinkOnly(error) => Err(error),
                Turn::Half(error) => {
                    let from = usize::try_from(offset).unwrap_or(usize::MAX);
                    let half = state.half(from, bytes.len());
                    let half = bytes.get(..half).unwrap_or_default();
                    state.write(self.handle.ino, half, offset)?;
                    Err(error)
                }
            }
        })
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let grows = self.stat()?.len < len;
        let need = if grows { Need::Space } else { Need::Nothing };
        self.operate("setlen", &format!(" {len}"), need, |state, turn| {
            self.writable()?;
            turn.go()?;
            state.set_len(self.handle.ino, len)
        })
    }

    fn sync(&self) -> io::Result<()> {
        let ino = self.handle.ino;
        self.operate("sync", "", Need::Nothing, |state, turn| {
            if let Err(error) = turn.go() {
                if !is_power_loss(&error) {
                    state.pending.doom_data(ino);
                }
                return Err(error);
            }
            if !state.skips(ino, SyncKind::File) {
                state.sync_file(ino);
            }
            Ok(())
        })
    }

    fn stat(&self) -> io::Result<Stat> {
        self.handle.stat()
    }

    fn make_private(&self) -> io::Result<()> {
        self.operate("private", "", Need::Nothing, |state, turn| {
            turn.go()?;
            let attributes = state.node(self.handle.ino)?.attributes.as_ref().clone();
            self.set_attributes(state, Arc::new(Attributes { mode: 0o600, ..attributes }))
        })
    }

    fn copy_attributes(&self, from: &dyn File) -> io::Result<()> {
        let from = from.as_any().downcast_ref::<Self>().map(|from| &from.handle);
        let from = from.filter(|from| Arc::ptr_eq(&from.disk, &self.handle.disk));
        let from = from.ok_or(io::ErrorKind::InvalidInput)?;
        let detail = format!(" from {}", lock(&self.handle.disk).live.path(from.ino));
        self.operate("attributes", &detail, Need::Nothing, |state, turn| {
            turn.go()?;
            let attributes = state.node(from.ino)?.attributes.clone();
            self.set_attributes(state, attributes)
        })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A lock on an inode, held by this handle or not.
#[derive(Debug)]
struct SimLock {
    holder: u64,
    file: SimFile,
}

impl LockFile for SimLock {
    fn try_lock(&self) -> io::Result<bool> {
        let mut state = lock(&self.file.handle.disk);
        state.faults.powered()?;
        let held = *state.locks.entry(self.file.handle.ino).or_insert(self.holder) == self.holder;
        state.lock_refusals += u64::from(!held);
        Ok(held)
    }

    fn unlock(&self) -> io::Result<()> {
        let mut state = lock(&self.file.handle.disk);
        if state.locks.get(&self.file.handle.ino) == Some(&self.holder) {
            state.locks.remove(&self.file.handle.ino);
        }
        state.faults.powered()
    }

    fn file(&self) -> &dyn File {
        &self.file
    }
}

impl Drop for SimLock {
    fn drop(&mut self) {
        // Without power there is nothing left to unlock.
        let _ = self.unlock();
    }
}

fn stat(ino: Ino, node: &Node) -> Stat {
    // One tick is a millisecond, from a day in 2001 on.
    let time = |tick: u64| i128::from(1_000_000_000_000 + tick) * 1_000_000;
    Stat {
        kind: node.body.kind(),
        id: FileId { device: node.device, inode: ino },
        len: node.body.len() as u64,
        links: node.links,
        mtime_ns: time(node.modified),
        ctime_ns: time(node.changed),
    }
}

fn check_name(name: &OsStr) -> io::Result<()> {
    let bytes = name.as_encoded_bytes();
    if bytes.len() > NAME_LEN_MAX {
        return Err(io::ErrorKind::InvalidFilename.into());
    }
    let special = matches!(bytes, b"" | b"." | b"..");
    if special || bytes.iter().any(|byte| matches!(byte, b'/' | 0)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok(())
}

fn find(state: &State, dir: Ino, name: &OsStr) -> io::Result<Ino> {
    check_name(name)?;
    state.live.lookup(dir, name).ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// Checks that a name can be given.
fn vacant(state: &State, slot: &Slot) -> io::Result<()> {
    check_name(&slot.name)?;
    if state.live.lookup(slot.dir, &slot.name).is_some() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    linked(state, slot.dir)
}

/// A directory that was removed takes no names, though a handle still holds it.
fn linked(state: &State, dir: Ino) -> io::Result<()> {
    if state.node(dir)?.links == 0 { Err(io::ErrorKind::NotFound.into()) } else { Ok(()) }
}

fn not_mounted(state: &State, ino: Ino) -> io::Result<()> {
    let node = state.node(ino)?;
    if same_mount(state, ino, node.place.dir)? {
        Ok(())
    } else {
        Err(io::ErrorKind::ResourceBusy.into())
    }
}

fn same_mount(state: &State, one: Ino, other: Ino) -> io::Result<bool> {
    let mount = |ino| state.node(ino).map(|node| (node.device, node.mount));
    Ok(mount(one)? == mount(other)?)
}

fn rename(state: &mut State, from: Slot, to: Slot, replace: Replace) -> io::Result<()> {
    // As on Linux, before any name is looked up.
    if !same_mount(state, from.dir, to.dir)? {
        return Err(io::ErrorKind::CrossesDevices.into());
    }
    let ino = find(state, from.dir, &from.name)?;
    if replace == Replace::No {
        vacant(state, &to)?;
    }
    check_name(&to.name)?;
    linked(state, to.dir)?;
    let is_dir = state.live.entries(ino).is_some();
    if is_dir {
        not_mounted(state, ino)?;
        if state.live.is_within(to.dir, ino) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
    }
    if let Some(replaced) = state.live.lookup(to.dir, &to.name) {
        if replaced == ino {
            return Ok(());
        }
        match (is_dir, state.live.entries(replaced)) {
            (true, None) => return Err(io::ErrorKind::NotADirectory.into()),
            (false, Some(_)) => return Err(io::ErrorKind::IsADirectory.into()),
            (true, Some(entries)) if !entries.is_empty() => {
                return Err(io::ErrorKind::DirectoryNotEmpty.into());
            }
            (true, Some(_)) => not_mounted(state, replaced)?,
            (false, None) => {}
        }
    }
    state.name(ino, Some(from), Some(to));
    Ok(())
}
