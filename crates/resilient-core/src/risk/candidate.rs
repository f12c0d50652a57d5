//! Cutting runs into candidates: the value, the words in front of it, the rest of its line.
//!
//! A run such as `DEEPGRAM_API_KEY=8f3a…` is a name and a value; `refiner-8f3a…` is a name and a
//! value, too, and `glsa_8f3a…` a prefix and a body. A candidate therefore has a *head*, the words
//! that it begins with, and a *body*, the rest, and a *context*, what its line says before.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use memchr::memrchr;

use super::bits::ones;
use super::lanes::GROUP;
use super::marks::Marks;
use super::runs::{ROW_MIN, Run};
use super::token::{Kind, Shape, is_wordy, odd_pairs, odd_pairs_at};

/// Bodies shorter than this are left to rules that know what they look for.
const BODY_MIN: usize = 10;

/// Longer ones are data.
const BODY_MAX: usize = 4096;

/// A line is read so far back.
const CONTEXT_MAX: usize = 80;

/// A run is cut into no more pieces than this; runs with more are lists or paths.
const PIECES_MAX: usize = 64;

/// Something that may be a secret.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// The words in front of the body that belong to the same run, separators included.
    pub(super) head: Range<usize>,
    /// What is random, if anything is.
    pub(super) body: Range<usize>,
    /// The line before the head.
    pub(super) context: Range<usize>,
    /// The counts of the body.
    pub(super) shape: Shape,
}

impl Candidate {
    /// The head and the body.
    pub(super) fn whole(&self) -> Range<usize> {
        self.head.start..self.body.end
    }
}

/// Which candidates somebody wants.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// What may be a secret.
    Likely,
    /// Names and numbers of programs, too: training learns from them what a secret is not.
    All,
}

/// Tells by number the runs that may hold candidates, or a row of a block of data. Most runs are names, and
/// which are is not to be guessed: there is no branch for a run but for those that are one word.
pub(super) fn likely(text: &[u8], runs: &[Run]) -> impl Iterator<Item = usize> {
    runs.chunks(GROUP).enumerate().flat_map(|(nth, runs)| {
        let likely = dispatch!(Level::new(), simd => likely_of(simd, text, runs));
        ones(likely).map(move |bit| nth * GROUP + bit)
    })
}

/// The same of a group of runs.
#[inline(always)]
fn likely_of<S: Simd>(simd: S, text: &[u8], runs: &[Run]) -> u64 {
    let (mut likely, mut words) = (0, 0);
    for (nth, run) in runs.iter().enumerate() {
        let is_name = (run.digits < 2) & (run.len() < ROW_MIN);
        let is_word = is_name & (run.plain == run.len());
        let is_joined = is_name & is_joint(text, run.start + run.plain);
        likely |= u64::from(!(is_word | is_joined)) << nth;
        words |= u64::from(is_word) << nth;
    }
    for nth in ones(words) {
        let is_odd = runs.get(nth).is_some_and(|run| {
            let (odd, pairs) = odd_pairs_at(simd, text, run.start, run.len());
            has_odd(odd, pairs)
        });
        likely |= u64::from(is_odd) << nth;
    }
    likely
}

/// Tells whether a sign stands at a position that joins words to a name.
#[inline(always)]
fn is_joint(text: &[u8], at: usize) -> bool {
    text.get(at).is_some_and(|byte| (*byte == b'_') | (byte.wrapping_sub(b'-') < 3))
}

/// Cuts a run into its candidates.
#[inline]
pub(super) fn of_run(
    text: &[u8],
    marks: &Marks,
    run: &Run,
    wanted: Wanted,
    each: impl FnMut(Candidate),
) {
    super::work::spend(run.len());
    // Most runs are names: one word without digits, or several short ones.
    let is_name = if run.digits < 2 {
        is_word_or_words(text, marks, run)
    } else {
        let bytes = text.get(run.span()).unwrap_or_default();
        let is_sign = |byte: &u8| matches!(byte, b'-' | b'+' | b'/' | b'=' | b'.');
        wanted == Wanted::Likely && !has_long_part(marks, run) && !bytes.iter().any(is_sign)
    };
    if !is_name {
        cut(text, run, marks.alnum.run_to(run.start, run.end), wanted, each);
    }
}

/// Tells whether a run without digits, but perhaps for one, is an ordinary word, has signs that join words, or
/// is a line drawn with signs.
#[inline(always)]
fn is_word_or_words(text: &[u8], marks: &Marks, run: &Run) -> bool {
    let is_joint = |at: usize| is_joint(text, at);
    // Most of them show it by the first sign.
    let first = run.start + run.plain;
    if first == run.end {
        return !is_odd(text.get(run.span()).unwrap_or_default(), 0);
    }
    is_joint(first)
        || (first + 1..run.end).any(is_joint)
        || marks.alnum.next(run.start, run.end).is_none()
}

/// Tells whether eight letters and digits stand in a row in a run.
fn has_long_part(marks: &Marks, run: &Run) -> bool {
    if run.len() > GROUP {
        return true;
    }
    let mut ends = marks.alnum.from(run.start) & u64::MAX >> (GROUP - run.len());
    for more in [1, 2, 4] {
        ends &= ends << more;
    }
    ends != 0
}

/// Cuts a run that begins with so many letters and digits.
fn cut(text: &[u8], run: &Run, plain: usize, wanted: Wanted, mut each: impl FnMut(Candidate)) {
    let bytes = text.get(run.span()).unwrap_or_default();
    if plain == run.len() {
        return of_piece(text, run, run.span(), true, wanted, &mut each);
    }
    let mut start = 0;
    for _ in 0..PIECES_MAX {
        let rest = bytes.get(start..).unwrap_or_default();
        if rest.is_empty() {
            break;
        }
        let len = assigned(rest);
        let piece = rest.get(..len).unwrap_or_default();
        let at = run.start + start;
        if looks_like_path(piece) {
            let mut from = at;
            for part in piece.split(|byte| *byte == b'/').take(PIECES_MAX) {
                of_piece(text, run, from..from + part.len(), false, wanted, &mut each);
                from += part.len() + 1;
            }
        } else {
            of_piece(text, run, at..at + len, false, wanted, &mut each);
        }
        start += len + 1;
    }
}

/// The length of what stands before the first `=` that is no padding.
fn assigned(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'=', bytes.get(at..).unwrap_or_default()) {
        at += found;
        let padding = bytes.iter().skip(at).take_while(|byte| **byte == b'=').count();
        // Padding ends a run, and there are at most two of it.
        let ends = at + padding == bytes.len() && padding <= 2 && at > 0;
        if !ends {
            return at;
        }
        at += padding;
    }
    bytes.len()
}

fn looks_like_path(piece: &[u8]) -> bool {
    let slashes = piece.iter().map(|byte| u32::from(*byte == b'/')).sum::<u32>() as usize;
    if slashes == 0 || slashes * 8 > piece.len() {
        return slashes > 0;
    }
    let is_spelled = |part: &&[u8]| {
        let digits = || part.iter().filter(|byte| byte.is_ascii_digit()).count();
        is_wordy(part) || part.contains(&b'.') && digits() * 4 < part.len()
    };
    let parts = piece.split(|byte| *byte == b'/').filter(|part| part.len() >= 3).take(PIECES_MAX);
    // There must be more than half as many as slashes.
    parts.filter(is_spelled).nth(slashes / 2).is_some()
}

/// The candidate that a piece of a run is, if it is one; a plain piece is all letters and digits.
fn of_piece(
    text: &[u8],
    run: &Run,
    piece: Range<usize>,
    is_plain: bool,
    wanted: Wanted,
    each: &mut impl FnMut(Candidate),
) {
    let at = piece.start;
    let piece = text.get(piece).unwrap_or_default();
    let lead = piece.iter().take_while(|byte| b"-+./=".contains(byte)).count();
    let piece = piece.get(lead..).unwrap_or_default();
    let tail = piece.iter().rev().take_while(|byte| b".-/".contains(byte)).count();
    let piece = piece.get(..piece.len() - tail).unwrap_or_default();
    if !(BODY_MIN..=BODY_MAX).contains(&piece.len()) || !is_odd(piece, run.digits) {
        return;
    }
    let head = if is_plain { 0 } else { head_len(piece) };
    let body = piece.get(head..).unwrap_or_default();
    if body.len() < BODY_MIN || wanted == Wanted::Likely && (is_number(piece) || is_compound(body))
    {
        return;
    }
    let shape = Shape::of(body);
    if shape.digits < 2 && shape.odd_pairs * 5 < shape.pairs || shape.kind == Kind::Digits {
        return;
    }
    let at = at + lead;
    let from = run.start.max(at.saturating_sub(CONTEXT_MAX)).min(at);
    // What stands before the run, on its line.
    let before = text.get(..from).unwrap_or_default();
    let near = from.saturating_sub(CONTEXT_MAX);
    let line = memrchr(b'\n', before.get(near..).unwrap_or_default());
    let mut start = line.map_or(near, |line| near + line + 1);
    // A value alone on its line belongs to the line above: `<key>` or `key: >`.
    if start > near && text.get(start..at).is_some_and(|before| before.trim_ascii().is_empty()) {
        let above = text.get(near..start - 1).unwrap_or_default();
        // Views that are scanned together have nothing to do with each other.
        if above.last() != Some(&1) {
            start = memrchr(b'\n', above).map_or(near, |line| near + line + 1);
        }
    }
    let context = start..at;
    each(Candidate { head: at..at + head, body: at + head..at + piece.len(), context, shape });
}

/// Tells whether a piece is a number in hexadecimal digits as programs write it: of sixty-four bits at
/// most, or in groups.
fn is_number(piece: &[u8]) -> bool {
    let [b'0', b'x' | b'X', digits @ ..] = piece else { return false };
    let grouped = digits.len() <= 40 && digits.contains(&b'_');
    (digits.len() <= 16 || grouped)
        && digits.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'_')
}

/// Tells whether a body is a name of several words, as `Win32_System_IO` or `u8x16_bitmask`: a third
/// of it words, with a few digits behind them perhaps, and nothing else as long as a token.
fn is_compound(body: &[u8]) -> bool {
    /// Shorter pieces hold too little to be kept secret.
    const PIECE_MIN: usize = 8;
    /// So many digits end a word at most.
    const DIGITS_MAX: usize = 3;
    if !body.contains(&b'_') {
        return false;
    }
    let (mut words, mut longest) = (0, 0);
    for part in body.split(|byte| !byte.is_ascii_alphanumeric()) {
        let digits = part.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let (word, _) = part.split_at(part.len() - digits.min(DIGITS_MAX));
        if word.len() >= 3 && word.iter().all(u8::is_ascii_alphabetic) && is_wordy(word) {
            words += part.len();
        } else {
            longest = longest.max(part.len());
        }
    }
    words * 3 >= body.len() && longest < PIECE_MIN
}

/// A quick no to what is clearly made of words; its run has so many digits.
fn is_odd(piece: &[u8], digits: usize) -> bool {
    if digits >= 2 && piece.iter().filter(|byte| byte.is_ascii_digit()).nth(1).is_some() {
        return true;
    }
    let (odd, pairs) = odd_pairs(piece);
    has_odd(odd, pairs)
}

/// Tells whether so many odd pairs among so many are more than words have.
fn has_odd(odd: usize, pairs: usize) -> bool {
    (odd * 5 >= pairs) & (pairs >= 8)
}

/// How many bytes at the start are words with their separators.
fn head_len(piece: &[u8]) -> usize {
    if super::token::is_uuid(piece) {
        return 0;
    }
    let mut head = 0;
    loop {
        let rest = piece.get(head..).unwrap_or_default();
        let Some(sep) = rest.iter().position(|byte| b"-_.:".contains(byte)) else { break };
        let word = rest.get(..sep).unwrap_or_default();
        let is_word = sep <= 20
            && (word.iter().all(u8::is_ascii_alphabetic)
                || sep <= 5 && word.iter().any(u8::is_ascii_alphabetic))
            && (sep <= 6 || is_wordy(word));
        if !is_word || rest.len() - sep - 1 < BODY_MIN {
            break;
        }
        head += sep + 1;
        if super::token::is_uuid(piece.get(head..).unwrap_or_default()) {
            break;
        }
    }
    head
}

#[cfg(test)]
mod tests {
    use super::super::runs;
    use super::*;

    fn cut(text: &str) -> Vec<(&str, &str, &str)> {
        cut_as(text, Wanted::All)
    }

    fn cut_as(text: &str, wanted: Wanted) -> Vec<(&str, &str, &str)> {
        let mut found = Vec::new();
        let marks = Marks::of(text.as_bytes());
        for run in runs::find(&marks) {
            of_run(text.as_bytes(), &marks, &run, wanted, |c| {
                found.push((
                    &text[c.context.clone()],
                    &text[c.head.clone()],
                    &text[c.body.clone()],
                ));
            });
        }
        found
    }

    #[test]
    fn names_and_values_are_told_apart() {
        assert_eq!(
            cut("x\nDEEP_API_KEY=8f3a9c1d7e5b2a60"),
            [("DEEP_API_KEY=", "", "8f3a9c1d7e5b2a60")]
        );
        assert_eq!(cut("refiner-8f3a9c1d7e5b2a60"), [("", "refiner-", "8f3a9c1d7e5b2a60")]);
        assert_eq!(cut("k: \"Zm9vYmFyMTIzNDU2Nzg=\""), [("k: \"", "", "Zm9vYmFyMTIzNDU2Nzg=")]);
    }

    #[test]
    fn words_and_paths_are_no_candidates() {
        for text in [
            "this_is_a_long_identifier_name",
            "std.collections.BTreeMap.new",
            "src/main/java/org/example/Main.java",
            "=========================",
            "------------------------",
        ] {
            assert_eq!(cut(text), [], "{text}");
        }
    }

    #[test]
    fn names_and_numbers_of_programs_are_learned_from_and_not_asked_about() {
        for text in [
            "Win32_System_Io64_Queue3",
            "self.compress_merge_u8x32",
            "GUID::from_u128(0xae49d5cb_143f_431c_874c_2729336e4eca)",
            "0x3ff0f00c00a0d0b1",
        ] {
            assert_ne!(cut(text), [], "{text}");
            assert_eq!(cut_as(text, Wanted::Likely), [], "{text}");
        }
        let long = "0x3ff0f00c00a0d0b13ff0f00c00a0d0b1";
        for text in ["refiner-8f3a9c1d7e5b2a60", "live_8f3a9c1d_7e5b2a60", long] {
            assert_ne!(cut_as(text, Wanted::Likely), [], "{text}");
        }
    }
}
