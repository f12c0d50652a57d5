//! Unfinished writes that wait for a process that can finish or withdraw them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::disk::Stat;

/// An unfinished write that waits for a process that can finish or withdraw it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pending {
    /// The target; the file of the row where that cannot be read.
    pub path: String,
    /// The write's row. It is empty where that cannot be read.
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
    /// A row that a path in a directory waits for.
    pub(crate) fn below(&self, dir: &Path) -> Option<&Pending> {
        let dir = &*dir.to_string_lossy();
        let mut paths = self.paths.range(PathBuf::from(dir)..);
        paths.next().filter(|(path, _)| path.starts_with(dir)).map(|(_, pending)| pending)
    }

    /// The row that a target waits for, by its absolute path or by the one that is shown. A row has text: of
    /// a path that is not text, what could not be shown does not count.
    pub(crate) fn get(&self, path: &Path, shown: &str) -> Option<&Pending> {
        let text = path.to_string_lossy();
        self.paths.get(Path::new(&*text)).or_else(|| self.paths.get(Path::new(shown)))
    }
}
