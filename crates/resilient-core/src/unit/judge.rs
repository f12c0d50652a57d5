//! The judge: what was seen of a unit decides what becomes of it.
//!
//! The lines of the table stand in [`decide`], in order; the first that fits decides. Whatever they ask
//! is a function below with the word of the table. A question whose answer depends on something that
//! could not be looked at has no answer (`None`), and a decision that needs such an answer is
//! [`Decision::Pending`]. So one unreadable file holds up only the units that depend on it.

use super::{Change, Decision, Kind, KnownBy, Mark, Slot, Target, Unit};

/// Decides what becomes of a unit.
///
/// The function is pure. Called again after any part of its decision was carried out, it gives a
/// decision that ends in the same state. No decision but [`Decision::Keep`] and [`Decision::Forward`]
/// is given for a unit that was answered with success, as long as nobody has changed the state directory and
/// it is not a copy.
#[must_use]
pub fn judge(unit: &Unit) -> Decision {
    decide(unit).unwrap_or(Decision::Pending)
}

fn decide(unit: &Unit) -> Option<Decision> {
    let changes = &unit.changes;
    if changes.iter().any(|change| change.kind == Kind::Unknown || is_unseen(change)) {
        return None;
    }
    if unit.mark == Some(Mark::Conflict) {
        return Some(Decision::FinishConflict { write_back: torn(unit)? });
    }
    if unit.is_copy {
        return judge_copy(unit);
    }
    if unit.mark == Some(Mark::Void) {
        return match take_back(unit)? {
            Some(take_back) => Some(Decision::ResumeBack { take_back }),
            None => conflict(unit),
        };
    }
    let happened: Vec<bool> = changes.iter().map(happened).collect::<Option<_>>()?;
    let none_happened = !happened.contains(&true);
    if !unit.rows.are_complete() {
        return if none_happened { withdraw(unit) } else { conflict(unit) };
    }
    let has_foreign = changes.iter().any(holds_foreign);
    if !happened.contains(&false) && !has_foreign {
        return Some(Decision::Keep { touched: touched(changes) });
    }
    let rest = || places(&happened, |happened| !happened);
    if !has_foreign && all(rest().map(|at| changes.get(at).and_then(is_ready)))? {
        let (finish, publish) =
            rest().partition(|at| changes.get(*at).and_then(is_there) == Some(true));
        return Some(Decision::Forward { publish, finish, touched: touched(changes) });
    }
    if none_happened {
        return withdraw(unit);
    }
    match take_back(unit)? {
        Some(take_back) => Some(Decision::Back { take_back }),
        None => conflict(unit),
    }
}

/// A unit in a copied state directory. Content cannot tell a file from another one of equal bytes, so
/// nothing is published or taken back, and what cannot be told is a conflict.
fn judge_copy(unit: &Unit) -> Option<Decision> {
    if unit.mark == Some(Mark::Void) {
        // A slot that is a link shows what somebody wrote into the linked file since.
        let is_over = |change: &Change| {
            let is_done = can_take_back(change, unit)? == TakeBack::Done;
            Some(is_done || change.slot != Slot::Gone && as_looked_at(change)?)
        };
        return match all(unit.changes.iter().map(is_over))? {
            true => Some(Decision::ResumeBack { take_back: Vec::new() }),
            false => conflict(unit),
        };
    }
    let happened: Vec<Option<bool>> =
        unit.changes.iter().map(happened_in_copy).collect::<Option<_>>()?;
    if happened.iter().all(|happened| *happened == Some(false)) {
        return Some(Decision::Withdraw { take_back: Vec::new(), keep: kept(unit) });
    }
    if unit.rows.are_complete() && happened.iter().all(|happened| *happened == Some(true)) {
        let is_touched = |change: &Change| matches!(change.slot, Slot::Touched | Slot::Other);
        return Some(Decision::Keep { touched: places(&unit.changes, is_touched).collect() });
    }
    conflict(unit)
}

/// Whether a change happened before its state directory was copied; `Some(None)` where the content
/// does not tell.
fn happened_in_copy(change: &Change) -> Option<Option<bool>> {
    Some(match (change.kind, change.slot) {
        (Kind::Append, Slot::Damaged) => Some(false),
        (Kind::Append, _) => match seen(change)? {
            Target::Old => Some(false),
            Target::Part => None,
            _ => Some(true),
        },
        (Kind::InPlace, Slot::Whole) if seen(change)? != Target::Old => None,
        (_, Slot::Whole | Slot::Damaged) => Some(false),
        (_, Slot::Gone | Slot::Before) => Some(true),
        // The own file of a remove is empty, and new content at the target came from the slot.
        (Kind::Remove, _) => Some(true),
        (Kind::Exchange, _) if seen(change)? == Target::New => Some(true),
        _ => None,
    })
}

/// Whether a change has happened: its slot's name no longer leads to the staged file.
///
/// Of an append, its bytes tell: what our append does not explain is somebody else's work on
/// a file that had them, or on one that had not; the row then stays. It has a slot where its sums are
/// too long for the row; where that is damaged, it never began.
fn happened(change: &Change) -> Option<bool> {
    if change.kind == Kind::Append && change.slot != Slot::Damaged {
        return Some(!matches!(seen(change)?, Target::Old | Target::Part));
    }
    Some(match change.slot {
        Slot::Unseen => return None,
        Slot::Whole | Slot::Damaged => false,
        Slot::Before | Slot::Touched | Slot::Other => true,
        Slot::Gone => !is_lost(change)?,
    })
}

/// Whether a slot was deleted by somebody before its change happened: it is gone, and the target is
/// still the very file that was looked at.
///
/// Content alone cannot tell, since somebody may have restored the old content. For a create nothing
/// can tell, since a file that is absent has no identity.
fn is_lost(change: &Change) -> Option<bool> {
    let can_tell = matches!(change.kind, Kind::Exchange | Kind::Replace | Kind::Remove)
        && change.known_by == KnownBy::Identity;
    if change.slot != Slot::Gone || !can_tell {
        return Some(false);
    }
    Some(seen(change)? == Target::Old)
}

/// Whether the target is what it was when the change was planned.
fn as_looked_at(change: &Change) -> Option<bool> {
    Some(match change.kind {
        Kind::Create => seen(change)? == Target::Absent,
        _ => seen(change)? == Target::Old,
    })
}

/// Whether the target is what the change has made of it, and nobody has touched that.
fn is_ours(change: &Change) -> Option<bool> {
    Some(match change.kind {
        Kind::Remove => seen(change)? == Target::Absent,
        _ => seen(change)? == Target::New,
    })
}

/// Whether a change that has not happened can be published.
///
/// In place it can only be finished: writing back needs no space, but going on may.
fn is_ready(change: &Change) -> Option<bool> {
    if change.slot != Slot::Whole || !matches!(change.before, None | Some(Slot::Whole)) {
        return Some(false);
    }
    Some(match change.kind {
        Kind::Create | Kind::Exchange | Kind::Replace => as_looked_at(change)? || is_ours(change)?,
        Kind::Remove => as_looked_at(change)?,
        Kind::InPlace => is_ours(change)?,
        Kind::Append | Kind::Unknown => false,
    })
}

/// Whether the target is the published file although the slot still leads there, as after half of a
/// link and unlink. Equal content is not enough: somebody else's file may not be durable.
fn is_there(change: &Change) -> Option<bool> {
    let can_be = change.slot == Slot::Whole
        && (change.known_by == KnownBy::Identity || change.kind == Kind::InPlace)
        && change.kind != Kind::Remove;
    if can_be { is_ours(change) } else { Some(false) }
}

/// Whether a file that nobody had looked at came out of the target into the slot.
fn holds_foreign(change: &Change) -> bool {
    matches!(change.kind, Kind::Exchange | Kind::Remove) && change.slot == Slot::Other
}

/// What taking a change back would come to.
#[derive(PartialEq)]
enum TakeBack {
    /// There is nothing of it to take back.
    Done,
    Possible,
    /// Somebody has changed the target, or what was there before is not at hand.
    Impossible,
}

fn can_take_back(change: &Change, unit: &Unit) -> Option<TakeBack> {
    use TakeBack::{Done, Impossible, Possible};
    let is_void = unit.mark == Some(Mark::Void);
    let if_ours = |has_before: bool| {
        if !has_before {
            return Some(Impossible);
        }
        Some(if is_ours(change)? { Possible } else { Impossible })
    };
    match (change.kind, change.slot) {
        (Kind::Append | Kind::InPlace, _) => can_write_back(change),
        (_, Slot::Unseen) | (Kind::Unknown, _) => None,
        (kind, Slot::Whole | Slot::Damaged) => Some(match (is_there(change)?, kind) {
            (false, _) => Done,
            // Its second name goes.
            (true, Kind::Create) => Possible,
            (true, Kind::Replace) if change.before == Some(Slot::Whole) => Possible,
            (true, _) => Impossible,
        }),
        // Taking a remove back is what empties its slot: no other step of a void unit does.
        (Kind::Remove, Slot::Gone) if is_void => Some(Done),
        // The same is true of the copy that a replaced file gets back.
        (Kind::Replace, Slot::Gone) if is_void && change.before == Some(Slot::Gone) => Some(Done),
        // A lost slot. Of a create whose file somebody has deleted nothing would tell later, when there
        // is a new file of that name, that it was over.
        (Kind::Exchange | Kind::Replace | Kind::Remove, Slot::Gone) if as_looked_at(change)? => {
            Some(Done)
        }
        (Kind::Create, slot) => if_ours(slot == Slot::Gone),
        (Kind::Replace, _) => if_ours(change.before == Some(Slot::Whole)),
        (Kind::Exchange | Kind::Remove, slot) => if_ours(slot != Slot::Gone),
    }
}

/// The same for a write in place. What was there before is durable before the first byte is written:
/// where it is not whole, nothing was written.
fn can_write_back(change: &Change) -> Option<TakeBack> {
    let has_slot = change.kind == Kind::InPlace;
    let never_began =
        change.slot == Slot::Damaged || !matches!(change.before, None | Some(Slot::Whole));
    Some(match (seen(change)?, change.slot) {
        (_, Slot::Gone) if has_slot => TakeBack::Impossible,
        _ if never_began => TakeBack::Done,
        // The old content too: a cut that came before this one may not be durable.
        (Target::Old | Target::Part | Target::New, _) => TakeBack::Possible,
        _ => TakeBack::Impossible,
    })
}

/// The changes to take back, last first; `None` inside where one of them cannot be.
#[expect(clippy::option_option, reason = "not known, known to be impossible, possible")]
fn take_back(unit: &Unit) -> Option<Option<Vec<usize>>> {
    let each: Vec<_> = unit.changes.iter().map(|change| can_take_back(change, unit)).collect();
    if each.contains(&Some(TakeBack::Impossible)) {
        return Some(None);
    }
    let each = each.into_iter().collect::<Option<Vec<_>>>()?;
    let mut open: Vec<_> = places(&each, |one| *one == TakeBack::Possible).collect();
    open.reverse();
    Some(Some(open))
}

fn withdraw(unit: &Unit) -> Option<Decision> {
    let mut take_back = Vec::new();
    for (at, change) in unit.changes.iter().enumerate().rev() {
        match can_take_back(change, unit)? {
            TakeBack::Done => {}
            TakeBack::Possible => take_back.push(at),
            // Somebody has changed what may have been written: it stays as it is.
            TakeBack::Impossible if is_in_place(change) => {}
            TakeBack::Impossible => return conflict(unit),
        }
    }
    Some(Decision::Withdraw { take_back, keep: kept(unit) })
}

/// Staged content that was promised, and whose target somebody has changed. A unit with a row missing
/// or a slot damaged was never promised.
fn kept(unit: &Unit) -> Vec<usize> {
    if !unit.rows.are_complete() || unit.changes.iter().any(is_damaged) {
        return Vec::new();
    }
    let is_kept = |change: &Change| {
        change.slot == Slot::Whole
            && !matches!(change.kind, Kind::Append | Kind::Remove)
            && !matches!(change.target, Target::New | Target::Part | Target::Unseen)
            && as_looked_at(change) == Some(false)
    };
    places(&unit.changes, is_kept).collect()
}

fn conflict(unit: &Unit) -> Option<Decision> {
    let mut in_effect = Vec::new();
    for (at, change) in unit.changes.iter().enumerate() {
        if is_in_effect(change, unit)? {
            in_effect.push(at);
        }
    }
    Some(Decision::Conflict { in_effect, write_back: torn(unit)? })
}

/// Whether a change stays in effect where its unit is a conflict.
fn is_in_effect(change: &Change, unit: &Unit) -> Option<bool> {
    if is_in_place(change) {
        return Some(seen(change)? == Target::New || happened(change)?);
    }
    Some(can_take_back(change, unit)? != TakeBack::Done && !as_looked_at(change)?)
}

/// Writes in place that a conflict would leave torn. In a copy nothing is touched.
fn torn(unit: &Unit) -> Option<Vec<usize>> {
    let mut torn = Vec::new();
    for (at, change) in unit.changes.iter().enumerate() {
        if !unit.is_copy
            && is_in_place(change)
            && seen(change)? == Target::Part
            && can_write_back(change)? == TakeBack::Possible
        {
            torn.push(at);
        }
    }
    Some(torn)
}

fn touched(changes: &[Change]) -> Vec<usize> {
    places(changes, |change| change.slot == Slot::Touched).collect()
}

fn is_in_place(change: &Change) -> bool {
    matches!(change.kind, Kind::Append | Kind::InPlace)
}

fn is_damaged(change: &Change) -> bool {
    change.kind != Kind::Append
        && (change.slot == Slot::Damaged || change.before == Some(Slot::Damaged))
}

fn is_unseen(change: &Change) -> bool {
    change.kind != Kind::Append
        && (change.slot == Slot::Unseen || change.before == Some(Slot::Unseen))
}

fn seen(change: &Change) -> Option<Target> {
    (change.target != Target::Unseen).then_some(change.target)
}

/// Whether all answers are yes. A single no decides, also where others are not known.
fn all(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let answers: Vec<_> = answers.collect();
    if answers.contains(&Some(false)) {
        return Some(false);
    }
    (!answers.contains(&None)).then_some(true)
}

fn places<T>(items: &[T], fits: impl Fn(&T) -> bool) -> impl Iterator<Item = usize> {
    items.iter().enumerate().filter(move |(_, item)| fits(item)).map(|(at, _)| at)
}
