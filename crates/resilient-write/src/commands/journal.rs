//! `journal`: the newest rows, and whether the chain of all rows holds.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use resilient_core::Workspace;
use resilient_core::digest::DigestPrefix;
use resilient_core::journal::{Filter, Mode, Tail, Verification};
use resilient_core::roots::STATE_DIR;

use crate::output::{Output, count, one_line};

/// What to look at.
#[derive(Debug, Subcommand)]
pub(crate) enum Journal {
    /// List the last writes, the newest at the end
    Tail(Last),
    /// Check the chain of rows: exit status 1 when one was changed, moved or taken out. Rows that were cut off the
    /// end are noticed only until the next write
    Verify,
}

/// Which rows.
#[derive(Debug, Args)]
pub(crate) struct Last {
    /// How many
    #[arg(short, long = "n", alias = "number", value_name = "N", default_value_t = 20,
        value_parser = clap::value_parser!(u32).range(1..))]
    number: u32,
    /// Only those of this file, however its path is written
    #[arg(long = "filter-path", alias = "path")]
    path: Option<String>,
    /// Only those of this mode
    #[arg(long = "filter-mode", alias = "mode", value_enum)]
    mode: Option<Written>,
    /// Only the one of this `journal_id`
    #[arg(long = "filter-id", alias = "id", value_name = "JOURNAL_ID")]
    id: Option<String>,
    /// Only those that left a file with this digest
    #[arg(long = "filter-sha256", alias = "sha256", value_name = "DIGEST")]
    sha256: Option<DigestPrefix>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Written {
    Create,
    Overwrite,
    Append,
    Replace,
    Remove,
    Rename,
}

impl Journal {
    /// Looks.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(self, workspace: &Workspace, output: &Output) -> Result<ExitCode> {
        match self {
            Self::Tail(Last { number, path, mode, id, sha256 }) => {
                let mode = mode.map(|mode| match mode {
                    Written::Create => Mode::Create,
                    Written::Overwrite => Mode::Overwrite,
                    Written::Append => Mode::Append,
                    Written::Replace => Mode::Replace,
                    Written::Remove => Mode::Remove,
                    Written::Rename => Mode::Rename,
                });
                let number = usize::try_from(number).unwrap_or(usize::MAX);
                let filter = Filter { path, mode, journal_id: id, sha256, ..Filter::default() };
                let result = workspace.journal_tail(number, &filter);
                let told = |tail: &Tail| match tail.entries.is_empty() {
                    true => told_tail(tail) + &elsewhere(workspace),
                    false => told_tail(tail),
                };
                output.answer("rw.journal_tail", result, told)
            }
            Self::Verify => {
                let result = workspace.verify_journal();
                let broken = result
                    .as_ref()
                    .is_ok_and(|found| !found.breaks.is_empty() || found.missing_bytes > 0);
                let code = output.answer("journal_verify", result, told_verification)?;
                Ok(if broken { ExitCode::FAILURE } else { code })
            }
        }
    }
}

/// Where the rows may be that somebody misses: each directory has a journal of its own.
fn elsewhere(workspace: &Workspace) -> String {
    let here = workspace.state_root();
    let is_kept = |dir: &Path| dir.join(STATE_DIR).join("journal.jsonl").is_file();
    match here.ancestors().skip(1).find(|dir| is_kept(dir)) {
        Some(dir) if !is_kept(here) => {
            let dir = one_line(&dir.to_string_lossy());
            format!("{dir} has a journal: run the command there\n")
        }
        _ => String::new(),
    }
}

fn told_tail(tail: &Tail) -> String {
    let mut text = String::new();
    for entry in &tail.entries {
        let mode = one_line(entry.mode.as_str());
        let hash: String = one_line(&entry.sha256.to_string()).chars().take(12).collect();
        let _ = writeln!(
            text,
            "{}  {mode:9}  {:>9}  {hash}  {}",
            one_line(&entry.ts),
            entry.bytes,
            one_line(&entry.path)
        );
    }
    if tail.entries.is_empty() {
        text.push_str("no rows\n");
    }
    if !tail.nearest_names.is_empty() {
        let _ = writeln!(
            text,
            "no such file; the nearest: {}",
            one_line(&tail.nearest_names.join(", "))
        );
    }
    if tail.damaged_lines > 0 {
        let _ = writeln!(text, "{} could not be read", count(tail.damaged_lines, "line"));
    }
    text
}

fn told_verification(found: &Verification) -> String {
    let mut text = String::new();
    for broken in &found.breaks {
        let of = broken.journal_id.as_deref().unwrap_or("-");
        let journal = broken.journal.as_ref().map(|name| format!("{name}, ")).unwrap_or_default();
        let _ = writeln!(text, "{journal}line {}: {} ({of})", broken.line, broken.reason);
    }
    if found.missing_bytes > 0 {
        let _ = writeln!(
            text,
            "rows are missing: the journal is {} bytes shorter than its last writer left it, so somebody has taken \
             out rows",
            found.missing_bytes
        );
    }
    let _ = writeln!(
        text,
        "{} rows, {} chained, {} breaks",
        found.rows,
        found.chained,
        found.breaks.len()
    );
    text
}
