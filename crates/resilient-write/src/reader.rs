//! The command line of `resilient-read`: the server of the tools that read, and single calls of them.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{CommandFactory as _, Parser, Subcommand};
use resilient_core::Workspace;
use resilient_mcp::Offer;

use crate::commands::{call, manual, read, serve};
use crate::config::Surroundings;
use crate::output::Output;

const AFTER_HELP: &str = "\
Exit status:
   0  done
   1  of search: nothing was found; or the server cannot start
   2  the command line itself was wrong
   3  stale_precondition: the file has changed
   6  not allowed, such as a path outside, or not well formed
   7  write_corruption: the disk is damaged
   8  not_found: the file is not there
   9  standard output cannot be written
They are the same with --json, which prints the error envelope of 3 to 8.

Environment:
  RR_WORKSPACE             directories in which files may be read; default: this one
  RW_SCRATCH_DISABLE_GET   when set, nothing is read of what a scratchpad holds
  NO_COLOR                 when set, no colours";

/// Reads of files of any size for coding agents.
///
/// Without a command it serves MCP: on standard input and output, or with --transport over HTTP. It changes nothing on disk.
#[derive(Debug, Parser)]
#[command(name = "resilient-read", version, about, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    /// A directory in which files may be read; may be given several times. Over HTTP, NAME=DIR is a workspace of its own at /w/NAME
    #[arg(short, long, value_name = "DIR", global = true)]
    workspace: Vec<PathBuf>,
    /// Print the answer as one line of JSON, the value that the MCP tool gives
    #[arg(long, global = true)]
    json: bool,
    /// Escape control and bidirectional characters, as on a terminal
    #[arg(long, global = true)]
    escape: bool,
    #[command(flatten)]
    serve: serve::Serve,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve MCP (the default, without a command)
    Serve(serve::Serve),
    /// Call any tool with its arguments as JSON
    Call(call::Call),
    /// Print lines of a file
    Read(read::Read),
    /// Print the last lines of a file
    Tail(read::Tail),
    /// Find lines in files
    Search(read::Search),
    /// Print a file's length, time, encoding and SHA-256
    Stat(read::Stat),
    /// List files
    List(read::List),
    /// Print the completions of a shell
    Completions(manual::Completions),
    /// Print the manual page
    Man(manual::Man),
}

impl Cli {
    /// Does what was asked for, and reports what kept it from being done.
    pub(crate) fn run(self) -> ExitCode {
        let output = Output::new("resilient-read", self.json, self.escape);
        self.dispatch(&output).unwrap_or_else(|error| output.fault(&error))
    }

    fn dispatch(self, output: &Output) -> Result<ExitCode> {
        let Self { workspace: more, json: _, escape: _, serve, command } = self;
        let open =
            || -> Result<Workspace> { Ok(Surroundings::of_reader()?.workspace(&more)?.open()) };
        let place = |place: &serve::Opened<'_>| -> Result<Workspace> {
            let surroundings = Surroundings::of_reader()?;
            Ok(match place {
                serve::Opened::Unnamed(roots) => surroundings.workspace(roots)?,
                serve::Opened::Named(dir) => surroundings.alone(dir)?,
            }
            .open())
        };
        match command {
            None => {
                let ran = serve.run(&more, place, Offer::Read, output);
                Ok(ran.unwrap_or_else(|fault| output.no_server(&fault)))
            }
            Some(_) if serve.is_given() => {
                Ok(output.misuse("the options of the server stand after `serve`, or alone"))
            }
            Some(Command::Serve(command)) => {
                let ran = command.run(&more, place, Offer::Read, output);
                Ok(ran.unwrap_or_else(|fault| output.no_server(&fault)))
            }
            Some(Command::Call(command)) => command.run(open()?, Offer::Read, output),
            Some(Command::Read(command)) => command.run(&open()?, output),
            Some(Command::Tail(command)) => command.run(&open()?, output),
            Some(Command::Search(command)) => command.run(&open()?, output),
            Some(Command::Stat(command)) => command.run(&open()?, output),
            Some(Command::List(command)) => command.run(&open()?, output),
            Some(Command::Completions(command)) => command.run(Self::command(), output),
            Some(Command::Man(command)) => command.run(Self::command(), output),
        }
    }
}
