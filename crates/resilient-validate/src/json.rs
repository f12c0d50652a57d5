//! JSON and JSON Lines, judged as Python's `json` module judges JSON and in its words.
//!
//! A scanner of our own rather than a parser crate, for two reasons: agents know Python's messages
//! and positions, and nesting must not cost stack. Open containers live in a `Vec`; no value is
//! built. The first error is Python's. After it the scanner takes what was most likely meant and
//! goes on, so that one check tells all errors; where nobody can know what was meant, it stops.
//!
//! Python's decoder silently accepts `NaN`, `Infinity` and repeated keys. They are warnings here.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::findings::Findings;
use crate::lines::Lines;

/// How many characters of a repeated key a warning quotes.
const KEY_MAX: usize = 40;

/// Finds what is wrong in one JSON text.
pub(super) fn check(text: &str) -> Findings {
    let lines = Lines::new(text);
    let mut found = Found::default();
    Scanner { text, at: 0, base: 0, lines: &lines, last: None, found: &mut found }.document();
    found.errors.and(found.warnings)
}

/// Finds what is wrong in each line of a text. A text without a line is well formed.
pub(super) fn check_lines(text: &str) -> Findings {
    let lines = Lines::new(text);
    let mut found = Found::default();
    let mut base = 0;
    for line in text.split_inclusive('\n') {
        let value = line.trim_end_matches(['\n', '\r']);
        if value.trim().is_empty() {
            let message = "Blank line: some readers of JSON Lines refuse it";
            found.warnings.warning(|| lines.warning(base, message));
        } else {
            Scanner { text: value, at: 0, base, lines: &lines, last: None, found: &mut found }
                .document();
        }
        base += line.len();
    }
    found.errors.and(found.warnings)
}

/// Whether a text looks like JSON Lines: its first line is a whole JSON text, and another line begins as one. JSON
/// that goes on after its first line is not whole there.
pub(super) fn has_texts_on_lines(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let is_whole = |line: &str| check(line.trim_end_matches('\r')).errors == 0;
    match (lines.next(), lines.next()) {
        (Some(first), Some(second)) => {
            second.trim_start().starts_with(['{', '[']) && is_whole(first)
        }
        _ => false,
    }
}

/// What was found, errors and warnings apart, so that neither takes the other's room.
#[derive(Default)]
struct Found {
    errors: Findings,
    warnings: Findings,
}

/// Nobody can say how the text was meant to go on.
struct Lost;

struct Scanner<'a, 'f> {
    text: &'a str,
    at: usize,
    /// Where `text` begins in the whole.
    base: usize,
    lines: &'f Lines<'f>,
    /// Where the last error is. What was made up to go on makes no second one there.
    last: Option<usize>,
    found: &'f mut Found,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
    Object,
    Array,
}

/// A container that is not closed yet.
struct Open<'a> {
    container: Container,
    /// The keys so far, and where each was first.
    keys: HashMap<Cow<'a, str>, usize>,
}

/// What stands where a value is due.
enum Value {
    /// A whole one, or none.
    Done,
    /// The beginning of one, whose first value is due; of an object, behind its first key.
    Begun(Container),
}

impl<'a> Scanner<'a, '_> {
    fn document(mut self) {
        // That we are lost has been told as the last error.
        let _: Result<(), Lost> = self.values();
    }

    fn values(&mut self) -> Result<(), Lost> {
        if self.take("\u{feff}") {
            self.fault(0, "Unexpected UTF-8 BOM (decode using utf-8-sig)");
        }
        self.skip_space();
        let mut open: Vec<Open<'a>> = Vec::new();
        loop {
            // Here a value is due.
            if let Value::Begun(container) = self.value(open.is_empty())? {
                open.push(Open { container, keys: HashMap::new() });
                if container == Container::Array || self.key(open.last_mut())? {
                    continue;
                }
            }
            // Here a value is complete: close what ends with it, up to the next one.
            loop {
                self.skip_space();
                let Some(inner) = open.last_mut() else {
                    if self.peek().is_some() {
                        self.fault(self.at, "Extra data");
                    }
                    return Ok(());
                };
                let goes_on = match (inner.container, self.peek()) {
                    (Container::Object, Some(b'}')) | (Container::Array, Some(b']')) => {
                        self.at += 1;
                        open.pop();
                        false
                    }
                    (_, Some(b',')) => self.after_comma(inner)?,
                    _ => {
                        self.fault(self.at, "Expecting ',' delimiter");
                        match (inner.container, self.peek()) {
                            (_, None) => return Err(Lost),
                            (_, Some(b'}' | b']')) => {
                                self.at += 1;
                                open.pop();
                                false
                            }
                            (_, Some(b':')) => {
                                self.at += 1;
                                self.skip_space();
                                true
                            }
                            (Container::Object, Some(b'"')) => self.key(Some(inner))?,
                            (Container::Array, Some(byte)) if begins_value(byte) => true,
                            _ => {
                                self.skip_to(b",]}");
                                false
                            }
                        }
                    }
                };
                if goes_on {
                    break;
                }
            }
        }
    }

    /// Reads a whole scalar or an empty container, or enters a container.
    fn value(&mut self, is_first: bool) -> Result<Value, Lost> {
        let start = self.at;
        match self.peek() {
            Some(b'{') => {
                self.at += 1;
                self.skip_space();
                Ok(if self.take("}") { Value::Done } else { Value::Begun(Container::Object) })
            }
            Some(b'[') => {
                self.at += 1;
                self.skip_space();
                Ok(if self.take("]") { Value::Done } else { Value::Begun(Container::Array) })
            }
            Some(b'"') => self.string().map(|()| Value::Done),
            _ if ["null", "true", "false"].iter().any(|word| self.take(word)) => Ok(Value::Done),
            _ => {
                const NOT_JSON: [&str; 3] = ["NaN", "Infinity", "-Infinity"];
                if let Some(word) = NOT_JSON.iter().find(|word| self.take(word)) {
                    self.warn(start, || format!("{word} is not JSON: many readers refuse it"));
                } else if !self.number() {
                    self.fault(start, "Expecting value");
                    if is_first || self.peek().is_none() {
                        return Err(Lost);
                    }
                    if !matches!(self.peek(), Some(b',' | b']' | b'}')) {
                        self.skip_word(b",]}\n");
                    }
                }
                Ok(Value::Done)
            }
        }
    }

    /// Passes a comma; says whether a value is due, which after a comma too many is not.
    fn after_comma(&mut self, inner: &mut Open<'a>) -> Result<bool, Lost> {
        let comma = self.at;
        self.at += 1;
        self.skip_space();
        match (inner.container, self.peek()) {
            (Container::Object, Some(b'}')) => {
                self.fault(comma, "Illegal trailing comma before end of object");
                Ok(false)
            }
            (Container::Array, Some(b']')) => {
                self.fault(comma, "Illegal trailing comma before end of array");
                Ok(false)
            }
            (Container::Object, _) => self.key(Some(inner)),
            (Container::Array, _) => Ok(true),
        }
    }

    /// Reads a member's name and colon, up to its value; says whether a value is due.
    fn key(&mut self, object: Option<&mut Open<'a>>) -> Result<bool, Lost> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            self.fault(start, "Expecting property name enclosed in double quotes");
            match self.peek() {
                None => return Err(Lost),
                Some(b',' | b']' | b'}') => return Ok(false),
                Some(_) => self.skip_word(b":,]}\n"),
            }
            self.skip_space();
            if !self.take(":") {
                return Ok(false);
            }
            self.skip_space();
            return Ok(true);
        }
        self.string()?;
        let key = self.text.get(start + 1..self.at - 1).map(unescaped);
        if let (Some(object), Some(key)) = (object, key) {
            self.note_key(object, key, start);
        }
        self.skip_space();
        if !self.take(":") {
            self.fault(self.at, "Expecting ':' delimiter");
            match self.peek() {
                None | Some(b',' | b']' | b'}') => return Ok(false),
                Some(b'=') => {
                    self.at += 1;
                    self.take(">");
                }
                Some(_) => {}
            }
        }
        self.skip_space();
        Ok(true)
    }

    fn note_key(&mut self, object: &mut Open<'a>, key: Cow<'a, str>, at: usize) {
        let Some(first) = object.keys.get(&key) else {
            object.keys.insert(key, at);
            return;
        };
        let (lines, first) = (self.lines, self.base + first);
        self.warn(at, || {
            let quoted: String = key.chars().take(KEY_MAX).collect();
            let more = if quoted.len() < key.len() { "..." } else { "" };
            let line = lines.line(first);
            format!(
                "Duplicate key \"{quoted}{more}\", first on line {line}: most readers keep the last"
            )
        });
    }

    fn string(&mut self) -> Result<(), Lost> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                None => {
                    self.fault(start, "Unterminated string starting at");
                    return Err(Lost);
                }
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape(start)?,
                Some(b'\n') => {
                    self.fault(self.at, "Invalid control character at");
                    return self.end_of_cut_string(start);
                }
                Some(0..=0x1f) => {
                    self.fault(self.at, "Invalid control character at");
                    self.at += 1;
                }
                Some(_) => self.at += 1,
            }
        }
    }

    /// Goes on behind a string that runs over the end of its line. Where the next line begins with
    /// a quote or a bracket, the string's own quote was forgotten; else nobody knows where it ends.
    fn end_of_cut_string(&mut self, start: usize) -> Result<(), Lost> {
        let next = self.text.get(self.at..).map(str::trim_start).unwrap_or_default();
        if !next.starts_with(['"', '}', ']']) {
            return Err(Lost);
        }
        let line = self.text.get(start + 1..self.at).unwrap_or_default().trim_end();
        if line.ends_with(',') {
            self.at = start + line.len();
        }
        Ok(())
    }

    fn escape(&mut self, string_start: usize) -> Result<(), Lost> {
        let backslash = self.at;
        self.at += 1;
        match self.peek() {
            None => {
                self.fault(string_start, "Unterminated string starting at");
                return Err(Lost);
            }
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                // Python also wants one more character after the digits, whatever it is.
                let digits = self.bytes().get(self.at..self.at + 5).and_then(|next| next.get(..4));
                if digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                    self.at += 4;
                } else {
                    self.fault(backslash + 1, "Invalid \\uXXXX escape");
                }
            }
            Some(byte) => {
                self.fault(backslash, "Invalid \\escape");
                // What ends a line is looked at again.
                self.at += usize::from(byte > 0x1f);
            }
        }
        Ok(())
    }

    /// Reads the longest number, leaving a malformed tail such as `.` or `e+` for the caller.
    fn number(&mut self) -> bool {
        let start = self.at;
        self.take("-");
        if !self.take("0") && self.digits() == 0 {
            self.at = start;
            return false;
        }
        let whole = self.at;
        if self.take(".") && self.digits() == 0 {
            self.at = whole;
        }
        let mantissa = self.at;
        if self.take("e") || self.take("E") {
            let _sign = self.take("+") || self.take("-");
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

    /// Skips what is no JSON: a text in single quotes, or all up to one of these bytes.
    fn skip_word(&mut self, ends: &[u8]) {
        if self.take("'") {
            self.skip_to(b"'\n");
            if self.take("'") {
                return;
            }
        } else {
            self.at += 1;
        }
        self.skip_to(ends);
    }

    /// Skips up to one of these bytes, or to the end.
    fn skip_to(&mut self, ends: &[u8]) {
        while self.peek().is_some_and(|byte| !ends.contains(&byte)) {
            self.at += 1;
        }
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, word: &str) -> bool {
        let found =
            self.bytes().get(self.at..).is_some_and(|rest| rest.starts_with(word.as_bytes()));
        if found {
            self.at += word.len();
        }
        found
    }

    fn peek(&self) -> Option<u8> {
        self.bytes().get(self.at).copied()
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    fn fault(&mut self, at: usize, message: &str) {
        if self.last.replace(at) != Some(at) {
            self.found.errors.error(|| self.lines.error(self.base + at, message));
        }
    }

    fn warn(&mut self, at: usize, message: impl FnOnce() -> String) {
        self.found.warnings.warning(|| self.lines.warning(self.base + at, message()));
    }
}

fn begins_value(byte: u8) -> bool {
    matches!(byte, b'"' | b'{' | b'[' | b'-') || byte.is_ascii_alphanumeric()
}

/// A key as its readers see it.
fn unescaped(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    let mut units: Vec<u16> = Vec::with_capacity(raw.len());
    let mut rest = raw.chars();
    while let Some(next) = rest.next() {
        let plain = match (next, next == '\\') {
            (_, true) => match rest.next() {
                Some('u') => {
                    let digits = rest.as_str().get(..4).unwrap_or_default();
                    units.extend(u16::from_str_radix(digits, 16));
                    rest = rest.as_str().get(digits.len()..).unwrap_or_default().chars();
                    continue;
                }
                Some('b') => '\u{8}',
                Some('f') => '\u{c}',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some(other) => other,
                None => break,
            },
            (plain, false) => plain,
        };
        units.extend_from_slice(plain.encode_utf16(&mut [0; 2]));
    }
    Cow::Owned(String::from_utf16_lossy(&units))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Item;

    /// Line and message of all that is found.
    fn told(found: Findings) -> Vec<(usize, String)> {
        found.items.into_iter().map(|item| (item.line, item.message)).collect()
    }

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
            let first = check(text).items.into_iter().next();
            assert_eq!(first, Some(Item::error(*line, Some(*col), *message)), "{text:?}");
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
            "{\"a\": {\"b\": [1, 2.5]}, \"c\": false}",
            "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\\ud83d é \u{7f}\"",
        ] {
            assert!(check(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn all_errors_of_a_text_are_told_and_none_that_follows_from_another() {
        for (text, expected) in [
            ("{\n\"a\": nul,\n\"b\": [1,],\n\"c\" 2,\n}", &[2, 3, 4, 4][..]),
            ("{'a': 'b', 'c': True}", &[1, 1, 1, 1]),
            ("[\n1\n2\n3]", &[3, 4]),
            ("[1, 2}", &[1]),
            ("{\"a\": [1, 2}, \"b\": 3]", &[1, 1]),
            ("{\n\"a\": \"b,\n\"c\": 1,\n\"d\": x\n}", &[2, 4]),
            ("{\n\"a\": \"b\n}", &[2]),
            ("{\"a\": \"b\nc\", \"d\": x}", &[1]),
            ("[\"\\x\", \"\\u12\", \"\t\"]", &[1, 1, 1]),
            ("{\"a\" = 1, \"b\" => 2}", &[1, 1]),
            ("{,}", &[1]),
            ("hello, world", &[1]),
            ("[1, 2", &[1]),
            ("{\"a\": {\"b\": [", &[1]),
            ("\u{feff}[1,]", &[1, 1]),
        ] {
            let found: Vec<usize> = told(check(text)).into_iter().map(|(line, _)| line).collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }

    #[test]
    fn what_python_takes_in_silence_is_a_warning() {
        let found = check("{\"a\": NaN,\n\"\\u0061\": [Infinity, -Infinity]}");
        assert_eq!((found.errors, found.warnings), (0, 4));
        let duplicate = "Duplicate key \"a\", first on line 1: most readers keep the last";
        assert!(told(found).contains(&(2, duplicate.to_owned())));
        assert!(check("[{\"a\": 1}, {\"a\": {\"a\": 2}}]").is_empty());
        assert_eq!(check("{\"\\ud83d\\ude00\": 1, \"\u{1f600}\": 2}").warnings, 1);
    }

    #[test]
    fn each_line_of_json_lines_is_a_text() {
        assert!(check_lines("").is_empty());
        assert!(check_lines("{\"a\": 1}\r\n[]\n\"x\"\n").is_empty());
        let found = check_lines("{\"a\": 1,}\n\n{\"a\": 1} {}\n[NaN]\n{\"a\":\n1}");
        assert_eq!((found.errors, found.warnings), (4, 2));
        let lines: Vec<usize> = told(found).into_iter().map(|(line, _)| line).collect();
        assert_eq!(lines, [1, 3, 5, 6, 2, 4]);
    }

    #[test]
    fn many_errors_are_counted() {
        let found = check(&format!("[{}1]", "x,".repeat(1_000)));
        assert_eq!((found.items.len(), found.errors), (50, 1_000));
    }

    #[test]
    fn hostile_input_is_read_in_linear_time() {
        for piece in [
            "{", "{\"a\":", "{\"", "[1,", "'", "\"\n", "\"a\"\n", "{'a", "}", "]:", ",", "\\",
            "x\n",
        ] {
            for start in ["", "[", "{"] {
                check(&(start.to_owned() + &piece.repeat(20_000)));
                check_lines(&(start.to_owned() + &piece.repeat(20_000)));
            }
        }
    }

    #[test]
    fn nesting_costs_no_stack() {
        let depth = 200_000;
        assert!(check(&("[".repeat(depth) + &"]".repeat(depth))).is_empty());
        let unclosed = check(&"[".repeat(depth)).items;
        assert_eq!(unclosed, [Item::error(1, Some(depth + 1), "Expecting value")]);
        assert!(check(&("{\"a\":".repeat(depth) + "1" + &"}".repeat(depth))).is_empty());
    }
}
