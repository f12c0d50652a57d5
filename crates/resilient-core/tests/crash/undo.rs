//! What a call that fails takes back in a file that it writes where it is, while somebody else, who knows no
//! lock, writes into the same file.

use resilient_core::disk::Disk;
use resilient_core::disk::sim::{Calls, Fault, FaultKind, Schedule, SimDisk};
use resilient_core::{Error, Workspace};

use crate::workload::{Answer, Order, append, create, done, large, open, overwrite};

const ROW: &str = "w/.resilient_write/journal.jsonl";
const SAVED: &[u8] = b"saved by somebody\n";

/// A disk with files that are written where they are.
fn begin() -> SimDisk {
    let disk = SimDisk::new();
    disk.write_file("w/.resilient_write/policy.yaml", b"hard_links: in_place\n");
    disk.write_file("w/log", large().as_bytes());
    disk.write_file("w/a.txt", "old\n".repeat(70_000).as_bytes());
    disk.hard_link("w/a.txt", "w/b.txt");
    done(create(&open(&disk, 1, Order::Forwards), "warm.txt", "warm\n"));
    disk
}

/// What became of a call whose last write failed.
struct Failed {
    answer: Answer,
    /// Whether somebody wrote before the file was taken back, and behind the last byte of the call.
    is_meanwhile: bool,
    disk: SimDisk,
}

/// Has the last write of a call into a file fail, and somebody write into the file in front of each
/// of its disk calls in turn. The trace has the file by one of its names.
fn fail(traced: &str, call: fn(&Workspace) -> Answer, foreign: fn(&SimDisk)) -> Vec<Failed> {
    let disk = begin();
    done(call(&open(&disk, 2, Order::Forwards)));
    let is_write = |line: &&String| line.starts_with(&format!("write {traced} "));
    let at = disk.trace().iter().rposition(|line| is_write(&line)).expect("a write") as u64;
    assert!(disk.trace().iter().filter(is_write).count() > 2, "{traced} is written in pieces");
    let mut all = Vec::new();
    let (mut calls, mut turn) = (1, 0);
    while turn < calls {
        let disk = begin();
        disk.plan(Fault { at, kind: FaultKind::Io { errno: 28, sticky: false } });
        let schedule = Schedule::new(std::iter::repeat_n(0, turn as usize).chain([1, 1]));
        let ws = open(&schedule.process(&disk), 2, Order::Forwards);
        let somebody = schedule.process(&disk);
        let save = || {
            // A call of its own, so that nobody else makes one between it and the next.
            drop(somebody.open_root("/w".as_ref()).expect("a directory"));
            let ops = somebody.ops();
            foreign(&somebody);
            // Behind the write in front of the one that fails, and before what it left is cut off.
            Answer::Done((ops == at || ops == at + 1).then(String::new))
        };
        let calls_of = Box::new(|| call(&ws)) as Calls<'_, Answer>;
        let mut answers = schedule.run(vec![calls_of, Box::new(save)]);
        calls = schedule.calls();
        let is_meanwhile = answers.pop().is_some_and(|answer| answer.row().is_some());
        let answer = answers.pop().expect("an answer");
        all.push(Failed { answer, is_meanwhile, disk });
        turn += 1;
    }
    all
}

fn has(disk: &SimDisk, path: &str, bytes: &[u8]) -> bool {
    let held = disk.read(path).expect("a file");
    held.windows(bytes.len()).any(|window| window == bytes)
}

/// How often what somebody wrote is lost, of those times when it came between the call's writes
/// and what it takes back.
fn lost(path: &str, from: u64, failed: &[Failed]) -> usize {
    let meanwhile = failed.iter().filter(|failed| failed.is_meanwhile);
    let (kept, lost): (Vec<&Failed>, Vec<&Failed>) =
        meanwhile.partition(|failed| has(&failed.disk, path, SAVED));
    assert!(kept.len() > 1, "{} kept, {} lost", kept.len(), lost.len());
    for failed in kept {
        let Answer::Unknown(Error::OutcomeUnknown { part_from, .. }) = &failed.answer else {
            assert!(failed.answer.error().is_some(), "{:?}", failed.answer);
            // It came behind the cut.
            continue;
        };
        assert_eq!(*part_from, Some(from), "{:?}", failed.answer);
    }
    lost.len()
}

#[test]
fn a_line_behind_an_append_that_fails_is_not_cut_off() {
    let failed = fail(
        "w/log",
        |ws| append(ws, "log", &"more and more\n".repeat(1000)),
        |disk| disk.append("w/log", SAVED),
    );
    // Between the last look and the cut.
    assert!(lost("w/log", large().len() as u64, &failed) <= 1);
    let unknown = failed.iter().filter(|failed| matches!(failed.answer, Answer::Unknown(_)));
    assert!(unknown.count() > 1);
    let refused = failed.iter().find(|failed| matches!(failed.answer, Answer::Refused(_)));
    let disk = &refused.expect("a refusal").disk;
    assert_eq!(disk.read(ROW).expect("rows").iter().filter(|byte| **byte == b'\n').count(), 1);
}

#[test]
fn a_save_while_a_write_in_place_fails_is_not_written_over() {
    let failed = fail(
        "w/b.txt",
        |ws| overwrite(ws, "a.txt", &"new\n".repeat(70_000)),
        |disk| disk.append("w/a.txt", SAVED),
    );
    // Between the last look and the end of what is written back.
    assert!(lost("w/a.txt", 0, &failed) <= 6);
    let unknown = failed.iter().filter(|failed| matches!(failed.answer, Answer::Unknown(_)));
    assert!(unknown.count() > 1);
}
