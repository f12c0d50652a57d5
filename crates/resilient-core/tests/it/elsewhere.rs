//! State that was made elsewhere: by the Python server, by hand.

use serde_json::{Value, json};

use crate::home::Home;

fn value<T: serde::Serialize>(success: T) -> Value {
    serde_json::to_value(success).unwrap()
}

#[test]
fn a_checkpoint_without_labels_is_json_for_the_session() {
    let home = Home::new();
    home.put(".resilient_write/checkpoints/bare.json", r#"{"data": [1]}"#);
    home.put(".resilient_write/checkpoints/list.json", "[1]");
    home.put(".resilient_write/checkpoints/torn.json", "{");
    let workspace = home.open();
    let checkpoints = workspace.checkpoints();

    let read = value(checkpoints.read("bare").unwrap());
    assert_eq!((&read["format"], &read["ttl"]), (&json!("json"), &json!("session")));
    assert_eq!(read["created_at"], Value::Null);
    let list = value(checkpoints.list().unwrap());
    assert_eq!(list["checkpoints"][0]["format"], "json");
    assert_eq!(list["checkpoints"][0]["ttl"], "session");

    let damaged = home.refused(|| checkpoints.read("list"));
    assert_eq!(damaged["context"]["reason"], "missing_data_field");

    // What is not JSON goes in any case; the rest has the time to live of a session.
    let removed =
        |reason: &str, name: &str, ttl: &str| json!({"name": name, "ttl": ttl, "reason": reason});
    let cleanup = value(checkpoints.cleanup(false).unwrap());
    assert_eq!(cleanup, json!({"removed": [removed("corrupt", "torn", "unknown")], "kept": 2}));
    let cleanup = value(checkpoints.cleanup(true).unwrap());
    let of_session = ["bare", "list"].map(|name| removed("session_cleanup", name, "session"));
    assert_eq!(cleanup, json!({"removed": of_session, "kept": 0}));
}

#[test]
fn numbers_come_back_as_they_were_saved() {
    // The first is off by one bit in a reader that does not take the pains.
    let numbers = json!([31.245270191439438, 6.02214076e23, 0.1, -0.0, 5e-324, u64::MAX]);
    let home = Home::new();
    home.put(".resilient_write/checkpoints/n.json", json!({"data": numbers}).to_string());
    assert_eq!(home.open().checkpoints().read("n").unwrap().data, numbers);
}

#[test]
fn a_handoff_that_lacks_facts_is_none() {
    let home = Home::new();
    home.put("HANDOFF.md", "---\ntask_id: t\nstatus: partial\nagent: a\n---\n");
    let refused = home.refused(|| home.open().read_handoff("HANDOFF.md"));
    assert_eq!(
        refused["context"]["missing_fields"],
        json!(["summary", "next_steps", "last_good_state"])
    );
}

#[test]
fn a_session_lasts_from_its_first_part_to_its_last() {
    let home = Home::new();
    let row = |ts: &str, path: &str| {
        format!(
            "{{\"bytes\":1,\"caller\":\"c\",\"journal_id\":\"wj_1\",\"mode\":\"overwrite\",\
             \"path\":\"{path}\",\"sha256\":\"{}\",\"ts\":\"{ts}\"}}\n",
            "0".repeat(64)
        )
    };
    home.put(
        ".resilient_write/journal.jsonl",
        row("2026-01-01T00:00:00Z", ".resilient_write/chunks/s/part-001.txt")
            + &row("2026-01-01T00:00:05Z", ".resilient_write/chunks/s/part-002.txt")
            + &row("2026-01-01T00:01:00Z", "out.txt"),
    );
    let report = value(home.open().analytics(None, None).unwrap());
    assert_eq!(
        report["sessions"]["s"],
        json!({
            "chunk_writes": 2, "composes": 0, "duration_seconds": 5.0,
            "first_write": "2026-01-01T00:00:00Z", "last_write": "2026-01-01T00:00:05Z",
        })
    );
}
