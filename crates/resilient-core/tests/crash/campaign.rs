//! Crashes at every operation of every scenario, and recovery from every disk that they may leave.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Instant;

use resilient_core::Workspace;
use resilient_core::disk::sim::{CrashStates, Fault, FaultKind, Model, SimDisk};

use crate::oracle::{Expected, World, is_cut};
use crate::workload::{self, Answer, Order, Scenario, open};

/// How far a campaign goes.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// All crash states at a point are tried when they are no more than this.
    pub exact: usize,
    /// So many of them are tried where they are more.
    pub states: usize,
    /// Every so many states recovery itself is crashed, three deep.
    pub nested_every: usize,
    /// Every so many states the second recovery and the next write are tried.
    pub again_every: usize,
}

impl Budget {
    /// `CRASH_STATES=full` asks for all states of all but a few points.
    pub fn of_environment() -> Self {
        match std::env::var("CRASH_STATES").as_deref() {
            Ok("full") => Self { exact: 1 << 18, states: 4096, nested_every: 1021, again_every: 9 },
            states => {
                let states = states.ok().and_then(|states| states.parse().ok()).unwrap_or(6);
                Self { exact: states, states, nested_every: 61, again_every: 9 }
            }
        }
    }

    /// Whether a campaign takes its time.
    pub fn is_full(self) -> bool {
        self.exact > self.states
    }

    /// One of so many parts.
    pub fn share(self, of: usize) -> Self {
        Self { exact: self.exact / of, states: self.states / of, ..self }
    }

    /// The disks that a power loss may leave: all, or a sample.
    fn crash_states(self, disk: &SimDisk, model: Model) -> CrashStates {
        let all = disk.crash_states(model, self.exact);
        if all.is_exact() { all } else { disk.crash_states(model, self.states) }
    }
}

/// What a campaign has seen.
#[derive(Debug, Default)]
pub struct Tally {
    pub points: u64,
    /// The disks judged.
    pub states: u64,
    /// The disks that were like one judged before.
    pub known: u64,
    /// How often the legal disks were too many, so that a sample of them was taken.
    pub sampled: u64,
    pub violations: Vec<String>,
    /// What was judged: what is on the disk, and what had been answered by then.
    judged: HashSet<(u64, String)>,
}

impl Tally {
    /// Whether no disk like this one was judged with these answers, as from now on one is. Neither
    /// recovery nor the judge looks at times or inode numbers, so that they come to the same end.
    pub fn is_new(&mut self, disk: &SimDisk, answers: &[Answer]) -> bool {
        let is_new = self.judged.insert((disk.fingerprint(), format!("{answers:?}")));
        self.known += u64::from(!is_new);
        is_new
    }

    pub fn judge(&mut self, verdict: Result<(), String>, told: impl FnOnce() -> String) {
        self.states += 1;
        if let Err(violation) = verdict {
            // For a caller that only asks whether there is one.
            assert!(std::env::var_os("CRASH_FIRST").is_none(), "{violation}\n{}", told());
            self.violations.push(format!("{violation}\n{}", told()));
        }
    }

    pub fn add(&mut self, other: Self) {
        self.points += other.points;
        self.states += other.states;
        self.known += other.known;
        self.sampled += other.sampled;
        self.violations.extend(other.violations);
    }

    /// Prints the counts, and fails when there was anything.
    pub fn finish(self, name: &str, begun: Instant) {
        let rate = self.states as f64 / begun.elapsed().as_secs_f64() * 60.0;
        println!(
            "{name}: crash points: {}, disks: {} and {} like one of them ({} samples), \
             violations: {}; {rate:.0} disks a minute",
            self.points,
            self.states,
            self.known,
            self.sampled,
            self.violations.len()
        );
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        for violation in &self.violations {
            let scenario =
                violation.lines().find(|line| line.starts_with("scenario")).unwrap_or("");
            let kind = violation.chars().take_while(|c| !matches!(c, ':' | ';' | '\n'));
            *kinds.entry(format!("{scenario}: {}", kind.collect::<String>())).or_default() += 1;
        }
        for (kind, count) in &kinds {
            println!("  {count:6} {kind}");
        }
        let mut seen = BTreeSet::new();
        let first: Vec<&String> = self
            .violations
            .iter()
            .filter(|violation| seen.insert(violation.split([':', ';', '\n']).next()))
            .take(6)
            .collect();
        assert!(
            first.is_empty(),
            "{}",
            first.iter().map(|v| format!("\n\n{v}")).collect::<String>()
        );
    }
}

/// A scenario with what its run without faults tells.
pub struct Rig {
    pub scenario: Scenario,
    pub order: Order,
    /// The operations of the calls under test.
    pub base: u64,
    pub end: u64,
    /// The syncs of the calls under test.
    pub syncs: std::ops::Range<u64>,
    pub trace: Vec<String>,
    pub expected: Expected,
    /// A fault that the disk has in any case.
    trouble: Option<Fault>,
}

impl Rig {
    pub fn new(scenario: Scenario, order: Order) -> Self {
        let (disk, ws) = scenario.begin(order);
        let base = disk.ops();
        let first_sync = disk.syncs();
        let mut before = vec![World::of(&disk).expect("a sound disk")];
        for model in [Model::Strict, Model::Ordered] {
            let states = disk.crash_states(model, 4096);
            // What a power loss may make of what others have not synced.
            before.extend(states.iter().filter_map(|disk| World::of(&disk).ok()));
        }
        let answers = scenario.act(&ws);
        let end = disk.ops();
        let syncs = first_sync..disk.syncs();
        assert!(
            answers.iter().all(|answer| matches!(answer, Answer::Done(_))),
            "{}: {answers:?}",
            scenario.name
        );
        let after = World::of(&disk).expect("a sound disk");
        let expected = Expected::learn(before, after, &answers);
        Self { scenario, order, base, end, syncs, trace: disk.trace(), expected, trouble: None }
    }

    /// The same with a fault that is there in any case.
    pub fn with_trouble(self, trouble: Fault) -> Self {
        let rig = Self { trouble: Some(trouble), ..self };
        let (disk, _) = rig.run(&[], |_| {});
        let syncs = rig.syncs.start..disk.syncs();
        Self { end: disk.ops(), syncs, trace: disk.trace(), ..rig }
    }

    /// The operations under test whose line in the trace is of that kind.
    pub fn ops(&self, of: impl Fn(&str) -> bool) -> Vec<u64> {
        (self.base..self.end).filter(|at| of(&self.trace[*at as usize])).collect()
    }

    pub fn begin(&self) -> (SimDisk, Workspace) {
        let (disk, ws) = self.scenario.begin(self.order);
        self.trouble.iter().for_each(|fault| disk.plan(*fault));
        (disk, ws)
    }

    /// Runs the scenario with faults.
    pub fn run(&self, faults: &[Fault], prepare: impl FnOnce(&SimDisk)) -> (SimDisk, Vec<Answer>) {
        let (disk, ws) = self.begin();
        prepare(&disk);
        faults.iter().for_each(|fault| disk.plan(*fault));
        let answers = self.scenario.act(&ws);
        (disk, answers)
    }

    fn kinds(&self, at: u64) -> &'static [FaultKind] {
        let is_write = self.trace.get(at as usize).is_some_and(|line| line.starts_with("write"));
        if is_write { &[FaultKind::PowerCut, FaultKind::TornWrite] } else { &[FaultKind::PowerCut] }
    }

    pub fn place(&self, at: u64) -> String {
        format!(
            "scenario {:?}, cold: {}, {:?}, {:?}, at {at}: {}",
            self.scenario.name,
            self.scenario.cold,
            self.order,
            self.trouble,
            self.trace.get(at as usize).map_or("the end", String::as_str)
        )
    }
}

/// Recovers a disk in a new process.
pub fn recover(disk: &SimDisk, seed: u64) -> Result<(), String> {
    check_format(disk)?;
    open(disk, seed, Order::Forwards).recover().map(drop).map_err(|error| {
        let source = std::error::Error::source(&error).map(ToString::to_string);
        format!("recovery fails: {error}: {source:?}")
    })
}

/// Judges what says which program may go on: where there is a row of format 2, an older one must be refused.
fn check_format(disk: &SimDisk) -> Result<(), String> {
    let journal = disk.read("w/.resilient_write/journal.jsonl").unwrap_or_default();
    let is_new = |line: &&[u8]| {
        let line = String::from_utf8_lossy(line);
        let chain = line.rsplit_once("\"chain\":\"").map(|(_, chain)| chain.trim_end());
        chain.and_then(|chain| chain.strip_suffix("\"}")).is_some_and(|chain| chain.len() == 64)
    };
    let format = disk.read("w/.resilient_write/format");
    match journal.split(|byte| *byte == b'\n').find(is_new) {
        Some(_) if !format.as_ref().is_some_and(|now| now.starts_with(b"2")) => {
            Err(format!("a row of format 2 where the format is {format:?}"))
        }
        _ => Ok(()),
    }
}

/// Whether an operation gives a slot its target's name.
pub fn is_publish(line: &str) -> bool {
    line.starts_with("rename") || line.starts_with("exchange")
}

/// All that is the same on disks that have converged: files and directories.
type Settled = (BTreeMap<String, Vec<u8>>, BTreeSet<String>);

fn settled(disk: &SimDisk) -> Settled {
    let mut tree = disk.tree();
    tree.remove("w/.resilient_write/lock");
    // What one recovery has cut off, another one may find cut.
    tree.retain(|path, _| path.strip_prefix("w/.resilient_write/").is_none_or(|at| !is_cut(at)));
    let mut dirs = disk.dirs();
    dirs.remove("w/.resilient_write/conflicts");
    (tree, dirs)
}

/// The paths at which two disks that should have converged differ.
fn difference(one: &Settled, other: &Settled) -> String {
    let files = one.0.keys().chain(other.0.keys()).filter(|at| one.0.get(*at) != other.0.get(*at));
    let dirs = one.1.symmetric_difference(&other.1);
    files.chain(dirs).cloned().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
}

/// Crashes a scenario at every operation.
pub fn crash_everywhere(rig: &Rig, budget: Budget) -> Tally {
    let mut tally = Tally::default();
    for at in rig.base..=rig.end {
        for kind in rig.kinds(at) {
            let (disk, answers) = rig.run(&[Fault { at, kind: *kind }], |_| {});
            tally.points += 1;
            kill(rig, &disk, &answers, at, budget, &mut tally);
            for model in [Model::Strict, Model::Ordered] {
                let states = budget.crash_states(&disk, model);
                power_losses(rig, &states, &answers, budget, &mut tally, &|| rig.place(at));
            }
        }
    }
    tally
}

/// Judges each disk that a power loss may leave, unless one like it was judged before.
fn power_losses(
    rig: &Rig,
    states: &CrashStates,
    answers: &[Answer],
    budget: Budget,
    tally: &mut Tally,
    place: &dyn Fn() -> String,
) {
    tally.sampled += u64::from(!states.is_exact());
    for index in 0..states.len() {
        let disk = states.get(index).expect("a state");
        if tally.is_new(&disk, answers) {
            let verdict = power_loss(rig, &disk, answers, budget, tally);
            tally.judge(verdict, || {
                format!("{}\nanswers: {answers:?}\n{}", place(), states.describe(index))
            });
        }
    }
}

fn power_loss(
    rig: &Rig,
    found: &SimDisk,
    answers: &[Answer],
    budget: Budget,
    tally: &mut Tally,
) -> Result<(), String> {
    let number = tally.states as usize;
    // A disk that came of a power loss has nothing pending, so that a kill copies it.
    let disk = found.kill();
    rig.expected.check_reader(&disk, answers)?;
    recover(&disk, 11)?;
    rig.expected.check(&disk, answers, None)?;
    let once = settled(&disk);
    if number.is_multiple_of(budget.again_every) {
        recover(&disk, 12)?;
        if settled(&disk) != once {
            return Err("a second recovery changes something".to_owned());
        }
        go_on(rig, &found.kill(), answers, 13)?;
    }
    if number.is_multiple_of(budget.nested_every) {
        tally.states += nested(found, &once, 3, number as u64)?;
    }
    Ok(())
}

/// Writes on a disk, which is recovered meanwhile, and loses whatever is not durable.
fn go_on(rig: &Rig, disk: &SimDisk, answers: &[Answer], seed: u64) -> Result<(), String> {
    let ws = open(disk, seed, Order::Forwards);
    let answer = workload::create(&ws, "later.txt", "later\n");
    if !answer.is_done() {
        return Err(format!("the next write fails: {answer:?}"));
    }
    drop(ws);
    for model in [Model::Strict, Model::Ordered] {
        let lost = disk.crash_states(model, 1).get(0).expect("a state");
        recover(&lost, seed + 1)?;
        rig.expected.check(&lost, answers, Some("later\n"))?;
    }
    Ok(())
}

/// Crashes recovery; however often, the disk comes to the same end. Returns how many disks it saw.
fn nested(disk: &SimDisk, end: &Settled, depth: u64, salt: u64) -> Result<u64, String> {
    let whole = disk.kill();
    recover(&whole, 20 + depth)?;
    let mut seen = 0;
    let ops = whole.ops();
    // Not all, but others each time.
    let step = if depth == 3 { 3 } else { 1 + ops / 2 };
    let mut at = salt % step;
    while at < ops {
        let cut = disk.kill();
        cut.plan(Fault { at, kind: FaultKind::PowerCut });
        let _ = recover(&cut, 30 + depth);
        let states = cut.crash_states(Model::Strict, 6);
        for index in 0..states.len() {
            let again = states.get(index).expect("a state");
            seen += 1;
            if depth > 1 && (index as u64 + at + salt).is_multiple_of(3) {
                seen += nested(&again, end, depth - 1, salt + at)?;
            }
            recover(&again, 40 + depth)
                .map_err(|e| format!("{e} in recovery at {at}: {}", states.describe(index)))?;
            if settled(&again) != *end {
                let line = cut.trace().get(at as usize).cloned();
                return Err(format!(
                    "a crash in recovery comes to another end: at {at}, {line:?}, depth {depth}: \
                     {}\n{}",
                    difference(end, &settled(&again)),
                    states.describe(index)
                ));
            }
        }
        at += step;
    }
    Ok(seen)
}

/// The process dies, and the next one goes on; the power may go at any moment after.
fn kill(rig: &Rig, disk: &SimDisk, answers: &[Answer], at: u64, budget: Budget, tally: &mut Tally) {
    let told = || format!("killed in {}\nanswers: {answers:?}", rig.place(at));
    let killed = disk.kill();
    let verdict = (|| {
        rig.expected.check_reader(&killed, answers)?;
        recover(&killed, 51)?;
        rig.expected.check(&killed, answers, None)?;
        go_on(rig, &disk.kill(), answers, 52)
    })();
    tally.judge(verdict, told);

    // The recovery of a killed process, interrupted in turn.
    let ops = killed.ops();
    let step = if budget.is_full() { 1 } else { ops.max(1) };
    for cut in (at % step..ops).step_by(step as usize) {
        let disk = disk.kill();
        disk.plan(Fault { at: cut, kind: FaultKind::PowerCut });
        let _ = recover(&disk, 53);
        let place = || {
            let last = disk.trace().pop();
            format!("killed in {}; recovery cut at {cut}: {last:?}", rig.place(at))
        };
        let states = disk.crash_states(Model::Strict, (budget.states / 4).max(4));
        power_losses(rig, &states, answers, budget, tally, &place);
    }
}
