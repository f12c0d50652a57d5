//! The block of a key of which nothing is known but its `END` line: all lines of base64 above it, also with a number or a
//! time before each. There is none if they are in another form.

use std::ops::Range;

use memchr::memmem;

use super::super::form::Form;
use super::{End, KEY_MAX, Lines, Row, bytes, joined, rows, sign_len, token};
use crate::material::{is_base64, is_begin, is_exact, is_key, is_wordlike};

/// What a block is made of, up to the end of a text.
static BLOCK: Form = Form::of(concat!("(?:", token!(), ")+\\z"));

/// So many lines above a key may look like lines of it.
const ABOVE_MAX: usize = 16;

/// So long is the checksum of PGP: `=7q9h`.
const CHECKSUM_LEN: usize = 5;

/// The stretches of the block that ends with a line.
pub(super) fn pieces(text: &str, end: Range<usize>, sign: &str) -> Option<Vec<Range<usize>>> {
    let from = text.floor_char_boundary(end.start.saturating_sub(KEY_MAX));
    let before = text.get(from..end.start).unwrap_or_default();
    // No key reaches over the line that begins or ends another one.
    let from = from + memmem::rfind(before.as_bytes(), b"-----").map_or(0, |at| at + 5);
    let prefix = prefix(text, end.start);
    let mut found = if let Some(prefix) = prefix {
        numbered(text, from..end.start - prefix.len(), prefix)
    } else {
        let start = begin(text, from..end.start, sign);
        rows(text.get(..end.start).unwrap_or_default(), start, sign, &End::None).0
    };
    let mut key = Above::default();
    let mut known = 0;
    let mut lines = found.chunk_by(|one, other| one.0 == other.0).rev().peekable();
    while let Some(line) = lines.next_if(|line| key.takes(text, line)) {
        known += line.len();
    }
    // What stands between two lines may be no part of the key, as the word or number before each.
    let goes_on = lines.take(3).any(|line| key.is_like(text, line));
    if !key.is_known || goes_on {
        return None;
    }
    found.drain(..found.len() - known);
    // What stands above the line that says how long the key is, is none of it.
    let is_first = |nth: usize| {
        let rows = found.get(nth..).unwrap_or_default();
        let begins = rows.first().and_then(|(_, row)| text.as_bytes().get(row.clone()));
        begins.is_some_and(is_begin) && is_exact(&bytes(text, rows))
    };
    let above = (1..found.len().min(ABOVE_MAX)).find(|nth| is_first(*nth));
    found.drain(..above.unwrap_or_default());
    found.push(((usize::MAX, 0), end));
    let (_, first) = found.remove(0);
    Some(joined(text, prefix.unwrap_or(sign), first, found))
}

/// What stands before an `END` in its line, if it may be a number, a time, or the name of a file or a program with one.
fn prefix(text: &str, end: usize) -> Option<&str> {
    const PREFIX_MAX: usize = 80;
    let prefix = text.get(..end)?.rsplit('\n').next()?;
    let is_one =
        prefix.len() <= PREFIX_MAX && !prefix.contains(['"', '\'', '`', '\\', '%', '&', '<']);
    let is_apart = prefix.ends_with(|c: char| !c.is_ascii() || !is_base64(c as u8));
    (is_one && is_apart && prefix.contains(|c: char| c.is_ascii_digit())).then_some(prefix)
}

/// The rows of the lines at the end of a stretch that each have such a prefix.
fn numbered(text: &str, within: Range<usize>, prefix: &str) -> Vec<Row> {
    let form = |prefix: &str| -> String {
        prefix.chars().filter(|c| !c.is_ascii_digit() && *c != ' ').collect()
    };
    let of_end = form(prefix);
    let (mut rows, mut end) = (Vec::new(), within.end);
    for line in text.get(within).unwrap_or_default().split_inclusive('\n').rev() {
        let start = end - line.len();
        let line = line.trim_end();
        let len = line.bytes().rev().take_while(|byte| is_base64(*byte)).count();
        let (prefix, row) = line.split_at(line.len() - len);
        if row.is_empty() || form(prefix) != of_end {
            break;
        }
        let row = start + prefix.len()..start + line.len();
        rows.push(((start, 0), row));
        end = start;
    }
    rows.reverse();
    rows
}

/// Where what may be a block begins that a stretch ends with.
fn begin(text: &str, within: Range<usize>, sign: &str) -> usize {
    let begin = |part: Range<usize>| {
        let found = BLOCK.find(text.get(part.clone()).unwrap_or_default());
        found.map_or(part.end, |found| part.start + found.start())
    };
    if sign.is_empty() {
        return begin(within);
    }
    let (mut start, mut end) = (within.end, within.end);
    while end > within.start {
        let line = text.get(within.start..end - 1).and_then(|before| before.rfind('\n'));
        let first = line.map_or(within.start, |at| within.start + at + 1);
        let own = first + sign_len(text.get(first..end).unwrap_or_default(), sign);
        if own < end {
            start = begin(own..end);
        }
        if start > own {
            break;
        }
        end = first;
    }
    start
}

/// The lines of a block, read from its last one up.
#[derive(Default)]
struct Above {
    lines: Lines,
    count: usize,
    /// Whether one of them is no word.
    is_known: bool,
    /// How long the longest one is.
    widest: usize,
}

impl Above {
    /// Tells whether the next line up belongs to the key. The last one is as short as it likes, and the first one may be cut.
    /// Below the last one of PGP stands a checksum.
    fn takes(&mut self, text: &str, line: &[Row]) -> bool {
        let bytes = bytes(text, line);
        let is_last = self.count == 0;
        if is_last && bytes.len() == CHECKSUM_LEN && bytes.first() == Some(&b'=') {
            return true;
        }
        if self.count == 1 && bytes.len() > self.widest {
            self.lines = Lines::default();
        }
        let is_key = is_key(&bytes);
        if !(is_key || is_last && !is_wordlike(&bytes)) || !self.lines.takes(bytes.len()) {
            return false;
        }
        self.widest = self.widest.max(bytes.len());
        self.is_known |= is_key;
        self.count += 1;
        true
    }

    /// Tells whether a line that is not taken may be one of the key for all that.
    fn is_like(&self, text: &str, line: &[Row]) -> bool {
        let bytes = bytes(text, line);
        bytes.len() >= self.widest && is_key(&bytes)
    }
}
