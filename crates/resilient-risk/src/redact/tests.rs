//! What is taken out of a text, and what stands there then.

mod cookies;
mod copies;
mod edges;
mod encoded;
mod everyday;
mod fields;
mod forms;
mod front;
mod keys;
mod look_ups;
mod multiline;
mod neighbours;
mod pieces;
mod quotes;
mod tables;
mod whole;

use regex::Regex;

use super::*;
use crate::Pattern;

fn token(fill: &str) -> String {
    ["gh", "p_", &fill.repeat(6)].concat()
}

fn redacted(text: &str) -> Redaction {
    redact(text, &Policy::default(), &Wish::default()).unwrap()
}

/// One of a thousand tokens.
fn nth_token(nth: usize) -> String {
    token(&format!("{nth:03}Kx9"))
}

fn choosing(text: &str, chosen: &[&str]) -> Result<Redaction, Refusal> {
    let chosen = chosen.iter().map(|choice| Choice::read(choice)).collect();
    redact(text, &Policy::default(), &Wish { chosen, ..Wish::default() })
}

#[test]
fn equal_secrets_get_equal_marks() {
    let (one, two) = (token("k3Jd9f"), token("Zq8vN2"));
    let text = format!("a = {one}\nbé = {two}\nc = {one}\n");
    let redaction = redacted(&text);
    assert_eq!(
        redaction.text,
        "a = <REDACTED:github_pat:1>\nbé = <REDACTED:github_pat:2>\nc = <REDACTED:github_pat:1>\n"
    );
    let place = |line, col, start, end| Place { line, col, start, end };
    let from: Vec<_> = redaction.replaced.iter().map(|r| r.from).collect();
    assert_eq!(from, [place(1, 5, 4, 44), place(2, 6, 51, 91), place(3, 5, 96, 136)]);
    let to: Vec<_> = redaction.replaced.iter().map(|r| r.to).collect();
    assert_eq!(to, [place(1, 5, 4, 27), place(2, 6, 34, 57), place(3, 5, 62, 85)]);
    let findings: Vec<_> = redaction.replaced.iter().map(|r| r.findings.clone()).collect();
    assert_eq!(findings, [[1], [2], [3]]);
    assert_eq!(redaction.replaced[0].sha256, Some(sha256(&one)));
    assert_eq!((redaction.score, redaction.verdict), (0.0, Verdict::Safe));
}

#[test]
fn digests_are_told_of_what_nobody_guesses() {
    let password = ["s3cr", "etP4ss"].concat();
    let text = format!("amqps://me:{password}@bunny.cloudamqp.com a@b.io {}", token("k3Jd9f"));
    let told: Vec<_> =
        redacted(&text).replaced.into_iter().map(|r| (r.kind, r.sha256.is_some())).collect();
    let expected = [("conn_string", false), ("pii", false), ("github_pat", true)];
    assert_eq!(told, expected.map(|(kind, told)| (kind.to_owned(), told)));
}

#[test]
fn families_and_numbers_choose() {
    let text = format!("{} a@b.io {}", token("k3Jd9f"), token("Zq8vN2"));
    let marks = |chosen: &[&str]| {
        let replaced = choosing(&text, chosen).unwrap().replaced;
        replaced.into_iter().map(|r| (r.put, r.findings)).collect::<Vec<_>>()
    };
    let pii = ("<REDACTED:pii:1>".to_owned(), vec![3]);
    assert_eq!(marks(&["pii"]), std::slice::from_ref(&pii));
    let second = ("<REDACTED:github_pat:1>".to_owned(), vec![2]);
    assert_eq!(marks(&["2"]), std::slice::from_ref(&second));
    assert_eq!(marks(&["2", "pii"]), [pii, second]);
    for (choice, message) in [
        (
            "pi",
            "no family \"pi\"; there are api_key, github_pat, jwt, pem_block, aws_secret, pii, binary_hint, conn_string, generic_secret, placeholder, and findings by number",
        ),
        ("4", "no finding 4; there are 3"),
        ("0", "no finding 0; there are 3"),
    ] {
        let refused = choosing(&text, &[choice]).unwrap_err();
        assert_eq!(refused.to_string(), message);
    }
}

#[test]
fn a_flood_is_refused() {
    let most = taken::TAKEN_MAX;
    let flood = "a@b.io ".repeat(most + 1);
    let refused = redact(&flood, &Policy::default(), &Wish::default());
    assert_eq!(refused, Err(Refusal::TooMany { count: most + 1, most }));
}

#[test]
fn placeholders_stay_unless_they_are_chosen() {
    let text = format!("key = {}{{REDACTED}}\n", ["sk-", "ant-", "oat01-"].concat());
    assert_eq!(redacted(&text).text, text);
    let redaction = choosing(&text, &["placeholder"]).unwrap();
    assert_eq!(redaction.text, "key = <REDACTED:api_key:1>\n");
    assert_eq!(redaction.verdict, Verdict::Safe);
    let text = format!("a = {}\nb = {}\n", token("xxxxxx"), ["s", "k-", &"x".repeat(48)].concat());
    assert_eq!(redacted(&text).text, text);
}

#[test]
fn numbers_go_on_from_marks_that_are_there() {
    let text = format!("a = <REDACTED:github_pat:4>\nb = {}\n", token("k3Jd9f"));
    assert!(redacted(&text).text.ends_with("b = <REDACTED:github_pat:5>\n"));
}

#[test]
fn a_text_without_secrets_is_its_own_redaction() {
    let redaction = redacted("nothing here\n");
    assert_eq!((redaction.text.as_str(), redaction.replaced.len()), ("nothing here\n", 0));
}

#[test]
fn a_mark_is_no_match_of_a_pattern_that_fits_its_name() {
    let pattern = Pattern::new("house", "word", "house").unwrap();
    let policy = Policy { extra_patterns: vec![pattern], ..Policy::default() };
    let redaction = redact("a house, [REDACTED:house:1]\n", &policy, &Wish::default()).unwrap();
    assert_eq!(redaction.text, "a <REDACTED:house:2>, [REDACTED:house:1]\n");
    assert_eq!(redaction.verdict, Verdict::Safe);
}

#[test]
fn what_the_result_needs_is_said() {
    let requires = |text: &str| {
        let wish = Wish { language: Some(Language::Python), env: true, ..Wish::default() };
        redact(text, &Policy::default(), &wish).unwrap().requires
    };
    let line = format!("key = '{}'\n", token("k3Jd9f"));
    assert_eq!(requires(&line), ["import os"]);
    assert_eq!(requires(&format!("import os\n{line}")), [""; 0]);
    assert_eq!(requires("key = 1\n"), [""; 0]);
}
