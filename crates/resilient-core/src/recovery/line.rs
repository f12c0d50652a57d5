//! A line of a log that belongs to a row: scratchpad entries.

use std::io;

use super::names::make_dirs;
use super::obstacle::Obstacle;
use crate::disk::{Access, File, read_up_to};
use crate::ensure::private_file;
use crate::journal::{Line, ReverseLines, Row};
use crate::log::{cut_torn_tail, write_line};
use crate::roots::Git;
use crate::state::State;
use crate::store::Store;

/// Writes the line of a row again that a crash has taken.
///
/// IMPORTANT: only over what a crash can have left of it. Everything else in the log is somebody else's, who may have made
/// the lines before it longer or shorter.
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
    if file.stat()?.links > 1 {
        return Err(Obstacle::linked());
    }
    match look(&*file, line)? {
        // Again, since its sync may have failed: only fresh bytes are certain to be written.
        Place::Whole | Place::Torn => write_line(&*file, line)?,
        // What stands behind the lines of the batch is somebody else's, who came later.
        Place::Other if file.stat()?.len <= end.unwrap_or_default() && !holds(&*file, line)? => {
            // Lines before it that nobody was answered for may be gone.
            let at = cut_torn_tail(&*file)?;
            write_line(&*file, &Line { at, ..line.clone() })?;
        }
        Place::Other | Place::Taken => {}
    }
    file.sync()?;
    Ok(dir.sync()?)
}

/// What is in the place of a line.
enum Place {
    /// The line.
    Whole,
    /// A part of it, or nothing, and no other line reaches into its place.
    Torn,
    /// Another line, which begins there.
    Taken,
    /// Something else, or the log is shorter.
    Other,
}

fn look(file: &dyn File, line: &Line) -> io::Result<Place> {
    let whole = [line.text.as_bytes(), b"\n"].concat();
    let mut held = vec![0; whole.len()];
    let read = read_up_to(file, &mut held, line.at)?;
    held.truncate(read);
    if held == whole {
        return Ok(Place::Whole);
    }
    let mut before = [0; 1];
    let is_begin = match line.at.checked_sub(1) {
        None => true,
        Some(at) => read_up_to(file, &mut before, at)? == 1 && before == *b"\n",
    };
    if !is_begin {
        return Ok(Place::Other);
    }
    if held.iter().zip(&whole).all(|(held, own)| *held == 0 || held == own) {
        return Ok(Place::Torn);
    }
    for found in ReverseLines::new(file, file.stat()?.len) {
        let found = found?;
        if found.offset <= line.at {
            let is_line = serde_json::from_slice::<serde_json::Value>(&found.text).is_ok();
            return Ok(if found.ended && is_line { Place::Taken } else { Place::Other });
        }
    }
    Ok(Place::Other)
}

/// Whether a line is somewhere in a log.
fn holds(file: &dyn File, line: &Line) -> io::Result<bool> {
    for found in ReverseLines::new(file, file.stat()?.len) {
        if found?.text == line.text.as_bytes() {
            return Ok(true);
        }
    }
    Ok(false)
}
