//! The command line as its parser reads it, and what the parser says of one that is wrong.
//!
//! The parser repeats arguments in what it says. An argument may hold what a terminal would obey, so it is escaped
//! there, as everywhere on a terminal.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use clap::Parser;
use clap::error::Error;

use crate::output::{Unwritten, one_line};

/// Reads the command line of this process; where it is wrong, or asks for help, says so and gives the exit status.
pub(crate) fn parsed<C: Parser>(program: &'static str) -> Result<C, ExitCode> {
    let given: Vec<OsString> = std::env::args_os().collect();
    C::try_parse_from(&given).map_err(|fault| {
        let is_escaped = io::stderr().is_terminal() || given.iter().any(|it| it == "--escape");
        // The parser colours what it says: only its input can be separated from that.
        let shown =
            if is_escaped { C::try_parse_from(given.iter().map(harmless)).err() } else { None };
        said(program, &shown.unwrap_or(fault))
    })
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
