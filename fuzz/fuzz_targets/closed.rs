//! Whatever lies beside a closed journal as its index and sums: no answer depends on more than what may be
//! derived anew, and none panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use resilient_core::Workspace;
use resilient_core::disk::sim::SimDisk;
use resilient_core::journal::Filter;
use std::sync::Arc;

const STATE: &str = "w/.resilient_write";

fuzz_target!(|parts: (Vec<u8>, Vec<u8>, Vec<u8>, Vec<u8>)| {
    let (closed, current, index, sums) = parts;
    let disk = SimDisk::new();
    disk.write_file(&format!("{STATE}/journal.jsonl"), &current);
    disk.write_file(&format!("{STATE}/journal/000001.jsonl"), &closed);
    disk.write_file(&format!("{STATE}/journal/000001.idx"), &index);
    disk.write_file(&format!("{STATE}/journal/000001.sum"), &sums);
    let workspace = Workspace::builder("/w").disk(Arc::new(disk)).open();
    let _ = workspace.analytics(None, None);
    let _ = workspace.verify_journal();
    let filter = Filter { path: Some("a".to_owned()), ..Filter::default() };
    let tail = workspace.journal_tail(20, &filter);
    assert!(tail.is_ok_and(|tail| tail.entries.iter().all(|entry| entry.path == "a")));
});
