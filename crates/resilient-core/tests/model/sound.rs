//! With all rules nothing breaks a guarantee.
//!
//! `MODEL=full cargo test --release -p resilient-core --test model -- --nocapture` searches further: with three
//! crashes, and with two edits.

use crate::disk::Persistence;
use crate::model::{Bounds, Model};
use crate::world::Kind::{self, Create, Exchange, LinkCreate, LinkExchange, Remove, Replace};

pub(crate) const BOUNDS: Bounds =
    Bounds { crashes: 2, edits: 1, faults: 1, blind_runs: 0, copies: false, meddling: false };

pub(crate) const KINDS: [Kind; 4] = [Create, Exchange, Replace, Remove];
pub(crate) const RENAMES: [[Kind; 2]; 2] = [[LinkCreate, Remove], [LinkExchange, Remove]];

/// Units of one change, of two, and renames.
pub(crate) fn units() -> Vec<Vec<Kind>> {
    let single = KINDS.map(|kind| vec![kind]);
    let pairs = KINDS.iter().flat_map(|one| KINDS.map(|other| vec![*one, other]));
    single.into_iter().chain(pairs).chain(RENAMES.map(|rename| rename.to_vec())).collect()
}

fn is_full() -> bool {
    std::env::var("MODEL").is_ok_and(|bounds| bounds == "full")
}

fn search(name: &str, units: &[Vec<Kind>], persistence: Persistence, bounds: Bounds) {
    let mut states = 0;
    for unit in units {
        let found = Model::new(unit, persistence, bounds).search();
        states += found.states;
        if let Some((what, sequence)) = found.violation {
            panic!("{unit:?}, {persistence:?}: {what}: {sequence}");
        }
    }
    println!("{name}, {persistence:?}: {states} states, none bad");
    assert!(states > 500 * units.len(), "the search ended early: {states}");
}

fn sound(persistence: Persistence) {
    let bounds = Bounds { blind_runs: 1, ..BOUNDS };
    search("two crashes, one edit", &units(), persistence, bounds);
    if is_full() {
        let crashes = Bounds { crashes: 3, copies: true, ..bounds };
        search("three crashes, one edit, one copy", &units(), persistence, crashes);
        let edits = Bounds { edits: 2, ..BOUNDS };
        search("two crashes, two edits", &units(), persistence, edits);
    }
}

#[test]
fn names_that_persist_in_order() {
    sound(Persistence::InOrder);
}

#[test]
fn names_that_persist_in_order_per_directory() {
    sound(Persistence::PerDirectory);
}

#[test]
fn names_of_which_any_part_persists() {
    sound(Persistence::AnyPart);
}

#[test]
fn three_crashes() {
    for persistence in [Persistence::InOrder, Persistence::PerDirectory, Persistence::AnyPart] {
        let units: Vec<_> = units().into_iter().filter(|unit| unit.len() == 1).collect();
        search(
            "three crashes",
            &units,
            persistence,
            Bounds { crashes: 3, blind_runs: 1, ..BOUNDS },
        );
    }
    let units = vec![vec![Create, Exchange], vec![Remove, Create], RENAMES[0].to_vec()];
    let bounds = Bounds { crashes: 3, ..BOUNDS };
    search("three crashes, some pairs", &units, Persistence::AnyPart, bounds);
}

#[test]
fn copies_of_the_directory() {
    search("a copy", &units(), Persistence::AnyPart, Bounds { copies: true, ..BOUNDS });
}

#[test]
fn slots_that_somebody_deletes() {
    search("a slot deleted", &units(), Persistence::AnyPart, Bounds { meddling: true, ..BOUNDS });
}
