//! Variables of a shell with nothing between them: `"$A$B"`, `$A${B}`, `${A}end`.
//!
//! A shell assigns without quotes, too, and uses a variable anywhere. So the value is looked for where the variable is
//! used, in the text above.

use std::ops::Range;

use memchr::{memchr_iter, memmem};

use super::super::super::token::TokenStats;
use super::super::super::{known_formats, work};
use super::super::{Trust, Views};
use super::begins_format;
use super::literal::{PART_MAX, Source, is_quote};
use super::names::{USE_MAX, is_named};

/// A token has no more parts, and a variable no longer name.
const PARTS_MAX: usize = 8;
const NAME_MAX: usize = 64;

/// A short name may stand anywhere. So often it is looked at.
const SEEN_MAX: usize = 32;

/// A part of a word with a variable in it.
enum Part {
    /// A variable, by its name.
    Name(Range<usize>),
    /// A text.
    Text(Range<usize>),
}

impl Source<'_> {
    /// Joins the values of variables with what stands right beside them, and with what is added to them.
    pub(super) fn expand(&self, views: &mut Views<'_>) {
        let mut done = 0;
        for at in memchr_iter(b'$', self.bytes) {
            // Between such quotes a shell expands nothing.
            if at < done || at > 0 && self.byte(at - 1) == b'\'' {
                continue;
            }
            let (begin, word, end) = self.expanded(at, done);
            let later: Vec<_> = word.iter().map(|part| self.said_by(part, begin, false)).collect();
            // A token may begin behind a text or another variable.
            for from in 0..word.len() {
                let mut parts: Vec<Range<usize>> = Vec::new();
                for (part, later) in word.iter().zip(&later).skip(from) {
                    let said = match parts.is_empty() {
                        true => self.said_by(part, begin, true),
                        false => later.clone(),
                    };
                    if said.is_empty() {
                        break;
                    }
                    parts.extend(said.into_iter().filter(|part| !part.is_empty()));
                }
                let begins = |part: &Range<usize>| from == 0 || is_begun(self.said(part));
                if parts.len() > 1
                    && parts.first().is_some_and(begins)
                    && self.put_token(begin, &parts, views)
                {
                    done = end;
                    break;
                }
            }
        }
        for at in memmem::find_iter(self.bytes, "+=") {
            let len = self.said(&(at.saturating_sub(NAME_MAX)..at));
            let len = len.iter().rev().take_while(|byte| is_named(**byte)).count();
            let end = self.byte_classes.feed.next(at, at + PART_MAX).unwrap_or(at);
            if len > 0 && self.assigned(at + 2, end + 1).is_some() {
                self.put_token(at - len, &self.values(&(at - len..at), end + 1, true), views);
            }
        }
    }

    /// What a part of a word says; nothing if it is a variable without a value. The *first* one begins a token if it can.
    fn said_by(&self, part: &Part, begin: usize, first: bool) -> Vec<Range<usize>> {
        match part {
            Part::Text(said) => vec![said.clone()],
            Part::Name(name) => self.values(name, begin, first),
        }
    }

    /// Puts parts together if they are several, and a token begins with them. A whole token takes nothing with it, and
    /// what may be one takes only a drawn part.
    fn put_token(&self, begin: usize, parts: &[Range<usize>], views: &mut Views<'_>) -> bool {
        /// Tokens without a length have so many characters, the long ones so many, and the rests of them so many.
        const OPEN_MIN: usize = 24;
        const LONG_MIN: usize = 40;
        /// So the paper's patterns without a length begin.
        const LONG: [&[u8]; 3] = [b"sk-", b"eyJ", b"client-"];
        const REST_MIN: usize = 11;
        const LONG_REST_MIN: usize = 20;
        let [first, rest @ ..] = parts else { return false };
        let said = self.said(first);
        if rest.is_empty() || known_formats::is_full(said) {
            return false;
        }
        // What fills a format takes nothing more with it.
        let fills = |len: &usize| {
            let some = parts.get(..*len).unwrap_or_default();
            known_formats::is_full(&self.joined(some))
        };
        if let Some(some) = (2..=parts.len()).find(fills).and_then(|len| parts.get(..len)) {
            self.put(begin, some, Trust::Full, views);
            return true;
        }
        let has_no_length = || LONG.iter().any(|prefix| said.starts_with(prefix));
        let may_be_one = said.len() >= OPEN_MIN && known_formats::is_whole(said)
            || said.len() >= LONG_MIN && has_no_length();
        let is_rest = |part: &[u8]| {
            let stats = TokenStats::of(part);
            let is_long = part.len() >= LONG_REST_MIN && !stats.is_name();
            part.len() >= REST_MIN
                && stats.is_rest()
                && (is_long || stats.is_drawn())
                && !part.iter().all(|byte| byte.is_ascii_hexdigit() || b"-_.".contains(byte))
        };
        let has_rest = || rest.iter().any(|part| is_rest(self.said(part)));
        let is_token = (!may_be_one || has_rest()) && begins_format(&self.joined(parts));
        if is_token {
            self.put(begin, parts, Trust::Full, views);
        }
        is_token
    }

    /// The word that has a variable at a position, not before a floor: where it begins, its parts, and where it ends. A
    /// variable that stands alone has none.
    fn expanded(&self, dollar: usize, floor: usize) -> (usize, Vec<Part>, usize) {
        let floor = floor.max(dollar.saturating_sub(PART_MAX));
        let (mut parts, mut at) = (Vec::new(), dollar);
        let before = self.before(dollar, floor);
        let begin = before.as_ref().map_or(dollar, |before| before.start);
        parts.extend(before.map(Part::Text));
        while parts.len() < PARTS_MAX
            && let Some((part, end)) = self.beside(at)
        {
            parts.push(part);
            at = end;
        }
        let is_word = parts.len() > 1;
        (begin, if is_word { parts } else { Vec::new() }, at)
    }

    /// What stands right before a variable: the begin of a word, or a literal, `"a"$B` and `'a'"$B"`.
    fn before(&self, dollar: usize, floor: usize) -> Option<Range<usize>> {
        let closed = |close: usize| {
            let open = self.opened(close, floor).filter(|_| is_quote(self.byte(close)))?;
            Some(self.literal(open)?.0)
        };
        let last = dollar.checked_sub(1).filter(|last| is_quote(self.byte(*last)));
        if let Some(last) = last {
            return closed(last).or_else(|| closed(last.checked_sub(1)?));
        }
        let start = self.word_start(floor, dollar);
        (start < dollar).then_some(start..dollar)
    }

    /// The part of a word at a position, and where it ends.
    fn beside(&self, at: usize) -> Option<(Part, usize)> {
        let (byte, next) = (self.byte(at), self.byte(at + 1));
        if byte == b'$' {
            // `$A`, `${A}`, `${A:-b}`
            let braces = usize::from(next == b'{');
            let start = at + 1 + braces;
            let rest = self.bytes.get(start..)?;
            let len = rest.iter().take(NAME_MAX).take_while(|byte| is_named(**byte)).count();
            let behind = rest.get(len..).unwrap_or_default();
            let close = match behind.first() {
                _ if braces == 0 => 0,
                Some(b'}') => 1,
                Some(b':' | b'-') => 1 + behind.iter().take(NAME_MAX).position(|b| *b == b'}')?,
                _ => return None,
            };
            return (len > 0).then_some((Part::Name(start..start + len), start + len + close));
        }
        if is_quote(byte) {
            let (literal, end) = match self.literal(at) {
                Some(literal) => literal,
                // The quote closes what is expanded: `"$A"b`.
                None if is_named(next) || matches!(next, b'$' | b'"' | b'\'') => (at..at, at + 1),
                None => return None,
            };
            return Some((Part::Text(literal), end));
        }
        let goes_on = matches!(byte, b'-' | b'.') && (is_named(next) || next == b'$');
        let end = at + self.byte_classes.token.run_to(at, at + PART_MAX);
        (is_named(byte) || goes_on).then_some((Part::Text(at..end), end))
    }

    /// What a variable holds before a position, by the last assignment above: `NAME=value`, and what is added to it
    /// behind, `NAME+=value`. The *first* one of a word is the last that a token begins with, if there is one.
    fn values(&self, name: &Range<usize>, end: usize, first: bool) -> Vec<Range<usize>> {
        let floor = end.saturating_sub(USE_MAX);
        let before = self.bytes.get(floor..end).unwrap_or_default();
        work::spend(before.len() / 4);
        let name = self.said(name);
        let (mut values, mut last) = (Vec::new(), Vec::new());
        for at in memmem::rfind_iter(before, name).take(SEEN_MAX) {
            let sign = at.checked_sub(1).and_then(|at| before.get(at));
            let begins = sign.map_or(floor == 0, |byte| b"\n \t;(&|{\"'`".contains(byte));
            let sign = floor + at + name.len();
            let is_added = self.byte(sign) == b'+';
            let start = sign + 1 + usize::from(is_added);
            if !begins || self.byte(start - 1) != b'=' {
                continue;
            }
            let Some(value) = self.assigned(start, end) else { continue };
            values.insert(0, value);
            if is_added && values.len() < PARTS_MAX {
                continue;
            }
            if !first || begins_format(&self.joined(&values)) {
                return values;
            }
            if last.is_empty() {
                last = std::mem::take(&mut values);
            }
            values.clear();
        }
        if last.is_empty() { values } else { last }
    }

    /// The value that is assigned at a position and ends before another one: a literal, or a word, without signs that a
    /// shell expands.
    fn assigned(&self, start: usize, end: usize) -> Option<Range<usize>> {
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.+/=:,@%".contains(byte);
        let value = if is_quote(self.byte(start)) {
            self.literal(start)?.0
        } else {
            let rest = self.bytes.get(start..end)?;
            let len = rest.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b';');
            start..start + len.unwrap_or(rest.len())
        };
        let is_value = (1..=PART_MAX).contains(&value.len()) && value.end < end;
        (is_value && self.said(&value).iter().all(is_plain)).then_some(value)
    }
}

/// Tells whether a part of a word, behind other ones, may begin a token: a name in a program has no digit, and one capital.
fn is_begun(part: &[u8]) -> bool {
    let stats = TokenStats::of(part);
    stats.digits > 0 || stats.upper > 1
}
