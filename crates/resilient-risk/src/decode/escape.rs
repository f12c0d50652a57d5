//! Tokens with escapes in them, and literals that hold a text of their own.

use memchr::{memchr3, memchr3_iter, memrchr2};

use super::super::byte_classes::is_token;
use super::super::escape::numbered;
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
        if at >= read && matches!(bytes.get(at..at + 2), Some(b"\\n" | b"\\\"")) {
            read = literal(text, at, read, views);
        }
        if at >= done {
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
        at += len;
        let escape = rest.get(len + 1).filter(|_| rest.get(len) == Some(&b'\\'));
        let to = match escape {
            Some(b'n') => Some('\n'),
            Some(b'r') => Some('\r'),
            Some(b't') => Some('\t'),
            Some(b'"' | b'\\' | b'/') => escape.copied().map(char::from),
            // Other escapes stay.
            Some(_) => {
                at += 2;
                continue;
            }
            None => None,
        };
        let plain = text.get(from..at).unwrap_or_default();
        decoded.push_str(plain);
        map.push(plain.len(), from..at, false);
        let Some(to) = to else { break };
        decoded.push(to);
        map.push(1, at..at + 2, false);
        escapes += 1;
        at += 2;
        from = at;
    }
    super::super::work::spend(decoded.len());
    if escapes >= 2 && decoded.len() >= TOKEN_MIN {
        views.add("escapes", map, decoded, Trust::Full);
    }
    at + 1
}

/// Makes a view of the escapes that stand from a position on and of what stands among them and before, and tells how far
/// it was read. Of a few escapes only what names its vendor counts.
fn row(bytes: &[u8], start: usize, floor: usize, views: &mut Views<'_>) -> usize {
    let text = bytes.get(start..).unwrap_or_default();
    let before = bytes.get(..start).unwrap_or_default();
    // Of an odd number of backslashes, the last one alone begins an escape.
    let is_second = matches!(text, [b'\\', b'\\', b'x' | b'u', ..])
        && before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1;
    // Most are of characters that are not ASCII.
    if is_second || numbered(text).is_none_or(|(char, _)| char > 127) {
        return start + 1;
    }
    let before = bytes.get(floor.max(start.saturating_sub(TOKEN_MAX))..start).unwrap_or_default();
    let lead = before.iter().rev().take_while(|byte| is_token(**byte)).count();
    let mut decoded = bytes.get(start - lead..start).unwrap_or_default().to_vec();
    let mut map = Map::parts();
    map.push(lead, start - lead..start, false);
    let (mut end, mut escapes) = (start, 0);
    while let Some(byte) = bytes.get(end).filter(|_| decoded.len() < TOKEN_MAX) {
        let (byte, len) = match numbered(bytes.get(end..).unwrap_or_default()) {
            Some((char @ 0..128, len)) => (char as u8, len),
            _ if is_token(*byte) || *byte == b':' => (*byte, 1),
            _ => break,
        };
        escapes += usize::from(len > 1);
        decoded.push(byte);
        map.push(1, end..end + len, false);
        end += len;
    }
    super::super::work::spend(lead + end - start);
    let is_row = escapes >= ESCAPES_MIN && decoded.len() < lead + escapes * 8;
    if (is_row || decoded.len() >= TOKEN_MIN)
        && is_text(&decoded)
        && let Ok(text) = String::from_utf8(decoded)
    {
        let trust = if is_row { Trust::Full } else { Trust::Prefixed };
        views.add("escapes", map, text, trust);
    }
    end
}

#[cfg(test)]
mod tests {
    use super::super::super::{Detection, Policy, score};

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
}
