//! What callers know about the parts of a session.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Chunks;
use super::kept::list;
use crate::error::Result;

/// So many callers and sessions are remembered, by this process. One that is forgotten lists the parts again.
const REMEMBERED_MAX: usize = 4096;

/// What callers know.
#[derive(Debug, Default)]
pub(crate) struct Looked(Mutex<Entries>);

#[derive(Debug, Default)]
struct Entries {
    /// The newest first.
    all: VecDeque<Entry>,
    changes: u64,
}

#[derive(Debug)]
struct Entry {
    of: Of,
    known: Known,
    /// The number of its last change.
    change: u64,
}

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
    /// The parts of the caller that were refused, of which older texts are kept. They are sent again before others.
    pub(super) refused: BTreeSet<u32>,
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
        self.lock().set(caller, session, known);
    }

    /// The same, unless something about the session has changed since [`Looked::change_of`] gave this number.
    pub(super) fn set_unless_changed(&self, caller: &str, session: &str, since: u64, known: Known) {
        let mut entries = self.lock();
        if entries.change_of(caller, session) == since {
            entries.set(caller, session, known);
        }
    }

    /// The number of the last change of what a caller knows about a session.
    pub(super) fn change_of(&self, caller: &str, session: &str) -> u64 {
        self.lock().change_of(caller, session)
    }

    /// Changes what a caller knows about the parts, if it knows them.
    pub(super) fn change(&self, caller: &str, session: &str, change: impl FnOnce(&mut Seen)) {
        let mut entries = self.lock();
        let now = entries.next_change();
        if let Some(entry) = entries.all.iter_mut().find(|entry| entry.is(caller, session))
            && let Known::Parts(seen) = &mut entry.known
        {
            change(seen);
            entry.change = now;
        }
    }

    /// What a caller knows; nothing about parts that it has not sent or listed.
    pub(super) fn by(&self, caller: &str, session: &str) -> Option<Known> {
        let entries = self.lock();
        entries.all.iter().find(|entry| entry.is(caller, session)).map(|entry| entry.known.clone())
    }

    /// Remembers for all sessions of a caller that a part 1 was refused.
    pub(super) fn refuse_all(&self, caller: &str) {
        let mut entries = self.lock();
        let change = entries.next_change();
        for entry in entries.all.iter_mut().filter(|entry| entry.of.0 == caller) {
            (entry.known, entry.change) = (Known::Refused, change);
        }
        // Also for those that the caller is listing for the first time.
        entries.set(caller, ANY, Known::Refused);
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stands for all sessions of a caller. No session has this name.
const ANY: &str = "";

impl Entries {
    fn set(&mut self, caller: &str, session: &str, known: Known) {
        let change = self.next_change();
        self.all.retain(|entry| !entry.is(caller, session));
        self.all.truncate(REMEMBERED_MAX - 1);
        let of = (caller.to_owned(), session.to_owned());
        self.all.push_front(Entry { of, known, change });
    }

    fn change_of(&self, caller: &str, session: &str) -> u64 {
        let of_it = self.all.iter().filter(|it| it.is(caller, session) || it.is(caller, ANY));
        of_it.map(|entry| entry.change).max().unwrap_or_default()
    }

    fn next_change(&mut self) -> u64 {
        self.changes += 1;
        self.changes
    }
}

impl Entry {
    fn is(&self, caller: &str, session: &str) -> bool {
        self.of.0 == caller && self.of.1 == session
    }
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
                seen.refused.insert(part);
            });
        }
    }

    /// The same, if it is not known of which session the part was: the caller lists the parts of each of its sessions
    /// before it goes on, or begins anew.
    pub fn refuse_unread(&self) {
        if let Some(caller) = self.caller() {
            self.looked.refuse_all(caller);
        }
    }

    fn caller(&self) -> Option<&str> {
        self.store.by()?.connection()
    }

    /// Remembers that the caller knows the parts that `list` gives, unless one of its own is refused meanwhile.
    pub(super) fn listing<T>(
        &self,
        session: &str,
        list: impl FnOnce() -> Result<(T, Option<Seen>)>,
    ) -> Result<T> {
        let Some(caller) = self.caller() else { return list().map(|(listed, _)| listed) };
        let since = self.looked.change_of(caller, session);
        let (listed, seen) = list()?;
        if let Some(seen) = seen {
            self.looked.set_unless_changed(caller, session, since, Known::Parts(seen));
        }
        Ok(listed)
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
            seen.refused.remove(&part);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Before, the next part followed the old part 1.
    #[test]
    fn a_listing_does_not_take_back_what_is_refused_meanwhile() {
        let listed = || Known::Parts(Seen::until(None));
        for before in [None, Some(listed()), Some(Known::Refused)] {
            for is_unread in [false, true] {
                let looked = Looked::default();
                if let Some(before) = before.clone() {
                    looked.set("alpha", "s", before);
                }
                let since = looked.change_of("alpha", "s");
                match is_unread {
                    true => looked.refuse_all("alpha"),
                    false => looked.set("alpha", "s", Known::Refused),
                }
                looked.set_unless_changed("alpha", "s", since, listed());
                assert_ne!(looked.by("alpha", "s"), Some(listed()), "{before:?}");
                // The next listing counts, whatever is refused to others.
                let since = looked.change_of("alpha", "s");
                looked.refuse_all("beta");
                looked.set_unless_changed("alpha", "s", since, listed());
                assert_eq!(looked.by("alpha", "s"), Some(listed()));
            }
        }
    }
}
