//! The file that a session was composed into: what a session that is gone, or was begun again, has become.

use std::io;

use super::{list, manifest};
use crate::closed::{Journals, newest_compose};
use crate::commit::{Old, WriteContext};
use crate::error::{Composed, Error, Result};
use crate::journal::Row;
use crate::roots::Target;
use crate::write::check;

/// That a session was composed is looked for among so many newest rows.
const AMONG: usize = 1000;

/// The file that a session was composed into last, if that is among the newest rows.
pub(crate) fn composed_of(journals: &Journals, session: &str) -> io::Result<Option<Composed>> {
    Ok(newest_compose(journals, session, None, AMONG)?.map(composed))
}

fn composed(Row { path, sha256, ts, .. }: Row) -> Composed {
    Composed { path, sha256: sha256.to_string(), ts }
}

/// The same under the lock, where all rows are decided; of a path, where one is given.
///
/// A journal that cannot be read is no reason to refuse a part.
fn so_far(op: &WriteContext<'_>, session: &str, path: Option<&str>) -> Option<Composed> {
    let (dir, journal) = (&op.state.dir, op.state.journal.clone());
    let journals = Journals::behind(Some(&**dir), journal, op.state.end.len);
    let row = journals.and_then(|journals| newest_compose(&journals, session, path, AMONG));
    row.ok().flatten().map(composed)
}

/// The file that an earlier session of this name was composed into, whose parts are gone.
pub(super) fn before(op: &WriteContext<'_>, session: &str) -> Result<Option<Composed>> {
    match list(op.store, session)? {
        Some((_, parts)) if !parts.is_empty() => {
            Ok(manifest(op.store, session)?.and_then(|found| found.composed_before))
        }
        _ => Ok(so_far(op, session, None)),
    }
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

/// Checks that a compose that names no digest does not replace what the session's parts have become before.
///
/// A session that was begun again has a part of the text only. Its first compose may be meant to add that part.
pub(super) fn check_first(
    op: &WriteContext<'_>,
    session: &str,
    target: &Target,
    old: &Old,
) -> Result<()> {
    let Some(before) = before(op, session)?.filter(|before| before.path == target.shown) else {
        return Ok(());
    };
    // After its first compose the file is made of the parts that are there.
    if so_far(op, session, Some(&before.path)).is_some_and(|last| last != before) {
        return Ok(());
    }
    let (session, path, composed) = (session.to_owned(), target.shown.clone(), Box::new(before));
    Err(Error::ComposedBefore { session, path, actual: old.digest, composed })
}
