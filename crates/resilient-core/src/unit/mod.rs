//! The unit: a list of changes that becomes durable as a whole, and what recovery decides about one.
//!
//! A single write is a unit of one change. A part of a composed file and its manifest are a unit of
//! two. After a crash a unit is kept as a whole, taken back as a whole, or declared a conflict,
//! which is reported.
//!
//! This room holds what recovery has to know about a unit ([`Unit`], [`Change`]), and the pure function
//! that decides ([`judge`]). It reads no disk and no clock, and it does not know how a row is written
//! down: the caller looks at the disk, fills in a [`Unit`], and acts on the [`Decision`]. So the
//! product and the model of `tests/model` run the same function. `docs/design/0006-units.md` gives the
//! reasons for each rule.
//!
//! # The witness
//!
//! Each change has a *slot*: a name in the state directory that was durable before the row was written,
//! and that led to the staged file. Publishing takes the staged file away from that name. So a change
//! **has happened when its slot's name no longer leads to the staged file**: it leads to another file,
//! or it is gone. Nothing that somebody does to the target changes that answer.

mod judge;
#[cfg(test)]
mod tests;

pub use judge::judge;

/// A unit as recovery finds it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Unit {
    /// How many of its rows the journal holds.
    pub rows: Rows,
    /// What a later row has durably decided about the unit; of several marks the greatest.
    pub mark: Option<Mark>,
    /// Whether the state directory is a copy of the one that the rows were written in (`cp -a`, a
    /// restored backup, a layer of an image). Then no recorded identity is worth anything: every change
    /// is to be given as [`KnownBy::Content`], and nothing outside the state directory may be touched.
    pub is_copy: bool,
    /// The changes, in the order in which they are published.
    pub changes: Vec<Change>,
}

/// How many rows of a unit there are, and how many there should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rows {
    /// Rows that the journal holds.
    pub found: usize,
    /// Rows that each of them says the unit has.
    pub of: usize,
}

impl Rows {
    /// All rows of a unit of `of` changes.
    #[must_use]
    pub fn all(of: usize) -> Self {
        Self { found: of, of }
    }

    fn are_complete(self) -> bool {
        self.found == self.of
    }
}

/// A row that decides about a unit written before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mark {
    /// A `void` row: the unit is taken back. It is durable before anything is taken back.
    Void,
    /// A `conflict` row: the unit is neither kept nor taken back, and stays as it is.
    Conflict,
}

/// One change of a unit, and what was seen of it.
///
/// A rename is two of them: a create or an overwrite whose slot is a link to the file, and the remove of
/// its old name. That remove's slot has to stay until a later batch is durable, since a rename back brings the
/// very file back that was looked at, and a slot that is gone would then count as lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Change {
    /// How it is published.
    pub kind: Kind,
    /// What tells its files from other files.
    pub known_by: KnownBy,
    /// What its slot leads to. A [`Kind::Append`] has none; this field is then ignored.
    pub slot: Slot,
    /// What its second slot leads to, which holds a copy of the content before the change; `None`
    /// where the change has no second slot.
    pub before: Option<Slot>,
    /// What its target is.
    pub target: Target,
}

/// How a change is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A new file: the slot is renamed to the target and replaces nothing.
    Create,
    /// An overwrite: slot and target are exchanged. The file before the change comes out in the slot.
    Exchange,
    /// An overwrite where the file system cannot exchange: the slot is renamed over the target. The
    /// second slot holds a copy of the content before, or there is none and it cannot be taken back.
    Replace,
    /// The target is renamed onto its slot, which is an empty file of its own until then.
    Remove,
    /// Bytes added at the end of the target where it is. The row alone has to tell how far that
    /// went, by the length before and by sums of the bytes. Only in a unit of one.
    Append,
    /// Bytes written into the target where it is: a file with several names, or an append in a larger
    /// unit. The slot holds the new content until the target is durable; the second slot holds the
    /// old content, or the row has the old length.
    InPlace,
    /// A kind that this version does not know.
    Unknown,
}

/// What tells the files of a change from other files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KnownBy {
    /// The row holds the identities of the staged file and of the file that was looked at. A file of
    /// equal content with another identity is another file.
    Identity,
    /// The row holds digests alone, or the file system gives no lasting identities. Files of equal
    /// content count as the same file.
    Content,
}

/// What a slot leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// It could not be looked at: any error but "not found".
    Unseen,
    /// The name does not exist.
    Gone,
    /// The staged file, with the content that the row promises. For a remove, its own empty file.
    Whole,
    /// The staged file with other content: it was not durable when the crash came, or somebody has
    /// written into it. Where files are known by content and nothing can come out of the target: any
    /// content but the promised one.
    Damaged,
    /// The file that was looked at before the change, as it was then.
    Before,
    /// The file that was looked at, but its length, times or content have changed since. A process
    /// that had it open may have written into it, before the change or after it.
    Touched,
    /// Another file: somebody had saved it at the target between the last look and the change.
    Other,
}

/// What a target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// It could not be looked at: any error but "not found", or it lies outside of what this process
    /// may touch.
    Unseen,
    /// There is no such file.
    Absent,
    /// The file that was looked at before the change, as it was then.
    Old,
    /// The file that the change published, as it was published.
    New,
    /// Only in place: bytes that our write explains, but not all of it.
    Part,
    /// Anything else: somebody has changed it.
    Other,
}

/// What is to be done about a unit. Numbers are places in [`Unit::changes`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Nothing yet: something that the decision depends on could not be looked at. Rows and slots stay.
    /// A process that can see it judges the unit again.
    Pending,
    /// The unit is a conflict already. What its slots still hold moves to `conflicts/`.
    FinishConflict {
        /// Torn writes in place, which first get back what they were. They need no space.
        write_back: Vec<usize>,
    },
    /// The unit is void already. What is still in effect is taken back, in this order, each with a last
    /// look; then the directories are synced. An empty list means that only the syncs may be missing.
    ResumeBack {
        /// The changes still in effect, last first.
        take_back: Vec<usize>,
    },
    /// The unit happened as a whole; its rows stay. What it published becomes durable before
    /// the journal counts as clean.
    Keep {
        /// Changes whose before-image somebody has written into. It is kept, and told.
        touched: Vec<usize>,
    },
    /// Nothing of the unit is in effect, and nothing was answered; its rows go. The order matters:
    /// what is taken back is durable before the rows go, and the rows are gone durably before the
    /// slots go.
    Withdraw {
        /// Changes that may have begun although their slots are still there, last first: a write in place
        /// gets back what was there, durably even if it is there already; a create by link and unlink
        /// loses its second name.
        take_back: Vec<usize>,
        /// Changes whose content was promised and whose target somebody has changed: their staged
        /// content moves to `conflicts/`, and this is told.
        keep: Vec<usize>,
    },
    /// The unit was promised and can be finished: what is missing is published with the checks of a
    /// first publish, then the unit is kept. Rows and slots are made durable before the first publish.
    Forward {
        /// The changes to publish, in order.
        publish: Vec<usize>,
        /// The changes whose target is the published file although their slot is still there, as after
        /// half of a link and unlink. The target is made durable, then the slot goes.
        finish: Vec<usize>,
        /// As in [`Keep`](Self::Keep).
        touched: Vec<usize>,
    },
    /// The unit can neither be finished nor kept, and all that happened can be taken back. A `void`
    /// row becomes durable first; then as in [`ResumeBack`](Self::ResumeBack).
    Back {
        /// The changes to take back, last first.
        take_back: Vec<usize>,
    },
    /// The unit can neither be finished nor taken back without destroying what somebody else has
    /// done. A `conflict` row becomes durable first, and is told; then as in
    /// [`FinishConflict`](Self::FinishConflict). It is never judged again.
    Conflict {
        /// The changes that stay in effect.
        in_effect: Vec<usize>,
        /// As in [`FinishConflict`](Self::FinishConflict).
        write_back: Vec<usize>,
    },
}
