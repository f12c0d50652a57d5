//! Digests of files that were appended to in place, so that the next append need not read what is there.

use crate::digest::Hasher;
use crate::disk::{FileId, Stat};

/// For each of some files, the hasher after its last byte. It is valid while the file's facts are the same.
#[derive(Debug, Default)]
pub(crate) struct Digests {
    /// Most recently used last.
    known: Vec<(FileId, Stat, Hasher)>,
}

impl Digests {
    const MOST: usize = 32;

    pub(crate) fn get(&self, now: &Stat) -> Option<Hasher> {
        self.known.iter().find(|(_, stat, _)| stat == now).map(|(_, _, hasher)| hasher.clone())
    }

    pub(crate) fn put(&mut self, now: Stat, hasher: Hasher) {
        self.known.retain(|(id, ..)| *id != now.id);
        if self.known.len() >= Self::MOST {
            self.known.remove(0);
        }
        self.known.push((now.id, now, hasher));
    }
}
