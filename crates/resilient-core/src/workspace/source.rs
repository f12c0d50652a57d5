//! Where a text comes from that is not sent with the call: a file, the scratchpad, the parts of a session.

use std::path::PathBuf;

use super::Workspace;
use crate::contents::read_whole;
use crate::digest::Digest;
use crate::error::{Error, Result};
use crate::form::{Asked, Decoded};
use crate::policy::Policy;
use crate::risk;
use crate::roots::Target;
use crate::scratch::{DRAFT_LABEL, Encoding};
use crate::validate::{self, Format};
use crate::write;

/// Where a text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Here.
    Content(String),
    /// In this file.
    File(String),
    /// In the scratchpad, under this digest.
    Draft(String),
    /// In the parts of a chunk session.
    Session {
        /// Its name.
        session: String,
        /// What stands between the parts.
        separator: String,
    },
}

/// A text and where it was read.
pub(super) struct Origin {
    pub(super) content: String,
    /// How the text is spelled there.
    pub(super) form: Asked,
    /// The file, resolved, and its digest.
    pub(super) file: Option<(PathBuf, Digest)>,
    /// A name for it in the scratchpad's labels.
    pub(super) label: String,
    /// The file that the text is in, or was to be written to.
    pub(super) path: Option<String>,
}

impl Origin {
    fn of(content: String, label: String, path: Option<String>) -> Self {
        Self { content, form: Asked::RAW, file: None, label, path }
    }
}

/// What a text is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be looked at: a byte that is no character may be U+FFFD.
    Look,
    /// For what every byte counts.
    Exact,
}

/// The text of a file, in whatever encoding a read finds it to be.
///
/// # Errors
/// It is no text, or has bytes that are no characters where every byte counts.
pub fn decoded(path: &str, bytes: Vec<u8>, purpose: Purpose) -> Result<Decoded> {
    let no_text = |message| Error::NotText { path: path.to_owned(), message };
    let decoded = Decoded::of(bytes).map_err(|bytes| {
        if Decoded::is_utf32(&bytes) {
            return no_text(
                "it is UTF-32, which `iconv -f utf-32 -t utf-8` makes UTF-8 of".to_owned(),
            );
        }
        let error = str::from_utf8(&bytes).err().map(|error| format!("{error}, and "));
        no_text(error.unwrap_or_default() + "it is in no encoding of text that is known")
    })?;
    if purpose == Purpose::Exact && !decoded.is_exact {
        return Err(no_text("some bytes are no characters of its encoding".to_owned()));
    }
    Ok(decoded)
}

impl Workspace {
    /// The text itself.
    ///
    /// # Errors
    /// As [`Workspace::validate`].
    pub fn text(&self, source: Source) -> Result<String> {
        Ok(self.origin(source, &self.policy().unwrap_or_default(), Purpose::Look)?.content)
    }

    /// Checks the syntax of a text. The hint wins over `target_path`, that over the path that the text
    /// comes from, and that over what the text begins with.
    ///
    /// # Errors
    /// The text is not there, or no text; the path is refused; reading the scratchpad is switched off.
    pub fn validate(
        &self,
        source: Source,
        hint: Option<Format>,
        target_path: Option<&str>,
    ) -> Result<validate::Report> {
        let policy = self.policy().unwrap_or_default();
        let origin = self.origin(source, &policy, Purpose::Exact)?;
        let path = target_path.or(origin.path.as_deref());
        Ok(validate::validate(&origin.content, hint, path))
    }

    /// Predicts whether a content filter rejects a text. The policy may let the file pass that the text
    /// is in or is to be in. The report is [cut](risk::Report::cut).
    ///
    /// # Errors
    /// As [`Workspace::validate`]; and the policy file cannot be used.
    pub fn risk_score_of(&self, source: Source, target_path: Option<&str>) -> Result<risk::Report> {
        let policy = self.policy()?;
        let origin = self.origin(source, &policy, Purpose::Look)?;
        match target_path.or(origin.path.as_deref()) {
            Some(path) => self.risk_score_file(path, &origin.content),
            None => self.risk_score(&origin.content),
        }
    }

    /// Refuses another name of what a sealed scratchpad holds.
    ///
    /// # Errors
    /// It is one: [`Error::ScratchGetDisabled`].
    pub(super) fn unseal(&self, target: &Target) -> Result<()> {
        let is_other_name = || target.stat.as_ref().is_some_and(|it| self.store.has_in_scratch(it));
        if self.sealed_scratch && is_other_name() {
            return Err(Error::ScratchGetDisabled);
        }
        Ok(())
    }

    pub(super) fn origin(
        &self,
        source: Source,
        policy: &Policy,
        purpose: Purpose,
    ) -> Result<Origin> {
        match source {
            Source::Content(content) => Ok(Origin::of(content, "text".to_owned(), None)),
            Source::Draft(sha256) => {
                let kept = self.scratch().get(&sha256, Encoding::Utf8)?;
                let label = kept.label.unwrap_or_else(|| "draft".to_owned());
                let path = label.strip_prefix(DRAFT_LABEL).map(str::to_owned);
                Ok(Origin::of(kept.content, label, path))
            }
            Source::Session { session, separator } => {
                let content = self.chunks().text(&session, &separator);
                let content = content.map_err(|error| self.with_composed(error))?;
                Ok(Origin::of(content, session, None))
            }
            Source::File(path) => {
                let target = self.store.roots.writable(&path, write::git(policy))?;
                if target.stat.is_none() {
                    return Err(Error::NotFound { near: self.store.roots.nearby(&path), path });
                }
                self.unseal(&target)?;
                let os = |source| Error::os(target.shown.clone(), "read", source);
                let file = target.dir.open(&target.name).map_err(os)?;
                let bytes = read_whole(&*file, &target.shown)?;
                let digest = Digest::of(&bytes);
                let decoded = decoded(&target.shown, bytes, purpose)?;
                Ok(Origin {
                    form: decoded.asked(),
                    content: decoded.text,
                    file: Some((target.path, digest)),
                    label: target.shown.clone(),
                    path: Some(target.shown),
                })
            }
        }
    }
}
