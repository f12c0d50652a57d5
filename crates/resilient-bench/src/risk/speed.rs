//! Measuring what a score costs: on code, on texts made to be slow, and on a lot of code.
//!
//! Times are processor time of one thread, the least of some rounds, so that a busy machine changes
//! little. Beside each stands the time of a *floor* over the same bytes in the same run: counting
//! line feeds with vector instructions, which is what reading the text costs.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;
use resilient_core::risk::{Policy, hostile, score};

use super::eval::cpu_ns;
use super::rows;

/// Measures the speed of the risk score.
#[derive(Debug, Args)]
pub(crate) struct Speed {
    /// Directories of real code
    #[arg(long, num_args = 1.., required = true)]
    code: Vec<PathBuf>,
    /// How much of the code is scored in one go, file by file, in MB
    #[arg(long, default_value_t = 100)]
    mb: usize,
    /// How often each text is scored
    #[arg(long, default_value_t = 15)]
    rounds: usize,
    /// Only what has this in its name
    #[arg(long)]
    only: Option<String>,
}

/// What is called 100 kB.
pub(crate) const SIZE: usize = 102_400;

impl Speed {
    pub(crate) fn run(self) -> Result<()> {
        let files = rows::code(&self.code, 1 << 20)?;
        let total: usize = files.iter().map(|(_, text)| text.len()).sum();
        ensure!(total > 4 * SIZE, "the directories hold too little code");

        const TEXTS: usize = 12;
        let mut costs: Vec<Cost> =
            rows::texts(&files, TEXTS, SIZE).iter().map(|text| self.cost(text)).collect();
        costs.sort_by_key(|cost| cost.ns);
        if let (Some(first), Some(middle), Some(last)) =
            (costs.first(), costs.get(TEXTS / 2), costs.last())
        {
            first.say("code, 100 kB, cheapest")?;
            middle.say("code, 100 kB, median")?;
            last.say("code, 100 kB, dearest")?;
        }

        for (name, text) in hostile::texts(SIZE) {
            if self.only.as_deref().is_some_and(|only| !name.contains(only)) {
                continue;
            }
            let whole = self.cost(&text);
            whole.say(&format!("hostile, 100 kB, {name}"))?;
            // Twice the text may cost twice the time.
            let twice = self.cost(&text.repeat(4));
            let growth = twice.ns as f64 / whole.ns.max(1) as f64;
            if growth > 5.5 {
                crate::say(&format!("{growth:>10.2} times as much for four times the text\n"))?;
            }
        }

        let policy = Policy::default();
        let (mut bytes, mut spent, mut floor) = (0, 0, 0);
        for (_, text) in &files {
            if bytes >= self.mb * 1_000_000 {
                break;
            }
            bytes += text.len();
            let began = cpu_ns();
            std::hint::black_box(floor_pass(text));
            let between = cpu_ns();
            std::hint::black_box(score(text, &policy));
            spent += cpu_ns() - between;
            floor += between - began;
        }
        Cost { bytes, ns: spent, floor_ns: floor }.say("code, file by file")
    }

    fn cost(&self, text: &str) -> Cost {
        let policy = Policy::default();
        let least = |work: &dyn Fn()| {
            let rounds = (0..self.rounds.max(1)).map(|_| {
                let began = cpu_ns();
                work();
                cpu_ns() - began
            });
            rounds.min().unwrap_or(0)
        };
        let ns = least(&|| {
            std::hint::black_box(score(std::hint::black_box(text), &policy));
        });
        let floor_ns = least(&|| {
            std::hint::black_box(floor_pass(std::hint::black_box(text)));
        });
        Cost { bytes: text.len(), ns, floor_ns }
    }
}

/// The least that looking at a text costs.
fn floor_pass(text: &str) -> usize {
    let (groups, rest) = text.as_bytes().as_chunks::<64>();
    let count = |group: &[u8]| group.iter().map(|byte| u8::from(*byte == b'\n')).sum::<u8>();
    groups.iter().map(|group| usize::from(count(group))).sum::<usize>() + usize::from(count(rest))
}

struct Cost {
    bytes: usize,
    ns: i64,
    floor_ns: i64,
}

impl Cost {
    fn say(&self, name: &str) -> Result<()> {
        let (ns, floor) = (self.ns.max(1) as f64, self.floor_ns.max(1) as f64);
        crate::say(&format!(
            "{:>10.1} us {:>9.0} MB/s {:>7.1} x floor  {name} ({} bytes)\n",
            ns / 1e3,
            self.bytes as f64 * 1e3 / ns,
            ns / floor,
            self.bytes
        ))
    }
}
