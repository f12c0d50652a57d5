//! The private parts of keys in JSON (JWK, RFC 7517): the members `d`, `p`, `q`, `dp`, `dq` and `qi` of an object with
//! `kty`, and `k` of one with `"kty": "oct"`.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::super::needles::{NeedleKind, NeedlePlace};
use super::super::token::TokenStats;
use super::super::{placeholder, work};
use super::{Notation, ValueHit, near};

/// The type behind `kty`.
static TYPE: Notation = LazyLock::new(|| {
    Regex::new(r#"^kty["'\\]*\s{0,4}[:=]>?\s{0,4}["'\\]*(RSA|EC|OKP|oct|AKP)"#).ok()
});

/// A member with a literal: the name, what begins the literal, and what may be base64 in it.
static MEMBER: Notation = LazyLock::new(|| {
    let text = r#"(?:^|[^A-Za-z0-9_$.])(d|p|q|dp|dq|qi|k|priv)["'\\]*\s*[:=]>?\s*(\\*["'`])([A-Za-z0-9_-]{16,}={0,2})"#;
    Regex::new(text).ok()
});

/// No object of a key is longer.
const OBJECT_MAX: usize = 8 << 10;

/// Finds the private members of these keys.
pub(in super::super) fn jwk(text: &[u8], places: &[NeedlePlace], mut each: impl FnMut(ValueHit)) {
    let mut done = 0;
    for place in places.iter().filter(|place| place.kind == NeedleKind::KeyType) {
        let Some(found) = TYPE.as_ref().and_then(|of| of.captures(near(text, place.at, 32))) else {
            continue;
        };
        if place.at < done {
            continue;
        }
        let is_secret = found.get(1).is_some_and(|of| of.as_bytes() == b"oct");
        let from = done.max(place.at.saturating_sub(OBJECT_MAX));
        let (before, after) =
            (text.get(from..place.at).unwrap_or_default(), near(text, place.at, OBJECT_MAX));
        let Some(len) = edge(before.iter().rev(), b'{', b'}') else { continue };
        // An object that is cut ends with the text.
        let closed = edge(after.iter(), b'}', b'{')
            .or_else(|| (after.len() < OBJECT_MAX).then_some(after.len()));
        let Some(closed) = closed else { continue };
        let start = from + before.len() - len;
        done = place.at + closed;
        let object = text.get(start..done).unwrap_or_default();
        work::spend(object.len());
        for member in MEMBER.as_ref().into_iter().flat_map(|of| of.captures_iter(object)) {
            let Some((name, value)) = member.get(1).zip(member.get(3)) else { continue };
            let quote = member.get(2).map_or(&b""[..], |quote| quote.as_bytes());
            let rest = object.get(value.end()..).unwrap_or_default();
            let is_own = (name.as_bytes() == b"k") == is_secret;
            let is_whole = rest.is_empty() || rest.starts_with(quote);
            let bytes = value.as_bytes();
            if is_own && is_whole && is_drawn(bytes) && !placeholder::is_dummy(bytes) {
                let span = start + value.start()..start + value.end();
                each(ValueHit { family: "pem_block", name: "jwk_private_key", span });
            }
        }
    }
}

/// Tells whether a value is drawn, and has capital letters, small ones and digits as base64 does.
fn is_drawn(value: &[u8]) -> bool {
    let stats = TokenStats::of(value);
    stats.is_drawn() && [stats.lower, stats.upper, stats.digits].iter().all(|count| *count > 0)
}

/// How far the sign is that closes an object, over the objects in it.
fn edge<'a>(bytes: impl Iterator<Item = &'a u8>, close: u8, open: u8) -> Option<usize> {
    let mut depth = 0_usize;
    for (nth, byte) in bytes.enumerate() {
        if *byte == open {
            depth += 1;
        } else if *byte == close {
            if depth == 0 {
                return Some(nth);
            }
            depth -= 1;
        }
    }
    None
}
