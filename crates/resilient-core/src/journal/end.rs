//! The end of a journal: where the next row goes, and what it is tied to.

use std::io;

use super::chain::{is_old_value, value_in};
use super::forwards::each_line_until;
use super::{ReverseLines, Row};
use crate::disk::File;

/// Where a journal ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct End {
    /// Its length.
    pub(crate) len: u64,
    /// The number of its last row that has one.
    pub(crate) seq: u64,
    /// The last chain value; `None` where no row has one yet.
    pub(crate) chain: Option<String>,
    /// Where the line of that value ends; 0 where no line of this file has one. What lies behind are
    /// lines of others.
    pub(crate) covered: u64,
    /// Numbers are unique within it. `None` where no row of this file has one.
    pub(crate) epoch: Option<u64>,
}

impl End {
    /// Whether the last row of the file is one of format 1.
    pub(crate) fn has_old_rows(&self) -> bool {
        self.covered > 0 && self.chain.as_deref().is_some_and(is_old_value)
    }
}

/// No journal has so many rows, and a reader of JSON may keep no larger number. A row with a larger one
/// was not written by this program: its number is passed over.
const LAST_NUMBER: u64 = 1 << 53;

/// Finds the end of the first `len` bytes of a journal; `None` where no row in them has a number.
///
/// Costs what the lines of others behind the last row cost, and those in front of the first one.
pub(crate) fn find_end(journal: &dyn File, len: u64) -> io::Result<Option<End>> {
    let mut end = End { len, ..End::default() };
    let mut passed = false;
    for line in ReverseLines::new(journal, len) {
        let line = line?;
        let Some(value) = value_in(&line.text) else { continue };
        let Some(row) = Row::parse(&line.text) else { continue };
        if end.chain.is_none() {
            end.chain = Some(value.to_owned());
            end.covered = (line.offset + line.len + 1).min(len);
        }
        // IMPORTANT: behind the largest number of all no other one follows, and rows without numbers of their
        // own are no batch.
        if let Some(seq) = row.seq.filter(|seq| *seq <= LAST_NUMBER) {
            end.seq = seq;
            end.epoch = find_epoch(journal, end.covered)?;
            return Ok(Some(end));
        }
        passed |= row.seq.is_some();
    }
    // Numbers begin at 1 behind rows that have no number from this server.
    Ok(passed.then_some(end))
}

/// The epoch that the first row of a journal's first `len` bytes has, if it has one.
fn find_epoch(journal: &dyn File, len: u64) -> io::Result<Option<u64>> {
    let mut first = None;
    each_line_until(journal, len, |line| {
        if value_in(line.text).is_none() {
            return true;
        }
        first = Row::parse(line.text);
        first.is_none()
    })?;
    Ok(first.and_then(|row| row.epoch).and_then(|epoch| u64::from_str_radix(&epoch, 16).ok()))
}
