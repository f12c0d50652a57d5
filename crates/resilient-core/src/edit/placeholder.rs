//! Lines that stand for text which their author left out: `// ... existing code ...`, `# rest unchanged`.

use super::endings::lines;

/// A longer line is a sentence, and stands for itself.
const WORDS_MAX: usize = 9;
/// So is a longer comment behind code.
const BESIDE_BYTES_MAX: usize = 120;

/// What a placeholder says, in lower case.
const PHRASES: [&str; 34] = [
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
    "the rest",
    "remains the same",
    "remain the same",
    "stays the same",
    "stay the same",
    "stays as is",
    "stay as is",
    "as is",
    "same as above",
    "remaining code",
    "remaining content",
    "remaining lines",
    "remaining file",
    "same as before",
    "as before",
    "previous code",
    "omitted",
    "truncated",
    "snip",
    "for brevity",
];

/// Those that are alone on a line where a sentence is wrapped.
const ENDS: [&str; 8] = [
    "truncated",
    "for brevity",
    "the rest",
    "as is",
    "remains the same",
    "remain the same",
    "stays the same",
    "stay the same",
];

/// What a comment that stands for text begins with. Other comments only mention such things.
const SUBJECTS: [&str; 22] = [
    "rest ",
    "the rest ",
    "remaining ",
    "existing ",
    "keep existing ",
    "keep the rest",
    "keep everything ",
    "your existing ",
    "your other ",
    "code omitted",
    "implementation omitted",
    "previous implementation",
    "todo: keep the rest",
    "unchanged",
    "same as",
    "omitted",
    "truncated for ",
    "everything ",
    "other ",
    "all other ",
    "previous code",
    "no changes",
];

/// Signs with which a comment begins, the longest first.
const OPENINGS: [&str; 17] = [
    "{{!--", "<%--", "<!--", "{/*", "/**", "///", "\"\"\"", "{{!", "{#", "/*", "//", "--", "(*",
    "#", ";", "%", "*",
];
const CLOSINGS: [&str; 9] = ["--}}", "--%>", "*/}", "-->", "\"\"\"", "}}", "#}", "*/", "*)"];
/// With what a line is set off: `--- rest unchanged ---`.
const RULES: [char; 10] = ['-', '=', '*', '~', '_', '#', '/', '%', ';', '!'];
/// A comment that shows nothing in Markdown: `[//]: # (...)`.
const HIDDEN: [&str; 4] = ["[//]: #", "[//]: <>", "[comment]: #", "[comment]: <>"];

/// Signs with which a comment begins behind code, and ends before the line does.
const BESIDE: [(&str, &str); 8] = [
    ("/*", "*/"),
    ("<!--", "-->"),
    ("//", ""),
    ("#", ""),
    ("%", ""),
    ("--", ""),
    (";", ""),
    ("[", "]"),
];

/// The first mark of new content that stands for text, with its line, counted from 1. What the old content has
/// too is none.
pub(crate) fn first_placeholder<'a>(new: &'a str, old: &str) -> Option<(usize, &'a str)> {
    let in_old = |mark: &str| {
        let has_words = mark.contains(char::is_alphabetic);
        has_words && old.contains(mark) || is_in_a_line(old, mark)
    };
    lines(new)
        .enumerate()
        .filter_map(|(at, line)| Some((at + 1, placeholder(line)?)))
        .find(|(_, mark)| !in_old(mark))
}

/// The last line of new content that is dots alone, with its number: in most formats it stands for the rest. What the
/// old content has, too, does not.
pub(crate) fn last_dots<'a>(new: &'a str, old: &str) -> Option<(usize, &'a str)> {
    let is_dots = |line: &str| matches!(line.trim(), "..." | "\u{2026}");
    let all = lines(new).enumerate().map(|(at, line)| (at + 1, line.trim()));
    let last = all.filter(|(_, line)| !line.is_empty()).last()?;
    (is_dots(last.1) && !lines(old).any(is_dots)).then_some(last)
}

/// Whether a mark stands for text in a line of a file.
pub(crate) fn is_in_a_line(text: &str, mark: &str) -> bool {
    lines(text).any(|line| placeholder(line) == Some(mark))
}

/// What stands for text in a line: the line itself, or a comment behind the code of it.
pub(super) fn placeholder(line: &str) -> Option<&str> {
    let line = line.trim();
    let beside = BESIDE.iter().find_map(|sign| comment_beside(line, *sign));
    beside.or_else(|| stands_for_text(line).then_some(line))
}

/// Whether a line stands for text. It says so in brackets, between dots or as the subject of a comment, or it
/// says nothing else; or it is a comment of dots alone, or dots in square brackets.
fn stands_for_text(line: &str) -> bool {
    let said = Said::of(line);
    if said.text.is_empty() {
        return said.has_dots() && (said.is_comment || said.bracket == Some('['));
    }
    if said.is_comment && said.leads && said.trails && !said.is_sentence() {
        return true;
    }
    if said.is_comment && said.leads && said.bracket.is_some() && !said.is_sentence() {
        return true;
    }
    let text = said.text.to_lowercase();
    let is_subject = SUBJECTS.iter().any(|subject| text.starts_with(subject));
    if said.is_comment && said.leads && is_subject && !said.is_sentence() {
        return true;
    }
    if said.has_dots() && is_count(&text) || line.starts_with("<!--") && text == "truncated" {
        return true;
    }
    let says_nothing_else = PHRASES.contains(&text.as_str()) && !ENDS.contains(&text.as_str())
        || text.starts_with("rest ") && text.ends_with("unchanged");
    let begins_so = said.is_comment && is_subject;
    let begins_so = begins_so || said.is_comment && is_span(&text);
    let is_set_off = said.bracket.is_some() || said.has_dots();
    !said.is_sentence() && says_so(&text) && (is_set_off || begins_so || says_nothing_else)
        || said.is_comment && said.has_dots() && !said.is_sentence() && text.starts_with("rest of ")
}

/// Whether a text says how much is left out: `1200 more lines`.
fn is_count(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().take(4).collect();
    matches!(words.as_slice(), [count, "more" | "other", _] if count.bytes().all(|it| it.is_ascii_digit()))
}

/// Whether a comment says that one thing to another is unchanged: `f1 to f9 unchanged`.
fn is_span(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().take(5).collect();
    matches!(words.as_slice(), [_, "to" | "through" | "-", _, "unchanged"])
}

/// A comment behind code that stands for text. Code that is `// unchanged` stands for itself: the comment has to
/// describe more than the line, by dots or as the rest.
fn comment_beside<'a>(line: &'a str, (open, close): (&str, &str)) -> Option<&'a str> {
    line.match_indices(open).find_map(|(at, _)| {
        let (code, rest) = line.split_at_checked(at)?;
        let code = code.trim_end();
        let may_begin = match open {
            "/*" | "<!--" => true,
            "//" => !code.is_empty() && !line.get(..at)?.ends_with([':', '/']),
            "[" => line.get(..at)?.ends_with([' ', '\t', '.', '\u{2026}']),
            _ => line.get(..at)?.ends_with([' ', '\t', '}']),
        };
        if !may_begin {
            return None;
        }
        let mark = match close {
            "" => rest,
            _ => {
                let near = rest.get(..rest.floor_char_boundary(BESIDE_BYTES_MAX))?;
                let end = near.find(close)? + close.len();
                near.get(..end)?
            }
        };
        let is_mark = mark.len() <= BESIDE_BYTES_MAX
            && match open {
                // In the middle of a line it is an index, or a link.
                "[" => mark.len() == rest.len() && stands_for_text(mark) && says_so(mark),
                _ => says_more_than(code, mark, open),
            };
        is_mark.then_some(mark)
    })
}

/// Whether a comment stands for more than the code in front of it.
fn says_more_than(code: &str, comment: &str, open: &str) -> bool {
    let said = Said::of(comment);
    if said.text.is_empty() {
        // Where a statement or an element could stand, and not an argument.
        let is_place = code.is_empty() || code.ends_with(['{', '}', ';', ':', '>']);
        return said.has_dots() && is_place && !matches!(open, "--" | ";");
    }
    let text = said.text.to_lowercase();
    // What is quoted, or goes on behind the dots, only mentions such comments.
    let is_quoted = text.contains(['`', '"', '\u{2026}']) || text.contains("...");
    let is_rest = text.starts_with("rest ") || text.starts_with("the rest ");
    let speaks_of_more = said.has_dots() || is_rest || said.bracket == Some('[');
    !is_quoted && !said.is_sentence() && says_so(&text) && speaks_of_more
}

fn says_so(text: &str) -> bool {
    PHRASES.iter().any(|phrase| holds(text, phrase))
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

/// What a line says, without the signs around it.
struct Said<'a> {
    text: &'a str,
    is_comment: bool,
    /// The bracket around all of it.
    bracket: Option<char>,
    /// Whether dots stand in front.
    leads: bool,
    /// Whether dots stand behind.
    trails: bool,
}

impl<'a> Said<'a> {
    fn of(line: &'a str) -> Self {
        let (text, is_comment) = without_comment(line);
        let (text, bracket) = without_brackets(text);
        let (text, leads, trails) = without_dots(text);
        // Dots may stand around the brackets, too.
        let (text, bracket) = match bracket {
            None if leads || trails => without_brackets(text),
            _ => (text, bracket),
        };
        Self { text, is_comment, bracket, leads, trails }
    }

    fn has_dots(&self) -> bool {
        self.leads || self.trails
    }

    fn is_sentence(&self) -> bool {
        self.text.split_whitespace().nth(WORDS_MAX).is_some()
    }
}

fn without_comment(line: &str) -> (&str, bool) {
    if let Some(hidden) = HIDDEN.iter().find_map(|sign| line.strip_prefix(sign)) {
        let text = hidden.trim();
        return (text.trim_matches('"'), true);
    }
    let in_braces = line.strip_prefix('{').and_then(|line| line.strip_suffix('}')).map(str::trim);
    let line = in_braces.filter(|inner| inner.starts_with("/*")).unwrap_or(line);
    let Some(inner) = OPENINGS.iter().find_map(|sign| line.strip_prefix(sign)) else {
        return (line, false);
    };
    let closed = CLOSINGS.iter().find_map(|sign| inner.trim_end().strip_suffix(sign));
    (closed.unwrap_or(inner).trim().trim_matches(RULES).trim(), true)
}

fn without_brackets(text: &str) -> (&str, Option<char>) {
    for (open, close) in [('[', ']'), ('(', ')'), ('<', '>'), ('{', '}')] {
        let inner = text.strip_prefix(open).and_then(|text| text.strip_suffix(close));
        if let Some(inner) = inner {
            return (inner.trim(), Some(open));
        }
    }
    (text, None)
}

/// Dots in front and behind: three or more, an ellipsis, or that of TeX.
fn without_dots(text: &str) -> (&str, bool, bool) {
    const TEX: [&str; 2] = ["\\ldots", "\\dots"];
    let tex_front = TEX.iter().find_map(|dots| text.strip_prefix(dots));
    let front = tex_front.unwrap_or(text).trim_start_matches(['.', '\u{2026}']);
    let tex_back = TEX.iter().find_map(|dots| front.strip_suffix(dots));
    let both = tex_back.unwrap_or(front).trim_end_matches(['.', '\u{2026}']);
    let are_dots = |cut: &str| cut.contains(['\u{2026}', 'd']) || cut.len() >= 3;
    let leads = text.get(..text.len() - front.len()).is_some_and(are_dots);
    let trails = front.get(both.len()..).is_some_and(are_dots);
    (both.trim(), leads, trails)
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
            "% ... existing content ...",
            "%% [...]",
            "% --- rest of the section unchanged ---",
            "% \\ldots",
            "% (rest of the document as before)",
            "{/* ... */}",
            "{ /* ... existing code ... */ }",
            "{/* ... rest of component */}",
            "<!--- ... --->",
            "<!-- [existing content] -->",
            "<!--... other sections ...-->",
            "[//]: # (... rest unchanged ...)",
            "[comment]: <> (existing content unchanged)",
            "{# ... existing blocks ... #}",
            "<%-- existing code --%>",
            "**[truncated]**",
            "[truncated]",
            "[... truncated ...]",
            "[...]",
            "[truncated 300 lines]",
            "... (truncated)",
            "... (1200 more lines)",
            "... 120 more lines ...",
            "... [1200 more lines] ...",
            "<!-- truncated -->",
            "# ... (other functions)",
            "// ... other methods ...",
            "// truncated for brevity",
            "/* snip */",
            "# === existing code ===",
            "// Rest of implementation remains the same",
            "# other methods stay the same",
            "# Your existing code here",
            "/* All other code stays the same */",
            "# keep the rest as is",
            "// code omitted for brevity",
            "# Previous implementation remains the same",
            "# same as above",
            "# f1 to f59 unchanged",
            "# TODO: keep the rest",
            "# ...other methods",
            "// ... other handlers",
        ] {
            assert!(placeholder(line).is_some(), "{line}");
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
            "the rest",
            "as is",
            "# Licensed as is",
            "# Other callers see a copy",
            "# ... and so on",
            "# everything is checked below",
            "// Returns the list as before",
            "#",
            "# Heading",
            "[a](b)",
            "def f(): ...",
            "* a point",
            "// truncated to 80 columns",
            "/// truncated.",
            "[[...]]",
            "[1, 2, ...]",
            "\\ldots",
            "let x = 1; // unchanged",
            "x = f(y)  # same as before",
            "keep(); // (unchanged)",
            "let url = \"http://... existing code ...\";",
            "    \"  # ... rest of the file ...\",",
            "Such a line is `// ... existing code ...`, or one like it.",
            "A line such as // ... existing code ... is refused.",
            "f(a, /* ... */);",
            "x = 1  # ...",
            "print(\"%d of %s\" % (truncated))",
            "git checkout -- ...",
            "log(\"text [truncated]\")",
            "see [the rest](unchanged.md)",
            "<Trans>{/* a comment */}</Trans>",
            "50\\% rest unchanged",
            "color: #fff; /* same as before */",
        ] {
            assert_eq!(placeholder(line), None, "{line}");
        }
    }

    #[test]
    fn a_comment_behind_code_stands_for_text_too() {
        for (line, mark) in [
            ("foo(); // ... existing code ...", "// ... existing code ..."),
            ("foo();// ... existing code ...", "// ... existing code ..."),
            ("return x  # ... rest of the function", "# ... rest of the function"),
            ("x = 1  # rest unchanged", "# rest unchanged"),
            ("\\section{A} % ... existing content ...", "% ... existing content ..."),
            ("select 1 -- ... existing code ...", "-- ... existing code ..."),
            ("<div>{/* ... existing code ... */}</div>", "/* ... existing code ... */"),
            ("<div>{/* ... */}</div>", "/* ... */"),
            ("<p>a</p> <!-- rest of the page unchanged -->", "<!-- rest of the page unchanged -->"),
            ("function f() { /* ... */ }", "/* ... */"),
            ("if x:  # ...", "# ..."),
            ("y = \"http://a\"; // ... existing code ...", "// ... existing code ..."),
            ("the last words [truncated]", "[truncated]"),
            ("the last words...[... truncated ...]", "[... truncated ...]"),
        ] {
            assert_eq!(placeholder(line), Some(mark), "{line}");
        }
    }

    #[test]
    fn lines_may_end_in_any_way() {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["a", "  // ... existing code ...  ", "b"].join(end);
            assert_eq!(first_placeholder(&text, ""), Some((2, "// ... existing code ...")));
            assert_eq!(first_placeholder(&text, &text), None);
        }
    }

    #[test]
    fn a_line_of_nothing_but_signs_is_looked_at_in_time() {
        for sign in ["/*", "<!--", " #", " %", "[ ", ".[", "//", "{/*", "."] {
            assert_eq!(placeholder(&sign.repeat(200_000)), None, "{sign}");
        }
    }

    #[test]
    fn what_the_old_content_says_too_is_no_placeholder() {
        let old = "f();   // ... existing code ...\n";
        assert_eq!(first_placeholder("f(); // ... existing code ...\n", old), None);
        assert_eq!(
            first_placeholder("// ... existing code ...\n", "`// ... existing code ...`"),
            None
        );
        assert_eq!(first_placeholder("# ...\n", "a # ...b\n"), Some((1, "# ...")));
        assert_eq!(first_placeholder("a\n# ...\n", "b\n  # ...\n"), None);
        assert_eq!(first_placeholder("a\n  # ...\n", "b\n"), Some((2, "# ...")));
    }
}
