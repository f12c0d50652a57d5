//! Directories on Windows, through cap-std.
//!
//! Files are opened relative to a directory handle. The calls that Windows has only for paths
//! (rename, remove, list) use the path of the handle; that is as good, because a directory that
//! is open here can be neither renamed nor removed by anybody, and neither can its parents.
//!
//! What Windows does not give:
//! * A directory is flushed where it can be opened for writing; elsewhere its names are as durable
//!   as the file system's own journal makes them.
//! * [`Replace::No`] is a hard link and a removal: after a crash in between, the file has both
//!   names, and a directory cannot be renamed that way.
//! * [`Dir::exchange`] is not supported.
//! * [`Access::Private`] and `make_private` leave the access that the directory hands down, which
//!   in a user's profile is the user's. Of the attributes only read-only is carried over.
//! * Files are opened so that others may rename and remove them meanwhile. Directories are not: the
//!   calls by path, above, rest on that.
//! * What somebody else has open without sharing it is tried again for a second (`retry`).
//! * While the lock is held, no other process can read the lock file's content.

use std::any::Any;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::windows::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_fs_ext::{
    DirExt, FollowSymlinks, Metadata, MetadataExt, OpenOptionsFollowExt, OpenOptionsMaybeDirExt,
    OsMetadataExt,
};
use cap_std::fs::{OpenOptions, OpenOptionsExt as _};

use super::retry::{is_in_use, is_in_use_for_rename, patiently};
use super::{RealFile, RealLock, component, move_by_link, names, not_regular, same_disk};
use crate::{Access, Dir, DirRef, FileBox, FileId, Kind, LockFile, Replace, Rights, Stat};

/// `FILE_FLAG_BACKUP_SEMANTICS`: without it directories cannot be opened.
const BACKUP_SEMANTICS: u32 = 0x0200_0000;
/// `FILE_FLAG_OPEN_REPARSE_POINT`: a link is opened itself.
const LINK_ITSELF: u32 = 0x0020_0000;
/// `FILE_SHARE_READ | FILE_SHARE_WRITE`: without the right to delete, so that the path stays.
const SHARE_IN_PLACE: u32 = 0x1 | 0x2;
/// The same with `FILE_SHARE_DELETE`, for files.
const SHARE_ALL: u32 = SHARE_IN_PLACE | 0x4;

/// Does something again for a second while somebody else has the file open.
fn while_in_use<T>(act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    patiently(is_in_use, std::thread::sleep, act)
}

pub(super) fn handle_limit() -> Option<u64> {
    // Handles are limited by memory alone.
    None
}

pub(super) fn open_root(path: &Path) -> io::Result<DirRef> {
    let open = |write| {
        std::fs::OpenOptions::new()
            .read(true)
            .write(write)
            .custom_flags(BACKUP_SEMANTICS)
            .share_mode(SHARE_IN_PLACE)
            .open(path)
    };
    let dir = while_in_use(|| open(true).or_else(|_| open(false)))?;
    if !dir.metadata()?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    Ok(Arc::new(RealDir { dir: cap_std::fs::Dir::from_std_file(dir) }))
}

pub(super) fn stat(path: &Path) -> io::Result<Stat> {
    let open = || {
        std::fs::OpenOptions::new()
            .access_mode(0)
            .custom_flags(BACKUP_SEMANTICS | LINK_ITSELF)
            .share_mode(SHARE_ALL)
            .open(path)
    };
    stat_file(&while_in_use(open)?)
}

/// An open directory.
#[derive(Debug)]
pub(super) struct RealDir {
    dir: cap_std::fs::Dir,
}

impl RealDir {
    fn open_child(&self, name: &OsStr) -> io::Result<Self> {
        while_in_use(|| self.try_open_child(name))
    }

    fn try_open_child(&self, name: &OsStr) -> io::Result<Self> {
        let name = component(name)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).maybe_dir(true).follow(FollowSymlinks::No);
        let writable = self.dir.open_with(name, &options).map(cap_std::fs::File::into_std);
        let opened = match writable {
            Ok(file) if stat_file(&file)?.kind == Kind::Dir => {
                Ok(cap_std::fs::Dir::from_std_file(file))
            }
            Ok(_) => return Err(io::ErrorKind::NotADirectory.into()),
            Err(_) => self.dir.open_dir_nofollow(name),
        };
        match opened {
            Ok(dir) => Ok(Self { dir }),
            Err(error) => match self.stat(name)?.kind {
                Kind::Dir => Err(error),
                _ => Err(io::ErrorKind::NotADirectory.into()),
            },
        }
    }

    fn open_file(&self, name: &OsStr, options: &mut OpenOptions) -> io::Result<RealFile> {
        let name = component(name)?;
        options.read(true).share_mode(SHARE_ALL).follow(FollowSymlinks::No);
        match while_in_use(|| self.dir.open_with(name, options)) {
            Ok(file) => RealFile::regular(file.into_std()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            Err(error) => match self.stat(name).map(|stat| stat.kind) {
                Ok(Kind::Dir | Kind::Link | Kind::Other) => Err(not_regular()),
                Ok(Kind::File) | Err(_) => Err(error),
            },
        }
    }
}

impl Dir for RealDir {
    fn open_dir(&self, name: &OsStr) -> io::Result<DirRef> {
        Ok(Arc::new(self.open_child(name)?))
    }

    fn open_beneath(&self, names: &[OsString]) -> io::Result<DirRef> {
        let mut dir = Self { dir: self.dir.try_clone()? };
        for name in names {
            dir = dir.open_child(name)?;
        }
        Ok(Arc::new(dir))
    }

    fn open(&self, name: &OsStr) -> io::Result<FileBox> {
        Ok(Box::new(self.open_file(name, &mut OpenOptions::new())?))
    }

    fn open_write(&self, name: &OsStr) -> io::Result<FileBox> {
        Ok(Box::new(self.open_file(name, OpenOptions::new().write(true))?))
    }

    fn create_new(&self, name: &OsStr, _access: Access) -> io::Result<FileBox> {
        Ok(Box::new(self.open_file(name, OpenOptions::new().write(true).create_new(true))?))
    }

    fn create_dir(&self, name: &OsStr, _access: Access) -> io::Result<()> {
        self.dir.create_dir(component(name)?)
    }

    fn stat(&self, name: &OsStr) -> io::Result<Stat> {
        Ok(facts(&self.dir.symlink_metadata(component(name)?)?))
    }

    fn stat_self(&self) -> io::Result<Stat> {
        Ok(facts(&self.dir.dir_metadata()?))
    }

    fn read_link(&self, name: &OsStr) -> io::Result<PathBuf> {
        self.dir.read_link_contents(component(name)?)
    }

    fn rename(
        &self,
        name: &OsStr,
        to: &dyn Dir,
        to_name: &OsStr,
        replace: Replace,
    ) -> io::Result<()> {
        let (name, to, to_name) = (component(name)?, same_disk(to)?, component(to_name)?);
        match replace {
            Replace::Yes => patiently(is_in_use_for_rename, std::thread::sleep, || {
                self.dir.rename(name, &to.dir, to_name)
            }),
            Replace::No => move_by_link(
                || while_in_use(|| self.dir.hard_link(name, &to.dir, to_name)),
                || while_in_use(|| self.dir.remove_file(name)),
                || while_in_use(|| to.dir.remove_file(to_name)),
            ),
        }
    }

    fn hard_link(&self, name: &OsStr, to: &dyn Dir, to_name: &OsStr) -> io::Result<()> {
        let (name, to, to_name) = (component(name)?, same_disk(to)?, component(to_name)?);
        while_in_use(|| self.dir.hard_link(name, &to.dir, to_name))
    }

    fn reaches(&self, to: &dyn Dir) -> io::Result<bool> {
        Ok(self.id()?.device == to.id()?.device)
    }

    fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        let name = component(name)?;
        while_in_use(|| self.dir.remove_file_or_symlink(name))
    }

    fn remove_dir(&self, name: &OsStr) -> io::Result<()> {
        let name = component(name)?;
        while_in_use(|| self.dir.remove_dir(name))
    }

    fn entries(&self) -> io::Result<Vec<OsString>> {
        let names = self.dir.entries()?.map(|entry| Ok(entry?.file_name()));
        let mut names = names.collect::<io::Result<Vec<_>>>()?;
        names.sort_unstable();
        Ok(names)
    }

    fn sync(&self) -> io::Result<()> {
        match self.dir.try_clone()?.into_std_file().sync_all() {
            // A handle without the right to write, or a file system that flushes files only.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::PermissionDenied
                        | io::ErrorKind::InvalidInput
                        | io::ErrorKind::Unsupported
                ) =>
            {
                Ok(())
            }
            done => done,
        }
    }

    fn open_lock(&self, name: &OsStr) -> io::Result<Box<dyn LockFile>> {
        let mut options = OpenOptions::new();
        Ok(Box::new(RealLock(self.open_file(name, options.write(true).create(true))?)))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

pub(super) fn is_component(name: &OsStr) -> bool {
    names::is_ordinary(name.as_encoded_bytes())
}

pub(super) fn read_at(file: &std::fs::File, buf: &mut [u8], offset: u64) -> io::Result<usize> {
    file.seek_read(buf, offset)
}

/// There is no such call for a handle that also writes elsewhere.
pub(super) fn append(file: &std::fs::File, bytes: &[u8], end: u64) -> io::Result<u64> {
    write_all_at(file, bytes, end).map(|()| end)
}

pub(super) fn write_all_at(file: &std::fs::File, bytes: &[u8], offset: u64) -> io::Result<()> {
    let mut written = 0;
    while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
        match file.seek_write(rest, offset + written as u64) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(len) => written += len,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Flushes a file. Windows demands the right to write: a file opened for reading is refused.
pub(super) fn sync_file(file: &std::fs::File) -> io::Result<()> {
    file.sync_all()
}

/// There is no such hint.
/// The lock of this system is none for other programs to heed: it refuses them reads and writes.
pub(super) fn try_lock(_file: &std::fs::File) -> io::Result<bool> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(super) fn begin_writing(_file: &std::fs::File, _from: u64) {}

pub(super) fn stat_file(file: &std::fs::File) -> io::Result<Stat> {
    Ok(facts(&Metadata::from_file(file)?))
}

/// The owner is not to be had in safe Rust.
pub(super) fn rights(file: &std::fs::File) -> io::Result<Rights> {
    Ok(Rights { owner: None, read_only: file.metadata()?.permissions().readonly() })
}

pub(super) fn make_private(_file: &std::fs::File) -> io::Result<()> {
    Ok(())
}

pub(super) fn copy_attributes(file: &std::fs::File, from: &std::fs::File) -> io::Result<()> {
    file.set_permissions(from.metadata()?.permissions())
}

/// The access that a directory hands down stays that of the directory where a file was created: a
/// rename within a volume keeps it, and the calls that would change it are not safe Rust.
pub(super) fn adopt_directory(_file: &std::fs::File, _dir: &RealDir) -> io::Result<()> {
    Ok(())
}

fn facts(metadata: &Metadata) -> Stat {
    // Windows counts in 100 nanoseconds from 1601; 1970 is this much later.
    const UNIX_EPOCH: i128 = 116_444_736_000_000_000;
    let mtime_ns = (i128::from(metadata.last_write_time()) - UNIX_EPOCH) * 100;
    Stat {
        kind: if metadata.is_symlink() {
            Kind::Link
        } else if metadata.is_dir() {
            Kind::Dir
        } else if metadata.is_file() {
            Kind::File
        } else {
            Kind::Other
        },
        id: FileId { device: metadata.dev(), inode: metadata.ino() },
        len: metadata.len(),
        links: metadata.nlink(),
        mtime_ns,
        // The time of the last change of attributes is not to be had.
        ctime_ns: mtime_ns,
        born_ns: Some((i128::from(metadata.creation_time()) - UNIX_EPOCH) * 100),
        mode: if metadata.permissions().readonly() { 0o444 } else { 0o666 },
        owner: None,
    }
}
