//! Names that literals are assigned to.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::super::super::work;

/// Names are looked for in so many bytes before a literal.
const BEFORE_MAX: usize = 128;

/// A name is looked for in so many bytes behind its literal.
pub(super) const USE_MAX: usize = 512;

/// A literal that is assigned to a name.
pub(super) struct NamedLiteral {
    pub(super) name: Range<usize>,
    pub(super) literal: Range<usize>,
}

/// The rest of `it.head` or `it["head"]`, with its last word.
static MEMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let (name, key) = (r"\.\w+", r#"\[(?:\w+|"\w+"|'\w+'|`\w+`)\]"#);
    let last = r#"\.(\w+)|\[(?:(\w+)|"(\w+)"|'(\w+)'|`(\w+)`)\]"#;
    Regex::new(&format!(r"^(?-u)(?:{name}|{key})*(?:{last})")).ok()
});

/// Where the name stands that the literal is assigned to whose quote stands behind a text: `const p0 = `,
/// `p0: str = `, `$p0 .= `.
pub(super) fn name_before(before: &[u8]) -> Option<Range<usize>> {
    let from = before.len().saturating_sub(BEFORE_MAX);
    let near = before.get(from..)?;
    work::spend(near.len());
    let near = near.trim_ascii_end().strip_suffix(b"=")?;
    let start = near.iter().rposition(|byte| matches!(byte, b'\n' | b';')).map_or(0, |at| at + 1);
    let statement = near.get(start..)?;
    // What stands before the sign can be a part of it.
    let sign = |byte: &u8| !matches!(byte, b':' | b'+' | b'.' | b' ' | b'\t');
    let statement = statement.get(..=statement.iter().rposition(sign)?)?;
    // A type stands behind a colon.
    let end = statement.iter().position(|byte| *byte == b':').unwrap_or(statement.len());
    let named = statement.get(..end)?.trim_ascii_end();
    // Of `it["head"]` the key is the name.
    let end = named.strip_suffix(b"]").map_or(named.len(), |named| {
        named.len() - usize::from(matches!(named.last(), Some(b'"' | b'\'')))
    });
    let len = statement.get(..end)?.iter().rev().take_while(|byte| is_named(**byte)).count();
    (len > 0).then(|| from + start + end - len..from + start + end)
}

/// The last word of `it.head` or `it["head"]`, and where it ends with what closes it.
pub(super) fn member(text: &[u8], word: &Range<usize>) -> (Range<usize>, usize) {
    let rest = text.get(word.end..).unwrap_or_default();
    let rest = rest.get(..USE_MAX).unwrap_or(rest);
    let found = MEMBER.as_ref().and_then(|form| form.captures(rest)).filter(|_| !word.is_empty());
    let Some(found) = found else { return (word.clone(), word.end) };
    let last = found.iter().skip(1).flatten().next().map_or(0..0, |last| last.range());
    (word.end + last.start..word.end + last.end, word.end + found.get_match().len())
}

/// The name at a position, with the sign before it.
pub(super) fn word(text: &[u8], at: usize) -> Range<usize> {
    let is_name = |byte: Option<&u8>| byte.is_some_and(|byte| is_named(*byte));
    let (before, rest) = text.split_at_checked(at).unwrap_or_default();
    let len = rest.iter().skip(1).take(64).take_while(|byte| is_named(**byte)).count();
    let begins = !is_name(before.last()) && (is_name(rest.first()) || rest.starts_with(b"$"));
    if begins { at..at + 1 + len } else { at..at }
}

/// Tells whether a text is a setting, as `NAME=value` is: another one beside it is a text of its own.
pub(super) fn is_setting(text: &[u8]) -> bool {
    let len = text.iter().take_while(|byte| is_named(**byte)).count();
    len > 0 && text.get(len) == Some(&b'=') && text.len() > len + 1
}

pub(super) fn is_named(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Tells whether a name is the same as another one or counts on from it: `p0` and `p1`, `part_a` and
/// `part_b`, `TOKEN` and `TOKEN_2`.
pub(super) fn follows(first: &[u8], next: &[u8]) -> bool {
    let head = first.iter().zip(next).take_while(|(first, next)| first == next).count();
    let [first, next] = [first, next].map(|name| name.get(head..).unwrap_or_default());
    let ends = first.iter().rev().zip(next.iter().rev());
    let tail = ends.take_while(|(first, next)| first == next).count();
    let [first, next] = [first, next].map(|name| name.get(..name.len() - tail).unwrap_or_default());
    match (first, next) {
        ([], []) => true,
        ([first], [next]) if first.is_ascii_alphabetic() && next.is_ascii_alphabetic() => {
            first < next
        }
        (first, next) => {
            // The first of them may have no number.
            let joint = if first.is_empty() { next.strip_prefix(b"_") } else { None };
            let next = joint.unwrap_or(next);
            let digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
            let counts = next.len() == first.len() + 1 || next.len() == first.len() && first < next;
            digits(first) && digits(next) && counts
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_an_assignment_is_found() {
        for (before, name) in [
            ("p0 = ", Some("p0")),
            ("x()\nconst part_a =", Some("part_a")),
            ("a = 1; let p0: &str = ", Some("p0")),
            ("this.p0 = ", Some("p0")),
            ("$p0 .= ", Some("p0")),
            ("p0 += ", Some("p0")),
            ("p0 := ", Some("p0")),
            ("it[\"p0\"] = ", Some("p0")),
            ("$it['p0'] .= ", Some("p0")),
            ("it[0] = ", Some("0")),
            ("p0 == ", None),
            ("p0: ", None),
            ("f(", None),
            ("\n = ", None),
            ("", None),
        ] {
            assert_eq!(name_before(before.as_bytes()).map(|at| &before[at]), name, "{before:?}");
        }
    }

    #[test]
    fn a_name_follows_by_a_number_or_a_letter() {
        let all =
            "p0 p1, p9 p10, k09 k10, a b, part_a part_b, part part2, TOKEN TOKEN_2, token token";
        for two in all.split(", ") {
            let (first, next) = two.split_once(' ').unwrap();
            assert!(follows(first.as_bytes(), next.as_bytes()), "{two}");
        }
        for two in
            "z y, p1 p0, p11 p1, p1 q2, p1 p345, key name, key keys, part_a part_1".split(", ")
        {
            let (first, next) = two.split_once(' ').unwrap();
            assert!(!follows(first.as_bytes(), next.as_bytes()), "{two}");
        }
    }
}
