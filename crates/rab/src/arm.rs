//! The arms: the same scenarios with other tools, so that what the layers do is measured.

use std::fmt;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// Which tools the model gets.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ValueEnum, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Arm {
    /// Resilient Write and Resilient Read
    Ours,
    /// `write_file`, `read_file`: in place, errors as text, a filter that says nothing
    Naive,
    /// `write_file`, `read_file`: staged and renamed, errors as before
    Defensive,
}

impl Arm {
    /// All of them, in the order of reports.
    pub(crate) const ALL: [Self; 3] = [Self::Ours, Self::Naive, Self::Defensive];

    /// The name on the command line and in reports.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Naive => "naive",
            Self::Defensive => "defensive",
        }
    }
}

impl fmt::Display for Arm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Whether a tool of any arm changes files.
pub(crate) fn writes(tool: &str) -> bool {
    matches!(
        tool,
        "write_file"
            | "rw_safe_write"
            | "rw_safe_replace"
            | "rw_chunk_write"
            | "rw_chunk_append"
            | "rw_chunk_compose"
            | "rw_handoff_write"
    )
}

/// The tools that a model with a small context is shown of the reference servers.
pub(crate) const CORE: [&str; 16] = [
    "rr_stat",
    "rr_read_lines",
    "rr_search_then_page",
    "rr_make_cursor",
    "rr_read_next",
    "rw_safe_write",
    "rw_safe_replace",
    "rw_risk_score",
    "rw_chunk_write",
    "rw_chunk_append",
    "rw_chunk_status",
    "rw_chunk_compose",
    "rw_scratch_put",
    "rw_scratch_ref",
    "rw_handoff_write",
    "rw_handoff_read",
];
