//! A workspace that is moved away under a running server, with another one in its place.

use std::path::Path;

use serde_json::json;

use crate::sandbox::Sandbox;

const GONE: &str = "stale_precondition/unknown/ask_user";

/// What `mv w w.bak; mkdir w` does.
fn replace(dir: &Path) {
    std::fs::rename(dir, dir.with_extension("bak")).unwrap();
    std::fs::create_dir(dir).unwrap();
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for dir in ["w", "v", "s"] {
        std::fs::create_dir(sandbox.path(dir)).unwrap();
    }
    sandbox
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_running_server_writes_into_and_reads_from_the_workspace_that_its_path_leads_to_now() {
    let sandbox = sandbox();
    let (w, v, s) = (sandbox.path("w"), sandbox.path("v"), sandbox.path("s"));
    let sandbox =
        sandbox.with("RW_WORKSPACE", json!([&w, &v]).to_string()).with("RW_STATE_DIR", text(&s));
    let mut client = sandbox.serve(&["--with-read"]);
    let write = |path: &Path| json!({"path": path, "content": "one\n", "mode": "overwrite"});
    for root in [&w, &v] {
        client.gives("rw_safe_write", write(&root.join("d/a.txt")), &[]);
        client.gives("rr_read_lines", json!({"path": root.join("d/a.txt"), "start_line": 1}), &[]);
    }
    for (replaced, path) in [(&w, w.join("b.txt")), (&v, v.join("d/b.txt")), (&s, w.join("c.txt"))]
    {
        replace(replaced);
        let answer = client.gives("rw_safe_write", write(&path), &["journal_id"]);
        assert_eq!(answer["abs_path"], json!(path));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\n");
        client.gives("rr_stat", json!({"path": path}), &[]);
    }
    for moved in ["w.bak/b.txt", "v.bak/d/b.txt"] {
        assert!(!sandbox.path(moved).exists(), "{moved}");
    }
    let old = json!({"path": w.join("d/a.txt")});
    client.fails("rr_stat", old, "not_found/missing/abort", json!({}));
    // The state that is in place now knows what was written since.
    let tail = client.gives("rw_journal_tail", json!({}), &[]);
    assert_eq!(tail["entries"].as_array().unwrap().len(), 1);
    assert_eq!(client.hang_up().1, 0);
}

#[test]
fn every_tool_says_that_the_workspace_is_gone_and_none_answers_from_another_root() {
    let sandbox = sandbox();
    let (w, v) = (text(&sandbox.path("w")), text(&sandbox.path("v")));
    sandbox.put("v/a.txt", "in another root\n");
    let state = text(&sandbox.path("s"));
    let sandbox = sandbox.with("RW_STATE_DIR", state);
    for (set, calls) in [
        (
            "full",
            vec![
                ("rr_list_files", json!({})),
                ("rr_search_then_page", json!({"path": ".", "query": "root", "glob": "*"})),
                ("rr_read_lines", json!({"path": "a.txt"})),
                ("rr_stat", json!({"path": "a.txt"})),
                ("rw_handoff_read", json!({})),
                ("rw_validate", json!({"path": "a.txt"})),
                ("rw_safe_write", json!({"path": "a.txt", "content": "x"})),
            ],
        ),
        (
            "core",
            vec![
                ("rw_list_files", json!({})),
                ("rw_search_files", json!({"pattern": "root"})),
                ("rw_search_files", json!({"pattern": "root", "path": "a.txt"})),
                ("rw_read_file", json!({"path": "a.txt"})),
                ("rw_list_parts", json!({"path": "a.txt"})),
                ("rw_write_file", json!({"path": "a.txt", "content": "x"})),
            ],
        ),
    ] {
        let mut client = sandbox.serve(&["--tools", set, "--with-read", "-w", &w, "-w", &v]);
        std::fs::remove_dir(&w).unwrap();
        for (tool, arguments) in calls {
            let facts = json!({"reason": "workspace_gone", "root": w});
            let refused = client.fails(tool, arguments, GONE, facts);
            let hint = refused["context"]["hint"].as_str().unwrap();
            assert!(hint.starts_with("ask the user to make the directory again"), "{tool}: {hint}");
        }
        std::fs::create_dir(&w).unwrap();
    }
}

#[test]
fn a_workspace_that_is_gone_is_refused_and_taken_up_again_when_it_is_back() {
    let sandbox = sandbox();
    let (w, v) = (sandbox.path("w"), sandbox.path("v"));
    let sandbox = sandbox.with("RW_WORKSPACE", json!([&w, &v]).to_string());
    let mut client = sandbox.serve(&["--with-read"]);
    let write = |path: &Path| json!({"path": path, "content": "one\n"});
    std::fs::remove_dir(&w).unwrap();
    let facts = json!({"reason": "workspace_gone", "root": w});
    for path in [w.join("a.txt"), w.join("d/a.txt")] {
        // The directory above is a workspace here, too, and takes the write.
        let answer = client.gives("rw_safe_write", write(&path), &[]);
        assert_eq!(answer["abs_path"], json!(path));
        std::fs::remove_dir_all(&w).unwrap();
    }
    drop(client);
    let mut client = {
        let sandbox = Sandbox::new().with("RW_WORKSPACE", json!([&w, &v]).to_string());
        std::fs::create_dir(&w).unwrap();
        let mut client = sandbox.serve(&["--with-read"]);
        std::fs::remove_dir(&w).unwrap();
        client.fails("rw_safe_write", write(&w.join("a.txt")), GONE, facts.clone());
        client.fails("rr_stat", json!({"path": w.join("a.txt")}), GONE, facts);
        client.gives("rw_safe_write", write(&v.join("a.txt")), &[]);
        std::fs::create_dir(&w).unwrap();
        client.gives("rw_safe_write", write(&w.join("a.txt")), &[]);
        client
    };
    client.gives("rr_stat", json!({"path": w.join("a.txt")}), &[]);
}
