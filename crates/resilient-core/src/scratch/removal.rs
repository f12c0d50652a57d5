//! Taking content out of the scratchpad: because somebody asks, or because the policy keeps it no longer.
//!
//! A removal is a row of the journal, and a last row of the digest in the index, which tells later
//! look-ups when it was. Both are durable before the content goes; recovery takes away what a crash
//! has left.

use serde::{Deserialize, Serialize};

use super::{Index, IndexRow, Scratch, append, bin_name, index, parse_digest};
use crate::commit::WriteContext;
use crate::digest::Digest;
use crate::error::{Error, Result};
use crate::policy::Retention;
use crate::stamp;
use crate::store::SCRATCH;

const DAY_NS: i128 = 86_400 * 1_000_000_000;

/// Why content is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Why {
    /// A call asked for it.
    Asked,
    /// It was older than the policy keeps it.
    Expired,
    /// The scratchpad had more bytes than the policy lets it have.
    Room,
}

impl Why {
    /// The word as the index and the tools write it.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Expired => "expired",
            Self::Room => "room",
        }
    }
}

/// Content that is gone for good.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Removed {
    /// Its digest.
    pub sha256: Digest,
    /// Its last label.
    pub label: Option<String>,
    /// The other labels under which it was put: they name nothing now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_labels: Vec<String>,
    /// Its length.
    pub bytes: u64,
    /// The journal row.
    pub journal_id: String,
    /// When.
    pub removed_at: String,
    /// Why.
    pub removed_for: Why,
}

/// A label that names some content no more, which others still hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LabelRemoved {
    /// The digest of the content.
    pub sha256: Digest,
    /// The label.
    pub label: String,
    /// The labels that hold the content.
    pub other_labels: Vec<String>,
    /// When.
    pub removed_at: String,
}

/// What was taken out by one call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Removal {
    /// In the order in which it was put.
    pub removed: Vec<Removed>,
    /// Labels that were taken off content which stays.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels_removed: Vec<LabelRemoved>,
}

/// What became of one content.
enum Taken {
    Content(Removed),
    Label(LabelRemoved),
}

impl Removal {
    fn add(&mut self, taken: Option<Taken>) {
        match taken {
            Some(Taken::Content(removed)) => self.removed.push(removed),
            Some(Taken::Label(removed)) => self.labels_removed.push(removed),
            None => {}
        }
    }
}

impl Scratch<'_> {
    /// Takes content out for good: that of a digest, all with a label, or what has both. Where a label is named and
    /// others hold the content too, only the label goes; the content goes with its last label. The name of a label
    /// is in the index alone, and its removal is a line there, as another label of kept content is.
    ///
    /// # Errors
    /// Neither is given; the digest is none; there is no such content, or not any more; the
    /// disk refuses. Of several, those in front may be gone then.
    pub fn remove(&self, sha256: Option<&str>, label: Option<&str>) -> Result<Removal> {
        self.store.visible()?;
        if sha256.is_none() && label.is_none() {
            return Err(Error::NoReference);
        }
        let digest = sha256.map(parse_digest).transpose()?;
        let mut due: Vec<Digest> = Vec::new();
        for row in current(self.rows()?) {
            let fits = digest.is_none_or(|digest| digest == row.sha256)
                && label.is_none_or(|label| row.label.as_deref() == Some(label));
            if fits && !due.contains(&row.sha256) {
                due.push(row.sha256);
            }
        }
        if let (Some(digest), None) = (digest, label)
            && due.is_empty()
        {
            // What the index has lost can go, too.
            due.push(digest);
        }
        let mut removal = Removal::default();
        for digest in due {
            let label = label.map(str::to_owned);
            removal.add(self.take_out(digest, Why::Asked, label, None)?);
        }
        if removal == Removal::default() {
            let mut absent = self.absent(sha256, label, label.is_some())?;
            if let Error::ScratchRemoved { is_done, .. } | Error::ScratchNotFound { is_done, .. } =
                &mut absent
            {
                *is_done = true;
            }
            return Err(absent);
        }
        Ok(removal)
    }

    /// Takes out what the policy keeps no longer, oldest first, but at most so many entries.
    ///
    /// # Errors
    /// The policy cannot be used; the disk refuses.
    pub fn retain(&self, most: usize) -> Result<Removal> {
        let retention = self.store.policy.get()?.scratch;
        let mut removal = Removal::default();
        // Nothing is created to find that there is nothing.
        if self.store.state_dir(&[SCRATCH])?.is_none() {
            return Ok(removal);
        }
        for (row, why) in self.due(retention)?.into_iter().take(most) {
            removal.add(self.take_out(row.sha256, why, None, Some(row))?);
        }
        Ok(removal)
    }

    /// What the policy keeps no longer.
    fn due(&self, retention: Retention) -> Result<Vec<(IndexRow, Why)>> {
        let now = i128::try_from(self.store.clock.now_ns()).unwrap_or(i128::MAX);
        let (entries, _) = self.entries()?;
        let mut bytes: u64 = entries.iter().map(|entry| entry.row.bytes).sum();
        let newest = entries.last().map(|entry| entry.row.sha256);
        let mut due = Vec::new();
        let mut rest = Vec::new();
        for entry in entries {
            let days = if entry.draft { retention.drafts_keep_days } else { None };
            let days = days.into_iter().chain(retention.keep_days).min();
            // What bears no time that can be read has no age.
            let age = stamp::parse(&entry.row.created_at).map(|then| now.saturating_sub(then));
            let is_old = days.zip(age).is_some_and(|(days, age)| age > i128::from(days) * DAY_NS);
            if is_old {
                bytes = bytes.saturating_sub(entry.row.bytes);
                due.push((entry.row, Why::Expired));
            } else if !entry.is_secret {
                // A redaction may have left the only copy of a secret here.
                rest.push(entry.row);
            }
        }
        // What was put last stays, however long it is: it was answered for a moment ago.
        for row in rest.into_iter().filter(|row| Some(row.sha256) != newest) {
            if retention.max_bytes.is_none_or(|most| bytes <= most) {
                break;
            }
            bytes = bytes.saturating_sub(row.bytes);
            due.push((row, Why::Room));
        }
        Ok(due)
    }

    /// Takes content out, unless it is gone or was put again after a row that was seen. Of content that other labels
    /// hold, too, it takes off a label that is named.
    fn take_out(
        &self,
        digest: Digest,
        why: Why,
        named: Option<String>,
        seen: Option<IndexRow>,
    ) -> Result<Option<Taken>> {
        self.store.submit(move |op| {
            let name = bin_name(digest);
            let target = op.store.state_target(op.state, &[SCRATCH], &name)?;
            op.claim(&target)?;
            let Index { mut rows, .. } = index(op.store)?;
            rows.retain(|row| row.sha256 == digest);
            if let Some(label) = &named {
                let held = current(rows.clone());
                let other_labels = labels(&held, Some(label));
                let Some(row) = held.into_iter().rfind(|row| row.label.as_ref() == Some(label))
                else {
                    return Ok(None);
                };
                if !other_labels.is_empty() {
                    return take_off(op, row, label.clone(), other_labels).map(Some);
                }
            }
            let last = rows.pop();
            if seen.as_ref().is_some_and(|seen| {
                last.as_ref().is_none_or(|last| last.created_at != seen.created_at)
            }) {
                return Ok(None);
            }
            let label = last.as_ref().and_then(|last| last.label.clone());
            let other_labels = labels(&rows, label.as_ref());
            let removed = take_out(op, digest, why, last)?;
            Ok(removed.map(|removed| Taken::Content(Removed { other_labels, ..removed })))
        })
    }
}

/// The rows of what was put and not removed since.
fn current(rows: Vec<IndexRow>) -> Vec<IndexRow> {
    let mut current: Vec<IndexRow> = Vec::new();
    for row in rows {
        if row.removed_at.is_some() {
            current.retain(|before| before.sha256 != row.sha256);
        } else {
            current.push(row);
        }
    }
    current
}

/// The labels of some rows but one, each once.
fn labels(rows: &[IndexRow], but: Option<&String>) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for label in rows.iter().filter_map(|row| row.label.as_ref()) {
        if Some(label) != but && !labels.contains(label) {
            labels.push(label.clone());
        }
    }
    labels
}

/// Takes a label off content that others hold.
fn take_off(
    op: &mut WriteContext<'_>,
    row: IndexRow,
    label: String,
    other_labels: Vec<String>,
) -> Result<Taken> {
    let (sha256, removed_at) = (row.sha256, op.store.now());
    let row = IndexRow { label_removed_at: Some(removed_at.clone()), ..row };
    append(op, &row)?;
    Ok(Taken::Label(LabelRemoved { sha256, label, other_labels, removed_at }))
}

fn take_out(
    op: &mut WriteContext<'_>,
    digest: Digest,
    why: Why,
    last: Option<IndexRow>,
) -> Result<Option<Removed>> {
    let name = bin_name(digest);
    let target = op.store.state_target(op.state, &[SCRATCH], &name)?;
    let (Some(old), Some(dir)) = (op.old(&target)?, op.store.state_dir(&[SCRATCH])?) else {
        return Ok(None);
    };
    let bytes = old.stat.len;
    let journaled = op.remove(&target, &old, dir, format!("{SCRATCH}/{name}"))?;
    let row = last.unwrap_or_else(|| IndexRow {
        bytes,
        content_type: None,
        created_at: journaled.ts.clone(),
        encoding: super::Encoding::Utf8,
        label: None,
        notes: None,
        removed_at: None,
        removed_for: None,
        label_removed_at: None,
        sha256: digest,
    });
    let label = row.label.clone();
    let (removed_at, removed_for) = (Some(journaled.ts.clone()), Some(why));
    let row = IndexRow { removed_at, removed_for, ..row };
    append(op, &row)?;
    Ok(Some(Removed {
        sha256: digest,
        label,
        other_labels: Vec::new(),
        bytes,
        journal_id: journaled.journal_id,
        removed_at: journaled.ts,
        removed_for: why,
    }))
}
