//! Who may use a file: content is at no moment readable by more users than the file that it goes into, and what
//! somebody sets while a write is under way stays.

use resilient_core::disk::Disk;
use resilient_core::disk::sim::{Calls, Fault, FaultKind, Schedule, SimDisk};

use crate::campaign::{Rig, is_publish, recover};
use crate::workload::{Answer, Order, create, done, open, overwrite, scenario};

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

#[test]
fn a_mode_that_is_set_between_a_kill_and_recovery_stays() {
    for name in ["overwrite", "overwrite on another device", "replace"] {
        let rig = Rig::new(scenario(name), Order::Forwards);
        let path = rig.expected.only_target().expect("one target");
        for at in rig.base..=rig.end {
            let (disk, _) = rig.run(&[Fault { at, kind: FaultKind::PowerCut }], |_| {});
            let disk = disk.kill();
            disk.chmod(&path, 0o600);
            recover(&disk, 5).expect("recovery");
            assert_eq!(mode(&disk, &path), 0o600, "{}", rig.place(at));
        }
    }
    // One of them is killed right before the exchange, so that recovery makes it.
    let rig = Rig::new(scenario("overwrite"), Order::Forwards);
    let at = rig.ops(is_publish)[0];
    let (disk, _) = rig.run(&[Fault { at, kind: FaultKind::PowerCut }], |_| {});
    let disk = disk.kill();
    disk.chmod("w/a.txt", 0o400);
    recover(&disk, 6).expect("recovery");
    assert_eq!(disk.read("w/a.txt").as_deref(), Some(&b"the new content\n"[..]));
    assert_eq!(mode(&disk, "w/a.txt"), 0o400);
}

#[test]
fn a_mode_that_is_set_at_any_moment_of_an_overwrite_stays() {
    let (mut calls, mut at) = (1, 0);
    let (mut written, mut refused) = (0, 0);
    while at < calls {
        let disk = SimDisk::new();
        disk.mkdir("w");
        done(create(&open(&disk, 1, Order::Forwards), "a.txt", "the old content\n"));
        let schedule = Schedule::new(std::iter::repeat_n(0, at as usize).chain([1, 1]));
        let ws = open(&schedule.process(&disk), 2, Order::Forwards);
        let somebody = schedule.process(&disk);
        let set_mode = || {
            let look = || drop(somebody.open_root("/w".as_ref()).expect("a directory"));
            // Between two calls of its own, so that nobody else makes one meanwhile.
            look();
            somebody.chmod("w/a.txt", 0o640);
            look();
            Answer::Done(None)
        };
        let write = Box::new(|| overwrite(&ws, "a.txt", "the new content\n")) as Calls<'_, Answer>;
        let answers = schedule.run(vec![write, Box::new(set_mode)]);
        calls = schedule.calls();
        assert_eq!(mode(&disk, "w/a.txt"), 0o640, "at {at}: {:?}", answers[0]);
        let content = disk.read("w/a.txt").expect("a file");
        if answers[0].is_done() {
            written += 1;
            assert_eq!(content, b"the new content\n", "at {at}");
        } else {
            refused += 1;
            assert_eq!(content, b"the old content\n", "at {at}: {:?}", answers[0]);
        }
        at += 1;
    }
    // Only between the last look and the exchange it is refused.
    assert!(written > 20 && refused <= 1, "{written} written, {refused} refused");
}
