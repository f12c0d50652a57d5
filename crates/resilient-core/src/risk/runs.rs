//! What could be a token: long runs of the characters tokens are made of.

use std::cell::Cell;
use std::ops::Range;

use fearless_simd::prelude::*;

use super::bits::{Places, lend, ones};
use super::lanes::GROUP;
use super::marks::Marks;

/// Runs shorter than this are never needed.
pub(super) const RUN_MIN: usize = 15;

/// Shorter rows are not what data are wrapped at.
pub(super) const ROW_MIN: usize = 48;

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

/// Finds the runs of at least [`RUN_MIN`] bytes, in order.
pub(super) fn find<S: Simd>(simd: S, marks: &Marks) -> Vec<Run> {
    thread_local! {
        static ROOM: Cell<Option<Box<Room>>> = const { Cell::new(None) };
    }
    lend(&ROOM, Room::new, |room| {
        simd.vectorize(
            #[inline(always)]
            || find_in(marks, room),
        )
    })
}

/// What is needed for one text after the other.
struct Room {
    places: Places,
    /// Where the fifteenth character of each run stands, and the place behind the run.
    edges: Vec<usize>,
}

impl Room {
    /// Memory for more is not kept.
    const EDGES_MAX: usize = 1 << 16;

    const fn new() -> Self {
        Self { places: Places::new(), edges: Vec::new() }
    }
}

#[inline(always)]
fn find_in(marks: &Marks, room: &mut Room) -> Vec<Run> {
    let Room { places, edges } = room;
    edges.clear();
    let mut lengths = Lengths::default();
    let groups = &marks.token.words;
    for (nth, block) in groups.chunks(Places::WORDS).enumerate() {
        let base = nth * Places::WORDS * GROUP;
        // Two runs in sixty-four bytes are common.
        let found = places.of::<4>(block.iter().map(|tokens| lengths.edges(*tokens)));
        edges.extend(found.map(|place| base + place));
    }
    // Behind the last group is the end of the last run.
    edges.push(groups.len() * GROUP);
    let mut runs = Vec::with_capacity(edges.len() / 2);
    // An iterator would be collected by a function that knows nothing of the machine.
    for [reached, end] in edges.as_chunks().0 {
        let (start, end) = (reached + 1 - RUN_MIN, *end);
        let digits = marks.digit.count_short(start..end);
        let plain = marks.alnum.from(start).trailing_ones() as usize;
        runs.push(Run { start, end, digits, plain });
    }
    if edges.capacity() > Room::EDGES_MAX {
        *edges = Vec::new();
    }
    runs
}

/// The runs of which something holds, in order. There is no branch for each of them: of which it does is not
/// to be guessed.
pub(super) fn those(runs: &[Run], holds: impl Fn(&Run) -> bool) -> impl Iterator<Item = &Run> {
    runs.chunks(GROUP).flat_map(move |runs| {
        let held = runs.iter().enumerate();
        let held = held.fold(0, |held, (nth, run)| held | u64::from(holds(run)) << nth);
        ones(held).filter_map(|nth| runs.get(nth))
    })
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
    use fearless_simd::{Level, dispatch};

    use super::super::marks::is_token;
    use super::*;

    fn found(marks: &Marks) -> Vec<Run> {
        dispatch!(Level::new(), simd => find(simd, marks))
    }

    /// What [`find`] promises, said plainly.
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
            assert_eq!(found(&Marks::of(&text)), plainly(&text), "{round}");
        }
        for len in [14, 15, 63, 64, 65, 128, 5000] {
            let text = [vec![b' '; 3], vec![b'a'; len], vec![b' '; 3]].concat();
            assert_eq!(found(&Marks::of(&text)), plainly(&text), "{len}");
        }
    }
}
