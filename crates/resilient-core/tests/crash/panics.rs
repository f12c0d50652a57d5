//! A commit that panics: its calls are answered, and the process goes on.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use resilient_core::Error;
use resilient_core::disk::sim::SimDisk;
use resilient_core::disk::{DirRef, Disk, Stat, SyncItem};

use crate::workload::{Answer, ROOT, create, done, open_on, together};

/// A disk that panics at the next wait.
#[derive(Debug)]
struct Panicking(SimDisk, Arc<AtomicBool>);

impl Disk for Panicking {
    fn open_root(&self, path: &Path) -> io::Result<DirRef> {
        self.0.open_root(path)
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.0.stat(path)
    }

    fn sync_all(&self, items: &[SyncItem]) -> Vec<io::Result<()>> {
        assert!(!self.1.swap(false, Ordering::Relaxed), "as planned");
        items.iter().map(SyncItem::sync).collect()
    }
}

#[test]
fn a_panic_in_a_commit_is_answered_and_the_process_goes_on() {
    let disk = SimDisk::new();
    disk.mkdir(ROOT);
    let panics = Arc::new(AtomicBool::new(false));
    let ws = open_on(Arc::new(Panicking(disk.clone(), panics.clone())), 1);
    done(create(&ws, "before.txt", "before\n"));
    panics.store(true, Ordering::Relaxed);
    // The one that leads, and one that waits for it.
    let calls: [fn(&_) -> Answer; 2] =
        [|ws| create(ws, "one.txt", "one\n"), |ws| create(ws, "two.txt", "two\n")];
    let ws = Arc::new(ws);
    let (sender, answers) = mpsc::channel();
    let caller = std::thread::spawn({
        let ws = ws.clone();
        move || sender.send(together(&ws, &calls))
    });
    // Threads that wait for ever are left behind; the test fails all the same.
    let answers = answers.recv_timeout(Duration::from_secs(60)).expect("answers");
    for answer in answers {
        assert!(matches!(answer, Answer::Unknown(Error::OutcomeUnknown { .. })), "{answer:?}");
    }
    caller.join().expect("no panic").expect("a receiver");
    done(create(&ws, "after.txt", "after\n"));
    // Recovery came first: the slots were whole and the rows written, so both were finished.
    assert_eq!(disk.read("w/one.txt"), Some(b"one\n".to_vec()));
    assert_eq!(disk.read("w/two.txt"), Some(b"two\n".to_vec()));
    let journal = disk.read("w/.resilient_write/journal.jsonl").expect("the journal");
    assert_eq!(journal.iter().filter(|byte| **byte == b'\n').count(), 4);
    // Another process is not locked out.
    done(create(&open_on(Arc::new(disk.clone()), 2), "other.txt", "other\n"));
}
