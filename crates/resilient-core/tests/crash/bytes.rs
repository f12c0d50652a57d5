//! The bytes of a batch: many large writes are committed in parts, and other processes wait for no more than one.

use resilient_core::Workspace;
use resilient_core::disk::sim::{Fault, FaultKind, Model, SimDisk};
use resilient_core::journal::Row;

use crate::campaign::recover;
use crate::workload::{Answer, Order, create, done, open, together};

const JOURNAL: &str = "w/.resilient_write/journal.jsonl";
/// Two of them are more than what a batch may stage.
const LEN: usize = 33 << 20;

fn large(ws: &Workspace, path: &str, byte: &str) -> Answer {
    create(ws, path, &byte.repeat(LEN))
}

fn three(ws: &Workspace) -> Vec<Answer> {
    together(
        ws,
        &[|ws| large(ws, "1.txt", "1"), |ws| large(ws, "2.txt", "2"), |ws| large(ws, "3.txt", "3")],
    )
}

fn begin() -> (SimDisk, Workspace) {
    let disk = SimDisk::new();
    disk.mkdir("w");
    let ws = open(&disk, 1, Order::Forwards);
    done(create(&ws, "warm.txt", "warm\n"));
    (disk, ws)
}

#[test]
fn a_batch_is_cut_by_its_bytes_and_each_part_is_durable_by_itself() {
    let (disk, ws) = begin();
    let first = disk.ops();
    three(&ws).into_iter().for_each(done);
    let journal = disk.read(JOURNAL).expect("rows");
    let rows = journal.split(|byte| *byte == b'\n').filter_map(Row::parse);
    let batches: Vec<_> = rows.map(|row| (row.path, row.batch.expect("a batch"))).collect();
    let expected = [("warm.txt", 1), ("1.txt", 2), ("2.txt", 2), ("3.txt", 4)];
    assert_eq!(batches, expected.map(|(path, batch)| (path.to_owned(), batch)));
    // The power goes right before the rows of the second part.
    let is_rows = |line: &String| line.starts_with("write w/.resilient_write/journal.jsonl ");
    let mut writes = (first..).zip(disk.trace().split_off(first as usize));
    let at = writes.by_ref().filter(|(_, line)| is_rows(line)).nth(1).expect("two batches").0;
    drop(disk);
    let (disk, ws) = begin();
    disk.plan(Fault { at, kind: FaultKind::PowerCut });
    let answers = three(&ws);
    let are_done: Vec<bool> = answers.iter().map(Answer::is_done).collect();
    assert_eq!(are_done, [true, true, false]);
    let bare = disk.crash_states(Model::Strict, 1).get(0).expect("a state");
    recover(&bare, 90).expect("recovery");
    for (path, byte) in [("w/1.txt", b'1'), ("w/2.txt", b'2')] {
        let content = bare.read(path).expect("the file");
        assert!(content.len() == LEN && content.iter().all(|found| *found == byte), "{path}");
    }
    assert_eq!(bare.read("w/3.txt"), None);
    let rows = bare.read(JOURNAL).expect("rows");
    assert_eq!(rows.iter().filter(|byte| **byte == b'\n').count(), 3);
}
