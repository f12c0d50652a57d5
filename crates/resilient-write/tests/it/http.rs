//! The server over HTTP: both transports, what they share with standard streams, and the end.

use std::fs::File;
#[cfg(unix)]
use std::io::{Read as _, Write as _};

use serde_json::{Value, json};

use crate::sandbox::{READER, Sandbox, secrets};
use crate::web::{Web, call, handshake};

const HTTP: &[&str] = &["--transport", "http"];
const SSE: &[&str] = &["--transport", "sse"];

/// What is said of a message that has its method twice.
const TWICE: &str = "the message has the key \"method\" twice; send it once";

fn rows(sandbox: &Sandbox) -> Vec<Value> {
    let journal = sandbox.text(".resilient_write/journal.jsonl");
    journal.lines().map(|row| serde_json::from_str(row).unwrap()).collect()
}

/// A request of the era without handshakes, with the headers that it needs.
fn modern(web: &Web, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "new", "version": "1"},
    });
    let name = params["name"].as_str().unwrap_or_default().to_owned();
    let mut headers = vec![("Mcp-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)];
    if !name.is_empty() {
        headers.push(("Mcp-Name", &name));
    }
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let answer = web.post("/mcp", &headers, &message);
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.message()["result"].take()
}

#[test]
fn a_client_shakes_hands_lists_calls_and_ends() {
    let sandbox = Sandbox::new();
    let web = sandbox.listen(HTTP);
    assert!(sandbox.names().is_empty(), "nothing is made before the first call");
    let client = web.greet("/mcp", &[]);
    let list = client.post(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).message();
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 21);
    let written = client.call("rw_safe_write", &json!({"path": "a", "content": "x"}));
    assert_eq!(written["ok"], true, "{written}");
    assert_eq!(sandbox.text("a"), "x");
    let by = &rows(&sandbox)[0]["by"];
    assert_eq!((&by["client"], &by["origin"]), (&json!("test/0"), &json!("server")), "{by}");

    let session = [("Mcp-Session-Id", client.session())];
    assert_eq!(web.ask("DELETE", "/mcp", &session, "").status, 200);
    let gone = web.post("/mcp", &session, &call(9, "rw_safe_write", &json!({})));
    assert_eq!(gone.status, 404, "{gone:?}");
    assert_eq!(web.ask("DELETE", "/mcp", &session, "").status, 404, "it ended before");
}

#[test]
fn a_client_of_the_era_without_handshakes_is_served_at_the_same_address() {
    let sandbox = Sandbox::new();
    let web = sandbox.listen(HTTP);
    let found = modern(&web, "server/discover", json!({}));
    assert!(
        found["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")),
        "{found}"
    );
    let arguments = json!({"path": "a", "content": "x"});
    let written =
        modern(&web, "tools/call", json!({"name": "rw_safe_write", "arguments": arguments}));
    assert_eq!(written["structuredContent"]["ok"], true, "{written}");
    assert_eq!(rows(&sandbox)[0]["by"]["client"], "new/1");
    // Such a client has no session, but its retries are counted.
    let blocked = json!({"path": "b", "content": secrets(), "classify": true});
    let budget = || {
        let params = json!({"name": "rw_safe_write", "arguments": blocked});
        modern(&web, "tools/call", params)["structuredContent"]["retry_budget"].take()
    };
    let first = budget().as_u64().unwrap();
    assert_eq!(budget().as_u64().unwrap(), first - 1);
}

#[test]
fn the_reader_is_served_too() {
    let sandbox = Sandbox::new();
    sandbox.put("a", "one\n");
    let web = sandbox.listen_as(READER, HTTP);
    let read = web.greet("/mcp", &[]).call("rr_stat", &json!({"path": "a"}));
    assert_eq!(read["ok"], true, "{read}");
}

/// What models get wrong is answered as over standard streams, where another layer looks at it.
#[test]
fn the_guards_hold_over_http() {
    let sandbox = Sandbox::new();
    let web = sandbox.listen(HTTP);
    let client = web.greet("/mcp", &[]);
    let written = client.call("rw_safe_write", &json!("{\"path\":\"a\",\"content\":\"x\"}"));
    assert_eq!(written["ok"], true, "{written}");
    let reason =
        |arguments: &Value| client.call("rw_safe_write", arguments)["context"]["reason"].take();
    assert_eq!(reason(&json!(7)), "arguments_not_an_object");
    assert_eq!(reason(&json!({"path": "a", "colour": 1})), "unknown_argument: colour");
    let session = [("Mcp-Session-Id", client.session())];
    let accept =
        [("Accept", "application/json, text/event-stream"), ("Content-Type", "application/json")];
    let post = |body: &str| web.ask("POST", "/mcp", &[&session[..], &accept].concat(), body);
    let lone = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":
        {"name":"rw_safe_write","arguments":{"path":"b","content":"\ud800"}}}"#;
    let refused = post(lone).message();
    assert_eq!(refused["result"]["structuredContent"]["context"]["reason"], "lone_surrogate");
    let refused = post(&lone.replace(r"\ud800", r#"y","content":"z"#)).message();
    let context = &refused["result"]["structuredContent"]["context"];
    assert_eq!(context["reason"], "repeated_key: content");
    assert_eq!(context["argument"], "content");
    assert!(!sandbox.path("b").exists());
    let twice = r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}"#;
    for (body, code) in [("{", -32700), ("[]", -32600), ("7", -32600), (twice, -32600)] {
        let refused = post(body);
        assert_eq!(
            (refused.status, &refused.message()["error"]["code"]),
            (400, &json!(code)),
            "{body}"
        );
    }
    assert_eq!(post(twice).message()["error"]["message"], TWICE);
}

#[test]
fn each_client_has_retries_of_its_own() {
    let sandbox = Sandbox::new();
    let web = sandbox.listen(HTTP);
    let blocked = json!({"path": "b", "content": secrets(), "classify": true});
    let budget = |client: &crate::web::Client<'_>| {
        client.call("rw_safe_write", &blocked)["retry_budget"].as_u64().unwrap()
    };
    let (one, other) = (web.greet("/mcp", &[]), web.greet("/mcp", &[]));
    let full = budget(&one);
    assert_eq!(budget(&one), full - 1);
    assert_eq!(budget(&other), full);
}

/// The server keeps 64 quiet sessions awake.
#[test]
fn a_session_that_has_slept_has_its_retries_and_its_name_in_the_journal() {
    let sandbox = Sandbox::new();
    let web = sandbox.listen(HTTP);
    let blocked = json!({"path": "b", "content": secrets(), "classify": true});
    let client = web.greet("/mcp", &[]);
    let budget = || client.call("rw_safe_write", &blocked)["retry_budget"].as_u64().unwrap();
    let full = budget();
    client.call("rw_safe_write", &json!({"path": "a", "content": "x"}));
    (0..70).for_each(|_| drop(web.greet("/mcp", &[])));
    assert_eq!(budget(), full - 1);
    client.call("rw_safe_write", &json!({"path": "c", "content": "x"}));
    let rows = rows(&sandbox);
    let by = |path: &str| &rows.iter().find(|row| row["path"] == path).unwrap()["by"];
    assert_eq!(by("a"), by("c"));
    let sessions = web.ask("GET", "/metrics", &[], "").body;
    assert!(sessions.contains("rw_sessions{workspace=\"\"} 71"), "{sessions}");
}

#[test]
fn clients_that_write_at_once_lose_nothing() {
    const CLIENTS: usize = 16;
    let sandbox = Sandbox::new();
    let web = sandbox.listen(HTTP);
    std::thread::scope(|scope| {
        for n in 0..CLIENTS {
            let web = &web;
            scope.spawn(move || {
                let client = web.greet("/mcp", &[]);
                for m in 0..4 {
                    let write = json!({"path": format!("{n}/{m}"), "content": format!("{n} {m}")});
                    assert_eq!(client.call("rw_safe_write", &write)["ok"], true);
                }
            });
        }
    });
    assert_eq!(rows(&sandbox).len(), 4 * CLIENTS);
    for n in 0..CLIENTS {
        assert_eq!(sandbox.text(&format!("{n}/3")), format!("{n} 3"));
    }
}

/// A client over SSE: its stream, and where it posts to.
pub(crate) fn opened(web: &Web, headers: &[(&str, &str)]) -> (crate::web::Line, String) {
    let mut stream = web.open("GET", "/sse", headers, "");
    assert_eq!(stream.status, 200);
    let (name, messages) = stream.event();
    assert_eq!(name, "endpoint");
    assert!(messages.starts_with("/messages/?session_id="), "{messages}");
    assert_eq!(web.post(&messages, headers, &handshake()).status, 202);
    let (name, hello) = stream.event();
    let hello: Value = serde_json::from_str(&hello).unwrap();
    assert_eq!(
        (name.as_str(), &hello["result"]["protocolVersion"]),
        ("message", &json!("2025-11-25"))
    );
    (stream, messages)
}

pub(crate) fn next(stream: &mut crate::web::Line) -> Value {
    serde_json::from_str(&stream.event().1).unwrap()
}

/// Before, only the first message of a session was bounded.
#[test]
fn the_handshake_of_the_older_transport_is_short_whatever_comes_before() {
    let sandbox = Sandbox::new();
    let web = sandbox.listen(SSE);
    let mut stream = web.open("GET", "/sse", &[], "");
    let (_, messages) = stream.event();
    let mut told = |message: &Value| {
        assert_eq!(web.post(&messages, &[], message).status, 202);
        next(&mut stream)
    };
    told(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
    let mut long = handshake();
    long["params"]["clientInfo"]["name"] = json!("x".repeat(20_000));
    let refused = told(&long);
    assert_eq!(
        (&refused["id"], &refused["error"]["message"]),
        (&long["id"], &json!("a handshake has at most 16384 bytes"))
    );
    assert!(told(&handshake())["result"].is_object());
}

#[test]
fn a_client_of_the_older_transport_posts_and_listens() {
    let sandbox = Sandbox::new();
    let web = sandbox.listen(SSE);
    let (mut stream, messages) = opened(&web, &[]);
    // Over several lines, as some clients write it; and with arguments in a string, as some models do.
    let arguments = json!("{\"path\":\"a\",\"content\":\"x\"}");
    let body = format!("{:#}", call(5, "rw_safe_write", &arguments));
    assert_eq!(web.ask("POST", &messages, &[], &body).status, 202);
    let reply = next(&mut stream);
    assert_eq!(
        (&reply["id"], &reply["result"]["structuredContent"]["ok"]),
        (&json!(5), &json!(true))
    );
    assert_eq!(sandbox.text("a"), "x");
    assert_eq!(web.ask("POST", &messages, &[], "{").status, 202);
    assert_eq!(next(&mut stream)["error"]["code"], -32700);
    let twice = r#"{"jsonrpc":"2.0","id":6,"method":"ping","method":"ping"}"#;
    assert_eq!(web.ask("POST", &messages, &[], twice).status, 202);
    let refused = next(&mut stream);
    assert_eq!((&refused["id"], &refused["error"]["message"]), (&json!(6), &json!(TWICE)));

    let unknown = format!("/messages/?session_id={}", "0".repeat(32));
    assert_eq!(web.post(&unknown, &[], &call(6, "rw_safe_write", &json!({}))).status, 404);
    // Who speaks the other transport is told so.
    for (method, path, status) in
        [("GET", "/mcp", 404), ("POST", "/mcp/", 404), ("POST", "/sse", 405)]
    {
        let answer = web.ask(method, path, &[], "");
        assert_eq!((answer.status, answer.body.contains("--transport http")), (status, true));
    }
    let web = sandbox.listen(HTTP);
    let answer = web.ask("GET", "/sse", &[], "");
    assert_eq!((answer.status, answer.body.contains("--transport sse")), (404, true));
}

/// Before, the address of the first workspace was named.
#[test]
fn who_speaks_the_other_transport_is_told_the_address_of_its_workspace() {
    let sandbox = Sandbox::new();
    sandbox.put("one/a", "");
    sandbox.put("two/a", "");
    for (transport, asked, told) in [("http", "sse", "mcp"), ("sse", "mcp", "sse")] {
        let web = sandbox.listen(&["--transport", transport, "-w", "one=one", "-w", "two=two"]);
        for place in ["", "/w/one", "/w/two"] {
            let answer = web.ask("GET", &format!("{place}/{asked}"), &[], "");
            let told = format!(", at {place}/{told};");
            assert_eq!((answer.status, answer.body.contains(&told)), (404, true), "{answer:?}");
        }
        let nowhere = web.ask("GET", &format!("/w/three/{asked}"), &[], "");
        let all = format!("/{told}, /w/one/{told}, /w/two/{told}");
        assert_eq!(nowhere.body, format!("nothing is here; this server answers at {all}\n"));
    }
}

#[test]
fn an_address_takes_the_methods_that_it_has() {
    let sandbox = Sandbox::new();
    let web = sandbox.listen(HTTP);
    for (method, path, status) in [
        ("PUT", "/mcp", 405),
        ("OPTIONS", "/mcp", 405),
        ("GET", "/", 404),
        ("GET", "/mcp/../etc/passwd", 404),
        ("GET", "/w/other/mcp", 404),
        ("GET", "/mcp", 406),
    ] {
        let answer = web.ask(method, path, &[], "");
        assert_eq!(answer.status, status, "{method} {path} {answer:?}");
        if status == 405 {
            assert_eq!(answer.body, "this address takes GET, POST, DELETE\n");
        }
        // A page of a browser is told nothing.
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
}

/// A workspace whose lock another process holds, so that a write waits.
fn locked(sandbox: &Sandbox, client: &crate::web::Client<'_>) -> File {
    client.call("rw_safe_write", &json!({"path": "first", "content": "1"}));
    let lock = File::open(sandbox.path(".resilient_write/lock")).unwrap();
    lock.lock().unwrap();
    lock
}

#[test]
fn an_id_that_is_at_work_is_taken_by_no_second_request() {
    let sandbox = Sandbox::new();
    let web = sandbox.listen(HTTP);
    let client = web.greet("/mcp", &[]);
    let lock = locked(&sandbox, &client);
    let write = |path: &str| call(7, "rw_safe_write", &json!({"path": path, "content": "x"}));
    let first = client.begin(&write("one"));
    client.ping();
    let second = client.begin(&write("two")).rest();
    assert_eq!((second.status, &second.message()["error"]["code"]), (400, &json!(-32600)));
    lock.unlock().unwrap();
    let reply = first.rest().message();
    assert_eq!(reply["result"]["structuredContent"]["path"], "one", "{reply}");
    let again = client.begin(&write("two")).rest().message();
    assert_eq!(again["result"]["structuredContent"]["path"], "two", "{again}");
}

#[cfg(unix)]
#[test]
fn the_end_waits_for_a_call_and_its_answer() {
    let sandbox = Sandbox::new();
    let mut web = sandbox.listen(HTTP);
    let (line, lock, session) = {
        let client = web.greet("/mcp", &[]);
        let lock = locked(&sandbox, &client);
        let line = client.begin(&call(5, "rw_safe_write", &json!({"path": "a", "content": "x"})));
        // Once this is answered, the call has begun.
        client.ping();
        (line, lock, client.session().to_owned())
    };
    web.stop();
    let said = web.said_until("stopping");
    assert!(said.contains("1 call is under way"), "{said}");
    // A client takes a refused connection for the end of all its calls.
    let mut silent = web.say_half("");
    let late = web.post("/mcp", &[], &handshake());
    assert_eq!(late.status, 503, "{late:?}");
    // What is under way can still be cancelled: this session has nothing of that id.
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 99}});
    assert_eq!(web.post("/mcp", &[("Mcp-Session-Id", &session)], &cancel).status, 202);
    // Before, a connection that had sent nothing yet was reset.
    silent.write_all(b"GET /healthz HTTP/1.1\r\n\r\n").unwrap();
    let mut answer = String::new();
    silent.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 "), "{answer}");
    lock.unlock().unwrap();
    let reply = line.rest().message();
    assert_eq!(reply["result"]["structuredContent"]["ok"], true, "{reply}");
    let (rest, code) = web.end();
    assert_eq!(code, Some(0), "{rest}");
    assert!(rest.contains("every call is done"), "{rest}");
    assert_eq!(sandbox.text("a"), "x");
}

#[cfg(unix)]
#[test]
fn the_end_waits_for_a_call_over_the_older_transport() {
    let sandbox = Sandbox::new();
    let mut web = sandbox.listen(SSE);
    let (mut stream, messages) = opened(&web, &[]);
    let write = |id, path: &str| call(id, "rw_safe_write", &json!({"path": path, "content": "x"}));
    web.post(&messages, &[], &write(1, "first"));
    assert_eq!(next(&mut stream)["id"], 1);
    let lock = File::open(sandbox.path(".resilient_write/lock")).unwrap();
    lock.lock().unwrap();
    web.post(&messages, &[], &write(2, "a"));
    web.post(&messages, &[], &json!({"jsonrpc": "2.0", "id": 3, "method": "ping"}));
    assert_eq!(next(&mut stream)["id"], 3);
    web.stop();
    assert!(web.said_until("stopping").contains("1 call is under way"));
    lock.unlock().unwrap();
    let reply = next(&mut stream);
    assert_eq!((&reply["id"], &reply["result"]["isError"]), (&json!(2), &json!(false)), "{reply}");
    assert_eq!(web.end().1, Some(0));
    assert_eq!(sandbox.text("a"), "x");
}

#[test]
fn a_client_that_goes_away_in_the_middle_leaves_a_whole_write() {
    let sandbox = Sandbox::new();
    let web = sandbox.listen(HTTP);
    let client = web.greet("/mcp", &[]);
    let lock = locked(&sandbox, &client);
    let content = "line\n".repeat(100_000);
    let line = client.begin(&call(5, "rw_safe_write", &json!({"path": "a", "content": content})));
    client.ping();
    drop(line);
    // In the other era the end of the connection is a cancellation; half a request is none.
    drop(
        web.say_half("POST /mcp HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n\r\n{\"jsonrpc\""),
    );
    lock.unlock().unwrap();
    // This waits for the write before it.
    let more = json!({"path": "a", "mode": "append", "content": "end\n"});
    assert_eq!(client.call("rw_safe_write", &more)["ok"], true);
    assert!(sandbox.text("a") == content + "end\n");
    let paths: Vec<Value> = rows(&sandbox).iter().map(|row| row["path"].clone()).collect();
    assert_eq!(paths, ["first", "a", "a"]);
}

/// Before, the write was made although nobody waited for it any more.
#[test]
fn the_end_of_a_session_cancels_a_write_that_waits() {
    let sandbox = Sandbox::new();
    let web = sandbox.listen(HTTP);
    let (client, other) = (web.greet("/mcp", &[]), web.greet("/mcp", &[]));
    let lock = locked(&sandbox, &client);
    let line = client.begin(&call(5, "rw_safe_write", &json!({"path": "a", "content": "x"})));
    client.ping();
    let session = [("Mcp-Session-Id", client.session())];
    assert_eq!(web.ask("DELETE", "/mcp", &session, "").status, 200);
    // Its stream ends without an answer.
    assert!(!line.rest().body.contains("result"));
    other.ping();
    lock.unlock().unwrap();
    // This waits for a write before it.
    let more = json!({"path": "b", "content": "y"});
    assert_eq!(other.call("rw_safe_write", &more)["ok"], true);
    let paths: Vec<Value> = rows(&sandbox).iter().map(|row| row["path"].clone()).collect();
    assert_eq!((paths, sandbox.path("a").exists()), (vec!["first".into(), "b".into()], false));
}

#[test]
fn each_workspace_has_an_address_a_state_and_a_policy_of_its_own() {
    let sandbox = Sandbox::new().with("RW_STATE_DIR", "/nowhere");
    for dir in ["one", "two"] {
        sandbox.put(&format!("{dir}/kept"), dir);
    }
    sandbox.put("two/.resilient_write/policy.yaml", "read_only: overwrite\n");
    let mut web = sandbox.listen(&["--transport", "http", "-w", "one=one", "-w", "two=two"]);
    let write = |path: &str| json!({"path": path, "content": "x"});
    web.said_until("/w/one/mcp");
    web.said_until("/w/two/mcp");
    let two = web.greet("/w/two/mcp", &[]);
    assert_eq!(two.call("rw_safe_write", &write("a"))["ok"], true);
    assert_eq!(web.greet("/mcp", &[]).call("rw_safe_write", &write("b"))["ok"], true);
    assert_eq!(web.greet("/w/one/mcp", &[]).call("rw_safe_write", &write("c"))["ok"], true);
    assert_eq!([sandbox.text("two/a"), sandbox.text("one/b"), sandbox.text("one/c")], ["x"; 3]);
    for (dir, count) in [("one", 2), ("two", 1)] {
        let journal = sandbox.text(&format!("{dir}/.resilient_write/journal.jsonl"));
        assert_eq!(journal.lines().count(), count, "{dir}");
    }
    // Neither by its path nor by its session does one reach the other.
    let absolute = sandbox.path("one/d").display().to_string();
    for path in ["../one/d", &absolute] {
        let refused = two.call("rw_safe_write", &write(path));
        assert_eq!(refused["context"]["reason"], "escapes_workspace", "{refused}");
    }
    let session = [("Mcp-Session-Id", two.session())];
    assert_eq!(
        web.post("/w/one/mcp", &session, &call(1, "rw_safe_write", &write("d"))).status,
        404
    );
    assert_eq!(web.post("/w/three/mcp", &[], &handshake()).status, 404);
    assert_eq!(sandbox.names(), ["one", "two"]);
}

#[test]
fn the_start_says_which_directory_an_address_leads_to() {
    let sandbox = Sandbox::new();
    sandbox.put("one/a", "");
    sandbox.put("two/a", "");
    for (transport, door) in [("http", "mcp"), ("sse", "sse")] {
        let args = ["--transport", transport, "-w", "a=one", "-w", "b=two"];
        let mut web = sandbox.listen(&args);
        let lines: Vec<_> = [("", "one"), ("/w/a", "one"), ("/w/b", "two")]
            .map(|(place, dir)| {
                let (address, dir) = (&web.address, sandbox.path(dir));
                format!("listening on http://{address}{place}/{door} for {}", dir.display())
            })
            .to_vec();
        assert!(web.said.iter().any(|said| said.ends_with(&lines[0])), "{:?}", web.said);
        for line in &lines[1..] {
            assert!(web.said_until("listening on").ends_with(line), "{line}");
        }
    }
}

#[test]
fn a_certificate_that_is_not_there_is_named_with_its_option() {
    let sandbox = Sandbox::new();
    sandbox.put("key.pem", "");
    let ran =
        sandbox.run(&[HTTP, &["--tls-certificate", "no.pem", "--tls-key", "key.pem"]].concat());
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("--tls-certificate no.pem: "), "{ran:?}");
}

#[test]
fn workspaces_lie_apart() {
    let sandbox = Sandbox::new();
    sandbox.put("one/two/kept", "");
    let ran = sandbox.run(&["--transport", "http", "-w", "a=one", "-w", "b=one/two"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("lies in"), "{ran:?}");
    let ran = sandbox.run(&["--transport", "http", "-w", "a=one", "-w", "b=one"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("two workspaces have the directory"), "{ran:?}");
    sandbox.put("other/file", "");
    let ran = sandbox.run(&[HTTP, &["-w", "a=one", "-w", "a=other"]].concat());
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("two workspaces are named a"), "{ran:?}");
    for name in ["ü", "..", "a b", ""] {
        let ran = sandbox.run(&[HTTP, &["-w", &format!("{name}=one")]].concat());
        assert_eq!(ran.code, 2, "{name}");
        assert!(ran.stderr.contains("is no name of a workspace"), "{}", ran.stderr);
    }
    assert_eq!(sandbox.run(&["-w", "a=one"]).code, 2);
}

#[test]
fn the_server_is_seen_from_outside() {
    let sandbox = Sandbox::new();
    let web = sandbox.listen(HTTP);
    let get = |path: &str| web.ask("GET", path, &[], "");
    assert_eq!((get("/healthz").status, web.readiness().status), (200, 200));
    let client = web.greet("/mcp", &[]);
    assert_eq!(client.call("rw_safe_write", &json!({"path": "a", "content": "x"}))["ok"], true);
    client.call("rw_safe_write", &json!({"path": "a"}));
    client.call("rw_fly", &json!({}));
    web.ask("GET", "/mcp", &[("Host", "evil.example")], "");
    let text = get("/metrics").body;
    for line in [
        r#"rw_calls_total{workspace="",tool="rw.safe_write",outcome="ok"} 1"#,
        r#"rw_calls_total{workspace="",tool="rw.safe_write",outcome="policy_violation"} 1"#,
        r#"rw_calls_total{workspace="",tool="unknown",outcome="policy_violation"} 1"#,
        r#"rw_call_seconds_bucket{workspace="",le="+Inf"} 3"#,
        r#"rw_door_refusals_total{reason="host"} 1"#,
        r#"rw_http_answers_total{status="403"} 1"#,
        r#"rw_sessions{workspace=""} 1"#,
        r#"rw_calls_running{workspace=""} 0"#,
        r#"rw_batch_calls_bucket{workspace="",le="1"} 1"#,
        r#"rw_batch_calls_sum{workspace=""} 1"#,
    ] {
        assert!(text.lines().any(|it| it == line), "no {line} in {text}");
    }
    let number = |metric: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(metric)).unwrap();
        line.trim().parse::<f64>().unwrap()
    };
    assert!(number(r#"rw_commit_wait_seconds_count{workspace=""}"#) >= 2.0, "{text}");
    let journal = std::fs::metadata(sandbox.path(".resilient_write/journal.jsonl")).unwrap();
    assert_eq!(number(r#"rw_journal_bytes{workspace=""}"#), journal.len() as f64);
    // What nobody can use is not ready, and still alive.
    sandbox.put(".resilient_write/policy.yaml", "colour: red\n");
    assert_eq!((get("/healthz").status, web.readiness().status), (200, 503));
}

#[test]
fn what_is_not_ready_is_said_and_logged() {
    let sandbox = Sandbox::new();
    sandbox.put("one/a", "");
    sandbox.put("two/a", "");
    let args = [HTTP, &["-w", "one", "-w", "b=two", "--log-level", "warn"]].concat();
    let mut web = sandbox.listen(&args);
    sandbox.put("one/.resilient_write/policy.yaml", "colour: red\n");
    let body = web.readiness().body;
    assert_eq!(body, "the workspace is not ready: the policy cannot be used\n");
    let line = web.said_until("colour");
    assert!(line.contains("not ready"), "{line}");
    std::fs::remove_file(sandbox.path("one/.resilient_write/policy.yaml")).unwrap();
    // Something else has the name of a directory of the state, or of all of it.
    for taken in [".resilient_write/tmp", ".resilient_write"] {
        let path = format!("one/{taken}");
        std::fs::remove_dir_all(sandbox.path(&path)).unwrap();
        sandbox.put(&path, "");
        let body = web.readiness().body;
        assert_eq!(
            body,
            "the workspace is not ready: nothing can be written to the state directory\n"
        );
        assert!(web.said_until(taken).contains("not ready"));
        std::fs::remove_file(sandbox.path(&path)).unwrap();
    }
    std::fs::remove_dir_all(sandbox.path("two")).unwrap();
    let body = web.readiness().body;
    assert_eq!(body, "the workspace \"b\" is not ready: a root is gone\n");
    let line = web.said_until("no directory any more");
    assert!(line.contains("not ready"), "{line}");
    // A monitor may ask for the head alone.
    let head = |path: &str| {
        let answer = web.ask("HEAD", path, &[], "");
        (answer.status, answer.body)
    };
    assert_eq!(head("/healthz"), (200, String::new()));
    assert_eq!(head("/readyz"), (503, String::new()));
}

/// The params of a request of the era without handshakes.
fn listening(uri: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": "sub", "method": "subscriptions/listen", "params": {
        "notifications": {"resourceSubscriptions": [uri]},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }})
}

/// Opens a subscription of the era without handshakes, and reads the first message.
fn listen(web: &Web, more: &[(&str, &str)], uri: &str) -> crate::web::Line {
    let headers = [
        ("Mcp-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "subscriptions/listen"),
        ("Accept", "application/json, text/event-stream"),
        ("Content-Type", "application/json"),
    ];
    let body = listening(uri).to_string();
    let mut stream = web.open("POST", "/mcp", &[&headers, more].concat(), &body);
    assert_eq!(stream.status, 200);
    let first = next(&mut stream);
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged", "{first}");
    stream
}

#[test]
fn a_change_by_one_client_is_told_to_those_who_watch() {
    let sandbox = Sandbox::new();
    let web = sandbox.listen(HTTP);
    let mut listening = listen(&web, &[], "rw://file/a");
    let watching = web.greet("/mcp", &[]);
    let uri = json!({"uri": format!("rw://file/{}", "a".repeat(20_000))});
    let long = json!({"jsonrpc": "2.0", "id": 3, "method": "resources/subscribe", "params": uri});
    let refused = watching.post(&long).message();
    assert!(refused["error"]["message"].as_str().unwrap().contains("at most"), "{refused}");
    let uri = json!({"uri": "rw://file/a"});
    let subscribe =
        json!({"jsonrpc": "2.0", "id": 3, "method": "resources/subscribe", "params": uri});
    assert_eq!(watching.post(&subscribe).message()["result"], json!({}));
    let session = [("Mcp-Session-Id", watching.session()), ("Accept", "text/event-stream")];
    let mut stream = web.open("GET", "/mcp", &session, "");
    web.greet("/mcp", &[]).call("rw_safe_write", &json!({"path": "a", "content": "x"}));
    for stream in [&mut stream, &mut listening] {
        let told = next(stream);
        assert_eq!(told["method"], "notifications/resources/updated", "{told}");
        assert_eq!(told["params"]["uri"], "rw://file/a");
    }
}

/// Before, the server would have waited for its patience with such a stream.
#[cfg(unix)]
#[test]
fn the_end_of_the_server_is_the_end_of_a_subscription() {
    let sandbox = Sandbox::new();
    let web = sandbox.listen(HTTP);
    let mut stream = listen(&web, &[], "rw://journal");
    web.stop();
    let last = next(&mut stream);
    assert_eq!((&last["id"], &last["result"]["resultType"]), (&json!("sub"), &json!("complete")));
    assert_eq!(web.end().1, Some(0));
}

#[cfg(unix)]
#[test]
fn a_socket_that_is_handed_over_is_served() {
    let sandbox = Sandbox::new();
    let listen = || std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let socket = listen();
    let address = socket.local_addr().unwrap().to_string();
    let web = sandbox.listen_on(socket, HTTP);
    assert_eq!(web.address, address);
    let client = web.greet("/mcp", &[]);
    assert_eq!(client.call("rw_safe_write", &json!({"path": "a", "content": "x"}))["ok"], true);
    web.stop();
    assert_eq!(web.end().1, Some(0));
}

#[cfg(unix)]
#[test]
fn a_socket_that_others_reach_needs_tokens() {
    let sandbox = Sandbox::new();
    let open = || std::net::TcpListener::bind("0.0.0.0:0").unwrap();
    let refused = sandbox.refuses_socket(open(), HTTP);
    assert!(refused.contains("--token-file"), "{refused}");
    let refused = sandbox.refuses_socket(open(), &[HTTP, &["--port", "1"]].concat());
    assert!(refused.contains("LISTEN_FDS"), "{refused}");
}

#[test]
fn the_log_has_a_line_for_each_call_and_none_of_its_content() {
    let sandbox = Sandbox::new();
    let json = [HTTP, &["--log-format", "json", "--log-level", "debug"]].concat();
    let mut web = sandbox.listen(&json);
    let client = web.greet("/mcp", &[]);
    let write = json!({"path": "secret-name", "content": "secret-content"});
    assert_eq!(client.call("rw_safe_write", &write)["ok"], true);
    drop(client);
    web.ask("GET", "/mcp", &[("Host", "evil.example")], "");
    let line = web.said_until("refused");
    let mut lines = std::mem::take(&mut web.said);
    lines.push(line);
    let all = lines.concat();
    assert!(!all.contains("secret-"), "{all}");
    let lines: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let found = |message: &str| lines.iter().find(|line| line["message"] == message).unwrap();
    let call = found("call");
    assert_eq!((&call["tool"], &call["outcome"]), (&json!("rw.safe_write"), &json!("ok")));
    assert_eq!(call["by"], "test/0");
    assert_eq!(found("refused")["reason"], "host");
    assert_eq!(found("request")["path"], "/mcp");
}
