//! The end of the journal: what a torn append left there, and the last batch.

use std::ffi::OsStr;
use std::io;

use crate::contents::write_again;
use crate::disk::File;
use crate::journal::{Backwards, LineAt, Row};
use crate::state::{End, State};

/// The rows that the journal's last batch consists of, oldest first.
pub(super) struct LastBatch {
    pub(super) rows: Vec<Row>,
    /// Where the first of them begins.
    pub(super) offset: u64,
}

pub(super) fn last_batch(state: &State) -> io::Result<LastBatch> {
    let len = state.journal.stat()?.len;
    let mut batch = LastBatch { rows: Vec::new(), offset: len };
    for line in Backwards::new(&*state.journal, len) {
        let LineAt { offset, text, .. } = line?;
        let Some(row) = Row::parse(&text) else { break };
        if row.batch.is_none() || batch.rows.last().is_some_and(|last| last.batch != row.batch) {
            break;
        }
        batch.offset = offset;
        batch.rows.push(row);
    }
    batch.rows.reverse();
    Ok(batch)
}

/// Makes the last batch durable, whatever syncs have failed for it.
pub(super) fn harden(state: &mut State, batch: &LastBatch) -> io::Result<()> {
    // The last writer's note says that it is; who starts anew need not write for it.
    if !state.refresh()? {
        let len = state.journal.stat()?.len;
        write_again(&*state.journal, batch.offset, len)?;
    }
    state.journal.sync()
}

/// Cuts what a torn append left at the end of the journal; returns how much.
///
/// Lines that cannot be read are cut from the end on, and with them, when the batch that they
/// belong to was never promised, the rest of it. The cut is durable with the rows before it
/// ([`harden`]).
pub(super) fn cut(state: &State) -> io::Result<u64> {
    let len = state.journal.stat()?.len;
    let mut end = len;
    let mut complete = None;
    for line in Backwards::new(&*state.journal, len) {
        let line = line?;
        match Row::parse(&line.text) {
            None => end = line.offset,
            Some(_) => {
                complete = Some(line.ended);
                break;
            }
        }
    }
    if end < len {
        state.journal.set_len(end)?;
    }
    if complete == Some(false) {
        // The row is whole but for its end: an editor strips that, and so may a torn write.
        state.journal.write_all_at(b"\n", end)?;
    }
    // A hole in the middle of the last batch: rows after it are whole, rows in it are not.
    let batch = last_batch(state)?;
    let holds_first = batch.rows.first().is_none_or(|row| row.seq == row.batch);
    if !holds_first
        && batch
            .rows
            .iter()
            .flat_map(|row| row.staged.iter().chain(row.also.iter().map(|also| &also.staged)))
            .any(|slot| state.tmp.stat(OsStr::new(slot)).is_ok())
    {
        let mut begin = batch.offset;
        for line in Backwards::new(&*state.journal, batch.offset) {
            let line = line?;
            match Row::parse(&line.text) {
                Some(row)
                    if row.batch.is_none()
                        || row.batch != batch.rows.first().and_then(|first| first.batch) =>
                {
                    break;
                }
                _ => begin = line.offset,
            }
        }
        state.journal.set_len(begin)?;
        end = begin;
    }
    Ok(len.saturating_sub(end))
}
/// The end of the journal as it was before the row at `offset`.
pub(super) fn before(state: &State, offset: u64) -> io::Result<End> {
    let mut end = End { len: offset, ..End::default() };
    for line in Backwards::new(&*state.journal, offset) {
        if let Some(row) = Row::parse(&line?.text) {
            end.seq = row.seq.unwrap_or_default();
            end.chain = row.chain;
            break;
        }
    }
    Ok(end)
}
/// Cuts what a torn append left at the end of a log of JSON lines; returns where it ends.
pub(crate) fn cut_torn_tail(file: &dyn File) -> io::Result<u64> {
    let len = file.stat()?.len;
    let Some(last) = Backwards::new(file, len).next().transpose()? else { return Ok(0) };
    if last.ended {
        return Ok(len);
    }
    if serde_json::from_slice::<serde_json::Value>(&last.text).is_ok() {
        file.write_all_at(b"\n", len)?;
        return Ok(len + 1);
    }
    file.set_len(last.offset)?;
    Ok(last.offset)
}
