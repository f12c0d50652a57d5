//! Where the secret of a finding is.

use std::ops::Range;

use super::super::block;
use super::hull;
use crate::escape::{escape, numbered};
use crate::format::Format;
use crate::inner::{has_inner, secret_in};
use crate::{PatternHit, known_formats, work};

/// The text of a finding from its first piece to its last.
pub(in super::super) fn matched<'a>(content: &'a str, hit: &PatternHit) -> Option<&'a str> {
    content.get(hull(&pieces(content, hit)?))
}

/// Where the secret of a finding is: without the name before it and the colon behind it, with the block behind it.
/// Nothing if it is not known how far it goes.
pub(in super::super) fn pieces(content: &str, hit: &PatternHit) -> Option<Vec<Range<usize>>> {
    let mut pieces = match hit.pattern.as_ref() {
        _ if !hit.pieces.is_empty() => whole_block(content, hit).unwrap_or(hit.pieces.clone()),
        _ if hit.span.is_empty() => return None,
        _ if is_key(hit) => block::pieces(content, hit.span.clone())?,
        _ => vec![piece(content, hit)],
    };
    // What is read from its quote on begins with an escape of its own.
    if hit.pattern != "assigned_password" {
        pieces.iter_mut().for_each(|piece| piece.start += escape_len(content, piece));
    }
    Some(pieces)
}

/// The block of a key of which some lines were found as pieces, if it has them all.
fn whole_block(content: &str, hit: &PatternHit) -> Option<Vec<Range<usize>>> {
    let first = hit.pieces.first().filter(|_| is_key(hit))?;
    let block = block::pieces(content, first.clone())?;
    let has = |piece: &Range<usize>| {
        block.iter().any(|of| of.start <= piece.start && piece.end <= of.end)
    };
    hit.pieces.iter().all(has).then_some(block)
}

/// Tells whether a finding is a line of a private key, and so of a block.
pub(in super::super) fn is_key(hit: &PatternHit) -> bool {
    hit.pattern == "pem_private_key" || hit.pattern.starts_with("private_key_")
}

/// How much of a piece is the end of an escape before it, such as the letter of `\n`, or an escape of a
/// character that no secret has.
fn escape_len(content: &str, piece: &Range<usize>) -> usize {
    let before = content.as_bytes().get(..piece.start).unwrap_or_default();
    let is_behind = before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2;
    let text = content.as_bytes().get(piece.start - is_behind..piece.end).unwrap_or_default();
    let found = escape(text).filter(|_| text.starts_with(b"\\"));
    let len = match found {
        Some((_, len)) if is_behind == 1 => len - 1,
        Some((char, len)) if !(0x21..0x7F).contains(&char) => len,
        _ => 0,
    };
    if len < piece.len() { len } else { 0 }
}

/// How much of a token stands behind a part of it: an escape of a character that tokens have, what follows it, and so on.
/// Files of properties write `\=`.
fn escaped_len(after: &[u8]) -> usize {
    let is_own = |byte: u8| byte.is_ascii_alphanumeric() || b"-_+.".contains(&byte);
    let escape = |rest: &[u8]| match numbered(rest) {
        Some((char, len)) => u8::try_from(char).is_ok_and(is_own).then_some(len),
        None => rest.starts_with(b"\\=").then_some(2),
    };
    let mut len = 0;
    while let Some(rest) = after.get(len..)
        && let Some(escape) = escape(rest)
    {
        let more = rest.iter().skip(escape).take_while(|byte| is_own(**byte)).count();
        work::spend(more);
        len += escape + more;
    }
    len
}

/// The secret of a finding in one piece.
fn piece(content: &str, hit: &PatternHit) -> Range<usize> {
    let Range { start, mut end } = hit.span;
    let found = content.get(start..end).unwrap_or_default();
    let after = content.get(end..).unwrap_or_default();
    let is_whole = hit.kind == "generic_secret" && hit.rule.is_none() && !has_inner(&hit.pattern);
    let begin = match hit.rule {
        _ if is_whole => 0,
        Some(_) => known_formats::name_len(hit, found),
        None => {
            let inner = secret_in(&hit.pattern, found);
            end = start + inner.end;
            inner.start
        }
    };
    if hit.kind == "generic_secret" {
        // What is the name of another value has a colon behind it.
        let is_end = after.is_empty() || after.starts_with(char::is_whitespace);
        end -= usize::from(is_end && found.ends_with(':'));
    }
    if hit.kind == "api_key" && known_formats::row(&hit.pattern).is_none_or(Format::is_open) {
        end += escaped_len(after.as_bytes());
    }
    start + begin..end
}
