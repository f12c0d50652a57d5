//! The programs of commit and recovery as steps that a crash, a fault or an edit may come between.
//!
//! A step is what the system does at once: a rename, a look, a sync. Syncs of one wait are one step: a crash
//! before it may leave everything that a crash between two of them may.

use resilient_core::unit::{Decision, Target, Unit, judge};

use crate::disk::{
    Content, Dirs, NONE, Persistence, SHELVES, SLOTS, copy, dir_of, old, second, slot, staged,
    target,
};
use crate::rules::Rules;
use crate::world::{Answer, End, Kind, Log, Set, Step, World};

/// What has been done, for the sequence that leads to a violation.
pub(crate) type Label = (&'static str, usize);

/// How much may go wrong on one way through the model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) crashes: u8,
    pub(crate) edits: u8,
    pub(crate) faults: u8,
    /// Runs of recovery by a process that may not look everywhere.
    pub(crate) blind_runs: u8,
    /// Whether the directory may be copied after a crash.
    pub(crate) copies: bool,
    /// Whether somebody may delete a slot.
    pub(crate) meddling: bool,
}

pub(crate) struct Model {
    pub(crate) kinds: Vec<Kind>,
    pub(crate) persistence: Persistence,
    pub(crate) rules: Rules,
    pub(crate) judge: fn(&Unit) -> Decision,
    pub(crate) bounds: Bounds,
    /// The only violation that counts; `None` where all do.
    pub(crate) watched: Option<&'static str>,
}

impl Model {
    pub(crate) fn new(kinds: &[Kind], persistence: Persistence, bounds: Bounds) -> Self {
        let (kinds, rules) = (kinds.to_vec(), Rules::default());
        Self { kinds, persistence, rules, judge, bounds, watched: None }
    }

    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    fn target_dirs(&self) -> Dirs {
        (0..self.len()).fold(0, |dirs, i| dirs | dir_of(target(i)))
    }

    /// Whether change `i` takes the old file of its target into its slot.
    pub(crate) fn takes_out(&self, i: usize) -> bool {
        self.kinds[i].exchanges() || self.kinds[i] == Kind::Remove
    }

    /// Whether change `i` removes the old name of a rename.
    pub(crate) fn is_old_name(&self, i: usize) -> bool {
        i > 0 && self.kinds[i - 1].is_link()
    }

    /// What the process does next, with the ways in which it may go.
    pub(crate) fn steps(&self, world: &World) -> Vec<(Label, World)> {
        let mut next = world.clone();
        let label = self.step(&mut next);
        let Some(label) = label else { return Vec::new() };
        let mut ways = vec![(label, next)];
        if matches!(world.step, Step::Publish(_) | Step::TakeBack(_))
            && world.faults < self.bounds.faults
        {
            let mut next = world.clone();
            next.faults += 1;
            ways.push((self.refuse(&mut next), next));
        }
        ways
    }

    /// The system refuses what the process was about to do.
    fn refuse(&self, world: &mut World) -> Label {
        match world.step {
            Step::Publish(i) if !world.is_recovering => {
                self.fail(world);
                ("publish is refused", i)
            }
            _ => {
                self.suspend(world);
                ("the act is refused, recovery later", 0)
            }
        }
    }

    fn suspend(&self, world: &mut World) {
        if !world.is_recovering {
            world.answer = Some(Answer::Unknown);
        }
        self.rest(world);
    }

    fn rest(&self, world: &mut World) {
        world.step = Step::Rest;
        world.is_recovering = false;
        world.is_blind = false;
        world.todo = Set::default();
        world.published = Set::default();
        world.keep = Set::default();
        world.goal = End::Kept;
    }

    fn step(&self, world: &mut World) -> Option<Label> {
        let rules = self.rules;
        let (label, step) = match world.step {
            Step::Stage => {
                for (i, kind) in self.kinds.iter().enumerate() {
                    match kind {
                        Kind::Remove => {}
                        kind if kind.is_link() => world.disk.set(slot(i), old(i + 1), false),
                        _ => world.disk.write(staged(i), Content::New),
                    }
                    if *kind == Kind::Replace {
                        world.disk.write(copy(i), Content::Old);
                    }
                }
                ("stage", Step::WriteRows)
            }
            Step::WriteRows => {
                world.log.rows = self.len();
                ("write the rows", Step::FirstWait)
            }
            Step::FirstWait => {
                if rules.first_wait {
                    self.sync_staged(world);
                    world.durable_log = world.log;
                }
                ("first wait", self.next_publish(world))
            }
            Step::Look(i) => {
                if self.is_as_looked_at(world, i) || !rules.last_look {
                    ("look: as before", Step::Publish(i))
                } else {
                    self.fail(world);
                    ("look: changed", world.step)
                }
            }
            Step::Publish(i) => {
                if self.publish(world, i) {
                    world.published.add(i);
                    ("publish", if rules.verify { Step::Verify(i) } else { self.after(world, i) })
                } else {
                    self.fail(world);
                    ("publish fails", world.step)
                }
            }
            Step::Verify(i) => {
                let file = world.disk.at(slot(i));
                let is_same =
                    (file == old(i) || !rules.identity) && world.disk.content(file) == Content::Old;
                if !self.takes_out(i) || is_same {
                    ("what came out is the old file", self.after(world, i))
                } else if rules.void_before_put_back {
                    self.fail(world);
                    ("another file came out", world.step)
                } else {
                    ("another file came out", Step::PutBack(i))
                }
            }
            Step::PutBack(i) => {
                if self.take_back(world, i) {
                    world.published.remove(i);
                }
                self.fail(world);
                ("put back", world.step)
            }
            Step::SecondWait => {
                if !world.is_recovering || rules.sync_before_keep {
                    let slots = if rules.sync_slots_dir { SLOTS } else { 0 };
                    world.disk.sync(self.target_dirs() | slots, self.persistence);
                }
                ("sync the directories", Step::Mark)
            }
            Step::WriteVoid => {
                world.log.void = true;
                ("write void", Step::SyncVoid)
            }
            Step::SyncVoid => {
                world.durable_log = world.log;
                ("sync void", self.next_back(world))
            }
            Step::LookBack(i) => {
                let is_ours = match self.kinds[i] {
                    Kind::Remove => world.disk.at(target(i)) == NONE,
                    _ => self.target(world, i) == Target::New,
                };
                if is_ours || !rules.look_before_back {
                    ("look: ours", Step::TakeBack(i))
                } else {
                    ("look: in the way", Step::Judge)
                }
            }
            Step::TakeBack(i) => {
                if self.take_back(world, i) {
                    let verify = rules.verify_back && self.kinds[i] != Kind::Replace;
                    let done = |world: &mut World| {
                        world.todo.remove(i);
                        self.next_back(world)
                    };
                    ("take back", if verify { Step::VerifyBack(i) } else { done(world) })
                } else {
                    ("taking back fails", Step::Judge)
                }
            }
            Step::VerifyBack(i) => {
                let file = world.disk.at(slot(i));
                let is_ours = self.kinds[i] == Kind::Remove
                    || file == self.file(i)
                        && (world.disk.content(file) == self.published_content(i)
                            || self.kinds[i].is_link());
                if is_ours {
                    world.todo.remove(i);
                    ("what came out is ours", self.next_back(world))
                } else {
                    ("another file came out", Step::PutForth(i))
                }
            }
            Step::PutForth(i) => {
                if self.kinds[i].creates() {
                    if world.disk.at(target(i)) == NONE {
                        world.disk.rename(slot(i), target(i), self.persistence);
                    }
                } else if world.disk.at(target(i)) != NONE {
                    world.disk.exchange(slot(i), target(i), self.persistence);
                }
                ("put it back", Step::Judge)
            }
            Step::SyncBack => {
                if rules.sync_after_back {
                    world.disk.sync(self.target_dirs() | SLOTS, self.persistence);
                }
                ("sync what was taken back", if rules.void_first { Step::Mark } else { Step::Cut })
            }
            Step::WriteConflict => {
                if rules.conflict_syncs_dirs {
                    world.disk.sync(self.target_dirs() | SLOTS, self.persistence);
                }
                world.log.conflict = true;
                ("write conflict", Step::SyncConflict)
            }
            Step::SyncConflict => {
                world.durable_log = world.log;
                ("sync conflict", Step::Shelve(0))
            }
            Step::Shelve(i) => {
                self.shelve(world, i);
                let more = i + 1 < self.len();
                ("move to conflicts", if more { Step::Shelve(i + 1) } else { Step::SyncShelves })
            }
            Step::SyncShelves => {
                world.disk.sync(self.target_dirs() | SLOTS | SHELVES, self.persistence);
                ("sync what was moved", Step::Mark)
            }
            Step::Cut => {
                world.log = Log::default();
                ("cut the rows", Step::SyncCut)
            }
            Step::SyncCut => {
                world.durable_log = world.log;
                ("sync the cut", if rules.rows_go_first { Step::Sweep(0) } else { Step::Mark })
            }
            Step::Sweep(i) => {
                self.sweep(world, i);
                let more = i + 1 < self.len();
                ("sweep", if more { Step::Sweep(i + 1) } else { Step::SyncSwept })
            }
            Step::SyncSwept => {
                world.disk.sync(SLOTS | SHELVES, self.persistence);
                ("sync the slots", if rules.rows_go_first { Step::Mark } else { Step::Cut })
            }
            Step::Mark => {
                world.is_clean = true;
                world.end = Some(world.goal);
                // The process that finishes a void unit lists what its slots hold of others.
                if world.goal == End::Gone && world.log.void {
                    for i in 0..self.len() {
                        self.tell(world, slot(i));
                        self.tell(world, second(i));
                    }
                }
                if world.is_recovering {
                    self.rest(world);
                    ("mark clean", Step::Rest)
                } else {
                    ("mark clean", Step::Reply)
                }
            }
            Step::Reply => {
                world.answer = Some(match world.goal {
                    End::Kept => Answer::Success,
                    End::Gone => Answer::Error,
                    End::Conflict => Answer::Unknown,
                });
                self.rest(world);
                ("answer", Step::Rest)
            }
            Step::Rest => return None,
            Step::Crashed => {
                if world.is_clean || world.is_retired {
                    self.rest(world);
                    world.is_clean = true;
                    ("start: all is durable", Step::Rest)
                } else {
                    world.is_recovering = true;
                    ("start: recovery", Step::SyncRows)
                }
            }
            Step::SyncRows => {
                if rules.recovery_syncs_rows {
                    world.durable_log = world.log;
                }
                ("make the rows durable", Step::Judge)
            }
            Step::Judge => return Some(self.decide(world)),
            Step::SyncSlots => {
                if rules.recovery_syncs_slots {
                    self.sync_staged(world);
                }
                ("make the slots durable", self.next_publish(world))
            }
        };
        let at = world.step.change();
        world.step = step;
        Some((label, at))
    }

    fn decide(&self, world: &mut World) -> Label {
        if world.log.rows == 0 {
            world.goal = End::Gone;
            world.step = Step::Sweep(0);
            return ("no rows", 0);
        }
        let unit = self.observe(world);
        world.todo = Set::default();
        let (label, step) = match (self.judge)(&unit) {
            Decision::Pending => {
                assert!(world.is_blind, "pending although all can be seen: {unit:?}");
                self.rest(world);
                ("judge: pending", Step::Rest)
            }
            Decision::Keep { .. } => {
                world.goal = End::Kept;
                self.tell_touched(world);
                ("judge: keep", Step::SecondWait)
            }
            Decision::Forward { publish, finish, .. } => {
                world.goal = End::Kept;
                self.tell_touched(world);
                for i in finish {
                    world.disk.sync(dir_of(target(i)), self.persistence);
                    world.disk.set(slot(i), NONE, false);
                }
                world.todo = Set::of(publish);
                ("judge: forward", Step::SyncSlots)
            }
            Decision::Withdraw { take_back, keep } => {
                assert!(take_back.is_empty(), "no write in place, no link and unlink: {unit:?}");
                if self.rules.withdrawal_syncs_dirs {
                    world.disk.sync(self.target_dirs() | SLOTS, self.persistence);
                }
                world.goal = End::Gone;
                world.keep = Set::of(keep);
                let step = if self.rules.rows_go_first { Step::Cut } else { Step::Sweep(0) };
                ("judge: withdraw", step)
            }
            Decision::Back { take_back } => {
                world.goal = End::Gone;
                world.todo = Set::of(take_back);
                let first = self.next_back(world);
                ("judge: back", if self.rules.void_first { Step::WriteVoid } else { first })
            }
            Decision::ResumeBack { take_back } => {
                world.goal = End::Gone;
                world.todo = Set::of(take_back);
                ("judge: resume back", self.next_back(world))
            }
            Decision::Conflict { in_effect, .. } => {
                world.goal = End::Conflict;
                self.check_effect(world, &in_effect);
                ("judge: conflict", Step::WriteConflict)
            }
            Decision::FinishConflict { .. } => {
                world.goal = End::Conflict;
                ("judge: finish conflict", Step::Shelve(0))
            }
        };
        world.step = step;
        (label, 0)
    }

    /// The conflict row must say what is in effect.
    fn check_effect(&self, world: &World, in_effect: &[usize]) {
        for i in 0..self.len() {
            let target = self.target(world, i);
            let claims = in_effect.contains(&i);
            let is_wrong = match target {
                Target::New => !claims,
                Target::Old => claims,
                _ => false,
            };
            if self.rules == Rules::default() && !world.is_copied {
                assert!(!is_wrong, "a conflict row tells what is not so of {i}: {world:?}");
            }
        }
    }

    /// The published files of a unit are not as they should be: it goes back, or is judged again.
    fn fail(&self, world: &mut World) {
        if world.is_recovering {
            world.step = Step::Judge;
            return;
        }
        if !self.rules.takes_back_itself && world.published.first().is_some() {
            self.suspend(world);
            return;
        }
        world.goal = End::Gone;
        world.todo = world.published;
        let first = self.next_back(world);
        world.step = if self.rules.void_first { Step::WriteVoid } else { first };
    }

    fn next_publish(&self, world: &World) -> Step {
        world.todo.first().map_or(Step::SecondWait, Step::Look)
    }

    fn after(&self, world: &mut World, i: usize) -> Step {
        world.todo.remove(i);
        self.next_publish(world)
    }

    fn next_back(&self, world: &World) -> Step {
        world.todo.last().map_or(Step::SyncBack, Step::LookBack)
    }

    fn sync_staged(&self, world: &mut World) {
        for i in 0..self.len() {
            world.disk.sync_file(staged(i));
            world.disk.sync_file(copy(i));
        }
        world.disk.sync(SLOTS, self.persistence);
    }
}
