//! A walk over a file's lines, from a mark on.
//!
//! A walk never holds a long line: it gives the first bytes of a line, as many as the caller asks
//! for, and the line's length.

use std::io;

use super::count_in;
use super::encoding::CHARACTER_MAX;
use super::terminator::{self, Unit};
use crate::disk::{File, read_up_to};

/// How much is read at a time.
const PIECE: usize = 64 << 10;

/// A place where a line begins, and how many lines end before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) offset: u64,
    pub(super) lines: u64,
}

/// One line: as much of it as was asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Its number, from 1.
    pub(super) number: u64,
    /// Where it begins in the file.
    pub(super) offset: u64,
    /// Its first bytes, without a terminator.
    pub(super) text: Vec<u8>,
    /// The length of all of it.
    pub(super) len: u64,
    /// Whether it has a terminator.
    pub(super) is_terminated: bool,
}

/// A walk over lines, from a mark on.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    file: &'a dyn File,
    unit: Unit,
    end: u64,
    at: Mark,
    buffer: Vec<u8>,
    /// Which of the buffer's bytes are the file's from `at` on.
    filled: std::ops::Range<usize>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(file: &'a dyn File, unit: Unit, at: Mark, end: u64) -> Self {
        Self { file, unit, end, at, buffer: Vec::new(), filled: 0..0 }
    }

    /// Where the next line begins.
    pub(super) fn mark(&self) -> Mark {
        self.at
    }

    /// Passes over `count` lines, or what there is.
    ///
    /// # Errors
    /// The device failed.
    pub(super) fn skip(&mut self, count: u64) -> io::Result<()> {
        let mut left = count;
        while left > 0 {
            left -= self.skip_buffered(left);
            // At the end of what is read, and where lines do not simply end with `\n`.
            if left > 0 && self.next(0)?.is_none() {
                break;
            }
            left = left.saturating_sub(1);
        }
        Ok(())
    }

    /// Passes over at most `count` lines of those that are read already; tells how many.
    fn skip_buffered(&mut self, count: u64) -> u64 {
        let bytes = self.buffer.get(self.filled.clone()).unwrap_or_default();
        if self.unit != Unit::Byte || memchr::memchr(b'\r', bytes).is_some() {
            return 0;
        }
        let ends = memchr::memchr_iter(b'\n', bytes).take(count_in(count));
        let (skipped, end) = ends.fold((0, 0), |(lines, _), at| (lines + 1, at + 1));
        self.at.lines += skipped;
        self.at.offset += end as u64;
        self.filled.start += end;
        skipped
    }

    /// The next line with at most `shown` of its bytes, and a few more where a character ends
    /// behind them; nothing at the end of the file.
    ///
    /// # Errors
    /// The device failed.
    pub(super) fn next(&mut self, shown: usize) -> io::Result<Option<Line>> {
        let Mark { offset, lines } = self.at;
        let shown = if shown == 0 { 0 } else { shown + CHARACTER_MAX };
        let mut line =
            Line { number: lines + 1, offset, text: Vec::new(), len: 0, is_terminated: false };
        loop {
            let bytes = self.buffer.get(self.filled.clone()).unwrap_or_default();
            let is_last = self.at.offset + bytes.len() as u64 >= self.end;
            let found = terminator::find(bytes, self.unit, is_last);
            // The bytes of a terminator that may go on stay for the next piece.
            let kept = if found.is_none() && !is_last { CHARACTER_MAX.min(bytes.len()) } else { 0 };
            let (text, end) = match found {
                Some(found) => (found.at, found.end),
                None => (bytes.len() - kept, bytes.len() - kept),
            };
            let room = shown.saturating_sub(line.text.len()).min(text);
            line.text.extend_from_slice(bytes.get(..room).unwrap_or_default());
            line.len += text as u64;
            self.at.offset += end as u64;
            self.filled.start += end;
            if found.is_some() {
                self.at.lines += 1;
                line.is_terminated = true;
                return Ok(Some(line));
            }
            if is_last {
                if line.len == 0 {
                    return Ok(None);
                }
                self.at.lines += 1;
                return Ok(Some(line));
            }
            if !self.fill()? {
                // The file has become shorter.
                self.end = self.at.offset + self.filled.len() as u64;
            }
        }
    }

    /// Reads the next piece; tells whether there was one.
    fn fill(&mut self) -> io::Result<bool> {
        self.buffer.copy_within(self.filled.clone(), 0);
        let kept = self.filled.len();
        if self.buffer.len() < kept + PIECE {
            self.buffer.resize(kept + PIECE, 0);
        }
        let from = self.at.offset + kept as u64;
        let want = count_in(self.end.saturating_sub(from)).min(PIECE);
        let room = self.buffer.get_mut(kept..kept + want).unwrap_or_default();
        let read = read_up_to(self.file, room, from)?;
        self.filled = 0..kept + read;
        Ok(read > 0)
    }
}
