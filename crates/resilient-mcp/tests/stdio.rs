//! The server over a pair of streams, line by line, as a client drives it.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and so do its helpers"
)]

mod common;

use std::sync::{Arc, Barrier, LazyLock};

use common::{Client, envelope};
use resilient_mcp::seam::{Answer, Envelope, ErrorKind, ReasonHint, SuggestedAction, Workspace};
use resilient_mcp::tools::{Effect, Tool, ToolSpec};
use resilient_mcp::{Offer, Server, ToolNames};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Answers what it was given.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Echo {
    content: String,
    count: Option<i64>,
    data: Option<Value>,
}

impl Tool for Echo {
    const NAME: &'static str = "rw.test_echo";
    const TITLE: &'static str = "Echo";
    const EFFECT: Effect = Effect::Reads;
    fn run(self, _: &Workspace) -> Answer {
        Ok(json!({"content": self.content, "count": self.count, "data": self.data}))
    }
}

/// Says how long its text is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Measure {
    content: String,
}

impl Tool for Measure {
    const NAME: &'static str = "rw.test_measure";
    const TITLE: &'static str = "Measure";
    const EFFECT: Effect = Effect::Reads;
    fn run(self, _: &Workspace) -> Answer {
        Ok(json!({"bytes": self.content.len()}))
    }
}

/// A call of [`Measure`] goes around its text.
const CALL_HEAD: &[u8] = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"rw_test_measure","arguments":{"content":""#;
const CALL_TAIL: &[u8] = br#""}}}"#;

/// Panics.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Panic {}

impl Tool for Panic {
    const NAME: &'static str = "rw.test_panic";
    const TITLE: &'static str = "Panic";
    const EFFECT: Effect = Effect::Reads;
    fn run(self, _: &Workspace) -> Answer {
        panic!("a tool that panics on purpose");
    }
}

/// Scans a text again and again, until a scan is stopped.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Scan {}

impl Tool for Scan {
    const NAME: &'static str = "rw.test_scan";
    const TITLE: &'static str = "Scan";
    const EFFECT: Effect = Effect::Reads;
    fn run(self, workspace: &Workspace) -> Answer {
        let text = "let name = other.of(&value, 17);\n".repeat(10_000);
        while workspace.risk_score(&text).is_ok() {}
        Ok(json!({}))
    }
}

/// How many calls of [`Together`] must be inside at once.
const CROWD: usize = 64;

static MEETING: LazyLock<Barrier> = LazyLock::new(|| Barrier::new(CROWD));

/// Answers once [`CROWD`] calls of it are running.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Together {}

impl Tool for Together {
    const NAME: &'static str = "rw.test_together";
    const TITLE: &'static str = "Together";
    const EFFECT: Effect = Effect::Reads;
    fn run(self, _: &Workspace) -> Answer {
        MEETING.wait();
        Ok(json!({}))
    }
}

/// Waits for the test twice: when it has begun, and before it ends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Slow<const N: usize> {}

static GATES: LazyLock<[Arc<Barrier>; 2]> =
    LazyLock::new(|| std::array::from_fn(|_| Arc::new(Barrier::new(2))));
static DONE: [std::sync::atomic::AtomicBool; 2] =
    [const { std::sync::atomic::AtomicBool::new(false) }; 2];

impl<const N: usize> Tool for Slow<N> {
    const NAME: &'static str = "rw.test_slow";
    const TITLE: &'static str = "Slow";
    const EFFECT: Effect = Effect::Changes;
    fn run(self, _: &Workspace) -> Answer {
        GATES[N].wait();
        GATES[N].wait();
        DONE[N].store(true, std::sync::atomic::Ordering::SeqCst);
        Ok(json!({}))
    }
}

/// Meets a [`Slow`] call at its gate.
async fn gate(number: usize) {
    let gate = Arc::clone(&GATES[number]);
    tokio::task::spawn_blocking(move || gate.wait()).await.unwrap();
}

/// Holds everything back.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Blocked {
    #[serde(rename = "content")]
    _content: String,
    #[serde(default, rename = "classify")]
    _classify: bool,
}

impl Tool for Blocked {
    const NAME: &'static str = "rw.test_blocked";
    const TITLE: &'static str = "Blocked";
    const EFFECT: Effect = Effect::Changes;
    fn run(self, _: &Workspace) -> Answer {
        let mut blocked =
            Envelope::new(ErrorKind::Blocked, ReasonHint::ContentFilter, SuggestedAction::Redact);
        blocked.retry_budget = 3;
        Err(blocked)
    }
}

fn tools() -> Vec<ToolSpec> {
    vec![
        ToolSpec::of::<Echo>(),
        ToolSpec::of::<Measure>(),
        ToolSpec::of::<Panic>(),
        ToolSpec::of::<Together>(),
        ToolSpec::of::<Blocked>(),
    ]
}

/// `_meta` of a request that needs no handshake.
fn modern() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
    })
}

#[tokio::test]
async fn the_handshake_names_the_server_and_instructs_the_agent() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::connect(tools());
        let result = client.initialize(version).await;
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "resilient-write");
        assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(result["capabilities"]["tools"], json!({}));
        let instructions = result["instructions"].as_str().unwrap();
        assert!(instructions.contains("rw_chunk_append") && instructions.len() < 2048);
        let pong = client.request(json!(9), "ping", json!({})).await;
        assert_eq!(pong["result"], json!({}));
        let result = client.call("rw_test_echo", json!({"content": "x"})).await;
        assert!(result.get("resultType").is_none() && result.get("_meta").is_none());
        assert!(client.hang_up().await.is_empty());
    }
}

#[tokio::test]
async fn requests_without_a_handshake_are_served() {
    let mut client = Client::connect(tools());
    let found = client.request(json!(1), "server/discover", json!({"_meta": modern()})).await;
    let found = &found["result"];
    assert!(found["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")));
    assert_eq!(found["ttlMs"], 3_600_000);
    assert_eq!(found["cacheScope"], "public");

    let list = client.request(json!(2), "tools/list", json!({"_meta": modern()})).await;
    let list = &list["result"];
    assert_eq!(list["resultType"], "complete");
    assert_eq!(list["ttlMs"], 3_600_000);
    assert_eq!(list["cacheScope"], "public");
    assert_eq!(list["tools"][0]["name"], "rw_safe_write");

    let arguments = json!({"content": "x"});
    let params = json!({"name": "rw_test_echo", "arguments": arguments, "_meta": modern()});
    let result = client.request(json!(3), "tools/call", params).await;
    assert_eq!(result["result"]["structuredContent"]["content"], "x");
    assert_eq!(result["result"]["resultType"], "complete");
    let signed = &result["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(signed["name"], "resilient-write");
    assert!(client.hang_up().await.is_empty());
}

#[tokio::test]
async fn a_client_that_only_looks_leaves_a_server_that_ends_in_peace() {
    assert!(Client::connect(tools()).hang_up().await.is_empty());
    let mut client = Client::connect(tools());
    client.request(json!(1), "server/discover", json!({"_meta": modern()})).await;
    assert!(client.hang_up().await.is_empty());
}

#[tokio::test]
async fn what_comes_before_the_first_request_does_not_end_the_server() {
    let mut client = Client::connect(tools());
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    client.send(&json!({"jsonrpc": "2.0", "id": 4, "result": {}})).await;
    let params = json!({"requestId": 4});
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
        .await;
    client.send_line(b"not json").await;
    assert_eq!(client.receive().await.unwrap()["error"]["code"], -32700);
    assert_eq!(client.initialize("2025-11-25").await["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn a_tool_is_called_by_either_name_and_listed_as_asked() {
    let mut client = Client::initialized(tools()).await;
    for name in ["rw_test_echo", "rw.test_echo"] {
        let result = client.call(name, json!({"content": "é", "count": 2.0})).await;
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(text, r#"{"content":"\u00e9","count":2,"data":null,"ok":true}"#);
        assert_eq!(
            result["structuredContent"],
            json!({"content": "é", "count": 2, "data": null, "ok": true})
        );
        assert_eq!(result["isError"], false);
    }
    let mut dotted =
        Client::of(Server::new(Workspace::builder("/nowhere").open(), ToolNames::Dotted));
    let instructions = dotted.initialize("2025-11-25").await["instructions"].clone();
    assert!(!instructions.as_str().unwrap().contains("rw_"));
    let list = dotted.request(json!(1), "tools/list", json!({})).await;
    assert_eq!(list["result"]["tools"][0]["name"], "rw.safe_write");
    let cut = dotted.call_failing("rw_safe_write", json!({"path": "a"})).await;
    assert!(cut["context"]["hint"].as_str().unwrap().contains("rw.chunk_append"));
}

#[tokio::test]
async fn an_unknown_tool_is_a_failed_result() {
    let mut client = Client::initialized(tools()).await;
    let envelope = client.call_failing("rw_nothing", json!({})).await;
    assert_eq!(envelope["error"], "policy_violation");
    assert_eq!(envelope["reason_hint"], "unknown");
    assert_eq!(envelope["suggested_action"], "abort");
    assert_eq!(
        envelope["context"],
        json!({
            "unknown_tool": "rw_nothing", "tool": "rw_nothing",
            "hint": "call one of the tools that this server lists",
        })
    );
}

#[tokio::test]
async fn wrong_arguments_are_refused_by_name() {
    let mut client = Client::initialized(tools()).await;
    let envelope = client.call_failing("rw_safe_write", json!({"path": 1, "content": ""})).await;
    assert_eq!(envelope["error"], "policy_violation");
    assert_eq!(envelope["reason_hint"], "encoding");
    assert_eq!(
        envelope["context"],
        json!({
            "reason": "wrong_type: path", "argument": "path", "expected": "string",
            "got": "integer", "tool": "rw.safe_write",
            "hint": "pass path as a string",
        })
    );
    let null = json!({"path": "a", "content": "", "expected_prev_sha256": null});
    let envelope = client.call_failing("rw_safe_write", null).await;
    assert_eq!(envelope["context"]["reason"], "wrong_type: expected_prev_sha256");
    let extra = json!({"path": "a", "content": "", "foo": 1});
    let envelope = client.call_failing("rw_safe_write", extra).await;
    assert_eq!(envelope["context"]["reason"], "unknown_argument: foo");
}

#[tokio::test]
async fn a_call_that_was_cut_is_told_to_go_on_in_parts() {
    let mut client = Client::initialized(tools()).await;
    let cut = client.call_failing("rw_safe_write", json!({"path": "a.md"})).await;
    assert_eq!(cut["reason_hint"], "size_limit");
    assert_eq!(cut["suggested_action"], "split");
    assert_eq!(cut["context"]["reason"], "missing_argument: content");
    let hint = cut["context"]["hint"].as_str().unwrap();
    assert!(hint.contains("rw_chunk_append") && hint.contains("do not resend"));

    let params = json!({"name": "rw_safe_write", "arguments": r#"{"path":"a.md","content":"th"#});
    let reply = client.request(json!(1), "tools/call", params).await;
    let broken = envelope(&reply["result"]);
    assert_eq!(broken["context"]["reason"], "arguments_not_an_object");
    assert_eq!(broken["context"]["hint"], hint);
    assert_eq!(broken["suggested_action"], "split");
}

#[tokio::test]
async fn arguments_sent_as_a_string_are_read() {
    let mut client = Client::initialized(tools()).await;
    let params = json!({"name": "rw_test_echo", "arguments": r#"{"content":"from a string"}"#});
    let reply = client.request(json!(1), "tools/call", params).await;
    assert_eq!(reply["result"]["structuredContent"]["content"], "from a string");
    let params = json!({"name": "rw_test_echo", "arguments": [1]});
    let reply = client.request(json!(1), "tools/call", params).await;
    assert_eq!(envelope(&reply["result"])["context"]["reason"], "arguments_not_an_object");
}

#[tokio::test]
async fn text_that_is_no_text_is_refused_and_the_server_goes_on() {
    let mut client = Client::initialized(tools()).await;
    let call = |content: &[u8]| [CALL_HEAD, content, CALL_TAIL].concat();
    let half = "write both halves of the surrogate pair, or the character itself";
    for (content, reason, hint) in [
        (&br"x \ud800 y"[..], "lone_surrogate", half),
        (&b"x \xff y"[..], "not_utf8", "send the call as UTF-8"),
    ] {
        client.send_line(&call(content)).await;
        let reply = client.receive().await.unwrap();
        assert_eq!(reply["id"], 7);
        let refused = envelope(&reply["result"]);
        assert_eq!(refused["error"], "policy_violation");
        assert_eq!(refused["reason_hint"], "encoding");
        let context = json!({"reason": reason, "tool": "rw.test_measure", "hint": hint});
        assert_eq!(refused["context"], context);
    }
    client.send_line(&call(br"\ud83d\ude00")).await;
    let reply = client.receive().await.unwrap();
    assert_eq!(reply["result"]["structuredContent"]["bytes"], 4);
    // Of a key that is there twice, two readers may each take another value.
    let hint = "send content once";
    client.send_line(&call(br#"x","content":"y"#)).await;
    let reply = client.receive().await.unwrap();
    let context = json!({
        "reason": "repeated_key: content", "argument": "content",
        "tool": "rw.test_measure", "hint": hint,
    });
    assert_eq!(envelope(&reply["result"])["context"], context);
}

#[tokio::test]
async fn lines_that_cannot_be_parsed_are_answered() {
    let mut client = Client::initialized(tools()).await;
    let deep = [
        br#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"rw_test_echo","arguments":{"content":"","data":"#.as_slice(),
        &b"[".repeat(100_000),
        &b"]".repeat(100_000),
        b"}}}",
    ]
    .concat();
    for (line, id, code) in [
        (&deep[..], json!(8), -32700),
        (br#"{"jsonrpc":"2.0","id":"s","method":"#, json!("s"), -32700),
        (br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, Value::Null, -32600),
        (br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, Value::Null, -32600),
        (br#"{"jsonrpc":"2.0","id":3,"method":"nothing/here"}"#, json!(3), -32601),
    ] {
        client.send_line(line).await;
        let reply = client.receive().await.unwrap();
        assert_eq!(reply["id"], id);
        assert_eq!(reply["error"]["code"], code);
        assert_eq!(reply["jsonrpc"], "2.0");
        if code == -32601 {
            assert_eq!(reply["error"]["message"], "there is no method \"nothing/here\" here");
        }
    }
    client.call("rw_test_echo", json!({"content": "still here"})).await;
}

#[tokio::test]
async fn a_line_of_64_mib_is_served() {
    let mut client = Client::initialized(tools()).await;
    client.send_raw(CALL_HEAD).await;
    client.send_raw(&vec![b'x'; 64 << 20]).await;
    client.send_line(CALL_TAIL).await;
    let reply = client.receive().await.unwrap();
    assert_eq!(reply["id"], 7);
    assert_eq!(reply["result"]["structuredContent"], json!({"ok": true, "bytes": 64 << 20}));
}

#[tokio::test]
async fn a_line_beyond_the_limit_is_refused_and_the_server_goes_on() {
    let mut client = Client::initialized(tools()).await;
    client.send_raw(br#"{"jsonrpc":"2.0","method":"tools/call","params":{"content":""#).await;
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..257 {
        client.send_raw(&piece).await;
    }
    client.send_line(br#""},"id":5}"#).await;
    let reply = client.receive().await.unwrap();
    assert_eq!(reply["id"], 5);
    assert_eq!(reply["error"]["code"], -32600);
    client.call("rw_test_echo", json!({"content": "still here"})).await;
}

#[tokio::test]
async fn a_panic_is_answered_and_the_server_goes_on() {
    let mut client = Client::initialized(tools()).await;
    let envelope = client.call_failing("rw_test_panic", json!({})).await;
    assert_eq!(envelope["error"], "write_corruption");
    assert_eq!(envelope["reason_hint"], "unknown");
    assert_eq!(envelope["suggested_action"], "abort");
    let context = &envelope["context"];
    assert_eq!(
        (&context["reason"], &context["tool"]),
        (&json!("internal_panic"), &json!("rw.test_panic"))
    );
    assert!(context["hint"].as_str().unwrap().starts_with("read the file"));
    client.call("rw_test_echo", json!({"content": "still here"})).await;
}

#[tokio::test]
async fn identical_retries_of_a_blocked_call_run_out() {
    let mut client = Client::initialized(tools()).await;
    let secret = json!({"content": "secret", "classify": true});
    for left in [3, 2, 1, 0] {
        let envelope = client.call_failing("rw_test_blocked", secret.clone()).await;
        assert_eq!(envelope["retry_budget"], left);
        assert!(envelope["context"].get("reason").is_none(), "it was run");
    }
    let envelope = client.call_failing("rw_test_blocked", secret).await;
    assert_eq!(envelope["retry_budget"], 0);
    assert_eq!(envelope["error"], "blocked");
    assert_eq!(envelope["context"]["reason"], "retry_budget_exhausted");
    let changed = json!({"content": "changed", "classify": true});
    let envelope = client.call_failing("rw_test_blocked", changed).await;
    assert_eq!(envelope["retry_budget"], 3);
}

#[tokio::test]
async fn outstanding_calls_run_side_by_side() {
    let mut client = Client::initialized(tools()).await;
    let params = json!({"name": "rw_test_together", "arguments": {}});
    for id in 0..CROWD {
        client
            .send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
            .await;
    }
    let mut answered = Vec::new();
    for _ in 0..CROWD {
        answered.push(client.receive().await.unwrap()["id"].as_u64().unwrap());
    }
    answered.sort_unstable();
    assert!(answered.into_iter().eq(0..CROWD as u64));
}

#[tokio::test]
async fn a_call_that_is_running_when_the_input_ends_is_answered() {
    let mut client = Client::initialized(vec![ToolSpec::of::<Slow<0>>()]).await;
    let params = json!({"name": "rw_test_slow", "arguments": {}});
    // No newline either: the end of the input ends the line.
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    client.send_raw(call.to_string().as_bytes()).await;
    client.end_input().await;
    gate(0).await;
    gate(0).await;
    let rest = client.hang_up().await;
    assert_eq!(rest.len(), 1);
    assert_eq!(rest[0]["result"]["structuredContent"], json!({"ok": true}));
}

#[tokio::test]
async fn a_cancelled_call_is_run_to_its_end_without_a_reply() {
    let mut client = Client::initialized(vec![ToolSpec::of::<Slow<1>>()]).await;
    let params = json!({"name": "rw_test_slow", "arguments": {}});
    client
        .send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}))
        .await;
    gate(1).await;
    let params = json!({"requestId": 1});
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
        .await;
    client.request(json!(2), "ping", json!({})).await;
    gate(1).await;
    assert!(client.hang_up().await.is_empty());
    assert!(DONE[1].load(std::sync::atomic::Ordering::SeqCst));
}

/// A call that is not stopped would never end.
#[tokio::test]
async fn a_scan_tells_how_far_it_is_until_its_call_is_cancelled() {
    let mut client = Client::initialized(vec![ToolSpec::of::<Scan>()]).await;
    let meta = json!({"progressToken": "p"});
    let params = json!({"name": "rw_test_scan", "arguments": {}, "_meta": meta});
    client
        .send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}))
        .await;
    let told = client.receive().await.unwrap();
    assert_eq!(told["method"], "notifications/progress");
    assert_eq!(told["params"]["progressToken"], "p");
    assert!(
        told["params"]["progress"].as_f64().unwrap() > 0.0 && told["params"]["total"].is_null()
    );
    let params = json!({"requestId": 1});
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
        .await;
    let rest = client.hang_up().await;
    assert!(rest.iter().all(|message| message["method"] == "notifications/progress"), "{rest:?}");
}

/// The SDK takes such a request for one of another method.
#[tokio::test]
async fn a_request_whose_params_do_not_fit_is_told_what_they_need() {
    let mut client = Client::initialized(tools()).await;
    let error = async |client: &mut Client, method, params| {
        client.request(json!(1), method, params).await["error"].take()
    };
    let refused = error(&mut client, "logging/setLevel", json!({"level": "loud"})).await;
    assert_eq!(refused["code"], -32602);
    assert!(refused["message"].as_str().unwrap().contains("one of debug"), "{refused}");
    let refused = error(&mut client, "resources/read", json!({})).await;
    assert_eq!(refused["message"], "send resources/read with `uri` in params");
    assert_eq!(error(&mut client, "resources/fly", json!({})).await["code"], -32601);
}

#[tokio::test]
async fn an_id_that_is_in_use_is_refused() {
    let mut client = Client::initialized(tools()).await;
    let params = json!({"name": "rw_test_echo", "arguments": {"content": "x"}});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    client.send_raw(format!("{call}\n{call}\n").as_bytes()).await;
    let replies = [client.receive().await.unwrap(), client.receive().await.unwrap()];
    assert!(replies.iter().any(|reply| reply["error"]["code"] == -32600));
    assert!(replies.iter().any(|reply| reply.get("result").is_some()));
}

#[tokio::test]
async fn every_tool_is_callable() {
    let mut client = Client::initialized(tools()).await;
    let list = client.request(json!(1), "tools/list", json!({})).await;
    for tool in list["result"]["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        if name.starts_with("rw_test") {
            continue;
        }
        let mut arguments = Map::new();
        arguments.insert("never_an_argument".to_owned(), Value::Null);
        let envelope = client.call_failing(name, Value::Object(arguments)).await;
        assert_eq!(envelope["context"]["argument"], "never_an_argument", "{name}");
    }
}

#[tokio::test]
async fn a_tail_of_no_rows_is_refused() {
    let mut client = Client::initialized(tools()).await;
    for n in [0, -1] {
        let envelope = client.call_failing("rw_journal_tail", json!({"n": n})).await;
        assert_eq!(envelope["reason_hint"], "encoding");
        assert_eq!(envelope["context"]["reason"], "n_must_be_at_least_1");
    }
}

#[tokio::test]
async fn structured_content_is_sent_to_those_who_know_it() {
    for (version, knows) in
        [("2024-11-05", false), ("2025-03-26", false), ("2025-06-18", true), ("2025-11-25", true)]
    {
        let mut client = Client::connect(tools());
        client.initialize(version).await;
        for (tool, ok) in [("rw_test_echo", true), ("rw_test_panic", false)] {
            let arguments = if ok { json!({"content": "x"}) } else { json!({}) };
            let result = client.call(tool, arguments).await;
            let text: Value =
                serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
            assert_eq!(text["ok"], ok, "{version}");
            assert_eq!(result.get("structuredContent"), knows.then_some(&text), "{version}");
        }
    }
}

fn offering(offer: Offer) -> Client {
    let workspace = Workspace::builder("/nowhere").open();
    Client::of(Server::offering(workspace, ToolNames::Underscore, offer))
}

#[tokio::test]
async fn a_tool_of_another_set_is_answered_or_its_place_is_told() {
    let paper = Offer::default();
    let reading = Offer::Paper { with_read: true };
    // What is answered complains of the argument.
    for (offer, tool) in [
        (paper, "rw_redact"),
        (paper, "rw.scratch_list"),
        (reading, "rr_list_files"),
        (Offer::Full, "rw_read_file"),
    ] {
        let mut client = offering(offer);
        client.initialize("2025-11-25").await;
        let refused = client.call(tool, json!({"never_an_argument": 1})).await;
        let context = &refused["structuredContent"]["context"];
        assert_eq!(context["argument"], "never_an_argument", "{offer:?} {tool}");
    }
    for (offer, tool, nearest, hint) in [
        (
            Offer::Core,
            "rw_safe_write",
            json!(["rw_write_file"]),
            "call rw_write_file if that is meant, or ask the user to start the server with --tools full, \
             which has it",
        ),
        (
            Offer::Core,
            "rw.checkpoint",
            Value::Null,
            "ask the user to start the server with --tools full, which has it",
        ),
        (
            paper,
            "rw_edit_file",
            json!(["rw_safe_replace"]),
            "call rw_safe_replace if that is meant, or ask the user to start the server with --tools core, \
             which has it",
        ),
        (
            paper,
            "rr_read_tail",
            Value::Null,
            "ask the user to start the server with --with-read, which has it",
        ),
        (
            paper,
            "read_file",
            Value::Null,
            "ask the user to start the server with --with-read, which has rr_read_lines",
        ),
        (
            paper,
            "list_files",
            Value::Null,
            "ask the user to start the server with --tools full, which has rr_list_files",
        ),
        (
            reading,
            "rw_read_file",
            json!(["rr_read_lines"]),
            "call rr_read_lines if that is meant, or ask the user to start the server with --tools core, which \
             has it",
        ),
        (Offer::Core, "rw_hystory", json!(["rw_history"]), "call rw_history if that is meant"),
    ] {
        let mut client = offering(offer);
        client.initialize("2025-11-25").await;
        let refused = client.call(tool, json!({})).await;
        let context = &refused["structuredContent"]["context"];
        assert_eq!(
            (&context["nearest_names"], context["hint"].as_str().unwrap()),
            (&nearest, hint),
            "{offer:?} {tool}"
        );
        let action = if hint.starts_with("ask the user") { "ask_user" } else { "abort" };
        assert_eq!(refused["structuredContent"]["suggested_action"], action, "{offer:?} {tool}");
    }
}

#[tokio::test]
async fn an_unknown_name_with_a_known_verb_never_leads_to_a_tool_that_removes_more() {
    const GIT: &str = "take the older text from git";
    const DIRECTORY: &str = "write the first file in it";
    for (offer, tool, nearest, hint) in [
        (Offer::Full, "rw_chunk_list", json!(["rw_chunk_status"]), "call rw_chunk_status if"),
        (Offer::Core, "rw_chunk_list", json!(["rw_list_parts"]), "call rw_list_parts if"),
        (Offer::Full, "rw_scratch_delete", json!(["rw_scratch_remove"]), "call rw_scratch_remove"),
        (
            Offer::default(),
            "rw_scratch_delete",
            Value::Null,
            "ask the user to start the server with --tools full, which has rw_scratch_remove",
        ),
        (Offer::Full, "rw_checkpoint_delete", Value::Null, "no tool removes one checkpoint"),
        (
            Offer::Core,
            "rw_discard_parts",
            Value::Null,
            "send part 1 of the file with `rw_write_part`",
        ),
        (Offer::Full, "rw_discard_parts", json!(["rw_chunk_reset"]), "call rw_chunk_reset if"),
        (Offer::Core, "rw_append", Value::Null, "call `rw_write_file` with `append` true"),
        (Offer::Core, "rw_append_file", Value::Null, "call `rw_write_file` with `append` true"),
        (Offer::default(), "append_file", Value::Null, "call `rw_safe_write` with `mode` append"),
        (Offer::Full, "rw_safe_append", Value::Null, "call `rw_safe_write` with `mode` append"),
        (Offer::Full, "rw_safe_edit", json!(["rw_safe_replace"]), "call rw_safe_replace if"),
        (Offer::Full, "rw_append_chunk", json!(["rw_chunk_append"]), "call rw_chunk_append if"),
        (Offer::Full, "rw_revert", Value::Null, GIT),
        (Offer::Core, "rw_undo", Value::Null, GIT),
        (Offer::Full, "rw_undo_edit", Value::Null, GIT),
        (Offer::Full, "rw_restore", Value::Null, GIT),
        (Offer::Full, "rw_rollback", Value::Null, GIT),
        (Offer::Full, "rw_transaction", Value::Null, "make the calls one by one"),
        (Offer::Full, "rw_begin", Value::Null, "make the calls one by one"),
        (Offer::Full, "rw_diff", Value::Null, "do it in the shell"),
        (Offer::Full, "rw_mkdir", Value::Null, DIRECTORY),
        (Offer::Core, "rw_create_directory", Value::Null, DIRECTORY),
        (Offer::Core, "delete_file", Value::Null, "do it in the shell"),
        (Offer::Full, "rw_chunk_rest", json!(["rw_chunk_reset"]), "call rw_chunk_reset if"),
    ] {
        let mut client = offering(offer);
        client.initialize("2025-11-25").await;
        let refused = client.call(tool, json!({})).await;
        let context = &refused["structuredContent"]["context"];
        assert!(context["hint"].as_str().unwrap().starts_with(hint), "{offer:?} {tool}: {context}");
        let first = context["nearest_names"].get(0).map_or(Value::Null, |near| json!([near]));
        assert_eq!(first, nearest, "{offer:?} {tool}");
    }
    // What is only misspelt is not led to a tool that removes.
    let mut client = offering(Offer::Full);
    client.initialize("2025-11-25").await;
    let refused = client.call("rw_chunk_lst", json!({})).await;
    let near = refused["structuredContent"]["context"]["nearest_names"].to_string();
    assert!(!near.contains("rw_chunk_reset"), "{near}");
}

/// Each call of a set of tools is refused with its hint alone.
async fn each_is_told<const N: usize>(calls: [(Offer, &str, Value, &str); N]) {
    for (offer, tool, arguments, hint) in calls {
        let mut client = offering(offer);
        client.initialize("2025-11-25").await;
        let refused = client.call(tool, arguments).await;
        let context = &refused["structuredContent"]["context"];
        assert_eq!((&context["hint"], context.get("also")), (&json!(hint), None), "{tool}");
    }
}

#[tokio::test]
async fn an_argument_that_stands_for_a_missing_one_gets_one_sentence() {
    let calls = [
        (
            Offer::Full,
            "rw_safe_write",
            json!({"path": "a", "draft_sha256": "0"}),
            "put draft_sha256 into `content_from`",
        ),
        (
            Offer::Full,
            "rw_safe_write",
            json!({"path": "a", "content": "x", "draft_sha256": "0"}),
            "put draft_sha256 into `content_from`, and leave out `content`",
        ),
        (
            Offer::Full,
            "rw_chunk_write",
            json!({"session": "s", "content": "x", "part": 11}),
            "write `index` in place of part",
        ),
        (
            Offer::Core,
            "rw_write_part",
            json!({"path": "a", "content": "x", "index": 4}),
            "write `part` in place of index",
        ),
    ];
    each_is_told(calls).await;
}

#[tokio::test]
async fn a_hint_about_an_unknown_argument_does_not_turn_what_was_asked_for_into_its_contrary() {
    let write = |name: &str, value: Value| json!({"path": "a", "content": "x", name: value});
    let edit = |name: &str, value: Value| json!({"path": "a", "old_string": "x", "new_string": "y", name: value});
    let of = |session: &str, name: &str, value: Value| json!({"session": session, name: value});
    let compose = json!({"session": "s", "output_path": "a", "append": true});
    let calls = [
        (
            Offer::Core,
            "rw_write_file",
            write("mode", json!("overwrite")),
            "leave out mode; to replace a file, pass `expected_prev_sha256`",
        ),
        (
            Offer::Core,
            "rw_write_file",
            write("mode", json!("append")),
            "pass `append` true in place of mode",
        ),
        (Offer::Full, "rw_safe_write", write("overwrite", json!(false)), "leave out overwrite"),
        (Offer::Full, "rw_safe_write", write("append", json!(false)), "leave out append"),
        (
            Offer::Full,
            "rw_safe_replace",
            edit("replace_all", json!(false)),
            "leave out replace_all",
        ),
        (Offer::Core, "rw_edit_file", edit("count", json!(1)), "leave out count"),
        (
            Offer::Full,
            "rw_checkpoint_cleanup",
            json!({"name": "a"}),
            "leave out name only if all that goes without it is to go; no tool removes one checkpoint: \
             `rw_checkpoint_cleanup` removes all that have expired, and all with `ttl` session unless \
             `include_session` is false",
        ),
        (
            Offer::Full,
            "rw_chunk_reset",
            of("s", "index", json!(2)),
            "leave out index only if all that goes without it is to go; no tool removes one part: \
             `rw_chunk_write` with an empty `content` empties it, and `rw_chunk_reset` removes all parts of a \
             session",
        ),
        (
            Offer::Full,
            "rw_chunk_compose",
            compose,
            "leave out append only with a path of its own as `output_path`: a compose replaces the file that is \
             there, and adds to none",
        ),
        (
            Offer::Core,
            "rw_search_files",
            json!({"pattern": "a", "ignore_case": true}),
            "put (?i) at the beginning of `pattern` in place of ignore_case",
        ),
    ];
    each_is_told(calls).await;
}

#[tokio::test]
async fn a_hint_may_name_the_tool_that_was_called_though_it_is_not_listed() {
    let dir = tempfile::tempdir().unwrap();
    let token = ["ghp_", "q7Zk2Vw9Xb4Tn6Rj8Lm3", "Pd5Hs1Gy0CfAaB"].concat();
    let workspace = Workspace::builder(dir.path()).open();
    let server = Server::offering(workspace, ToolNames::Underscore, Offer::default());
    let mut client = Client::of(server);
    client.initialize("2025-11-25").await;
    let content = format!("import os\ntoken = \"{token}\"\n");
    let written = client.call("rw_safe_write", json!({"path": "a.py", "content": content})).await;
    assert_eq!(written["structuredContent"]["ok"], true, "{written}");
    let second = json!({"path": "b.py", "content": content});
    let written = client.call("rw_safe_write", second).await;
    let digest = &written["structuredContent"]["sha256"];
    let over = json!({"path": "a.py", "write_to": "b.py", "expected_prev_sha256": digest});
    let refused = client.call("rw_redact", over).await;
    let context = &refused["structuredContent"]["context"];
    assert_eq!(context["reason"], "mark_over_value", "{refused}");
    let hint = context["hint"].as_str().unwrap();
    assert!(hint.ends_with("with `rw_redact`, its path in `path` and in `write_to` and `keep` true, and make this call again"), "{hint}");
    let refused = client.call("rw_redact", json!({"path": "a.py", "write_to": "a.py"})).await;
    let hint = refused["structuredContent"]["context"]["hint"].as_str().unwrap();
    assert!(hint.starts_with("call `rw_redact` again with `keep` true"), "{hint}");
}
