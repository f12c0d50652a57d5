//! `risk`: would a content filter reject this text? What in this tree should not be there?

mod named;
mod sarif;
mod scan;
mod told;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};
use resilient_core::risk::{self, Policy, Verdict};
use resilient_core::{Error, Workspace};
use serde::Serialize;

use self::named::named;
use self::scan::{Outcome, Scan};
use super::input::{self, Elsewhere};
use crate::output::{Output, status_of};

const TOOL: &str = "rw.risk_score";

const AFTER_HELP: &str = "\
A secret is high, personal data medium, a placeholder or a size low; the weights of a policy move
families. Of directories, files that .gitignore names, binary files and .git are left out. A file that
is skipped since it is binary, UTF-32 or too long is low: nobody has looked at it. With --json, one
file gives what the tool rw_risk_score answers; --format json gives the same shape for any number.

Exit status:
  0  nothing at or above --fail-on
  1  something
  6  a file or the policy cannot be read, or standard input is no text
  8  a file is not there";

/// Looks for secrets, personal data and oversize; writes nothing.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Risk {
    /// Files and directories; - is standard input
    #[arg(
        required_unless_present_any = ["content", "session", "draft"],
        conflicts_with_all = ["content", "session", "draft"],
        value_name = "FILE"
    )]
    paths: Vec<String>,
    /// The text itself
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["session", "draft"])]
    content: Option<String>,
    #[command(flatten)]
    elsewhere: Elsewhere,
    /// How the findings of files are written
    #[arg(long, value_enum, conflicts_with_all = ["content", "session", "draft"])]
    format: Option<Format>,
    /// The least finding that makes the exit status 1
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = FailOn::High)]
    fail_on: FailOn,
    /// Say why each finding counts: rule, check, entropy, model, weight
    #[arg(long)]
    explain: bool,
    /// Include what .gitignore names
    #[arg(long)]
    no_ignore: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs
    Json,
    /// For code scanning: SARIF 2.1.0
    Sarif,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum FailOn {
    Low,
    Medium,
    High,
    /// The exit status tells of errors only
    Never,
}

impl FailOn {
    fn is_reached_by(self, level: Verdict) -> bool {
        match self {
            Self::Low => level >= Verdict::Low,
            Self::Medium => level >= Verdict::Medium,
            Self::High => level >= Verdict::High,
            Self::Never => false,
        }
    }
}

/// The report and, as in the tool's answer, what it was told about the text.
#[derive(Serialize)]
struct Scored {
    #[serde(flatten)]
    report: risk::Report,
    language_hint: Option<String>,
    target_path: Option<String>,
}

impl Risk {
    /// Scores the texts.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(self, workspace: &Workspace, output: &Output) -> Result<ExitCode> {
        let policy = match workspace.policy() {
            Ok(policy) => policy,
            Err(error) => return failed(output, error),
        };
        if let Some(content) = &self.content {
            return self.run_one(None, None, Ok(content.clone()), &policy.risk, output);
        }
        if let Some(source) = self.elsewhere.source() {
            return self.run_one(None, None, workspace.text(source), &policy.risk, output);
        }
        match self.paths.as_slice() {
            [file] if self.format.is_none() && !is_dir(file) => {
                let content = match input::bytes(file).map(scan::text_of) {
                    // It is skipped alone as it is beside others. Standard input is read once.
                    Ok(Err(_)) if file != "-" => {
                        return self.run_all(workspace, &policy.risk, output);
                    }
                    Ok(Err(why)) => Err(Error::NotText {
                        path: file.clone(),
                        message: format!("it is {}", why.reason()),
                    }),
                    Ok(Ok(content)) => Ok(content),
                    Err(error) => Err(error),
                };
                let name = named(workspace, &policy.risk, file);
                self.run_one(Some(file), name.as_deref(), content, &policy.risk, output)
            }
            _ => self.run_all(workspace, &policy.risk, output),
        }
    }

    /// One text: with `--json`, what the tool answers. The policy may let a file of this name pass.
    fn run_one(
        &self,
        file: Option<&str>,
        name: Option<&str>,
        content: resilient_core::Result<String>,
        policy: &Policy,
        output: &Output,
    ) -> Result<ExitCode> {
        let content = match content {
            Ok(content) => content,
            Err(error) => return failed(output, error),
        };
        let report = match name {
            Some(name) => risk::score_file(name, &content, policy),
            None => risk::score(&content, policy),
        };
        let worst = report.detected_patterns.iter().map(|found| risk::level(found, policy)).max();
        let why = match self.explain {
            true => risk::explain(&content, &report, policy),
            false => Vec::new(),
        };
        let target_path = file.filter(|file| *file != "-").map(str::to_owned);
        let scored = Scored { report, language_hint: None, target_path };
        output.answer(TOOL, Ok(scored), |scored| told::one(&scored.report, worst, &why))?;
        Ok(self.status(worst))
    }

    /// Any number of files.
    fn run_all(&self, workspace: &Workspace, policy: &Policy, output: &Output) -> Result<ExitCode> {
        let scan = Scan::of(&self.paths, workspace, policy, !self.no_ignore, self.explain);
        match self.format.unwrap_or(Format::Text) {
            Format::Text if !output.is_json() => output.raw(told::all(&scan).as_bytes())?,
            Format::Text | Format::Json => output.line(&told::json(&scan))?,
            Format::Sarif => output.line(&sarif::log(&scan))?,
        }
        let failed = scan.files.iter().find_map(|file| match &file.outcome {
            Outcome::Failed(error) => Some(error),
            Outcome::Found { .. } | Outcome::Skipped(_) => None,
        });
        match failed {
            Some(error) => status_of(error, TOOL),
            None => Ok(self.status(scan.worst())),
        }
    }

    fn status(&self, worst: Option<Verdict>) -> ExitCode {
        match worst {
            Some(level) if self.fail_on.is_reached_by(level) => ExitCode::FAILURE,
            _ => ExitCode::SUCCESS,
        }
    }
}

/// Nothing could be said about a text, which is neither clean nor not.
fn failed(output: &Output, error: Error) -> Result<ExitCode> {
    output.answer(TOOL, Err::<(), _>(error), |()| String::new())
}

fn is_dir(path: &str) -> bool {
    path != "-" && Path::new(path).is_dir()
}
