//! What a file has besides its content: owner, permissions and extended attributes.

use std::io;
use std::os::fd::AsFd;

use rustix::fs::{Gid, Mode, RawMode, Uid, XattrFlags};
use rustix::io::Errno;

use super::xattr::{is_out_of_reach, read_growing};
use super::{RealDir, is_unsupported, system};

/// The permission bits, with set-user-id, set-group-id and sticky.
const PERMISSIONS: RawMode = 0o7777;

pub(in super::super) fn make_private(file: &std::fs::File) -> io::Result<()> {
    Ok(rustix::fs::fchmod(file, Mode::from_raw_mode(0o600))?)
}

pub(in super::super) fn copy_attributes(
    file: &std::fs::File,
    from: &std::fs::File,
) -> io::Result<()> {
    let theirs = rustix::fs::fstat(from)?;
    let ours = rustix::fs::fstat(file)?;
    let (same_user, same_group) = copy_owner(file, &ours, &theirs)?;
    copy_xattrs(file, from)?;
    // IMPORTANT: the permissions come last, since a new owner takes set-user-id away and an
    // access control list rewrites the group's bits.
    let mode = permissions(theirs.st_mode as RawMode, same_user, same_group);
    Ok(rustix::fs::fchmod(file, Mode::from_raw_mode(mode))?)
}

/// Gives a new file what it would have got, had it been created in a directory.
pub(in super::super) fn adopt_directory(file: &std::fs::File, dir: &RealDir) -> io::Result<()> {
    let group = system::group_of_new(&rustix::fs::fstat(&dir.fd)?);
    if rustix::fs::fstat(file)?.st_gid != group {
        match rustix::fs::fchown(file, None, Some(Gid::from_raw(group))) {
            Ok(()) => {}
            Err(error) if is_out_of_reach(error) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(system::adopt_access(file.as_fd(), dir.fd.as_fd())?)
}

/// Gives a file the user and group of another as far as this process may; tells which are equal.
fn copy_owner(
    file: &std::fs::File,
    ours: &rustix::fs::Stat,
    theirs: &rustix::fs::Stat,
) -> io::Result<(bool, bool)> {
    let mut same_user = ours.st_uid == theirs.st_uid;
    let mut same_group = ours.st_gid == theirs.st_gid;
    let attempt = |uid, gid| match rustix::fs::fchown(file, uid, gid) {
        Ok(()) => Ok(true),
        // An identity unknown in this container is invalid; some file systems have no owners.
        Err(error) if error == Errno::PERM || is_unsupported(error) => Ok(false),
        Err(error) => Err(io::Error::from(error)),
    };
    // One at a time: many may set a group that they are in, and few may set a user.
    if !same_group {
        same_group = attempt(None, Some(Gid::from_raw(theirs.st_gid)))?;
    }
    if !same_user {
        same_user = attempt(Some(Uid::from_raw(theirs.st_uid)), None)?;
    }
    Ok((same_user, same_group))
}

/// The permissions of a replaced file, without what they would give to somebody else.
pub(in super::super) fn permissions(mode: RawMode, same_user: bool, same_group: bool) -> RawMode {
    let mut mode = mode & PERMISSIONS;
    if !same_user {
        mode &= !0o4000;
    }
    if !same_group {
        // The new group's members were others to the old file, and stay what they were.
        mode = (mode & !0o2070) | ((mode & 0o007) << 3);
    }
    mode
}

/// Gives a file the extended attributes of another, as far as this process may.
fn copy_xattrs(file: &std::fs::File, from: &std::fs::File) -> io::Result<()> {
    let names = match read_growing(|buf| rustix::fs::flistxattr(from, buf)) {
        Ok(names) => names,
        Err(error) if is_out_of_reach(error) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let names = || names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    for inherited in system::INHERITED {
        if !names().any(|name| name == inherited.as_bytes()) {
            // Mostly there is none; where it cannot be removed it could not be set either.
            let _ = rustix::fs::fremovexattr(file, *inherited);
        }
    }
    for name in names().filter(|name| system::may_carry_over(name)) {
        let copied = read_growing(|buf| rustix::fs::fgetxattr(from, name, buf))
            .and_then(|value| rustix::fs::fsetxattr(file, name, &value, XattrFlags::empty()));
        match copied {
            Err(error) if !is_out_of_reach(error) => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}
