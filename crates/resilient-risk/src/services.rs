//! Names of services that hand out keys.
//!
//! A name near a random token is evidence that it is a key, even where the format says nothing:
//! many services hand out plain hexadecimal digits. The names are in `data/services.txt` and, of
//! services whose tokens have a form, in `data/formats.toml`.

use std::sync::LazyLock;

use super::tables::SERVICES;

/// The names with their hashes, in the order of those, and a bit for each hash: nearly all words that are asked
/// about are none.
struct Names {
    all: Vec<(usize, &'static [u8])>,
    hashes: Vec<u64>,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let mut all: Vec<_> = SERVICES.iter().map(|name| (hash(name, &[]), *name)).collect();
    all.sort_unstable();
    let mut hashes = vec![0; 256];
    for (hash, _) in &all {
        if let Some(word) = hashes.get_mut(hash / 64) {
            *word |= 1 << (hash % 64);
        }
    }
    Names { all, hashes }
});

/// Tells whether a word, in small letters, names a service.
pub(super) fn is_service(word: &[u8]) -> bool {
    NAMES.have(word, &[])
}

/// Tells whether two words, written as one, name a service.
pub(super) fn is_service_in_two(first: &[u8], second: &[u8]) -> bool {
    NAMES.have(first, second)
}

impl Names {
    /// Tells whether two parts of a word make a name.
    fn have(&self, first: &[u8], second: &[u8]) -> bool {
        let hash = hash(first, second);
        self.hashes.get(hash / 64).is_some_and(|bits| bits >> (hash % 64) & 1 == 1)
            && self.hold(hash, first, second)
    }

    /// The same of parts whose hash some name has.
    fn hold(&self, hash: usize, first: &[u8], second: &[u8]) -> bool {
        let from = self.all.partition_point(|(known, _)| *known < hash);
        let known = self.all.iter().skip(from).take_while(|(known, _)| *known == hash);
        known.into_iter().any(|(_, name)| name.strip_prefix(first) == Some(second))
    }
}

/// Fourteen bits of a word in two parts, by its length, its first letter and its last two: these tell nearly
/// all words from the names, and nothing is counted for them.
fn hash(first: &[u8], second: &[u8]) -> usize {
    let begin = first.first().or(second.first()).copied().unwrap_or(0);
    let (before, last) = match (first, second) {
        (_, [.., before, last]) | ([.., before, last], []) | ([.., before], [last]) => {
            (*before, *last)
        }
        ([], [last]) | ([last], []) => (0, *last),
        ([], []) => (0, 0),
    };
    let signs = u32::from_le_bytes([(first.len() + second.len()) as u8, begin, before, last]);
    (signs.wrapping_mul(0x9E37_79B1) >> 18) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_and_words_are_not() {
        assert!(is_service(b"datadog") && is_service(b"pdfshift"));
        assert!(is_service_in_two(b"pdf", b"shift") && !is_service_in_two(b"pdf", b"shiftt"));
        assert!(!is_service(b"integrity") && !is_service(b"value") && !is_service(b""));
    }
}
