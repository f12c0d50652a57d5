//! Lines on their way to the journal's end: numbered and chained.

use std::io;

use super::chain::Chain;
use super::{End, Row};
use crate::disk::{File, read_up_to};

/// How much is read at once of what others have written.
const BLOCK: usize = 64 * 1024;

/// Numbers and chains rows that are about to be written behind a journal's end.
pub(crate) struct RowWriter {
    start: u64,
    end: End,
    chain: Chain,
    /// The number of the batch's first row.
    batch: u64,
    /// The epoch of a journal that has none.
    fresh_epoch: u64,
    place: String,
    lines: Vec<u8>,
}

impl RowWriter {
    /// Begins at an end. What others have written behind the last row is read, for the chain.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn behind(
        journal: &dyn File,
        end: &End,
        fresh_epoch: u64,
        place: String,
    ) -> io::Result<Self> {
        let mut chain = Chain::behind(end.chain.as_deref());
        let mut at = end.covered;
        let mut block = Vec::new();
        while at < end.len {
            block.resize(BLOCK.min(usize::try_from(end.len - at).unwrap_or(BLOCK)), 0);
            let read = read_up_to(journal, &mut block, at)?;
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            chain.pass(block.get(..read).unwrap_or_default());
            at += read as u64;
        }
        let batch = end.seq.saturating_add(1);
        let is_torn = block.last().is_some_and(|last| *last != b'\n');
        let (start, end, lines) = (end.len, end.clone(), Vec::new());
        let mut rows = Self { start, end, chain, batch, fresh_epoch, place, lines };
        if is_torn {
            // A line that somebody has not finished does not count as a part of ours.
            rows.others(b"\n");
        }
        Ok(rows)
    }

    /// Adds a row of the batch.
    ///
    /// # Errors
    /// The row is not JSON, which no row is.
    pub(crate) fn row(&mut self, row: &Row) -> io::Result<()> {
        self.end.seq = self.end.seq.saturating_add(1);
        let epoch = *self.end.epoch.get_or_insert(self.fresh_epoch);
        let is_first = self.end.covered == 0;
        // A row that goes again was written where it was.
        let has_more = row.staged.is_some() || row.at.is_some() || row.line.is_some();
        let is_new = row.seq.is_none() && has_more;
        let row = Row {
            home: row.home.clone().filter(|_| has_more),
            place: if is_new { Some(self.place.clone()) } else { row.place.clone() },
            seq: Some(self.end.seq),
            batch: Some(self.batch),
            chain: None,
            epoch: is_first.then(|| format!("{epoch:016x}")),
            ..row.clone()
        };
        let (line, value) = self.chain.tie(serde_json::to_vec(&row)?);
        self.lines.extend(line);
        self.end.len = self.start + self.lines.len() as u64;
        self.end.covered = self.end.len;
        self.end.chain = Some(value);
        Ok(())
    }

    /// Adds lines of others as they are, each with its end.
    pub(crate) fn others(&mut self, lines: &[u8]) {
        self.chain.pass(lines);
        self.lines.extend_from_slice(lines);
        self.end.len = self.start + self.lines.len() as u64;
    }

    /// The lines, and the end behind them.
    pub(crate) fn finish(self) -> (Vec<u8>, End) {
        (self.lines, self.end)
    }
}
