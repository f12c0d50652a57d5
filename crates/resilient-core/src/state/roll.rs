//! Closing the journal: it gets a name in `journal/`, and an empty one takes its place.
//!
//! The name `journal.jsonl` is never absent. First the journal gets its second name, durably; then a new
//! file takes the first one. A crash in between leaves one file of two names. It is the current journal,
//! and the next roll finishes what was begun.

use std::ffi::{OsStr, OsString};
use std::io;

use super::{State, open_or_make};
use crate::disk::{Access, Dir, Replace};
use crate::journal::{End, find_end};

/// The directory of closed journals, in the state directory.
const CLOSED: &str = "journal";
/// The current journal.
const CURRENT: &str = "journal.jsonl";
/// A new journal until it has its name.
const NEXT: &str = "next.jsonl";

/// Closes the journal, at whose end nothing is unfinished. Tells whether it did: where the file system
/// gives a file no second name, the journal goes on growing.
pub(super) fn roll(state: &mut State) -> io::Result<bool> {
    let closed = open_or_make(&*state.dir, CLOSED)?;
    // IMPORTANT: a name is only as durable as the directory that it is in.
    state.dir.sync()?;
    let last = last_closed(&*closed)?;
    let is_begun = match &last {
        Some((_, name)) => closed.stat(name)?.id == state.journal.id()?,
        None => false,
    };
    if !is_begun {
        let number = last.map_or(0, |(number, _)| number).saturating_add(1);
        match state.dir.hard_link(OsStr::new(CURRENT), &*closed, &name_of(number)) {
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied
                ) =>
            {
                return Ok(false);
            }
            other => other?,
        }
    }
    // IMPORTANT: before the first name goes. It would be the only one.
    closed.sync()?;
    match closed.remove_file(OsStr::new(NEXT)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let next = closed.create_new(OsStr::new(NEXT), Access::Private)?;
    next.sync()?;
    closed.rename(OsStr::new(NEXT), &*state.dir, OsStr::new(CURRENT), Replace::Yes)?;
    state.dir.sync()?;
    state.end = End { len: 0, covered: 0, ..state.end.clone() };
    state.take_journal(next.into())?;
    state.mark_clean();
    Ok(true)
}

/// The end of the journal that was closed last: numbers and chain go on behind it. That of an empty
/// journal where there is none.
pub(super) fn last_closed_end(dir: &dyn Dir) -> io::Result<End> {
    let closed = match dir.open_dir(OsStr::new(CLOSED)) {
        Ok(closed) => closed,
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return Ok(End::default());
        }
        Err(error) => return Err(error),
    };
    let Some((_, name)) = last_closed(&*closed)? else { return Ok(End::default()) };
    let file = closed.open(&name)?;
    Ok(find_end(&*file, file.stat()?.len)?.unwrap_or_default())
}

/// The number and name of the journal that was closed last, as it is kept for a day at least.
fn last_closed(closed: &dyn Dir) -> io::Result<Option<(u64, OsString)>> {
    let numbered = closed.entries()?.into_iter().filter_map(|name| {
        let number = name.to_str()?.strip_suffix(".jsonl")?.parse::<u64>().ok()?;
        Some((number, name))
    });
    Ok(numbered.max())
}

fn name_of(number: u64) -> OsString {
    format!("{number:06}.jsonl").into()
}
