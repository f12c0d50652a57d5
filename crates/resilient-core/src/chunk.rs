//! Chunk sessions: a long text in numbered parts, each of them durable, joined into one file.
//!
//! A session is a directory of parts and a manifest. A part and the manifest's new version are
//! published together; composing publishes the joined file like any other write. Nothing of a
//! session needs the process that began it.

use std::ffi::OsString;
use std::io;

use serde::Serialize;

use crate::commit::Committer;
use crate::disk::{DirRef, Kind};
use crate::error::{Error, Result};
use crate::omit::is_zero;
use crate::store::CHUNKS;

mod attempt;
mod compose;
mod composed;
mod joined;
mod kept;
mod looked;
mod manifest;
mod part;
mod preview;
mod rows;
mod status;

use kept::{check_session, list, near_sessions};
use manifest::MANIFEST;

pub use compose::{ComposeReceipt, ComposeRequest};
pub(crate) use composed::composed_of;
pub(crate) use looked::Looked;
pub use part::{ChunkReceipt, PartRequest};
pub use preview::{Preview, PreviewRequest};
pub use status::{LastPart, Parts, Session, Sessions, Status};

/// A session has no more parts.
pub const PARTS_MAX: u32 = 999;

/// The sessions of a workspace.
#[derive(Clone, Copy, Debug)]
pub struct Chunks<'a> {
    pub(crate) store: &'a Committer,
    pub(crate) looked: &'a Looked,
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

impl Chunks<'_> {
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
