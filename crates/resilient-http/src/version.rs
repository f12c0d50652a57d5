//! Whether a file that somebody edits has changed since it was read.

use std::io;
use std::path::Path;
use std::time::SystemTime;

/// What tells two states of a file apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version {
    modified: Option<SystemTime>,
    len: u64,
    file: u64,
    pub(crate) is_regular: bool,
    /// Who may read and write it.
    pub(crate) mode: u32,
}

impl Version {
    /// The state in which a file is now.
    ///
    /// # Errors
    /// It cannot be looked at.
    #[expect(clippy::disallowed_methods, reason = "files of the server belong to no workspace")]
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let found = std::fs::metadata(path)?;
        #[cfg(unix)]
        let (file, mode) = {
            use std::os::unix::fs::MetadataExt as _;
            (found.ino(), found.mode())
        };
        #[cfg(not(unix))]
        let (file, mode) = (0, 0);
        let (modified, is_regular) = (found.modified().ok(), found.is_file());
        Ok(Self { modified, len: found.len(), file, is_regular, mode })
    }
}
