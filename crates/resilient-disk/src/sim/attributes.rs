//! What a file or directory carries besides its content, and what it has of others.

use std::collections::BTreeMap;
use std::sync::Arc;

/// The user that programs run as, and their first group.
pub(super) const USER: u32 = 1000;

pub(super) const SET_USER: u32 = 0o4000;
pub(super) const SET_GROUP: u32 = 0o2000;
pub(super) const STICKY: u32 = 0o1000;

const ACCESS_LIST: &str = "system.posix_acl_access";
const DEFAULT_LIST: &str = "system.posix_acl_default";
const LABEL: &str = "security.selinux";

/// What a file or directory carries besides its content.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attributes {
    /// The permission bits.
    pub mode: u32,
    /// The owner.
    pub uid: u32,
    /// The group.
    pub gid: u32,
    /// The extended attributes.
    pub xattrs: BTreeMap<String, Vec<u8>>,
}

impl Attributes {
    pub(super) fn with_mode(mode: u32) -> Arc<Self> {
        Arc::new(Self { mode, uid: USER, gid: USER, xattrs: BTreeMap::new() })
    }

    /// The same for a file or directory that is created in a directory with other attributes.
    pub(super) fn in_dir(&self, dir: &Self, is_dir: bool) -> Self {
        let mut own = self.clone();
        own.xattrs.remove(ACCESS_LIST);
        own.gid = USER;
        if dir.mode & SET_GROUP != 0 {
            own.gid = dir.gid;
            own.mode |= if is_dir { SET_GROUP } else { 0 };
        }
        if let Some(list) = dir.xattrs.get(DEFAULT_LIST) {
            own.xattrs.insert(ACCESS_LIST.to_owned(), list.clone());
            if is_dir {
                own.xattrs.insert(DEFAULT_LIST.to_owned(), list.clone());
            }
        }
        if let Some(label) = dir.xattrs.get(LABEL) {
            own.xattrs.insert(LABEL.to_owned(), label.clone());
        }
        own
    }

    /// What these become when they take over those of another file.
    pub(super) fn taking_over(&self, other: &Self, may_have_group: bool) -> Self {
        let mut mode = other.mode;
        if other.uid != self.uid {
            mode &= !SET_USER;
        }
        if !may_have_group {
            // The new group's members were others to the old file, and stay what they were.
            mode = (mode & !(SET_GROUP | 0o070)) | ((mode & 0o007) << 3);
        }
        let gid = if may_have_group { other.gid } else { self.gid };
        Self { mode, uid: self.uid, gid, xattrs: other.xattrs.clone() }
    }
}
