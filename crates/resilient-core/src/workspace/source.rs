//! Where a text comes from that is not sent with the call: a file, the scratchpad, the parts of a session.

use std::path::PathBuf;

use super::Workspace;
use crate::contents::read_whole;
use crate::digest::Digest;
use crate::error::{Error, Result};
use crate::risk::{self, Policy};
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
    /// The file, resolved, and its digest.
    pub(super) file: Option<(PathBuf, Digest)>,
    /// A name for it in the scratchpad's labels.
    pub(super) label: String,
    /// The file that the text is in, or was to be written to.
    pub(super) path: Option<String>,
}

impl Workspace {
    /// The text itself.
    ///
    /// # Errors
    /// As [`Workspace::validate`].
    pub fn text(&self, source: Source) -> Result<String> {
        Ok(self.origin(source, &self.policy().unwrap_or_default())?.content)
    }

    /// Checks the syntax of a text. The hint wins over `target_path`, that over the path that the text
    /// comes from, and that over what the text begins with.
    ///
    /// # Errors
    /// The text is not there, or not UTF-8; the path is refused; reading the scratchpad is switched off.
    pub fn validate(
        &self,
        source: Source,
        hint: Option<Format>,
        target_path: Option<&str>,
    ) -> Result<validate::Report> {
        let origin = self.origin(source, &self.policy().unwrap_or_default())?;
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
        let origin = self.origin(source, &policy)?;
        match target_path.or(origin.path.as_deref()) {
            Some(path) => self.risk_score_file(path, &origin.content),
            None => self.risk_score(&origin.content),
        }
    }

    pub(super) fn origin(&self, source: Source, policy: &Policy) -> Result<Origin> {
        match source {
            Source::Content(content) => {
                Ok(Origin { content, file: None, label: "text".to_owned(), path: None })
            }
            Source::Draft(sha256) => {
                let kept = self.scratch().get(&sha256, Encoding::Utf8)?;
                let label = kept.label.unwrap_or_else(|| "draft".to_owned());
                let path = label.strip_prefix(DRAFT_LABEL).map(str::to_owned);
                Ok(Origin { content: kept.content, file: None, label, path })
            }
            Source::Session { session, separator } => {
                let content = self.chunks().text(&session, &separator)?;
                Ok(Origin { content, file: None, label: session, path: None })
            }
            Source::File(path) => {
                let target = self.store.roots.writable(&path, write::git(policy))?;
                if target.stat.is_none() {
                    return Err(Error::NotFound { near: self.store.roots.nearby(&path), path });
                }
                let os = |source| Error::os(target.shown.clone(), "read", source);
                let file = target.dir.open(&target.name).map_err(os)?;
                let bytes = read_whole(&*file, &target.shown)?;
                let digest = Digest::of(&bytes);
                let content = String::from_utf8(bytes).map_err(|error| Error::NotUtf8 {
                    path: target.shown.clone(),
                    message: error.utf8_error().to_string(),
                })?;
                Ok(Origin {
                    content,
                    file: Some((target.path, digest)),
                    label: target.shown.clone(),
                    path: Some(target.shown),
                })
            }
        }
    }
}
