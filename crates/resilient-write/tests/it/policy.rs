//! The policy file: checked, shown, documented.

use resilient_core::digest::Digest;
use resilient_core::policy::{KEYS, Policy};
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

const FILE: &str = ".resilient_write/policy.yaml";
const PAGE: &str = include_str!("../../../../docs/policy.md");
const SCHEMA: &str = include_str!("../../../../spec/policy.schema.json");
const MALFORMED: &str = "policy_violation/encoding/abort";

#[test]
fn a_fault_of_the_policy_is_named_with_line_column_and_nearest_key() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(&["policy", "check", "--json"]).ok().json()["ok"], true);
    sandbox.put(FILE, "version: 1\nthresholds:\n  hihg: 0.5\n");
    let complaint = sandbox.run(&["policy", "check"]).complaint().to_owned();
    for part in ["line: 3", "column: 3", "nearest: high", "thresholds.hihg"] {
        assert!(complaint.contains(part), "{part}: {complaint}");
    }
    let context = sandbox.run(&["policy", "check", "--json"]).envelope()["context"].clone();
    assert_eq!([&context["line"], &context["column"]], [&json!(3), &json!(3)]);
    assert_eq!(context["nearest"], "high");
    // Another file, before it is put in force.
    sandbox.put("next.yaml", "model: false\n");
    sandbox.run(&["policy", "check", "next.yaml"]).ok();
    sandbox.put("next.yaml", "modle: false\n");
    let context =
        sandbox.run(&["policy", "check", "next.yaml", "--json"]).envelope()["context"].clone();
    assert_eq!(context["nearest"], "model");
    let complaint = sandbox.run(&["policy", "check", "none.yaml"]).complaint().to_owned();
    assert!(!complaint.contains("RW_POLICY_FILE"), "{complaint}");
    let none = Sandbox::new().run(&["policy", "check"]).ok().stdout;
    assert!(none.ends_with("is not there: the built-in policy holds\n"), "{none}");
}

#[test]
fn thresholds_that_leave_a_verdict_out_are_warned_of() {
    let sandbox = Sandbox::new();
    for (policy, warning) in [
        ("thresholds: {high: 2}", Some("thresholds.high is 2: scores are from 0 to 1")),
        ("thresholds: {low: -1}", Some("every text reaches it")),
        ("thresholds: {high: 0.1, low: 0.9}", Some("(0.4) is less than thresholds.low (0.9)")),
        ("thresholds: {high: 0.9}", None),
        ("disable_families: [github]", Some("is `github_pat` meant?")),
        ("allow: {patterns: [emial]}", Some("is `email` meant?")),
    ] {
        sandbox.put(FILE, policy);
        let said = sandbox.run(&["policy", "check"]).ok().stdout;
        let checked = sandbox.run(&["policy", "check", "--json"]).ok().json();
        match warning {
            Some(warning) => assert!(said.contains(warning), "{said}"),
            None => assert!(said.ends_with(": no fault found\n"), "{said}"),
        }
        assert_eq!(checked["warnings"] == json!([]), warning.is_none(), "{checked}");
        if warning.is_some() {
            let first = &checked["warnings"][0];
            assert!(first["line"] == 1 && first["column"].as_u64() > Some(10), "{checked}");
            assert!(said.contains(&format!(":1:{}: warning: ", first["column"])), "{said}");
        }
    }
}

#[test]
fn a_command_that_writes_ends_with_a_policy_that_cannot_be_used() {
    let sandbox = Sandbox::new();
    sandbox.put(FILE, "treshold: {high: 0.5}\n");
    let ran = sandbox.run(&["write", "a.txt", "--content", "x"]);
    assert!(ran.complaint().contains("nearest: thresholds"), "{ran:?}");
    // As it is: no write is taken until then, with or without --classify.
    assert!(ran.stderr.contains("no command writes while such a policy is in force"), "{ran:?}");
    assert!(!ran.stderr.contains("--classify"), "{ran:?}");
    // A server starts, and takes what is safe.
    let ran = sandbox.run(&["serve"]);
    assert!(ran.stderr.contains("until then the server refuses each write with `"), "{ran:?}");
    let sandbox = Sandbox::new().with("RW_POLICY_FILE", "none.yaml");
    let envelope = sandbox.run(&["write", "a.txt", "--content", "x", "--json"]).envelope();
    assert_eq!(envelope["context"]["reason"], "policy_not_found");
    assert!(sandbox.names().is_empty());
}

#[test]
fn a_server_says_at_its_start_that_the_policy_cannot_be_used_and_answers_so_where_it_counts() {
    let sandbox = Sandbox::new();
    sandbox.put(FILE, "treshold: {high: 0.5}\n");
    let ran = sandbox.run_with(&["serve"], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{ran:?}");
    assert!(ran.stderr.contains("treshold") && ran.stderr.contains("line: 1"), "{ran:?}");
    let mut client = sandbox.serve(&[]);
    let facts = json!({"line": 1, "column": 1, "nearest": "thresholds"});
    let judged = json!({"path": "a.txt", "content": "x", "classify": true});
    client.fails("rw_safe_write", judged.clone(), MALFORMED, facts.clone());
    client.fails("rw_risk_score", json!({"content": "x"}), MALFORMED, facts);
    client.gives("rw_safe_write", json!({"path": "a.txt", "content": "x"}), &[]);
    // It is read again when it has changed.
    sandbox.put(FILE, "thresholds: {high: 0.5}\n");
    let judged = json!({"mode": "overwrite", "path": "a.txt", "content": "x", "classify": true});
    client.gives("rw_safe_write", judged, &[]);
}

#[test]
fn what_policy_show_prints_is_a_policy_with_the_values_in_force() {
    let sandbox = Sandbox::new();
    let own = "thresholds: {high: 0.9}\nextend_patterns: {house: [{name: n, regex: 'H-\\d+'}]}\nextend_rules: [{name: r, form: 'hse_{n8}', words: [house], check: crc32_base62, named: true, dummy: [{prefix: hse_, name: d}], source: wiki}]\nmodel: false\n";
    sandbox.put(FILE, own);
    let shown = sandbox.run(&["policy", "show"]).ok().stdout;
    let (shown, own) = (Policy::parse(&shown).unwrap(), Policy::parse(own).unwrap());
    assert_eq!(format!("{shown:?}"), format!("{own:?}"));
    let all = sandbox.run(&["policy", "show", "--json"]).ok().json();
    let keys = all["policy"].as_object().unwrap().keys();
    let missing: Vec<_> = KEYS
        .iter()
        .filter(|key| {
            !key.contains('.') && **key != "version" && keys.clone().all(|shown| shown != *key)
        })
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn a_rule_has_the_columns_of_the_built_in_table() {
    let sandbox = Sandbox::new();
    let token = ["k3Jd9fQx", "7LmZt4Wb", "R8nVc2Hs"].concat();
    sandbox.put("a.txt", format!("see house/{token} now\n"));
    sandbox.put("b.txt", "token: hse_{REDACTED}\nas hse_handle, xhse_{REDACTED}\n");
    let rule = "extend_rules:\n- {name: house, form: 'house/{n24}'";
    let dummy = "{name: house_prefix, prefix: hse_}";
    sandbox.put(
        FILE,
        format!("{rule}, named: true, source: wiki.house.example, dummy: [{dummy}]}}\n"),
    );
    sandbox.run(&["policy", "check"]).ok();
    // `named`: the name stays, and the value is what the digest is of.
    let redacted = sandbox.run_with(&["redact", "-"], sandbox.text("a.txt")).stdout;
    assert_eq!(redacted, "see house/<REDACTED:api_key:1> now\n");
    // `source`: the explanation names it.
    let why = sandbox.run(&["risk", "a.txt", "--explain"]).stdout;
    for row in
        ["rule: a rule of the policy", "format: house/{n24}", "documented by: wiki.house.example"]
    {
        assert!(why.contains(&format!("\n      {row}\n")), "{why}");
    }
    // `dummy`: a prefix with a dummy behind it is a placeholder, where a word begins.
    let found = sandbox.run(&["risk", "b.txt", "--json"]).json();
    let found = found["detected_patterns"].as_array().unwrap();
    let found: Vec<_> =
        found.iter().map(|hit| (&hit["pattern"], &hit["line"], &hit["placeholder"])).collect();
    assert_eq!(found, [(&json!("house_prefix"), &json!(1), &json!(true))]);
    // Its name is one for `allow`, and its digest one of the value.
    let digest = Digest::of(token.as_bytes());
    let allow = format!("allow: {{patterns: [house_prefix], values: [{digest}]}}\n");
    sandbox.put(FILE, format!("{rule}, named: true, dummy: [{dummy}]}}\n{allow}model: false\n"));
    let checked = sandbox.run(&["policy", "check", "--json"]).ok().json();
    assert_eq!(checked["warnings"], json!([]));
    for file in ["a.txt", "b.txt"] {
        let report = sandbox.run(&["risk", file, "--json"]).ok().json();
        assert_eq!(report["detected_patterns"], json!([]), "{file}");
    }
}

#[test]
fn a_column_that_a_rule_cannot_have_is_refused_with_its_place() {
    let sandbox = Sandbox::new();
    for (columns, reason, place) in [
        ("service: [house]", "bad_value: extend_rules.service is for the built-in table", [3, 3]),
        ("sorce: x", "unknown_key: extend_rules.sorce (is `source` meant?)", [3, 3]),
        (
            "dummy: [{prefx: hse_, name: d}]",
            "unknown_key: extend_rules.dummy.prefx (is `prefix` meant?)",
            [3, 12],
        ),
        (
            "dummy: [{prefix: hs, name: d}]",
            "bad_value: extend_rules must have a `prefix` of 3",
            [1, 1],
        ),
        ("dummy: hse_", "bad_value: extend_rules must have lists of `{prefix, name}`", [1, 1]),
        ("named: 1", "bad_value: extend_rules must have true or false as `named`", [1, 1]),
        ("source: [x]", "bad_value: extend_rules must have as `source`", [1, 1]),
    ] {
        sandbox.put(FILE, format!("extend_rules:\n- {{name: house, form: 'hse_{{n24}}'}}\n- {columns}\n  name: n\n  form: 'hse_{{n8}}'\n"));
        let context = sandbox.run(&["policy", "check", "--json"]).envelope()["context"].clone();
        assert!(context["reason"].as_str().unwrap().starts_with(reason), "{context}");
        assert_eq!(
            [&context["line"], &context["column"]],
            [&json!(place[0]), &json!(place[1])],
            "{context}"
        );
    }
    // A form that begins with no name.
    sandbox.put(FILE, "extend_rules:\n- {name: n, form: '{n8}.house', named: true}\n");
    let context = sandbox.run(&["policy", "check", "--json"]).envelope()["context"].clone();
    assert!(
        context["reason"]
            .as_str()
            .unwrap()
            .starts_with("bad_form: the form of `n` must begin with text"),
        "{context}"
    );
    assert_eq!([&context["line"], &context["column"]], [&json!(2), &json!(19)], "{context}");
}

#[test]
fn the_page_and_the_schema_of_the_policy_name_the_keys_of_the_code() {
    let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let of_page: Vec<&str> = rows.map(|(key, _)| key).collect();
    assert_eq!(of_page, KEYS);

    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let mut of_schema = Vec::new();
    for (key, value) in schema["properties"].as_object().unwrap() {
        of_schema.push(key.clone());
        let inner = value["properties"].as_object();
        of_schema.extend(inner.into_iter().flatten().map(|(inner, _)| format!("{key}.{inner}")));
    }
    assert_eq!(of_schema, KEYS);
}

#[test]
fn the_schema_takes_and_refuses_what_the_code_does() {
    let schema = jsonschema::draft202012::new(&serde_json::from_str(SCHEMA).unwrap()).unwrap();
    let digest = "0".repeat(64);
    let all = json!({
        "version": 1, "thresholds": {"high": 1, "medium": 0.5, "low": null},
        "retry_budget": {"default": 0}, "disable_families": ["pii"],
        "extend_patterns": {"house": [{"name": "n", "regex": "x", "weight": 9}], "none": null},
        "extend_rules": [{"name": "n", "form": "hse_{n8}", "family": "house", "words": ["x"], "check": "crc32_base62", "named": true, "dummy": [{"prefix": "hse_", "name": "d"}], "source": "wiki"}],
        "weights": {"house": 1}, "allow": {"paths": ["a"], "patterns": [], "values": [digest]},
        "placeholders": "full", "model": false, "hard_links": "in_place", "allow_git_writes": true,
    });
    let taken =
        |policy: &Value| (schema.is_valid(policy), Policy::parse(&policy.to_string()).is_ok());
    for policy in [json!({}), Value::Null, all] {
        assert_eq!(taken(&policy), (true, true), "{policy}");
    }
    for policy in [
        json!([]),
        json!({"treshold": {}}),
        json!({"thresholds": {"hihg": 1}}),
        json!({"thresholds": {"high": "1"}}),
        json!({"thresholds": 1}),
        json!({"retry_budget": 3}),
        json!({"retry_budget": {"default": -1}}),
        json!({"retry_budget": {"default": 4_294_967_296_u64}}),
        json!({"disable_families": "pii"}),
        json!({"disable_families": [1]}),
        json!({"extend_patterns": []}),
        json!({"extend_patterns": {"a": {"name": "n", "regex": "x"}}}),
        json!({"extend_patterns": {"a": [{"name": "n"}]}}),
        json!({"extend_patterns": {"a": [{"name": "n", "regex": "x", "flags": "i"}]}}),
        json!({"extend_patterns": {"a": [{"name": "", "regex": "x"}]}}),
        json!({"extend_rules": [{"name": "n".repeat(101), "form": "hse_{n8}"}]}),
        json!({"extend_rules": {}}),
        json!({"extend_rules": [{"name": "n"}]}),
        json!({"extend_rules": [{"name": "n", "form": "hse_{n8}", "from": "x"}]}),
        json!({"extend_rules": [{"name": "n", "form": "hse_{n8}", "words": ["a b"]}]}),
        json!({"extend_rules": [{"name": "n", "form": "hse_{n8}", "named": "yes"}]}),
        json!({"extend_rules": [{"name": "n", "form": "hse_{n8}", "dummy": [{"prefix": "hs", "name": "d"}]}]}),
        json!({"extend_rules": [{"name": "n", "form": "hse_{n8}", "dummy": [{"prefix": "hse_"}]}]}),
        json!({"extend_rules": [{"name": "n", "form": "hse_{n8}", "service": ["x"]}]}),
        json!({"extend_rules": [{"name": "n", "form": "hse_{n8}", "source": 1}]}),
        json!({"weights": {"a": 2}}),
        json!({"weights": {"a": "1"}}),
        json!({"allow": {"path": []}}),
        json!({"allow": {"paths": "a"}}),
        json!({"allow": {"values": ["x"]}}),
        json!({"placeholders": "some"}),
        json!({"model": 1}),
        json!({"hard_links": "follow"}),
        json!({"allow_git_writes": "yes"}),
    ] {
        assert_eq!(taken(&policy), (false, false), "{policy}");
    }
}

#[test]
fn no_tool_writes_the_policy_that_the_operator_names() {
    let sandbox = Sandbox::new().with("RW_POLICY_FILE", "rules.yaml");
    let rules = "classify: {default: on}\n";
    sandbox.put("rules.yaml", rules);
    for path in ["rules.yaml", "./rules.yaml"] {
        let args = ["write", path, "--mode", "overwrite", "--content", "{}", "--json"];
        let refused = sandbox.run(&args).envelope();
        assert_eq!(refused["context"]["reason"], "protected_path", "{refused}");
    }
    assert_eq!(sandbox.text("rules.yaml"), rules);
}

#[cfg(unix)]
#[test]
fn a_policy_that_is_a_link_to_nothing_is_no_absent_policy() {
    let sandbox = Sandbox::new();
    sandbox.put(FILE, "");
    std::fs::remove_file(sandbox.path(FILE)).unwrap();
    std::os::unix::fs::symlink("nothing.yaml", sandbox.path(FILE)).unwrap();
    let context = sandbox.run(&["policy", "check", "--json"]).envelope()["context"].clone();
    assert_eq!(context["reason"], "policy_not_found");
}
