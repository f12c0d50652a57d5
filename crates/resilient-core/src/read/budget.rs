//! How much an answer may hold: bytes, and tokens by an estimate.

use crate::error::{Error, Result};

/// How long a window is unasked.
pub(super) const BYTES: i64 = 65_536;

/// The most that one answer holds.
pub(super) const BYTES_MAX: u64 = 2_097_152;

/// What an answer may hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    pub(super) bytes: usize,
    pub(super) tokens: u64,
}

impl Budget {
    /// The budget of lines: all that an answer holds, and as many tokens as were asked for.
    pub(super) fn of(max_tokens: Option<i64>) -> Result<Self> {
        Ok(Self { bytes: BYTES_MAX as usize, tokens: tokens_max(max_tokens)? })
    }
}

/// A number of tokens from a request; without one there is no bound.
pub(super) fn tokens_max(max_tokens: Option<i64>) -> Result<u64> {
    match max_tokens.map(u64::try_from) {
        None => Ok(u64::MAX),
        Some(Ok(tokens)) if tokens > 0 => Ok(tokens),
        Some(_) => Err(Error::range("max_tokens must be at least 1")),
    }
}

/// About how many tokens a text costs a model: four letters or blanks to one, two digits or
/// signs, one for each character beyond ASCII. Nobody's tokenizer, and near all of them for the logs
/// and code that are read here.
pub(super) fn tokens(text: &str) -> u64 {
    // Without branches and in sums that fit into a byte, so that many are counted in parallel.
    let sum = |bytes: &[u8]| bytes.iter().fold(0, |sum: u8, byte| sum + cost(*byte));
    let (steps, rest) = text.as_bytes().as_chunks::<32>();
    let parts: u64 = steps.iter().map(|step| u64::from(sum(step))).sum();
    (parts + u64::from(sum(rest))).div_ceil(u64::from(PARTS))
}

/// A token has so many parts.
const PARTS: u8 = 4;

/// What a byte of UTF-8 costs, in parts of a token.
fn cost(byte: u8) -> u8 {
    let is_cheap = byte.is_ascii_alphabetic() | (byte == b' ');
    let ascii = u8::from(byte < 0x80) * (2 - u8::from(is_cheap));
    ascii + u8::from(byte >= 0xC0) * PARTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_is_by_kind_of_character() {
        assert_eq!(tokens(""), 0);
        assert_eq!(tokens("four"), 1);
        assert_eq!(tokens("five5"), 2, "four letters and half a token");
        assert_eq!(tokens("漢字"), 2);
        assert_eq!(tokens("2026-11-22"), 5);
    }

    #[test]
    fn a_bound_is_positive_or_absent() {
        assert_eq!(tokens_max(None).unwrap(), u64::MAX);
        assert_eq!(tokens_max(Some(5)).unwrap(), 5);
        assert!(tokens_max(Some(0)).is_err() && tokens_max(Some(-1)).is_err());
    }
}
