//! A bit for each byte of a text, and the questions that the bits answer.

use std::ops::Range;

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

/// Which bytes of a group are of a class.
pub(super) fn bits_of(group: &[u8; GROUP], is: impl Fn(u8) -> bool) -> u64 {
    let mut all = [0; GROUP];
    all.iter_mut().zip(group).for_each(|(to, byte)| *to = u8::from(is(*byte)));
    packed(&all)
}

/// Eight bytes of bits from sixty-four bytes, each of them zero or one.
pub(super) fn packed(bytes: &[u8; GROUP]) -> u64 {
    let (eights, _) = bytes.as_chunks();
    // Each factor moves one of the eight to its place in the highest byte.
    eights.iter().rev().fold(0, |bits, eight| {
        bits << 8 | u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56
    })
}

/// The same of the group of a text from a position on, with zeros for the bytes that are not there.
pub(super) fn bits_at(text: &[u8], at: usize, is: impl Fn(u8) -> bool) -> u64 {
    let rest = text.get(at..).unwrap_or_default();
    match rest.first_chunk() {
        Some(group) => bits_of(group, is),
        None => bits_of(&padded(rest), is),
    }
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
        range.clone().step_by(GROUP).map(|at| ones(bits(at))).sum()
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
            let is = |byte: u8| byte.is_multiple_of(3) && byte > 0;
            let bits = bits_at(&text, at, is);
            for nth in 0..GROUP {
                assert_eq!(bits >> nth & 1 == 1, rest.get(nth).is_some_and(|byte| is(*byte)));
            }
        }
        assert_eq!(ones(0b1011 | 1 << 63).collect::<Vec<_>>(), [0, 1, 3, 63]);
    }
}
