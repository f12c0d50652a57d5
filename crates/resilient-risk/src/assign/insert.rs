//! Passwords in rows that SQL puts into a table: `INSERT INTO users (name, password) VALUES (…), (…)`, and `COPY … FROM stdin`.

use std::ops::Range;

use super::super::work;
use super::column::{Columns, cells};
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
    let names = cells(text, list, b',', b'"');
    let Some(mut columns) = Columns::of(text, &names, false) else { return };
    let (sign, rows) = match verb {
        Verb::Insert => (b',', tuples(text, behind)),
        Verb::Copy => (b'\t', lines(text, behind)),
    };
    for row in rows {
        *done = row.end;
        columns.read(text, &cells(text, row, sign, b'\''));
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

/// The insides of the brackets behind `VALUES`.
fn tuples(text: &[u8], from: usize) -> Vec<Range<usize>> {
    let mut rows = Vec::new();
    let mut at = blanks(text, from);
    if !near(text, at, 6).eq_ignore_ascii_case(b"values") {
        return rows;
    }
    at = blanks(text, at + 6);
    while text.get(at) == Some(&b'(') {
        let mut is_quoted = false;
        let is_end = |byte: &u8| {
            is_quoted ^= *byte == b'\'';
            *byte == b')' && !is_quoted
        };
        let Some(len) = near(text, at + 1, LEN_MAX).iter().position(is_end) else { break };
        work::spend(len);
        rows.push(at + 1..at + 1 + len);
        at = blanks(text, at + len + 2);
        if text.get(at) != Some(&b',') {
            break;
        }
        at = blanks(text, at + 1);
    }
    rows
}

/// The lines behind `FROM stdin;`, up to the sign that ends them.
fn lines(text: &[u8], from: usize) -> Vec<Range<usize>> {
    let mut rows = Vec::new();
    let length = |at: usize| {
        let rest = near(text, at, LEN_MAX);
        rest.iter().position(|byte| *byte == b'\n').or((rest.len() < LEN_MAX).then_some(rest.len()))
    };
    let Some(len) = length(from) else { return rows };
    if !near(text, from, len).trim_ascii().to_ascii_lowercase().starts_with(b"from stdin") {
        return rows;
    }
    let mut at = from + len + 1;
    while let Some(len) = length(at).filter(|len| *len > 0) {
        let row = at..at + len;
        if near(text, at, len).starts_with(b"\\.") {
            break;
        }
        work::spend(len);
        at = row.end + 1;
        rows.push(row);
    }
    rows
}

/// Where no white space follows any more.
fn blanks(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().take(LEN_MAX).take_while(|byte| byte.is_ascii_whitespace()).count()
}
