//! A loss of power around the closing of a journal.

use std::sync::Arc;

use resilient_core::Workspace;
use resilient_core::disk::FixedClock;
use resilient_core::disk::sim::{Fault, FaultKind, Model, SimDisk};

use crate::workload::{Order, create, open, overwrite};

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

/// The marker of the last writer is not synced: an earlier one may be all that is left of it.
#[test]
fn a_loss_of_power_after_a_journal_was_closed_is_no_lack_of_rows() {
    let disk = with_three_rows();
    let first = disk.ops();
    assert!(create(&closing(&disk), "b.txt", "x").is_done());
    for at in first..=disk.ops() {
        for model in [Model::Strict, Model::Ordered] {
            let disk = with_three_rows();
            disk.plan(Fault { at, kind: FaultKind::PowerCut });
            drop(create(&closing(&disk), "b.txt", "x"));
            let states = disk.crash_states(model, 50);
            for index in 0..states.len() {
                let lost = states.get(index).expect("a state");
                let found = open(&lost, 3, Order::Forwards).verify_journal().expect("verified");
                let place = || format!("{model:?}, at {at}\n{}", states.describe(index));
                assert_eq!(found.missing_bytes, 0, "{}", place());
            }
        }
    }
}
