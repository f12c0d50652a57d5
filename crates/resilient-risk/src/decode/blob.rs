//! Base64 and hexadecimal digits, with text, UTF-16 or compressed data inside; and runs that make
//! sense backwards or turned by thirteen letters.

use std::ops::Range;

use memchr::{memchr, memchr2};
use miniz_oxide::inflate::{decompress_to_vec_with_limit, decompress_to_vec_zlib_with_limit};

use super::super::bits::{Bits, GROUP, padded};
use super::super::marks::Marks;
use super::super::runs::Run;
use super::super::token::is_uuid;
use super::super::vendor;
use super::{Map, Survey, Trust, Views, is_text};

/// Fewer encoded characters hold no secret.
const BASE64_MIN: usize = 20;
const BASE32_MIN: usize = 24;
const HEX_MIN: usize = 32;

/// Fewer escapes of quoted-printable text hide no token.
const ESCAPES_MIN: usize = 8;

/// Lines that are longer together are a file, not a token.
const TOKEN_MAX: usize = 4096;

/// What is longer is not turned around.
const PIECE_MAX: usize = 512;

/// Compressed data is unpacked up to so many bytes.
const UNPACKED_MAX: usize = 64 << 10;

pub(super) fn views(text: &str, survey: &Survey, views: &mut Views<'_>) {
    let bytes = text.as_bytes();
    let mut done = 0;
    let mut runs = survey.runs.as_slice();
    while let [run, later @ ..] = runs {
        // Encoded text has digits, except one token in a hundred; its first line may have none.
        let has_piece = run.digits > 0 && run.len() >= BASE64_MIN;
        if run.start >= done && (has_piece || ends_line(bytes, run.end)) {
            done = run_views(bytes, run, later, &survey.marks, has_piece, views);
        }
        runs = later;
    }
}

/// Tells whether a line may end at a position, except for white space.
fn ends_line(bytes: &[u8], end: usize) -> bool {
    matches!(bytes.get(end..end + 2), Some([b'\n', _] | [..=b' ', ..=b' ']))
}

/// Makes the views of a run, and of the lines that it goes on on, and tells how far it was read.
fn run_views(
    bytes: &[u8],
    run: &Run,
    later: &[Run],
    marks: &Marks,
    has_piece: bool,
    views: &mut Views<'_>,
) -> usize {
    let may_wrap = may_wrap(bytes, run.end, marks);
    let block = may_wrap.then(|| wrapped(bytes, run, later, &marks.token)).flatten();
    if block.is_none() && !has_piece {
        return run.start;
    }
    if let Some(text) = printable(bytes, run) {
        views.add("quoted-printable", Map::whole(run.span()), text, Trust::Full);
    }
    let Some((lines, joined)) = block else {
        let whole = bytes.get(run.span()).unwrap_or_default();
        let mut left = true;
        for (from, piece) in pieces(whole) {
            let span = run.start + from..run.start + from + piece.len();
            left &= piece_views(piece, &Map::whole(span), views);
        }
        for (from, value) in values(whole).filter(|_| left) {
            let span = run.start + from..run.start + from + value.len();
            turned_views(value, marks, &span, &Map::whole(span.clone()), views);
        }
        return run.start;
    };
    // Lines of one token, cut: seen joined, too.
    if joined.len() <= TOKEN_MAX
        && let Ok(text) = std::str::from_utf8(&joined)
    {
        views.add("joined lines", lines.clone(), text.to_owned(), Trust::Full);
    }
    let marked = Marks::of(&joined);
    for (from, piece) in pieces(&joined) {
        let span = from..from + piece.len();
        let map = Map::Whole(lines.pieces(span.clone()));
        if piece_views(piece, &map, views) {
            turned_views(piece, &marked, &span, &map, views);
        }
    }
    lines.hull().end
}

/// Tells whether a run that ends at a position may go on on the next line: whether one line ends
/// there, and nothing but a token fills what follows. Most runs have something else after them.
fn may_wrap(bytes: &[u8], end: usize, marks: &Marks) -> bool {
    let white = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_whitespace);
    if !white(end) {
        return false;
    }
    let after = marks.token.from(end);
    let gap = after.trailing_zeros() as usize;
    let feeds = marks.feed.from(end) & !u64::MAX.checked_shl(gap as u32).unwrap_or(0);
    if !feeds.is_power_of_two() {
        return false;
    }
    let len = (after >> gap.min(GROUP - 1)).trailing_ones() as usize;
    // Where a token of this length ends is not known.
    let cut = gap + len >= GROUP;
    cut || white(end + gap - 1) && fills(bytes, end + gap + len)
}

/// Tells whether what ends at a position ends its line, except for blanks, or its literal.
fn fills(bytes: &[u8], end: usize) -> bool {
    /// No program leaves more behind what it wraps.
    const BLANKS_MAX: usize = 8;
    let rest = bytes.get(end..).unwrap_or_default();
    let blanks = rest.iter().take(BLANKS_MAX).take_while(|byte| b" \t".contains(byte)).count();
    let ends: &[u8] = if blanks > 0 { b"\n\r" } else { b"\n\r\"'`\\" };
    rest.get(blanks).is_none_or(|byte| ends.contains(byte))
}

/// Decodes `=67=6C=73`, with plain characters in between, if most of the run is made of it.
fn printable(bytes: &[u8], run: &Run) -> Option<String> {
    // Each escape has three characters, of which one is a digit mostly.
    if run.digits < ESCAPES_MIN {
        return None;
    }
    let text = bytes.get(run.span())?;
    let escapes = memchr::memchr_iter(b'=', text).count();
    if escapes < ESCAPES_MIN || escapes * 6 < text.len() {
        return None;
    }
    let mut decoded = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let pair = text.get(at + 1..at + 3).filter(|pair| pair.iter().all(u8::is_ascii_hexdigit));
        if let (b'=', Some([high, low])) = (byte, pair) {
            decoded.push(nibble(*high) << 4 | nibble(*low));
            at += 3;
        } else {
            decoded.push(*byte);
            at += 1;
        }
    }
    readable(decoded)
}

/// The value of a hexadecimal digit.
pub(super) fn nibble(digit: u8) -> u8 {
    if digit <= b'9' { digit - b'0' } else { (digit | 0x20) - b'a' + 10 }
}

/// Cuts a run at every `=` that is no padding, and at colons and dots.
fn pieces(run: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = run.get(at..)?;
        if rest.is_empty() {
            return None;
        }
        let sep = memchr2(b'=', b'.', rest).unwrap_or(rest.len());
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

/// Cuts a run behind names: at every `=` that something follows. Dots belong to tokens.
fn values(run: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    let parts = run.split(|byte| *byte == b'=').take(32).map(move |part| {
        let from = at;
        at += part.len() + 1;
        (from, part)
    });
    parts.filter(|(_, part)| part.len() >= BASE64_MIN)
}

/// A run that fills its line, and the lines after it that are filled alike: where they are, and
/// all of them in one piece.
fn wrapped(bytes: &[u8], run: &Run, later: &[Run], tokens: &Bits) -> Option<(Map, Vec<u8>)> {
    /// Shorter lines are not what programs wrap at.
    const LINE_MIN: usize = 16;
    if run.len() < LINE_MIN {
        return None;
    }
    // Digests are no beginning of what is in base64.
    let is_hex = |line: Range<usize>| {
        bytes.get(line).is_some_and(|line| line.iter().all(u8::is_ascii_hexdigit))
    };
    let is_digest = is_hex(run.span());
    let (mut all, mut lines) = (Vec::new(), Map::parts());
    let mut end = run.end;
    let mut later = later.iter().peekable();
    loop {
        let rest = bytes.get(end..)?;
        let gap = rest.iter().take(64).take_while(|byte| byte.is_ascii_whitespace()).count();
        let feeds = rest.get(..gap)?.iter().filter(|byte| **byte == b'\n').count();
        let start = end + gap;
        if feeds != 1 {
            break;
        }
        let next = match later.peek() {
            Some(next) if next.start == start => next.span(),
            // The last line may be shorter than any run.
            _ => start..start + tokens.run(start).min(run.len()),
        };
        if next.is_empty() || next.len() > run.len() || !fills(bytes, next.end) {
            break;
        }
        let row = bytes.get(next.clone())?;
        if is_digest && !is_hex(next.clone()) || next.len() < run.len() && is_code(row) {
            break;
        }
        later.next_if(|later| later.start == start);
        if all.is_empty() {
            all.extend(bytes.get(run.span())?);
            lines.push(run.len(), run.span(), false);
        }
        all.extend(row);
        lines.push(next.len(), next.clone(), false);
        end = next.end;
        if next.len() < run.len() {
            break;
        }
    }
    (end > run.end).then_some((lines, all))
}

/// Whether a line below a longer one may be of the program: a word, as `EOF` and `fi`, or an assignment.
pub(super) fn is_code(line: &[u8]) -> bool {
    let padding = line.iter().rev().take_while(|byte| **byte == b'=').count();
    let rest = line.get(1..).unwrap_or_default();
    let is_word = line.iter().all(u8::is_ascii_alphabetic)
        && (rest.iter().all(u8::is_ascii_lowercase) || rest.iter().all(u8::is_ascii_uppercase));
    is_word || memchr(b'=', line).is_some_and(|at| at + padding < line.len())
}

/// Makes the views of a piece, and tells whether it may be a token that was turned around.
fn piece_views(piece: &[u8], source: &Map, views: &mut Views<'_>) -> bool {
    super::super::work::spend(piece.len());
    // Programs are full of identifiers, which are no encoding of anything.
    if !views.has_room(piece.len()) || is_uuid(piece) {
        return false;
    }
    if piece.len() >= HEX_MIN && piece.iter().all(u8::is_ascii_hexdigit) {
        if let Some(text) = hex(piece) {
            views.add("hex", source.clone(), text, Trust::Full);
        }
        return false;
    }
    if let Some(text) = base32(piece) {
        views.add("base32", source.clone(), text, Trust::Full);
        return false;
    }
    if let Some(text) = base64(piece) {
        views.add("base64", source.clone(), text, Trust::Full);
        return false;
    }
    true
}

/// Makes the views of a piece that is turned around, or by thirteen letters. It is a span of the text that was
/// marked.
fn turned_views(
    piece: &[u8],
    marks: &Marks,
    span: &Range<usize>,
    source: &Map,
    views: &mut Views<'_>,
) {
    // Only what could be a token is worth turning around.
    if piece.len() > PIECE_MAX {
        return;
    }
    let encoded = is_encoded_backwards(piece).then(|| base64(&backwards(piece))).flatten();
    let (reversed, turned) = held(piece, &marks.alnum, span);
    if let Some(text) = encoded {
        views.add("reversed base64", source.clone(), text, Trust::Full);
    } else if let Some(reversed) = reversed.held() {
        let text = String::from_utf8_lossy(&reversed).into_owned();
        views.add("reversed", source.clone(), text, Trust::Names);
    }
    if let Some(turned) = turned.held() {
        let text = String::from_utf8_lossy(&turned).into_owned();
        views.add("rot13", source.clone(), text, Trust::Names);
    }
}

/// A piece turned around, and whether a word of it then begins a token of some format.
#[derive(Default)]
struct Turned {
    text: Option<Vec<u8>>,
    begins: bool,
}

impl Turned {
    /// Asks about the word of so many letters and digits at a position of what is made of the piece.
    fn ask(&mut self, piece: &[u8], make: fn(&[u8]) -> Vec<u8>, at: usize, len: usize) {
        let text = self.text.get_or_insert_with(|| make(piece));
        self.begins = self.begins || vendor::begins(text, at, len);
    }

    fn held(self) -> Option<Vec<u8>> {
        self.text.filter(|_| self.begins)
    }
}

fn backwards(piece: &[u8]) -> Vec<u8> {
    piece.iter().rev().copied().collect()
}

fn by_thirteen(piece: &[u8]) -> Vec<u8> {
    piece.iter().map(|byte| rot13(*byte)).collect()
}

/// What a piece is backwards, and with its letters turned by thirteen. Most words do not begin a token even
/// by four bytes, and nothing is turned around for them.
fn held(piece: &[u8], alnums: &Bits, span: &Range<usize>) -> (Turned, Turned) {
    let (mut reversed, mut turned) = (Turned::default(), Turned::default());
    let mut start = 0;
    // A word may be empty: what begins with a sign is found between two of them.
    while start <= piece.len() {
        let ones = (!alnums.from(span.start + start)).trailing_zeros() as usize;
        let len = if ones < GROUP { ones } else { alnums.run_to(span.start + start, span.end) };
        let end = piece.len().min(start + len);
        let len = end - start;
        let before = start.checked_sub(1).and_then(|at| piece.get(at)).copied();
        let first_four = padded(piece.get(start..).unwrap_or_default()).map(rot13);
        let is_held = vendor::may_begin(last_four(piece, end), len, before);
        let is_turned = vendor::may_begin(first_four, len, piece.get(end).copied());
        if is_held | is_turned {
            if is_held {
                reversed.ask(piece, backwards, piece.len() - end, len);
            }
            if is_turned {
                turned.ask(piece, by_thirteen, start, len);
            }
        }
        start = end + 1;
    }
    (reversed, turned)
}

/// The last four bytes of a piece up to a position, backwards, with zeros for those that are not there.
fn last_four(piece: &[u8], end: usize) -> [u8; 4] {
    let before = piece.get(..end).unwrap_or_default();
    let mut four = before.last_chunk().copied().unwrap_or_else(|| {
        let mut four = [0; 4];
        four.iter_mut().rev().zip(before.iter().rev()).for_each(|(to, from)| *to = *from);
        four
    });
    four.reverse();
    four
}

fn rot13(byte: u8) -> u8 {
    #[expect(clippy::indexing_slicing, reason = "an index out of bounds would not compile")]
    static TURNED: [u8; 256] = {
        let mut turned = [0; 256];
        let mut byte = 0;
        while byte < turned.len() {
            turned[byte] = match byte as u8 {
                letter @ b'a'..=b'z' => (letter - b'a' + 13) % 26 + b'a',
                letter @ b'A'..=b'Z' => (letter - b'A' + 13) % 26 + b'A',
                byte => byte,
            };
            byte += 1;
        }
        turned
    };
    TURNED.get(usize::from(byte)).copied().unwrap_or(byte)
}

/// Decodes pairs of digits, if they give text.
fn hex(digits: &[u8]) -> Option<String> {
    let pairs = |digits: &[u8]| -> Vec<u8> {
        let (pairs, _) = digits.as_chunks::<2>();
        pairs.iter().map(|[high, low]| nibble(*high) << 4 | nibble(*low)).collect()
    };
    // Most digits are no text, and a few bytes show it.
    if !is_promising(&pairs(digits.get(..2 * PROBE)?)) {
        return None;
    }
    readable(pairs(digits))
}

/// Decodes base32, if it gives text: capital letters and the digits from two to seven.
fn base32(digits: &[u8]) -> Option<String> {
    let padding = digits.iter().rev().take_while(|byte| **byte == b'=').count();
    let digits = digits.get(..digits.len() - padding)?;
    let is_digit = |byte: &u8| byte.is_ascii_uppercase() | matches!(byte, b'2'..=b'7');
    // Most pieces have other bytes among the first.
    let first: &[u8; 8] = digits.first_chunk()?;
    let may_be = first.iter().fold(true, |all, byte| all & is_digit(byte));
    if !may_be || digits.len() < BASE32_MIN || !digits.iter().all(is_digit) {
        return None;
    }
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0_u32, 0);
    for digit in digits {
        let value = if digit.is_ascii_uppercase() { digit - b'A' } else { digit - b'2' + 26 };
        bits = bits << 5 | u32::from(value);
        held += 5;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            if bytes.len() == PROBE && !is_promising(&bytes) {
                return None;
            }
        }
    }
    readable(bytes)
}

/// So many decoded bytes show whether the rest is worth decoding.
const PROBE: usize = 9;

fn is_promising(bytes: &[u8]) -> bool {
    // No character begins with what goes on with one.
    let begins = bytes.first().is_some_and(|byte| byte & 0xC0 != 0x80);
    is_packed(bytes)
        || begins && is_text(bytes) && {
            // A character may be cut at the end.
            std::str::from_utf8(bytes).map_or_else(|cut| cut.error_len().is_none(), |_| true)
        }
        || is_wide(bytes)
}

/// Decodes either alphabet, padded or not, if it gives text.
pub(super) fn base64(piece: &[u8]) -> Option<String> {
    let piece = piece.strip_prefix(b"-").unwrap_or(piece);
    if !is_encoded(piece.first_chunk()?) {
        return None;
    }
    readable(unpack64(piece)?)
}

/// Tells whether a text begins with base64 of text.
pub(super) fn is_base64_head(text: &[u8]) -> bool {
    text.first_chunk().is_some_and(is_encoded)
}

/// Tells by the first digits whether what they encode may be text.
fn is_encoded(head: &[u8; 12]) -> bool {
    let (fours, _) = head.as_chunks();
    let mut bytes = [0; PROBE];
    let (threes, _) = bytes.as_chunks_mut();
    unpack_fours(fours, threes) && is_promising(&bytes)
}

/// The same of a piece that is read backwards.
fn is_encoded_backwards(piece: &[u8]) -> bool {
    let piece = piece.strip_suffix(b"-").unwrap_or(piece);
    piece.last_chunk::<12>().is_some_and(|tail| {
        let mut head = *tail;
        head.reverse();
        is_encoded(&head)
    })
}

/// What base64 encodes, up to the padding; nothing if a character is not base64.
fn unpack64(digits: &[u8]) -> Option<Vec<u8>> {
    super::super::work::spend(digits.len());
    let digits = digits.get(..memchr(b'=', digits).unwrap_or(digits.len()))?;
    let (fours, rest) = digits.as_chunks();
    // Digits that are not there are zeros.
    let mut last = [b'A'; 4];
    last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    let mut bytes = vec![0; 3 * fours.len() + 3];
    let (threes, _) = bytes.as_chunks_mut();
    let (last_three, threes) = threes.split_last_mut()?;
    if !(unpack_fours(fours, threes) & unpack_fours(&[last], std::slice::from_mut(last_three))) {
        return None;
    }
    bytes.truncate(digits.len() * 3 / 4);
    Some(bytes)
}

/// Writes three bytes for each four digits, and tells whether all of them are digits.
fn unpack_fours(fours: &[[u8; 4]], threes: &mut [[u8; 3]]) -> bool {
    let mut all = 0;
    for (four, three) in fours.iter().zip(threes) {
        let values = four.map(|digit| BASE64.get(usize::from(digit)).copied().unwrap_or(u8::MAX));
        all |= values.iter().fold(0, |all, value| all | value);
        let bits = values.iter().fold(0, |bits, value| bits << 6 | u32::from(value & 63));
        let [_, first, second, third] = bits.to_be_bytes();
        *three = [first, second, third];
    }
    // What is no digit has the highest bits.
    all < 64
}

/// The values of the digits of either alphabet.
#[expect(clippy::indexing_slicing, reason = "an index out of bounds would not compile")]
static BASE64: [u8; 256] = {
    let mut values = [255; 256];
    let mut nth = 0;
    while nth < 26 {
        values[b'A' as usize + nth] = nth as u8;
        values[b'a' as usize + nth] = nth as u8 + 26;
        nth += 1;
    }
    let mut nth = 0;
    while nth < 10 {
        values[b'0' as usize + nth] = nth as u8 + 52;
        nth += 1;
    }
    values[b'+' as usize] = 62;
    values[b'-' as usize] = 62;
    values[b'/' as usize] = 63;
    values[b'_' as usize] = 63;
    values
};

fn is_packed(bytes: &[u8]) -> bool {
    matches!(bytes, [0x1F, 0x8B, 8, ..] | [0x78, 0x01 | 0x5E | 0x9C | 0xDA, ..])
}

/// Two bytes per character, one of which is zero.
fn is_wide(bytes: &[u8]) -> bool {
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return true;
    }
    // One of three characters has its zero, where nearly all have.
    if !bytes.iter().take(6).any(|byte| *byte == 0) {
        return false;
    }
    let zeros = |from: usize| bytes.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    let half = bytes.len() / 2;
    half >= 4 && (zeros(0) + 1 >= half && zeros(1) == 0 || zeros(1) + 1 >= half && zeros(0) == 0)
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
