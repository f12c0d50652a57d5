//! Whether a caller has listed the parts of a session, or one of its own was refused. Its rows in the journal show the
//! rest of what it knows.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// So many callers and sessions are remembered, by this process.
const REMEMBERED_MAX: usize = 4096;

/// What callers know, the newest first.
#[derive(Debug, Default)]
pub(crate) struct Looked(Mutex<VecDeque<(Of, Known)>>);

/// The session of a client, and the chunk session.
type Of = (String, String);

/// What a caller knows about the parts of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// The row of the journal up to which it has listed the parts.
    pub(super) listed: Option<String>,
    /// What of it was refused. What it sends next may not follow the parts that are there.
    pub(super) refused: Option<Refused>,
    /// Whether its file was refused for what the parts hold. A part 1 that it sends now corrects itself.
    pub(super) is_blocked: bool,
}

/// What of a caller was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// Its beginning, or a part because of another caller's parts. The parts that are there are not those that it began with.
    Beginning,
    /// This part alone. It may be sent again.
    Part(u32),
}

impl Known {
    pub(super) fn listed(row: String) -> Self {
        Self { listed: Some(row), ..Self::default() }
    }

    pub(super) fn refused() -> Self {
        Self { refused: Some(Refused::Beginning), ..Self::default() }
    }

    pub(super) fn blocked() -> Self {
        Self { is_blocked: true, ..Self::default() }
    }
}

impl Looked {
    /// Changes what a caller knows. One that has begun anew knows nothing.
    pub(super) fn change(&self, caller: &str, session: &str, change: impl FnOnce(&mut Known)) {
        let of = (caller.to_owned(), session.to_owned());
        let mut all = self.lock();
        let place = all.iter().position(|(other, _)| *other == of);
        let mut known =
            place.and_then(|at| all.remove(at)).map(|(_, known)| known).unwrap_or_default();
        change(&mut known);
        if known != Known::default() {
            all.truncate(REMEMBERED_MAX - 1);
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
