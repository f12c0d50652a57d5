//! Cookies in a map, a list of objects or a call: `{"sessionid": "…"}`, `[{name: "sessionid", value: "…"}]`,
//! `cookies.set("sessionid", "…")`.

use std::ops::Range;

use memchr::memrchr;

use super::super::{near, row};
use super::{Cookie, READ_MAX, Read, logs_in, signs_len};

/// Reads the map, the objects or the call behind a word.
pub(super) fn read(text: &[u8], end: usize) -> Option<Read> {
    if let Some(call) = call(text, end) {
        return Some(call);
    }
    let at = end + signs_len(text, end);
    let lead = text.get(end..at)?;
    let opened = lead.iter().filter(|byte| b"{[(".contains(byte)).count();
    let reader = Reader { text, at, depth: opened, to: text.len().min(at + READ_MAX) };
    let is_quoted = matches!(lead.last(), Some(b'"' | b'\'' | b'`'));
    let at = at - usize::from(is_quoted);
    // An item of YAML.
    let at = at + row(text, at, 1, b"-");
    let at = at + row(text, at, 8, b" ");
    // A value alone, such as that of a header, is no map.
    let is_yaml = || !is_quoted && opened == 0 && lead.contains(&b'\n');
    let first = Reader { at, ..reader.clone() }.word()?;
    let is_key =
        first.sign.is_some_and(|sign| sign != Sign::Equal || opened > 0 && first.is_argument);
    (is_key && (opened > 0 || is_yaml())).then(|| Reader { at, ..reader }.objects(end))
}

/// The name and the value that a call is given: `setCookie("sessionid", "…")`, `cookies.set("sessionid", "…")`.
fn call(text: &[u8], end: usize) -> Option<Read> {
    const REACH: usize = 12;
    const VERBS: [&[u8]; 6] = [b".set(", b".add(", b".put(", b".append(", b"s.set(", b"("];
    let rest = near(text, end, REACH);
    let rest = rest.strip_prefix(b"s").filter(|rest| rest.starts_with(b".")).unwrap_or(rest);
    let verb = VERBS.iter().find(|verb| rest.starts_with(verb))?;
    let at = text.len().min(end + REACH) - rest.len() + verb.len();
    let mut reader = Reader { text, at, depth: 1, to: text.len().min(end + READ_MAX) };
    let name = reader.word().filter(|name| name.is_quoted && name.sign.is_none())?;
    // A whole cookie is one argument: `setCookie("sessionid=…; Path=/", url)`.
    text.get(name.span.clone()).filter(|name| !name.contains(&b'='))?;
    let comma = row(text, reader.at, 8, b", ");
    reader.at += comma;
    let value = reader.word().filter(|value| comma > 0 && value.is_quoted)?;
    Some((vec![Cookie { name: name.span, value: value.span }], reader.at))
}

/// What stands behind a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    /// `:` and `=>`
    Map,
    /// `=`
    Equal,
}

/// A name or a literal.
struct Word {
    span: Range<usize>,
    is_quoted: bool,
    /// It is the key of what follows.
    sign: Option<Sign>,
    /// A quote follows the sign.
    is_argument: bool,
}

/// Reads names, literals and brackets.
#[derive(Clone)]
struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    /// So many brackets are open.
    depth: usize,
    to: usize,
}

impl Reader<'_> {
    /// The cookies up to the bracket that closes the first one, or in YAML up to a line that is not further in.
    fn objects(mut self, end: usize) -> Read {
        // A map of YAML may be any setting about cookies: there only names that say it count.
        let in_yaml = self.depth == 0;
        let indent = self.indent(end);
        let mut cookies = Vec::new();
        let (mut key, mut name, mut value) = (None::<Range<usize>>, None, None);
        while self.at < self.to
            && let Some(byte) = self.text.get(self.at)
        {
            match byte {
                b'#' => self.skip_line(),
                b'/' if self.text.get(self.at + 1) == Some(&b'/') => self.skip_line(),
                b'\n' if in_yaml => {
                    let dash = self.text.get(self.at + 1 + self.blanks(self.at + 1));
                    let is_blank = matches!(dash, None | Some(b'\n' | b'\r'));
                    if !is_blank && dash != Some(&b'-') && self.indent(self.at + 1) <= indent {
                        break;
                    }
                    self.at += 1;
                }
                b'{' | b'[' | b'(' => {
                    self.depth += 1;
                    self.at += 1;
                }
                b'}' | b']' | b')' => {
                    (name, value) = (None, None);
                    self.at += 1;
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        break;
                    }
                }
                _ => {
                    let Some(word) = self.word() else {
                        self.at += 1;
                        continue;
                    };
                    if word.sign.is_some() {
                        key = Some(word.span);
                        continue;
                    }
                    let Some(key) = key.take().filter(|_| word.is_quoted || in_yaml) else {
                        continue;
                    };
                    let said = self.text.get(key.clone()).unwrap_or_default();
                    match said.to_ascii_lowercase().as_slice() {
                        b"name" => name = Some(word.span),
                        b"value" => value = Some(word.span),
                        _ if in_yaml && !logs_in(said) => {}
                        _ => cookies.push(Cookie { name: key, value: word.span }),
                    }
                    if name.is_some() && value.is_some() {
                        let pair = name.take().zip(value.take());
                        cookies.extend(pair.map(|(name, value)| Cookie { name, value }));
                    }
                }
            }
        }
        (cookies, self.at)
    }

    /// The name or the literal at this place.
    fn word(&mut self) -> Option<Word> {
        const WORD_MAX: usize = 4096;
        // The prefix of a literal of Python.
        if matches!(near(self.text, self.at, 2), [b'f' | b'r' | b'b', b'"' | b'\'']) {
            self.at += 1;
        }
        let rest = near(self.text, self.at, WORD_MAX);
        let quote = rest.first().copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
        let (span, end) = if let Some(quote) = quote {
            let is_escaped = self.text.get(..self.at)?.ends_with(b"\\");
            let before = |at: usize| rest.get(at - 1) == Some(&b'\\');
            let ends = |at: &usize| rest.get(*at) == Some(&quote) && before(*at) == is_escaped;
            let len = (1..rest.len()).find(ends)?;
            let last = self.at + len - usize::from(is_escaped);
            (self.at + 1..last.max(self.at + 1), self.at + len + 1)
        } else {
            let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.$%~+/=-".contains(byte);
            // A sign of base64 begins no name, and `=` belongs to a value at its end only.
            let len = rest.iter().take_while(is_name).count();
            let word = rest.get(..len)?;
            let name = word.iter().position(|byte| *byte == b'=').unwrap_or(len);
            let is_key = rest.get(name + 1).is_some_and(|next| b"\"'`".contains(next));
            let len = if is_key { name } else { len };
            (len > 0).then_some(())?;
            (self.at..self.at + len, self.at + len)
        };
        let sign = end + self.blanks(end);
        let (kind, len) = match near(self.text, sign, 2) {
            b"=>" => (Some(Sign::Map), 2),
            [b':', ..] => (Some(Sign::Map), 1),
            [b'=', next] if *next != b'=' => (Some(Sign::Equal), 1),
            _ => (None, 0),
        };
        self.at = if kind.is_some() { sign + len } else { end };
        let value = self.at + self.blanks(self.at);
        let is_argument = matches!(self.text.get(value), Some(b'"' | b'\'' | b'`'));
        Some(Word { span, is_quoted: quote.is_some(), sign: kind, is_argument })
    }

    /// How many blanks stand at a place.
    fn blanks(&self, at: usize) -> usize {
        row(self.text, at, 64, b" \t")
    }

    /// How far in the line of a place is.
    fn indent(&self, at: usize) -> usize {
        const LINE_MAX: usize = 4096;
        let from = at.saturating_sub(LINE_MAX);
        let line = self.text.get(from..at).unwrap_or_default();
        self.blanks(memrchr(b'\n', line).map_or(from, |end| from + end + 1))
    }

    fn skip_line(&mut self) {
        let rest = near(self.text, self.at, READ_MAX);
        self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    }
}
