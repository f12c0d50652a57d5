//! What refused calls are told over MCP, so that the next call is right.

use serde_json::json;

use crate::sandbox::{OF_READER, OF_WRITER, Sandbox};

const STALE: &str = "stale_precondition/unknown/ask_user";
const CORRECTABLE: &str = "policy_violation/encoding/retry_later";

#[test]
fn the_answers_of_each_server_fit_its_own_schema_and_no_other() {
    let sandbox = Sandbox::new();
    let mut writer = sandbox.serve(&[]);
    let mut reader = sandbox.serve_reader(&[]);
    // Each goes through the check in `fails`; here both are compared once more.
    let written = writer.fails("rw_fly", json!({}), "policy_violation/unknown/abort", json!({}));
    assert!(OF_WRITER.is_valid(&written) && !OF_READER.is_valid(&written), "{written}");
    let unknown = "policy_violation/unknown_tool/abort";
    for tool in ["rr_fly", "fly", "rw_safe_write"] {
        let read = reader.fails(tool, json!({}), unknown, json!({}));
        assert!(OF_READER.is_valid(&read) && !OF_WRITER.is_valid(&read), "{read}");
    }
    reader.fails("rr_stat", json!({"path": "no"}), "not_found/missing/abort", json!({}));
    reader.fails("rr_stat", json!({}), CORRECTABLE, json!({"argument": "path"}));
    reader.fails(
        "rr_read_next",
        json!({"cursor": "x"}),
        "invalid_input/cursor_decode/retry_later",
        json!({}),
    );
    writer.fails(
        "rw_safe_write",
        json!({"path": "a"}),
        "policy_violation/size_limit/split",
        json!({}),
    );
    writer.fails(
        "rw_chunk_status",
        json!({"session": "a b"}),
        "policy_violation/encoding/abort",
        json!({}),
    );
}

#[test]
fn misspelt_tools_arguments_paths_sessions_and_checkpoints_are_told_the_nearest() {
    let sandbox = Sandbox::new();
    sandbox.put("src/main.rs", "x");
    let mut client = sandbox.serve(&["--with-read"]);
    let near = |names| json!({"nearest_names": [names]});
    client.fails(
        "rw_safe_wirte",
        json!({}),
        "policy_violation/unknown/abort",
        near("rw_safe_write"),
    );
    let misspelt = json!({"path": "a", "contnet": ""});
    client.fails("rw_safe_write", misspelt, CORRECTABLE, near("content"));
    client.fails(
        "rr_stat",
        json!({"path": "src/mian.rs"}),
        "not_found/missing/abort",
        near("src/main.rs"),
    );
    let edit = json!({"path": "main.rs", "old_string": "x", "new_string": "y"});
    client.fails("rw_safe_replace", edit, STALE, near("src/main.rs"));
    client.gives("rw_chunk_append", json!({"session": "report", "content": "x"}), &[]);
    let compose = json!({"session": "reprot", "output_path": "out"});
    client.fails("rw_chunk_compose", compose, "stale_precondition/unknown/abort", near("report"));
    for (tool, arguments) in [
        ("rw_chunk_preview", json!({"session": "reprot"})),
        ("rw_validate", json!({"session": "reprot"})),
    ] {
        client.fails(tool, arguments, "stale_precondition/unknown/abort", near("report"));
    }
    for tool in ["rw_chunk_status", "rw_chunk_reset"] {
        let told = client.gives(tool, json!({"session": "reprot"}), &[]);
        assert_eq!(told["nearest_names"], json!(["report"]), "{tool}");
    }
    client.gives("rw_checkpoint", json!({"name": "step", "data": 1}), &[]);
    client.fails(
        "rw_checkpoint_read",
        json!({"name": "stpe"}),
        "stale_precondition/unknown/abort",
        near("step"),
    );
}

#[test]
fn a_refusal_does_not_send_back_what_it_was_sent() {
    let sandbox = Sandbox::new();
    sandbox.put("a.txt", "x");
    let mut client = sandbox.serve(&["--with-read"]);
    let long = "y".repeat(100_000);
    let edit = json!({"path": "a.txt", "old_string": long, "new_string": ""});
    let refused = client.fails("rw_safe_replace", edit, STALE, json!({}));
    let echo = refused["context"]["old_string"].as_str().unwrap();
    assert!(echo.starts_with("yyy") && echo.ends_with("y[cut: 100000 bytes in all]"), "{echo}");
    let path = "d/".repeat(12_000) + "a.txt";
    let name = json!({"strerror": "File name too long"});
    let kind = "policy_violation/unknown/abort";
    for (tool, arguments, kind, facts) in [
        ("rw_safe_write", json!({"path": path, "content": "x"}), kind, name.clone()),
        ("rr_read_lines", json!({"path": path}), kind, name),
        (
            "rw_chunk_append",
            json!({"session": long, "content": "x"}),
            "policy_violation/encoding/abort",
            json!({}),
        ),
    ] {
        let refused = client.fails(tool, arguments, kind, facts).to_string();
        assert!(refused.len() < 20_000, "{}: {}", refused.len(), &refused[..300]);
    }
}

#[test]
fn a_stale_digest_is_told_who_wrote_and_the_digest_to_go_on_with() {
    let sandbox = Sandbox::new();
    let mut client = sandbox.serve(&[]);
    let first =
        client.gives("rw_safe_write", json!({"path": "a.txt", "content": "one two"}), &["sha256"]);
    let over = json!({"path": "a.txt", "content": "one two three", "mode": "overwrite"});
    let over = client.gives("rw_safe_write", over, &["prev_bytes", "prev_sha256"]);
    assert_eq!(over["prev_sha256"], first["sha256"]);
    let mut edit = json!({
        "path": "a.txt", "old_string": "two", "new_string": "2",
        "expected_prev_sha256": first["sha256"],
    });
    let facts = json!({
        "changed_by": "resilient_write", "match_count": 1, "still_applies": true,
        "actual_prev_sha256": over["sha256"],
    });
    let stale = client.fails("rw_safe_replace", edit.clone(), STALE, facts);
    let last = &stale["context"]["last_write"];
    assert_eq!(
        (&last["journal_id"], &last["tool"]),
        (&over["journal_id"], &json!("rw.safe_write"))
    );
    // In capitals, as some clients write digests.
    let actual = stale["context"]["actual_prev_sha256"].as_str().unwrap();
    edit["expected_prev_sha256"] = json!(format!("sha256:{}", actual.to_uppercase()));
    client.gives("rw_safe_replace", edit, &[]);
    assert_eq!(sandbox.text("a.txt"), "one 2 three");
}

#[test]
fn an_edit_that_was_made_before_and_spoilt_text_are_named() {
    let sandbox = Sandbox::new();
    sandbox.put("a.txt", "if a < b {\n\ttotal = 2\n}\n");
    let mut client = sandbox.serve(&[]);
    let edit =
        |old: &str, new: &str| json!({"path": "a.txt", "old_string": old, "new_string": new});
    let made =
        json!({"reason": "old_string_not_found", "already_applied": true, "new_string_lines": [2]});
    client.fails("rw_safe_replace", edit("total = 1", "total = 2"), STALE, made);
    let entities = json!({"mistakes": ["html_entities"], "corrected_lines": [1]});
    client.fails("rw_safe_replace", edit("if a &lt; b {", "x"), STALE, entities);
    let escapes = json!({"mistakes": ["literal_escapes"], "corrected_lines": [1]});
    client.fails("rw_safe_replace", edit("{\\n\\ttotal", "x"), STALE, escapes);
}

#[test]
fn an_overwrite_with_a_placeholder_is_refused_and_can_be_insisted_on() {
    let sandbox = Sandbox::new();
    sandbox.put("a.py", "print('a line of the file')\n".repeat(40));
    let mut client = sandbox.serve(&[]);
    let mut write = json!({
        "path": "a.py", "content": "import a\n# ... existing code ...\n", "mode": "overwrite",
    });
    let facts = json!({"reason": "placeholder_for_text", "line": 2, "prev_bytes": 1120});
    client.fails("rw_safe_write", write.clone(), STALE, facts);
    write["allow_shrink"] = json!(true);
    let written = client.gives("rw_safe_write", write, &["prev_sha256"]);
    assert_eq!(written["prev_bytes"], 1120);
}

#[test]
fn a_placeholder_is_known_in_the_comments_of_every_format_and_not_where_the_file_had_it() {
    let sandbox = Sandbox::new();
    let body = "a line of the file, as it was before\n".repeat(40);
    let mut client = sandbox.serve(&[]);
    for (name, mark) in [
        ("a.tex", "% ... existing content ..."),
        ("b.jsx", "{/* ... */}"),
        ("c.md", "<!--- ... other sections ... --->"),
        ("d.txt", "[... truncated ...]"),
        ("e.rs", "fn main() { run(); // ... existing code ..."),
    ] {
        sandbox.put(name, &body);
        for end in ["\n", "\r"] {
            let content = ["first", mark, "last"].join(end);
            let write = json!({"path": name, "content": content, "mode": "overwrite"});
            let facts = json!({"reason": "placeholder_for_text", "line": 2});
            client.fails("rw_safe_write", write, STALE, facts);
        }
        // A file that has the mark may be made shorter.
        sandbox.put(name, format!("{body}{mark}\n"));
        let most = body.get(..body.len() * 3 / 4).unwrap();
        let content = format!("{most}\n{mark}\nlast\n");
        let write = json!({"path": name, "content": content, "mode": "overwrite"});
        client.gives("rw_safe_write", write, &["prev_sha256"]);
    }
}

#[test]
fn a_placeholder_of_the_file_excuses_no_loss_of_most_of_it() {
    let sandbox = Sandbox::new();
    let function = "def f():\n    return 'a line of the file'\n\n\n";
    let mark = "# ... existing code ...\n";
    sandbox.put("a.py", function.repeat(30));
    let mut client = sandbox.serve(&[]);
    // One function is little: the edit is made.
    let whole = format!("import a\n{}", function.repeat(30));
    sandbox.put("a.py", &whole);
    let edit = json!({"path": "a.py", "old_string": "import a\n", "new_string": mark});
    client.gives("rw_safe_replace", edit, &["prev_sha256"]);
    let content = format!("{function}{mark}");
    let facts = json!({"reason": "placeholder_for_text", "line": 5});
    let write = json!({"path": "a.py", "content": content, "mode": "overwrite"});
    client.fails("rw_safe_write", write, STALE, facts);
    let edit = json!({
        "path": "a.py", "old_string": function.repeat(20), "new_string": mark,
    });
    let facts = json!({"reason": "placeholder_for_text", "line": 1});
    client.fails("rw_safe_replace", edit, STALE, facts);
    assert_eq!(sandbox.text("a.py"), whole.replace("import a\n", mark));
}

#[test]
fn a_suggestion_that_takes_in_its_neighbours_says_that_the_new_text_must_repeat_them() {
    let sandbox = Sandbox::new();
    sandbox.put("a.py", "def f():\n    return 1\n\n\ndef g():\n    return 1\n");
    let mut client = sandbox.serve(&[]);
    let edit = json!({"path": "a.py", "old_string": "return 3", "new_string": "return 2"});
    let refused = client.fails("rw_safe_replace", edit, STALE, json!({}));
    assert_eq!(refused["context"]["nearest"]["suggestion_neighbours"], 3, "{refused}");
    let hint = refused["context"]["hint"].as_str().unwrap();
    assert!(hint.contains("repeat in `new_string` what it has before and after"), "{hint}");
}

#[test]
fn a_call_that_was_made_before_is_told_so_and_not_to_merge() {
    let sandbox = Sandbox::new();
    let mut client = sandbox.serve(&[]);
    let told = |refused: &serde_json::Value| {
        assert_eq!(refused["context"]["already_written"], true, "{refused}");
        assert!(
            refused["context"]["hint"].as_str().unwrap().starts_with("do nothing"),
            "{refused}"
        );
    };
    let first = json!({"session": "s", "content": "one\n"});
    let sha = client.gives("rw_chunk_append", first, &["sha256"])["sha256"].clone();
    let second = json!({"session": "s", "content": "two\n", "expected_prev_sha256": sha});
    client.gives("rw_chunk_append", second.clone(), &["sha256"]);
    told(&client.fails("rw_chunk_append", second, STALE, json!({})));
    let other = json!({"session": "s", "content": "three\n", "expected_prev_sha256": sha});
    let refused = client.fails("rw_chunk_append", other, STALE, json!({}));
    assert!(refused["context"].get("already_written").is_none(), "{refused}");
    assert!(refused["context"]["hint"].as_str().unwrap().contains("`rw_chunk_status`"));
    // With a number, the call takes the place of that part. Before, the hint led to its loss.
    let other =
        json!({"session": "s", "index": 2, "content": "three\n", "expected_prev_sha256": sha});
    let mut another = sandbox.serve_as("another", &[]);
    for (client, begin, whose) in [
        (&mut client, "look at your part", "or else pass another `index`"),
        (&mut another, "begin a session of another name", "a part of the client "),
    ] {
        let refused = client.fails("rw_chunk_write", other.clone(), STALE, json!({}));
        let hint = refused["context"]["hint"].as_str().unwrap();
        assert!(hint.starts_with(begin) && hint.contains(whose), "{hint}");
    }

    let create = json!({"path": "a.txt", "content": "old\n"});
    let sha = client.gives("rw_safe_write", create.clone(), &["sha256"])["sha256"].clone();
    told(&client.fails("rw_safe_write", create, STALE, json!({"existing_sha256": sha})));
    let write = json!({
        "path": "a.txt", "content": "new\n", "mode": "overwrite", "expected_prev_sha256": sha,
    });
    client.gives("rw_safe_write", write.clone(), &["sha256"]);
    told(&client.fails("rw_safe_write", write, STALE, json!({})));
}

#[test]
fn a_session_that_was_composed_and_removed_is_told_with_its_file() {
    let sandbox = Sandbox::new();
    let mut client = sandbox.serve(&[]);
    client.gives("rw_chunk_append", json!({"session": "s", "content": "one\n"}), &["sha256"]);
    let compose = json!({"session": "s", "output_path": "a.txt", "cleanup": true});
    let sha = client.gives("rw_chunk_compose", compose.clone(), &["sha256"])["sha256"].clone();
    let refused = client.fails(
        "rw_chunk_compose",
        compose,
        "stale_precondition/unknown/abort",
        json!({"reason": "session_not_found"}),
    );
    assert_eq!(refused["context"]["composed"]["path"], "a.txt", "{refused}");
    assert_eq!(refused["context"]["composed"]["sha256"], sha, "{refused}");
    for (tool, arguments) in
        [("rw_chunk_preview", json!({"session": "s"})), ("rw_redact", json!({"session": "s"}))]
    {
        let reason = json!({"reason": "no_chunks_found"});
        let refused = client.fails(tool, arguments, "stale_precondition/unknown/abort", reason);
        assert_eq!(refused["context"]["composed"]["path"], "a.txt", "{refused}");
        assert!(
            refused["context"]["hint"].as_str().unwrap().starts_with("do nothing"),
            "{refused}"
        );
    }
    let status = client.gives("rw_chunk_status", json!({"session": "s"}), &["composed"]);
    assert_eq!((&status["exists"], &status["composed"]["sha256"]), (&json!(false), &sha));
    let status = client.gives("rw_chunk_status", json!({"session": "t"}), &["exists"]);
    assert!(status.get("composed").is_none(), "{status}");
    let other = json!({"session": "t", "output_path": "a.txt"});
    let refused =
        client.fails("rw_chunk_compose", other, "stale_precondition/unknown/abort", json!({}));
    assert!(refused["context"].get("composed").is_none(), "{refused}");
}

#[test]
fn a_digest_of_a_file_that_is_not_there_and_what_is_no_digest_are_told_apart() {
    let sandbox = Sandbox::new();
    sandbox.put("a.txt", "old\n");
    let mut client = sandbox.serve(&[]);
    let mut hint = |path: &str, expected: &str, mode: &str| {
        let write = json!({
            "path": path, "content": "new\n", "mode": mode, "expected_prev_sha256": expected,
        });
        let refused = client.fails("rw_safe_write", write, STALE, json!({}));
        refused["context"]["hint"].as_str().unwrap().to_owned()
    };
    let digest = "a".repeat(64);
    for mode in ["create", "overwrite", "append"] {
        let said = hint("none.txt", &digest, mode);
        assert!(said.starts_with("leave out `expected_prev_sha256`"), "{mode}: {said}");
    }
    for wrong in ["zzz", "0", "ba7816bf8f0", &"a".repeat(65)] {
        let said = hint("a.txt", wrong, "overwrite");
        assert!(said.starts_with("pass a SHA-256"), "{wrong}: {said}");
    }
    assert!(hint("a.txt", &digest, "overwrite").contains("context.actual_prev_sha256"));
}

#[test]
fn numbers_of_lines_that_were_copied_with_the_text_are_told() {
    let sandbox = Sandbox::new();
    sandbox.put("a.txt", "alpha\nbeta\ngamma\n");
    let mut client = sandbox.serve(&[]);
    let edit = json!({
        "path": "a.txt", "old_string": "1|alpha\n2|beta", "new_string": "1|alpha\n2|BETA",
    });
    let refused = client.fails("rw_safe_replace", edit, STALE, json!({}));
    assert_eq!(refused["context"]["mistakes"], json!(["line_numbers"]), "{refused}");
    assert_eq!(refused["context"]["corrected_lines"], json!([1]), "{refused}");
    let suggested = &refused["context"]["nearest"]["suggested_old_string"];
    assert_eq!(*suggested, "alpha\nbeta", "{refused}");
    let hint = refused["context"]["hint"].as_str().unwrap();
    assert!(hint.contains("numbers in front") && hint.contains("suggested_old_string"), "{hint}");
    // Numbers that do not count up, or stand in the file, are text.
    let edit = json!({"path": "a.txt", "old_string": "1|alpha\n7|beta", "new_string": "x"});
    let refused = client.fails("rw_safe_replace", edit, STALE, json!({}));
    assert!(refused["context"].get("mistakes").is_none(), "{refused}");
}

#[test]
fn an_empty_file_and_a_wrong_type_are_told_what_fits_them() {
    let sandbox = Sandbox::new();
    sandbox.put("a.txt", "");
    let mut client = sandbox.serve(&[]);
    let edit = json!({"path": "a.txt", "old_string": "x", "new_string": "y"});
    let refused = client.fails("rw_safe_replace", edit, STALE, json!({"empty_file": true}));
    assert!(refused["context"]["hint"].as_str().unwrap().contains("`rw_safe_write`"));
    for (arguments, or_not) in [
        (json!({"path": 1, "old_string": "x", "new_string": "y"}), false),
        (json!({"path": "a", "old_string": "x", "new_string": "y", "count": "x"}), true),
    ] {
        let refused = client.fails("rw_safe_replace", arguments, CORRECTABLE, json!({}));
        let hint = refused["context"]["hint"].as_str().unwrap();
        assert_eq!(hint.contains("leave it out"), or_not, "{hint}");
    }
    let all = json!({"path": "a", "old_string": "x", "new_string": "y", "replace_all": true});
    let refused = client.fails("rw_safe_replace", all, CORRECTABLE, json!({}));
    assert!(refused["context"]["hint"].as_str().unwrap().contains("`count` -1"), "{refused}");
    for (called, near) in [("Edit", "rw_safe_replace"), ("rw_write", "rw_safe_write")] {
        let refused = client.fails(called, json!({}), "policy_violation/unknown/abort", json!({}));
        assert_eq!(refused["context"]["nearest_names"][0], near, "{refused}");
    }
}

#[test]
fn an_edit_with_a_placeholder_is_refused_and_can_be_insisted_on() {
    let sandbox = Sandbox::new();
    let body = "print('a line of the file')\n".repeat(40);
    sandbox.put("a.py", format!("import a\n{body}"));
    let mut client = sandbox.serve(&[]);
    let new = "# ... existing code ...\n";
    let mut edit = json!({"path": "a.py", "old_string": body, "new_string": new});
    let facts = json!({"reason": "placeholder_for_text", "line": 1, "prev_bytes": 1129});
    let refused = client.fails("rw_safe_replace", edit.clone(), STALE, facts);
    assert!(refused["context"]["hint"].as_str().unwrap().contains("`allow_shrink`"));
    edit["allow_shrink"] = json!(true);
    client.gives("rw_safe_replace", edit, &["prev_sha256"]);
    assert_eq!(sandbox.text("a.py"), format!("import a\n{new}"));

    // The same on the command line.
    sandbox.put("a.py", format!("import a\n{body}"));
    let edit = ["replace", "a.py", "--old-string", &body, "--new-string", new];
    let refused = sandbox.run(&[&edit[..], &["--json"]].concat()).envelope();
    assert!(refused["context"]["hint"].as_str().unwrap().contains("`--allow-shrink`"));
    sandbox.run(&[&edit[..], &["--allow-shrink"]].concat()).ok();
}

#[test]
fn a_part_that_is_replaced_tells_what_it_was() {
    let sandbox = Sandbox::new();
    let mut client = sandbox.serve(&[]);
    let part = |content| json!({"session": "s", "index": 1, "content": content});
    let first = client.gives("rw_chunk_write", part("one"), &[]);
    assert!(first.get("prev_bytes").is_none() && first.get("prev_sha256").is_none(), "{first}");
    let again = client.gives("rw_chunk_write", part("three"), &[]);
    assert_eq!((&again["prev_bytes"], &again["prev_sha256"]), (&json!(3), &first["sha256"]));
    let next = json!({"session": "s", "content": "next"});
    let next = client.gives("rw_chunk_append", next, &[]);
    assert!(next.get("prev_bytes").is_none(), "{next}");
}

#[cfg(unix)]
#[test]
fn a_file_that_nobody_may_write_is_refused_unless_the_policy_says_otherwise() {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    let sandbox = Sandbox::new();
    sandbox.put("a.txt", "old");
    std::fs::set_permissions(sandbox.path("a.txt"), Permissions::from_mode(0o444)).unwrap();
    let mut client = sandbox.serve(&[]);
    let write = json!({"path": "a.txt", "content": "new", "mode": "overwrite"});
    let kind = "policy_violation/permission/abort";
    client.fails("rw_safe_write", write.clone(), kind, json!({"reason": "read_only"}));
    sandbox.put(".resilient_write/policy.yaml", "read_only: overwrite\n");
    client.gives("rw_safe_write", write, &[]);
    assert_eq!(sandbox.text("a.txt"), "new");
}

#[test]
fn a_hint_names_only_arguments_that_the_tool_has() {
    let sandbox = Sandbox::new();
    sandbox.put("a.txt", "old\n");
    let mut client = sandbox.serve(&[]);
    let write = json!({"content": "new\n", "write_to": "a.txt"});
    let refused = client.fails("rw_redact", write, STALE, json!({"reason": "file_already_exists"}));
    let hint = refused["context"]["hint"].as_str().unwrap();
    assert!(hint.contains("pass context.existing_sha256 as `expected_prev_sha256`"), "{hint}");
    assert!(!hint.contains("mode"), "{hint}");
    let sha = &refused["context"]["existing_sha256"];
    let write = json!({"content": "new\n", "write_to": "a.txt", "expected_prev_sha256": sha});
    client.gives("rw_redact", write, &[]);
    let write = json!({"content": "newer\n", "path": "a.txt"});
    let refused = client.fails("rw_safe_write", write, STALE, json!({}));
    assert!(refused["context"]["hint"].as_str().unwrap().contains("`mode` overwrite"), "{refused}");
}

#[test]
fn a_listing_of_a_path_that_no_system_has_is_refused_like_any_read_of_it() {
    let sandbox = Sandbox::new();
    let mut client = sandbox.serve(&["--with-read"]);
    for tool in ["rr_list_files", "rr_stat"] {
        let reason = json!({"reason": "invalid_path"});
        client.fails(tool, json!({"path": "x\0y"}), "invalid_input/not_file/abort", reason);
    }
}

#[test]
fn a_second_removal_is_not_told_to_put_the_content() {
    let sandbox = Sandbox::new();
    let mut client = sandbox.serve(&[]);
    for label in ["one", "two"] {
        client.gives("rw_scratch_put", json!({"content": "x", "label": label}), &[]);
    }
    for label in ["one", "two"] {
        let remove = json!({"label": label});
        client.gives("rw_scratch_remove", remove.clone(), &[]);
        let refused = client.fails(
            "rw_scratch_remove",
            remove,
            "stale_precondition/unknown/abort",
            json!({}),
        );
        assert!(
            refused["context"]["hint"].as_str().unwrap().starts_with("do nothing"),
            "{refused}"
        );
    }
}
