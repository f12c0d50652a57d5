//! From a view back to the text that it was made of.

use std::ops::Range;

/// Where the characters of a view come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Map {
    /// Whatever is seen in the view was seen in all of these pieces: no part of an encoding differs
    /// from the others.
    Whole(Vec<Range<usize>>),
    /// Each part of the view comes from a piece of its own.
    Parts(Vec<Part>),
}

/// A part of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Part {
    /// Where it ends in the view. It begins where the part before ends.
    end: usize,
    source: Range<usize>,
    /// What stands in the source before it is no text of its own: it goes when both parts do.
    is_joined: bool,
    /// It is as long as its source, so that some of it can be told.
    is_plain: bool,
}

/// A longer list of parts is not kept: then the whole of the source counts.
const PARTS_MAX: usize = 4096;

impl Map {
    /// One piece, which only counts as a whole.
    pub(super) fn whole(source: Range<usize>) -> Self {
        Self::Whole(vec![source])
    }

    pub(super) const fn parts() -> Self {
        Self::Parts(Vec::new())
    }

    /// Some pieces of a text put together, which may take what stands between them with them.
    pub(super) fn joined(
        text: &[u8],
        pieces: &[Range<usize>],
        is_joined: bool,
    ) -> Option<(Self, String)> {
        let (mut map, mut joined) = (Self::parts(), Vec::new());
        for piece in pieces {
            joined.extend_from_slice(text.get(piece.clone())?);
            map.push(piece.len(), piece.clone(), is_joined);
        }
        Some((map, String::from_utf8(joined).ok()?))
    }

    /// Adds a part with so many bytes at the end of the view.
    pub(super) fn push(&mut self, len: usize, source: Range<usize>, is_joined: bool) {
        if len == 0 {
            return;
        }
        match self {
            Self::Whole(pieces) => match pieces.last_mut() {
                Some(last) => last.end = source.end,
                None => pieces.push(source),
            },
            Self::Parts(parts) => {
                let end = parts.last().map_or(0, |last| last.end) + len;
                let is_plain = len == source.len();
                let goes_on = |last: &&mut Part| {
                    is_joined && is_plain && last.is_plain && last.source.end == source.start
                };
                if let Some(last) = parts.last_mut().filter(goes_on) {
                    (last.end, last.source.end) = (end, source.end);
                } else if parts.len() < PARTS_MAX {
                    parts.push(Part { end, source, is_joined, is_plain });
                } else {
                    *self = Self::whole(self.hull().start..source.end);
                }
            }
        }
    }

    /// From the beginning of the source to its end.
    pub(in super::super) fn hull(&self) -> Range<usize> {
        let ends = |first: Option<&Range<usize>>, last: Option<&Range<usize>>| {
            first.map_or(0, |first| first.start)..last.map_or(0, |last| last.end)
        };
        match self {
            Self::Whole(pieces) => ends(pieces.first(), pieces.last()),
            Self::Parts(parts) => {
                ends(parts.first().map(|part| &part.source), parts.last().map(|part| &part.source))
            }
        }
    }

    /// Where parts end inside of a stretch of the view.
    pub(in super::super) fn ends(&self, span: Range<usize>) -> impl Iterator<Item = usize> {
        let parts = if let Self::Parts(parts) = self { parts.as_slice() } else { &[] };
        parts.iter().map(|part| part.end).filter(move |end| span.start < *end && *end < span.end)
    }

    /// The pieces that some of the view was made of, in order and apart.
    pub(in super::super) fn pieces(&self, span: Range<usize>) -> Vec<Range<usize>> {
        let parts = match self {
            Self::Whole(pieces) => return pieces.clone(),
            Self::Parts(parts) => parts,
        };
        let mut pieces: Vec<Range<usize>> = Vec::new();
        let first = parts.partition_point(|part| part.end <= span.start);
        let mut start = first.checked_sub(1).and_then(|nth| parts.get(nth)).map_or(0, |p| p.end);
        for Part { end, source, is_joined, is_plain } in parts.iter().skip(first) {
            if start >= span.end {
                break;
            }
            let (from, to) = if *is_plain {
                (span.start.saturating_sub(start), end.saturating_sub(span.end))
            } else {
                (0, 0)
            };
            let piece = source.start + from..source.end - to;
            start = *end;
            match pieces.last_mut() {
                // What only the view has comes from nowhere.
                _ if source.is_empty() => {}
                Some(last) if *is_joined || last.end == piece.start => last.end = piece.end,
                _ => pieces.push(piece),
            }
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_view_leads_to_its_pieces() {
        // `ab` + `c\x64` with a mark that is not seen behind the `c`, and `ef` in another literal.
        let mut map = Map::parts();
        map.push(2, 10..12, false);
        map.push(1, 20..21, false);
        map.push(0, 30..30, false);
        map.push(1, 24..28, true);
        map.push(2, 40..42, false);
        assert_eq!(map.hull(), 10..42);
        let pieces = |map: &Map, span| -> Vec<(usize, usize)> {
            map.pieces(span).into_iter().map(|piece| (piece.start, piece.end)).collect()
        };
        assert_eq!(pieces(&map, 0..2), [(10, 12)]);
        assert_eq!(pieces(&map, 1..3), [(11, 12), (20, 21)]);
        assert_eq!(pieces(&map, 2..4), [(20, 28)]);
        assert_eq!(pieces(&map, 3..5), [(24, 28), (40, 41)]);
        assert_eq!(pieces(&Map::whole(3..9), 1..2), [(3, 9)]);
    }

    #[test]
    fn a_long_list_of_parts_is_one_piece() {
        let mut map = Map::parts();
        (0..=PARTS_MAX + 1).for_each(|nth| map.push(1, 2 * nth..2 * nth + 2, false));
        assert_eq!(map, Map::whole(0..2 * PARTS_MAX + 4));
    }
}
