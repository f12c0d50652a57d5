//! `risk`.

use serde_json::{Value, json};

use crate::sandbox::{Sandbox, secrets};

#[test]
fn a_text_is_scored_from_a_file_or_standard_input() {
    let sandbox = Sandbox::new();
    sandbox.put("a.txt", secrets());
    // Four hits of api_key weigh 1.5 times 0.35, the session 0.25.
    let text = sandbox.run(&["risk", "a.txt"]).ok().stdout;
    assert!(text.starts_with("high (0.775), "), "{text}");
    assert!(text.contains("\n  line 3: jwt (jwt_triplet) ey"), "{text}");
    let report = sandbox.run_with(&["risk", "-", "--json"], "harmless\n").ok().json();
    assert_eq!(
        report,
        json!({
            "ok": true, "score": 0.0, "verdict": "safe", "bytes": 9, "line_count": 1,
            "max_line_len": 8, "detected_patterns": [], "suggested_actions": [],
            "language_hint": Value::Null, "target_path": Value::Null,
        })
    );
    let missing = sandbox.run(&["risk", "nowhere.txt", "--json"]).envelope();
    assert_eq!(missing["context"]["reason"], "not_found");
}

#[test]
fn long_lines_are_told_as_sizes() {
    let ran = Sandbox::new().run_with(&["risk", "-"], " ".repeat(2001)).ok();
    assert!(ran.stdout.contains("\n  size (long_line): 2001, at most 2000\n"), "{ran:?}");
}

#[test]
fn a_policy_file_is_taken_from_the_variable_or_the_state_directory() {
    let sandbox = Sandbox::new();
    sandbox.put("a.txt", secrets());
    sandbox.put(".resilient_write/policy.yaml", "disable_families: [jwt, api_key]\n");
    assert!(sandbox.run(&["risk", "a.txt"]).ok().stdout.starts_with("safe"));
    sandbox.put("strict.yaml", "thresholds: {high: 0.2}\n");
    let sandbox = sandbox.with("RW_POLICY_FILE", "strict.yaml");
    assert!(sandbox.run(&["risk", "a.txt"]).ok().stdout.starts_with("high"));
    sandbox.put("strict.yaml", "- not a mapping\n");
    let refused = sandbox.run(&["risk", "a.txt", "--json"]).envelope();
    assert_eq!(refused["context"]["reason"], "policy_yaml_not_mapping");
}
