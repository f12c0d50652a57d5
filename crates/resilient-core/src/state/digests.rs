//! Digests of files that need not be read again.

use std::sync::{Mutex, PoisonError};

use crate::digest::Hasher;
use crate::disk::{Clock, Stat};

/// For each of some files, the hasher after its last byte. It is valid while the file's facts are the same.
#[derive(Debug, Default)]
pub(crate) struct Digests {
    /// Files that this process has made durable and appended to last.
    appended: Mutex<Vec<(Stat, Hasher)>>,
    /// Long files that calls have read before their turn. Each is used once, by that call: a write
    /// through a memory map does not change a file's facts for a while.
    ahead: Mutex<Vec<(Stat, Hasher)>>,
}

impl Digests {
    const MOST: usize = 32;
    /// A shorter file is read under the lock: that takes less time than another turn.
    const LONG: u64 = 8 << 20;
    /// Coarser than the times of any file system in use: a change of the same moment does not show in them.
    const SETTLED_NS: i128 = 3_000_000_000;

    /// Whether a file is to be read before the turn of its call: it is long, and a change of it would show.
    pub(crate) fn is_read_ahead(stat: &Stat, clock: &dyn Clock) -> bool {
        stat.len >= Self::LONG && stat.age_ns(clock.now_ns()) > Self::SETTLED_NS
    }

    pub(crate) fn appended(&self, now: &Stat) -> Option<Hasher> {
        with(&self.appended, |known| {
            known.iter().find(|(stat, _)| stat == now).map(|(_, hasher)| hasher.clone())
        })
    }

    pub(crate) fn put_appended(&self, now: Stat, hasher: Hasher) {
        with(&self.appended, |known| put(known, now, hasher));
    }

    /// Forgets what is known of appends: a sync may have failed.
    pub(crate) fn forget_appended(&self) {
        with(&self.appended, Vec::clear);
    }

    /// What a call has read before its turn.
    pub(crate) fn take_ahead(&self, now: &Stat) -> Option<Hasher> {
        with(&self.ahead, |known| {
            let at = known.iter().position(|(stat, _)| stat == now)?;
            Some(known.remove(at).1)
        })
    }

    pub(crate) fn put_ahead(&self, now: Stat, hasher: Hasher) {
        with(&self.ahead, |known| put(known, now, hasher));
    }
}

/// The newest last, one of each file.
fn put(known: &mut Vec<(Stat, Hasher)>, now: Stat, hasher: Hasher) {
    known.retain(|(stat, _)| stat.id != now.id);
    if known.len() >= Digests::MOST {
        known.remove(0);
    }
    known.push((now, hasher));
}

fn with<T>(
    known: &Mutex<Vec<(Stat, Hasher)>>,
    then: impl FnOnce(&mut Vec<(Stat, Hasher)>) -> T,
) -> T {
    then(&mut known.lock().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::{FileId, FixedClock, Kind};

    fn stat(inode: u64, len: u64) -> Stat {
        let id = FileId { device: 1, inode };
        Stat {
            kind: Kind::File,
            id,
            len,
            links: 1,
            mtime_ns: 1,
            ctime_ns: 1,
            born_ns: None,
            mode: 0o644,
            owner: None,
        }
    }

    #[test]
    fn what_was_read_before_a_turn_is_used_once() {
        let digests = Digests::default();
        digests.put_ahead(stat(1, 10), Hasher::default());
        assert!(digests.take_ahead(&stat(1, 11)).is_none());
        assert!(digests.take_ahead(&stat(1, 10)).is_some());
        assert!(digests.take_ahead(&stat(1, 10)).is_none());
    }

    #[test]
    fn a_file_that_is_long_and_settled_is_read_ahead() {
        let clock = FixedClock::new(10, 1);
        let is_read =
            |len, mtime_ns| Digests::is_read_ahead(&Stat { mtime_ns, ..stat(1, len) }, &clock);
        assert!(is_read(8 << 20, 1));
        assert!(!is_read((8 << 20) - 1, 1));
        assert!(!is_read(8 << 20, 8_000_000_000));
    }

    #[test]
    fn what_was_appended_to_is_known_until_it_changes() {
        let digests = Digests::default();
        digests.put_appended(stat(1, 10), Hasher::default());
        assert!(digests.appended(&stat(1, 10)).is_some());
        assert!(
            digests.appended(&stat(1, 11)).is_none() && digests.take_ahead(&stat(1, 10)).is_none()
        );
        digests.put_appended(stat(1, 12), Hasher::default());
        assert!(digests.appended(&stat(1, 10)).is_none());
        (10..49).for_each(|inode| digests.put_appended(stat(inode, 1), Hasher::default()));
        let known = (0..49).filter(|inode| digests.appended(&stat(*inode, 1)).is_some());
        assert_eq!(known.collect::<Vec<_>>(), (17..49).collect::<Vec<_>>());
        digests.forget_appended();
        assert!(digests.appended(&stat(48, 1)).is_none());
    }
}
