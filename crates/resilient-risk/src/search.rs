//! One search for up to sixty-four short texts at once.
//!
//! Most places of a text begin like none of them, and sixty-four places are told so at a time: for each
//! of the first four bytes, two small tables say by its lower half and by the sum of both halves, without
//! carries, which texts could have it there, eight groups of texts in the eight bits of a byte. That is
//! Hyperscan's *Teddy* (Langdale and Wang, "Hyperscan: A Fast Multi-pattern Regex Matcher for Modern CPUs",
//! NSDI 2019, section 4.2), of which the vectors here are as wide as the machine has them. It asks for the upper half
//! instead, which says little: nearly all letters of code share two of them. The halves are taken
//! apart once for all four bytes, and the places are listed before they are visited. What is left is
//! looked at byte by byte, so that every machine gives the same answer.

use std::cell::Cell;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, u8x16, u8x32, u8x64};

use super::bits::{Places, lend, ones};
use super::lanes::{GROUP, padded, padded_at};

/// So many bytes at the start of the texts are looked at for many places at once.
const HEAD: usize = 4;

/// A text that is looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needle {
    pub(super) text: &'static [u8],
    /// Whether capitals count as small letters; the text is written in small ones.
    pub(super) any_case: bool,
    /// What the byte behind the text must be.
    pub(super) then: Option<fn(u8) -> bool>,
}

/// A place where a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Match {
    /// The number of the text.
    pub(super) nth: usize,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A list of texts, ready to be looked for.
#[derive(Debug)]
pub(super) struct Searcher {
    needles: Vec<(Needle, Short)>,
    /// The length of the shortest text.
    least: usize,
    heads: Box<[Head; HEAD]>,
}

/// How a text begins, as one number, and how it is compared with the number that stands at a place.
#[derive(Clone, Copy, Debug)]
struct Short {
    text: u64,
    /// What makes capitals small letters.
    small: u64,
    /// The bytes that are compared.
    mask: u64,
}

/// What the texts have at one of their first places.
#[derive(Clone, Debug)]
struct Head {
    /// The groups of texts that may have a byte here, by the lower half of the byte and by the mixed halves.
    low: [u8; 16],
    mixed: [u8; 16],
    /// The texts that have a byte here, by the byte.
    texts: [u64; 256],
}

impl Searcher {
    /// Takes the texts by number. They are sixty-four at most, and none is empty.
    pub(super) fn new(needles: impl IntoIterator<Item = Needle>) -> Self {
        let needles: Vec<Needle> = needles.into_iter().take(64).collect();
        let mut heads = Box::new([(); HEAD].map(|()| Head::empty()));
        for (nth, group) in grouped(&needles).into_iter().enumerate() {
            let Some(needle) = needles.get(nth) else { continue };
            for (at, head) in heads.iter_mut().enumerate() {
                for byte in needle.bytes(at) {
                    head.add(byte, nth, group);
                }
            }
        }
        let least = needles.iter().map(|needle| needle.text.len()).min().unwrap_or(usize::MAX);
        let needles = needles.into_iter().map(|needle| (needle, Short::of(&needle))).collect();
        Self { needles, least, heads }
    }

    /// Tells each place where a text stands, in order, and at one place by the numbers of the texts.
    pub(super) fn find(&self, text: &[u8], mut each: impl FnMut(Match)) {
        thread_local! {
            static ROOM: Cell<Option<Box<Room>>> = const { Cell::new(None) };
        }
        lend(&ROOM, Room::new, |room| {
            dispatch!(Level::new(), simd => self.find_in(simd, text, room, &mut each));
        });
    }

    /// The same where it is known at which [places](Self::places) a text may stand.
    pub(super) fn find_among(&self, text: &[u8], places: &[usize], mut each: impl FnMut(Match)) {
        for place in places {
            self.at(text, *place, &mut each);
        }
    }

    /// Tells whether any of the texts stands in a text.
    pub(super) fn is_in(&self, text: &[u8]) -> bool {
        let mut found = false;
        if text.len() >= self.least {
            self.find(text, |_| found = true);
        }
        found
    }

    #[inline(always)]
    fn find_in<S: Simd>(
        &self,
        simd: S,
        text: &[u8],
        room: &mut Room,
        each: &mut impl FnMut(Match),
    ) {
        for start in (0..text.len()).step_by(BLOCK * GROUP) {
            let rest = text.get(start..).unwrap_or_default();
            room.halves.fill(simd, rest);
            let len = rest.len().div_ceil(GROUP).min(BLOCK);
            for place in self.places(simd, rest, room, len) {
                self.at(text, start + place, each);
            }
        }
    }

    /// The places in so many groups of a text, whose halves are in the room, at which one of the texts stands, as far
    /// as its first bytes tell.
    #[inline(always)]
    pub(super) fn places<S: Simd>(
        &self,
        simd: S,
        text: &[u8],
        room: &mut Room,
        len: usize,
    ) -> impl Iterator<Item = usize> {
        let Room { halves, words, places } = room;
        let words = words.get_mut(..len).unwrap_or_default();
        let some = self.candidates(simd, halves, words);
        let begins = |place: usize| self.begin(padded_at(text, place)) != 0;
        places.of_those::<4>(words, some, begins)
    }

    /// The places of the groups of a block at which one of the texts may begin, and which groups have any.
    #[inline(always)]
    fn candidates<S: Simd>(&self, simd: S, halves: &BlockHalves, words: &mut [u64]) -> u64 {
        let [first, second, third, fourth] = &*self.heads;
        // To map the array would take a call.
        let tables = [
            Tables::of(simd, first),
            Tables::of(simd, second),
            Tables::of(simd, third),
            Tables::of(simd, fourth),
        ];
        let pairs = halves.low.windows(2).zip(halves.mixed.windows(2));
        let mut some = 0;
        for ((nth, word), (low, mixed)) in words.iter_mut().enumerate().zip(pairs) {
            let (low, mixed) = (low.as_flattened(), mixed.as_flattened());
            *word = candidates(simd, &tables, low, mixed, 0)
                | candidates(simd, &tables, low, mixed, PART) << PART;
            some |= u64::from(*word != 0) << nth;
        }
        some
    }

    /// The texts that may begin with some bytes.
    #[inline(always)]
    fn begin(&self, first: [u8; HEAD]) -> u64 {
        let texts = self.heads.iter().zip(first);
        texts.fold(u64::MAX, |left, (head, byte)| {
            left & head.texts.get(usize::from(byte)).copied().unwrap_or(0)
        })
    }

    /// Tells the texts that stand at a place.
    #[inline(always)]
    fn at(&self, text: &[u8], start: usize, each: &mut impl FnMut(Match)) {
        let rest = text.get(start..).unwrap_or_default();
        let first = u64::from_le_bytes(padded(rest));
        for nth in ones(self.begin(padded(rest))) {
            if let Some((needle, short)) = self.needles.get(nth)
                && short.begins(first)
                && needle.goes_on(rest)
            {
                each(Match { nth, start, end: start + needle.text.len() });
            }
        }
    }
}

impl Needle {
    /// A text as it is written.
    pub(super) const fn exact(text: &'static [u8]) -> Self {
        Self { text, any_case: false, then: None }
    }

    /// The bytes that may stand at one of its places; behind it, any.
    fn bytes(self, at: usize) -> impl Iterator<Item = u8> {
        let wanted = self.text.get(at).copied();
        let then = self.then.filter(|_| at == self.text.len());
        let fits = move |byte: u8| match wanted {
            Some(wanted) => byte == wanted || self.any_case && byte.to_ascii_lowercase() == wanted,
            None => then.is_none_or(|then| then(byte)),
        };
        (0..=255).filter(move |byte| fits(*byte))
    }

    /// Tells whether a text begins with it, of which the [`Short`] is known.
    #[inline(always)]
    fn goes_on(self, text: &[u8]) -> bool {
        if self.text.len() <= size_of::<u64>() && self.then.is_none() {
            return true;
        }
        let Some((head, rest)) = text.split_at_checked(self.text.len()) else { return false };
        let is_it =
            if self.any_case { head.eq_ignore_ascii_case(self.text) } else { head == self.text };
        is_it && self.then.is_none_or(|then| rest.first().is_some_and(|byte| then(*byte)))
    }
}

impl Short {
    fn of(needle: &Needle) -> Self {
        let bytes = |of: fn(u8) -> u8| {
            let mut all = [0; size_of::<u64>()];
            all.iter_mut().zip(needle.text).for_each(|(to, byte)| *to = of(*byte));
            u64::from_le_bytes(all)
        };
        let small = |byte: u8| if byte.is_ascii_alphabetic() { 0x20 } else { 0 };
        let small = if needle.any_case { bytes(small) } else { 0 };
        Self { text: bytes(|byte| byte), small, mask: bytes(|_| 0xFF) }
    }

    /// Tells whether a text with these first bytes begins with it.
    #[inline(always)]
    const fn begins(self, first: u64) -> bool {
        (first | self.small) & self.mask == self.text
    }
}

impl Head {
    fn empty() -> Self {
        Self { low: [0; 16], mixed: [0; 16], texts: [0; 256] }
    }

    /// Adds a byte that the text of a number has, which is in a group.
    fn add(&mut self, byte: u8, nth: usize, group: usize) {
        for (table, half) in [&mut self.low, &mut self.mixed].into_iter().zip(halves(byte)) {
            if let Some(groups) = table.get_mut(half) {
                *groups |= 1 << group;
            }
        }
        if let Some(texts) = self.texts.get_mut(usize::from(byte)) {
            *texts |= 1 << nth;
        }
    }
}

/// The lower half of a byte, and both halves mixed.
const fn halves(byte: u8) -> [usize; 2] {
    [byte as usize & 15, (byte as usize & 15) ^ (byte as usize >> 4)]
}

/// Puts each text into one of eight groups, so that little of an ordinary text gets through: one after
/// the other into the best group, and again and again, as long as others have moved.
fn grouped(needles: &[Needle]) -> Vec<usize> {
    /// So often everybody looks for a better group at most.
    const ROUNDS: usize = 4;
    let all: Vec<[Halves; HEAD]> = needles.iter().map(Halves::of).collect();
    let mut placed: Vec<Option<usize>> = vec![None; all.len()];
    // What the texts of each group let through, and how much of an ordinary text that is.
    let mut groups = [([Halves::default(); HEAD], 0); 8];
    for _ in 0..ROUNDS {
        let before = placed.clone();
        for (nth, own) in all.iter().enumerate() {
            // The group without the one who looks.
            let place = placed.get_mut(nth).and_then(Option::take);
            if let Some(group) = place.and_then(|place| groups.get_mut(place)) {
                let others = all.iter().zip(&placed).filter(|(_, other)| **other == place);
                let left = others.fold([Halves::default(); HEAD], |left, (halves, _)| {
                    Halves::both(&left, halves)
                });
                *group = (left, Halves::passed(&left));
            }
            let joined = groups.map(|(group, passed)| {
                let joined = Halves::both(&group, own);
                let more = Halves::passed(&joined);
                (more - passed, (joined, more))
            });
            let best = joined.into_iter().enumerate().min_by_key(|(_, (cost, _))| *cost);
            if let Some((best, (_, joined))) = best
                && let Some(group) = groups.get_mut(best)
                && let Some(place) = placed.get_mut(nth)
            {
                (*group, *place) = (joined, Some(best));
            }
        }
        if placed == before {
            break;
        }
    }
    placed.into_iter().map(|place| place.unwrap_or(0)).collect()
}

/// The halves of bytes, and the mixed ones, that a group of texts lets through at one place, a bit for each.
#[derive(Clone, Copy, Default)]
struct Halves {
    low: u16,
    mixed: u16,
}

impl Halves {
    /// What a text lets through.
    fn of(needle: &Needle) -> [Self; HEAD] {
        let mut all = [Self::default(); HEAD];
        for (at, halves) in all.iter_mut().enumerate() {
            needle.bytes(at).for_each(|byte| halves.add(byte));
        }
        // Of the third byte only the mixed halves are asked for: hardly more gets through.
        let [_, _, third, _] = &mut all;
        third.low = u16::MAX;
        all
    }

    fn both(left: &[Self; HEAD], right: &[Self; HEAD]) -> [Self; HEAD] {
        let mut all = *left;
        for (all, right) in all.iter_mut().zip(right) {
            *all = Self { low: all.low | right.low, mixed: all.mixed | right.mixed };
        }
        all
    }

    /// How much of an ordinary text gets through.
    fn passed(all: &[Self; HEAD]) -> u64 {
        all.iter().map(Self::share).product()
    }

    fn add(&mut self, byte: u8) {
        let [low, mixed] = halves(byte);
        self.low |= 1 << low;
        self.mixed |= 1 << mixed;
    }

    /// How many of some thousand bytes of code pass.
    fn share(&self) -> u64 {
        let (low, mixed) = (u64::from(self.low), u64::from(self.mixed));
        let bytes =
            ones(mixed).flat_map(|mixed| ones(low).map(move |low| (low ^ mixed) << 4 | low));
        bytes.map(|byte| u64::from(SHARES.get(byte).copied().unwrap_or(0))).sum()
    }
}

/// The four bytes of a text that stand together most rarely in code, and where in the text they do.
pub(super) fn rarest(text: &'static [u8]) -> (usize, &'static [u8]) {
    let share = |byte: &u8| u64::from(SHARES.get(usize::from(*byte)).copied().unwrap_or(0));
    let parts = text.windows(HEAD).enumerate();
    parts.min_by_key(|(_, part)| part.iter().map(share).product::<u64>()).unwrap_or((0, text))
}

/// How many of some thousand bytes of code are a certain one, as counted in packages.
#[rustfmt::skip]
static SHARES: [u8; 128] = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 25, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    219, 2, 9, 4, 1, 1, 2, 4, 13, 13, 2, 1, 13, 3, 15, 6,
    5, 3, 3, 2, 2, 2, 1, 1, 1, 1, 12, 4, 2, 9, 3, 1,
    1, 3, 8, 3, 6, 6, 11, 1, 2, 4, 1, 1, 5, 4, 4, 3,
    2, 10, 5, 5, 4, 10, 3, 1, 2, 1, 1, 4, 1, 4, 1, 12,
    3, 33, 7, 19, 18, 66, 15, 9, 12, 32, 2, 5, 24, 12, 34, 33,
    16, 2, 36, 41, 48, 17, 5, 5, 7, 10, 2, 4, 2, 4, 0, 0,
];

/// The tables of one place, ready for the vectors of some machine.
#[derive(Clone, Copy)]
struct Tables<S: Simd> {
    low: u8x32<S>,
    mixed: u8x32<S>,
}

impl<S: Simd> Tables<S> {
    #[inline(always)]
    fn of(simd: S, head: &Head) -> Self {
        let table = |table| u8x32::block_splat(u8x16::load_array(simd, table));
        Self { low: table(head.low), mixed: table(head.mixed) }
    }
}

/// So many places are asked about at once: the tables for them fit into the registers of most machines.
const PART: usize = 32;

/// So many groups are searched before what may stand in them is looked at.
pub(super) const BLOCK: usize = Places::WORDS;

/// What a search needs for one block after the other.
pub(super) struct Room {
    pub(super) halves: BlockHalves,
    words: [u64; BLOCK],
    places: Places,
}

impl Room {
    pub(super) const fn new() -> Self {
        Self { halves: BlockHalves::new(), words: [0; BLOCK], places: Places::new() }
    }
}

/// The lower and the mixed halves of the bytes of a block, of a group behind it, and of one behind the text.
pub(super) struct BlockHalves {
    low: [[u8; GROUP]; BLOCK + 2],
    mixed: [[u8; GROUP]; BLOCK + 2],
}

impl BlockHalves {
    const fn new() -> Self {
        let none = [[0; GROUP]; BLOCK + 2];
        Self { low: none, mixed: none }
    }

    /// Room for the lower and the mixed halves of the groups from a number on.
    pub(super) fn from(
        &mut self,
        at: usize,
    ) -> impl Iterator<Item = (&mut [u8; GROUP], &mut [u8; GROUP])> {
        let low = self.low.get_mut(at..).unwrap_or_default();
        low.iter_mut().zip(self.mixed.get_mut(at..).unwrap_or_default())
    }

    /// Puts zeros behind so many groups, as stand behind a text.
    pub(super) fn end(&mut self, len: usize) {
        for (low, mixed) in self.from(len).take(1) {
            (*low, *mixed) = ([0; GROUP], [0; GROUP]);
        }
    }

    /// Takes apart the bytes at the start of a text; behind it are zeros.
    #[inline(always)]
    fn fill<S: Simd>(&mut self, simd: S, text: &[u8]) {
        let (groups, rest) = text.as_chunks();
        let halve = |group: &[u8; GROUP], (low, mixed): (&mut _, &mut _)| {
            let bytes = u8x64::load_array_ref(simd, group);
            let half = bytes & u8x64::splat(simd, 15);
            half.store_array(low);
            (half ^ (bytes >> 4)).store_array(mixed);
        };
        groups.iter().zip(self.from(0)).for_each(|(group, to)| halve(group, to));
        self.from(groups.len()).take(1).for_each(|to| halve(&padded(rest), to));
        self.end(groups.len() + 1);
    }
}

/// The places among [`PART`] from one on at which one of the texts may begin, by the halves of two groups.
#[inline(always)]
fn candidates<S: Simd>(
    simd: S,
    tables: &[Tables<S>; HEAD],
    low: &[u8],
    mixed: &[u8],
    at: usize,
) -> u64 {
    let low = low.get(at..).and_then(<[u8]>::first_chunk);
    let mixed = mixed.get(at..).and_then(<[u8]>::first_chunk);
    let (Some(low), Some(mixed)) = (low, mixed) else { return 0 };
    let [first, second, third, fourth] = *tables;
    let first = first.groups::<0>(simd, low, mixed) & second.groups::<1>(simd, low, mixed);
    let second = third.mixed::<2>(simd, mixed) & fourth.groups::<3>(simd, low, mixed);
    !(first & second).simd_eq(u8x32::splat(simd, 0)).to_bitmask() & u64::MAX >> (GROUP - PART)
}

impl<S: Simd> Tables<S> {
    /// The groups of texts that may have, at each of some places, the byte that many places on.
    #[inline(always)]
    fn groups<const AT: usize>(
        self,
        simd: S,
        low: &[u8; PART + HEAD],
        mixed: &[u8; PART + HEAD],
    ) -> u8x32<S> {
        self.low.swizzle_dyn_within_blocks(part::<AT, S>(simd, low)) & self.mixed::<AT>(simd, mixed)
    }

    /// The same by the mixed halves alone.
    #[inline(always)]
    fn mixed<const AT: usize>(self, simd: S, mixed: &[u8; PART + HEAD]) -> u8x32<S> {
        self.mixed.swizzle_dyn_within_blocks(part::<AT, S>(simd, mixed))
    }
}

/// The halves of bytes so many places on.
#[inline(always)]
fn part<const AT: usize, S: Simd>(simd: S, half: &[u8; PART + HEAD]) -> u8x32<S> {
    // The length is known, and no other bytes are ever taken.
    let part = half.get(AT..).and_then(<[u8]>::first_chunk).unwrap_or(&[0; PART]);
    u8x32::load_array_ref(simd, part)
}

#[cfg(test)]
mod tests {
    use aho_corasick::AhoCorasick;

    use super::super::literals;
    use super::super::survey::Survey;
    use super::super::tables::DUMMIES_INSIDE;
    use super::*;

    /// Texts made of the searched ones, cut anywhere, and of what stands around them.
    fn texts(parts: &[Needle]) -> Vec<Vec<u8>> {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut draw = |most: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 33) as usize % most
        };
        let mut text = |len: usize| {
            let mut text = Vec::new();
            while text.len() < len {
                let part = parts[draw(parts.len())].text;
                let cut = if draw(3) == 0 { draw(part.len()) } else { 0 };
                let capitals = draw(4) == 0;
                let part = if capitals { part.to_ascii_uppercase() } else { part.to_vec() };
                text.extend(&part[cut..]);
                text.extend(std::iter::repeat_n(b"x .-"[draw(4)], draw(5)));
            }
            text
        };
        (0..400).map(|nth| text(nth * 3)).collect()
    }

    /// Every place, by an automaton for each text.
    fn plainly(needles: &[Needle], text: &[u8]) -> Vec<Match> {
        let mut all = Vec::new();
        for (nth, needle) in needles.iter().enumerate() {
            let mut automaton = AhoCorasick::builder();
            let automaton =
                automaton.ascii_case_insensitive(needle.any_case).build([needle.text]).unwrap();
            let found = automaton.find_overlapping_iter(text);
            let found = found.filter(|found| {
                let next = text.get(found.end());
                needle.then.is_none_or(|then| next.is_some_and(|byte| then(*byte)))
            });
            all.extend(found.map(|found| Match { nth, start: found.start(), end: found.end() }));
        }
        all.sort_by_key(|found| (found.start, found.nth));
        all
    }

    #[test]
    fn every_machine_finds_what_an_automaton_does() {
        let lists: [Vec<Needle>; 2] =
            [literals::needles().to_vec(), DUMMIES_INSIDE.map(Needle::exact).to_vec()];
        for list in lists {
            let searcher = Searcher::new(list.iter().copied());
            let mut count = 0;
            for text in texts(&list) {
                let expected = plainly(&list, &text);
                let (mut found, mut least) = (Vec::new(), Vec::new());
                searcher.find(&text, |each| found.push(each));
                dispatch!(Level::baseline(), simd => {
                    searcher.find_in(simd, &text, &mut Room::new(), &mut |each| least.push(each));
                });
                assert_eq!(found, expected);
                assert_eq!(least, expected);
                count += found.len();
            }
            assert!(count > 1000, "{count}");
        }
    }

    #[test]
    fn a_marked_text_is_searched_alike() {
        let searcher = literals::searcher();
        for text in texts(literals::needles()) {
            let text = text.repeat(9);
            let (mut all, mut among) = (Vec::new(), Vec::new());
            searcher.find(&text, |each| all.push(each));
            searcher.find_among(&text, &Survey::of(&text).marks.literal, |each| among.push(each));
            assert_eq!(all, among);
        }
    }
}
