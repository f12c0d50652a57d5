//! What the commit path has done so far, in numbers: how many calls a batch had, and how long it waited for the disk.
//!
//! They decide nothing, and are counted since the workspace was opened by this process.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The sizes by which batches are sorted; the last class has no bound.
const SIZES: [u64; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// The times by which waits are sorted, in microseconds; the last class has no bound.
const WAITS_US: [u64; 10] =
    [100, 250, 500, 1_000, 2_500, 5_000, 10_000, 50_000, 250_000, 1_000_000];

/// The figures of one workspace.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    sizes: Counter<{ SIZES.len() + 1 }>,
    waits: Counter<{ WAITS_US.len() + 1 }>,
}

/// The figures at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Calls of each batch.
    pub batches: Counted,
    /// Microseconds of each wait for the disk.
    pub waits_us: Counted,
}

/// Numbers by classes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// The highest number of each class but the last.
    pub bounds: Vec<u64>,
    /// How many numbers each class has.
    pub classes: Vec<u64>,
    /// All numbers together.
    pub sum: u64,
}

#[derive(Debug)]
struct Counter<const N: usize> {
    classes: [AtomicU64; N],
    sum: AtomicU64,
}

impl<const N: usize> Default for Counter<N> {
    fn default() -> Self {
        Self { classes: std::array::from_fn(|_| AtomicU64::default()), sum: AtomicU64::default() }
    }
}

impl<const N: usize> Counter<N> {
    fn count(&self, bounds: &[u64], number: u64) {
        let class = bounds.partition_point(|bound| *bound < number);
        if let Some(class) = self.classes.get(class) {
            class.fetch_add(1, Ordering::Relaxed);
        }
        self.sum.fetch_add(number, Ordering::Relaxed);
    }

    fn seen(&self, bounds: &[u64]) -> Counted {
        Counted {
            bounds: bounds.to_vec(),
            classes: self.classes.iter().map(|class| class.load(Ordering::Relaxed)).collect(),
            sum: self.sum.load(Ordering::Relaxed),
        }
    }
}

impl Figures {
    /// A batch of so many calls was carried out.
    pub(crate) fn batch(&self, calls: usize) {
        self.sizes.count(&SIZES, calls as u64);
    }

    /// A batch has waited for the disk.
    pub(crate) fn waited(&self, time: Duration) {
        self.waits.count(&WAITS_US, u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
    }

    pub(crate) fn seen(&self) -> Seen {
        Seen { batches: self.sizes.seen(&SIZES), waits_us: self.waits.seen(&WAITS_US) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_sorted_by_class_and_summed_up() {
        let figures = Figures::default();
        for calls in [1, 2, 3, 500] {
            figures.batch(calls);
        }
        figures.waited(Duration::from_millis(1));
        let Seen { batches, waits_us } = figures.seen();
        assert_eq!((batches.classes, batches.sum), (vec![1, 1, 1, 0, 0, 0, 0, 0, 1], 506));
        assert_eq!((waits_us.classes[3], waits_us.sum), (1, 1000));
    }
}
