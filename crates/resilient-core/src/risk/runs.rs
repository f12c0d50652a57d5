//! What could be a token: long runs of the characters tokens are made of.

use std::ops::Range;

use super::marks::{GROUP, Marks};

/// Runs shorter than this are never needed.
pub(super) const RUN_MIN: usize = 15;

/// A maximal run of token characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) start: usize,
    pub(super) end: usize,
    /// How many of its characters are digits. Most runs of a program have none, and most tokens
    /// have some.
    pub(super) digits: usize,
}

impl Run {
    pub(super) const fn len(&self) -> usize {
        self.end - self.start
    }

    pub(super) const fn span(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// Finds the runs of at least [`RUN_MIN`] bytes, in order.
pub(super) fn find(marks: &Marks) -> Vec<Run> {
    let words = marks.token.words();
    let mut runs = Vec::with_capacity(words.len() / 4);
    let mut done = 0;
    let after = words.iter().skip(1).chain([&0]);
    for (group, (word, after)) in words.iter().zip(after).enumerate() {
        // A bit stays set where a run of fifteen begins or goes on.
        let wide = u128::from(*word) | u128::from(*after) << 64;
        let wide = wide & wide >> 1;
        let wide = wide & wide >> 2;
        let wide = wide & wide >> 4;
        let mut starts = (wide & wide >> 7) as u64;
        while starts != 0 {
            let bit = starts.trailing_zeros() as usize;
            let start = group * GROUP + bit;
            if start < done {
                // The rest of a run that was seen already.
                let seen = (done - group * GROUP).min(GROUP);
                starts = if seen < GROUP { starts & u64::MAX << seen } else { 0 };
                continue;
            }
            let end = start + marks.token.run(start);
            runs.push(Run { start, end, digits: marks.digit.count(start..end) });
            done = end;
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::super::marks::is_token;
    use super::*;

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
                runs.push(Run { start, end: at, digits });
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
            assert_eq!(find(&Marks::of(&text)), plainly(&text), "{round}");
        }
        for len in [14, 15, 63, 64, 65, 128, 5000] {
            let text = [vec![b' '; 3], vec![b'a'; len], vec![b' '; 3]].concat();
            assert_eq!(find(&Marks::of(&text)), plainly(&text), "{len}");
        }
    }
}
