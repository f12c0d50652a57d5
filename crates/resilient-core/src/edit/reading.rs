//! How to search a file for UTF-8 text without converting it.
//!
//! A [`Reading`] holds the file as UTF-8 (or as it is, where searching the raw bytes will do) and can tell
//! where in the file an offset of the reading lies. UTF-8 is self-synchronising, so a match in a
//! reading never begins or ends inside a character of the file. The encoding only decides what is
//! *inserted*; what is already in the file is never re-encoded.

use std::borrow::Cow;
use std::str::Utf8Error;

use super::{Refusal, endings};
use crate::form::{AskedEncoding, Encoding, Guess};

/// A file as text to search in, and the way back from that text to the file's bytes.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    /// UTF-8 where the file is text; unpaired surrogates and raw bytes of other encodings stay invalid.
    pub(super) text: Cow<'a, [u8]>,
    file: &'a [u8],
    layout: Layout,
    encoding: Encoding,
    /// Whether the encoding is only a guess.
    is_unsure: bool,
}

/// How an offset in the reading maps to one in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// The reading is the file.
    Same,
    /// One character is two or four bytes, after a byte order mark of so many.
    Utf16 { mark: usize },
    /// Each character is decoded alone.
    Decoded,
}

/// As what a file is read.
fn taken_for(file: &[u8], asked: AskedEncoding) -> Guess {
    match asked {
        AskedEncoding::Raw => Guess { encoding: Encoding::Utf8, bom: false, is_sure: true },
        AskedEncoding::Named { encoding, .. } => {
            let bom = !encoding.mark().is_empty() && file.starts_with(encoding.mark());
            Guess { encoding, bom, is_sure: true }
        }
        AskedEncoding::Unsaid | AskedEncoding::Keep => Guess::of(file),
    }
}

/// The text of a file, to tell a caller what stands in it; nothing where it is no text. What is no character is
/// U+FFFD.
pub(super) fn text(file: &[u8], asked: AskedEncoding) -> Option<Cow<'_, str>> {
    let Guess { encoding, bom, .. } = taken_for(file, asked);
    let mark = if bom { encoding.mark() } else { b"" };
    let body = file.strip_prefix(mark).unwrap_or(file);
    encoding.is_text().then(|| encoding.text_of(body))
}

/// Whether [`replace`](super::replace) would find a text once, and just as it is.
pub(super) fn occurs_once(file: &[u8], text: &str, asked: AskedEncoding) -> bool {
    readings(file, text, asked)
        .iter()
        .map(|reading| (reading, endings::find(&reading.text, text)))
        .find(|(_, matches)| !matches.is_empty())
        .is_some_and(|(reading, matches)| match matches.as_slice() {
            [only] => !reading.may_split(only.range.start),
            all => all.iter().filter(|found| found.literal).count() == 1,
        })
}

/// The readings of `file` in which to look for `old`, in this order.
pub(super) fn readings<'a>(file: &'a [u8], old: &str, asked: AskedEncoding) -> Vec<Reading<'a>> {
    let Guess { encoding, bom, is_sure } = taken_for(file, asked);
    let is_unsure = !is_sure;
    let raw = |encoding| Reading {
        text: Cow::Borrowed(file),
        file,
        layout: Layout::Same,
        encoding,
        is_unsure,
    };
    let decoded =
        |text, layout| Reading { text: Cow::Owned(text), file, layout, encoding, is_unsure };
    // Where the UTF-8 bytes of a non-ASCII `old` occur, that spot is UTF-8, whatever the rest is.
    let spot = || {
        let reading = raw(if old.is_ascii() { encoding } else { Encoding::Utf8 });
        Reading { is_unsure: is_unsure && old.is_ascii(), ..reading }
    };
    match encoding {
        Encoding::Utf8 => vec![raw(Encoding::Utf8)],
        Encoding::Utf16Le | Encoding::Utf16Be => {
            let mark = if bom { 2 } else { 0 };
            let mut readings =
                vec![decoded(read_utf16(file, mark, encoding), Layout::Utf16 { mark })];
            // Without a mark these may be any bytes with many zeros.
            if !bom {
                readings.push(Reading { encoding: Encoding::Binary, ..raw(encoding) });
            }
            readings
        }
        Encoding::SingleByte(_) | Encoding::MultiByte(_) | Encoding::Ascii => {
            // ASCII is found in the bytes, except for what may be the second half of a character: that
            // is certain only where the encoding is.
            let decodes = !old.is_ascii() || is_sure && matches!(encoding, Encoding::MultiByte(_));
            let mut readings = Vec::new();
            if !decodes || !old.is_ascii() && asked == AskedEncoding::Unsaid {
                readings.push(spot());
            }
            if decodes {
                readings.push(decoded(read_decoded(file, encoding), Layout::Decoded));
            }
            readings
        }
        Encoding::Utf32 => Vec::new(),
        Encoding::Binary => vec![spot()],
    }
}

/// Says where `file` stops being UTF-8 and what it was searched as, and whether it is UTF-32.
pub(super) fn describe(file: &[u8], error: &Utf8Error, asked: AskedEncoding) -> (String, bool) {
    let offset = error.valid_up_to();
    let byte = file.get(offset).copied().unwrap_or_default();
    let encoding = match asked {
        AskedEncoding::Raw => Encoding::Binary,
        _ => taken_for(file, asked).encoding,
    };
    let searched = match encoding {
        Encoding::Utf32 => "utf-32 is not supported".to_owned(),
        Encoding::Binary | Encoding::Utf8 => "old_string does not occur in its bytes".to_owned(),
        known => format!("old_string does not occur in it read as {} either", known.name()),
    };
    let message = format!("invalid byte 0x{byte:02x} at offset {offset}, and {searched}");
    (message, encoding == Encoding::Utf32)
}

impl Reading<'_> {
    /// Whether a match at `at` might begin with the second half of a double-byte character.
    ///
    /// The second half can be a digit or ASCII from `@` upwards, the first is not ASCII. Pairing up the non-ASCII
    /// bytes just before `at`, an odd one out may be the first half of what looks like ASCII here.
    pub(super) fn may_split(&self, at: usize) -> bool {
        let second_half = |byte: &u8| matches!(byte, b'0'..=b'9' | b'@'..);
        let is_raw_guess = self.is_unsure && self.layout == Layout::Same;
        if !is_raw_guess || !self.text.get(at).is_some_and(second_half) {
            return false;
        }
        let before = self.text.get(..at).unwrap_or_default();
        before.iter().rev().take_while(|byte| !byte.is_ascii()).count() % 2 == 1
    }

    /// Refuses text that has a character the file's encoding lacks; and where the encoding is only a
    /// guess, a character that is neither ASCII nor in `old`, which was found there.
    pub(super) fn check_encodable(&self, old: &str, new: &str) -> Result<(), Refusal> {
        let named = |character, offset| Refusal::Unencodable {
            encoding: self.encoding.name(),
            character,
            offset,
            line: line_of(new, offset),
        };
        let mut outside = new.char_indices().filter(|(_, character)| !character.is_ascii());
        match self.encoding {
            Encoding::Utf32 | Encoding::Binary => {
                outside.next().map_or(Ok(()), |(offset, character)| Err(named(character, offset)))
            }
            _ => {
                let unknown = |(_, character): &(usize, char)| !old.contains(*character);
                if let Some((offset, character)) = outside.find(unknown).filter(|_| self.is_unsure)
                {
                    return Err(Refusal::UnsureEncoding {
                        encoding: self.encoding.name(),
                        character,
                        line: line_of(new, offset),
                    });
                }
                let encoded = self.encoding.encode(new, &mut Vec::new());
                encoded.map_err(|lacking| named(lacking.character, lacking.offset))
            }
        }
    }

    /// Appends text that [`check_encodable`](Self::check_encodable) has passed.
    pub(super) fn encode_onto(&self, text: &str, out: &mut Vec<u8>) {
        match self.encoding {
            Encoding::Binary | Encoding::Utf32 => out.extend_from_slice(text.as_bytes()),
            encoding => {
                let _ = encoding.encode(text, out);
            }
        }
    }

    /// The way from this reading's offsets to the file's.
    pub(super) fn offsets(&self) -> Offsets<'_> {
        let in_file = match self.layout {
            Layout::Utf16 { mark } => mark,
            _ => 0,
        };
        let Self { text, file, layout, encoding, .. } = self;
        Offsets { text, file, layout: *layout, encoding: *encoding, in_text: 0, in_file }
    }
}

/// The line that an offset of a text is in, from 1.
fn line_of(text: &str, offset: usize) -> usize {
    let before = text.get(..offset).unwrap_or_default();
    1 + memchr::memchr_iter(b'\n', before.as_bytes()).count()
}

/// Translates ascending offsets, in one walk over the reading.
#[derive(Debug)]
pub(super) struct Offsets<'a> {
    text: &'a [u8],
    file: &'a [u8],
    layout: Layout,
    encoding: Encoding,
    in_text: usize,
    in_file: usize,
}

impl Offsets<'_> {
    /// Where offset `at` of the reading lies in the file; `at` must not be less than before.
    pub(super) fn in_file(&mut self, at: usize) -> usize {
        match self.layout {
            Layout::Same => return at,
            Layout::Utf16 { .. } => {
                for byte in self.text.get(self.in_text..at).unwrap_or_default() {
                    self.in_file += match byte {
                        0x80..=0xBF => 0,
                        0xF0.. => 4,
                        _ => 2,
                    };
                }
                self.in_text = at;
            }
            Layout::Decoded => {
                let mut character = Vec::new();
                while self.in_text < at {
                    let rest = self.file.get(self.in_file..).unwrap_or_default();
                    character.clear();
                    let len = self.encoding.decode_one(rest, &mut character);
                    if len == 0 {
                        break;
                    }
                    self.in_file += len;
                    self.in_text += character.len();
                }
            }
        }
        self.in_file
    }
}

/// The text after the byte order mark; a last odd byte is left out.
fn read_utf16(file: &[u8], mark: usize, encoding: Encoding) -> Vec<u8> {
    let (pairs, _) = file.get(mark..).unwrap_or_default().as_chunks::<2>();
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

fn read_decoded(file: &[u8], encoding: Encoding) -> Vec<u8> {
    let mut text = Vec::with_capacity(file.len());
    let mut rest = file;
    while !rest.is_empty() {
        let len = encoding.decode_one(rest, &mut text).max(1);
        rest = rest.get(len..).unwrap_or_default();
    }
    text
}

fn push(text: &mut Vec<u8>, character: char) {
    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}
