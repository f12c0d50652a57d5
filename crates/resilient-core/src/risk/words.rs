//! Words that announce secrets, found in one search without regard to case, and rarer ones that
//! [`literals`](super::literals) finds with everything else that is rare.
//!
//! The search runs on a copy in small letters, a block at a time, so that the copy never leaves the
//! first cache.

use std::ops::Range;
use std::sync::LazyLock;

use super::assign::{AUTHORITY_REACH, VALUE_REACH};
use super::marks::{GROUP, Marks};
use super::runs::Run;
use super::search::Searcher;

/// The copy in small letters is made of so much text at a time.
const BLOCK: usize = 4 << 10;

/// Blocks overlap by more than any word, so that none is cut.
const OVERLAP: usize = 32;

/// What a word says about what follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Password,
    /// A word so short that it must stand alone.
    ShortPassword,
    Secret,
    Key,
    Sql,
    Url,
    User,
    Basic,
    /// The name in one of the paper's patterns, and a word for secrets.
    AwsSecret,
    /// It is a part of a dummy.
    Dummy,
}

/// The words that are looked for without regard to case, and how many characters at their end only
/// show that the word has ended. The search gets dear with the number of
/// words and with words of less than three letters, so rare ones are left to [`literals`](super::literals).
const WORDS: [(&str, Word, usize); 9] = [
    ("pass", Word::Password, 0),
    ("pwd", Word::Password, 0),
    ("pw:", Word::ShortPassword, 1),
    ("pw=", Word::ShortPassword, 1),
    ("secret", Word::Secret, 0),
    ("key", Word::Key, 0),
    ("token", Word::Key, 0),
    ("auth", Word::Key, 0),
    ("://", Word::Url, 0),
];

/// Words that are rare, as they are written; they are found among the literals.
pub(super) const RARE: [(&str, Word); 6] = [
    ("ntified by", Word::Sql),
    ("NTIFIED BY", Word::Sql),
    (" -u ", Word::User),
    ("--user ", Word::User),
    ("asic ", Word::Basic),
    ("xxxx", Word::Dummy),
];

/// A word in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) word: Word,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The words by number.
pub(super) fn all() -> impl Iterator<Item = &'static [u8]> {
    WORDS.iter().map(|(word, ..)| word.as_bytes())
}

/// Finds the words of a text behind which there can be a value, in order.
pub(super) fn find(text: &[u8], marks: &Marks, runs: &[Run]) -> Vec<Said> {
    static SEARCHER: LazyLock<Searcher> = LazyLock::new(|| Searcher::new(all()));
    let searcher = &*SEARCHER;
    let mut all: Vec<Said> = Vec::new();
    let mut small = Vec::new();
    let mut wanted = wanted(text, marks, runs).into_iter().enumerate().peekable();
    while let Some((first, is_wanted)) = wanted.next() {
        if !is_wanted {
            continue;
        }
        let mut last = first;
        while let Some((group, _)) = wanted.next_if(|(_, is_wanted)| *is_wanted) {
            last = group;
        }
        let mut base = (first * GROUP).saturating_sub(OVERLAP);
        let end = ((last + 1) * GROUP + OVERLAP).min(text.len());
        while base < end {
            let block = text.get(base..end.min(base + BLOCK)).unwrap_or_default();
            small.clear();
            small.extend(block.iter().map(u8::to_ascii_lowercase));
            // The search is slow in what is shorter.
            small.resize(block.len().max(GROUP), 0);
            let done = all.last().map_or(0, |last| last.end);
            for found in searcher.find_iter(&small) {
                let Some((_, word, more)) = WORDS.get(found.pattern().as_usize()) else { continue };
                let (start, end) = (base + found.start(), base + found.end() - more);
                if start >= done {
                    all.push(said(text, *word, start, end));
                }
            }
            if block.len() < BLOCK {
                break;
            }
            base += BLOCK - OVERLAP;
        }
    }
    all
}

/// The groups of the text in which a word can announce a value: one with a digit that ends soon
/// after it, an address with an `@`, or a key of Amazon's.
fn wanted(text: &[u8], marks: &Marks, runs: &[Run]) -> Vec<bool> {
    /// Values end at most so many groups after the one that their words begin in.
    const AHEAD: usize = VALUE_REACH.div_ceil(GROUP) + 1;
    /// Keys of Amazon's are runs of this length at least, so far behind their name.
    const KEY_MIN: usize = 40;
    const KEY_AHEAD: usize = 256 * 4 + 32;
    let digits = marks.digit.words();
    let mut wanted = vec![false; digits.len()];
    let mut left = 0;
    for (wanted, digits) in wanted.iter_mut().zip(digits).rev() {
        left = if *digits == 0 { left } else { AHEAD };
        *wanted = left > 0;
        left = left.saturating_sub(1);
    }
    let ats = memchr::memchr_iter(b'@', text);
    let urls = ats.map(|at| at.saturating_sub(AUTHORITY_REACH + OVERLAP)..at);
    let long = runs.iter().filter(|run| run.len() >= KEY_MIN);
    let keys = long.map(|run| run.start.saturating_sub(KEY_AHEAD)..run.end);
    want(&mut wanted, urls);
    want(&mut wanted, keys);
    wanted
}

/// Marks the groups of spans whose ends are in order.
fn want(wanted: &mut [bool], spans: impl Iterator<Item = Range<usize>>) {
    let mut done = 0;
    for span in spans {
        let groups = (span.start / GROUP).max(done)..span.end.div_ceil(GROUP).max(done);
        done = groups.end;
        wanted.get_mut(groups).into_iter().flatten().for_each(|wanted| *wanted = true);
    }
}

/// The word at a place, or the longer name that it is a part of.
fn said(text: &[u8], word: Word, start: usize, end: usize) -> Said {
    const NAME: &[u8] = b"aws_secret_access_key";
    if word == Word::Secret
        && let Some(start) = start.checked_sub(4)
        && let Some(name) = text.get(start..start + NAME.len())
        && name.eq_ignore_ascii_case(NAME)
    {
        return Said { word: Word::AwsSecret, start, end: start + NAME.len() };
    }
    Said { word, start, end }
}

#[cfg(test)]
mod tests {
    use super::super::runs;
    use super::*;

    fn said(text: &str) -> Vec<(Word, usize, usize)> {
        let marks = Marks::of(text.as_bytes());
        let found = find(text.as_bytes(), &marks, &runs::find(&marks));
        found.iter().map(|said| (said.word, said.start, said.end)).collect()
    }

    #[test]
    fn words_are_found_in_any_case_and_once() {
        let expected = [
            (Word::Key, 7, 10),
            (Word::Url, 12, 15),
            (Word::AwsSecret, 16, 37),
            (Word::Key, 34, 37),
        ];
        assert_eq!(said("My_API_Key x:// AWS_secret_Access_key 1"), expected);
        // Wherever the blocks begin, every word is found, and none twice.
        let starts: Vec<_> = said(&" Token1".repeat(BLOCK)).iter().map(|said| said.1).collect();
        assert_eq!(starts, (0..BLOCK).map(|nth| nth * 7 + 1).collect::<Vec<_>>());
    }

    #[test]
    fn words_count_only_where_a_value_can_follow() {
        let gap = |len: usize| " ".repeat(len);
        assert_eq!(said(&format!("key{}1", gap(159))), [(Word::Key, 0, 3)]);
        assert_eq!(said(&format!("key{}1", gap(400))), []);
        assert_eq!(said(&format!("://{}@", gap(299))), [(Word::Url, 0, 3)]);
        assert_eq!(said(&format!("://{}@", gap(900))), []);
        let name = "aws_secret_access_key";
        let found = said(&format!("{name}{}{}", gap(256), "a".repeat(40)));
        assert_eq!(found, [(Word::AwsSecret, 0, 21), (Word::Key, 18, 21)]);
        assert_eq!(said(&format!("{name}{}{}", gap(256), "a".repeat(39))), []);
    }
}
