//! `rw.redact`: a text without its secrets, which need not be sent again for it.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use resilient_core::form::Asked;
use resilient_core::near::nearest;
use resilient_core::redact::{Choice, Language};
use resilient_core::workspace::{RedactRequest, Source, WriteTo};
use resilient_core::write::WriteMode;

use super::{Effect, Tool, ToolSpec};
use crate::args::unfit;
use crate::seam::{Answer, Workspace, answer};

/// The tools of this file.
pub const TOOLS: &[ToolSpec] = &[ToolSpec::of::<Redact>()];

/// Replace secrets in one of content, path, draft_sha256, session by marks: <REDACTED:api_key:1>. Returns
/// the text, or writes it to write_to.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Redact {
    pub content: Option<String>,
    pub path: Option<String>,
    pub draft_sha256: Option<String>,
    /// A chunk session, whose parts stay.
    pub session: Option<String>,
    /// Between the parts.
    #[serde(default)]
    pub separator: String,
    /// Families or finding numbers; all secrets when absent.
    pub redact: Option<Vec<Chosen>>,
    /// Put environment look-ups in place of marks.
    #[serde(default)]
    pub env: bool,
    pub language: Option<String>,
    /// Keep the secrets in the scratchpad.
    #[serde(default)]
    pub keep: bool,
    /// File for the result; path itself needs keep.
    pub write_to: Option<String>,
    /// Hash of the file that write_to replaces.
    pub expected_prev_sha256: Option<String>,
}

impl Tool for Redact {
    const NAME: &'static str = "rw.redact";
    const TITLE: &'static str = "Take secrets out";
    const EFFECT: Effect = Effect::Changes;
    const ADDED: bool = true;
    const INSTEAD_OF_CONTENT: &'static [&'static str] = &["path", "draft_sha256", "session"];

    fn run(self, workspace: &Workspace) -> Answer {
        if self.write_to.is_none() && self.expected_prev_sha256.is_some() {
            return Err(unfit(
                "expected_prev_sha256_without_write_to",
                "pass the path of the file to replace as `write_to`, or leave out `expected_prev_sha256`, since nothing is \
                 written without it",
            ));
        }
        let source = match (self.content, self.path, self.draft_sha256, self.session) {
            (Some(content), None, None, None) => Source::Content(content),
            (None, Some(path), None, None) => Source::File(path),
            (None, None, Some(sha256), None) => Source::Draft(sha256),
            (None, None, None, Some(session)) => {
                Source::Session { session, separator: self.separator }
            }
            _ => {
                return Err(unfit(
                    "one_of_content_path_session_draft_sha256",
                    "pass one of `content`, `path`, `session` and `draft_sha256`, and leave out the others",
                ));
            }
        };
        let language = match self.language {
            None => None,
            Some(name) => match Language::named(&name) {
                None => {
                    let mut hint =
                        "pass one of context.valid as `language`, or leave it out".to_owned();
                    let near = nearest(&name, Language::names());
                    if !near.is_empty() {
                        hint = format!("{hint}; the nearest: {}", near.join(", "));
                    }
                    let mut refused = unfit("unknown_language", &hint).with("language", name);
                    if !near.is_empty() {
                        refused = refused.with("nearest_names", near);
                    }
                    return Err(refused.with("valid", Language::names().collect::<Vec<_>>()));
                }
                known => known,
            },
        };
        let expected_prev_sha256 = self.expected_prev_sha256;
        let mode = match expected_prev_sha256 {
            Some(_) => WriteMode::Overwrite,
            None => WriteMode::Create,
        };
        answer(workspace.redact(RedactRequest {
            source,
            chosen: choices(self.redact),
            language,
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
        }))
    }
}

/// A family's name, or the number of a finding, as text or not.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Chosen {
    Number(usize),
    Text(String),
}

// To clients it is text: a choice of types in a schema is more than some of them take.
impl JsonSchema for Chosen {
    fn schema_name() -> Cow<'static, str> {
        "Chosen".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

/// What was chosen, as the library has it.
pub(super) fn choices(chosen: Option<Vec<Chosen>>) -> Vec<Choice> {
    let read = |chosen| match chosen {
        Chosen::Number(number) => Choice::Finding(number),
        Chosen::Text(text) => Choice::read(&text),
    };
    chosen.into_iter().flatten().map(read).collect()
}
