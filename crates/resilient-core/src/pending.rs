//! Unfinished writes that wait for a process that can finish or withdraw them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::disk::Stat;

/// An unfinished write that waits for a process that can finish or withdraw it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pending {
    /// The target.
    pub path: String,
    /// The write's row.
    pub journal_id: String,
    /// What stands in the way.
    pub reason: String,
}

/// The paths that cannot be written until a pending row is decided.
#[derive(Debug, Default)]
pub(crate) struct PendingPaths {
    /// What `pending/` was when it was listed.
    pub(crate) stamp: Option<Stat>,
    pub(crate) paths: BTreeMap<PathBuf, Pending>,
}

impl PendingPaths {
    /// The row that a path waits for.
    pub(crate) fn get(&self, path: &Path) -> Option<&Pending> {
        self.paths.get(path)
    }
}
