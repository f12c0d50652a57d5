//! Marks: what stands where a secret was, `<REDACTED:api_key:1>`.

use std::collections::BTreeMap;
use std::ops::Range;

use super::form::Form;

/// Marks of ours, with kind and number. The second form stands where `<` begins something else. A higher number is not
/// from this program.
static OURS: Form = Form::of(concat!(
    r"<REDACTED:([^<>\[\]]{1,64}):([0-9]{1,9})>",
    r"|\[REDACTED:([^<>\[\]]{1,64}):([0-9]{1,9})\]",
));

/// All marks: ours, and the bare `<REDACTED>`, `{REDACTED}` and `[REDACTED]`.
static ALL: Form = Form::of(concat!(
    "<REDACTED[A-Za-z0-9:_-]*>",
    r"|\[REDACTED[A-Za-z0-9:_-]*\]",
    r"|\{REDACTED[A-Za-z0-9:_-]*\}",
));

/// A kind is no longer than this.
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
    let inside = mark.get(1..mark.len() - 1)?.strip_prefix("REDACTED:")?;
    inside.rsplit_once(':').map(|(kind, _)| kind)
}

/// The highest number of each kind of mark in a text: new marks count on from there, because an old one
/// stands for another secret.
pub(super) fn numbers(text: &str) -> BTreeMap<&str, usize> {
    let mut highest = BTreeMap::new();
    for mark in OURS.regex().into_iter().flat_map(|ours| ours.captures_iter(text)) {
        let (_, [kind, number]) = mark.extract();
        let known = highest.entry(kind).or_default();
        *known = number.parse::<usize>().unwrap_or_default().max(*known);
    }
    highest
}

/// Where a line has marks.
pub(super) fn find(line: &str) -> Vec<Range<usize>> {
    ALL.regex().into_iter().flat_map(|all| all.find_iter(line)).map(|mark| mark.range()).collect()
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
