//! `redact`: a text without its secrets.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use resilient_core::Workspace;
use resilient_core::form::Asked;
use resilient_core::redact::{Choice, Language, Replaced};
use resilient_core::workspace::{Purpose, RedactRequest, Redacted, Source, WriteTo};

use super::input;
use super::write::{Existing, told};
use crate::output::Output;

/// Replaces secrets by marks such as <REDACTED:api_key:1>, the same secret by the same mark.
///
/// Prints the text, or writes it with --write-to. What was replaced is told on standard error.
#[derive(Debug, Args)]
pub(crate) struct Redact {
    /// The file, in the workspace; - is standard input
    #[arg(required_unless_present_any = ["draft", "session", "content"])]
    #[arg(conflicts_with_all = ["draft", "session", "content"])]
    file: Option<String>,
    /// The text itself
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with = "draft")]
    content: Option<String>,
    /// A text that the scratchpad keeps, such as a blocked draft
    #[arg(long = "draft-sha256", alias = "draft", value_name = "SHA256")]
    draft: Option<String>,
    /// The joined parts of this chunk session, which stay
    #[arg(long, conflicts_with = "draft")]
    session: Option<String>,
    /// Text between the parts
    #[arg(long, value_name = "TEXT", default_value = "", requires = "session")]
    separator: String,
    /// Only this family, finding by number, or `placeholder`; may be given several times
    #[arg(long = "redact", alias = "only", value_name = "FAMILY|N")]
    only: Vec<String>,
    /// Replace each secret with a look-up of an environment variable, where the language has one
    #[arg(long)]
    env: bool,
    /// The language of the text; otherwise the name of the file tells
    #[arg(long, value_parser = named)]
    language: Option<Language>,
    /// Keep the secrets in the scratchpad
    #[arg(long)]
    keep: bool,
    /// Write the result here; to the file itself only with --keep
    #[arg(long, value_name = "PATH", value_parser = super::input::path)]
    write_to: Option<String>,
    /// What to do with another file that exists; with --keep, the file itself is overwritten
    #[arg(long, value_enum, default_value_t = Existing::Create, requires = "write_to")]
    mode: Existing,
    /// SHA-256 that --write-to must have before
    #[arg(
        long = "expected-prev-sha256",
        alias = "expect",
        value_name = "SHA256",
        requires = "write_to"
    )]
    expect: Option<String>,
}

impl Redact {
    /// Redacts the text.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(self, workspace: &Workspace, output: &Output) -> Result<ExitCode> {
        let result = self.request(workspace).and_then(|request| workspace.redact(request));
        if let Ok(redacted) = &result {
            output.note(&summary(&redacted.redaction.replaced, &redacted.redaction.requires));
        }
        output.answer("rw.redact", result, |Redacted { text, written, .. }| {
            let told = written.as_ref().map(told);
            told.or_else(|| text.clone()).unwrap_or_default()
        })
    }

    fn request(self, workspace: &Workspace) -> resilient_core::Result<RedactRequest> {
        let separator = self.separator;
        let file = self.file.unwrap_or_else(|| "-".to_owned());
        let source = match (self.draft, self.session) {
            (Some(sha256), _) => Source::Draft(sha256),
            (None, Some(session)) => Source::Session { session, separator },
            (None, None) if self.content.is_some() => {
                Source::Content(self.content.unwrap_or_default())
            }
            (None, None) if file == "-" => Source::Content(input::decoded(&file, Purpose::Exact)?),
            (None, None) => Source::File(input::from_here(file, workspace.roots().cwd())?),
        };
        let (mode, expected_prev_sha256) = (self.mode.into(), self.expect);
        Ok(RedactRequest {
            source,
            chosen: self.only.iter().map(|choice| Choice::read(choice)).collect(),
            language: self.language,
            env: self.env,
            keep: self.keep,
            write: self.write_to.map(|path| WriteTo {
                path,
                mode,
                expected_prev_sha256,
                reject_at: None,
                validate: false,
                form: Asked::default(),
                allow_shrink: false,
            }),
        })
    }
}

/// Reads the name of a language.
fn named(name: &str) -> Result<Language, String> {
    let known = || Language::names().collect::<Vec<_>>().join(", ");
    Language::named(name).ok_or_else(|| format!("it is one of {}", known()))
}

/// What was replaced, one a line.
fn summary(replaced: &[Replaced], requires: &[&str]) -> String {
    let mut text = String::new();
    for Replaced { put, kind, pattern, from, kept_sha256, .. } in replaced {
        let kept =
            kept_sha256.as_ref().map(|sha256| format!(", kept as {sha256}")).unwrap_or_default();
        let (line, col) = (from.line, from.col);
        text += &format!("{line}:{col}: {kind} ({pattern}) is now {put}{kept}\n");
    }
    for needed in requires {
        text += &format!("the text now needs {needed}\n");
    }
    text
}
