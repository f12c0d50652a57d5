//! `demo`: the incident that Resilient Write was made for, replayed against this very program.
//!
//! In the incident (arXiv 2604.10842, sections 1 and 5.2) an agent wrote a LaTeX report about the
//! telemetry of a coding assistant. A filter rejected the text for a token-shaped string in it and
//! said nothing; the agent sent the same text again, five times, and then went around the filter
//! by hand. The demo starts the real server in a fresh workspace, sends such a report, kills the
//! server at bad moments, and prints what it measured beside what the paper reports.
//!
//! `replay` is the story, `client` speaks to the server, `report` is the text, and `measured`
//! sets the figures beside those of the paper. The client is a script and no model: it shows that an
//! answer holds what a correction needs, not that a model makes use of it.

mod client;
mod measured;
mod replay;
mod report;

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Args;
use serde_json::json;
use tempfile::TempDir;

use crate::output::Output;
use replay::Replay;

/// Replays the paper's case study in a temporary workspace; exit status 1 if any step misbehaves.
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Keep the workspace and say where it is
    #[arg(long)]
    keep: bool,
}

impl Demo {
    /// Replays the incident.
    ///
    /// # Errors
    /// There is no room for a workspace, or standard output fails.
    pub(crate) fn run(self, output: &Output) -> Result<ExitCode> {
        let workspace = TempDir::with_prefix("resilient-write-demo-").context("a workspace")?;
        let mut replay = Replay::start(workspace.path(), output)?;
        let outcome = replay.run();
        let step = replay.step();
        let measured = replay.end();
        if self.keep {
            let kept = workspace.keep();
            output.progress(&format!("kept {}", kept.display()))?;
        }
        if let Err(error) = outcome {
            if output.is_json() {
                let message = format!("{error:#}");
                output.line(&json!({"ok": false, "failed_step": step, "message": message}))?;
            } else {
                output.progress(&format!("step {step} misbehaved: {error:#}"))?;
            }
            return Ok(ExitCode::FAILURE);
        }
        if output.is_json() {
            output.line(&measured.to_json())?;
        } else {
            output.raw(measured.to_text().as_bytes())?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
