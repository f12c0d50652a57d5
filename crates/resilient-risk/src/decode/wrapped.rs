//! The lines that a token goes on on: programs wrap what is long.

use std::ops::Range;

use super::super::byte_classes::ByteClasses;
use super::Map;

/// The token that ends a line, and what fills the lines below it: none is longer than the first, and the last may be
/// shorter. Of `items` each may have the sign of a list before it. Nothing if there is only one line.
pub(super) fn wrapped(
    bytes: &[u8],
    byte_classes: &ByteClasses,
    first: Range<usize>,
    items: bool,
) -> Option<(Map, String)> {
    next_line(bytes, first.end, items)?;
    let token = |range: &Range<usize>| bytes.get(range.clone()).unwrap_or_default();
    let is_hex = |range: &Range<usize>| token(range).iter().all(u8::is_ascii_hexdigit);
    let mut lines = vec![first.clone()];
    let mut end = first.end;
    while let Some(start) = next_line(bytes, end, items) {
        let next = start..start + byte_classes.token.run_to(start, start + first.len() + 1);
        let is_last = next.len() < first.len();
        // A digest is no beginning of what is in base64, and a line below may be one of the program.
        if next.is_empty()
            || next.len() > first.len()
            || !ends_line(bytes, next.end)
            || is_last && is_word(token(&next))
            || is_assignment(token(&next), token(&first))
            || !is_hex(&next) && is_hex(&first)
        {
            break;
        }
        end = next.end;
        lines.push(next);
        if is_last {
            break;
        }
    }
    if lines.len() > 1 { Map::joined(bytes, &lines, false) } else { None }
}

/// Where the next line has its first token, if this one ends here.
fn next_line(bytes: &[u8], end: usize, items: bool) -> Option<usize> {
    /// No program indents further.
    const GAP_MAX: usize = 64;
    let rest = bytes.get(end..).filter(|rest| rest.first().is_some_and(u8::is_ascii_whitespace))?;
    let gap = rest.iter().take(GAP_MAX).take_while(|byte| byte.is_ascii_whitespace()).count();
    let is_next = rest.get(..gap)?.iter().filter(|byte| **byte == b'\n').count() == 1;
    let sign = rest.get(gap..)?.strip_prefix(b"- ").filter(|_| items);
    is_next.then(|| sign.map_or(end + gap, |item| bytes.len() - item.trim_ascii_start().len()))
}

/// Tells whether what ends at a position ends its line, except for blanks, or its literal.
fn ends_line(bytes: &[u8], end: usize) -> bool {
    /// No program leaves more behind what it wraps.
    const BLANKS_MAX: usize = 8;
    let rest = bytes.get(end..).unwrap_or_default();
    let blanks = rest.iter().take(BLANKS_MAX).take_while(|byte| b" \t".contains(byte)).count();
    let ends: &[u8] = if blanks > 0 { b"\n\r" } else { b"\n\r\"'`\\" };
    rest.get(blanks).is_none_or(|byte| ends.contains(byte))
}

/// Whether a line below a longer one may be a word of the program, as `EOF` and `fi`.
fn is_word(line: &[u8]) -> bool {
    let rest = line.get(1..).unwrap_or_default();
    line.iter().all(u8::is_ascii_alphabetic)
        && (rest.iter().all(u8::is_ascii_lowercase) || rest.iter().all(u8::is_ascii_uppercase))
}

/// Whether a line below a first one assigns: it has one `=` behind a name, and is shorter or below another assignment.
/// Quoted-printable text has more of them. The `=` of `EMPTY=` may be the padding of base64, if the first line assigns
/// nothing.
fn is_assignment(line: &[u8], first: &[u8]) -> bool {
    let name = |line: &[u8]| {
        let at = memchr::memchr(b'=', line)?;
        let name = line.get(..at)?;
        let is_name = name.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
            && !name.contains(&b'+')
            && !name.contains(&b'/');
        is_name.then_some(at)
    };
    let Some(at) = name(line) else { return false };
    let behind = line.get(at + 1..).unwrap_or_default();
    let assigns = name(first).is_some_and(|at| at + 2 < first.len());
    if !behind.is_empty() {
        let padding = behind.iter().rev().take_while(|byte| **byte == b'=').count();
        let value = behind.get(..behind.len() - padding).unwrap_or_default();
        return (assigns || line.len() < first.len())
            && !value.is_empty()
            && !value.contains(&b'=');
    }
    let is_upper = line.iter().all(|byte| !byte.is_ascii_lowercase());
    let is_lower = line.iter().all(|byte| !byte.is_ascii_uppercase());
    assigns || !line.len().is_multiple_of(4) || (is_upper || is_lower) && line.len() > 4
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first word of a text and the lines below it, as one.
    fn joined(text: &str, items: bool) -> Option<String> {
        let (bytes, byte_classes) = (text.as_bytes(), ByteClasses::of(text.as_bytes()));
        let start = text.find(|c: char| c.is_ascii_alphanumeric()).unwrap();
        let first = start..start + byte_classes.token.run(start);
        let (lines, joined) = wrapped(bytes, &byte_classes, first, items)?;
        let pieces = lines.pieces(0..joined.len()).into_iter();
        assert_eq!(pieces.map(|piece| &text[piece]).collect::<String>(), joined);
        Some(joined)
    }

    #[test]
    fn lines_that_go_on_are_one() {
        for (text, expected) in [
            ("k3Jd9fQx\n7LmZ2pVt\nR8s\n", Some("k3Jd9fQx7LmZ2pVtR8s")),
            ("k3Jd9fQx \r\n\t7LmZ2pVt  \r\nR8s\"", Some("k3Jd9fQx7LmZ2pVtR8s")),
            ("k3Jd9fQx\n7LmZ2pVt\nR8sWb4Yc6\n", Some("k3Jd9fQx7LmZ2pVt")),
            ("k3Jd9fQx\n7LmZ\nR8sW\n", Some("k3Jd9fQx7LmZ")),
            ("k3Jd9fQx\nEOF\n", None),
            ("k3Jd9fQx\nA=1\n", None),
            ("k3Jd9fQx\n7LmZ==\n", Some("k3Jd9fQx7LmZ==")),
            ("k3Jd9fQx\nLmZ2pV8=\n", Some("k3Jd9fQxLmZ2pV8=")),
            ("k3Jd9fQx\nDEBUG_A=\n", None),
            ("k3Jd9fQx\ndbHost=\n", None),
            ("A=k3Jd9fQx\nLmZ2pV8=\n", None),
            ("k3Jd9fQx\nB=7LmZ2p\n", Some("k3Jd9fQxB=7LmZ2p")),
            ("A=k3Jd9fQx\nB=7LmZ2pVt\n", None),
            ("A=k3Jd9fQx\nB=7LmZ2pV=\n", None),
            ("A=k3Jd9fQx\n=7L=6DZ2pV\n", Some("A=k3Jd9fQx=7L=6DZ2pV")),
            ("k3Jd9fQx\n7Lm Z2p\n", None),
            ("k3Jd9fQx\n\n7LmZ2p\n", None),
            ("8f3a9c1d\n7LmZ2p\n", None),
            ("8f3a9c1d\n7a8b\n", Some("8f3a9c1d7a8b")),
            ("k3Jd9fQx\n- 7LmZ2p\n", None),
            ("k3Jd9fQx", None),
        ] {
            assert_eq!(joined(text, false).as_deref(), expected, "{text:?}");
        }
        assert_eq!(joined("- k3Jd9fQx\n-  7LmZ2p\n", true).as_deref(), Some("k3Jd9fQx7LmZ2p"));
    }
}
