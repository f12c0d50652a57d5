//! Patterns that a policy adds: named regexes that belong to a family.
//!
//! They run in an engine without backtracking, within a limit on their compiled size, after
//! everything that is built in. To find all matches one after the other can take such an engine the square
//! of a text's length: `a.*z|a` reads to the end of the text for each `a`. So the engine is shown a
//! window of the text, which gets smaller the more it has read in all.

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

    /// Finds the pattern in a text, from its start to its end. A match that is longer than half a window may
    /// be missed; a text within one window is searched as a whole.
    pub(super) fn matches<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        Matches { regex: &self.regex, text, at: 0, last: None, window: WINDOW_MAX, read: 0 }
    }

    /// The family and the name, owned by the report.
    pub(super) fn names(&self) -> (Cow<'static, str>, Cow<'static, str>) {
        (self.family.clone(), self.name.clone())
    }
}

/// The engine is shown so much of a text at first, and so much at least.
const WINDOW_MAX: usize = 64 << 10;
const WINDOW_MIN: usize = 1 << 10;

/// With a window of one size it reads each byte of a text so often, on average, and so many bytes more.
const READS_MAX: usize = 32;
const READS_MORE: usize = 1 << 20;

/// The matches of a pattern in a text.
struct Matches<'a> {
    regex: &'a Regex,
    text: &'a str,
    /// Where the next one may begin, and where the last one ended.
    at: usize,
    last: Option<usize>,
    window: usize,
    /// How many bytes may have been read with a window of this size.
    read: usize,
}

impl Matches<'_> {
    /// The next match from a place on within so many bytes, and where these end.
    fn find(&mut self, window: usize) -> (Option<Range<usize>>, usize) {
        let end = ceil(self.text, self.at.saturating_add(window));
        self.read += end - self.at;
        if self.read > self.text.len() * READS_MAX + READS_MORE && self.window > WINDOW_MIN {
            self.window /= 4;
            self.read = 0;
        }
        let seen = self.text.get(..end).unwrap_or_default();
        (self.regex.find_at(seen, self.at).map(|found| found.range()), end)
    }
}

impl Iterator for Matches<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let len = self.text.len();
        let mut window = self.window;
        while self.at <= len {
            let (found, end) = self.find(window);
            let Some(found) = found else {
                if end == len {
                    break;
                }
                // What begins in the first half of a window ends in it.
                self.at = ceil(self.text, (end - window.min(end) / 2).max(self.at + 1));
                window = self.window;
                continue;
            };
            // What touches the end of the window may go on behind it, or be none.
            if found.end == end && end < len {
                if found.start > self.at {
                    self.at = found.start;
                    continue;
                }
                if window < WINDOW_MAX {
                    window = WINDOW_MAX.min(window * 4);
                    continue;
                }
            }
            if found.is_empty() && self.last == Some(found.end) {
                self.at = ceil(self.text, found.end + 1);
                if found.end == len {
                    break;
                }
                continue;
            }
            (self.at, self.last) = (found.end, Some(found.end));
            return Some(found);
        }
        self.at = len + 1;
        None
    }
}

/// The first beginning of a character at or behind a place, or the end of the text.
fn ceil(text: &str, at: usize) -> usize {
    (at.min(text.len())..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
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
    fn a_pattern_that_reads_on_for_every_match_reads_a_text_so_often_and_no_more() {
        let pattern = Pattern::new("house", "slow", "a.*z|a").unwrap();
        for len in [10_000, 20_000] {
            let text = "a".repeat(len);
            let (regex, window) = (&pattern.regex, WINDOW_MAX);
            let mut all = Matches { regex, text: &text, at: 0, last: None, window, read: 0 };
            assert_eq!(all.by_ref().count(), len);
            assert_eq!(all.window, WINDOW_MIN);
            assert!(all.read <= len * WINDOW_MIN, "{}", all.read);
        }
    }

    #[test]
    fn windows_change_nothing_of_what_fits_into_half_of_one() {
        let gap = "x\u{e9} ".repeat(9_000);
        let text = ["key-1", &gap, "key-22 BEGIN\n", &"b".repeat(20_000), "\nEND", &gap, "key-3"];
        let text = text.concat();
        for regex in [r"key-\d+\b", r"(?s)BEGIN.*?END", "b+$", "", r"key-\d$", "\u{e9} x"] {
            let pattern = Pattern::new("house", "any", regex).unwrap();
            let plainly = pattern.regex.find_iter(&text).map(|found| found.range());
            assert!(pattern.matches(&text).eq(plainly), "{regex}");
        }
        let whole = Pattern::new("house", "whole", "(?s)x.*3").unwrap();
        assert_eq!(whole.matches(&text[..40_000]).count(), 0);
    }

    #[test]
    fn an_added_pattern_may_match_nothing_at_all() {
        let pattern = Pattern::new("house", "empty", "x*").unwrap();
        assert_eq!(pattern.matches("é\nxx").collect::<Vec<_>>(), [0..0, 2..2, 3..5]);
    }
}
