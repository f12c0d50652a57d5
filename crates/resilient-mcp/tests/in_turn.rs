//! Calls of a client that waits for each answer run without a change of threads.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a test may panic and looks at the disk by itself"
)]

use std::fs::{self, File};
use std::thread;

use resilient_mcp::seam::{Answer, Workspace};
use resilient_mcp::tools::{Effect, Tool, ToolSpec};
use resilient_mcp::{Offer, Server, ToolNames};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

#[allow(dead_code, reason = "shared with other tests")]
mod common;

use common::{Client, envelope};

/// Tells on which thread it runs, or panics.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Where {
    #[serde(default)]
    panic: bool,
    #[serde(default, rename = "content")]
    _content: String,
}

impl Tool for Where {
    const NAME: &'static str = "rw.test_where";
    const TITLE: &'static str = "Where";
    const EFFECT: Effect = Effect::Reads;
    const QUICK: bool = true;

    fn run(self, _: &Workspace) -> Answer {
        assert!(!self.panic, "asked for");
        Ok(json!({"thread": format!("{:?}", thread::current().id())}))
    }
}

/// A client whose calls have come one at a time for a while, in a workspace that is open.
async fn settled_client(dir: &TempDir) -> Client {
    let workspace = Workspace::builder(fs::canonicalize(dir.path()).unwrap()).open();
    let tools = vec![ToolSpec::of::<Where>()];
    let server = Server::with_tools(workspace, ToolNames::Underscore, tools);
    let mut client = Client::of(server);
    client.initialize("2025-11-25").await;
    client.call("rw_safe_write", json!({"path": "a.txt", "content": "a"})).await;
    for _ in 0..8 {
        client.call("rw_test_where", json!({})).await;
    }
    client
}

fn call(id: u64, tool: &str, arguments: &Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

fn here() -> Value {
    json!(format!("{:?}", thread::current().id()))
}

#[tokio::test]
async fn calls_one_at_a_time_run_on_the_thread_that_reads() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = settled_client(&dir).await;
    let result = client.call("rw_test_where", json!({})).await;
    assert_eq!(result["structuredContent"]["thread"], here());
}

/// The protocol goes on meanwhile.
#[tokio::test]
async fn a_call_with_a_long_text_runs_on_another_thread() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = settled_client(&dir).await;
    let mut thread_of = async |len| {
        let result = client.call("rw_test_where", json!({"content": "a".repeat(len)})).await;
        result["structuredContent"]["thread"].clone()
    };
    assert_eq!(thread_of(64 << 10).await, here());
    assert_ne!(thread_of((64 << 10) + 1).await, here());
}

#[tokio::test]
async fn calls_that_come_together_run_side_by_side() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = settled_client(&dir).await;
    let two = format!(
        "{}\n{}\n",
        call(2, "rw_test_where", &json!({})),
        call(3, "rw_test_where", &json!({}))
    );
    client.send_raw(two.as_bytes()).await;
    for _ in 0..2 {
        let reply = client.receive().await.unwrap();
        assert_ne!(reply["result"]["structuredContent"]["thread"], here());
    }
    // And so does the next one, since more may come again.
    let result = client.call("rw_test_where", json!({})).await;
    assert_ne!(result["structuredContent"]["thread"], here());
}

#[tokio::test]
async fn a_ping_is_answered_while_a_call_waits_for_another_process() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = settled_client(&dir).await;
    let lock = File::open(dir.path().join(".resilient_write/lock")).unwrap();
    lock.lock().unwrap();
    client.send(&call(7, "rw_safe_write", &json!({"path": "b.txt", "content": "b"}))).await;
    client.send(&json!({"jsonrpc": "2.0", "id": 8, "method": "ping"})).await;
    assert_eq!(client.receive().await.unwrap()["id"], 8);
    lock.unlock().unwrap();
    let reply = client.receive().await.unwrap();
    assert_eq!(reply["id"], 7);
    assert_eq!(reply["result"]["structuredContent"]["ok"], true);
}

#[tokio::test]
async fn a_panic_is_an_answer_there_too() {
    let dir = tempfile::tempdir().unwrap();
    let mut client = settled_client(&dir).await;
    let result = client.call("rw_test_where", json!({"panic": true})).await;
    assert_eq!(envelope(&result)["context"]["reason"], "internal_panic");
    let result = client.call("rw_test_where", json!({})).await;
    assert_eq!(result["structuredContent"]["thread"], here());
}

/// As the calls of one step of a model come: all at once.
#[tokio::test]
async fn calls_that_come_together_for_one_file_are_made_in_their_order() {
    for round in 0..20 {
        let dir = tempfile::tempdir().unwrap();
        let mut client = settled_client(&dir).await;
        let append =
            |n: u64| json!({"path": "b.txt", "mode": "append", "content": format!("{n} ")});
        let mut calls: Vec<Value> =
            (0..6).map(|n| call(100 + n, "rw_safe_write", &append(n))).collect();
        let part = |n: u64| json!({"session": "s", "content": format!("{n} ")});
        calls.extend((0..4).map(|n| call(200 + n, "rw_chunk_append", &part(n))));
        let compose = json!({"session": "s", "output_path": "./c.txt", "cleanup": true});
        calls.push(call(300, "rw_chunk_compose", &compose));
        let edit = json!({"path": "c.txt", "old_string": "3 ", "new_string": "three"});
        calls.push(call(301, "rw_safe_replace", &edit));
        let lines: String = calls.iter().map(|call| format!("{call}\n")).collect();
        client.send_raw(lines.as_bytes()).await;
        for _ in &calls {
            let reply = client.receive().await.unwrap();
            assert_eq!(reply["result"]["structuredContent"]["ok"], true, "{round}: {reply}");
        }
        let text = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
        assert_eq!(text("b.txt"), "0 1 2 3 4 5 ", "{round}");
        assert_eq!(text("c.txt"), "0 1 2 three", "{round}");
    }
}

/// Before, each kept its arguments and its place until the call in front of it was done.
#[tokio::test]
async fn a_cancelled_call_gives_up_its_turn_and_those_behind_keep_theirs() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::builder(fs::canonicalize(dir.path()).unwrap()).open();
    let server = Server::with_tools(workspace, ToolNames::Underscore, Vec::new());
    let mut client = Client::of(server.clone());
    client.initialize("2025-11-25").await;
    let write = |content: &str, mode: &str| json!({"path": "a", "content": content, "mode": mode});
    client.call("rw_safe_write", write("a", "create")).await;
    // A call is answered a moment before it counts as done.
    server.calls().none_left().await;
    let lock = File::open(dir.path().join(".resilient_write/lock")).unwrap();
    lock.lock().unwrap();
    for (id, content) in [(7, "b"), (8, "never"), (9, "c")] {
        client.send(&call(id, "rw_safe_write", &write(content, "append"))).await;
    }
    client.request(json!("one"), "ping", json!({})).await;
    assert_eq!(server.calls().count(), 3);
    let params = json!({"requestId": 8});
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
        .await;
    for _ in 0..100 {
        client.request(json!("other"), "ping", json!({})).await;
        if server.calls().count() == 2 {
            break;
        }
    }
    assert_eq!(server.calls().count(), 2);
    lock.unlock().unwrap();
    for id in [7, 9] {
        assert_eq!(client.receive().await.unwrap()["id"], id);
    }
    assert_eq!(fs::read_to_string(dir.path().join("a")).unwrap(), "abc");
}

/// Before, the next part of the new text was added to the old part 1.
#[tokio::test]
async fn a_part_that_is_cancelled_while_it_waits_counts_as_refused() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::builder(fs::canonicalize(dir.path()).unwrap()).open();
    let server = Server::offering(workspace, ToolNames::Underscore, Offer::Core);
    let mut client = Client::of(server.clone());
    client.initialize("2025-11-25").await;
    let part = |part: u32, text: &str, last: bool| json!({"path": "a", "part": part, "content": text, "last": last});
    client.call("rw_write_part", part(1, "old 1", false)).await;
    server.calls().none_left().await;
    let lock = File::open(dir.path().join(".resilient_write/lock")).unwrap();
    lock.lock().unwrap();
    for (id, number, text) in [(7, 2, "old 2"), (8, 1, "new 1"), (9, 2, "new 2")] {
        client.send(&call(id, "rw_write_part", &part(number, text, id == 9))).await;
    }
    client.request(json!("one"), "ping", json!({})).await;
    let params = json!({"requestId": 8});
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
        .await;
    client.request(json!("two"), "ping", json!({})).await;
    lock.unlock().unwrap();
    let first = client.receive().await.unwrap();
    assert_eq!((&first["id"], &first["result"]["isError"]), (&json!(7), &json!(false)));
    let last = envelope(&client.receive().await.unwrap()["result"]);
    assert_eq!(last["context"]["reason"], "earlier_part_refused", "{last}");
    assert!(!dir.path().join("a").exists());
}

/// Before, the listing could be made last, and took the refusal away.
#[tokio::test]
async fn a_part_that_comes_behind_a_listing_is_refused_behind_it() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::builder(fs::canonicalize(dir.path()).unwrap()).open();
    let server = Server::offering(workspace, ToolNames::Underscore, Offer::Core);
    let mut client = Client::of(server.clone());
    client.initialize("2025-11-25").await;
    let part =
        |part: u32, last: bool| json!({"path": "a", "part": part, "content": "x", "last": last});
    client.call("rw_write_part", part(1, false)).await;
    server.calls().none_left().await;
    for id in [7, 10, 13, 16] {
        client.send(&call(id, "rw_list_parts", &json!({"path": "a"}))).await;
        client.send(&call(id + 1, "rw_write_part", &json!({"path": "a", "part": 1}))).await;
        client.send(&call(id + 2, "rw_write_part", &part(2, true))).await;
        let mut last = Value::Null;
        for _ in 0..3 {
            let answer = client.receive().await.unwrap();
            if answer["id"] == id + 2 {
                last = envelope(&answer["result"]);
            }
        }
        assert_eq!(last["context"]["reason"], "earlier_part_refused", "{last}");
    }
}
