//! `validate`: is this text well formed?

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};
use resilient_core::validate::{self, Report, Severity};

use super::input;
use crate::output::Output;

/// Checks the syntax of LaTeX, JSON, Python, YAML or TOML; exit status 1 when it is not valid.
#[derive(Debug, Args)]
pub(crate) struct Validate {
    /// The file; - is standard input
    file: String,
    /// What it is; guessed from its name and its text otherwise
    #[arg(long, value_enum)]
    format: Option<Format>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    Latex,
    Json,
    Python,
    Yaml,
    Toml,
}

impl Validate {
    /// Checks the text.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(self, output: &Output) -> Result<ExitCode> {
        let format = self.format.map(|format| match format {
            Format::Latex => validate::Format::Latex,
            Format::Json => validate::Format::Json,
            Format::Python => validate::Format::Python,
            Format::Yaml => validate::Format::Yaml,
            Format::Toml => validate::Format::Toml,
        });
        let path = (self.file != "-").then_some(self.file.as_str());
        let result =
            input::text(&self.file).map(|content| validate::validate(&content, format, path));
        let invalid = result.as_ref().is_ok_and(|report| !report.valid);
        let code = output.answer("rw.validate", result, |report| told(report, &self.file))?;
        Ok(if invalid { ExitCode::FAILURE } else { code })
    }
}

fn told(report: &Report, file: &str) -> String {
    let mut text = String::new();
    for item in &report.errors {
        let severity = match item.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let col = item.col.map(|col| format!(":{col}")).unwrap_or_default();
        text += &format!("{file}:{}{col}: {severity}: {}\n", item.line, item.message);
    }
    text + &format!("{}\n", report.summary)
}
