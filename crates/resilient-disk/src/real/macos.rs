//! What only macOS has: a flush that reaches the medium.
//!
//! Access control lists and file flags of a replaced file are not carried over. A directory must
//! be readable to be entered.

use std::ffi::{OsStr, OsString};
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, OFlags};
use rustix::io::Errno;

use super::Mounts;
use crate::{FileSystem, Stat};

/// There is no handle on a directory that may not be read.
pub(super) const SEARCH_ONLY: Option<OFlags> = None;

/// There is no lookup in one call: the caller goes step by step.
pub(super) fn open_beneath(
    _dir: BorrowedFd<'_>,
    _names: &[OsString],
    _flags: OFlags,
    _mounts: Mounts,
) -> rustix::io::Result<OwnedFd> {
    Err(Errno::NOSYS)
}

/// There is no such call for a handle that also writes elsewhere.
pub(super) fn append(
    _fd: BorrowedFd<'_>,
    _bytes: &[u8],
) -> rustix::io::Result<Option<(u64, usize)>> {
    Ok(None)
}

/// The facts about a name in a directory, or in the working directory; no link is followed.
pub(super) fn stat_at(dir: BorrowedFd<'_>, name: &OsStr) -> rustix::io::Result<Stat> {
    Ok(facts(&rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?))
}

/// The facts about an open file or directory.
pub(super) fn stat_of(fd: BorrowedFd<'_>) -> rustix::io::Result<Stat> {
    Ok(facts(&rustix::fs::fstat(fd)?))
}

fn facts(found: &rustix::fs::Stat) -> Stat {
    let born_ns = super::nanoseconds(found.st_birthtime, found.st_birthtime_nsec);
    super::facts(found, Some(born_ns))
}

/// Waits until the device has what was written to a file or directory, out of its own cache.
///
/// File systems without `F_FULLFSYNC`, such as most network ones, get `fsync`.
pub(super) fn sync(fd: BorrowedFd<'_>) -> rustix::io::Result<()> {
    match rustix::io::retry_on_intr(|| rustix::fs::fcntl_fullfsync(fd)) {
        Err(Errno::NOTSUP | Errno::OPNOTSUPP | Errno::NOTTY | Errno::INVAL) => {
            rustix::io::retry_on_intr(|| rustix::fs::fsync(fd))
        }
        done => done,
    }
}

/// There is no such hint.
pub(super) fn begin_writing(_fd: BorrowedFd<'_>, _from: u64) {}

/// Nothing that a new file inherits here is an attribute.
pub(super) const INHERITED: &[&str] = &[];

/// Whether a file system makes an exchange of two names as a whole, and keeps the number of a file: APFS does both in
/// one transaction.
pub(super) fn exchanges_whole(facts: &rustix::fs::StatFs) -> bool {
    facts.f_fstypename.iter().take(5).map(|byte| byte.cast_unsigned()).eq(*b"apfs\0")
}

/// The kind of a file system, by its name and by whether the system calls it local.
pub(super) fn kind_of(facts: &rustix::fs::StatFs) -> FileSystem {
    const LOCAL: u32 = 0x1000;
    let name = facts.f_fstypename.iter().take_while(|byte| **byte != 0);
    let name: Vec<u8> = name.map(|byte| byte.cast_unsigned()).collect();
    match name.as_slice() {
        b"nfs" => FileSystem::Network("NFS"),
        b"smbfs" => FileSystem::Network("SMB"),
        b"afpfs" => FileSystem::Network("AFP"),
        b"webdav" => FileSystem::Network("WebDAV"),
        b"ftp" => FileSystem::Network("FTP"),
        b"macfuse" | b"osxfuse" | b"fuse-t" => FileSystem::Program,
        _ if facts.f_flags & LOCAL != 0 => FileSystem::Local,
        _ => FileSystem::Unknown,
    }
}

/// The group of a file that is created in a directory: always the directory's.
pub(super) fn group_of_new(dir: &rustix::fs::Stat) -> u32 {
    dir.st_gid
}

/// Access control lists are out of reach here.
pub(super) fn adopt_access(_file: BorrowedFd<'_>, _dir: BorrowedFd<'_>) -> rustix::io::Result<()> {
    Ok(())
}

/// Tells whether an attribute may pass to new content: all may.
pub(super) fn may_carry_over(_attribute: &[u8]) -> bool {
    true
}
