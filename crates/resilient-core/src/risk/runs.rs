//! Finding what could be a token: long runs of the characters tokens are made of.
//!
//! Nearly all of a text is short words, so the scan works on blocks: one pass marks the bytes of the
//! class, and only where eight aligned bytes are all of it does a run get measured. The marking is
//! plain arithmetic on bytes, which the compiler turns into vector instructions; there is no second
//! path whose answer could differ. Dense digits, which personal numbers are made of, are
//! counted in the same pass.

use std::ops::Range;

/// Runs shorter than this are missed sometimes and never needed.
pub(super) const RUN_MIN: usize = 15;

/// How many bytes are marked at a time: they and their marks stay in the first cache.
const BLOCK: usize = 4096;

/// So many bytes are looked at together when digits are counted.
pub(super) const DIGIT_WINDOW: usize = 32;

/// A window with so many digits may hold a part of a personal number.
const DIGITS_MIN: u8 = 3;

/// What one pass over a text finds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Runs {
    /// Maximal runs of token characters, at least [`RUN_MIN`] long, in order.
    pub(super) tokens: Vec<Range<usize>>,
    /// Stretches of the text where digits are dense, in order, not touching.
    pub(super) digits: Vec<Range<usize>>,
}

/// Tells whether a byte can be a part of a token: letters, digits and `_ - + / = .`
pub(super) const fn is_token(byte: u8) -> bool {
    let letter = (byte | 0x20).wrapping_sub(b'a') < 26;
    // From `-` to `9` lie `-`, `.`, `/` and the digits.
    let low = byte.wrapping_sub(b'-') < 13;
    letter | low | (byte == b'_') | (byte == b'=') | (byte == b'+')
}

/// Finds the runs of a text.
pub(super) fn find(bytes: &[u8]) -> Runs {
    let mut found = Runs::default();
    let mut marks = [0_u8; BLOCK];
    let mut done = 0;
    for (nth, block) in bytes.chunks(BLOCK).enumerate() {
        let base = nth * BLOCK;
        for (mark, byte) in marks.iter_mut().zip(block) {
            *mark = u8::from(is_token(*byte));
        }
        let marks = marks.get(..block.len()).unwrap_or_default();
        for (nth, group) in marks.chunks_exact(32).enumerate() {
            let (words, _) = group.as_chunks::<8>();
            let full = |word: &[u8; 8]| u64::from_ne_bytes(*word) == 0x0101_0101_0101_0101;
            if !words.iter().map(full).fold(false, |any, full| any | full) {
                continue;
            }
            for (word, _) in words.iter().enumerate().filter(|(_, word)| full(word)) {
                let at = base + nth * 32 + word * 8;
                if at < done {
                    continue;
                }
                let run = around(bytes, at, done);
                done = run.end;
                if run.len() >= RUN_MIN {
                    found.tokens.push(run);
                }
            }
        }
        // What does not fill a group is looked at byte by byte.
        let tail = marks.len() - marks.len() % 32;
        let mut at = base + tail;
        let end = base + block.len();
        while at < end {
            if at >= done && bytes.get(at).copied().is_some_and(is_token) {
                let run = around(bytes, at, done);
                done = run.end;
                if run.len() >= RUN_MIN {
                    found.tokens.push(run);
                }
            }
            at += 1;
        }
        for (nth, window) in block.chunks(DIGIT_WINDOW).enumerate() {
            let digits: u8 = window.iter().map(|byte| u8::from(byte.is_ascii_digit())).sum();
            if digits >= DIGITS_MIN {
                let start = base + nth * DIGIT_WINDOW;
                let end = start + window.len();
                match found.digits.last_mut() {
                    Some(last) if last.end == start => last.end = end,
                    _ => found.digits.push(start..end),
                }
            }
        }
    }
    found
}

/// Widens a position to the whole run, not before `from`.
fn around(bytes: &[u8], at: usize, from: usize) -> Range<usize> {
    let before = bytes.get(from..at).unwrap_or_default();
    let start = at - before.iter().rev().take_while(|byte| is_token(**byte)).count();
    let after = bytes.get(at..).unwrap_or_default();
    let end = at + after.iter().take_while(|byte| is_token(**byte)).count();
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What [`find`] promises, said plainly.
    fn plainly(bytes: &[u8]) -> Vec<Range<usize>> {
        let mut runs = Vec::new();
        let mut start = 0;
        for at in 0..=bytes.len() {
            if bytes.get(at).copied().is_some_and(is_token) {
                continue;
            }
            if at - start >= RUN_MIN {
                runs.push(start..at);
            }
            start = at + 1;
        }
        runs
    }

    #[test]
    fn the_class_is_what_its_name_says() {
        let class: String = (0..=255_u8).filter(|b| is_token(*b)).map(char::from).collect();
        assert_eq!(class, "+-./0123456789=ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz");
    }

    #[test]
    fn blocks_change_nothing() {
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
            assert_eq!(find(&text).tokens, plainly(&text), "{round}");
        }
        let long = vec![b'a'; 3 * BLOCK + 5];
        assert_eq!(find(&long).tokens, vec![0..long.len()]);
    }

    #[test]
    fn dense_digits_are_joined_over_windows() {
        let text = [" ".repeat(30), "12345678".to_owned(), " ".repeat(100)].concat();
        assert_eq!(find(text.as_bytes()).digits, vec![32..64]);
        let text = [" ".repeat(28), "12345678".to_owned(), " ".repeat(100)].concat();
        assert_eq!(find(text.as_bytes()).digits, vec![0..64]);
        assert!(find(b"a1 b2 c").digits.is_empty());
    }
}
