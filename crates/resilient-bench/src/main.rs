//! The benchmarks: what the server and the library cost, against the floors and their peers.
//!
//! A *scenario* lets subjects do the same work in turn and compares them ([`measure`]): our
//! server as a separate process, over its wire ([`client`]); the library in this process; bare
//! loops of the same system calls ([`floor`]); the writers that agents have without a server
//! ([`writers`]); and the Python server, where an interpreter is named that has it. Only ratios of
//! one run mean anything, and only on one file system.

#![expect(clippy::disallowed_methods, reason = "the floors are the operating system's own calls")]

mod bare;
mod client;
mod floor;
mod library;
mod measure;
mod report;
mod risk;
mod rows;
mod running;
mod scenario;
mod sdk;
mod setting;
mod text;
mod web;
mod writers;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, Parser, Subcommand};

use client::{BEFORE, OURS, Program};
use measure::Random;
use report::Table;
use scenario::ALL;
use setting::Setting;

/// How many times the time of an earlier version a call may take.
const SLOWER: f64 = 1.05;

/// Measures Resilient Write against the least that its work can cost.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run scenarios and report what they found
    Run(Run),
    /// List the scenarios
    List,
    /// Be a server that does nothing but a floor; scenarios start it
    #[command(hide = true)]
    Bare(bare::Bare),
    /// The same behind the protocol's library
    #[command(hide = true)]
    Sdk(sdk::Sdk),
    /// Train the model of the risk score
    RiskTrain(risk::Train),
    /// Train a model on texts that are drawn, and measure it on others
    RiskDrawn(risk::Drawn),
    /// Measure the risk score on labelled rows and on code
    RiskEval(risk::Eval),
    /// Measure what the risk score costs
    RiskSpeed(risk::Speed),
}

#[derive(Debug, Args)]
struct Run {
    /// Take a tenth of the rounds
    #[arg(long)]
    quick: bool,
    /// Run these scenarios only
    #[arg(long, value_name = "NAME", num_args = 1..)]
    only: Vec<String>,
    /// The server; without it, the one that was built together with this program
    #[arg(long, value_name = "PATH")]
    server: Option<PathBuf>,
    /// An earlier version of the server, to compare with
    #[arg(long, value_name = "PATH")]
    before: Option<PathBuf>,
    /// A Python interpreter that has resilient-write 0.3.0, to compare with
    #[arg(long, value_name = "PATH")]
    python: Option<PathBuf>,
    /// A Python interpreter that has resilient-read 0.1.1, to compare with
    #[arg(long, value_name = "PATH")]
    python_reader: Option<PathBuf>,
    /// The scanner kingfisher, to compare the risk score with
    #[arg(long, value_name = "PATH")]
    kingfisher: Option<PathBuf>,
    /// Directories of real code for the risk score
    #[arg(long, value_name = "DIR", num_args = 1..)]
    code: Vec<PathBuf>,
    /// Where to write, on the file system that is to be measured; without it, the system's
    /// directory for temporary files
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Draws the order of turns and the texts
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Also write the findings as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Also write the findings as Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
}

fn main() -> Result<()> {
    match Cli::parse().command {
        Command::Run(run) => run.run(),
        Command::Bare(bare) => bare.run(),
        Command::Sdk(sdk) => sdk.run(),
        Command::RiskTrain(train) => train.run(),
        Command::RiskDrawn(drawn) => drawn.run(),
        Command::RiskEval(eval) => eval.run(),
        Command::RiskSpeed(speed) => speed.run(),
        Command::List => {
            let names: Vec<&str> = ALL.iter().map(|scenario| scenario.name).collect();
            say(&format!("{}\n", names.join("\n")))
        }
    }
}

impl Run {
    fn run(self) -> Result<()> {
        for name in &self.only {
            if !ALL.iter().any(|scenario| scenario.name == name) {
                bail!("there is no scenario {name}");
            }
        }
        let server = match &self.server {
            Some(path) => path.canonicalize().with_context(|| format!("{}", path.display()))?,
            None => server_beside_us()?,
        };
        ensure!(server.exists(), "no server at {}: build it, or name it", server.display());
        let before = self.before.as_deref().map(|path| {
            path.canonicalize().with_context(|| format!("no earlier server at {}", path.display()))
        });
        let mut setting = Setting {
            dir: self.dir.clone().unwrap_or_else(std::env::temp_dir).canonicalize()?,
            ours: Program::ours(&server),
            before: before.transpose()?.as_deref().map(Program::before),
            python: self.python.as_deref().map(Program::python),
            python_reader: self.python_reader.as_deref().map(Program::python_reader),
            kingfisher: self.kingfisher.clone(),
            code: self.code.clone(),
            random: Random::new(self.seed),
            quick: self.quick,
        };
        let mut tables: Vec<Table> = Vec::new();
        for scenario in &ALL {
            let is_named = self.only.iter().any(|name| name == scenario.name);
            if !is_named && (!self.only.is_empty() || scenario.only_when_named()) {
                continue;
            }
            let found = (scenario.run)(&mut setting)
                .with_context(|| format!("scenario {}", scenario.name))?;
            for mut table in found {
                table.goal_ratio(OURS, BEFORE, SLOWER);
                say(&format!("{}\n", table.to_text()))?;
                tables.push(table);
            }
            // After each scenario, so that an interrupted run leaves what it found.
            self.save(&tables)?;
        }
        Ok(())
    }

    fn save(&self, tables: &[Table]) -> Result<()> {
        if let Some(path) = &self.json {
            std::fs::write(path, serde_json::to_vec_pretty(tables)?)?;
        }
        if let Some(path) = &self.markdown {
            let pages: Vec<String> = tables.iter().map(Table::to_markdown).collect();
            std::fs::write(path, pages.join("\n"))?;
        }
        Ok(())
    }
}

/// The server in the directory that this program is in.
fn server_beside_us() -> Result<PathBuf> {
    let us = std::env::current_exe()?;
    let dir = us.parent().unwrap_or(Path::new("."));
    Ok(dir.join(format!("resilient-write{}", std::env::consts::EXE_SUFFIX)))
}

fn say(text: &str) -> Result<()> {
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}
