//! Escapes: `\x67`, `\147`, `\u0067`, `%67`, `&#103;`, `&#x67;`, `U+0067`.

use fearless_simd::prelude::*;

use super::super::bits::{Bits, ones};
use super::super::lanes::{GROUP, Lanes};
use super::super::marks::is_token;
use super::{Map, Trust, Views, is_text};

/// Fewer escapes in a row are an ordinary text's.
pub(super) const ESCAPES_MIN: u8 = 6;

/// Where in a group the signs are that escapes begin with.
#[inline(always)]
fn signs<S: Simd>(simd: S, bytes: &[u8], group: usize) -> u64 {
    let group = Lanes::at(simd, bytes, group * GROUP);
    (group.is(b'\\') | group.lies(b'%', 2)).to_bitmask()
}

/// Makes the views of the parts of a text where escapes may be: so many in a row are dense in their group
/// and the next one, and each has a digit.
#[inline(always)]
pub(super) fn views<S: Simd>(simd: S, text: &str, dense: &Bits, views: &mut Views<'_>) {
    let bytes = text.as_bytes();
    let mut done = 0;
    crowds(simd, bytes, dense, |group, signs| {
        done = within(bytes, group * GROUP, signs, done, views);
    });
    done = 0;
    for group in 0..bytes.len().div_ceil(GROUP) {
        let signs = signs(simd, bytes, group);
        if signs != 0 {
            done = few(bytes, group * GROUP, signs, done, views);
        }
    }
}

/// Makes the views of tokens that have an escape or a few in them, as in `\u0067lsa_…`: of those that begin
/// in a group. Tells how far it was read.
#[inline(never)]
fn few(bytes: &[u8], base: usize, signs: u64, done: usize, views: &mut Views<'_>) -> usize {
    let mut done = done;
    for at in ones(signs).map(|bit| base + bit) {
        if at >= done && bytes.get(at..).is_some_and(may_be_escape) {
            done = token(bytes, at, views);
        }
    }
    done
}

/// So long a token is looked at, before its first escape and from there on.
const BEFORE_MAX: usize = 80;
const TOKEN_MAX: usize = 400;

/// Makes a view of the token that has its first escape at a position, and tells how far it was read.
fn token(bytes: &[u8], start: usize, views: &mut Views<'_>) -> usize {
    /// A shorter token is of no format.
    const TOKEN_MIN: usize = 16;
    let before = bytes.get(..start).unwrap_or_default();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let lead = before.iter().rev().take(BEFORE_MAX).take_while(|byte| is_plain(byte)).count();
    let mut text = before.get(start - lead..).unwrap_or_default().to_vec();
    let (mut end, mut escapes) = (start, 0);
    while let Some(first) = bytes.get(end).filter(|_| end - start < TOKEN_MAX) {
        let rest = bytes.get(end..).unwrap_or_default();
        let (byte, len) = if matches!(first, b'\\' | b'%' | b'&') {
            let Some(escape) = escape(rest) else { break };
            escapes += 1;
            escape
        } else {
            (*first, 1)
        };
        if !is_token(byte) && byte != b':' {
            break;
        }
        text.push(byte);
        end += len;
    }
    super::super::work::spend(lead + end - start);
    let is_token = text.len() >= TOKEN_MIN && text.iter().any(u8::is_ascii_digit);
    if (1..usize::from(ESCAPES_MIN)).contains(&escapes)
        && is_token
        && views.has_room(text.len())
        && let Ok(text) = String::from_utf8(text)
    {
        views.add("escapes", Map::whole(start - lead..end), text, Trust::Names);
    }
    end.max(start + 1)
}

/// Tells the signs in each two neighbours among groups that have enough of them, those of each group once.
#[inline(always)]
fn crowds<S: Simd>(simd: S, bytes: &[u8], dense: &Bits, mut found: impl FnMut(usize, u64)) {
    // As far as groups were told.
    let mut told = 0;
    for group in dense.ones(0..bytes.len().div_ceil(GROUP)) {
        let [first, second] = [group, group + 1].map(|group| signs(simd, bytes, group));
        if first.count_ones() + second.count_ones() >= u32::from(ESCAPES_MIN) {
            if group >= told {
                found(group, first);
            }
            found(group + 1, second);
            told = group + 2;
        }
    }
}

/// Makes the views of what begins in a group, and tells how far it was read.
#[inline(never)]
fn within(bytes: &[u8], base: usize, signs: u64, done: usize, views: &mut Views<'_>) -> usize {
    let mut done = done;
    let mut left = signs;
    while left != 0 {
        let at = base + left.trailing_zeros() as usize;
        left &= left - 1;
        if at >= done && bytes.get(at..).is_some_and(may_be_escape) {
            done = row(bytes, at, views);
        }
    }
    done
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

/// Makes a view of the escapes that stand from a position on, if they are enough, and tells how far
/// it was read.
fn row(bytes: &[u8], start: usize, views: &mut Views<'_>) -> usize {
    // Most are of characters that are not ASCII.
    let Some((first, len)) = escape(bytes.get(start..).unwrap_or_default()) else {
        return start + 1;
    };
    // What stands before `%`-escapes can be a part of the token.
    let before = bytes.get(..start).unwrap_or_default();
    let lead = before.iter().rev().take(40).take_while(|b| b.is_ascii_alphanumeric()).count();
    let mut end = start + len;
    let mut decoded = vec![first];
    let mut map = Map::parts();
    map.push(lead, start - lead..start, false);
    map.push(1, start..end, false);
    let mut escapes = 1;
    loop {
        let rest = bytes.get(end..).unwrap_or_default();
        if let Some((byte, len)) = escape(rest) {
            decoded.push(byte);
            escapes += 1;
            map.push(1, end..end + len, false);
            end += len;
        } else if let Some(byte) = rest.first()
            && (byte.is_ascii_alphanumeric() || b"_-.=+/:".contains(byte))
            && decoded.len() < escapes * 8
        {
            // Characters that need no escape may stand between those that have one.
            decoded.push(*byte);
            map.push(1, end..end + 1, false);
            end += 1;
        } else {
            break;
        }
    }
    super::super::work::spend(end - start);
    if escapes >= usize::from(ESCAPES_MIN)
        && views.has_room(decoded.len())
        && is_text(&decoded)
        && let Ok(text) = String::from_utf8(decoded)
    {
        let head = text_of(bytes, start - lead, start);
        views.add("escapes", map, head + &text, Trust::Full);
    }
    end
}

fn text_of(bytes: &[u8], start: usize, end: usize) -> String {
    String::from_utf8_lossy(bytes.get(start..end).unwrap_or_default()).into_owned()
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
