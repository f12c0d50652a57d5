//! Whether a call that waits is still wanted.

use std::fmt;
use std::sync::Arc;

/// Tells whether the client has cancelled a call.
#[derive(Clone)]
pub struct Cancelled(Arc<dyn Fn() -> bool + Send + Sync>);

impl Cancelled {
    /// A call that is cancelled once this says so.
    pub fn when(is_so: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(is_so))
    }

    /// Whether it is cancelled.
    #[must_use]
    pub fn is_so(&self) -> bool {
        (self.0)()
    }
}

impl fmt::Debug for Cancelled {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Cancelled").field(&self.is_so()).finish()
    }
}
