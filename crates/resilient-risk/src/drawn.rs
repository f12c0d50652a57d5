//! Every row of the table of formats finds values that are drawn anew from its own form: none is shadowed by
//! another, and none is dead.

use super::format::Format;
use super::steady::Chance;
use super::tables::{FORMATS, Row};
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
fn own(row: &Row, chance: &mut Chance) -> (usize, Vec<String>) {
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
