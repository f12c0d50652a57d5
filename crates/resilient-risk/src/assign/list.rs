//! A list of passwords: `passwords = ["…", "…"]`, and in YAML `passwords:` with an item on each line below.

use std::ops::Range;

use memchr::memchr;

use super::super::keywords::{Keyword, KeywordHit};
use super::super::token::TokenStats;
use super::super::work;
use super::assigned::plural_len;
use super::judge::{Stand, is_memorable, is_password, is_slug};
use super::literal::Opening;
use super::{Claimed, ValueHit, near, row};

/// So many values are looked at.
const VALUES_MAX: usize = 100;

/// So much stands between the name and the bracket: a type, a call.
const LEAD_MAX: usize = 40;

/// An item of YAML is no longer.
const ITEM_MAX: usize = 120;

/// Takes the passwords of the list whose name a word is in. A word before `done` is in a list that was read.
pub(super) fn find(
    text: &[u8],
    KeywordHit { word, end, .. }: KeywordHit,
    done: &mut usize,
    claims: &mut impl Claimed,
) {
    if !matches!(word, Keyword::Password | Keyword::Secret) || end < *done {
        return;
    }
    let Some(name) = plural_len(text, end) else { return };
    work::spend(LEAD_MAX / 4);
    let from = end + name + row(text, end + name, 3, b"\"'`])");
    let is_lead = |byte: &&u8| byte.is_ascii_alphanumeric() || b" \t_.:=<>[]&!({".contains(byte);
    let lead = near(text, from, LEAD_MAX);
    let lead = lead.get(..lead.iter().take_while(is_lead).count()).unwrap_or_default();
    let is_assigned = lead.iter().any(|byte| b":=".contains(byte));
    let behind = from + lead.len();
    let spans = match lead.trim_ascii_end() {
        b":" => items(text, behind),
        [.., b'[' | b'(' | b'{'] if is_assigned => literals(text, behind),
        _ => return,
    };
    *done = spans.last().map_or(*done, |last| last.end);
    for span in spans {
        let value = text.get(span.clone()).unwrap_or_default();
        // A list of secrets has their names, as in a file of compose.
        let is_name = || match word {
            Keyword::Secret => is_slug(value) || TokenStats::of(value).is_name(),
            _ => TokenStats::of(value).is_name() && !is_memorable(value),
        };
        if is_password(value, Stand::Literal, word) && !is_name() && claims.is_free(&span) {
            claims.claim(ValueHit { family: "generic_secret", name: "assigned_password", span });
        }
    }
}

/// The literals from a place on up to a bracket that closes the list: other items and comments are passed over.
fn literals(text: &[u8], from: usize) -> Vec<Range<usize>> {
    const LIST_MAX: usize = 8192;
    let mut spans = Vec::new();
    let (mut at, mut depth) = (from, 0_usize);
    let list = near(text, 0, from + LIST_MAX);
    while let Some(byte) = list.get(at).filter(|_| spans.len() < VALUES_MAX) {
        match byte {
            b'[' | b'(' | b'{' => depth += 1,
            b']' | b')' | b'}' if depth == 0 => break,
            b']' | b')' | b'}' => depth -= 1,
            b';' => break,
            b'#' => at = line_end(list, at),
            b'/' if list.get(at + 1) == Some(&b'/') => at = line_end(list, at),
            b'"' | b'\'' | b'`' => {
                let opening = list.get(at..).and_then(Opening::of);
                let span = opening.and_then(|of| Some(of.value(text, at + of.len)?.span));
                let Some(span) = span else { break };
                at = span.end;
                // A key of a map is no value.
                if text.get(span.end + 1) != Some(&b':') {
                    spans.push(span);
                }
            }
            _ => {}
        }
        at += 1;
    }
    work::spend(at - from);
    spans
}

/// Items of YAML on the lines behind a place: what stands in their quotes, or all of them up to a comment.
fn items(text: &[u8], from: usize) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut at = from;
    while spans.len() < VALUES_MAX {
        at += row(text, at, ITEM_MAX, b" \t\r\n");
        match near(text, at, 2) {
            b"- " => {}
            [b'#', _] => {
                at = line_end(text, at);
                continue;
            }
            _ => break,
        }
        at += 1 + row(text, at + 1, ITEM_MAX, b" \t");
        let line = near(text, at, ITEM_MAX).split(|byte| b"\r\n".contains(byte)).next();
        let line = line.unwrap_or_default();
        work::spend(line.len());
        let literal = Opening::of(line).and_then(|of| Some(of.value(text, at + of.len)?.span));
        let plain = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        spans.push(literal.unwrap_or(at..at + plain.len()));
        at += line.len();
    }
    spans
}

/// The end of the line that a place is in.
fn line_end(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let len = memchr(b'\n', rest).unwrap_or(rest.len());
    work::spend(len);
    at + len
}

#[cfg(test)]
mod tests {
    use super::super::tests::found;

    #[test]
    fn the_values_of_a_list_are_found() {
        let [first, second] =
            [["q7Rk9", "zPw2mX4b"], ["Summer", "2022$"]].map(|parts| parts.concat());
        for text in [
            format!("passwords = [\"{first}\", \"{second}\"]\n"),
            format!("const PASSWORDS: string[] = [\n  '{first}',\n  '{second}',\n];\n"),
            format!("passwords := []string{{\"{first}\", \"{second}\"}}\n"),
            format!("List<String> dbPasswords = List.of(\"{first}\", \"{second}\");\n"),
            format!("passwords = [\n  \"{first}\",  # bob's\n  None, \"{second}\",\n]\n"),
            format!("passwords = {{'bob': '{first}', 'eve': '{second}'}}\n"),
            format!("PASSWORDS=(\"{first}\" '{second}')\n"),
            format!("passwords:\n  - {first}\n  # new\n  - {second}\n"),
            format!("passwords:\n  - {first}  # old\n  - \"{second}\"\nhosts:\n  - {first}\n"),
        ] {
            let hits = [("assigned_password", first.as_str()), ("assigned_password", &second)];
            // The first value of a tuple is assigned, too.
            let mut all = found(&text);
            all.dedup();
            assert_eq!(all, hits, "{text}");
        }
    }

    #[test]
    fn names_in_a_list_and_other_lists_are_none() {
        let value = ["q7Rk9", "zPw2mX4b"].concat();
        for text in [
            "passwords = [\"db_main\", \"Castle2\"]\n".to_owned(),
            "secrets:\n  - Db-Password-2024\n  - Vault/Eye20\n".to_owned(),
            "secrets:\n  - db-password-2\n  - api_token_v2\n".to_owned(),
            format!("passwordLengths = [\"{value}\"]\n"),
            format!("passwords[\"{value}\"]\n"),
            format!("passwords.push(x)\nhosts = [\"{value}\"]\n"),
        ] {
            assert_eq!(found(&text), [], "{text}");
        }
    }
}
