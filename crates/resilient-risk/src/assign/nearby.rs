//! A password in the statement that a word for one is in, where no sign assigns it at once: what a call takes beside the word,
//! one of two cases, what stands for nothing, the value of a declaration.
//!
//! `getByLabel('Password').fill('…')`, `dev ? "a" : "…"`, `getenv("DB_PASSWORD").orElse("…")`, `"password": {"default": "…"}`

use std::ops::Range;

use memchr::{memchr, memchr_iter, memmem, memrchr, memrchr2};

use super::super::keywords::{Keyword, KeywordHit};
use super::super::tables::STRONG_SECRET_WORDS;
use super::super::token::TokenStats;
use super::super::work;
use super::judge::{Stand, is_password};
use super::literal::Opening;
use super::name::{is_of_other, names_field};
use super::shape::{is_memorable, is_name, is_slug};
use super::{Claimed, ValueHit, line_around, near, row};

/// A statement is read so far behind the word, and a value that stands before it is so near.
const STATEMENT_MAX: usize = 400;

/// So many lines of it are read.
const LINES_MAX: usize = 8;

/// What an argument, an attribute or an entry is called whose value is that of what stands beside it.
const VALUES: [&[u8]; 8] = [
    b"value",
    b"default",
    b"defaultvalue",
    b"default_value",
    b"parametervalue",
    b"with",
    b"string",
    b"body",
];

/// Takes the passwords of the statement that a word is in. A word before `done` is in a statement that was read.
pub(super) fn find(text: &[u8], said: KeywordHit, done: &mut usize, claims: &mut impl Claimed) {
    let KeywordHit { word, end, .. } = said;
    let is_one = match word {
        Keyword::Password => names_password(near(text, end, 6)),
        // `db_pw.send_keys(…)`
        Keyword::ShortPassword => near(text, end, 1) == b".",
        Keyword::Secret => true,
        _ => false,
    };
    if !is_one || end < *done {
        return;
    }
    let is_field = names_field(text, end);
    if !is_field && is_of_other(text, said) {
        return;
    }
    let mut statement = Statement::around(text, said);
    while let Some(Found { span, is_direct }) = statement.next() {
        let span = without_key(text, span);
        let value = text.get(span.clone()).unwrap_or_default();
        // Of a field the value may be the name of an element.
        let is_other = || is_name(value) || is_field && is_slug(value);
        let is_direct = is_direct && (statement.is_assigned || word == Keyword::Password);
        let fits = !is_other() && (is_direct || is_said(value)) && !is_written(value);
        if fits && is_password(value, Stand::Literal, Keyword::Password) && claims.is_free(&span) {
            claims.claim(ValueHit { family: "generic_secret", name: "assigned_password", span });
        }
    }
    *done = statement.at;
}

/// Tells whether what a word for passwords goes on with makes it one, and not another that begins so: `passValue`.
fn names_password(rest: &[u8]) -> bool {
    const REST: [&[u8]; 3] = [b"word", b"wd", b"phrase"];
    let goes_on =
        |word: &&[u8]| rest.get(..word.len()).is_some_and(|rest| rest.eq_ignore_ascii_case(word));
    !rest.first().is_some_and(u8::is_ascii_alphabetic) || REST.iter().any(goes_on)
}

/// Tells whether a value shows by itself that it is a password: people choose it so, or chance has drawn it.
fn is_said(value: &[u8]) -> bool {
    let stats = TokenStats::of(value);
    let is_drawn =
        || stats.is_drawn() && stats.lower > 0 && !stats.is_hexadecimal() && !is_slug(value);
    // Names of types have dashes, too: `dhSinglePass-sha256kdf`.
    let is_camel = |two: &[u8]| matches!(two, [b'a'..=b'z', b'A'..=b'Z']);
    let has_sign = || value.iter().any(|byte| b"!@#$%^&*~?".contains(byte));
    is_memorable(value) && (has_sign() || !value.windows(2).any(is_camel)) || is_drawn()
}

/// A value without the key at its end that a test strikes: `…{enter}`.
fn without_key(text: &[u8], span: Range<usize>) -> Range<usize> {
    let value = text.get(span.clone()).unwrap_or_default();
    let key = value.strip_suffix(b"}").and_then(|value| Some((memrchr(b'{', value)?, value)));
    match key {
        Some((at, value)) if value.iter().skip(at + 1).all(u8::is_ascii_lowercase) => {
            span.start..span.start + at
        }
        _ => span,
    }
}

/// Tells whether a value has the notation of another thing in it: of bytes, an expression, an address, another literal.
fn is_written(value: &[u8]) -> bool {
    const NOTATIONS: [&[u8]; 11] =
        [b"\\x", b"\\u", b"(?", b"0-9", b"A-Z", b"a-z", b"%2", b"%3", b"\"", b"'", b"`"];
    NOTATIONS.iter().any(|notation| memmem::find(value, notation).is_some())
}

/// A value that belongs to a word.
struct Found {
    span: Range<usize>,
    /// It is one of two that are assigned, or that of a declaration.
    is_direct: bool,
}

/// The rest of a statement, behind a word of it.
struct Statement<'a> {
    text: &'a [u8],
    at: usize,
    end: usize,
    /// Where the word stands.
    word: usize,
    lines: usize,
    /// For each bracket that is open, whether what stands in it belongs to the word.
    outer: Vec<bool>,
    /// Whether the item that is read does.
    is_own: bool,
    /// The sign behind the word's name assigns: the statement ends with its item.
    is_assigned: bool,
    /// The item has the name of a value.
    is_value: bool,
    /// A question was asked, and the sign before its second answer not read.
    is_asked: bool,
}

impl<'a> Statement<'a> {
    fn around(text: &'a [u8], KeywordHit { start, end, .. }: KeywordHit) -> Self {
        let name = end + name_len(text, end);
        let sign = sign_end(text, name);
        let at = match sign {
            Some(sign) => literal_end(text, sign),
            None => quotes_end(text, start, name),
        };
        // `{ value: "…", type: "SecureString" }`
        let opened = if sign.is_none() { opened(text, start, at) } else { None };
        Self {
            text,
            at: opened.unwrap_or(at),
            end: text.len().min(end + STATEMENT_MAX),
            word: start,
            lines: 0,
            outer: if opened.is_some() { vec![false] } else { Vec::new() },
            is_own: opened.is_none(),
            is_assigned: sign.is_some(),
            is_value: false,
            is_asked: false,
        }
    }

    /// The next value that belongs to the word.
    fn next(&mut self) -> Option<Found> {
        let from = self.at;
        let found = self.read();
        work::spend(self.at - from);
        found
    }

    fn read(&mut self) -> Option<Found> {
        let text = self.text.get(..self.end)?;
        while let Some(byte) = text.get(self.at) {
            match byte {
                b'(' | b'[' | b'{' => {
                    self.outer.push(self.is_own);
                    self.is_asked = false;
                    self.is_own &= *byte != b'[' || !self.is_index();
                }
                b')' | b']' | b'}' => {
                    if self.is_assigned && self.outer.is_empty() {
                        return self.stop();
                    }
                    let is_outer = self.outer.pop();
                    self.is_own = self.outer.is_empty() || is_outer.unwrap_or(true);
                    self.is_value = false;
                }
                b',' if self.is_assigned && self.outer.is_empty() => return self.stop(),
                b',' => self.next_item(),
                b';' => return self.stop(),
                b'?' => self.is_asked = true,
                b'\n' if !self.goes_on() => return self.stop(),
                b'"' | b'\'' | b'`' => {
                    let Some(span) = self.literal() else { continue };
                    let is_name = self.name(span.clone());
                    if !is_name && self.is_own {
                        return Some(self.found(span));
                    }
                    if let Some(span) = self.bare(is_name) {
                        return Some(self.found(span));
                    }
                    continue;
                }
                byte if byte.is_ascii_alphabetic() || *byte == b'_' => {
                    let name = self.at..self.at + name_len(text, self.at).max(1);
                    self.at = name.end;
                    let is_name = self.name(name);
                    if let Some(span) = self.bare(is_name) {
                        return Some(self.found(span));
                    }
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
        None
    }

    fn found(&self, span: Range<usize>) -> Found {
        const BRANCHES: [&[u8]; 8] = [b"or", b"and", b"else", b"||", b"??", b"?:", b"?", b":"];
        let before = || {
            let before = self.text.get(..span.start).unwrap_or_default();
            let before = before.get(before.len().saturating_sub(8)..).unwrap_or_default();
            let quote = before.iter().rposition(|byte| b"\"'`".contains(byte))?;
            Some(before.get(..quote)?.trim_ascii_end())
        };
        let is_branch =
            || before().is_some_and(|before| BRANCHES.iter().any(|sign| before.ends_with(sign)));
        Found { is_direct: self.is_value || self.is_assigned && is_branch(), span }
    }

    /// Ends the reading.
    fn stop(&mut self) -> Option<Found> {
        self.end = self.at;
        None
    }

    fn next_item(&mut self) {
        self.is_own = self.outer.last().copied().unwrap_or(true);
        self.is_value = false;
    }

    /// Tells whether the bracket here begins an index, in which the name of an entry stands.
    fn is_index(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.text.get(at));
        before.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_)]".contains(byte))
    }

    /// Reads over the literal here. What puts values into it is a program of its own: `"{{ a | default('…') }}"`.
    fn literal(&mut self) -> Option<Range<usize>> {
        let before = self.at.checked_sub(1).and_then(|at| self.text.get(at));
        let is_prefixed = before.is_some_and(u8::is_ascii_alphabetic);
        let opening = self.text.get(self.at..).and_then(Opening::of);
        let from = self.at + opening.map_or(1, |opening| opening.len);
        let is_program = near(self.text, from, 2) == b"{{";
        let value = opening.filter(|_| !is_program).and_then(|it| it.value(self.text, from));
        let Some(value) = value else {
            self.at += 1;
            return None;
        };
        self.at = value.span.end + 1;
        // Letters that no language knows stand before it.
        let is_known = || {
            let begin = self.text.get(..value.span.start - 1).unwrap_or_default();
            let letters = begin.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
            let begin = value.span.start - 1 - letters;
            self.text.get(begin..).and_then(Opening::of).is_some()
        };
        (!is_prefixed || is_known()).then_some(value.span)
    }

    /// Takes up a name if a sign that assigns stands behind it.
    fn name(&mut self, name: Range<usize>) -> bool {
        let rest = near(self.text, self.at, 8);
        let quote = row(rest, 0, 1, b"]");
        let blanks = quote + row(rest, quote, 6, b" \t");
        let sign = match rest.get(blanks..).unwrap_or_default() {
            // The second answer to a question.
            [b':', ..] if self.is_asked => {
                self.is_asked = false;
                return false;
            }
            [b':', b':', ..] | [b'=', b'=', ..] => return false,
            [b':' | b'=', b'=' | b'>', ..] => 2,
            [b':' | b'=', ..] => 1,
            _ => return false,
        };
        let name = self.text.get(name).unwrap_or_default().to_ascii_lowercase();
        self.is_value = VALUES.contains(&name.as_slice());
        self.is_own = self.is_value || STRONG_SECRET_WORDS.iter().any(|word| name.ends_with(word));
        self.at += blanks + sign;
        true
    }

    /// The value here, if its item has the name of a value and no quotes stand around it, as in YAML.
    fn bare(&mut self, is_name: bool) -> Option<Range<usize>> {
        if !is_name || !self.is_value {
            return None;
        }
        let from = self.at + row(self.text, self.at, STATEMENT_MAX, b" \t");
        let rest = self.text.get(from..self.end)?;
        let len = rest.iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
        let is_bare =
            from > self.at && !rest.get(..len)?.iter().any(|byte| b"\"'`()[]{},;".contains(byte));
        is_bare.then(|| {
            self.at = from + len;
            from..self.at
        })
    }

    /// Tells whether the statement goes on behind the end of a line.
    fn goes_on(&mut self) -> bool {
        self.lines += 1;
        let next = self.at + 1;
        let indent = row(self.text, next, STATEMENT_MAX, b" \t");
        let line = self.text.get(self.word..self.at).unwrap_or_default().trim_ascii_end();
        let is_open = line.last().is_some_and(|last| b"([{,=+\\".contains(last));
        let closes = self.text.get(next + indent).is_some_and(|byte| b")]}.".contains(byte));
        if !is_open {
            self.next_item();
        }
        let is_inner = || {
            let line = line_around(self.text, self.word).start;
            indent > row(self.text, line, STATEMENT_MAX, b" \t")
        };
        let is_inner = || indent > 0 && is_inner();
        self.lines < LINES_MAX && (!self.outer.is_empty() || is_open || closes || is_inner())
    }
}

/// Where the literals end that began before a word, if what stands in them behind the word's name is a label:
/// `'Your password here'`, `'input[name="password"]'`.
fn quotes_end(text: &[u8], word: usize, name: usize) -> usize {
    const LABEL_MAX: usize = 60;
    const DEPTH: usize = 2;
    let mut at = name;
    for _ in 0..DEPTH {
        let rest = near(text, at, LABEL_MAX);
        let is_label = |byte: &&u8| byte.is_ascii_alphanumeric() || b" _-.,:*]/".contains(byte);
        let len = rest.iter().take_while(is_label).count();
        let Some(quote) = rest.get(len).filter(|quote| b"\"'`".contains(quote)) else { break };
        let line = text.get(line_around(text, word).start..at).unwrap_or_default();
        if memchr_iter(*quote, line).count().is_multiple_of(2) {
            break;
        }
        at += len + 1;
    }
    at
}

/// Where the entry begins that a word is the value of, if that is in braces or in the tag of an element, and no other brackets
/// stand between.
fn opened(text: &[u8], word: usize, end: usize) -> Option<usize> {
    const REACH: usize = 200;
    let is_quoted = matches!(text.get(end - 1), Some(b'"' | b'\''));
    let from = word.saturating_sub(REACH);
    let before = text.get(from..word).filter(|_| is_quoted)?;
    work::spend(before.len() / 4);
    let open = memrchr2(b'{', b'<', before)?;
    let inside = before.get(open + 1..)?;
    let name = inside.iter().rposition(|byte| b"\"'".contains(byte))?;
    let is_value =
        inside.get(..name)?.trim_ascii_end().last().is_some_and(|sign| b"=:".contains(sign));
    (is_value && memchr(b'}', inside).is_none() && memchr(b'>', inside).is_none())
        .then_some(from + open + 1)
}

/// Where the sign ends that assigns to the name that ends at a place.
fn sign_end(text: &[u8], name: usize) -> Option<usize> {
    let at = name + row(text, name, 3, b"\"'`])");
    let at = at + row(text, at, 40, b" \t");
    match near(text, at, 2) {
        [b'=', b'=' | b'~'] | [b':', b':'] => None,
        [b':' | b'=', b'=' | b'>'] => Some(at + 2),
        [b':' | b'=', ..] => Some(at + 1),
        _ => None,
    }
}

/// The end of the literal that a name is assigned at a place, or the place if there is none.
fn literal_end(text: &[u8], sign: usize) -> usize {
    let at = sign + row(text, sign, 40, b" \t");
    let opening = text.get(at..).and_then(Opening::of);
    let is_program = |opening: &Opening| near(text, at + opening.len, 2) == b"{{";
    let value = opening
        .filter(|opening| !is_program(opening))
        .and_then(|opening| opening.value(text, at + opening.len));
    value.map_or(sign, |value| value.span.end + 1)
}

/// How long the name is that a text goes on with at a place.
fn name_len(text: &[u8], at: usize) -> usize {
    const NAME_MAX: usize = 40;
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    near(text, at, NAME_MAX).iter().take_while(is_name).count()
}

#[cfg(test)]
mod tests {
    use super::super::tests::found;

    #[test]
    fn each_branch_is_a_value() {
        for value in [["q7Rk9", "zPw2mX4b"].concat(), ["Summer", "2022$"].concat()] {
            for text in [
                format!("PASSWORD = DEV or \"{value}\"\n"),
                format!("const password = dev || \"{value}\";\n"),
                format!("const dbPassword = conf.get(\"db\", 1) ?? '{value}';\n"),
                format!("password = dev ? \"a\" : \"{value}\"\n"),
                format!("password = dev ? \"{value}\" : other\n"),
                format!("password = \"a\" if DEV else \"{value}\"\n"),
            ] {
                assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
            }
        }
    }

    #[test]
    fn both_branches_may_be_secrets() {
        let (one, two) = (["q7Rk9", "zPw2mX4b"].concat(), ["Summer", "2022$"].concat());
        for text in [
            format!("val password = if (dev) \"{one}\" else \"{two}\"\n"),
            format!("let password = if dev {{ \"{one}\" }} else {{ \"{two}\" }};\n"),
            format!("password = \"{one}\" if dev else \"{two}\"\n"),
            format!("password = dev ? \"{one}\" : \"{two}\"\n"),
        ] {
            let mut hits: Vec<_> = found(&text).into_iter().map(|(_, value)| value).collect();
            hits.sort_unstable();
            assert_eq!(hits, [two.as_str(), &one], "{text}");
        }
    }

    #[test]
    fn what_stands_behind_the_value_or_compares_is_none() {
        let value = ["q7Rk9", "zPw2mX4b"].concat();
        for text in [
            format!("{{password: x, other: y || \"{value}\"}}\n"),
            format!("password = x; other = y || \"{value}\"\n"),
            format!("f(password=x) or \"{value}\"\n"),
            "password = dev ? \"text\" : \"password\"\n".to_owned(),
            "const passwordType = show ? 'text' : 'Password-V2';\n".to_owned(),
            "const secretName = dev ? 'a' : 'Backend-Auth-2020';\n".to_owned(),
        ] {
            assert_eq!(found(&text), [], "{text}");
        }
    }

    #[test]
    fn the_value_of_a_declaration_is_found() {
        for value in [["q7Rk9", "zPw2mX4b"].concat(), ["Summer", "2022$"].concat()] {
            for text in [
                format!("variable \"db_password\" {{\n  default = \"{value}\"\n}}\n"),
                format!("variable \"db_password\" {{ default = \"{value}\" }}\n"),
                format!(
                    "  DbPassword:\n    Type: String\n    NoEcho: true\n    Default: {value}\n"
                ),
                format!("  DbPassword:\n    Default: \"{value}\"\n  Other:\n"),
                format!("{{\"adminPassword\": {{\"value\": \"{value}\"}}}}\n"),
                format!(
                    "\"DbPassword\": {{\n  \"Type\": \"String\",\n  \"Default\": \"{value}\"\n}}\n"
                ),
                format!("{{\n  type  = \"SecureString\"\n  value = \"{value}\"\n}}\n"),
            ] {
                assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
            }
        }
    }

    #[test]
    fn the_value_of_another_declaration_is_none() {
        let value = ["q7Rk9", "zPw2mX4b"].concat();
        for text in [
            format!("variable \"password_policy\" {{\n  default = \"{value}\"\n}}\n"),
            format!("  DbPassword:\n    Type: String\n  Other:\n    Default: {value}\n"),
            format!("  PasswordPolicy:\n    Default: {value}\n"),
            format!("{{\"password\": {{\"type\": \"a\"}}, \"value\": \"{value}\"}}\n"),
            "  Password:\n    Default: Form-Input-2\n".to_owned(),
            "{\"password\": {\"type\": \"string\", \"default\": \"input_field_2\"}}\n".to_owned(),
        ] {
            assert_eq!(found(&text), [], "{text}");
        }
    }
}
