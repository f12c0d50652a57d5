//! A log that another program renames away and makes again, at any moment of an append.

use std::ffi::OsStr;
use std::sync::Arc;

use resilient_core::Workspace;
use resilient_core::disk::sim::{Calls, Schedule, SimDisk};
use resilient_core::disk::{Disk, FixedClock, Replace};

use crate::campaign::recover;
use crate::turns::Patient;
use crate::workload::{Answer, Order, append, create, done, large, open};

const LINE: &str = "a line of ours\n";

/// A disk with a log, and with a second name of it or not.
fn with_log(content: &str, is_linked: bool) -> SimDisk {
    let disk = SimDisk::new();
    disk.write_file("w/.resilient_write/policy.yaml", b"hard_links: in_place\n");
    disk.write_file("w/log", content.as_bytes());
    if is_linked {
        disk.hard_link("w/log", "w/also");
    }
    done(create(&open(&disk, 1, Order::Forwards), "warm.txt", "warm\n"));
    disk
}

/// How often the line is in a file.
fn lines(disk: &SimDisk, path: &str) -> usize {
    let text = disk.read(path).unwrap_or_default();
    String::from_utf8(text).expect("text").matches(LINE).count()
}

fn begins(disk: &SimDisk, path: &str, with: &str) -> bool {
    disk.read(path).is_some_and(|held| held.starts_with(with.as_bytes()))
}

/// The log is renamed in front of one call of the append, and made again some calls later, or not at all.
#[test]
fn an_append_meets_a_rotation_at_every_call_and_its_line_is_in_one_of_the_logs() {
    let short = "begin\n";
    let logs = [(large(), false), (short.to_owned(), false), (large(), true)];
    for (content, is_linked) in logs {
        for again in [None, Some(short)] {
            let (mut calls, mut at) = (1, 0);
            while at < calls {
                for gap in [1, 4] {
                    let disk = with_log(&content, is_linked);
                    let order = std::iter::repeat_n(0, at as usize).chain([1]);
                    let schedule = Schedule::new(order.chain(vec![0; gap]).chain([1]));
                    let ws = open(&schedule.process(&disk), 2, Order::Forwards);
                    let program = schedule.process(&disk);
                    let root = program.open_root("/w".as_ref()).expect("a directory");
                    let rotate = || {
                        let (log, old) = (OsStr::new("log"), OsStr::new("log.1"));
                        root.rename(log, &*root, old, Replace::No).expect("a rename");
                        again.iter().for_each(|new| program.edit("w/log", new.as_bytes()));
                        Answer::Done(None)
                    };
                    let append = || append(&ws, "log", LINE);
                    let both = vec![Box::new(append) as Calls<'_, Answer>, Box::new(rotate)];
                    let answers = schedule.run(both);
                    calls = calls.max(schedule.calls() - 2);
                    let told = format!("{} bytes, {is_linked}, {at} + {gap}", content.len());
                    assert!(answers[0].is_done(), "{told}: {answers:?}");
                    for _ in 0..2 {
                        let found = lines(&disk, "w/log") + lines(&disk, "w/log.1");
                        assert_eq!(found, 1, "{told}: {:?}", disk.trace());
                        assert!(begins(&disk, "w/log.1", &content), "{told}");
                        let is_kept = again.iter().all(|new| begins(&disk, "w/log", new));
                        assert!(is_kept, "{told}: {:?}", disk.trace());
                        recover(&disk, 3).expect("recovery");
                    }
                }
                at += 1;
            }
            assert!(at > 20, "{at}");
        }
    }
}

/// A long log takes the name of a short one at any moment of an append. Its program has it locked.
#[test]
fn a_long_log_that_takes_the_name_of_a_short_one_is_changed_only_under_its_lock() {
    let (mut calls, mut at) = (1, 0);
    while at < calls {
        let disk = with_log("begin\n", false);
        disk.write_file("w/new", large().as_bytes());
        let program = disk.open_root("/w".as_ref()).expect("a directory");
        let new = program.open(OsStr::new("new")).expect("the new log");
        assert!(new.try_lock().expect("locks"));
        let order = std::iter::repeat_n(0, at as usize).chain([1]);
        let schedule = Schedule::new(order.chain(vec![0; 60]).chain([1]));
        let clock = Arc::new(Patient(FixedClock::new(1_790_000_000, 2)));
        let ws = Workspace::builder("/w");
        let ws = ws.disk(Arc::new(schedule.process(&disk))).clock(clock).open();
        let other = schedule.process(&disk);
        let root = other.open_root("/w".as_ref()).expect("a directory");
        let mut locked = None;
        let swap = || {
            let log = OsStr::new("log");
            root.rename(OsStr::new("new"), &*root, log, Replace::Yes).expect("a rename");
            root.stat(log).expect("a log");
            // The append has had its time, and the lock is given back.
            locked = disk.read("w/log");
            drop(new);
            Answer::Done(None)
        };
        let append = || append(&ws, "log", LINE);
        let answers = schedule.run(vec![Box::new(append) as Calls<'_, Answer>, Box::new(swap)]);
        calls = schedule.calls() - 2;
        let told = format!("at {at}: {answers:?} {:?}", disk.trace());
        assert!(answers[0].is_done() && locked == Some(large().into_bytes()), "{told}");
        assert!(begins(&disk, "w/log", &large()), "{told}");
        at += 1;
    }
    assert!(at > 20, "{at}");
}

/// Another program begins a log at any moment of an append, which found it empty or not there.
#[test]
fn the_first_line_of_another_program_is_not_written_over() {
    for is_there in [true, false] {
        let (mut calls, mut at) = (1, 0);
        while at < calls {
            let disk = with_log("", false);
            if !is_there {
                disk.unlink("w/log");
            }
            let schedule = Schedule::new(std::iter::repeat_n(0, at as usize).chain([1, 1]));
            let ws = open(&schedule.process(&disk), 2, Order::Forwards);
            let program = schedule.process(&disk);
            let write = || {
                // A call of its own, so that nobody else makes one between the look and the write.
                drop(program.open_root("/w".as_ref()).expect("a directory"));
                let held = disk.read("w/log").unwrap_or_default();
                program.edit("w/log", &[held.as_slice(), b"theirs\n"].concat());
                Answer::Done(None)
            };
            let append = || append(&ws, "log", LINE);
            let answers =
                schedule.run(vec![Box::new(append) as Calls<'_, Answer>, Box::new(write)]);
            calls = schedule.calls() - 2;
            assert!(answers[0].is_done(), "{at}: {answers:?}");
            let held = disk.read("w/log").expect("a log");
            let held = String::from_utf8(held).expect("text");
            let both = [format!("theirs\n{LINE}"), format!("{LINE}theirs\n")];
            assert!(both.contains(&held), "{at}: {held:?} {:?}", disk.trace());
            at += 1;
        }
        assert!(at > 20, "{at}");
    }
}

/// The log is back under its name when the append takes its last look: what had the name meanwhile is not written.
#[test]
fn an_append_goes_to_the_log_that_was_looked_at_and_not_to_one_that_had_its_name_meanwhile() {
    let (mut calls, mut at) = (1, 0);
    while at < calls {
        for gap in 1..3 {
            let disk = with_log(&large(), false);
            let order = std::iter::repeat_n(0, at as usize).chain([1, 1]);
            let schedule = Schedule::new(order.chain(vec![0; gap]).chain([1]));
            let ws = open(&schedule.process(&disk), 2, Order::Forwards);
            let program = schedule.process(&disk);
            let root = program.open_root("/w".as_ref()).expect("a directory");
            let swap = || {
                let (log, old) = (OsStr::new("log"), OsStr::new("log.1"));
                root.rename(log, &*root, old, Replace::No).expect("a rename");
                program.edit("w/log", large().as_bytes());
                root.exchange(log, &*root, old).expect("an exchange");
                Answer::Done(None)
            };
            let append = || append(&ws, "log", LINE);
            let answers = schedule.run(vec![Box::new(append) as Calls<'_, Answer>, Box::new(swap)]);
            calls = calls.max(schedule.calls() - 3);
            let places = ["w/log", "w/log.1"].map(|path| lines(&disk, path));
            let told = format!("{at} + {gap}: {answers:?} {:?}", disk.trace());
            assert!(answers[0].is_done(), "{told}");
            assert_eq!(places, [1, 0], "{told}");
            assert!(begins(&disk, "w/log", &large()) && begins(&disk, "w/log.1", &large()));
        }
        at += 1;
    }
    assert!(at > 20, "{at}");
}
