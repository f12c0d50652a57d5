//! A secret in the literals of a text: its pieces, and the literals, or the places in code, that are written anew.

use std::iter::once;
use std::ops::Range;

use super::super::literal::Region;
use super::super::syntax::Kind;
use super::{Rendered, Replacement};

/// A secret within one literal or outside of all. One that goes over several has the mark in the first.
pub(super) struct Piece<'a> {
    pub(super) span: Range<usize>,
    pub(super) secret: &'a Replacement,
    pub(super) is_first: bool,
    pub(super) is_only: bool,
}

impl Piece<'_> {
    pub(super) fn put(&self, mark: &str, rendered: &mut Rendered) {
        if self.is_first {
            rendered.put(mark, false);
        }
    }
}

/// Cuts a secret where a literal begins or ends, and in YAML where an item of a list begins.
pub(super) fn pieces<'a>(
    content: &str,
    is_yaml: bool,
    regions: &[Region],
    secret: &'a Replacement,
) -> impl Iterator<Item = Piece<'a>> {
    let Range { start, end } = secret.span;
    let literal = |at| holding(regions, at).filter(|region| region.kind == Kind::Literal);
    let spans: Vec<Range<usize>> = match (literal(start), literal(end.saturating_sub(1))) {
        // What stays of a literal keeps its quotes: it may go on over many lines.
        (None, Some(last)) if end < last.inner.end => {
            let within = last.inner.start..end.max(last.inner.start);
            once(start..last.outer.start).chain(Some(within).filter(|it| !it.is_empty())).collect()
        }
        (None, last) => once(start..last.map_or(end, |last| last.outer.end)).collect(),
        (Some(first), None) => vec![start..first.inner.end, first.outer.end..end],
        (Some(_), Some(_)) => {
            let nth = regions.partition_point(|region| region.outer.end <= start);
            let some = regions.iter().skip(nth).take_while(|region| region.outer.start < end);
            let some = some.filter(|region| region.kind == Kind::Literal);
            some.map(|of| start.clamp(of.inner.start, of.inner.end)..end.min(of.inner.end))
                .collect()
        }
    };
    let is_bare = |span: &Range<usize>| literal(span.start).is_none();
    let spans: Vec<Range<usize>> = spans
        .into_iter()
        .flat_map(|span| match is_yaml && is_bare(&span) {
            true => items(content, span),
            false => vec![span],
        })
        .collect();
    let is_only = spans.len() == 1;
    let spans = spans.into_iter().enumerate();
    spans.map(move |(nth, span)| Piece { span, secret, is_first: nth == 0, is_only })
}

/// The stretches of a text between the signs of the items of a YAML list. A list of codes is one text.
fn items(content: &str, span: Range<usize>) -> Vec<Range<usize>> {
    const SIGN: &str = "- ";
    let text = content.get(span.clone()).unwrap_or_default();
    let mut words = text.split_ascii_whitespace().filter(|word| *word != "-");
    if words.all(|word| word.starts_with("0x") || word.parse::<u32>().is_ok()) {
        return vec![span];
    }
    let (mut spans, mut from, mut at) = (Vec::new(), span.start, span.start);
    for line in text.split_inclusive('\n') {
        let sign = at + line.len() - line.trim_start_matches(' ').len();
        if at > span.start && content.get(sign..span.end).is_some_and(|it| it.starts_with(SIGN)) {
            // The line break stays, too.
            spans.push(from..content.get(..at).map_or(at, |it| it.trim_end().len()).max(from));
            from = sign + SIGN.len();
        }
        at += line.len();
    }
    spans.push(from..span.end);
    spans
}

/// The region that a place is in.
fn holding(regions: &[Region], at: usize) -> Option<&Region> {
    let nth = regions.partition_point(|region| region.outer.end <= at);
    regions.get(nth).filter(|region| region.outer.start <= at)
}

/// A literal, or a bare place, with the secrets in it.
pub(super) struct Site<'a> {
    pub(super) outer: Range<usize>,
    /// The region that it is; none in code.
    pub(super) kind: Option<Kind>,
    /// What stands before it in its region.
    pub(super) begin: &'a str,
    pub(super) open: &'a str,
    pub(super) close: &'a str,
    pub(super) parts: Vec<Part<'a>>,
    interpolations: &'a [Range<usize>],
}

pub(super) enum Part<'a> {
    Text(&'a str),
    Secret(&'a Piece<'a>),
}

impl<'a> Site<'a> {
    /// Gathers the literal around a piece and all pieces that share it. What is before a place is written.
    pub(super) fn of(
        content: &'a str,
        regions: &'a [Region],
        first: &Piece<'a>,
        pieces: &'a [Piece<'a>],
        written: usize,
    ) -> Self {
        let text = |range: Range<usize>| content.get(range).unwrap_or_default();
        let region = holding(regions, first.span.start);
        let kind = region.map(|region| region.kind);
        let Some(region) = region.filter(|region| region.kind == Kind::Literal) else {
            let start = first.span.start.max(written);
            // Secrets without a sign between them are one value.
            let outer_of = |at| holding(regions, at).map(|region| region.outer.clone());
            let is_glued = |one: &Piece<'_>, next: &Piece<'_>| {
                one.span.end == next.span.start
                    && [one, next].iter().all(|of| of.is_only && of.secret.is_first)
                    && outer_of(one.span.start) == outer_of(next.span.start)
            };
            let glued = pieces
                .windows(2)
                .take_while(|two| matches!(two, [one, next] if is_glued(one, next)));
            let parts = pieces.get(..=glued.count()).unwrap_or_default();
            let end = parts.last().map_or(start, |last| last.span.end);
            let outer = start..end.max(start);
            let begin = text(region.map_or(start, |region| region.outer.start)..start);
            let parts = parts.iter().map(Part::Secret).collect();
            return Self { outer, kind, begin, open: "", close: "", parts, interpolations: &[] };
        };
        let (mut parts, mut from) = (Vec::new(), region.inner.start);
        for piece in pieces.iter().take_while(|piece| piece.span.start < region.outer.end) {
            crate::work::spend(1);
            parts.extend(
                Some(text(from..piece.span.start)).filter(|of| !of.is_empty()).map(Part::Text),
            );
            parts.push(Part::Secret(piece));
            from = piece.span.end;
        }
        parts
            .extend(Some(text(from..region.inner.end)).filter(|of| !of.is_empty()).map(Part::Text));
        Self {
            outer: region.outer.clone(),
            kind,
            begin: "",
            open: text(region.outer.start..region.inner.start),
            close: text(region.inner.end..region.outer.end),
            parts,
            interpolations: &region.interpolations,
        }
    }

    pub(super) fn pieces(&self) -> impl Iterator<Item = &'a Piece<'a>> {
        self.parts.iter().filter_map(|part| match part {
            Part::Secret(piece) => Some(*piece),
            Part::Text(_) => None,
        })
    }

    /// Whether the text that stays has a sign.
    pub(super) fn has_text(&self, is: impl Fn(&str) -> bool) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Text(text) if is(text)))
    }

    /// Whether nothing but the secret is in it.
    pub(super) const fn is_whole(&self) -> bool {
        self.parts.len() == 1
    }

    /// Whether a secret is in the code inside of a literal.
    pub(super) fn has_in_hole(&self, Piece { span, .. }: &Piece<'_>) -> bool {
        let nth =
            self.interpolations.partition_point(|interpolation| interpolation.end <= span.start);
        self.interpolations.get(nth).is_some_and(|interpolation| interpolation.start < span.end)
    }
}
