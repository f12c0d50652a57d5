//! Rows of a state directory whose home has another path now: it was moved, or this process knows it by another
//! name, such as that of a bind mount.
//!
//! A row has absolute paths. Where its `place` shows that this state directory is the one that it was written in,
//! the paths below its home lead to the same files below the current home.

use std::io;
use std::path::Path;

use crate::disk::{FileId, Kind};
use crate::journal::Row;
use crate::state::State;
use crate::store::Store;

/// A row with its paths as they are now. In the journal and in `pending/` it stays as it was written.
pub(super) fn relocated(store: &Store, state: &State, row: &Row) -> Row {
    let mut row = row.clone();
    let is_ours = row.place.is_some() && !state.is_copy_for(&row);
    let moved = row.home().filter(|_| is_ours).and_then(|home| Moved::from(store, state, home));
    let Some(moved) = moved else { return row };
    let also = row.also.iter_mut().flat_map(|also| [&mut also.abs_path, &mut also.staged]);
    let line = row.line.iter_mut().map(|line| &mut line.abs_path);
    // A slot in `tmp/` is a name alone.
    also.chain(line)
        .chain(&mut row.abs_path)
        .chain(&mut row.staged)
        .for_each(|path| moved.carry(path));
    row
}

/// A home whose path has changed.
pub(super) struct Moved {
    before: String,
    here: String,
}

impl Moved {
    /// The current home, where `before` was its path once and is no more, or is another name of it.
    pub(super) fn from(store: &Store, state: &State, before: &str) -> Option<Self> {
        let here = state.home.path.to_string_lossy();
        if before == here || is_elsewhere(store, state, before) {
            return None;
        }
        Some(Self { before: before.to_owned(), here: here.into_owned() })
    }

    /// Carries a path from the old home to the new one, if it is in there.
    pub(super) fn carry(&self, path: &mut String) {
        if let Ok(inside) = Path::new(path.as_str()).strip_prefix(&self.before) {
            *path = Path::new(&self.here).join(inside).to_string_lossy().into_owned();
        }
    }
}

/// Whether another directory than the current home is at a path: then somebody has moved the state directory
/// alone, and the row's files are still there.
fn is_elsewhere(store: &Store, state: &State, before: &str) -> bool {
    match id_of(store, Path::new(before)) {
        Ok(found) => state.home.dir.id().ok() != Some(found),
        Err(error) => {
            !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        }
    }
}

fn id_of(store: &Store, path: &Path) -> io::Result<FileId> {
    let stat = store.disk.stat(path)?;
    if stat.kind == Kind::Link { store.disk.open_root(path)?.id() } else { Ok(stat.id) }
}
