//! `rab replay`: recorded trials once more, with real servers and no model.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Args;

use super::Servers;
use crate::agent::replay;
use crate::output::progress;
use crate::runs;
use crate::scenario::Id;
use crate::trial::Trial;

/// Carry recorded trials out again, without a model, and compare the scores.
#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// Records, or directories of runs
    #[arg(required = true)]
    records: Vec<PathBuf>,
    #[command(flatten)]
    servers: Servers,
}

impl Replay {
    /// Replays them; fails when a score is another than the recorded one.
    ///
    /// # Errors
    /// A record cannot be read or a server cannot be started.
    pub(crate) fn run(self) -> Result<ExitCode> {
        let programs = self.servers.programs()?;
        let mut differ = 0;
        for path in &self.records {
            for file in runs::named(path)? {
                let record = runs::load(&file)?;
                let scenario = Id::of(&record.scenario);
                let scenario = scenario.with_context(|| record.scenario.clone())?;
                let mut limits = record.limits.clone();
                // The record ends where it ended.
                limits.seconds = None;
                let trial = Trial {
                    agent: record.agent.clone(),
                    arm: record.arm,
                    scenario,
                    number: record.trial,
                    seed: record.seed,
                    limits,
                };
                let again = trial
                    .run(&programs, |root| Ok(Box::new(replay::Replay::new(&record, root))))?;
                let (then, now) = (record.score.total, again.score.total);
                let same = (then - now).abs() < 0.05;
                differ += u64::from(!same);
                let verdict = if same { "the same" } else { "another score" };
                progress(&format!("{}: {verdict}, {then:.1} and {now:.1}", file.display()));
            }
        }
        Ok(if differ == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
