//! What is to be taken out of a text: each secret with the pieces that it stands in.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::form::Form;
use super::language::Language;
use super::{
    Choice, Refusal, Wish, block, encoded, field, hits, lines, plan, remaining, render, wants,
};
use crate::escape::{escape, numbered};
use crate::format::Format;
use crate::token::Shape;
use crate::{PatternHit, Policy, Report, vendor, work};

/// A text is scanned again at most so often, for what the first redaction has laid bare.
const ROUNDS_MAX: usize = 4;

/// A redaction takes no more secrets out. Each costs memory, in the answer too, and nobody reads so many.
pub(super) const TAKEN_MAX: usize = 50_000;

/// No less of the beginning of a secret tells it from others.
const TELLING_MIN: usize = 12;

/// So much of a copy that begins within another one is compared.
const NEAR: usize = 1024;

/// A secret of a machine has at least this many bytes.
const STRONG_LEN: usize = 20;

/// What is to be taken out, and what was found there.
#[derive(Clone, Debug)]
pub(super) struct Taken {
    /// Where it stands, in order and apart: the mark goes into the first piece, and the others become
    /// empty.
    pub(super) pieces: Vec<Range<usize>>,
    pub(super) kind: Cow<'static, str>,
    pub(super) pattern: Cow<'static, str>,
    pub(super) findings: Vec<usize>,
    pub(super) is_decoded: bool,
}

impl Taken {
    fn of(pieces: Vec<Range<usize>>, hit: &PatternHit) -> Self {
        Self {
            pieces,
            kind: hit.kind.clone(),
            pattern: hit.pattern.clone(),
            findings: Vec::new(),
            is_decoded: !hit.via.is_empty(),
        }
    }

    /// Takes the whole field that the secret stands in.
    fn with_field(mut self, content: &str, language: Option<Language>) -> Self {
        let [piece] = self.pieces.as_slice() else { return self };
        match (self.kind.as_ref(), self.pattern.as_ref()) {
            (_, "email") => {
                if let Some(password) = field::password(content, piece) {
                    (self.kind, self.pattern) = ("conn_string".into(), "url_credentials".into());
                    self.pieces = vec![password];
                }
            }
            ("generic_secret", _) | (_, "assigned_key" | "named_key") => {
                self.pieces = field::value(content, language, piece).unwrap_or(self.pieces);
                if let [piece] = self.pieces.as_slice()
                    && let Some(whole) = lines::whole(content, language, piece)
                {
                    self.pieces = vec![whole];
                }
            }
            _ => {}
        }
        self
    }

    /// From the beginning of the first piece to the end of the last one.
    pub(super) fn hull(&self) -> Range<usize> {
        hull(&self.pieces)
    }

    /// The secret in one piece.
    pub(super) fn text<'a>(&self, content: &'a str) -> Cow<'a, str> {
        text(content, &self.pieces)
    }
}

fn hull(pieces: &[Range<usize>]) -> Range<usize> {
    match pieces {
        [first, .., last] => first.start..last.end,
        [only] => only.clone(),
        [] => 0..0,
    }
}

/// Pieces of a text put together.
pub(super) fn text<'a>(content: &'a str, pieces: &[Range<usize>]) -> Cow<'a, str> {
    let piece = |range: &Range<usize>| content.get(range.clone()).unwrap_or_default();
    match pieces {
        [only] => Cow::Borrowed(piece(only)),
        _ => Cow::Owned(pieces.iter().map(piece).collect()),
    }
}

/// Finds everything that has to go: what was chosen, what is equal to it, and what only shows when
/// that is gone.
///
/// # Errors
/// Where something ends that was chosen is not known, or there is too much of it.
pub(super) fn gather(
    content: &str,
    policy: &Policy,
    wish: &Wish,
    report: &Report,
) -> Result<Vec<Taken>, Refusal> {
    let Wish { chosen, language, .. } = wish;
    let wanted = |number: usize, hit: &PatternHit| {
        chosen.contains(&Choice::Finding(number)) || wants(chosen, hit)
    };
    let (mut taken, mut unknown) = (Vec::new(), Vec::new());
    for (number, hit) in hits(report).filter(|(number, hit)| wanted(*number, hit)) {
        match pieces(content, hit) {
            Some(pieces) => {
                let of = Taken::of(pieces, hit).with_field(content, *language);
                taken.push(Taken { findings: vec![number], ..of });
            }
            None => unknown.push(hit),
        }
    }
    remaining(unknown.into_iter())?;
    for round in 0..ROUNDS_MAX {
        few(&taken)?;
        merge(&mut taken);
        take_again(content, &mut taken, report);
        few(&taken)?;
        if taken.is_empty() || round + 1 == ROUNDS_MAX {
            break;
        }
        // What is found now was hidden behind what is gone.
        let outs = plan(content, &taken, &BTreeMap::new(), &Wish::default());
        let rendered = render::render(content, None, &outs);
        let after = crate::score(&rendered.text, policy);
        let marks = rendered.places.into_iter().map(|(place, _)| place);
        let marks: Vec<_> = marks.zip(outs.into_iter().map(|out| out.span)).collect();
        let more = hits(&after).filter(|(_, hit)| wants(chosen, hit));
        let more = more.filter_map(|(_, hit)| {
            let of = Taken::of(pieces(&rendered.text, hit)?, hit);
            let of = of.with_field(&rendered.text, *language);
            let pieces = of.pieces.iter().map(|piece| before(&marks, piece)).collect();
            Some(Taken { pieces, ..of })
        });
        let is_known = |piece: &Range<usize>| {
            let nth = marks.partition_point(|(_, secret)| secret.start < piece.start);
            marks.get(nth).is_some_and(|(_, secret)| secret == piece)
        };
        let more = more.filter(|more| !more.pieces.iter().all(is_known));
        let known = taken.len();
        taken.extend(more);
        if taken.len() == known {
            break;
        }
    }
    Ok(taken)
}

/// Refuses a flood.
fn few(taken: &[Taken]) -> Result<(), Refusal> {
    let count = taken.len();
    if count > TAKEN_MAX { Err(Refusal::TooMany { count, most: TAKEN_MAX }) } else { Ok(()) }
}

/// Where a piece of a text with marks was before. Each mark goes with all that it stands for.
fn before(marks: &[(Range<usize>, Range<usize>)], piece: &Range<usize>) -> Range<usize> {
    let was = |at: usize, nth: usize| match nth.checked_sub(1).and_then(|nth| marks.get(nth)) {
        Some((mark, secret)) => secret.end + (at - mark.end),
        None => at,
    };
    let first = marks.partition_point(|(mark, _)| mark.end <= piece.start);
    let last = marks.partition_point(|(mark, _)| mark.end < piece.end);
    let start = match marks.get(first) {
        Some((mark, secret)) if mark.start <= piece.start => secret.start,
        _ => was(piece.start, first),
    };
    let end = match marks.get(last) {
        Some((mark, secret)) if mark.start < piece.end => secret.end,
        _ => was(piece.end, last),
    };
    start..end
}

/// Findings with pieces that overlap are one secret with several names, of which the first counts.
fn merge(taken: &mut Vec<Taken>) {
    taken.sort_by_key(|taken| (taken.hull().start, Reverse(taken.hull().end)));
    let mut pieces: Vec<(Range<usize>, usize)> = Vec::new();
    for (nth, taken) in taken.iter_mut().enumerate() {
        let some = std::mem::take(&mut taken.pieces).into_iter();
        pieces.extend(some.filter(|piece| !piece.is_empty()).map(|piece| (piece, nth)));
    }
    pieces.sort_by_key(|(piece, _)| (piece.start, Reverse(piece.end)));
    // The pieces that do not overlap any more, each with a secret that it is of.
    let mut apart: Vec<(Range<usize>, usize)> = Vec::with_capacity(pieces.len());
    // For each secret an earlier one that it is the same as, or itself.
    let mut same: Vec<usize> = (0..taken.len()).collect();
    for (piece, of) in pieces {
        match apart.last_mut() {
            Some((last, first)) if piece.start < last.end => {
                last.end = last.end.max(piece.end);
                let (one, other) = (root(&same, *first), root(&same, of));
                same.get_mut(one.max(other)).into_iter().for_each(|of| *of = one.min(other));
            }
            _ => apart.push((piece, of)),
        }
    }
    for (piece, of) in apart {
        taken.get_mut(root(&same, of)).into_iter().for_each(|of| of.pieces.push(piece.clone()));
    }
    for nth in 0..taken.len() {
        let more = taken.get_mut(nth).map(|taken| std::mem::take(&mut taken.findings));
        let whole = taken.get_mut(root(&same, nth));
        whole.into_iter().for_each(|whole| whole.findings.extend(more.iter().flatten()));
    }
    taken.retain(|taken| !taken.pieces.is_empty());
    for taken in taken {
        taken.findings.sort_unstable();
        taken.findings.dedup();
    }
}

/// The secret that another one is the same as, over however many.
fn root(same: &[usize], of: usize) -> usize {
    let mut of = of;
    while let Some(next) = same.get(of).filter(|next| **next != of) {
        of = *next;
    }
    of
}

/// Takes the same secrets out wherever else they stand: a machine's anywhere, others where they
/// were found too.
fn take_again(content: &str, taken: &mut Vec<Taken>, report: &Report) {
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
pub(super) fn searcher<'a>(texts: impl Iterator<Item = &'a [u8]>) -> Option<AhoCorasick> {
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
    let format = vendor::row(&taken.pattern).map(Format::prefix);
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
pub(super) fn is_strong(taken: &Taken) -> bool {
    let families = ["api_key", "github_pat", "jwt", "pem_block", "aws_secret"];
    let len = taken.pieces.iter().map(Range::len).sum::<usize>();
    families.contains(&taken.kind.as_ref())
        && len >= STRONG_LEN
        && (taken.pattern != "bearer_token" || len >= 2 * STRONG_LEN)
}

/// Whether a password is long and random enough that it stands nowhere by chance: a machine has made it.
fn is_made(text: &str, taken: &Taken) -> bool {
    let shape = Shape::of(text.as_bytes());
    // Hardly a name has a change at every second character.
    let is_mixed = shape.changes * 3 >= shape.len || shape.is_odd();
    let is_random = if shape.is_hexadecimal() {
        // Sixteen drawn digits of sixteen kinds show 80 percent on average, and 60 nearly always.
        shape.changes >= 2 && shape.evenness() >= 60
    } else {
        (shape.changes * 2 >= shape.len || is_mixed && !shape.is_wordy()) && shape.evenness() >= 80
    };
    ["conn_string", "generic_secret", "api_key"].contains(&taken.kind.as_ref())
        && shape.len >= TELLING_MIN
        && is_random
}

/// The text of a finding from its first piece to its last.
pub(super) fn matched<'a>(content: &'a str, hit: &PatternHit) -> Option<&'a str> {
    content.get(hull(&pieces(content, hit)?))
}

/// Where the secret of a finding is: without the name before it and the colon behind it, with the block behind it.
/// Nothing if it is not known how far it goes.
pub(super) fn pieces(content: &str, hit: &PatternHit) -> Option<Vec<Range<usize>>> {
    let mut pieces = match hit.pattern.as_ref() {
        _ if !hit.pieces.is_empty() => hit.pieces.clone(),
        _ if hit.span.is_empty() => return None,
        name if name == "pem_private_key" || name.starts_with("private_key_") => {
            block::pieces(content, hit.span.clone())?
        }
        _ => vec![piece(content, hit)],
    };
    // What is read from its quote on begins with an escape of its own.
    if hit.pattern != "assigned_password" {
        pieces.iter_mut().for_each(|piece| piece.start += escape_len(content, piece));
    }
    Some(pieces)
}

/// How much of a piece is the end of an escape before it, such as the letter of `\n`, or an escape of a
/// character that no secret has.
fn escape_len(content: &str, piece: &Range<usize>) -> usize {
    let before = content.as_bytes().get(..piece.start).unwrap_or_default();
    let is_behind = before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2;
    let text = content.as_bytes().get(piece.start - is_behind..piece.end).unwrap_or_default();
    let found = escape(text).filter(|_| text.starts_with(b"\\"));
    let len = match found {
        Some((_, len)) if is_behind == 1 => len - 1,
        Some((char, len)) if !(0x21..0x7F).contains(&char) => len,
        _ => 0,
    };
    if len < piece.len() { len } else { 0 }
}

/// How much of a token stands behind a part of it: an escape of a character that tokens have, what follows it, and so on.
/// Files of properties write `\=`.
fn escaped_len(after: &[u8]) -> usize {
    let is_own = |byte: u8| byte.is_ascii_alphanumeric() || b"-_+.".contains(&byte);
    let escape = |rest: &[u8]| match numbered(rest) {
        Some((char, len)) => u8::try_from(char).is_ok_and(is_own).then_some(len),
        None => rest.starts_with(b"\\=").then_some(2),
    };
    let mut len = 0;
    while let Some(rest) = after.get(len..)
        && let Some(escape) = escape(rest)
    {
        let more = rest.iter().skip(escape).take_while(|byte| is_own(**byte)).count();
        work::spend(more);
        len += escape + more;
    }
    len
}

/// Where the secret stands in what these patterns match.
static INNER: [(&str, Form); 4] = [
    ("bearer_token", Form::of(r"(?s)^\S*\s*(.*)$")),
    ("aws_secret_access_key", Form::of(r"(?s)(.{1,40})$")),
    ("url_credentials", Form::of(r"(?s)^(?:.*?://)?(?:[^:]*:)?(.*)@")),
    ("command_line_user", Form::of(r#"(?s)^(?:[^:]*:)?["']?(.*)$"#)),
];

/// The secret of a finding in one piece.
fn piece(content: &str, hit: &PatternHit) -> Range<usize> {
    let Range { start, mut end } = hit.span;
    let found = content.get(start..end).unwrap_or_default();
    let after = content.get(end..).unwrap_or_default();
    let mut forms = INNER.iter().filter(|(name, _)| *name == hit.pattern);
    let inner = forms.next().and_then(|(_, form)| form.captures(found)?.get(1));
    let begin = match inner {
        Some(inner) => {
            end = start + inner.end();
            inner.start()
        }
        None if hit.kind == "generic_secret" => 0,
        None => vendor::name_len(&hit.pattern, found),
    };
    if hit.kind == "generic_secret" {
        // What is the name of another value has a colon behind it.
        let is_end = after.is_empty() || after.starts_with(char::is_whitespace);
        end -= usize::from(is_end && found.ends_with(':'));
    }
    if hit.kind == "api_key" && vendor::row(&hit.pattern).is_none_or(Format::is_open) {
        end += escaped_len(after.as_bytes());
    }
    start + begin..end
}
