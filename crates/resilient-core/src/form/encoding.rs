//! The encodings that a file may be in: their names, where their characters end, and the way from
//! text to their bytes.

use std::borrow::Cow;

use encoding_rs::{BIG5, DecoderResult, EUC_JP, EUC_KR, GB18030, GBK, SHIFT_JIS, WINDOWS_1252};
use encoding_rs::{EncoderResult, UTF_8, UTF_16BE, UTF_16LE};

/// What a file's bytes mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// UTF-8, which ASCII is part of.
    Utf8,
    /// ASCII alone, where a caller asks for it: no other character is written, and no other byte is one.
    Ascii,
    /// UTF-16, the low byte first.
    Utf16Le,
    /// UTF-16, the high byte first.
    Utf16Be,
    /// One byte to a character.
    SingleByte(&'static encoding_rs::Encoding),
    /// One to four bytes to a character: Shift_JIS, EUC-JP, EUC-KR, Big5, GBK and GB18030.
    MultiByte(&'static encoding_rs::Encoding),
    /// Four bytes to a character. Such a file is recognised, and neither read nor edited.
    Utf32,
    /// Not text.
    Binary,
}

/// A character that an encoding lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lacking {
    pub(crate) character: char,
    /// Where it stands in the text, in bytes.
    pub(crate) offset: usize,
}

/// No byte below this is a later byte of a character, in any encoding but UTF-16 and UTF-32.
const FIRST_TRAIL: u8 = 0x30;

impl Encoding {
    /// Names to choose from, for a caller that gave a wrong one.
    pub(crate) const NAMES: &[&str] = &[
        "ascii",
        "big5",
        "cp1252",
        "euc-jp",
        "euc-kr",
        "gb18030",
        "gbk",
        "ibm866",
        "iso-8859-1",
        "iso-8859-15",
        "iso-8859-2",
        "iso-8859-5",
        "iso-8859-7",
        "iso-8859-8",
        "koi8-r",
        "koi8-u",
        "latin-1",
        "macintosh",
        "shift_jis",
        "utf-16be",
        "utf-16le",
        "utf-8",
        "utf-8-bom",
        "windows-1250",
        "windows-1251",
        "windows-1252",
        "windows-1253",
        "windows-1254",
        "windows-1255",
        "windows-1256",
        "windows-1257",
        "windows-1258",
        "windows-874",
    ];

    /// The encoding of this name, as the web and Python spell it. Encodings that keep a state
    /// between characters (ISO-2022-JP, UTF-7) are not among them.
    #[must_use]
    pub fn named(label: &str) -> Option<Self> {
        let plain = label.trim().to_ascii_lowercase().replace('_', "-");
        let known = match plain.as_str() {
            "utf-16-le" | "utf-16le" | "utf-16" | "utf16" => return Some(Self::Utf16Le),
            "utf-16-be" | "utf-16be" => return Some(Self::Utf16Be),
            // The web takes it for windows-1252, which has more characters.
            "ascii" | "us-ascii" => return Some(Self::Ascii),
            "latin-1" => WINDOWS_1252,
            "cp932" | "sjis" | "shift-jis" | "ms932" => SHIFT_JIS,
            "cp936" | "ms936" => GBK,
            "cp949" | "uhc" | "ms949" => EUC_KR,
            "cp950" | "ms950" => BIG5,
            "eucjp" => EUC_JP,
            "euckr" => EUC_KR,
            _ => encoding_rs::Encoding::for_label(plain.as_bytes())?,
        };
        Self::of(known)
    }

    /// The encoding that the detector or a label gave.
    pub(super) fn of(known: &'static encoding_rs::Encoding) -> Option<Self> {
        if known == UTF_8 {
            Some(Self::Utf8)
        } else if known == UTF_16LE {
            Some(Self::Utf16Le)
        } else if known == UTF_16BE {
            Some(Self::Utf16Be)
        } else if known.is_single_byte() && known.is_ascii_compatible() {
            Some(Self::SingleByte(known))
        } else if [SHIFT_JIS, EUC_JP, EUC_KR, BIG5, GBK, GB18030].contains(&known) {
            Some(Self::MultiByte(known))
        } else {
            None
        }
    }

    /// Its name in answers.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Utf8 => "utf-8".to_owned(),
            Self::Ascii => "ascii".to_owned(),
            Self::Utf16Le => "utf-16le".to_owned(),
            Self::Utf16Be => "utf-16be".to_owned(),
            Self::SingleByte(it) | Self::MultiByte(it) => it.name().to_ascii_lowercase(),
            Self::Utf32 => "utf-32".to_owned(),
            Self::Binary => "binary".to_owned(),
        }
    }

    /// The bytes that say so at the beginning of a file.
    pub(crate) fn mark(self) -> &'static [u8] {
        match self {
            Self::Utf8 => b"\xEF\xBB\xBF",
            Self::Utf16Le => b"\xFF\xFE",
            Self::Utf16Be => b"\xFE\xFF",
            _ => b"",
        }
    }

    /// Whether text can be written in it.
    pub(crate) fn is_text(self) -> bool {
        !matches!(self, Self::Utf32 | Self::Binary)
    }

    /// Whether each ASCII character is its own byte.
    pub(crate) fn has_ascii(self) -> bool {
        matches!(self, Self::Utf8 | Self::Ascii | Self::SingleByte(_) | Self::MultiByte(_))
    }

    /// Appends text in this encoding.
    ///
    /// # Errors
    /// It lacks a character; nothing of the text is appended then.
    pub(crate) fn encode(self, text: &str, out: &mut Vec<u8>) -> Result<(), Lacking> {
        match self {
            _ if self.has_ascii() && text.is_ascii() => out.extend_from_slice(text.as_bytes()),
            Self::Utf8 => out.extend_from_slice(text.as_bytes()),
            Self::Utf16Le => out.extend(text.encode_utf16().flat_map(u16::to_le_bytes)),
            Self::Utf16Be => out.extend(text.encode_utf16().flat_map(u16::to_be_bytes)),
            Self::SingleByte(encoding) | Self::MultiByte(encoding) => {
                let begin = out.len();
                out.reserve(text.len());
                let mut from = 0;
                let mut encoder = encoding.new_encoder();
                let mut buffer = [0; 4096];
                loop {
                    let rest = text.get(from..).unwrap_or_default();
                    let (result, read, written) =
                        encoder.encode_from_utf8_without_replacement(rest, &mut buffer, true);
                    out.extend_from_slice(buffer.get(..written).unwrap_or_default());
                    from += read;
                    match result {
                        EncoderResult::InputEmpty => break,
                        EncoderResult::OutputFull => {}
                        EncoderResult::Unmappable(character) => {
                            out.truncate(begin);
                            return Err(Lacking { character, offset: from - character.len_utf8() });
                        }
                    }
                }
                // IMPORTANT: the encoders of the web write a few characters as others, a yen sign as a
                // backslash. That is no way to keep a text.
                let written = out.get(begin..).unwrap_or_default();
                let (back, _) = encoding.decode_without_bom_handling(written);
                if back != text {
                    let offset = text.bytes().zip(back.bytes()).take_while(|(a, b)| a == b).count();
                    let offset = text.floor_char_boundary(offset);
                    let character = text.get(offset..).and_then(|rest| rest.chars().next());
                    out.truncate(begin);
                    return Err(Lacking { character: character.unwrap_or('\u{FFFD}'), offset });
                }
            }
            Self::Ascii | Self::Utf32 | Self::Binary => {
                let is_lacking = |character: char| self != Self::Ascii || !character.is_ascii();
                let lacking = text.char_indices().find(|(_, character)| is_lacking(*character));
                if let Some((offset, character)) = lacking {
                    return Err(Lacking { character, offset });
                }
            }
        }
        Ok(())
    }

    /// The text of some bytes, for comparisons: what is no character becomes U+FFFD.
    pub(crate) fn text_of(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Self::Utf8 | Self::Utf32 | Self::Binary => String::from_utf8_lossy(bytes),
            Self::Ascii => bytes.iter().map(|byte| ascii(*byte).unwrap_or('\u{FFFD}')).collect(),
            Self::Utf16Le => UTF_16LE.decode_without_bom_handling(bytes).0,
            Self::Utf16Be => UTF_16BE.decode_without_bom_handling(bytes).0,
            Self::SingleByte(it) | Self::MultiByte(it) => it.decode_without_bom_handling(bytes).0,
        }
    }

    /// The length of the character that begins here, in an encoding of several bytes to one; of a
    /// byte that begins none, 1.
    pub(crate) fn character_len(self, bytes: &[u8]) -> usize {
        let Self::MultiByte(encoding) = self else { return 1.min(bytes.len()) };
        let byte = |at: usize| bytes.get(at).copied().unwrap_or_default();
        let (first, second) = (byte(0), byte(1));
        let is_trail = match second {
            0x40..=0x7E | 0x80..=0xFE => true,
            0x7F | 0xFF | 0..=0x3F => false,
        };
        let len = if encoding == SHIFT_JIS {
            let is_lead = matches!(first, 0x81..=0x9F | 0xE0..=0xFC);
            if is_lead && is_trail && second <= 0xFC { 2 } else { 1 }
        } else if encoding == EUC_JP {
            match first {
                0x8F if second >= 0xA1 && byte(2) >= 0xA1 => 3,
                0x8E | 0xA1..=0xFE if (0xA1..=0xFE).contains(&second) => 2,
                _ => 1,
            }
        } else if matches!(first, 0x81..=0xFE) {
            let is_four = (encoding == GBK || encoding == GB18030)
                && second.is_ascii_digit()
                && matches!(byte(2), 0x81..=0xFE)
                && byte(3).is_ascii_digit();
            match () {
                () if is_four => 4,
                () if is_trail => 2,
                () => 1,
            }
        } else {
            1
        };
        len.min(bytes.len())
    }

    /// Appends the character that begins here, as UTF-8, and tells how many bytes it has. A byte
    /// that is no character becomes 0xFF, which no text has.
    pub(crate) fn decode_one(self, bytes: &[u8], out: &mut Vec<u8>) -> usize {
        let (Self::MultiByte(encoding) | Self::SingleByte(encoding)) = self else {
            let is_none = |byte: u8| self == Self::Ascii && !byte.is_ascii();
            out.extend(bytes.first().map(|byte| if is_none(*byte) { 0xFF } else { *byte }));
            return 1.min(bytes.len());
        };
        if let Some(byte) = bytes.first().filter(|byte| byte.is_ascii()) {
            out.push(*byte);
            return 1;
        }
        let len = self.character_len(bytes);
        let mut utf8 = [0; 16];
        let mut decoder = encoding.new_decoder_without_bom_handling();
        let piece = bytes.get(..len).unwrap_or_default();
        match decoder.decode_to_utf8_without_replacement(piece, &mut utf8, true) {
            (DecoderResult::InputEmpty, _, written) => {
                out.extend_from_slice(utf8.get(..written).unwrap_or_default());
            }
            _ => out.push(0xFF),
        }
        len
    }

    /// Whether a file that ends with these bytes ends inside a character, so that what is appended
    /// would become a part of it. `len` is the length of the whole file.
    pub(crate) fn is_cut(self, tail: &[u8], len: u64) -> bool {
        match self {
            Self::Utf16Le | Self::Utf16Be => !len.is_multiple_of(2),
            Self::MultiByte(_) => {
                let begin = synchronous(tail, tail.len());
                if begin == 0 && (tail.len() as u64) < len {
                    // Nothing tells where characters begin.
                    return false;
                }
                let mut rest = tail.get(begin..).unwrap_or_default();
                while rest.len() > 1 {
                    rest = rest.get(self.character_len(rest).max(1)..).unwrap_or_default();
                }
                self.text_of(rest).contains('\u{FFFD}')
            }
            _ => false,
        }
    }
}

fn ascii(byte: u8) -> Option<char> {
    byte.is_ascii().then_some(char::from(byte))
}

/// The last place at or before `at` where a character surely begins; 0 where none is certain.
pub(crate) fn synchronous(bytes: &[u8], at: usize) -> usize {
    let before = bytes.get(..at).unwrap_or(bytes);
    before.iter().rposition(|byte| *byte < FIRST_TRAIL).map_or(0, |found| found + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Encoding> {
        let labels = [
            "utf-8",
            "utf-16le",
            "utf-16be",
            "latin-1",
            "windows-1251",
            "koi8-r",
            "shift_jis",
            "euc-jp",
            "euc-kr",
            "big5",
            "gbk",
            "gb18030",
        ];
        labels.iter().filter_map(|label| Encoding::named(label)).collect()
    }

    #[test]
    fn encodings_go_by_many_names() {
        for (label, name) in [
            ("UTF8", "utf-8"),
            ("utf_16_le", "utf-16le"),
            ("utf-16", "utf-16le"),
            ("latin-1", "windows-1252"),
            ("iso-8859-1", "windows-1252"),
            ("koi8-r", "koi8-r"),
            ("cp1251", "windows-1251"),
            ("Shift_JIS", "shift_jis"),
            ("cp932", "shift_jis"),
            ("cp949", "euc-kr"),
            ("GB2312", "gbk"),
            ("gb18030", "gb18030"),
            ("big5-hkscs", "big5"),
            ("euc-jp", "euc-jp"),
        ] {
            let found = Encoding::named(label).map(Encoding::name);
            assert_eq!(found.as_deref(), Some(name), "{label}");
        }
        for label in ["rot13", "iso-2022-jp", "utf-7", "replacement", ""] {
            assert_eq!(Encoding::named(label), None, "{label}");
        }
    }

    #[test]
    fn what_is_written_reads_back_and_what_cannot_be_is_named() {
        for encoding in all() {
            for text in ["plain\n", "日本語テキスト", "中文測試", "한국어", "déjà", "Привет"]
            {
                let mut bytes = b"x".to_vec();
                match encoding.encode(text, &mut bytes) {
                    Ok(()) => assert_eq!(encoding.text_of(&bytes[1..]), text, "{encoding:?}"),
                    Err(Lacking { character, offset }) => {
                        assert!(text[offset..].starts_with(character), "{encoding:?} {text}");
                        assert_eq!(bytes, b"x", "nothing of it is written");
                    }
                }
            }
        }
    }

    #[test]
    fn ascii_has_no_other_character() {
        let ascii = Encoding::named("US-ASCII").unwrap();
        let refused = ascii.encode("caf\u{e9}", &mut Vec::new());
        assert_eq!(refused, Err(Lacking { character: '\u{e9}', offset: 3 }));
        assert_eq!(ascii.text_of(b"caf\xe9"), "caf\u{FFFD}");
        let mut bytes = Vec::new();
        ascii.encode("cafe\n", &mut bytes).unwrap();
        assert_eq!((bytes.as_slice(), ascii.name().as_str()), (&b"cafe\n"[..], "ascii"));
        assert!(
            Encoding::NAMES
                .iter()
                .all(|name| *name == "utf-8-bom" || Encoding::named(name).is_some())
        );
    }

    #[test]
    fn a_yen_sign_is_not_written_as_a_backslash() {
        let japanese = Encoding::named("shift_jis").unwrap();
        let refused = japanese.encode("a\u{a5}b", &mut Vec::new());
        assert_eq!(refused, Err(Lacking { character: '\u{a5}', offset: 1 }));
    }

    #[test]
    fn characters_are_as_long_as_they_were_written() {
        for encoding in all() {
            let Encoding::MultiByte(_) = encoding else { continue };
            for text in ["日本", "中文", "한국", "ｱ", "\u{20087}", "é", "€"] {
                for character in text.chars() {
                    let mut bytes = Vec::new();
                    if encoding.encode(&character.to_string(), &mut bytes).is_ok() {
                        let len = bytes.len();
                        bytes.extend_from_slice(b"Az09");
                        assert_eq!(encoding.character_len(&bytes), len, "{encoding:?} {character}");
                        let mut back = Vec::new();
                        assert_eq!(encoding.decode_one(&bytes, &mut back), len);
                        assert_eq!(back, character.to_string().as_bytes());
                    }
                }
            }
        }
    }

    #[test]
    fn a_file_that_ends_inside_a_character_is_noticed() {
        let mut bytes = b"a ".to_vec();
        let gbk = Encoding::named("gbk").unwrap();
        gbk.encode("中文", &mut bytes).unwrap();
        let len = bytes.len() as u64;
        assert!(!gbk.is_cut(&bytes, len));
        bytes.pop();
        assert!(gbk.is_cut(&bytes, len - 1));
        assert!(Encoding::Utf16Le.is_cut(b"a\0b", 3));
        assert!(!Encoding::Utf8.is_cut(b"\xC3", 1), "UTF-8 tells where characters begin");
        let japanese = Encoding::named("shift_jis").unwrap();
        assert!(!japanese.is_cut(b"\xB1", 1), "a character of one byte");
        assert!(!gbk.is_cut(b"\xD6\xD0\xCE", 9), "it may begin inside a character itself");
        assert!(gbk.is_cut(b"\xD6\xD0\xCE", 3));
    }
}
