//! Base64 and hexadecimal digits, with text, UTF-16 or compressed data inside; and runs that make
//! sense backwards or turned by thirteen letters.

use std::ops::Range;

use miniz_oxide::inflate::{decompress_to_vec_with_limit, decompress_to_vec_zlib_with_limit};

use super::{Trust, Views, is_text};

/// Fewer encoded characters hold no secret.
const BASE64_MIN: usize = 20;
const HEX_MIN: usize = 32;

/// Compressed data is unpacked up to so many bytes.
const UNPACKED_MAX: usize = 64 << 10;

pub(super) fn views(text: &str, runs: &[Range<usize>], views: &mut Views<'_>) {
    let bytes = text.as_bytes();
    let mut done = 0;
    let mut joined;
    for (nth, run) in runs.iter().enumerate() {
        if run.start < done {
            continue;
        }
        let later = runs.get(nth + 1..).unwrap_or_default();
        let block = wrapped(bytes, run, later);
        let (source, all): (_, &[u8]);
        if let Some((end, text)) = block {
            source = run.start..end;
            joined = text;
            all = &joined;
            done = end;
            // Lines of one token, cut: seen joined, too.
            if let Ok(text) = std::str::from_utf8(all) {
                views.add("joined lines", source.clone(), text.to_owned(), Trust::Full);
            }
        } else {
            source = run.clone();
            all = bytes.get(run.clone()).unwrap_or_default();
        }
        for (from, piece) in pieces(all) {
            let source = if source.len() == all.len() {
                source.start + from..source.start + from + piece.len()
            } else {
                source.clone()
            };
            piece_views(piece, &source, views);
        }
    }
}

/// Cuts a run at every `=` that is no padding, and at colons and dots.
fn pieces(run: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = run.get(at..)?;
        if rest.is_empty() {
            return None;
        }
        let sep = rest.iter().position(|byte| *byte == b'=' || *byte == b'.').unwrap_or(rest.len());
        let padding = rest.get(sep..)?.iter().take(2).take_while(|byte| **byte == b'=').count();
        let ends = rest.len() == sep + padding
            || rest.get(sep + padding).is_some_and(|byte| !byte.is_ascii_alphanumeric());
        let len = if ends { sep + padding } else { sep };
        let piece = (at, rest.get(..len)?);
        at += (len + usize::from(!ends)).max(1);
        Some(piece)
    })
    .take(32)
    .filter(|(_, piece)| piece.len() >= BASE64_MIN)
}

/// A run that fills its line, and the lines after it that are filled alike: where they end, and
/// all of them in one piece.
fn wrapped(bytes: &[u8], run: &Range<usize>, later: &[Range<usize>]) -> Option<(usize, Vec<u8>)> {
    /// Shorter lines are not what programs wrap at.
    const LINE_MIN: usize = 16;
    if run.len() < LINE_MIN {
        return None;
    }
    // Most runs have something else after them on their line.
    if !bytes.get(run.end).is_some_and(|byte| b"\n\r\"'`\\ ".contains(byte)) {
        return None;
    }
    let mut all = Vec::new();
    let mut end = run.end;
    let mut later = later.iter().peekable();
    loop {
        let rest = bytes.get(end..)?;
        let gap = rest.iter().take(64).take_while(|byte| byte.is_ascii_whitespace()).count();
        let lines = rest.get(..gap)?.iter().filter(|byte| **byte == b'\n').count();
        let start = end + gap;
        if lines != 1 {
            break;
        }
        let next = match later.peek() {
            Some(next) if next.start == start => (*next).clone(),
            // The last line may be shorter than any run.
            _ => {
                let tail = bytes.get(start..)?;
                let len = tail
                    .iter()
                    .take(run.len())
                    .take_while(|b| super::super::runs::is_token(**b))
                    .count();
                start..start + len
            }
        };
        let fills = bytes.get(next.end).is_none_or(|byte| b"\n\r\"'`\\".contains(byte));
        if next.is_empty() || next.len() > run.len() || !fills {
            break;
        }
        later.next_if(|later| later.start == start);
        if all.is_empty() {
            all.extend(bytes.get(run.clone())?);
        }
        all.extend(bytes.get(next.clone())?);
        end = next.end;
        if next.len() < run.len() {
            break;
        }
    }
    (end > run.end).then_some((end, all))
}

fn piece_views(piece: &[u8], source: &Range<usize>, views: &mut Views<'_>) {
    if !views.has_room(piece.len()) {
        return;
    }
    if piece.len() >= HEX_MIN && piece.iter().all(u8::is_ascii_hexdigit) {
        if let Some(text) = hex(piece) {
            views.add("hex", source.clone(), text, Trust::Full);
        }
        return;
    }
    let dots = piece.iter().filter(|byte| **byte == b'.').count();
    if dots == 0
        && let Some(text) = base64(piece)
    {
        views.add("base64", source.clone(), text, Trust::Full);
        return;
    }
    // Only what could be a token is worth turning around.
    let digits = piece.iter().filter(|byte| byte.is_ascii_digit()).count();
    if digits < 2 || piece.len() > 512 {
        return;
    }
    let backwards: Vec<u8> = piece.iter().rev().copied().collect();
    if let Some(text) = base64(&backwards) {
        views.add("reversed base64", source.clone(), text, Trust::Full);
    } else if let Ok(text) = String::from_utf8(backwards) {
        views.add("reversed", source.clone(), text, Trust::Names);
    }
    let turned: Vec<u8> = piece.iter().map(|byte| rot13(*byte)).collect();
    if let Ok(text) = String::from_utf8(turned) {
        views.add("rot13", source.clone(), text, Trust::Names);
    }
}

fn rot13(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => (byte - b'a' + 13) % 26 + b'a',
        b'A'..=b'Z' => (byte - b'A' + 13) % 26 + b'A',
        _ => byte,
    }
}

/// Decodes pairs of digits, if they give text.
fn hex(digits: &[u8]) -> Option<String> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut bytes = Vec::with_capacity(digits.len() / 2);
    for (nth, pair) in digits.as_chunks::<2>().0.iter().enumerate() {
        let [high, low] = *pair;
        bytes.push(digit(high)? << 4 | digit(low)?);
        if nth == 8 && !is_text(&bytes) && !is_packed(&bytes) && !is_wide(&bytes) {
            return None;
        }
    }
    readable(bytes)
}

/// Decodes either alphabet, padded or not, if it gives text.
pub(super) fn base64(piece: &[u8]) -> Option<String> {
    let piece = piece.strip_prefix(b"-").unwrap_or(piece);
    // Words have letters of one case, or a capital now and then; base64 has all kinds.
    let probe = piece.get(..12)?;
    if probe.contains(&b'.') {
        return None;
    }
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0_u32, 0);
    for &byte in piece {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            // Most runs are no base64, and a few bytes show it.
            if bytes.len() == 9 && !is_text(&bytes) && !is_packed(&bytes) && !is_wide(&bytes) {
                return None;
            }
        }
    }
    readable(bytes)
}

fn is_packed(bytes: &[u8]) -> bool {
    matches!(bytes, [0x1F, 0x8B, 8, ..] | [0x78, 0x01 | 0x5E | 0x9C | 0xDA, ..])
}

/// Two bytes per character, one of which is zero.
fn is_wide(bytes: &[u8]) -> bool {
    let zeros = |from: usize| bytes.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    let half = bytes.len() / 2;
    half >= 4 && (zeros(0) + 1 >= half && zeros(1) == 0 || zeros(1) + 1 >= half && zeros(0) == 0)
        || bytes.starts_with(&[0xFF, 0xFE])
        || bytes.starts_with(&[0xFE, 0xFF])
}

/// Turns decoded bytes into text: unpacked, made of UTF-16, or as they are.
fn readable(bytes: Vec<u8>) -> Option<String> {
    let bytes = if is_packed(&bytes) { unpacked(&bytes)? } else { bytes };
    let bytes = if is_wide(&bytes) { narrowed(&bytes) } else { bytes };
    if bytes.len() < 12 || !is_text(&bytes) {
        return None;
    }
    String::from_utf8(bytes).ok()
}

fn unpacked(bytes: &[u8]) -> Option<Vec<u8>> {
    if bytes.starts_with(&[0x1F, 0x8B]) {
        let flags = *bytes.get(3)?;
        let mut at = 10;
        if flags & 4 != 0 {
            at += 2 + usize::from(*bytes.get(at)?) + (usize::from(*bytes.get(at + 1)?) << 8);
        }
        for flag in [8, 16] {
            if flags & flag != 0 {
                at += bytes.get(at..)?.iter().position(|byte| *byte == 0)? + 1;
            }
        }
        if flags & 2 != 0 {
            at += 2;
        }
        return decompress_to_vec_with_limit(bytes.get(at..)?, UNPACKED_MAX).ok();
    }
    decompress_to_vec_zlib_with_limit(bytes, UNPACKED_MAX).ok()
}

fn narrowed(bytes: &[u8]) -> Vec<u8> {
    let bytes = bytes.strip_prefix(&[0xFF, 0xFE]).unwrap_or(bytes);
    let bytes = bytes.strip_prefix(&[0xFE, 0xFF]).unwrap_or(bytes);
    bytes.iter().filter(|byte| **byte != 0).copied().collect()
}
