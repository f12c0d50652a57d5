//! Names of services that hand out keys.
//!
//! A name near a random token is evidence that it is a key, even where the format says nothing:
//! many services hand out plain hexadecimal digits. The names are in `data/services.txt` and, of
//! services whose tokens have a form, in `data/formats.toml`.

use super::tables::SERVICES;

/// Tells whether a word, in small letters, names a service.
pub(super) fn is_service(word: &[u8]) -> bool {
    SERVICES.binary_search(&word).is_ok()
}

/// Tells whether two words, written as one, name a service. The names are in order.
pub(super) fn is_service_in_two(first: &[u8], second: &[u8]) -> bool {
    let word = || first.iter().chain(second);
    SERVICES.binary_search_by(|name| name.iter().cmp(word())).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order() {
        assert!(SERVICES.is_sorted());
    }

    #[test]
    fn names_are_known_and_words_are_not() {
        assert!(is_service(b"datadog") && is_service(b"pdfshift"));
        assert!(is_service_in_two(b"pdf", b"shift") && !is_service_in_two(b"pdf", b"shiftt"));
        assert!(!is_service(b"integrity") && !is_service(b"value") && !is_service(b""));
    }
}
