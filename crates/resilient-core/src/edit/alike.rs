//! How alike two lines are, and which lines of two texts are the same.

use super::fold::{Case, Folding, Spaces, fold};

/// A longer line is compared by its beginning.
const LINE_BYTES_MAX: usize = 1024;
/// Of a longer string only the first lines are lined up.
pub(super) const OLD_LINES_MAX: usize = 300;
/// How many lines may be missing on one side before two texts are out of step.
pub(super) const SKIPPED_LINES_MAX: usize = 4;
/// Less alike than this is not worth showing.
pub(super) const SHOWN_SIMILARITY_MIN: f64 = 0.3;
/// Two lines that are less alike than this do not count as the same line.
const LINE_SIMILARITY_MIN: f64 = 0.5;
/// Line by line, nothing but the words matters.
const LOOSE: Folding = Folding { case: Case::Lowered, spaces: Spaces::Collapsed };

/// Which line is which, of two pieces of text that begin at the same place.
#[derive(Debug, Default)]
pub(super) struct Alignment {
    /// The sum of the likenesses of the pairs.
    pub(super) score: f64,
    /// How many lines of the second text the pairs span.
    pub(super) covered: usize,
    pub(super) pairs: Vec<(usize, usize)>,
}

impl Alignment {
    /// Goes down both texts at once; a line without counterpart is skipped.
    pub(super) fn of(old: &[&str], file: &[&str]) -> Self {
        let folded: Vec<Vec<u8>> = file.iter().map(|line| fold_line(line)).collect();
        let mut alignment = Self::default();
        for (in_old, line) in old.iter().enumerate() {
            let wanted = fold_line(line);
            let mut ahead = folded
                .iter()
                .enumerate()
                .skip(alignment.covered)
                .filter(|(_, line)| !line.is_empty())
                .take(SKIPPED_LINES_MAX);
            let equal = ahead.clone().find(|(_, line)| **line == wanted).map(|(at, _)| (at, 1.0));
            let alike = || {
                let (at, line) = ahead.next()?;
                let likeness = Bigrams::of(&wanted).likeness(line);
                (likeness >= LINE_SIMILARITY_MIN).then_some((at, likeness))
            };
            if let Some((in_file, likeness)) = equal.or_else(alike) {
                alignment.score += likeness;
                alignment.covered = in_file + 1;
                alignment.pairs.push((in_old, in_file));
            }
        }
        alignment
    }
}

/// The pairs of neighbouring bytes in a line, counted by hash, to compare other lines with.
pub(super) struct Bigrams {
    counts: Vec<u16>,
    total: usize,
}

impl Bigrams {
    const SLOTS: usize = 4096;

    pub(super) fn of(line: &[u8]) -> Self {
        let mut bigrams = Self { counts: vec![0; Self::SLOTS], total: 0 };
        for slot in Self::slots(line) {
            bigrams.total += 1;
            if let Some(count) = bigrams.counts.get_mut(slot) {
                *count = count.saturating_add(1);
            }
        }
        bigrams
    }

    /// Twice what both have, over what they have together (Sørensen and Dice).
    pub(super) fn likeness(&mut self, line: &[u8]) -> f64 {
        let total = line.len() + 1;
        // Even if all of the shorter one were shared, it would not be worth the walk.
        let shared_max = 2.0 * total.min(self.total) as f64;
        if line.is_empty() || shared_max < SHOWN_SIMILARITY_MIN * (total + self.total) as f64 {
            return 0.0;
        }
        let mut shared = Vec::with_capacity(total);
        for slot in Self::slots(line) {
            if let Some(count) = self.counts.get_mut(slot)
                && *count > 0
            {
                *count -= 1;
                shared.push(slot);
            }
        }
        for slot in &shared {
            if let Some(count) = self.counts.get_mut(*slot) {
                *count += 1;
            }
        }
        2.0 * shared.len() as f64 / (total + self.total) as f64
    }

    /// One slot for each byte with the one before it, and one for the end.
    fn slots(line: &[u8]) -> impl Iterator<Item = usize> {
        let after = line.iter().copied().chain([0]);
        let before = [0].into_iter().chain(line.iter().copied());
        before.zip(after).map(|(a, b)| (usize::from(a) * 67 + usize::from(b)) % Self::SLOTS)
    }
}

pub(super) fn fold_line(line: &str) -> Vec<u8> {
    fold(clip(line, LINE_BYTES_MAX), LOOSE)
}

pub(super) fn is_blank(line: &str) -> bool {
    line.chars().all(char::is_whitespace)
}

/// The beginning of `text`, of at most `bytes_max`.
pub(super) fn clip(text: &str, bytes_max: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes_max)).unwrap_or(text)
}
