//! Recovery: the last batch of the journal is finished or withdrawn, and what is left is swept.
//!
//! It runs under the lock, before anything else, whenever the last writer did not say that it was
//! done; it is no mode and nobody asks for it. Running it twice, or crashing in it, equals running
//! it once: every step first looks at what is there.
//!
//! For each row of the last batch:
//! * no slot of it exists: it was published (`store.rs` says why); it stays;
//! * a slot exists, holds what the row promises, and the target is what it was: it is published;
//! * a slot exists and is damaged: the batch was never promised; the row goes;
//! * a slot exists and somebody has changed the target meanwhile: the target stays as it is, the
//!   row goes, and the slot's content is kept in `conflicts/` and reported.
//!
//! A journal is a file like any other and may come with a stranger's repository. So recovery
//! publishes nothing that a tool could not write without the policy's leave, `.git` included, and
//! adds lines only to logs of the state.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::commit::{BESIDE, Beside, append_rows, copy_through, write_line};
use crate::digest::{Digest, Hasher};
use crate::disk::{Access, DirRef, File, Kind, Replace, SyncItem, read_all};
use crate::error::{Error, Result};
use crate::journal::{Backwards, LineAt, Row};
use crate::roots::{Git, Target};
use crate::store::{End, State, Store, digest_now, digest_of, digest_range};

/// What recovery found and did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Paths whose publishing was finished.
    pub finished: Vec<String>,
    /// Paths whose unfinished write was withdrawn; they are as they were before it.
    pub withdrawn: Vec<String>,
    /// Paths that somebody else changed in between, with the digest of the content that is kept in
    /// `conflicts/` instead of being published.
    pub conflicts: Vec<Conflict>,
    /// Bytes that a torn last line of the journal had.
    pub cut: u64,
}

/// Content that was promised but not published, since its target had changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Conflict {
    /// The target.
    pub path: String,
    /// The content: `conflicts/<sha256>.bin` in the state directory.
    pub kept_sha256: Digest,
}

/// Brings files and journal together.
pub(crate) fn run(store: &Store, state: &mut State) -> Result<Report> {
    let os = |source| Error::os(store.shown_state(&["journal.jsonl"]), "recover", source);
    let mut report = Report::default();
    state.digests = crate::store::Digests::default();
    redo_withdrawal(state).map_err(os)?;
    report.cut = cut_journal(state).map_err(os)?;
    let batch = last_batch(state).map_err(os)?;
    let mut gone = Vec::new();
    for (at, row) in batch.rows.iter().enumerate() {
        match resolve(store, state, row)? {
            Verdict::Published => {}
            Verdict::Finished => report.finished.push(row.path.clone()),
            Verdict::Withdrawn => {
                report.withdrawn.push(row.path.clone());
                gone.push(at);
            }
            Verdict::Conflict(kept_sha256) => {
                report.conflicts.push(Conflict { path: row.path.clone(), kept_sha256 });
                gone.push(at);
            }
        }
    }
    if gone.is_empty() {
        state.journal.sync().map_err(os)?;
    } else {
        let stay: Vec<&Row> = batch
            .rows
            .iter()
            .enumerate()
            .filter(|(at, _)| !gone.contains(at))
            .map(|(_, row)| row)
            .collect();
        let before = before_offset(state, batch.offset).map_err(os)?;
        withdraw(state, &before, &stay).map_err(os)?;
    }
    sweep_beside(store, state).map_err(os)?;
    state.sweep().map_err(os)?;
    state.tmp.sync().map_err(os)?;
    state.find_end().map_err(os)?;
    state.settle();
    Ok(report)
}

/// The rows that the journal's last batch consists of, oldest first.
struct LastBatch {
    rows: Vec<Row>,
    /// Where the first of them begins.
    offset: u64,
}

fn last_batch(state: &State) -> io::Result<LastBatch> {
    let len = state.journal.stat()?.len;
    let mut batch = LastBatch { rows: Vec::new(), offset: len };
    for line in Backwards::new(&*state.journal, len) {
        let LineAt { offset, text, .. } = line?;
        let Some(row) = Row::parse(&text) else { break };
        if row.batch.is_none() || batch.rows.last().is_some_and(|last| last.batch != row.batch) {
            break;
        }
        batch.offset = offset;
        batch.rows.push(row);
    }
    batch.rows.reverse();
    Ok(batch)
}

/// Cuts what a torn append left at the end of the journal; returns how much.
///
/// Lines that cannot be read are cut from the end on, and with them, when the batch that they
/// belong to was never promised, the rest of it.
fn cut_journal(state: &State) -> io::Result<u64> {
    let len = state.journal.stat()?.len;
    let mut end = len;
    let mut complete = None;
    for line in Backwards::new(&*state.journal, len) {
        let line = line?;
        match Row::parse(&line.text) {
            None => end = line.offset,
            Some(_) => {
                complete = Some(line.ended);
                break;
            }
        }
    }
    if end < len {
        state.journal.set_len(end)?;
    }
    if complete == Some(false) {
        // The row is whole but for its end: an editor strips that, and so may a torn write.
        state.journal.write_all_at(b"\n", end)?;
    }
    // A hole in the middle of the last batch: rows after it are whole, rows in it are not.
    let batch = last_batch(state)?;
    let holds_first = batch.rows.first().is_none_or(|row| row.seq == row.batch);
    if !holds_first
        && batch
            .rows
            .iter()
            .flat_map(|row| row.staged.iter().chain(row.also.iter().map(|also| &also.staged)))
            .any(|slot| state.tmp.stat(OsStr::new(slot)).is_ok())
    {
        let mut begin = batch.offset;
        for line in Backwards::new(&*state.journal, batch.offset) {
            let line = line?;
            match Row::parse(&line.text) {
                Some(row)
                    if row.batch.is_none()
                        || row.batch != batch.rows.first().and_then(|first| first.batch) =>
                {
                    break;
                }
                _ => begin = line.offset,
            }
        }
        state.journal.set_len(begin)?;
        end = begin;
    }
    if end < len {
        state.journal.sync()?;
    }
    Ok(len.saturating_sub(end))
}

enum Verdict {
    Published,
    Finished,
    Withdrawn,
    Conflict(Digest),
}

/// One file of a row that may still have to be published.
struct Pending {
    target: Target,
    slot: Slot,
    expected: Digest,
    previous: Option<Digest>,
    through: bool,
}

struct Slot {
    dir: DirRef,
    name: OsString,
    file: Arc<dyn File>,
}

fn resolve(store: &Store, state: &mut State, row: &Row) -> Result<Verdict> {
    let os = |source| Error::os(row.path.clone(), "recover", source);
    let mut pending = Vec::new();
    let mut lost = None;
    let main = row
        .staged
        .as_ref()
        .zip(row.abs_path.as_ref())
        .map(|(staged, path)| (path, staged, row.sha256, row.prev_sha256, row.at.is_some()));
    let also = row
        .also
        .iter()
        .map(|also| (&also.abs_path, &also.staged, also.sha256, also.prev_sha256, false));
    for (path, staged, expected, previous, through) in also.chain(main) {
        let Some(slot) = find_slot(store, state, staged).map_err(os)? else { continue };
        let (actual, _) = digest_of(&*slot.file).map_err(os)?;
        if actual != expected {
            // Its content was never durable, so nothing was promised.
            return Ok(Verdict::Withdrawn);
        }
        match store.row_target(state, path, Git::Protected) {
            Ok(target) => {
                pending.push(Pending { target, slot, expected, previous, through });
            }
            Err(_) => lost = Some((slot, expected)),
        }
    }
    if let Some((slot, digest)) = lost {
        keep(state, &slot, digest).map_err(os)?;
        return Ok(Verdict::Conflict(digest));
    }
    let mut finished = false;
    for one in pending {
        let now = content_of(&one.target).map_err(os)?;
        if !one.through && now != one.previous && now != Some(one.expected) {
            keep(state, &one.slot, one.expected).map_err(os)?;
            return Ok(Verdict::Conflict(one.expected));
        }
        finish(store, state, one, now).map_err(os)?;
        finished = true;
    }
    if row.staged.is_none()
        && let Some(at) = row.at
    {
        return resolve_append(store, state, row, at);
    }
    if let Some(line) = &row.line
        && Path::new(&line.abs_path).starts_with(store.state_path())
    {
        let target = store.row_target(state, &line.abs_path, Git::Protected)?;
        redo_line(&target, line).map_err(os)?;
    }
    make_reachable(store, state, row)?;
    Ok(if finished { Verdict::Finished } else { Verdict::Published })
}

/// An append in place is undone when it is torn: that needs no space.
fn resolve_append(store: &Store, state: &State, row: &Row, at: u64) -> Result<Verdict> {
    let os = |source| Error::os(row.path.clone(), "recover", source);
    let Some(path) = &row.abs_path else { return Ok(Verdict::Published) };
    let Ok(target) = store.row_target(state, path, Git::Protected) else {
        return Ok(Verdict::Published);
    };
    let file = match target.dir.open_write(&target.name) {
        Ok(file) => file,
        // Somebody took the file away since: the append may have been answered for.
        Err(_) => return Ok(Verdict::Published),
    };
    let len = file.stat().map_err(os)?.len;
    if len < at {
        return Ok(Verdict::Published);
    }
    let mut hasher = Hasher::default();
    digest_range(&*file, 0, at, &mut hasher).map_err(os)?;
    if Some(hasher.finish()) != row.prev_sha256 {
        return Ok(Verdict::Published);
    }
    if len >= row.bytes {
        digest_range(&*file, at, row.bytes, &mut hasher).map_err(os)?;
        if hasher.finish() == row.sha256 {
            file.sync().map_err(os)?;
            make_reachable(store, state, row)?;
            return Ok(Verdict::Published);
        }
    }
    if len > row.bytes {
        // It grew by other hands on top of what was written: theirs to keep.
        return Ok(Verdict::Published);
    }
    file.set_len(at).map_err(os)?;
    file.sync().map_err(os)?;
    Ok(Verdict::Withdrawn)
}

fn find_slot(store: &Store, state: &State, place: &str) -> io::Result<Option<Slot>> {
    let (dir, name) = match Path::new(place).is_absolute() {
        false => (state.tmp.clone(), OsString::from(place)),
        true => match store.roots.locate(place) {
            Ok(target) => (target.dir, target.name),
            Err(_) => return Ok(None),
        },
    };
    if Path::new(place).is_absolute() && !is_beside(&name) {
        return Ok(None);
    }
    if Path::new(&name).components().count() != 1 {
        return Ok(None);
    }
    match dir.open_write(&name) {
        Ok(file) => Ok(Some(Slot { dir, name, file: file.into() })),
        // No slot has such a name, or is such a thing.
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidInput) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn content_of(target: &Target) -> io::Result<Option<Digest>> {
    if target.stat.is_none_or(|stat| stat.kind != Kind::File) {
        return Ok(None);
    }
    digest_now(target)
}

/// Publishes one slot. The row is durable before the file changes.
fn finish(store: &Store, state: &State, mut one: Pending, now: Option<Digest>) -> io::Result<()> {
    let Slot { dir, name, file } = one.slot;
    file.sync()?;
    state.journal.sync()?;
    if one.through {
        let into = one.target.dir.open_write(&one.target.name)?;
        copy_through(&*file, &*into)?;
        into.sync()?;
        dir.remove_file(&name)?;
        return dir.sync();
    }
    let of_state = one.target.path.starts_with(store.state_path());
    for missing in std::mem::take(&mut one.target.missing) {
        let access = if of_state { Access::Private } else { Access::Default };
        match one.target.dir.create_dir(&missing, access) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        one.target.dir.sync()?;
        one.target.dir = one.target.dir.open_dir(&missing)?;
    }
    let replace = if now.is_some() { Replace::Yes } else { Replace::No };
    dir.rename(&name, &*one.target.dir, &one.target.name, replace)?;
    one.target.dir.sync()
}

/// Makes durable the names that lead to what a row published: its process may have died between
/// the rename and the sync.
fn make_reachable(store: &Store, state: &State, row: &Row) -> Result<()> {
    let also = row.also.iter().map(|also| also.abs_path.as_str());
    for path in also.chain(row.abs_path.as_deref()) {
        let Ok(target) = store.row_target(state, path, Git::Open) else { continue };
        for item in
            store.directories_above(&target.path).into_iter().chain([target.dir]).map(SyncItem::Dir)
        {
            item.sync().map_err(|source| Error::os(row.path.clone(), "sync", source))?;
        }
    }
    Ok(())
}

fn redo_line(target: &Target, line: &crate::journal::Line) -> io::Result<()> {
    let mut missing = target.missing.clone();
    let mut dir = target.dir.clone();
    for name in missing.drain(..) {
        match dir.create_dir(&name, Access::Private) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        dir.sync()?;
        dir = dir.open_dir(&name)?;
    }
    let file = match dir.open_write(&target.name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            dir.create_new(&target.name, Access::Private)?
        }
        other => other?,
    };
    let mut held = vec![0; line.text.len() + 1];
    let read = crate::disk::read_up_to(&*file, &mut held, line.at)?;
    let whole = held.strip_suffix(b"\n") == Some(line.text.as_bytes()) && read == held.len();
    if !whole {
        // Only the end may be torn; what stands behind a whole line is somebody else's.
        if file.stat()?.len > line.at + held.len() as u64 {
            return Ok(());
        }
        file.set_len(line.at)?;
        write_line(&*file, line)?;
    }
    file.sync()?;
    dir.sync()
}

/// Keeps content that could not be published.
fn keep(state: &State, slot: &Slot, digest: Digest) -> io::Result<()> {
    let name = OsStr::new("conflicts");
    match state.dir.create_dir(name, Access::Private) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let conflicts = state.dir.open_dir(name)?;
    let kept = OsString::from(format!("{digest}.bin"));
    slot.file.make_private()?;
    slot.file.sync()?;
    match slot.dir.rename(&slot.name, &*conflicts, &kept, Replace::Yes) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let copy = conflicts.create_new(&kept, Access::Private)?;
            copy_through(&*slot.file, &*copy)?;
            copy.sync()?;
            slot.dir.remove_file(&slot.name)?;
        }
        other => other?,
    }
    conflicts.sync()?;
    state.dir.sync()
}

/// Whether a name is that of a slot beside its target.
fn is_beside(name: &OsStr) -> bool {
    name.to_string_lossy().strip_prefix(BESIDE).is_some_and(|slot| slot.starts_with("s-"))
}

/// Removes slots that lie beside targets on other devices.
fn sweep_beside(store: &Store, state: &State) -> io::Result<()> {
    for name in state.tmp.entries()? {
        let Ok(file) = state.tmp.open(&name) else { continue };
        if file.stat()?.len == 0 || file.stat()?.len > 8192 {
            continue;
        }
        let Ok(Beside { beside }) = serde_json::from_slice(&read_all(&*file, 8192)?) else {
            continue;
        };
        if let Ok(target) = store.roots.locate(&beside)
            && is_beside(&target.name)
        {
            let _ = target.dir.remove_file(&target.name);
        }
    }
    Ok(())
}

/// The end of the journal as it was before the row at `offset`.
fn before_offset(state: &State, offset: u64) -> io::Result<End> {
    let mut end = End { len: offset, ..End::default() };
    for line in Backwards::new(&*state.journal, offset) {
        if let Some(row) = Row::parse(&line?.text) {
            end.seq = row.seq.unwrap_or_default();
            end.chain = row.chain;
            break;
        }
    }
    Ok(end)
}

/// A new end for the journal, durable before the old one is touched.
#[derive(Serialize, Deserialize)]
struct Withdrawal {
    offset: u64,
    rows: String,
}

const WITHDRAWAL: &str = "withdrawal";

/// Replaces the rows from `start` on by `rows`, some of which are published already: at no moment
/// may a crash lose one of those.
pub(crate) fn withdraw(state: &mut State, start: &End, rows: &[&Row]) -> io::Result<()> {
    state.end = start.clone();
    let bytes = append_rows(state, rows.iter().copied())?;
    state.end.len = start.len + bytes.len() as u64;
    if !rows.is_empty() {
        let record = Withdrawal {
            offset: start.len,
            rows: String::from_utf8(bytes).map_err(io::Error::other)?,
        };
        let (slot, file) = state.take_slot()?;
        file.make_private()?;
        file.write_all_at(&serde_json::to_vec(&record)?, 0)?;
        file.sync()?;
        state.tmp.rename(&slot, &*state.dir, OsStr::new(WITHDRAWAL), Replace::Yes)?;
        state.dir.sync()?;
        return redo_withdrawal(state);
    }
    state.journal.set_len(start.len)?;
    state.journal.sync()
}

fn redo_withdrawal(state: &State) -> io::Result<()> {
    let name = OsStr::new(WITHDRAWAL);
    let file = match state.dir.open(name) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let record: Withdrawal = serde_json::from_slice(&read_all(&*file, u64::MAX)?)?;
    state.journal.set_len(record.offset)?;
    state.journal.write_all_at(record.rows.as_bytes(), record.offset)?;
    state.journal.sync()?;
    // IMPORTANT: gone for good before the journal grows again.
    state.dir.remove_file(name)?;
    state.dir.sync()
}

/// Cuts what a torn append left at the end of a log of JSON lines; returns where it ends.
pub(crate) fn cut_torn_tail(file: &dyn File) -> io::Result<u64> {
    let len = file.stat()?.len;
    let Some(last) = Backwards::new(file, len).next().transpose()? else { return Ok(0) };
    if last.ended {
        return Ok(len);
    }
    if serde_json::from_slice::<serde_json::Value>(&last.text).is_ok() {
        file.write_all_at(b"\n", len)?;
        return Ok(len + 1);
    }
    file.set_len(last.offset)?;
    Ok(last.offset)
}
