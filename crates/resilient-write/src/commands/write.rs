//! `write`: one file, durably.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};
use resilient_core::Workspace;
use resilient_core::checked::Checked;
use resilient_core::form::{Eol, Form, FormChange};
use resilient_core::journal::Mode;
use resilient_core::risk::{Findings, Told};
use resilient_core::write::{OwnerChange, WriteMode, WriteReceipt, WriteRequest};

use super::input::{self, Classify, Content};
use crate::output::{Output, card};

/// Writes one file; when it answers, content, name and journal row are on disk.
#[derive(Debug, Args)]
pub(crate) struct Write {
    /// The file, in the workspace
    #[arg(value_parser = input::path)]
    path: String,
    #[command(flatten)]
    content: Content,
    /// What to do with a file that exists
    #[arg(long, value_enum, default_value_t = Existing::Create)]
    mode: Existing,
    /// SHA-256 that the file must have before; empty: there must be none
    #[arg(long = "expected-prev-sha256", alias = "expect", value_name = "SHA256")]
    expect: Option<String>,
    /// Take a text that is much shorter than the file and has a line such as "rest unchanged"
    #[arg(long)]
    allow_shrink: bool,
    #[command(flatten)]
    form: input::Form,
    #[command(flatten)]
    classify: Classify,
    /// Refuse a file that would have syntax errors
    #[arg(long)]
    validate: bool,
}

/// What to do with a file that exists.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Existing {
    /// Refuse to touch it
    Create,
    /// Replace its content
    Overwrite,
    /// Add to its end
    Append,
}

impl From<Existing> for WriteMode {
    fn from(existing: Existing) -> Self {
        match existing {
            Existing::Create => Self::Create,
            Existing::Overwrite => Self::Overwrite,
            Existing::Append => Self::Append,
        }
    }
}

impl Write {
    /// Writes the file.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(self, workspace: &Workspace, output: &Output) -> Result<ExitCode> {
        let Self { path, content, mode, expect, form, allow_shrink, classify, validate } = self;
        let asked = form.asked();
        let text = || content.text().map_err(|error| classify.explained(error));
        let result = asked.and_then(|form| Ok((form, text()?))).and_then(|(form, content)| {
            workspace.write(WriteRequest {
                path,
                content,
                mode: mode.into(),
                expected_prev_sha256: expect,
                reject_at: classify.reject_at(),
                validate,
                form,
                allow_shrink,
            })
        });
        output.answer("rw.safe_write", result, told)
    }
}

/// A receipt in words.
pub(crate) fn told(receipt: &WriteReceipt) -> String {
    let did = match receipt.mode_applied {
        _ if receipt.unchanged => "unchanged",
        Mode::Create => "created",
        Mode::Overwrite => "overwrote",
        Mode::Append => "appended to",
        Mode::Replace => "edited",
        Mode::Remove | Mode::Rename | Mode::Other(_) => "changed",
    };
    let mut rows = vec![
        ("bytes", receipt.bytes.to_string()),
        ("sha256", receipt.sha256.to_string()),
        ("journal", receipt.journal_id.clone()),
    ];
    rows.extend(receipt.owner_changed.as_ref().map(told_owner));
    if let Some(count) = receipt.replacements {
        rows.insert(0, ("replaced", count.to_string()));
    }
    rows.extend(receipt.checked.as_ref().map(told_checked));
    rows.extend(told_form(receipt.form, receipt.form_changed));
    rows.extend(told_mark(receipt.bom_dropped));
    if receipt.joined_mid_line {
        rows.push(("joined", "in the last line, which had no newline at its end".to_owned()));
    }
    rows.extend(told_twins(&receipt.twins));
    rows.extend(told_findings(&receipt.findings));
    card(&format!("{did} {}", receipt.path), &rows)
}

/// Whom a file belongs to now, and belonged to before.
pub(crate) fn told_owner(change: &OwnerChange) -> (&'static str, String) {
    let OwnerChange { old_user, old_group, new_user, new_group } = change;
    ("owner", format!("{new_user}:{new_group} instead of {old_user}:{old_group}"))
}

/// Whether a byte order mark was left out.
pub(crate) fn told_mark(is_dropped: bool) -> Option<(&'static str, String)> {
    is_dropped.then(|| ("bom", "left out: it would stand in the middle of the file".to_owned()))
}

/// Which files beside a new one have nearly its name.
pub(crate) fn told_twins(twins: &[String]) -> Option<(&'static str, String)> {
    let all = || format!("{} (another file, by case or Unicode alone)", twins.join(", "));
    (!twins.is_empty()).then(|| ("twins", all()))
}

/// What the check of a written file said, as a row of a card.
pub(crate) fn told_checked(checked: &Checked) -> (&'static str, String) {
    let said = match (checked.valid, checked.warnings.len() + checked.omitted) {
        (None, _) => "not checked".to_owned(),
        (Some(_), 0) => format!("{}: ok", checked.format),
        (Some(_), warnings) => format!("{}: {warnings} warning(s)", checked.format),
    };
    ("syntax", said)
}

/// A file's form, and what it was before, in words.
pub(crate) fn told_form(
    form: Option<Form>,
    changed: Option<FormChange>,
) -> impl Iterator<Item = (&'static str, String)> {
    let was = changed.map(|change| ("was", in_words(change.from)));
    let is = changed.map(|change| change.to).or(form).map(|form| ("form", in_words(form)));
    is.into_iter().chain(was)
}

fn in_words(form: Form) -> String {
    let unsure = if form.is_sure { "" } else { " (a guess)" };
    let mark = if form.bom { " with a byte order mark" } else { "" };
    let ends = match form.eol {
        _ if form.is_mixed => ", mixed line ends",
        None => "",
        Some(Eol::Lf) => ", LF",
        Some(Eol::CrLf) => ", CRLF",
        Some(Eol::Cr) => ", CR",
    };
    format!("{}{unsure}{mark}{ends}", form.encoding.name())
}

/// What was found in content that was written, one a row, without the text itself.
pub(crate) fn told_findings(found: &Findings) -> Vec<(&'static str, String)> {
    let told = |finding: &Told| {
        let Told { family, pattern, line, level, placeholder } = finding;
        let dummy = if *placeholder { ", placeholder" } else { "" };
        ("found", format!("line {line}: {level}: {family} ({pattern}{dummy})"))
    };
    let mut rows: Vec<_> = found.findings.iter().map(told).collect();
    if found.omitted > 0 {
        rows.push(("found", format!("{} more", found.omitted)));
    }
    rows
}
