//! The command line as its parser reads it, and what the parser says of one that is wrong.
//!
//! The parser repeats arguments in what it says. An argument may hold what a terminal would obey, so it is escaped
//! there, as everywhere on a terminal.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Command, Parser};

use crate::output::{Unwritten, one_line};

/// Reads the command line of this process; where it is wrong, or asks for help, says so and gives the exit status.
pub(crate) fn parsed<C: Parser>(program: &'static str) -> Result<C, ExitCode> {
    let given: Vec<OsString> = std::env::args_os().collect();
    C::try_parse_from(&given).map_err(|fault| {
        let is_escaped = io::stderr().is_terminal() || given.iter().any(|it| it == "--escape");
        // The parser colours what it says: only its input can be separated from that.
        let shown =
            if is_escaped { C::try_parse_from(given.iter().map(harmless)).err() } else { None };
        let mut shown = shown.unwrap_or(fault);
        tell_more(&mut shown, &called(C::command(), &given));
        said(program, &shown)
    })
}

/// The command that the arguments name.
fn called(mut command: Command, given: &[OsString]) -> Command {
    for word in given.iter().skip(1) {
        if let Some(found) = command.find_subcommand(word) {
            command = found.clone();
        }
    }
    command
}

/// Names what the help has, where the parser would name an option that it hides, or a file alone.
fn tell_more(fault: &mut Error, command: &Command) {
    let named = match fault.get(ContextKind::SuggestedArg) {
        Some(ContextValue::String(named)) => named.strip_prefix("--").map(str::to_owned),
        _ => None,
    };
    let shown = command.get_arguments().find_map(|argument| {
        let hidden = argument.get_all_aliases()?;
        hidden.contains(&named.as_deref()?).then(|| argument.get_long()).flatten()
    });
    if let Some(shown) = shown {
        fault.insert(ContextKind::SuggestedArg, ContextValue::String(format!("--{shown}")));
    }
    let lacks_file = match fault.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(missing)) => missing.iter().any(|it| it.starts_with("<FILE>")),
        _ => false,
    };
    let takes_content = command.get_arguments().any(|it| it.get_long() == Some("content"));
    if fault.kind() == ErrorKind::MissingRequiredArgument && lacks_file && takes_content {
        let tip = StyledStr::from("pass - as FILE for standard input, or the text as '--content'");
        fault.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
}

fn harmless(argument: &OsString) -> OsString {
    one_line(&argument.to_string_lossy()).into()
}

fn said(program: &str, fault: &Error) -> ExitCode {
    match fault.print() {
        // Help has an answer's place.
        Err(source) if !fault.use_stderr() && source.kind() != io::ErrorKind::BrokenPipe => {
            Unwritten(source).complain(program)
        }
        _ => ExitCode::from(u8::try_from(fault.exit_code()).unwrap_or(2)),
    }
}
