//! Files and locks of a simulated disk, as [this crate](crate) asks for them.

use std::any::Any;
use std::io;
use std::sync::{Arc, OnceLock};

use super::SyncKind;
use super::attributes::Attributes;
use super::fault::{Need, Turn, is_power_loss};
use super::handle::Handle;
use super::pending::DataChange;
use super::state::State;
use crate::{Dir, File, LockFile, Owner, Rights, Stat};

/// An open regular file.
#[derive(Debug)]
pub(super) struct SimFile {
    pub(super) handle: Handle,
    pub(super) writable: bool,
    /// Who this handle is among those that ask for locks, once it has asked.
    holder: OnceLock<u64>,
}

impl SimFile {
    pub(super) fn new(handle: Handle, writable: bool) -> Self {
        Self { handle, writable, holder: OnceLock::new() }
    }

    fn operate(
        &self,
        verb: &str,
        detail: &str,
        need: Need,
        act: impl FnOnce(&mut State, Turn) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut state = self.handle.disk.enter();
        let text = format!("{verb} {}{detail}", state.live.path(self.handle.ino));
        state.operate(need, text, act)
    }

    /// Writes at the offset that the file says when its turn comes. `meant` is where the caller means to write.
    fn write_to(
        &self,
        bytes: &[u8],
        meant: u64,
        offset: impl FnOnce(&State) -> io::Result<u64>,
    ) -> io::Result<()> {
        let mut detail = format!(" {} bytes", bytes.len());
        if meant > 0 {
            detail = format!("{detail} at {meant}");
        }
        self.operate("write", &detail, Need::Space, |state, turn| {
            self.writable()?;
            let offset = offset(state)?;
            match turn {
                Turn::Go => state.write(self.handle.ino, bytes, offset),
                Turn::Fail(error) | Turn::LinkOnly(error) => Err(error),
                Turn::Half(error) => {
                    let from = usize::try_from(offset).unwrap_or(usize::MAX);
                    let [_, half, _] = state.cuts(from, bytes.len());
                    let half = bytes.get(..half).unwrap_or_default();
                    state.write(self.handle.ino, half, offset)?;
                    Err(error)
                }
            }
        })
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
        let mut state = self.handle.disk.enter();
        state.faults.powered()?;
        state.largest_read = state.largest_read.max(buf.len());
        state.asked_for += buf.len() as u64;
        if state.locks.keys().any(|ino| state.live.path(*ino).ends_with("/lock")) {
            state.asked_for_under_lock += buf.len() as u64;
        }
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
        self.write_to(bytes, offset, |_| Ok(offset))
    }

    fn append(&self, bytes: &[u8], end: u64) -> io::Result<u64> {
        let mut begins = end;
        self.write_to(bytes, end, |state| {
            begins = state.node(self.handle.ino)?.body.len() as u64;
            Ok(begins)
        })?;
        Ok(begins)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let long = self.handle.disk.lock().node(self.handle.ino)?.body.len() as u64;
        let grows = long < len;
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

    fn rights(&self) -> io::Result<Rights> {
        let state = self.handle.disk.enter();
        state.faults.powered()?;
        let attributes = &state.node(self.handle.ino)?.attributes;
        Ok(Rights {
            owner: Some(Owner { user: attributes.uid, group: attributes.gid }),
            read_only: attributes.mode & 0o222 == 0,
        })
    }

    fn make_private(&self) -> io::Result<()> {
        self.operate("private", "", Need::Nothing, |state, turn| {
            turn.go()?;
            state.owns(self.handle.ino)?;
            let attributes = state.node(self.handle.ino)?.attributes.as_ref().clone();
            self.set_attributes(state, Arc::new(Attributes { mode: 0o600, ..attributes }))
        })
    }

    fn copy_attributes(&self, from: &dyn File) -> io::Result<()> {
        let from = from.as_any().downcast_ref::<Self>().map(|from| &from.handle);
        let from = from.filter(|from| from.disk.is_same(&self.handle.disk));
        let from = from.ok_or(io::ErrorKind::InvalidInput)?;
        let detail = format!(" from {}", self.handle.disk.lock().live.path(from.ino));
        self.operate("attributes", &detail, Need::Nothing, |state, turn| {
            turn.go()?;
            state.owns(self.handle.ino)?;
            let attributes = state.taken_over(self.handle.ino, from.ino)?;
            self.set_attributes(state, Arc::new(attributes))
        })
    }

    fn adopt_directory(&self, dir: &dyn Dir) -> io::Result<()> {
        let dir = dir.id()?.inode;
        let mut state = self.handle.disk.enter();
        state.faults.powered()?;
        let adopted = state.adopted(self.handle.ino, dir)?;
        if *state.node(self.handle.ino)?.attributes == adopted {
            return Ok(());
        }
        let (file, from) = (state.live.path(self.handle.ino), state.live.path(dir));
        state.operate(Need::Nothing, format!("adopt {file} by {from}"), |state, turn| {
            turn.go()?;
            state.owns(self.handle.ino)?;
            self.set_attributes(state, Arc::new(adopted))
        })
    }

    fn try_lock(&self) -> io::Result<bool> {
        let mut state = self.handle.disk.enter_for_lock();
        state.faults.powered()?;
        let holder = *self.holder.get_or_init(|| {
            state.next_holder += 1;
            state.next_holder
        });
        let is_held = *state.locks.entry(self.handle.ino).or_insert(holder) == holder;
        if !is_held {
            state.lock_refusals += 1;
            self.handle.disk.refused();
        }
        Ok(is_held)
    }

    fn unlock(&self) -> io::Result<()> {
        let mut state = self.handle.disk.enter();
        let held = state.locks.get(&self.handle.ino);
        if held.is_some() && held == self.holder.get() {
            state.locks.remove(&self.handle.ino);
            self.handle.disk.released();
        }
        state.faults.powered()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Drop for SimFile {
    fn drop(&mut self) {
        if self.holder.get().is_some() {
            // Without power there is nothing left to unlock.
            let _ = self.unlock();
        }
    }
}

/// A file that is there to be locked.
#[derive(Debug)]
pub(super) struct SimLock(pub(super) SimFile);

impl LockFile for SimLock {
    fn try_lock(&self) -> io::Result<bool> {
        self.0.try_lock()
    }

    fn unlock(&self) -> io::Result<()> {
        self.0.unlock()
    }

    fn file(&self) -> &dyn File {
        &self.0
    }
}
