//! YAML: one document, read for its syntax alone.
//!
//! The events of the same parser that reads our policy files are drained and thrown away, so no
//! value is built, aliases are not expanded and repeated keys and unknown tags are no concern. The
//! parser keeps its own state stack and refuses more than 255 open collections.

use granit_parser::{Event, Parser};

use super::Item;

/// Finds the first error, if there is one. The start of a second document is one.
pub(super) fn check(text: &str) -> Option<Item> {
    let mut documents = 0;
    for event in Parser::new_from_str(text) {
        let (mark, message) = match event {
            Ok((Event::DocumentStart(..), span)) => {
                documents += 1;
                if documents < 2 {
                    continue;
                }
                (span.start, "expected a single document, found the start of another".to_owned())
            }
            Ok(_) => continue,
            Err(error) => (*error.marker(), error.info()),
        };
        return Some(Item::error(mark.line().max(1), Some(mark.col() + 1), message));
    }
    None
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
        assert_eq!(place("a:\n\tb: 1\n"), Some((2, Some(2))));
        assert_eq!(place("a:\n  b: 1\n c: 2\n"), Some((3, Some(2))));
        assert_eq!(place("a: @x\n"), Some((1, Some(4))));
        assert_eq!(place("a: *b\n"), Some((1, Some(4))));
        assert_eq!(place("é: [\n"), Some((1, Some(4))));
        assert!(!check("a: b: c\n").unwrap().message.is_empty());
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
