//! `validate`: the command, the tool, and writes that are checked.

use serde_json::{Value, json};

use crate::sandbox::{Client, Sandbox};

const REFUSED: &str = "policy_violation/encoding/abort";
const FORBIDDEN: &str = "policy_violation/permission/abort";
const ABSENT: &str = "stale_precondition/unknown/abort";

fn served() -> (Sandbox, Client) {
    let sandbox = Sandbox::new();
    let client = sandbox.serve(&[]);
    (sandbox, client)
}

/// The lines of what a list of an answer tells.
fn lines(answer: &Value, list: &str) -> Vec<u64> {
    let items = answer[list].as_array().unwrap_or_else(|| panic!("no {list} in {answer}"));
    items.iter().map(|item| item["line"].as_u64().unwrap()).collect()
}

#[test]
fn a_valid_text_passes_and_an_invalid_one_fails_the_command() {
    let sandbox = Sandbox::new();
    sandbox.put("good.json", "{}");
    assert_eq!(sandbox.run(&["validate", "good.json"]).ok().stdout, "json: ok\n");
    sandbox.put("bad.json", "{\"key\":}");
    let ran = sandbox.run(&["validate", "bad.json"]);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.stdout, "bad.json:1:8: error: Expecting value\njson: 1 error(s)\n");
    let ran = sandbox.run(&["validate", "bad.json", "--json"]);
    assert_eq!((ran.code, &ran.json()["valid"]), (1, &false.into()));
}

#[test]
fn a_wrong_command_line_names_what_the_help_has() {
    let sandbox = Sandbox::new();
    for command in ["validate", "risk"] {
        let ran = sandbox.run(&[command]);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains("pass - as FILE for standard input"), "{ran:?}");
        assert!(ran.stderr.contains("'--content'"), "{ran:?}");
    }
    let ran = sandbox.run(&["write", "a.txt", "--expected", "x"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("'--expected-prev-sha256'"), "{ran:?}");
    let ran = sandbox.run(&["chunk", "compose", "s", "a.txt", "--expected", "x"]);
    assert!(ran.stderr.contains("'--expected-prev-sha256'"), "{ran:?}");
}

#[test]
fn the_format_can_be_told() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run_with(&["validate", "-"], "x = 1");
    assert_eq!(ran.ok().stdout, "unknown: not checked\n");
    let ran = sandbox.run_with(&["validate", "-", "--format", "python"], "def foo(");
    assert_eq!(ran.code, 1);
    let ran = sandbox.run_with(&["validate", "-", "--format", "latex"], "\\begin{itemize}\n");
    assert!(ran.stdout.contains("error: \\begin{itemize} never closed\n"), "{ran:?}");
    assert_eq!(sandbox.run(&["validate", "-", "--format", "cobol"]).code, 2);
}

#[test]
fn the_command_takes_a_session_or_a_draft_in_place_of_a_file() {
    let sandbox = Sandbox::new();
    sandbox.run_with(&["chunk", "append", "s"], "{\"a\": ").ok();
    sandbox.run_with(&["chunk", "append", "s"], "}").ok();
    let ran = sandbox.run(&["validate", "--session", "s"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (1, "s:1:7: error: Expecting value\njson: 1 error(s)\n")
    );
    assert_eq!(sandbox.run(&["risk", "--session", "s"]).code, 0);
    let kept = sandbox.run_with(&["--json", "scratch", "put"], "[1,]").ok().json();
    let sha256 = kept["sha256"].as_str().unwrap();
    assert_eq!(sandbox.run(&["validate", "--draft", sha256]).code, 1);
    assert_eq!(sandbox.run(&["risk", "--draft", sha256]).code, 0);
    for both in [["a", "--session", "s"], ["a", "--draft", sha256]] {
        assert_eq!(sandbox.run(&[&["validate"], &both[..]].concat()).code, 2);
        assert_eq!(sandbox.run(&[&["risk"], &both[..]].concat()).code, 2);
    }
    assert_eq!(sandbox.run(&["validate"]).code, 2);
    let sealed = sandbox.with("RW_SCRATCH_DISABLE_GET", "1");
    for command in ["validate", "risk"] {
        let ran = sealed.run(&[command, "--draft", sha256]);
        assert!(ran.code > 0 && ran.stderr.contains("switched off"), "{ran:?}");
    }
}

#[test]
fn a_text_is_taken_from_exactly_one_source() {
    let (sandbox, mut client) = served();
    sandbox.put("a.py", "return 1\n");
    client.gives("rw_chunk_append", json!({"session": "s", "content": "[1,"}), &[]);
    client.gives("rw_chunk_append", json!({"session": "s", "content": "]"}), &[]);
    let kept = client.gives("rw_scratch_put", json!({"content": "{\"a\" 1}"}), &[]);
    let draft = kept["sha256"].clone();
    for (source, format) in [
        (json!({"content": "[}"}), "json"),
        (json!({"path": "a.py"}), "python"),
        (json!({"session": "s"}), "json"),
        (json!({"draft_sha256": draft}), "json"),
    ] {
        let report = client.gives("rw_validate", source.clone(), &["summary"]);
        assert_eq!((&report["valid"], &report["format"]), (&json!(false), &json!(format)));
        let scored = client.gives("rw_risk_score", source, &["score"]);
        assert_eq!(scored["verdict"], "safe");
    }
    let scored = client.gives("rw_risk_score", json!({"session": "s"}), &[]);
    assert_eq!(scored["bytes"], 4);
    let hinted = client.gives("rw_validate", json!({"path": "a.py", "format_hint": "toml"}), &[]);
    assert_eq!(hinted["format"], "toml");

    let one_of = json!({"reason": "one_of_content_path_session_draft_sha256"});
    for tool in ["rw_validate", "rw_risk_score"] {
        client.fails(
            tool,
            json!({"content": "", "path": "a.py"}),
            "policy_violation/encoding/retry_later",
            one_of.clone(),
        );
        client.fails(
            tool,
            json!({"session": "s", "draft_sha256": draft}),
            "policy_violation/encoding/retry_later",
            one_of.clone(),
        );
        client.fails(tool, json!({}), "policy_violation/encoding/retry_later", one_of.clone());
        client.fails(tool, json!({"path": "none"}), ABSENT, json!({"reason": "not_found"}));
        client.fails(
            tool,
            json!({"session": "none"}),
            ABSENT,
            json!({"reason": "no_chunks_found"}),
        );
        let absent = json!({"draft_sha256": "0".repeat(64)});
        client.fails(tool, absent, ABSENT, json!({"reason": "not_found"}));
        let state = format!(".resilient_write/scratch/{}.bin", draft.as_str().unwrap());
        let protected = json!({"reason": "protected_path"});
        client.fails(tool, json!({"path": state}), FORBIDDEN, protected);
    }
}

#[test]
fn a_sealed_scratchpad_gives_no_draft_to_a_check() {
    let sandbox = Sandbox::new().with("RW_SCRATCH_DISABLE_GET", "1");
    let mut client = sandbox.serve(&[]);
    let kept = client.gives("rw_scratch_put", json!({"content": "[1,"}), &[]);
    for tool in ["rw_validate", "rw_risk_score"] {
        let arguments = json!({"draft_sha256": kept["sha256"]});
        client.fails(tool, arguments, FORBIDDEN, json!({"reason": "scratch_get_disabled"}));
    }
}

#[test]
fn a_blocked_draft_is_checked_as_the_file_that_it_was_for() {
    let (_sandbox, mut client) = served();
    let content = format!("return '''{}'''\n", crate::sandbox::secrets());
    let write = json!({"path": "a.py", "content": content, "classify": true});
    let refused = client.fails("rw_safe_write", write, "blocked/content_filter/redact", json!({}));
    let draft = refused["context"]["draft_sha256"].clone();
    let report = client.gives("rw_validate", json!({"draft_sha256": draft}), &[]);
    assert_eq!((&report["format"], &report["valid"]), (&json!("python"), &json!(false)));
}

#[test]
fn all_faults_of_a_text_are_answered_and_those_beyond_the_limit_are_counted() {
    let (_sandbox, mut client) = served();
    for (format, text, expected) in [
        ("json", "{\n\"a\": nul,\n\"b\": 1,\n\"c\" 2}\n", &[2, 4][..]),
        ("jsonl", "{}\n{\n1\n[1,]\n", &[2, 4]),
        ("python", "x = = 1\ny = 2\nz = +\n", &[1, 3]),
        ("yaml", "a: b: c\nd: 1\ne: @x\n", &[1, 3]),
        ("toml", "a = \nb = 1\nc 2\n", &[1, 3]),
        ("latex", "{\n\\end{a}\n", &[1, 2]),
    ] {
        let report =
            client.gives("rw_validate", json!({"content": text, "format_hint": format}), &[]);
        let errors: Vec<u64> = report["errors"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|item| item["severity"] == "error")
            .map(|item| item["line"].as_u64().unwrap())
            .collect();
        assert_eq!(errors, expected, "{format}: {report}");
        assert_eq!(report.get("omitted"), None);
    }
    let flood = format!("[{}1]", "x,".repeat(1_000));
    let report = client.gives("rw_validate", json!({"content": flood}), &[]);
    assert_eq!((report["errors"].as_array().unwrap().len(), &report["omitted"]), (50, &json!(950)));
    assert_eq!(report["summary"], "json: 1000 error(s)");
}

#[test]
fn what_python_takes_in_json_and_others_do_not_is_a_warning() {
    let (_sandbox, mut client) = served();
    let arguments = json!({"content": "{\"a\": NaN,\n\"a\": Infinity}"});
    let report = client.gives("rw_validate", arguments, &[]);
    assert_eq!((&report["valid"], &report["errors"]), (&json!(true), &json!([])));
    assert_eq!(lines(&report, "warnings"), [1, 2, 2]);
    assert_eq!(report["summary"], "json: 3 warning(s)");
}

#[test]
fn what_cpython_refuses_to_compile_is_refused() {
    let (_sandbox, mut client) = served();
    for text in [
        "return 1\n",
        "def f():\n    await x\n",
        "yield\n",
        "break\n",
        "nonlocal x\n",
        "def f(a, a): pass\n",
    ] {
        let report =
            client.gives("rw_validate", json!({"content": text, "target_path": "a.py"}), &[]);
        assert_eq!(report["valid"], false, "{text:?}");
    }
}

#[test]
fn each_line_of_json_lines_is_checked() {
    let (sandbox, mut client) = served();
    sandbox.put("log.jsonl", "{\"a\": 1}\n[1,]\n\n{\"b\": }\n");
    let report = client.gives("rw_validate", json!({"path": "log.jsonl"}), &[]);
    assert_eq!(report["format"], "jsonl");
    assert_eq!((lines(&report, "errors"), lines(&report, "warnings")), (vec![2, 4], vec![3]));
}

#[test]
fn mathematics_that_does_not_end_is_told() {
    let (_sandbox, mut client) = served();
    let text = "a $x\n\nb \\(y\n\n$\\left( z$\n";
    let report = client.gives("rw_validate", json!({"content": text, "format_hint": "latex"}), &[]);
    let errors: Vec<&Value> = report["errors"].as_array().unwrap().iter().collect();
    let lines: Vec<&Value> = errors.iter().map(|item| &item["line"]).collect();
    assert_eq!(lines[..3], [&json!(1), &json!(3), &json!(5)]);
}

#[test]
fn a_text_that_nobody_can_check_is_not_said_to_be_valid() {
    let (_sandbox, mut client) = served();
    let arguments = json!({"content": "hello", "target_path": "a.txt"});
    let report = client.gives("rw_validate", arguments, &[]);
    assert_eq!(
        (&report["valid"], &report["format"], &report["errors"], &report["summary"]),
        (&json!(null), &json!("unknown"), &json!([]), &json!("unknown: not checked"))
    );
    assert!(report["note"].as_str().unwrap().starts_with("Not checked: "));
}

#[test]
fn a_checked_write_refuses_a_text_with_faults_and_changes_nothing() {
    let (sandbox, mut client) = served();
    let bad = json!({"path": "a.json", "content": "{\n\"a\": 1,\n}", "validate": true});
    let facts = json!({"path": "a.json", "reason": "invalid_syntax", "format": "json"});
    let refused = client.fails("rw_safe_write", bad, REFUSED, facts);
    assert_eq!(lines(&refused["context"], "errors"), [2]);
    assert!(refused["context"]["hint"].as_str().unwrap().starts_with("nothing was written"));
    assert!(!sandbox.names().contains(&"a.json".to_owned()));

    let good = json!({"path": "a.json", "content": "[1]\n", "validate": true});
    let written = client.gives("rw_safe_write", good, &["sha256"]);
    assert_eq!((&written["valid"], &written["format"]), (&json!(true), &json!("json")));
    let append = json!({"path": "a.json", "content": "[2]\n", "mode": "append", "validate": true});
    client.fails("rw_safe_write", append, REFUSED, json!({"reason": "invalid_syntax"}));
    let replace =
        json!({"path": "a.json", "old_string": "]", "new_string": ",]", "validate": true});
    client.fails("rw_safe_replace", replace, REFUSED, json!({"reason": "invalid_syntax"}));
    assert_eq!(sandbox.text("a.json"), "[1]\n");
    let replace =
        json!({"path": "a.json", "old_string": "1", "new_string": "NaN", "validate": true});
    let replaced = client.gives("rw_safe_replace", replace, &["replacements"]);
    assert_eq!((&replaced["valid"], lines(&replaced, "warnings")), (&json!(true), vec![1]));

    // Who does not ask for it is not checked, and not told.
    let unasked = json!({"path": "b.json", "content": "{"});
    assert_eq!(client.gives("rw_safe_write", unasked, &[]).get("valid"), None);
}

#[test]
fn a_checked_append_to_a_long_file_looks_at_the_whole() {
    let (sandbox, mut client) = served();
    sandbox.put("log.jsonl", "{\"line\": 1}\n".repeat(10_000));
    let append = |content: &str| json!({"path": "log.jsonl", "content": content, "mode": "append", "validate": true});
    let facts = json!({"reason": "invalid_syntax"});
    let refused = client.fails("rw_safe_write", append("{\"line\": }\n"), REFUSED, facts);
    assert_eq!(lines(&refused["context"], "errors"), [10_001]);
    assert_eq!(client.gives("rw_safe_write", append("[]\n"), &[])["valid"], true);
    assert!(sandbox.text("log.jsonl").ends_with("}\n[]\n"));
}

#[test]
fn a_checked_compose_refuses_a_text_with_faults_and_keeps_the_parts() {
    let (sandbox, mut client) = served();
    sandbox.put("a.py", "old = 1\n");
    for part in ["def f(a):\n", "return a\n"] {
        client.gives("rw_chunk_append", json!({"session": "s", "content": part}), &[]);
    }
    let compose = json!({"session": "s", "output_path": "a.py", "cleanup": true, "validate": true});
    let refused =
        client.fails("rw_chunk_compose", compose.clone(), REFUSED, json!({"path": "a.py"}));
    assert_eq!(lines(&refused["context"], "errors"), [2]);
    assert_eq!(sandbox.text("a.py"), "old = 1\n");
    let mended = json!({"session": "s", "index": 2, "content": "    return a\n"});
    client.gives("rw_chunk_write", mended, &[]);
    let composed = client.gives("rw_chunk_compose", compose, &["sha256"]);
    assert_eq!((&composed["valid"], &composed["format"]), (&json!(true), &json!("python")));
    assert_eq!(sandbox.text("a.py"), "def f(a):\n    return a\n");
}

#[test]
fn a_checked_write_goes_on_where_nobody_can_check_and_says_so() {
    let (sandbox, mut client) = served();
    let note = json!({"path": "a.txt", "content": "[todo] {", "validate": true});
    let written = client.gives("rw_safe_write", note, &["note"]);
    assert_eq!((&written["valid"], &written["format"]), (&json!(null), &json!("unknown")));
    assert_eq!(sandbox.text("a.txt"), "[todo] {");
}

#[test]
fn the_commands_that_write_check_when_asked() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run_with(&["write", "a.toml", "--validate"], "a = \n");
    assert_eq!(ran.code, 6);
    assert!(ran.stderr.contains("next: abort - nothing was written"), "{ran:?}");
    let ran = sandbox.run_with(&["write", "a.toml", "--validate"], "a = 1\n").ok();
    assert!(ran.stdout.contains("  syntax   toml: ok\n"), "{ran:?}");
    let replace = ["replace", "a.toml", "--old", "1", "--new", "", "--validate"];
    assert_eq!(sandbox.run(&replace).code, 6);
    sandbox.run_with(&["chunk", "append", "s"], "b 2").ok();
    assert_eq!(sandbox.run(&["chunk", "compose", "s", "a.toml", "--validate"]).code, 6);
    assert_eq!(sandbox.text("a.toml"), "a = 1\n");
}
