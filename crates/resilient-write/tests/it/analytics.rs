//! `analytics`.

use serde_json::json;

use crate::sandbox::Sandbox;

#[test]
fn writes_are_summed_up() {
    let sandbox = Sandbox::new();
    sandbox.run(&["write", "a.txt", "--content", "12"]).ok();
    sandbox.run(&["write", "a.txt", "--content", "3", "--mode", "append"]).ok();
    sandbox.run(&["chunk", "append", "s", "--content", "4567"]).ok();
    sandbox.run(&["chunk", "append", "t", "--content", "8"]).ok();
    let text = sandbox.run(&["analytics"]).ok().stdout;
    assert!(text.starts_with("4 writes\n  paths       3\n  bytes       10\n"), "{text}");
    assert!(text.contains("\n     2 x a.txt\n"), "{text}");

    let report = sandbox.run(&["analytics", "--session", "s", "--json"]).ok().json();
    assert_eq!(report["total_writes"], 4);
    let sessions: Vec<&String> = report["sessions"].as_object().unwrap().keys().collect();
    assert_eq!(sessions, ["s"]);
    let report = sandbox.run(&["analytics", "--since", "2999-01-01T00:00:00Z", "--json"]).ok();
    assert_eq!(report.json()["total_writes"], 0);
    let refused = sandbox.run(&["analytics", "--since", "yesterday", "--json"]).envelope();
    assert_eq!(refused["context"]["argument"], json!("since"));
}
