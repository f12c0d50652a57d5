//! What callers know about the parts of a session.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Chunks;
use super::kept::list;

/// So many callers and sessions are remembered, by this process. One that is forgotten lists the parts again.
const REMEMBERED_MAX: usize = 4096;

/// What callers know, the newest first.
#[derive(Debug, Default)]
pub(crate) struct Looked(Mutex<VecDeque<(Of, Known)>>);

/// The session of a client, and the chunk session.
type Of = (String, String);

/// What a caller knows about the parts of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// The parts, as they were at its last part or when it listed them.
    Parts(Seen),
    /// A part 1 of its own was refused: the parts that are there are not those that it means.
    Refused,
}

/// The parts as a caller knows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// The newest row of the journal about them; absent where there was none.
    pub(super) row: Option<String>,
    /// A part of the caller that was refused, of which an older text is kept. It is sent again before others.
    pub(super) refused: Option<u32>,
    /// Whether its file was refused for what the parts hold. A part 1 that it sends now corrects itself.
    pub(super) is_blocked: bool,
}

impl Seen {
    pub(super) fn until(row: Option<String>) -> Self {
        Self { row, ..Self::default() }
    }
}

impl Looked {
    /// Sets what a caller knows.
    pub(super) fn set(&self, caller: &str, session: &str, known: Known) {
        let mut all = self.lock();
        all.retain(|(of, _)| !is(of, caller, session));
        all.truncate(REMEMBERED_MAX - 1);
        all.push_front(((caller.to_owned(), session.to_owned()), known));
    }

    /// Changes what a caller knows about the parts, if it knows them.
    pub(super) fn change(&self, caller: &str, session: &str, change: impl FnOnce(&mut Seen)) {
        let mut all = self.lock();
        let found = all.iter_mut().find(|(of, _)| is(of, caller, session));
        if let Some((_, Known::Parts(seen))) = found {
            change(seen);
        }
    }

    /// What a caller knows; nothing about parts that it has not sent or listed.
    pub(super) fn by(&self, caller: &str, session: &str) -> Option<Known> {
        let all = self.lock();
        all.iter().find(|(of, _)| is(of, caller, session)).map(|(_, known)| known.clone())
    }

    /// Forgets what a caller knows about all sessions.
    pub(super) fn forget(&self, caller: &str) {
        self.lock().retain(|((by, _), _)| by != caller);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(Of, Known)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is((by, of): &Of, caller: &str, session: &str) -> bool {
    by == caller && of == session
}

impl Chunks<'_> {
    /// Remembers that a part of the caller was refused, also before [`Chunks::keep`] or [`Chunks::begin`] saw it. If an
    /// older part of this number is there, its other parts are refused until it sends this one again, lists the parts, or
    /// begins anew; after a part 1, with or without older parts, until one of the last two.
    pub fn refuse(&self, session: &str, part: i64) {
        let Some(part) = u32::try_from(part).ok().filter(|part| *part > 1) else {
            return self.knows(session, Known::Refused);
        };
        let is_there = list(self.store, session)
            .is_ok_and(|found| found.is_some_and(|(_, have)| have.contains(&part)));
        if is_there {
            self.learns(session, |seen| {
                seen.refused.get_or_insert(part);
            });
        }
    }

    /// The same, if it is not known of which session the part was: the caller lists the parts of each of its sessions
    /// before it goes on, or begins anew.
    pub fn refuse_unread(&self) {
        if let Some(caller) = self.caller() {
            self.looked.forget(caller);
        }
    }

    fn caller(&self) -> Option<&str> {
        self.store.by()?.session.as_deref()
    }

    /// What the caller knows about the parts of a session.
    pub(super) fn known(&self, session: &str) -> Option<Known> {
        self.looked.by(self.caller()?, session)
    }

    pub(super) fn knows(&self, session: &str, known: Known) {
        if let Some(caller) = self.caller() {
            self.looked.set(caller, session, known);
        }
    }

    pub(super) fn learns(&self, session: &str, change: impl FnOnce(&mut Seen)) {
        if let Some(caller) = self.caller() {
            self.looked.change(caller, session, change);
        }
    }

    /// The caller knows the parts as they are with this one of its own, which has this row.
    pub(super) fn has_sent(&self, session: &str, part: u32, row: &str) {
        self.learns(session, |seen| {
            seen.row = Some(row.to_owned());
            seen.refused.take_if(|refused| *refused == part);
        });
    }
}
