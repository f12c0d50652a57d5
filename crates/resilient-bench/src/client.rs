//! A client of an MCP server: a child process, one JSON message a line.
//!
//! Requests are made ahead as lines and replies are checked afterwards, so that what is timed is
//! the server and two pipes.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

/// What our own server is called in reports.
pub(crate) const OURS: &str = "resilient-write";
/// What our own server of an earlier version is called in reports.
pub(crate) const BEFORE: &str = "resilient-write before";

/// How a server is started.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    /// What it is called in reports.
    pub(crate) name: String,
    pub(crate) command: Vec<String>,
}

impl Program {
    /// Our own server.
    pub(crate) fn ours(path: &Path) -> Self {
        Self { name: OURS.to_owned(), command: vec![path.display().to_string()] }
    }

    /// Our own server as it was before a change.
    pub(crate) fn before(path: &Path) -> Self {
        Self { name: BEFORE.to_owned(), ..Self::ours(path) }
    }

    /// The reader beside our own server.
    pub(crate) fn reader(&self) -> Self {
        let server = self.command.first().map(Path::new).unwrap_or(Path::new(""));
        let name = format!("resilient-read{}", std::env::consts::EXE_SUFFIX);
        let command = vec![server.with_file_name(name).display().to_string()];
        Self { name: "resilient-read".to_owned(), command }
    }

    /// The Python reader, of the interpreter that has it.
    pub(crate) fn python_reader(interpreter: &Path) -> Self {
        let start = "from resilient_read.server import main; main()";
        let command = [interpreter.display().to_string(), "-c".to_owned(), start.to_owned()];
        Self { name: "Python reader 0.1.1".to_owned(), command: command.into() }
    }

    /// The Python server, of the interpreter that has it.
    pub(crate) fn python(interpreter: &Path) -> Self {
        let start = "from resilient_write.server import main; main()";
        let command = [interpreter.display().to_string(), "-c".to_owned(), start.to_owned()];
        Self { name: "Python 0.3.0".to_owned(), command: command.into() }
    }

    /// Starts it in a workspace, without shaking hands.
    ///
    /// # Errors
    /// It cannot be started.
    pub(crate) fn spawn(&self, workspace: &Path) -> Result<Client> {
        let (program, arguments) = self.command.split_first().context("an empty command")?;
        let mut child = Command::new(program)
            .args(arguments)
            .current_dir(workspace)
            .env("RW_WORKSPACE", workspace)
            .env("RR_WORKSPACE", workspace)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("starting {program}"))?;
        let to_server = child.stdin.take().context("no standard input")?;
        let from_server = BufReader::new(child.stdout.take().context("no standard output")?);
        Ok(Client { child, to_server: Some(to_server), from_server })
    }

    /// Starts it in a workspace and shakes hands.
    ///
    /// # Errors
    /// It cannot be started or does not answer.
    pub(crate) fn connect(&self, workspace: &Path) -> Result<Client> {
        let mut client = self.spawn(workspace)?;
        client.initialize().with_context(|| format!("shaking hands with {}", self.name))?;
        Ok(client)
    }
}

/// A server in a child process, which ends with the client.
#[derive(Debug)]
pub(crate) struct Client {
    child: Child,
    to_server: Option<ChildStdin>,
    from_server: BufReader<ChildStdout>,
}

impl Client {
    /// The server's process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Shakes hands.
    ///
    /// # Errors
    /// The server ends or answers with an error.
    pub(crate) fn initialize(&mut self) -> Result<()> {
        let params = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "resilient-bench", "version": env!("CARGO_PKG_VERSION")},
        });
        self.request("initialize", params)?;
        self.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")
    }

    /// Sends a line, its end included.
    ///
    /// # Errors
    /// The server is gone.
    pub(crate) fn send(&mut self, line: &str) -> Result<()> {
        let pipe = self.to_server.as_mut().context("the input was closed")?;
        Ok(pipe.write_all(line.as_bytes())?)
    }

    /// The server's next line.
    ///
    /// # Errors
    /// The server has ended.
    pub(crate) fn receive(&mut self) -> Result<String> {
        let mut line = String::new();
        ensure!(self.from_server.read_line(&mut line)? > 0, "the server has ended");
        Ok(line)
    }

    /// Sends a line and returns the reply.
    ///
    /// # Errors
    /// The server is gone.
    pub(crate) fn exchange(&mut self, line: &str) -> Result<String> {
        self.send(line)?;
        self.receive()
    }

    /// Makes any request and returns its result.
    ///
    /// # Errors
    /// The server is gone or answers with an error.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        let line = request(0, method, params);
        result_of(&self.exchange(&line)?)
    }

    /// Calls a tool and returns what it answered.
    ///
    /// # Errors
    /// The server is gone, or the call failed.
    #[cfg(test)]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Result<Value> {
        let line = call(0, tool, arguments);
        check(&self.exchange(&line)?)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The end of its input ends a server.
        self.to_server = None;
        let _ = self.child.wait();
    }
}

/// The line of any request.
pub(crate) fn request(id: usize, method: &str, params: Value) -> String {
    let mut line =
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string();
    line.push('\n');
    line
}

/// The line of a tool call. Both servers know the names with a dot.
pub(crate) fn call(id: usize, tool: &str, arguments: Value) -> String {
    request(id, "tools/call", json!({"name": tool, "arguments": arguments}))
}

fn result_of(reply: &str) -> Result<Value> {
    let mut reply: Value = serde_json::from_str(reply).context("a reply that is not JSON")?;
    match reply.get_mut("result") {
        Some(result) => Ok(result.take()),
        None => bail!("refused: {reply}"),
    }
}

/// Reads the reply to a tool call and returns what the tool answered.
///
/// # Errors
/// The call was refused or did not answer ok.
pub(crate) fn check(reply: &str) -> Result<Value> {
    let result = result_of(reply)?;
    let text = result.pointer("/content/0/text").and_then(Value::as_str);
    let answer: Value = serde_json::from_str(text.context("an answer without text")?)?;
    ensure!(answer.get("ok") == Some(&Value::Bool(true)), "the call failed: {answer}");
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// The server of this build, where it was built: a test of one package does not build the
    /// programs of another.
    fn server() -> Option<PathBuf> {
        let us = std::env::current_exe().unwrap();
        // PROFILE/deps/TEST
        let dir = us.parent().and_then(Path::parent).unwrap();
        let server = dir.join(format!("resilient-write{}", std::env::consts::EXE_SUFFIX));
        server.is_file().then_some(server)
    }

    #[test]
    fn the_real_server_writes_a_file_and_refuses_to_create_it_again() {
        let Some(server) = server() else { return };
        let home = tempfile::tempdir().unwrap();
        let mut client = Program::ours(&server).connect(home.path()).unwrap();
        let arguments = json!({"path": "a.txt", "content": "one\n"});
        let answer = client.call("rw.safe_write", arguments.clone()).unwrap();
        assert_eq!((&answer["path"], &answer["bytes"]), (&json!("a.txt"), &json!(4)));
        assert_eq!(std::fs::read(home.path().join("a.txt")).unwrap(), b"one\n");
        let error = client.call("rw.safe_write", arguments).unwrap_err().to_string();
        assert!(error.starts_with("the call failed"), "{error}");
    }
}
