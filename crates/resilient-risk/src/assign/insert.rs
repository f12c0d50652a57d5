//! Passwords in rows that SQL puts into a table: `INSERT INTO users (name, password) VALUES (…), (…)`, and `COPY … FROM stdin`.

use std::ops::Range;

use memchr::{memchr, memmem};

use super::super::work;
use super::column::Columns;
use super::row::{cells, rows};
use super::{Claimed, near};

/// A longer list of names is none.
const LEN_MAX: usize = 2000;

/// A longer row is none.
const ROW_MAX: usize = 262_144;

/// So much is looked at before a list of names, for what it belongs to.
const BEFORE_MAX: usize = 100;

/// What of a text was read.
pub(super) struct Reading {
    /// A word before this place was looked at already.
    done: usize,
    /// How long a row may be.
    row_max: usize,
}

impl Default for Reading {
    fn default() -> Self {
        Self { done: 0, row_max: ROW_MAX }
    }
}

/// Takes the passwords and the tokens of rows, if a word stands among the names of their columns.
pub(super) fn find(text: &[u8], word: usize, reading: &mut Reading, claims: &mut impl Claimed) {
    if word < reading.done {
        return;
    }
    let list = list(text, word);
    reading.done = list.end;
    let is_in_brackets = list.start.checked_sub(1).and_then(|at| text.get(at)) == Some(&b'(')
        && text.get(list.end) == Some(&b')');
    if !is_in_brackets {
        return;
    }
    let Some(verb) = verb(text, list.start - 1) else { return };
    let behind = list.end + 1;
    let names = cells(text, list, b',');
    let Some(mut columns) = Columns::of(text, &names, false) else { return };
    match verb {
        Verb::Insert => {
            for row in tuples(text, behind, &mut reading.row_max) {
                reading.done = row.end;
                columns.read(text, &row.cells, 0, false);
                row.more.into_iter().for_each(|(nth, span)| columns.add(text, nth, span));
            }
        }
        Verb::Copy => {
            for row in lines(text, behind) {
                reading.done = row.last().map_or(reading.done, |cell| cell.end);
                columns.read(text, &row, 0, false);
            }
        }
    }
    columns.claim(text, claims);
}

/// What a list of names belongs to.
#[derive(Clone, Copy)]
enum Verb {
    Insert,
    Copy,
}

/// The list of names that a word stands in.
fn list(text: &[u8], word: usize) -> Range<usize> {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_ ,`\"[]\r\n\t".contains(byte);
    let before = text.get(word.saturating_sub(LEN_MAX)..word).unwrap_or_default();
    let back = before.iter().rev().take_while(is_name).count();
    let ahead = near(text, word, LEN_MAX).iter().take_while(is_name).count();
    work::spend(back + ahead);
    word - back..word + ahead
}

/// The verb before a bracket: `INSERT INTO name (`, `COPY name (`.
fn verb(text: &[u8], bracket: usize) -> Option<Verb> {
    let near = text.get(bracket.saturating_sub(BEFORE_MAX)..bracket)?;
    let mut words = near.split(u8::is_ascii_whitespace).rev().filter(|word| !word.is_empty());
    let verb = words.nth(1)?;
    if verb.eq_ignore_ascii_case(b"into") {
        Some(Verb::Insert)
    } else {
        verb.eq_ignore_ascii_case(b"copy").then_some(Verb::Copy)
    }
}

/// A row of values.
#[derive(Default)]
struct Row {
    /// What the first literal of each value holds: a value without quotes is a name or a number, and empty here.
    cells: Vec<Range<usize>>,
    /// What the further literals of a value hold, with its number: `CONCAT('…', '…')`.
    more: Vec<(usize, Range<usize>)>,
    end: usize,
}

/// The rows behind `VALUES`. Behind one without an end, no row of the text may be as long.
fn tuples(text: &[u8], from: usize, row_max: &mut usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut at = blanks(text, from);
    if !near(text, at, 6).eq_ignore_ascii_case(b"values") {
        return rows;
    }
    at = blanks(text, at + 6);
    while text.get(at) == Some(&b'(') {
        let Some(row) = tuple(text, at, *row_max) else {
            *row_max = LEN_MAX;
            break;
        };
        at = blanks(text, row.end);
        rows.push(row);
        if text.get(at) != Some(&b',') {
            break;
        }
        at = blanks(text, at + 1);
    }
    rows
}

/// The row whose bracket opens at a place.
fn tuple(text: &[u8], open: usize, len_max: usize) -> Option<Row> {
    let (mut row, mut value, mut depth) = (Row::default(), None, 0);
    let mut at = open;
    let empty = |at: usize| at..at;
    loop {
        match text.get(at).filter(|_| at - open < len_max)? {
            b'(' => depth += 1,
            b')' if depth == 1 => {
                row.cells.push(value.unwrap_or(empty(at)));
                work::spend(at - open);
                row.end = at + 1;
                return Some(row);
            }
            b')' => depth -= 1,
            b',' if depth == 1 => row.cells.push(value.take().unwrap_or(empty(at))),
            quote @ (b'\'' | b'"') => {
                let len = literal_len(near(text, at + 1, len_max), *quote)?;
                let held = at + 1..at + 1 + len;
                if is_filled(near(text, held.start, len)) {
                    // It is no value.
                } else if value.is_none() {
                    value = Some(held);
                } else {
                    row.more.push((row.cells.len(), held));
                }
                at += len + 1;
            }
            b'-' if text.get(at + 1) == Some(&b'-') => at = blanks(text, at) - 1,
            _ => {}
        }
        at += 1;
    }
}

/// Tells whether a literal of SQL is what a program puts into one of its own: `'".$name."'`.
fn is_filled(held: &[u8]) -> bool {
    let first = held.trim_ascii_start().first();
    first.is_some_and(|byte| b"\"'`".contains(byte)) && held.trim_ascii_end().last() == first
}

/// How much stands before the quote that ends a literal. Two of them, and one behind a backslash, end none.
fn literal_len(text: &[u8], quote: u8) -> Option<usize> {
    let mut at = 0;
    loop {
        match text.get(at)? {
            b'\\' => at += 1,
            byte if *byte == quote && text.get(at + 1) == Some(&quote) => at += 1,
            byte if *byte == quote => return Some(at),
            _ => {}
        }
        at += 1;
    }
}

/// The cells of the lines behind `FROM stdin;`, up to the sign that ends them.
fn lines(text: &[u8], from: usize) -> Vec<Vec<Range<usize>>> {
    let said = |line: &Range<usize>| text.get(line.clone()).unwrap_or_default();
    // A quote holds no lines together there.
    let mut lines = rows(text, from, b'|');
    let begins = |line: Range<usize>| {
        said(&line).trim_ascii().to_ascii_lowercase().starts_with(b"from stdin")
    };
    if !lines.next().is_some_and(begins) {
        return Vec::new();
    }
    let lines = lines.take_while(|line| !line.is_empty() && !said(line).starts_with(b"\\."));
    lines.map(|line| cells(text, line, b'\t')).collect()
}

/// Where neither white space nor a comment follows any more: `-- …`, `# …`, `/* … */`.
fn blanks(text: &[u8], at: usize) -> usize {
    let rest = near(text, at, LEN_MAX);
    let mut len = 0;
    while let Some(byte) = rest.get(len) {
        let rest = rest.get(len..).unwrap_or_default();
        len += match byte {
            _ if rest.starts_with(b"--") || rest.starts_with(b"#") => {
                memchr(b'\n', rest).unwrap_or(rest.len())
            }
            _ if rest.starts_with(b"/*") => {
                memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2)
            }
            byte if byte.is_ascii_whitespace() => 1,
            _ => break,
        };
    }
    at + len
}
