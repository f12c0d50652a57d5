//! What a refusal over HTTP and SSE says to the client, and what else ends with it.

#[cfg(unix)]
use std::fs::File;

use serde_json::{Value, json};

use crate::http::{next, opened};
use crate::sandbox::Sandbox;
#[cfg(unix)]
use crate::web::Web;
use crate::web::{call, handshake};

const HTTP: &[&str] = &["--transport", "http"];
const SSE: &[&str] = &["--transport", "sse"];

/// What is more than a body may have, together with its call.
fn too_long() -> String {
    "x".repeat(32 << 20)
}

fn write(id: u64, content: &str) -> Value {
    call(id, "rw_safe_write", &json!({"path": "a", "content": content}))
}

/// Before, these were plain text, which SDKs of Python show to nobody.
#[test]
fn a_refused_message_is_answered_with_an_error_in_json() {
    let sandbox = Sandbox::new();
    let mut long = handshake();
    long["params"]["clientInfo"]["name"] = json!("x".repeat(20_000));
    for (transport, path, header, message, status, code, id, told) in [
        (
            HTTP,
            "/mcp",
            ("Host", "evil.example"),
            handshake(),
            403,
            -32600,
            json!(null),
            "--allow-host NAME",
        ),
        (
            HTTP,
            "/mcp",
            ("Origin", "null"),
            handshake(),
            403,
            -32600,
            json!(null),
            "--allow-origin ORIGIN",
        ),
        (HTTP, "/sse", ("X", "x"), handshake(), 404, -32600, json!(null), "--transport sse"),
        (
            HTTP,
            "/mcp",
            ("Mcp-Session-Id", "x"),
            write(5, ""),
            404,
            -32600,
            json!(5),
            "send initialize again",
        ),
        (
            HTTP,
            "/mcp",
            ("Mcp-Protocol-Version", "1999-01-01"),
            write(5, ""),
            400,
            -32600,
            json!(5),
            "1999-01-01",
        ),
        (
            HTTP,
            "/mcp",
            ("Content-Length", "99999999"),
            handshake(),
            413,
            -32600,
            json!(null),
            "33554432 bytes",
        ),
        (HTTP, "/mcp", ("X", "x"), long, 413, -32600, json!(0), "16384 bytes"),
        (SSE, "/mcp", ("X", "x"), handshake(), 404, -32600, json!(null), "--transport http"),
        (SSE, "/sse", ("X", "x"), handshake(), 405, -32600, json!(null), "--transport http"),
        (
            SSE,
            "/messages/?session_id=x",
            ("X", "x"),
            handshake(),
            404,
            -32600,
            json!(null),
            "open a stream with GET",
        ),
    ] {
        let web = sandbox.listen(transport);
        let answer = web.post(path, &[header], &message);
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (status, Some("application/json"))
        );
        let Value::Object(error) = answer.message() else { panic!("{answer:?}") };
        assert_eq!((&error["jsonrpc"], &error["id"]), (&json!("2.0"), &id), "{answer:?}");
        assert_eq!(error["error"]["code"], code, "{answer:?}");
        assert!(error["error"]["message"].as_str().unwrap().contains(told), "{answer:?}");
        // A person who asks by hand reads text.
        let looked = web.ask("GET", "/nowhere", &[], "");
        assert_eq!(looked.header("content-type"), Some("text/plain; charset=utf-8"));
    }
}

/// Before, SDK 1 of Python ended the whole session over the status of one call.
#[cfg(unix)]
#[test]
fn a_call_of_a_session_that_is_refused_ends_alone() {
    let sandbox = Sandbox::new();
    let mut web = sandbox.listen(HTTP);
    let client = web.greet("/mcp", &[]);
    let refused = client.post(&write(6, &too_long()));
    assert_eq!((refused.status, &refused.message()["id"]), (200, &json!(6)), "{refused:?}");
    assert_eq!(refused.message()["error"]["code"], -32600, "{refused:?}");
    client.call("rw_safe_write", &json!({"path": "first", "content": "1"}));
    let lock = File::open(sandbox.path(".resilient_write/lock")).unwrap();
    lock.lock().unwrap();
    let line = client.begin(&write(5, "x"));
    client.ping();
    let session = client.session().to_owned();
    let session = [("Mcp-Session-Id", session.as_str())];
    web.stop();
    web.said_until("stopping");
    let answer = |headers: &[(&str, &str)], status: u16, id: Value| {
        let answer = web.post("/mcp", headers, &write(9, "y"));
        assert_eq!((answer.status, &answer.message()["id"]), (status, &id), "{answer:?}");
        assert_eq!(answer.message()["error"]["code"], -32000, "{answer:?}");
        assert!(answer.body.contains("the server is ending"), "{answer:?}");
    };
    answer(&session, 200, json!(9));
    // Nothing waits for the answer to a request without a session.
    answer(&[], 503, json!(9));
    // Both are counted as what they are.
    let counted = web.ask("GET", "/metrics", &[], "").body;
    assert!(counted.contains("rw_http_answers_total{status=\"503\"} 2\n"), "{counted}");
    assert!(counted.contains("rw_http_answers_total{status=\"413\"} 1\n"), "{counted}");
    lock.unlock().unwrap();
    let reply = line.rest().message();
    assert_eq!(reply["result"]["structuredContent"]["ok"], true, "{reply}");
    assert_eq!(web.end().1, Some(0));
}

/// Before, clients that look for the answer on the stream alone waited for ever, and SDKs of Python sent nothing more.
#[test]
fn a_call_over_the_older_transport_that_is_too_long_ends_alone() {
    let sandbox = Sandbox::new();
    let web = sandbox.listen(SSE);
    let (mut stream, messages) = opened(&web, &[]);
    let mut long = write(6, &too_long());
    let with_last_id = long.to_string().replacen("\"id\":6,", "", 1);
    let with_last_id = format!("{},\"id\":7}}", &with_last_id[..with_last_id.len() - 1]);
    assert_eq!(web.post(&messages, &[], &long).status, 202);
    assert_eq!(web.ask("POST", &messages, &[], &with_last_id).status, 202);
    for id in [6, 7] {
        let told = next(&mut stream);
        assert_eq!((&told["id"], &told["error"]["code"]), (&json!(id), &json!(-32600)), "{told}");
        assert!(told["error"]["message"].as_str().unwrap().contains("33554432 bytes"), "{told}");
    }
    // Nobody waits for an answer to this.
    long.as_object_mut().unwrap().remove("id");
    assert_eq!(web.post(&messages, &[], &long).status, 413);
    assert_eq!(
        web.post(&messages, &[], &json!({"jsonrpc": "2.0", "id": 8, "method": "ping"})).status,
        202
    );
    assert_eq!(next(&mut stream)["id"], 8);
}

/// Before, each of its calls failed for ever, with an error about another version of the protocol.
#[test]
fn a_client_that_opens_its_stream_anew_goes_on_without_a_handshake() {
    let sandbox = Sandbox::new();
    let web = sandbox.listen(SSE);
    for (version, has_structure) in [("2025-11-25", true), ("x", false)] {
        let mut stream = web.open("GET", "/sse", &[], "");
        let messages = stream.event().1;
        let write = json!({"path": "a", "content": "x", "mode": "overwrite"});
        let write = call(5, "rw_safe_write", &write);
        assert_eq!(web.post(&messages, &[("Mcp-Protocol-Version", version)], &write).status, 202);
        let reply = next(&mut stream);
        assert_eq!(
            (&reply["id"], &reply["result"]["isError"]),
            (&json!(5), &json!(false)),
            "{reply}"
        );
        assert_eq!(reply["result"]["structuredContent"].is_object(), has_structure, "{reply}");
        let list = json!({"jsonrpc": "2.0", "id": 6, "method": "tools/list"});
        assert_eq!(web.post(&messages, &[], &list).status, 202);
        assert!(next(&mut stream)["result"]["tools"].is_array());
    }
    let journal = sandbox.text(".resilient_write/journal.jsonl");
    for row in journal.lines() {
        let row: Value = serde_json::from_str(row).unwrap();
        assert_eq!(row["by"]["client"], Value::Null, "{row}");
    }
}

/// Before, a cancellation was refused as long as so many calls waited.
#[cfg(unix)]
#[test]
fn all_calls_that_may_wait_can_be_cancelled_over_the_older_transport() {
    const CALLS: u64 = 1024;
    let sandbox = Sandbox::new();
    let web = sandbox.listen(SSE);
    let (mut stream, messages) = opened(&web, &[]);
    let post = |web: &Web, message: &Value| web.post(&messages, &[], message).status;
    let write = |id, path: &str| call(id, "rw_safe_write", &json!({"path": path, "content": "x"}));
    assert_eq!((post(&web, &write(1, "first")), &next(&mut stream)["id"]), (202, &json!(1)));
    let lock = File::open(sandbox.path(".resilient_write/lock")).unwrap();
    lock.lock().unwrap();
    for id in 0..CALLS {
        assert_eq!(post(&web, &write(id, &format!("f{id}"))), 202);
    }
    for id in 0..CALLS {
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": id}});
        assert_eq!(post(&web, &cancel), 202, "{id}");
    }
    // Once this is answered, the server has read what came before.
    let ping = json!({"jsonrpc": "2.0", "id": 3, "method": "ping"});
    assert_eq!((post(&web, &ping), &next(&mut stream)["id"]), (202, &json!(3)));
    lock.unlock().unwrap();
    assert_eq!((post(&web, &write(2, "last")), &next(&mut stream)["id"]), (202, &json!(2)));
    assert_eq!(sandbox.names(), [".resilient_write", "first", "last"]);
}

/// Before, the answer was that a session had ended, without the id of the request.
#[test]
fn a_method_that_is_unknown_in_the_version_without_sessions_is_refused_as_such() {
    let sandbox = Sandbox::new();
    let web = sandbox.listen(HTTP);
    let message = json!({"jsonrpc": "2.0", "id": 5, "method": "no/such", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }}});
    let headers = [("Mcp-Protocol-Version", "2026-07-28"), ("Mcp-Method", "no/such")];
    let answer = web.post("/mcp", &headers, &message);
    let error = answer.message();
    assert_eq!((answer.status, &error["id"]), (404, &json!(5)), "{answer:?}");
    assert_eq!(error["error"]["code"], -32601, "{answer:?}");
}
