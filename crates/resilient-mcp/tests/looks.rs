//! Resources, prompts, completions, subscriptions and log messages, as a client has them over lines.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a test may panic and looks at the disk by itself"
)]

use std::fs::{self, OpenOptions};
use std::io::Write as _;

use resilient_mcp::seam::Workspace;
use resilient_mcp::{Offer, Server, ToolNames};
use serde_json::{Value, json};
use tempfile::TempDir;

#[allow(dead_code, reason = "shared with other tests")]
mod common;

use common::Client;

fn dir() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn server(dir: &TempDir, offer: Offer) -> Server {
    let workspace = Workspace::builder(fs::canonicalize(dir.path()).unwrap()).seal_scratch(true);
    Server::offering(workspace.open(), ToolNames::Underscore, offer)
}

/// A client that has shaken hands.
async fn client(dir: &TempDir) -> Client {
    let mut client = Client::of(server(dir, Offer::default()));
    client.initialize("2025-11-25").await;
    client
}

fn modern() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

async fn write(client: &mut Client, path: &str, content: &str) {
    let written = client.call("rw_safe_write", json!({"path": path, "content": content})).await;
    assert_eq!(written["isError"], false, "{written}");
}

async fn read(client: &mut Client, uri: &str) -> Value {
    client.request(json!(2), "resources/read", json!({"uri": uri})).await
}

fn text(read: &Value) -> &str {
    read["result"]["contents"][0]["text"].as_str().unwrap_or_else(|| panic!("{read}"))
}

async fn complete(client: &mut Client, of: Value, name: &str, value: &str) -> Value {
    let params = json!({"ref": of, "argument": {"name": name, "value": value}});
    client.request(json!(3), "completion/complete", params).await["result"]["completion"].take()
}

fn file_template() -> Value {
    json!({"type": "ref/resource", "uri": "rw://file/{path}"})
}

/// Interrupts the last writer: a row that was cut.
fn tear(dir: &TempDir) {
    let journal = dir.path().join(".resilient_write/journal.jsonl");
    let mut journal = OpenOptions::new().append(true).open(journal).unwrap();
    journal.write_all(b"{\"abs_path\":").unwrap();
}

fn note() -> Value {
    json!({
        "task_id": "t1", "status": "partial", "agent": "a", "summary": "half done",
        "next_steps": ["go on"], "last_good_state": [{"path": "a.txt", "sha256": "0".repeat(64)}],
    })
}

#[tokio::test]
async fn what_works_is_declared_and_nothing_else() {
    let dir = dir();
    let capabilities = async |offer| {
        let mut client = Client::of(server(&dir, offer));
        client.initialize("2025-11-25").await["capabilities"].take()
    };
    let every = json!({
        "logging": {}, "completions": {}, "prompts": {}, "resources": {"subscribe": true}, "tools": {},
    });
    for offer in [Offer::Core, Offer::default(), Offer::Full] {
        assert_eq!(capabilities(offer).await, every);
    }
    let reader = json!({"completions": {}, "resources": {}, "tools": {}});
    assert_eq!(capabilities(Offer::Read).await, reader);
}

#[tokio::test]
async fn resources_are_listed_and_read() {
    let dir = dir();
    let mut client = client(&dir).await;
    let list = client.request(json!(1), "resources/list", json!({})).await;
    let uris: Vec<&Value> =
        list["result"]["resources"].as_array().unwrap().iter().map(|it| &it["uri"]).collect();
    assert_eq!(uris, ["rw://journal", "rw://handoff"]);
    let list = client.request(json!(1), "resources/templates/list", json!({})).await;
    assert_eq!(list["result"]["resourceTemplates"][0]["uriTemplate"], "rw://file/{path}");

    write(&mut client, "src/a b.txt", "ü\n").await;
    let journal: Value =
        serde_json::from_str(text(&read(&mut client, "rw://journal").await)).unwrap();
    assert_eq!(journal["entries"][0]["path"], "src/a b.txt");
    for uri in ["rw://file/src/a%20b.txt", "rw://file/src%2Fa b.txt"] {
        let read = read(&mut client, uri).await;
        let content = &read["result"]["contents"][0];
        assert_eq!((&content["uri"], &content["text"]), (&json!(uri), &json!("ü\n")));
    }
    let envelope = json!({"envelope": note(), "body": "more"});
    client.call("rw_handoff_write", envelope).await;
    let handoff: Value =
        serde_json::from_str(text(&read(&mut client, "rw://handoff").await)).unwrap();
    assert_eq!(handoff["envelope"]["summary"], "half done");
    assert_eq!(handoff["drift_warnings"][0]["reason"], "missing");
}

#[tokio::test]
async fn bytes_that_are_no_text_are_read_as_they_are() {
    let dir = dir();
    fs::write(dir.path().join("a.bin"), [0, 255, 1, 254]).unwrap();
    // Text, except its last bytes.
    fs::write(dir.path().join("a.txt"), [b"text ".repeat(100), vec![0xff, 0xfe, 0xff]].concat())
        .unwrap();
    let mut client = client(&dir).await;
    let blob = read(&mut client, "rw://file/a.bin").await;
    assert_eq!(blob["result"]["contents"][0]["blob"], "AP8B/g==", "{blob}");
    let mixed = read(&mut client, "rw://file/a.txt").await;
    let content = &mixed["result"]["contents"][0];
    let whole = content["blob"].as_str().map(str::len).or(content["text"].as_str().map(str::len));
    assert!(whole.unwrap() >= 503, "nothing is lost: {content}");
}

#[tokio::test]
async fn a_file_is_read_with_the_checks_of_the_reading_tools() {
    let dir = dir();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a"), "x").unwrap();
    fs::write(dir.path().join("long"), "x".repeat((2 << 20) + 1)).unwrap();
    let mut client = client(&dir).await;
    client.call("rw_scratch_put", json!({"content": "raw"})).await;
    let scratch = fs::read_dir(dir.path().join(".resilient_write/scratch")).unwrap();
    let mut names = scratch.map(|it| it.unwrap().file_name().into_string().unwrap());
    let kept = names.find(|name| name.ends_with(".bin")).unwrap();
    let away = outside.path().join("a");
    for (uri, code, told) in [
        (format!("rw://file/{}", away.display()), -32602, "workspace"),
        ("rw://file/../a".to_owned(), -32602, "workspace"),
        ("rw://file/none".to_owned(), -32002, "none"),
        ("rw://file/".to_owned(), -32002, "no such resource"),
        ("rw://state".to_owned(), -32002, "no such resource"),
        ("file:///etc/passwd".to_owned(), -32002, "no such resource"),
        ("rw://file/long".to_owned(), -32602, "in windows"),
        ("rw://handoff".to_owned(), -32002, "HANDOFF.md"),
        (format!("rw://file/.resilient_write/scratch/{kept}"), -32602, "scratch"),
    ] {
        let refused = read(&mut client, &uri).await;
        let (error, message) = (&refused["error"], refused["error"]["message"].to_string());
        assert_eq!(error["code"], code, "{uri}: {refused}");
        assert!(message.contains(told), "{uri}: {refused}");
    }
}

#[tokio::test]
async fn results_of_the_era_without_handshakes_say_how_long_they_hold() {
    let dir = dir();
    let mut client = Client::of(server(&dir, Offer::default()));
    let meta = || json!({"_meta": modern()});
    for method in ["resources/list", "resources/templates/list", "prompts/list"] {
        let list = client.request(json!(1), method, meta()).await;
        assert_eq!(list["result"]["cacheScope"], "public", "{list}");
        assert_eq!(list["result"]["ttlMs"], 3_600_000);
        assert_eq!(list["result"]["resultType"], "complete");
        let signed = &list["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
        assert_eq!(signed["name"], "resilient-write");
    }
    let params = json!({"uri": "rw://journal", "_meta": modern()});
    let read = client.request(json!(1), "resources/read", params).await;
    assert_eq!(
        (&read["result"]["cacheScope"], &read["result"]["ttlMs"]),
        (&json!("private"), &json!(0))
    );
    let params = json!({"uri": "rw://file/none", "_meta": modern()});
    let refused = client.request(json!(1), "resources/read", params).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}

#[tokio::test]
async fn a_client_is_told_of_changes_of_what_it_watches() {
    let dir = dir();
    let server = server(&dir, Offer::default());
    let mut watcher = Client::of(server.for_caller(resilient_mcp::Caller::default()));
    let mut writer = Client::of(server.for_caller(resilient_mcp::Caller::default()));
    watcher.initialize("2025-11-25").await;
    writer.initialize("2025-11-25").await;
    for uri in ["rw://file/./a.txt", "rw://handoff"] {
        let params = json!({"uri": uri});
        let reply = watcher.request(json!(1), "resources/subscribe", params).await;
        assert_eq!(reply["result"], json!({}), "{reply}");
    }
    write(&mut writer, "other.txt", "x").await;
    write(&mut writer, "a.txt", "x").await;
    let told = watcher.receive().await.unwrap();
    assert_eq!(told["method"], "notifications/resources/updated");
    assert_eq!(told["params"]["uri"], "rw://file/./a.txt");
    writer.call("rw_handoff_write", json!({"envelope": note()})).await;
    assert_eq!(watcher.receive().await.unwrap()["params"]["uri"], "rw://handoff");

    let params = json!({"uri": "rw://file/./a.txt"});
    watcher.request(json!(1), "resources/unsubscribe", params).await;
    let edit = json!({"path": "a.txt", "old_string": "x", "new_string": "y"});
    writer.call("rw_safe_replace", edit).await;
    assert!(watcher.hang_up().await.is_empty());
    assert!(writer.hang_up().await.is_empty());
}

#[tokio::test]
async fn a_subscription_is_one_long_request_where_there_is_no_handshake() {
    let dir = dir();
    let mut client = Client::of(server(&dir, Offer::default()));
    let wanted = json!({
        "resourceSubscriptions": ["rw://journal", "rw://file/a.txt", "rw://nothing"],
        "toolsListChanged": true,
    });
    let params = json!({"notifications": wanted, "_meta": modern()});
    client.send(&json!({"jsonrpc": "2.0", "id": "sub", "method": "subscriptions/listen", "params": params})).await;
    let accepted = client.receive().await.unwrap();
    assert_eq!(accepted["method"], "notifications/subscriptions/acknowledged", "{accepted}");
    let granted = &accepted["params"]["notifications"];
    assert_eq!(granted, &json!({"resourceSubscriptions": ["rw://journal", "rw://file/a.txt"]}));
    let subscription = |message: &Value| {
        message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"].clone()
    };
    // The id is the client's own.
    assert_eq!(subscription(&accepted), "sub");

    let arguments = json!({"path": "a.txt", "content": "x"});
    let params = json!({"name": "rw_safe_write", "arguments": arguments, "_meta": modern()});
    client
        .send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}))
        .await;
    let mut seen = Vec::new();
    for _ in 0..3 {
        let message = client.receive().await.unwrap();
        if message["id"] != 2 {
            assert_eq!(subscription(&message), "sub", "{message}");
        }
        seen.push(message["params"]["uri"].as_str().unwrap_or("the answer").to_owned());
    }
    seen.sort_unstable();
    assert_eq!(seen, ["rw://file/a.txt", "rw://journal", "the answer"]);
    // The end of the input ends it; before, the server would have waited for it.
    let rest = client.hang_up().await;
    assert_eq!(rest[0]["id"], "sub", "{rest:?}");
    let meta = &rest[0]["result"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/subscriptionId"], "sub", "{rest:?}");
}

#[tokio::test]
async fn what_no_read_takes_cannot_be_watched() {
    let dir = dir();
    fs::create_dir(dir.path().join("sub")).unwrap();
    let mut client = client(&dir).await;
    for (uri, is_refused) in [
        ("rw://file/../x", true),
        ("rw://file//etc/passwd", true),
        ("rw://file/sub", true),
        ("rw://file/not-yet.txt", false),
    ] {
        let error = read(&mut client, uri).await["error"].take();
        let params = json!({"uri": uri});
        let mut reply = client.request(json!(1), "resources/subscribe", params).await;
        match is_refused {
            true => assert_eq!(reply["error"].take(), error, "{uri}"),
            false => assert!(reply.get("result").is_some(), "{uri}: {reply}"),
        }
    }
}

#[tokio::test]
async fn the_reader_has_files_alone() {
    let dir = dir();
    fs::write(dir.path().join("a.txt"), "x").unwrap();
    let mut client = Client::of(server(&dir, Offer::Read));
    client.initialize("2025-11-25").await;
    assert_eq!(text(&read(&mut client, "rw://file/a.txt").await), "x");
    assert_eq!(read(&mut client, "rw://journal").await["error"]["code"], -32002);
    let list = client.request(json!(1), "resources/list", json!({})).await;
    assert_eq!(list["result"]["resources"], json!([]));
    let found = complete(&mut client, file_template(), "path", "a").await;
    assert_eq!(found["values"], json!(["a.txt"]));
    for (method, params) in [
        ("resources/subscribe", json!({"uri": "rw://file/a.txt"})),
        ("logging/setLevel", json!({"level": "debug"})),
    ] {
        let refused = client.request(json!(1), method, params).await;
        assert_eq!(refused["error"]["code"], -32601, "{refused}");
    }
}

#[tokio::test]
async fn a_prompt_has_what_the_server_knows() {
    let dir = dir();
    let mut client = client(&dir).await;
    let list = client.request(json!(1), "prompts/list", json!({})).await;
    let names: Vec<&Value> =
        list["result"]["prompts"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["handoff", "recovery"]);
    let mut get = async |name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments});
        client.request(json!(1), "prompts/get", params).await
    };
    let said = |reply: &Value| {
        let message = &reply["result"]["messages"][0];
        assert_eq!(message["role"], "user", "{reply}");
        message["content"]["text"].as_str().unwrap().to_owned()
    };
    let none = said(&get("handoff", json!({})).await);
    assert!(none.contains("no handoff at HANDOFF.md"), "{none}");
    for (name, arguments) in [
        ("none", json!({})),
        ("recovery", json!({"session": "../a"})),
        ("handoff", json!({"path": "../../etc/passwd"})),
    ] {
        assert_eq!(get(name, arguments).await["error"]["code"], -32602, "{name}");
    }
    client.call("rw_handoff_write", json!({"envelope": note(), "body": "b".repeat(40_000)})).await;
    let part = json!({"session": "book", "content": "one"});
    client.call("rw_chunk_append", part).await;
    tear(&dir);
    let mut get = async |name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments});
        client.request(json!(1), "prompts/get", params).await
    };
    let recovery = said(&get("recovery", json!({})).await);
    assert!(recovery.contains("12 bytes of a torn row"), "{recovery}");
    assert!(recovery.contains("\"session\": \"book\""), "{recovery}");
    assert!(said(&get("recovery", json!({"session": "book"})).await).contains("nothing to tell"));
    let handoff = said(&get("handoff", json!({})).await);
    assert!(handoff.contains("half done") && handoff.contains("body is cut"), "{handoff}");
    assert!(handoff.len() < 40_000, "{}", handoff.len());
}

#[tokio::test]
async fn arguments_are_completed() {
    let dir = dir();
    for path in ["src/main.rs", "src/map.rs", "src/.hidden", "start.md"] {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }
    let mut client = client(&dir).await;
    client.call("rw_chunk_append", json!({"session": "book", "content": "one"})).await;
    let mut values = async |of: Value, name: &str, typed: &str| {
        complete(&mut client, of, name, typed).await["values"].take()
    };
    let prompt = |name: &str| json!({"type": "ref/prompt", "name": name});
    let paths = [
        ("s", json!(["src/", "start.md"])),
        ("src/ma", json!(["src/main.rs", "src/map.rs"])),
        ("./src/main", json!(["./src/main.rs"])),
        ("src/.", json!(["src/.hidden"])),
        ("none/", json!([])),
        ("../", json!([])),
    ];
    for (typed, expected) in paths {
        assert_eq!(values(file_template(), "path", typed).await, expected, "{typed}");
    }
    assert_eq!(values(prompt("handoff"), "path", "st").await, json!(["start.md"]));
    assert_eq!(values(prompt("recovery"), "session", "").await, json!(["book"]));
    for (of, name) in [(prompt("none"), "path"), (prompt("handoff"), "colour")] {
        let params = json!({"ref": of, "argument": {"name": name, "value": ""}});
        let refused = client.request(json!(3), "completion/complete", params).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
}

#[tokio::test]
async fn no_more_than_a_hundred_values_are_given() {
    let dir = dir();
    for n in 0..150 {
        fs::write(dir.path().join(format!("f{n}")), "x").unwrap();
    }
    let mut client = client(&dir).await;
    let found = complete(&mut client, file_template(), "path", "f").await;
    assert_eq!(found["values"].as_array().unwrap().len(), 100);
    assert_eq!((&found["total"], &found["hasMore"]), (&json!(150), &json!(true)));
}

#[tokio::test]
async fn what_recovery_did_is_a_log_message_for_those_who_asked() {
    let dir = dir();
    let mut client = client(&dir).await;
    write(&mut client, "a.txt", "x").await;
    tear(&dir);
    let told = client.call("rw_checkpoint_list", json!({})).await;
    assert!(told["structuredContent"]["notices"].is_array());

    client.request(json!(1), "logging/setLevel", json!({"level": "warning"})).await;
    tear(&dir);
    let params = json!({"name": "rw_checkpoint_list", "arguments": {}});
    client
        .send(&json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params}))
        .await;
    let both = [client.receive().await.unwrap(), client.receive().await.unwrap()];
    let message = both.iter().find(|it| it["method"] == "notifications/message").unwrap();
    assert_eq!(message["params"]["level"], "warning");
    assert_eq!(message["params"]["logger"], "recovery");
    assert_eq!(message["params"]["data"]["about"], "cut");

    client.request(json!(1), "logging/setLevel", json!({"level": "error"})).await;
    tear(&dir);
    client.call("rw_checkpoint_list", json!({})).await;
    assert!(client.hang_up().await.is_empty());
}

#[tokio::test]
async fn a_request_without_a_handshake_asks_for_its_log_messages_itself() {
    let dir = dir();
    let mut client = Client::of(server(&dir, Offer::default()));
    let call = |level: Option<&str>| {
        let mut meta = modern();
        if let Some(level) = level {
            meta["io.modelcontextprotocol/logLevel"] = json!(level);
        }
        let params = json!({"name": "rw_checkpoint_list", "arguments": {}, "_meta": meta});
        json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params})
    };
    let arguments = json!({"path": "a.txt", "content": "x"});
    let params = json!({"name": "rw_safe_write", "arguments": arguments, "_meta": modern()});
    client.request(json!(1), "tools/call", params).await;
    tear(&dir);
    client.send(&call(Some("info"))).await;
    assert_eq!(client.receive().await.unwrap()["method"], "notifications/message");
    assert_eq!(client.receive().await.unwrap()["id"], 5, "the answer is the last word");
    tear(&dir);
    client.send(&call(None)).await;
    assert_eq!(client.receive().await.unwrap()["id"], 5);
    assert!(client.hang_up().await.is_empty());
}
