//! Where a value without quotes ends: that depends on what it stands in.

use std::ops::Range;

use memchr::memmem;

use super::super::bits::run_of;
use super::super::token::Shape;
use super::judge::{LENS, is_grouped};
use super::{line_around, near};

/// Blanks and signs outside of ASCII: a no-break space, a closing quote, a dash, a full stop of Chinese.
const SIGNS: [&[u8]; 3] = [&[0xC2, 0xA0], &[0xE2, 0x80], &[0xE3, 0x80]];

/// Names of other values in a list of settings: `Server=…;User Id=…;Password=…`.
const SETTINGS: [&[u8]; 12] = [
    b"server",
    b"source",
    b"host",
    b"id",
    b"uid",
    b"database",
    b"dbname",
    b"catalog",
    b"user",
    b"username",
    b"driver",
    b"address",
];

/// Signs that end a sentence, a call or a literal behind a value.
const CLOSING: &[u8] = b".,;:)]}>\"'`\\";

/// The length of the value that a text begins with, if that may be code, a command or a sentence: up to what no value
/// has in these. Of one that is longer than passwords are, it only tells that.
pub(super) fn len(text: &[u8]) -> usize {
    let text = near(text, 0, 2 * *LENS.end());
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

/// Tells whether a value goes on with a byte, whatever stands behind it.
#[inline(always)]
fn is_bare(byte: u8) -> bool {
    let ends = b"&'\";<>|\\]),}`\x7F\xC2\xE2\xE3";
    byte > b' ' && ends.iter().fold(true, |is, end| is & (byte != *end))
}

/// The value that begins at a place behind a word, if it stands in a field with an end of its own: an element of XML, a
/// query, a list of settings, or an entry that owns its line. A *direct* one has its
/// sign right before it. Before an entry's word some signs may stand.
pub(super) fn field(
    text: &[u8],
    word: usize,
    from: usize,
    direct: bool,
    signs: &[u8],
) -> Option<Range<usize>> {
    const DATA: &[u8] = b"<![CDATA[";
    let line = line_around(text, word);
    let (before, rest) = (text.get(line.start..word)?, text.get(from..line.end)?);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.:".contains(byte);
    let opener = before.iter().rev().find(|byte| !is_name(byte));
    let sign = text.get(..from)?.last()?;
    let quote = before.iter().rev().copied().find(|byte| b"\"'`".contains(byte)).unwrap_or(b'"');
    let until = |ends: &[u8]| {
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || ends.contains(byte);
        rest.iter().position(is_end).unwrap_or(rest.len())
    };
    let len = match (opener, sign) {
        (Some(b'<'), b'>') => match rest.strip_prefix(DATA) {
            Some(data) => {
                let (from, len) = (from + DATA.len(), memmem::find(data, b"]]>")?);
                let is_prose = data.iter().take(len).filter(|byte| **byte == b' ').count() > 1;
                return (!is_prose).then_some(from..from + len);
            }
            None => Some(until(b"<"))
                .filter(|len| rest.get(*len..).is_some_and(|rest| rest.starts_with(b"</")))?,
        },
        (Some(b'?' | b'&'), b'=') => until(b"&#\"'<>`\\"),
        (_, b'=') if is_setting(before, rest) => setting_len(rest, quote),
        _ => entry_len(before, rest, direct, signs)?,
    };
    Some(from..from + len)
}

/// Tells whether another value of a list of settings stands beside a value.
fn is_setting(before: &[u8], rest: &[u8]) -> bool {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b";\"'".contains(byte);
    before.split(is_end).chain(rest.split(is_end).skip(1)).any(|part| {
        let Some(sign) = part.iter().position(|byte| *byte == b'=') else { return false };
        let name = part.get(..sign).unwrap_or_default();
        SETTINGS.iter().any(|known| name.eq_ignore_ascii_case(known))
            && part.len() > sign + 1
            && !part.ends_with(b",")
    })
}

/// How long the value of a setting is. The signs of XML that have names end with no semicolon of the list.
fn setting_len(rest: &[u8], quote: u8) -> usize {
    const NAMED: [&[u8]; 3] = [b"&amp;", b"&lt;", b"&gt;"];
    const ENDS: [&[u8]; 3] = [b"</", b"\\\"", b"&quot;"];
    let mut len = 0;
    while let Some(rest) = rest.get(len..)
        && let Some(first) = rest.first()
        && !first.is_ascii_whitespace()
        && ![b';', b'"', quote].contains(first)
        && !ENDS.iter().any(|end| rest.starts_with(end))
    {
        len += NAMED.iter().find(|name| rest.starts_with(name)).map_or(1, |name| name.len());
    }
    len
}

/// How long the value of an entry is that owns its line, as in a file of properties. A value that a command, a query or
/// other code follows is none.
fn entry_len(before: &[u8], rest: &[u8], direct: bool, signs: &[u8]) -> Option<usize> {
    let is_name = |byte: &u8| {
        byte.is_ascii_alphanumeric() || b" \t_-*".contains(byte) || signs.contains(byte)
    };
    let rest = rest.trim_ascii_end();
    let words = || {
        before
            .split(u8::is_ascii_whitespace)
            .filter(|word| word.iter().any(u8::is_ascii_alphanumeric))
    };
    // As in the files of programs that log in: `login bob password …`.
    let mut back = before.trim_ascii_end().rsplit(u8::is_ascii_whitespace).skip(1);
    let follows = back.next().is_some_and(|word| matches!(word, b"login" | b"user" | b"username"));
    // A name of a type may be all of a line, too.
    let is_alone = || words().count() <= 1 && before.iter().all(is_name);
    let is_value = || (follows || is_alone()) && !Shape::of(rest).is_name();
    if !(direct && before.iter().all(is_name) || is_value()) {
        return None;
    }
    if is_grouped(rest) {
        return Some(rest.len());
    }
    let more = rest.get(len(rest)..)?;
    let Some((sign, behind)) = more.split_first() else { return Some(rest.len()) };
    let has = |byte: u8| behind.contains(&byte);
    if more.iter().all(|byte| CLOSING.contains(byte)) || b";,".contains(rest.last()?) || has(b' ') {
        return None;
    }
    let shape = Shape::of(behind);
    let is_random = || {
        behind.len() >= 3
            && shape.digits > 0
            && shape.changes * 3 >= shape.len
            && !shape.is_wordy()
            && !behind.iter().any(|byte| b"-./:".contains(byte))
    };
    // These end a word of a shell. Hardly a command has letters of both cases and digits in its name.
    let is_no_command = || {
        let is_mixed = shape.lower > 0 && shape.upper > 0 && shape.digits > 0;
        is_mixed && behind.len() >= 3 && shape.changes * 2 >= shape.len
    };
    let is_other = || {
        let name = behind.split(|byte| *byte == b'=').next().unwrap_or_default();
        name.len() < behind.len() && name.len() > 1 && name.iter().all(u8::is_ascii_alphabetic)
    };
    let goes_on = match sign {
        b' ' => is_random(),
        b';' | b'&' | b'|' | b',' | b'<' | b'>' => is_no_command() && !is_other(),
        b'\\' => !behind.first().is_some_and(|byte| b"nrt\"'".contains(byte)),
        _ => true,
    };
    goes_on.then_some(rest.len())
}
