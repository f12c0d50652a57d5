//! Writes and edits over stdio: what each success holds, and the error of every way to fail.

use serde_json::{Value, json};

use super::{ASK, FORBIDDEN, ONE, REFUSED, STATE, served};
use crate::sandbox::{Sandbox, bound};

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
