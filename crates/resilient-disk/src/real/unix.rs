//! Directories as descriptors, and every operation as an `at` call with one name.
//!
//! Access is by handle throughout: a process that exchanges a parent directory for a link changes
//! what the next lookup finds, never where an operation under way takes place.

use std::any::Any;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawMode, RenameFlags};
use rustix::io::{Errno, retry_on_intr};

use super::{RealFile, RealLock, component, move_by_link, not_regular, same_disk};
use crate::{
    Access, Dir, DirRef, FileBox, FileId, FileSystem, Kind, LockFile, Owner, Replace, Rights, Stat,
};
#[cfg(test)]
pub(super) use attributes::permissions;
pub(super) use attributes::{adopt_directory, copy_attributes, make_private};

#[path = "attributes.rs"]
mod attributes;
#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod system;
#[cfg(target_vendor = "apple")]
#[path = "macos.rs"]
mod system;
#[path = "xattr.rs"]
mod xattr;

/// How directories are opened: readable, since a descriptor that is not cannot be synced.
const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// How files are opened: never through a link, and never waiting on a FIFO or becoming the
/// terminal of the process, should the name lead to one.
const FILE: OFlags =
    OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// Longer than any file system lets a name be.
const NAME_TOO_LONG: usize = 1024;

pub(super) fn open_root(path: &Path) -> io::Result<DirRef> {
    let fd = open_searchable(DIRECTORY, |flags| rustix::fs::open(path, flags, Mode::empty()))?;
    Ok(Arc::new(RealDir::new(fd)))
}

pub(super) fn stat(path: &Path) -> io::Result<Stat> {
    Ok(system::stat_at(rustix::fs::CWD, path.as_os_str())?)
}

pub(super) fn handle_limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

/// Which mounts a lookup may enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mounts {
    Any,
    /// That of the directory where it begins, where the system can tell.
    Own,
}

/// An open directory.
#[derive(Debug)]
pub(super) struct RealDir {
    fd: OwnedFd,
    /// Once it was asked for.
    id: OnceLock<FileId>,
}

impl RealDir {
    pub(super) fn new(fd: OwnedFd) -> Self {
        Self { fd, id: OnceLock::new() }
    }

    fn open_below(&self, names: &[OsString], mounts: Mounts) -> io::Result<DirRef> {
        for name in names {
            component(name)?;
        }
        let direct = open_searchable(DIRECTORY, |flags| {
            system::open_beneath(self.fd.as_fd(), names, flags, mounts)
        });
        let fd = match direct {
            Err(Errno::NOSYS) => walk(self.fd.as_fd(), names)?,
            done => done?,
        };
        Ok(Arc::new(Self::new(fd)))
    }

    fn open_file(&self, name: &OsStr, flags: OFlags, mode: Mode) -> io::Result<RealFile> {
        let name = component(name)?;
        match retry_on_intr(|| rustix::fs::openat(&self.fd, name, flags | FILE, mode)) {
            Ok(fd) => RealFile::regular(fd.into()),
            // A link, a directory opened for writing, a socket, a device without a driver.
            Err(Errno::LOOP | Errno::ISDIR | Errno::NXIO | Errno::NODEV | Errno::OPNOTSUPP) => {
                Err(not_regular())
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl Dir for RealDir {
    fn open_dir(&self, name: &OsStr) -> io::Result<DirRef> {
        let fd = open_child(self.fd.as_fd(), component(name)?)?;
        Ok(Arc::new(Self::new(fd)))
    }

    fn open_beneath(&self, names: &[OsString]) -> io::Result<DirRef> {
        self.open_below(names, Mounts::Any)
    }

    fn open_in_mount(&self, names: &[OsString]) -> io::Result<DirRef> {
        self.open_below(names, Mounts::Own)
    }

    fn open(&self, name: &OsStr) -> io::Result<FileBox> {
        Ok(Box::new(self.open_file(name, OFlags::RDONLY, Mode::empty())?))
    }

    fn open_write(&self, name: &OsStr) -> io::Result<FileBox> {
        Ok(Box::new(self.open_file(name, OFlags::RDWR, Mode::empty())?))
    }

    fn create_new(&self, name: &OsStr, access: Access) -> io::Result<FileBox> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL;
        let mode = match access {
            Access::Default => 0o666,
            Access::Private => 0o600,
        };
        Ok(Box::new(self.open_file(name, flags, Mode::from_raw_mode(mode))?))
    }

    fn create_dir(&self, name: &OsStr, access: Access) -> io::Result<()> {
        let mode = match access {
            Access::Default => 0o777,
            Access::Private => 0o700,
        };
        Ok(rustix::fs::mkdirat(&self.fd, component(name)?, Mode::from_raw_mode(mode))?)
    }

    fn stat(&self, name: &OsStr) -> io::Result<Stat> {
        Ok(system::stat_at(self.fd.as_fd(), component(name)?)?)
    }

    fn stat_self(&self) -> io::Result<Stat> {
        Ok(system::stat_of(self.fd.as_fd())?)
    }

    fn id(&self) -> io::Result<FileId> {
        match self.id.get() {
            Some(id) => Ok(*id),
            None => self.stat_self().map(|stat| *self.id.get_or_init(|| stat.id)),
        }
    }

    fn read_link(&self, name: &OsStr) -> io::Result<PathBuf> {
        let target = rustix::fs::readlinkat(&self.fd, component(name)?, Vec::new())?;
        Ok(OsString::from_vec(target.into_bytes()).into())
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
            Replace::Yes => rustix::fs::renameat(&self.fd, name, &to.fd, to_name)?,
            Replace::No => rename_new(&self.fd, name, &to.fd, to_name)?,
        }
        Ok(())
    }

    fn exchange(&self, name: &OsStr, to: &dyn Dir, to_name: &OsStr) -> io::Result<()> {
        let (name, to, to_name) = (component(name)?, same_disk(to)?, component(to_name)?);
        match rustix::fs::renameat_with(&self.fd, name, &to.fd, to_name, RenameFlags::EXCHANGE) {
            Err(error) if is_unsupported(error) => Err(io::ErrorKind::Unsupported.into()),
            done => Ok(done?),
        }
    }

    fn hard_link(&self, name: &OsStr, to: &dyn Dir, to_name: &OsStr) -> io::Result<()> {
        let (name, to, to_name) = (component(name)?, same_disk(to)?, component(to_name)?);
        Ok(rustix::fs::linkat(&self.fd, name, &to.fd, to_name, AtFlags::empty())?)
    }

    fn reaches(&self, to: &dyn Dir) -> io::Result<bool> {
        if self.id()?.device != to.id()?.device {
            return Ok(false);
        }
        // Linux compares the mounts before it looks for the names, so that a rename of a name that
        // cannot exist tells, and changes nothing. Other systems have no such mounts.
        let absent = OsStr::from_bytes(&[b'x'; NAME_TOO_LONG]);
        let probe = rustix::fs::renameat(&self.fd, absent, &same_disk(to)?.fd, absent);
        Ok(probe != Err(Errno::XDEV))
    }

    fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.fd, component(name)?, AtFlags::empty())?)
    }

    fn remove_dir(&self, name: &OsStr) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.fd, component(name)?, AtFlags::REMOVEDIR)?)
    }

    fn entries(&self) -> io::Result<Vec<OsString>> {
        // A fresh descriptor: two readers of one would share the position.
        let own = rustix::fs::openat(&self.fd, c".", DIRECTORY, Mode::empty())?;
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::new(own)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push(OsStr::from_bytes(name).to_owned());
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    fn sync(&self) -> io::Result<()> {
        match system::sync(self.fd.as_fd()) {
            // Opened when it could not be read; perhaps it can now.
            Err(Errno::BADF) => {
                let readable = rustix::fs::openat(&self.fd, c".", DIRECTORY, Mode::empty())?;
                Ok(if_possible(system::sync(readable.as_fd()))?)
            }
            done => Ok(if_possible(done)?),
        }
    }

    fn exchanges_whole(&self) -> bool {
        rustix::fs::fstatfs(&self.fd).is_ok_and(|facts| system::exchanges_whole(&facts))
    }

    fn file_system(&self) -> io::Result<FileSystem> {
        Ok(system::kind_of(&rustix::fs::fstatfs(&self.fd)?))
    }

    fn open_lock(&self, name: &OsStr) -> io::Result<Box<dyn LockFile>> {
        let flags = OFlags::RDWR | OFlags::CREATE;
        Ok(Box::new(RealLock(self.open_file(name, flags, Mode::from_raw_mode(0o600))?)))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Passes where the file system has no sync for directories: there is nothing to wait for then.
fn if_possible(synced: rustix::io::Result<()>) -> rustix::io::Result<()> {
    match synced {
        Err(error) if is_unsupported(error) => Ok(()),
        done => done,
    }
}

/// Opens a directory, also one that may be searched but not read.
fn open_searchable(
    flags: OFlags,
    open: impl Fn(OFlags) -> rustix::io::Result<OwnedFd>,
) -> rustix::io::Result<OwnedFd> {
    let opened = match (retry_on_intr(|| open(flags)), system::SEARCH_ONLY) {
        (Err(Errno::ACCESS), Some(search)) => retry_on_intr(|| open(flags | search)),
        (opened, _) => opened,
    };
    // Systems differ in what they call a link where a directory is asked for.
    opened.map_err(|error| match error {
        Errno::LOOP => Errno::NOTDIR,
        error => error,
    })
}

fn open_child(dir: BorrowedFd<'_>, name: &OsStr) -> rustix::io::Result<OwnedFd> {
    open_searchable(DIRECTORY | OFlags::NOFOLLOW, |flags| {
        rustix::fs::openat(dir, name, flags, Mode::empty())
    })
}

/// Opens a directory several components down, step by step. Each step starts at a descriptor, so
/// a link that takes the place of a directory behind it changes nothing.
pub(super) fn walk(dir: BorrowedFd<'_>, names: &[OsString]) -> rustix::io::Result<OwnedFd> {
    let mut fd = rustix::io::fcntl_dupfd_cloexec(dir, 0)?;
    for name in names {
        fd = open_child(fd.as_fd(), name)?;
    }
    Ok(fd)
}

/// Renames without taking the place of an existing name.
fn rename_new(from: &OwnedFd, name: &OsStr, to: &OwnedFd, to_name: &OsStr) -> io::Result<()> {
    match rustix::fs::renameat_with(from, name, to, to_name, RenameFlags::NOREPLACE) {
        Err(error) if is_unsupported(error) => link_new(from, name, to, to_name),
        done => Ok(done?),
    }
}

/// The same where kernel or file system have no such rename: a link never replaces either.
///
/// After a crash in between, the file has both names. It never has none: the new one is durable before
/// the old one goes. A directory cannot have two: it is refused.
pub(super) fn link_new(
    from: &OwnedFd,
    name: &OsStr,
    to: &OwnedFd,
    to_name: &OsStr,
) -> io::Result<()> {
    move_by_link(
        || {
            rustix::fs::linkat(from, name, to, to_name, AtFlags::empty())?;
            Ok(system::sync(to.as_fd())?)
        },
        || Ok(rustix::fs::unlinkat(from, name, AtFlags::empty())?),
        || Ok(rustix::fs::unlinkat(to, to_name, AtFlags::empty())?),
    )?;
    Ok(system::sync(from.as_fd())?)
}

/// A name that does not lead out of its directory. (A NUL is refused by every call.)
pub(super) fn is_component(name: &OsStr) -> bool {
    let name = name.as_bytes();
    !matches!(name, b"" | b"." | b"..") && !name.contains(&b'/')
}

pub(super) fn read_at(file: &std::fs::File, buf: &mut [u8], offset: u64) -> io::Result<usize> {
    file.read_at(buf, offset)
}

pub(super) fn write_all_at(file: &std::fs::File, bytes: &[u8], offset: u64) -> io::Result<()> {
    file.write_all_at(bytes, offset)
}

pub(super) fn append(file: &std::fs::File, bytes: &[u8], end: u64) -> io::Result<u64> {
    let (mut begins, mut done) = (end, 0);
    while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
        match system::append(file.as_fd(), rest) {
            Ok(Some((_, 0))) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(Some((at, written))) => {
                // What follows a part is compared when it is read back.
                begins = if done == 0 { at } else { begins };
                done += written;
            }
            Ok(None) => return write_all_at(file, rest, begins + done as u64).map(|()| begins),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(begins)
}

pub(super) fn sync_file(file: &std::fs::File) -> io::Result<()> {
    Ok(system::sync(file.as_fd())?)
}

pub(super) fn try_lock(file: &std::fs::File) -> io::Result<bool> {
    super::try_lock(file)
}

pub(super) fn begin_writing(file: &std::fs::File, from: u64) {
    system::begin_writing(file.as_fd(), from);
}

pub(super) fn stat_file(file: &std::fs::File) -> io::Result<Stat> {
    Ok(system::stat_of(file.as_fd())?)
}

#[allow(clippy::unnecessary_cast, reason = "the widths differ from system to system")]
pub(super) fn rights(file: &std::fs::File) -> io::Result<Rights> {
    let stat = rustix::fs::fstat(file)?;
    Ok(Rights {
        owner: Some(Owner { user: stat.st_uid as u32, group: stat.st_gid as u32 }),
        read_only: stat.st_mode as u32 & 0o222 == 0,
    })
}

/// Errors with which systems and file systems say that they lack a call or a flag of it.
fn is_unsupported(error: Errno) -> bool {
    [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP].contains(&error)
}

#[allow(clippy::unnecessary_cast, reason = "the widths differ from system to system")]
fn facts(stat: &rustix::fs::Stat, born_ns: Option<i128>) -> Stat {
    Stat {
        kind: kind(stat.st_mode as RawMode),
        id: FileId { device: stat.st_dev as u64, inode: stat.st_ino as u64 },
        len: u64::try_from(stat.st_size).unwrap_or(0),
        links: stat.st_nlink as u64,
        mtime_ns: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        ctime_ns: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        born_ns,
        mode: stat.st_mode as u32 & 0o7777,
        owner: Some(Owner { user: stat.st_uid as u32, group: stat.st_gid as u32 }),
    }
}

fn kind(mode: RawMode) -> Kind {
    match FileType::from_raw_mode(mode) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Dir,
        FileType::Symlink => Kind::Link,
        _ => Kind::Other,
    }
}

fn nanoseconds(seconds: impl Into<i128>, rest: impl Into<i128>) -> i128 {
    seconds.into() * 1_000_000_000 + rest.into()
}
