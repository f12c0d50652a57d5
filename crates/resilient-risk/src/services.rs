//! Names of services that hand out keys.
//!
//! A name near a random token is evidence that it is a key, even where the format says nothing:
//! many services hand out plain hexadecimal digits. The names are in `data/services.txt` and, of
//! services whose tokens have a form, in `data/formats.toml`.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::tables::SERVICES;

static NAMES: LazyLock<HashSet<&[u8]>> = LazyLock::new(|| SERVICES.into_iter().collect());

/// Tells whether a word, in small letters, names a service.
pub(super) fn is_service(word: &[u8]) -> bool {
    NAMES.contains(word)
}

/// Tells whether two words, written as one, name a service.
pub(super) fn is_service_in_two(first: &[u8], second: &[u8]) -> bool {
    NAMES.contains([first, second].concat().as_slice())
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
