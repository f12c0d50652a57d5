//! Somebody works in the state directory: files stand where recovery puts something, and slots are gone.

use resilient_core::disk::sim::{Fault, FaultKind, Model, SimDisk};
use resilient_core::recovery::Report;

use crate::campaign::{Rig, is_publish, recover};
use crate::oracle::World;
use crate::workload::{Order, create, done, open, overwrite, scenario};

const STATE: &str = "w/.resilient_write";
const JOURNAL: &str = "w/.resilient_write/journal.jsonl";
const SOMEBODYS: &[u8] =
    b"somebody's text, which is longer than whatever recovery is about to keep: \
    a line, and another line, and another line, and another line, and another line, and one more\n";

/// A call that was killed right before its file changes.
fn killed(name: &str) -> (Rig, SimDisk) {
    let rig = Rig::new(scenario(name), Order::Forwards);
    let at = rig.ops(|line| is_publish(line) && line.contains("w/a.txt"))[0];
    let (disk, _) = rig.run(&[Fault { at, kind: FaultKind::PowerCut }], |_| {});
    let disk = disk.kill();
    (rig, disk)
}

/// What recovery keeps content of.
fn conflicts() -> Vec<(&'static str, SimDisk)> {
    let (_, edited) = killed("overwrite");
    edited.write_file("w/a.txt", b"an editor's\n");
    let (_, cut) = killed("overwrite");
    let mut journal = cut.read(JOURNAL).expect("the journal");
    journal.extend_from_slice(b"{\"torn");
    cut.write_file(JOURNAL, &journal);
    let rig = Rig::new(scenario("append in place again"), Order::Forwards);
    let at = rig.ops(|line| line.starts_with("write w/a.txt"))[0];
    let (torn, _) = rig.run(&[Fault { at, kind: FaultKind::TornWrite }], |_| {});
    let torn = torn.kill();
    torn.chmod("w/a.txt", 0o444);
    vec![("content", edited), ("what is cut", cut), ("a row", torn)]
}

fn abandon(disk: &SimDisk, seed: u64) -> Result<Report, resilient_core::Error> {
    open(disk, seed, Order::Forwards).abandon_pending()
}

/// The names of things in `conflicts/`, with what files hold.
fn kept(disk: &SimDisk) -> Vec<(String, Vec<u8>)> {
    let conflicts = format!("{STATE}/conflicts/");
    disk.tree().into_iter().filter(|(path, _)| path.starts_with(&conflicts)).collect()
}

#[test]
fn what_stands_in_the_place_of_what_recovery_keeps_is_kept_too() {
    type Put = fn(&SimDisk, &str);
    let things: [(&str, Put); 6] = [
        ("a longer file", |disk, path| disk.write_file(path, SOMEBODYS)),
        ("a shorter file", |disk, path| disk.write_file(path, &SOMEBODYS[..3])),
        ("a file that nobody may read", |disk, path| {
            disk.write_file(path, SOMEBODYS);
            disk.chmod(path, 0o000);
        }),
        ("a directory", |disk, path| disk.write_file(&format!("{path}/file"), SOMEBODYS)),
        ("a link", |disk, path| disk.symlink(path, "/w/a.txt")),
        ("a FIFO", |disk, path| disk.fifo(path)),
    ];
    for (what, begin) in conflicts() {
        let whole = begin.kill();
        abandon(&whole, 90).expect("recovery");
        let places = kept(&whole);
        assert!(!places.is_empty(), "{what}: nothing is kept");
        for ((place, content), (thing, put)) in
            places.iter().flat_map(|place| things.map(|thing| (place, thing)))
        {
            let begin = || {
                let disk = begin.kill();
                disk.mkdir(&format!("{STATE}/conflicts"));
                put(&disk, place);
                disk.kill()
            };
            let theirs = |disk: &SimDisk| {
                let kept = kept(disk).into_iter();
                kept.filter(|(_, bytes)| SOMEBODYS.starts_with(bytes)).count()
            };
            let before = theirs(&begin());
            let before_a = begin().read("w/a.txt");
            let check = |disk: &SimDisk, place_of: &str| {
                assert_eq!(disk.read(place).as_ref(), Some(content), "{what}, {place_of}");
                assert_eq!(theirs(disk), before, "{what}, {place_of}: {:?}", kept(disk));
            };
            let disk = begin();
            let report = abandon(&disk, 91).expect("recovery");
            check(&disk, thing);
            if what == "content" {
                assert_eq!(disk.read("w/a.txt"), before_a, "{thing}");
                let is_told = report.left.iter().any(|left| left.contains(".bin.other.0"));
                assert!(is_told, "{thing}: {report:?}");
                assert_eq!(report.conflicts.len(), 1, "{thing}: {report:?}");
            }
            done(create(&open(&disk, 92, Order::Forwards), "later.txt", "later\n"));
            for at in 0..disk.ops() {
                let cut = begin();
                cut.plan(Fault { at, kind: FaultKind::PowerCut });
                let _ = abandon(&cut, 91);
                for lost in cut.crash_states(Model::Strict, 2).iter() {
                    assert_eq!(theirs(&lost), before, "{what}, {thing}, at {at}");
                    abandon(&lost, 93).expect("recovery");
                    assert_eq!(theirs(&lost), before, "{what}, {thing}, at {at}");
                }
            }
        }
    }
}

#[test]
fn a_directory_in_the_place_of_a_row_that_waits_refuses_nothing() {
    let begin = || {
        let (_, disk) = killed("overwrite");
        disk.chmod("w/a.txt", 0o000);
        disk
    };
    let whole = begin();
    recover(&whole, 94).expect("recovery");
    let row = whole.tree().into_keys().find(|path| path.contains("/pending/")).expect("a row");
    let disk = begin();
    disk.write_file(&format!("{row}/file"), SOMEBODYS);
    let ws = open(&disk, 94, Order::Forwards);
    done(create(&ws, "later.txt", "later\n"));
    assert_eq!(ws.take_notices().pending.len(), 1);
    assert!(disk.tree().into_values().any(|bytes| bytes == SOMEBODYS));
    disk.chmod("w/a.txt", 0o644);
    let report = open(&disk, 95, Order::Forwards).recover().expect("recovery");
    assert_eq!(report.finished, ["a.txt"], "{report:?}");
}

/// What has no name of its own yet is written into a file, in whose place something else is.
#[test]
fn something_in_the_place_of_what_is_about_to_be_kept_refuses_nothing() {
    type Put = fn(&SimDisk, &str);
    let things: [(&str, Put); 4] = [
        ("a directory", |disk, path| disk.write_file(&format!("{path}/file"), SOMEBODYS)),
        ("a link", |disk, path| disk.symlink(path, "/w/a.txt")),
        ("a FIFO", |disk, path| disk.fifo(path)),
        ("a file that nobody may write", |disk, path| {
            disk.write_file(path, SOMEBODYS);
            disk.chmod(path, 0o400);
        }),
    ];
    for (thing, put) in things {
        // A row that waits.
        let (_, disk) = killed("overwrite");
        disk.chmod("w/a.txt", 0o000);
        disk.mkdir(&format!("{STATE}/pending"));
        put(&disk, &format!("{STATE}/pending/keeping"));
        let ws = open(&disk, 94, Order::Forwards);
        done(create(&ws, "later.txt", "later\n"));
        assert_eq!(ws.take_notices().pending.len(), 1, "{thing}");
        disk.chmod("w/a.txt", 0o644);
        let report = open(&disk, 95, Order::Forwards).recover().expect("recovery");
        assert_eq!(report.finished, ["a.txt"], "{thing}: {report:?}");
        // What is cut, and a row.
        for (what, disk) in conflicts().into_iter().skip(1) {
            let whole = disk.kill();
            abandon(&whole, 90).expect("recovery");
            let expected = kept(&whole);
            put(&disk, &format!("{STATE}/tmp/keeping"));
            abandon(&disk, 91).expect("recovery");
            assert_eq!(kept(&disk), expected, "{thing}, {what}");
        }
    }
}

/// Content that is set aside gets the name of its slot with an ending. Something of that name is there already.
#[test]
fn what_has_the_name_of_content_that_is_set_aside_is_not_taken_for_it() {
    type Put = fn(&SimDisk, &str);
    let things: [(&str, Put); 4] = [
        ("a file", |disk, path| disk.write_file(path, SOMEBODYS)),
        ("a directory", |disk, path| disk.write_file(&format!("{path}/file"), SOMEBODYS)),
        ("a link", |disk, path| disk.symlink(path, "/w/a.txt")),
        ("a FIFO", |disk, path| disk.fifo(path)),
    ];
    let theirs = |disk: &SimDisk| disk.tree().into_values().any(|bytes| bytes == SOMEBODYS);
    for (thing, put) in things {
        let begin = || {
            let (_, disk) = killed("overwrite");
            let slot = slots(&disk).into_iter().find(|slot| disk.read(slot) != Some(Vec::new()));
            put(&disk, &format!("{}.kept", slot.expect("the slot")));
            let had = theirs(&disk);
            (disk, had)
        };
        // The write can be finished.
        let (disk, had) = begin();
        let report = open(&disk, 96, Order::Forwards).recover().expect("recovery");
        assert_eq!((&report.finished[..], report.conflicts.len()), (&["a.txt".to_owned()][..], 0));
        assert_eq!(disk.read("w/a.txt"), Some(b"the new content\n".to_vec()), "{thing}");
        assert_eq!(theirs(&disk), had, "{thing}");
        // It cannot, or it is given up.
        for is_given_up in [false, true] {
            let (disk, had) = begin();
            if is_given_up {
                disk.chmod("w/a.txt", 0o000);
            } else {
                disk.write_file("w/a.txt", b"an editor's\n");
            }
            let report = abandon(&disk, 97).expect("recovery");
            let kept =
                disk.read(&format!("{STATE}/conflicts/{}.bin", report.conflicts[0].kept_sha256));
            assert_eq!(kept, Some(b"the new content\n".to_vec()), "{thing}: {report:?}");
            assert_eq!(theirs(&disk), had, "{thing}");
            done(create(&open(&disk, 98, Order::Forwards), "later.txt", "later\n"));
        }
    }
}

/// The empty slots.
fn slots(disk: &SimDisk) -> Vec<String> {
    let is_slot = |path: &String| path.starts_with(&format!("{STATE}/tmp/s-"));
    disk.tree().into_keys().filter(is_slot).collect()
}

#[test]
fn slots_that_somebody_deletes_between_two_batches_are_made_anew() {
    for hidden in [false, true] {
        let begin = || {
            let disk = SimDisk::new();
            disk.mkdir("w");
            if hidden {
                disk.hide_births();
            }
            let ws = open(&disk, 1, Order::Forwards);
            done(create(&ws, "old.txt", "old\n"));
            (disk, ws)
        };
        let count = slots(&begin().0).len();
        assert!(count > 4, "{count} slots are ready");
        type Goes = fn(usize, usize) -> bool;
        let deleted: [Goes; 4] = [
            |_, _| true,
            |at, count| at + 1 == count,
            |at, count| at + 2 == count,
            |at, _| at % 2 == 0,
        ];
        for goes in deleted {
            let (disk, ws) = begin();
            for (at, slot) in slots(&disk).iter().enumerate() {
                if goes(at, count) {
                    disk.unlink(slot);
                }
            }
            done(overwrite(&ws, "old.txt", "new\n"));
            done(create(&ws, "x/a.txt", "a\n"));
            for model in [Model::Strict, Model::Ordered] {
                let lost = disk.crash_states(model, 1).get(0).expect("a state");
                recover(&lost, 96).expect("recovery");
                assert_eq!(lost.read("w/old.txt"), Some(b"new\n".to_vec()));
                assert_eq!(lost.read("w/x/a.txt"), Some(b"a\n".to_vec()));
                assert_eq!(World::of(&lost).expect("a sound disk").rows(), 3);
            }
        }
    }
}

/// The slot of an interrupted overwrite is gone. The target tells whether the exchange happened, where the system says
/// when files were made. Else the row counts as finished, and stays.
#[test]
fn the_slot_of_an_interrupted_call_that_somebody_deletes_is_missed_where_files_have_times_of_birth()
{
    for (name, hidden, is_missed) in [
        ("overwrite", false, true),
        ("overwrite", true, false),
        ("create", false, false),
        ("create", true, false),
    ] {
        let rig = Rig::new(scenario(name), Order::Forwards);
        let (before, after) = rig.expected.contents("w/a.txt");
        let publish = rig.ops(|line| is_publish(line) && line.contains("w/a.txt"))[0];
        for (at, is_published) in [(publish, false), (publish + 1, true)] {
            let fault = Fault { at, kind: FaultKind::PowerCut };
            let (disk, _) = rig.run(&[fault], |disk| {
                if hidden {
                    disk.hide_births();
                }
            });
            let disk = disk.kill();
            for slot in slots(&disk) {
                disk.unlink(&slot);
            }
            let ws = open(&disk, 97, Order::Forwards);
            let report = ws.recover().expect("recovery");
            let place = format!("{name}, {hidden}, {is_published}: {report:?}");
            assert_eq!((report.pending.len(), report.conflicts.len()), (0, 0), "{place}");
            let is_withdrawn = is_missed && !is_published;
            assert_eq!(report.withdrawn.len(), usize::from(is_withdrawn), "{place}");
            let content = if is_published { Some(after.clone()) } else { before.clone() };
            assert_eq!(disk.read("w/a.txt"), content, "{place}");
            let rows = rig.expected.rows_before() + usize::from(!is_withdrawn);
            assert_eq!(World::of(&disk).expect("a sound disk").rows(), rows, "{place}");
            done(overwrite(&ws, "a.txt", "newer\n"));
            assert_eq!(World::of(&disk).expect("a sound disk").rows(), rows + 1, "{place}");
        }
    }
}
