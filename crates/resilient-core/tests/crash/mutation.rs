//! Every sync has a test that fails without it.
//!
//! Each sync of every scenario is left out by itself, and a crash must then show a violation; a
//! sync that no crash misses would be a wait for nothing. Those of recovery are left out by what
//! they sync, since how often recovery runs depends on the crash.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use resilient_core::disk::sim::{Fault, FaultKind, Model, SimDisk, SyncKind};

use crate::campaign::{Budget, Rig, is_publish, recover};
use crate::foreign::{conflict_survives, untouched};
use crate::workload::{self, Answer, Order, all, create};

/// Syncs that no crash misses, by scenario and what is synced, and why they stay.
const JUSTIFIED: &[(&str, &str, &str)] = &[
    (
        "create, the first call ever",
        "at 21: syncdir w/.resilient_write/tmp",
        "of the process's own file, which means nothing after a power loss",
    ),
    (
        "a batch of writes",
        "at 6: syncdir w",
        "of a file found as it should be, whose name was durable; that it takes the new directory \
         of another call along is not counted on",
    ),
    (
        "a batch on two devices",
        "at 3: syncdir w/mnt",
        "of the first slot beside a target; that of the second takes it along",
    ),
    (
        "chunk begin anew",
        "at 10: syncdir w/.resilient_write/chunks/s",
        "of two exchanges with slots; that of the slots' directory takes them along when the other parts go",
    ),
    ("a batch of writes, its first rename refused", "at 6: syncdir w", "as without the refusal"),
    (
        "a batch of writes, its first rename refused",
        "at 11: syncdir w/x",
        "the way to the file that is refused afterwards",
    ),
    (
        "a batch of writes, its first rename refused",
        "at 12: sync w/.resilient_write/tmp/",
        "the content that is refused afterwards",
    ),
    ("a batch of writes, its second rename refused", "at 6: syncdir w", "as without the refusal"),
    (
        "a batch of writes, its second rename refused",
        "at 13: sync w/.resilient_write/tmp/",
        "the content that is refused afterwards",
    ),
];

/// What recovery syncs, and a scenario that breaks without it.
const RECOVERY: &[(&str, &str)] = &[
    ("directory state", "create, the first call ever"),
    ("directory state/checkpoints", "checkpoint"),
    ("directory state/chunks", "chunk write"),
    ("directory state/chunks/s", "chunk write"),
    ("directory state/chunks/t", "a batch that cleans up"),
    ("directory state/handoffs", "handoff with an archive"),
    ("directory state/scratch", "scratch put"),
    ("directory state/tmp", "compose and clean up"),
    ("directory of a target", "create in new directories"),
    ("file state/format", "create, the first call ever"),
    ("file state/journal.jsonl", "create"),
    ("file state/scratch/index.jsonl", "scratch put"),
    ("file written in place", "append in place"),
    ("slot", "create"),
    ("slot beside a target", "create on another device"),
];

fn is_full() -> bool {
    Budget::of_environment().is_full()
}

/// Loses power and judges what recovery makes of it.
fn lose(rig: &Rig, disk: &SimDisk, answers: &[Answer], states: usize) -> Result<(), String> {
    let states = disk.crash_states(Model::Strict, states);
    states.iter().try_for_each(|lost| {
        rig.expected.check_reader(&lost, answers)?;
        recover(&lost, 91)?;
        rig.expected.check(&lost, answers, None)
    })
}

/// Leaves one sync out, which is the operation `begin`, and crashes everywhere after it; the first
/// violation.
fn without(rig: &Rig, sync: u64, begin: u64) -> Option<String> {
    let crash = |at, states| {
        let fault = Fault { at, kind: FaultKind::PowerCut };
        let (disk, answers) = rig.run(&[fault], |disk| disk.skip_sync(sync));
        let verdict = lose(rig, &disk, &answers, states);
        let verdict = verdict.and_then(|()| put_back(rig, &disk, &answers));
        let violation = verdict.and_then(|()| edited(rig, &disk)).err()?;
        Some(format!("{violation} ({})", rig.place(at)))
    };
    // What most syncs are missed by shows at once, at the end first.
    let everywhere = |states| (begin + 1..=rig.end).rev().find_map(|at| crash(at, states));
    let found = everywhere(24).or_else(|| gone_on(rig, sync).err()).or_else(|| everywhere(600));
    found.map(|violation| violation.replace('\n', " "))
}

/// Somebody puts back what there was before an answered write; its row stays, and so does that.
fn put_back(rig: &Rig, disk: &SimDisk, answers: &[Answer]) -> Result<(), String> {
    if !answers.iter().all(Answer::is_done) {
        return Ok(());
    }
    let rows: Vec<&String> = answers.iter().filter_map(Answer::row).collect();
    let before = rig.expected.replaced();
    let paths: Vec<&str> = before.iter().map(|(path, _)| path.as_str()).collect();
    let disk = disk.kill();
    before.iter().for_each(|(path, bytes)| disk.write_file(path, bytes));
    let states = disk.crash_states(Model::Strict, 64);
    states.iter().try_for_each(|lost| untouched(&lost, &paths, &rows))
}

/// Somebody changes a file, so that recovery cannot finish its write: nothing of the call happens.
fn edited(rig: &Rig, disk: &SimDisk) -> Result<(), String> {
    if !rig.expected.takes() {
        return Ok(());
    }
    disk.crash_states(Model::Strict, 64).iter().try_for_each(|lost| {
        let written = rig.expected.replaced().into_iter().filter(|(path, _)| !path.contains("/."));
        written.for_each(|(path, _)| lost.write_file(&path, b"an editor's\n"));
        recover(&lost, 96)?;
        rig.expected.check_taken(&lost)
    })
}

/// The process writes once more, and loses power then.
fn gone_on(rig: &Rig, sync: u64) -> Result<(), String> {
    let (disk, ws) = rig.begin();
    disk.skip_sync(sync);
    let answers = rig.scenario.act(&ws);
    workload::done(create(&ws, "later.txt", "later\n"));
    disk.crash_states(Model::Strict, 64).iter().try_for_each(|lost| {
        recover(&lost, 95)?;
        rig.expected.check(&lost, &answers, Some("later\n"))
    })
}

/// Whether the sync that is the operation `at` makes anything durable. Often what is synced has
/// been durable before, which no program can know.
fn does_something(rig: &Rig, at: u64) -> bool {
    let durable = |at| {
        let (disk, _) = rig.run(&[Fault { at, kind: FaultKind::PowerCut }], |_| {});
        let bare = disk.crash_states(Model::Strict, 1).get(0).expect("a state");
        bare.fingerprint()
    };
    durable(at) != durable(at + 1)
}

/// The scenarios, and those in which a row is withdrawn, by name.
fn rigs() -> Vec<(String, Rig)> {
    let mut rigs: Vec<(String, Rig)> = all()
        .map(|scenario| (scenario.name.to_owned(), Rig::new(scenario, Order::Forwards)))
        .collect();
    if let Some(batch) = all().find(|scenario| scenario.name == workload::BATCHES[0].name) {
        let batch = || Rig::new(batch, Order::Forwards);
        let renames = batch().ops(is_publish);
        for (number, at) in ["first", "second"].into_iter().zip(renames) {
            let name = format!("{}, its {number} rename refused", batch().scenario.name);
            let kind = FaultKind::Io { errno: 5, sticky: false };
            rigs.push((name, batch().with_trouble(Fault { at, kind })));
        }
    }
    rigs
}

#[test]
fn leaving_out_any_sync_of_a_call_is_noticed() {
    let mut missed = Vec::new();
    let mut count = 0;
    for (name, rig) in rigs() {
        // A sync that has failed is none.
        let syncs = (0..rig.end).filter(|at| {
            let line = &rig.trace[*at as usize];
            line.starts_with("sync") && !line.contains(" ! ")
        });
        let syncs: Vec<u64> = syncs.collect();
        for sync in rig.syncs.clone() {
            let at = syncs[sync as usize];
            let line = format!("at {}: {}", at - rig.base, rig.trace[at as usize]);
            let known = JUSTIFIED.iter().any(|(of, what, _)| *of == name && line.contains(what));
            // That nobody misses it takes long to show.
            if known && !is_full() || !does_something(&rig, at) {
                continue;
            }
            count += 1;
            match without(&rig, sync, at) {
                Some(violation) => {
                    assert!(!known, "{name} misses {line} after all: {violation}");
                    let violation: String = violation.chars().take(100).collect();
                    println!("{name}, without {line}: {violation}");
                }
                None if known => {}
                None => missed.push(format!("{name}, {line}")),
            }
        }
    }
    println!("syncs left out: {count}, not missed: {}", missed.len());
    assert!(missed.is_empty(), "syncs that nobody misses:\n{}", missed.join("\n"));
}

/// What a sync is of. Which file or directory of the user's it is makes no difference.
fn class(path: &str, kind: SyncKind) -> String {
    let Some(inside) = path.strip_prefix("w/.resilient_write") else {
        return match kind {
            SyncKind::File if path.contains("/.rw-") => "slot beside a target".to_owned(),
            SyncKind::File => "file written in place".to_owned(),
            SyncKind::Dir => "directory of a target".to_owned(),
        };
    };
    match kind {
        SyncKind::Dir => format!("directory state{inside}"),
        SyncKind::File if inside.starts_with("/tmp/") => "slot".to_owned(),
        SyncKind::File => format!("file state{inside}"),
    }
}

/// Leaves out what recovery syncs, and notes what there is.
struct Probe {
    recovering: AtomicBool,
    without: Option<String>,
    seen: Mutex<BTreeSet<String>>,
    /// How often something was left out.
    hits: AtomicU64,
}

impl Probe {
    fn new(without: Option<String>) -> Arc<Self> {
        Arc::new(Self {
            recovering: AtomicBool::new(false),
            without,
            seen: Mutex::default(),
            hits: AtomicU64::new(0),
        })
    }

    fn install(self: &Arc<Self>, disk: &SimDisk) {
        let probe = self.clone();
        disk.on_sync(move |path, kind| {
            if !probe.recovering.load(Ordering::Relaxed) {
                return false;
            }
            let site = class(path, kind);
            let left_out = probe.without.as_ref() == Some(&site);
            probe.hits.fetch_add(u64::from(left_out), Ordering::Relaxed);
            probe.seen.lock().expect("the set").insert(site);
            left_out
        });
    }

    fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        self.recovering.store(true, Ordering::Relaxed);
        let result = work();
        self.recovering.store(false, Ordering::Relaxed);
        result
    }
}

/// Kills a scenario everywhere, and crashes the recoveries everywhere; the first violation.
fn in_recovery(rig: &Rig, probe: &Arc<Probe>) -> Option<String> {
    (rig.base..=rig.end).find_map(|at| {
        let fault = Fault { at, kind: FaultKind::PowerCut };
        let (disk, answers) = rig.run(&[fault], |disk| probe.install(disk));
        let violation = in_recovery_of(rig, &disk, &answers, probe).err()?;
        Some(format!("{violation} ({})", rig.place(at)))
    })
}

fn in_recovery_of(
    rig: &Rig,
    disk: &SimDisk,
    answers: &[Answer],
    probe: &Probe,
) -> Result<(), String> {
    let states = disk.crash_states(Model::Strict, 9);
    let lost = [0, states.len() / 2, states.len() - 1];
    let lost = lost.into_iter().map(|at| states.get(at).expect("a state"));
    for found in std::iter::once(disk.kill()).chain(lost) {
        let whole = found.kill();
        let ws = workload::open(&whole, 92, Order::Forwards);
        let hits = probe.hits.load(Ordering::Relaxed);
        probe.during(|| ws.recover()).map_err(|error| error.to_string())?;
        if probe.without.is_some() && hits == probe.hits.load(Ordering::Relaxed) {
            // All is as before.
            continue;
        }
        let ops = whole.ops();
        lose(rig, &whole, answers, 24)?;
        // What recovery has found good stays good while others go on.
        workload::done(create(&ws, "later.txt", "later\n"));
        drop(ws);
        whole.crash_states(Model::Strict, 12).iter().try_for_each(|lost| {
            recover(&lost, 94)?;
            rig.expected.check(&lost, answers, Some("later\n"))
        })?;
        for at in 0..ops {
            let cut = found.kill();
            cut.plan(Fault { at, kind: FaultKind::PowerCut });
            let _ = probe.during(|| recover(&cut, 92));
            lose(rig, &cut, answers, 24)?;
        }
    }
    Ok(())
}

fn in_conflict(probe: &Arc<Probe>) -> Option<String> {
    conflict_survives(&|disk| probe.install(disk), &|work| probe.during(work)).err()
}

/// All that recovery syncs.
fn seen_in_recovery(rigs: &[(String, Rig)]) -> BTreeSet<String> {
    let probe = Probe::new(None);
    for (_, rig) in rigs {
        for at in rig.base..=rig.end {
            let fault = Fault { at, kind: FaultKind::PowerCut };
            let (disk, _) = rig.run(&[fault], |disk| probe.install(disk));
            probe.during(|| recover(&disk.kill(), 92)).expect("recovery");
        }
    }
    assert_eq!(in_conflict(&probe), None);
    probe.seen.lock().expect("the set").clone()
}

#[test]
#[ignore = "part of the long campaign: cargo nextest run --run-ignored all"]
fn recoveries_survive_every_crash() {
    let probe = Probe::new(None);
    for (name, rig) in rigs() {
        assert_eq!(in_recovery(&rig, &probe), None, "{name}");
    }
}

#[test]
fn a_slot_that_recovery_has_renewed_is_still_published() {
    let probe = Probe::new(None);
    let read_only = |name: &String| name == "overwrite what nobody may write";
    let (_, rig) = rigs().into_iter().find(|(name, _)| read_only(name)).expect("the scenario");
    assert_eq!(in_recovery(&rig, &probe), None);
}

#[test]
fn leaving_out_any_sync_of_recovery_is_noticed() {
    let rigs = rigs();
    let mut missed = Vec::new();
    for site in seen_in_recovery(&rigs) {
        let probe = Probe::new(Some(site.clone()));
        let known = RECOVERY.iter().find(|(known, _)| *known == site).map(|(_, name)| *name);
        let mut likely = rigs.iter().filter(|(name, _)| known.is_none_or(|known| known == name));
        let shown =
            likely.find_map(|(name, rig)| Some(format!("{name}: {}", in_recovery(rig, &probe)?)));
        let shown = shown.or_else(|| Some(format!("a conflict: {}", in_conflict(&probe)?)));
        match shown {
            Some(shown) => {
                let shown: String = shown.replace('\n', " ").chars().take(120).collect();
                println!("recovery without the sync of {site}: {shown}");
            }
            None => missed.push(site),
        }
    }
    assert!(missed.is_empty(), "syncs of recovery that nobody misses: {missed:#?}");
}
