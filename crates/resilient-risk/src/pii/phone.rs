//! Telephone numbers that begin with a sign. Others are rows of the table.

use super::PersonalHit;
use super::table::CODES;

/// The name of numbers that begin with their country's code.
pub(super) const INTERNATIONAL: &str = "phone_international";

/// A number with its country's code: `+44 20 7946 0958`.
pub(super) fn international(text: &str, start: usize, before: Option<u8>) -> Option<PersonalHit> {
    let bytes = text.as_bytes();
    let rest = bytes.get(start..)?;
    if rest.first() != Some(&b'+')
        || before.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_)].+$".contains(&byte))
        || bytes.get(start + 1).is_some_and(|byte| !matches!(byte, b'1'..=b'9'))
    {
        return None;
    }
    let mut digits = Vec::new();
    let (mut end, mut gap, mut groups) = (1, 0, 1);
    for (at, byte) in rest.iter().enumerate().skip(1).take(28) {
        if byte.is_ascii_digit() {
            digits.push(*byte);
            end = at + 1;
            groups += usize::from(gap > 0);
            gap = 0;
        } else if b" -.()".contains(byte) && gap < 2 {
            gap += 1;
        } else {
            break;
        }
    }
    let next = rest.get(end).copied().unwrap_or(b' ');
    if next.is_ascii_alphanumeric() || next == b'_' {
        return None;
    }
    let known = (1..=3).any(|len| {
        let code =
            digits.iter().take(len).fold(0, |code, digit| code * 10 + u16::from(digit - b'0'));
        CODES.contains(&code)
    });
    let lens = match digits.first() {
        // In North America, in Russia and in Kazakhstan all are of one length.
        Some(b'1' | b'7') => 11..=11,
        _ if groups > 1 => 7..=15,
        _ => 8..=15,
    };
    let is_round = text.get(start..start + end)?.trim_end_matches('0').ends_with('.');
    (known && lens.contains(&digits.len()) && !is_round)
        .then_some(PersonalHit { name: INTERNATIONAL, span: start..start + end })
}

/// `(415) 555-0132`: the area in brackets.
pub(super) fn bracketed(text: &[u8], at: usize) -> Option<std::ops::Range<usize>> {
    let form = text.get(at..at + 14)?;
    let digits = |range: std::ops::Range<usize>| {
        form.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    let fits = form.first() == Some(&b'(')
        && form.get(4..6) == Some(b") ")
        && form.get(9).is_some_and(|byte| b"- .".contains(byte))
        && digits(1..4)
        && digits(6..9)
        && digits(10..14);
    fits.then_some(at..at + 14)
}
