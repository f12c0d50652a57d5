//! What the journal tells about the work: rows in, report out.
//!
//! The current journal is read once, from its first row to its last, and no row is kept: the memory that a
//! report takes grows with the number of different paths, sessions and minutes, not of rows. The sums of
//! the closed journals are kept beside them (`sums`).

mod sums;
mod tally;
#[cfg(test)]
mod tests;

use std::io;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::closed::Journals;
use crate::journal::{Mode, each_line};
use crate::omit::is_zero;

/// Which rows and sessions to look at.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// Only rows of this time or later, in nanoseconds since 1970.
    pub since: Option<i128>,
    /// Only this chunk session, in [`Report::sessions`].
    pub session_filter: Option<String>,
}

/// What the journal tells.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// How many rows.
    pub total_writes: u64,
    /// How many different paths.
    pub unique_paths: u64,
    /// Sum of the files' lengths.
    pub total_bytes_written: u64,
    /// Rows by mode.
    pub by_mode: Map<String, Value>,
    /// Rows by caller.
    pub by_caller: Map<String, Value>,
    /// The last fifty rows.
    pub timeline: Vec<Moment>,
    /// The five paths written most often.
    pub hot_paths: Vec<HotPath>,
    /// By chunk session.
    pub sessions: Map<String, Value>,
    /// By checkpoint.
    pub checkpoints: Checkpoints,
    /// How fast.
    pub write_velocity: Velocity,
    /// From when to when.
    pub period: Period,
    /// Lines of the journal that could not be read.
    #[serde(skip_serializing_if = "is_zero")]
    pub damaged_lines: u64,
}

/// One row, in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// When.
    pub ts: String,
    /// Which file.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// How.
    pub mode: Mode,
}

/// A path that is written often.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HotPath {
    /// Which file.
    pub path: String,
    /// How often.
    pub write_count: u64,
    /// Sum of its lengths.
    pub total_bytes: u64,
    /// When last.
    pub last_write: String,
}

/// Checkpoint saves.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Checkpoints {
    /// How many.
    pub total_saves: u64,
    /// How many of them replaced one.
    pub overwrites: u64,
    /// By name.
    pub by_name: Map<String, Value>,
}

/// How fast the work goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Velocity {
    /// Rows per minute between the first and the last.
    pub writes_per_minute: f64,
    /// Mean length.
    pub avg_bytes_per_write: f64,
    /// The minute with most rows, `YYYY-MM-DDTHH:MMZ`.
    pub peak_minute: Option<String>,
}

/// From the first row to the last.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Period {
    /// The first row's time.
    pub first_entry: Option<String>,
    /// The last row's time.
    pub last_entry: Option<String>,
    /// Between them.
    pub duration_seconds: f64,
}

/// Reports on the rows of all journals.
pub(crate) fn report(journals: &Journals, query: &Query) -> io::Result<Report> {
    let mut tally = match query.since {
        None => sums::up_to_current(journals)?,
        Some(_) => sums::of_closed(journals, query.since)?,
    };
    let current = journals.current();
    each_line(current.file(), current.len, |line| tally.see(&line, query.since))?;
    Ok(tally.finish(query))
}
