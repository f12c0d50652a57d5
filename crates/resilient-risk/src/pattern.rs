//! Patterns that a policy adds: named regexes that belong to a family.
//!
//! They run in an engine without backtracking, within a limit on their compiled size, after
//! everything that is built in.

use std::borrow::Cow;
use std::ops::Range;

use regex::{Regex, RegexBuilder};

/// A policy's regex may not compile to more than this.
const COMPILED_BYTES_MAX: usize = 1 << 20;

/// Why a regex is no pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BadRegex {
    /// What is wrong with it, in one line.
    pub message: String,
}

/// A named regex that belongs to a family.
#[derive(Clone, Debug)]
pub struct Pattern {
    family: Cow<'static, str>,
    name: Cow<'static, str>,
    regex: Regex,
}

impl Pattern {
    /// Compiles a pattern such as a policy adds.
    ///
    /// The syntax is that of the `regex` crate: without look-around and back-references, which
    /// could take exponential time.
    ///
    /// # Errors
    ///
    /// The regex is malformed, or compiles to more than 1 MiB.
    pub fn new(family: &str, name: &str, regex: &str) -> Result<Self, BadRegex> {
        let compiled = RegexBuilder::new(regex).size_limit(COMPILED_BYTES_MAX).build();
        let regex = compiled.map_err(|error| BadRegex { message: one_line(&error) })?;
        Ok(Self { family: Cow::Owned(family.to_owned()), name: Cow::Owned(name.to_owned()), regex })
    }

    /// Returns the family whose weight a hit counts for.
    #[must_use]
    pub fn family(&self) -> &str {
        &self.family
    }

    /// Returns the pattern's own name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the regex as it was given.
    #[must_use]
    pub fn regex(&self) -> &str {
        self.regex.as_str()
    }

    /// Finds the pattern in a text, from its start to its end.
    pub(super) fn matches<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        self.regex.find_iter(text).map(|found| found.range())
    }

    /// The family and the name, owned by the report.
    pub(super) fn names(&self) -> (Cow<'static, str>, Cow<'static, str>) {
        (self.family.clone(), self.name.clone())
    }
}

/// Shows enough of a match to find it, not enough to use it, on one line: sixteen characters of a long one. What
/// is shorter than twice that shows a quarter, and four at most: a password is short, and half of it tells the
/// rest. Of an address no more than the scheme is shown, since name and password come next.
pub(super) fn snippet(found: &str) -> String {
    const CHARS_MAX: usize = 16;
    const OF_SHORT_MAX: usize = 4;
    let len = found.chars().take(2 * CHARS_MAX).count();
    let most = if len < 2 * CHARS_MAX { (len / 4).min(OF_SHORT_MAX) } else { CHARS_MAX };
    let scheme = found.find("://").map_or(CHARS_MAX, |at| at + "://".len());
    let chars = found.chars().flat_map(|char| {
        let (first, second) = if char == '\n' { ('\\', Some('n')) } else { (char, None) };
        std::iter::once(first).chain(second)
    });
    let mut snippet = String::with_capacity(CHARS_MAX + 3);
    snippet.extend(chars.take(most.min(scheme)));
    if !found.is_empty() {
        snippet.push('…');
    }
    snippet
}

/// A syntax error is drawn over several lines, of which the last one says what is wrong.
fn one_line(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_is_cut_by_characters_after_line_feeds_are_spelled_out() {
        let long = "0123456789abcdef".repeat(2);
        assert_eq!(snippet(&long), "0123456789abcdef…");
        assert_eq!(snippet(&format!("0123456789abcde\n{long}")), "0123456789abcde\\…");
        assert_eq!(snippet(&"é".repeat(32)), format!("{}…", "é".repeat(16)));
        assert_eq!(snippet(""), "");
    }

    #[test]
    fn a_snippet_never_has_more_than_a_quarter_of_a_short_match() {
        for (found, shown) in [
            ("a", "…"),
            ("abc", "…"),
            ("hunter2", "h…"),
            ("redis://:pw@cache.internal:6379/a/b/c", "redis://…"),
            ("hunter2hunter2", "hun…"),
            ("0123456789abcdef", "0123…"),
            ("0123456789abcdef0123456789abcde", "0123…"),
            ("a\nbcdefg", "a\\…"),
        ] {
            assert_eq!(snippet(found), shown, "{found}");
        }
    }

    #[test]
    fn an_added_pattern_may_match_nothing_at_all() {
        let pattern = Pattern::new("house", "empty", "x*").unwrap();
        assert_eq!(pattern.matches("é\nxx").collect::<Vec<_>>(), [0..0, 2..2, 3..5]);
    }
}
