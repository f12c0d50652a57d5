//! The blocks of private keys that the paper's pattern misses: a bare `BEGIN PRIVATE KEY` and PGP's.

use super::super::literals::{Literal, Place};
use super::super::token::Shape;
use super::Hit;

/// Finds these blocks, when key material follows.
pub(in super::super) fn key_blocks(text: &[u8], places: &[Place], mut each: impl FnMut(Hit)) {
    const HEADS: [&[u8]; 2] = [b"PRIVATE KEY-----", b"PGP PRIVATE KEY BLOCK-----"];
    for place in places.iter().filter(|place| place.literal == Literal::Begin) {
        let Some(at) = place.at.checked_sub(5) else { continue };
        if text.get(at..place.at) != Some(b"-----") {
            continue;
        }
        let rest = text.get(at + 11..).unwrap_or_default();
        let head = HEADS.iter().find(|head| rest.starts_with(head));
        let Some(head) = head else { continue };
        let body = rest.get(head.len()..).unwrap_or_default();
        if has_material(body) {
            let span = at..at + 11 + head.len();
            each(Hit { family: "pem_block", name: "private_key_block", span });
        }
    }
}

/// Tells whether base64 begins soon, over line feeds in any notation.
fn has_material(body: &[u8]) -> bool {
    let near = body.get(..200).unwrap_or(body);
    near.split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'+' || *byte == b'/'))
        .any(|word| word.len() >= 24 && Shape::of(word).digits >= 1)
}
