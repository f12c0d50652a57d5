//! The score of a trial: four parts with fixed weights, and the mark from which on it passes.
//!
//! Completion is what is on disk and nothing else. Where it fails in something essential it is
//! nothing, and then recovery and efficiency are nothing too: getting nowhere fast is no merit.
//! So no transcript passes by what it says.

use serde::{Deserialize, Serialize};

use crate::transcript::{Counts, Limits};

/// Points for what is on disk.
const COMPLETION: f64 = 40.0;
/// Points for the right tools.
const TOOLS: f64 = 25.0;
/// Points for what was made of failures.
const RECOVERY: f64 = 25.0;
/// Points for how few calls it took.
const EFFICIENCY: f64 = 10.0;
/// Points from which on a trial passes.
pub(crate) const PASS: f64 = 70.0;

/// What a judge found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Judgement {
    /// About the files that are left.
    pub(crate) outcome: Vec<Check>,
    /// About the tools that were used.
    pub(crate) tools: Vec<Check>,
    /// What was made of the failure: nothing where there was none to meet, or it was avoided.
    pub(crate) recovered: Option<bool>,
    /// The number of calls that are enough.
    pub(crate) par: u64,
}

/// One thing that a judge looks at.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Check {
    /// What should be so.
    pub(crate) what: String,
    /// Whether it is.
    pub(crate) passed: bool,
    /// Whether nothing counts without it.
    pub(crate) essential: bool,
}

impl Check {
    /// Something that counts in proportion.
    pub(crate) fn new(what: impl Into<String>, passed: bool) -> Self {
        Self { what: what.into(), passed, essential: false }
    }

    /// Something without which nothing counts.
    pub(crate) fn essential(what: impl Into<String>, passed: bool) -> Self {
        Self { what: what.into(), passed, essential: true }
    }
}

/// What a trial is worth; the parts from 0 to 1, the total from 0 to 100.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Score {
    /// Task completion.
    pub(crate) completion: f64,
    /// Tool selection.
    pub(crate) tools: f64,
    /// Error recovery.
    pub(crate) recovery: f64,
    /// Efficiency.
    pub(crate) efficiency: f64,
    /// All of them, weighted.
    pub(crate) total: f64,
    /// Whether that is enough.
    pub(crate) passed: bool,
}

/// Scores a trial.
pub(crate) fn score(judgement: &Judgement, counts: &Counts, limits: &Limits) -> Score {
    let lost = judgement.outcome.iter().any(|check| check.essential && !check.passed);
    let completion = if lost { 0.0 } else { share(&judgement.outcome) };
    let done = completion > 0.0;
    let misused = judgement.tools.iter().any(|check| check.essential && !check.passed);
    let tools = if misused || counts.calls == 0 { 0.0 } else { share(&judgement.tools) };
    let recovery = match judgement.recovered {
        _ if !done => 0.0,
        Some(false) => 0.0,
        // Sending the same again costs, whatever it led to.
        Some(true) | None => (1.0 - 0.25 * counts.identical_retries as f64).max(0.0),
    };
    // Nothing is spared by pouring out what no context holds.
    let spared = done && !misused;
    let efficiency = if spared { economy(counts.calls, judgement.par, limits.turns) } else { 0.0 };
    let total =
        COMPLETION * completion + TOOLS * tools + RECOVERY * recovery + EFFICIENCY * efficiency;
    Score { completion, tools, recovery, efficiency, total, passed: total >= PASS }
}

/// The share of checks that passed.
fn share(checks: &[Check]) -> f64 {
    if checks.is_empty() {
        return 1.0;
    }
    checks.iter().filter(|check| check.passed).count() as f64 / checks.len() as f64
}

/// 1 for as many calls as are enough, 0 for as many as there may be turns.
fn economy(calls: u64, par: u64, most: u64) -> f64 {
    let spare = most.saturating_sub(par).max(1) as f64;
    (1.0 - calls.saturating_sub(par) as f64 / spare).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Limits {
        Limits { turns: 25, result_chars: 1000, seconds: None, repeats: None, core: false }
    }

    fn judgement(outcome: Vec<Check>, recovered: Option<bool>) -> Judgement {
        Judgement { outcome, tools: vec![Check::new("tool", true)], recovered, par: 5 }
    }

    #[test]
    fn the_weights_are_40_25_25_10() {
        let counts = Counts { calls: 5, ..Counts::default() };
        let all = judgement(vec![Check::essential("file", true)], Some(true));
        assert_eq!(score(&all, &counts, &limits()).total, 100.0);
        let half = judgement(vec![Check::new("a", true), Check::new("b", false)], None);
        assert_eq!(score(&half, &counts, &limits()).total, 80.0);
        let lost = judgement(vec![Check::essential("file", true)], Some(false));
        assert_eq!(score(&lost, &counts, &limits()).total, 75.0);
        // 15 of 25 calls where 5 are enough: half of the spare calls.
        let slow = Counts { calls: 15, ..Counts::default() };
        assert_eq!(score(&all, &slow, &limits()).total, 95.0);
        let stubborn = Counts { calls: 5, identical_retries: 2, ..Counts::default() };
        assert_eq!(score(&all, &stubborn, &limits()).total, 87.5);
    }

    #[test]
    fn without_what_is_essential_only_the_tools_count() {
        let counts = Counts { calls: 1, ..Counts::default() };
        let claims =
            judgement(vec![Check::essential("file", false), Check::new("other", true)], Some(true));
        let score = score(&claims, &counts, &limits());
        assert_eq!((score.total, score.passed), (25.0, false));
    }

    #[test]
    fn a_misused_tool_takes_the_pass() {
        let counts = Counts { calls: 2, ..Counts::default() };
        let mut right = judgement(vec![Check::essential("file", true)], None);
        right.tools.push(Check::essential("not poured out", false));
        let score = score(&right, &counts, &limits());
        assert_eq!((score.total, score.passed), (65.0, false));
    }

    #[test]
    fn who_calls_nothing_chose_no_tool() {
        let idle = judgement(vec![Check::essential("file", false)], None);
        assert_eq!(score(&idle, &Counts::default(), &limits()).total, 0.0);
    }
}
