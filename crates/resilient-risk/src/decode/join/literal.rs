//! A literal in a text: its quotes, and what stands between them.

use std::ops::Range;

use memchr::{memchr, memmem, memrchr};

use super::super::super::byte_classes::ByteClasses;
use super::names::NamedLiteral;

/// A literal that is a part of a token is not longer.
pub(super) const PART_MAX: usize = 512;

/// A text with literals, and the last of these that have names.
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) byte_classes: &'a ByteClasses,
    pub(super) names: Vec<NamedLiteral>,
}

impl Source<'_> {
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// What stands in a stretch.
    pub(super) fn said(&self, part: &Range<usize>) -> &[u8] {
        self.bytes.get(part.clone()).unwrap_or_default()
    }

    /// The quote that opens the literal that another one closes, not before a floor.
    pub(super) fn opened(&self, close: usize, floor: usize) -> Option<usize> {
        let first = close - if self.is_long(close) { 2 } else { 0 };
        let from = first.saturating_sub(PART_MAX + 1).max(floor);
        let open = from + memrchr(self.byte(close), self.bytes.get(from..first)?)?;
        (self.literal(open)?.1 == close + 1).then_some(open)
    }

    /// Tells whether a quote is the last of three, as Python has them.
    pub(super) fn is_long(&self, quote: usize) -> bool {
        let byte = self.byte(quote);
        self.bytes.get(..=quote).is_some_and(|text| text.ends_with(&[byte; 3]))
    }

    /// The quote that opens the literal at a position. Before it may stand what says of which kind the literal is, and it
    /// may be the last of three.
    pub(super) fn quote(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let prefix = rest.iter().take(2).take_while(|byte| is_prefix(**byte)).count();
        let quote = at + if is_quote(self.byte(at + prefix)) { prefix } else { 0 };
        quote + if is_quote(self.byte(quote)) && self.is_long(quote + 2) { 2 } else { 0 }
    }

    /// The literal that a quote opens, if it has no white space in it, and where it ends.
    pub(super) fn literal(&self, open: usize) -> Option<(Range<usize>, usize)> {
        let rest = self.bytes.get(open + 1..)?;
        let len = memchr(self.byte(open), rest.get(..=PART_MAX).unwrap_or(rest))?;
        let inner = rest.get(..len)?;
        let quotes = if self.is_long(open) { 3 } else { 1 };
        let is_escaped = open > 0 && self.byte(open - 1) == b'\\';
        // In a literal of another language both quotes have a backslash.
        let inner = if is_escaped { inner.strip_suffix(b"\\")? } else { inner };
        let is_token = inner.iter().fold(true, |all, byte| all & (*byte > b' '));
        let is_closed = inner.last().is_some_and(|last| *last != b'\\');
        let end = open + 1 + len + quotes;
        let is_whole = quotes == 1 || self.is_long(end - 1);
        (is_token && is_closed && is_whole).then(|| (open + 1..open + 1 + inner.len(), end))
    }

    /// Tells whether a literal has code in it, as `f"{x}"` and `$"{x}"` have: what it gives is not known.
    pub(super) fn has_code(&self, quote: usize, literal: &Range<usize>) -> bool {
        let first = quote - if self.is_long(quote) { 2 } else { 0 };
        let before = self.bytes.get(..first).unwrap_or_default().iter().rev();
        let mut prefix = before.take(2).take_while(|byte| is_prefix(**byte));
        prefix.any(|byte| b"fF$".contains(byte)) && memchr(b'{', self.said(literal)).is_some()
    }

    /// The first sign behind the literal that a quote opens.
    pub(super) fn sign_behind(&self, quote: usize) -> Option<u8> {
        let rest = self.bytes.get(self.literal(quote)?.1..)?;
        rest.iter().find(|byte| !byte.is_ascii_whitespace()).copied()
    }
}

/// What may stand before a quote and say of which kind its literal is.
fn is_prefix(byte: u8) -> bool {
    b"bBfFrRuULN8@$".contains(&byte)
}

pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// Between two parts stand no longer comments.
pub(super) const COMMENTS_MAX: usize = 512;

/// How long the comment is that a text begins with.
pub(super) fn comment_len(text: &[u8]) -> usize {
    let text = text.get(..COMMENTS_MAX).unwrap_or(text);
    match text {
        [b'/', b'*', rest @ ..] => memmem::find(rest, b"*/").map_or(0, |len| len + 4),
        [b'#', ..] | [b'/', b'/', ..] | [b'-', b'-', b' ', ..] => memchr(b'\n', text).unwrap_or(0),
        // Visual Basic continues a line with it.
        [b'_', b'\r' | b'\n', ..] => 1,
        _ => 0,
    }
}
