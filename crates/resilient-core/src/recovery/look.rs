//! What recovery sees of a row before it acts: the facts that the judge decides on, and the handles
//! that the acts need.

use std::io;
use std::path::Path;

use super::obstacle::Obstacle;
use super::seat::{Seat, change, find, or_unseen};
use super::{append, conflict, in_place, slot};
use crate::beside;
use crate::contents::digest_of;
use crate::digest::Digest;
use crate::disk::{Kind, Stat};
use crate::journal::{Exchange, Mode, Row, born};
use crate::roots::Target;
use crate::state::State;
use crate::store::Store;
use crate::unit::{self, Change, KnownBy, Mark, Rows, Unit};

/// A row as recovery sees it.
pub(super) struct Seen {
    pub(super) unit: Unit,
    /// The files of the unit's changes, in the same order.
    pub(super) files: Vec<Seat>,
    /// Why something could not be looked at.
    pub(super) obstacle: Option<Obstacle>,
}

/// One file of a row, as the row has it.
struct Named<'a> {
    path: &'a str,
    staged: &'a str,
    expected: Digest,
    previous: Option<Digest>,
    /// Whether it was written through all of its names.
    in_place: bool,
    exchange: Option<Exchange>,
    is_copy: bool,
    /// Whether the row says in which state directory it was written.
    is_placed: bool,
}

/// Looks at all that a row names.
pub(super) fn look(store: &Store, state: &State, row: &Row) -> Seen {
    let mut obstacle = None;
    let named = names(state, row);
    let mut changes = Vec::new();
    let mut files = Vec::new();
    if is_of_later_version(row) {
        // The judge decides nothing about it, and it waits.
        changes.push(change(unit::Kind::Unknown));
        files.push(Seat::of(row.abs_path.as_deref().unwrap_or_default()));
        obstacle = Some(Obstacle::unknown());
    } else if let (Some(at), Some(sectors)) = (row.at, &row.sectors) {
        let (change, seat) = append::look(store, state, row, at, sectors, &mut obstacle);
        changes.push(change);
        files.push(seat);
    } else {
        for one in &named {
            let (change, seat) = look_at_slot(store, state, one, &mut obstacle);
            changes.push(change);
            files.push(seat);
        }
        // A row whose slots are all gone is finished, whatever its targets hold now: nothing is read. An
        // exchange may have been lost, though: then the target is the very file that was there before.
        let all_gone = changes.iter().all(|change| change.slot == unit::Slot::Gone)
            && files.iter().all(|seat| seat.aside.is_none());
        let each = changes.iter_mut().zip(&mut files).zip(&named);
        for ((change, seat), one) in each {
            seat.may_be_lost = change.slot == unit::Slot::Gone
                && seat.aside.is_none()
                && may_be_lost(store, state, one).unwrap_or(true);
            if seat.may_be_lost && one.in_place {
                in_place::look_at_target(store, state, row, (change, seat), &mut obstacle);
            } else if all_gone {
                if let Some(exchange) = identities(state, one) {
                    look_for_old(store, state, one, exchange, (change, seat), &mut obstacle);
                }
            } else if one.in_place {
                in_place::look_at_target(store, state, row, (change, seat), &mut obstacle);
            } else {
                look_at_target(store, state, one, (change, seat), &mut obstacle);
            }
        }
    }
    let is_aside = files.iter().any(|seat| seat.aside.is_some());
    let unit = Unit {
        rows: Rows::all(changes.len()),
        mark: is_aside.then_some(Mark::Conflict),
        is_copy: state.is_copy_for(row) || named.iter().any(|one| has_other_dir(state, one)),
        changes,
    };
    Seen { unit, files, obstacle }
}

/// Whether a row is of a kind that the format has and this version does not write: a rename, a removal of a user's
/// file, a part of a unit of several rows.
fn is_of_later_version(row: &Row) -> bool {
    let removes_file = row.mode == Mode::Remove && (row.staged.is_some() || !row.also.is_empty());
    removes_file || row.mode == Mode::Rename || row.from.is_some() || row.unit.is_some()
}

fn names<'a>(state: &State, row: &'a Row) -> Vec<Named<'a>> {
    let is_copy = state.is_copy_for(row);
    let is_placed = row.place.is_some();
    let also = row.also.iter().map(|also| Named {
        path: &also.abs_path,
        staged: &also.staged,
        expected: also.sha256,
        previous: also.prev_sha256,
        in_place: false,
        exchange: also.exchange,
        is_copy,
        is_placed,
    });
    let main = row.staged.as_deref().zip(row.abs_path.as_deref()).zip(row.sha256.digest());
    let main = main.map(|((staged, path), expected)| Named {
        path,
        staged,
        expected,
        previous: row.prev_sha256,
        in_place: row.undo.is_some(),
        exchange: row.exchange,
        is_copy,
        is_placed,
    });
    also.chain(main).collect()
}

/// Whether the state directory is a copy, by its number alone, which is all that rows of earlier versions have.
fn has_other_dir(state: &State, one: &Named<'_>) -> bool {
    let here = state.tmp.id().ok().map(|id| id.inode);
    one.exchange.is_some_and(|exchange| Some(exchange.dir) != here)
}

/// What tells the two files of a row that is no copy.
fn identities(state: &State, one: &Named<'_>) -> Option<Exchange> {
    one.exchange.filter(|_| !one.is_copy && !has_other_dir(state, one))
}

fn look_at_slot(
    store: &Store,
    state: &State,
    one: &Named<'_>,
    obstacle: &mut Option<Obstacle>,
) -> (Change, Seat) {
    let kind = match one.previous {
        _ if one.in_place => unit::Kind::InPlace,
        Some(_) if one.exchange.is_some() => unit::Kind::Exchange,
        Some(_) => unit::Kind::Replace,
        None => unit::Kind::Create,
    };
    let mut change = change(kind);
    let mut seat = Seat::of(one.path);
    let looked = (|| {
        seat.place = slot::place(store, state, one.staged)?;
        let slot = match seat.place.clone() {
            Some((dir, name)) => slot::open(dir, name)?,
            None => None,
        };
        seat.aside = conflict::kept(state, one.staged, slot.as_ref())?;
        let Some(slot) = slot.filter(|_| seat.aside.is_none()) else {
            return Ok(unit::Slot::Gone);
        };
        let now = digest_of(&*slot.file)?.0;
        let inode = slot.file.id()?.inode;
        seat.slot = Some(slot);
        let before = Some(now) == one.previous;
        Ok(match (identities(state, one), one.exchange) {
            (Some(exchange), _) if inode == exchange.old => {
                if before {
                    unit::Slot::Before
                } else {
                    unit::Slot::Touched
                }
            }
            (Some(exchange), _) if inode != exchange.staged => {
                seat.slot_holds_promise = now == one.expected;
                unit::Slot::Other
            }
            _ if now == one.expected => unit::Slot::Whole,
            (None, Some(_)) if before => unit::Slot::Before,
            (None, Some(_)) => unit::Slot::Other,
            _ => unit::Slot::Damaged,
        })
    })();
    change.slot = or_unseen(looked, unit::Slot::Unseen, obstacle);
    if identities(state, one).is_some() {
        change.known_by = KnownBy::Identity;
    }
    (change, seat)
}

/// Finds out whether a target is still the file that was to be replaced; reads it only then.
fn look_for_old(
    store: &Store,
    state: &State,
    one: &Named<'_>,
    exchange: Exchange,
    (change, seat): (&mut Change, &mut Seat),
    obstacle: &mut Option<Obstacle>,
) {
    let looked = (|| {
        let Some(target) = find(store, state, one.path, one.is_placed)? else {
            return Ok(unit::Target::Other);
        };
        if !target.missing.is_empty() {
            return Ok(unit::Target::Absent);
        }
        match target.dir.stat(&target.name) {
            // IMPORTANT: a restored file may get the number of the old one. If nothing says when files were made,
            // the row counts as finished.
            Ok(stat)
                if stat.id.inode == exchange.old
                    && exchange.born.is_some()
                    && born(&stat) == exchange.born => {}
            Ok(_) => return Ok(unit::Target::Other),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(unit::Target::Absent);
            }
            Err(error) => return Err(error.into()),
        }
        let (stat, now) = look_at_file(&target)?;
        seat.target = Some(target);
        seat.stat = stat;
        Ok(if now == one.previous { unit::Target::Old } else { unit::Target::Other })
    })();
    change.target = or_unseen(looked, unit::Target::Unseen, obstacle);
}

/// Whether somebody may have removed the slot of a write before its content was published: a slot beside its target, of
/// which the note is still there. The target does not hold the content then. A program that wrote there since the
/// publish leaves the same.
fn may_be_lost(store: &Store, state: &State, one: &Named<'_>) -> Result<bool, Obstacle> {
    if one.is_copy || !Path::new(one.staged).is_absolute() {
        return Ok(false);
    }
    match state.tmp.stat(&beside::note_of(one.staged)) {
        Ok(note) if note.len > 0 => {}
        Ok(_) => return Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error.into()),
    }
    let Some(target) = find(store, state, one.path, one.is_placed)? else { return Ok(true) };
    Ok(look_at_file(&target)?.1 != Some(one.expected))
}

fn look_at_target(
    store: &Store,
    state: &State,
    one: &Named<'_>,
    (change, seat): (&mut Change, &mut Seat),
    obstacle: &mut Option<Obstacle>,
) {
    let looked = (|| {
        let Some(target) = find(store, state, one.path, one.is_placed)? else {
            return Ok(unit::Target::Other);
        };
        let (stat, now) = look_at_file(&target)?;
        seat.target = Some(target);
        seat.stat = stat;
        let Some(stat) = stat else { return Ok(unit::Target::Absent) };
        if let Some(slot) = &seat.slot
            && slot.file.id()? == stat.id
        {
            // The very file of the slot has its target's name: a link that was not followed by the
            // removal. It is published, whatever somebody has made of it since.
            (change.slot, change.known_by) = (unit::Slot::Whole, KnownBy::Identity);
            return Ok(unit::Target::New);
        }
        let is = |file: fn(&Exchange) -> u64| {
            identities(state, one).is_none_or(|exchange| file(&exchange) == stat.id.inode)
        };
        Ok(match now {
            Some(now) if now == one.expected && is(|exchange| exchange.staged) => unit::Target::New,
            Some(now) if Some(now) == one.previous && is(|exchange| exchange.old) => {
                if seat.slot_holds_promise {
                    // The old file has not come out, so what is in the slot has not either: an
                    // earlier recovery renewed it (`Slot::renew`).
                    change.slot = unit::Slot::Whole;
                }
                unit::Target::Old
            }
            _ => unit::Target::Other,
        })
    })();
    change.target = or_unseen(looked, unit::Target::Unseen, obstacle);
}

/// The facts and the content of what a target's name leads to. The two belong together.
fn look_at_file(target: &Target) -> Result<(Option<Stat>, Option<Digest>), Obstacle> {
    if !target.missing.is_empty() {
        return Ok((None, None));
    }
    let stat = match target.dir.stat(&target.name) {
        Ok(stat) if stat.kind != Kind::File => return Ok((Some(stat), None)),
        Ok(stat) => stat,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((None, None)),
        Err(error) => return Err(error.into()),
    };
    let file = target.dir.open(&target.name)?;
    let digest = digest_of(&*file)?.0;
    if file.stat()? != stat {
        return Err(Obstacle::changing());
    }
    Ok((Some(stat), Some(digest)))
}
