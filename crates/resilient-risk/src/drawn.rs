//! Every row of the table of formats finds values that are drawn anew from its own form: none is shadowed by
//! another, and none is dead.

use super::format::Format;
use super::redact::{Language, Wish, redact};
use super::steady::Chance;
use super::tables::{FORMATS, FormatRow};
use super::{Detection, Policy, score};

/// So many values are drawn of each row.
const DRAWS: usize = 16;

/// The patterns that a text has, and what they match; dummies are left out.
fn found(text: &str) -> Vec<(String, String)> {
    let report = score(text, &Policy::default());
    let hits = report.detected_patterns.into_iter().filter_map(|found| match found {
        Detection::Pattern(hit) if !hit.placeholder => Some(hit),
        _ => None,
    });
    hits.map(|hit| (hit.pattern.into_owned(), text[hit.span].to_owned())).collect()
}

/// How many of the values of a row are found by it, and what else was found.
fn own(row: &FormatRow, chance: &mut Chance) -> (usize, Vec<String>) {
    let format = Format::parse(row.format).unwrap();
    let word = row.words.split(' ').next().unwrap_or_default();
    let (mut own, mut others) = (0, Vec::new());
    for _ in 0..DRAWS {
        let value = format.draw(|most| chance.next() as usize % most);
        let found = found(&format!("{word} \"{value}\"\n"));
        if found.iter().any(|(name, matched)| *name == row.name && *matched == value) {
            own += 1;
        } else {
            others.extend(found.into_iter().map(|(name, _)| name));
        }
    }
    others.sort();
    others.dedup();
    (own, others)
}

#[test]
fn every_row_finds_what_is_drawn_from_its_form() {
    let chance = &mut Chance(0xD1B5_4A32_D192_ED03);
    let mut dead = Vec::new();
    for row in &FORMATS {
        let (count, others) = own(row, chance);
        if count == 0 {
            dead.push(format!("{} {}: only {others:?}", row.name, row.format));
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}

/// A row is tried in so many places; the next one in those that follow.
const PLACES_MAX: usize = 5;

/// A value in a text of a language, with something behind it: what stands before the value, and what behind.
const PLACES: [(&str, &str, &str); 12] = [
    ("a.json", "{\"token\":\"", "\",\"b\":1}\n"),
    ("a.json", "{\"token\":\"", "\",\"b_key\":\"x-y_z\"}\n"),
    ("a.yaml", "token: ", "\nb: 1\n"),
    ("a.yaml", "{token: \"", "\", b: 1}\n"),
    ("a.toml", "token = \"", "\"\nb = 1\n"),
    ("a.toml", "t = {token = '", "', b = 1}\n"),
    ("a.py", "f(token=\"", "\",b=1)\n"),
    ("a.py", "d = {'token':'", "','b':'x'}\n"),
    ("a.sh", "TOKEN=", " b=1 run\n"),
    ("a.sh", "run --token '", "' -b 1\n"),
    ("a.js", "f(\"", "\",\"b\",{c:'d'})\n"),
    ("a.xml", "<a token=\"", "\" b=\"1\"/>\n"),
];

#[test]
fn a_redaction_of_what_is_drawn_leaves_what_stands_around_it() {
    let chance = &mut Chance(0x2545_F491_4F6C_DD1D);
    let (mut places, mut eaten) = (PLACES.iter().cycle(), Vec::new());
    for row in &FORMATS {
        let format = Format::parse(row.format).unwrap();
        for (path, before, after) in places.by_ref().take(PLACES_MAX) {
            let value = format.draw(|most| chance.next() as usize % most);
            let text = [*before, &value, after].concat();
            let wish = Wish { language: Language::of_path(path), ..Wish::default() };
            let Ok(redaction) = redact(&text, &Policy::default(), &wish) else { continue };
            let redacted = &redaction.text;
            if !redacted.starts_with(*before) || !redacted.ends_with(*after) {
                eaten.push(format!("{}: {text}  {redacted}", row.name));
                break;
            }
        }
    }
    assert!(eaten.is_empty(), "{}", eaten.join("\n"));
}

#[test]
fn a_redaction_of_assignments_of_one_length_keeps_every_name() {
    const NAMES: [&str; 8] = [
        "DB_SECRET",
        "API_TOKEN",
        "PASSWORD1",
        "MAIL_HOST",
        "BASE_PATH",
        "KEY_STORE",
        "LOG_LEVEL",
        "empty_one",
    ];
    const CHARS: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let chance = &mut Chance(0x9E37_79B9_7F4A_7C15);
    let mut lost = Vec::new();
    for round in 0..200 {
        let (len, most) = ([0, 6, 8, 16, 20, 32, 40][round % 7], [16, CHARS.len()][round % 2]);
        let mut text = String::new();
        for name in NAMES {
            let short = [0, 0, 0, len, len / 2][chance.next() as usize % 5];
            let value = (short..len).map(|_| char::from(CHARS[chance.next() as usize % most]));
            text.extend([name, "="]);
            text.extend(value);
            text.push('\n');
        }
        let wish = Wish { language: Some(Language::Env), ..Wish::default() };
        let redacted = redact(&text, &Policy::default(), &wish).unwrap().text;
        let names = redacted.lines().map(|line| line.split('=').next().unwrap_or_default());
        if !names.eq(NAMES) {
            lost.push(format!("{text}is now\n{redacted}"));
        }
    }
    assert!(lost.is_empty(), "{} of 200:\n{}", lost.len(), lost.join("\n"));
}
