//! The running sums from which a report is made.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};

use serde_json::{Map, Value, json};

use super::{Checkpoints, HotPath, Moment, Period, Query, Report, Velocity};
use crate::journal::{Brief, LineOf, Mode};
use crate::stamp;

/// So many rows are in the timeline.
const TIMELINE: usize = 50;

/// So many paths are hot.
const HOT_PATHS: usize = 5;

/// The first characters of a time, down to its minute.
type Minute = [u8; 16];

/// What is known after the rows so far.
pub(super) struct Tally<'a> {
    query: &'a Query,
    damaged_lines: u64,
    rows: u64,
    bytes: u64,
    by_mode: Vec<(Mode, u64)>,
    by_caller: ByKey<u64>,
    by_path: ByKey<Path>,
    /// How many rows a minute has, and the number of its first one.
    by_minute: HashMap<Minute, (u64, u64)>,
    sessions: ByKey<Session>,
    /// Rows that are no part of a session.
    others: u64,
    checkpoints: ByKey<Checkpoint>,
    overwrites: u64,
    first: Option<String>,
    /// The newest rows.
    timeline: VecDeque<Moment>,
}

#[derive(Default)]
struct Path {
    writes: u64,
    bytes: u64,
    last: String,
}

struct Session {
    chunk_writes: u64,
    /// How many rows of another kind were in front of the first part.
    others_before: u64,
    first: String,
    last: String,
}

struct Checkpoint {
    saves: u64,
    bytes: u64,
    first: String,
    last: String,
}

impl<'a> Tally<'a> {
    pub(super) fn new(query: &'a Query) -> Self {
        Self {
            query,
            damaged_lines: 0,
            rows: 0,
            bytes: 0,
            by_mode: Vec::new(),
            by_caller: ByKey::default(),
            by_path: ByKey::default(),
            by_minute: HashMap::new(),
            sessions: ByKey::default(),
            others: 0,
            checkpoints: ByKey::default(),
            overwrites: 0,
            first: None,
            timeline: VecDeque::with_capacity(TIMELINE),
        }
    }

    /// Counts a line of the journal.
    pub(super) fn see(&mut self, line: &LineOf<'_>) {
        match Brief::parse(line.text) {
            Some(row) => self.see_row(&row),
            None if line.may_be_no_row() => {}
            None => self.damaged_lines += 1,
        }
    }

    fn see_row(&mut self, row: &Brief<'_>) {
        let ts = &*row.ts;
        let time = stamp::parse(ts);
        if self.query.since.is_some_and(|since| time.is_none_or(|time| time < since)) {
            return;
        }
        if self.first.is_none() {
            self.first = Some(ts.to_owned());
        }
        self.rows += 1;
        self.bytes = self.bytes.saturating_add(row.bytes);
        match self.by_mode.iter_mut().find(|(mode, _)| *mode == row.mode) {
            Some((_, writes)) => *writes += 1,
            None => self.by_mode.push((row.mode, 1)),
        }
        self.by_caller.see(&row.caller, u64::default, |writes| *writes += 1);
        self.by_path.see(&row.path, Path::default, |path| {
            path.writes += 1;
            path.bytes = path.bytes.saturating_add(row.bytes);
            set(&mut path.last, ts);
        });
        let minute = ts.get(..16).and_then(|minute| Minute::try_from(minute.as_bytes()).ok());
        if let (Some(minute), Some(_)) = (minute, time) {
            self.by_minute.entry(minute).or_insert((0, self.rows)).0 += 1;
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

    fn see_session(&mut self, row: &Brief<'_>) {
        let Some(name) = chunk_session(&row.path) else {
            self.others += 1;
            return;
        };
        if self.query.session_filter.as_ref().is_some_and(|only| only != name) {
            return;
        }
        let new = || Session {
            chunk_writes: 0,
            others_before: self.others,
            first: row.ts.clone().into_owned(),
            last: String::new(),
        };
        self.sessions.see(name, new, |session| {
            session.chunk_writes += 1;
            set(&mut session.last, &row.ts);
        });
    }

    fn see_checkpoint(&mut self, row: &Brief<'_>) {
        let file = row.path.strip_prefix(".resilient_write/checkpoints/");
        let Some(name) = file.and_then(|file| file.strip_suffix(".json")) else { return };
        self.overwrites += u64::from(row.mode == Mode::Overwrite);
        let first = || row.ts.clone().into_owned();
        let new = || Checkpoint { saves: 0, bytes: 0, first: first(), last: String::new() };
        self.checkpoints.see(name, new, |checkpoint| {
            checkpoint.saves += 1;
            checkpoint.bytes = checkpoint.bytes.saturating_add(row.bytes);
            set(&mut checkpoint.last, &row.ts);
        });
    }

    /// Makes the report.
    pub(super) fn finish(self) -> Report {
        let peak =
            self.by_minute.iter().max_by_key(|(_, (writes, first))| (*writes, Reverse(*first)));
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
            sessions: self.sessions.into_json(|session| session.into_json(self.others)),
            checkpoints: Checkpoints {
                total_saves: self
                    .checkpoints
                    .items
                    .values()
                    .map(|(_, checkpoint)| checkpoint.saves)
                    .sum(),
                overwrites: self.overwrites,
                by_name: self.checkpoints.into_json(Checkpoint::into_json),
            },
            write_velocity: Velocity {
                writes_per_minute: if minutes > 0.0 { self.rows as f64 / minutes } else { 0.0 },
                avg_bytes_per_write: match self.rows {
                    0 => 0.0,
                    rows => self.bytes as f64 / rows as f64,
                },
                peak_minute: peak
                    .map(|(minute, _)| format!("{}Z", String::from_utf8_lossy(minute))),
            },
            period: Period { first_entry: self.first, last_entry, duration_seconds },
            timeline: self.timeline.into(),
            damaged_lines: self.damaged_lines,
        }
    }
}

/// Values by key, with the order in which the keys were first seen.
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
    fn into_json(self, others: u64) -> Value {
        // As the reference counts: a later row of any file may be the composing of any session.
        let composes = others - self.others_before;
        json!({
            "chunk_writes": self.chunk_writes,
            "composes": composes,
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

fn chunk_session(path: &str) -> Option<&str> {
    let (name, file) = path.strip_prefix(".resilient_write/chunks/")?.split_once('/')?;
    let digits = file.strip_prefix("part-")?.strip_suffix(".txt")?;
    (digits.len() == 3 && digits.bytes().all(|c| c.is_ascii_digit())).then_some(name)
}

fn seconds_between(first: Option<&str>, last: Option<&str>) -> f64 {
    let span = (|| stamp::parse(last?)?.checked_sub(stamp::parse(first?)?))();
    span.unwrap_or_default() as f64 / 1e9
}
