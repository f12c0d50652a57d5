//! Parts without a sign between them, which a shell puts together.

use std::ops::Range;

use memchr::memrchr;

use super::JOINED_MAX;
use super::literal::{PART_MAX, Source, is_quote};
use super::names::is_named;

impl Source<'_> {
    /// The word that a token begins with before a quote, not before a floor, and where what is glued to it begins. The
    /// quote opens a literal or closes one.
    pub(super) fn word_before(&self, floor: usize, quote: usize) -> Option<(Range<usize>, usize)> {
        let goes_on = |at: Option<usize>| at.is_some_and(|at| is_named(self.byte(at)));
        if !goes_on(quote.checked_sub(1))
            || !(goes_on(Some(quote + 1)) || is_quote(self.byte(quote + 1)))
        {
            return None;
        }
        let start = self.word_start(floor, quote);
        if start == 0 || !self.begins(start - 1) {
            return None;
        }
        let is_open = self.literal(quote).is_some();
        Some((start..quote, quote + usize::from(!is_open)))
    }

    /// Where the word begins that ends at a position, not before a floor: behind the sign that assigns it.
    pub(super) fn word_start(&self, floor: usize, end: usize) -> usize {
        let floor = floor.max(end.saturating_sub(PART_MAX));
        let start = end - self.byte_classes.token.run_back(end, floor);
        memrchr(b'=', self.said(&(start..end))).map_or(start, |sign| start + sign + 1)
    }

    /// A part with what stands right behind it, and where that ends: `"a"b`, `a"b"'c'`.
    pub(super) fn glued(&self, first: Range<usize>, end: usize) -> (Vec<Range<usize>>, usize) {
        let (mut parts, mut at) = (vec![first], end);
        while at < end + JOINED_MAX {
            let literal = self.literal(at).filter(|_| is_quote(self.byte(at)));
            let is_bare = literal.is_none();
            let (next, end) = literal.unwrap_or_else(|| {
                // Another sign is an operator: `"a"+"b"`, `"a".b()`.
                let is_joint = b"-.".contains(&self.byte(at)) && is_named(self.byte(at + 1));
                let is_word = is_named(self.byte(at)) || is_joint;
                let len =
                    if is_word { self.byte_classes.token.run_to(at, at + PART_MAX) } else { 0 };
                (at..at + len, at + len)
            });
            // A call is no part, nor is a word of a program or a name between two literals: `"a"or"b"`, `"a"c="b"`. The
            // first quote of these may be the last one of a literal.
            let behind = self.byte(end);
            let is_between = if is_bare { is_quote(behind) } else { is_named(behind) };
            let is_other = is_between && is_code(self.said(&next));
            if next.is_empty() || behind == b'(' || is_other {
                break;
            }
            parts.push(next);
            at = end;
        }
        (parts, at)
    }
}

/// Tells whether what stands between two literals is an operator or a name, and no part of a token.
fn is_code(between: &[u8]) -> bool {
    const WORDS: [&[u8]; 8] = [b"or", b"and", b"in", b"if", b"else", b"is", b"not", b"as"];
    between.last().is_some_and(|last| b"=+.".contains(last)) || WORDS.contains(&between)
}
