//! What the scratchpad holds now, as its index and its directory tell together.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;

use serde::Serialize;

use super::{Index, IndexRow, Scratch, bin_name, index};
use crate::digest::Digest;
use crate::disk::Kind;
use crate::error::{Error, Result};
use crate::omit::is_zero;
use crate::store::SCRATCH;

/// How a draft of a blocked call is marked: its label begins so, and these are its notes.
pub(crate) const DRAFT_LABEL: &str = "draft:";
/// See [`DRAFT_LABEL`].
pub(crate) const DRAFT_NOTES: &str = "blocked draft";

/// How the label of a secret begins that a redaction keeps.
pub(crate) const SECRET_LABEL: &str = "redacted:";

/// Which entries are to be listed.
#[derive(Clone, Debug)]
pub struct ListRequest {
    /// Only entries whose last label begins so.
    pub label_prefix: Option<String>,
    /// So many of them, newest first.
    pub limit: usize,
}

/// Content that is kept, without the content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The last row of its digest.
    #[serde(flatten)]
    pub row: IndexRow,
    /// How often it was put since it is there.
    pub alias_count: u64,
    /// Whether it is nothing but the draft of a blocked call.
    pub draft: bool,
    /// Whether a redaction has kept it: a file may have it no longer.
    #[serde(skip)]
    pub is_secret: bool,
}

/// Entries of the scratchpad.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct List {
    /// Newest first.
    pub entries: Vec<Entry>,
    /// How many match.
    pub count: usize,
    /// Length of all that match.
    pub total_bytes: u64,
    /// How many match beyond those listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
    /// How many lines of the index could not be read.
    #[serde(skip_serializing_if = "is_zero")]
    pub damaged_lines: u64,
}

impl Scratch<'_> {
    /// Lists what is kept, newest first, without its content. Works where reading is switched off, too.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn list(&self, request: &ListRequest) -> Result<List> {
        self.store.visible()?;
        let (mut entries, damaged_lines) = self.entries()?;
        entries.reverse();
        if let Some(prefix) = &request.label_prefix {
            entries.retain(|entry| {
                entry.row.label.as_ref().is_some_and(|label| label.starts_with(prefix))
            });
        }
        let count = entries.len();
        let total_bytes = entries.iter().map(|entry| entry.row.bytes).sum();
        entries.truncate(request.limit);
        let omitted = count - entries.len();
        Ok(List { entries, count, total_bytes, omitted, damaged_lines })
    }

    /// What the index knows and the directory has, in the order in which it was put last; and how many lines of the
    /// index could not be read.
    pub(super) fn entries(&self) -> Result<(Vec<Entry>, u64)> {
        let Some(dir) = self.store.state_dir(&[SCRATCH])? else { return Ok((Vec::new(), 0)) };
        let os = |source| Error::os(self.store.shown_state(&[SCRATCH]), "list", source);
        let mut kept: HashMap<Digest, u64> = HashMap::new();
        for name in dir.entries().map_err(os)? {
            let digest = name.to_str().and_then(|name| name.strip_suffix(".bin"));
            if let Some(digest) = digest.and_then(|hex| hex.parse().ok())
                && let Ok(stat) = dir.stat(OsStr::new(&bin_name(digest)))
                && stat.kind == Kind::File
            {
                kept.insert(digest, stat.len);
            }
        }
        let mut entries: Vec<Entry> = Vec::new();
        let mut seen: HashMap<Digest, (u64, bool, bool)> = HashMap::new();
        let Index { rows, damaged_lines } = index(self.store)?;
        // From the end: the last row of a digest counts, up to its removal.
        let mut ended: HashSet<Digest> = HashSet::new();
        for row in rows.into_iter().rev().filter(|row| kept.contains_key(&row.sha256)) {
            if ended.contains(&row.sha256) {
                continue;
            }
            if row.removed_at.is_some() {
                ended.insert(row.sha256);
                continue;
            }
            let begins = |with| row.label.as_ref().is_some_and(|label| label.starts_with(with));
            let is_draft = row.notes.as_deref() == Some(DRAFT_NOTES) && begins(DRAFT_LABEL);
            let (count, draft, secret) = seen.entry(row.sha256).or_insert((0, true, false));
            *count += 1;
            *draft &= is_draft;
            *secret |= begins(SECRET_LABEL);
            if *count == 1 {
                entries.push(Entry { row, alias_count: 0, draft: false, is_secret: false });
            }
        }
        for entry in &mut entries {
            (entry.alias_count, entry.draft, entry.is_secret) =
                seen.get(&entry.row.sha256).copied().unwrap_or_default();
            entry.row.bytes = kept.get(&entry.row.sha256).copied().unwrap_or(entry.row.bytes);
        }
        entries.reverse();
        Ok((entries, damaged_lines))
    }
}
