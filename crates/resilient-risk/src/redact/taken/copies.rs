//! The copies of a secret: it is taken out wherever else it stands, also cut or encoded.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::super::{encoded, hits};
use super::{Taken, merge, pieces, text};
use crate::format::Format;
use crate::token::TokenStats;
use crate::{Report, known_formats, work};

/// No less of the beginning of a secret tells it from others.
const TELLING_MIN: usize = 12;

/// So much of a copy that begins within another one is compared.
const NEAR: usize = 1024;

/// A secret of a machine has at least this many bytes.
const STRONG_LEN: usize = 20;

/// Takes the same secrets out wherever else they stand: a machine's anywhere, others where they
/// were found too.
pub(super) fn take_again(content: &str, taken: &mut Vec<Taken>, report: &Report) {
    let mut known: BTreeMap<Cow<'_, str>, &Taken> = BTreeMap::new();
    for taken in taken.iter() {
        let text = taken.text(content);
        if let Some(said) = encoded::said(&text) {
            known.entry(Cow::Owned(said)).or_insert(taken);
        }
        for said in encoded::decoded(&text).into_iter().filter(|said| is_made(said, taken)) {
            known.entry(Cow::Owned(said)).or_insert(taken);
        }
        known.entry(text).or_insert(taken);
    }
    let done: BTreeSet<usize> = taken.iter().flat_map(|taken| &taken.findings).copied().collect();
    let equal =
        hits(report).filter(|(number, _)| !done.contains(number)).filter_map(|(number, hit)| {
            let pieces = pieces(content, hit)?;
            let like = *known.get(&text(content, &pieces))?;
            Some(Taken { pieces, findings: vec![number], ..like.clone() })
        });
    let mut more: Vec<Taken> = equal.collect();

    let strong: Vec<Strong<'_>> = known
        .iter()
        .filter_map(|(text, taken)| {
            let telling = if is_strong(taken) {
                telling_len(text, taken)
            } else {
                is_made(text, taken).then_some(text.len())?
            };
            Some(Strong { text, taken, telling })
        })
        .collect();
    let known = Known { strong: &strong, searcher: searcher(heads(&strong)) };
    let again = |piece: Range<usize>, like: &Taken, is_decoded: bool| Taken {
        pieces: vec![piece],
        findings: Vec::new(),
        is_decoded: like.is_decoded || is_decoded,
        ..like.clone()
    };
    let bytes = content.as_bytes();
    // Up to here it is known. A copy that is glued to the one before is no part of a word.
    let mut reach = 0;
    known.each(bytes, |like, copy, is_whole| {
        let is_word = |at: Option<usize>| {
            at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric)
        };
        let Range { start, end } = copy;
        let is_part = start > reach && is_word(start.checked_sub(1)) || is_word(Some(end));
        let counts = is_whole || !is_part;
        if counts && content.is_char_boundary(end) && end > reach {
            reach = end;
            more.push(again(copy, like.taken, false));
        }
    });
    encoded::each(content, |said, source| {
        known.each(said, |like, copy, _| {
            if copy.len() == like.text.len() {
                more.push(again(source(copy), like.taken, true));
            }
        });
    });
    taken.extend(more);
    merge(taken);
}

/// The secrets that are taken wherever they stand, in order, and a search for how they begin.
struct Known<'a> {
    strong: &'a [Strong<'a>],
    searcher: Option<AhoCorasick>,
}

impl<'a> Known<'a> {
    /// Tells each copy of a secret in a text, and whether it is whole; others go as far as they were copied.
    fn each(&self, text: &[u8], mut tell: impl FnMut(&Strong<'a>, Range<usize>, bool)) {
        // Up to here some secret and the text are the same.
        let mut compared = 0;
        for found in self.searcher.iter().flat_map(|searcher| searcher.find_overlapping_iter(text))
        {
            let start = found.start();
            let rest = text.get(start..).unwrap_or_default();
            // Within a long copy another one begins only if the text repeats itself. It is not compared to its end, and counts.
            let near = near(rest).filter(|_| start < compared);
            let rest = near.unwrap_or(rest);
            let is_open = |len: usize| near.is_some_and(|near| len == near.len());
            let (begun, whole) = copies(self.strong, rest);
            compared = compared.max(start + begun.map_or(0, |(_, len)| len));
            let begun = begun.filter(|(of, len)| *len >= of.telling || is_open(*len));
            for (like, len) in begun.into_iter().chain(whole) {
                tell(like, start..start + len, len == like.text.len() || is_open(len));
            }
        }
    }
}

/// The beginning of a longer text, up to a character.
fn near(text: &[u8]) -> Option<&[u8]> {
    let is_begun = |at: &usize| text.get(*at).is_some_and(|byte| byte & 0xC0 != 0x80);
    text.get(..(NEAR..NEAR + 4).find(is_begun)?)
}

/// A secret that is taken wherever it stands.
struct Strong<'a> {
    text: &'a str,
    taken: &'a Taken,
    /// So much of its beginning tells it.
    telling: usize,
}

impl Strong<'_> {
    /// How many of its bytes a text begins with.
    fn common(&self, rest: &[u8]) -> usize {
        // Whole parts first, which is faster.
        const PART: usize = 64;
        let text = self.text.as_bytes();
        let parts = rest.as_chunks::<PART>().0.iter().zip(text.as_chunks::<PART>().0);
        let len = PART * parts.take_while(|(one, other)| one == other).count();
        let both = rest.iter().zip(text).skip(len);
        let len = len + both.take_while(|(one, other)| one == other).count();
        work::spend(len);
        len
    }
}

/// Searches for texts. The automata of other kinds take hundreds of bytes for each byte of a long one.
pub(in super::super) fn searcher<'a>(texts: impl Iterator<Item = &'a [u8]>) -> Option<AhoCorasick> {
    let texts: BTreeSet<&[u8]> = texts.collect();
    AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(texts).ok()
}

/// The beginnings of secrets: whole ones take too much memory.
fn heads<'a>(strong: &'a [Strong<'a>]) -> impl Iterator<Item = &'a [u8]> {
    strong.iter().filter_map(|of| of.text.as_bytes().get(..TELLING_MIN))
}

/// A secret and how much of it a text begins with.
type Copy<'a> = (&'a Strong<'a>, usize);

/// Of secrets in order, the one that has the most in common with a text from its beginning on, and the one that the text
/// begins with in full. The nearest in their order have the most in common with it.
fn copies<'a>(strong: &'a [Strong<'a>], rest: &[u8]) -> (Option<Copy<'a>>, Option<Copy<'a>>) {
    let before = |rest: &[u8]| strong.partition_point(|of| of.text.as_bytes() <= rest);
    let nth = before(rest);
    let beside = strong.get(nth.saturating_sub(1)..).unwrap_or_default().iter().take(2);
    let begun = beside.map(|of| (of, of.common(rest))).max_by_key(|(_, len)| *len);
    let mut whole = nth.checked_sub(1).and_then(|nth| strong.get(nth));
    let mut rest = rest;
    while let Some(of) = whole {
        let len = of.common(rest);
        if len == of.text.len() {
            break;
        }
        rest = rest.get(..len).filter(|rest| rest.len() >= TELLING_MIN).unwrap_or_default();
        whole = before(rest).checked_sub(1).and_then(|nth| strong.get(nth));
    }
    let whole = whole.map(|of| (of, of.text.len()));
    (begun, whole)
}

/// So much of the beginning of a secret tells it from others: more than what its form begins with, up to a sign. A
/// block of a key, and what only a decoding shows, is met again in full only.
fn telling_len(text: &str, taken: &Taken) -> usize {
    const FORM_MAX: usize = 16;
    const OWN_MIN: usize = 8;
    let format = known_formats::row(&taken.pattern).map(Format::prefix);
    let known = format.filter(|prefix| text.as_bytes().starts_with(prefix)).map_or(0, <[u8]>::len);
    let fixed = match taken.kind.as_ref() {
        "pem_block" => text.len(),
        _ if taken.is_decoded => text.len(),
        "jwt" => text.find('.').unwrap_or(text.len()),
        // The beginning of an address is public.
        _ if known > FORM_MAX => known,
        _ => {
            let begin = text.as_bytes().get(..FORM_MAX).unwrap_or_default();
            begin.iter().rposition(|byte| b"-_.".contains(byte)).map_or(0, |sign| sign + 1)
        }
    };
    let len = TELLING_MIN.max(fixed + OWN_MIN).min(text.len());
    (len..text.len()).find(|len| text.is_char_boundary(*len)).unwrap_or(text.len())
}

/// Whether nobody guesses the secret from its digest: a machine has made it. The families of what
/// people choose and of what has few values are left out whatever their length, as are those of a
/// policy, about which nothing is known.
pub(in super::super) fn is_strong(taken: &Taken) -> bool {
    let families = ["api_key", "github_pat", "jwt", "pem_block", "aws_secret"];
    let len = taken.pieces.iter().map(Range::len).sum::<usize>();
    families.contains(&taken.kind.as_ref())
        && len >= STRONG_LEN
        && (taken.pattern != "bearer_token" || len >= 2 * STRONG_LEN)
}

/// Whether a password is long and random enough that it stands nowhere by chance: a machine has made it.
fn is_made(text: &str, taken: &Taken) -> bool {
    let stats = TokenStats::of(text.as_bytes());
    // Hardly a name has a change at every second character.
    let is_mixed = stats.changes * 3 >= stats.len || stats.has_rare_bigrams();
    let is_random = if stats.is_hexadecimal() {
        // Sixteen drawn digits of sixteen kinds show 80 percent on average, and 60 nearly always.
        stats.changes >= 2 && stats.entropy_percent() >= 60
    } else {
        (stats.changes * 2 >= stats.len || is_mixed && !stats.is_wordlike())
            && stats.entropy_percent() >= 80
    };
    ["conn_string", "generic_secret", "api_key"].contains(&taken.kind.as_ref())
        && stats.len >= TELLING_MIN
        && is_random
}
