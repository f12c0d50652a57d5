//! What a token looks like: which characters it is made of, and how evenly.
//!
//! These are the facts that rules and the model judge by. All of them are plain counts; none of
//! them knows a provider.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, mask8x64, u8x16, u8x32};

use super::lanes::{GROUP, Lanes, filled_up};

/// Which letters follow each other in the words of programs; bit `b` of row `a` says that `ab` is
/// ordinary. Counted over some thousand source files; it covers 96 % of all pairs there.
const ORDINARY: [u32; 26] = [
    0x1febd6e, 0x1164911, 0x03eddf5, 0x1165979, 0x1fffd7f, 0x01e597d, 0x0166991, 0x01a4111,
    0x2aef87f, 0x0000000, 0x0040110, 0x11e4d39, 0x01cd913, 0x17eed7d, 0x07efd7f, 0x11ec995,
    0x0100000, 0x13efd7d, 0x11efdd5, 0x1def9bd, 0x00eb97f, 0x0004111, 0x0066191, 0x0088115,
    0x00ca000, 0x0000010,
];

/// One bit of entropy. Entropies are whole numbers, so that every machine computes the same.
pub(super) const BIT: u32 = 256;

/// The binary logarithm in parts of a bit, rounded down.
const fn log2(value: usize) -> u32 {
    let value = value as u64;
    if value < 2 {
        return 0;
    }
    let whole = value.ilog2();
    // The fraction, bit by bit: squaring the mantissa doubles the logarithm.
    let mut mantissa = value << 31 >> whole;
    let mut bits = whole;
    let mut nth = 0;
    while nth < 8 {
        mantissa = (mantissa * mantissa) >> 31;
        bits <<= 1;
        if mantissa >> 32 != 0 {
            bits |= 1;
            mantissa >>= 1;
        }
        nth += 1;
    }
    bits
}

/// The logarithms of small counts, which are nearly all that is asked for.
#[expect(clippy::indexing_slicing, reason = "an index out of bounds would not compile")]
const LOGS: [u32; 256] = {
    let mut logs = [0; 256];
    let mut value = 0;
    while value < logs.len() {
        logs[value] = log2(value);
        value += 1;
    }
    logs
};

fn log(value: usize) -> u32 {
    LOGS.get(value).copied().unwrap_or_else(|| log2(value))
}

/// By how much the sum of counts times their logarithms grows when a count of less than 255 does.
#[expect(clippy::indexing_slicing, reason = "an index out of bounds would not compile")]
static STEPS: [u32; 256] = {
    let mut steps = [0; 256];
    let mut count = 0;
    while count + 1 < steps.len() {
        steps[count] = (count as u32 + 1) * LOGS[count + 1] - count as u32 * LOGS[count];
        count += 1;
    }
    steps
};

/// The sum of how often each character stands in a token, times the logarithm of that.
#[inline(always)]
fn weighted(token: &[u8]) -> u64 {
    if token.len() > usize::from(u8::MAX) {
        return weighted_long(token);
    }
    let mut seen = [0_u8; 128];
    let mut sum = 0;
    for byte in token {
        if let Some(count) = seen.get_mut(usize::from(byte & 127)) {
            sum += STEPS.get(usize::from(*count)).copied().unwrap_or(0);
            *count = count.wrapping_add(1);
        }
    }
    u64::from(sum)
}

/// The same of a token in which a character may stand any number of times.
#[cold]
#[inline(never)]
fn weighted_long(token: &[u8]) -> u64 {
    let mut seen = [0_u16; 128];
    for byte in token {
        if let Some(count) = seen.get_mut(usize::from(byte & 127)) {
            *count = count.saturating_add(1);
        }
    }
    seen.iter().map(|count| u64::from(*count) * u64::from(log(usize::from(*count)))).sum()
}

const NO_LETTER: u8 = 52;

/// The number of each letter, small letters first; [`NO_LETTER`] for what is none.
#[expect(clippy::indexing_slicing, reason = "an index out of bounds would not compile")]
static LETTERS: [u8; 256] = {
    let mut letters = [NO_LETTER; 256];
    let mut nth = 0;
    while nth < 26 {
        letters[b'a' as usize + nth] = nth as u8;
        letters[b'A' as usize + nth] = nth as u8 + 26;
        nth += 1;
    }
    letters
};

/// What two neighbours are, by the numbers of their letters: nothing, a pair of letters (1), or an
/// odd pair (3). A capital begins a word, so what precedes it says nothing.
#[expect(clippy::indexing_slicing, reason = "an index out of bounds would not compile")]
static PAIRS: [u8; 64 * 64] = {
    let mut pairs = [0; 64 * 64];
    let mut left = 0;
    while left < 52 {
        let mut right = 0;
        while right < 52 {
            let small = right < 26;
            let ordinary = ORDINARY[left % 26] >> (right % 26) & 1 == 1;
            if small || left >= 26 {
                pairs[left << 6 | right] = if ordinary { 1 } else { 3 };
            }
            right += 1;
        }
        left += 1;
    }
    pairs
};

/// The pairs that neighbours make, and the odd ones among them.
#[derive(Clone, Copy)]
struct Pairs {
    last: u8,
    all: usize,
    odd: usize,
    /// How many digits stand among the letters.
    digits: usize,
}

impl Pairs {
    const NONE: Self = Self { last: NO_LETTER, all: 0, odd: 0, digits: 0 };

    fn of(token: &[u8]) -> Self {
        let mut pairs = Self::NONE;
        for byte in token {
            pairs.add(LETTERS.get(usize::from(*byte)).copied().unwrap_or(NO_LETTER));
            pairs.digits += usize::from(byte.is_ascii_digit());
        }
        pairs
    }

    #[inline(always)]
    fn add(&mut self, letter: u8) {
        let index = usize::from(self.last) << 6 | usize::from(letter);
        let pair = usize::from(PAIRS.get(index & 0xFFF).copied().unwrap_or(0));
        self.all += pair & 1;
        self.odd += pair >> 1;
        self.last = letter;
    }
}

/// So many pairs are looked at together.
const PART: usize = 32;

/// [`ORDINARY`] for vectors: bit `b % 8` of byte `a % 16` of table `b / 8` and `a / 16` says that `ab` is
/// ordinary.
#[expect(clippy::indexing_slicing, reason = "an index out of bounds would not compile")]
static TABLES: [[[u8; 16]; 2]; 4] = {
    let mut tables = [[[0; 16]; 2]; 4];
    let mut left = 0;
    while left < ORDINARY.len() {
        let rows = ORDINARY[left].to_le_bytes();
        let mut eight = 0;
        while eight < rows.len() {
            tables[eight][left / 16][left % 16] = rows[eight];
            eight += 1;
        }
        left += 1;
    }
    tables
};

/// Of so many bytes of a text from a position on, [`Shape::odd_pairs`] and [`Shape::pairs`] alone.
#[inline(always)]
pub(super) fn odd_pairs_at<S: Simd>(simd: S, text: &[u8], at: usize, len: usize) -> (usize, usize) {
    super::work::spend(len);
    let (mut odd, mut all) = (0, 0);
    let pairs = len.saturating_sub(1);
    let every = |byte| u8x32::splat(simd, byte);
    let table = |table: &[u8; 16]| u8x32::block_splat(u8x16::load_array_ref(simd, table));
    let [ah, ip, qx, yz] = &TABLES;
    let mut from = 0;
    while from < pairs {
        let rest = text.get(at + from..).unwrap_or_default();
        let two = |both: &[u8; PART + 1]| {
            let ([left @ .., _], [_, right @ ..]) = (both, both);
            (u8x32::load_array_ref(simd, left), u8x32::load_array_ref(simd, right))
        };
        let (left, right) = rest.first_chunk().map_or_else(|| two(&filled_up(rest)), two);
        let letter = |bytes: u8x32<S>| (bytes | every(0x20)) - every(b'a');
        let (first, second) = (letter(left), letter(right));
        // A capital begins a word, so what precedes it says nothing.
        let begins = left.simd_ge(every(b'a')) & right.simd_lt(every(b'a'));
        let is_pair = first.simd_lt(every(26)) & second.simd_lt(every(26)) & !begins;
        let is_low = first.simd_lt(every(16));
        let eight = |[low, high]: &[[u8; 16]; 2]| {
            let of = |half| table(half).swizzle_dyn_within_blocks(first & every(15));
            is_low.select(of(low), of(high))
        };
        let low = second.simd_lt(every(8)).select(eight(ah), eight(ip));
        let high = second.simd_lt(every(24)).select(eight(qx), eight(yz));
        let row = second.simd_lt(every(16)).select(low, high);
        let bit = table(&[1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0])
            .swizzle_dyn_within_blocks(second & every(7));
        let is_odd = (row & bit).simd_eq(every(0));
        let inside = u64::MAX >> (64 - (pairs - from).min(PART));
        all += (is_pair.to_bitmask() & inside).count_ones() as usize;
        odd += ((is_pair & is_odd).to_bitmask() & inside).count_ones() as usize;
        from += PART;
    }
    (odd, all)
}

/// The characters a token is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// Digits alone.
    Digits,
    /// Digits and `a` to `f`.
    HexLower,
    /// Digits and `A` to `F`.
    HexUpper,
    /// Hexadecimal in both cases.
    HexMixed,
    /// Five groups of hexadecimal digits: 8-4-4-4-12.
    Uuid,
    /// Small letters alone.
    Lower,
    /// Capital letters alone.
    Upper,
    /// Letters of both cases.
    Letters,
    /// Small letters and digits.
    LowerDigits,
    /// Capital letters and digits.
    UpperDigits,
    /// Letters of both cases and digits.
    Alnum,
    /// With `+`, `/` or `=`.
    Base64,
    /// With `-` or `_`.
    Base64Url,
    /// With a dot, or with anything else.
    Other,
}

/// The bytes of one class in a token, and the rows that they make.
#[derive(Clone, Copy)]
struct Rows {
    all: usize,
    /// How many rows begin.
    begin: usize,
    /// Whether the last group ended in one.
    goes_on: u64,
}

impl Rows {
    const NONE: Self = Self { all: 0, begin: 0, goes_on: 0 };

    /// Adds the bytes of the next group.
    #[inline(always)]
    fn add(&mut self, bytes: u64) {
        self.all += bytes.count_ones() as usize;
        self.begin += (bytes & !(bytes << 1 | self.goes_on)).count_ones() as usize;
        self.goes_on = bytes >> (GROUP - 1);
    }
}

/// The longest row of bytes of one class.
#[derive(Clone, Copy)]
struct Longest {
    most: usize,
    /// The length of the row that the last group ended in.
    last: usize,
}

impl Longest {
    const NONE: Self = Self { most: 0, last: 0 };

    /// Adds the bytes of the next group, of so many.
    #[inline(always)]
    fn add(&mut self, bytes: u64, len: usize) {
        let first = bytes.trailing_ones() as usize;
        let through = self.last + first;
        let left = (bytes << (GROUP - len)).leading_ones() as usize;
        self.last = if first == len { through } else { left };
        // Where rows of one, two, four bytes and so on end; rows of any length are put together from them.
        let one = bytes;
        let two = one & one << 1;
        let four = two & two << 2;
        let eight = four & four << 4;
        let sixteen = eight & eight << 8;
        let half = sixteen & sixteen << 16;
        let (mut ends, mut inner) = (u64::MAX, 0);
        for (rows, len) in [(half, 32), (sixteen, 16), (eight, 8), (four, 4), (two, 2), (one, 1)] {
            let longer = ends & rows << inner;
            (ends, inner) = if longer == 0 { (ends, inner) } else { (longer, inner + len) };
        }
        self.most = self.most.max(through).max(inner);
    }
}

/// The counts of one token.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) len: usize,
    pub(super) kind: Kind,
    pub(super) digits: usize,
    /// Whether all letters are hexadecimal digits.
    hex_letters: bool,
    pub(super) lower: usize,
    pub(super) upper: usize,
    /// Pairs of letters, without regard to case, that words of programs do not have.
    pub(super) odd_pairs: usize,
    /// Pairs of letters in all.
    pub(super) pairs: usize,
    /// Changes between small letters, capitals, digits and the rest.
    pub(super) changes: usize,
    /// The longest run of letters.
    pub(super) letters_max: usize,
    /// The longest run of digits.
    pub(super) digits_max: usize,
    /// Neighbours that repeat or count up or down by one: `aaa`, `1234`, `fedc`.
    pub(super) steps: usize,
    /// Shannon's entropy per character, in parts of a bit: [`BIT`] is one.
    pub(super) entropy: u32,
}

impl Shape {
    /// Counts a token.
    pub(super) fn of(token: &[u8]) -> Self {
        Self::at(token, 0..token.len())
    }

    /// Counts a part of a text: what stands behind it is there to be read with it, so that nothing is copied.
    pub(super) fn at(text: &[u8], span: Range<usize>) -> Self {
        super::work::spend(span.len());
        dispatch!(Level::new(), simd => Self::of_lanes(simd, text, span))
    }

    /// Counts a part of a text, with the vectors of some machine. No branch depends on the bytes: those of a
    /// token are random, and no machine would guess.
    #[inline(always)]
    fn of_lanes<S: Simd>(simd: S, text: &[u8], span: Range<usize>) -> Self {
        let start = span.start;
        let token = text.get(span).unwrap_or_default();
        let (mut digits, mut lower, mut upper) = (Rows::NONE, Rows::NONE, Rows::NONE);
        let (mut plus, mut dash, mut other) = (Rows::NONE, Rows::NONE, Rows::NONE);
        let (mut letters_max, mut digits_max) = (Longest::NONE, Longest::NONE);
        let (mut hex_letters, mut steps) = (0, 0);
        for at in (0..token.len()).step_by(GROUP) {
            let len = (token.len() - at).min(GROUP);
            let inside = u64::MAX >> (GROUP - len);
            let group = Lanes::at(simd, text, start + at);
            let bits = |bytes: mask8x64<S>| bytes.to_bitmask() & inside;
            let digit = bits(group.lies(b'0', 10));
            let small = bits(group.lies(b'a', 26));
            let capital = bits(group.lies(b'A', 26));
            let is_plus = bits(group.is(b'+') | group.is(b'/') | group.is(b'='));
            let is_dash = bits(group.is(b'-') | group.is(b'_'));
            digits.add(digit);
            lower.add(small);
            upper.add(capital);
            plus.add(is_plus);
            dash.add(is_dash);
            other.add(inside & !(digit | small | capital | is_plus | is_dash));
            letters_max.add(small | capital, len);
            digits_max.add(digit, len);
            hex_letters += bits(group.small().lies(b'a', 6)).count_ones() as usize;
            let is_step = group.steps_to(Lanes::at(simd, text, start + at + 1)).to_bitmask();
            // The last byte of all has none behind it.
            let followed = (token.len() - at - 1).min(GROUP) as u32;
            let followed = !u64::MAX.checked_shl(followed).unwrap_or(0);
            steps += (is_step & followed).count_ones() as usize;
        }
        let (odd_pairs, pairs) = odd_pairs_at(simd, text, start, token.len());
        // A change is where a row begins, except for the first one.
        let rows = [digits, lower, upper, plus, dash, other];
        let changes = rows.iter().map(|rows| rows.begin).sum::<usize>().saturating_sub(1);
        let [digits, lower, upper, plus, dash, other] = rows.map(|rows| rows.all);

        let len = token.len();
        let letters = lower + upper;
        let kind = if other > 0 {
            Kind::Other
        } else if is_uuid(token) {
            Kind::Uuid
        } else if plus > 0 && dash == 0 {
            Kind::Base64
        } else if plus + dash > 0 {
            Kind::Base64Url
        } else if letters == 0 {
            Kind::Digits
        } else if digits == 0 {
            match (lower, upper) {
                (_, 0) => Kind::Lower,
                (0, _) => Kind::Upper,
                _ => Kind::Letters,
            }
        } else if hex_letters == letters {
            match (lower, upper) {
                (_, 0) => Kind::HexLower,
                (0, _) => Kind::HexUpper,
                _ => Kind::HexMixed,
            }
        } else {
            match (lower, upper) {
                (_, 0) => Kind::LowerDigits,
                (0, _) => Kind::UpperDigits,
                _ => Kind::Alnum,
            }
        };
        let total = len.clamp(1, usize::from(u16::MAX));
        let entropy = log(total).saturating_sub((weighted(token) / total as u64) as u32);
        Self {
            len,
            kind,
            digits,
            hex_letters: hex_letters == letters,
            lower,
            upper,
            odd_pairs,
            pairs,
            changes,
            letters_max: letters_max.most,
            digits_max: digits_max.most,
            steps,
            entropy,
        }
    }

    /// The entropy in percent of the most that a token of this length and kind can show.
    pub(super) fn evenness(&self) -> u32 {
        let cases = usize::from(self.lower > 0) + usize::from(self.upper > 0);
        let letters = if self.hex_letters { 6 } else { 26 * cases };
        let letters = letters * usize::from(cases > 0) + 10 * usize::from(self.digits > 0);
        self.entropy * 100 / log(self.len.clamp(2, letters.max(2))).max(1)
    }

    /// Tells whether the token is made of words, as names in programs are.
    pub(super) fn is_wordy(&self) -> bool {
        self.digits <= 1 && self.odd_pairs * 5 <= self.pairs
    }
}

/// As [`Shape::is_wordy`], for a token.
pub(super) fn is_wordy(token: &[u8]) -> bool {
    let Pairs { all, odd, digits, .. } = Pairs::of(token);
    digits <= 1 && odd * 5 <= all
}

/// Tells whether a token has the form 8-4-4-4-12 of hexadecimal digits.
pub(super) fn is_uuid(token: &[u8]) -> bool {
    token.len() == 36
        && token.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What [`odd_pairs_at`] tells, one letter after the other.
    fn odd_pairs(token: &[u8]) -> (usize, usize) {
        let Pairs { all, odd, .. } = Pairs::of(token);
        (odd, all)
    }

    #[test]
    fn kinds_are_told_by_their_characters() {
        for (token, kind) in [
            ("0123", Kind::Digits),
            ("0a1f", Kind::HexLower),
            ("0A1F", Kind::HexUpper),
            ("0a1F", Kind::HexMixed),
            ("abc", Kind::Lower),
            ("ABC", Kind::Upper),
            ("aBc", Kind::Letters),
            ("a1z", Kind::LowerDigits),
            ("A1Z", Kind::UpperDigits),
            ("a1Z", Kind::Alnum),
            ("a1Z=", Kind::Base64),
            ("a1Z_", Kind::Base64Url),
            ("a1.Z", Kind::Other),
            ("01234567-89ab-cdef-0123-456789abcdef", Kind::Uuid),
        ] {
            assert_eq!(Shape::of(token.as_bytes()).kind, kind, "{token}");
        }
    }

    #[test]
    fn vectors_see_the_same_pairs() {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        for round in 0..400 {
            let mut draw = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 32) as u8
            };
            let text: Vec<u8> =
                (0..round).map(|_| draw() & if round % 2 == 0 { 127 } else { 95 }).collect();
            let (at, end) = (round / 5, round - round / 7);
            let seen = dispatch!(Level::new(), simd => odd_pairs_at(simd, &text, at, end - at));
            assert_eq!(seen, odd_pairs(&text[at..end]), "{round}");
        }
    }

    #[test]
    fn groups_change_nothing() {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        for len in 1..300_usize {
            let token: Vec<u8> = (0..len)
                .map(|_| {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    b"abcdefgxyzABCXYZ0123456789+/=-_.~"[(state >> 32) as usize % (1 + len % 33)]
                })
                .collect();
            let class = |byte: &u8| match byte {
                b'0'..=b'9' => 0,
                b'a'..=b'z' => 1,
                b'A'..=b'Z' => 2,
                b'+' | b'/' | b'=' => 3,
                b'-' | b'_' => 4,
                _ => 5,
            };
            let count = |wanted| token.iter().filter(|byte| class(byte) == wanted).count();
            let changes = token.windows(2).filter(|two| class(&two[0]) != class(&two[1])).count();
            let steps = token.windows(2).filter(|two| two[0].abs_diff(two[1]) <= 1).count();
            let longest = |is: fn(&u8) -> bool| {
                token.split(|byte| !is(byte)).map(<[u8]>::len).max().unwrap_or(0)
            };
            let shape = Shape::of(&token);
            assert_eq!([shape.digits, shape.lower, shape.upper], [0, 1, 2].map(count), "{len}");
            assert_eq!((shape.changes, shape.steps), (changes, steps), "{len}");
            assert_eq!(shape.letters_max, longest(u8::is_ascii_alphabetic), "{len}");
            assert_eq!(shape.digits_max, longest(u8::is_ascii_digit), "{len}");
            assert_eq!((shape.odd_pairs, shape.pairs), odd_pairs(&token), "{len}");
        }
    }

    #[test]
    fn evenness_tells_repetition_from_chance() {
        assert_eq!(Shape::of(b"aaaaaaaaaaaaaaaa").entropy, 0);
        let even = Shape::of(b"0123456789abcdef");
        assert_eq!((even.entropy, even.steps), (4 * BIT, 14));
        assert_eq!(even.evenness(), 100);
        // One bit of the log₂ 6 that six letters can show.
        assert_eq!(Shape::of(b"abababababababab").evenness(), 38);
    }

    #[test]
    fn long_tokens_are_weighed_like_short_ones() {
        let token: Vec<u8> = b"abbcZ0".iter().copied().cycle().take(255).collect();
        for len in [0, 1, 2, 100, 255] {
            assert_eq!(weighted(&token[..len]), weighted_long(&token[..len]), "{len}");
        }
    }

    #[test]
    fn logarithms_are_whole_numbers() {
        // 256 · log₂ 3 = 405.75, 256 · log₂ 10 = 850.4, 256 · log₂ 1000 = 2551.2
        assert_eq!([1, 2, 3, 10, 1000, 4096].map(log2), [0, 256, 405, 850, 2551, 3072]);
    }

    #[test]
    fn names_are_wordy_and_keys_are_not() {
        for name in ["configuration", "readFileSync", "AccountManager", "HTTPServer", "value2"] {
            assert!(Shape::of(name.as_bytes()).is_wordy(), "{name}");
        }
        for key in ["xq7kd93jzv", "zqxjkvbw", "8f3a9c"] {
            assert!(!Shape::of(key.as_bytes()).is_wordy(), "{key}");
        }
    }
}
