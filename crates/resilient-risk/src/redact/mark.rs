//! Marks: what stands where a secret was, `<REDACTED:api_key:1>`.

use std::collections::BTreeMap;
use std::ops::Range;

use memchr::memmem;

/// How every mark of ours begins, and how it ends: the second form stands where `<` begins something else.
const FORMS: [(&str, char); 2] = [("<REDACTED:", '>'), ("[REDACTED:", ']')];

/// A mark with a higher number is not from this program.
const NUMBER_MAX: usize = 1_000_000_000;

/// A kind or number is no longer than this.
const PART_LEN_MAX: usize = 64;

/// Writes a mark. What a family of the policy's own is called goes in without anything but letters,
/// digits, `_` and `-`.
pub(super) fn write(kind: &str, number: usize) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_-".contains(c) { c } else { '_' };
    let kind: String = kind.chars().map(plain).take(PART_LEN_MAX).collect();
    format!("<REDACTED:{kind}:{number}>")
}

/// A mark in the form without `<` and `>`.
pub(super) fn in_brackets(mark: &str) -> String {
    mark.replace('<', "[").replace('>', "]")
}

/// The kind of a mark in either form, if it names one.
pub(super) fn kind(mark: &str) -> Option<&str> {
    let inside = FORMS.iter().find_map(|(open, _)| mark.strip_prefix(open))?;
    inside.rsplit_once(':').map(|(kind, _)| kind)
}

/// The highest number of each kind of mark in a text: new marks count on from there, because an old one
/// stands for another secret.
pub(super) fn numbers(text: &str) -> BTreeMap<&str, usize> {
    let mut highest = BTreeMap::new();
    for (open, close) in FORMS {
        for at in memmem::find_iter(text.as_bytes(), open) {
            let rest = text.get(at + open.len()..).unwrap_or_default();
            let window = rest.floor_char_boundary(2 * PART_LEN_MAX);
            let inside = rest.get(..window).and_then(|rest| rest.split_once(close));
            let Some((kind, number)) = inside.and_then(|(inside, _)| inside.rsplit_once(':'))
            else {
                continue;
            };
            // No text has had so many that its numbers need more.
            let Some(number) = number.parse::<usize>().ok().filter(|number| *number <= NUMBER_MAX)
            else {
                continue;
            };
            let known = highest.entry(kind).or_default();
            *known = number.max(*known);
        }
    }
    highest
}

/// Where a line has marks: ours, or the bare `<REDACTED>`, `{REDACTED}` and `[REDACTED]`.
pub(super) fn find(line: &str) -> Vec<Range<usize>> {
    let mut marks = Vec::new();
    for at in memmem::find_iter(line.as_bytes(), "REDACTED") {
        let close = match line.as_bytes().get(at.wrapping_sub(1)) {
            Some(b'<') => '>',
            Some(b'{') => '}',
            Some(b'[') => ']',
            _ => continue,
        };
        let behind = line.get(at + 8..).unwrap_or_default();
        let end = behind.find(|c: char| !c.is_ascii_alphanumeric() && !":_-".contains(c));
        if let Some(end) =
            end.filter(|end| behind.get(*end..).is_some_and(|c| c.starts_with(close)))
        {
            marks.push(at - 1..at + 8 + end + 1);
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_written_and_their_numbers_found() {
        assert_eq!(write("api_key", 1), "<REDACTED:api_key:1>");
        assert_eq!(write("my > kind", 12), "<REDACTED:my___kind:12>");
        let text = "<REDACTED:pii:3> <REDACTED:pii:2> <REDACTED:jwt:x> <REDACTED:é:9> <REDACTED:";
        assert_eq!(numbers(text), BTreeMap::from([("pii", 3), ("é", 9)]));
        let text = format!("[REDACTED:pii:3] <REDACTED:pii:2> <REDACTED:jwt:{}>", usize::MAX);
        assert_eq!(numbers(&text), BTreeMap::from([("pii", 3)]));
        assert_eq!(in_brackets(&write("pii", 3)), "[REDACTED:pii:3]");
        assert_eq!(kind("[REDACTED:pii:3]"), Some("pii"));
        assert_eq!(kind("<REDACTED:a:b:3>"), Some("a:b"));
        assert_eq!(kind("<REDACTED>"), None);
    }

    #[test]
    fn marks_of_every_form_are_found_in_a_line() {
        let found = |line| find(line).into_iter().map(|at| &line[at]).collect::<Vec<_>>();
        assert_eq!(
            found("a <REDACTED:api_key:1>, <REDACTED> [REDACTED] ${REDACTED}"),
            ["<REDACTED:api_key:1>", "<REDACTED>", "[REDACTED]", "{REDACTED}"]
        );
        for none in ["REDACTED", "<REDACTED", "<REDACTED: a b>", "<REDACTED}", ""] {
            assert!(found(none).is_empty(), "{none}");
        }
    }
}
