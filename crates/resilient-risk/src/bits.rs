//! A bit for each byte of a text, and the questions that the bits answer.

use std::cell::Cell;
use std::ops::Range;
use std::thread::LocalKey;

use super::lanes::GROUP;

/// A bit for each byte of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Bits {
    pub(super) words: Vec<u64>,
}

impl Bits {
    /// The bits of one group.
    #[inline(always)]
    pub(super) fn word(&self, group: usize) -> u64 {
        self.words.get(group).copied().unwrap_or(0)
    }

    /// The bits of sixty-four bytes from a position on. Positions are not to be guessed: there is no branch
    /// for those that a group begins at.
    #[inline(always)]
    pub(super) fn from(&self, at: usize) -> u64 {
        let (group, bit) = (at / GROUP, at % GROUP);
        match self.words.get(group..group + 2) {
            Some([word, next]) => word >> bit | next << 1 << (GROUP - 1 - bit),
            _ => self.word(group) >> bit,
        }
    }

    /// The bits of sixty-four bytes before a position, the last of them highest.
    #[inline(always)]
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
        let mut at = range.start;
        let mut count = 0;
        while at < range.end {
            let len = (range.end - at).min(GROUP);
            let bits = self.from(at) & (u64::MAX >> (GROUP - len));
            // Most stretches that are asked about have none.
            count += if bits == 0 { 0 } else { bits.count_ones() as usize };
            at += len;
        }
        count
    }

    /// The same for ranges that are mostly no longer than a group.
    #[inline(always)]
    pub(super) fn count_short(&self, range: Range<usize>) -> usize {
        match range.len() {
            0 => 0,
            len @ 1..=GROUP => (self.from(range.start) << (GROUP - len)).count_ones() as usize,
            _ => self.count(range),
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
    #[inline(always)]
    pub(super) fn run(&self, at: usize) -> usize {
        let mut len = 0;
        loop {
            let ones = (!self.from(at + len)).trailing_zeros() as usize;
            len += ones;
            if ones < GROUP {
                return len;
            }
        }
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

/// Goes over rows of bits from one group to the next one.
#[derive(Debug, Default)]
pub(super) struct Past {
    /// Whether the last group ended in a sequence that is skipped.
    goes_on: bool,
}

impl Past {
    /// The first places from some on that are not in a sequence: a place that is in none stays where it is.
    /// There is no branch in it: to add a bit of a sequence to the sequence moves it behind the
    /// sequence.
    #[inline(always)]
    pub(super) fn next(&mut self, from: u64, rows: u64) -> u64 {
        let from = from | u64::from(self.goes_on);
        let (sum, goes_on) = rows.overflowing_add(from & rows);
        self.goes_on = goes_on;
        (sum | from) & !rows
    }
}

/// Moves bits to the next place, from one group to the next one.
#[derive(Debug, Default)]
pub(super) struct After {
    last: u64,
}

impl After {
    /// The places behind those of a word.
    #[inline(always)]
    pub(super) fn next(&mut self, word: u64) -> u64 {
        let after = word << 1 | self.last;
        self.last = word >> (GROUP - 1);
        after
    }
}

/// The places of the bits of a word that are set, lowest first.
#[inline(always)]
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

/// Room that a thread keeps for the next text: most texts are so small that to clear it would tell.
pub(super) type Kept<T> = LocalKey<Cell<Option<Box<T>>>>;

/// Lends the room that a thread keeps, or new one.
pub(super) fn lend<T, R>(
    kept: &'static Kept<T>,
    new: fn() -> T,
    to: impl FnOnce(&mut T) -> R,
) -> R {
    let mut room = kept.take().unwrap_or_else(|| Box::new(new()));
    let result = to(&mut room);
    kept.set(Some(room));
    result
}

/// Room for some words and the places of their bits.
pub(super) struct Places {
    words: [u64; Self::WORDS],
    /// A few more are written than there may be bits.
    places: [u16; Self::WORDS * GROUP + Self::SPARE],
}

impl Places {
    /// So many words are looked at together.
    pub(super) const WORDS: usize = 64;
    const SPARE: usize = 4;

    pub(super) const fn new() -> Self {
        Self { words: [0; Self::WORDS], places: [0; Self::WORDS * GROUP + Self::SPARE] }
    }

    /// The places of the bits of some words, in order. There is no branch for how many each word has, which
    /// is not to be guessed, unless they are more than some number, as they should rarely be.
    #[inline(always)]
    pub(super) fn of<const MOST: usize>(
        &mut self,
        words: impl Iterator<Item = u64>,
    ) -> impl Iterator<Item = usize> {
        // Nothing else is done in this loop, which may then take several words at once.
        let (mut count, mut some) = (0, 0_u64);
        for (to, word) in self.words.iter_mut().zip(words) {
            *to = word;
            some |= u64::from(word != 0) << count;
            count += 1;
        }
        let len = Self::list::<MOST>(&mut self.places, &self.words, some);
        let places = self.places.get(..len).unwrap_or_default();
        places.iter().map(|place| usize::from(*place))
    }

    /// The same for the places of which something holds, of words of which it is known which have a bit. There is no
    /// branch for each of the places, either.
    #[inline(always)]
    pub(super) fn of_those<const MOST: usize>(
        &mut self,
        words: &[u64],
        some: u64,
        holds: impl Fn(usize) -> bool,
    ) -> impl Iterator<Item = usize> {
        let len = Self::list::<MOST>(&mut self.places, words, some);
        let places = Cell::from_mut(self.places.get_mut(..len).unwrap_or_default());
        let places = places.as_slice_of_cells();
        let kept = places.iter().fold(0, |kept, place| {
            let place = place.get();
            if let Some(to) = places.get(kept) {
                to.set(place);
            }
            kept + usize::from(holds(usize::from(place)))
        });
        let places = places.get(..kept).unwrap_or_default();
        places.iter().map(|place| usize::from(place.get()))
    }

    /// Lists the places of the bits of some words, and tells how many they are. Most words have no bit.
    #[inline(always)]
    fn list<const MOST: usize>(places: &mut [u16], words: &[u64], some: u64) -> usize {
        let mut len = 0;
        for (nth, word) in ones(some).filter_map(|nth| Some((nth, words.get(nth)?))) {
            let base = (nth * GROUP) as u16;
            let (mut left, mut end) = (*word, len);
            while let Some(to) = places.get_mut(end..end + MOST) {
                for to in to {
                    *to = base + left.trailing_zeros() as u16;
                    left &= left.wrapping_sub(1);
                }
                end += MOST;
                if left == 0 {
                    break;
                }
            }
            // What was written for a bit that is not there will be overwritten.
            len += word.count_ones() as usize;
        }
        len
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_gone_over_to_its_end() {
        let mut past = Past::default();
        // From within a row, from its start, and from a place that is in none.
        assert_eq!(past.next(0b0100_0000_0100, 0b0000_0000_1110), 0b0100_0001_0000);
        assert_eq!(past.next(0b0010_0000_0010, 0b1110_0000_1110), 1 << 12 | 1 << 4);
    }

    #[test]
    fn rows_and_places_go_on_in_the_next_group() {
        let mut past = Past::default();
        assert_eq!(past.next(1 << 62, 0b11 << 62), 0);
        assert_eq!(past.next(0, 0b111), 0b1000);
        assert_eq!(past.next(0, 0b111), 0);
        let mut after = After::default();
        assert_eq!(after.next(1 << 63 | 1), 0b10);
        assert_eq!(after.next(0), 1);
        assert_eq!(after.next(0), 0);
    }

    #[test]
    fn places_are_those_of_the_bits() {
        let mut places = Places::new();
        let words = [0, 0b1011, u64::MAX, 0, 1 << 63];
        let expected: Vec<usize> = [64, 65, 67].into_iter().chain(128..192).chain([319]).collect();
        assert_eq!(places.of::<2>(words.into_iter()).collect::<Vec<_>>(), expected);
        assert_eq!(places.of::<4>(words.into_iter()).collect::<Vec<_>>(), expected);
        let even = places.of_those::<2>(&words, 0b10110, |place| place.is_multiple_of(2));
        assert_eq!(
            even.collect::<Vec<_>>(),
            [64].into_iter().chain((128..192).step_by(2)).collect::<Vec<_>>()
        );
        let all = places.of::<4>([u64::MAX; Places::WORDS].into_iter());
        assert_eq!(all.collect::<Vec<_>>(), (0..Places::WORDS * GROUP).collect::<Vec<_>>());
    }
}
