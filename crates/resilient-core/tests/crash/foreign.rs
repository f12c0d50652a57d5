//! Editors that do not take the lock.
//!
//! The row of an answered write stays, whatever somebody does to the file afterwards, and recovery
//! never writes over what is not its own: a file that somebody has changed is, after recovery, to
//! the byte what it was before.

use std::time::Instant;

use resilient_core::disk::sim::{Fault, FaultKind, Model, SimDisk};

use crate::campaign::{Budget, Rig, Tally, recover};
use crate::workload::{Answer, Order, Scenario, all};

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
    for (_, rig, path) in targets() {
        let (before, after) = rig.expected.contents(&path);
        let mut half = after.clone();
        half.truncate(before.as_ref().map_or(0, Vec::len) + 3);
        let mut longer = after.clone();
        longer.extend_from_slice(b"an editor's line\n");
        let contents = [b"an editor's\n".to_vec(), half, longer, Vec::new()];
        let contents = contents.into_iter().chain(before);
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
            tally.judge(untouched(&killed, &path, Some(id)), told);
            for model in [Model::Strict, Model::Ordered] {
                let states = disk.crash_states(model, budget.states);
                for index in 0..states.len() {
                    let lost = states.get(index).expect("a state");
                    tally.judge(untouched(&lost, &path, Some(id)), || {
                        let told: String = told();
                        format!("{told}\n{}", states.describe(index))
                    });
                }
            }
        }
    }
    tally.finish("edits after the answer", begun);
}

/// Recovers, and compares a file with what it was before.
fn untouched(disk: &SimDisk, path: &str, row: Option<&String>) -> Result<(), String> {
    let found = disk.read(path);
    recover(disk, 71)?;
    if disk.read(path) != found {
        return Err("recovery has written over an editor's file".to_owned());
    }
    let journal = disk.read("w/.resilient_write/journal.jsonl").unwrap_or_default();
    match row {
        Some(id) if !String::from_utf8_lossy(&journal).contains(id.as_str()) => {
            Err("the row of an answered write was withdrawn".to_owned())
        }
        _ => Ok(()),
    }
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
                tally.judge(untouched(&disk, &path, None), told);
                // What could not be published is there to be found, and no row speaks of it.
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
