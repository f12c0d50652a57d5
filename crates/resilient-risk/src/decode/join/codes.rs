//! Characters written as numbers: lists of codes, and pairs of hexadecimal digits with a sign between
//! them.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::super::super::byte_classes::ByteClasses;
use super::super::super::work;
use super::super::{Map, TextIndex, Trust, Views};
use super::Joined;

/// Fewer characters are no token.
const CODES_MIN: usize = 16;

/// Makes the views of the codes and pairs in a text. Each code has two digits, and of each pair the first character is one.
pub(super) fn views(text: &str, text_index: &TextIndex, views: &mut Views<'_>) {
    for region in &text_index.digit_regions {
        let digits = text_index.byte_classes.digit.count(region.clone());
        if digits >= CODES_MIN {
            work::spend(region.len());
            pairs(text, region, views);
        }
        if digits >= 2 * CODES_MIN {
            work::spend(region.len());
            lists(text, &text_index.byte_classes, region, views);
        }
    }
}

/// Pairs of hexadecimal digits with one and the same sign between them: `67:6c:73`, `67 6c 73`.
static PAIRS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pair = "(?:2[1-9A-Fa-f]|[3-6][0-9A-Fa-f]|7[0-9A-Ea-e])";
    let rows = [":", " ", "-"].map(|sign| format!("(?:{pair}{sign}){{15,}}{pair}"));
    Regex::new(&format!("(?-u){}", rows.join("|"))).ok()
});

/// Makes the views of rows of pairs in a part of a text.
fn pairs(text: &str, part: &Range<usize>, views: &mut Views<'_>) {
    let region = text.as_bytes().get(part.clone()).unwrap_or_default();
    for row in PAIRS.iter().flat_map(|pairs| pairs.find_iter(region)) {
        let pair =
            |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair.get(..2)?).ok()?, 16).ok();
        let said = row.as_bytes().chunks(3).filter_map(pair).map(char::from).collect();
        let place = part.start + row.start()..part.start + row.end();
        views.add("hex", Map::whole(place), said, Trust::Prefixed);
    }
}

/// A number, and the character whose code it is.
type Code = (Range<usize>, char);

/// Lists of character codes: `[103, 108, 115]`, `chr(103) . chr(108)`, `0x67, 0x6c`, `0o147`.
fn lists(text: &str, byte_classes: &ByteClasses, part: &Range<usize>, views: &mut Views<'_>) {
    let goes_on = |one: &Code, next: usize| {
        /// Between two codes of a list stand no more bytes.
        const BETWEEN_MAX: usize = 24;
        // What is assigned or ends a statement stands between two lists.
        let between = text.get(one.0.end..next).unwrap_or_default();
        between.len() <= BETWEEN_MAX && !between.contains(['=', ';', ':'])
    };
    let (mut list, mut at): (Vec<Code>, _) = (Vec::new(), part.start);
    while let Some(start) = byte_classes.digit.next(at, part.end) {
        let (len, value) = number(text.as_bytes().get(start..).unwrap_or_default());
        at = start + len;
        let char = u8::try_from(value).ok().filter(|byte| matches!(byte, b' '..=b'~'));
        if char.is_none() || list.last().is_some_and(|last| !goes_on(last, start)) {
            list_of(text, byte_classes, &list, views);
            list.clear();
        }
        list.extend(char.map(|char| (start..at, char::from(char))));
    }
    list_of(text, byte_classes, &list, views);
}

/// Makes the view of codes that make a list, if they do.
fn list_of(text: &str, byte_classes: &ByteClasses, list: &[Code], views: &mut Views<'_>) {
    if list.len() < CODES_MIN {
        return;
    }
    let decoded: String = list.iter().map(|(_, char)| char).collect();
    let letters = decoded.bytes().filter(u8::is_ascii_alphabetic).count();
    if letters * 6 < list.len() {
        return;
    }
    let codes = list.iter().map(|(code, _)| with_suffix(text.as_bytes(), code.clone()));
    let codes: Vec<Range<usize>> = codes.collect();
    let (begin, is_list) = (codes.first().map_or(0, |first| first.start), is_list(text, &codes));
    let parts = codes.into_iter().enumerate();
    let parts = parts.filter_map(|(nth, code)| Some((decoded.get(nth..=nth)?, code)));
    let joined = Joined { via: "character codes", parts: parts.collect(), is_list };
    joined.add(text, byte_classes, begin, Trust::Prefixed, views);
}

/// A number with the name of its type behind it.
fn with_suffix(text: &[u8], number: Range<usize>) -> Range<usize> {
    const SUFFIX_MAX: usize = 8;
    let rest = text.get(number.end..).unwrap_or_default().iter().take(SUFFIX_MAX);
    let suffix = rest.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    number.start..number.end + suffix
}

/// Tells whether what stands between the codes of a list goes with them: it is the same everywhere, and no statement.
fn is_list<'a>(text: &'a str, codes: &[Range<usize>]) -> bool {
    let mut gaps = codes.windows(2).filter_map(|two| match two {
        [one, next] => text.get(one.end..next.start),
        _ => None,
    });
    let dark = |gap: &'a str| gap.bytes().filter(|byte| !byte.is_ascii_whitespace());
    let first = gaps.next().unwrap_or_default();
    gaps.all(|gap| dark(gap).eq(dark(first)))
}

/// A number at the start of a text: its length, with what says its base, and its value.
fn number(text: &[u8]) -> (usize, u32) {
    let (lead, base) = match text {
        [b'0', b'x', ..] => (2, 16),
        [b'0', b'o', ..] => (2, 8),
        _ => (0, 10),
    };
    let digits = text.iter().skip(lead).take(4);
    let digits = digits.map_while(|byte| char::from(*byte).to_digit(base));
    let (len, value) = digits.fold((0, 0), |(len, value), digit| (len + 1, value * base + digit));
    (lead + len, value)
}
