//! The state of a simulated disk: its trees, what is pending, who holds what open, its faults.
//!
//! The methods here are the plain changes; counting operations and meeting faults is
//! [`State::operate`], and the rules of names are in `rules.rs`, those of
//! permissions in `rights.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::sync::Arc;

use super::attributes::{Attributes, USER};
use super::fault::{Faults, Need, Turn};
use super::pending::{Cuts, DataChange, DataEffect, Fate, NameEffect, Pending, Share};
use super::tree::{Body, Ino, Node, ROOT, Slot, Tree};
use super::{SyncHook, SyncKind};
use crate::FileSystem;

/// A file may not be longer; the simulation would run out of memory first.
const FILE_LEN_MAX: usize = 1 << 32;

#[derive(Clone)]
pub(super) struct State {
    /// What programs see.
    pub(super) live: Tree,
    /// What survives in any case.
    pub(super) durable: Tree,
    pub(super) pending: Pending,
    pub(super) handles: BTreeMap<Ino, u64>,
    /// How many handles may be open at once, of all processes together.
    pub(super) handle_limit: Option<u64>,
    /// How many handles were asked for so far.
    pub(super) opens: u64,
    /// Which of them is refused for lack of descriptors.
    pub(super) refused_open: Option<u64>,
    /// The handle that holds the lock of an inode.
    pub(super) locks: BTreeMap<Ino, u64>,
    pub(super) lock_refusals: u64,
    pub(super) largest_read: usize,
    /// How many bytes all reads have asked for.
    pub(super) asked_for: u64,
    pub(super) asked_for_under_lock: u64,
    pub(super) next_ino: Ino,
    pub(super) next_holder: u64,
    pub(super) tick: u64,
    /// The groups that programs are in.
    pub(super) groups: BTreeSet<u32>,
    pub(super) capacity: Option<u64>,
    pub(super) sector: usize,
    /// The kinds of file systems that devices hold, where that is not a local one.
    pub(super) file_systems: BTreeMap<u64, FileSystem>,
    /// Whether of a rename or an exchange a power loss may keep half.
    pub(super) halves: bool,
    /// Whether there is a call that exchanges two names.
    pub(super) exchanges: bool,
    /// Whether a look says when a file was made.
    pub(super) births: bool,
    /// Whether a power loss may leave holes in the middle of a write.
    pub(super) torn_middles: bool,
    pub(super) seed: u64,
    pub(super) ops: u64,
    pub(super) syncs: u64,
    pub(super) trace: Vec<String>,
    pub(super) faults: Faults,
    pub(super) skipped_sync: Option<u64>,
    pub(super) sync_hook: Option<SyncHook>,
}

impl State {
    pub(super) fn new() -> Self {
        Self {
            live: Tree::new(),
            durable: Tree::new(),
            pending: Pending::default(),
            handles: BTreeMap::new(),
            handle_limit: None,
            opens: 0,
            refused_open: None,
            locks: BTreeMap::new(),
            lock_refusals: 0,
            largest_read: 0,
            asked_for: 0,
            asked_for_under_lock: 0,
            next_ino: ROOT + 1,
            next_holder: 0,
            tick: 0,
            groups: BTreeSet::from([USER]),
            capacity: None,
            sector: 1,
            file_systems: BTreeMap::new(),
            halves: false,
            exchanges: true,
            births: true,
            torn_middles: false,
            seed: 0,
            ops: 0,
            syncs: 0,
            trace: Vec::new(),
            faults: Faults::default(),
            skipped_sync: None,
            sync_hook: None,
        }
    }

    /// The same disk for programs that start anew: nothing open, nothing locked, no faults.
    pub(super) fn restarted(&self, live: Tree, durable: Tree, pending: Pending) -> Self {
        Self {
            live,
            durable,
            pending,
            next_ino: self.next_ino,
            tick: self.tick,
            groups: self.groups.clone(),
            capacity: self.capacity,
            sector: self.sector,
            file_systems: self.file_systems.clone(),
            halves: self.halves,
            exchanges: self.exchanges,
            births: self.births,
            torn_middles: self.torn_middles,
            seed: self.seed,
            handle_limit: self.handle_limit,
            sync_hook: self.sync_hook.clone(),
            ..Self::new()
        }
    }

    /// Runs one operation that changes something: counts and traces it, and has it meet its fault.
    pub(super) fn operate<T>(
        &mut self,
        need: Need,
        mut text: String,
        act: impl FnOnce(&mut Self, Turn) -> io::Result<T>,
    ) -> io::Result<T> {
        self.faults.powered()?;
        let turn = self.faults.turn(self.ops, need);
        self.ops += 1;
        self.tick += 1;
        let result = act(self, turn);
        if let Err(error) = &result {
            text = match error.raw_os_error() {
                Some(errno) => format!("{text} ! errno {errno}"),
                None => format!("{text} ! {error}"),
            };
        }
        self.trace.push(text);
        result
    }

    /// Counts a sync and tells whether a mutation test wants it left out.
    pub(super) fn skips(&mut self, ino: Ino, kind: SyncKind) -> bool {
        let index = self.syncs;
        self.syncs += 1;
        let hooked = self.sync_hook.as_ref().is_some_and(|hook| hook(&self.live.path(ino), kind));
        hooked || self.skipped_sync == Some(index)
    }

    pub(super) fn node(&self, ino: Ino) -> io::Result<&Node> {
        self.live.get(ino).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// The place for a name, spelled as the directory has it.
    pub(super) fn slot(&self, dir: Ino, name: &OsStr) -> Slot {
        Slot { dir, name: self.live.spelled(dir, name) }
    }

    /// Makes a new inode and gives it a name.
    pub(super) fn create(&mut self, slot: Slot, body: Body, attributes: Arc<Attributes>) -> Ino {
        let ino = self.next_ino;
        self.next_ino += 1;
        let is_dir = matches!(body, Body::Dir(_));
        let dir = self.live.get(slot.dir).map(|dir| &*dir.attributes);
        let attributes =
            dir.map_or(attributes.clone(), |dir| attributes.in_dir(dir, is_dir).into());
        let node = Node {
            body,
            attributes,
            device: self.live.get(slot.dir).map_or(1, |dir| dir.device),
            number: None,
            mount: self.live.get(slot.dir).map_or(0, |dir| dir.mount),
            is_lower: false,
            links: 0,
            place: slot.clone(),
            modified: self.tick,
            changed: self.tick,
        };
        // Nothing durable leads to the inode before its name is durable, so it may lie there.
        self.durable.insert(ino, node.clone());
        self.live.insert(ino, node);
        self.name(ino, None, Some(slot));
        ino
    }

    /// Takes a name from an inode, gives it one, or both at once.
    pub(super) fn name(&mut self, ino: Ino, takes: Option<Slot>, gives: Option<Slot>) {
        let lost = gives.as_ref().or(takes.as_ref());
        let buries = lost.and_then(|slot| self.live.lookup(slot.dir, &slot.name));
        let effect = NameEffect { buries, ..NameEffect::new(ino, takes, gives, self.tick) };
        effect.apply(&mut self.live);
        self.pending.names.push(effect);
        if let Some(buried) = buries {
            self.forget(buried);
        }
    }

    /// Lets each of two names lead to what the other one led to.
    pub(super) fn exchange(&mut self, (from, ino): (Slot, Ino), (to, other): (Slot, Ino)) {
        let effect = NameEffect::new(ino, Some(from), Some(to), self.tick);
        let effect = NameEffect { returns: Some(other), ..effect };
        effect.apply(&mut self.live);
        self.pending.names.push(effect);
    }

    /// Changes a file.
    pub(super) fn change(&mut self, ino: Ino, change: DataChange) {
        let tick = self.tick;
        let Some(node) = self.live.edit(ino) else { return };
        change.apply(node, Share::Kept, tick);
        let effect = DataEffect { change, tick, fate: Fate::Open };
        self.pending.data.entry(ino).or_default().push(effect);
    }

    /// Where a write may be torn: near its quarters, where a sector of the file ends.
    pub(super) fn cuts(&self, offset: usize, len: usize) -> Cuts {
        [1, 2, 3].map(|quarter| {
            let end = offset.saturating_add(len * quarter / 4);
            (end - end % self.sector).saturating_sub(offset)
        })
    }

    /// Writes as much as there is room for.
    pub(super) fn write(&mut self, ino: Ino, bytes: &[u8], offset: u64) -> io::Result<()> {
        let offset = usize::try_from(offset).map_err(io::Error::other)?;
        let end = offset.checked_add(bytes.len()).filter(|end| *end <= FILE_LEN_MAX);
        let end = end.ok_or(io::ErrorKind::FileTooLarge)?;
        let roof = self.roof(ino)?;
        let fitting = bytes.len().min(roof.saturating_sub(offset));
        if let Some(bytes) = bytes.get(..fitting).filter(|bytes| !bytes.is_empty()) {
            let cuts = self.cuts(offset, bytes.len());
            self.change(ino, DataChange::Write { offset, bytes: bytes.into(), cuts });
        }
        if end > roof && fitting < bytes.len() { Err(super::fault::no_space()) } else { Ok(()) }
    }

    pub(super) fn set_len(&mut self, ino: Ino, len: u64) -> io::Result<()> {
        let len = usize::try_from(len).ok().filter(|len| *len <= FILE_LEN_MAX);
        let len = len.ok_or(io::ErrorKind::FileTooLarge)?;
        if len > self.roof(ino)? {
            return Err(super::fault::no_space());
        }
        self.change(ino, DataChange::SetLen(len));
        Ok(())
    }

    /// The length that a file may have without overfilling the disk.
    fn roof(&self, ino: Ino) -> io::Result<usize> {
        let len = self.node(ino)?.body.len();
        let Some(capacity) = self.capacity else { return Ok(usize::MAX) };
        let used: u64 = self.live.nodes().map(|(_, node)| node.bytes().len() as u64).sum();
        Ok(len.saturating_add(usize::try_from(capacity.saturating_sub(used)).unwrap_or(usize::MAX)))
    }

    pub(super) fn sync_file(&mut self, ino: Ino) {
        self.pending.settle_data(&mut self.durable, ino);
    }

    pub(super) fn sync_dir(&mut self, dir: Ino) {
        for ino in self.pending.settle_dir(&mut self.durable, dir, !self.halves) {
            self.forget(ino);
        }
    }

    /// Makes a path and what it leads to durable, and nothing else.
    pub(super) fn sync_path(&mut self, mut ino: Ino) {
        self.pending.settle_data(&mut self.durable, ino);
        while let Some(node) = self.live.get(ino).filter(|_| ino != ROOT) {
            self.pending.settle_slot(&mut self.durable, &node.place);
            ino = node.place.dir;
        }
    }

    /// Counts a handle that is about to be opened; fails where there is no descriptor left for it.
    pub(super) fn admit(&mut self) -> io::Result<()> {
        let index = self.opens;
        self.opens += 1;
        let is_full = self.handle_limit.is_some_and(|limit| self.open_handles() >= limit);
        if is_full || self.refused_open == Some(index) {
            return Err(io::Error::from_raw_os_error(super::fault::EMFILE));
        }
        Ok(())
    }

    pub(super) fn open_handles(&self) -> u64 {
        self.handles.values().sum()
    }

    pub(super) fn opened(&mut self, ino: Ino) {
        *self.handles.entry(ino).or_default() += 1;
    }

    pub(super) fn closed(&mut self, ino: Ino) {
        if let Some(count) = self.handles.get_mut(&ino) {
            *count -= 1;
            if *count == 0 {
                self.handles.remove(&ino);
                self.forget(ino);
            }
        }
    }

    /// Drops an inode from wherever nothing leads to it any more.
    pub(super) fn forget(&mut self, ino: Ino) {
        let nameless = |tree: &Tree| tree.get(ino).is_none_or(|node| node.links == 0);
        if ino == ROOT || self.handles.contains_key(&ino) || !nameless(&self.live) {
            return;
        }
        self.live.remove(ino);
        if nameless(&self.durable) && !self.pending.names.iter().any(|effect| effect.moves(ino)) {
            self.durable.remove(ino);
            self.pending.data.remove(&ino);
        }
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimDisk")
            .field("ops", &self.ops)
            .field("files", &self.live.walk().into_keys().collect::<Vec<_>>())
            .field("pending", &self.pending)
            .finish_non_exhaustive()
    }
}
