//! Each rule taken away leads to a state that breaks a guarantee. The number is that of the sequence in
//! `docs/design/0006-units.md`.

use crate::disk::Persistence;
use crate::model::{Bounds, Model};
use crate::rules::Rules;
use crate::sound::{BOUNDS, KINDS, units};
use crate::world::Kind::{self, Create, Exchange, LinkCreate, LinkExchange, Remove, Replace};

const ALL: [Persistence; 3] =
    [Persistence::InOrder, Persistence::PerDirectory, Persistence::AnyPart];

/// Searches without a rule, and says what must be found; with the rule, nothing is.
fn without(off: fn(&mut Rules), unit: &[Kind], among: &[Persistence], bounds: Bounds, what: &str) {
    for persistence in among {
        let mut model = Model::new(unit, *persistence, bounds);
        off(&mut model.rules);
        let found = model.search();
        let (found, sequence) = found.violation.expect("the rule protects nothing");
        println!("{unit:?}, {persistence:?}: {found}: {sequence}");
        assert_eq!(found, what, "{sequence}");
        model.rules = Rules::default();
        let violation = model.search().violation;
        assert!(violation.is_none(), "{unit:?}, {persistence:?}: {violation:?}");
    }
}

const UNANSWERED: &str = "a unit that was judged is judged to another end";
const ROW: &str = "a row without its change";
const CHANGE: &str = "a change without its row";
const UNTOLD: &str = "somebody's file was taken away, and nobody is told";
const BYTES: &str = "somebody's bytes are destroyed";
const OLD: &str = "the old content is destroyed";

#[test]
fn s01_a_remove_has_a_slot_of_its_own() {
    without(|rules| rules.remove_has_slot = false, &[Remove], &ALL, BOUNDS, UNANSWERED);
}

#[test]
fn s02_a_rename_is_witnessed_by_its_slots() {
    without(|rules| rules.rename_has_slot = false, &[LinkCreate, Remove], &ALL, BOUNDS, ROW);
    for link in [LinkCreate, LinkExchange] {
        let mut model = Model::new(&[link, Remove], Persistence::InOrder, BOUNDS);
        model.rules.rename_has_slot = false;
        model.watched = Some(UNANSWERED);
        let (_, sequence) = model.search().violation.expect("an answered rename is lost");
        assert!(sequence.contains("answer 0; somebody"), "{sequence}");
    }
}

#[test]
fn s03_what_was_taken_back_is_durable_before_the_error_is_answered() {
    without(|rules| rules.sync_after_back = false, &[Create, Create], &ALL, BOUNDS, CHANGE);
}

#[test]
fn s04_the_decision_to_go_back_is_durable_first() {
    without(|rules| rules.void_first = false, &[Remove, Create], &ALL, BOUNDS, ROW);
}

#[test]
fn s05_what_comes_out_is_looked_at() {
    for kind in [Exchange, Remove] {
        without(|rules| rules.verify = false, &[kind], &ALL, BOUNDS, UNTOLD);
    }
}

#[test]
fn s06_a_file_of_equal_content_is_another_file() {
    for kind in [Exchange, Remove] {
        without(|rules| rules.identity = false, &[kind], &ALL, BOUNDS, UNANSWERED);
    }
}

#[test]
fn s07_a_sweep_spares_what_no_row_explains() {
    without(|rules| rules.sweep_spares = false, &[Create], &ALL, BOUNDS, BYTES);
}

#[test]
fn s08_the_second_wait_syncs_the_slots_directory() {
    for kind in [Exchange, Remove] {
        let any = [Persistence::AnyPart];
        without(|rules| rules.sync_slots_dir = false, &[kind], &any, BOUNDS, ROW);
    }
}

#[test]
fn s09_recovery_makes_slots_durable_before_it_publishes_them() {
    let what = "a row whose file is empty";
    without(|rules| rules.recovery_syncs_slots = false, &[Create], &ALL, BOUNDS, what);
}

#[test]
fn recovery_makes_rows_durable_before_it_acts_on_them() {
    let bounds = Bounds { faults: 0, edits: 0, ..BOUNDS };
    without(|rules| rules.recovery_syncs_rows = false, &[Create], &ALL, bounds, CHANGE);
}

#[test]
fn s10_a_conflict_is_final() {
    let unit = [Remove, Exchange];
    without(|rules| rules.conflict_is_final = false, &unit, &ALL, BOUNDS, UNANSWERED);
}

#[test]
fn s11_a_copied_directory_is_known_as_one() {
    let bounds = Bounds { copies: true, ..BOUNDS };
    without(|rules| rules.copy_is_known = false, &[Create], &ALL, bounds, ROW);
}

// Sequence 12 is a mutant of the judge.

#[test]
fn s13_an_exchange_by_halves_loses_the_old_content_and_a_copy_keeps_it() {
    for (kind, is_lost) in [(Exchange, true), (Replace, false)] {
        let mut model = Model::new(&[kind], Persistence::Halves, Bounds { edits: 0, ..BOUNDS });
        model.watched = Some(OLD);
        let violation = model.search().violation;
        assert_eq!(violation.is_some(), is_lost, "{violation:?}");
    }
}

#[test]
fn what_came_out_goes_back_after_the_decision_is_durable() {
    without(|rules| rules.void_before_put_back = false, &[Remove], &ALL, BOUNDS, ROW);
}

#[test]
fn a_conflict_syncs_what_is_in_effect() {
    let any = [Persistence::AnyPart];
    let unit = [Exchange, Create];
    without(|rules| rules.conflict_syncs_dirs = false, &unit, &any, BOUNDS, BYTES);
}

#[test]
fn a_renamed_file_is_not_dropped_with_its_last_name() {
    let any = [Persistence::AnyPart];
    for link in [LinkCreate, LinkExchange] {
        let unit = [link, Remove];
        without(|rules| rules.renamed_file_is_kept = false, &unit, &any, BOUNDS, OLD);
    }
}

#[test]
fn the_slot_of_a_renamed_file_stays_until_a_later_batch_is_durable() {
    for link in [LinkCreate, LinkExchange] {
        let unit = [link, Remove];
        without(|rules| rules.renamed_file_stays = false, &unit, &ALL, BOUNDS, UNANSWERED);
    }
}

#[test]
fn the_rows_of_a_withdrawn_unit_go_before_its_slots() {
    for kind in KINDS {
        without(|rules| rules.rows_go_first = false, &[kind], &ALL, BOUNDS, ROW);
    }
}

#[test]
fn what_a_taking_back_brought_is_looked_at() {
    without(|rules| rules.verify_back = false, &[Create, Create], &ALL, BOUNDS, UNANSWERED);
}

#[test]
fn recovery_syncs_what_it_keeps() {
    without(|rules| rules.sync_before_keep = false, &[Create], &ALL, BOUNDS, ROW);
}

#[test]
fn the_first_wait_precedes_the_first_publish() {
    without(|rules| rules.first_wait = false, &[Create], &ALL, BOUNDS, CHANGE);
}

#[test]
fn without_exchange_a_last_look_protects_what_was_saved() {
    without(|rules| rules.last_look = false, &[Replace], &ALL, BOUNDS, BYTES);
    without(|rules| rules.look_before_back = false, &[Replace, Create], &ALL, BOUNDS, BYTES);
}

/// With exchange a last look saves work and nothing else: what comes out is looked at anyway.
#[test]
fn with_exchange_the_last_look_is_a_matter_of_cost() {
    let without_copy = |unit: &Vec<Kind>| !unit.contains(&Replace);
    for unit in units().iter().filter(|unit| without_copy(unit)) {
        let mut model = Model::new(unit, Persistence::AnyPart, Bounds { crashes: 1, ..BOUNDS });
        model.rules.last_look = false;
        model.rules.look_before_back = false;
        let violation = model.search().violation;
        assert!(violation.is_none(), "{unit:?}: {violation:?}");
    }
}
