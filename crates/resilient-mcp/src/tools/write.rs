//! `rw.safe_write` and `rw.safe_replace`: the tools that change the user's files directly.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use resilient_core::Error;
use resilient_core::form::{self, Asked, AskedEol};
use resilient_core::redact::Replaced;
use resilient_core::risk;
use resilient_core::workspace::{RedactRequest, Redacted, Source, WriteTo};
use resilient_core::write::{self as core, ReplaceRequest, WriteReceipt, WriteRequest};

use super::redact::{Chosen, choices};
use super::{Effect, Tool, ToolSpec};
use crate::args::unfit;
use crate::seam::{Answer, Workspace, answer};

/// The tools of this file.
pub const TOOLS: &[ToolSpec] = &[ToolSpec::of::<SafeWrite>(), ToolSpec::of::<SafeReplace>()];

/// Write a text file: create, overwrite or append. A crash leaves the old or the new file. Returns sha256. Small edit: rw_safe_replace; over 8 KB: rw_chunk_append.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SafeWrite {
    pub path: String,
    pub content: Option<String>,
    /// In place of content: a blocked draft, redacted.
    pub content_from: Option<ContentFrom>,
    /// create refuses an existing file.
    #[serde(default)]
    pub mode: WriteMode,
    /// Hash it must still have.
    pub expected_prev_sha256: Option<String>,
    /// Refuse text that looks like secrets.
    #[serde(default)]
    pub classify: bool,
    #[schemars(default = "high")]
    pub classify_reject_at: Option<Verdict>,
    /// Refuse bad syntax.
    #[serde(default)]
    pub validate: bool,
    /// keep (the file's), raw, or a name.
    pub encoding: Option<String>,
    pub eol: Option<Eol>,
    /// Take a text with a placeholder.
    #[serde(default)]
    pub allow_shrink: bool,
}

impl Tool for SafeWrite {
    const NAME: &'static str = "rw.safe_write";
    const TITLE: &'static str = "Write a file";
    const EFFECT: Effect = Effect::Changes;
    const INSTEAD_OF_CONTENT: &'static [&'static str] = &["content_from"];

    fn run(self, workspace: &Workspace) -> Answer {
        let Self { path, mode, expected_prev_sha256, validate, allow_shrink, .. } = self;
        let mode = mode.into();
        let form = match asked(self.encoding.as_deref(), self.eol) {
            Ok(form) => form,
            Err(error) => return answer::<()>(Err(error)),
        };
        let is_unchecked = is_unchecked(workspace, self.classify, self.classify_reject_at);
        let reject_at = reject_at(workspace, self.classify, self.classify_reject_at);
        let answered = match (self.content, self.content_from) {
            (Some(content), None) => answer(workspace.write(WriteRequest {
                path,
                content,
                mode,
                expected_prev_sha256,
                reject_at,
                validate,
                form,
                allow_shrink,
            })),
            (None, Some(from)) => {
                let written = workspace.redact(RedactRequest {
                    source: Source::Draft(from.draft_sha256),
                    chosen: choices(from.redact),
                    language: None,
                    env: false,
                    keep: false,
                    write: Some(WriteTo {
                        path,
                        mode,
                        expected_prev_sha256,
                        reject_at,
                        validate,
                        form,
                        allow_shrink,
                    }),
                });
                answer(written.map(FromDraft::of))
            }
            _ => Err(unfit(
                "content_or_content_from",
                "pass `content` alone, or `content_from` alone for a draft that was refused, whose \
                 draft_sha256 the refusal named",
            )),
        };
        answered.map(|answer| warned(answer, is_unchecked))
    }
}

/// A draft in the scratchpad, and what to take out of it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContentFrom {
    pub draft_sha256: String,
    pub redact: Option<Vec<Chosen>>,
}

/// The answer to a write of a draft: the receipt, and what was replaced.
#[derive(Serialize)]
pub(super) struct FromDraft<T> {
    #[serde(flatten)]
    pub(super) written: T,
    pub(super) replaced: Vec<Replaced>,
}

impl FromDraft<Option<WriteReceipt>> {
    fn of(redacted: Redacted) -> Self {
        Self { written: redacted.written, replaced: redacted.redaction.replaced }
    }
}

/// Edit a file: replace an exact string; the rest keeps its bytes. Without a match, answers the
/// nearest text.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SafeReplace {
    pub path: String,
    /// Exact text with white space.
    pub old_string: String,
    pub new_string: String,
    /// Places there must be; -1: all.
    #[serde(default = "one")]
    pub count: i64,
    pub expected_prev_sha256: Option<String>,
    #[serde(default)]
    pub classify: bool,
    pub classify_reject_at: Option<Verdict>,
    #[serde(default)]
    pub validate: bool,
    pub encoding: Option<String>,
    pub eol: Option<Eol>,
    #[serde(default)]
    pub allow_shrink: bool,
}

impl Tool for SafeReplace {
    const NAME: &'static str = "rw.safe_replace";
    const TITLE: &'static str = "Edit a file";
    const EFFECT: Effect = Effect::Changes;

    fn run(self, workspace: &Workspace) -> Answer {
        let form = asked(self.encoding.as_deref(), self.eol);
        let is_unchecked = is_unchecked(workspace, self.classify, self.classify_reject_at);
        let answered = answer(form.and_then(|form| {
            workspace.replace(ReplaceRequest {
                path: self.path,
                old_string: self.old_string,
                new_string: self.new_string,
                count: self.count,
                expected_prev_sha256: self.expected_prev_sha256,
                reject_at: reject_at(workspace, self.classify, self.classify_reject_at),
                validate: self.validate,
                form,
                allow_shrink: self.allow_shrink,
            })
        }));
        answered.map(|answer| warned(answer, is_unchecked))
    }
}

/// What a write does with a file that is there already.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, serde::Serialize, JsonSchema)]
#[schemars(description = "")]
#[serde(rename_all = "lowercase")]
pub enum WriteMode {
    #[default]
    Create,
    Overwrite,
    Append,
}

/// A risk verdict from which on a write is refused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, serde::Serialize, JsonSchema)]
#[schemars(description = "")]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Low,
    Medium,
    #[default]
    High,
}

/// From which verdict on a call has its text refused, if the call or the policy has it checked at all.
pub(super) fn reject_at(
    workspace: &Workspace,
    classify: bool,
    from: Option<Verdict>,
) -> Option<risk::Verdict> {
    (classify || workspace.judges_all()).then(|| from.unwrap_or_default().into())
}

/// Whether a call says at which verdict its text is refused, and nothing has the text checked.
fn is_unchecked(workspace: &Workspace, classify: bool, from: Option<Verdict>) -> bool {
    from.is_some() && reject_at(workspace, classify, from).is_none()
}

/// The answer to a write, which says if the text was to be checked and was not: the Python server ignores
/// `classify_reject_at` alone, too, so it is no reason to refuse the call.
fn warned(mut answer: Value, is_unchecked: bool) -> Value {
    if let (Value::Object(fields), true) = (&mut answer, is_unchecked) {
        let warning = json!({
            "reason": "not_checked",
            "hint": "the text was not checked for secrets: pass `classify` true together with `classify_reject_at`",
        });
        // The check of the syntax has its warnings there, too.
        let warnings = fields.entry("warnings").or_insert_with(|| json!([]));
        warnings.as_array_mut().into_iter().for_each(|all| all.push(warning.clone()));
    }
    answer
}

/// The line ends of what is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize, JsonSchema)]
#[schemars(description = "")]
#[serde(rename_all = "lowercase")]
pub enum Eol {
    Keep,
    Raw,
    Lf,
    Crlf,
    Cr,
}

impl From<Eol> for AskedEol {
    fn from(eol: Eol) -> Self {
        match eol {
            Eol::Keep => Self::Keep,
            Eol::Raw => Self::Raw,
            Eol::Lf => Self::Named(form::Eol::Lf),
            Eol::Crlf => Self::Named(form::Eol::CrLf),
            Eol::Cr => Self::Named(form::Eol::Cr),
        }
    }
}

/// The form that the arguments of a tool ask for.
pub(super) fn asked(encoding: Option<&str>, eol: Option<Eol>) -> Result<Asked, Error> {
    core::asked(encoding, eol.map_or(AskedEol::Unsaid, Into::into))
}

impl From<WriteMode> for core::WriteMode {
    fn from(mode: WriteMode) -> Self {
        match mode {
            WriteMode::Create => Self::Create,
            WriteMode::Overwrite => Self::Overwrite,
            WriteMode::Append => Self::Append,
        }
    }
}

impl From<Verdict> for risk::Verdict {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Low => Self::Low,
            Verdict::Medium => Self::Medium,
            Verdict::High => Self::High,
        }
    }
}

fn high() -> Verdict {
    Verdict::High
}

fn one() -> i64 {
    1
}
