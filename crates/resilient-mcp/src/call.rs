//! One call as its tool sees it: whether somebody still waits for it, and whom to tell how far it is.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use resilient_core::{Cancelled, Progress};
use tokio::sync::mpsc::UnboundedSender;

/// How often a client is told.
const EVERY: Duration = Duration::from_millis(200);

/// How far a call is: done, and in all if that is known.
pub(crate) type Step = (u64, Option<u64>);

/// One call. Nobody watches the default one, and it is never cancelled.
#[derive(Default)]
pub(crate) struct Call {
    pub(crate) cancelled: Option<Cancelled>,
    listener: Option<Listener>,
    /// The program that asks over a connection, with its version.
    pub(crate) client: Option<String>,
    /// Whether the call came over a connection.
    pub(crate) is_remote: bool,
}

struct Listener {
    steps: UnboundedSender<Step>,
    /// When the client was told last, and what.
    told: Mutex<(Instant, u64)>,
}

impl Call {
    /// A call that ends early once it is cancelled, and tells its steps where somebody listens.
    pub(crate) fn new(cancelled: Cancelled, steps: Option<UnboundedSender<Step>>) -> Self {
        let listener = steps.map(|steps| Listener { steps, told: Mutex::new((Instant::now(), 0)) });
        Self { cancelled: Some(cancelled), listener, client: None, is_remote: false }
    }
}

impl Call {
    /// The same call over a connection, by a client that may have told its name.
    pub(crate) fn from(self, client: Option<String>) -> Self {
        Self { client, is_remote: true, ..self }
    }
}

impl Call {
    /// Whether the client has cancelled it.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.as_ref().is_some_and(Cancelled::is_so)
    }
}

impl Progress for Call {
    fn step(&self, done: u64, total: Option<u64>) -> bool {
        let is_wanted = !self.is_cancelled();
        if let Some(listener) = self.listener.as_ref().filter(|_| is_wanted) {
            let mut told = listener.told.lock().unwrap_or_else(PoisonError::into_inner);
            let (when, what) = *told;
            // The number that a client receives only grows.
            if when.elapsed() >= EVERY && done > what {
                *told = (Instant::now(), done);
                // A client that is gone does not want to know.
                let _ = listener.steps.send((done, total));
            }
        }
        is_wanted
    }
}

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call").field("is_watched", &self.listener.is_some()).finish()
    }
}
