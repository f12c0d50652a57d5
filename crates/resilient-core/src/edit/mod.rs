//! Replacing a string inside a file without disturbing anything else in it.
//!
//! [`replace`] works on the file's bytes and is pure: bytes in, bytes or a [`Refusal`] out. It promises that
//! whatever lies outside the matches comes back byte for byte, in whatever encoding and with whatever
//! line endings it had; only the inserted text is translated, so that it fits in. When the string is
//! not there, [`Nearest`] tells which part of the file was probably meant and what differs.
//!
//! Reading the file, checking its digest and writing the result are left to the caller.
//!
//! | File | What decides |
//! |---|---|
//! | UTF-8, with or without a byte order mark | its bytes |
//! | UTF-16 | its code units; a match never starts inside one |
//! | a single-byte encoding | its bytes, then its reading as text |
//! | Shift_JIS, EUC-JP, EUC-KR, Big5, GBK, GB18030 | its reading as text |
//! | one of these, where that is only a guess | its bytes, where they are unambiguous; then its reading |
//! | anything else | its bytes |
//!
//! Where the encoding is only a guess, the new text may have ASCII and what the replaced text has. UTF-32 is
//! refused.

mod alike;
mod back;
mod diagnosis;
mod differs;
mod endings;
mod fold;
mod mistakes;
mod nearest;
mod placeholder;
mod places;
mod reading;

use std::borrow::Cow;

use thiserror::Error;

pub use self::back::{lines_of, made_in};
pub use self::diagnosis::Diagnosis;
pub use self::differs::Difference;
pub use self::mistakes::Mistake;
pub use self::nearest::Nearest;
pub(crate) use self::placeholder::{first_placeholder, is_in_a_line, last_dots};

use self::diagnosis::Searched;
use self::endings::{Inserted, Match};
use self::places::{LINES_LISTED_MAX, first_lines};
use self::reading::Reading;
use crate::form::{Asked, AskedEncoding, AskedEol, Eol};

/// The file after the edit; every byte outside the matches is the file's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The whole new content.
    pub content: Vec<u8>,
    /// How many matches were replaced.
    pub replacements: u64,
    /// Whether a byte order mark at the beginning of the new text was left out, since it would stand in the
    /// middle of the file.
    pub bom_dropped: bool,
}

/// Why nothing was replaced.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The string to replace is empty, so it would match everywhere.
    #[error("old_string is empty")]
    EmptyOldString,
    /// The caller asked for no replacement at all.
    #[error("count is zero")]
    CountZero,
    /// The file is not UTF-8, and the string occurs in no encoding we can tell it to be in.
    #[error("{message}")]
    NotUtf8 {
        /// Where the file stops being UTF-8 and what it was read as instead.
        message: String,
        /// Whether it is UTF-32, which is not edited at all.
        is_utf32: bool,
        /// The part of the file's text that comes closest, if it is text and any comes close.
        nearest: Option<Box<Nearest>>,
        /// What else shows why it does not occur.
        diagnosis: Box<Diagnosis>,
    },
    /// The string does not occur.
    #[error("old_string does not occur in the file")]
    NotFound {
        /// The part of the file that comes closest, if any comes close.
        nearest: Option<Box<Nearest>>,
        /// What else shows why it does not.
        diagnosis: Box<Diagnosis>,
    },
    /// The string occurs, but not as often as the caller expects.
    #[error("old_string occurs {actual} times, expected {expected}")]
    InsufficientMatches {
        /// The caller's count.
        expected: i64,
        /// How many matches do not overlap.
        actual: u64,
    },
    /// The string occurs more often than the caller expects.
    #[error("old_string occurs {actual} times, expected {expected}")]
    AmbiguousMatch {
        /// The caller's count.
        expected: i64,
        /// How many matches do not overlap.
        actual: u64,
        /// The lines on which the first fifty matches begin, counted from 1.
        lines: Vec<u64>,
    },
    /// The new text has a character that the file's encoding lacks.
    #[error(
        "{character:?} at byte {offset} of new_string does not exist in the file's encoding ({encoding})"
    )]
    Unencodable {
        /// The file's encoding; `binary` where it is no text.
        encoding: String,
        /// The first such character.
        character: char,
        /// Where it stands in the new text, in bytes.
        offset: usize,
        /// The line of the new text in which it stands, from 1.
        line: usize,
    },
    /// The new text has a character outside ASCII, and the file's encoding is only a guess.
    #[error(
        "the file's encoding is probably {encoding}; that is not sure enough for {character:?}"
    )]
    UnsureEncoding {
        /// The guess.
        encoding: String,
        /// The first such character.
        character: char,
        /// The line of the new text in which it stands, from 1.
        line: usize,
    },
}

/// Replaces `old` by `new` in `file`, where `old` occurs as often as `count` says.
///
/// A positive `count` asks for exactly that many matches which do not overlap, `-1` for all of them
/// and at least one.
///
/// Line endings count as equal: `old` written with LF matches lines that end in CRLF and the other
/// way round. If taking them literally leaves exactly `count` matches, those are the ones meant.
/// The inserted text takes over the endings of the text it replaces, or of the line it lands in. Only
/// where `old` matches literally and `new` differs by its endings alone is it inserted as given.
///
/// # Errors
///
/// One [`Refusal`] per situation; a negative `count` other than `-1` is never satisfied.
///
/// ```
/// use resilient_core::edit::replace;
///
/// let edited = replace(b"one\r\ntwo\r\n", "one\n", "1\nand\n", 1)?;
/// assert_eq!(edited.content, b"1\r\nand\r\ntwo\r\n");
/// # Ok::<(), resilient_core::edit::Refusal>(())
/// ```
pub fn replace(file: &[u8], old: &str, new: &str, count: i64) -> Result<Edited, Refusal> {
    replace_in(file, old, new, count, Asked::default())
}

/// As [`replace`], in the encoding and with the line ends that are asked for.
///
/// # Errors
/// As [`replace`].
pub fn replace_in(
    file: &[u8],
    old: &str,
    new: &str,
    count: i64,
    asked: Asked,
) -> Result<Edited, Refusal> {
    if old.is_empty() {
        return Err(Refusal::EmptyOldString);
    }
    if count == 0 {
        return Err(Refusal::CountZero);
    }
    for reading in reading::readings(file, old, asked.encoding) {
        let matches = choose(endings::find(&reading.text, old), count);
        if matches.is_empty() {
            continue;
        }
        if let Some(at) =
            matches.iter().map(|found| found.range.start).find(|at| reading.may_split(*at))
        {
            return Err(Refusal::NotUtf8 {
                message: format!(
                    "old_string at offset {at} may begin inside a double-byte character, \
                     and the file's encoding is unknown"
                ),
                is_utf32: false,
                nearest: None,
                diagnosis: Box::default(),
            });
        }
        check_count(&reading.text, &matches, count)?;
        return splice(file, &reading, &matches, old, new, asked);
    }
    let (mut nearest, mut diagnosis) = (None, Box::default());
    if let Some(text) = reading::text(file, asked.encoding) {
        let found = nearest::find(&text, old);
        let searched = Searched { file, text: &text, asked: asked.encoding };
        let (told, corrected) = diagnosis::diagnose(&searched, old, new, found.as_ref());
        nearest = corrected
            .and_then(|corrected| nearest::exactly(&text, &corrected))
            .or(found)
            .map(|it| {
                // What was made away with is not to be sought in another place.
                let is_safe = it.is_same_text() || !told.may_be_made();
                it.with_suggestion_if(|it| {
                    is_safe && reading::occurs_once(file, it, asked.encoding)
                })
            })
            .map(Box::new);
        diagnosis = Box::new(told);
    }
    Err(match std::str::from_utf8(file) {
        Ok(_) => Refusal::NotFound { nearest, diagnosis },
        Err(error) => {
            let (message, is_utf32) = reading::describe(file, &error, asked.encoding);
            Refusal::NotUtf8 { message, is_utf32, nearest, diagnosis }
        }
    })
}

/// Keeps the literal matches alone when there are just as many as wanted.
fn choose(matches: Vec<Match>, count: i64) -> Vec<Match> {
    let literal = matches.iter().filter(|found| found.literal).count();
    if literal != matches.len() && i64::try_from(literal) == Ok(count) {
        matches.into_iter().filter(|found| found.literal).collect()
    } else {
        matches
    }
}

fn check_count(text: &[u8], matches: &[Match], expected: i64) -> Result<(), Refusal> {
    let actual = matches.len() as u64;
    match u64::try_from(expected) {
        Ok(wanted) if actual == wanted => Ok(()),
        Ok(wanted) if actual < wanted => Err(Refusal::InsufficientMatches { expected, actual }),
        Err(_) if expected == -1 => Ok(()),
        _ => Err(Refusal::AmbiguousMatch {
            expected,
            actual,
            lines: first_lines(text, matches, LINES_LISTED_MAX),
        }),
    }
}

/// How often `old` occurs in `file`, as [`replace`] counts.
#[must_use]
pub fn count(file: &[u8], old: &str) -> u64 {
    if old.is_empty() {
        return 0;
    }
    let readings = reading::readings(file, old, AskedEncoding::Unsaid);
    let counts = readings.into_iter().map(|reading| endings::find(&reading.text, old).len() as u64);
    counts.into_iter().find(|count| *count > 0).unwrap_or(0)
}

fn splice(
    file: &[u8],
    reading: &Reading<'_>,
    matches: &[Match],
    old: &str,
    new: &str,
    asked: Asked,
) -> Result<Edited, Refusal> {
    const MARK: char = '\u{feff}';
    let adds_mark = new.starts_with(MARK) && !old.starts_with(MARK);
    let keeps_mark = !adds_mark || asked.encoding == AskedEncoding::Raw;
    let mut bom_dropped = false;
    let as_asked = match asked.eol {
        AskedEol::Unsaid if asked.encoding != AskedEncoding::Raw => None,
        AskedEol::Keep => None,
        AskedEol::Unsaid | AskedEol::Raw => Some(Cow::Borrowed(new)),
        AskedEol::Named(eol) => Some(Cow::Owned(with_ends(new, eol))),
    };
    let begins_file =
        matches.first().is_some_and(|found| reading.offsets().in_file(found.range.start) == 0);
    let without = new.trim_start_matches(MARK);
    reading.check_encodable(old, if keeps_mark || begins_file { new } else { without })?;
    let mut inserted = Inserted::new(&reading.text, old, new);
    let mut offsets = reading.offsets();
    let mut content = Vec::with_capacity(file.len());
    let mut copied_to = 0;
    for found in matches {
        let start = offsets.in_file(found.range.start);
        content.extend_from_slice(file.get(copied_to..start).unwrap_or_default());
        let put = match &as_asked {
            Some(new) => Cow::Borrowed(&**new),
            None => inserted.instead_of(found),
        };
        if keeps_mark || start == 0 {
            reading.encode_onto(&put, &mut content);
        } else {
            bom_dropped = true;
            reading.encode_onto(put.trim_start_matches(MARK), &mut content);
        }
        copied_to = offsets.in_file(found.range.end);
    }
    content.extend_from_slice(file.get(copied_to..).unwrap_or_default());
    Ok(Edited { content, replacements: matches.len() as u64, bom_dropped })
}

fn with_ends(text: &str, eol: Eol) -> String {
    text.replace("\r\n", "\n").replace('\n', eol.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(file: &[u8], old: &str, new: &str, count: i64) -> Vec<u8> {
        replace(file, old, new, count).unwrap().content
    }

    fn utf16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        let marked = format!("\u{feff}{text}");
        marked.encode_utf16().flat_map(to_bytes).collect()
    }

    fn nothing() -> Refusal {
        Refusal::NotFound { nearest: None, diagnosis: Box::default() }
    }

    #[test]
    fn refuses_an_empty_string_before_a_zero_count() {
        assert_eq!(replace(b"a", "", "b", 0), Err(Refusal::EmptyOldString));
        assert_eq!(replace(b"a", "a", "b", 0), Err(Refusal::CountZero));
    }

    #[test]
    fn count_is_exact() {
        let file = b"x\ny\nx\n";
        assert_eq!(
            replace(file, "x", "z", 2),
            Ok(Edited { content: b"z\ny\nz\n".to_vec(), replacements: 2, bom_dropped: false })
        );
        assert_eq!(replace(file, "x", "z", -1), replace(file, "x", "z", 2));
        assert_eq!(
            replace(file, "x", "z", 1),
            Err(Refusal::AmbiguousMatch { expected: 1, actual: 2, lines: vec![1, 3] })
        );
        assert_eq!(
            replace(file, "x", "z", 3),
            Err(Refusal::InsufficientMatches { expected: 3, actual: 2 })
        );
    }

    #[test]
    fn other_negative_counts_are_never_satisfied() {
        assert_eq!(
            replace(b"x\n\nx", "x", "z", -2),
            Err(Refusal::AmbiguousMatch { expected: -2, actual: 2, lines: vec![1, 3] })
        );
        assert_eq!(replace(b"x", "q", "z", -2), Err(nothing()));
        assert_eq!(replace(b"x", "q", "z", -1), Err(nothing()));
    }

    #[test]
    fn lists_fifty_lines_at_most() {
        let Err(Refusal::AmbiguousMatch { actual, lines, .. }) =
            replace("x\n".repeat(60).as_bytes(), "x", "y", 1)
        else {
            panic!("sixty matches are ambiguous");
        };
        assert_eq!((actual, lines), (60, (1..=50).collect()));
    }

    #[test]
    fn counts_without_editing() {
        assert_eq!(count(b"a\r\nb\r\na\r\nb\r\n", "a\nb"), 2);
        assert_eq!((count(b"a", ""), count(b"a", "b")), (0, 0));
    }

    #[test]
    fn matches_do_not_overlap() {
        assert_eq!(edited(b"aaaa", "aaa", "b", 1), b"ba");
        assert_eq!(edited(b"aaaaaa", "aaa", "b", 2), b"bb");
        assert_eq!(edited(b"abababa", "aba", "-", -1), b"-b-");
    }

    #[test]
    fn crlf_file_stays_crlf() {
        let file = b"one\r\ntwo\r\nthree\r\n";
        assert_eq!(edited(file, "one\ntwo\n", "1\n2\n", 1), b"1\r\n2\r\nthree\r\n");
        assert_eq!(edited(file, "two", "2\n2b", 1), b"one\r\n2\r\n2b\r\nthree\r\n");
        assert_eq!(edited(file, "three\n", "3\n4\n5\n", 1), b"one\r\ntwo\r\n3\r\n4\r\n5\r\n");
        assert_eq!(edited(b"one\r\ntwo", "two", "2\n3", 1), b"one\r\n2\r\n3");
    }

    #[test]
    fn a_match_never_takes_half_a_crlf() {
        assert_eq!(edited(b"a\r\nb\r\n", "\nb", "", 1), b"a\r\n");
        assert_eq!(edited(b"a\r\nb\r\n", "a\n", "", 1), b"b\r\n");
        assert_eq!(edited(b"a\r\nb\r\n", "\n", "\n\n", 2), b"a\r\n\r\nb\r\n\r\n");
        assert_eq!(edited(b"a\r\nb", "\n", " ", 1), b"a b");
    }

    #[test]
    fn lf_file_stays_lf_when_the_string_has_crlf() {
        assert_eq!(edited(b"one\ntwo\n", "one\r\ntwo", "1\r\n2\r\n3", 1), b"1\n2\n3\n");
    }

    #[test]
    fn explicit_line_endings_are_obeyed_where_the_match_is_literal() {
        assert_eq!(edited(b"a\r\nb\r\n", "a\r\n", "a\n", 1), b"a\nb\r\n");
        assert_eq!(edited(b"a\nb\n", "a\n", "a\r\n", 1), b"a\r\nb\n");
    }

    #[test]
    fn a_file_of_one_kind_of_line_ends_keeps_to_it() {
        assert_eq!(edited(b"a\nb\n", "a", "1\r\n2", 1), b"1\n2\nb\n");
        assert_eq!(edited(b"a\nb\n", "a\n", "1\r\n2\r\n", 1), b"1\n2\nb\n");
        assert_eq!(edited(b"a\r\nb\r\n", "a\r\n", "1\n2\n", 1), b"1\r\n2\r\nb\r\n");
        assert_eq!(edited(b"a\r\nb\r\n", "a\r\nb", "1\n2\r\n3", 1), b"1\r\n2\r\n3\r\n");
        assert_eq!(edited(b"a\rb\r", "a", "1\n2\r\n3", 1), b"1\r2\r3\rb\r");
        assert_eq!(edited(b"a\rb\r", "a\rb", "1\r2", 1), b"1\r2\r");
        assert_eq!(edited(b"a", "a", "1\r\n2\n", 1), b"1\r\n2\n");
    }

    #[test]
    fn mixed_endings_are_kept_line_by_line() {
        let file = b"a\r\nb\nc\r\nd\n";
        assert_eq!(edited(file, "a\nb\nc\n", "A\nB\nC\n", 1), b"A\r\nB\nC\r\nd\n");
        assert_eq!(edited(file, "a\nb\nc\n", "A\nB\n", 1), b"A\r\nB\r\nd\n");
        assert_eq!(edited(file, "c", "c\nc", 1), b"a\r\nb\nc\r\nc\r\nd\n");
        assert_eq!(edited(file, "d", "d\nd", 1), b"a\r\nb\nc\r\nd\nd\n");
    }

    #[test]
    fn literal_endings_decide_between_places_only_when_they_are_as_many_as_wanted() {
        let file = b"x\ny\n--\r\nx\r\ny\r\n";
        assert_eq!(edited(file, "x\ny", "z", 1), b"z\n--\r\nx\r\ny\r\n");
        assert_eq!(edited(file, "x\r\ny", "z", 1), b"x\ny\n--\r\nz\r\n");
        assert_eq!(edited(file, "x\ny", "z", -1), b"z\n--\r\nz\r\n");
    }

    #[test]
    fn lone_carriage_returns_are_ordinary_bytes() {
        assert_eq!(edited(b"a\rb\r\r\nc\r\n", "c\n", "d\n", 1), b"a\rb\r\r\nd\r\n");
    }

    #[test]
    fn latin_1_bytes_are_left_alone() {
        let file = b"caf\xe9 = 1\nth\xe9 = 2\n";
        assert_eq!(edited(file, "= 2", "= 3", 1), b"caf\xe9 = 1\nth\xe9 = 3\n");
        assert_eq!(edited(file, "= 2", "= \u{fc}\u{20ac}", 1), b"caf\xe9 = 1\nth\xe9 = \xfc\x80\n");
        assert_eq!(edited(file, "th\u{e9}", "tea", 1), b"caf\xe9 = 1\ntea = 2\n");
        assert_eq!(
            edited(b"caf\xe9\r\nx\r\n", "caf\u{e9}\nx", "th\u{e9}\ny", 1),
            b"th\xe9\r\ny\r\n"
        );
    }

    #[test]
    fn characters_the_encoding_lacks_are_refused() {
        assert_eq!(
            replace(b"caf\xe9 = 1\n", "= 1", "= \u{43b}", 1),
            Err(Refusal::Unencodable {
                encoding: "windows-1252".to_owned(),
                character: '\u{43b}',
                offset: 2,
                line: 1
            })
        );
        // Six bytes of Cyrillic: that it is windows-1251 is only a guess.
        let file = b"\xcf\xf0\xe8\xe2\xe5\xf2 = 1\n";
        assert_eq!(
            replace(file, "= 1", "\n\u{43b}", 1),
            Err(Refusal::UnsureEncoding {
                encoding: "windows-1251".to_owned(),
                character: '\u{43b}',
                line: 2
            })
        );
        assert_eq!(
            edited(file, "\u{442} = 1", "\u{442} = 2", 1),
            b"\xcf\xf0\xe8\xe2\xe5\xf2 = 2\n"
        );
        let named =
            Asked { encoding: "windows-1251".parse().unwrap(), eol: AskedEol::Named(Eol::CrLf) };
        assert_eq!(
            replace_in(file, "= 1", "\n\u{43b}", 1, named).unwrap().content,
            b"\xcf\xf0\xe8\xe2\xe5\xf2 \r\n\xeb\n"
        );
    }

    #[test]
    fn double_byte_text_is_edited_as_text() {
        for (label, text) in [
            ("shift_jis", "\u{3053}\u{308c}\u{306f}\u{30c6}\u{30b9}\u{30c8} name \u{8868}A\r\n"),
            ("gbk", "\u{8fd9}\u{662f}\u{4e00}\u{4e2a}\u{6587}\u{4ef6}\u{3002} name \u{5317}A\r\n"),
            (
                "euc-kr",
                "\u{c774}\u{ac83}\u{c740} \u{d55c}\u{ad6d}\u{c5b4}\u{c785}\u{b2c8}\u{b2e4} name \u{d55c}A\r\n",
            ),
        ] {
            let encode = |text: &str| {
                let mut bytes = Vec::new();
                crate::form::Encoding::named(label).unwrap().encode(text, &mut bytes).unwrap();
                bytes
            };
            let file = encode(&text.repeat(3));
            let last = text.chars().rev().nth(3).unwrap();
            let (old, new) = (format!("name {last}A\n"), format!("{last}{last}\nx\n"));
            let wanted =
                text.replace(&format!("name {last}A\r\n"), &format!("{last}{last}\r\nx\r\n"));
            assert_eq!(edited(&file, &old, &new, 3), encode(&wanted.repeat(3)), "{label}");
            // Its second bytes are ASCII letters; none of them is a match.
            assert_eq!(edited(&file, "A", "B", 3), encode(&text.replace('A', "B").repeat(3)));
        }
    }

    #[test]
    fn damaged_utf_8_takes_utf_8() {
        let file = b"\xc3\xa9\xc3\xa8 \xff one\n";
        assert_eq!(edited(file, "one", "\u{fc}", 1), b"\xc3\xa9\xc3\xa8 \xff \xc3\xbc\n");
        assert_eq!(edited(file, "\u{e9}", "e", 1), b"e\xc3\xa8 \xff one\n");
    }

    #[test]
    fn binary_is_edited_where_ascii_occurs() {
        assert_eq!(edited(b"\x00\xff\xfename\x00\x80", "name", "n", 1), b"\x00\xff\xfen\x00\x80");
    }

    #[test]
    fn half_a_double_byte_character_is_no_match() {
        // Shift_JIS katakana, whose second bytes are `A` and `C`.
        let file = b"\x83\x41\x83\x43\x83\x45 = 1\n";
        let Err(Refusal::NotUtf8 { message, .. }) = replace(file, "A", "B", 1) else {
            panic!("the A is half a character");
        };
        assert!(message.starts_with("old_string at offset 1 may begin inside"), "{message}");
        assert_eq!(edited(file, "= 1", "= 2", 1), b"\x83\x41\x83\x43\x83\x45 = 2\n");
    }

    #[test]
    fn not_utf_8_is_said_only_when_nothing_matched() {
        let message = |file: &[u8]| match replace(file, "absent", "x", 1) {
            Err(Refusal::NotUtf8 { message, .. }) => message,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            message(b"caf\xe9"),
            "invalid byte 0xe9 at offset 3, \
             and old_string does not occur in it read as windows-1252 either"
        );
        assert_eq!(
            message(b"\xff\xfe\x00\x00a\x00\x00\x00"),
            "invalid byte 0xff at offset 0, and utf-32 is not supported"
        );
    }

    #[test]
    fn a_mark_is_put_at_the_beginning_of_a_file_only() {
        let told = |file: &[u8], old: &str, new: &str, count| {
            let edited = replace(file, old, new, count).unwrap();
            (edited.content, edited.bom_dropped)
        };
        assert_eq!(told(b"one\ntwo\n", "two", "\u{feff}2", 1), (b"one\n2\n".to_vec(), true));
        assert_eq!(told(b"one\n", "one", "\u{feff}1", 1), (b"\xef\xbb\xbf1\n".to_vec(), false));
        assert_eq!(told(b"x\nx\n", "x", "\u{feff}y", -1), (b"\xef\xbb\xbfy\ny\n".to_vec(), true));
        let marked = b"\xef\xbb\xbfone\n";
        assert_eq!(told(marked, "one", "\u{feff}1", 1), (b"\xef\xbb\xbf1\n".to_vec(), true));
        assert_eq!(
            told(marked, "\u{feff}one", "\u{feff}1", 1),
            (b"\xef\xbb\xbf1\n".to_vec(), false)
        );
        let wide = utf16("one\n", u16::to_le_bytes);
        assert_eq!(told(&wide, "one", "\u{feff}1", 1), (utf16("1\n", u16::to_le_bytes), true));
        // An encoding without such a mark lacks none.
        assert_eq!(told(b"caf\xe9 = 1\n", "1", "\u{feff}2", 1), (b"caf\xe9 = 2\n".to_vec(), true));
    }

    #[test]
    fn what_comes_near_is_told_in_every_encoding() {
        let text =
            "caf\u{e9} noir et th\u{e9} vert \u{e0} midi\r\nif a < b && c {\r\n\ttotal = 1\r\n";
        let kana = "\u{30ab}\u{30bf}\u{30ab}\u{30ca}\u{306e}\u{540d}\u{524d}\r\nif a < b && c {\r\n\ttotal = 1\r\n";
        let spelled = |text: &str, label: &str| {
            let mut bytes = Vec::new();
            crate::form::Encoding::named(label).unwrap().encode(text, &mut bytes).unwrap();
            bytes
        };
        for file in [
            utf16(text, u16::to_le_bytes),
            utf16(text, u16::to_be_bytes),
            spelled(text, "latin-1"),
            spelled(kana, "shift_jis"),
            [b"\xc3\xa9\xc3\xa8 \xff\n".as_slice(), &text.as_bytes()[text.find("if").unwrap()..]]
                .concat(),
        ] {
            let found = |old: &str| match replace(&file, old, "x", 1) {
                Err(Refusal::NotUtf8 { nearest, diagnosis, .. }) => (nearest, diagnosis),
                other => panic!("{other:?}"),
            };
            let nearest = found("  total = 1").0.unwrap();
            assert_eq!((nearest.start_line, &nearest.differs[..]), (3, &[Difference::Tabs][..]));
            let suggested = nearest.suggested_old_string.unwrap();
            assert_eq!(suggested, "\ttotal = 1");
            assert!(replace(&file, &suggested, "x", 1).is_ok());
            let mistakes = found("if a &lt; b &amp;&amp; c {").1;
            assert_eq!(mistakes.mistakes, [Mistake::HtmlEntities]);
            assert_eq!(mistakes.corrected_lines, [2]);
            let mistakes = found("c {\\n\\ttotal").1;
            assert_eq!(mistakes.mistakes, [Mistake::LiteralEscapes]);
            assert_eq!(mistakes.corrected_lines, [2]);
            assert_eq!(
                found("if a < b\n// ... existing code ...").1.mistakes,
                [Mistake::Placeholder]
            );
        }
    }

    #[test]
    fn nothing_is_suggested_that_is_not_in_the_bytes() {
        let file = b"\xc3\xa9\xc3\xa8\nlet total\xff = price + tax;\n";
        let Err(Refusal::NotUtf8 { nearest, .. }) =
            replace(file, "let total = price + tax;", "x", 1)
        else {
            panic!("it does not occur");
        };
        let nearest = nearest.unwrap();
        assert_eq!((nearest.start_line, nearest.suggested_old_string), (2, None));
        assert_eq!(nearest.text.as_deref(), Some("let total\u{fffd} = price + tax;"));
    }

    #[test]
    fn byte_order_mark_stays() {
        assert_eq!(edited(b"\xef\xbb\xbfone\n", "one", "two", 1), b"\xef\xbb\xbftwo\n");
        assert_eq!(edited(b"\xef\xbb\xbfone\r\n", "one\n", "1\n2\n", 1), b"\xef\xbb\xbf1\r\n2\r\n");
    }

    #[test]
    fn utf_16_is_edited_in_its_own_units() {
        for to_bytes in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
            let file = utf16("a \u{1f600} one\r\ntwo\r\n", to_bytes);
            assert_eq!(
                edited(&file, "one\ntwo", "\u{e9}\n\u{1f601}", 1),
                utf16("a \u{1f600} \u{e9}\r\n\u{1f601}\r\n", to_bytes)
            );
        }
    }

    #[test]
    fn utf_16_matches_begin_with_a_unit() {
        // As bytes, `aa` would also match in the middle of two of these.
        let file = utf16("\u{6161}\u{6161}a", u16::to_le_bytes);
        assert_eq!(edited(&file, "a", "b", 1), utf16("\u{6161}\u{6161}b", u16::to_le_bytes));
    }

    #[test]
    fn utf_16_damage_is_left_alone() {
        // A lone surrogate before and an odd byte after.
        let file = b"\xff\xfe\x00\xd8a\x00b\x00\x07";
        assert_eq!(edited(file, "b", "cd", 1), b"\xff\xfe\x00\xd8a\x00c\x00d\x00\x07");
    }

    /// A small generator with a fixed seed (xorshift), so that a failure repeats.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % bound as u64) as usize
        }

        fn text(&mut self, alphabet: &[&str], pieces_max: usize) -> String {
            (0..self.below(pieces_max)).map(|_| alphabet[self.below(alphabet.len())]).collect()
        }
    }

    #[test]
    fn bytes_outside_the_match_are_the_files_own() {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let around: [&[u8]; 10] =
            [b"a", b"b", b" ", b"\n", b"\r\n", b"\r", b"\xe9", b"\xc3\xa9", b"\x00", b"\xff"];
        for _ in 0..4000 {
            let bytes = |random: &mut Random| -> Vec<u8> {
                (0..random.below(12)).flat_map(|_| around[random.below(10)]).copied().collect()
            };
            let (prefix, suffix) = (bytes(&mut random), bytes(&mut random));
            if prefix.starts_with(b"\xff") || prefix.starts_with(b"\x00") {
                continue;
            }
            let old = format!("<{}>", random.text(&["x", "y", "\n", "\r\n"], 6));
            let new = random.text(&["z", "\n", "\r\n"], 5);
            let there = if random.below(2) == 0 { old.replace("\r\n", "\n") } else { old.clone() };
            let file = [&prefix, there.as_bytes(), &suffix].concat();
            let edited = replace(&file, &old, &new, 1).unwrap().content;
            assert!(edited.starts_with(&prefix), "{file:?} {old:?} {new:?}: {edited:?}");
            let rest = &edited[prefix.len()..];
            assert!(rest.ends_with(&suffix), "{file:?} {old:?} {new:?}: {edited:?}");
            let inserted = &rest[..rest.len() - suffix.len()];
            let inserted = String::from_utf8(inserted.to_vec()).unwrap();
            // Where a file has no LF, a CR ends its lines.
            let plain = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n");
            assert_eq!(plain(&inserted), plain(&new));
        }
    }

    #[test]
    fn replacing_and_replacing_back_gives_the_file() {
        let mut random = Random(7);
        for _ in 0..2000 {
            let file = random.text(&["a", "b", "\u{e9}", "\n", "\r\n", "\t"], 30);
            let old = random.text(&["a", "b", "\u{e9}", "\n"], 4);
            let Ok(edited) = replace(file.as_bytes(), &old, &old, -1) else { continue };
            assert_eq!(edited.content, file.as_bytes(), "{old:?}");
        }
    }

    #[test]
    fn large_and_hostile_files_are_linear_work() {
        let line = "ab".repeat(2_500_000);
        assert_eq!(edited(line.as_bytes(), "b", "\n", -1).len(), 5_000_000);
        assert!(replace(line.as_bytes(), &"ba".repeat(1_000_000), "", 1).is_err());
        assert!(replace(line.as_bytes(), "no such thing, anywhere", "", 1).is_err());
        assert!(replace(line.as_bytes(), "AB ab", "", 1).is_err());
        let lines = "    }\r\n".repeat(200_000);
        assert_eq!(edited(lines.as_bytes(), "}\n", "}\n", -1), lines.as_bytes());
        assert!(replace(lines.as_bytes(), &"\t}\n".repeat(100_000), "", 1).is_err());
        assert!(replace(lines.as_bytes(), "if absent {\n  return;\n}\n", "", 1).is_err());
        let wide = utf16(&"\u{6261}".repeat(500_000), u16::to_le_bytes);
        assert!(replace(&wide, &"\u{6162}".repeat(250_000), "", 1).is_err());
    }
}
