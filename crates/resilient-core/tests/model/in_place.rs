//! Writes in place, searched apart from the other units: a file is some sectors, of which a loss of power keeps any.
//!
//! A write through all names of a file has two slots, with the new content and with the old. An append has none:
//! its row tells. Between any two steps there may come a kill or a loss of power, and whenever nobody works, an edit. The
//! judge is the product's own.

use std::collections::{BTreeSet, VecDeque};

use resilient_core::unit::{Change, Decision, Kind, KnownBy, Rows, Slot, Target, Unit, judge};

/// What a sector holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sector {
    Old,
    New,
    Zero,
    Foreign,
}

use Sector::{Foreign, New, Old, Zero};

/// As it is in memory, and as it is on the disk for certain.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Both<T> {
    now: T,
    disk: T,
}

impl<T: Clone> Both<T> {
    fn of(value: T) -> Self {
        Self { now: value.clone(), disk: value }
    }

    fn sync(&mut self) {
        self.disk = self.now.clone();
    }
}

/// A slot: whole, not whole yet, or gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Held {
    Empty,
    Whole,
    Gone,
}

/// What is done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Stage,
    WriteRow,
    FirstWait,
    Write(usize),
    SecondWait,
    DropSlot,
    ThirdWait,
    DropUndo,
    Reply,
    Rest,
    Crashed,
    Judge,
    Keep,
    Finish(usize),
    Retire,
    Back(usize),
    SyncBack,
    CutRow,
    SyncCut,
    Sweep,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct World {
    file: Both<Vec<Sector>>,
    row: Both<bool>,
    /// The new content and the old, for a write through all names.
    slots: Both<[Held; 2]>,
    step: Step,
    is_recovering: bool,
    is_clean: bool,
    is_answered: bool,
    edited: Option<usize>,
    crashes: u8,
}

/// What the program or the judge may get wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// The old content is not durable before the first byte is written.
    NoSyncOfSlots,
    /// The row is not.
    NoSyncOfRow,
    /// The answer does not wait for the file.
    NoSecondWait,
    /// Or for the slots' removal.
    NoThirdWait,
    /// The old content goes together with the new.
    UndoGoesToo,
    /// What was kept is not synced.
    NoSyncOfKept,
    /// What was taken back is not synced before its row goes.
    NoSyncOfBack,
    /// The row goes before the bytes.
    RowFirst,
    /// A part counts as all.
    PartIsNew,
    /// A part counts as somebody else's.
    PartIsOther,
    /// What somebody else has written counts as a part.
    OtherIsPart,
    /// The old content that is not whole counts as such.
    DamagedUndoIsWhole,
}

#[derive(Clone, Copy)]
struct Model {
    kind: Kind,
    fault: Fault,
    crashes: u8,
}

impl Model {
    /// The sectors that the call writes.
    fn written(self) -> std::ops::Range<usize> {
        if self.kind == Kind::Append { 1..3 } else { 0..2 }
    }

    fn before(self) -> Vec<Sector> {
        vec![Old; if self.kind == Kind::Append { 1 } else { 2 }]
    }

    fn after(self) -> Vec<Sector> {
        if self.kind == Kind::Append { vec![Old, New, New] } else { vec![New; 2] }
    }

    fn start(self) -> World {
        let slots = if self.kind == Kind::Append { [Held::Gone; 2] } else { [Held::Empty; 2] };
        World {
            file: Both::of(self.before()),
            row: Both::of(false),
            slots: Both::of(slots),
            step: Step::Stage,
            is_recovering: false,
            is_clean: true,
            is_answered: false,
            edited: None,
            crashes: 0,
        }
    }

    fn observe(self, world: &World) -> Unit {
        let seen = |held: Held| match held {
            Held::Empty => Slot::Damaged,
            Held::Whole => Slot::Whole,
            Held::Gone => Slot::Gone,
        };
        let [slot, undo] = world.slots.now;
        let before = match seen(undo) {
            Slot::Damaged if self.fault == Fault::DamagedUndoIsWhole => Slot::Whole,
            other => other,
        };
        let target = match self.target(world) {
            Target::Part if self.fault == Fault::PartIsNew => Target::New,
            Target::Part if self.fault == Fault::PartIsOther => Target::Other,
            Target::Other if self.fault == Fault::OtherIsPart => Target::Part,
            other => other,
        };
        let change = Change {
            kind: self.kind,
            known_by: KnownBy::Content,
            slot: seen(slot),
            before: (self.kind == Kind::InPlace).then_some(before),
            target,
        };
        Unit { rows: Rows::all(1), mark: None, is_copy: false, changes: vec![change] }
    }

    fn target(self, world: &World) -> Target {
        let file = &world.file.now;
        if *file == self.after() {
            return Target::New;
        }
        if *file == self.before() {
            return Target::Old;
        }
        let is_explained = |(at, sector): (usize, &Sector)| match sector {
            Old => self.kind == Kind::Append && at == 0 || world.slots.now[1] == Held::Whole,
            New => self.kind == Kind::Append || world.slots.now[0] == Held::Whole,
            Zero => true,
            Foreign => false,
        };
        let has_slots = self.kind == Kind::Append || !world.slots.now.contains(&Held::Gone);
        // What an append left is looked at alone where all of it is there.
        let is_whole = self.kind == Kind::Append && file.get(1..3) == Some(&[New, New]);
        match file.iter().enumerate().all(is_explained) {
            _ if is_whole => Target::New,
            true if has_slots => Target::Part,
            _ => Target::Other,
        }
    }

    /// Carries out the next step of the program or of recovery.
    fn step(self, world: &World) -> World {
        let mut next = world.clone();
        let first = self.written().start;
        let has = |at: usize| self.written().contains(&at);
        let without = |fault: Fault| self.fault == fault;
        next.step = match world.step {
            Step::Stage => {
                if self.kind == Kind::InPlace {
                    next.slots.now = [Held::Whole; 2];
                }
                Step::WriteRow
            }
            Step::WriteRow => {
                next.is_clean = false;
                next.row.now = true;
                Step::FirstWait
            }
            Step::FirstWait => {
                if !without(Fault::NoSyncOfSlots) {
                    next.slots.sync();
                }
                if !without(Fault::NoSyncOfRow) {
                    next.row.sync();
                }
                Step::Write(first)
            }
            Step::Write(at) | Step::Finish(at) => {
                if at >= next.file.now.len() {
                    next.file.now.push(New);
                }
                next.file.now[at] = New;
                match (has(at + 1), world.is_recovering) {
                    (true, false) => Step::Write(at + 1),
                    (true, true) => Step::Finish(at + 1),
                    (false, false) => Step::SecondWait,
                    (false, true) => Step::Keep,
                }
            }
            Step::SecondWait => {
                if !without(Fault::NoSecondWait) {
                    next.file.sync();
                }
                Step::DropSlot
            }
            // With it goes the intent.
            Step::DropSlot => {
                next.slots.now[0] = Held::Gone;
                if without(Fault::UndoGoesToo) {
                    next.slots.now[1] = Held::Gone;
                }
                Step::ThirdWait
            }
            Step::ThirdWait => {
                if !without(Fault::NoThirdWait) {
                    next.slots.sync();
                }
                Step::DropUndo
            }
            Step::DropUndo => {
                next.slots.now[1] = Held::Gone;
                Step::Reply
            }
            Step::Reply => {
                (next.is_clean, next.is_answered) = (true, true);
                Step::Rest
            }
            Step::Rest => Step::Rest,
            Step::Crashed if world.is_clean => Step::Rest,
            Step::Crashed => {
                next.is_recovering = true;
                // Rows are durable before anything is done on their account.
                next.row.sync();
                if world.row.now { Step::Judge } else { Step::Sweep }
            }
            Step::Judge => match judge(&self.observe(world)) {
                Decision::Keep { .. } => Step::Keep,
                Decision::Forward { publish, finish, .. } => {
                    assert!(publish.is_empty() && finish == [0], "nothing goes on in place");
                    Step::Finish(first)
                }
                Decision::Withdraw { take_back, .. } if take_back.is_empty() => Step::CutRow,
                Decision::Conflict { write_back, .. } if write_back.is_empty() => Step::CutRow,
                Decision::Withdraw { .. } if without(Fault::RowFirst) => {
                    next.row = Both::of(false);
                    Step::Back(first)
                }
                Decision::Withdraw { .. } | Decision::Back { .. } | Decision::Conflict { .. } => {
                    Step::Back(first)
                }
                other => panic!("{other:?} of {world:?}"),
            },
            Step::Keep => {
                if !without(Fault::NoSyncOfKept) {
                    next.file.sync();
                }
                Step::Retire
            }
            Step::Retire => {
                next.slots.now[0] = Held::Gone;
                next.slots.sync();
                Step::Sweep
            }
            Step::Back(at) if self.kind == Kind::Append => {
                next.file.now.truncate(at);
                Step::SyncBack
            }
            Step::Back(at) => {
                next.file.now[at] = match world.slots.now[1] {
                    Held::Whole => Old,
                    _ => Zero,
                };
                if has(at + 1) { Step::Back(at + 1) } else { Step::SyncBack }
            }
            Step::SyncBack => {
                if !without(Fault::NoSyncOfBack) {
                    next.file.sync();
                }
                Step::CutRow
            }
            Step::CutRow => {
                next.row.now = false;
                Step::SyncCut
            }
            Step::SyncCut => {
                next.row.sync();
                Step::Sweep
            }
            Step::Sweep => {
                next.slots.now = [Held::Gone; 2];
                (next.is_clean, next.is_recovering) = (true, false);
                Step::Rest
            }
        };
        next
    }

    /// A kill, and every disk that a loss of power may leave.
    fn crashes(self, world: &World) -> Vec<World> {
        if world.crashes == self.crashes || world.step == Step::Crashed {
            return Vec::new();
        }
        let crashed = World {
            step: Step::Crashed,
            is_recovering: false,
            crashes: world.crashes + 1,
            ..world.clone()
        };
        let mut all = vec![crashed.clone()];
        // A bit for each sector, then the file's length, the row and each of the slots.
        for kept in 0..1_u32 << 7 {
            let is_kept = |bit: u32| kept & (1 << bit) != 0;
            let (now, disk) = (&world.file.now, &world.file.disk);
            let len = if is_kept(3) { now.len() } else { disk.len() };
            let sector = |at: usize| {
                let written = now.get(at).filter(|_| is_kept(at as u32));
                written.or_else(|| disk.get(at)).copied().unwrap_or(Zero)
            };
            let pick = |bit: u32, at: usize| {
                if is_kept(bit) { world.slots.now[at] } else { world.slots.disk[at] }
            };
            all.push(World {
                file: Both::of((0..len).map(sector).collect()),
                row: Both::of(if is_kept(4) { world.row.now } else { world.row.disk }),
                slots: Both::of([pick(5, 0), pick(6, 1)]),
                is_clean: false,
                ..crashed.clone()
            });
        }
        all
    }

    /// Somebody writes a sector, durably, while nobody works.
    fn edits(self, world: &World) -> Vec<World> {
        let may = world.edited.is_none() && matches!(world.step, Step::Rest | Step::Crashed);
        let sectors = 0..if may { world.file.now.len() } else { 0 };
        let edit = |at: usize| {
            let mut next = world.clone();
            next.edited = Some(at);
            next.file.now[at] = Foreign;
            next.file.sync();
            next
        };
        sectors.map(edit).collect()
    }

    fn violation(self, world: &World) -> Option<&'static str> {
        if world.edited.is_some_and(|at| world.file.now.get(at) != Some(&Foreign)) {
            return Some("an edit is lost");
        }
        if world.step != Step::Rest {
            return None;
        }
        if world.is_answered && !world.row.disk {
            return Some("a call that was answered has no row");
        }
        let whole = if world.row.now { self.after() } else { self.before() };
        let is_whole = world.file.now == whole && world.file.disk == whole;
        if world.edited.is_none() && !is_whole {
            return Some("the file is not what the rows say");
        }
        None
    }

    fn search(self) -> (usize, Option<(&'static str, World)>) {
        let start = self.start();
        let mut seen = BTreeSet::from([start.clone()]);
        let mut open = VecDeque::from([start]);
        while let Some(world) = open.pop_front() {
            let ways = self.crashes(&world).into_iter().chain(self.edits(&world));
            for next in ways.chain([self.step(&world)]) {
                if !seen.insert(next.clone()) {
                    continue;
                }
                if let Some(what) = self.violation(&next) {
                    return (seen.len(), Some((what, next)));
                }
                open.push_back(next);
            }
        }
        (seen.len(), None)
    }
}

const KINDS: [Kind; 2] = [Kind::Append, Kind::InPlace];

#[test]
fn writes_in_place_are_whole_after_three_crashes_and_an_edit() {
    for kind in KINDS {
        let (states, violation) = Model { kind, fault: Fault::None, crashes: 3 }.search();
        println!("{kind:?}: {states} states");
        assert!(violation.is_none(), "{kind:?}: {violation:?}");
        assert!(states > 400, "the search ended early: {states}");
    }
}

#[test]
fn each_step_of_a_write_in_place_and_each_look_at_it_matters() {
    for (fault, kinds) in [
        (Fault::NoSyncOfSlots, &KINDS[1..]),
        (Fault::NoSyncOfRow, &KINDS[..]),
        (Fault::NoSecondWait, &KINDS[..]),
        (Fault::NoThirdWait, &KINDS[1..]),
        (Fault::UndoGoesToo, &KINDS[1..]),
        (Fault::NoSyncOfKept, &KINDS[..]),
        (Fault::NoSyncOfBack, &KINDS[..]),
        (Fault::RowFirst, &KINDS[..]),
        // A write through all names would be finished from its slot, which is as good but needs space.
        (Fault::PartIsNew, &KINDS[..1]),
        (Fault::PartIsOther, &KINDS[..]),
        (Fault::OtherIsPart, &KINDS[..]),
        (Fault::DamagedUndoIsWhole, &KINDS[1..]),
    ] {
        for kind in kinds {
            let (_, violation) = Model { kind: *kind, fault, crashes: 2 }.search();
            let (what, _) = violation.unwrap_or_else(|| panic!("{kind:?}, {fault:?}: not noticed"));
            println!("{kind:?}, {fault:?}: {what}");
        }
    }
}
