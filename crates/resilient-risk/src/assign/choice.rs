//! A password that a program takes in one of two cases: `a or "…"`, `a ? "b" : "…"`, `"a" if b else "…"`, and in Ansible
//! `"{{ a | default('…') }}"`.

use super::super::keywords::{Keyword, KeywordHit, VALUE_REACH};
use super::super::work;
use super::judge::{Stand, is_password};
use super::literal::{Opening, Value};
use super::name::is_of_other;
use super::shape::is_name;
use super::{Claimed, ValueHit, near, row};

/// What stands before a value that is one of two.
const SIGNS: [&[u8]; 10] =
    [b" or", b" and", b" else", b"||", b"??", b"?:", b" ?", b" :", b"| default(", b"| d("];

/// What stands before a branch in Kotlin and Rust: `if (dev) "…" else "…"`, `if dev { "…" } else { "…" }`.
const BRACKETS: &[u8] = b"){";

/// Takes the passwords among such literals in the statement that assigns to the name which a word ends.
pub(super) fn find(text: &[u8], said: KeywordHit, claims: &mut impl Claimed) {
    let KeywordHit { word, end, .. } = said;
    if !matches!(word, Keyword::Password | Keyword::Secret) || is_of_other(text, said) {
        return;
    }
    for branch in branches(text, end).unwrap_or_default() {
        let value = branch.said(text);
        if !is_name(value)
            && is_password(value, Stand::Literal, word)
            && claims.is_free(&branch.span)
        {
            let span = branch.span;
            claims.claim(ValueHit { family: "generic_secret", name: "assigned_password", span });
        }
    }
}

/// The literals behind such signs, in the statement whose name ends behind a place.
fn branches(text: &[u8], end: usize) -> Option<Vec<Value>> {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_\"'])".contains(byte);
    let line = near(text, end, VALUE_REACH).split(|byte| *byte == b'\n').next()?;
    let name = line.iter().take_while(is_name).count();
    let sign = name + row(line, name, 1, b" ");
    let (sign, rest) = (line.get(sign)?, line.get(sign + 1..)?);
    let is_assigned = b":=".contains(sign) && !rest.starts_with(b"=") && !rest.starts_with(b">");
    is_assigned.then_some(())?;
    work::spend(line.len() / 4);
    let is_if = rest.trim_ascii_start().starts_with(b"if");
    let is_sign = |before: &[u8]| {
        SIGNS.iter().any(|sign| before.ends_with(sign))
            || is_if && before.last().is_some_and(|last| BRACKETS.contains(last))
    };
    let mut branches = Vec::new();
    let (mut at, mut depth) = (line.len() - rest.len(), 0_usize);
    while let Some(byte) = line.get(at) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' if depth == 0 => break,
            b')' | b']' => depth -= 1,
            b';' | b'#' => break,
            b',' if depth == 0 => break,
            b'"' | b'\'' if line.get(at + 1..).is_some_and(|it| it.starts_with(b"{{")) => {}
            b'"' | b'\'' | b'`' => {
                let value = line.get(at..).and_then(Opening::of);
                let value = value.and_then(|of| of.value(text, end + at + of.len));
                let Some(value) = value else { break };
                let is_branch = line.get(..at).is_some_and(|it| is_sign(it.trim_ascii_end()));
                at = value.span.end - end;
                branches.extend(is_branch.then_some(value));
            }
            _ => {}
        }
        at += 1;
    }
    Some(branches)
}

#[cfg(test)]
mod tests {
    use super::super::tests::found;

    #[test]
    fn each_branch_is_a_value() {
        for value in [["q7Rk9", "zPw2mX4b"].concat(), ["Summer", "2022$"].concat()] {
            for text in [
                format!("PASSWORD = DEV or \"{value}\"\n"),
                format!("const password = dev || \"{value}\";\n"),
                format!("const dbPassword = conf.get(\"db\", 1) ?? '{value}';\n"),
                format!("password = dev ? \"a\" : \"{value}\"\n"),
                format!("password = dev ? \"{value}\" : other\n"),
                format!("password = \"a\" if DEV else \"{value}\"\n"),
            ] {
                assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
            }
        }
    }

    #[test]
    fn both_branches_may_be_secrets() {
        let (one, two) = (["q7Rk9", "zPw2mX4b"].concat(), ["Summer", "2022$"].concat());
        for text in [
            format!("val password = if (dev) \"{one}\" else \"{two}\"\n"),
            format!("let password = if dev {{ \"{one}\" }} else {{ \"{two}\" }};\n"),
            format!("password = \"{one}\" if dev else \"{two}\"\n"),
            format!("password = dev ? \"{one}\" : \"{two}\"\n"),
        ] {
            let mut hits: Vec<_> = found(&text).into_iter().map(|(_, value)| value).collect();
            hits.sort_unstable();
            assert_eq!(hits, [two.as_str(), &one], "{text}");
        }
    }

    #[test]
    fn what_stands_behind_the_value_or_compares_is_none() {
        let value = ["q7Rk9", "zPw2mX4b"].concat();
        for text in [
            format!("{{password: x, other: y || \"{value}\"}}\n"),
            format!("password = x; other = y || \"{value}\"\n"),
            format!("if password == x or \"{value}\"\n"),
            format!("f(password=x) or \"{value}\"\n"),
            "password = dev ? \"text\" : \"password\"\n".to_owned(),
            "const passwordType = show ? 'text' : 'Password-V2';\n".to_owned(),
            "const secretName = dev ? 'a' : 'Backend-Auth-2020';\n".to_owned(),
        ] {
            assert_eq!(found(&text), [], "{text}");
        }
    }
}
