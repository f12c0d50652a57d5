//! Reading a log from its end towards its beginning, in blocks.

use std::io;

use crate::disk::{File, read_up_to};

/// A line of the journal, newest first, with the offset at which it begins.
#[derive(Debug)]
pub(crate) struct LineAt {
    pub(crate) offset: u64,
    /// Without the end; of a line that is too long for a row, its end.
    pub(crate) text: Vec<u8>,
    /// How long the line is, without its end.
    pub(crate) len: u64,
    /// Whether the line has its end.
    pub(crate) ended: bool,
    /// Whether there is a zero byte in it.
    has_zeros: bool,
}

impl LineAt {
    /// Whether a crash may have left this of an append: an append is one write, of which any part
    /// may be lost and leave zeros.
    pub(crate) fn is_torn(&self) -> bool {
        !self.ended || self.has_zeros
    }
}

/// Reads lines from the end of a log towards its beginning, a block at a time.
pub(crate) struct ReverseLines<'a> {
    file: &'a dyn File,
    /// Offset of the first byte that `held` has.
    start: u64,
    /// Bytes read but not handed out, a whole number of lines once `start` is 0.
    held: Vec<u8>,
    /// What was read of the line that `held` begins in and is held no longer.
    passed: Passed,
    /// Of a longer line so much is held.
    longest: usize,
    done: bool,
}

/// The part of a long line that lies in front of its end.
#[derive(Default)]
struct Passed {
    len: u64,
    has_zeros: bool,
}

const BLOCK: u64 = 32 * 1024;
/// No row is longer: it could not be held in memory.
const LONGEST_LINE: usize = 256 << 20;

impl<'a> ReverseLines<'a> {
    pub(crate) fn new(file: &'a dyn File, len: u64) -> Self {
        Self::holding(file, len, LONGEST_LINE)
    }

    fn holding(file: &'a dyn File, len: u64, longest: usize) -> Self {
        let (held, passed) = (Vec::new(), Passed::default());
        Self { file, start: len, held, passed, longest, done: len == 0 }
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
            let passed = std::mem::take(&mut self.passed);
            return Ok(Some(LineAt {
                offset: self.start + begins as u64,
                len: passed.len + text.len() as u64,
                ended,
                has_zeros: passed.has_zeros || text.contains(&0),
                text,
            }));
        }
    }

    fn refill(&mut self) -> io::Result<()> {
        self.pass();
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

    /// Holds only the end of a line that is too long for a row, or has zeros, which no row has.
    fn pass(&mut self) {
        const OF_ZEROS: usize = 32 * BLOCK as usize;
        let has_zeros = self.passed.has_zeros || self.held.contains(&0);
        let longest = if has_zeros { self.longest.min(OF_ZEROS) } else { self.longest };
        if self.held.len() > longest {
            let more = self.held.len() - longest;
            self.held.drain(..more);
            self.passed = Passed { len: self.passed.len + more as u64, has_zeros };
        }
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

#[cfg(test)]
mod tests {
    use super::super::with_file;
    use super::*;

    #[test]
    fn of_a_line_that_is_too_long_the_length_is_told() {
        const LONGEST: usize = 2 * BLOCK as usize;
        for (len, fill) in
            [(LONGEST, b'x'), (LONGEST + 1, b'x'), (9 * LONGEST, b'x'), (9 * LONGEST, 0)]
        {
            for end in ["", "\n"] {
                let text = [b"a\n", &vec![fill; len][..], end.as_bytes()].concat();
                let lines: Vec<LineAt> = with_file(&text, |file| {
                    let lines = ReverseLines::holding(file, text.len() as u64, LONGEST);
                    lines.map(Result::unwrap).collect()
                });
                let [long, first] = &lines[..] else { panic!("{lines:?}") };
                assert_eq!((long.offset, long.len, long.ended), (2, len as u64, !end.is_empty()));
                assert_eq!(long.is_torn(), fill == 0 || end.is_empty());
                assert!(long.text.len() <= 2 * LONGEST, "{}", long.text.len());
                assert_eq!((first.offset, &first.text[..], first.len), (0, &b"a"[..], 1));
            }
        }
    }
}
