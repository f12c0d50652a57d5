//! What recovery tells of its work.

use serde::Serialize;

use crate::digest::Digest;
use crate::pending::Pending;

/// What recovery found and did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Paths whose publishing was finished.
    pub finished: Vec<String>,
    /// Paths whose unfinished write was withdrawn; they are as they were before it.
    pub withdrawn: Vec<String>,
    /// Paths that somebody else changed in between, with the digest of the content that is kept in
    /// `conflicts/` instead of being published.
    pub conflicts: Vec<Conflict>,
    /// Unfinished writes that could be neither finished nor withdrawn. They are kept and tried
    /// again; until then their paths cannot be written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<Pending>,
    /// Bytes that a torn end of the journal had.
    pub cut: u64,
    /// Leftovers in `tmp/` that could not be removed, and why. They are in nobody's way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<String>,
}

impl Report {
    /// Whether there is nothing to tell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds what a later recovery did. Of pending writes the later one knows best.
    pub(crate) fn add(&mut self, later: Self) {
        self.finished.extend(later.finished);
        self.withdrawn.extend(later.withdrawn);
        self.conflicts.extend(later.conflicts);
        self.pending = later.pending;
        self.cut += later.cut;
        self.left = later.left;
    }
}

/// Content that was promised but not published, since its target had changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Conflict {
    /// The target.
    pub path: String,
    /// The content: `conflicts/<sha256>.bin` in the state directory.
    pub kept_sha256: Digest,
}
