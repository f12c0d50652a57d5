//! What encoding a stretch of a file is in, where its characters begin and end, and its text.
//!
//! An encoding is guessed from the head of a file, by the same rules as for edits. A window is then
//! cut where no character is cut, so that windows read one after another hold every character once;
//! and as long as nothing in it is invalid, encoding its text again gives the window's own bytes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use encoding_rs::WINDOWS_1252;

use super::terminator::Unit;
use crate::edit::Guess;

/// The longest character of any encoding here, in bytes.
pub(super) const CHARACTER_MAX: usize = 4;

/// How a stretch of a file is turned into text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
    /// One byte to a character; every byte has its own.
    SingleByte(&'static encoding_rs::Encoding),
    /// Not text: any byte, in base64.
    Base64,
}

/// What becomes of bytes that are no character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnInvalid {
    /// U+FFFD takes the place of each run.
    #[default]
    Replace,
    /// They are left out.
    Ignore,
    /// They are written as `\xNN`.
    Backslash,
    /// The read is refused.
    Strict,
}

/// A stretch as text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decoded {
    pub(super) text: String,
    /// How many bytes were no character.
    pub(super) invalid_bytes: usize,
    /// Where the first of them is.
    pub(super) first_invalid: Option<usize>,
}

impl Encoding {
    /// The encoding of this name, as the web and Python spell it.
    pub(super) fn named(label: &str) -> Option<Self> {
        let plain = label.trim().to_ascii_lowercase().replace('_', "-");
        match plain.as_str() {
            "base64" | "binary" => return Some(Self::Base64),
            "utf-16-le" => return Some(Self::Utf16Le),
            "utf-16-be" => return Some(Self::Utf16Be),
            "latin-1" => return Some(Self::SingleByte(WINDOWS_1252)),
            _ => {}
        }
        let known = encoding_rs::Encoding::for_label(plain.as_bytes())?;
        if known == encoding_rs::UTF_8 {
            Some(Self::Utf8)
        } else if known == encoding_rs::UTF_16LE {
            Some(Self::Utf16Le)
        } else if known == encoding_rs::UTF_16BE {
            Some(Self::Utf16Be)
        } else if known.is_single_byte() {
            Some(Self::SingleByte(known))
        } else {
            None
        }
    }

    /// What the head of a file, or a stretch of it, looks like.
    pub(super) fn guess(head: &[u8]) -> Self {
        // Most files; everything below looks at each byte by itself.
        if head.is_ascii() && memchr::memchr(0, head).is_none() {
            return Self::Utf8;
        }
        if let Some(wide) = wide_without_mark(head) {
            return wide;
        }
        match Guess::guess(whole_characters(head)) {
            Guess::Utf8 => Self::Utf8,
            Guess::Utf16Le => Self::Utf16Le,
            Guess::Utf16Be => Self::Utf16Be,
            // An unknown legacy encoding is spelled wrong as windows-1252, but nothing of it is lost.
            Guess::Windows1252 | Guess::Legacy => Self::SingleByte(WINDOWS_1252),
            Guess::Binary | Guess::Utf32 => Self::Base64,
        }
    }

    /// Its name in answers.
    pub(super) fn name(self) -> String {
        match self {
            Self::Utf8 => "utf-8".to_owned(),
            Self::Utf16Le => "utf-16le".to_owned(),
            Self::Utf16Be => "utf-16be".to_owned(),
            Self::SingleByte(encoding) => encoding.name().to_ascii_lowercase(),
            Self::Base64 => "base64".to_owned(),
        }
    }

    /// In what steps a file in this encoding is characters.
    pub(super) fn steps(self) -> Unit {
        match self {
            Self::Utf16Le => Unit::Pair { big_endian: false },
            Self::Utf16Be => Unit::Pair { big_endian: true },
            _ => Unit::Byte,
        }
    }

    /// How long some UTF-8 text is in this encoding.
    pub(super) fn len_of(self, text: &[u8]) -> u64 {
        let is_first = |byte: &&u8| !matches!(**byte, 0x80..=0xBF);
        let characters = text.iter().filter(is_first);
        match self {
            Self::Utf8 | Self::Base64 => text.len() as u64,
            Self::SingleByte(_) => characters.count() as u64,
            Self::Utf16Le | Self::Utf16Be => {
                characters.map(|byte| if *byte >= 0xF0 { 4 } else { 2 }).sum()
            }
        }
    }

    /// How far the character that holds the byte at `at` begins before it, given the bytes around.
    pub(super) fn into_character(self, around: &[u8], at: usize) -> usize {
        match self {
            Self::Utf8 => (1..CHARACTER_MAX)
                .find(|back| {
                    let Some(from) = at.checked_sub(*back) else { return false };
                    around.get(from..).and_then(character_len).is_some_and(|len| len > *back)
                })
                .unwrap_or(0),
            Self::Utf16Le | Self::Utf16Be => {
                let odd = at % 2;
                let begin = at - odd;
                let is_low = self.unit_at(around, begin).is_some_and(|it| it & 0xFC00 == 0xDC00);
                let before = begin.checked_sub(2).and_then(|before| self.unit_at(around, before));
                let is_high = before.is_some_and(|it| it & 0xFC00 == 0xD800);
                if is_low && is_high { odd + 2 } else { odd }
            }
            Self::SingleByte(_) | Self::Base64 => 0,
        }
    }

    /// Where a window of about `want` of these bytes ends: never inside a character, and never at
    /// its beginning. `bytes` begins at a character and goes on behind `want` where the file does.
    pub(super) fn end_of(self, bytes: &[u8], want: usize) -> usize {
        if want >= bytes.len() {
            return bytes.len();
        }
        let end = want - self.into_character(bytes, want);
        if end > 0 {
            return end;
        }
        match self {
            Self::Utf8 => character_len(bytes).unwrap_or(1),
            // A high surrogate takes its low one along.
            Self::Utf16Le | Self::Utf16Be => {
                if self.into_character(bytes, 2) > 0 {
                    4
                } else {
                    2
                }
            }
            Self::SingleByte(_) | Self::Base64 => 1,
        }
        .min(bytes.len())
    }

    fn unit_at(self, bytes: &[u8], at: usize) -> Option<u16> {
        let pair: [u8; 2] = bytes.get(at..at.checked_add(2)?)?.try_into().ok()?;
        match self {
            Self::Utf16Le => Some(u16::from_le_bytes(pair)),
            Self::Utf16Be => Some(u16::from_be_bytes(pair)),
            _ => None,
        }
    }

    /// The text of whole characters.
    pub(super) fn decode(self, bytes: &[u8], on_invalid: OnInvalid) -> Decoded {
        match self {
            Self::Utf8 => decode_utf8(bytes, on_invalid),
            Self::Utf16Le | Self::Utf16Be => self.decode_utf16(bytes, on_invalid),
            Self::SingleByte(encoding) => {
                let (text, _) = encoding.decode_without_bom_handling(bytes);
                let invalid_bytes = text.chars().filter(|c| *c == '\u{FFFD}').count();
                let first_invalid = text.chars().position(|c| c == '\u{FFFD}');
                Decoded { text: text.into_owned(), invalid_bytes, first_invalid }
            }
            Self::Base64 => {
                Decoded { text: STANDARD.encode(bytes), invalid_bytes: 0, first_invalid: None }
            }
        }
    }

    fn decode_utf16(self, bytes: &[u8], on_invalid: OnInvalid) -> Decoded {
        let (pairs, odd) = bytes.as_chunks::<2>();
        let units = pairs.iter().map(|pair| match self {
            Self::Utf16Be => u16::from_be_bytes(*pair),
            _ => u16::from_le_bytes(*pair),
        });
        let mut decoded = Decoded {
            text: String::with_capacity(bytes.len()),
            invalid_bytes: 0,
            first_invalid: None,
        };
        let mut at = 0;
        for character in char::decode_utf16(units) {
            match character {
                Ok(character) => {
                    decoded.text.push(character);
                    at += character.len_utf16() * 2;
                }
                Err(_) => {
                    let lone = bytes.get(at..at + 2).unwrap_or_default();
                    decoded.invalid(lone, at, on_invalid);
                    at += 2;
                }
            }
        }
        if !odd.is_empty() {
            decoded.invalid(odd, at, on_invalid);
        }
        decoded
    }
}

impl Decoded {
    fn invalid(&mut self, bytes: &[u8], at: usize, on_invalid: OnInvalid) {
        self.invalid_bytes += bytes.len();
        self.first_invalid.get_or_insert(at);
        match on_invalid {
            OnInvalid::Replace | OnInvalid::Strict => self.text.push('\u{FFFD}'),
            OnInvalid::Ignore => {}
            OnInvalid::Backslash => {
                for byte in bytes {
                    self.text.push_str(&format!("\\x{byte:02x}"));
                }
            }
        }
    }
}

fn decode_utf8(bytes: &[u8], on_invalid: OnInvalid) -> Decoded {
    if let Ok(text) = str::from_utf8(bytes) {
        return Decoded { text: text.to_owned(), invalid_bytes: 0, first_invalid: None };
    }
    let mut decoded =
        Decoded { text: String::with_capacity(bytes.len()), invalid_bytes: 0, first_invalid: None };
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        decoded.text.push_str(chunk.valid());
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            decoded.invalid(chunk.invalid(), at, on_invalid);
            at += chunk.invalid().len();
        }
    }
    decoded
}

/// The length of the character that begins here, if there is a valid one of several bytes.
fn character_len(bytes: &[u8]) -> Option<usize> {
    let len = match bytes.first()? {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return None,
    };
    str::from_utf8(bytes.get(..len)?).is_ok().then_some(len)
}

/// The bytes without a character that is cut at their end.
fn whole_characters(bytes: &[u8]) -> &[u8] {
    for back in 1..CHARACTER_MAX {
        let Some(tail) = bytes.len().checked_sub(back).and_then(|at| bytes.get(at..)) else {
            break;
        };
        let is_cut = match tail.first() {
            Some(0xC2..=0xDF) => back < 2,
            Some(0xE0..=0xEF) => back < 3,
            Some(0xF0..=0xF4) => back < 4,
            Some(0x80..=0xBF) => continue,
            _ => false,
        };
        return if is_cut { bytes.get(..bytes.len() - back).unwrap_or_default() } else { bytes };
    }
    bytes
}

/// UTF-16 without a byte order mark: mostly ASCII, and so every other byte is zero.
fn wide_without_mark(head: &[u8]) -> Option<Encoding> {
    if head.len() < 4 || matches!(head, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]) {
        return None;
    }
    let (pairs, _) = head.as_chunks::<2>();
    let is_text = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7E);
    let zeros = |which: usize| {
        let is_wide = |pair: &&[u8; 2]| {
            pair.get(which) == Some(&0) && pair.get(1 - which).is_some_and(is_text)
        };
        pairs.iter().filter(is_wide).count()
    };
    let (first, second) = (zeros(0), zeros(1));
    let most = |many: usize, few: usize| many * 10 >= pairs.len() * 7 && few * 50 <= pairs.len();
    if most(second, first) {
        Some(Encoding::Utf16Le)
    } else if most(first, second) {
        Some(Encoding::Utf16Be)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, mark: bool) -> Vec<u8> {
        let mark = mark.then_some('\u{FEFF}');
        let text: String = mark.into_iter().chain(text.chars()).collect();
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn encodings_go_by_many_names() {
        for (label, name) in [
            ("utf-8", "utf-8"),
            ("UTF8", "utf-8"),
            ("utf_16_le", "utf-16le"),
            ("utf-16", "utf-16le"),
            ("latin-1", "windows-1252"),
            ("iso-8859-1", "windows-1252"),
            ("koi8-r", "koi8-r"),
            ("cp1251", "windows-1251"),
            ("base64", "base64"),
        ] {
            assert_eq!(
                Encoding::named(label).map(Encoding::name).as_deref(),
                Some(name),
                "{label}"
            );
        }
        assert_eq!(Encoding::named("shift_jis"), None, "a window of it cannot begin anywhere");
        assert_eq!(Encoding::named("rot13"), None);
    }

    #[test]
    fn a_guess_is_by_mark_and_by_bytes() {
        let name = |bytes: &[u8]| Encoding::guess(bytes).name();
        assert_eq!(name(b""), "utf-8");
        assert_eq!(name(b"plain\n"), "utf-8");
        assert_eq!(name("\u{FEFF}mark".as_bytes()), "utf-8");
        assert_eq!(name(&"häh".as_bytes()[..2]), "utf-8", "the second character is cut");
        assert_eq!(name(b"caf\xe9 au lait\n"), "windows-1252");
        assert_eq!(name(b"\x7fELF\x02\x01\x00\x00\x80\xff\xfe\x00"), "base64");
        assert_eq!(name(&utf16("hello", true)), "utf-16le");
        assert_eq!(name(&utf16("hello", false)), "utf-16le");
        assert_eq!(name(b"\xFE\xFF\0h\0i"), "utf-16be");
        assert_eq!(name(b"\0h\0e\0l\0l\0o"), "utf-16be");
    }

    #[test]
    fn a_window_ends_between_characters_and_never_at_once() {
        let text = "aé漢😀".as_bytes(); // 1 + 2 + 3 + 4 bytes
        let ends: Vec<usize> = (1..=10).map(|want| Encoding::Utf8.end_of(text, want)).collect();
        assert_eq!(ends, [1, 1, 3, 3, 3, 6, 6, 6, 6, 10]);
        assert_eq!(Encoding::Utf8.end_of("😀😀".as_bytes(), 1), 4, "one character at least");
        assert_eq!(Encoding::Utf8.end_of(b"\xbf\xbf\xbf", 1), 1, "stray bytes are no character");
        let wide = utf16("a😀b", false);
        let ends: Vec<usize> = (1..=8).map(|want| Encoding::Utf16Le.end_of(&wide, want)).collect();
        assert_eq!(ends, [2, 2, 2, 2, 2, 6, 6, 8]);
        assert_eq!(Encoding::Utf16Le.end_of(&utf16("😀b", false), 1), 4);
    }

    #[test]
    fn an_offset_inside_a_character_goes_back_to_its_beginning() {
        let text = "aé漢😀".as_bytes();
        let back: Vec<usize> = (0..10).map(|at| Encoding::Utf8.into_character(text, at)).collect();
        assert_eq!(back, [0, 0, 1, 0, 1, 2, 0, 1, 2, 3]);
        assert_eq!(Encoding::Utf8.into_character(b"a\xbf\xbf", 2), 0);
    }

    #[test]
    fn invalid_bytes_are_counted_and_treated_as_asked() {
        let text = |on_invalid| Encoding::Utf8.decode(b"a\xe9b\xf0\x9fc", on_invalid).text;
        assert_eq!(text(OnInvalid::Replace), "a\u{FFFD}b\u{FFFD}c");
        assert_eq!(text(OnInvalid::Ignore), "abc");
        assert_eq!(text(OnInvalid::Backslash), r"a\xe9b\xf0\x9fc");
        let decoded = Encoding::Utf8.decode(b"a\xe9b\xf0\x9fc", OnInvalid::Replace);
        assert_eq!((decoded.invalid_bytes, decoded.first_invalid), (3, Some(1)));
        let lone = Encoding::Utf16Le.decode(b"a\0\x00\xd8b\0c", OnInvalid::Replace);
        assert_eq!(lone.text, "a\u{FFFD}b\u{FFFD}");
        assert_eq!((lone.invalid_bytes, lone.first_invalid), (3, Some(2)));
        assert_eq!(Encoding::Base64.decode(b"\x00\xff", OnInvalid::Strict).text, "AP8=");
    }
}
