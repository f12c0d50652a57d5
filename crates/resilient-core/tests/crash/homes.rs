//! Two processes with the same roots and different homes: each has a state directory and a lock of its own, so that
//! only the files themselves keep them apart.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use resilient_core::digest::Digest;
use resilient_core::disk::sim::{Calls, Fault, FaultKind, Model, Schedule, SimDisk};
use resilient_core::disk::{Clock, Disk, File, FixedClock};
use resilient_core::form::Asked;
use resilient_core::write::{WriteMode, WriteRequest};
use resilient_core::{Error, Workspace};

use crate::turns::{Busy, Patient, deeds_left};
use crate::workload::{Answer, append, create, done, large, overwrite, together};

const LOG: &str = "/w/b/log";
const LINKED: &str = "/w/b/linked";

/// A process whose home is one of the two roots.
fn at_home(disk: &SimDisk, home: &str, seed: u64) -> Workspace {
    let seed = seed.wrapping_mul(0x0123_4567_89AB_CDEF);
    with_clock(disk, home, Arc::new(Patient(FixedClock::new(1_790_000_000, seed))))
}

fn with_clock(disk: &SimDisk, home: &str, clock: Arc<dyn Clock>) -> Workspace {
    let roots = ["/w/a", "/w/b"].map(PathBuf::from).to_vec();
    Workspace::builder(home).roots(roots).disk(Arc::new(disk.clone())).clock(clock).open()
}

/// A disk with a long file and one with two names, and a process of each home that has written before.
fn begin() -> (SimDisk, [Workspace; 2]) {
    let disk = SimDisk::new();
    for home in ["w/a", "w/b"] {
        let policy = format!("{home}/.resilient_write/policy.yaml");
        disk.write_file(&policy, b"hard_links: in_place\n");
    }
    disk.write_file("w/b/log", large().as_bytes());
    disk.write_file("w/b/linked", b"begin\n");
    disk.write_file("w/b/short", b"begin\n");
    disk.hard_link("w/b/linked", "w/b/other");
    let both = [("/w/a", 1), ("/w/b", 2)].map(|(home, seed)| at_home(&disk, home, seed));
    both.iter().for_each(|ws| done(create(ws, "warm.txt", "warm\n")));
    (disk, both)
}

/// What the file holds behind what it held at the beginning.
fn added(disk: &SimDisk) -> String {
    let bytes = disk.read("w/b/log").expect("a file");
    let text = String::from_utf8(bytes).expect("text");
    text.strip_prefix(&large()).expect("what was there").to_owned()
}

/// Two calls of the two processes, of which the second one is made between any two disk calls of the first one, and
/// in turn with them. Each end is checked, as it is and as both homes recover it from a kill and from a loss of power.
fn interleave(
    first: fn(&Workspace) -> Answer,
    second: fn(&Workspace) -> Answer,
    check: impl Fn(&SimDisk, &[Answer]) -> bool,
) {
    for follows in [vec![1], vec![1; 400]] {
        let (mut calls, mut lead) = (1, 0);
        while lead < calls {
            let (disk, _) = begin();
            let disk = disk.kill();
            let order = std::iter::repeat_n(0, lead as usize).chain(follows.clone());
            let schedule = Schedule::new(order);
            let all = [("/w/a", 3, first), ("/w/b", 4, second)].map(|(home, seed, call)| {
                let ws = at_home(&schedule.process(&disk), home, seed);
                Box::new(move || call(&ws)) as Calls<'_, Answer>
            });
            let answers = schedule.run(all.into_iter().collect());
            calls = schedule.calls();
            let lost = disk.crash_states(Model::Strict, 1).get(0).expect("a state");
            for (how, disk) in [("", disk.kill()), ("killed, ", disk.kill()), ("lost, ", lost)] {
                if !how.is_empty() {
                    for home in ["/w/a", "/w/b"] {
                        at_home(&disk, home, 5).recover().expect("recovery");
                    }
                }
                assert!(check(&disk, &answers), "{how}{lead}: {answers:?}");
            }
            lead += 1;
        }
        assert!(lead > 50, "the calls of two writes");
    }
}

#[test]
fn appends_from_two_homes_are_interleaved_at_every_call_and_none_is_lost() {
    interleave(
        |ws| append(ws, LOG, "one\n"),
        |ws| append(ws, LOG, "two\n"),
        |disk, answers| {
            answers.iter().all(Answer::is_done)
                && ["one\ntwo\n", "two\none\n"].contains(&&*added(disk))
        },
    );
}

/// Both write the file anew, or make it: the later one finds another file than it looked at.
#[test]
fn appends_to_a_short_file_from_two_homes_are_both_made() {
    let holds = |disk: &SimDisk, path: &str, begin: &str| {
        let now = String::from_utf8(disk.read(path).expect("a file")).expect("text");
        ["one\ntwo\n", "two\none\n"].map(|added| format!("{begin}{added}")).contains(&now)
    };
    interleave(
        |ws| append(ws, "/w/b/short", "one\n"),
        |ws| append(ws, "/w/b/short", "two\n"),
        |disk, answers| answers.iter().all(Answer::is_done) && holds(disk, "w/b/short", "begin\n"),
    );
    interleave(
        |ws| append(ws, "/w/b/new", "one\n"),
        |ws| append(ws, "/w/b/new", "two\n"),
        |disk, answers| answers.iter().all(Answer::is_done) && holds(disk, "w/b/new", ""),
    );
}

#[test]
fn an_append_to_a_short_file_that_somebody_goes_on_saving_is_refused() {
    let (disk, _) = begin();
    let schedule = Schedule::new([0, 1].into_iter().cycle());
    let ws = at_home(&schedule.process(&disk), "/w/a", 3);
    let editor = schedule.process(&disk);
    let saves = || {
        (0..8_000).for_each(|n| editor.save("w/b/short", format!("saved {n}\n").as_bytes()));
        None
    };
    let appends = || Some(append(&ws, "/w/b/short", "one\n"));
    let calls = vec![Box::new(appends) as Calls<'_, Option<Answer>>, Box::new(saves)];
    let answer = schedule.run(calls).into_iter().flatten().next().expect("an answer");
    assert!(matches!(answer.error(), Some(Error::FileChanges { .. })), "{answer:?}");
    assert_eq!(disk.read("w/b/short").as_deref(), Some(&b"saved 7999\n"[..]));
}

#[test]
fn writes_of_a_file_with_two_names_from_two_homes_are_not_mixed() {
    interleave(
        |ws| append(ws, LINKED, "one\n"),
        |ws| overwrite(ws, LINKED, "anew\n"),
        |disk, answers| {
            let now = disk.read("w/b/other").expect("a file");
            let now = String::from_utf8(now).expect("text");
            match answers.iter().map(Answer::is_done).collect::<Vec<_>>()[..] {
                [true, true] => ["anew\n", "anew\none\n"].contains(&&*now),
                // Somebody was faster between its look and its lock.
                [true, false] => now == "begin\none\n",
                [false, true] => now == "anew\n",
                _ => false,
            }
        },
    );
}

#[test]
fn an_append_from_one_home_is_not_lost_in_an_overwrite_from_the_other_one() {
    let anew: fn(&Workspace) -> Answer = |ws| {
        let request = WriteRequest {
            path: LOG.to_owned(),
            content: large() + "anew\n",
            mode: WriteMode::Overwrite,
            expected_prev_sha256: Some(Digest::of(large().as_bytes()).to_string()),
            reject_at: None,
            validate: false,
            form: Asked::default(),
            allow_shrink: false,
        };
        Answer::of(ws.write(request), |receipt| Some(receipt.journal_id))
    };
    let one: fn(&Workspace) -> Answer = |ws| append(ws, LOG, "one\n");
    let check = |disk: &SimDisk, anew: &Answer, one: &Answer| {
        let all = if anew.is_done() { "anew\none\n" } else { "one\n" };
        one.is_done() && added(disk) == all && is_told(disk)
    };
    interleave(anew, one, |disk, answers| check(disk, &answers[0], &answers[1]));
    interleave(one, anew, |disk, answers| check(disk, &answers[1], &answers[0]));
}

/// Whether the append's row has the digest of the file.
fn is_told(disk: &SimDisk) -> bool {
    let digest = Digest::of(&disk.read("w/b/log").expect("a file")).to_string();
    ["w/a", "w/b"].iter().any(|home| {
        let rows = disk.read(&format!("{home}/.resilient_write/journal.jsonl"));
        String::from_utf8(rows.expect("a journal")).expect("text").contains(&digest)
    })
}

/// Locks a file, as a program that knows nothing of this one does.
fn lock(disk: &SimDisk) -> Box<dyn File> {
    let dir = disk.open_root(Path::new("/w/b")).expect("a directory");
    let file = dir.open(OsStr::new("log")).expect("the file");
    assert!(file.try_lock().expect("locks"));
    file
}

#[test]
fn a_file_whose_lock_is_never_given_back_is_refused_and_holds_up_nobody_else() {
    let (disk, [ws, other]) = begin();
    let held = lock(&disk);
    let calls: [fn(&Workspace) -> Answer; 3] = [
        |ws| append(ws, LINKED, "one\n"),
        |ws| append(ws, LOG, "one\n"),
        |ws| create(ws, "a.txt", "one\n"),
    ];
    let answers = together(&ws, &calls);
    assert!(answers[0].is_done() && answers[2].is_done(), "{answers:?}");
    let Some(Error::Locked { path: Some(path), waited_ms }) = answers[1].error() else {
        panic!("{answers:?}");
    };
    assert!(path.ends_with("log") && *waited_ms >= 30_000, "{path}, {waited_ms}");
    assert_eq!(added(&disk), "");
    // What replaces no long file needs no lock of it.
    done(create(&other, "/w/b/b.txt", "two\n"));
    drop(held);
    done(append(&ws, LOG, "one\n"));
    done(append(&other, LOG, "two\n"));
    assert_eq!(added(&disk), "one\ntwo\n");
}

#[test]
fn a_call_that_waits_for_a_file_has_nothing_locked() {
    let (disk, _) = begin();
    let held = lock(&disk);
    let elsewhere = disk.clone();
    // At its first pause another process of the same home has its turn, at the second one the lock is given back.
    let clock = Busy::with(
        7,
        [
            Box::new(move || done(create(&at_home(&elsewhere, "/w/a", 6), "a.txt", "two\n"))),
            Box::new(move || drop(held)),
        ],
    );
    let ws = with_clock(&disk, "/w/a", clock.clone());
    done(append(&ws, LOG, "one\n"));
    assert_eq!(deeds_left(&clock), 0);
    assert_eq!(added(&disk), "one\n");
}

#[test]
fn recovery_decides_nothing_about_a_file_that_another_process_has_locked() {
    let (disk, [ws, _]) = begin();
    done(append(&ws, LOG, "one\n"));
    let is_sync = |line: &String| line == "sync w/b/log";
    let at = disk.trace().iter().rposition(is_sync).expect("the second wait") as u64;
    let (disk, [ws, _]) = begin();
    disk.plan(Fault { at, kind: FaultKind::PowerCut });
    assert!(!append(&ws, LOG, "one\n").is_done());
    let disk = disk.kill();
    let held = lock(&disk);
    let report = at_home(&disk, "/w/a", 8).recover().expect("recovery");
    assert_eq!(report.pending.len(), 1, "{report:?}");
    assert_eq!(added(&disk), "one\n");
    drop(held);
    let report = at_home(&disk, "/w/a", 9).recover().expect("recovery");
    assert_eq!(report.finished.len(), 1, "{report:?}");
    assert_eq!(added(&disk), "one\n");
}

#[test]
fn a_call_gives_the_lock_of_its_file_back_however_it_ends() {
    for fails in ["", "write w/b/log", "sync w/b/log", "sync w/a/.resilient_write/journal"] {
        let (disk, [ws, _]) = begin();
        done(append(&ws, LOG, "one\n"));
        let (disk, [ws, _]) = {
            let at = disk.trace().iter().rposition(|line| line.starts_with(fails));
            let (disk, both) = begin();
            if let (Some(at), false) = (at, fails.is_empty()) {
                disk.plan(Fault { at: at as u64, kind: FaultKind::Io { errno: 5, sticky: false } });
            }
            (disk, both)
        };
        assert_eq!(append(&ws, LOG, "one\n").is_done(), fails.is_empty(), "{fails}");
        drop(lock(&disk));
    }
}
