//! Taking rows out of the journal again while others stay.

use std::ffi::OsStr;
use std::io;

use serde::{Deserialize, Serialize};

use crate::commit::append_rows;
use crate::disk::{Replace, read_all};
use crate::journal::Row;
use crate::state::{End, State};

/// A new end for the journal, durable before the old one is touched.
#[derive(Serialize, Deserialize)]
struct Withdrawal {
    offset: u64,
    rows: String,
}

const WITHDRAWAL: &str = "withdrawal";

/// Replaces the rows from `start` on by `rows`, some of which are published already: at no moment
/// may a crash lose one of those.
pub(crate) fn withdraw(state: &mut State, start: &End, rows: &[&Row]) -> io::Result<()> {
    state.mark_dirty()?;
    state.end = start.clone();
    let bytes = append_rows(state, rows.iter().copied())?;
    state.end.len = start.len + bytes.len() as u64;
    if rows.is_empty() {
        state.journal.set_len(start.len)?;
        return state.journal.sync();
    }
    let record =
        Withdrawal { offset: start.len, rows: String::from_utf8(bytes).map_err(io::Error::other)? };
    let (slot, file) = state.take_slot()?;
    file.make_private()?;
    file.write_all_at(&serde_json::to_vec(&record)?, 0)?;
    file.sync()?;
    state.tmp.rename(&slot, &*state.dir, OsStr::new(WITHDRAWAL), Replace::Yes)?;
    redo(state)
}

pub(super) fn redo(state: &State) -> io::Result<()> {
    let name = OsStr::new(WITHDRAWAL);
    let file = match state.dir.open_write(name) {
        Ok(file) => file,
        // IMPORTANT: that one is gone for good, or it would come back and cut off what follows; its
        // process may have been killed before its sync. So may one that made the state directory:
        // the names in it become durable here, too.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return state.dir.sync(),
        Err(error) => return Err(error),
    };
    // IMPORTANT: the record is durable, under its name, before the journal changes.
    state.dir.sync()?;
    let record: Withdrawal = serde_json::from_slice(&read_all(&*file, u64::MAX)?)?;
    state.journal.set_len(record.offset)?;
    state.journal.write_all_at(record.rows.as_bytes(), record.offset)?;
    state.journal.sync()?;
    // IMPORTANT: gone for good before the journal grows again.
    state.dir.remove_file(name)?;
    state.dir.sync()
}
