//! What has become of a row.

use crate::digest::Digest;
use crate::journal::Row;
use crate::report::{Conflict, Report};

/// What has become of a row.
pub(super) enum Verdict {
    Published,
    Finished,
    Withdrawn,
    /// The contents that were kept, each with the path that it was for.
    Conflict(Vec<(String, Digest)>),
}

impl Verdict {
    /// Whether the row leaves the journal.
    pub(super) fn takes_row_out(&self) -> bool {
        matches!(self, Self::Withdrawn | Self::Conflict(_))
    }

    pub(super) fn tell(self, row: &Row, report: &mut Report) {
        match self {
            Self::Published => {}
            Self::Finished => report.finished.push(row.path.clone()),
            Self::Withdrawn => report.withdrawn.push(row.path.clone()),
            Self::Conflict(kept) => {
                let kept = kept.into_iter();
                report
                    .conflicts
                    .extend(kept.map(|(path, kept_sha256)| Conflict { path, kept_sha256 }));
            }
        }
    }
}
