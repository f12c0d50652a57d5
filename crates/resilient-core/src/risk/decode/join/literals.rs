//! Literals that a program puts together: added, listed, or assigned one after the other.
//!
//! Quotes are marked only in the parts of a text that are rich in digits. Two literals belong
//! together by what stands between them, which is asked only where some stand near each other and have
//! digits: most literals have nothing near them, or no digits, and then nobody reads them.

use std::ops::Range;

use fearless_simd::mask8x64;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

use super::super::super::bits::Bits;
use super::super::super::lanes::{Class, GROUP, Lanes, mark};
use super::super::super::marks::Marks;
use super::super::super::work;
use super::super::{Trust, Views};
use super::{JOINED_MAX, names};

/// Literals may stand so far apart.
const GAP_MAX: usize = 48;

/// A literal that is a part of a token is not longer.
const PART_MAX: usize = 512;

/// What begins and ends literals.
struct Quotes;

impl Class for Quotes {
    #[inline(always)]
    fn of<S: Simd>(group: Lanes<S>) -> mask8x64<S> {
        group.is(b'"') | group.is(b'\'')
    }
}

/// Joins quoted literals with nothing but operators between them, in the groups where there are digits.
pub(super) fn views(text: &str, marks: &Marks, rich: &[Range<usize>], views: &mut Views<'_>) {
    // A line is not read further than this to either side.
    const LINE_MAX: usize = 1024;
    let bytes = text.as_bytes();
    let feed = &marks.feed;
    let mut chain = Chain::new(text, marks);
    let mut quoted = Vec::new();
    let mut near = Vec::new();
    let mut done = 0;
    for groups in rich {
        let part = groups.start * GROUP..groups.end * GROUP;
        let from = part.start.saturating_sub(LINE_MAX).max(done);
        let start = feed.last(from, part.start).map_or(from, |at| at + 1);
        let to = (part.end + LINE_MAX).min(bytes.len());
        let end = feed.next(part.end, to).map_or(to, |at| at + 1);
        work::spend(end.saturating_sub(start));
        done = end;
        mark::<Quotes>(bytes, start / GROUP..end.div_ceil(GROUP), &mut quoted);
        let lines = start..end;
        let join = |literals: &[Range<usize>]| {
            // Most literals that stand near each other have no digits.
            if let [first, .., last] = literals
                && marks.digit.has(2, first.start..last.end)
            {
                literals.iter().for_each(|literal| chain.offer(literal.clone(), views));
                chain.end(views);
                chain.last = None;
            }
        };
        dispatch!(Level::new(), _simd => neighbours(bytes, feed, lines, &quoted, &mut near, join));
    }
}

/// Tells the literals on some lines, by the quotes in their groups: those together that stand so near to
/// each other that they may be joined.
#[inline(always)]
fn neighbours(
    bytes: &[u8],
    feed: &Bits,
    lines: Range<usize>,
    quoted: &[u64],
    near: &mut Vec<Range<usize>>,
    mut join: impl FnMut(&[Range<usize>]),
) {
    // Two literals have four quotes.
    if quoted.iter().map(|word| word.count_ones()).sum::<u32>() < 4 {
        return;
    }
    near.clear();
    // The quote that opened a literal, and whether its line ended since in a group before.
    let (mut open, mut ended): (Option<Quote>, bool) = (None, false);
    for (group, word) in (lines.start / GROUP..).zip(quoted) {
        let base = group * GROUP;
        let from = u64::MAX << lines.start.saturating_sub(base);
        let to = u64::MAX >> (base + GROUP).saturating_sub(lines.end);
        let mut left = word & from & to;
        let feeds = feed.word(group);
        // The bits of the group that come after the opening quote.
        let mut after = u64::MAX;
        while left != 0 {
            let bit = left.trailing_zeros();
            left &= left - 1;
            let at = base + bit as usize;
            // A quote after a backslash does not count.
            if bytes.get(at.wrapping_sub(1)) == Some(&b'\\') {
                continue;
            }
            let sign = bytes.get(at).copied().unwrap_or(0);
            let is_open = !ended && feeds & after & !(u64::MAX << bit) == 0;
            match &open {
                Some(start) if is_open && start.sign == sign => {
                    let literal = start.at + 1..at;
                    open = None;
                    if near.last().is_some_and(|last| literal.start > last.end + 2 + GAP_MAX) {
                        join(near);
                        near.clear();
                    }
                    near.push(literal);
                }
                // Another quote inside of a literal.
                Some(start) if is_open && at - start.at <= PART_MAX => {}
                // The quote before, if there was one, was an apostrophe or ended no literal.
                _ => {
                    open = Some(Quote { at, sign });
                    (ended, after) = (false, u64::MAX << bit);
                }
            }
        }
        ended |= feeds & after != 0;
    }
    join(near);
}

/// A quote that may open a literal.
struct Quote {
    at: usize,
    sign: u8,
}

/// What puts two literals together.
#[derive(PartialEq, Eq)]
enum Joint {
    Added,
    /// Honest code lists and assigns, too.
    Listed,
    Assigned,
}

/// Literals that belong together.
struct Chain<'a> {
    text: &'a str,
    marks: &'a Marks,
    /// The literal before, which nobody may have looked at.
    last: Option<Range<usize>>,
    /// Two literals or more, or none.
    parts: Vec<Range<usize>>,
    len: usize,
    /// Where the first literal of the last assignment begins.
    assigned: usize,
    /// Whether something between them leaves a doubt.
    doubted: bool,
}

impl<'a> Chain<'a> {
    fn new(text: &'a str, marks: &'a Marks) -> Self {
        Self { text, marks, last: None, parts: Vec::new(), len: 0, assigned: 0, doubted: false }
    }

    /// Goes on to the next literal, and ends the chain if it does not belong to it.
    fn offer(&mut self, part: Range<usize>, views: &mut Views<'_>) {
        if let Some(last) = self.last.replace(part.clone())
            && let Some(joint) = self.between(&last, &part)
            && (!self.parts.is_empty() || self.fits(&last))
            && self.fits(&part)
        {
            if self.parts.len() >= 2 && self.len + part.len() > JOINED_MAX {
                self.end(views);
                return;
            }
            if self.parts.is_empty() {
                self.assigned = last.start;
                self.add(last);
            }
            if joint == Joint::Assigned {
                self.assigned = part.start;
            }
            self.add(part);
            self.doubted |= joint != Joint::Added;
        } else if !self.parts.is_empty() {
            self.end(views);
        }
    }

    fn add(&mut self, part: Range<usize>) {
        self.len += part.len();
        self.parts.push(part);
    }

    /// Tells whether a literal can be a part of a token: it has no white space in it.
    fn fits(&self, part: &Range<usize>) -> bool {
        if part.is_empty() || part.len() > PART_MAX {
            return false;
        }
        if self.marks.token.run_to(part.start, part.end) == part.len() {
            return true;
        }
        work::spend(part.len());
        let bytes = self.text.as_bytes().get(part.clone()).unwrap_or_default();
        !bytes.iter().fold(false, |any, byte| any | byte.is_ascii_whitespace())
    }

    /// What puts two literals together, by what stands between them.
    fn between(&self, last: &Range<usize>, part: &Range<usize>) -> Option<Joint> {
        let gap = last.end + 1..part.start - 1;
        // Two literals that touch, `""`, are an escaped quote.
        if gap.is_empty() || gap.len() > GAP_MAX {
            return None;
        }
        let gap = self.text.as_bytes().get(gap)?;
        let mut all = JOINS | LISTS | ASSIGNS;
        for byte in gap {
            all &= CLASSES.get(usize::from(*byte)).copied().unwrap_or(0);
            if all == 0 {
                return None;
            }
        }
        // One bar is a choice of literals, which types are made of; two add them.
        let chosen = || gap.contains(&b'|') && !gap.windows(2).any(|two| two == b"||");
        if all & JOINS != 0 && !chosen() {
            return Some(Joint::Added);
        }
        if all & LISTS != 0 {
            return Some(Joint::Listed);
        }
        // `p0 = "…"` and on the next line `p1 = "…"`.
        if gap.trim_ascii_end().last() != Some(&b'=')
            || !gap.iter().any(|byte| matches!(byte, b'\n' | b';'))
        {
            return None;
        }
        let words = gap.split(|b| !b.is_ascii_alphanumeric() && *b != b'_');
        if words.filter(|word| !word.is_empty()).count() > 3 {
            return None;
        }
        let first = if self.parts.is_empty() { last.start } else { self.assigned };
        let name = |start: usize| names::assigned(self.text.as_bytes().get(..start - 1)?);
        names::follows(name(first)?, name(part.start)?).then_some(Joint::Assigned)
    }

    /// Makes a view of the literals, if they could hold a token, and begins anew.
    fn end(&mut self, views: &mut Views<'_>) {
        if let [first, .., last] = self.parts.as_slice()
            && self.len >= 16
            && self.marks.digit.has(2, first.start..last.end)
            && self.digits() >= 2
            && views.has_room(self.len)
        {
            let mut joined = String::with_capacity(self.len);
            joined.extend(self.parts.iter().filter_map(|part| self.text.get(part.clone())));
            let trust = if self.doubted { Trust::Names } else { Trust::Full };
            views.add("joined literals", first.start - 1..last.end + 1, joined, trust);
        }
        self.parts.clear();
        (self.len, self.doubted) = (0, false);
    }

    fn digits(&self) -> usize {
        self.parts.iter().map(|part| self.marks.digit.count(part.clone())).sum()
    }
}

/// Operators and white space.
const JOINS: u8 = 1;
/// These, or a comma.
const LISTS: u8 = 2;
/// Names, numbers and what assigns to them.
const ASSIGNS: u8 = 4;

/// What a byte between two literals can be a part of.
#[expect(clippy::indexing_slicing, reason = "an index out of bounds would not compile")]
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        let white = (byte as u8).is_ascii_whitespace();
        classes[byte] = match byte as u8 {
            b'+' | b'.' => JOINS | LISTS | ASSIGNS,
            b'&' | b'|' | b'~' | b'(' | b')' | b'\\' => JOINS | LISTS,
            b',' => LISTS,
            b'_' | b'$' | b';' | b':' | b'=' => ASSIGNS,
            letter if letter.is_ascii_alphanumeric() => ASSIGNS,
            _ if white => JOINS | LISTS | ASSIGNS,
            _ => 0,
        };
        byte += 1;
    }
    classes
};
