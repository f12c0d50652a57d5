//! The lines of a text, which turn byte offsets into lines and columns.

use crate::report::Item;

/// Where the lines of a text start, to turn byte offsets into lines and columns.
pub(crate) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let after_breaks = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        Self { text, starts: std::iter::once(0).chain(after_breaks).collect() }
    }

    /// Line and column, both counted from 1, of the character at or around `offset`.
    pub(crate) fn position(&self, offset: usize) -> (usize, usize) {
        let (line, before) = self.split(offset);
        (line, before.chars().count() + 1)
    }

    /// What stands before `offset` on its line.
    pub(crate) fn before(&self, offset: usize) -> &'a str {
        self.split(offset).1
    }

    /// The line that holds `offset`, counted from 1, and the part of it before `offset`.
    fn split(&self, offset: usize) -> (usize, &'a str) {
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        (line, self.text.get(start..self.text.floor_char_boundary(offset)).unwrap_or(""))
    }

    /// The text from `offset` to its end; empty where no character begins at `offset`.
    pub(crate) fn after(&self, offset: usize) -> &'a str {
        self.text.get(offset..).unwrap_or("")
    }

    /// The line that holds `offset`, counted from 1.
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.split(offset).0
    }

    /// Where the line with this number begins.
    pub(crate) fn start(&self, line: usize) -> Option<usize> {
        self.starts.get(line.checked_sub(1)?).copied()
    }

    /// The text up to and including the line with this number.
    pub(crate) fn through(&self, line: usize) -> &'a str {
        self.starts.get(line).and_then(|end| self.text.get(..*end)).unwrap_or(self.text)
    }

    /// How many lines there are; an empty text has one.
    pub(crate) fn count(&self) -> usize {
        self.starts.len()
    }

    pub(crate) fn error(&self, offset: usize, message: impl Into<String>) -> Item {
        let (line, col) = self.position(offset);
        Item::error(line, Some(col), message)
    }

    pub(crate) fn warning(&self, offset: usize, message: impl Into<String>) -> Item {
        let (line, col) = self.position(offset);
        Item::warning(line, Some(col), message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let lines = Lines::new("aé\nb");
        assert_eq!(lines.position(0), (1, 1));
        assert_eq!(lines.position(3), (1, 3));
        assert_eq!(lines.position(4), (2, 1));
        assert_eq!(lines.position(99), (2, 2));
        assert_eq!((lines.before(3), lines.before(4), lines.before(99)), ("aé", "", "b"));
        assert_eq!((lines.after(4), lines.after(2), lines.after(99)), ("b", "", ""));
    }
}
