//! The report on a stream of rows is the one on all rows at once.

use std::collections::HashMap;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::digest::Digest;
use crate::disk::{Disk as _, RealDisk};
use crate::journal::Row;
use crate::stamp;

fn any_of(texts: &[&'static str]) -> impl Strategy<Value = &'static str> + use<> {
    prop::sample::select(texts.to_vec())
}

/// Values of the fields that a report reads.
fn values() -> impl Strategy<Value = (&'static str, &'static str, &'static str, &'static str, u64)>
{
    let ts = any_of(&[
        "2026-04-01T12:00:00Z",
        "2026-04-01T12:00:59Z",
        "2026-04-01T12:00:60Z",
        "2026-04-01T12:01:07Z",
        "2026-04-01T12:01:61Z",
        "2026-04-01T12:61:00Z",
        "2026-04-01T12:01:0/Z",
        "2026-04-01T14:01:30+02:00",
        "2026-04-01T12:02:00.5Z",
        " 2026-04-01T12:02:00Z",
        "2026-13-01T12:00:00Z",
        "2026-04-01T12:00é00Z",
        "some day",
        "",
    ]);
    let path = any_of(&[
        "a",
        "src/b.rs",
        "with \"quotes\" and \\",
        "é\u{1}\n",
        ".resilient_write/chunks/s/part-001.txt",
        ".resilient_write/chunks/s/part-002.txt",
        ".resilient_write/chunks/t/part-001.txt",
        ".resilient_write/chunks/t/manifest.json",
        "sub/.resilient_write/chunks/t/part-001.txt",
        "sub.resilient_write/chunks/t/part-001.txt",
        "sub/.resilient_write/checkpoints/c.json",
        ".resilient_write/checkpoints/c.json",
        ".resilient_write/checkpoints/d.json",
    ]);
    let mode = any_of(&["create", "overwrite", "append", "replace", "other"]);
    let caller = any_of(&["resilient-write", "x", "\u{7f}\t"]);
    (ts, path, mode, caller, prop_oneof![0..9_u64, Just(u64::MAX)])
}

/// A line of a journal: a row of ours or of the Python server, or what damage makes of one.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let more = any_of(&[
        "",
        "",
        "",
        r#""abs_path":"/a","batch":1,"chain":"00","seq":1,"staged":"s""#,
        r#""abs_path":null,"also":[],"gone":[],"line":null,"undo":"u","at":1"#,
        r#""also":[{"abs_path":"/b","sha256":"x","staged":"s"}]"#,
        r#""sectors":"00112233","unknown":{"bytes":[1,"}"]}"#,
        r#""bytes":1"#,
        r#""seq":-1"#,
        r#""staged":7"#,
        r#""prev_sha256":"ABC""#,
        r#""sha256":"aaa""#,
        r#""sha256":7"#,
        r#""composed":"s""#,
        r#""composed":"u""#,
        r#""by":{"client":"editor 1"}"#,
    ]);
    let damage = prop_oneof![
        12 => Just(None),
        2 => (any::<prop::sample::Index>(), any::<u8>()).prop_map(Some),
    ];
    let row = (values(), more, damage, any::<bool>(), any::<bool>()).prop_map(
        |((ts, path, mode, caller, bytes), more, damage, sorted, cut)| {
            let mut row = json!({
                "bytes": bytes, "caller": caller, "journal_id": "wj_0", "mode": mode,
                "path": path, "sha256": Digest::of(b"a").to_string(), "ts": ts,
            });
            let fields = serde_json::from_str::<Value>(&format!("{{{more}}}")).unwrap();
            for (key, value) in fields.as_object().unwrap() {
                row[key] = value.clone();
            }
            if sorted {
                row.sort_all_objects();
            }
            let mut line = row.to_string().into_bytes();
            if let Some((at, byte)) = damage {
                let at = at.index(line.len());
                line[at] = byte;
                if cut {
                    line.truncate(at);
                }
            }
            line
        },
    );
    prop_oneof![
        20 => row,
        1 => any_of(&["", "  ", "\r", "[]", "{}", "nonsense", "\0\0"]).prop_map(Vec::from),
    ]
}

proptest! {
    #[test]
    fn a_stream_gives_the_report_of_all_rows(
        lines in prop::collection::vec(line(), 0..90),
        ended in any::<bool>(),
        since in prop::option::of(any_of(&["2026-04-01T12:00:30Z", "2026-04-01T12:01:30Z"])),
        session in prop::option::of(any_of(&["s", "x"])),
        closed in prop::collection::vec(0..90_usize, 0..3),
    ) {
        let mut journal = lines.join(&b'\n');
        if ended {
            journal.push(b'\n');
        }
        let query = Query {
            since: since.and_then(stamp::parse),
            session_filter: session.map(str::to_owned),
        };
        // As text, where the order of the fields counts.
        let all = serde_json::to_string(&report_of_all(&journal, &query)).unwrap();
        let state = State::of(&journal, closed);
        for time in ["first", "second, from the sums that the first one has kept"] {
            let streamed = report(&state.journals(), &query).unwrap();
            prop_assert_eq!(&serde_json::to_string(&streamed).unwrap(), &all, "{}", time);
        }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test damages what is kept")]
fn damaged_sums_are_made_anew_and_not_trusted() {
    let row = |bytes: u64| {
        let sha256 = Digest::of(&bytes.to_le_bytes());
        format!(
            "{{\"bytes\":{bytes},\"caller\":\"x\",\"journal_id\":\"wj_{bytes}\",\"mode\":\"create\",\
             \"path\":\"{bytes}.txt\",\"sha256\":\"{sha256}\",\"ts\":\"2026-11-21T10:00:00Z\"}}\n"
        )
    };
    let state = State::of((1..9).map(row).collect::<String>().as_bytes(), vec![6]);
    let path = state.0.path().join("journal/000001.sum");
    let reported =
        || serde_json::to_string(&report(&state.journals(), &Query::default()).unwrap()).unwrap();
    let all = reported();
    let sound = std::fs::read(&path).unwrap();
    for at in 0..sound.len() {
        let mut bytes = sound.clone();
        bytes[at] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(reported(), all, "byte {at} of {}", String::from_utf8_lossy(&sound));
    }
    assert_eq!(reported(), all);
    // The order of the fields of a map is none.
    assert_eq!(std::fs::read(&path).unwrap().len(), sound.len());
}

/// A state directory.
struct State(tempfile::TempDir);

#[expect(clippy::disallowed_methods, reason = "a test prepares the disk as others do")]
impl State {
    /// One whose journal was closed behind these lines.
    fn of(journal: &[u8], mut closed: Vec<usize>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("journal")).unwrap();
        closed.sort_unstable();
        let lines: Vec<&[u8]> = journal.split_inclusive(|byte| *byte == b'\n').collect();
        let mut begin = 0;
        for (number, end) in closed.into_iter().enumerate() {
            // The last line may have no end: it is in the current journal.
            let end = end.min(lines.len().saturating_sub(1)).max(begin);
            let path = dir.path().join(format!("journal/{:06}.jsonl", number + 1));
            std::fs::write(path, lines[begin..end].concat()).unwrap();
            begin = end;
        }
        // These rows have no identity of chance: an empty line tells the current journal from a copy.
        let current = [b"\n", &*lines[begin..].concat()].concat();
        std::fs::write(dir.path().join("journal.jsonl"), current).unwrap();
        Self(dir)
    }

    fn journals(&self) -> Journals {
        let state = RealDisk.open_root(self.0.path()).unwrap();
        let current = state.open("journal.jsonl".as_ref()).unwrap();
        let len = current.stat().unwrap().len;
        Journals::behind(Some(&*state), current.into(), len).unwrap()
    }
}

struct Session<'a> {
    chunk_writes: u64,
    composes: u64,
    first: &'a Row,
    last: &'a Row,
}

/// The report as it is defined: of all rows at once.
fn report_of_all(journal: &[u8], query: &Query) -> Report {
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
    for row in &rows {
        count(&mut report.by_mode, row.mode.as_str());
        let client = row.by.as_ref().and_then(|by| by.client.as_ref());
        count(&mut report.by_caller, client.unwrap_or(&row.caller));
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
        if let Some(name) = row.composed.as_deref().or_else(|| chunk_session(&row.path)) {
            let new = || Session { chunk_writes: 0, composes: 0, first: row, last: row };
            let session = sessions.entry(name, new);
            match &row.composed {
                Some(_) => session.composes += 1,
                None => {
                    session.chunk_writes += 1;
                    session.last = row;
                }
            }
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
            report.sessions.insert(name, session.to_json());
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
        &mut self.items[place].1
    }
}

impl Session<'_> {
    fn to_json(&self) -> Value {
        json!({
            "chunk_writes": self.chunk_writes,
            "composes": self.composes,
            "first_write": self.first.ts,
            "last_write": self.last.ts,
            "duration_seconds": seconds_between(Some(&self.first.ts), Some(&self.last.ts)),
        })
    }
}

fn see_checkpoint(checkpoints: &mut Checkpoints, row: &Row) {
    let Some(name) = in_state(&row.path)
        .and_then(|file| file.strip_prefix("checkpoints/"))
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

fn in_state(path: &str) -> Option<&str> {
    let at = path.rfind(".resilient_write/")?;
    let is_dir = at == 0 || path[..at].ends_with('/');
    is_dir.then(|| &path[at + ".resilient_write/".len()..])
}

fn chunk_session(path: &str) -> Option<&str> {
    let (name, file) = in_state(path)?.strip_prefix("chunks/")?.split_once('/')?;
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

fn count(map: &mut Map<String, Value>, key: &str) {
    let n = map.get(key).and_then(Value::as_u64).unwrap_or_default();
    map.insert(key.to_owned(), (n + 1).into());
}
