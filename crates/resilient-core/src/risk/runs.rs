//! What could be a token: long runs of the characters tokens are made of.

use std::cell::Cell;
use std::ops::Range;

use fearless_simd::prelude::*;

use super::bits::{Places, lend};
use super::lanes::GROUP;
use super::marks::Marks;

/// Runs shorter than this are never needed.
pub(super) const RUN_MIN: usize = 15;

/// Shorter rows are not what data are wrapped at.
pub(super) const ROW_MIN: usize = 48;

/// So many characters are a blob, if they are of base64.
pub(super) const LONG_MIN: usize = 200;

/// A maximal run of token characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) start: usize,
    pub(super) end: usize,
    /// How many of its characters are digits. Most runs of a program have none, and most tokens
    /// have some.
    pub(super) digits: usize,
    /// How many letters and digits it begins with, as far as its first [`GROUP`] characters show.
    pub(super) plain: usize,
}

impl Run {
    pub(super) const fn len(&self) -> usize {
        self.end - self.start
    }

    pub(super) const fn span(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// Tells of one group after the other where runs get long enough.
#[derive(Debug, Default)]
pub(super) struct Lengths {
    /// The token characters of the last group.
    before: u64,
}

impl Lengths {
    /// The places in the next group where the fifteenth character of a run stands.
    #[inline(always)]
    pub(super) fn reached(&mut self, tokens: u64) -> u64 {
        let (long, before) = self.long(tokens);
        long & !(long << 1 | before)
    }

    /// The places in the next group where the fifteenth character of a run stands, and those behind the last
    /// one of such a run: one of the first and one of the others in turn.
    #[inline(always)]
    fn edges(&mut self, tokens: u64) -> u64 {
        let (long, before) = self.long(tokens);
        long ^ (long << 1 | before)
    }

    /// The characters of the next group that are the fifteenth of a run or a later one, and whether the last
    /// character of the group before is. There is no branch in it: where runs stand is not to be guessed.
    #[inline(always)]
    fn long(&mut self, tokens: u64) -> (u64, u64) {
        // Where one, two, four, eight and fifteen token characters in a row end, in both groups:
        // of the last one, what its end says is enough.
        let (mut low, mut high) = (self.before, tokens);
        self.before = tokens;
        for more in [1, 2, 4, 7] {
            high &= high << more | low >> (GROUP - more);
            low &= low << more;
        }
        (high, low >> (GROUP - 1))
    }
}

/// The runs of a text of at least [`RUN_MIN`] bytes, in order, and what they may be.
#[derive(Default)]
pub(super) struct Runs {
    pub(super) all: Vec<Run>,
    /// For sixty-four runs each.
    pub(super) kinds: Vec<Kinds>,
    /// Whether one has so many characters: [`LONG_MIN`].
    pub(super) has_long: bool,
}

/// What some runs may be, a bit for each of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds {
    /// Those with a digit, and long ones: others are no tokens of any format.
    pub(super) rich: u64,
    /// Short ones with a digit at most that are one word.
    pub(super) words: u64,
    /// Those that are neither one word nor words that a sign joins.
    pub(super) others: u64,
}

impl Kinds {
    /// Adds a run by its number. There is no branch in it: what a run is is not to be guessed.
    #[inline(always)]
    fn add(&mut self, nth: usize, text: &[u8], run: &Run) {
        /// A run with so many characters may be a token without a digit.
        const RICH_MIN: usize = 32;
        let is_name = (run.digits < 2) & (run.len() < ROW_MIN);
        let is_word = is_name & (run.plain == run.len());
        let is_joined = is_name & is_joint(text, run.start + run.plain);
        self.rich |= u64::from((run.digits > 0) | (run.len() >= RICH_MIN)) << nth;
        self.words |= u64::from(is_word) << nth;
        self.others |= u64::from(!(is_word | is_joined)) << nth;
    }
}

/// Tells whether a sign stands at a position that joins words to a name.
#[inline(always)]
pub(super) fn is_joint(text: &[u8], at: usize) -> bool {
    let byte = text.get(at).copied().unwrap_or(b' ');
    (byte == b'_') | (byte.wrapping_sub(b'-') < 3)
}

thread_local! {
    /// Room for the runs of the next text.
    static LAST: Cell<Option<Box<Runs>>> = const { Cell::new(None) };
    static ROOM: Cell<Option<Box<Places>>> = const { Cell::new(None) };
}

impl Runs {
    /// Finds the runs of a text.
    #[cfg(test)]
    pub(super) fn of(text: &[u8], marks: &Marks) -> Box<Self> {
        fearless_simd::dispatch!(fearless_simd::Level::new(), simd => Self::with(simd, text, marks))
    }

    /// The same with the vectors of some machine.
    #[inline(always)]
    pub(super) fn with<S: Simd>(simd: S, text: &[u8], marks: &Marks) -> Box<Self> {
        let mut runs = LAST.take().unwrap_or_default();
        lend(
            &ROOM,
            Places::new,
            #[inline(always)]
            |places| {
                simd.vectorize(
                    #[inline(always)]
                    || runs.find(text, marks, places),
                );
            },
        );
        runs
    }

    /// Keeps the memory of runs that nobody needs any more for the next text.
    pub(super) fn recycle(self: Box<Self>) {
        /// That of a longer text is not kept.
        const RUNS_MAX: usize = 1 << 16;
        if self.all.capacity() <= RUNS_MAX {
            LAST.set(Some(self));
        }
    }

    #[inline(always)]
    fn find(&mut self, text: &[u8], marks: &Marks, places: &mut Places) {
        self.all.clear();
        self.kinds.clear();
        self.has_long = false;
        let mut last = Kinds::default();
        let mut lengths = Lengths::default();
        // The start of a run that ends in no block so far.
        let mut open = None;
        let groups = &marks.token.words;
        for (nth, block) in groups.chunks(Places::WORDS).enumerate() {
            let base = nth * Places::WORDS * GROUP;
            // Two runs in sixty-four bytes are common.
            let mut found = places.of::<4>(block.iter().map(|tokens| lengths.edges(*tokens)));
            while let Some(start) =
                open.take().or_else(|| found.next().map(|reached| base + reached + 1 - RUN_MIN))
            {
                let Some(end) = found.next() else {
                    open = Some(start);
                    break;
                };
                self.push(text, marks, start..base + end, &mut last);
            }
        }
        // Behind the last group is the end of the last run.
        if let Some(start) = open {
            self.push(text, marks, start..groups.len() * GROUP, &mut last);
        }
        self.kinds.push(last);
    }

    /// Adds a run, and what it may be to the last kinds.
    #[inline(always)]
    fn push(&mut self, text: &[u8], marks: &Marks, span: Range<usize>, last: &mut Kinds) {
        let Range { start, end } = span.clone();
        let digits = match span.len() {
            len @ ..=GROUP => (marks.digit.from(start) << (GROUP - len)).count_ones() as usize,
            _ => marks.digit.count(span),
        };
        let plain = marks.alnum.from(start).trailing_ones() as usize;
        let run = Run { start, end, digits, plain };
        self.has_long |= run.len() >= LONG_MIN;
        last.add(self.all.len() % GROUP, text, &run);
        self.all.push(run);
        if self.all.len().is_multiple_of(GROUP) {
            self.kinds.push(std::mem::take(last));
        }
    }

    /// Drops the runs of which something holds.
    #[cold]
    #[inline(never)]
    pub(super) fn drop_those(&mut self, text: &[u8], holds: impl Fn(&Run) -> bool) {
        self.all.retain(|run| !holds(run));
        let kinds = |runs: &[Run]| {
            let mut kinds = Kinds::default();
            runs.iter().enumerate().for_each(|(nth, run)| kinds.add(nth, text, run));
            kinds
        };
        self.kinds.clear();
        self.kinds.extend(self.all.chunks(GROUP).map(kinds));
    }

    /// Has the run with a position looked at as if it had digits.
    pub(super) fn enrich(&mut self, at: usize) {
        let nth = self.all.partition_point(|run| run.end <= at);
        if self.all.get(nth).is_some_and(|run| run.start <= at)
            && let Some(kinds) = self.kinds.get_mut(nth / GROUP)
        {
            kinds.rich |= 1 << (nth % GROUP);
        }
    }
}

/// How many runs from the first one on are rows of one block of data: long, of one length, each on a line
/// of its own, real or written as `\n`, and with nothing but signs between them.
pub(super) fn rows(text: &[u8], marks: &Marks, runs: &[Run]) -> usize {
    /// Quotes, signs and the next line's indentation.
    const GAP_MAX: usize = 32;
    let follows = |pair: &&[Run]| {
        let [first, second] = pair else { return false };
        let gap = first.end..second.start;
        let escaped = text.get(gap.start) == Some(&b'\\');
        first.len() >= ROW_MIN
            && first.len() == second.len()
            && gap.len() <= GAP_MAX
            && (escaped && gap.len() == 1 || marks.feed.next(gap.start, gap.end).is_some())
            && marks.alnum.count(gap) <= usize::from(escaped)
    };
    1 + runs.windows(2).take_while(follows).count()
}

#[cfg(test)]
mod tests {
    use super::super::marks::is_token;
    use super::*;

    fn assert_found(text: &[u8]) {
        let mut runs = Runs::of(text, &Marks::of(text));
        assert_eq!(runs.all, plainly(text));
        // What runs are is told again when some are dropped.
        let kinds = runs.kinds.clone();
        runs.drop_those(text, |_| false);
        let told = kinds.iter().filter(|kinds| **kinds != Kinds::default());
        assert!(told.eq(runs.kinds.iter().filter(|kinds| **kinds != Kinds::default())));
    }

    /// What [`Runs::of`] promises, said plainly.
    fn plainly(bytes: &[u8]) -> Vec<Run> {
        let mut runs = Vec::new();
        let mut start = 0;
        for at in 0..=bytes.len() {
            if bytes.get(at).copied().is_some_and(is_token) {
                continue;
            }
            if at - start >= RUN_MIN {
                let digits = bytes[start..at].iter().filter(|byte| byte.is_ascii_digit()).count();
                let signs = bytes[start..].iter().position(|byte| !byte.is_ascii_alphanumeric());
                let plain = signs.unwrap_or(bytes.len() - start).min(GROUP);
                runs.push(Run { start, end: at, digits, plain });
            }
            start = at + 1;
        }
        runs
    }

    #[test]
    fn groups_change_nothing() {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        for round in 0..300 {
            let mut text = Vec::new();
            for _ in 0..round * 40 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                text.push(if state.is_multiple_of(17) {
                    b' '
                } else {
                    b"a0_Z="[(state >> 32) as usize % 5]
                });
            }
            assert_found(&text);
        }
        for len in [14, 15, 63, 64, 65, 128, 5000] {
            let text = [vec![b' '; 3], vec![b'a'; len], vec![b' '; 3]].concat();
            assert_found(&text);
        }
    }
}
