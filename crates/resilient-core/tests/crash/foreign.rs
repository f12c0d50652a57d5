//! Editors that do not take the lock.
//!
//! The row of an answered write stays, whatever somebody does to the file afterwards, and recovery
//! never writes over what is not its own: a file that somebody has changed is, after recovery, to
//! the byte what it was before.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Instant;

use resilient_core::digest::Digest;
use resilient_core::disk::sim::{Calls, Fault, FaultKind, Model, Schedule, SimDisk};
use resilient_core::disk::{Access, Disk, Replace};
use resilient_core::recovery::What;
use resilient_core::{Error, Workspace};

use crate::campaign::{Budget, Rig, Tally, is_publish, recover};
use crate::oracle::{World, is_cut};
use crate::workload::{self, Answer, Order, Scenario, all, open, overwrite, scenario};

/// What an editor does to a file.
#[derive(Clone, Debug)]
enum Edit {
    Write { content: Vec<u8>, durable: bool },
    Remove,
}

impl Edit {
    fn apply(&self, disk: &SimDisk, path: &str) {
        match self {
            Self::Write { content, durable: true } => disk.write_file(path, content),
            Self::Write { content, durable: false } => disk.edit(path, content),
            Self::Remove if disk.read(path).is_some() => disk.unlink(path),
            Self::Remove => {}
        }
    }
}

/// The scenarios of one call that writes one file of the user's, with that file.
fn targets() -> impl Iterator<Item = (Scenario, Rig, String)> {
    all().filter_map(|scenario| {
        let rig = Rig::new(scenario, Order::Forwards);
        let path = rig.expected.only_target()?;
        Some((scenario, rig, path))
    })
}

#[test]
fn an_edit_after_the_answer_never_costs_the_row_or_the_edit() {
    let begun = Instant::now();
    let budget = Budget::of_environment();
    let mut tally = Tally::default();
    for (scenario, rig, path) in targets() {
        let (before, after) = rig.expected.contents(&path);
        let mut half = after.clone();
        half.truncate(before.as_ref().map_or(0, Vec::len) + 3);
        let mut longer = after.clone();
        longer.extend_from_slice(b"an editor's line\n");
        let contents = [b"an editor's\n".to_vec(), half, longer, Vec::new()];
        // Who takes exactly back what was appended in place also takes its row.
        let restored = before.filter(|_| !scenario.appends_in_place());
        let contents = contents.into_iter().chain(restored);
        let edits = contents.flat_map(|content| {
            [true, false].map(|durable| Edit::Write { content: content.clone(), durable })
        });
        for edit in edits.chain([Edit::Remove]) {
            let (disk, answers) = rig.run(&[], |_| {});
            edit.apply(&disk, &path);
            tally.points += 1;
            let Some(Answer::Done(Some(id))) = answers.first() else { panic!("{answers:?}") };
            let told =
                || format!("{edit:?} after {}", rig.place(rig.end)).chars().take(400).collect();
            let killed = disk.kill();
            tally.judge(untouched(&killed, &[&path], &[id]), told);
            for model in [Model::Strict, Model::Ordered] {
                let states = disk.crash_states(model, budget.states);
                for index in 0..states.len() {
                    let lost = states.get(index).expect("a state");
                    tally.judge(untouched(&lost, &[&path], &[id]), || {
                        let told: String = told();
                        format!("{told}\n{}", states.describe(index))
                    });
                }
            }
        }
    }
    tally.finish("edits after the answer", begun);
}

/// Recovers, and compares files with what they were before; the rows are there.
pub fn untouched(disk: &SimDisk, paths: &[&str], rows: &[&String]) -> Result<(), String> {
    let found: Vec<_> = paths.iter().map(|path| disk.read(path)).collect();
    recover(disk, 71)?;
    if !paths.iter().zip(found).all(|(path, found)| disk.read(path) == found) {
        return Err("recovery has written over an editor's file".to_owned());
    }
    let journal = disk.read("w/.resilient_write/journal.jsonl").unwrap_or_default();
    let journal = String::from_utf8_lossy(&journal);
    if rows.iter().all(|id| journal.contains(id.as_str())) {
        return Ok(());
    }
    Err("the row of an answered write was withdrawn".to_owned())
}

#[test]
fn an_edit_between_a_kill_and_recovery_is_kept() {
    let begun = Instant::now();
    let mut tally = Tally::default();
    for (_, rig, path) in targets() {
        let (before, after) = rig.expected.contents(&path);
        for at in rig.base..rig.end {
            let (disk, answers) = rig.run(&[Fault { at, kind: FaultKind::PowerCut }], |_| {});
            tally.points += 1;
            let mut longer = before.clone().unwrap_or_default();
            longer.extend_from_slice(b"an editor's line\n");
            for content in [b"an editor's\n".to_vec(), longer] {
                let disk = disk.kill();
                disk.edit(&path, &content);
                let told = || {
                    let content =
                        String::from_utf8_lossy(&content[content.len().saturating_sub(40)..]);
                    format!(
                        "edited to ..{content:?} after a kill in {}\n{answers:?}",
                        rig.place(at)
                    )
                };
                tally.judge(untouched(&disk, &[&path], &[]), told);
                // What could not be published is there to be found, and no row names it.
                let kept = disk.tree().into_iter().any(|(path, bytes)| {
                    path.starts_with("w/.resilient_write/conflicts/")
                        && (bytes == after || after.ends_with(&bytes))
                });
                let rows = disk.read("w/.resilient_write/journal.jsonl").unwrap_or_default();
                let rows = rows.iter().filter(|byte| **byte == b'\n').count();
                let promised = rows > rig.expected.rows_before();
                let begun = rig.trace[at as usize].contains("journal.jsonl");
                if kept && promised {
                    tally.judge(Err("a row and a conflict".to_owned()), told);
                }
                let _ = begun;
            }
            // What is as it was before may have been put there by an editor, or not.
            if let Some(content) = &before {
                let disk = disk.kill();
                disk.edit(&path, content);
                let verdict = recover(&disk, 72).and_then(|()| match disk.read(&path) {
                    Some(now) if now == *content || now == after => Ok(()),
                    now => Err(format!("neither old nor new: {now:?}")),
                });
                tally.judge(verdict, || format!("put back after a kill in {}", rig.place(at)));
            }
        }
    }
    tally.finish("edits after a kill", begun);
}

pub const EDIT: &[u8] = b"an editor's\n";

/// Crashes the recovery of a write that has met an editor's change, at every operation: in the end
/// the file is the editor's, no row describes the write, and what was promised is kept.
pub fn conflict_survives(
    prepare: &dyn Fn(&SimDisk),
    recovering: &dyn Fn(&mut dyn FnMut()),
) -> Result<(), String> {
    for (scenario, rig, path) in targets() {
        if scenario.appends_in_place() {
            continue;
        }
        let (_, after) = rig.expected.contents(&path);
        // The first operation of the first wait: nothing of it is durable.
        let written = rig.ops(|line| line.starts_with("write w/.resilient_write/journal.jsonl "));
        // The first operation after it: everything is promised, nothing published.
        let publishes = rig.ops(|line| {
            is_publish(line) && line.ends_with(&format!("-> {path}"))
                || line.contains(&format!("write {path} "))
        });
        let (Some(written), Some(promised)) = (written.first(), publishes.first()) else {
            continue;
        };
        for at in [written + 1, *promised] {
            let (disk, _) = rig.run(&[Fault { at, kind: FaultKind::PowerCut }], |_| {});
            let disk = disk.kill();
            disk.write_file(&path, EDIT);
            prepare(&disk);
            let whole = disk.kill();
            recovering(&mut || recover(&whole, 73).expect("recovery"));
            for cut_at in 0..=whole.ops() {
                let cut = disk.kill();
                cut.plan(Fault { at: cut_at, kind: FaultKind::PowerCut });
                recovering(&mut || drop(recover(&cut, 73)));
                let states = cut.crash_states(Model::Strict, 12);
                let must_be_kept = at == *promised || cut_at == whole.ops();
                for index in 0..states.len() {
                    let lost = states.get(index).expect("a state");
                    let verdict = recover(&lost, 74)
                        .and_then(|()| conflict_is_sound(&lost, &rig, &path, &after, must_be_kept));
                    verdict.map_err(|violation| {
                        format!(
                            "{violation}: {}; recovery cut at {cut_at}: {:?}\n{}",
                            rig.place(at),
                            cut.trace().last(),
                            states.describe(index)
                        )
                    })?;
                }
            }
        }
    }
    Ok(())
}

/// The file is the editor's, no row describes the write, and its content is kept as a whole.
pub fn conflict_is_sound(
    disk: &SimDisk,
    rig: &Rig,
    path: &str,
    content: &[u8],
    must_be_kept: bool,
) -> Result<(), String> {
    if disk.read(path).as_deref() != Some(EDIT) {
        return Err("an editor's file was written over".to_owned());
    }
    if crate::oracle::World::of(disk)?.rows() != rig.expected.rows_before() {
        return Err("a row without its change".to_owned());
    }
    let mut kept = disk.tree();
    kept.retain(|path, _| {
        path.strip_prefix("w/.resilient_write/")
            .is_some_and(|inside| inside.starts_with("conflicts/") && !is_cut(inside))
    });
    if must_be_kept && kept.is_empty() {
        return Err("the content of the write is lost".to_owned());
    }
    // A file that goes out together with it is kept as well.
    match kept.into_values().find(|bytes| bytes != content && !rig.expected.holds(bytes)) {
        Some(bytes) => Err(format!("{} bytes are kept that nobody wrote", bytes.len())),
        None => Ok(()),
    }
}

#[test]
fn a_conflict_survives_crashes_of_its_recovery() {
    conflict_survives(&|_| {}, &|work| work()).expect("no violation");
}

#[test]
fn a_line_in_the_place_of_one_that_was_removed_stays() {
    const INDEX: &str = "w/.resilient_write/scratch/index.jsonl";
    let disk = SimDisk::new();
    disk.mkdir(workload::ROOT);
    let ws = workload::open(&disk, 1, Order::Forwards);
    // Its line belongs to the journal's last row, and that of the second one to none.
    workload::done(workload::keep(&ws, "aside", "one"));
    disk.unlink(INDEX);
    workload::done(workload::keep(&ws, "aside", "two"));
    let disk = disk.kill();
    let line = disk.read(INDEX).expect("the index");
    recover(&disk, 77).expect("recovery");
    assert_eq!(disk.read(INDEX), Some(line));
}

/// Somebody edits the scratchpad's index, and the line of the last put is not where its row says.
#[test]
fn recovery_cuts_no_line_of_others_off_the_index() {
    const INDEX: &str = "w/.resilient_write/scratch/index.jsonl";
    let begin = || {
        let disk = SimDisk::new();
        disk.mkdir(workload::ROOT);
        let ws = workload::open(&disk, 1, Order::Forwards);
        workload::done(workload::keep(&ws, "first", "one"));
        workload::done(workload::keep(&ws, "second", "two"));
        drop(ws);
        let disk = disk.kill();
        // The last batch is judged again.
        disk.unlink("w/.resilient_write/lock");
        let index = String::from_utf8(disk.read(INDEX).expect("the index")).expect("UTF-8");
        let lines: Vec<String> = index.lines().map(str::to_owned).collect();
        let [one, two] = <[String; 2]>::try_from(lines).expect("two lines");
        (disk, one, two)
    };
    type Edit = fn(&str, &str) -> String;
    // The label of the first line becomes longer or shorter.
    let edits: [(&str, Edit, bool); 7] = [
        ("longer", |one, _| format!("{}\n", one.replace("one", "a longer label")), true),
        ("longer, without its end", |one, _| one.replace("one", "a longer label"), true),
        ("longer than both", |one, _| format!("{}\n", one.replace("one", &"o".repeat(999))), false),
        ("shorter", |one, two| format!("{}\n{two}\n", one.replace("one", "o")), true),
        ("shorter, alone", |one, _| format!("{}\n", one.replace("one", "o")), true),
        (
            "another one",
            |one, two| format!("{one}\n{}\n", two.replace("two", "a longer label")),
            false,
        ),
        ("no JSON", |one, _| format!("{one}\nnonsense\n"), true),
    ];
    for (what, edit, holds_two) in edits {
        let (disk, one, two) = begin();
        let edited = edit(&one, &two);
        disk.write_file(INDEX, edited.as_bytes());
        for _ in 0..2 {
            recover(&disk, 77).expect("recovery");
            let index = String::from_utf8(disk.read(INDEX).expect("the index")).expect("UTF-8");
            assert!(index.starts_with(&edited), "{what}: {index}");
            let count = index.lines().filter(|line| **line == two).count();
            assert_eq!(count, usize::from(holds_two), "{what}: {index}");
            disk.unlink("w/.resilient_write/lock");
        }
    }
}

#[test]
fn a_session_of_the_same_name_outlives_the_recovery_of_a_cleanup() {
    let scenario = all().find(|one| one.name == "compose and clean up").expect("the scenario");
    let rig = Rig::new(scenario, Order::Forwards);
    let (before, _) = rig.begin();
    let parts: Vec<(String, Vec<u8>)> =
        before.tree().into_iter().filter(|(path, _)| path.contains("/chunks/s/")).collect();
    assert_eq!(parts.len(), 3, "two parts and a manifest");
    let (disk, answers) = rig.run(&[], |_| {});
    assert!(answers.iter().all(Answer::is_done), "{answers:?}");
    // A program that takes no lock makes one that is the same to the byte.
    let disk = disk.kill();
    parts.iter().for_each(|(path, bytes)| disk.write_file(path, bytes));
    recover(&disk, 75).expect("recovery");
    for (path, bytes) in parts {
        assert_eq!(disk.read(&path), Some(bytes), "{path}");
    }
}

#[test]
fn a_session_whose_removal_was_not_synced_does_not_come_back_after_recovery() {
    let name = "compose and clean up in a lower layer";
    let scenario = all().find(|one| one.name == name).expect("the scenario");
    let rig = Rig::new(scenario, Order::Forwards);
    // The directory is removed already.
    let sync = rig.ops(|line| line == "syncdir w/.resilient_write/chunks");
    let at = *sync.last().expect("the sync of its removal");
    let (disk, answers) = rig.run(&[Fault { at, kind: FaultKind::PowerCut }], |_| {});
    let whole = disk.kill();
    recover(&whole, 76).expect("recovery");
    for at in 0..=whole.ops() {
        let cut = disk.kill();
        cut.plan(Fault { at, kind: FaultKind::PowerCut });
        // It ends where the power goes.
        let _ = recover(&cut, 76);
        for lost in cut.crash_states(Model::Strict, 24).iter() {
            recover(&lost, 77).expect("recovery");
            assert_eq!(rig.expected.check(&lost, &answers, None), Ok(()), "at {at}");
        }
    }
}

/// The removal of a session is interrupted in the middle, and its row waits then: one passing error meets recovery.
#[test]
fn a_session_that_is_half_removed_when_its_row_waits_goes_as_a_whole() {
    let rig = Rig::new(scenario("compose and clean up in a lower layer"), Order::Forwards);
    let is_move = |line: &str| line.starts_with("rename w/.resilient_write/chunks/s/");
    let at = rig.ops(is_move)[0];
    let (disk, answers) = rig.run(&[Fault { at, kind: FaultKind::PowerCut }], |_| {});
    let whole = disk.kill();
    recover(&whole, 76).expect("recovery");
    let moves = whole.trace().into_iter().zip(0..).filter(|(line, _)| is_move(line));
    for at in moves.map(|(_, at)| at) {
        let disk = disk.kill();
        disk.plan(Fault { at, kind: FaultKind::Io { errno: 5, sticky: false } });
        let report = open(&disk, 76, Order::Forwards).recover().expect("recovery");
        assert_eq!(report.pending.len(), 1, "{report:?}");
        recover(&disk, 77).expect("recovery");
        assert_eq!(rig.expected.check_where_rows_waited(&disk, &answers, None), Ok(()), "at {at}");
    }
}

#[test]
fn a_session_that_somebody_adds_to_is_not_cleaned_up() {
    let scenario = all().find(|one| one.name == "compose and clean up").expect("the scenario");
    let rig = Rig::new(scenario, Order::Forwards);
    let move_away = rig.ops(|line| line.starts_with("rename w/.resilient_write/chunks/s "));
    let fault = Fault { at: move_away[0], kind: FaultKind::PowerCut };
    let (disk, _) = rig.run(&[fault], |_| {});
    let disk = disk.kill();
    disk.write_file("w/.resilient_write/chunks/s/part-003.txt", b"three");
    recover(&disk, 76).expect("recovery");
    assert!(disk.read("w/out/a.txt").is_some(), "what was composed is there");
    assert!(disk.read("w/.resilient_write/chunks/s/part-003.txt").is_some(), "so is the part");
}

#[test]
fn a_compose_that_removes_a_session_is_refused_while_another_program_goes_on_changing_it() {
    let (disk, ws) = scenario("compose and clean up").begin(Order::Forwards);
    drop(ws);
    let schedule = Schedule::new([0, 1].into_iter().cycle());
    let ws = open(&schedule.process(&disk), 79, Order::Forwards);
    let other = schedule.process(&disk);
    let part = "w/.resilient_write/chunks/s/part-003.txt";
    let goes_on = || (0..2_000).for_each(|n| other.edit(part, format!("three {n}").as_bytes()));
    let composing = Box::new(|| {
        let refused = ws.compose(workload::composing("out/a.txt", true)).expect_err("a refusal");
        assert!(
            matches!(&refused, Error::SessionChanges { session } if session == "s"),
            "{refused:?}"
        );
        assert_eq!(disk.read("w/out/a.txt"), None);
    }) as Calls<'_, ()>;
    schedule.run(vec![composing, Box::new(goes_on)]);
    assert_eq!(disk.read(part).as_deref(), Some(&b"three 1999"[..]));
    let receipt = ws.compose(workload::composing("out/a.txt", true)).expect("a file");
    assert_eq!(disk.read("w/out/a.txt").map(|text| text.len() as u64), Some(receipt.bytes));
    assert_eq!(disk.read(part), None);
}

/// A program that takes no lock keeps another part while a session is composed and cleaned up. It comes in front of each
/// call in turn.
#[test]
fn a_part_that_somebody_keeps_during_a_cleanup_is_lost_only_between_the_last_look_and_the_move() {
    let (mut calls, mut at, mut lost) = (1, 0, 0);
    while at < calls {
        let (disk, ws) = scenario("compose and clean up").begin(Order::Forwards);
        drop(ws);
        let schedule = Schedule::new(std::iter::repeat_n(0, at as usize).chain([1]));
        let ws = open(&schedule.process(&disk), 78, Order::Forwards);
        let other = schedule.process(&disk);
        let keep = || other.edit("w/.resilient_write/chunks/s/part-003.txt", b"three");
        let composing = Box::new(|| {
            let receipt = ws.compose(workload::composing("out/a.txt", true)).expect("a file");
            assert_eq!(disk.read("w/out/a.txt").map(|text| text.len() as u64), Some(receipt.bytes));
        }) as Calls<'_, ()>;
        schedule.run(vec![composing, Box::new(keep)]);
        calls = schedule.calls();
        let text = disk.read("w/out/a.txt").expect("a file");
        let is_composed = text.ends_with(b"three");
        let part = disk.read("w/.resilient_write/chunks/s/part-003.txt");
        let notices = ws.take_notices();
        // Where it came too late for the file, it stays, and that is told.
        if let (Some(_), Some(_)) = (&part, disk.read("w/.resilient_write/chunks/s/part-001.txt")) {
            assert!(!is_composed && notices.left.len() == 1, "at {at}: {notices:?}");
        }
        lost += u64::from(!is_composed && part.is_none());
        at += 1;
    }
    assert!(lost <= 1, "{lost} of {calls}");
    assert!(calls > 100, "{calls}");
}

/// How many of recovery's calls an editor's save can come in front of, so that recovery writes over
/// it. The save comes in front of each call in turn.
fn losing_saves(name: &str) -> (u64, u64) {
    let scenario = all().find(|one| one.name == name).expect("the scenario");
    let rig = Rig::new(scenario, Order::Forwards);
    let path = rig.expected.only_target().expect("one target");
    let acts = rig.ops(|line| {
        is_publish(line) && line.contains(&format!("-> {path}"))
            // A file of several names is shown by one of them.
            || line.starts_with("write w/") && !line.contains(".resilient_write/")
    });
    let last = *acts.last().expect("the act");
    let kind = if rig.trace[last as usize].starts_with("write") {
        FaultKind::TornWrite
    } else {
        FaultKind::PowerCut
    };
    let (disk, _) = rig.run(&[Fault { at: last, kind }], |_| {});
    let (mut calls, mut at, mut losing) = (1, 0, 0);
    while at < calls {
        let disk = disk.kill();
        let schedule = Schedule::new(std::iter::repeat_n(0, at as usize).chain([1]));
        let ws = workload::open(&schedule.process(&disk), 78, Order::Forwards);
        let editor = schedule.process(&disk);
        let save = || editor.edit(&path, EDIT);
        let recovering = Box::new(|| drop(ws.recover().expect("recovery"))) as Calls<'_, ()>;
        schedule.run(vec![recovering, Box::new(save)]);
        calls = schedule.calls();
        recover(&disk, 79).expect("recovery");
        losing += u64::from(disk.read(&path).as_deref() != Some(EDIT));
        at += 1;
    }
    (losing, calls)
}

#[test]
fn a_save_while_recovery_works_is_lost_only_between_the_last_look_and_the_act() {
    // A new file replaces nothing, and of an exchange the result is looked at: there is no such moment.
    for (name, moments) in [
        ("create", 0),
        ("overwrite", 0),
        ("append in place again", 1),
        // Reads and writes that copy the old content, and the cut behind it.
        ("overwrite through hard links", 5),
    ] {
        let (losing, calls) = losing_saves(name);
        assert!(losing <= moments, "{name}: {losing} of {calls}");
        assert!(calls > 20, "{name}: {calls}");
    }
}

/// The end of a log is cut, or a file is restored: by then its row was answered, whatever process is
/// killed later.
#[test]
fn what_a_user_takes_back_of_an_answered_call_stays_so() {
    for name in ["append in place", "append in place with sums in a slot", "overwrite"] {
        for trigger in ["recover", "a killed call"] {
            let rig = Rig::new(scenario(name), Order::Forwards);
            let before = rig.scenario.begin(Order::Forwards).0.read("w/a.txt").expect("a file");
            let (disk, answers) = rig.run(&[], |_| {});
            assert!(answers.iter().all(Answer::is_done));
            let disk = disk.kill();
            // All of it, and a part of it that ends with a sector.
            for len in [before.len(), before.len().next_multiple_of(512)] {
                let disk = disk.kill();
                let after = disk.read("w/a.txt").expect("a file");
                let cut =
                    if len <= after.len() && name != "overwrite" { &after[..len] } else { &before };
                disk.edit("w/a.txt", cut);
                let rows = disk.read("w/.resilient_write/journal.jsonl").expect("rows");
                if trigger != "recover" {
                    // Killed while it stages: before its row.
                    let calls = open(&disk, 51, Order::Forwards);
                    disk.plan(Fault { at: disk.ops() + 1, kind: FaultKind::PowerCut });
                    assert!(!overwrite(&calls, "c.txt", "another\n").is_done());
                }
                let disk = disk.kill();
                let report = open(&disk, 52, Order::Forwards).recover().expect("recovery");
                assert!(report.finished.is_empty() && report.withdrawn.is_empty(), "{report:?}");
                assert_eq!(disk.read("w/a.txt").as_deref(), Some(cut), "{name}, {trigger}");
                assert_eq!(
                    disk.read("w/.resilient_write/journal.jsonl"),
                    Some(rows),
                    "{name}, {trigger}"
                );
            }
        }
    }
}

const JOURNAL: &str = "w/.resilient_write/journal.jsonl";

/// Disks on which the next process has to recover, although the calls before are all answered.
fn unclean(disk: &SimDisk) -> Vec<(&'static str, SimDisk)> {
    let mut disks = Vec::new();
    let mut changed = |what, change: &dyn Fn(&SimDisk)| {
        let disk = disk.kill();
        change(&disk);
        disks.push((what, disk));
    };
    changed("a part of a row", &|disk| {
        let rows = disk.read(JOURNAL).expect("rows");
        disk.append(JOURNAL, &rows[..100]);
    });
    changed("another number of the device", &|disk| disk.mount("w", 7));
    changed("a format that was removed", &|disk| disk.unlink("w/.resilient_write/format"));
    let create = |disk: &SimDisk| workload::create(&open(disk, 51, Order::Forwards), "c.txt", "c");
    let whole = disk.kill();
    assert!(create(&whole).is_done());
    for at in 0..whole.ops() {
        // A call fails.
        let failed = disk.kill();
        failed.plan(Fault { at, kind: FaultKind::Io { errno: 28, sticky: false } });
        create(&failed);
        disks.push(("a failed call", failed));
        // A call is killed, and so is the recovery that takes it back.
        let killed = disk.kill();
        killed.plan(Fault { at, kind: FaultKind::PowerCut });
        create(&killed);
        let killed = killed.kill();
        killed.write_file("w/c.txt", b"somebody's");
        let recovered = killed.kill();
        recover(&recovered, 53).expect("recovery");
        for at in 0..recovered.ops() {
            let cut = killed.kill();
            cut.plan(Fault { at, kind: FaultKind::PowerCut });
            let _ = recover(&cut, 53);
            disks.push(("a recovery that was killed", cut));
        }
    }
    disks
}

/// The user cuts the end of a log. Whatever has the next process recover, it judges the answered append no more.
#[test]
fn an_answered_append_is_judged_no_more_whatever_is_recovered_later() {
    for name in ["append in place", "append in place with sums in a slot"] {
        let rig = Rig::new(scenario(name), Order::Forwards);
        let before = rig.scenario.begin(Order::Forwards).0.read("w/a.txt").expect("a file");
        let (disk, answers) = rig.run(&[], |_| {});
        let Some(Answer::Done(Some(row))) = answers.first() else { panic!("{answers:?}") };
        let disk = disk.kill();
        let after = disk.read("w/a.txt").expect("a file");
        let len = before.len();
        disk.edit("w/a.txt", &before);
        for (what, disk) in unclean(&disk) {
            let disk = disk.kill();
            let report = open(&disk, 54, Order::Forwards).recover().expect("recovery");
            let withdrawn: Vec<_> =
                report.withdrawn.iter().filter(|path| *path == "a.txt").collect();
            assert!(withdrawn.is_empty(), "{name}, {what}: {report:?}");
            assert_eq!(disk.read("w/a.txt").as_deref(), Some(&after[..len]), "{name}, {what}");
            let rows = String::from_utf8(disk.read(JOURNAL).expect("rows")).expect("text");
            assert!(rows.contains(row.as_str()), "{name}, {what}: {rows}");
        }
    }
}

/// The place of a row does not show that it is decided: somebody may have removed rows in front of it.
#[test]
fn an_interrupted_call_is_judged_also_when_rows_in_front_of_it_were_removed() {
    let rig = Rig::new(scenario("create"), Order::Forwards);
    let path = rig.expected.only_target().expect("one target");
    let (disk, calls) = rig.begin();
    for name in ["x1.txt", "x2.txt", "x3.txt"] {
        workload::done(workload::create(&calls, name, "text\n"));
    }
    drop(calls);
    let whole = disk.kill();
    rig.scenario.act(&open(&whole, 55, Order::Forwards));
    let is_publish = |line: &String| line.contains(&format!("-> {path}"));
    let at = whole.trace().iter().position(is_publish).expect("its rename") as u64;
    let disk = disk.kill();
    disk.plan(Fault { at, kind: FaultKind::PowerCut });
    rig.scenario.act(&open(&disk, 55, Order::Forwards));
    let disk = disk.kill();
    let rows = disk.read(JOURNAL).expect("rows");
    let last = rows[..rows.len() - 1].iter().rposition(|byte| *byte == b'\n').expect("rows") + 1;
    // Lines of another program, which make the journal as long as it was.
    let lines = "{\"by\": \"another program\"}\n".repeat(200);
    disk.edit(JOURNAL, &[&rows[last..], lines.as_bytes()].concat());
    recover(&disk, 56).expect("recovery");
    let row = String::from_utf8(disk.read(JOURNAL).expect("rows")).expect("text");
    assert_eq!(disk.read(&path).is_some(), row.contains("create"), "{row}");
}

/// The number of a file on its device.
fn number(disk: &SimDisk, path: &str) -> u64 {
    disk.stat(Path::new(&format!("/{path}"))).expect("the file").id.inode
}

/// A user restores what a file was before an answered call, by a new file that gets the number of the old one.
#[test]
fn a_restored_file_with_the_number_of_the_old_one_takes_no_answered_row() {
    for name in ["overwrite", "append in place"] {
        let rig = Rig::new(scenario(name), Order::Forwards);
        let path = rig.expected.only_target().expect("a target");
        let old = rig.expected.contents(&path).0.expect("an old file");
        let (begun, _) = rig.scenario.begin(Order::Forwards);
        let of_old = number(&begun, &path);
        let (disk, answers) = rig.run(&[], |_| {});
        let Some(Answer::Done(Some(id))) = answers.first() else { panic!("{answers:?}") };
        disk.unlink(&path);
        disk.write_file(&path, &old);
        disk.renumber(&path, of_old);
        let states = disk.crash_states(Model::Ordered, 64);
        let mut judged = 0;
        for index in 0..states.len() {
            let lost = states.get(index).expect("a state");
            judged += u32::from(lost.read(&path).as_ref() == Some(&old));
            untouched(&lost, &[&path], &[id]).unwrap_or_else(|violation| {
                panic!("{name}: {violation}\n{}", states.describe(index));
            });
        }
        assert!(judged > 0, "{name}: no disk has the restored file");
    }
}

/// A write through all names of a file was cut, and somebody has changed the file since.
#[test]
fn what_a_file_held_before_a_torn_write_in_place_is_kept() {
    let rig = Rig::new(scenario("lengthen through hard links"), Order::Forwards);
    let path = rig.expected.only_target().expect("a target");
    let old = rig.expected.contents(&path).0.expect("an old file");
    let mut torn = 0;
    for at in rig.ops(writes_a_file_of_the_user) {
        for kind in [FaultKind::PowerCut, FaultKind::TornWrite] {
            let (disk, _) = rig.run(&[Fault { at, kind }], |_| {});
            let disk = disk.kill();
            let mut now = disk.read(&path).expect("the file");
            now.extend_from_slice(b"an editor's line\n");
            disk.write_file(&path, &now);
            let report = open(&disk, 33, Order::Forwards).recover().expect("recovery");
            assert_eq!(disk.read(&path).as_ref(), Some(&now), "{}", rig.place(at));
            let kept = format!("w/.resilient_write/conflicts/{}.bin", Digest::of(&old));
            let is_whole = now.starts_with(&old);
            assert!(is_whole || disk.read(&kept).as_ref() == Some(&old), "{}", rig.place(at));
            let is_told = report.conflicts.iter().any(|kept| kept.what == What::Before);
            assert!(is_whole || is_told, "{}: {report:?}", rig.place(at));
            torn += u32::from(!is_whole);
        }
    }
    assert!(torn > 0, "no write was torn");
}

/// A directory on another device with a file, and one with a second name.
fn on_another_device(exchanges: bool) -> (SimDisk, Workspace) {
    let disk = SimDisk::new();
    let disk = if exchanges { disk } else { disk.without_exchange() };
    disk.mkdir("w");
    disk.write_file("w/mnt/old.txt", b"old\n");
    disk.write_file("w/mnt/linked.txt", b"linked\n");
    disk.hard_link("w/mnt/linked.txt", "w/mnt/other.txt");
    disk.write_file("w/.resilient_write/policy.yaml", b"hard_links: in_place\n");
    disk.mount("w/mnt", 7);
    let ws = open(&disk, 1, Order::Forwards);
    workload::done(workload::create(&ws, "warm.txt", "warm\n"));
    (disk, ws)
}

/// Somebody removes the content beside a target (`git clean`) between a kill and recovery.
#[test]
fn a_row_whose_content_was_removed_before_recovery_is_not_taken_for_a_finished_write() {
    let new = "all of the new content\n";
    for (path, exchanges) in ["mnt/new.txt", "mnt/old.txt", "mnt/linked.txt"]
        .into_iter()
        .flat_map(|path| [(path, true), (path, false)])
    {
        let (disk, ws) = on_another_device(exchanges);
        let (base, old) = (disk.ops(), disk.read(&format!("w/{path}")));
        workload::done(overwrite(&ws, path, new));
        let (end, mut lost) = (disk.ops(), 0);
        for (at, kind) in
            (base..=end).flat_map(|at| [(at, FaultKind::PowerCut), (at, FaultKind::TornWrite)])
        {
            let (disk, ws) = on_another_device(exchanges);
            disk.plan(Fault { at, kind });
            let answer = overwrite(&ws, path, new);
            let disk = disk.kill();
            let slots = disk.tree().into_keys().filter(|path| path.contains("/.rw-s-"));
            slots.collect::<Vec<_>>().iter().for_each(|slot| disk.unlink(slot));
            let found = disk.read(&format!("w/{path}"));
            let report = open(&disk, 35, Order::Forwards).recover().expect("recovery");
            let told =
                || format!("{path}, {exchanges}, {:?}: {answer:?}, {report:?}", disk.trace());
            let has_row = World::of(&disk).expect("a sound journal").rows() > 1;
            let now = disk.read(&format!("w/{path}"));
            let is_new = now.as_deref() == Some(new.as_bytes());
            assert_eq!(has_row && !is_new, report.unsure == [path], "{}", told());
            assert!(has_row || !is_new, "{}", told());
            assert_eq!(now, found, "{}", told());
            if let Some(old) = &old
                && !is_new
                && now.as_ref() != Some(old)
            {
                let kept = format!("w/.resilient_write/conflicts/{}.bin", Digest::of(old));
                assert_eq!(disk.read(&kept).as_ref(), Some(old), "{}", told());
            }
            lost += u32::from(!report.unsure.is_empty());
        }
        assert!(lost > 0, "{path}, {exchanges}: no content was lost");
    }
}

/// An append was cut, and a program has logged a line behind the part.
#[test]
fn an_append_that_somebody_has_written_behind_is_told() {
    let rig = Rig::new(scenario("append in place again"), Order::Forwards);
    let path = rig.expected.only_target().expect("a target");
    let (old, new) = rig.expected.contents(&path);
    let old = old.expect("an old file");
    let mut torn = 0;
    for at in rig.ops(writes_a_file_of_the_user) {
        let (disk, _) = rig.run(&[Fault { at, kind: FaultKind::TornWrite }], |_| {});
        let disk = disk.kill();
        let mut now = disk.read(&path).expect("the file");
        if now.len() == old.len() || now == new {
            continue;
        }
        now.extend_from_slice(b"a line of the log\n");
        disk.write_file(&path, &now);
        let report = open(&disk, 34, Order::Forwards).recover().expect("recovery");
        assert_eq!(disk.read(&path).as_ref(), Some(&now), "{}", rig.place(at));
        let [part] = &report.parts[..] else { panic!("{}: {report:?}", rig.place(at)) };
        assert_eq!((&*part.path, part.at), ("a.txt", old.len() as u64));
        assert!(part.kept_sha256.is_some(), "{report:?}");
        torn += 1;

        // Where nothing can be kept, it is told all the same, and no other call is refused.
        let (disk, _) = rig.run(&[Fault { at, kind: FaultKind::TornWrite }], |_| {});
        let disk = disk.kill();
        disk.write_file(&path, &now);
        disk.mkdir("w/.resilient_write/conflicts");
        disk.chmod("w/.resilient_write/conflicts", 0o000);
        let ws = open(&disk, 34, Order::Forwards);
        let report = ws.recover().expect("recovery");
        assert!(matches!(&report.parts[..], [part] if part.kept_sha256.is_none()), "{report:?}");
        workload::done(workload::create(&ws, "another.txt", "text\n"));
    }
    assert!(torn > 0, "no append was torn");
}

/// An append was cut, and a program has saved the file by a rename, removed it, or moved it away.
#[test]
fn an_append_to_a_file_that_somebody_has_replaced_is_told() {
    let rig = Rig::new(scenario("append in place again"), Order::Forwards);
    let path = rig.expected.only_target().expect("a target");
    let old = rig.expected.contents(&path).0.expect("an old file");
    let replaced: [fn(&SimDisk, &str, &[u8]); 2] =
        [SimDisk::save, |disk, path, _| disk.unlink(path)];
    for replace in replaced {
        let mut torn = 0;
        for at in rig.ops(writes_a_file_of_the_user) {
            let (disk, _) = rig.run(&[Fault { at, kind: FaultKind::TornWrite }], |_| {});
            let disk = disk.kill();
            let mut now = disk.read(&path).expect("the file");
            now.insert(0, b'#');
            replace(&disk, &path, &now);
            let left = disk.tree().remove(&path);
            let report = open(&disk, 34, Order::Forwards).recover().expect("recovery");
            assert_eq!(disk.read(&path), left, "{}", rig.place(at));
            let [part] = &report.parts[..] else { panic!("{}: {report:?}", rig.place(at)) };
            assert_eq!((&*part.path, part.at), ("a.txt", old.len() as u64));
            torn += 1;
        }
        assert!(torn > 0, "no append was cut");
    }
}

/// A write through two names was cut, and a program has saved the file at one of them by a rename.
#[test]
fn the_other_name_of_a_torn_write_in_place_is_told() {
    let rig = Rig::new(scenario("overwrite through hard links"), Order::Forwards);
    let path = rig.expected.only_target().expect("a target");
    let old = rig.expected.contents(&path).0.expect("an old file");
    let mut told = 0;
    for at in rig.ops(writes_a_file_of_the_user) {
        let (disk, _) = rig.run(&[Fault { at, kind: FaultKind::TornWrite }], |_| {});
        let disk = disk.kill();
        let torn = disk.read(&path).expect("the file");
        disk.save(&path, &torn);
        let report = open(&disk, 34, Order::Forwards).recover().expect("recovery");
        assert_eq!(disk.read(&path), Some(torn), "{}", rig.place(at));
        let kept = Digest::of(&old);
        assert!(report.conflicts.iter().any(|it| it.kept_sha256 == kept), "{report:?}");
        told += 1;
    }
    assert!(told > 0, "no write was cut");
}

fn writes_a_file_of_the_user(line: &str) -> bool {
    line.starts_with("write w/") && !line.contains(".resilient_write")
}

/// Recovery takes a manifest back, since somebody has changed the part meanwhile. A program saves another manifest,
/// durably, in front of each call of it. Then the power goes.
#[test]
fn a_save_over_what_recovery_takes_back_survives_a_loss_of_power() {
    let session = "w/.resilient_write/chunks/s";
    let manifest = format!("{session}/manifest.json");
    let saved = b"another manifest\n".as_slice();
    let has_saved = |disk: &SimDisk| disk.tree().values().any(|bytes| bytes == saved);
    // A new file is renamed back, and of an old one the names are exchanged.
    for (name, goes_back, part) in [
        ("chunk write", "rename", "part-001.txt"),
        ("chunk write again", "exchange", "part-002.txt"),
    ] {
        let part = format!("{session}/{part}");
        let rig = Rig::new(scenario(name), Order::Forwards);
        let publishes = rig.ops(|line| is_publish(line) && line.contains(&part));
        let at = *publishes.first().expect("the part's publish");
        let (disk, _) = rig.run(&[Fault { at, kind: FaultKind::PowerCut }], |_| {});
        let disk = disk.kill();
        disk.write_file(&part, EDIT);
        let (mut calls, mut at, mut put_back) = (1, 0, 0);
        while at < calls {
            let disk = disk.kill();
            let order = std::iter::repeat_n(0, at as usize).chain(vec![1; 6]);
            let schedule = Schedule::new(order);
            let ws = workload::open(&schedule.process(&disk), 78, Order::Forwards);
            let editor = schedule.process(&disk);
            let dir = editor.open_root(format!("/{session}").as_ref()).expect("the session");
            let save = || {
                let (new, name) = (OsStr::new("new"), OsStr::new("manifest.json"));
                let file = dir.create_new(new, Access::Default).expect("a file");
                file.write_all_at(saved, 0).and_then(|()| file.sync()).expect("saved");
                dir.rename(new, &*dir, name, Replace::Yes).expect("a rename");
                dir.sync().expect("synced");
            };
            let recovering = Box::new(|| drop(ws.recover().expect("recovery"))) as Calls<'_, ()>;
            schedule.run(vec![recovering, Box::new(save)]);
            calls = schedule.calls() - 6;
            let trace = disk.trace();
            let moves = |line: &&String| line.starts_with(goes_back) && line.contains("/tmp/s-");
            let moves = trace.iter().filter(moves).filter(|line| line.contains(&manifest));
            put_back += u32::from(moves.count() == 2);
            assert!(has_saved(&disk), "{name}, at {at}: {trace:?}");
            let states = disk.crash_states(Model::Strict, 40);
            for index in 0..states.len() {
                let lost = states.get(index).expect("a state");
                recover(&lost, 79).expect("recovery");
                let place = states.describe(index);
                assert!(has_saved(&lost), "{name}, at {at}: {trace:?}\n{place}");
            }
            at += 1;
        }
        assert_eq!(put_back, 1, "{name}");
    }
}
