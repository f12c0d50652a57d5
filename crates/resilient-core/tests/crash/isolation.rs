//! What stands in the way of one row stops no other work, and nothing of the row is lost: it waits
//! until a process comes that can decide it.

use std::sync::Arc;

use resilient_core::Workspace;
use resilient_core::digest::Digest;
use resilient_core::disk::sim::{Fault, FaultKind, Model, SimDisk};
use resilient_core::disk::{FileSystem, FixedClock};
use resilient_core::journal::Row;

use crate::campaign::{Rig, is_publish, recover};
use crate::oracle::World;
use crate::replaced::move_dir;
use crate::workload::{
    self, Answer, Order, append, composing, create, done, open, overwrite, scenario,
};

const STATE: &str = "w/.resilient_write";
const JOURNAL: &str = "w/.resilient_write/journal.jsonl";

/// Kills a scenario at each of its operations, puts an obstacle in the way of recovery, and judges:
/// another write is answered, and once the obstacle is gone the row is there exactly when its
/// change is.
fn obstructed(name: &str, put: &dyn Fn(&SimDisk), remove: &dyn Fn(&SimDisk)) -> usize {
    let rig = Rig::new(scenario(name), Order::Forwards);
    let mut waited = 0;
    let kinds = [FaultKind::PowerCut, FaultKind::TornWrite];
    let faults = (rig.base..rig.end).flat_map(|at| kinds.map(|kind| Fault { at, kind }));
    for fault @ Fault { at, kind } in faults {
        if kind == FaultKind::TornWrite && !rig.trace[at as usize].starts_with("write") {
            continue;
        }
        let (disk, answers) = rig.run(&[fault], |_| {});
        let disk = disk.kill();
        put(&disk);
        let ws = open(&disk, 31, Order::Forwards);
        let place = rig.place(at);
        // In the state directory, which the obstacle does not concern.
        let other = workload::keep(&ws, "another call's content", "other");
        assert!(other.is_done(), "{place}: {other:?}");
        waited += usize::from(!ws.take_notices().pending.is_empty());
        drop(ws);
        let disk = disk.kill();
        remove(&disk);
        recover(&disk, 32).unwrap_or_else(|error| panic!("{place}: {error}"));
        assert!(!holds_pending(&disk), "{place}: a row still waits");
        rig.expected
            .check_beside(&disk, &answers, "another call's content")
            .unwrap_or_else(|violation| panic!("{place}: {violation}"));
    }
    waited
}

fn holds_pending(disk: &SimDisk) -> bool {
    disk.tree().keys().any(|path| path.starts_with(&format!("{STATE}/pending/")))
}

#[test]
fn a_log_that_may_not_be_written_any_more_stops_no_other_call() {
    for name in ["append in place again", "append in place with sums in a slot"] {
        let waited = obstructed(name, &|disk| disk.chmod("w/a.txt", 0o444), &|disk| {
            disk.chmod("w/a.txt", 0o644);
        });
        assert!(waited > 0, "no append was cut where it could not be taken back");
    }
}

#[test]
fn a_file_that_may_not_be_read_any_more_stops_no_other_call() {
    let waited =
        obstructed("overwrite through hard links", &|disk| disk.chmod("w/a.txt", 0o000), &|disk| {
            disk.chmod("w/a.txt", 0o644);
        });
    assert!(waited > 0, "no write was cut where it had to be judged");
}

#[test]
fn a_directory_that_may_not_be_read_stops_no_other_call() {
    let rows = |disk: &SimDisk| World::of(disk).expect("a sound disk").rows();
    let disk = SimDisk::new();
    disk.mkdir("w/drop");
    let ws = open(&disk, 1, Order::Forwards);
    done(create(&ws, "warm.txt", "warm\n"));
    disk.chmod("w/drop", 0o311);
    // Its names cannot be synced, so that the outcome is unknown.
    let refused = create(&ws, "drop/a.txt", "a\n");
    assert!(!refused.is_done(), "{refused:?}");
    done(create(&ws, "other.txt", "other\n"));
    let disk = disk.kill();
    disk.chmod("w/drop", 0o755);
    recover(&disk, 33).expect("recovery");
    assert!(!holds_pending(&disk));
    let published = disk.read("w/drop/a.txt").is_some();
    assert_eq!(rows(&disk), 2 + usize::from(published));
}

#[test]
fn a_leftover_that_cannot_be_removed_stops_no_call() {
    let disk = SimDisk::new();
    disk.mkdir(workload::ROOT);
    done(create(&open(&disk, 1, Order::Forwards), "a.txt", "a\n"));
    let disk = disk.kill();
    disk.write_file(&format!("{STATE}/tmp/gone-x/part"), b"x");
    disk.chmod(&format!("{STATE}/tmp/gone-x"), 0o555);
    disk.unlink(&format!("{STATE}/lock"));
    let ws = open(&disk, 2, Order::Forwards);
    done(create(&ws, "b.txt", "b\n"));
    assert_eq!(ws.take_notices().left.len(), 1);
}

/// A workspace whose state lies in `w`, with these roots.
fn rooted(disk: &SimDisk, roots: &[&str], seed: u64) -> Workspace {
    Workspace::builder(format!("/{}", roots[0]))
        .roots(roots.iter().map(|root| format!("/{root}").into()).collect())
        .disk(Arc::new(disk.clone()))
        .clock(Arc::new(FixedClock::new(1_790_000_000_000_000_000, seed << 32)))
        .open()
}

/// A copy of a directory and all that is in it, as `cp -a` makes it.
fn copy_tree(disk: &SimDisk, from: &str, to: &str) {
    for path in disk.dirs().iter().filter_map(|path| path.strip_prefix(from)) {
        disk.mkdir(&format!("{to}{path}"));
    }
    for (path, bytes) in disk.tree() {
        let Some(below) = path.strip_prefix(from).filter(|below| below.starts_with('/')) else {
            continue;
        };
        disk.write_file(&format!("{to}{below}"), &bytes);
    }
}

/// The file `a.txt` before the calls of a scenario and after them.
fn versions(rig: &Rig) -> [Option<Vec<u8>>; 2] {
    let (before, _) = rig.scenario.begin(Order::Forwards);
    let (after, _) = rig.run(&[], |_| {});
    [before, after].map(|disk| disk.read("w/a.txt"))
}

#[test]
fn recovery_in_a_copy_touches_no_file_of_the_original() {
    for name in [
        "create",
        "overwrite",
        "append in place",
        "append in place with sums in a slot",
        "overwrite through hard links",
        "a batch of writes",
    ] {
        let rig = Rig::new(scenario(name), Order::Forwards);
        let versions = versions(&rig);
        for at in rig.base..=rig.end {
            for kind in [FaultKind::PowerCut, FaultKind::TornWrite] {
                let line = rig.trace.get(at as usize).map_or("", String::as_str);
                if kind == FaultKind::TornWrite && !line.starts_with("write") {
                    continue;
                }
                let (disk, _) = rig.run(&[Fault { at, kind }], |_| {});
                let disk = disk.kill();
                copy_tree(&disk, "w", "c");
                let original = |disk: &SimDisk| -> Vec<(String, Vec<u8>)> {
                    disk.tree().into_iter().filter(|(path, _)| !path.starts_with("c/")).collect()
                };
                let before = original(&disk);
                let ws = rooted(&disk, &["c", "w"], 97);
                let report = ws.recover().expect("recovery of the copy");
                assert_eq!(before, original(&disk), "{name}: {}", rig.place(at));
                let parts = report.parts.iter().map(|part| &part.path);
                let is_told = parts
                    .chain(report.conflicts.iter().map(|kept| &kept.path))
                    // A conflict is of the file that the row names, which is the original.
                    .any(|path| path == "a.txt" || path == "/w/a.txt");
                let copied = disk.read("c/a.txt");
                assert!(
                    versions.contains(&copied) || is_told,
                    "{name}: {}: nobody tells what the copied file may hold: {report:?}",
                    rig.place(at)
                );
            }
        }
    }
}

/// The format has rows that this version does not write: as an overwrite, a rename would lose its other half.
#[test]
fn a_row_of_a_kind_that_this_version_does_not_write_waits() {
    let rig = Rig::new(scenario("overwrite"), Order::Forwards);
    let old = rig.scenario.begin(Order::Forwards).0.read("w/a.txt");
    let publishes = rig.ops(|line| is_publish(line) && line.contains("w/a.txt"));
    let fault = Fault { at: publishes[0], kind: FaultKind::PowerCut };
    let journal = format!("{STATE}/journal.jsonl");
    for (written, later) in [
        (r#""mode":"overwrite""#, r#""mode":"rename""#),
        (r#""mode":"overwrite""#, r#""mode":"overwrite","from":"b.txt""#),
    ] {
        let (disk, _) = rig.run(&[fault], |_| {});
        let disk = disk.kill();
        let rows = String::from_utf8(disk.read(&journal).expect("rows")).expect("text");
        let (before, row) = rows.trim_end().rsplit_once('\n').unwrap_or(("", &rows));
        assert!(row.contains(written), "{row}");
        let row = row.replace(written, later);
        disk.write_file(&journal, format!("{before}\n{row}\n").trim_start().as_bytes());
        let ws = open(&disk, 2, Order::Forwards);
        let report = ws.recover().expect("recovery");
        assert_eq!(report.pending.len(), 1, "{report:?}");
        assert_eq!(disk.read("w/a.txt"), old);
        workload::done(workload::create(&ws, "another.txt", "text\n"));
        assert_eq!(ws.recover().expect("recovery").pending.len(), 1);
        assert_eq!(disk.read("w/a.txt"), old);
    }
}

#[test]
fn an_answered_append_does_not_wait_in_a_copy() {
    for name in ["append in place", "append in place with sums in a slot"] {
        let rig = Rig::new(scenario(name), Order::Forwards);
        let (disk, answers) = rig.run(&[], |_| {});
        let Some(Answer::Done(Some(row))) = answers.first() else { panic!("{answers:?}") };
        let disk = disk.kill();
        copy_tree(&disk, "w", "c");
        let ws = rooted(&disk, &["c"], 97);
        let report = ws.recover().expect("recovery of the copy");
        assert!(report.pending.is_empty() && report.withdrawn.is_empty(), "{name}: {report:?}");
        let rows = disk.read("c/.resilient_write/journal.jsonl").expect("rows");
        assert!(String::from_utf8_lossy(&rows).contains(row.as_str()), "{name}");
        workload::done(workload::append(&ws, "a.txt", "more\n"));
    }
}

/// A row may come with a stranger's repository, or with a copy of an older version's directory.
#[test]
fn a_row_that_does_not_say_where_it_was_written_reaches_no_other_workspace() {
    // A workspace that holds the one of the state directory is another one, too.
    for (roots, call) in [
        (["w", "v"], (|ws| overwrite(ws, "/v/a.txt", "new\n")) as fn(&Workspace) -> Answer),
        (["w", "v"], |ws| create(ws, "/v/new.txt", "new\n")),
        (["v/w", "v"], |ws| create(ws, "/v/new.txt", "new\n")),
    ] {
        let journal = format!("{}/.resilient_write/journal.jsonl", roots[0]);
        let begin = || {
            let disk = SimDisk::new();
            roots.iter().for_each(|root| disk.mkdir(root));
            disk.write_file("v/a.txt", b"old\n");
            let ws = rooted(&disk, &roots, 1);
            done(create(&ws, "warm.txt", "warm\n"));
            (disk, ws)
        };
        let (whole, ws) = begin();
        let base = whole.ops();
        done(call(&ws));
        let goes_to_v =
            |line: &str| is_publish(line) && line.contains("-> v/") && !line.contains("-> v/w/");
        let mut calls = (0..).zip(whole.trace()).skip(base as usize);
        let publishes = calls.find(|(_, line)| goes_to_v(line)).expect("a publish").0;
        let (disk, ws) = begin();
        disk.plan(Fault { at: publishes, kind: FaultKind::PowerCut });
        let _ = call(&ws);
        let disk = disk.kill();
        let text = String::from_utf8(disk.read(&journal).expect("the journal")).expect("UTF-8");
        let (front, back) = text.rsplit_once("\"place\":\"").expect("a place");
        let rest = back.split_once("\",").expect("its end").1;
        disk.write_file(&journal, format!("{front}{rest}").as_bytes());
        let of_v = |disk: &SimDisk| -> Vec<(String, Vec<u8>)> {
            let is_in_v = |path: &str| path.starts_with("v/") && !path.starts_with("v/w/");
            disk.tree().into_iter().filter(|(path, _)| is_in_v(path)).collect()
        };
        let before = of_v(&disk);
        let report = rooted(&disk, &roots, 2).recover().expect("recovery");
        assert_eq!(report.pending.len(), 1, "{report:?}");
        assert!(report.pending[0].reason.contains("another workspace"), "{report:?}");
        assert_eq!(of_v(&disk), before);
    }
}

#[test]
fn a_torn_append_is_taken_back_in_a_workspace_that_was_moved() {
    let mut torn = 0;
    for name in ["append in place", "append in place again", "append in place with sums in a slot"]
    {
        let rig = Rig::new(scenario(name), Order::Forwards);
        let versions = versions(&rig);
        for at in rig.ops(|line| line.starts_with("write w/a.txt")) {
            let (disk, _) = rig.run(&[Fault { at, kind: FaultKind::TornWrite }], |_| {});
            let disk = disk.kill();
            torn += u32::from(!versions.contains(&disk.read("w/a.txt")));
            move_dir(&disk, "w", "m");
            let ws = rooted(&disk, &["m"], 98);
            let report = ws.recover().expect("recovery");
            assert!(report.pending.is_empty(), "{name}: {}: {report:?}", rig.place(at));
            assert!(versions.contains(&disk.read("m/a.txt")), "{name}: {}", rig.place(at));
            assert!(append(&ws, "a.txt", "and on\n").is_done());
        }
    }
    assert!(torn > 0, "no write was torn");
}

/// The row's absolute path leads out of the workspace now; the path that is shown leads to the same file.
#[test]
fn a_write_that_waits_guards_its_path_in_a_workspace_that_was_moved() {
    let rig = Rig::new(scenario("overwrite"), Order::Forwards);
    let publishes = rig.ops(|line| is_publish(line) && line.contains("-> w/a.txt"));
    let (disk, _) = rig.run(&[Fault { at: publishes[0], kind: FaultKind::PowerCut }], |_| {});
    let disk = disk.kill();
    move_dir(&disk, "w", "m");
    // What stands in the way.
    disk.chmod("m/a.txt", 0o000);
    let ws = rooted(&disk, &["m"], 99);
    let before = disk.read("m/a.txt");
    assert_eq!(ws.recover().expect("recovery").pending.len(), 1);
    let refused = overwrite(&ws, "a.txt", "over it\n");
    assert!(
        matches!(&refused, Answer::Refused(resilient_core::Error::UnitPending { path, .. }) if path == "a.txt"),
        "{refused:?}"
    );
    assert_eq!(disk.read("m/a.txt"), before);
    assert!(overwrite(&ws, "b.txt", "another file\n").is_done());
    assert_eq!(ws.abandon_pending().expect("recovery").abandoned, ["a.txt"]);
    disk.chmod("m/a.txt", 0o644);
    assert!(overwrite(&ws, "a.txt", "over it\n").is_done());
}

/// The content of a row that waits lies beside its target, where somebody removes it.
#[test]
fn a_row_whose_content_goes_while_it_waits_is_not_told_to_be_finished() {
    let begin = || {
        let disk = SimDisk::new();
        disk.mkdir("w");
        disk.write_file("v/a.txt", b"old\n");
        disk.mount("v", 7);
        let ws = rooted(&disk, &["w", "v"], 1);
        done(create(&ws, "warm.txt", "warm\n"));
        (disk, ws)
    };
    let (whole, ws) = begin();
    let base = whole.ops();
    done(overwrite(&ws, "/v/a.txt", "new\n"));
    let (mut finished, mut unsure) = (0, 0);
    for at in base..=whole.ops() {
        let (disk, ws) = begin();
        disk.plan(Fault { at, kind: FaultKind::PowerCut });
        let _ = overwrite(&ws, "/v/a.txt", "new\n");
        let disk = disk.kill();
        let waits = rooted(&disk, &["w"], 2).recover().expect("recovery").pending.len();
        let slots = disk.tree().into_keys().filter(|path| path.contains("/.rw-s-"));
        slots.collect::<Vec<_>>().iter().for_each(|slot| disk.unlink(slot));
        let report = rooted(&disk, &["w", "v"], 3).recover().expect("recovery");
        let is_new = disk.read("v/a.txt").as_deref() == Some(b"new\n");
        let told = (report.finished.len(), report.unsure.len());
        let expected = if is_new { (waits, 0) } else { (0, waits) };
        assert_eq!(told, expected, "{at}: {report:?}\n{:?}", disk.trace());
        finished += told.0;
        unsure += told.1;
        let again = rooted(&disk, &["w", "v"], 4).recover().expect("recovery");
        assert!(again.is_empty(), "{again:?}");
        assert!(!holds_pending(&disk), "{at}");
    }
    assert!(unsure > 0, "{finished}, {unsure}");
}

#[test]
fn a_process_with_fewer_roots_leaves_to_others_what_it_cannot_reach() {
    type Prepare = fn(&SimDisk);
    type Call = fn(&Workspace) -> Answer;
    let cases: &[(&str, Prepare, Call)] = &[
        (
            "an overwrite on another device",
            |disk| {
                disk.write_file("v/a.txt", b"old\n");
                disk.mount("v", 7);
            },
            |ws| overwrite(ws, "/v/a.txt", "new\n"),
        ),
        (
            "an overwrite through hard links",
            |disk| {
                disk.write_file("w/.resilient_write/policy.yaml", b"hard_links: in_place\n");
                disk.write_file("v/a.txt", b"old\n");
                disk.hard_link("v/a.txt", "v/b.txt");
            },
            |ws| overwrite(ws, "/v/a.txt", "new\n"),
        ),
        (
            "an append in place",
            |disk| {
                disk.set_sector(512);
                disk.write_file("v/a.txt", workload::large().as_bytes());
            },
            |ws| append(ws, "/v/a.txt", &"more and more\n".repeat(100)),
        ),
        (
            "an overwrite",
            |disk| disk.write_file("v/a.txt", b"old\n"),
            |ws| overwrite(ws, "/v/a.txt", "new\n"),
        ),
    ];
    for (name, prepare, call) in cases {
        let begin = || {
            let disk = SimDisk::new();
            disk.mkdir("w");
            disk.mkdir("v");
            prepare(&disk);
            let ws = rooted(&disk, &["w", "v"], 1);
            done(create(&ws, "warm.txt", "warm\n"));
            (disk, ws)
        };
        let (whole, ws) = begin();
        let base = whole.ops();
        done(call(&ws));
        let (old, new) = (begin().0.read("v/a.txt"), whole.read("v/a.txt"));
        for at in base..whole.ops() {
            let (disk, ws) = begin();
            disk.plan(Fault { at, kind: FaultKind::PowerCut });
            let _ = call(&ws);
            let place = format!("{name}, killed at {at}: {:?}", disk.trace().last());
            let disk = disk.kill();
            let few = rooted(&disk, &["w"], 2);
            done(create(&few, "few.txt", "few\n"));
            drop(few);
            let disk = disk.kill();
            let report = rooted(&disk, &["w", "v"], 3).recover().expect("recovery");
            assert_eq!(report.pending, [], "{place}");
            let now = disk.read("v/a.txt");
            let rows = World::of(&disk).expect("a sound disk").rows();
            match rows {
                2 => assert_eq!(now, old, "{place}: a change without its row"),
                3 => assert_eq!(now, new, "{place}: a row without its change"),
                _ => panic!("{place}: {rows} rows"),
            }
            let litter = disk.tree().into_keys().find(|path| path.contains("/.rw-"));
            assert_eq!(litter, None, "{place}");
        }
    }
}

#[test]
fn writes_to_the_path_of_a_row_that_waits_are_refused_until_it_is_decided_or_given_up() {
    let rig = Rig::new(scenario("overwrite through hard links"), Order::Forwards);
    let publishes = rig.ops(|line| line.starts_with("write w/b.txt "));
    let fault = Fault { at: publishes[0], kind: FaultKind::PowerCut };
    let obstructed = || {
        let (disk, _) = rig.run(&[fault], |_| {});
        let disk = disk.kill();
        disk.chmod("w/a.txt", 0o000);
        disk
    };
    let disk = obstructed();
    let ws = open(&disk, 41, Order::Forwards);
    for _ in 0..2 {
        let refused = overwrite(&ws, "a.txt", "newer\n");
        let Answer::Refused(resilient_core::Error::UnitPending { reason, .. }) = &refused else {
            panic!("{refused:?}");
        };
        assert!(reason.contains("denied"), "{reason}");
    }
    // Another process refuses it too.
    done(create(&ws, "other.txt", "other\n"));
    let refused = overwrite(&open(&disk, 43, Order::Forwards), "a.txt", "newer\n");
    assert!(
        matches!(refused, Answer::Refused(resilient_core::Error::UnitPending { .. })),
        "{refused:?}"
    );
    disk.chmod("w/a.txt", 0o644);
    let _ = overwrite(&ws, "a.txt", "newer\n");
    done(overwrite(&ws, "a.txt", "newer\n"));

    // A process that has seen the row learns that another one has decided it.
    let disk = obstructed();
    let [one, other] = [44, 45].map(|seed| open(&disk, seed, Order::Forwards));
    done(create(&one, "one.txt", "one\n"));
    done(create(&other, "other.txt", "other\n"));
    disk.chmod("w/a.txt", 0o644);
    one.recover().expect("recovery");
    done(overwrite(&other, "a.txt", "newer\n"));

    let disk = obstructed();
    let ws = open(&disk, 42, Order::Forwards);
    let report = ws.abandon_pending().expect("recovery");
    // What was to be written, and what the file was.
    assert_eq!((report.pending.len(), report.conflicts.len()), (0, 2));
    assert!(!holds_pending(&disk));
    let kept = format!("{STATE}/conflicts/{}.bin", report.conflicts[0].kept_sha256);
    assert!(disk.read(&kept).is_some());
}

/// Cuts what `work` does at each of its operations, and judges what a power loss may leave then, with
/// the obstacle gone and recovery done.
fn crash_with_a_row_that_waits(
    found: &SimDisk,
    work: &dyn Fn(&SimDisk),
    judge: &dyn Fn(&SimDisk) -> Result<(), String>,
) {
    let whole = found.kill();
    work(&whole);
    for at in 0..=whole.ops() {
        let cut = found.kill();
        cut.plan(Fault { at, kind: FaultKind::PowerCut });
        work(&cut);
        let states = cut.crash_states(Model::Strict, 24);
        for index in 0..states.len() {
            let lost = states.get(index).expect("a state");
            lost.chmod("w/a.txt", 0o644);
            // It has no row's name yet. The next row that waits takes it over.
            let unnamed = format!("{STATE}/pending/keeping");
            if lost.read(&unnamed).is_some() {
                lost.unlink(&unnamed);
            }
            // The second recovery finds what the first one has decided.
            let verdict =
                recover(&lost, 45).and_then(|()| recover(&lost, 46)).and_then(|()| judge(&lost));
            verdict.unwrap_or_else(|violation| {
                let last = cut.trace().last().cloned();
                panic!("{violation}: cut at {at}: {last:?}\n{}", states.describe(index))
            });
        }
    }
}

#[test]
fn a_row_that_waits_survives_every_crash() {
    for (name, mode) in [("append in place again", 0o444), ("overwrite through hard links", 0o000)]
    {
        let rig = Rig::new(scenario(name), Order::Forwards);
        let (_, after) = rig.expected.contents("w/a.txt");
        let writes = rig.ops(|line| {
            ["write w/a.txt ", "write w/b.txt "].iter().any(|write| line.starts_with(write))
        });
        let torn = Fault { at: writes[0], kind: FaultKind::TornWrite };
        let begun = Fault { at: writes[0], kind: FaultKind::PowerCut };
        for fault in [torn, begun] {
            let (disk, answers) = rig.run(&[fault], |_| {});
            let found = disk.kill();
            found.chmod("w/a.txt", mode);
            let judge = |lost: &SimDisk| {
                if holds_pending(lost) {
                    return Err("a row still waits".to_owned());
                }
                rig.expected.check(lost, &answers, None)
            };
            let recovering = |disk: &SimDisk| drop(recover(disk, 46));
            // It begins to wait,
            crash_with_a_row_that_waits(&found, &recovering, &judge);
            let waits = found.kill();
            recovering(&waits);
            if !holds_pending(&waits) {
                continue;
            }
            // is decided,
            let free = waits.kill();
            free.chmod("w/a.txt", 0o644);
            crash_with_a_row_that_waits(&free, &recovering, &judge);
            // or is given up. The file stays as it is then.
            let giving_up =
                |disk: &SimDisk| drop(open(disk, 47, Order::Forwards).abandon_pending());
            crash_with_a_row_that_waits(&waits, &giving_up, &|lost| {
                if holds_pending(lost) {
                    return Err("a row still waits".to_owned());
                }
                let has_row = World::of(lost)?.rows() > rig.expected.rows_before();
                if has_row && lost.read("w/a.txt").as_ref() != Some(&after) {
                    return Err("a row without its change".to_owned());
                }
                Ok(())
            });
        }
    }
}

#[test]
fn a_file_of_the_same_name_in_a_directory_above_is_not_touched() {
    for (name, path) in [("append in place again", "w/d/a.txt"), ("hard links", "w/d/a.txt")] {
        let begin = || {
            let disk = SimDisk::new();
            disk.set_sector(512);
            disk.write_file("w/.resilient_write/policy.yaml", b"hard_links: in_place\n");
            disk.write_file(path, workload::large().as_bytes());
            disk.hard_link(path, "w/d/b.txt");
            let ws = open(&disk, 1, Order::Forwards);
            done(create(&ws, "warm.txt", "warm\n"));
            (disk, ws)
        };
        let call = |ws: &Workspace| match name {
            "hard links" => overwrite(ws, "d/a.txt", "new\n"),
            _ => append(ws, "d/a.txt", &"more and more\n".repeat(100)),
        };
        let (whole, ws) = begin();
        let base = whole.ops();
        done(call(&ws));
        for at in base..whole.ops() {
            let (disk, ws) = begin();
            disk.plan(Fault { at, kind: FaultKind::PowerCut });
            let _ = call(&ws);
            let disk = disk.kill();
            let strangers = disk.read(path).expect("the file");
            disk.unlink("w/d/a.txt");
            disk.unlink("w/d/b.txt");
            disk.unlink("w/d");
            disk.write_file("w/a.txt", &strangers);
            recover(&disk, 51).expect("recovery");
            assert_eq!(disk.read("w/a.txt").as_ref(), Some(&strangers), "{name}, killed at {at}");
        }
    }
}

#[test]
fn a_conflict_keeps_all_that_a_call_was_to_write() {
    let rig = Rig::new(scenario("chunk write again"), Order::Forwards);
    let publishes = rig.ops(|line| is_publish(line) && line.contains("/chunks/s/"));
    let fault = Fault { at: publishes[0], kind: FaultKind::PowerCut };
    let (disk, _) = rig.run(&[fault], |_| {});
    let disk = disk.kill();
    disk.write_file("w/.resilient_write/chunks/s/manifest.json", b"{\"edited\": true}");
    let report = open(&disk, 61, Order::Forwards).recover().expect("recovery");
    assert_eq!(report.conflicts.len(), 2, "{report:?}");
    let kept = disk.tree().into_iter().any(|(path, bytes)| {
        path.starts_with(&format!("{STATE}/conflicts/")) && bytes == b"another two"
    });
    assert!(kept, "the part that was to be written is lost");
}

/// A journal of two batches, the last one unfinished: a create, and a write of what is there.
fn unfinished() -> SimDisk {
    let disk = SimDisk::new();
    disk.write_file("w/same.txt", b"same\n");
    let ws = open(&disk, 1, Order::Forwards);
    done(create(&ws, "warm.txt", "warm\n"));
    disk.plan(Fault { at: u64::MAX, kind: FaultKind::PowerCut });
    let calls: [fn(&Workspace) -> Answer; 3] = [
        |ws| create(ws, "a.txt", "a\n"),
        |ws| create(ws, "b.txt", "b\n"),
        |ws| overwrite(ws, "same.txt", "same\n"),
    ];
    // A first run tells where the files go out.
    let rehearsal = disk.kill();
    workload::together(&open(&rehearsal, 2, Order::Forwards), &calls);
    let at = rehearsal
        .trace()
        .iter()
        .position(|line| is_publish(line) && line.contains("-> w/a.txt"))
        .unwrap_or_else(|| panic!("{:#?}", rehearsal.trace()));
    let disk = disk.kill();
    disk.plan(Fault { at: at as u64, kind: FaultKind::PowerCut });
    workload::together(&open(&disk, 2, Order::Forwards), &calls);
    disk.kill()
}

#[test]
fn a_hole_within_a_batch_hides_no_row_of_it() {
    for end_is_there in [false, true] {
        let disk = unfinished();
        let journal = disk.read(JOURNAL).expect("the journal");
        let lines: Vec<&[u8]> = journal.split_inclusive(|byte| *byte == b'\n').collect();
        assert_eq!(lines.len(), 4);
        // The row of b.txt never reached the disk, but perhaps for its end.
        let mut torn = [lines[0], lines[1]].concat();
        torn.extend(vec![0; lines[2].len() - 1]);
        torn.push(if end_is_there { b'\n' } else { 0 });
        torn.extend_from_slice(lines[3]);
        disk.write_file(JOURNAL, &torn);
        recover(&disk, 71).expect("recovery");
        let world = World::of(&disk).expect("a sound journal");
        let published = disk.read("w/a.txt").is_some();
        let journal = disk.read(JOURNAL).expect("the journal");
        let row = String::from_utf8_lossy(&journal).contains("\"a.txt\"");
        assert_eq!(row, published, "{world:?}");
        assert_eq!(disk.read("w/b.txt"), None);
        assert!(!journal.contains(&0), "the hole is cut: {}", String::from_utf8_lossy(&journal));
    }
}

#[test]
fn whole_lines_of_others_are_never_cut() {
    let foreign = "{\"journal_id\":\"wj_x\",\"mode\":\"remove\",\"v\":9}\nnot a row at all\n";
    for torn in ["", "{\"abs_path\":\"/w/t", "\0\0\0\0"] {
        let disk = unfinished();
        let mut journal = disk.read(JOURNAL).expect("the journal");
        journal.extend_from_slice(foreign.as_bytes());
        journal.extend_from_slice(torn.as_bytes());
        disk.write_file(JOURNAL, &journal);
        let report = open(&disk, 81, Order::Forwards).recover().expect("recovery");
        let now = String::from_utf8(disk.read(JOURNAL).unwrap()).unwrap();
        assert!(now.ends_with(foreign), "{now}");
        assert_eq!(report.cut, torn.len() as u64);
        // The unfinished batch in front of them is judged all the same.
        assert!(disk.read("w/a.txt").is_some() && disk.read("w/b.txt").is_some());
        let kept = disk.tree().into_iter().any(|(path, bytes)| {
            path.starts_with(&format!("{STATE}/conflicts/journal-")) && bytes == torn.as_bytes()
        });
        assert_eq!(kept, torn.starts_with('{'), "what is cut is kept");
        assert_eq!(report.cut_kept, if kept { report.cut } else { 0 });
    }
}

#[test]
fn a_row_that_somebody_has_gone_on_behind_is_not_cut_with_that() {
    for behind in ["garbage", " ", "{\"torn", "{}"] {
        let disk = SimDisk::new();
        disk.mkdir(workload::ROOT);
        done(create(&open(&disk, 1, Order::Forwards), "a.txt", "a\n"));
        let disk = disk.kill();
        let journal = disk.read(JOURNAL).expect("the journal");
        let (last, row) = journal.split_last().expect("a row");
        disk.write_file(JOURNAL, &[row, behind.as_bytes()].concat());
        let report = open(&disk, 81, Order::Forwards).recover().expect("recovery");
        assert_eq!((*last, disk.read(JOURNAL)), (b'\n', Some(journal)), "{behind:?}");
        assert_eq!((report.cut, report.cut_kept), (behind.len() as u64, behind.len() as u64));
    }
}

#[test]
fn numbers_go_on_behind_rows_of_another_writer() {
    let disk = SimDisk::new();
    disk.mkdir(workload::ROOT);
    done(create(&open(&disk, 1, Order::Forwards), "a.txt", "a\n"));
    let disk = disk.kill();
    let mut journal = disk.read(JOURNAL).expect("the journal");
    journal.extend_from_slice(
        format!(
            "{{\"bytes\":1,\"caller\":\"x\",\"journal_id\":\"wj_0\",\"mode\":\"create\",\
             \"path\":\"p\",\"sha256\":\"{}\",\"ts\":\"2026-11-21T10:00:00Z\"}}\n",
            "0".repeat(64)
        )
        .as_bytes(),
    );
    disk.write_file(JOURNAL, &journal);
    done(create(&open(&disk, 2, Order::Forwards), "b.txt", "b\n"));
    let journal = String::from_utf8(disk.read(JOURNAL).unwrap()).unwrap();
    assert!(journal.lines().last().is_some_and(|row| row.contains("\"seq\":2")), "{journal}");
}

#[test]
fn a_network_file_system_is_told_once() {
    let disk = SimDisk::new();
    disk.mkdir(workload::ROOT);
    disk.set_file_system("w", FileSystem::Network("NFS"));
    let ws = open(&disk, 1, Order::Forwards);
    done(create(&ws, "a.txt", "a\n"));
    assert_eq!(ws.take_notices().network, Some("NFS"));
    done(create(&ws, "b.txt", "b\n"));
    assert!(ws.take_notices().is_empty());
}

/// A disk with a journal, and a row at its end that waits for its slot to be readable.
fn with_unreadable_slot() -> SimDisk {
    let rig = Rig::new(scenario("overwrite"), Order::Forwards);
    let publishes = rig.ops(|line| is_publish(line) && line.contains("-> w/a.txt"));
    let (disk, _) = rig.run(&[Fault { at: publishes[0], kind: FaultKind::PowerCut }], |_| {});
    let disk = disk.kill();
    let slot = disk
        .tree()
        .into_iter()
        .find(|(path, bytes)| path.starts_with(&format!("{STATE}/tmp/s-")) && !bytes.is_empty());
    disk.chmod(&slot.expect("the slot").0, 0o000);
    disk
}

#[test]
fn the_first_call_of_a_process_looks_again_at_what_waits_whatever_else_is_there() {
    let disk = with_unreadable_slot();
    let ws = open(&disk, 105, Order::Forwards);
    done(create(&ws, "other.txt", "other\n"));
    assert!(holds_pending(&disk));
    drop(ws);
    // The slot is gone, so that only the row itself describes the write.
    let slot = disk
        .tree()
        .into_iter()
        .find(|(path, bytes)| path.starts_with(&format!("{STATE}/tmp/s-")) && !bytes.is_empty());
    disk.unlink(&slot.expect("the slot").0);
    let ws = open(&disk, 106, Order::Forwards);
    done(create(&ws, "another.txt", "another\n"));
    assert!(!holds_pending(&disk), "a row still waits");
    done(overwrite(&ws, "a.txt", "newer\n"));
}

#[test]
fn the_next_call_looks_again_once_at_what_one_passing_error_has_let_wait() {
    let disk = with_unreadable_slot();
    let slot = disk
        .tree()
        .into_iter()
        .find(|(path, bytes)| path.starts_with(&format!("{STATE}/tmp/s-")) && !bytes.is_empty());
    let slot = slot.expect("the slot").0;
    let ws = open(&disk, 107, Order::Forwards);
    done(create(&ws, "other.txt", "other\n"));
    let told = ws.take_notices();
    assert_eq!(told.pending.len(), 1, "{told:?}");
    done(create(&ws, "another.txt", "another\n"));
    assert!(holds_pending(&disk));
    assert!(ws.take_notices().is_empty(), "the same row is told twice");
    drop(ws);

    let ws = open(&disk, 108, Order::Forwards);
    done(create(&ws, "third.txt", "third\n"));
    disk.chmod(&slot, 0o600);
    done(create(&ws, "fourth.txt", "fourth\n"));
    assert!(!holds_pending(&disk), "a row still waits");
    done(overwrite(&ws, "a.txt", "newer\n"));
}

#[test]
fn giving_up_keeps_everything_or_goes_on_waiting() {
    let disk = with_unreadable_slot();
    let before = disk.tree();
    let report = open(&disk, 101, Order::Forwards).abandon_pending().expect("recovery");
    assert_eq!((report.pending.len(), report.abandoned.len()), (1, 0), "{report:?}");
    let slots = |tree: &std::collections::BTreeMap<String, Vec<u8>>| {
        let in_tmp = |path: &&String| path.contains("/tmp/s-");
        tree.iter().filter(|(path, bytes)| in_tmp(path) && !bytes.is_empty()).count()
    };
    assert_eq!(slots(&disk.tree()), slots(&before), "the content is lost");
}

#[test]
fn an_append_that_is_given_up_tells_where_a_part_of_it_may_be() {
    let rig = Rig::new(scenario("append in place again"), Order::Forwards);
    let mut given_up = 0;
    for at in rig.ops(|line| line.starts_with("write")) {
        let (disk, _) = rig.run(&[Fault { at, kind: FaultKind::TornWrite }], |_| {});
        let disk = disk.kill();
        disk.chmod("w/a.txt", 0o444);
        let report = open(&disk, 104, Order::Forwards).abandon_pending().expect("recovery");
        let [part] = &report.parts[..] else {
            assert!(report.abandoned.is_empty(), "{at}: {report:?}");
            continue;
        };
        given_up += 1;
        assert_eq!(report.abandoned, [part.path.as_str()]);
        let before = disk.read("w/a.txt").expect("the file");
        let before = &before[..usize::try_from(part.at).expect("a length")];
        assert_eq!(part.prev_sha256, Some(Digest::of(before)), "{at}");
        let kept = part.kept_sha256.expect("it was kept");
        let row = disk.read(&format!("{STATE}/conflicts/{kept}.row"));
        let row = Row::parse(&row.expect("the kept row")).expect("a row");
        assert_eq!((row.at, row.prev_sha256), (Some(part.at), part.prev_sha256));
        let [notice] = &report.notices()[..] else { panic!("one notice: {report:?}") };
        assert!(notice.text.contains(&format!("from byte {} on", part.at)), "{notice:?}");
    }
    assert!(given_up > 0, "no append was given up");
}

#[test]
fn a_row_whose_act_is_refused_can_be_given_up() {
    let rig = Rig::new(scenario("create in new directories"), Order::Forwards);
    let publishes = rig.ops(|line| is_publish(line) && line.contains("-> w/"));
    let (disk, _) = rig.run(&[Fault { at: publishes[0], kind: FaultKind::PowerCut }], |_| {});
    let disk = disk.kill();
    let dirs = disk.dirs().into_iter().filter(|dir| !dir.contains("/.") && dir.starts_with("w/"));
    dirs.for_each(|dir| disk.chmod(&dir, 0o555));
    let ws = open(&disk, 102, Order::Forwards);
    assert_eq!(ws.recover().expect("recovery").pending.len(), 1);
    let report = ws.abandon_pending().expect("recovery");
    assert_eq!((report.pending.len(), report.conflicts.len()), (0, 1), "{report:?}");
    assert!(!holds_pending(&disk));
}

#[test]
fn a_withdrawal_of_another_journal_cuts_nothing() {
    for record in ["{\"offset\":0}\n", "{\"offset\":1000000000000}\n", "nonsense", ""] {
        let disk = SimDisk::new();
        disk.mkdir(workload::ROOT);
        let ws = open(&disk, 1, Order::Forwards);
        done(create(&ws, "a.txt", "a\n"));
        done(create(&ws, "b.txt", "b\n"));
        let disk = disk.kill();
        disk.write_file(&format!("{STATE}/withdrawal"), record.as_bytes());
        disk.unlink(&format!("{STATE}/lock"));
        let ws = open(&disk, 103, Order::Forwards);
        done(create(&ws, "c.txt", "c\n"));
        assert_eq!(ws.take_notices().left.len(), 1, "{record}");
        assert_eq!(World::of(&disk).expect("a sound disk").rows(), 3, "{record}");
        assert!(disk.read(&format!("{STATE}/withdrawal.other.0")).is_some(), "{record}");
    }
}

#[test]
fn odd_names_in_the_state_directory_stop_no_call() {
    type Make<'a> = &'a dyn Fn(&SimDisk, &str);
    let odd: [(&str, Make<'_>); 3] = [
        ("a directory", &|disk, path| disk.mkdir(path)),
        ("a link", &|disk, path| disk.symlink(path, "/w")),
        ("a FIFO", &|disk, path| disk.fifo(path)),
    ];
    for name in ["tmp/x.kept", "tmp/o-0123456789abcdef", "withdrawal", "pending", "conflicts"] {
        for (kind, make) in odd {
            if kind == "a directory" && matches!(name, "pending" | "conflicts") {
                continue;
            }
            let disk = with_unreadable_slot();
            make(&disk, &format!("{STATE}/{name}"));
            let ws = open(&disk, 104, Order::Forwards);
            let other = workload::keep(&ws, "another call's content", "other");
            assert!(other.is_done(), "{name} is {kind}: {other:?}");
            assert_eq!(ws.recover().map(|report| report.pending.len()).ok(), Some(1), "{name}");
        }
    }
}

#[test]
fn rows_reach_no_other_file_of_the_state_than_those_that_have_rows() {
    let policy = format!("{STATE}/policy.yaml");
    let disk = with_unreadable_slot();
    disk.write_file(&policy, b"hard_links: refuse\n");
    let journal = String::from_utf8(disk.read(JOURNAL).unwrap()).unwrap();
    disk.write_file(JOURNAL, journal.replace("\"/w/a.txt\"", &format!("\"/{policy}\"")).as_bytes());
    let slot = disk.tree().into_keys().find(|path| path.contains("/tmp/s-")).expect("a slot");
    disk.chmod(&slot, 0o644);
    let _ = open(&disk, 105, Order::Forwards).recover().expect("recovery");
    assert_eq!(disk.read(&policy).as_deref(), Some(&b"hard_links: refuse\n"[..]));
}

#[test]
fn a_session_with_a_part_that_waits_is_neither_reset_nor_composed() {
    let rig = Rig::new(scenario("chunk write again"), Order::Forwards);
    let publishes = rig.ops(|line| is_publish(line) && line.contains("/chunks/s/"));
    let (disk, _) = rig.run(&[Fault { at: publishes[0], kind: FaultKind::PowerCut }], |_| {});
    let disk = disk.kill();
    let slots = disk
        .tree()
        .into_iter()
        .filter(|(path, bytes)| path.starts_with(&format!("{STATE}/tmp/s-")) && !bytes.is_empty());
    slots.for_each(|(path, _)| disk.chmod(&path, 0o000));
    let ws = open(&disk, 106, Order::Forwards);
    let waits = |error| matches!(error, resilient_core::Error::UnitPending { .. });
    assert!(ws.chunks().reset("s").is_err_and(waits));
    assert!(ws.compose(composing("out.txt", false)).is_err_and(waits));
    assert_eq!(disk.read("w/out.txt"), None);
}

/// Recovery publishes content and finds no room for what comes next, nor to have the row wait.
#[test]
fn what_recovery_did_before_it_failed_is_told_and_so_is_its_end() {
    let rig = Rig::new(scenario("scratch put, the second"), Order::Forwards);
    let publishes =
        rig.ops(|line| is_publish(line) && line.contains("-> w/.resilient_write/scratch/"));
    let (disk, _) = rig.run(&[Fault { at: publishes[0], kind: FaultKind::PowerCut }], |_| {});
    let disk = disk.kill();
    let used: usize = disk.tree().values().map(Vec::len).sum();
    let ws = open(&disk, 101, Order::Forwards);
    let _ = disk.clone().with_capacity(used as u64);
    let refused = create(&ws, "n1.txt", "1\n");
    assert!(matches!(&refused, Answer::Refused(_)), "{refused:?}");
    let told = ws.take_notices();
    assert_eq!(told.pending.len(), 1, "{told:?}");
    let path = told.pending[0].path.clone();
    assert!(disk.read(&format!("w/{path}")).is_some(), "the content is published");
    let _ = disk.clone().with_capacity(u64::MAX);
    done(create(&ws, "n2.txt", "2\n"));
    let told = ws.take_notices();
    assert_eq!((told.finished, told.pending), (vec![path], Vec::new()));
}

/// A row that can be neither decided nor kept stops the batch behind it, and no other row of its own batch.
#[test]
fn a_row_that_cannot_even_wait_hides_no_other_row_of_its_batch() {
    let rig = Rig::new(scenario("a batch of writes"), Order::Forwards);
    let publishes = rig.ops(|line| is_publish(line) && line.contains("w/x/y/z.txt"));
    let (disk, _) = rig.run(&[Fault { at: publishes[0], kind: FaultKind::PowerCut }], |_| {});
    let disk = disk.kill();
    // The first row's file cannot be reached, and nothing can be put where rows wait.
    disk.mkdir(&format!("{STATE}/pending"));
    disk.chmod(&format!("{STATE}/pending"), 0o500);
    disk.chmod("w/x/y", 0o000);
    let ws = open(&disk, 102, Order::Forwards);
    let refused = create(&ws, "n1.txt", "1\n");
    assert!(matches!(&refused, Answer::Refused(_)), "{refused:?}");
    let told = ws.take_notices();
    assert_eq!(told.pending.len(), 1, "{told:?}");
    assert_eq!(told.pending[0].path, "x/y/z.txt");
    assert_eq!(told.finished, ["a.txt", "x/second.txt"]);
    assert_eq!(disk.read("w/a.txt").as_deref(), Some(&b"the new content\n"[..]));
    disk.chmod("w/x/y", 0o755);
    disk.chmod(&format!("{STATE}/pending"), 0o700);
    done(create(&ws, "n2.txt", "2\n"));
    let told = ws.take_notices();
    assert_eq!((told.finished, told.pending), (vec!["x/y/z.txt".to_owned()], Vec::new()));
    assert!(disk.read("w/x/y/z.txt").is_some());
    assert_eq!(World::of(&disk).expect("a sound disk").rows(), rig.expected.rows_before() + 5);
}
