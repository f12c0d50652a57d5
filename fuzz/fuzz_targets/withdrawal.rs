//! Whatever stands in the place of the record of a new journal's end: no row in front of the last batch is lost, no
//! answered file is touched, and the next write is answered.
#![no_main]

use libfuzzer_sys::fuzz_target;
use resilient_core::Workspace;
use resilient_core::disk::FixedClock;
use resilient_core::disk::sim::SimDisk;
use resilient_core::scratch::PutRequest;
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

// An offset from the end of the journal, whether the lock file is there, and what stands behind the header or in
// place of all.
fuzz_target!(|parts: (Option<u16>, bool, Vec<u8>)| {
    let (back, is_locked, bytes) = parts;
    let disk = SimDisk::new();
    disk.mkdir("w");
    put(&disk, 1, "one");
    put(&disk, 2, "two");
    let disk = disk.kill();
    let before = disk.read(&format!("{STATE}/journal.jsonl")).expect("the journal");
    let first = before.iter().position(|byte| *byte == b'\n').expect("a row") + 1;
    if !is_locked {
        disk.unlink(&format!("{STATE}/lock"));
    }
    let mut record = match back {
        Some(back) => {
            let offset = (before.len() as u64).wrapping_sub(u64::from(back));
            format!("{{\"offset\":{offset}}}\n").into_bytes()
        }
        None => Vec::new(),
    };
    record.extend(&bytes);
    disk.write_file(&format!("{STATE}/withdrawal"), &record);
    put(&disk, 3, "three");
    let after = disk.read(&format!("{STATE}/journal.jsonl")).expect("the journal");
    // What is decided stays, as far as the lock file says so.
    let kept = if is_locked { &before[..] } else { &before[..first] };
    assert!(after.starts_with(kept));
    let kept = disk.tree().into_iter().filter(|(path, _)| path.ends_with(".bin")).count();
    assert_eq!(kept, 3);
    open(&disk, 4).verify_journal().expect("a walk");
});
