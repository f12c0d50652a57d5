//! Whatever the lock file holds: no answered file is touched, no row of one is lost that was not the last, and the
//! next write is answered.
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

fuzz_target!(|parts: (Vec<u8>, Vec<u8>)| {
    let (marker, behind) = parts;
    let disk = SimDisk::new();
    disk.mkdir("w");
    put(&disk, 1, "one");
    put(&disk, 2, "two");
    let disk = disk.kill();
    let path = format!("{STATE}/lock");
    // A mutation of the real one goes further than any other bytes.
    let mut lock = disk.read(&path).expect("the marker");
    for (byte, change) in lock.iter_mut().zip(&marker) {
        *byte ^= change;
    }
    lock.truncate(lock.len().min(marker.len() * 2));
    lock.extend(&behind);
    disk.write_file(&path, &lock);
    put(&disk, 3, "three");
    let journal = open(&disk, 4).verify_journal().expect("a walk");
    assert!(journal.breaks.is_empty() && journal.rows == 3, "{journal:?}");
    let kept = disk.tree().into_iter().filter(|(path, _)| path.ends_with(".bin")).count();
    assert_eq!(kept, 3);
});
