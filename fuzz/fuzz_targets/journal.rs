//! Any journal is reported on; a row that is read is written again as the same row.
#![no_main]

use libfuzzer_sys::fuzz_target;
use resilient_core::analytics::{self, Query};
use resilient_core::journal::Row;

fuzz_target!(|journal: &[u8]| {
    let report = analytics::report(journal, &Query::default());
    let lines = journal.split(|byte| *byte == b'\n');
    let rows: Vec<Row> = lines.filter_map(Row::parse).collect();
    assert_eq!(report.total_writes, rows.len() as u64);
    for row in rows {
        let again = serde_json::to_vec(&row).expect("a row is JSON");
        assert_eq!(Row::parse(&again), Some(row));
    }
});
