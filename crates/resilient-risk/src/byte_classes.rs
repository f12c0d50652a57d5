//! Which bytes of a text are token characters, letters and digits, digits, and line feeds.
//!
//! One pass over the text answers these questions for every byte, as bits; the bits answer all later
//! questions about runs, lines and numbers, sixty-four bytes at a time.

use std::ops::Range;

use super::bits::{Bits, GROUP, bits};

/// The classes of the bytes of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ByteClasses {
    /// Letters, digits and `_ - + / = .`
    pub(super) token: Bits,
    /// ASCII letters and digits.
    pub(super) alnum: Bits,
    pub(super) digit: Bits,
    /// Line feeds.
    pub(super) feed: Bits,
    /// `"`, `'` and the backtick.
    pub(super) quote: Bits,
    /// The groups that are not of ASCII alone.
    pub(super) foreign: Vec<usize>,
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
    byte.is_ascii_alphanumeric() | is_sign(byte)
}

const fn is_sign(byte: u8) -> bool {
    (byte == b'_')
        | (byte == b'-')
        | (byte == b'+')
        | (byte == b'/')
        | (byte == b'=')
        | (byte == b'.')
}

/// A bit for each class that a byte is in.
#[inline(always)]
fn kind(byte: u8) -> u8 {
    let (digit, alnum) = (byte.is_ascii_digit(), byte.is_ascii_alphanumeric());
    let quote = (byte == b'"') | (byte == b'\'') | (byte == b'`');
    let all = [alnum | is_sign(byte), alnum, digit, byte == b'\n', quote];
    all.iter().rev().fold(0, |all, is| all << 1 | u8::from(*is))
}

impl ByteClasses {
    /// Classifies the bytes of a text.
    pub(super) fn of(text: &[u8]) -> Self {
        let [token, alnum, digit, feed, quote] = bits(text, kind);
        let groups = if text.is_ascii() { &[] } else { text }.chunks(GROUP).enumerate();
        let foreign = groups.filter(|(_, group)| !group.is_ascii()).map(|(nth, _)| nth).collect();
        Self { token, alnum, digit, feed, quote, foreign, len: text.len() }
    }

    /// The lines of the text.
    pub(super) fn lines(&self, text: &[u8]) -> Lines {
        let (mut start, mut count, mut longest) = (0, 0, 0);
        self.feed.ones().chain([self.len]).for_each(|end| {
            // A line has no more characters than bytes.
            if end - start > longest {
                let line = text.get(start..end).unwrap_or_default();
                let begins = |byte: &&u8| **byte & 0xC0 != 0x80;
                longest = longest.max(line.iter().filter(begins).count());
            }
            (start, count) = (end + 1, count + 1);
        });
        // No line feed ends the last line.
        Lines { feeds: count - 1, longest }
    }

    /// Lists the stretches of the text where digits are dense, in order, not touching: a number of four
    /// digits or more, in one piece or in groups, lies in one of them.
    pub(super) fn digit_regions(&self) -> Vec<Range<usize>> {
        /// So many bytes are looked at together with the next so many.
        const WINDOW: usize = GROUP / 2;
        const DIGITS_MIN: u32 = 4;
        let mut all: Vec<Range<usize>> = Vec::new();
        let mut before = 0;
        let halves = |word: u64| [word as u32, (word >> 32) as u32].map(u32::count_ones);
        for (group, word) in self.digit.words.iter().enumerate() {
            // Most groups have no digit.
            if *word == 0 {
                before = 0;
                continue;
            }
            for (half, digits) in halves(*word).into_iter().enumerate() {
                let nth = 2 * group + half;
                // A window counts with the one before it, if that has a digit.
                if digits > 0 && before + digits >= DIGITS_MIN {
                    let start = (nth - usize::from(before > 0)) * WINDOW;
                    let end = ((nth + 1) * WINDOW).min(self.len);
                    match all.last_mut() {
                        Some(last) if last.end >= start => last.end = end,
                        _ => all.push(start..end),
                    }
                }
                before = digits;
            }
        }
        all
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
    fn classes_are_what_a_look_at_every_byte_says() {
        for text in texts() {
            let byte_classes = ByteClasses::of(&text);
            for (at, byte) in text.iter().enumerate() {
                let bit = |bits: &Bits| bits.from(at) & 1 == 1;
                assert_eq!(bit(&byte_classes.token), is_token(*byte));
                assert_eq!(bit(&byte_classes.digit), byte.is_ascii_digit());
                assert_eq!(bit(&byte_classes.alnum), byte.is_ascii_alphanumeric());
                assert_eq!(bit(&byte_classes.feed), *byte == b'\n');
                assert_eq!(bit(&byte_classes.quote), b"\"'`".contains(byte));
            }
        }
    }

    fn digit_regions(text: &[u8]) -> Vec<Range<usize>> {
        ByteClasses::of(text).digit_regions()
    }

    #[test]
    fn dense_digits_are_joined_over_windows() {
        let text = [" ".repeat(30), "12345678".to_owned(), " ".repeat(100)].concat();
        assert_eq!(digit_regions(text.as_bytes()), vec![0..64]);
        assert_eq!(digit_regions(b"a1 b2 c3"), Vec::<Range<usize>>::new());
        assert_eq!(digit_regions(b"a1 b2 c34"), vec![0..9]);
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
            digit_regions(&text).into_iter().for_each(|part| told[part].fill(true));
            assert_eq!(told, is_dense);
        }
    }

    #[test]
    fn bits_are_counted_and_followed_over_groups() {
        for text in texts() {
            let digits = ByteClasses::of(&text).digit;
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
