//! Lines and groups: a secret that is cut where lines end, or by single spaces.

use std::ops::Range;

use memchr::{memchr_iter, memrchr};

use super::super::super::bits::GROUP;
use super::super::super::byte_classes::{ByteClasses, is_token};
use super::super::super::work;
use super::super::wrapped::wrapped;
use super::super::{Map, Trust, Views};
use super::{JOINED_MAX, JOINED_MIN, may_hold};

/// Words that begin a statement. The rest of a token is hardly one of them.
const STATEMENTS: [&[u8]; 16] = [
    b"class", b"const", b"def", b"echo", b"export", b"fn", b"for", b"from", b"func", b"if",
    b"import", b"let", b"return", b"use", b"var", b"while",
];

/// Lines that a backslash continues.
pub(super) fn continued(bytes: &[u8], byte_classes: &ByteClasses, views: &mut Views<'_>) {
    let mut done = 0;
    for at in memchr_iter(b'\\', bytes) {
        if at < done || next_line(bytes, at, b"", Quote::None).is_none() {
            continue;
        }
        let start = first_start(bytes, byte_classes, at, done.max(at.saturating_sub(JOINED_MAX)));
        let before = bytes.get(..start).unwrap_or_default();
        let (quote, leader) = (Quote::before(before), leader(before));
        let first = start..at;
        let (mut pieces, mut end, mut is_indented) = (vec![first], at, false);
        while start < at
            && end - start < JOINED_MAX
            && let Some((from, is_in)) = next_line(bytes, end, leader, quote)
        {
            let next = from..from + byte_classes.token.run_to(from, from + JOINED_MAX);
            if !quote.is_end(bytes, &next) {
                break;
            }
            is_indented |= is_in;
            end = next.end;
            pieces.push(next);
        }
        done = end;
        if start < at
            && let Some((map, text)) = Map::joined(bytes, &pieces, false)
            && text.len() >= JOINED_MIN
        {
            // Where blanks count, as in a shell, an indented line is another word. In a value of YAML they do not.
            let trust = match quote {
                _ if !is_indented || is_value(before) => Trust::Full,
                Quote::Three(_) => Trust::Prefixed,
                _ => Trust::Listed,
            };
            views.add("continued lines", map, text, trust);
        }
    }
}

/// Where a token begins that ends at a place, not before a floor. The parts of a hash have dollar signs before them.
fn first_start(bytes: &[u8], byte_classes: &ByteClasses, end: usize, floor: usize) -> usize {
    let mut start = end;
    loop {
        start -= byte_classes.token.run_back(start, floor);
        work::spend(1);
        match start.checked_sub(1).filter(|before| *before >= floor && start < end) {
            Some(before) if matches!(bytes.get(before), Some(b'$' | b'*')) => start = before,
            _ => return start,
        }
    }
}

/// The quote that stands before a token.
#[derive(Clone, Copy)]
enum Quote {
    None,
    One(u8),
    /// Such a literal goes on behind the end of a line.
    Three(u8),
}

impl Quote {
    fn before(text: &[u8]) -> Self {
        match text {
            [.., a, b, c @ (b'"' | b'\'')] if a == c && b == c => Self::Three(*c),
            [.., quote @ (b'"' | b'\'' | b'`')] => Self::One(*quote),
            _ => Self::None,
        }
    }

    /// Tells by what stands behind a word whether the word can be the rest of a token of the line before. A literal
    /// goes on to its quote. Elsewhere the word is no name that is called or assigned to, no key, and none that begins a
    /// statement.
    fn is_end(self, text: &[u8], word: &Range<usize>) -> bool {
        let behind = text.get(word.end..).unwrap_or_default();
        match (behind.first(), self) {
            (None | Some(b'\\'), _) => true,
            (Some(byte), Self::One(quote)) => *byte == quote,
            (Some(byte), Self::Three(quote)) => *byte == quote || matches!(byte, b'\n' | b'\r'),
            (Some(byte), Self::None) => {
                let next = behind.iter().find(|byte| !matches!(byte, b' ' | b'\t'));
                let begins = || {
                    let word = text.get(word.clone()).unwrap_or_default();
                    *byte == b' ' && STATEMENTS.contains(&word)
                };
                !(matches!(next, Some(b'(' | b':' | b'=')) || begins())
            }
        }
    }
}

/// What the line that a text ends in begins with if it is a comment: `//`, `#`, `*`.
fn leader(text: &[u8]) -> &[u8] {
    let start = memrchr(b'\n', text).map_or(0, |feed| feed + 1);
    let line = text.get(start..).unwrap_or_default().trim_ascii_start();
    let len = line.iter().take_while(|byte| b"/#*;-".contains(byte)).count();
    line.get(..len).unwrap_or_default()
}

/// Tells whether a text ends before a value in quotes as YAML has it: behind a key, or as an item.
fn is_value(text: &[u8]) -> bool {
    let start = memrchr(b'\n', text).map_or(0, |feed| feed + 1);
    let line = text.get(start..).and_then(|line| line.strip_suffix(b"\"")).unwrap_or_default();
    let (mut key, mut is_item) = (line.trim_ascii_start(), false);
    while let Some(item) = key.strip_prefix(b"- ") {
        (key, is_item) = (item.trim_ascii_start(), true);
    }
    let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./\"'".contains(byte);
    key.strip_suffix(b": ").map_or(is_item && key.is_empty(), |key| key.iter().all(is_key))
}

/// Where the next line goes on that a backslash at a position continues, and whether it is indented: YAML and TOML leave
/// white space there out, TOML in three quotes empty lines, too. A comment goes on behind what its lines begin with.
fn next_line(text: &[u8], at: usize, leader: &[u8], quote: Quote) -> Option<(usize, bool)> {
    let rest = text.get(at..)?.strip_prefix(b"\\")?;
    let rest = rest.strip_prefix(b"\n").or_else(|| rest.strip_prefix(b"\r\n"))?;
    let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let inside = match quote {
        Quote::Three(_) => rest.trim_ascii_start(),
        _ => rest.get(blanks..).unwrap_or_default(),
    };
    let comment = inside.strip_prefix(leader).filter(|rest| rest.starts_with(b" "));
    if let Some(comment) = comment.filter(|_| !leader.is_empty()) {
        return Some((text.len() - comment.trim_ascii_start().len(), false));
    }
    Some((text.len() - inside.len(), inside.len() < rest.len()))
}

/// Joins the groups that lines end in, and lines of one token each.
pub(super) fn views(text: &str, byte_classes: &ByteClasses, views: &mut Views<'_>) {
    let bytes = text.as_bytes();
    let (mut start, mut done) = (0, 0);
    for end in byte_classes.feed.ones().chain([bytes.len()]) {
        let line = start..end;
        start = end + 1;
        if line.start < done {
            continue;
        }
        if ends_in_groups(byte_classes.token.before(end)) {
            groups_in(bytes, byte_classes, line.clone(), views);
        }
        if let Some(first) = only_token(bytes, line)
            && let Some((lines, joined)) = wrapped(bytes, byte_classes, first, true)
        {
            done = lines.hull().end;
            if joined.len() >= JOINED_MIN && may_hold(joined.as_bytes()) {
                views.add("joined lines", lines, joined, Trust::Prefixed);
            }
        }
    }
}

/// The token that a short line has and nothing else, except for the sign of an item. Longer ones show by what they encode
/// that they belong together, except for items.
fn only_token(bytes: &[u8], line: Range<usize>) -> Option<Range<usize>> {
    const TOKENS: Range<usize> = 6..16;
    const LINE_MAX: usize = 64;
    if line.len() > LINE_MAX {
        return None;
    }
    let whole = bytes.get(line.clone())?;
    // Most lines end with a sign.
    if !whole.last().is_some_and(|last| is_token(*last) || last.is_ascii_whitespace()) {
        return None;
    }
    let whole = whole.trim_ascii_end();
    let token = whole.trim_ascii_start();
    let item = token.strip_prefix(b"- ").map(<[u8]>::trim_ascii_start);
    let token = item.unwrap_or(token);
    let end = line.start + whole.len();
    let fits = token.len() >= TOKENS.start && (item.is_some() || token.len() < TOKENS.end);
    (fits && token.iter().all(|byte| is_token(*byte))).then(|| end - token.len()..end)
}

/// Tells by the tokens before the end of a line whether it may end in three groups with one sign between them, the
/// first two of one length and the last not longer, and signs.
fn ends_in_groups(tokens: u64) -> bool {
    let tokens = tokens << (tokens.leading_zeros() & 63);
    let last = tokens.leading_ones();
    let rest = tokens << (last & 63) << 1;
    let second = rest.leading_ones();
    let first = (rest << (second & 63) << 1).leading_ones();
    // Of what begins before these bytes the length is not known.
    let is_cut = last + second + first + 2 >= GROUP as u32;
    (last > 0) & (last <= second) & ((first == second) | is_cut)
}

/// Joins the groups that a line ends in: `glsa_v6n 63ah6dax ym7y6lws`. All have one length, and the last may be shorter.
fn groups_in(bytes: &[u8], byte_classes: &ByteClasses, line: Range<usize>, views: &mut Views<'_>) {
    const GROUP_MAX: usize = 40;
    const LINE_MAX: usize = 2048;
    let is_tail = |byte: &u8| b" \r\"';,)]}".contains(byte);
    let whole = bytes.get(line.clone()).unwrap_or_default();
    let Some(last) = whole.iter().rposition(|byte| !is_tail(byte)) else { return };
    let floor = line.start.max((line.start + last).saturating_sub(LINE_MAX));
    // From the end of the line, where the odd group is.
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut end = line.start + last + 1;
    loop {
        let start = end - byte_classes.token.run_back(end, floor);
        let fits = match groups.as_slice() {
            [] => (1..=GROUP_MAX).contains(&(end - start)),
            [last] => (last.len()..=GROUP_MAX).contains(&(end - start)),
            [_, second, ..] => end - start == second.len(),
        };
        let sign = if start > floor { bytes.get(start - 1).copied() } else { Some(b' ') };
        // What stands before an opening quote is no group.
        let opens = sign.is_some_and(|sign| b"\"'`:=".contains(&sign));
        if !fits || !opens && sign != Some(b' ') {
            break;
        }
        groups.push(start..end);
        if opens || start <= floor + 1 {
            break;
        }
        end = start - 1;
    }
    if groups.len() < 3 {
        return;
    }
    groups.reverse();
    // The blanks between the groups go with them.
    if let Some((map, joined)) = Map::joined(bytes, &groups, true)
        && joined.len() >= JOINED_MIN
    {
        work::spend(joined.len());
        views.add("joined groups", map, joined, Trust::Prefixed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The views of a text, each by what it says.
    fn said(text: &str) -> Vec<String> {
        let (byte_classes, mut budget) = (ByteClasses::of(text.as_bytes()), usize::MAX);
        let mut all = Views { views: Vec::new(), budget: &mut budget };
        continued(text.as_bytes(), &byte_classes, &mut all);
        views(text, &byte_classes, &mut all);
        all.views.into_iter().map(|view| view.text).collect()
    }

    #[test]
    fn what_is_no_line_and_no_group_stays_apart() {
        let token = ["gl", "sa_", "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A", "_", "8f3a9c1d"].concat();
        for (len, between) in [(9, "  "), (12, "\n\n"), (12, "\n+ ")] {
            let parts = token.as_bytes().chunks(len).map(String::from_utf8_lossy);
            let text = parts.collect::<Vec<_>>().join(between);
            assert_eq!(said(&text), [""; 0], "{text}");
        }
        assert_eq!(said(&"a word or two 1\n".repeat(9)), [""; 0]);
    }

    #[test]
    fn a_backslash_continues_a_token_and_no_statement() {
        let token = ["gl", "sa_", "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A", "_", "8f3a9c1d"].concat();
        let (a, b) = token.split_at(25);
        for text in [
            format!("K={a}\\\n{b}\nok\n"),
            format!("K=\"{a}\\\n{b}\"\n"),
            format!("K={a}\\\n{b} run it\n"),
            format!("k = \"\"\"{a}\\\n{b}\n\"\"\"\n"),
            format!("// k = '{a}\\\n// {b}'\nb = 2;\n"),
            format!("  # k = '{a}\\\n  # {b}'\nb = 2\n"),
        ] {
            assert!(said(&text).concat().ends_with(&token), "{text}");
        }
        let whole = "KJHhJKhKU7yguyuyfrtsdESffhjgkhYT";
        for text in [
            format!("api_key: key_wrap = '{whole}\\\nport: 1\n"),
            format!("cat <<'EOF'\nkey_wrap = '{whole}\\\nEOF\necho done\n"),
            format!("// key_wrap = '{whole}\\\nfn f() {{}}\n"),
            format!("key_wrap = {whole}\\\nb = 2\n"),
            format!("key_wrap = {whole}\\\nf (2)\n"),
        ] {
            assert!(said(&text).concat().ends_with(whole), "{text}");
        }
    }
}
