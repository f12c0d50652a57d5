//! `checkpoint`: named JSON values that outlive the process that saved them.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use resilient_core::Workspace;
use resilient_core::checkpoint::{Checkpoint as Found, Cleanup, List, Listed, SaveReceipt};
use resilient_core::checkpoint::{Format, SaveRequest};

use super::input::{self, Classify};
use super::write::told_findings;
use crate::output::{Output, card};

const NAME_WIDTH: usize = 24;

/// What to do with checkpoints.
#[derive(Debug, Subcommand)]
pub(crate) enum Checkpoint {
    /// Save a value, in place of an earlier one of that name
    Save(Save),
    /// Print a saved value
    Read(Name),
    /// List what is saved
    List,
    /// Remove what has expired, and what was for one session
    Cleanup(Clean),
}

/// A value to be saved.
#[derive(Debug, Args)]
pub(crate) struct Save {
    /// Its name: 1 to 64 of A-Z a-z 0-9 _ -
    name: String,
    /// A file with the value as JSON; - is standard input
    #[arg(default_value = "-", value_name = "FILE", conflicts_with = "data")]
    file: String,
    /// The value as JSON
    #[arg(long, alias = "content", value_name = "JSON", allow_hyphen_values = true)]
    data: Option<String>,
    /// A label that is kept beside the value, and changes nothing
    #[arg(long, value_enum, default_value_t = Label::Json)]
    format: Label,
    /// session, permanent or an ISO 8601 duration such as P7D
    #[arg(long, default_value = "session")]
    ttl: String,
    /// SHA-256 that the checkpoint's file must have before; empty: there must be none
    #[arg(long = "expected-prev-sha256", alias = "expect", value_name = "SHA256")]
    expect: Option<String>,
    #[command(flatten)]
    classify: Classify,
}

/// A value to be read.
#[derive(Debug, Args)]
pub(crate) struct Name {
    /// Its name
    name: String,
}

/// What a cleanup takes.
#[derive(Debug, Args)]
pub(crate) struct Clean {
    /// Leave the values that are for one session
    #[arg(long)]
    keep_session: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Label {
    Json,
    Yaml,
    Markdown,
}

impl Checkpoint {
    /// Does it.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(self, workspace: &Workspace, output: &Output) -> Result<ExitCode> {
        let checkpoints = workspace.checkpoints();
        match self {
            Self::Save(save) => {
                let result = save.request().and_then(|request| workspace.save_checkpoint(request));
                output.answer("rw.checkpoint", result, told_save)
            }
            Self::Read(Name { name }) => {
                let result = checkpoints.read(&name);
                if result.as_ref().is_ok_and(|found| found.expired) {
                    output.note(&format!("{name} has expired: the next cleanup takes it\n"));
                }
                output.answer("rw.checkpoint_read", result, told_found)
            }
            Self::List => output.answer("rw.checkpoint_list", checkpoints.list(), told_list),
            Self::Cleanup(Clean { keep_session }) => output.answer(
                "rw.checkpoint_cleanup",
                checkpoints.cleanup(!keep_session),
                told_cleanup,
            ),
        }
    }
}

impl Save {
    fn request(self) -> resilient_core::Result<SaveRequest> {
        let Self { name, file, data, format, ttl, expect, classify } = self;
        let data = match data {
            Some(text) => input::parse_json("data", &text)?,
            None => input::json("data", &file)?,
        };
        let format = match format {
            Label::Json => Format::Json,
            Label::Yaml => Format::Yaml,
            Label::Markdown => Format::Markdown,
        };
        let (expected_prev_sha256, reject_at) = (expect, classify.reject_at());
        Ok(SaveRequest { name, data, format, ttl, expected_prev_sha256, reject_at })
    }
}

fn told_save(receipt: &SaveReceipt) -> String {
    let mut rows = vec![
        ("bytes", receipt.bytes.to_string()),
        ("sha256", receipt.sha256.to_string()),
        ("ttl", receipt.ttl.clone()),
        ("ttl before", receipt.prev_ttl.clone().unwrap_or_default()),
        ("first saved", receipt.created_at.clone()),
        ("journal", receipt.journal_id.clone()),
    ];
    rows.retain(|(_, told)| !told.is_empty());
    rows.extend(told_findings(&receipt.findings));
    card(&format!("saved {}", receipt.name), &rows)
}

/// The value alone, so that it can be piped on.
fn told_found(found: &Found) -> String {
    format!("{:#}\n", found.data)
}

fn told_list(list: &List) -> String {
    if list.checkpoints.is_empty() {
        return "no checkpoints\n".to_owned();
    }
    list.checkpoints.iter().map(told_listed).collect()
}

fn told_listed(listed: &Listed) -> String {
    match listed {
        Listed::Sound { name, bytes, ttl, updated_at, .. } => {
            let text = |value: &serde_json::Value| value.as_str().unwrap_or("?").to_owned();
            format!("{name:NAME_WIDTH$}  {}  {bytes:>8}  {}\n", text(updated_at), text(ttl))
        }
        Listed::Corrupt { name, bytes, .. } => {
            format!("{name:NAME_WIDTH$}  {:20}  {bytes:>8}\n", "damaged")
        }
    }
}

fn told_cleanup(cleanup: &Cleanup) -> String {
    let removed: String = cleanup
        .removed
        .iter()
        .map(|removed| format!("removed {} ({})\n", removed.name, removed.reason))
        .collect();
    format!("{removed}kept {}\n", cleanup.kept)
}
