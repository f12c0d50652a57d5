//! `rab`, the Resilient Agent Benchmark: agents at work with tool servers, while things go wrong.
//!
//! Six scenarios, three arms. A trial starts real servers as processes, gives an agent a task and
//! their tools, carries its calls out, lets one thing go wrong, and judges what is left on disk.
//!
//! From the outside inward: `cli` and `commands` are what can be asked for; `trial` is the loop;
//! `agent` is who is tried, `host` the servers and their faults, `scenario` the tasks and judges;
//! `transcript` is what happened, `score` what it is worth, and `record` both; `runs` keeps the
//! records, and `report` sums them up.

mod agent;
mod arm;
mod cli;
mod commands;
mod ground;
mod host;
mod interval;
mod output;
mod plain;
mod random;
mod record;
mod report;
mod runs;
mod scenario;
mod score;
mod transcript;
mod trial;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    match cli::Cli::parse().run() {
        Ok(code) => code,
        Err(error) => {
            output::problem(&error);
            ExitCode::FAILURE
        }
    }
}
