//! Whether a caller has listed the parts of a session, or a part of its own was refused. Its rows in the journal show the
//! rest of what it knows.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// So many callers and sessions are remembered, by this process.
const REMEMBERED_MAX: usize = 256;

/// What callers know, the newest first.
#[derive(Debug, Default)]
pub(crate) struct Looked(Mutex<VecDeque<(Of, Known)>>);

/// The session of a client, and the chunk session.
type Of = (String, String);

/// What a caller knows about the parts of a session.
#[derive(Clone, Debug)]
pub(super) enum Known {
    /// The parts, up to this row of the journal.
    Listed(String),
    /// That its part was refused. The parts that are there are not those that it began with.
    Refused,
    /// That its file was refused for what the parts hold. A part 1 that it sends now corrects itself.
    Blocked,
}

impl Looked {
    /// Remembers what a caller knows; nothing if it has begun anew.
    pub(super) fn set(&self, caller: &str, session: &str, known: Option<Known>) {
        let of = (caller.to_owned(), session.to_owned());
        let mut all = self.lock();
        all.retain(|(other, _)| *other != of);
        all.truncate(REMEMBERED_MAX - 1);
        if let Some(known) = known {
            all.push_front((of, known));
        }
    }

    /// What a caller knows.
    pub(super) fn by(&self, caller: &str, session: &str) -> Option<Known> {
        let all = self.lock();
        let found = all.iter().find(|((by, of), _)| by == caller && of == session);
        found.map(|(_, known)| known.clone())
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(Of, Known)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
