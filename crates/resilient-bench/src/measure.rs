//! Measuring on a machine that others use too: interleaved samples, and what is made of them.
//!
//! Absolute times drift severalfold while a run goes on, so every claim is a ratio of samples that
//! were taken in turn. A subject times itself, which leaves what it has to prepare and to check
//! out of the figure.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde::Serialize;

/// Something that is measured: does its deed once and tells what it cost. The argument is the
/// number of the round; it makes names and contents distinct.
pub(crate) type Deed<'a> = Box<dyn FnMut(usize) -> Result<Cost> + 'a>;

/// What a deed cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    pub(crate) time: Duration,
    /// What this process computed meanwhile.
    pub(crate) cpu: Duration,
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.time += other.time;
        self.cpu += other.cpu;
    }
}

/// A deed with its name and, where it happens in another process, that process.
pub(crate) struct Subject<'a> {
    pub(crate) name: String,
    pub(crate) deed: Deed<'a>,
    pub(crate) pid: Option<u32>,
}

impl<'a> Subject<'a> {
    /// A deed in this process.
    pub(crate) fn new(
        name: impl Into<String>,
        deed: impl FnMut(usize) -> Result<Cost> + 'a,
    ) -> Self {
        Self { name: name.into(), deed: Box::new(deed), pid: None }
    }

    /// A deed of another process.
    pub(crate) fn of_process(
        name: impl Into<String>,
        pid: u32,
        deed: impl FnMut(usize) -> Result<Cost> + 'a,
    ) -> Self {
        Self { pid: Some(pid), ..Self::new(name, deed) }
    }
}

/// What was seen of one subject.
#[derive(Debug, Clone)]
pub(crate) struct Samples {
    pub(crate) name: String,
    /// In the order of the rounds.
    pub(crate) times: Vec<Duration>,
    /// What the subject's process computed for a deed, on average.
    pub(crate) cpu: Option<Duration>,
}

/// Lets every subject do its deed `rounds` times, in turn, in an order that is drawn anew for
/// each round. A few rounds go ahead that are not counted.
///
/// # Errors
/// A deed fails.
pub(crate) fn interleave(
    random: &mut Random,
    rounds: usize,
    subjects: &mut [Subject<'_>],
) -> Result<Vec<Samples>> {
    /// How often the processor time is looked at: more often than idle threads end.
    const CPU_EVERY: usize = 8;
    let warm_up = (rounds / 10).clamp(1, 10);
    for round in 0..warm_up {
        for subject in subjects.iter_mut() {
            (subject.deed)(round)?;
        }
    }
    let mut cpus: Vec<Option<Cpu>> = subjects.iter().map(|s| s.pid.map(Cpu::of)).collect();
    let begun: Vec<Option<Duration>> =
        cpus.iter_mut().map(|cpu| cpu.as_mut().and_then(Cpu::spent)).collect();
    let mut costs: Vec<Vec<Cost>> = vec![Vec::with_capacity(rounds); subjects.len()];
    let mut order: Vec<usize> = (0..subjects.len()).collect();
    for round in warm_up..warm_up + rounds {
        random.shuffle(&mut order);
        for &which in &order {
            if let (Some(subject), Some(costs)) = (subjects.get_mut(which), costs.get_mut(which)) {
                costs.push((subject.deed)(round)?);
            }
        }
        if round % CPU_EVERY == 0 {
            cpus.iter_mut().flatten().for_each(|cpu| {
                cpu.spent();
            });
        }
    }
    let calls = u32::try_from(rounds)?;
    let spent = cpus.iter_mut().zip(begun).map(|(cpu, begun)| {
        cpu.as_mut().map(|cpu| Some(cpu.spent()?.saturating_sub(begun?) / calls))
    });
    let named = subjects.iter().map(|subject| subject.name.clone());
    Ok(named
        .zip(costs)
        .zip(spent)
        .map(|((name, costs), theirs)| Samples {
            name,
            times: costs.iter().map(|cost| cost.time).collect(),
            cpu: theirs.unwrap_or_else(|| {
                Some(costs.iter().map(|cost| cost.cpu).sum::<Duration>() / calls)
            }),
        })
        .collect())
}

/// Runs something once and tells what it cost.
///
/// # Errors
/// It fails.
pub(crate) fn timed<T>(deed: impl FnOnce() -> Result<T>) -> Result<(Cost, T)> {
    let (cpu, begun) = (cpu_of_this_process(), Instant::now());
    let value = deed()?;
    let time = begun.elapsed();
    Ok((Cost { time, cpu: cpu_of_this_process().saturating_sub(cpu) }, value))
}

fn cpu_of_this_process() -> Duration {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(spent).unwrap_or_default()
}

/// How samples spread, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Spread {
    pub(crate) p10: f64,
    pub(crate) p50: f64,
    pub(crate) p90: f64,
}

impl Spread {
    /// The spread of some samples; zeros for none.
    pub(crate) fn of(times: &[Duration]) -> Self {
        let mut ms: Vec<f64> = times.iter().copied().map(in_ms).collect();
        ms.sort_by(f64::total_cmp);
        Self { p10: percentile(&ms, 10), p50: percentile(&ms, 50), p90: percentile(&ms, 90) }
    }
}

/// How samples compare with those of another subject that were taken in the same rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Ratio {
    /// The ratio of the tenth percentiles: the quiet moments of both.
    pub(crate) of_p10: f64,
    /// The ratio of the medians.
    pub(crate) of_medians: f64,
    /// The median of the ratios, round by round.
    pub(crate) of_pairs: f64,
}

impl Ratio {
    /// Compares samples with the base's.
    pub(crate) fn of(times: &[Duration], base: &[Duration]) -> Self {
        let (ours, theirs) = (Spread::of(times), Spread::of(base));
        let mut pairs: Vec<f64> =
            times.iter().zip(base).map(|(ours, theirs)| in_ms(*ours) / in_ms(*theirs)).collect();
        pairs.sort_by(f64::total_cmp);
        Self {
            of_p10: ours.p10 / theirs.p10,
            of_medians: ours.p50 / theirs.p50,
            of_pairs: percentile(&pairs, 50),
        }
    }
}

/// The smallest value that is not exceeded by less than `percent` of the sorted values.
fn percentile(sorted: &[f64], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or_default()
}

pub(crate) fn in_ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// The processor time of another process, in nanoseconds where `times` counts in hundredths of a
/// second: the sum over its threads. Threads that have ended count as far as they were looked at.
#[derive(Debug)]
struct Cpu {
    tasks: PathBuf,
    /// What was seen of each thread last.
    seen: HashMap<std::ffi::OsString, u64>,
    total_ns: u64,
}

impl Cpu {
    fn of(pid: u32) -> Self {
        Self { tasks: format!("/proc/{pid}/task").into(), seen: HashMap::new(), total_ns: 0 }
    }

    /// What the process has spent since this began to look; nothing where the system does not tell.
    fn spent(&mut self) -> Option<Duration> {
        for task in std::fs::read_dir(&self.tasks).ok()?.flatten() {
            let Ok(text) = std::fs::read_to_string(task.path().join("schedstat")) else { continue };
            let now: u64 = text.split_ascii_whitespace().next()?.parse().ok()?;
            let before = self.seen.insert(task.file_name(), now).unwrap_or_default();
            // A number that went down belongs to a new thread of the same name.
            self.total_ns += now.checked_sub(before).unwrap_or(now);
        }
        Some(Duration::from_nanos(self.total_ns))
    }
}

/// A number in `/proc/PID/status`, in bytes: `VmRSS` for what is in memory.
pub(crate) fn memory(pid: u32, field: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

/// A seeded generator, the same on every run: SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is small: the bias does not show.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    fn shuffle(&mut self, items: &mut [usize]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(times: &[u64]) -> Vec<Duration> {
        times.iter().copied().map(Duration::from_millis).collect()
    }

    #[test]
    fn percentiles_are_samples_by_nearest_rank() {
        // Sorted 1 to 10: the 1st, 5th and 9th.
        let spread = Spread::of(&ms(&[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]));
        assert_eq!(spread, Spread { p10: 1.0, p50: 5.0, p90: 9.0 });
        assert_eq!(Spread::of(&ms(&[7])), Spread { p10: 7.0, p50: 7.0, p90: 7.0 });
        assert_eq!(Spread::of(&[]), Spread { p10: 0.0, p50: 0.0, p90: 0.0 });
    }

    #[test]
    fn ratios_of_medians_and_of_pairs_differ_when_rounds_are_uneven() {
        // Medians 4 and 2; pairs 2/1, 4/8, 12/2.
        let ratio = Ratio::of(&ms(&[2, 4, 12]), &ms(&[1, 8, 2]));
        assert_eq!(ratio, Ratio { of_p10: 2.0, of_medians: 2.0, of_pairs: 2.0 });
        // Medians 3 and 4, tenth percentiles 1 and 4; pairs 1/4, 3/4, 8/4.
        let ratio = Ratio::of(&ms(&[1, 3, 8]), &ms(&[4, 4, 4]));
        assert_eq!(ratio, Ratio { of_p10: 0.25, of_medians: 0.75, of_pairs: 0.75 });
    }

    #[test]
    fn subjects_take_turns_and_keep_their_order_in_the_answer() {
        let turns = std::cell::RefCell::new(Vec::new());
        let subject = |name: &'static str, time| {
            Subject::new(name, {
                let turns = &turns;
                move |round| {
                    turns.borrow_mut().push((round, name));
                    Ok(Cost { time: Duration::from_millis(time), cpu: Duration::from_micros(7) })
                }
            })
        };
        let mut subjects = [subject("a", 1), subject("b", 2)];
        let samples = interleave(&mut Random::new(1), 20, &mut subjects).unwrap();
        assert_eq!(samples.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(samples[1].times, ms(&[2; 20]));
        assert_eq!(samples[1].cpu, Some(Duration::from_micros(7)));
        drop(subjects);
        // Two rounds ahead that do not count, then twenty; both in each.
        let turns = turns.into_inner();
        assert_eq!(turns.len(), 44);
        for (round, pair) in turns.chunks(2).enumerate() {
            assert!(pair.iter().all(|(of, _)| *of == round), "{pair:?}");
            assert_ne!(pair[0].1, pair[1].1);
        }
        let firsts: Vec<_> = turns.chunks(2).map(|pair| pair[0].1).collect();
        assert!(firsts.contains(&"a") && firsts.contains(&"b"), "the order is drawn");
    }

    #[test]
    fn the_generator_is_the_published_one() {
        // The first outputs of SplitMix64 for the seed 1234567.
        let mut random = Random::new(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }
}
