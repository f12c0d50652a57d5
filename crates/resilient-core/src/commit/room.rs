//! How much one batch may take: so many descriptors and so many bytes.
//!
//! What does not fit goes on in the next batch, in order. A batch holds open what it is going to
//! sync, so that a long queue could need more descriptors than the process has; and other processes
//! wait until its bytes are on disk.

use super::change::{Change, How};
use crate::disk::Disk;

/// Bytes after which a batch is full.
const BYTES: u64 = 64 << 20;
/// The limit on descriptors that is counted on where the disk does not tell one.
const LIMIT: u64 = 256;
/// A batch takes no more than this however many there are.
const HANDLES_MAX: u64 = 4096;

/// What is left for the batch.
pub(super) struct Room {
    handles: u64,
    bytes: u64,
}

impl Room {
    /// Half of what the process may have open: the rest is for reading calls, for the directories
    /// that are kept open, and for whatever else the process does.
    pub(super) fn of(disk: &dyn Disk) -> Self {
        let handles = disk.handle_limit().unwrap_or(LIMIT) / 2;
        Self { handles: handles.min(HANDLES_MAX), bytes: BYTES }
    }

    /// Takes what a change holds; tells whether another one may join.
    pub(super) fn take(&mut self, change: &Change) -> bool {
        let of_publishes = change.publishes.iter().map(|publish| match publish.how {
            How::Rename(_) | How::Exchange => 2,
            How::InPlace { .. } => 4,
        });
        let of_append = change.append.iter().map(|append| 2 + u64::from(append.sums.is_some()));
        let of_others = of_append.sum::<u64>() + 2 * u64::from(change.line.is_some());
        let directories = change.made.len() + change.ancestors.len() + change.discards.len();
        let handles = of_publishes.sum::<u64>() + of_others + directories as u64;
        let staged = change.publishes.iter().map(|publish| publish.staged.len);
        let appended = change.append.iter().map(|append| append.bytes.len() as u64);
        self.handles = self.handles.saturating_sub(handles);
        self.bytes = self.bytes.saturating_sub(staged.chain(appended).sum());
        self.handles > 0 && self.bytes > 0
    }
}
