//! A disk that becomes full in the middle of a batch, and what a probe sees.

use resilient_core::Workspace;
use resilient_core::disk::sim::SimDisk;
use resilient_core::hint::hint;

use crate::oracle::World;
use crate::workload::{Answer, Order, append, create, done, large, open, overwrite, together};

const STATE: &str = "w/.resilient_write";

type Call = fn(&Workspace) -> Answer;

const CREATE: Call = |ws| create(ws, "new.txt", "new\n");
/// So much that the withdrawal of a row needs less.
const APPEND: Call = |ws| append(ws, "log.txt", &"more and more\n".repeat(300));

fn size(disk: &SimDisk) -> usize {
    disk.tree().values().map(Vec::len).sum()
}

/// A disk that has no room for an append in place, and the answers of a batch that has one.
fn batch(calls: &[Call]) -> (SimDisk, Workspace, Vec<Answer>) {
    let begin = || {
        let disk = SimDisk::new();
        disk.set_sector(512);
        disk.write_file("w/log.txt", large().as_bytes());
        disk.write_file("w/old.txt", b"old\n");
        let ws = open(&disk, 1, Order::Forwards);
        done(create(&ws, "warm.txt", "warm\n"));
        (disk, ws)
    };
    let (whole, ws) = begin();
    together(&ws, calls).into_iter().for_each(done);
    let added = whole.read("w/log.txt").expect("the log").len() - large().len();
    let (disk, ws) = begin();
    let _ = disk.clone().with_capacity((size(&whole) - added + 50) as u64);
    let answers = together(&ws, calls);
    (disk, ws, answers)
}

fn is_disk_full(answer: &Answer) -> bool {
    answer.error().is_some_and(|error| format!("{error:?}").contains("StorageFull"))
}

#[test]
fn an_append_that_fails_for_lack_of_room_beside_a_published_call_blocks_nothing() {
    let (disk, ws, answers) = batch(&[CREATE, APPEND]);
    assert!(answers[0].is_done(), "{answers:?}");
    assert!(matches!(answers[1], Answer::Refused(_)), "{answers:?}");
    assert!(is_disk_full(&answers[1]), "{answers:?}");
    let report = ws.recover().expect("recovery needs no room");
    assert!(report.is_empty(), "{report:?}");
    // What needs no more room than there is goes on.
    let _ = disk.clone().with_capacity((size(&disk) + 2000) as u64);
    done(overwrite(&ws, "old.txt", "odd\n"));
    drop(ws);
    let disk = disk.kill();
    open(&disk, 2, Order::Forwards).recover().expect("recovery");
    assert_eq!(disk.read("w/log.txt").as_deref(), Some(large().as_bytes()));
    assert_eq!(World::of(&disk).expect("a sound disk").rows(), 3);
}

#[test]
fn a_write_that_was_taken_back_is_told_once_however_often_recovery_fails() {
    // The row of the append is in front of another one, so that a cut does not take it out.
    let (disk, ws, answers) = batch(&[APPEND, CREATE]);
    let mut told = 0;
    for _ in 0..3 {
        let refused = create(&ws, "n1.txt", &"1\n".repeat(2000));
        assert!(matches!(refused, Answer::Refused(_)), "{refused:?}");
        told += ws.take_notices().withdrawn.len();
    }
    let _ = disk.clone().with_capacity(u64::MAX);
    done(create(&ws, "n2.txt", "2\n"));
    told += ws.take_notices().withdrawn.len();
    assert_eq!(told, 1, "{answers:?}");
    assert_eq!(disk.read("w/log.txt").as_deref(), Some(large().as_bytes()));
    assert_eq!(World::of(&disk).expect("a sound disk").rows(), 3);
}

#[test]
fn a_full_disk_is_seen_by_a_probe() {
    let disk = SimDisk::new();
    disk.mkdir("w");
    let ws = open(&disk, 1, Order::Forwards);
    ws.probe().expect("a disk with room");
    let before = disk.tree();
    drop(ws);
    let ws = open(&disk, 2, Order::Forwards);
    let _ = disk.clone().with_capacity(size(&disk) as u64 + 50);
    let refused = ws.probe().expect_err("a full disk");
    assert!(format!("{refused:?}").contains("StorageFull"), "{refused:?}");
    let _ = disk.clone().with_capacity(u64::MAX);
    ws.probe().expect("there is room again");
    assert!(
        disk.tree()
            .keys()
            .all(|path| before.contains_key(path) || disk.read(path) == Some(Vec::new()))
    );
    done(create(&ws, "new.txt", "new\n"));
}

#[test]
fn a_state_directory_that_takes_no_new_name_is_seen_by_a_probe() {
    let disk = SimDisk::new();
    disk.mkdir("w");
    let ws = open(&disk, 1, Order::Forwards);
    done(create(&ws, "old.txt", "old\n"));
    disk.chmod(STATE, 0o555);
    // A file needs no new name there. A part and a scratch entry do.
    done(create(&ws, "new.txt", "new\n"));
    let part = ws.chunks().append("s", "part\n".to_owned(), None).expect_err("no new directory");
    let refused = ws.probe().expect_err("no new name");
    for error in [part, refused] {
        let hint = hint(&error);
        assert!(hint.contains("the state directory (") && hint.contains("RW_STATE_DIR"), "{hint}");
    }
    disk.chmod(STATE, 0o755);
    ws.probe().expect("it takes names again");
    ws.chunks().append("s", "part\n".to_owned(), None).expect("a part");
}
