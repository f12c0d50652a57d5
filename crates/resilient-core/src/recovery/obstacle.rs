//! Why recovery cannot decide or finish a row. It concerns that row alone.

use std::io;

use crate::error::Error;

/// What stands in the way of a row.
#[derive(Debug)]
pub(super) struct Obstacle {
    /// What it is, for the user.
    pub(super) reason: String,
    /// Whether somebody changes the file at this moment, so that another look may help.
    pub(super) is_passing: bool,
}

impl Obstacle {
    /// Somebody changes the file at this moment.
    pub(super) fn changing() -> Self {
        Self { reason: "the file changes while it is looked at".to_owned(), is_passing: true }
    }

    /// Another process writes the file, and gives its lock back when it is done.
    pub(super) fn locked() -> Self {
        Self { reason: "another process has locked the file".to_owned(), is_passing: false }
    }

    /// The row may be a stranger's, and its file is in another workspace.
    pub(super) fn elsewhere() -> Self {
        let reason =
            "its row does not say where it was written, and its file is in another workspace";
        Self { reason: reason.to_owned(), is_passing: false }
    }

    /// The row may be a stranger's, and one of the names of its file may be outside.
    pub(super) fn several_names() -> Self {
        let reason = "its row does not say where it was written, and its file has several names";
        Self { reason: reason.to_owned(), is_passing: false }
    }

    /// What is to be written is a file outside, too.
    pub(super) fn linked() -> Self {
        let reason = "the index of the scratchpad has another name: put a copy of it in its place";
        Self { reason: reason.to_owned(), is_passing: false }
    }

    /// Something is of a kind that this version does not know.
    pub(super) fn unknown() -> Self {
        Self { reason: "this version cannot judge it".to_owned(), is_passing: false }
    }
}

impl From<io::Error> for Obstacle {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // The file has become shorter since its length was asked for.
            io::ErrorKind::UnexpectedEof | io::ErrorKind::AlreadyExists => Self::changing(),
            _ => Self { reason: error.to_string(), is_passing: false },
        }
    }
}

impl From<Error> for Obstacle {
    fn from(error: Error) -> Self {
        match error {
            Error::Os { source, .. } => source.into(),
            other => Self { reason: other.to_string(), is_passing: false },
        }
    }
}
