//! `call`: any tool by its name on the wire, with its arguments as JSON.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use resilient_core::{Error, Workspace};
use resilient_mcp::{ONE_OF_LISTED, Offer, Server, ToolNames};
use serde_json::Value;

use super::input;
use crate::output::Output;

/// Calls one tool as an MCP client would, and prints its answer as JSON.
#[derive(Debug, Args)]
pub(crate) struct Call {
    /// The tool, with an underscore or a dot: rr_read_tail, rr.read_tail
    tool: String,
    /// The arguments as a JSON object; - is standard input
    #[arg(default_value = "{}", value_name = "JSON")]
    arguments: String,
}

impl Call {
    /// Calls the tool.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(
        self,
        workspace: Workspace,
        offer: Offer,
        output: &Output,
    ) -> Result<ExitCode> {
        let sent = match self.arguments.as_str() {
            "-" => input::text("-"),
            text => Ok(text.to_owned()),
        };
        let arguments = sent.and_then(|sent| Ok((input::parse_json("arguments", &sent)?, sent)));
        let (arguments, sent) = match arguments {
            Ok(arguments) => arguments,
            Err(error) => return self.unreadable(error, output),
        };
        let server = Server::offering(workspace, ToolNames::Underscore, offer);
        match server.call(&self.tool, arguments, &sent) {
            Ok(success) if output.is_json() => output.line(&success)?,
            Ok(success) => output.raw(format!("{success:#}\n").as_bytes())?,
            Err(mut envelope) => {
                name_tools(&mut envelope, &server);
                return output.failure(&words(&self.tool, &envelope), &envelope);
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    fn unreadable(&self, error: Error, output: &Output) -> Result<ExitCode> {
        output.answer(&self.tool, Err::<(), _>(error), |()| String::new())
    }
}

/// Lists the tools where a call names none, and comes near to none: no other command lists them.
fn name_tools(envelope: &mut Value, server: &Server) {
    let Some(Value::Object(context)) = envelope.get_mut("context") else { return };
    if context.get("hint").is_some_and(|hint| *hint == ONE_OF_LISTED) {
        context.insert("tools".to_owned(), server.listed_names().into());
        context.insert("hint".to_owned(), "call one of the tools that context.tools lists".into());
    }
}

/// A headline for an envelope, which has no message of its own.
fn words(tool: &str, envelope: &Value) -> String {
    let text = |name| envelope.get(name).and_then(Value::as_str).unwrap_or_default();
    format!("{tool}: {} ({})", text("error"), text("reason_hint"))
}
