//! State directories that a killed process of an older version left: 0.4.0, the Python server 0.3.0, and both in turn.
//!
//! The files in `versions/` are what such processes left in `/home/user/w` when they were killed in front of a system
//! call. A line is a JSON object. In its texts each character is a byte.

use std::collections::BTreeMap;
use std::sync::Arc;

use resilient_core::Workspace;
use resilient_core::disk::FixedClock;
use resilient_core::disk::sim::{Fault, FaultKind, Model, SimDisk};
use resilient_core::journal::Filter;
use resilient_core::recovery::Report;
use serde::Deserialize;

use crate::workload::{create, done, large, overwrite};

const ROOT: &str = "home/user/w";
const JOURNAL: &str = ".resilient_write/journal.jsonl";
/// What the file of a long append began with.
const LONG: &str = "LONG+";

/// What a killed process left.
#[derive(Deserialize)]
struct Left {
    name: String,
    files: BTreeMap<String, String>,
}

/// The same of a call of 0.4.0.
#[derive(Deserialize)]
struct Killed {
    #[serde(flatten)]
    left: Left,
    /// The file that the call was for, and what it held and was to hold.
    path: String,
    old: Option<String>,
    new: String,
    /// Whether recovery has to finish the call. Else it has to take it back.
    is_done: bool,
}

fn lines<T: for<'a> Deserialize<'a>>(text: &str) -> Vec<T> {
    text.lines().map(|line| serde_json::from_str(line).expect("a case")).collect()
}

fn killed_calls() -> Vec<Killed> {
    lines(include_str!("versions/killed-0.4.0.jsonl"))
}

fn bytes(text: &str) -> Vec<u8> {
    let byte = |c| u8::try_from(u32::from(c)).expect("a byte");
    match text.strip_prefix(LONG) {
        Some(rest) => [large().into_bytes(), rest.chars().map(byte).collect()].concat(),
        None => text.chars().map(byte).collect(),
    }
}

impl Left {
    fn disk(&self) -> SimDisk {
        let disk = SimDisk::new();
        for (name, text) in &self.files {
            match name.strip_suffix('/') {
                Some(dir) => disk.mkdir(&format!("{ROOT}/{dir}")),
                None => disk.write_file(&format!("{ROOT}/{name}"), &bytes(text)),
            }
        }
        disk.mkdir(&format!("{ROOT}/.resilient_write/tmp"));
        if self.name.contains("links") {
            disk.unlink(&format!("{ROOT}/b.txt"));
            disk.hard_link(&format!("{ROOT}/a.txt"), &format!("{ROOT}/b.txt"));
            // Rows of 0.4.0 do not say where they were written.
            disk.write_file("etc/policy.yaml", b"hard_links: in_place\n");
        }
        disk.kill()
    }

    /// The identities of the rows, in their order.
    fn rows(&self) -> Vec<String> {
        rows(self.files.get(JOURNAL).map_or("", String::as_str).as_bytes())
    }
}

/// The identities of whole rows. Every line has to be one that the Python server can read.
fn rows(journal: &[u8]) -> Vec<String> {
    let id = |line: &[u8]| {
        let row: serde_json::Value = serde_json::from_slice(line).expect("a row");
        row["journal_id"].as_str().expect("an identity").to_owned()
    };
    let whole = journal.strip_suffix(b"\n").unwrap_or(journal);
    whole.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(id).collect()
}

fn open(disk: &SimDisk, seed: u64) -> Workspace {
    let builder = Workspace::builder(format!("/{ROOT}"))
        .disk(Arc::new(disk.clone()))
        .clock(Arc::new(FixedClock::new(1_790_000_000, seed << 32)));
    match disk.read("etc/policy.yaml") {
        Some(_) => builder.policy_file("/etc/policy.yaml").open(),
        None => builder.open(),
    }
}

fn read(disk: &SimDisk, path: &str) -> Option<Vec<u8>> {
    disk.read(&format!("{ROOT}/{path}"))
}

/// All files outside of the state directory.
fn theirs(disk: &SimDisk) -> BTreeMap<String, Vec<u8>> {
    disk.tree().into_iter().filter(|(path, _)| !path.contains("/.resilient_write/")).collect()
}

/// The contents in `conflicts/`.
fn kept(disk: &SimDisk) -> Vec<Vec<u8>> {
    let kept = disk.tree().into_iter().filter(|(path, _)| path.contains("/conflicts/"));
    kept.map(|(_, bytes)| bytes).collect()
}

fn tail(ws: &Workspace) -> Vec<String> {
    let tail = ws.journal_tail(99, &Filter::default()).expect("the journal");
    tail.entries.into_iter().map(|entry| entry.journal_id).collect()
}

/// Whether a disk on which a call of 0.4.0 was recovered is as it should be.
#[track_caller]
fn check(disk: &SimDisk, killed: &Killed, is_done: bool, rows: &[String], place: &str) {
    let Killed { left, path, old, new, .. } = killed;
    let expected = if is_done { Some(bytes(new)) } else { old.as_deref().map(bytes) };
    assert_eq!(read(disk, path), expected, "{place}");
    if left.name.contains("links") {
        assert_eq!(read(disk, "b.txt"), expected, "{place}");
    }
    if left.name.starts_with("compose") {
        let part = read(disk, ".resilient_write/chunks/s/part-001.txt");
        assert_eq!(part.is_none(), is_done, "{place}");
    }
    if left.name.starts_with("scratch") {
        let index = read(disk, ".resilient_write/scratch/index.jsonl").expect("the index");
        let lines = index.iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(lines, 1 + usize::from(is_done), "{place}");
    }
    let ws = open(disk, 70);
    assert_eq!(tail(&ws), rows, "{place}");
    assert_eq!(ws.verify_journal().expect("the journal").breaks, [], "{place}");
    let litter = disk.tree().into_iter().find(|(path, bytes)| {
        path.contains("/tmp/") && !bytes.is_empty() && !path.contains("/tmp/o-")
    });
    assert_eq!(litter, None, "{place}");
}

/// Recovers a disk, also with the power lost at each operation of that, and then writes on.
fn recover(
    begin: impl Fn() -> SimDisk,
    killed: &Killed,
    is_done: bool,
    rows: &[String],
    conflicts: &[Vec<u8>],
) -> Report {
    let name = &killed.left.name;
    let disk = begin();
    let report = open(&disk, 50).recover().expect("recovery");
    assert_eq!((report.pending.len(), report.conflicts.len()), (0, 0), "{name}: {report:?}");
    assert_eq!(kept(&disk), conflicts, "{name}");
    check(&disk, killed, is_done, rows, name);
    for at in 0..disk.ops() {
        let cut = begin();
        cut.plan(Fault { at, kind: FaultKind::PowerCut });
        // It ends where the power goes.
        let _ = open(&cut, 51).recover();
        for lost in cut.crash_states(Model::Strict, 3).iter() {
            let again = open(&lost, 52).recover();
            let place = format!("{name}, at {at}: {again:?}");
            assert!(again.is_ok(), "{place}");
            check(&lost, killed, is_done, rows, &place);
        }
    }
    let ws = open(&disk, 53);
    done(create(&ws, "later.txt", "later\n"));
    if !killed.path.starts_with('.') {
        done(overwrite(&ws, &killed.path, "newer\n"));
    }
    assert_eq!(tail(&ws)[..rows.len()], *rows, "{name}");
    assert_eq!(ws.verify_journal().expect("the journal").breaks, [], "{name}");
    assert_eq!(read(&disk, ".resilient_write/format"), Some(b"2\n".to_vec()), "{name}");
    report
}

#[test]
fn each_kind_of_call_of_0_4_0_that_was_killed_is_finished_or_taken_back() {
    for killed in killed_calls() {
        let mut rows = killed.left.rows();
        let is_in_journal = !killed.left.name.ends_with("before its row");
        if is_in_journal && !killed.is_done {
            rows.pop();
        }
        let report = recover(|| killed.left.disk(), &killed, killed.is_done, &rows, &[]);
        assert_eq!(report.cut, 0, "{}", killed.left.name);
        assert_eq!(report.withdrawn.len(), usize::from(is_in_journal && !killed.is_done));
    }
}

/// The power went, too, before the first wait was over: a part of the row, or of the content, was not written.
#[test]
fn a_call_of_0_4_0_whose_row_or_content_is_torn_is_taken_back() {
    let mut torn = 0;
    for killed in killed_calls() {
        if !killed.left.name.ends_with("before its file") {
            continue;
        }
        let mut rows = killed.left.rows();
        rows.pop();
        let journal = killed.left.files[JOURNAL].trim_end();
        let begin = journal.rfind('\n').map_or(0, |at| at + 1);
        for len in [1, (journal.len() - begin) / 2] {
            let cut = journal[begin..begin + len].to_owned();
            let begin = || {
                let disk = killed.left.disk();
                disk.write_file(&format!("{ROOT}/{JOURNAL}"), &journal.as_bytes()[..begin + len]);
                disk.kill()
            };
            let report = recover(begin, &killed, false, &rows, &[cut.into_bytes()]);
            assert_eq!((report.cut, report.cut_kept), (len as u64, len as u64));
            torn += 1;
        }
        let slots = killed
            .left
            .files
            .iter()
            .filter(|(path, content)| path.contains("/tmp/s-") && !content.is_empty());
        for (slot, content) in slots {
            let begin = || {
                let disk = killed.left.disk();
                let zeros = vec![0; bytes(content).len()];
                disk.write_file(&format!("{ROOT}/{slot}"), &zeros);
                disk.kill()
            };
            let report = recover(begin, &killed, false, &rows, &[]);
            assert_eq!(report.withdrawn.len(), 1, "{}: {report:?}", killed.left.name);
            torn += 1;
        }
    }
    assert!(torn > 15, "{torn}");
}

fn left(name: &str) -> Left {
    let mut all: Vec<Left> = lines(include_str!("versions/killed-python.jsonl"));
    all.retain(|left| left.name == name);
    all.pop().expect("a case")
}

/// A row of the Python server says nothing about how far its call went: no row and no file of it is touched.
#[test]
fn what_a_killed_python_server_left_stays() {
    let row = "{\"bytes\":4,\"caller\":\"resilient-write\",\"journal_id\":\"wj_7703d3466787f001aaec\",\
               \"mode\":\"overwrite\",\"path\":\"a.txt\",\"sha256\":\
               \"27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a\",\
               \"ts\":\"2026-11-26T02:22:10Z\"}\n";
    for (name, behind) in [
        ("Python: before the rename", ""),
        ("Python: before the row", ""),
        // The power went, too, and the rename with it: the row has come without its change.
        ("Python: before the rename", row),
        ("Python: before the row", row),
        ("Python: before the row", &row[..1]),
        ("Python: before the row", &row[..row.len() / 2]),
        // All of it but the end of the line.
        ("Python: before the row", &row[..row.len() - 1]),
        ("both: Python before the rename", ""),
        ("both: Python before the rename", row),
        ("both: Python before the rename", &row[..row.len() / 2]),
    ] {
        let mut left = left(name);
        let mut ids = left.rows();
        let journal = left.files.get_mut(JOURNAL).expect("a journal");
        journal.push_str(behind);
        let is_torn = !behind.is_empty() && behind.len() < row.len() - 1;
        if behind.len() >= row.len() - 1 {
            ids.push("wj_7703d3466787f001aaec".to_owned());
        }
        let disk = left.disk();
        let before = theirs(&disk);
        // A reader recovers a directory in which this server has written, and leaves that of the other one alone.
        let reader = open(&disk, 60);
        assert_eq!(tail(&reader), ids, "{name} {behind}");
        let ws = open(&disk, 61);
        done(create(&ws, "later.txt", "later\n"));
        let cut = reader.take_notices().cut + ws.take_notices().cut;
        assert_eq!(cut, if is_torn { behind.len() as u64 } else { 0 }, "{name} {behind}");
        let torn = is_torn.then(|| behind.as_bytes().to_vec());
        assert_eq!(kept(&disk), torn.into_iter().collect::<Vec<_>>(), "{name} {behind}");
        let mut after = theirs(&disk);
        assert!(after.remove(&format!("{ROOT}/later.txt")).is_some());
        assert_eq!(after, before, "{name} {behind}");
        let now = tail(&ws);
        assert_eq!(now[..now.len() - 1], ids, "{name} {behind}");
        assert_eq!(ws.verify_journal().expect("the journal").breaks, [], "{name} {behind}");
        // The Python server can go on, too.
        rows(&read(&disk, JOURNAL).expect("the journal"));
    }
}

#[test]
fn a_killed_call_of_0_4_0_is_decided_whatever_the_python_server_did_around_it() {
    let kept_content = b"one\ntwo\n".to_vec();
    for (name, content, goes, conflicts) in [
        ("both: 0.4.0 at the end", "one\ntwo\n", false, Vec::new()),
        ("both: Python went on", "one\ntwo\n", false, Vec::new()),
        // It has changed the same file: its content stays, and the other one is kept.
        ("both: Python went on in the same file", "python\n", true, vec![kept_content]),
    ] {
        let left = left(name);
        let mut ids = left.rows();
        if goes {
            ids.remove(2);
        }
        let whole = left.disk();
        open(&whole, 60).recover().expect("recovery");
        for at in 0..=whole.ops() {
            let cut = left.disk();
            cut.plan(Fault { at, kind: FaultKind::PowerCut });
            let _ = open(&cut, 61).recover();
            for lost in cut.crash_states(Model::Strict, 3).iter() {
                let ws = open(&lost, 62);
                let report = ws.recover().expect("recovery");
                assert_eq!(report.pending.len(), 0, "{name}, at {at}: {report:?}");
                assert_eq!(read(&lost, "a.txt"), Some(content.into()), "{name}, at {at}");
                assert_eq!(read(&lost, "p.txt"), Some(b"python\n".to_vec()), "{name}, at {at}");
                assert_eq!(kept(&lost), conflicts, "{name}, at {at}");
                assert_eq!(tail(&ws), ids, "{name}, at {at}");
                assert_eq!(ws.verify_journal().expect("the journal").breaks, [], "{name}");
                done(create(&ws, "later.txt", "later\n"));
            }
        }
    }
}
