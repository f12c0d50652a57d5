//! Whether an edit is what has changed a file. If an answer is lost, its call comes again with the digest of the file
//! before; putting the old text back gives a file with that digest.

use super::endings::Match;
use super::places::{LINES_LISTED_MAX, first_lines};
use super::{endings, reading, splice};
use crate::form::{Asked, AskedEncoding, AskedEol, Eol};

/// The old text is put back so often.
const TRIES_MAX: usize = 64;
/// And not after so many bytes were made of it.
const BYTES_MAX: usize = 16 << 20;

/// The lines on which the new text begins, if `file` is what this edit makes of a file that `is_before` knows.
#[must_use]
pub fn made_in(
    file: &[u8],
    old: &str,
    new: &str,
    count: i64,
    asked: Asked,
    is_before: impl Fn(&[u8]) -> bool,
) -> Option<Vec<u64>> {
    if old.is_empty() || new.is_empty() || old == new {
        return None;
    }
    let mut tries = (BYTES_MAX / file.len().max(1)).min(TRIES_MAX);
    for reading in reading::readings(file, new, asked.encoding) {
        for matches in places(&reading.text, new, count) {
            for eol in ends(old) {
                tries = tries.checked_sub(1)?;
                let back = splice(file, &reading, &matches, new, old, Asked { eol: *eol, ..asked });
                if back.is_ok_and(|back| is_before(&back.content)) {
                    return Some(first_lines(&reading.text, &matches, LINES_LISTED_MAX));
                }
            }
        }
    }
    None
}

/// The lines on which a text begins: the first fifty.
#[must_use]
pub fn lines_of(file: &[u8], text: &str, asked: AskedEncoding) -> Vec<u64> {
    let lines = |reading: reading::Reading<'_>| {
        let matches = endings::find(&reading.text, text);
        first_lines(&reading.text, &matches, LINES_LISTED_MAX)
    };
    let mut all = reading::readings(file, text, asked).into_iter().map(lines);
    all.find(|lines| !lines.is_empty()).unwrap_or_default()
}

/// The places that an edit may have changed, each with all that it has changed then.
fn places(text: &[u8], new: &str, count: i64) -> Vec<Vec<Match>> {
    if count == 1 {
        let all = endings::find_overlapping(text, new, TRIES_MAX);
        return all.into_iter().map(|found| vec![found]).collect();
    }
    let all = endings::find(text, new);
    let is_all = count == -1 || i64::try_from(all.len()) == Ok(count);
    if is_all && !all.is_empty() { vec![all] } else { Vec::new() }
}

/// The line ends that the old text may have had: those around it, or any if it has none of its own.
fn ends(old: &str) -> &'static [AskedEol] {
    const ALL: [AskedEol; 3] =
        [AskedEol::Keep, AskedEol::Named(Eol::Lf), AskedEol::Named(Eol::CrLf)];
    ALL.get(..if old.contains('\n') { 3 } else { 1 }).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::replace_in;
    use super::*;

    /// The lines that an edit gives after it was made. In a file that was another one before it gives none.
    fn told(file: &[u8], old: &str, new: &str, count: i64, asked: Asked) -> Option<Vec<u64>> {
        let edited = replace_in(file, old, new, count, asked).unwrap().content;
        assert_eq!(made_in(&edited, old, new, count, asked, |_| false), None);
        assert_eq!(made_in(file, old, new, count, asked, |before| before == file), None);
        made_in(&edited, old, new, count, asked, |before| before == file)
    }

    fn plain(file: &str, old: &str, new: &str, count: i64) -> Option<Vec<u64>> {
        told(file.as_bytes(), old, new, count, Asked::default())
    }

    #[test]
    fn an_insertion_that_was_made_is_known_and_where() {
        let (old, new) = ("import os\n", "import os\nimport re\n");
        for (file, lines) in [
            ("import os\nx\n", [1]),
            ("#!\r\nimport os\r\nx\r\n", [2]),
            ("\u{feff}import os\n", [1]),
            ("a\r\nb\r\nimport os\nx\r\n", [3]),
        ] {
            assert_eq!(plain(file, old, new, 1), Some(lines.to_vec()), "{file:?}");
        }
        // In the middle of other places that look the same.
        assert_eq!(plain("abaxba", "x", "baba", 1), Some(vec![1]));
        // In all places, as often as they are.
        assert_eq!(plain("x\ny\nx\n", "x", "x2x", -1), Some(vec![1, 3]));
        assert_eq!(plain("x\ny\nx\n", "x", "x2x", 2), Some(vec![1, 3]));
    }

    #[test]
    fn line_ends_and_encodings_are_those_of_the_file() {
        let eol = |eol| Asked { eol: AskedEol::Named(eol), ..Asked::default() };
        assert!(told(b"a\nb\nc\n", "a\nb\n", "a\nb\nb\n", 1, eol(Eol::CrLf)).is_some());
        assert!(told(b"a\r\nb\r\nc\r\n", "a\nb\n", "a\nb\nb\n", 1, eol(Eol::Lf)).is_some());
        let raw = Asked { encoding: AskedEncoding::Raw, ..Asked::default() };
        assert!(told(b"a\r\nb\r\nc\r\n", "a\n", "a\nb\n", 1, raw).is_some());
        let wide: Vec<u8> =
            "\u{feff}\u{e9}\nb\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(told(&wide, "\u{e9}", "\u{e9}\n\u{e9}", 1, Asked::default()).is_some());
        assert!(
            told(b"caf\xe9 = 1\n", "caf\u{e9}", "th\u{e9}, caf\u{e9}", 1, Asked::default())
                .is_some()
        );
    }

    #[test]
    fn other_edits_are_known_and_a_deletion_is_not() {
        assert_eq!(plain("a\ntotal = 1\n", "total = 1", "total = 2", 1), Some(vec![2]));
        assert_eq!(plain("a b c", " b", "", 1), None);
    }

    #[test]
    fn the_work_has_a_limit() {
        let tried = std::cell::Cell::new(0);
        let none = |_: &[u8]| {
            tried.set(tried.get() + 1);
            false
        };
        let many = "ab\n".repeat(10_000);
        assert_eq!(made_in(many.as_bytes(), "b\n", "ab\n", 1, Asked::default(), none), None);
        assert_eq!(tried.replace(0), TRIES_MAX);
        let long = "ab\n".repeat(BYTES_MAX / 6);
        assert_eq!(made_in(long.as_bytes(), "b\n", "ab\n", 1, Asked::default(), none), None);
        assert_eq!(tried.get(), 2);
    }
}
