//! Cutting runs into candidates: the value, the words in front of it, the rest of its line.
//!
//! A run such as `DEEPGRAM_API_KEY=8f3a…` is a name and a value; `refiner-8f3a…` is a name and a
//! value, too, and `glsa_8f3a…` a prefix and a body. A candidate therefore has a *head*, the words
//! that it begins with, and a *body*, the rest, and a *context*, what its line says before.

use std::ops::Range;

use memchr::{memchr, memrchr};

use super::runs::Run;
use super::token::{CAPITAL, Kind, TokenStats, class, is_uuid, is_wordlike, rare_bigrams};

/// Bodies shorter than this are left to rules that know what they look for.
const BODY_MIN: usize = 10;

/// Longer ones are data.
const BODY_MAX: usize = 4096;

/// A line is read so far back.
const CONTEXT_MAX: usize = 80;

/// Longer words are no names.
const PLAIN_MAX: usize = 64;

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
    pub(super) stats: TokenStats,
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

/// Cuts a run into its candidates.
pub(super) fn of_run(text: &[u8], run: &Run, wanted: Wanted, each: impl FnMut(Candidate)) {
    super::work::spend(run.len());
    // Most runs are names: one word without digits, or several short ones.
    let token = part(text, &run.span());
    let is_name = if run.digits < 2 {
        is_word_or_words(value(token))
    } else {
        wanted == Wanted::Likely && !has_long_part(token) && !has_sign(token, b"-+/=.")
    };
    if !is_name {
        cut(text, run, wanted, each);
    }
}

fn part<'a>(text: &'a [u8], span: &Range<usize>) -> &'a [u8] {
    text.get(span.clone()).unwrap_or_default()
}

/// Tells whether a run without digits, but perhaps for one, is an ordinary word, has signs that join words, or
/// is a line drawn with signs.
fn is_word_or_words(token: &[u8]) -> bool {
    // Most of them show it by the first sign.
    let near = token.get(..PLAIN_MAX).unwrap_or(token);
    let sign = near.iter().position(|byte| !byte.is_ascii_alphanumeric());
    match token.get(sign.unwrap_or(near.len())..) {
        None | Some([]) => !may_be_random(token),
        Some([first, rest @ ..]) => {
            b"_-./".contains(first)
                || has_sign(rest, b"_-./")
                || !token.iter().any(u8::is_ascii_alphanumeric)
        }
    }
}

/// Tells whether one of some signs stands in a text.
fn has_sign(text: &[u8], signs: &[u8]) -> bool {
    text.iter().any(|byte| signs.contains(byte))
}

/// Tells whether a run has eight consecutive letters and digits.
fn has_long_part(token: &[u8]) -> bool {
    const LONG: usize = 64;
    token.len() > LONG || token.split(|b| !b.is_ascii_alphanumeric()).any(|part| part.len() >= 8)
}

/// Cuts a run into pieces: at what assigns, and at slashes if they divide a path.
fn cut(text: &[u8], run: &Run, wanted: Wanted, mut each: impl FnMut(Candidate)) {
    let bytes = part(text, &run.span());
    // Most are one piece.
    let is_plain = bytes.iter().all(u8::is_ascii_alphanumeric);
    let mut start = 0;
    for _ in 0..PIECES_MAX {
        let rest = bytes.get(start..).unwrap_or_default();
        if rest.is_empty() {
            break;
        }
        let len = if is_plain { rest.len() } else { assigned(rest) };
        let at = run.start + start;
        let piece = at..at + len;
        if !is_plain && looks_like_path(part(text, &piece)) {
            let mut from = at;
            for name in part(text, &piece).split(|byte| *byte == b'/').take(PIECES_MAX) {
                of_piece(text, run, from..from + name.len(), wanted, &mut each);
                from += name.len() + 1;
            }
        } else {
            of_piece(text, run, piece, wanted, &mut each);
        }
        start += len + 1;
    }
}

/// What a token assigns to its name, as in `NAME=value`, or all of it.
fn value(token: &[u8]) -> &[u8] {
    token.get(assigned(token) + 1..).unwrap_or(token)
}

/// The length of what stands before the first `=` that is no padding: this ends a run, and there are at most two of it.
fn assigned(bytes: &[u8]) -> usize {
    let padding = bytes.iter().rev().take_while(|byte| **byte == b'=').count();
    let is_padding = padding <= 2 && padding < bytes.len();
    let body = bytes.get(..bytes.len() - if is_padding { padding } else { 0 });
    body.and_then(|body| memchr(b'=', body)).unwrap_or(bytes.len())
}

/// Tells whether slashes divide a piece: more than half of its parts are spelled with letters, or they are many.
fn looks_like_path(piece: &[u8]) -> bool {
    /// Shorter parts say nothing.
    const PART_MIN: usize = 3;
    let slashes = piece.iter().filter(|byte| **byte == b'/').count();
    if slashes == 0 || slashes * 8 > piece.len() {
        return slashes > 0;
    }
    let is_spelled = |part: &&[u8]| {
        let digits = part.iter().filter(|byte| byte.is_ascii_digit()).count();
        is_wordlike(part) || digits * 4 < part.len() && part.contains(&b'.')
    };
    let parts = piece.split(|byte| *byte == b'/').filter(|part| part.len() >= PART_MIN);
    parts.take(PIECES_MAX).filter(is_spelled).count() > slashes / 2
}

/// The candidate that a piece of a run is, if it is one.
fn of_piece(
    text: &[u8],
    run: &Run,
    piece: Range<usize>,
    wanted: Wanted,
    each: &mut impl FnMut(Candidate),
) {
    // Most parts of a path are shorter.
    if piece.len() < BODY_MIN {
        return;
    }
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
    if !(BODY_MIN..=BODY_MAX).contains(&piece.len()) || !may_be_random(piece) {
        return;
    }
    let body = at + head_len(piece)..at + piece.len();
    let is_explained =
        || is_number(piece) || is_compound(part(text, &body)) || is_commit(text, &body);
    if body.len() < BODY_MIN || wanted == Wanted::Likely && is_explained() {
        return;
    }
    let stats = TokenStats::of(part(text, &body));
    if stats.digits < 2 && stats.rare_bigrams * 5 < stats.bigrams || stats.kind == Kind::Digits {
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
    each(Candidate { head: at..body.start, body, context, stats });
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
    if memchr(b'_', body).is_none() {
        return false;
    }
    let mut words = 0;
    for piece in body.split(|byte| !byte.is_ascii_alphanumeric()) {
        let digits = piece.iter().rev().take(DIGITS_MAX).take_while(|b| b.is_ascii_digit()).count();
        let word = piece.get(..piece.len() - digits).unwrap_or_default();
        if word.len() >= 3 && !word.iter().any(u8::is_ascii_digit) && is_wordlike(word) {
            words += piece.len();
        } else if piece.len() >= PIECE_MIN {
            return false;
        }
    }
    words * 3 >= body.len()
}

/// A quick no to what is clearly made of words.
fn may_be_random(piece: &[u8]) -> bool {
    piece.iter().filter(|byte| byte.is_ascii_digit()).nth(1).is_some() || is_strange(piece)
}

/// Tells whether a piece has more rare pairs than words have.
fn is_strange(piece: &[u8]) -> bool {
    let (odd, pairs) = rare_bigrams(piece);
    odd * 5 >= pairs && pairs >= 8
}

/// How many bytes at the start of a piece are words with their separators.
fn head_len(piece: &[u8]) -> usize {
    let mut start = 0;
    loop {
        let rest = piece.get(start..).unwrap_or_default();
        match word_len(rest).filter(|_| !is_uuid(rest)) {
            Some(len) if len + BODY_MIN < rest.len() => start += len + 1,
            _ => return start,
        }
    }
}

/// The length of the word that a text begins with and a separator follows, if it has both: a word of letters, or so
/// short that it may have digits, too.
fn word_len(text: &[u8]) -> Option<usize> {
    /// Longer words are none.
    const WORD_MAX: usize = 20;
    /// Words with digits are no longer than this.
    const MIXED_MAX: usize = 5;
    /// Words no longer than this may be made of any letters.
    const ANY_MAX: usize = 6;
    let near = text.get(..=WORD_MAX).unwrap_or(text);
    let is_separator = |byte: &u8| class(*byte) > CAPITAL && b"-_.:".contains(byte);
    let word = near.get(..near.iter().position(is_separator)?)?;
    let letters = word.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let is_word = letters == word.len() || word.len() <= MIXED_MAX && letters > 0;
    let is_spelled = || {
        let (odd, pairs) = rare_bigrams(word);
        odd * 5 <= pairs
    };
    (is_word && (word.len() <= ANY_MAX || is_spelled())).then_some(word.len())
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
    let mut found = Vec::new();
    for run in &super::text_index::TextIndex::of(text).runs {
        of_run(text, run, wanted, |candidate| found.push(candidate));
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
