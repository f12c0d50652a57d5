//! Digests of files that were read before, so that the next call need not read them again.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::digest::Hasher;
use crate::disk::Stat;

/// For each of some files, the hasher after its last byte. It is valid while the file's facts are the same.
#[derive(Debug, Default)]
pub(crate) struct Digests {
    /// Most recently used last.
    known: Mutex<Vec<Known>>,
}

#[derive(Debug)]
struct Known {
    stat: Stat,
    hasher: Hasher,
    /// Whether the file was read a while after its last change. One of the same moment may not show in its facts.
    is_settled: bool,
    /// Whether this process has made the file durable and appended to it last.
    is_synced: bool,
}

impl Digests {
    const MOST: usize = 32;

    /// The hasher after a file's last byte.
    pub(crate) fn get(&self, now: &Stat) -> Option<Hasher> {
        self.find(now, |known| known.hasher.clone())
    }

    /// The same of a file that was read a while after its last change.
    pub(crate) fn get_settled(&self, now: &Stat) -> Option<Hasher> {
        self.find(now, |known| known.is_settled.then(|| known.hasher.clone())).flatten()
    }

    /// Whether this process has made a file durable and appended to it last.
    pub(crate) fn is_synced(&self, now: &Stat) -> bool {
        self.find(now, |known| known.is_synced).unwrap_or(false)
    }

    /// Keeps the hasher of a file that was read a while after its last change.
    pub(crate) fn put_settled(&self, now: Stat, hasher: Hasher) {
        let is_synced = self.is_synced(&now);
        self.put(Known { stat: now, hasher, is_settled: true, is_synced });
    }

    /// Keeps the hasher of a file that was durable and was appended to.
    pub(crate) fn put_appended(&self, now: Stat, hasher: Hasher) {
        self.put(Known { stat: now, hasher, is_settled: false, is_synced: true });
    }

    fn find<T>(&self, now: &Stat, of: impl FnOnce(&Known) -> T) -> Option<T> {
        self.lock().iter().find(|known| known.stat == *now).map(of)
    }

    /// Forgets which files are durable: a sync has failed, or another process has died.
    pub(crate) fn forget_syncs(&self) {
        self.lock().iter_mut().for_each(|known| known.is_synced = false);
    }

    fn put(&self, new: Known) {
        let mut known = self.lock();
        known.retain(|known| known.stat.id != new.stat.id);
        if known.len() >= Self::MOST {
            known.remove(0);
        }
        known.push(new);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::{FileId, Kind};

    fn stat(inode: u64, len: u64) -> Stat {
        let id = FileId { device: 1, inode };
        Stat { kind: Kind::File, id, len, links: 1, mtime_ns: 1, ctime_ns: 1 }
    }

    #[test]
    fn what_an_append_knows_is_no_digest_of_a_settled_file() {
        let digests = Digests::default();
        let appended = stat(1, 10);
        digests.put_appended(appended, Hasher::default());
        assert!(digests.get(&appended).is_some() && digests.is_synced(&appended));
        assert!(digests.get_settled(&appended).is_none());
        // It was read since, and is durable all the same.
        digests.put_settled(appended, Hasher::default());
        assert!(digests.get_settled(&appended).is_some() && digests.is_synced(&appended));
        // A file of other facts is another one.
        assert!(digests.get(&stat(1, 11)).is_none());
        digests.put_settled(stat(1, 11), Hasher::default());
        assert!(digests.get(&appended).is_none() && !digests.is_synced(&stat(1, 11)));
        digests.put_appended(stat(1, 12), Hasher::default());
        digests.forget_syncs();
        assert!(digests.get(&stat(1, 12)).is_some() && !digests.is_synced(&stat(1, 12)));
    }

    #[test]
    fn what_was_used_last_is_kept() {
        let digests = Digests::default();
        (0..40).for_each(|inode| digests.put_settled(stat(inode, 1), Hasher::default()));
        let known = (0..40).filter(|inode| digests.get(&stat(*inode, 1)).is_some());
        assert_eq!(known.collect::<Vec<_>>(), (8..40).collect::<Vec<_>>());
    }
}
