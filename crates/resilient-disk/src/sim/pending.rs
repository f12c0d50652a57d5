//! What a simulated disk has done but not yet made durable.
//!
//! Changes of a file's content and attributes are kept per inode, changes of names in one list.
//! Both are in the order in which they were made. [`Pending`] moves them to the durable tree when
//! something is synced; which of the others survive a crash is chosen in `crash.rs`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::attributes::Attributes;
use super::tree::{Body, Ino, Node, Slot, Tree};

/// A change of one file.
#[derive(Clone, Debug)]
pub(super) enum DataChange {
    /// `cuts` are the places in the bytes where the write may be torn, in order.
    Write {
        offset: usize,
        bytes: Arc<[u8]>,
        cuts: Cuts,
    },
    SetLen(usize),
    Attributes(Arc<Attributes>),
}

/// Where a write is cut into four pieces, see [`super::SimDisk::set_sector`].
pub(super) type Cuts = [usize; 3];

/// A set of the four pieces of a write: the lowest bit is the first piece.
pub(super) type Pieces = u8;

/// How much of a change reached the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Share {
    Lost,
    /// Those pieces of a write. What lies between them is what was there before, or zeros.
    Torn(Pieces),
    /// Only the length that a write gave the file: its bytes are zeros.
    Hole,
    Kept,
}

impl DataChange {
    pub(super) fn apply(&self, node: &mut Node, share: Share, tick: u64) {
        let Body::File(content) = &mut node.body else { return };
        match (self, share) {
            (_, Share::Lost) => return,
            (Self::Write { offset, bytes, cuts }, share) => {
                let pieces = match share {
                    Share::Lost | Share::Hole => 0,
                    Share::Torn(pieces) => pieces,
                    Share::Kept => Pieces::MAX,
                };
                let mut changed = false;
                let [first, half, third] = *cuts;
                let bounds = [(0, first), (first, half), (half, third), (third, bytes.len())];
                for (piece, (from, to)) in bounds.into_iter().enumerate() {
                    if pieces >> piece & 1 == 1 && from < to {
                        write(content, offset + from, bytes.get(from..to).unwrap_or_default());
                        changed = true;
                    }
                }
                if share == Share::Hole && content.len() < offset + bytes.len() {
                    Arc::make_mut(content).resize(offset + bytes.len(), 0);
                    changed = true;
                }
                if !changed {
                    return;
                }
                node.modified = tick;
            }
            (Self::SetLen(_) | Self::Attributes(_), Share::Torn(_) | Share::Hole) => return,
            (Self::SetLen(len), Share::Kept) => {
                Arc::make_mut(content).resize(*len, 0);
                node.modified = tick;
            }
            (Self::Attributes(attributes), Share::Kept) => {
                node.attributes = attributes.clone();
            }
        }
        node.changed = tick;
    }
}

/// Writes bytes at an offset, with zeros from the end of the content to there.
fn write(content: &mut Arc<Vec<u8>>, offset: usize, bytes: &[u8]) {
    let content = Arc::make_mut(content);
    let end = offset + bytes.len();
    if content.len() < end {
        content.resize(end, 0);
    }
    if let Some(to) = content.get_mut(offset..end) {
        to.copy_from_slice(bytes);
    }
}

/// Where a pending change stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The next sync makes it durable.
    Open,
    /// A sync that covered it failed: it may survive or not, and no later sync settles that.
    Doomed,
    /// Durable, but waiting for a doomed change before it, since the order matters.
    Settled,
}

/// A pending change of one file.
#[derive(Clone, Debug)]
pub(super) struct DataEffect {
    pub(super) change: DataChange,
    pub(super) tick: u64,
    pub(super) fate: Fate,
}

/// A pending change of names: a creation gives a name, a removal takes one, a rename does both. An
/// exchange is a rename after which the name that was taken leads to what was there before.
#[derive(Clone, Debug)]
pub(super) struct NameEffect {
    pub(super) ino: Ino,
    pub(super) takes: Option<Slot>,
    pub(super) gives: Option<Slot>,
    /// The inode that loses a name for good: removed, or replaced by a rename.
    pub(super) buries: Option<Ino>,
    /// Of an exchange: the inode to which the name that was taken leads now.
    pub(super) returns: Option<Ino>,
    /// Of an exchange: whether the directories of the name taken and of the name given were synced.
    pub(super) synced: [bool; 2],
    pub(super) tick: u64,
    /// A later sync of some directory took it along, if the file system is an ordered one.
    pub(super) committed: bool,
}

impl NameEffect {
    pub(super) fn new(ino: Ino, takes: Option<Slot>, gives: Option<Slot>, tick: u64) -> Self {
        let (buries, returns, synced) = (None, None, [false; 2]);
        Self { ino, takes, gives, buries, returns, synced, tick, committed: false }
    }

    /// Whether an inode gets a name by it, or loses one that it may get back.
    pub(super) fn moves(&self, ino: Ino) -> bool {
        self.ino == ino || self.returns == Some(ino)
    }

    /// What a file system without a journal makes of it: a change for each name.
    pub(super) fn halves(&self) -> Vec<Self> {
        if self.takes.is_none() || self.gives.is_none() {
            return vec![self.clone()];
        }
        let given = Self { takes: None, returns: None, ..self.clone() };
        let taken = self.takes.clone();
        let taken = match self.returns {
            Some(other) => Self::new(other, None, taken, self.tick),
            None => Self::new(self.ino, taken, None, self.tick),
        };
        vec![given, taken]
    }

    pub(super) fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.takes.iter().chain(&self.gives)
    }

    /// Notes that a directory is synced. Tells whether that makes it durable: the directory which
    /// receives the name does so. For an exchange either directory does, since it is one transaction of the log;
    /// without a log it takes both.
    fn sync(&mut self, dir: Ino, has_log: bool) -> bool {
        let is_of = |slot: &Option<Slot>| slot.as_ref().is_some_and(|slot| slot.dir == dir);
        if self.returns.is_none() {
            return is_of(if self.gives.is_some() { &self.gives } else { &self.takes });
        }
        let [taken, given] = self.synced;
        self.synced = [taken || is_of(&self.takes), given || is_of(&self.gives)];
        self.synced == [true; 2] || has_log && self.synced.contains(&true)
    }

    pub(super) fn apply(&self, tree: &mut Tree) {
        if let Some(slot) = &self.takes {
            tree.set(slot, self.returns, self.tick);
        }
        if let Some(slot) = &self.gives {
            tree.set(slot, Some(self.ino), self.tick);
        }
    }

    pub(super) fn describe(&self, tree: &Tree) -> String {
        match (&self.takes, &self.gives) {
            (Some(from), Some(to)) if self.returns.is_some() => {
                format!("exchange {} <-> {}", tree.slot_path(from), tree.slot_path(to))
            }
            (Some(from), Some(to)) => {
                format!("rename {} -> {}", tree.slot_path(from), tree.slot_path(to))
            }
            (Some(from), None) => format!("remove {}", tree.slot_path(from)),
            (None, Some(to)) => format!("create {}", tree.slot_path(to)),
            (None, None) => String::new(),
        }
    }
}

/// All that is not durable yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Pending {
    pub(super) data: BTreeMap<Ino, Vec<DataEffect>>,
    pub(super) names: Vec<NameEffect>,
}

impl Pending {
    pub(super) fn is_empty(&self) -> bool {
        self.data.is_empty() && self.names.is_empty()
    }

    /// Makes the changes of a file durable.
    pub(super) fn settle_data(&mut self, durable: &mut Tree, ino: Ino) {
        let Some(effects) = self.data.get_mut(&ino) else { return };
        for effect in effects.iter_mut().filter(|effect| effect.fate == Fate::Open) {
            effect.fate = Fate::Settled;
        }
        let settled = effects.iter().take_while(|effect| effect.fate == Fate::Settled).count();
        if let Some(node) = durable.edit(ino) {
            for effect in effects.drain(..settled) {
                effect.change.apply(node, Share::Kept, effect.tick);
            }
        }
        if effects.is_empty() {
            self.data.remove(&ino);
        }
    }

    /// Notes that a sync of a file failed. Length and attributes are in the file system's log, as
    /// names are: a later sync makes them durable.
    pub(super) fn doom_data(&mut self, ino: Ino) {
        for effect in self.data.get_mut(&ino).into_iter().flatten() {
            let is_of_pages = matches!(effect.change, DataChange::Write { .. });
            if effect.fate == Fate::Open && is_of_pages {
                effect.fate = Fate::Doomed;
            }
        }
    }

    /// Makes durable what happened to the names in a directory. Returns the inodes concerned.
    pub(super) fn settle_dir(&mut self, durable: &mut Tree, dir: Ino, has_log: bool) -> Vec<Ino> {
        let chosen = self.names.iter_mut().map(|effect| effect.sync(dir, has_log)).collect();
        let inos = self.settle(durable, chosen);
        self.names.iter_mut().for_each(|effect| effect.committed = true);
        inos
    }

    /// Makes durable what happened to one name.
    pub(super) fn settle_slot(&mut self, durable: &mut Tree, slot: &Slot) {
        let touches = |effect: &NameEffect| effect.slots().any(|other| other == slot);
        let chosen = self.names.iter().map(touches).collect();
        self.settle(durable, chosen);
    }

    fn settle(&mut self, durable: &mut Tree, mut chosen: Vec<bool>) -> Vec<Ino> {
        close(&mut chosen, &needs(&self.names));
        let mut inos = Vec::new();
        let mut rest = Vec::new();
        for (effect, chosen) in std::mem::take(&mut self.names).into_iter().zip(chosen) {
            if chosen {
                effect.apply(durable);
                inos.extend(effect.buries.into_iter().chain(effect.returns).chain([effect.ino]));
            } else {
                rest.push(effect);
            }
        }
        self.names = rest;
        inos
    }
}

/// For each change of names, the earlier ones without which it cannot be.
///
/// These are the changes of the same names (without the first of two renames the second would
/// leave the file two names, and a name given anew would cost the file that had moved away from it
/// its only one), and for a directory that goes, all that happened in it.
pub(super) fn needs(names: &[NameEffect]) -> Vec<Vec<usize>> {
    let mut last: BTreeMap<&Slot, usize> = BTreeMap::new();
    let mut touching: BTreeMap<Ino, Vec<usize>> = BTreeMap::new();
    let mut needs = Vec::with_capacity(names.len());
    for (index, effect) in names.iter().enumerate() {
        let mut earlier: Vec<usize> =
            effect.slots().filter_map(|slot| last.insert(slot, index)).collect();
        let buried = effect.buries.and_then(|ino| touching.get(&ino));
        earlier.extend(buried.into_iter().flatten());
        for slot in effect.slots() {
            touching.entry(slot.dir).or_default().push(index);
        }
        needs.push(earlier);
    }
    needs
}

/// Adds to a choice of changes whatever these need.
pub(super) fn close(chosen: &mut [bool], needs: &[Vec<usize>]) {
    for (index, earlier) in needs.iter().enumerate().rev() {
        if chosen.get(index) == Some(&true) {
            choose(chosen, earlier);
        }
    }
}

/// Marks the changes of those indices as chosen.
pub(super) fn choose(chosen: &mut [bool], indices: &[usize]) {
    for index in indices {
        if let Some(chosen) = chosen.get_mut(*index) {
            *chosen = true;
        }
    }
}
