//! Tools that look and change nothing, over stdio, and arguments that no tool takes.

use serde_json::{Value, json};

use super::{CORRECTABLE, REFUSED, served};
use crate::sandbox::{assert_envelope, secrets};

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
