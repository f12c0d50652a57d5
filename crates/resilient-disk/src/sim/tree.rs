//! The tree of a simulated disk: inodes, and the names that lead to them.
//!
//! Copies share what they have in common: a tree, a node, a directory's entries and a file's bytes
//! are each copied only when one of the sharers changes them. That is what makes a crash state
//! cheap. This file knows nothing of time, durability or faults.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use super::attributes::Attributes;
use crate::Kind;

/// The number of an inode.
pub(super) type Ino = u64;
/// One component of a path.
pub(super) type Name = Arc<OsStr>;
/// The names in a directory.
pub(super) type Entries = BTreeMap<Name, Ino>;

/// The inode of `/`.
pub(super) const ROOT: Ino = 2;

/// A place for a name: a directory and one component.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot {
    pub(super) dir: Ino,
    pub(super) name: Name,
}

impl Slot {
    pub(super) fn new(dir: Ino, name: &OsStr) -> Self {
        Self { dir, name: name.into() }
    }
}

/// What an inode is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Body {
    File(Arc<Vec<u8>>),
    Dir(Arc<Entries>),
    Link(Arc<Path>),
    Other,
}

impl Body {
    pub(super) fn empty_file() -> Self {
        Self::File(Arc::default())
    }

    pub(super) fn empty_dir() -> Self {
        Self::Dir(Arc::default())
    }

    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::File(_) => Kind::File,
            Self::Dir(_) => Kind::Dir,
            Self::Link(_) => Kind::Link,
            Self::Other => Kind::Other,
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::File(bytes) => bytes.len(),
            Self::Link(target) => target.as_os_str().len(),
            Self::Dir(_) | Self::Other => 0,
        }
    }
}

/// An inode.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) body: Body,
    pub(super) attributes: Arc<Attributes>,
    pub(super) device: u64,
    /// The number under which it is shown, if that is not its own: that of a file that was removed.
    pub(super) number: Option<Ino>,
    /// The mount on that device through which it is reached.
    pub(super) mount: u64,
    /// Whether it lies in a lower layer, as of an overlay: no rename moves such a directory.
    pub(super) is_lower: bool,
    /// How many names lead here.
    pub(super) links: u64,
    /// The name given last, for telling paths.
    pub(super) place: Slot,
    /// When the content changed last, in ticks.
    pub(super) modified: u64,
    /// When content, attributes or names changed last, in ticks.
    pub(super) changed: u64,
}

impl Node {
    pub(super) fn is_file(&self) -> bool {
        matches!(self.body, Body::File(_))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match &self.body {
            Body::File(bytes) => bytes,
            _ => &[],
        }
    }
}

/// All inodes of a disk.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    nodes: Arc<BTreeMap<Ino, Arc<Node>>>,
    /// Whether names that differ only by the case of ASCII letters are one name.
    pub(super) folds_case: bool,
}

impl Tree {
    /// A disk with nothing but its root directory.
    pub(super) fn new() -> Self {
        let root = Node {
            body: Body::empty_dir(),
            attributes: Attributes::with_mode(0o755),
            device: 1,
            number: None,
            mount: 0,
            is_lower: false,
            links: 1,
            place: Slot::new(ROOT, OsStr::new("")),
            modified: 0,
            changed: 0,
        };
        Self { nodes: Arc::new(BTreeMap::from([(ROOT, Arc::new(root))])), folds_case: false }
    }

    pub(super) fn get(&self, ino: Ino) -> Option<&Node> {
        self.nodes.get(&ino).map(Arc::as_ref)
    }

    pub(super) fn nodes(&self) -> impl Iterator<Item = (Ino, &Node)> {
        self.nodes.iter().map(|(ino, node)| (*ino, node.as_ref()))
    }

    pub(super) fn edit(&mut self, ino: Ino) -> Option<&mut Node> {
        Arc::make_mut(&mut self.nodes).get_mut(&ino).map(Arc::make_mut)
    }

    pub(super) fn insert(&mut self, ino: Ino, node: Node) {
        Arc::make_mut(&mut self.nodes).insert(ino, Arc::new(node));
    }

    pub(super) fn remove(&mut self, ino: Ino) {
        Arc::make_mut(&mut self.nodes).remove(&ino);
    }

    /// The names in a directory; `None` when the inode is no directory.
    pub(super) fn entries(&self, dir: Ino) -> Option<&Arc<Entries>> {
        match &self.get(dir)?.body {
            Body::Dir(entries) => Some(entries),
            _ => None,
        }
    }

    pub(super) fn lookup(&self, dir: Ino, name: &OsStr) -> Option<Ino> {
        self.entries(dir)?.get(&self.spelled(dir, name)).copied()
    }

    /// A name as its directory has it, or as it is given.
    pub(super) fn spelled(&self, dir: Ino, name: &OsStr) -> Name {
        let entries =
            self.entries(dir).filter(|entries| self.folds_case && !entries.contains_key(name));
        let mut known = entries.into_iter().flat_map(|entries| entries.keys());
        known.find(|known| known.eq_ignore_ascii_case(name)).cloned().unwrap_or_else(|| name.into())
    }

    /// Lets a name lead to `ino`, or to nothing, and keeps the count of links.
    pub(super) fn set(&mut self, slot: &Slot, ino: Option<Ino>, tick: u64) {
        let Some(dir) = self.edit(slot.dir) else { return };
        let Body::Dir(entries) = &mut dir.body else { return };
        let entries = Arc::make_mut(entries);
        let before = match ino {
            Some(ino) => entries.insert(slot.name.clone(), ino),
            None => entries.remove(&slot.name),
        };
        (dir.modified, dir.changed) = (tick, tick);
        if let Some(node) = before.and_then(|before| self.edit(before)) {
            node.links = node.links.saturating_sub(1);
            node.changed = tick;
        }
        if let Some(node) = ino.and_then(|ino| self.edit(ino)) {
            node.links += 1;
            node.place = slot.clone();
            node.changed = tick;
        }
    }

    /// Whether `dir` is `ancestor` or lies below it.
    pub(super) fn is_within(&self, mut dir: Ino, ancestor: Ino) -> bool {
        while dir != ancestor {
            match self.get(dir) {
                Some(node) if dir != ROOT => dir = node.place.dir,
                _ => return false,
            }
        }
        true
    }

    /// Drops what no name leads to and counts links anew, as a check of the file system would.
    pub(super) fn pruned(&self) -> Self {
        let mut places: BTreeMap<Ino, (Slot, u64)> = BTreeMap::new();
        let mut open = vec![ROOT];
        while let Some(dir) = open.pop() {
            for (name, ino) in self.entries(dir).into_iter().flat_map(|entries| entries.iter()) {
                let slot = Slot { dir, name: name.clone() };
                if let Some((_, links)) = places.get_mut(ino) {
                    *links += 1;
                } else {
                    places.insert(*ino, (slot, 1));
                    open.push(*ino);
                }
            }
        }
        let keep = |(ino, node): (&Ino, &Arc<Node>)| {
            if *ino == ROOT {
                return Some((ROOT, node.clone()));
            }
            let (slot, links) = places.get(ino)?;
            if node.links == *links && node.place == *slot {
                return Some((*ino, node.clone()));
            }
            let node = Node { links: *links, place: slot.clone(), ..node.as_ref().clone() };
            Some((*ino, Arc::new(node)))
        };
        Self { nodes: Arc::new(self.nodes.iter().filter_map(keep).collect()), ..self.clone() }
    }

    /// Every path from the root with its inode, sorted by path; the root itself is left out.
    pub(super) fn walk(&self) -> BTreeMap<String, Ino> {
        let mut paths = BTreeMap::new();
        let mut open = vec![(String::new(), ROOT)];
        while let Some((above, dir)) = open.pop() {
            for (name, ino) in self.entries(dir).into_iter().flat_map(|entries| entries.iter()) {
                let path = join(&above, name);
                if self.entries(*ino).is_some() {
                    open.push((path.clone(), *ino));
                }
                paths.insert(path, *ino);
            }
        }
        paths
    }

    /// The path of an inode from the root, by the name given last.
    pub(super) fn path(&self, ino: Ino) -> String {
        match self.get(ino) {
            _ if ino == ROOT => ".".to_owned(),
            None => format!("#{ino}"),
            Some(node) if node.links == 0 => self.slot_path(&node.place) + " (unlinked)",
            Some(node) => self.slot_path(&node.place),
        }
    }

    /// The path of a name from the root.
    pub(super) fn slot_path(&self, slot: &Slot) -> String {
        let mut names = vec![&slot.name];
        let mut dir = slot.dir;
        while let Some(node) = self.get(dir).filter(|_| dir != ROOT) {
            names.push(&node.place.name);
            dir = node.place.dir;
        }
        names.iter().rev().fold(String::new(), |above, name| join(&above, name))
    }

    /// Follows plain names from the root, no link and no `..`.
    pub(super) fn locate(&self, names: &[OsString]) -> Option<Ino> {
        names.iter().try_fold(ROOT, |dir, name| self.lookup(dir, name))
    }
}

fn join(above: &str, name: &OsStr) -> String {
    let name = name.to_string_lossy();
    if above.is_empty() { name.into_owned() } else { format!("{above}/{name}") }
}
