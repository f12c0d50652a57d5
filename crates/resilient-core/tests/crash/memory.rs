//! What a call holds of a large file at once: the simulated disk knows its largest read.

use resilient_core::Workspace;
use resilient_core::chunk::PreviewRequest;
use resilient_core::digest::Digest;
use resilient_core::disk::sim::{Fault, FaultKind, SimDisk};
use resilient_core::form::Asked;
use resilient_core::journal::Filter;
use resilient_core::write::{WriteMode, WriteRequest};

use crate::workload::{Answer, Order, append, composing, open, overwrite};

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
    let receipt =
        open(&disk, 2, Order::Forwards).compose(composing("a.txt", false)).expect("a file");
    assert_eq!(receipt.sha256, Digest::of(parts.concat().as_bytes()));
    assert_eq!(disk.read("w/a.txt"), Some(parts.concat().into_bytes()));
    assert!(disk.largest_read() < BOUND, "{} bytes", disk.largest_read());
}

/// Parts that are far longer than what a call may hold.
#[test]
fn a_long_session_is_composed_and_previewed_a_part_at_a_time() {
    let disk = SimDisk::new();
    disk.mkdir("w");
    let part = "a line of a long part\n".repeat(100_000);
    let ws = open(&disk, 1, Order::Forwards);
    for _ in 0..4 {
        ws.chunks().append("s", part.clone(), None).expect("a part");
    }
    drop(ws);
    let disk = disk.kill();
    let ws = open(&disk, 2, Order::Forwards);
    let page = ws.chunks().preview(&PreviewRequest::of("s")).expect("a page");
    assert_eq!((page.content.len(), page.total_bytes), (65_536, 4 * part.len() as u64));
    let receipt = ws.compose(composing("a.txt", false)).expect("a file");
    assert_eq!(receipt.bytes, 4 * part.len() as u64);
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

#[test]
fn recovery_of_an_append_does_not_read_the_file_in_front_of_it() {
    let long = "a line of the file\n".repeat(200_000);
    let begin = || {
        let disk = SimDisk::new();
        disk.mkdir("w");
        disk.write_file("w/a.txt", long.as_bytes());
        let ws = open(&disk, 1, Order::Forwards);
        (disk, ws)
    };
    let (disk, ws) = begin();
    let first = disk.ops();
    assert!(append(&ws, "a.txt", "one line more\n").is_done());
    let is_write = |line: &String| line.starts_with("write w/a.txt");
    let at = (first..).zip(disk.trace().split_off(first as usize)).find(|(_, line)| is_write(line));
    let (at, _) = at.expect("the append");
    for (at, added) in [(at, ""), (at + 1, "one line more\n")] {
        let (disk, ws) = begin();
        disk.plan(Fault { at, kind: FaultKind::PowerCut });
        let _ = append(&ws, "a.txt", "one line more\n");
        let disk = disk.kill();
        open(&disk, 2, Order::Forwards).recover().expect("recovery");
        assert!(disk.asked_for() < 2 << 20, "{} bytes, at {at}", disk.asked_for());
        assert!(disk.read("w/a.txt") == Some([&long, added].concat().into_bytes()), "at {at}");
        let tail = open(&disk, 3, Order::Forwards).journal_tail(9, &Filter::default());
        assert_eq!(tail.expect("a tail").entries.len(), usize::from(!added.is_empty()));
    }
}

/// No other call waits while a long file is read, neither of this process nor of another one.
#[test]
fn a_long_file_is_digested_while_others_have_the_lock() {
    const LEN: usize = 9 << 20;
    let calls: [fn(&Workspace) -> Answer; 2] =
        [|ws| append(ws, "a.txt", "end\n"), |ws| overwrite(ws, "a.txt", "new\n")];
    for call in calls {
        let disk = SimDisk::new();
        disk.mkdir("w");
        disk.write_file("w/a.txt", &vec![b'x'; LEN]);
        let ws = open(&disk, 1, Order::Forwards);
        assert!(overwrite(&ws, "b.txt", "warm\n").is_done());
        let (read, read_under_lock) = (disk.asked_for(), disk.asked_for_under_lock());
        let answer = call(&ws);
        assert!(answer.is_done(), "{answer:?}");
        assert!(disk.asked_for() - read > LEN as u64, "the file was read");
        let read = disk.asked_for_under_lock() - read_under_lock;
        assert!(read < LEN as u64 / 2, "{read} bytes while others wait");
        // Somebody writes it in place: what was known of it counts no more.
        disk.edit("w/a.txt", &vec![b'y'; LEN]);
        let expected = Digest::of(&vec![b'y'; LEN]).to_string();
        let known = WriteRequest {
            path: "a.txt".to_owned(),
            content: "last\n".to_owned(),
            mode: WriteMode::Overwrite,
            expected_prev_sha256: Some(expected),
            reject_at: None,
            validate: false,
            form: Asked::default(),
            allow_shrink: false,
        };
        ws.write(known).expect("the digest of what is there");
    }
}
