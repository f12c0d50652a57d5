//! What the newest rows of the journal say of a session.

use crate::closed::{Journals, newest_with};
use crate::commit::WriteContext;
use crate::journal::Row;

/// What was done with a session is looked for among so many newest rows.
pub(super) const AMONG: usize = 1000;

/// Looks at the rows whose lines hold a text, newest first, until one of them gives an answer. Under the lock all rows
/// are decided.
///
/// A journal that cannot be read is no reason to refuse a part.
pub(super) fn newest<T>(
    op: &WriteContext<'_>,
    text: &str,
    look: impl FnMut(Row) -> Option<T>,
) -> Option<T> {
    let (dir, journal) = (&op.state.dir, op.state.journal.clone());
    let journals = Journals::behind(Some(&**dir), journal, op.state.end.len);
    journals.and_then(|journals| newest_with(&journals, text, AMONG, look)).ok().flatten()
}
