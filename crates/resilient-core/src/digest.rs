//! SHA-256 digests: of raw bytes, written as 64 lower-case hex digits.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::Digest as _;

/// A caller may give so many hex digits of a digest at least.
const DIGITS_MIN: usize = 12;

/// The SHA-256 digest of some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl From<[u8; 32]> for Digest {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl Digest {
    /// Digests `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(sha2::Sha256::digest(bytes).into())
    }

    /// The first 16 bytes in hex: enough to notice an accident or a careless edit.
    #[must_use]
    pub fn short(&self) -> String {
        let mut hex = self.to_string();
        hex.truncate(32);
        hex
    }

    /// Whether a text that a caller wrote means this digest: its hex digits in any case, the first 12 of them
    /// or more, also behind `sha256:`.
    ///
    /// ```
    /// use resilient_core::digest::Digest;
    ///
    /// let digest = Digest::of(b"abc");
    /// assert!(digest.is_meant_by("sha256:BA7816BF8F01"));
    /// assert!(!digest.is_meant_by("ba7816bf8f0"));
    /// ```
    #[must_use]
    pub fn is_meant_by(&self, text: &str) -> bool {
        let digits = Self::digits(text);
        digits.len() >= DIGITS_MIN && self.to_string().starts_with(&digits)
    }

    /// Whether a text that a caller wrote is a digest, or the beginning of one that is long enough.
    #[must_use]
    pub fn may_be_meant_by(text: &str) -> bool {
        let digits = Self::digits(text);
        (DIGITS_MIN..=64).contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    }

    /// Reads a digest as callers write it: in any case, also behind `sha256:`.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        Self::digits(text).parse().ok()
    }

    fn digits(text: &str) -> String {
        let lower = text.trim().to_ascii_lowercase();
        lower.strip_prefix("sha256:").unwrap_or(&lower).to_owned()
    }

    /// The digest's 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).copied().unwrap_or(b'?');
        let mut hex = [0; 64];
        for (pair, byte) in hex.chunks_exact_mut(2).zip(self.0) {
            pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
        }
        f.write_str(str::from_utf8(&hex).unwrap_or_default())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A digest as a caller looks for it: all of its hex digits, or the first 12 or more.
///
/// ```
/// use resilient_core::digest::{Digest, DigestPrefix};
///
/// let prefix: DigestPrefix = "sha256:BA7816BF8F01".parse().unwrap();
/// assert!(prefix.begins(&Digest::of(b"abc")));
/// assert!("ba7816bf8f0".parse::<DigestPrefix>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigestPrefix(String);

impl DigestPrefix {
    /// Whether a digest begins so.
    #[must_use]
    pub fn begins(&self, digest: &Digest) -> bool {
        digest.to_string().starts_with(&self.0)
    }

    /// The least and the greatest number that the first 64 bits of such a digest may be.
    pub(crate) fn heads(&self) -> (u64, u64) {
        let head = |filler: char| {
            let digits: String = self.0.chars().chain(std::iter::repeat(filler)).take(16).collect();
            u64::from_str_radix(&digits, 16).unwrap_or_default()
        };
        (head('0'), head('f'))
    }
}

impl From<Digest> for DigestPrefix {
    fn from(digest: Digest) -> Self {
        Self(digest.to_string())
    }
}

impl FromStr for DigestPrefix {
    type Err = NotAPrefix;

    fn from_str(text: &str) -> Result<Self, NotAPrefix> {
        Digest::may_be_meant_by(text).then(|| Self(Digest::digits(text))).ok_or(NotAPrefix)
    }
}

/// The text is no beginning of a digest that is long enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the first 12 hex digits of a sha256, or more of them")]
pub struct NotAPrefix;

/// The text is not 64 lower-case hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a lower-case sha256 in hex")]
pub struct NotADigest;

impl FromStr for Digest {
    type Err = NotADigest;

    fn from_str(hex: &str) -> Result<Self, NotADigest> {
        let digit = |c: u8| match c {
            b'0'..=b'9' => Ok(c - b'0'),
            b'a'..=b'f' => Ok(c - b'a' + 10),
            _ => Err(NotADigest),
        };
        let mut bytes = [0; 32];
        let (pairs, rest) = hex.as_bytes().as_chunks::<2>();
        if pairs.len() != bytes.len() || !rest.is_empty() {
            return Err(NotADigest);
        }
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Ok(Self(bytes))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Hex;
        impl de::Visitor<'_> for Hex {
            type Value = Digest;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E: de::Error>(self, hex: &str) -> Result<Digest, E> {
                hex.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Hex)
    }
}

/// Digests bytes that come in parts; a clone digests two continuations of one beginning.
#[derive(Clone, Default)]
pub struct Hasher(sha2::Sha256);

impl Hasher {
    /// Adds the next part.
    pub fn update(&mut self, part: &[u8]) {
        self.0.update(part);
    }

    /// The digest of all parts so far.
    #[must_use]
    pub fn finish(&self) -> Digest {
        Digest(self.0.clone().finalize().into())
    }
}

/// The digest of some bytes and how it came about: bytes that begin in the same way are digested
/// from where they differ.
#[derive(Debug)]
pub(crate) struct PrefixHashes {
    /// The hasher before each whole step, and before what is left.
    hashers: Vec<Hasher>,
    digest: Digest,
}

impl PrefixHashes {
    /// So many bytes are a step; a hasher takes a hundredth of that.
    const STEP: usize = 16 * 1024;

    /// Digests bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut hasher = Hasher::default();
        let mut hashers = vec![hasher.clone()];
        let steps = bytes.chunks_exact(Self::STEP);
        let rest = steps.remainder();
        for step in steps {
            hasher.update(step);
            hashers.push(hasher.clone());
        }
        hasher.update(rest);
        Self { hashers, digest: hasher.finish() }
    }

    /// The digest of the bytes.
    pub(crate) fn digest(&self) -> Digest {
        self.digest
    }

    /// The digest of others, given the bytes again.
    pub(crate) fn digest_of_other(&self, bytes: &[u8], other: &[u8]) -> Digest {
        let steps = bytes.chunks_exact(Self::STEP).zip(other.chunks_exact(Self::STEP));
        let same = steps.take_while(|(step, other)| step == other).count();
        match (self.hashers.get(same), other.get(same * Self::STEP..)) {
            (Some(hasher), Some(rest)) => {
                let mut hasher = hasher.clone();
                hasher.update(rest);
                hasher.finish()
            }
            _ => Digest::of(other),
        }
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hasher")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // FIPS 180-4, the example of the empty and the three-letter message.
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn digests_are_those_of_the_standard() {
        assert_eq!(Digest::of(b"abc").to_string(), ABC);
        let mut hasher = Hasher::default();
        hasher.update(b"a");
        let mut other = hasher.clone();
        other.update(b"x");
        hasher.update(b"bc");
        assert_eq!(hasher.finish(), Digest::of(b"abc"));
        assert_eq!(other.finish(), Digest::of(b"ax"));
    }

    #[test]
    fn a_trail_gives_the_digest_of_whatever_begins_in_the_same_way() {
        let step = PrefixHashes::STEP;
        let old: Vec<u8> = (0..3 * step + 100).map(|at| (at % 251) as u8).collect();
        let prefixes = PrefixHashes::of(&old);
        assert_eq!(prefixes.digest(), Digest::of(&old));
        let changed_at = |at: usize| {
            let mut new = old.clone();
            new[at] ^= 1;
            new
        };
        let others = [0, step - 1, step, 2 * step + 5, 3 * step, old.len() - 1].map(changed_at);
        let cut = [0, 1, step, step + 1, 3 * step, old.len()].map(|len| old[..len].to_vec());
        let longer = [old.clone(), vec![7; step]].concat();
        for other in others.iter().chain(&cut).chain([&longer]) {
            assert_eq!(prefixes.digest_of_other(&old, other), Digest::of(other), "{}", other.len());
        }
        let empty = PrefixHashes::of(b"");
        assert_eq!(empty.digest_of_other(b"", b"abc"), Digest::of(b"abc"));
    }

    #[test]
    fn only_lower_case_hex_of_full_length_is_a_digest() {
        assert_eq!(ABC.parse::<Digest>(), Ok(Digest::of(b"abc")));
        for wrong in ["", "ab", &ABC[1..], &ABC.to_uppercase(), &format!("{ABC}0"), &"g".repeat(64)]
        {
            assert_eq!(wrong.parse::<Digest>(), Err(NotADigest), "{wrong}");
        }
    }
}
