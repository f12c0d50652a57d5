//! A number as it is written: its letters and digits, what joins them, and what announces it.

use std::cell::OnceCell;
use std::ops::Range;

use super::super::byte_classes::ByteClasses;
use super::context::{Context, ContextWords};

/// A word that may be a number, or words that one byte each joins.
pub(super) struct Number<'a> {
    pub(super) text: &'a str,
    pub(super) byte_classes: &'a ByteClasses,
    /// The number with its separators.
    pub(super) span: Range<usize>,
    /// Where in the number its separators stand, and which they are.
    pub(super) signs: &'a [(usize, u8)],
    pub(super) form: Form,
    /// The letters and digits of this number and perhaps of what follows, in capitals.
    pub(super) compact: &'a OnceCell<Short>,
    pub(super) context: OnceCell<Context<'a>>,
}

impl Number<'_> {
    pub(super) fn raw(&self) -> &str {
        self.text.get(self.span.clone()).unwrap_or_default()
    }

    /// Its letters and digits, in capitals.
    pub(super) fn compact(&self) -> &[u8] {
        let all = self.compact.get_or_init(|| {
            let raw = self.raw().bytes().filter(u8::is_ascii_alphanumeric);
            Short::of(raw.map(|byte| byte.to_ascii_uppercase()))
        });
        all.get(..self.form.len()).unwrap_or_default()
    }

    /// Tells whether it is written like something else: a date, perhaps with an hour, two years, a fraction between
    /// words, or a list of digits.
    pub(super) fn is_date_or_list(&self) -> bool {
        let (signs, raw) = (self.signs, self.raw());
        let date = match signs {
            [(4, one), (7, two)] => one == two && raw.len() == 10,
            [(4, one), (7, two), (10, _), ..] => one == two,
            [(4, b'-')] => raw.len() == 9 && (raw.starts_with('1') || raw.starts_with("20")),
            _ => false,
        };
        let has = |sign: u8| signs.iter().any(|(_, all)| *all == sign);
        date || has(b'.') && has(b' ') || signs.len() * 2 > self.form.len()
    }

    /// Tells whether a word near it begins like one of the words.
    pub(super) fn may_be_announced(&self, words: &ContextWords) -> bool {
        self.context().may_have(words)
    }

    /// Tells whether one of the words stands shortly before the number (or right after it).
    pub(super) fn announced(&self, words: &ContextWords) -> bool {
        self.context().has(words)
    }

    fn context(&self) -> &Context<'_> {
        self.context.get_or_init(|| Context::of(self.text, self.byte_classes, &self.span))
    }
}

/// Which characters of a number are letters and which are digits, without what joins them: a bit for
/// each that is set for digits, the first one lowest, and a one above them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form(pub(super) u64);

impl Form {
    /// How many letters and digits it has.
    pub(super) const fn len(self) -> usize {
        self.0.ilog2() as usize
    }

    pub(super) const fn all_digits(self) -> bool {
        self.0 & (self.0 + 1) == 0
    }

    /// Tells whether its letters stand where there may be letters, and its digits where there may be digits.
    pub(super) const fn fits(self, letters: u64, digits: u64) -> bool {
        let all = 1 << self.len();
        (self.0 ^ all) & !digits == 0 && !self.0 & (all - 1) & !letters == 0
    }
}

/// A few bytes.
#[derive(Debug)]
pub(super) struct Short {
    pub(super) bytes: [u8; Self::LEN_MAX],
    pub(super) len: usize,
}

impl Short {
    /// No number has more letters and digits.
    pub(super) const LEN_MAX: usize = 36;

    /// Collects bytes; those that are too many are left out.
    pub(super) fn of(all: impl Iterator<Item = u8>) -> Self {
        let mut short = Self { bytes: [0; Self::LEN_MAX], len: 0 };
        for (slot, byte) in short.bytes.iter_mut().zip(all) {
            *slot = byte;
            short.len += 1;
        }
        short
    }
}

impl std::ops::Deref for Short {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}
