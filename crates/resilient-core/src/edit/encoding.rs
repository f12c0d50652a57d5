//! What encoding a file is in, and how to search it for UTF-8 text without converting it.
//!
//! A [`Reading`] holds the file as UTF-8 (or as it is, where searching the raw bytes will do) and can tell
//! where in the file an offset of the reading lies. UTF-8 is self-synchronising, so a match in a
//! reading never begins or ends inside a character of the file. The guess at an encoding only decides
//! what may be *inserted*; what is already in the file is never re-encoded.

use std::borrow::Cow;
use std::str::Utf8Error;

use encoding_rs::WINDOWS_1252;

use super::Refusal;

/// A file as text to search in, and the way back from that text to the file's bytes.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    /// UTF-8 where the file is text; unpaired surrogates and raw bytes of other encodings stay invalid.
    pub(super) text: Cow<'a, [u8]>,
    layout: Layout,
    encoding: Encoding,
}

/// How an offset in the reading maps to one in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// The reading is the file.
    Same,
    /// One character is two or four bytes, after a byte order mark of two.
    Utf16,
    /// One character is one byte.
    SingleByte,
}

/// What inserted text is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
    Windows1252,
    /// Text in some encoding that may have double-byte characters; only ASCII can be inserted.
    Legacy,
    /// Not text; only ASCII can be inserted.
    Binary,
    /// Not searchable at all.
    Utf32,
}

/// The readings of `file` in which to look for `old`, in this order.
pub(super) fn readings<'a>(file: &'a [u8], old: &str) -> Vec<Reading<'a>> {
    let raw = |encoding| Reading { text: Cow::Borrowed(file), layout: Layout::Same, encoding };
    // Where the UTF-8 bytes of a non-ASCII `old` occur, that spot is UTF-8, whatever the rest is.
    let spot = |encoding| raw(if old.is_ascii() { encoding } else { Encoding::Utf8 });
    match Encoding::guess(file) {
        Encoding::Utf8 => vec![raw(Encoding::Utf8)],
        encoding @ (Encoding::Utf16Le | Encoding::Utf16Be) => {
            let text = Cow::Owned(read_utf16(file, encoding));
            vec![Reading { text, layout: Layout::Utf16, encoding }]
        }
        encoding @ Encoding::Windows1252 if !old.is_ascii() => {
            let text = Cow::Owned(read_windows_1252(file));
            vec![spot(encoding), Reading { text, layout: Layout::SingleByte, encoding }]
        }
        Encoding::Utf32 => Vec::new(),
        encoding => vec![spot(encoding)],
    }
}

/// Says where `file` stops being UTF-8 and what it was searched as.
pub(super) fn describe(file: &[u8], error: &Utf8Error) -> String {
    let offset = error.valid_up_to();
    let byte = file.get(offset).copied().unwrap_or_default();
    let searched = match Encoding::guess(file) {
        Encoding::Utf32 => "utf-32 is not supported".to_owned(),
        Encoding::Legacy | Encoding::Binary | Encoding::Utf8 => {
            "old_string does not occur in its bytes".to_owned()
        }
        known => format!("old_string does not occur in it read as {} either", known.name()),
    };
    format!("invalid byte 0x{byte:02x} at offset {offset}, and {searched}")
}

impl Reading<'_> {
    /// Whether a match at `at` might begin with the second half of a double-byte character.
    ///
    /// The second half can be a digit or ASCII from `@` upwards, the first is not ASCII. Pairing up the non-ASCII
    /// bytes just before `at`, an odd one out may be the first half of what looks like ASCII here.
    pub(super) fn may_split(&self, at: usize) -> bool {
        let second_half = |byte: &u8| matches!(byte, b'0'..=b'9' | b'@'..);
        if self.encoding != Encoding::Legacy || !self.text.get(at).is_some_and(second_half) {
            return false;
        }
        let before = self.text.get(..at).unwrap_or_default();
        before.iter().rev().take_while(|byte| !byte.is_ascii()).count() % 2 == 1
    }

    /// Refuses text that has a character the file's encoding lacks.
    pub(super) fn check_encodable(&self, new: &str) -> Result<(), Refusal> {
        let encodable = |character: char| match self.encoding {
            Encoding::Utf8 | Encoding::Utf16Le | Encoding::Utf16Be => true,
            Encoding::Windows1252 => windows_1252_byte(character).is_some(),
            Encoding::Legacy | Encoding::Binary | Encoding::Utf32 => character.is_ascii(),
        };
        match new.char_indices().find(|(_, character)| !encodable(*character)) {
            None => Ok(()),
            Some((offset, character)) => {
                let encoding = self.encoding.name().to_owned();
                Err(Refusal::Unencodable { encoding, character, offset })
            }
        }
    }

    /// Appends text that [`check_encodable`](Self::check_encodable) has passed.
    pub(super) fn encode_onto(&self, text: &str, out: &mut Vec<u8>) {
        match self.encoding {
            Encoding::Utf16Le => out.extend(text.encode_utf16().flat_map(u16::to_le_bytes)),
            Encoding::Utf16Be => out.extend(text.encode_utf16().flat_map(u16::to_be_bytes)),
            Encoding::Windows1252 => out.extend(text.chars().filter_map(windows_1252_byte)),
            _ => out.extend_from_slice(text.as_bytes()),
        }
    }

    /// The way from this reading's offsets to the file's.
    pub(super) fn offsets(&self) -> Offsets<'_> {
        let in_file = if self.layout == Layout::Utf16 { 2 } else { 0 };
        Offsets { text: &self.text, layout: self.layout, in_text: 0, in_file }
    }
}

/// Translates ascending offsets, in one walk over the reading.
#[derive(Debug)]
pub(super) struct Offsets<'a> {
    text: &'a [u8],
    layout: Layout,
    in_text: usize,
    in_file: usize,
}

impl Offsets<'_> {
    /// Where offset `at` of the reading lies in the file; `at` must not be less than before.
    pub(super) fn in_file(&mut self, at: usize) -> usize {
        if self.layout == Layout::Same {
            return at;
        }
        for byte in self.text.get(self.in_text..at).unwrap_or_default() {
            self.in_file += match (byte, self.layout) {
                (0x80..=0xBF, _) => 0,
                (_, Layout::SingleByte | Layout::Same) => 1,
                (0xF0.., Layout::Utf16) => 4,
                (_, Layout::Utf16) => 2,
            };
        }
        self.in_text = at;
        self.in_file
    }
}

impl Encoding {
    /// What a file looks like, by its mark and its bytes.
    pub(crate) fn guess(file: &[u8]) -> Self {
        match file {
            // These are four bytes to a character, and the first also looks like a UTF-16 mark.
            [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => return Self::Utf32,
            [0xFF, 0xFE, ..] => return Self::Utf16Le,
            [0xFE, 0xFF, ..] => return Self::Utf16Be,
            _ => {}
        }
        let (mut wide, mut broken) = (0_usize, 0_usize);
        for chunk in file.utf8_chunks() {
            wide += chunk.valid().bytes().filter(|byte| *byte >= 0xC0).count();
            broken += usize::from(!chunk.invalid().is_empty());
        }
        // Valid multi-byte sequences hardly arise by chance: this is UTF-8 with some damage.
        if broken == 0 || wide > broken {
            return Self::Utf8;
        }
        if file.iter().any(|byte| *byte < 0x20 && !matches!(*byte, 0x08..=0x0D | 0x1B)) {
            return Self::Binary;
        }
        if looks_western(file) { Self::Windows1252 } else { Self::Legacy }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16Le => "utf-16le",
            Self::Utf16Be => "utf-16be",
            Self::Windows1252 => "windows-1252",
            Self::Utf32 => "utf-32",
            Self::Legacy | Self::Binary => "unknown",
        }
    }
}

/// Whether the non-ASCII bytes are mostly single accented letters or typographic signs.
///
/// Cyrillic, Greek and double-byte text has them in runs instead, and Japanese syllables in Shift_JIS
/// come with a lead byte that is a rare sign in windows-1252.
fn looks_western(file: &[u8]) -> bool {
    let (mut all, mut single) = (0_usize, 0_usize);
    let mut run = 0_usize;
    let mut common = false;
    for byte in file.iter().copied().chain([b' ']) {
        match byte {
            0x81 | 0x8D | 0x8F | 0x90 | 0x9D => return false,
            0x80.. => {
                all += 1;
                run += 1;
                common = matches!(byte, 0x80 | 0x85 | 0x91..=0x97 | 0x99 | 0xA0..);
            }
            _ => {
                single += usize::from(run == 1 && common);
                run = 0;
            }
        }
    }
    single * 2 > all
}

/// The text after the byte order mark; a last odd byte is left out.
fn read_utf16(file: &[u8], encoding: Encoding) -> Vec<u8> {
    let (pairs, _) = file.get(2..).unwrap_or_default().as_chunks::<2>();
    let units = pairs.iter().map(|pair| match encoding {
        Encoding::Utf16Be => u16::from_be_bytes(*pair),
        _ => u16::from_le_bytes(*pair),
    });
    let mut text = Vec::with_capacity(file.len());
    for decoded in char::decode_utf16(units) {
        match decoded {
            Ok(character) => push(&mut text, character),
            // The three bytes UTF-8 would use keep the offsets right and match no valid string.
            Err(lone) => {
                let [high, low] = lone.unpaired_surrogate().to_be_bytes();
                text.extend([0xED, 0x80 | (high & 0x0F) << 2 | low >> 6, 0x80 | low & 0x3F]);
            }
        }
    }
    text
}

fn read_windows_1252(file: &[u8]) -> Vec<u8> {
    let (text, _) = WINDOWS_1252.decode_without_bom_handling(file);
    text.into_owned().into_bytes()
}

fn windows_1252_byte(character: char) -> Option<u8> {
    match u32::from(character) {
        code @ (0..0x80 | 0xA0..=0xFF) => u8::try_from(code).ok(),
        _ => {
            let mut utf8 = [0; 4];
            let (bytes, _, unmappable) = WINDOWS_1252.encode(character.encode_utf8(&mut utf8));
            if unmappable { None } else { bytes.first().copied() }
        }
    }
}

fn push(text: &mut Vec<u8>, character: char) {
    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}
