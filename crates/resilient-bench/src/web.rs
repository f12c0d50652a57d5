//! Clients of an MCP server over Streamable HTTP: a session and a connection for each, all on one thread.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use http::Request;
use http::header::{ACCEPT, CONTENT_TYPE, HOST};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use crate::client::{Program, check};

/// How long a server may take until it listens, in tenths of a second.
const PATIENCE: u32 = 300;

/// A server that listens; dropping it ends it.
pub(crate) struct WebServer {
    child: Child,
    address: SocketAddr,
}

/// One client with a session and a connection of its own.
pub(crate) struct WebClient {
    connection: SendRequest<Full<Bytes>>,
    host: String,
    path: String,
    session: Option<String>,
}

impl WebServer {
    /// Starts a server in a workspace and waits until it listens.
    ///
    /// # Errors
    /// It cannot be started, or does not listen in half a minute.
    pub(crate) fn start(program: &Program, workspace: &Path) -> Result<Self> {
        let (name, arguments) = program.command.split_first().context("an empty command")?;
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        let child = Command::new(name)
            .args(arguments)
            .args(["--transport", "http", "--port", &address.port().to_string()])
            .current_dir(workspace)
            .env("RW_WORKSPACE", workspace)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("starting {name}"))?;
        let server = Self { child, address };
        for _ in 0..PATIENCE {
            if std::net::TcpStream::connect(address).is_ok() {
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
    pub(crate) async fn client(&self) -> Result<WebClient> {
        let stream = TcpStream::connect(self.address).await?;
        stream.set_nodelay(true)?;
        let (connection, driven) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(driven);
        let (host, path) = (self.address.to_string(), "/mcp".to_owned());
        let mut client = WebClient { connection, host, path, session: None };
        client
            .post(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "resilient-bench", "version": env!("CARGO_PKG_VERSION")},
            }}))
            .await?;
        client.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await?;
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
    pub(crate) async fn call(&mut self, tool: &str, arguments: &Value) -> Result<()> {
        let params = json!({"name": tool, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        check(&self.post(&message).await?).map(drop)
    }

    /// Sends a message; gives the one that comes back, if any does.
    async fn post(&mut self, message: &Value) -> Result<String> {
        let mut reply = self.send(message).await?;
        // The Python server may have its address with a slash at the end.
        if reply.status().is_redirection() && !self.path.ends_with('/') {
            reply.into_body().collect().await?;
            self.path.push('/');
            reply = self.send(message).await?;
        }
        if let Some(session) = reply.headers().get("mcp-session-id") {
            self.session = Some(session.to_str()?.to_owned());
        }
        let status = reply.status();
        let body = reply.into_body().collect().await?.to_bytes();
        let body = std::str::from_utf8(&body)?;
        ensure!(status.is_success(), "{status}: {body}");
        let event = body.lines().filter_map(|line| line.strip_prefix("data: ")).next_back();
        Ok(event.unwrap_or(body).to_owned())
    }

    async fn send(&mut self, message: &Value) -> Result<http::Response<hyper::body::Incoming>> {
        let mut request = Request::post(&self.path)
            .header(HOST, &self.host)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
            .header("Mcp-Protocol-Version", "2025-06-18");
        if let Some(session) = &self.session {
            request = request.header("Mcp-Session-Id", session);
        }
        let body = Full::from(serde_json::to_vec(message)?);
        self.connection.ready().await?;
        Ok(self.connection.send_request(request.body(body)?).await?)
    }
}
