//! What has become of a row.

use crate::digest::Digest;
use crate::journal::Row;
use crate::report::{Conflict, Report, What};

/// Content that was kept.
pub(super) struct Kept {
    /// The file that it was for, or that it was of, as it is shown.
    pub(super) path: String,
    pub(super) digest: Digest,
    pub(super) what: What,
}

impl From<Kept> for Conflict {
    fn from(Kept { path, digest, what }: Kept) -> Self {
        Self { path, kept_sha256: digest, what }
    }
}

/// What has become of a row.
pub(super) enum Verdict {
    /// With the contents that were kept.
    Published(Vec<Kept>),
    Finished(Vec<Kept>),
    /// The row is of an append, and somebody has changed the file since: nobody can tell whether all of it was there.
    Torn,
    /// Somebody has removed the content before recovery, and nobody can tell whether it had been published. With the
    /// contents that were kept.
    Unsure(Vec<Kept>),
    Withdrawn,
    Conflict(Vec<Kept>),
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
            Self::Published(kept) => report.keep(kept.into_iter().map(Into::into)),
            Self::Finished(kept) => {
                report.finished.push(row.path.clone());
                report.keep(kept.into_iter().map(Into::into));
            }
            Self::Torn => {}
            Self::Unsure(kept) => {
                report.unsure.push(row.path.clone());
                report.keep(kept.into_iter().map(Into::into));
            }
            Self::Withdrawn => report.withdrawn.push(row.path.clone()),
            Self::Conflict(kept) => report.keep(kept.into_iter().map(Into::into)),
        }
    }
}
