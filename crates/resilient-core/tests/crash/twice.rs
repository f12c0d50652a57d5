//! Recoveries that are killed one after another, and a loss of power in the last of them.
//!
//! A kill loses nothing that is done, and syncs nothing either. The next recovery finds done what the killed one has
//! done, and must not rely on it before it has synced it itself. The crash campaign interrupts one recovery; here a
//! call is killed, so is the recovery after it, and the recovery after that loses its power. Where each of these
//! happens is drawn; `CRASH_STATES=200` draws that many times as often as `CRASH_STATES=1`.

use std::time::Instant;

use resilient_core::disk::sim::{Fault, FaultKind, Model, SimDisk};

use crate::campaign::{Budget, Rig, Tally, recover};
use crate::workload::{self, Answer, Order, Scenario, create, open};

/// How often the places of the crashes are drawn for each scenario and state of the budget.
const DRAWS: usize = 5;
/// How many disks that the loss of power may leave are judged for each draw.
const LOSSES: usize = 4;

/// Draws numbers; the same seed draws the same ones.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end.max(1)
    }

    fn crash(&mut self, begin: u64, end: u64) -> Fault {
        let kind = [FaultKind::PowerCut, FaultKind::TornWrite][self.below(2) as usize];
        Fault { at: begin + self.below(end - begin + 1), kind }
    }
}

fn seed() -> u64 {
    let seed = std::env::var("CRASH_SEED").ok().and_then(|seed| seed.parse().ok());
    seed.unwrap_or(0x9e37_79b9_7f4a_7c15)
}

/// How many operations recovery makes on a disk.
fn ops_of_recovery(disk: &SimDisk) -> Result<u64, String> {
    let whole = disk.kill();
    recover(&whole, 61)?;
    Ok(whole.ops())
}

/// A disk whose recovery meets a crash, and where that was.
fn interrupted(disk: &SimDisk, dice: &mut Dice) -> Result<(SimDisk, String), String> {
    let crash = dice.crash(0, ops_of_recovery(disk)?);
    let disk = disk.kill();
    disk.plan(crash);
    let _ = recover(&disk, 62);
    let line = disk.trace().get(crash.at as usize).cloned();
    Ok((disk, format!("recovery at {}, {:?}: {line:?}", crash.at, crash.kind)))
}

/// Judges a disk after its last recovery, and the write after that.
fn judge(rig: &Rig, disk: &SimDisk, answers: &[Answer]) -> Result<(), String> {
    recover(disk, 63)?;
    rig.expected.check(disk, answers, None)?;
    let answer = create(&open(disk, 64, rig.order), "later.txt", "later\n");
    if !answer.is_done() {
        return Err(format!("the next write fails: {answer:?}"));
    }
    let lost = disk.crash_states(Model::Strict, 1).get(0).expect("a state");
    recover(&lost, 65)?;
    rig.expected.check(&lost, answers, Some("later\n"))
}

fn draw(rig: &Rig, dice: &mut Dice, tally: &mut Tally) -> Result<(), String> {
    let crash = dice.crash(rig.base, rig.end);
    let (disk, answers) = rig.run(&[crash], |_| {});
    let mut places = vec![format!("{:?} of {}", crash.kind, rig.place(crash.at))];
    let mut disk = disk.kill();
    // Mostly one recovery is killed, sometimes two, and then the power goes.
    for _ in 0..2 + dice.below(4) / 3 {
        let (next, place) = interrupted(&disk, dice)?;
        places.push(place);
        disk = next;
    }
    tally.points += 1;
    for model in [Model::Strict, Model::Ordered] {
        let states = disk.crash_states(model, LOSSES);
        tally.sampled += u64::from(!states.is_exact());
        for index in 0..states.len() {
            let lost = states.get(index).expect("a state");
            if tally.is_new(&lost, &answers) {
                let places = || format!("{}\n{}", places.join("\n"), states.describe(index));
                tally.judge(judge(rig, &lost, &answers), places);
            }
        }
    }
    Ok(())
}

fn campaign(name: &str, scenarios: impl Iterator<Item = Scenario>) {
    let draws = DRAWS * Budget::of_environment().states;
    let begun = Instant::now();
    let mut tally = Tally::default();
    for (number, scenario) in scenarios.enumerate() {
        let rig = Rig::new(scenario, Order::Forwards);
        let mut dice = Dice(seed().wrapping_add(number as u64 + 1));
        let mut seen = Tally::default();
        for _ in 0..draws {
            let done = draw(&rig, &mut dice, &mut seen);
            done.unwrap_or_else(|error| seen.judge(Err(error), || rig.place(rig.end)));
        }
        tally.add(seen);
    }
    tally.finish(name, begun);
}

#[test]
fn writes_survive_a_loss_of_power_in_the_recovery_after_a_killed_one() {
    campaign("writes, twice", workload::chosen(workload::SINGLES));
}

#[test]
fn state_survives_a_loss_of_power_in_the_recovery_after_a_killed_one() {
    campaign("state, twice", workload::chosen(workload::STATE));
}

#[test]
fn batches_survive_a_loss_of_power_in_the_recovery_after_a_killed_one() {
    let scenarios = workload::chosen(workload::BATCHES);
    campaign("batches, twice", scenarios.chain(workload::chosen(workload::UPGRADES)));
}
