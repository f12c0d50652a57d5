//! Lines that stand for text which whoever wrote them left out: `// ... existing code ...`, `# rest unchanged`.

/// A longer line is a sentence, and stands for itself.
const WORDS_MAX: usize = 9;

/// What a placeholder says, in lower case.
const PHRASES: [&str; 22] = [
    "unchanged",
    "not changed",
    "no changes",
    "existing code",
    "existing content",
    "existing implementation",
    "existing imports",
    "existing methods",
    "existing functions",
    "rest of the",
    "rest of file",
    "rest of code",
    "rest of your",
    "rest remains",
    "remaining code",
    "remaining content",
    "remaining lines",
    "remaining file",
    "same as before",
    "as before",
    "previous code",
    "omitted",
];

/// What a comment that stands for text begins with. Other comments only speak of such things.
const SUBJECTS: [&str; 12] = [
    "rest ",
    "the rest ",
    "remaining ",
    "existing ",
    "unchanged",
    "same as",
    "omitted",
    "everything ",
    "other ",
    "all other ",
    "previous code",
    "no changes",
];

/// Signs with which a comment begins, the longest first.
const OPENINGS: [&str; 13] =
    ["{/*", "<!--", "/**", "/*", "///", "//", "--", "(*", "#", ";", "%", "\"\"\"", "*"];
const CLOSINGS: [&str; 5] = ["*/}", "-->", "*/", "*)", "\"\"\""];

/// The first line of new content that stands for text, counted from 1, unless the old content has that line too.
pub(crate) fn first_placeholder<'a>(new: &'a str, old: &str) -> Option<(usize, &'a str)> {
    let in_old = |line: &str| old.lines().any(|known| known.trim() == line);
    new.lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line.trim()))
        .find(|(_, line)| is_placeholder(line) && !in_old(line))
}

/// Whether a line stands for text. It says so in brackets, between dots or as the subject of a comment, or it
/// says nothing else; or it is a comment of dots alone.
pub(super) fn is_placeholder(line: &str) -> bool {
    let line = line.trim();
    let (inner, is_comment) = without_comment(line);
    let (inner, is_bracketed) = without_brackets(inner);
    let (inner, has_dots) = without_dots(inner);
    if inner.is_empty() {
        return is_comment && has_dots;
    }
    let inner = inner.to_lowercase();
    if inner.split_whitespace().count() > WORDS_MAX {
        return false;
    }
    let says_so = PHRASES.iter().any(|phrase| holds(&inner, phrase));
    let says_nothing_else = PHRASES.contains(&inner.as_str())
        || inner.starts_with("rest ") && inner.ends_with("unchanged");
    let begins_so = is_comment && SUBJECTS.iter().any(|subject| inner.starts_with(subject));
    says_so && (is_bracketed || has_dots || begins_so || says_nothing_else)
}

/// Whether a text holds a phrase in whole words.
fn holds(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + phrase.len()..).and_then(|text| text.chars().next());
        !is_word(before) && !is_word(after)
    })
}

fn without_comment(line: &str) -> (&str, bool) {
    let Some(inner) = OPENINGS.iter().find_map(|sign| line.strip_prefix(sign)) else {
        return (line, false);
    };
    let inner = inner.trim_start_matches(['/', '#', '*', '-', ';', '%', '!']);
    let closed = CLOSINGS.iter().find_map(|sign| inner.trim_end().strip_suffix(sign));
    (closed.unwrap_or(inner).trim(), true)
}

fn without_brackets(text: &str) -> (&str, bool) {
    for (open, close) in [('[', ']'), ('(', ')'), ('<', '>'), ('{', '}')] {
        let inner = text.strip_prefix(open).and_then(|text| text.strip_suffix(close));
        if let Some(inner) = inner {
            return (inner.trim(), true);
        }
    }
    (text, false)
}

/// Dots in front and behind: three or more, or an ellipsis.
fn without_dots(text: &str) -> (&str, bool) {
    let front = text.trim_start_matches(['.', '\u{2026}']);
    let both = front.trim_end_matches(['.', '\u{2026}']);
    let are_dots = |cut: &str| cut.contains('\u{2026}') || cut.len() >= 3;
    let led = text.get(..text.len() - front.len()).is_some_and(are_dots);
    let trailed = front.get(both.len()..).is_some_and(are_dots);
    (both.trim(), led || trailed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_stands_for_text_is_known_in_every_comment_syntax() {
        for line in [
            "// ... existing code ...",
            "# rest unchanged",
            "    # ... rest of the file ...",
            "# ...",
            "/* ... */",
            "<!-- rest of the page unchanged -->",
            "{/* ... existing code ... */}",
            "-- rest of the file remains the same",
            "% remaining content omitted",
            "; ... unchanged",
            "... existing code ...",
            "[rest of file unchanged]",
            "(unchanged)",
            "<rest of the file>",
            "\u{2026} existing code \u{2026}",
            "rest unchanged",
            "Unchanged",
            "// same as before",
            "//\u{2026}",
        ] {
            assert!(is_placeholder(line), "{line}");
        }
    }

    #[test]
    fn text_that_only_speaks_of_such_things_stands_for_itself() {
        for line in [
            "",
            "...",
            "pass",
            "let unchanged = before == after;",
            "The rest of the file describes the protocol.",
            "# Keep the order of the list unchanged, since the callers of this function depend on it.",
            "assert!(is_unchanged(file));",
            "// unchangedness is checked below",
            "# Keeps what is unchanged.",
            "// Returns the list as before",
            "#",
            "# Heading",
            "[a](b)",
            "def f(): ...",
            "* a point",
        ] {
            assert!(!is_placeholder(line), "{line}");
        }
    }

    #[test]
    fn what_the_old_content_says_too_is_no_placeholder() {
        assert_eq!(first_placeholder("a\n# ...\n", "b\n  # ...\n"), None);
        assert_eq!(first_placeholder("a\n  # ...\n", "b\n"), Some((2, "# ...")));
    }
}
