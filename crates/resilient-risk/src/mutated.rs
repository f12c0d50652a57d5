//! Mutated texts: none makes the scan or the redaction panic, none keeps a secret that a redaction says is gone, and
//! none loses a line that has nothing to do with it.
//!
//! A text has lines of a program, and between them secrets in many forms, which are then cut, doubled, moved and
//! spoilt with signs that mean something to the scan. The lines of the program are not touched: each must be in the
//! result as it was. A line in a literal is none of the program: a mutation may have left out the quote that ends a literal
//! before it, in a language whose literals go over lines. The test reads a few hundred texts; `MUTATED_TEXTS` says how many, `MUTATED_SEED` which.
//! `MUTATED_TEXT` reads the one text that a fault names.

use super::hidden::WAYS;
use super::redact::{Language, Wish, may_be_in_literal, redact};
use super::steady::Chance;
use super::{Policy, hostile, placeholder};

/// What a text is spoilt with.
const SIGNS: &str = concat!(
    "\"|'|`|\\|\\n|\n|\r\n| |\t|=|: |,|;|(|)|[|]|{|}|${|$(|<|>|</a>|#|//|/*|*/|",
    "-----BEGIN RSA PRIVATE KEY-----|-----END RSA PRIVATE KEY-----|-----|<REDACTED:api_key:1>|",
    "[REDACTED|\u{200b}|\u{feff}|é|\u{0}|password=|<<EOF\n|+",
);

/// The lines of a program; `N` is a number.
const LINES: [&str; 6] = [
    "call_N(x, y)",
    "return x_N + y;",
    "if x_N < y {",
    "import lib_N",
    "echo $x_N;",
    "x_N = y + 1",
];

const MIXED: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// A place of a text where a character begins.
fn place(chance: &mut Chance, text: &str) -> usize {
    let mut at = chance.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A secret in some form, and the token that is in it.
fn secret(chance: &mut Chance, hostile: &[(&str, String)]) -> (String, String) {
    let token = ["gh", "p_", &chance.draw(MIXED, 36)].concat();
    let text = match chance.below(8) {
        0 => format!("token = \"{token}\""),
        1 => {
            let rows: Vec<String> =
                (0..1 + chance.below(6)).map(|_| chance.draw(MIXED, 64)).collect();
            let label = ["RSA PRIV", "ATE KEY"].concat();
            format!("-----BEGIN {label}-----\n{}\n-----END {label}-----", rows.join("\n"))
        }
        2 => format!("url: https://bob:{}@db.internal/x", chance.draw(MIXED, 16)),
        3 => format!("password: {}\ncard 4111 1111 1111 1111, {token}", chance.draw(MIXED, 14)),
        4 => hostile
            .get(chance.below(hostile.len()))
            .map_or_else(String::new, |(_, text)| text.clone()),
        _ => WAYS.get(chance.below(WAYS.len())).map_or_else(String::new, |(_, hide)| hide(&token)),
    };
    (text, token)
}

fn spoil(chance: &mut Chance, text: &mut String) {
    let (one, other) = (place(chance, text), place(chance, text));
    let (start, end) = (one.min(other), one.max(other));
    match chance.below(6) {
        0 => text.truncate(end),
        1 => text.replace_range(start..end, ""),
        2 => {
            let piece = text.get(start..end).unwrap_or_default().to_owned();
            text.insert_str(place(chance, text), &piece);
        }
        _ => {
            text.insert_str(start, &chance.text(SIGNS, 1));
        }
    }
}

/// Reads a text and says what is wrong with its redaction.
fn fault(chance: &mut Chance, hostile: &[(&str, String)]) -> Option<String> {
    let lines: Vec<String> =
        (0..3).map(|nth| LINES[chance.below(LINES.len())].replace('N', &nth.to_string())).collect();
    let languages: Vec<_> = Language::names().map(Language::named).chain([None]).collect();
    let language = languages[chance.below(languages.len())];
    let begin = if language == Some(Language::Php) { "<?php" } else { "" };
    let (mut text, mut tokens) = (begin.to_owned(), Vec::new());
    for line in &lines {
        text += &format!("\n{line}\n");
        let (mut row, token) = secret(chance, hostile);
        for _ in 0..chance.below(5) {
            spoil(chance, &mut row);
        }
        text += &row;
        tokens.push(token);
    }
    text += "\n";
    let wish = Wish { language, env: chance.below(3) == 0, ..Wish::default() };
    let Ok(redaction) = redact(&text, &Policy::default(), &wish) else { return None };
    let count = |text: &str, line: &str| text.matches(line).count();
    let is_code =
        |line: &str| text.find(line).is_some_and(|at| !may_be_in_literal(&text, language, at));
    let lost = lines
        .iter()
        .find(|line| count(&text, line) != count(&redaction.text, line) && is_code(line));
    // By chance a token may name itself a dummy.
    let is_left = |token: &&String| {
        !placeholder::is_clear_dummy(token.as_bytes()) && redaction.text.contains(token.as_str())
    };
    let left = tokens.iter().find(is_left);
    let what = lost
        .map(|line| format!("{line:?} is lost"))
        .or(left.map(|token| format!("{token:?} is left")));
    what.map(|what| format!("{what}, {language:?}\n{text:?}\n{:?}", redaction.text))
}

#[test]
fn mutated_texts_are_redacted_whole_and_nothing_else() {
    let number = |name: &str, default: u64| {
        #[expect(clippy::disallowed_methods, reason = "a campaign says how long it is")]
        let text = std::env::var(name);
        text.ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (count, seed) =
        (number("MUTATED_TEXTS", 300), number("MUTATED_SEED", 0x9E37_79B9_7F4A_7C15));
    let hostile = hostile::texts(400);
    let (mut chance, mut faults) = (Chance(seed.max(1)), Vec::new());
    // Neighbouring numbers of a row would make similar texts.
    let mut next = || chance.next() << 16 | chance.next() & 0xFFFF | 1;
    let texts: Vec<u64> = match number("MUTATED_TEXT", 0) {
        0 => (0..count).map(|_| next()).collect(),
        one => vec![one],
    };
    for state in texts {
        let found = std::panic::catch_unwind(|| fault(&mut Chance(state), &hostile));
        let found = found.unwrap_or_else(|_| Some("a panic".to_owned()));
        faults.extend(found.map(|found| format!("MUTATED_TEXT={state}: {found}")));
    }
    assert!(
        faults.is_empty(),
        "{} of {count}\n{}",
        faults.len(),
        faults.iter().take(20).cloned().collect::<Vec<_>>().join("\n\n")
    );
}
