//! A workspace whose path is another one when recovery comes: what was interrupted is decided as if it had stayed.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use resilient_core::Workspace;
use resilient_core::disk::sim::{Fault, FaultKind, SimDisk};
use resilient_core::disk::{Disk, FixedClock, Replace};

use crate::campaign::{Rig, is_publish};
use crate::replaced::move_dir;
use crate::workload::{Order, create, done, scenario};

/// A workspace at a path that need not be text.
fn open_at(disk: &SimDisk, name: &OsStr) -> Workspace {
    Workspace::builder(Path::new("/").join(name))
        .disk(Arc::new(disk.clone()))
        .clock(Arc::new(FixedClock::new(1_790_000_000_000_000_000, 7 << 32)))
        .open()
}

fn rename(disk: &SimDisk, from: &OsStr, to: &OsStr) {
    let root = disk.open_root("/".as_ref()).expect("the root");
    root.rename(from, &*root, to, Replace::No).expect("a rename");
}

/// All files, except for those with the numbers of others.
fn settled(disk: &SimDisk) -> BTreeMap<String, Vec<u8>> {
    let mut tree = disk.tree();
    tree.remove("w/.resilient_write/lock");
    tree
}

#[cfg(unix)]
fn no_text() -> &'static OsStr {
    use std::os::unix::ffi::OsStrExt as _;
    OsStr::from_bytes(b"w\xff")
}

#[cfg(not(unix))]
fn no_text() -> &'static OsStr {
    OsStr::new("other")
}

#[test]
fn what_was_interrupted_is_decided_in_a_workspace_that_was_moved() {
    let mut finished = 0;
    for name in [
        "create",
        "create in new directories",
        "overwrite",
        "replace",
        "overwrite on another device",
        "overwrite through hard links",
        "append in place",
        "handoff with an archive",
        "chunk append",
        "compose and clean up",
        "scratch put, the second",
        "scratch removal",
        "checkpoint over an old one",
        "a batch of writes",
    ] {
        let rig = Rig::new(scenario(name), Order::Forwards);
        for at in rig.base..rig.end {
            let (disk, _) = rig.run(&[Fault { at, kind: FaultKind::PowerCut }], |_| {});
            let stayed = disk.kill();
            let mut told = open_at(&stayed, OsStr::new("w")).recover().expect("recovery");
            told.left.clear();
            for to in [OsStr::new("m"), no_text()] {
                let moved = disk.kill();
                rename(&moved, OsStr::new("w"), to);
                let ws = open_at(&moved, to);
                let mut report = ws.recover().expect("recovery");
                // The note of a slot beside its target.
                report.left.clear();
                assert_eq!(report, told, "{}", rig.place(at));
                finished += report.finished.len();
                done(create(&ws, "later.txt", "later\n"));
                drop(ws);
                rename(&moved, to, OsStr::new("w"));
                let mut after = settled(&moved);
                after.remove("w/later.txt");
                let mut expected = settled(&stayed);
                for tree in [&mut after, &mut expected] {
                    tree.retain(|path, _| {
                        !path.ends_with("/journal.jsonl") && !path.contains("/tmp/")
                    });
                }
                assert_eq!(after, expected, "{}", rig.place(at));
            }
        }
    }
    assert!(finished > 20, "{finished}");
}

/// The state directory alone was moved: the row's file is where it was.
#[test]
fn a_row_is_not_carried_out_in_another_directory_than_its_own() {
    let rig = Rig::new(scenario("create"), Order::Forwards);
    let at = rig.ops(|line| is_publish(line) && line.contains("-> w/a.txt"))[0];
    let (disk, _) = rig.run(&[Fault { at, kind: FaultKind::PowerCut }], |_| {});
    let disk = disk.kill();
    disk.mkdir("v");
    move_dir(&disk, "w/.resilient_write", "v/.resilient_write");
    let report = open_at(&disk, OsStr::new("v")).recover().expect("recovery");
    assert_eq!(report.pending.len(), 1, "{report:?}");
    assert_eq!(disk.read("v/a.txt"), None);
    assert_eq!(disk.read("w/a.txt"), None);
}
