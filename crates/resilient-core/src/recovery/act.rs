//! What recovery does about a row once the judge has decided. Each act looks first at what it is
//! about to change: nothing is written over that was not looked at.

use std::io;
use std::path::Path;

use super::look::Seen;
use super::obstacle::Obstacle;
use super::seat::{OpenFile, Seat};
use super::slot::{self, Slot};
use super::verdict::{Kept, Verdict};
use super::{append, conflict, in_place, line, names};
use crate::disk::{Access, Replace, Stat};
use crate::journal::Row;
use crate::report::What;
use crate::roots::Target;
use crate::state::State;
use crate::store::{SCRATCH, Store};
use crate::unit::{self, Kind};

/// A row that is being acted on.
pub(super) struct Act<'a> {
    pub(super) store: &'a Store,
    pub(super) state: &'a State,
    pub(super) row: &'a Row,
    /// All rows of its batch.
    pub(super) batch: &'a [Row],
    pub(super) seen: Seen,
}

impl Act<'_> {
    /// The row's changes have all happened: they become durable. Files that came out and were written into since
    /// are kept.
    pub(super) fn keep(&mut self, touched: &[usize]) -> Result<Verdict, Obstacle> {
        if self.seen.unit.is_copy {
            // The row's paths may lead to the original, whose files are not for this process to write.
            return Ok(Verdict::Published(self.keep_touched(touched)?));
        }
        if let (Some(at), Some(open)) = (self.row.at, self.open_file(unit::Target::New)) {
            append::keep(open, self.row, at)?;
        }
        names::sync_names(self.store, self.state, self.row)?;
        for seat in &self.seen.files {
            // IMPORTANT: the row is finished for good before anything else of it is swept.
            if let (Some(_), Some((dir, _))) = (&self.row.undo, &seat.place) {
                dir.sync()?;
            }
        }
        self.redo_line()?;
        if self.seen.files.iter().any(|seat| seat.may_be_torn) {
            return Ok(Verdict::Torn);
        }
        let kept = self.keep_touched(touched)?;
        self.unless_lost(Verdict::Published(kept))
    }

    /// The verdict, but where somebody may have removed content before it was published.
    fn unless_lost(&self, verdict: Verdict) -> Result<Verdict, Obstacle> {
        let is_lost = self.seen.files.iter().any(|seat| seat.may_be_lost);
        match verdict {
            Verdict::Published(kept) | Verdict::Finished(kept) if is_lost => {
                let before = self.keep_before()?;
                Ok(Verdict::Unsure(kept.into_iter().chain(before).collect()))
            }
            verdict => Ok(verdict),
        }
    }

    /// Keeps files that came out of an exchange and that somebody has written into.
    fn keep_touched(&mut self, touched: &[usize]) -> Result<Vec<Kept>, Obstacle> {
        let mut kept = Vec::new();
        for at in touched {
            let Some(seat) = self.seen.files.get_mut(*at) else { continue };
            let Some(slot) = &mut seat.slot else { continue };
            let digest = conflict::keep_old(self.state, slot)?;
            kept.push(Kept { path: self.store.show(&seat.path), digest, what: What::Saved });
        }
        Ok(kept)
    }

    /// The row can be finished: what is missing of it is published.
    pub(super) fn forward(
        &mut self,
        publish: &[usize],
        finish: &[usize],
        touched: &[usize],
    ) -> Result<Verdict, Obstacle> {
        // IMPORTANT: the parent directories are durable before the file goes there: this may be a
        // disk on which a killed process has left everything pending.
        names::sync_names(self.store, self.state, self.row)?;
        for at in finish {
            if let Some((seat, kind)) = self.at(*at) {
                finish_one(seat, kind)?;
            }
        }
        // All of them, or a crash could keep the one file and lose the other's content.
        for at in publish {
            let Some(seat) = self.seen.files.get_mut(*at) else { continue };
            keep_attributes(seat, &self.store.state_path())?;
            if let Some(slot) = &mut seat.slot {
                slot.rewrite_and_sync()?;
            }
        }
        for at in publish {
            if let Some((seat, kind)) = self.at(*at) {
                self.publish(seat, kind)?;
            }
        }
        self.redo_line()?;
        let kept = self.keep_touched(touched)?;
        self.unless_lost(Verdict::Finished(kept))
    }

    /// Takes changes back, in this order, durably.
    pub(super) fn take_back(&self, changes: &[usize]) -> Result<(), Obstacle> {
        for at in changes {
            let Some((seat, kind)) = self.at(*at) else { continue };
            match (kind, self.row.at, &seat.file) {
                (Kind::Append, Some(from), Some(open)) => append::take_back(open, from)?,
                (Kind::InPlace, ..) => in_place::take_back(seat)?,
                (Kind::Exchange, ..) => exchange_back(seat)?,
                _ => take_back_name(seat)?,
            }
        }
        Ok(())
    }

    /// Makes durable what exchanges have put back: the process that did may have died before its sync.
    ///
    /// IMPORTANT: before the row goes. A loss of power could keep the exchange and lose what took it back. Where a
    /// content is set aside, too, the sync of `tmp/` does as much on a file system that has renames whole.
    pub(super) fn sync_exchanges(&self) -> Result<(), Obstacle> {
        for (change, seat) in self.seen.unit.changes.iter().zip(&self.seen.files) {
            let (Kind::Exchange, Some(slot)) = (change.kind, &seat.slot) else { continue };
            if let Some(target) = &seat.target {
                target.dir.sync()?;
            }
            slot.dir.sync()?;
        }
        Ok(())
    }

    /// Keeps the contents of all slots of the row.
    pub(super) fn set_aside(&mut self) -> Result<Verdict, Obstacle> {
        let mut kept: Vec<Kept> = Vec::new();
        let changes = &self.seen.unit.changes;
        for (change, seat) in changes.iter().zip(&mut self.seen.files) {
            let digest = match (seat.aside, &mut seat.slot) {
                (Some(digest), _) => digest,
                // What came out of an exchange is somebody's last version.
                (None, Some(slot))
                    if change.slot == unit::Slot::Whole
                        || change.kind == Kind::Exchange && change.slot != unit::Slot::Damaged =>
                {
                    conflict::keep(self.state, slot)?
                }
                _ => continue,
            };
            kept.push(Kept { path: self.store.show(&seat.path), digest, what: What::New });
        }
        kept.extend(self.keep_before()?);
        // IMPORTANT: also what a recovery before this one has set aside. It may have been killed before its sync, and
        // the sweep removes a slot that comes back without its row.
        self.state.tmp.sync()?;
        Ok(Verdict::Conflict(kept))
    }

    /// Keeps what a file held before a write in place: the file, or another of its names, may have parts of both.
    fn keep_before(&self) -> Result<Option<Kept>, Obstacle> {
        let is_torn = self.seen.unit.changes.first().is_some_and(|change| {
            change.before == Some(unit::Slot::Whole) && change.target != unit::Target::Old
        });
        let (Some(undo), Some(seat), true) = (&self.row.undo, self.seen.files.first(), is_torn)
        else {
            return Ok(None);
        };
        let Some((dir, name)) = slot::place(self.store, self.state, undo)? else { return Ok(None) };
        let Some(mut slot) = slot::open(dir, name)? else { return Ok(None) };
        let digest = conflict::keep(self.state, &mut slot)?;
        Ok(Some(Kept { path: self.store.show(&seat.path), digest, what: What::Before }))
    }

    fn at(&self, at: usize) -> Option<(&Seat, Kind)> {
        self.seen.files.get(at).zip(self.seen.unit.changes.get(at).map(|change| change.kind))
    }

    /// The file of a row in place, if this is what was seen of it.
    fn open_file(&self, target: unit::Target) -> Option<&OpenFile> {
        let change = self.seen.unit.changes.first()?;
        self.seen.files.first()?.file.as_ref().filter(|_| change.target == target)
    }

    fn redo_line(&self) -> Result<(), Obstacle> {
        let index = self.store.state_path().join(SCRATCH).join("index.jsonl");
        match &self.row.line {
            Some(line) if line.abs_path == index.to_string_lossy() => {
                line::redo(self.store, self.state, line, self.batch)
            }
            _ => Ok(()),
        }
    }

    /// Publishes one slot.
    fn publish(&self, seat: &Seat, kind: Kind) -> Result<(), Obstacle> {
        let (Some(slot), Some(target)) = (&seat.slot, &seat.target) else { return Ok(()) };
        let is_state = target.path.starts_with(self.store.state_path());
        let access = if is_state { Access::Private } else { Access::Default };
        let dir = names::make_dirs(target.dir.clone(), &target.missing, access)?;
        let target = Target { dir, missing: Vec::new(), ..target.clone() };
        last_look(&target, seat.stat.as_ref())?;
        if let (Kind::Exchange, Some(seen)) = (kind, &seat.stat)
            && exchange(slot, &target, seen)?
        {
            return Ok(());
        }
        let replace = if seat.stat.is_some() { Replace::Yes } else { Replace::No };
        slot.dir.rename(&slot.name, &*target.dir, &target.name, replace)?;
        Ok(target.dir.sync()?)
    }
}

/// Gives what is about to be published the attributes that its target has now: somebody may have changed them since
/// the content was staged. State is private in any case.
fn keep_attributes(seat: &Seat, state: &Path) -> io::Result<()> {
    let (Some(slot), Some(target), Some(_)) = (&seat.slot, &seat.target, &seat.stat) else {
        return Ok(());
    };
    if target.path.starts_with(state) {
        return Ok(());
    }
    slot.file.copy_attributes(&*target.dir.open(&target.name)?)
}

/// Retires the slot of a change whose target is published already.
fn finish_one(seat: &Seat, kind: Kind) -> Result<(), Obstacle> {
    let Some(slot) = &seat.slot else { return Ok(()) };
    if kind == Kind::InPlace {
        in_place::finish(seat)?;
    } else if let Some(target) = &seat.target {
        // IMPORTANT: the target's name is durable before the slot's goes; else a crash could take
        // both.
        target.dir.sync()?;
    }
    slot.dir.remove_file(&slot.name)?;
    Ok(slot.dir.sync()?)
}

/// Exchanges slot and target, durably, where what comes out is what was looked at. Else it goes back at once.
/// `false` where the file system cannot.
fn exchange(slot: &Slot, target: &Target, seen: &Stat) -> Result<bool, Obstacle> {
    let exchange = || slot.dir.exchange(&slot.name, &*target.dir, &target.name);
    match exchange() {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => return Ok(false),
        other => other?,
    }
    if !is_same(seen, &slot.dir.stat(&slot.name)?) {
        exchange()?;
        return Err(Obstacle::changing());
    }
    target.dir.sync()?;
    slot.dir.sync()?;
    Ok(true)
}

/// Takes an exchange back: slot and target have again what they had.
fn exchange_back(seat: &Seat) -> Result<(), Obstacle> {
    let (Some(slot), Some(target), Some(seen)) = (&seat.slot, &seat.target, &seat.stat) else {
        return Ok(());
    };
    last_look(target, Some(seen))?;
    exchange(slot, target, seen).map(drop)
}

/// Takes back a new file: its name goes, and the slot has it again.
fn take_back_name(seat: &Seat) -> Result<(), Obstacle> {
    let Some(target) = &seat.target else { return Ok(()) };
    last_look(target, seat.stat.as_ref())?;
    match (&seat.slot, &seat.place) {
        // The slot is a second name of it.
        (Some(_), _) => target.dir.remove_file(&target.name)?,
        (None, Some((dir, name))) => {
            target.dir.rename(&target.name, &**dir, name, Replace::No)?;
            let came_out = dir.stat(name)?;
            if seat.stat.is_none_or(|seen| !is_same(&seen, &came_out)) {
                // Somebody has saved another file in between: it goes back at once.
                dir.rename(name, &*target.dir, &target.name, Replace::No)?;
                // IMPORTANT: durably. The row may go next, and the sweep would remove what is in the slot.
                target.dir.sync()?;
                return Err(Obstacle::changing());
            }
            dir.sync()?;
        }
        (None, None) => return Ok(()),
    }
    Ok(target.dir.sync()?)
}

/// Whether two looks saw the same file with the same content and rights; a rename changes the time of its last
/// change of attributes.
fn is_same(one: &Stat, other: &Stat) -> bool {
    let facts = |stat: &Stat| (stat.id, stat.len, stat.mtime_ns, stat.mode, stat.owner);
    facts(one) == facts(other)
}

/// The last look: whether a target's name still leads to what was looked at.
fn last_look(target: &Target, seen: Option<&Stat>) -> Result<(), Obstacle> {
    let is_as_seen = match target.dir.stat(&target.name) {
        Ok(now) => seen == Some(&now),
        Err(error) if error.kind() == io::ErrorKind::NotFound => seen.is_none(),
        Err(error) => return Err(error.into()),
    };
    if is_as_seen { Ok(()) } else { Err(Obstacle::changing()) }
}
