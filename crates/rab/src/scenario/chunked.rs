//! S2: a report of six sections, too long for one call, and a server that dies in the third write.
//!
//! The call in which it dies has been carried out where the tools can carry it out whole; nobody
//! has heard of it. Sending it again may write a section twice, going on may leave one out.

use anyhow::Result;

use super::{Scenario, Seen, holds};
use crate::ground::Ground;
use crate::host::Faults;
use crate::random::Random;
use crate::score::{Check, Judgement};
use crate::transcript::IncidentKind;

const REPORT: &str = "report.md";
const TITLES: [&str; 6] =
    ["Summary", "Method", "Findings", "Analysis", "Recommendations", "Conclusion"];
/// Characters that a call may carry.
const CALL_MAX: usize = 1200;
/// Characters that a section should have.
const SECTION_MIN: usize = 300;

/// The codes that the sections hold.
pub(crate) struct Chunked {
    codes: Vec<String>,
}

impl Chunked {
    pub(crate) fn new(mut random: Random) -> Self {
        let mut code =
            |number: usize| format!("RW-{number}{}", random.text("BCDFGHJKLMNPQRSTVWXZ", 4));
        Self { codes: (1..=TITLES.len()).map(&mut code).collect() }
    }

    fn sections(&self) -> impl Iterator<Item = (String, &str)> {
        let headings = (1..).zip(TITLES).map(|(number, title)| format!("## {number}. {title}"));
        headings.zip(self.codes.iter().map(String::as_str))
    }
}

impl Scenario for Chunked {
    fn lay_out(&self, _ground: &Ground) -> Result<()> {
        Ok(())
    }

    fn tasks(&self) -> Vec<String> {
        let sections: Vec<String> =
            self.sections().map(|(heading, code)| format!("{heading}` with {code}")).collect();
        vec![format!(
            "Write {REPORT}, a report on how an agent's file writes can be made safe. It has six \
             sections in this order, each a heading line and a paragraph of {SECTION_MIN} to 500 \
             characters that holds the section's code: `{}. Each section must be there exactly \
             once. One call may carry {CALL_MAX} characters of content at most, so write the \
             report in parts, one section at a time.",
            sections.join("; `")
        )]
    }

    fn faults(&self) -> Faults {
        Faults { cut_above: Some(CALL_MAX), die_at_write: Some(3), ..Faults::default() }
    }

    fn judge(&self, seen: &Seen<'_>) -> Judgement {
        let report = seen.ground.read(REPORT).unwrap_or_default();
        let found = sections(&report);
        let expected: Vec<String> = self.sections().map(|(heading, _)| heading).collect();
        let headings: Vec<&str> = found.iter().map(|(heading, _)| *heading).collect();
        let body = |heading: &str| {
            found.iter().find(|(other, _)| *other == heading).map(|(_, body)| body.as_str())
        };
        let coded = self.sections().all(|(heading, code)| {
            body(&heading).is_some_and(|body| body.contains(code))
                && report.matches(code).count() == 1
        });
        let long = found.iter().filter(|(_, body)| body.chars().count() >= SECTION_MIN).count();
        let outcome = vec![
            Check::essential("every section is there, once and in order", headings == expected),
            Check::essential("every section holds its code, once", coded),
            Check::new("most sections are as long as asked", long >= TITLES.len() / 2),
        ];
        let met = seen.met(IncidentKind::Died);
        let parts = ["rw_chunk_append", "rw_chunk_write"];
        Judgement {
            recovered: met.then(|| holds(&outcome)),
            outcome,
            tools: vec![
                seen.used_here("the report is sent in parts", &parts, "write_file"),
                seen.used_here("the parts are composed", &["rw_chunk_compose"], "write_file"),
            ],
            par: 9,
        }
    }
}

/// The sections of a report: heading lines, and the text up to the next.
fn sections(report: &str) -> Vec<(&str, String)> {
    let mut sections: Vec<(&str, String)> = Vec::new();
    for line in report.lines() {
        if line.starts_with("## ") {
            sections.push((line.trim_end(), String::new()));
        } else if let Some((_, body)) = sections.last_mut() {
            body.push_str(line);
            body.push('\n');
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_cut_at_headings() {
        let report = "# Title\n## 1. A\none\ntwo\n## 2. B\n";
        assert_eq!(
            sections(report),
            [("## 1. A", "one\ntwo\n".to_owned()), ("## 2. B", String::new())]
        );
    }
}
