//! Passwords that commands are given: `--password …`, `mysql -p…`, `-u user:…`, `net use … /user:… …`.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::{memchr, memchr_iter};
use regex::bytes::Regex;

use super::super::keywords::{Keyword, KeywordHit};
use super::super::token::TokenStats;
use super::address::is_url_password;
use super::judge::{Stand, is_password};
use super::literal::Opening;
use super::shape::is_words_with_number;
use super::{Notation, ValueHit, bare, behind, line_around, near, quote, row};

/// What stands before the password that `-p` gives, and before the one that an option with a name does. PowerShell
/// may name the value once more: `ConvertTo-SecureString -String "…"`.
/// In a list of arguments each stands in quotes.
static SHORT_OPTION: Notation = LazyLock::new(|| Regex::new("[ \"']-p( *)").ok());
static REDIS_OPTION: Notation = LazyLock::new(|| Regex::new(" -a( +)").ok());
static LONG_OPTION: Notation =
    LazyLock::new(|| Regex::new("^[0-9A-Za-z_-]*( +)(?:-String +)?").ok());

/// `net use Z: \\\\host\\share … /user:name …`, with the password at either place.
static NET_USE: Notation = LazyLock::new(|| {
    let password = r#"(?:"([^"\n]+)"|([^\s"/]\S*))"#;
    Regex::new(&format!(
        r#"(?i)\bnet use +(?:\S{{1,2}} +)?"?\\\\[^\s"]+"? +(?:{password} +)?/user:\S+(?: +{password})?"#
    ))
    .ok()
});

/// So far is looked for the value of an option, and for its end.
const REACH: usize = 120;

/// Reads the password that an option of a command gives.
pub(super) fn option(text: &[u8], KeywordHit { word, start, end }: KeywordHit) -> Option<ValueHit> {
    const NAME_MAX: usize = 24;
    let before = text.get(start.saturating_sub(NAME_MAX)..start)?;
    let is_option =
        || before.rsplit(u8::is_ascii_whitespace).next().is_some_and(|name| name.starts_with(b"-"));
    let (form, is_one_word) = match word {
        Keyword::Command => (&SHORT_OPTION, true),
        Keyword::Login if before.ends_with(b"dock") => (&SHORT_OPTION, false),
        Keyword::Redis => (&REDIS_OPTION, false),
        Keyword::Password if before.ends_with(b"ssh") => (&SHORT_OPTION, false),
        Keyword::Password if near(text, end, 10) == b"word-stdin" => return None,
        Keyword::Password if before.ends_with(b"onvertTo-") || is_option() => (&LONG_OPTION, false),
        _ => return None,
    };
    let line = near(text, end, REACH).split(|byte| *byte == b'\n').next()?;
    let line = line.get(..command_len(line, word))?;
    let found = form.as_ref()?.captures(line)?;
    let at = behind(end, &found.get(0)?).end;
    let said = Spelled::of(text, at, b"\"'`\\;&|)<>")?.before_variable();
    let is_blank = found.get(1)?.is_empty();
    let fits = (is_blank || !is_one_word) && said.is_password();
    fits.then_some(ValueHit {
        family: "generic_secret",
        name: "assigned_password",
        span: said.span,
    })
}

/// How much of a line belongs to a command: an option behind it is of another one. A list of arguments ends with a bracket.
fn command_len(line: &[u8], word: Keyword) -> usize {
    let ends = |two: &[u8]| match two {
        [b'"' | b'\'', b']'] => word == Keyword::Command,
        [sign, _] => b";&|".contains(sign) && matches!(word, Keyword::Login | Keyword::Redis),
        _ => false,
    };
    line.windows(2).position(ends).unwrap_or(line.len())
}

/// A word of a shell.
struct Spelled<'a> {
    span: Range<usize>,
    /// What it says, without quotes and backslashes.
    said: Cow<'a, [u8]>,
    /// Quotes or backslashes show that its signs are no code.
    is_quoted: bool,
    /// Where the shell puts the first other value into it.
    place: Option<usize>,
}

impl<'a> Spelled<'a> {
    /// The word at a place, which some signs end outside of quotes.
    fn of(text: &'a [u8], at: usize, signs: &[u8]) -> Option<Self> {
        let rest = near(text, at, REACH);
        let opening = Opening::of(rest);
        let literal = opening.and_then(|of| Some((of.quote, of.value(text, at + of.len)?)));
        let (quote, span, said) = if let Some((quote, value)) = literal {
            (quote, value.span.clone(), Cow::Owned(value.said(text).to_vec()))
        } else {
            let len = bare::word_len(rest, &|byte| bare::is_none(byte, signs));
            (0, at..at + len, quote::without_escapes(rest.get(..len)?))
        };
        let written = text.get(span.clone())?;
        // What the shell expands begins so, unless a backslash stands before it.
        let is_place = |at: &usize| {
            let is_escaped =
                at.checked_sub(1).and_then(|before| written.get(before)) == Some(&b'\\');
            let next = written.get(at + 1);
            let expands =
                next.is_some_and(|next| next.is_ascii_alphabetic() || b"_{(".contains(next));
            *at == 0 || expands && !is_escaped
        };
        let place = memchr_iter(b'$', written).find(is_place).filter(|_| quote != b'\'');
        let is_quoted = quote != 0 || said.len() < written.len();
        (written.len() < REACH).then_some(Self { span, said, is_quoted, place })
    }

    /// The part of it before the variable that it ends with, if this part is a password by itself. A `$` of a password
    /// begins a name as well, so that the variable stands in quotes, and in braces or with a `_` in its name.
    fn before_variable(self) -> Self {
        let is_name =
            |name: &[u8]| name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        let is_variable = |text: &[u8]| match text {
            [b'$', b'{', name @ .., b'}'] => is_name(name),
            [b'$', name @ ..] => is_name(name) && name.contains(&b'_'),
            _ => false,
        };
        let split = |len: usize| {
            let (said, place) = self.said.split_at_checked(len)?;
            let is_whole = self.is_quoted && self.said.len() == self.span.len();
            let part = Self {
                span: self.span.start..self.span.start + len,
                said: Cow::Owned(said.to_vec()),
                is_quoted: true,
                place: None,
            };
            (is_whole && is_variable(place) && part.is_password()).then_some(part)
        };
        self.place.and_then(split).unwrap_or(self)
    }

    fn is_password(&self) -> bool {
        let stand = if self.is_quoted { Stand::Literal } else { Stand::Bare };
        is_password(&self.said, stand, Keyword::Password) || is_words_with_number(&self.said)
    }
}

/// Reads `user:password` after the option of that name.
pub(super) fn user(text: &[u8], end: usize) -> Option<ValueHit> {
    let at = end + row(text, end, 8, b" ");
    let pair = Spelled::of(text, at, b"\"'`\\")?;
    let colon = memchr(b':', &pair.said)?;
    let user = pair.said.get(..colon)?;
    // The password may be in quotes of its own.
    let own = Some(pair.span.start + colon + 1).filter(|at| *at == pair.span.end);
    let own = own.and_then(|at| Spelled::of(text, at, b"\"'`\\"));
    let end = own.as_ref().map_or(pair.span.end, |own| own.span.end);
    let (spelled, password) = match &own {
        Some(own) => (own, own.said.as_ref()),
        None => (&pair, pair.said.get(colon + 1..)?),
    };
    let stats = TokenStats::of(password);
    let odd = password.len() >= 10 && stats.has_rare_bigrams();
    let real = odd || is_url_password(password, user, b"localhost");
    // A `%` alone is a sign of a password.
    let is_place = |two: &[u8]| matches!(two, [b'%', b's' | b'd' | b'v' | b'%']);
    let has_code = |part: &[u8]| part.iter().any(|byte| b"$<>{}()".contains(byte));
    // In quotes, brackets are no code of a shell.
    let is_plain = || {
        spelled.is_quoted
            && spelled.place.is_none()
            && is_password(password, Stand::Literal, Keyword::Password)
    };
    let is_code = has_code(user)
        || has_code(password) && !is_plain()
        || password.windows(2).any(is_place)
        || password.starts_with(b":")
        || password.starts_with(b"//");
    let is_word = !pair.said.iter().chain(password).any(u8::is_ascii_whitespace);
    (password.len() >= 6 && real && !is_code && is_word).then_some(ValueHit {
        family: "generic_secret",
        name: "command_line_user",
        span: pair.span.start..end,
    })
}

/// Reads the password of a share, which stands before the name of a user or behind it.
pub(super) fn share(text: &[u8], start: usize) -> Option<ValueHit> {
    let line = line_around(text, start);
    let found = NET_USE.as_ref()?.captures(text.get(line.clone())?)?;
    let said = found.iter().skip(1).flatten().next()?;
    let fits = is_password(said.as_bytes(), Stand::Literal, Keyword::Password);
    let span = behind(line.start, &said);
    fits.then_some(ValueHit { family: "generic_secret", name: "assigned_password", span })
}
