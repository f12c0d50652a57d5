//! Finding text whatever its line endings are, and giving inserted text the endings of its surroundings.
//!
//! A line ending here is LF or CRLF. A CR on its own is an ordinary character; but where a file has no LF at all, a new
//! line ends in CR.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;
use memchr::{memchr, memchr_iter, memrchr};

use crate::form::Eol;

/// One place where the string occurs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Match {
    /// Where, in the text that was searched; never half a CRLF at either end.
    pub(super) range: Range<usize>,
    /// Whether the line endings are those that were asked for.
    pub(super) literal: bool,
}

/// Finds the matches of `old` that do not overlap, from the left, taking LF and CRLF as equal.
pub(super) fn find(text: &[u8], old: &str) -> Vec<Match> {
    find_by(text, old, |text, old| memmem::find_iter(text, old).collect())
}

/// As [`find`], also the matches that overlap others: the first ones.
pub(super) fn find_overlapping(text: &[u8], old: &str, max: usize) -> Vec<Match> {
    find_by(text, old, |text, old| {
        let finder = memmem::Finder::new(old);
        let (mut starts, mut from) = (Vec::new(), 0);
        while starts.len() < max
            && let Some(at) = text.get(from..).and_then(|rest| finder.find(rest))
        {
            starts.push(from + at);
            from += at + 1;
        }
        starts
    })
}

fn find_by(text: &[u8], old: &str, starts: impl Fn(&[u8], &[u8]) -> Vec<usize>) -> Vec<Match> {
    let has_crlf = |bytes| memmem::find(bytes, b"\r\n").is_some();
    if !old.contains('\n') || !(has_crlf(old.as_bytes()) || has_crlf(text)) {
        return starts(text, old.as_bytes())
            .into_iter()
            .map(|start| Match { range: start..start + old.len(), literal: true })
            .collect();
    }
    let flat = Flat::of(text);
    let flat_old = old.replace("\r\n", "\n");
    // Every CR left out so far moves the offset by one. One that stands at the offset itself does
    // not, so a match which starts with a line ending takes in the CR and one which stops short of it leaves it.
    let in_text = |at: usize| at + flat.dropped.partition_point(|line_feed| *line_feed < at);
    starts(&flat.text, flat_old.as_bytes())
        .into_iter()
        .map(|start| {
            let range = in_text(start)..in_text(start + flat_old.len());
            let literal = text.get(range.clone()) == Some(old.as_bytes());
            Match { range, literal }
        })
        .collect()
}

/// The lines of a text, without their endings. Here a CR on its own ends a line, too.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
}

/// Text with every CRLF made an LF.
struct Flat {
    text: Vec<u8>,
    /// Where in `text` the LFs stand that lost their CR.
    dropped: Vec<usize>,
}

impl Flat {
    fn of(text: &[u8]) -> Self {
        let mut flat = Self { text: Vec::with_capacity(text.len()), dropped: Vec::new() };
        let mut copied_to = 0;
        for carriage_return in memmem::find_iter(text, b"\r\n") {
            flat.text.extend_from_slice(text.get(copied_to..carriage_return).unwrap_or_default());
            flat.dropped.push(flat.text.len());
            copied_to = carriage_return + 1;
        }
        flat.text.extend_from_slice(text.get(copied_to..).unwrap_or_default());
        flat
    }
}

/// The new text, spelled for one match after the other.
#[derive(Debug)]
pub(super) struct Inserted<'a> {
    text: &'a [u8],
    new: &'a str,
    new_breaks: usize,
    /// Whether new and old text differ by their line endings alone: then these are what the edit is about.
    is_of_endings: bool,
    /// The last answer of `of_line` and the offset up to which it holds: a line may have many matches.
    line: Option<(usize, Option<Eol>)>,
    of_file: Option<Eol>,
}

impl<'a> Inserted<'a> {
    pub(super) fn new(text: &'a [u8], old: &str, new: &'a str) -> Self {
        let new_breaks = memchr_iter(b'\n', new.as_bytes()).count();
        let of_file = if new_breaks == 0 {
            None
        } else if memchr(b'\n', text).is_none() {
            memchr(b'\r', text).map(|_| Eol::Cr)
        } else {
            Eol::dominant(memchr_iter(b'\n', text).map(|at| Eol::at(text, at)))
        };
        let is_of_endings = old.replace("\r\n", "\n") == new.replace("\r\n", "\n");
        Self { text, new, new_breaks, is_of_endings, line: None, of_file }
    }

    /// What to put in the place of `found`; matches are asked for from left to right.
    pub(super) fn instead_of(&mut self, found: &Match) -> Cow<'a, str> {
        if self.new_breaks == 0 || found.literal && self.is_of_endings {
            return Cow::Borrowed(self.new);
        }
        let region = self.text.get(found.range.clone()).unwrap_or_default();
        let endings: Vec<Eol> = memchr_iter(b'\n', region).map(|at| Eol::at(region, at)).collect();
        if endings.is_empty() {
            return match self.of_line(found.range.end).or(self.of_file) {
                None => Cow::Borrowed(self.new),
                Some(ending) => self.spelled(std::iter::repeat(ending)),
            };
        }
        if endings.len() == self.new_breaks {
            // As many lines as before: each keeps its own ending.
            return self.spelled(endings.into_iter());
        }
        let ending = Eol::dominant(endings.into_iter()).or(self.of_file).unwrap_or(Eol::Lf);
        self.spelled(std::iter::repeat(ending))
    }

    /// The ending of the line that holds offset `at`, or of the line before if it has none.
    fn of_line(&mut self, at: usize) -> Option<Eol> {
        if let Some((until, ending)) = self.line
            && at <= until
        {
            return ending;
        }
        let ending_at = |line_feed| Eol::at(self.text, line_feed);
        let rest = self.text.get(at..).unwrap_or_default();
        let (until, ending) = match memchr(b'\n', rest) {
            Some(offset) => (at + offset, Some(ending_at(at + offset))),
            None => (usize::MAX, memrchr(b'\n', self.text).map(ending_at)),
        };
        self.line = Some((until, ending));
        ending
    }

    fn spelled(&self, mut endings: impl Iterator<Item = Eol>) -> Cow<'a, str> {
        let mut spelled = String::with_capacity(self.new.len() + self.new_breaks);
        for line in self.new.split_inclusive('\n') {
            let Some(content) = line.strip_suffix('\n') else {
                spelled.push_str(line);
                continue;
            };
            let ending = endings.next().unwrap_or(Eol::Lf);
            spelled.push_str(content.strip_suffix('\r').unwrap_or(content));
            spelled.push_str(ending.as_str());
        }
        Cow::Owned(spelled)
    }
}
