//! What has become of a row.

use crate::digest::Digest;
use crate::journal::Row;
use crate::report::Report;

/// What has become of a row.
pub(super) enum Verdict {
    /// With the contents that were kept, as below.
    Published(Vec<(String, Digest)>),
    Finished(Vec<(String, Digest)>),
    Withdrawn,
    /// The contents that were kept, each with the path that it was for.
    Conflict(Vec<(String, Digest)>),
}

impl Verdict {
    /// Whether the row leaves the journal.
    pub(super) fn takes_row_out(&self) -> bool {
        matches!(self, Self::Withdrawn | Self::Conflict(_))
    }

    /// The same for a row of which something was still to be done.
    pub(super) fn finished(self) -> Self {
        match self {
            Self::Published(kept) => Self::Finished(kept),
            other => other,
        }
    }

    pub(super) fn tell(self, row: &Row, report: &mut Report) {
        match self {
            Self::Published(kept) => report.keep(kept),
            Self::Finished(kept) => {
                report.finished.push(row.path.clone());
                report.keep(kept);
            }
            Self::Withdrawn => report.withdrawn.push(row.path.clone()),
            Self::Conflict(kept) => report.keep(kept),
        }
    }
}
