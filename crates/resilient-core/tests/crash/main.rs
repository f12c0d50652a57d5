//! The crash campaign: that the guarantees hold whenever the power goes, a process dies or the
//! disk fails (`docs/guarantees.md`).
//!
//! `CRASH_STATES=full cargo test --release --features sim --test crash -- --nocapture` tries every
//! legal disk where they can be counted, which takes half an hour for each of the large tests; without
//! it each test takes a share that a check of every change can afford. `CRASH_STATES=200` tries that many states at each point, and
//! `CRASH_ONLY=append` only the scenarios that have it in their name; with `CRASH_FIRST=1` a test
//! ends with the first violation. With `CRASH_MIDDLES=1` a power loss may also leave holes in the
//! middle of a write.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a test may panic and print"
)]

mod again;
mod bytes;
mod campaign;
mod case;
mod descriptors;
mod errors;
mod exchange;
mod foreign;
mod full;
mod git;
mod homes;
mod isolation;
mod links;
mod memory;
mod moved;
mod mutation;
mod oracle;
mod owner;
mod panics;
mod processes;
mod puts;
mod readers;
mod replaced;
mod rights;
mod rolled;
mod rotated;
mod strange;
mod taken;
mod turns;
mod twice;
mod undo;
mod unread;
mod versions;
mod workload;

use std::time::Instant;

use campaign::{Budget, Rig, Tally, crash_everywhere};
use workload::{Order, Scenario};

fn campaign(name: &str, scenarios: impl Iterator<Item = Scenario>, order: Order, share: usize) {
    let budget = Budget::of_environment().share(share);
    let begun = Instant::now();
    let mut tally = Tally::default();
    for scenario in scenarios {
        tally.add(crash_everywhere(&Rig::new(scenario, order), budget));
    }
    tally.finish(name, begun);
}

#[test]
fn writes_survive_every_crash() {
    campaign("writes", workload::chosen(workload::SINGLES), Order::Forwards, 1);
}

#[test]
fn state_survives_every_crash() {
    campaign("state", workload::chosen(workload::STATE), Order::Forwards, 1);
}

#[test]
fn the_upgrade_of_an_older_state_directory_survives_every_crash() {
    campaign("upgrades", workload::chosen(workload::UPGRADES), Order::Forwards, 1);
}

#[test]
fn batches_survive_every_crash() {
    campaign("batches", workload::chosen(workload::BATCHES), Order::Forwards, 1);
}

#[test]
#[ignore = "part of the long campaign: cargo nextest run --run-ignored all"]
fn the_order_of_what_is_synced_side_by_side_does_not_matter() {
    campaign("backwards", workload::all(), Order::Backwards, 3);
}

#[test]
#[ignore = "part of the long campaign: cargo nextest run --run-ignored all"]
fn the_first_call_of_a_process_survives_every_crash() {
    campaign("cold", workload::all().map(Scenario::cold), Order::Forwards, 3);
}
