//! An attempt at a file: part 1, and the parts that follow it until another part 1 begins anew. Two callers make no
//! mixture of their parts that neither of them has written.

use super::part_name;
use super::rows::newest;
use crate::commit::WriteContext;
use crate::error::{Error, LastWrite, Result};
use crate::journal::{By, Row};
use crate::store::CHUNKS;

/// Checks that a caller may add to the attempt that a session holds, or write the file that it makes.
///
/// It may not if its own parts are of an earlier attempt, since somebody has begun anew after them. Nor may it replace a
/// part that another client has written last. A caller that has written none may go on where others have stopped.
pub(super) fn check(
    op: &WriteContext<'_>,
    by: &By,
    session: &str,
    part: u32,
    replaces: bool,
) -> Result<()> {
    if by.session.is_none() {
        return Ok(());
    }
    let path_of = |part: u32| op.store.shown_state(&[CHUNKS, session, &part_name(part)]);
    let parts = op.store.shown_state(&[CHUNKS, session, "part-"]);
    let mut look = Look {
        by,
        session,
        part,
        first: path_of(1),
        this: path_of(part),
        is_in: false,
        may_replace: !replaces,
        beginning: None,
    };
    let found = newest(op, &parts, |row| match row.path.starts_with(&parts) {
        true => look.at(row),
        false => None,
    });
    found.unwrap_or(Ok(()))
}

/// What the rows of parts say of a caller, from the newest one on.
struct Look<'a> {
    by: &'a By,
    session: &'a str,
    /// The part that the caller sends.
    part: u32,
    /// The path of part 1.
    first: String,
    /// The path of the caller's part.
    this: String,
    /// Whether the caller has written a part of the present attempt.
    is_in: bool,
    /// Whether nothing is replaced, or only what the caller may replace.
    may_replace: bool,
    /// The part 1 with which the present attempt began, once the rows are older.
    beginning: Option<Row>,
}

impl Look<'_> {
    /// Looks at the next row. Gives the answer once older rows cannot change it.
    fn at(&mut self, row: Row) -> Option<Result<()>> {
        let writer = row.by.clone().unwrap_or_default();
        let is_own = writer.session == self.by.session;
        if let Some(beginning) = self.beginning.take_if(|_| is_own) {
            return Some(Err(self.refused(beginning, true)));
        }
        if self.beginning.is_some() {
            return None;
        }
        self.is_in |= is_own;
        if !self.may_replace && row.path == self.this {
            if !is_own && !writer.is_of_program(self.by) {
                return Some(Err(self.refused(row, false)));
            }
            self.may_replace = true;
        }
        let begins = row.path == self.first && row.prev_sha256.is_none();
        if self.is_in && (self.may_replace || begins) {
            return Some(Ok(()));
        }
        self.beginning = begins.then_some(row);
        None
    }

    fn refused(&self, row: Row, begun_anew: bool) -> Error {
        let By { client, session, tool, .. } = row.by.unwrap_or_default();
        let (journal_id, ts, mode) = (row.journal_id, row.ts, row.mode.as_str().to_owned());
        let last_write = LastWrite { journal_id, ts, mode, client, session, tool };
        let (session, last_write) = (self.session.to_owned(), Box::new(last_write));
        Error::PartOfAnother { session, part: self.part, begun_anew, last_write }
    }
}
