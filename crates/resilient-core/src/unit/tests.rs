//! Each line of the table, each rule and each kind of change, judged alone. What the decisions are good
//! for is shown by the model in `tests/model`.

use super::{Change, Decision, Kind, KnownBy, Mark, Rows, Slot, Target, Unit, judge};

const KINDS: [Kind; 6] =
    [Kind::Create, Kind::Exchange, Kind::Replace, Kind::Remove, Kind::Append, Kind::InPlace];

/// A change that was staged and promised, and that has not begun.
fn staged(kind: Kind) -> Change {
    Change {
        kind,
        known_by: KnownBy::Identity,
        slot: Slot::Whole,
        before: matches!(kind, Kind::Replace | Kind::InPlace).then_some(Slot::Whole),
        target: if kind == Kind::Create { Target::Absent } else { Target::Old },
    }
}

/// A change that was published, and that nobody has touched since.
fn done(kind: Kind) -> Change {
    let takes_out = matches!(kind, Kind::Exchange | Kind::Remove);
    Change {
        slot: if takes_out { Slot::Before } else { Slot::Gone },
        target: if kind == Kind::Remove { Target::Absent } else { Target::New },
        ..staged(kind)
    }
}

fn unit(changes: &[Change]) -> Unit {
    Unit { rows: Rows::all(changes.len()), mark: None, is_copy: false, changes: changes.to_vec() }
}

fn marked(mark: Mark, changes: &[Change]) -> Unit {
    Unit { mark: Some(mark), ..unit(changes) }
}

fn copied(changes: &[Change]) -> Unit {
    Unit { is_copy: true, ..unit(changes) }
}

fn torn(changes: &[Change]) -> Unit {
    Unit { rows: Rows { found: changes.len(), of: changes.len() + 1 }, ..unit(changes) }
}

fn by_content(change: Change) -> Change {
    Change { known_by: KnownBy::Content, ..change }
}

fn keep() -> Decision {
    Decision::Keep { touched: vec![] }
}

fn forward(publish: &[usize]) -> Decision {
    Decision::Forward { publish: publish.to_vec(), finish: vec![], touched: vec![] }
}

fn withdraw() -> Decision {
    Decision::Withdraw { take_back: vec![], keep: vec![] }
}

fn back(take_back: &[usize]) -> Decision {
    Decision::Back { take_back: take_back.to_vec() }
}

fn resume(take_back: &[usize]) -> Decision {
    Decision::ResumeBack { take_back: take_back.to_vec() }
}

fn conflict(in_effect: &[usize]) -> Decision {
    Decision::Conflict { in_effect: in_effect.to_vec(), write_back: vec![] }
}

// The lines of the table.

#[test]
fn a_slot_that_cannot_be_looked_at_is_pending() {
    for mark in [None, Some(Mark::Void), Some(Mark::Conflict)] {
        let hidden = Change { slot: Slot::Unseen, ..staged(Kind::Create) };
        assert_eq!(judge(&Unit { mark, ..unit(&[hidden]) }), Decision::Pending);
        let hidden = Change { before: Some(Slot::Unseen), ..staged(Kind::Replace) };
        assert_eq!(judge(&Unit { mark, ..unit(&[hidden]) }), Decision::Pending);
    }
}

#[test]
fn a_needed_target_that_cannot_be_looked_at_is_pending() {
    for kind in KINDS {
        let hidden = Change { target: Target::Unseen, ..staged(kind) };
        assert_eq!(judge(&unit(&[hidden])), Decision::Pending, "{kind:?}");
        let unit = unit(&[hidden, done(Kind::Create)]);
        assert_eq!(judge(&unit), Decision::Pending, "{kind:?}");
    }
}

#[test]
fn a_target_that_is_not_needed_need_not_be_looked_at() {
    let published = Change { target: Target::Unseen, ..done(Kind::Create) };
    assert_eq!(judge(&unit(&[published])), keep());
    let never_promised =
        Change { slot: Slot::Damaged, target: Target::Unseen, ..staged(Kind::Exchange) };
    assert_eq!(judge(&unit(&[never_promised])), withdraw());
}

#[test]
fn an_unknown_kind_is_pending() {
    assert_eq!(judge(&unit(&[staged(Kind::Unknown)])), Decision::Pending);
    assert_eq!(
        judge(&marked(Mark::Conflict, &[done(Kind::Create), staged(Kind::Unknown)])),
        Decision::Pending
    );
}

#[test]
fn a_conflict_is_finished_and_never_judged_again() {
    for change in [staged(Kind::Create), done(Kind::Exchange), done(Kind::Remove)] {
        let emptied = Change { slot: Slot::Gone, ..change };
        for change in [change, emptied] {
            let finish = Decision::FinishConflict { write_back: vec![] };
            assert_eq!(judge(&marked(Mark::Conflict, &[change])), finish);
        }
    }
    assert!(Mark::Conflict > Mark::Void, "a unit that was void and became a conflict is one");
}

#[test]
fn a_void_unit_is_taken_back_last_change_first() {
    let changes = [done(Kind::Create), done(Kind::Exchange), staged(Kind::Remove)];
    assert_eq!(judge(&marked(Mark::Void, &changes)), resume(&[1, 0]));
}

#[test]
fn a_void_unit_never_goes_forward() {
    let changes = [staged(Kind::Create), staged(Kind::Exchange)];
    assert_eq!(judge(&marked(Mark::Void, &changes)), resume(&[]));
    let changes = [done(Kind::Create), staged(Kind::Exchange)];
    assert_eq!(judge(&marked(Mark::Void, &changes)), resume(&[0]));
}

#[test]
fn a_void_unit_knows_what_was_taken_back_also_when_somebody_saved_the_file_since() {
    // An exchange and a create have their staged file back in the slot.
    for kind in [Kind::Create, Kind::Exchange] {
        let saved = Change { target: Target::Other, ..staged(kind) };
        assert_eq!(judge(&marked(Mark::Void, &[saved])), resume(&[]), "{kind:?}");
    }
    // A remove has emptied its slot, and so has the copy of a file that was replaced.
    let saved = Change { slot: Slot::Gone, target: Target::Other, ..staged(Kind::Remove) };
    assert_eq!(judge(&marked(Mark::Void, &[saved])), resume(&[]));
    let saved = Change {
        slot: Slot::Gone,
        before: Some(Slot::Gone),
        target: Target::Other,
        ..staged(Kind::Replace)
    };
    assert_eq!(judge(&marked(Mark::Void, &[saved])), resume(&[]));
}

#[test]
fn a_void_unit_with_a_foreign_file_in_the_way_is_a_conflict() {
    for kind in [Kind::Create, Kind::Exchange, Kind::Replace, Kind::Remove] {
        let saved = Change { target: Target::Other, ..done(kind) };
        let changes = [saved, done(Kind::Create)];
        assert_eq!(judge(&marked(Mark::Void, &changes)), conflict(&[0, 1]), "{kind:?}");
    }
    // It came out when an exchange was taken back.
    let came_out = Change { slot: Slot::Other, target: Target::Old, ..staged(Kind::Exchange) };
    assert_eq!(judge(&marked(Mark::Void, &[came_out])), conflict(&[]));
}

#[test]
fn with_a_row_missing_nothing_happened_or_it_is_a_conflict() {
    assert_eq!(judge(&torn(&[staged(Kind::Create)])), withdraw());
    assert_eq!(judge(&torn(&[])), withdraw());
    assert_eq!(judge(&torn(&[done(Kind::Create)])), conflict(&[0]));
}

#[test]
fn all_happened_is_kept_whatever_the_targets_are_now() {
    for kind in [Kind::Create, Kind::Exchange, Kind::Replace, Kind::Remove, Kind::InPlace] {
        for target in [Target::Absent, Target::New, Target::Other, Target::Unseen] {
            let change = Change { slot: Slot::Gone, ..by_content(done(kind)) };
            let changes = [Change { target, ..change }, done(Kind::Create)];
            assert_eq!(judge(&unit(&changes)), keep(), "{kind:?} {target:?}");
        }
    }
}

#[test]
fn a_unit_without_changes_is_kept() {
    assert_eq!(judge(&unit(&[])), keep());
}

#[test]
fn a_damaged_slot_was_never_promised() {
    for kind in [Kind::Create, Kind::Exchange, Kind::Replace, Kind::Remove, Kind::InPlace] {
        let damaged = Change { slot: Slot::Damaged, ..staged(kind) };
        assert_eq!(judge(&unit(&[damaged])), withdraw(), "{kind:?}");
        assert_eq!(judge(&unit(&[staged(Kind::Create), damaged])), withdraw(), "{kind:?}");
    }
    for kind in [Kind::Replace, Kind::InPlace] {
        let damaged = Change { before: Some(Slot::Damaged), ..staged(kind) };
        assert_eq!(judge(&unit(&[damaged])), withdraw(), "{kind:?}");
    }
}

#[test]
fn none_happened_and_all_is_ready_goes_forward() {
    for kind in [Kind::Create, Kind::Exchange, Kind::Replace, Kind::Remove] {
        assert_eq!(judge(&unit(&[staged(kind)])), forward(&[0]), "{kind:?}");
        assert_eq!(judge(&unit(&[staged(kind), staged(Kind::Create)])), forward(&[0, 1]));
    }
}

#[test]
fn some_happened_and_the_rest_is_ready_goes_forward() {
    for kind in [Kind::Create, Kind::Exchange, Kind::Replace, Kind::Remove] {
        assert_eq!(judge(&unit(&[done(Kind::Create), staged(kind)])), forward(&[1]), "{kind:?}");
        // What somebody does to a file that was published does not hinder the rest.
        let saved = Change { target: Target::Other, ..done(Kind::Exchange) };
        assert_eq!(judge(&unit(&[saved, staged(kind)])), forward(&[1]), "{kind:?}");
    }
}

#[test]
fn none_happened_and_a_target_has_changed_is_withdrawn_and_its_content_kept() {
    for kind in [Kind::Create, Kind::Exchange, Kind::Replace, Kind::InPlace] {
        let changes = [staged(Kind::Create), Change { target: Target::Other, ..staged(kind) }];
        let kept = Decision::Withdraw { take_back: vec![], keep: vec![1] };
        assert_eq!(judge(&unit(&changes)), kept, "{kind:?}");
    }
    let remove = Change { target: Target::Other, ..staged(Kind::Remove) };
    assert_eq!(judge(&unit(&[remove])), withdraw(), "the slot of a remove holds nothing");
}

#[test]
fn some_happened_and_the_rest_cannot_goes_back() {
    for rest in [
        Change { target: Target::Other, ..staged(Kind::Create) },
        Change { target: Target::Other, ..staged(Kind::Exchange) },
        Change { target: Target::Absent, ..staged(Kind::Remove) },
        Change { slot: Slot::Damaged, ..staged(Kind::Create) },
    ] {
        for kind in [Kind::Create, Kind::Exchange, Kind::Replace, Kind::Remove] {
            assert_eq!(judge(&unit(&[done(kind), rest])), back(&[0]), "{kind:?} {rest:?}");
            let changes = [done(Kind::Create), done(kind), rest];
            assert_eq!(judge(&unit(&changes)), back(&[1, 0]), "{kind:?} {rest:?}");
        }
    }
}

#[test]
fn what_cannot_go_on_nor_back_is_a_conflict() {
    let stuck = Change { target: Target::Other, ..staged(Kind::Create) };
    for kind in [Kind::Create, Kind::Exchange, Kind::Replace, Kind::Remove] {
        let saved = Change { target: Target::Other, ..done(kind) };
        assert_eq!(judge(&unit(&[saved, stuck])), conflict(&[0]), "{kind:?}");
    }
    for kind in [Kind::Exchange, Kind::Remove] {
        let without_before = Change { slot: Slot::Gone, ..done(kind) };
        assert_eq!(judge(&unit(&[without_before, stuck])), conflict(&[0]), "{kind:?}");
    }
    let without_copy = Change { before: None, ..done(Kind::Replace) };
    assert_eq!(judge(&unit(&[without_copy, stuck])), conflict(&[0]));
}

// The rules.

#[test]
fn a_before_image_may_leave_its_slot_at_any_time() {
    for kind in [Kind::Exchange, Kind::Remove] {
        let moved = Change { slot: Slot::Gone, ..done(kind) };
        assert_eq!(judge(&unit(&[moved])), keep(), "{kind:?}");
        assert_eq!(judge(&unit(&[moved, done(kind)])), keep(), "{kind:?}");
    }
}

#[test]
fn a_foreign_file_that_came_out_goes_back() {
    for kind in [Kind::Exchange, Kind::Remove] {
        let foreign = Change { slot: Slot::Other, ..done(kind) };
        assert_eq!(judge(&unit(&[foreign])), back(&[0]), "{kind:?}");
        // Also where the rest is ready.
        assert_eq!(judge(&unit(&[foreign, staged(Kind::Create)])), back(&[0]), "{kind:?}");
        let saved_again = Change { target: Target::Other, ..foreign };
        assert_eq!(judge(&unit(&[saved_again])), conflict(&[0]), "{kind:?}");
    }
}

#[test]
fn a_before_image_that_somebody_wrote_into_costs_no_answered_unit() {
    for kind in [Kind::Exchange, Kind::Remove] {
        let touched = Change { slot: Slot::Touched, ..done(kind) };
        assert_eq!(judge(&unit(&[touched])), Decision::Keep { touched: vec![0] }, "{kind:?}");
        assert_eq!(
            judge(&unit(&[touched, staged(Kind::Create)])),
            Decision::Forward { publish: vec![1], finish: vec![], touched: vec![0] },
            "{kind:?}"
        );
    }
}

#[test]
fn a_slot_that_somebody_deleted_is_not_a_change_that_happened() {
    for kind in [Kind::Exchange, Kind::Replace, Kind::Remove] {
        let lost = Change { slot: Slot::Gone, ..staged(kind) };
        assert_eq!(judge(&unit(&[lost])), withdraw(), "{kind:?}");
        assert_eq!(judge(&unit(&[done(Kind::Create), lost])), back(&[0]), "{kind:?}");
        // Content cannot tell this from a file that somebody has restored.
        assert_eq!(judge(&unit(&[by_content(lost)])), keep(), "{kind:?}");
        let hidden = Change { target: Target::Unseen, ..lost };
        assert_eq!(judge(&unit(&[hidden])), Decision::Pending, "{kind:?}");
    }
}

#[test]
fn a_created_file_that_somebody_deleted_cannot_be_taken_back() {
    let removed = Change { target: Target::Absent, ..done(Kind::Create) };
    let stuck = Change { target: Target::Other, ..staged(Kind::Exchange) };
    assert_eq!(judge(&unit(&[removed, stuck])), conflict(&[]));
    assert_eq!(judge(&marked(Mark::Void, &[removed])), conflict(&[]));
}

#[test]
fn half_of_a_link_and_unlink_is_finished() {
    let both = Change { target: Target::New, ..staged(Kind::Create) };
    let finish = Decision::Forward { publish: vec![], finish: vec![0], touched: vec![] };
    assert_eq!(judge(&unit(&[both])), finish);
    // Or its second name goes, where the unit goes back.
    let stuck = Change { target: Target::Other, ..staged(Kind::Exchange) };
    assert_eq!(
        judge(&unit(&[both, stuck])),
        Decision::Withdraw { take_back: vec![0], keep: vec![1] }
    );
    assert_eq!(judge(&unit(&[done(Kind::Remove), both, stuck])), back(&[1, 0]));
    assert_eq!(judge(&marked(Mark::Void, &[both])), resume(&[0]));
}

#[test]
fn half_of_an_exchange_is_finished_and_cannot_be_taken_back() {
    let both = Change { target: Target::New, ..staged(Kind::Exchange) };
    let finish = Decision::Forward { publish: vec![], finish: vec![0], touched: vec![] };
    assert_eq!(judge(&unit(&[both])), finish);
    let stuck = Change { target: Target::Other, ..staged(Kind::Create) };
    assert_eq!(judge(&unit(&[both, stuck])), conflict(&[0]));
}

#[test]
fn equal_content_of_somebody_else_is_published_over() {
    let equal = Change { target: Target::New, ..by_content(staged(Kind::Replace)) };
    assert_eq!(judge(&unit(&[equal])), forward(&[0]), "it may not be durable");
    assert_eq!(judge(&unit(&[equal, Change { slot: Slot::Damaged, ..equal }])), withdraw());
}

// Copies of the state directory.

#[test]
fn in_a_copy_nothing_is_published_nor_taken_back() {
    for kind in [Kind::Create, Kind::Exchange, Kind::Replace, Kind::Remove, Kind::Append] {
        let (none, whole) = (by_content(staged(kind)), by_content(done(kind)));
        assert_eq!(judge(&copied(&[none])), withdraw(), "{kind:?}");
        assert_eq!(judge(&copied(&[whole])), keep(), "{kind:?}");
        let half = judge(&copied(&[by_content(done(Kind::Create)), none]));
        assert_eq!(half, conflict(&[0]), "{kind:?}");
    }
}

#[test]
fn in_a_copy_a_slot_that_is_gone_means_happened() {
    // Also for a slot that would count as lost where identities are worth something.
    let gone = Change { slot: Slot::Gone, ..staged(Kind::Exchange) };
    assert_eq!(judge(&copied(&[gone])), keep());
}

#[test]
fn in_a_copy_a_slot_of_unknown_content_is_a_conflict() {
    for slot in [Slot::Other, Slot::Touched] {
        let unknown = Change { slot, target: Target::Other, ..done(Kind::Exchange) };
        assert_eq!(judge(&copied(&[unknown])), conflict(&[0]));
        // Unless the change can be seen elsewhere: then the before-image was written into.
        let kept = Decision::Keep { touched: vec![0] };
        assert_eq!(judge(&copied(&[Change { slot, ..done(Kind::Exchange) }])), kept);
        assert_eq!(judge(&copied(&[Change { slot, ..done(Kind::Remove) }])), kept);
    }
    for target in [Target::Part, Target::New] {
        let begun = Change { target, ..staged(Kind::InPlace) };
        let decision = judge(&copied(&[begun]));
        assert!(
            matches!(&decision, Decision::Conflict { write_back, .. } if write_back.is_empty()),
            "{decision:?}"
        );
    }
}

#[test]
fn in_a_copy_a_void_unit_is_done_or_a_conflict() {
    let copy = |changes: &[Change]| Unit { mark: Some(Mark::Void), ..copied(changes) };
    assert_eq!(judge(&copy(&[staged(Kind::Create)])), resume(&[]));
    assert_eq!(judge(&copy(&[done(Kind::Create)])), conflict(&[0]));
}

// Writes in place.

#[test]
fn an_append_is_kept_whole_and_cut_otherwise() {
    let append = by_content(staged(Kind::Append));
    let cut = Decision::Withdraw { take_back: vec![0], keep: vec![] };
    for (target, decision) in [
        (Target::New, keep()),
        (Target::Part, cut.clone()),
        // Nothing of it is there. A cut before this one may not be durable, so it is made again.
        (Target::Old, cut),
        // Somebody has changed the file: it is theirs, and the row stays.
        (Target::Other, keep()),
        (Target::Absent, keep()),
        (Target::Unseen, Decision::Pending),
    ] {
        // A slot of it has only sums. That is not there where the row has them.
        for slot in [Slot::Gone, Slot::Whole, Slot::Unseen] {
            assert_eq!(judge(&unit(&[Change { slot, target, ..append }])), decision, "{target:?}");
        }
    }
}

#[test]
fn an_append_whose_sums_are_damaged_never_began() {
    for target in [Target::Old, Target::Other, Target::Absent] {
        let append = Change { slot: Slot::Damaged, target, ..by_content(staged(Kind::Append)) };
        assert_eq!(judge(&unit(&[append])), withdraw(), "{target:?}");
        assert_eq!(judge(&copied(&[append])), withdraw(), "{target:?}");
    }
}

#[test]
fn a_write_through_names_is_finished_when_all_of_it_is_there() {
    let through = staged(Kind::InPlace);
    let finish = Decision::Forward { publish: vec![], finish: vec![0], touched: vec![] };
    assert_eq!(judge(&unit(&[Change { target: Target::New, ..through }])), finish);
    for target in [Target::Part, Target::Old] {
        assert_eq!(
            judge(&unit(&[Change { target, ..through }])),
            Decision::Withdraw { take_back: vec![0], keep: vec![] }
        );
    }
    assert_eq!(
        judge(&unit(&[Change { target: Target::Other, ..through }])),
        Decision::Withdraw { take_back: vec![], keep: vec![0] }
    );
    assert_eq!(judge(&unit(&[done(Kind::InPlace)])), keep());
}

#[test]
fn a_write_in_place_never_began_without_what_was_there_before() {
    for before in [Slot::Gone, Slot::Damaged] {
        for target in [Target::Old, Target::Part] {
            let change = Change { before: Some(before), target, ..staged(Kind::InPlace) };
            assert_eq!(judge(&unit(&[change])), withdraw());
        }
    }
}

#[test]
fn a_write_in_place_in_a_larger_unit_goes_where_the_others_go() {
    let all_there = Change { target: Target::New, ..staged(Kind::InPlace) };
    assert_eq!(
        judge(&unit(&[staged(Kind::Create), all_there])),
        Decision::Forward { publish: vec![0], finish: vec![1], touched: vec![] }
    );
    let part = Change { target: Target::Part, ..staged(Kind::InPlace) };
    assert_eq!(judge(&unit(&[done(Kind::Exchange), part])), back(&[1, 0]));
    let saved = Change { target: Target::Other, ..done(Kind::Exchange) };
    let torn = Decision::Conflict { in_effect: vec![0], write_back: vec![1] };
    assert_eq!(judge(&unit(&[saved, part])), torn);
    assert_eq!(
        judge(&marked(Mark::Conflict, &[saved, part])),
        Decision::FinishConflict { write_back: vec![1] }
    );
}

// What holds for all of them.

/// Every unit of up to two changes, with everything that may be seen of them.
fn every_unit(look: impl FnMut(&Unit)) {
    let slots = [
        Slot::Unseen,
        Slot::Gone,
        Slot::Whole,
        Slot::Damaged,
        Slot::Before,
        Slot::Touched,
        Slot::Other,
    ];
    let targets =
        [Target::Unseen, Target::Absent, Target::Old, Target::New, Target::Part, Target::Other];
    let befores = [None, Some(Slot::Whole), Some(Slot::Gone), Some(Slot::Damaged)];
    let mut changes = Vec::new();
    for kind in KINDS {
        for slot in slots {
            for before in befores {
                for target in targets {
                    for known_by in [KnownBy::Identity, KnownBy::Content] {
                        changes.push(Change { kind, known_by, slot, before, target });
                    }
                }
            }
        }
    }
    let mut look = look;
    for (at, first) in changes.iter().enumerate() {
        // Not every pair, but each change beside changes of all kinds.
        for second in
            std::iter::once(None).chain(changes.iter().skip(at % 61).step_by(61).map(Some))
        {
            let changes: Vec<_> = std::iter::once(*first).chain(second.copied()).collect();
            for mark in [None, Some(Mark::Void), Some(Mark::Conflict)] {
                for is_copy in [false, true] {
                    look(&Unit { mark, is_copy, ..unit(&changes) });
                }
            }
        }
    }
}

#[test]
fn a_decision_follows_from_its_marks() {
    let mut seen = 0;
    every_unit(|unit| {
        seen += 1;
        let decision = judge(unit);
        let fits = match unit.mark {
            Some(Mark::Conflict) => {
                matches!(decision, Decision::Pending | Decision::FinishConflict { .. })
            }
            Some(Mark::Void) => matches!(
                decision,
                Decision::Pending | Decision::ResumeBack { .. } | Decision::Conflict { .. }
            ),
            None => {
                !matches!(decision, Decision::FinishConflict { .. } | Decision::ResumeBack { .. })
            }
        };
        assert!(fits, "{unit:?}: {decision:?}");
    });
    assert!(seen > 100_000, "{seen}");
}

#[test]
fn a_copy_reaches_into_no_target() {
    every_unit(|unit| {
        let decision = judge(unit);
        let reaches = match &decision {
            Decision::Forward { .. } | Decision::Back { .. } => true,
            Decision::FinishConflict { write_back } | Decision::Conflict { write_back, .. } => {
                !write_back.is_empty()
            }
            Decision::ResumeBack { take_back } | Decision::Withdraw { take_back, .. } => {
                !take_back.is_empty()
            }
            Decision::Pending | Decision::Keep { .. } => false,
        };
        assert!(!unit.is_copy || !reaches, "{unit:?}: {decision:?}");
    });
}

#[test]
fn a_changed_target_is_neither_published_over_nor_taken_back() {
    every_unit(|unit| {
        let decision = judge(unit);
        let acts: Vec<usize> = match &decision {
            Decision::Forward { publish, finish, .. } => [&publish[..], finish].concat(),
            Decision::Back { take_back }
            | Decision::ResumeBack { take_back }
            | Decision::Withdraw { take_back, .. } => take_back.clone(),
            Decision::Conflict { write_back, .. } | Decision::FinishConflict { write_back } => {
                write_back.clone()
            }
            Decision::Pending | Decision::Keep { .. } => vec![],
        };
        for at in acts {
            let target = unit.changes[at].target;
            let is_known = !matches!(target, Target::Other | Target::Unseen);
            assert!(is_known, "{unit:?}: {decision:?}");
        }
    });
}
