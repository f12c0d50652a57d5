//! Reading files that are larger than anybody's memory of them: a list, facts, windows, lines, the tail, a
//! search, and a cursor that walks through all of it.
//!
//! A file is opened once per call, by handle, inside the roots, and everything an answer says is of
//! that handle. Nothing here takes a lock or changes anything. A window never cuts a character, an
//! answer never exceeds its budget by more than one, and what an answer leaves out it names.
//!
//! `encoding` tells characters, `terminator` lines; `scan` passes over blocks on several threads,
//! `walk` goes from line to line, `index` remembers where lines are; `list`, `window`, `lines`, `search`
//! and `cursor` are the reads. `token` is a cursor
//! as text, `prefix` what it keeps of its file, `trail` how to find the file.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use serde::Serialize;

use crate::digest::{Digest, Hasher};
use crate::disk::{Clock, FileBox, Kind, Stat, read_up_to};
use crate::error::{Error, NotAFile, Result};
use crate::form::{self, Eol, Form};
use crate::progress::Progress;
use crate::roots::{Roots, Target, holds_scratch};
use crate::store::Store;

mod budget;
mod cursor;
mod encoding;
mod files;
mod index;
mod lines;
mod list;
mod prefix;
mod scan;
mod search;
mod terminator;
mod token;
mod trail;
mod walk;
mod window;

pub use cursor::{CursorAnswer, CursorRequest, NextRequest, NextWindow};
pub use encoding::OnInvalid;
pub(crate) use index::Indexes;
pub use lines::{CutLine, LinesAnswer, LinesRequest, TailRequest};
pub use list::{ListRequest, ListedFile, Listing};
pub use search::{Found, Match, SearchRequest, Skipped};
pub use window::{Window, WindowRequest};

use encoding::Encoding;
use index::Index;
use terminator::Unit;

/// How many bytes of a file that is no text are shown.
const SHOWN_OF_BINARY: usize = 32;
/// A version that changed so short a time ago may change again without a trace in its times, on
/// file systems that keep them in whole seconds.
const SETTLED_NS: i128 = 2_000_000_000;

/// Reads files of a workspace.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    pub(crate) clock: &'a dyn Clock,
    pub(crate) roots: &'a Roots,
    pub(crate) indexes: &'a Indexes,
    /// The state, if reading the scratchpad is switched off: then nothing reads its files either.
    pub(crate) sealed: Option<&'a Store>,
    pub(crate) progress: &'a dyn Progress,
}

/// Up to this length a file's digest is told unasked.
pub const DIGESTED_MAX: u64 = 16 << 20;

/// Asks for the facts about a file.
#[derive(Clone, Debug)]
pub struct StatRequest {
    /// The file.
    pub path: String,
    /// Whether to read all of it for its digest; otherwise its length decides ([`DIGESTED_MAX`]).
    pub digest: Option<bool>,
}

/// The facts about a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileFacts {
    /// The path as it was given.
    pub path: String,
    /// Its length in bytes.
    pub size: u64,
    /// When it was last changed, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// What its head looks like.
    pub encoding: String,
    /// `low` where the encoding is only the best of several guesses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding_confidence: Option<&'static str>,
    /// Whether it begins with a byte order mark.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bom: bool,
    /// The line end that is the most frequent in its head.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eol: Option<Eol>,
    /// Whether its head has both `\n` and `\r\n`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub eol_mixed: bool,
    /// The digest of all of it: what `expected_prev_sha256` of the next write wants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Digest>,
    /// How to get the digest of a file that is too long to have it unasked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<&'static str>,
}

/// A file as it was when a call opened it.
#[derive(Debug)]
struct Opened {
    /// The path as it was given.
    path: String,
    file: FileBox,
    stat: Stat,
    /// What its head looks like.
    form: Form,
    /// What it is read as: what the call named, else what it looks like.
    encoding: Encoding,
    is_named: bool,
}

impl Opened {
    fn mtime_ns(&self) -> i64 {
        nanoseconds(self.stat.mtime_ns)
    }

    fn failed(&self, operation: &'static str, source: io::Error) -> Error {
        Error::os(&self.path, operation, source)
    }

    /// `low` where the encoding is nobody's word and only a guess.
    fn confidence(&self) -> Option<&'static str> {
        (!self.is_named && !self.form.is_sure).then_some("low")
    }

    fn unit(&self) -> Unit {
        self.encoding.steps()
    }

    fn named(self, encoding: Option<Encoding>) -> Self {
        match encoding {
            Some(encoding) => Self { encoding, is_named: true, ..self },
            None => self,
        }
    }

    /// The digest of all of it, unless the file has changed since it was opened.
    fn digest_unchanged(&self) -> Result<Option<Digest>> {
        let digest = digest_of(self)?;
        let now = self.file.stat().map_err(|source| self.failed("stat", source))?;
        let version = |stat: &Stat| (stat.len, stat.mtime_ns, stat.ctime_ns);
        Ok((version(&now) == version(&self.stat)).then_some(digest))
    }

    /// Reads at most `len` bytes.
    fn bytes(&self, offset: u64, len: usize) -> Result<Vec<u8>> {
        let len = len.min(count_in(self.stat.len.saturating_sub(offset)));
        let mut bytes = vec![0; len];
        let read = read_up_to(&*self.file, &mut bytes, offset)
            .map_err(|source| self.failed("read", source))?;
        bytes.truncate(read);
        Ok(bytes)
    }
}

impl Reader<'_> {
    /// Tells the facts about a file.
    ///
    /// # Errors
    /// The path is outside every root, or absent, or no regular file; the disk refuses.
    pub fn stat(&self, request: &StatRequest) -> Result<FileFacts> {
        let opened = self.open(&request.path)?;
        let is_short = opened.stat.len <= DIGESTED_MAX;
        let sha256 = match request.digest.unwrap_or(is_short) {
            true => Some(digest_of(&opened)?),
            false => None,
        };
        let hint = (request.digest.is_none() && !is_short)
            .then_some("longer than 16 MiB: digest true gives its sha256");
        Ok(FileFacts {
            hint,
            size: opened.stat.len,
            mtime_ns: opened.mtime_ns(),
            encoding: opened.encoding.name(),
            encoding_confidence: opened.confidence(),
            bom: opened.form.bom,
            eol: opened.form.eol,
            eol_mixed: opened.form.is_mixed,
            sha256,
            path: opened.path,
        })
    }

    fn open(&self, path: &str) -> Result<Opened> {
        let target = self.locate(path)?;
        self.unseal(&target.path)?;
        self.open_in(&*target.dir, &target.name, path)
    }

    /// Refuses what the scratchpad holds, where that is sealed.
    fn unseal(&self, path: &Path) -> Result<()> {
        if self.sealed.is_some() && holds_scratch(path) {
            return Err(Error::ScratchGetDisabled);
        }
        Ok(())
    }

    /// Opens a file that has lines, to be read as text in an encoding, if one is named.
    fn open_as(&self, path: &str, encoding: Option<Encoding>) -> Result<Opened> {
        let opened = self.open(path)?.named(encoding);
        if opened.encoding == Encoding::Binary {
            return Err(Error::Binary {
                path: path.to_owned(),
                size: opened.stat.len,
                head: opened.bytes(0, SHOWN_OF_BINARY)?,
            });
        }
        Ok(opened)
    }

    /// Finds what a path leads to, or names the nearest files.
    fn locate(&self, path: &str) -> Result<Target> {
        self.roots.readable(path).map_err(|error| self.roots.with_near(error, path))
    }

    /// Opens a regular file. Never waits on a FIFO or a device, whatever takes the name's place.
    fn open_in(&self, dir: &dyn crate::disk::Dir, name: &OsStr, path: &str) -> Result<Opened> {
        let file = dir.open(name).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => Error::NotFound { path: path.to_owned(), near: Vec::new() },
            io::ErrorKind::InvalidInput => Error::NotARegularFile {
                path: path.to_owned(),
                what: match dir.stat(name) {
                    Ok(Stat { kind: Kind::Dir, .. }) => NotAFile::Directory,
                    _ => NotAFile::Special,
                },
            },
            _ => Error::os(path, "open", source),
        })?;
        let stat = file.stat().map_err(|source| Error::os(path, "stat", source))?;
        if self.sealed.is_some_and(|store| store.has_in_scratch(&stat)) {
            return Err(Error::ScratchGetDisabled);
        }
        let (form, encoding) = (Form::of(b""), Encoding::Utf8);
        let mut opened =
            Opened { path: path.to_owned(), file, stat, form, encoding, is_named: false };
        let head = opened.bytes(0, form::WINDOW)?;
        let is_whole = head.len() as u64 >= opened.stat.len;
        opened.form = if is_whole { Form::of(&head) } else { Form::of_windows(&head, b"") };
        opened.encoding = match opened.form.encoding {
            Encoding::Utf32 => Encoding::Binary,
            encoding => encoding,
        };
        Ok(opened)
    }

    fn index(&self, opened: &Opened) -> std::sync::Arc<Index> {
        self.indexes.of(&opened.stat, opened.unit(), self.is_settled(&opened.stat))
    }

    /// Whether a later change of a version cannot go without a trace in its times.
    fn is_settled(&self, stat: &Stat) -> bool {
        stat.age_ns(self.clock.now_ns()) > SETTLED_NS
    }
}

fn digest_of(opened: &Opened) -> Result<Digest> {
    const PIECE: usize = 1 << 20;
    let mut hasher = Hasher::default();
    let mut offset = 0;
    loop {
        let piece = opened.bytes(offset, PIECE)?;
        if piece.is_empty() {
            return Ok(hasher.finish());
        }
        hasher.update(&piece);
        offset += piece.len() as u64;
    }
}

/// An encoding of text from a request.
fn text_encoding(label: Option<&String>) -> Result<Option<Encoding>> {
    let Some(label) = label else { return Ok(None) };
    let known = Encoding::of_label(label).filter(|encoding| *encoding != Encoding::Binary);
    known.map(Some).ok_or_else(|| Error::ReadEncoding { encoding: label.clone() })
}

/// A time as answers have it.
fn nanoseconds(ns: i128) -> i64 {
    i64::try_from(ns).unwrap_or(i64::MAX)
}

/// A length in memory; what no memory can hold is cut.
fn count_in(len: u64) -> usize {
    usize::try_from(len).unwrap_or(usize::MAX)
}

/// An offset or a length from a request.
fn at_least(name: &str, number: i64, least: u64) -> Result<u64> {
    u64::try_from(number)
        .ok()
        .filter(|number| *number >= least)
        .ok_or_else(|| Error::range(format!("{name} must be at least {least}")))
}
