//! What digits of base64, base32 and hexadecimal say, if they say a text: as it is, in UTF-16, or compressed.

use std::io::Read as _;
use std::sync::LazyLock;

use data_encoding::{BASE32_NOPAD, BASE64_NOPAD, Encoding, HEXLOWER_PERMISSIVE, Specification};
use flate2::read::{GzDecoder, ZlibDecoder};

use super::super::work;

/// Fewer digits hold no secret.
const BASE32_MIN: usize = 24;
const HEX_MIN: usize = 32;

/// A shorter text is no secret.
const TEXT_MIN: usize = 12;

/// So many digits show whether the others are worth decoding: they are whole bytes.
const HEAD: usize = 16;
pub(super) const BASE64_HEAD: usize = 12;

/// Compressed data is unpacked up to so many bytes.
const UNPACKED_MAX: u64 = 64 << 10;

/// Either alphabet of base64. Bits behind the last byte do not matter: what was cut has some.
static BASE64: LazyLock<Encoding> = LazyLock::new(|| {
    let mut alphabet = Specification::new();
    alphabet.symbols.push_str("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    alphabet.translate.from.push_str("-_");
    alphabet.translate.to.push_str("+/");
    alphabet.check_trailing_bits = false;
    alphabet.encoding().unwrap_or(BASE64_NOPAD)
});

/// The text that digits encode, and the name of the encoding.
pub(super) fn text_of(digits: &[u8]) -> Option<(&'static str, String)> {
    if is_hex(digits) {
        return Some(("hex", decoded(&HEXLOWER_PERMISSIVE, digits, HEAD)?));
    }
    let base32 = without_padding(digits);
    let is_base32 = |digit: &u8| matches!(digit, b'A'..=b'Z' | b'2'..=b'7');
    if base32.len() >= BASE32_MIN
        && base32.iter().all(is_base32)
        && let Some(text) = decoded(&BASE32_NOPAD, base32, HEAD)
    {
        return Some(("base32", text));
    }
    Some(("base64", base64(digits)?))
}

/// Tells whether digits are hexadecimal, and so many that they may hold a secret.
pub(super) fn is_hex(digits: &[u8]) -> bool {
    digits.len() >= HEX_MIN && digits.iter().all(u8::is_ascii_hexdigit)
}

/// The text that is encoded in base64, in either alphabet, padded or not.
pub(super) fn base64(digits: &[u8]) -> Option<String> {
    // The sign of an option may stand in front.
    decoded(&BASE64, without_padding(digits.strip_prefix(b"-").unwrap_or(digits)), BASE64_HEAD)
}

/// The bytes that digits of either alphabet of base64 encode. A digit that is left over at the end encodes none.
pub(in super::super) fn base64_bytes(digits: &[u8]) -> Option<Vec<u8>> {
    let len = digits.len() - usize::from(digits.len() % 4 == 1);
    BASE64.decode(digits.get(..len)?).ok()
}

/// Tells whether a text begins with base64 of text.
pub(super) fn is_base64_head(text: &[u8]) -> bool {
    begins(&BASE64, text, BASE64_HEAD)
}

fn without_padding(digits: &[u8]) -> &[u8] {
    let padding = digits.iter().rev().take_while(|byte| **byte == b'=').count();
    digits.get(..digits.len() - padding).unwrap_or_default()
}

/// The text that digits encode, if the first ones may. Digits that are left over at the end encode none.
fn decoded(encoding: &Encoding, digits: &[u8], head: usize) -> Option<String> {
    if !begins(encoding, digits, head) {
        return None;
    }
    work::spend(digits.len());
    let whole = encoding.decode_len(digits.len()).map_or_else(|cut| cut.position, |_| digits.len());
    readable(encoding.decode(digits.get(..whole)?).ok()?)
}

/// Tells by the first digits whether they may encode text: mostly they do not.
fn begins(encoding: &Encoding, digits: &[u8], head: usize) -> bool {
    let mut bytes = [0; HEAD];
    let Some((digits, len)) = digits.get(..head).zip(encoding.decode_len(head).ok()) else {
        return false;
    };
    let Some(bytes) = bytes.get_mut(..len) else { return false };
    encoding.decode_mut(digits, bytes).is_ok()
        && (is_packed(bytes) || is_wide(bytes) || is_begun(bytes))
}

/// The text that bytes say.
fn readable(bytes: Vec<u8>) -> Option<String> {
    let bytes = if is_packed(&bytes) { unpacked(&bytes)? } else { bytes };
    let text = if is_wide(&bytes) { narrowed(&bytes)? } else { String::from_utf8(bytes).ok()? };
    (text.len() >= TEXT_MIN && is_text(text.as_bytes())).then_some(text)
}

/// Tells whether bytes are the beginning of a text, whose last character may be cut.
fn is_begun(bytes: &[u8]) -> bool {
    let is_whole = |cut: std::str::Utf8Error| cut.error_len().is_none() && cut.valid_up_to() > 0;
    is_text(bytes) && std::str::from_utf8(bytes).map_or_else(is_whole, |_| true)
}

/// Tells whether bytes are text: printable, except for a control character now and then.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let is_control = |byte: &&u8| **byte < b' ' && !b"\n\r\t".contains(*byte);
    let control = bytes.iter().filter(is_control).count();
    control == 0 || control * 50 <= bytes.len() && !bytes.contains(&0)
}

fn is_packed(bytes: &[u8]) -> bool {
    matches!(bytes, [0x1F, 0x8B, 8, ..] | [0x78, 0x01 | 0x5E | 0x9C | 0xDA, ..])
}

/// What gzip or zlib has packed, as far as it goes.
fn unpacked(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut unpacked = Vec::new();
    let read = if bytes.starts_with(&[0x1F]) {
        GzDecoder::new(bytes).take(UNPACKED_MAX).read_to_end(&mut unpacked)
    } else {
        ZlibDecoder::new(bytes).take(UNPACKED_MAX).read_to_end(&mut unpacked)
    };
    read.ok().map(|_| unpacked)
}

/// Tells by the first bytes whether they are of UTF-16: there is the mark of the order of bytes, or two of the first
/// three characters are of ASCII, and so have a zero.
fn is_wide(bytes: &[u8]) -> bool {
    matches!(bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..])
        || bytes.first_chunk::<6>().is_some_and(|head| {
            let zeros = |odd: usize| head.iter().skip(odd).step_by(2).filter(|b| **b == 0).count();
            matches!((zeros(0), zeros(1)), (2.., 0) | (0, 2..))
        })
}

/// Text in UTF-16, which is mostly of ASCII in the right order of bytes.
fn narrowed(bytes: &[u8]) -> Option<String> {
    let (pairs, _) = bytes.as_chunks();
    [u16::from_le_bytes, u16::from_be_bytes].into_iter().find_map(|unit: fn([u8; 2]) -> u16| {
        let text = String::from_utf16(&pairs.iter().map(|pair| unit(*pair)).collect::<Vec<_>>());
        let text = text.ok()?.trim_start_matches('\u{feff}').to_owned();
        (text.chars().filter(char::is_ascii).count() * 2 > text.chars().count()).then_some(text)
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use data_encoding::{BASE32, BASE64, BASE64URL_NOPAD, HEXUPPER};
    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};

    use super::*;

    const SAID: &str = "käse = hidden_word?>\n";

    fn read(digits: &str) -> Option<(&'static str, String)> {
        text_of(digits.as_bytes())
    }

    #[test]
    fn every_encoding_of_a_text_is_read() {
        let bytes = SAID.as_bytes();
        for (name, digits) in [
            ("base64", BASE64.encode(bytes)),
            ("base64", BASE64URL_NOPAD.encode(bytes)),
            ("base64", format!("-{}", BASE64.encode(bytes))),
            ("base32", BASE32.encode(bytes)),
            ("hex", HEXUPPER.encode(bytes)),
            ("hex", HEXUPPER.encode(bytes).to_lowercase()),
        ] {
            assert_eq!(read(&digits), Some((name, SAID.to_owned())), "{digits}");
        }
    }

    #[test]
    fn what_is_cut_says_what_is_left() {
        let digits = BASE64.encode(SAID.as_bytes());
        for len in 20..25 {
            let (_, text) = read(&digits[..len]).unwrap();
            assert!(SAID.starts_with(&text) && text.len() >= len * 3 / 4 - 1, "{text}");
        }
        assert_eq!(read(&digits[..12]), None, "too short");
    }

    #[test]
    fn wide_and_packed_texts_are_read() {
        let wide = |unit: fn(u16) -> [u8; 2], mark: &str| -> Vec<u8> {
            [mark, SAID].concat().encode_utf16().flat_map(unit).collect()
        };
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(SAID.as_bytes()).unwrap();
        zlib.write_all(SAID.as_bytes()).unwrap();
        for bytes in [
            wide(u16::to_le_bytes, "\u{feff}"),
            wide(u16::to_be_bytes, "\u{feff}"),
            wide(u16::to_le_bytes, ""),
            wide(u16::to_be_bytes, ""),
            gzip.finish().unwrap(),
            zlib.finish().unwrap(),
        ] {
            let digits = BASE64.encode(&bytes);
            assert_eq!(read(&digits), Some(("base64", SAID.to_owned())), "{bytes:?}");
        }
    }

    #[test]
    fn what_is_no_text_is_not_read() {
        for digits in [
            HEXUPPER.encode(&[0x8F; 20]),
            BASE64.encode(&[0xC0; 20]),
            BASE64.encode(b"\x01\x02\x03\x04\x05\x06 some bytes \x00"),
            BASE64.encode(&[0x78, 0x9C, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
            "some_name_of_a_function".to_owned(),
        ] {
            assert_eq!(read(&digits), None, "{digits}");
        }
    }
}
