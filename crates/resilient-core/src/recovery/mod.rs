//! Recovery: the last batch of the journal is finished or withdrawn, and what is left is swept.
//!
//! It runs under the lock, before anything else, whenever the last writer did not say that it was
//! done; it is no mode and nobody asks for it. Running it twice, or crashing in it, equals running
//! it once: every step first looks at what is there.
//!
//! Each row is judged by itself, and what stands in the way of one row stops no other. For each,
//! recovery *looks* (`look`), has the facts *judged* ([`crate::unit::judge`], a pure function), and
//! *acts* (`act`), each act behind a last look. For the rows of this format that comes to:
//! * no slot of it exists: it was finished (see `state.rs`); it stays;
//! * a slot exists and is damaged: the batch was never promised; the row goes;
//! * a slot exists, holds what the row promises, and the target is what it was: it is published;
//! * a slot exists, and the target was to be written through all of its names: if that is done,
//!   the row stays; else it is undone, and the row goes;
//! * the row is of an append in place: if all of it is there, the row stays; what a crash can
//!   have left of it is cut off, and the row goes;
//! * a slot exists and somebody has changed the target meanwhile: the target stays as it is, new files
//!   of the row that nobody has touched go again, the row goes, and all contents that its slots hold
//!   are kept in `conflicts/` and reported;
//! * a slot or a target that the decision needs cannot be looked at, or the disk refuses the act: the
//!   row becomes *pending* (`pending`), and a later recovery decides.
//!
//! What a row takes away goes when its file is published and the row stays for good.
//!
//! A journal is a file like any other and may come with a stranger's repository. So recovery
//! publishes nothing that a tool could not write, nothing in `.git` unless the operator's own
//! policy file permits it, and adds lines only to logs of the state.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::journal::Row;
use crate::pending::{Pending, PendingPaths};
use crate::state::{State, WITHDRAWAL, is_nonsense};
use crate::store::Store;

mod act;
mod append;
mod conflict;
mod discard;
mod end;
mod in_place;
mod line;
mod look;
mod names;
mod obstacle;
mod pending;
mod relocate;
mod resolve;
mod seat;
mod slot;
mod sweep;
mod unread;
mod verdict;
mod withdrawal;

pub(crate) use discard::trash_name;
pub(crate) use end::before_last_batch;
pub(crate) use in_place::is_torn;
pub(crate) use withdrawal::withdraw;

pub use crate::report::{About, Conflict, Notice, Part, Report, What};

use obstacle::Obstacle;
use pending::{Counted, PendingRow};
use relocate::relocated;
use resolve::resolve;
use verdict::Verdict;

/// What becomes of pending rows that still cannot be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// They stay pending.
    Stay,
    /// They are given up: their contents go to `conflicts/`, and their paths are free.
    GiveUp,
}

/// Brings files and journal together, and adds to the report what it does. In a journal that is clean nothing is
/// judged but what waits.
///
/// IMPORTANT: the user may have changed the files of an answered row, or have put back what was there before. No look
/// could tell that from a write that was interrupted.
pub(crate) fn run(
    store: &Store,
    state: &mut State,
    undecided: Undecided,
    is_clean: bool,
    report: &mut Report,
) -> Result<()> {
    let os = |source| Error::os(store.shown_state(&["journal.jsonl"]), "recover", source);
    state.digests.forget_appended();
    // The removal of the clean marker may have been lost with the power, and a withdrawal not.
    let found_withdrawal = redo_withdrawal(state, report).map_err(os)?;
    if found_withdrawal || !is_clean {
        report.cut(end::cut(state).map_err(os)?);
        settle_last_batch(store, state, report).map_err(os)?;
    } else {
        // IMPORTANT: before the sweep. A process may have cut off the rows of a batch that failed, and have been killed
        // before its sync: a loss of power would bring the rows back, and not their slots.
        state.journal.sync().map_err(os)?;
    }
    if revive_pending(store, state, report).map_err(os)? {
        settle_last_batch(store, state, report).map_err(os)?;
    }
    if undecided == Undecided::GiveUp {
        give_up_pending(store, state, report).map_err(os)?;
        unread::give_up(store, state, report);
    }
    let pending = pending::list(state);
    unread::tell(store, &pending, report);
    report.left.extend(conflict::shelve(state).map_err(os)?);
    // IMPORTANT: before the sweep, as above.
    pending::sync(state).map_err(os)?;
    let left = sweep::sweep(store, state, &Counted::on(&pending)).map_err(os)?;
    report.left.extend(left.into_iter().map(|left| format!("tmp/{left}")));
    report.pending.sort_by(|a, b| a.path.cmp(&b.path));
    state.pending = PendingPaths {
        stamp: pending::stamp(state).map_err(os)?,
        paths: paths_of(store, state, &pending.rows, &report.pending),
    };
    let len = state.journal.stat().map_err(os)?.len;
    state.end = state.end_at(len).map_err(os)?;
    state.mark_clean();
    Ok(())
}

/// Completes a replacement of the journal's end. A record that is damaged, or not of this journal's
/// last batch, is set aside: it would cut rows that were answered for. Tells whether there was one.
fn redo_withdrawal(state: &State, report: &mut Report) -> io::Result<bool> {
    let reason = match withdrawal::interrupted(state) {
        Ok(None) => return withdrawal::redo(state).map(|()| false),
        Ok(Some(offset))
            if end::is_within_last_batch(&*state.journal, state.decided_len()?, offset)? =>
        {
            return withdrawal::redo(state).map(|()| true);
        }
        Ok(Some(_)) => "it is not of this journal".to_owned(),
        Err(error) if is_nonsense(&error) => error.to_string(),
        Err(error) => return Err(error),
    };
    names::move_away(&*state.dir, OsStr::new(WITHDRAWAL))?;
    report.left.push(format!("{WITHDRAWAL}: {reason}"));
    withdrawal::redo(state).map(|()| true)
}

/// Learns which rows wait, for a process that need not recover. Tells whether there are rows that it has not looked
/// at: another process has kept them, and this one may be able to decide them.
pub(crate) fn finds_pending(store: &Store, state: &mut State) -> io::Result<bool> {
    let stamp = pending::stamp(state)?;
    if state.pending.stamp == stamp {
        return Ok(false);
    }
    let waiting = pending::list(state);
    let paths = paths_of(store, state, &waiting.rows, &[]);
    let waits = !paths.is_empty() || !waiting.unread.is_empty();
    state.pending = PendingPaths { stamp, paths };
    Ok(waits)
}

fn paths_of(
    store: &Store,
    state: &State,
    rows: &[PendingRow],
    reasons: &[Pending],
) -> BTreeMap<PathBuf, Pending> {
    let mut paths = BTreeMap::new();
    for PendingRow { row, .. } in rows {
        let row = &relocated(store, state, row);
        let reason = reasons.iter().find(|pending| pending.journal_id == row.journal_id);
        let reason = reason.map_or("not looked at yet", |pending| pending.reason.as_str());
        let also = row.also.iter().map(|also| also.abs_path.as_str());
        // A workspace that was moved leads to the same file by the path that is shown.
        let shown = row.abs_path.as_ref().filter(|abs| Path::new(abs).ends_with(&row.path));
        let shown = shown.map(|_| row.path.as_str());
        for path in also.chain(row.abs_path.as_deref()).chain(shown) {
            paths.insert(path.into(), pending_of(row, reason));
        }
    }
    paths
}

fn pending_of(row: &Row, reason: &str) -> Pending {
    let (path, journal_id) = (row.path.clone(), row.journal_id.clone());
    Pending { path, journal_id, reason: reason.to_owned() }
}

/// Judges the rows of the last batch and acts on them.
fn settle_last_batch(store: &Store, state: &mut State, report: &mut Report) -> io::Result<()> {
    let batch = end::last_batch(&*state.journal, state.decided_len()?)?;
    // IMPORTANT: the rows are durable before anything is done on their account; a killed process
    // may have left them pending.
    end::rewrite_and_sync(state, &batch)?;
    let waiting = pending::names(state);
    let mut out = Vec::new();
    let mut decided = Vec::new();
    let mut unkept = None;
    let here: Vec<Row> = batch.rows.iter().map(|row| relocated(store, state, row)).collect();
    for (at, (row, row_here)) in batch.rows.iter().zip(&here).enumerate() {
        match resolve(store, state, row_here, &here) {
            Ok(verdict) => {
                let name = pending::name_of(row);
                // Somebody was told that it waits. An earlier recovery may have done all of it but the end.
                let is_awaited = state.halfway.remove(&row.journal_id) || waiting.contains(&name);
                let verdict = if is_awaited { verdict.finished() } else { verdict };
                decided.push(name);
                if matches!(verdict, Verdict::Torn) {
                    report.parts.extend(try_keep_part(state, row));
                }
                if verdict.takes_row_out() {
                    out.push(at);
                    if state.is_copy_for(row) {
                        // What the original's recovery takes back may be in the copied file.
                        report.parts.extend(try_keep_part(state, row));
                    }
                }
                verdict.tell(row, report);
            }
            Err(obstacle) => {
                report.pending.push(pending_of(row, &obstacle.reason));
                match pending::keep(state, row) {
                    Ok(()) => out.push(at),
                    // The row stays in the last batch, and no other one may follow; but the others are judged.
                    Err(error) => {
                        state.halfway.insert(row.journal_id.clone());
                        unkept.get_or_insert(error);
                    }
                }
            }
        }
    }
    report.cut(batch.withdraw(state, &out)?);
    // A row may have been pending before it came back into the journal.
    pending::forget(state, &decided)?;
    unkept.map_or(Ok(()), Err)
}

/// Brings rows that wait and can be looked at now back into the journal, as its last batch, so that
/// they are judged as any other; tells whether there is one.
fn revive_pending(store: &Store, state: &mut State, report: &mut Report) -> io::Result<bool> {
    let mut revived = Vec::new();
    let waiting = pending::list(state);
    unread::tell(store, &waiting, report);
    for PendingRow { row, .. } in waiting.rows {
        if report.pending.iter().any(|known| known.journal_id == row.journal_id) {
            // It was judged a moment ago.
            continue;
        }
        match look::look(store, state, &relocated(store, state, &row)).obstacle {
            None => revived.push(row),
            Some(obstacle) => report.pending.push(pending_of(&row, &obstacle.reason)),
        }
    }
    if revived.is_empty() {
        return Ok(false);
    }
    let len = state.journal.stat()?.len;
    let start = state.end_at(len)?;
    withdrawal::withdraw(state, &start, &revived.iter().collect::<Vec<_>>(), Vec::new())?;
    Ok(true)
}

/// Gives up the rows that wait, whatever stands in their way. A row of which something cannot be kept
/// goes on waiting: nothing of it is lost.
fn give_up_pending(store: &Store, state: &State, report: &mut Report) -> io::Result<()> {
    let mut given_up = Vec::new();
    for PendingRow { name, row } in pending::list(state).rows {
        let place = report.pending.iter().position(|known| known.journal_id == row.journal_id);
        let kept = keep_slots(store, state, &relocated(store, state, &row))
            .and_then(|kept| Ok((kept, keep_part(state, &row)?)));
        match kept {
            Ok((kept, part)) => {
                report.parts.extend(part);
                place.map(|at| report.pending.remove(at));
                report.conflicts.extend(kept);
                report.abandoned.push(row.path);
                given_up.push(name);
            }
            Err(obstacle) => {
                if let Some(known) = place.and_then(|at| report.pending.get_mut(at)) {
                    known.reason = format!("its content cannot be kept: {}", obstacle.reason);
                }
            }
        }
    }
    if !given_up.is_empty() {
        // IMPORTANT: before the rows are forgotten. What is set aside may be the work of a recovery that was killed
        // before its sync.
        state.tmp.sync()?;
    }
    // IMPORTANT: a row is forgotten for good before its slots are swept: a slot that is gone
    // stands for a finished write.
    pending::forget(state, &given_up)
}

/// Keeps the row of an append in place, of which a part may be in the file: it tells where that begins.
fn keep_part(state: &State, row: &Row) -> io::Result<Option<Part>> {
    let Some(part) = part_of(row) else { return Ok(None) };
    let kept_sha256 = Some(conflict::keep_row(state, row)?);
    Ok(Some(Part { kept_sha256, ..part }))
}

/// The same if it can be kept. What cannot be kept is no reason to judge no other row: the notice says what matters.
fn try_keep_part(state: &State, row: &Row) -> Option<Part> {
    keep_part(state, row).unwrap_or_else(|_| part_of(row))
}

fn part_of(row: &Row) -> Option<Part> {
    let (path, prev_sha256) = (row.path.clone(), row.prev_sha256);
    row.at.map(|at| Part { path, at, prev_sha256, kept_sha256: None })
}

/// Sets aside what a row's slots hold.
fn keep_slots(
    store: &Store,
    state: &State,
    row: &Row,
) -> std::result::Result<Vec<Conflict>, Obstacle> {
    let also = row.also.iter().map(|also| (also.staged.as_str(), also.abs_path.clone()));
    let own = row.staged.as_deref().into_iter().chain(row.undo.as_deref());
    let own = own.map(|staged| (staged, row.abs_path.clone().unwrap_or_default()));
    let mut kept = Vec::new();
    for (staged, path) in also.chain(own) {
        let Some((dir, name)) = slot::place(store, state, staged)? else { continue };
        let Some(mut slot) = slot::open(dir, name)? else { continue };
        let kept_sha256 = conflict::keep(state, &mut slot)?;
        let what = if row.undo.as_deref() == Some(staged) { What::Before } else { What::New };
        kept.push(Conflict { path: store.show(&path), kept_sha256, what });
    }
    Ok(kept)
}
