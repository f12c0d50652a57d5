//! Chunk sessions over stdio: from the first part to the file, and the error of every way to fail.

use serde_json::{Value, json};

use super::{CORRUPT, FORBIDDEN, ONE, REFUSED, STALE, STATE, served};
use crate::sandbox::Client;

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
            "last_part": {"index": 2, "bytes": 4, "tail": "two\n"}, "last_write": status["last_write"],
        })
    );
    assert_eq!(status["last_write"]["client"], "test/0");
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
fn a_session_that_was_composed_does_not_lose_its_file_when_it_begins_again() {
    const CHANGED: &str = "stale_precondition/unknown/ask_user";
    let (sandbox, mut client) = served();
    let part = |content: &str| json!({"session": "s", "content": content});
    client.gives("rw_chunk_append", part("chapter 1\n"), &[]);
    let second = client.gives("rw_chunk_append", part("chapter 2\n"), &["sha256"]);
    let compose = json!({"session": "s", "output_path": "novel.md", "cleanup": true});
    client.gives("rw_chunk_compose", compose.clone(), &[]);

    let mut third = part("chapter 3\n");
    third["expected_prev_sha256"] = second["sha256"].clone();
    let facts = json!({"reason": "session_composed", "session": "s"});
    let refused = client.fails("rw_chunk_append", third, CHANGED, facts);
    let hint = refused["context"]["hint"].as_str().unwrap();
    assert!(hint.contains("`rw_safe_write`"), "{refused}");
    assert_eq!(refused["context"]["composed"]["path"], "novel.md");

    let again = client.gives("rw_chunk_append", part("chapter 3\n"), &[]);
    assert_eq!(again["composed_before"], refused["context"]["composed"]);
    let status = client.gives("rw_chunk_status", json!({"session": "s"}), &[]);
    assert_eq!(status["composed_before"], again["composed_before"]);
    let facts = json!({"reason": "composed_before", "path": "novel.md"});
    let refused = client.fails("rw_chunk_compose", compose.clone(), CHANGED, facts);
    assert_eq!(sandbox.text("novel.md"), "chapter 1\nchapter 2\n");

    let mut named = compose;
    named["expected_prev_sha256"] = refused["context"]["actual_prev_sha256"].clone();
    client.gives("rw_chunk_compose", named, &[]);
    assert_eq!(sandbox.text("novel.md"), "chapter 3\n");
}
