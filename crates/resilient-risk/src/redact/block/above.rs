//! The block of a key of which nothing is known but its `END` line: all lines of base64 above it.

use std::ops::Range;

use memchr::memmem;

use super::super::form::Form;
use super::{End, KEY_MAX, Row, is_material, is_mixed, is_wordlike, joined, rows, sign_len, token};

/// What a block is made of, up to the end of a text.
static BLOCK: Form = Form::of(concat!("(?:", token!(), ")+\\z"));

/// The stretches of the block that ends with a line.
pub(super) fn pieces(text: &str, end: Range<usize>, sign: &str) -> Option<Vec<Range<usize>>> {
    let from = text.floor_char_boundary(end.start.saturating_sub(KEY_MAX));
    let before = text.get(from..end.start).unwrap_or_default();
    // No key reaches over the line that begins or ends another one.
    let from = from + memmem::rfind(before.as_bytes(), b"-----").map_or(0, |at| at + 5);
    let start = begin(text, from..end.start, sign);
    let (mut found, _) = rows(text.get(..end.start).unwrap_or_default(), start, sign, &End::None);
    let mut key = Lines::default();
    let mut known = 0;
    for line in found.chunk_by(|one, other| one.0 == other.0).rev() {
        if !key.takes(text, line) {
            break;
        }
        known += line.len();
    }
    found.drain(..found.len() - known);
    found.push(((usize::MAX, 0), end));
    let (_, first) = found.remove(0);
    Some(joined(text, sign, first, found))
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
struct Lines {
    /// How long the one below is.
    width: Option<usize>,
    count: usize,
    /// Whether the one below is shorter than those below it, so that it is the first of a key that was cut.
    is_cut: bool,
}

impl Lines {
    /// Tells whether the next line up belongs to the key. The last one is as short as it likes, and the first one may be cut.
    fn takes(&mut self, text: &str, line: &[Row]) -> bool {
        let rows = line.iter().filter_map(|(_, row)| text.as_bytes().get(row.clone()));
        let bytes = rows.collect::<Vec<_>>().concat();
        let is_key = is_material(&bytes) || is_mixed(&bytes);
        let is_last = self.count == 0;
        let fits = self.width.is_none_or(|width| bytes.len() <= width || self.count == 1);
        if self.is_cut || !fits || !(is_key || is_last && !is_wordlike(&bytes)) {
            return false;
        }
        self.is_cut = self.width.is_some_and(|width| bytes.len() < width);
        self.width = Some(bytes.len());
        self.count += 1;
        true
    }
}
