//! The commit: how the changes of a batch become durable, all of them in the same few waits.
//!
//! 1. **stage**: new content is in a slot (see [`crate::state`]);
//! 2. **intend**: the journal rows, which name the slots, are appended; slots, journal and the
//!    parent directories of the targets are synced in parallel, the *first wait*, and the slots
//!    read back and compared. From here on recovery finishes or undoes what was begun;
//! 3. **publish**: each slot is renamed to its target;
//! 4. the touched directories are synced in parallel, the *second wait*; then, and not before,
//!    the callers are answered.
//!
//! A row whose slot is gone is finished: nothing needs to be retired. Only a write through hard
//! links has a slot left, which is removed in a *third wait* when the file is durable. An append to
//! a long file stages nothing: its row, or a slot with sums, tells what a crash can leave of it
//! ([`crate::sectors`]).
//!
//! An error is answered only when the disk has said that nothing of the call will come back;
//! otherwise the answer is [`Error::OutcomeUnknown`], and recovery comes before the next batch.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::path::Path;

use super::change::{Change, Discard, How, Precondition, Publish, Staged};
use super::outcome::{Outcome, repeat, unknown};
use super::publish::publish;
use super::queue::Job;
use super::wait::Wait;
use crate::contents::{digest_of, holds, move_dir};
use crate::disk::SyncItem;
use crate::error::Error;
use crate::journal::{End, Row};
use crate::recovery::{self, Undecided};
use crate::state::State;
use crate::store::{CHUNKS, Store};

/// Calls that are committed together.
#[derive(Default)]
pub(crate) struct Batch {
    pub(crate) changes: Vec<(Job, Change)>,
    /// Calls that came to nothing.
    undone: Vec<Change>,
}

impl Batch {
    /// Takes back what was staged for a call that came to nothing.
    pub(crate) fn undo(&mut self, mut change: Change, state: &State) {
        change.holds.clear();
        for (slot, _) in change.slots() {
            slot.remove(state);
        }
        for slot in change.discards.iter().filter_map(|discard| discard.slot.as_ref()) {
            let _ = state.tmp.remove_file(slot);
        }
        self.undone.push(change);
    }

    /// Carries the changes out, and answers each call but those that have to be made again, which it
    /// gives back. What there is to tell beside the answers is told before them.
    pub(crate) fn commit(
        mut self,
        store: &Store,
        state: &mut State,
        tell: &dyn Fn(recovery::Report),
    ) -> Vec<Job> {
        let mut again = Vec::new();
        let (jobs, mut changes): (Vec<Job>, Vec<Change>) =
            std::mem::take(&mut self.changes).into_iter().unzip();
        if !changes.is_empty() {
            store.figures.batch(changes.len());
            let Ran { outcomes, saved, left } = run(store, state, &changes);
            if !left.is_empty() {
                tell(recovery::Report { left, ..recovery::Report::default() });
            }
            changes.iter_mut().for_each(|change| change.holds.clear());
            if saved {
                keep_saved(store, state, tell);
            }
            for ((job, change), outcome) in jobs.into_iter().zip(changes).zip(outcomes) {
                match outcome {
                    Outcome::Going => job.answer(Ok(())),
                    Outcome::Unknown(error) => job.answer(Err(error)),
                    Outcome::Failed(error) => {
                        let tries = change.tries_behind(&error);
                        self.undo(change, state);
                        match error {
                            Error::Deferred => again.push(job),
                            error => again.extend(job.again(error, tries)),
                        }
                    }
                }
            }
        }
        for (dir, name) in self.undone.iter().flat_map(|change| &change.made).rev() {
            // Not empty when another call of the batch uses it.
            let _ = dir.remove_dir(name);
        }
        again
    }
}

/// Keeps what programs have written into files that came out of an exchange. They had them open. Recovery does that
/// for the batch as it is now; where it cannot, the next call runs it again.
fn keep_saved(store: &Store, state: &mut State, tell: &dyn Fn(recovery::Report)) {
    let mut report = recovery::Report::default();
    let ran = recovery::run(store, state, Undecided::Stay, false, &mut report);
    state.dirty = ran.is_err();
    tell(report);
}

/// What was carried out of a batch.
struct Ran {
    /// What became of each change.
    outcomes: Vec<Outcome>,
    /// Whether somebody has written into a file that came out of an exchange.
    saved: bool,
    /// What was to go and stays.
    left: Vec<String>,
}

impl Ran {
    /// Nothing was published.
    fn nothing(outcomes: Vec<Outcome>) -> Self {
        Self { outcomes, saved: false, left: Vec::new() }
    }
}

/// Carries out what can be.
fn run(store: &Store, state: &mut State, changes: &[Change]) -> Ran {
    let mut outcomes: Vec<Outcome> = changes.iter().map(|_| Outcome::Going).collect();
    if let Err(source) = state.take_in_others() {
        let failed = |change: &Change| Error::os(change.name(), "journal", repeat(&source));
        let outcomes = changes.iter().map(|change| Outcome::Failed(failed(change))).collect();
        return Ran::nothing(outcomes);
    }
    let start = state.end.clone();

    if let Err(source) = intend(store, state, changes, &mut outcomes) {
        return Ran::nothing(withdraw_all(state, &start, changes, &source));
    }
    let mut broken = HashSet::new();
    for (change, outcome) in changes.iter().zip(&mut outcomes) {
        hold_back(&mut broken, change, outcome);
    }
    if outcomes.iter().any(Outcome::is_failed)
        && let Err(source) = intend_again(state, &start, changes, &outcomes)
    {
        return Ran::nothing(withdraw_all(state, &start, changes, &source));
    }

    let (mut published, mut refused) = (false, false);
    for (change, outcome) in changes.iter().zip(&mut outcomes) {
        let was_going = outcome.is_going();
        hold_back(&mut broken, change, outcome);
        refused |= was_going && !outcome.is_going();
        if outcome.is_going() {
            *outcome = publish(state, change);
            hold_back(&mut broken, change, outcome);
            published |= !outcome.is_failed();
            refused |= outcome.is_failed();
        }
        state.dirty |= matches!(outcome, Outcome::Unknown(_));
    }
    if refused {
        // The row of a file that was published must survive while another row is taken out.
        let withdrawn = if published {
            state.others_behind().and_then(|others| {
                recovery::withdraw(state, &start, &surviving(changes, &outcomes), others)
            })
        } else {
            intend_again(state, &start, changes, &outcomes)
        };
        if let Err(source) = withdrawn {
            state.dirty = true;
            let unknown = changes.iter().map(|change| unknown(change, &source));
            return Ran::nothing(unknown.collect());
        }
    }

    make_durable(store, state, changes, &mut outcomes);
    retire(store, state, changes, &mut outcomes);
    let left = remove_dirs(store, state, changes, &mut outcomes);
    let mut saved = false;
    for (change, outcome) in changes.iter().zip(&outcomes) {
        match outcome {
            Outcome::Going => saved |= !tidy(state, change),
            Outcome::Unknown(_) => state.dirty = true,
            Outcome::Failed(_) => {}
        }
    }
    // What comes out stays until it is kept; a process that is killed before leaves that to recovery.
    state.dirty |= saved;
    if state.dirty {
        // For the other processes. Where it cannot be written, the journal's length tells as much.
        let _ = state.mark_dirty(&start);
    } else {
        state.mark_clean();
    }
    Ran { outcomes, saved, left }
}

/// A line whose place depends on one in front of it that was not written has to wait for the next
/// batch. `broken` has the logs that lack a line.
fn hold_back<'a>(broken: &mut HashSet<&'a Path>, change: &'a Change, outcome: &mut Outcome) {
    let Some((_, _, target)) = &change.line else { return };
    if !outcome.is_going() {
        broken.insert(&target.path);
    } else if broken.contains(&*target.path) {
        *outcome = Outcome::Failed(Error::Deferred);
    }
}

/// Stages become durable and the rows promised: the first wait.
fn intend(
    store: &Store,
    state: &mut State,
    changes: &[Change],
    outcomes: &mut [Outcome],
) -> io::Result<()> {
    let mut wait = Wait::default();
    let start = state.end.clone();
    let bytes = append_rows(state, changes.iter().filter_map(|change| change.row.as_ref()), &[])?;
    if !bytes.is_empty() {
        state.journal.write_all_at(&bytes, start.len)?;
        wait.add(SyncItem::File(state.journal.clone()), None);
    }

    for (who, change) in changes.iter().enumerate() {
        // IMPORTANT: the parent directories are durable before the file goes there; else a crash
        // could take both its names.
        for dir in change.ancestors.iter().cloned() {
            wait.add(SyncItem::Dir(dir), Some(who));
        }
        for (slot, _) in change.slots() {
            wait.add(SyncItem::File(slot.file.clone()), Some(who));
        }
    }
    let home = state.unsynced_home();
    // Every change stands and falls with it.
    let home_at = (0..changes.len()).filter_map(|who| {
        home.as_ref().map(|home| wait.add(SyncItem::Dir(home.clone()), Some(who)))
    });
    let home_at = home_at.last();
    for (at, (owners, result)) in wait.run(store).into_iter().enumerate() {
        if home_at == Some(at) && result.is_ok() {
            state.home_is_synced();
        }
        let Err(source) = result else { continue };
        if owners.is_empty() {
            return Err(source);
        }
        for who in owners {
            if let (Some(change), Some(outcome)) = (changes.get(who), outcomes.get_mut(who)) {
                *outcome = Outcome::Failed(Error::os(change.name(), "sync", repeat(&source)));
            }
        }
    }
    for (change, outcome) in changes.iter().zip(outcomes).filter(|(_, outcome)| outcome.is_going())
    {
        change.targets().for_each(|target| state.durable_dirs.add(target));
        if let Err(error) = change.slots().try_for_each(|(slot, shown)| verify(slot, shown)) {
            *outcome = Outcome::Failed(error);
        }
    }
    Ok(())
}

/// Reads a slot back.
fn verify(slot: &Staged, shown: &str) -> Result<(), Error> {
    let os = |source| Error::os(shown, "read back", source);
    let is_same = match &slot.bytes {
        Some(bytes) => {
            slot.file.stat().map_err(os)?.len == slot.len
                && holds(&*slot.file, 0, bytes).map_err(os)?
        }
        None => digest_of(&*slot.file).map_err(os)? == (slot.digest, slot.len),
    };
    if is_same {
        return Ok(());
    }
    let (actual, bytes) = digest_of(&*slot.file).map_err(os)?;
    Err(Error::ReadBack { path: shown.to_owned(), expected: slot.digest, actual, bytes })
}

/// Takes the rows of failed changes out again, while nothing is published yet.
fn intend_again(
    state: &mut State,
    start: &End,
    changes: &[Change],
    outcomes: &[Outcome],
) -> io::Result<()> {
    // IMPORTANT: the old rows are gone for good before others take their place; a mixture of the
    // two would look like damage.
    let others = state.others_behind()?;
    state.journal.set_len(start.len)?;
    state.journal.sync()?;
    state.end = start.clone();
    let bytes = append_rows(state, surviving(changes, outcomes).into_iter(), &others)?;
    if bytes.is_empty() {
        return Ok(());
    }
    state.journal.write_all_at(&bytes, start.len)?;
    state.journal.sync()
}

/// The journal failed: nothing of the batch happens, if the disk still lets us say so.
fn withdraw_all(
    state: &mut State,
    start: &End,
    changes: &[Change],
    source: &io::Error,
) -> Vec<Outcome> {
    let withdrawn = state.others_behind().and_then(|others| {
        state.journal.set_len(start.len)?;
        state.journal.write_all_at(&others, start.len)?;
        state.journal.sync()
    });
    state.end = start.clone();
    // Whatever the journal holds now is read again before it is used, by other processes as well.
    state.dirty = true;
    let _ = state.mark_dirty(start);
    changes
        .iter()
        .map(|change| match &withdrawn {
            Ok(()) => Outcome::Failed(Error::os(change.name(), "journal", repeat(source))),
            Err(_) => unknown(change, source),
        })
        .collect()
}

/// The second wait.
fn make_durable(store: &Store, state: &mut State, changes: &[Change], outcomes: &mut [Outcome]) {
    let mut wait = Wait::default();
    for (who, (change, _)) in going(changes, outcomes) {
        for publish in &change.publishes {
            let item = match &publish.how {
                // An exchange is one transaction: the slot's name becomes durable with the target's.
                How::Rename(_) | How::Exchange => SyncItem::Dir(publish.target.dir.clone()),
                How::InPlace { file, .. } => SyncItem::File(file.clone()),
            };
            wait.add(item, Some(who));
        }
        if let Some(append) = &change.append {
            wait.add(SyncItem::File(append.file.clone()), Some(who));
        }
        if let Some((file, _, target)) = &change.line {
            wait.add(SyncItem::File(file.clone()), Some(who));
            wait.add(SyncItem::Dir(target.dir.clone()), Some(who));
        }
    }
    // Slots are made where their sync costs no wait of its own.
    let slots = if in_place(changes, outcomes) { Vec::new() } else { refill(state, changes) };
    finish_wait(wait, slots, store, state, changes, outcomes);
}

/// What was written in place is durable: its slots go, and with them the intent. The third wait.
fn retire(store: &Store, state: &mut State, changes: &[Change], outcomes: &mut [Outcome]) {
    if !in_place(changes, outcomes) {
        return;
    }
    let mut wait = Wait::default();
    let mut failed = Vec::new();
    for (who, (change, _)) in going(changes, outcomes) {
        for publish in change.publishes.iter().filter(|publish| publish.how.is_in_place()) {
            let Staged { dir, slot, .. } = &publish.staged;
            match dir.remove_file(slot) {
                Ok(()) => drop(wait.add(SyncItem::Dir(dir.clone()), Some(who))),
                Err(source) => failed.push((who, source)),
            }
        }
    }
    for (who, source) in failed {
        if let (Some(change), Some(outcome)) = (changes.get(who), outcomes.get_mut(who)) {
            *outcome = unknown(change, &source);
        }
    }
    let slots = refill(state, changes);
    finish_wait(wait, slots, store, state, changes, outcomes);
}

/// What goes is moved to `tmp/`, now that nothing can bring back what it was needed for. Then the
/// slots that name it are removed. Two waits. Gives what stays, since somebody has added to it.
fn remove_dirs(
    store: &Store,
    state: &mut State,
    changes: &[Change],
    outcomes: &mut [Outcome],
) -> Vec<String> {
    let mut left = Vec::new();
    discard_each(store, state, changes, outcomes, |state, discard| {
        let Discard { dir, name, trash, .. } = discard;
        // The last look.
        if !discard.is_as_seen()? {
            let name = name.to_string_lossy();
            left.push(format!("{CHUNKS}/{name}: somebody has changed it while it was composed"));
            return Ok(false);
        }
        match move_dir(&**dir, name, &*state.tmp, trash) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(true),
        }
    });
    discard_each(store, state, changes, outcomes, |state, discard| {
        let removed = discard.slot.as_ref().map(|slot| state.tmp.remove_file(slot));
        removed.transpose().map(|removed| removed.is_some())
    });
    left
}

/// Does something in `tmp/` for each discard, and makes durable what was done.
fn discard_each(
    store: &Store,
    state: &mut State,
    changes: &[Change],
    outcomes: &mut [Outcome],
    mut act: impl FnMut(&State, &Discard) -> io::Result<bool>,
) {
    let mut wait = Wait::default();
    for (who, (change, outcome)) in changes.iter().zip(outcomes.iter_mut()).enumerate() {
        for discard in &change.discards {
            if !outcome.is_going() {
                break;
            }
            match act(state, discard) {
                // A rename is durable once the directory that received the name is.
                Ok(true) => drop(wait.add(SyncItem::Dir(state.tmp.clone()), Some(who))),
                Ok(false) => {}
                Err(source) => *outcome = unknown(change, &source),
            }
        }
    }
    finish_wait(wait, Vec::new(), store, state, changes, outcomes);
}

fn going<'a>(
    changes: &'a [Change],
    outcomes: &'a [Outcome],
) -> impl Iterator<Item = (usize, (&'a Change, &'a Outcome))> {
    changes.iter().zip(outcomes).enumerate().filter(|(_, (_, outcome))| outcome.is_going())
}

fn in_place(changes: &[Change], outcomes: &[Outcome]) -> bool {
    going(changes, outcomes)
        .any(|(_, (change, _))| change.publishes.iter().any(|publish| publish.how.is_in_place()))
}

/// Makes slots when few are left.
fn refill(state: &mut State, changes: &[Change]) -> Vec<OsString> {
    let used = changes.iter().flat_map(Change::slots).count();
    state.slots.refill(used)
}

/// Waits, and keeps the slots whose names have become durable.
fn finish_wait(
    mut wait: Wait,
    mut slots: Vec<OsString>,
    store: &Store,
    state: &mut State,
    changes: &[Change],
    outcomes: &mut [Outcome],
) {
    let place = (!slots.is_empty()).then(|| wait.add(SyncItem::Dir(state.tmp.clone()), None));
    for (at, (owners, result)) in wait.run(store).into_iter().enumerate() {
        let Err(source) = result else { continue };
        if place == Some(at) {
            for slot in slots.drain(..) {
                let _ = state.tmp.remove_file(&slot);
            }
        }
        for who in owners {
            if let (Some(change), Some(outcome)) = (changes.get(who), outcomes.get_mut(who))
                && outcome.is_going()
            {
                *outcome = unknown(change, &source);
            }
        }
    }
    state.slots.add(slots);
}

/// What needs no wait. `false`, and the file that came out of an exchange stays in its slot, where somebody has
/// written into it since.
fn tidy(state: &mut State, change: &Change) -> bool {
    let mut is_tidy = true;
    for Publish { staged, how, before, .. } in &change.publishes {
        match how {
            How::InPlace { undo, .. } => undo.remove(state),
            How::Exchange => {
                let holds = |before: &Precondition| before.has_content(&*staged.dir, &staged.slot);
                // The last look.
                if before.as_ref().is_none_or(holds) {
                    // What was there before. A crash may bring the name back: it is swept then.
                    let _ = staged.dir.remove_file(&staged.slot);
                } else {
                    is_tidy = false;
                }
            }
            How::Rename(_) => {}
        }
        if let Some(note) = &staged.note {
            let _ = state.tmp.remove_file(note);
        }
    }
    // IMPORTANT: after the second wait. A slot that is gone says that the append is durable.
    for sums in change.append.iter().filter_map(|append| append.sums.as_ref()) {
        sums.remove(state);
    }
    for Discard { trash, .. } in &change.discards {
        if state.tmp.remove_file(trash).is_err() {
            let _ = crate::contents::remove_tree(&*state.tmp, trash);
        }
    }
    is_tidy
}

/// Numbers and chains rows onto the journal's end, which moves behind them; gives the bytes.
fn append_rows<'a>(
    state: &mut State,
    rows: impl Iterator<Item = &'a Row>,
    others: &[u8],
) -> io::Result<Vec<u8>> {
    let mut lines = state.rows_behind(&state.end)?;
    for row in rows {
        lines.row(row)?;
    }
    lines.others(others);
    let (bytes, end) = lines.finish();
    state.end = end;
    Ok(bytes)
}

fn surviving<'a>(changes: &'a [Change], outcomes: &[Outcome]) -> Vec<&'a Row> {
    changes
        .iter()
        .zip(outcomes)
        .filter(|(_, outcome)| !outcome.is_failed())
        .filter_map(|(change, _)| change.row.as_ref())
        .collect()
}
