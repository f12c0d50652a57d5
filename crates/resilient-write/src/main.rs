//! `resilient-write`: the MCP server and the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    resilient_write::resilient_write()
}
