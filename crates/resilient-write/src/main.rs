//! `resilient-write`: the MCP server and the command line.

mod cli;
mod commands;
mod config;
mod output;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    cli::Cli::parse().run()
}
