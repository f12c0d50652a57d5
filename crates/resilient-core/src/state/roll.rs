//! Closing the journal: it gets a name in `journal/`, and an empty one takes its place.
//!
//! The name `journal.jsonl` is never absent. First the journal gets its second name, durably; then a new
//! file takes the first one. A crash in between leaves one file of two names. It is the current journal,
//! and the next roll finishes what was begun.

use std::ffi::OsStr;
use std::io;

use super::{State, is_nonsense};
use crate::closed::{self, Name};
use crate::disk::{Access, Dir, DirRef, File, FileBox, Replace, Stat};
use crate::ensure;
use crate::journal::{End, ReverseLines, Row, find_end};

/// The current journal.
const CURRENT: &str = "journal.jsonl";
/// A new journal until it has its name.
const NEXT: &str = "next.jsonl";

/// Closes the journal, at whose end nothing is unfinished. Tells whether it did: where something stands in
/// the way, the journal goes on growing. That costs time and room, and nothing else.
///
/// # Errors
/// It is not known which file the journal is now.
pub(super) fn roll(state: &mut State) -> io::Result<bool> {
    let Ok(Some((closed, next))) = prepare(state) else { return Ok(false) };
    closed.rename(OsStr::new(NEXT), &*state.dir, OsStr::new(CURRENT), Replace::Yes)?;
    state.dir.sync()?;
    state.end = End { len: 0, covered: 0, ..state.end.clone() };
    state.take_journal(next.into())?;
    state.mark_clean();
    Ok(true)
}

/// Gives the journal its second name, durably, and makes the next one; `None` where the file system gives a
/// file no second name.
fn prepare(state: &State) -> io::Result<Option<(DirRef, FileBox)>> {
    let closed = ensure::private_dir(&*state.dir, OsStr::new(closed::DIR))?;
    // IMPORTANT: a name is only as durable as the directory that it is in.
    state.dir.sync()?;
    closed::sweep(&*closed);
    let last = closed::names(&*closed)?.pop();
    let begun = match &last {
        Some(name) => begun(&*closed, name, &*state.journal)?,
        None => None,
    };
    if begun != Some(Begun::Whole) {
        let number = last.map_or(0, |last| last.number);
        let name = Name::of(if begun.is_some() { number } else { number.saturating_add(1) });
        match state.dir.hard_link(OsStr::new(CURRENT), &*closed, &name.file) {
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied
                ) =>
            {
                return Ok(None);
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
    Ok(Some((closed, next)))
}

/// Whether a journal of several names has one of them because its closing was interrupted.
pub(super) fn is_begun(dir: &dyn Dir, journal: &Stat) -> io::Result<bool> {
    if journal.links == 1 {
        return Ok(false);
    }
    let Some(closed) = closed::open(dir)? else { return Ok(false) };
    let Some(name) = closed::names(&*closed)?.pop() else { return Ok(false) };
    Ok(closed.stat(&name.file)?.id == journal.id)
}

/// How far an interrupted closing has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begun {
    /// The journal has its second name.
    Whole,
    /// It had, before the state directory was copied: the name led to a copy, which is gone now.
    Copy,
}

/// Finds out whether the newest closed journal is the current one.
fn begun(closed: &dyn Dir, name: &Name, journal: &dyn File) -> io::Result<Option<Begun>> {
    let file = closed.open(&name.file)?;
    if file.id()? == journal.id()? {
        return Ok(Some(Begun::Whole));
    }
    if !closed::is_in_current(&*file, journal)? {
        return Ok(None);
    }
    closed.remove_file(&name.file)?;
    Ok(Some(Begun::Copy))
}

/// The end of the journal that was closed last: numbers and chain go on behind it. Where there is none, or it is no
/// journal, a new epoch begins.
///
/// # Errors
/// It cannot be read now. A new epoch would look like rows that were taken out, for good.
pub(super) fn last_closed_end(dir: &dyn Dir) -> io::Result<End> {
    last_closed_end_within(dir, u64::MAX)
}

/// The same of no more than its first `len` bytes. So long is the end that is given, too.
///
/// # Errors
/// As above.
pub(super) fn last_closed_end_within(dir: &dyn Dir, len: u64) -> io::Result<End> {
    let end = || -> io::Result<End> {
        let Some(closed) = closed::open(dir)? else { return Ok(End::default()) };
        let mut of_last = None;
        for name in closed::names(&*closed)?.iter().rev() {
            let file = closed.open(&name.file)?;
            let whole = file.stat()?.len;
            let within = if of_last.is_none() { whole.min(len) } else { whole };
            let len = *of_last.get_or_insert(within);
            if let Some(end) = find_end(&*file, within)? {
                return Ok(End { len, ..end });
            }
            if !ends_with_row(&*file, whole)? {
                break;
            }
            // Only others have written in it: numbers and chain come from the one before.
        }
        Ok(End { len: of_last.unwrap_or_default(), ..End::default() })
    };
    match end() {
        Err(error) if error.kind() != io::ErrorKind::NotFound && !is_nonsense(&error) => Err(error),
        end => Ok(end.unwrap_or_default()),
    }
}

/// Whether the last line of a journal is a row, of ours or of others.
fn ends_with_row(journal: &dyn File, len: u64) -> io::Result<bool> {
    let last = ReverseLines::new(journal, len).next().transpose()?;
    Ok(last.is_some_and(|line| Row::parse(&line.text).is_some()))
}
