//! The command line: what can be asked for.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::commands::{local, replay, report, run};
use crate::plain;

const AFTER_HELP: &str = "\
Environment:
  RAB_BASE_URL   the endpoint, up to and without /chat/completions
  RAB_MODEL      the model
  RAB_API_KEY    the key, where one is needed; it is sent and never written down

Exit status:
  0  done, whatever the scores are
  1  not done; a run goes on where it stopped when it is started again";

/// The Resilient Agent Benchmark: a model in the loop with real servers, while things go wrong.
#[derive(Debug, Parser)]
#[command(version, about, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run trials and write the report
    Run(run::Run),
    /// Write the report of an earlier run again
    Report(report::Report),
    /// Repeat recorded trials without a model, and compare the scores
    Replay(replay::Replay),
    /// Install a small model and a CPU runtime, and run with them
    Local(local::Local),
    /// Serve the plain file tools that the arms without Resilient Write use
    #[command(hide = true)]
    Plain(plain::Plain),
}

impl Cli {
    /// Does what was asked for.
    ///
    /// # Errors
    /// It could not be done.
    pub(crate) fn run(self) -> Result<ExitCode> {
        match self.command {
            Command::Run(command) => command.run(),
            Command::Report(command) => command.run(),
            Command::Replay(command) => command.run(),
            Command::Local(command) => command.run(),
            Command::Plain(command) => command.run().map(|()| ExitCode::SUCCESS),
        }
    }
}
