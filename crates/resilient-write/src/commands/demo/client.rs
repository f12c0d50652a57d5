//! The agent's side of the demo: it starts the server, calls its tools, and can kill it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use resilient_mcp::client::{self, VARIABLES};
use serde_json::Value;

/// A server process and how to speak to it.
pub(crate) struct Client {
    workspace: PathBuf,
    server: client::Client,
    /// How many tools were called, over all server processes.
    pub(crate) calls: u64,
}

impl Client {
    /// Starts this very program as a server in `workspace`, and shakes hands.
    pub(crate) fn start(workspace: &Path) -> Result<Self> {
        Ok(Self { workspace: workspace.to_owned(), server: serve(workspace)?, calls: 0 })
    }

    /// Starts the server anew, in place of one that was killed.
    pub(crate) fn restart(&mut self) -> Result<()> {
        self.server = serve(&self.workspace)?;
        Ok(())
    }

    /// Kills the server on the spot: SIGKILL, where there are signals.
    pub(crate) fn kill(&mut self) -> Result<()> {
        Ok(self.server.kill()?)
    }

    /// Hangs up and waits for the server to end.
    pub(crate) fn hang_up(self) -> Result<()> {
        let status = self.server.hang_up()?;
        ensure!(status.success(), "the server ended with {status}");
        Ok(())
    }

    /// Calls a tool that should succeed, and gives its answer.
    pub(crate) fn succeed(&mut self, tool: &str, arguments: Value) -> Result<Value> {
        let answer = self.call(tool, &arguments)?;
        ensure!(at(&answer, "/ok") == true, "{tool}: expected a success, found {answer}");
        Ok(answer)
    }

    /// Calls a tool that should fail, and gives the envelope.
    pub(crate) fn fail(&mut self, tool: &str, arguments: Value) -> Result<Value> {
        let answer = self.call(tool, &arguments)?;
        ensure!(at(&answer, "/ok") == false, "{tool}: expected a failure, found {answer}");
        Ok(answer)
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        self.calls += 1;
        let answer = self.server.call(tool, arguments).context("speaking to the server")?;
        let text = answer.text;
        answer.structured.with_context(|| format!("{tool}: expected a value, found {text}"))
    }

    /// Calls a tool and does not wait for what it answers.
    pub(crate) fn tell(&mut self, tool: &str, arguments: &Value) -> Result<()> {
        self.calls += 1;
        self.server.tell(tool, arguments).context("speaking to the server")
    }
}

/// What is at a JSON pointer in an answer; null where there is nothing.
pub(crate) fn at<'a>(answer: &'a Value, pointer: &str) -> &'a Value {
    answer.pointer(pointer).unwrap_or(&Value::Null)
}

/// The demo has surroundings of its own, whatever those of its user are.
fn serve(workspace: &Path) -> Result<client::Client> {
    let mut command = Command::new(std::env::current_exe()?);
    // The server logs what recovery does; the demo tells its own account.
    command.arg("serve").current_dir(workspace).stderr(Stdio::null());
    for variable in VARIABLES {
        command.env_remove(variable);
    }
    let server = client::Client::start(&mut command, "resilient-write-demo")
        .context("starting the server")?;
    ensure!(server.server() == "resilient-write", "expected our server, found another");
    Ok(server)
}
