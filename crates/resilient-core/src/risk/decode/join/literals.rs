//! Literals that a program puts together: added, listed, or assigned one after the other.
//!
//! Quotes are marked only in the parts of a text that are rich in digits. Two literals belong
//! together by what stands between them, which is asked first: most literals have nothing near them, and
//! then nobody reads them.

use std::ops::Range;

use super::super::super::marks::{GROUP, Marks, quotes};
use super::super::super::work;
use super::super::{Trust, Views};
use super::{JOINED_MAX, names};

/// Literals may stand so far apart.
const GAP_MAX: usize = 48;

/// A literal that is a part of a token is not longer.
const PART_MAX: usize = 512;

/// Joins quoted literals with nothing but operators between them, where there are digits.
pub(super) fn views(text: &str, marks: &Marks, rich: &[Range<usize>], views: &mut Views<'_>) {
    let mut chain = Chain::new(text, marks);
    let mut quoted = Vec::new();
    let mut done = 0;
    for part in rich {
        done = join(&mut chain, part, done, &mut quoted, views);
    }
}

/// Joins the literals on the lines of a part of the text, and tells how far it was read.
fn join(
    chain: &mut Chain<'_>,
    part: &Range<usize>,
    done: usize,
    quoted: &mut Vec<u64>,
    views: &mut Views<'_>,
) -> usize {
    // A line is not read further than this to either side.
    const LINE_MAX: usize = 1024;
    let bytes = chain.text.as_bytes();
    let feed = &chain.marks.feed;
    let from = part.start.saturating_sub(LINE_MAX).max(done);
    let start = feed.last(from, part.start).map_or(from, |at| at + 1);
    let to = (part.end + LINE_MAX).min(bytes.len());
    let end = feed.next(part.end, to).map_or(to, |at| at + 1);
    let bytes = bytes.get(..end).unwrap_or_default();
    work::spend(end.saturating_sub(start));
    quoted.clear();
    quoted.extend((start..end).step_by(GROUP).map(|at| quotes(bytes, at)));
    if !has_four(quoted) {
        return end;
    }
    let mut open: Option<Quote> = None;
    // Where the line ends on which the last literal was opened.
    let mut line_end = 0;
    for (word, base) in quoted.iter().zip((start..).step_by(GROUP)) {
        let mut left = *word;
        while left != 0 {
            let at = base + left.trailing_zeros() as usize;
            left &= left - 1;
            // A quote after a backslash does not count.
            if bytes.get(at.wrapping_sub(1)) == Some(&b'\\') {
                continue;
            }
            let Some(&sign) = bytes.get(at) else { break };
            let quote = Quote { at, sign };
            match &open {
                Some(start) if at < line_end && start.sign == sign => {
                    chain.offer(start.at + 1..at, views);
                    open = None;
                }
                // Another quote inside of a literal.
                Some(start) if at < line_end && at - start.at <= PART_MAX => {}
                // The quote before, if there was one, was an apostrophe or ended no literal.
                _ => {
                    open = Some(quote);
                    if at >= line_end {
                        line_end = feed.next(at, end).unwrap_or(end);
                    }
                }
            }
        }
    }
    chain.end(views);
    chain.last = None;
    end
}

/// A quote that may open a literal.
struct Quote {
    at: usize,
    sign: u8,
}

/// Two literals have four quotes.
fn has_four(quoted: &[u64]) -> bool {
    let mut wanted = 4;
    for word in quoted {
        let mut left = *word;
        while left != 0 {
            left &= left - 1;
            wanted -= 1;
            if wanted == 0 {
                return true;
            }
        }
    }
    false
}

/// What puts two literals together.
#[derive(PartialEq, Eq)]
enum Joint {
    Added,
    /// Honest code lists and assigns, too.
    Listed,
    Assigned,
}

/// Literals that belong together.
struct Chain<'a> {
    text: &'a str,
    marks: &'a Marks,
    /// The literal before, which nobody may have looked at.
    last: Option<Range<usize>>,
    /// Two literals or more, or none.
    parts: Vec<Range<usize>>,
    len: usize,
    /// Where the first literal of the last assignment begins.
    assigned: usize,
    /// Whether something between them leaves a doubt.
    doubted: bool,
}

impl<'a> Chain<'a> {
    fn new(text: &'a str, marks: &'a Marks) -> Self {
        Self { text, marks, last: None, parts: Vec::new(), len: 0, assigned: 0, doubted: false }
    }

    /// Goes on to the next literal, and ends the chain if it does not belong to it.
    fn offer(&mut self, part: Range<usize>, views: &mut Views<'_>) {
        if let Some(last) = self.last.replace(part.clone())
            && let Some(joint) = self.between(&last, &part)
            && (!self.parts.is_empty() || self.fits(&last))
            && self.fits(&part)
        {
            if self.parts.len() >= 2 && self.len + part.len() > JOINED_MAX {
                self.end(views);
                return;
            }
            if self.parts.is_empty() {
                self.assigned = last.start;
                self.add(last);
            }
            if joint == Joint::Assigned {
                self.assigned = part.start;
            }
            self.add(part);
            self.doubted |= joint != Joint::Added;
        } else if !self.parts.is_empty() {
            self.end(views);
        }
    }

    fn add(&mut self, part: Range<usize>) {
        self.len += part.len();
        self.parts.push(part);
    }

    /// Tells whether a literal can be a part of a token: it has no white space in it.
    fn fits(&self, part: &Range<usize>) -> bool {
        if part.is_empty() || part.len() > PART_MAX {
            return false;
        }
        if self.marks.token.run_to(part.start, part.end) == part.len() {
            return true;
        }
        work::spend(part.len());
        let bytes = self.text.as_bytes().get(part.clone()).unwrap_or_default();
        !bytes.iter().fold(false, |any, byte| any | byte.is_ascii_whitespace())
    }

    /// What puts two literals together, by what stands between them.
    fn between(&self, last: &Range<usize>, part: &Range<usize>) -> Option<Joint> {
        let gap = last.end + 1..part.start - 1;
        // Two literals that touch, `""`, are an escaped quote.
        if gap.is_empty() || gap.len() > GAP_MAX {
            return None;
        }
        let gap = self.text.as_bytes().get(gap)?;
        let mut all = JOINS | LISTS | ASSIGNS;
        for byte in gap {
            all &= CLASSES.get(usize::from(*byte)).copied().unwrap_or(0);
            if all == 0 {
                return None;
            }
        }
        // One bar is a choice of literals, which types are made of; two add them.
        let chosen = || gap.contains(&b'|') && !gap.windows(2).any(|two| two == b"||");
        if all & JOINS != 0 && !chosen() {
            return Some(Joint::Added);
        }
        if all & LISTS != 0 {
            return Some(Joint::Listed);
        }
        // `p0 = "…"` and on the next line `p1 = "…"`.
        if gap.trim_ascii_end().last() != Some(&b'=')
            || !gap.iter().any(|byte| matches!(byte, b'\n' | b';'))
        {
            return None;
        }
        let words = gap.split(|b| !b.is_ascii_alphanumeric() && *b != b'_');
        if words.filter(|word| !word.is_empty()).count() > 3 {
            return None;
        }
        let first = if self.parts.is_empty() { last.start } else { self.assigned };
        let name = |start: usize| names::assigned(self.text.as_bytes().get(..start - 1)?);
        names::follows(name(first)?, name(part.start)?).then_some(Joint::Assigned)
    }

    /// Makes a view of the literals, if they could hold a token, and begins anew.
    fn end(&mut self, views: &mut Views<'_>) {
        if let [first, .., last] = self.parts.as_slice()
            && self.len >= 16
            && self.marks.digit.has(2, first.start..last.end)
            && self.digits() >= 2
            && views.has_room(self.len)
        {
            let mut joined = String::with_capacity(self.len);
            joined.extend(self.parts.iter().filter_map(|part| self.text.get(part.clone())));
            let trust = if self.doubted { Trust::Names } else { Trust::Full };
            views.add("joined literals", first.start - 1..last.end + 1, joined, trust);
        }
        self.parts.clear();
        (self.len, self.doubted) = (0, false);
    }

    fn digits(&self) -> usize {
        self.parts.iter().map(|part| self.marks.digit.count(part.clone())).sum()
    }
}

/// Operators and white space.
const JOINS: u8 = 1;
/// These, or a comma.
const LISTS: u8 = 2;
/// Names, numbers and what assigns to them.
const ASSIGNS: u8 = 4;

/// What a byte between two literals can be a part of.
#[expect(clippy::indexing_slicing, reason = "an index out of bounds would not compile")]
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        let white = (byte as u8).is_ascii_whitespace();
        classes[byte] = match byte as u8 {
            b'+' | b'.' => JOINS | LISTS | ASSIGNS,
            b'&' | b'|' | b'~' | b'(' | b')' | b'\\' => JOINS | LISTS,
            b',' => LISTS,
            b'_' | b'$' | b';' | b':' | b'=' => ASSIGNS,
            letter if letter.is_ascii_alphanumeric() => ASSIGNS,
            _ if white => JOINS | LISTS | ASSIGNS,
            _ => 0,
        };
        byte += 1;
    }
    classes
};
