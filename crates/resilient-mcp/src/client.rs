//! The other end of the wire: a client that runs a server as a child process.
//!
//! It sends one request at a time, one JSON message a line, with the handshake of 2025-11-25. It waits for a server that
//! says nothing as long as [`Client::patience`] allows. A server that is gone and one that refuses are different errors.
//! The client skips what a server says between request and reply, such as progress. For many requests at once, use
//! another client.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// The variables that the servers read. A server whose surroundings are to be known is started
/// without them.
pub const VARIABLES: [&str; 8] = [
    "RW_WORKSPACE",
    "RW_STATE_DIR",
    "RW_POLICY_FILE",
    "RW_SCRATCH_DISABLE_GET",
    "RW_ALLOW_UNSAFE_ROOTS",
    "RW_TOOLS",
    "RR_WORKSPACE",
    "RR_STATE_DIR",
];

/// A server that offers more pages of tools than this is not listened to any longer.
const PAGES_MAX: usize = 64;

/// A server in a child process, with which hands were shaken. It ends with the client.
#[derive(Debug)]
pub struct Client {
    process: Child,
    to: Option<ChildStdin>,
    from: Receiver<io::Result<String>>,
    requests: u64,
    patience: Duration,
    server: String,
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolAnswer {
    /// Whether the call failed; so does a call of which the protocol itself complains.
    pub is_error: bool,
    /// The answer as text.
    pub text: String,
    /// The answer as a value, where the server gives one.
    pub structured: Option<Value>,
}

impl Client {
    /// Starts a server and shakes hands with it, as a client of this name. Standard error stays
    /// what the command says.
    ///
    /// # Errors
    /// The command cannot be started, or what it starts is no server.
    pub fn start(command: &mut Command, name: &str) -> io::Result<Self> {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let to = process.stdin.take();
        let from = lines(process.stdout.take());
        let patience = Duration::from_secs(120);
        let mut client = Self { process, to, from, requests: 0, patience, server: String::new() };
        let hello = client.request(
            "initialize",
            json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": name, "version": env!("CARGO_PKG_VERSION")},
            }),
        )?;
        let server = hello.pointer("/result/serverInfo/name").and_then(Value::as_str);
        client.server = server.ok_or_else(|| strange("to shake hands", &hello))?.to_owned();
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(client)
    }

    /// What the server calls itself.
    #[must_use]
    pub fn server(&self) -> &str {
        &self.server
    }

    /// Sets how long an answer is waited for; two minutes otherwise.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Lists the tools as the server describes them.
    ///
    /// # Errors
    /// The server is gone, silent, or does not list them.
    pub fn tools(&mut self) -> io::Result<Vec<Value>> {
        let mut tools = Vec::new();
        let mut params = json!({});
        for _ in 0..PAGES_MAX {
            let reply = self.request("tools/list", params)?;
            let page = reply.pointer("/result/tools").and_then(Value::as_array);
            tools.extend(page.ok_or_else(|| strange("a list of tools", &reply))?.iter().cloned());
            match reply.pointer("/result/nextCursor").and_then(Value::as_str) {
                Some(next) => params = json!({"cursor": next}),
                None => break,
            }
        }
        Ok(tools)
    }

    /// Calls a tool and waits for what it answers.
    ///
    /// # Errors
    /// The server is gone ([`io::ErrorKind::UnexpectedEof`], [`io::ErrorKind::BrokenPipe`]), silent
    /// ([`io::ErrorKind::TimedOut`]), or answers what is no answer ([`io::ErrorKind::InvalidData`]).
    /// A refusal is none of these but a [`ToolAnswer`].
    pub fn call(&mut self, tool: &str, arguments: &Value) -> io::Result<ToolAnswer> {
        let reply = self.request("tools/call", json!({"name": tool, "arguments": arguments}))?;
        if let Some(message) = reply.pointer("/error/message").and_then(Value::as_str) {
            return Ok(ToolAnswer { is_error: true, text: message.to_owned(), structured: None });
        }
        let result = reply.get("result").ok_or_else(|| strange("a result", &reply))?;
        let items = result.get("content").and_then(Value::as_array);
        let texts = items.into_iter().flatten().filter_map(|item| item.get("text")?.as_str());
        Ok(ToolAnswer {
            is_error: result.get("isError") == Some(&Value::Bool(true)),
            text: texts.collect::<Vec<_>>().join("\n"),
            structured: result.get("structuredContent").cloned(),
        })
    }

    /// Calls a tool and does not wait for what it answers.
    ///
    /// # Errors
    /// The server is gone.
    pub fn tell(&mut self, tool: &str, arguments: &Value) -> io::Result<()> {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// Kills the server on the spot: SIGKILL, where there are signals.
    ///
    /// # Errors
    /// The system refuses.
    pub fn kill(&mut self) -> io::Result<()> {
        self.process.kill()?;
        self.process.wait().map(drop)
    }

    /// Hangs up, waits for the server to end, and tells how it did.
    ///
    /// # Errors
    /// The system refuses.
    pub fn hang_up(mut self) -> io::Result<ExitStatus> {
        self.to = None;
        self.process.wait()
    }

    fn ask(&mut self, method: &str, params: &Value) -> io::Result<()> {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    }

    fn request(&mut self, method: &str, params: Value) -> io::Result<Value> {
        self.ask(method, &params)?;
        loop {
            let line = match self.from.recv_timeout(self.patience) {
                Ok(line) => line?,
                Err(RecvTimeoutError::Timeout) => return Err(io::ErrorKind::TimedOut.into()),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            };
            let message: Value = serde_json::from_str(&line)
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
            if message.get("id").and_then(Value::as_u64) == Some(self.requests)
                && message.get("method").is_none()
            {
                return Ok(message);
            }
        }
    }

    fn send(&mut self, message: &Value) -> io::Result<()> {
        let pipe = self.to.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        pipe.write_all(format!("{message}\n").as_bytes())?;
        pipe.flush()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The end of its input ends a server; one that hangs is not waited for.
        self.to = None;
        let silent = loop {
            match self.from.recv_timeout(Duration::from_secs(2)) {
                Ok(_) => {}
                Err(end) => break end == RecvTimeoutError::Timeout,
            }
        };
        if silent {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }
}

/// Reads lines until the pipe ends, on a thread of its own, so that waiting can be given up.
fn lines(pipe: Option<ChildStdout>) -> Receiver<io::Result<String>> {
    let (sender, receiver) = sync_channel(64);
    thread::spawn(move || {
        for line in pipe.into_iter().flat_map(|pipe| BufReader::new(pipe).lines()) {
            let ended = line.is_err();
            if sender.send(line).is_err() || ended {
                break;
            }
        }
    });
    receiver
}

fn strange(expected: &str, found: &Value) -> io::Error {
    let message = format!("expected {expected}, found {found}");
    io::Error::new(io::ErrorKind::InvalidData, message)
}
