//! Characters written as numbers: lists of codes, and pairs of hexadecimal digits with a sign between
//! them.

use std::ops::Range;

use super::super::super::bits::{GROUP, ones};
use super::super::super::marks::Marks;
use super::super::super::work;
use super::super::{Map, Survey, Trust, Views};
use super::Joined;

/// Fewer characters are no token.
const CODES_MIN: usize = 16;

/// Makes the views of the codes and pairs in a text. Each code has two digits.
pub(super) fn views(text: &str, survey: &Survey, views: &mut Views<'_>) {
    pairs(text, &survey.marks, views);
    for dense in &survey.dense {
        if survey.marks.digit.count(dense.clone()) >= 2 * CODES_MIN {
            work::spend(dense.len());
            lists(text, &survey.marks, dense, views);
        }
    }
}

/// Pairs of hexadecimal digits with one and the same sign between them: `67:6c:73`, `67 6c 73`.
fn pairs(text: &str, marks: &Marks, views: &mut Views<'_>) {
    // Of sixteen digits in every third place eight stand in one group: few groups have so many.
    let has_row = |group| {
        let digits = marks.digit.word(group);
        let row = digits & digits >> 3;
        let row = row & row >> 6;
        row & row >> 12 != 0
    };
    let mut done = 0;
    for group in (0..marks.digit.words.len()).filter(|group| has_row(*group) || has_row(group + 1))
    {
        for start in ones(rows_of_pairs(marks, group)).map(|bit| group * GROUP + bit) {
            if start < done {
                continue;
            }
            let decoded = row_of_pairs(text, start);
            let end = start + (3 * decoded.len()).saturating_sub(1);
            if decoded.len() >= CODES_MIN {
                views.add("hex", Map::whole(start..end), decoded, Trust::Names);
                done = end;
            }
        }
    }
}

/// Where sixteen pairs begin in a group, each with a digit in front, as those of characters have, and with a sign behind
/// each but the last.
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

/// What the pairs from a position on say, up to the first that is no character.
fn row_of_pairs(text: &str, start: usize) -> String {
    let mut decoded = String::new();
    let sign = text.as_bytes().get(start + 2).filter(|sign| b": -".contains(sign));
    for at in (start..).step_by(3) {
        let byte = text.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
        let Some(byte) = byte.filter(u8::is_ascii_graphic) else { break };
        decoded.push(char::from(byte));
        if sign.is_none() || text.as_bytes().get(at + 2) != sign {
            break;
        }
    }
    decoded
}

/// A number, and the character whose code it is.
type Code = (Range<usize>, char);

/// Lists of character codes: `[103, 108, 115]`, `chr(103) . chr(108)`, `0x67, 0x6c`, `0o147`.
fn lists(text: &str, marks: &Marks, part: &Range<usize>, views: &mut Views<'_>) {
    let goes_on = |one: &Code, next: usize| {
        /// Between two codes of a list stand no more bytes.
        const BETWEEN_MAX: usize = 24;
        // What is assigned or ends a statement stands between two lists.
        let between = text.get(one.0.end..next).unwrap_or_default();
        between.len() <= BETWEEN_MAX && !between.contains(['=', ';', ':'])
    };
    let (mut list, mut at): (Vec<Code>, _) = (Vec::new(), part.start);
    while let Some(start) = marks.digit.next(at, part.end) {
        let (len, value) = number(text.as_bytes().get(start..).unwrap_or_default());
        at = start + len;
        let char = u8::try_from(value).ok().filter(|byte| matches!(byte, b' '..=b'~'));
        if char.is_none() || list.last().is_some_and(|last| !goes_on(last, start)) {
            list_of(text, marks, &list, views);
            list.clear();
        }
        list.extend(char.map(|char| (start..at, char::from(char))));
    }
    list_of(text, marks, &list, views);
}

/// Makes the view of codes that make a list, if they do.
fn list_of(text: &str, marks: &Marks, list: &[Code], views: &mut Views<'_>) {
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
    joined.add(text, marks, begin, Trust::Names, views);
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
    fn a_list_may_end_with_a_letter() {
        let token = ["np", "m_", "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5AqT0z"].concat();
        let list = token.bytes().map(|byte| format!("0x{byte:02x}")).collect::<Vec<_>>().join(", ");
        for offset in 0..64 {
            let text = format!("{}b = [{list}]\n", "-".repeat(offset));
            assert_eq!(found(&text), [list.as_str()], "{offset}");
        }
    }

    #[test]
    fn two_lists_do_not_hide_each_other() {
        let list = list(|byte| byte.to_string(), ", ");
        let text = format!("a = bytes([{list}])\nb = bytes([{list}])\n");
        assert_eq!(found(&text), [list.as_str(), list.as_str()]);
    }
}
