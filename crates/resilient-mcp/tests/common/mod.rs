//! A client that speaks lines, in the same process as the server.

use std::time::Duration;

use resilient_mcp::seam::Workspace;
use resilient_mcp::tools::ToolSpec;
use resilient_mcp::{Server, ToolNames, serve};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;

/// A guard against a server that is silent: far beyond what any reply takes.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Client {
    to_server: WriteHalf<DuplexStream>,
    from_server: BufReader<ReadHalf<DuplexStream>>,
    server: JoinHandle<std::io::Result<()>>,
}

impl Client {
    /// A client of a server that has these tools besides its own.
    pub(crate) fn connect(tools: Vec<ToolSpec>) -> Self {
        let server =
            Server::with_tools(Workspace::builder("/nowhere").open(), ToolNames::Underscore, tools);
        Self::of(server)
    }

    pub(crate) fn of(server: Server) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (reader, writer) = tokio::io::split(theirs);
        let server = tokio::spawn(serve(server, reader, writer));
        let (from_server, to_server) = tokio::io::split(ours);
        Self { to_server, from_server: BufReader::new(from_server), server }
    }

    /// A client that has shaken hands.
    pub(crate) async fn initialized(tools: Vec<ToolSpec>) -> Self {
        let mut client = Self::connect(tools);
        client.initialize("2025-11-25").await;
        client
    }

    pub(crate) async fn initialize(&mut self, version: &str) -> Value {
        let params = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "0"},
        });
        let reply = self.request(json!("init"), "initialize", params).await;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        reply["result"].clone()
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes()).await;
    }

    pub(crate) async fn send_line(&mut self, line: &[u8]) {
        self.send_raw(line).await;
        self.send_raw(b"\n").await;
    }

    /// Sends bytes as they are, without a newline.
    pub(crate) async fn send_raw(&mut self, bytes: &[u8]) {
        self.to_server.write_all(bytes).await.unwrap();
    }

    /// The next line of the server, or nothing at its end.
    pub(crate) async fn receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = self.from_server.read_line(&mut line);
        let size = tokio::time::timeout(PATIENCE, read).await.expect("an answer").unwrap();
        (size > 0).then(|| serde_json::from_str(&line).unwrap())
    }

    pub(crate) async fn request(&mut self, id: Value, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        let reply = self.receive().await.unwrap();
        assert_eq!(reply["id"], id, "{reply}");
        reply
    }

    /// Calls a tool and returns its result.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        self.request(json!(1), "tools/call", params).await["result"].take()
    }

    /// Calls a tool that must fail and returns the envelope.
    pub(crate) async fn call_failing(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        envelope(&result)
    }

    /// Ends the input, expects the server to end in peace, and returns what it said before.
    pub(crate) async fn hang_up(mut self) -> Vec<Value> {
        self.end_input().await;
        let mut rest = Vec::new();
        while let Some(message) = self.receive().await {
            rest.push(message);
        }
        self.server.await.unwrap().unwrap();
        rest
    }

    /// Ends the input but goes on reading.
    pub(crate) async fn end_input(&mut self) {
        self.to_server.shutdown().await.unwrap();
    }
}

/// The envelope in a failed result, the same in text and in structure.
pub(crate) fn envelope(result: &Value) -> Value {
    assert_eq!(result["isError"], true, "{result}");
    let content = result["content"].as_array().unwrap();
    assert_eq!(content.len(), 1);
    let text: Value = serde_json::from_str(content[0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"]);
    let mut keys: Vec<_> = text.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(
        keys,
        [
            "context",
            "detected_patterns",
            "error",
            "ok",
            "reason_hint",
            "retry_budget",
            "schema_version",
            "suggested_action"
        ]
    );
    text
}
