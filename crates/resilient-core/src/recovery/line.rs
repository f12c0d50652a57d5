//! A line of a log that belongs to a row: scratchpad entries.

use super::names::make_dirs;
use super::obstacle::Obstacle;
use crate::disk::{Access, read_up_to};
use crate::ensure::private_file;
use crate::journal::{Line, Row};
use crate::log::{cut_torn_tail, write_line};
use crate::roots::Git;
use crate::state::State;
use crate::store::Store;

/// Writes the line of a row again that a crash has taken, where nobody else's stands in its place.
/// What the batch wrote behind it goes with it: those lines come next.
pub(super) fn redo(
    store: &Store,
    state: &State,
    line: &Line,
    batch: &[Row],
) -> Result<(), Obstacle> {
    let others = batch.iter().filter_map(|row| row.line.as_ref());
    let end = others.filter(|other| other.abs_path == line.abs_path).map(Line::end).max();
    let target = store.row_target(state, &line.abs_path, Git::Protected)?;
    let dir = make_dirs(target.dir, &target.missing, Access::Private)?;
    let file = private_file(&*dir, &target.name)?;
    let mut held = vec![0; line.text.len() + 1];
    let read = read_up_to(&*file, &mut held, line.at)?;
    let whole = held.strip_suffix(b"\n") == Some(line.text.as_bytes()) && read == held.len();
    let len = file.stat()?.len;
    if whole {
        // Again, since its sync may have failed: only fresh bytes are certain to be written.
        write_line(&*file, line)?;
    }
    // What stands behind the place of the line is somebody else's, and so is another line there.
    let is_other = || is_line(held.get(..read).unwrap_or_default());
    if !whole && len <= end.unwrap_or_default() && !is_other() {
        // Lines before it that nobody was answered for may be gone.
        let at = line.at.min(cut_torn_tail(&*file)?);
        file.set_len(at)?;
        write_line(&*file, &Line { at, ..line.clone() })?;
    }
    file.sync()?;
    Ok(dir.sync()?)
}

/// Whether bytes are a whole line of JSON, which no crash can leave of another one.
fn is_line(bytes: &[u8]) -> bool {
    let text = bytes.strip_suffix(b"\n");
    text.is_some_and(|text| serde_json::from_slice::<serde_json::Value>(text).is_ok())
}
