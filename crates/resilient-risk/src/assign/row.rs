//! The rows and cells of a table: lines, with a sign between the cells, and quotes around what has the sign in it.

use std::ops::Range;

use memchr::memchr;

use super::super::work;

/// A longer line is no row.
pub(super) const LINE_MAX: usize = 2000;

/// The rows of a table from a place on, up to one that is too long. Quotes hold a row together over lines, except in Markdown.
pub(super) fn rows(text: &[u8], from: usize, sign: u8) -> impl Iterator<Item = Range<usize>> {
    let mut at = from;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let near = rest.get(..LINE_MAX).unwrap_or(rest);
        let line = memchr(b'\n', near).or((near.len() == rest.len()).then_some(rest.len()))?;
        let mut quotes = Quotes::default();
        let is_end = |byte: &u8| !quotes.hold(*byte, sign) && *byte == b'\n';
        let held = (sign != b'|').then(|| near.iter().position(is_end)).flatten();
        let len = held.unwrap_or(line);
        work::spend(len);
        let row = at..at + len;
        at = row.end + 1;
        Some(row)
    })
}

/// What is in quotes: from a quote that begins a cell to the next one that is alone.
#[derive(Default)]
struct Quotes {
    is_open: bool,
    /// A quote was the last byte of what is in quotes.
    is_closed: bool,
    /// The cell has begun, and not with a quote.
    is_bare: bool,
}

impl Quotes {
    /// Reads on, and tells whether a byte is in quotes.
    fn hold(&mut self, byte: u8, sign: u8) -> bool {
        let is_quote = byte == b'"';
        if self.is_open {
            self.is_open = !is_quote;
            self.is_closed = is_quote;
        } else if is_quote && (self.is_closed || !self.is_bare) {
            (self.is_open, self.is_closed, self.is_bare) = (true, false, true);
        } else {
            self.is_closed = false;
            self.is_bare = byte != sign && byte != b'\n' && (self.is_bare || byte != b' ');
        }
        self.is_open
    }
}

/// The cells of a row. The bars around a row are none of it, and a sign in quotes divides nothing.
pub(super) fn cells(text: &[u8], row: Range<usize>, sign: u8) -> Vec<Range<usize>> {
    let mut row = match sign {
        // There, white space at an end of a row is an empty cell.
        b'\t' => row,
        _ => trimmed(text, row),
    };
    if sign == b'|' {
        let line = text.get(row.clone()).unwrap_or_default();
        let (starts, ends) = (line.starts_with(b"|"), line.len() > 1 && line.ends_with(b"|"));
        row = row.start + usize::from(starts)..row.end - usize::from(ends);
    }
    let (mut cells, mut start, mut is_escaped) = (Vec::new(), row.start, false);
    let mut quotes = Quotes::default();
    for (at, byte) in row.clone().zip(text.get(row.clone()).unwrap_or_default()) {
        let is_held = sign != b'|' && quotes.hold(*byte, sign);
        if *byte == sign && !is_held && !is_escaped {
            cells.push(start..at);
            start = at + 1;
        }
        is_escaped = *byte == b'\\' && sign == b'|' && !is_escaped;
    }
    cells.push(start..row.end);
    cells
}

/// A stretch of a text without the white space around it.
pub(super) fn trimmed(text: &[u8], span: Range<usize>) -> Range<usize> {
    let part = text.get(span.clone()).unwrap_or_default();
    let start = span.end - part.trim_ascii_start().len();
    start..start.max(span.start + part.trim_ascii_end().len())
}

/// A cell without what stands around its text: white space, quotes, and the signs of Markdown for code and bold text.
pub(super) fn bare(text: &[u8], cell: Range<usize>) -> Range<usize> {
    let cell = trimmed(text, cell);
    let part = text.get(cell.clone()).unwrap_or_default();
    let around = [&b"**"[..], b"`", b"\"", b"'"]
        .into_iter()
        .find(|sign| part.len() > 2 * sign.len() && part.starts_with(sign) && part.ends_with(sign));
    let len = around.map_or(0, <[u8]>::len);
    cell.start + len..cell.end - len
}

/// Tells whether a line is the rule below the head of a table, in Markdown or as clients of databases draw it.
pub(super) fn is_rule(line: &[u8]) -> bool {
    line.windows(2).any(|two| two == b"--") && line.iter().all(|byte| b"|+:- \t\r".contains(byte))
}
