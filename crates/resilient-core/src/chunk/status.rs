//! What there is of chunk sessions: of one, or of all.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use serde::Serialize;

use super::joined::is_mid_line;
use super::kept::{check_session, list, missing, near_sessions, part_name};
use super::looked::{Known, Seen};
use super::manifest::manifest;
use super::{Chunks, attempt};
use crate::disk::{DirRef, File, read_up_to};
use crate::error::{Composed, Error, LastWrite, Result};
use crate::name::is_name;
use crate::stamp;
use crate::store::CHUNKS;

/// How many characters of the last part are shown.
const TAIL: usize = 200;

/// How many sessions are listed.
const SESSIONS_MAX: usize = 200;

/// What there is of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Status {
    /// The session's name.
    pub session: String,
    /// Whether there is one of that name.
    pub exists: bool,
    /// The rest, if so.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub parts: Option<Parts>,
    /// The file that it was composed into, if it is gone. [`crate::Workspace::session_status`] looks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub composed: Option<Composed>,
    /// The nearest names, if not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest_names: Vec<String>,
}

/// The parts of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Parts {
    /// How many parts were announced.
    pub total_expected: Option<u32>,
    /// The numbers of the parts that are kept, ascending.
    pub present_indices: Vec<u32>,
    /// The numbers of those that are still to come, up to the highest that is kept or to the announced total.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<u32>,
    /// Where they are kept.
    pub chunk_dir: String,
    /// Length of all parts together.
    pub bytes: u64,
    /// When the last part was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// How long ago that was, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_seconds: Option<u64>,
    /// The newest change of the parts, with its client. [`Chunks::look`] looks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_write: Option<LastWrite>,
    /// The part with the highest number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_part: Option<LastPart>,
    /// The parts without a newline at their end: joined without a separator, their last line goes on in the
    /// next part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub joined_mid_line: Vec<u32>,
    /// The file that an earlier session of this name was composed into: these parts are a new beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub composed_before: Option<Composed>,
}

/// The last part of a session: where the next one goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LastPart {
    /// Its number.
    pub index: u32,
    /// Its length.
    pub bytes: u64,
    /// Its last 200 characters.
    pub tail: String,
}

/// All sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sessions {
    /// The sessions, the last changed first; 200 at most.
    pub sessions: Vec<Session>,
    /// How many there are.
    pub count: usize,
}

/// A session in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Session {
    /// Its name.
    pub session: String,
    /// The file that the parts are for, if the caller that sent them has named it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_path: Option<String>,
    /// How many parts are kept.
    pub parts: usize,
    /// The numbers of the parts, ascending.
    #[serde(skip)]
    pub present_indices: Vec<u32>,
    /// How many parts were announced.
    pub total_expected: Option<u32>,
    /// Length of all parts together.
    pub bytes: u64,
    /// When the last part was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// How long ago that was, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_seconds: Option<u64>,
    /// Whether it, or its manifest, cannot be read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub damaged: bool,
}

impl Session {
    /// One of which nothing but its name is known.
    fn unreadable(name: &str) -> Self {
        Self {
            session: name.to_owned(),
            output_path: None,
            parts: 0,
            present_indices: Vec::new(),
            total_expected: None,
            bytes: 0,
            updated_at: None,
            age_seconds: None,
            damaged: true,
        }
    }
}

impl Chunks<'_> {
    /// Tells which parts there are, and how the last one ends.
    ///
    /// # Errors
    /// The session's name is not one; the manifest is damaged; the disk refuses.
    pub fn status(&self, session: &str) -> Result<Status> {
        self.store.visible()?;
        check_session(session)?;
        let parts = match list(self.store, session)? {
            None => None,
            Some((dir, present_indices)) => Some(self.parts(session, &dir, present_indices)?),
        };
        let nearest_names =
            if parts.is_none() { near_sessions(self.store, session) } else { Vec::new() };
        let exists = parts.is_some();
        Ok(Status { session: session.to_owned(), exists, parts, composed: None, nearest_names })
    }

    /// As [`Chunks::status`]. From now on the caller knows these parts, as in
    /// [`PartRequest::one_attempt`](super::PartRequest::one_attempt).
    ///
    /// # Errors
    /// As [`Chunks::status`].
    pub fn look(&self, session: &str) -> Result<Status> {
        self.listing(session, || {
            // IMPORTANT: before the parts are listed. What comes later is not known.
            let row = attempt::newest_row(self.store, session);
            let mut status = self.status(session)?;
            if let Some(parts) = &mut status.parts {
                parts.last_write = attempt::newest_change(self.store, session);
            }
            // What was refused for what the parts hold still is, if they are the same.
            let is_blocked = match self.known(session) {
                Some(Known::Parts(Seen { row: known, is_blocked, .. })) => {
                    is_blocked && known == row
                }
                _ => false,
            };
            let seen = status.exists.then(|| Seen { is_blocked, ..Seen::until(row) });
            Ok((status, seen))
        })
    }

    /// Lists the sessions that there are.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn sessions(&self) -> Result<Sessions> {
        self.store.visible()?;
        let Some(chunks) = self.store.state_dir(&[CHUNKS])? else { return Ok(Sessions::default()) };
        let names = chunks
            .entries()
            .map_err(|source| Error::os(self.store.shown_state(&[CHUNKS]), "list", source))?;
        let mut sessions = Vec::new();
        for name in names {
            let Some(name) = name.to_str().filter(|name| is_name(name)) else { continue };
            let (dir, indices) = match list(self.store, name) {
                Ok(Some(listed)) => listed,
                // One that is taken away meanwhile is not there, and a file is none.
                Ok(None) => continue,
                Err(Error::Os { source, .. }) if is_none(&source) => continue,
                Err(_) => {
                    sessions.push(Session::unreadable(name));
                    continue;
                }
            };
            let manifest = manifest(self.store, name);
            let damaged = manifest.is_err();
            let manifest = manifest.ok().flatten();
            let updated_at = manifest.as_ref().map(|manifest| manifest.updated_at.clone());
            let output_path = manifest.as_ref().and_then(|manifest| manifest.output_path.as_ref());
            sessions.push(Session {
                session: name.to_owned(),
                output_path: output_path.map(|path| self.store.roots.show(Path::new(path))),
                parts: indices.len(),
                total_expected: manifest.and_then(|manifest| manifest.total_expected),
                bytes: indices.iter().map(|index| len_of(&dir, *index)).sum(),
                age_seconds: self.age(updated_at.as_deref()),
                updated_at,
                damaged,
                present_indices: indices,
            });
        }
        let count = sessions.len();
        sessions.sort_by(|one, other| other.updated_at.cmp(&one.updated_at));
        sessions.truncate(SESSIONS_MAX);
        Ok(Sessions { sessions, count })
    }

    fn parts(&self, session: &str, dir: &DirRef, present_indices: Vec<u32>) -> Result<Parts> {
        let os = |source| Error::os(self.store.shown_state(&[CHUNKS, session]), "read", source);
        let manifest = manifest(self.store, session)?;
        let composed_before = manifest.as_ref().and_then(|found| found.composed_before.clone());
        let updated_at = manifest.as_ref().map(|manifest| manifest.updated_at.clone());
        let total_expected = manifest.and_then(|manifest| manifest.total_expected);
        let mut parts = Parts {
            total_expected,
            missing: missing(&present_indices, total_expected),
            chunk_dir: self.store.shown_state(&[CHUNKS, session]),
            bytes: 0,
            age_seconds: self.age(updated_at.as_deref()),
            updated_at,
            last_write: None,
            last_part: None,
            joined_mid_line: Vec::new(),
            composed_before,
            present_indices,
        };
        let last = parts.present_indices.last().copied();
        for index in &parts.present_indices {
            let file = dir.open(OsStr::new(&part_name(*index))).map_err(os)?;
            let bytes = file.stat().map_err(os)?.len;
            parts.bytes = parts.bytes.saturating_add(bytes);
            if Some(*index) == last {
                let tail = end_of(&*file, bytes, TAIL * 4).map_err(os)?;
                let tail = last_characters(&tail);
                parts.last_part = Some(LastPart { index: *index, bytes, tail });
            } else if is_mid_line(end_of(&*file, bytes, 1).map_err(os)?.last().copied(), b"") {
                parts.joined_mid_line.push(*index);
            }
        }
        Ok(parts)
    }

    /// How long ago something happened, in seconds.
    fn age(&self, at: Option<&str>) -> Option<u64> {
        let at = stamp::parse(at?)?;
        let now = i128::try_from(self.store.clock.now_ns()).ok()?;
        u64::try_from((now - at).max(0) / 1_000_000_000).ok()
    }
}

/// Whether an error says that a name is that of no directory.
fn is_none(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidInput, NotADirectory, NotFound};
    matches!(error.kind(), InvalidInput | NotADirectory | NotFound)
}

fn len_of(dir: &DirRef, index: u32) -> u64 {
    dir.stat(OsStr::new(&part_name(index))).map_or(0, |stat| stat.len)
}

fn end_of(file: &dyn File, len: u64, most: usize) -> io::Result<Vec<u8>> {
    let from = len.saturating_sub(most as u64);
    let mut bytes = vec![0; (len - from) as usize];
    let read = read_up_to(file, &mut bytes, from)?;
    bytes.truncate(read);
    Ok(bytes)
}

/// The last characters of a text whose beginning may be cut inside one.
fn last_characters(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let count = text.chars().count();
    text.chars().skip(count.saturating_sub(TAIL)).collect()
}
