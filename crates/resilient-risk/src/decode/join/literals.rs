//! Literals that a program puts together: added, listed, or assigned one after the other.
//!
//! Quotes are marked only in the parts of a text that are rich in digits. Two literals belong
//! together by what stands between them, which is asked only where some stand near each other and have
//! digits: most literals have nothing near them, or no digits, and then nobody reads them.

use std::ops::Range;

use fearless_simd::prelude::*;

use super::super::super::bits::{Bits, ones};
use super::super::super::lanes::{GROUP, Lanes, padded};
use super::super::super::marks::Marks;
use super::super::super::work;
use super::super::{Map, Trust, Views, rows};
use super::{JOINED_MAX, names};

/// Literals may stand so far apart.
const GAP_MAX: usize = 48;

/// A token that was cut is not shorter, and has so many digits.
const JOINED_MIN: usize = 16;
const DIGITS_MIN: usize = 2;

/// Room for so many literals is enough mostly.
const NEAR: usize = 64;

/// A literal that is a part of a token is not longer.
const PART_MAX: usize = 512;

/// Joins quoted literals with nothing but operators between them, in the groups where there are digits.
#[inline(always)]
pub(super) fn views<S: Simd>(
    simd: S,
    text: &str,
    marks: &Marks,
    rich: &Bits,
    views: &mut Views<'_>,
) {
    let mut chain = Chain::new(text, marks);
    neighbours(simd, text.as_bytes(), marks, rich, |literals| chain.join(literals, views));
}

/// Tells the literals on the lines that are rich in digits: those together that stand so near to each
/// other that they may be joined, if they have digits.
#[inline(always)]
fn neighbours<S: Simd>(
    simd: S,
    bytes: &[u8],
    marks: &Marks,
    rich: &Bits,
    join: impl FnMut(&[Range<usize>]),
) {
    // A line is not read further than this to either side.
    const LINE_MAX: usize = 1024;
    let mut near = Near { bytes, digit: &marks.digit, last: FAR, literals: Vec::new(), join };
    let mut done = 0;
    for groups in rows(rich) {
        let part = groups.start * GROUP..groups.end * GROUP;
        let from = part.start.saturating_sub(LINE_MAX).max(done);
        let start = marks.feed.last(from, part.start).map_or(from, |at| at + 1);
        let to = (part.end + LINE_MAX).min(bytes.len());
        let end = marks.feed.next(part.end, to).map_or(to, |at| at + 1);
        work::spend(end.saturating_sub(start));
        done = end;
        literals(simd, bytes, &marks.feed, start..end, |literal| near.add(literal));
        if !near.literals.is_empty() {
            near.end();
        }
        near.last = FAR;
    }
}

/// Tells which of some groups have quotes, and how many they have. There are no more groups than bits.
#[inline(always)]
fn quoted<S: Simd>(simd: S, bytes: &[u8], groups: Range<usize>) -> (u64, u32) {
    let part = bytes.get(groups.start * GROUP..bytes.len().min(groups.end * GROUP));
    let (full, rest) = part.unwrap_or_default().as_chunks::<GROUP>();
    let (mut some, mut count) = (0, 0);
    for (nth, group) in full.iter().enumerate() {
        let quotes = quotes(simd, group);
        some |= u64::from(quotes != 0) << (nth % GROUP);
        count += quotes.count_ones();
    }
    if !rest.is_empty() {
        let quotes = quotes(simd, &padded(rest));
        some |= u64::from(quotes != 0) << (full.len() % GROUP);
        count += quotes.count_ones();
    }
    (some, count)
}

/// The quotes in a group, those behind a backslash too.
#[inline(always)]
fn quotes<S: Simd>(simd: S, group: &[u8; GROUP]) -> u64 {
    let group = Lanes::of(simd, group);
    (group.is(b'"') | group.is(b'\'')).to_bitmask()
}

/// A literal that is not closed yet.
#[derive(Clone, Copy)]
struct Open {
    start: usize,
    is_double: bool,
}

/// The quotes of a group that count, and where its lines end.
struct Signs {
    base: usize,
    double: u64,
    single: u64,
    feeds: u64,
}

impl Signs {
    /// Those of a group on some lines, but for quotes behind a backslash.
    #[inline(always)]
    fn of<S: Simd>(simd: S, bytes: &[u8], feed: &Bits, group: usize, lines: &Range<usize>) -> Self {
        let base = group * GROUP;
        let lanes = Lanes::at(simd, bytes, base);
        let [double, single, slashes] =
            [b'"', b'\'', b'\\'].map(|sign| lanes.is(sign).to_bitmask());
        let before = base.checked_sub(1).and_then(|at| bytes.get(at)) == Some(&b'\\');
        // On the first group other lines may end, and on the last one others begin.
        let inside = u64::MAX << lines.start.saturating_sub(base)
            & u64::MAX >> (base + GROUP).saturating_sub(lines.end);
        let free = inside & !(slashes << 1 | u64::from(before));
        Self { base, double: double & free, single: single & free, feeds: feed.word(group) }
    }
}

/// Where the literals begin and end that end in a group. One that began before the group only ends.
#[derive(Default)]
struct Ends {
    starts: u64,
    ends: u64,
}

/// Tells the literals on some lines: from a quote to the next one of its kind on its line.
#[inline(always)]
fn literals<S: Simd>(
    simd: S,
    bytes: &[u8],
    feed: &Bits,
    lines: Range<usize>,
    mut found: impl FnMut(Range<usize>),
) {
    /// Two literals have so many.
    const QUOTES_MIN: u32 = 4;
    let groups = lines.start / GROUP..lines.end.div_ceil(GROUP);
    let mut open: Option<Open> = None;
    let mut done = lines.start;
    let mut first = groups.start;
    while first < groups.end {
        let next = groups.end.min(first + GROUP);
        let (some, count) = quoted(simd, bytes, first..next);
        if count < QUOTES_MIN && groups.len() <= GROUP {
            return;
        }
        for group in ones(some).map(|nth| first + nth) {
            let signs = Signs::of(simd, bytes, feed, group, &lines);
            // A literal ends with its line.
            open = open.filter(|_| feed.next(done, signs.base).is_none());
            done = signs.base + GROUP;
            let begun = open.map_or(0, |Open { start, .. }| start);
            let Ends { mut starts, ends } =
                plain(&signs, &mut open).unwrap_or_else(|| mixed(&signs, &mut open));
            for end in ones(ends) {
                let bit = starts.trailing_zeros() as usize;
                let start = if bit < end { signs.base + bit } else { begun };
                starts &= if bit < end { starts.wrapping_sub(1) } else { u64::MAX };
                found(start + 1..signs.base + end);
            }
        }
        first = next;
    }
}

/// The literals that end in a group where all quotes are of one kind and no line ends in a literal, as
/// mostly: then each quote opens or closes one.
#[inline(always)]
fn plain(signs: &Signs, open: &mut Option<Open>) -> Option<Ends> {
    let Signs { base, double, single, feeds } = *signs;
    let all = double | single;
    let (within, is_double) = match *open {
        Some(open) => (!odd_from(all), open.is_double),
        None => (odd_from(all), double != 0),
    };
    let others = if is_double { single } else { double };
    if (others | within & feeds != 0) | (all == 0) {
        return None;
    }
    if within >> (GROUP - 1) == 0 {
        *open = None;
    } else {
        // The last quote opens it.
        let start = base + all.ilog2() as usize;
        *open = Some(Open { start, is_double });
    }
    Some(Ends { starts: all & within, ends: all & !within })
}

/// The bits from the first one that is set to before the second one, from the third one to before the
/// fourth one, and so on.
#[inline(always)]
const fn odd_from(word: u64) -> u64 {
    let word = word ^ word << 1;
    let word = word ^ word << 2;
    let word = word ^ word << 4;
    let word = word ^ word << 8;
    let word = word ^ word << 16;
    word ^ word << 32
}

/// The literals that end in a group with quotes of both kinds, or with lines that end in a literal.
#[inline(never)]
fn mixed(signs: &Signs, open: &mut Option<Open>) -> Ends {
    let Signs { base, double, single, feeds } = *signs;
    // Other quotes inside of a literal do not count as long as it may be a part of a token.
    let far = open.map_or(0, |Open { start, .. }| {
        u64::MAX.checked_shl((start + PART_MAX + 1).saturating_sub(base) as u32).unwrap_or(0)
    });
    let mut told = Ends::default();
    // What is left of the group.
    let mut left = u64::MAX;
    loop {
        let (start, is_double) = match *open {
            Some(Open { start, is_double }) => (start, is_double),
            None => {
                let next = (double | single) & left;
                if next == 0 {
                    return told;
                }
                let bit = next.trailing_zeros();
                left = u64::MAX << bit << 1;
                (base + bit as usize, double >> bit & 1 == 1)
            }
        };
        *open = Some(Open { start, is_double });
        let same = if is_double { double } else { single };
        let others = (double | single) & far & if start < base { u64::MAX } else { 0 };
        // A literal ends with its line.
        let ends = (same | others | feeds) & left;
        if ends == 0 {
            return told;
        }
        let bit = ends.trailing_zeros();
        *open = None;
        if same >> bit & 1 == 1 {
            told.starts |= start.checked_sub(base).map_or(0, |bit| 1 << bit);
            told.ends |= 1 << bit;
        } else if feeds >> bit & 1 == 0 {
            *open = Some(Open { start: base + bit as usize, is_double: !is_double });
        }
        left = u64::MAX << bit << 1;
    }
}

/// Stands where there is no literal before, and near to none.
const FAR: Range<usize> = usize::MAX / 2..usize::MAX / 2;

/// Literals that stand near each other.
struct Near<'a, Join> {
    bytes: &'a [u8],
    digit: &'a Bits,
    /// The literal before. Most have nothing near them.
    last: Range<usize>,
    /// Two literals or more, or none.
    literals: Vec<Range<usize>>,
    join: Join,
}

impl<Join: FnMut(&[Range<usize>])> Near<'_, Join> {
    #[inline(always)]
    fn add(&mut self, literal: Range<usize>) {
        let last = std::mem::replace(&mut self.last, literal.clone());
        if self.may_join(&last, &literal) {
            if self.literals.is_empty() {
                self.literals.reserve(NEAR);
                self.literals.push(last);
            }
            self.literals.push(literal);
        } else if !self.literals.is_empty() {
            self.end();
        }
    }

    /// Tells by the ends of what stands between two literals whether it may put them together.
    #[inline(always)]
    fn may_join(&self, last: &Range<usize>, literal: &Range<usize>) -> bool {
        let byte = |at: usize| self.bytes.get(at).copied().unwrap_or(0);
        let class = |of: &[u8; 256], byte: u8| of.get(usize::from(byte)).copied().unwrap_or(0);
        let (first, next) = (last.end + 1, literal.start - 1);
        let len = next.wrapping_sub(first);
        // Before a space stands what counts.
        let skipped = usize::from((byte(next.wrapping_sub(1)) == b' ') & (len > 1));
        let end = byte(next.wrapping_sub(1 + skipped));
        // Where no literal stands before, any byte will do.
        let first = byte(first.min(next));
        (len.wrapping_sub(1) < GAP_MAX) & (class(&CLASSES, first) & class(&ENDS, end) != 0)
    }

    /// Tells the literals, if they may be a token, and begins anew. Digits between them count here, too.
    #[inline(never)]
    fn end(&mut self) {
        if let [first, .., last] = self.literals.as_slice()
            && self.literals.iter().map(Range::len).sum::<usize>() >= JOINED_MIN
            && self.digit.has(DIGITS_MIN, first.start..last.end)
        {
            (self.join)(&self.literals);
        }
        self.literals.clear();
    }
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

    /// Joins those of some literals that belong together.
    #[inline(never)]
    fn join(&mut self, literals: &[Range<usize>], views: &mut Views<'_>) {
        literals.iter().for_each(|literal| self.offer(literal.clone(), views));
        self.end(views);
        self.last = None;
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
        if self.parts.len() > 1
            && self.len >= JOINED_MIN
            && self.digits() >= DIGITS_MIN
            && views.has_room(self.len)
        {
            let mut map = Map::parts();
            self.parts.iter().for_each(|part| map.push(part.len(), part.clone(), false));
            let mut joined = String::with_capacity(self.len);
            joined.extend(self.parts.iter().filter_map(|part| self.text.get(part.clone())));
            let trust = if self.doubted { Trust::Names } else { Trust::Full };
            views.add("joined literals", map, joined, trust);
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

/// What may stand at the end of what puts two literals together: the last of what assigns is its sign.
#[expect(clippy::indexing_slicing, reason = "an index out of bounds would not compile")]
const ENDS: [u8; 256] = {
    let mut ends = CLASSES;
    let mut byte = 0;
    while byte < 128 {
        let assigns = byte as u8 == b'=' || (byte as u8).is_ascii_whitespace();
        ends[byte] &= if assigns { u8::MAX } else { JOINS | LISTS };
        byte += 1;
    }
    ends
};
