//! The families of findings and what they weigh.

/// The one family that is no secret: there is nothing to redact, only to split off.
pub(super) const BINARY_HINT: &str = "binary_hint";

/// Names and weights: the paper's seven, then ours.
const WEIGHTS: [(&str, f64); 9] = [
    ("api_key", 0.35),
    ("github_pat", 0.35),
    ("jwt", 0.25),
    ("pem_block", 0.50),
    ("aws_secret", 0.40),
    ("pii", 0.15),
    (BINARY_HINT, 0.20),
    ("conn_string", 0.35),
    ("generic_secret", 0.30),
];

/// The built-in families.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    WEIGHTS.iter().map(|(name, _)| *name)
}

/// Tells how much a family weighs; one that only a policy knows weighs nothing.
pub(super) fn weight(family: &str) -> f64 {
    WEIGHTS.iter().find(|(known, _)| *known == family).map_or(0.0, |(_, weight)| *weight)
}

/// Tells whether a family's matches are secrets that can be redacted.
pub(super) fn is_redactable(family: &str) -> bool {
    family != BINARY_HINT && WEIGHTS.iter().any(|(known, _)| *known == family)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_lists_each_family_with_its_weight() {
        let page = include_str!("../../../docs/risk.md");
        for (name, weight) in WEIGHTS {
            let row = format!("| `{name}` | {weight:.2} | ");
            assert!(page.lines().any(|line| line.starts_with(&row)), "{row}");
        }
    }

    #[test]
    fn families_weigh_what_the_contract_says() {
        let paper = [
            "api_key",
            "github_pat",
            "jwt",
            "pem_block",
            "aws_secret",
            "pii",
            "binary_hint",
            "new",
        ];
        assert_eq!(paper.map(weight), [0.35, 0.35, 0.25, 0.50, 0.40, 0.15, 0.20, 0.0]);
        assert!(is_redactable("pii") && !is_redactable("binary_hint") && !is_redactable("new"));
    }
}
