//! YAML: one document, read for its syntax alone.
//!
//! The events of the same parser that reads our policy files are drained and thrown away, so no
//! value is built, aliases are not expanded and repeated keys and unknown tags are no concern. The
//! parser keeps its own state stack and refuses more than 255 open collections.

use granit_parser::{ErrorKind, Event, Parser, ScanError, StructureStyle};

use crate::lines::Lines;
use crate::report::Item;

/// Finds the first error, if there is one. The start of a second document is one.
pub(super) fn check(text: &str) -> Option<Item> {
    let mut documents = 0;
    for event in Parser::new_from_str(text) {
        let (event, span) = match event {
            Ok(event) => event,
            Err(error) => return Some(fault(text, &error)),
        };
        match event {
            Event::DocumentStart(..) => {
                documents += 1;
                if documents == 2 {
                    let message = "expected a single document, found the start of another";
                    return Some(item(span.start.line(), span.start.col(), message));
                }
            }
            Event::MappingStart(StructureStyle::Block, ..)
            | Event::SequenceStart(StructureStyle::Block, ..) => {
                // The parser counts a tab as a column where it measures how far in a collection
                // is; YAML 1.2, section 6.1, has spaces only.
                if let Some(tab) = span.start.byte_offset().and_then(|at| tab_before(text, at)) {
                    return Some(tabbed(text, tab));
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
        check(text).map(|item| (item.line, item.col))
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
            assert_eq!(check(text), None, "{text:?}");
        }
    }

    #[test]
    fn the_first_error_is_at_the_mark_of_the_parser() {
        assert_eq!(place("a: b: c\n"), Some((1, Some(5))));
        assert_eq!(place("a:\n  b: 1\n c: 2\n"), Some((3, Some(2))));
        assert_eq!(place("a: @x\n"), Some((1, Some(4))));
        assert_eq!(place("a: *b\n"), Some((1, Some(4))));
        assert_eq!(place("é: [\n"), Some((1, Some(4))));
        assert!(!check("a: b: c\n").unwrap().message.is_empty());
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
            assert_eq!(check(text), Some(expected), "{text:?}");
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
            assert_eq!(check(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_second_document_is_an_error() {
        let message = "expected a single document, found the start of another";
        assert_eq!(check("a: 1\n---\nb: 2\n"), Some(Item::error(2, Some(1), message)));
        assert_eq!(check("---\n---\n"), Some(Item::error(2, Some(1), message)));
    }

    #[test]
    fn hostile_nesting_is_refused_without_using_stack() {
        for piece in ["[", "{a: ", "- ", "? ", "&a ", "*", "!", "%", "'", ":", "[a, "] {
            check(&piece.repeat(100_000));
        }
        assert_eq!(check(&"[".repeat(100_000)).map(|item| item.line), Some(1));
        let indented: String = (0..2000).map(|depth| " ".repeat(depth) + "a:\n").collect();
        assert_eq!(check(&indented).map(|item| item.line), Some(256));
    }
}
