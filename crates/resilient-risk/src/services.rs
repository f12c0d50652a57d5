//! Names of services that hand out keys.
//!
//! A name near a random token is evidence that it is a key, even where the format says nothing:
//! many services hand out plain hexadecimal digits. The names are in `data/services.txt` and, of
//! services whose tokens have a form, in `data/formats.toml`.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::tables::SERVICES;

static NAMES: LazyLock<HashSet<&[u8]>> = LazyLock::new(|| SERVICES.into_iter().collect());

/// How long the names are that begin with two letters, as bits.
static LENS: LazyLock<Box<[u64; 1 << 10]>> = LazyLock::new(|| {
    let mut lens = Box::new([0; 1 << 10]);
    for name in SERVICES {
        lens.get_mut(head(name)).into_iter().for_each(|lens| *lens |= 1 << (name.len() % 64));
    }
    lens
});

/// The first two letters of a word, as a number.
fn head(word: &[u8]) -> usize {
    let [first, second] = [0, 1].map(|nth| word.get(nth).copied().map_or(0, |byte| byte & 31));
    usize::from(first) << 5 | usize::from(second)
}

/// Tells by how a word begins and how long it is whether it may name a service: mostly it does not.
fn may_be(head: usize, len: usize) -> bool {
    LENS.get(head).is_some_and(|lens| lens >> (len % 64) & 1 == 1)
}

/// Tells whether a word, in small letters, names a service.
pub(super) fn is_service(word: &[u8]) -> bool {
    may_be(head(word), word.len()) && NAMES.contains(word)
}

/// Tells whether two words, written as one, name a service.
pub(super) fn is_service_in_two(first: &[u8], second: &[u8]) -> bool {
    let head = if first.len() > 1 { head(first) } else { head(first) | head(second) >> 5 };
    may_be(head, first.len() + second.len()) && NAMES.contains([first, second].concat().as_slice())
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
