//! `handoff`: the note that one agent leaves for the next.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use resilient_core::handoff::{DEFAULT_PATH, Drift, Found, HandoffReceipt, HandoffRequest};
use resilient_core::{Error, Workspace};
use serde_json::Value;

use super::input::{self, Classify};
use super::write::{told_findings, told_form, told_owner, told_twins};
use crate::output::{Output, card};

/// What to do with the note.
#[derive(Debug, Subcommand)]
pub(crate) enum Handoff {
    /// Leave a note, in place of an earlier one
    Write(Leave),
    /// Read the note, and which of its files have changed since
    Read(Take),
}

/// A note to be left.
#[derive(Debug, Args)]
pub(crate) struct Leave {
    /// A file with the facts as a JSON object; - is standard input. It needs task_id, status,
    /// agent, summary, next_steps and last_good_state
    #[arg(default_value = "-", value_name = "FILE", conflicts_with = "envelope")]
    file: String,
    /// The facts themselves
    #[arg(long, visible_alias = "content", value_name = "JSON", allow_hyphen_values = true)]
    envelope: Option<String>,
    /// Prose that follows the facts
    #[arg(long, value_name = "TEXT", default_value = "", allow_hyphen_values = true)]
    body: String,
    /// Where to write it
    #[arg(long, default_value = DEFAULT_PATH, value_parser = super::input::path)]
    path: String,
    /// Keep a copy of the note that is replaced
    #[arg(long)]
    archive: bool,
    /// SHA-256 that the file must have before; empty: there must be none
    #[arg(long = "expected-prev-sha256", alias = "expect", value_name = "SHA256")]
    expect: Option<String>,
    #[command(flatten)]
    classify: Classify,
    /// Take a note that is much shorter than the file and has a line such as "rest unchanged"
    #[arg(long)]
    allow_shrink: bool,
}

/// A note to be read.
#[derive(Debug, Args)]
pub(crate) struct Take {
    /// Where it is
    #[arg(default_value = DEFAULT_PATH, conflicts_with = "named")]
    path: String,
    /// Where it is, as an option
    #[arg(long = "path", id = "named", value_name = "PATH", hide = true)]
    named: Option<String>,
}

impl Handoff {
    /// Does it.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(self, workspace: &Workspace, output: &Output) -> Result<ExitCode> {
        match self {
            Self::Write(leave) => {
                let result = leave.request().and_then(|request| workspace.write_handoff(request));
                output.answer("rw.handoff_write", result, told_receipt)
            }
            Self::Read(Take { path, named }) => {
                let path = named.unwrap_or(path);
                output.answer("rw.handoff_read", workspace.read_handoff(&path), told_found)
            }
        }
    }
}

impl Leave {
    fn request(self) -> resilient_core::Result<HandoffRequest> {
        let Self { file, envelope, body, path, archive, expect, classify, allow_shrink } = self;
        let envelope = match envelope {
            Some(text) => input::parse_json("envelope", &text)?,
            None => input::json("envelope", &file)?,
        };
        let Value::Object(envelope) = envelope else {
            return Err(Error::BadArgument {
                argument: "envelope",
                message: "not a JSON object".to_owned(),
            });
        };
        Ok(HandoffRequest {
            envelope,
            body,
            path,
            archive,
            expected_prev_sha256: expect,
            reject_at: classify.reject_at(),
            allow_shrink,
        })
    }
}

fn told_receipt(receipt: &HandoffReceipt) -> String {
    let mut rows = vec![
        ("bytes", receipt.bytes.to_string()),
        ("sha256", receipt.sha256.to_string()),
        ("journal", receipt.journal_id.clone()),
    ];
    rows.extend(receipt.owner_changed.as_ref().map(told_owner));
    rows.extend(told_form(None, receipt.form_changed));
    rows.extend(told_twins(&receipt.twins));
    rows.extend(told_findings(&receipt.findings));
    card(&format!("wrote {}", receipt.handoff_path), &rows) + &told_drift(&receipt.drift_warnings)
}

fn told_found(found: &Found) -> String {
    let facts: Vec<(&str, String)> = found
        .envelope
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, fact)| (name.as_str(), told_fact(fact)))
        .collect();
    let mut text = card(&found.handoff_path, &facts);
    text += &told_drift(&found.drift_warnings);
    if !found.body.is_empty() {
        text += &format!("\n{}\n", found.body.trim_end());
    }
    text
}

fn told_fact(fact: &Value) -> String {
    match fact {
        Value::String(text) => text.clone(),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; ")
        }
        other => other.to_string(),
    }
}

fn told_drift(drift: &[Drift]) -> String {
    drift
        .iter()
        .map(|drift| format!("warning: {}: {}\n", told_fact(&drift.path), drift.reason))
        .collect()
}
