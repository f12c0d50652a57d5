//! Clients of an MCP server over Streamable HTTP: a session and a connection for each.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use ureq::Agent;

use crate::client::{Program, check};

/// How long a server may take until it listens, in tenths of a second.
const PATIENCE: u32 = 300;

/// A server that listens; dropping it ends it.
pub(crate) struct WebServer {
    child: Child,
    url: String,
}

/// One client with a session of its own.
pub(crate) struct WebClient {
    agent: Agent,
    url: String,
    session: Option<String>,
}

impl WebServer {
    /// Starts a server in a workspace and waits until it listens.
    ///
    /// # Errors
    /// It cannot be started, or does not listen in half a minute.
    pub(crate) fn start(program: &Program, workspace: &Path) -> Result<Self> {
        let (name, arguments) = program.command.split_first().context("an empty command")?;
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let child = Command::new(name)
            .args(arguments)
            .args(["--transport", "http", "--port", &port.to_string()])
            .current_dir(workspace)
            .env("RW_WORKSPACE", workspace)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("starting {name}"))?;
        let server = Self { child, url: format!("http://127.0.0.1:{port}/mcp") };
        for _ in 0..PATIENCE {
            if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
                return Ok(server);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        anyhow::bail!("{name} does not listen")
    }

    /// The server's process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A client that has shaken hands.
    ///
    /// # Errors
    /// The server refuses.
    pub(crate) fn client(&self) -> Result<WebClient> {
        let config = Agent::config_builder().http_status_as_error(false);
        let agent = config.max_redirects(0).build().new_agent();
        let mut client = WebClient { agent, url: self.url.clone(), session: None };
        client.post(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "resilient-bench", "version": env!("CARGO_PKG_VERSION")},
        }}))?;
        client.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(client)
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl WebClient {
    /// Calls a tool and sees that it answers ok.
    ///
    /// # Errors
    /// The server is gone, or the call failed.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<()> {
        let params = json!({"name": tool, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        check(&self.post(&message)?).map(drop)
    }

    /// Sends a message; gives the one that comes back, if any does.
    fn post(&mut self, message: &Value) -> Result<String> {
        let mut request = self
            .agent
            .post(&self.url)
            .header("Accept", "application/json, text/event-stream")
            .header("Mcp-Protocol-Version", "2025-06-18");
        if let Some(session) = &self.session {
            request = request.header("Mcp-Session-Id", session);
        }
        let mut reply = request.send_json(message)?;
        let status = reply.status();
        // The Python server may have its address with a slash at the end.
        if status.is_redirection() && !self.url.ends_with('/') {
            self.url.push('/');
            return self.post(message);
        }
        if let Some(session) = reply.headers().get("mcp-session-id") {
            self.session = Some(session.to_str()?.to_owned());
        }
        let body = reply.body_mut().read_to_string()?;
        ensure!(status.is_success(), "{status}: {body}");
        let event = body.lines().filter_map(|line| line.strip_prefix("data: ")).next_back();
        Ok(event.unwrap_or(&body).to_owned())
    }
}
