//! The handoff: `HANDOFF.md`, from which a fresh agent can go on, with digests that tell whether
//! the files are still as they were left.

use std::io;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::checkpoint::CheckpointRef;
use crate::commit::{Committer, Old, WriteContext};
use crate::contents::{Content, check_whole, digest_of, read_whole};
use crate::digest::Digest;
use crate::error::{Error, HANDOFF, Result};
use crate::form::{Form, FormChange};
use crate::front_matter;
use crate::journal::{Also, Mode};
use crate::number;
use crate::risk::{Findings, Verdict};
use crate::roots::{Target, holds_scratch};
use crate::screen::Screen;
use crate::stamp;
use crate::write::{Guard, OwnerChange, Rules, check, form_before, put, shrink};

/// Where the handoff is when nobody says otherwise.
pub const DEFAULT_PATH: &str = HANDOFF;
/// The directory of the copies, in the state directory.
const ARCHIVE: &str = "handoffs";
const REQUIRED: [&str; 6] =
    ["task_id", "status", "agent", "summary", "next_steps", "last_good_state"];
const STATUSES: [&str; 4] = ["complete", "partial", "blocked", "handed_off"];

/// The handoff of a workspace.
#[derive(Clone, Copy, Debug)]
pub struct Handoff<'a> {
    pub(crate) store: &'a Committer,
}

/// What is to be handed off.
#[derive(Clone, Debug)]
pub struct HandoffRequest {
    /// The facts, in the caller's order.
    pub envelope: Map<String, Value>,
    /// Prose that follows them.
    pub body: String,
    /// Where to write, usually [`DEFAULT_PATH`].
    pub path: String,
    /// Whether to keep a copy of the handoff that is replaced.
    pub archive: bool,
    /// The digest that the file must have before, in hex; `""` for a file that must not exist.
    pub expected_prev_sha256: Option<String>,
    /// Refuses a handoff of this verdict or a higher one; a policy may demand as much without being asked.
    pub reject_at: Option<Verdict>,
    /// As in [`WriteRequest`](crate::write::WriteRequest).
    pub allow_shrink: bool,
}

/// A handoff that is durably written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HandoffReceipt {
    /// Where it is.
    pub handoff_path: String,
    /// Digest of the file.
    pub sha256: Digest,
    /// Length of the file.
    pub bytes: u64,
    /// The journal row.
    pub journal_id: String,
    /// Length of the file before; absent for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_bytes: Option<u64>,
    /// Digest of the file before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_sha256: Option<Digest>,
    /// As in [`WriteReceipt`](crate::write::WriteReceipt).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner_changed: Option<OwnerChange>,
    /// As in [`WriteReceipt`](crate::write::WriteReceipt).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form_changed: Option<FormChange>,
    /// As in [`WriteReceipt`](crate::write::WriteReceipt).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub twins: Vec<String>,
    /// Where the copy of the file before is, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive_path: Option<String>,
    /// Files of `last_good_state` that are not as it says.
    pub drift_warnings: Vec<Drift>,
    /// The checkpoints there are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checkpoint_refs: Vec<CheckpointRef>,
    /// What was found in a handoff that was judged and passed; lines are those of its file.
    #[serde(flatten)]
    pub findings: Findings,
}

/// A handoff as it was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Found {
    /// Where it is.
    pub handoff_path: String,
    /// The facts.
    pub envelope: Value,
    /// The prose.
    pub body: String,
    /// Files of `last_good_state` that are not as it says.
    pub drift_warnings: Vec<Drift>,
    /// The checkpoints there are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checkpoint_refs: Vec<CheckpointRef>,
}

/// A file that is not as the handoff says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Drift {
    /// The path as the handoff has it.
    pub path: Value,
    /// `missing`, `hash_mismatch` or `invalid_path`.
    pub reason: &'static str,
    /// What it should be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_sha256: Option<String>,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual_sha256: Option<Digest>,
}

impl Handoff<'_> {
    /// Writes the handoff, in place of one that is there.
    ///
    /// # Errors
    /// A required fact is missing or of the wrong kind; the handoff is blocked; the file is not the
    /// one expected; the handoff has a mark or a placeholder in the place of the file's text; the path or the
    /// disk refuses.
    pub(crate) fn write(
        &self,
        request: HandoffRequest,
        checkpoint_refs: Vec<CheckpointRef>,
        screen: &Screen,
    ) -> Result<HandoffReceipt> {
        let HandoffRequest { mut envelope, body, path, archive, allow_shrink, .. } = request;
        let expected_prev_sha256 = request.expected_prev_sha256;
        check_facts(&envelope)?;
        for fact in envelope.values_mut() {
            number::normalize("envelope", fact)?;
        }
        if !envelope.contains_key("updated_at") {
            envelope.insert("updated_at".to_owned(), self.store.now().into());
        }
        let drift_warnings = self.drift(&envelope);
        let text = front_matter::write(&envelope, &body).ok_or_else(too_deep)?;
        let findings = screen.check(&self.store.roots, &path, &text)?;
        let guard = Guard::of(&text, screen.policy());
        let text = Content::of(text.into_bytes());
        let task = file_name(envelope.get("task_id").unwrap_or(&Value::Null));
        let rules = Rules::of(screen.policy());
        self.store.submit(move |op| {
            let target = op.store.roots.writable(&path, rules.git)?;
            op.claim(&target)?;
            check_whole(text.bytes.len() as u64, &target.shown)?;
            if let (true, Some(stat)) = (archive, target.stat) {
                check_whole(stat.len, &target.shown)?;
            }
            let old = op.old(&target)?;
            check(&target, old.as_ref(), expected_prev_sha256.as_deref())?;
            if let Some(old) = &old {
                if let Some(guard) = &guard {
                    guard.check(&target, &op.old_bytes(&target)?, &text.bytes)?;
                }
                if !allow_shrink {
                    shrink::check(&target, old, &text.bytes, || op.old_bytes(&target))?;
                }
            }
            let old_form = form_before(&target, old.as_ref())?;
            let (mut also, mut archive_path) = (Vec::new(), None);
            if let (true, Some(old)) = (archive, &old) {
                let (path, copy) = keep_copy(op, &target, old, &task)?;
                archive_path = Some(path);
                also.extend(copy);
            }
            let mode = if old.is_some() { Mode::Overwrite } else { Mode::Create };
            let receipt = put(op, target, old.as_ref(), &text, mode, rules)?;
            op.together_with(also);
            Ok(HandoffReceipt {
                handoff_path: receipt.path,
                sha256: receipt.sha256,
                bytes: receipt.bytes,
                journal_id: receipt.journal_id,
                prev_bytes: receipt.prev_bytes,
                prev_sha256: receipt.prev_sha256,
                owner_changed: receipt.owner_changed,
                form_changed: old_form
                    .and_then(|old| Form::change(old, Form::at_ends(&text.bytes))),
                twins: receipt.twins,
                archive_path,
                drift_warnings: drift_warnings.clone(),
                checkpoint_refs: checkpoint_refs.clone(),
                findings: findings.clone(),
            })
        })
    }

    /// Reads the handoff and compares the files that it names.
    ///
    /// # Errors
    /// There is none at that path; it is no handoff, or lacks a required fact; the path leads out of
    /// the workspace, or into a sealed scratchpad.
    pub(crate) fn read(
        &self,
        path: &str,
        checkpoint_refs: Vec<CheckpointRef>,
        sealed_scratch: bool,
    ) -> Result<Found> {
        self.store.visible()?;
        let roots = &self.store.roots;
        let target = roots.readable(path).map_err(|error| roots.with_near(error, path))?;
        // A draft in the scratchpad may have been a handoff.
        let is_other_name = || target.stat.as_ref().is_some_and(|it| self.store.has_in_scratch(it));
        if sealed_scratch && (holds_scratch(&target.path) || is_other_name()) {
            return Err(Error::ScratchGetDisabled);
        }
        let os = |source| Error::os(target.shown.clone(), "read", source);
        let file = target.dir.open(&target.name).map_err(os)?;
        let bytes = read_whole(&*file, &target.shown)?;
        let damaged = |reason| Error::FrontMatter { path: target.shown.clone(), reason };
        let text = String::from_utf8(bytes)
            .map_err(|error| damaged(format!("not_utf8: {}", error.utf8_error())))?;
        let (envelope, body) = front_matter::read(&text).map_err(damaged)?;
        check_facts(&envelope)?;
        Ok(Found {
            handoff_path: target.shown.clone(),
            drift_warnings: self.drift(&envelope),
            envelope: Value::Object(envelope),
            body: body.to_owned(),
            checkpoint_refs,
        })
    }

    fn drift(&self, envelope: &Map<String, Value>) -> Vec<Drift> {
        let states = envelope.get("last_good_state").and_then(Value::as_array);
        states
            .into_iter()
            .flatten()
            .filter_map(|state| self.drift_of(state.get("path")?, state.get("sha256")?))
            .collect()
    }

    fn drift_of(&self, path: &Value, expected: &Value) -> Option<Drift> {
        let drift = |reason| Drift {
            path: path.clone(),
            reason,
            expected_sha256: None,
            actual_sha256: None,
        };
        let Some(text) = path.as_str() else { return Some(drift("invalid_path")) };
        let roots = &self.store.roots;
        let target =
            roots.readable(text).or_else(|error| match (error, roots.elsewhere(text).first()) {
                // The Python server names files of other roots by paths in these.
                (Error::NotFound { .. }, Some(elsewhere)) => roots.readable(elsewhere),
                (error, _) => Err(error),
            });
        let target = match target {
            Ok(target) => target,
            Err(Error::NotFound { .. }) => return Some(drift("missing")),
            // The path goes through what is a file now.
            Err(Error::Os { source, .. }) if source.kind() == io::ErrorKind::NotADirectory => {
                return Some(drift("missing"));
            }
            Err(_) => return Some(drift("invalid_path")),
        };
        let Ok(file) = target.dir.open(&target.name) else { return Some(drift("missing")) };
        let Ok((actual, _)) = digest_of(&*file) else { return Some(drift("missing")) };
        let expected = expected.as_str().map_or_else(|| expected.to_string(), str::to_owned);
        (actual.to_string() != expected).then(|| Drift {
            expected_sha256: Some(expected),
            actual_sha256: Some(actual),
            ..drift("hash_mismatch")
        })
    }
}

/// Stages a copy of the handoff that is replaced, under a name that no other content has, unless there is one. Tells
/// where it is.
fn keep_copy(
    op: &mut WriteContext<'_>,
    target: &Target,
    old: &Old,
    task: &str,
) -> Result<(String, Option<Also>)> {
    let stem = format!("{}_{task}", stamp::compact(op.store.clock.now_ns()));
    let mut name = format!("{stem}.md");
    // A second handoff in one second must not replace the copy of the first.
    let mut next = 2_u32;
    loop {
        let copy_at = op.store.state_target(op.state, &[ARCHIVE], &name)?;
        op.claim(&copy_at)?;
        match op.old(&copy_at)? {
            None => {
                let text = read_whole(&*old.file, &target.shown)?;
                let staged = op.stage(&copy_at, &Content::of(text))?;
                let path = copy_at.shown.clone();
                return Ok((path, Some(op.publish_also(staged, copy_at, None)?)));
            }
            Some(copy) if copy.digest == old.digest => return Ok((copy_at.shown, None)),
            Some(_) => name = format!("{stem}_{next}.md"),
        }
        next += 1;
    }
}

fn too_deep() -> Error {
    Error::BadArgument {
        argument: "envelope",
        message: format!("more than {} levels of lists and maps", front_matter::DEPTH),
    }
}

fn check_facts(envelope: &Map<String, Value>) -> Result<()> {
    let missing_fields: Vec<_> =
        REQUIRED.into_iter().filter(|field| !envelope.contains_key(*field)).collect();
    if !missing_fields.is_empty() {
        return Err(Error::HandoffFields { missing_fields });
    }
    let status = envelope.get("status").unwrap_or(&Value::Null);
    if !status.as_str().is_some_and(|status| STATUSES.contains(&status)) {
        return Err(Error::HandoffStatus { status: status.clone() });
    }
    for field in ["next_steps", "last_good_state"] {
        if !envelope.get(field).is_some_and(Value::is_array) {
            return Err(Error::HandoffNotAList { field });
        }
    }
    let states = envelope.get("last_good_state").and_then(Value::as_array);
    for (index, state) in states.into_iter().flatten().enumerate() {
        if state.get("path").is_none() || state.get("sha256").is_none() {
            return Err(Error::HandoffState { index });
        }
    }
    Ok(())
}

/// A task's identity as part of a file name: whatever a file system may refuse becomes `_`.
fn file_name(task: &Value) -> String {
    let text = task.as_str().map_or_else(|| task.to_string(), str::to_owned);
    let safe: String = text
        .chars()
        .map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' })
        .collect();
    // A name may have 255 bytes, of which the time and the ending take some.
    safe.char_indices().take_while(|(at, _)| *at < 200).map(|(_, c)| c).collect()
}
