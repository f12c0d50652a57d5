//! `demo`: the case study, replayed by the real binary against itself.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

#[test]
fn the_case_study_behaves_and_its_table_is_printed() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["demo", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for step in 1..=8 {
        assert!(ran.stderr.contains(&format!("[{step}/8] ")), "{ran:?}");
    }
    let result = ran.json();
    let row = |metric: &str| {
        let rows = result["table_3"].as_array().unwrap();
        let row = rows.iter().find(|row| row["metric"] == metric).unwrap();
        [&row["original"], &row["paper"], &row["this_run"]].map(Value::clone)
    };
    assert_eq!(row("write attempts"), [6, 2, 2].map(Value::from));
    assert_eq!(row("content lost"), [true, false, false].map(Value::from));
    assert_eq!(row("structured error"), [false, true, true].map(Value::from));
    assert_eq!(row("agent self-corrected"), [false, true, true].map(Value::from));
    assert_eq!(row("manual intervention"), [true, false, false].map(Value::from));

    let measured = &result["measured"];
    for (name, value) in [
        ("identical_retries", json!(5)),
        ("retries_refused_unseen", json!(2)),
        ("draft_kept", json!(true)),
        ("parts", json!(6)),
        ("kills", json!(6)),
        ("parts_lost", json!(0)),
        ("parts_resent", json!(2)),
        ("drift_noticed", json!(1)),
        ("journal_breaks", json!(0)),
    ] {
        assert_eq!(measured[name], value, "{name} in {measured}");
    }
    let count = |name: &str| measured[name].as_u64().unwrap();
    assert_eq!(count("kills_left_old") + count("kills_left_new"), 6);
    assert!(sandbox.names().is_empty(), "the demo has a workspace of its own");
}

#[test]
fn the_workspace_is_kept_when_asked() {
    let temp = Sandbox::new();
    // The demo ignores the variables of its surroundings.
    let sandbox = Sandbox::new()
        .with("TMPDIR", temp.root().to_str().unwrap())
        .with("RW_WORKSPACE", "/etc")
        .with("RW_SCRATCH_DISABLE_GET", "1");
    let text = sandbox.run(&["demo", "--keep"]).ok().stdout;
    assert!(text.contains("\n  write attempts                 6         2         2\n"), "{text}");
    let names = temp.names();
    assert_eq!(names.len(), 1, "{names:?}");
    assert!(text.contains(&format!("kept {}", temp.path(&names[0]).display())), "{text}");
    let report = temp.text(&format!("{}/report.tex", names[0]));
    assert!(report.ends_with("\\end{document}\n% proofread\n"));
    assert!(report.contains("Authorization: Bearer [redacted]\n"));
}
