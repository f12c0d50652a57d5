//! What the newest rows of the journal say of a session.

use crate::closed::{Journals, newest_with};
use crate::commit::WriteContext;
use crate::journal::Row;

/// Where a session was composed into is looked for among so many newest rows.
pub(super) const AMONG: usize = 1000;

/// Looks at those of so many newest rows whose lines hold a text, newest first, until one of them gives an answer.
///
/// A journal that cannot be read is no reason to refuse a part.
pub(super) fn newest_of<T>(
    journals: &Journals,
    text: &str,
    among: usize,
    look: impl FnMut(Row) -> Option<T>,
) -> Option<T> {
    newest_with(journals, text, among, look).ok().flatten()
}

/// The same under the lock, where all rows are decided.
pub(super) fn newest<T>(
    op: &WriteContext<'_>,
    text: &str,
    among: usize,
    look: impl FnMut(Row) -> Option<T>,
) -> Option<T> {
    let (dir, journal) = (&op.state.dir, op.state.journal.clone());
    let journals = Journals::behind(Some(&**dir), journal, op.state.end.len);
    newest_of(&journals.ok()?, text, among, look)
}
