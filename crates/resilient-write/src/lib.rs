//! The programs: `resilient-write`, which serves and has a command line, and `resilient-read`, which
//! serves the tools that read. Nothing here is a library for others.

mod arguments;
mod cli;
mod commands;
mod config;
mod log;
mod output;
mod reader;
mod signals;
mod socket;
#[cfg(feature = "otel")]
mod spans;
mod words;

use std::process::ExitCode;

/// Runs `resilient-write`.
#[must_use]
pub fn resilient_write() -> ExitCode {
    signals::survive_size_limit();
    arguments::parsed("resilient-write").map_or_else(|status| status, cli::Cli::run)
}

/// Runs `resilient-read`.
#[must_use]
pub fn resilient_read() -> ExitCode {
    arguments::parsed("resilient-read").map_or_else(|status| status, reader::Cli::run)
}
