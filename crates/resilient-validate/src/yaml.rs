//! YAML, read for its syntax alone.
//!
//! The events of the same parser that reads our policy files are drained and thrown away, so no
//! value is built, aliases are not expanded and repeated keys and unknown tags are no concern. The
//! parser keeps its own state stack and refuses more than 255 open collections.
//!
//! The parser ends at its first error. The check begins anew behind it, where the next entry of the
//! outermost collection begins. What is there can be judged by itself, except for its aliases.

use granit_parser::{ErrorKind, Event, Parser, ScanError, StructureStyle};

use crate::findings::Findings;
use crate::lines::Lines;
use crate::report::Item;

/// How many bytes are read again, in all, to find further errors: the parser may have been at the end
/// of the text when it gave up.
const AGAIN_MAX: usize = 32 << 20;

/// Finds what is wrong. The start of a second document is a warning: some readers take one only.
pub(super) fn check(text: &str) -> Findings {
    let lines = Lines::new(text);
    let entry = first_entry(text);
    let mut found = Findings::default();
    let mut documents = 0;
    let mut from = 0;
    let mut budget = AGAIN_MAX;
    while let Some((item, is_alias)) =
        first_error(text.get(from..).unwrap_or_default(), &mut documents, &mut found, || {
            lines.line(from) - 1
        })
    {
        let line = item.line;
        // What an alias names may be in front of what was read again.
        if from == 0 || !is_alias {
            found.error(|| item);
        }
        let Some(next) = next_entry(&lines, line, entry) else { break };
        let Some(left) = budget.checked_sub(text.len() - next) else { break };
        (from, budget) = (next, left);
    }
    found
}

/// What the entries of the outermost collection begin with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Entry {
    /// `- `.
    Dash,
    /// Anything else.
    Key,
}

impl Entry {
    /// What this line begins, if it begins an entry or a document.
    fn of(line: &str) -> Option<Self> {
        let first = line.chars().next()?;
        if first.is_whitespace() || matches!(first, '#' | '%' | ']' | '}' | ',') {
            return None;
        }
        let is_dash = line == "-" || line.starts_with("- ");
        Some(if is_dash { Self::Dash } else { Self::Key })
    }

    fn is_document(line: &str) -> bool {
        line == "---" || line.starts_with("--- ") || line == "..."
    }
}

/// The kind of the first entry that is not indented.
fn first_entry(text: &str) -> Option<Entry> {
    let mut lines = text.lines().map(|line| line.trim_start_matches('\u{feff}'));
    lines.find(|line| !Entry::is_document(line) && Entry::of(line).is_some()).and_then(Entry::of)
}

/// Where the first entry after this line begins.
fn next_entry(lines: &Lines<'_>, after: usize, entry: Option<Entry>) -> Option<usize> {
    let entry = entry?;
    (after + 1..=lines.count()).find_map(|number| {
        let start = lines.start(number)?;
        let line = lines.after(start).lines().next()?;
        (!Entry::is_document(line) && Entry::of(line) == Some(entry)).then_some(start)
    })
}

/// The first error of a part of the text, in lines of the whole, and whether it is of an alias.
fn first_error(
    text: &str,
    documents: &mut usize,
    found: &mut Findings,
    lines_before: impl Fn() -> usize,
) -> Option<(Item, bool)> {
    let moved = |item: Item| Item { line: item.line + lines_before(), ..item };
    if *documents > 0 {
        *documents -= 1;
    }
    for event in Parser::new_from_str(text) {
        let (event, span) = match event {
            Ok(event) => event,
            Err(error) => {
                let is_alias = matches!(error.kind(), ErrorKind::UnknownAnchor);
                return Some((moved(fault(text, &error)), is_alias));
            }
        };
        match event {
            Event::DocumentStart(..) => {
                *documents += 1;
                if *documents == 2 {
                    let message = "a second document begins: some readers take one only";
                    let (line, col) = (span.start.line().max(1), span.start.col() + 1);
                    found.warning(|| moved(Item::warning(line, Some(col), message)));
                }
            }
            Event::MappingStart(StructureStyle::Block, ..)
            | Event::SequenceStart(StructureStyle::Block, ..) => {
                // The parser counts a tab as a column where it measures how far in a collection
                // is; YAML 1.2, section 6.1, has spaces only.
                if let Some(tab) = span.start.byte_offset().and_then(|at| tab_before(text, at)) {
                    return Some((moved(tabbed(text, tab)), false));
                }
            }
            _ => {}
        }
    }
    None
}

/// The parser's error, but where a tab is at fault, that tab.
fn fault(text: &str, error: &ScanError) -> Item {
    let mark = error.marker();
    let tab = mark.byte_offset().and_then(|at| match error.kind() {
        // What is marked is the start of the scalar.
        ErrorKind::TabInPlainScalar | ErrorKind::TabAtBlockScalarStart => {
            text.get(at..)?.find('\t').map(|distance| at + distance)
        }
        _ => tab_before(text, at),
    });
    match tab {
        Some(tab) => tabbed(text, tab),
        None => item(mark.line(), mark.col(), error.info()),
    }
}

/// The first tab of the blanks that end at this offset.
fn tab_before(text: &str, at: usize) -> Option<usize> {
    let before = text.get(..at)?;
    let blanks = before.trim_end_matches([' ', '\t']).len();
    before.get(blanks..)?.find('\t').map(|distance| blanks + distance)
}

fn tabbed(text: &str, tab: usize) -> Item {
    Lines::new(text).error(tab, "found a tab where only spaces can indent")
}

fn item(line: usize, columns_before: usize, message: impl Into<String>) -> Item {
    Item::error(line.max(1), Some(columns_before + 1), message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Option<(usize, Option<usize>)> {
        check(text).items.first().map(|item| (item.line, item.col))
    }

    #[test]
    fn well_formed_documents_have_no_error() {
        for text in [
            "",
            "\n",
            "# only a comment\n",
            "---\n",
            "a: 1\nb:\n  - x\n  - {c: d, e: [f]}\n...\n",
            "a: 1\na: 2\n",
            "a: &x {b: 1}\nc:\n  <<: *x\nd: *x\n",
            "a: !custom b\nc: !!python/name:os.system x\n",
            "a: |\n  text: [\n",
            "%YAML 1.2\n---\na: 1\n",
            "\u{feff}a: 1\r\nb: 2\r\n",
        ] {
            assert!(check(text).is_empty(), "{text:?}");
        }
    }

    #[test]
    fn the_first_error_is_at_the_mark_of_the_parser() {
        assert_eq!(place("a: b: c\n"), Some((1, Some(5))));
        assert_eq!(place("a:\n  b: 1\n c: 2\n"), Some((3, Some(2))));
        assert_eq!(place("a: @x\n"), Some((1, Some(4))));
        assert_eq!(place("a: *b\n"), Some((1, Some(4))));
        assert_eq!(place("é: [\n"), Some((1, Some(4))));
        assert!(!check("a: b: c\n").items[0].message.is_empty());
    }

    #[test]
    fn a_tab_that_indents_is_an_error_at_its_place() {
        for (text, line, col) in [
            ("\ta: 1", 1, 1),
            ("\t- x", 1, 1),
            ("\t? a\n", 1, 1),
            ("\t&x a: 1", 1, 1),
            ("---\n\ta: 1\n", 2, 1),
            ("a:\n\tb: 1\n", 2, 1),
            ("a:\n  \tb: 1\n", 2, 3),
            ("a:\r\n \t - x\r\n", 2, 2),
            ("-\ta: 1\n", 1, 2),
            ("- \t- x", 1, 3),
            ("- a: 1\n\tb: 2\n", 2, 1),
            ("a: {\n\tb: 1\n}", 2, 1),
            ("a: |\n\tx\n", 2, 1),
        ] {
            let expected = Item::error(line, Some(col), "found a tab where only spaces can indent");
            assert_eq!(check(text).items.first(), Some(&expected), "{text:?}");
        }
    }

    #[test]
    fn a_tab_that_separates_is_none() {
        for text in [
            "\tx",
            "\t[a]",
            "\t# comment\na: 1\n",
            "a:\t1\t# comment\n\t\nb: x\ty\n",
            "-\tx\n",
            "{\n\ta: 1\n}",
            "a: |\n \tx\n",
            "a: '\n \tx'\n",
        ] {
            assert!(check(text).is_empty(), "{text:?}");
        }
    }

    #[test]
    fn a_second_document_is_a_warning() {
        let message = "a second document begins: some readers take one only";
        for text in ["a: 1\n---\nb: 2\n", "---\n---\n", "a: 1\n---\nb: 2\n---\nc: 3\n"] {
            let found = check(text);
            assert_eq!(found.items, [Item::warning(2, Some(1), message)], "{text:?}");
        }
        let found = check("a: 1\n---\nb: c: d\n");
        assert_eq!((found.errors, found.warnings), (1, 1));
    }

    #[test]
    fn all_errors_of_a_text_are_told_and_none_that_follows_from_another() {
        for (text, expected) in [
            ("a: b: c\nd: 1\ne: @x\nf: 2\n", &[1, 3][..]),
            ("a:\n  - b: c: d\n  - e: @\nf:\n\tg: 1\nh: 3\n", &[2, 5]),
            ("- a: b: c\n- d\n- @\n", &[1, 3]),
            ("items:\n- a: b: c\n- d\nother: 1\nmore: @\n", &[2, 5]),
            ("a: &x 1\nb: @\nc: *x\nd: *y\n", &[2]),
            ("a: [1, 2\nb: 3\n", &[2]),
            ("a: b: c\n---\nd: e: f\n", &[1, 3]),
        ] {
            let lines: Vec<usize> = check(text).items.iter().map(|item| item.line).collect();
            assert_eq!(lines, expected, "{text:?} {:?}", check(text).items);
        }
    }

    #[test]
    fn hostile_nesting_is_refused_without_using_stack() {
        for piece in ["[", "{a: ", "- ", "? ", "&a ", "*", "!", "%", "'", ":", "[a, "] {
            check(&piece.repeat(100_000));
        }
        assert_eq!(check(&"[".repeat(100_000)).items[0].line, 1);
        let indented: String = (0..2000).map(|depth| " ".repeat(depth) + "a:\n").collect();
        assert_eq!(check(&indented).items[0].line, 256);
        check(&"a: \"\n".repeat(50_000));
        check(&"a: b: c\n".repeat(50_000));
    }
}
