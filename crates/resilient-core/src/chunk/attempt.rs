//! An attempt at a file: part 1, and the parts that follow it until another part 1 begins anew. Two callers make no
//! mixture of their parts that neither of them has written.
//!
//! A caller knows the parts as they were at its last part, or when it listed them last, in this session of its client.
//! One of a new session knows what its program has sent before.

use super::composed;
use super::kept::{list, part_name};
use super::looked::{Known, Refused};
use super::rows::{newest, newest_of};
use crate::commit::{Committer, WriteContext};
use crate::error::{Composed, Error, LastWrite, PartBy, Result};
use crate::journal::{By, Mode, Row};
use crate::store::{CHUNKS, Store};

/// A refusal names no more parts: those with the highest numbers.
const PARTS_TOLD: usize = 50;

/// What a caller is about to do with the parts of a session.
pub(super) struct Step<'a> {
    pub(super) by: &'a By,
    pub(super) session: &'a str,
    /// The part that it sends, or the last one of a file that it publishes.
    pub(super) part: u32,
    /// Whether it sends the part.
    pub(super) is_sent: bool,
    /// Whether the part takes the place of one with another text.
    pub(super) replaces: bool,
    /// What the caller knows beside what it has sent.
    pub(super) known: Option<&'a Known>,
}

/// Checks that a caller knows the attempt to which it adds a part, or of which it publishes the file.
///
/// It does not if somebody else has begun anew, or has replaced a part, since what it knows. Nor does one of a new session
/// if the attempt was begun over the parts of somebody else. A part of another program is replaced only by who has
/// listed it. A caller whose program has written none of the attempt may go on where others have stopped once it has listed
/// the parts. After a part that was refused, it sends that one again, lists the parts, or begins anew.
pub(super) fn check(op: &WriteContext<'_>, step: &Step<'_>) -> Result<()> {
    if step.by.session.is_none() {
        return Ok(());
    }
    let mut past = Past::of(op.store, step);
    newest(op, step.session, |row| {
        past.add(row);
        past.is_known().then_some(())
    });
    if past.refusal().is_none() {
        let refused = match step.known.and_then(|known| known.refused) {
            None => return Ok(()),
            Some(Refused::Beginning) => None,
            // This one again, or one that begins anew.
            Some(Refused::Part(part)) if step.is_sent && [1, part].contains(&step.part) => {
                return Ok(());
            }
            Some(Refused::Part(part)) => Some(part),
        };
        let (session, part) = (step.session.to_owned(), step.part);
        let are_kept = list(op.store, &session)?.is_some_and(|(_, have)| !have.is_empty());
        return Err(Error::AfterRefusedPart { session, part, refused, are_kept });
    }
    // What the refusal lists of the parts is in older rows, too.
    let mut past = Past::of(op.store, step);
    newest(op, step.session, |row| -> Option<()> {
        past.add(row);
        None
    });
    let Some((row, begun_anew)) = past.refusal() else { return Ok(()) };
    let By { client, session, tool, .. } = row.by.clone().unwrap_or_default();
    let (journal_id, ts) = (row.journal_id.clone(), row.ts.clone());
    let mode = row.mode.as_str().to_owned();
    Err(Error::PartOfAnother {
        session: step.session.to_owned(),
        part: step.part,
        begun_anew,
        last_write: Box::new(LastWrite { journal_id, ts, mode, client, session, tool }),
        parts: past.parts(op.store)?,
        composed: past.composed().map(Box::new),
    })
}

/// The row up to which a caller knows the parts of a session that it lists after this.
pub(super) fn newest_row(store: &Committer, session: &str) -> Option<String> {
    let journals = store.visible().ok()??;
    let parts = parts_of(store, session);
    newest_of(&journals, session, |row| is_of(&row, session, &parts).then_some(row.journal_id))
}

/// How the paths of a session's parts begin.
fn parts_of(store: &Store, session: &str) -> String {
    store.shown_state(&[CHUNKS, session, "part-"])
}

/// Whether a row is of a part of a session, or of its compose.
fn is_of(row: &Row, session: &str, parts: &str) -> bool {
    row.path.starts_with(parts) || row.composed.as_deref() == Some(session)
}

/// What was done with the parts of a session, and which part of that a caller knows.
struct Past<'a> {
    step: &'a Step<'a>,
    /// How the paths of the parts begin.
    parts: String,
    /// The path of part 1.
    first: String,
    /// The path of the caller's part.
    this: String,
    /// The newest first.
    rows: Vec<Row>,
}

impl<'a> Past<'a> {
    fn of(store: &Store, step: &'a Step<'a>) -> Self {
        let path_of = |part| store.shown_state(&[CHUNKS, step.session, &part_name(part)]);
        let (first, this) = (path_of(1), path_of(step.part));
        Self { step, parts: parts_of(store, step.session), first, this, rows: Vec::new() }
    }

    fn add(&mut self, row: Row) {
        if is_of(&row, self.step.session, &self.parts) {
            self.rows.push(row);
        }
    }

    /// Whether older rows change nothing for a caller that may go on.
    fn is_known(&self) -> bool {
        let is_known = self.own().is_some() || self.rows.iter().any(|row| self.is_listed(row));
        is_known && (!self.step.replaces || self.replaced().is_some())
    }

    /// The place of the newest row of the caller itself.
    fn own(&self) -> Option<usize> {
        self.rows.iter().position(|row| session_of(row) == self.step.by.session.as_deref())
    }

    /// The place of the newest row of the caller's program.
    fn of_program(&self) -> Option<usize> {
        self.rows.iter().position(|row| self.is_of_program(row))
    }

    /// The place of the row up to which the caller has listed. If it is not among the newest ones, all are newer.
    fn listed(&self) -> Option<usize> {
        self.listed_row()?;
        let place = self.rows.iter().position(|row| self.is_listed(row));
        Some(place.unwrap_or(self.rows.len()))
    }

    fn is_listed(&self, row: &Row) -> bool {
        self.listed_row() == Some(row.journal_id.as_str())
    }

    fn listed_row(&self) -> Option<&str> {
        self.step.known?.listed.as_deref()
    }

    /// The place of the row of the part that would be replaced.
    fn replaced(&self) -> Option<usize> {
        self.rows.iter().position(|row| row.path == self.this)
    }

    /// The row for which the caller is refused, and whether somebody has begun anew with it.
    fn refusal(&self) -> Option<(&Row, bool)> {
        let (own, listed) = (self.own(), self.listed());
        let known = own.into_iter().chain(listed).min();
        let seen = known.or_else(|| self.of_program()).unwrap_or_default();
        let unseen = || self.rows.iter().take(seen);
        let begun = match known {
            Some(_) => unseen().find(|row| self.begins(row)),
            None => self.begun_over_another(),
        };
        if let Some(row) = begun {
            return Some((row, true));
        }
        if let Some(row) = unseen().find(|row| self.replaces(row)) {
            return Some((row, false));
        }
        if let Some(at) = self.replaced().filter(|_| self.step.replaces) {
            let row = self.rows.get(at)?;
            let is_listed = listed.is_some_and(|listed| at >= listed);
            let is_known = known.is_none_or(|known| at >= known) && self.is_of_program(row);
            if !is_listed && !is_known {
                return Some((row, false));
            }
        }
        self.of_others().map(|row| (row, false))
    }

    /// The newest row of the attempt, if only other programs have written it and the caller has not listed it.
    fn of_others(&self) -> Option<&Row> {
        let is_of_itself = |known: &&Known| matches!(known.refused, Some(Refused::Part(_)));
        if self.step.known.is_some_and(|known| known.listed.is_some() || !is_of_itself(&known)) {
            return None;
        }
        let newer = || self.rows.iter().take_while(|row| !takes_parts(row));
        let of_attempt = newer().position(|row| self.begins(row)).map_or(usize::MAX, |at| at + 1);
        let mut attempt = newer().take(of_attempt);
        let newest = newer().next()?;
        (!attempt.any(|row| self.is_of_program(row))).then_some(newest)
    }

    /// The beginning of the attempt, if a caller of a new session cannot know whose the parts are: the attempt was begun over
    /// the parts of another session, or after one had composed them, or the caller's program has parts in an earlier one alone.
    fn begun_over_another(&self) -> Option<&Row> {
        let at = self.rows.iter().position(|row| self.begins(row))?;
        let beginning = self.rows.get(at)?;
        let mut attempt = self.rows.iter().take(at + 1);
        let older = || self.rows.iter().skip(at + 1);
        let until_taken = older().position(takes_parts).map_or(usize::MAX, |at| at + 1);
        let is_over_another =
            older().take(until_taken).any(|row| session_of(row) != session_of(beginning));
        let is_left = older().any(|row| self.is_of_program(row))
            && !attempt.any(|row| self.is_of_program(row));
        (is_over_another || is_left).then_some(beginning)
    }

    fn is_of_program(&self, row: &Row) -> bool {
        let is_own = session_of(row) == self.step.by.session.as_deref();
        is_own || row.by.as_ref().is_some_and(|by| by.is_of_program(self.step.by))
    }

    fn begins(&self, row: &Row) -> bool {
        row.path == self.first && (row.prev_sha256.is_none() || row.mode == Mode::Create)
    }

    fn replaces(&self, row: &Row) -> bool {
        row.path.starts_with(&self.parts)
            && !self.begins(row)
            && row.prev_sha256.is_some()
            && row.prev_sha256 != row.sha256.digest()
    }

    /// The parts that are there, with who has written them.
    fn parts(&self, store: &Store) -> Result<Vec<PartBy>> {
        let have = list(store, self.step.session)?.map(|(_, parts)| parts).unwrap_or_default();
        let told = have.iter().skip(have.len().saturating_sub(PARTS_TOLD)).filter_map(|index| {
            let path = store.shown_state(&[CHUNKS, self.step.session, &part_name(*index)]);
            let row = self.rows.iter().find(|row| row.path == path)?;
            let By { client, session, .. } = row.by.clone().unwrap_or_default();
            let sha256 = row.sha256.to_string();
            Some(PartBy { index: *index, bytes: row.bytes, sha256, client, session })
        });
        Ok(told.collect())
    }

    /// The file that the caller's own parts have become. The part of this number was its own, and nobody has begun anew or
    /// replaced a part between its last part and the compose.
    fn composed(&self) -> Option<Composed> {
        let has_own = self.own().is_some();
        let is_own = |row: &Row| match has_own {
            true => session_of(row) == self.step.by.session.as_deref(),
            false => self.is_of_program(row),
        };
        let is_own_part = |row: &Row| row.path.starts_with(&self.parts) && is_own(row);
        let last = self.rows.iter().position(is_own_part)?;
        let (newer, older) = self.rows.split_at_checked(last)?;
        let this = older.iter().find(|row| row.path == self.this || self.begins(row))?;
        if this.path != self.this || !is_own(this) {
            return None;
        }
        let ends = |row: &&Row| row.composed.is_some() || self.begins(row) || self.replaces(row);
        composed::of(newer.iter().rev().find(ends)?, self.step.session)
    }
}

/// Whether a compose has removed the parts: what is older is of another attempt.
fn takes_parts(row: &Row) -> bool {
    row.composed.is_some() && !row.gone.is_empty()
}

fn session_of(row: &Row) -> Option<&str> {
    row.by.as_ref().and_then(|by| by.session.as_deref())
}
