//! Wrong judges, each of which the model refuses. A mutant either looks wrongly and asks the real judge,
//! or says something else than it.

use resilient_core::unit::{
    Change, Decision, Kind, KnownBy, Mark, Rows, Slot, Target, Unit, judge,
};

use crate::disk::Persistence;
use crate::model::{Bounds, Model};
use crate::sound::{BOUNDS, units};

/// Some unit shows that a judge is wrong.
fn refused(wrong: fn(&Unit) -> Decision, bounds: Bounds) {
    for unit in units() {
        let mut model = Model::new(&unit, Persistence::AnyPart, bounds);
        model.judge = wrong;
        if let Some((what, sequence)) = model.search().violation {
            println!("{unit:?}: {what}: {sequence}");
            return;
        }
    }
    panic!("no unit shows that this judge is wrong");
}

/// A judge that sees each change wrongly.
fn seen(unit: &Unit, wrongly: impl Fn(&mut Change)) -> Decision {
    let mut unit = unit.clone();
    unit.changes.iter_mut().for_each(wrongly);
    judge(&unit)
}

fn all(unit: &Unit) -> Vec<usize> {
    (0..unit.changes.len()).collect()
}

fn keep() -> Decision {
    Decision::Keep { touched: vec![] }
}

fn withdraw() -> Decision {
    Decision::Withdraw { take_back: vec![], keep: vec![] }
}

#[test]
fn s12_a_slot_that_was_deleted_counts_as_happened() {
    let bounds = Bounds { meddling: true, ..BOUNDS };
    refused(|unit| seen(unit, |change| change.known_by = KnownBy::Content), bounds);
}

#[test]
fn a_slot_that_is_gone_counts_as_not_happened() {
    fn wrongly(change: &mut Change) {
        if change.slot == Slot::Gone {
            change.slot = Slot::Whole;
        }
    }
    refused(|unit| seen(unit, wrongly), BOUNDS);
}

#[test]
fn missing_rows_are_not_noticed() {
    refused(|unit| judge(&Unit { rows: Rows::all(unit.rows.of), ..unit.clone() }), BOUNDS);
}

#[test]
fn a_void_row_is_not_noticed() {
    refused(|unit| judge(&Unit { mark: None, ..unit.clone() }), BOUNDS);
}

#[test]
fn s10_a_conflict_row_counts_as_void() {
    refused(|unit| judge(&Unit { mark: unit.mark.map(|_| Mark::Void), ..unit.clone() }), BOUNDS);
}

#[test]
fn damaged_slots_are_published() {
    fn wrongly(change: &mut Change) {
        if change.slot == Slot::Damaged {
            change.slot = Slot::Whole;
        }
    }
    refused(|unit| seen(unit, wrongly), BOUNDS);
}

#[test]
fn a_damaged_copy_of_the_old_content_counts_as_whole() {
    fn wrongly(change: &mut Change) {
        change.before = change.before.map(|_| Slot::Whole);
    }
    refused(|unit| seen(unit, wrongly), BOUNDS);
}

#[test]
fn s05_a_foreign_file_that_came_out_is_kept_as_a_before_image() {
    fn wrongly(change: &mut Change) {
        if change.slot == Slot::Other {
            change.slot = Slot::Before;
        }
    }
    refused(|unit| seen(unit, wrongly), BOUNDS);
}

#[test]
fn a_before_image_that_was_written_into_counts_as_foreign() {
    fn wrongly(change: &mut Change) {
        if change.slot == Slot::Touched {
            change.slot = Slot::Other;
        }
    }
    refused(|unit| seen(unit, wrongly), BOUNDS);
}

#[test]
fn a_before_image_that_was_written_into_is_not_told() {
    fn wrongly(change: &mut Change) {
        if change.slot == Slot::Touched {
            change.slot = Slot::Gone;
        }
    }
    // Where it counts as having left its slot a unit that has to go back cannot.
    refused(|unit| seen(unit, wrongly), BOUNDS);
}

#[test]
fn what_was_taken_back_counts_as_happened() {
    // The slot of a remove that was taken back is gone.
    let wrongly = |unit: &Unit| {
        seen(unit, |change| {
            if unit.mark == Some(Mark::Void)
                && change.kind == Kind::Remove
                && change.slot == Slot::Gone
            {
                change.slot = Slot::Before;
            }
        })
    };
    refused(wrongly, BOUNDS);
}

#[test]
fn a_copied_directory_is_judged_by_content_and_acted_on() {
    let bounds = Bounds { copies: true, ..BOUNDS };
    refused(|unit| judge(&Unit { is_copy: false, ..unit.clone() }), bounds);
}

#[test]
fn in_a_copy_a_slot_that_is_gone_counts_as_not_happened() {
    let wrongly = |unit: &Unit| {
        seen(unit, |change| {
            if unit.is_copy && change.slot == Slot::Gone {
                change.slot = Slot::Whole;
            }
        })
    };
    refused(wrongly, Bounds { copies: true, ..BOUNDS });
}

#[test]
fn what_cannot_be_seen_counts_as_unchanged() {
    fn wrongly(change: &mut Change) {
        if change.target == Target::Unseen {
            change.target = if change.kind == Kind::Create { Target::Absent } else { Target::Old };
        }
    }
    refused(|unit| seen(unit, wrongly), Bounds { blind_runs: 1, ..BOUNDS });
}

#[test]
fn what_cannot_be_seen_counts_as_changed() {
    fn wrongly(change: &mut Change) {
        if change.target == Target::Unseen {
            change.target = Target::Other;
        }
    }
    refused(|unit| seen(unit, wrongly), Bounds { blind_runs: 1, meddling: true, ..BOUNDS });
}

#[test]
fn back_before_forward() {
    // A unit that could go on is taken back, and its row goes with what happened.
    let wrongly = |unit: &Unit| match judge(unit) {
        Decision::Forward { publish, .. } if publish.len() < unit.changes.len() => withdraw(),
        decision => decision,
    };
    refused(wrongly, BOUNDS);
}

#[test]
fn keep_before_forward() {
    let wrongly = |unit: &Unit| match judge(unit) {
        Decision::Forward { .. } => keep(),
        decision => decision,
    };
    refused(wrongly, BOUNDS);
}

#[test]
fn withdraw_before_keep() {
    let wrongly = |unit: &Unit| match judge(unit) {
        Decision::Keep { .. } => withdraw(),
        decision => decision,
    };
    refused(wrongly, BOUNDS);
}

#[test]
fn withdraw_instead_of_back() {
    let wrongly = |unit: &Unit| match judge(unit) {
        Decision::Back { .. } => withdraw(),
        decision => decision,
    };
    refused(wrongly, BOUNDS);
}

#[test]
fn keep_instead_of_back() {
    let wrongly = |unit: &Unit| match judge(unit) {
        Decision::Back { .. } => keep(),
        decision => decision,
    };
    refused(wrongly, BOUNDS);
}

#[test]
fn conflict_instead_of_back_where_a_slot_was_taken_back_already() {
    let wrongly = |unit: &Unit| match judge(unit) {
        Decision::ResumeBack { .. } => Decision::Conflict { in_effect: vec![], write_back: vec![] },
        decision => decision,
    };
    refused(wrongly, BOUNDS);
}

#[test]
fn a_void_unit_is_done_at_once() {
    let wrongly = |unit: &Unit| match judge(unit) {
        Decision::ResumeBack { .. } => Decision::ResumeBack { take_back: vec![] },
        decision => decision,
    };
    refused(wrongly, BOUNDS);
}

#[test]
fn a_part_is_taken_back() {
    let wrongly = |unit: &Unit| match judge(unit) {
        Decision::Back { mut take_back } => {
            take_back.pop();
            Decision::Back { take_back }
        }
        decision => decision,
    };
    refused(wrongly, BOUNDS);
}

#[test]
fn a_part_is_published() {
    let wrongly = |unit: &Unit| match judge(unit) {
        Decision::Forward { mut publish, finish, touched } => {
            publish.pop();
            Decision::Forward { publish, finish, touched }
        }
        decision => decision,
    };
    refused(wrongly, BOUNDS);
}

#[test]
fn withdraw_instead_of_conflict() {
    let wrongly = |unit: &Unit| match judge(unit) {
        Decision::Conflict { .. } => withdraw(),
        decision => decision,
    };
    refused(wrongly, BOUNDS);
}

#[test]
fn back_instead_of_conflict() {
    let wrongly = |unit: &Unit| match judge(unit) {
        Decision::Conflict { .. } if unit.mark.is_none() => {
            Decision::Back { take_back: all(unit).into_iter().rev().collect() }
        }
        Decision::Conflict { .. } => Decision::ResumeBack { take_back: vec![] },
        decision => decision,
    };
    refused(wrongly, BOUNDS);
}
