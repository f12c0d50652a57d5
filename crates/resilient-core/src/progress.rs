//! How far a long call is, and whether anybody still wants its answer.

use std::fmt::Debug;

/// Told how far a long call is, and asked whether to go on.
pub trait Progress: Debug + Send + Sync {
    /// `done` bytes are looked at, of `total` if it is known how many there are. A scan for secrets looks at
    /// some bytes several times. Returns whether anybody still wants the answer.
    fn step(&self, done: u64, total: Option<u64>) -> bool;
}

/// Nobody is told, and nobody says stop.
impl Progress for () {
    fn step(&self, _done: u64, _total: Option<u64>) -> bool {
        true
    }
}
