//! The command line: what can be asked for, and who answers.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};
use resilient_core::journal::By;
use resilient_core::near::nearest_one;
use resilient_core::{Builder, Error, Workspace};
use resilient_mcp::Offer;

use crate::commands::serve::Opened;
use crate::commands::{
    analytics, call, checkpoint, chunk, demo, handoff, journal, manual, policy, read, recover,
    redact, replace, risk, scratch, serve, validate, write,
};
use crate::config::{Surroundings, tools_of_environment};
use crate::output::{Output, log_notice};

const AFTER_HELP: &str = "\
Exit status:
   0  done
   1  something was found or not found, as the command says; or the server cannot start
   2  the command line itself was wrong
   3  stale_precondition: the file or the state is not as you think
   4  blocked: the check for secrets refuses the text
   5  quota_exceeded: no room
   6  policy_violation: not allowed, such as a path outside, or not well formed
   7  write_corruption: the disk, or a file of the state, is damaged
   8  not_found: the file, session, checkpoint or entry that the command names is not there
   9  standard output cannot be written: the command is done, its answer is lost
They are the same in all commands, and with --json, which prints the error envelope of 3 to 8.

Environment:
  RW_WORKSPACE             directories in which files may be written; default: this one
  RW_STATE_DIR             directory that holds .resilient_write/; default: this one
  RW_POLICY_FILE           policy to use instead of .resilient_write/policy.yaml
  RW_SCRATCH_DISABLE_GET   when set, the scratchpad gives nothing back, and no tool reads its files
  RW_ALLOW_UNSAFE_ROOTS    1: warn about a system directory as workspace instead of refusing it
  RW_TOOLS                 which tools the server lists, where --tools does not say: core, paper or full
  NO_COLOR                 when set, no colours";

/// Durable, verified, journaled file writes for coding agents.
///
/// Without a command it serves MCP: on standard input and output, or with --transport over HTTP.
#[derive(Debug, Parser)]
#[command(version, about, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    /// A directory in which files may be written; may be given several times
    ///
    /// Over HTTP, NAME=DIR serves a workspace of its own at /w/NAME.
    #[arg(short, long, value_name = "DIR", global = true)]
    workspace: Vec<PathBuf>,
    /// Print the answer as one line of JSON, the value that the MCP tool gives
    #[arg(long, global = true)]
    json: bool,
    /// Escape control and bidirectional characters, as on a terminal
    #[arg(long, global = true)]
    escape: bool,
    #[command(flatten)]
    serve: ServeWrite,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve MCP (the default, without a command)
    Serve(ServeWrite),
    /// Write one file
    Write(write::Write),
    /// Replace text in one file
    Replace(replace::Replace),
    /// Write a long file in parts
    #[command(subcommand)]
    Chunk(chunk::Chunk),
    /// Keep notes, drafts and bytes outside of the project's files
    #[command(subcommand)]
    Scratch(scratch::Scratch),
    /// Keep named JSON values
    #[command(subcommand)]
    Checkpoint(checkpoint::Checkpoint),
    /// Leave a note for the next agent, or read it
    #[command(subcommand)]
    Handoff(handoff::Handoff),
    /// Look at the journal of all writes
    #[command(subcommand)]
    Journal(journal::Journal),
    /// Sum up the journal
    Analytics(analytics::Analytics),
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
    /// Find secrets, personal data and texts that are too long, in a text, a file or a tree
    Risk(risk::Risk),
    /// Take secrets out of a text, a file or a kept draft
    Redact(redact::Redact),
    /// Check the syntax of a text
    Validate(validate::Validate),
    /// Check the policy file, or show the values in force
    #[command(subcommand)]
    Policy(policy::Policy),
    /// Finish or take back what a crash has interrupted; each write does so first, too
    Recover(recover::Recover),
    /// Call any tool with its arguments as JSON
    Call(call::Call),
    /// Replay the incident that Resilient Write was made for, with this program
    Demo(demo::Demo),
    /// Print the completions of a shell
    Completions(manual::Completions),
    /// Print the manual page
    Man(manual::Man),
}

/// The server's options, and which tools it has.
#[derive(Debug, Args)]
struct ServeWrite {
    /// Which tools the server lists [default: RW_TOOLS, otherwise paper]
    #[arg(long, value_enum, value_name = "SET")]
    tools: Option<ToolSet>,
    /// With the set paper: the tools of the Python reader, too. The other sets can read anyway
    #[arg(long)]
    with_read: bool,
    #[command(flatten)]
    serve: serve::Serve,
}

/// A set of tools by its name.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum ToolSet {
    /// Eight tools for daily work, in few tokens
    Core,
    /// The tools of the Python server
    Paper,
    /// All tools, those that read included
    Full,
}

impl ToolSet {
    /// The set that a variable names.
    fn named(name: &str) -> Result<Self> {
        Ok(Self::from_str(name.trim(), true).map_err(|_| {
            let sets = ["core", "paper", "full"];
            let near = nearest_one(name.trim(), sets);
            let near = near.map(|near| format!(" ({near} comes nearest)")).unwrap_or_default();
            let message =
                format!("{name:?} is no set of tools{near}; set it to core, paper or full");
            Error::BadArgument { argument: "RW_TOOLS", message }
        })?)
    }
}

impl ServeWrite {
    /// Whether any option of the server was given.
    fn is_given(&self) -> bool {
        self.tools.is_some() || self.with_read || self.serve.is_given()
    }

    fn run(self, given: &[PathBuf], output: &Output) -> Result<ExitCode> {
        let open = |place: &Opened<'_>| -> Result<Workspace> {
            let surroundings = Surroundings::of_process()?;
            let builder = match place {
                Opened::Unnamed(roots) => surroundings.workspace(roots),
                Opened::Named(dir) => surroundings.alone(dir),
            };
            Ok(builder?.on_notice(log_notice).open())
        };
        let tools = match (self.tools, tools_of_environment()) {
            (Some(tools), _) => tools,
            (None, Some(name)) => ToolSet::named(&name)?,
            (None, None) => ToolSet::Paper,
        };
        let offer = match tools {
            ToolSet::Core => Offer::Core,
            ToolSet::Paper => Offer::Paper { with_read: self.with_read },
            ToolSet::Full => Offer::Full,
        };
        self.serve.run(given, open, offer, output)
    }
}

impl Cli {
    /// Does what was asked for, and reports what kept it from being done.
    pub(crate) fn run(self) -> ExitCode {
        let output = Output::new("resilient-write", self.json, self.escape);
        self.dispatch(&output).unwrap_or_else(|error| output.fault(&error))
    }

    fn dispatch(self, output: &Output) -> Result<ExitCode> {
        let Self { workspace: more, json: _, escape: _, serve, command } = self;
        let builder = || -> Result<Builder> { Surroundings::of_process()?.workspace(&more) };
        let open = || -> Result<Workspace> { Ok(builder()?.on_notice(log_notice).open()) };
        let Some(command) = command else {
            return Ok(serve.run(&more, output).unwrap_or_else(|fault| output.no_server(&fault)));
        };
        if serve.is_given() {
            return Ok(output.misuse("the options of the server stand after `serve`, or alone"));
        }
        let open_for = |tool: &str| -> Result<Workspace> {
            let workspace = open()?;
            // A policy that does not apply protects nobody.
            workspace.policy()?;
            Ok(workspace.for_caller(By {
                origin: Some("cli".to_owned()),
                session: Some(workspace.new_session()),
                tool: Some(tool.to_owned()),
                ..By::default()
            }))
        };
        match command {
            Command::Serve(command) => {
                Ok(command.run(&more, output).unwrap_or_else(|fault| output.no_server(&fault)))
            }
            Command::Write(command) => command.run(&open_for("write")?, output),
            Command::Replace(command) => command.run(&open_for("replace")?, output),
            Command::Chunk(command) => command.run(&open_for("chunk")?, output),
            Command::Scratch(command) => command.run(&open_for("scratch")?, output),
            Command::Checkpoint(command) => command.run(&open_for("checkpoint")?, output),
            Command::Handoff(command) => command.run(&open_for("handoff")?, output),
            Command::Journal(command) => command.run(&open()?, output),
            Command::Analytics(command) => command.run(&open()?, output),
            Command::Read(command) => command.run(&open()?, output),
            Command::Tail(command) => command.run(&open()?, output),
            Command::Search(command) => command.run(&open()?, output),
            Command::Stat(command) => command.run(&open()?, output),
            Command::List(command) => command.run(&open()?, output),
            Command::Risk(command) => command.run(&open()?, output),
            Command::Redact(command) => command.run(&open_for("redact")?, output),
            Command::Validate(command) => command.run(&open()?, output),
            Command::Policy(command) => {
                let builder = match command.file() {
                    Some(file) => builder()?.policy_file(std::path::absolute(file)?),
                    None => builder()?,
                };
                command.run(&builder.open(), output)
            }
            // It tells on standard output what others log.
            Command::Recover(command) => command.run(&builder()?.open(), output),
            Command::Call(command) => command.run(open()?, Offer::Full, output),
            Command::Demo(command) => command.run(output),
            Command::Completions(command) => command.run(Self::command(), output),
            Command::Man(command) => command.run(Self::command(), output),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;
    use resilient_core::hint::hint;
    use resilient_core::hint::samples::{samples, variant};

    use super::*;
    use crate::words::in_our_words;

    /// Every option and every value of a command and of those below it.
    fn words_of(command: &clap::Command) -> Vec<String> {
        let mut words = Vec::new();
        for argument in command.get_arguments() {
            words.extend(argument.get_long().map(|long| format!("--{long}")));
            words.push(argument.get_id().as_str().to_uppercase());
        }
        words.extend(command.get_subcommands().flat_map(words_of));
        words
    }

    /// Whether a command line leads to a command of this program.
    fn exists(line: &str) -> bool {
        let mut command = Cli::command();
        for word in line.split(' ').skip(1).take_while(|word| !word.starts_with('-')) {
            match command.find_subcommand(word) {
                Some(found) => command = found.clone(),
                None => return false,
            }
        }
        let options = line.split(' ').filter(|word| word.starts_with('-'));
        let known = words_of(&command);
        options.clone().count() == options.filter(|it| known.iter().any(|word| word == it)).count()
    }

    /// Whether the command line never tells this hint: it belongs to a read of bytes or by a cursor, which only
    /// `call` makes with the arguments of the tool, or to a kept draft, for which there is a command.
    fn is_not_ours(error: &Error) -> bool {
        matches!(error, Error::Blocked { .. })
            || ["Undecodable", "CursorDecode", "CursorStale", "CursorLost", "Binary"]
                .contains(&variant(error))
    }

    #[test]
    fn a_hint_names_only_commands_and_options_that_exist() {
        let known = words_of(&Cli::command());
        for error in samples().iter().filter(|error| !is_not_ours(error)) {
            let hint = in_our_words(&hint(error));
            for word in hint.split('`').skip(1).step_by(2) {
                let is_known = match word.strip_prefix("resilient-write ") {
                    Some(_) => exists(word),
                    None => known.iter().any(|known| known == word),
                };
                assert!(is_known, "{}: no {word} in {hint}", variant(error));
            }
        }
        assert!(!exists("resilient-write recover --undo") && !exists("resilient-write fly"));
    }
}
