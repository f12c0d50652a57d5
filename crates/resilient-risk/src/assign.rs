//! Secrets that are recognised by what stands before them: `password = "…"`, `IDENTIFIED BY '…'`,
//! `scheme://user:password@host`, and the blocks of private keys.
//!
//! A value counts when it is neither a word nor a dummy nor code.

mod address;
mod column;
mod command;
mod opening;

use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use memchr::{memchr, memchr3, memrchr};
use regex::bytes::{Match, Regex};

use self::opening::Opening;
use super::bits::run_of;
use super::features::Words;
use super::literals::{Literal, Place};
use super::tables::{OTHER_ENDS, OTHER_WORDS};
use super::token::Shape;
use super::words::{Said, VALUE_REACH, Word};
use super::{decode, naming, pii, placeholder};

/// One value that was recognised by its surroundings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) family: &'static str,
    pub(super) name: &'static str,
    pub(super) span: Range<usize>,
}

/// Where values go, and which places are taken already.
pub(super) trait Claimed {
    /// Tells whether nothing of a span is taken.
    fn is_free(&self, span: &Range<usize>) -> bool;
    /// Takes the place of a value.
    fn claim(&mut self, hit: Hit);
}

/// How something is written that stands behind a word.
type Form = LazyLock<Option<Regex>>;

/// The code of a bank behind a sign: `BIC: …`.
static BANK: Form = LazyLock::new(|| {
    Regex::new(r#"^[A-Za-z _/"'\\\]-]{0,15}[:=][:=> "'\\]{0,7}([A-Z0-9]+)(?:[^A-Za-z0-9_-]|$)"#)
        .ok()
});

/// `"auth": "…"` of the files in which container tools keep their logins.
static AUTH: Form = LazyLock::new(|| Regex::new(r#"^auth"[: ]+""#).ok());

/// Finds the values after the words of a text.
pub(super) fn find(text: &[u8], words: &[Said], claims: &mut impl Claimed) {
    // Up to here the text is tables.
    let mut tables = 0;
    for said in words.iter().copied() {
        let Said { word, start, end } = said;
        if is_other(text, said) {
            continue;
        }
        let option = || command::option(text, said).filter(|hit| claims.is_free(&hit.span));
        let hit = match word {
            Word::Url => address::credentials(text, start, end),
            Word::Tcp => address::before_tcp(text, start),
            Word::Port => address::pgpass(text, start),
            Word::User => command::user(text, end),
            Word::Share => command::share(text, start),
            Word::Basic => basic(text, end),
            Word::Dummy => None,
            Word::Bank => bank(text, start, end).filter(|hit| claims.is_free(&hit.span)),
            Word::Command => option(),
            _ => value(text, said, claims).or_else(|| auth(text, start)).or_else(option),
        };
        if let Some(hit) = hit {
            claims.claim(hit);
        } else if matches!(word, Word::Password | Word::ShortPassword) {
            column::find(text, start, &mut tables, claims);
        }
    }
}

/// Tells whether the word at a place only begins or ends as one for passwords does, as `passive` and `compass`, or is a part
/// of the name of a resource of Amazon: `arn:aws:secretsmanager:…:secret:…`.
fn is_other(text: &[u8], Said { word, start, end }: Said) -> bool {
    const NAME_MAX: usize = 100;
    let begins = |other: &&[u8]| near(text, start, other.len()).eq_ignore_ascii_case(other);
    let ends = |other: &&[u8]| {
        let from = end.checked_sub(other.len());
        from.is_some_and(|from| near(text, from, other.len()).eq_ignore_ascii_case(other))
    };
    let in_name = || {
        let before = text.get(start.saturating_sub(NAME_MAX)..start).unwrap_or_default();
        let is_outside = |byte: &u8| !byte.is_ascii_alphanumeric() && !b":-/_.".contains(byte);
        let name = before.rsplit(is_outside).next().unwrap_or_default();
        name.starts_with(b"arn:")
    };
    word == Word::Password && (OTHER_WORDS.iter().any(begins) || OTHER_ENDS.iter().any(ends))
        || start.checked_sub(1).and_then(|at| text.get(at)) == Some(&b':') && in_name()
}

/// The text from a position on, up to some length.
fn near(text: &[u8], from: usize, len: usize) -> &[u8] {
    text.get(from..from + len).or_else(|| text.get(from..)).unwrap_or_default()
}

/// The line around a position, as far as it is near.
fn line_around(text: &[u8], at: usize) -> Range<usize> {
    const REACH: usize = 200;
    let (from, to) = (at.saturating_sub(REACH), text.len().min(at + REACH));
    super::work::spend((to - from) / 4);
    let start = memrchr(b'\n', text.get(from..at).unwrap_or_default());
    let end = memchr(b'\n', text.get(at..to).unwrap_or_default());
    start.map_or(from, |start| from + start + 1)..end.map_or(to, |end| at + end)
}

/// Where a match in the text behind a position stands.
fn behind(end: usize, found: &Match<'_>) -> Range<usize> {
    end + found.start()..end + found.end()
}

/// Reads the code of a bank behind a word that is no end of another one.
fn bank(text: &[u8], start: usize, end: usize) -> Option<Hit> {
    const REACH: usize = 48;
    let code = BANK.as_ref()?.captures(near(text, end, REACH))?.get(1)?;
    let before = start.checked_sub(1).and_then(|before| text.get(before));
    let fits = !before.is_some_and(u8::is_ascii_alphanumeric) && pii::is_bank(code.as_bytes());
    fits.then(|| Hit { family: "pii", name: "bic", span: behind(end, &code) })
}

/// Reads the value after a word.
fn value(text: &[u8], Said { word, start, end }: Said, claims: &impl Claimed) -> Option<Hit> {
    super::work::spend(VALUE_REACH / 4);
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
    if rest.get(at - signs) == Some(&b':') {
        at += type_len(rest.get(at..).unwrap_or_default());
    }
    // `**password:** …`
    if signs > 0 && rest.get(at..).is_some_and(|rest| rest.starts_with(b"**")) {
        at += 2;
    }
    // `option(PASSWORD, "…")`
    let listed = signs == 0 && rest.get(at) == Some(&b',') && word == Word::Password;
    at += usize::from(listed);
    let white_after = row(rest, at, 8, b" \t(");
    at += white_after;
    let rest = rest.get(at..)?;
    let opening = Opening::of(rest);
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
    let from = end + at + opening.map_or(0, |opening| opening.len);
    let mut value = Value::of(text, from, opening)?;
    let bare = quote.is_none();
    let rest = if bare { rest_of_entry(text, start, value.span.end) } else { None };
    let whole = value.span.start..rest.unwrap_or(value.span.end);
    // What stands before a blank is a password by itself.
    if text.get(value.span.end) != Some(&b' ') {
        value.span.end = whole.end;
    }
    let span = &value.span;
    if !PASSWORD_LENS.contains(&value.len()) || !is_telling(text.get(span.clone())?, bare) {
        return None;
    }
    // Of an unquoted value after a space, `password: Type`, only what no program can mean counts.
    let loose = bare && (white_after > 0 || !assigned) && !is_entry(text, start, &whole);
    // `force_pass=ForceLengthPass2016,` is an argument, and `passLength=length??16` code.
    let is_code = loose || listed || bare && matches!(text.get(span.end), Some(b',' | b')'));
    let body = text.get(span.clone())?;
    let has_choice = || body.windows(2).any(|two| two == b"??");
    // A raw literal may be a regular expression: `r"[A-Z]{8}[0-9]+"`.
    let is_regex = || {
        opening.is_some_and(|opening| opening.is_raw)
            && body.contains(&b'[')
            && body.contains(&b']')
    };
    if is_code && Shape::of(body).is_name() || bare && has_choice() || is_regex() {
        return None;
    }
    if !claims.is_free(&whole) || !is_password(text, &value, bare, loose, word) {
        return None;
    }
    password(text, start, end + name, word, whole)
}

/// Tells whether a value has a digit. One without digits is a word, unless signs stand in it.
fn is_telling(value: &[u8], bare: bool) -> bool {
    // `%NAME%` is a place for a value.
    let is_framed = value.first() == value.last();
    let has_symbol = || value.iter().any(|byte| is_symbol(*byte)) && !Shape::of(value).is_wordy();
    value.iter().any(u8::is_ascii_digit) || !bare && !is_framed && has_symbol()
}

/// Tells whether a word and its value are all of their line, or follow the name of a user, as in the files of programs
/// that log in: `login bob password …`. A name of a type may be all of a line, too.
fn is_entry(text: &[u8], start: usize, value: &Range<usize>) -> bool {
    let line = line_around(text, start);
    let part = |part: Range<usize>| text.get(part).unwrap_or_default();
    let before = part(line.start..start);
    let mut back = before.trim_ascii_end().rsplit(u8::is_ascii_whitespace);
    let follows = back.next().is_some_and(|user| !user.is_empty())
        && back.next().is_some_and(|word| matches!(word, b"login" | b"user" | b"username"));
    let is_alone = || {
        let names =
            before.iter().all(|byte| byte.is_ascii_alphanumeric() || b" \t\"'_*-".contains(byte));
        let words = before.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
        names && words <= 1 && part(value.end..line.end).trim_ascii().is_empty()
    };
    (follows || is_alone()) && !Shape::of(part(value.clone())).is_name()
}

/// Where the value of an entry ends that a sign of its own cuts: a line of a name and a value, as in a file of properties.
/// A name behind the sign makes it a query, `password=…&user=…`, or a list of settings.
fn rest_of_entry(text: &[u8], start: usize, cut: usize) -> Option<usize> {
    const SIGNS: &[u8] = b"&;|,<";
    let sign = text.get(cut)?;
    if !SIGNS.contains(sign) && *sign != b' ' {
        return None;
    }
    let line = line_around(text, start);
    let before = text.get(line.start..start)?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b" \t_.-*".contains(byte);
    let rest = text.get(cut..line.end)?.trim_ascii_end();
    let behind = rest.get(1..)?;
    // `q7Rk9zPw x2B5mQ8d`, `q7Rk&x2B5`: what follows is no word, no command of a shell and no other value.
    let shape = Shape::of(behind);
    let is_random = behind.len() >= 3
        && shape.digits > 0
        && shape.changes * 3 >= shape.len
        && !shape.is_wordy()
        && behind
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || is_symbol(*byte) || SIGNS.contains(byte));
    let is_entry = before.iter().all(is_name);
    let last = rest.last()?;
    (is_entry && is_random && !b";,".contains(last)).then_some(cut + rest.len())
}

/// The value of a word whose name ends at a place, as few are.
fn password(text: &[u8], start: usize, end: usize, word: Word, span: Range<usize>) -> Option<Hit> {
    let name = text.get(start.saturating_sub(40)..end).unwrap_or_default();
    let name = name.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
    if word == Word::Key && naming::is_open(&Words::of(name)) {
        return None;
    }
    // In `"%s…" % value` the place for the value is none of the secret.
    let behind = text.get(span.end + 1..).unwrap_or_default().trim_ascii_start();
    let value = text.get(span.clone()).unwrap_or_default();
    let is_filled = behind.starts_with(b"%") && value.starts_with(b"%s");
    let span = span.start + if is_filled { 2 } else { 0 }..span.end;
    Some(Hit {
        family: if word == Word::Key { naming::family_after(name) } else { "generic_secret" },
        name: if word == Word::Key { "assigned_key" } else { "assigned_password" },
        span,
    })
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
    let is_literal = || Opening::of(text.get(behind..).unwrap_or_default()).is_some();
    let is_typed = LENS.contains(&len) && text.get(len) == Some(&b'=') && is_literal();
    if is_typed { len + 1 } else { 0 }
}

/// How many consecutive bytes of a text are one of some, from a place on and up to some number.
fn row(text: &[u8], at: usize, most: usize, of: &[u8]) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    rest.iter().take(most).take_while(|byte| of.contains(byte)).count()
}

/// The length of the value that a text begins with: up to its quote, or what no value has that stands in none. Of
/// one that is longer than passwords are, it only tells that.
fn value_len(text: &[u8], quote: Option<u8>) -> usize {
    const FAR: usize = 2 * *PASSWORD_LENS.end();
    let text = text.get(..FAR).unwrap_or(text);
    if let Some(quote) = quote {
        return memchr3(quote, b'\n', b'\\', text).unwrap_or(text.len());
    }
    let rest = |at: usize| text.get(at..).unwrap_or_default();
    let mut len = run_of(text, is_bare);
    // These three begin other signs, too.
    while matches!(rest(len), [0xC2 | 0xE2 | 0xE3, ..])
        && !SIGNS.iter().any(|sign| rest(len).starts_with(sign))
    {
        len += 1 + run_of(rest(len + 1), is_bare);
    }
    len
}

/// Blanks and signs outside of ASCII: a no-break space, a closing quote, a dash, a full stop of Chinese.
const SIGNS: [&[u8]; 3] = [&[0xC2, 0xA0], &[0xE2, 0x80], &[0xE3, 0x80]];

/// Tells whether a value without quotes goes on with a byte, whatever stands behind it.
#[inline(always)]
fn is_bare(byte: u8) -> bool {
    let ends = b"&'\";<>|\\]),}`\x7F\xC2\xE2\xE3";
    byte > b' ' && ends.iter().fold(true, |is, end| is & (byte != *end))
}

/// The value after a word.
struct Value {
    span: Range<usize>,
    /// What it says, where it is written with escapes.
    said: Option<Vec<u8>>,
}

/// A value with escapes is not longer as it is written.
const WRITTEN_MAX: usize = 6 * *PASSWORD_LENS.end();

/// Tells whether a literal ends here: at its quote, but not at two that are one.
fn is_closing(text: &[u8], at: usize, opening: Opening) -> bool {
    let doubled = opening.doubles() && text.get(at + 1) == Some(&opening.quote);
    text.get(at) == Some(&opening.quote) && !doubled
}

impl Value {
    /// The value from a place on, which is in the literal that begins there, or in none.
    fn of(text: &[u8], from: usize, opening: Option<Opening>) -> Option<Self> {
        let quote = opening.map(|opening| opening.quote);
        let len = value_len(text.get(from..)?, quote);
        let plain = Self { span: from..from + len, said: None };
        let Some(opening) = opening else { return Some(plain) };
        if let Some(span) = opening.raw(text, from) {
            return Some(Self { span, said: None });
        }
        let is_plain = !opening.is_escaped && is_closing(text, plain.span.end, opening);
        if is_plain { Some(plain) } else { Self::quoted(text, from, opening) }
    }

    fn len(&self) -> usize {
        self.said.as_ref().map_or(self.span.len(), Vec::len)
    }

    /// The value in quotes from a place on, up to its own closing quote. Escaped quotes are those of a
    /// literal in a literal.
    fn quoted(text: &[u8], from: usize, opening: Opening) -> Option<Self> {
        let Opening { quote, is_escaped: escaped, .. } = opening;
        let rest = text.get(from..).unwrap_or_default();
        let rest = rest.get(..WRITTEN_MAX).unwrap_or(rest);
        super::work::spend(rest.len() / 4);
        if let Some((len, said)) = unescaped(rest, opening) {
            return Some(Self { span: from..from + len, said: Some(said) });
        }
        // In a raw literal a backslash may be the last character.
        let len = rest.iter().position(|byte| *byte == quote || *byte == b'\n')?;
        let raw = !escaped && quote == b'\'' && rest.get(len) == Some(&quote);
        raw.then(|| Self { span: from..from + len, said: None })
    }
}

/// What a literal says whose body a text begins with, and how long this body is.
fn unescaped(text: &[u8], opening: Opening) -> Option<(usize, Vec<u8>)> {
    let Opening { quote, is_escaped: escaped, .. } = opening;
    let (mut at, mut said) = (0, Vec::new());
    loop {
        let byte = *text.get(at)?;
        let rest = text.get(at + 1..).unwrap_or_default();
        match byte {
            b'\n' => return None,
            _ if byte == quote && escaped => return None,
            _ if byte == quote && opening.doubles() && rest.starts_with(b"'") => {
                said.push(quote);
                at += 2;
            }
            _ if byte == quote => return Some((at, said)),
            b'\\' if escaped && rest.first() == Some(&quote) => return Some((at, said)),
            b'\\' => {
                // In a literal in a literal a backslash is two, and what follows may be written with one.
                let inner = usize::from(escaped && rest.starts_with(b"\\"));
                let rest = rest.get(inner..).unwrap_or_default();
                let outer = usize::from(inner == 1 && rest.starts_with(b"\\"));
                let len = escape(rest.get(outer..).unwrap_or_default(), &mut said)?;
                at += 1 + inner + outer + len;
            }
            _ => {
                said.push(byte);
                at += 1;
            }
        }
    }
}

/// Undoes the escape whose backslash stands before a text, and tells how long it is.
fn escape(text: &[u8], said: &mut Vec<u8>) -> Option<usize> {
    let hex = |from: usize, len: usize| {
        let digits = std::str::from_utf8(text.get(from..from + len)?).ok()?;
        char::from_u32(u32::from_str_radix(digits, 16).ok()?)
    };
    let (char, len) = match text.first()? {
        b'n' | b'r' => ('\n', 1),
        b't' => ('\t', 1),
        b'u' => (hex(1, 4)?, 5),
        b'x' => (hex(1, 2)?, 3),
        byte if byte.is_ascii() => (char::from(*byte), 1),
        _ => return None,
    };
    said.extend(char.encode_utf8(&mut [0; 4]).bytes());
    Some(len)
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
        Self { name, white, signs, end: quoted + white + signs }
    }
}

/// Passwords are so long.
const PASSWORD_LENS: RangeInclusive<usize> = 7..=80;

/// Tells whether a value is a password rather than a word, a dummy or code.
fn is_password(text: &[u8], value: &Value, bare: bool, loose: bool, word: Word) -> bool {
    let Value { span, said } = value;
    let value = said.as_deref().or_else(|| text.get(span.clone())).unwrap_or_default();
    let count = |is: fn(u8) -> bool| value.iter().filter(|byte| is(**byte)).count();
    let (letters, digits) =
        (count(|byte| byte.is_ascii_alphabetic()), count(|byte| byte.is_ascii_digit()));
    let (symbols, code) = (count(is_symbol), count(is_code));
    // What can be counted comes first: most values are none.
    // `${NAME}`, and `^…` of a regular expression.
    let is_place = value.starts_with(b"$")
        || value.starts_with(b"^") && value.iter().any(|byte| b"[](){}\\.$|".contains(byte))
        || is_colour(value)
        || PLACES.iter().any(|place| value.starts_with(place))
        || word == Word::Sql && value.starts_with(b"%");
    let is_spelled = value.iter().all(u8::is_ascii_graphic) || !bare && has_foreign_letters(value);
    if !is_spelled || letters < 2 || is_place || is_versioned(value) {
        return false;
    }
    let marks = value.len() - letters - digits - symbols;
    // Only a bare value can be code. One in quotes may be a template, or a path with many marks.
    let is_literal = !bare && word != Word::Key;
    if !is_literal && (marks > 2 || code > 0) {
        return false;
    }
    let (symbols, shape) = (symbols + code, Shape::of(value));
    let classes = [shape.lower, shape.upper, shape.digits, symbols];
    let classes = classes.iter().filter(|count| **count > 0).count();
    // Paths and sentences have other marks, and names with dashes fewer digits.
    let is_dashed = || {
        value
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_=".contains(byte) || is_symbol(*byte))
            && shape.changes * 3 >= shape.len
            && shape.digits >= 2
            && !shape.is_wordy()
            && !shape.is_name()
    };
    let mixed = classes >= 3 && (symbols > 1 || is_literal && is_dashed());
    if marks > 2 && !mixed || code > 0 && is_template(value) {
        return false;
    }
    let dense = shape.changes * 3 >= shape.len;
    let strong = match word {
        Word::Key => {
            classes >= 3
                && dense
                && value.len() >= 14
                && shape.digits >= 2
                && !loose
                && !value.contains(&b'.')
                && (shape.odd_pairs * 4 >= shape.pairs
                    || shape.digits >= 4
                    || shape.changes * 2 >= shape.len)
        }
        _ if loose => {
            let marked = value.iter().any(|byte| b"!@#$%^&*~?".contains(byte));
            classes >= 3 && (marked || dense && shape.changes >= 5)
        }
        _ if bare => {
            classes >= 3 && (symbols > 0 || dense)
                || dense && shape.changes >= 4 && shape.digits >= 3 && value.len() >= 8
        }
        _ => {
            classes >= 3 && shape.changes >= 3
                || dense && shape.changes >= 4
                || shape.is_odd() && shape.digits >= 2
        }
    };
    // An address or a path is none; a symbol at the end of a word alone is punctuation.
    let is_path = || value.windows(2).any(|two| matches!(two, b"->" | b"::" | b"//"));
    strong && !is_path() && !placeholder::is_dummy(value)
}

/// Where a value says that the secret stands elsewhere: `env:NAME`, `vault:path`.
const PLACES: [&[u8]; 6] = [b"env:", b"file:", b"vault:", b"op:", b"ssm:", b"secret:"];

/// Tells whether a value is a colour: `#7f00b4`.
fn is_colour(value: &[u8]) -> bool {
    let digits = value.strip_prefix(b"#").unwrap_or_default();
    matches!(digits.len(), 6 | 8) && digits.iter().all(u8::is_ascii_hexdigit)
}

/// Tells whether a value is spelled with letters of other alphabets, too, but mostly without them.
fn has_foreign_letters(value: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let foreign = text.chars().filter(|char| !char.is_ascii()).count();
    foreign * 3 <= text.chars().count()
        && text.chars().all(|char| char.is_ascii_graphic() || char.is_alphabetic())
}

/// Tells whether a value is the name of a type with the version of an interface before it: `V1SecretReference`.
fn is_versioned(value: &[u8]) -> bool {
    let [b'v' | b'V', rest @ ..] = value else { return false };
    let is_version = |byte: &u8| byte.is_ascii_digit() || b"alphbet".contains(byte);
    let end = rest.iter().position(|byte| !is_version(byte)).unwrap_or(rest.len());
    let (version, name) = rest.split_at(end);
    let is_capital = |byte: &u8| byte.is_ascii_uppercase() || *byte == b'.';
    version.first().is_some_and(u8::is_ascii_digit)
        && name.first().is_some_and(is_capital)
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'.')
        && Shape::of(name).is_name()
}

const fn is_symbol(byte: u8) -> bool {
    matches!(byte, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'~' | b'?' | b'+')
}

/// Tells whether a byte is a bracket or a bar, which are in the code of programs.
const fn is_code(byte: u8) -> bool {
    matches!(byte, b'{' | b'}' | b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'|')
}

/// Tells whether a value has an index or a call, or is mostly a place in brackets that something is put into.
fn is_template(value: &[u8]) -> bool {
    let named = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.:,'\"/@ ".contains(byte);
    let places = value.iter().enumerate().filter_map(|(at, open)| {
        let close = match open {
            b'{' => b'}',
            b'[' => b']',
            b'(' => b')',
            b'<' => b'>',
            _ => return None,
        };
        let (before, inside) = (value.get(..at)?, value.get(at + 1..)?);
        if matches!((open, inside.first()?), (b'{', b'{' | b'%') | (b'<', b'%')) {
            return Some(value.len());
        }
        let len = inside.iter().position(|byte| !named(byte))?;
        let name = inside.get(..len).filter(|_| inside.get(len) == Some(&close))?;
        let is_index = *open == b'[' && name.iter().all(u8::is_ascii_digit);
        let is_call = name.is_empty() && value.ends_with(b"()");
        let is_filled = matches!(before.last(), Some(b'$' | b'%' | b'#'));
        Some(if is_index || is_call || is_filled { value.len() } else { len + 2 })
    });
    places.max().unwrap_or(0) * 2 > value.len()
}

/// Reads what follows the word in `"auth": "…"`.
fn auth(text: &[u8], start: usize) -> Option<Hit> {
    const REACH: usize = 16;
    let found = AUTH.as_ref()?.find(near(text, start, REACH))?;
    basic(text, start + found.end())
}

/// Reads the credentials of HTTP's basic authentication: base64 of `user:password`.
fn basic(text: &[u8], end: usize) -> Option<Hit> {
    const REACH: usize = 200;
    let rest = near(text, end, REACH);
    let len = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || b"+/=".contains(b)).count();
    let token = std::str::from_utf8(rest.get(..len)?).ok()?;
    let decoded = decode::base64_text(token)?;
    let (user, password) = decoded.split_once(':')?;
    let plain = !decoded.chars().any(char::is_control) && !user.is_empty() && password.len() >= 4;
    let dummy = matches!(password, "pass" | "password" | "secret" | "test" | "user" | "admin");
    (plain && !dummy && len >= 12).then(|| Hit {
        family: "generic_secret",
        name: "basic_authorization",
        span: end..end + len,
    })
}

/// Finds the blocks of private keys that the paper's pattern misses: a bare `BEGIN PRIVATE KEY`
/// and PGP's, when key material follows.
pub(super) fn key_blocks(text: &[u8], places: &[Place], mut each: impl FnMut(Hit)) {
    const HEADS: [&[u8]; 2] = [b"PRIVATE KEY-----", b"PGP PRIVATE KEY BLOCK-----"];
    for place in places.iter().filter(|place| place.literal == Literal::Begin) {
        let Some(at) = place.at.checked_sub(5) else { continue };
        if text.get(at..place.at) != Some(b"-----") {
            continue;
        }
        let rest = text.get(at + 11..).unwrap_or_default();
        let head = HEADS.iter().find(|head| rest.starts_with(head));
        let Some(head) = head else { continue };
        let body = rest.get(head.len()..).unwrap_or_default();
        if has_material(body) {
            let span = at..at + 11 + head.len();
            each(Hit { family: "pem_block", name: "private_key_block", span });
        }
    }
}

/// Tells whether base64 begins soon, over line feeds in any notation.
fn has_material(body: &[u8]) -> bool {
    let near = body.get(..200).unwrap_or(body);
    near.split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'+' || *byte == b'/'))
        .any(|word| word.len() >= 24 && Shape::of(word).digits >= 1)
}

#[cfg(test)]
mod tests {
    use super::super::survey::Survey;
    use super::super::words::AUTHORITY_REACH;
    use super::*;

    impl Claimed for Vec<Hit> {
        fn is_free(&self, _: &Range<usize>) -> bool {
            true
        }

        fn claim(&mut self, hit: Hit) {
            self.push(hit);
        }
    }

    #[test]
    fn every_form_is_a_regex() {
        assert!(BANK.is_some() && AUTH.is_some());
        assert!(address::FORMS.iter().chain(&command::FORMS).all(|form| form.is_some()));
    }

    fn found(text: &str) -> Vec<(&'static str, &str)> {
        let mut hits = Vec::new();
        let bytes = text.as_bytes();
        find(bytes, &Survey::of(bytes).words, &mut hits);
        hits.into_iter().map(|hit| (hit.name, &text[hit.span])).collect()
    }

    #[test]
    fn a_value_after_a_word_is_found() {
        let value = ["q7", "Rk!9", "zPw"].concat();
        for text in [
            format!("password = \"{value}\""),
            format!("PWD:{value}"),
            format!("user=x,pw={value}"),
            format!("IDENTIFIED BY '{value}'"),
            format!("login password '{value}';"),
            format!("\"db_password\": \"{value}\""),
            format!("def f(passwd: str = \"{value}\")"),
            format!("ANY_PW:{value}"),
        ] {
            assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
        }
    }

    #[test]
    fn words_that_only_begin_like_password_and_names_in_programs_announce_nothing() {
        let value = ["q7", "Rk!9", "zPw"].concat();
        for text in [
            format!("is_passive = \"{value}\""),
            format!("(\"Rose Passion\", \"{value}\")"),
            format!("\"arn:aws:secretsmanager:us-west-2:123456789012:secret:Db-{value}\""),
            "curve(force_pass=ForceLengthPassGroote2016, x=1)".to_owned(),
            "    Password?: XmlStringMaxLen256;".to_owned(),
            "import SecretListParams = Apps1.SecretListParams;".to_owned(),
            "t.minPasswordLength=e.minPasswordLength??6,t.x".to_owned(),
            "--test-pass-color: #00d6b2;".to_owned(),
            format!("compass = \"{value}\""),
            "[\"user\", \"pass\", \"base64Encoder\"]".to_owned(),
            "['id', 'password', 'created_at_utc1']".to_owned(),
            "password: enter the one of server 3".to_owned(),
            "password = r\"[A-Z]{90}[a-z0-9]+\"".to_owned(),
            "run --password env:Debug_PW84".to_owned(),
            "password = \"^[a-z]{8}[0-9A-Z]$\"".to_owned(),
            "password = \"my-secret-name-Of-2\"".to_owned(),
        ] {
            assert_eq!(found(&text), [], "{text}");
        }
        assert_eq!(found(&format!("arn = 1, password:{value}")).len(), 1);
    }

    #[test]
    fn the_value_of_an_entry_goes_to_the_end_of_its_line() {
        let value = ["w7yyJF$~#h", "GP&k5tQz"].concat();
        for text in [
            format!("machine h login bob password {value}\n"),
            format!("db.password={value}\r\nx=1"),
            format!("**password:** {value}"),
            format!("x || process.env.DB_PASSWORD || \"{value}\""),
            format!("getenv(\"DB_PASSWORD\") ?: '{value}'"),
            format!("env[\"PASSWORD\"] ?? '{value}'"),
        ] {
            assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
        }
        let query = format!("password={}&user=b", value.replace('&', ""));
        assert_eq!(found(&query)[0].1, value.replace('&', ""));
        let plain = ["q7Rk9", "zPwX2vLm"].concat();
        for behind in [";./run2", "&&make", "|tee", " 2024-01-02", " v2.0", " host2:5432"] {
            let text = format!("PASSWORD={plain}{behind}");
            assert_eq!(found(&text), [("assigned_password", plain.as_str())], "{text}");
        }
        let triple = ["q7Rk", "9zPwX2mB"].concat();
        let with_blank = ["Ab3dEf9h", " i6wRbgJc"].concat();
        let text = format!("password: {with_blank}\n");
        assert_eq!(found(&text), [("assigned_password", with_blank.as_str())], "{text}");
        for value in ["^".to_owned() + &triple, triple.replace("9z", "-9=_z")] {
            let text = format!("password = \"{value}\"\n");
            assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
        }
        for prefix in ["", "r", "b"] {
            let text = format!("password = {prefix}'''{triple}'''\n");
            assert_eq!(found(&text), [("assigned_password", triple.as_str())], "{text}");
        }
    }

    #[test]
    fn a_password_that_a_command_is_given_is_found() {
        let value = ["q7Rk", "9zPwX2"].concat();
        for text in [
            format!("mysql -u root -p{value} db"),
            format!("mysqldump -u root -p'{value}' db"),
            format!("sshpass -p {value} ssh host"),
            format!("sshpass -p '{value}' ssh host"),
            format!("run --password {value} --all"),
            format!("run --db-password \"{value}\""),
        ] {
            assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
        }
        for text in [
            "mysql -u root -p db1 x",
            "mysql -p\ncat q7Rk9zPwX2",
            "run --password $P1",
            "sshpass -p file1",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn a_value_ends_where_no_password_goes_on() {
        let value = ["Bvm7rVk", "OQpRUA6Hx"].concat();
        for behind in
            ["\u{a0}", "。", "”", "—", "…", "\u{200b}", "|", ">", "\0", "\u{1b}[0m", "\nx"]
        {
            let text = format!("a password: {value}{behind}");
            assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text:?}");
        }
        let text = format!("password = \"\"\"{value}\"\"\"\n");
        assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text:?}");
    }

    #[test]
    fn a_user_and_password_of_a_command_end_where_its_literal_does() {
        let pair = ["developer:yqDV", "tkqPECriaLRi"].concat();
        for quote in ["`", "'", "\""] {
            for text in [
                format!("a = {quote}curl -d x -u {pair}{quote};\n"),
                format!("b = f({quote}curl -d x -u {pair}{quote}, 1)\n"),
            ] {
                assert_eq!(found(&text), [("command_line_user", pair.as_str())], "{text}");
            }
        }
    }

    #[test]
    fn the_code_of_a_bank_is_found_behind_a_word_and_a_sign() {
        for text in [
            "BIC: DEUTDEFF",
            "bic=\"DEUTDEFF\";",
            "SWIFT/BIC : DEUTDEFF",
            "{\"bic_code\": \"DEUTDEFF\"}",
        ] {
            assert_eq!(found(text), [("bic", "DEUTDEFF")], "{text}");
        }
        assert_eq!(found("BIC: BNPAFRPPXXX\n"), [("bic", "BNPAFRPPXXX")]);
        for text in [
            "cubic: DEUTDEFF",
            "BIC DEUTDEFF",
            "BIC: DEUTZZFF",
            "BIC: DEUTDEFFX",
            "BIC: Deutdeff",
            "BIC: DEUTDEFF_A",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn a_value_in_quotes_goes_to_its_own_closing_quote() {
        let value = ["S_q1L", "&I7S1"].concat();
        for written in [
            format!("{value}\\\\%3="),
            format!("{value}\\\"xY2"),
            format!("{value}\\u0026xY2"),
            format!("{value}\\x26xY2"),
            format!("{value}, xY2;)").replace(' ', ""),
        ] {
            let text = format!("{{\"db_password\": \"{written}\"}}");
            assert_eq!(found(&text), [("assigned_password", written.as_str())], "{text}");
            // The same as a literal in a literal.
            let escaped = written.replace('\\', "\\\\").replace('"', "\\\"");
            let text = format!("x = \"{{\\\"db_password\\\": \\\"{escaped}\\\"}}\"");
            assert_eq!(found(&text), [("assigned_password", escaped.as_str())], "{text}");
        }
        let text = format!("password = '{value}''x'\n");
        assert_eq!(found(&text), [("assigned_password", format!("{value}''x").as_str())]);
        // A raw literal ends with a backslash.
        let text = format!("password = '{value}\\'\n");
        assert_eq!(found(&text), [("assigned_password", format!("{value}\\").as_str())]);
        for open in ["password = \"q7Rk!9zPw\\\"\n", "password = \"q7Rk!9\\nzPw\"\n"] {
            assert_eq!(found(open), [], "{open}");
        }
    }

    #[test]
    fn a_value_in_quotes_is_no_code_for_its_brackets() {
        for value in [
            ["q7Rk{!", "9zPw"],
            ["aB3)x|", "Y9>kk2"],
            ["T(4m]Q", "x8%Lz"],
            ["xK9(a)[jB", "V]7{kG}"],
            ["Fg+F55()-", "HQXB|vx"],
            ["vr{Rk;Lq", "Pm!?t%w,z"],
            ["V8Thund", "er!Bird[99"],
        ] {
            let value = value.concat();
            let text = format!("password = \"{value}\"");
            assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
            assert_eq!(found(&format!("password = {value}")), [], "{value}");
        }
        for text in [
            "password = \"{{vault.pw1}}\"",
            "password = \"{password1}!aB\"",
            "password = \"%(pass1)sXy!\"",
            "password = \"get_Pass1()\"",
            "password = \"users[1].Password\"",
            "password = \"Forgot+Password?\"",
            "password = \"Password*required\"",
            "passwordRegex = \"^(?=.*[A-Z]).{8,}$\"",
            "password = \"${Db_1}-aX2!#\"",
            "password = \"aB1/cD2/eF3/x.y\"",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn words_dummies_and_code_are_not() {
        for text in [
            "password = \"password\"",
            "password: Sha256Digest,",
            "TrafficSecrets::Aes128Gcm { key }",
            "${passed?\"bg-green-100\":\"bg-red-100\"}",
            "'secret_ref': 'V1SecretReference',",
            "a station identified by %NL80211_ATTR_MAC",
            "password = get_password()",
            "pass = ${DB_PASS1}",
            "passing: true",
            "password=\"<your password 1>\"",
            "key = \"some_identifier_2\"",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn credentials_in_addresses_are_found() {
        let password = ["s3cr", "etP4ss"].concat();
        let url = format!("amqps://me:{password}@bunny.cloudamqp.com");
        assert_eq!(found(&format!("x = '{url}/v'")), [("url_credentials", url.as_str())]);
        // A host that goes on and on is cut, but none of its characters.
        for before in ["", "a"] {
            let url = format!("amqps://me:{password}@{before}{}", "ü".repeat(AUTHORITY_REACH));
            let found = found(&url);
            assert!(matches!(found.as_slice(), [("url_credentials", cut)] if cut.len() > 300));
        }
        for url in ["http://user:pass@host/", "http://a.b/c@d", "https://x:${PW}@h"] {
            assert_eq!(found(url), [], "{url}");
        }
    }
}
