//! The text near a number, where words may announce it.

use std::ops::Range;

use super::super::bits::GROUP;
use super::super::bits::ones;
use super::super::byte_classes::ByteClasses;
use super::super::work;

/// Words that announce a number, in small letters.
#[derive(Debug)]
pub(super) struct ContextWords {
    /// Each with the number of the bit that tells how it [begins](beginning).
    all: &'static [(u32, &'static str)],
    begins: u64,
}

impl ContextWords {
    pub(super) const fn of(all: &'static [(u32, &'static str)]) -> Self {
        let (mut begins, mut rest) = (0, all);
        while let [(bit, _), after @ ..] = rest {
            begins |= 1 << *bit;
            rest = after;
        }
        Self { all, begins }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    #[cfg(test)]
    pub(super) const fn all(&self) -> &'static [(u32, &'static str)] {
        self.all
    }
}

/// The text near a number, and where words begin in it.
pub(super) enum Context<'a> {
    /// No letter.
    Silent,
    /// Of ASCII alone: what stands before and after, with a bit for each place where a word begins,
    /// and what words [begin](beginning) with.
    Plain([(&'a [u8], u64); 2], u64),
    /// In small letters.
    Other(String, Vec<usize>),
}

impl<'a> Context<'a> {
    const BACK: usize = 60;
    const AHEAD: usize = 24;

    /// Tells whether no letter stands near a number of at most sixty-four bytes, or in it.
    pub(super) fn is_silent(byte_classes: &ByteClasses, span: &Range<usize>) -> bool {
        let Range { start, end } = *span;
        let parts =
            [(start.saturating_sub(Self::BACK), start), (start, end), (end, end + Self::AHEAD)];
        byte_classes.foreign.is_empty()
            && parts.iter().all(|(from, to)| letters(byte_classes, *from, *to) == 0)
    }

    /// Reads the text near a number.
    pub(super) fn of(text: &'a str, byte_classes: &ByteClasses, span: &Range<usize>) -> Self {
        work::spend(Self::BACK + Self::AHEAD);
        let (from, to) = (span.start.saturating_sub(Self::BACK), span.end + Self::AHEAD);
        let letters =
            [letters(byte_classes, from, span.start), letters(byte_classes, span.end, to)];
        if letters == [0; 2] && byte_classes.foreign.is_empty() {
            return Self::Silent;
        }
        let (from, to) = (text.floor_char_boundary(from), text.floor_char_boundary(to));
        let part = |from, to| text.get(from..to).unwrap_or_default();
        let (before, after) = (part(from, span.start), part(span.end, to));
        if before.is_ascii() && after.is_ascii() {
            let [first, second] = letters.map(|letters| letters & !(letters << 1));
            let parts = [(before.as_bytes(), first), (after.as_bytes(), second)];
            let words = parts.iter().flat_map(|(part, starts)| {
                ones(*starts).map(|at| beginning(part.get(at..).unwrap_or_default()))
            });
            return Self::Plain(parts, words.fold(0, |all, begin| all | begin));
        }
        let text = before.to_lowercase() + "\n" + &after.to_lowercase();
        let (mut starts, mut inside) = (Vec::new(), false);
        for (at, char) in text.char_indices() {
            let latin = char.is_ascii_alphabetic();
            if !inside && (latin || !char.is_ascii()) {
                starts.push(at);
            }
            inside = latin;
        }
        Self::Other(text, starts)
    }

    /// Tells whether there may be one of the words, by how they begin: mostly there is none.
    pub(super) const fn may_have(&self, words: &ContextWords) -> bool {
        match self {
            Self::Silent => false,
            Self::Plain(_, begins) => *begins & words.begins != 0,
            Self::Other(..) => true,
        }
    }

    /// Tells whether there is one of the words that does not go on in Latin letters on either side.
    pub(super) fn has(&self, words: &ContextWords) -> bool {
        if !self.may_have(words) {
            return false;
        }
        let is_at = |text: &[u8], start: usize, word: &str| {
            let rest = text.get(start..).unwrap_or_default();
            rest.split_at_checked(word.len()).is_some_and(|(said, rest)| {
                let goes_on = word.len() < 5 && rest.first().is_some_and(u8::is_ascii_alphabetic);
                !goes_on && said.eq_ignore_ascii_case(word.as_bytes())
            })
        };
        words.all.iter().any(|(bit, word)| match self {
            Self::Silent => false,
            Self::Plain(parts, begins) => {
                begins >> bit & 1 == 1
                    && parts
                        .iter()
                        .any(|(text, starts)| ones(*starts).any(|at| is_at(text, at, word)))
            }
            Self::Other(text, starts) => starts.iter().any(|at| is_at(text.as_bytes(), *at, word)),
        })
    }
}

/// The letters of a stretch that is no longer than a group.
fn letters(byte_classes: &ByteClasses, from: usize, to: usize) -> u64 {
    byte_classes.alnum.from(from) & !byte_classes.digit.from(from) & low(to - from)
}

/// A bit for the two letters that a word begins with, in any case. Others may have the same.
pub(super) const fn beginning(word: &[u8]) -> u64 {
    match word {
        [first, second, ..] => 1 << (((*first & 31) as usize * 7 + (*second & 31) as usize) % 64),
        _ => 0,
    }
}

/// The lowest bits, so many of them.
pub(super) const fn low(len: usize) -> u64 {
    if len < GROUP { (1 << len) - 1 } else { u64::MAX }
}
