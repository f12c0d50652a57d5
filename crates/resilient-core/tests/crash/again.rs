//! Recoveries that are killed while they decide rows that wait or that somebody's edit is in the way of, and lose their
//! power in the next run.

use std::time::Instant;

use resilient_core::disk::sim::{Fault, FaultKind, Model, SimDisk};

use crate::campaign::{Rig, Tally, is_publish, recover};
use crate::foreign::{EDIT, conflict_is_sound};
use crate::oracle::World;
use crate::workload::{Order, open, scenario};

/// Kills a recovery at every operation and cuts the power at every `step`th of the next one; judges the disks that this
/// leaves, each recovered once more.
fn crash_again(
    found: &SimDisk,
    recovering: fn(&SimDisk),
    step: u64,
    tally: &mut Tally,
    judge: &dyn Fn(&SimDisk) -> Result<(), String>,
) {
    let ops_of = |disk: &SimDisk| {
        let whole = disk.kill();
        recovering(&whole);
        whole.ops()
    };
    let interrupted = |disk: &SimDisk, at| {
        let disk = disk.kill();
        disk.plan(Fault { at, kind: FaultKind::PowerCut });
        recovering(&disk);
        disk
    };
    for killed_at in 0..=ops_of(found) {
        let killed = interrupted(found, killed_at);
        for cut_at in (killed_at % step..=ops_of(&killed)).step_by(step as usize) {
            let cut = interrupted(&killed, cut_at);
            let states = cut.crash_states(Model::Strict, 6);
            tally.points += 1;
            for index in 0..states.len() {
                let lost = states.get(index).expect("a state");
                recovering(&lost);
                tally.judge(judge(&lost), || {
                    let (killed, cut) = (killed.trace().pop(), cut.trace().pop());
                    let places = format!("killed at {killed_at}, {killed:?}; cut at {cut_at}");
                    format!("{places}, {cut:?}\n{}", states.describe(index))
                });
            }
        }
    }
}

fn recovering(disk: &SimDisk) {
    drop(recover(disk, 46));
}

fn giving_up(disk: &SimDisk) {
    drop(open(disk, 47, Order::Forwards).abandon_pending());
}

/// The paths of rows that wait.
fn waiting(disk: &SimDisk) -> Vec<String> {
    let paths = disk.tree().into_keys();
    paths.filter(|path| path.contains("/pending/") && path.ends_with(".row")).collect()
}

/// A disk on which a call was killed before it changed its file.
fn killed_before_publish(rig: &Rig, path: &str) -> SimDisk {
    let publishes = rig.ops(|line| is_publish(line) && line.ends_with(path));
    rig.run(&[Fault { at: publishes[0], kind: FaultKind::PowerCut }], |_| {}).0.kill()
}

/// Judges a disk on which no row may wait.
fn has_no_row_without_its_change(disk: &SimDisk, rig: &Rig, after: &[u8]) -> Result<(), String> {
    if !waiting(disk).is_empty() {
        return Err("a row still waits".to_owned());
    }
    let has_row = World::of(disk)?.rows() > rig.expected.rows_before();
    if has_row && disk.read("w/a.txt").as_deref() != Some(after) {
        return Err("a row without its change".to_owned());
    }
    Ok(())
}

#[test]
fn a_conflict_survives_a_loss_of_power_after_a_killed_recovery() {
    let (begun, mut tally) = (Instant::now(), Tally::default());
    for name in ["overwrite", "overwrite on another device"] {
        let rig = Rig::new(scenario(name), Order::Forwards);
        let path = rig.expected.only_target().expect("a target");
        let (_, after) = rig.expected.contents(&path);
        let disk = killed_before_publish(&rig, &path);
        disk.write_file(&path, EDIT);
        crash_again(&disk, recovering, 2, &mut tally, &|lost| {
            conflict_is_sound(lost, &rig, &path, &after, true)
        });
    }
    tally.finish("conflicts, again", begun);
}

#[test]
fn a_row_that_waits_survives_a_loss_of_power_after_a_killed_recovery() {
    let (begun, mut tally) = (Instant::now(), Tally::default());
    for (name, mode) in [("append in place again", 0o444), ("overwrite through hard links", 0)] {
        let rig = Rig::new(scenario(name), Order::Forwards);
        let (_, after) = rig.expected.contents("w/a.txt");
        let is_write =
            |line: &str| line.starts_with("write w/a.txt ") || line.contains(" w/b.txt ");
        let torn = Fault { at: rig.ops(is_write)[0], kind: FaultKind::TornWrite };
        let (disk, answers) = rig.run(&[torn], |_| {});
        let waits = disk.kill();
        waits.chmod("w/a.txt", mode);
        recovering(&waits);
        assert_eq!(waiting(&waits).len(), 1, "{name}");
        // It is decided,
        let free = waits.kill();
        free.chmod("w/a.txt", 0o644);
        crash_again(&free, recovering, 5, &mut tally, &|lost| {
            rig.expected.check(lost, &answers, None)
        });
        // or is given up. The file stays as it is then.
        crash_again(&waits, giving_up, 5, &mut tally, &|lost| {
            has_no_row_without_its_change(lost, &rig, &after)
        });
    }
    tally.finish("rows that wait, again", begun);
}

#[test]
fn what_is_given_up_survives_a_loss_of_power_after_a_killed_recovery() {
    let (begun, mut tally) = (Instant::now(), Tally::default());
    let rig = Rig::new(scenario("overwrite"), Order::Forwards);
    let (_, after) = rig.expected.contents("w/a.txt");
    let disk = killed_before_publish(&rig, "w/a.txt");
    disk.chmod("w/a.txt", 0);
    recovering(&disk);
    let rows = waiting(&disk);
    assert_eq!(rows.len(), 1);
    let is_kept = |lost: &SimDisk| {
        let mut kept = lost.tree().into_iter().filter(|(path, _)| path.contains("/conflicts/"));
        if kept.any(|(_, bytes)| bytes == after) { Ok(()) } else { Err("it is lost".to_owned()) }
    };
    crash_again(&disk, giving_up, 1, &mut tally, &|lost| {
        has_no_row_without_its_change(lost, &rig, &after).and_then(|()| is_kept(lost))
    });
    // The row itself cannot be read, until somebody can.
    disk.chmod(&rows[0], 0);
    crash_again(&disk, giving_up, 1, &mut tally, &|lost| {
        is_kept(lost)?;
        waiting(lost).iter().for_each(|row| lost.chmod(row, 0o600));
        lost.chmod("w/a.txt", 0o644);
        recovering(lost);
        has_no_row_without_its_change(lost, &rig, &after)
    });
    tally.finish("given up, again", begun);
}
