//! Every tool through the real server, as lines: what each success holds, and the envelope of
//! every way to fail. Here: the lines themselves.

mod kept;
mod looking;
mod parts;
mod secrets;
mod writes;

use serde_json::{Value, json};

use crate::sandbox::{Client, Sandbox};

/// Of the text `one\n`.
const ONE: &str = "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806";
const STATE: &str = ".resilient_write";

const CORRECTABLE: &str = "policy_violation/encoding/retry_later";
const REFUSED: &str = "policy_violation/encoding/abort";
const FORBIDDEN: &str = "policy_violation/permission/abort";
const STALE: &str = "stale_precondition/unknown/abort";
const ASK: &str = "stale_precondition/unknown/ask_user";
const CORRUPT: &str = "write_corruption/encoding/abort";

fn served() -> (Sandbox, Client) {
    let sandbox = Sandbox::new();
    let client = sandbox.serve(&[]);
    (sandbox, client)
}

#[test]
fn nothing_is_made_before_the_first_call_and_the_end_of_input_is_the_end() {
    let (sandbox, mut client) = served();
    client.request("tools/list", json!({}));
    client.request("ping", json!({}));
    assert!(sandbox.names().is_empty());
    assert_eq!(client.hang_up(), (vec![], 0));
    assert!(sandbox.names().is_empty());
    assert_eq!(sandbox.connect(&[]).hang_up(), (vec![], 0));
}

#[test]
fn a_call_that_is_running_when_the_input_ends_is_answered() {
    let (sandbox, mut client) = served();
    let params = json!({"name": "rw_safe_write", "arguments": {"path": "a", "content": "x"}});
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
    let (rest, code) = client.hang_up();
    assert_eq!((rest[0]["result"]["isError"].clone(), code), (json!(false), 0));
    assert_eq!(sandbox.text("a"), "x");
}

#[test]
fn a_client_that_stops_listening_does_no_harm_to_its_write() {
    let (sandbox, mut client) = served();
    client.stop_listening();
    let content = "line\n".repeat(100_000);
    let params = json!({"name": "rw_safe_write", "arguments": {"path": "a", "content": content}});
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
    assert_eq!(client.hang_up(), (vec![], 0));
    assert!(sandbox.text("a") == content);
    let journal = sandbox.text(".resilient_write/journal.jsonl");
    assert_eq!(journal.lines().count(), 1);
    assert!(std::fs::read_dir(sandbox.path(".resilient_write/tmp")).unwrap().next().is_none());
}

/// Beyond the limit the system sends a signal that ends a process which is not prepared.
#[cfg(unix)]
#[test]
fn a_limit_on_the_size_of_files_is_an_answer_and_not_the_end() {
    const FULL: &str = "quota_exceeded/size_limit/abort";
    let sandbox = Sandbox::new();
    sandbox.put("a.txt", "old");
    // In units of 512 or 1024 bytes, as the shell likes.
    let mut client = sandbox.serve_after("ulimit -f 8");
    let write = |content: &str| json!({"path": "a.txt", "content": content, "mode": "overwrite"});
    let facts = json!({"path": "a.txt", "errno": 27, "operation": "write"});
    client.fails("rw_safe_write", write(&"x".repeat(100_000)), FULL, facts);
    assert_eq!(sandbox.text("a.txt"), "old");
    client.gives("rw_safe_write", write("new"), &[]);
    assert_eq!(sandbox.text("a.txt"), "new");

    // At last the journal is what cannot grow. Each refused write leaves everything as it was.
    let journal = ".resilient_write/journal.jsonl";
    let fits = (1..100)
        .take_while(|n| {
            let arguments = write(&n.to_string());
            let params = json!({"name": "rw_safe_write", "arguments": arguments});
            client.request("tools/call", params)["isError"] == false
        })
        .count();
    assert!((5..50).contains(&fits), "{fits}");
    let rows = sandbox.text(journal);
    for _ in 0..3 {
        client.fails("rw_safe_write", write("more"), FULL, json!({"errno": 27}));
        assert_eq!(sandbox.text("a.txt"), fits.to_string());
        assert_eq!(sandbox.text(journal), rows);
    }
    client.gives("rw_journal_tail", json!({}), &[]);
    assert_eq!(client.hang_up(), (vec![], 0));
    sandbox.run(&["write", "a.txt", "--content", "more", "--mode", "overwrite"]).ok();
    assert_eq!(sandbox.text(journal).lines().count(), fits + 2);
}

#[test]
fn a_line_of_64_mib_is_a_call_like_any_other() {
    let (_sandbox, mut client) = served();
    let frame = |content: &str| {
        let params = json!({"name": "rw_validate", "arguments": {"content": content}});
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string()
    };
    let line = frame(&"x".repeat((64 << 20) - frame("").len()));
    assert_eq!(line.len(), 64 << 20);
    client.send_line(line.as_bytes());
    let reply = client.receive().unwrap();
    assert_eq!(reply["result"]["structuredContent"]["summary"], "unknown: not checked");
}

#[test]
fn a_line_that_is_no_json_is_answered_and_the_server_goes_on() {
    let (_sandbox, mut client) = served();
    client.send_line(b"{nonsense");
    assert_eq!(client.receive().unwrap()["error"]["code"], -32700);
    client.gives("rw_chunk_status", json!({"session": "s"}), &[]);
}

/// As over HTTP and SSE.
#[test]
fn a_message_that_has_a_key_twice_is_refused_and_the_server_goes_on() {
    let (sandbox, mut client) = served();
    client.send_line(
        br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":
        {"name":"rw_safe_write","arguments":{"path":"a","content":"x"},"name":"rw_validate"}}"#
            .map(|byte| if byte == b'\n' { b' ' } else { byte })
            .as_slice(),
    );
    let refused = client.receive().unwrap();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(7), &json!(-32600)));
    let told = "the message has the key \"name\" twice; send it once";
    assert_eq!(refused["error"]["message"], told);
    assert!(!sandbox.path("a").exists());
    client.gives("rw_chunk_status", json!({"session": "s"}), &[]);
}

#[test]
fn a_batch_is_answered_in_one_array_where_the_protocol_has_batches() {
    let sandbox = Sandbox::new();
    let mut client = sandbox.connect(&[]).greeted_in("2025-03-26");
    let write =
        |path: &str| json!({"name": "rw_safe_write", "arguments": {"path": path, "content": "x"}});
    let request = |id: u64, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    client.send(&json!([
        request(70, "tools/call", write("a.txt")),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        request(71, "ping", json!({})),
        7,
        request(72, "tools/call", json!({})),
        request(73, "initialize", json!({})),
        request(71, "ping", json!({})),
    ]));
    let replies = client.receive().unwrap();
    let replies = replies.as_array().expect("one array");
    let of = |id: Value| -> Vec<&Value> { replies.iter().filter(|it| it["id"] == id).collect() };
    assert_eq!(replies.len(), 6, "{replies:?}");
    assert_eq!(of(json!(70))[0]["result"]["isError"], false);
    assert_eq!(sandbox.text("a.txt"), "x");
    let mut pings: Vec<bool> = of(json!(71)).iter().map(|it| it.get("result").is_some()).collect();
    pings.sort_unstable();
    assert_eq!(pings, [false, true], "the second one has an id that is in use");
    assert_eq!(of(Value::Null)[0]["error"]["code"], -32600);
    assert_eq!(of(json!(72))[0]["error"]["code"], -32602);
    assert_eq!(of(json!(73))[0]["error"]["code"], -32600);

    client.send(&json!([]));
    assert_eq!(client.receive().unwrap()["error"]["code"], -32600);
    // Of notifications alone nothing is answered, and the ids are free again.
    client.send(&json!([{"jsonrpc": "2.0", "method": "notifications/initialized"}]));
    client.send(&json!([request(71, "ping", json!({}))]));
    assert_eq!(client.receive().unwrap(), json!([{"jsonrpc": "2.0", "id": 71, "result": {}}]));
    client.send(&json!([request(74, "tools/call", write("b.txt"))]));
    let (rest, status) = client.hang_up();
    assert_eq!((rest.len(), status), (1, 0), "{rest:?}");
    assert_eq!(rest[0][0]["id"], 74);
}

#[test]
fn a_batch_is_refused_where_the_protocol_has_none() {
    let sandbox = Sandbox::new();
    for version in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        let mut client = sandbox.connect(&[]).greeted_in(version);
        client.send(&json!([{"jsonrpc": "2.0", "id": 70, "method": "ping"}]));
        let refused = client.receive().unwrap();
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&Value::Null, &json!(-32600)));
        assert!(refused["error"]["message"].as_str().unwrap().contains("one message at a time"));
    }
}

#[test]
fn resources_prompts_and_completions_are_served_and_changes_are_told() {
    let (sandbox, mut client) = served();
    sandbox.put("notes/a.txt", "one");
    let read = client.request("resources/read", json!({"uri": "rw://file/notes/a.txt"}));
    assert_eq!(read["contents"][0]["text"], "one", "{read}");
    assert!(sandbox.names().iter().all(|name| name != STATE), "to look makes nothing");
    client.request("resources/subscribe", json!({"uri": "rw://journal"}));
    let arguments = json!({"path": "b.txt", "content": "x"});
    let params = json!({"name": "rw_safe_write", "arguments": arguments});
    client.send(&json!({"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": params}));
    let both = [client.receive().unwrap(), client.receive().unwrap()];
    assert!(both.iter().any(|it| it["params"]["uri"] == "rw://journal"), "{both:?}");
    let prompt = client.request("prompts/get", json!({"name": "recovery"}));
    let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("b.txt"), "{text}");
    let of = json!({"type": "ref/resource", "uri": "rw://file/{path}"});
    let argument = json!({"name": "path", "value": "notes/"});
    let found = client.request("completion/complete", json!({"ref": of, "argument": argument}));
    assert_eq!(found["completion"]["values"], json!(["notes/a.txt"]));
    assert_eq!(client.hang_up(), (vec![], 0));
}
