//! The state directory between this server and the Python server that it replaces: what one of
//! them wrote, the other reads and goes on with.
//!
//! `RESILIENT_PYTHON` names an interpreter with the package `resilient-write` 0.3.0; without it the
//! tests pass and say that they were skipped. `campaigns/python_server` compares far more.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test is told by the environment, and fails by panicking"
)]

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Map, Value, json};

/// A server process with one workspace.
struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Server {
    fn ours(workspace: &Path) -> Self {
        Self::start(&mut Command::new(env!("CARGO_BIN_EXE_resilient-write")), workspace)
    }

    fn python(interpreter: &OsString, workspace: &Path) -> Self {
        Self::start(Command::new(interpreter).args(["-m", "resilient_write.server"]), workspace)
    }

    fn start(command: &mut Command, workspace: &Path) -> Self {
        for variable in ["RW_WORKSPACE", "RW_STATE_DIR", "RW_POLICY_FILE"] {
            command.env_remove(variable);
        }
        let mut child = command
            .current_dir(workspace)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a server");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("its output"));
        let mut server = Self { child, stdin, stdout };
        let client = json!({"name": "test", "version": "1"});
        server.send(&json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client},
        }));
        server.receive();
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    /// What a tool answers.
    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let params = json!({"name": format!("rw.{tool}"), "arguments": arguments});
        self.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
        let reply = self.receive();
        let text = reply["result"]["content"][0]["text"].as_str().expect("a text");
        serde_json::from_str(text).unwrap_or_else(|_| panic!("{tool}: {text}"))
    }

    fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().expect("an open input");
        writeln!(stdin, "{message}").and_then(|()| stdin.flush()).expect("a listening server");
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("a reply: {line}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}

/// Makes some of every kind of state.
fn make_state(server: &mut Server) {
    let envelope = json!({
        "task_id": "t-1", "status": "partial", "agent": "a", "summary": "ünï: #half",
        "next_steps": ["go on", "00", "yes", "123e456", "two\nlines"],
        "last_good_state": [{"path": "a.txt", "sha256": "0".repeat(64)}],
    });
    for (tool, arguments) in [
        ("safe_write", json!({"path": "a.txt", "content": "one\n"})),
        ("safe_write", json!({"path": "a.txt", "content": "two\n", "mode": "append"})),
        ("safe_replace", json!({"path": "a.txt", "old_string": "one", "new_string": "1"})),
        ("chunk_append", json!({"session": "s", "content": "first\n", "total_expected": 3})),
        ("chunk_append", json!({"session": "s", "content": "zweité\n"})),
        ("scratch_put", json!({"content": "kept", "label": "l"})),
        ("scratch_put", json!({"content": "/+8=", "encoding": "base64"})),
        ("checkpoint", json!({"name": "c", "data": {"x": [1, 2.5, null]}, "ttl": "P7D"})),
        ("handoff_write", json!({"envelope": envelope, "body": "# Old\n"})),
        ("handoff_write", json!({"envelope": envelope, "body": "# New\n", "archive": true})),
    ] {
        let answer = server.call(tool, &arguments);
        assert_eq!(answer["ok"], true, "{tool} {arguments}: {answer}");
    }
}

/// Asks both for all that is there; whatever the Python server says, ours must say too.
fn assert_both_read_the_same(python: &mut Server, ours: &mut Server) {
    // Of the text `kept`.
    let kept = "79f076abdd19a752db7267bfff2f9022161d120dea919fdaca2ffdfc24ca8c96";
    for (tool, arguments) in [
        ("journal_tail", json!({"n": 100})),
        ("journal_tail", json!({"filter_mode": "replace"})),
        ("analytics", json!({})),
        ("chunk_status", json!({"session": "s"})),
        ("chunk_status", json!({"session": "none"})),
        ("chunk_preview", json!({"session": "s"})),
        ("scratch_ref", json!({"label": "l"})),
        ("scratch_get", json!({"sha256": kept})),
        ("checkpoint_read", json!({"name": "c"})),
        ("checkpoint_list", json!({})),
        ("handoff_read", json!({})),
        ("risk_score", json!({"content": "a@example.org"})),
    ] {
        let mut theirs = python.call(tool, &arguments);
        if let Some(rows) = theirs.get_mut("entries").and_then(Value::as_array_mut) {
            rows.iter_mut().filter_map(Value::as_object_mut).for_each(keep_known_fields);
        }
        let ours = ours.call(tool, &arguments);
        assert!(theirs["ok"].is_boolean(), "{tool} {arguments}: {theirs}");
        assert!(says(&ours, &theirs), "{tool} {arguments}\n  theirs {theirs}\n  ours {ours}");
    }
}

/// The Python server shows all fields of a row; ours has some that only recovery needs.
fn keep_known_fields(row: &mut Map<String, Value>) {
    let known = ["journal_id", "ts", "path", "sha256", "bytes", "mode", "caller"];
    row.retain(|field, _| known.contains(&field.as_str()));
}

/// Whether `more` has all that `less` has.
fn says(more: &Value, less: &Value) -> bool {
    match (more, less) {
        (Value::Object(more), Value::Object(less)) => {
            less.iter().all(|(key, value)| more.get(key).is_some_and(|more| says(more, value)))
        }
        (Value::Array(more), Value::Array(less)) => {
            more.len() == less.len() && more.iter().zip(less).all(|(more, less)| says(more, less))
        }
        (more, less) => more == less,
    }
}

/// Continues where the other server stopped.
fn go_on(server: &mut Server) {
    let saved = server.call("checkpoint_read", &json!({"name": "c"}));
    for (tool, arguments, expected) in [
        ("chunk_append", json!({"session": "s", "content": "third\n"}), json!({"index": 3})),
        (
            "chunk_compose",
            json!({"session": "s", "output_path": "s.txt", "cleanup": true}),
            json!({"chunk_count": 3, "bytes": 20}),
        ),
        ("scratch_put", json!({"content": "kept", "label": "again"}), json!({"deduped": true})),
        ("scratch_ref", json!({"label": "again"}), json!({"alias_count": 1, "bin_exists": true})),
        (
            "checkpoint",
            json!({"name": "c", "data": 1}),
            json!({"created_at": saved["created_at"], "ttl": "session"}),
        ),
        ("checkpoint_cleanup", json!({}), json!({"kept": 0})),
        (
            "safe_write",
            json!({"path": "a.txt", "content": "3\n", "mode": "append"}),
            json!({"bytes": 8}),
        ),
        // Ten rows of the other, and one each of the part, the file, the checkpoint and the write.
        ("analytics", json!({}), json!({"total_writes": 14})),
    ] {
        let answer = server.call(tool, &arguments);
        assert!(says(&answer, &expected), "{tool} {arguments}: {answer}");
    }
}

fn interpreter() -> Option<OsString> {
    let named = std::env::var_os("RESILIENT_PYTHON");
    if named.is_none() {
        eprintln!("skipped: RESILIENT_PYTHON names no interpreter with resilient-write 0.3.0");
    }
    named
}

#[test]
fn what_the_python_server_wrote_goes_on_here() {
    let Some(interpreter) = interpreter() else { return };
    let workspace = tempfile::tempdir().unwrap();
    let mut python = Server::python(&interpreter, workspace.path());
    make_state(&mut python);
    assert_both_read_the_same(&mut python, &mut Server::ours(workspace.path()));
    drop(python);
    go_on(&mut Server::ours(workspace.path()));
    let composed = std::fs::read_to_string(workspace.path().join("s.txt")).unwrap();
    assert_eq!(composed, "first\nzweité\nthird\n");
}

#[test]
fn what_was_written_here_goes_on_in_the_python_server() {
    let Some(interpreter) = interpreter() else { return };
    let workspace = tempfile::tempdir().unwrap();
    make_state(&mut Server::ours(workspace.path()));
    let mut python = Server::python(&interpreter, workspace.path());
    assert_both_read_the_same(&mut python, &mut Server::ours(workspace.path()));
    go_on(&mut python);
}
