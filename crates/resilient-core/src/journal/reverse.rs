//! Reading a log from its end towards its beginning, in blocks.

use std::io;

use crate::disk::{File, read_up_to};

/// A line of the journal, newest first, with the offset at which it begins.
#[derive(Debug)]
pub(crate) struct LineAt {
    pub(crate) offset: u64,
    /// Without the end.
    pub(crate) text: Vec<u8>,
    /// Whether the line has its end.
    pub(crate) ended: bool,
}

impl LineAt {
    /// Whether a crash may have left this of an append: an append is one write, of which any part
    /// may be lost and leave zeros.
    pub(crate) fn is_torn(&self) -> bool {
        !self.ended || self.text.contains(&0)
    }
}

/// Reads lines from the end of a log towards its beginning, a block at a time.
pub(crate) struct ReverseLines<'a> {
    file: &'a dyn File,
    /// Offset of the first byte that `held` has.
    start: u64,
    /// Bytes read but not handed out, a whole number of lines once `start` is 0.
    held: Vec<u8>,
    done: bool,
}

const BLOCK: u64 = 32 * 1024;
/// No row is longer: it could not be held in memory.
const LONGEST_LINE: u64 = 256 << 20;

impl<'a> ReverseLines<'a> {
    pub(crate) fn new(file: &'a dyn File, len: u64) -> Self {
        Self { file, start: len, held: Vec::new(), done: len == 0 }
    }

    fn step(&mut self) -> io::Result<Option<LineAt>> {
        loop {
            // The last byte is this line's own end, if it has one; the line begins after the
            // newline before it.
            let body = self.held.len().saturating_sub(1);
            let before = self.held.get(..body).unwrap_or_default();
            let begins = match memchr::memrchr(b'\n', before) {
                Some(at) => at + 1,
                None if self.start == 0 => 0,
                None => {
                    self.refill()?;
                    continue;
                }
            };
            if self.held.is_empty() {
                self.done = true;
                return Ok(None);
            }
            let mut text = self.held.split_off(begins);
            let ended = text.pop_if(|last| *last == b'\n').is_some();
            self.done = self.held.is_empty() && self.start == 0;
            return Ok(Some(LineAt { offset: self.start + begins as u64, text, ended }));
        }
    }

    fn refill(&mut self) -> io::Result<()> {
        if self.held.len() as u64 >= LONGEST_LINE {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a line of 256 MiB and more"));
        }
        // Doubling keeps one line of any length linear.
        let want = BLOCK.max(self.held.len() as u64).min(self.start);
        let mut block = vec![0; usize::try_from(want).map_err(io::Error::other)?];
        let read = read_up_to(self.file, &mut block, self.start - want)?;
        if read as u64 != want {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        block.append(&mut self.held);
        self.held = block;
        self.start -= want;
        Ok(())
    }
}

impl Iterator for ReverseLines<'_> {
    type Item = io::Result<LineAt>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let step = self.step();
        if step.is_err() {
            self.done = true;
        }
        step.transpose()
    }
}
