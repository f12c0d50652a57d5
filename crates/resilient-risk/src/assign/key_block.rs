//! The blocks of private keys that the paper's pattern misses: a bare `BEGIN PRIVATE KEY`, PGP's, SSH2's and PuTTY's, and
//! those of which only the `END` line is left.

use std::ops::Range;

use memchr::memchr_iter;

use super::super::material::{is_drawn, is_material, rows};
use super::super::needles::{NeedleKind, NeedlePlace};
use super::ValueHit;

/// The signs around a label: those of PEM, and those of SSH2.
const SIGNS: [(&[u8], &[u8]); 2] = [(b"-----", b"-----"), (b"---- ", b" ----")];

/// No label is longer.
const LABEL_MAX: usize = 64;

/// Finds these blocks, when key material follows, or stands before.
pub(in super::super) fn key_blocks(
    text: &[u8],
    places: &[NeedlePlace],
    mut each: impl FnMut(ValueHit),
) {
    const BARE: [&[u8]; 4] = [
        b"PRIVATE KEY",
        b"PGP PRIVATE KEY BLOCK",
        b"SSH2 ENCRYPTED PRIVATE KEY",
        b"OpenVPN Static key V1",
    ];
    let mut add = |span| each(ValueHit { family: "pem_block", name: "private_key_block", span });
    // The label that has begun, and has not ended.
    let mut open: Option<&[u8]> = None;
    for place in places {
        match place.kind {
            NeedleKind::Begin => {
                let Some((span, label)) = line(text, place.at, b"BEGIN ") else { continue };
                open = Some(label);
                let body = text.get(span.end..).unwrap_or_default();
                if BARE.contains(&label) && has_material(body) {
                    add(span);
                }
            }
            NeedleKind::End => {
                let at = place.at + if text.get(place.at + 1) == Some(&b' ') { 2 } else { 1 };
                let Some((span, label)) = line(text, at, b"END ") else { continue };
                let is_key = label.ends_with(b"PRIVATE KEY") || label == b"PGP PRIVATE KEY BLOCK";
                let before = text.get(..span.start).unwrap_or_default();
                if open != Some(label) && is_key && ends_with_material(before) {
                    add(span);
                }
                open = None;
            }
            NeedleKind::PrivateLines => {
                let end = place.at + b"Private-Lines: ".len();
                let rest = text.get(end..).unwrap_or_default();
                let len = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                if len > 0 && has_material(rest.get(len..).unwrap_or_default()) {
                    add(place.at..end + len);
                }
            }
            _ => {}
        }
    }
}

/// The line of a block that has a word at a position, and its label. An editor may have broken the line once.
fn line<'a>(text: &'a [u8], at: usize, word: &[u8]) -> Option<(Range<usize>, &'a [u8])> {
    let before = text.get(..at)?;
    let (open, close) = SIGNS.iter().find(|(open, _)| before.ends_with(open))?;
    let rest = text.get(at + word.len()..)?;
    let near = rest.get(..LABEL_MAX).unwrap_or(rest);
    let len = near.windows(close.len()).position(|part| part == *close)?;
    let span = at - open.len()..at + word.len() + len + close.len();
    let is_sign = |byte: &u8| byte.is_ascii_alphanumeric() || b" \t\r\n_-.+/>'()".contains(byte);
    let is_label = |label: &&[u8]| {
        label.iter().all(is_sign)
            && memchr_iter(b'\n', label).count() <= 1
            && !label.windows(2).any(|two| two == b"--")
    };
    Some((span, rest.get(..len).filter(is_label)?))
}

/// Tells whether base64 begins soon, over line feeds in any notation.
fn has_material(body: &[u8]) -> bool {
    let near = body.get(..200).unwrap_or(body);
    rows(near).any(is_material)
}

/// Tells whether one of the last lines is base64: the last one and a checksum are short, and a time may stand before each,
/// which is some rows of base64 itself.
fn ends_with_material(body: &[u8]) -> bool {
    const NEAR: usize = 400;
    let near = body.get(body.len().saturating_sub(NEAR)..).unwrap_or(body);
    // A line end is written in letters, too. A path has no capitals.
    let mut last = rows(near).rev().filter(|row| row.len() > 3);
    let has_capitals = |row: &[u8]| is_material(row) && row.iter().any(u8::is_ascii_uppercase);
    last.by_ref().take(2).any(is_material)
        || last.by_ref().take(4).any(has_capitals)
        || last.take(8).any(is_drawn)
}
