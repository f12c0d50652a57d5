//! Where the secret stands in what a pattern matches: behind a name, or between the parts of an address.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::known_formats;

/// Patterns that match more than the secret, which is the group.
static INNER: LazyLock<[(&str, Option<Regex>); 4]> = LazyLock::new(|| {
    [
        ("bearer_token", r"(?s)^\S*\s*(.*)$"),
        ("aws_secret_access_key", r"(?s)(.{1,40})$"),
        ("url_credentials", r"(?s)^(?:.*?://)?(?:[^:]*:)?(.*)@"),
        ("command_line_user", r#"(?s)^(?:[^:]*:)?["']?(.*)$"#),
    ]
    .map(|(name, form)| (name, Regex::new(form).ok()))
});

/// The secret in a match of a built-in pattern.
pub(super) fn secret_in(pattern: &str, matched: &str) -> Range<usize> {
    let known = INNER.iter().find(|(name, _)| *name == pattern);
    let inner = known.and_then(|(_, form)| form.as_ref()?.captures(matched)?.get(1));
    match inner {
        Some(inner) => inner.range(),
        None => known_formats::prefix_len(pattern, matched)..matched.len(),
    }
}

/// Tells whether a pattern matches more than the secret.
pub(super) fn has_inner(pattern: &str) -> bool {
    INNER.iter().any(|(name, _)| *name == pattern)
}
