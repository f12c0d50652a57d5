//! The programs: `resilient-write`, which serves and has a command line, and `resilient-read`, which
//! serves the tools that read. Nothing here is a library for others.

mod cli;
mod commands;
mod config;
mod output;
mod reader;
mod signals;
mod words;

use std::process::ExitCode;

use clap::Parser;

/// Runs `resilient-write`.
#[must_use]
pub fn resilient_write() -> ExitCode {
    signals::survive_size_limit();
    cli::Cli::parse().run()
}

/// Runs `resilient-read`.
#[must_use]
pub fn resilient_read() -> ExitCode {
    reader::Cli::parse().run()
}
