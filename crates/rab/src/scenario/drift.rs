//! S3: a file is read window by window, and changes right after the first cursor.
//!
//! The change is at the file's beginning and at its end: what was read already is wrong, and going
//! on at the old place is wrong too. Where the tools have no cursor, the file changes right after
//! the first look at it; the task says that what counts is the file as it is in the end.

use anyhow::Result;
use serde_json::{Value, json};

use super::{Scenario, Seen, holds};
use crate::ground::Ground;
use crate::random::Random;
use crate::score::{Check, Judgement};
use crate::transcript::{Exchange, IncidentKind};

const FILE: &str = "stock.txt";
const RESULT: &str = "recount.json";
const LINES: u64 = 160;
const WINDOW: u64 = 2000;
/// The tools that show some of a file, or make a cursor.
const LOOKS: [&str; 7] = [
    "read_file",
    "rr_read_bytes",
    "rr_read_lines",
    "rr_read_tail",
    "rr_search_then_page",
    "rr_make_cursor",
    "rr_read_next",
];

/// The file before and after the change.
pub(crate) struct Drift {
    before: String,
    after: String,
}

impl Drift {
    pub(crate) fn new(mut random: Random) -> Self {
        let mut lines: Vec<String> = (1..=LINES)
            .map(|number| {
                let state = if random.below(18) == 0 { "recount" } else { "ok" };
                let (shelf, count) = (random.below(40) + 10, random.below(400));
                format!("item-{number:03} shelf {shelf} count {count:03} {state}")
            })
            .collect();
        // One at each end for certain, so that there is something to find.
        for number in [3, 150] {
            if let Some(line) = lines.get_mut(number) {
                *line = line.replace(" ok", " recount");
            }
        }
        let before = lines.join("\n") + "\n";
        for (number, line) in lines.iter_mut().enumerate().take(12) {
            *line = match number {
                3 => line.replace(" recount", " ok"),
                2 | 7 => line.replace(" ok", " recount"),
                _ => line.clone(),
            };
        }
        lines.push(format!("item-{:03} shelf 51 count 007 recount", LINES + 1));
        Self { before, after: lines.join("\n") + "\n" }
    }
}

impl Scenario for Drift {
    fn lay_out(&self, ground: &Ground) -> Result<()> {
        ground.write(FILE, &self.before)
    }

    fn tasks(&self) -> Vec<String> {
        vec![format!(
            "The lines of {FILE} look like `item-007 shelf 12 count 031 ok` and end in `ok` or in \
             `recount`. Read the file from its beginning to its end, through a cursor with windows \
             of {WINDOW} bytes if your tools have cursors. Others may change the file while you \
             read: what counts is the file as it is when you finish. Write {RESULT}: a JSON array \
             of the items that end in `recount`, in the order of the file, such as \
             [\"item-007\", \"item-031\"]."
        )]
    }

    fn disturb(&self, ground: &Ground, last: &Exchange) -> Result<bool> {
        if !last.ok || !LOOKS.contains(&&*last.tool) {
            return Ok(false);
        }
        ground.write(FILE, &self.after)?;
        Ok(true)
    }

    fn judge(&self, seen: &Seen<'_>) -> Judgement {
        let met = seen.met(IncidentKind::Drift);
        let last = if met { &self.after } else { &self.before };
        let right = seen.json(RESULT) == Some(flagged(last));
        let untouched = seen.ground.read(FILE).as_deref() == Some(last);
        let outcome = vec![
            Check::essential("the items are those of the file as it is in the end", right),
            Check::new("the file is as the others left it", untouched),
        ];
        Judgement {
            recovered: met.then(|| holds(&outcome)),
            outcome,
            tools: vec![
                seen.used_here("a cursor is made", &["rr_make_cursor"], "read_file"),
                seen.used_here("the cursor is followed", &["rr_read_next"], "read_file"),
                seen.used_here("the result is written", &["rw_safe_write"], "write_file"),
            ],
            par: 8,
        }
    }
}

/// The items that are to be counted again.
fn flagged(text: &str) -> Value {
    let lines = text.lines().filter(|line| line.ends_with(" recount"));
    json!(lines.filter_map(|line| line.split(' ').next()).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_change_touches_what_was_read_and_what_was_not() {
        for seed in 0..20 {
            let drift = Drift::new(Random::new(seed, "s3"));
            let (before, after) = (flagged(&drift.before), flagged(&drift.after));
            let has =
                |list: &Value, item: &str| list.as_array().unwrap().contains(&Value::from(item));
            assert!(has(&before, "item-004") && !has(&after, "item-004"));
            assert!(has(&after, "item-003") && has(&after, "item-008"));
            assert!(has(&after, "item-151") && has(&after, "item-161"));
            assert!(drift.before.len() > 2 * WINDOW as usize);
        }
    }
}
