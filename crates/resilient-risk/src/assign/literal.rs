//! A literal: how it begins, as in `b"…"`, `r#"…"#`, `N'…'` and `@"…"`, where it ends, and what it says.

use std::ops::Range;

use memchr::{memchr3, memmem};

use super::super::{escape, work};
use super::shape::LENS;
use super::{near, row};

/// How a shell writes a quote within quotes, from behind the one that closes: `'a'\''b'`, `'a'"'"'b'`.
const JOINTS: [&[u8]; 2] = [b"\\''", b"\"'\"'"];

/// A value with escapes is not longer as it is written.
const WRITTEN_MAX: usize = 6 * *LENS.end();

/// The beginning of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opening {
    /// So many bytes stand before what the literal says.
    pub(super) len: usize,
    pub(super) quote: u8,
    /// The quote stands behind a backslash: the literal is in another one.
    is_escaped: bool,
    /// A backslash in the literal is one. Regular expressions are written so.
    pub(super) is_raw: bool,
    /// The language puts values into it: `f"{name}"`, `$"{name}"`.
    pub(super) is_filled: bool,
    /// So many `#` stand behind the closing quote.
    hashes: usize,
    /// Three quotes begin it, and end it.
    is_triple: bool,
}

/// The value of a literal.
pub(super) struct Value {
    pub(super) span: Range<usize>,
    /// What it says, where that is not what is written.
    said: Option<Vec<u8>>,
}

/// The first line of a literal that ends on another one.
pub(super) struct FirstLine {
    pub(super) span: Range<usize>,
    /// No line has a blank.
    pub(super) are_words: bool,
}

impl Value {
    /// What the value says.
    pub(super) fn said<'a>(&'a self, text: &'a [u8]) -> &'a [u8] {
        self.said.as_deref().or_else(|| text.get(self.span.clone())).unwrap_or_default()
    }
}

impl Opening {
    /// Reads the beginning of the literal that a text begins with.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        /// The prefixes of literals have no other letters and signs, and no more than these.
        const SIGNS: &[u8] = b"bBrRuUfFnNcCeELsS$@";
        const SIGNS_MAX: usize = 2;
        const HASHES_MAX: usize = 8;
        let signs = row(text, 0, SIGNS_MAX, SIGNS);
        let hashes = row(text, signs, HASHES_MAX, b"#");
        let is_raw = text.get(..signs)?.iter().any(|sign| b"rR@".contains(sign));
        let at = signs + hashes;
        let is_escaped = at == 0 && text.first() == Some(&b'\\');
        let at = at + usize::from(is_escaped);
        let quote = text.get(at).copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
        if hashes > 0 && !is_raw || signs > 0 && quote == b'`' {
            return None;
        }
        // No language puts values into `$'…'`.
        let fills = |sign: &u8| b"fF".contains(sign) || *sign == b'$' && quote == b'"';
        let is_filled = text.get(..signs)?.iter().any(fills);
        // `"""…"""`
        let rest = text.get(at + 1..).unwrap_or_default();
        let is_triple = !is_escaped && hashes == 0 && rest.starts_with(&[quote; 2]);
        let len = at + if is_triple { 3 } else { 1 };
        Some(Self { len, quote, is_escaped, is_raw, is_filled, hashes, is_triple })
    }

    /// The value of the literal, which begins at a place and ends on its line.
    pub(super) fn value(self, text: &[u8], from: usize) -> Option<Value> {
        let rest = near(text, from, WRITTEN_MAX);
        if let Some((len, said)) = self.body(rest) {
            return Some(Value { span: from..from + len, said });
        }
        // In a literal that has no prefix for it, too, a backslash may be the last character.
        let len = rest.iter().position(|byte| *byte == self.quote || *byte == b'\n')?;
        let raw = !self.is_escaped && self.quote == b'\'' && rest.get(len) == Some(&self.quote);
        raw.then(|| Value { span: from..from + len, said: None })
    }

    /// The first line of the literal, if it ends on a line below that is near.
    pub(super) fn first_line(self, text: &[u8], from: usize) -> Option<FirstLine> {
        const REACH: usize = 1024;
        let rest = near(text, from, REACH);
        let quotes = [self.quote; 3];
        let close = quotes.get(..if self.is_triple { 3 } else { 1 })?;
        let len = memmem::find(rest, close)?;
        let (inner, behind) = rest.split_at_checked(len)?;
        let mut lines = inner.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let len = lines.next()?.len();
        let mut below = lines.peekable();
        below.peek()?;
        let next = behind.get(close.len());
        // Before a quote that begins another literal stands a sign. Padding is none where a program goes on behind.
        let is_closed = || next.is_some_and(|next| b");,]}\r\n".contains(next));
        let is_end = match inner.last() {
            Some(b'=') => is_closed(),
            last => last.is_some_and(|last| !b"(,:[{<".contains(last)),
        };
        let ends = next.is_none_or(|next| !next.is_ascii_alphanumeric());
        let has_blank = |line: &[u8]| line.iter().any(u8::is_ascii_whitespace);
        let are_words = !below.any(has_blank);
        (is_end && ends).then_some(FirstLine { span: from..from + len, are_words })
    }

    /// How long the body is that a text begins with, and what it says if that is not what is written.
    fn body(self, text: &[u8]) -> Option<(usize, Option<Vec<u8>>)> {
        let hashes = b"########".get(..self.hashes)?;
        // What stands before `copied` is said; as long as nothing is written otherwise, nothing is copied.
        let (mut at, mut said, mut copied) = (0, Vec::new(), 0);
        loop {
            let len = memchr3(self.quote, b'\n', b'\\', text.get(at..)?)?;
            work::spend(len / 4 + 1);
            at += len;
            let (byte, rest) = text.get(at..)?.split_first()?;
            if *byte == b'\n' {
                return None;
            }
            let is_quote = *byte == self.quote;
            // `'it''s'`, `@"a""b"`
            let is_doubled = (self.is_raw || self.quote == b'\'')
                && !self.is_triple
                && hashes.is_empty()
                && rest.first() == Some(&self.quote);
            let may_join = is_quote && self.quote == b'\'' && !self.is_escaped && !self.is_triple;
            let joint = JOINTS.iter().find(|joint| may_join && rest.starts_with(joint));
            let is_inner_end = self.is_escaped && !is_quote && rest.first() == Some(&self.quote);
            let len = if is_quote && self.is_escaped {
                return None;
            } else if let Some(joint) = joint {
                said.extend(text.get(copied..at)?);
                said.push(self.quote);
                1 + joint.len()
            } else if is_quote && !is_doubled && rest.starts_with(hashes) || is_inner_end {
                if copied == 0 {
                    return Some((at, None));
                }
                said.extend(text.get(copied..at)?);
                // In quotes that know no escapes a backslash is one: `'k3J\nxP'`.
                let is_written = self.quote != b'"'
                    && said.iter().any(u8::is_ascii_control)
                    && !self.is_escaped
                    && text.get(..at)?.iter().all(u8::is_ascii_graphic);
                return Some((at, (!is_written).then_some(said)));
            } else if is_quote && is_doubled {
                said.extend(text.get(copied..at)?);
                said.push(self.quote);
                2
            } else if is_quote || self.is_raw {
                at += 1;
                continue;
            } else {
                said.extend(text.get(copied..at)?);
                // In a literal in a literal a backslash is two, and what follows may be written with one.
                let inner = usize::from(self.is_escaped && rest.starts_with(b"\\"));
                let rest = rest.get(inner..)?;
                let outer = usize::from(inner == 1 && rest.starts_with(b"\\"));
                1 + inner + outer + unescape(rest.get(outer..)?, &mut said)?
            };
            at += len;
            copied = at;
        }
    }
}

/// Undoes the escape whose backslash stands before a text, and tells how long it is.
fn unescape(text: &[u8], said: &mut Vec<u8>) -> Option<usize> {
    let written = [b"\\", text.get(..text.len().min(5))?].concat();
    let (char, len) = match text.first()? {
        b'n' | b'r' => (u32::from(b'\n'), 1),
        b't' => (u32::from(b'\t'), 1),
        b'u' | b'x' => escape::numbered(&written).map(|(char, len)| (char, len - 1))?,
        byte if byte.is_ascii() => (u32::from(*byte), 1),
        _ => return None,
    };
    said.extend(char::from_u32(char)?.encode_utf8(&mut [0; 4]).bytes());
    Some(len)
}
