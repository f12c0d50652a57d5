//! Recovery: the last batch of the journal is finished or withdrawn, and what is left is swept.
//!
//! It runs under the lock, before anything else, whenever the last writer did not say that it was
//! done; it is no mode and nobody asks for it. Running it twice, or crashing in it, equals running
//! it once: every step first looks at what is there.
//!
//! For each row of the last batch:
//! * no slot of it exists: it was finished (see `state.rs`); it stays;
//! * a slot exists and is damaged: the batch was never promised; the row goes;
//! * a slot exists, holds what the row promises, and the target is what it was: it is published;
//! * a slot exists, and the target was to be written through all of its names: if that is done,
//!   the row stays; else it is undone, and the row goes;
//! * the row tells of an append in place: if all of it is there, the row stays; what a crash can
//!   have left of it is cut off, and the row goes;
//! * a slot exists and somebody has changed the target meanwhile: the target stays as it is, the
//!   row goes, and the slot's content is kept in `conflicts/` and reported.
//!
//! What a row takes away goes when its file is published and the row stays for good.
//!
//! A journal is a file like any other and may come with a stranger's repository. So recovery
//! publishes nothing that a tool could not write without the policy's leave, `.git` included, and
//! adds lines only to logs of the state.

use std::io;
use std::path::Path;

use serde::Serialize;

use crate::commit::write_line;
use crate::contents::{digest_now, digest_of};
use crate::digest::Digest;
use crate::disk::{Access, Kind, Replace, SyncItem, read_up_to};
use crate::error::{Error, Result};
use crate::journal::{Line, Row};
use crate::roots::{Git, Target};
use crate::state::State;
use crate::store::Store;

mod append;
mod conflict;
mod discard;
mod end;
mod slot;
mod through;
mod withdrawal;

pub(crate) use discard::grave;
pub(crate) use end::cut_torn_tail;
pub(crate) use withdrawal::withdraw;

use slot::Slot;

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
    state.digests = crate::state::Digests::default();
    withdrawal::redo(state).map_err(os)?;
    report.cut = end::cut(state).map_err(os)?;
    let batch = end::last_batch(state).map_err(os)?;
    // IMPORTANT: the rows are durable before anything is done on their account; a killed process
    // may have left them pending.
    end::harden(state, &batch).map_err(os)?;
    let mut gone = Vec::new();
    for (at, row) in batch.rows.iter().enumerate() {
        let mut verdict = resolve(store, state, row, &batch.rows)?;
        if matches!(verdict, Verdict::Published | Verdict::Finished)
            && discard::finish(state, row).map_err(os)?
        {
            verdict = Verdict::Finished;
        }
        match verdict {
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
    if !gone.is_empty() {
        let stay: Vec<&Row> = batch
            .rows
            .iter()
            .enumerate()
            .filter(|(at, _)| !gone.contains(at))
            .map(|(_, row)| row)
            .collect();
        let before = end::before(state, batch.offset).map_err(os)?;
        withdraw(state, &before, &stay).map_err(os)?;
    }
    conflict::shelve(state).map_err(os)?;
    slot::sweep_beside(store, state).map_err(os)?;
    state.sweep().map_err(os)?;
    state.tmp.sync().map_err(os)?;
    state.find_end().map_err(os)?;
    state.mark_clean();
    Ok(report)
}

/// What has become of a row.
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

fn resolve(store: &Store, state: &State, row: &Row, batch: &[Row]) -> Result<Verdict> {
    let os = |source| Error::os(row.path.clone(), "recover", source);
    let main = row.staged.as_ref().zip(row.abs_path.as_ref());
    if let (Some(at), Some(sectors)) = (row.at, &row.sectors) {
        return append::resolve(store, state, row, at, sectors);
    }
    if let (Some(_), Some((staged, path))) = (&row.undo, main) {
        return through::resolve(store, state, row, staged, path);
    }
    let main = main.map(|(staged, path)| (path, staged, row.sha256, row.prev_sha256));
    let also = row.also.iter();
    let also = also.map(|also| (&also.abs_path, &also.staged, also.sha256, also.prev_sha256));
    let mut pending = Vec::new();
    let mut conflict = None;
    let mut linked = false;
    for (path, staged, expected, previous) in also.chain(main) {
        if let Some(kept) = conflict::kept(state, staged).map_err(os)? {
            conflict = Some(kept);
            continue;
        }
        let Some((dir, name)) = slot::place(store, state, staged) else { continue };
        let Some(mut slot) = slot::open(dir, name).map_err(os)? else { continue };
        if let Ok(target) = store.row_target(state, path, Git::Protected)
            && slot.finish_link(&target).map_err(os)?
        {
            linked = true;
            continue;
        }
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
        conflict = Some(conflict::keep(state, &mut slot).map_err(os)?);
    }
    if let Some(digest) = conflict {
        return Ok(Verdict::Conflict(digest));
    }
    // IMPORTANT: the way to a file is durable before the file goes there: this may be a disk on
    // which a killed process has left everything pending.
    make_reachable(store, state, row)?;
    let finished = linked || !pending.is_empty();
    // All of it, or a crash could keep the one file and lose the other's content.
    pending.iter_mut().try_for_each(|one| one.slot.harden()).map_err(os)?;
    for one in pending {
        finish(store, one).map_err(os)?;
    }
    if let Some(line) = &row.line
        && Path::new(&line.abs_path).starts_with(store.state_path())
    {
        let target = store.row_target(state, &line.abs_path, Git::Protected)?;
        let others = batch.iter().filter_map(|row| row.line.as_ref());
        let end = others.filter(|other| other.abs_path == line.abs_path).map(Line::end).max();
        redo_line(&target, line, end.unwrap_or_default()).map_err(os)?;
    }
    Ok(if finished { Verdict::Finished } else { Verdict::Published })
}

fn content_of(target: &Target) -> io::Result<Option<Digest>> {
    if target.stat.is_none_or(|stat| stat.kind != Kind::File) {
        return Ok(None);
    }
    digest_now(target)
}

/// Publishes one slot.
fn finish(store: &Store, mut one: Pending) -> io::Result<()> {
    let Slot { dir, name, .. } = one.slot;
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
            store.directories_above(&target)?.into_iter().chain([target.dir]).map(SyncItem::Dir)
        {
            item.sync().map_err(|source| Error::os(row.path.clone(), "sync", source))?;
        }
    }
    Ok(())
}

/// Writes a line again that a crash has taken, with all that the batch wrote behind it, which ends at
/// `end`: those lines come next.
fn redo_line(target: &Target, line: &Line, end: u64) -> io::Result<()> {
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
    if whole {
        // Again, since its sync may have failed: only fresh bytes are certain to be written.
        write_line(&*file, line)?;
    }
    // What stands behind the place of the line is somebody else's, and so is another line there.
    let is_other = || is_line(held.get(..read).unwrap_or_default());
    if !whole && len <= end && !is_other() {
        // Lines before it that nobody was answered for may be gone.
        let at = line.at.min(cut_torn_tail(&*file)?);
        file.set_len(at)?;
        write_line(&*file, &Line { at, ..line.clone() })?;
    }
    file.sync()?;
    dir.sync()
}

/// Whether bytes are a whole line of JSON, which no crash can leave of another one.
fn is_line(bytes: &[u8]) -> bool {
    let text = bytes.strip_suffix(b"\n");
    text.is_some_and(|text| serde_json::from_slice::<serde_json::Value>(text).is_ok())
}
