//! Variables of a shell with nothing between them: `"$A$B"`, `$A${B}`, `${A}end`.
//!
//! A shell assigns without quotes, too, and uses a variable anywhere. So the value is looked for where the variable is
//! used, in the text above.

use std::ops::Range;

use memchr::{memchr_iter, memmem, memrchr};

use super::super::super::work;
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
            if at < done {
                continue;
            }
            let (begin, word, end) = self.expanded(at, done);
            let mut parts = Vec::new();
            for part in &word {
                let said = match part {
                    Part::Text(said) => vec![said.clone()],
                    Part::Name(name) => self.values(self.said(name), begin),
                };
                if said.is_empty() {
                    break;
                }
                parts.extend(said);
            }
            if self.put_token(begin, &parts, views) {
                done = end;
            }
        }
        for at in memmem::find_iter(self.bytes, "+=") {
            let len = self.said(&(at.saturating_sub(NAME_MAX)..at));
            let len = len.iter().rev().take_while(|byte| is_named(**byte)).count();
            let end = self.byte_classes.feed.next(at, at + PART_MAX).unwrap_or(at);
            if len > 0 && self.assigned(at + 2, end + 1).is_some() {
                self.put_token(at - len, &self.values(self.said(&(at - len..at)), end + 1), views);
            }
        }
    }

    /// Puts parts together if they are several, and a token begins with them.
    fn put_token(&self, begin: usize, parts: &[Range<usize>], views: &mut Views<'_>) -> bool {
        let is_one = parts.len() > 1 && begins_format(&self.joined(parts));
        if is_one {
            self.put(begin, parts, Trust::Full, views);
        }
        is_one
    }

    /// The word that has a variable at a position, not before a floor: where it begins, its parts, and where it ends. A
    /// variable that stands alone has none.
    fn expanded(&self, dollar: usize, floor: usize) -> (usize, Vec<Part>, usize) {
        let floor = floor.max(dollar.saturating_sub(PART_MAX));
        let begin = dollar - self.byte_classes.token.run_back(dollar, floor);
        let sign = memrchr(b'=', self.said(&(begin..dollar)));
        let begin = sign.map_or(begin, |sign| begin + sign + 1);
        let (mut parts, mut at) = (Vec::new(), dollar);
        if begin < dollar {
            parts.push(Part::Text(begin..dollar));
        }
        while parts.len() < PARTS_MAX
            && let Some((part, end)) = self.beside(at)
        {
            parts.push(part);
            at = end;
        }
        let is_word = parts.len() > 1;
        (begin, if is_word { parts } else { Vec::new() }, at)
    }

    /// The part of a word at a position, and where it ends.
    fn beside(&self, at: usize) -> Option<(Part, usize)> {
        let byte = self.byte(at);
        if byte == b'$' {
            // `$A`, `${A}`
            let braces = usize::from(self.byte(at + 1) == b'{');
            let start = at + 1 + braces;
            let rest = self.bytes.get(start..)?;
            let len = rest.iter().take(NAME_MAX).take_while(|byte| is_named(**byte)).count();
            let is_closed = braces == 0 || rest.get(len) == Some(&b'}');
            let name = start..start + len;
            return (len > 0 && is_closed).then_some((Part::Name(name), start + len + braces));
        }
        if is_quote(byte) {
            let (literal, end) = self.literal(at)?;
            return Some((Part::Text(literal), end));
        }
        let is_word = is_named(byte) || byte == b'-' && is_named(self.byte(at + 1));
        let end = at + self.byte_classes.token.run_to(at, at + PART_MAX);
        is_word.then_some((Part::Text(at..end), end))
    }

    /// What a variable holds before a position, by the last assignment above: `NAME=value`, and what is added to it
    /// behind, `NAME+=value`.
    fn values(&self, name: &[u8], end: usize) -> Vec<Range<usize>> {
        let floor = end.saturating_sub(USE_MAX);
        let before = self.bytes.get(floor..end).unwrap_or_default();
        work::spend(before.len() / 4);
        let mut values = Vec::new();
        for at in memmem::rfind_iter(before, name).take(SEEN_MAX) {
            let last = at.checked_sub(1).and_then(|at| before.get(at));
            let begins = last.map_or(floor == 0, |byte| b"\n \t;".contains(byte));
            let sign = floor + at + name.len();
            let is_added = self.byte(sign) == b'+';
            let start = sign + 1 + usize::from(is_added);
            if begins
                && self.byte(start - 1) == b'='
                && let Some(value) = self.assigned(start, end)
            {
                values.insert(0, value);
                if !is_added || values.len() == PARTS_MAX {
                    break;
                }
            }
        }
        values
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
