//! Chunk sessions: a long text in numbered parts, each of them durable, joined into one file.
//!
//! A session is a directory of parts and a manifest. A part and the manifest's new version are
//! published together; composing publishes the joined file like any other write. Nothing of a
//! session needs the process that began it.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::checked::Checked;
use crate::commit::Committer;
use crate::contents::{Content, check_whole, digest_now, digest_of_dir, form_of, listing};
use crate::digest::{Digest, Hasher};
use crate::disk::{DirRef, File, Kind, read_up_to};
use crate::error::{Composed, Draft, Error, Result};
use crate::form::{Asked, Encoding, Form, FormChange, Speller};
use crate::journal::Mode;
use crate::name::is_name;
use crate::near::nearest;
use crate::omit::is_zero;
use crate::redact::MarkedLines;
use crate::risk::{Detection, Findings, Report, Verdict};
use crate::screen::Screen;
use crate::store::{CHUNKS, Store};
use crate::write::{Guard, OwnerChange, Rules, check, owner_change, shrink, unspellable, whole};

mod attempt;
mod composed;
mod looked;
mod preview;
mod rows;
mod status;

use attempt::Step;
pub(crate) use composed::composed_of;
use looked::Known;
pub(crate) use looked::Looked;
pub use preview::{Preview, PreviewRequest};
pub use status::{LastPart, Parts, Session, Sessions, Status};

const MANIFEST: &str = "manifest.json";
/// A session has no more parts.
pub const PARTS_MAX: u32 = 999;
const BLOCK: usize = 128 * 1024;

/// The sessions of a workspace.
#[derive(Clone, Copy, Debug)]
pub struct Chunks<'a> {
    pub(crate) store: &'a Committer,
    pub(crate) looked: &'a Looked,
}

/// A part to be kept.
#[derive(Clone, Debug, Default)]
pub struct PartRequest {
    /// The session's name: `[A-Za-z0-9_-]{1,64}`.
    pub session: String,
    /// The part's number, from 1 to 999; the number after the highest where there is none.
    pub index: Option<i64>,
    /// The part.
    pub content: String,
    /// How many parts there will be.
    pub total_expected: Option<i64>,
    /// The digest that the part of that number must have before, in hex, or, without a number, the part with
    /// the highest one; `""` where there must be none.
    pub expected_prev_sha256: Option<String>,
    /// Refuses content of this verdict or a higher one; a policy may demand as much without being asked.
    pub reject_at: Option<Verdict>,
    /// The absolute path of the file that the parts are for, where that is known: it is listed with the session.
    pub output_path: Option<String>,
    /// Refuses a part if somebody else has begun anew or replaced a part since the caller knew the parts, and a last one
    /// (its number is the total) while a part before it is missing. A caller knows the parts as they were at its last
    /// part or at its last [`Chunks::look`]; in a new session, at the last part of its program.
    pub one_attempt: bool,
}

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
    /// Refuses parts that the caller does not know, as in [`PartRequest::one_attempt`].
    pub one_attempt: bool,
}

/// A part that is durably kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChunkReceipt {
    /// The session's name.
    pub session: String,
    /// The part's number, from 1.
    pub index: u32,
    /// Where the part is kept.
    pub chunk_path: String,
    /// Digest of the part.
    pub sha256: Digest,
    /// Length of the part.
    pub bytes: u64,
    /// The journal row.
    pub journal_id: String,
    /// What was found in a part that was judged and passed.
    #[serde(flatten)]
    pub findings: Findings,
    /// What keeps the parts from being composed: this one, or another, is beyond the total that is announced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Length of the part that had the number before; absent where none had it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_bytes: Option<u64>,
    /// Digest of the part that had the number before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_sha256: Option<Digest>,
    /// Where the session was composed before, and the parts from then are gone: this is one of a new beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub composed_before: Option<Composed>,
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
}

/// What a reset removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reset {
    /// The session's name.
    pub session: String,
    /// How many files it had, the manifest included.
    pub removed: u64,
    /// How many parts it had.
    #[serde(skip_serializing_if = "is_zero")]
    pub parts: u64,
    /// Whether there was one of that name.
    pub existed: bool,
    /// The nearest names, where there was none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest_names: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Manifest {
    /// The file that an earlier session of this name was composed into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    composed_before: Option<Composed>,
    created_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_path: Option<String>,
    session: String,
    #[serde(default)]
    total_expected: Option<u32>,
    updated_at: String,
}

impl Chunks<'_> {
    /// Keeps a part under its number, in place of one that has it: [`Chunks::keep`] without conditions.
    ///
    /// # Errors
    /// As [`Chunks::keep`].
    pub fn write(
        &self,
        session: &str,
        index: i64,
        content: String,
        total_expected: Option<i64>,
    ) -> Result<ChunkReceipt> {
        let (session, index) = (session.to_owned(), Some(index));
        self.keep(PartRequest { session, index, content, total_expected, ..Default::default() })
    }

    /// Keeps a part under the number after the highest: [`Chunks::keep`] without conditions.
    ///
    /// # Errors
    /// As [`Chunks::keep`].
    pub fn append(
        &self,
        session: &str,
        content: String,
        total_expected: Option<i64>,
    ) -> Result<ChunkReceipt> {
        let session = session.to_owned();
        self.keep(PartRequest { session, content, total_expected, ..Default::default() })
    }

    /// Keeps a part, in place of one that has its number.
    ///
    /// # Errors
    /// The session's name, the number or the total is not one; the number is beyond the total
    /// given with it; the part is blocked; the part before is not the one expected; the part is of another
    /// attempt; the manifest is damaged; the disk refuses.
    pub fn keep(&self, request: PartRequest) -> Result<ChunkReceipt> {
        let (number, total, findings) = self.judged(&request)?;
        let session = request.session.clone();
        let kept = self.put(request, number, total);
        if let Err(Error::PartOfAnother { .. }) = &kept {
            self.knows(&session, Some(Known::Refused));
        }
        kept.map(|receipt| ChunkReceipt { findings, ..receipt })
    }

    /// Begins anew with part 1, and removes the parts that are there; gives how many. If the part is refused for what it
    /// holds, they stay. Then the caller's next parts are refused until it lists the parts or begins anew.
    ///
    /// # Errors
    /// As [`Chunks::keep`]; and another program sends parts each time that they were removed.
    pub fn begin(&self, request: PartRequest) -> Result<(ChunkReceipt, u64)> {
        let session = request.session.clone();
        let begun = self.begin_once(request);
        let is_there = || list(self.store, &session).is_ok_and(|found| found.is_some());
        match &begun {
            Ok(_) => self.knows(&session, None),
            Err(_) if is_there() => self.knows(&session, Some(Known::Refused)),
            Err(_) => {}
        }
        begun
    }

    fn begin_once(&self, request: PartRequest) -> Result<(ChunkReceipt, u64)> {
        const TRIES: u32 = 9;
        let (index, expected_prev_sha256) = (Some(1), Some(String::new()));
        let request = PartRequest { index, expected_prev_sha256, ..request };
        let (number, total, findings) = self.judged(&request)?;
        let mut discarded = 0;
        for _ in 0..TRIES {
            discarded += self.reset(&request.session)?.parts;
            match self.put(request.clone(), number, total) {
                // Another caller has begun anew at the same time.
                Err(Error::Stale { .. }) => {}
                kept => return Ok((ChunkReceipt { findings, ..kept? }, discarded)),
            }
        }
        Err(Error::SessionChanges { session: request.session })
    }

    /// Checks what a part is by itself; gives its number, the total, and what was found in its text.
    fn judged(&self, request: &PartRequest) -> Result<(Option<u32>, Option<u32>, Findings)> {
        let PartRequest { index, total_expected, reject_at, .. } = *request;
        let session = request.session.as_str();
        check_session(session)?;
        let number = index.map(|index| {
            u32::try_from(index)
                .ok()
                .filter(|index| (1..=PARTS_MAX).contains(index))
                .ok_or_else(|| Error::ChunkIndex { session: session.to_owned(), index })
        });
        let number = number.transpose()?;
        let total = check_total(session, total_expected)?;
        if let (Some(number), Some(total)) = (number, total)
            && number > total
        {
            return Err(Error::IndexExceedsTotal {
                session: session.to_owned(),
                index: number.into(),
                total_expected: total.into(),
            });
        }
        let shown = match number {
            Some(number) => self.store.shown_state(&[CHUNKS, session, &part_name(number)]),
            None => self.store.shown_state(&[CHUNKS, session, "part"]),
        };
        let findings = Screen::of(&self.store.policy, reject_at).and_then(|screen| {
            let passed = screen.check_state(&shown, &request.content);
            passed.map_err(|error| screen.blame(&self.store.policy, error))
        })?;
        Ok((number, total, findings))
    }

    /// What the caller knows of the parts of a session beside what it has sent.
    fn known(&self, session: &str) -> Option<Known> {
        self.looked.by(self.store.by()?.session.as_deref()?, session)
    }

    fn knows(&self, session: &str, known: Option<Known>) {
        if let Some(caller) = self.store.by().and_then(|by| by.session.as_deref()) {
            self.looked.set(caller, session, known);
        }
    }

    fn put(
        &self,
        request: PartRequest,
        index: Option<u32>,
        total: Option<u32>,
    ) -> Result<ChunkReceipt> {
        let PartRequest { session, content, output_path, one_attempt, .. } = request;
        let expected = request.expected_prev_sha256;
        let by = self.store.by().filter(|_| one_attempt).cloned();
        let known = self.known(&session);
        let content = Content::of(content.into_bytes());
        let digest = content.digest;
        let is_numbered = index.is_some();
        self.store.submit(move |op| {
            let below = [CHUNKS, session.as_str()];
            let manifest_at = op.store.state_target(op.state, &below, MANIFEST)?;
            op.claim(&manifest_at)?;
            let index = match index {
                Some(index) => index,
                None => {
                    let last = list(op.store, &session)?
                        .and_then(|(_, parts)| parts.last().copied())
                        .unwrap_or_default();
                    if expected.is_some() {
                        let last_at =
                            op.store.state_target(op.state, &below, &part_name(last.max(1)))?;
                        let old = op.old(&last_at)?;
                        composed::check_part(
                            op,
                            &session,
                            &last_at,
                            old.as_ref(),
                            expected.as_deref(),
                        )?;
                    }
                    if last >= PARTS_MAX {
                        return Err(Error::ChunkIndex {
                            session: session.clone(),
                            index: i64::from(last) + 1,
                        });
                    }
                    last + 1
                }
            };
            if let (Some(total_expected), true) = (total, total.is_some_and(|n| index > n)) {
                return Err(Error::IndexExceedsTotal {
                    session: session.clone(),
                    index: index.into(),
                    total_expected: total_expected.into(),
                });
            }
            let (old_manifest, content_of_old) = match op.old_content(&manifest_at)? {
                Some((old, content, _)) => (Some(old), Some(content)),
                None => (None, None),
            };
            let now = op.store.now();
            let mut manifest = match &content_of_old {
                Some(bytes) => read_manifest(&session, bytes)?,
                None => Manifest {
                    composed_before: composed::before(op, &session)?,
                    created_at: now.clone(),
                    output_path: None,
                    session: session.clone(),
                    total_expected: None,
                    updated_at: String::new(),
                },
            };
            manifest.updated_at = now;
            manifest.total_expected = total.or(manifest.total_expected);
            manifest.output_path = output_path.clone().or(manifest.output_path);
            let text = pretty(&manifest)?;

            let part_at = op.store.state_target(op.state, &below, &part_name(index))?;
            let old_part = op.old(&part_at)?;
            if is_numbered {
                composed::check_part(
                    op,
                    &session,
                    &part_at,
                    old_part.as_ref(),
                    expected.as_deref(),
                )?;
            }
            if let Some(by) = by.as_ref().filter(|_| index > 1 || old_part.is_some()) {
                let replaces = old_part.as_ref().is_some_and(|old| old.digest != digest);
                let (session, known) = (session.as_str(), known.as_ref());
                attempt::check(op, &Step { by, session, part: index, replaces, known })?;
            }
            let have = list(op.store, &session)?.map(|(_, parts)| parts).unwrap_or_default();
            if one_attempt && total == Some(index) {
                let missing: Vec<u32> =
                    (1..index).filter(|at| have.binary_search(at).is_err()).collect();
                if !missing.is_empty() {
                    let (unexpected, total_expected) = (None, None);
                    let session = session.clone();
                    return Err(Error::NonContiguous {
                        session,
                        have,
                        missing,
                        unexpected,
                        total_expected,
                    });
                }
            }
            // The part that is farthest beyond a total, if one is.
            let highest = have.last().copied().max(Some(index)).unwrap_or(index);
            let chunk_path = part_at.shown.clone();
            let staged_manifest = op.stage(&manifest_at, &Content::of(text))?;
            let also = op.publish_also(staged_manifest, manifest_at, old_manifest.as_ref())?;
            // The first of the two may have made the directory.
            let part_at = op.store.state_target(op.state, &below, &part_name(index))?;
            let staged = op.stage(&part_at, &content)?;
            let journaled =
                op.publish_state(staged, part_at, old_part.as_ref(), Mode::Overwrite)?;
            op.together_with(vec![also]);
            Ok(ChunkReceipt {
                session: session.clone(),
                index,
                chunk_path,
                sha256: digest,
                bytes: content.bytes.len() as u64,
                journal_id: journaled.journal_id,
                findings: Findings::default(),
                warning: manifest.total_expected.filter(|total| highest > *total).map(|total| {
                    format!(
                        "part {highest} is beyond total_expected, which is {total}: a compose is refused until a part \
                         announces the right total, or the session is reset"
                    )
                }),
                prev_bytes: old_part.as_ref().map(|old| old.stat.len),
                prev_sha256: old_part.as_ref().map(|old| old.digest),
                composed_before: manifest.composed_before.clone(),
            })
        })
    }

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
        let screen = Screen::of(&self.store.policy, request.reject_at)?;
        self.compose_under(&screen, request)
            .map_err(|error| screen.blame(&self.store.policy, error))
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
        let screen = screen.clone();
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
                attempt::check(op, &Step { by, session, part, replaces: false, known })?;
            }
            let target = op.store.roots.writable(&output_path, rules.git)?;
            op.claim(&target)?;
            let old = op.old(&target)?;
            check(&target, old.as_ref(), request.expected_prev_sha256.as_deref())?;
            if let Some(old) = &old {
                rules.check(&target, old)?;
            }
            let checked = match validate {
                true => {
                    let content = Joined::new(&dir, &session, &indices, &separator).content()?;
                    Some(Checked::of(&target.shown, &content)?)
                }
                false => None,
            };
            let mut joined = Joined::new(&dir, &session, &indices, &separator);
            let mut marked = MarkedLines::default();
            let (spelling, old_form) = whole(op, &target, old.as_ref(), asked, &form)?;
            let mut speller = Some(Speller::new(spelling));
            let staged = op.stage_parts(&target, || {
                let Some(here) = &mut speller else { return Ok(None) };
                let mut out = Vec::new();
                let done = match joined.next_block()? {
                    Some(block) => {
                        marked.add(&block);
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
            if screen.is_on() && judged.as_ref().is_none_or(|(of, _)| *of != joined.hashes) {
                match judge(op.store, &screen, &request) {
                    Ok(found) => judged = Some(found),
                    Err(refused) => {
                        staged.remove(op.state);
                        return Err(refused);
                    }
                }
            }
            if let Some(old) = &old
                && old.digest != staged.digest
            {
                let guarded = || {
                    if request.expected_prev_sha256.is_none() {
                        composed::check_left(op, by.as_ref(), &session, &target, old)?;
                    }
                    let adds_marks = adds_marks(marked, &*old.file)
                        .map_err(|source| Error::os(target.shown.clone(), "read", source))?;
                    let shrinks = !allow_shrink && shrink::is_notable(old.stat.len, staged.len);
                    if !adds_marks && !shrinks {
                        return Ok(());
                    }
                    // Only a mark that comes anew is compared with what the file holds, for which
                    // the guard needs both texts whole.
                    let content = Joined::new(&dir, &session, &indices, &separator).content()?;
                    if adds_marks {
                        guard.check(&target, &op.old_bytes(&target)?, &content)?;
                    }
                    if shrinks {
                        shrink::check(&target, old, &content, || op.old_bytes(&target))?;
                    }
                    Ok(())
                };
                if let Err(refused) = guarded() {
                    staged.remove(op.state);
                    return Err(refused);
                }
            }
            let chunk_hashes = std::mem::take(&mut joined.hashes);
            let joined_mid_line = std::mem::take(&mut joined.mid_line);
            let bom_dropped = joined.bom_dropped;
            let (sha256, bytes) = (staged.digest, staged.len);
            let (new_form, _) = match form_of(&*staged.file, bytes) {
                Ok(found) => found,
                Err(source) => {
                    staged.remove(op.state);
                    return Err(Error::os(target.shown, "read", source));
                }
            };
            let new_form = new_form.spelled(spelling);
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
            if cleanup && let Some(chunks) = op.store.state_dir(&[CHUNKS])? {
                let known = |name: &OsStr| {
                    let index = part_index(name)?;
                    chunk_hashes.get(indices.binary_search(&index).ok()?).copied()
                };
                let found = digest_of_dir(&*dir, known)
                    .map_err(|source| Error::os(op.store.shown_state(&below), "read", source))?;
                op.discard_with_row(chunks, format!("{CHUNKS}/{session}"), found, seen)?;
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
            })
        })
    }

    /// Removes a session with all its parts, in one step.
    ///
    /// # Errors
    /// The session's name is not one; the disk refuses.
    pub fn reset(&self, session: &str) -> Result<Reset> {
        check_session(session)?;
        let gone = Reset {
            session: session.to_owned(),
            removed: 0,
            parts: 0,
            existed: false,
            nearest_names: Vec::new(),
        };
        // Nothing is created to find that there is nothing.
        if self.store.state_dir(&[CHUNKS, session])?.is_none() {
            return Ok(Reset { nearest_names: near_sessions(self.store, session), ..gone });
        }
        let session = session.to_owned();
        self.store.submit(move |op| {
            let below = [CHUNKS, session.as_str()];
            op.claim_below(&below)?;
            let manifest_at = op.store.state_target(op.state, &below, MANIFEST)?;
            op.claim(&manifest_at)?;
            let (Some(chunks), Some(dir)) =
                (op.store.state_dir(&[CHUNKS])?, op.store.state_dir(&below)?)
            else {
                return Ok(gone.clone());
            };
            let parts = list(op.store, &session)?.map_or(0, |(_, parts)| parts.len() as u64);
            let removed =
                count_files(dir).map_err(|e| Error::os(op.store.shown_state(&below), "list", e))?;
            op.discard(chunks, OsString::from(&session));
            Ok(Reset { removed, parts, existed: true, ..gone.clone() })
        })
    }
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

/// The numbers of the parts in which something was found.
fn parts_with(report: &Report, indices: &[u32], ends: &[u64]) -> Vec<u32> {
    let part_at = |at: usize| {
        let part = ends.partition_point(|end| *end <= at as u64);
        indices.get(part).copied()
    };
    let patterns = report.detected_patterns.iter().filter_map(|found| match found {
        Detection::Pattern(hit) => Some(hit),
        Detection::Size(_) => None,
    });
    let parts: BTreeSet<u32> = patterns
        .flat_map(|hit| {
            let last = hit.span.end.saturating_sub(1).max(hit.span.start);
            let (first, last) = (part_at(hit.span.start), part_at(last));
            first.zip(last).into_iter().flat_map(|(first, last)| first..=last)
        })
        .collect();
    parts.into_iter().collect()
}

fn check_session(session: &str) -> Result<()> {
    if is_name(session) {
        return Ok(());
    }
    Err(Error::SessionName { session: session.to_owned() })
}

fn check_total(session: &str, total_expected: Option<i64>) -> Result<Option<u32>> {
    let Some(total_expected) = total_expected else { return Ok(None) };
    u32::try_from(total_expected)
        .ok()
        .filter(|total| (1..=PARTS_MAX).contains(total))
        .map(Some)
        .ok_or_else(|| Error::TotalExpected { session: session.to_owned(), total_expected })
}

fn part_name(index: u32) -> String {
    format!("part-{index:03}.txt")
}

fn part_index(name: &OsStr) -> Option<u32> {
    let digits = name.to_str()?.strip_prefix("part-")?.strip_suffix(".txt")?;
    let all_digits = digits.len() == 3 && digits.bytes().all(|c| c.is_ascii_digit());
    digits.parse().ok().filter(|index| all_digits && (1..=PARTS_MAX).contains(index))
}

/// The session's directory and the numbers of its parts, ascending.
fn list(store: &Store, session: &str) -> Result<Option<(DirRef, Vec<u32>)>> {
    let below = [CHUNKS, session];
    let Some(dir) = store.state_dir(&below)? else { return Ok(None) };
    let entries =
        dir.entries().map_err(|source| Error::os(store.shown_state(&below), "list", source))?;
    Ok(Some((dir, entries.iter().filter_map(|name| part_index(name)).collect())))
}

fn manifest(store: &Store, session: &str) -> Result<Option<Manifest>> {
    store
        .state_bytes(&[CHUNKS, session], MANIFEST)?
        .map(|bytes| read_manifest(session, &bytes))
        .transpose()
}

fn read_manifest(session: &str, bytes: &[u8]) -> Result<Manifest> {
    let damaged = |reason| Error::BadManifest {
        session: session.to_owned(),
        manifest: format!("{}/{CHUNKS}/{session}/{MANIFEST}", crate::roots::STATE_DIR),
        reason,
    };
    match serde_json::from_slice::<serde_json::Value>(bytes) {
        Ok(value) if !value.is_object() => Err(damaged("not_mapping".to_owned())),
        Ok(value) => {
            serde_json::from_value(value).map_err(|error| damaged(format!("bad_manifest: {error}")))
        }
        Err(error) => Err(damaged(format!("bad_manifest: {error}"))),
    }
}

fn pretty<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(value)
        .map_err(|error| Error::Internal { message: error.to_string() })?;
    text.push(b'\n');
    Ok(text)
}

/// Checks that the parts make a whole.
fn complete(store: &Store, session: &str, composing: bool) -> Result<(DirRef, Vec<u32>)> {
    let session = session.to_owned();
    let Some((dir, have)) = list(store, &session)? else {
        let near = near_sessions(store, &session);
        return Err(match composing {
            true => Error::SessionNotFound { session, near, composed: None },
            false => Error::NoChunks { session, near, composed: None },
        });
    };
    if have.is_empty() {
        return Err(Error::NoChunks { session, near: Vec::new(), composed: None });
    }
    let count = u32::try_from(have.len()).unwrap_or(u32::MAX);
    let manifest = manifest(store, &session);
    if have.last().is_some_and(|highest| *highest > count) {
        let total_expected = manifest.ok().flatten().and_then(|found| found.total_expected);
        let missing = missing(&have, total_expected);
        let unexpected =
            composing.then(|| have.iter().copied().filter(|index| *index > count).collect());
        return Err(Error::NonContiguous { session, have, missing, unexpected, total_expected });
    }
    if let Some(total_expected) = manifest?.and_then(|found| found.total_expected)
        && total_expected != count
    {
        return Err(Error::ChunkCount { session, have: have.len(), total_expected });
    }
    Ok((dir, have))
}

/// The numbers of the parts that are still to come: up to the highest that is there, or to the announced total.
fn missing(have: &[u32], total_expected: Option<u32>) -> Vec<u32> {
    let last = have.last().copied().max(total_expected).unwrap_or_default();
    (1..=last).filter(|index| have.binary_search(index).is_err()).collect()
}

/// The sessions whose names come near.
fn near_sessions(store: &Store, session: &str) -> Vec<String> {
    let dir = store.state_dir(&[CHUNKS]).ok().flatten();
    let entries = dir.and_then(|dir| dir.entries().ok()).unwrap_or_default();
    nearest(session, entries.iter().filter_map(|entry| entry.to_str()))
}

fn count_files(dir: DirRef) -> io::Result<u64> {
    let mut open = vec![dir];
    let mut count = 0;
    while let Some(dir) = open.pop() {
        for name in dir.entries()? {
            match dir.stat(&name)?.kind {
                Kind::Dir => open.push(dir.open_dir(&name)?),
                _ => count += 1,
            }
        }
    }
    Ok(count)
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

/// The parts as one stream of blocks, checked to be UTF-8 as they are read.
struct Joined<'a> {
    dir: &'a DirRef,
    session: &'a str,
    ahead: std::slice::Iter<'a, u32>,
    separator: &'a [u8],
    /// The part that is being read, how far, and its hasher.
    open: Option<(Arc<dyn File>, u64, Hasher)>,
    hashes: Vec<Digest>,
    /// Where each part that was read ends.
    ends: Vec<u64>,
    /// The last byte so far.
    last: Option<u8>,
    /// The parts whose last line goes on in the next one.
    mid_line: Vec<u32>,
    /// Whether a part after the first text began with a byte order mark, which was left out.
    bom_dropped: bool,
    /// The beginning of a character whose rest has not come yet.
    cut: Vec<u8>,
    offset: u64,
    done: bool,
}

/// Whether a part that ends with this byte is joined in the middle of a line.
fn is_mid_line(last: Option<u8>, separator: &[u8]) -> bool {
    last.is_some_and(|byte| byte != b'\n') && !separator.starts_with(b"\n")
}

impl<'a> Joined<'a> {
    fn new(dir: &'a DirRef, session: &'a str, indices: &'a [u32], separator: &'a [u8]) -> Self {
        Self {
            dir,
            session,
            ahead: indices.iter(),
            separator,
            open: None,
            hashes: Vec::new(),
            ends: Vec::new(),
            last: None,
            mid_line: Vec::new(),
            bom_dropped: false,
            cut: Vec::new(),
            offset: 0,
            done: false,
        }
    }

    /// All blocks as one.
    ///
    /// # Errors
    /// As [`check_whole`], before anything is read; and as [`Joined::next_block`].
    fn content(&mut self) -> Result<Vec<u8>> {
        let lens = self.ahead.clone().filter_map(|index| {
            let stat = self.dir.stat(part_name(*index).as_ref());
            stat.ok().map(|stat| stat.len + self.separator.len() as u64)
        });
        let shown = format!("{}/{CHUNKS}/{}", crate::roots::STATE_DIR, self.session);
        check_whole(lens.sum(), &shown)?;
        let mut content = Vec::new();
        while let Some(mut block) = self.next_block()? {
            content.append(&mut block);
        }
        Ok(content)
    }

    fn next_block(&mut self) -> Result<Option<Vec<u8>>> {
        let shown = || format!("{}/{CHUNKS}/{}", crate::roots::STATE_DIR, self.session);
        let os = |source| Error::os(shown(), "read", source);
        loop {
            if let Some((file, at, hasher)) = &mut self.open {
                let mut block = vec![0; BLOCK];
                let read = read_up_to(&**file, &mut block, *at).map_err(os)?;
                block.truncate(read);
                if read > 0 {
                    let begins = *at == 0;
                    *at += read as u64;
                    hasher.update(&block);
                    if begins && self.offset > 0 && self.cut.is_empty() {
                        self.drop_mark(&mut block);
                    }
                    self.last = block.last().copied();
                    self.check(&block)?;
                    return Ok(Some(block));
                }
                self.hashes.push(hasher.finish());
                self.ends.push(self.offset);
                self.open = None;
            }
            let Some(index) = self.ahead.next() else {
                if !self.done && !self.cut.is_empty() {
                    return Err(self.not_utf8());
                }
                self.done = true;
                return Ok(None);
            };
            let file: Arc<dyn File> =
                self.dir.open(OsStr::new(&part_name(*index))).map_err(os)?.into();
            self.open = Some((file, 0, Hasher::default()));
            if is_mid_line(self.last.take(), self.separator) {
                self.mid_line.push(index.saturating_sub(1));
            }
            if !self.hashes.is_empty() && !self.separator.is_empty() {
                let separator = self.separator.to_vec();
                self.check(&separator)?;
                return Ok(Some(separator));
            }
        }
    }

    /// Leaves out a byte order mark that would stand in the middle of the file.
    fn drop_mark(&mut self, block: &mut Vec<u8>) {
        let mark = Encoding::Utf8.mark();
        if block.starts_with(mark) {
            block.drain(..mark.len());
            self.bom_dropped = true;
        }
    }

    fn check(&mut self, block: &[u8]) -> Result<()> {
        let mut text = std::mem::take(&mut self.cut);
        self.offset -= text.len() as u64;
        text.extend_from_slice(block);
        let total = text.len() as u64;
        if let Err(error) = str::from_utf8(&text) {
            if error.error_len().is_some() {
                self.offset += error.valid_up_to() as u64;
                return Err(self.not_utf8());
            }
            self.cut = text.split_off(error.valid_up_to());
        }
        self.offset += total;
        Ok(())
    }

    fn not_utf8(&self) -> Error {
        let offset = self.offset - self.cut.len() as u64;
        Error::ComposedNotUtf8 {
            session: self.session.to_owned(),
            message: format!("invalid byte at offset {offset}"),
        }
    }
}
