//! The scratchpad: content that must not be in the tree, kept under its own digest.
//!
//! Putting the same bytes twice keeps them once. What is got is verified against the digest that
//! was asked for.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::sync::atomic::{AtomicU64, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Serialize};

use crate::commit::{Committer, WriteContext};
use crate::contents::{Content, digest_of, read_whole};
use crate::digest::Digest;
use crate::disk::{DirRef, read_all};
use crate::error::{Error, Result};
use crate::journal::Mode;
use crate::omit::is_zero;
use crate::page::{self, PAGE_MAX};
use crate::store::{SCRATCH, Store};

mod list;
mod removal;

pub(crate) use list::{DRAFT_LABEL, DRAFT_NOTES, SECRET_LABEL};
pub use list::{Entry, List, ListRequest};
pub use removal::{LabelRemoved, Removal, Removed, Why};

const INDEX: &str = "index.jsonl";

/// The scratchpad of a workspace.
#[derive(Clone, Copy, Debug)]
pub struct Scratch<'a> {
    pub(crate) store: &'a Committer,
    /// Whether reading is switched off.
    pub(crate) sealed: bool,
    /// When this process last looked for what the policy keeps no longer, in seconds since 1970.
    pub(crate) retained: &'a AtomicU64,
}

/// So often a process looks for what the policy keeps no longer, in seconds.
const RETAIN_EVERY: u64 = 3_600;
/// So many entries are taken out behind one put, which waits for it.
const RETAIN_AT_ONCE: usize = 8;

/// How bytes are written in JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Encoding {
    /// As text.
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    /// In the standard alphabet, padded.
    #[serde(rename = "base64")]
    Base64,
}

impl Encoding {
    /// Reads the name of an encoding.
    ///
    /// # Errors
    /// It is neither `utf-8` nor `base64`.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "utf-8" => Ok(Self::Utf8),
            "base64" => Ok(Self::Base64),
            _ => Err(Error::UnsupportedEncoding { encoding: name.to_owned() }),
        }
    }
}

/// What is to be kept.
#[derive(Clone, Debug, Default)]
pub struct PutRequest {
    /// The bytes, as text or in base64.
    pub content: String,
    /// Which of the two.
    pub encoding: Encoding,
    /// A name to find it by.
    pub label: Option<String>,
    /// What it is.
    pub content_type: Option<String>,
    /// Anything else.
    pub notes: Option<String>,
}

/// Content that is durably kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PutReceipt {
    /// Its digest.
    pub sha256: Digest,
    /// Where it is kept.
    pub scratch_path: String,
    /// Its length.
    pub bytes: u64,
    /// Whether it had been kept before.
    pub deduped: bool,
    /// The journal row; none when it had been kept before.
    pub journal_id: Option<String>,
    /// What the user should look after.
    pub warnings: Vec<Warning>,
}

/// Something that the user should look after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// In one word.
    pub reason: &'static str,
    /// What to do.
    pub hint: &'static str,
}

/// One row of the index: one for every put.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexRow {
    /// Length of the content.
    pub bytes: u64,
    /// As in [`PutRequest`].
    #[serde(default)]
    pub content_type: Option<String>,
    /// When it was put.
    pub created_at: String,
    /// How it came.
    pub encoding: Encoding,
    /// As in [`PutRequest`].
    #[serde(default)]
    pub label: Option<String>,
    /// As in [`PutRequest`].
    #[serde(default)]
    pub notes: Option<String>,
    /// When the content was taken out. Such a row ends what the rows of its digest before it say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed_at: Option<String>,
    /// Why it was taken out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed_for: Option<Why>,
    /// When the label was taken off the content, which other labels hold. Such a row ends what the rows of its digest
    /// and its label before it say, and is nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_removed_at: Option<String>,
    /// Digest of the content.
    pub sha256: Digest,
}

/// What the index says of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reference {
    /// The last row that matches.
    pub entry: IndexRow,
    /// Where the content is kept.
    pub scratch_path: String,
    /// Whether it is there.
    pub bin_exists: bool,
    /// How many rows match and lead to the content.
    pub alias_count: u64,
    /// When the content was taken out, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_at: Option<String>,
    /// Why it was taken out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_for: Option<Why>,
    /// How many lines of the index could not be read.
    #[serde(skip_serializing_if = "is_zero")]
    pub damaged_lines: u64,
}

/// Kept content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Kept {
    /// Its digest, verified.
    pub sha256: Digest,
    /// As text or in base64.
    pub content: String,
    /// Which of the two.
    pub encoding: Encoding,
    /// Its length.
    pub bytes: u64,
    /// From the last row of that digest.
    pub content_type: Option<String>,
    /// From the last row of that digest.
    pub label: Option<String>,
    /// Where the page begins, if this is no more than a page of the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Where the next page begins, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
}

/// Asks for a page of kept content.
#[derive(Clone, Debug)]
pub struct GetRequest {
    /// The digest of the content.
    pub sha256: String,
    /// How the page is written.
    pub encoding: Encoding,
    /// Where the page begins, in bytes; of text, inside a character with that character.
    pub offset: i64,
    /// How long the page is at most: 1 to 2,097,152 bytes, which is also what it is unasked; a first character may
    /// go beyond.
    pub max_bytes: Option<i64>,
}

impl Scratch<'_> {
    /// Keeps content.
    ///
    /// # Errors
    /// The encoding is not known, or the content is not in it; the disk refuses.
    pub fn put(&self, request: PutRequest) -> Result<PutReceipt> {
        let PutRequest { content, encoding, label, content_type, notes } = request;
        let bytes = match encoding {
            Encoding::Utf8 => content.into_bytes(),
            Encoding::Base64 => BASE64
                .decode(content)
                .map_err(|error| Error::BadBase64 { message: error.to_string() })?,
        };
        let content = Content::of(bytes);
        let sha256 = content.digest;
        let receipt = self.store.submit(move |op| {
            let target = op.store.state_target(op.state, &[SCRATCH], &bin_name(sha256))?;
            op.claim(&target)?;
            let old = op.old(&target)?;
            let deduped = old.as_ref().is_some_and(|old| old.digest == sha256);
            let scratch_path = target.shown.clone();
            let journal_id = if deduped {
                None
            } else {
                let staged = op.stage(&target, &content)?;
                Some(op.publish_state(staged, target, old.as_ref(), Mode::Create)?.journal_id)
            };
            let row = IndexRow {
                bytes: content.bytes.len() as u64,
                content_type: content_type.clone(),
                created_at: op.store.now(),
                encoding,
                label: label.clone(),
                notes: notes.clone(),
                removed_at: None,
                removed_for: None,
                label_removed_at: None,
                sha256,
            };
            append(op, &row)?;
            Ok(PutReceipt {
                sha256,
                scratch_path,
                bytes: content.bytes.len() as u64,
                deduped,
                journal_id,
                warnings: Vec::new(),
            })
        })?;
        // The content is kept; what goes meanwhile is no reason to say otherwise.
        let _ = self.retain_if_due();
        Ok(PutReceipt { warnings: self.warnings(), ..receipt })
    }

    /// Takes out what the policy keeps no longer, where it is time to look.
    fn retain_if_due(&self) -> Result<()> {
        let retained = self.retained;
        let now = u64::try_from(self.store.clock.now_ns() / 1_000_000_000).unwrap_or(u64::MAX);
        let is_limited = self.store.policy.get()?.scratch.max_bytes.is_some();
        if is_limited || now >= retained.load(Ordering::Relaxed).saturating_add(RETAIN_EVERY) {
            let removed = self.retain(RETAIN_AT_ONCE)?.removed.len();
            // Where more may be due, the next put goes on.
            if removed < RETAIN_AT_ONCE {
                retained.store(now, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// Tells what is known of an entry; of a digest, a label, or both together.
    ///
    /// # Errors
    /// Neither is given; the digest is none; there is no such entry; the disk refuses.
    pub fn reference(&self, sha256: Option<&str>, label: Option<&str>) -> Result<Reference> {
        self.store.visible()?;
        if sha256.is_none() && label.is_none() {
            return Err(Error::NoReference);
        }
        let digest = sha256.map(parse_digest).transpose()?;
        let Index { rows, damaged_lines } = index(self.store)?;
        let mut matching: Vec<(usize, IndexRow)> = rows.iter().cloned().enumerate().collect();
        matching.retain(|(_, row)| {
            row.removed_at.is_none()
                && digest.is_none_or(|digest| digest == row.sha256)
                && label.is_none_or(|label| row.label.as_deref() == Some(label))
        });
        let removals = rows.iter().enumerate().filter(|(_, row)| row.removed_at.is_some());
        let removed: HashMap<Digest, usize> = removals.map(|(at, row)| (row.sha256, at)).collect();
        let leads =
            |(at, row): &&(usize, IndexRow)| removed.get(&row.sha256).is_none_or(|end| at > end);
        let alias_count = matching.iter().filter(leads).count() as u64;
        let Some((_, entry)) = matching.pop() else {
            return Err(Error::ScratchNotFound {
                sha256: sha256.map(str::to_owned),
                label: label.map(str::to_owned),
                asked_both: true,
                is_done: false,
            });
        };
        let name = bin_name(entry.sha256);
        let bin_exists = self.store.state_file(&[SCRATCH], &name)?.is_some();
        let scratch_path = format!("{}/{name}", self.store.shown_state(&[SCRATCH]));
        let gone = rows.into_iter().rfind(|row| row.sha256 == entry.sha256 && !bin_exists);
        let (removed_at, removed_for) =
            gone.map(|row| (row.removed_at, row.removed_for)).unwrap_or_default();
        Ok(Reference {
            entry,
            scratch_path,
            bin_exists,
            alias_count,
            removed_at,
            removed_for,
            damaged_lines,
        })
    }

    /// Gives kept content back.
    ///
    /// # Errors
    /// Reading is switched off; the digest is none; the encoding is not known; there is no such
    /// content; it has changed since; it is no text and was asked for as such.
    pub fn get(&self, sha256: &str, encoding: Encoding) -> Result<Kept> {
        self.kept(sha256, encoding, 0, u64::MAX)
    }

    /// Gives a page of kept content back.
    ///
    /// # Errors
    /// As [`Scratch::get`]; and a number is out of range.
    pub fn page(&self, request: &GetRequest) -> Result<Kept> {
        let max_bytes = request.max_bytes.unwrap_or(PAGE_MAX);
        let (offset, max_bytes) = page::asked(request.offset, max_bytes)?;
        self.kept(&request.sha256, request.encoding, offset, max_bytes)
    }

    fn kept(&self, sha256: &str, encoding: Encoding, offset: u64, most: u64) -> Result<Kept> {
        self.store.visible()?;
        if self.sealed {
            return Err(Error::ScratchGetDisabled);
        }
        let digest = parse_digest(sha256)?;
        let name = bin_name(digest);
        let Some(file) = self.store.state_file(&[SCRATCH], &name)? else {
            return Err(self.absent(Some(sha256), None, false)?);
        };
        let shown = format!("{}/{name}", self.store.shown_state(&[SCRATCH]));
        let bytes = read_whole(&*file, &shown)?;
        let actual = Digest::of(&bytes);
        if actual != digest {
            return Err(Error::ScratchDrift { sha256: digest, actual });
        }
        let len = bytes.len() as u64;
        let (begin, content, end) = match encoding {
            Encoding::Base64 => {
                let end = offset.saturating_add(most).min(len);
                let begin = offset.min(len);
                let page = bytes.get(begin as usize..end as usize).unwrap_or_default();
                (begin, BASE64.encode(page), end)
            }
            Encoding::Utf8 => {
                if let Err(error) = str::from_utf8(&bytes) {
                    let message = error.to_string();
                    return Err(Error::ScratchNotUtf8 { sha256: digest, message });
                }
                let (begin, content) = page::page(&bytes, 0, offset, most);
                let end = begin + content.len() as u64;
                (begin, content, end)
            }
        };
        let is_last = |row: &IndexRow| row.sha256 == digest && row.removed_at.is_none();
        let row = self.rows()?.into_iter().rfind(is_last);
        let (content_type, label) =
            row.map(|row| (row.content_type, row.label)).unwrap_or_default();
        Ok(Kept {
            sha256: digest,
            content,
            encoding,
            bytes: len,
            content_type,
            label,
            offset: (begin > 0 || end < len).then_some(begin),
            next_offset: (end < len).then_some(end),
        })
    }

    /// Why there is nothing: it was taken out, or never there.
    fn absent(&self, sha256: Option<&str>, label: Option<&str>, asked_both: bool) -> Result<Error> {
        let digest = sha256.map(parse_digest).transpose()?;
        let gone = self.rows()?.into_iter().rfind(|row| {
            digest.is_none_or(|digest| digest == row.sha256)
                && label.is_none_or(|label| row.label.as_deref() == Some(label))
        });
        if let Some(IndexRow { removed_at: Some(removed_at), removed_for, sha256, .. }) = gone {
            let removed_for = removed_for.unwrap_or(Why::Asked);
            return Ok(Error::ScratchRemoved {
                sha256,
                removed_at,
                removed_for: removed_for.as_str(),
                is_done: false,
            });
        }
        let (sha256, label) = (sha256.map(str::to_owned), label.map(str::to_owned));
        Ok(Error::ScratchNotFound { sha256, label, asked_both, is_done: false })
    }

    fn rows(&self) -> Result<Vec<IndexRow>> {
        Ok(index(self.store)?.rows)
    }

    /// What to look after, once the state directory is there. It ignores itself, unless somebody has changed its
    /// `.gitignore`.
    fn warnings(&self) -> Vec<Warning> {
        let lines = |dir: DirRef, says: fn(&str) -> bool| {
            let text =
                dir.open(OsStr::new(".gitignore")).and_then(|file| read_all(&*file, 1 << 20));
            let text = text.unwrap_or_default();
            String::from_utf8_lossy(&text).lines().any(|line| says(line.trim()))
        };
        let own = self.store.state_dir(&[]).ok().flatten();
        let home = self.store.home.enter(&*self.store.disk).ok().map(|home| home.dir.clone());
        let ignored = own.is_some_and(|own| lines(own, |line| line == "*"))
            || home.is_some_and(|home| {
                lines(home, |line| {
                    let bare = line.strip_suffix('/').unwrap_or(line);
                    let bare = bare.strip_prefix("**/").or(bare.strip_prefix('/')).unwrap_or(bare);
                    bare == crate::roots::STATE_DIR
                })
            });
        if ignored {
            return Vec::new();
        }
        vec![Warning {
            reason: "state_dir_not_gitignored",
            hint: "add '.resilient_write/' to .gitignore to keep scratched material out of git",
        }]
    }

    /// What is kept under a digest, unverified.
    pub(crate) fn bytes(&self, digest: Digest) -> Result<Option<Vec<u8>>> {
        self.store.state_bytes(&[SCRATCH], &bin_name(digest))
    }

    /// Whether content of that digest is kept, unchanged.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn holds(&self, digest: Digest) -> Result<bool> {
        let Some(file) = self.store.state_file(&[SCRATCH], &bin_name(digest))? else {
            return Ok(false);
        };
        let (actual, _) =
            digest_of(&*file).map_err(|source| Error::os(bin_name(digest), "read", source))?;
        Ok(actual == digest)
    }
}

/// What the index holds.
struct Index {
    /// What was put and removed, oldest first: without the labels that were taken off.
    rows: Vec<IndexRow>,
    /// How many lines could not be read.
    damaged_lines: u64,
}

/// Reads the index. A line that cannot be read hides no other one.
fn index(store: &Store) -> Result<Index> {
    let text = store.state_bytes(&[SCRATCH], INDEX)?.unwrap_or_default();
    let torn = !text.ends_with(b"\n");
    let mut lines = text.split(|byte| *byte == b'\n').peekable();
    let mut index = Index { rows: Vec::new(), damaged_lines: 0 };
    while let Some(line) = lines.next() {
        match serde_json::from_slice(line) {
            Ok(IndexRow { label_removed_at: Some(_), sha256, label, .. }) => {
                index.rows.retain(|row| {
                    row.removed_at.is_some() || (row.sha256, &row.label) != (sha256, &label)
                });
            }
            Ok(row) => index.rows.push(row),
            // A torn end and an empty line are no damage.
            Err(_) if torn && lines.peek().is_none() => {}
            Err(_) if line.iter().all(u8::is_ascii_whitespace) => {}
            Err(_) => index.damaged_lines += 1,
        }
    }
    Ok(index)
}

/// Adds a row to the index.
///
/// # Errors
/// The index has another name, through which a line would reach a file outside.
fn append(op: &mut WriteContext<'_>, row: &IndexRow) -> Result<()> {
    let text = serde_json::to_string(row)
        .map_err(|error| Error::Internal { message: error.to_string() })?;
    let index = op.store.state_target(op.state, &[SCRATCH], INDEX)?;
    if index.stat.is_some_and(|stat| stat.links > 1) {
        return Err(Error::ForeignState { path: index.shown, what: "has another name" });
    }
    op.append_line(index, text)
}

fn bin_name(digest: Digest) -> String {
    format!("{digest}.bin")
}

fn parse_digest(sha256: &str) -> Result<Digest> {
    sha256.parse().map_err(|_| Error::BadDigest { sha256: sha256.to_owned() })
}
