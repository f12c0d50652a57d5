//! A disk of ten names: what they lead to, what of that is durable, and what a loss of power may leave.

/// A file. The model has no file numbers that are used again.
pub(crate) type File = u8;
pub(crate) const NONE: File = 0;
const FILES: usize = 12;
/// The file that change `i` publishes; for a remove, and for a link before it is made, its empty slot.
pub(crate) const fn staged(i: usize) -> File {
    1 + 3 * i as File
}
/// The file that was at the target of change `i` when the unit was planned.
pub(crate) const fn old(i: usize) -> File {
    2 + 3 * i as File
}
/// The copy of that file, where the file system cannot exchange.
pub(crate) const fn copy(i: usize) -> File {
    3 + 3 * i as File
}
/// A file that somebody else made in edit `k`.
pub(crate) const fn foreign(k: usize) -> File {
    7 + k as File
}

/// A name. All that belongs to change `i` stands together.
pub(crate) type Name = usize;
const PER_CHANGE: usize = 5;
pub(crate) const NAMES: usize = 2 * PER_CHANGE;
pub(crate) const fn slot(i: usize) -> Name {
    PER_CHANGE * i
}
/// The second slot, for the copy.
pub(crate) const fn second(i: usize) -> Name {
    PER_CHANGE * i + 1
}
pub(crate) const fn target(i: usize) -> Name {
    PER_CHANGE * i + 2
}
/// Where a before-image goes in `objects/`.
pub(crate) const fn object(i: usize) -> Name {
    PER_CHANGE * i + 3
}
/// Where the content of the slot goes in `conflicts/`.
pub(crate) const fn kept(i: usize) -> Name {
    PER_CHANGE * i + 4
}

/// Directories, as bits.
pub(crate) type Dirs = u8;
pub(crate) const SLOTS: Dirs = 1;
pub(crate) const SHELVES: Dirs = 2;
pub(crate) const fn dir_of(name: Name) -> Dirs {
    match name % PER_CHANGE {
        0 | 1 => SLOTS,
        2 => 4 << (name / PER_CHANGE),
        _ => SHELVES,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Content {
    Empty,
    New,
    Old,
    /// What edit `k` wrote.
    Edit(u8),
}

/// Which part of the changes of names a loss of power may leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Persistence {
    /// A file system with one journal: they persist in the order in which they were made, and any sync
    /// of a directory makes all of them durable.
    InOrder,
    /// They persist in order in each directory.
    PerDirectory,
    /// Any part of them, as POSIX permits. Each is whole, or is not there.
    AnyPart,
    /// A file system without a journal: any part, and each name on its own.
    Halves,
}

/// A change of up to two names that may not be durable yet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Op {
    sets: Vec<(Name, File)>,
    touches: Dirs,
    /// The directories whose sync it still needs; 0 for one that is durable.
    needs: Dirs,
    is_foreign: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Disk {
    durable: [File; NAMES],
    names: [File; NAMES],
    pending: Vec<Op>,
    /// What each file holds, now and durably.
    data: [(Content, Content); FILES],
}

impl Disk {
    pub(crate) fn new() -> Self {
        Self {
            durable: [NONE; NAMES],
            names: [NONE; NAMES],
            pending: Vec::new(),
            data: [(Content::Empty, Content::Empty); FILES],
        }
    }

    /// Makes a durable file, before anything else happens.
    pub(crate) fn put(&mut self, name: Name, file: File, content: Content) {
        self.durable[name] = file;
        self.names[name] = file;
        self.data[file as usize] = (content, content);
    }

    pub(crate) fn at(&self, name: Name) -> File {
        self.names[name]
    }

    pub(crate) fn content(&self, file: File) -> Content {
        self.data[file as usize].0
    }

    pub(crate) fn write(&mut self, file: File, content: Content) {
        self.data[file as usize].0 = content;
    }

    pub(crate) fn sync_file(&mut self, file: File) {
        self.data[file as usize].1 = self.data[file as usize].0;
    }

    /// Whether some name leads to a file of which `fits` is true.
    pub(crate) fn reaches(&self, fits: impl Fn(File, Content) -> bool) -> bool {
        self.names.iter().any(|&file| file != NONE && fits(file, self.content(file)))
    }

    pub(crate) fn is_at_a_target(&self, content: Content) -> bool {
        (0..2).any(|i| {
            let file = self.at(target(i));
            file != NONE && self.content(file) == content
        })
    }

    /// Renames; the name that is moved away is gone, whatever was at the other one is replaced.
    pub(crate) fn rename(&mut self, from: Name, to: Name, persistence: Persistence) {
        let file = self.at(from);
        // Durable once the directory that received the name is.
        self.change(vec![(to, file), (from, NONE)], dir_of(to), persistence, false);
    }

    pub(crate) fn exchange(&mut self, a: Name, b: Name, persistence: Persistence) {
        let (one, other) = (self.at(a), self.at(b));
        self.change(vec![(b, one), (a, other)], dir_of(a) | dir_of(b), persistence, false);
    }

    /// Lets one name lead to a file.
    pub(crate) fn set(&mut self, name: Name, file: File, is_foreign: bool) {
        self.change(vec![(name, file)], dir_of(name), Persistence::AnyPart, is_foreign);
    }

    /// What somebody else renames.
    pub(crate) fn rename_foreign(&mut self, from: Name, to: Name) {
        let file = self.at(from);
        self.change(vec![(to, file), (from, NONE)], dir_of(to), Persistence::AnyPart, true);
    }

    fn change(
        &mut self,
        sets: Vec<(Name, File)>,
        needs: Dirs,
        persistence: Persistence,
        is_foreign: bool,
    ) {
        for (name, file) in &sets {
            self.names[*name] = *file;
        }
        if persistence == Persistence::Halves {
            for set in sets {
                let dirs = dir_of(set.0);
                self.pending.push(Op { sets: vec![set], touches: dirs, needs: dirs, is_foreign });
            }
            return;
        }
        let touches = sets.iter().fold(0, |dirs, (name, _)| dirs | dir_of(*name));
        self.pending.push(Op { sets, touches, needs, is_foreign });
    }

    pub(crate) fn sync(&mut self, dirs: Dirs, persistence: Persistence) {
        match persistence {
            Persistence::InOrder => self.pending.iter_mut().for_each(|op| op.needs = 0),
            Persistence::PerDirectory => {
                let mut synced = dirs;
                for op in self.pending.iter_mut().rev() {
                    if op.touches & synced != 0 {
                        op.needs = 0;
                        synced |= op.touches;
                    }
                }
            }
            Persistence::AnyPart | Persistence::Halves => {
                self.pending.iter_mut().for_each(|op| op.needs &= !dirs);
            }
        }
        let done = self.pending.iter().take_while(|op| op.needs == 0).count();
        for op in self.pending.drain(..done) {
            for (name, file) in op.sets {
                self.durable[name] = file;
            }
        }
    }

    /// Every disk that a loss of power may leave.
    pub(crate) fn losses(&self, persistence: Persistence) -> Vec<Self> {
        let mut disks = Vec::new();
        for part in 0..1_u32 << self.pending.len() {
            if !self.may_survive(part, persistence) {
                continue;
            }
            let mut names = self.durable;
            for (at, op) in self.pending.iter().enumerate() {
                if part & 1 << at != 0 {
                    op.sets.iter().for_each(|(name, file)| names[*name] = *file);
                }
            }
            disks.push(Self { durable: names, names, pending: Vec::new(), data: self.data });
        }
        for file in 0..FILES {
            let (now, durable) = self.data[file];
            if now == durable {
                continue;
            }
            let mut others = disks.clone();
            disks.iter_mut().for_each(|disk| disk.data[file] = (now, now));
            others.iter_mut().for_each(|disk| disk.data[file] = (durable, durable));
            disks.append(&mut others);
        }
        disks
    }

    fn may_survive(&self, part: u32, persistence: Persistence) -> bool {
        let survives = |at: usize| part & 1 << at != 0;
        self.pending.iter().enumerate().all(|(at, op)| {
            if survives(at) {
                return true;
            }
            let mut later = self.pending.iter().enumerate().skip(at + 1);
            op.needs != 0
                && match persistence {
                    Persistence::InOrder => later.all(|(later, _)| !survives(later)),
                    Persistence::PerDirectory => {
                        later.all(|(at, later)| !survives(at) || later.touches & op.touches == 0)
                    }
                    Persistence::AnyPart | Persistence::Halves => true,
                }
        })
    }

    /// Whether something that somebody else did to names is not durable yet.
    pub(crate) fn has_pending_edit(&self) -> bool {
        self.pending.iter().any(|op| op.is_foreign)
    }

    /// Makes everything durable, as a copy of the directory is.
    pub(crate) fn make_all_durable(&mut self) {
        self.durable = self.names;
        self.pending.clear();
        self.data.iter_mut().for_each(|data| data.1 = data.0);
    }
}
