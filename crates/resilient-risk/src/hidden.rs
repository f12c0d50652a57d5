//! A secret is found however it is hidden: every form, in every way, at every place of a group of bytes; and a
//! redaction takes it out and nothing else.
//!
//! There are no labels in it, and forms are drawn of letters alone, too: few ways need a digit.

use std::ops::Range;

use super::redact::{Wish, redact};
use super::steady::Chance;
use super::{Detection, Policy, score};

const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const MIXED: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const HEX: &[u8] = b"0123456789abcdef";

/// A token of each of some forms.
fn forms(chance: &mut Chance) -> Vec<String> {
    vec![
        ["gh", "p_", &chance.draw(MIXED, 36)].concat(),
        ["gl", "sa_", &chance.draw(MIXED, 32), "_", &chance.draw(HEX, 8)].concat(),
        ["np", "m_", &chance.draw(LETTERS, 36)].concat(),
        ["AK", "IA", &chance.draw(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)].concat(),
        ["dop", "_v1_", &chance.draw(HEX, 64)].concat(),
    ]
}

fn parts(token: &str, count: usize) -> Vec<&str> {
    let len = token.len().div_ceil(count);
    token.as_bytes().chunks(len).map(|part| std::str::from_utf8(part).unwrap()).collect()
}

/// The parts in quotes, with something between them.
fn quoted(token: &str, count: usize, between: &str) -> String {
    format!("\"{}\"", parts(token, count).join(&format!("\"{between}\"")))
}

fn codes(token: &str, write: impl Fn(u8) -> String, between: &str) -> String {
    token.bytes().map(write).collect::<Vec<_>>().join(between)
}

/// A text that holds a token in a literal of JSON.
fn json(text: &str) -> String {
    format!("{{\"content\": {}}}", serde_json::to_string(text).unwrap())
}

pub(super) type Way = (&'static str, fn(&str) -> String);

/// Ways to hide a token.
pub(super) const WAYS: [Way; 37] = [
    ("plain", |t| format!("x = \"{t}\"")),
    ("added", |t| format!("x = {};", quoted(t, 3, " + "))),
    ("added without blanks", |t| format!("x = {};", quoted(t, 3, "+"))),
    ("added with a dot", |t| format!("$x='{}';", parts(t, 2).join("'.'"))),
    ("added on lines", |t| format!("x = {}", quoted(t, 4, " +\n    "))),
    ("side by side", |t| format!("x = ({})", quoted(t, 3, "\n     "))),
    ("added with dots", |t| format!("$x = {};", quoted(t, 5, " . "))),
    ("a list", |t| format!("f({})", quoted(t, 4, ", "))),
    ("a list that is joined", |t| format!("x = [{}].join(\"\")", quoted(t, 4, ", "))),
    ("characters", |t| format!("x = [{}]", quoted(t, t.len(), ", "))),
    ("items", |t| format!("x:\n  - {}", quoted(t, 3, "\n  - "))),
    ("plain items", |t| format!("x:\n  - {}", parts(t, 3).join("\n  - "))),
    ("added to", |t| format!("x = {}", quoted(t, 3, "\nx += "))),
    ("names", |t| format!("{}x = head + tail", head_and_tail(t, "head = ", "tail = ", ""))),
    ("names, apart", |t| {
        let both = head_and_tail(t, "head = ", "mode = \"w\"\ntail = ", "");
        format!("{both}\n# both\nx = head + tail")
    }),
    ("names that count", |t| head_and_tail(t, "p0 = ", "p1 = ", "")),
    ("a name and a literal", |t| {
        let [head, tail] = [0, 1].map(|nth| parts(t, 2)[nth]);
        format!("head = \"{head}\"\nx = head + \"{tail}\"")
    }),
    ("names in a literal", |t| {
        format!("{}x = f\"{{head}}{{tail}}\"", head_and_tail(t, "head = ", "tail = ", ""))
    }),
    ("a template", |t| {
        format!(
            "{}let x = `${{head}}${{tail}}`;",
            head_and_tail(t, "let head = ", "let tail = ", ";")
        )
    }),
    ("names in a list", |t| {
        format!("{}x = ''.join([head, tail])", head_and_tail(t, "head = ", "tail = ", ""))
    }),
    ("names in a shell", |t| format!("{}X=\"$HEAD$TAIL\"", head_and_tail(t, "HEAD=", "TAIL=", ""))),
    ("continued", |t| format!("x={}", parts(t, 2).join("\\\n"))),
    ("groups", |t| format!("x: {}", parts(t, 5).join(" "))),
    ("groups of four", |t| format!("x: {}", parts(t, t.len().div_ceil(4)).join(" "))),
    ("single characters", |t| format!("x: {}", parts(t, t.len()).join(" "))),
    ("lines", |t| format!("x:\n{}\n", parts(t, t.len().div_ceil(12)).join("\n"))),
    ("decimal codes", |t| format!("x = bytes([{}])", codes(t, |b| b.to_string(), ", "))),
    ("hexadecimal codes", |t| format!("x = {{{}}}", codes(t, |b| format!("0x{b:02x}"), ","))),
    ("octal codes", |t| format!("x = [{}]", codes(t, |b| format!("0o{b:o}"), ", "))),
    ("calls", |t| format!("x = {}", codes(t, |b| format!("chr({b})"), " + "))),
    ("pairs", |t| format!("x = \"{}\"", codes(t, |b| format!("{b:02x}"), ":"))),
    ("escapes", |t| format!("x = \"{}\"", codes(t, |b| format!("\\x{b:02x}"), ""))),
    ("octal escapes", |t| format!("x = \"{}\"", codes(t, |b| format!("\\{b:03o}"), ""))),
    ("backwards", |t| format!("x = \"{}\"[::-1]", t.chars().rev().collect::<String>())),
    ("added, in JSON", |t| json(&format!("x = {}\n", quoted(t, 3, " + ")))),
    ("side by side, in JSON", |t| json(&format!("x = ({})\n", quoted(t, 3, "\n    ")))),
    ("groups, in JSON", |t| json(&format!("y: 1\nx: {}\n", parts(t, 5).join(" ")))),
];

/// What is hidden in these ways is looked for only near a digit: there are too many lines and names of programs.
const BY_DIGITS: [&str; 7] = [
    "plain items",
    "groups",
    "groups of four",
    "single characters",
    "lines",
    "backwards",
    "groups, in JSON",
];

/// Tells whether a token that is hidden in a way is to be found.
fn is_told(way: &str, token: &str) -> bool {
    !BY_DIGITS.contains(&way) || token.bytes().filter(u8::is_ascii_digit).count() > 1
}

/// Two names for the halves of a token.
fn head_and_tail(token: &str, head: &str, tail: &str, end: &str) -> String {
    let halves = parts(token, 2);
    format!("{head}\"{}\"{end}\n{tail}\"{}\"{end}\n", halves[0], halves[1])
}

/// The findings in a stretch of a text.
fn found(text: &str, stretch: Range<usize>) -> usize {
    let hits = score(text, &Policy::default()).detected_patterns.into_iter();
    let inside = hits.filter(|found| match found {
        Detection::Pattern(hit) => stretch.start <= hit.span.start && hit.span.end <= stretch.end,
        Detection::Size(_) => false,
    });
    inside.count()
}

#[test]
fn a_token_is_found_and_taken_out_however_it_is_hidden() {
    let chance = &mut Chance(0x9E37_79B9_7F4A_7C15);
    let mut lost = Vec::new();
    for (nth, (way, hide)) in WAYS.iter().enumerate() {
        let tokens = forms(chance).into_iter().filter(|token| is_told(way, token));
        for (of, token) in tokens.enumerate() {
            for offset in (0..64).skip((nth + of) % 16).step_by(16) {
                let before = format!("import os{}\n\ndef f():\n    pass\n\n", "\n".repeat(offset));
                let (row, after) = (hide(&token), "\nvalue = compute(1, 2)\n");
                let text = [&before, &row, after].concat();
                if found(&text, before.len()..text.len() - after.len()) == 0 {
                    lost.push(format!("{way}, at {offset}: {row:?}"));
                    continue;
                }
                let redacted = redact(&text, &Policy::default(), &Wish::default()).unwrap().text;
                let rest = redacted.strip_prefix(&before).and_then(|rest| rest.strip_suffix(after));
                let is_left = |part: &str| part.len() > 5 && redacted.contains(part);
                if rest.is_none() || parts(&token, 5).into_iter().any(is_left) {
                    lost.push(format!("{way}, at {offset}, redacted: {redacted:?}"));
                }
            }
        }
    }
    assert!(lost.is_empty(), "{}\n{}", lost.len(), lost.join("\n"));
}

#[test]
fn two_hidden_tokens_do_not_hide_each_other() {
    let chance = &mut Chance(0x2545_F491_4F6C_DD1D);
    let mut lost = Vec::new();
    for (way, hide) in WAYS {
        let tokens = forms(chance).into_iter().filter(|token| is_told(way, token));
        for two in tokens.collect::<Vec<_>>().windows(2) {
            let (first, second) = (hide(&two[0]), hide(&two[1]));
            let text = format!("import os\n{first}\n\n{second}\n");
            let middle = "import os\n".len() + first.len() + 1;
            if found(&text, 0..middle) == 0 || found(&text, middle..text.len()) == 0 {
                lost.push(format!("{way}: {text:?}"));
            }
        }
    }
    assert!(lost.is_empty(), "{}\n{}", lost.len(), lost.join("\n"));
}

#[test]
fn a_hidden_token_is_found_behind_a_long_text() {
    let chance = &mut Chance(0x6A09_E667_F3BC_C909);
    let mut text = "fn step(count: usize) -> usize { count + 1 }\n".repeat((1 << 20) / 45);
    let mut stretches = Vec::new();
    for (way, hide) in WAYS {
        let token = forms(chance).into_iter().find(|token| is_told(way, token)).unwrap();
        text += "\n\nlet value = compute(1, 2);\n";
        let start = text.len();
        text += &hide(&token);
        stretches.push((way, start..text.len()));
    }
    let report = score(&text, &Policy::default());
    let is_found = |at: &Range<usize>| {
        report.detected_patterns.iter().any(|found| match found {
            Detection::Pattern(hit) => at.start <= hit.span.start && hit.span.end <= at.end,
            Detection::Size(_) => false,
        })
    };
    let lost: Vec<_> = stretches.iter().filter(|(_, at)| !is_found(at)).collect();
    assert!(lost.is_empty(), "{lost:?}");
}
