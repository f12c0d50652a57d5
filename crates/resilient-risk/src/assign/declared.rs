//! The value of a declaration whose name announces a secret: `variable "db_password" { default = "…" }` of Terraform,
//! `DbPassword:` with `Default: …` below it in CloudFormation, `"adminPassword": {"value": "…"}`.

use std::ops::Range;

use memchr::{memchr, memmem};

use super::super::keywords::{Keyword, KeywordHit};
use super::judge::{Stand, is_password};
use super::literal::Opening;
use super::name::is_password_name;
use super::shape::is_name;
use super::{ValueHit, line_around, near, near_before, row};

/// A declaration ends so far behind the name.
const BLOCK_MAX: usize = 400;

/// What names the value in a declaration.
const NAMES: [&[u8]; 3] = [b"default", b"Default", b"value"];

/// Reads the value of the declaration that a word is in the name of.
pub(super) fn value(text: &[u8], said: KeywordHit) -> Option<ValueHit> {
    let block = block(text, said)?;
    super::super::work::spend(BLOCK_MAX / 4);
    let inside = text.get(block.clone())?;
    let ends =
        NAMES.iter().flat_map(|name| memmem::find_iter(inside, name).map(|at| (at, name.len())));
    let at = ends.filter_map(|(at, len)| sign_end(inside, at, len)).min()?;
    let at = block.start + at + row(inside, at, BLOCK_MAX, b" \t");
    let literal = Opening::of(text.get(at..)?);
    let span = match literal {
        Some(opening) => opening.value(text, at + opening.len)?.span,
        // YAML needs no quotes.
        None => {
            let rest = text.get(at..block.end)?;
            at..at + rest.iter().take_while(|byte| !byte.is_ascii_whitespace()).count()
        }
    };
    let value = text.get(span.clone())?;
    (is_password(value, Stand::Literal, said.word) && !is_name(value)).then_some(ValueHit {
        family: "generic_secret",
        name: "assigned_password",
        span,
    })
}

/// Where the sign behind a name in a declaration ends, if the name stands alone.
fn sign_end(block: &[u8], at: usize, len: usize) -> Option<usize> {
    let before = at.checked_sub(1).and_then(|at| block.get(at));
    let is_first = before.is_none_or(|byte| byte.is_ascii_whitespace() || b"\"{'".contains(byte));
    let sign = at + len + row(block, at + len, 1, b"\"'");
    let sign = sign + row(block, sign, BLOCK_MAX, b" \t");
    (is_first && matches!(block.get(sign), Some(b'=' | b':'))).then_some(sign + 1)
}

/// What a declaration has in it whose name a word is in.
fn block(text: &[u8], KeywordHit { word, start, end }: KeywordHit) -> Option<Range<usize>> {
    let rest = near(text, end, BLOCK_MAX);
    if near(text, start, end - start).eq_ignore_ascii_case(b"securestring") {
        // Systems Manager of Amazon says so what the value beside is.
        return braced(text, end, rest, 0);
    }
    // Of `password_policy` and `secret_name` the value is no secret.
    let is_own = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-".contains(*byte);
    let name = rest.iter().take_while(is_own).count();
    let is_whole = match word {
        Keyword::Password => is_password_name(rest.get(..name)?),
        Keyword::Secret => name == 0,
        _ => false,
    };
    if !is_whole {
        return None;
    }
    let (quoted, is_quoted) = match rest.get(name) {
        Some(b'"') => (name + 1, true),
        _ => (name, false),
    };
    let before = near_before(text, start);
    let head = before.iter().rev().take_while(is_own).count();
    let lead = before.get(..before.len() - head)?;
    let is_first = lead.rsplit(|byte| *byte == b'\n').next()?.trim_ascii().is_empty();
    let sign = quoted + row(rest, quoted, BLOCK_MAX, b" \t");
    match rest.get(sign) {
        Some(b'{') if is_quoted && lead.ends_with(b"variable \"") => {
            braced(text, end, rest, sign + 1)
        }
        Some(b':') => {
            let brace = sign + 1 + row(rest, sign + 1, BLOCK_MAX, b" \t\r\n");
            match rest.get(brace) {
                Some(b'{') if is_quoted => braced(text, end, rest, brace + 1),
                _ if !is_quoted && is_first => indented(text, start, end + sign + 1),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A block up to the bracket that closes it. One on a single line ends with it.
fn braced(text: &[u8], end: usize, rest: &[u8], from: usize) -> Option<Range<usize>> {
    let inside = rest.get(from..)?;
    let line = inside.split(|byte| *byte == b'\n').next()?;
    let close = match memchr(b'}', line) {
        Some(at) => Some(at),
        None => memmem::find(inside, b"\n}").or_else(|| memchr(b'}', inside)),
    };
    let from = end + from;
    Some(from..close.map_or(text.len().min(end + BLOCK_MAX), |close| from + close))
}

/// The lines behind a place that are further in than the one that a name is on.
fn indented(text: &[u8], name: usize, from: usize) -> Option<Range<usize>> {
    let rest = near(text, from, BLOCK_MAX);
    let outer = row(text, line_around(text, name).start, BLOCK_MAX, b" ");
    let first = memchr(b'\n', rest)
        .filter(|at| rest.get(..*at).unwrap_or_default().trim_ascii().is_empty())?
        + 1;
    let lines = rest.get(first..)?.split_inclusive(|byte| *byte == b'\n');
    let is_inner = |line: &&[u8]| {
        line.trim_ascii().is_empty()
            || line.iter().take_while(|byte| **byte == b' ').count() > outer
    };
    let len: usize = lines.take_while(is_inner).map(<[u8]>::len).sum();
    Some(from + first..from + first + len)
}

#[cfg(test)]
mod tests {
    use super::super::tests::found;

    #[test]
    fn the_value_of_a_declaration_is_found() {
        for value in [["q7Rk9", "zPw2mX4b"].concat(), ["Summer", "2022$"].concat()] {
            for text in [
                format!("variable \"db_password\" {{\n  default = \"{value}\"\n}}\n"),
                format!("variable \"db_password\" {{ default = \"{value}\" }}\n"),
                format!(
                    "  DbPassword:\n    Type: String\n    NoEcho: true\n    Default: {value}\n"
                ),
                format!("  DbPassword:\n    Default: \"{value}\"\n  Other:\n"),
                format!("{{\"adminPassword\": {{\"value\": \"{value}\"}}}}\n"),
                format!(
                    "\"DbPassword\": {{\n  \"Type\": \"String\",\n  \"Default\": \"{value}\"\n}}\n"
                ),
                format!("{{\n  type  = \"SecureString\"\n  value = \"{value}\"\n}}\n"),
            ] {
                assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
            }
        }
    }

    #[test]
    fn the_value_of_another_declaration_is_none() {
        let value = ["q7Rk9", "zPw2mX4b"].concat();
        for text in [
            format!("variable \"password_policy\" {{\n  default = \"{value}\"\n}}\n"),
            format!("  DbPassword:\n    Type: String\n  Other:\n    Default: {value}\n"),
            format!("  PasswordPolicy:\n    Default: {value}\n"),
            format!("{{\"password\": {{\"type\": \"a\"}}, \"value\": \"{value}\"}}\n"),
            "  Password:\n    Default: Form-Input-2\n".to_owned(),
            "{\"password\": {\"type\": \"string\", \"default\": \"input_field_2\"}}\n".to_owned(),
        ] {
            assert_eq!(found(&text), [], "{text}");
        }
    }
}
