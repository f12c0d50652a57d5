//! `risk`: would a content filter reject this text?

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use resilient_core::{Workspace, risk};
use serde::Serialize;

use super::input;
use crate::output::{Output, told_hit};

/// Looks for secrets, personal data and oversize; writes nothing.
#[derive(Debug, Args)]
pub(crate) struct Risk {
    /// The file; - is standard input
    file: String,
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
    /// Scores the text.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(self, workspace: &Workspace, output: &Output) -> Result<ExitCode> {
        let result = input::text(&self.file)
            .and_then(|content| workspace.risk_score(&content))
            .map(|report| {
                let target_path = (self.file != "-").then_some(self.file);
                Scored { report, language_hint: None, target_path }
            });
        output.answer("rw.risk_score", result, |scored| told(&scored.report))
    }
}

fn told(report: &risk::Report) -> String {
    let mut text = format!(
        "{} ({}), {} bytes, {} lines\n",
        report.verdict, report.score, report.bytes, report.line_count
    );
    for hit in &report.detected_patterns {
        let hit = serde_json::to_value(hit).unwrap_or_default();
        text += &format!("  {}\n", told_hit(&hit));
    }
    text
}
