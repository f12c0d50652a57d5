//! Cookies in a header, and in the option of a command: `sessionid=…; theme=dark`.

use std::ops::Range;

use super::super::super::keywords::KeywordHit;
use super::super::super::work;
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
    /// A bracket, as in logs of programs that print a list: `cookie=[a=b, c=d]`.
    Bracket(u8),
    /// The name of the header begins with a capital, as in HTTP and not in code.
    Line {
        is_named: bool,
    },
}

/// Reads the lists of cookies behind a word: several in an array of headers.
pub(super) fn read(text: &[u8], said: KeywordHit) -> Option<Read> {
    let mut at = said.end + signs_len(text, said.end);
    let end = end(text, said, at)?;
    let mut cookies = Vec::new();
    loop {
        let list = at..at + end.len(text.get(at..)?);
        // A list without the bracket that closes it is code.
        if matches!(end, End::Bracket(close) if text.get(list.end) != Some(&close)) {
            return None;
        }
        work::spend(list.len() / 4);
        let (found, read) = items(text, list.clone(), end);
        cookies.extend(found);
        // Behind what ends the list before its end other words count again.
        if read < list.end {
            return Some((cookies, read));
        }
        let next = end.next(text, list.end).filter(|_| list.end - said.end < READ_MAX);
        match next {
            Some(next) => at = next,
            None => return Some((cookies, list.end)),
        }
    }
}

/// What ends the list at a place: what has opened it, right before it or before the name of its header. Without a quote, the
/// name of a header or an option says that it is one.
fn end(text: &[u8], said: KeywordHit, at: usize) -> Option<End> {
    let is_name = |byte: &&u8| byte.is_ascii_alphabetic() || **byte == b'-';
    let before = text.get(..said.start)?;
    let name = before.iter().rev().take(8).take_while(is_name).count();
    let opened = |at: usize| {
        let [lead @ .., quote @ (b'"' | b'\'' | b'`')] = text.get(..at)? else { return None };
        Some(End::Quote { quote: *quote, is_escaped: lead.ends_with(b"\\") })
    };
    let signs = text.get(said.end..at)?;
    let assigned = signs.strip_prefix(b"s").unwrap_or(signs);
    let is_header = assigned.first() == Some(&b':') && !signs.contains(&b'\n');
    let is_named = text.get(said.start) == Some(&b'C') && signs.starts_with(b": ");
    let of_name = || opened(said.start - name).unwrap_or(End::Line { is_named });
    // `--cookie a=b`, and `cookie=a=b` in a line of a log.
    let is_option = before.ends_with(b"--") || signs == b"=";
    let in_bracket = match signs.last() {
        Some(b'[') => Some(End::Bracket(b']')),
        Some(b'(') => Some(End::Bracket(b')')),
        Some(b'{') => Some(End::Bracket(b'}')),
        _ => None,
    };
    let other = || is_option.then_some(End::Blank).or(in_bracket);
    opened(at).or_else(other).or_else(|| is_header.then(of_name))
}

impl End {
    /// The length of the list that a text begins with.
    fn len(self, text: &[u8]) -> usize {
        let most = if matches!(self, Self::Blank) { READ_MAX / 4 } else { READ_MAX };
        let text = near(text, 0, most);
        let ends = |at: &usize| match (self, text.get(*at)) {
            (_, Some(b'\r' | b'\n')) => true,
            (Self::Blank, Some(byte)) => byte.is_ascii_whitespace(),
            (Self::Bracket(close), Some(byte)) => *byte == close || b"\"'`".contains(byte),
            (Self::Quote { quote, is_escaped }, Some(byte)) => {
                let before = at.checked_sub(1).and_then(|at| text.get(at));
                *byte == quote && (before == Some(&b'\\')) == is_escaped
            }
            _ => false,
        };
        let len = match self {
            Self::Line { .. } => line_len(text),
            _ => (0..text.len()).find(ends).unwrap_or(text.len()),
        };
        let has_backslash = matches!(self, Self::Quote { is_escaped: true, .. });
        len - usize::from(has_backslash && text.get(..len).is_some_and(|it| it.ends_with(b"\\")))
    }

    /// Where the next list of an array begins behind the end of one, or the literal that is added to it.
    fn next(self, text: &[u8], at: usize) -> Option<usize> {
        const BETWEEN_MAX: usize = 80;
        let Self::Quote { quote, is_escaped: false } = self else { return None };
        let rest = near(text, at, BETWEEN_MAX).strip_prefix(&[quote])?.trim_ascii_start();
        let is_sign = |byte: &u8| b",+.\\".contains(byte);
        let rest = rest.get(usize::from(rest.first().is_some_and(is_sign))..)?;
        let rest = rest.trim_ascii_start().strip_prefix(&[quote])?;
        Some(text.len().min(at + BETWEEN_MAX) - rest.len())
    }
}

/// How long a list is that no quote has opened: to the end of its line, to an escape of that, or to a quote of what is around.
/// The quotes of a value stand behind a sign. A line that ends with `;` goes on in the next one if that is further in.
fn line_len(text: &[u8]) -> usize {
    let mut open = None;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let before = at.checked_sub(1).and_then(|at| text.get(at)).copied().unwrap_or(b' ');
        let rest = text.get(at..).unwrap_or_default();
        match byte {
            b'\r' | b'\n' => {
                let lines = rest.iter().take_while(|byte| b"\r\n".contains(byte)).count();
                let is_next = rest.get(lines).is_some_and(|next| b" \t".contains(next));
                if before != b';' || lines > 2 || !is_next {
                    return at;
                }
                at += lines - 1;
            }
            b'\\' if matches!(rest, [_, b'r' | b'n', ..]) => return at,
            b'"' | b'\'' | b'`' => match open {
                Some(quote) if quote == *byte => open = None,
                Some(_) => {}
                None if b"={:,[(".contains(&before) => open = Some(*byte),
                None => return at,
            },
            _ => {}
        }
        at += 1;
    }
    at
}

/// The cookies of a list. What is no pair of a name and a value is passed over in a literal, and ends another list: that may be
/// code. Also gives how far the list was read.
fn items(text: &[u8], list: Range<usize>, end: End) -> (Vec<Cookie>, usize) {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-$%".contains(byte);
    let is_strange = |byte: &u8| byte.is_ascii_whitespace() || b"(){}<>\"'`,".contains(byte);
    let (mut at, list_end) = (list.start, list.end);
    let mut cookies = Vec::new();
    let is_listed = matches!(end, End::Bracket(_));
    let divides = |byte: &u8| *byte == b';' || is_listed && *byte == b',';
    for item in text.get(list).unwrap_or_default().split(divides) {
        let sign = item.iter().position(|byte| *byte == b'=').unwrap_or(item.len());
        let (name, value) = item.split_at_checked(sign).unwrap_or((item, b""));
        let (name, said) = (name.trim_ascii(), value.get(1..).unwrap_or_default());
        let start = at + item.len() - item.trim_ascii_start().len();
        let value = value_of(at + sign + 1, said);
        let is_bare = said.first().is_some_and(|first| !b" \"'`\\".contains(first));
        let fits = match end {
            End::Quote { .. } => true,
            // A cookie without a value has a name alone.
            End::Line { is_named: true } => !name.iter().any(is_strange),
            _ => {
                let is_whole = is_bare && at + sign + 1 + said.len() == value.end;
                let is_attribute = said.is_empty() && !cookies.is_empty();
                name.iter().all(is_name) && (is_whole && !said.is_empty() || is_attribute)
            }
        };
        if !fits {
            // What stands before the first sign that no cookie has is the last one.
            let is_last = is_bare && !name.is_empty() && name.iter().all(is_name);
            let name = start..start + name.len();
            let read = if is_last { value.end } else { at };
            cookies.extend(is_last.then_some(Cookie { name, value }));
            return (cookies, read);
        }
        if !name.is_empty() && name.iter().all(is_name) {
            cookies.push(Cookie { name: start..start + name.len(), value });
        }
        at += item.len() + 1;
    }
    (cookies, list_end)
}

/// Where the value of a cookie stands, without the quotes around it: up to a sign that no value has.
fn value_of(at: usize, text: &[u8]) -> Range<usize> {
    let is_own = |byte: &u8| byte.is_ascii_graphic() && !b";,\"'`\\<>(){}[]".contains(byte);
    let lead = text.iter().take_while(|byte| b" \"\\".contains(byte)).count();
    let len = text.iter().skip(lead).take_while(|byte| is_own(byte)).count();
    at + lead..at + lead + len
}
