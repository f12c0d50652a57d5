//! Why a string probably does not occur: the edit was made before, or the string was written in a way that
//! files are not.

use serde::Serialize;

use super::places::{LINES_LISTED_MAX, first_lines};
use super::{endings, placeholder, reading};
use crate::form::AskedEncoding;

/// A text that is shorter says nothing by being in a file.
const TELLING_BYTES_MIN: usize = 4;

/// What speaks for a known mistake in a string that does not occur.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Diagnosis {
    /// Set when the file has the new text, and not the old one: the edit was probably made before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub already_applied: bool,
    /// The lines on which the new text begins, if so: the first fifty.
    #[serde(rename = "new_string_lines", skip_serializing_if = "Vec::is_empty")]
    pub new_lines: Vec<u64>,
    /// What was done to the string on its way here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mistakes: Vec<Mistake>,
    /// The lines on which the string begins once the first mistake is undone: the first fifty.
    #[serde(rename = "corrected_lines", skip_serializing_if = "Vec::is_empty")]
    pub corrected_lines: Vec<u64>,
}

/// A way in which programs that write text spoil it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Mistake {
    /// `&lt;`, `&gt;`, `&amp;`, `&quot;` or `&#39;` for the characters.
    HtmlEntities,
    /// A backslash and a letter for a line break or a tab.
    LiteralEscapes,
    /// A line such as `... existing code ...` for text.
    Placeholder,
}

/// Looks for known mistakes. `old` does not occur in the file.
pub(super) fn diagnose(file: &[u8], old: &str, new: &str) -> Diagnosis {
    let telling = new.trim().len() >= TELLING_BYTES_MIN && !is_part(new, old);
    let new_lines = if telling { lines_of(file, new) } else { Vec::new() };
    let mut found =
        Diagnosis { already_applied: !new_lines.is_empty(), new_lines, ..Diagnosis::default() };
    let undone = [
        (Mistake::HtmlEntities, without_entities(old)),
        (Mistake::LiteralEscapes, without_escapes(old)),
    ];
    for (mistake, corrected) in undone {
        let Some(corrected) = corrected else { continue };
        let lines = lines_of(file, &corrected);
        // Without a match this is a guess: the file may be about such signs.
        if lines.is_empty() && (has(file, mistake) || found.already_applied) {
            continue;
        }
        found.mistakes.push(mistake);
        found.corrected_lines = lines;
        if !found.corrected_lines.is_empty() {
            return found;
        }
    }
    if endings::lines(old).any(|line| placeholder::placeholder(line).is_some()) {
        found.mistakes.push(Mistake::Placeholder);
    }
    found
}

/// A new text that is a part of the old one would be found wherever that nearly is.
fn is_part(new: &str, old: &str) -> bool {
    old.contains(new.trim())
}

fn lines_of(file: &[u8], text: &str) -> Vec<u64> {
    for reading in reading::readings(file, text, AskedEncoding::Unsaid) {
        let matches = endings::find(&reading.text, text);
        if !matches.is_empty() {
            return first_lines(&reading.text, &matches, LINES_LISTED_MAX);
        }
    }
    Vec::new()
}

/// Whether the file itself has what would be a mistake elsewhere.
fn has(file: &[u8], mistake: Mistake) -> bool {
    let holds = |sign: &str| memchr::memmem::find(file, sign.as_bytes()).is_some();
    match mistake {
        Mistake::HtmlEntities => ENTITIES.iter().any(|(entity, _)| holds(entity)),
        Mistake::LiteralEscapes => ESCAPES.iter().any(|(escape, _)| holds(escape)),
        Mistake::Placeholder => false,
    }
}

/// `&amp;` last: `&amp;lt;` is the text `&lt;`.
const ENTITIES: [(&str, &str); 6] = [
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#39;", "'"),
    ("&apos;", "'"),
    ("&amp;", "&"),
];

const ESCAPES: [(&str, &str); 4] = [("\\r\\n", "\n"), ("\\n", "\n"), ("\\t", "\t"), ("\\\"", "\"")];

fn without_entities(text: &str) -> Option<String> {
    undone(text, &ENTITIES)
}

fn without_escapes(text: &str) -> Option<String> {
    undone(text, &ESCAPES)
}

fn undone(text: &str, signs: &[(&str, &str)]) -> Option<String> {
    let corrected =
        signs.iter().fold(text.to_owned(), |text, (sign, meant)| text.replace(sign, meant));
    (corrected != text && !corrected.is_empty()).then_some(corrected)
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
        // With other line endings, too.
        let found = diagnosis("x\r\none\r\ntwo\r\n", "old\nlines", "one\ntwo");
        assert_eq!(found.new_lines, [2]);
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
}
