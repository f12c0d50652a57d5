//! The command line of `resilient-read`: the server of the tools that read, and single calls of them.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use resilient_core::Workspace;
use resilient_mcp::Offer;

use crate::commands::{call, serve};
use crate::config::Surroundings;
use crate::output::Output;

const AFTER_HELP: &str = "\
Exit status:
  0  done
  1  not done; with --json, standard output has the error envelope
  2  the command line itself was wrong

Environment:
  RR_WORKSPACE             directories in which files may be read; default: this one
  RW_SCRATCH_DISABLE_GET   when set, nothing is read of what a scratchpad holds";

/// Reads of files of any size for coding agents.
///
/// Without a command it serves MCP on standard input and output. It changes nothing on disk.
#[derive(Debug, Parser)]
#[command(name = "resilient-read", version, about, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    /// A directory in which files may be read; may be given several times
    #[arg(short, long, value_name = "DIR", global = true)]
    workspace: Vec<PathBuf>,
    /// Print the answer as one line of JSON, the value that the MCP tool gives
    #[arg(long, global = true)]
    json: bool,
    #[command(flatten)]
    serve: serve::Serve,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve MCP (what happens without a command, too)
    Serve(serve::Serve),
    /// Call any tool with its arguments as JSON
    Call(call::Call),
}

impl Cli {
    /// Does what was asked for, and reports what kept it from being done.
    pub(crate) fn run(self) -> ExitCode {
        let output = Output::new("resilient-read", self.json);
        self.dispatch(&output).unwrap_or_else(|error| output.fault(&error))
    }

    fn dispatch(self, output: &Output) -> Result<ExitCode> {
        let Self { workspace: more, json: _, serve, command } = self;
        let open =
            || -> Result<Workspace> { Ok(Surroundings::of_reader()?.workspace(&more)?.open()) };
        match command {
            None => serve.run(open, Offer::Read, output),
            Some(_) if serve.is_given() => {
                Ok(output.misuse("the options of the server stand after `serve`, or alone"))
            }
            Some(Command::Serve(command)) => command.run(open, Offer::Read, output),
            Some(Command::Call(command)) => command.run(open()?, Offer::Read, output),
        }
    }
}
