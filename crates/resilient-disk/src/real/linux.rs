//! What only Linux has: resolution in one call, handles that need no read permission, and what a
//! directory hands down to new files.

use std::ffi::{OsStr, OsString};
use std::io::IoSlice;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{Advice, AtFlags, Mode, OFlags, ResolveFlags, StatxFlags, XattrFlags};
use rustix::io::{Errno, ReadWriteFlags};

use super::Mounts;
use super::xattr::{is_out_of_reach, read_growing};
use crate::{FileId, Owner, Stat};

#[path = "acl.rs"]
mod acl;
#[path = "magic.rs"]
mod magic;

pub(super) use magic::{exchanges_whole, kind_of};

/// Opens a directory that may be searched but not read.
pub(super) const SEARCH_ONLY: Option<OFlags> = Some(OFlags::PATH);

/// How often a lookup is repeated that a rename elsewhere disturbed.
const ATTEMPTS_MAX: usize = 16;

/// Opens a directory several components down in one call.
///
/// [`Errno::NOSYS`] says that the caller has to go step by step: on an old kernel, in a sandbox
/// that forbids the call, for no or too many components, or when renames keep disturbing it.
pub(super) fn open_beneath(
    dir: BorrowedFd<'_>,
    names: &[OsString],
    flags: OFlags,
    mounts: Mounts,
) -> rustix::io::Result<OwnedFd> {
    let path = names.join("/".as_ref());
    let mut resolve =
        ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    resolve.set(ResolveFlags::NO_XDEV, mounts == Mounts::Own);
    if path.is_empty() {
        return Err(Errno::NOSYS);
    }
    for _ in 0..ATTEMPTS_MAX {
        match rustix::fs::openat2(dir, &path, flags, Mode::empty(), resolve) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(Errno::PERM | Errno::NAMETOOLONG) => break,
            done => return done,
        }
    }
    Err(Errno::NOSYS)
}

/// Adds bytes at the end that a file has at that moment; gives where they begin, and how many there are. `None` if the
/// kernel, the file system or a sandbox has no such call.
pub(super) fn append(fd: BorrowedFd<'_>, bytes: &[u8]) -> rustix::io::Result<Option<(u64, usize)>> {
    // The offset that means the handle's own, which says afterwards where the bytes end.
    const OWN: u64 = u64::MAX;
    let added = rustix::io::pwritev2(fd, &[IoSlice::new(bytes)], OWN, ReadWriteFlags::APPEND);
    match added {
        Ok(len) => Ok(Some((rustix::fs::tell(fd)?.saturating_sub(len as u64), len))),
        Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL | Errno::PERM) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The facts about a name in a directory, or in the working directory; no link is followed.
pub(super) fn stat_at(dir: BorrowedFd<'_>, name: &OsStr) -> rustix::io::Result<Stat> {
    match rustix::fs::statx(dir, name, AtFlags::SYMLINK_NOFOLLOW, WANTED) {
        Ok(found) => Ok(facts(&found)),
        // An old kernel, or a sandbox that forbids the call.
        Err(Errno::NOSYS | Errno::PERM) => {
            Ok(super::facts(&rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?, None))
        }
        Err(error) => Err(error),
    }
}

/// The facts about an open file or directory.
pub(super) fn stat_of(fd: BorrowedFd<'_>) -> rustix::io::Result<Stat> {
    match rustix::fs::statx(fd, c"", AtFlags::EMPTY_PATH, WANTED) {
        Ok(found) => Ok(facts(&found)),
        Err(Errno::NOSYS | Errno::PERM) => Ok(super::facts(&rustix::fs::fstat(fd)?, None)),
        Err(error) => Err(error),
    }
}

const WANTED: StatxFlags = StatxFlags::BASIC_STATS.union(StatxFlags::BTIME);

fn facts(found: &rustix::fs::Statx) -> Stat {
    let time = |time: rustix::fs::StatxTimestamp| super::nanoseconds(time.tv_sec, time.tv_nsec);
    let has_born = found.stx_mask & StatxFlags::BTIME.bits() != 0;
    Stat {
        kind: super::kind(found.stx_mode.into()),
        id: FileId {
            device: rustix::fs::makedev(found.stx_dev_major, found.stx_dev_minor),
            inode: found.stx_ino,
        },
        len: found.stx_size,
        links: found.stx_nlink.into(),
        mtime_ns: time(found.stx_mtime),
        ctime_ns: time(found.stx_ctime),
        born_ns: has_born.then(|| time(found.stx_btime)),
        mode: u32::from(found.stx_mode) & 0o7777,
        owner: Some(Owner { user: found.stx_uid, group: found.stx_gid }),
    }
}

/// Waits until the device has what was written to a file or directory.
///
/// `fdatasync` would do for content and length, but not for the mode, owner and attributes that
/// a staged file has taken over.
pub(super) fn sync(fd: BorrowedFd<'_>) -> rustix::io::Result<()> {
    rustix::io::retry_on_intr(|| rustix::fs::fsync(fd))
}

/// Has the kernel begin to write a file from an offset on, without waiting.
///
/// The advice that the pages will not be needed does so first of all, and then drops those that
/// are clean; what was just written is not. (`sync_file_range` would say it better, but has no safe
/// binding here.)
pub(super) fn begin_writing(fd: BorrowedFd<'_>, from: u64) {
    let _ = rustix::fs::fadvise(fd, from, None, Advice::DontNeed);
}

/// Access that a new file has from its directory's defaults, and must lose when the file that it
/// replaces has none.
pub(super) const INHERITED: &[&str] = &[ACCESS_LIST];

const ACCESS_LIST: &str = "system.posix_acl_access";
const DEFAULT_LIST: &str = "system.posix_acl_default";
/// The label of SELinux. A new file has the type of its directory, unless a rule says otherwise.
const LABEL: &str = "security.selinux";

/// The group of a file that is created in a directory: the directory's if it hands that down, else
/// that of the process.
pub(super) fn group_of_new(dir: &rustix::fs::Stat) -> u32 {
    const SET_GROUP: u32 = 0o2000;
    if dir.st_mode & SET_GROUP != 0 { dir.st_gid } else { rustix::process::getegid().as_raw() }
}

/// Gives a new file the access and the label that a directory hands down, as far as permitted.
pub(super) fn adopt_access(file: BorrowedFd<'_>, dir: BorrowedFd<'_>) -> rustix::io::Result<()> {
    let inherited = attribute(file, ACCESS_LIST)?.is_some();
    match attribute(dir, DEFAULT_LIST)? {
        Some(mut list) => {
            acl::restrict(&mut list, FILE_MODE);
            set(file, ACCESS_LIST, &list)?;
        }
        None => {
            if inherited {
                permitted(rustix::fs::fremovexattr(file, ACCESS_LIST))?;
            }
            // A list of the directory where the file was created may have given it another mode.
            let mode = rustix::fs::fstat(file)?.st_mode & 0o7777;
            if let Some(umask) = umask(mode, inherited)
                && mode != FILE_MODE & !umask
            {
                permitted(rustix::fs::fchmod(file, Mode::from_raw_mode(FILE_MODE & !umask)))?;
            }
        }
    }
    if let Some(label) = attribute(dir, LABEL)?
        && attribute(file, LABEL)?.as_ref() != Some(&label)
    {
        set(file, LABEL, &label)?;
    }
    Ok(())
}

/// The mode with which new files are asked for.
const FILE_MODE: u32 = 0o666;

/// Reads an attribute; `None` where there is none, or none that this process may know.
fn attribute(fd: BorrowedFd<'_>, name: &str) -> rustix::io::Result<Option<Vec<u8>>> {
    match read_growing(|buf| rustix::fs::fgetxattr(fd, name, buf)) {
        Ok(value) => Ok(Some(value)),
        // A directory that may only be searched has a handle that cannot be asked.
        Err(error) if is_out_of_reach(error) || error == Errno::BADF => Ok(None),
        Err(error) => Err(error),
    }
}

fn set(fd: BorrowedFd<'_>, name: &str, value: &[u8]) -> rustix::io::Result<()> {
    permitted(rustix::fs::fsetxattr(fd, name, value, XattrFlags::empty()))
}

fn permitted(done: rustix::io::Result<()>) -> rustix::io::Result<()> {
    match done {
        Err(error) if is_out_of_reach(error) => Ok(()),
        done => done,
    }
}

/// The umask of this process, for a new file that has that mode.
///
/// There is no call that tells the umask without changing it for a moment, so it is read from the
/// kernel's account of the process: once, and again when the mode is not what it leaves. Where that
/// cannot be read, a mode that an inherited list has given is cut to the user's own rights.
fn umask(mode: u32, inherited: bool) -> Option<u32> {
    static LAST: AtomicU32 = AtomicU32::new(u32::MAX);
    let last = LAST.load(Ordering::Relaxed);
    if mode == FILE_MODE & !last && !inherited {
        return Some(last);
    }
    let read = read_umask();
    LAST.store(read.unwrap_or(u32::MAX), Ordering::Relaxed);
    read.or(inherited.then_some(0o077))
}

fn read_umask() -> Option<u32> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let fd = rustix::fs::open("/proc/self/status", flags, Mode::empty()).ok()?;
    let status = std::io::read_to_string(std::fs::File::from(fd)).ok()?;
    let digits = status.lines().find_map(|line| line.strip_prefix("Umask:"))?;
    u32::from_str_radix(digits.trim(), 8).ok()
}

/// Tells whether an attribute may pass to new content.
///
/// Capabilities and signatures were given to the old bytes (the kernel drops the former at every
/// write), and the notes of an overlay belong to the overlay.
pub(super) fn may_carry_over(attribute: &[u8]) -> bool {
    ![&b"security.capability"[..], b"security.ima", b"security.evm"].contains(&attribute)
        && !attribute.starts_with(b"trusted.overlay.")
}
