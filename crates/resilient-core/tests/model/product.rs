//! What the product leaves out of the rules, all at once, for the units that it has: new files, and overwrites by
//! exchange.
//!
//! It writes no void row, puts back at once what must not have come out, does not sync the slots' directory in its
//! second wait, and leaves to recovery what fails behind the first publish. Each of these alone is unsound for some
//! unit (`rules_matter`): for a remove, for a rename, or where an exchange does not become durable as one.

use resilient_core::unit::{Decision, Unit, judge};

use crate::disk::Persistence::{self, AnyPart, InOrder, PerDirectory};
use crate::model::{Bounds, Model};
use crate::rules::Rules;
use crate::sound::BOUNDS;
use crate::world::Kind::{self, Create, Exchange};

/// On these an exchange becomes durable as one.
const TRANSACTIONS: [Persistence; 2] = [InOrder, PerDirectory];

const UNITS: [&[Kind]; 6] = [
    &[Create],
    &[Exchange],
    &[Create, Create],
    &[Create, Exchange],
    &[Exchange, Create],
    &[Exchange, Exchange],
];

fn product(unit: &[Kind], persistence: Persistence, bounds: Bounds) -> Model {
    Model { rules: Rules::of_product(), ..Model::new(unit, persistence, bounds) }
}

fn sound(units: &[&[Kind]], bounds: Bounds) {
    for persistence in TRANSACTIONS {
        let mut states = 0;
        for unit in units {
            let found = product(unit, persistence, bounds).search();
            states += found.states;
            if let Some((what, sequence)) = found.violation {
                panic!("{unit:?}, {persistence:?}: {what}: {sequence}");
            }
        }
        println!("the product, {persistence:?}: {states} states, none bad");
        assert!(states > 500 * units.len(), "the search ended early: {states}");
    }
}

#[test]
fn what_the_product_leaves_out_breaks_nothing_together() {
    sound(&UNITS, Bounds { blind_runs: 1, ..BOUNDS });
}

#[test]
fn nor_does_it_in_a_copy_or_where_somebody_deletes_a_slot() {
    sound(&UNITS, Bounds { copies: true, ..BOUNDS });
    sound(&UNITS, Bounds { meddling: true, ..BOUNDS });
}

#[test]
fn nor_does_it_with_three_crashes() {
    sound(&UNITS[..2], Bounds { crashes: 3, blind_runs: 1, ..BOUNDS });
    sound(&[&[Create, Exchange]], Bounds { crashes: 3, ..BOUNDS });
}

/// Some unit shows that a change to the product is wrong.
fn refused(wrong: impl Fn(&mut Model)) {
    for (unit, persistence) in UNITS.iter().flat_map(|unit| TRANSACTIONS.map(|one| (unit, one))) {
        let mut model = product(unit, persistence, BOUNDS);
        wrong(&mut model);
        if let Some((what, sequence)) = model.search().violation {
            println!("{unit:?}, {persistence:?}: {what}: {sequence}");
            return;
        }
    }
    panic!("no unit shows that this is wrong");
}

#[test]
fn it_counts_on_exchanges_that_become_durable_as_one() {
    refused(|model| model.persistence = AnyPart);
}

#[test]
fn it_keeps_every_other_rule_that_concerns_its_units() {
    let off: [fn(&mut Rules); 10] = [
        |rules| rules.withdrawal_syncs_dirs = false,
        |rules| rules.verify = false,
        |rules| rules.identity = false,
        |rules| rules.sync_after_back = false,
        |rules| rules.rows_go_first = false,
        |rules| rules.sync_before_keep = false,
        |rules| rules.recovery_syncs_rows = false,
        |rules| rules.recovery_syncs_slots = false,
        |rules| rules.first_wait = false,
        |rules| rules.sweep_spares = false,
    ];
    for off in off {
        refused(|model| off(&mut model.rules));
    }
}

#[test]
fn a_unit_of_which_a_part_happened_is_not_withdrawn() {
    fn wrong(unit: &Unit) -> Decision {
        match judge(unit) {
            Decision::Back { .. } => Decision::Withdraw { take_back: vec![], keep: vec![] },
            decision => decision,
        }
    }
    refused(|model| model.judge = wrong);
}
