//! What only Linux has: resolution in one call, handles that need no read permission.

use std::ffi::OsString;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::fs::{Advice, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

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
) -> rustix::io::Result<OwnedFd> {
    let path = names.join("/".as_ref());
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
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
pub(super) const INHERITED: &[&str] = &["system.posix_acl_access"];

/// Tells whether an attribute may pass to new content.
///
/// Capabilities and signatures were given to the old bytes (the kernel drops the former at every
/// write), and the notes of an overlay belong to the overlay.
pub(super) fn may_carry_over(attribute: &[u8]) -> bool {
    ![&b"security.capability"[..], b"security.ima", b"security.evm"].contains(&attribute)
        && !attribute.starts_with(b"trusted.overlay.")
}
