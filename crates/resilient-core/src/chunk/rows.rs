//! What the newest rows of the journal say of a session.

use crate::closed::{Journals, newest_with};
use crate::commit::WriteContext;
use crate::journal::Row;

/// What was done with a session is looked for among so many newest rows.
const AMONG: usize = 1000;

/// Looks at the rows whose lines hold a text, newest first, until one of them gives an answer.
///
/// A journal that cannot be read is no reason to refuse a part.
pub(super) fn newest_of<T>(
    journals: &Journals,
    text: &str,
    look: impl FnMut(Row) -> Option<T>,
) -> Option<T> {
    newest_with(journals, text, AMONG, look).ok().flatten()
}

/// The same under the lock, where all rows are decided.
pub(super) fn newest<T>(
    op: &WriteContext<'_>,
    text: &str,
    look: impl FnMut(Row) -> Option<T>,
) -> Option<T> {
    let (dir, journal) = (&op.state.dir, op.state.journal.clone());
    let journals = Journals::behind(Some(&**dir), journal, op.state.end.len);
    newest_of(&journals.ok()?, text, look)
}
