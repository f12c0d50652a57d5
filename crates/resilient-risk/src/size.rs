//! The limits on the size of a text.

use super::report::{Action, Report};

/// One limit on the shape of a text; it fires strictly above its threshold.
pub(super) struct SizeRule {
    pub(super) name: &'static str,
    key: &'static str,
    measure: fn(&Report) -> usize,
    pub(super) threshold: usize,
    pub(super) score: f64,
    /// What makes a text fit under it, for a reason.
    remedy: fn(String) -> Action,
}

const SPLIT: fn(String) -> Action = |reason| Action::Split { reason };
const ESCAPE: fn(String) -> Action = |reason| Action::Escape { reason };

pub(super) const SIZE_RULES: [SizeRule; 4] = [
    SizeRule {
        name: "big_100kb",
        key: "total_bytes",
        measure: |report| report.bytes,
        threshold: 100_000,
        score: 0.15,
        remedy: SPLIT,
    },
    SizeRule {
        name: "big_500kb",
        key: "total_bytes",
        measure: |report| report.bytes,
        threshold: 500_000,
        score: 0.30,
        remedy: SPLIT,
    },
    SizeRule {
        name: "long_line",
        key: "max_line_len",
        measure: |report| report.max_line_len,
        threshold: 2_000,
        score: 0.20,
        remedy: ESCAPE,
    },
    SizeRule {
        name: "many_lines",
        key: "line_count",
        measure: |report| report.line_count,
        threshold: 5_000,
        score: 0.10,
        remedy: SPLIT,
    },
];

impl SizeRule {
    pub(super) fn exceeded_by(&self, report: &Report) -> Option<usize> {
        Some((self.measure)(report)).filter(|value| *value > self.threshold)
    }

    pub(super) fn action(&self, value: usize) -> Action {
        (self.remedy)(format!("{}_{value}_exceeds_{}", self.key, self.threshold))
    }
}
