//! Names that literals are assigned to: whether one of them goes on where another one ended.

use super::super::super::work;

/// Names are looked for in so many bytes before a literal.
const BEFORE_MAX: usize = 128;

/// The name that the literal is assigned to whose quote stands behind a text: `const p0 = `, `p0: str = `,
/// `$p0 .= `.
pub(super) fn assigned(before: &[u8]) -> Option<&[u8]> {
    let near = before.get(before.len().saturating_sub(BEFORE_MAX)..)?;
    work::spend(near.len());
    let near = near.trim_ascii_end().strip_suffix(b"=")?;
    let start = near.iter().rposition(|byte| matches!(byte, b'\n' | b';')).map_or(0, |at| at + 1);
    let statement = near.get(start..)?;
    // What stands before the sign can be a part of it.
    let sign = |byte: &u8| !matches!(byte, b':' | b'+' | b'.' | b' ' | b'\t');
    let statement = statement.get(..=statement.iter().rposition(sign)?)?;
    // A type stands behind a colon.
    let end = statement.iter().position(|byte| *byte == b':').unwrap_or(statement.len());
    let name = statement.get(..end)?.trim_ascii_end();
    let len = name.iter().rev().take_while(|byte| is_named(**byte)).count();
    name.get(name.len() - len..).filter(|name| !name.is_empty())
}

fn is_named(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Tells whether a name is the same as another one or counts on from it: `p0` and `p1`, `part_a` and
/// `part_b`, `TOKEN` and `TOKEN_2`.
pub(super) fn follows(first: &[u8], next: &[u8]) -> bool {
    let head = first.iter().zip(next).take_while(|(first, next)| first == next).count();
    let (first, next) = (first.get(head..), next.get(head..));
    let (Some(first), Some(next)) = (first, next) else { return false };
    let ends = first.iter().rev().zip(next.iter().rev());
    let tail = ends.take_while(|(first, next)| first == next).count();
    let (first, next) = (first.get(..first.len() - tail), next.get(..next.len() - tail));
    let (Some(first), Some(next)) = (first, next) else { return false };
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
            ("p0 == ", None),
            ("p0: ", None),
            ("f(", None),
            ("\n = ", None),
            ("", None),
        ] {
            let found = assigned(before.as_bytes());
            assert_eq!(found, name.map(str::as_bytes), "{before:?}");
        }
    }

    #[test]
    fn a_name_follows_by_a_number_or_a_letter() {
        for (first, next) in [
            ("p0", "p1"),
            ("p9", "p10"),
            ("k09", "k10"),
            ("a", "b"),
            ("part_a", "part_b"),
            ("part", "part2"),
            ("TOKEN", "TOKEN_2"),
            ("TOKEN_1", "TOKEN_2"),
            ("p1_of_3", "p2_of_3"),
            ("token", "token"),
        ] {
            assert!(follows(first.as_bytes(), next.as_bytes()), "{first} {next}");
        }
        for (first, next) in [
            ("z", "y"),
            ("p1", "p0"),
            ("p11", "p1"),
            ("p1", "q2"),
            ("p1", "p345"),
            ("key", "name"),
            ("key", "keys"),
            ("part_a", "part_1"),
        ] {
            assert!(!follows(first.as_bytes(), next.as_bytes()), "{first} {next}");
        }
    }
}
