//! Secrets that are cut in pieces: literals added up, lists of characters, lines and groups.

mod around;
mod chain;
mod codes;
mod expansion;
mod glued;
mod joint;
mod line_joins;
mod list;
mod literal;
mod literals;
mod names;
mod statement;
#[cfg(test)]
mod tests;

use std::ops::Range;

use memchr::memmem;

use super::super::bits::padded;
use super::super::byte_classes::ByteClasses;
use super::super::known_formats;
use super::super::needles::{NeedleKind, NeedlePlace};
use super::encoded::{is_base64_head, is_hex};
use super::{Map, TextIndex, Trust, Views};

/// What is joined is not longer than this, and no token that was cut is shorter.
const JOINED_MAX: usize = 4096;
const JOINED_MIN: usize = 16;

/// What a text puts together.
struct Joined<'a> {
    via: &'static str,
    /// What each part says, and where it stands.
    parts: Vec<(&'a str, Range<usize>)>,
    /// Whether what stands between the parts goes with them.
    is_list: bool,
}

impl Joined<'_> {
    /// Adds a view of the parts as one literal, behind what their statement begins with.
    fn add(
        self,
        text: &str,
        byte_classes: &ByteClasses,
        begin: usize,
        trust: Trust,
        views: &mut Views<'_>,
    ) {
        const HEAD_MAX: usize = 96;
        let len = self.parts.iter().map(|(said, _)| said.len()).sum();
        if !(JOINED_MIN..=JOINED_MAX).contains(&len) || !views.has_room(len) {
            return;
        }
        let (mut joined, mut map) = (String::with_capacity(len + HEAD_MAX), Map::parts());
        let mut push = |said: &str, source, is_list| {
            joined.push_str(said);
            map.push(said.len(), source, is_list);
        };
        if trust == Trust::Full {
            let floor = begin.saturating_sub(HEAD_MAX);
            let before = text.as_bytes().get(floor..begin).unwrap_or_default();
            let is_open = |byte: &u8| byte.is_ascii_whitespace() || b"([\\".contains(byte);
            let end =
                before.iter().rposition(|byte| !is_open(byte)).map_or(floor, |at| floor + at + 1);
            let start = byte_classes.feed.last(floor, end).map_or(floor, |feed| feed + 1);
            let start = text.ceil_char_boundary(start);
            push(text.get(start..end).unwrap_or_default(), start..end, false);
            push(" \"", begin..begin, false);
        }
        for (said, source) in self.parts {
            push(said, source, self.is_list);
        }
        push("\"", begin..begin, false);
        views.add(self.via, map, joined, trust);
    }
}

/// Tells whether parts that were put together may be a token, or an encoding of one.
fn may_hold(text: &[u8]) -> bool {
    const HEX_MIN: usize = 32;
    begins_format(text) || is_base64_head(text) || text.get(..HEX_MIN).is_some_and(is_hex)
}

/// Tells whether a text begins like one of the formats.
fn begins_format(text: &[u8]) -> bool {
    const PREFIX_MAX: usize = 64;
    let text = text.get(..PREFIX_MAX).unwrap_or(text);
    let len = text.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    known_formats::may_begin(padded(text), len, text.get(len).copied())
        && known_formats::begins(text, 0, len)
}

pub(super) fn views(text: &str, text_index: &TextIndex, views: &mut Views<'_>) {
    let bytes = text.as_bytes();
    literals::views(text, &text_index.byte_classes, views);
    line_joins::continued(bytes, &text_index.byte_classes, views);
    codes::views(text, text_index, views);
    line_joins::views(text, &text_index.byte_classes, views);
    armor_backwards(bytes, &text_index.places, views);
}

/// `-----YEK ETAVIRP …`: a key block backwards.
fn armor_backwards(bytes: &[u8], places: &[NeedlePlace], views: &mut Views<'_>) {
    let places = places.iter().filter(|place| place.kind == NeedleKind::ReverseLines);
    for at in places.filter_map(|place| place.at.checked_sub(6)).take(8) {
        if !bytes.get(at..).is_some_and(|text| text.starts_with(b"-----YEK")) {
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        // Between the two stand lines of base64 and of headers.
        let is_inside = |byte: &u8| {
            byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() || b"+/=-:,\\".contains(byte)
        };
        let end = memmem::find(rest, b" NIGEB-----").map(|end| end + 11);
        let end = end.filter(|end| rest.iter().take(*end).all(is_inside));
        if let Some(end) = end.filter(|end| views.has_room(*end)) {
            let text: Vec<u8> = rest.get(..end).unwrap_or_default().iter().rev().copied().collect();
            if let Ok(text) = String::from_utf8(text) {
                views.add("reversed", Map::whole(at..at + end), text, Trust::Full);
            }
        }
    }
}
