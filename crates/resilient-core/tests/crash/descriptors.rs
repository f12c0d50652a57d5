//! A process that runs out of descriptors: what it answers is durable, and what it can do it does.

use std::sync::Arc;

use resilient_core::disk::FixedClock;
use resilient_core::disk::sim::{Model, SimDisk};
use resilient_core::envelope::SuggestedAction;
use resilient_core::{Envelope, Workspace};

use crate::campaign::recover;
use crate::oracle::World;
use crate::workload::{Answer, Order, create, done, open};

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
