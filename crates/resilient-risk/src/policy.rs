//! What may be changed about the judgement of texts.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest as _, Sha256};

use super::paths::Paths;
use super::pattern::Pattern;
use super::report::Verdict;

/// How texts are judged; the default is what is built in.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Which score earns which verdict.
    pub thresholds: Thresholds,
    /// Families that are not looked for, in the built-in patterns and in the added ones.
    pub disabled_families: BTreeSet<String>,
    /// Patterns that are looked for after the built-in ones.
    pub extra_patterns: Vec<Pattern>,
    /// Weights of families, in place of the built-in ones or for new families.
    pub weights: BTreeMap<String, f64>,
    /// What a vendor's prefix with a dummy behind it counts for.
    pub placeholders: Placeholders,
    /// What is known and no finding.
    pub allow: Allow,
    /// Whether tokens that no rule knows are judged by the learned model.
    pub model: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            thresholds: Thresholds::default(),
            disabled_families: BTreeSet::new(),
            extra_patterns: Vec::new(),
            weights: BTreeMap::new(),
            allow: Allow::default(),
            placeholders: Placeholders::Low,
            model: true,
        }
    }
}

/// The scores from which on a text earns a verdict; below `low` it is safe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// For [`Verdict::High`].
    pub high: f64,
    /// For [`Verdict::Medium`].
    pub medium: f64,
    /// For [`Verdict::Low`].
    pub low: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { high: 0.70, medium: 0.40, low: 0.10 }
    }
}

impl Thresholds {
    /// Returns the verdict that a score earns. The highest threshold that it reaches decides.
    #[must_use]
    pub fn verdict(&self, score: f64) -> Verdict {
        if score >= self.high {
            Verdict::High
        } else if score >= self.medium {
            Verdict::Medium
        } else if score >= self.low {
            Verdict::Low
        } else {
            Verdict::Safe
        }
    }
}

/// Findings that a policy lets pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allow {
    /// Files in which nothing is looked for.
    pub paths: Paths,
    /// Names of patterns that are not reported.
    pub patterns: BTreeSet<String>,
    /// Digests of values that are not reported: SHA-256 of the matched text, or of the secret in it.
    pub values: BTreeSet<[u8; 32]>,
}

impl Allow {
    /// Tells whether nothing is looked for in a file.
    #[must_use]
    pub fn path(&self, path: &str) -> bool {
        self.paths.mean(path)
    }

    /// Tells whether a match is let pass.
    #[must_use]
    pub fn finding(&self, pattern: &str, matched: &str) -> bool {
        if self.patterns.contains(pattern) {
            return true;
        }
        // A redaction answers the digest of the secret alone, which may be a part of the match.
        let is_known =
            |text: &str| self.values.contains(&<[u8; 32]>::from(Sha256::digest(text.as_bytes())));
        !self.values.is_empty()
            && (is_known(matched) || secret_in(pattern, matched).is_some_and(is_known))
    }
}

/// The secret in a match that says its name, too.
fn secret_in<'a>(pattern: &str, matched: &'a str) -> Option<&'a str> {
    match pattern {
        "bearer_token" => {
            matched.split_once(char::is_whitespace).map(|(_, token)| token.trim_start())
        }
        "aws_secret_access_key" => matched.get(matched.len().checked_sub(40)?..),
        "url_credentials" => {
            let authority = matched.split_once("://").map_or(matched, |(_, rest)| rest);
            let (user, _) = authority.rsplit_once('@')?;
            user.split_once(':').map(|(_, password)| password)
        }
        _ => None,
    }
}

/// What a vendor's prefix with a dummy behind it counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholders {
    /// It is not reported.
    Ignore,
    /// It is reported and never more than low by itself.
    Low,
    /// It counts like a secret.
    Full,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_is_reached_by_a_score_equal_to_it() {
        let thresholds = Thresholds::default();
        for (score, verdict) in [
            (0.0, Verdict::Safe),
            (0.0999, Verdict::Safe),
            (0.1, Verdict::Low),
            (0.3999, Verdict::Low),
            (0.4, Verdict::Medium),
            (0.6999, Verdict::Medium),
            (0.7, Verdict::High),
            (1.0, Verdict::High),
        ] {
            assert_eq!(thresholds.verdict(score), verdict, "{score}");
        }
    }
}
