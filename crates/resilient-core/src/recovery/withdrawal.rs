//! Rewriting the journal's end: some rows go, the others stay.

use std::ffi::OsStr;
use std::io;

use serde::{Deserialize, Serialize};

use crate::contents::holds;
use crate::disk::{File, Replace, read_all};
use crate::journal::{End, Row};
use crate::state::{State, WITHDRAWAL};

/// The first line of the record of a new end, which is durable before the old end is touched. The
/// lines of the new end follow it as they are.
#[derive(Serialize, Deserialize)]
struct Header {
    /// Where the new end begins.
    offset: u64,
    /// Records of earlier builds hold the lines here.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    rows: String,
}

/// The rows of one batch and what came behind it are shorter.
const LONGEST: u64 = 1 << 30;

/// What the journal's new end consists of.
pub(super) enum Item<'a> {
    /// A row of ours, to be numbered and chained anew.
    Row(&'a Row),
    /// Lines of other writers, kept as they are.
    Raw(Vec<u8>),
}

/// Replaces everything in the journal from `start` on. Some of the rows belong to files that are
/// published: no crash may lose one of those.
///
/// # Errors
/// The disk refuses. The next recovery then completes the replacement or finds the old end.
pub(super) fn replace_end(state: &mut State, start: &End, items: &[Item<'_>]) -> io::Result<()> {
    state.mark_dirty(start)?;
    let mut rows = state.rows_behind(start)?;
    for item in items {
        match item {
            Item::Row(row) => rows.row(row)?,
            Item::Raw(lines) => rows.others(lines),
        }
    }
    let (bytes, end) = rows.finish();
    let is_tail = holds(&*state.journal, start.len, &bytes)?;
    state.end = end;
    if is_tail {
        // What goes is behind what stays. A cut needs no room, which a full disk does not have.
        state.journal.set_len(start.len + bytes.len() as u64)?;
        return state.journal.sync();
    }
    let mut record = serde_json::to_vec(&Header { offset: start.len, rows: String::new() })?;
    record.push(b'\n');
    record.extend(bytes);
    let (slot, file) = state.slots.take()?;
    file.make_private()?;
    file.write_all_at(&record, 0)?;
    file.sync()?;
    state.tmp.rename(&slot, &*state.dir, OsStr::new(WITHDRAWAL), Replace::Yes)?;
    redo(state)
}

/// The same for a batch of which some rows stay, and lines of other writers behind it.
pub(crate) fn withdraw(
    state: &mut State,
    start: &End,
    rows: &[&Row],
    others: Vec<u8>,
) -> io::Result<()> {
    let rows = rows.iter().copied().map(Item::Row);
    let items: Vec<Item<'_>> = rows.chain([Item::Raw(others)]).collect();
    replace_end(state, start, &items)
}

/// Where the new end begins of a replacement that a crash has interrupted; `None` without one.
///
/// # Errors
/// What is there is no record.
pub(super) fn interrupted(state: &State) -> io::Result<Option<u64>> {
    match state.dir.open(OsStr::new(WITHDRAWAL)) {
        Ok(file) => Ok(Some(read(&*file)?.0.offset)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Completes a replacement.
pub(super) fn redo(state: &State) -> io::Result<()> {
    let name = OsStr::new(WITHDRAWAL);
    let file = match state.dir.open(name) {
        Ok(file) => file,
        // IMPORTANT: that one is gone for good, or it would come back and cut off what follows; its
        // process may have been killed before its sync. So may one that made the state directory:
        // the names in it become durable here, too.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return state.dir.sync(),
        Err(error) => return Err(error),
    };
    // IMPORTANT: the record is durable, under its name, before the journal changes.
    state.dir.sync()?;
    let (header, lines) = read(&*file)?;
    state.journal.set_len(header.offset)?;
    state.journal.write_all_at(&lines, header.offset)?;
    state.journal.sync()?;
    // IMPORTANT: gone for good before the journal grows again.
    state.dir.remove_file(name)?;
    state.dir.sync()
}

/// Reads a record: its header, and the lines of the new end.
fn read(file: &dyn File) -> io::Result<(Header, Vec<u8>)> {
    let mut record = read_all(file, LONGEST)?;
    let end = memchr::memchr(b'\n', &record);
    let lines = end.map(|end| record.split_off(end + 1));
    let header: Header = serde_json::from_slice(&record)?;
    let lines = lines.unwrap_or_else(|| header.rows.clone().into_bytes());
    Ok((header, lines))
}
