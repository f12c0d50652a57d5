//! Lines and groups: a secret that is cut where lines end, or by single spaces.

use std::ops::Range;

use super::super::super::bits::{After, Bits, Past};
use super::super::super::lanes::GROUP;
use super::super::super::literals::Literal;
use super::super::super::marks::{Marks, is_token};
use super::super::super::work;
use super::super::{Map, Survey, Trust, Views};
use super::JOINED_MAX;

/// Lines that a backslash continues.
#[cold]
#[inline(never)]
pub(super) fn continued(bytes: &[u8], survey: &Survey, views: &mut Views<'_>) {
    let marks = &survey.marks;
    let mut done = 0;
    for place in survey.places.iter().filter(|place| place.literal == Literal::Continued) {
        let at = place.at;
        let follows = at > 0 && bytes.get(at - 1).is_some_and(|byte| is_token(*byte));
        if at < done || !follows {
            continue;
        }
        let start = at - marks.token.run_back(at, done.max(at.saturating_sub(512)));
        let mut text = bytes.get(start..at).unwrap_or_default().to_vec();
        let mut map = Map::parts();
        map.push(at - start, start..at, false);
        let mut end = at;
        while text.len() < JOINED_MAX
            && let Some(rest) = bytes.get(end..).and_then(behind_continued)
        {
            let len = rest.iter().take(512).take_while(|byte| is_token(**byte)).count();
            text.extend(rest.get(..len).unwrap_or_default());
            let from = bytes.len() - rest.len();
            map.push(len, from..from + len, false);
            end = from + len;
        }
        done = end;
        if text.len() >= 16
            && text.iter().any(u8::is_ascii_digit)
            && views.has_room(text.len())
            && let Ok(text) = String::from_utf8(text)
        {
            views.add("continued lines", map, text, Trust::Full);
        }
    }
}

/// What stands on the next line behind a backslash that continues this one.
fn behind_continued(text: &[u8]) -> Option<&[u8]> {
    let rest = text.strip_prefix(b"\\")?;
    rest.strip_prefix(b"\n").or_else(|| rest.strip_prefix(b"\r\n"))
}

/// Groups of one length with single spaces between them: `glsa_v6n 63ah6dax ym7y6lws`.
#[inline(always)]
pub(super) fn groups(bytes: &[u8], survey: &Survey, views: &mut Views<'_>) {
    let marks = &survey.marks;
    for lines in dense_lines(bytes, survey) {
        for end in marks.feed.ones(lines.clone()).chain(std::iter::once(lines.end)) {
            if ends_in_groups(bytes, end, marks.token.before(end)) {
                let start = marks.feed.last(lines.start, end).map_or(lines.start, |at| at + 1);
                if (20..=2048).contains(&(end - start)) {
                    groups_in(bytes, marks, start..end, views);
                }
            }
        }
    }
}

/// Tells the lines on which digits are dense: a group holds a digit now and then, and lines without any
/// are prose.
#[inline(always)]
fn dense_lines<'a>(bytes: &[u8], survey: &'a Survey) -> impl Iterator<Item = Range<usize>> + 'a {
    // A line is not read further than this to either side.
    const LINE_MAX: usize = 1024;
    let feed = &survey.marks.feed;
    let len = bytes.len();
    let mut done = 0;
    survey.dense.iter().filter_map(move |dense| {
        let from = dense.start.saturating_sub(LINE_MAX).max(done);
        let start = feed.last(from, dense.start).map_or(from, |at| at + 1);
        let to = (dense.end + LINE_MAX).min(len);
        let end = feed.next(dense.end, to).unwrap_or(to);
        (end > done).then(|| {
            work::spend(end - start);
            done = end;
            start..end
        })
    })
}

/// The lengths of groups. The last one has what is left.
const GROUPS: Range<usize> = 3..41;
const LAST: Range<usize> = 1..GROUPS.end;

/// What may stand behind the last group of a line.
fn is_tail(byte: u8) -> bool {
    matches!(byte, b' ' | b'\r' | b'"' | b'\'' | b';' | b',' | b')' | b']' | b'}')
}

/// Tells by the tokens before the end of a line whether it may end in two groups with a space between them,
/// the first of them not shorter, and signs. There is no branch for how it ends: that is not to be guessed.
#[inline(always)]
fn ends_in_groups(bytes: &[u8], end: usize, tokens: u64) -> bool {
    let tail = tokens.leading_zeros();
    let tokens = tokens << (tail & 63);
    let last = tokens.leading_ones();
    let before = (tokens << (last & 63) << 1).leading_ones();
    // Of what begins before these bytes the length is not known.
    let is_cut = |len: u32| len >= GROUP as u32;
    let gap = end.wrapping_sub((tail + last + 1) as usize);
    let fits = LAST.contains(&(last as usize))
        & ((before >= last) | is_cut(tail + last + 1 + before))
        & (bytes.get(gap) == Some(&b' '));
    fits | is_cut(tail + last)
}

/// Joins the groups that a line ends in.
#[inline(never)]
fn groups_in(bytes: &[u8], marks: &Marks, line: Range<usize>, views: &mut Views<'_>) {
    let whole = bytes.get(line.clone()).unwrap_or_default();
    let Some(last) = whole.iter().rposition(|byte| !is_tail(*byte)) else { return };
    // Before the last two groups stand spaces, and nothing else is in them.
    let group = |end: usize, lens: Range<usize>| {
        let len = marks.token.run_back(end, line.start);
        let spaced = end - len > line.start && bytes.get(end - len - 1) == Some(&b' ');
        (spaced && lens.contains(&len)).then_some(len)
    };
    let end = line.start + last + 1;
    let Some(last) = group(end, LAST) else { return };
    let Some(before) = group(end - last - 1, GROUPS).filter(|len| *len >= last) else { return };
    // Before the third one, which is as long, stands a space or what may open a literal.
    let third = (end - last - 1 - before - 1).checked_sub(before).filter(|at| *at >= line.start);
    let Some(third) = third else { return };
    if third > line.start && !bytes.get(third - 1).is_some_and(|byte| b" \"'`:=".contains(byte)) {
        return;
    }
    let body = bytes.get(line.start..end).unwrap_or_default();
    // From the end of the line, where the odd group is.
    let mut words: Vec<&[u8]> = Vec::new();
    let mut start = body.len();
    let mut word_end = body.len();
    for word in body.rsplit(|byte| *byte == b' ') {
        let ends_at = word_end;
        word_end = word_end.saturating_sub(word.len() + 1);
        let quote = word.iter().position(|byte| !is_token(*byte));
        let word = match quote {
            // An opening quote ends the walk; anything else is no group.
            Some(at) if word.get(at).is_some_and(|byte| b"\"'`:=".contains(byte)) => {
                word.get(at + 1..).unwrap_or_default()
            }
            Some(_) => break,
            None => word,
        };
        let same = words.get(1).or(words.first()).map_or(word.len(), |first| first.len());
        let fits = match words.len() {
            0 => LAST.contains(&word.len()),
            1 => GROUPS.contains(&word.len()) && word.len() >= same,
            _ => word.len() == same,
        };
        if !fits {
            break;
        }
        words.push(word);
        start = ends_at - word.len();
        if quote.is_some() {
            break;
        }
    }
    let len = words.iter().map(|word| word.len()).sum::<usize>();
    if words.len() < 3 || len < 16 || !views.has_room(len) {
        return;
    }
    // The blanks between the groups go with them.
    let (mut map, mut at) = (Map::parts(), line.start + start);
    for word in words.iter().rev() {
        map.push(word.len(), at..at + word.len(), true);
        at += word.len() + 1;
    }
    let joined: Vec<u8> = words.into_iter().rev().flatten().copied().collect();
    if joined.iter().filter(|byte| byte.is_ascii_digit()).nth(1).is_some()
        && let Ok(text) = String::from_utf8(joined)
    {
        views.add("joined groups", map, text, Trust::Names);
    }
}

/// A short list of lines, each one token, the last shorter: `newline`-cut tokens whose lines are
/// shorter than the runs that blobs are looked for in.
#[inline(always)]
pub(super) fn lines(text: &str, survey: &Survey, views: &mut Views<'_>) {
    /// A line or two without digits may belong to a token that has some.
    const AROUND: usize = 2 * GROUP;
    let feed = &survey.marks.feed;
    let mut done = 0;
    for dense in &survey.dense {
        // Lines that are so short are several to a stretch of digits.
        if feed.count_short(dense.clone()) < 2 {
            continue;
        }
        let from = dense.start.saturating_sub(AROUND).max(done);
        let whole = from == 0 || from == done;
        let line = if whole { None } else { feed.next(from, dense.start) };
        let start = line.map_or(from, |at| at + 1);
        let end = (dense.end + AROUND).min(text.len());
        if end > start {
            // Where the last line ends is known only at the end of the text.
            let last = if end == text.len() { Some(end) } else { feed.last(start, end) };
            let Some(last) = last else {
                done = start;
                continue;
            };
            if may_have_list(&survey.marks, &(start..last)) {
                lines_of(text, &survey.marks, start..last, views);
            }
            done = last + 1;
        }
    }
}

/// Tells whether two of some lines, one after the other, may have one token each and nothing but signs
/// around it.
#[inline(always)]
fn may_have_list(marks: &Marks, lines: &Range<usize>) -> bool {
    let mut singles = Singles::default();
    // Before the lines stands a line feed or nothing.
    singles.starts.next(u64::from(lines.start.is_multiple_of(GROUP)) << (GROUP - 1));
    let (first, last) = (lines.start / GROUP, lines.end / GROUP);
    let [tokens, feeds] =
        [&marks.token, &marks.feed].map(|bits| bits.words.get(first..last).unwrap_or_default());
    let mut found = 0;
    for (tokens, feeds) in tokens.iter().zip(feeds) {
        found |= singles.next(*tokens, *feeds);
    }
    let end = 1 << (lines.end % GROUP);
    found | singles.next(marks.token.word(last), marks.feed.word(last) | end) != 0
}

/// Tells of one group after the other where lines end that have one token, and lines before them that have
/// one, too.
#[derive(Default)]
struct Singles {
    starts: After,
    firsts: Past,
    behinds: Past,
    tails: Past,
    nexts: After,
    seconds: Past,
}

impl Singles {
    #[inline(always)]
    fn next(&mut self, tokens: u64, ends: u64) -> u64 {
        let others = !tokens & !ends;
        let starts = self.starts.next(ends);
        let first = self.firsts.next(starts, others) & tokens;
        let single = self.tails.next(self.behinds.next(first, tokens), others) & ends;
        self.seconds.next(self.nexts.next(single), !ends) & single
    }
}

/// Joins those of some lines that are a list.
#[inline(never)]
fn lines_of(text: &str, marks: &Marks, lines: Range<usize>, views: &mut Views<'_>) {
    work::spend(lines.len());
    let mut list = List::default();
    let mut start = lines.start;
    let (mut before, mut width) = (start..start, 0);
    while start <= lines.end {
        let line = start..marks.feed.next(start, lines.end).unwrap_or(lines.end);
        start = line.end + 1;
        let len = token_len(&marks.token, &line);
        if !list.is_empty() {
            list.go_on(text, line.clone(), len, views);
        } else if SHORT.contains(&width) && (1..=width).contains(&len) {
            list.go_on(text, before, width, views);
            list.go_on(text, line.clone(), len, views);
        }
        (before, width) = (line, len);
    }
}

/// The lengths of the first line of a list.
const SHORT: Range<usize> = 6..16;

/// With white space, a line of a list is not longer.
const WIDE_MAX: usize = GROUP;

/// How long the token on a line is, if there is only one and the line is no longer than those of a list.
fn token_len(tokens: &Bits, line: &Range<usize>) -> usize {
    if line.is_empty() || line.len() > WIDE_MAX {
        return 0;
    }
    let bits = tokens.before(line.end) & u64::MAX << (GROUP - line.len());
    // One token is one row of bits: to add its lowest bit clears it.
    let is_one = bits.wrapping_add(bits & bits.wrapping_neg()) & bits == 0;
    if is_one { bits.count_ones() as usize } else { 0 }
}

/// Lines of one length, each of them one token.
#[derive(Default)]
struct List {
    tokens: Vec<Range<usize>>,
    joined: String,
    width: usize,
    count: usize,
}

impl List {
    const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Goes on to the next line, which ends the list if it is shorter or has more on it than a token of so
    /// many bytes.
    fn go_on(&mut self, text: &str, line: Range<usize>, len: usize, views: &mut Views<'_>) {
        let mut token = text.get(line.clone()).unwrap_or_default();
        let mut start = line.start;
        if token.len() != len {
            start += token.len() - token.trim_ascii_start().len();
            token = token.trim_ascii();
        }
        let span = start..start + token.len();
        let is_filled = len > 0 && token.len() == len;
        if is_filled && !self.is_empty() && len <= self.width {
            self.joined.push_str(token);
            self.count += 1;
            self.tokens.push(span.clone());
            if len == self.width {
                return;
            }
        }
        if self.count >= 2 && self.joined.len() >= 16 && views.has_room(self.joined.len()) {
            // What is joined next is written where this was.
            let mut map = Map::parts();
            self.tokens.drain(..).for_each(|token| map.push(token.len(), token, false));
            views.add("joined lines", map, self.joined.clone(), Trust::Names);
        }
        self.joined.clear();
        self.tokens.clear();
        self.count = 0;
        if is_filled && SHORT.contains(&len) {
            self.joined.push_str(token);
            self.tokens.push(span);
            (self.width, self.count) = (len, 1);
        }
    }
}
