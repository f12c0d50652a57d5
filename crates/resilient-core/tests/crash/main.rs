//! The crash campaign: that the guarantees hold whenever the power goes, a process dies or the
//! disk fails (`docs/guarantees.md`).
//!
//! `CRASH_STATES=full cargo test --release --features sim --test crash -- --nocapture` tries
//! everything that is finite; without it each test takes a share that a check of every change can
//! afford.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a test may panic and print"
)]

mod campaign;
mod errors;
mod foreign;
mod mutation;
mod oracle;
mod processes;
mod workload;

use std::time::Instant;

use campaign::{Budget, Rig, Tally, crash_everywhere};
use workload::{Order, Scenario};

fn campaign(name: &str, scenarios: impl Iterator<Item = Scenario>, order: Order) {
    let begun = Instant::now();
    let mut tally = Tally::default();
    let only = std::env::var("CRASH_ONLY").ok();
    for scenario in scenarios {
        if only.as_ref().is_none_or(|only| scenario.name.contains(only.as_str())) {
            tally.add(crash_everywhere(&Rig::new(scenario, order), Budget::of_environment()));
        }
    }
    tally.finish(name, begun);
}

#[test]
fn writes_survive_every_crash() {
    campaign("writes", workload::SINGLES.iter().copied(), Order::Forwards);
}

#[test]
fn state_survives_every_crash() {
    campaign("state", workload::STATE.iter().copied(), Order::Forwards);
}

#[test]
fn batches_survive_every_crash() {
    campaign("batches", workload::BATCHES.iter().copied(), Order::Forwards);
}

#[test]
#[ignore = "part of the long campaign: cargo nextest run --run-ignored all"]
fn the_order_of_what_is_synced_side_by_side_does_not_matter() {
    campaign("backwards", workload::all(), Order::Backwards);
}

#[test]
#[ignore = "part of the long campaign: cargo nextest run --run-ignored all"]
fn the_first_call_of_a_process_survives_every_crash() {
    campaign("cold", workload::all().map(Scenario::cold), Order::Forwards);
}
