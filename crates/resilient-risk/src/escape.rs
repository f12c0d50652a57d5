//! Escapes of characters: `\x67`, `\147`, `\u0067`, `%67`, `&#103;`, `&#x67;`, `\n`.

/// The escape that a text begins with, by a number or by a letter: its character, and its length.
pub(crate) fn escape(text: &[u8]) -> Option<(u32, usize)> {
    let octal = |byte: &&u8| matches!(byte, b'0'..=b'7');
    numbered(text).or_else(|| match text {
        [b'\\', digits @ ..] if digits.first().as_ref().is_some_and(octal) => {
            let len = digits.iter().take(2).take_while(octal).count();
            Some((
                digits.iter().take(len).fold(0, |sum, digit| sum * 8 + u32::from(digit - b'0')),
                1 + len,
            ))
        }
        [b'\\', b'a' | b'b' | b'e' | b'f' | b'n' | b'r' | b't' | b'v', ..] => Some((0, 2)),
        _ => None,
    })
}

/// The escape by a number that a text begins with.
pub(crate) fn numbered(text: &[u8]) -> Option<(u32, usize)> {
    // What stands before the digits, their base, how many they are, and what ends them.
    let (lead, base, digits, end) = match text {
        [b'\\', b'\\', b'x' | b'u', ..] => {
            return numbered(text.get(1..)?).map(|(char, len)| (char, len + 1));
        }
        [b'\\', b'x' | b'u', b'{', ..] => (3, 16, 1..=6, Some(&b'}')),
        [b'\\', b'x', ..] => (2, 16, 2..=2, None),
        [b'\\', b'u', rest @ ..] => {
            (2 + rest.iter().take_while(|byte| **byte == b'u').count(), 16, 4..=4, None)
        }
        [b'\\', b'U', ..] => (2, 16, 8..=8, None),
        [b'\\', b'0'..=b'3', ..] => (1, 8, 3..=3, None),
        [b'%', ..] => (1, 16, 2..=2, None),
        [b'&', b'#', b'x' | b'X', ..] => (3, 16, 1..=6, Some(&b';')),
        [b'&', b'#', ..] => (2, 10, 1..=5, Some(&b';')),
        _ => return None,
    };
    let digit = |byte: &u8| char::from(*byte).to_digit(base);
    let all = text.get(lead..)?.iter().take(*digits.end()).map_while(digit);
    let (char, len) = all.fold((0, 0), |(sum, len), digit| (sum * base + digit, len + 1));
    let ends = end.is_none() || text.get(lead + len) == end;
    (digits.contains(&len) && ends).then_some((char, lead + len + usize::from(end.is_some())))
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
            assert_eq!(numbered(text.as_bytes()), Some((u32::from(b'g'), len)), "{text}");
        }
        for text in [r"\n", "%d", "&amp;", r"\xzz", "%", r"\u12", "&#;"] {
            assert_eq!(numbered(text.as_bytes()), None, "{text}");
        }
        for (text, len) in
            [(r"\nx", 2), (r"\33[0m", 3), (r"\0x", 2), (r"\uu00e9", 7), (r"\U0001F600", 10)]
        {
            assert_eq!(escape(text.as_bytes()).map(|(_, len)| len), Some(len), "{text}");
        }
    }
}
