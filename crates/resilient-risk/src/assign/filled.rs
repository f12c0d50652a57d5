//! The places in a literal that something else fills: `f"{name}-…"`, `"%(name)s…"`, `"$name-…"`.

use std::ops::Range;

use super::super::work;
use super::near;

/// No place is longer.
const PLACE_MAX: usize = 60;

/// Which signs begin a place in a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// A password may have any sign: only `{$name}` and `${name}` are places.
    Plain,
    /// The language puts values into braces.
    Template,
    /// Keys have few signs: a name behind or between signs is a place.
    Key,
}

/// The parts of a literal that stand between its places, without the sign that divides a part from a place. A literal
/// without places is one part.
pub(super) fn parts(text: &[u8], literal: &Range<usize>, style: Style) -> Vec<Range<usize>> {
    work::spend(literal.len() / 4);
    let (mut parts, mut start, mut at) = (Vec::new(), literal.start, literal.start);
    while let Some(rest) = text.get(at..literal.end).filter(|rest| !rest.is_empty()) {
        let before = text.get(start..at).and_then(<[u8]>::last);
        let Some(len) = place_len(rest, style, before) else {
            at += 1;
            continue;
        };
        let is_between = |at: usize| text.get(at).is_some_and(divides);
        let end = at - usize::from(at > start && is_between(at - 1));
        parts.push(start..end);
        at += len;
        at += usize::from(at < literal.end && is_between(at));
        start = at;
    }
    parts.push(start..literal.end);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Tells whether a sign divides a part from a place.
fn divides(sign: &u8) -> bool {
    b"-_.:/+~|@".contains(sign)
}

/// The length of the place that a text begins with. A name alone is one only where a part begins, or behind a sign where
/// the literal ends.
fn place_len(text: &[u8], style: Style, before: Option<&u8>) -> Option<usize> {
    let name_len = |text: &[u8]| {
        text.iter().take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'_').count()
    };
    let is_key = style == Style::Key;
    match text {
        [b'{', b'$', ..] => closed_len(text),
        [b'{', ..] if style == Style::Template => closed_len(text),
        [b'$' | b'#', b'{', ..] if is_key => Some(1 + closed_len(text.get(1..)?)?),
        [b'$', b'{', inside @ ..] => {
            let len = name_len(inside);
            (len > 1 && inside.get(len) == Some(&b'}')).then_some(len + 3)
        }
        [b'{' | b'<', ..] | [b'[', b'[', ..] if is_key => {
            let len = closed_len(text)?;
            let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-. {}<>[]".contains(byte);
            text.get(..len)?.iter().all(is_name).then_some(len)
        }
        // A letter says how the value is written.
        [b'%', b'(', ..] if is_key => Some(2 + closed_len(text.get(1..)?)?),
        [b'%', b's' | b'd' | b'v', ..] if is_key && before.is_none() => Some(2),
        [b'$', rest @ ..] if is_key => {
            let len = name_len(rest);
            let is_place = match (before, rest.get(len)) {
                (None, behind) => behind.is_none_or(divides),
                (Some(before), behind) => divides(before) && behind.is_none(),
            };
            (len > 1 && is_place).then_some(1 + len)
        }
        _ => None,
    }
}

/// The length of what stands in the brackets that a text begins with.
fn closed_len(text: &[u8]) -> Option<usize> {
    let open = *text.first()?;
    // The other bracket of ASCII is one or two signs behind it.
    let is_close = |byte: u8| byte == open + if open == b'(' { 1 } else { 2 };
    work::spend(PLACE_MAX / 4);
    let mut depth = 0;
    let mut bytes = near(text, 0, PLACE_MAX).iter();
    let last = bytes.position(|byte| {
        depth += i32::from(*byte == open) - i32::from(is_close(*byte));
        depth == 0
    });
    Some(last? + 1)
}
