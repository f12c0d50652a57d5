//! `checkpoint`.

use serde_json::json;

use crate::sandbox::Sandbox;

#[test]
fn a_value_is_saved_listed_read_and_removed() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(&["checkpoint", "list"]).ok().stdout, "no checkpoints\n");
    let ran = sandbox.run_with(&["checkpoint", "save", "a"], r#"{"step": 1}"#).ok();
    assert!(ran.stdout.starts_with("saved a\n  bytes "), "{ran:?}");
    let save = ["checkpoint", "save", "b", "--ttl", "permanent", "--format", "markdown"];
    let answer = sandbox.run(&[&save[..], &["--data", "-1", "--json"]].concat()).ok().json();
    assert_eq!((&answer["format"], &answer["ttl"]), (&json!("markdown"), &json!("permanent")));

    assert_eq!(sandbox.run(&["checkpoint", "read", "a"]).ok().stdout, "{\n  \"step\": 1\n}\n");
    let read = sandbox.run(&["checkpoint", "read", "b", "--json"]).ok().json();
    assert_eq!(read["data"], -1);
    let list = sandbox.run(&["checkpoint", "list"]).ok().stdout;
    let names: Vec<&str> = list.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, ["a", "b"]);

    let kept = sandbox.run(&["checkpoint", "cleanup", "--keep-session"]).ok();
    assert_eq!(kept.stdout, "kept 2\n");
    let ran = sandbox.run(&["checkpoint", "cleanup"]).ok();
    assert_eq!(ran.stdout, "removed a (session_cleanup)\nkept 1\n");
    let gone = sandbox.run(&["checkpoint", "read", "a", "--json"]).envelope();
    assert_eq!(gone["context"]["reason"], "checkpoint_not_found");
}

#[test]
fn a_save_without_a_time_to_live_says_which_one_there_was() {
    let sandbox = Sandbox::new();
    let save = ["checkpoint", "save", "a", "--data", "1"];
    let ran = sandbox.run(&[&save[..], &["--ttl", "P30D"]].concat()).ok();
    assert!(!ran.stdout.contains("ttl before"), "{ran:?}");
    let ran = sandbox.run(&save).ok();
    assert!(ran.stdout.contains("  ttl before   P30D\n"), "{ran:?}");
}

#[test]
fn a_value_in_place_of_a_file_leads_to_its_option() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["checkpoint", "save", "plan", r#"{"step": 2}"#]);
    assert!(ran.complaint().contains("pass the value itself as --data,"), "{ran:?}");
    let ran = sandbox.run(&["handoff", "write", r#"{"task_id": "t"}"#]);
    assert!(ran.complaint().contains("pass the value itself as --envelope,"), "{ran:?}");
    let ran = sandbox.run(&["checkpoint", "save", "plan", "plan.json"]);
    assert!(ran.complaint().contains("does not exist"), "{ran:?}");
}

#[test]
fn what_is_not_json_is_refused() {
    let sandbox = Sandbox::new();
    let refused = sandbox.run_with(&["checkpoint", "save", "a", "--json"], "{").envelope();
    assert_eq!(refused["context"]["argument"], "data");
    let refused =
        sandbox.run(&["checkpoint", "save", "a", "--data", "1", "--ttl", "soon", "--json"]);
    assert_eq!(refused.envelope()["context"]["ttl"], "soon");
}
