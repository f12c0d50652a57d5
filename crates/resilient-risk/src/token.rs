//! What a token looks like: which characters it is made of, and how evenly.
//!
//! These are the facts that rules and the model judge by. All of them are plain counts; none of
//! them knows a provider.

use std::sync::LazyLock;

use memchr::memrchr;

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
fn log2(value: usize) -> u32 {
    let Some(whole) = value.checked_ilog2() else { return 0 };
    // The fraction, bit by bit: squaring the mantissa doubles the logarithm.
    let mut mantissa = (value as u64) << 31 >> whole;
    (0..8).fold(whole, |bits, _| {
        mantissa = (mantissa * mantissa) >> 31;
        let bit = mantissa >> 32;
        mantissa >>= bit;
        bits << 1 | bit as u32
    })
}

/// The logarithm, which is known of small counts: nearly all that are asked for.
fn log(value: usize) -> u32 {
    static LOGS: LazyLock<[u32; 256]> = LazyLock::new(|| std::array::from_fn(log2));
    LOGS.get(value).copied().unwrap_or_else(|| log2(value))
}

/// How much heavier a token becomes by one more of a character that stands in it so often: it weighs how often each of its
/// characters stands there, times the logarithm of that.
fn heavier(count: u16) -> u32 {
    static KNOWN: LazyLock<[u32; 256]> = LazyLock::new(|| std::array::from_fn(|n| step(n as u16)));
    fn step(count: u16) -> u32 {
        let weight = |count: u16| u32::from(count) * log(usize::from(count));
        weight(count.saturating_add(1)) - weight(count)
    }
    KNOWN.get(usize::from(count)).copied().unwrap_or_else(|| step(count))
}

/// Digits, small letters and capitals, as [`class`] tells them.
pub(super) const DIGIT: u8 = 1;
pub(super) const SMALL: u8 = 2;
pub(super) const CAPITAL: u8 = 4;

/// What a byte is, as a bit: a digit, a small letter, a capital, a sign of either alphabet of base64, or anything else.
pub(super) fn class(byte: u8) -> u8 {
    static CLASSES: LazyLock<[u8; 256]> = LazyLock::new(|| {
        std::array::from_fn(|byte| match byte as u8 {
            b'0'..=b'9' => DIGIT,
            b'a'..=b'z' => SMALL,
            b'A'..=b'Z' => CAPITAL,
            b'+' | b'/' | b'=' => 8,
            b'-' | b'_' => 16,
            _ => 32,
        })
    });
    CLASSES.get(usize::from(byte)).copied().unwrap_or_default()
}

/// What two neighbours are: nothing, a pair of letters (1), or a rare pair (3). A capital begins a word, so what precedes
/// it says nothing.
static BIGRAM_KINDS: LazyLock<Box<[u8]>> = LazyLock::new(|| {
    let pair = |two: u16| {
        let [left, right] = two.to_le_bytes();
        let is_pair = left.is_ascii_alphabetic()
            && right.is_ascii_alphabetic()
            && (left.is_ascii_uppercase() || right.is_ascii_lowercase());
        let [left, right] =
            [left, right].map(|letter| letter.to_ascii_lowercase().wrapping_sub(b'a'));
        match ORDINARY.get(usize::from(left)).filter(|_| is_pair) {
            Some(row) if row >> right & 1 == 1 => 1,
            Some(_) => 3,
            None => 0,
        }
    };
    (0..=u16::MAX).map(pair).collect()
});

/// Of a token, [`TokenStats::rare_bigrams`] and [`TokenStats::bigrams`] alone.
pub(super) fn rare_bigrams(token: &[u8]) -> (usize, usize) {
    super::work::spend(token.len());
    let bigrams = &*BIGRAM_KINDS;
    token.array_windows().fold((0, 0), |(odd, all), two| {
        let pair =
            bigrams.get(usize::from(u16::from_le_bytes(*two))).map_or(0, |pair| usize::from(*pair));
        (odd + (pair >> 1), all + (pair & 1))
    })
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

/// The counts of one token.
#[derive(Clone, Debug)]
pub(super) struct TokenStats {
    pub(super) len: usize,
    pub(super) kind: Kind,
    pub(super) digits: usize,
    /// Whether all letters are hexadecimal digits.
    hex_letters: bool,
    pub(super) lower: usize,
    pub(super) upper: usize,
    /// Pairs of letters, without regard to case, that are rare in words of programs.
    pub(super) rare_bigrams: usize,
    /// Pairs of letters in all.
    pub(super) bigrams: usize,
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

impl TokenStats {
    /// Counts a token.
    pub(super) fn of(token: &[u8]) -> Self {
        super::work::spend(token.len());
        let (mut counts, mut seen) = ([0; 33], [0_u16; 128]);
        let (mut digits_row, mut letters_row, mut digits_max, mut letters_max) = (0, 0, 0, 0);
        let (mut changes, mut weight, mut before) = (0, 0, None);
        for byte in token {
            let class = class(*byte);
            counts.get_mut(usize::from(class)).into_iter().for_each(|count| *count += 1);
            digits_row = if class == DIGIT { digits_row + 1 } else { 0 };
            letters_row = if class & (SMALL | CAPITAL) > 0 { letters_row + 1 } else { 0 };
            (digits_max, letters_max) = (digits_max.max(digits_row), letters_max.max(letters_row));
            changes += usize::from(before.replace(class).is_some_and(|before| before != class));
            if let Some(count) = seen.get_mut(usize::from(byte & 127)) {
                weight += u64::from(heavier(*count));
                *count = count.saturating_add(1);
            }
        }
        let [digits, lower, upper, plus, dash, other] =
            [1, 2, 4, 8, 16, 32].map(|class: usize| counts.get(class).copied().unwrap_or(0));
        let steps = token.array_windows().filter(|[one, next]| one.abs_diff(*next) <= 1).count();
        let is_hex = |byte: &u8| byte.is_ascii_hexdigit() || !byte.is_ascii_alphabetic();
        let hex_letters = token.iter().all(is_hex);
        let (rare_bigrams, bigrams) = rare_bigrams(token);
        let (len, letters) = (token.len(), lower + upper);
        let of_case = |[small, capital, mixed]: [Kind; 3]| match (lower, upper) {
            (_, 0) => small,
            (0, _) => capital,
            _ => mixed,
        };
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
            of_case([Kind::Lower, Kind::Upper, Kind::Letters])
        } else if hex_letters {
            of_case([Kind::HexLower, Kind::HexUpper, Kind::HexMixed])
        } else {
            of_case([Kind::LowerDigits, Kind::UpperDigits, Kind::Alnum])
        };
        let total = len.clamp(1, usize::from(u16::MAX));
        let entropy = log(total).saturating_sub((weight / total as u64) as u32);
        Self {
            len,
            kind,
            digits,
            hex_letters,
            lower,
            upper,
            rare_bigrams,
            bigrams,
            changes,
            letters_max,
            digits_max,
            steps,
            entropy,
        }
    }

    /// The entropy in percent of the most that a token of this length and kind can show.
    pub(super) fn entropy_percent(&self) -> u32 {
        let cases = usize::from(self.lower > 0) + usize::from(self.upper > 0);
        let letters = if self.hex_letters { 6 } else { 26 * cases };
        let letters = letters * usize::from(cases > 0) + 10 * usize::from(self.digits > 0);
        self.entropy * 100 / log(self.len.clamp(2, letters.max(2))).max(1)
    }

    /// Tells whether the token is a row of hexadecimal digits of both kinds.
    pub(super) fn is_hexadecimal(&self) -> bool {
        let letters = self.lower + self.upper;
        self.hex_letters && letters > 0 && self.digits > 0 && letters + self.digits == self.len
    }

    /// Tells whether a text behind a token may be a part of it: of letters and digits, or of small and capital ones, that
    /// change, and no word.
    pub(super) fn is_rest(&self) -> bool {
        let letters = self.lower + self.upper;
        let mixed = letters > 0 && self.digits > 0 || self.lower > 0 && self.upper > 0;
        mixed && self.changes * 4 >= self.len && !self.is_wordlike()
    }

    /// Tells whether the token is made of words, as names in programs are.
    pub(super) fn is_wordlike(&self) -> bool {
        self.digits <= 1 && self.rare_bigrams * 5 <= self.bigrams
    }

    /// Tells whether a third of the token's pairs of letters are rare, and there are some: chance writes it so.
    pub(super) fn has_rare_bigrams(&self) -> bool {
        self.bigrams >= 4 && self.rare_bigrams * 3 >= self.bigrams
    }

    /// Tells whether the token changes so often between letters, digits and signs that it is no name.
    pub(super) fn is_drawn(&self) -> bool {
        self.changes * 5 >= self.len * 2 && !self.is_name()
    }

    /// Tells whether the token is words with digits, as many names in programs are: `_PL_W16StdioWrite`. Chance
    /// writes one of three hundred tokens so.
    pub(super) fn is_name(&self) -> bool {
        self.len <= 40 && self.bigrams * 5 >= self.len * 2 && self.rare_bigrams * 7 < self.bigrams
    }
}

/// As [`TokenStats::is_wordlike`], for a token.
pub(super) fn is_wordlike(token: &[u8]) -> bool {
    let (odd, bigrams) = rare_bigrams(token);
    token.iter().filter(|byte| byte.is_ascii_digit()).count() <= 1 && odd * 5 <= bigrams
}

/// Tells whether a token has the form 8-4-4-4-12 of hexadecimal digits.
pub(super) fn is_uuid(token: &[u8]) -> bool {
    token.len() == 36
        && token.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Tells whether a part of a name is a word, perhaps with a small number: `core`, `89`, `node12`.
pub(super) fn is_word_with_few_digits(part: &[u8]) -> bool {
    let letters = part.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let rest = part.get(letters..).unwrap_or_default();
    !part.is_empty() && rest.len() <= 4 && rest.iter().all(u8::is_ascii_digit)
}

/// Tells whether a value is a name with a digest behind it, as caches and snapshots have: `fleet-db-12-9f86d0…`.
pub(super) fn is_name_with_digest(value: &[u8]) -> bool {
    const LENS: [usize; 2] = [40, 64];
    // Keys are written so, too: `prod-9f86d0…`.
    let is_name = |name: &[u8]| name.iter().any(|byte| byte.is_ascii_digit() || *byte == b'-');
    let is_digest = |part: &[u8]| {
        let is_one = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f');
        LENS.contains(&part.len()) && part.iter().all(is_one)
    };
    let Some(at) = memrchr(b'-', value) else { return false };
    let (name, digest) =
        (value.get(..at).unwrap_or_default(), value.get(at + 1..).unwrap_or_default());
    is_digest(digest)
        && is_name(name)
        && name.split(|byte| *byte == b'-').all(is_word_with_few_digits)
}

/// Tells whether a value is public by use: Stripe's keys of a page, and the identifiers of GitHub's applications.
pub(super) fn is_public(value: &[u8]) -> bool {
    const BEGINS: [&[u8]; 4] = [b"pk_live_", b"pk_test_", b"Iv1.", b"Iv23"];
    let is_whole = |rest: &[u8]| rest.iter().all(u8::is_ascii_alphanumeric);
    BEGINS.iter().any(|begin| value.strip_prefix(*begin).is_some_and(is_whole))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steady::Chance;

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
            assert_eq!(TokenStats::of(token.as_bytes()).kind, kind, "{token}");
        }
    }

    #[test]
    fn a_shape_is_what_each_of_its_questions_says() {
        let chance = &mut Chance(0x9E37_79B9_7F4A_7C15);
        for len in 1..300_usize {
            let alphabet = &b"abcdefgxyzABCXYZ0123456789+/=-_.~"[..=len % 33];
            let token = chance.draw(alphabet, len).into_bytes();
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
            let stats = TokenStats::of(&token);
            assert_eq!([stats.digits, stats.lower, stats.upper], [0, 1, 2].map(count), "{len}");
            assert_eq!((stats.changes, stats.steps), (changes, steps), "{len}");
            assert_eq!(stats.letters_max, longest(u8::is_ascii_alphabetic), "{len}");
            assert_eq!(stats.digits_max, longest(u8::is_ascii_digit), "{len}");
        }
    }

    #[test]
    fn evenness_tells_repetition_from_chance() {
        assert_eq!(TokenStats::of(b"aaaaaaaaaaaaaaaa").entropy, 0);
        let even = TokenStats::of(b"0123456789abcdef");
        assert_eq!((even.entropy, even.steps), (4 * BIT, 14));
        assert_eq!(even.entropy_percent(), 100);
        // One bit of the log₂ 6 that six letters can show.
        assert_eq!(TokenStats::of(b"abababababababab").entropy_percent(), 38);
    }

    #[test]
    fn logarithms_are_whole_numbers() {
        // 256 · log₂ 3 = 405.75, 256 · log₂ 10 = 850.4, 256 · log₂ 1000 = 2551.2
        assert_eq!([1, 2, 3, 10, 1000, 4096].map(log2), [0, 256, 405, 850, 2551, 3072]);
    }

    #[test]
    fn names_are_wordy_and_keys_are_not() {
        for name in ["configuration", "readFileSync", "AccountManager", "HTTPServer", "value2"] {
            assert!(TokenStats::of(name.as_bytes()).is_wordlike(), "{name}");
        }
        for key in ["xq7kd93jzv", "zqxjkvbw", "8f3a9c"] {
            assert!(!TokenStats::of(key.as_bytes()).is_wordlike(), "{key}");
        }
    }
}
