//! The names of what can be found, for those who look through a policy.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::paper_patterns::PAPER_PATTERNS;
use super::tables::{DUMMY_PREFIXES, FORMATS};
use super::{family, pii};

/// The patterns that are in no table.
const OTHERS: [&str; 19] = [
    "assigned_key",
    "assigned_password",
    "basic_authorization",
    "bic",
    "command_line_user",
    "encoded_token",
    "jwk_private_key",
    "jwt_unsigned",
    "learned_token",
    "named_key",
    "private_key_block",
    "session_cookie",
    "url_credentials",
    "aws_secret_key",
    "big_100kb",
    "big_500kb",
    "long_line",
    "many_lines",
    "long_base64_blob",
];

static PATTERNS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
    let tables = FORMATS.iter().map(|row| row.name);
    let dummies = DUMMY_PREFIXES.iter().map(|(.., name)| *name);
    let paper_patterns = PAPER_PATTERNS.iter().map(|known| known.name);
    tables.chain(dummies).chain(paper_patterns).chain(pii::names()).chain(OTHERS).collect()
});

/// The built-in families, as `disable_families` and `weights` of a policy name them.
pub fn families() -> impl Iterator<Item = &'static str> {
    family::names()
}

/// The built-in patterns, as `allow.patterns` of a policy names them, in the order of their names.
pub fn patterns() -> impl Iterator<Item = &'static str> {
    PATTERNS.iter().copied()
}

/// Whether a policy can name a pattern.
pub(super) fn has_pattern(name: &str) -> bool {
    PATTERNS.contains(name)
}
