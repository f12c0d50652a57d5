//! Why a string probably does not occur: the edit was made before, or the string was written in a way that
//! files are not.

use serde::Serialize;

use super::endings::Match;
use super::mistakes::{self, Corrected, Mistake};
use super::nearest::{Nearest, likeness};
use super::places::{LINES_LISTED_MAX, first_lines};
use super::{endings, placeholder, reading};
use crate::form::AskedEncoding;

/// A text that is shorter says nothing by being in a file.
const TELLING_BYTES_MIN: usize = 4;
/// So much text, white space not counted, is not in a file by chance.
const LONG_BYTES_MIN: usize = 40;
/// So alike is the place of a shorter text to the one that it took the place of.
const SIMILARITY_MIN: f64 = 0.6;

/// The file in which a string was looked for.
pub(super) struct Searched<'a> {
    pub(super) file: &'a [u8],
    /// Its text.
    pub(super) text: &'a str,
    pub(super) asked: AskedEncoding,
}

/// What speaks for a known mistake in a string that does not occur.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Diagnosis {
    /// Set when the file has the new text where the old one should be: the edit was probably made before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub already_applied: bool,
    /// Set when the edit leaves nothing that could tell whether it was made before: it takes text away, and what it
    /// leaves of that, if anything, is in the file.
    #[serde(skip)]
    pub may_be_deleted: bool,
    /// The lines on which the new text begins, if so: the first fifty.
    #[serde(rename = "new_string_lines", skip_serializing_if = "Vec::is_empty")]
    pub new_lines: Vec<u64>,
    /// What was done to the string on its way here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mistakes: Vec<Mistake>,
    /// Set when the file is empty.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub empty_file: bool,
    /// The lines on which the string begins once the first mistake is undone: the first fifty.
    #[serde(rename = "corrected_lines", skip_serializing_if = "Vec::is_empty")]
    pub corrected_lines: Vec<u64>,
}

impl Diagnosis {
    /// Whether the edit was made before, as far as can be told.
    pub(super) fn may_be_made(&self) -> bool {
        self.already_applied || self.may_be_deleted
    }
}

/// Looks for known mistakes, and gives the string without the first if that occurs. `old` does not occur in the file;
/// `nearest` comes closest to it.
pub(super) fn diagnose(
    searched: &Searched<'_>,
    old: &str,
    new: &str,
    nearest: Option<&Nearest>,
) -> (Diagnosis, Option<Corrected>) {
    let new_lines = made_before(searched, old, new, nearest);
    let mut found =
        Diagnosis { already_applied: !new_lines.is_empty(), new_lines, ..Diagnosis::default() };
    found.empty_file = searched.file.is_empty();
    found.may_be_deleted = is_part(new, old)
        && (new.trim().is_empty() || !searched.lines_of(new, |_, _| true).is_empty());
    for corrected in mistakes::undone(old) {
        let mistake = corrected.mistake;
        let lines = searched.lines_of(&corrected.text, |text, at| corrected.may_be(text, at));
        if !lines.is_empty() {
            found.mistakes = vec![mistake];
            found.corrected_lines = lines;
            return (found, Some(corrected));
        }
        // Without a match this is a guess: the file may be about such signs.
        let is_meant = mistake.may_be_meant_in(searched.text) || found.already_applied;
        if !is_meant && !found.mistakes.contains(&mistake) {
            found.mistakes.push(mistake);
        }
    }
    if endings::lines(old).any(|line| placeholder::placeholder(line).is_some()) {
        found.mistakes.push(Mistake::Placeholder);
    }
    (found, None)
}

/// A new text that is a part of the old one would be found wherever that nearly is.
fn is_part(new: &str, old: &str) -> bool {
    old.contains(new.trim())
}

/// The lines on which the new text begins, if the edit was made before. That a short text is in the file says
/// little: it has to stand alone, once, and where the old one would be looked for.
fn made_before(
    searched: &Searched<'_>,
    old: &str,
    new: &str,
    nearest: Option<&Nearest>,
) -> Vec<u64> {
    if new.trim().len() < TELLING_BYTES_MIN || is_part(new, old) {
        return Vec::new();
    }
    let lines = searched.lines_of(new, stands_alone);
    let height = new.trim_end().bytes().filter(|byte| *byte == b'\n').count() as u64;
    let is_near = |line: &u64| {
        nearest.is_some_and(|it| *line <= it.end_line && it.start_line <= *line + height)
    };
    let is_there =
        |least: f64| nearest.is_some_and(|it| it.similarity >= least) && lines.iter().any(is_near);
    // The old text is there except for its spaces or case: then it was meant, and not made away
    // with.
    let is_elsewhere = nearest.is_some_and(|it| it.similarity == 1.0) && !is_there(1.0);
    let is_long = new.bytes().filter(|byte| !byte.is_ascii_whitespace()).count() >= LONG_BYTES_MIN;
    // Something else may come nearer than what the edit has made.
    let is_like_old = || {
        likeness(old, new) >= SIMILARITY_MIN
            && !searched.lines_of(new.trim(), fills_lines).is_empty()
    };
    let is_made = is_long || lines.len() == 1 && (is_there(SIMILARITY_MIN) || is_like_old());
    if is_made && !is_elsewhere { lines } else { Vec::new() }
}

/// Whether a match is not a part of longer words.
fn stands_alone(text: &[u8], found: &Match) -> bool {
    let is_word = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii())
    };
    let at = |at: Option<usize>| is_word(at.and_then(|at| text.get(at)));
    let (start, end) = (found.range.start, found.range.end);
    let begins_inside = at(Some(start)) && at(start.checked_sub(1));
    let ends_inside = at(Some(end)) && at(end.checked_sub(1));
    !begins_inside && !ends_inside
}

/// Whether a match is all that stands in its lines.
fn fills_lines(text: &[u8], found: &Match) -> bool {
    let (before, rest) = text.split_at_checked(found.range.start).unwrap_or_default();
    let after = rest.get(found.range.len()..).unwrap_or_default();
    let blanks = |byte: &&u8| **byte != b'\n' && byte.is_ascii_whitespace();
    let is_end = |byte: Option<&u8>| byte.is_none_or(|byte| *byte == b'\n');
    is_end(before.iter().rev().find(|byte| !blanks(byte)))
        && is_end(after.iter().find(|byte| !blanks(byte)))
}

impl Searched<'_> {
    /// The lines on which a text begins, as often as it counts.
    fn lines_of(&self, text: &str, counts: impl Fn(&[u8], &Match) -> bool) -> Vec<u64> {
        for reading in reading::readings(self.file, text, self.asked) {
            let mut matches = endings::find(&reading.text, text);
            matches.retain(|found| counts(&reading.text, found));
            if !matches.is_empty() {
                return first_lines(&reading.text, &matches, LINES_LISTED_MAX);
            }
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Refusal, replace};
    use super::*;

    fn diagnosis(file: &str, old: &str, new: &str) -> Diagnosis {
        let Err(Refusal::NotFound { diagnosis, .. }) = replace(file.as_bytes(), old, new, 1) else {
            panic!("{old:?} should not be found");
        };
        *diagnosis
    }

    #[test]
    fn an_edit_that_was_made_before_is_known_by_its_new_text() {
        let found = diagnosis("a\nlet total = 2;\nb\n", "let total = 1;", "let total = 2;");
        assert!(found.already_applied);
        assert_eq!(found.new_lines, [2]);
        // With other line endings, too, and where the old text was quite another one.
        let new = "let first = of(\"the beginning\");\nlet second = of(\"the end\");";
        let file = format!("x\r\n{}\r\n", new.replace('\n', "\r\n"));
        assert_eq!(diagnosis(&file, "old\nlines", new).new_lines, [2]);
        // What differs by its indentation alone is found where it was made.
        let found =
            diagnosis("if a {\n        call();\n}\n", "{\n  call();\n", "{\n        call();\n");
        assert_eq!(found.new_lines, [1]);
    }

    #[test]
    fn an_edit_that_was_made_before_is_known_although_another_line_comes_nearer() {
        let found = diagnosis("total = 19;\n  total = 2;\n", "total = 1;", "total = 2;");
        assert_eq!((found.already_applied, found.new_lines), (true, vec![2]));
    }

    #[test]
    fn a_short_new_text_elsewhere_is_no_sign_of_an_edit() {
        for (file, old, new) in [
            // By chance.
            ("fn a() {\n    return None;\n}\nfn b() {}\n", "fn b() { todo!() }", "return None;"),
            // As a part of something longer.
            ("let count = 100;\n", "let count = 1;x", "let count = 10"),
            ("let subtotal = 2;\n", "total = 1;", "total = 2;"),
            // More than once.
            ("total = 2\ntotal = 2\n", "total = 1", "total = 2"),
            // The old text is there, written otherwise.
            ("  call(one);\nx\n  call(two);\n", "\tcall(two);", "  call(one);"),
        ] {
            let found = diagnosis(file, old, new);
            assert!(!found.already_applied && found.new_lines.is_empty(), "{new:?}");
        }
        let long = "let first = of(\"the beginning\", of(\"the end\"));";
        let file = format!("{long}\n\tcall(two);\n");
        assert!(!diagnosis(&file, "  call(two);", long).already_applied, "the old text is there");
    }

    #[test]
    fn a_new_text_that_says_nothing_is_no_sign_of_an_edit() {
        for (old, new) in
            [("absent", "}"), ("absent", ""), ("absent  \n", "  \n"), ("absent total", "total")]
        {
            assert!(!diagnosis("x\n}\n  \ntotal\n", old, new).already_applied, "{new:?}");
        }
    }

    #[test]
    fn html_entities_are_named_and_the_place_that_is_meant() {
        let found = diagnosis(
            "a\nif a < b && c > \"d\" {\n",
            "if a &lt; b &amp;&amp; c &gt; &quot;d&quot; {",
            "x",
        );
        assert_eq!((found.mistakes, found.corrected_lines), (vec![Mistake::HtmlEntities], vec![2]));
    }

    #[test]
    fn a_page_full_of_entities_is_no_mistake() {
        assert_eq!(diagnosis("<p>a &lt; b</p>\n", "<p>c &lt; d</p>", "x").mistakes, []);
    }

    #[test]
    fn literal_line_breaks_and_tabs_are_named() {
        let found = diagnosis("one\n\ttwo\n", "one\\n\\ttwo", "x");
        assert_eq!(
            (found.mistakes, found.corrected_lines),
            (vec![Mistake::LiteralEscapes], vec![1])
        );
    }

    #[test]
    fn a_placeholder_is_named() {
        let found =
            diagnosis("fn a() {\n    b();\n}\n", "fn a() {\n    // ... existing code ...\n}", "x");
        assert_eq!(found.mistakes, [Mistake::Placeholder]);
    }

    /// The mistake that is told, its places, and the string that is suggested.
    fn told(file: &str, old: &str) -> (Vec<Mistake>, Vec<u64>, Option<String>) {
        let Err(Refusal::NotFound { diagnosis, nearest }) = replace(file.as_bytes(), old, "x", 1)
        else {
            panic!("{old:?} should not be found");
        };
        if let Some(it) = nearest.as_ref().and_then(|it| it.suggested_old_string.as_ref()) {
            assert!(replace(file.as_bytes(), it, "x", 1).is_ok(), "{it:?}");
        }
        let Diagnosis { mistakes, corrected_lines, .. } = *diagnosis;
        (mistakes, corrected_lines, nearest.and_then(|it| it.suggested_old_string))
    }

    #[test]
    fn what_a_reading_tool_put_before_the_lines_is_named_and_the_text_without_it_is_suggested() {
        let file = "fn a() {\n    say(\"no\");\n}\nfn b() {\n    say(\"yes\");\n}\n";
        let meant = "fn b() {\n    say(\"yes\");";
        for (old, mistake) in [
            ("4: fn b() {\n5:     say(\"yes\");", Mistake::LineNumbers),
            ("4:fn b() {\n5:    say(\"yes\");", Mistake::LineNumbers),
            ("   4\tfn b() {\n   5\t    say(\"yes\");", Mistake::LineNumbers),
            ("4|fn b() {\n5|    say(\"yes\");", Mistake::LineNumbers),
            ("L4: fn b() {\nL5:     say(\"yes\");", Mistake::LineNumbers),
            ("-fn b() {\n-    say(\"yes\");", Mistake::DiffSigns),
            ("+fn b() {\n+    say(\"yes\");", Mistake::DiffSigns),
            (" fn b() {\n-    say(\"yes\");\n+    say(\"perhaps\");\n", Mistake::DiffSigns),
            ("```rust\nfn b() {\n    say(\"yes\");\n```", Mistake::CodeFence),
            ("fn b() {\n    say(\\\"yes\\\");", Mistake::LiteralEscapes),
            ("fn b() {\\n    say(\\\"yes\\\");", Mistake::LiteralEscapes),
            ("fn b() {\n    say(&quot;yes&quot;);", Mistake::HtmlEntities),
        ] {
            let (mistakes, lines, suggested) = told(file, old);
            assert_eq!((mistakes, lines), (vec![mistake], vec![4]), "{old:?}");
            assert_eq!(suggested.as_deref().map(str::trim_end), Some(meant), "{old:?}");
        }
        // The space behind a number is no indentation.
        assert_eq!(told(file, "5: say(\"yes\");").2.as_deref(), Some("say(\"yes\");"));
        let crlf = file.replace('\n', "\r\n");
        let (.., suggested) = told(&crlf, "4|fn b() {\n5|    say(\"yes\");");
        assert_eq!(suggested, Some(meant.replace('\n', "\r\n")));
    }

    #[test]
    fn a_similar_line_is_not_suggested_in_place_of_the_one_that_was_numbered() {
        let file = "16: total\ntotal\n17: total\n";
        assert_eq!(told(file, "2: total").2.as_deref(), Some("total\n17: total"));
        // Signs that are no part of the mistake: a list, and a number that belongs to the text.
        for (file, old) in [("* one\n* two\n", "- one\n- two\n"), ("b: c\n", "12:c\n")] {
            assert_eq!(told(file, old).0, [], "{old:?}");
        }
    }
}
