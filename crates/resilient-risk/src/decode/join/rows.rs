//! Lines and groups: a secret that is cut where lines end, or by single spaces.

use std::ops::Range;

use memchr::{memchr_iter, memrchr};

use super::super::super::bits::{GROUP, ones};
use super::super::super::marks::{Marks, is_token};
use super::super::super::work;
use super::super::{Map, Trust, Views};
use super::{JOINED_MAX, JOINED_MIN, blob, may_hold};

/// Lines that a backslash continues.
pub(super) fn continued(bytes: &[u8], marks: &Marks, views: &mut Views<'_>) {
    let mut done = 0;
    for at in memchr_iter(b'\\', bytes) {
        if !matches!(bytes.get(at + 1..), Some([b'\n', ..] | [b'\r', b'\n', ..])) {
            continue;
        }
        let follows = at > 0 && bytes.get(at - 1).is_some_and(|byte| is_token(*byte));
        if at < done || !follows {
            continue;
        }
        let start = at - marks.token.run_back(at, done.max(at.saturating_sub(512)));
        let before = bytes.get(..start).unwrap_or_default();
        let quote = Quote::before(before);
        let leader = leader(before);
        let mut text = bytes.get(start..at).unwrap_or_default().to_vec();
        let mut map = Map::parts();
        map.push(at - start, start..at, false);
        let mut end = at;
        let mut is_indented = false;
        while text.len() < JOINED_MAX
            && let Some((rest, is_in)) =
                bytes.get(end..).and_then(|rest| behind_continued(rest, leader))
        {
            is_indented |= is_in;
            let len = rest.iter().take(512).take_while(|byte| is_token(**byte)).count();
            let Some((token, behind)) = rest.split_at_checked(len) else { break };
            if !quote.is_end(behind) {
                break;
            }
            text.extend(token);
            let from = bytes.len() - rest.len();
            map.push(len, from..from + len, false);
            end = from + len;
        }
        done = end;
        if text.len() >= JOINED_MIN
            && views.has_room(text.len())
            && let Ok(text) = String::from_utf8(text)
        {
            // Where blanks count, as in a shell, an indented line is another word.
            let trust = if is_indented { Trust::Names } else { Trust::Full };
            views.add("continued lines", map, text, trust);
        }
    }
}

/// The quote that stands before a token.
#[derive(Clone, Copy)]
enum Quote {
    None,
    One(u8),
    /// Such a literal goes on behind the end of a line.
    Three(u8),
}

impl Quote {
    fn before(text: &[u8]) -> Self {
        match text {
            [.., a, b, c @ (b'"' | b'\'')] if a == c && b == c => Self::Three(*c),
            [.., quote @ (b'"' | b'\'' | b'`')] => Self::One(*quote),
            _ => Self::None,
        }
    }

    /// Tells by what stands behind a word whether the word can be the rest of a token of the line before. A literal
    /// goes on to its quote. Elsewhere the word is no name that is called or assigned to, and no key.
    fn is_end(self, behind: &[u8]) -> bool {
        match (behind.first(), self) {
            (None | Some(b'\\'), _) => true,
            (Some(byte), Self::One(quote)) => *byte == quote,
            (Some(byte), Self::Three(quote)) => *byte == quote || matches!(byte, b'\n' | b'\r'),
            (Some(_), Self::None) => {
                let next = behind.iter().find(|byte| !matches!(byte, b' ' | b'\t'));
                !matches!(next, Some(b'(' | b':' | b'='))
            }
        }
    }
}

/// What the line that a text ends in begins with if it is a comment: `//`, `#`, `*`.
fn leader(text: &[u8]) -> &[u8] {
    let start = memrchr(b'\n', text).map_or(0, |feed| feed + 1);
    let line = text.get(start..).unwrap_or_default().trim_ascii_start();
    let len = line.iter().take_while(|byte| b"/#*;-".contains(byte)).count();
    line.get(..len).unwrap_or_default()
}

/// What stands on the next line behind a backslash that continues this one, and whether it is indented: YAML and TOML
/// leave white space there out. A comment goes on behind what its lines begin with.
fn behind_continued<'a>(text: &'a [u8], leader: &[u8]) -> Option<(&'a [u8], bool)> {
    let rest = text.strip_prefix(b"\\")?;
    let rest = rest.strip_prefix(b"\n").or_else(|| rest.strip_prefix(b"\r\n"))?;
    let inside = rest.trim_ascii_start();
    let comment =
        inside.strip_prefix(leader).filter(|rest| !leader.is_empty() && rest.starts_with(b" "));
    if let Some(comment) = comment {
        return Some((comment.trim_ascii_start(), false));
    }
    Some((inside, inside.len() < rest.len()))
}

/// Joins the groups that lines end in, and lines of one token each.
pub(super) fn views(text: &str, marks: &Marks, views: &mut Views<'_>) {
    let mut lines = Lines { text, marks, list: List::default(), start: 0, before: 0, width: 0 };
    let mut before = 0;
    for (group, (feeds, digits)) in marks.feed.words.iter().zip(&marks.digit.words).enumerate() {
        // One token in two hundred has no digit; most lines of programs have none.
        let has_digit = digits | before != 0;
        before = *digits;
        for end in ones(*feeds).map(|bit| group * GROUP + bit) {
            if has_digit || !lines.list.is_empty() {
                lines.end(end, views);
            } else {
                (lines.start, lines.width) = (end + 1, 0);
            }
        }
    }
    lines.end(text.len(), views);
    lines.list.go_on(text, 0..0, 0, views);
}

/// The lines of a text, one after the other.
struct Lines<'a> {
    text: &'a str,
    marks: &'a Marks,
    list: List,
    start: usize,
    /// Where the line before begins, and how long its token is.
    before: usize,
    width: usize,
}

impl Lines<'_> {
    /// Goes over the end of a line.
    fn end(&mut self, end: usize, views: &mut Views<'_>) {
        let Self { text, marks, start, before, width, .. } = *self;
        let tokens = marks.token.before(end);
        let len = token_len(tokens, end - start);
        if ends_in_groups(tokens) {
            groups_in(text.as_bytes(), marks, start..end, views);
        }
        let begins = (width >= SHORT_MIN) & (len > 0) & (len <= width);
        if begins | !self.list.is_empty() {
            if self.list.is_empty() {
                self.list.go_on(text, before..start - 1, width, views);
            }
            self.list.go_on(text, start..end, len, views);
        }
        (self.before, self.start, self.width) = (start, end + 1, len);
    }
}

/// So many characters may be a group, and the last one has what is left.
const GROUPS: Range<usize> = 1..41;

/// What may stand behind the last group of a line.
fn is_tail(byte: u8) -> bool {
    matches!(byte, b' ' | b'\r' | b'"' | b'\'' | b';' | b',' | b')' | b']' | b'}')
}

/// Tells by the tokens before the end of a line whether it may end in three groups with one sign between them, the
/// first two of one length and the last not longer, and signs; half of it is tokens at least.
fn ends_in_groups(tokens: u64) -> bool {
    let tokens = tokens << (tokens.leading_zeros() & 63);
    let last = tokens.leading_ones();
    let rest = tokens << (last & 63) << 1;
    let second = rest.leading_ones();
    let first = (rest << (second & 63) << 1).leading_ones();
    // Of what begins before these bytes the length is not known.
    let is_cut = last + second + first + 2 >= GROUP as u32;
    let is_full = (tokens >> (GROUP / 2)).count_ones() >= 15;
    (last > 0) & (last <= second) & ((first == second) | is_cut) & is_full
}

/// Joins the groups that a line ends in: `glsa_v6n 63ah6dax ym7y6lws`.
fn groups_in(bytes: &[u8], marks: &Marks, line: Range<usize>, views: &mut Views<'_>) {
    const LINE_MAX: usize = 2048;
    let whole = bytes.get(line.clone()).unwrap_or_default();
    let Some(last) = whole.iter().rposition(|byte| !is_tail(*byte)) else { return };
    let floor = line.start.max((line.start + last).saturating_sub(LINE_MAX));
    // From the end of the line, where the odd group is.
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut end = line.start + last + 1;
    loop {
        let len = marks.token.run_back(end, floor);
        let sign = if end - len > floor { bytes.get(end - len - 1).copied() } else { Some(b' ') };
        let fits = GROUPS.contains(&len)
            && match groups.as_slice() {
                [] => true,
                [last] => len >= last.len(),
                [_, second, ..] => len == second.len(),
            };
        // What stands before an opening quote is no group.
        let opens = sign.is_some_and(|sign| b"\"'`:=".contains(&sign));
        if !fits || !opens && sign != Some(b' ') {
            break;
        }
        groups.push(end - len..end);
        if opens || end - len <= floor + 1 {
            break;
        }
        end -= len + 1;
    }
    groups.reverse();
    let pieces = groups.iter().filter_map(|group| bytes.get(group.clone()));
    let joined = pieces.collect::<Vec<_>>().concat();
    work::spend(joined.len());
    if groups.len() >= 3
        && joined.len() >= JOINED_MIN
        && views.has_room(joined.len())
        && let Ok(text) = String::from_utf8(joined)
    {
        // The blanks between the groups go with them.
        let mut map = Map::parts();
        groups.into_iter().for_each(|group| map.push(group.len(), group, true));
        views.add("joined groups", map, text, Trust::Names);
    }
}

/// The lengths of the first line of a list. Longer ones show by what they encode that they belong together, except the items of a list.
const SHORT_MIN: usize = 6;
const SHORT_MAX: usize = 15;

/// With white space, a line of a list is not longer.
const LINE_MAX: usize = GROUP;

/// How long the token on a line is, by the tokens before its end, if there is only one and the line is no longer than
/// those of a list. A sign may stand before it.
fn token_len(tokens: u64, line: usize) -> usize {
    let inside = u64::MAX.checked_shl((GROUP as u32).wrapping_sub(line as u32)).unwrap_or(0);
    let bits = tokens & if line <= LINE_MAX { inside } else { 0 };
    let low = bits & bits.wrapping_neg();
    // One token is one row of bits: to add its lowest bit clears it.
    let is_one = bits.wrapping_add(low) & bits == 0;
    let rest = bits ^ low;
    let is_item = rest.wrapping_add(rest & rest.wrapping_neg()) & rest == 0;
    let short = bits.count_ones() as usize;
    let short = if short <= SHORT_MAX { short } else { 0 };
    if is_one {
        short
    } else if is_item {
        rest.count_ones() as usize
    } else {
        0
    }
}

/// Lines of one length, each of them one token.
#[derive(Default)]
struct List {
    tokens: Vec<Range<usize>>,
    joined: String,
    width: usize,
}

impl List {
    const fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Goes on to the next line, which ends the list if it is shorter or has more on it than a token of so
    /// many bytes.
    fn go_on(&mut self, text: &str, line: Range<usize>, len: usize, views: &mut Views<'_>) {
        let whole = text.get(line.clone()).unwrap_or_default().trim_ascii_end();
        work::spend(whole.len());
        let token = whole.trim_ascii_start();
        let item = token.strip_prefix("- ").map_or(token, str::trim_ascii_start);
        let token = if token.len() == len { token } else { item };
        let is_cut = !self.is_empty() && len < self.width && blob::is_code(token.as_bytes());
        let len = if token.len() == len && !is_cut { len } else { 0 };
        let start = line.start + whole.len() - len;
        if len > 0 && !self.is_empty() && len <= self.width {
            self.joined.push_str(token);
            self.tokens.push(start..start + len);
            if len == self.width {
                return;
            }
        }
        if self.tokens.len() >= 2
            && self.joined.len() >= JOINED_MIN
            && may_hold(self.joined.as_bytes())
            && views.has_room(self.joined.len())
        {
            let mut map = Map::parts();
            self.tokens.drain(..).for_each(|token| map.push(token.len(), token, false));
            views.add("joined lines", map, std::mem::take(&mut self.joined), Trust::Names);
        }
        self.joined.clear();
        self.tokens.clear();
        if len >= SHORT_MIN {
            self.joined.push_str(token);
            self.tokens.push(start..start + len);
            self.width = len;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Detection, Policy, score};

    /// What is found, piece by piece.
    fn pieces(text: &str) -> Vec<&str> {
        let report = score(text, &Policy::default());
        let hits = report.detected_patterns.iter().filter_map(|found| match found {
            Detection::Pattern(hit) => Some(hit),
            Detection::Size(_) => None,
        });
        hits.flat_map(|hit| hit.pieces.iter().map(|piece| &text[piece.clone()])).collect()
    }

    #[test]
    fn a_backslash_continues_a_token_and_no_statement() {
        let token = ["gl", "sa_", "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A", "_", "8f3a9c1d"].concat();
        let (a, b) = token.split_at(25);
        for text in [
            format!("K={a}\\\n{b}\nok\n"),
            format!("K=\"{a}\\\n{b}\"\n"),
            format!("K={a}\\\n{b} run it\n"),
            format!("k = \"\"\"{a}\\\n{b}\n\"\"\"\n"),
            format!("// k = '{a}\\\n// {b}'\nb = 2;\n"),
            format!("  # k = '{a}\\\n  # {b}'\nb = 2\n"),
        ] {
            assert_eq!(pieces(&text), [a, b], "{text}");
        }
        let whole = "KJHhJKhKU7yguyuyfrtsdESffhjgkhYT";
        for text in [
            format!("api_key: key_wrap = '{whole}\\\nport: 1\n"),
            format!("cat <<'EOF'\nkey_wrap = '{whole}\\\nEOF\necho done\n"),
            format!("// key_wrap = '{whole}\\\nfn f() {{}}\n"),
            format!("key_wrap = {whole}\\\nb = 2\n"),
            format!("key_wrap = {whole}\\\nf (2)\n"),
        ] {
            assert_eq!(pieces(&text), [whole], "{text}");
        }
    }
}
