//! Which bytes of a text are token characters, letters and digits, digits, and line feeds, and where a search for
//! all literals may find something.
//!
//! One pass over the text answers these questions for every byte, as bits; the bits answer all later
//! questions about runs, words, lines and numbers, sixty-four bytes at a time. The pass is
//! arithmetic on vectors and a look into two small tables, which is the same on every machine; there is no
//! second path whose answer could differ. Other classes, such as quotes and the signs of escapes, are marked only where
//! the digits say that they matter.

use std::cell::Cell;
use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, i8x64, mask8x64, u8x16, u8x64};
use memchr::memchr_iter;

use super::bits::{After, Bits, lend, ones};
use super::lanes::{Class, GROUP, Lanes, mark_some, padded};
use super::search::{BLOCK, Room, Searcher};

/// The marks of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// Letters, digits and `_ - + / = .`
    pub(super) token: Bits,
    /// ASCII letters and digits.
    pub(super) alnum: Bits,
    pub(super) digit: Bits,
    /// Line feeds.
    pub(super) feed: Bits,
    /// Where one of the texts begins that are searched for, as far as its first bytes tell.
    pub(super) literal: Vec<usize>,
    /// How many digits each group has.
    pub(super) digits: Vec<u8>,
    /// The groups that are not of ASCII alone.
    pub(super) foreign: Vec<usize>,
    /// Where an `@` stands.
    pub(super) at: Vec<usize>,
    /// The length of the text.
    len: usize,
}

/// The lines of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lines {
    /// How many line feeds there are.
    pub(super) feeds: usize,
    /// The length of the longest line in characters.
    pub(super) longest: usize,
}

/// Tells whether a byte can be a part of a token: letters, digits and `_ - + / = .`
pub(super) const fn is_token(byte: u8) -> bool {
    let letter = (byte | 0x20).wrapping_sub(b'a') < 26;
    // From `-` to `9` lie `-`, `.`, `/` and the digits.
    let low = byte.wrapping_sub(b'-') < 13;
    letter | low | (byte == b'_') | (byte == b'=') | (byte == b'+')
}

impl Marks {
    /// Marks a text in which nothing is searched for.
    pub(super) fn of(bytes: &[u8]) -> Self {
        let mut marks = Self::default();
        dispatch!(Level::new(), simd => marks.mark(simd, bytes, None));
        marks
    }

    /// Marks a text in the place of the one before, with the vectors of some machine, and searches it.
    #[inline(never)]
    pub(super) fn mark<S: Simd>(&mut self, simd: S, bytes: &[u8], searcher: Option<&Searcher>) {
        thread_local! {
            static ROOM: Cell<Option<Box<Room>>> = const { Cell::new(None) };
        }
        lend(&ROOM, Room::new, |room| {
            simd.vectorize(
                #[inline(always)]
                || self.mark_in(simd, bytes, searcher, room),
            );
        });
    }

    /// The same in blocks, which are searched while they are near.
    #[inline(always)]
    fn mark_in<S: Simd>(
        &mut self,
        simd: S,
        bytes: &[u8],
        searcher: Option<&Searcher>,
        room: &mut Room,
    ) {
        let (full, rest) = bytes.as_chunks::<GROUP>();
        let last = [padded(rest)];
        let last = if rest.is_empty() { &[] } else { last.as_slice() };
        self.clear(bytes.len());
        let mut is_foreign = false;
        for from in (0..full.len() + last.len()).step_by(BLOCK) {
            // The search looks a little behind the block.
            let here = full.get(from..).unwrap_or_default();
            let here = here.get(..=BLOCK).unwrap_or(here);
            let behind = if here.len() > BLOCK { &[] } else { last };
            let len = here.len() + behind.len();
            if self.digits.len() < from + len {
                self.grow(from + len);
            }
            let mut has_at = false;
            for (at, groups) in [(0, here), (here.len(), behind)] {
                let (foreign, at) = self.fill(simd, from + at, groups, room.halves.from(at));
                is_foreign |= foreign;
                has_at |= at;
            }
            let start = from * GROUP;
            let near = bytes.get(start..).unwrap_or_default();
            // Few blocks have one.
            if has_at {
                let near = near.get(..BLOCK * GROUP).unwrap_or(near);
                self.at.extend(memchr_iter(b'@', near).map(|at| start + at));
            }
            room.halves.end(len);
            if let Some(searcher) = searcher {
                let places = searcher.places(simd, near, room, len.min(BLOCK));
                self.literal.extend(places.map(|place| start + place));
            }
        }
        // Most texts are of ASCII alone.
        if is_foreign {
            let groups = full.iter().chain(last).enumerate();
            self.foreign.extend(groups.filter(|(_, it)| !it.is_ascii()).map(|(nth, _)| nth));
        }
    }

    /// Forgets a text for one of a length, but not the memory that it took. What marks stand there will be
    /// written over.
    fn clear(&mut self, bytes: usize) {
        let Self { token, alnum, digit, feed, literal, digits, foreign, at, len } = self;
        let groups = bytes.div_ceil(GROUP);
        [token, alnum, digit, feed].into_iter().for_each(|bits| bits.words.truncate(groups));
        digits.truncate(groups);
        [literal, foreign, at].into_iter().for_each(Vec::clear);
        *len = bytes;
    }

    /// Makes room for the marks of so many groups, a block more at a time: it is near then.
    #[inline(never)]
    fn grow(&mut self, groups: usize) {
        let Self { token, alnum, digit, feed, digits, .. } = self;
        [token, alnum, digit, feed].into_iter().for_each(|bits| bits.words.resize(groups, 0));
        digits.resize(groups, 0);
    }

    /// Marks groups of the text from a number on, takes their bytes apart, and tells whether one of them is not of
    /// ASCII alone, and whether there is an `@`. Nothing else is done in the loop: were there a branch or a call in
    /// it, masks would be taken apart, and what bytes are compared with would be loaded again for each group.
    #[inline(always)]
    fn fill<'a, S: Simd>(
        &mut self,
        simd: S,
        from: usize,
        groups: &[[u8; GROUP]],
        halves: impl Iterator<Item = (&'a mut [u8; GROUP], &'a mut [u8; GROUP])>,
    ) -> (bool, bool) {
        let Self { token, alnum, digit, feed, digits, .. } = self;
        let [token, alnum, digit, feed] = [token, alnum, digit, feed]
            .map(|bits| bits.words.get_mut(from..).unwrap_or_default().iter_mut());
        let digits = digits.get_mut(from..).unwrap_or_default();
        let words = token.zip(alnum).zip(digit).zip(feed).zip(digits).zip(halves);
        let tables = Kinds::of(simd);
        let (mut foreign, mut seen) = (u8x64::splat(simd, 0), i8x64::splat(simd, 0));
        for (group, (((((token, alnum), digit), feed), count), halves)) in groups.iter().zip(words)
        {
            let group = u8x64::load_array_ref(simd, group);
            let (low, high) = (group & u8x64::splat(simd, 15), group >> 4);
            low.store_array(halves.0);
            (low ^ high).store_array(halves.1);
            let kinds = tables.tell(low, high);
            let above = |kind| kinds.simd_gt(i8x64::splat(simd, kind)).to_bitmask();
            let digits = above(LETTERS);
            (*token, *alnum, *digit) = (above(FEED), above(SIGNS), digits);
            *feed = kinds.simd_eq(i8x64::splat(simd, FEED)).to_bitmask();
            *count = digits.count_ones() as u8;
            foreign |= group;
            seen |= kinds;
        }
        (foreign.simd_ge(0x80).any_true(), seen.simd_lt(i8x64::splat(simd, 0)).any_true())
    }

    /// The length of the longest list that there is memory for.
    pub(super) fn capacity(&self) -> usize {
        let Self { literal, foreign, at, digits, .. } = self;
        [literal, foreign, at].into_iter().map(Vec::capacity).fold(digits.capacity(), usize::max)
    }

    /// The bytes of a class, in order, in the groups that are not of ASCII alone.
    pub(super) fn foreign<C: Class>(&self, bytes: &[u8]) -> Vec<usize> {
        let mut all = Vec::new();
        for (group, word) in self.foreign.iter().zip(self.of_foreign::<C>(bytes)) {
            all.extend(ones(word).map(|bit| group * GROUP + bit));
        }
        all
    }

    /// Marks the bytes of a class in the groups that are not of ASCII alone, a word for each of them.
    fn of_foreign<C: Class>(&self, bytes: &[u8]) -> Vec<u64> {
        if self.foreign.is_empty() {
            return Vec::new();
        }
        let mut words = vec![0; self.foreign.len()];
        dispatch!(Level::new(), simd => mark_some::<C, _>(simd, bytes, &self.foreign, &mut words));
        words
    }

    /// The lines of the text.
    #[inline(never)]
    pub(super) fn lines<S: Simd>(&self, simd: S, bytes: &[u8]) -> Lines {
        if !self.foreign.is_empty() {
            return self.foreign_lines(simd, bytes);
        }
        let groups = self.feed.words.iter().map(|feeds| (*feeds, u64::MAX));
        simd.vectorize(
            #[inline(always)]
            || self.lines_in(groups),
        )
    }

    /// The same where the text is not of ASCII alone.
    #[cold]
    #[inline(never)]
    fn foreign_lines<S: Simd>(&self, simd: S, bytes: &[u8]) -> Lines {
        let begins = self.of_foreign::<Begins>(bytes);
        let groups = self.feeds_and_begins(&begins);
        simd.vectorize(
            #[inline(always)]
            || self.lines_in(groups),
        )
    }

    /// The same by the line feeds of each group, and the bytes that characters begin with.
    #[inline(always)]
    fn lines_in(&self, groups: impl Iterator<Item = (u64, u64)> + Clone) -> Lines {
        // The last line's characters so far are those of the open one.
        let (mut count, mut longest, mut open) = (0, 0, 0);
        for (feeds, begins) in groups.clone() {
            count += feeds.count_ones() as usize;
            // Where no line ends, one is so long at least as it is before the group.
            let before = feeds.trailing_zeros() % GROUP as u32;
            let behind = feeds.leading_zeros();
            let (before, behind) = if begins == u64::MAX {
                (before, behind)
            } else {
                let behind = begins.unbounded_shr(GROUP as u32 - behind);
                ((begins & ((1 << before) - 1)).count_ones(), behind.count_ones())
            };
            longest = longest.max(open + before as usize);
            open = behind as usize + if feeds == 0 { open } else { 0 };
        }
        // Behind the text stand zeros up to the end of its last group.
        longest = longest.max(open - (self.feed.words.len() * GROUP - self.len));
        // Lines that lie in one group matter only if all are short.
        if longest + 2 < GROUP {
            for (feeds, begins) in groups {
                let mut last = feeds & feeds.wrapping_neg();
                let mut left = feeds ^ last;
                while left != 0 {
                    let next = left & left.wrapping_neg();
                    let line = begins & (next - 1) & !(last - 1);
                    longest = longest.max(line.count_ones() as usize - 1);
                    left ^= next;
                    last = next;
                }
            }
        }
        Lines { feeds: count, longest }
    }

    /// The line feeds of each group, and the bytes that characters begin with, by those of the groups that
    /// are not of ASCII alone.
    #[inline(always)]
    fn feeds_and_begins(&self, begins: &[u64]) -> impl Iterator<Item = (u64, u64)> + Clone {
        let mut others = self.foreign.iter().copied().zip(begins.iter().copied());
        let mut next = others.next();
        self.feed.words.iter().enumerate().map(move |(group, feeds)| match next {
            Some((foreign, begins)) if foreign == group => {
                next = others.next();
                (*feeds, begins)
            }
            _ => (*feeds, u64::MAX),
        })
    }

    /// Lists the stretches of the text where digits are dense, in order, not touching: a number of four
    /// digits or more, in one piece or in groups, lies in one of them.
    #[inline(never)]
    pub(super) fn dense<S: Simd>(&self, simd: S, all: &mut Vec<Range<usize>>) {
        all.clear();
        simd.vectorize(
            #[inline(always)]
            || self.dense_in(simd, all),
        );
    }

    #[inline(always)]
    fn dense_in<S: Simd>(&self, simd: S, all: &mut Vec<Range<usize>>) {
        /// So many bytes are looked at together with the next so many.
        const WINDOW: usize = GROUP / 2;
        /// So many groups have sixty-four windows.
        const GROUPS: usize = GROUP / 2;
        const DIGITS_MIN: u8 = 4;
        let mut last = 0;
        let [mut some_after, mut dense_after, mut parts_after] = [(); 3].map(|()| After::default());
        // Where a stretch that goes on begins.
        let mut open = None;
        // Whether a window belongs to a stretch shows in the next one, of which there is one behind the last, too.
        for from in (0..=self.digit.words.len()).step_by(GROUPS) {
            let words = self.digit.words.get(from..).unwrap_or_default().iter();
            let digits = self.digits.get(from..).unwrap_or_default();
            // How many digits each window has, behind the last one before them.
            let mut counts = [0; 1 + GROUP];
            let [first, here @ ..] = &mut counts;
            *first = last;
            let windows = here.as_chunks_mut().0;
            for (windows, (word, digits)) in windows.iter_mut().zip(words.zip(digits)) {
                let low = (*word as u32).count_ones() as u8;
                *windows = [low, digits.wrapping_sub(low)];
            }
            let here = u8x64::load_array_ref(simd, here);
            let [before @ .., end] = &counts;
            let before = u8x64::load_array_ref(simd, before);
            last = *end;
            let some = here.simd_ge(1).to_bitmask();
            let dense = (before + here).simd_ge(DIGITS_MIN).to_bitmask() & some;
            // A window counts with the one before it, if that has a digit.
            let parts = dense_after.next(dense) | some_after.next(some) & dense;
            for edge in ones(parts ^ parts_after.next(parts)) {
                let edge = from * GROUP + (edge * WINDOW) - WINDOW;
                match open.take() {
                    None => open = Some(edge),
                    Some(start) => all.push(start..edge.min(self.len)),
                }
            }
        }
    }
}

/// The bytes that characters begin with.
struct Begins;

impl Class for Begins {
    #[inline(always)]
    fn of<S: Simd>(group: Lanes<S>) -> mask8x64<S> {
        // From the first byte of two on, and ASCII: all but 0x80 to 0xBF.
        group.lies(0xC0, 0xC0)
    }
}

/// The kinds of bytes, a bit for each from the lowest on. Of each kind are all bytes that have an upper half
/// and a lower half of its bytes, so that two tables for the halves tell the kind of a byte. The kinds are ordered:
/// digits, all letters and digits, and all token characters are what is above some kind. A byte of the last
/// kind is a number below zero.
const KINDS: [&[u8]; 8] = [
    b"\n",
    b"_",
    b"=",
    b"+-./",
    b"ABCDEFGHIJKLMNOabcdefghijklmno",
    b"PQRSTUVWXYZpqrstuvwxyz",
    b"0123456789",
    b"@",
];
const FEED: i8 = 1;
/// The last kinds of signs in tokens and of letters.
const SIGNS: i8 = 1 << 3;
const LETTERS: i8 = 1 << 5;

/// The kinds of the bytes with each lower half, and with each upper half.
#[expect(clippy::indexing_slicing, reason = "an index out of bounds would not compile")]
static HALVES: [[u8; 16]; 2] = {
    let (mut low, mut high) = ([0; 16], [0; 16]);
    let mut kind = 0;
    while kind < KINDS.len() {
        let mut rest = KINDS[kind];
        while let [byte, after @ ..] = rest {
            low[*byte as usize % 16] |= 1 << kind;
            high[*byte as usize / 16] |= 1 << kind;
            rest = after;
        }
        kind += 1;
    }
    [low, high]
};

/// The tables of the kinds, ready for the vectors of some machine.
#[derive(Clone, Copy)]
struct Kinds<S: Simd> {
    low: u8x64<S>,
    high: u8x64<S>,
}

impl<S: Simd> Kinds<S> {
    #[inline(always)]
    fn of(simd: S) -> Self {
        let table = |table| u8x64::block_splat(u8x16::load_array_ref(simd, table));
        let [low, high] = HALVES.each_ref().map(table);
        Self { low, high }
    }

    /// The kind of each byte of a group, by their halves.
    #[inline(always)]
    fn tell(self, low: u8x64<S>, high: u8x64<S>) -> i8x64<S> {
        let low = self.low.swizzle_dyn_within_blocks(low);
        (low & self.high.swizzle_dyn_within_blocks(high)).bitcast()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts() -> impl Iterator<Item = Vec<u8>> {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        (0..200).map(move |round| {
            let draw = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                if round % 3 == 0 {
                    (state >> 32) as u8
                } else {
                    b"a0_Z= \\9"[(state >> 40) as usize % 8]
                }
            };
            std::iter::repeat_with(draw).take(round * 23).collect()
        })
    }

    #[test]
    fn the_class_is_what_its_name_says() {
        let class: String = (0..=255_u8).filter(|b| is_token(*b)).map(char::from).collect();
        assert_eq!(class, "+-./0123456789=ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz");
    }

    #[test]
    fn marks_are_what_a_look_at_every_byte_says() {
        for text in texts() {
            let marks = Marks::of(&text);
            for (at, byte) in text.iter().enumerate() {
                let bit = |bits: &Bits| bits.from(at) & 1 == 1;
                assert_eq!(bit(&marks.token), is_token(*byte));
                assert_eq!(bit(&marks.digit), byte.is_ascii_digit());
                assert_eq!(bit(&marks.alnum), byte.is_ascii_alphanumeric());
                assert_eq!(bit(&marks.feed), *byte == b'\n');
            }
            assert_eq!(marks.at, memchr_iter(b'@', &text).collect::<Vec<_>>());
        }
    }

    struct Spaces;

    impl Class for Spaces {
        #[inline(always)]
        fn of<S: Simd>(group: Lanes<S>) -> mask8x64<S> {
            group.is(b' ')
        }
    }

    #[test]
    fn a_class_is_marked_in_groups_that_are_told() {
        for text in texts() {
            let groups: Vec<usize> = (0..text.len().div_ceil(GROUP)).step_by(3).collect();
            let mut words = vec![0; groups.len()];
            dispatch!(Level::new(), simd => mark_some::<Spaces, _>(simd, &text, &groups, &mut words));
            for (word, group) in words.into_iter().zip(text.chunks(GROUP).step_by(3)) {
                let bits = group.iter().rev().fold(0, |w, b| w << 1 | u64::from(*b == b' '));
                assert_eq!(word, bits);
            }
        }
    }

    fn dense(text: &[u8]) -> Vec<Range<usize>> {
        let (marks, mut all) = (Marks::of(text), Vec::new());
        dispatch!(Level::new(), simd => marks.dense(simd, &mut all));
        all
    }

    #[test]
    fn dense_digits_are_joined_over_windows() {
        let text = [" ".repeat(30), "12345678".to_owned(), " ".repeat(100)].concat();
        assert_eq!(dense(text.as_bytes()), vec![0..64]);
        assert_eq!(dense(b"a1 b2 c3"), Vec::<Range<usize>>::new());
        assert_eq!(dense(b"a1 b2 c34"), vec![0..9]);
    }

    #[test]
    fn dense_digits_are_what_a_look_at_every_half_group_says() {
        for text in texts() {
            let counts: Vec<usize> = text
                .chunks(GROUP / 2)
                .map(|half| half.iter().filter(|byte| byte.is_ascii_digit()).count())
                .collect();
            let mut is_dense = vec![false; text.len()];
            for (nth, count) in counts.iter().enumerate() {
                let before = if nth == 0 { 0 } else { counts[nth - 1] };
                if *count > 0 && before + count >= 4 {
                    let first = if before == 0 { nth } else { nth - 1 };
                    let end = ((nth + 1) * GROUP / 2).min(text.len());
                    is_dense[first * GROUP / 2..end].fill(true);
                }
            }
            let mut told = vec![false; text.len()];
            dense(&text).into_iter().for_each(|part| told[part].fill(true));
            assert_eq!(told, is_dense);
        }
    }

    #[test]
    fn bits_are_counted_and_followed_over_groups() {
        for text in texts() {
            let digits = Marks::of(&text).digit;
            let end = text.len();
            for at in (0..end).step_by(7) {
                let (before, after) = text.split_at(at);
                let is = |byte: &&u8| byte.is_ascii_digit();
                let run = after.iter().take_while(is).count();
                assert_eq!(digits.run(at), run);
                assert_eq!(digits.run_to(at, end), run);
                assert_eq!(digits.run_to(at, at + run.min(2)), run.min(2));
                let back = before.iter().rev().take_while(is).count();
                assert_eq!(digits.run_back(at, 0), back);
                assert_eq!(digits.run_back(at, at - back.min(2)), back.min(2));
                assert_eq!(digits.next(at, end), after.iter().position(|b| is(&b)).map(|n| at + n));
                assert_eq!(digits.count(at..end), after.iter().filter(is).count());
                let near = after.get(..70).unwrap_or(after);
                assert_eq!(digits.count(at..at + near.len()), near.iter().filter(is).count());
                let ones: Vec<_> = near.iter().enumerate().filter(|(_, b)| is(b)).collect();
                let ones: Vec<_> = ones.iter().map(|(nth, _)| at + nth).collect();
                assert_eq!(digits.last(at, at + near.len()), ones.last().copied());
            }
        }
    }
}
