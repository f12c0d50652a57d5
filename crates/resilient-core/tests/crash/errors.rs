//! Errors of the disk at every operation: once, and going on.
//!
//! A refused call has changed nothing; when the disk cannot say so, the answer is that the outcome
//! is unknown, and recovery brings files and journal together. After an error that came once the
//! same process goes on.

use std::time::Instant;

use resilient_core::disk::sim::{Fault, FaultKind, Model};
use resilient_core::envelope::ErrorKind;
use resilient_core::{Envelope, Error};

use crate::campaign::{Budget, Rig, Tally, crash_everywhere, is_publish, recover};
use crate::workload::{self, Answer, Order, all, create, open};

/// EIO, EACCES, ENOSPC, EROFS, EDQUOT.
const ERRORS: [i32; 5] = [5, 13, 28, 30, 122];

fn kinds(rig: &Rig, at: u64, budget: Budget) -> Vec<FaultKind> {
    let mut kinds: Vec<FaultKind> = ERRORS
        .iter()
        .flat_map(|errno| [false, true].map(|sticky| FaultKind::Io { errno: *errno, sticky }))
        .collect();
    if !budget.is_full() {
        // Another pair each time: what differs is only whether it goes on and is about space.
        let first = (at as usize * 3) % kinds.len();
        kinds.rotate_left(first);
        kinds.truncate(3);
    }
    if rig.trace[at as usize].starts_with("write") {
        kinds.push(FaultKind::ShortWriteThenNoSpace);
    }
    kinds
}

#[test]
#[ignore = "part of the long campaign: cargo nextest run --run-ignored all"]
fn an_error_answer_means_that_nothing_has_changed() {
    let begun = Instant::now();
    let budget = Budget::of_environment();
    let mut tally = Tally::default();
    for scenario in all() {
        let rig = Rig::new(scenario, Order::Forwards);
        for at in rig.base..rig.end {
            for kind in kinds(&rig, at, budget) {
                tally.points += 1;
                fail(&rig, Fault { at, kind }, budget, &mut tally);
            }
        }
    }
    tally.finish("errors", begun);
}

#[test]
fn a_full_disk_is_called_one_at_every_operation_of_every_write() {
    for scenario in all() {
        let rig = Rig::new(scenario, Order::Forwards);
        for at in rig.base..rig.end {
            // ENOSPC and EDQUOT.
            for (errno, sticky) in [(28, false), (28, true), (122, false), (122, true)] {
                let (disk, ws) = rig.begin();
                disk.plan(Fault { at, kind: FaultKind::Io { errno, sticky } });
                let answers = rig.scenario.act(&ws);
                // A draft is refused for its content, also where there is no room to keep it.
                let failed = answers
                    .iter()
                    .filter_map(Answer::error)
                    .filter(|error| !matches!(error, Error::Blocked { .. }));
                for error in failed {
                    let Envelope { error: kind, context, .. } = Envelope::from(error);
                    // A change that was promised may have happened: that weighs more.
                    let is_unknown = matches!(error, Error::OutcomeUnknown { .. });
                    let fact = context.get(if is_unknown { "cause" } else { "reason" });
                    assert!(
                        (is_unknown || kind == ErrorKind::QuotaExceeded)
                            && fact.and_then(|fact| fact.as_str()) == Some("disk_full"),
                        "errno {errno}, sticky {sticky}, {}: {error:?} {context:?}",
                        rig.place(at)
                    );
                }
            }
        }
    }
}

fn fail(rig: &Rig, fault: Fault, budget: Budget, tally: &mut Tally) {
    let (disk, ws) = rig.begin();
    disk.plan(fault);
    let answers = rig.scenario.act(&ws);
    let told = || format!("{:?} {}\nanswers: {answers:?}", fault.kind, rig.place(fault.at));

    let verdict = answers.iter().filter_map(Answer::error).try_for_each(|error| {
        if matches!(error, Error::Internal { .. }) {
            return Err(format!("an answer without a type: {error}"));
        }
        // Every answer has its envelope.
        let _ = Envelope::from(error);
        Ok(())
    });
    tally.judge(verdict, told);

    let killed = disk.kill();
    if answers.iter().all(|answer| matches!(answer, Answer::Refused(_))) {
        tally.judge(rig.expected.check_untouched(&killed), told);
    }
    for model in [Model::Strict, Model::Ordered] {
        let states = disk.crash_states(model, budget.states / 2);
        for index in 0..states.len() {
            let lost = states.get(index).expect("a state");
            let verdict = (|| {
                rig.expected.check_reader(&lost, &answers)?;
                recover(&lost, 61)?;
                rig.expected.check(&lost, &answers, None)
            })();
            tally.judge(verdict, || {
                format!("power loss after {}\n{}", told(), states.describe(index))
            });
        }
    }
    let verdict = recover(&killed, 62).and_then(|()| rig.expected.check(&killed, &answers, None));
    tally.judge(verdict, || format!("kill after {}", told()));

    let once = matches!(fault.kind, FaultKind::Io { sticky: false, .. });
    let later = create(&ws, "later.txt", "later\n");
    drop(ws);
    let verdict = (|| {
        if once && !later.is_done() {
            return Err(format!("the same process does not go on: {later:?}"));
        }
        let later = later.is_done().then_some("later\n");
        for lost in disk.crash_states(Model::Strict, 8).iter().chain([disk.kill()]) {
            recover(&lost, 63)?;
            rig.expected.check(&lost, &answers, later)?;
        }
        Ok(())
    })();
    tally.judge(verdict, || format!("going on after {}", told()));
}

#[test]
#[ignore = "part of the long campaign: cargo nextest run --run-ignored all"]
fn a_row_is_taken_out_safely_while_another_one_stays() {
    let begun = Instant::now();
    let mut tally = Tally::default();
    for scenario in workload::chosen(workload::BATCHES) {
        let plain = Rig::new(scenario, Order::Forwards);
        let publishes = plain.ops(|line| is_publish(line) || line.starts_with("write w/a"));
        let staged = plain.ops(|line| line.starts_with("sync w/.resilient_write/tmp/"));
        let budget = Budget::of_environment();
        let every = if budget.is_full() { 1 } else { 2 };
        // Before anything is published, and while something is.
        let first = publishes.first().into_iter().chain(staged.first());
        let later = publishes.iter().skip(1).step_by(every);
        for at in first.chain(later).copied() {
            let trouble = Fault { at, kind: FaultKind::Io { errno: 5, sticky: false } };
            let rig = Rig::new(scenario, Order::Forwards).with_trouble(trouble);
            tally.add(crash_everywhere(&rig, budget.share(2)));
        }
    }
    tally.finish("withdrawals", begun);
}

#[test]
#[ignore = "part of the long campaign: cargo nextest run --run-ignored all"]
fn a_sync_that_failed_is_never_trusted() {
    let begun = Instant::now();
    let mut tally = Tally::default();
    for scenario in all() {
        let plain = Rig::new(scenario, Order::Forwards);
        let syncs = plain.ops(|line| line.starts_with("sync"));
        for at in syncs {
            let kind = FaultKind::Io { errno: 5, sticky: false };
            fail(
                &plain,
                Fault { at, kind },
                Budget { states: 64, ..Budget::of_environment() },
                &mut tally,
            );
        }
    }
    tally.finish("failed syncs", begun);
}

#[test]
#[ignore = "part of the long campaign: cargo nextest run --run-ignored all"]
fn a_call_that_is_made_again_after_a_failed_sync_is_durable() {
    let begun = Instant::now();
    let mut tally = Tally::default();
    for scenario in all() {
        let rig = Rig::new(scenario, Order::Forwards);
        for at in rig.ops(|line| line.starts_with("sync")) {
            let (disk, ws) = rig.begin();
            disk.plan(Fault { at, kind: FaultKind::Io { errno: 5, sticky: false } });
            let first = rig.scenario.act(&ws);
            if !first.iter().all(|answer| matches!(answer, Answer::Refused(_))) {
                continue;
            }
            tally.points += 1;
            let again = rig.scenario.act(&ws);
            for lost in disk.crash_states(Model::Strict, 64).iter() {
                let verdict =
                    recover(&lost, 66).and_then(|()| rig.expected.check(&lost, &again, None));
                tally.judge(verdict, || format!("again after an error in {}", rig.place(at)));
            }
        }
    }
    tally.finish("calls again", begun);
}

#[test]
#[ignore = "part of the long campaign: cargo nextest run --run-ignored all"]
fn a_sync_of_recovery_that_failed_is_never_trusted() {
    let begun = Instant::now();
    let mut tally = Tally::default();
    for scenario in all() {
        let rig = Rig::new(scenario, Order::Forwards);
        for at in rig.base..=rig.end {
            let (disk, answers) = rig.run(&[Fault { at, kind: FaultKind::PowerCut }], |_| {});
            let whole = disk.kill();
            recover(&whole, 64).expect("recovery");
            let syncs = whole.trace().into_iter().zip(0..);
            for (line, fails_at) in syncs.filter(|(line, _)| line.starts_with("sync ")) {
                tally.points += 1;
                let disk = disk.kill();
                let kind = FaultKind::Io { errno: 5, sticky: false };
                disk.plan(Fault { at: fails_at, kind });
                let ws = open(&disk, 64, Order::Forwards);
                let first = create(&ws, "later.txt", "later\n");
                let again = create(&ws, "later.txt", "later\n");
                for lost in disk.crash_states(Model::Strict, 8).iter() {
                    // An error that concerns the interrupted write alone does not refuse this one.
                    let goes_on = matches!(
                        (&first, &again),
                        (Answer::Refused(_), Answer::Done(_))
                            | (Answer::Done(_), Answer::Refused(Error::AlreadyExists { .. }))
                    );
                    let verdict = match goes_on {
                        true => recover(&lost, 65).and_then(|()| {
                            let later = Some("later\n");
                            rig.expected.check_where_rows_waited(&lost, &answers, later)
                        }),
                        false => Err(format!("neither call is answered: {first:?}, {again:?}")),
                    };
                    tally.judge(verdict, || {
                        format!("after an error in recovery at {line}, killed in {}", rig.place(at))
                    });
                }
            }
        }
    }
    tally.finish("errors in recovery", begun);
}

/// The journal is cut back to where the clean marker says that it ends, and the process is killed before the sync.
#[test]
fn rows_that_were_cut_and_not_synced_do_not_come_back_without_their_slots() {
    let plain = Rig::new(workload::scenario("a batch of writes"), Order::Forwards);
    let staged = plain.ops(|line| line.starts_with("sync w/.resilient_write/tmp/"));
    let trouble = Fault { at: staged[0], kind: FaultKind::Io { errno: 5, sticky: false } };
    let rig = Rig::new(plain.scenario, Order::Forwards).with_trouble(trouble);
    let cuts = rig.ops(|line| line.starts_with("setlen w/.resilient_write/journal.jsonl"));
    let (disk, answers) = rig.run(&[Fault { at: cuts[0] + 1, kind: FaultKind::PowerCut }], |_| {});
    let killed = disk.kill();
    recover(&killed, 64).expect("recovery");
    let ops = killed.ops();
    let killed = disk.kill();
    for at in 0..ops {
        let disk = killed.kill();
        disk.plan(Fault { at, kind: FaultKind::PowerCut });
        let _ = recover(&disk, 64);
        let states = disk.crash_states(Model::Strict, 64);
        for index in 0..states.len() {
            let lost = states.get(index).expect("a state");
            let verdict =
                recover(&lost, 65).and_then(|()| rig.expected.check(&lost, &answers, None));
            verdict.unwrap_or_else(|violation| {
                panic!("cut at {at}: {violation}\n{}", states.describe(index));
            });
        }
    }
}

/// The process is killed while it puts a new end into the journal, and the power takes the note that the journal is not
/// clean.
#[test]
fn a_new_end_that_was_never_written_takes_the_place_of_no_later_row() {
    let lock = "w/.resilient_write/lock";
    let mut cut_short = 0;
    for scenario in workload::chosen(workload::BATCHES) {
        let plain = Rig::new(scenario, Order::Forwards);
        for publish in plain.ops(is_publish).into_iter().skip(1) {
            let trouble = Fault { at: publish, kind: FaultKind::Io { errno: 5, sticky: false } };
            let rig = Rig::new(plain.scenario, Order::Forwards).with_trouble(trouble);
            let records = rig.ops(|line| line.ends_with("/withdrawal"));
            let writes = rig.ops(|line| line.starts_with("write w/.resilient_write/journal.jsonl"));
            let record =
                records.iter().find(|record| rig.trace[**record as usize].starts_with("rename"));
            let Some(write) = record.and_then(|at| writes.iter().find(|write| *write > at)) else {
                continue;
            };

            let (begun, ws) = rig.begin();
            let note = begun.read(lock);
            drop(ws);
            let (disk, answers) =
                rig.run(&[Fault { at: *write, kind: FaultKind::PowerCut }], |_| {});
            let disk = disk.kill();
            disk.edit(lock, &note.expect("the note of the last writer"));
            let record = disk.read("w/.resilient_write/withdrawal").expect("the record");
            let record = String::from_utf8(record).expect("text");
            let tree = disk.tree();
            // A slot of the new end, or the note of one that stands beside its file.
            let is_needed = |path: &str| {
                let name = path.rsplit('/').next().unwrap_or_default();
                let beside = format!("/.rw-{name}");
                record.contains(name) || tree.keys().any(|path| path.ends_with(&beside))
            };
            let slots = tree.keys().filter(|path| path.starts_with("w/.resilient_write/tmp/s-"));
            slots.filter(|path| !is_needed(path)).for_each(|path| disk.unlink(path));
            cut_short += 1;

            let ws = open(&disk, 66, Order::Forwards);
            assert!(workload::create(&ws, "later.txt", "later\n").is_done());
            drop(ws);
            let disk = disk.kill();
            recover(&disk, 67).expect("recovery");
            let verdict = rig.expected.check(&disk, &answers, Some("later\n"));
            verdict.unwrap_or_else(|violation| panic!("{}: {violation}", rig.place(publish)));
        }
    }
    assert!(cut_short > 0, "no new end was cut short");
}
