//! An MCP client of a few lines: it starts the server, speaks JSON-RPC to it, and can kill it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

/// The demo has surroundings of its own, whatever those of its user are.
const VARIABLES: [&str; 5] = [
    "RW_WORKSPACE",
    "RW_STATE_DIR",
    "RW_POLICY_FILE",
    "RW_SCRATCH_DISABLE_GET",
    "RW_ALLOW_UNSAFE_ROOTS",
];

/// A server process and the way to speak to it.
pub(crate) struct Client {
    workspace: PathBuf,
    server: Server,
    /// How many tools were called, over all server processes.
    pub(crate) calls: u64,
}

struct Server {
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Client {
    /// Starts this very program as a server in `workspace`, and shakes hands.
    pub(crate) fn start(workspace: &Path) -> Result<Self> {
        let server = Server::start(workspace)?;
        let mut client = Self { workspace: workspace.to_owned(), server, calls: 0 };
        client.shake_hands()?;
        Ok(client)
    }

    /// Starts the server anew, in place of one that was killed.
    pub(crate) fn restart(&mut self) -> Result<()> {
        self.server = Server::start(&self.workspace)?;
        self.shake_hands()
    }

    /// Kills the server on the spot: SIGKILL, where there are signals.
    pub(crate) fn kill(&mut self) -> Result<()> {
        self.server.process.kill()?;
        self.server.process.wait()?;
        Ok(())
    }

    /// Hangs up and waits for the server to end.
    pub(crate) fn hang_up(self) -> Result<()> {
        let Server { mut process, to, from } = self.server;
        drop((to, from));
        let status = process.wait()?;
        ensure!(status.success(), "the server ended with {status}");
        Ok(())
    }

    /// Calls a tool that should succeed, and gives its answer.
    pub(crate) fn succeed(&mut self, tool: &str, arguments: Value) -> Result<Value> {
        let answer = self.call(tool, arguments)?;
        ensure!(at(&answer, "/ok") == true, "{tool}: expected a success, found {answer}");
        Ok(answer)
    }

    /// Calls a tool that should fail, and gives the envelope.
    pub(crate) fn fail(&mut self, tool: &str, arguments: Value) -> Result<Value> {
        let answer = self.call(tool, arguments)?;
        ensure!(at(&answer, "/ok") == false, "{tool}: expected a failure, found {answer}");
        Ok(answer)
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Result<Value> {
        self.tell(tool, arguments)?;
        let reply = self.receive()?;
        let answer = at(&reply, "/result/structuredContent").clone();
        ensure!(answer.is_object(), "{tool}: expected a result, found {reply}");
        Ok(answer)
    }

    /// Calls a tool and does not wait for what it answers.
    pub(crate) fn tell(&mut self, tool: &str, arguments: Value) -> Result<()> {
        self.calls += 1;
        let params = json!({"name": tool, "arguments": arguments});
        let id = self.calls;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
    }

    fn shake_hands(&mut self) -> Result<()> {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "resilient-write-demo", "version": env!("CARGO_PKG_VERSION")},
        });
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        self.send(&hello)?;
        let reply = self.receive()?;
        let name = at(&reply, "/result/serverInfo/name");
        ensure!(name == "resilient-write", "expected our server, found {reply}");
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let line = format!("{message}\n");
        self.server.to.write_all(line.as_bytes()).context("speaking to the server")?;
        Ok(self.server.to.flush()?)
    }

    fn receive(&mut self) -> Result<Value> {
        let mut line = String::new();
        if self.server.from.read_line(&mut line)? == 0 {
            bail!("the server ended without an answer");
        }
        serde_json::from_str(&line).with_context(|| format!("the server said {line:?}"))
    }
}

/// What is at a JSON pointer in an answer; null where there is nothing.
pub(crate) fn at<'a>(answer: &'a Value, pointer: &str) -> &'a Value {
    answer.pointer(pointer).unwrap_or(&Value::Null)
}

impl Server {
    fn start(workspace: &Path) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        for variable in VARIABLES {
            command.env_remove(variable);
        }
        command.arg("serve").current_dir(workspace);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().context("starting the server")?;
        let (to, from) = (process.stdin.take(), process.stdout.take());
        let (to, from) = to.zip(from).context("the server's pipes")?;
        Ok(Self { process, to, from: BufReader::new(from) })
    }
}
