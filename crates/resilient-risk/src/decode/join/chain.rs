//! Parts that a program puts together from a position on.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memchr2;
use regex::bytes::{Captures, Regex};

use super::super::super::{known_formats, work};
use super::super::{Trust, Views};
use super::around::{is_command, is_format, is_joined};
use super::joint::{FILLS, Joint};
use super::literal::{Source, is_quote};
use super::names::{is_setting, member, word};
use super::{JOINED_MAX, Joined, begins_format};

/// What is put together is not looked at for longer.
pub(super) const CHAIN_MAX: usize = 2 * JOINED_MAX;

/// A token in items of a list, which others follow, has fewer parts.
const FIRSTS_MAX: usize = 5;

/// Parts that belong together, and where they are put together.
#[derive(Default)]
pub(super) struct Chain {
    pub(super) parts: Vec<Range<usize>>,
    pub(super) place: Range<usize>,
    /// Honest code lists, too.
    is_listed: bool,
    /// The first part has places for the others.
    is_filled: bool,
    pub(super) has_name: bool,
}

/// The places of a literal for arguments, and those for what names stand for.
static PLACES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"%s|\{([0-9]?)\}").ok());
static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?-u)\$\{([A-Za-z0-9_]+)\}|\{([A-Za-z0-9_]+)\}|\$([A-Za-z0-9_]+)").ok()
});

/// What some parts begin with, the longest first.
fn firsts(parts: &[Range<usize>]) -> impl Iterator<Item = &[Range<usize>]> {
    (2..parts.len().min(FIRSTS_MAX)).rev().filter_map(|len| parts.get(..len))
}

impl Source<'_> {
    /// The parts that are put together from a position on, within so many bytes.
    pub(super) fn chain(&self, start: usize, most: usize) -> Chain {
        let mut chain = Chain { place: start..start, ..Chain::default() };
        let (mut at, mut last, mut is_called) = (start, None, false);
        while at - start <= most
            && let Some(end) = self.part(at, &mut chain)
        {
            chain.is_listed |= match last {
                Some(Joint::Listed) => true,
                Some(Joint::Beside) => {
                    !chain.is_listed && (self.are_settings(&chain) || is_command(self.bytes, start))
                }
                Some(Joint::Added | Joint::Filled | Joint::Called | Joint::Wrapped) | None => false,
            };
            chain.place.end = end;
            let rest = self.bytes.get(end..).unwrap_or_default();
            let joint = if rest.starts_with(FILLS) {
                let call = end + FILLS.len();
                Some((Joint::Filled, self.joint(call).map_or(call, |(_, next)| next)))
            } else {
                self.joint(end)
            };
            let Some((joint, next)) = joint else { break };
            let joint = match joint {
                Joint::Wrapped if is_joined(self.bytes, start) => Joint::Listed,
                Joint::Wrapped => break,
                other => other,
            };
            is_called |= joint == Joint::Called;
            let joint = if is_called { Joint::Called } else { joint };
            // The next argument is no part of what is added up before it.
            let is_next = joint == Joint::Listed && !chain.is_listed;
            if is_next && last.is_some_and(|last| last != Joint::Filled) {
                break;
            }
            at = next;
            chain.is_filled |= joint == Joint::Filled && chain.parts.len() == 1;
            last = Some(joint);
        }
        self.fill(&mut chain);
        work::spend(chain.place.len());
        chain
    }

    /// Tells whether the last two parts are settings, which no program adds without a sign between them.
    fn are_settings(&self, chain: &Chain) -> bool {
        let is_setting = |part: &Range<usize>| is_setting(self.said(part));
        matches!(chain.parts.as_slice(), [.., one, next] if is_setting(one) && is_setting(next))
    }

    /// Adds the part that begins at a position, and tells where it ends.
    fn part(&self, at: usize, chain: &mut Chain) -> Option<usize> {
        let quote = self.quote(at);
        if is_quote(self.byte(quote)) {
            let (literal, end) = self.literal(quote)?;
            match self.template(&literal) {
                Some(parts) => {
                    chain.has_name = true;
                    chain.parts.extend(parts);
                }
                None if self.has_code(quote, &literal) => return None,
                None => chain.parts.push(literal),
            }
            return Some(end);
        }
        let word = word(self.bytes, at);
        // Of `it.head` and `it["head"]` the last word counts.
        let (last, end) = member(self.bytes, &word);
        let named = self.named(&last).map(|part| (part, end));
        let (part, end) = named.or_else(|| Some((self.named(&word)?, word.end)))?;
        chain.parts.push(part);
        chain.has_name = true;
        Some(end)
    }

    /// Puts the other parts of a chain where its first one has places for them: `%s`, `{}`, `{0}`.
    fn fill(&self, chain: &mut Chain) {
        if !(chain.is_filled || chain.is_listed && is_format(self.bytes, chain.place.start)) {
            return;
        }
        let Some((template, parts)) = chain.parts.split_first() else { return };
        let mut nth = 0;
        let filled = self.with_parts(template, &PLACES, |place| {
            let number = place.get(1).and_then(|digit| digit.as_bytes().first());
            let part = parts.get(number.map_or(nth, |digit| usize::from(digit - b'0')))?;
            nth += 1;
            Some(part.clone())
        });
        chain.is_filled = filled.is_some();
        chain.parts = filled.unwrap_or_else(|| std::mem::take(&mut chain.parts));
    }

    /// A literal with other parts in its places; nothing if it has none.
    fn with_parts(
        &self,
        literal: &Range<usize>,
        places: &LazyLock<Option<Regex>>,
        mut part: impl FnMut(&Captures<'_>) -> Option<Range<usize>>,
    ) -> Option<Vec<Range<usize>>> {
        let (mut parts, mut done) = (Vec::new(), literal.start);
        for place in places.as_ref()?.captures_iter(self.said(literal)) {
            if let Some(part) = part(&place) {
                let at = place.get_match().range();
                parts.extend([done..literal.start + at.start, part]);
                done = literal.start + at.end;
            }
        }
        if parts.is_empty() {
            return None;
        }
        parts.push(done..literal.end);
        parts.retain(|part| !part.is_empty());
        Some(parts)
    }

    /// The literal that a name stands for: the last one.
    fn named(&self, word: &Range<usize>) -> Option<Range<usize>> {
        let word = self.said(word);
        let word = word.strip_prefix(b"$").unwrap_or(word);
        let named = self.names.iter().rev().find(|of| self.said(&of.name) == word)?;
        Some(named.literal.clone())
    }

    /// The parts of a literal with names in it: `{head}{tail}`, `${head}`, `$head`; nothing if no name is known.
    pub(super) fn template(&self, literal: &Range<usize>) -> Option<Vec<Range<usize>>> {
        if self.names.is_empty() {
            return None;
        }
        memchr2(b'{', b'$', self.said(literal))?;
        let mut is_known = false;
        let parts = self.with_parts(literal, &NAMED, |place| {
            let name = place.iter().skip(1).flatten().next()?;
            let word = literal.start + name.start()..literal.start + name.end();
            let is_name = place.get_match().as_bytes().starts_with(b"$");
            let known = self.named(&word);
            is_known |= known.is_some();
            // What an unknown name stands for ends a text, as a quote does.
            known.or_else(|| is_name.then_some(literal.start - 1..literal.start))
        });
        parts.filter(|_| is_known)
    }

    /// Makes the views of what belongs together.
    pub(super) fn add(&self, chain: &Chain, views: &mut Views<'_>) {
        let Chain { parts, place, is_listed, is_filled, .. } = chain;
        let is_sure = !is_listed || *is_filled || is_joined(self.bytes, place.start);
        self.put(place.start, parts, if is_sure { Trust::Full } else { Trust::Listed }, views);
    }

    /// Makes the views of parts that are put together at a position. A token may begin behind the first one, and end before
    /// the last one.
    pub(super) fn put(
        &self,
        begin: usize,
        parts: &[Range<usize>],
        trust: Trust,
        views: &mut Views<'_>,
    ) {
        let later = parts.iter().skip(1).position(|part| self.begins(part.start - 1));
        let later = later.and_then(|nth| parts.get(nth + 1..)).unwrap_or_default();
        if later.len() > 1 && begins_format(&self.joined(later)) {
            self.view(begin, self.whole(later), Trust::Listed, views);
            firsts(later).for_each(|some| self.view(begin, some, Trust::Listed, views));
        }
        if parts.len() > 1 {
            self.view(begin, self.whole(parts), trust, views);
        }
        if trust == Trust::Listed {
            firsts(parts).for_each(|some| self.view(begin, some, trust, views));
        }
    }

    /// The first of some parts, up to where a token ends that can be no longer; all if there is none.
    fn whole<'p>(&self, parts: &'p [Range<usize>]) -> &'p [Range<usize>] {
        /// Tokens of one length are not longer.
        const FULL_MAX: usize = 256;
        let mut said = Vec::new();
        for (nth, part) in parts.iter().enumerate() {
            said.extend_from_slice(self.said(part));
            if said.len() > FULL_MAX {
                break;
            }
            if nth > 0 && known_formats::is_full(&said) {
                return parts.get(..=nth).unwrap_or(parts);
            }
        }
        parts
    }

    /// Makes a view of parts that are put together at a position.
    pub(super) fn view(
        &self,
        begin: usize,
        parts: &[Range<usize>],
        trust: Trust,
        views: &mut Views<'_>,
    ) {
        let parts =
            parts.iter().filter_map(|part| Some((self.text.get(part.clone())?, part.clone())));
        let joined = Joined { via: "joined literals", parts: parts.collect(), is_list: false };
        joined.add(self.text, self.byte_classes, begin, trust, views);
    }
}
