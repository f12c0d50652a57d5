//! The operating system's file system, behind the traits of [this crate](crate).
//!
//! This folder is the only code that calls the operating system. What all systems share is here:
//! the handles on files and locks, the wait for many of them at once (`sync`), and the check that a
//! name is one path component. `unix` and `windows` know directories and attributes; below `unix`,
//! `linux` and `macos` hold the calls that these two do not share. What a system cannot do is said at the top of its file.

use std::any::Any;
use std::ffi::OsStr;
use std::fs::TryLockError;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Dir, DirRef, Disk, File, FileId, Kind, LockFile, Rights, Stat, SyncItem};

#[cfg(any(windows, test))]
mod names;
#[cfg(any(windows, test))]
mod retry;
mod sync;
#[cfg(test)]
mod tests;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as platform;
#[cfg(windows)]
use windows as platform;

/// The file systems of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn open_root(&self, path: &Path) -> io::Result<DirRef> {
        platform::open_root(path)
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        platform::stat(path)
    }

    fn handle_limit(&self) -> Option<u64> {
        platform::handle_limit()
    }

    fn sync_all(&self, items: &[SyncItem]) -> Vec<io::Result<()>> {
        sync::sync_all(items)
    }
}

/// An open regular file.
#[derive(Debug)]
struct RealFile {
    file: std::fs::File,
    id: FileId,
    /// Lowest offset that was written and not synced since, for [`RealFile::begin`].
    unsynced_from: AtomicU64,
}

impl RealFile {
    /// Accepts an open file if it is a regular one, so that no later call can wait on it.
    fn regular(file: std::fs::File) -> io::Result<Self> {
        let Stat { kind, id, .. } = platform::stat_file(&file)?;
        match kind {
            Kind::File => Ok(Self { file, id, unsynced_from: AtomicU64::new(u64::MAX) }),
            _ => Err(not_regular()),
        }
    }

    /// Has the system begin to write what a sync is going to wait for. A hint: it may do nothing,
    /// and its failure shows at the sync.
    fn begin(&self) {
        let from = self.unsynced_from.load(Ordering::Relaxed);
        if from != u64::MAX {
            platform::begin_writing(&self.file, from);
        }
    }
}

impl File for RealFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        loop {
            match platform::read_at(&self.file, buf, offset) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return done,
            }
        }
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.unsynced_from.fetch_min(offset, Ordering::Relaxed);
        platform::write_all_at(&self.file, bytes, offset)
    }

    fn append(&self, bytes: &[u8], end: u64) -> io::Result<u64> {
        self.unsynced_from.fetch_min(end, Ordering::Relaxed);
        platform::append(&self.file, bytes, end)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn sync(&self) -> io::Result<()> {
        // A write that comes in between only loses its hint.
        self.unsynced_from.store(u64::MAX, Ordering::Relaxed);
        platform::sync_file(&self.file)
    }

    fn stat(&self) -> io::Result<Stat> {
        platform::stat_file(&self.file)
    }

    fn id(&self) -> io::Result<FileId> {
        Ok(self.id)
    }

    fn rights(&self) -> io::Result<Rights> {
        platform::rights(&self.file)
    }

    fn make_private(&self) -> io::Result<()> {
        platform::make_private(&self.file)
    }

    fn copy_attributes(&self, from: &dyn File) -> io::Result<()> {
        let from = from.as_any().downcast_ref::<Self>().ok_or_else(foreign)?;
        platform::copy_attributes(&self.file, &from.file)
    }

    fn adopt_directory(&self, dir: &dyn Dir) -> io::Result<()> {
        platform::adopt_directory(&self.file, same_disk(dir)?)
    }

    fn try_lock(&self) -> io::Result<bool> {
        platform::try_lock(&self.file)
    }

    fn unlock(&self) -> io::Result<()> {
        self.file.unlock()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A lock that belongs to the open file: it excludes other handles, also those of this process,
/// and ends when the handle is closed, however that comes about.
#[derive(Debug)]
struct RealLock(RealFile);

impl LockFile for RealLock {
    fn try_lock(&self) -> io::Result<bool> {
        try_lock(&self.0.file)
    }

    fn unlock(&self) -> io::Result<()> {
        self.0.file.unlock()
    }

    fn file(&self) -> &dyn File {
        &self.0
    }
}

/// Takes the system's lock of an open file, if it is free.
fn try_lock(file: &std::fs::File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Moves a file by a second name and the removal of the first one, where there is no rename that
/// replaces nothing. A removal that fails takes the second name back, so that an error leaves the
/// file where it was; only where that fails as well it has both names, as after a crash in between.
fn move_by_link(
    link: impl FnOnce() -> io::Result<()>,
    remove: impl FnOnce() -> io::Result<()>,
    take_back: impl FnOnce() -> io::Result<()>,
) -> io::Result<()> {
    link()?;
    let removed = remove();
    if removed.is_err() {
        // The error that is told is the one of the removal.
        let _ = take_back();
    }
    removed
}

/// Passes a name that is one path component and therefore cannot lead out of a directory.
///
/// The callers have checked their paths long before; this is the last door.
fn component(name: &OsStr) -> io::Result<&OsStr> {
    if platform::is_component(name) {
        Ok(name)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a single path component"))
    }
}

/// The directory as this platform's own kind.
fn same_disk(dir: &dyn Dir) -> io::Result<&platform::RealDir> {
    dir.as_any().downcast_ref().ok_or_else(foreign)
}

fn foreign() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "a handle of another disk")
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}
