//! Which quote is open at a place of a line, and where a value ends there that has no quotes of its own.

use memchr::{memchr, memchr3, memmem};

use super::super::work;
use super::LINE_REACH;

/// How a quote is written: in a literal in a literal and in an attribute of XML, too.
const QUOTES: [&[u8]; 5] = [b"\\\"", b"&quot;", b"\"", b"'", b"`"];

/// Signs of XML that have names end with a semicolon.
const NAMED: [&[u8]; 5] = [b"&amp;", b"&lt;", b"&gt;", b"&quot;", b"&apos;"];

/// The quote that is open behind the beginning of a line: it stands there an odd number of times. If the line was cut, each
/// that stands there may be open.
fn open(before: &[u8]) -> Option<&'static [u8]> {
    work::spend(before.len() / 4);
    memchr3(b'"', b'\'', b'`', before).or_else(|| memchr(b'&', before))?;
    let is_letter =
        |at: Option<usize>| at.and_then(|at| before.get(at)).is_some_and(u8::is_ascii_alphanumeric);
    let is_apostrophe = |at: usize| is_letter(at.checked_sub(1)) && is_letter(Some(at + 1));
    QUOTES.into_iter().find(|quote| {
        let count = memmem::find_iter(before, quote).filter(|at| !is_apostrophe(*at)).count();
        count % 2 == 1 || count > 0 && before.len() >= LINE_REACH
    })
}

/// Tells whether a text begins with a sign of XML that has a name.
pub(super) fn is_named(text: &[u8]) -> bool {
    NAMED.iter().any(|name| text.starts_with(name))
}

/// How long a value is behind the beginning of its line: up to a blank, to the quote that is open there, and to what ends
/// it by itself.
pub(super) fn len(before: &[u8], text: &[u8], is_end: impl Fn(&[u8]) -> bool) -> usize {
    let quote = open(before);
    let mut len = 0;
    while let Some(rest @ [first, behind @ ..]) = text.get(len..)
        && *first > b' '
        && !is_end(rest)
        && !quote.is_some_and(|quote| rest.starts_with(quote))
    {
        len += match (NAMED.iter().find(|name| rest.starts_with(name)), quote) {
            (Some(name), _) => name.len(),
            (None, Some(quote)) if *first == b'\\' && behind.starts_with(quote) => 2,
            // The end of a line is written so in a literal.
            (None, Some(_)) if matches!(rest, [b'\\', b'n' | b'r' | b't', ..]) => break,
            // Where no quote is known to be open, it ends a literal in a literal.
            (None, None) if matches!(rest, [b'\\', b'"' | b'\'', ..]) => break,
            (None, _) => 1,
        };
    }
    work::spend(len / 4);
    len.min(text.len())
}
