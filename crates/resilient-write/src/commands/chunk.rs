//! `chunk`: a long file in parts, each of them durable, published at once.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use resilient_core::Workspace;
use resilient_core::chunk::{ChunkReceipt, ComposeReceipt, ComposeRequest, Parts, Reset, Status};

use super::input::{Content, Form};
use super::write::{told_checked, told_form};
use crate::output::{Output, card};

/// What to do with a session of parts.
#[derive(Debug, Subcommand)]
pub(crate) enum Chunk {
    /// Keep part INDEX, in place of one that has that number
    Write(WritePart),
    /// Keep the next part
    Append(AppendPart),
    /// Join the parts into a file, durably
    Compose(Compose),
    /// Print what composing would write
    Preview(Preview),
    /// List the parts there are
    Status(Session),
    /// Remove the parts
    Reset(Session),
}

/// A session that is looked at or removed.
#[derive(Debug, Args)]
pub(crate) struct Session {
    /// The session's name: 1 to 64 of A-Z a-z 0-9 _ -
    session: String,
}

/// A part and its number.
#[derive(Debug, Args)]
pub(crate) struct WritePart {
    /// The session's name: 1 to 64 of A-Z a-z 0-9 _ -
    session: String,
    /// The part's number, from 1
    #[arg(allow_negative_numbers = true)]
    index: i64,
    #[command(flatten)]
    content: Content,
    /// How many parts there will be
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    total: Option<i64>,
}

/// A part that comes after all others.
#[derive(Debug, Args)]
pub(crate) struct AppendPart {
    /// The session's name: 1 to 64 of A-Z a-z 0-9 _ -
    session: String,
    #[command(flatten)]
    content: Content,
    /// How many parts there will be
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    total: Option<i64>,
}

/// A file to be made of parts.
#[derive(Debug, Args)]
pub(crate) struct Compose {
    /// The session's name
    session: String,
    /// The file, in the workspace; one that exists is replaced
    path: String,
    /// Text between the parts
    #[arg(long, value_name = "TEXT", default_value = "", allow_hyphen_values = true)]
    separator: String,
    /// Remove the parts afterwards
    #[arg(long)]
    cleanup: bool,
    /// Refuse a file that would have syntax errors
    #[arg(long)]
    validate: bool,
    #[command(flatten)]
    form: Form,
    /// Take a text that is much shorter than the file and has a line such as "rest unchanged"
    #[arg(long)]
    allow_shrink: bool,
}

/// Parts to be joined and shown.
#[derive(Debug, Args)]
pub(crate) struct Preview {
    /// The session's name
    session: String,
    /// Text between the parts
    #[arg(long, value_name = "TEXT", default_value = "", allow_hyphen_values = true)]
    separator: String,
}

impl Chunk {
    /// Does it.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(self, workspace: &Workspace, output: &Output) -> Result<ExitCode> {
        let chunks = workspace.chunks();
        match self {
            Self::Write(WritePart { session, index, content, total }) => {
                let result =
                    content.text().and_then(|text| chunks.write(&session, index, text, total));
                output.answer("rw.chunk_write", result, told_part)
            }
            Self::Append(AppendPart { session, content, total }) => {
                let result = content.text().and_then(|text| chunks.append(&session, text, total));
                output.answer("rw.chunk_append", result, told_part)
            }
            Self::Compose(Compose {
                session,
                path,
                separator,
                cleanup,
                validate,
                form,
                allow_shrink,
            }) => {
                let result = form.asked().and_then(|form| {
                    workspace.compose_as(ComposeRequest {
                        session,
                        output_path: path,
                        separator,
                        cleanup,
                        validate,
                        form,
                        allow_shrink,
                    })
                });
                output.answer("rw.chunk_compose", result, told_compose)
            }
            Self::Preview(Preview { session, separator }) => {
                let result = chunks.preview(&session, &separator);
                output.answer("rw.chunk_preview", result, |preview| preview.content.clone())
            }
            Self::Status(Session { session }) => {
                output.answer("rw.chunk_status", chunks.status(&session), told_status)
            }
            Self::Reset(Session { session }) => {
                output.answer("rw.chunk_reset", chunks.reset(&session), told_reset)
            }
        }
    }
}

fn told_part(receipt: &ChunkReceipt) -> String {
    card(
        &format!("kept part {} of {}", receipt.index, receipt.session),
        &[
            ("bytes", receipt.bytes.to_string()),
            ("sha256", receipt.sha256.to_string()),
            ("journal", receipt.journal_id.clone()),
        ],
    )
}

fn told_compose(receipt: &ComposeReceipt) -> String {
    let mut rows = vec![
        ("parts", receipt.chunk_count.to_string()),
        ("bytes", receipt.bytes.to_string()),
        ("sha256", receipt.sha256.to_string()),
        ("journal", receipt.journal_id.clone()),
    ];
    rows.extend(receipt.checked.as_ref().map(told_checked));
    rows.extend(told_form(receipt.form, receipt.form_changed));
    card(&format!("composed {}", receipt.output_path), &rows)
}

fn told_status(status: &Status) -> String {
    let Some(Parts { total_expected, present_indices, chunk_dir }) = &status.parts else {
        return format!("there is no session {}\n", status.session);
    };
    let total = total_expected.map_or_else(|| "not announced".to_owned(), |n| n.to_string());
    let present: Vec<String> = present_indices.iter().map(u32::to_string).collect();
    card(
        &format!("session {}", status.session),
        &[("parts", present.join(" ")), ("total", total), ("kept in", chunk_dir.clone())],
    )
}

fn told_reset(reset: &Reset) -> String {
    if reset.existed {
        format!("removed session {}, {} files\n", reset.session, reset.removed)
    } else {
        format!("there is no session {}\n", reset.session)
    }
}
