//! The journal: one JSON line for every file that was published, in the order of publishing.
//!
//! The first seven fields of a [`Row`] are those of the Python server, whose rows are read here
//! and which reads ours. The others let recovery tell an unfinished write from a finished one
//! (`docs/format.md`) and chain each row to the one before it, so that a row that was changed or
//! taken out afterwards is noticed.
//!
//! A last line that is torn was never answered for, and is cut by the next writer. A damaged line
//! elsewhere is counted and skipped; it blocks nothing.

mod brief;
mod forwards;
mod verify;

use std::io;

use serde::{Deserialize, Serialize};

use crate::digest::{Digest, Hasher};
use crate::disk::{File, read_up_to};
pub use crate::sectors::Sectors;

pub(crate) use self::brief::Brief;
#[cfg(test)]
pub(crate) use self::forwards::tests::with_file;
pub(crate) use self::forwards::{LineOf, each_line};
pub(crate) use self::verify::verify;
pub use self::verify::{Break, Verification};

/// How a file came to its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// It did not exist.
    Create,
    /// Its content was replaced as a whole.
    Overwrite,
    /// Bytes were added at its end.
    Append,
    /// Parts of it were replaced.
    Replace,
}

/// One published file. Fields are declared in the order in which they are written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The absolute path; tells files of equal `path` in two workspaces apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abs_path: Option<String>,
    /// Further files of the same change, which have no row of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Also>,
    /// Length of the file at which an append began that was made in place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// `seq` of the first row that was made durable together with this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
    /// Length of the file in bytes.
    pub bytes: u64,
    /// Who wrote.
    pub caller: String,
    /// What ties the row to the one before it: the first 16 bytes of SHA-256, in hexadecimal, over
    /// that row's chain value (or nothing) and this row's own line without the field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain: Option<String>,
    /// What is taken away together with the write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<RemovedDir>,
    /// The row's identity: `wj_`, 12 hex digits of the clock, 8 of chance.
    pub journal_id: String,
    /// A line that belongs into another log together with this row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<Line>,
    /// How the file came to its content.
    pub mode: Mode,
    /// The path as it was reported.
    pub path: String,
    /// Digest of the content before; absent for a file that did not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prev_sha256: Option<Digest>,
    /// Sums of what was appended in place, 8 hex digits for each sector: a crash may leave a part of
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sectors: Option<Sectors>,
    /// The row's number, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// Digest of the file's content.
    pub sha256: Digest,
    /// Name under which the content was staged. As long as that name exists, the write is not
    /// finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub staged: Option<String>,
    /// When, `YYYY-MM-DDTHH:MM:SSZ`.
    pub ts: String,
    /// Name of a slot that holds what the file was, for a write through all of its names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
}

/// A file that is published together with the file of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Also {
    /// The absolute path.
    pub abs_path: String,
    /// Digest of the content before; absent for a file that did not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prev_sha256: Option<Digest>,
    /// Digest of the content.
    pub sha256: Digest,
    /// Name under which the content was staged.
    pub staged: String,
}

/// A directory of the state that is taken away once the file of a row is published.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemovedDir {
    /// Its path in the state directory.
    pub path: String,
    /// Digest of what is in it: what somebody has changed since is left alone.
    pub sha256: Digest,
    /// A slot that exists until the directory is gone for good. A later directory of that name
    /// is thus told from this one.
    pub slot: String,
}

/// A line of another log that is appended together with a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The log's absolute path.
    pub abs_path: String,
    /// The log's length before.
    pub at: u64,
    /// The line, without its end.
    pub text: String,
}

impl Line {
    /// The log's length with it.
    pub(crate) fn end(&self) -> u64 {
        self.at.saturating_add(self.text.len() as u64).saturating_add(1)
    }
}

/// What an agent sees of a row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// As [`Row::journal_id`].
    pub journal_id: String,
    /// As [`Row::ts`].
    pub ts: String,
    /// As [`Row::path`].
    pub path: String,
    /// As [`Row::abs_path`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abs_path: Option<String>,
    /// As [`Row::sha256`].
    pub sha256: Digest,
    /// As [`Row::prev_sha256`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_sha256: Option<Digest>,
    /// As [`Row::bytes`].
    pub bytes: u64,
    /// As [`Row::mode`].
    pub mode: Mode,
    /// As [`Row::caller`].
    pub caller: String,
}

impl From<Row> for Entry {
    fn from(row: Row) -> Self {
        Self {
            journal_id: row.journal_id,
            ts: row.ts,
            path: row.path,
            abs_path: row.abs_path,
            sha256: row.sha256,
            prev_sha256: row.prev_sha256,
            bytes: row.bytes,
            mode: row.mode,
            caller: row.caller,
        }
    }
}

impl Row {
    /// Chains the row to its predecessor and gives the line to be written, end included.
    ///
    /// The chain value is the first 16 bytes of SHA-256 over the predecessor's chain value (or
    /// nothing) and the row's own line without it.
    pub(crate) fn chained(&mut self, previous: Option<&str>) -> io::Result<Vec<u8>> {
        self.chain = Some(self.link(previous)?);
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        Ok(line)
    }

    /// Whether the row follows a row of that chain value and is as it was written. Rows of the
    /// Python server have no chain and follow anything.
    #[must_use]
    pub fn follows(&self, previous: Option<&str>) -> bool {
        match &self.chain {
            None => true,
            Some(chain) => self.link(previous).is_ok_and(|link| link == *chain),
        }
    }

    fn link(&self, previous: Option<&str>) -> io::Result<String> {
        let bare = Self { chain: None, ..self.clone() };
        let mut hasher = Hasher::default();
        hasher.update(previous.unwrap_or_default().as_bytes());
        hasher.update(&serde_json::to_vec(&bare)?);
        Ok(hasher.finish().short())
    }

    /// Whether the file was written where it is, so that a reader may have seen a part of it.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        self.at.is_some() || self.undo.is_some()
    }

    /// Reads one line, its end not included.
    #[must_use]
    pub fn parse(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }
}

/// A line of the journal, newest first, with the offset at which it begins.
#[derive(Debug)]
pub(crate) struct LineAt {
    pub(crate) offset: u64,
    /// Without the end.
    pub(crate) text: Vec<u8>,
    /// Whether the line has its end.
    pub(crate) ended: bool,
}

impl LineAt {
    /// Whether a crash may have left this of an append: an append is one write, of which any part
    /// may be lost and leave zeros.
    pub(crate) fn is_torn(&self) -> bool {
        !self.ended || self.text.contains(&0)
    }
}

/// Reads lines from the end of a log towards its beginning, a block at a time.
pub(crate) struct ReverseLines<'a> {
    file: &'a dyn File,
    /// Offset of the first byte that `held` has.
    start: u64,
    /// Bytes read but not handed out, a whole number of lines once `start` is 0.
    held: Vec<u8>,
    done: bool,
}

const BLOCK: u64 = 32 * 1024;
/// No row is longer: it could not be held in memory.
const LONGEST_LINE: u64 = 256 << 20;

impl<'a> ReverseLines<'a> {
    pub(crate) fn new(file: &'a dyn File, len: u64) -> Self {
        Self { file, start: len, held: Vec::new(), done: len == 0 }
    }

    fn step(&mut self) -> io::Result<Option<LineAt>> {
        loop {
            // The last byte is this line's own end, if it has one; the line begins after the
            // newline before it.
            let body = self.held.len().saturating_sub(1);
            let before = self.held.get(..body).unwrap_or_default();
            let begins = match memchr::memrchr(b'\n', before) {
                Some(at) => at + 1,
                None if self.start == 0 => 0,
                None => {
                    self.refill()?;
                    continue;
                }
            };
            if self.held.is_empty() {
                self.done = true;
                return Ok(None);
            }
            let mut text = self.held.split_off(begins);
            let ended = text.pop_if(|last| *last == b'\n').is_some();
            self.done = self.held.is_empty() && self.start == 0;
            return Ok(Some(LineAt { offset: self.start + begins as u64, text, ended }));
        }
    }

    fn refill(&mut self) -> io::Result<()> {
        if self.held.len() as u64 >= LONGEST_LINE {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a line of 256 MiB and more"));
        }
        // Doubling keeps one line of any length linear.
        let want = BLOCK.max(self.held.len() as u64).min(self.start);
        let mut block = vec![0; usize::try_from(want).map_err(io::Error::other)?];
        let read = read_up_to(self.file, &mut block, self.start - want)?;
        if read as u64 != want {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        block.append(&mut self.held);
        self.held = block;
        self.start -= want;
        Ok(())
    }
}

impl Iterator for ReverseLines<'_> {
    type Item = io::Result<LineAt>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let step = self.step();
        if step.is_err() {
            self.done = true;
        }
        step.transpose()
    }
}

/// Which rows to look at.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only rows of exactly this reported path.
    pub path: Option<String>,
    /// Only rows of this mode.
    pub mode: Option<Mode>,
}

/// The newest rows of a journal.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Tail {
    /// Oldest first.
    pub entries: Vec<Entry>,
    /// How many lines on the way could not be read.
    #[serde(skip_serializing_if = "is_zero")]
    pub damaged_lines: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// Reads the last `n` rows in front of `len` that pass the filter. Costs what the rows cost, not the
/// journal.
pub(crate) fn tail(file: &dyn File, len: u64, n: usize, filter: &Filter) -> io::Result<Tail> {
    let mut tail = Tail::default();
    let mut newest = true;
    for line in ReverseLines::new(file, len) {
        if tail.entries.len() >= n {
            break;
        }
        let line = line?;
        let torn = std::mem::take(&mut newest) && !line.ended;
        match Row::parse(&line.text) {
            Some(row) => {
                if filter.path.as_ref().is_none_or(|path| *path == row.path)
                    && filter.mode.is_none_or(|mode| mode == row.mode)
                {
                    tail.entries.push(row.into());
                }
            }
            // A torn end and an empty line are no damage.
            None if torn || line.text.iter().all(u8::is_ascii_whitespace) => {}
            None => tail.damaged_lines += 1,
        }
    }
    tail.entries.reverse();
    Ok(tail)
}
