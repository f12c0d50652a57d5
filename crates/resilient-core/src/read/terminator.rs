//! Where lines end: at `\n`, at `\r\n`, and at a `\r` that stands alone.

use memchr::{memchr, memchr_iter, memchr2, memrchr2_iter};

/// A line's end in some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Terminator {
    /// Where it begins: the length of the line's text.
    pub(super) at: usize,
    /// Where the next line begins.
    pub(super) end: usize,
}

/// The first line's end; `None` where the bytes have none, or end with a `\r` of which they do not
/// tell whether a `\n` follows, while the file goes on. `unit` is 2 for UTF-16.
pub(super) fn find(bytes: &[u8], unit: Unit, is_last: bool) -> Option<Terminator> {
    match unit {
        Unit::Byte => {
            let at = memchr2(b'\n', b'\r', bytes)?;
            let end = at + 1;
            match (bytes.get(at), bytes.get(end)) {
                (Some(b'\r'), Some(b'\n')) => Some(Terminator { at, end: end + 1 }),
                (Some(b'\r'), None) if !is_last => None,
                _ => Some(Terminator { at, end }),
            }
        }
        Unit::Pair { big_endian } => {
            let (pairs, _) = bytes.as_chunks::<2>();
            let read = |pair: &[u8; 2]| {
                if big_endian { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) }
            };
            let index = pairs.iter().position(|pair| matches!(read(pair), 0x0A | 0x0D))?;
            let (at, end) = (index * 2, index * 2 + 2);
            match (pairs.get(index).map(read), pairs.get(index + 1).map(read)) {
                (Some(0x0D), Some(0x0A)) => Some(Terminator { at, end: end + 2 }),
                (Some(0x0D), None) if !is_last => None,
                _ => Some(Terminator { at, end }),
            }
        }
    }
}

/// In what steps the bytes of a file are characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Byte,
    Pair { big_endian: bool },
}

impl Unit {
    pub(super) fn len(self) -> u64 {
        match self {
            Self::Byte => 1,
            Self::Pair { .. } => 2,
        }
    }
}

/// Where lines end, the last one first; a `\n` that the bytes begin with is left out, since a `\r`
/// may be in front of it.
pub(super) fn ends_before(bytes: &[u8]) -> impl Iterator<Item = usize> {
    memrchr2_iter(b'\n', b'\r', bytes).filter_map(|at| {
        let (is_last_of_two, is_first_of_two) = match bytes.get(at) {
            Some(b'\r') => (false, bytes.get(at + 1) == Some(&b'\n')),
            _ => (at == 0, false),
        };
        (!is_last_of_two && !is_first_of_two).then_some(at + 1)
    })
}

/// How many lines end in these bytes, which do not end between `\r` and `\n`.
pub(super) fn count(bytes: &[u8], unit: Unit) -> u64 {
    match unit {
        Unit::Byte => {
            let newlines = memchr_iter(b'\n', bytes).count();
            // Most files have no `\r`: one more pass that finds nothing is cheaper than pairs.
            let Some(first) = memchr(b'\r', bytes) else { return newlines as u64 };
            let rest = bytes.get(first..).unwrap_or_default();
            let alone =
                memchr_iter(b'\r', rest).filter(|at| rest.get(at + 1) != Some(&b'\n')).count();
            (newlines + alone) as u64
        }
        Unit::Pair { .. } => {
            let (mut count, mut rest) = (0, bytes);
            while let Some(found) = find(rest, unit, true) {
                count += 1;
                rest = rest.get(found.end..).unwrap_or_default();
            }
            count
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_all_three_terminators() {
        let ends = |mut bytes: &[u8], is_last| {
            let mut found = Vec::new();
            while let Some(Terminator { at, end }) = find(bytes, Unit::Byte, is_last) {
                found.push((at, end));
                bytes = &bytes[end..];
            }
            found
        };
        assert_eq!(ends(b"a\nb\r\nc\rd", true), [(1, 2), (1, 3), (1, 2)]);
        assert_eq!(ends(b"\n\r\r\n", true), [(0, 1), (0, 1), (0, 2)]);
        assert_eq!(ends(b"a\r", true), [(1, 2)]);
        assert_eq!(ends(b"a\r", false), []);
        assert_eq!(count(b"a\nb\r\nc\rd", Unit::Byte), 3);
        assert_eq!(count(b"a\r", Unit::Byte), 1);
        assert_eq!(count(b"", Unit::Byte), 0);
    }

    #[test]
    fn from_the_end_the_same_ends_are_found() {
        let ends = |bytes| ends_before(bytes).collect::<Vec<_>>();
        assert_eq!(ends(b"a\nb\r\nc\rd"), [7, 5, 2]);
        assert_eq!(ends(b"\na\r\n"), [4]);
        assert_eq!(ends(b"\r\n\n\r"), [4, 3, 2]);
        assert_eq!(ends(b"ab"), Vec::<usize>::new());
    }

    #[test]
    fn in_utf_16_a_terminator_is_a_whole_unit() {
        // U+0A0D and U+0D0A have the bytes of terminators, and are none.
        let text = "ਊ\u{0A0D}\r\n\u{0D0A}\rx\n";
        for big_endian in [false, true] {
            let bytes: Vec<u8> = text
                .encode_utf16()
                .flat_map(|it| if big_endian { it.to_be_bytes() } else { it.to_le_bytes() })
                .collect();
            let unit = Unit::Pair { big_endian };
            assert_eq!(find(&bytes, unit, true), Some(Terminator { at: 4, end: 8 }));
            assert_eq!(count(&bytes, unit), 3);
            assert_eq!(find(&bytes[..6], unit, false), None);
        }
    }
}
