//! What programs and models add to a text of a file, or change in it, when they show it or send it: undone.
//!
//! Nothing here looks at the file. Only a match tells whether a text was spoiled in such a way.

use serde::Serialize;

use super::endings::{self, Match};

/// A way in which programs that write text spoil it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Mistake {
    /// `&lt;`, `&gt;`, `&amp;`, `&quot;` or `&#39;` for the characters.
    HtmlEntities,
    /// A backslash and a letter for a line break or a tab, or a backslash before a quote.
    LiteralEscapes,
    /// A line such as `... existing code ...` for text.
    Placeholder,
    /// The numbers that a read shows in front of the lines: `12|text`, `12: text`.
    LineNumbers,
    /// The signs with which the lines of a diff begin.
    DiffSigns,
    /// The lines around a block of code in Markdown.
    CodeFence,
}

impl Mistake {
    /// Whether a text has what would be a mistake elsewhere. What stands around lines is a guess that only a match
    /// confirms.
    pub(super) fn may_be_meant_in(self, text: &str) -> bool {
        let holds = |sign: &str| memchr::memmem::find(text.as_bytes(), sign.as_bytes()).is_some();
        match self {
            Self::HtmlEntities => ENTITIES.iter().any(|(entity, _)| holds(entity)),
            Self::LiteralEscapes => ESCAPES.iter().any(|(escape, _)| holds(escape)),
            Self::LineNumbers | Self::DiffSigns | Self::CodeFence => true,
            Self::Placeholder => false,
        }
    }
}

/// A text without a mistake that it may have had.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Corrected {
    pub(super) text: String,
    pub(super) mistake: Mistake,
}

impl Corrected {
    /// Whether a match can be meant: what a line began with is no help to find the middle of another one, nor of its
    /// indentation.
    pub(super) fn may_be(&self, text: &[u8], found: &Match) -> bool {
        let before = text.get(..found.range.start).unwrap_or_default();
        let line = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        let before = before.get(line..).unwrap_or_default();
        !matches!(self.mistake, Mistake::LineNumbers | Mistake::DiffSigns)
            || before.is_empty()
            || before.iter().all(u8::is_ascii_whitespace) && !self.text.starts_with([' ', '\t'])
    }
}

/// The text with each mistake that it may have undone, in the ways that are possible. The likeliest come first.
pub(super) fn undone(text: &str) -> Vec<Corrected> {
    let quotes = replaced(text, &ESCAPES[3..]);
    let numbers = without_line_numbers(text);
    let found = [
        (Mistake::HtmlEntities, replaced(text, &ENTITIES)),
        (Mistake::LiteralEscapes, quotes),
        (Mistake::LiteralEscapes, replaced(text, &ESCAPES)),
        (Mistake::LineNumbers, numbers.clone()),
        (Mistake::LineNumbers, numbers.and_then(|text| without_first_spaces(&text))),
        (Mistake::CodeFence, without_fence(text)),
        (Mistake::DiffSigns, without_diff_signs(text)),
    ];
    found
        .into_iter()
        .filter_map(|(mistake, corrected)| Some(Corrected { text: corrected?, mistake }))
        .filter(|corrected| corrected.text != text && !corrected.text.trim().is_empty())
        .collect()
}

/// `&amp;` last: `&amp;lt;` is the text `&lt;`.
const ENTITIES: [(&str, &str); 6] = [
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#39;", "'"),
    ("&apos;", "'"),
    ("&amp;", "&"),
];

/// The quotes last.
const ESCAPES: [(&str, &str); 5] =
    [("\\r\\n", "\n"), ("\\n", "\n"), ("\\t", "\t"), ("\\\"", "\""), ("\\'", "'")];

fn replaced(text: &str, signs: &[(&str, &str)]) -> Option<String> {
    Some(signs.iter().fold(text.to_owned(), |text, (sign, meant)| text.replace(sign, meant)))
}

/// The text without the number, and the sign behind it, with which each of its lines begins: `12|`, `12:`, `L12:`,
/// `12-` of a search, or a tab. The numbers count up.
fn without_line_numbers(text: &str) -> Option<String> {
    let mut before: Option<u64> = None;
    let mut corrected = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let line = line.trim_start_matches([' ', '\t']);
        let line = line.strip_prefix('L').unwrap_or(line);
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = line.split_at_checked(digits)?;
        let number: u64 = number.parse().ok()?;
        if before.is_some_and(|before| before.checked_add(1) != Some(number)) {
            return None;
        }
        before = Some(number);
        let rest = rest.strip_prefix(" |").or_else(|| rest.strip_prefix(NUMBER_ENDS));
        corrected.push_str(rest?);
    }
    Some(corrected)
}

const NUMBER_ENDS: [char; 5] = ['|', '\t', '\u{2192}', ':', '-'];

/// The text without the space with which each of its lines begins. An empty line has none.
fn without_first_spaces(text: &str) -> Option<String> {
    let mut corrected = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let is_empty = line.trim_end_matches(['\r', '\n']).is_empty();
        corrected.push_str(if is_empty { line } else { line.strip_prefix(' ')? });
    }
    Some(corrected)
}

/// The text that was there before a diff, if each line has a diff's sign.
fn without_diff_signs(text: &str) -> Option<String> {
    let lines = || text.split_inclusive('\n');
    let has = |sign: char| lines().any(|line| line.starts_with(sign));
    let (takes, adds) = (has('-'), has('+'));
    if !takes && !adds {
        return None;
    }
    let mut corrected = String::with_capacity(text.len());
    for line in lines() {
        let rest = line.strip_prefix(['-', '+', ' ']);
        let is_empty = line.trim_end_matches(['\r', '\n']).is_empty();
        if !(takes && line.starts_with('+')) {
            corrected.push_str(if is_empty { line } else { rest? });
        }
    }
    Some(corrected)
}

/// The lines between two fences, or behind the one or before the other.
fn without_fence(text: &str) -> Option<String> {
    const FENCE: &str = "```";
    let opens = |line: &str| {
        line.trim().strip_prefix(FENCE).is_some_and(|kind| !kind.contains(char::is_whitespace))
    };
    let trimmed = text.trim_end();
    let (first, behind) = trimmed.split_once('\n')?;
    let inner = if opens(first) { behind } else { text };
    let end = inner.trim_end();
    let last = endings::lines(end).last()?;
    let inner = match last.trim() == FENCE {
        true => end.get(..end.len() - last.len())?.trim_end_matches(['\r', '\n']),
        false => inner,
    };
    Some(inner.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corrected(text: &str, mistake: Mistake) -> Vec<String> {
        let all = undone(text).into_iter().filter(|it| it.mistake == mistake);
        all.map(|it| it.text).collect()
    }

    #[test]
    fn numbers_are_taken_off_in_each_way_that_tools_write_them() {
        for text in ["7|a\n8|  b", "7:a\n8:  b", "   7\ta\n   8\t  b", "7\u{2192}a\n8\u{2192}  b"] {
            assert_eq!(corrected(text, Mistake::LineNumbers), ["a\n  b"], "{text:?}");
        }
        for text in ["7: a\n8:   b", "L7: a\nL8:   b", " 9 | a\n10 |   b", "7- a\n8:   b"] {
            let all = corrected(text, Mistake::LineNumbers);
            assert_eq!(all.last().map(String::as_str), Some("a\n  b"), "{text:?}");
        }
        for text in ["7|a\n9|b", "7|a\nb", "7 a", "a", "7", "L: a", "7. a"] {
            assert_eq!(corrected(text, Mistake::LineNumbers), [""; 0], "{text:?}");
        }
    }

    #[test]
    fn a_diff_is_what_was_there_before_it() {
        for (text, old) in
            [("-a\n-  b\n", "a\n  b\n"), (" a\n+b\n\n", "a\nb\n\n"), (" a\n-b\n+c\n d", "a\nb\nd")]
        {
            assert_eq!(corrected(text, Mistake::DiffSigns), [old], "{text:?}");
        }
        for text in [" a\n b", "-a\nb", "a"] {
            assert_eq!(corrected(text, Mistake::DiffSigns), [""; 0], "{text:?}");
        }
    }

    #[test]
    fn a_fence_is_taken_off_at_both_ends() {
        for text in ["```rust\na\nb\n```\n", "```\r\na\nb\r\n```", "```\na\nb", "a\nb\n```"] {
            assert_eq!(corrected(text, Mistake::CodeFence), ["a\nb"], "{text:?}");
        }
        for text in ["a\nb", "```", "```\n```", "``` not a kind\na", ""] {
            assert_eq!(corrected(text, Mistake::CodeFence), [""; 0], "{text:?}");
        }
    }
}
