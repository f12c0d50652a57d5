//! The state of the model: a disk, a journal, one process at a step of its program, and what an observer
//! knows (the answer, the edits of others, and what is owed to them).

use crate::disk::{Content, Disk, copy, old, second, slot, staged, target};

/// How a change of the model is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Create,
    Exchange,
    Replace,
    Remove,
    /// The new name of a rename, of which the next change removes the old one.
    LinkCreate,
    LinkExchange,
}

impl Kind {
    pub(crate) fn is_link(self) -> bool {
        matches!(self, Self::LinkCreate | Self::LinkExchange)
    }

    pub(crate) fn creates(self) -> bool {
        matches!(self, Self::Create | Self::LinkCreate)
    }

    pub(crate) fn exchanges(self) -> bool {
        matches!(self, Self::Exchange | Self::LinkExchange)
    }
}

/// What the journal holds of the unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Log {
    pub(crate) rows: usize,
    pub(crate) void: bool,
    pub(crate) conflict: bool,
}

impl Log {
    /// What a loss of power may leave where `durable` was synced and `self` was written.
    pub(crate) fn losses(self, durable: Self) -> Vec<Self> {
        let grew = self.rows >= durable.rows
            && self.void >= durable.void
            && self.conflict >= durable.conflict;
        if !grew {
            return vec![durable, self];
        }
        let mut logs = vec![durable];
        for rows in durable.rows + 1..=self.rows {
            logs.push(Self { rows, ..durable });
        }
        if self.void && !durable.void {
            logs.push(Self { conflict: false, ..self });
        }
        logs.push(self);
        logs.dedup();
        logs
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    Stage,
    WriteRows,
    FirstWait,
    Look(usize),
    Publish(usize),
    Verify(usize),
    PutBack(usize),
    SecondWait,
    WriteVoid,
    SyncVoid,
    LookBack(usize),
    TakeBack(usize),
    VerifyBack(usize),
    PutForth(usize),
    SyncBack,
    WriteConflict,
    SyncConflict,
    Shelve(usize),
    SyncShelves,
    Cut,
    SyncCut,
    Sweep(usize),
    SyncSwept,
    Mark,
    Reply,
    /// Nobody does anything.
    Rest,
    /// There was a crash, and nobody has looked since.
    Crashed,
    SyncRows,
    Judge,
    SyncSlots,
}

impl Step {
    /// The change that it is about.
    pub(crate) fn change(self) -> usize {
        match self {
            Self::Look(i) | Self::Publish(i) | Self::Verify(i) | Self::PutBack(i) => i,
            Self::LookBack(i) | Self::TakeBack(i) | Self::VerifyBack(i) | Self::PutForth(i) => i,
            Self::Shelve(i) | Self::Sweep(i) => i,
            _ => 0,
        }
    }
}

/// What became of the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum End {
    Kept,
    Gone,
    Conflict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Answer {
    Success,
    Error,
    Unknown,
}

/// A set of changes or of edits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Set(u8);

impl Set {
    pub(crate) fn of(items: impl IntoIterator<Item = usize>) -> Self {
        let mut set = Self::default();
        items.into_iter().for_each(|item| set.add(item));
        set
    }
    pub(crate) fn add(&mut self, item: usize) {
        self.0 |= 1 << item;
    }
    pub(crate) fn remove(&mut self, item: usize) {
        self.0 &= !(1 << item);
    }
    pub(crate) fn has(self, item: usize) -> bool {
        self.0 & 1 << item != 0
    }
    pub(crate) fn first(self) -> Option<usize> {
        (0..8).find(|item| self.has(*item))
    }
    pub(crate) fn last(self) -> Option<usize> {
        (0..8).rev().find(|item| self.has(*item))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct World {
    pub(crate) disk: Disk,
    pub(crate) log: Log,
    pub(crate) durable_log: Log,
    /// The marker says that everything before it is durable.
    pub(crate) is_clean: bool,
    /// A later batch is durable: nobody judges the unit any more.
    pub(crate) is_retired: bool,
    /// The state directory and the targets are a copy: no identity is what it was.
    pub(crate) is_copied: bool,

    pub(crate) step: Step,
    pub(crate) is_recovering: bool,
    /// The process may not look into the second directory.
    pub(crate) is_blind: bool,
    /// What is still to be published or taken back, and what this process has published.
    pub(crate) todo: Set,
    pub(crate) published: Set,
    /// Staged content that a withdrawal moves to `conflicts/`.
    pub(crate) keep: Set,
    /// What the process is about to bring the unit to.
    pub(crate) goal: End,

    pub(crate) crashes: u8,
    pub(crate) edits: u8,
    pub(crate) faults: u8,
    pub(crate) blind_runs: u8,

    pub(crate) answer: Option<Answer>,
    pub(crate) end: Option<End>,
    /// Edits whose bytes have to be somewhere; those whose author was told where they are.
    pub(crate) owed: Set,
    pub(crate) told: Set,
    /// Changes whose old content has to be somewhere.
    pub(crate) old_owed: Set,
    /// Targets that somebody changed while our change was in effect; that somebody deleted; that
    /// somebody brought back under their old name.
    pub(crate) changed_after: Set,
    pub(crate) deleted: Set,
    pub(crate) renamed_back: bool,
}

impl World {
    pub(crate) fn new(kinds: &[Kind]) -> Self {
        let mut disk = Disk::new();
        let mut old_owed = Set::default();
        for (i, kind) in kinds.iter().enumerate() {
            disk.put(slot(i), staged(i), Content::Empty);
            if *kind == Kind::Replace {
                disk.put(second(i), copy(i), Content::Empty);
            }
            if !kind.creates() {
                disk.put(target(i), old(i), Content::Old);
                old_owed.add(i);
            }
        }
        Self {
            disk,
            log: Log::default(),
            durable_log: Log::default(),
            is_clean: false,
            is_retired: false,
            is_copied: false,
            step: Step::Stage,
            is_recovering: false,
            is_blind: false,
            todo: Set::of(0..kinds.len()),
            published: Set::default(),
            keep: Set::default(),
            goal: End::Kept,
            crashes: 0,
            edits: 0,
            faults: 0,
            blind_runs: 0,
            answer: None,
            end: None,
            owed: Set::default(),
            told: Set::default(),
            old_owed,
            changed_after: Set::default(),
            deleted: Set::default(),
            renamed_back: false,
        }
    }
}
