//! The real binary with the real servers: scripts that pass, scripts that fail, and replays.
#![expect(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test looks at the disk as anybody would, and ends where it is wrong"
)]

mod adversaries;
mod arms;
mod bench;
mod reference;
mod runs;
