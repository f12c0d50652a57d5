//! Patterns that a policy adds: named regexes that belong to a family.
//!
//! They run in an engine without backtracking, within a limit on their compiled size, after
//! everything that is built in. To find all matches one after the other can take such an engine the square
//! of a text's length: `a.*z|a` reads to the end of the text for each `a`. So the engine is shown a
//! window of the text, which gets smaller the more it has read in all.

use std::borrow::Cow;
use std::ops::Range;

use regex::{Regex, RegexBuilder};

use super::format::{BadForm, Format, is_near};

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
    rule: Option<Rule>,
}

/// What a pattern has that was given as a form.
#[derive(Clone, Debug)]
struct Rule {
    form: String,
    /// Separated by spaces.
    words: String,
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
        let (family, name) = (Cow::Owned(family.to_owned()), Cow::Owned(name.to_owned()));
        Ok(Self { family, name, regex, rule: None })
    }

    /// Makes a pattern of the form of a token, in the notation of the built-in table: `hse_{n32}` is `hse_` and 32
    /// letters or digits. A match begins where a word does and is not the beginning of a longer token. If there are
    /// words, one of them stands before it on its line or just above.
    ///
    /// # Errors
    ///
    /// The form is malformed, says too little, or is too large.
    pub fn of_form(
        family: &str,
        name: &str,
        form: &str,
        words: &[String],
    ) -> Result<Self, BadForm> {
        let format = Format::parse(form)?;
        if words.is_empty() && format.is_loose() {
            return Err(BadForm::Loose);
        }
        let pattern = Self::new(family, name, &format.regex());
        let pattern = pattern.map_err(|error| BadForm::Large(error.message))?;
        let words = words.join(" ").to_ascii_lowercase();
        Ok(Self { rule: Some(Rule { form: form.to_owned(), words }), ..pattern })
    }

    /// Returns the form that it was made of, and its words.
    #[must_use]
    pub fn form(&self) -> Option<(&str, impl Iterator<Item = &str>)> {
        let rule = self.rule.as_ref()?;
        Some((rule.form.as_str(), rule.words.split_ascii_whitespace()))
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
        let all =
            Matches { regex: &self.regex, text, at: 0, last: None, window: WINDOW_MAX, read: 0 };
        let rule =
            self.rule.as_ref().and_then(|rule| Some((rule, Format::parse(&rule.form).ok()?)));
        all.filter(move |span| {
            rule.as_ref().is_none_or(|(rule, format)| rule.fits(format, text.as_bytes(), span))
        })
    }

    /// What of a match are a token's own characters: only of a form this is known.
    pub(super) fn body<'a>(&self, matched: &'a str) -> Option<&'a [u8]> {
        let form = &self.rule.as_ref()?.form;
        let prefix = Format::parse(form).map_or(0, |format| format.prefix().len());
        matched.as_bytes().get(prefix..)
    }

    /// The family and the name, owned by the report.
    pub(super) fn names(&self) -> (Cow<'static, str>, Cow<'static, str>) {
        (self.family.clone(), self.name.clone())
    }
}

impl Rule {
    /// Tells whether a match is a token of its own, and has one of the words near it.
    fn fits(&self, format: &Format<'_>, text: &[u8], span: &Range<usize>) -> bool {
        let before = span.start.checked_sub(1).and_then(|before| text.get(before));
        !before.is_some_and(u8::is_ascii_alphanumeric)
            && !format.goes_on(text.get(span.end).copied())
            && (self.words.is_empty() || is_near(text, span.start, &self.words))
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
    use super::super::{Detection, Policy, score};
    use super::*;

    #[test]
    fn a_form_matches_whole_tokens_near_its_words() {
        let found = |form: &str, words: &[&str], text: &str| -> usize {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let pattern = Pattern::of_form("house", "n", form, &words).unwrap();
            pattern.matches(text).count()
        };
        let (form, token) = ("hse_{n8}", ["hse", "_k3Jd9fQx"].concat());
        for (before, after) in [("", ""), ("x = \"", "\";"), ("A_", "-x"), ("é", ".")] {
            assert_eq!(found(form, &[], &[before, &token, after].concat()), 1, "{before}{after}");
        }
        for (before, after) in [("x", ""), ("", "a"), ("9", "-")] {
            assert_eq!(found(form, &[], &[before, &token, after].concat()), 0, "{before}{after}");
        }
        for (text, count) in
            [("HOUSE 12345678", 1), ("house:\n 12345678", 1), ("12345678 house", 0)]
        {
            assert_eq!(found("{d8}", &["House", "home"], text), count, "{text}");
        }
        assert_eq!(Pattern::of_form("f", "n", "a_{n8}", &[]).unwrap_err(), BadForm::Loose);
    }

    #[test]
    fn a_dummy_of_a_form_is_a_placeholder() {
        let rule = Pattern::of_form("api_key", "n", "hse_{n12}", &[]).unwrap();
        let policy = Policy { extra_patterns: vec![rule], ..Policy::default() };
        let verdict = |token: &str| score(&["hse", "_", token].concat(), &policy).verdict;
        assert_eq!(
            verdict("k3Jd9fQx7LmZ"),
            score(&["gh", "p_", &"k3Jd9fQx7LmZ".repeat(3)].concat(), &policy).verdict
        );
        let report = score(&["hse", "_", &"x".repeat(12)].concat(), &policy);
        let Some(Detection::Pattern(hit)) = report.detected_patterns.first() else {
            panic!("{report:?}")
        };
        assert!(hit.placeholder && hit.pattern == "n");
    }

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
