//! The name that somebody may have meant by one that does not exist.

/// The most similar of some names, if one is similar enough to be a slip of the hand. Case does not count, and two
/// letters that changed places are one slip.
#[must_use]
pub fn nearest<'a>(name: &str, among: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let meant = name.to_lowercase();
    let slips = |other: &str| strsim::osa_distance(&meant, &other.to_lowercase());
    let (distance, found) =
        among.into_iter().map(|other| (slips(other), other)).min_by_key(|(slips, _)| *slips)?;
    let longer = meant.chars().count().max(found.chars().count());
    (distance * 3 <= longer.max(3)).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_found_and_other_words_are_not() {
        let names = ["thresholds", "retry_budget", "model", "allow"];
        for (name, meant) in [
            ("treshold", Some("thresholds")),
            ("Thresholds", Some("thresholds")),
            ("retry-budget", Some("retry_budget")),
            ("modle", Some("model")),
            ("alow", Some("allow")),
            ("weights", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(nearest(name, names), meant, "{name}");
        }
        assert_eq!(nearest("a", []), None);
    }
}
