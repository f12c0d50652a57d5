//! The names that agents give to what the state directory keeps for them, and names without their case.

use unicode_normalization::UnicodeNormalization as _;

/// Whether a text is `[A-Za-z0-9_-]{1,64}`: the names of chunk sessions and of checkpoints. No
/// path can be made of them.
pub(crate) fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_' || c == b'-')
}

/// A name, or a path, without case and in one normalisation: as the most lenient of the usual file systems
/// compares it.
pub(crate) fn without_case(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    name.nfd().flat_map(char::to_lowercase).nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_case_is_the_same_in_either_case_and_normalisation() {
        for (one, other) in
            [("src/README.md", "SRC/readme.MD"), ("\u{c9}t\u{e9}", "e\u{301}TE\u{301}")]
        {
            assert_eq!(without_case(one), without_case(other), "{one}");
        }
        assert_ne!(without_case("resume"), without_case("r\u{e9}sum\u{e9}"));
    }

    #[test]
    fn letters_digits_and_two_signs_are_a_name() {
        for name in ["a", "A-1_b", "-", "_", &"x".repeat(64)] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", " ", "a b", "a/b", "..", "a.b", "é", "a\n", "a\0", &"x".repeat(65)] {
            assert!(!is_name(name), "{name:?}");
        }
    }
}
