//! Characters written as numbers: lists of codes, and pairs of hexadecimal digits with a sign between
//! them.

use std::ops::Range;

use super::super::super::bits::{GROUP, ones};
use super::super::super::marks::Marks;
use super::super::super::work;
use super::super::blob::nibble;
use super::super::{Map, Survey, Trust, Views};
use super::Joined;

/// Fewer characters are no token.
const CODES_MIN: usize = 16;

/// Lists of character codes: `[103, 108, 115]`, `chr(103) . chr(108)`, `0x67, 0x6c`, `0o147`.
///
/// Each code has two digits.
pub(super) fn numbers(text: &str, survey: &Survey, views: &mut Views<'_>) {
    for dense in &survey.dense {
        if survey.marks.digit.count(dense.clone()) >= 2 * CODES_MIN {
            work::spend(dense.len());
            lists(text, &survey.marks, dense, views);
        }
    }
}

/// Between two codes of a list stand no more bytes.
const SINCE_MAX: usize = 24;

/// Makes views of the lists of codes in a part of a text.
fn lists(text: &str, marks: &Marks, part: &Range<usize>, views: &mut Views<'_>) {
    let bytes = text.as_bytes().get(..part.end).unwrap_or_default();
    let mut list = List { text, marks, codes: Vec::new(), decoded: String::new() };
    let mut at = part.start;
    while let Some(begin) = marks.digit.next(at, part.end) {
        let (len, value) = number(bytes.get(begin..).unwrap_or_default());
        let gap = bytes.get(at..begin).unwrap_or_default();
        let is_printed = (32..127).contains(&value);
        // What is assigned or ends a statement stands between two lists.
        if !list.codes.is_empty()
            && (!is_printed
                || gap.len() > SINCE_MAX
                || gap.iter().any(|byte| b"=;:".contains(byte)))
        {
            list.end(views);
        }
        if is_printed {
            list.codes.push(begin..begin + len);
            list.decoded.push(char::from(value));
        }
        at = begin + len;
    }
    list.end(views);
}

/// The codes of a list so far, and what they say.
struct List<'a> {
    text: &'a str,
    marks: &'a Marks,
    codes: Vec<Range<usize>>,
    decoded: String,
}

impl List<'_> {
    fn end(&mut self, views: &mut Views<'_>) {
        let (codes, decoded) = (std::mem::take(&mut self.codes), std::mem::take(&mut self.decoded));
        let letters = decoded.bytes().filter(u8::is_ascii_alphabetic).count();
        if codes.len() >= CODES_MIN && letters * 6 >= codes.len() {
            let begin = codes.first().map_or(0, |first| first.start);
            let (codes, is_list) = with_suffix(self.text.as_bytes(), codes);
            let parts: Vec<_> =
                codes.into_iter().enumerate().map(|(nth, code)| (nth..nth + 1, code)).collect();
            let joined = Joined { via: "character codes", decoded: &decoded, parts, is_list };
            joined.add(self.text, self.marks, begin, Trust::Names, views);
        }
    }
}

/// Where the codes of a list stand, each with the name of its type, and whether what stands between them goes with them:
/// if it is the same everywhere and no statement.
fn with_suffix(text: &[u8], mut codes: Vec<Range<usize>>) -> (Vec<Range<usize>>, bool) {
    const SUFFIX_MAX: usize = 8;
    for code in &mut codes {
        let rest = text.get(code.end..).unwrap_or_default().iter().take(SUFFIX_MAX);
        code.end += rest.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    }
    let gaps = codes.windows(2).map(|two| match two {
        [one, next] => text.get(one.end..next.start).unwrap_or_default(),
        _ => &[],
    });
    let dark = |gap: &[u8]| -> Vec<u8> {
        gap.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect()
    };
    let mut gaps = gaps.map(dark);
    let first = gaps.next().unwrap_or_default();
    let is_list = gaps.all(|gap| gap == first);
    (codes, is_list)
}

/// A number at the start of a text: its length, with what says its base, and its value; 255 for what is no byte.
fn number(text: &[u8]) -> (usize, u8) {
    let (lead, base) = match text {
        [b'0', b'x', ..] => (2, 16),
        [b'0', b'o', ..] => (2, 8),
        _ => (0, 10),
    };
    let digits = text.iter().skip(lead).take(4);
    let digits = digits.map_while(|byte| char::from(*byte).to_digit(base));
    let (len, value) = digits.fold((0, 0), |(len, value), digit| (len + 1, value * base + digit));
    (lead + len, u8::try_from(value).unwrap_or(u8::MAX))
}

/// Pairs of hexadecimal digits with one and the same sign between them: `67:6c:73`, `67 6c 73`.
///
/// Each pair has a digit in front, and sixteen lie in two groups.
pub(super) fn pairs(bytes: &[u8], survey: &Survey, views: &mut Views<'_>) {
    let marks = &survey.marks;
    let mut done = 0;
    for group in (0..marks.digit.words.len()).filter(|group| marks.digit.word(*group) != 0) {
        for at in ones(rows_of_pairs(marks, group)).map(|bit| group * GROUP + bit) {
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
fn is_row(bytes: &[u8], at: usize) -> bool {
    let Some(row) = bytes.get(at..at + 3 * CODES_MIN - 1) else { return false };
    let sign = row.get(2).copied().unwrap_or(0);
    matches!(sign, b':' | b' ' | b'-')
        && row.chunks(3).all(|pair| {
            pair.first().is_some_and(|digit| matches!(digit, b'2'..=b'7'))
                && pair.get(2).is_none_or(|other| *other == sign)
        })
}

/// Reads the pairs around a row of them, and tells how far they go.
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
    if decoded.len() >= CODES_MIN
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
            ("b = [", list(|byte| format!("0o{byte:o}"), ", "), "]\nz = 1\n"),
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

    #[test]
    fn two_lists_do_not_hide_each_other() {
        let list = list(|byte| byte.to_string(), ", ");
        let text = format!("a = bytes([{list}])\nb = bytes([{list}])\n");
        assert_eq!(found(&text), [list.as_str(), list.as_str()]);
    }
}
