//! `validate`: is this text well formed?

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};
use resilient_core::Workspace;
use resilient_core::validate::{self, Report, Severity};
use resilient_core::workspace::{Purpose, Source};

use super::input::{self, Elsewhere};
use crate::output::Output;

/// Checks the syntax of LaTeX, JSON, JSON Lines, Python, YAML or TOML; exit status 1 when it is not
/// valid.
#[derive(Debug, Args)]
pub(crate) struct Validate {
    /// The file; - is standard input
    #[arg(required_unless_present_any = ["content", "session", "draft"])]
    #[arg(conflicts_with_all = ["content", "session", "draft"])]
    file: Option<String>,
    /// The text itself
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["session", "draft"])]
    content: Option<String>,
    #[command(flatten)]
    elsewhere: Elsewhere,
    /// What it is; guessed from its name and its text otherwise
    #[arg(long = "format-hint", alias = "format", value_enum)]
    format: Option<Format>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    Latex,
    Json,
    Jsonl,
    Python,
    Yaml,
    Toml,
}

impl Validate {
    /// Checks the text.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(self, workspace: &Workspace, output: &Output) -> Result<ExitCode> {
        let format = self.format.map(|format| match format {
            Format::Latex => validate::Format::Latex,
            Format::Json => validate::Format::Json,
            Format::Jsonl => validate::Format::Jsonl,
            Format::Python => validate::Format::Python,
            Format::Yaml => validate::Format::Yaml,
            Format::Toml => validate::Format::Toml,
        });
        let file = self.file.as_deref().unwrap_or("-");
        let name = self.elsewhere.name().unwrap_or(file);
        let source = match self.elsewhere.source() {
            Some(source) => Ok(source),
            None => {
                let content = self.content.map_or_else(|| input::decoded(file, Purpose::Exact), Ok);
                content.map(Source::Content)
            }
        };
        let path = (file != "-").then_some(file);
        let result = source.and_then(|source| workspace.validate(source, format, path));
        let invalid = result.as_ref().is_ok_and(Report::is_refused);
        let code = output.answer("rw.validate", result, |report| told(report, name))?;
        Ok(if invalid { ExitCode::FAILURE } else { code })
    }
}

fn told(report: &Report, file: &str) -> String {
    let mut text = String::new();
    for item in report.errors.iter().chain(&report.warnings) {
        let severity = match item.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let col = item.col.map(|col| format!(":{col}")).unwrap_or_default();
        text += &format!("{file}:{}{col}: {severity}: {}\n", item.line, item.message);
    }
    if report.omitted > 0 {
        text += &format!("and {} more\n", report.omitted);
    }
    text + &format!("{}\n", report.summary)
}
