//! What could be a token: long runs of the characters tokens are made of.

use std::ops::Range;

use super::bits::{GROUP, bits_at, ones};
use super::byte_classes::{ByteClasses, is_token};
use super::escape::escape;

/// Runs shorter than this are never needed.
pub(super) const RUN_MIN: usize = 15;

/// Shorter rows are not what data are wrapped at.
pub(super) const ROW_MIN: usize = 48;

/// So many characters are a blob, if they are of base64.
pub(super) const LONG_MIN: usize = 200;

/// A run with so many characters may be a token without a digit.
const RICH_MIN: usize = 25;

/// A maximal run of token characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) start: usize,
    pub(super) end: usize,
    /// How many of its characters are digits. Most runs of a program have none, and most tokens
    /// have some.
    pub(super) digits: usize,
    /// Whether it may hold a token of some format: it has a digit, is long, or has a word for a dummy.
    pub(super) is_rich: bool,
}

impl Run {
    fn of(byte_classes: &ByteClasses, start: usize, end: usize) -> Self {
        let digits = byte_classes.digit.count(start..end);
        Self { start, end, digits, is_rich: digits > 0 || end - start >= RICH_MIN }
    }

    pub(super) const fn len(&self) -> usize {
        self.end - self.start
    }

    pub(super) const fn span(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// Finds the runs of a text of at least [`RUN_MIN`] bytes, in order. An escape before a run is no part of it.
pub(super) fn find(text: &[u8], byte_classes: &ByteClasses) -> Vec<Run> {
    let mut runs = Vec::with_capacity(byte_classes.token.words.len());
    // The token characters of the last group, and the start of a run that ends in no group so far.
    let (mut before, mut was_long, mut open) = (0, 0, None);
    // Behind the last group is the end of the last run.
    for (nth, tokens) in byte_classes.token.words.iter().copied().chain([0]).enumerate() {
        let high = fifteenths(before, tokens);
        before = tokens;
        // The fifteenth characters, and what stands behind the last ones, in turn.
        let edges = high ^ (high << 1 | was_long);
        was_long = high >> (GROUP - 1);
        for at in ones(edges).map(|bit| nth * GROUP + bit) {
            match open.take() {
                None => open = Some(at + 1 - RUN_MIN),
                Some(start) => {
                    runs.push(Run::of(byte_classes, start + escape_len(text, start, at), at));
                }
            }
        }
    }
    runs
}

/// Where fifteen consecutive token characters end in a group, which may begin in the group before.
fn fifteenths(before: u64, tokens: u64) -> u64 {
    // Where two, four, eight and fifteen end: of the group before, what its end says is enough.
    let (mut low, mut high) = (before, tokens);
    for more in [1, 2, 4, 7] {
        high &= high << more | low >> (GROUP - more);
        low &= low << more;
    }
    high
}

/// How many runs of at least [`RUN_MIN`] bytes a text has.
pub(super) fn count(text: &[u8]) -> u32 {
    let (mut before, mut was_long, mut count) = (0, 0, 0);
    for at in (0..text.len()).step_by(GROUP) {
        let [tokens] = bits_at(text, at, |byte| u8::from(is_token(byte)));
        let high = fifteenths(before, tokens);
        count += (high & !(high << 1 | was_long)).count_ones();
        (before, was_long) = (tokens, high >> (GROUP - 1));
    }
    count
}

/// How much of a run is the end of an escape before it: the letter of `\n`, the digits of `\u00e9`, and what ends the
/// colour of a terminal, as in `\x1b[32m`.
fn escape_len(text: &[u8], start: usize, end: usize) -> usize {
    let before = text.get(..start).unwrap_or_default();
    let run = text.get(start..end).unwrap_or_default();
    // In a literal in a literal the backslash is two.
    let len = match before.last() {
        // An escape of a token's own character belongs to it.
        Some(b'\\') => text
            .get(start - 1..end)
            .and_then(escape)
            .filter(|(char, _)| {
                u8::try_from(*char).is_ok_and(|byte| !is_token(byte)) || *char > 0xFF
            })
            .map_or(0, |(_, len)| len - 1),
        Some(b'[' | b';') => colour_len(before, run),
        _ => 0,
    };
    if run.len() - len < RUN_MIN { 0 } else { len }
}

/// How much of a run is the rest of a colour that begins before it: `ESC [ 1 ; 32 m`.
fn colour_len(before: &[u8], run: &[u8]) -> usize {
    let numbers = before.iter().rev().take(8).take_while(|byte| matches!(byte, b'0'..=b'9' | b';'));
    let Some(rest) = before.get(..before.len() - numbers.count()) else { return 0 };
    let escapes: [&[u8]; 5] = [b"\x1b", b"\\x1b", b"\\u001b", b"\\033", b"\\e"];
    let is_escape = |rest: &[u8]| escapes.iter().any(|escape| rest.ends_with(escape));
    let digits = run.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_colour =
        rest.strip_suffix(b"[").is_some_and(is_escape) && run.get(digits) == Some(&b'm');
    if is_colour { digits + 1 } else { 0 }
}

/// Has the run with a position looked at as if it had digits.
pub(super) fn enrich(runs: &mut [Run], at: usize) {
    let nth = runs.partition_point(|run| run.end <= at);
    if let Some(run) = runs.get_mut(nth).filter(|run| run.start <= at) {
        run.is_rich = true;
    }
}

/// How many runs from the first one on are rows of one block of data: long, of one length, each on a line
/// of its own, real or written as `\n`, and with nothing but signs between them.
pub(super) fn rows(text: &[u8], byte_classes: &ByteClasses, runs: &[Run]) -> usize {
    /// Quotes, signs and the next line's indentation.
    const GAP_MAX: usize = 32;
    let follows = |pair: &&[Run]| {
        let [first, second] = pair else { return false };
        let gap = first.end..second.start;
        let escaped = text.get(gap.start) == Some(&b'\\');
        first.len() >= ROW_MIN
            && first.len() == second.len()
            && gap.len() <= GAP_MAX
            && (escaped && gap.len() == 1 || byte_classes.feed.next(gap.start, gap.end).is_some())
            && byte_classes.alnum.count(gap) <= usize::from(escaped)
    };
    1 + runs.windows(2).take_while(follows).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steady::Chance;

    fn assert_found(text: &[u8]) {
        assert_eq!(find(text, &ByteClasses::of(text)), plainly(text));
        assert_eq!(count(text) as usize, plainly(text).len());
    }

    #[test]
    fn an_escape_before_a_run_is_no_part_of_it() {
        let run = "npm_k3Jd9fQx7LmZ2pVtR8sW";
        for before in [
            "a\\n",
            "a\\\\n",
            "\\t",
            "\\0",
            "\\b",
            "\\x1b",
            "\\u00e9",
            "\\033",
            "\\U0001F600",
            "\\33",
            "\x1b[32m",
            "\x1b[1;32m",
            "\\x1b[32m",
            "\\u001b[1m",
            "\\033[0m",
            "\\e[0m",
        ] {
            let text = [before, run].concat();
            let runs = find(text.as_bytes(), &ByteClasses::of(text.as_bytes()));
            assert_eq!(runs.last().map(|run| &text[run.span()]), Some(run), "{text}");
        }
        for before in ["[32m", "a[1;32m", "\\d", "\\x67", "\\u0067", "\\147"] {
            let text = [before, run].concat();
            let runs = find(text.as_bytes(), &ByteClasses::of(text.as_bytes()));
            assert_ne!(runs.last().map(|run| &text[run.span()]), Some(run), "{text}");
        }
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
                let is_rich = digits > 0 || at - start >= RICH_MIN;
                runs.push(Run { start, end: at, digits, is_rich });
            }
            start = at + 1;
        }
        runs
    }

    #[test]
    fn groups_change_nothing() {
        let chance = &mut Chance(0x9E37_79B9_7F4A_7C15);
        for round in 0..300 {
            assert_found(chance.draw(b"a0_Z=a0_Z=a0_Z=a0 ", round * 40).as_bytes());
        }
        for len in [14, 15, 63, 64, 65, 128, 5000] {
            let text = [vec![b' '; 3], vec![b'a'; len], vec![b' '; 3]].concat();
            assert_found(&text);
        }
    }
}
