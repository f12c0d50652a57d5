//! The client of `resilient-mcp`, with the real server at the other end.

use std::io::ErrorKind;
use std::process::Command;

use resilient_mcp::client::Client;
use serde_json::json;
use tempfile::TempDir;

fn start(home: &TempDir) -> Client {
    let mut command = Command::new(env!("CARGO_BIN_EXE_resilient-write"));
    Client::start(command.current_dir(home.path()), "test").unwrap()
}

#[test]
fn tools_are_listed_and_called_and_a_refusal_is_an_answer() {
    let home = TempDir::new().unwrap();
    let mut client = start(&home);
    assert_eq!(client.server(), "resilient-write");
    let tools = client.tools().unwrap();
    assert!(tools.iter().any(|tool| tool["name"] == "rw_safe_write"), "{tools:?}");
    let write = json!({"path": "a.txt", "content": "one\n"});
    let answer = client.call("rw_safe_write", &write).unwrap();
    assert_eq!((answer.is_error, &answer.structured.unwrap()["bytes"]), (false, &json!(4)));
    let answer = client.call("rw_safe_write", &write).unwrap();
    assert!(answer.is_error && answer.text.contains("file_already_exists"), "{answer:?}");
    assert!(client.call("rw_no_such_tool", &json!({})).unwrap().is_error);
    assert!(client.hang_up().unwrap().success());
}

#[test]
fn a_server_that_is_gone_is_no_refusal() {
    let home = TempDir::new().unwrap();
    let mut client = start(&home);
    client.kill().unwrap();
    let gone = client.call("rw_journal_tail", &json!({})).unwrap_err().kind();
    assert!(matches!(gone, ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe), "{gone:?}");
}

#[test]
fn what_is_no_server_is_not_shaken_hands_with() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_resilient-write"));
    assert!(Client::start(command.arg("--version"), "test").is_err());
}
