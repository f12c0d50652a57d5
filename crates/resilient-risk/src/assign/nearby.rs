//! A password in the statement that a word for one is in, where no sign assigns it at once: what a call takes beside the word,
//! one of two cases, what stands for nothing, the value of a declaration.
//!
//! `getByLabel('Password').fill('…')`, `dev ? "a" : "…"`, `getenv("DB_PASSWORD").orElse("…")`, `"password": {"default": "…"}`

use std::ops::Range;

use memchr::{memchr, memchr_iter, memmem, memrchr, memrchr2};

use super::super::keywords::{Keyword, KeywordHit};
use super::super::tables::STRONG_SECRET_WORDS;
use super::super::token::TokenStats;
use super::super::{naming, work};
use super::judge::{Stand, is_password};
use super::literal::Opening;
use super::name::{is_of_other, names_field, names_other};
use super::shape::{is_memorable, is_name, is_slug};
use super::{Claimed, ValueHit, line_around, near, row};

/// A statement is read so far behind the word, and a value that stands before it is so near.
const STATEMENT_MAX: usize = 500;

/// So many lines of it are read.
const LINES_MAX: usize = 16;

/// What an argument, an attribute or an entry is called whose value is that of what stands beside it.
const VALUES: [&[u8]; 6] =
    [b"value", b"default", b"defaultvalue", b"default_value", b"parametervalue", b"with"];

/// How far statements are read, and how often.
#[derive(Default)]
pub(super) struct Reading {
    end: usize,
    times: usize,
}

/// Takes the passwords of the statement that a word is in.
pub(super) fn find(
    text: &[u8],
    said: KeywordHit,
    reading: &mut Reading,
    claims: &mut impl Claimed,
) {
    /// Statements may stand in one another; no byte is read more often.
    const TIMES_MAX: usize = 6;
    let KeywordHit { word, start, end } = said;
    // `'/password'` is a path, and `/password/` an expression.
    let is_path = start.checked_sub(1).and_then(|at| text.get(at)) == Some(&b'/')
        && near(text, end + name_len(text, end), 1) != b"/";
    let is_one = match word {
        _ if is_path => false,
        Keyword::Password => names_password(near(text, end, 6)),
        // `db_pw.send_keys(…)`
        Keyword::ShortPassword => near(text, end, 1) == b".",
        Keyword::Secret | Keyword::Key | Keyword::Signing => true,
        _ => false,
    };
    // `getByLabel('Secret name')`
    let label = text.get(end..quotes_end(text, start, end)).unwrap_or_default();
    let is_label =
        label.contains(&b' ') && names_other(label.get(..label.len() - 1).unwrap_or_default());
    let is_read = end < reading.end && reading.times >= TIMES_MAX;
    let is_field = names_field(text, end);
    if !is_one || is_label || is_read || !is_field && is_of_other(text, said) {
        return;
    }
    let name = text.get(start.saturating_sub(40)..end).unwrap_or_default();
    let family = if word == Keyword::Key { naming::family_after(name) } else { "generic_secret" };
    let statement = match word {
        Keyword::Signing => Statement::of_call(text, said),
        _ => Some(Statement::around(text, said)),
    };
    let Some(mut statement) = statement else { return };
    while let Some(Found { span, is_given }) = statement.next() {
        let span = without_braces(text, span);
        let value = text.get(span.clone()).unwrap_or_default();
        // Of a field the value may be the name of an element.
        let is_other = || is_name(value) || is_field && is_slug(value);
        // What a program signs is data, and mostly an address.
        let is_data =
            || word == Keyword::Signing && value.contains(&b'/') && !value.ends_with(b"=");
        let shows = || word != Keyword::Key && is_said(value) && !is_data();
        let word = if word == Keyword::Key { word } else { Keyword::Password };
        let fits = (is_given || shows()) && !is_other() && !is_written(value);
        if fits && is_password(value, Stand::Literal, word) && claims.is_free(&span) {
            let name = if word == Keyword::Key { "assigned_key" } else { "assigned_password" };
            claims.claim(ValueHit { family, name, span });
        }
    }
    *reading = Reading {
        end: reading.end.max(statement.at),
        times: if end < reading.end { reading.times + 1 } else { 1 },
    };
}

/// Tells whether what a word for passwords goes on with makes it one, and not another that begins so: `passValue`.
fn names_password(rest: &[u8]) -> bool {
    // Also `Passwort`, `passcode` and `mot de passe`.
    const REST: [&[u8]; 7] = [b"word", b"wd", b"phrase", b"wort", b"ord", b"code", b"e"];
    let goes_on = |word: &&[u8]| {
        rest.get(..word.len()).is_some_and(|rest| rest.eq_ignore_ascii_case(word))
            && (word.len() > 1 || !rest.get(1).is_some_and(u8::is_ascii_alphabetic))
    };
    !rest.first().is_some_and(u8::is_ascii_alphabetic) || REST.iter().any(goes_on)
}

/// Tells whether a value shows by itself that it is a password: people choose it so, or chance has drawn it.
pub(super) fn is_said(value: &[u8]) -> bool {
    let stats = TokenStats::of(value);
    // The name of a thing, or of a file: `price_1Nx…`, `img_4F2a8C.png`.
    let word = value.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    let ends_file = || {
        let end = value.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        end <= 5 && value.len().checked_sub(end + 1).and_then(|at| value.get(at)) == Some(&b'.')
    };
    let is_thing = || {
        let rest = value.get(word..).and_then(|rest| rest.strip_prefix(b"_"));
        word > 1 && rest.is_some_and(|rest| rest.iter().all(u8::is_ascii_alphanumeric))
            || ends_file()
    };
    let is_drawn = || {
        let is_mixed = stats.lower > 0 && !stats.is_hexadecimal() && !value.contains(&b'<');
        stats.is_drawn() && is_mixed && !is_slug(value) && !is_thing()
    };
    let has_sign = || value.iter().any(|byte| b"!@#$%^&*~?".contains(byte));
    has_sign() && is_memorable(value) || is_drawn()
}

/// A value without the key at its end that a test strikes, and the name of a notation before it: `…{enter}`, `{noop}…`.
fn without_braces(text: &[u8], mut span: Range<usize>) -> Range<usize> {
    const NOTATION: &[u8] = b"{noop}";
    let value = text.get(span.clone()).unwrap_or_default();
    if value.starts_with(NOTATION) {
        span.start += NOTATION.len();
    }
    if let Some(value) = value.strip_suffix(b"}")
        && let Some(at) = memrchr(b'{', value)
        && value.iter().skip(at + 1).all(u8::is_ascii_lowercase)
    {
        span.end -= value.len() + 1 - at;
    }
    span
}

/// Tells whether a value has the notation of another thing in it: of bytes, an expression, an address, another literal.
fn is_written(value: &[u8]) -> bool {
    const NOTATIONS: [&[u8]; 15] = [
        b"\\x", b"\\u", b"\\b", b"\\d", b"\\w", b"\\s", b"(?", b"0-9", b"A-Z", b"a-z", b"%2",
        b"%3", b"\"", b"'", b"`",
    ];
    let is_in = |notation: &&[u8]| memmem::find(value, notation).is_some();
    // `$2b$10$…` is a hash.
    let is_hash = value.starts_with(b"$") && memchr_iter(b'$', value).count() > 2;
    is_hash || value.starts_with(b"#") || NOTATIONS.iter().any(is_in)
}

/// Tells whether a text ends with the beginning of a call that puts a value into a field, or takes it in place of another one:
/// `.fill(`, `.unwrap_or_else(|_| `.
fn gives(before: &[u8]) -> bool {
    const METHODS: [&[u8]; 11] = [
        b"fill",
        b"type",
        b"typetext",
        b"settext",
        b"setvalue",
        b"keys",
        b"sequentially",
        b"unwrap_or",
        b"unwrap_or_else",
        b"orelse",
        b"default",
    ];
    let before = before.strip_suffix(b"String::from(").unwrap_or(before).trim_ascii_end();
    let before = match before.strip_suffix(b"|") {
        Some(inside) => memrchr(b'|', inside).and_then(|at| inside.get(..at)).unwrap_or_default(),
        None => before,
    };
    let Some(before) = before.strip_suffix(b"(") else { return false };
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let len = before.iter().rev().take_while(is_name).count();
    let name = before.get(before.len() - len..).unwrap_or_default().to_ascii_lowercase();
    METHODS.iter().any(|method| name.ends_with(method))
}

/// A value that belongs to a word.
struct Found {
    span: Range<usize>,
    /// The program gives it to what has the name, and so it need not look like a password: it is one of two that are assigned,
    /// that of a declaration, or the argument of a call behind the one that the word is in.
    is_given: bool,
}

/// The rest of a statement, behind a word of it.
struct Statement<'a> {
    text: &'a [u8],
    at: usize,
    end: usize,
    /// Where the word stands.
    word: usize,
    /// Only the arguments of a call are read.
    is_call: bool,
    /// The word is the value of an entry, and that is read from its beginning.
    is_opened: bool,
    lines: usize,
    /// For each bracket that is open, whether what stands in it belongs to the word.
    outer: Vec<bool>,
    /// The word stood in this bracket, which is closed.
    left: Option<u8>,
    /// Whether the item that is read does.
    is_own: bool,
    /// Whether an item does that has no name, outside of brackets.
    may_be_bare: bool,
    /// The literal before, which may name what stands behind it: `("data-id", "…")`.
    label: Range<usize>,
    /// The sign behind the word's name assigns: the statement ends with its item.
    is_assigned: bool,
    /// The item has the name of a value.
    is_value: bool,
    /// So many literals were read.
    count: usize,
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
            is_call: false,
            is_opened: opened.is_some(),
            lines: 0,
            outer: if opened.is_some() { vec![false] } else { Vec::new() },
            is_own: opened.is_none(),
            may_be_bare: true,
            label: 0..0,
            // `variable "password" { default = "…" }`
            is_assigned: sign.is_some() || near(text, at, 2) == b" {",
            is_value: false,
            is_asked: false,
            left: None,
            count: 0,
        }
    }

    /// The arguments of the call that a word is in the name of: `jwt.sign(`.
    fn of_call(text: &'a [u8], said: KeywordHit) -> Option<Self> {
        const NAME_MAX: usize = 24;
        let name = near(text, said.end, NAME_MAX);
        let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.".contains(byte);
        let len = name.iter().take_while(is_name).count();
        let statement = Self { at: said.end + len, is_call: true, ..Self::around(text, said) };
        (name.get(len) == Some(&b'(')).then_some(statement)
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
                b'{' if self.outer.is_empty() && self.begins_block() => return self.stop(),
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
                    if self.is_call && self.outer.is_empty() {
                        return self.stop();
                    }
                    if self.outer.is_empty() && (is_outer.is_none() || self.is_opened) {
                        self.left = self.left.or(Some(*byte));
                    }
                    self.is_own = self.outer.is_empty() || is_outer.unwrap_or(true);
                    self.is_value = false;
                }
                // The next entry belongs to another name.
                b',' if self.outer.is_empty() && (self.is_assigned || self.left == Some(b'}')) => {
                    return self.stop();
                }
                b'>' if self.is_opened && self.outer.len() == 1 => return self.stop(),
                b',' => self.next_item(),
                b';' => return self.stop(),
                b'?' => self.is_asked = true,
                b'\n' if !self.goes_on() => return self.stop(),
                b'"' | b'\'' | b'`' => {
                    let Some(span) = self.literal() else { continue };
                    let is_name = self.name(span.clone());
                    let is_labelled = names_attribute(text, &self.label);
                    self.label = span.clone();
                    if !is_name && self.is_own && !is_labelled {
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

    fn found(&mut self, span: Range<usize>) -> Found {
        const BRANCHES: [&[u8]; 8] = [b"or", b"and", b"else", b"||", b"??", b"?:", b"?", b":"];
        self.count += 1;
        let before = self.text.get(span.start.saturating_sub(40)..span.start).unwrap_or_default();
        let quote = before.iter().rposition(|byte| b"\"'`".contains(byte)).unwrap_or(before.len());
        let before = before.get(..quote).unwrap_or_default().trim_ascii_end();
        let is_branch = || BRANCHES.iter().any(|sign| before.ends_with(sign));
        let is_chained = self.count == 1 && self.left.is_some();
        let is_given = self.is_value && (self.is_assigned || self.is_opened)
            || self.is_assigned && is_branch()
            || is_chained && gives(before);
        Found { span, is_given }
    }

    /// Ends the reading.
    fn stop(&mut self) -> Option<Found> {
        self.end = self.at;
        None
    }

    fn next_item(&mut self) {
        self.is_own = self.outer.last().copied().unwrap_or(self.may_be_bare);
        self.is_value = false;
    }

    /// Tells whether the brace here begins statements on lines of their own, and no entries.
    fn begins_block(&self) -> bool {
        let before = self.text.get(self.word..self.at).unwrap_or_default().trim_ascii_end();
        let behind = near(self.text, self.at + 1, 8).trim_ascii_start();
        let is_line = behind.is_empty() || near(self.text, self.at + 1, 8).contains(&b'\n');
        is_line && !before.last().is_some_and(|last| b":=([,\"'".contains(last))
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
        let is_below = self.is_assigned && self.outer.is_empty() && is_inner();
        if is_below && !is_open {
            // In YAML a value has a name there, and in Python a block begins.
            self.may_be_bare = false;
            self.next_item();
        }
        self.lines < LINES_MAX && (!self.outer.is_empty() || is_open || closes || is_below)
    }
}

/// Where the literal ends that began before a word, if what stands in it behind the word's name is a label:
/// `'Your password here'`, `'input[name="password"]'`.
fn quotes_end(text: &[u8], word: usize, name: usize) -> usize {
    const LABEL_MAX: usize = 60;
    let rest = near(text, name, LABEL_MAX);
    let is_label = |byte: &&u8| byte.is_ascii_alphanumeric() || b" _-.,:*]/!?\"'`".contains(byte);
    let label = rest.get(..rest.iter().take_while(is_label).count()).unwrap_or_default();
    if !label.iter().any(|byte| b"\"'`".contains(byte)) {
        return name;
    }
    let line = text.get(line_around(text, word).start..word).unwrap_or_default();
    let (mut open, mut before) = (None, b' ');
    for byte in line {
        open = match open {
            Some(quote) if *byte == quote && before != b'\\' => None,
            // An apostrophe opens nothing.
            None if b"\"'`".contains(byte) && !before.is_ascii_alphanumeric() => Some(*byte),
            open => open,
        };
        before = *byte;
    }
    let end = open.and_then(|quote| memchr(quote, label));
    end.map_or(name, |end| name + end + 1)
}

/// Tells whether a literal is the name of an attribute or of a header: words with dashes, `X-Trace-Id`.
fn names_attribute(text: &[u8], span: &Range<usize>) -> bool {
    let name = text.get(span.clone()).unwrap_or_default();
    name.contains(&b'-') && name.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'-')
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
