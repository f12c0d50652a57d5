//! A disk in memory that crashes on demand, deterministic to the byte.
//!
//! A [`SimDisk`] keeps two trees: the live one, which programs see, and the durable one, which
//! survives in any case. What happened since the last syncs is pending. [`SimDisk::crash_states`]
//! lists every disk that a power loss at this moment may leave, under one of two [`Model`]s, and
//! each is a `SimDisk` again, on which recovery can run and crash in turn. [`SimDisk::kill`] is
//! the milder end: the process dies, the disk stays as programs saw it. A [`Schedule`] lets several
//! living processes take turns on a disk, call by call.
//!
//! # What the model promises
//!
//! * It is never kinder than the contract of [this crate](crate). A file's name does not become
//!   durable with its bytes, nor its bytes with its name, nor a new directory with what is in it:
//!   a file moved into a directory whose own name is lost is lost as well.
//! * A rename is whole or absent. It is durable when the directory that received the name was
//!   synced. So is an exchange, which is durable when one of the two directories was synced: it is one transaction.
//!   (Without a journal they come by halves: [`SimDisk::with_names_by_halves`].)
//! * After a failed sync of a file, the bytes that it covered may survive or not, and no later sync
//!   settles that. A failed sync of a directory settles nothing, and a later one does: names go
//!   through the file system's log, which keeps their order and stops for good when it cannot be
//!   written. So do the length of a file that was cut, and its attributes.
//! * Programs are a user without privileges (1000, of group 1000). Permission bits, owners and
//!   sticky directories are checked as a kernel checks them, with its errors. A directory that
//!   could not be read when it was opened can be searched and not synced. New files get the group,
//!   the access control list and the label that their directory hands down.
//! * Operations that change something are counted from 0 and traced, and any of them can be given
//!   a [`Fault`].
//!
//! # What it does not
//!
//! * Time and quotas are not simulated, nor the case of other letters than those of ASCII
//!   ([`SimDisk::with_case_folded`]). Access control lists are carried over like any attribute, but grant nothing.
//! * Of a torn write a few shares are tried ([`Model::Strict`], [`SimDisk::with_torn_middles`]), not
//!   every set of blocks.
//! * Two moves of directories into each other, both pending, are not kept from surviving in an
//!   order that loses both.
//! * What was synced is whole, also on a disk whose renames come by halves until then.
//! * Durable bytes never rot.
//!
//! The helpers that take a path (as `a/b`, from the root of the disk) act from outside: they are
//! no operations, meet no faults, and panic when used in a way that makes no sense.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Component, Path};
use std::sync::{Arc, MutexGuard};

use super::{DirRef, Disk, Stat};
use schedule::Shared;
use state::State;
use tree::{Body, Ino};

mod attributes;
mod crash;
mod dir;
mod fault;
mod file;
mod handle;
mod outside;
mod pending;
mod rights;
mod root;
mod rules;
mod schedule;
mod state;
#[cfg(test)]
mod tests;
mod tree;

pub use attributes::Attributes;
pub use crash::{CrashStates, Model};
pub use fault::{Fault, FaultKind, is_power_loss};
pub use schedule::{Calls, Schedule};

type SyncHook = Arc<dyn Fn(&str, SyncKind) -> bool + Send + Sync>;

/// What is synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncKind {
    /// A file, by [`super::File::sync`].
    File,
    /// A directory, by [`super::Dir::sync`].
    Dir,
}

/// A disk in memory. Clones are handles on the same disk.
#[derive(Clone)]
pub struct SimDisk {
    shared: Shared,
}

impl Disk for SimDisk {
    fn open_root(&self, path: &Path) -> io::Result<DirRef> {
        root::open_root(&self.shared, path)
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        root::stat_at(&self.shared, path)
    }

    fn handle_limit(&self) -> Option<u64> {
        self.state().handle_limit
    }
}

impl Default for SimDisk {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for SimDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state().fmt(f)
    }
}

/// Making a disk, and choosing how hard it is.
impl SimDisk {
    /// An empty disk.
    #[must_use]
    pub fn new() -> Self {
        Self::from_state(State::new())
    }

    /// Limits the bytes that all files together may hold. A write that exceeds them writes what
    /// fits and fails for lack of space.
    #[must_use]
    pub fn with_capacity(self, bytes: u64) -> Self {
        self.state().capacity = Some(bytes);
        self
    }

    /// Chooses the seed for samples of crash states.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        self.state().seed = seed;
        self
    }

    /// Lets a power loss leave holes in the middle of a write that was not synced, under
    /// [`Model::Strict`]: the write is cut into four pieces at the ends of sectors, and a later piece
    /// may survive without an earlier one. In the hole is what the file held before, or zeros.
    ///
    /// (A hole between two writes needs no setting: each of them may be lost by itself.)
    #[must_use]
    pub fn with_torn_middles(self) -> Self {
        self.state().torn_middles = true;
        self
    }

    /// Lets a power loss keep half of a rename or an exchange that is not durable, under
    /// [`Model::Strict`], as a file system without a journal may: each of the two names changes by
    /// itself. After half an exchange both names lead to the same file; after half a rename the file
    /// has both names or neither.
    #[must_use]
    pub fn with_names_by_halves(self) -> Self {
        self.state().halves = true;
        self
    }

    /// Takes names that differ only by the case of ASCII letters for one name, as many file systems do. A
    /// directory keeps the spelling with which a name came into it.
    #[must_use]
    pub fn with_case_folded(self) -> Self {
        let mut state = self.state();
        (state.live.folds_case, state.durable.folds_case) = (true, true);
        drop(state);
        self
    }

    /// Takes away the call that exchanges two names, as on many file systems.
    #[must_use]
    pub fn without_exchange(self) -> Self {
        self.state().exchanges = false;
        self
    }

    /// Has no look say when a file was made, as on some file systems.
    pub fn hide_births(&self) {
        self.state().births = false;
    }

    /// Sets what the disk writes whole or not at all: a torn write is cut where a sector ends, as near
    /// to its half or its quarters as that allows. Without this it is cut at any byte, which is harder
    /// than disks are.
    pub fn set_sector(&self, bytes: usize) {
        self.state().sector = bytes.max(1);
    }
}

/// Faults, and syncs left out.
impl SimDisk {
    /// Plans a fault. Several can be planned; of those at one operation the first counts.
    pub fn plan(&self, fault: Fault) {
        self.state().faults.plan(fault);
    }

    /// Limits the handles that may be open at once on this disk, of all processes together. Every
    /// open beyond the limit fails with EMFILE, and changes nothing.
    pub fn limit_handles(&self, limit: u64) {
        self.state().handle_limit = Some(limit);
    }

    /// Has the open of that index fail with EMFILE. Opens are counted from 0 in
    /// [`SimDisk::opens`], over files, directories and listings.
    pub fn refuse_open(&self, index: u64) {
        self.state().refused_open = Some(index);
    }

    /// Has the sync of that index, counted from 0 over files and directories, do nothing.
    pub fn skip_sync(&self, index: u64) {
        self.state().skipped_sync = Some(index);
    }

    /// Has every sync do nothing for which `skip` returns true when told its path. The disks that a
    /// crash or a kill makes from this one inherit that. `skip` must not use the disk.
    pub fn on_sync(&self, skip: impl Fn(&str, SyncKind) -> bool + Send + Sync + 'static) {
        self.state().sync_hook = Some(Arc::new(skip));
    }

    /// The disks that a power loss at this moment may leave: all of them when they are at most
    /// `limit`, else a sample of `limit`. Nothing is held open or locked on them, their operations
    /// count from 0, and no fault is planned.
    #[must_use]
    pub fn crash_states(&self, model: Model, limit: usize) -> CrashStates {
        let state = self.state();
        let (live, durable) = (state.live.clone(), state.durable.clone());
        let base = state.restarted(live, durable, state.pending.clone());
        CrashStates::new(base, state.ops, model, limit)
    }

    /// The disk as the next process finds it after this one was killed: all that was done is
    /// seen, pending stays pending, and nothing is held open or locked. Operations count from 0,
    /// and no fault is planned.
    #[must_use]
    pub fn kill(&self) -> Self {
        let state = self.state();
        let (live, durable) = (state.live.clone(), state.durable.clone());
        let mut killed = state.restarted(live, durable, state.pending.clone());
        let orphans = killed.live.nodes().filter(|(_, node)| node.links == 0);
        let orphans: Vec<Ino> = orphans.map(|(ino, _)| ino).collect();
        for ino in orphans {
            killed.forget(ino);
        }
        Self::from_state(killed)
    }
}

/// Looking at a disk.
impl SimDisk {
    /// How many operations there were that change something.
    #[must_use]
    pub fn ops(&self) -> u64 {
        self.state().ops
    }

    /// How many syncs there were, of files and directories.
    #[must_use]
    pub fn syncs(&self) -> u64 {
        self.state().syncs
    }

    /// How many handles were asked for, those that were refused included.
    #[must_use]
    pub fn opens(&self) -> u64 {
        self.state().opens
    }

    /// How many handles are open.
    #[must_use]
    pub fn open_handles(&self) -> u64 {
        self.state().open_handles()
    }

    /// The most bytes that a single read had room for, whether or not the file had as many.
    #[must_use]
    pub fn largest_read(&self) -> usize {
        self.state().largest_read
    }

    /// How many bytes all reads so far have asked for.
    #[must_use]
    pub fn asked_for(&self) -> u64 {
        self.state().asked_for
    }

    /// How many of these bytes were asked for while somebody held the lock of a file named `lock`.
    #[must_use]
    pub fn asked_for_under_lock(&self) -> u64 {
        self.state().asked_for_under_lock
    }

    /// How often a lock was asked for that another handle held.
    #[must_use]
    pub fn lock_refusals(&self) -> u64 {
        self.state().lock_refusals
    }

    /// The operations that change something, one a line, with the paths that things had then. A
    /// failed one ends with `!` and its error.
    #[must_use]
    pub fn trace(&self) -> Vec<String> {
        self.state().trace.clone()
    }

    /// Whether all that programs see is durable.
    #[must_use]
    pub fn is_durable(&self) -> bool {
        self.state().pending.is_empty()
    }

    /// All files with their content.
    #[must_use]
    pub fn tree(&self) -> BTreeMap<String, Vec<u8>> {
        let state = self.state();
        let node = |ino| state.live.get(ino).filter(|node| node.is_file());
        let paths = state.live.walk().into_iter();
        paths.filter_map(|(path, ino)| Some((path, node(ino)?.bytes().to_vec()))).collect()
    }

    /// All directories but the root.
    #[must_use]
    pub fn dirs(&self) -> BTreeSet<String> {
        let state = self.state();
        let paths = state.live.walk().into_iter();
        paths.filter(|(_, ino)| state.live.entries(*ino).is_some()).map(|(path, _)| path).collect()
    }

    /// The content of a file, if there is one.
    #[must_use]
    pub fn read(&self, path: &str) -> Option<Vec<u8>> {
        let state = self.state();
        let node = state.live.get(state.live.locate(&names(path))?)?;
        node.is_file().then(|| node.bytes().to_vec())
    }

    /// The attributes of what a path leads to, if there is something.
    #[must_use]
    pub fn attributes(&self, path: &str) -> Option<Attributes> {
        let state = self.state();
        let node = state.live.get(state.live.locate(&names(path))?)?;
        Some(node.attributes.as_ref().clone())
    }

    /// A digest of all that programs see: paths, kinds, contents, attributes and which names lead
    /// to the same file, but no times and no inode numbers. Equal for disks that no program can
    /// distinguish by these.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let state = self.state();
        let mut hasher = DefaultHasher::new();
        let mut firsts = BTreeMap::new();
        for (index, (path, ino)) in state.live.walk().into_iter().enumerate() {
            let Some(node) = state.live.get(ino) else { continue };
            let first = *firsts.entry(ino).or_insert(index);
            (path, first, node.device, node.mount, &node.attributes).hash(&mut hasher);
            match &node.body {
                Body::Dir(entries) => entries.len().hash(&mut hasher),
                body => body.hash(&mut hasher),
            }
        }
        hasher.finish()
    }

    fn from_state(state: State) -> Self {
        Self { shared: Shared::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.lock()
    }
}

fn names(path: &str) -> Vec<OsString> {
    let normal = |component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        _ => None,
    };
    Path::new(path).components().filter_map(normal).collect()
}
