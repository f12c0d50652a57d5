//! What the model sees of a candidate: a few dozen hashed features.
//!
//! A feature is a name and a value, hashed into one of [`BUCKETS`] weights. Most features describe
//! the shape of the body and the words near it; the letters themselves are seen only through
//! triples, which mostly tell words from chance. Training and scoring both come through here.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use sha2::{Digest as _, Sha256};

use super::bits::{Bits, ones};
use super::candidate::Candidate;
use super::lanes::{GROUP, Lanes, padded};
use super::runs::Lengths;
use super::services;
use super::tables::{SECRET_WORDS, SERVICES};
use super::token::{BIT, Kind, Shape, odd_pairs_at};

/// The number of weights.
pub const BUCKETS: usize = 1 << 14;

/// Raised whenever this file changes what a feature is.
const VERSION: u32 = 1;

/// The beginning of a digest of what the features are: their version, their number, and the words that they know by
/// name.
pub(super) fn definition() -> [u8; 8] {
    let mut digest = Sha256::new();
    digest.update(format!("{VERSION}\n{BUCKETS}\n"));
    let end: &[u8] = b"";
    for word in SECRET_WORDS.iter().chain([&end]).chain(&SERVICES) {
        digest.update(word);
        digest.update(b"\n");
    }
    <[u8; 32]>::from(digest.finalize()).first_chunk().copied().unwrap_or_default()
}

/// So many words before the candidate are looked at.
const WORDS_MAX: usize = 6;

/// Names the features of a candidate in a text whose token characters are marked.
pub(super) fn of<S: Simd>(
    simd: S,
    text: &[u8],
    tokens: &Bits,
    candidate: &Candidate,
    words: &Words,
    each: impl FnMut(u16),
) {
    super::work::spend(256);
    let mut sink = Sink { each };
    let get = |range: Range<usize>| text.get(range).unwrap_or_default();
    let head = get(candidate.head.clone());
    let context = get(candidate.context.clone());
    let shape = &candidate.shape;

    let kind = shape.kind as u64;
    let len = length_bucket(shape.len);
    let even = u64::from(shape.evenness() / 4);
    let odd = ratio(shape.odd_pairs, shape.pairs, 8);
    sink.add(1, kind);
    sink.add(2, kind << 8 | shape.len.min(140) as u64);
    sink.add(3, kind << 8 | even);
    sink.add(4, kind << 8 | len);
    sink.add(5, kind << 8 | odd);
    sink.add(6, kind << 8 | ratio(shape.changes, shape.len, 12));
    sink.add(7, shape.letters_max.min(20) as u64);
    sink.add(8, kind << 8 | shape.digits_max.min(12) as u64);
    sink.add(9, ratio(shape.steps, shape.len, 16));
    sink.add(10, kind << 8 | ratio(shape.digits, shape.len, 10));
    sink.add(11, odd << 8 | even);
    sink.add(12, kind << 8 | ratio(shape.upper, shape.len, 10));
    sink.add(13, u64::from(shape.entropy / (BIT / 4)));

    triples(simd, text, &candidate.body, &mut sink);
    dashes(simd, text, &candidate.body, shape, &mut sink);

    // What stands in front: the head's words are the nearest ones.
    let in_head = words.in_head;
    sink.add(20, in_head as u64);
    sink.add(21, words.len.min(WORDS_MAX) as u64);
    if in_head > 0 {
        sink.add(22, hash(head));
        sink.add(23, kind << 8 | in_head as u64);
    }
    let mut secret = 0;
    let mut secret_at = 0;
    let mut service = false;
    let mut before = 0;
    for (nth, word) in words.iter().enumerate() {
        let value = hash(word);
        sink.add(24, value);
        sink.add(25 + nth.min(3) as u64, value);
        if nth > 0 {
            sink.add(30, value ^ before << 1);
        }
        before = value;
        if let Some(found) = secret_word(word) {
            sink.add(31, found << 4 | nth as u64);
            if secret == 0 {
                (secret, secret_at) = (found, nth as u64 + 1);
            }
        }
        service |= services::is_service(word);
    }
    service |= words.any_service_in_two(WORDS_MAX);
    let named = secret << 1 | u64::from(service);
    sink.add(32, named << 8 | kind);
    sink.add(33, u64::from(secret > 0) << 16 | u64::from(service) << 12 | kind << 6 | len);
    sink.add(34, secret_at << 1 | u64::from(service));
    sink.add(35, u64::from(secret > 0) << 16 | u64::from(service) << 12 | kind << 6 | even);
    sink.add(42, u64::from(secret > 0) << 16 | u64::from(service) << 12 | odd << 6 | even);
    sink.add(43, u64::from(secret > 0) << 1 | u64::from(service));

    let between = separator(context);
    sink.add(36, between);
    sink.add(37, between << 8 | named);
    sink.add(38, between << 8 | kind);
    let after = get(candidate.body.end..candidate.body.end + 2);
    sink.add(39, hash(after));
    sink.add(40, u64::from(after.first().copied().unwrap_or(b'\n')) << 8 | named);
    sink.add(41, runs_in(tokens, candidate.context.clone()).min(3));
    let first = context.iter().find(|byte| !byte.is_ascii_whitespace()).copied().unwrap_or(0);
    sink.add(44, u64::from(first));
    sink.add(45, (context.len() / 8) as u64);
}

/// How many runs a part of the text has.
fn runs_in(tokens: &Bits, part: Range<usize>) -> u64 {
    let mut lengths = Lengths::default();
    let groups = part.clone().step_by(GROUP).map(|at| {
        let len = (part.end - at).min(GROUP);
        lengths.reached(tokens.from(at) & u64::MAX >> (GROUP - len))
    });
    groups.map(|reached| u64::from(reached.count_ones())).sum()
}

/// Triples of letters, cases folded; digits end a word.
fn triples<S: Simd>(simd: S, text: &[u8], body: &Range<usize>, sink: &mut Sink<impl FnMut(u16)>) {
    /// As far as this a body is looked at.
    const END: usize = 50;
    let letters = simd.vectorize(
        #[inline(always)]
        || Lanes::at(simd, text, body.start).small().lies(b'a', 26).to_bitmask(),
    );
    let letters = letters & !u64::MAX.checked_shl(body.len().min(END) as u32).unwrap_or(0);
    let body = text.get(body.clone()).unwrap_or_default();
    for start in ones(letters & letters >> 1 & letters >> 2) {
        sink.add(50, hash(body.get(start..start + 3).unwrap_or_default()));
    }
    // How a body begins is a format's signature, how it ends rarely.
    for len in [2, 3, 4] {
        sink.add(51, hash(body.get(..len).unwrap_or_default()));
    }
}

/// Where separators are, as in `xxxx-xxxx-xxxx`.
fn dashes<S: Simd>(
    simd: S,
    text: &[u8],
    body: &Range<usize>,
    shape: &Shape,
    sink: &mut Sink<impl FnMut(u16)>,
) {
    if !matches!(shape.kind, Kind::Base64Url | Kind::Other | Kind::Uuid) {
        return;
    }
    let (lens, count, wordy) = simd.vectorize(
        #[inline(always)]
        || groups(simd, text, body),
    );
    sink.add(60, lens);
    sink.add(61, count);
    sink.add(62, ratio(wordy, count as usize, 6));
}

/// How long the first groups of letters and digits are, how many there are, and how many are words.
#[inline(always)]
fn groups<S: Simd>(simd: S, text: &[u8], body: &Range<usize>) -> (u64, u64, usize) {
    /// So many groups are looked at.
    const GROUPS_MAX: u64 = 8;
    let (mut lens, mut count, mut wordy) = (0, 0, 0);
    let (mut start, mut at, mut digits) = (body.start, body.start, 0);
    while count < GROUPS_MAX {
        let group = Lanes::at(simd, text, at);
        let digit = group.lies(b'0', 10);
        let alnum = (digit | group.small().lies(b'a', 26)).to_bitmask();
        let len = (alnum.trailing_ones() as usize).min(body.end - at);
        let inside = !u64::MAX.checked_shl(len as u32).unwrap_or(0);
        digits += (digit.to_bitmask() & inside).count_ones();
        at += len;
        if len == GROUP && at < body.end {
            continue;
        }
        let (odd, pairs) = odd_pairs_at(simd, text, start, at - start);
        let is_word = (at - start >= 3) & (digits <= 1) & (odd * 5 <= pairs);
        lens = lens << 5 | (at - start).min(31) as u64;
        count += 1;
        wordy += usize::from(is_word);
        if at == body.end {
            break;
        }
        (start, at, digits) = (at + 1, at + 1, 0);
    }
    (lens, count, wordy)
}

struct Sink<F> {
    each: F,
}

impl<F: FnMut(u16)> Sink<F> {
    fn add(&mut self, name: u64, value: u64) {
        let mixed = (value ^ name << 56).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (self.each)((mixed >> 50) as u16);
    }
}

/// A word is not longer than this; what is longer is cut.
const WORD_MAX: usize = 24;

/// Words before a candidate, nearest first, in small letters.
#[derive(Clone, Debug)]
pub(super) struct Words {
    letters: [u8; WORDS_MAX * WORD_MAX],
    ends: [usize; WORDS_MAX],
    len: usize,
    /// How many of them stand in the candidate's head.
    in_head: usize,
}

impl Words {
    /// Reads the words in front of a candidate's body.
    pub(super) fn before<S: Simd>(simd: S, text: &[u8], candidate: &Candidate) -> Self {
        Self::some_before(simd, text, candidate, WORDS_MAX)
    }

    /// Reads some of them, and as many of the head's as are there.
    pub(super) fn some_before<S: Simd>(
        simd: S,
        text: &[u8],
        candidate: &Candidate,
        most: usize,
    ) -> Self {
        let mut words = Self::none();
        words.read_back(simd, text, &candidate.head, WORDS_MAX);
        words.in_head = words.len;
        words.read_back(simd, text, &candidate.context, most);
        words
    }

    /// Reads the words at the end of a text.
    pub(super) fn of(text: &[u8]) -> Self {
        let mut words = Self::none();
        dispatch!(Level::new(), simd => words.read_back(simd, text, &(0..text.len()), WORDS_MAX));
        words
    }

    fn none() -> Self {
        let (letters, ends) = ([0; WORDS_MAX * WORD_MAX], [0; WORDS_MAX]);
        Self { letters, ends, len: 0, in_head: 0 }
    }

    /// Reads words off the end of a part of a text until there are so many: split at what is no letter or
    /// digit, and in camel case.
    fn read_back<S: Simd>(&mut self, simd: S, text: &[u8], part: &Range<usize>, most: usize) {
        if !part.is_empty() {
            super::work::spend(64);
            simd.vectorize(
                #[inline(always)]
                || self.read_back_in(simd, text, part, most),
            );
        }
    }

    #[inline(always)]
    fn read_back_in<S: Simd>(&mut self, simd: S, text: &[u8], part: &Range<usize>, most: usize) {
        let mut end = part.end;
        let mut cases = Cases::before(simd, text, part.start, end);
        while self.len < most {
            let gap = (cases.alnum().leading_zeros() as usize).min(cases.left);
            cases = cases.without(gap);
            end -= gap;
            if end == part.start {
                break;
            }
            if cases.left <= WORD_MAX.min(end - part.start - 1) {
                cases = Cases::before(simd, text, part.start, end);
                if cases.alnum() >> (GROUP - 1) == 0 {
                    continue;
                }
            }
            let len = cases.last_word().min(WORD_MAX);
            let start = end - len;
            let word: [u8; WORD_MAX] = padded(text.get(start..).unwrap_or_default());
            let from =
                self.len.checked_sub(1).and_then(|last| self.ends.get(last)).map_or(0, |e| *e);
            // What is copied from behind the word is written over by the next one.
            if let Some(slot) = self.letters.get_mut(from..).and_then(<[u8]>::first_chunk_mut) {
                *slot = word.map(|byte| byte.to_ascii_lowercase());
            }
            if let Some(end) = self.ends.get_mut(self.len) {
                *end = from + len;
            }
            self.len += 1;
            end = start;
            cases = cases.without(len);
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.ends.iter().take(self.len).scan(0, |start, &end| {
            let word = self.letters.get(*start..end);
            *start = end;
            word
        })
    }

    pub(super) fn in_head(&self) -> usize {
        self.in_head
    }

    pub(super) fn get(&self, nth: usize) -> Option<&[u8]> {
        let ends = self.ends.get(..self.len)?;
        let start = nth.checked_sub(1).and_then(|last| ends.get(last)).copied().unwrap_or(0);
        self.letters.get(start..*ends.get(nth)?)
    }

    /// Tells whether one of the first so many pairs of neighbours, written as one word, the farther
    /// one first, as they stand in the text, names a service.
    pub(super) fn any_service_in_two(&self, most: usize) -> bool {
        let mut near = None;
        self.iter()
            .take(most + 1)
            .any(|far| near.replace(far).is_some_and(|near| services::is_service_in_two(far, near)))
    }
}

/// What the bytes before a position are, the last of them highest.
#[derive(Clone, Copy)]
struct Cases {
    lower: u64,
    upper: u64,
    digit: u64,
    /// How many bytes are left.
    left: usize,
}

impl Cases {
    /// Looks at a group of bytes before a position, except for those before a start.
    #[inline(always)]
    fn before<S: Simd>(simd: S, text: &[u8], start: usize, end: usize) -> Self {
        let at = end.saturating_sub(GROUP);
        let group = Lanes::at(simd, text, at);
        let left = (end - start).min(GROUP);
        // What stands behind the position is moved out, and what stands before the start is hidden.
        let inside = |bits: u64| bits << (GROUP - (end - at)) & !(u64::MAX >> 1 >> (left - 1));
        Self {
            lower: inside(group.lies(b'a', 26).to_bitmask()),
            upper: inside(group.lies(b'A', 26).to_bitmask()),
            digit: inside(group.lies(b'0', 10).to_bitmask()),
            left,
        }
    }

    #[inline(always)]
    fn alnum(self) -> u64 {
        self.lower | self.upper | self.digit
    }

    /// The same without some of the last bytes.
    #[inline(always)]
    fn without(self, len: usize) -> Self {
        let before = |bits: u64| bits.checked_shl(len as u32).unwrap_or(0);
        let Self { lower, upper, digit, left } = self;
        Self {
            lower: before(lower),
            upper: before(upper),
            digit: before(digit),
            left: left.saturating_sub(len),
        }
    }

    /// The length of the last word, if the last byte is in one.
    #[inline(always)]
    fn last_word(self) -> usize {
        let Self { lower, upper, .. } = self;
        let alnum = self.alnum();
        let begins = alnum & !(alnum << 1) | upper & (lower << 1 | upper << 1 & lower >> 1);
        begins.leading_zeros() as usize + 1
    }
}

/// How some words end, of which each has three letters at least.
pub(super) struct Ends<const LEN: usize>([u32; LEN]);

impl<const LEN: usize> Ends<LEN> {
    #[expect(clippy::indexing_slicing, reason = "an index out of bounds would not compile")]
    pub(super) const fn of(words: &[&[u8]; LEN]) -> Self {
        let mut ends = [0; LEN];
        let mut nth = 0;
        while nth < LEN {
            if let Some(end) = words[nth].last_chunk::<3>() {
                ends[nth] = three(*end);
            }
            nth += 1;
        }
        Self(ends)
    }

    /// Tells whether a word may end in one of them: most words do not, which is seen at once.
    #[inline]
    pub(super) fn may_end(&self, word: &[u8]) -> bool {
        let end = word.last_chunk::<3>().map_or(0, |end| three(*end));
        self.0.iter().fold(false, |any, known| any | (*known == end))
    }
}

/// Three bytes as a number.
const fn three([first, second, third]: [u8; 3]) -> u32 {
    u32::from_le_bytes([first, second, third, 1])
}

/// The number of the secret word that a word is or ends in, from 1.
fn secret_word(word: &[u8]) -> Option<u64> {
    static ENDS: Ends<{ SECRET_WORDS.len() }> = Ends::of(&SECRET_WORDS);
    if !ENDS.may_end(word) {
        return None;
    }
    let ending = SECRET_WORDS.iter().enumerate().filter(|(_, known)| word.ends_with(known));
    // The word itself, or else the first one that it ends in.
    let found = ending.min_by_key(|(nth, known)| (known.len() != word.len(), *nth));
    found.map(|(nth, _)| nth as u64 + 1)
}

/// What stands between the last word and the candidate; white space is folded, words are not seen.
fn separator(context: &[u8]) -> u64 {
    let gap = context.iter().rev().take_while(|byte| !byte.is_ascii_alphanumeric()).count();
    let between = context.get(context.len() - gap..).unwrap_or_default();
    let mut value = if gap == context.len() { 1 } else { 2 };
    let mut white = false;
    for &byte in between.iter().rev().take(8) {
        if byte.is_ascii_whitespace() {
            if white {
                continue;
            }
            white = true;
        } else {
            white = false;
        }
        let byte = if byte.is_ascii_whitespace() { b' ' } else { byte };
        let byte = if byte == b'\'' || byte == b'`' { b'"' } else { byte };
        value = (value ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    }
    value & 0xFF_FFFF
}

fn hash(bytes: &[u8]) -> u64 {
    let mut value = 0xCBF2_9CE4_8422_2325_u64;
    for byte in bytes {
        value = (value ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01B3);
    }
    value & 0xFFFF_FFFF
}

fn length_bucket(len: usize) -> u64 {
    match len {
        0..=12 => 0,
        13..=16 => 1,
        17..=20 => 2,
        21..=24 => 3,
        25..=32 => 4,
        33..=40 => 5,
        41..=48 => 6,
        49..=64 => 7,
        65..=96 => 8,
        97..=160 => 9,
        _ => 10,
    }
}

fn ratio(part: usize, whole: usize, steps: usize) -> u64 {
    (part * steps).checked_div(whole).map_or(255, |ratio| ratio as u64)
}

#[cfg(test)]
mod tests {
    use super::super::token::is_wordy;
    use super::*;

    #[test]
    fn groups_are_what_stands_between_signs() {
        let long = ["a".repeat(64), "b7".repeat(50), "key".to_owned()].join("_");
        for text in ["ab12-cdef--x", "token-", "0-1-2-3-4-5-6-7-8-9", long.as_str()] {
            let groups_of: Vec<&str> =
                text.split(|sign: char| !sign.is_ascii_alphanumeric()).take(8).collect();
            let lens =
                groups_of.iter().fold(0, |lens, group| lens << 5 | group.len().min(31) as u64);
            let is_word = |group: &&&str| group.len() >= 3 && is_wordy(group.as_bytes());
            let wordy = groups_of.iter().filter(is_word).count();
            let (text, all) = (text.as_bytes(), 0..text.len());
            let seen = dispatch!(Level::new(), simd => groups(simd, text, &all));
            assert_eq!(seen, (lens, groups_of.len() as u64, wordy), "{groups_of:?}");
        }
    }

    #[test]
    fn words_are_read_from_the_end_over_any_gaps() {
        let read = |text: &str| -> Vec<String> {
            let words = Words::of(text.as_bytes());
            words.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect()
        };
        assert_eq!(read(""), [""; 0]);
        assert_eq!(read(" -- "), [""; 0]);
        assert_eq!(read("HTTPServer_apiKey2 = "), ["key2", "api", "server", "http"]);
        let (few, some, many) = (" ".repeat(20), " ".repeat(40), " ".repeat(200));
        let text = ["é first", &many, "alpha", &few, "beta", &some, "gammaDelta", &many].concat();
        assert_eq!(read(&text), ["delta", "gamma", "beta", "alpha", "first"]);
        // A word of thirty letters is cut, and what is before the cut is a word of its own.
        assert_eq!(
            read(&["x", &"a".repeat(30)].concat()),
            ["a".repeat(24), "x".to_owned() + "aaaaaa"]
        );
        assert_eq!(read(&["XY", &"a".repeat(24)].concat()), ["a".repeat(24), "xy".to_owned()]);
    }
}
