//! The server over HTTP, and a client for it that says exactly what it is told to.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Stdio};

use serde_json::{Value, json};

use crate::sandbox::{BINARY, Sandbox};

/// A server that listens. Dropping it kills it.
pub(crate) struct Web {
    child: Child,
    stderr: BufReader<ChildStderr>,
    /// What it has said so far, up to the first address at which it listens.
    pub(crate) said: Vec<String>,
    /// Where it listens.
    pub(crate) address: String,
}

/// An answer of the server, its body whole.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

/// A connection on which a request was made.
pub(crate) struct Line {
    stream: BufReader<TcpStream>,
    pub(crate) status: u16,
    head: String,
}

/// One client of the server, in the era with a handshake.
pub(crate) struct Client<'a> {
    web: &'a Web,
    path: String,
    headers: Vec<(String, String)>,
}

const ACCEPT: (&str, &str) = ("Accept", "application/json, text/event-stream");
const JSON: (&str, &str) = ("Content-Type", "application/json");

impl Sandbox {
    /// Starts the server over HTTP, on any port.
    pub(crate) fn listen(&self, args: &[&str]) -> Web {
        self.listen_as(BINARY, args)
    }

    pub(crate) fn listen_as(&self, program: &str, args: &[&str]) -> Web {
        let mut command = self.command(program, &self.root());
        command.args(args).args(["--port", "0"]);
        Web::of(&mut command)
    }

    /// Starts the server with a socket that listens already, as systemd does.
    #[cfg(unix)]
    pub(crate) fn listen_on(&self, socket: std::net::TcpListener, args: &[&str]) -> Web {
        let mut command = self.command("sh", &self.root());
        command.args(["-c", HAND_OVER, BINARY]).args(args);
        Web::of(command.stdin(std::os::fd::OwnedFd::from(socket)))
    }
}

/// The rest of [`Sandbox::listen_on`], for a server that does not start.
#[cfg(unix)]
impl Sandbox {
    /// What the server says that refuses a socket.
    pub(crate) fn refuses_socket(&self, socket: std::net::TcpListener, args: &[&str]) -> String {
        let mut command = self.command("sh", &self.root());
        command.args(["-c", HAND_OVER, BINARY]).args(args);
        let ran = command.stdin(std::os::fd::OwnedFd::from(socket)).output().unwrap();
        assert_eq!(ran.status.code(), Some(2), "{ran:?}");
        String::from_utf8(ran.stderr).unwrap()
    }
}

/// Moves the socket from standard input to where a starter puts it.
#[cfg(unix)]
const HAND_OVER: &str = r#"exec 3<&0 </dev/null; LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" "$@""#;

impl Web {
    fn of(command: &mut std::process::Command) -> Self {
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let mut web = Self { child, stderr, said: Vec::new(), address: String::new() };
        let line = web.said_until("listening on http");
        web.address = line.split("://").nth(1).unwrap().split('/').next().unwrap().to_owned();
        web.said.push(line);
        web
    }

    /// The next line that has this text; those before it are kept.
    pub(crate) fn said_until(&mut self, text: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(self.stderr.read_line(&mut line).unwrap() > 0, "it ended: {:?}", self.said);
            let line = line.trim_end().to_owned();
            if line.contains(text) {
                return line;
            }
            self.said.push(line);
        }
    }

    /// Makes a request and reads the head of its answer.
    pub(crate) fn open(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Line {
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        let is_given =
            |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        if !is_given("Host") {
            head += &format!("Host: {}\r\n", self.address);
        }
        if !is_given("Content-Length") && !body.is_empty() {
            head += &format!("Content-Length: {}\r\n", body.len());
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        self.say(&format!("{head}Connection: close\r\n\r\n{body}"))
    }

    /// Sends bytes as they are and reads the head of the answer.
    pub(crate) fn say(&self, text: &str) -> Line {
        Line::read(BufReader::new(self.say_half(text)))
    }

    /// Sends bytes as they are, and waits for nothing.
    pub(crate) fn say_half(&self, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    }

    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        self.open(method, path, headers, body).rest()
    }

    /// Asks whether the server is ready, until it knows: a check that takes long on a busy machine goes on.
    pub(crate) fn readiness(&self) -> Answer {
        loop {
            let answer = self.ask("GET", "/readyz", &[], "");
            if !answer.body.contains("does not answer") {
                return answer;
            }
        }
    }

    /// Posts a message, with the headers that every client sends.
    pub(crate) fn post(&self, path: &str, more: &[(&str, &str)], message: &Value) -> Answer {
        self.ask("POST", path, &[&[ACCEPT, JSON], more].concat(), &message.to_string())
    }

    /// A client that has shaken hands.
    pub(crate) fn greet(&self, path: &str, more: &[(&str, &str)]) -> Client<'_> {
        let answer = self.post(path, more, &handshake());
        assert_eq!(answer.status, 200, "{answer:?}");
        let session = answer.header("mcp-session-id").unwrap().to_owned();
        let own = [("Mcp-Session-Id", session.as_str()), ("Mcp-Protocol-Version", "2025-11-25")];
        let headers = own.iter().chain(more);
        let headers =
            headers.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let client = Client { web: self, path: path.to_owned(), headers };
        let noted = client.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        assert_eq!(noted.status, 202, "{noted:?}");
        client
    }

    /// Tells the server to end.
    #[cfg(unix)]
    pub(crate) fn stop(&self) {
        use rustix::process::{Pid, Signal, kill_process};
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
    }

    /// Waits for the end of the server.
    pub(crate) fn end(mut self) -> (String, Option<i32>) {
        let mut rest = String::new();
        self.stderr.read_to_string(&mut rest).unwrap();
        (rest, self.child.wait().unwrap().code())
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Line {
    /// Reads the head of an answer.
    fn read(mut stream: BufReader<TcpStream>) -> Self {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(stream.read_line(&mut head).unwrap() > 0, "no whole head: {head}");
        }
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { stream, status, head }
    }

    /// Sends a body for which the server has asked, and reads the head of the answer.
    pub(crate) fn send(mut self, body: &str) -> Self {
        self.stream.get_mut().write_all(body.as_bytes()).unwrap();
        Self::read(self.stream)
    }

    /// The next event of a stream: its name and data.
    pub(crate) fn event(&mut self) -> (String, String) {
        let (mut name, mut data) = (String::new(), String::new());
        loop {
            let line = self.text_line();
            if let Some(text) = line.strip_prefix("event: ") {
                name = text.to_owned();
            } else if let Some(text) = line.strip_prefix("data: ") {
                data = text.to_owned();
            } else if line.is_empty() && !data.is_empty() {
                return (name, data);
            }
        }
    }

    /// The next line of text; the sizes of chunks are passed over.
    fn text_line(&mut self) -> String {
        loop {
            let mut line = String::new();
            assert!(self.stream.read_line(&mut line).unwrap() > 0, "the stream ended");
            let is_size = line.ends_with("\r\n");
            if !is_size {
                return line.trim_end().to_owned();
            }
        }
    }

    /// Waits for the end of a stream.
    pub(crate) fn ends_within(&mut self, time: std::time::Duration) {
        self.stream.get_ref().set_read_timeout(Some(time)).unwrap();
        self.stream.read_to_end(&mut Vec::new()).unwrap();
    }

    /// All that is still to come.
    pub(crate) fn rest(mut self) -> Answer {
        let mut rest = Vec::new();
        self.stream.read_to_end(&mut rest).unwrap();
        let is_chunked = self.head.to_ascii_lowercase().contains("transfer-encoding: chunked");
        let body = if is_chunked { unchunked(&rest) } else { rest };
        let body = String::from_utf8(body).unwrap();
        Answer { status: self.status, head: self.head, body }
    }
}

fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|two| two == b"\r\n").unwrap();
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        if size == 0 {
            return body;
        }
        body.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 4 + size..];
    }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (given, value) = line.split_once(": ")?;
            given.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    /// The message of the answer, as JSON or as the last event.
    pub(crate) fn message(&self) -> Value {
        let event = self.body.lines().filter_map(|line| line.strip_prefix("data: ")).next_back();
        serde_json::from_str(event.unwrap_or(&self.body))
            .unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Client<'_> {
    fn headers(&self) -> Vec<(&str, &str)> {
        let given = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        given.chain([ACCEPT, JSON]).collect()
    }

    pub(crate) fn post(&self, message: &Value) -> Answer {
        self.begin(message).rest()
    }

    /// Posts a message and reads the head of the answer.
    pub(crate) fn begin(&self, message: &Value) -> Line {
        self.web.open("POST", &self.path, &self.headers(), &message.to_string())
    }

    /// The identity of the session.
    pub(crate) fn session(&self) -> &str {
        &self.headers.iter().find(|(name, _)| name == "Mcp-Session-Id").unwrap().1
    }

    /// Calls a tool and gives its answer.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Value {
        let answer = self.post(&call(7, tool, arguments));
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.message()["result"]["structuredContent"].take()
    }

    pub(crate) fn ping(&self) {
        let answer = self.post(&json!({"jsonrpc": "2.0", "id": 8, "method": "ping"}));
        assert_eq!(answer.message()["id"], 8, "{answer:?}");
    }
}

pub(crate) fn handshake() -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    }})
}

pub(crate) fn call(id: u64, tool: &str, arguments: &Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}
