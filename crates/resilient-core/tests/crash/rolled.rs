//! A loss of power around the closing of a journal.

use std::sync::Arc;

use resilient_core::Workspace;
use resilient_core::digest::Digest;
use resilient_core::disk::FixedClock;
use resilient_core::disk::sim::{Fault, FaultKind, Model, SimDisk};

use crate::workload::{Order, create, open, overwrite};

const JOURNAL: &str = "w/.resilient_write/journal.jsonl";

/// A process that closes the journal before its first call.
fn closing(disk: &SimDisk) -> Workspace {
    Workspace::builder("/w")
        .disk(Arc::new(disk.clone()))
        .clock(Arc::new(FixedClock::new(1_790_000_000, 0x0246_8ACF)))
        .longest_journal(1)
        .open()
}

fn with_three_rows() -> SimDisk {
    let disk = SimDisk::new();
    disk.mkdir("w");
    let ws = open(&disk, 1, Order::Forwards);
    assert!(create(&ws, "a.txt", "1").is_done());
    assert!(overwrite(&ws, "a.txt", "2").is_done());
    assert!(overwrite(&ws, "a.txt", "3").is_done());
    disk
}

/// A row as the Python server writes it.
fn row_of_python(name: &str) -> String {
    let sha256 = Digest::of(b"x\n");
    let row = format!(
        "{{\"bytes\":2,\"caller\":\"resilient-write\",\"journal_id\":\"wj_{name}\",\"mode\":\"create\",\
         \"path\":\"{name}\",\"sha256\":\"{sha256}\",\"ts\":\"2026-11-21T10:00:00Z\"}}"
    );
    row + "\n"
}

/// A state directory of the Python server.
fn with_rows_of_python() -> SimDisk {
    let disk = SimDisk::new();
    disk.write_file(JOURNAL, ["a", "b", "c"].map(row_of_python).concat().as_bytes());
    disk
}

/// The marker of the last writer is not synced: an earlier one may be all that is left of it.
#[test]
fn a_loss_of_power_after_a_journal_was_closed_is_no_lack_of_rows() {
    for begin in [with_three_rows, with_rows_of_python] {
        let disk = begin();
        let first = disk.ops();
        assert!(create(&closing(&disk), "b.txt", "x").is_done());
        for at in first..=disk.ops() {
            let disk = begin();
            disk.plan(Fault { at, kind: FaultKind::PowerCut });
            drop(create(&closing(&disk), "b.txt", "x"));
            let check = |disk: &SimDisk, place: &dyn Fn() -> String| {
                let ws = open(disk, 3, Order::Forwards);
                let found = ws.verify_journal().expect("verified");
                assert_eq!(found.missing_bytes, 0, "{}", place());
                let report = ws.recover().expect("recovery");
                assert_eq!(report.missing, 0, "{}", place());
            };
            check(&disk.kill(), &|| format!("killed at {at}"));
            for model in [Model::Strict, Model::Ordered] {
                let states = disk.crash_states(model, 50);
                for index in 0..states.len() {
                    let lost = states.get(index).expect("a state");
                    check(&lost, &|| format!("{model:?}, at {at}\n{}", states.describe(index)));
                }
            }
        }
    }
}

#[test]
fn numbers_and_chain_go_on_behind_a_journal_in_which_only_others_have_written() {
    let disk = with_three_rows();
    let close = |disk: &SimDisk| assert!(!create(&closing(disk), "a.txt", "is there").is_done());
    close(&disk);
    disk.write_file(JOURNAL, row_of_python("b.txt").as_bytes());
    close(&disk);
    assert!(disk.tree().contains_key("w/.resilient_write/journal/000002.jsonl"));
    // Nothing tells the next process where the chain ends but the closed journals.
    disk.unlink("w/.resilient_write/lock");
    let ws = open(&disk, 3, Order::Forwards);
    assert!(create(&ws, "c.txt", "x").is_done());
    let found = ws.verify_journal().expect("verified");
    assert_eq!((found.rows, found.breaks), (5, Vec::new()));
    let row = disk.read(JOURNAL).expect("a journal");
    assert!(String::from_utf8_lossy(&row).contains("\"seq\":4,"));
}
