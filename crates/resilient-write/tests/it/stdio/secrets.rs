//! Blocked texts, their drafts and redactions over stdio.

use serde_json::{Value, json};

use super::{ASK, CORRECTABLE, FORBIDDEN, ONE, STALE, served};
use crate::sandbox::secrets;

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
        assert!(
            context["hint"]
                .as_str()
                .unwrap()
                .contains("make this call again with `content_from` {draft_sha256}")
        );
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
    for (name, reason) in [
        ("apikey", r#"no family "apikey"; write "api_key" if that is meant"#),
        ("API_KEY", r#"no family "API_KEY"; write "api_key" if that is meant"#),
        ("email", r#"no family "email"; the text has findings of api_key, jwt"#),
    ] {
        let none = json!({"content_from": from(json!([name]))});
        fails(none, CORRECTABLE, json!({"argument": "redact", "reason": reason}));
    }
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
    let language = json!({"content": "x", "language": "pyton"});
    fails(
        language,
        CORRECTABLE,
        json!({"reason": "unknown_language", "nearest_names": ["python"]}),
    );
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
