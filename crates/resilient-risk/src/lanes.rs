//! Sixty-four bytes at once, and the classes that they belong to.
//!
//! What is written here once runs with the vectors of whatever machine it is on (`fearless_simd`).

use fearless_simd::prelude::*;
use fearless_simd::{i8x64, mask8x64};

/// So many bytes make a group.
pub(super) const GROUP: usize = 64;

/// The first bytes of a text, with zeros for those that are not there.
#[inline(always)]
pub(super) fn padded<const LEN: usize>(text: &[u8]) -> [u8; LEN] {
    text.first_chunk().copied().unwrap_or_else(|| filled_up(text))
}

/// The same of a text that is too short, as few are: what is copied there is of a length that only shows then.
#[cold]
#[inline(never)]
pub(super) fn filled_up<const LEN: usize>(text: &[u8]) -> [u8; LEN] {
    let mut first = [0; LEN];
    first.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
    first
}

/// The same from a position on, mostly decided by one comparison.
#[inline(always)]
pub(super) fn padded_at<const LEN: usize>(text: &[u8], at: usize) -> [u8; LEN] {
    match text.get(at..at.saturating_add(LEN)).and_then(<[u8]>::first_chunk) {
        Some(part) => *part,
        None => padded(text.get(at..).unwrap_or_default()),
    }
}

/// A group of bytes, as signed numbers: only those are compared fast.
#[derive(Clone, Copy)]
pub(super) struct Lanes<S: Simd>(S, i8x64<S>);

impl<S: Simd> Lanes<S> {
    #[inline(always)]
    pub(super) fn of(simd: S, group: &[u8; GROUP]) -> Self {
        Self(simd, i8x64::load_array(simd, group.map(u8::cast_signed)))
    }

    /// The group of a text from a position on, with zeros for the bytes that are not there.
    #[inline(always)]
    pub(super) fn at(simd: S, bytes: &[u8], at: usize) -> Self {
        let rest = bytes.get(at..).unwrap_or_default();
        match rest.first_chunk() {
            Some(group) => Self::of(simd, group),
            None => Self::of(simd, &filled_up(rest)),
        }
    }

    #[inline(always)]
    fn every(self, byte: u8) -> i8x64<S> {
        i8x64::splat(self.0, byte.cast_signed())
    }

    /// The bytes that are one certain byte.
    #[inline(always)]
    pub(super) fn is(self, byte: u8) -> mask8x64<S> {
        self.1.simd_eq(self.every(byte))
    }

    /// The bytes that are one of some, a bit for each.
    #[inline(always)]
    pub(super) fn any(self, bytes: &[u8]) -> u64 {
        bytes.iter().fold(0, |any, byte| any | self.is(*byte).to_bitmask())
    }

    /// The bytes from a first one on, so many of them.
    #[inline(always)]
    pub(super) fn lies(self, first: u8, len: u8) -> mask8x64<S> {
        // The first one becomes the least number that there is.
        (self.1 - self.every(first ^ 0x80)).simd_lt(self.every(len ^ 0x80))
    }

    /// The bytes that are equal to those of other ones, or next to them.
    #[inline(always)]
    pub(super) fn steps_to(self, other: Self) -> mask8x64<S> {
        Self(self.0, self.1 - other.1).lies(u8::MAX, 3)
    }

    /// The same with capitals as small letters, and some signs as others.
    #[inline(always)]
    pub(super) fn small(self) -> Self {
        Self(self.0, self.1 | self.every(0x20))
    }

    /// The same with capitals as small letters, and all else as it is.
    #[inline(always)]
    pub(super) fn lowered(self) -> Self {
        Self(self.0, self.lies(b'A', 26).select(self.small().1, self.1))
    }
}

/// A class of bytes.
pub(super) trait Class {
    /// Which bytes of a group are of the class.
    fn of<S: Simd>(group: Lanes<S>) -> mask8x64<S>;
}

/// Marks the bytes of a class in groups that are told one by one.
#[inline(always)]
pub(super) fn mark_some<C: Class, S: Simd>(
    simd: S,
    bytes: &[u8],
    groups: &[usize],
    words: &mut [u64],
) {
    for (word, group) in words.iter_mut().zip(groups) {
        *word = C::of(Lanes::at(simd, bytes, group * GROUP)).to_bitmask();
    }
}
