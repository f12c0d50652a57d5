//! Cutting runs into candidates: the value, the words in front of it, the rest of its line.
//!
//! A run such as `DEEPGRAM_API_KEY=8f3a…` is a name and a value; `refiner-8f3a…` is a name and a
//! value, too, and `glsa_8f3a…` a prefix and a body. A candidate therefore has a *head*, the words
//! that it begins with, and a *body*, the rest, and a *context*, what its line says before.

use std::ops::Range;

use fearless_simd::prelude::*;
use memchr::{memchr, memrchr};

use super::bits::ones;
use super::lanes::{GROUP, Lanes};
use super::marks::Marks;
use super::runs::{Kinds, Run, is_joint};
use super::token::{Kind, Shape, is_wordy, odd_pairs_at};

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

/// Tells which of some runs may hold candidates, or a row of a block of data: those that are one word only if it is
/// none of words.
#[inline(always)]
pub(super) fn likely<S: Simd>(simd: S, text: &[u8], runs: &[Run], kinds: &Kinds) -> u64 {
    let mut likely = kinds.others;
    for nth in ones(kinds.words) {
        let is_odd = runs.get(nth).is_some_and(|run| {
            let (odd, pairs) = odd_pairs_at(simd, text, run.start, run.len());
            has_odd(odd, pairs)
        });
        likely |= u64::from(is_odd) << nth;
    }
    likely
}

/// Cuts a run into its candidates.
#[inline(always)]
pub(super) fn of_run<S: Simd>(
    simd: S,
    text: &[u8],
    marks: &Marks,
    run: &Run,
    wanted: Wanted,
    each: impl FnMut(Candidate),
) {
    super::work::spend(run.len());
    // Most runs are names: one word without digits, or several short ones.
    let is_name = if run.digits < 2 {
        is_word_or_words(simd, text, marks, run)
    } else {
        wanted == Wanted::Likely
            && !has_long_part(marks, run)
            && !has_sign(simd, text, run.span(), *b"-+/=.")
    };
    if !is_name {
        cut(simd, text, marks, run, wanted, each);
    }
}

/// Tells whether a run without digits, but perhaps for one, is an ordinary word, has signs that join words, or
/// is a line drawn with signs.
#[inline(always)]
fn is_word_or_words<S: Simd>(simd: S, text: &[u8], marks: &Marks, run: &Run) -> bool {
    // Most of them show it by the first sign.
    let first = run.start + run.plain;
    if first == run.end {
        return !is_odd(simd, text, marks, run.span());
    }
    is_joint(text, first)
        || has_sign(simd, text, first + 1..run.end, *b"_-./")
        || marks.alnum.next(run.start, run.end).is_none()
}

/// Tells whether one of some signs stands in a part of a text.
#[inline(always)]
fn has_sign<S: Simd, const LEN: usize>(
    simd: S,
    text: &[u8],
    part: Range<usize>,
    signs: [u8; LEN],
) -> bool {
    simd.vectorize(
        #[inline(always)]
        || {
            part.clone().step_by(GROUP).any(|at| {
                let inside = u64::MAX >> (GROUP - (part.end - at).min(GROUP));
                Lanes::at(simd, text, at).any(&signs) & inside != 0
            })
        },
    )
}

/// Tells whether a run has eight consecutive letters and digits.
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

/// Cuts a run into pieces: at what assigns, and at slashes if they divide a path.
fn cut<S: Simd>(
    simd: S,
    text: &[u8],
    marks: &Marks,
    run: &Run,
    wanted: Wanted,
    mut each: impl FnMut(Candidate),
) {
    let bytes = text.get(run.span()).unwrap_or_default();
    if marks.alnum.run_to(run.start, run.end) == run.len() {
        return of_piece(simd, text, marks, run, run.span(), wanted, &mut each);
    }
    let (assigns, divides) = simd.vectorize(
        #[inline(always)]
        || signs(simd, text, run),
    );
    let mut start = 0;
    for _ in 0..PIECES_MAX {
        let rest = bytes.get(start..).unwrap_or_default();
        if rest.is_empty() {
            break;
        }
        let len = if assigns { assigned(rest) } else { rest.len() };
        let at = run.start + start;
        let piece = at..at + len;
        if divides && looks_like_path(simd, text, marks, &piece) {
            for part in parts_of(simd, text, piece).take(PIECES_MAX) {
                of_piece(simd, text, marks, run, part, wanted, &mut each);
            }
        } else {
            of_piece(simd, text, marks, run, piece, wanted, &mut each);
        }
        start += len + 1;
    }
}

/// Tells whether a run has signs at which it may be cut: `=`, and slashes.
#[inline(always)]
fn signs<S: Simd>(simd: S, text: &[u8], run: &Run) -> (bool, bool) {
    let (mut assigns, mut divides) = (0, 0);
    for at in run.span().step_by(GROUP) {
        let group = Lanes::at(simd, text, at);
        let inside = u64::MAX >> (GROUP - (run.end - at).min(GROUP));
        assigns |= group.is(b'=').to_bitmask() & inside;
        divides |= group.is(b'/').to_bitmask() & inside;
    }
    (assigns != 0, divides != 0)
}

/// The length of what stands before the first `=` that is no padding.
fn assigned(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(found) = memchr(b'=', bytes.get(at..).unwrap_or_default()) {
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

/// The parts of a piece between slashes.
fn parts_of<S: Simd>(
    simd: S,
    text: &[u8],
    piece: Range<usize>,
) -> impl Iterator<Item = Range<usize>> {
    let mut start = piece.start;
    std::iter::from_fn(move || {
        (start <= piece.end).then(|| {
            let end = simd.vectorize(
                #[inline(always)]
                || slash(simd, text, start, piece.end),
            );
            let part = start..end;
            start = end + 1;
            part
        })
    })
}

/// Where the next slash stands, or the end.
#[inline(always)]
fn slash<S: Simd>(simd: S, text: &[u8], from: usize, end: usize) -> usize {
    let near = Lanes::at(simd, text, from).is(b'/').to_bitmask().trailing_zeros() as usize;
    if near < GROUP || end - from <= GROUP {
        return end.min(from + near);
    }
    let rest = text.get(from..end).unwrap_or_default();
    memchr(b'/', rest).map_or(end, |at| from + at)
}

fn looks_like_path<S: Simd>(simd: S, text: &[u8], marks: &Marks, piece: &Range<usize>) -> bool {
    let bytes = text.get(piece.clone()).unwrap_or_default();
    let slashes = bytes.iter().map(|byte| u32::from(*byte == b'/')).sum::<u32>() as usize;
    if slashes == 0 || slashes * 8 > bytes.len() {
        return slashes > 0;
    }
    simd.vectorize(
        #[inline(always)]
        || has_spelled(simd, text, marks, piece, slashes / 2),
    )
}

/// Tells whether more than so many parts of a path are spelled with letters.
#[inline(always)]
fn has_spelled<S: Simd>(
    simd: S,
    text: &[u8],
    marks: &Marks,
    piece: &Range<usize>,
    least: usize,
) -> bool {
    /// Shorter parts say nothing.
    const PART_MIN: usize = 3;
    let (mut start, mut parts, mut spelled) = (piece.start, 0, 0);
    while start < piece.end && parts < PIECES_MAX {
        let end = slash(simd, text, start, piece.end);
        let len = end - start;
        if len >= PART_MIN {
            let digits = marks.digit.count_short(start..end);
            let (odd, pairs) = odd_pairs_at(simd, text, start, len);
            let is_wordy = (digits <= 1) & (odd * 5 <= pairs);
            let has_dot = || text.get(start..end).is_some_and(|part| part.contains(&b'.'));
            parts += 1;
            spelled += usize::from(is_wordy || digits * 4 < len && has_dot());
            if spelled > least {
                return true;
            }
        }
        start = end + 1;
    }
    false
}

/// The candidate that a piece of a run is, if it is one.
fn of_piece<S: Simd>(
    simd: S,
    text: &[u8],
    marks: &Marks,
    run: &Run,
    piece: Range<usize>,
    wanted: Wanted,
    each: &mut impl FnMut(Candidate),
) {
    // Most parts of a path are shorter.
    if piece.len() >= BODY_MIN {
        simd.vectorize(
            #[inline(always)]
            || of_piece_in(simd, text, marks, run, piece, wanted, each),
        );
    }
}

#[inline(always)]
fn of_piece_in<S: Simd>(
    simd: S,
    text: &[u8],
    marks: &Marks,
    run: &Run,
    piece: Range<usize>,
    wanted: Wanted,
    each: &mut impl FnMut(Candidate),
) {
    let at = piece.start;
    let piece = text.get(piece).unwrap_or_default();
    let lead =
        piece.iter().take_while(|byte| matches!(byte, b'-' | b'+' | b'.' | b'/' | b'=')).count();
    // In `%s` the letter is a place for something else.
    let is_filled = piece.first() == Some(&b's') && at > 0 && text.get(at - 1) == Some(&b'%');
    let lead = lead + usize::from(is_filled);
    let piece = piece.get(lead..).unwrap_or_default();
    let tail = piece.iter().rev().take_while(|byte| matches!(byte, b'.' | b'-' | b'/')).count();
    let piece = piece.get(..piece.len() - tail).unwrap_or_default();
    let at = at + lead;
    let span = at..at + piece.len();
    if !(BODY_MIN..=BODY_MAX).contains(&piece.len()) || !is_odd(simd, text, marks, span.clone()) {
        return;
    }
    let is_plain = run.plain == run.len();
    let head = if is_plain { 0 } else { head_len(simd, text, &span) };
    let body = at + head..span.end;
    let is_explained =
        || is_number(piece) || is_compound(text, marks, &body) || is_commit(text, &body);
    if body.len() < BODY_MIN || wanted == Wanted::Likely && is_explained() {
        return;
    }
    let shape = Shape::at(text, body.clone());
    if shape.digits < 2 && shape.odd_pairs * 5 < shape.pairs || shape.kind == Kind::Digits {
        return;
    }
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
    each(Candidate { head: at..body.start, body, context, shape });
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
fn is_compound(text: &[u8], marks: &Marks, body: &Range<usize>) -> bool {
    /// Shorter pieces hold too little to be kept secret.
    const PIECE_MIN: usize = 8;
    /// So many digits end a word at most.
    const DIGITS_MAX: usize = 3;
    let first = body.start + marks.alnum.run_to(body.start, body.end);
    let signs = text.get(first..body.end).unwrap_or_default();
    if memchr(b'_', signs).is_none() {
        return false;
    }
    let (mut start, mut end, mut words) = (body.start, first, 0);
    while start < body.end {
        let digits = marks.digit.run_back(end, start).min(DIGITS_MAX);
        let word = text.get(start..end - digits).unwrap_or_default();
        let is_spelled = word.len() >= 3 && marks.digit.count_short(start..end - digits) == 0;
        if is_spelled && is_wordy(word) {
            words += end - start;
        } else if end - start >= PIECE_MIN {
            return false;
        }
        start = end + 1;
        end = start + marks.alnum.run_to(start, body.end);
    }
    words * 3 >= body.len()
}

/// A quick no to what is clearly made of words.
fn is_odd<S: Simd>(simd: S, text: &[u8], marks: &Marks, piece: Range<usize>) -> bool {
    marks.digit.count_short(piece.clone()) >= 2 || {
        let (at, len) = (piece.start, piece.len());
        let (odd, pairs) = simd.vectorize(
            #[inline(always)]
            || odd_pairs_at(simd, text, at, len),
        );
        has_odd(odd, pairs)
    }
}

/// Tells whether so many odd pairs among so many are more than words have.
fn has_odd(odd: usize, pairs: usize) -> bool {
    (odd * 5 >= pairs) & (pairs >= 8)
}

/// How many bytes at the start of a piece are words with their separators.
fn head_len<S: Simd>(simd: S, text: &[u8], piece: &Range<usize>) -> usize {
    let is_uuid = |from: usize| {
        let rest = text.get(from..piece.end).unwrap_or_default();
        super::token::is_uuid(rest)
    };
    let mut start = piece.start;
    while !is_uuid(start) {
        let len = simd.vectorize(
            #[inline(always)]
            || word_len(simd, text, start),
        );
        match len {
            Some(len) if start + len + BODY_MIN < piece.end => start += len + 1,
            _ => break,
        }
    }
    start - piece.start
}

/// The length of the word at a position that a separator follows, if one does: of letters, or so short that it
/// may have digits, too.
#[inline(always)]
fn word_len<S: Simd>(simd: S, text: &[u8], at: usize) -> Option<usize> {
    /// Longer words are none.
    const WORD_MAX: usize = 20;
    /// Words with digits are no longer than this.
    const MIXED_MAX: usize = 5;
    /// Words no longer than this may be made of any letters.
    const ANY_MAX: usize = 6;
    let group = Lanes::at(simd, text, at);
    let signs = group.is(b'-') | group.is(b'_') | group.is(b'.') | group.is(b':');
    let len = signs.to_bitmask().trailing_zeros() as usize;
    let word = (1 << len.min(WORD_MAX)) - 1;
    let letters = group.small().lies(b'a', 26).to_bitmask() & word;
    let is_word = (len <= WORD_MAX) & ((letters == word) | (len <= MIXED_MAX) & (letters != 0));
    let is_spelled = || {
        let (odd, pairs) = odd_pairs_at(simd, text, at, len);
        odd * 5 <= pairs
    };
    (is_word && (len <= ANY_MAX || is_spelled())).then_some(len)
}

/// Tells whether what stands at a place names a commit in the address of a page about it, as lists of changes
/// do, or is such an address.
fn is_commit(text: &[u8], body: &Range<usize>) -> bool {
    const PAGES: [&[u8]; 3] = [b"/commit/", b"/tree/", b"/blob/"];
    let to_end = text.get(..body.end).unwrap_or_default();
    let Some((before, hash)) = to_end.split_last_chunk::<40>() else { return false };
    body.len() >= hash.len()
        && PAGES.iter().any(|page| before.ends_with(page))
        && hash.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Cuts the runs of a text into their candidates.
#[cfg(test)]
pub(super) fn of_text(text: &[u8], wanted: Wanted) -> Vec<Candidate> {
    use fearless_simd::{Level, dispatch};

    let mut found = Vec::new();
    let survey = super::survey::Survey::of(text);
    for run in &survey.runs.all {
        dispatch!(Level::new(), simd => of_run(simd, text, &survey.marks, run, wanted, |candidate| {
            found.push(candidate);
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(&str, &str, &str)> {
        cut_as(text, Wanted::All)
    }

    fn cut_as(text: &str, wanted: Wanted) -> Vec<(&str, &str, &str)> {
        let parts = |c: Candidate| (&text[c.context], &text[c.head], &text[c.body]);
        of_text(text.as_bytes(), wanted).into_iter().map(parts).collect()
    }

    #[test]
    fn commits_are_explained_by_their_address() {
        let hash = "9e21bd4727af40fca0abb5b85c746cb7".to_owned() + "0a1b2c3d";
        let count = |text: &str, wanted| of_text(text.as_bytes(), wanted).len();
        for (text, likely) in [
            (format!("(libraries/reader/commit/{hash})"), 0),
            (format!("(libraries/reader/letters/{hash})"), 1),
            // Who has such a name has no words in the address, and it is a candidate as a whole.
            (format!("//example.com/qxzj/dyjs/commit/{hash}"), 0),
            (format!("commit: {hash}"), 1),
        ] {
            assert_eq!(count(&text, Wanted::All), 1, "{text}");
            assert_eq!(count(&text, Wanted::Likely), likely, "{text}");
        }
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
