//! Calls that add lines to one log: they share a batch like others do.

use resilient_core::disk::sim::{Fault, FaultKind, Model, SimDisk};
use resilient_core::{Error, Workspace};

use crate::campaign::{is_publish, recover};
use crate::workload::{Answer, Order, create, done, keep, open, remove, together, unlabel};

/// Makes that many calls at once; how many syncs they took.
fn syncs(count: usize, call: fn(&Workspace, usize) -> Answer) -> (u64, SimDisk) {
    let disk = SimDisk::new();
    disk.mkdir("w");
    let ws = open(&disk, 1, Order::Forwards);
    done(create(&ws, "warm.txt", "warm\n"));
    done(keep(&ws, "warm", "warm"));
    let begin = disk.syncs();
    let held = ws.hold();
    std::thread::scope(|scope| {
        let mut calls = Vec::new();
        for number in 0..count {
            let ws = &ws;
            calls.push(scope.spawn(move || call(ws, number)));
            while held.waiting() <= number {
                std::thread::yield_now();
            }
        }
        drop(held);
        calls.into_iter().for_each(|call| done(call.join().expect("an answer")));
    });
    (disk.syncs() - begin, disk)
}

#[test]
fn puts_cost_what_writes_cost() {
    for count in [1, 64, 256] {
        let (writes, _) = syncs(count, |ws, at| create(ws, &format!("{at}.txt"), &at.to_string()));
        let (puts, disk) = syncs(count, |ws, at| keep(ws, &at.to_string(), &at.to_string()));
        // The index, in each of at most a few batches.
        let batches = count as u64 / 16 + 1;
        assert!(puts <= writes + 3 * batches, "{count}: {puts} syncs, {writes} for writes");
        let index = disk.read("w/.resilient_write/scratch/index.jsonl").expect("the index");
        let lines: Vec<&[u8]> = index.split_inclusive(|byte| *byte == b'\n').collect();
        assert_eq!(lines.len(), count + 1);
        for line in lines {
            serde_json::from_slice::<serde_json::Value>(line).expect("a whole line");
        }
    }
}

#[test]
fn the_same_content_put_many_times_at_once_is_kept_once() {
    let (_, disk) = syncs(8, |ws, at| keep(ws, "the same", &at.to_string()));
    let kept = disk.tree().into_keys().filter(|path| path.ends_with(".bin")).count();
    assert_eq!(kept, 2, "with the first one");
    let index = disk.read("w/.resilient_write/scratch/index.jsonl").expect("the index");
    assert_eq!(index.iter().filter(|byte| **byte == b'\n').count(), 9);
}

#[test]
fn a_put_that_fails_leaves_no_hole_for_those_behind_it() {
    // Each rename of a batch of puts is refused in turn.
    for refused in 0..3 {
        let (_, disk, begin) = three_puts(None);
        let trace = disk.trace();
        let renames: Vec<u64> =
            (begin..disk.ops()).filter(|at| is_publish(&trace[*at as usize])).collect();
        let kind = FaultKind::Io { errno: 5, sticky: false };
        let (answers, disk, _) = three_puts(Some(Fault { at: renames[refused], kind }));
        let failed = answers.iter().filter(|answer| !answer.is_done()).count();
        assert_eq!(failed, 1, "{answers:?}");
        assert!(matches!(answers[refused].error(), Some(Error::Os { .. })), "{answers:?}");
        let index = disk.read("w/.resilient_write/scratch/index.jsonl").expect("the index");
        let lines: Vec<&[u8]> = index.split_inclusive(|byte| *byte == b'\n').collect();
        assert_eq!(lines.len(), 3);
        for line in lines {
            serde_json::from_slice::<serde_json::Value>(line).expect("a whole line");
        }
    }
}

const THREE: [fn(&Workspace) -> Answer; 3] =
    [|ws| keep(ws, "one", "1"), |ws| keep(ws, "two", "2"), |ws| keep(ws, "three", "3")];

/// A disk on which three puts were made in one batch, with that fault; where they began.
fn three_puts(fault: Option<Fault>) -> (Vec<Answer>, SimDisk, u64) {
    let disk = SimDisk::new();
    disk.mkdir("w");
    let ws = open(&disk, 1, Order::Forwards);
    done(keep(&ws, "warm", "0"));
    let begin = disk.ops();
    fault.iter().for_each(|fault| disk.plan(*fault));
    (together(&ws, &THREE), disk, begin)
}

/// The lines of a file, each of them JSON.
fn json_lines(disk: &SimDisk, path: &str, told: &str) -> Vec<serde_json::Value> {
    let text = disk.read(path).unwrap_or_default();
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).expect(told)).collect()
}

/// Ends a batch at each of its operations, recovers every disk that may be left, and judges it.
fn assert_after_every_crash(
    batch: fn(Option<Fault>) -> (Vec<Answer>, SimDisk, u64),
    judge: fn(&SimDisk, &[Answer], &str),
) {
    let (_, whole, begin) = batch(None);
    for at in begin..=whole.ops() {
        for kind in [FaultKind::PowerCut, FaultKind::TornWrite] {
            let (answers, disk, _) = batch(Some(Fault { at, kind }));
            for model in [Model::Strict, Model::Ordered] {
                let states = disk.crash_states(model, 48);
                for index in 0..states.len() {
                    let lost = states.get(index).expect("a state");
                    recover(&lost, 90).expect("recovery");
                    let told = || format!("{kind:?} at {at}\n{}", states.describe(index));
                    judge(&lost, &answers, &told());
                }
            }
            let killed = disk.kill();
            recover(&killed, 91).expect("recovery");
            judge(&killed, &answers, &format!("killed at {at}"));
        }
    }
}

/// Each content that is kept has its row and its line, once and in order, and nothing else has.
fn assert_together(disk: &SimDisk, answers: &[Answer], told: &str) {
    let lines = |path| json_lines(disk, path, told);
    let digests = |lines: Vec<serde_json::Value>| -> Vec<String> {
        let digest = |line: &serde_json::Value| line["sha256"].as_str().expect(told).to_owned();
        lines.iter().map(digest).collect()
    };
    let rows = lines("w/.resilient_write/journal.jsonl");
    let ids: Vec<String> = rows.iter().map(|row| row["journal_id"].to_string()).collect();
    let rows = digests(rows);
    assert_eq!(digests(lines("w/.resilient_write/scratch/index.jsonl")), rows, "{told}");
    let kept = disk.tree().into_keys().filter(|path| path.ends_with(".bin")).count();
    assert_eq!(kept, rows.len(), "{told}");
    for row in answers.iter().filter_map(Answer::row) {
        assert!(ids.contains(&format!("{row:?}")), "{row} was answered: {told}");
    }
}

#[test]
fn puts_of_one_batch_survive_every_crash() {
    assert_after_every_crash(three_puts, assert_together);
}

const PUT_AND_REMOVE: [fn(&Workspace) -> Answer; 3] =
    [|ws| remove(ws, "old"), |ws| keep(ws, "new", "2"), |ws| remove(ws, "older")];

/// A disk on which a put came between two removals in one batch, with that fault; where they began.
fn put_and_removals(fault: Option<Fault>) -> (Vec<Answer>, SimDisk, u64) {
    let disk = SimDisk::new();
    disk.mkdir("w");
    let ws = open(&disk, 1, Order::Forwards);
    done(keep(&ws, "older", "0"));
    done(keep(&ws, "old", "1"));
    let begin = disk.ops();
    fault.iter().for_each(|fault| disk.plan(*fault));
    (together(&ws, &PUT_AND_REMOVE), disk, begin)
}

/// Each row has its line in the index, in order; content is kept exactly where the last row of it is a put.
fn assert_consistent(disk: &SimDisk, answers: &[Answer], told: &str) {
    let lines = |path| json_lines(disk, path, told);
    let rows = lines("w/.resilient_write/journal.jsonl");
    let of_rows: Vec<(String, bool)> = rows
        .iter()
        .map(|row| {
            let removes = row["mode"] == "remove";
            let digest = &row[if removes { "prev_sha256" } else { "sha256" }];
            (digest.as_str().expect(told).to_owned(), removes)
        })
        .collect();
    let of_lines: Vec<(String, bool)> = lines("w/.resilient_write/scratch/index.jsonl")
        .iter()
        .map(|line| {
            (line["sha256"].as_str().expect(told).to_owned(), line.get("removed_at").is_some())
        })
        .collect();
    assert_eq!(of_lines, of_rows, "{told}");
    let last: std::collections::BTreeMap<_, _> = of_rows.into_iter().collect();
    let expected: Vec<String> =
        last.into_iter().filter(|(_, removed)| !removed).map(|(digest, _)| digest).collect();
    let kept: Vec<String> = disk
        .tree()
        .into_keys()
        .filter_map(|path| Some(path.rsplit('/').next()?.strip_suffix(".bin")?.to_owned()))
        .collect();
    assert_eq!(kept, expected, "{told}");
    for row in answers.iter().filter_map(Answer::row) {
        let is_there = rows.iter().any(|found| found["journal_id"] == row.as_str());
        assert!(is_there, "{row} was answered: {told}");
    }
}

#[test]
fn puts_and_removals_of_one_batch_survive_every_crash() {
    let (answers, whole, _) = put_and_removals(None);
    assert!(answers.iter().all(Answer::is_done), "{answers:?}");
    assert_consistent(&whole, &answers, "without a fault");
    assert_after_every_crash(put_and_removals, assert_consistent);
}

const LABELS: [&str; 3] = ["one", "two", "three"];

const TAKE_OFF: [fn(&Workspace) -> Answer; 3] = [
    |ws| unlabel(ws, "held", LABELS[1]),
    |ws| keep(ws, "new", "2"),
    |ws| unlabel(ws, "held", LABELS[0]),
];

/// A disk on which two labels of three were taken off content in one batch, with that fault; where they began.
fn labels_off(fault: Option<Fault>) -> (Vec<Answer>, SimDisk, u64) {
    let disk = SimDisk::new();
    disk.mkdir("w");
    let ws = open(&disk, 1, Order::Forwards);
    LABELS.iter().for_each(|label| done(keep(&ws, "held", label)));
    let begin = disk.ops();
    fault.iter().for_each(|fault| disk.plan(*fault));
    (together(&ws, &TAKE_OFF), disk, begin)
}

/// The content stays, with its last label; each label that was taken off has a whole line, if that was answered, and
/// look-ups follow the lines.
fn assert_labels(disk: &SimDisk, answers: &[Answer], told: &str) {
    let ws = open(disk, 92, Order::Forwards);
    // A line that a crash has torn has no row, so that no recovery mends it. The next one takes its place.
    done(keep(&ws, "next", "next"));
    let lines = json_lines(disk, "w/.resilient_write/scratch/index.jsonl", told);
    let off: Vec<&str> = lines
        .iter()
        .filter(|line| line.get("label_removed_at").is_some())
        .map(|line| line["label"].as_str().expect(told))
        .collect();
    for (answer, label) in answers.iter().zip([Some("two"), None, Some("one")]) {
        let is_off = label.is_none_or(|label| off.contains(&label));
        assert!(is_off || !answer.is_done(), "{label:?} was answered: {told}");
    }
    for label in LABELS {
        let is_held = ws.scratch().reference(None, Some(label)).is_ok();
        assert_eq!(is_held, !off.contains(&label), "{label}: {told}");
    }
    let rows = json_lines(disk, "w/.resilient_write/journal.jsonl", told);
    let of_new = rows.iter().filter(|row| row["mode"] != "remove").count();
    let kept = disk.tree().into_keys().filter(|path| path.ends_with(".bin")).count();
    assert_eq!((kept, rows.len()), (of_new, of_new), "{told}");
    assert_eq!(lines.len(), 2 + of_new + off.len(), "{told}");
}

#[test]
fn labels_that_are_taken_off_in_one_batch_survive_every_crash() {
    let (answers, whole, _) = labels_off(None);
    assert!(answers.iter().all(Answer::is_done), "{answers:?}");
    assert_labels(&whole, &answers, "without a fault");
    assert_after_every_crash(labels_off, assert_labels);
}
