//! What encoding a stretch of a file is in, where its characters begin and end, and its text.
//!
//! An encoding is guessed from the head of a file, by the same rules as for writes. A window is then
//! cut where no character is cut, so that windows read one after another hold every character once;
//! and as long as nothing in it is invalid, encoding its text again gives the window's own bytes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use encoding_rs::{DecoderResult, WINDOWS_1252};

use super::terminator::Unit;
pub(super) use crate::form::Encoding;
use crate::form::{Guess, synchronous};

/// The longest character of any encoding here, in bytes.
pub(super) const CHARACTER_MAX: usize = 4;

/// How far in front of a byte the beginning of its character is looked for, in an encoding of several
/// bytes to one: up to a byte that is surely none of its later ones.
const REACH: usize = 4 << 10;

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
    /// The encoding of this name; `base64` for any bytes.
    pub(super) fn of_label(label: &str) -> Option<Self> {
        match label.trim().to_ascii_lowercase().as_str() {
            "base64" | "binary" => Some(Self::Binary),
            _ => Self::named(label),
        }
    }

    /// What a stretch inside a file looks like that is not what the file's head looks like.
    pub(super) fn of_stretch(bytes: &[u8]) -> Self {
        match Guess::without_detector(bytes).map(|guess| guess.encoding) {
            Some(Self::Utf32) => Self::Binary,
            Some(encoding) => encoding,
            // It is perhaps spelled wrong so, but nothing of it is lost.
            None => Self::SingleByte(WINDOWS_1252),
        }
    }

    /// Its name in the answer of a window.
    pub(super) fn name_of_window(self) -> String {
        if self == Self::Binary { "base64".to_owned() } else { self.name() }
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
            Self::Utf8 | Self::Utf32 | Self::Binary => text.len() as u64,
            Self::SingleByte(_) | Self::Ascii => characters.count() as u64,
            Self::MultiByte(_) => {
                let mut bytes = Vec::new();
                let len = |character: char| {
                    bytes.clear();
                    let encoded = self.encode(character.encode_utf8(&mut [0; 4]), &mut bytes);
                    // A character that the encoding does not have was a byte that is no character.
                    if encoded.is_ok() { bytes.len() as u64 } else { 1 }
                };
                String::from_utf8_lossy(text).chars().map(len).sum()
            }
            Self::Utf16Le | Self::Utf16Be => {
                characters.map(|byte| if *byte >= 0xF0 { 4 } else { 2 }).sum()
            }
        }
    }

    /// How many bytes in front of one have to be known to tell where its character begins.
    pub(super) fn reach(self) -> usize {
        if matches!(self, Self::MultiByte(_)) { REACH } else { CHARACTER_MAX }
    }

    /// From where on some bytes of a file are characters, if that can be told: `at` is one of them.
    pub(super) fn begin_of(self, bytes: &[u8], at: usize) -> Option<usize> {
        match self {
            Self::MultiByte(_) => Some(synchronous(bytes, at)).filter(|begin| *begin > 0),
            _ => Some(0),
        }
    }

    /// How far the character that holds the byte at `at` begins before it, given the bytes around.
    /// In an encoding of several bytes to a character, `around` begins at one.
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
            Self::MultiByte(_) => {
                let mut begin = synchronous(around, at);
                loop {
                    let rest = around.get(begin..).unwrap_or_default();
                    let next = begin + self.character_len(rest).max(1);
                    if next > at {
                        return at - begin;
                    }
                    begin = next;
                }
            }
            Self::SingleByte(_) | Self::Ascii | Self::Utf32 | Self::Binary => 0,
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
            Self::MultiByte(_) => self.character_len(bytes),
            Self::SingleByte(_) | Self::Ascii | Self::Utf32 | Self::Binary => 1,
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
            Self::Ascii => decode_ascii(bytes, on_invalid),
            Self::Utf16Le | Self::Utf16Be => self.decode_utf16(bytes, on_invalid),
            Self::SingleByte(encoding) | Self::MultiByte(encoding) => {
                decode_legacy(encoding, bytes, on_invalid)
            }
            Self::Utf32 | Self::Binary => {
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

fn decode_ascii(bytes: &[u8], on_invalid: OnInvalid) -> Decoded {
    let mut decoded =
        Decoded { text: String::with_capacity(bytes.len()), invalid_bytes: 0, first_invalid: None };
    for (at, byte) in bytes.iter().enumerate() {
        if byte.is_ascii() {
            decoded.text.push(char::from(*byte));
        } else {
            decoded.invalid(&[*byte], at, on_invalid);
        }
    }
    decoded
}

fn decode_legacy(
    encoding: &'static encoding_rs::Encoding,
    bytes: &[u8],
    on_invalid: OnInvalid,
) -> Decoded {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut decoded = Decoded { text: String::new(), invalid_bytes: 0, first_invalid: None };
    let mut at = 0;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let room = decoder.max_utf8_buffer_length_without_replacement(rest.len());
        decoded.text.reserve(room.unwrap_or(rest.len()).max(16));
        let (result, read) =
            decoder.decode_to_string_without_replacement(rest, &mut decoded.text, true);
        at += read;
        match result {
            DecoderResult::InputEmpty => return decoded,
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(len, beyond) => {
                let end = at.saturating_sub(usize::from(beyond));
                let begin = end.saturating_sub(usize::from(len));
                let invalid = bytes.get(begin..end).unwrap_or_default();
                decoded.invalid(invalid, begin, on_invalid);
            }
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, mark: bool) -> Vec<u8> {
        let mark = mark.then_some('\u{FEFF}');
        let text: String = mark.into_iter().chain(text.chars()).collect();
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
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
    fn in_double_byte_text_a_window_is_cut_between_characters_whatever_their_bytes() {
        let japanese = Encoding::named("shift_jis").unwrap();
        // Both bytes of the last two could begin a character.
        let bytes = b"a\x83\x41\xb1\x83\x83\x83\x83z"; // 1 + 2 + 1 + 2 + 2 + 1 bytes
        let ends: Vec<usize> = (1..=9).map(|want| japanese.end_of(bytes, want)).collect();
        assert_eq!(ends, [1, 1, 3, 4, 4, 6, 6, 8, 9]);
        assert_eq!(japanese.end_of(b"\x83\x41z", 1), 2, "one character at least");
        let gb = Encoding::named("gb18030").unwrap();
        let four = b"\x95\x32\x82\x36\x95\x32\x82\x36";
        let ends: Vec<usize> = (1..=8).map(|want| gb.end_of(four, want)).collect();
        assert_eq!(ends, [4, 4, 4, 4, 4, 4, 4, 8]);
    }

    #[test]
    fn invalid_double_byte_text_is_counted() {
        let gbk = Encoding::named("gbk").unwrap();
        let decoded = gbk.decode(b"a\xff\xd6\xd0\x81", OnInvalid::Backslash);
        assert_eq!(decoded.text, "a\\xff\u{4e2d}\\x81");
        assert_eq!((decoded.invalid_bytes, decoded.first_invalid), (2, Some(1)));
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
        assert_eq!(Encoding::Binary.decode(b"\x00\xff", OnInvalid::Strict).text, "AP8=");
    }
}
