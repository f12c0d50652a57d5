//! What is done to a simulated disk from outside: by the test that prepares it, and by foreign
//! programs.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use super::attributes::Attributes;
use super::pending::DataChange;
use super::state::State;
use super::tree::{Body, Ino, Node, ROOT, Slot};
use super::{SimDisk, names};
use crate::FileSystem;

/// Preparing a disk, and foreign changes. A path goes from the root of the disk, as `a/b`.
impl SimDisk {
    /// Gives a file its content, both live and durable, with all directories above it: for
    /// preparing a disk, and as a foreign change that is already safe.
    pub fn write_file(&self, path: &str, bytes: &[u8]) {
        let mut state = self.state();
        let ino = overwrite(&mut state, path, bytes);
        state.sync_path(ino);
    }

    /// Overwrites or creates a file in place as a foreign program does: nothing is durable yet. A process
    /// of a [`Schedule`](super::Schedule) does it in its turn.
    pub fn edit(&self, path: &str, bytes: &[u8]) {
        overwrite(&mut self.shared.enter(), path, bytes);
    }

    /// Adds bytes at the end of a file as a foreign program does: nothing is durable yet. A process of a
    /// [`Schedule`](super::Schedule) does it in its turn.
    ///
    /// # Panics
    /// There is no such file.
    pub fn append(&self, path: &str, bytes: &[u8]) {
        let mut state = self.shared.enter();
        let slot = place_of(&mut state, path);
        let ino = state.live.lookup(slot.dir, &slot.name);
        let len = ino.and_then(|ino| state.live.get(ino)).map(|node| node.bytes().len());
        let Some((ino, offset)) = ino.zip(len) else { panic!("no {path}") };
        let cuts = state.cuts(offset, bytes.len());
        state.change(ino, DataChange::Write { offset, bytes: bytes.into(), cuts });
    }

    /// Saves a file as editors do: a new file takes the name. Nothing is durable yet. A process of a
    /// [`Schedule`](super::Schedule) does it in its turn.
    pub fn save(&self, path: &str, bytes: &[u8]) {
        let mut state = self.shared.enter();
        let slot = place_of(&mut state, path);
        if let Some(ino) = state.live.lookup(slot.dir, &slot.name) {
            state.name(ino, Some(slot), None);
        }
        overwrite(&mut state, path, bytes);
    }

    /// Removes the name of a file, a link or an empty directory as a foreign program does: the
    /// removal is not durable yet.
    ///
    /// # Panics
    /// There is no such path, or it is a directory with something in it.
    pub fn unlink(&self, path: &str) {
        let mut state = self.state();
        let slot = place_of(&mut state, path);
        let ino = state.live.lookup(slot.dir, &slot.name);
        let Some(ino) = ino else { panic!("no {path}") };
        assert!(state.live.entries(ino).is_none_or(|entries| entries.is_empty()), "full: {path}");
        state.name(ino, Some(slot), None);
    }

    /// Gives a file the number that a removed one had, as many file systems do with a new file.
    ///
    /// # Panics
    /// There is no such path.
    pub fn renumber(&self, path: &str, number: u64) {
        let mut state = self.state();
        let slot = place_of(&mut state, path);
        let ino = state.live.lookup(slot.dir, &slot.name);
        let Some(node) = ino.and_then(|ino| state.live.edit(ino)) else { panic!("no {path}") };
        node.number = Some(number);
    }

    /// Makes a directory and those above it, durable.
    pub fn mkdir(&self, path: &str) {
        let mut state = self.state();
        let ino = directories(&mut state, &names(path));
        state.sync_path(ino);
    }

    /// Makes a symbolic link, durable.
    ///
    /// # Panics
    /// The path exists.
    pub fn symlink(&self, path: &str, target: impl AsRef<Path>) {
        self.place(path, Body::Link(target.as_ref().into()));
    }

    /// Makes something that is neither file nor directory nor link, durable.
    ///
    /// # Panics
    /// The path exists.
    pub fn fifo(&self, path: &str) {
        self.place(path, Body::Other);
    }

    /// Gives a file a second name, durable.
    ///
    /// # Panics
    /// There is no such file, or the new path exists.
    pub fn hard_link(&self, path: &str, new: &str) {
        let mut state = self.state();
        let ino = state.live.locate(&names(path));
        let ino = ino.filter(|ino| state.live.entries(*ino).is_none());
        let Some(ino) = ino else { panic!("no file {path}") };
        let slot = free_place_of(&mut state, new);
        state.name(ino, None, Some(slot));
        state.sync_path(ino);
    }

    /// Makes a directory the root of another device, and all that is in it part of that device.
    pub fn mount(&self, path: &str, device: u64) {
        self.each_below(path, |node| node.device = device);
    }

    /// Makes a directory a bind mount: an area of the same device that no rename crosses.
    pub fn bind(&self, path: &str, mount: u64) {
        self.each_below(path, |node| node.mount = mount);
    }

    /// Makes a directory, and all that is in it, part of a lower layer, as an overlay has of what an image
    /// brings along: no rename moves a directory of it, and its files are as any other.
    pub fn lower(&self, path: &str) {
        self.each_below(path, |node| node.is_lower = true);
    }

    fn each_below(&self, path: &str, change: impl Fn(&mut Node)) {
        self.mkdir(path);
        let mut state = self.state();
        let Some(top) = state.live.locate(&names(path)) else { return };
        let mut open = vec![top];
        while let Some(ino) = open.pop() {
            open.extend(state.live.entries(ino).into_iter().flat_map(|names| names.values()));
            let State { live, durable, .. } = &mut *state;
            [live, durable].into_iter().filter_map(|tree| tree.edit(ino)).for_each(&change);
        }
    }

    /// Sets what the device that holds a path says of its file system. It behaves as before.
    ///
    /// # Panics
    /// There is no such path.
    pub fn set_file_system(&self, path: &str, file_system: FileSystem) {
        let mut state = self.state();
        let device = state.live.locate(&names(path)).and_then(|ino| state.live.get(ino));
        let Some(device) = device.map(|node| node.device) else { panic!("no {path}") };
        state.file_systems.insert(device, file_system);
    }

    /// Gives a file or directory its attributes, durable.
    ///
    /// # Panics
    /// There is no such path.
    pub fn set_attributes(&self, path: &str, attributes: Attributes) {
        let mut state = self.state();
        let Some(ino) = state.live.locate(&names(path)) else { panic!("no {path}") };
        let attributes = Arc::new(attributes);
        let State { live, durable, .. } = &mut *state;
        for node in [live, durable].into_iter().filter_map(|tree| tree.edit(ino)) {
            node.attributes = attributes.clone();
        }
    }

    /// Changes the permission bits of a file or directory, durable. As on a real system, what is
    /// open stays open, and every name that is looked up later meets the new bits.
    ///
    /// # Panics
    /// There is no such path.
    pub fn chmod(&self, path: &str, mode: u32) {
        let Some(attributes) = self.attributes(path) else { panic!("no {path}") };
        self.set_attributes(path, Attributes { mode, ..attributes });
    }

    /// Makes the user that programs run as a member of another group.
    pub fn join_group(&self, gid: u32) {
        self.state().groups.insert(gid);
    }

    fn place(&self, path: &str, body: Body) {
        let mut state = self.state();
        let slot = free_place_of(&mut state, path);
        let ino = state.create(slot, body, Attributes::with_mode(0o644));
        state.sync_path(ino);
    }
}

/// The directory at that path, made with those above it where there is none.
fn directories(state: &mut State, names: &[OsString]) -> Ino {
    state.tick += 1;
    names.iter().fold(ROOT, |dir, name| {
        let slot = Slot::new(dir, name);
        match state.live.lookup(dir, name) {
            Some(ino) if state.live.entries(ino).is_some() => ino,
            Some(_) => panic!("{} is no directory", state.live.slot_path(&slot)),
            None => state.create(slot, Body::empty_dir(), Attributes::with_mode(0o755)),
        }
    })
}

/// The place of a path, the directories above it made.
fn place_of(state: &mut State, path: &str) -> Slot {
    let names = names(path);
    let Some((name, above)) = names.split_last() else { panic!("the root is in no directory") };
    Slot::new(directories(state, above), name)
}

fn free_place_of(state: &mut State, path: &str) -> Slot {
    let slot = place_of(state, path);
    assert!(state.live.lookup(slot.dir, &slot.name).is_none(), "{path} exists");
    slot
}

fn overwrite(state: &mut State, path: &str, bytes: &[u8]) -> Ino {
    let slot = place_of(state, path);
    let ino = match state.live.lookup(slot.dir, &slot.name) {
        Some(ino) => {
            let is_file = state.live.get(ino).is_some_and(Node::is_file);
            assert!(is_file, "{path} is no file");
            state.change(ino, DataChange::SetLen(0));
            ino
        }
        None => state.create(slot, Body::empty_file(), Attributes::with_mode(0o644)),
    };
    if !bytes.is_empty() {
        let cuts = state.cuts(0, bytes.len());
        state.change(ino, DataChange::Write { offset: 0, bytes: bytes.into(), cuts });
    }
    ino
}
