//! In what ways a string differs from the text that it was probably meant to match.

use std::collections::BTreeSet;

use serde::Serialize;

use super::alike::{Alignment, OLD_LINES_MAX, is_blank};
use super::fold::{Case, Folding, Spaces, fold, is_line_break};

/// A way in which a string differs from the text it was probably meant to match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Difference {
    /// One has tabs where the other has spaces.
    Tabs,
    /// The lines are indented differently.
    Indentation,
    /// There is more or less space inside a line.
    Spaces,
    /// White space at the end of a line.
    TrailingSpace,
    /// The lines end in a way that `replace` does not take as equal, such as a lone CR.
    LineEnding,
    /// There are more or fewer empty lines.
    BlankLines,
    /// The same words are distributed over other lines.
    LineBreaks,
    /// Characters that look like others, or like nothing: curly quotes, dashes, no-break spaces.
    UnicodeLookAlike,
    /// Upper and lower case.
    Case,
    /// The words themselves.
    Content,
}

/// The ways in which `old` differs from `region`, which has been found to be `similarity` like it.
pub(super) fn differences(old: &str, region: &str, similarity: f64) -> Vec<Difference> {
    let mut found = BTreeSet::new();
    let unusual = |text: &str| {
        text.replace("\r\n", "\n").contains(|mark| mark != '\n' && is_line_break(mark))
    };
    if unusual(old) != unusual(region) {
        found.insert(Difference::LineEnding);
    }
    let split = |text: &str| -> Vec<String> {
        text.replace("\r\n", "\n").split(is_line_break).map(str::to_owned).collect()
    };
    let (old_lines, region_lines) = (split(old), split(region));
    if blank_lines(&old_lines) != blank_lines(&region_lines) {
        found.insert(Difference::BlankLines);
    }
    let old_lines = not_blank(&old_lines);
    let region_lines = not_blank(&region_lines);
    let alignment = Alignment::of(&old_lines, &region_lines);
    for (in_old, in_file) in &alignment.pairs {
        if let (Some(a), Some(b)) = (old_lines.get(*in_old), region_lines.get(*in_file)) {
            compare_lines(a, b, similarity, &mut found);
        }
    }
    if alignment.pairs.len() != old_lines.len() || alignment.pairs.len() != region_lines.len() {
        let same_words = similarity == 1.0;
        found.insert(if same_words { Difference::LineBreaks } else { Difference::Content });
    }
    if found.is_empty() {
        // The lines agree, so it must be the space before the first or after the last of them.
        found.insert(match (old.starts_with(char::is_whitespace), old.ends_with(is_line_break)) {
            _ if old.starts_with(is_line_break) => Difference::BlankLines,
            (_, true) => Difference::BlankLines,
            (true, _) => Difference::Indentation,
            _ => Difference::TrailingSpace,
        });
    }
    found.into_iter().collect()
}

fn not_blank(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).filter(|line| !is_blank(line)).take(OLD_LINES_MAX).collect()
}

/// How many empty lines stand between others.
fn blank_lines(lines: &[String]) -> usize {
    let inner = lines.iter().skip_while(|line| is_blank(line));
    let (mut blank, mut trailing) = (0, 0);
    for line in inner {
        if is_blank(line) {
            trailing += 1;
        } else {
            blank += trailing;
            trailing = 0;
        }
    }
    blank
}

fn compare_lines(a: &str, b: &str, similarity: f64, found: &mut BTreeSet<Difference>) {
    let indent = |line: &str| line.chars().take_while(|c| c.is_whitespace()).collect::<String>();
    compare_space(&indent(a), &indent(b), Difference::Indentation, found);
    let trailing =
        |line: &str| line.chars().rev().take_while(|c| c.is_whitespace()).collect::<String>();
    if trailing(a) != trailing(b) {
        found.insert(Difference::TrailingSpace);
    }
    let (a, b) = (a.trim(), b.trim());
    let gaps = |line: &str| {
        line.split(|c: char| !c.is_whitespace())
            .filter(|gap| !gap.is_empty())
            .collect::<Vec<_>>()
            .join("|")
    };
    let words = |line: &str| line.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    if similarity == 1.0 || words(a) == words(b) {
        compare_space(&gaps(a), &gaps(b), Difference::Spaces, found);
    }
    let (a, b) = (words(a), words(b));
    if a == b {
        return;
    }
    let folded = |line: &str, case| fold(line, Folding { case, spaces: Spaces::Dropped });
    if folded(&a, Case::Kept) == folded(&b, Case::Kept) {
        found.insert(Difference::UnicodeLookAlike);
    } else if folded(&a, Case::Lowered) == folded(&b, Case::Lowered) {
        found.insert(Difference::Case);
        if a.to_lowercase() != b.to_lowercase() {
            found.insert(Difference::UnicodeLookAlike);
        }
    } else if similarity < 1.0 {
        found.insert(Difference::Content);
    }
}

/// What sets two runs of white space apart; `otherwise` if it is how long they are.
fn compare_space(a: &str, b: &str, otherwise: Difference, found: &mut BTreeSet<Difference>) {
    let plain = |space: &str| -> String {
        space.chars().map(|sign| if sign.is_ascii() { sign } else { ' ' }).collect()
    };
    if a.is_ascii() != b.is_ascii() {
        found.insert(Difference::UnicodeLookAlike);
    }
    let (plain_a, plain_b) = (plain(a), plain(b));
    if plain_a == plain_b {
        // Two of the look-alikes, perhaps.
        if a != b {
            found.insert(Difference::UnicodeLookAlike);
        }
    } else if plain_a.contains('\t') != plain_b.contains('\t') {
        found.insert(Difference::Tabs);
    } else {
        found.insert(otherwise);
    }
}
