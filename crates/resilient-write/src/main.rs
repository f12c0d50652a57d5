//! `resilient-write`: the MCP server and the command line.

mod cli;
mod commands;
mod config;
mod output;
mod signals;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    signals::survive_size_limit();
    cli::Cli::parse().run()
}
