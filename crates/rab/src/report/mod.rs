//! From records to tables: one set of figures, written as JSON, as Markdown and as one page.

mod page;
mod plot;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde::Serialize;

use crate::arm::Arm;
use crate::interval::wilson;
use crate::record::Record;
use crate::runs::Plan;
use crate::scenario::Id;
use crate::score::Check;

pub(crate) use page::{html, markdown};

/// All figures of a report.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// What was run.
    pub(crate) plans: Vec<Plan>,
    /// What the scenarios are.
    pub(crate) scenarios: Vec<About>,
    /// One row for each agent and arm.
    pub(crate) agents: Vec<Row>,
    /// One row for each agent, scenario and arm.
    pub(crate) cells: Vec<Row>,
    /// Every trial.
    pub(crate) trials: Vec<Line>,
}

/// A scenario.
#[derive(Debug, Serialize)]
pub(crate) struct About {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    pub(crate) injects: &'static str,
}

/// What some trials come to.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) agent: String,
    pub(crate) arm: &'static str,
    /// Empty where all scenarios are in it.
    pub(crate) scenario: String,
    pub(crate) trials: u64,
    pub(crate) passed: u64,
    /// The share of trials that passed, and its 95 % interval.
    pub(crate) pass_at_1: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Means of the parts, from 0 to 1, and of the total, from 0 to 100.
    pub(crate) completion: f64,
    pub(crate) tools: f64,
    pub(crate) recovery: f64,
    pub(crate) efficiency: f64,
    pub(crate) score: f64,
    /// Means over trials.
    pub(crate) turns: f64,
    pub(crate) calls: f64,
    pub(crate) write_attempts: f64,
    pub(crate) wasted: f64,
    pub(crate) identical_retries: f64,
    /// Sums over trials: what went wrong, how often content was lost by it, and in how many of the
    /// trials that met something the task was done all the same.
    pub(crate) incidents: u64,
    pub(crate) lost: u64,
    pub(crate) met: u64,
    pub(crate) recovered: u64,
    pub(crate) prompt_tokens: f64,
    pub(crate) completion_tokens: f64,
    /// Over all trials, where it is known.
    pub(crate) cost: Option<f64>,
    pub(crate) seconds: f64,
    /// What ended the conversations.
    pub(crate) ends: BTreeMap<&'static str, u64>,
}

/// One trial.
#[derive(Debug, Serialize)]
pub(crate) struct Line {
    pub(crate) agent: String,
    pub(crate) scenario: String,
    pub(crate) arm: &'static str,
    pub(crate) trial: u64,
    pub(crate) seed: u64,
    pub(crate) score: f64,
    pub(crate) passed: bool,
    pub(crate) turns: u64,
    pub(crate) seconds: f64,
    pub(crate) end: String,
    pub(crate) calls: String,
    pub(crate) failed_checks: Vec<String>,
}

impl Report {
    /// Sums up records.
    pub(crate) fn new(records: &[Record], plans: Vec<Plan>) -> Self {
        let agents: BTreeSet<&str> = records.iter().map(|record| &*record.agent).collect();
        let mut report = Self {
            plans,
            scenarios: Id::ALL
                .map(|id| About { id: id.as_str(), title: id.title(), injects: id.injects() })
                .into(),
            agents: Vec::new(),
            cells: Vec::new(),
            trials: Vec::new(),
        };
        for agent in agents {
            for arm in Arm::ALL {
                let of_arm: Vec<&Record> = records
                    .iter()
                    .filter(|record| record.agent == agent && record.arm == arm)
                    .collect();
                report.agents.extend(Row::new(&of_arm, ""));
            }
            for id in Id::ALL {
                for arm in Arm::ALL {
                    let of_cell: Vec<&Record> = records
                        .iter()
                        .filter(|record| {
                            record.agent == agent
                                && record.arm == arm
                                && record.scenario == id.as_str()
                        })
                        .collect();
                    report.cells.extend(Row::new(&of_cell, id.as_str()));
                    report.trials.extend(of_cell.into_iter().map(Line::new));
                }
            }
        }
        report
    }

    /// The report for programs.
    ///
    /// # Errors
    /// None that a report gives a reason for.
    pub(crate) fn json(&self) -> Result<String> {
        Ok(format!("{}\n", serde_json::to_string_pretty(self)?))
    }
}

impl Row {
    /// Nothing where there are no trials.
    fn new(records: &[&Record], scenario: &str) -> Option<Self> {
        let first = records.first()?;
        let n = records.len() as f64;
        let mean = |of: &dyn Fn(&Record) -> f64| {
            tenths(records.iter().map(|record| of(record)).sum::<f64>() / n, 1000.0)
        };
        let sum =
            |of: &dyn Fn(&Record) -> u64| records.iter().map(|record| of(record)).sum::<u64>();
        let passed = sum(&|record| u64::from(record.score.passed));
        let (low, high) = wilson(passed, records.len() as u64);
        let costs: Vec<f64> = records.iter().filter_map(|record| record.usage().cost).collect();
        let mut ends = BTreeMap::new();
        for conversation in records.iter().flat_map(|record| &record.conversations) {
            *ends.entry(conversation.end.as_str()).or_default() += 1;
        }
        let met = |record: &Record| u64::from(!record.incidents.is_empty());
        Some(Self {
            agent: first.agent.clone(),
            arm: first.arm.as_str(),
            scenario: scenario.to_owned(),
            trials: records.len() as u64,
            passed,
            pass_at_1: tenths(passed as f64 / n, 1000.0),
            low: tenths(low, 1000.0),
            high: tenths(high, 1000.0),
            completion: mean(&|record| record.score.completion),
            tools: mean(&|record| record.score.tools),
            recovery: mean(&|record| record.score.recovery),
            efficiency: mean(&|record| record.score.efficiency),
            score: mean(&|record| record.score.total),
            turns: mean(&|record| record.counts().turns as f64),
            calls: mean(&|record| record.counts().calls as f64),
            write_attempts: mean(&|record| record.counts().write_attempts as f64),
            wasted: mean(&|record| record.counts().wasted as f64),
            identical_retries: mean(&|record| record.counts().identical_retries as f64),
            incidents: sum(&|record| record.incidents.len() as u64),
            lost: sum(&|record| record.incidents.iter().filter(|i| i.lost).count() as u64),
            met: sum(&met),
            recovered: sum(&|record| met(record) * u64::from(record.score.completion > 0.0)),
            prompt_tokens: mean(&|record| record.usage().prompt_tokens as f64),
            completion_tokens: mean(&|record| record.usage().completion_tokens as f64),
            cost: (!costs.is_empty()).then(|| tenths(costs.iter().sum(), 1e6)),
            seconds: mean(&|record| record.elapsed_ms as f64 / 1000.0),
            ends,
        })
    }
}

impl Line {
    fn new(record: &Record) -> Self {
        let counts = record.counts();
        let ends: Vec<&str> =
            record.conversations.iter().map(|conversation| conversation.end.as_str()).collect();
        let calls: Vec<String> = record
            .calls()
            .map(|call| format!("{}{}", call.tool, if call.ok { "" } else { "!" }))
            .collect();
        let failed = |checks: &[Check]| {
            let failed = checks.iter().filter(|check| !check.passed);
            failed.map(|check| check.what.clone()).collect::<Vec<_>>()
        };
        Self {
            agent: record.agent.clone(),
            scenario: record.scenario.clone(),
            arm: record.arm.as_str(),
            trial: record.trial,
            seed: record.seed,
            score: tenths(record.score.total, 10.0),
            passed: record.score.passed,
            turns: counts.turns,
            seconds: tenths(record.elapsed_ms as f64 / 1000.0, 10.0),
            end: ends.join(", "),
            calls: calls.join(" "),
            failed_checks: [failed(&record.judgement.outcome), failed(&record.judgement.tools)]
                .concat(),
        }
    }
}

fn tenths(value: f64, of: f64) -> f64 {
    (value * of).round() / of
}
