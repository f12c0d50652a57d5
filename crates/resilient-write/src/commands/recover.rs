//! `recover`: finish or take back what a crash has interrupted. The next write would do so, too.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use resilient_core::Workspace;
use resilient_core::recovery::Report;

use crate::output::Output;

/// Finishes or takes back interrupted writes, and says what it did.
#[derive(Debug, Args)]
pub(crate) struct Recover {
    /// Give up interrupted writes that can be neither finished nor taken back: their files stay as
    /// they are, and what was to be written goes to .resilient_write/conflicts/
    #[arg(long)]
    abandon: bool,
}

impl Recover {
    /// Recovers.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(self, workspace: &Workspace, output: &Output) -> Result<ExitCode> {
        let report = if self.abandon { workspace.abandon_pending() } else { workspace.recover() };
        output.answer("recover", report, told)
    }
}

fn told(report: &Report) -> String {
    let text: String =
        report.notices().into_iter().map(|notice| format!("{}\n", notice.text)).collect();
    if text.is_empty() { "nothing to recover\n".to_owned() } else { text }
}
