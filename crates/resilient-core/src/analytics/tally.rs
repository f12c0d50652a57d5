//! The running sums from which a report is made.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Checkpoints, HotPath, Moment, Period, Query, Report, Velocity};
use crate::journal::{Brief, LineOf, Mode, chunk_session, in_state};
use crate::stamp;

/// So many rows are in the timeline.
const TIMELINE: usize = 50;

/// So many paths are hot.
const HOT_PATHS: usize = 5;

/// How many characters of a time tell its minute.
const MINUTE: usize = 16;
/// How many of the newest minutes are kept beside the busiest one when the sums are set aside. A row that
/// comes later, by a clock that was set back by more than that, is not counted to its minute.
const MINUTES: usize = 64;

/// What is known after the rows so far.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Tally {
    damaged_lines: u64,
    rows: u64,
    bytes: u64,
    by_mode: Vec<(Mode, u64)>,
    by_caller: ByKey<u64>,
    by_path: ByKey<Path>,
    /// How many rows a minute has, and the number of its first one.
    by_minute: HashMap<Box<str>, (u64, u64)>,
    sessions: ByKey<Session>,
    checkpoints: ByKey<Checkpoint>,
    overwrites: u64,
    first: Option<String>,
    /// The newest rows.
    timeline: VecDeque<Moment>,
}

#[derive(Default, Serialize, Deserialize)]
struct Path {
    writes: u64,
    bytes: u64,
    last: String,
}

#[derive(Serialize, Deserialize)]
struct Session {
    chunk_writes: u64,
    composes: u64,
    first: String,
    last: String,
}

#[derive(Serialize, Deserialize)]
struct Checkpoint {
    saves: u64,
    bytes: u64,
    first: String,
    last: String,
}

impl Tally {
    /// Counts a line of the journal.
    pub(super) fn see(&mut self, line: &LineOf<'_>, since: Option<i128>) {
        match Brief::parse(line.text, &mut Vec::new()) {
            Some(row) => self.see_row(&row, since),
            None if line.may_be_no_row() => {}
            None => self.damaged_lines = self.damaged_lines.saturating_add(1),
        }
    }

    fn see_row(&mut self, row: &Brief<'_>, since: Option<i128>) {
        let ts = &*row.ts;
        let time = stamp::parse(ts);
        if since.is_some_and(|since| time.is_none_or(|time| time < since)) {
            return;
        }
        if self.first.is_none() {
            self.first = Some(ts.to_owned());
        }
        // The sums may come from a file that anybody could write: no number is trusted.
        self.rows = self.rows.saturating_add(1);
        self.bytes = self.bytes.saturating_add(row.bytes);
        match self.by_mode.iter_mut().find(|(mode, _)| *mode == row.mode) {
            Some((_, writes)) => *writes = writes.saturating_add(1),
            None => self.by_mode.push((row.mode, 1)),
        }
        let client = row.by.as_ref().and_then(|by| by.client.as_deref());
        let caller = client.unwrap_or(&row.caller);
        self.by_caller.see(caller, u64::default, |writes| *writes = writes.saturating_add(1));
        self.by_path.see(&row.path, Path::default, |path| {
            path.writes = path.writes.saturating_add(1);
            path.bytes = path.bytes.saturating_add(row.bytes);
            set(&mut path.last, ts);
        });
        if let (Some(minute), Some(_)) = (ts.get(..MINUTE), time) {
            match self.by_minute.get_mut(minute) {
                Some((writes, _)) => *writes = writes.saturating_add(1),
                None => drop(self.by_minute.insert(minute.into(), (1, self.rows))),
            }
        }
        self.see_moment(row);
        self.see_session(row);
        self.see_checkpoint(row);
    }

    fn see_moment(&mut self, row: &Brief<'_>) {
        // The oldest one gives its room to the newest.
        let oldest = if self.timeline.len() < TIMELINE { None } else { self.timeline.pop_front() };
        let (mut ts, mut path) = oldest.map(|moment| (moment.ts, moment.path)).unwrap_or_default();
        set(&mut ts, &row.ts);
        set(&mut path, &row.path);
        self.timeline.push_back(Moment { ts, path, bytes: row.bytes, mode: row.mode });
    }

    /// A session is what parts were written to, or what a file was composed of.
    fn see_session(&mut self, row: &Brief<'_>) {
        let composed = row.composed.as_deref();
        let Some(name) = composed.or_else(|| chunk_session(&row.path)) else { return };
        let new = || Session {
            chunk_writes: 0,
            composes: 0,
            first: row.ts.clone().into_owned(),
            last: String::new(),
        };
        self.sessions.see(name, new, |session| {
            // It lasts from its first part to its last.
            if composed.is_none() || session.chunk_writes + session.composes == 0 {
                set(&mut session.last, &row.ts);
            }
            let count = match composed {
                Some(_) => &mut session.composes,
                None => &mut session.chunk_writes,
            };
            *count = count.saturating_add(1);
        });
    }

    fn see_checkpoint(&mut self, row: &Brief<'_>) {
        let file = in_state(&row.path).and_then(|file| file.strip_prefix("checkpoints/"));
        let Some(name) = file.and_then(|file| file.strip_suffix(".json")) else { return };
        self.overwrites = self.overwrites.saturating_add(u64::from(row.mode == Mode::Overwrite));
        let first = || row.ts.clone().into_owned();
        let new = || Checkpoint { saves: 0, bytes: 0, first: first(), last: String::new() };
        self.checkpoints.see(name, new, |checkpoint| {
            checkpoint.saves = checkpoint.saves.saturating_add(1);
            checkpoint.bytes = checkpoint.bytes.saturating_add(row.bytes);
            set(&mut checkpoint.last, &row.ts);
        });
    }

    /// The busiest minute; of equals the first one.
    fn peak(&self) -> Option<Box<str>> {
        let busiest = self.by_minute.iter();
        let busiest = busiest.max_by_key(|(_, (writes, first))| (*writes, Reverse(*first)));
        busiest.map(|(minute, _)| minute.clone())
    }

    /// Forgets the minutes that can hardly matter any more.
    pub(super) fn forget_minutes(&mut self) {
        let Some(peak) = self.peak() else { return };
        let mut firsts: Vec<u64> = self.by_minute.values().map(|(_, first)| *first).collect();
        firsts.sort_unstable_by_key(|first| Reverse(*first));
        let oldest = firsts.get(MINUTES - 1).copied().unwrap_or_default();
        self.by_minute.retain(|minute, (_, first)| *first >= oldest || *minute == peak);
    }

    /// Makes the report.
    pub(super) fn finish(mut self, query: &Query) -> Report {
        let peak = self.peak();
        if let Some(only) = &query.session_filter {
            self.sessions.items.retain(|name, _| **name == **only);
        }
        let last_entry = self.timeline.back().map(|moment| moment.ts.clone());
        let duration_seconds = seconds_between(self.first.as_deref(), last_entry.as_deref());
        let minutes = duration_seconds / 60.0;
        Report {
            total_writes: self.rows,
            unique_paths: self.by_path.items.len() as u64,
            total_bytes_written: self.bytes,
            by_mode: self
                .by_mode
                .iter()
                .map(|(mode, writes)| (mode.as_str().to_owned(), (*writes).into()))
                .collect(),
            by_caller: self.by_caller.into_json(Value::from),
            hot_paths: self.by_path.into_hot_paths(),
            sessions: self.sessions.into_json(Session::into_json),
            checkpoints: Checkpoints {
                total_saves: self
                    .checkpoints
                    .items
                    .values()
                    .map(|(_, checkpoint)| checkpoint.saves)
                    .fold(0, u64::saturating_add),
                overwrites: self.overwrites,
                by_name: self.checkpoints.into_json(Checkpoint::into_json),
            },
            write_velocity: Velocity {
                writes_per_minute: if minutes > 0.0 { self.rows as f64 / minutes } else { 0.0 },
                avg_bytes_per_write: match self.rows {
                    0 => 0.0,
                    rows => self.bytes as f64 / rows as f64,
                },
                peak_minute: peak.map(|minute| format!("{minute}Z")),
            },
            period: Period { first_entry: self.first, last_entry, duration_seconds },
            timeline: self.timeline.into(),
            damaged_lines: self.damaged_lines,
        }
    }
}

/// Values by key, with the order in which the keys were first seen.
#[derive(Serialize, Deserialize)]
struct ByKey<T> {
    items: HashMap<Box<str>, (usize, T)>,
}

impl<T> Default for ByKey<T> {
    fn default() -> Self {
        Self { items: HashMap::new() }
    }
}

impl<T> ByKey<T> {
    fn see(&mut self, key: &str, new: impl FnOnce() -> T, update: impl FnOnce(&mut T)) {
        if let Some((_, value)) = self.items.get_mut(key) {
            return update(value);
        }
        let mut value = new();
        update(&mut value);
        self.items.insert(key.into(), (self.items.len(), value));
    }

    /// The values as JSON, in order.
    fn into_json(self, json: impl Fn(T) -> Value) -> Map<String, Value> {
        let mut items: Vec<_> = self.items.into_iter().collect();
        items.sort_unstable_by_key(|(_, (place, _))| *place);
        items.into_iter().map(|(key, (_, value))| (key.into(), json(value))).collect()
    }
}

impl ByKey<Path> {
    /// The paths written most often; of equals the first seen comes first.
    fn into_hot_paths(self) -> Vec<HotPath> {
        let mut hot: Vec<_> = self.items.into_iter().collect();
        hot.sort_unstable_by_key(|(_, (place, path))| (Reverse(path.writes), *place));
        hot.truncate(HOT_PATHS);
        hot.into_iter()
            .map(|(path, (_, Path { writes, bytes, last }))| HotPath {
                path: path.into(),
                write_count: writes,
                total_bytes: bytes,
                last_write: last,
            })
            .collect()
    }
}

impl Session {
    fn into_json(self) -> Value {
        json!({
            "chunk_writes": self.chunk_writes,
            "composes": self.composes,
            "first_write": self.first,
            "last_write": self.last,
            "duration_seconds": seconds_between(Some(&self.first), Some(&self.last)),
        })
    }
}

impl Checkpoint {
    fn into_json(self) -> Value {
        json!({
            "saves": self.saves,
            "total_bytes": self.bytes,
            "first_write": self.first,
            "last_write": self.last,
        })
    }
}

/// Sets a text without taking new room for it.
fn set(text: &mut String, to: &str) {
    text.clear();
    text.push_str(to);
}

fn seconds_between(first: Option<&str>, last: Option<&str>) -> f64 {
    let span = (|| stamp::parse(last?)?.checked_sub(stamp::parse(first?)?))();
    span.unwrap_or_default() as f64 / 1e9
}
