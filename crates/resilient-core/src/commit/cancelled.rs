//! Whether a call that waits is still wanted.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Tells whether the client has cancelled a call. A call that has begun to change something cannot be cancelled any more:
/// it makes all its changes.
#[derive(Clone)]
pub struct Cancelled(Arc<Asked<dyn Fn() -> bool + Send + Sync>>);

struct Asked<F: ?Sized> {
    has_begun: AtomicBool,
    is_so: F,
}

impl Cancelled {
    /// A call that is cancelled once this says so.
    pub fn when(is_so: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(Asked { has_begun: AtomicBool::new(false), is_so }))
    }

    /// Whether it is cancelled.
    #[must_use]
    pub fn is_so(&self) -> bool {
        !self.0.has_begun.load(Ordering::Relaxed) && (self.0.is_so)()
    }

    /// The call begins to change something.
    pub(super) fn begin(&self) {
        self.0.has_begun.store(true, Ordering::Relaxed);
    }
}

impl fmt::Debug for Cancelled {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Cancelled").field(&self.is_so()).finish()
    }
}
