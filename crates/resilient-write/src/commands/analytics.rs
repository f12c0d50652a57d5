//! `analytics`: what the journal tells about the work.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use resilient_core::Workspace;
use resilient_core::analytics::Report;

use crate::output::{Output, card, count};

/// Totals of the journal: by path, mode, session and time.
#[derive(Debug, Args)]
pub(crate) struct Analytics {
    /// Only writes of this time or later: ISO 8601 with an offset or Z
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Of the chunk sessions, only this one
    #[arg(long = "session-filter", alias = "session")]
    session: Option<String>,
}

impl Analytics {
    /// Reports.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(self, workspace: &Workspace, output: &Output) -> Result<ExitCode> {
        let result = workspace.analytics(self.since.as_deref(), self.session);
        output.answer("rw.analytics", result, told)
    }
}

fn told(report: &Report) -> String {
    let counts = |map: &serde_json::Map<String, serde_json::Value>| {
        map.iter().map(|(name, n)| format!("{name} {n}")).collect::<Vec<_>>().join(", ")
    };
    let time = |time: &Option<String>| time.clone().unwrap_or_else(|| "-".to_owned());
    let mut text = card(
        &format!("{} writes", report.total_writes),
        &[
            ("paths", report.unique_paths.to_string()),
            ("bytes", report.total_bytes_written.to_string()),
            ("modes", counts(&report.by_mode)),
            ("callers", counts(&report.by_caller)),
            ("first", time(&report.period.first_entry)),
            ("last", time(&report.period.last_entry)),
            ("per minute", format!("{:.1}", report.write_velocity.writes_per_minute)),
        ],
    );
    for hot in &report.hot_paths {
        let _ = writeln!(text, "{:>6} x {}", hot.write_count, hot.path);
    }
    if report.damaged_lines > 0 {
        let _ = writeln!(text, "{} could not be read", count(report.damaged_lines, "line"));
    }
    text
}
