//! Cookies in a header, and in the option of a command: `sessionid=…; theme=dark`.

use std::ops::Range;

use super::super::super::keywords::KeywordHit;
use super::super::near;
use super::{Cookie, READ_MAX, Read, signs_len};

/// What a list of cookies ends with.
#[derive(Clone, Copy)]
enum End {
    /// A quote, perhaps behind a backslash: the literal that the list is in is in another one.
    Quote {
        quote: u8,
        is_escaped: bool,
    },
    Blank,
    Line,
}

/// Reads the lists of cookies behind a word: several in an array of headers.
pub(super) fn read(text: &[u8], said: KeywordHit) -> Option<Read> {
    let mut at = said.end + signs_len(text, said.end);
    let is_open = matches!(text.get(said.end - 1), Some(b'"' | b'\''));
    let is_option = text.get(..said.start)?.ends_with(b"--");
    let signs = text.get(said.end..at)?;
    let has_sign = signs.iter().any(|byte| !byte.is_ascii_whitespace() && *byte != b's');
    if !(has_sign || is_open || is_option) {
        return None;
    }
    let end = end(text, said.start, at, is_option);
    let mut cookies = Vec::new();
    loop {
        let list = at..at + end.len(text.get(at..)?);
        cookies.extend(items(text, list.clone()));
        let next = end.next(text, list.end).filter(|_| list.end - said.end < READ_MAX);
        match next {
            Some(next) => at = next,
            None => return Some((cookies, list.end)),
        }
    }
}

/// What ends the list at a place: what has opened it, right before it or before the name of its header.
fn end(text: &[u8], word: usize, at: usize, is_option: bool) -> End {
    let is_name = |byte: &&u8| byte.is_ascii_alphabetic() || **byte == b'-';
    let before = text.get(..word).unwrap_or_default();
    let name = before.iter().rev().take(8).take_while(is_name).count();
    let opened = |at: usize| {
        let [lead @ .., quote @ (b'"' | b'\'' | b'`')] = text.get(..at)? else { return None };
        Some(End::Quote { quote: *quote, is_escaped: lead.ends_with(b"\\") })
    };
    let other = if is_option { End::Blank } else { End::Line };
    opened(at).or_else(|| opened(word - name)).unwrap_or(other)
}

impl End {
    /// The length of the list that a text begins with.
    fn len(self, text: &[u8]) -> usize {
        let text = near(text, 0, READ_MAX);
        let ends = |at: &usize| match (self, text.get(*at)) {
            (_, Some(b'\r' | b'\n')) => true,
            (Self::Blank, Some(byte)) => byte.is_ascii_whitespace(),
            (Self::Quote { quote, is_escaped }, Some(byte)) => {
                let before = at.checked_sub(1).and_then(|at| text.get(at));
                *byte == quote && (before == Some(&b'\\')) == is_escaped
            }
            _ => false,
        };
        let len = (0..text.len()).find(ends).unwrap_or(text.len());
        let has_backslash = matches!(self, Self::Quote { is_escaped: true, .. });
        len - usize::from(has_backslash && text.get(..len).is_some_and(|it| it.ends_with(b"\\")))
    }

    /// Where the next list of an array begins behind the end of one.
    fn next(self, text: &[u8], at: usize) -> Option<usize> {
        const BETWEEN_MAX: usize = 80;
        let Self::Quote { quote, is_escaped: false } = self else { return None };
        let rest = near(text, at, BETWEEN_MAX).strip_prefix(&[quote])?.trim_ascii_start();
        let rest = rest.strip_prefix(b",")?.trim_ascii_start().strip_prefix(&[quote])?;
        Some(text.len().min(at + BETWEEN_MAX) - rest.len())
    }
}

/// The cookies of a list. What is no pair of a name and a value is passed over.
fn items(text: &[u8], list: Range<usize>) -> Vec<Cookie> {
    let mut at = list.start;
    let mut cookies = Vec::new();
    for item in text.get(list).unwrap_or_default().split(|byte| *byte == b';') {
        let sign = item.iter().position(|byte| *byte == b'=');
        if let Some((name, value)) = sign.and_then(|sign| item.split_at_checked(sign)) {
            let value = trimmed(at + name.len() + 1, value.get(1..).unwrap_or_default());
            cookies.push(Cookie { name: at..at + name.len(), value });
        }
        at += item.len() + 1;
    }
    cookies
}

/// Where a value stands without the blanks and quotes around it.
fn trimmed(at: usize, value: &[u8]) -> Range<usize> {
    let is_own = |byte: &u8| !byte.is_ascii_whitespace() && !b"\"\\".contains(byte);
    let start = value.iter().position(is_own).unwrap_or(value.len());
    let end = value.iter().rposition(is_own).map_or(start, |last| last + 1);
    at + start..at + end
}
