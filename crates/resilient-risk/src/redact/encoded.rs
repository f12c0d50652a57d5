//! What the encoded parts of a text say, so that copies of a secret are met in them: base64 in either alphabet and at
//! any place of a run, hexadecimal digits, and words with escapes of any notation.

use std::ops::Range;

use memchr::{memchr3, memmem};

use crate::escape::numbered;
use crate::{decode, work};

/// Fewer digits say nothing that is searched.
const BASE64_MIN: usize = 16;
const HEX_MIN: usize = 24;

/// Takes what a part of a text says, and what tells where in the text some of that stands.
type Read<'a> = &'a mut dyn FnMut(&[u8], &dyn Fn(Range<usize>) -> Range<usize>);

/// Reads each encoded part of a text.
pub(super) fn each(text: &str, mut read: impl FnMut(&[u8], &dyn Fn(Range<usize>) -> Range<usize>)) {
    let text = text.as_bytes();
    digits(text, &mut read);
    let words = stretches(text, 0..text.len(), |byte| !byte.is_ascii_whitespace());
    for word in words {
        let escaped = text.get(word.clone()).unwrap_or_default();
        if has_escape(escaped) {
            work::spend(word.len());
            let (bytes, starts) = unescaped(escaped);
            let at = |place: usize| word.start + starts.get(place).copied().unwrap_or(word.len());
            let source = |span: Range<usize>| at(span.start)..at(span.end);
            read(&bytes, &source);
            digits(&bytes, &mut |said, inner| read(said, &|span| source(inner(span))));
        }
    }
}

/// Reads the digits of base64 and the hexadecimal ones of a text.
fn digits(text: &[u8], read: Read<'_>) {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte);
    for run in stretches(text, 0..text.len(), is_digit).filter(|run| run.len() >= BASE64_MIN) {
        // A run may have a word in front, so that its bytes begin at any of four digits.
        for skipped in 0..4 {
            let start = run.start + skipped;
            let digits = text.get(start..run.end).unwrap_or_default();
            let Some(bytes) = decode::base64_bytes(digits) else { continue };
            work::spend(bytes.len());
            let padding = text.get(run.end..).unwrap_or_default().iter().take(2);
            let padding = padding.take_while(|byte| **byte == b'=').count();
            // Of UTF-16 every second byte is a zero.
            let is_zero = |at: usize| bytes.get(at) == Some(&0);
            let zeros = bytes.iter().filter(|byte| **byte == 0).count();
            let is_wide = zeros > 0 && zeros * 3 >= bytes.len();
            let kept: Vec<usize> = (0..bytes.len()).filter(|at| is_wide && !is_zero(*at)).collect();
            let narrow: Vec<u8> = kept.iter().filter_map(|at| bytes.get(*at).copied()).collect();
            let at = |place: usize| if is_wide { kept.get(place).copied() } else { Some(place) };
            let said = if is_wide { &narrow } else { &bytes };
            // An encoded text goes as a whole. Of other runs only the digits of the secret go.
            let is_whole = skipped == 0 && is_text(said);
            let exact = |span: Range<usize>| {
                let last = span.end.checked_sub(1).and_then(at).unwrap_or(0);
                let first = at(span.start).unwrap_or(last);
                start + first * 4 / 3..(start + ((last + 1) * 4).div_ceil(3)).min(run.end)
            };
            let whole = run.start..run.end + padding;
            read(said, &|span| if is_whole { whole.clone() } else { exact(span) });
        }
        let is_hex = |byte: u8| byte.is_ascii_hexdigit();
        for run in stretches(text, run, is_hex).filter(|run| run.len() >= HEX_MIN) {
            for start in [run.start, run.start + 1] {
                let bytes = bytes_of_hex(text.get(start..run.end).unwrap_or_default());
                work::spend(bytes.len());
                read(&bytes, &|span| start + 2 * span.start..start + 2 * span.end);
            }
        }
    }
}

/// Tells whether a word has a sign that escapes begin with.
fn has_escape(word: &[u8]) -> bool {
    memchr3(b'\\', b'%', b'&', word).or_else(|| memmem::find(word, b"''")).is_some()
}

/// What a secret says that is written with escapes.
pub(super) fn said(secret: &str) -> Option<String> {
    has_escape(secret.as_bytes()).then_some(())?;
    let (bytes, _) = unescaped(secret.as_bytes());
    String::from_utf8(bytes).ok().filter(|said| said != secret)
}

/// What an encoded secret may say: all of it, or what stands behind a name or a user.
pub(super) fn decoded(secret: &str) -> Vec<String> {
    let Some(text) = decode::base64_text(secret) else { return Vec::new() };
    let behind = ["=", ":"].iter().filter_map(|sign| Some(text.split_once(sign)?.1));
    let parts = std::iter::once(text.as_str()).chain(behind);
    parts.map(|part| part.trim_matches(['"', '\'', '\n', ' ']).to_owned()).collect()
}

/// The longest stretches within a part of a text whose bytes are all of a kind.
fn stretches(
    text: &[u8],
    within: Range<usize>,
    is: impl Fn(u8) -> bool,
) -> impl Iterator<Item = Range<usize>> {
    let mut at = within.start;
    std::iter::from_fn(move || {
        let rest = text.get(at..within.end)?;
        let start = at + rest.iter().position(|byte| is(*byte))?;
        let rest = text.get(start..within.end)?;
        at = start + rest.iter().position(|byte| !is(*byte)).unwrap_or(rest.len());
        Some(start..at)
    })
}

fn is_text(bytes: &[u8]) -> bool {
    let is_control = |char: char| char.is_control() && !char.is_whitespace();
    std::str::from_utf8(bytes).is_ok_and(|text| !text.contains(is_control))
}

/// The bytes of pairs of hexadecimal digits.
fn bytes_of_hex(digits: &[u8]) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map_or(0, |digit| digit as u8);
    digits.as_chunks().0.iter().map(|[high, low]| digit(*high) << 4 | digit(*low)).collect()
}

/// What a word says that has escapes, and where each byte of that begins in the word.
fn unescaped(word: &[u8]) -> (Vec<u8>, Vec<usize>) {
    const NAMED: [(&[u8], u8); 5] =
        [(b"&amp;", b'&'), (b"&lt;", b'<'), (b"&gt;", b'>'), (b"&quot;", b'"'), (b"&apos;", b'\'')];
    let (mut bytes, mut starts, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some(rest) = word.get(at..).filter(|rest| !rest.is_empty()) {
        let named = || NAMED.iter().find(|(name, _)| rest.starts_with(name));
        let (char, len) = match (numbered(rest), rest) {
            (Some((char, len)), _) => (char::from_u32(char), len),
            // `'it''s'`
            (None, [b'\'', b'\'', ..]) => (Some('\''), 2),
            (None, [b'\\', sign, ..]) if sign.is_ascii_punctuation() => {
                (Some(char::from(*sign)), 2)
            }
            _ => named().map_or((None, 1), |(name, sign)| (Some(char::from(*sign)), name.len())),
        };
        let before = bytes.len();
        match char {
            Some(char) => bytes.extend(char.encode_utf8(&mut [0; 4]).bytes()),
            None => bytes.extend(rest.get(..len).unwrap_or_default()),
        }
        starts.extend((before..bytes.len()).map(|_| at));
        at += len;
    }
    starts.push(word.len());
    (bytes, starts)
}
