//! The newest rows, as an agent sees them.

use std::io;

use serde::Serialize;

use super::{Mode, ReverseLines, Row};
use crate::digest::Digest;
use crate::disk::File;

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
    pub sha256: Digest,
    /// As [`Row::prev_sha256`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_sha256: Option<Digest>,
    /// As [`Row::bytes`].
    pub bytes: u64,
    /// As [`Row::mode`].
    pub mode: Mode,
    /// As [`Row::caller`].
    pub caller: String,
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
            caller: row.caller,
        }
    }
}

/// Which rows to look at.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only rows of exactly this reported path.
    pub path: Option<String>,
    /// Only rows of this mode.
    pub mode: Option<Mode>,
}

/// The newest rows of a journal.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Tail {
    /// Oldest first.
    pub entries: Vec<Entry>,
    /// How many lines on the way could not be read.
    #[serde(skip_serializing_if = "is_zero")]
    pub damaged_lines: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// Reads the last `n` rows in front of `len` that pass the filter. Costs what the rows cost, not the
/// journal.
pub(crate) fn tail(file: &dyn File, len: u64, n: usize, filter: &Filter) -> io::Result<Tail> {
    let mut tail = Tail::default();
    let mut newest = true;
    for line in ReverseLines::new(file, len) {
        if tail.entries.len() >= n {
            break;
        }
        let line = line?;
        let torn = std::mem::take(&mut newest) && !line.ended;
        match Row::parse(&line.text) {
            Some(row) => {
                if filter.path.as_ref().is_none_or(|path| *path == row.path)
                    && filter.mode.is_none_or(|mode| mode == row.mode)
                {
                    tail.entries.push(row.into());
                }
            }
            // A torn end and an empty line are no damage.
            None if torn || line.text.iter().all(u8::is_ascii_whitespace) => {}
            None => tail.damaged_lines += 1,
        }
    }
    tail.entries.reverse();
    Ok(tail)
}
