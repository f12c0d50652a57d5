//! What a write says of findings that it let pass: where they are and how bad, never what they are.

use serde::Serialize;

use super::explain::level;
use super::policy::Policy;
use super::report::{Report, Verdict};

/// So many findings are listed for a text that was written; the others are counted.
pub const TOLD_MAX: usize = 20;

/// The findings of a text that was written, worst first. Nothing of the text itself is in them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Findings {
    /// At most [`TOLD_MAX`] of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Told>,
    /// How many there are beyond those.
    #[serde(rename = "findings_omitted", skip_serializing_if = "is_zero")]
    pub omitted: usize,
}

/// One finding, without what was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    /// The pattern's family.
    pub family: String,
    /// The pattern's name.
    pub pattern: String,
    /// The line on which it begins, from 1.
    pub line: usize,
    /// How bad it is by itself.
    pub level: Verdict,
    /// Whether it is a vendor's prefix with a dummy behind it.
    pub placeholder: bool,
}

impl Findings {
    /// The findings of a report. Sizes are none: nothing leaks by them.
    #[must_use]
    pub fn of(report: &Report, policy: &Policy) -> Self {
        let found = report.detected_patterns.iter();
        let hits = found.filter_map(|found| Some((found, found.hit()?)));
        let mut findings: Vec<Told> = hits
            .map(|(found, hit)| Told {
                family: hit.kind.to_string(),
                pattern: hit.pattern.to_string(),
                line: hit.line,
                level: level(found, policy),
                placeholder: hit.placeholder,
            })
            .collect();
        findings.sort_by_key(|finding| (std::cmp::Reverse(finding.level), finding.line));
        let omitted = report.omitted + findings.len().saturating_sub(TOLD_MAX);
        findings.truncate(TOLD_MAX);
        Self { findings, omitted }
    }

    /// Whether one of a report's findings is high by itself.
    #[must_use]
    pub fn has_secret(report: &Report, policy: &Policy) -> bool {
        report.detected_patterns.iter().any(|found| level(found, policy) == Verdict::High)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::super::score;
    use super::*;

    #[test]
    fn the_worst_findings_come_first_and_a_flood_is_counted() {
        let token = ["gh", "p_", &"aB3".repeat(12)].concat();
        let people: String = (0..TOLD_MAX + 4).map(|n| format!("person{n}@mail.net\n")).collect();
        let policy = Policy::default();
        let report = score(&format!("{people}{token}\n"), &policy);
        let told = Findings::of(&report, &policy);
        assert_eq!((told.findings.len(), told.omitted), (TOLD_MAX, 5));
        let first = told.findings.first().unwrap();
        assert_eq!((first.family.as_str(), first.level), ("github_pat", Verdict::High));
        assert_eq!(first.line, TOLD_MAX + 5);
        assert!(Findings::has_secret(&report, &policy));
        assert!(!Findings::has_secret(&score(&people, &policy), &policy));
        let json = serde_json::to_string(&told).unwrap();
        assert!(!json.contains("aB3") && !json.contains("person"), "{json}");
        assert_eq!(serde_json::to_string(&Findings::default()).unwrap(), "{}");
    }
}
