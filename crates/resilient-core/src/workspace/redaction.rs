//! Redacting where a text comes from somewhere and goes somewhere: what brings the scratchpad, the
//! classifier and the commit path together.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Workspace;
use super::source::{Origin, Purpose, Source};
use crate::digest::Digest;
use crate::error::{Draft, Error, Result, WayOut};
use crate::form::Asked;
use crate::policy::Policy;
use crate::redact::{self, Choice, Language, Redaction, Wish};
use crate::risk::{Findings, Verdict};
use crate::roots::Target;
use crate::scratch::{PutRequest, SECRET_LABEL};
use crate::screen::{self, Screen};
use crate::write::{self, WriteMode, WriteReceipt, WriteRequest};

/// What is to be redacted, and what becomes of it.
#[derive(Clone, Debug)]
pub struct RedactRequest {
    /// Where the text is.
    pub source: Source,
    /// What to take out; everything that is a secret or personal if there is no choice.
    pub chosen: Vec<Choice>,
    /// The language of the text; else the paths tell.
    pub language: Option<Language>,
    /// Whether a look-up in the environment takes a secret's place wherever the language allows.
    pub env: bool,
    /// Whether each secret goes to the scratchpad.
    pub keep: bool,
    /// Where the result is written.
    pub write: Option<WriteTo>,
}

/// Where a result is written: as [`WriteRequest`], without the content.
#[derive(Clone, Debug)]
pub struct WriteTo {
    /// The path. That of the source cleans the file in place, whatever the mode.
    pub path: String,
    /// What to do when the file exists.
    pub mode: WriteMode,
    /// As in [`WriteRequest`].
    pub expected_prev_sha256: Option<String>,
    /// As in [`WriteRequest`], for the result.
    pub reject_at: Option<Verdict>,
    /// As in [`WriteRequest`], for the result.
    pub validate: bool,
    /// As in [`WriteRequest`]. A file that is cleaned in place keeps every byte around its secrets.
    pub form: Asked,
    /// As in [`WriteRequest`].
    pub allow_shrink: bool,
}

/// A redacted text, or what was done with it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Redacted {
    /// The text, unless it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What was replaced by what.
    #[serde(flatten)]
    pub redaction: Redaction,
    /// The written file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<WriteReceipt>,
}

impl Workspace {
    /// Takes secrets out of a text, keeps them if asked to, and writes the result if asked to.
    ///
    /// A file is cleaned in place only when its secrets are kept, and only while it is the one that
    /// was read. Kept secrets are durable before anything is written.
    ///
    /// # Errors
    /// The text is not there, or no text; a choice means nothing; what was chosen cannot be taken
    /// out whole, or not without breaking the syntax; the language is needed and not known; and
    /// whatever keeps a write from being done. Nothing is written then, but secrets may have been kept.
    pub fn redact(&self, request: RedactRequest) -> Result<Redacted> {
        let policy = self.policy()?;
        let RedactRequest { source, chosen, language, env, keep, write } = request;
        let named = |path: &String| Language::of_path(path);
        let read = match &source {
            Source::File(path) => Some(path),
            Source::Content(_) | Source::Draft(_) | Source::Session { .. } => None,
        };
        let language = language
            .or_else(|| write.as_ref().and_then(|to| named(&to.path)))
            .or_else(|| read.and_then(named));
        if env && language.is_none() {
            let known: Vec<&str> = Language::names().collect();
            return Err(Error::BadArgument {
                argument: "language",
                message: format!("needed for env; one of {}", known.join(", ")),
            });
        }
        let draft = match &source {
            Source::Draft(sha256) => sha256.parse().ok(),
            _ => None,
        };
        let origin = self.origin(source, &policy, Purpose::Exact)?;
        let is_chosen = !chosen.is_empty();
        let wish = Wish { chosen, language, env };
        let end = match &write {
            Some(to) => write::end_of(&self.store, &to.path, to.mode, &policy)?,
            None => None,
        };
        // A file that is cleaned in place does not stand behind itself.
        let is_other =
            |target: &Target| origin.file.as_ref().is_none_or(|(read, _)| target.path != *read);
        let end = end.filter(|(target, _)| is_other(target));
        let front = end.map(|(_, end)| end).unwrap_or_default();
        let mut redaction = screen::scan(&self.store.progress, || {
            redact::redact_behind(&front, &origin.content, &policy.risk, &wish)
        })??;
        let text = std::mem::take(&mut redaction.text);
        let Some(to) = write else {
            if keep {
                self.keep(&origin, &mut redaction)?;
            }
            return Ok(Redacted { text: Some(text), redaction, written: None });
        };
        let in_place = self.is_origin(&origin, &to.path, &policy)?;
        if !keep
            && in_place.is_some()
            && let Some(first) = redaction.replaced.first()
        {
            return Err(Error::MarkOverValue {
                path: to.path,
                mark: first.put.clone(),
                line: first.to.line,
                old_line: first.from.line,
                way_out: WayOut::Keep,
            });
        }
        let mut request = WriteRequest {
            path: to.path,
            content: text,
            mode: if in_place.is_some() { WriteMode::Overwrite } else { to.mode },
            expected_prev_sha256: to.expected_prev_sha256,
            reject_at: None,
            validate: to.validate,
            form: if in_place.is_some() { origin.form } else { to.form },
            allow_shrink: to.allow_shrink,
        };
        let screen = Screen::of(&self.store, to.reject_at)?;
        // A file that is cleaned in place has no secret that it did not have before.
        let findings = match in_place {
            Some(_) => Findings::default(),
            None => write::judge(&self.store, &request, &screen)
                .map_err(|error| of_draft(error, draft, is_chosen))?,
        };
        if keep {
            write::checked(&self.store, &request, &policy)?;
            self.keep(&origin, &mut redaction)?;
        }
        if let Some(digest) = in_place {
            let given = request.expected_prev_sha256.replace(digest.to_string());
            if let Some(expected) = given.filter(|given| !digest.is_meant_by(given)) {
                return Err(Error::Stale {
                    path: request.path,
                    expected,
                    actual: Some(digest),
                    since: None,
                });
            }
        }
        let written = write::write_redacted(&self.store, request, &policy, in_place)
            .map_err(|error| self.with_since(error, None))?;
        let written = WriteReceipt { findings, ..written };
        Ok(Redacted { text: None, redaction, written: Some(written) })
    }

    /// The digest of the file that was read, if this path leads to it.
    fn is_origin(&self, origin: &Origin, path: &str, policy: &Policy) -> Result<Option<Digest>> {
        let Some((read, digest)) = &origin.file else { return Ok(None) };
        let target = self.store.roots.writable(path, write::git(policy))?;
        Ok((target.path == *read).then_some(*digest))
    }

    /// Puts each secret into the scratchpad, once, and notes its digest.
    fn keep(&self, origin: &Origin, redaction: &mut Redaction) -> Result<()> {
        let mut kept = BTreeMap::new();
        for replaced in &mut redaction.replaced {
            let secret = origin.content.get(replaced.from.start..replaced.from.end);
            let secret = secret.unwrap_or_default();
            let sha256 = match kept.get(secret) {
                Some(sha256) => *sha256,
                None => {
                    let receipt = self.scratch().put(PutRequest {
                        content: secret.to_owned(),
                        label: Some(format!("{SECRET_LABEL}{}:{}", origin.label, replaced.put)),
                        notes: Some(format!("{} ({})", replaced.kind, replaced.pattern)),
                        ..PutRequest::default()
                    })?;
                    kept.insert(secret.to_owned(), receipt.sha256);
                    receipt.sha256
                }
            };
            replaced.kept_sha256 = Some(sha256.to_string());
        }
        Ok(())
    }
}

/// Names the draft that a refused text was made from: more may be taken out of it if a part of it was *chosen*. Any other
/// text is its sender's.
fn of_draft(error: Error, from: Option<Digest>, chosen: bool) -> Error {
    let Error::Blocked { path, report, by, reject_at, retry_budget, .. } = error else {
        return error;
    };
    let of = if chosen { Draft::Rest } else { Draft::Scratch };
    let draft = from.map(|digest| Box::new(of(digest)));
    Error::Blocked { path, report, by, reject_at, retry_budget, draft }
}
