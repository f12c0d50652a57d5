//! Needles: one search of a text for everything that findings begin with.
//!
//! The prefixes of the paper's patterns, of formats that do not lie in runs, of well-known tokens
//! that dummies stand for, and words that announce secrets are looked for all at once. What a place
//! means is left to those who ask for it.

use std::sync::LazyLock;

use super::bits::{PAIRS, rows_of_pairs};
use super::byte_classes::ByteClasses;
use super::keywords::{CASED_KEYWORDS, KEYWORDS, Keyword, KeywordHit};
use super::rows::outside_texts;

/// What a place begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NeedleKind {
    /// `AKIA`
    Aws,
    /// `.eyJ`
    Jwt,
    /// `BEGIN `
    Begin,
    /// `-END `
    End,
    /// `Private-Lines: `
    PrivateLines,
    /// `kty`
    KeyType,
    /// `bearer` in any case, and what may be white space.
    Bearer,
    /// `EK ETAVIRP`
    ReverseLines,
    /// Only what the table of formats knows.
    Vendor,
    /// How a hashed password begins.
    Hash,
    /// A word as it is written.
    Keyword(Keyword),
    /// A word in any case.
    AnyCase(Keyword),
}

/// A place where a needle stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NeedlePlace {
    pub(super) at: usize,
    pub(super) kind: NeedleKind,
    /// The number of the needle, for [`known_formats::outside_runs`](super::known_formats::outside_runs).
    pub(super) nth: usize,
}

const OWN: [(&str, NeedleKind); 14] = [
    ("AKIA", NeedleKind::Aws),
    (".eyJ", NeedleKind::Jwt),
    ("BEGIN ", NeedleKind::Begin),
    ("-END ", NeedleKind::End),
    ("- END ", NeedleKind::End),
    ("Private-Lines: ", NeedleKind::PrivateLines),
    ("kty", NeedleKind::KeyType),
    ("EK ETAVIRP", NeedleKind::ReverseLines),
    ("bearer", NeedleKind::Bearer),
    // What stands between two dollar signs is of one byte but here.
    ("$2a", NeedleKind::Hash),
    ("$2b", NeedleKind::Hash),
    ("$2x", NeedleKind::Hash),
    ("$2y", NeedleKind::Hash),
    ("$krb", NeedleKind::Hash),
];

/// What the paper's patterns begin with that lie in runs, except for one that says too little.
pub(super) const IN_RUNS: [&str; 9] =
    ["client-", "AKIA", "gho_", "ghp_", "ghu_", "ghs_", "ghr_", "sk-", "eyJ"];

/// A text that is looked for; one in any case is written in small letters.
#[derive(Clone, Copy)]
struct Needle {
    text: &'static [u8],
    kind: NeedleKind,
}

impl Needle {
    fn is_any_case(&self) -> bool {
        matches!(self.kind, NeedleKind::Bearer | NeedleKind::AnyCase(_))
    }

    /// The bytes that may stand at one of its places; behind it, any.
    fn bytes(&self, at: usize) -> Vec<u8> {
        let is = |byte: &u8| match self.text.get(at) {
            Some(known) => known == byte || self.is_any_case() && known.eq_ignore_ascii_case(byte),
            None => true,
        };
        (0..=u8::MAX).filter(is).collect()
    }

    fn stands_in(&self, text: &[u8]) -> bool {
        text.get(..self.text.len()).is_some_and(|part| {
            if self.is_any_case() {
                part.eq_ignore_ascii_case(self.text)
            } else {
                part == self.text
            }
        })
    }
}

struct Needles {
    needles: Vec<Needle>,
    /// The numbers of the needles by the byte that they begin with.
    by_first: Vec<Vec<usize>>,
    /// Of each two bytes a bit for each place in the beginning of some needle where they stand.
    pairs: Box<[u8; 1 << 16]>,
}

static NEEDLES: LazyLock<Needles> = LazyLock::new(|| {
    let needle = |text: &'static str, kind| Needle { text: text.as_bytes(), kind };
    let mut needles = OWN.map(|(text, kind)| needle(text, kind)).to_vec();
    let mut others: Vec<&'static [u8]> = outside_texts().collect();
    others.sort_by_key(|text| text.len());
    for text in others {
        // A longer needle is found by the shorter one that it begins with.
        if !needles.iter().any(|known| text.starts_with(known.text)) {
            let kind = if text.starts_with(b"$") { NeedleKind::Hash } else { NeedleKind::Vendor };
            needles.push(Needle { text, kind });
        }
    }
    needles.extend(CASED_KEYWORDS.map(|(text, word)| needle(text, NeedleKind::Keyword(word))));
    needles.extend(KEYWORDS.map(|(text, word)| needle(text, NeedleKind::AnyCase(word))));
    let (mut by_first, mut pairs) = (vec![Vec::new(); 256], Box::new([0; 1 << 16]));
    for (nth, needle) in needles.iter().enumerate() {
        for first in needle.bytes(0) {
            by_first.get_mut(usize::from(first)).into_iter().for_each(|known| known.push(nth));
        }
        for at in 0..PAIRS {
            let seconds = needle.bytes(at + 1);
            for (first, second) in needle
                .bytes(at)
                .iter()
                .flat_map(|first| seconds.iter().map(move |second| (first, second)))
            {
                let two = usize::from(u16::from_le_bytes([*first, *second]));
                pairs.get_mut(two).into_iter().for_each(|bits| *bits |= 1 << at);
            }
        }
    }
    Needles { by_first, needles, pairs }
});

impl Needles {
    /// Tells each place where a needle stands, in order, with the number of the needle; those of one place by number.
    fn each(&self, text: &[u8], mut found: impl FnMut(usize, usize, &Needle)) {
        for at in rows_of_pairs(text, &self.pairs).ones() {
            let rest = text.get(at..).unwrap_or_default();
            let begin = rest.first().and_then(|first| self.by_first.get(usize::from(*first)));
            for nth in begin.into_iter().flatten().copied() {
                if let Some(needle) = self.needles.get(nth).filter(|it| it.stands_in(rest)) {
                    super::work::spend(needle.text.len());
                    found(at, nth, needle);
                }
            }
        }
    }
}

/// The texts of the needles by number.
pub(super) fn texts() -> impl Iterator<Item = &'static [u8]> {
    NEEDLES.needles.iter().map(|needle| needle.text)
}

/// Lists the places of a text, in order, and its words: first those in any case, then the others, each in
/// order. Words, and what only the table of formats knows, do not overlap among themselves.
pub(super) fn find(text: &[u8], byte_classes: &ByteClasses) -> (Vec<NeedlePlace>, Vec<KeywordHit>) {
    let (mut places, mut keywords, mut rare) = (Vec::new(), Vec::new(), Vec::new());
    let (mut done, mut said) = (0, 0);
    NEEDLES.each(text, |at, nth, needle| {
        let end = at + needle.text.len();
        let next = || text.get(end).copied().unwrap_or(b' ');
        match needle.kind {
            NeedleKind::AnyCase(word) => {
                let is_whole = match word {
                    Keyword::Bank => !next().is_ascii_lowercase(),
                    Keyword::ShortPassword => !next().is_ascii_alphanumeric() && next() != b'_',
                    _ => true,
                };
                if at >= said && is_whole {
                    said = end;
                    keywords.extend(KeywordHit::of(text, byte_classes, word, at, end));
                }
                return;
            }
            NeedleKind::Keyword(_) | NeedleKind::Vendor if at < done => return,
            NeedleKind::Bearer if !matches!(next(), b' ' | 9..=13 | 128..) => return,
            NeedleKind::Keyword(word) => rare.push(KeywordHit { word, start: at, end }),
            kind => places.push(NeedlePlace { at, kind, nth }),
        }
        if needle.kind != NeedleKind::Hash {
            done = end;
        }
    });
    keywords.append(&mut rare);
    (places, keywords)
}

#[cfg(test)]
mod tests {
    use super::super::bits::{BLOCK, GROUP};
    use super::super::text_index::TextIndex;
    use super::*;

    #[test]
    fn no_needle_hides_a_prefix_of_the_papers_patterns() {
        let text = ["bea", "rer AKIAK", "IA hvs.eyJ"].concat();
        let text_index = TextIndex::of(text.as_bytes());
        let found: Vec<_> = text_index.places.iter().map(|place| (place.at, place.kind)).collect();
        let expected = [
            (0, NeedleKind::Bearer),
            (7, NeedleKind::Aws),
            (10, NeedleKind::Aws),
            (15, NeedleKind::Vendor),
            (18, NeedleKind::Jwt),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn places_come_in_order() {
        let text = ["x AK", "IA beare", "r .eyJ npm_ hvs.eyJ xxxx key 1"].concat();
        let text_index = TextIndex::of(text.as_bytes());
        let found: Vec<_> = text_index.places.iter().map(|place| (place.at, place.kind)).collect();
        let expected = [
            (2, NeedleKind::Aws),
            (7, NeedleKind::Bearer),
            (14, NeedleKind::Jwt),
            (19, NeedleKind::Vendor),
            (24, NeedleKind::Vendor),
            (27, NeedleKind::Jwt),
        ];
        assert_eq!(found, expected);
        let said = |word, start, end| KeywordHit { word, start, end };
        assert_eq!(text_index.keywords, [said(Keyword::Key, 37, 40), said(Keyword::Dummy, 32, 36)]);
    }

    #[test]
    fn a_needle_is_found_wherever_it_stands() {
        for needle in &NEEDLES.needles {
            for before in (0..GROUP + 4).chain(BLOCK - 4..BLOCK + 4) {
                let text = if needle.is_any_case() {
                    needle.text.to_ascii_uppercase()
                } else {
                    needle.text.to_vec()
                };
                let (text, mut found) = ([vec![b'.'; before], text].concat(), Vec::new());
                NEEDLES.each(&text, |at, _, needle| found.push((at, needle.text.len())));
                assert!(found.contains(&(before, text.len() - before)), "{before}");
            }
        }
    }
}
