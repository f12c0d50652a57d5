//! Rows that recovery could not judge or finish: a directory that this process may not read, a
//! path outside its roots, a disk that fails at one place.
//!
//! Such a row leaves the journal and is kept in `pending/`, one file a row, until a process comes
//! that can decide. Its slots stay. Writes to its path are refused until then; no other call waits.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io;

use super::end::slots_of;
use super::names::state_dir;
use crate::digest::Digest;
use crate::disk::{DirRef, Replace, Stat, read_all};
use crate::ensure::private_file;
use crate::journal::Row;
use crate::state::State;

/// The name of the directory in the state directory.
const PENDING: &str = "pending";
/// A row is some hundred bytes. An older version wrote longer ones for long appends.
const LONGEST: u64 = 1 << 26;

/// A row that waits, with the name of its file.
pub(super) struct PendingRow {
    pub(super) name: OsString,
    pub(super) row: Row,
}

/// The rows that wait, in the order of their names. Files that are no row are left alone.
pub(super) fn list(state: &State) -> io::Result<Vec<PendingRow>> {
    let Some(dir) = open(state)? else { return Ok(Vec::new()) };
    let mut rows = Vec::new();
    for name in dir.entries()? {
        if !name.as_encoded_bytes().ends_with(b".row") {
            continue;
        }
        // What is no regular file, or too long, is no row.
        let Ok(file) = dir.open(&name) else { continue };
        let bytes = match read_all(&*file, LONGEST) {
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => continue,
            other => other?,
        };
        if let Some(row) = Row::parse(&bytes) {
            rows.push(PendingRow { name, row });
        }
    }
    Ok(rows)
}

/// The names of the files of rows that wait.
pub(super) fn names(state: &State) -> io::Result<HashSet<OsString>> {
    open(state)?.map_or_else(|| Ok(HashSet::new()), |dir| Ok(dir.entries()?.into_iter().collect()))
}

/// Keeps a row, durably. Keeping it twice equals keeping it once.
pub(super) fn keep(state: &State, row: &Row) -> io::Result<()> {
    let dir = state_dir(state, PENDING)?;
    // A torn file must not pass for a row: the content is durable before it has its name.
    let unnamed = OsStr::new("keeping");
    let file = private_file(&*dir, unnamed)?;
    let bytes = serde_json::to_vec(row)?;
    file.set_len(0)?;
    file.write_all_at(&bytes, 0)?;
    file.sync()?;
    dir.rename(unnamed, &*dir, &name_of(row), Replace::Yes)?;
    dir.sync()
}

/// Forgets rows, durably: they are decided.
pub(super) fn forget(state: &State, names: &[OsString]) -> io::Result<()> {
    let Some(dir) = open(state)?.filter(|_| !names.is_empty()) else { return Ok(()) };
    for name in names {
        match dir.remove_file(name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    dir.sync()
}

/// The name of a row's file. A journal may be a stranger's: nothing in it names a file.
pub(super) fn name_of(row: &Row) -> OsString {
    let slots: Vec<OsString> = slots_of(row).collect();
    let identity = format!("{} {:?} {slots:?}", row.journal_id, row.abs_path);
    format!("{}.row", Digest::of(identity.as_bytes())).into()
}

/// The slots that rows which wait count on.
pub(super) fn slots(rows: &[PendingRow]) -> HashSet<OsString> {
    rows.iter().flat_map(|pending| slots_of(&pending.row)).collect()
}

/// What the directory is now: it differs once a row was added or forgotten.
pub(super) fn stamp(state: &State) -> io::Result<Option<Stat>> {
    match state.dir.stat(OsStr::new(PENDING)) {
        Ok(stat) => Ok(Some(stat)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn open(state: &State) -> io::Result<Option<DirRef>> {
    match state.dir.open_dir(OsStr::new(PENDING)) {
        Ok(dir) => Ok(Some(dir)),
        // Something else of that name holds no row.
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
