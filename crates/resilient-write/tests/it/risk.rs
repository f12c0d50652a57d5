//! `risk`.

use serde_json::{Value, json};

use crate::sandbox::{Sandbox, assert_envelope, secrets};

#[test]
fn a_text_is_scored_from_a_file_or_standard_input() {
    let sandbox = Sandbox::new();
    sandbox.put("a.txt", secrets());
    // Four hits of api_key weigh 1.5 times 0.35, the session 0.25.
    let ran = sandbox.run(&["risk", "a.txt"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    let text = ran.stdout;
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
    let ran = sandbox.run(&["risk", "nowhere.txt", "--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (8, ""));
    let missing = ran.json();
    assert_envelope(&missing);
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
    assert!(sandbox.run(&["risk", "a.txt"]).stdout.starts_with("high"));
    sandbox.put("strict.yaml", "- not a mapping\n");
    let ran = sandbox.run(&["risk", "a.txt", "--json"]);
    assert_eq!(ran.code, 6);
    assert_eq!(ran.json()["context"]["reason"], "policy_yaml_not_mapping");
}

/// A token of a known form.
fn token() -> String {
    ["gh", "p_", &"k3Jd9f".repeat(6)].concat()
}

/// A tree with a secret, an address, an ignored secret, a binary file and plain text.
fn tree() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.put("src/a b.py", format!("x = 1\nkéy = \"{}\"\n", token()));
    sandbox.put("docs/who.txt", "mail jane@example.com\n");
    sandbox.put(".env", "PLAIN=1\n");
    sandbox.put("target/out.txt", token());
    sandbox.put(".gitignore", "target/\n");
    sandbox.put("logo.bin", b"\x00\x01");
    sandbox.put(".git/config", token());
    sandbox
}

#[test]
fn a_tree_is_scanned_without_what_is_ignored() {
    let sandbox = tree();
    let ran = sandbox.run(&["risk", "."]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{ran:?}");
    assert_eq!(
        ran.stdout,
        "docs/who.txt:1:6: medium: pii (email) jane…\n\
         logo.bin: low: skipped: binary\n\
         src/a b.py:2:8: high: github_pat (ghp) ghp_…\n\
         4 files, 94 bytes: 1 high, 1 medium, 1 low; 1 skipped, 0 not read\n"
    );
    let all = sandbox.run(&["risk", ".", "--no-ignore"]);
    assert!(all.stdout.contains("target/out.txt:1:1: high: "), "{all:?}");
    assert!(!all.stdout.contains(".git/config"));
}

#[test]
fn the_exit_status_is_for_machines() {
    let sandbox = tree();
    for (args, code) in [
        (&["risk", "docs", "src"][..], 1),
        (&["risk", "docs", ".env"], 0),
        (&["risk", "docs", ".env", "--fail-on", "medium"], 1),
        (&["risk", "docs", "src", "--fail-on", "never"], 0),
        (&["risk", ".env", "nowhere"], 8),
        (&["risk", "src", "nowhere"], 8),
        (&["risk"], 2),
    ] {
        assert_eq!(sandbox.run(args).code, code, "{args:?}");
    }
    let wide: Vec<u8> = token().bytes().flat_map(|byte| [byte, 0, 0, 0]).collect();
    sandbox.put("wide/a.txt", [&b"\xff\xfe\0\0"[..], &wide].concat());
    sandbox.put("bare.txt", &wide);
    // Nobody has looked at what is skipped, be it alone or not.
    for (args, code) in [
        (&["risk", "logo.bin", ".env"][..], 0),
        (&["risk", "logo.bin", ".env", "--fail-on", "low"], 1),
        (&["risk", "wide", "--fail-on", "low"], 1),
        (&["risk", "wide", "--fail-on", "medium"], 0),
        (&["risk", "wide/a.txt"], 0),
        (&["risk", "wide/a.txt", "--fail-on", "low"], 1),
        (&["risk", "wide/a.txt", "--fail-on", "low", "--json"], 1),
        (&["risk", "bare.txt", "--fail-on", "low"], 1),
        (&["redact", "wide/a.txt"], 6),
    ] {
        assert_eq!(sandbox.run(args).code, code, "{args:?}");
    }
    assert!(
        sandbox.run(&["risk", "wide"]).stdout.starts_with("wide/a.txt: low: skipped: UTF-32\n")
    );
    assert!(
        sandbox.run(&["risk", "bare.txt"]).stdout.starts_with("bare.txt: low: skipped: UTF-32\n")
    );
    assert!(sandbox.run(&["redact", "bare.txt"]).stderr.contains("iconv -f utf-32"));
    let both = sandbox.run(&["risk", "src", "--format", "text", "--json"]);
    assert_eq!(both.stdout, sandbox.run(&["risk", "src", "--json"]).stdout);
    sandbox.put(".resilient_write/policy.yaml", "allow: {paths: ['src/**']}\n");
    let ran = sandbox.run(&["risk", "src", "docs", "--fail-on", "high"]);
    assert_eq!(ran.code, 0);
    assert_eq!(sandbox.run(&["risk", "src", "--fail-on", "low"]).code, 0, "allowed is no unknown");
    assert!(ran.stdout.contains("src/a b.py: skipped: allowed by the policy\n"), "{ran:?}");
}

/// Before, a file in Latin-1 was an error alone, and text behind a NUL was not scanned.
#[test]
fn a_file_is_scanned_in_its_encoding_alone_and_beside_others() {
    let sandbox = Sandbox::new();
    let line = format!("un caf\u{e9} noir\nkey = \"{}\"\n", token());
    let latin: Vec<u8> = line.chars().map(|char| u8::try_from(u32::from(char)).unwrap()).collect();
    let wide: Vec<u8> = line.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (name, bytes) in [
        ("latin.txt", latin),
        ("wide.txt", wide.clone()),
        ("marked.txt", [b"\xff\xfe".to_vec(), wide].concat()),
        ("nul.txt", [b"a\0b\n", line.as_bytes()].concat()),
    ] {
        sandbox.put(name, &bytes);
        for args in
            [&["risk", name, "--fail-on", "low"][..], &["risk", name, "b.txt", "--fail-on", "low"]]
        {
            sandbox.put("b.txt", "plain\n");
            let ran = sandbox.run(args);
            assert!(ran.code == 1 && ran.stdout.contains("github_pat"), "{args:?}: {ran:?}");
        }
    }
}

#[test]
fn the_policy_lets_a_file_pass_however_it_is_named() {
    let sandbox = Sandbox::new();
    let code = |cwd: &str, args: &[&str]| {
        sandbox.run_in(&sandbox.path(cwd), &[&["risk"], args].concat(), "").code
    };
    let text = format!("key = \"{}\"\n", token());
    for path in ["in/P.cs", "in/sub/P.cs", "in/Q.cs", "beside/a.cs", "beside/P.cs"] {
        sandbox.put(path, &text);
    }
    sandbox.put("in/.resilient_write/policy.yaml", "allow: {paths: [P.cs]}\n");
    sandbox.put("beside/.resilient_write/policy.yaml", "allow: {paths: ['**/a.cs']}\n");
    let absolute = |path: &str| sandbox.path(path).to_str().unwrap().to_owned();
    let root = absolute("in");
    // One file is scored, and several are scanned.
    for more in [&[][..], &["--format", "text"]] {
        for (cwd, path, of) in [
            ("in", "P.cs".to_owned(), 0),
            ("in", "./P.cs".to_owned(), 0),
            ("in", "sub/../P.cs".to_owned(), 0),
            ("in", absolute("in/P.cs"), 0),
            ("in", absolute("in/Q.cs"), 1),
            ("in", "sub/P.cs".to_owned(), 1),
            ("in", absolute("beside/P.cs"), 1),
        ] {
            assert_eq!(code(cwd, &[&[path.as_str()], more].concat()), of, "{path} {more:?}");
        }
        let elsewhere = |path: &str| code("beside", &[&["-w", &root, path], more].concat());
        assert_eq!(elsewhere(&absolute("in/P.cs")), 0);
        assert_eq!(elsewhere("../in/P.cs"), 0);
        assert_eq!(elsewhere("P.cs"), 1, "that is another file");
        assert_eq!(code("beside", &[&["./a.cs"], more].concat()), 0);
    }
    let ran = sandbox.run_in(&sandbox.path("in"), &["risk", &root], "");
    assert!(ran.stdout.contains("in/P.cs: skipped: allowed by the policy\n"), "{ran:?}");
    #[cfg(unix)]
    {
        // What a link leads to counts.
        std::os::unix::fs::symlink("Q.cs", sandbox.path("in/link.cs")).unwrap();
        std::os::unix::fs::symlink("P.cs", sandbox.path("in/other.cs")).unwrap();
        assert_eq!((code("in", &["link.cs"]), code("in", &["other.cs"])), (1, 0));
    }
}

#[test]
fn a_tree_is_reported_as_json() {
    let sandbox = tree();
    let ran = sandbox.run(&["risk", ".", "--format", "json"]);
    let report = ran.json();
    assert_eq!(
        report["files"][1]["findings"],
        json!([{
            "kind": "github_pat", "pattern": "ghp", "placeholder": false, "via": [], "level": "high",
            "line": 2, "col": 8, "end_line": 2, "end_col": 48, "start": 14, "end": 54,
        }])
    );
    assert_eq!(report["skipped"], json!([{"path": "logo.bin", "reason": "binary"}]));
    assert_eq!(
        report["summary"],
        json!({"files": 4, "bytes": 94, "high": 1, "medium": 1, "low": 0})
    );
    assert_eq!(ran.stdout, sandbox.run(&["risk", "src", "docs", ".", "--json"]).stdout);
}

#[test]
fn a_tree_is_reported_as_sarif() {
    let sandbox = tree();
    let log = sandbox.run(&["risk", "src", "docs", "logo.bin", "--format", "sarif"]).json();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert_eq!((rules.len(), results.len()), (2, 2));
    for result in results {
        let nth = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[nth]["id"], result["ruleId"]);
    }
    for rule in rules {
        // What code scanning services demand from each rule, beside what the format does.
        for text in ["shortDescription", "fullDescription", "help"] {
            assert!(!rule[text]["text"].as_str().unwrap().is_empty(), "{rule}");
        }
    }
    let secret = &results[1];
    assert_eq!((&secret["ruleId"], &secret["level"]), (&json!("github_pat/ghp"), &json!("error")));
    assert_eq!(
        secret["locations"][0]["physicalLocation"],
        json!({
            "artifactLocation": {"uri": "src/a%20b.py", "uriBaseId": "%SRCROOT%"},
            "region": {
                "startLine": 2, "startColumn": 8, "endLine": 2, "endColumn": 48,
                "byteOffset": 14, "byteLength": 40,
            },
        })
    );
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    let text = log.to_string();
    assert!(!text.contains("k3Jd9f") && !text.contains("jane"), "no part of a secret: {text}");
    // Lines that move do not make a finding new.
    let prints = |log: &Value| log["runs"][0]["results"][0]["partialFingerprints"].clone();
    let before = prints(&sandbox.run(&["risk", "src", "--format", "sarif"]).json());
    sandbox.put("src/a b.py", format!("\n\n\nkey = \"{}\"\n", token()));
    assert_eq!(prints(&sandbox.run(&["risk", "src", "--format", "sarif"]).json()), before);
}

#[test]
fn each_finding_is_explained() {
    let sandbox = tree();
    let text = sandbox.run(&["risk", "src", "--explain"]).stdout;
    assert!(text.contains("\n      rule: "), "{text}");
    assert!(text.contains("\n      checksum: crc32 "), "{text}");
    assert!(text.contains(" bits for each of 40 bytes\n"), "{text}");
    assert!(text.contains("\n      weight: 0.35, adds 0.35 to the score: high\n"), "{text}");
    let one = sandbox.run(&["risk", "src/a b.py", "--explain"]).stdout;
    assert!(one.contains("\n      weight: 0.35, "), "{one}");
    let why = sandbox.run(&["risk", "src", "--explain", "--format", "json"]).json();
    assert_eq!(why["files"][0]["findings"][0]["why"]["weight"], 0.35);
}
