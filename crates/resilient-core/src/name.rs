//! The names that agents give to what the state directory keeps for them.

/// Whether a text is `[A-Za-z0-9_-]{1,64}`: the names of chunk sessions and of checkpoints. No
/// path can be made of them.
pub(crate) fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_' || c == b'-')
}

#[cfg(test)]
mod tests {
    use super::is_name;

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
