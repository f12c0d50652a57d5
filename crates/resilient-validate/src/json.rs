//! JSON, judged as Python's `json` module judges it and in its words.
//!
//! A scanner of our own rather than a parser crate, for two reasons: agents know Python's messages
//! and positions, and nesting must not cost stack. Open containers live in a `Vec`; no value is
//! built. `NaN`, `Infinity` and `-Infinity` are accepted, and so are repeated keys.

use crate::lines::Lines;
use crate::report::Item;

/// Finds the first error, if there is one.
pub(super) fn check(text: &str) -> Option<Item> {
    let (message, offset) = Scanner { bytes: text.as_bytes(), at: 0 }.document().err()?;
    Some(Lines::new(text).error(offset, message))
}

/// A message and the byte offset it speaks of.
type Fault = (&'static str, usize);

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

#[derive(Clone, Copy)]
enum Container {
    Object,
    Array,
}

impl Scanner<'_> {
    fn document(mut self) -> Result<(), Fault> {
        if self.bytes.starts_with("\u{feff}".as_bytes()) {
            return Err(("Unexpected UTF-8 BOM (decode using utf-8-sig)", 0));
        }
        self.skip_space();
        let mut open = Vec::new();
        loop {
            // Here a value is due.
            if let Some(container) = self.value()? {
                open.push(container);
                continue;
            }
            // Here a value is complete: close what ends with it, up to the next comma.
            loop {
                self.skip_space();
                let Some(container) = open.last().copied() else {
                    return if self.peek().is_none() {
                        Ok(())
                    } else {
                        Err(("Extra data", self.at))
                    };
                };
                match (container, self.peek()) {
                    (Container::Object, Some(b'}')) | (Container::Array, Some(b']')) => {
                        self.at += 1;
                        open.pop();
                    }
                    (_, Some(b',')) => {
                        self.after_comma(container)?;
                        break;
                    }
                    _ => return Err(("Expecting ',' delimiter", self.at)),
                }
            }
        }
    }

    /// Reads a whole scalar or an empty container, or enters a container up to its first value.
    fn value(&mut self) -> Result<Option<Container>, Fault> {
        match self.peek() {
            Some(b'{') => {
                self.at += 1;
                self.skip_space();
                if self.take(b"}") {
                    return Ok(None);
                }
                self.key()?;
                Ok(Some(Container::Object))
            }
            Some(b'[') => {
                self.at += 1;
                self.skip_space();
                if self.take(b"]") {
                    return Ok(None);
                }
                Ok(Some(Container::Array))
            }
            Some(b'"') => self.string().map(|()| None),
            _ => {
                const WORDS: [&[u8]; 6] =
                    [b"null", b"true", b"false", b"NaN", b"Infinity", b"-Infinity"];
                if WORDS.iter().any(|word| self.take(word)) || self.number() {
                    Ok(None)
                } else {
                    Err(("Expecting value", self.at))
                }
            }
        }
    }

    fn after_comma(&mut self, container: Container) -> Result<(), Fault> {
        let comma = self.at;
        self.at += 1;
        self.skip_space();
        match (container, self.peek()) {
            (Container::Object, Some(b'}')) => {
                Err(("Illegal trailing comma before end of object", comma))
            }
            (Container::Array, Some(b']')) => {
                Err(("Illegal trailing comma before end of array", comma))
            }
            (Container::Object, _) => self.key(),
            (Container::Array, _) => Ok(()),
        }
    }

    /// Reads a member's name and colon, up to its value.
    fn key(&mut self) -> Result<(), Fault> {
        if self.peek() != Some(b'"') {
            return Err(("Expecting property name enclosed in double quotes", self.at));
        }
        self.string()?;
        self.skip_space();
        if !self.take(b":") {
            return Err(("Expecting ':' delimiter", self.at));
        }
        self.skip_space();
        Ok(())
    }

    fn string(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                None => return Err(("Unterminated string starting at", start)),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape(start)?,
                Some(0..=0x1f) => return Err(("Invalid control character at", self.at)),
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self, string_start: usize) -> Result<(), Fault> {
        let backslash = self.at;
        self.at += 1;
        match self.peek() {
            None => Err(("Unterminated string starting at", string_start)),
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 1;
                Ok(())
            }
            Some(b'u') => {
                self.at += 1;
                // Python also wants one more character after the digits, whatever it is.
                let digits = self.bytes.get(self.at..self.at + 5).and_then(|next| next.get(..4));
                if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                    return Err(("Invalid \\uXXXX escape", backslash + 1));
                }
                self.at += 4;
                Ok(())
            }
            Some(_) => Err(("Invalid \\escape", backslash)),
        }
    }

    /// Reads the longest number, leaving a malformed tail such as `.` or `e+` for the caller.
    fn number(&mut self) -> bool {
        let start = self.at;
        self.take(b"-");
        if !self.take(b"0") && self.digits() == 0 {
            self.at = start;
            return false;
        }
        let whole = self.at;
        if self.take(b".") && self.digits() == 0 {
            self.at = whole;
        }
        let mantissa = self.at;
        if self.take(b"e") || self.take(b"E") {
            let _sign = self.take(b"+") || self.take(b"-");
            if self.digits() == 0 {
                self.at = mantissa;
            }
        }
        true
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, word: &[u8]) -> bool {
        let found = self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(word));
        if found {
            self.at += word.len();
        }
        found
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected values are what Python 3.13 says.
    const FAULTS: &[(&str, usize, usize, &str)] = &[
        ("", 1, 1, "Expecting value"),
        ("  \n ", 2, 2, "Expecting value"),
        ("{\"key\":}", 1, 8, "Expecting value"),
        ("[1,,2]", 1, 4, "Expecting value"),
        ("[", 1, 2, "Expecting value"),
        ("[1,", 1, 4, "Expecting value"),
        ("nul", 1, 1, "Expecting value"),
        ("-", 1, 1, "Expecting value"),
        (".5", 1, 1, "Expecting value"),
        ("+1", 1, 1, "Expecting value"),
        ("'a'", 1, 1, "Expecting value"),
        ("[1 2]", 1, 4, "Expecting ',' delimiter"),
        ("[1}", 1, 3, "Expecting ',' delimiter"),
        ("{\"a\": 1", 1, 8, "Expecting ',' delimiter"),
        ("{\"a\": 1\n \"b\": 2}", 2, 2, "Expecting ',' delimiter"),
        ("{\"a\" 1}", 1, 6, "Expecting ':' delimiter"),
        ("{a: 1}", 1, 2, "Expecting property name enclosed in double quotes"),
        ("{", 1, 2, "Expecting property name enclosed in double quotes"),
        ("{\"a\": 1, 2}", 1, 10, "Expecting property name enclosed in double quotes"),
        ("{\"a\": 1, }", 1, 8, "Illegal trailing comma before end of object"),
        ("[1, 2, ]", 1, 6, "Illegal trailing comma before end of array"),
        ("{} x", 1, 4, "Extra data"),
        ("{\"é\": 1}}", 1, 9, "Extra data"),
        ("01", 1, 2, "Extra data"),
        ("1.", 1, 2, "Extra data"),
        ("1e+", 1, 2, "Extra data"),
        ("[\"abc", 1, 2, "Unterminated string starting at"),
        ("\"abc\\", 1, 1, "Unterminated string starting at"),
        ("\"a\tb\"", 1, 3, "Invalid control character at"),
        ("{\"a\": \"b\n\"}", 1, 9, "Invalid control character at"),
        ("\"a\\x\"", 1, 3, "Invalid \\escape"),
        ("\"\\u12g4\"", 1, 3, "Invalid \\uXXXX escape"),
        ("\"\\u1234", 1, 3, "Invalid \\uXXXX escape"),
        ("\u{feff}{}", 1, 1, "Unexpected UTF-8 BOM (decode using utf-8-sig)"),
    ];

    #[test]
    fn faults_are_told_in_the_words_and_places_of_python() {
        for (text, line, col, message) in FAULTS {
            assert_eq!(check(text), Some(Item::error(*line, Some(*col), *message)), "{text:?}");
        }
    }

    #[test]
    fn well_formed_texts_have_no_error() {
        for text in [
            "null",
            " true\n",
            "-0.5e-10",
            "1E5",
            "0",
            "[]",
            "{ }",
            "[[], {}, \"\", [1, [2]]]",
            "{\"a\": {\"b\": [1, 2.5]}, \"a\": false}",
            "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\\ud83d é \u{7f}\"",
            "[NaN, Infinity, -Infinity]",
        ] {
            assert_eq!(check(text), None, "{text}");
        }
    }

    #[test]
    fn nesting_costs_no_stack() {
        let depth = 1_000_000;
        assert_eq!(check(&("[".repeat(depth) + &"]".repeat(depth))), None);
        assert_eq!(
            check(&"[".repeat(depth)),
            Some(Item::error(1, Some(depth + 1), "Expecting value"))
        );
        assert_eq!(check(&("{\"a\":".repeat(depth) + "1" + &"}".repeat(depth))), None);
    }
}
