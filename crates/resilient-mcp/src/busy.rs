//! What is under way, so that the end can wait for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// Counts what is under way.
#[derive(Debug, Clone, Default)]
pub struct Busy {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    count: AtomicUsize,
    fewer: Notify,
}

/// One thing that is under way until this is dropped.
#[derive(Debug)]
pub struct Work {
    inner: Arc<Inner>,
}

impl Busy {
    /// Begins one thing more.
    #[must_use]
    pub fn begin(&self) -> Work {
        self.inner.count.fetch_add(1, Ordering::Relaxed);
        Work { inner: Arc::clone(&self.inner) }
    }

    /// Begins one thing more, unless so many are under way.
    #[must_use]
    pub fn begin_below(&self, limit: usize) -> Option<Work> {
        (self.count() < limit).then(|| self.begin())
    }

    /// How many things are under way.
    #[must_use]
    pub fn count(&self) -> usize {
        self.inner.count.load(Ordering::Relaxed)
    }

    /// Waits until nothing is under way.
    pub async fn none_left(&self) {
        loop {
            let fewer = self.inner.fewer.notified();
            if self.count() == 0 {
                return;
            }
            fewer.await;
        }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.inner.count.fetch_sub(1, Ordering::Relaxed);
        self.inner.fewer.notify_waiters();
    }
}
