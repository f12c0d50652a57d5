//! What the journal tells about the work: rows in, report out.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::journal::{Mode, Row};
use crate::stamp;

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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// One row, in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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

struct Session<'a> {
    chunk_writes: u64,
    /// How many rows of another kind were in front of the first part.
    others_before: u64,
    first: &'a Row,
    last: &'a Row,
}

/// Reports on the rows of a journal, given as its text.
#[must_use]
pub fn report(journal: &[u8], query: &Query) -> Report {
    let mut report = Report::default();
    let mut rows = Vec::new();
    let mut lines = journal.split(|byte| *byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        let torn = lines.peek().is_none();
        match Row::parse(line) {
            Some(row) => rows.push(row),
            None if torn || line.iter().all(u8::is_ascii_whitespace) => {}
            None => report.damaged_lines += 1,
        }
    }
    if let Some(since) = query.since {
        rows.retain(|row| stamp::parse(&row.ts).is_some_and(|ts| ts >= since));
    }

    report.total_writes = rows.len() as u64;
    report.total_bytes_written = rows.iter().map(|row| row.bytes).fold(0, u64::saturating_add);
    let mut by_path: Counted<HotPath> = Counted::default();
    let mut by_minute: Counted<u64> = Counted::default();
    let mut sessions: Counted<Session> = Counted::default();
    let mut others = 0;
    for row in &rows {
        count(&mut report.by_mode, mode_name(row.mode));
        count(&mut report.by_caller, &row.caller);
        let path = by_path.entry(&row.path, || HotPath {
            path: row.path.clone(),
            write_count: 0,
            total_bytes: 0,
            last_write: String::new(),
        });
        path.write_count += 1;
        path.total_bytes = path.total_bytes.saturating_add(row.bytes);
        path.last_write.clone_from(&row.ts);
        if let (Some(minute), Some(_)) = (row.ts.get(..16), stamp::parse(&row.ts)) {
            *by_minute.entry(&format!("{minute}Z"), u64::default) += 1;
        }
        match chunk_session(&row.path) {
            Some(name) => {
                let session = sessions.entry(name, || Session {
                    chunk_writes: 0,
                    others_before: others,
                    first: row,
                    last: row,
                });
                session.chunk_writes += 1;
                session.last = row;
            }
            None => others += 1,
        }
        see_checkpoint(&mut report.checkpoints, row);
    }
    report.unique_paths = by_path.items.len() as u64;
    report.timeline = rows
        .iter()
        .skip(rows.len().saturating_sub(50))
        .map(|row| Moment {
            ts: row.ts.clone(),
            path: row.path.clone(),
            bytes: row.bytes,
            mode: row.mode,
        })
        .collect();
    let mut hot: Vec<HotPath> = by_path.items.into_iter().map(|(_, path)| path).collect();
    // The sort is stable: of equals the first seen comes first.
    hot.sort_by_key(|path| std::cmp::Reverse(path.write_count));
    hot.truncate(5);
    report.hot_paths = hot;
    for (name, session) in sessions.items {
        if query.session_filter.as_ref().is_none_or(|only| *only == name) {
            report.sessions.insert(name, session.to_json(others));
        }
    }
    report.period = period(&rows);
    let peak = by_minute.items.into_iter().rev().max_by_key(|(_, writes)| *writes);
    let minutes = report.period.duration_seconds / 60.0;
    report.write_velocity = Velocity {
        writes_per_minute: if minutes > 0.0 { rows.len() as f64 / minutes } else { 0.0 },
        avg_bytes_per_write: match rows.len() {
            0 => 0.0,
            n => report.total_bytes_written as f64 / n as f64,
        },
        peak_minute: peak.map(|(minute, _)| minute),
    };
    report
}

/// Values by key, in the order in which the keys were first seen.
struct Counted<T> {
    places: HashMap<String, usize>,
    items: Vec<(String, T)>,
}

impl<T> Default for Counted<T> {
    fn default() -> Self {
        Self { places: HashMap::new(), items: Vec::new() }
    }
}

impl<T> Counted<T> {
    fn entry(&mut self, key: &str, new: impl FnOnce() -> T) -> &mut T {
        let place = match self.places.get(key) {
            Some(place) => *place,
            None => {
                self.places.insert(key.to_owned(), self.items.len());
                self.items.push((key.to_owned(), new()));
                self.items.len() - 1
            }
        };
        #[expect(clippy::indexing_slicing, reason = "places only holds places of items")]
        &mut self.items[place].1
    }
}

impl Session<'_> {
    fn to_json(&self, others: u64) -> Value {
        // As the reference counts: a later row of any file may be the composing of any session.
        let composes = others - self.others_before;
        json!({
            "chunk_writes": self.chunk_writes,
            "composes": composes,
            "first_write": self.first.ts,
            "last_write": self.last.ts,
            "duration_seconds": seconds_between(Some(&self.first.ts), Some(&self.last.ts)),
        })
    }
}

fn see_checkpoint(checkpoints: &mut Checkpoints, row: &Row) {
    let Some(name) = row
        .path
        .strip_prefix(".resilient_write/checkpoints/")
        .and_then(|file| file.strip_suffix(".json"))
    else {
        return;
    };
    checkpoints.total_saves += 1;
    checkpoints.overwrites += u64::from(row.mode == Mode::Overwrite);
    let entry = checkpoints.by_name.entry(name).or_insert_with(
        || json!({"saves": 0, "total_bytes": 0, "first_write": row.ts, "last_write": row.ts}),
    );
    let number = |key| entry.get(key).and_then(Value::as_u64).unwrap_or_default();
    let (saves, total) = (number("saves") + 1, number("total_bytes").saturating_add(row.bytes));
    if let Value::Object(fields) = entry {
        fields.insert("saves".to_owned(), saves.into());
        fields.insert("total_bytes".to_owned(), total.into());
        fields.insert("last_write".to_owned(), row.ts.clone().into());
    }
}

fn chunk_session(path: &str) -> Option<&str> {
    let (name, file) = path.strip_prefix(".resilient_write/chunks/")?.split_once('/')?;
    let digits = file.strip_prefix("part-")?.strip_suffix(".txt")?;
    (digits.len() == 3 && digits.bytes().all(|c| c.is_ascii_digit())).then_some(name)
}

fn period(rows: &[Row]) -> Period {
    let first_entry = rows.first().map(|row| row.ts.clone());
    let last_entry = rows.last().map(|row| row.ts.clone());
    let duration_seconds = seconds_between(first_entry.as_deref(), last_entry.as_deref());
    Period { first_entry, last_entry, duration_seconds }
}

fn seconds_between(first: Option<&str>, last: Option<&str>) -> f64 {
    let span = (|| stamp::parse(last?)?.checked_sub(stamp::parse(first?)?))();
    span.unwrap_or_default() as f64 / 1e9
}

fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Create => "create",
        Mode::Overwrite => "overwrite",
        Mode::Append => "append",
        Mode::Replace => "replace",
    }
}

fn count(map: &mut Map<String, Value>, key: &str) {
    let n = map.get(key).and_then(Value::as_u64).unwrap_or_default();
    map.insert(key.to_owned(), (n + 1).into());
}
