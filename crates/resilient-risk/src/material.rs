//! What the lines of a private key look like: rows of base64 that are no words.

use data_encoding::BASE64;

/// A longer row of base64 with a digit is key material.
const MATERIAL_MIN: usize = 24;

pub(super) const fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// The rows of base64 of a text, which may be empty.
pub(super) fn rows(text: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    text.split(|byte| !is_base64(*byte))
}

/// Tells whether a row of base64 is long, and no word.
pub(super) fn is_material(row: &[u8]) -> bool {
    row.len() >= MATERIAL_MIN && row.iter().any(u8::is_ascii_digit)
}

/// Tells whether a row of base64 is no word: a long one, or one that changes between small letters, capital ones and digits
/// as often as random ones. Of these a long one hardly changes less than twice by chance.
pub(super) fn is_key(row: &[u8]) -> bool {
    const MIXED: [(usize, usize); 2] = [(12, 4), (16, 2)];
    let count = changes(row);
    is_material(row) || MIXED.iter().any(|(len, changes)| row.len() >= *len && count >= *changes)
}

/// Tells whether a row of base64 is drawn, and no path or name: those of 40 characters change less often. Of random ones 64
/// in a hundred neighbours differ.
pub(super) fn is_drawn(row: &[u8]) -> bool {
    const ROW_MIN: usize = 40;
    // Hexadecimal digits alone are a digest.
    row.len() >= ROW_MIN
        && is_material(row)
        && changes(row) * 5 >= row.len() * 2
        && !row.iter().all(u8::is_ascii_hexdigit)
}

/// Tells whether a row of base64 may be one of a key beside other text: a drawn one, or the first one, which says what it is.
pub(super) fn is_body(row: &[u8]) -> bool {
    const ROW_MIN: usize = 60;
    is_drawn(row) || row.len() >= ROW_MIN && is_begin(row) && is_material(row)
}

/// Tells whether a text is one row of base64, with `=` at its end only.
pub(super) fn is_plain(text: &[u8]) -> bool {
    let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
    let row = text.get(..text.len() - padding).unwrap_or_default();
    row.iter().all(|byte| is_base64(*byte) && *byte != b'=')
}

/// Tells whether a row of base64 holds a whole private key: a sequence of DER begins with its length.
pub(super) fn is_whole(row: &[u8]) -> bool {
    der_len(row).is_some_and(|len| plain_len(row) >= len)
}

/// Tells whether a row of base64 is a whole private key and nothing else.
pub(super) fn is_exact(row: &[u8]) -> bool {
    der_len(row).is_some_and(|len| plain_len(row) == len)
}

/// How many characters a sequence of DER has in base64, without padding.
fn der_len(row: &[u8]) -> Option<usize> {
    let head = row.get(..8).and_then(|head| BASE64.decode(head).ok())?;
    let len = match head.as_slice() {
        [0x30, 0x82, high, low, ..] => 4 + (usize::from(*high) << 8) + usize::from(*low),
        [0x30, 0x81, len, ..] => 3 + usize::from(*len),
        [0x30, len @ 0..=0x7F, ..] => 2 + usize::from(*len),
        _ => return None,
    };
    Some((4 * len).div_ceil(3))
}

fn plain_len(row: &[u8]) -> usize {
    row.iter().rev().skip_while(|byte| **byte == b'=').count()
}

/// Tells whether a row of base64 begins as a private key does: with a sequence of DER, or in OpenSSH's own form.
pub(super) fn is_begin(row: &[u8]) -> bool {
    row.starts_with(b"b3BlbnNz") || matches!(row, [b'M', b'C'..=b'I', ..])
}

/// The same, also behind the last letters of what ends a line in some notation: `\u000a`.
pub(super) fn is_begin_near(row: &[u8]) -> bool {
    const NOTATION_MAX: usize = 5;
    (0..=NOTATION_MAX).any(|at| row.get(at..).is_some_and(is_begin))
}

/// How often a row of base64 changes between small letters, capital ones and others.
fn changes(row: &[u8]) -> usize {
    let class = |byte: u8| (byte.is_ascii_lowercase(), byte.is_ascii_uppercase());
    row.windows(2).filter(|two| matches!(two, [a, b] if class(*a) != class(*b))).count()
}

/// Tells whether a row of base64 may as well be a word or a number of another text.
pub(super) fn is_wordlike(row: &[u8]) -> bool {
    let padding = row.iter().rev().take_while(|byte| **byte == b'=').count();
    let plain = row.get(..row.len() - padding).unwrap_or_default();
    let rest = plain.get(1..).unwrap_or_default();
    let is_word = plain.iter().all(u8::is_ascii_alphabetic)
        && (rest.iter().all(u8::is_ascii_lowercase) || plain.iter().all(u8::is_ascii_uppercase));
    plain.contains(&b'=')
        || plain.iter().all(u8::is_ascii_digit)
        || padding == 0 && is_word && row.len() < MATERIAL_MIN
}
