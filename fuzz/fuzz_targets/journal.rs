//! Any journal is read, walked and reported on; a row that is read is written again as the same row.
#![no_main]

use libfuzzer_sys::fuzz_target;
use resilient_core::disk::sim::SimDisk;
use resilient_core::journal::{Filter, Row};
use resilient_core::Workspace;
use std::sync::Arc;

fuzz_target!(|journal: &[u8]| {
    let disk = SimDisk::new();
    disk.write_file("w/.resilient_write/journal.jsonl", journal);
    let workspace = Workspace::builder("/w").disk(Arc::new(disk)).open();
    let lines = journal.split(|byte| *byte == b'\n');
    let rows: Vec<Row> = lines.filter_map(Row::parse).collect();
    // Recovery may cut a torn line and take rows out, so that this is no more than the bytes have.
    let report = workspace.analytics(None, None).expect("a report");
    assert!(report.total_writes <= rows.len() as u64);
    workspace.verify_journal().expect("a walk");
    workspace.journal_tail(20, &Filter::default()).expect("a tail");
    for row in rows {
        let again = serde_json::to_vec(&row).expect("a row is JSON");
        assert_eq!(Row::parse(&again), Some(row));
    }
});
