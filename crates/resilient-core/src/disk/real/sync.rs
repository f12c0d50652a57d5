//! Waiting for several files and directories at once.
//!
//! Two or three syncs one after the other cost what they cost side by side: the first one commits
//! the file system's own journal for all. A batch of many is another matter. Each sync then waits
//! for its own writes and for the device's cache, and waits that overlap are shared
//! (`docs/design/0002-waits.md` has the figures). No thread outlives the call.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::disk::SyncItem;

/// Up to here one after the other is as fast and costs less.
const IN_A_ROW_MAX: usize = 3;

/// How many syncs run side by side at most; more threads gain nothing.
const THREADS_MAX: usize = 16;

/// Syncs all items; one answer each, in their order.
pub(super) fn sync_all(items: &[SyncItem]) -> Vec<io::Result<()>> {
    if items.len() <= IN_A_ROW_MAX {
        return items.iter().map(SyncItem::sync).collect();
    }
    side_by_side(items, THREADS_MAX.min(items.len().div_ceil(2)))
}

/// The calling thread takes part, so that the answers come even where no thread can be started.
fn side_by_side(items: &[SyncItem], threads: usize) -> Vec<io::Result<()>> {
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return done };
            done.push((at, item.sync()));
        }
    };
    let mut done = thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads)
            .map_while(|_| thread::Builder::new().spawn_scoped(scope, take).ok())
            .collect();
        let mut done = take();
        for helper in helpers {
            done.extend(helper.join().unwrap_or_default());
        }
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    let mut done = done.into_iter().peekable();
    (0..items.len())
        .map(|at| match done.next_if(|(of, _)| *of == at) {
            Some((_, result)) => result,
            // Only where a helper panicked with the answer in its hands.
            None => Err(io::Error::other("the outcome of a sync is not known")),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::any::Any;
    use std::sync::Arc;

    use super::*;
    use crate::disk::{File, Stat};

    /// A file that can only be synced, and fails at it as told.
    #[derive(Debug)]
    struct Fake(&'static str);

    impl File for Fake {
        fn sync(&self) -> io::Result<()> {
            match self.0 {
                "ok" => Ok(()),
                message => Err(io::Error::other(message)),
            }
        }
        fn read_at(&self, _: &mut [u8], _: u64) -> io::Result<usize> {
            Err(io::ErrorKind::Unsupported.into())
        }
        fn write_all_at(&self, _: &[u8], _: u64) -> io::Result<()> {
            Err(io::ErrorKind::Unsupported.into())
        }
        fn set_len(&self, _: u64) -> io::Result<()> {
            Err(io::ErrorKind::Unsupported.into())
        }
        fn stat(&self) -> io::Result<Stat> {
            Err(io::ErrorKind::Unsupported.into())
        }
        fn make_private(&self) -> io::Result<()> {
            Err(io::ErrorKind::Unsupported.into())
        }
        fn copy_attributes(&self, _: &dyn File) -> io::Result<()> {
            Err(io::ErrorKind::Unsupported.into())
        }
        fn as_any(&self) -> &dyn Any {
            self
        }
    }

    fn answers(files: &[&'static str], threads: usize) -> Vec<String> {
        let items: Vec<SyncItem> =
            files.iter().map(|file| SyncItem::File(Arc::new(Fake(file)))).collect();
        side_by_side(&items, threads)
            .into_iter()
            .map(|result| result.map_or_else(|error| error.to_string(), |()| "ok".to_owned()))
            .collect()
    }

    #[test]
    fn every_item_has_its_own_answer_whoever_synced_it() {
        let mut files = vec!["ok"; 100];
        files[3] = "full";
        files[97] = "gone";
        for threads in [1, 2, 16, 200] {
            assert_eq!(answers(&files, threads), files, "{threads} threads");
        }
        assert_eq!(answers(&[], 16), Vec::<String>::new());
    }
}
