//! Every tool through the real server, as lines: what each success holds, and the envelope of
//! every way to fail.

use std::io::Write as _;

use serde_json::{Value, json};

use crate::sandbox::{Client, Sandbox, assert_envelope, bound, secrets};

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

#[test]
fn writes_succeed_in_each_mode() {
    let (sandbox, mut client) = served();
    let fields = ["path", "abs_path", "sha256", "bytes", "mode_applied", "journal_id", "wrote_at"];
    let write = json!({"path": "d/a.txt", "content": "one\n"});
    let answer = client.gives("rw_safe_write", write, &fields);
    assert_eq!(answer["path"], "d/a.txt");
    assert_eq!(answer["abs_path"], sandbox.path("d/a.txt").to_str().unwrap());
    assert_eq!((&answer["sha256"], &answer["bytes"]), (&json!(ONE), &json!(4)));
    assert_eq!(answer["mode_applied"], "create");
    assert!(answer["journal_id"].as_str().unwrap().starts_with("wj_"));
    assert_eq!(answer["wrote_at"].as_str().unwrap().len(), "2026-11-21T10:00:00Z".len());

    let append = json!({"path": "d/a.txt", "content": "two", "mode": "append"});
    let answer = client.gives("rw.safe_write", append, &fields);
    assert_eq!((&answer["bytes"], &answer["mode_applied"]), (&json!(7), &json!("append")));
    let overwrite = json!({
        "path": "d/a.txt", "content": "one\n", "mode": "overwrite",
        "expected_prev_sha256": answer["sha256"], "classify": true, "classify_reject_at": "low",
    });
    client.gives("rw_safe_write", overwrite, &fields);

    let replace = json!({"path": "d/a.txt", "old_string": "one", "new_string": "1"});
    let answer = client.gives("rw_safe_replace", replace, &fields);
    assert_eq!((&answer["mode_applied"], &answer["replacements"]), (&json!("replace"), &json!(1)));
    assert_eq!(sandbox.text("d/a.txt"), "1\n");
    let made: Vec<_> = std::fs::read_dir(sandbox.path("d")).unwrap().collect();
    assert_eq!(made.len(), 1, "no temporary file is left");
}

#[test]
fn paths_outside_and_protected_ones_are_refused() {
    let (sandbox, mut client) = served();
    let mut fails = |path: &str, kind: &str, facts: Value| {
        client.fails("rw_safe_write", json!({"path": path, "content": ""}), kind, facts)
    };
    fails("", FORBIDDEN, json!({"path": "", "reason": "empty_path"}));
    for path in ["../escape.txt", "/etc/passwd", "a/../../escape.txt"] {
        let refused = fails(path, FORBIDDEN, json!({"path": path, "reason": "escapes_workspace"}));
        assert_eq!(refused["context"]["workspaces"], json!([sandbox.root()]));
        assert!(refused["context"]["resolved"].is_string());
    }
    for path in [".resilient_write/policy.yaml", ".git/config", "deep/.git/hooks/x"] {
        fails(path, FORBIDDEN, json!({"path": path, "reason": "protected_path"}));
    }
    fails("a\0b", FORBIDDEN, json!({"reason": "invalid_path"}));
    sandbox.put("file", "x");
    std::fs::create_dir(sandbox.path("dir")).unwrap();
    fails("dir", "policy_violation/unknown/abort", json!({"path": "dir", "errno": 21}));
    let refused = fails("file/below", FORBIDDEN, json!({}));
    assert!(refused["context"]["reason"].as_str().unwrap().starts_with("mkdir_failed: "));
    assert!(sandbox.names().iter().all(|name| [STATE, "dir", "file"].contains(&name.as_str())));
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_and_refused_outside() {
    use std::os::unix::fs::symlink;
    let (sandbox, mut client) = served();
    let outside = tempfile::tempdir().unwrap();
    sandbox.put("target.txt", "old");
    symlink("target.txt", sandbox.path("inside")).unwrap();
    symlink(outside.path().join("x"), sandbox.path("outside")).unwrap();
    let write = |path| json!({"path": path, "content": "new", "mode": "overwrite"});
    let answer = client.gives("rw_safe_write", write("inside"), &[]);
    assert_eq!(
        (answer["path"].as_str(), sandbox.text("target.txt").as_str()),
        (Some("target.txt"), "new")
    );
    assert!(sandbox.path("inside").is_symlink());
    client.fails(
        "rw_safe_write",
        write("outside"),
        FORBIDDEN,
        json!({"reason": "escapes_workspace"}),
    );
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);

    std::fs::hard_link(sandbox.path("target.txt"), sandbox.path("other-name")).unwrap();
    let linked = json!({"path": "target.txt", "content": "newer", "mode": "overwrite"});
    client.fails("rw_safe_write", linked, FORBIDDEN, json!({"reason": "hard_linked", "links": 2}));
    assert_eq!(sandbox.text("other-name"), "new");
}

#[test]
fn preconditions_of_a_write_are_checked() {
    let (sandbox, mut client) = served();
    sandbox.put("a.txt", "one\n");
    let create = json!({"path": "a.txt", "content": ""});
    client.fails(
        "rw_safe_write",
        create,
        ASK,
        json!({"path": "a.txt", "reason": "file_already_exists", "existing_sha256": ONE}),
    );
    for mode in ["overwrite", "append"] {
        let stale = json!({
            "path": "a.txt", "content": "", "mode": mode, "expected_prev_sha256": "0".repeat(64),
        });
        let facts = json!({"expected_prev_sha256": "0".repeat(64), "actual_prev_sha256": ONE});
        let envelope = client.fails("rw_safe_write", stale, ASK, facts);
        assert_eq!(envelope["context"].get("reason"), None);
    }
    let absent = json!({"path": "b.txt", "content": "", "expected_prev_sha256": ONE});
    client.fails("rw_safe_write", absent, ASK, json!({"actual_prev_sha256": ""}));
    assert_eq!(sandbox.text("a.txt"), "one\n");
}

#[test]
fn content_like_secrets_is_blocked_and_its_draft_kept() {
    let (sandbox, mut client) = served();
    let secret = secrets();
    let write = json!({"path": "a.txt", "content": &secret, "classify": true});
    for budget in [3, 2, 1, 0] {
        let blocked = client.fails(
            "rw_safe_write",
            write.clone(),
            "blocked/content_filter/redact",
            json!({"path": "a.txt", "verdict": "high", "classify_reject_at": "high"}),
        );
        assert_eq!(blocked["detected_patterns"], json!(["api_key", "jwt"]));
        assert_eq!(blocked["retry_budget"], budget);
        let context = &blocked["context"];
        assert_eq!(context["score"], 0.775);
        assert_eq!(context["detected"].as_array().unwrap().len(), 5);
        assert_eq!(context["suggested_actions"][0]["targets"], json!(["api_key", "jwt"]));
        assert_eq!(context["suggested_actions"][0].get("tool"), None, "rw_redact is not listed");
        assert!(context["hint"].as_str().unwrap().contains("`rw_safe_write` takes `content_from`"));
        let draft = json!({"sha256": context["draft_sha256"]});
        assert_eq!(client.gives("rw_scratch_get", draft, &[])["content"], *secret);
    }
    client.fails(
        "rw_safe_write",
        write,
        "blocked/content_filter/redact",
        json!({"reason": "retry_budget_exhausted"}),
    );
    sandbox.put("b.txt", "x");
    let replace = json!({
        "path": "b.txt", "old_string": "x", "new_string": secret, "classify": true,
        "classify_reject_at": "medium",
    });
    client.fails(
        "rw_safe_replace",
        replace,
        "blocked/content_filter/redact",
        json!({"path": "b.txt", "classify_reject_at": "medium"}),
    );
    assert!(!sandbox.path("a.txt").exists());
    assert_eq!(sandbox.text("b.txt"), "x");
}

#[test]
fn a_blocked_draft_is_written_clean_without_being_sent_again() {
    let (sandbox, mut client) = served();
    let write = json!({"path": "a.txt", "content": secrets(), "classify": true});
    let blocked = client.fails("rw_safe_write", write, "blocked/content_filter/redact", json!({}));
    let draft = &blocked["context"]["draft_sha256"];

    let from = |redact: Value| json!({"draft_sha256": draft, "redact": redact});
    let some = json!({
        "path": "a.txt", "content_from": from(json!(["jwt"])), "classify": true,
        "classify_reject_at": "medium",
    });
    let still = client.fails("rw_safe_write", some, "blocked/content_filter/redact", json!({}));
    assert_eq!(still["detected_patterns"], json!(["api_key"]));

    let all = json!({"path": "a.txt", "content_from": {"draft_sha256": draft}, "classify": true});
    let fields = ["path", "sha256", "bytes", "mode_applied", "journal_id", "replaced"];
    let written = client.gives("rw_safe_write", all, &fields);
    let clean = "Authorization: Bearer <REDACTED:api_key:1>\n\
                 X-Again: Bearer <REDACTED:api_key:1>\nCookie: <REDACTED:jwt:1>\n";
    assert_eq!(sandbox.text("a.txt"), clean);
    let lines: Vec<&Value> =
        written["replaced"].as_array().unwrap().iter().map(|r| &r["from"]["line"]).collect();
    assert_eq!(lines, [1, 2, 3]);

    let mut fails = |arguments: Value, kind: &str, facts: Value| {
        let mut all = json!({"path": "b.txt"});
        all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
        client.fails("rw_safe_write", all, kind, facts)
    };
    fails(
        json!({}),
        "policy_violation/size_limit/split",
        json!({"reason": "missing_argument: content"}),
    );
    let both = json!({"content": "x", "content_from": {"draft_sha256": draft}});
    fails(both, CORRECTABLE, json!({"reason": "content_or_content_from"}));
    for (from, reason) in [
        (json!({}), "missing_argument: content_from.draft_sha256"),
        (json!({"draft_sha256": draft, "x": 1}), "unknown_argument: content_from.x"),
        (json!({"draft_sha256": 1}), "wrong_type: content_from.draft_sha256"),
        (json!({"draft_sha256": draft, "redact": [true]}), "wrong_type: content_from.redact"),
        (json!("x"), "wrong_type: content_from"),
    ] {
        fails(json!({"content_from": from}), CORRECTABLE, json!({"reason": reason}));
    }
    let gone = json!({"content_from": {"draft_sha256": ONE}});
    fails(gone, STALE, json!({"sha256": ONE, "reason": "not_found"}));
    let none = json!({"content_from": from(json!(["apikey"]))});
    let refused = fails(none, CORRECTABLE, json!({"argument": "redact"}));
    assert!(refused["context"]["reason"].as_str().unwrap().starts_with("no family \"apikey\""));
    assert!(!sandbox.path("b.txt").exists());
}

#[test]
fn secrets_are_taken_out_of_a_text_a_file_and_a_draft() {
    let (sandbox, mut client) = served();
    let token = ["gh", "p_", &"k3Jd9f".repeat(6)].concat();
    let code = format!("import os\nkey = \"{token}\"\nmail = 'jane@example.com'\n");
    let fields = ["text", "bytes", "score", "verdict", "replaced"];
    let answer = client.gives("rw.redact", json!({"content": &code}), &fields);
    assert_eq!(
        answer["text"],
        "import os\nkey = \"<REDACTED:github_pat:1>\"\nmail = '<REDACTED:pii:1>'\n"
    );
    assert_eq!(answer["verdict"], "safe");
    let first = &answer["replaced"][0];
    assert_eq!(first["from"], json!({"line": 2, "col": 8, "start": 17, "end": 57}));
    assert_eq!(first["to"], json!({"line": 2, "col": 8, "start": 17, "end": 40}));
    assert_eq!(first["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(answer["replaced"][1].get("sha256"), None, "an address is guessed from its digest");

    for redact in [json!(["github_pat"]), json!([1]), json!(["1"])] {
        let chosen = json!({"content": &code, "redact": redact});
        let answer = client.gives("rw_redact", chosen, &fields);
        assert!(answer["text"].as_str().unwrap().contains("jane@example.com"));
        assert!(!answer["text"].as_str().unwrap().contains(&token));
    }

    sandbox.put("a.py", &code);
    let over = json!({
        "path": "a.py", "reason": "mark_over_value", "mark": "os.environ[\"KEY\"]", "line": 2,
        "old_line": 2,
    });
    let clean = json!({"path": "a.py", "write_to": "a.py", "env": true, "redact": ["github_pat"]});
    client.fails("rw_redact", clean.clone(), ASK, over);
    assert_eq!(sandbox.text("a.py"), code);
    let mut kept = clean;
    kept["keep"] = json!(true);
    let answer = client.gives("rw_redact", kept, &["replaced", "written"]);
    assert_eq!(answer.get("text"), None);
    assert_eq!(
        sandbox.text("a.py"),
        "import os\nkey = os.environ[\"KEY\"]\nmail = 'jane@example.com'\n"
    );
    assert_eq!(answer["written"]["mode_applied"], "overwrite");
    let secret = json!({"sha256": answer["replaced"][0]["kept_sha256"]});
    assert_eq!(client.gives("rw_scratch_get", secret, &[])["content"], *token);

    let draft = client.gives("rw_scratch_put", json!({"content": &code}), &[])["sha256"].clone();
    let put = json!({"draft_sha256": draft, "write_to": "b.txt"});
    client.gives("rw_redact", put.clone(), &["written"]);
    assert!(sandbox.text("b.txt").contains("<REDACTED:github_pat:1>"));
    client.fails("rw_redact", put.clone(), ASK, json!({"reason": "file_already_exists"}));
    let mut stale = put;
    stale["expected_prev_sha256"] = json!(ONE);
    client.fails("rw_redact", stale, ASK, json!({"expected_prev_sha256": ONE}));
}

#[test]
fn what_cannot_be_redacted_is_refused() {
    let (sandbox, mut client) = served();
    sandbox.put("a.txt", "x");
    let mut fails = |arguments: Value, kind: &str, facts: Value| {
        client.fails("rw_redact", arguments, kind, facts);
    };
    fails(
        json!({}),
        CORRECTABLE,
        // Nothing is required of it: a call without arguments was not cut.
        json!({"reason": "one_of_content_path_session_draft_sha256"}),
    );
    let two = json!({"content": "x", "path": "a.txt"});
    fails(two, CORRECTABLE, json!({"reason": "one_of_content_path_session_draft_sha256"}));
    fails(json!({"path": "b.txt"}), STALE, json!({"path": "b.txt", "reason": "not_found"}));
    fails(json!({"path": "../b"}), FORBIDDEN, json!({"reason": "escapes_workspace"}));
    let number = json!({"content": "x", "redact": [1]});
    fails(
        number,
        CORRECTABLE,
        json!({"argument": "redact", "reason": "no finding 1; there are 0"}),
    );
    let language = json!({"content": "x", "language": "cobol"});
    fails(language, CORRECTABLE, json!({"reason": "unknown_language", "language": "cobol"}));
    fails(json!({"content": "x", "env": true}), CORRECTABLE, json!({"argument": "language"}));
}

#[test]
fn a_redaction_fits_into_its_language_or_is_not_made() {
    let (sandbox, mut client) = served();
    let token = |fill: &str| ["gh", "p_", &fill.repeat(6)].concat();
    let (one, other) = (token("k3Jd9f"), token("Zq8vN2"));
    // A pattern to match takes no look-up; the assignment keeps its own.
    let code = format!("token = '{one}'\nmatch 1:\n    case '{other}': 0\n");
    let write = json!({"content": code, "write_to": "a.py", "env": true, "keep": true});
    let answer = client.gives("rw_redact", write, &["replaced", "requires", "written"]);
    assert_eq!(
        sandbox.text("a.py"),
        "token = os.environ[\"TOKEN\"]\nmatch 1:\n    case '<REDACTED:github_pat:2>': 0\n"
    );
    assert_eq!(answer["requires"], json!(["import os"]));
    for (nth, secret) in [&one, &other].into_iter().enumerate() {
        let kept = json!({"sha256": answer["replaced"][nth]["kept_sha256"]});
        assert_eq!(client.gives("rw_scratch_get", kept, &[])["content"], **secret);
    }

    // Neither a look-up nor a mark is the name of a function. Nothing of it is done.
    let code = format!("token = '{one}'\ndef {other}(): 0\n");
    sandbox.put("b.py", &code);
    for (arguments, file) in [
        (json!({"path": "b.py", "write_to": "b.py", "env": true, "keep": true}), "b.py"),
        (json!({"content": &code, "write_to": "c.py"}), "c.py"),
        (json!({"content": &code, "language": "python"}), "d.py"),
    ] {
        let facts = json!({"reason": "redaction_breaks_syntax", "format": "python", "line": 2});
        client.fails("rw_redact", arguments, "policy_violation/encoding/ask_user", facts);
        assert_eq!(sandbox.path(file).exists(), file == "b.py");
    }
    assert_eq!(sandbox.text("b.py"), code);
}

#[test]
fn no_tool_writes_a_mark_over_a_value() {
    let (sandbox, mut client) = served();
    sandbox.put("a.env", "HOST=a\nPASSWORD=hunter22\n");
    let facts = json!({"path": "a.env", "reason": "mark_over_value", "mark": "<REDACTED>"});
    let write = json!({
        "path": "a.env", "content": "PASSWORD=<REDACTED>\nHOST=b\n", "mode": "overwrite",
    });
    let refused = client.fails("rw_safe_write", write, ASK, facts.clone());
    assert_eq!(
        (&refused["context"]["line"], &refused["context"]["old_line"]),
        (&json!(1), &json!(2))
    );
    assert!(!refused.to_string().contains("hunter22"));
    let edit = json!({"path": "a.env", "old_string": "hunter22", "new_string": "<REDACTED>"});
    client.fails("rw_safe_replace", edit, ASK, facts.clone());
    let part = json!({"session": "s", "content": "PASSWORD=<REDACTED>\n"});
    client.gives("rw_chunk_append", part, &[]);
    let compose = json!({"session": "s", "output_path": "a.env"});
    client.fails("rw_chunk_compose", compose, ASK, facts);
    assert_eq!(sandbox.text("a.env"), "HOST=a\nPASSWORD=hunter22\n");
}

#[test]
fn a_flood_of_findings_is_cut_in_the_answer_and_counted() {
    let (_sandbox, mut client) = served();
    let flood: String = (0..250).map(|n| format!("person{n}@mail.net\n")).collect();
    let scored = client.gives("rw_risk_score", json!({"content": &flood}), &[]);
    assert_eq!(scored["detected_patterns"].as_array().unwrap().len(), 200);
    assert_eq!(scored["omitted"], 50);
    let write = json!({
        "path": "people.txt", "content": &flood, "classify": true, "classify_reject_at": "low",
    });
    let refused = client.fails(
        "rw_safe_write",
        write,
        "blocked/content_filter/redact",
        json!({"omitted": 50}),
    );
    assert_eq!(refused["context"]["detected"].as_array().unwrap().len(), 200);
    let last = json!({"content": &flood, "redact": ["250"]});
    assert_eq!(client.gives("rw_redact", last, &[])["replaced"][0]["findings"], json!([250]));
}

#[test]
fn the_incident_of_the_paper_is_scored_raw_and_redacted() {
    let (_sandbox, mut client) = served();
    let prefix = ["sk-", "ant-", "oat01-"].concat();
    let body = "Zx4kP9vQ2mB7sT1wL6yR8nD3fJ5hG0cA";
    let cookie = ["ey", "JhbGciOiJIUzI1NiJ9", ".ey", "JzdWIiOiJkZW1vIn0", ".c2lnbmF0dXJl"].concat();
    // The captured requests: a token, a second one, and whose session it was.
    let captured = format!(
        "curl -H 'Authorization: Bearer {prefix}{body}{body}'\n\
         curl -H 'x-api-key: {prefix}{body}AAb3dd91XYqm' -b {cookie}\n"
    );
    let raw = client.gives("rw_risk_score", json!({"content": &captured}), &[]);
    assert_eq!(raw["verdict"], "high");
    let detected = raw["detected_patterns"].as_array().unwrap();
    assert_eq!(
        (&detected[0]["kind"], &detected[0]["placeholder"]),
        (&json!("api_key"), &Value::Null)
    );
    let actions = json!([{"action": "redact", "targets": ["api_key", "jwt"]}]);
    assert_eq!(raw["suggested_actions"], actions);
    let write = json!({"path": "captured.md", "content": &captured, "classify": true});
    client.fails("rw_safe_write", write, "blocked/content_filter/redact", json!({}));
    let answer = client.gives("rw_redact", json!({"content": &captured}), &[]);
    assert_eq!(
        answer["text"],
        "curl -H 'Authorization: Bearer <REDACTED:api_key:1>'\n\
         curl -H 'x-api-key: <REDACTED:api_key:2>' -b <REDACTED:jwt:1>\n"
    );
    assert_eq!(answer["verdict"], "safe");

    // As the agent had redacted it: nothing is lost any more, but the prefix may trip a filter.
    let redacted = format!("Authorization: Bearer {prefix}{{REDACTED}}\n");
    let scored = client.gives("rw_risk_score", json!({"content": &redacted}), &[]);
    assert_eq!(scored["verdict"], "low");
    assert_eq!(scored["detected_patterns"][0]["placeholder"], true);
    let actions = &scored["suggested_actions"];
    assert_eq!(*actions, json!([{"action": "rename_placeholder", "targets": ["api_key"]}]));
    let renamed = json!({"content": &redacted, "redact": ["placeholder"]});
    let answer = client.gives("rw_redact", renamed, &[]);
    assert_eq!(answer["text"], "Authorization: Bearer <REDACTED:api_key:1>\n");
    assert_eq!(answer["verdict"], "safe");
}

#[test]
fn edits_that_do_not_fit_are_refused() {
    let (sandbox, mut client) = served();
    sandbox.put("a.txt", "x y x\nx\n");
    let mut fails = |arguments: Value, kind: &str, facts: Value| {
        let mut all = json!({"path": "a.txt", "old_string": "x", "new_string": "z"});
        all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
        client.fails("rw_safe_replace", all, kind, facts)
    };
    fails(json!({"old_string": ""}), REFUSED, json!({"reason": "empty_old_string"}));
    fails(json!({"count": 0}), REFUSED, json!({"reason": "count_cannot_be_zero"}));
    fails(json!({"path": "../a"}), FORBIDDEN, json!({"reason": "escapes_workspace"}));
    fails(json!({"path": "b.txt"}), ASK, json!({"reason": "file_not_found", "path": "b.txt"}));
    fails(json!({"expected_prev_sha256": ONE}), ASK, json!({"expected_prev_sha256": ONE}));
    fails(
        json!({"old_string": "q"}),
        ASK,
        json!({"reason": "old_string_not_found", "old_string": "q"}),
    );
    fails(
        json!({"count": 4}),
        ASK,
        json!({"reason": "insufficient_matches", "expected_count": 4, "actual_count": 3}),
    );
    for count in [1, -2] {
        fails(
            json!({"count": count}),
            ASK,
            json!({"reason": "ambiguous_match", "expected_count": count, "actual_count": 3}),
        );
    }
    std::fs::create_dir(sandbox.path("dir")).unwrap();
    fails(json!({"path": "dir"}), "policy_violation/unknown/abort", json!({"errno": 21}));
    sandbox.put("raw.bin", b"\xFF\xFE\x00\x81\x00\x00");
    let refused = fails(json!({"path": "raw.bin", "old_string": "grü"}), REFUSED, json!({}));
    assert!(refused["context"]["reason"].as_str().unwrap().starts_with("not_utf8: "));
    assert_eq!(sandbox.text("a.txt"), "x y x\nx\n");
}

#[test]
fn chunks_go_from_part_to_file() {
    let (sandbox, mut client) = served();
    let fields = ["session", "index", "chunk_path", "sha256", "bytes", "journal_id"];
    let part = json!({"session": "s", "index": 1, "content": "one\n", "total_expected": 2});
    let kept = client.gives("rw_chunk_write", part, &fields);
    assert_eq!(kept["chunk_path"], format!("{STATE}/chunks/s/part-001.txt"));
    assert_eq!(kept["sha256"], ONE);
    let next = json!({"session": "s", "content": "two\n"});
    assert_eq!(client.gives("rw_chunk_append", next, &fields)["index"], 2);

    let status = client.gives("rw_chunk_status", json!({"session": "s"}), &[]);
    assert_eq!(
        status,
        json!({
            "ok": true, "session": "s", "exists": true, "total_expected": 2,
            "present_indices": [1, 2], "chunk_dir": format!("{STATE}/chunks/s"), "bytes": 8,
            "updated_at": status["updated_at"], "age_seconds": status["age_seconds"],
            "last_part": {"index": 2, "bytes": 4, "tail": "two\n"},
        })
    );
    let all = client.gives("rw_chunk_status", json!({}), &[]);
    assert_eq!(all["count"], 1);
    assert_eq!(
        (&all["sessions"][0]["session"], &all["sessions"][0]["bytes"]),
        (&json!("s"), &json!(8))
    );
    let page = json!({"session": "s", "offset": 1, "max_bytes": 3});
    let page = client.gives("rw_chunk_preview", page, &["next_offset", "eof"]);
    assert_eq!((&page["content"], &page["total_bytes"]), (&json!("ne\n"), &json!(8)));
    assert_eq!(
        client.gives("rw_chunk_status", json!({"session": "other"}), &[]),
        json!({"ok": true, "session": "other", "exists": false})
    );
    let preview = client.gives(
        "rw_chunk_preview",
        json!({"session": "s", "separator": "--\n"}),
        &["session", "chunk_count", "chunk_hashes", "total_bytes"],
    );
    assert_eq!(preview["content"], "one\n--\ntwo\n");
    assert_eq!((&preview["total_bytes"], &preview["preview"]), (&json!(11), &json!(true)));
    assert!(!sandbox.path("out.txt").exists());

    let compose = json!({
        "session": "s", "output_path": "out.txt", "separator": "--\n", "cleanup": true,
    });
    let composed = client.gives(
        "rw_chunk_compose",
        compose,
        &["session", "output_path", "sha256", "bytes", "chunk_count", "journal_id", "cleaned_up"],
    );
    assert_eq!(composed["chunk_hashes"], preview["chunk_hashes"]);
    assert_eq!(composed["chunk_hashes"][0], ONE);
    assert_eq!(sandbox.text("out.txt"), "one\n--\ntwo\n");
    assert_eq!(
        client.gives("rw_chunk_reset", json!({"session": "s"}), &[]),
        json!({"ok": true, "session": "s", "removed": 0, "existed": false})
    );
}

#[test]
fn chunk_calls_that_do_not_fit_are_refused() {
    let (_sandbox, mut client) = served();
    let name = json!({"reason": "session_must_match_^[A-Za-z0-9_-]{1,64}$"});
    for session in ["", "a b", "a/b", "..", &"x".repeat(65)] {
        for tool in ["write", "append", "compose", "preview", "status", "reset"] {
            let arguments = match tool {
                "write" => json!({"session": session, "index": 1, "content": ""}),
                "append" => json!({"session": session, "content": ""}),
                "compose" => json!({"session": session, "output_path": "a"}),
                _ => json!({"session": session}),
            };
            client.fails(&format!("rw_chunk_{tool}"), arguments, REFUSED, name.clone());
        }
    }
    let index = json!({"reason": "index_must_be_int_in_1..999"});
    for number in [json!(0), json!(-1), json!(1000), json!("1"), json!(1.5)] {
        let part = json!({"session": "s", "index": number, "content": ""});
        client.fails("rw_chunk_write", part, REFUSED, index.clone());
    }
    let total = json!({"reason": "total_expected_must_be_int_in_1..999"});
    for number in [0, -1, 1000] {
        let part = json!({"session": "s", "index": 1, "content": "", "total_expected": number});
        client.fails("rw_chunk_write", part, REFUSED, total.clone());
        let part = json!({"session": "s", "content": "", "total_expected": number});
        client.fails("rw_chunk_append", part, REFUSED, total.clone());
    }
    client.fails(
        "rw_chunk_write",
        json!({"session": "s", "index": 3, "content": "", "total_expected": 2}),
        REFUSED,
        json!({"reason": "index_exceeds_total_expected", "index": 3, "total_expected": 2}),
    );
    client.gives("rw_chunk_write", json!({"session": "s", "index": 999, "content": ""}), &[]);
    client.fails("rw_chunk_append", json!({"session": "s", "content": ""}), REFUSED, index);
}

#[test]
fn parts_that_do_not_make_a_file_are_not_composed() {
    let (sandbox, mut client) = served();
    let mut both = |session: &str, kind: &str, facts: Value| {
        client.fails(
            "rw_chunk_compose",
            json!({"session": session, "output_path": "out.txt"}),
            kind,
            facts.clone(),
        );
        client.fails("rw_chunk_preview", json!({"session": session}), kind, facts)
    };
    sandbox.put(
        ".resilient_write/chunks/empty/manifest.json",
        r#"{"created_at": "", "session": "empty", "updated_at": ""}"#,
    );
    both("empty", STALE, json!({"reason": "no_chunks_found", "session": "empty"}));
    sandbox.put(".resilient_write/chunks/list/manifest.json", "[]");
    sandbox.put(".resilient_write/chunks/list/part-001.txt", "x");
    both("list", CORRUPT, json!({"session": "list"}));
    sandbox.put(".resilient_write/chunks/torn/manifest.json", "{");
    sandbox.put(".resilient_write/chunks/torn/part-001.txt", "x");
    both("torn", CORRUPT, json!({"session": "torn"}));
    sandbox.put(".resilient_write/chunks/raw/part-001.txt", b"\xFF");
    let raw = both("raw", CORRUPT, json!({}));
    assert!(raw["context"]["reason"].as_str().unwrap().starts_with("composed_not_utf8: "));

    let parts = |client: &mut Client, session: &str, indices: &[u32], total: Option<u32>| {
        for index in indices {
            let mut part = json!({"session": session, "index": index, "content": "x"});
            if let Some(total) = total {
                part["total_expected"] = json!(total);
            }
            client.gives("rw_chunk_write", part, &[]);
        }
    };
    parts(&mut client, "gap", &[1, 3], None);
    parts(&mut client, "late", &[3], None);
    parts(&mut client, "short", &[1, 2], Some(3));
    let compose = |session: &str| json!({"session": session, "output_path": "out.txt"});
    client.fails(
        "rw_chunk_compose",
        compose("gap"),
        STALE,
        json!({"reason": "non_contiguous_chunks", "have": [1, 3], "missing": [2], "unexpected": [3]}),
    );
    client.fails(
        "rw_chunk_preview",
        json!({"session": "late"}),
        STALE,
        json!({"reason": "non_contiguous_chunks", "have": [3], "missing": [1, 2]}),
    );
    client.fails(
        "rw_chunk_compose",
        compose("short"),
        STALE,
        json!({"reason": "chunk_count_mismatch", "have": 2, "total_expected": 3}),
    );
    client.fails(
        "rw_chunk_compose",
        compose("none"),
        STALE,
        json!({"reason": "session_not_found"}),
    );
    client.fails(
        "rw_chunk_preview",
        json!({"session": "none"}),
        STALE,
        json!({"reason": "no_chunks_found"}),
    );
    parts(&mut client, "good", &[1], None);
    client.fails(
        "rw_chunk_compose",
        json!({"session": "good", "output_path": "../out.txt"}),
        FORBIDDEN,
        json!({"reason": "escapes_workspace"}),
    );
    assert!(!sandbox.path("out.txt").exists());
}

#[test]
fn scratch_material_is_kept_found_and_read() {
    let (_sandbox, mut client) = served();
    let put = json!({"content": "one\n", "label": "l", "content_type": "text/plain", "notes": "n"});
    let fields = ["sha256", "scratch_path", "bytes", "deduped", "journal_id", "warnings"];
    let kept = client.gives("rw_scratch_put", put, &fields);
    assert_eq!((&kept["sha256"], &kept["deduped"]), (&json!(ONE), &json!(false)));
    assert_eq!(kept["scratch_path"], format!("{STATE}/scratch/{ONE}.bin"));
    assert_eq!(kept["warnings"], json!([]), "the state directory ignores itself");
    let again = json!({"content": "b25lCg==", "encoding": "base64"});
    let again = client.gives("rw_scratch_put", again, &fields);
    assert_eq!((&again["deduped"], &again["journal_id"]), (&json!(true), &Value::Null));

    let found = client.gives("rw_scratch_ref", json!({"sha256": ONE, "label": "l"}), &[]);
    assert_eq!((&found["alias_count"], &found["bin_exists"]), (&json!(1), &json!(true)));
    let keys: Vec<&str> = found["entry"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        ["bytes", "content_type", "created_at", "encoding", "label", "notes", "sha256"]
    );
    let last = client.gives("rw_scratch_ref", json!({"sha256": ONE}), &["scratch_path"]);
    assert_eq!((&last["alias_count"], &last["entry"]["label"]), (&json!(2), &Value::Null));
    let got = client.gives("rw_scratch_get", json!({"sha256": ONE}), &["content_type", "label"]);
    assert_eq!((&got["content"], &got["encoding"]), (&json!("one\n"), &json!("utf-8")));
    assert_eq!(got["bytes"], 4);
    let got = client.gives("rw_scratch_get", json!({"sha256": ONE, "encoding": "base64"}), &[]);
    assert_eq!(got["content"], "b25lCg==");
}

#[test]
fn scratch_calls_that_do_not_fit_are_refused() {
    let (sandbox, mut client) = served();
    let zeros = "0".repeat(64);
    for content in ["b25lCg=", "b25lC g==", "!"] {
        let put = json!({"content": content, "encoding": "base64"});
        let refused = client.fails("rw_scratch_put", put, REFUSED, json!({}));
        assert!(refused["context"]["reason"].as_str().unwrap().starts_with("bad_base64: "));
    }
    for (tool, arguments) in [
        ("rw_scratch_put", json!({"content": "x", "encoding": "utf-16"})),
        ("rw_scratch_get", json!({"sha256": &zeros, "encoding": "utf-16"})),
    ] {
        let facts = json!({"reason": "unsupported_encoding", "encoding": "utf-16"});
        let refused = client.fails(tool, arguments, REFUSED, facts);
        assert_eq!(refused["context"]["valid"].as_array().unwrap().len(), 2);
    }
    client.fails(
        "rw_scratch_ref",
        json!({}),
        REFUSED,
        json!({"reason": "must_provide_sha256_or_label"}),
    );
    for tool in ["rw_scratch_ref", "rw_scratch_get"] {
        let facts = json!({"sha256": "ABC", "reason": "not_a_lowercase_sha256_hex"});
        client.fails(tool, json!({"sha256": "ABC"}), REFUSED, facts);
        let facts = json!({"sha256": &zeros, "reason": "not_found"});
        client.fails(tool, json!({"sha256": &zeros}), STALE, facts);
    }
    client.fails(
        "rw_scratch_ref",
        json!({"sha256": &zeros, "label": "l"}),
        STALE,
        json!({"label": "l", "reason": "not_found"}),
    );
    let raw = client.gives("rw_scratch_put", json!({"content": "/w==", "encoding": "base64"}), &[]);
    client.fails(
        "rw_scratch_get",
        json!({"sha256": raw["sha256"]}),
        "policy_violation/encoding/retry_later",
        json!({
            "reason": "not_valid_utf8", "code": "retry_with_encoding_base64",
            "hint": "pass `encoding` base64 to get the bytes, since they are no UTF-8 text",
        }),
    );
    client.gives("rw_scratch_put", json!({"content": "one\n"}), &[]);
    sandbox.put(&format!("{STATE}/scratch/{ONE}.bin"), "two\n");
    let drifted = client.fails(
        "rw_scratch_get",
        json!({"sha256": ONE}),
        "write_corruption/unknown/abort",
        json!({"sha256": ONE, "reason": "hash_drift_on_read"}),
    );
    assert!(drifted["context"]["actual_sha256"].is_string());
    let mut index = std::fs::OpenOptions::new()
        .append(true)
        .open(sandbox.path(".resilient_write/scratch/index.jsonl"))
        .unwrap();
    index.write_all(b"garbage\n{}\n").unwrap();
    let found = client.gives("rw_scratch_ref", json!({"sha256": ONE}), &[]);
    assert_eq!(found["damaged_lines"], 2, "{found}");
}

#[test]
fn a_sealed_scratchpad_refuses_before_anything_else() {
    let sandbox = Sandbox::new().with("RW_SCRATCH_DISABLE_GET", "0");
    let mut client = sandbox.serve(&[]);
    client.fails(
        "rw_scratch_get",
        json!({"sha256": "not even a hash"}),
        FORBIDDEN,
        json!({"reason": "scratch_get_disabled", "env": "RW_SCRATCH_DISABLE_GET"}),
    );
}

fn note() -> Value {
    json!({
        "task_id": "t/1", "status": "partial", "agent": "tester", "summary": "half",
        "next_steps": ["go on"], "last_good_state": [], "extra": {"kept": [1, "00", null]},
    })
}

#[test]
fn handoffs_are_written_and_read() {
    let (sandbox, mut client) = served();
    sandbox.put("same.txt", "one\n");
    sandbox.put("changed.txt", "two\n");
    let mut envelope = note();
    envelope["last_good_state"] = json!([
        {"path": "same.txt", "sha256": ONE},
        {"path": "changed.txt", "sha256": ONE},
        {"path": "gone.txt", "sha256": ONE},
        {"path": "../outside.txt", "sha256": ONE},
    ]);
    let write = json!({"envelope": envelope, "body": "More.\n\n", "archive": true});
    let fields = ["handoff_path", "sha256", "bytes", "journal_id", "drift_warnings"];
    let written = client.gives("rw_handoff_write", write.clone(), &fields);
    assert_eq!(written.get("checkpoint_refs"), None);
    let drift = written["drift_warnings"].as_array().unwrap();
    assert_eq!(drift.len(), 3);
    assert_eq!(drift[0]["reason"], "hash_mismatch");
    assert_eq!(drift[0]["expected_sha256"], ONE);
    assert!(drift[0]["actual_sha256"].is_string());
    assert_eq!(drift[1], json!({"path": "gone.txt", "reason": "missing"}));
    assert_eq!(drift[2], json!({"path": "../outside.txt", "reason": "invalid_path"}));

    client.gives("rw_checkpoint", json!({"name": "c", "data": 1}), &[]);
    let found = client.gives(
        "rw_handoff_read",
        json!({}),
        &["handoff_path", "envelope", "body", "drift_warnings", "checkpoint_refs"],
    );
    assert_eq!(found["body"].as_str().unwrap().trim_end(), "More.");
    assert_eq!(found["envelope"]["extra"], envelope["extra"]);
    assert!(found["envelope"]["updated_at"].is_string());
    let refs = found["checkpoint_refs"].as_array().unwrap();
    assert_eq!((refs.len(), &refs[0]["name"]), (1, &json!("c")));

    client.gives("rw_handoff_write", write, &["checkpoint_refs"]);
    let archived = std::fs::read_dir(sandbox.path(".resilient_write/handoffs")).unwrap();
    assert_eq!(archived.count(), 1);
}

#[test]
fn handoffs_that_do_not_fit_are_refused() {
    let (sandbox, mut client) = served();
    let mut fails = |change: &dyn Fn(&mut Value), kind: &str, facts: Value| {
        let mut envelope = note();
        change(&mut envelope);
        client.fails("rw_handoff_write", json!({"envelope": envelope}), kind, facts);
    };
    fails(
        &|note| {
            note.as_object_mut().unwrap().remove("agent");
            note.as_object_mut().unwrap().remove("task_id");
        },
        REFUSED,
        json!({"missing_fields": ["task_id", "agent"]}),
    );
    fails(
        &|note| note["status"] = json!("done"),
        REFUSED,
        json!({"status": "done", "valid": ["blocked", "complete", "handed_off", "partial"]}),
    );
    for field in ["next_steps", "last_good_state"] {
        fails(
            &|note| note[field] = json!("x"),
            REFUSED,
            json!({"field": field, "reason": "must_be_list"}),
        );
    }
    fails(
        &|note| note["last_good_state"] = json!([{"path": "a", "sha256": "b"}, {"path": "a"}]),
        REFUSED,
        json!({
            "field": "last_good_state", "index": 1,
            "reason": "each_entry_needs_path_and_sha256",
        }),
    );
    client.fails(
        "rw_handoff_write",
        json!({"envelope": note(), "path": "../HANDOFF.md"}),
        FORBIDDEN,
        json!({"reason": "escapes_workspace"}),
    );
    let read = |client: &mut Client, kind: &str, facts: Value| {
        client.fails("rw_handoff_read", json!({}), kind, facts)
    };
    read(&mut client, STALE, json!({"path": "HANDOFF.md", "reason": "not_found"}));
    for (text, reason) in [
        ("no front matter", "missing_front_matter_delimiter"),
        ("---\na: b\n", "unterminated_front_matter"),
        ("---\n- a\n---\n", "front_matter_not_mapping"),
    ] {
        sandbox.put("HANDOFF.md", text);
        read(&mut client, REFUSED, json!({"reason": reason}));
    }
    sandbox.put("HANDOFF.md", "---\na: [\n---\n");
    let bad = read(&mut client, REFUSED, json!({}));
    assert!(bad["context"]["reason"].as_str().unwrap().starts_with("yaml_error: "));
    sandbox.put("HANDOFF.md", b"---\na: \xFF\n---\n");
    read(&mut client, REFUSED, json!({}));
    client.fails(
        "rw_handoff_read",
        json!({"path": "../outside.md"}),
        FORBIDDEN,
        json!({"reason": "escapes_workspace"}),
    );
    client.fails(
        "rw_handoff_read",
        json!({"path": ""}),
        FORBIDDEN,
        json!({"reason": "empty_path"}),
    );
}

#[test]
fn checkpoints_are_saved_listed_read_and_removed() {
    let (sandbox, mut client) = served();
    let data = json!({"a": [1, null], "ü": "ö"});
    let fields = [
        "name",
        "format",
        "ttl",
        "checkpoint_path",
        "sha256",
        "bytes",
        "journal_id",
        "created_at",
        "updated_at",
        "chunked",
    ];
    let save = json!({"name": "c", "data": data, "format": "yaml", "ttl": "P1D"});
    let saved = client.gives("rw_checkpoint", save, &fields);
    assert_eq!(saved["checkpoint_path"], format!("{STATE}/checkpoints/c.json"));
    assert_eq!(saved["chunked"], false);
    let read = client.gives("rw_checkpoint_read", json!({"name": "c"}), &["created_at", "bytes"]);
    assert_eq!(
        (&read["data"], &read["format"], &read["ttl"]),
        (&data, &json!("yaml"), &json!("P1D"))
    );

    let large = "ü".repeat(600_000);
    let save = json!({"name": "large", "data": large});
    assert_eq!(client.gives("rw_checkpoint", save, &fields)["chunked"], true);
    let read = client.gives("rw_checkpoint_read", json!({"name": "large"}), &[]);
    assert_eq!(read["data"], large);

    sandbox.put(".resilient_write/checkpoints/torn.json", "{");
    let list = client.gives("rw_checkpoint_list", json!({}), &["count"]);
    let listed = list["checkpoints"].as_array().unwrap();
    assert_eq!(listed.len(), 3);
    assert_eq!((&listed[0]["name"], &listed[2]["corrupt"]), (&json!("c"), &json!(true)));
    let cleaned = client.gives("rw_checkpoint_cleanup", json!({"include_session": false}), &[]);
    assert_eq!(
        cleaned,
        json!({
            "ok": true, "kept": 2,
            "removed": [{"name": "torn", "ttl": "unknown", "reason": "corrupt"}],
        })
    );
    let cleaned = client.gives("rw_checkpoint_cleanup", json!({}), &[]);
    assert_eq!((&cleaned["kept"], &cleaned["removed"][0]["name"]), (&json!(1), &json!("large")));
}

#[test]
fn integers_of_a_checkpoint_have_any_length_and_floats_are_doubles() {
    let (sandbox, mut client) = served();
    let data = r#"{"long":-123456789012345678901234567890,"spelled":[1.50,2E3]}"#;
    let kept = r#"{"long":-123456789012345678901234567890,"spelled":[1.5,2000.0]}"#;
    let call = |client: &mut Client, name: &str, arguments: &str| {
        let params = format!(r#"{{"name":"{name}","arguments":{arguments}}}"#);
        client.send_line(
            format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}"#)
                .as_bytes(),
        );
        client.receive().unwrap()["result"]["structuredContent"].take()
    };
    let saved = call(&mut client, "rw_checkpoint", &format!(r#"{{"name":"n","data":{data}}}"#));
    assert_eq!(saved["ok"], true, "{saved}");
    let read = call(&mut client, "rw_checkpoint_read", r#"{"name":"n"}"#);
    assert_eq!(read["data"].to_string(), kept);
    let file: Value =
        serde_json::from_str(&sandbox.text(".resilient_write/checkpoints/n.json")).unwrap();
    assert_eq!(file["data"].to_string(), kept);
    let beyond = call(&mut client, "rw_checkpoint", r#"{"name":"n","data":[1e400]}"#);
    assert_envelope(&beyond);
    assert_eq!(beyond["context"]["reason"], "number_beyond_double_precision");
}

#[test]
fn checkpoint_calls_that_do_not_fit_are_refused() {
    let (sandbox, mut client) = served();
    for name in ["", "a b", "../a", &"x".repeat(65)] {
        let facts = json!({"name": name, "reason": "name_must_match_^[A-Za-z0-9_-]{1,64}$"});
        client.fails("rw_checkpoint", json!({"name": name, "data": 1}), REFUSED, facts.clone());
        client.fails("rw_checkpoint_read", json!({"name": name}), REFUSED, facts);
    }
    let format = json!({"name": "c", "data": 1, "format": "xml"});
    client.fails("rw_checkpoint", format, REFUSED, json!({"format": "xml"}));
    for ttl in ["", "soon", "P1W", "P1.5D", "1D"] {
        let facts =
            json!({"ttl": ttl, "reason": "ttl_must_be_session|permanent|ISO_8601_duration"});
        client.fails("rw_checkpoint", json!({"name": "c", "data": 1, "ttl": ttl}), REFUSED, facts);
    }
    let read = |client: &mut Client, kind: &str, facts: Value| {
        client.fails("rw_checkpoint_read", json!({"name": "c"}), kind, facts)
    };
    read(&mut client, STALE, json!({"name": "c", "reason": "checkpoint_not_found"}));
    sandbox.put(".resilient_write/checkpoints/c.json", "{");
    let torn = read(&mut client, CORRUPT, json!({"name": "c"}));
    assert!(torn["context"]["reason"].as_str().unwrap().starts_with("corrupt_checkpoint: "));
    sandbox.put(".resilient_write/checkpoints/c.json", "{}");
    read(&mut client, CORRUPT, json!({"reason": "missing_data_field"}));
}

#[test]
fn the_journal_is_read_and_summed_up() {
    let (sandbox, mut client) = served();
    assert_eq!(client.gives("rw_journal_tail", json!({}), &[])["entries"], json!([]));
    for (path, mode) in [("a", "create"), ("b", "create"), ("a", "append")] {
        let write = json!({"path": path, "content": "x", "mode": mode});
        client.gives("rw_safe_write", write, &[]);
    }
    client.gives("rw_chunk_append", json!({"session": "s", "content": "y"}), &[]);
    let tail = client.gives("rw_journal_tail", json!({"n": 1, "filter_path": "a"}), &[]);
    let row = &tail["entries"][0];
    for field in ["journal_id", "ts", "path", "sha256", "bytes", "mode", "caller"] {
        assert!(row.get(field).is_some(), "{row}");
    }
    assert_eq!(
        (&row["mode"], &row["bytes"], &row["caller"]),
        (&json!("append"), &json!(2), &json!("test/0"))
    );
    assert_eq!(row["by"]["tool"], "rw.safe_write", "{row}");
    let digits = json!(row["sha256"].as_str().unwrap()[..12]);
    let filters = [
        ("filter_id", &row["journal_id"]),
        ("filter_sha256", &row["sha256"]),
        ("filter_sha256", &digits),
    ];
    for (filter, value) in filters {
        let found = client.gives("rw_journal_tail", json!({filter: value}), &[]);
        assert_eq!(found["entries"], json!([row]), "{filter}");
    }
    let creates = client.gives("rw_journal_tail", json!({"filter_mode": "create"}), &[]);
    assert_eq!(creates["entries"].as_array().unwrap().len(), 2);

    let report = client.gives(
        "rw_analytics",
        json!({}),
        &[
            "total_writes",
            "unique_paths",
            "total_bytes_written",
            "by_mode",
            "by_caller",
            "timeline",
            "hot_paths",
            "sessions",
            "checkpoints",
            "write_velocity",
            "period",
        ],
    );
    assert_eq!((&report["total_writes"], &report["unique_paths"]), (&json!(4), &json!(3)));
    assert_eq!(report["by_mode"], json!({"create": 2, "append": 1, "overwrite": 1}));
    assert_eq!(report["sessions"]["s"]["chunk_writes"], 1);
    let mut journal = sandbox.text(".resilient_write/journal.jsonl");
    journal.insert_str(0, "garbage\n");
    sandbox.put(".resilient_write/journal.jsonl", journal);
    let tail = client.gives("rw_journal_tail", json!({}), &[]);
    assert_eq!((tail["entries"].as_array().unwrap().len(), &tail["damaged_lines"]), (4, &json!(1)));
}

#[test]
fn looking_tools_refuse_what_they_cannot_read() {
    let (_sandbox, mut client) = served();
    client.fails("rw_journal_tail", json!({"n": "2"}), CORRECTABLE, json!({"argument": "n"}));
    client.fails("rw_journal_tail", json!({"filter_mode": "delete"}), CORRECTABLE, json!({}));
    let digest = json!({"argument": "filter_sha256"});
    client.fails("rw_journal_tail", json!({"filter_sha256": "0a"}), CORRECTABLE, digest);
    for since in ["yesterday", "2026-11-21T10:00:00"] {
        client.fails(
            "rw_analytics",
            json!({"since": since}),
            CORRECTABLE,
            json!({"argument": "since"}),
        );
    }
    client.fails(
        "rw_validate",
        json!({"content": "", "format_hint": "xml"}),
        CORRECTABLE,
        json!({}),
    );
    client.fails(
        "rw_risk_score",
        json!({"content": 1}),
        CORRECTABLE,
        json!({"argument": "content"}),
    );
}

#[test]
fn text_is_scored_and_validated() {
    let (_sandbox, mut client) = served();
    let arguments = json!({"content": secrets(), "language_hint": "tex", "target_path": "a.tex"});
    let report = client.gives(
        "rw_risk_score",
        arguments,
        &["score", "bytes", "line_count", "max_line_len", "detected_patterns", "suggested_actions"],
    );
    assert_eq!((&report["verdict"], &report["line_count"]), (&json!("high"), &json!(3)));
    assert_eq!(
        (&report["language_hint"], &report["target_path"]),
        (&json!("tex"), &json!("a.tex"))
    );
    let good = client.gives("rw_validate", json!({"content": "{}"}), &["errors"]);
    assert_eq!(good["summary"], "json: ok");
    let bad = json!({"content": "{\"key\":}", "format_hint": "json", "target_path": "a.py"});
    let bad = client.gives("rw_validate", bad, &["summary"]);
    assert_eq!((&bad["valid"], &bad["format"]), (&json!(false), &json!("json")));
    let item = &bad["errors"][0];
    assert_eq!((&item["line"], &item["severity"]), (&json!(1), &json!("error")));
    assert!(item.get("col").is_some() && item["message"].is_string());
}

#[test]
fn a_policy_that_cannot_be_used_is_refused_by_name() {
    let (sandbox, mut client) = served();
    let file = ".resilient_write/policy.yaml";
    let mut fails = |policy: &str, facts: Value| {
        sandbox.put(file, policy);
        client.fails("rw_risk_score", json!({"content": ""}), REFUSED, facts.clone());
        let write = json!({"path": "a", "content": "", "classify": true});
        let refused = client.fails("rw_safe_write", write, REFUSED, facts);
        // Who does not ask for judgement can go on working.
        let write = json!({"path": "b", "content": "", "mode": "overwrite"});
        client.gives("rw_safe_write", write, &[]);
        refused
    };
    let policy = "extend_patterns:\n  api_key:\n  - {name: mine, regex: '('}\n";
    let bad = fails(policy, json!({"family": "api_key", "name": "mine", "line": 3}));
    assert!(bad["context"]["reason"].as_str().unwrap().starts_with("bad_regex: "));
    let bad = fails("a: 1\nb: [", json!({"line": 2}));
    assert!(bad["context"]["reason"].as_str().unwrap().starts_with("yaml_error: "));
    fails("- a", json!({"reason": "policy_yaml_not_mapping"}));
}

#[test]
fn arguments_are_refused_by_name_in_every_tool() {
    let (_sandbox, mut client) = served();
    let tools = client.request("tools/list", json!({}))["tools"].take();
    for tool in tools.as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        client.fails(
            name,
            json!({"no such": 1}),
            CORRECTABLE,
            json!({"reason": "unknown_argument: no such", "argument": "no such"}),
        );
        let required = tool["inputSchema"]["required"].as_array();
        let Some(first) = required.and_then(|required| required.first()) else { continue };
        let wrong = json!({first.as_str().unwrap(): null});
        // In place of its content a write can have a draft, but not nothing.
        let instead = ["content_from", "draft_sha256"];
        let has_instead =
            instead.iter().any(|name| tool["inputSchema"]["properties"].get(name).is_some());
        let kind = match has_instead
            || required.unwrap().iter().any(|name| {
                name != first && ["content", "new_string"].contains(&name.as_str().unwrap())
            }) {
            true => "policy_violation/size_limit/split",
            false => CORRECTABLE,
        };
        if name != "rw_checkpoint" {
            client.fails(name, wrong, kind, json!({}));
        }
    }
    let unknown = client.fails(
        "rw_fly",
        json!({}),
        "policy_violation/unknown/abort",
        json!({"unknown_tool": "rw_fly", "tool": "rw_fly"}),
    );
    assert_envelope(&unknown);
    let mode = json!({"path": "a", "content": "", "mode": "delete"});
    client.fails(
        "rw_safe_write",
        mode,
        "policy_violation/unknown/abort",
        json!({"mode": "delete", "valid_modes": ["create", "overwrite", "append"]}),
    );
}

#[cfg(unix)]
#[test]
fn what_the_system_forbids_is_told_as_a_permission() {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::new();
    let mut client = bound(|| sandbox.serve(&[]));
    sandbox.put("locked/a.txt", "x");
    let locked = sandbox.path("locked");
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o555)).unwrap();
    let write = json!({"path": "locked/b.txt", "content": ""});
    client.fails("rw_safe_write", write, FORBIDDEN, json!({"errno": 13}));
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o755)).unwrap();
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
        assert!(refused["error"]["message"].as_str().unwrap().contains("one message a line"));
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
