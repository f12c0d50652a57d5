//! The end of the journal: the last batch, what a torn append left of it, and how it is rewritten.
//!
//! A batch is appended by one write. A crash may keep any part of that write and leave zeros in
//! place of the rest. So a line is *torn* when it has no end or holds a zero byte. Every other line
//! is whole: one that is no row of this version was written by somebody else, and stays.

use std::ffi::OsString;
use std::io;

use super::withdrawal::Item;
use super::{conflict, withdrawal};
use crate::beside;
use crate::contents::write_again;
use crate::disk::{File, read_range};
use crate::journal::{LineAt, ReverseLines, Row, Sectors};
use crate::report::Cut;
use crate::state::State;

/// The last batch of the journal: its rows, and the lines of others among and behind them.
#[derive(Default)]
pub(super) struct LastBatch {
    /// The rows, oldest first.
    pub(super) rows: Vec<Row>,
    /// Where the first of them begins; the journal's length when there are none.
    pub(super) offset: u64,
    /// Everything from `offset` on, in order.
    pieces: Vec<Piece>,
}

/// A part of the journal's end.
enum Piece {
    /// The row at this place of [`LastBatch::rows`].
    Row(usize),
    /// Lines that are not ours.
    Foreign { from: u64, to: u64 },
    /// What a crash left of rows of this batch.
    Torn { from: u64, to: u64 },
}

/// Cuts what a torn append left at the journal's end, and keeps it in `conflicts/`.
///
/// Only a torn last line goes, and torn lines directly in front of it; of a line that somebody has gone on with, only what
/// is behind the row. The cut becomes durable with the rows before it ([`rewrite_and_sync`]).
pub(super) fn cut(state: &State) -> io::Result<Cut> {
    let len = state.journal.stat()?.len;
    let mut end = len;
    let mut strip = None;
    for line in ReverseLines::new(&*state.journal, len) {
        let line = line?;
        if !line.ended
            && let Some(row) = row_in(&line)
        {
            // The row is whole except for its end: an editor strips that, and so may a torn write.
            strip = Some(line.offset + row);
            break;
        }
        if !line.is_torn() {
            break;
        }
        end = line.offset;
    }
    let end = strip.unwrap_or(end);
    let cut = if end == len {
        Cut::default()
    } else {
        let cut = conflict::keep_cut(state, end, len);
        state.journal.set_len(end)?;
        cut
    };
    if strip.is_some() {
        state.journal.write_all_at(b"\n", end)?;
    }
    Ok(cut)
}

/// How long the row is that a line without an end begins with. A crash leaves nothing behind it but zeros.
fn row_in(line: &LineAt) -> Option<u64> {
    let is_whole = line.len == line.text.len() as u64 && !line.text.contains(&0);
    Row::len_in(&line.text).filter(|_| is_whole).map(|len| len as u64)
}

/// Finds the last batch behind what is decided, through lines of others and through torn ones.
pub(super) fn last_batch(journal: &dyn File, decided: u64) -> io::Result<LastBatch> {
    let len = journal.stat()?.len;
    let mut batch = LastBatch { offset: len, ..LastBatch::default() };
    let mut number = None;
    let mut found_first = false;
    // Newest first, as the rows are until the end.
    let mut pieces: Vec<Piece> = Vec::new();
    let mut whole = 0;
    for line in ReverseLines::new(journal, len) {
        let line = line?;
        let (from, to) = (line.offset, line.offset + line.len + u64::from(line.ended));
        if from < decided {
            break;
        }
        match Row::of_batch(&line.text) {
            Some(row) if number.is_none() || row.batch == number => {
                number = row.batch;
                found_first = row.seq == row.batch;
                pieces.push(Piece::Row(batch.rows.len()));
                batch.rows.push(row);
                batch.offset = from;
                whole = pieces.len();
                if found_first {
                    break;
                }
            }
            Some(_) => break,
            None if line.is_torn() => pieces.push(Piece::Torn { from, to }),
            None => match pieces.last_mut() {
                Some(Piece::Foreign { from: begin, .. }) => *begin = from,
                _ => pieces.push(Piece::Foreign { from, to }),
            },
        }
    }
    // Where the batch's first row is torn, so is what lies directly in front of the others.
    while number.is_some()
        && !found_first
        && let Some(Piece::Torn { from, .. }) = pieces.get(whole)
    {
        batch.offset = *from;
        whole += 1;
    }
    pieces.truncate(whole);
    pieces.reverse();
    batch.rows.reverse();
    let rows = batch.rows.len();
    for piece in &mut pieces {
        if let Piece::Row(at) = piece {
            *at = rows - 1 - *at;
        }
    }
    batch.pieces = pieces;
    Ok(batch)
}

/// Where the last batch behind what is decided begins. Without one, everything behind may be a part of a batch; if
/// nothing is known to be decided, the answer is the journal's length. Nothing before it is in flight.
pub(crate) fn before_last_batch(journal: &dyn File, decided: u64) -> io::Result<u64> {
    let batch = last_batch(journal, decided)?;
    Ok(if batch.rows.is_empty() && decided > 0 { decided } else { batch.offset })
}

/// Whether everything from an offset on belongs to the last batch behind what is decided, or to nobody's.
pub(super) fn is_within_last_batch(
    journal: &dyn File,
    decided: u64,
    offset: u64,
) -> io::Result<bool> {
    if offset < decided || offset > journal.stat()?.len {
        return Ok(false);
    }
    let begin = last_batch(journal, decided)?.offset;
    for line in ReverseLines::new(journal, begin) {
        let line = line?;
        if line.offset < offset {
            // It has to end in front of the offset.
            return Ok(line.offset + line.len + u64::from(line.ended) <= offset);
        }
        if Row::of_batch(&line.text).is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}

impl LastBatch {
    /// Takes the rows at these places out of the journal, and what is torn of the batch. All other
    /// lines stay.
    pub(super) fn withdraw(&self, state: &mut State, out: &[usize]) -> io::Result<Cut> {
        let torn = self.pieces.iter().any(|piece| matches!(piece, Piece::Torn { .. }));
        if out.is_empty() && !torn {
            return Ok(Cut::default());
        }
        let mut cut = Cut::default();
        let mut items = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Row(at) if out.contains(at) => {}
                Piece::Row(at) => items.extend(self.rows.get(*at).map(Item::Row)),
                Piece::Foreign { from, to } => {
                    items.push(Item::Raw(read_range(&*state.journal, *from, *to)?));
                }
                Piece::Torn { from, to } => {
                    cut += conflict::keep_cut(state, *from, *to);
                }
            }
        }
        let start = state.end_at(self.offset)?;
        withdrawal::replace_end(state, &start, &items)?;
        Ok(cut)
    }
}

/// The names in `tmp/` that a row counts on.
pub(super) fn slots_of(row: &Row) -> impl Iterator<Item = OsString> {
    let also = row.also.iter().map(|also| also.staged.as_str());
    let gone = row.gone.iter().map(|gone| gone.slot.as_str());
    let sums = row.sectors.as_ref().and_then(Sectors::slot);
    let own = row.staged.as_deref().into_iter().chain(row.undo.as_deref()).chain(sums);
    let names = also.chain(gone).chain(own);
    // A slot beside its target has a note in `tmp/`.
    names.map(beside::note_of)
}

/// Makes the last batch durable, whatever syncs have failed for it.
pub(super) fn rewrite_and_sync(state: &mut State, batch: &LastBatch) -> io::Result<()> {
    // The clean marker says that it is; a process that starts need not write for it.
    if !state.refresh()? {
        let len = state.journal.stat()?.len;
        write_again(&*state.journal, batch.offset, len)?;
    }
    state.journal.sync()
}
