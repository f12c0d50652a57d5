//! Rows that recovery could not judge or finish: a directory that this process may not read, a
//! path outside its roots, a disk that fails at one place.
//!
//! Such a row leaves the journal and is kept in `pending/`, one file a row, until a process comes
//! that can decide. Its slots stay. Writes to its path are refused until then; no other call waits.
//!
//! A row that cannot be read protects all slots, as any of them may be its own.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io;

use super::discard::{is_trash, trash_name};
use super::end::slots_of;
use super::names::{CONFLICTS, UNNAMED, move_away, state_dir, unnamed_file};
use crate::digest::Digest;
use crate::disk::{Dir, DirRef, Replace, Stat, read_all};
use crate::journal::Row;
use crate::state::{State, is_slot};
use crate::store::Store;

/// The name of the directory in the state directory.
const PENDING: &str = "pending";
/// A row is some hundred bytes. An older version wrote longer ones for long appends.
const LONGEST: u64 = 1 << 26;

/// A row that waits, with the name of its file.
pub(super) struct PendingRow {
    pub(super) name: OsString,
    pub(super) row: Row,
}

/// What waits.
#[derive(Default)]
pub(super) struct Waiting {
    /// In the order of their names.
    pub(super) rows: Vec<PendingRow>,
    /// What cannot be read.
    pub(super) unread: Vec<Unread>,
}

/// A row that cannot be read. Nobody knows which slots it counts on.
pub(super) struct Unread {
    /// The name of its file; `None` where the directory cannot be read, and may hold rows.
    pub(super) name: Option<OsString>,
    pub(super) reason: String,
}

impl Unread {
    /// Where it is, as it is shown.
    pub(super) fn shown(&self, store: &Store) -> String {
        let name = self.name.as_ref().map(|name| name.to_string_lossy());
        let below: Vec<&str> = std::iter::once(PENDING).chain(name.as_deref()).collect();
        store.shown_state(&below)
    }
}

/// The rows that wait. Files that have no row's name are left alone.
pub(super) fn list(state: &State) -> Waiting {
    let mut waiting = Waiting::default();
    let unread = |name, error: &io::Error| Unread { name, reason: error.to_string() };
    let listed = open(state).and_then(|dir| dir.map(|dir| Ok((dir.entries()?, dir))).transpose());
    let (names, dir) = match listed {
        Ok(Some(listed)) => listed,
        Ok(None) => return waiting,
        Err(error) => {
            waiting.unread.push(unread(None, &error));
            return waiting;
        }
    };
    for name in names.into_iter().filter(|name| is_name(name)) {
        match read(&*dir, &name) {
            Ok(Some(row)) => waiting.rows.push(PendingRow { name, row }),
            Ok(None) => {}
            Err(error) => waiting.unread.push(unread(Some(name), &error)),
        }
    }
    waiting
}

/// Whether a name is one that a row's file has.
fn is_name(name: &OsStr) -> bool {
    let stem = name.to_str().and_then(|name| name.strip_suffix(".row"));
    stem.is_some_and(|stem| stem.parse::<Digest>().is_ok())
}

/// Reads a row; `None` where it is gone.
fn read(dir: &dyn Dir, name: &OsStr) -> io::Result<Option<Row>> {
    let file = match dir.open(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other?,
    };
    let row = Row::parse(&read_all(&*file, LONGEST)?);
    // IMPORTANT: the name is a digest of the slots' names, among others. Of a row in which one of them has changed, the
    // slots would be swept.
    match row.filter(|row| name_of(row) == name) {
        Some(row) => Ok(Some(row)),
        None => Err(io::Error::new(io::ErrorKind::InvalidData, "it is damaged")),
    }
}

/// The names of the files of rows that wait, as far as they can be listed.
pub(super) fn names(state: &State) -> HashSet<OsString> {
    let listed = open(state).ok().flatten().and_then(|dir| dir.entries().ok());
    listed.into_iter().flatten().collect()
}

/// Keeps a row, durably. Keeping it twice equals keeping it once.
pub(super) fn keep(state: &State, row: &Row) -> io::Result<()> {
    let dir = state_dir(state, PENDING)?;
    // A torn file must not pass for a row: the content is durable before it has its name.
    let unnamed = OsStr::new(UNNAMED);
    let file = unnamed_file(&*dir)?;
    let bytes = serde_json::to_vec(row)?;
    file.set_len(0)?;
    file.write_all_at(&bytes, 0)?;
    file.sync()?;
    let name = name_of(row);
    let give_name = || dir.rename(unnamed, &*dir, &name, Replace::Yes);
    match give_name() {
        // Somebody has put a directory there.
        Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
            move_away(&*dir, &name)?;
            give_name()?;
        }
        other => other?,
    }
    dir.sync()
}

/// Forgets rows, durably: they are decided.
pub(super) fn forget(state: &State, names: &[OsString]) -> io::Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    let denied = |error: &io::Error| error.kind() == io::ErrorKind::PermissionDenied;
    let dir = match open(state) {
        Ok(Some(dir)) => dir,
        Err(error) if !denied(&error) => return Err(error),
        _ => return Ok(()),
    };
    for name in names {
        match dir.remove_file(name) {
            // In a directory that is another user's nobody can tell whether they wait. If so, their slots stay.
            Err(error) if denied(&error) && dir.entries().is_err() => return Ok(()),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    dir.sync()
}

/// Moves rows that cannot be read to `conflicts/`, durably: they are given up.
pub(super) fn move_to_conflicts(state: &State, unread: &[Unread]) -> io::Result<()> {
    let Some(dir) = open(state)? else { return Ok(()) };
    let conflicts = state_dir(state, CONFLICTS)?;
    for name in unread.iter().filter_map(|unread| unread.name.as_ref()) {
        dir.rename(name, &*conflicts, name, Replace::Yes)?;
    }
    // IMPORTANT: before their slots are swept.
    conflicts.sync()
}

/// Makes durable that rows do not wait any more which a recovery before this one has forgotten or given up: it may have
/// been killed before its sync. A row that comes back without its slots would stand for a finished write.
pub(super) fn sync(state: &State) -> io::Result<()> {
    for name in [PENDING, CONFLICTS] {
        let synced = state.dir.open_dir(OsStr::new(name)).and_then(|dir| {
            // Most of what is in `conflicts/` was no row that waited.
            let may_hold = name == PENDING || dir.entries()?.iter().any(|name| is_name(name));
            if may_hold { dir.sync() } else { Ok(()) }
        });
        match synced {
            // In a directory that is another user's nothing was forgotten.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound
                        | io::ErrorKind::NotADirectory
                        | io::ErrorKind::PermissionDenied
                ) => {}
            other => other?,
        }
    }
    Ok(())
}

/// The name of a row's file. A journal may be a stranger's: nothing in it names a file.
pub(super) fn name_of(row: &Row) -> OsString {
    let slots: Vec<OsString> = slots_of(row).collect();
    let identity = format!("{} {:?} {slots:?}", row.journal_id, row.abs_path);
    format!("{}.row", Digest::of(identity.as_bytes())).into()
}

/// The slots that rows which wait count on.
pub(super) struct Counted {
    names: HashSet<OsString>,
    /// Whether any slot may be one of them.
    may_be_any: bool,
}

impl Counted {
    pub(super) fn on(waiting: &Waiting) -> Self {
        // IMPORTANT: what is on its way to be removed, too. Of a session that comes entry by entry the rest would not be
        // recognised any more.
        let names = waiting.rows.iter().flat_map(|PendingRow { row, .. }| {
            let gone = row.gone.iter().map(|gone| trash_name(OsStr::new(&gone.slot)));
            slots_of(row).chain(gone)
        });
        Self { names: names.collect(), may_be_any: !waiting.unread.is_empty() }
    }

    /// Whether something in `tmp/` has to stay.
    pub(super) fn holds(&self, name: &OsStr) -> bool {
        self.is_known(name) || self.may_be_any && (is_slot(name) || is_trash(name))
    }

    /// Whether a row that could be read counts on it.
    pub(super) fn is_known(&self, name: &OsStr) -> bool {
        self.names.contains(name)
    }
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
