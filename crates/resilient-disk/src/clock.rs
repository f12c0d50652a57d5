//! The time and the randomness that the library is given, and the only file that asks for either.

use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Where time and identifiers come from.
pub trait Clock: Send + Sync + Debug {
    /// Nanoseconds since 1970, UTC.
    fn now_ns(&self) -> u128;

    /// A number that no other call, in any process, is likely to return.
    fn random(&self) -> u64;

    /// Lets other processes go on for so long.
    fn pause(&self, pause: Duration) {
        std::thread::sleep(pause);
    }
}

/// The operating system's clock and random generator.
#[derive(Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    fn now_ns(&self) -> u128 {
        std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |since| since.as_nanos())
    }

    fn random(&self) -> u64 {
        // Identifiers need to be distinct, not secret: without a generator the clock serves.
        getrandom::u64().unwrap_or_else(|_| (self.now_ns() as u64).rotate_left(17))
    }
}

/// Measures how long something takes, for figures alone: what it says decides nothing.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts it.
    #[must_use]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// How long ago it was started.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

/// A clock for tests: starts where told and advances a millisecond at every question.
#[derive(Debug)]
pub struct FixedClock {
    now_ns: AtomicU64,
    random: AtomicU64,
}

impl FixedClock {
    /// Starts at `seconds` since 1970, with identifiers derived from `seed`.
    #[must_use]
    pub fn new(seconds: u64, seed: u64) -> Self {
        Self {
            now_ns: AtomicU64::new(seconds.saturating_mul(1_000_000_000)),
            random: AtomicU64::new(seed),
        }
    }
}

impl Clock for FixedClock {
    fn now_ns(&self) -> u128 {
        self.now_ns.fetch_add(1_000_000, Ordering::Relaxed).into()
    }

    fn random(&self) -> u64 {
        // The output function of SplitMix64 (Steele, Lea, Flood 2014) over a Weyl sequence.
        let mut z = self
            .random
            .fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed)
            .wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}
