//! An attempt at a file: part 1, and the parts that follow it until another part 1 begins anew. Two callers make no
//! mixture of their parts that neither of them has written.
//!
//! A caller is one session of a client. It knows the parts as they were at its last part, or when it listed them last.
//! It adds a part only while nobody else has changed the parts since. Everything else lists the parts first, or begins
//! anew: a new session, a caller that this process has forgotten, and one whose part 1 was refused.

use std::collections::BTreeSet;

use super::composed;
use super::kept::{list, none_missing, part_name};
use super::looked::{Known, Seen};
use super::rows::{AMONG as NEWEST, newest, newest_of};
use crate::commit::{Committer, WriteContext};
use crate::digest::Digest;
use crate::error::{Composed, Error, LastWrite, PartBy, Result, UnknownParts, WhyUnknown};
use crate::journal::{By, Mode, Row};
use crate::store::{CHUNKS, Store};

/// A refusal names no more parts: those with the highest numbers.
const PARTS_TOLD: usize = 50;

/// The last row that a caller knows is looked for among so many. It is one of the first, unless others are very busy.
const AMONG: usize = 20_000;

/// What a caller is about to do with the parts of a session.
pub(super) struct Step<'a> {
    pub(super) by: &'a By,
    pub(super) session: &'a str,
    /// The part that it sends, or the last one of a file that it publishes.
    pub(super) part: u32,
    /// The digest of the part that it sends.
    pub(super) sent: Option<Digest>,
    /// Whether it is the last one: what is there becomes the file.
    pub(super) is_last: bool,
    /// What the caller knows about the parts.
    pub(super) known: Option<&'a Known>,
}

/// Checks that a caller knows the attempt to which it adds a part, or of which it publishes the file.
///
/// A part that was refused, of which an older text is kept, is sent again before the last one.
pub(super) fn check(op: &WriteContext<'_>, step: &Step<'_>) -> Result<()> {
    let Some(caller) = step.by.connection() else { return Ok(()) };
    let (session, part) = (step.session, step.part);
    let have = list(op.store, session)?.map(|(_, have)| have).unwrap_or_default();
    let after_refused = |refused| {
        let (session, are_kept) = (session.to_owned(), !have.is_empty());
        Err(Error::AfterRefusedPart { session, part, refused, are_kept })
    };
    let past = Past::of(op.store, step, caller);
    let unknown = match step.known {
        Some(Known::Refused) => return after_refused(None),
        Some(Known::Parts(seen)) => past.change_since(op, seen),
        None => Some(Unknown { why: WhyUnknown::NotListed, row: None }),
    };
    let is_unseen = unknown.as_ref().is_none_or(|it| it.row.is_none());
    if is_unseen && have.is_empty() {
        none_missing(session, &have, part)?;
    }
    if let Some(unknown) = unknown {
        return Err(past.refusal(op, unknown, &have));
    }
    let Some(Known::Parts(Seen { refused, .. })) = step.known else { return Ok(()) };
    let again = step.sent.map(|_| part);
    match refused.iter().find(|refused| Some(**refused) != again) {
        // One that begins anew is none of these.
        Some(first) if step.is_last && again != Some(1) => after_refused(Some(*first)),
        _ => Ok(()),
    }
}

/// The row up to which a caller knows the parts of a session that it lists after this.
pub(super) fn newest_row(store: &Committer, session: &str) -> Option<String> {
    let journals = store.visible().ok()??;
    let parts = parts_of(store, session);
    newest_of(&journals, session, AMONG, |row| {
        is_of(&row, session, &parts).then_some(row.journal_id)
    })
}

/// The newest row of these parts as they are, of those that another session of a client, or something else, has written;
/// or else the newest change of the session, if that is by another one.
pub(super) fn last_of_others(
    op: &WriteContext<'_>,
    by: &By,
    session: &str,
    taken: &[u32],
) -> Option<LastWrite> {
    by.connection()?;
    let path_of = |index: &u32| op.store.shown_state(&[CHUNKS, session, &part_name(*index)]);
    let mut taken: BTreeSet<String> = taken.iter().map(path_of).collect();
    let parts = parts_of(op.store, session);
    // The newest change of the session, and whether it is by another one.
    let mut newest_change = None;
    let of_taken = newest(op, session, NEWEST, |row| {
        let is_of_others = session_of(&row) != by.session.as_deref();
        let is_taken = taken.remove(&row.path);
        if newest_change.is_none() && is_of(&row, session, &parts) {
            newest_change = Some(is_of_others.then(|| last_write(&row)));
        }
        (is_taken && is_of_others).then(|| last_write(&row))
    });
    of_taken.or_else(|| newest_change.flatten())
}

/// The newest change of the parts of a session, among so many newest rows.
pub(super) fn newest_change(store: &Committer, session: &str) -> Option<LastWrite> {
    let journals = store.visible().ok()??;
    let parts = parts_of(store, session);
    newest_of(&journals, session, NEWEST, |row| {
        is_of(&row, session, &parts).then(|| last_write(&row))
    })
}

fn session_of(row: &Row) -> Option<&str> {
    row.by.as_ref()?.session.as_deref()
}

fn last_write(row: &Row) -> LastWrite {
    let By { client, session, tool, .. } = row.by.clone().unwrap_or_default();
    let (journal_id, ts) = (row.journal_id.clone(), row.ts.clone());
    LastWrite { journal_id, ts, mode: row.mode.as_str().to_owned(), client, session, tool }
}

/// How the paths of a session's parts begin.
fn parts_of(store: &Store, session: &str) -> String {
    store.shown_state(&[CHUNKS, session, "part-"])
}

/// Whether a row is of a part of a session, or of its compose.
fn is_of(row: &Row, session: &str, parts: &str) -> bool {
    row.path.starts_with(parts) || row.composed.as_deref() == Some(session)
}

/// Why a caller does not know the parts, and the row that somebody else has written since, if one has.
struct Unknown {
    why: WhyUnknown,
    row: Option<Row>,
}

/// What was done with the parts of a session, as the journal has it.
struct Past<'a> {
    step: &'a Step<'a>,
    caller: &'a str,
    /// How the paths of the parts begin.
    parts: String,
    /// The path of part 1.
    first: String,
    /// The path of the caller's part.
    this: String,
}

impl<'a> Past<'a> {
    fn of(store: &Store, step: &'a Step<'a>, caller: &'a str) -> Self {
        let path_of = |part| store.shown_state(&[CHUNKS, step.session, &part_name(part)]);
        let (first, this) = (path_of(1), path_of(step.part));
        Self { step, caller, parts: parts_of(store, step.session), first, this }
    }

    /// What somebody else has changed since the caller knew the parts. A new beginning says more than a part.
    fn change_since(&self, op: &WriteContext<'_>, seen: &Seen) -> Option<Unknown> {
        let mut changed = None;
        let found = newest(op, self.step.session, AMONG, |row| {
            if Some(&row.journal_id) == seen.row.as_ref() {
                return Some(());
            }
            if !self.is_own(&row) && self.changes(&row) {
                let why = match self.begins(&row) {
                    true => WhyUnknown::BegunAnew,
                    false => WhyUnknown::Changed,
                };
                if changed.is_none() || why == WhyUnknown::BegunAnew {
                    changed = Some(Unknown { why, row: Some(row) });
                }
            }
            None
        });
        let is_lost = found.is_none() && seen.row.is_some();
        changed.or_else(|| is_lost.then_some(Unknown { why: WhyUnknown::NotListed, row: None }))
    }

    fn is_own(&self, row: &Row) -> bool {
        session_of(row) == Some(self.caller)
    }

    fn begins(&self, row: &Row) -> bool {
        row.path == self.first && (row.prev_sha256.is_none() || row.mode == Mode::Create)
    }

    /// Whether other parts are there since a row. A part with the text that it had before is the same.
    fn changes(&self, row: &Row) -> bool {
        let is_part = row.path.starts_with(&self.parts);
        let is_same = || row.prev_sha256.is_some() && row.prev_sha256 == row.sha256.digest();
        takes_parts(row) && row.composed.as_deref() == Some(self.step.session)
            || is_part && (self.begins(row) || !is_same())
    }

    /// The refusal, with the parts that are there and who has written them.
    fn refusal(&self, op: &WriteContext<'_>, unknown: Unknown, have: &[u32]) -> Error {
        let mut rows = Vec::new();
        newest(op, self.step.session, AMONG, |row| -> Option<()> {
            if is_of(&row, self.step.session, &self.parts) {
                rows.push(row);
            }
            None
        });
        let row = unknown.row.as_ref().or(rows.first());
        let told = have.iter().skip(have.len().saturating_sub(PARTS_TOLD)).filter_map(|index| {
            let path = op.store.shown_state(&[CHUNKS, self.step.session, &part_name(*index)]);
            let row = rows.iter().find(|row| row.path == path)?;
            let By { client, session, .. } = row.by.clone().unwrap_or_default();
            let sha256 = row.sha256.to_string();
            Some(PartBy { index: *index, bytes: row.bytes, sha256, client, session })
        });
        Error::PartsUnknown(Box::new(UnknownParts {
            session: self.step.session.to_owned(),
            part: self.step.part,
            why: unknown.why,
            last_write: row.map(last_write),
            parts: told.collect(),
            composed: self.composed(&rows),
        }))
    }

    /// The file that the part is in already: the caller has sent it with this text, and the newest compose since has it. Of a
    /// new session, its program has.
    fn composed(&self, rows: &[Row]) -> Option<Composed> {
        let sent = self.step.sent?;
        // A session that has parts here has no others.
        let has_own = rows.iter().any(|row| self.is_own(row));
        let is_of_program =
            |row: &Row| row.by.as_ref().is_some_and(|by| by.is_of_program(self.step.by));
        let is_own = |row: &Row| self.is_own(row) || !has_own && is_of_program(row);
        let mut file = None;
        for row in rows {
            if let Some(composed) = composed::of(row, self.step.session) {
                file = Some(composed);
            } else if row.path == self.this {
                if file.is_some() && row.sha256.digest() == Some(sent) && is_own(row) {
                    return file;
                }
                file = None;
            } else if self.begins(row) {
                file = None;
            }
        }
        None
    }
}

/// Whether a compose has removed the parts.
fn takes_parts(row: &Row) -> bool {
    row.composed.is_some() && !row.gone.is_empty()
}
