//! The screen: whether what a call is to write looks like secrets.
//!
//! A call asks for it, or the policy demands it of every call. What is refused is named in
//! [`Error::Blocked`]; what passes with findings is answered with them ([`Findings`]). Where the draft of
//! a refused call is kept is decided by the facade.

use std::sync::Arc;

use crate::commit::Committer;
use crate::error::{Blocking, Draft, Error, Result, Unkept};
use crate::form::Guess;
use crate::policy::Policy;
use crate::policy_file::PolicyFile;
use crate::progress::Progress;
use crate::risk::{self, Findings, Report, Verdict};
use crate::roots::{Roots, Target};

/// The policy that a call is under, and what it makes of the call's content.
#[derive(Clone, Debug)]
pub(crate) struct Screen {
    policy: Arc<Policy>,
    /// Whether the policy file can be used.
    is_sound: bool,
    /// Refuses this verdict and higher ones; nothing is judged where there is none.
    reject_at: Option<Verdict>,
    /// Who watches the call.
    progress: Arc<dyn Progress>,
}

impl Screen {
    /// The screen for a call that asks to have content refused from a verdict on, or does not ask.
    ///
    /// # Errors
    /// The call asks, and the policy file cannot be used. One that does not ask is under the least policy
    /// then.
    pub(crate) fn of(store: &Committer, asked: Option<Verdict>) -> Result<Self> {
        let (policy, is_sound) = match (store.policy.get(), asked) {
            (Ok(policy), _) => (policy, true),
            (Err(error), Some(_)) => return Err(error),
            (Err(_), None) => (Arc::new(Policy::least()), false),
        };
        let reject_at = policy.classify.reject_at(asked);
        Ok(Self { policy, is_sound, reject_at, progress: Arc::clone(&store.progress) })
    }

    /// The policy that the call is under.
    pub(crate) fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Whether content is judged at all.
    pub(crate) fn is_on(&self) -> bool {
        self.reject_at.is_some()
    }

    /// Judges what the file of a path is to hold. The path is one as an agent writes it.
    ///
    /// # Errors
    /// The content is refused: [`Error::Blocked`]. The watcher of the call stops it: [`Error::Cancelled`].
    pub(crate) fn check(&self, roots: &Roots, path: &str, content: &str) -> Result<Findings> {
        self.judge(path, content, || score(roots, path, content, &self.policy.risk, risk::score))
    }

    /// Judges what is to be kept in the state directory, by its path there.
    ///
    /// # Errors
    /// As [`Screen::check`].
    pub(crate) fn check_state(&self, shown: &str, content: &str) -> Result<Findings> {
        self.judge(shown, content, || risk::score_file(shown, content, &self.policy.risk))
    }

    /// Judges what an edit adds to a file, in whatever encoding that is. `written` is what the caller sends.
    /// Nothing is judged in a file that the policy lets pass.
    ///
    /// # Errors
    /// As [`Screen::check`].
    pub(crate) fn check_added(
        &self,
        shown: &str,
        before: &[u8],
        after: &[u8],
        written: &str,
    ) -> Result<Findings> {
        let text = |bytes| Guess::of(bytes).encoding.text_of(bytes);
        self.judge(shown, written, || {
            if self.policy.risk.allow.path(shown) {
                return risk::score_file(shown, written, &self.policy.risk);
            }
            risk::score_added(&text(before), &text(after), written, &self.policy.risk)
        })
    }

    /// Judges what is added behind the end of a file, together with the end of that: a secret may
    /// come in two calls. Lines are those of `written`, as the caller knows them, and so are the numbers of findings.
    ///
    /// # Errors
    /// As [`Screen::check`].
    pub(crate) fn check_behind(
        &self,
        path: &str,
        target: &Target,
        end: &str,
        written: &str,
    ) -> Result<Findings> {
        let policy = &self.policy.risk;
        if policy.allow.path(&target.shown) {
            return self.judge(path, written, || risk::score_file(&target.shown, written, policy));
        }
        let judged = self.judge(path, written, || {
            let report = risk::score_appended(end, written, policy);
            report.without_lines(memchr::memchr_iter(b'\n', end.as_bytes()).count())
        });
        judged.map_err(|error| match error {
            Error::Blocked { path, report, by, reject_at, retry_budget, draft } => {
                let report = Box::new(risk::as_of_text(*report, end.len(), written, policy));
                Error::Blocked { path, report, by, reject_at, retry_budget, draft }
            }
            other => other,
        })
    }

    fn judge(&self, path: &str, draft: &str, report: impl FnOnce() -> Report) -> Result<Findings> {
        let Some(reject_at) = self.reject_at else { return Ok(Findings::default()) };
        let report = scan(&self.progress, report)?;
        let by = if report.verdict >= reject_at {
            Blocking::Score
        } else if self.policy.classify.reject_secrets
            && Findings::has_secret(&report, &self.policy.risk)
        {
            Blocking::Secret
        } else {
            return Ok(Findings::of(&report, &self.policy.risk));
        };
        Err(Error::Blocked {
            path: Some(path.to_owned()),
            report: Box::new(report),
            by,
            reject_at,
            retry_budget: self.policy.retry_budget,
            draft: Some(Box::new(Draft::Here(Unkept {
                content: draft.to_owned(),
                is_edit: false,
            }))),
        })
    }

    /// Blames a policy file that cannot be used for a refusal that it might not have made.
    pub(crate) fn blame(&self, file: &PolicyFile, error: Error) -> Error {
        match (&error, file.get()) {
            (
                Error::HardLinked { .. } | Error::ReadOnly { .. } | Error::Blocked { .. },
                Err(policy),
            ) if !self.is_sound => policy,
            _ => error,
        }
    }
}

/// Scans a text, on this thread, while the watcher of the call is told how far that is.
///
/// # Errors
/// The watcher stops it: [`Error::Cancelled`].
pub(crate) fn scan<T>(progress: &Arc<dyn Progress>, work: impl FnOnce() -> T) -> Result<T> {
    let progress = Arc::clone(progress);
    risk::watched(move |done| progress.step(done, None), work)
        .map_err(|risk::Stopped| Error::Cancelled)
}

/// Scores what a file is to hold, as `score` does. The policy may let the file pass: by what its path
/// leads to, not by how it is written, or any file would be let pass through a link or `..`.
pub(crate) fn score(
    roots: &Roots,
    path: &str,
    content: &str,
    policy: &risk::Policy,
    score: fn(&str, &risk::Policy) -> Report,
) -> Report {
    if policy.allow.paths.is_empty() {
        return score(content, policy);
    }
    match roots.locate(path) {
        Ok(target) if policy.allow.path(&target.shown) => {
            risk::score_file(&target.shown, content, policy)
        }
        _ => score(content, policy),
    }
}
