//! Joining the parts of a session into a file.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

use super::attempt::{self, Step};
use super::joined::Joined;
use super::kept::{check_session, complete, part_index};
use super::looked::{Known, Seen};
use super::manifest::MANIFEST;
use super::{Chunks, composed};
use crate::checked::Checked;
use crate::commit::{Old, Staged, WriteContext};
use crate::contents::{digest_now, digest_of_dir, form_of, listing};
use crate::digest::Digest;
use crate::disk::{DirRef, File, Stat, read_up_to};
use crate::error::{Draft, Error, LastWrite, Result};
use crate::form::{Asked, Form, FormChange, Speller, Spelling};
use crate::journal::Mode;
use crate::progress::Progress;
use crate::redact::MarkedLines;
use crate::risk::{Detection, Findings, Report, Verdict};
use crate::roots::Target;
use crate::screen::Screen;
use crate::store::{CHUNKS, Store};
use crate::write::{Guard, OwnerChange, Rules, check, owner_change, shrink, unspellable, whole};

/// How much of a file is looked at in one piece.
const BLOCK: usize = 128 * 1024;

/// Parts to be joined into a file.
#[derive(Clone, Debug, Default)]
pub struct ComposeRequest {
    /// The session's name.
    pub session: String,
    /// The file to be written, as the agent writes its path.
    pub output_path: String,
    /// What stands between the parts.
    pub separator: String,
    /// Whether the parts go afterwards.
    pub cleanup: bool,
    /// The digest that the file must have before, in hex; `""` for a file that must not exist.
    pub expected_prev_sha256: Option<String>,
    /// Refuses a text of this verdict or a higher one; a policy may demand as much without being asked.
    pub reject_at: Option<Verdict>,
    /// Refuses a text that has a syntax error, as far as the name of the output tells its format. The text is in
    /// memory for it.
    pub validate: bool,
    /// The encoding and the line ends.
    pub form: Asked,
    /// As in [`WriteRequest`](crate::write::WriteRequest).
    pub allow_shrink: bool,
    /// Refuses parts that the caller does not know, as in
    /// [`PartRequest::one_attempt`](super::PartRequest::one_attempt).
    pub one_attempt: bool,
}

/// A file that was durably composed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ComposeReceipt {
    /// The session's name.
    pub session: String,
    /// The file's path as it is reported.
    pub output_path: String,
    /// Digest of the file.
    pub sha256: Digest,
    /// Length of the file.
    pub bytes: u64,
    /// How many parts it was made of.
    pub chunk_count: usize,
    /// Digest of each part, without separators.
    pub chunk_hashes: Vec<Digest>,
    /// The journal row.
    pub journal_id: String,
    /// Whether the session was removed.
    pub cleaned_up: bool,
    /// The parts without a newline at their end: their last line goes on in the next part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub joined_mid_line: Vec<u32>,
    /// What the check of the text said, where one was asked for.
    #[serde(flatten)]
    pub checked: Option<Checked>,
    /// The file's form, where it is not UTF-8 without a byte order mark and with `\n`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<Form>,
    /// Set when the file that was replaced had another encoding or other line ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form_changed: Option<FormChange>,
    /// What was found in a text that was judged and passed.
    #[serde(flatten)]
    pub findings: Findings,
    /// Length of the file before; absent for one that did not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_bytes: Option<u64>,
    /// Digest of the file before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_sha256: Option<Digest>,
    /// Set when a part after the first one began with a byte order mark, which was left out: it would stand in the middle of the file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bom_dropped: bool,
    /// As in [`WriteReceipt`](crate::write::WriteReceipt).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner_changed: Option<OwnerChange>,
    /// As in [`WriteReceipt`](crate::write::WriteReceipt).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub twins: Vec<String>,
    /// The newest change of the parts, if another session of a client has made it: parts of others may be in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_write: Option<LastWrite>,
}

impl Chunks<'_> {
    /// Joins all parts, with `separator` between them, into one file.
    ///
    /// The parts are streamed: the file may be larger than memory, unless the text is judged, which takes it
    /// as a whole. An existing file is replaced.
    ///
    /// # Errors
    /// There is no session or no part; numbers are missing, or their count is not the announced
    /// one; the parts are of another attempt; the joined bytes are no UTF-8; the text is blocked; the file is not the one expected; the
    /// encoding lacks a character of the text, or the text has a syntax error; the output path or the disk
    /// refuses.
    pub fn compose(&self, request: ComposeRequest) -> Result<ComposeReceipt> {
        let screen = Screen::of(self.store, request.reject_at)?;
        let attempt = request.one_attempt.then(|| request.session.clone());
        let composed = self.compose_under(&screen, request);
        if let Some(session) = attempt {
            match &composed {
                Ok(composed) => {
                    let row = Some(composed.journal_id.clone());
                    self.knows(&session, Known::Parts(Seen::until(row)));
                }
                Err(Error::Blocked { .. }) => self.learns(&session, |seen| seen.is_blocked = true),
                // What is sent from part 1 on is another text, with fewer parts.
                Err(Error::ChunkCount { .. }) => {
                    self.learns(&session, |seen| seen.is_blocked = false);
                }
                _ => {}
            }
        }
        composed.map_err(|error| screen.blame(&self.store.policy, error))
    }

    fn compose_under(&self, screen: &Screen, request: ComposeRequest) -> Result<ComposeReceipt> {
        let ComposeRequest {
            session,
            output_path,
            cleanup,
            validate,
            form: asked,
            allow_shrink,
            one_attempt,
            ..
        } = request.clone();
        check_session(&session)?;
        let (by, known) = (self.store.by().cloned(), self.known(&session));
        let policy = screen.policy();
        let form = policy.form.clone();
        let rules = Rules::of(policy);
        let guard = Guard::new(policy);
        let separator = request.separator.as_bytes().to_vec();
        // Judged here, where calls run in parallel; under the lock only if the parts have changed by then.
        let mut judged = None;
        if screen.is_on() {
            self.store.visible()?;
            judged = Some(judge(self.store, screen, &request)?);
        }
        let (screen, progress) = (screen.clone(), Arc::clone(&self.store.progress));
        self.store.submit(move |op| {
            let below = [CHUNKS, session.as_str()];
            op.claim_below(&below)?;
            let manifest_at = op.store.state_target(op.state, &below, MANIFEST)?;
            op.claim(&manifest_at)?;
            // IMPORTANT: before the parts are listed and read. What comes later is not in the file and does not go.
            let seen =
                match op.store.state_dir(&below)? {
                    Some(dir) if cleanup => Some(listing(&*dir).map_err(|source| {
                        Error::os(op.store.shown_state(&below), "read", source)
                    })?),
                    _ => None,
                };
            let (dir, indices) = complete(op.store, &session, true)?;
            if let (true, Some(by), Some(part)) = (one_attempt, &by, indices.last().copied()) {
                let (session, known) = (session.as_str(), known.as_ref());
                let step = Step { by, session, part, sent: None, is_last: true, known };
                attempt::check(op, &step)?;
            }
            let last_write = match &by {
                Some(by) if !one_attempt => attempt::last_of_others(op, by, &session, &indices),
                _ => None,
            };
            let target = op.store.roots.writable(&output_path, rules.git)?;
            op.claim(&target)?;
            let old = op.old(&target)?;
            check(&target, old.as_ref(), request.expected_prev_sha256.as_deref())?;
            if let Some(old) = &old {
                rules.check(&target, old)?;
            }
            let checked = match validate {
                true => {
                    let mut joined = Joined::new(&dir, &session, &indices, &separator);
                    let content = joined.content()?;
                    let checked = Checked::of(&target.shown, &content);
                    Some(
                        checked
                            .map_err(|error| with_parts(error, &content, &indices, &joined.ends))?,
                    )
                }
                false => None,
            };
            let mut joined = Joined::new(&dir, &session, &indices, &separator);
            let (spelling, old_form) = whole(op, &target, old.as_ref(), asked, &form)?;
            let (staged, marked) = stage(op, &target, &mut joined, spelling, &*progress)?;
            let may_stand = (|| {
                if screen.is_on() && judged.as_ref().is_none_or(|(of, _)| *of != joined.hashes) {
                    judged = Some(judge(op.store, &screen, &request)?);
                }
                if let Some(old) = old.as_ref().filter(|old| old.digest != staged.digest) {
                    if request.expected_prev_sha256.is_none() {
                        composed::check_left(op, by.as_ref(), &session, &target, old)?;
                    }
                    let text = || Joined::new(&dir, &session, &indices, &separator).content();
                    check_replaced(
                        op,
                        &target,
                        old,
                        &staged,
                        marked,
                        (&guard, allow_shrink),
                        text,
                    )?;
                }
                form_of(&*staged.file, staged.len)
                    .map_err(|source| Error::os(target.shown.clone(), "read", source))
            })();
            let new_form = match may_stand {
                Ok((found, _)) => found.spelled(spelling),
                Err(refused) => {
                    staged.remove(op.state);
                    return Err(refused);
                }
            };
            let chunk_hashes = std::mem::take(&mut joined.hashes);
            let joined_mid_line = std::mem::take(&mut joined.mid_line);
            let bom_dropped = joined.bom_dropped;
            let (sha256, bytes) = (staged.digest, staged.len);
            let shown = target.shown.clone();
            let mode = if old.is_some() { Mode::Overwrite } else { Mode::Create };
            let twins = if old.is_none() { op.store.roots.twins(&target) } else { Vec::new() };
            let (journaled, owner_changed) = match &old {
                Some(old) if old.digest == sha256 => {
                    staged.remove(op.state);
                    (op.confirm(&target, old, mode)?, None)
                }
                _ => {
                    let journaled = op.publish(staged, target, old.as_ref(), mode)?;
                    (journaled, old.as_ref().and_then(|old| owner_change(op, old)))
                }
            };
            op.composed_of(&session);
            if cleanup {
                discard(op, &session, &dir, (&indices, &chunk_hashes), seen)?;
            }
            Ok(ComposeReceipt {
                session: session.clone(),
                output_path: shown,
                sha256,
                bytes,
                chunk_count: chunk_hashes.len(),
                chunk_hashes,
                journal_id: journaled.journal_id,
                cleaned_up: cleanup,
                joined_mid_line,
                checked,
                form: Some(new_form).filter(|form| !form.is_plain()),
                form_changed: old_form.and_then(|old| Form::change(old, new_form)),
                findings: judged.as_ref().map(|(_, found)| found.clone()).unwrap_or_default(),
                prev_bytes: old.as_ref().map(|old| old.stat.len),
                prev_sha256: old.as_ref().map(|old| old.digest),
                owner_changed,
                bom_dropped,
                twins,
                last_write,
            })
        })
    }
}

/// Stages the joined parts in the file's form; gives them with the lines that hold marks.
fn stage(
    op: &mut WriteContext<'_>,
    target: &Target,
    joined: &mut Joined<'_>,
    spelling: Spelling,
    progress: &dyn Progress,
) -> Result<(Staged, MarkedLines)> {
    let (mut marked, mut joined_len) = (MarkedLines::default(), 0);
    let mut speller = Some(Speller::new(spelling));
    let staged = op.stage_parts(target, || {
        let Some(here) = &mut speller else { return Ok(None) };
        let mut out = Vec::new();
        let done = match joined.next_block()? {
            Some(block) => {
                marked.add(&block);
                joined_len += block.len() as u64;
                // The change has begun: it is made, whether or not its answer is wanted.
                progress.step(joined_len, None);
                here.push(&block, &mut out)
            }
            None => {
                let done = here.finish(&mut out);
                speller = None;
                done
            }
        };
        done.map_err(|fault| unspellable(fault, &target.shown))?;
        Ok(Some(out))
    })?;
    marked.finish_new();
    Ok((staged, marked))
}

/// Checks that the text may take the place of the file's: it puts no mark over a value, and is not much shorter.
fn check_replaced(
    op: &mut WriteContext<'_>,
    target: &Target,
    old: &Old,
    staged: &Staged,
    marked: MarkedLines,
    (guard, allow_shrink): (&Guard, bool),
    text: impl FnOnce() -> Result<Vec<u8>>,
) -> Result<()> {
    let adds_marks = adds_marks(marked, &*old.file)
        .map_err(|source| Error::os(target.shown.clone(), "read", source))?;
    let shrinks = !allow_shrink && shrink::is_notable(old.stat.len, staged.len);
    if !adds_marks && !shrinks {
        return Ok(());
    }
    // Only a mark that comes anew is compared with what the file holds, for which the guard needs both texts whole.
    let content = text()?;
    if adds_marks {
        guard.check(target, &op.old_bytes(target)?, &content)?;
    }
    if shrinks {
        shrink::check(target, old, &content, || op.old_bytes(target))?;
    }
    Ok(())
}

/// Removes the session together with the row of its file, unless another program has changed it meanwhile.
fn discard(
    op: &mut WriteContext<'_>,
    session: &str,
    dir: &DirRef,
    (indices, hashes): (&[u32], &[Digest]),
    seen: Option<Vec<(OsString, Stat)>>,
) -> Result<()> {
    let Some(chunks) = op.store.state_dir(&[CHUNKS])? else { return Ok(()) };
    let known = |name: &OsStr| hashes.get(indices.binary_search(&part_index(name)?).ok()?).copied();
    let found = digest_of_dir(&**dir, known)
        .map_err(|source| Error::os(op.store.shown_state(&[CHUNKS, session]), "read", source))?;
    op.discard_with_row(chunks, format!("{CHUNKS}/{session}"), found, seen)
}

/// Judges the joined parts as they are now; gives the digests of the parts that were judged.
fn judge(
    store: &Store,
    screen: &Screen,
    request: &ComposeRequest,
) -> Result<(Vec<Digest>, Findings)> {
    let ComposeRequest { session, output_path, separator, .. } = request;
    let (dir, indices) = complete(store, session, true)?;
    let mut joined = Joined::new(&dir, session, &indices, separator.as_bytes());
    let content = joined.content()?;
    let text = String::from_utf8_lossy(&content);
    match screen.check(&store.roots, output_path, &text) {
        Ok(found) => Ok((joined.hashes, found)),
        // The parts are the draft.
        Err(Error::Blocked { path, report, by, reject_at, retry_budget, .. }) => {
            let target = store.roots.locate(output_path);
            let draft = Some(Box::new(Draft::Session {
                session: session.clone(),
                parts: parts_with(&report, &indices, &joined.ends),
                separator: separator.clone(),
                output_path: output_path.clone(),
                existing: target.ok().and_then(|target| digest_now(&target).ok().flatten()),
            }));
            Err(Error::Blocked { path, report, by, reject_at, retry_budget, draft })
        }
        Err(other) => Err(other),
    }
}

/// A syntax error, with the parts that its lines are in.
fn with_parts(error: Error, content: &[u8], indices: &[u32], ends: &[u64]) -> Error {
    let Error::Invalid { path, report, .. } = error else { return error };
    let breaks = content.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let starts: Vec<usize> = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect();
    // An error at the end of the text is one of its last byte.
    let last = content.len().saturating_sub(1);
    let line_at = |line: usize| {
        let start = starts.get(line.saturating_sub(1)).map_or(last, |start| (*start).min(last));
        start..starts.get(line).copied().unwrap_or(content.len())
    };
    let lines = report.errors.iter().map(|found| line_at(found.line));
    let parts = parts_of(lines, indices, ends);
    Error::Invalid { path, report, parts }
}

/// The numbers of the parts in which something was found.
fn parts_with(report: &Report, indices: &[u32], ends: &[u64]) -> Vec<u32> {
    let patterns = report.detected_patterns.iter().filter_map(|found| match found {
        Detection::Pattern(hit) => Some(hit),
        Detection::Size(_) => None,
    });
    parts_of(patterns.map(|hit| hit.span.clone()), indices, ends)
}

/// The numbers of the parts that hold these places of the joined text.
fn parts_of(places: impl Iterator<Item = Range<usize>>, indices: &[u32], ends: &[u64]) -> Vec<u32> {
    let part_at = |at: usize| {
        let part = ends.partition_point(|end| *end <= at as u64);
        indices.get(part).copied()
    };
    let parts: BTreeSet<u32> = places
        .flat_map(|place| {
            let last = place.end.saturating_sub(1).max(place.start);
            let (first, last) = (part_at(place.start), part_at(last));
            first.zip(last).into_iter().flat_map(|(first, last)| first..=last)
        })
        .collect();
    parts.into_iter().collect()
}

/// Whether a new text may have a line with marks more often than the file that it takes the place
/// of.
fn adds_marks(mut new: MarkedLines, old: &dyn File) -> io::Result<bool> {
    let mut block = Vec::new();
    let mut at = 0;
    while new.may_remain() {
        block.resize(BLOCK, 0);
        let read = read_up_to(old, &mut block, at)?;
        if read == 0 {
            // The last line may have no end.
            new.take(b"\n");
            break;
        }
        new.take(block.get(..read).unwrap_or_default());
        at += read as u64;
    }
    Ok(new.may_remain())
}
