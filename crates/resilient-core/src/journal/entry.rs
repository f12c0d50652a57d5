//! The newest rows, as an agent sees them.

use serde::Serialize;

use super::{By, Mode, Row, RowDigest, chunk_session};
use crate::digest::{Digest, DigestPrefix};
use crate::name::without_case;
use crate::omit::is_zero;

/// What an agent sees of a row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// As [`Row::journal_id`].
    pub journal_id: String,
    /// As [`Row::ts`].
    pub ts: String,
    /// As [`Row::path`].
    pub path: String,
    /// As [`Row::abs_path`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abs_path: Option<String>,
    /// As [`Row::sha256`].
    pub sha256: RowDigest,
    /// As [`Row::prev_sha256`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_sha256: Option<Digest>,
    /// As [`Row::bytes`].
    pub bytes: u64,
    /// As [`Row::mode`].
    pub mode: Mode,
    /// As [`Row::composed`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub composed: Option<String>,
    /// As [`Row::caller`].
    pub caller: String,
    /// As [`Row::by`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<By>,
}

impl From<Row> for Entry {
    fn from(row: Row) -> Self {
        Self {
            journal_id: row.journal_id,
            ts: row.ts,
            path: row.path,
            abs_path: row.abs_path,
            sha256: row.sha256,
            prev_sha256: row.prev_sha256,
            bytes: row.bytes,
            mode: row.mode,
            composed: row.composed,
            caller: row.caller,
            by: row.by,
        }
    }
}

/// Which rows to look at.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only rows of exactly this reported path.
    pub path: Option<String>,
    /// And rows of this path, by which older versions reported the file.
    pub old_path: Option<String>,
    /// Of rows that say their absolute path only those of this one.
    pub abs_path: Option<String>,
    /// Whether paths that differ by case alone are one, as on the file system of the file.
    pub any_case: bool,
    /// Only rows of this mode.
    pub mode: Option<Mode>,
    /// Only the row of this identity.
    pub journal_id: Option<String>,
    /// Only rows that left a file with this digest, or with one that begins so.
    pub sha256: Option<DigestPrefix>,
    /// Whether the rows of parts are left out: what they become has a row of its own.
    pub without_parts: bool,
}

impl Filter {
    /// Whether a row is looked for.
    #[must_use]
    pub fn lets_pass(&self, row: &Row) -> bool {
        let mut paths = self.path.iter().chain(&self.old_path).peekable();
        let is_one = |one: &str, other: &str| {
            one == other || (self.any_case && without_case(one) == without_case(other))
        };
        let has_place = match (&self.abs_path, &row.abs_path) {
            (Some(one), Some(other)) => is_one(one, other),
            _ => true,
        };
        has_place
            && !(self.without_parts && chunk_session(&row.path).is_some())
            && (paths.peek().is_none() || paths.any(|path| is_one(path, &row.path)))
            && self.mode.is_none_or(|mode| mode == row.mode)
            && self.journal_id.as_ref().is_none_or(|id| *id == row.journal_id)
            && self.sha256.as_ref().is_none_or(|prefix| {
                row.sha256.digest().is_some_and(|digest| prefix.begins(&digest))
            })
    }
}

/// The newest rows of a journal.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Tail {
    /// Oldest first.
    pub entries: Vec<Entry>,
    /// How many of the passed lines could not be read.
    #[serde(skip_serializing_if = "is_zero")]
    pub damaged_lines: u64,
    /// Where there is no row of a path, and no file: the files that may be meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest_names: Vec<String>,
}
