//! Scratchpad, handoffs and checkpoints over stdio.

use std::io::Write as _;

use serde_json::{Value, json};

use super::{CORRUPT, FORBIDDEN, ONE, REFUSED, STALE, STATE, served};
use crate::sandbox::{Client, Sandbox, assert_envelope};

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
