//! A bit for each byte of a text, and the questions that the bits answer.
//!
//! The bits come from vectors, as wide as those of the machine. No other file of the crate has a vector.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, u8x64};

/// So many bytes make a group.
pub(super) const GROUP: usize = 64;

/// The first bytes of a text, with zeros for those that are not there.
pub(super) fn padded<const LEN: usize>(text: &[u8]) -> [u8; LEN] {
    text.first_chunk().copied().unwrap_or_else(|| {
        let mut first = [0; LEN];
        first.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
        first
    })
}

/// For each of the lowest bits of a byte's kind, which bytes of a group have it. Closures would hide the vectors from the
/// compiler.
#[inline(always)]
fn bits_of<S: Simd, const COUNT: usize>(
    simd: S,
    group: &[u8; GROUP],
    kind: impl Fn(u8) -> u8,
) -> [u64; COUNT] {
    let (mut kinds, mut all) = ([0; GROUP], [0; COUNT]);
    for (to, byte) in kinds.iter_mut().zip(group) {
        *to = kind(*byte);
    }
    let kinds = u8x64::load_array(simd, kinds);
    for (nth, bits) in all.iter_mut().enumerate() {
        let bit = u8x64::splat(simd, 1 << nth);
        *bits = (kinds & bit).simd_eq(bit).to_bitmask();
    }
    all
}

/// The same of the group of a text from a position on, with zeros for the bytes that are not there.
pub(super) fn bits_at<const COUNT: usize>(
    text: &[u8],
    at: usize,
    kind: impl Fn(u8) -> u8,
) -> [u64; COUNT] {
    let group = padded(text.get(at..).unwrap_or_default());
    dispatch!(Level::new(), simd => simd.vectorize(#[inline(always)] || bits_of(simd, &group, &kind)))
}

/// The same of a whole text.
pub(super) fn bits<const COUNT: usize>(text: &[u8], kind: impl Fn(u8) -> u8) -> [Bits; COUNT] {
    /// So much is looked at before it is counted: whole groups.
    const PART: usize = 256 * GROUP;
    let mut all = std::array::from_fn(|_| Bits { words: vec![0; text.len().div_ceil(GROUP)] });
    let mut words = all.each_mut().map(|bits: &mut Bits| bits.words.iter_mut());
    for part in text.chunks(PART) {
        super::work::spend(part.len());
        dispatch!(Level::new(), simd => bits_in(simd, part, &kind, &mut words));
    }
    all
}

/// Writes the bits of a part of a text.
fn bits_in<S: Simd, const COUNT: usize>(
    simd: S,
    text: &[u8],
    kind: impl Fn(u8) -> u8,
    words: &mut [std::slice::IterMut<'_, u64>; COUNT],
) {
    let (full, rest) = text.as_chunks();
    let last = (!rest.is_empty()).then(|| padded(rest));
    simd.vectorize(
        #[inline(always)]
        || {
            for group in full.iter().chain(&last) {
                let found: [u64; COUNT] = bits_of(simd, group, &kind);
                for (words, bits) in words.iter_mut().zip(found) {
                    words.next().into_iter().for_each(|word| *word = bits);
                }
            }
        },
    );
}

/// So many pairs of neighbours make a row.
pub(super) const PAIRS: usize = 3;

/// So many pairs are looked up before any of them is compared, which is faster than one group at a time.
pub(super) const BLOCK: usize = 16 * GROUP;

/// Where three pairs of neighbours begin in a text of which a table gives the first one the lowest bit, the second one the
/// next bit, and the third one the bit after it.
pub(super) fn rows_of_pairs(text: &[u8], table: &[u8; 1 << 16]) -> Bits {
    let mut words = vec![0; text.len().div_ceil(GROUP)];
    for (words, at) in words.chunks_mut(BLOCK / GROUP).zip((0..).step_by(BLOCK)) {
        let rest = text.get(at..).unwrap_or_default();
        super::work::spend(rest.len().min(BLOCK));
        let kinds = match rest.first_chunk() {
            Some(block) => looked_up(block, table),
            None => looked_up(&padded(rest), table),
        };
        dispatch!(Level::new(), simd => compared(simd, &kinds, words));
    }
    Bits { words }
}

/// What a table says of each pair. Vectors are no good at it.
#[inline(never)]
fn looked_up(block: &[u8; BLOCK + PAIRS], table: &[u8; 1 << 16]) -> [u8; BLOCK + PAIRS - 1] {
    let mut kinds = [0; BLOCK + PAIRS - 1];
    for (to, pair) in kinds.iter_mut().zip(block.array_windows()) {
        let pair = usize::from(u16::from_le_bytes(*pair));
        *to = table.get(pair).copied().unwrap_or_default();
    }
    kinds
}

fn compared<S: Simd>(simd: S, kinds: &[u8; BLOCK + PAIRS - 1], words: &mut [u64]) {
    simd.vectorize(
        #[inline(always)]
        || {
            for (word, at) in words.iter_mut().zip((0..).step_by(GROUP)) {
                let mut all = u8x64::splat(simd, 1);
                for nth in 0..PAIRS {
                    let kinds = kinds.get(at + nth..).and_then(<[u8]>::first_chunk);
                    all &= u8x64::load_array(simd, *kinds.unwrap_or(&[0; GROUP])) >> nth as u32;
                }
                *word = all.simd_eq(u8x64::splat(simd, 1)).to_bitmask();
            }
        },
    );
}

/// How many consecutive bytes of a class a text begins with. No class has the zero.
pub(super) fn run_of(text: &[u8], is: impl Fn(u8) -> bool) -> usize {
    let mut len = 0;
    loop {
        let [bits] = bits_at(text, len, |byte| u8::from(is(byte)));
        len += bits.trailing_ones() as usize;
        if bits != u64::MAX {
            return len;
        }
    }
}

/// The places of the bytes of a text that are of no class, in order. No class has the zero.
pub(super) fn others(text: &[u8], is: impl Fn(u8) -> bool) -> impl Iterator<Item = usize> {
    let groups = (0..text.len()).step_by(GROUP);
    let places = groups.flat_map(move |at| {
        let [bits] = bits_at(text, at, |byte| u8::from(is(byte)));
        ones(!bits).map(move |bit| at + bit)
    });
    places.take_while(|at| *at < text.len())
}

/// A bit for each byte of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Bits {
    pub(super) words: Vec<u64>,
}

impl Bits {
    /// The bits of one group.
    pub(super) fn word(&self, group: usize) -> u64 {
        self.words.get(group).copied().unwrap_or(0)
    }

    /// The positions whose bits are set, in order.
    pub(super) fn ones(&self) -> impl Iterator<Item = usize> {
        let words = self.words.iter().enumerate();
        words.flat_map(|(group, word)| ones(*word).map(move |bit| group * GROUP + bit))
    }

    /// The bits of sixty-four bytes from a position on.
    pub(super) fn from(&self, at: usize) -> u64 {
        let (group, bit) = (at / GROUP, at % GROUP);
        match self.words.get(group..group + 2) {
            Some([word, next]) => word >> bit | next << 1 << (GROUP - 1 - bit),
            _ => self.word(group) >> bit,
        }
    }

    /// The bits of sixty-four bytes before a position, the last of them highest.
    pub(super) fn before(&self, at: usize) -> u64 {
        match at.checked_sub(GROUP) {
            Some(from) => self.from(from),
            None => self.word(0).checked_shl((GROUP - at) as u32).unwrap_or(0),
        }
    }

    /// The last position before `end` whose bit is set, from `floor` on.
    pub(super) fn last(&self, floor: usize, end: usize) -> Option<usize> {
        let mut end = end;
        while end > floor {
            let (group, bit) = ((end - 1) / GROUP, (end - 1) % GROUP);
            let bits = self.word(group) & u64::MAX >> (GROUP - 1 - bit);
            if bits != 0 {
                let found = group * GROUP + GROUP - 1 - bits.leading_zeros() as usize;
                return (found >= floor).then_some(found);
            }
            end = group * GROUP;
            super::work::spend(1);
        }
        None
    }

    /// How many bits are set in a range.
    pub(super) fn count(&self, range: Range<usize>) -> usize {
        super::work::spend(range.len() / GROUP);
        let bits = |at: usize| self.from(at) & u64::MAX >> (GROUP - (range.end - at).min(GROUP));
        // Most stretches that are asked about have none.
        let ones = |bits: u64| if bits == 0 { 0 } else { bits.count_ones() as usize };
        match range.len() {
            1..=GROUP => ones(bits(range.start)),
            _ => range.clone().step_by(GROUP).map(|at| ones(bits(at))).sum(),
        }
    }

    /// The first position from `at` on whose bit is set, before `end`.
    pub(super) fn next(&self, at: usize, end: usize) -> Option<usize> {
        let mut at = at;
        while at < end {
            let bits = self.from(at);
            if bits != 0 {
                let found = at + bits.trailing_zeros() as usize;
                return (found < end).then_some(found);
            }
            at += GROUP;
            super::work::spend(1);
        }
        None
    }

    /// How many consecutive bits are set from a position on.
    pub(super) fn run(&self, at: usize) -> usize {
        self.run_to(at, usize::MAX)
    }

    /// How many consecutive bits are set from a position on, not from `end` on.
    pub(super) fn run_to(&self, at: usize, end: usize) -> usize {
        let mut from = at;
        while from < end {
            let ones = (!self.from(from)).trailing_zeros() as usize;
            from += ones;
            if ones < GROUP {
                break;
            }
        }
        from.min(end) - at.min(end)
    }

    /// How many consecutive bits are set before a position, not before `floor`.
    pub(super) fn run_back(&self, at: usize, floor: usize) -> usize {
        let mut start = at;
        while start > floor {
            let from = start.saturating_sub(GROUP).max(floor);
            let len = start - from;
            // The last bit before the start is the highest one.
            let bits = self.from(from) << (GROUP - len);
            let ones = ((!bits).leading_zeros() as usize).min(len);
            start -= ones;
            if ones < len {
                break;
            }
        }
        at - start
    }
}

/// The places of the bits of a word that are set, lowest first.
pub(super) fn ones(word: u64) -> impl Iterator<Item = usize> {
    let mut left = word;
    std::iter::from_fn(move || {
        let bit = left.trailing_zeros() as usize;
        (left != 0).then(|| {
            left &= left - 1;
            bit
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bit_tells_of_a_byte_whether_it_is_of_the_class() {
        let text: Vec<u8> = (0..=255_u8).chain(0..90).map(|byte| byte.wrapping_mul(37)).collect();
        for at in 0..text.len() + 2 {
            let rest = text.get(at..).unwrap_or_default();
            for (nth, bits) in bits_at::<8>(&text, at, |byte| byte).iter().enumerate() {
                for (place, byte) in rest.iter().chain(&[0; GROUP]).take(GROUP).enumerate() {
                    assert_eq!(bits >> place & 1, u64::from(byte >> nth & 1));
                }
            }
        }
        assert_eq!(ones(0b1011 | 1 << 63).collect::<Vec<_>>(), [0, 1, 3, 63]);
    }
}
