//! S0: how many errors of each type are in a log of 10,000 lines and 550 KB.
//!
//! The types are also named in lines that are no errors, so that searching for a name alone counts
//! wrong. Who has the whole log poured into the conversation has used the wrong tool.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;
use serde_json::{Value, json};

use super::{Scenario, Seen};
use crate::ground::Ground;
use crate::random::Random;
use crate::score::{Check, Judgement};
use crate::transcript::calls;

const FILE: &str = "logs/service.log";
const RESULT: &str = "counts.json";
const LINES: u64 = 10_000;
const TYPES: [&str; 4] = ["TimeoutError", "ConnectionReset", "DiskFull", "AuthFailed"];
/// The length of a line, so that the log has 550 KB.
const LINE_LEN: usize = 54;
/// An answer of this length has poured out the log.
const WHOLE: usize = 256 * 1024;

/// The log and its truth.
pub(crate) struct Log {
    text: String,
    counts: BTreeMap<&'static str, u64>,
}

impl Log {
    pub(crate) fn new(mut random: Random) -> Self {
        let mut text = String::new();
        let mut counts = BTreeMap::from(TYPES.map(|name| (name, 0)));
        for number in 0..LINES {
            let (minute, second) = (number / 60, number % 60);
            let mut line = format!("{:02}:{:02}:{second:02} ", minute / 60, minute % 60);
            let worker = random.below(16);
            match (random.below(100), random.pick(&TYPES)) {
                (0..2, Some(&name)) => {
                    *counts.entry(name).or_default() += 1;
                    let _ = write!(line, "ERROR {name} worker-{worker:02}");
                }
                (2, Some(name)) => {
                    let _ = write!(line, "WARN retry after {name} worker-{worker:02}");
                }
                _ => {
                    let _ = write!(line, "INFO request done worker-{worker:02}");
                }
            }
            let rest = LINE_LEN.saturating_sub(line.len() + 1);
            let _ = writeln!(text, "{line} {}", random.text("0123456789abcdef", rest));
        }
        Self { text, counts }
    }
}

impl Scenario for Log {
    fn lay_out(&self, ground: &Ground) -> Result<()> {
        ground.write(FILE, &self.text)
    }

    fn tasks(&self) -> Vec<String> {
        vec![format!(
            "The log {FILE} has {LINES} lines and about 550 KB, too much to read as a whole. Its \
             errors are lines such as `02:11:09 ERROR TimeoutError worker-03 ...`; other lines may \
             name a type too and do not count. Count the ERROR lines of each of the types {}. \
             Write {RESULT}: a JSON object from type to number.",
            TYPES.join(", ")
        )]
    }

    fn judge(&self, seen: &Seen<'_>) -> Judgement {
        let found = seen.json(RESULT).unwrap_or(Value::Null);
        let right = self.counts.iter().all(|(name, count)| found.get(name) == Some(&json!(count)));
        let only = found.as_object().is_some_and(|found| found.len() == TYPES.len());
        let poured = calls(seen.conversations).any(|call| call.reply.len() >= WHOLE);
        let untouched = seen.ground.read(FILE).as_deref() == Some(&self.text);
        let paged = ["rr_search_then_page", "rr_read_next", "rr_read_lines", "rr_read_bytes"];
        Judgement {
            outcome: vec![
                Check::essential("every type has its number", right),
                Check::new("nothing else is in the object", only),
                Check::new("the log is untouched", untouched),
            ],
            tools: vec![
                Check::essential("the log is not poured out in one answer", !poured),
                seen.used_here("the log is searched or paged", &paged, "read_file"),
                seen.used_here("the result is written", &["rw_safe_write"], "write_file"),
            ],
            recovered: None,
            par: 6,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_as_long_as_said_and_its_truth_can_be_counted() {
        let log = Log::new(Random::new(3, "s0"));
        assert_eq!((log.text.lines().count(), log.text.len()), (10_000, 550_000));
        for (name, count) in &log.counts {
            let by_hand = log.text.lines().filter(|line| line.contains(&format!(" ERROR {name} ")));
            let named = log.text.lines().filter(|line| line.contains(name)).count();
            assert_eq!(by_hand.count() as u64, *count);
            assert!(*count > 10 && named as u64 > *count, "{name}");
        }
    }
}
