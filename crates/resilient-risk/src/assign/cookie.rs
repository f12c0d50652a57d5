//! Cookies of a session: `Cookie: sessionid=…; theme=dark`, `Set-Cookie: …`, `curl -b '…'`, `cookies = {"sessionid": "…"}`, and
//! the files that `curl -c` writes.

mod header;
mod jar;
mod map;

use std::ops::Range;

use memchr::memmem;
use percent_encoding::percent_decode;

use super::super::keywords::KeywordHit;
use super::super::token::{TokenStats, is_uuid};
use super::super::{placeholder, work};
use super::{Claimed, ValueHit, near};

/// So much of a text is read behind one word.
const READ_MAX: usize = 16_384;

/// A shorter value may be anything.
const VALUE_MIN: usize = 16;

/// A value whose name does not tell is longer.
const UNNAMED_MIN: usize = 24;

/// Parts of the names of cookies that log somebody in.
const NAMES: [&[u8]; 9] =
    [b"sess", b"sid", b"auth", b"token", b"jwt", b"csrf", b"xsrf", b"remember", b"login"];

/// Parts of the names of values that look drawn and log nobody in: of a version, a digest, a browser and what it has agreed to.
const OTHERS: [&[u8]; 18] = [
    b"hash",
    b"digest",
    b"integrity",
    b"checksum",
    b"sha",
    b"etag",
    b"rev",
    b"file",
    b"path",
    b"build",
    b"release",
    b"version",
    b"commit",
    b"anonymous",
    b"device",
    b"visitor",
    b"consent",
    b"experiment",
];

/// The value of a digest begins so.
const DIGESTS: [&[u8]; 6] = [b"sha1-", b"sha256-", b"sha384-", b"sha512-", b"sha256:", b"sha512:"];

/// The name and the value of a cookie.
#[derive(Clone, Debug, Default)]
struct Cookie {
    name: Range<usize>,
    value: Range<usize>,
}

/// Cookies, and where the text ends that they were read from.
type Read = (Vec<Cookie>, usize);

/// Takes the values of the cookies behind a word. A word that ends within `done` is in the list that was read last.
pub(super) fn find(
    text: &[u8],
    said: KeywordHit,
    done: &mut Range<usize>,
    claims: &mut impl Claimed,
) {
    if done.contains(&said.end) {
        return;
    }
    let read = jar::read(text, said.end)
        .or_else(|| map::read(text, said.end))
        .or_else(|| header::read(text, said));
    let Some((cookies, end)) = read else { return };
    work::spend(end - said.end);
    *done = said.end..end;
    for Cookie { name, value } in cookies {
        let [name, said] = [name, value.clone()].map(|part| text.get(part).unwrap_or_default());
        if is_secret(name, said) && claims.is_free(&value) {
            claims.claim(ValueHit { family: "api_key", name: "session_cookie", span: value });
        }
    }
}

/// Between a word and what it announces stand no more signs, in several lines of JSON: `"Cookie", "value": "`.
const SIGNS_MAX: usize = 80;

/// What stands before a value: its name in a list of headers or in HTML, a call of Python, and the prefixes of its literals.
const OPENERS: [&[u8]; 7] = [b"value", b"content", b"dict", b"f\"", b"f'", b"b\"", b"b'"];

/// How many signs stand behind a word, and behind the `s` of several cookies: of these, the ones that assign or open. In a list
/// of headers the value has a name of its own.
fn signs_len(text: &[u8], end: usize) -> usize {
    let rest = near(text, end, SIGNS_MAX);
    let is_word = text.get(..end).is_some_and(|it| it.last().is_some_and(u8::is_ascii_alphabetic));
    let plural = usize::from(is_word && rest.first() == Some(&b's'));
    let is_sign = |byte: &u8| b"\"'`:=>,{[( \\\r\n\t".contains(byte);
    let behind =
        |from: usize| from + rest.iter().skip(from).take_while(|byte| is_sign(byte)).count();
    // `headers["Cookie"] = …`. Other brackets that close end an empty list.
    let is_index = matches!(rest.get(plural..), Some([b'"' | b'\'', b']', ..]));
    let len = behind(plural + if is_index { 2 } else { 0 });
    let begins = |word: &&&[u8]| rest.get(len..).is_some_and(|rest| rest.starts_with(word));
    let word = OPENERS.iter().find(begins);
    word.map_or(len, |word| behind(len + word.len()))
}

/// Tells whether the name of a cookie says that it logs somebody in.
fn logs_in(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    NAMES.iter().any(|part| memmem::find(&name, part).is_some())
}

/// Tells whether a value may log somebody in: chance has drawn it, or a part of it.
fn is_secret(name: &[u8], value: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    let has = |parts: &[&[u8]]| parts.iter().any(|part| memmem::find(&name, part).is_some());
    let is_named = logs_in(&name);
    let is_other = || {
        let is_reference =
            matches!(name.as_slice(), b"id" | b"ref" | b"src" | b"url" | b"resolved");
        is_reference || has(&OTHERS) || DIGESTS.iter().any(|digest| value.starts_with(digest))
    };
    if !is_named && is_other() || placeholder::is_dummy(value) {
        return false;
    }
    let said: Vec<u8> = percent_decode(value).collect();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_+".contains(byte);
    let is_one = |part: &[u8]| {
        let len_min = if is_named { VALUE_MIN } else { UNNAMED_MIN };
        part.len() >= len_min && if is_uuid(part) { is_named } else { is_drawn(part, is_named) }
    };
    // A `/` is a sign of base64, or stands between the names of a path.
    let is_base64 = || {
        let own = said.trim_ascii_end().strip_suffix(b"=").unwrap_or(&said);
        own.first() != Some(&b'/')
            && own.iter().all(|byte| is_part(byte) || b"/=".contains(byte))
            && is_one(own)
    };
    said.split(|byte| !is_part(byte)).any(is_one) || is_base64()
}

/// Tells whether chance has drawn a text. If its name says that it logs somebody in, the letters may be of one case, and
/// digits may be missing.
fn is_drawn(text: &[u8], is_named: bool) -> bool {
    const LETTERS_MIN: usize = 6;
    let stats = TokenStats::of(text);
    let letters = stats.lower + stats.upper;
    let is_mixed = stats.lower > 0 && stats.upper > 0 || stats.changes * 3 >= stats.len;
    let is_rare = stats.rare_bigrams * 5 >= stats.bigrams;
    // Names have dashes.
    let has_form = if is_named {
        (stats.digits >= 2 || is_rare) && (is_mixed || !text.contains(&b'-'))
    } else {
        stats.digits >= 2 && is_mixed
    };
    letters >= LETTERS_MIN && has_form && !stats.is_name()
        || stats.is_hexadecimal() && stats.len >= UNNAMED_MIN
}
