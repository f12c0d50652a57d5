//! What a call holds of a large file at once: the simulated disk knows its largest read.

use resilient_core::digest::Digest;
use resilient_core::disk::sim::SimDisk;

use crate::workload::{Order, open};

/// Twice what any call reads at once.
const BOUND: usize = 512 * 1024;

#[test]
fn composing_over_a_large_file_that_has_the_marks_already_holds_a_part_of_it() {
    let mark = "key = \"<REDACTED:api_key:1>\"\n";
    let half = "a line of the file\n".repeat(50_000);
    let disk = SimDisk::new();
    disk.mkdir("w");
    disk.write_file("w/a.txt", [&half, mark, &half].concat().as_bytes());
    let ws = open(&disk, 1, Order::Forwards);
    let parts = ["another line\n", mark, &half].map(str::to_owned);
    for part in parts.clone() {
        ws.chunks().append("s", part, None).expect("a part");
    }
    drop(ws);
    let disk = disk.kill();
    let receipt = open(&disk, 2, Order::Forwards).compose("s", "a.txt", "", false).expect("a file");
    assert_eq!(receipt.sha256, Digest::of(parts.concat().as_bytes()));
    assert_eq!(disk.read("w/a.txt"), Some(parts.concat().into_bytes()));
    assert!(disk.largest_read() < BOUND, "{} bytes", disk.largest_read());
}

#[test]
fn a_report_on_a_long_journal_holds_a_part_of_it() {
    let row = format!(
        "{{\"bytes\":1,\"caller\":\"x\",\"journal_id\":\"wj_0\",\"mode\":\"create\",\"path\":\"a\",\
         \"sha256\":\"{}\",\"ts\":\"2026-11-21T10:00:00Z\"}}\n",
        Digest::of(b"a")
    );
    let disk = SimDisk::new();
    disk.mkdir("w");
    disk.mkdir("w/.resilient_write");
    disk.write_file("w/.resilient_write/journal.jsonl", row.repeat(10_000).as_bytes());
    let ws = open(&disk, 1, Order::Forwards);
    assert_eq!(ws.analytics(None, None).expect("a report").total_writes, 10_000);
    assert_eq!(ws.verify_journal().expect("an answer").rows, 10_000);
    assert!(disk.largest_read() < BOUND, "{} bytes", disk.largest_read());
}
