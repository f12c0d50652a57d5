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
use std::sync::LazyLock;

/// The classes, and the characters of each in the syntax of regular expressions.
const CLASSES: [(u8, &str); 13] = [
    (b'd', "0-9"),
    (b'h', "0-9a-f"),
    (b'H', "0-9A-F"),
    (b'x', "0-9A-Fa-f"),
    (b'l', "a-z"),
    (b'u', "A-Z"),
    (b'c', "A-Za-z"),
    (b'a', "0-9a-z"),
    (b'A', "0-9A-Z"),
    (b'n', "0-9A-Za-z"),
    (b'w', "0-9A-Za-z_-"),
    (b'b', "0-9A-Za-z+/="),
    (b't', "0-9A-Za-z_+/=.~-"),
];

/// The characters that a part of a format takes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Class {
    set: &'static str,
    /// For each byte whether it is one of them.
    bytes: [bool; 256],
}

impl Class {
    fn named(name: u8) -> Option<&'static Self> {
        static ALL: LazyLock<Vec<(u8, Class)>> =
            LazyLock::new(|| CLASSES.iter().map(|(name, set)| (*name, Class::of(set))).collect());
        ALL.iter().find_map(|(known, class)| (*known == name).then_some(class))
    }

    fn of(set: &'static str) -> Self {
        let (mut rest, mut bytes) = (set.as_bytes(), [false; 256]);
        while let [first, after @ ..] = rest {
            let (last, after) = match after {
                [b'-', last, after @ ..] => (last, after),
                _ => (first, after),
            };
            let range = bytes.get_mut(usize::from(*first)..=usize::from(*last));
            range.into_iter().for_each(|range| range.fill(true));
            rest = after;
        }
        Self { set, bytes }
    }

    fn has(&self, byte: u8) -> bool {
        self.bytes.get(usize::from(byte)).copied().unwrap_or_default()
    }

    /// How many bytes of it a text begins with.
    fn run(&self, text: &[u8]) -> usize {
        // Eight at once, which is faster.
        let has_all = |eight: &&[u8; 8]| eight.iter().fold(true, |all, byte| all & self.has(*byte));
        let len = 8 * text.as_chunks().0.iter().take_while(has_all).count();
        let rest = text.get(len..).unwrap_or_default();
        len + rest.iter().take_while(|byte| self.has(**byte)).count()
    }

    /// Whether it has letters and digits alone.
    fn is_plain(&self) -> bool {
        !self.has(b'_') && !self.has(b'+')
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part<'a> {
    Literal(&'a [u8]),
    Class { class: &'static Class, min: usize, max: usize },
}

/// A format, ready to match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Format<'a> {
    parts: Vec<Part<'a>>,
}

/// Why a text is no form of tokens.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadForm {
    /// A brace is not closed.
    #[error("has a `{{` without its `}}`")]
    Open,
    /// A class that does not exist.
    #[error("has the class `{{{0}}}`: a class is one of {NAMES}, and then a length")]
    Class(String),
    /// A length that is not valid.
    #[error("has the class `{{{0}}}`: a length is `32`, `20-40` or `20+`")]
    Length(String),
    /// What is fixed in it says too little.
    #[error("must have {FIXED_MIN} characters outside of braces, or `words`")]
    Loose,
    /// The name of the secret is not there.
    #[error("must begin with text outside of braces, or `named` must be false")]
    Nameless,
    /// It is too large.
    #[error("{0}")]
    Large(String),
}

/// The names of the classes.
const NAMES: &str = "d h H x l u c a A n w b t";

/// So many characters are fixed in a form that a policy adds.
const FIXED_MIN: usize = 3;

impl<'a> Format<'a> {
    /// Reads a format.
    pub(super) fn parse(text: &'a str) -> Result<Self, BadForm> {
        let mut parts = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(inner) = rest.strip_prefix('{') {
                let (said, after) = inner.split_once('}').ok_or(BadForm::Open)?;
                let name = said.as_bytes().first().copied().and_then(Class::named);
                let class = name.ok_or_else(|| BadForm::Class(said.to_owned()))?;
                let (min, max) = said
                    .get(1..)
                    .and_then(lengths)
                    .filter(|(min, max)| min <= max)
                    .ok_or_else(|| BadForm::Length(said.to_owned()))?;
                parts.push(Part::Class { class, min, max });
                rest = after;
            } else {
                let end = rest.find('{').unwrap_or(rest.len());
                let (literal, after) = rest.split_at(end);
                parts.push(Part::Literal(literal.as_bytes()));
                rest = after;
            }
        }
        Ok(Self { parts })
    }

    /// A regular expression for what has this form.
    pub(super) fn regex(&self) -> String {
        let part = |part: &Part<'_>| match part {
            Part::Literal(text) => regex::escape(&String::from_utf8_lossy(text)),
            Part::Class { class, min, max: usize::MAX } => format!("[{}]{{{min},}}", class.set),
            Part::Class { class, min, max } => format!("[{}]{{{min},{max}}}", class.set),
        };
        self.parts.iter().map(part).collect()
    }

    /// Tells whether enough of a form is fixed to look for it everywhere.
    pub(super) fn is_loose(&self) -> bool {
        self.fixed_len() < FIXED_MIN
    }

    /// Tells whether a form leaves no doubt where it is seen through a decoding that chance can look like: five
    /// characters of it are fixed, or four and its length, or the others are letters and digits.
    pub(super) fn is_distinct(&self) -> bool {
        let plain = |part: &Part<'_>| match part {
            Part::Literal(_) => true,
            Part::Class { class, .. } => class.is_plain(),
        };
        let exact = |part: &Part<'_>| match part {
            Part::Literal(_) => true,
            Part::Class { min, max, .. } => min == max,
        };
        let least = if self.parts.iter().all(exact) { 4 } else { 5 };
        self.fixed_len() >= least || self.parts.iter().all(plain)
    }

    /// How many characters are fixed.
    fn fixed_len(&self) -> usize {
        let len = |part: &Part<'_>| if let Part::Literal(text) = part { text.len() } else { 0 };
        self.parts.iter().map(len).sum()
    }

    /// Tells whether what stands behind a match makes it the beginning of something longer.
    pub(super) fn goes_on(&self, next: Option<u8>) -> bool {
        // Padding and separators after a token do not make it another one.
        let harmless = |byte: &u8| !matches!(byte, b'=' | b'-' | b'.' | b'/' | b'_');
        match (self.parts.last(), next.filter(harmless)) {
            (Some(Part::Class { class, .. }), Some(byte)) => class.has(byte),
            _ => false,
        }
    }

    /// Tells whether a match may have any of several lengths, as its last class does.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.parts.last(), Some(Part::Class { min, max, .. }) if min < max)
    }

    /// The literal text that every match begins with.
    pub(super) fn prefix(&self) -> &'a [u8] {
        match self.parts.first() {
            Some(Part::Literal(text)) => text,
            _ => b"",
        }
    }

    /// For a format that begins with letters and digits: how many of them stand there at least and
    /// at most, and what ends them, if it is always the same.
    pub(super) fn stretch(&self) -> (usize, usize, Option<u8>) {
        let (mut least, mut most) = (0_usize, 0_usize);
        for part in &self.parts {
            match part {
                Part::Literal(text) => {
                    let len = text.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                    (least, most) = (least + len, most.saturating_add(len));
                    if let Some(mark) = text.get(len) {
                        return (least, most, Some(*mark));
                    }
                }
                Part::Class { class, min, max } if class.is_plain() => {
                    (least, most) = (least + min, most.saturating_add(*max));
                }
                // The first of these may be what ends them.
                Part::Class { .. } => return (least, usize::MAX, None),
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

    /// A text of this form. Its characters are those that a number below a given one chooses; it does not end in a
    /// sign, which may be the text's that it stands in.
    pub(super) fn draw(&self, mut choose: impl FnMut(usize) -> usize) -> String {
        /// A class without an end has so many more characters.
        const MORE: usize = 40;
        let mut drawn = String::new();
        for (nth, part) in self.parts.iter().enumerate() {
            match part {
                Part::Literal(text) => drawn.push_str(&String::from_utf8_lossy(text)),
                Part::Class { class, min, max } => {
                    let all: Vec<u8> = (0..=127).filter(|byte| class.has(*byte)).collect();
                    let len = min + choose((max - min).min(MORE) + 1);
                    for at in 0..len {
                        let is_last = at + 1 == len && nth + 1 == self.parts.len();
                        let fits = |byte: &&u8| !is_last || byte.is_ascii_alphanumeric();
                        let all: Vec<u8> = all.iter().filter(fits).copied().collect();
                        drawn.extend(all.get(choose(all.len())).copied().map(char::from));
                    }
                }
            }
        }
        drawn
    }

    /// The first literal text, if whatever stands before it is always of one length, and where it stands.
    pub(super) fn fixed(&self) -> (usize, &'a [u8]) {
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

    /// The length of its longest token.
    pub(super) fn len_max(&self) -> usize {
        let lens = self.parts.iter().map(|part| match part {
            Part::Literal(literal) => literal.len(),
            Part::Class { max, .. } => *max,
        });
        lens.fold(0, usize::saturating_add)
    }

    /// Matches at the start of a text: the length of the match, and where in it the first class
    /// begins.
    pub(super) fn matches(&self, text: &[u8]) -> Option<(usize, Range<usize>)> {
        self.whole(text, self.fit(text)?)
    }

    /// What fits, unless it is the beginning of something longer.
    pub(super) fn whole(
        &self,
        text: &[u8],
        fitted: (usize, Range<usize>),
    ) -> Option<(usize, Range<usize>)> {
        (!self.goes_on(text.get(fitted.0).copied())).then_some(fitted)
    }

    /// The same of what may be the beginning of something longer. If a text does not fit, no beginning of it does.
    pub(super) fn fit(&self, text: &[u8]) -> Option<(usize, Range<usize>)> {
        let mut at = 0;
        let mut body: Option<Range<usize>> = None;
        for (nth, part) in self.parts.iter().enumerate() {
            match part {
                Part::Literal(literal) => {
                    text.get(at..)?.starts_with(literal).then_some(())?;
                    at += literal.len();
                }
                Part::Class { class, min, max } => {
                    // A class that a literal of the same characters follows must leave it that.
                    let most =
                        if self.parts.get(nth + 1).is_some() && *min == *max { *min } else { *max };
                    let rest = text.get(at..)?;
                    let rest = rest.get(..most).unwrap_or(rest);
                    let len = class.run(rest);
                    super::work::spend(len);
                    (len >= *min).then_some(())?;
                    body = Some(body.map_or(at, |body| body.start)..at + len);
                    at += len;
                }
            }
        }
        Some((at, body.unwrap_or(at..at)))
    }
}

/// Looks for one of the words on the line before a position and on the line above.
pub(super) fn is_near<'a>(
    text: &[u8],
    at: usize,
    words: impl IntoIterator<Item = &'a str>,
) -> bool {
    const BACK: usize = 120;
    let before = text.get(at.saturating_sub(BACK)..at).unwrap_or_default().to_ascii_lowercase();
    words.into_iter().any(|word| memchr::memmem::find(&before, word.as_bytes()).is_some())
}

/// The least and the greatest length that a text says.
fn lengths(text: &str) -> Option<(usize, usize)> {
    if let Some(min) = text.strip_suffix('+') {
        return Some((min.parse().ok()?, usize::MAX));
    }
    let (min, max) = text.split_once('-').unwrap_or((text, text));
    Some((min.parse().ok()?, max.parse().ok()?))
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
        for (text, message) in [
            ("{", "has a `{` without its `}`"),
            ("a{n4", "has a `{` without its `}`"),
            (
                "{}",
                "has the class `{}`: a class is one of d h H x l u c a A n w b t, and then a length",
            ),
            (
                "{ä4}",
                "has the class `{ä4}`: a class is one of d h H x l u c a A n w b t, and then a length",
            ),
            ("{n}", "has the class `{n}`: a length is `32`, `20-40` or `20+`"),
            ("{n5-4}", "has the class `{n5-4}`: a length is `32`, `20-40` or `20+`"),
            ("{nx}", "has the class `{nx}`: a length is `32`, `20-40` or `20+`"),
        ] {
            assert_eq!(Format::parse(text).unwrap_err().to_string(), message, "{text}");
        }
    }

    #[test]
    fn a_form_is_distinct_by_what_is_fixed_or_by_its_characters() {
        let is_distinct = |form: &str| Format::parse(form).unwrap().is_distinct();
        for form in ["glpat-{w20-64}", "dp.pt.{n40-44}", "x_{n9}", "a{n3}.bcde{t9}", "AIza{w35}"] {
            assert!(is_distinct(form), "{form}");
        }
        for form in ["cbc_{w30-80}", "sl.{w130}", "1//{t9}", "AQE{b60}"] {
            assert!(!is_distinct(form), "{form}");
        }
    }

    #[test]
    fn the_set_of_a_class_has_its_characters() {
        for (name, set) in CLASSES {
            let class = Class::named(name).unwrap();
            let set = regex::Regex::new(&format!("^[{set}]$")).unwrap();
            for byte in 0..=127 {
                let text = char::from(byte).to_string();
                assert_eq!(set.is_match(&text), class.has(byte), "{class:?} {byte}");
            }
        }
    }
}
