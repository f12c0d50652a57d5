//! The door of the HTTP server: who is let in, to what, and how much is taken.

use std::io::Read as _;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::web::{Web, call, handshake};

const HTTP: &[&str] = &["--transport", "http"];
const WITH_TOKENS: &[&str] = &["--transport", "http", "--token-file", "tokens", "-w", "work"];

/// A sandbox with the workspace `work`: tokens may not lie in one.
pub(crate) fn with_workspace() -> Sandbox {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("work")).unwrap();
    sandbox
}

/// A secret that is long enough.
pub(crate) fn secret(of: &str) -> String {
    of.repeat(32 / of.len() + 1)
}

pub(crate) fn bearer(secret: &str) -> String {
    format!("Bearer {secret}")
}

/// Writes the file of tokens as its owner would.
pub(crate) fn put_tokens(sandbox: &Sandbox, lines: &str) {
    sandbox.put("tokens", lines);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let private = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(sandbox.path("tokens"), private).unwrap();
    }
}

/// The status of a handshake with this header in place of the right one, or besides.
fn status_with(web: &Web, header: (&str, &str)) -> u16 {
    web.post("/mcp", &[header], &handshake()).status
}

#[test]
fn a_request_for_another_host_is_refused() {
    let sandbox = Sandbox::new();
    let web = sandbox.listen(HTTP);
    let port = web.address.split(':').next_back().unwrap();
    for host in ["evil.example", &format!("evil.example:{port}"), "127.0.0.1:1", "0.0.0.0"] {
        for path in ["/mcp", "/nowhere"] {
            let answer = web.post(path, &[("Host", host)], &handshake());
            assert_eq!(answer.status, 403, "{host} {answer:?}");
        }
    }
    assert_eq!(status_with(&web, ("Host", &format!("localhost:{port}"))), 200);
    // Twice, or none.
    let twice = format!("GET /mcp HTTP/1.1\r\nHost: {0}\r\nHost: {0}\r\n\r\n", web.address);
    assert_eq!(web.say(&twice).status, 403);
    assert_eq!(web.say("GET /mcp HTTP/1.0\r\n\r\n").status, 403);
    let named = sandbox.listen(&[HTTP, &["--allow-host", "rw.example"]].concat());
    assert_eq!(status_with(&named, ("Host", "rw.example")), 200);
}

/// Before, a client that kept the connection sent its next request in vain.
#[test]
fn a_refusal_that_reads_no_body_says_that_the_connection_ends() {
    let sandbox = Sandbox::new();
    let web = sandbox.listen(HTTP);
    let request = "POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 5\r\n\r\n";
    let answer = web.say(request).rest();
    assert_eq!((answer.status, answer.header("connection")), (403, Some("close")), "{answer:?}");
}

#[test]
fn a_request_of_a_page_is_refused_unless_the_page_is_named() {
    let sandbox = Sandbox::new();
    let web = sandbox.listen(HTTP);
    for origin in ["http://evil.example", "http://localhost:3000", "null", "file://"] {
        let answer = web.post("/mcp", &[("Origin", origin)], &handshake());
        assert_eq!(answer.status, 403, "{origin}");
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    let own = format!("http://{}", web.address);
    assert_eq!(status_with(&web, ("Origin", &own)), 200);
    let named = sandbox.listen(&[HTTP, &["--allow-origin", "https://app.example"]].concat());
    assert_eq!(status_with(&named, ("Origin", "https://app.example")), 200);
}

#[test]
fn a_token_is_made_at_first_use_and_told_once() {
    let sandbox = with_workspace();
    let web = sandbox.listen(WITH_TOKENS);
    let told = web.said.iter().find(|line| line.contains("token named default")).unwrap().clone();
    let secret = told.split(' ').next_back().unwrap().to_owned();
    let file = sandbox.text("tokens");
    assert!(file.contains("default read,write sha256:") && !file.contains(&secret), "{file}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(sandbox.path("tokens")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    assert_eq!(status_with(&web, ("Authorization", &bearer(&secret))), 200);
    drop(web);
    let again = sandbox.listen(WITH_TOKENS);
    assert!(again.said.iter().all(|line| !line.contains("token")), "{:?}", again.said);
    assert_eq!(status_with(&again, ("Authorization", &bearer(&secret))), 200);
}

#[test]
fn without_a_token_nothing_is_told_or_done() {
    let sandbox = with_workspace();
    let web = sandbox.listen(WITH_TOKENS);
    let asked = web.post("/mcp", &[], &handshake());
    assert_eq!((asked.status, asked.header("www-authenticate")), (401, Some("Bearer")));
    let wrong = secret("wrong");
    for header in [
        bearer(&wrong),
        "Bearer".to_owned(),
        "Bearer ".to_owned(),
        "Basic eDp5".to_owned(),
        wrong.clone(),
    ] {
        let answer = web.post("/mcp", &[("Authorization", &header)], &handshake());
        assert_eq!(answer.status, 401, "{header} {answer:?}");
        assert!(!answer.body.contains(&wrong), "a token is not repeated");
    }
    // Whether something is at an address is told to nobody outside.
    for (method, path) in [("GET", "/mcp"), ("GET", "/nowhere"), ("DELETE", "/mcp")] {
        assert_eq!(web.ask(method, path, &[], "").status, 401, "{method} {path}");
    }
    assert_eq!(sandbox.names(), ["tokens", "work"]);
    assert_eq!(sandbox.path("work").read_dir().unwrap().count(), 0);
}

#[test]
fn whoever_guesses_is_told_to_wait_and_nobody_else_is() {
    let sandbox = with_workspace();
    let right = secret("right");
    put_tokens(&sandbox, &format!("alice read,write {right}\n"));
    let web = sandbox.listen(WITH_TOKENS);
    let guess = bearer(&secret("wrong"));
    let statuses: Vec<u16> =
        (0..40).map(|_| status_with(&web, ("Authorization", &guess))).collect();
    assert_eq!((statuses[0], statuses.contains(&429)), (401, true), "{statuses:?}");
    assert_eq!(status_with(&web, ("Authorization", &bearer(&right))), 200);
}

#[test]
fn a_token_has_scopes_and_its_name_stands_in_the_journal() {
    let sandbox = with_workspace();
    let (alice, bob) = (secret("alice"), secret("bob"));
    put_tokens(&sandbox, &format!("alice read,write {alice}\nbob read {bob}\n"));
    let web = sandbox.listen(WITH_TOKENS);
    let (alice, bob) = (bearer(&alice), bearer(&bob));
    let alice = web.greet("/mcp", &[("Authorization", &alice)]);
    assert_eq!(alice.call("rw_safe_write", &json!({"path": "a", "content": "x"}))["ok"], true);
    let row: Value =
        serde_json::from_str(sandbox.text("work/.resilient_write/journal.jsonl").trim()).unwrap();
    assert_eq!(row["by"]["client"], "alice: test/0");

    let readers = [("Authorization", bob.as_str())];
    let bob = web.greet("/mcp", &readers);
    assert_eq!(bob.call("rw_journal_tail", &json!({}))["ok"], true);
    let refused = bob.call("rw_safe_write", &json!({"path": "b", "content": "x"}));
    assert_eq!(refused["context"]["reason"], "token_may_not_write", "{refused}");
    // Nor with the session of another.
    let taken = [readers[0], ("Mcp-Session-Id", alice.session())];
    let write = call(5, "rw_safe_write", &json!({"path": "b", "content": "x"}));
    assert_eq!(web.post("/mcp", &taken, &write).status, 404);
    assert_eq!(web.ask("DELETE", "/mcp", &taken, "").status, 404);
    assert_eq!(sandbox.text("work/a"), "x");
    assert!(!sandbox.path("work/b").exists());
}

#[test]
fn a_token_that_is_taken_out_of_the_file_lets_nobody_in_any_more() {
    let sandbox = with_workspace();
    let (alice, bob) = (secret("alice"), secret("bob"));
    put_tokens(&sandbox, &format!("alice read,write {alice}\nbob read {bob}\n"));
    let mut web = sandbox.listen(WITH_TOKENS);
    let (alice, bob) = (bearer(&alice), bearer(&bob));
    let session = web.greet("/mcp", &[("Authorization", &alice)]).session().to_owned();
    let in_session = [("Authorization", alice.as_str()), ("Mcp-Session-Id", &session)];
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(web.post("/mcp", &in_session, &ping).status, 200);
    let line = format!("bob read {}\n", secret("bob"));
    put_tokens(&sandbox, &line);
    assert_eq!(web.post("/mcp", &in_session, &ping).status, 401);
    assert_eq!(status_with(&web, ("Authorization", &bob)), 200);
    // A line that is wrong is told, without what it says; the others hold.
    put_tokens(&sandbox, &format!("{line}carol everything {}\n", secret("carol")));
    assert_eq!(status_with(&web, ("Authorization", &bob)), 200);
    let told = web.said_until("tokens:2");
    assert!(!told.contains("carol"), "{told}");
    // Without a file nobody comes in.
    std::fs::remove_file(sandbox.path("tokens")).unwrap();
    assert_eq!(status_with(&web, ("Authorization", &bob)), 401);
}

#[test]
fn a_host_that_others_reach_needs_tokens() {
    let sandbox = with_workspace();
    for host in ["0.0.0.0", "::", "example.org"] {
        let ran = sandbox.run(&["--transport", "http", "--port", "0", "--host", host]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains("--token-file"), "{ran:?}");
    }
    // A file that is no use is no door.
    put_tokens(&sandbox, "alice everything\n");
    let ran = sandbox.run(&[WITH_TOKENS, &["--port", "0"]].concat());
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("tokens:1"), "{ran:?}");
}

/// Before, a client that may write could add a token of its own, which lived on when the client's was revoked.
#[test]
fn a_file_of_the_door_may_not_lie_in_a_workspace() {
    let sandbox = with_workspace();
    sandbox.put("key.pem", "");
    sandbox.put("work/cert.pem", "");
    let with = |options: &[&str]| {
        let ran = sandbox.run(&[HTTP, &["--port", "0"], options].concat());
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains("name a file outside of the workspaces"), "{ran:?}");
    };
    with(&["-w", "work", "--token-file", "work/tokens"]);
    // Without -w, the working directory is the workspace.
    with(&["--token-file", "tokens"]);
    with(&["-w", "a=work", "--token-file", "work/tokens"]);
    with(&["-w", "work", "--tls-certificate", "work/cert.pem", "--tls-key", "key.pem"]);
    #[cfg(unix)]
    for (name, leads_to) in [("tokens", "work/inside"), ("work/link", "../outside")] {
        let link = sandbox.path(name);
        std::os::unix::fs::symlink(leads_to, link).unwrap();
        put_tokens(&sandbox, "");
        sandbox.put("outside", "");
        sandbox.put("work/inside", "");
        with(&["-w", "work", "--token-file", name]);
    }
    assert!(!sandbox.path("work/tokens").exists(), "it was not made");
    // Another name of the file may lie anywhere.
    #[cfg(unix)]
    {
        sandbox.put("single", "");
        std::fs::hard_link(sandbox.path("single"), sandbox.path("other")).unwrap();
        let ran = sandbox.run(&[HTTP, &["-w", "work", "--token-file", "other"]].concat());
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains("name a file that has one name"), "{ran:?}");
    }
}

#[test]
fn a_server_that_cannot_begin_says_what_to_do() {
    let sandbox = with_workspace();
    for (option, value, told) in [
        ("--allow-origin", "app.example", "https://app.example"),
        ("--allow-host", "http://rw.example/mcp", "leave out the scheme"),
    ] {
        let ran = sandbox.run(&[HTTP, &["--port", "0", option, value]].concat());
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains(told), "{ran:?}");
    }
    let web = sandbox.listen(HTTP);
    let port = web.address.split(':').next_back().unwrap();
    let ran = sandbox.run(&[HTTP, &["--port", port]].concat());
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("pass another --port"), "{ran:?}");
    let ran =
        sandbox.run(&[HTTP, &["--port", "0", "--token-file", "no/tokens", "-w", "work"]].concat());
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("make its directory"), "{ran:?}");
}

/// Before, the start waited for somebody who writes to the pipe.
#[cfg(unix)]
#[test]
fn a_file_of_tokens_is_a_regular_file() {
    let sandbox = with_workspace();
    let made = std::process::Command::new("mkfifo").arg(sandbox.path("pipe")).status().unwrap();
    assert!(made.success());
    std::fs::create_dir(sandbox.path("dir")).unwrap();
    for name in ["pipe", "dir", "/dev/null"] {
        let options = ["--port", "0", "-w", "work", "--token-file", name];
        let ran = sandbox.run(&[HTTP, &options].concat());
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.stderr.contains("this is no regular file"), "{ran:?}");
    }
}

#[cfg(unix)]
#[test]
fn tokens_that_others_can_read_are_none() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = with_workspace();
    put_tokens(&sandbox, &format!("alice read {}\n", secret("alice")));
    let open = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(sandbox.path("tokens"), open).unwrap();
    let ran = sandbox.run(&[WITH_TOKENS, &["--port", "0"]].concat());
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("chmod 600"), "{ran:?}");
}

/// Before, a request whose head had come was carried out when its body came, up to two minutes later.
#[test]
fn a_token_that_is_taken_out_between_the_head_and_the_body_lets_nobody_in() {
    let sandbox = with_workspace();
    let (alice, bob) = (secret("alice"), secret("bob"));
    let of_bob = format!("bob read,write {bob}\n");
    put_tokens(&sandbox, &format!("alice read,write {alice}\n{of_bob}"));
    let web = sandbox.listen(WITH_TOKENS);
    let alice = bearer(&alice);
    let client = web.greet("/mcp", &[("Authorization", &alice)]);
    let write = call(7, "rw_safe_write", &json!({"path": "a", "content": "x"})).to_string();
    let length = write.len().to_string();
    let (session, accept) = (client.session(), "application/json, text/event-stream");
    let headers = [
        ("Authorization", alice.as_str()),
        ("Mcp-Session-Id", session),
        ("Accept", accept),
        ("Content-Type", "application/json"),
        ("Content-Length", &length),
        // The answer says that the head was read.
        ("Expect", "100-continue"),
    ];
    let line = web.open("POST", "/mcp", &headers, "");
    assert_eq!(line.status, 100);
    put_tokens(&sandbox, &of_bob);
    assert_eq!(line.send(&write).status, 401);
    assert!(!sandbox.path("work/a").exists());
}

/// Before, only a change of what the file holds was noticed.
#[cfg(unix)]
#[test]
fn a_file_of_tokens_that_is_opened_to_others_lets_nobody_in_until_it_is_closed() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = with_workspace();
    let alice = secret("alice");
    put_tokens(&sandbox, &format!("alice read {alice}\n"));
    let mut web = sandbox.listen(WITH_TOKENS);
    let alice = bearer(&alice);
    let status_in_mode = |web: &Web, mode: u32| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(sandbox.path("tokens"), mode).unwrap();
        status_with(web, ("Authorization", &alice))
    };
    assert_eq!(status_in_mode(&web, 0o600), 200);
    let readiness = || web.readiness().status;
    assert_eq!(readiness(), 200);
    assert_eq!(status_in_mode(&web, 0o640), 401);
    assert_eq!(readiness(), 503, "calls cannot be made");
    assert_eq!(status_in_mode(&web, 0o600), 200);
    assert_eq!(readiness(), 200);
    web.said_until("chmod 600");
}

/// Before, the connection was closed while such a client was sending, and it never saw why.
#[test]
fn a_client_that_sends_all_before_it_reads_sees_that_it_was_too_much() {
    let sandbox = Sandbox::new();
    let web = sandbox.listen(HTTP);
    let body = "x".repeat((32 << 20) + (1 << 20));
    let head = format!("POST /mcp HTTP/1.1\r\nHost: {}\r\n", web.address);
    let length = format!("Content-Length: {}\r\n\r\n{body}", body.len());
    assert_eq!(web.say(&format!("{head}{length}")).status, 413);
    let pieces =
        format!("Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    assert_eq!(web.say(&format!("{head}{pieces}")).status, 413);
}

/// Before, only a body that was too long was read to its end: clients of Node saw a broken pipe in place of this.
#[test]
fn a_client_that_sends_all_before_it_reads_sees_that_its_token_or_address_is_wrong() {
    let sandbox = with_workspace();
    let alice = secret("alice");
    put_tokens(&sandbox, &format!("alice read {alice}\n"));
    let web = sandbox.listen(WITH_TOKENS);
    let body = "x".repeat(16 << 20);
    let status = |line: &str, token: &str| {
        let token = bearer(token);
        let head =
            format!("{line} HTTP/1.1\r\nHost: {}\r\nAuthorization: {token}\r\n", web.address);
        web.say(&format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())).status
    };
    assert_eq!(status("POST /mcp", &secret("mallory")), 401);
    assert_eq!(status("POST /nowhere", &alice), 404);
    assert_eq!(status("PUT /mcp", &alice), 405);
}

#[test]
fn the_older_transport_has_the_same_door() {
    let sandbox = with_workspace();
    let (alice, bob) = (secret("alice"), secret("bob"));
    put_tokens(&sandbox, &format!("alice read,write {alice}\nbob read {bob}\n"));
    let web = sandbox.listen(&["--transport", "sse", "--token-file", "tokens", "-w", "work"]);
    assert_eq!(web.ask("GET", "/sse", &[], "").status, 401);
    assert_eq!(web.ask("GET", "/sse", &[("Host", "evil.example")], "").status, 403);
    let (alice, bob) = (bearer(&alice), bearer(&bob));
    let mut stream = web.open("GET", "/sse", &[("Authorization", &alice)], "");
    let messages = stream.event().1;
    let post = |token: &str| web.post(&messages, &[("Authorization", token)], &handshake()).status;
    assert_eq!((post(&bob), post(&alice)), (404, 202));
    assert!(stream.event().1.contains("serverInfo"));
}

/// Before, the stream went on until the server had something to say, a quarter of a minute at most.
#[test]
fn the_stream_of_a_token_that_is_taken_out_ends_with_the_next_refusal() {
    let sandbox = with_workspace();
    let alice = secret("alice");
    put_tokens(&sandbox, &format!("alice read,write {alice}\n"));
    let web = sandbox.listen(&["--transport", "sse", "--token-file", "tokens", "-w", "work"]);
    let alice = bearer(&alice);
    let headers = [("Authorization", alice.as_str())];
    let mut stream = web.open("GET", "/sse", &headers, "");
    let messages = stream.event().1;
    put_tokens(&sandbox, "");
    assert_eq!(web.post(&messages, &headers, &handshake()).status, 401);
    // Without that, its end is due 15 seconds after its begin.
    stream.ends_within(std::time::Duration::from_secs(10));
}

/// With a length and pieces, the pieces count, and nothing behind them is a request: the connection ends.
#[test]
fn a_length_beside_pieces_hides_no_request() {
    let sandbox = Sandbox::new();
    let web = sandbox.listen(HTTP);
    let message = handshake().to_string();
    let accept = "Accept: application/json, text/event-stream\r\nContent-Type: application/json";
    for both in [
        "Content-Length: 1\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 1",
    ] {
        let head =
            format!("POST /mcp HTTP/1.1\r\nHost: {}\r\n{accept}\r\n{both}\r\n\r\n", web.address);
        let hidden = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", web.address);
        let pieces = format!("{:x}\r\n{message}\r\n0\r\n\r\n", message.len());
        let mut answers = String::new();
        web.say_half(&format!("{head}{pieces}{hidden}")).read_to_string(&mut answers).unwrap();
        assert_eq!(answers.matches("HTTP/1.1 ").count(), 1, "{answers}");
        assert!(answers.to_ascii_lowercase().contains("\r\nconnection: close\r\n"), "{answers}");
    }
}

#[test]
fn too_much_is_not_taken() {
    let sandbox = Sandbox::new();
    let web = sandbox.listen(HTTP);
    let length = ((32 << 20) + 1).to_string();
    assert_eq!(status_with(&web, ("Content-Length", &length)), 413);
    assert_eq!(status_with(&web, ("X-Long", &"x".repeat(80 << 10))), 431);
    // Two lengths, or a length and pieces, are how one request hides in another.
    let of = |headers: &str| {
        web.say(&format!("POST /mcp HTTP/1.1\r\nHost: {}\r\n{headers}\r\n\r\n", web.address)).status
    };
    assert_eq!(of("Content-Length: 1\r\nContent-Length: 2"), 400);
    assert_eq!(of("Transfer-Encoding: chunked, identity"), 400);
    assert_eq!(of("Content-Length: x"), 400);
    // It goes on.
    let client = web.greet("/mcp", &[]);
    assert_eq!(client.call("rw_safe_write", &json!({"path": "a", "content": "x"}))["ok"], true);
}
