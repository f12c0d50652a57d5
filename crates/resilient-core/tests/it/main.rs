//! The library's behaviour, by floor and family.
#![allow(clippy::disallowed_methods, reason = "tests look at the disk from outside")]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that panics fails, in its helpers too"
)]

mod analytics;
mod answers;
mod attempt;
mod attributes;
mod begun_again;
mod checkpoint;
mod chunk;
mod elsewhere;
mod envelope;
mod form;
mod handoff;
mod home;
mod journal;
mod long;
mod meddling;
mod paths;
mod redact;
mod replace;
mod scratch;
mod screen;
mod twins;
mod versions;
mod watched;
mod write;
