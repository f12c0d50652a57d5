//! Who may use a file: content is at no moment readable by more users than the file that it goes into, and what
//! somebody sets while a write is under way stays.

use resilient_core::disk::sim::{Fault, FaultKind, SimDisk};

use crate::workload::{Order, create, done, open, overwrite};

fn mode(disk: &SimDisk, path: &str) -> u32 {
    disk.attributes(path).expect("a file").mode
}

/// The slot of a file on another device lies beside it, where others may look.
#[test]
fn content_beside_a_private_file_is_private_at_every_moment() {
    let begin = || {
        let disk = SimDisk::new();
        disk.mkdir("w");
        disk.write_file("w/m/secret", b"old\n");
        disk.mount("w/m", 7);
        disk.chmod("w/m/secret", 0o600);
        let ws = open(&disk, 1, Order::Forwards);
        done(create(&ws, "warm.txt", "warm\n"));
        (disk, ws)
    };
    let (whole, ws) = begin();
    let base = whole.ops();
    done(overwrite(&ws, "m/secret", "a new secret\n"));
    let mut beside = 0;
    for at in base..whole.ops() {
        let (disk, ws) = begin();
        disk.plan(Fault { at, kind: FaultKind::PowerCut });
        let _ = overwrite(&ws, "m/secret", "a new secret\n");
        for (path, content) in disk.tree() {
            if path.contains("/.rw-") && !content.is_empty() {
                beside += 1;
                assert_eq!(mode(&disk, &path), 0o600, "{path} at {at}: {:?}", disk.trace().last());
            }
        }
    }
    assert!(beside > 2, "{beside}");
    assert_eq!(mode(&whole, "w/m/secret"), 0o600);
}
