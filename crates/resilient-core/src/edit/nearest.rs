//! The part of a file that was probably meant by a string which does not occur in it.
//!
//! First comes text that is the same once [folded](super::fold), wherever in a line it begins. Failing
//! that, the rarest line which file and string have in common is an anchor to line the rest up with;
//! failing that too, the lines most like the longest line of the string are. Each step is a few
//! passes over the file, and the work on what they find is bounded.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use memchr::{memchr_iter, memmem};
use serde::Serialize;

use super::alike::{
    Alignment, Bigrams, OLD_LINES_MAX, SHOWN_SIMILARITY_MIN, SKIPPED_LINES_MAX, clip, fold_line,
    is_blank,
};
use super::differs::{Difference, differences};
use super::endings;
use super::fold::{Case, Folding, Spaces, fold, is_line_break, source, sources};
use super::mistakes::Corrected;
use super::places::LINES_LISTED_MAX;
use crate::omit::is_zero;

/// No more than the beginning of a file is searched.
const SEARCHED_BYTES_MAX: usize = 16 << 20;
/// The longest text shown or suggested.
const TEXT_BYTES_MAX: usize = 4096;
/// How many places are looked at closely.
const CANDIDATES_MAX: usize = 16;
/// How many neighbouring lines a suggestion may take in, before and after.
const NEIGHBOURS_MAX: usize = 3;
/// Less alike than this is not worth suggesting.
const SUGGESTED_SIMILARITY_MIN: f64 = 0.6;

/// The part of a file that comes closest to a string which does not occur in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Nearest {
    /// Its first line, counted from 1.
    pub start_line: u64,
    /// Its last line.
    pub end_line: u64,
    /// The lines it stands on, as they are in the file; cut short if they are long. Left out where
    /// `suggested_old_string` has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The first lines of all places that come as near, this one included: the first fifty. Empty where
    /// no other does.
    #[serde(rename = "equally_near_lines", skip_serializing_if = "Vec::is_empty")]
    pub equal_lines: Vec<u64>,
    /// In what ways it differs from the string. Empty where a [`Mistake`](super::Mistake) is all that differs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<Difference>,
    /// Text that occurs exactly once in the file and covers this part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggested_old_string: Option<String>,
    /// How many neighbouring lines, or rests of lines, the suggestion takes in to be unique. The new
    /// string has to repeat them.
    #[serde(skip_serializing_if = "is_zero")]
    pub suggestion_neighbours: u64,
    /// How alike the words are, from 0 to 1, in hundredths. At 1 only what `differs` names differs.
    pub similarity: f64,
}

impl Nearest {
    /// Whether the string differs by white space and look-alikes alone.
    pub(crate) fn is_same_text(&self) -> bool {
        self.similarity == 1.0 && !self.differs.contains(&Difference::Case)
    }

    /// Shows what is suggested as text only, where it does not hold.
    pub(super) fn with_suggestion_if(mut self, holds: impl FnOnce(&str) -> bool) -> Self {
        if let Some(suggested) = self.suggested_old_string.take_if(|suggested| !holds(suggested)) {
            self.text.get_or_insert(suggested);
            self.suggestion_neighbours = 0;
        }
        self
    }
}

/// Finds the part of `file` nearest to `old`, which does not occur in it.
pub(super) fn find(file: &str, old: &str) -> Option<Nearest> {
    let searched = clip(file, SEARCHED_BYTES_MAX);
    let Found { core, similarity, starts } =
        same_folded(searched, old).or_else(|| most_alike(searched, old))?;
    let range = with_outer_space(searched, core, old);
    let differs = differences(old, file.get(range.clone())?, similarity);
    tell(file, range, similarity, &starts, differs)
}

/// The first place of a corrected string that does occur in `file`.
pub(super) fn exactly(file: &str, meant: &Corrected) -> Option<Nearest> {
    let mut all = endings::find(file.as_bytes(), &meant.text);
    all.retain(|found| meant.may_be(file.as_bytes(), found));
    let starts: Vec<usize> =
        all.iter().map(|found| found.range.start).take(LINES_LISTED_MAX).collect();
    tell(file, all.into_iter().next()?.range, 1.0, &starts, Vec::new())
}

/// The answer for a place; `starts` are those of all places that come as near.
fn tell(
    file: &str,
    range: Range<usize>,
    similarity: f64,
    starts: &[usize],
    differs: Vec<Difference>,
) -> Option<Nearest> {
    let region = file.get(range.clone())?;
    let suggestion =
        if similarity >= SUGGESTED_SIMILARITY_MIN { suggest(file, range.clone()) } else { None };
    let (suggested_old_string, suggestion_neighbours) = suggestion.unzip();
    let shown = file.get(whole_lines(file, range.clone())).unwrap_or(region);
    let text = if shown.len() <= TEXT_BYTES_MAX { shown } else { clip(region, TEXT_BYTES_MAX) };
    let start_line = 1 + line_feeds(file.get(..range.start)?);
    let equal_lines = if starts.len() > 1 { lines_at(file, starts) } else { Vec::new() };
    let is_suggested = suggested_old_string.as_ref().is_some_and(|it| it.contains(text.trim()));
    Some(Nearest {
        start_line,
        end_line: start_line + line_feeds(without_last_break(region)),
        text: (!is_suggested).then(|| text.to_owned()),
        equal_lines,
        differs,
        suggested_old_string,
        suggestion_neighbours: suggestion_neighbours.unwrap_or(0),
        similarity: (similarity * 100.0).round() / 100.0,
    })
}

/// What comes nearest.
struct Found {
    core: Range<usize>,
    similarity: f64,
    /// Where all that comes as near begins, ascending.
    starts: Vec<usize>,
}

/// The line of each offset; these ascend.
fn lines_at(file: &str, starts: &[usize]) -> Vec<u64> {
    let mut counted_to = 0;
    let mut line = 1;
    let mut lines: Vec<u64> = starts
        .iter()
        .map(|start| {
            line += line_feeds(file.get(counted_to..*start).unwrap_or_default());
            counted_to = *start;
            line
        })
        .collect();
    lines.dedup();
    lines
}

/// The first place where the folded file holds the folded string, by the gentlest folding that works.
fn same_folded(file: &str, old: &str) -> Option<Found> {
    // The harsher the folding, the more text it takes to make a coincidence unlikely.
    let foldings = [
        (Case::Kept, Spaces::Collapsed, 1),
        (Case::Lowered, Spaces::Collapsed, 3),
        (Case::Lowered, Spaces::Dropped, 6),
    ];
    foldings.into_iter().find_map(|(case, spaces, bytes_min)| {
        let folding = Folding { case, spaces };
        let wanted = fold(old, folding);
        if wanted.len() < bytes_min {
            return None;
        }
        let folded = fold(file, folding);
        let all: Vec<usize> = memmem::find_iter(&folded, &wanted).take(LINES_LISTED_MAX).collect();
        // Where each match begins, and where the next text begins; none comes behind a match at the end of the file.
        let bounds: Vec<usize> = all.iter().flat_map(|at| [*at, at + wanted.len()]).collect();
        let mut bounds = sources(file, folding, &bounds);
        bounds.resize(2 * all.len(), file.len());
        let (bounds, _) = bounds.as_chunks();
        let (all, starts): (Vec<usize>, Vec<usize>) = all
            .iter()
            .zip(bounds)
            .filter(|(_, [start, next])| stands_alone(file, *start..*next, old))
            .map(|(at, [start, _])| (*at, *start))
            .unzip();
        // The first of those that are indented most alike.
        let best = starts
            .iter()
            .enumerate()
            .max_by_key(|(at, start)| (lines_indented_alike(file, **start, old), Reverse(*at)))
            .map_or(0, |(at, _)| at);
        let start = *all.get(best)?;
        let core = source(file, folding, start..start + wanted.len());
        Some(Found { core, similarity: 1.0, starts })
    })
}

/// Whether a match is not a piece of a longer word, or of a longer line where the string has whole lines. `at` begins
/// with the match and ends where the next text begins.
fn stands_alone(file: &str, at: Range<usize>, old: &str) -> bool {
    let is_glued = |place: usize| {
        let (before, after) = file.split_at_checked(place).unwrap_or_default();
        before.chars().next_back().is_some_and(is_of_word)
            && after.chars().next().is_some_and(is_of_word)
    };
    let breaks = |space: &str| space.contains(is_line_break);
    let is_at_break = |place: usize| {
        let (before, after) = file.split_at_checked(place).unwrap_or_default();
        let (head, tail) = (before.trim_end(), after.trim_start());
        head.is_empty()
            || tail.is_empty()
            || before.get(head.len()..).is_some_and(breaks)
            || after.get(..after.len() - tail.len()).is_some_and(breaks)
    };
    let (head, tail) = (old.len() - old.trim_start().len(), old.trim_end().len());
    let begins_line = old.get(..head).is_some_and(breaks);
    let ends_line = old.get(tail..).is_some_and(breaks);
    !is_glued(at.start)
        && !is_glued(at.end)
        && (!begins_line || is_at_break(at.start))
        && (!ends_line || is_at_break(at.end))
}

/// Whether a character is of a word. Ideographs are none: no space parts their words.
fn is_of_word(char: char) -> bool {
    char == '_' || char.is_lowercase() || char.is_uppercase() || char.is_numeric()
}

/// How many lines of the string have exactly the indentation of the line that they would come to lie on.
fn lines_indented_alike(file: &str, start: usize, old: &str) -> usize {
    let before = file.get(..start).unwrap_or_default();
    let line = before.rfind(is_line_break).map_or(0, |at| {
        let sign = before.get(at..).and_then(|rest| rest.chars().next());
        at + sign.map_or(1, char::len_utf8)
    });
    let text = file.get(line..).unwrap_or_default();
    let old_lines = old.lines().filter(|line| !is_blank(line)).take(OLD_LINES_MAX);
    let file_lines = text.lines().filter(|line| !is_blank(line));
    let indent = |line: &str| line.len() - line.trim_start().len();
    old_lines.zip(file_lines).filter(|(a, b)| a.get(..indent(a)) == b.get(..indent(b))).count()
}

/// How alike two texts are, line by line.
pub(super) fn likeness(a: &str, b: &str) -> f64 {
    let lines = |text| -> Vec<&str> {
        str::lines(text).filter(|line| !is_blank(line)).take(OLD_LINES_MAX).collect()
    };
    let (a, b) = (lines(a), lines(b));
    Alignment::of(&a, &b).score / a.len().max(b.len()).max(1) as f64
}

/// The lines of the file that line up best with those of the string.
fn most_alike(file: &str, old: &str) -> Option<Found> {
    let old_lines: Vec<&str> =
        old.lines().filter(|line| !is_blank(line)).take(OLD_LINES_MAX).collect();
    let lines = Lines::of(file);
    let mut candidates = anchored(&lines, &old_lines);
    if candidates.is_empty() {
        candidates = resembling(&lines, &old_lines);
    }
    let lined_up: Vec<(Range<usize>, f64)> =
        candidates.into_iter().map(|candidate| line_up(&lines, &old_lines, candidate)).collect();
    let score = lined_up.iter().map(|(_, score)| *score).max_by(f64::total_cmp)?;
    if score < SHOWN_SIMILARITY_MIN {
        return None;
    }
    let best: Vec<(usize, &Range<usize>)> = lined_up
        .iter()
        .filter(|(_, other)| other.total_cmp(&score).is_eq())
        .filter_map(|(covered, _)| Some((lines.range(covered.start)?.start, covered)))
        .collect();
    let mut starts: Vec<usize> = best.iter().map(|(start, _)| *start).collect();
    starts.sort_unstable();
    starts.dedup();
    let (start, covered) = *best
        .iter()
        .max_by_key(|(start, _)| (lines_indented_alike(file, *start, old), Reverse(*start)))?;
    let end = lines.range(covered.end.checked_sub(1)?)?.end;
    let region = file.get(start..end)?;
    let indent = region.len() - region.trim_start().len();
    // Not quite one: the words do differ.
    let core = start + indent..start + region.trim_end().len();
    Some(Found { core, similarity: score.min(0.99), starts })
}

/// A line of the string and the line of the file it may be.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    in_old: usize,
    in_file: usize,
}

/// Where the rarest of the lines they have in common occurs.
fn anchored(lines: &Lines<'_>, old_lines: &[&str]) -> Vec<Candidate> {
    struct Shared {
        in_old: usize,
        bytes: usize,
        occurrences: usize,
        first: Vec<usize>,
    }
    let mut shared: HashMap<u64, Shared> = HashMap::new();
    for (in_old, line) in old_lines.iter().enumerate() {
        let folded = fold_line(line);
        // Brackets and the like are everywhere and anchor nothing.
        if folded.len() >= 4 {
            let line = Shared { in_old, bytes: folded.len(), occurrences: 0, first: Vec::new() };
            shared.entry(fingerprint(&folded)).or_insert(line);
        }
    }
    if shared.is_empty() {
        return Vec::new();
    }
    for (in_file, line) in lines.iter().enumerate() {
        if let Some(known) = shared.get_mut(&fingerprint(&fold_line(line))) {
            known.occurrences += 1;
            if known.first.len() < CANDIDATES_MAX {
                known.first.push(in_file);
            }
        }
    }
    shared
        .into_values()
        .filter(|line| line.occurrences > 0)
        .min_by_key(|line| (line.occurrences, Reverse(line.bytes), line.in_old))
        .map(|line| {
            let in_old = line.in_old;
            line.first.into_iter().map(|in_file| Candidate { in_old, in_file }).collect()
        })
        .unwrap_or_default()
}

/// The lines most like the longest line of the string.
fn resembling(lines: &Lines<'_>, old_lines: &[&str]) -> Vec<Candidate> {
    let folded = old_lines.iter().map(|line| fold_line(line)).enumerate();
    let Some((in_old, wanted)) = folded.max_by_key(|(at, line)| (line.len(), Reverse(*at))) else {
        return Vec::new();
    };
    let mut bigrams = Bigrams::of(&wanted);
    let mut best: Vec<(f64, usize)> = Vec::new();
    for (in_file, line) in lines.iter().enumerate() {
        let likeness = bigrams.likeness(&fold_line(line));
        let worst = best.last().map_or(0.0, |(worst, _)| *worst);
        if likeness < SHOWN_SIMILARITY_MIN || best.len() == CANDIDATES_MAX && likeness <= worst {
            continue;
        }
        let place = best.partition_point(|(other, _)| *other >= likeness);
        best.insert(place, (likeness, in_file));
        best.truncate(CANDIDATES_MAX);
    }
    best.into_iter().map(|(_, in_file)| Candidate { in_old, in_file }).collect()
}

/// The lines of the file that the string's lines come to lie on, and how well they do.
fn line_up(lines: &Lines<'_>, old_lines: &[&str], at: Candidate) -> (Range<usize>, f64) {
    let (before, after) = old_lines.split_at_checked(at.in_old).unwrap_or_default();
    let reach = |old: &[&str]| old.len() + 2 * SKIPPED_LINES_MAX;
    let following: Vec<&str> =
        (at.in_file..).map_while(|line| lines.get(line)).take(reach(after)).collect();
    let preceding: Vec<&str> = (0..at.in_file)
        .rev()
        .map_while(|line| lines.get(line))
        .take(if before.is_empty() { 0 } else { reach(before) })
        .collect();
    let backwards: Vec<&str> = before.iter().rev().copied().collect();
    let down = Alignment::of(after, &following);
    let up = Alignment::of(&backwards, &preceding);
    let covered = at.in_file - up.covered..at.in_file + down.covered.max(1);
    (covered, (down.score + up.score) / old_lines.len().max(1) as f64)
}

/// A text cut at its line feeds.
struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let after_breaks = memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        Self { text, starts: [0].into_iter().chain(after_breaks).collect() }
    }

    /// Where a line stands, without its line feed.
    fn range(&self, line: usize) -> Option<Range<usize>> {
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).map_or(self.text.len(), |next| next - 1);
        Some(start..end)
    }

    fn get(&self, line: usize) -> Option<&'a str> {
        self.text.get(self.range(line)?)
    }

    fn iter(&self) -> impl Iterator<Item = &'a str> {
        (0..self.starts.len()).map_while(|line| self.get(line))
    }
}

/// Widens `core`, which begins and ends with a word, by the space around it if `old` has some there.
fn with_outer_space(file: &str, core: Range<usize>, old: &str) -> Range<usize> {
    let in_line = |character: char| character.is_whitespace() && !is_line_break(character);
    let (before, after) = (old.len() - old.trim_start().len(), old.trim_end().len());
    let (leading, trailing) =
        (old.get(..before).unwrap_or_default(), old.get(after..).unwrap_or_default());
    let mut head = file.get(..core.start).unwrap_or_default();
    if !leading.is_empty() {
        head = head.trim_end_matches(in_line);
    }
    if leading.contains(is_line_break) {
        head = without_last_break(head);
    }
    let rest = file.get(core.end..).unwrap_or_default();
    let mut tail = rest;
    if !trailing.is_empty() {
        tail = tail.trim_start_matches(in_line);
    }
    if trailing.contains(is_line_break) {
        tail =
            tail.strip_prefix("\r\n").or_else(|| tail.strip_prefix(is_line_break)).unwrap_or(tail);
    }
    head.len()..core.end + (rest.len() - tail.len())
}

/// Text around `range` that occurs exactly once, and how many neighbouring lines it took.
fn suggest(file: &str, range: Range<usize>) -> Option<(String, u64)> {
    let mut wider = range;
    let mut neighbours = 0;
    for step in 0..=2 * NEIGHBOURS_MAX + 1 {
        let text = file.get(wider.clone()).filter(|text| text.len() <= TEXT_BYTES_MAX)?;
        if occurs_once(file, text) {
            return Some((text.to_owned(), neighbours));
        }
        let next = match step {
            0 => whole_lines(file, wider.clone()),
            _ if step % 2 == 1 => wider.start..end_of_next_line(file, wider.end),
            _ => start_of_previous_line(file, wider.start)..wider.end,
        };
        neighbours += u64::from(next != wider);
        wider = next;
    }
    None
}

/// Whether `replace` would find `text` once, and just as it is.
fn occurs_once(file: &str, text: &str) -> bool {
    !text.is_empty()
        && memmem::find_iter(file.as_bytes(), text).take(2).count() == 1
        && endings::find(file.as_bytes(), text).iter().filter(|found| found.literal).count() == 1
}

/// `range` from the start of its first line to the end of its last, without the last ending.
fn whole_lines(file: &str, range: Range<usize>) -> Range<usize> {
    let before = file.get(..range.start).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let ends = file.get(range.clone()).is_some_and(|text| text.ends_with('\n'));
    let end = if ends { range.end } else { end_of_line(file, range.end) };
    start..end
}

/// The end of the line that holds `at`, before its ending.
fn end_of_line(file: &str, at: usize) -> usize {
    let rest = file.get(at..).unwrap_or_default();
    let line =
        rest.split_once('\n').map_or(rest, |(line, _)| line.strip_suffix('\r').unwrap_or(line));
    at + line.len()
}

/// `at` is the end of a line, before or after its ending.
fn end_of_next_line(file: &str, at: usize) -> usize {
    let rest = file.get(at..).unwrap_or_default();
    let ending = if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) };
    end_of_line(file, at + ending)
}

fn start_of_previous_line(file: &str, at: usize) -> usize {
    let before = file.get(..at).unwrap_or_default();
    let before = before.strip_suffix('\n').unwrap_or(before);
    before.rfind('\n').map_or(0, |at| at + 1)
}

fn fingerprint(folded: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    folded.hash(&mut hasher);
    hasher.finish()
}

fn without_last_break(text: &str) -> &str {
    text.strip_suffix("\r\n").or_else(|| text.strip_suffix(is_line_break)).unwrap_or(text)
}

fn line_feeds(text: &str) -> u64 {
    memchr_iter(b'\n', text.as_bytes()).count() as u64
}

#[cfg(test)]
mod tests {
    use super::super::{Refusal, replace};
    use super::*;

    /// Asks for `old`, checks that the suggestion can be applied, and gives back what was found.
    fn nearest(file: &str, old: &str) -> Nearest {
        let Err(Refusal::NotFound { nearest: Some(nearest), .. }) =
            replace(file.as_bytes(), old, "new", 1)
        else {
            panic!("{old:?} should not be found, but something near it");
        };
        if let Some(suggested) = &nearest.suggested_old_string {
            assert!(replace(file.as_bytes(), suggested, "new", 1).is_ok(), "{suggested:?}");
        }
        *nearest
    }

    /// What differs and what is suggested.
    fn told(file: &str, old: &str) -> (Vec<Difference>, String) {
        let nearest = nearest(file, old);
        (nearest.differs, nearest.suggested_old_string.unwrap())
    }

    #[test]
    fn tells_all_about_the_place() {
        let file = "fn main() {\n\tlet x = 1;\n\tlet y = 2;\n}\n";
        assert_eq!(
            nearest(file, "    let x = 1;\n    let y = 2;\n"),
            Nearest {
                start_line: 2,
                end_line: 3,
                text: None,
                equal_lines: Vec::new(),
                differs: vec![Difference::Tabs],
                suggested_old_string: Some("\tlet x = 1;\n\tlet y = 2;\n".to_owned()),
                suggestion_neighbours: 0,
                similarity: 1.0,
            }
        );
    }

    #[test]
    fn serializes_for_the_envelope() {
        let found = nearest("let x = 1;\n", "let  x = 1;");
        assert_eq!(
            serde_json::to_string(&found).unwrap(),
            r#"{"start_line":1,"end_line":1,"differs":["spaces"],"suggested_old_string":"let x = 1;","similarity":1.0}"#
        );
    }

    #[test]
    fn indentation() {
        assert_eq!(
            told("if a {\n  b();\n}\n", "    b();"),
            (vec![Difference::Indentation], "  b();".to_owned())
        );
    }

    #[test]
    fn indentation_is_not_suggested_where_none_was_given() {
        assert_eq!(
            told("if a {\n\tb();\n\tc();\n}\n", "b();\n  c();"),
            (vec![Difference::Tabs], "b();\n\tc();".to_owned())
        );
    }

    #[test]
    fn tabs_inside_a_line() {
        assert_eq!(told("int\tx;\n", "int x;"), (vec![Difference::Tabs], "int\tx;".to_owned()));
    }

    #[test]
    fn trailing_space() {
        assert_eq!(
            told("one  \ntwo\n", "one\ntwo\n"),
            (vec![Difference::TrailingSpace], "one  \ntwo\n".to_owned())
        );
        assert_eq!(
            told("one\ntwo\n", "one \ntwo"),
            (vec![Difference::TrailingSpace], "one\ntwo".to_owned())
        );
        assert_eq!(told("one\n", "one "), (vec![Difference::TrailingSpace], "one".to_owned()));
    }

    #[test]
    fn line_ending() {
        assert_eq!(
            told("one\rtwo\rthree", "one\ntwo"),
            (vec![Difference::LineEnding], "one\rtwo".to_owned())
        );
    }

    #[test]
    fn missing_last_line_ending() {
        assert_eq!(
            told("one\ntwo", "one\ntwo\n"),
            (vec![Difference::BlankLines], "one\ntwo".to_owned())
        );
    }

    #[test]
    fn a_piece_of_a_longer_word_or_line_is_not_suggested() {
        for (file, old) in [
            ("timeout = 3000\nretries = 5\n", "timeout = 30\n"),
            ("timeout = 30.5\nretries = 5\n", "timeout  = 30\n"),
            ("my_timeout = 30\nretries = 5\n", "timeout  = 30\n"),
            ("let a = 1; timeout = 30\n", "\ntimeout = 30\n"),
        ] {
            let found = find(file, old);
            let suggested = found.as_ref().and_then(|found| found.suggested_old_string.as_ref());
            let is_whole = |text: &String| text.lines().all(|of| file.lines().any(|it| it == of));
            assert!(suggested.is_none_or(is_whole), "{old:?}: {suggested:?}");
            assert!(found.is_none_or(|found| found.similarity < 1.0), "{old:?}");
        }
        assert_eq!(
            told("a = 1\ntimeout = 30\n", "timeout  =  30\n"),
            (vec![Difference::Spaces], "timeout = 30\n".to_owned())
        );
        assert_eq!(
            told("\u{4ed6}\u{8bf4}\u{4f60}\u{597d}\u{a0}\u{5427}!\n", "\u{4f60}\u{597d} \u{5427}")
                .1,
            "\u{4f60}\u{597d}\u{a0}\u{5427}"
        );
    }

    #[test]
    fn blank_lines() {
        assert_eq!(
            told("a = 1\n\n\nb = 2\n", "a = 1\n\nb = 2\n"),
            (vec![Difference::BlankLines], "a = 1\n\n\nb = 2\n".to_owned())
        );
        assert_eq!(
            told("a = 1\r\nb = 2\r\n", "a = 1\n\nb = 2"),
            (vec![Difference::BlankLines], "a = 1\r\nb = 2".to_owned())
        );
    }

    #[test]
    fn line_breaks() {
        assert_eq!(
            told("call(one, two)\n", "call(\n  one,\n  two)"),
            (vec![Difference::LineBreaks], "call(one, two)".to_owned())
        );
    }

    #[test]
    fn unicode_look_alikes() {
        let cases = [
            ("say \u{201c}hi\u{201d}\n", "say \"hi\""),
            ("it\u{2019}s\n", "it's"),
            ("a \u{2013} b\n", "a - b"),
            ("wait\u{2026}\n", "wait..."),
            ("10\u{a0}km\n", "10 km"),
            ("zero\u{200b}width\n", "zerowidth"),
            ("\u{ff21}\u{ff22}\u{ff08}\u{ff09}\n", "AB()"),
            ("caf\u{e9}\n", "cafe\u{301}"),
            ("cafe\u{301}\n", "caf\u{e9}"),
            ("\u{441}\u{430}t\n", "cat"),
        ];
        for (file, old) in cases {
            let expected = (vec![Difference::UnicodeLookAlike], file.trim_end().to_owned());
            assert_eq!(told(file, old), expected, "{old}");
        }
    }

    #[test]
    fn case() {
        assert_eq!(
            told("let userId = 1;\n", "userID = 1"),
            (vec![Difference::Case], "userId = 1".to_owned())
        );
    }

    #[test]
    fn several_differences_at_once() {
        let file = "\tsay(\u{2018}Hello\u{2019})  \n\n\tdone()\n";
        assert_eq!(
            told(file, "  say('hello')\n  done()\n").0,
            [
                Difference::Tabs,
                Difference::TrailingSpace,
                Difference::BlankLines,
                Difference::UnicodeLookAlike,
                Difference::Case
            ]
        );
    }

    #[test]
    fn changed_word_in_one_line() {
        let found = nearest("alpha\n  total = price + tax\nomega\n", "total = prices + tax");
        assert_eq!(found.differs, [Difference::Content]);
        assert_eq!(found.suggested_old_string.as_deref(), Some("total = price + tax"));
        assert_eq!((found.start_line, found.end_line), (2, 2));
        // With both ends, 20 pairs and 21. They share all but `e ` here, `es` and `s ` there: 38 / 41.
        assert_eq!(found.similarity, 0.93);
    }

    #[test]
    fn the_rarest_common_line_is_the_anchor() {
        let block = |name: &str| format!("begin\n  set {name}\n  run\nend\n");
        let file: String = ["one", "two", "three"].map(block).concat();
        let found = nearest(&file, "begin\n  set two\n  run fast\nend\n");
        assert_eq!((found.start_line, found.end_line), (5, 8));
        assert_eq!(found.differs, [Difference::Content]);
        assert_eq!(found.suggested_old_string, Some(block("two")));
    }

    #[test]
    fn lines_missing_from_the_string_are_taken_in() {
        let file = "head\nfirst line here\n// a comment between\nlast line here\ntail\n";
        let found = nearest(file, "first line here\nlast line here\n");
        assert_eq!((found.start_line, found.end_line), (2, 4));
        assert_eq!(found.differs, [Difference::Content]);
    }

    #[test]
    fn suggestion_takes_in_neighbours_until_it_is_unique() {
        let file = "a {\n\tx = 1\n}\nb {\n\tx = 1\n}\n";
        let found = nearest(file, "  x = 1");
        assert_eq!((found.text, found.equal_lines), (None, vec![2, 5]));
        assert_eq!(found.suggested_old_string.as_deref(), Some("a {\n\tx = 1\n}"));
        assert_eq!(found.suggestion_neighbours, 2);
    }

    #[test]
    fn no_suggestion_where_nothing_is_unique() {
        let found = nearest(&"\tx = 1\n".repeat(40), "  x = 1");
        assert_eq!((found.start_line, found.suggested_old_string), (1, None));
        assert_eq!(found.equal_lines, (1..=40).collect::<Vec<_>>());
        assert_eq!(found.text.as_deref(), Some("\tx = 1"));
    }

    #[test]
    fn all_places_that_come_as_near_are_listed() {
        let block = "begin {\n  set value = one;\n}\n";
        let found = nearest(&block.repeat(3), "set value = two;\n");
        assert_eq!((found.start_line, found.equal_lines), (2, vec![2, 5, 8]));
        assert_eq!(nearest("one\nset value = 1;\n", "set value = 2;").equal_lines, [0; 0]);
    }

    #[test]
    fn of_places_that_come_as_near_the_one_with_the_same_indentation_is_meant() {
        let block = |by: &str| format!("{by}x = compute(value)\n{by}y = other(value)\n");
        let file = format!("if a:\n{}if b:\n{}", block(&" ".repeat(8)), block(&" ".repeat(4)));
        let found = nearest(&file, "    x = compute(valeu)\n    y = other(value)");
        assert_eq!((found.start_line, found.end_line, found.equal_lines), (5, 6, vec![2, 5]));
        assert_eq!(found.differs, [Difference::Content]);
        // And so where the words agree.
        let found = nearest(&file, "    x = compute( value)\n    y = other(value)");
        assert_eq!((found.start_line, found.end_line, found.equal_lines), (5, 6, vec![2, 5]));
    }

    #[test]
    fn no_break_spaces_do_not_hide_another_indentation() {
        let found = nearest("if a:\n    b()\n", "\u{a0}\u{a0}b()");
        assert_eq!(found.differs, [Difference::Indentation, Difference::UnicodeLookAlike]);
        let found = nearest("if a:\n\tb()\n", "\u{a0}\u{a0}b()");
        assert_eq!(found.differs, [Difference::Tabs, Difference::UnicodeLookAlike]);
        let found = nearest("if a:\n  b()\n", "\u{a0}\u{a0}b()");
        assert_eq!(found.differs, [Difference::UnicodeLookAlike]);
    }

    #[test]
    fn long_text_is_cut_at_a_character() {
        let file = format!("{}\n", "\u{20ac}".repeat(3000));
        let found = nearest(&file, &format!(" {}", "\u{20ac}".repeat(2999)));
        assert_eq!(found.text, Some("\u{20ac}".repeat(1365)));
        assert_eq!(found.suggested_old_string, None);
    }

    #[test]
    fn nothing_is_near_in_unrelated_text() {
        assert_eq!(find("lorem ipsum dolor\nsit amet\n", "fn replace(count: i64)"), None);
        assert_eq!(find("", "something"), None);
        assert_eq!(find("lorem", "\u{200b}"), None);
        assert_eq!(find("lorem", " \n\t"), None);
    }

    #[test]
    fn every_suggestion_can_be_applied() {
        let mut seed = 42_u64;
        let mut below = |bound: u64| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % bound
        };
        let pieces = [
            "let", "x", "=", " ", "  ", "\t", "\n", "\r\n", "\r", "\u{201c}", "\"", "\u{a0}", "Y",
            "y",
        ];
        let mut suggested = 0;
        for _ in 0..3000 {
            let mut text = |pieces_max| -> String {
                (0..below(pieces_max)).map(|_| pieces[below(14) as usize]).collect()
            };
            let (file, old) = (text(60), text(12));
            if let Err(Refusal::NotFound { nearest: Some(found), .. }) =
                replace(file.as_bytes(), &old, "", 1)
                && let Some(suggestion) = found.suggested_old_string
            {
                suggested += 1;
                assert!(!found.differs.is_empty());
                assert!(
                    replace(file.as_bytes(), &suggestion, "", 1).is_ok(),
                    "{file:?} {suggestion:?}"
                );
            }
        }
        assert!(suggested > 100, "only {suggested} suggestions");
    }
}
