//! Patterns that a policy adds: named regexes that belong to a family.
//!
//! They run in an automaton that is built as far as a text needs it, within a limit on its size, after everything that
//! is built in. To find all matches one after the other can take it the square of a text's length: `a.*z|a` reads to
//! the end of the text for each `a`. And an automaton can need more states than a text has bytes. So there is one limit
//! for all patterns on what they read of a text: it is shown in windows, which get smaller the more was read in all.
//! Where the limit is reached the rest of the text is one match, and nobody knows how far it goes.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use regex::RegexBuilder;
use regex_automata::hybrid::dfa::DFA;
use regex_automata::hybrid::regex::{Cache, Regex};
use regex_automata::util::prefilter::Prefilter;
use regex_automata::util::syntax;
use regex_automata::{Input, MatchKind, nfa::thompson};

use super::checksum::crc32_base62;
use super::format::{BadForm, Format, is_near};
use super::rule::{Check, Rule};

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
    regex: String,
    automaton: Arc<Regex>,
    /// What it was made of, if it was not a regex.
    rule: Option<Arc<Rule>>,
}

impl Pattern {
    /// Compiles a pattern such as a policy adds.
    ///
    /// The syntax is that of the `regex` crate: without look-around and back-references, which
    /// could take exponential time. The words of `\b` are of ASCII letters.
    ///
    /// # Errors
    ///
    /// The regex is malformed, matches an empty text, or compiles to more than 1 MiB.
    pub fn new(family: &str, name: &str, regex: &str) -> Result<Self, BadRegex> {
        let compiled = RegexBuilder::new(regex).size_limit(COMPILED_BYTES_MAX).build();
        compiled.map_err(|error| BadRegex { message: one_line(&error) })?;
        let automaton = automaton(regex)?;
        let (family, name) = (Cow::Owned(family.to_owned()), Cow::Owned(name.to_owned()));
        Ok(Self { family, name, regex: regex.to_owned(), automaton, rule: None })
    }

    /// Makes a pattern of a rule, such as a row of the built-in table: of the form `hse_{n32}`, that is `hse_` and 32
    /// letters or digits. A match begins where a word does and is not the beginning of a longer token. If there are
    /// words, one of them stands before it on its line or just above. If there is a check, it fits.
    ///
    /// # Errors
    ///
    /// The form is malformed, says too little, begins with no name where it must, or is too large.
    pub fn of_rule(mut rule: Rule) -> Result<Self, BadForm> {
        let format = Format::parse(&rule.form)?;
        if rule.words.is_empty() && format.is_loose() {
            return Err(BadForm::Loose);
        }
        if rule.named && format.prefix().is_empty() {
            return Err(BadForm::Nameless);
        }
        let pattern = Self::new(&rule.family, &rule.name, &format.regex());
        let pattern = pattern.map_err(|error| BadForm::Large(error.message))?;
        rule.words.iter_mut().for_each(|word| word.make_ascii_lowercase());
        Ok(Self { rule: Some(Arc::new(rule)), ..pattern })
    }

    /// Returns the rule that it was made of, its words in small letters.
    #[must_use]
    pub fn rule(&self) -> Option<&Arc<Rule>> {
        self.rule.as_ref()
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
        &self.regex
    }

    /// Finds the pattern in a text, from its start to its end. A match that is longer than half a window may be missed;
    /// a text within one window is searched as a whole. An empty match is where it is not known how the text goes on.
    pub(super) fn matches<'a>(
        &'a self,
        text: &'a str,
        reads: &'a mut Reads,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        let (regex, cache) = (&*self.automaton, self.automaton.create_cache());
        let all = Matches { regex, cache, text, at: 0, reads };
        let rule =
            self.rule.as_ref().and_then(|rule| Some((rule, Format::parse(&rule.form).ok()?)));
        all.filter(move |span| {
            let fits = |(rule, format): &(&Arc<Rule>, Format<'_>)| {
                fits(rule, format, text.as_bytes(), span)
            };
            span.is_empty() || rule.as_ref().is_none_or(fits)
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

/// Tells whether a match of a rule is a token of its own that its check fits, and has one of the words near it.
fn fits(rule: &Rule, format: &Format<'_>, text: &[u8], span: &Range<usize>) -> bool {
    let before = span.start.checked_sub(1).and_then(|before| text.get(before));
    let body = || text.get(span.start + format.prefix().len()..span.end).unwrap_or_default();
    !before.is_some_and(u8::is_ascii_alphanumeric)
        && !format.goes_on(text.get(span.end).copied())
        && (rule.words.is_empty()
            || is_near(text, span.start, rule.words.iter().map(String::as_str)))
        && match rule.check {
            Some(Check::Crc32Base62) => crc32_base62(body()),
            None => true,
        }
}

/// Makes the automaton of a regex. It gives up where it needs a new state every few bytes again and again.
fn automaton(regex: &str) -> Result<Arc<Regex>, BadRegex> {
    const CACHE_BYTES: usize = 512 << 10;
    const CLEARED_MIN: usize = 2;
    const BYTES_PER_STATE_MIN: usize = 64;
    let bad = |message: &str| BadRegex { message: message.to_owned() };
    let regex = with_ascii_words(regex);
    let parsed = syntax::parse(&regex).map_err(|_| bad("cannot be read"))?;
    if parsed.properties().minimum_len().is_none_or(|len| len == 0) {
        return Err(bad("matches an empty text"));
    }
    let config = DFA::config()
        .prefilter(Prefilter::from_hir_prefix(MatchKind::LeftmostFirst, &parsed))
        .unicode_word_boundary(true)
        .skip_cache_capacity_check(true)
        .cache_capacity(CACHE_BYTES)
        .minimum_cache_clear_count(Some(CLEARED_MIN))
        .minimum_bytes_per_state(Some(BYTES_PER_STATE_MIN));
    let thompson = thompson::Config::new().nfa_size_limit(Some(COMPILED_BYTES_MAX));
    let built = Regex::builder().dfa(config).thompson(thompson).build(&regex);
    let too_large =
        |_| bad(&format!("Compiled regex exceeds size limit of {COMPILED_BYTES_MAX} bytes."));
    Ok(Arc::new(built.map_err(too_large)?))
}

/// The same regex with words of ASCII letters: an automaton does not know where others end.
fn with_ascii_words(regex: &str) -> String {
    let mut ascii = String::with_capacity(regex.len());
    let mut rest = regex;
    while let Some((before, after)) = rest.split_once('\\') {
        ascii.push_str(before);
        let len = match after.strip_prefix('b') {
            Some(kind) if kind.starts_with("{") => {
                after.find('}').map_or(after.len(), |end| end + 1)
            }
            _ => after.chars().next().map_or(0, char::len_utf8),
        };
        let (escape, next) = after.split_at(len);
        let is_word = escape.starts_with('b');
        ascii += if is_word { "(?-u:\\" } else { "\\" };
        ascii += escape;
        ascii += if is_word { ")" } else { "" };
        rest = next;
    }
    ascii + rest
}

/// The automata are shown so much of a text at first, and so much at least.
const WINDOW_MAX: usize = 64 << 10;
const WINDOW_MIN: usize = 1 << 10;

/// With a window of one size the patterns read each byte of a text so often, on average, and so many bytes more: those
/// that a policy may have read it twice.
const READS_MAX: usize = 512;
const READS_MORE: usize = 1 << 20;

/// A match counts for so many bytes.
const MATCH_READS: usize = 512;

/// How much the patterns of a policy have read of a text.
pub(super) struct Reads {
    window: usize,
    /// How many bytes may have been read with a window of this size, and how many may be.
    read: usize,
    most: usize,
}

impl Reads {
    /// Those of all patterns in a text of a length.
    pub(super) const fn of(len: usize) -> Self {
        let most = READS_MAX.saturating_mul(len).saturating_add(READS_MORE);
        Self { window: WINDOW_MAX, read: 0, most }
    }

    /// Takes note of what was read, and tells whether more may be.
    fn spend(&mut self, bytes: usize) -> bool {
        self.read = self.read.saturating_add(bytes);
        if self.read > self.most && self.window > WINDOW_MIN {
            self.window /= 4;
            self.read = 0;
        }
        self.read <= self.most
    }
}

/// The matches of a pattern in a text.
struct Matches<'a> {
    regex: &'a Regex,
    cache: Cache,
    text: &'a str,
    /// Where the next one may begin.
    at: usize,
    reads: &'a mut Reads,
}

impl Matches<'_> {
    /// Where the next match is from a place on within so many bytes, and where these end; nothing if that takes too
    /// much.
    fn find(&mut self, window: usize) -> Option<(Option<Range<usize>>, usize)> {
        let end = self.text.ceil_char_boundary(self.at.saturating_add(window));
        let seen = self.text.get(..end).unwrap_or_default();
        let input = Input::new(seen).range(self.at..);
        if !self.reads.spend(end - self.at) {
            return None;
        }
        let Ok(found) = self.regex.try_search(&mut self.cache, &input) else {
            // So many states took long: few patterns may need them.
            self.reads.spend(self.reads.most / 2);
            return None;
        };
        Some((found.map(|found| found.range()), end))
    }
}

impl Iterator for Matches<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let len = self.text.len();
        let mut window = self.reads.window;
        while self.at < len {
            let Some((found, end)) = self.find(window) else {
                let rest = self.at..self.at;
                self.at = len;
                return Some(rest);
            };
            let Some(found) = found else {
                if end == len {
                    break;
                }
                // What begins in the first half of a window ends in it.
                self.at =
                    self.text.ceil_char_boundary((end - window.min(end) / 2).max(self.at + 1));
                window = self.reads.window;
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
            self.reads.spend(MATCH_READS);
            self.at = found.end;
            return Some(found);
        }
        self.at = len;
        None
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
    use super::super::redact::{Refusal, Wish, redact};
    use super::super::{Detection, Policy, score};
    use super::*;

    fn rule(form: &str) -> Rule {
        let (family, name) = ("api_key".to_owned(), "n".to_owned());
        Rule { name, family, form: form.to_owned(), ..Rule::default() }
    }

    #[test]
    fn a_form_matches_whole_tokens_near_its_words() {
        let found = |form: &str, words: &[&str], text: &str| -> usize {
            let pattern = Pattern::of_rule(Rule {
                words: words.iter().map(|word| (*word).to_owned()).collect(),
                ..rule(form)
            });
            let pattern = pattern.unwrap();
            pattern.matches(text, &mut Reads::of(text.len())).count()
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
        assert_eq!(Pattern::of_rule(rule("a_{n8}")).unwrap_err(), BadForm::Loose);
        let named = Pattern::of_rule(Rule { named: true, ..rule("{n8}-{n8}.hse") });
        assert_eq!(named.unwrap_err(), BadForm::Nameless);
    }

    #[test]
    fn a_dummy_of_a_form_is_a_placeholder() {
        let rule = Pattern::of_rule(rule("hse_{n12}")).unwrap();
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

    fn found(patterns: &[Pattern], text: &str) -> Vec<Vec<Range<usize>>> {
        let mut reads = Reads::of(text.len());
        let all = patterns.iter().map(|pattern| pattern.matches(text, &mut reads).collect());
        let all = all.collect();
        let last = patterns.len() * (WINDOW_MIN + MATCH_READS) + WINDOW_MAX;
        assert!(reads.read <= reads.most + last, "{}", reads.read);
        all
    }

    fn pattern(regex: &str) -> Pattern {
        Pattern::new("house", "any", regex).unwrap()
    }

    #[test]
    fn patterns_that_read_on_for_every_match_read_a_text_so_often_all_together() {
        for count in [1, 256] {
            let patterns = vec![pattern("a.*z|a"); count];
            let text = "a".repeat(10_000);
            for found in found(&patterns, &text) {
                let (unknown, known) = found.split_last().unwrap();
                assert_eq!(*unknown, known.len()..known.len(), "the rest is not known");
            }
        }
    }

    #[test]
    fn an_automaton_that_needs_too_many_states_leaves_the_rest_of_a_text_unknown() {
        let chance = &mut crate::steady::Chance(0x9E37_79B9_7F4A_7C15);
        let text = chance.draw(b"ab \n", 10_000);
        let large = pattern("a[a-z\n ]{1000}[A-Z]");
        let rest = &found(std::slice::from_ref(&large), &text)[0];
        assert!(rest.len() == 1 && rest[0] == (0..0));
        let policy = Policy { extra_patterns: vec![large], ..Policy::default() };
        assert_eq!(score(&text, &policy).kinds(), ["house"]);
        let refusal = redact(&text, &policy, &Wish::default()).unwrap_err();
        assert!(matches!(refusal, Refusal::Left { count: 1, line: 1, .. }), "{refusal:?}");
    }

    #[test]
    fn windows_change_nothing_of_what_fits_into_half_of_one() {
        let gap = "x\u{e9} ".repeat(9_000);
        let text = ["key-1", &gap, "key-22 BEGIN\n", &"b".repeat(20_000), "\nEND", &gap, "key-3"];
        let text = text.concat();
        for regex in
            [r"key-\d+\b", r"(?s)BEGIN.*?END", "b+$", r"key-\d$", "\u{e9} x", r"\b{start}k\w+"]
        {
            let plainly = regex::Regex::new(regex).unwrap();
            let plainly: Vec<_> = plainly.find_iter(&text).map(|found| found.range()).collect();
            assert!(found(&[pattern(regex)], &text) == [plainly], "{regex}");
        }
        assert!(found(&[pattern("(?s)x.*3")], &text[..40_000])[0].is_empty());
    }

    #[test]
    fn a_pattern_matches_no_empty_text() {
        for regex in ["", "a*", "x?|y", "^", r"\b", "(?m)$"] {
            let bad = Pattern::new("house", "empty", regex).unwrap_err();
            assert_eq!(bad.message, "matches an empty text", "{regex}");
        }
    }
}
