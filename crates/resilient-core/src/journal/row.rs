//! A row of the journal.

use serde::{Deserialize, Serialize};

use super::surrogates::replaced;
use super::{Mode, RowDigest};
use crate::digest::Digest;
use crate::disk::Stat;
use crate::sectors::Sectors;

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
    /// Who wrote, in more detail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<By>,
    /// The chunk session whose parts the file was composed of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub composed: Option<String>,
    /// Within what the row's number is unique: 16 hex digits of chance. The first row of a file has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<String>,
    /// The files whose names were exchanged, where the write was made so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<Exchange>,
    /// The file that was appended to in place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<InPlace>,
    /// The directory of the slots: its number and when it was made. Another one means that the state directory
    /// is a copy. Rows of which recovery may have to finish something have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The absolute path that a renamed file had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What is taken away together with the write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<RemovedDir>,
    /// The path of the directory that held the state directory, where `abs_path` does not end with `path` below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
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
    /// Sums of what was appended in place, for each sector: a crash may leave a part of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sectors: Option<Sectors>,
    /// The row's number, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// Digest of the file's content.
    pub sha256: RowDigest,
    /// Name under which the content was staged. As long as that name exists, the write is not
    /// finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub staged: Option<String>,
    /// When, `YYYY-MM-DDTHH:MM:SSZ`.
    pub ts: String,
    /// Name of a slot that holds what the file was, for a write where the file is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<String>,
    /// The row whose change this one takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<RowAt>,
    /// The unit that the row belongs to, if that has several rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<OfUnit>,
    /// What ties the row to all that stands before it: SHA-256 in hex, over the chain value before, the
    /// bytes of the journal behind that row, and this row's line in front of this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain: Option<String>,
}

impl Row {
    /// Whether the file was written where it is, so that a reader may have seen a part of it.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        self.at.is_some() || self.undo.is_some()
    }

    /// The path that the directory had which held the state directory.
    pub(crate) fn home(&self) -> Option<&str> {
        self.home.as_deref().or_else(|| Self::home_of(self.abs_path.as_deref()?, &self.path))
    }

    /// The same by a file's absolute path and the path that is shown of it, for a file below that directory.
    pub(crate) fn home_of<'a>(abs_path: &'a str, path: &str) -> Option<&'a str> {
        let home = abs_path.strip_suffix(path)?.strip_suffix('/')?;
        (!home.is_empty()).then_some(home)
    }

    /// Reads a row that belongs to a batch. Most lines of other writers are recognised without parsing.
    pub(crate) fn of_batch(line: &[u8]) -> Option<Self> {
        memchr::memmem::find(line, b"\"batch\":")?;
        Self::parse(line).filter(|row| row.batch.is_some() && row.sha256.digest().is_some())
    }

    /// Reads one line, its end not included.
    #[must_use]
    pub fn parse(line: &[u8]) -> Option<Self> {
        let row = serde_json::from_slice(line).ok();
        row.or_else(|| serde_json::from_slice(&replaced(line)?).ok())
    }

    /// How long the row is that a line begins with; `None` where it begins with no whole row. Something else may be
    /// behind it, which no crash leaves there.
    pub(crate) fn len_in(line: &[u8]) -> Option<usize> {
        let mended = replaced(line);
        let line = mended.as_deref().unwrap_or(line);
        let mut rows = serde_json::Deserializer::from_slice(line).into_iter::<Self>();
        rows.next()?.ok()?;
        Some(rows.byte_offset())
    }
}

/// Who wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct By {
    /// The program that asked, with its version, as it named itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// A key of the caller's: a call that is repeated with it is not carried out twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// By which way: `server`, `cli`, `library`, `hook`, `foreign` (noticed, not written), `undo`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// The session: a connection of a client, or a run of the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The tool or command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

impl By {
    /// The connection of a client. A run of the command line is a session, too, but none that goes on.
    pub(crate) fn connection(&self) -> Option<&str> {
        self.session.as_deref().filter(|_| self.origin.as_deref() != Some("cli"))
    }

    /// Whether two callers are one program, of the same token: its version and its session may be others. Of a caller
    /// without a name, of which there is a token at most, this is not known.
    pub(crate) fn is_of_program(&self, other: &Self) -> bool {
        self.program().is_some() && self.program() == other.program()
    }

    fn program(&self) -> Option<&str> {
        let (name, _) = self.client.as_deref()?.rsplit_once('/')?;
        Some(name)
    }
}

/// The place of a row in a unit of several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfUnit {
    /// The row's number in the unit, from 1.
    pub i: u64,
    /// The unit's identity.
    pub id: String,
    /// How many rows the unit has.
    pub of: u64,
}

/// A row, named by its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowAt {
    /// As [`Row::epoch`].
    pub epoch: String,
    /// As [`Row::seq`].
    pub seq: u64,
}

/// Two files whose names were exchanged, by their numbers on the device. A file of equal content has another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// Of the directory of the slot. Another number means that the state directory is a copy: then the other two
    /// say nothing.
    pub dir: u64,
    /// Of the file that was replaced.
    pub old: u64,
    /// Of the staged file.
    pub staged: u64,
    /// When the file that was replaced was made, as [`born`] has it: a later file may get its number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub born: Option<i64>,
}

/// A file that was written where it is, by its number on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InPlace {
    /// As [`Exchange::dir`].
    pub dir: u64,
    /// Of the file.
    pub inode: u64,
    /// When it was made, as [`born`] has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub born: Option<i64>,
}

/// When a file was made, in nanoseconds since 1970; nothing where the file system does not know, or after the
/// year 2262.
#[must_use]
pub fn born(stat: &Stat) -> Option<i64> {
    stat.born_ns.and_then(|born| i64::try_from(born).ok())
}

/// A file that is published together with the file of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Also {
    /// The absolute path.
    pub abs_path: String,
    /// As [`Row::exchange`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<Exchange>,
    /// Digest of the content before; absent for a file that did not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prev_sha256: Option<Digest>,
    /// Digest of the content.
    pub sha256: Digest,
    /// Name under which the content was staged.
    pub staged: String,
}

/// A directory or a file of the state that is taken away once the file of a row is published, or by the row
/// itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemovedDir {
    /// Its path in the state directory.
    pub path: String,
    /// Digest of it, or of what is in it: what somebody has changed since is left alone.
    pub sha256: Digest,
    /// A slot that exists until the directory is gone for good. A later directory of that name
    /// thus differs from this one.
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

/// The path of a file in the state directory, which may be in a directory below the working directory.
pub(crate) fn in_state(path: &str) -> Option<&str> {
    let (before, inside) = path.rsplit_once(".resilient_write/")?;
    (before.is_empty() || before.ends_with('/')).then_some(inside)
}

/// The chunk session of which a path is a part.
pub(crate) fn chunk_session(path: &str) -> Option<&str> {
    let (name, file) = in_state(path)?.strip_prefix("chunks/")?.split_once('/')?;
    let digits = file.strip_prefix("part-")?.strip_suffix(".txt")?;
    (digits.len() == 3 && digits.bytes().all(|c| c.is_ascii_digit())).then_some(name)
}
