//! Which quote is open at a place of a line, and where a value ends there that has no quotes of its own.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memchr3, memmem};

use super::super::token::TokenStats;
use super::super::{escape, work};
use super::place::begins_setting;
use super::shape::LENS;
use super::{LINE_REACH, near};

/// How a quote is written: in a literal in a literal and in an attribute of XML, too.
const QUOTES: [&[u8]; 5] = [b"\\\"", b"&quot;", b"\"", b"'", b"`"];

/// Signs of XML that have names end with a semicolon.
const NAMED: [&[u8]; 5] = [b"&amp;", b"&lt;", b"&gt;", b"&quot;", b"&apos;"];

/// The quote that is open behind the beginning of a line.
fn open(before: &[u8]) -> Option<&'static [u8]> {
    memchr3(b'"', b'\'', b'`', before).or_else(|| memchr(b'&', before))?;
    QUOTES.into_iter().find(|quote| is_open(before, quote))
}

/// Tells whether a quote is open behind the beginning of a line: it stands there an odd number of times. If the line was
/// cut, each that stands there may be open.
fn is_open(before: &[u8], quote: &[u8]) -> bool {
    work::spend(before.len() / 4);
    let is_cut = before.len() >= LINE_REACH;
    // A command in quotes has quotes of its own: `"$(f "…`.
    let command = memmem::rfind(before, b"$(").filter(|_| quote == b"\"");
    let command = command.and_then(|at| before.get(at..)).filter(|rest| !rest.contains(&b')'));
    let before = command.unwrap_or(before);
    let is_letter =
        |at: Option<usize>| at.and_then(|at| before.get(at)).is_some_and(u8::is_ascii_alphanumeric);
    let is_apostrophe = |at: usize| is_letter(at.checked_sub(1)) && is_letter(Some(at + 1));
    let count = memmem::find_iter(before, quote).filter(|at| !is_apostrophe(*at)).count();
    count % 2 == 1 || count > 0 && is_cut
}

/// Tells whether a text begins with a sign as shells write it in a word without quotes: `\(`. In other languages `\"` may end
/// a literal, and `\n` is the end of a line.
pub(super) fn is_escape(text: &[u8]) -> bool {
    match text {
        [b'\\', b'"' | b'\'', next, ..] => next.is_ascii_alphanumeric(),
        [b'\\', b'\\', next, ..] => next.is_ascii_alphanumeric() && !b"nrtux0".contains(next),
        [b'\\', sign, ..] => b"!#$&()*;<>?[]^`{|}~".contains(sign),
        _ => false,
    }
}

/// Tells whether a text begins with a backslash that is one, and no escape of a line end: chance has drawn what stands behind it,
/// and no name of a setting follows.
pub(super) fn is_tail(text: &[u8]) -> bool {
    const LEN_MIN: usize = 5;
    let [b'\\', b'n' | b'r' | b't', behind @ ..] = text else { return false };
    let behind = near(behind, 0, *LENS.end());
    let len = behind.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let stats = TokenStats::of(behind.get(..len).unwrap_or_default());
    let is_mixed = stats.lower > 0 && stats.upper > 0 && stats.digits > 0;
    len >= LEN_MIN && is_mixed && stats.is_drawn() && !matches!(behind.get(len), Some(b'=' | b':'))
}

/// What a word of a shell says: its signs without the backslashes before them.
pub(super) fn without_escapes(word: &[u8]) -> Cow<'_, [u8]> {
    let escapes = |at: &usize| word.get(*at..).is_some_and(is_escape);
    let Some(first) = memchr_iter(b'\\', word).find(escapes) else { return Cow::Borrowed(word) };
    let (begin, mut rest) = word.split_at_checked(first).unwrap_or_default();
    let mut said = begin.to_vec();
    while let [byte, behind @ ..] = rest {
        let skipped = usize::from(is_escape(rest));
        said.extend(rest.get(skipped).or(Some(byte)));
        rest = behind.get(skipped..).unwrap_or_default();
    }
    Cow::Owned(said)
}

/// The length of the sign that a text begins with, if it is written as XML writes quotes: `&quot;`, `&#39;`.
pub(super) fn entity_len(text: &[u8]) -> Option<usize> {
    let named = NAMED.iter().find(|name| text.starts_with(name)).map(|name| name.len());
    let numbered = || escape::numbered(text).filter(|_| text.starts_with(b"&#"));
    named.or_else(|| numbered().map(|(_, len)| len))
}

/// How long a value is whose name stands right behind the quote that is open, if the text before the name ends so:
/// `"NAME=value"`. The settings that follow it are no part of it: `"password=value&user=b"`.
pub(super) fn named_len(opener: &[u8], before: &[u8], text: &[u8]) -> Option<usize> {
    let quote = QUOTES.into_iter().find(|quote| opener.ends_with(quote))?;
    let is_setting = |rest: &[u8]| match rest {
        [b'&', b'A'..=b'Z' | b'a'..=b'z', b'=', ..] => true,
        [b'&' | b';' | b',', rest @ ..] => begins_setting(rest),
        _ => false,
    };
    let len = len_in(Some(quote), text, is_setting);
    let rest = text.get(len..)?;
    let ends = || rest.starts_with(quote) || is_setting(rest) || rest.starts_with(b"\\");
    (LENS.contains(&len) && ends() && is_open(before, quote)).then_some(len)
}

/// How long a value is behind the beginning of its line: up to a blank, to the quote that is open there, and to what ends
/// it by itself.
pub(super) fn len(before: &[u8], text: &[u8], is_end: impl Fn(&[u8]) -> bool) -> usize {
    len_in(open(before), text, is_end)
}

/// How long a value is behind a quote, or without one.
fn len_in(quote: Option<&[u8]>, text: &[u8], is_end: impl Fn(&[u8]) -> bool) -> usize {
    let mut len = 0;
    while let Some(rest @ [first, behind @ ..]) = text.get(len..)
        && *first > b' '
        && !is_end(rest)
        && !quote.is_some_and(|quote| rest.starts_with(quote))
    {
        let entity = Some(rest).filter(|_| *first == b'&').and_then(entity_len);
        len += match (entity, quote) {
            (Some(entity), _) => entity,
            (None, Some(quote)) if *first == b'\\' && behind.starts_with(quote) => 2,
            (None, Some(b"\"")) if rest.starts_with(b"\\\\") => 2,
            // The end of a line is written so in a literal.
            (None, Some(_))
                if matches!(rest, [b'\\', b'n' | b'r' | b't', ..]) && !is_tail(rest) =>
            {
                break;
            }
            // Where no quote is known to be open, it ends a literal in a literal.
            (None, None) if matches!(rest, [b'\\', b'"' | b'\'', ..]) => break,
            (None, _) => 1,
        };
    }
    work::spend(len / 4);
    len.min(text.len())
}
