//! Who may do what: the checks that a kernel makes for a user without privileges.
//!
//! The programs on the disk are user 1000 of group 1000, and of the groups that
//! [`SimDisk::join_group`](super::SimDisk::join_group) adds.

use std::io;

use super::attributes::{Attributes, SET_GROUP, SET_USER, STICKY, USER};
use super::state::State;
use super::tree::Ino;

/// The rights to a file or directory, as one digit of a mode.
pub(super) type Rights = u32;
pub(super) const READ: Rights = 4;
pub(super) const WRITE: Rights = 2;
pub(super) const SEARCH: Rights = 1;

/// The permission bits do not grant what was asked for.
fn refused() -> io::Error {
    error(13)
}

/// Only the owner may do this.
fn not_owner() -> io::Error {
    error(1)
}

/// Both kinds of refusal have one [`io::ErrorKind`]; systems like Unix tell them apart by number.
fn error(errno: i32) -> io::Error {
    if cfg!(unix) {
        io::Error::from_raw_os_error(errno)
    } else {
        io::ErrorKind::PermissionDenied.into()
    }
}

impl State {
    /// Passes if programs have all of those rights to an inode: `EACCES` if not.
    pub(super) fn permits(&self, ino: Ino, rights: Rights) -> io::Result<()> {
        let Attributes { mode, uid, gid, .. } = *self.node(ino)?.attributes;
        let granted = match () {
            () if uid == USER => mode >> 6,
            () if self.groups.contains(&gid) => mode >> 3,
            () => mode,
        };
        if granted & rights == rights { Ok(()) } else { Err(refused()) }
    }

    /// Passes if programs may change the attributes of an inode: `EPERM` if not.
    pub(super) fn owns(&self, ino: Ino) -> io::Result<()> {
        if self.node(ino)?.attributes.uid == USER { Ok(()) } else { Err(not_owner()) }
    }

    /// Passes if a name that leads to `ino` may be taken from a directory: `EACCES` without the
    /// right to write it, `EPERM` where a sticky directory keeps it for the owners of either.
    pub(super) fn may_take(&self, dir: Ino, ino: Ino) -> io::Result<()> {
        self.permits(dir, WRITE | SEARCH)?;
        let sticky = self.node(dir)?.attributes.mode & STICKY != 0;
        if sticky && self.owns(dir).is_err() { self.owns(ino) } else { Ok(()) }
    }

    /// Passes if programs may give an inode another name: `EPERM` for a directory, and for what
    /// belongs to others unless it is a file that programs may read and write and that gives a user
    /// who runs it no rights. So does Linux with `protected_hardlinks`, which is the rule.
    pub(super) fn may_link(&self, ino: Ino) -> io::Result<()> {
        let node = self.node(ino)?;
        let lends = node.attributes.mode & SET_USER != 0
            || node.attributes.mode & (SET_GROUP | 0o010) == SET_GROUP | 0o010;
        let plain = node.is_file() && !lends && self.permits(ino, READ | WRITE).is_ok();
        let linkable = self.live.entries(ino).is_none() && (plain || self.owns(ino).is_ok());
        if linkable { Ok(()) } else { Err(not_owner()) }
    }

    /// What a new file's attributes become when it takes over what a directory hands down: no group but one
    /// that the user is in.
    pub(super) fn adopted(&self, ino: Ino, dir: Ino) -> io::Result<Attributes> {
        let ours = &self.node(ino)?.attributes;
        let new = ours.in_dir(&self.node(dir)?.attributes, false);
        let gid = if self.groups.contains(&new.gid) { new.gid } else { ours.gid };
        Ok(Attributes { gid, ..new })
    }

    /// What an inode's attributes become when it takes over those of another: as far as a user
    /// without privileges may, who can give a file away to nobody, and to no group but their own.
    pub(super) fn taken_over(&self, ino: Ino, from: Ino) -> io::Result<Attributes> {
        let ours = &self.node(ino)?.attributes;
        let theirs = &self.node(from)?.attributes;
        let may_have_group = theirs.gid == ours.gid || self.groups.contains(&theirs.gid);
        Ok(ours.taking_over(theirs, may_have_group))
    }
}
