//! A part of a session: keeping it, and beginning anew with the first one.

use serde::Serialize;

use super::attempt::{self, Step};
use super::kept::{check_session, list, none_missing, part_name};
use super::looked::{Known, Seen};
use super::manifest::{MANIFEST, Manifest, pretty, read_manifest};
use super::{Chunks, PARTS_MAX, composed};
use crate::commit::{Old, WriteContext};
use crate::contents::Content;
use crate::digest::Digest;
use crate::error::{Composed, Error, LastWrite, Result};
use crate::journal::Mode;
use crate::risk::{Findings, Verdict};
use crate::roots::Target;
use crate::screen::Screen;
use crate::store::CHUNKS;

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
    /// Refuses a part if the caller does not know the parts as they are, and a last one (its number is the total) while
    /// a part before it is missing. A caller is one session of a client. It knows the parts as they were at its last
    /// part or at its last [`Chunks::look`], until somebody else changes them.
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
    /// The newest change of the part that this one replaces, or else of all parts, if another session of a client has made
    /// it: two agents may be using one name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_write: Option<LastWrite>,
}

/// What a part takes the place of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    /// The part of its number, if one is there.
    Free,
    /// The part of its number. If that is gone, all parts.
    ItsPlace,
    /// All parts.
    All,
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
        let session = request.session.clone();
        let one_attempt = request.one_attempt.then_some(request.index).flatten();
        let kept = self.judged_put(request, Takes::Free);
        match (&kept, one_attempt) {
            // It lists the parts first.
            (Err(Error::PartsUnknown { .. }), _) | (_, None) => {}
            (Err(_), Some(part)) => self.refuse(&session, part),
            (Ok((receipt, _)), Some(_)) => {
                self.has_sent(&session, receipt.index, &receipt.journal_id);
            }
        }
        kept.map(|(receipt, _)| receipt)
    }

    /// Begins anew with part 1, and removes the parts that are there; gives how many. Both happen, or nothing: if the part is
    /// refused, they stay. Then the caller's next parts are refused until it lists the parts or begins anew.
    ///
    /// Part 1 takes the place of itself alone, if the caller's last compose of this attempt was refused for what the parts
    /// hold, and nobody else has changed the parts since.
    ///
    /// # Errors
    /// As [`Chunks::keep`].
    pub fn begin(&self, request: PartRequest) -> Result<(ChunkReceipt, u64)> {
        let session = request.session.clone();
        let request = PartRequest { index: Some(1), expected_prev_sha256: None, ..request };
        let is_blocked = |known| matches!(known, Known::Parts(Seen { is_blocked: true, .. }));
        let corrected = self.known(&session).is_some_and(is_blocked).then(|| {
            let request = PartRequest { one_attempt: true, ..request.clone() };
            self.judged_put(request, Takes::ItsPlace)
        });
        let begun = match corrected {
            // Further parts may be corrected.
            Some(Ok((receipt, discarded))) if receipt.prev_sha256.is_some() => {
                self.has_sent(&session, receipt.index, &receipt.journal_id);
                return Ok((receipt, discarded));
            }
            // What is there is not what this caller has written, and is not corrected by it.
            None | Some(Err(Error::PartsUnknown { .. })) => {
                // IMPORTANT: before the part is checked. A part that overtakes it does not follow the old ones.
                self.knows(&session, Known::Refused);
                self.judged_put(request, Takes::All)
            }
            Some(begun) => begun,
        };
        // Also where no parts are there: another caller may begin before the next part comes.
        self.knows(
            &session,
            match &begun {
                Ok((receipt, _)) => Known::Parts(Seen::until(Some(receipt.journal_id.clone()))),
                Err(_) => Known::Refused,
            },
        );
        begun
    }

    fn judged_put(&self, request: PartRequest, takes: Takes) -> Result<(ChunkReceipt, u64)> {
        let (number, total, findings) = self.judged(&request)?;
        let (receipt, discarded) = self.put(request, number, total, takes)?;
        Ok((ChunkReceipt { findings, ..receipt }, discarded))
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
        let findings = Screen::of(self.store, reject_at).and_then(|screen| {
            let passed = screen.check_state(&shown, &request.content);
            passed.map_err(|error| screen.blame(&self.store.policy, error))
        })?;
        Ok((number, total, findings))
    }

    /// Keeps a part; gives how many parts it takes the place of, if it begins anew.
    fn put(
        &self,
        request: PartRequest,
        index: Option<u32>,
        total: Option<u32>,
        takes: Takes,
    ) -> Result<(ChunkReceipt, u64)> {
        let PartRequest { session, content, output_path, one_attempt, .. } = request;
        let expected = request.expected_prev_sha256;
        let by = self.store.by().cloned();
        let known = self.known(&session);
        let content = Content::of(content.into_bytes());
        let digest = content.digest;
        let is_numbered = index.is_some();
        self.store.submit(move |op| {
            let below = [CHUNKS, session.as_str()];
            let manifest_at = op.store.state_target(op.state, &below, MANIFEST)?;
            op.claim(&manifest_at)?;
            if takes != Takes::Free {
                op.claim_below(&below)?;
            }
            let index = match index {
                Some(index) => index,
                None => after_last(op, &session, expected.as_deref())?,
            };
            if let (Some(total_expected), true) = (total, total.is_some_and(|n| index > n)) {
                return Err(Error::IndexExceedsTotal {
                    session: session.clone(),
                    index: index.into(),
                    total_expected: total_expected.into(),
                });
            }
            let part_at = op.store.state_target(op.state, &below, &part_name(index))?;
            let old_part = op.old(&part_at)?;
            // A part that is gone cannot be corrected.
            let begins = takes == Takes::All || takes == Takes::ItsPlace && old_part.is_none();
            let now = op.store.now();
            let (old_manifest, mut manifest) = manifest_of(op, &manifest_at, &session, begins, &now)?;
            manifest.updated_at = now;
            manifest.total_expected = total.or(manifest.total_expected);
            manifest.output_path = output_path.clone().or(manifest.output_path);
            let text = pretty(&manifest)?;
            if is_numbered {
                composed::check_part(
                    op,
                    &session,
                    &part_at,
                    old_part.as_ref(),
                    expected.as_deref(),
                )?;
            }
            let adds = !begins && (index > 1 || old_part.is_some());
            let last_write = match &by {
                Some(by) if !one_attempt => {
                    let replaced = if old_part.is_some() { &[index][..] } else { &[] };
                    attempt::last_of_others(op, by, &session, replaced)
                }
                _ => None,
            };
            if let Some(by) = by.as_ref().filter(|_| one_attempt && adds) {
                let (session, known) = (session.as_str(), known.as_ref());
                let (sent, is_last) = (Some(digest), total == Some(index));
                attempt::check(op, &Step { by, session, part: index, sent, is_last, known })?;
            }
            let mut have = list(op.store, &session)?.map(|(_, parts)| parts).unwrap_or_default();
            let gone = if begins { std::mem::take(&mut have) } else { Vec::new() };
            if one_attempt && total == Some(index) {
                none_missing(&session, &have, index)?;
            }
            // The part that is farthest beyond a total, if one is.
            let highest = have.last().copied().max(Some(index)).unwrap_or(index);
            let chunk_path = part_at.shown.clone();
            let staged_manifest = op.stage(&manifest_at, &Content::of(text))?;
            let also = op.publish_also(staged_manifest, manifest_at, old_manifest.as_ref())?;
            // The first of the two may have made the directory.
            let part_at = op.store.state_target(op.state, &below, &part_name(index))?;
            let staged = op.stage(&part_at, &content)?;
            let mode = if begins { Mode::Create } else { Mode::Overwrite };
            let journaled = op.publish_state(staged, part_at, old_part.as_ref(), mode)?;
            op.together_with(vec![also]);
            for other in gone.iter().filter(|other| **other != index) {
                discard_part(op, &session, *other)?;
            }
            let old_part = old_part.filter(|_| !begins);
            let receipt = ChunkReceipt {
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
                last_write,
            };
            Ok((receipt, gone.len() as u64))
        })
    }
}

/// The number after the highest one, whose part must be the one expected.
fn after_last(op: &mut WriteContext<'_>, session: &str, expected: Option<&str>) -> Result<u32> {
    let parts = list(op.store, session)?.map(|(_, parts)| parts);
    let last = parts.and_then(|parts| parts.last().copied()).unwrap_or_default();
    if expected.is_some() {
        let below = [CHUNKS, session];
        let last_at = op.store.state_target(op.state, &below, &part_name(last.max(1)))?;
        let old = op.old(&last_at)?;
        composed::check_part(op, session, &last_at, old.as_ref(), expected)?;
    }
    if last >= PARTS_MAX {
        return Err(Error::ChunkIndex { session: session.to_owned(), index: i64::from(last) + 1 });
    }
    Ok(last + 1)
}

/// The manifest that is there, and the one to go on with: that of the parts, or a new one.
fn manifest_of(
    op: &mut WriteContext<'_>,
    manifest_at: &Target,
    session: &str,
    begins: bool,
    now: &str,
) -> Result<(Option<Old>, Manifest)> {
    let new = |composed_before| Manifest {
        composed_before,
        created_at: now.to_owned(),
        output_path: None,
        session: session.to_owned(),
        total_expected: None,
        updated_at: String::new(),
    };
    if begins {
        let old = op.old(manifest_at)?;
        return Ok((old, new(composed::newest_file(op, session))));
    }
    match op.old_content(manifest_at)? {
        Some((old, bytes, _)) => Ok((Some(old), read_manifest(session, &bytes)?)),
        None => Ok((None, new(composed::before(op, session)?))),
    }
}

/// Takes a part away together with the row of the part 1 that begins anew.
fn discard_part(op: &mut WriteContext<'_>, session: &str, index: u32) -> Result<()> {
    let (below, name) = ([CHUNKS, session], part_name(index));
    let target = op.store.state_target(op.state, &below, &name)?;
    let Some(old) = op.look(&target)? else { return Ok(()) };
    let Some(dir) = op.store.state_dir(&below)? else { return Ok(()) };
    op.discard_with_row(dir, format!("{CHUNKS}/{session}/{name}"), old.digest, None)
}

fn check_total(session: &str, total_expected: Option<i64>) -> Result<Option<u32>> {
    let Some(total_expected) = total_expected else { return Ok(None) };
    u32::try_from(total_expected)
        .ok()
        .filter(|total| (1..=PARTS_MAX).contains(total))
        .map(Some)
        .ok_or_else(|| Error::TotalExpected { session: session.to_owned(), total_expected })
}
