//! The chain: what ties a row to all that stands before it.
//!
//! A row's last field is its chain value: SHA-256 over
//! 1. the value of the last row before it that has one, as its hex digits;
//! 2. all bytes of the journal behind that row's line: lines of others, damage;
//! 3. the bytes of the row's own line in front of `,"chain":"`.
//!
//! These are the bytes as they stand in the file. So a reader that knows fewer fields than the writer
//! checks the same, and no line between two rows can be changed or taken out unseen.
//!
//! Rows of format 1 have half of a value, in the middle of the line. It covers the value of the row directly
//! before it, if that has one, and the line without the field.

use crate::digest::Hasher;

/// What stands between the other fields and the value.
const KEY: &[u8] = b",\"chain\":\"";
/// Hex digits of a value.
const DIGITS: usize = 64;
/// The same in rows of format 1.
const OLD_KEY: &[u8] = b"\"chain\":\"";
const OLD_DIGITS: usize = 32;

/// A line, taken apart at its chain value.
enum Parts<'a> {
    None,
    /// The bytes in front of the field, and the value.
    Last(&'a [u8], &'a str),
    /// Format 1: the bytes in front of the field and behind it, and the value.
    Middle(&'a [u8], &'a [u8], &'a str),
}

/// A walk along the chain of a journal, from line to line.
#[derive(Clone, Default)]
pub struct Chain {
    /// The last value, and the bytes behind that row.
    since: Hasher,
    /// The value of the line directly before, if it has one.
    before: Option<String>,
}

/// How a line is tied to what stands before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// It has no chain value.
    Loose,
    /// It is as it was written, and so is what stands before it.
    Holds,
    /// It was changed, or something before it was changed or taken out.
    Broken,
}

impl Chain {
    /// The chain behind a row of this value.
    pub(crate) fn behind(value: Option<&str>) -> Self {
        let mut since = Hasher::default();
        since.update(value.unwrap_or_default().as_bytes());
        Self { since, before: value.map(str::to_owned) }
    }

    /// Goes over bytes of others.
    pub fn pass(&mut self, bytes: &[u8]) {
        self.since.update(bytes);
    }

    /// Ties a row that has no value yet, given as JSON, to what stands before it; gives its line, end
    /// included, and its value.
    pub(crate) fn tie(&mut self, mut line: Vec<u8>) -> (Vec<u8>, String) {
        line.pop_if(|last| *last == b'}');
        let value = self.value_of(&line);
        line.extend_from_slice(KEY);
        line.extend_from_slice(value.as_bytes());
        line.extend_from_slice(b"\"}\n");
        *self = Self::behind(Some(&value));
        (line, value)
    }

    /// Goes over the line of a row, given without its end, and tells how it is tied.
    pub fn see(&mut self, line: &[u8]) -> Tie {
        let (value, found) = match parts(line) {
            Parts::None => {
                self.pass(line);
                self.pass(b"\n");
                self.before = None;
                return Tie::Loose;
            }
            Parts::Last(front, value) => (value, self.value_of(front)),
            Parts::Middle(front, behind, value) => {
                let mut hasher = Hasher::default();
                hasher.update(self.before.as_deref().unwrap_or_default().as_bytes());
                hasher.update(front);
                hasher.update(behind);
                (value, hasher.finish().short())
            }
        };
        let tie = if value == found { Tie::Holds } else { Tie::Broken };
        *self = Self::behind(Some(value));
        tie
    }

    fn value_of(&self, front: &[u8]) -> String {
        let mut hasher = self.since.clone();
        hasher.update(front);
        hasher.finish().to_string()
    }
}

/// The chain value in a line, if it has one.
pub(super) fn value_in(line: &[u8]) -> Option<&str> {
    match parts(line) {
        Parts::None => None,
        Parts::Last(_, value) | Parts::Middle(_, _, value) => Some(value),
    }
}

/// Whether a chain value is one of format 1.
pub(super) fn is_old_value(value: &str) -> bool {
    value.len() == OLD_DIGITS
}

fn parts(line: &[u8]) -> Parts<'_> {
    let last = || {
        let (front, rest) = line.strip_suffix(b"\"}")?.split_last_chunk::<DIGITS>()?;
        Some(Parts::Last(front.strip_suffix(KEY)?, hex(rest)?))
    };
    let middle = || {
        let at = memchr::memmem::find(line, OLD_KEY)?;
        let (front, rest) = line.split_at_checked(at)?;
        let (value, behind) = rest.get(OLD_KEY.len()..)?.split_at_checked(OLD_DIGITS)?;
        Some(Parts::Middle(front, behind.strip_prefix(b"\",")?, hex(value)?))
    };
    last().or_else(middle).unwrap_or(Parts::None)
}

fn hex(text: &[u8]) -> Option<&str> {
    let is_hex = text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    str::from_utf8(text).ok().filter(|_| is_hex)
}
