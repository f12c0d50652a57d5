//! `serve`: the MCP server. It is also what runs without a command.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};
use resilient_core::Workspace;
use resilient_core::journal::By;
use resilient_mcp::{Offer, Server, ToolNames};

use crate::output::Output;

/// How the server is reached and what it calls its tools.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// How the server is reached [default: stdio]
    #[arg(long, value_enum)]
    transport: Option<Transport>,
    /// How tools are named in the list; both names can always be called [default: underscore]
    #[arg(long, value_enum, value_name = "FORM")]
    tool_names: Option<Names>,
    // HTTP is not in this version; what asks for it is told so.
    #[arg(long, hide = true)]
    host: Option<String>,
    #[arg(long, hide = true)]
    port: Option<u16>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Transport {
    /// Standard input and output
    Stdio,
    #[value(hide = true)]
    Sse,
    #[value(hide = true)]
    Http,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Names {
    /// As rr_read_tail: every client takes these
    Underscore,
    /// As rr.read_tail
    Dotted,
}

/// Takes out of the scratchpad what the policy keeps no longer, while the server answers already. The next
/// server goes on with what this one does not come to.
fn retain(workspace: &Workspace) {
    let workspace = workspace.for_caller(By {
        origin: Some("server".to_owned()),
        tool: Some("scratch_retention".to_owned()),
        ..By::default()
    });
    std::thread::spawn(move || workspace.scratch().retain(usize::MAX));
}

impl Serve {
    /// Whether any option of the server was given.
    pub(crate) fn is_given(&self) -> bool {
        let Self { transport, tool_names, host, port } = self;
        transport.is_some() || tool_names.is_some() || host.is_some() || port.is_some()
    }

    /// Serves until the client hangs up.
    ///
    /// # Errors
    /// The workspace is refused, or standard output fails while somebody reads it.
    pub(crate) fn run(
        self,
        open: impl FnOnce() -> Result<Workspace>,
        offer: Offer,
        output: &Output,
    ) -> Result<ExitCode> {
        match self.transport {
            None | Some(Transport::Stdio) if self.host.is_none() && self.port.is_none() => {}
            None | Some(Transport::Stdio) => {
                return Ok(output.misuse(
                    "--host and --port are for HTTP, which is not in this version; \
                     the server speaks on standard input and output",
                ));
            }
            Some(Transport::Sse | Transport::Http) => {
                return Ok(output.misuse(
                    "HTTP is not in this version; use --transport stdio, and a stdio-to-HTTP \
                     proxy in front of it where HTTP is needed",
                ));
            }
        }
        let names = match self.tool_names {
            None | Some(Names::Underscore) => ToolNames::Underscore,
            Some(Names::Dotted) => ToolNames::Dotted,
        };
        let workspace = open()?;
        if offer != Offer::Read {
            if let Err(fault) = workspace.policy() {
                // The server serves all the same: a client shows its user no more than that a server has ended.
                // Each call that needs the policy answers with the fault.
                output.warn(&fault);
            }
            retain(&workspace);
        }
        output.waiting();
        resilient_mcp::serve_stdio(Server::offering(workspace, names, offer))?;
        Ok(ExitCode::SUCCESS)
    }
}
