//! A process that runs out of descriptors: what it answers is durable, and what it can do it does.

use std::sync::Arc;

use resilient_core::disk::FixedClock;
use resilient_core::disk::sim::{Fault, FaultKind, Model, SimDisk};
use resilient_core::envelope::SuggestedAction;
use resilient_core::{Envelope, Workspace};

use crate::campaign::{Rig, recover};
use crate::oracle::World;
use crate::workload::{Answer, Order, create, done, keep, open, scenario};

/// Makes that many writes at once, each into a tree of its own.
fn into_new_trees(ws: &Workspace, count: usize) -> Vec<Answer> {
    let held = ws.hold();
    std::thread::scope(|scope| {
        let mut calls = Vec::new();
        for number in 0..count {
            calls.push(scope.spawn(move || create(ws, &tree(number), "content\n")));
            while held.waiting() <= number {
                std::thread::yield_now();
            }
        }
        drop(held);
        calls.into_iter().map(|call| call.join().expect("an answer")).collect()
    })
}

fn tree(number: usize) -> String {
    format!("d{number}/a/b/c.txt")
}

/// Whether every answered write is there after a power loss that takes all it may.
fn assert_durable(disk: &SimDisk, answers: &[Answer]) {
    let bare = disk.crash_states(Model::Strict, 1).get(0).expect("a state");
    recover(&bare, 90).expect("recovery");
    for (number, answer) in answers.iter().enumerate().filter(|(_, answer)| answer.is_done()) {
        let path = format!("w/{}", tree(number));
        assert_eq!(bare.read(&path), Some(b"content\n".to_vec()), "{path} {answer:?}");
    }
    World::of(&bare).expect("a sound journal");
}

#[test]
fn many_writes_into_new_trees_need_no_more_descriptors_than_there_are() {
    for limit in [1024, 300, 120, 40] {
        let disk = SimDisk::new();
        disk.mkdir("w");
        disk.limit_handles(limit);
        let ws = open(&disk, 1, Order::Forwards);
        let answers = into_new_trees(&ws, 240);
        assert_durable(&disk, &answers);
        for answer in answers {
            assert!(answer.is_done(), "with {limit}: {answer:?}");
        }
    }
}

#[test]
fn a_directory_that_cannot_be_opened_for_its_sync_fails_the_call() {
    let disk = SimDisk::new();
    disk.mkdir("w");
    let ws = open(&disk, 1, Order::Forwards);
    done(create(&ws, "warm.txt", "warm\n"));
    let begin = disk.opens();
    done(create(&ws, "x/y/z/a.txt", "a\n"));
    let opens = disk.opens() - begin;
    for at in 0..opens {
        let disk = SimDisk::new();
        disk.mkdir("w");
        let ws = open(&disk, 1, Order::Forwards);
        done(create(&ws, "warm.txt", "warm\n"));
        disk.refuse_open(disk.opens() + at);
        let answers = [create(&ws, "x/y/z/a.txt", "a\n")];
        let bare = disk.crash_states(Model::Strict, 1).get(0).expect("a state");
        recover(&bare, 90).expect("recovery");
        match &answers[0] {
            Answer::Done(_) => {
                assert_eq!(bare.read("w/x/y/z/a.txt"), Some(b"a\n".to_vec()), "{at}");
            }
            Answer::Refused(error) | Answer::Unknown(error) => {
                let envelope = Envelope::from(error);
                assert_eq!(envelope.suggested_action, SuggestedAction::RetryLater, "{error:?}");
                assert_eq!(bare.read("w/x/y/z/a.txt"), None);
            }
        }
        done(create(&ws, "later.txt", "later\n"));
        assert_eq!(disk.read("w/x/y/z/a.txt").is_some(), answers[0].is_done());
    }
}

/// The current journal has no row, and the end of the closed one cannot be read at this moment.
#[test]
fn one_passing_error_begins_no_new_chain() {
    let begin = || {
        let disk = SimDisk::new();
        disk.mkdir("w");
        let ws = closing(&disk, 1);
        done(create(&ws, "a.txt", "a\n"));
        done(create(&ws, "b.txt", "b\n"));
        drop(ws);
        let disk = disk.kill();
        disk.unlink("w/.resilient_write/lock");
        disk.write_file("w/.resilient_write/journal.jsonl", b"");
        disk
    };
    let whole = begin();
    let opens = |disk: &SimDisk| {
        let _ = closing(disk, 2).recover();
        disk.opens()
    };
    for at in 0..opens(&whole) {
        let disk = begin();
        disk.refuse_open(at);
        let ws = closing(&disk, 2);
        let _ = ws.recover();
        done(create(&ws, "c.txt", "c\n"));
        let found = ws.verify_journal().expect("the journal");
        assert!(found.breaks.is_empty(), "{at}: {found:?}");
    }
}

/// A workspace that closes the journal before each batch.
fn closing(disk: &SimDisk, seed: u64) -> Workspace {
    Workspace::builder("/w")
        .disk(Arc::new(disk.clone()))
        .clock(Arc::new(FixedClock::new(1_790_000_000_000_000_000, seed << 32)))
        .longest_journal(1)
        .open()
}

/// Writes in place that were killed in front of each of their writes into the user's file, in the middle of it, and
/// behind the last one: each disk, with what was answered, and where it was.
fn torn_in_place(name: &str) -> (Rig, Vec<(SimDisk, Vec<Answer>, String)>) {
    let rig = Rig::new(scenario(name), Order::Forwards);
    let writes =
        rig.ops(|line| line.starts_with("write w/") && !line.contains("/.resilient_write/"));
    let last = *writes.last().expect("a write");
    let mut torn = Vec::new();
    for at in writes.into_iter().chain([last + 1]) {
        for kind in [FaultKind::PowerCut, FaultKind::TornWrite] {
            let is_write = rig.trace.get(at as usize).is_some_and(|line| line.starts_with("write"));
            if kind == FaultKind::PowerCut || is_write {
                let (disk, answers) = rig.run(&[Fault { at, kind }], |_| {});
                torn.push((disk.kill(), answers, rig.place(at)));
            }
        }
    }
    (rig, torn)
}

const IN_PLACE: [&str; 4] = [
    "append in place again",
    "append in place with sums in a slot",
    "overwrite through hard links",
    "lengthen through hard links",
];

/// The process that recovers cannot open one thing, whichever. Its next call is answered, and the next process finds
/// nothing that waits, and the file and its row in agreement.
#[test]
fn one_open_that_fails_in_the_recovery_of_a_write_in_place_loses_and_refuses_nothing() {
    let (mut failed, mut waited) = (0, 0);
    for name in IN_PLACE {
        let (rig, torn) = torn_in_place(name);
        for (disk, answers, place) in torn {
            let whole = disk.kill();
            recover(&whole, 91).expect("recovery");
            for at in 0..whole.opens() {
                let disk = disk.kill();
                disk.refuse_open(at);
                let ws = open(&disk, 91, Order::Forwards);
                match ws.recover() {
                    Ok(report) => waited += report.pending.len(),
                    Err(error) => {
                        let envelope = Envelope::from(&error);
                        let action = envelope.suggested_action;
                        assert_eq!(action, SuggestedAction::RetryLater, "{place}, {at}: {error:?}");
                        failed += 1;
                    }
                }
                let other = keep(&ws, "another call's content", "other");
                assert!(other.is_done(), "{place}, open {at}: {other:?}");
                drop(ws);
                let disk = disk.kill();
                recover(&disk, 92).unwrap_or_else(|error| panic!("{place}, open {at}: {error}"));
                let waits = disk.tree().into_keys().find(|path| path.contains("/pending/"));
                assert_eq!(waits, None, "{place}, open {at}");
                rig.expected
                    .check_beside(&disk, &answers, "another call's content")
                    .unwrap_or_else(|violation| panic!("{place}, open {at}: {violation}"));
            }
        }
    }
    assert!(failed > 0 && waited > 0, "{failed} failed, {waited} waited");
}

/// The same for a process that has few descriptors all the time: it may be able to do nothing.
#[test]
fn a_process_with_few_descriptors_loses_nothing_of_a_write_in_place() {
    let mut refused = 0;
    for name in IN_PLACE {
        let (rig, torn) = torn_in_place(name);
        for (disk, answers, place) in torn {
            for limit in 1..24 {
                let disk = disk.kill();
                disk.limit_handles(limit);
                let ws = open(&disk, 93, Order::Forwards);
                refused += u32::from(ws.recover().is_err());
                refused += u32::from(ws.recover().is_err());
                drop(ws);
                let disk = disk.kill();
                disk.limit_handles(u64::MAX);
                recover(&disk, 94).unwrap_or_else(|error| panic!("{place}, with {limit}: {error}"));
                rig.expected
                    .check(&disk, &answers, None)
                    .unwrap_or_else(|violation| panic!("{place}, with {limit}: {violation}"));
                done(keep(&open(&disk, 95, Order::Forwards), "another call's content", "other"));
            }
        }
    }
    assert!(refused > 0, "every recovery had enough");
}
