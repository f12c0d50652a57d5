//! Overwrites as exchanges: what an editor saves meanwhile, copies of a state directory, and file systems
//! that cannot exchange.

use std::ffi::OsStr;
use std::path::Path;

use resilient_core::Workspace;
use resilient_core::digest::Digest;
use resilient_core::disk::Disk;
use resilient_core::disk::sim::{Calls, Fault, FaultKind, Model, Schedule, SimDisk};
use resilient_core::form::Asked;
use resilient_core::write::{WriteMode, WriteRequest};

use crate::campaign::{Rig, is_publish, recover};
use crate::workload::{Answer, Order, append, create, open, overwrite, scenario};

const SAVED: &[u8] = b"saved by an editor";

/// A disk with `a.txt`, written by this library.
fn with_a() -> SimDisk {
    let disk = SimDisk::new();
    disk.mkdir("w");
    let ws = open(&disk, 1, Order::Forwards);
    assert!(create(&ws, "a.txt", "the old content").is_done());
    disk
}

/// A copy of all files on another disk, as `cp -a` makes it: each has another number.
fn copy_of(disk: &SimDisk) -> SimDisk {
    let copy = SimDisk::new();
    (0..1000).for_each(|number| copy.write_file(&format!("numbers/{number}"), b""));
    disk.dirs().iter().for_each(|dir| copy.mkdir(dir));
    disk.tree().iter().for_each(|(path, bytes)| copy.write_file(path, bytes));
    copy
}

/// What is in `conflicts/`.
fn kept(disk: &SimDisk) -> Vec<Vec<u8>> {
    let files = disk.tree().into_iter();
    files
        .filter(|(path, _)| path.contains("/conflicts/") && path.ends_with(".bin"))
        .map(|(_, bytes)| bytes)
        .collect()
}

/// An overwrite of `a.txt` for the old content alone.
fn write_for_old(ws: &Workspace) -> Answer {
    write_over_old(ws, "a.txt")
}

fn write_over_old(ws: &Workspace, path: &str) -> Answer {
    let request = WriteRequest {
        path: path.to_owned(),
        content: "the new content".to_owned(),
        mode: WriteMode::Overwrite,
        expected_prev_sha256: Some(Digest::of(b"the old content").to_string()),
        reject_at: None,
        validate: false,
        form: Asked::default(),
        allow_shrink: false,
    };
    Answer::of(ws.write(request), |receipt| Some(receipt.journal_id))
}

#[test]
fn a_save_at_any_moment_of_an_overwrite_is_never_lost() {
    let (mut calls, mut at) = (1, 0);
    let (mut stale, mut later) = (0, 0);
    while at < calls {
        let disk = with_a();
        let schedule = Schedule::new(std::iter::repeat_n(0, at as usize).chain([1]));
        let ws = open(&schedule.process(&disk), 2, Order::Forwards);
        let editor = schedule.process(&disk);
        let write = || write_for_old(&ws);
        let save = || {
            // As editors do: a new file takes the name.
            editor.save("w/a.txt", SAVED);
            Answer::Done(None)
        };
        let answers = schedule.run(vec![Box::new(write) as Calls<'_, Answer>, Box::new(save)]);
        calls = schedule.calls();
        // The write is for the old content alone: it is refused, or the save came behind it.
        let now = disk.read("w/a.txt").expect("a file");
        assert!(now == SAVED, "at {at}: {:?}", String::from_utf8_lossy(&now));
        if answers[0].is_done() {
            later += 1;
        } else {
            stale += 1;
        }
        recover(&disk, 3).expect("recovery");
        let after = disk.read("w/a.txt").expect("a file");
        assert!(after == now, "recovery changed it, at {at}");
        at += 1;
    }
    assert!(stale > 0 && later > 0, "{stale} refused, {later} saved later");
}

/// A program writes into the file right before the exchange, which is taken back; the process is killed before that is
/// durable, and the power goes in recovery. The file lies below the workspace, whose own directory recovery syncs first.
#[test]
fn an_exchange_that_was_taken_back_and_not_synced_survives_every_crash_of_recovery() {
    let run = |at: u64, fault: Option<Fault>| {
        let disk = SimDisk::new();
        disk.mkdir("w/d");
        assert!(create(&open(&disk, 1, Order::Forwards), "d/a.txt", "the old content").is_done());
        fault.into_iter().for_each(|fault| disk.plan(fault));
        let schedule = Schedule::new(std::iter::repeat_n(0, at as usize).chain([1]));
        let ws = open(&schedule.process(&disk), 2, Order::Forwards);
        let writer = schedule.process(&disk);
        let append = || {
            writer.append("w/d/a.txt", b"a line through an open handle\n");
            Answer::Done(None)
        };
        let write: Calls<'_, Answer> = Box::new(|| write_over_old(&ws, "d/a.txt"));
        schedule.run(vec![write, Box::new(append)]);
        (disk, schedule.calls())
    };
    let (mut calls, mut at, mut taken_back) = (1, 0, 0);
    while at < calls {
        let (disk, made) = run(at, None);
        calls = made;
        let exchanges = (0..).zip(disk.trace()).filter(|(_, line)| line.starts_with("exchange"));
        let exchanges: Vec<u64> = exchanges.map(|(op, _)| op).collect();
        if let [_, back] = exchanges[..] {
            taken_back += 1;
            let (disk, _) = run(at, Some(Fault { at: back + 1, kind: FaultKind::PowerCut }));
            let whole = disk.kill();
            recover(&whole, 3).expect("recovery");
            for killed_at in 0..=whole.ops() {
                // Recovery is killed, too. The last time it is not.
                let killed = disk.kill();
                killed.plan(Fault { at: killed_at, kind: FaultKind::PowerCut });
                let _ = recover(&killed, 3);
                let again = killed.kill();
                recover(&again, 4).expect("recovery");
                for cut_at in 0..=again.ops() {
                    let cut = killed.kill();
                    cut.plan(Fault { at: cut_at, kind: FaultKind::PowerCut });
                    let _ = recover(&cut, 4);
                    let states = cut.crash_states(Model::Strict, 12);
                    for index in 0..states.len() {
                        let lost = states.get(index).expect("a state");
                        recover(&lost, 5).expect("recovery");
                        let place = format!("{killed_at}, {cut_at}: {}", states.describe(index));
                        let now = lost.read("w/d/a.txt").expect("a file");
                        let has_row = rows(&open(&lost, 6, Order::Forwards)).len() == 2;
                        assert_eq!(now == b"the new content", has_row, "{place}");
                        let is_old = now.starts_with(b"the old content");
                        assert!(is_old || has_row, "{place}");
                    }
                }
            }
        }
        at += 1;
    }
    assert!(taken_back > 0, "no exchange was taken back");
}

#[test]
fn a_file_that_came_out_and_is_written_into_is_kept() {
    // Killed right behind the exchange; somebody has the old file open.
    let rig = Rig::new(scenario("overwrite"), Order::Forwards);
    let exchange = rig.ops(is_publish)[0];
    let (disk, _) = rig.run(&[Fault { at: exchange + 1, kind: FaultKind::PowerCut }], |_| {});
    let disk = disk.kill();
    let slot = disk
        .tree()
        .into_iter()
        .find(|(path, bytes)| path.contains("/tmp/s-") && !bytes.is_empty())
        .map(|(path, _)| path)
        .expect("the file before");
    disk.edit(&slot, b"written through an open handle");
    let report = open(&disk, 3, Order::Forwards).recover().expect("recovery");
    assert_eq!(disk.read("w/a.txt").as_deref(), Some(&b"the new content\n"[..]));
    assert_eq!(kept(&disk), [b"written through an open handle".to_vec()]);
    let digest = Digest::of(b"written through an open handle");
    assert_eq!(report.conflicts[0].kept_sha256, digest);
    assert_eq!(report.conflicts[0].path, "a.txt");
    // The row stays.
    let ws = open(&disk, 4, Order::Forwards);
    assert_eq!(rows(&ws).len(), rig.expected.rows_before() + 1);
}

fn rows(ws: &Workspace) -> Vec<String> {
    let tail = ws.journal_tail(99, &Default::default()).expect("a tail");
    tail.entries.into_iter().map(|entry| entry.journal_id).collect()
}

#[test]
fn equal_bytes_in_another_file_are_somebody_elses() {
    // The row and the slot are durable, the exchange is not made; an editor saves what was there.
    let rig = Rig::new(scenario("overwrite"), Order::Forwards);
    let exchange = rig.ops(is_publish)[0];
    let (disk, _) = rig.run(&[Fault { at: exchange, kind: FaultKind::PowerCut }], |_| {});
    let disk = disk.kill();
    let old = disk.read("w/a.txt").expect("a file");
    disk.save("w/a.txt", &old);
    recover(&disk, 3).expect("recovery");
    assert_eq!(disk.read("w/a.txt"), Some(old));
    assert_eq!(kept(&disk), [b"the new content\n".to_vec()]);
}

#[test]
fn a_copied_state_directory_takes_no_file_for_another() {
    let rig = Rig::new(scenario("overwrite"), Order::Forwards);
    let exchange = rig.ops(is_publish)[0];
    // Before the exchange, and behind it.
    for (at, row, content) in
        [(exchange, 0, "the old content\n"), (exchange + 1, 1, "the new content\n")]
    {
        let (disk, _) = rig.run(&[Fault { at, kind: FaultKind::PowerCut }], |_| {});
        let before = disk.kill();
        let copy = copy_of(&before);
        recover(&copy, 3).expect("recovery");
        assert_eq!(copy.read("w/a.txt").as_deref(), Some(content.as_bytes()), "at {at}");
        let ws = open(&copy, 4, Order::Forwards);
        assert_eq!(rows(&ws).len(), rig.expected.rows_before() + row, "at {at}");
        // It goes on as a state directory of its own.
        assert!(overwrite(&ws, "a.txt", "written in the copy").is_done());
        assert_eq!(copy.read("w/a.txt").as_deref(), Some(&b"written in the copy"[..]));
    }
}

#[test]
fn an_overwrite_without_exchange_survives_every_loss_of_power() {
    let disk = with_a().without_exchange();
    let begin = disk.ops();
    let ws = open(&disk, 2, Order::Forwards);
    assert!(overwrite(&ws, "a.txt", "the new content").is_done());
    let end = disk.ops();
    assert!(disk.trace().iter().all(|line| !line.starts_with("exchange")));
    for at in begin..end {
        let disk = with_a().without_exchange();
        disk.plan(Fault { at, kind: FaultKind::PowerCut });
        let answer = overwrite(&open(&disk, 2, Order::Forwards), "a.txt", "the new content");
        for lost in disk.crash_states(Model::Strict, 8).iter().chain([disk.kill()]) {
            recover(&lost, 3).expect("recovery");
            let now = lost.read("w/a.txt").expect("a file");
            let is_new = now == b"the new content";
            assert!(is_new || now == b"the old content", "at {at}");
            assert!(is_new || !answer.is_done(), "an answered write is lost, at {at}");
            let ws = open(&lost, 4, Order::Forwards);
            assert_eq!(rows(&ws).len(), 1 + usize::from(is_new), "at {at}");
        }
    }
}

#[test]
fn a_slot_that_leads_to_the_new_file_too_is_only_a_second_name() {
    // Without a log, a loss of power may keep the target's half of an exchange alone.
    let rig = Rig::new(scenario("overwrite"), Order::Forwards);
    let exchange = rig.ops(is_publish)[0];
    let (disk, _) = rig.run(&[Fault { at: exchange, kind: FaultKind::PowerCut }], |_| {});
    let disk = disk.kill();
    let slot = disk
        .tree()
        .into_iter()
        .find(|(path, bytes)| path.contains("/tmp/s-") && !bytes.is_empty())
        .map(|(path, _)| path)
        .expect("the slot");
    disk.unlink("w/a.txt");
    disk.hard_link(&slot, "w/a.txt");
    recover(&disk, 3).expect("recovery");
    assert_eq!(disk.read("w/a.txt").as_deref(), Some(&b"the new content\n"[..]));
    assert_eq!((disk.read(&slot), kept(&disk)), (None, Vec::new()));
    let ws = open(&disk, 4, Order::Forwards);
    assert_eq!(rows(&ws).len(), rig.expected.rows_before() + 1);
    // The file is written again: it has no other name that would hold a write in place.
    assert!(overwrite(&ws, "a.txt", "once more").is_done());
}

/// A program has the file open and logs a line at any moment of the call.
#[test]
fn a_line_through_an_open_handle_is_lost_only_when_the_file_is_removed_before() {
    let line = b"a line of a log\n";
    let calls: [fn(&Workspace) -> Answer; 2] = [write_for_old, |ws| append(ws, "a.txt", "more\n")];
    for call in calls {
        let (mut calls, mut at) = (1, 0);
        let (mut told, mut losing) = (0, 0);
        while at < calls {
            let disk = with_a();
            let schedule = Schedule::new(std::iter::repeat_n(0, at as usize).chain([1, 1]));
            let ws = open(&schedule.process(&disk), 2, Order::Forwards);
            let program = schedule.process(&disk);
            let root = program.open_root(Path::new("/w")).expect("a directory");
            let file = root.open_write(OsStr::new("a.txt")).expect("the file");
            let log = || {
                let len = disk.read("w/a.txt").map_or(0, |bytes| bytes.len() as u64);
                file.write_all_at(line, len).expect("a write");
                // Whether it had a name still.
                Answer::Done((file.stat().expect("a file").links > 0).then(String::new))
            };
            let writes = Box::new(|| call(&ws)) as Calls<'_, Answer>;
            let answers = schedule.run(vec![writes, Box::new(log)]);
            calls = schedule.calls();
            let has_line = |bytes: &Vec<u8>| bytes.windows(line.len()).any(|part| part == line);
            let is_kept = kept(&disk).iter().any(has_line);
            let report = ws.take_notices();
            assert_eq!(is_kept, !report.conflicts.is_empty(), "at {at}: {report:?}");
            let is_there = disk.read("w/a.txt").as_ref().is_some_and(has_line);
            told += u32::from(is_kept);
            losing += u32::from(!is_kept && !is_there && answers[1].row().is_some());
            // It is told once, and costs no row.
            assert!(recover(&disk, 3).is_ok());
            let ws = open(&disk, 4, Order::Forwards);
            assert_eq!(rows(&ws).len(), 1 + usize::from(answers[0].is_done()), "at {at}");
            at += 1;
        }
        assert!(told > 1, "{told} of {calls} are kept");
        // Between the last look and the removal.
        assert!(losing <= 1, "{losing} of {calls} are lost");
    }
}
