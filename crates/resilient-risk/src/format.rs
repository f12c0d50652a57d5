//! A small language for token formats, and its matcher.
//!
//! A format is literal text with classes in braces: `glsa_{n32}_{x8}` is `glsa_`, thirty-two
//! letters or digits, an underscore, eight hexadecimal digits. Lengths are `32`, `20-40` or `20+`.
//!
//! | Class | Characters |
//! |---|---|
//! | `d` | digits |
//! | `h` `H` `x` | hexadecimal digits: small, capital, either |
//! | `l` `u` `c` | letters: small, capital, either |
//! | `a` `A` `n` | letters and digits: small, capital, either |
//! | `w` | `n`, `_` and `-` |
//! | `b` | `n`, `+`, `/`, `=` |
//! | `t` | `w`, `+`, `/`, `=`, `.`, `~` |
//!
//! A class takes as much as it can; nothing is tried twice, so matching takes time linear in what
//! it reads. A match must end where its last class ends: a longer token is another token.

use std::ops::Range;

/// The characters that a part of a format takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Digit,
    HexLower,
    HexUpper,
    Hex,
    Lower,
    Upper,
    Letter,
    LowerDigit,
    UpperDigit,
    Alnum,
    Word,
    Base64,
    Any,
}

impl Class {
    fn named(name: u8) -> Option<Self> {
        Some(match name {
            b'd' => Self::Digit,
            b'h' => Self::HexLower,
            b'H' => Self::HexUpper,
            b'x' => Self::Hex,
            b'l' => Self::Lower,
            b'u' => Self::Upper,
            b'c' => Self::Letter,
            b'a' => Self::LowerDigit,
            b'A' => Self::UpperDigit,
            b'n' => Self::Alnum,
            b'w' => Self::Word,
            b'b' => Self::Base64,
            b't' => Self::Any,
            _ => return None,
        })
    }

    fn has(self, byte: u8) -> bool {
        /// A bit for each class that a byte is of.
        #[expect(clippy::indexing_slicing, reason = "an index out of bounds would not compile")]
        static CLASSES: [u16; 256] = {
            let mut classes = [0; 256];
            let mut byte = 0;
            while byte < classes.len() {
                let mut class = 0;
                while class < Class::ALL.len() {
                    if Class::ALL[class].holds(byte as u8) {
                        classes[byte] |= 1 << Class::ALL[class] as u16;
                    }
                    class += 1;
                }
                byte += 1;
            }
            classes
        };
        CLASSES.get(usize::from(byte)).is_some_and(|classes| classes >> self as u16 & 1 == 1)
    }

    const ALL: [Self; 13] = [
        Self::Digit,
        Self::HexLower,
        Self::HexUpper,
        Self::Hex,
        Self::Lower,
        Self::Upper,
        Self::Letter,
        Self::LowerDigit,
        Self::UpperDigit,
        Self::Alnum,
        Self::Word,
        Self::Base64,
        Self::Any,
    ];

    const fn holds(self, byte: u8) -> bool {
        match self {
            Self::Digit => byte.is_ascii_digit(),
            Self::HexLower => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            Self::HexUpper => matches!(byte, b'0'..=b'9' | b'A'..=b'F'),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Lower => byte.is_ascii_lowercase(),
            Self::Upper => byte.is_ascii_uppercase(),
            Self::Letter => byte.is_ascii_alphabetic(),
            Self::LowerDigit => byte.is_ascii_lowercase() || byte.is_ascii_digit(),
            Self::UpperDigit => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='),
            Self::Any => {
                byte.is_ascii_alphanumeric()
                    || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'=' | b'.' | b'~')
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(&'static [u8]),
    Class { class: Class, min: usize, max: usize },
}

/// A format, ready to match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Format {
    parts: Vec<Part>,
}

impl Format {
    /// Reads a format; nothing if it is malformed.
    pub(super) fn parse(text: &'static str) -> Option<Self> {
        let mut parts = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(inner) = rest.strip_prefix('{') {
                let (class, after) = inner.split_once('}')?;
                let (name, lengths) = class.split_at_checked(1)?;
                let class = Class::named(*name.as_bytes().first()?)?;
                let (min, max) = if let Some(min) = lengths.strip_suffix('+') {
                    (min.parse().ok()?, usize::MAX)
                } else if let Some((min, max)) = lengths.split_once('-') {
                    (min.parse().ok()?, max.parse().ok()?)
                } else {
                    let len = lengths.parse().ok()?;
                    (len, len)
                };
                parts.push(Part::Class { class, min, max });
                rest = after;
            } else {
                let end = rest.find('{').unwrap_or(rest.len());
                let (literal, after) = rest.split_at_checked(end)?;
                parts.push(Part::Literal(literal.as_bytes()));
                rest = after;
            }
        }
        Some(Self { parts })
    }

    /// The literal text that every match begins with.
    pub(super) fn prefix(&self) -> &'static [u8] {
        match self.parts.first() {
            Some(Part::Literal(text)) => text,
            _ => b"",
        }
    }

    /// Tells whether a match may begin with a byte.
    pub(super) fn may_begin_with(&self, byte: u8) -> bool {
        self.parts.first().is_some_and(|part| match part {
            Part::Literal(text) => text.first() == Some(&byte),
            Part::Class { class, .. } => class.has(byte),
        })
    }

    /// For a format that begins with letters and digits: how many of them stand there at least and
    /// at most, and what ends them, if it is always the same.
    pub(super) fn stretch(&self) -> (usize, usize, Option<u8>) {
        let (mut least, mut most) = (0_usize, 0_usize);
        for part in &self.parts {
            match part {
                Part::Literal(text) => {
                    let len = text.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                    least += len;
                    most = most.saturating_add(len);
                    if let Some(mark) = text.get(len) {
                        return (least, most, Some(*mark));
                    }
                }
                // The first of these may be what ends them.
                Part::Class { class: Class::Word | Class::Base64 | Class::Any, .. } => {
                    return (least, usize::MAX, None);
                }
                Part::Class { min, max, .. } => {
                    least += min;
                    most = most.saturating_add(*max);
                }
            }
        }
        (least, most, None)
    }

    /// How long a match is at least before the first of certain bytes that is always there, and which it is.
    #[cfg(test)]
    pub(super) fn least_before(&self, ends: impl Fn(u8) -> bool) -> (usize, Option<u8>) {
        let mut least = 0;
        for part in &self.parts {
            match part {
                Part::Literal(text) => match text.iter().position(|byte| ends(*byte)) {
                    Some(at) => return (least + at, text.get(at).copied()),
                    None => least += text.len(),
                },
                Part::Class { min, .. } => least += min,
            }
        }
        (least, None)
    }

    /// The first literal text, if whatever stands before it is always of one length, and where it stands.
    pub(super) fn fixed(&self) -> (usize, &'static [u8]) {
        let mut at = 0;
        for part in &self.parts {
            match part {
                Part::Literal(text) => return (at, text),
                Part::Class { min, max, .. } if min == max => at += min,
                Part::Class { .. } => break,
            }
        }
        (0, b"")
    }

    /// Matches at the start of a text: the length of the match, and where in it the first class
    /// begins.
    pub(super) fn matches(&self, text: &[u8]) -> Option<(usize, Range<usize>)> {
        let mut at = 0;
        let mut body: Option<Range<usize>> = None;
        let mut last = None;
        for (nth, part) in self.parts.iter().enumerate() {
            match part {
                Part::Literal(literal) => {
                    text.get(at..)?.starts_with(literal).then_some(())?;
                    at += literal.len();
                    last = None;
                }
                Part::Class { class, min, max } => {
                    // A class that a literal of the same characters follows must leave it that.
                    let most =
                        if self.parts.get(nth + 1).is_some() && *min == *max { *min } else { *max };
                    let rest = text.get(at..)?;
                    let rest = rest.get(..most).unwrap_or(rest);
                    let end = rest.iter().position(|byte| !class.has(*byte));
                    let len = end.unwrap_or(rest.len());
                    super::work::spend(len);
                    (len >= *min).then_some(())?;
                    body = Some(body.map_or(at, |body| body.start)..at + len);
                    at += len;
                    last = Some(*class);
                }
            }
        }
        let goes_on = last.is_some_and(|class| text.get(at).is_some_and(|byte| class.has(*byte)));
        // Padding and separators after a token do not make it another one.
        let harmless =
            text.get(at).is_some_and(|byte| matches!(byte, b'=' | b'-' | b'.' | b'/' | b'_'));
        (!goes_on || harmless).then(|| (at, body.unwrap_or(at..at)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_match_what_they_say() {
        let format = Format::parse("ab_{n4}.{x2-3}").unwrap();
        assert_eq!(format.prefix(), b"ab_");
        assert_eq!(format.matches(b"ab_Zz09.fF \""), Some((10, 3..10)));
        assert_eq!(format.matches(b"ab_Zz09.fFf"), Some((11, 3..11)));
        assert_eq!(format.matches(b"ab_Zz09.fFfF"), None);
        assert_eq!(format.matches(b"ab_Zz0.fFf"), None);
        assert_eq!(Format::parse("k{l3+}").unwrap().matches(b"kabcdef1"), Some((7, 1..7)));
    }

    #[test]
    fn malformed_formats_are_refused() {
        for text in ["{", "{n", "{}", "{q4}", "{n}", "{n-}", "{nx}"] {
            assert_eq!(Format::parse(text), None, "{text}");
        }
    }
}
