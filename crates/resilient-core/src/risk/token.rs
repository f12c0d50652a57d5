//! What a token looks like: which characters it is made of, and how evenly.
//!
//! These are the facts that rules and the model judge by. All of them are plain counts; none of
//! them knows a provider.

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
const LOGS: [u32; 129] = {
    let mut logs = [0; 129];
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
        super::work::spend(token.len());
        let mut seen = [0_u16; 128];
        let (mut digits, mut lower, mut upper) = (0, 0, 0);
        let (mut hex_lower, mut hex_upper) = (0, 0);
        let (mut plus, mut dash, mut other) = (0, 0, 0);
        let (mut odd_pairs, mut pairs, mut changes, mut steps) = (0, 0, 0, 0);
        let (mut letters_run, mut letters_max) = (0, 0);
        let (mut digits_run, mut digits_max) = (0, 0);
        let mut last = 0_u8;
        let mut last_class = u8::MAX;
        for &byte in token {
            if let Some(count) = seen.get_mut(usize::from(byte & 127)) {
                *count = count.saturating_add(1);
            }
            let class = match byte {
                b'0'..=b'9' => {
                    digits += 1;
                    0
                }
                b'a'..=b'z' => {
                    lower += 1;
                    hex_lower += usize::from(byte <= b'f');
                    1
                }
                b'A'..=b'Z' => {
                    upper += 1;
                    hex_upper += usize::from(byte <= b'F');
                    2
                }
                b'+' | b'/' | b'=' => {
                    plus += 1;
                    3
                }
                b'-' | b'_' => {
                    dash += 1;
                    4
                }
                _ => {
                    other += 1;
                    5
                }
            };
            if class == 1 || class == 2 {
                letters_run += 1;
                letters_max = letters_max.max(letters_run);
                // A capital begins a word, so what precedes it says nothing.
                if last.is_ascii_alphabetic() && !(last_class == 1 && class == 2) {
                    pairs += 1;
                    odd_pairs += usize::from(!is_ordinary(last, byte));
                }
            } else {
                letters_run = 0;
            }
            digits_run = if class == 0 { digits_run + 1 } else { 0 };
            digits_max = digits_max.max(digits_run);
            if last_class != u8::MAX {
                changes += usize::from(class != last_class);
                steps += usize::from(byte.abs_diff(last) <= 1);
            }
            (last, last_class) = (byte, class);
        }
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
        } else if hex_lower + hex_upper == letters {
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
        let mut weighted = 0_u64;
        for &count in seen.iter().filter(|count| **count > 0) {
            weighted += u64::from(count) * u64::from(log(usize::from(count)));
        }
        let total = len.clamp(1, usize::from(u16::MAX));
        let entropy = log(total).saturating_sub((weighted / total as u64) as u32);
        Self {
            len,
            kind,
            digits,
            hex_letters: hex_lower + hex_upper == letters,
            lower,
            upper,
            odd_pairs,
            pairs,
            changes,
            letters_max,
            digits_max,
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

/// Of a token, [`Shape::odd_pairs`] and [`Shape::pairs`] alone.
pub(super) fn odd_pairs(token: &[u8]) -> (usize, usize) {
    super::work::spend(token.len());
    let (mut odd, mut all) = (0, 0);
    for two in token.windows(2) {
        let [left, right] = two else { continue };
        let letters = left.is_ascii_alphabetic() & right.is_ascii_alphabetic();
        if letters && !(left.is_ascii_lowercase() & right.is_ascii_uppercase()) {
            all += 1;
            odd += usize::from(!is_ordinary(*left, *right));
        }
    }
    (odd, all)
}

fn is_ordinary(first: u8, second: u8) -> bool {
    let index = |byte: u8| usize::from((byte | 0x20).wrapping_sub(b'a'));
    ORDINARY.get(index(first)).is_some_and(|row| row >> index(second) & 1 == 1)
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
    fn evenness_tells_repetition_from_chance() {
        assert_eq!(Shape::of(b"aaaaaaaaaaaaaaaa").entropy, 0);
        let even = Shape::of(b"0123456789abcdef");
        assert_eq!((even.entropy, even.steps), (4 * BIT, 14));
        assert_eq!(even.evenness(), 100);
        // One bit of the log₂ 6 that six letters can show.
        assert_eq!(Shape::of(b"abababababababab").evenness(), 38);
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
