//! TOML, as the `toml` crate reads it: grammar, values and repeated keys.
//!
//! The crate bounds the nesting of arrays, inline tables and dotted keys itself.

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue};

use crate::findings::Findings;
use crate::lines::Lines;
use crate::report::Item;

/// Finds what is wrong; the parser goes on after an error. Of a line, the first error is told.
pub(super) fn check(text: &str) -> Findings {
    let (table, mut errors) = DeTable::parse_recoverable(text);
    let lines = Lines::new(text);
    let mut found = Findings::default();
    if errors.is_empty() {
        for at in numbers_without_digits(table.get_ref()) {
            found.error(|| lines.error(at, "invalid number, expected digits"));
        }
        return found;
    }
    errors.sort_by_key(|error| error.span().map(|span| span.start));
    let mut last = None;
    for error in errors {
        let at = error.span().map(|span| span.start);
        let line = at.map(|at| lines.line(at));
        if line.is_some() && line == last {
            continue;
        }
        last = line;
        found.error(|| {
            // The message is one line per fact; an item is one line.
            let message = error.message().lines().collect::<Vec<_>>().join(", ");
            match at {
                Some(at) => lines.error(at, message),
                None => Item::error(1, None, message),
            }
        });
    }
    found
}

/// Where each `0x`, `0o` or `0b` with nothing behind it is, which the crate lets pass.
fn numbers_without_digits(table: &DeTable<'_>) -> Vec<usize> {
    let mut found = Vec::new();
    let mut ahead: Vec<&Spanned<DeValue<'_>>> = table.values().collect();
    while let Some(value) = ahead.pop() {
        match value.get_ref() {
            DeValue::Integer(integer) if integer.as_str().is_empty() => {
                found.push(value.span().start);
            }
            DeValue::Array(items) => ahead.extend(items.iter()),
            DeValue::Table(table) => ahead.extend(table.values()),
            _ => {}
        }
    }
    found.sort_unstable();
    found
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
            "# comment\n",
            "a = 1\r\nb = 'x'\r\n",
            "\u{feff}a = 1\n",
            "[a.b]\nc = [1, 2]\n[[d]]\ne = { f = 1979-05-27T07:32:00Z }\n",
            "s = \"\"\"\nlong\n\"\"\"\n",
        ] {
            assert!(check(text).is_empty(), "{text:?}");
        }
    }

    #[test]
    fn the_first_error_is_where_it_starts() {
        let twice = check("a = 1\na = 2\n").items;
        assert_eq!(twice, [Item::error(2, Some(1), "duplicate key")]);
        assert_eq!(place("[a]\n[a]\n"), Some((2, Some(2))));
        assert_eq!(place("a = \n"), Some((1, Some(5))));
        assert_eq!(place("a 1\n"), Some((1, Some(3))));
        assert_eq!(place("a = 1\nb = \"x\n"), Some((2, Some(7))));
        assert_eq!(place("\"é\" = [1, \n"), Some((1, Some(10))));
    }

    #[test]
    fn a_number_needs_digits() {
        assert_eq!(place("a = 0x\n"), Some((1, Some(5))));
        assert_eq!(place("a = 0xg\n"), Some((1, Some(7))));
        assert_eq!(place("b = 1\n[t]\na = [1, {x = 0b}]\nb = 0o\n"), Some((3, Some(14))));
        assert!(check("a = 0x0\nb = 99999999999999999999\n").is_empty());
    }

    #[test]
    fn all_errors_of_a_text_are_told() {
        let found = check("a = \nb = 1\n[t\nc = 2\ne 4\nf = [1, 2]\n");
        let lines: Vec<usize> = found.items.iter().map(|item| item.line).collect();
        assert_eq!(lines, [1, 3, 5], "{:?}", found.items);
        let numbers = check("a = 0x\nb = 1\nc = [0o]\n");
        assert_eq!(numbers.errors, 2);
    }

    #[test]
    fn hostile_nesting_is_refused_without_using_stack() {
        for text in [
            "a=".to_owned() + &"[".repeat(100_000),
            "a=".to_owned() + &"{a=".repeat(100_000),
            "a.".repeat(100_000) + "b=1",
            "[".to_owned() + &"a.".repeat(100_000) + "b]",
            "[".repeat(100_000),
        ] {
            assert!(!check(&text).is_empty());
        }
    }
}
