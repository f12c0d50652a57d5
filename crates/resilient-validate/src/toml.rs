//! TOML, as the `toml` crate reads it: grammar, values and repeated keys.
//!
//! The crate bounds the nesting of arrays, inline tables and dotted keys itself.

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue};

use crate::lines::Lines;
use crate::report::Item;

/// Finds the first error, if there is one.
pub(super) fn check(text: &str) -> Option<Item> {
    let error = match DeTable::parse(text) {
        Ok(table) => {
            let at = number_without_digits(table.get_ref())?;
            return Some(Lines::new(text).error(at, "invalid number, expected digits"));
        }
        Err(error) => error,
    };
    // The message is one line per fact; an item is one line.
    let message = error.message().lines().collect::<Vec<_>>().join(", ");
    Some(match error.span() {
        Some(span) => Lines::new(text).error(span.start, message),
        None => Item::error(1, None, message),
    })
}

/// Where the first `0x`, `0o` or `0b` with nothing behind it is, which the crate lets pass.
fn number_without_digits(table: &DeTable<'_>) -> Option<usize> {
    let mut first: Option<usize> = None;
    let mut ahead: Vec<&Spanned<DeValue<'_>>> = table.values().collect();
    while let Some(value) = ahead.pop() {
        match value.get_ref() {
            DeValue::Integer(integer) if integer.as_str().is_empty() => {
                let at = value.span().start;
                first = Some(first.map_or(at, |first| first.min(at)));
            }
            DeValue::Array(items) => ahead.extend(items.iter()),
            DeValue::Table(table) => ahead.extend(table.values()),
            _ => {}
        }
    }
    first
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
            "# comment\n",
            "a = 1\r\nb = 'x'\r\n",
            "\u{feff}a = 1\n",
            "[a.b]\nc = [1, 2]\n[[d]]\ne = { f = 1979-05-27T07:32:00Z }\n",
            "s = \"\"\"\nlong\n\"\"\"\n",
        ] {
            assert_eq!(check(text), None, "{text:?}");
        }
    }

    #[test]
    fn the_first_error_is_where_it_starts() {
        assert_eq!(check("a = 1\na = 2\n"), Some(Item::error(2, Some(1), "duplicate key")));
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
        assert_eq!(check("a = 0x0\nb = 99999999999999999999\n"), None);
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
            assert!(check(&text).is_some());
        }
    }
}
