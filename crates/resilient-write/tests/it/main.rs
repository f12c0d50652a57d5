//! The real binary: its command line, one file for each command, and its server over stdio.
#![expect(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test looks at the disk as anybody would, and ends where it is wrong"
)]

mod analytics;
mod answers;
mod attempts;
mod call;
mod checkpoint;
mod chunk;
mod client;
mod demo;
#[cfg(unix)]
mod documents;
mod door;
mod form;
mod handoff;
mod http;
mod journal;
#[cfg(target_os = "linux")]
mod mounts;
mod policy;
mod read;
mod reading;
mod redact;
mod refusals;
mod replaced;
mod risk;
mod sandbox;
mod scratch;
mod screen;
mod serve;
#[cfg(feature = "otel")]
mod spans;
mod stdio;
mod surroundings;
#[cfg(unix)]
mod terminal;
#[cfg(feature = "tls")]
mod tls;
mod tools;
mod validate;
mod web;
mod write;
