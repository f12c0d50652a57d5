//! Escapes: `\x67`, `\147`, `\u0067`, `%67`, `&#103;`, `&#x67;`, `U+0067`.

use memchr::{memchr3, memchr3_iter, memrchr2};

use super::super::marks::is_token;
use super::encoded::is_text;
use super::{Map, Trust, Views};

/// An ordinary text has fewer consecutive escapes.
const ESCAPES_MIN: usize = 6;

/// A token is not longer.
const TOKEN_MAX: usize = 4096;

/// A shorter token is of no format.
const TOKEN_MIN: usize = 16;

/// Makes the views of the escapes of a text, and of literals that hold a text of their own.
pub(super) fn views(text: &str, views: &mut Views<'_>) {
    let bytes = text.as_bytes();
    let (mut done, mut read) = (0, 0);
    for at in memchr3_iter(b'\\', b'%', b'&', bytes) {
        let rest = bytes.get(at..).unwrap_or_default();
        if at >= read && matches!(rest, [b'\\', b'n' | b'"', ..]) {
            read = literal(text, at, read, views);
        }
        if at >= done && may_be_escape(rest) {
            done = row(bytes, at, done, views);
        }
    }
}

/// Makes a view of the value of a key in JSON that is a text with lines or literals of its own, by its first escape.
/// Tells how far it was read.
fn literal(text: &str, first: usize, floor: usize, views: &mut Views<'_>) -> usize {
    const BEFORE_MAX: usize = 1024;
    const LITERAL_MAX: usize = 1 << 16;
    let bytes = text.as_bytes();
    let floor = floor.max(first.saturating_sub(BEFORE_MAX));
    let before = bytes.get(floor..first).unwrap_or_default();
    super::super::work::spend(before.len());
    let Some(open) = memrchr2(b'"', b'\n', before) else { return first + 1 };
    let key = before.get(..open).unwrap_or_default().trim_ascii_end();
    if before.get(open) != Some(&b'"') || !key.ends_with(b"\":") {
        return first + 1;
    }
    let (mut decoded, mut map, mut escapes) = (String::new(), Map::parts(), 0);
    let (mut from, mut at) = (floor + open + 1, first);
    let limit = bytes.len().min(first + LITERAL_MAX);
    loop {
        let rest = bytes.get(at..limit).unwrap_or_default();
        let Some(len) = memchr3(b'"', b'\\', b'\n', rest) else { return first + 1 };
        let plain = text.get(from..at + len).unwrap_or_default();
        let to = match rest.get(len..) {
            Some([b'\\', escape, ..]) => match escape {
                b'n' => '\n',
                b'r' => '\r',
                b't' => '\t',
                b'"' | b'\\' | b'/' => char::from(*escape),
                _ => {
                    at += len + 2;
                    continue;
                }
            },
            _ => '\0',
        };
        decoded.push_str(plain);
        map.push(plain.len(), from..at + len, false);
        at += len;
        if to == '\0' {
            break;
        }
        decoded.push(to);
        map.push(1, at..at + 2, false);
        escapes += 1;
        at += 2;
        from = at;
    }
    super::super::work::spend(decoded.len());
    if escapes >= 2 && decoded.len() >= TOKEN_MIN && views.has_room(decoded.len()) {
        views.add("escapes", map, decoded, Trust::Full);
    }
    at + 1
}

/// Tells by a few bytes whether a text may begin with an escape that [`escape`] reads: most signs are
/// of something else, and most escapes of characters that are not ASCII.
fn may_be_escape(text: &[u8]) -> bool {
    match text {
        [b'%', high, ..] => matches!(high, b'0'..=b'7'),
        [b'&', sign, ..] => *sign == b'#',
        [b'\\', b'x', high, ..] => matches!(high, b'0'..=b'7' | b'{'),
        [b'\\', b'u' | b'U', high, ..] => matches!(high, b'0' | b'{'),
        [b'\\', next, ..] => matches!(next, b'0' | b'1' | b'\\'),
        _ => false,
    }
}

/// Makes a view of the escapes that stand from a position on and of what stands among them and before, and tells how far
/// it was read. Of a few escapes only what names its vendor counts.
fn row(bytes: &[u8], start: usize, floor: usize, views: &mut Views<'_>) -> usize {
    // Most are of characters that are not ASCII.
    if escape(bytes.get(start..).unwrap_or_default()).is_none() {
        return start + 1;
    }
    let before = bytes.get(floor.max(start.saturating_sub(TOKEN_MAX))..start).unwrap_or_default();
    let lead = before.iter().rev().take_while(|byte| is_token(**byte)).count();
    let mut decoded = bytes.get(start - lead..start).unwrap_or_default().to_vec();
    let mut map = Map::parts();
    map.push(lead, start - lead..start, false);
    let (mut end, mut escapes) = (start, 0);
    while let Some(byte) = bytes.get(end).filter(|_| decoded.len() < TOKEN_MAX) {
        let (byte, len) = match escape(bytes.get(end..).unwrap_or_default()) {
            Some(escape) => escape,
            None if is_token(*byte) || *byte == b':' => (*byte, 1),
            None => break,
        };
        escapes += usize::from(len > 1);
        decoded.push(byte);
        map.push(1, end..end + len, false);
        end += len;
    }
    super::super::work::spend(lead + end - start);
    let is_row = escapes >= ESCAPES_MIN && decoded.len() < lead + escapes * 8;
    if (is_row || decoded.len() >= TOKEN_MIN)
        && views.has_room(decoded.len())
        && is_text(&decoded)
        && let Ok(text) = String::from_utf8(decoded)
    {
        let trust = if is_row { Trust::Full } else { Trust::Names };
        views.add("escapes", map, text, trust);
    }
    end
}

/// One escape at the start of a text: its character, if that is ASCII, and its length.
fn escape(text: &[u8]) -> Option<(u8, usize)> {
    // Digits from a position on, so many, or at most so many and a byte that ends them.
    let exactly = |from: usize, len: usize| {
        let (byte, digits) = hex(text.get(from..from + len)?)?;
        (digits == len).then_some((byte, from + len))
    };
    let until = |from: usize, most: usize, end: u8| {
        let (byte, digits) = hex(text.get(from..)?)?;
        let ended = text.get(from + digits) == Some(&end) && (1..=most).contains(&digits);
        ended.then_some((byte, from + digits + 1))
    };
    match text {
        [b'\\', b'\\', b'x' | b'u', ..] => {
            escape(text.get(1..)?).map(|(byte, len)| (byte, len + 1))
        }
        [b'\\', b'x' | b'u', b'{', ..] => until(3, 6, b'}'),
        [b'\\', b'x', ..] => exactly(2, 2),
        [b'\\', b'u', ..] => exactly(2, 4),
        [b'\\', b'U', ..] => exactly(2, 8),
        [b'\\', b'0'..=b'1', ..] => {
            let digits = std::str::from_utf8(text.get(1..4)?).ok()?;
            Some((u8::from_str_radix(digits, 8).ok().filter(u8::is_ascii)?, 4))
        }
        [b'%', ..] => exactly(1, 2),
        [b'&', b'#', b'x' | b'X', ..] => until(3, 6, b';'),
        [b'&', b'#', ..] => {
            let end = text.iter().take(8).position(|byte| *byte == b';')?;
            let digits = std::str::from_utf8(text.get(2..end)?).ok()?;
            Some((digits.parse().ok().filter(u8::is_ascii)?, end + 1))
        }
        _ => None,
    }
}

/// The number that hexadecimal digits at the start of a text make, if it is ASCII, and how many they are.
fn hex(text: &[u8]) -> Option<(u8, usize)> {
    let (mut value, mut len) = (0, 0);
    for byte in text.iter().take(8) {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' | b'A'..=b'F' => (byte | 0x20) - b'a' + 10,
            _ => break,
        };
        // Most escapes are of other characters, which their first digits show.
        if value >= 8 {
            return None;
        }
        value = value * 16 + digit;
        len += 1;
    }
    Some((value, len))
}

#[cfg(test)]
mod tests {
    use super::super::super::{Detection, Policy, score};
    use super::*;

    #[test]
    fn one_escape_in_a_token_hides_nothing() {
        let token = ["gl", "sa_", "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A", "_", "8f3a9c1d"].concat();
        for at in [0, 1, 4, 20, token.len() - 1] {
            let (first, rest) = token.split_at(at);
            let (byte, last) = (rest.as_bytes()[0], &rest[1..]);
            for escape in [format!("\\u{byte:04x}"), format!("\\x{byte:02x}"), format!("&#{byte};")]
            {
                let hidden = [first, &escape, last].concat();
                let text = format!("x = \"{hidden}\"\n");
                let report = score(&text, &Policy::default());
                let hits = report.detected_patterns.iter().map(|found| match found {
                    Detection::Pattern(hit) => &text[hit.span.clone()],
                    Detection::Size(_) => "",
                });
                assert_eq!(hits.collect::<Vec<_>>(), [hidden.as_str()]);
            }
        }
        // However far it goes on without one.
        let long = ["eyJhbGciO", "%69JIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6Imxh",
            "YmNkZWZnaGlmcXl6IiwiaWF0IjoxNTE2MjM5MDIyfQ.9jlHUDVuXPp3eWtS6y3A01xr-xx8YhpF9QSzGNQrylI"].concat();
        let report = score(&format!("k = \"{long}\"\n"), &Policy::default());
        let [Detection::Pattern(hit)] = report.detected_patterns.as_slice() else {
            panic!("{long}")
        };
        assert_eq!(hit.span, 5..5 + long.len());
        let report = score("\\x1b[0m 100%25 caf\\u00e9 a%2Fb%2Fc%2Fd1e2f3g4", &Policy::default());
        assert_eq!(report.detected_patterns, []);
    }

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
