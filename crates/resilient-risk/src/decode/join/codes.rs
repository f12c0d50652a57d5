//! Characters written as numbers: lists of codes, and pairs of hexadecimal digits with a sign between
//! them.

use std::ops::Range;

use fearless_simd::prelude::*;

use super::super::super::bits::{Bits, ones};
use super::super::super::lanes::{GROUP, Lanes};
use super::super::super::marks::Marks;
use super::super::super::work;
use super::super::blob::nibble;
use super::super::{Map, Survey, Trust, Views};

/// Fewer characters are no token.
pub(in super::super) const CODES_MIN: u8 = 16;

/// Lists of character codes: `[103, 108, 115]`, `chr(103) . chr(108)`, `0x67, 0x6c`.
///
/// Each code has two digits, and sixteen lie in eight groups: then half of their digits lie in four of these.
#[inline(always)]
pub(super) fn numbers<S: Simd>(
    simd: S,
    bytes: &[u8],
    survey: &Survey,
    listed: &Bits,
    views: &mut Views<'_>,
) {
    for dense in &survey.dense {
        let groups = dense.start / GROUP..dense.end.div_ceil(GROUP);
        if listed.next(groups.start, groups.end).is_none() {
            continue;
        }
        let digits = survey.marks.digits.get(groups).unwrap_or_default().iter();
        if digits.map(|count| usize::from(*count)).sum::<usize>() < 2 * usize::from(CODES_MIN) {
            continue;
        }
        let mut done = 0;
        lists(simd, bytes, &survey.marks, dense, |list| {
            let part = list.start.max(done)..dense.end;
            done = list_of(bytes, &survey.marks, part, list.end, views);
        });
    }
}

/// Between two codes of a list stand no more bytes.
const SINCE_MAX: usize = 24;

/// The lists of codes that begin in a part of the text before a position. Tells how far it was read.
#[inline(never)]
fn list_of(
    bytes: &[u8],
    marks: &Marks,
    part: Range<usize>,
    last: usize,
    views: &mut Views<'_>,
) -> usize {
    let whole = bytes.get(..part.end).unwrap_or_default();
    // Most lists are no longer.
    let mut decoded = Vec::with_capacity(4 * usize::from(CODES_MIN));
    let mut at = part.start;
    let mut codes = Vec::with_capacity(4 * usize::from(CODES_MIN));
    while let Some(begin) = marks.digit.next(at, part.end) {
        let since = begin - at;
        let rest = whole.get(begin..).unwrap_or_default();
        let hex = rest.starts_with(b"0x");
        let (lead, (len, value)) =
            if hex { (2, code(rest.get(2..), 16)) } else { (0, code(Some(rest), 10)) };
        let value = printed(value);
        if since > SINCE_MAX || value.is_none() {
            flush(bytes, &mut codes, &mut decoded, views);
            if begin >= last {
                work::spend(begin - part.start);
                return begin;
            }
        }
        // What stands behind a gap begins a list of its own.
        if let Some(value) = value {
            codes.push(begin..begin + lead + len);
            decoded.push(value);
        }
        at = begin + lead + len;
    }
    work::spend(at - part.start);
    flush(bytes, &mut codes, &mut decoded, views);
    at
}

fn flush(text: &[u8], codes: &mut Vec<Range<usize>>, decoded: &mut Vec<u8>, views: &mut Views<'_>) {
    if decoded.len() < usize::from(CODES_MIN) {
        codes.clear();
        decoded.clear();
        return;
    }
    let codes = std::mem::take(codes);
    let bytes = std::mem::take(decoded);
    let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    if letters * 3 >= bytes.len()
        && views.has_room(bytes.len())
        && let Ok(decoded) = String::from_utf8(bytes)
    {
        views.add("character codes", map_of(text, codes), decoded, Trust::Names);
    }
}

/// Where the codes of a list stand, each with the name of its type. What stands between them goes with them
/// if it is the same everywhere and no statement.
fn map_of(text: &[u8], mut codes: Vec<Range<usize>>) -> Map {
    const SUFFIX_MAX: usize = 8;
    for code in &mut codes {
        let rest = text.get(code.end..).unwrap_or_default().iter().take(SUFFIX_MAX);
        code.end += rest.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    }
    let gaps = codes.windows(2).map(|two| match two {
        [one, next] => text.get(one.end..next.start).unwrap_or_default(),
        _ => &[],
    });
    let dark = |gap: &'_ [u8]| -> Vec<u8> {
        gap.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect()
    };
    let mut gaps = gaps.map(dark);
    let first = gaps.next().unwrap_or_default();
    let is_list = !first.iter().any(|byte| b";=".contains(byte)) && gaps.all(|gap| gap == first);
    let mut map = Map::parts();
    codes.into_iter().for_each(|code| map.push(1, code, is_list));
    map
}

/// A number at the start of a text: its length and its value. What is too large for a byte is not read
/// to its end.
fn code(text: Option<&[u8]>, base: u32) -> (usize, u32) {
    let most = if base == 16 { 3 } else { 4 };
    let (mut len, mut value) = (0, 0);
    for byte in text.unwrap_or_default().iter().take(most) {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' | b'A'..=b'F' if base == 16 => (byte | 0x20) - b'a' + 10,
            _ => break,
        };
        len += 1;
        value = value * base + u32::from(digit);
    }
    (len, value)
}

/// Finds where a part of the text can hold sixteen codes in a row, by the marks: from what ends a list,
/// a number that is no code or a gap, to the next of them.
#[inline(always)]
fn lists<S: Simd>(
    simd: S,
    bytes: &[u8],
    marks: &Marks,
    part: &Range<usize>,
    mut found: impl FnMut(Range<usize>),
) {
    /// What is left of a longer number may be read as a code, too.
    const COUNT_MIN: usize = CODES_MIN as usize - 1;
    let first = part.start / GROUP;
    let mut numbers = Numbers::of(bytes, marks, first);
    let (mut start, mut count) = (part.start, 0);
    for group in first..part.end.div_ceil(GROUP) {
        work::spend(1);
        let base = group * GROUP;
        let Ends { codes, gaps, ends } = numbers.next(simd, marks, group);
        if ends == 0 {
            count += number_of(codes);
            continue;
        }
        let (low, high) = (ends.trailing_zeros(), 63 - ends.leading_zeros());
        // After a gap a list begins anew, and the first code is told by the gap before it.
        let begin = |bit: u32| {
            let back = if gaps >> bit & 1 == 1 { SINCE_MAX } else { 0 };
            (base + bit as usize).saturating_sub(back).max(part.start)
        };
        let (until, from) = (!(u64::MAX << low), u64::MAX << high);
        // A code takes three bytes with the sign that follows it.
        if count + low as usize / 3 + 1 >= COUNT_MIN
            && count + number_of(codes & until) >= COUNT_MIN
        {
            found(start..base + low as usize);
        }
        if (high - low) as usize / 3 >= COUNT_MIN && number_of(codes & !until & !from) >= COUNT_MIN
        {
            found(begin(low)..base + high as usize);
        }
        (start, count) = (begin(high), number_of(codes & from));
    }
    if count >= COUNT_MIN {
        found(start..part.end);
    }
}

fn number_of(word: u64) -> usize {
    word.count_ones() as usize
}

/// Tells of one group after the other which of its numbers may be codes.
struct Numbers<'a> {
    bytes: &'a [u8],
    /// The digits of the last group and of this one.
    before: u64,
    digits: u64,
    /// Where in the last group a number in hexadecimal digits began.
    hexes: u64,
}

/// What is in one group: numbers that may be codes, and what ends a list.
struct Ends {
    codes: u64,
    /// The last of so many bytes without a digit that no list goes on.
    gaps: u64,
    /// The gaps, and the numbers that are no codes.
    ends: u64,
}

impl<'a> Numbers<'a> {
    fn of(bytes: &'a [u8], marks: &Marks, first: usize) -> Self {
        let before = first.checked_sub(1).map_or(0, |group| marks.digit.word(group));
        Self { bytes, before, digits: marks.digit.word(first), hexes: 0 }
    }

    #[inline(always)]
    fn next<S: Simd>(&mut self, simd: S, marks: &Marks, group: usize) -> Ends {
        let base = group * GROUP;
        let here = Lanes::at(simd, self.bytes, base);
        let (before, digits, after) = (self.before, self.digits, marks.digit.word(group + 1));
        // Numbers of one digit or more, of two, of three and of four, by where they begin.
        let one = digits & !(digits << 1 | before >> (GROUP - 1));
        let two = one & (digits >> 1 | after << (GROUP - 1));
        let three = two & (digits >> 2 | after << (GROUP - 2));
        let four = three & (digits >> 3 | after << (GROUP - 3));
        let mut no_codes = one & !two;
        let mut codes = two;
        // `0x` begins a number in hexadecimal digits.
        let next = self.bytes.get(base + GROUP) == Some(&b'x');
        let signs = here.is(b'x').to_bitmask() >> 1 | u64::from(next) << (GROUP - 1);
        let hexes = one & !two & signs & here.is(b'0').to_bitmask();
        for bit in ones(hexes) {
            if printed(code(self.bytes.get(base + bit + 2..), 16).1).is_some() {
                no_codes &= !(1 << bit);
                codes |= 1 << bit;
            }
        }
        // Of the digits behind an `x` three are read with it.
        let inner = |more: usize| hexes << more | self.hexes >> (GROUP - more);
        let inner = inner(2) | inner(3) | inner(4);
        no_codes &= !inner;
        codes &= !inner;
        self.hexes = hexes;
        (self.before, self.digits) = (digits, after);
        // Where a list ends already, and that is in most groups, nothing else is looked for.
        if no_codes != 0 {
            return Ends { codes, gaps: 0, ends: no_codes };
        }
        // No code has three digits from 200 on, or four from 1000 on.
        let large = here.lies(b'2', 8).to_bitmask() | here.is(b'1').to_bitmask() & four;
        let no_codes = three & large;
        // Twenty-five bytes in a row that are no digits.
        let gaps = !(u128::from(digits) << GROUP | u128::from(before));
        let gaps = gaps & gaps << 1;
        let gaps = gaps & gaps << 2;
        let gaps = gaps & gaps << 4;
        let gaps = gaps & gaps << 8;
        let gaps = ((gaps & gaps << (SINCE_MAX - 15)) >> GROUP) as u64;
        Ends { codes: codes & !no_codes, gaps, ends: no_codes | gaps }
    }
}

/// The character that a code stands for, if it is one that can be printed.
fn printed(value: u32) -> Option<u8> {
    u8::try_from(value).ok().filter(|value| (32..127).contains(value))
}

/// Pairs of hexadecimal digits with one and the same sign between them: `67:6c:73`, `67 6c 73`.
///
/// Each pair has a digit in front, and sixteen lie in two groups.
#[inline(always)]
pub(super) fn pairs(bytes: &[u8], survey: &Survey, paired: &Bits, views: &mut Views<'_>) {
    let mut done = 0;
    for group in paired.ones(0..survey.marks.digits.len()) {
        for at in ones(rows_of_pairs(&survey.marks, group)).map(|bit| group * GROUP + bit) {
            if at >= done && is_row(bytes, at) {
                // Digits are dense here. A pair may begin before its first digit that counts.
                let nth = survey.dense.partition_point(|dense| dense.end <= at);
                let dense = survey.dense.get(nth).map_or(at, |dense| dense.start);
                done = pairs_around(bytes, done.max(dense.saturating_sub(2)), at, views);
            }
        }
    }
}

/// Where sixteen pairs begin with a sign behind each but the last: the first digit of what is printed is
/// from two to seven.
#[inline(always)]
fn rows_of_pairs(marks: &Marks, group: usize) -> u64 {
    let [digits, alnums] = [&marks.digit, &marks.alnum]
        .map(|bits| u128::from(bits.word(group)) | u128::from(bits.word(group + 1)) << GROUP);
    let last = digits & alnums >> 1;
    let pairs = last & !(alnums >> 2);
    let pairs = pairs & pairs >> 3;
    let pairs = pairs & pairs >> 6;
    let pairs = pairs & pairs >> 12;
    (pairs & pairs >> (3 * 7) & last >> (3 * 15)) as u64
}

/// Tells whether so many pairs stand from a position on, with one sign between them, whose first digits
/// are those of what is printed.
#[inline(never)]
fn is_row(bytes: &[u8], at: usize) -> bool {
    let Some(row) = bytes.get(at..at + 3 * usize::from(CODES_MIN) - 1) else { return false };
    let sign = row.get(2).copied().unwrap_or(0);
    matches!(sign, b':' | b' ' | b'-')
        && row.chunks(3).all(|pair| {
            pair.first().is_some_and(|digit| matches!(digit, b'2'..=b'7'))
                && pair.get(2).is_none_or(|other| *other == sign)
        })
}

/// Reads the pairs around a row of them, and tells how far they go.
#[inline(never)]
fn pairs_around(bytes: &[u8], done: usize, row: usize, views: &mut Views<'_>) -> usize {
    let pair = |at: usize| match bytes.get(at..at + 2)? {
        [high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
            Some(nibble(*high) << 4 | nibble(*low))
        }
        _ => None,
    };
    let sign = bytes.get(row + 2);
    let mut start = row;
    while let Some(before) = start.checked_sub(3).filter(|before| *before >= done)
        && bytes.get(before + 2) == sign
        && pair(before).is_some()
    {
        start = before;
    }
    let before = start.checked_sub(1).and_then(|before| bytes.get(before));
    if before.is_some_and(u8::is_ascii_alphanumeric) {
        start += 3;
    }
    let (mut at, mut decoded) = (start, Vec::new());
    while let Some(byte) = pair(at) {
        decoded.push(byte);
        at += 2;
        if bytes.get(at) != sign {
            break;
        }
        at += 1;
    }
    work::spend(at - start);
    if decoded.len() >= usize::from(CODES_MIN)
        && views.has_room(decoded.len())
        && decoded.iter().all(u8::is_ascii_graphic)
        && let Ok(text) = String::from_utf8(decoded)
    {
        views.add("hex", Map::whole(start..at), text, Trust::Names);
    }
    at
}

#[cfg(test)]
mod tests {
    use crate::{Detection, Policy, score};

    /// A token of a known format, which is in no file as such.
    fn token() -> String {
        ["gl", "sa_", "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A", "_", "8f3a9c1d"].concat()
    }

    /// The codes of the token, each written in some way, with something between them.
    fn list(write: impl Fn(u8) -> String, between: &str) -> String {
        token().bytes().map(write).collect::<Vec<_>>().join(between)
    }

    /// What is found in a text.
    fn found(text: &str) -> Vec<&str> {
        let hits = score(text, &Policy::default()).detected_patterns.into_iter();
        let spans = hits.filter_map(|found| match found {
            Detection::Pattern(hit) => Some(hit.span),
            Detection::Size(_) => None,
        });
        spans.map(|span| text.get(span).unwrap()).collect()
    }

    #[test]
    fn a_list_of_codes_is_found_wherever_it_stands() {
        for (before, list, after) in [
            ("b = bytes([", list(|byte| byte.to_string(), ", "), "])\nz = 1\n"),
            ("b = ", list(|byte| format!("chr({byte})"), " + "), "\nz = 1\n"),
            ("b = {", list(|byte| format!("0x{byte:02x}"), ","), "};\nz = 1\n"),
            ("String.fromCharCode(", list(|byte| byte.to_string(), ","), ");\nz = 1\n"),
            ("codes:\n  - ", list(|byte| byte.to_string(), "\n  - "), "\nnext: 2\n"),
        ] {
            let inner = list.trim_start_matches("chr(").trim_end_matches(')');
            for offset in 0..64 {
                let text = format!("{}{before}{list}{after}", "\n".repeat(offset));
                assert_eq!(found(&text), [inner], "{offset} {text}");
                // With a gap before, and numbers before that.
                let text = format!("x = 7\n{}\n{before}{list}{after}", "-".repeat(offset));
                assert_eq!(found(&text), [inner], "{offset} {text}");
            }
        }
    }
}
