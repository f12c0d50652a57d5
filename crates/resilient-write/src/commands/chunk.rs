//! `chunk`: a long file in parts, each of them durable, published at once.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use resilient_core::Workspace;
use resilient_core::chunk::{
    ChunkReceipt, ComposeReceipt, ComposeRequest, PartRequest, Parts, PreviewRequest, Reset,
    Sessions, Status,
};
use resilient_core::error::Composed;

use super::input::{Classify, Content, Form};
use super::write::{told_checked, told_findings, told_form, told_mark, told_owner, told_twins};
use crate::output::{Output, card, count, none};

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
    /// List the parts there are, and how the last one ends; or all sessions
    Status(Which),
    /// Remove the parts
    Reset(Session),
}

/// A session that is looked at or removed.
#[derive(Debug, Args)]
pub(crate) struct Session {
    /// The session's name: 1 to 64 of A-Z a-z 0-9 _ -
    session: String,
}

/// A session that is looked at; all of them otherwise.
#[derive(Debug, Args)]
pub(crate) struct Which {
    /// The session's name
    session: Option<String>,
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
    #[arg(
        long = "total-expected",
        alias = "total",
        value_name = "N",
        allow_negative_numbers = true
    )]
    total: Option<i64>,
    /// SHA-256 that the part of that number must have before; empty: there must be none
    #[arg(long = "expected-prev-sha256", alias = "expect", value_name = "SHA256")]
    expect: Option<String>,
    #[command(flatten)]
    classify: Classify,
}

/// A part that comes after all others.
#[derive(Debug, Args)]
pub(crate) struct AppendPart {
    /// The session's name: 1 to 64 of A-Z a-z 0-9 _ -
    session: String,
    #[command(flatten)]
    content: Content,
    /// How many parts there will be
    #[arg(
        long = "total-expected",
        alias = "total",
        value_name = "N",
        allow_negative_numbers = true
    )]
    total: Option<i64>,
    /// SHA-256 that the last part must have before; empty: there must be none
    #[arg(long = "expected-prev-sha256", alias = "expect", value_name = "SHA256")]
    expect: Option<String>,
    #[command(flatten)]
    classify: Classify,
}

/// A file to be made of parts.
#[derive(Debug, Args)]
pub(crate) struct Compose {
    /// The session's name
    session: String,
    /// The file, in the workspace; one that exists is replaced
    #[arg(value_parser = super::input::path)]
    path: String,
    /// Text between the parts
    #[arg(long, value_name = "TEXT", default_value = "", allow_hyphen_values = true)]
    separator: String,
    /// Remove the parts afterwards
    #[arg(long)]
    cleanup: bool,
    /// SHA-256 that the file must have before; empty: there must be none
    #[arg(long = "expected-prev-sha256", alias = "expect", value_name = "SHA256")]
    expect: Option<String>,
    #[command(flatten)]
    classify: Classify,
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
    /// Where the page begins, in bytes
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    offset: i64,
    /// How long the page is, up to 2097152 bytes
    #[arg(long, value_name = "N", default_value_t = 65_536, allow_negative_numbers = true)]
    max_bytes: i64,
}

impl Chunk {
    /// Does it.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(self, workspace: &Workspace, output: &Output) -> Result<ExitCode> {
        let chunks = workspace.chunks();
        match self {
            Self::Write(WritePart { session, index, content, total, expect, classify }) => {
                let part = Part { session, index: Some(index), content, total, expect, classify };
                output.answer("rw.chunk_write", part.keep(workspace), told_part)
            }
            Self::Append(AppendPart { session, content, total, expect, classify }) => {
                let part = Part { session, index: None, content, total, expect, classify };
                output.answer("rw.chunk_append", part.keep(workspace), told_part)
            }
            Self::Compose(compose) => {
                let Compose { session, path, separator, cleanup, allow_shrink, .. } = compose;
                let (validate, expect, classify) =
                    (compose.validate, compose.expect, compose.classify);
                let working = working();
                let result = compose.form.asked().and_then(|form| {
                    workspace.compose(ComposeRequest {
                        session,
                        output_path: path,
                        separator,
                        cleanup,
                        expected_prev_sha256: expect,
                        reject_at: classify.reject_at(),
                        validate,
                        form,
                        allow_shrink,
                        one_attempt: false,
                    })
                });
                working.finish_and_clear();
                output.answer("rw.chunk_compose", result, told_compose)
            }
            Self::Preview(Preview { session, separator, offset, max_bytes }) => {
                let request = PreviewRequest { session, separator, offset, max_bytes };
                let result = workspace.preview(&request);
                if let Ok(page) = &result
                    && !page.eof
                {
                    output.note(&format!("more: --offset {}\n", page.next_offset));
                }
                output.answer("rw.chunk_preview", result, |preview| preview.content.clone())
            }
            Self::Status(Which { session: Some(session) }) => {
                let result = workspace.session_status(&session);
                let is_none = result.as_ref().is_ok_and(|status| !status.exists);
                let code = output.answer("rw.chunk_status", result, told_status)?;
                Ok(if is_none { none() } else { code })
            }
            Self::Status(Which { session: None }) => {
                output.answer("rw.chunk_status", chunks.sessions(), told_sessions)
            }
            Self::Reset(Session { session }) => {
                let result = chunks.reset(&session);
                let is_none = result.as_ref().is_ok_and(|reset| !reset.existed);
                let code = output.answer("rw.chunk_reset", result, told_reset)?;
                Ok(if is_none { none() } else { code })
            }
        }
    }
}

/// Says for how long the parts are being joined; drawn on a terminal only.
fn working() -> ProgressBar {
    let spinner = ProgressBar::new_spinner();
    let spinner = match ProgressStyle::with_template("{spinner} joining the parts, {elapsed}") {
        Ok(style) => spinner.with_style(style),
        Err(_) => spinner,
    };
    spinner.tick();
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}

/// A part, with or without a number.
struct Part {
    session: String,
    index: Option<i64>,
    content: Content,
    total: Option<i64>,
    expect: Option<String>,
    classify: Classify,
}

impl Part {
    fn keep(self, workspace: &Workspace) -> resilient_core::Result<ChunkReceipt> {
        let Self { session, index, content, total, expect, classify } = self;
        workspace.keep_part(PartRequest {
            session,
            index,
            content: content.text()?,
            total_expected: total,
            expected_prev_sha256: expect,
            reject_at: classify.reject_at(),
            ..PartRequest::default()
        })
    }
}

fn told_part(receipt: &ChunkReceipt) -> String {
    let mut rows = vec![
        ("bytes", receipt.bytes.to_string()),
        ("sha256", receipt.sha256.to_string()),
        ("journal", receipt.journal_id.clone()),
    ];
    rows.extend(receipt.warning.clone().map(|warning| ("warning", warning)));
    rows.extend(receipt.composed_before.as_ref().map(told_before));
    rows.extend(told_findings(&receipt.findings));
    card(&format!("kept part {} of {}", receipt.index, receipt.session), &rows)
}

/// That the parts are a new beginning.
fn told_before(before: &Composed) -> (&'static str, String) {
    ("before", format!("composed into {} at {}; its parts are gone", before.path, before.ts))
}

fn told_compose(receipt: &ComposeReceipt) -> String {
    let mut rows = vec![
        ("parts", receipt.chunk_count.to_string()),
        ("bytes", receipt.bytes.to_string()),
        ("sha256", receipt.sha256.to_string()),
        ("journal", receipt.journal_id.clone()),
    ];
    rows.extend(receipt.owner_changed.as_ref().map(told_owner));
    rows.extend(receipt.checked.as_ref().map(told_checked));
    rows.extend(told_form(receipt.form, receipt.form_changed));
    rows.extend(told_mark(receipt.bom_dropped));
    rows.extend(told_twins(&receipt.twins));
    rows.extend(told_findings(&receipt.findings));
    if let Some(before) = receipt.prev_bytes {
        rows.insert(0, ("replaced", format!("a file of {before} bytes")));
    }
    let text = card(&format!("composed {}", receipt.output_path), &rows);
    text + &told_mid_line(&receipt.joined_mid_line)
}

fn told_mid_line(parts: &[u32]) -> String {
    if parts.is_empty() {
        return String::new();
    }
    let parts: Vec<String> = parts.iter().map(u32::to_string).collect();
    let parts = parts.join(" ");
    format!("without a final newline, so that the next part goes on in the same line: {parts}\n")
}

fn told_sessions(all: &Sessions) -> String {
    if all.sessions.is_empty() {
        return "no sessions\n".to_owned();
    }
    let told = all.sessions.iter().map(|it| {
        let at = it.updated_at.as_deref().unwrap_or(if it.damaged { "damaged" } else { "-" });
        let total = it.total_expected.map(|total| format!(" of {total}")).unwrap_or_default();
        let parts = count(it.parts, "part");
        format!("{at:20}  {:>12}  {parts}{total}  {}\n", it.bytes, it.session)
    });
    told.collect()
}

fn told_status(status: &Status) -> String {
    let Some(parts) = &status.parts else {
        let none = no_session(&status.session, &status.nearest_names);
        return match &status.composed {
            Some(composed) => {
                format!("{none}it was composed into {} at {}\n", composed.path, composed.ts)
            }
            None => none,
        };
    };
    let Parts { total_expected, present_indices, chunk_dir, .. } = parts;
    let total = total_expected.map_or_else(|| "not announced".to_owned(), |n| n.to_string());
    let numbers = |of: &[u32]| of.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    let mut rows = vec![("parts", numbers(present_indices))];
    if !parts.missing.is_empty() {
        rows.push(("missing", numbers(&parts.missing)));
    }
    rows.extend([
        ("total", total),
        ("bytes", parts.bytes.to_string()),
        ("kept in", chunk_dir.clone()),
    ]);
    rows.extend(parts.updated_at.clone().map(|at| ("changed", at)));
    let client = parts.last_write.as_ref().and_then(|last| last.client.clone());
    rows.extend(client.map(|client| ("by", client)));
    rows.extend(parts.composed_before.as_ref().map(told_before));
    let mut text = card(&format!("session {}", status.session), &rows);
    text += &told_mid_line(&parts.joined_mid_line);
    if let Some(last) = &parts.last_part {
        text += &format!("part {} ends with:\n{}\n", last.index, last.tail.trim_end_matches('\n'));
    }
    text
}

fn told_reset(reset: &Reset) -> String {
    if reset.existed {
        format!("removed session {}, {}\n", reset.session, count(reset.parts, "part"))
    } else {
        no_session(&reset.session, &reset.nearest_names)
    }
}

fn no_session(session: &str, near: &[String]) -> String {
    let nearest = match near {
        [] => String::new(),
        near => format!("; the nearest: {}", near.join(", ")),
    };
    format!("there is no session {session}{nearest}\n")
}
