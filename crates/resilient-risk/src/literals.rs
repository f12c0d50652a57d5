//! One search of a text for everything that findings begin with.
//!
//! The prefixes of the paper's patterns, of formats that do not lie in runs, of well-known tokens
//! that dummies stand for, and words that announce secrets are looked for all at once. What a place
//! means is left to those who ask for it.

use std::sync::LazyLock;

use super::marks::Marks;
use super::rows::outside_texts;
use super::search::{Needle, Searcher};
use super::words::{RARE, Said, WORDS, Word};

/// What a place begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Literal {
    /// `client-`
    Client,
    /// `AKIA`
    Aws,
    /// `gho_`, `ghp_`, `ghu_`, `ghs_`, `ghr_`, by number.
    Github(u8),
    /// `.eyJ`
    Jwt,
    /// `BEGIN `
    Begin,
    /// `sk-`
    Sk,
    /// `pub` and a hexadecimal digit.
    Pub,
    /// `bearer` in any case, and what may be white space.
    Bearer,
    /// `EK ETAVIRP`
    ReverseLines,
    /// A backslash before the end of a line.
    Continued,
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

const OWN: [(&str, Literal); 17] = [
    ("client-", Literal::Client),
    ("AKIA", Literal::Aws),
    ("gho_", Literal::Github(0)),
    ("ghp_", Literal::Github(1)),
    ("ghu_", Literal::Github(2)),
    ("ghs_", Literal::Github(3)),
    ("ghr_", Literal::Github(4)),
    (".eyJ", Literal::Jwt),
    ("BEGIN ", Literal::Begin),
    ("EK ETAVIRP", Literal::ReverseLines),
    ("sk-", Literal::Sk),
    ("pub", Literal::Pub),
    ("bearer", Literal::Bearer),
    ("\\\n", Literal::Continued),
    ("\\\r\n", Literal::Continued),
    ("$2", Literal::Hash),
    ("$krb", Literal::Hash),
];

struct Literals {
    needles: Vec<Needle>,
    /// What each of them means.
    literals: Vec<Literal>,
    searcher: Searcher,
}

static LITERALS: LazyLock<Literals> = LazyLock::new(|| {
    let own = OWN.iter().map(|(text, literal)| {
        let then: Option<fn(u8) -> bool> = match literal {
            Literal::Pub => Some(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')),
            Literal::Bearer => Some(|byte| matches!(byte, b' ' | 9..=13 | 128..)),
            // What stands between two dollar signs is of one byte but here.
            Literal::Hash if *text == "$2" => {
                Some(|byte| matches!(byte, b'a' | b'b' | b'x' | b'y'))
            }
            _ => None,
        };
        let any_case = *literal == Literal::Bearer;
        (Needle { any_case, then, ..Needle::exact(text.as_bytes()) }, *literal)
    });
    let mut all: Vec<(Needle, Literal)> = own.collect();
    let mut others: Vec<&'static [u8]> = outside_texts().collect();
    others.sort_by_key(|text| text.len());
    for text in others {
        // A longer literal is found by the shorter one that it begins with.
        if !all.iter().any(|(known, _)| text.starts_with(known.text)) {
            let literal = if text.starts_with(b"$") { Literal::Hash } else { Literal::Vendor };
            all.push((Needle::exact(text), literal));
        }
    }
    let exact = |text: &'static str| Needle::exact(text.as_bytes());
    all.extend(RARE.iter().map(|(text, word)| (exact(text), Literal::Word(*word))));
    all.extend(WORDS.iter().map(|(text, word)| {
        // A word so short has to end where a value is assigned.
        let then: Option<fn(u8) -> bool> = match word {
            Word::ShortPassword => Some(|byte| matches!(byte, b':' | b'=')),
            Word::Bank => Some(|byte| !byte.is_ascii_lowercase()),
            _ => None,
        };
        (Needle { any_case: true, then, ..exact(text) }, Literal::AnyCase(*word))
    }));
    let (needles, literals): (Vec<_>, _) = all.into_iter().unzip();
    let searcher = Searcher::new(needles.iter().copied());
    Literals { needles, literals, searcher }
});

/// The search for all of them.
pub(super) fn searcher() -> &'static Searcher {
    &LITERALS.searcher
}

/// The literals by number.
pub(super) fn needles() -> &'static [Needle] {
    &LITERALS.needles
}

/// The prefixes of the paper's patterns that lie in runs.
pub(super) fn own() -> impl Iterator<Item = &'static [u8]> {
    let in_run = |literal: &Literal| {
        matches!(literal, Literal::Client | Literal::Aws | Literal::Github(_) | Literal::Sk)
    };
    let own = OWN.iter().filter(move |(_, literal)| in_run(literal));
    own.map(|(text, _)| text.as_bytes()).chain([&b"eyJ"[..]])
}

/// Lists the places of a text, in order, and its words: first those in any case, then the others, each in
/// order. Words, and what only the table of formats knows, do not overlap among themselves.
pub(super) fn find(text: &[u8], marks: &Marks, places: &mut Vec<Place>, words: &mut Vec<Said>) {
    let Literals { literals, searcher, .. } = &*LITERALS;
    places.clear();
    words.clear();
    let mut rare = Vec::new();
    let (mut done, mut said) = (0, 0);
    searcher.find_among(text, &marks.literal, |found| {
        let Some(literal) = literals.get(found.nth).copied() else { return };
        let (at, end) = (found.start, found.end);
        match literal {
            Literal::AnyCase(word) => {
                if at >= said {
                    said = end;
                    words.extend(Said::of(text, marks, word, at, end));
                }
                return;
            }
            Literal::Word(_) | Literal::Vendor if at < done => return,
            Literal::Word(word) => rare.push(Said { word, start: at, end }),
            _ => places.push(Place { at, literal, nth: found.nth }),
        }
        if matches!(literal, Literal::Continued | Literal::Hash) {
            return;
        }
        done = end;
    });
    words.append(&mut rare);
}

#[cfg(test)]
mod tests {
    use super::super::survey::Survey;
    use super::*;

    #[test]
    fn no_literal_hides_a_prefix_of_the_papers_patterns() {
        let text = ["pubea", "rer AKIAK", "IA hvs.eyJ"].concat();
        let survey = Survey::of(text.as_bytes());
        let found: Vec<_> = survey.places.iter().map(|place| (place.at, place.literal)).collect();
        let expected = [
            (0, Literal::Pub),
            (2, Literal::Bearer),
            (9, Literal::Aws),
            (12, Literal::Aws),
            (17, Literal::Vendor),
            (20, Literal::Jwt),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn places_come_in_order() {
        let text = ["x AK", "IA gh", "p_ .eyJ npm_ hvs.eyJ xxxx key 1"].concat();
        let survey = Survey::of(text.as_bytes());
        let found: Vec<_> = survey.places.iter().map(|place| (place.at, place.literal)).collect();
        let expected = [
            (2, Literal::Aws),
            (7, Literal::Github(1)),
            (12, Literal::Jwt),
            (17, Literal::Vendor),
            (22, Literal::Vendor),
            (25, Literal::Jwt),
        ];
        assert_eq!(found, expected);
        let said = |word, start, end| Said { word, start, end };
        assert_eq!(survey.words, [said(Word::Key, 35, 38), said(Word::Dummy, 30, 34)]);
    }

    #[test]
    fn there_are_no_more_literals_than_the_search_takes() {
        assert!(LITERALS.needles.len() <= 64, "{}", LITERALS.needles.len());
    }
}
