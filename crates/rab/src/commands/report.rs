//! `rab report`: the tables and the page of a run.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use crate::output::progress;
use crate::report;
use crate::runs::Runs;

/// Write the report of a run anew.
#[derive(Debug, Args)]
pub(crate) struct Report {
    /// The directory of the run
    dir: PathBuf,
    /// The title
    #[arg(long, default_value = "Resilient Agent Benchmark")]
    title: String,
    /// What else it should say
    #[arg(long, default_value = "")]
    note: String,
}

impl Report {
    /// Writes it.
    ///
    /// # Errors
    /// A record cannot be read, or the disk refuses.
    pub(crate) fn run(self) -> Result<ExitCode> {
        write(&Runs::open(&self.dir)?, &self.title, &self.note)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Writes `report.md`, `report.json` and `report.html`.
///
/// # Errors
/// A record cannot be read, or the disk refuses.
pub(crate) fn write(runs: &Runs, title: &str, note: &str) -> Result<()> {
    let (records, plans) = runs.load()?;
    let report = report::Report::new(&records, plans);
    runs.write("report.json", &report.json()?)?;
    runs.write("report.md", &report::markdown(&report, title, note)?)?;
    runs.write("report.html", &report::html(&report, title, note)?)?;
    progress(&format!("{} trials: report.md, report.json, report.html", records.len()));
    Ok(())
}
