//! What becomes of a change on its way through the batch.

use std::io;

use super::change::Change;
use crate::error::Error;

/// What becomes of a change on its way through the batch.
pub(super) enum Outcome {
    Going,
    /// Nothing of it happened; its row is to go.
    Failed(Error),
    /// It is in the journal, and recovery will finish or withdraw it.
    Unknown(Error),
}

impl Outcome {
    pub(super) fn is_going(&self) -> bool {
        matches!(self, Self::Going)
    }

    pub(super) fn is_failed(&self) -> bool {
        matches!(self, Self::Failed(_))
    }
}

pub(super) fn unknown(change: &Change, source: &io::Error) -> Outcome {
    Outcome::Unknown(change.unknown(repeat(source)))
}

/// The same error again: a system's error cannot be cloned.
pub(super) fn repeat(source: &io::Error) -> io::Error {
    source.raw_os_error().map_or_else(
        || io::Error::new(source.kind(), source.to_string()),
        io::Error::from_raw_os_error,
    )
}
