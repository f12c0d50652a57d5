//! A row that waits and cannot be read: its content stays until somebody can read it or gives it up, and no other
//! call is refused.

use std::sync::Arc;

use resilient_core::Workspace;
use resilient_core::disk::FixedClock;
use resilient_core::disk::sim::{Fault, FaultKind, Model, SimDisk};

use crate::campaign::is_publish;
use crate::workload::{Answer, create, done, overwrite};

const PENDING: &str = "w/.resilient_write/pending";
const NEW: &[u8] = b"new\n";

/// A workspace whose state lies in `w`, with these roots.
fn rooted(disk: &SimDisk, roots: &[&str], seed: u64) -> Workspace {
    Workspace::builder("/w")
        .roots(roots.iter().map(|root| format!("/{root}").into()).collect())
        .disk(Arc::new(disk.clone()))
        .clock(Arc::new(FixedClock::new(1_790_000_000_000_000_000, seed << 32)))
        .open()
}

type Call = fn(&Workspace) -> Answer;

/// A write into `v`, in a slot of `tmp/`, beside its target, and of no content; with its file and what that holds then.
const WRITES: [(&str, &[u8], Call); 3] = [
    ("v/new.txt", NEW, |ws| create(ws, "/v/new.txt", "new\n")),
    ("m/a.txt", NEW, |ws| overwrite(ws, "/m/a.txt", "new\n")),
    ("v/empty.txt", b"", |ws| create(ws, "/v/empty.txt", "")),
];

/// A disk on which such a write was killed before it was published, and waits.
fn waiting(write: Call) -> SimDisk {
    let begin = || {
        let disk = SimDisk::new();
        disk.mkdir("w");
        disk.mkdir("v");
        disk.write_file("m/a.txt", b"old\n");
        disk.mount("m", 7);
        let ws = rooted(&disk, &["w", "v", "m"], 1);
        done(create(&ws, "warm.txt", "warm\n"));
        (disk, ws)
    };
    let (whole, ws) = begin();
    let base = whole.ops();
    done(write(&ws));
    let is_act = |line: &&String| is_publish(line) && !line.contains("-> w/");
    let act = whole.trace().iter().skip(base as usize).position(|line| is_act(&line));
    let (disk, ws) = begin();
    let at = base + act.expect("an operation that publishes") as u64;
    disk.plan(Fault { at, kind: FaultKind::PowerCut });
    let _ = write(&ws);
    let disk = disk.kill();
    assert_eq!(rooted(&disk, &["w"], 2).recover().expect("recovery").pending.len(), 1);
    disk.kill()
}

/// The file of the row that waits.
fn row(disk: &SimDisk) -> String {
    let mut rows = disk.tree().into_keys().filter(|path| path.starts_with(PENDING));
    rows.next().expect("a row that waits")
}

/// Damages a row, at its begin or in the name of its slot.
fn damage(disk: &SimDisk, at: fn(&[u8]) -> usize) {
    let path = row(disk);
    let mut bytes = disk.read(&path).expect("the row");
    let at = at(&bytes);
    bytes[at] ^= 1;
    disk.write_file(&path, &bytes);
}

fn in_slot(bytes: &[u8]) -> usize {
    let begin = b"s-";
    // The last digit but one of the process's number.
    bytes.windows(2).position(|two| two == begin).expect("a slot") + 10
}

#[test]
fn the_content_of_a_row_that_cannot_be_read_stays_and_no_call_is_refused() {
    type Act = fn(&SimDisk);
    let obstacles: [(&str, Act, &str); 5] = [
        ("a row of another user", |disk| disk.chmod(&row(disk), 0o000), "denied"),
        ("a directory of another user", |disk| disk.chmod(PENDING, 0o000), "denied"),
        (
            "a directory of another user that all may read",
            |disk| {
                disk.chmod(&row(disk), 0o000);
                disk.chmod(PENDING, 0o555);
            },
            "denied",
        ),
        ("a byte of the row", |disk| damage(disk, |_| 3), "damaged"),
        ("a byte of the slot's name", |disk| damage(disk, in_slot), "damaged"),
    ];
    for ((path, content, write), (what, put, reason)) in
        WRITES.into_iter().flat_map(|write| obstacles.map(|obstacle| (write, obstacle)))
    {
        let disk = waiting(write);
        let (name, before) = (row(&disk), disk.read(&row(&disk)).expect("the row"));
        put(&disk);
        let ws = rooted(&disk, &["w"], 3);
        for number in 0..3 {
            done(create(&ws, &format!("other{number}.txt"), "other\n"));
            let told = ws.take_notices();
            assert_eq!(told.finished, [""; 0], "{what}: {told:?}");
            let expected = usize::from(number == 0);
            assert_eq!(told.pending.len(), expected, "{what}: {told:?}");
            assert!(told.pending.iter().all(|told| told.reason.contains(reason)), "{told:?}");
        }
        drop(ws);
        // A process that comes anew sweeps, too.
        let disk = disk.kill();
        disk.unlink("w/.resilient_write/lock");
        done(create(&rooted(&disk, &["w"], 4), "another.txt", "other\n"));
        disk.chmod(PENDING, 0o700);
        disk.chmod(&name, 0o600);
        disk.write_file(&name, &before);
        let report = rooted(&disk, &["w", "v", "m"], 5).recover().expect("recovery");
        assert_eq!((report.finished.len(), report.pending.len()), (1, 0), "{what}: {report:?}");
        assert_eq!(disk.read(path).as_deref(), Some(content), "{what}");
        let litter = disk.tree().into_iter().find(|(path, bytes)| {
            path.contains("/.rw-") || path.contains("/tmp/s-") && !bytes.is_empty()
        });
        assert_eq!(litter, None, "{what}");
    }
}

#[test]
fn a_row_that_one_passing_error_hides_keeps_its_content() {
    for (path, content, write) in WRITES {
        let whole = waiting(write);
        let begun = whole.opens();
        rooted(&whole, &["w"], 3).recover().expect("recovery");
        for at in begun..=whole.opens() {
            let disk = waiting(write);
            disk.refuse_open(at);
            let ws = rooted(&disk, &["w"], 3);
            let _ = ws.recover();
            let _ = create(&ws, "other.txt", "other\n");
            drop(ws);
            let disk = disk.kill();
            let report = rooted(&disk, &["w", "v", "m"], 4).recover().expect("recovery");
            assert_eq!(report.finished.len(), 1, "{at}: {report:?}");
            assert_eq!(disk.read(path).as_deref(), Some(content), "{at}");
        }
    }
}

#[test]
fn a_row_that_cannot_be_read_is_given_up_with_all_content_that_may_be_its_own() {
    type Act = fn(&SimDisk);
    let obstacles: [Act; 2] = [|disk| damage(disk, |_| 3), |disk| disk.chmod(&row(disk), 0o000)];
    for ((path, content, write), put) in
        WRITES.into_iter().flat_map(|write| obstacles.map(|put| (write, put)))
    {
        let begin = || {
            let disk = waiting(write);
            put(&disk);
            disk
        };
        let all = ["w", "v", "m"];
        let whole = begin();
        let (name, before) = (row(&whole), whole.read(path));
        let is_kept = |disk: &SimDisk| {
            let conflicts = disk.tree().into_iter();
            let mut conflicts = conflicts.filter(|(path, _)| path.contains("/conflicts/"));
            content.is_empty() || conflicts.any(|(_, bytes)| bytes == content)
        };
        let report = rooted(&whole, &all, 3).abandon_pending().expect("recovery");
        assert_eq!((report.abandoned.len(), report.pending.len()), (1, 0), "{report:?}");
        assert!(is_kept(&whole), "{report:?}");
        assert_eq!(whole.read(path), before);
        assert!(whole.tree().keys().all(|path| !path.starts_with(PENDING)));
        for at in 0..=whole.ops() {
            let cut = begin();
            cut.plan(Fault { at, kind: FaultKind::PowerCut });
            // It ends where the power goes.
            let _ = rooted(&cut, &all, 3).abandon_pending();
            for lost in cut.crash_states(Model::Strict, 12).iter() {
                if lost.read(&name).is_some() {
                    lost.chmod(&name, 0o600);
                }
                let report = rooted(&lost, &all, 4).abandon_pending().expect("recovery");
                if report.finished.is_empty() {
                    assert!(is_kept(&lost), "{at}: {report:?}");
                    assert_eq!(lost.read(path), before, "{at}");
                } else {
                    assert_eq!(lost.read(path).as_deref(), Some(content), "{at}: {report:?}");
                }
            }
        }
    }
}
