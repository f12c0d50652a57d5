//! Chunk sessions: a long text in numbered parts, each of them durable, joined into one file.
//!
//! A session is a directory of parts and a manifest. A part and the manifest's new version are
//! published together; composing publishes the joined file like any other write. Nothing of a
//! session needs the process that began it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::checked::Checked;
use crate::commit::Committer;
use crate::contents::{Content, digest_of_dir};
use crate::digest::{Digest, Hasher};
use crate::disk::{DirRef, File, Kind, read_all, read_up_to};
use crate::error::{Error, Result};
use crate::journal::Mode;
use crate::name::is_name;
use crate::redact::MarkedLines;
use crate::risk::{HardLinks, Policy};
use crate::store::{CHUNKS, Store};
use crate::write::{Guard, git};

mod preview;
mod status;

pub use preview::{Preview, PreviewRequest};
pub use status::{LastPart, Parts, Session, Sessions, Status};

const MANIFEST: &str = "manifest.json";
const MOST: u32 = 999;
const BLOCK: usize = 128 * 1024;

/// The sessions of a workspace.
#[derive(Clone, Copy, Debug)]
pub struct Chunks<'a> {
    pub(crate) store: &'a Committer,
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
}

/// What a reset removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reset {
    /// The session's name.
    pub session: String,
    /// How many files it had, the manifest included.
    pub removed: u64,
    /// Whether there was one of that name.
    pub existed: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Manifest {
    created_at: String,
    session: String,
    #[serde(default)]
    total_expected: Option<u32>,
    updated_at: String,
}

impl Chunks<'_> {
    /// Keeps a part under its number, in place of one that has it.
    ///
    /// # Errors
    /// The session's name, the number or the total is not one; the number is beyond the total
    /// given with it; the manifest is damaged; the disk refuses.
    pub fn write(
        &self,
        session: &str,
        index: i64,
        content: String,
        total_expected: Option<i64>,
    ) -> Result<ChunkReceipt> {
        check_session(session)?;
        let number = u32::try_from(index)
            .ok()
            .filter(|index| (1..=MOST).contains(index))
            .ok_or_else(|| Error::ChunkIndex { session: session.to_owned(), index })?;
        let total = check_total(session, total_expected)?;
        if total.is_some_and(|total| number > total) {
            return Err(Error::IndexExceedsTotal {
                session: session.to_owned(),
                index,
                total_expected: total_expected.unwrap_or_default(),
            });
        }
        self.keep(session, Some(number), content, total)
    }

    /// Keeps a part under the number after the highest.
    ///
    /// # Errors
    /// As [`Chunks::write`].
    pub fn append(
        &self,
        session: &str,
        content: String,
        total_expected: Option<i64>,
    ) -> Result<ChunkReceipt> {
        check_session(session)?;
        let total = check_total(session, total_expected)?;
        self.keep(session, None, content, total)
    }

    fn keep(
        &self,
        session: &str,
        index: Option<u32>,
        content: String,
        total: Option<u32>,
    ) -> Result<ChunkReceipt> {
        let session = session.to_owned();
        let content = Content::of(content.into_bytes());
        let digest = content.digest;
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
                    if last >= MOST {
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
            let old_manifest = op.old(&manifest_at)?;
            let now = op.store.now();
            let mut manifest = match &old_manifest {
                Some(old) => {
                    let bytes = read_all(&*old.file, u64::MAX)
                        .map_err(|e| Error::os(manifest_at.shown.clone(), "read", e))?;
                    read_manifest(&session, &bytes)?
                }
                None => Manifest {
                    created_at: now.clone(),
                    session: session.clone(),
                    total_expected: None,
                    updated_at: String::new(),
                },
            };
            manifest.updated_at = now;
            manifest.total_expected = total.or(manifest.total_expected);
            let text = pretty(&manifest)?;

            let part_at = op.store.state_target(op.state, &below, &part_name(index))?;
            let old_part = op.old(&part_at)?;
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
            })
        })
    }

    /// Joins all parts, with `separator` between them, into one file.
    ///
    /// The parts are streamed: the file may be larger than memory. An existing file is replaced.
    ///
    /// # Errors
    /// There is no session or no part; numbers are missing, or their count is not the announced
    /// one; the joined bytes are no UTF-8; the output path or the disk refuses.
    pub fn compose(
        &self,
        session: &str,
        output_path: &str,
        separator: &str,
        cleanup: bool,
        policy: &Policy,
    ) -> Result<ComposeReceipt> {
        self.join(session, output_path, separator, cleanup, false, policy)
    }

    /// As [`Chunks::compose`], but refuses a text that has a syntax error, as far as the name of the
    /// output tells its format. The text is in memory for it.
    ///
    /// # Errors
    /// As [`Chunks::compose`]; and the text has a syntax error.
    pub fn compose_valid(
        &self,
        session: &str,
        output_path: &str,
        separator: &str,
        cleanup: bool,
        policy: &Policy,
    ) -> Result<ComposeReceipt> {
        self.join(session, output_path, separator, cleanup, true, policy)
    }

    fn join(
        &self,
        session: &str,
        output_path: &str,
        separator: &str,
        cleanup: bool,
        validate: bool,
        policy: &Policy,
    ) -> Result<ComposeReceipt> {
        check_session(session)?;
        let (git, hard_links) = (git(policy), policy.hard_links);
        let guard = Guard::new(policy);
        let session = session.to_owned();
        let output_path = output_path.to_owned();
        let separator = separator.as_bytes().to_vec();
        self.store.submit(move |op| {
            let below = [CHUNKS, session.as_str()];
            op.claim_below(&below)?;
            let manifest_at = op.store.state_target(op.state, &below, MANIFEST)?;
            op.claim(&manifest_at)?;
            let (dir, indices) = complete(op.store, &session, true)?;
            let target = op.store.roots.writable(&output_path, git)?;
            op.claim(&target)?;
            let old = op.old(&target)?;
            if let Some(old) = &old
                && old.stat.links > 1
                && hard_links == HardLinks::Refuse
            {
                return Err(Error::HardLinked { path: target.shown, links: old.stat.links });
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
            let staged = op.stage_parts(&target, || {
                let block = joined.next_block()?;
                marked.add(block.as_deref().unwrap_or_default());
                Ok(block)
            })?;
            marked.finish_new();
            if let Some(old) = &old
                && old.digest != staged.digest
            {
                let check = || {
                    let adds_marks = adds_marks(marked, &*old.file)
                        .map_err(|source| Error::os(target.shown.clone(), "read", source))?;
                    if !adds_marks {
                        return Ok(());
                    }
                    // Only a mark that comes anew is compared with what the file holds, for which
                    // the guard needs both texts whole.
                    let content = Joined::new(&dir, &session, &indices, &separator).content()?;
                    let before = op.old_content(&target)?.map(|(_, bytes, _)| bytes);
                    guard.check(&target, &before.unwrap_or_default(), &content)
                };
                if let Err(refused) = check() {
                    staged.remove(op.state);
                    return Err(refused);
                }
            }
            let chunk_hashes = std::mem::take(&mut joined.hashes);
            let joined_mid_line = std::mem::take(&mut joined.mid_line);
            let (sha256, bytes) = (staged.digest, staged.len);
            let shown = target.shown.clone();
            let mode = if old.is_some() { Mode::Overwrite } else { Mode::Create };
            let journaled = match &old {
                Some(old) if old.digest == sha256 => {
                    staged.remove(op.state);
                    op.confirm(&target, old, mode)?
                }
                _ => op.publish(staged, target, old.as_ref(), mode)?,
            };
            op.composed_of(&session);
            if cleanup && let Some(chunks) = op.store.state_dir(&[CHUNKS])? {
                let known = |name: &OsStr| {
                    let index = part_index(name)?;
                    chunk_hashes.get(indices.binary_search(&index).ok()?).copied()
                };
                let found = digest_of_dir(&*dir, known)
                    .map_err(|source| Error::os(op.store.shown_state(&below), "read", source))?;
                op.discard_with_row(chunks, format!("{CHUNKS}/{session}"), found)?;
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
            })
        })
    }

    /// Removes a session with all its parts, in one step.
    ///
    /// # Errors
    /// The session's name is not one; the disk refuses.
    pub fn reset(&self, session: &str) -> Result<Reset> {
        check_session(session)?;
        let gone = Reset { session: session.to_owned(), removed: 0, existed: false };
        // Nothing is created to find that there is nothing.
        if self.store.state_dir(&[CHUNKS, session])?.is_none() {
            return Ok(gone);
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
            let removed =
                count_files(dir).map_err(|e| Error::os(op.store.shown_state(&below), "list", e))?;
            op.discard(chunks, OsString::from(&session));
            Ok(Reset { removed, existed: true, ..gone.clone() })
        })
    }
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
        .filter(|total| (1..=MOST).contains(total))
        .map(Some)
        .ok_or_else(|| Error::TotalExpected { session: session.to_owned(), total_expected })
}

fn part_name(index: u32) -> String {
    format!("part-{index:03}.txt")
}

fn part_index(name: &OsStr) -> Option<u32> {
    let digits = name.to_str()?.strip_prefix("part-")?.strip_suffix(".txt")?;
    let all_digits = digits.len() == 3 && digits.bytes().all(|c| c.is_ascii_digit());
    digits.parse().ok().filter(|index| all_digits && (1..=MOST).contains(index))
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
        return Err(if composing {
            Error::SessionNotFound { session }
        } else {
            Error::NoChunks { session }
        });
    };
    if have.is_empty() {
        return Err(Error::NoChunks { session });
    }
    let count = u32::try_from(have.len()).unwrap_or(u32::MAX);
    let missing: Vec<u32> = (1..=count).filter(|index| !have.contains(index)).collect();
    if !missing.is_empty() {
        let unexpected =
            composing.then(|| have.iter().copied().filter(|index| *index > count).collect());
        return Err(Error::NonContiguous { session, have, missing, unexpected });
    }
    if let Some(total_expected) = manifest(store, &session)?.and_then(|found| found.total_expected)
        && total_expected != count
    {
        return Err(Error::ChunkCount { session, have: have.len(), total_expected });
    }
    Ok((dir, have))
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

/// The parts as one stream of blocks, checked to be UTF-8 on the way.
struct Joined<'a> {
    dir: &'a DirRef,
    session: &'a str,
    ahead: std::slice::Iter<'a, u32>,
    separator: &'a [u8],
    /// The part that is being read, how far, and its hasher.
    open: Option<(Arc<dyn File>, u64, Hasher)>,
    hashes: Vec<Digest>,
    /// The last byte so far.
    last: Option<u8>,
    /// The parts whose last line goes on in the next one.
    mid_line: Vec<u32>,
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
            last: None,
            mid_line: Vec::new(),
            cut: Vec::new(),
            offset: 0,
            done: false,
        }
    }

    /// All blocks as one.
    fn content(&mut self) -> Result<Vec<u8>> {
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
                    *at += read as u64;
                    hasher.update(&block);
                    self.last = block.last().copied();
                    self.check(&block)?;
                    return Ok(Some(block));
                }
                self.hashes.push(hasher.finish());
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
