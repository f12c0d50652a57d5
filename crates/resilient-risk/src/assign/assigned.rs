//! The value that is assigned to a word: `password = "…"`, `PASSWORD=…`, `setPassword("…")`.

use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::super::features::Words;
use super::super::token::Shape;
use super::super::words::{Said, VALUE_REACH, Word};
use super::super::{naming, work};
use super::judge::{Stand, is_password};
use super::literal::Opening;
use super::{Claimed, Form, Hit, bare, near, row};

/// What words for passwords go on with.
const PASSWORDS: [&[u8]; 4] = [b"", b"word", b"wd", b"phrase"];

/// Reads the value after a word.
pub(super) fn value(text: &[u8], said: Said, claims: &mut impl Claimed) -> Option<Hit> {
    work::spend(VALUE_REACH / 4);
    let Said { word, start, end } = said;
    let Lead { name, white, signs, end: mut at } = Lead::of(text, end);
    let before = start.checked_sub(1).and_then(|before| text.get(before)).copied();
    let short = word == Word::ShortPassword;
    let word = if short { Word::Password } else { word };
    if short && (name > 0 || before.is_some_and(|byte| byte.is_ascii_alphabetic())) {
        return None;
    }
    if signs == 0 && !matches!(word, Word::Password | Word::Sql) {
        return None;
    }
    let rest = text.get(end..)?;
    // A path in a program, and a choice: `Secrets::Aes128Gcm`, `passed?"a1":"b2"`.
    let sign = rest.get(at - signs..at)?;
    if let b"::" | b"?" | b"|" = sign {
        return None;
    }
    // `password: str = "…"`: a type between the two signs.
    if sign.starts_with(b":") {
        at += type_len(rest.get(at..).unwrap_or_default());
    }
    // `**password:** …`
    if signs > 0 && rest.get(at..).is_some_and(|rest| rest.starts_with(b"**")) {
        at += 2;
    }
    // `option(PASSWORD, "…")`, `setPassword("…")`
    let listed = signs == 0
        && word == Word::Password
        && match rest.get(at) {
            Some(b'(') => {
                PASSWORDS.iter().any(|end| rest.get(..name).is_some_and(|name| name == *end))
            }
            sign => sign == Some(&b','),
        };
    at += usize::from(listed);
    let white_after = row(rest, at, 8, b" \t(");
    at += white_after;
    if signs > 0 && word == Word::Password {
        at += call_len(rest.get(at..)?);
    }
    // A quote without another one on its line is a sign of a value without quotes.
    let opened = Opening::of(rest.get(at..)?);
    let literal = opened.and_then(|opening| opening.value(text, end + at + opening.len));
    let opening = opened.filter(|_| literal.is_some());
    let quote = opening.map(|opening| opening.quote);
    // What stands for nothing is a literal: `process.env.PASSWORD || "…"`, `getenv("PASSWORD") ?: "…"`.
    if quote.is_none()
        && (matches!(sign, b"??" | b"||" | b"?:")
            || rest.get(..at).is_some_and(|lead| lead.contains(&b')')))
    {
        return None;
    }
    let assigned = signs > 0 || word == Word::Sql;
    let plain_quote = quote.is_some_and(|quote| quote != b'`');
    let spaced = word == Word::Password && white == 1 && name <= 4 && quote.is_none() && !listed;
    if !(assigned || spaced || word == Word::Password && plain_quote && (white > 0 || listed)) {
        return None;
    }
    let from = end + at;
    let fits = |value: &[u8], stand| is_password(value, stand, word);
    let part = |span: &Range<usize>| text.get(span.clone()).unwrap_or_default();
    let mut is_code = listed;
    let span = if let Some(value) = literal {
        // The values of other words for passwords are spelled.
        let is_one = value.said(text).iter().all(u8::is_ascii_graphic);
        if word == Word::Password && is_one {
            claims.hold(value.span.clone());
        }
        let said = value.said(text);
        // The quotes of two literals, and what is put between them: `"password=" + value + "&…"`.
        let is_between = matches!(said, [first @ (b'+' | b'.'), .., last] if first == last);
        (!is_between && fits(said, Stand::Literal)).then_some(value.span)?
    } else {
        let direct = signs > 0 && white_after == 0;
        // Names of keys with such signs have names as values, too.
        let signs: &[u8] = if word == Word::Key { b"" } else { b".#/:" };
        // A tag of YAML, an anchor and an alias stand before a value: `password: !secret name`.
        let is_tagged = sign.ends_with(b":")
            && white_after > 0
            && matches!(text.get(from), Some(b'!' | b'&' | b'*'));
        let field = bare::field(text, start, from, direct, signs).filter(|_| !is_tagged);
        let plain = || {
            let span = from..from + bare::len(text.get(from..)?);
            // Of a value after a space, `password: Type`, only what no program can mean counts.
            let is_loose = white_after > 0 || !assigned;
            is_code = is_loose || matches!(text.get(span.end), Some(b',' | b')'));
            let stand = if is_loose { Stand::Loose } else { Stand::Bare };
            fits(part(&span), stand).then_some(span)
        };
        let stand = if assigned { Stand::Field } else { Stand::Bare };
        field.filter(|span| fits(part(span), stand)).or_else(plain)?
    };
    let body = part(&span);
    let has_choice = quote.is_none() && body.windows(2).any(|two| two == b"??");
    // A raw literal may be a regular expression: `r"[A-Z]{8}[0-9]+"`.
    let is_regex = opening.is_some_and(|opening| opening.is_raw)
        && body.contains(&b'[')
        && body.contains(&b']');
    // `force_pass=ForceLengthPass2016,` is an argument, and a field of a form has the name of an element.
    let is_code = is_code || rest.get(..name).is_some_and(is_form);
    if is_code && Shape::of(body).is_name() || has_choice || is_regex || !claims.is_free(&span) {
        return None;
    }
    let name = text.get(start.saturating_sub(40)..end + name).unwrap_or_default();
    let name = name.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
    let (family, pattern) = match word {
        Word::Key if naming::is_open(&Words::of(name)) => return None,
        Word::Key => (naming::family_after(name), "assigned_key"),
        _ => ("generic_secret", "assigned_password"),
    };
    // In `"%s…" % value` the place for the value is none of the secret.
    let behind = text.get(span.end + 1..).unwrap_or_default().trim_ascii_start();
    let filled = if behind.starts_with(b"%") && body.starts_with(b"%s") { 2 } else { 0 };
    Some(Hit { family, name: pattern, span: span.start + filled..span.end })
}

/// Tells whether a name goes on as that of a part of a form: `PASSWORD_FIELD`.
fn is_form(name: &[u8]) -> bool {
    const PARTS: [&[u8]; 6] = [b"field", b"input", b"label", b"name", b"id", b"selector"];
    let name = name.to_ascii_lowercase();
    PARTS.iter().any(|part| name.ends_with(part))
}

/// The beginning of a call that a literal is wrapped in: `Field(default=`, `SecretStr(`.
pub(super) static CALL: Form = LazyLock::new(|| {
    Regex::new(r"^[\w.]{0,30}(?:\(default *= *|(?:SecretStr|Secret|Field)\((?:default *= *)?)").ok()
});

/// How much of a text is such a beginning, if a literal follows.
fn call_len(text: &[u8]) -> usize {
    if !text.first().is_some_and(u8::is_ascii_alphabetic) {
        return 0;
    }
    let len =
        CALL.as_ref().and_then(|form| form.find(near(text, 0, 60))).map_or(0, |call| call.len());
    if Opening::of(text.get(len..).unwrap_or_default()).is_some() { len } else { 0 }
}

/// How much of a text is a type and the sign behind it, if a literal follows: `&'static str =`.
fn type_len(text: &[u8]) -> usize {
    const LENS: RangeInclusive<usize> = 3..=40;
    let is_type = |byte: &&u8| byte.is_ascii_alphanumeric() || b" &[]<>_:;?|.*".contains(byte);
    let white = row(text, 0, 8, b" ");
    let rest = text.get(white..).unwrap_or_default();
    let lead = white + if rest.starts_with(b"&'") { 2 } else { 0 };
    let len = lead + text.iter().skip(lead).take(*LENS.end()).take_while(is_type).count();
    let behind = len + 1 + row(text, len + 1, 8, b" \t(");
    let rest = text.get(behind..).unwrap_or_default();
    let is_literal = || call_len(rest) > 0 || Opening::of(rest).is_some();
    let is_typed = LENS.contains(&len) && text.get(len) == Some(&b'=') && is_literal();
    if is_typed { len + 1 } else { 0 }
}

/// What stands between a word and its value, as far as all values have it.
struct Lead {
    /// For how long the word's name goes on.
    name: usize,
    white: usize,
    /// How many signs assign.
    signs: usize,
    /// Where the last of them ends, after the word.
    end: usize,
}

impl Lead {
    /// Names go on for so long after the word: `password_confirmation`.
    const NAME_MAX: usize = 24;

    /// Reads on from the end of a word.
    fn of(text: &[u8], end: usize) -> Self {
        let text = text.get(end..).unwrap_or_default();
        let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let name = text.iter().take(Self::NAME_MAX).take_while(is_name).count();
        let quoted = name + row(text, name, 3, b"\"'`])\\*");
        let white = row(text, quoted, 8, b" \t");
        let signs = row(text, quoted + white, 3, b"!:=>?|");
        // Behind one that assigns, other signs are of the value: `password=!a1…`.
        let all = text.get(quoted + white..quoted + white + signs).unwrap_or_default();
        let signs = match all.iter().position(|sign| b":=>".contains(sign)) {
            Some(first) => first + 1 + row(all, first + 1, 2, b":=>"),
            None => signs,
        };
        Self { name, white, signs, end: quoted + white + signs }
    }
}
