//! Secrets that are cut in pieces: literals added up, lists of characters, lines and groups.

mod codes;
mod literals;
mod names;
mod rows;

use fearless_simd::prelude::*;
use memchr::memmem;

use super::super::literals::{Literal, Place};
use super::{Digits, Map, Survey, Trust, Views};

pub(super) use self::codes::CODES_MIN;

/// What is joined is not longer than this.
const JOINED_MAX: usize = 4096;

#[inline(always)]
pub(super) fn views<S: Simd>(
    simd: S,
    text: &str,
    survey: &Survey,
    digits: &Digits,
    views: &mut Views<'_>,
) {
    let bytes = text.as_bytes();
    simd.vectorize(
        #[inline(always)]
        || literals::views(simd, text, &survey.marks, &digits.rich, views),
    );
    // Most texts have neither.
    let has = |literal| survey.places.iter().any(|place| place.literal == literal);
    if has(Literal::Continued) {
        rows::continued(bytes, survey, views);
    }
    simd.vectorize(|| rows::groups(bytes, survey, views));
    simd.vectorize(|| codes::numbers(simd, bytes, survey, &digits.listed, views));
    simd.vectorize(|| codes::pairs(bytes, survey, &digits.paired, views));
    simd.vectorize(|| rows::lines(text, survey, views));
    if has(Literal::ReverseLines) {
        armor_backwards(bytes, &survey.places, views);
    }
}

/// `-----YEK ETAVIRP …`: a key block backwards.
#[cold]
#[inline(never)]
fn armor_backwards(bytes: &[u8], places: &[Place], views: &mut Views<'_>) {
    let places = places.iter().filter(|place| place.literal == Literal::ReverseLines);
    for at in places.filter_map(|place| place.at.checked_sub(6)).take(8) {
        if !bytes.get(at..).is_some_and(|text| text.starts_with(b"-----YEK")) {
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let end = memmem::find(rest, b" NIGEB-----").map_or(rest.len().min(64), |end| end + 11);
        if views.has_room(end) {
            let text: Vec<u8> = rest.get(..end).unwrap_or_default().iter().rev().copied().collect();
            if let Ok(text) = String::from_utf8(text) {
                views.add("reversed", Map::whole(at..at + end), text, Trust::Full);
            }
        }
    }
}
