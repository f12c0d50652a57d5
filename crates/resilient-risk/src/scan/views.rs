//! What is seen in views, and the pieces of the text that it is made of.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::decode::{self, Map, Trust, View};
use super::super::family::BINARY_HINT;
use super::super::format::Format;
use super::super::inner::secret_in;
use super::super::known_formats;
use super::super::paper_patterns::PAPER_PATTERNS;
use super::super::text_index::TextIndex;
use super::super::token::TokenStats;
use super::{Finding, Scan, ScanOptions, collect};

/// What stands between views that are scanned together: it ends every line, literal and token.
const BETWEEN: &str = "\n\u{1}\n";

impl Scan {
    /// Scans what was decoded. All views of one trust are scanned as one text, so that many small
    /// ones cost no more than a large one.
    pub(super) fn views(
        &mut self,
        text: &str,
        views: Vec<View>,
        options: ScanOptions<'_>,
        depth: usize,
        budget: &mut usize,
    ) {
        let mut inner: Vec<Vec<Finding>> = views.iter().map(|_| Vec::new()).collect();
        for trust in [Trust::Full, Trust::Prefixed] {
            let mut joined = String::new();
            // Where each view begins, and its number.
            let mut starts = Vec::new();
            for (nth, view) in views.iter().enumerate() {
                let is_full = view.trust == Trust::Full;
                if is_full == (trust == Trust::Full) && self.may_show(view) {
                    starts.push((joined.len(), nth));
                    joined.push_str(&view.text);
                    joined.push_str(BETWEEN);
                }
            }
            if starts.is_empty() {
                continue;
            }
            let text_index = TextIndex::of(joined.as_bytes());
            for mut found in collect(&joined, text_index, options, trust, depth + 1, budget) {
                let after = starts.partition_point(|(start, _)| *start <= found.span.start);
                let Some((start, nth)) = after.checked_sub(1).and_then(|at| starts.get(at)) else {
                    continue;
                };
                let inside =
                    views.get(*nth).is_some_and(|view| found.span.end <= start + view.text.len());
                if inside && let Some(inner) = inner.get_mut(*nth) {
                    for span in std::iter::once(&mut found.span).chain(&mut found.pieces) {
                        *span = span.start - start..span.end - start;
                    }
                    inner.push(found);
                }
            }
        }
        let mut index = None;
        for (view, mut inner) in views.into_iter().zip(inner) {
            if !self.may_show(&view) {
                continue;
            }
            inner.retain(|found| !found.placeholder && found.family != "pii");
            let encoded = matches!(view.via, "base64" | "hex" | "escapes");
            if inner.is_empty() && encoded && is_bare_token(&view.text) {
                inner.push(Finding::new("api_key", "encoded_token", 0..view.text.len()));
            }
            if inner.is_empty() {
                continue;
            }
            // In an encoding one secret cannot be separated from another.
            let is_whole = matches!(view.map, Map::Whole(_));
            let mut families = BTreeSet::new();
            for mut found in inner {
                without_words_behind(&view, &mut found);
                // Of an address and of a named value the secret alone: what else is in a part is code.
                let matched = view.text.get(found.span.clone()).unwrap_or_default();
                let secret = secret_in(found.pattern, matched);
                let start = found.span.start;
                found.span = start + secret.start..start + secret.end;
                let mut pieces = source_of(&view.map, &found);
                if is_whole && !families.insert(found.family) {
                    continue;
                }
                let is_free = families.len() > 1 || pieces.iter().all(|p| self.claims.is_free(p));
                if !is_free {
                    self.extend(text, &pieces, &found, &view, &mut index);
                    continue;
                }
                pieces.sort_by_key(|piece| (piece.start, piece.end));
                pieces.dedup();
                pieces.iter().for_each(|piece| self.claims.take(piece));
                found.via.insert(0, view.via);
                let ends = pieces.first().zip(pieces.last());
                found.span = ends.map_or(0..0, |(first, last)| first.start..last.end);
                found.pieces = pieces;
                found.order = PAPER_PATTERNS.len();
                self.findings.push(found);
            }
        }
    }

    /// Tells whether a view may show what nobody has found. Where a text was put together of parts, one of
    /// them may be a secret by itself, and the whole of it another.
    fn may_show(&self, view: &View) -> bool {
        match &view.map {
            Map::Whole(pieces) => pieces.iter().all(|piece| self.claims.is_free(piece)),
            Map::Parts(_) => true,
        }
    }

    /// Adds the other pieces of a secret to the finding that has seen one of them only.
    fn extend(
        &mut self,
        text: &str,
        pieces: &[Range<usize>],
        whole: &Finding,
        view: &View,
        index: &mut Option<Vec<(usize, usize)>>,
    ) {
        let ends = |of: fn(&Range<usize>) -> usize| pieces.iter().map(of);
        let Some(hull) = ends(|p| p.start).min().zip(ends(|p| p.end).max()) else { return };
        let index = index.get_or_insert_with(|| self.index());
        let Some(nth) = only(index, &(hull.0..hull.1)) else { return };
        let Some(found) = self.findings.get(nth) else { return };
        let known = found.span.clone();
        let holds = |piece: &&Range<usize>| piece.start <= known.start && known.end <= piece.end;
        let place = pieces.iter().position(|piece| holds(&piece));
        let Some(place) = place.filter(|_| found.pieces.is_empty()) else { return };
        // Nothing belongs to a token that is as long as its format allows.
        let is_full = |format: &Format<'_>| format.len_max() <= known.len();
        if is_join(view) && known_formats::row(found.pattern).is_some_and(is_full) {
            return;
        }
        let is_line = view.via == "joined lines";
        let is_token = is_format(found.pattern);
        // What fits a format only with the rest needs no other proof of it.
        let is_part = !is_token && found.pattern != whole.pattern;
        // Literals without a sign between them are one word, as in a shell.
        let is_glued = view.via == "joined literals" && view.trust == Trust::Prefixed;
        let is_sure = !is_line && (view.trust == Trust::Full || is_glued || is_part);
        let rest_of = |piece: &Range<usize>| text.as_bytes().get(piece.clone()).unwrap_or_default();
        let goes_on = |piece: &Range<usize>| {
            // What was found is a secret without the next line, which may be a name, a word or a key.
            let names =
                is_line && matches!(text.as_bytes().get(piece.end), Some(b'=' | b':' | b'('));
            // The next line of a literal may be a digest.
            let is_next = view.via == "continued lines" && !is_digest(rest_of(piece));
            let may_go = (view.trust != Trust::Listed || is_next) && !names;
            self.claims.is_free(piece) && (is_sure || may_go && is_rest(view, rest_of(piece)))
        };
        // From the known piece on, as far as the rest goes. Before a token stands nothing of it. A variable may be assigned
        // above what stands before it in the view.
        let (front, back) = pieces.split_at_checked(place).unwrap_or_default();
        let holder = back.first().cloned().unwrap_or_default();
        let before = std::iter::once(holder.start..known.start).chain(front.iter().rev().cloned());
        let before = before.filter(|_| !is_token);
        let after = std::iter::once(known.end..holder.end).chain(back.iter().skip(1).cloned());
        let is_some = |piece: &Range<usize>| !piece.is_empty();
        let mut all: Vec<_> = after.filter(is_some).take_while(goes_on).collect();
        let is_tail = |piece: &mut Range<usize>| is_spare(view, rest_of(piece));
        while is_token && is_join(view) && all.pop_if(is_tail).is_some() {}
        all.extend(before.filter(is_some).take_while(goes_on));
        if all.is_empty() {
            return;
        }
        all.push(known);
        all.sort_by_key(|piece| (piece.start, piece.end));
        all.dedup();
        all.iter().for_each(|piece| self.claims.take(piece));
        let mut apart: Vec<Range<usize>> = Vec::with_capacity(all.len());
        for piece in all {
            match apart.last_mut().filter(|last| last.end == piece.start) {
                Some(last) => last.end = piece.end,
                None => apart.push(piece),
            }
        }
        if let Some(found) = self.findings.get_mut(nth) {
            found.pieces = apart;
        }
    }

    /// The secrets that were found so far, by where they begin.
    fn index(&self) -> Vec<(usize, usize)> {
        let secrets = self.findings.iter().enumerate();
        let secrets = secrets.filter(|(_, found)| !matches!(found.family, "pii" | BINARY_HINT));
        let mut all: Vec<_> = secrets.map(|(nth, found)| (found.span.start, nth)).collect();
        all.sort_unstable();
        all
    }
}

/// Tells whether a pattern is the form of a token: what it finds is whole.
fn is_format(pattern: &str) -> bool {
    known_formats::row(pattern).is_some()
        || PAPER_PATTERNS.iter().any(|known| known.name == pattern)
}

/// The secret that begins in a stretch of the text, if it is the only one: what goes over two is none.
fn only(index: &[(usize, usize)], span: &Range<usize>) -> Option<usize> {
    let from = index.partition_point(|(start, _)| *start < span.start);
    let mut within = index.iter().skip(from).take_while(|(start, _)| *start < span.end);
    let (_, nth) = within.next()?;
    within.next().is_none().then_some(*nth)
}

/// Where a finding of a view comes from, in the order of the view.
fn source_of(map: &Map, found: &Finding) -> Vec<Range<usize>> {
    let inner =
        if found.pieces.is_empty() { std::slice::from_ref(&found.span) } else { &found.pieces };
    let mut pieces: Vec<_> = inner.iter().flat_map(|p| map.pieces(p.clone())).collect();
    pieces.dedup();
    pieces
}

/// Tells whether a view puts literals or lines together.
fn is_join(view: &View) -> bool {
    matches!(view.via, "joined literals" | "continued lines")
}

/// Tells whether what a view adds behind a token that is whole without it is no part of the token.
fn is_spare(view: &View, behind: &[u8]) -> bool {
    match view.trust {
        Trust::Listed => !is_rest(view, behind),
        _ if is_join(view) => is_words(behind),
        _ => behind.iter().all(u8::is_ascii_lowercase),
    }
}

/// Tells whether a text is words and small numbers, as names, hosts and versions are: `-main`, `user1`, `v1.2.3`.
fn is_words(text: &[u8]) -> bool {
    const DIGITS_MAX: usize = 4;
    text.split(|byte| !byte.is_ascii_alphanumeric()).all(|run| {
        let len = run.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (word, number) = run.split_at_checked(len).unwrap_or_default();
        let small = word.iter().skip(1).filter(|byte| byte.is_ascii_lowercase()).count();
        let is_word = small + 1 >= len || small == 0 && !word.iter().any(u8::is_ascii_lowercase);
        let is_number = number.len() <= DIGITS_MAX && number.iter().all(u8::is_ascii_digit);
        is_word && is_number && !TokenStats::of(word).has_rare_bigrams()
    })
}

/// Tells whether what a view adds to a secret that is one without it may be its rest: a word that stands near it is
/// none, nor is a short line or item.
fn is_rest(view: &View, rest: &[u8]) -> bool {
    const REST_MIN: usize = 8;
    let is_long = rest.len() >= REST_MIN || view.via == "joined groups";
    is_long && TokenStats::of(rest).is_rest()
}

/// Tells whether a text is as long as a digest and has hexadecimal digits only.
fn is_digest(text: &[u8]) -> bool {
    matches!(text.len(), 32 | 40 | 64) && text.iter().all(u8::is_ascii_hexdigit)
}

/// Tells whether an encoded text is one random token and nothing else: encoding it was no accident.
fn is_bare_token(text: &str) -> bool {
    let text = text.trim();
    let token = (20..=200).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    if !token {
        return false;
    }
    let stats = TokenStats::of(text.as_bytes());
    if decode::is_base64_text(text) {
        return false;
    }
    let even = stats.entropy_percent() >= 85 && stats.changes * 3 >= stats.len;
    even && stats.digits >= 3 && stats.lower >= 3 && stats.upper >= 3 && !stats.is_wordlike()
}

/// Leaves out what was added behind a token that is whole without it: a word, or the next argument of a list.
fn without_words_behind(view: &View, found: &mut Finding) {
    /// Patterns of the paper without an end take 20 or more.
    const OPEN_MIN: usize = 24;
    const PIECES_MAX: usize = 64;
    let Range { start, end } = found.span;
    let token = |end: usize| view.text.as_bytes().get(start..end).unwrap_or_default();
    // Items of a list are one token or none.
    let is_one = !is_join(view) || view.trust == Trust::Listed;
    let most = if is_one { 1 } else { PIECES_MAX };
    let is_whole = |end: &usize| match known_formats::row(found.pattern).filter(|_| is_join(view)) {
        Some(format) => format.matches(token(*end)).is_some_and(|(len, _)| len == end - start),
        None if found.family == "github_pat" => {
            (known_formats::GITHUB_LEN..known_formats::GITHUB_LEN + most).contains(&(end - start))
        }
        None => is_join(view) && is_format(found.pattern) && end - start >= OPEN_MIN,
    };
    let behind = |whole: usize| view.text.as_bytes().get(whole..end).unwrap_or_default();
    let mut ends = view.map.ends(start..end).filter(is_whole).take(PIECES_MAX);
    if let Some(whole) = ends.find(|whole| is_spare(view, behind(*whole))) {
        found.span.end = whole;
    }
}
