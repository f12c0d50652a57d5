//! Recovery: the last batch of the journal is finished or withdrawn, and what is left is swept.
//!
//! It runs under the lock, before anything else, whenever the last writer did not say that it was
//! done; it is no mode and nobody asks for it. Running it twice, or crashing in it, equals running
//! it once: every step first looks at what is there.
//!
//! For each row of the last batch:
//! * no slot of it exists: it was finished (see [`crate::store`]); it stays;
//! * a slot exists and is damaged: the batch was never promised; the row goes;
//! * a slot exists, holds what the row promises, and the target is what it was: it is published;
//! * a slot exists, and the target was to be written in place: if that is done, the row stays;
//!   else it is undone, which needs no space, and the row goes;
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

use crate::batch::{append_rows, write_line};
use crate::commit::{BESIDE, Beside};
use crate::digest::{Digest, Hasher};
use crate::disk::{Access, DirRef, File, Kind, Replace, SyncItem, read_all, read_up_to};
use crate::error::{Error, Result};
use crate::journal::{Backwards, LineAt, Mode, Row};
use crate::roots::{Git, Target};
use crate::store::{End, State, Store, copy_all, digest_now, digest_of, digest_range};

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
    shelve(state).map_err(os)?;
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
    /// What the target holds now.
    now: Option<Digest>,
}

struct Slot {
    dir: DirRef,
    name: OsString,
    file: Arc<dyn File>,
}

fn resolve(store: &Store, state: &State, row: &Row) -> Result<Verdict> {
    let os = |source| Error::os(row.path.clone(), "recover", source);
    let main = row.staged.as_ref().zip(row.abs_path.as_ref());
    if let (Some(_), Some((staged, path))) = (row.at, main) {
        return resolve_in_place(store, state, row, staged, path);
    }
    let main = main.map(|(staged, path)| (path, staged, row.sha256, row.prev_sha256));
    let also = row.also.iter();
    let also = also.map(|also| (&also.abs_path, &also.staged, also.sha256, also.prev_sha256));
    let mut pending = Vec::new();
    let mut conflict = None;
    for (path, staged, expected, previous) in also.chain(main) {
        if let Some(kept) = kept(state, staged).map_err(os)? {
            conflict = Some(kept);
            continue;
        }
        let Some(slot) = find_slot(store, state, staged).map_err(os)? else { continue };
        if digest_of(&*slot.file).map_err(os)?.0 != expected {
            // Its content was never durable, so nothing was promised.
            return Ok(Verdict::Withdrawn);
        }
        if let Ok(target) = store.row_target(state, path, Git::Protected) {
            let now = content_of(&target).map_err(os)?;
            if now == previous || now == Some(expected) {
                pending.push(Pending { target, slot, now });
                continue;
            }
        }
        conflict = Some(keep(state, &slot).map_err(os)?);
    }
    if let Some(digest) = conflict {
        return Ok(Verdict::Conflict(digest));
    }
    // IMPORTANT: the way to a file is durable before the file goes there, and the row before the
    // file changes: this may be a disk on which a killed process has left everything pending.
    make_reachable(store, state, row)?;
    let finished = !pending.is_empty();
    if finished {
        state.journal.sync().map_err(os)?;
    }
    for one in pending {
        finish(store, one).map_err(os)?;
    }
    if let Some(line) = &row.line
        && Path::new(&line.abs_path).starts_with(store.state_path())
    {
        let target = store.row_target(state, &line.abs_path, Git::Protected)?;
        redo_line(&target, line).map_err(os)?;
    }
    Ok(if finished { Verdict::Finished } else { Verdict::Published })
}

/// A write in place is undone when it is torn: that needs no space.
fn resolve_in_place(
    store: &Store,
    state: &State,
    row: &Row,
    staged: &str,
    path: &str,
) -> Result<Verdict> {
    let os = |source| Error::os(row.path.clone(), "recover", source);
    if let Some(kept) = kept(state, staged).map_err(os)? {
        return Ok(Verdict::Conflict(kept));
    }
    let Some(slot) = find_slot(store, state, staged).map_err(os)? else {
        make_reachable(store, state, row)?;
        return Ok(Verdict::Published);
    };
    let opened =
        store.row_target(state, path, Git::Protected).ok().map(|at| at.dir.open_write(&at.name));
    let (file, found) = match opened {
        Some(Ok(file)) => {
            let found = if row.mode == Mode::Append {
                look_at_append(row, &*slot.file, &*file)
            } else {
                look_at_copy(state, row, &*slot.file, &*file)
            };
            (Some(file), found.map_err(os)?)
        }
        Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => return Err(os(error)),
        _ => (None, Found::Foreign),
    };
    let Some(file) = file.filter(|_| !matches!(found, Found::Foreign)) else {
        return keep(state, &slot).map(Verdict::Conflict).map_err(os);
    };
    match found {
        Found::Begun(undo) => {
            undo.apply(&*file).and_then(|()| file.sync()).map_err(os)?;
            Ok(Verdict::Withdrawn)
        }
        Found::Done => {
            file.sync().map_err(os)?;
            make_reachable(store, state, row)?;
            // IMPORTANT: the row is finished for good before anything else of it is swept.
            slot.dir.remove_file(&slot.name).and_then(|()| slot.dir.sync()).map_err(os)?;
            Ok(Verdict::Finished)
        }
        Found::Nothing | Found::Foreign => Ok(Verdict::Withdrawn),
    }
}

/// What has become of a write in place.
enum Found {
    /// Nothing: its content was never durable, so that nothing was promised.
    Nothing,
    /// It was promised, and a part of it may be there, which is to be undone.
    Begun(Undo),
    /// All of it.
    Done,
    /// Something else: somebody has changed the file.
    Foreign,
}

enum Undo {
    Cut(u64),
    Copy(Box<dyn File>),
}

impl Undo {
    fn apply(&self, file: &dyn File) -> io::Result<()> {
        match self {
            Self::Cut(len) => file.set_len(*len),
            Self::Copy(from) => copy_all(&**from, file),
        }
    }
}

fn look_at_append(row: &Row, slot: &dyn File, file: &dyn File) -> io::Result<Found> {
    let at = row.at.unwrap_or_default();
    let len = file.stat()?.len;
    if len < at {
        return Ok(Found::Foreign);
    }
    let mut before = Hasher::default();
    digest_range(file, 0, at, &mut before)?;
    let mut promised = before.clone();
    let added = slot.stat()?.len;
    digest_range(slot, 0, added, &mut promised)?;
    if Some(before.clone().finish()) != row.prev_sha256 {
        return Ok(Found::Foreign);
    }
    if promised.finish() != row.sha256 {
        return Ok(Found::Nothing);
    }
    if len >= row.bytes {
        digest_range(file, at, row.bytes, &mut before)?;
        if before.finish() == row.sha256 {
            return Ok(Found::Done);
        }
    }
    // Whatever is there must be ours to be cut.
    let torn = len <= at + added && is_torn(file, at, &[slot])?;
    Ok(if torn { Found::Begun(Undo::Cut(at)) } else { Found::Foreign })
}

fn look_at_copy(state: &State, row: &Row, slot: &dyn File, file: &dyn File) -> io::Result<Found> {
    let undo = match &row.undo {
        Some(name) if is_one_name(name) => match state.tmp.open(OsStr::new(name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            other => Some(other?),
        },
        _ => None,
    };
    let Some(undo) = undo else { return Ok(Found::Nothing) };
    if digest_of(slot)?.0 != row.sha256 || Some(digest_of(&*undo)?.0) != row.prev_sha256 {
        return Ok(Found::Nothing);
    }
    if digest_of(file)?.0 == row.sha256 {
        return Ok(Found::Done);
    }
    let torn = file.stat()?.len <= slot.stat()?.len.max(undo.stat()?.len)
        && is_torn(file, 0, &[slot, &*undo])?;
    Ok(if torn { Found::Begun(Undo::Copy(undo)) } else { Found::Foreign })
}

/// Whether every byte of a file from `from` on is one that a crash may have left: that of one of
/// the sources at its place, or zero.
fn is_torn(file: &dyn File, from: u64, sources: &[&dyn File]) -> io::Result<bool> {
    const BLOCK: usize = 64 * 1024;
    let mut here = vec![0; BLOCK];
    let mut there = vec![vec![0; BLOCK]; sources.len()];
    let mut at = 0;
    loop {
        let read = read_up_to(file, &mut here, from + at)?;
        if read == 0 {
            return Ok(true);
        }
        for (source, block) in sources.iter().zip(&mut there) {
            // Beyond its end a source explains zeros, which are explained anyway.
            block.fill(0);
            read_up_to(*source, block, at)?;
        }
        let explained = |(place, byte): (usize, &u8)| {
            *byte == 0 || there.iter().any(|block| block.get(place) == Some(byte))
        };
        if !here.iter().take(read).enumerate().all(explained) {
            return Ok(false);
        }
        at += read as u64;
    }
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
    if !is_one_name(&name) {
        return Ok(None);
    }
    // Content that replaces a file that nobody may write has its permissions already.
    let opened = match dir.open_write(&name) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => dir.open(&name),
        other => other,
    };
    match opened {
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

fn is_one_name(name: impl AsRef<Path>) -> bool {
    name.as_ref().components().count() == 1
}

fn content_of(target: &Target) -> io::Result<Option<Digest>> {
    if target.stat.is_none_or(|stat| stat.kind != Kind::File) {
        return Ok(None);
    }
    digest_now(target)
}

/// Publishes one slot.
fn finish(store: &Store, mut one: Pending) -> io::Result<()> {
    let Slot { dir, name, file } = one.slot;
    file.sync()?;
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
    let replace = if one.now.is_some() { Replace::Yes } else { Replace::No };
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
    let read = read_up_to(&*file, &mut held, line.at)?;
    let whole = held.strip_suffix(b"\n") == Some(line.text.as_bytes()) && read == held.len();
    let len = file.stat()?.len;
    // What stands behind the place of the line is somebody else's.
    if !whole && len <= line.at + held.len() as u64 {
        // Lines before it that nobody was answered for may be gone.
        let at = line.at.min(cut_torn_tail(&*file)?);
        file.set_len(at)?;
        write_line(&*file, &crate::journal::Line { at, ..line.clone() })?;
    }
    file.sync()?;
    dir.sync()
}

const KEPT: &str = ".kept";

fn kept_name(slot: &OsStr) -> OsString {
    let mut name = slot.to_owned();
    name.push(KEPT);
    name
}

/// The digest of a slot's content that was set aside.
fn kept(state: &State, place: &str) -> io::Result<Option<Digest>> {
    let Some(slot) = Path::new(place).file_name() else { return Ok(None) };
    match state.tmp.open(&kept_name(slot)) {
        Ok(file) => Ok(Some(digest_of(&*file)?.0)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Sets content aside that could not be published, and gives its digest.
///
/// IMPORTANT: under a name that tells of it. A slot that is just gone stands for a finished write,
/// and one that is still there when its row is gone is swept.
fn keep(state: &State, slot: &Slot) -> io::Result<Digest> {
    let kept = kept_name(&slot.name);
    let digest = digest_of(&*slot.file)?.0;
    slot.file.sync()?;
    match slot.dir.rename(&slot.name, &*state.tmp, &kept, Replace::Yes) {
        // A slot beside its target stays until the row is gone.
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let unnamed = OsStr::new("keeping");
            let copy = match state.tmp.create_new(unnamed, Access::Private) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    state.tmp.open_write(unnamed)
                }
                other => other,
            }?;
            copy_all(&*slot.file, &*copy)?;
            copy.sync()?;
            state.tmp.rename(unnamed, &*state.tmp, &kept, Replace::Yes)?;
        }
        other => other?,
    }
    state.tmp.sync()?;
    Ok(digest)
}

/// Puts what was set aside where it is found, once no row stands for it any more.
fn shelve(state: &State) -> io::Result<()> {
    let mut kept = state.tmp.entries()?;
    kept.retain(|name| name.as_encoded_bytes().ends_with(KEPT.as_bytes()));
    if kept.is_empty() {
        return Ok(());
    }
    let name = OsStr::new("conflicts");
    match state.dir.create_dir(name, Access::Private) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    state.dir.sync()?;
    let conflicts = state.dir.open_dir(name)?;
    for name in kept {
        let file = state.tmp.open(&name)?;
        let digest = digest_of(&*file)?.0;
        let shelf = OsString::from(format!("{digest}.bin"));
        state.tmp.rename(&name, &*conflicts, &shelf, Replace::Yes)?;
    }
    conflicts.sync()
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
            match target.dir.remove_file(&target.name) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            // IMPORTANT: before the note of it goes.
            target.dir.sync()?;
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
    state.unsettle()?;
    state.end = start.clone();
    let bytes = append_rows(state, rows.iter().copied())?;
    state.end.len = start.len + bytes.len() as u64;
    if rows.is_empty() {
        state.journal.set_len(start.len)?;
        return state.journal.sync();
    }
    let record =
        Withdrawal { offset: start.len, rows: String::from_utf8(bytes).map_err(io::Error::other)? };
    let (slot, file) = state.take_slot()?;
    file.make_private()?;
    file.write_all_at(&serde_json::to_vec(&record)?, 0)?;
    file.sync()?;
    state.tmp.rename(&slot, &*state.dir, OsStr::new(WITHDRAWAL), Replace::Yes)?;
    redo_withdrawal(state)
}

fn redo_withdrawal(state: &State) -> io::Result<()> {
    let name = OsStr::new(WITHDRAWAL);
    let file = match state.dir.open_write(name) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    // IMPORTANT: the record is durable, under its name, before the journal changes.
    state.dir.sync()?;
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
