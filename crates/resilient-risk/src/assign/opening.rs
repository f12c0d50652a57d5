//! How a literal begins: its prefix, as in `b"…"`, `r#"…"#`, `N'…'` and `@"…"`, its quote, and what stands between
//! them; and where the literal ends.

use std::ops::Range;

use memchr::{memchr, memmem};

use super::super::work;
use super::WRITTEN_MAX;

/// The beginning of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opening {
    /// So many bytes stand before what the literal says.
    pub(super) len: usize,
    pub(super) quote: u8,
    /// The quote stands behind a backslash: the literal is in another one.
    pub(super) is_escaped: bool,
    /// A backslash in the literal is one. Regular expressions are written so.
    pub(super) is_raw: bool,
    /// So many `#` stand behind the closing quote.
    hashes: usize,
    /// Three quotes begin it, and end it.
    is_triple: bool,
}

impl Opening {
    /// Reads the beginning of the literal that a text begins with.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        /// The prefixes of literals have no other letters and signs, and no more than these.
        const SIGNS: &[u8] = b"bBrRuUfFnNcCeELsS$@";
        const SIGNS_MAX: usize = 2;
        const HASHES_MAX: usize = 8;
        let signs = super::row(text, 0, SIGNS_MAX, SIGNS);
        let hashes = super::row(text, signs, HASHES_MAX, b"#");
        let prefix = text.get(..signs)?;
        let is_raw = prefix.iter().any(|sign| b"rR@".contains(sign));
        let at = signs + hashes;
        let is_escaped = at == 0 && text.first() == Some(&b'\\');
        let at = at + usize::from(is_escaped);
        let quote = text.get(at).copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'))?;
        if hashes > 0 && !is_raw || signs > 0 && quote == b'`' {
            return None;
        }
        // `"""…"""`
        let rest = text.get(at + 1..).unwrap_or_default();
        let is_triple = !is_escaped && hashes == 0 && rest.starts_with(&[quote; 2]);
        let len = at + if is_triple { 3 } else { 1 };
        Some(Self { len, quote, is_escaped, is_raw, hashes, is_triple })
    }

    /// Whether two quotes in the literal are one: `'it''s'`.
    pub(super) fn doubles(self) -> bool {
        self.quote == b'\'' && !self.is_triple
    }

    /// Where the value of a raw literal stands, which begins at a place; nothing if the literal is not raw or does not
    /// end on its line.
    pub(super) fn raw(self, text: &[u8], from: usize) -> Option<Range<usize>> {
        let rest = text.get(from..).filter(|_| self.is_raw)?;
        let rest = rest.get(..WRITTEN_MAX).unwrap_or(rest);
        let rest = memchr(b'\n', rest).map_or(Some(rest), |feed| rest.get(..feed))?;
        work::spend(rest.len() / 4);
        let hashes = b"########".get(..self.hashes)?;
        let closing = [&[self.quote], hashes].concat();
        let mut at = 0;
        loop {
            at += memmem::find(rest.get(at..)?, &closing)?;
            // `@"a""b"`
            let is_doubled =
                hashes.is_empty() && !self.is_triple && rest.get(at + 1) == Some(&self.quote);
            if !is_doubled {
                return Some(from..from + at);
            }
            at += 2;
        }
    }
}
