//! What the model sees of a candidate: a few dozen hashed features.
//!
//! A feature is a name and a value, hashed into one of [`BUCKETS`] weights. Most features describe
//! the shape of the body and the words near it; the letters themselves are seen only through
//! triples, which mostly tell words from chance. Training and scoring both come through here.

use std::ops::Range;
use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

use super::bits::{bits_at, ones};
use super::candidate::Candidate;
use super::placeholder::before_mark;
use super::runs;
use super::services;
use super::tables::{SECRET_WORDS, SERVICES};
use super::token::{BIT, CAPITAL, DIGIT, Kind, SMALL, TokenStats, class, is_wordlike};

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

/// Names the features of a candidate.
pub(super) fn of(
    text: &[u8],
    candidate: &Candidate,
    words: &PrecedingWords,
    each: impl FnMut(u16),
) {
    super::work::spend(256);
    let mut sink = Sink { each };
    let get = |range: Range<usize>| text.get(range).unwrap_or_default();
    let head = get(candidate.head.clone());
    let context = get(candidate.context.clone());
    let stats = &candidate.stats;

    let kind = stats.kind as u64;
    let len = length_bucket(stats.len);
    let even = u64::from(stats.entropy_percent() / 4);
    let odd = ratio(stats.rare_bigrams, stats.bigrams, 8);
    sink.add(1, kind);
    sink.add(2, kind << 8 | stats.len.min(140) as u64);
    sink.add(3, kind << 8 | even);
    sink.add(4, kind << 8 | len);
    sink.add(5, kind << 8 | odd);
    sink.add(6, kind << 8 | ratio(stats.changes, stats.len, 12));
    sink.add(7, stats.letters_max.min(20) as u64);
    sink.add(8, kind << 8 | stats.digits_max.min(12) as u64);
    sink.add(9, ratio(stats.steps, stats.len, 16));
    sink.add(10, kind << 8 | ratio(stats.digits, stats.len, 10));
    sink.add(11, odd << 8 | even);
    sink.add(12, kind << 8 | ratio(stats.upper, stats.len, 10));
    sink.add(13, u64::from(stats.entropy / (BIT / 4)));

    triples(get(candidate.body.clone()), &mut sink);
    dashes(get(candidate.body.clone()), stats, &mut sink);

    // What stands in front: the head's words are the nearest ones.
    let in_head = words.in_head;
    sink.add(20, in_head as u64);
    sink.add(21, words.count as u64);
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
    sink.add(41, u64::from(runs::count(context).min(3)));
    let first = context.iter().find(|byte| !byte.is_ascii_whitespace()).copied().unwrap_or(0);
    sink.add(44, u64::from(first));
    sink.add(45, (context.len() / 8) as u64);
}

/// Triples of letters, cases folded; digits end a word.
fn triples(body: &[u8], sink: &mut Sink<impl FnMut(u16)>) {
    /// As far as this a body is looked at.
    const END: usize = 50;
    let near = body.get(..END).unwrap_or(body);
    let [letters] = bits_at(near, 0, |byte| u8::from(byte.is_ascii_alphabetic()));
    for at in ones(letters & letters >> 1 & letters >> 2) {
        sink.add(50, hash(near.get(at..at + 3).unwrap_or_default()));
    }
    // How a body begins is a format's signature, how it ends rarely.
    for len in [2, 3, 4] {
        sink.add(51, hash(body.get(..len).unwrap_or_default()));
    }
}

/// Where separators are, as in `xxxx-xxxx-xxxx`: how long the first groups of letters and digits are, how many
/// there are, and how many of them are words.
fn dashes(body: &[u8], stats: &TokenStats, sink: &mut Sink<impl FnMut(u16)>) {
    /// So many groups are looked at.
    const GROUPS_MAX: usize = 8;
    if !matches!(stats.kind, Kind::Base64Url | Kind::Other | Kind::Uuid) {
        return;
    }
    let (mut lens, mut count, mut wordy) = (0, 0, 0);
    for group in body.split(|byte| !byte.is_ascii_alphanumeric()).take(GROUPS_MAX) {
        lens = lens << 5 | group.len().min(31) as u64;
        count += 1;
        wordy += usize::from(group.len() >= 3 && is_wordlike(group));
    }
    sink.add(60, lens);
    sink.add(61, count as u64);
    sink.add(62, ratio(wordy, count, 6));
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
#[derive(Clone, Debug, Default)]
pub(super) struct PrecedingWords {
    all: [[u8; WORD_MAX]; WORDS_MAX],
    lens: [usize; WORDS_MAX],
    count: usize,
    /// How many of them stand in the candidate's head.
    in_head: usize,
}

/// A mark is read as this word, which says nothing. Where signs alone stand between it and a value, it is read as nothing: what
/// announces one item of a list announces the next.
const MARK: &[u8] = b"x";

/// What stands before the mark of a redaction, if a text ends with its number: `<REDACTED:api_key:1`.
fn without_mark(text: &[u8]) -> Option<&[u8]> {
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let family = text.get(..text.len() - digits)?.strip_suffix(b":").filter(|_| digits > 0)?;
    before_mark(family)
}

impl PrecedingWords {
    /// Reads the words in front of a candidate's body.
    pub(super) fn before(text: &[u8], candidate: &Candidate) -> Self {
        let part = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default();
        let mut words = Self::of(part(&candidate.head));
        words.in_head = words.count;
        words.read_back(part(&candidate.context));
        words
    }

    /// Reads the words at the end of a text.
    pub(super) fn of(text: &[u8]) -> Self {
        let mut words = Self::default();
        words.read_back(text);
        words
    }

    /// Reads words off the end of a text: split at what is no letter or digit, and in camel case.
    fn read_back(&mut self, mut text: &[u8]) {
        super::work::spend(64);
        while let Some((word, len)) =
            self.all.get_mut(self.count).zip(self.lens.get_mut(self.count))
            && let Some(last) = text.iter().rposition(u8::is_ascii_alphanumeric)
        {
            text = text.get(..=last).unwrap_or_default();
            let (rest, last) = match without_mark(text) {
                Some(before) if self.count == 0 => {
                    text = before;
                    continue;
                }
                Some(before) => (before, MARK),
                None => text.split_at(text.len() - last_word(text)),
            };
            *len = last.len();
            word.iter_mut().zip(last).for_each(|(to, from)| *to = from.to_ascii_lowercase());
            self.count += 1;
            text = rest;
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let words = self.all.iter().zip(&self.lens).take(self.count);
        words.map(|(word, len)| word.get(..*len).unwrap_or_default())
    }

    pub(super) fn in_head(&self) -> usize {
        self.in_head
    }

    pub(super) fn get(&self, nth: usize) -> Option<&[u8]> {
        self.iter().nth(nth)
    }

    /// Tells whether one of the first so many pairs of neighbours, written as one word, the farther
    /// one first, as they stand in the text, names a service.
    pub(super) fn any_service_in_two(&self, most: usize) -> bool {
        let pairs = self.iter().zip(self.iter().skip(1)).take(most);
        pairs.into_iter().any(|(near, far)| services::is_service_in_two(far, near))
    }
}

/// The length of the word at the end of a text.
fn last_word(text: &[u8]) -> usize {
    // Before a text and behind it stands no letter.
    let mut back = text.iter().rev().map(|byte| class(*byte));
    let (mut first, mut next) = (back.next().unwrap_or(0), 0);
    for len in 1..WORD_MAX {
        let before = back.next().unwrap_or(0);
        let is_hump = before == SMALL || before == CAPITAL && next == SMALL;
        if before & (DIGIT | SMALL | CAPITAL) == 0 || first == CAPITAL && is_hump {
            return len;
        }
        (first, next) = (before, first);
    }
    WORD_MAX
}

/// Tells whether a word may end in a word for secrets: most words do not, which their last three letters show.
pub(super) fn may_end_secret(word: &[u8]) -> bool {
    static ENDS: LazyLock<Vec<u32>> =
        LazyLock::new(|| SECRET_WORDS.iter().filter_map(|word| end(word)).collect());
    end(word).is_some_and(|end| ENDS.contains(&end))
}

/// The last three bytes of a word, as a number.
fn end(word: &[u8]) -> Option<u32> {
    word.last_chunk().map(|[first, second, third]| u32::from_le_bytes([*first, *second, *third, 0]))
}

/// The number of the secret word that a word is or ends in, from 1.
fn secret_word(word: &[u8]) -> Option<u64> {
    if !may_end_secret(word) {
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
    let folded = between.iter().rev().take(8).map(|byte| match byte {
        b'\'' | b'`' => b'"',
        byte if byte.is_ascii_whitespace() => b' ',
        byte => *byte,
    });
    let mut last = 0;
    for byte in folded {
        if byte != b' ' || last != b' ' {
            value = (value ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
        last = byte;
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
    const MOST: [usize; 10] = [12, 16, 20, 24, 32, 40, 48, 64, 96, 160];
    MOST.partition_point(|most| *most < len) as u64
}

fn ratio(part: usize, whole: usize, steps: usize) -> u64 {
    (part * steps).checked_div(whole).map_or(255, |ratio| ratio as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_from_the_end_over_any_gaps() {
        let read = |text: &str| -> Vec<String> {
            let words = PrecedingWords::of(text.as_bytes());
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
