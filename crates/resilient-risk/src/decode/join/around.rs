//! What stands around literals that follow each other, and whether it puts them together.

use std::sync::LazyLock;

use memchr::{memchr, memrchr};
use regex::bytes::Regex;

use super::super::super::work;
use super::names::is_named;

/// So much before the first literal of a list or a row is looked at, and so much of a list.
const BEFORE_MAX: usize = 64;
const LIST_MAX: usize = 1024;

/// So many literals of a row are skipped, to find what stands before the first one.
const PASSED_MAX: usize = 8;

/// A call that joins what follows, with nothing between the items: `"".join([`, `concat!(`, `implode("", [`. Databases
/// write these words in capitals, too. What `list.concat(` adds stays items of a list.
static JOINS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let empty = r#"(?:""|''|``)"#;
    let call = r#"(?:^|[^.\w]|["'`]\.|tring(?:s|Utils)?\.)(?i:concat)!?\s*[(\[{]|(?i:mplode)\("#;
    let first = r"(?i:join|mplode)\(";
    Regex::new(&format!(r"(?-u)(?:{call}|{empty}\.join\(|{first}{empty},)[\s(\[{{]*$")).ok()
});

/// A call of Go that joins a list and names the separator behind it.
static GO: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?-u)(?i:join)\([\w\[\].]*\{\s*$").ok());

/// What stands behind a list that a program joins with nothing between the items.
static JOINED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let call = r#"\.join(?:ToString)?\((?:""|''|``)\)|\.concat\(\)|\.join(?:[^\w(]|$)"#;
    Regex::new(&format!(r"^(?-u)[\])}}]\s*(?:{call})")).ok()
});
static GO_JOINED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"^(?-u)\},\s*(?:""|``)\)"#).ok());

/// A call whose first argument may have places for the others.
static FORMATS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?-u)(?i:ormat|rintf)\(\s*$").ok());

/// A word behind which a value stands in a program, and no argument of a command.
static VALUES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?-u)(?:\b(?:return|yield|else|and|or|in)|#[ \t]*define[^\n]*)$").ok()
});

/// An array of a shell, `ARGS=(`, and an option with its value, `run --token=`.
static SHELL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?-u)(?:\w\+?=\(\s*|[^\s,(=][ \t]+--?[\w-]+=)$").ok());

fn is_match(form: &LazyLock<Option<Regex>>, text: &[u8]) -> bool {
    form.as_ref().is_some_and(|form| form.is_match(text))
}

fn before(text: &[u8], start: usize) -> &[u8] {
    let before = text.get(start.saturating_sub(BEFORE_MAX)..start).unwrap_or_default();
    work::spend(before.len());
    before
}

/// Tells whether a program says that it joins the list that begins at a position, with nothing between the items.
pub(super) fn is_joined(text: &[u8], start: usize) -> bool {
    let before = before(text, start);
    if is_match(&JOINS, before) {
        return true;
    }
    let close = match before.trim_ascii_end().last() {
        Some(b'[') => b']',
        Some(b'(') => b')',
        Some(b'{') => b'}',
        _ => return false,
    };
    let rest = text.get(start..).unwrap_or_default();
    let end = memchr(close, rest.get(..LIST_MAX).unwrap_or(rest));
    let behind = end.and_then(|end| rest.get(end..)).unwrap_or_default();
    let behind = behind.get(..BEFORE_MAX).unwrap_or(behind);
    is_match(&JOINED, behind) || is_match(&GO_JOINED, behind) && is_match(&GO, before)
}

/// Tells whether the literal at a position may be the template of a call.
pub(super) fn is_format(text: &[u8], start: usize) -> bool {
    is_match(&FORMATS, before(text, start))
}

/// Tells whether literals with nothing but white space between them are arguments of a command, or items of an array
/// of a shell: the first of them stands at a position. In a program such literals are one.
pub(super) fn is_command(text: &[u8], start: usize) -> bool {
    let mut before = before(text, start);
    let mut first = text.get(start + 1..).unwrap_or_default();
    // In a literal of another language each quote has a backslash.
    before = before.strip_suffix(b"\\").unwrap_or(before);
    for _ in 0..PASSED_MAX {
        if is_match(&SHELL, before) {
            return true;
        }
        let near = trim_blanks(before);
        let last = near.last().copied().unwrap_or(b'\n');
        match last {
            // A line begins with it: the name of a program has a sign that no value has.
            b'\n' => {
                return [&b"$"[..], b"./", b"/"].iter().any(|head| first.starts_with(head));
            }
            // Of a row of literals, the first one counts.
            b'"' | b'\'' | b'`' => {
                let Some(open) = memrchr(last, near.get(..near.len() - 1).unwrap_or_default())
                else {
                    return false;
                };
                (before, first) = near.split_at_checked(open).unwrap_or_default();
                first = first.get(1..).unwrap_or_default();
            }
            _ if near.len() == before.len() => return false,
            b'-' => return near.ends_with(b"--"),
            b'}' => return true,
            _ => return is_named(last) && !is_match(&VALUES, near),
        }
    }
    false
}

/// A text without the blanks at its end, and without line ends that a backslash stands before.
fn trim_blanks(mut text: &[u8]) -> &[u8] {
    loop {
        let blanks = text.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        text = text.get(..text.len() - blanks).unwrap_or_default();
        let Some(line) = text.strip_suffix(b"\\\n").or_else(|| text.strip_suffix(b"\\\r\n")) else {
            return text;
        };
        text = line;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_arguments_side_by_side_and_programs_do_not() {
        let commands = "./x.sh |run --token |run --token=|set -- |A=(|A+=(\n  |x \\\n  |x 'a b' |x \\\r\n |\
                        \"$X\" |${X} |pnpm run x ";
        let programs = "|x = |x = (|f(|f(a, |f(t=|return |#define X |x = ('a b' |x = f|[|\n  |- |k: |x if y else |\
                        #  define A_B\t";
        for (all, expected) in [(commands, true), (programs, false)] {
            for before in all.split('|') {
                let text = [before, "\"a\" \"b\""].concat();
                assert_eq!(is_command(text.as_bytes(), before.len()), expected, "{before}");
            }
        }
    }
}
