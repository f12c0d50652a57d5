//! What could be a token: long runs of the characters tokens are made of.

use std::cell::Cell;
use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};

use super::bits::{Places, lend};
use super::lanes::{GROUP, Lanes};
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
    #[inline(always)]
    fn of(marks: &Marks, start: usize, end: usize) -> Self {
        let digits = match end - start {
            len @ ..=GROUP => (marks.digit.from(start) << (GROUP - len)).count_ones() as usize,
            _ => Self::digits_of_long(marks, start..end),
        };
        let plain = marks.alnum.from(start).trailing_ones() as usize;
        Self { start, end, digits, plain }
    }

    #[cold]
    #[inline(never)]
    fn digits_of_long(marks: &Marks, span: Range<usize>) -> usize {
        marks.digit.count(span)
    }

    pub(super) const fn len(&self) -> usize {
        self.end - self.start
    }

    pub(super) const fn span(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// Tells for one group after the other where runs get long enough.
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
        // Where one, two, four, eight and fifteen consecutive token characters end, in both groups:
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

/// What sixty-four runs are recognised by, a byte of each of them.
struct Traits {
    len: [u8; GROUP],
    digits: [u8; GROUP],
    /// How many characters stand behind the letters and digits that the run begins with.
    rest: [u8; GROUP],
    /// What stands behind these letters and digits.
    sign: [u8; GROUP],
}

impl Traits {
    const NONE: Self =
        Self { len: [0; GROUP], digits: [0; GROUP], rest: [0; GROUP], sign: [0; GROUP] };

    /// Notes those of a run by its number. Of a long run only its length matters.
    #[inline(always)]
    fn set(&mut self, nth: usize, text: &[u8], run: &Run) {
        let sign = text.get(run.start + run.plain).copied().unwrap_or(b' ');
        let len = run.len().min(usize::from(u8::MAX)) as u8;
        let of = [len, run.digits as u8, (run.len() - run.plain) as u8, sign];
        let Self { len, digits, rest, sign } = self;
        for (to, of) in [len, digits, rest, sign].into_iter().zip(of) {
            if let Some(to) = to.get_mut(nth % GROUP) {
                *to = of;
            }
        }
    }

    /// What so many runs may be, and whether one of them is long.
    #[inline(always)]
    fn kinds<S: Simd>(&self, simd: S, count: usize) -> (Kinds, bool) {
        /// A run with so many characters may be a token without a digit.
        const RICH_MIN: u8 = 32;
        let inside = !u64::MAX.checked_shl(count as u32).unwrap_or(0);
        let [len, digits, rest, sign] =
            [&self.len, &self.digits, &self.rest, &self.sign].map(|of| Lanes::of(simd, of));
        let is_name = (digits.lies(0, 2) & len.lies(0, ROW_MIN as u8)).to_bitmask();
        let is_word = rest.is(0).to_bitmask() & is_name;
        let is_joined = (sign.is(b'_') | sign.lies(b'-', 3)).to_bitmask() & is_name;
        let is_poor = (digits.is(0) & len.lies(0, RICH_MIN)).to_bitmask();
        let kinds = Kinds {
            rich: !is_poor & inside,
            words: is_word & inside,
            others: !(is_word | is_joined) & inside,
        };
        (kinds, !len.lies(0, LONG_MIN as u8).to_bitmask() & inside != 0)
    }
}

/// Tells whether a sign stands at a position that joins words to a name.
#[inline(always)]
pub(super) fn is_joint(text: &[u8], at: usize) -> bool {
    let byte = text.get(at).copied().unwrap_or(b' ');
    (byte == b'_') | (byte.wrapping_sub(b'-') < 3)
}

thread_local! {
    static ROOM: Cell<Option<Box<Places>>> = const { Cell::new(None) };
}

impl Runs {
    /// Finds the runs of a text in the place of those of the one before, with the vectors of some machine.
    #[inline(never)]
    pub(super) fn find<S: Simd>(&mut self, simd: S, text: &[u8], marks: &Marks) {
        lend(&ROOM, Places::new, |places| {
            simd.vectorize(
                #[inline(always)]
                || self.find_in(simd, text, marks, places),
            );
        });
    }

    #[inline(always)]
    fn find_in<S: Simd>(&mut self, simd: S, text: &[u8], marks: &Marks, places: &mut Places) {
        self.all.clear();
        self.kinds.clear();
        self.has_long = false;
        let mut traits = Traits::NONE;
        let mut lengths = Lengths::default();
        // The start of a run that ends in no block so far.
        let mut open = None;
        let groups = &marks.token.words;
        for (nth, block) in groups.chunks(Places::WORDS).enumerate() {
            let base = nth * Places::WORDS * GROUP;
            // Two runs in sixty-four bytes are common.
            let mut found = places.of::<4>(block.iter().map(|tokens| lengths.edges(*tokens)));
            if let Some(start) = open {
                let Some(end) = found.next() else { continue };
                self.add_across(simd, text, marks, start..base + end, &mut traits);
                open = None;
            }
            while let Some(reached) = found.next() {
                let start = base + reached + 1 - RUN_MIN;
                let Some(end) = found.next() else {
                    open = Some(start);
                    break;
                };
                self.add(simd, text, Run::of(marks, start, base + end), &mut traits);
            }
        }
        // Behind the last group is the end of the last run.
        if let Some(start) = open {
            self.add_across(simd, text, marks, start..groups.len() * GROUP, &mut traits);
        }
        self.add_kinds(simd, self.all.len() % GROUP, &traits);
    }

    /// Adds a run.
    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S, text: &[u8], run: Run, traits: &mut Traits) {
        traits.set(self.all.len(), text, &run);
        self.all.push(run);
        if self.all.len().is_multiple_of(GROUP) {
            self.add_kinds(simd, GROUP, traits);
        }
    }

    /// Adds a run that ends in another block than it begins, as few do.
    #[cold]
    #[inline(never)]
    fn add_across<S: Simd>(
        &mut self,
        simd: S,
        text: &[u8],
        marks: &Marks,
        span: Range<usize>,
        traits: &mut Traits,
    ) {
        self.add(simd, text, Run::of(marks, span.start, span.end), traits);
    }

    /// Adds what the last runs may be.
    #[inline(never)]
    fn add_kinds<S: Simd>(&mut self, simd: S, count: usize, traits: &Traits) {
        let (kinds, has_long) = simd.vectorize(
            #[inline(always)]
            || traits.kinds(simd, count),
        );
        self.kinds.push(kinds);
        self.has_long |= has_long;
    }

    /// Drops the runs of which something holds.
    #[cold]
    #[inline(never)]
    pub(super) fn drop_those(&mut self, text: &[u8], holds: impl Fn(&Run) -> bool) {
        self.all.retain(|run| !holds(run));
        self.kinds.clear();
        for runs in self.all.chunks(GROUP) {
            let mut traits = Traits::NONE;
            runs.iter().enumerate().for_each(|(nth, run)| traits.set(nth, text, run));
            let (kinds, _) = dispatch!(Level::new(), simd => traits.kinds(simd, runs.len()));
            self.kinds.push(kinds);
        }
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
        let (marks, mut runs) = (Marks::of(text), Runs::default());
        dispatch!(Level::new(), simd => runs.find(simd, text, &marks));
        assert_eq!(runs.all, plainly(text));
        assert_eq!(runs.has_long, runs.all.iter().any(|run| run.len() >= LONG_MIN));
        for (nth, run) in runs.all.iter().enumerate() {
            let Kinds { rich, words, others } = runs.kinds[nth / GROUP];
            let told = [rich, words, others].map(|kind| kind >> (nth % GROUP) & 1 == 1);
            let is_name = run.digits < 2 && run.len() < ROW_MIN;
            let is_word = is_name && run.plain == run.len();
            let is_joined = is_name && is_joint(text, run.start + run.plain);
            let is_rich = run.digits > 0 || run.len() >= 32;
            assert_eq!(told, [is_rich, is_word, !(is_word || is_joined)], "{run:?}");
        }
        // What runs are is told again when some are dropped.
        let kinds = runs.kinds.clone();
        runs.drop_those(text, |_| false);
        let told = kinds.iter().filter(|kinds| **kinds != Kinds::default());
        assert!(told.eq(runs.kinds.iter().filter(|kinds| **kinds != Kinds::default())));
    }

    /// What [`Runs::find`] promises, said plainly.
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
