//! `recover`: finish or withdraw what a crash has interrupted. The next write would do so, too.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use resilient_core::Workspace;
use resilient_core::recovery::Report;

use crate::output::Output;

/// Brings files and journal together after a crash, and says what that took.
#[derive(Debug, Args)]
pub(crate) struct Recover {}

impl Recover {
    /// Recovers.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(self, workspace: &Workspace, output: &Output) -> Result<ExitCode> {
        output.answer("recover", workspace.recover(), told)
    }
}

fn told(report: &Report) -> String {
    let mut text: String =
        report.finished.iter().map(|path| format!("finished   {path}\n")).collect();
    text.extend(report.withdrawn.iter().map(|path| format!("withdrawn  {path}\n")));
    text.extend(report.conflicts.iter().map(|conflict| {
        let (path, kept) = (&conflict.path, conflict.kept_sha256);
        format!("conflict   {path}: content kept in .resilient_write/conflicts/{kept}.bin\n")
    }));
    if report.cut > 0 {
        text += &format!("cut        {} bytes of a torn row\n", report.cut);
    }
    if text.is_empty() {
        text.push_str("nothing to recover\n");
    }
    text
}
