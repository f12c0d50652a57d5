//! A password that a program takes in one of two cases: `a or "…"`, `a ? "b" : "…"`, `"a" if b else "…"`.

use super::super::keywords::{Keyword, KeywordHit, VALUE_REACH};
use super::super::token::TokenStats;
use super::super::work;
use super::assigned::is_of_other;
use super::judge::{Stand, is_memorable, is_password};
use super::literal::Opening;
use super::{ValueHit, near, row};

/// What stands before a value that is one of two.
const SIGNS: [&[u8]; 7] = [b" or", b" else", b"||", b"??", b"?:", b" ?", b" :"];

/// Reads the first such literal in the statement that assigns to the name which a word ends.
pub(super) fn value(text: &[u8], said: KeywordHit) -> Option<ValueHit> {
    let KeywordHit { word, end, .. } = said;
    if !matches!(word, Keyword::Password | Keyword::Secret) || is_of_other(text, said) {
        return None;
    }
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_\"'])".contains(byte);
    let line = near(text, end, VALUE_REACH).split(|byte| *byte == b'\n').next()?;
    let name = line.iter().take_while(is_name).count();
    let sign = name + row(line, name, 1, b" ");
    let (sign, rest) = (line.get(sign)?, line.get(sign + 1..)?);
    let is_assigned = b":=".contains(sign) && !rest.starts_with(b"=") && !rest.starts_with(b">");
    is_assigned.then_some(())?;
    work::spend(line.len() / 4);
    let (mut at, mut depth) = (line.len() - rest.len(), 0_usize);
    loop {
        match line.get(at)? {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.checked_sub(1)?,
            b';' => return None,
            b',' if depth == 0 => return None,
            b'"' | b'\'' | b'`' => {
                let opening = Opening::of(line.get(at..)?)?;
                let value = opening.value(text, end + at + opening.len)?;
                let before = line.get(..at)?.trim_ascii_end();
                let said = value.said(text);
                let is_name = || TokenStats::of(said).is_name() && !is_memorable(said);
                if SIGNS.iter().any(|sign| before.ends_with(sign))
                    && is_password(said, Stand::Literal, word)
                    && !is_name()
                {
                    let span = value.span;
                    return Some(ValueHit {
                        family: "generic_secret",
                        name: "assigned_password",
                        span,
                    });
                }
                at = value.span.end - end;
            }
            _ => {}
        }
        at += 1;
    }
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
