//! One search of a text for everything that findings begin with and that is rare elsewhere.
//!
//! The prefixes of the paper's patterns, of formats that do not lie in runs, of well-known tokens
//! that dummies stand for, and rare words are looked for all at once, with vector instructions.
//! There are no more than thirty-two, of at least four characters each, or the search would take
//! several times as long. What a place
//! means is left to those who ask for it.

use std::sync::LazyLock;

use super::search::Searcher;
use super::vendor;
use super::words::{RARE, Said, Word};

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
    /// `EK ETAVIRP`
    Backwards,
    /// Only what the table of formats knows.
    Vendor,
    /// One of the rare words.
    Word(Word),
}

/// A place where a literal stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) at: usize,
    pub(super) literal: Literal,
    /// The number of the literal, for [`vendor::outside`].
    pub(super) nth: usize,
}

const OWN: [(&str, Literal); 10] = [
    ("client-", Literal::Client),
    ("AKIA", Literal::Aws),
    ("gho_", Literal::Github(0)),
    ("ghp_", Literal::Github(1)),
    ("ghu_", Literal::Github(2)),
    ("ghs_", Literal::Github(3)),
    ("ghr_", Literal::Github(4)),
    (".eyJ", Literal::Jwt),
    ("BEGIN ", Literal::Begin),
    ("EK ETAVIRP", Literal::Backwards),
];

struct Literals {
    all: Vec<(&'static [u8], Literal)>,
    searcher: Searcher,
}

static LITERALS: LazyLock<Literals> = LazyLock::new(|| {
    let own = OWN.iter().map(|(text, literal)| (text.as_bytes(), *literal));
    let mut all: Vec<(&'static [u8], Literal)> = own.collect();
    let mut others: Vec<&'static [u8]> = vendor::outside_prefixes().collect();
    others.sort_by_key(|text| text.len());
    for text in others {
        // A longer literal is found by the shorter one that it begins with.
        if !all.iter().any(|(known, _)| text.starts_with(known)) {
            all.push((text, Literal::Vendor));
        }
    }
    all.extend(RARE.iter().map(|(text, word)| (text.as_bytes(), Literal::Word(*word))));
    let searcher = Searcher::new(all.iter().map(|(text, _)| *text));
    Literals { all, searcher }
});

/// The literals by number.
pub(super) fn all() -> impl Iterator<Item = &'static [u8]> {
    LITERALS.all.iter().map(|(text, _)| *text)
}

/// The prefixes of the paper's patterns that lie in runs.
pub(super) fn own() -> impl Iterator<Item = &'static [u8]> {
    let more: [&[u8]; 2] = [b"sk-", b"eyJ"];
    OWN.iter().take(7).map(|(text, _)| text.as_bytes()).chain(more)
}

/// Finds the places of a text, in order, and adds the words among them.
pub(super) fn find(text: &[u8], words: &mut Vec<Said>) -> Vec<Place> {
    let literals = &*LITERALS;
    let mut places = Vec::new();
    for found in literals.searcher.find_iter(text) {
        let (nth, at) = (found.pattern().as_usize(), found.start());
        let Some((bytes, literal)) = literals.all.get(nth) else { continue };
        if let Literal::Word(word) = *literal {
            words.push(Said { word, start: at, end: found.end() });
            continue;
        }
        places.push(Place { at, literal: *literal, nth });
        // The dot that ends one literal may begin another one.
        let end = found.end();
        if bytes.last() == Some(&b'.') && text.get(end..end + 3) == Some(b"eyJ") {
            places.push(Place { at: end - 1, literal: Literal::Jwt, nth: 7 });
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_literal_hides_another() {
        // A match would be lost if a literal ended in what another one begins with.
        for (one, _) in &LITERALS.all {
            for (other, literal) in &LITERALS.all {
                let own = !matches!(literal, Literal::Vendor | Literal::Word(_));
                let overlaps = (1..one.len()).any(|at| {
                    let tail = &one[at..];
                    tail.starts_with(other) || other.starts_with(tail)
                });
                // Where `AKIAKIA` begins a token, its first three letters begin one, too.
                let overlaps =
                    overlaps && one != other && !(one.ends_with(b".") && other == b".eyJ");
                assert!(!(own && overlaps), "{} {}", one.escape_ascii(), other.escape_ascii());
            }
        }
    }

    #[test]
    fn places_come_in_order() {
        let text = ["x AK", "IA gh", "p_ .eyJ npm_ hvs.eyJ xxxx"].concat();
        let mut words = Vec::new();
        let places = find(text.as_bytes(), &mut words);
        let found: Vec<_> = places.iter().map(|place| (place.at, place.literal)).collect();
        let expected = [
            (2, Literal::Aws),
            (7, Literal::Github(1)),
            (12, Literal::Jwt),
            (17, Literal::Vendor),
            (22, Literal::Vendor),
            (25, Literal::Jwt),
        ];
        assert_eq!(found, expected);
        assert_eq!(words, [Said { word: Word::Dummy, start: 30, end: 34 }]);
    }

    #[test]
    fn every_literal_is_long_enough_to_be_found_fast() {
        assert!(LITERALS.all.len() <= 32, "{}", LITERALS.all.len());
        assert!(all().all(|literal| literal.len() >= 4));
    }
}
