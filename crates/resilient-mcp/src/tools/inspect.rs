//! The tools that look and change nothing: risk, syntax, the journal and its totals.

use schemars::JsonSchema;
use serde::Deserialize;

use resilient_core::journal::{Filter, Mode};
use resilient_core::validate;
use resilient_core::workspace::Source;
use serde_json::Value;

use super::{Effect, Tool, ToolSpec};
use crate::args::unfit;
use crate::seam::{Answer, Envelope, Workspace, answer};

/// The tools of this file.
pub const TOOLS: &[ToolSpec] = &[
    ToolSpec::of::<RiskScore>(),
    ToolSpec::of::<Validate>(),
    ToolSpec::of::<JournalTail>(),
    ToolSpec::of::<Analytics>(),
];

/// Look for secrets, personal data and oversize in one of content, path, session, draft_sha256.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RiskScore {
    pub content: Option<String>,
    pub path: Option<String>,
    pub session: Option<String>,
    pub draft_sha256: Option<String>,
    pub language_hint: Option<String>,
    pub target_path: Option<String>,
}

impl Tool for RiskScore {
    const NAME: &'static str = "rw.risk_score";
    const TITLE: &'static str = "Score the risk of a text";
    const EFFECT: Effect = Effect::Reads;
    const QUICK: bool = true;
    const INSTEAD_OF_CONTENT: &'static [&'static str] = INSTEAD_OF_CONTENT;

    fn run(self, workspace: &Workspace) -> Answer {
        let source = source(self.content, self.path, self.session, self.draft_sha256)?;
        let report = workspace.risk_score_of(source, self.target_path.as_deref());
        let mut scored = answer(report)?;
        if let Value::Object(fields) = &mut scored {
            fields.insert("language_hint".to_owned(), self.language_hint.into());
            fields.insert("target_path".to_owned(), self.target_path.into());
        }
        Ok(scored)
    }
}

/// Check the syntax of one of content, path, session, draft_sha256; returns errors by line.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Validate {
    pub content: Option<String>,
    pub path: Option<String>,
    pub session: Option<String>,
    pub draft_sha256: Option<String>,
    /// Guessed when absent.
    pub format_hint: Option<Format>,
    pub target_path: Option<String>,
}

impl Tool for Validate {
    const NAME: &'static str = "rw.validate";
    const TITLE: &'static str = "Check syntax";
    const EFFECT: Effect = Effect::Reads;
    const INSTEAD_OF_CONTENT: &'static [&'static str] = INSTEAD_OF_CONTENT;

    fn run(self, workspace: &Workspace) -> Answer {
        let source = source(self.content, self.path, self.session, self.draft_sha256)?;
        let hint = self.format_hint.map(Into::into);
        answer(workspace.validate(source, hint, self.target_path.as_deref()))
    }
}

/// Arguments that name a text in place of `content`.
const INSTEAD_OF_CONTENT: &[&str] = &["path", "session", "draft_sha256"];

/// The one text that these arguments name.
fn source(
    content: Option<String>,
    path: Option<String>,
    session: Option<String>,
    draft_sha256: Option<String>,
) -> Result<Source, Box<Envelope>> {
    let sources = [
        content.map(Source::Content),
        path.map(Source::File),
        session.map(|session| Source::Session { session, separator: String::new() }),
        draft_sha256.map(Source::Draft),
    ];
    let mut given = sources.into_iter().flatten();
    match (given.next(), given.next()) {
        (Some(source), None) => Ok(source),
        _ => Err(unfit(
            "one_of_content_path_session_draft_sha256",
            "pass one of `content`, `path`, `session` and `draft_sha256`, and leave out the others",
        )),
    }
}

/// List the last writes: path, sha256, size, time, who.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JournalTail {
    #[serde(default = "twenty")]
    pub n: i64,
    pub filter_path: Option<String>,
    pub filter_mode: Option<JournalMode>,
    pub filter_id: Option<String>,
    pub filter_sha256: Option<String>,
}

impl Tool for JournalTail {
    const NAME: &'static str = "rw.journal_tail";
    const TITLE: &'static str = "List the last writes";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, workspace: &Workspace) -> Answer {
        let sha256 = self.filter_sha256.map(|hex| hex.parse()).transpose().map_err(|_| {
            unfit(
                "not_a_sha256_of_12_to_64_hex_digits",
                "pass the first 12 hex digits of the digest or more as `filter_sha256`",
            )
            .with("argument", "filter_sha256")
        })?;
        let filter = Filter {
            path: self.filter_path,
            mode: self.filter_mode.map(Into::into),
            journal_id: self.filter_id,
            sha256,
            ..Filter::default()
        };
        match usize::try_from(self.n) {
            Ok(n) if n > 0 => answer(workspace.journal_tail(n, &filter)),
            _ => Err(unfit("n_must_be_at_least_1", "pass an `n` of 1 or more")
                .with("argument", "n")
                .with("n", self.n)),
        }
    }
}

/// Sum up all writes: by path, mode, chunk session and time.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Analytics {
    /// ISO 8601 time with offset or Z.
    pub since: Option<String>,
    pub session_filter: Option<String>,
}

impl Tool for Analytics {
    const NAME: &'static str = "rw.analytics";
    const TITLE: &'static str = "Sum up the journal";
    const EFFECT: Effect = Effect::Reads;

    fn run(self, workspace: &Workspace) -> Answer {
        answer(workspace.analytics(self.since.as_deref(), self.session_filter))
    }
}

/// A format whose syntax can be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    Latex,
    Json,
    Jsonl,
    Python,
    Yaml,
    Toml,
}

/// How a journaled write came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize, JsonSchema)]
#[schemars(description = "")]
#[serde(rename_all = "lowercase")]
pub enum JournalMode {
    Create,
    Overwrite,
    Append,
    Replace,
    Remove,
}

impl From<Format> for validate::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Latex => Self::Latex,
            Format::Json => Self::Json,
            Format::Jsonl => Self::Jsonl,
            Format::Python => Self::Python,
            Format::Yaml => Self::Yaml,
            Format::Toml => Self::Toml,
        }
    }
}

impl From<JournalMode> for Mode {
    fn from(mode: JournalMode) -> Self {
        match mode {
            JournalMode::Remove => Self::Remove,
            JournalMode::Create => Self::Create,
            JournalMode::Overwrite => Self::Overwrite,
            JournalMode::Append => Self::Append,
            JournalMode::Replace => Self::Replace,
        }
    }
}

fn twenty() -> i64 {
    20
}
