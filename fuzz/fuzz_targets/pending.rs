//! Whatever lies in `pending/` under the name of a row: no answered file is touched, nothing outside of the workspace
//! is made, no other call is refused, and what waits can be given up.
#![no_main]

use libfuzzer_sys::fuzz_target;
use resilient_core::Workspace;
use resilient_core::digest::Digest;
use resilient_core::disk::FixedClock;
use resilient_core::disk::sim::SimDisk;
use resilient_core::journal::Row;
use resilient_core::scratch::PutRequest;
use std::ffi::OsString;
use std::sync::Arc;

const STATE: &str = "w/.resilient_write";

fn open(disk: &SimDisk, seed: u64) -> Workspace {
    let clock = Arc::new(FixedClock::new(1_790_000_000, seed << 32));
    Workspace::builder("/w").disk(Arc::new(disk.clone())).clock(clock).open()
}

fn put(disk: &SimDisk, seed: u64, content: &str) {
    let request = PutRequest { content: content.to_owned(), ..PutRequest::default() };
    open(disk, seed).scratch().put(request).expect("an answer");
}

/// The name of the file of a row with at most two slots of its own. That of another row is taken for a damaged one.
fn name_of(row: &Row) -> String {
    let slots = row.staged.iter().chain(&row.undo).map(OsString::from);
    let slots: Vec<OsString> = slots.collect();
    let identity = format!("{} {:?} {slots:?}", row.journal_id, row.abs_path);
    format!("{}.row", Digest::of(identity.as_bytes()))
}

fuzz_target!(|parts: (Vec<u8>, Vec<u8>)| {
    let (bytes, slot) = parts;
    let disk = SimDisk::new();
    disk.write_file("outside/a.txt", b"outside\n");
    disk.mkdir("w");
    put(&disk, 1, "one");
    let disk = disk.kill();
    let row = Row::parse(&bytes);
    let name = row.as_ref().map_or_else(|| format!("{}.row", Digest::of(&bytes)), name_of);
    disk.write_file(&format!("{STATE}/pending/{name}"), &bytes);
    disk.write_file(&format!("{STATE}/tmp/s-1-1"), &slot);
    let outside = |disk: &SimDisk| {
        let tree = disk.tree().into_iter();
        tree.filter(|(path, _)| !path.starts_with("w/")).collect::<Vec<_>>()
    };
    let before = outside(&disk);
    let ws = open(&disk, 2);
    let _ = ws.recover();
    put(&disk, 3, "two");
    let report = ws.abandon_pending().expect("recovery");
    assert!(report.pending.is_empty(), "{report:?}");
    assert_eq!(outside(&disk), before);
    // What the row was for is there, or it is kept: a slot is never lost.
    let held = disk.tree().into_values().any(|bytes| bytes == slot);
    assert!(held || slot.is_empty() || row.is_some(), "{report:?}");
    open(&disk, 4).verify_journal().expect("a walk");
});
