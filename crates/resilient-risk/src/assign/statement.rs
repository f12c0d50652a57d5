//! The rest of a statement behind a word for secrets: the literals in it that belong to the word, and not to another name.

use std::ops::Range;

use memchr::{memchr, memrchr, memrchr2};

use super::super::keywords::KeywordHit;
use super::super::tables::STRONG_SECRET_WORDS;
use super::super::work;
use super::between::begins_look_up;
use super::literal::Opening;
use super::{line_around, near, row};

/// A statement is read so far behind the word, and a value that stands before it is so near.
const STATEMENT_MAX: usize = 500;

/// So many lines of it are read.
const LINES_MAX: usize = 16;

/// What an argument, an attribute or an entry is called whose value is that of what stands beside it.
const VALUES: [&[u8]; 6] =
    [b"value", b"default", b"defaultvalue", b"default_value", b"parametervalue", b"with"];

/// Tells whether a text ends with the beginning of a call that puts a value into a field, or takes it in place of another one:
/// `.fill(`, `.unwrap_or_else(|_| `.
pub(super) fn gives(before: &[u8]) -> bool {
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

/// Whether a program gives a value to what has a name: then the value need not look like a password.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Given {
    No,
    /// It is one of two that are assigned, or that of a declaration.
    Value,
    /// It is the argument of a call behind the one that the word is in, and may even look like a name.
    Call,
}

/// A value that belongs to a word.
pub(super) struct Found {
    pub(super) span: Range<usize>,
    pub(super) given: Given,
}

/// The rest of a statement, behind a word of it.
pub(super) struct Statement<'a> {
    text: &'a [u8],
    /// So far the statement was read.
    pub(super) at: usize,
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
    /// The item is what a field is filled with: `fill_in "Password", with: "…"`.
    is_with: bool,
    /// So many literals were read.
    count: usize,
    /// A question was asked, and the sign before its second answer not read.
    is_asked: bool,
}

impl<'a> Statement<'a> {
    pub(super) fn around(text: &'a [u8], KeywordHit { start, end, .. }: KeywordHit) -> Self {
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
            is_with: false,
            is_asked: false,
            left: None,
            count: 0,
        }
    }

    /// The arguments of the call that a word is in the name of: `jwt.sign(`.
    pub(super) fn of_call(text: &'a [u8], said: KeywordHit) -> Option<Self> {
        const NAME_MAX: usize = 24;
        let name = near(text, said.end, NAME_MAX);
        let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.".contains(byte);
        let len = name.iter().take_while(is_name).count();
        // These are given what was signed.
        let method = name.get(..len)?.to_ascii_lowercase();
        if [&b"decrypt"[..], b"decode", b"verify", b"compare"].iter().any(|it| method.ends_with(it))
        {
            return None;
        }
        let statement = Self { at: said.end + len, is_call: true, ..Self::around(text, said) };
        (name.get(len) == Some(&b'(')).then_some(statement)
    }

    /// The next value that belongs to the word.
    pub(super) fn next(&mut self) -> Option<Found> {
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
        // `let(:password) { "…" }`, `password { "…" }`
        let is_block = || self.count == 1 && before.ends_with(b" {") && self.begins_definition();
        let is_value = self.is_value && (self.is_assigned || self.is_opened || self.is_with)
            || self.is_assigned && is_branch()
            || is_block();
        let given = match () {
            () if is_chained && gives(before) => Given::Call,
            () if is_value => Given::Value,
            () => Given::No,
        };
        Found { span, given }
    }

    /// The line before the word, without its indent.
    fn line(&self) -> &'a [u8] {
        let line = line_around(self.text, self.word).start..self.word;
        self.text.get(line).unwrap_or_default().trim_ascii_start()
    }

    /// Tells whether what stands before the word begins a definition of Ruby's tests: `let(:db_`, or nothing.
    fn begins_definition(&self) -> bool {
        let line = self.line();
        let is_name = |name: &[u8]| name.iter().all(|it| it.is_ascii_alphanumeric() || *it == b'_');
        let rest = [&b"let(:"[..], b"let!(:"].iter().find_map(|call| line.strip_prefix(*call));
        // `ENV.fetch("DB_PASSWORD") { "…" }`
        let is_looked_up = || self.left == Some(b')') && begins_look_up(line);
        rest.map_or_else(|| line.is_empty() && self.is_assigned || is_looked_up(), is_name)
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
        self.is_with = name == b"with" && self.line().starts_with(b"fill_in ");
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
        let in_flow = self.is_opened && !self.outer.is_empty();
        let is_end =
            |byte: &u8| byte.is_ascii_whitespace() || in_flow && matches!(byte, b',' | b'}');
        let len = rest.iter().take_while(|byte| !is_end(byte)).count();
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
pub(super) fn quotes_end(text: &[u8], word: usize, name: usize) -> usize {
    const LABEL_MAX: usize = 60;
    let rest = near(text, name, LABEL_MAX);
    let is_label = |byte: &&u8| {
        byte.is_ascii_alphanumeric() || !byte.is_ascii() || b" _-.,:*]/!?\"'`".contains(byte)
    };
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
    // `{name: DB_PASSWORD, value: …}` in YAML
    let is_flow = text.get(end) == Some(&b',');
    let from = word.saturating_sub(REACH);
    let before = text.get(from..word).filter(|_| is_quoted || is_flow)?;
    work::spend(before.len() / 4);
    let open = memrchr2(b'{', b'<', before)?;
    let inside = before.get(open + 1..)?;
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let name = if is_quoted {
        inside.iter().rposition(|byte| b"\"'".contains(byte))?
    } else {
        inside.len() - inside.iter().rev().take_while(is_name).count()
    };
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
pub(super) fn name_len(text: &[u8], at: usize) -> usize {
    const NAME_MAX: usize = 40;
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    near(text, at, NAME_MAX).iter().take_while(is_name).count()
}
