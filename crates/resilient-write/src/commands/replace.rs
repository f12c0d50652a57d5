//! `replace`: text in one file; every other byte of it stays.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use resilient_core::Workspace;
use resilient_core::write::ReplaceRequest;

use super::input::{Classify, Form};
use super::write::told;
use crate::output::Output;

/// Replaces an exact string; line endings, encoding and everything around it stay.
#[derive(Debug, Args)]
pub(crate) struct Replace {
    /// The file, in the workspace
    #[arg(value_parser = super::input::path)]
    path: String,
    /// The text to be replaced, exactly as it is
    #[arg(long = "old-string", alias = "old", value_name = "TEXT", allow_hyphen_values = true)]
    old: String,
    /// The text that takes its place
    #[arg(long = "new-string", alias = "new", value_name = "TEXT", allow_hyphen_values = true)]
    new: String,
    /// How often the old text must occur; -1 replaces all
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    count: i64,
    /// SHA-256 that the file must have before
    #[arg(long = "expected-prev-sha256", alias = "expect", value_name = "SHA256")]
    expect: Option<String>,
    /// Take an edit that removes much of the file and puts a line such as "rest unchanged" in its place
    #[arg(long)]
    allow_shrink: bool,
    #[command(flatten)]
    form: Form,
    #[command(flatten)]
    classify: Classify,
    /// Refuse a file that would have syntax errors
    #[arg(long)]
    validate: bool,
}

impl Replace {
    /// Edits the file.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(self, workspace: &Workspace, output: &Output) -> Result<ExitCode> {
        let result = self.form.asked().and_then(|form| {
            workspace.replace(ReplaceRequest {
                path: self.path,
                old_string: self.old,
                new_string: self.new,
                count: self.count,
                expected_prev_sha256: self.expect,
                reject_at: self.classify.reject_at(),
                validate: self.validate,
                form,
                allow_shrink: self.allow_shrink,
            })
        });
        output.answer("rw.safe_replace", result, told)
    }
}
