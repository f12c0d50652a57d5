//! One search for many short texts at once.
//!
//! Where the processor has the vector instructions that the fast search is made of, it is that one;
//! elsewhere an automaton finds the same matches, slower. Either tells the first match, of several at
//! one place the one that comes first in the list, and goes on behind it.

use aho_corasick::packed::{self, FindIter as Packed};
use aho_corasick::{AhoCorasick, FindIter as Plain, Match, MatchKind};

/// A list of texts, ready to be looked for.
#[derive(Debug)]
pub(super) struct Searcher {
    packed: Option<packed::Searcher>,
    plain: Option<AhoCorasick>,
}

impl Searcher {
    /// Takes the texts by number. They are few, and none is empty.
    pub(super) fn new<'a>(texts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let texts: Vec<&[u8]> = texts.into_iter().collect();
        let packed = packed::Config::new().builder().extend(&texts).build();
        let plain = if packed.is_some() { None } else { automaton(&texts) };
        Self { packed, plain }
    }

    /// The matches in a text, in order, none overlapping another.
    pub(super) fn find_iter<'a>(&'a self, text: &'a [u8]) -> Matches<'a> {
        match (&self.packed, &self.plain) {
            (Some(packed), _) => Matches::Packed(packed.find_iter(text)),
            (None, Some(plain)) => Matches::Plain(plain.find_iter(text)),
            (None, None) => Matches::None,
        }
    }
}

/// The search that needs no special instructions.
fn automaton(texts: &[&[u8]]) -> Option<AhoCorasick> {
    AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(texts).ok()
}

/// The matches in a text.
#[derive(Debug)]
pub(super) enum Matches<'a> {
    Packed(Packed<'a, 'a>),
    Plain(Plain<'a, 'a>),
    None,
}

impl Iterator for Matches<'_> {
    type Item = Match;

    #[inline]
    fn next(&mut self) -> Option<Match> {
        match self {
            Self::Packed(matches) => matches.next(),
            Self::Plain(matches) => matches.next(),
            Self::None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{literals, placeholder, words};
    use super::*;

    /// Texts made of the searched ones, cut anywhere, and of what stands around them.
    fn texts(parts: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut draw = |most: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 33) as usize % most
        };
        let mut text = |len: usize| {
            let mut text = Vec::new();
            while text.len() < len {
                let part = parts[draw(parts.len())];
                let cut = if draw(3) == 0 { draw(part.len()) } else { 0 };
                text.extend(&part[cut..]);
                text.extend(std::iter::repeat_n(b"x .-"[draw(4)], draw(5)));
            }
            text
        };
        (0..400).map(|nth| text(nth * 3)).collect()
    }

    #[test]
    fn both_searches_find_the_same() {
        let lists: [Vec<&[u8]>; 3] =
            [literals::all().collect(), words::all().collect(), placeholder::all().collect()];
        for list in lists {
            let fast = Searcher::new(list.iter().copied());
            let slow = Searcher { packed: None, plain: automaton(&list) };
            let mut count = 0;
            for text in texts(&list) {
                let found: Vec<Match> = slow.find_iter(&text).collect();
                assert_eq!(fast.find_iter(&text).collect::<Vec<_>>(), found);
                count += found.len();
            }
            assert!(count > 1000, "{count}");
        }
    }
}
