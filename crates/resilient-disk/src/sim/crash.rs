//! What a power loss may leave: the legal outcomes of all that is pending, listed or sampled.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::SimDisk;
use super::attributes::Attributes;
use super::pending::{
    DataChange, DataEffect, Fate, NameEffect, Pending, Share, choose, close, needs,
};
use super::state::State;
use super::tree::{Body, Entries, Ino, Node, Tree};
use crate::{Clock, FixedClock};

/// How a file system may treat what was not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// What POSIX permits: of all pending changes any part survives, in any order.
    ///
    /// Two changes of the same name keep their order, and a rename is whole or absent. A write is
    /// lost, kept, kept to its half, or leaves its length with zeros for bytes; it has holes in its
    /// middle only if [`SimDisk::with_torn_middles`] says so. A rename comes by halves only if
    /// [`SimDisk::with_names_by_halves`] says so.
    Strict,
    /// A journaling file system such as ext4 with ordered data.
    ///
    /// Changes of names survive in the order in which they were made, up to some point, and the
    /// sync of any directory takes along all changes made before. Of one file the changes survive
    /// in order up to some point, where a write may be kept to its half; lengths never come
    /// without their bytes. Names do not wait for data.
    Ordered,
}

/// The disks that a power loss may leave behind.
///
/// State 0 has lost all that was pending; one of the others has kept all.
#[derive(Debug)]
pub struct CrashStates {
    base: State,
    /// At how many operations the power went: each moment draws its own samples.
    ops: u64,
    model: Model,
    needs: Vec<Vec<usize>>,
    plan: Plan,
    len: usize,
}

#[derive(Debug)]
enum Plan {
    Exact { outcomes: Vec<Outcome>, choices: BTreeMap<Ino, Vec<Node>> },
    Sampled,
}

/// One outcome for the names, with the room for what may have become of the files.
#[derive(Debug)]
struct Outcome {
    kept: Vec<bool>,
    tree: Tree,
    /// The files in the tree that have pending changes.
    files: Vec<Ino>,
    /// How many states come before those of this outcome.
    before: usize,
}

impl CrashStates {
    pub(super) fn new(mut base: State, ops: u64, model: Model, limit: usize) -> Self {
        if base.halves && model == Model::Strict {
            let names = std::mem::take(&mut base.pending.names);
            base.pending.names = names.iter().flat_map(NameEffect::halves).collect();
        }
        let needs = needs(&base.pending.names);
        let exact = enumerate(&base, &needs, model, limit);
        let (plan, len) = exact.unwrap_or((Plan::Sampled, limit));
        Self { base, ops, model, needs, plan, len }
    }

    /// How many states there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no state: only for a limit of 0.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether the states are all legal outcomes, each once, and not a sample.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        matches!(self.plan, Plan::Exact { .. })
    }

    /// The seed from which a sample is drawn: [`SimDisk::with_seed`] repeats it.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.base.seed
    }

    /// The disk after the power is back, for an index below [`CrashStates::len`].
    #[must_use]
    pub fn get(&self, index: usize) -> Option<SimDisk> {
        let (tree, _) = self.build(index)?;
        let state = self.base.restarted(tree.clone(), tree, Pending::default());
        Some(SimDisk::from_state(state))
    }

    /// All states in turn.
    pub fn iter(&self) -> impl Iterator<Item = SimDisk> {
        (0..self.len).filter_map(|index| self.get(index))
    }

    /// Tells in words what survived in a state, for the message of a failing test.
    #[must_use]
    pub fn describe(&self, index: usize) -> String {
        let Some((tree, kept)) = self.build(index) else { return "no such state".to_owned() };
        let names = self.base.pending.names.iter().zip(kept).map(|(effect, kept)| {
            let verdict = if kept { "kept" } else { "lost" };
            format!("{verdict}: {}", effect.describe(&self.base.live))
        });
        let files = tree.nodes().filter(|(ino, _)| self.base.pending.data.contains_key(ino));
        let files =
            files.map(|(ino, node)| format!("{}: {} bytes", tree.path(ino), node.body.len()));
        let origin = match self.plan {
            Plan::Exact { .. } => format!("{:?} state {index} of {}", self.model, self.len),
            Plan::Sampled => format!("{:?} sample {index}, seed {}", self.model, self.seed()),
        };
        let lines: Vec<String> = [origin].into_iter().chain(names).chain(files).collect();
        lines.join("\n")
    }

    /// The tree of a state, and which changes of names it has kept.
    fn build(&self, index: usize) -> Option<(Tree, Vec<bool>)> {
        if index >= self.len {
            return None;
        }
        match &self.plan {
            Plan::Exact { outcomes, choices } => {
                let after = outcomes.partition_point(|outcome| outcome.before <= index);
                let outcome = outcomes.get(after.checked_sub(1)?)?;
                let mut tree = outcome.tree.clone();
                let mut digits = index - outcome.before;
                for ino in &outcome.files {
                    let choices = choices.get(ino)?;
                    put(&mut tree, *ino, choices.get(digits % choices.len())?.clone());
                    digits /= choices.len();
                }
                Some((tree, outcome.kept.clone()))
            }
            Plan::Sampled => Some(self.sample(index)),
        }
    }

    /// Draws a state at random: each by itself, so that any one can be had again.
    fn sample(&self, index: usize) -> (Tree, Vec<bool>) {
        let draw = match index {
            0 => Draw::First,
            1 => Draw::Last,
            _ => Draw::at_random(self.base.seed, self.ops, index as u64),
        };
        let pending = &self.base.pending;
        let kept = self.sample_names(&draw);
        let mut tree = with_names(&self.base.durable, &pending.names, &kept);
        let files: Vec<Ino> = in_both(&tree, pending).collect();
        for ino in files {
            let effects = pending.data.get(&ino).map_or(&[][..], Vec::as_slice);
            let Some(mut node) = tree.get(ino).cloned() else { continue };
            let mut running = true;
            for effect in effects {
                let shares = shares(effect, tearing(&self.base, self.model), running);
                let share = draw.from(shares).copied().unwrap_or(Share::Lost);
                running = goes_on(effect, self.model, running, share);
                effect.change.apply(&mut node, share, effect.tick);
            }
            put(&mut tree, ino, node);
        }
        (tree, kept)
    }

    fn sample_names(&self, draw: &Draw) -> Vec<bool> {
        let names = &self.base.pending.names;
        let mut kept = vec![false; names.len()];
        match self.model {
            Model::Strict => {
                for kept in &mut kept {
                    *kept = draw.from(&[false, true]) == Some(&true);
                }
            }
            Model::Ordered => {
                let cuts: Vec<usize> = (0..=uncommitted(names).count()).collect();
                kept = prefix(names, draw.from(&cuts).copied().unwrap_or(0));
            }
        }
        close(&mut kept, &self.needs);
        kept
    }
}

/// How a sample chooses among options that go from all lost to all kept.
enum Draw {
    First,
    Last,
    Random { numbers: FixedClock, last_in_8: u64 },
}

impl Draw {
    fn at_random(seed: u64, ops: u64, index: u64) -> Self {
        let mix = |seed: u64, number: u64| FixedClock::new(0, seed.wrapping_add(number)).random();
        let numbers = FixedClock::new(0, mix(mix(seed, ops), index));
        // Samples differ in how much they keep: even odds for each of many changes would never
        // show a state with nearly all or nearly nothing kept.
        let last_in_8 = 1 + numbers.random() % 7;
        Self::Random { numbers, last_in_8 }
    }

    fn from<'o, T>(&self, options: &'o [T]) -> Option<&'o T> {
        match self {
            Self::First => options.first(),
            Self::Last => options.last(),
            Self::Random { numbers, last_in_8 } => {
                let (last, others) = options.split_last()?;
                if others.is_empty() || numbers.random() % 8 < *last_in_8 {
                    return Some(last);
                }
                others.get((numbers.random() % others.len() as u64) as usize)
            }
        }
    }
}

/// Lists all outcomes, unless they are more than `limit`.
fn enumerate(
    base: &State,
    needs: &[Vec<usize>],
    model: Model,
    limit: usize,
) -> Option<(Plan, usize)> {
    let pending = &base.pending;
    let tearing = tearing(base, model);
    let mut outcomes = Vec::new();
    let mut choices = BTreeMap::new();
    let mut seen: HashSet<Vec<(Ino, Arc<Entries>)>> = HashSet::new();
    let mut len = 0_usize;
    for kept in name_choices(&pending.names, needs, model, limit)? {
        let tree = with_names(&base.durable, &pending.names, &kept);
        if !seen.insert(directories(&tree)) {
            continue;
        }
        let files: Vec<Ino> = in_both(&tree, pending).collect();
        let mut count = 1_usize;
        for ino in &files {
            if !choices.contains_key(ino) {
                let effects = pending.data.get(ino).map_or(&[][..], Vec::as_slice);
                choices
                    .insert(*ino, data_choices(base.durable.get(*ino)?, effects, tearing, limit)?);
            }
            count = count.checked_mul(choices.get(ino)?.len())?;
        }
        outcomes.push(Outcome { kept, tree, files, before: len });
        len = len.checked_add(count).filter(|len| *len <= limit)?;
    }
    Some((Plan::Exact { outcomes, choices }, len))
}

/// The choices of changes of names that may survive, none of them first.
fn name_choices(
    names: &[NameEffect],
    needs: &[Vec<usize>],
    model: Model,
    limit: usize,
) -> Option<Vec<Vec<bool>>> {
    // Several choices may come to the same tree, so there may be more of them than outcomes.
    let choices_max = limit.saturating_mul(8).max(1024);
    let mut choices = vec![vec![false; names.len()]];
    match model {
        Model::Strict => {
            for (index, needs) in needs.iter().enumerate().rev() {
                let mut next = Vec::with_capacity(choices.len() * 2);
                for mut kept in choices {
                    // What is set already is needed by a later change that is kept.
                    if kept.get(index) == Some(&false) {
                        next.push(kept.clone());
                    }
                    choose(&mut kept, &[index]);
                    choose(&mut kept, needs);
                    next.push(kept);
                }
                choices = next;
                if choices.len() > choices_max {
                    return None;
                }
            }
        }
        Model::Ordered => {
            choices = (0..=uncommitted(names).count()).map(|cut| prefix(names, cut)).collect();
            choices.iter_mut().for_each(|kept| close(kept, needs));
        }
    }
    Some(choices)
}

fn uncommitted(names: &[NameEffect]) -> impl Iterator<Item = usize> {
    let open = names.iter().enumerate().filter(|(_, effect)| !effect.committed);
    open.map(|(index, _)| index)
}

/// The choice of what an ordered file system has kept, cut off after so many uncommitted changes.
fn prefix(names: &[NameEffect], cut: usize) -> Vec<bool> {
    let mut kept: Vec<bool> = names.iter().map(|effect| effect.committed).collect();
    let indices: Vec<usize> = uncommitted(names).take(cut).collect();
    choose(&mut kept, &indices);
    kept
}

/// The distinct outcomes for one file, all lost first; `None` when they are more than `limit`.
fn data_choices(
    durable: &Node,
    effects: &[DataEffect],
    tearing: Tearing,
    limit: usize,
) -> Option<Vec<Node>> {
    let mut choices = vec![(durable.clone(), true)];
    for effect in effects {
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        for (node, running) in &choices {
            for share in shares(effect, tearing, *running) {
                let mut node = node.clone();
                effect.change.apply(&mut node, *share, effect.tick);
                let running = goes_on(effect, tearing.model, *running, *share);
                if seen.insert((content(&node), running)) {
                    next.push((node, running));
                }
            }
        }
        choices = next;
        if choices.len() > limit.saturating_mul(2) {
            return None;
        }
    }
    let mut seen = HashSet::new();
    let distinct = choices.into_iter().map(|(node, _)| node);
    Some(distinct.filter(|node| seen.insert(content(node))).collect())
}

fn content(node: &Node) -> (Body, Arc<Attributes>) {
    (node.body.clone(), node.attributes.clone())
}

/// The first half of a write.
const HALF: Share = Share::Torn(0b0011);

/// A write without its first quarter, its second, its third, both of these, and all but its last.
const WITH_HOLES: [Share; 9] = [
    Share::Lost,
    HALF,
    Share::Hole,
    Share::Torn(0b1000),
    Share::Torn(0b1001),
    Share::Torn(0b1110),
    Share::Torn(0b1101),
    Share::Torn(0b1011),
    Share::Kept,
];

/// How a power loss may treat the changes of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tearing {
    model: Model,
    middles: bool,
}

fn tearing(base: &State, model: Model) -> Tearing {
    Tearing { model, middles: base.torn_middles }
}

/// What may become of a change, from lost to kept. `running` tells whether all changes of the
/// file before this one were kept.
fn shares(effect: &DataEffect, tearing: Tearing, running: bool) -> &'static [Share] {
    match (effect.fate, tearing.model, &effect.change) {
        (Fate::Settled, _, _) => &[Share::Kept],
        (Fate::Open, Model::Ordered, _) if !running => &[Share::Lost],
        (_, Model::Strict, DataChange::Write { .. }) if tearing.middles => &WITH_HOLES,
        (_, Model::Strict, DataChange::Write { .. }) => {
            &[Share::Lost, HALF, Share::Hole, Share::Kept]
        }
        (_, Model::Ordered, DataChange::Write { .. }) => &[Share::Lost, HALF, Share::Kept],
        _ => &[Share::Lost, Share::Kept],
    }
}

/// Whether an ordered file system may still keep the changes of the file after this one.
fn goes_on(effect: &DataEffect, model: Model, running: bool, share: Share) -> bool {
    running && (model == Model::Strict || effect.fate != Fate::Open || share == Share::Kept)
}

/// The durable tree with those changes of names, and without what nothing leads to any more.
fn with_names(durable: &Tree, names: &[NameEffect], kept: &[bool]) -> Tree {
    let mut tree = durable.clone();
    for (effect, _) in names.iter().zip(kept).filter(|(_, kept)| **kept) {
        effect.apply(&mut tree);
    }
    tree.pruned()
}

/// The files of a tree that have pending changes.
fn in_both(tree: &Tree, pending: &Pending) -> impl Iterator<Item = Ino> {
    pending.data.keys().copied().filter(|ino| tree.get(*ino).is_some())
}

fn directories(tree: &Tree) -> Vec<(Ino, Arc<Entries>)> {
    let dirs = tree.nodes().filter_map(|(ino, _)| Some((ino, tree.entries(ino)?.clone())));
    dirs.collect()
}

/// Gives a file of the tree the content and the attributes of `node`.
fn put(tree: &mut Tree, ino: Ino, node: Node) {
    if let Some(to) = tree.edit(ino) {
        let (links, place) = (to.links, to.place.clone());
        *to = Node { links, place, ..node };
    }
}
