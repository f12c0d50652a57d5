//! The file that a session was composed into: what a session that is gone, or was begun again, has become.

use super::kept::list;
use super::manifest::manifest;
use super::rows::{AMONG, newest, newest_of};
use crate::closed::Journals;
use crate::commit::{Old, WriteContext};
use crate::digest::Digest;
use crate::error::{Composed, Error, Result};
use crate::journal::{By, Row};
use crate::roots::Target;
use crate::write::check;

/// The file that a session was composed into last, if that is among the newest rows.
pub(crate) fn composed_of(journals: &Journals, session: &str) -> Option<Composed> {
    newest_of(journals, session, AMONG, |row| of(&row, session))
}

/// What a row says of the compose of a session, if it is the row of one.
pub(super) fn of(row: &Row, session: &str) -> Option<Composed> {
    (row.composed.as_deref() == Some(session)).then(|| Composed {
        journal_id: row.journal_id.clone(),
        path: row.path.clone(),
        sha256: row.sha256.to_string(),
        ts: row.ts.clone(),
        client: row.by.as_ref().and_then(|by| by.client.clone()),
    })
}

/// The file that an earlier session of this name was composed into, whose parts are gone.
pub(super) fn before(op: &WriteContext<'_>, session: &str) -> Result<Option<Composed>> {
    match list(op.store, session)? {
        Some((_, parts)) if !parts.is_empty() => {
            Ok(manifest(op.store, session)?.and_then(|found| found.composed_before))
        }
        _ => Ok(newest_file(op, session)),
    }
}

/// The file that a session of this name was composed into last.
pub(super) fn newest_file(op: &WriteContext<'_>, session: &str) -> Option<Composed> {
    newest(op, session, AMONG, |row| of(&row, session))
}

/// Checks that a part is the one expected. If it is gone since the session was composed, the refusal says so.
pub(super) fn check_part(
    op: &WriteContext<'_>,
    session: &str,
    target: &Target,
    old: Option<&Old>,
    expected: Option<&str>,
) -> Result<()> {
    let stale = match check(target, old, expected) {
        Err(Error::Stale { expected, actual: None, .. }) if !expected.is_empty() => expected,
        other => return other,
    };
    if let Some(composed) = before(op, session)? {
        let (session, composed) = (session.to_owned(), Box::new(composed));
        return Err(Error::SessionComposed { session, expected: stale, composed });
    }
    check(target, old, expected)
}

/// Checks that a compose that names no digest loses nothing of a file that its session was composed into: the parts
/// of the last such compose are still there, and the file holds what it left, or what the same client wrote since.
pub(super) fn check_left(
    op: &WriteContext<'_>,
    by: Option<&By>,
    session: &str,
    target: &Target,
    old: &Old,
) -> Result<()> {
    let before = before(op, session)?;
    // Whether the parts that the file was made of are gone: the session was begun again since.
    let mut are_gone = false;
    let left = newest(op, session, AMONG, |row| {
        let left = of(&row, session)?;
        are_gone |= before.as_ref().is_some_and(|it| it.is_same_as(&left));
        (left.path == target.shown).then_some(left)
    });
    let Some(left) = left else { return Ok(()) };
    let (path, actual) = (target.shown.clone(), old.digest);
    if are_gone {
        let (session, composed) = (session.to_owned(), Box::new(left));
        return Err(Error::ComposedBefore { session, path, actual, composed });
    }
    if left.sha256 == actual.to_string() || is_own(op, by, &path, actual) {
        return Ok(());
    }
    Err(Error::Stale { path, expected: left.sha256, actual: Some(actual), since: None })
}

/// Whether the content of a file was written by the client that calls.
fn is_own(op: &WriteContext<'_>, by: Option<&By>, path: &str, content: Digest) -> bool {
    let newest = newest(op, path, AMONG, |row| (row.path == path).then_some(row));
    let is_own = |row: Row| {
        let is_of_program = row.by?.is_of_program(by?);
        Some(is_of_program && row.sha256.digest() == Some(content))
    };
    newest.and_then(is_own).unwrap_or_default()
}
