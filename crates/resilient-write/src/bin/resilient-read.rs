//! `resilient-read`: the MCP server for reading.

use std::process::ExitCode;

fn main() -> ExitCode {
    resilient_write::resilient_read()
}
