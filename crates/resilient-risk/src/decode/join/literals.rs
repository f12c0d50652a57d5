//! Literals that a program puts together: added, listed, one after the other, or by their names.
//!
//! A statement is seen with its parts joined in place, `api_key = "<joined>"`: what stands before them says as much
//! of them as of one literal. Signs alone show where parts may meet: those between two quotes, and
//! a name that a literal is assigned to and that is used again. What the parts hold does not matter.

use std::ops::Range;

use memchr::{memchr2, memmem};

use super::super::super::byte_classes::ByteClasses;
use super::super::super::work;
use super::super::{Trust, Views};
use super::chain::CHAIN_MAX;
use super::joint::{FILLS, GAP_MAX};
use super::literal::{Source, comment_len};
use super::names::{NamedLiteral, USE_MAX, follows, name_before, word};

/// Between two literals whose names count on stands no more, comments included.
const NEAR: usize = 256;

/// A name is known for so many more assignments.
const NAMES_MAX: usize = 8;

/// So many names count on.
const COUNTED_MAX: usize = 64;

/// Joins the literals of a text that belong together.
pub(super) fn views(text: &str, byte_classes: &ByteClasses, views: &mut Views<'_>) {
    let bytes = text.as_bytes();
    let source = Source { text, bytes, byte_classes, names: Vec::new() };
    source.expand(views);
    let mut reader = Reader { source, counted: 0, read: 0, used: 0 };
    // Where the quote before ends, the number of the last one that goes on with a list, and where literals are filled.
    let (mut start, mut last, mut calls) = (0, None, Vec::new());
    for (nth, at) in byte_classes.quote.ones().enumerate() {
        let source = &reader.source;
        let before = bytes.get(..at).unwrap_or_default();
        let from = std::mem::replace(&mut start, at + 1);
        if let Some((close, (is_listed, next))) = from.checked_sub(1).zip(source.between(from, at))
        {
            if is_listed {
                let is_second = last.is_none_or(|last| nth != last + 2);
                reader.list(is_second.then_some(close), next, views);
                last = Some(nth);
            } else {
                reader.join(close, views);
            }
        } else if before.ends_with(b"=") || before.ends_with(b"= ") {
            reader.assign(at, views);
        } else {
            reader.glue(source.word_before(from, at), views);
        }
        if bytes.get(at + 1..).is_some_and(|rest| rest.starts_with(FILLS)) {
            calls.push(at);
        }
    }
    reader.count(views);
    reader.uses(bytes.len(), views);
    reader.read = 0;
    calls.into_iter().for_each(|call| reader.join(call, views));
}

struct Reader<'a> {
    source: Source<'a>,
    /// How many of the last names count on, one after the other.
    counted: usize,
    /// As far as literals were joined, and as far as names were looked for.
    read: usize,
    used: usize,
}

impl Reader<'_> {
    /// Joins the literal that a quote closes with the next ones.
    fn join(&mut self, close: usize, views: &mut Views<'_>) {
        if close >= self.read
            && let Some(open) = self.source.opened(close, self.read)
        {
            self.join_from(open, views);
        }
    }

    /// Joins a list from one of its literals on: the one that a quote opens, or the first one, which another quote closes.
    fn list(&mut self, first: Option<usize>, quote: usize, views: &mut Views<'_>) {
        let source = &self.source;
        if quote < self.read {
            return;
        }
        if source.byte(quote + 1) == source.byte(quote)
            && let Some(parts) = source.without(quote)
            && let Some(first) = parts.first()
        {
            source.view(first.start - 1, &parts, Trust::Full, views);
        }
        let first = first.and_then(|close| source.opened(close, self.read));
        if let Some(open) = source.list(first, quote) {
            self.join_from(open, views);
        }
    }

    /// Joins what belongs together from a literal on.
    fn join_from(&mut self, open: usize, views: &mut Views<'_>) {
        let chain = self.source.chain(open, CHAIN_MAX);
        self.read = chain.place.end;
        self.source.add(&chain, views);
    }

    /// Joins a part with what is glued to it.
    fn glue(&mut self, part: Option<(Range<usize>, usize)>, views: &mut Views<'_>) {
        let Some((part, end)) = part.filter(|(_, end)| *end >= self.read) else { return };
        let begin = part.start.saturating_sub(1);
        let (parts, end) = self.source.glued(part, end);
        if parts.len() > 1 {
            self.read = end;
            self.source.view(begin, &parts, Trust::Prefixed, views);
        }
    }

    /// Takes note of a literal that is assigned to a name, or joins those that are named in it.
    fn assign(&mut self, quote: usize, views: &mut Views<'_>) {
        let Some((literal, end)) = self.source.literal(quote) else { return };
        let rest = self.source.bytes.get(end..).unwrap_or_default();
        let blanks = rest.iter().take(GAP_MAX).take_while(|byte| b" \t)".contains(byte)).count();
        let behind = rest.get(blanks..).unwrap_or_default();
        let is_end = behind.first().is_none_or(|byte| b"\n\r;,\\".contains(byte));
        if !is_end && (blanks == 0 || comment_len(behind) == 0) {
            return self.glue(Some((literal, end)), views);
        }
        let before = self.source.bytes.get(..quote).unwrap_or_default();
        let Some(name) = name_before(before) else { return };
        self.uses(name.start, views);
        self.used = end;
        let goes_on = self.source.names.last().is_some_and(|last| {
            let [first, next] = [&last.name, &name].map(|name| self.source.said(name));
            name.start.saturating_sub(last.literal.end) <= NEAR
                && follows(first, next)
                && (first != next || self.is_added(&name, &literal))
        });
        if !goes_on || self.counted == COUNTED_MAX {
            self.count(views);
        }
        if self.source.template(&literal).is_some() {
            let chain = self.source.chain(quote, CHAIN_MAX);
            self.source.add(&chain, views);
        }
        if self.source.names.len() > NAMES_MAX.max(self.counted) {
            self.source.names.remove(0);
        }
        self.counted += 1;
        self.source.names.push(NamedLiteral { name, literal });
    }

    /// Tells whether a literal is added to what a name stands for.
    fn is_added(&self, name: &Range<usize>, literal: &Range<usize>) -> bool {
        memchr2(b'+', b'.', self.source.said(&(name.end..literal.start))).is_some()
    }

    /// Joins the literals whose names count on.
    fn count(&mut self, views: &mut Views<'_>) {
        let counted = std::mem::take(&mut self.counted);
        let named = self.source.names.get(self.source.names.len() - counted..).unwrap_or_default();
        if let [first, second, ..] = named {
            let is_added = self.is_added(&second.name, &second.literal);
            let trust = if is_added { Trust::Full } else { Trust::Listed };
            let begin = first.literal.start - 1;
            let parts: Vec<_> = named.iter().map(|of| of.literal.clone()).collect();
            self.source.put(begin, &parts, trust, views);
        }
    }

    /// Joins what is named between the last assignment and a position.
    fn uses(&mut self, end: usize, views: &mut Views<'_>) {
        let end = end.min(self.used + USE_MAX);
        let from = self.used;
        let Some(part) = self.source.bytes.get(from..end) else { return };
        work::spend(part.len());
        let mut done = 0;
        for nth in (0..self.source.names.len()).rev().take(4) {
            let name = self.source.names.get(nth).map(|of| self.source.said(&of.name));
            let Some(at) = name.and_then(|name| memmem::find(part, name)) else { continue };
            let start =
                self.source.byte_classes.feed.last(from, from + at).map_or(from, |feed| feed + 1);
            if start >= done {
                done = self.line(start, views);
            }
        }
    }

    /// Joins what a line puts together by names, and tells where it ends.
    fn line(&self, start: usize, views: &mut Views<'_>) -> usize {
        let end =
            self.source.byte_classes.feed.next(start, start + USE_MAX).unwrap_or(start + USE_MAX);
        work::spend(end - start);
        let mut at = start;
        while at < end.min(self.source.bytes.len()) {
            let chain = self.source.chain(at, CHAIN_MAX);
            if chain.has_name {
                self.source.add(&chain, views);
            }
            let word = word(self.source.bytes, at);
            at = chain.place.end.max(at + word.len().max(1));
        }
        at
    }
}
