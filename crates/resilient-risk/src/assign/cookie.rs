//! Cookies of a session: `Cookie: sessionid=…; theme=dark`, `Set-Cookie: …`, `curl -b '…'`, `cookies = {"sessionid": "…"}`.

use std::ops::Range;

use memchr::memmem;

use super::super::token::{TokenStats, is_uuid};
use super::super::{placeholder, work};
use super::{Claimed, ValueHit, near};

/// Between the word and the first name stand no more signs, in several lines of JSON: `"Cookie", "value": "`.
const SIGNS_MAX: usize = 80;

/// No name and no value is longer.
const NAME_MAX: usize = 64;
const VALUE_MAX: usize = 4096;

/// A shorter value may be anything.
const VALUE_MIN: usize = 16;

/// A value whose name does not tell is longer.
const UNNAMED_MIN: usize = 24;

/// Parts of the names of cookies that log somebody in.
const NAMES: [&[u8]; 9] =
    [b"sess", b"sid", b"auth", b"token", b"jwt", b"csrf", b"xsrf", b"remember", b"login"];

/// Takes the values of the cookies behind a word that ends at a position. A word before `done` is in one that was read.
pub(super) fn find(text: &[u8], end: usize, done: &mut usize, claims: &mut impl Claimed) {
    let Some(mut at) = first(text, end).filter(|_| end > *done) else { return };
    // The name of the cookie, where a list has it as a value: `{"name": "sid", "value": "…"}`.
    let mut named: &[u8] = b"";
    while let Some((name, value)) = cookie(text, at) {
        *done = value.end;
        let [name, said] = [name, value.clone()].map(|part| text.get(part).unwrap_or_default());
        work::spend(said.len());
        let name = if name == b"value" { named } else { name };
        named = if name == b"name" { said } else { b"" };
        if is_secret(name, said) && claims.is_free(&value) {
            claims.claim(ValueHit {
                family: "api_key",
                name: "session_cookie",
                span: value.clone(),
            });
        }
        let signs = near(text, value.end, SIGNS_MAX);
        let len = signs.iter().take_while(|byte| b";, \"'\r\n\t".contains(byte)).count();
        if len == 0 {
            return;
        }
        at = value.end + len;
    }
}

/// Where the first cookie begins behind the word.
fn first(text: &[u8], end: usize) -> Option<usize> {
    let signs = near(text, end, SIGNS_MAX);
    let plural = usize::from(signs.first() == Some(&b's'));
    let is_sign = |byte: &u8| b"\"'`:=,{[( \\\r\n\t".contains(byte);
    let behind =
        |from: usize| from + signs.iter().skip(from).take_while(|byte| is_sign(byte)).count();
    let len = behind(plural);
    let is_quoted = matches!(text.get(end - 1), Some(b'"' | b'\''));
    let has_sign = signs.get(plural..len)?.iter().any(|byte| !byte.is_ascii_whitespace());
    // In a list of headers the value has a name of its own.
    let value = signs.get(len..).filter(|rest| rest.starts_with(b"value"));
    (has_sign || is_quoted).then_some(end + value.map_or(len, |_| behind(len + 5)))
}

/// The name and the value of a cookie: `name=value`, or `"name": "value"` of a map.
fn cookie(text: &[u8], at: usize) -> Option<(Range<usize>, Range<usize>)> {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.-$%".contains(byte);
    let rest = near(text, at, NAME_MAX + 8);
    let len = rest.iter().take(NAME_MAX).take_while(is_name).count();
    let name = at..at + len;
    let signs = rest.get(len..)?;
    let sign = [&b"="[..], b"\": \"", b"\":\"", b"': '", b"':'"]
        .into_iter()
        .find(|sign| len > 0 && signs.starts_with(sign))?;
    let start = name.end + sign.len();
    let is_value = |byte: &&u8| byte.is_ascii_graphic() && !b";,\"'`\\<>(){}[]".contains(byte);
    let len = near(text, start, VALUE_MAX).iter().take_while(is_value).count();
    Some((name, start..start + len))
}

/// Tells whether a value may log somebody in: one that chance has drawn.
fn is_secret(name: &[u8], value: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    let is_named = NAMES.iter().any(|known| memmem::find(&name, known).is_some());
    let stats = TokenStats::of(value);
    let is_drawn = || {
        let is_mixed = stats.lower > 0 && stats.upper > 0 || stats.changes * 3 >= stats.len;
        stats.digits >= 2 && stats.lower + stats.upper >= 6 && is_mixed && !stats.is_name()
            || stats.is_hexadecimal() && stats.len >= UNNAMED_MIN
    };
    let is_long = value.len() >= if is_named { VALUE_MIN } else { UNNAMED_MIN };
    is_long && (is_drawn() || is_named && is_uuid(value)) && !placeholder::is_dummy(value)
}
