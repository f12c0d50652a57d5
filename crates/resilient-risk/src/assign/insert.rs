//! Passwords in rows that SQL puts into a table: `INSERT INTO users (name, password) VALUES (…), (…)`, and `COPY … FROM stdin`.

use std::ops::Range;

use super::super::work;
use super::column::{Columns, cells, rows};
use super::{Claimed, near};

/// A longer list of names, or a longer row, is none.
const LEN_MAX: usize = 2000;

/// So much is looked at before a list of names, for what it belongs to.
const BEFORE_MAX: usize = 100;

/// Takes the passwords and the tokens of rows, if a word stands among the names of their columns. A word before `done` was
/// looked at already.
pub(super) fn find(text: &[u8], word: usize, done: &mut usize, claims: &mut impl Claimed) {
    if word < *done {
        return;
    }
    let list = list(text, word);
    *done = list.end;
    let is_in_brackets = list.start.checked_sub(1).and_then(|at| text.get(at)) == Some(&b'(')
        && text.get(list.end) == Some(&b')');
    if !is_in_brackets {
        return;
    }
    let Some(verb) = verb(text, list.start - 1) else { return };
    let behind = list.end + 1;
    let names = cells(text, list, b',');
    let Some(mut columns) = Columns::of(text, &names, false) else { return };
    let rows = match verb {
        Verb::Insert => tuples(text, behind),
        Verb::Copy => lines(text, behind),
    };
    for row in rows {
        *done = row.last().map_or(*done, |cell| cell.end);
        columns.read(text, &row, 0);
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

/// What the literals in the rows behind `VALUES` hold, for each row: a value without quotes is a name or a number, and
/// empty here.
fn tuples(text: &[u8], from: usize) -> Vec<Vec<Range<usize>>> {
    let mut rows = Vec::new();
    let mut at = blanks(text, from);
    if !near(text, at, 6).eq_ignore_ascii_case(b"values") {
        return rows;
    }
    at = blanks(text, at + 6);
    while text.get(at) == Some(&b'(')
        && let Some((row, end)) = tuple(text, at)
    {
        rows.push(row);
        at = blanks(text, end);
        if text.get(at) != Some(&b',') {
            break;
        }
        at = blanks(text, at + 1);
    }
    rows
}

/// What the first literal of each value of a row holds, and where the row ends.
fn tuple(text: &[u8], open: usize) -> Option<(Vec<Range<usize>>, usize)> {
    let (mut row, mut value, mut depth) = (Vec::new(), None, 0);
    let mut at = open;
    let empty = |at: usize| at..at;
    loop {
        match text.get(at).filter(|_| at - open < LEN_MAX)? {
            b'(' => depth += 1,
            b')' if depth == 1 => {
                row.push(value.unwrap_or(empty(at)));
                work::spend(at - open);
                return Some((row, at + 1));
            }
            b')' => depth -= 1,
            b',' if depth == 1 => row.push(value.take().unwrap_or(empty(at))),
            quote @ (b'\'' | b'"') => {
                let len = literal_len(near(text, at + 1, LEN_MAX), *quote)?;
                let held = at + 1..at + 1 + len;
                // What a program puts in has quotes of its own: `'".$name."'`.
                let is_plain =
                    !near(text, held.start, len).iter().any(|byte| b"\"'`".contains(byte));
                value = value.or(is_plain.then_some(held));
                at += len + 1;
            }
            b'-' if text.get(at + 1) == Some(&b'-') => at = blanks(text, at) - 1,
            _ => {}
        }
        at += 1;
    }
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

/// Where neither white space nor a comment follows any more.
fn blanks(text: &[u8], at: usize) -> usize {
    let rest = near(text, at, LEN_MAX);
    let mut len = 0;
    while let Some(byte) = rest.get(len) {
        let is_comment = rest.get(len..).is_some_and(|rest| rest.starts_with(b"--"));
        len += match byte {
            _ if is_comment => {
                let line = rest.get(len..).unwrap_or_default();
                line.iter().position(|byte| *byte == b'\n').unwrap_or(line.len())
            }
            byte if byte.is_ascii_whitespace() => 1,
            _ => break,
        };
    }
    at + len
}
