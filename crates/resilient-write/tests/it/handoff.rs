//! `handoff`.

use serde_json::json;

use crate::sandbox::Sandbox;

fn note(sha256: &str) -> String {
    json!({
        "task_id": "report", "status": "partial", "agent": "tester", "summary": "half done",
        "next_steps": ["read", "write"],
        "last_good_state": [{"path": "a.txt", "sha256": sha256}],
    })
    .to_string()
}

#[test]
fn a_note_comes_back_and_tells_what_has_changed() {
    let sandbox = Sandbox::new();
    let written = sandbox.run_with(&["write", "a.txt", "--json"], "one\n").ok().json();
    let note = note(written["sha256"].as_str().unwrap());
    let ran = sandbox.run_with(&["handoff", "write", "--body", "More."], &note).ok();
    assert!(ran.stdout.starts_with("wrote HANDOFF.md\n"), "{ran:?}");
    let text = sandbox.run(&["handoff", "read"]).ok().stdout;
    assert!(text.contains("\n  next_steps       read; write\n"), "{text}");
    assert!(text.ends_with("\n\nMore.\n"), "{text}");
    assert!(!text.contains("warning"), "{text}");

    sandbox.put("a.txt", "two\n");
    let text = sandbox.run(&["handoff", "read"]).ok().stdout;
    assert!(text.contains("\nwarning: a.txt: hash_mismatch\n"), "{text}");
    let answer = sandbox.run(&["handoff", "read", "--json"]).ok().json();
    assert_eq!(answer["drift_warnings"][0]["reason"], "hash_mismatch");
    assert_eq!(answer["envelope"]["status"], "partial");
}

#[test]
fn a_note_is_read_from_a_file_and_its_forerunner_is_kept_when_asked() {
    let sandbox = Sandbox::new();
    sandbox.put("note.json", note(""));
    sandbox.run(&["handoff", "write", "note.json", "--path", "next.md"]).ok();
    sandbox.run(&["handoff", "write", "note.json", "--path", "next.md", "--archive"]).ok();
    for read in [&["handoff", "read", "next.md"][..], &["handoff", "read", "--path", "next.md"]] {
        assert!(sandbox.run(read).ok().stdout.starts_with("next.md\n"), "{read:?}");
    }
    let archived = std::fs::read_dir(sandbox.path(".resilient_write/handoffs")).unwrap();
    assert_eq!(archived.count(), 1);
}

#[test]
fn what_is_no_note_is_refused() {
    let sandbox = Sandbox::new();
    let refused = sandbox.run_with(&["handoff", "write", "--json"], "[]").envelope();
    assert_eq!(refused["context"]["reason"], "not a JSON object");
    let refused = sandbox.run_with(&["handoff", "write", "--json"], "{}").envelope();
    assert_eq!(refused["context"]["missing_fields"][0], "task_id");
    let missing = sandbox.run(&["handoff", "write", "nowhere.json", "--json"]).envelope();
    assert_eq!(missing["context"]["path"], "nowhere.json");
    let missing = sandbox.run(&["handoff", "read", "--json"]).envelope();
    assert_eq!(missing["context"]["reason"], "not_found");
}
