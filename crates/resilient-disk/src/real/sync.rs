//! Waiting for several files and directories at once.
//!
//! First the system is told to begin writing all of them. The first sync then finds everything
//! under way, commits the file system's own journal for all, and leaves little to the others: two
//! or three cost the same one after another as in parallel. Unless a sync takes long, on a slow
//! disk or a busy machine, and in a long batch anyway: then the waits had better overlap. Threads
//! that are there already do it: on a busy machine, starting them takes longer than what they save
//! (`docs/design/0002-waits.md` has the figures).

use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::RealFile;
use crate::SyncItem;

/// Up to here one after the other is as fast and costs less, as long as a sync is short.
const IN_A_ROW_MAX: usize = 3;

/// From here on a wait is long: waking a helper takes a small part of it.
const LONG: Duration = Duration::from_millis(1);

/// How long recent syncs took, in nanoseconds.
static RECENT: AtomicU64 = AtomicU64::new(0);

/// Threads that help the callers of this process; more gain nothing. They are started by the first
/// batch that is long enough and then wait for the next one.
const HELPERS: usize = 15;

/// Syncs all items; one answer each, in their order.
pub(super) fn sync_all(items: &[SyncItem]) -> Vec<io::Result<()>> {
    if items.len() > 1 {
        items.iter().for_each(begin);
    }
    let recent = Duration::from_nanos(RECENT.load(Ordering::Relaxed));
    let begun = Instant::now();
    if items.len() <= 1 || (items.len() <= IN_A_ROW_MAX && recent < LONG) {
        let answers = items.iter().map(SyncItem::sync).collect();
        remember(recent, begun.elapsed() / items.len().max(1) as u32);
        return answers;
    }
    let answers = side_by_side(items, helpers());
    if items.len() <= IN_A_ROW_MAX {
        remember(recent, begun.elapsed());
    }
    answers
}

/// Keeps an average that forgets. Two callers at once may lose one value, which does no harm.
fn remember(recent: Duration, last: Duration) {
    let average = (recent * 3 + last) / 4;
    RECENT.store(u64::try_from(average.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
}

fn begin(item: &SyncItem) {
    if let SyncItem::File(file) = item
        && let Some(file) = file.as_any().downcast_ref::<RealFile>()
    {
        file.begin();
    }
}

/// The calling thread takes part, and nobody waits for a helper that came too late: the answers
/// come even where no thread could be started.
fn side_by_side(items: &[SyncItem], helpers: &Sender<Arc<Batch>>) -> Vec<io::Result<()>> {
    let (answers, answered) = channel();
    let batch = Arc::new(Batch { items: items.to_vec(), next: AtomicUsize::new(0), answers });
    for _ in 0..HELPERS.min(items.len() / 2) {
        // Without a helper the caller does it alone.
        let _ = helpers.send(batch.clone());
    }
    batch.work();
    drop(batch);
    let mut done: Vec<(usize, io::Result<()>)> = answered.iter().take(items.len()).collect();
    done.sort_unstable_by_key(|(at, _)| *at);
    let mut done = done.into_iter().peekable();
    (0..items.len())
        .map(|at| match done.next_if(|(of, _)| *of == at) {
            Some((_, result)) => result,
            // Only where a helper panicked before it could answer.
            None => Err(io::Error::other("the outcome of a sync is not known")),
        })
        .collect()
}

/// Items that the caller and its helpers sync, each taking the next one.
struct Batch {
    items: Vec<SyncItem>,
    next: AtomicUsize,
    answers: Sender<(usize, io::Result<()>)>,
}

impl Batch {
    fn work(&self) {
        loop {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = self.items.get(at) else { return };
            // The caller receives an answer for every item, or is gone itself.
            let _ = self.answers.send((at, item.sync()));
        }
    }
}

fn helpers() -> &'static Sender<Arc<Batch>> {
    static POOL: OnceLock<Sender<Arc<Batch>>> = OnceLock::new();
    POOL.get_or_init(|| start(HELPERS))
}

/// Starts threads, as many as the system lets us.
fn start(threads: usize) -> Sender<Arc<Batch>> {
    let (batches, waiting) = channel();
    let waiting: Arc<Mutex<Receiver<Arc<Batch>>>> = Arc::new(Mutex::new(waiting));
    for _ in 0..threads {
        let waiting = waiting.clone();
        let _ = thread::Builder::new().name("sync".to_owned()).spawn(move || {
            loop {
                let batch = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
                let Ok(batch) = batch else { return };
                batch.work();
            }
        });
    }
    batches
}

#[cfg(test)]
mod tests {
    use std::any::Any;

    use super::*;
    use crate::{File, Stat};

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
        side_by_side(&items, &start(threads))
            .into_iter()
            .map(|result| result.map_or_else(|error| error.to_string(), |()| "ok".to_owned()))
            .collect()
    }

    #[test]
    fn every_item_has_its_own_answer_whoever_synced_it() {
        let mut files = vec!["ok"; 100];
        files[3] = "full";
        files[97] = "gone";
        for threads in [0, 1, 2, 16] {
            assert_eq!(answers(&files, threads), files, "{threads} threads");
        }
        assert_eq!(answers(&[], 16), Vec::<String>::new());
    }
}
