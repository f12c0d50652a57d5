//! What is to be taken out of a text: each secret with the pieces that it stands in.

mod copies;
mod pieces;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use self::copies::take_again;
pub(super) use self::copies::{is_strong, searcher};
use self::pieces::is_key;
pub(super) use self::pieces::{matched, pieces};
use super::block::KEY_MAX;
use super::multiline::Multiline;
use super::{Choice, Refusal, Wish, field, hits, plan, remaining, render, wants, window_after};
use crate::added::ends_in;
use crate::material::{is_material, rows};
use crate::{PatternHit, Policy, Report};

/// A text is scanned again at most so often, for what the first redaction has laid bare.
const ROUNDS_MAX: usize = 4;

/// A redaction takes no more secrets out. Each costs memory, in the answer too, and nobody reads so many.
pub(super) const TAKEN_MAX: usize = 50_000;

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
    fn with_field(mut self, multiline: &Multiline<'_>) -> Self {
        let Multiline { content, language, .. } = *multiline;
        let [piece] = self.pieces.as_slice() else { return self };
        if let Some(whole) = with_sign(content, piece) {
            self.pieces = vec![whole];
            return self;
        }
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
                    && let Some(whole) = multiline.whole(piece)
                {
                    self.pieces = vec![whole];
                }
            }
            _ => {}
        }
        self
    }

    /// What of it stands behind a position, if anything does. White space there is none of it.
    pub(super) fn behind(mut self, content: &str, front: usize) -> Option<Self> {
        if front > 0 {
            for piece in self.pieces.iter_mut().filter(|piece| piece.start < front) {
                let whole = content.get(piece.clone()).unwrap_or_default();
                let rest = content.get(front.min(piece.end)..piece.end).unwrap_or_default();
                // The quote that closes the literal stays, and the line that ends a key.
                let quote = whole.chars().next().filter(|first| "\"'`".contains(*first));
                let rest = quote.and_then(|quote| rest.strip_suffix(quote)).unwrap_or(rest);
                let end = front.min(piece.end) + rest.len();
                let is_some = rest.contains(char::is_alphanumeric) && !ends_key(rest);
                let len = if is_some { rest.trim_start().len() } else { 0 };
                *piece = end - len..end;
            }
            self.pieces.retain(|piece| !piece.is_empty() && piece.end > front);
        }
        (!self.pieces.is_empty()).then_some(self)
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

/// A key of Amazon in quotes that begins with a sign of base64, of which the rest was taken: `"/…"`.
fn with_sign(content: &str, piece: &Range<usize>) -> Option<Range<usize>> {
    const LEN: usize = 40;
    let lead = content.get(..piece.start)?.strip_suffix(['/', '+'])?;
    let quote = lead.chars().next_back().filter(|quote| "\"'`".contains(*quote))?;
    let is_closed = content.get(piece.end..)?.starts_with(quote);
    (is_closed && piece.len() + 1 == LEN).then_some(piece.start - 1..piece.end)
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
/// that is gone. Findings within a *front* of so many bytes may go on behind it, and have no number.
///
/// # Errors
/// Where something ends that was chosen is not known, or there is too much of it.
pub(super) fn gather(
    content: &str,
    front: usize,
    policy: &Policy,
    wish: &Wish,
    report: &Report,
) -> Result<Vec<Taken>, Refusal> {
    let Wish { chosen, language, .. } = wish;
    let wanted = |number: usize, hit: &PatternHit| {
        chosen.contains(&Choice::Finding(number)) || wants(chosen, hit)
    };
    let (mut taken, mut unknown) = (Vec::new(), Vec::new());
    let multiline = Multiline::of(content, *language);
    // The block of a key that was read last: the lines found in it are a part of it. If it cannot be read, nor can
    // what begins near it, which is not read again.
    let (mut block, mut unread) = (0..0, 0);
    for (number, hit) in hits(report).filter(|(number, hit)| wanted(*number, hit)) {
        let is_line = is_key(hit) && block.start <= hit.span.start && hit.span.end <= block.end;
        let found = match hit.span.start {
            _ if is_line => Some(vec![hit.span.clone()]),
            start if is_key(hit) && start < unread => None,
            _ => pieces(content, hit),
        };
        match found {
            Some(pieces) => {
                if is_key(hit) && !is_line {
                    block = hull(&pieces);
                }
                let of = Taken::of(pieces, hit).with_field(&multiline);
                let findings = if ends_in(hit, front) { Vec::new() } else { vec![number] };
                taken.push(Taken { findings, ..of });
            }
            None if ends_in(hit, front) && !begins_with_rows(content, front) => {}
            None => {
                if is_key(hit) {
                    unread = hit.span.start + KEY_MAX;
                }
                unknown.push(hit);
            }
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
        let multiline = Multiline::of(&rendered.text, *language);
        let marks = rendered.places.into_iter().map(|(place, _)| place);
        let marks: Vec<_> = marks.zip(outs.into_iter().map(|out| out.span)).collect();
        let more = hits(&after).filter(|(_, hit)| wants(chosen, hit));
        let more = more.filter_map(|(_, hit)| {
            let of = Taken::of(pieces(&rendered.text, hit)?, hit);
            let of = of.with_field(&multiline);
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

/// Tells whether a text is the line that ends a key.
pub(super) fn ends_key(text: &str) -> bool {
    text.starts_with("-----END ") && !text.trim_end().contains('\n')
}

/// Tells whether a text goes on with rows of a key from a position on.
fn begins_with_rows(content: &str, at: usize) -> bool {
    const NEAR: usize = 200;
    rows(window_after(content, at, NEAR).as_bytes()).any(is_material)
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
