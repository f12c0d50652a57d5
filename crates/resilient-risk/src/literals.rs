//! One search of a text for everything that findings begin with.
//!
//! The prefixes of the paper's patterns, of formats that do not lie in runs, of well-known tokens
//! that dummies stand for, and words that announce secrets are looked for all at once. What a place
//! means is left to those who ask for it.

use std::sync::LazyLock;

use super::bits::{PAIRS, rows_of_pairs};
use super::marks::Marks;
use super::rows::outside_texts;
use super::words::{RARE, Said, WORDS, Word};

/// What a place begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Literal {
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
    Word(Word),
    /// A word in any case.
    AnyCase(Word),
}

/// A place where a literal stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) at: usize,
    pub(super) literal: Literal,
    /// The number of the literal, for [`vendor::outside`](super::vendor::outside).
    pub(super) nth: usize,
}

const OWN: [(&str, Literal); 14] = [
    ("AKIA", Literal::Aws),
    (".eyJ", Literal::Jwt),
    ("BEGIN ", Literal::Begin),
    ("-END ", Literal::End),
    ("- END ", Literal::End),
    ("Private-Lines: ", Literal::PrivateLines),
    ("kty", Literal::KeyType),
    ("EK ETAVIRP", Literal::ReverseLines),
    ("bearer", Literal::Bearer),
    // What stands between two dollar signs is of one byte but here.
    ("$2a", Literal::Hash),
    ("$2b", Literal::Hash),
    ("$2x", Literal::Hash),
    ("$2y", Literal::Hash),
    ("$krb", Literal::Hash),
];

/// What the paper's patterns begin with that lie in runs, except for one that says too little.
pub(super) const IN_RUNS: [&str; 9] =
    ["client-", "AKIA", "gho_", "ghp_", "ghu_", "ghs_", "ghr_", "sk-", "eyJ"];

/// A text that is looked for; one in any case is written in small letters.
#[derive(Clone, Copy)]
struct Needle {
    text: &'static [u8],
    literal: Literal,
}

impl Needle {
    fn is_any_case(&self) -> bool {
        matches!(self.literal, Literal::Bearer | Literal::AnyCase(_))
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

struct Literals {
    needles: Vec<Needle>,
    /// The numbers of the needles by the byte that they begin with.
    by_first: Vec<Vec<usize>>,
    /// Of each two bytes a bit for each place in the beginning of some needle where they stand.
    pairs: Box<[u8; 1 << 16]>,
}

static LITERALS: LazyLock<Literals> = LazyLock::new(|| {
    let needle = |text: &'static str, literal| Needle { text: text.as_bytes(), literal };
    let mut needles = OWN.map(|(text, literal)| needle(text, literal)).to_vec();
    let mut others: Vec<&'static [u8]> = outside_texts().collect();
    others.sort_by_key(|text| text.len());
    for text in others {
        // A longer literal is found by the shorter one that it begins with.
        if !needles.iter().any(|known| text.starts_with(known.text)) {
            let literal = if text.starts_with(b"$") { Literal::Hash } else { Literal::Vendor };
            needles.push(Needle { text, literal });
        }
    }
    needles.extend(RARE.map(|(text, word)| needle(text, Literal::Word(word))));
    needles.extend(WORDS.map(|(text, word)| needle(text, Literal::AnyCase(word))));
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
    Literals { by_first, needles, pairs }
});

impl Literals {
    /// Tells each place where a literal stands, in order, with the number of the literal; those of one place by number.
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

/// The texts of the literals by number.
pub(super) fn texts() -> impl Iterator<Item = &'static [u8]> {
    LITERALS.needles.iter().map(|needle| needle.text)
}

/// Lists the places of a text, in order, and its words: first those in any case, then the others, each in
/// order. Words, and what only the table of formats knows, do not overlap among themselves.
pub(super) fn find(text: &[u8], marks: &Marks) -> (Vec<Place>, Vec<Said>) {
    let (mut places, mut words, mut rare) = (Vec::new(), Vec::new(), Vec::new());
    let (mut done, mut said) = (0, 0);
    LITERALS.each(text, |at, nth, needle| {
        let end = at + needle.text.len();
        let next = || text.get(end).copied().unwrap_or(b' ');
        match needle.literal {
            Literal::AnyCase(word) => {
                let is_whole = match word {
                    Word::Bank => !next().is_ascii_lowercase(),
                    Word::ShortPassword => !next().is_ascii_alphanumeric() && next() != b'_',
                    _ => true,
                };
                if at >= said && is_whole {
                    said = end;
                    words.extend(Said::of(text, marks, word, at, end));
                }
                return;
            }
            Literal::Word(_) | Literal::Vendor if at < done => return,
            Literal::Bearer if !matches!(next(), b' ' | 9..=13 | 128..) => return,
            Literal::Word(word) => rare.push(Said { word, start: at, end }),
            literal => places.push(Place { at, literal, nth }),
        }
        if needle.literal != Literal::Hash {
            done = end;
        }
    });
    words.append(&mut rare);
    (places, words)
}

#[cfg(test)]
mod tests {
    use super::super::bits::{BLOCK, GROUP};
    use super::super::survey::Survey;
    use super::*;

    #[test]
    fn no_literal_hides_a_prefix_of_the_papers_patterns() {
        let text = ["bea", "rer AKIAK", "IA hvs.eyJ"].concat();
        let survey = Survey::of(text.as_bytes());
        let found: Vec<_> = survey.places.iter().map(|place| (place.at, place.literal)).collect();
        let expected = [
            (0, Literal::Bearer),
            (7, Literal::Aws),
            (10, Literal::Aws),
            (15, Literal::Vendor),
            (18, Literal::Jwt),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn places_come_in_order() {
        let text = ["x AK", "IA beare", "r .eyJ npm_ hvs.eyJ xxxx key 1"].concat();
        let survey = Survey::of(text.as_bytes());
        let found: Vec<_> = survey.places.iter().map(|place| (place.at, place.literal)).collect();
        let expected = [
            (2, Literal::Aws),
            (7, Literal::Bearer),
            (14, Literal::Jwt),
            (19, Literal::Vendor),
            (24, Literal::Vendor),
            (27, Literal::Jwt),
        ];
        assert_eq!(found, expected);
        let said = |word, start, end| Said { word, start, end };
        assert_eq!(survey.words, [said(Word::Key, 37, 40), said(Word::Dummy, 32, 36)]);
    }

    #[test]
    fn a_literal_is_found_wherever_it_stands() {
        for needle in &LITERALS.needles {
            for before in (0..GROUP + 4).chain(BLOCK - 4..BLOCK + 4) {
                let text = if needle.is_any_case() {
                    needle.text.to_ascii_uppercase()
                } else {
                    needle.text.to_vec()
                };
                let (text, mut found) = ([vec![b'.'; before], text].concat(), Vec::new());
                LITERALS.each(&text, |at, _, needle| found.push((at, needle.text.len())));
                assert!(found.contains(&(before, text.len() - before)), "{before}");
            }
        }
    }
}
