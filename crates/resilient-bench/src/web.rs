//! Clients of an MCP server over Streamable HTTP: a session and a connection for each, all on one thread.
//!
//! As over pipes, requests are made ahead and replies are checked afterwards.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
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
    connection: TcpStream,
    /// The lines in front of the length of the body.
    head: String,
}

/// What came back to a message, with its head.
pub(crate) struct Posted(Vec<u8>);

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
        let connection = TcpStream::connect(self.address).await?;
        connection.set_nodelay(true)?;
        let mut client = WebClient { connection, head: self.head("/mcp") };
        let greeting = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "resilient-bench", "version": env!("CARGO_PKG_VERSION")},
        }})
        .to_string();
        let mut greeted = client.post(&client.request(&greeting)).await?;
        if greeted.status() == Some("307") {
            // The Python server has its address with a slash at the end.
            client.head = self.head("/mcp/");
            greeted = client.post(&client.request(&greeting)).await?;
        }
        greeted.message()?;
        let session = greeted.field("mcp-session-id").context("an answer without a session")?;
        client.head.push_str(&format!("Mcp-Session-Id: {session}\r\n"));
        let done = r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#;
        client.post(&client.request(done)).await?.message()?;
        Ok(client)
    }

    fn head(&self, path: &str) -> String {
        format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2025-06-18\r\n",
            self.address
        )
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl WebClient {
    /// The request that sends a message.
    pub(crate) fn request(&self, message: &str) -> Vec<u8> {
        format!("{}Content-Length: {}\r\n\r\n{message}", self.head, message.len()).into_bytes()
    }

    /// Sends a request that was made ahead; gives what comes back, to be checked later.
    ///
    /// # Errors
    /// The server is gone.
    pub(crate) async fn post(&mut self, request: &[u8]) -> Result<Posted> {
        self.connection.write_all(request).await?;
        let mut posted = Posted(Vec::with_capacity(4 << 10));
        while !posted.is_whole() {
            let read = self.connection.read_buf(&mut posted.0).await?;
            ensure!(read > 0, "the server has closed the connection");
        }
        Ok(posted)
    }
}

impl Posted {
    /// Sees that a tool answers ok.
    ///
    /// # Errors
    /// The message was refused, or the call failed.
    pub(crate) fn check(&self) -> Result<()> {
        check(self.message()?).map(drop)
    }

    /// The message in it: all of the body, or its last event.
    fn message(&self) -> Result<&str> {
        let (head, body) = self.split().context("half an answer")?;
        let status = self.status().unwrap_or_default();
        ensure!(status.starts_with('2'), "{head}\n{body}");
        let event = body.lines().filter_map(|line| line.strip_prefix("data: ")).next_back();
        Ok(event.unwrap_or(body))
    }

    fn status(&self) -> Option<&str> {
        self.split()?.0.split(' ').nth(1)
    }

    fn field(&self, name: &str) -> Option<&str> {
        let mut lines = self.split()?.0.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Whether all of the body is there.
    fn is_whole(&self) -> bool {
        let Some((_, body)) = self.split() else { return false };
        match self.field("content-length").and_then(|length| length.parse::<usize>().ok()) {
            Some(length) => body.len() >= length,
            // In pieces, of which the last one is empty.
            None => body.ends_with("0\r\n\r\n"),
        }
    }

    /// The head and the body so far.
    fn split(&self) -> Option<(&str, &str)> {
        std::str::from_utf8(&self.0).ok()?.split_once("\r\n\r\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_whole_by_its_length_or_its_last_piece() {
        let whole = |text: &str| Posted(text.as_bytes().to_vec()).is_whole();
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";
        assert!(!whole(&head[..20]) && !whole(&format!("{head}o")) && whole(&format!("{head}ok")));
        let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n";
        assert!(!whole(head) && whole(&format!("{head}0\r\n\r\n")));
    }

    #[test]
    fn the_message_is_the_last_event() {
        let events = "HTTP/1.1 200 OK\r\n\r\ndata: \nid: 0\n\ndata: {}\nid: 1\n\n";
        assert_eq!(Posted(events.into()).message().unwrap(), "{}");
        assert!(Posted(events.replace("200", "404").into_bytes()).message().is_err());
    }
}
