//! Escapes: `\x67`, `\147`, `\u0067`, `%67`, `&#103;`, `&#x67;`, `U+0067`.

use memchr::memchr3;

use super::super::marks::{GROUP, Marks, escapes};
use super::{Trust, Views, is_text};

/// Fewer escapes in a row are an ordinary text's.
const ESCAPES_MIN: u8 = 6;

/// Makes the views of a marked text.
pub(super) fn views(text: &str, marks: &Marks, views: &mut Views<'_>) {
    let bytes = text.as_bytes();
    let mut done = 0;
    // So many escapes in a row are dense in their group and the next one, each has a digit, and
    // few groups are like that.
    let mut here = 0;
    for (next, group) in marks.digits.iter().copied().chain([0]).zip(0_usize..) {
        let crowded = here + next >= ESCAPES_MIN;
        here = next;
        if !crowded {
            continue;
        }
        let base = group.saturating_sub(1) * GROUP;
        let end = (base + 2 * GROUP).min(bytes.len());
        let signs = [base, base + GROUP].map(|at| escapes(bytes, at).count_ones());
        if signs.into_iter().sum::<u32>() >= u32::from(ESCAPES_MIN) && end > done {
            done = within(bytes, done.max(base), end, views);
        }
    }
}

/// Makes the views of what begins in a part of the text, and tells how far that was read.
fn within(bytes: &[u8], start: usize, end: usize, views: &mut Views<'_>) -> usize {
    let mut at = start;
    while let Some(found) = memchr3(b'\\', b'%', b'&', bytes.get(at..end).unwrap_or_default()) {
        let start = at + found;
        let mut end = start;
        let mut decoded = Vec::new();
        let mut escapes = 0;
        loop {
            let rest = bytes.get(end..).unwrap_or_default();
            if let Some((byte, len)) = escape(rest) {
                decoded.push(byte);
                escapes += 1;
                end += len;
            } else if let Some(byte) = rest.first()
                && escapes > 0
                && (byte.is_ascii_alphanumeric() || b"_-.=+/:".contains(byte))
                && decoded.len() < escapes * 8
            {
                // Characters that need no escape may stand between those that have one.
                decoded.push(*byte);
                end += 1;
            } else {
                break;
            }
        }
        if escapes >= usize::from(ESCAPES_MIN)
            && views.has_room(decoded.len())
            && is_text(&decoded)
            && let Ok(text) = String::from_utf8(decoded)
        {
            // What stands before `%`-escapes can be a part of the token.
            let before = bytes.get(..start).unwrap_or_default();
            let lead =
                before.iter().rev().take(40).take_while(|b| b.is_ascii_alphanumeric()).count();
            let head = text_of(bytes, start - lead, start);
            views.add("escapes", start - lead..end, head + &text, Trust::Full);
        }
        super::super::work::spend(end - start);
        at = end.max(start + 1);
    }
    at.max(end)
}

fn text_of(bytes: &[u8], start: usize, end: usize) -> String {
    String::from_utf8_lossy(bytes.get(start..end).unwrap_or_default()).into_owned()
}

/// One escape at the start of a text: its character, if that is ASCII, and its length.
fn escape(text: &[u8]) -> Option<(u8, usize)> {
    let hex = |from: usize, len: usize| -> Option<u8> {
        let digits = text.get(from..from + len).filter(|digits| !digits.is_empty())?;
        let value = digits.iter().try_fold(0_u32, |value, digit| {
            let digit = char::from(*digit).to_digit(16)?;
            Some(value.saturating_mul(16).saturating_add(digit))
        })?;
        u8::try_from(value).ok().filter(u8::is_ascii)
    };
    match text {
        [b'\\', b'\\', b'x' | b'u', ..] => {
            escape(text.get(1..)?).map(|(byte, len)| (byte, len + 1))
        }
        [b'\\', b'x', b'{', ..] | [b'\\', b'u', b'{', ..] => {
            let end = text.iter().take(10).position(|byte| *byte == b'}')?;
            Some((hex(3, end - 3)?, end + 1))
        }
        [b'\\', b'x', ..] => Some((hex(2, 2)?, 4)),
        [b'\\', b'u', ..] => Some((hex(2, 4)?, 6)),
        [b'\\', b'U', ..] => Some((hex(2, 8)?, 10)),
        [b'\\', b'0'..=b'1', ..] => {
            let digits = std::str::from_utf8(text.get(1..4)?).ok()?;
            Some((u8::from_str_radix(digits, 8).ok().filter(u8::is_ascii)?, 4))
        }
        [b'%', ..] => Some((hex(1, 2)?, 3)),
        [b'&', b'#', b'x' | b'X', ..] => {
            let end = text.iter().take(10).position(|byte| *byte == b';')?;
            Some((hex(3, end.checked_sub(3)?)?, end + 1))
        }
        [b'&', b'#', ..] => {
            let end = text.iter().take(8).position(|byte| *byte == b';')?;
            let digits = std::str::from_utf8(text.get(2..end)?).ok()?;
            Some((digits.parse().ok().filter(u8::is_ascii)?, end + 1))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read_in_every_notation() {
        for (text, len) in [
            (r"\x67", 4),
            (r"\u0067", 6),
            (r"\u{67}", 6),
            (r"\U00000067", 10),
            (r"\147", 4),
            ("%67", 3),
            ("&#103;", 6),
            ("&#x67;", 6),
            (r"\\x67", 5),
        ] {
            assert_eq!(escape(text.as_bytes()), Some((b'g', len)), "{text}");
        }
        for text in [r"\n", "%d", "&amp;", r"\xzz", "%", r"\u12", "&#;", "&#999;"] {
            assert_eq!(escape(text.as_bytes()), None, "{text}");
        }
    }
}
