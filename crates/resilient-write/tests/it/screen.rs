//! The screen in front of every tool that writes, and what is kept out of the tree.

use serde_json::{Value, json};

use crate::sandbox::{Sandbox, secrets};

/// One real-shaped key: its level is high, and its score is not.
fn key() -> String {
    ["gh", "p_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat()
}

fn strict() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.put(".resilient_write/policy.yaml", "classify: {default: on, reject: secrets}\n");
    sandbox.put("a.txt", "old\n");
    sandbox
}

fn handoff(summary: &str) -> Value {
    json!({
        "task_id": "t", "status": "partial", "agent": "a", "summary": summary, "next_steps": [],
        "last_good_state": [],
    })
}

const BLOCKED: &str = "blocked/content_filter/redact";

#[test]
fn the_policy_has_every_tool_refuse_a_single_secret_and_count_retries() {
    let sandbox = strict();
    let mut client = sandbox.serve(&[]);
    let secret = key();
    for (tool, arguments) in [
        ("rw_safe_write", json!({"path": "b.txt", "content": &secret})),
        ("rw_safe_replace", json!({"path": "a.txt", "old_string": "old", "new_string": &secret})),
        ("rw_chunk_write", json!({"session": "s", "index": 1, "content": &secret})),
        ("rw_chunk_append", json!({"session": "s", "content": &secret})),
        ("rw_handoff_write", json!({"envelope": handoff(&secret)})),
        ("rw_checkpoint", json!({"name": "c", "data": {"token": &secret}})),
    ] {
        for left in [3, 2] {
            let context = json!({"reason": "secret_found"});
            let refused = client.fails(tool, arguments.clone(), BLOCKED, context);
            assert_eq!(refused["retry_budget"], left, "{tool}");
            assert!(refused["context"]["draft_sha256"].is_string(), "{tool}");
        }
    }
    assert_eq!(sandbox.text("a.txt"), "old\n");
    assert!(!sandbox.path("HANDOFF.md").exists() && !sandbox.path("b.txt").exists());
}

/// One key of each of fourteen kinds, as it is issued, in parts: a scanner must not take this file for a leak.
fn keys() -> Vec<(&'static str, String)> {
    let keys: [(&str, &[&str]); 14] = [
        ("github", &["gh", "p_", "16C7e42F292c6912E7710c838347Ae178B4a"]),
        (
            "anthropic",
            &[
                "sk-",
                "ant-",
                "api03-",
                "Zx3vT9qLm2Kd8Rb5Wn7Yc1Hf4Jg6Ps0UoXe-AiQyBwDtGzVuIkMl",
                "NrEhFaCjSpOTq5W8x2B7v9n4L1k6P3dR0m-hQfJtZwAA",
            ],
        ),
        (
            "openai",
            &[
                "sk-",
                "proj-",
                "T8vKq2Zm5Xr9Lb3Nf7Wd1Yh4",
                "T3Blbk",
                "FJ",
                "Pc6Gs0Uj8Ea2Ro5It9Mw3Kv7",
            ],
        ),
        ("aws", &["AK", "IA", "Q7XZ3MPLW5TRN2KD"]),
        ("slack", &["xo", "xb-", "283746512345-", "283746598765-", "kT9wLq3Vx7Zb2Nm5Rd8Yf1Hc"]),
        ("stripe", &["sk_", "live_", "4eC39HqLyjWDarjtT1zdp7dc"]),
        (
            "jwt",
            &[
                "ey",
                "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
                ".ey",
                "JzdWIiOiI4Mzc0NjUxMiIsIm5hbWUiOiJLYXJsYSJ9",
                ".",
                "kP3xVn8QzL5tWr2YbH7mDc9JfGsA4uEo6TiXqR1NwKc",
            ],
        ),
        ("npm", &["np", "m_", "f8Kq2Zm5Xr9Lb3Nf7Wd1Yh4Tc6Gs0Uj8Ea2R"]),
        ("gitlab", &["gl", "pat-", "x7Kq2Zm5Xr9Lb3Nf7Wd1"]),
        ("postgres", &["postgres", "://app:", "k9Xr2Lb7Nf4W", "@db.prod.acme.io:5432/app"]),
        ("google", &["AI", "za", "SyD8kQ2Zm5Xr9Lb3Nf7Wd1Yh4Tc6Gs0Uj8E"]),
        (
            "sendgrid",
            &[
                "S",
                "G.",
                "ngeVfQFYQlKU0ufo8x5d1A",
                ".",
                "TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr",
            ],
        ),
        (
            "private key",
            &[
                "-----BEGIN ",
                "RSA PRIVATE",
                " KEY-----\n",
                "MIIEpAIBAAKCAQEA7Kq2Zm5Xr9Lb3Nf7Wd1Yh4Tc6Gs0Uj8Ea2Ro5It9Mw3Kv7\n",
                "-----END ",
                "RSA PRIVATE",
                " KEY-----",
            ],
        ),
        ("hugging face", &["hf", "_", "kTqZmXrLbNfWdYhTcGsUjEaRoItMwKvPxB"]),
    ];
    keys.into_iter().map(|(name, parts)| (name, parts.concat())).collect()
}

#[test]
fn a_single_key_of_every_kind_is_refused_on_every_way_in() {
    let sandbox = Sandbox::new();
    sandbox.put("a.txt", "old\n");
    // Parts that were kept before the policy asks for a check.
    let mut client = sandbox.serve(&[]);
    for (number, (_, key)) in keys().iter().enumerate() {
        let halves = key.split_at(key.len() / 2);
        for half in [format!("token = \"{}", halves.0), format!("{}\"\n", halves.1)] {
            let session = format!("s{number}");
            client.gives("rw_chunk_append", json!({"session": session, "content": half}), &[]);
        }
    }
    drop(client);
    sandbox.put(".resilient_write/policy.yaml", "classify: {default: on, reject: secrets}\n");
    let mut client = sandbox.serve(&[]);
    for (number, (name, key)) in keys().iter().enumerate() {
        let text = format!("token = \"{key}\"\n");
        let session = format!("s{number}");
        for (tool, arguments) in [
            ("rw_safe_write", json!({"path": "b.txt", "content": &text})),
            ("rw_safe_replace", json!({"path": "a.txt", "old_string": "old", "new_string": &text})),
            ("rw_chunk_write", json!({"session": "t", "index": 1, "content": &text})),
            ("rw_chunk_append", json!({"session": "t", "content": &text})),
            ("rw_chunk_compose", json!({"session": session, "output_path": "c.txt"})),
            ("rw_handoff_write", json!({"envelope": handoff(&text)})),
            ("rw_checkpoint", json!({"name": "c", "data": {"token": key}})),
        ] {
            let refused = client.fails(tool, arguments, BLOCKED, json!({}));
            assert!(!refused.to_string().contains(&key[..]), "{tool}, {name}: {refused}");
        }
        // The scratchpad is the place for secrets; its answer has none.
        let put = client.gives("rw_scratch_put", json!({"content": &text}), &["sha256"]);
        assert!(!put.to_string().contains(&key[..]), "{name}: {put}");
    }
    assert_eq!(sandbox.text("a.txt"), "old\n");
    for path in ["b.txt", "c.txt", "HANDOFF.md", ".resilient_write/checkpoints/c.json"] {
        assert!(!sandbox.path(path).exists(), "{path}");
    }
}

#[test]
fn a_call_says_on_every_way_in_from_which_verdict_on_its_text_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.put("a.txt", "old\n");
    let mut client = sandbox.serve(&[]);
    client.gives("rw_chunk_append", json!({"session": "c", "content": key()}), &[]);
    let secret = key();
    for (tool, arguments) in [
        ("rw_safe_write", json!({"path": "b.txt", "content": &secret})),
        ("rw_safe_replace", json!({"path": "a.txt", "old_string": "old", "new_string": &secret})),
        ("rw_chunk_write", json!({"session": "s", "index": 1, "content": &secret})),
        ("rw_chunk_append", json!({"session": "t", "content": &secret})),
        ("rw_chunk_compose", json!({"session": "c", "output_path": "c.txt"})),
        ("rw_handoff_write", json!({"envelope": handoff(&secret)})),
        ("rw_checkpoint", json!({"name": "c", "data": {"token": &secret}})),
    ] {
        let with = |classify: bool, from: Option<&str>| {
            let mut arguments = arguments.clone();
            arguments["classify"] = classify.into();
            if let Some(from) = from {
                arguments["classify_reject_at"] = from.into();
            }
            arguments
        };
        let at_low = json!({"verdict": "low", "classify_reject_at": "low"});
        client.fails(tool, with(true, Some("low")), BLOCKED, at_low);
        // One token is below the other thresholds, of which the higher one holds if none is named.
        for (classify, from) in [(true, Some("medium")), (false, Some("low")), (true, None)] {
            client.gives(tool, with(classify, from), &[]);
            sandbox.put("a.txt", "old\n");
            let _ = std::fs::remove_file(sandbox.path("b.txt"));
        }
        let refused = "policy_violation/encoding/retry_later";
        client.fails(tool, with(true, Some("safe")), refused, json!({}));
        // Where the policy has every write checked, the verdict of the call counts without more.
        sandbox.put(".resilient_write/policy.yaml", "classify: {default: on}\n");
        let at_low = json!({"verdict": "low", "classify_reject_at": "low"});
        client.fails(tool, with(false, Some("low")), BLOCKED, at_low);
        sandbox.put(".resilient_write/policy.yaml", "{}\n");
    }
}

#[test]
fn a_write_that_passes_answers_what_was_found_and_never_the_secret() {
    let sandbox = Sandbox::new();
    let mut client = sandbox.serve(&[]);
    let write = json!({"path": "a.txt", "content": format!("one\n{}\n", key()), "classify": true});
    let passed = client.gives("rw_safe_write", write, &["findings"]);
    assert_eq!(
        passed["findings"],
        json!([{
            "family": "github_pat", "pattern": "ghp", "line": 2, "level": "high",
            "placeholder": false,
        }])
    );
    assert!(!passed.to_string().contains(&key()[8..]), "{passed}");
    let people: String = (0..30).map(|n| format!("person{n}@mail.net\n")).collect();
    let write = json!({"path": "b.txt", "content": people, "classify": true});
    let passed = client.gives("rw_safe_write", write, &["findings", "findings_omitted"]);
    assert_eq!(passed["findings"].as_array().map(Vec::len), Some(20));
    assert_eq!(passed["findings_omitted"], 10);
}

#[test]
fn no_answer_shows_a_short_secret_whole() {
    let sandbox = Sandbox::new();
    let mut client = sandbox.serve(&[]);
    let [short, long] = [["hunt", "er2x!Q"].concat(), ["Tr0ub4", "dor&3-", "zK9"].concat()];
    for secret in [short, long] {
        let text = format!("password = \"{secret}\"\n");
        sandbox.put("a.py", &text);
        let scored = client.gives("rw_risk_score", json!({"content": text}), &[]);
        assert_eq!(scored["detected_patterns"][0]["kind"], "generic_secret", "{scored}");
        let write =
            json!({"path": "b.py", "content": text, "classify": true, "classify_reject_at": "low"});
        let blocked = client.fails("rw_safe_write", write, BLOCKED, json!({}));
        let mut told = vec![scored.to_string(), blocked.to_string()];
        for more in
            [&["--json"][..], &[], &["--explain"], &["--format", "sarif"], &["--format", "text"]]
        {
            told.push(sandbox.run(&[&["risk", "a.py"], more].concat()).stdout);
        }
        for told in told {
            assert!(!told.contains(&secret[..secret.len() / 2]), "{told}");
        }
    }
}

#[test]
fn blocked_parts_are_kept_clean_and_blocked_texts_composed_in_one_more_call() {
    let sandbox = strict();
    let mut client = sandbox.serve(&[]);
    let append = json!({"session": "s", "content": secrets(), "classify": true});
    let hint = "do not send the text again: make this call again with `draft_sha256` in place of `content`";
    let blocked = client.fails("rw_chunk_append", append, BLOCKED, json!({"hint": hint}));
    let draft = &blocked["context"]["draft_sha256"];
    let from = json!({"session": "s", "draft_sha256": draft});
    let kept = client.gives("rw_chunk_append", from, &["index", "replaced"]);
    assert_eq!(kept["index"], 1);
    // A secret over two parts.
    for part in [["x = \"ey", "JhbGciOiJI"].concat(), ".eyJzdWIiOiIx.c2lnbmF0dXJl\"\n".to_owned()] {
        client.gives("rw_chunk_append", json!({"session": "t", "content": part}), &["index"]);
    }
    sandbox.put("out.txt", "before\n");
    // The tool that takes it out of the joined parts is in this set.
    let mut client = sandbox.serve(&["--tools", "full"]);
    let compose = json!({"session": "t", "output_path": "out.txt"});
    let blocked = client.fails("rw_chunk_compose", compose, BLOCKED, json!({"session": "t"}));
    let next = &blocked["context"]["suggested_actions"][0];
    assert_eq!(next["tool"], "rw_redact");
    client.gives("rw_redact", next["arguments"].clone(), &["written"]);
    assert_eq!(sandbox.text("out.txt"), "x = \"<REDACTED:jwt:1>\"\n");
}

#[test]
fn an_edit_of_a_file_with_a_secret_is_judged_by_what_it_adds() {
    let sandbox = strict();
    sandbox.put("a.txt", format!("one\n{}\n", key()));
    let mut client = sandbox.serve(&[]);
    let edit =
        |old: &str, new: &str| json!({"path": "a.txt", "old_string": old, "new_string": new});
    client.gives("rw_safe_replace", edit("one", "two"), &["replacements"]);
    client.fails("rw_safe_replace", edit("two", &key()), BLOCKED, json!({}));
}

#[test]
fn parts_handoffs_and_checkpoints_take_the_hash_that_they_expect() {
    let sandbox = Sandbox::new();
    let mut client = sandbox.serve(&[]);
    for (tool, arguments) in [
        ("rw_chunk_write", json!({"session": "s", "index": 1, "content": "x"})),
        ("rw_chunk_append", json!({"session": "t", "content": "x"})),
        ("rw_chunk_compose", json!({"session": "s", "output_path": "out.txt"})),
        ("rw_handoff_write", json!({"envelope": handoff("x")})),
        ("rw_checkpoint", json!({"name": "c", "data": 1})),
    ] {
        let mut arguments = arguments;
        arguments["expected_prev_sha256"] = json!("");
        client.gives(tool, arguments.clone(), &["sha256"]);
        let stale = "stale_precondition/unknown/ask_user";
        client.fails(tool, arguments, stale, json!({"expected_prev_sha256": ""}));
    }
}

#[test]
fn the_command_line_judges_and_expects_as_the_tools_do() {
    let sandbox = Sandbox::new();
    let secret = key();
    let facts = handoff(&secret).to_string();
    for (command, stdin) in [
        (vec!["chunk", "write", "s", "1", "--classify=low"], secret.as_str()),
        (vec!["chunk", "append", "s", "--classify=low"], &secret),
        (vec!["handoff", "write", "--classify=low"], &facts),
        (vec!["checkpoint", "save", "c", "--classify=low"], &format!("{secret:?}")),
    ] {
        let blocked = sandbox.run_with(&[&command[..], &["--json"]].concat(), stdin).envelope();
        assert_eq!(blocked["error"], "blocked", "{command:?}");
    }
    let append = ["chunk", "append", "s", "--expect", "", "--json"];
    sandbox.run_with(&append, &secret).ok();
    assert_eq!(sandbox.run_with(&append, &secret).envelope()["error"], "stale_precondition");
    let compose = ["chunk", "compose", "s", "out.txt", "--classify=low"];
    let refused = sandbox.run(&compose);
    let complaint = refused.complaint();
    assert!(
        complaint.contains("`resilient-write redact --session s --write-to PATH`"),
        "{complaint}"
    );
    let told = sandbox.run(&["chunk", "compose", "s", "out.txt", "--classify"]).ok().stdout;
    assert!(told.contains("\n  found    line 1: high: github_pat (ghp)\n"), "{told}");
    sandbox.run(&["redact", "--session", "s", "--write-to", "clean.txt"]);
    assert_eq!(sandbox.text("clean.txt"), "<REDACTED:github_pat:1>");
}

#[test]
fn scratch_material_is_listed_and_removed_for_good() {
    let sandbox = Sandbox::new();
    let mut client = sandbox.serve(&[]);
    let kept = client.gives("rw_scratch_put", json!({"content": "x", "label": "l"}), &["sha256"]);
    let list = client.gives("rw_scratch_list", json!({}), &["entries", "count", "total_bytes"]);
    assert_eq!((&list["entries"][0]["sha256"], &list["count"]), (&kept["sha256"], &json!(1)));
    let removed = client.gives("rw_scratch_remove", json!({"label": "l"}), &["removed"]);
    assert_eq!(removed["removed"][0]["sha256"], kept["sha256"]);
    let gone = json!({"reason": "removed", "removed_at": removed["removed"][0]["removed_at"]});
    let get = json!({"sha256": kept["sha256"]});
    client.fails("rw_scratch_get", get, "stale_precondition/unknown/abort", gone);
    let rows = client.gives("rw_journal_tail", json!({"filter_mode": "remove"}), &["entries"]);
    assert_eq!(rows["entries"][0]["journal_id"], removed["removed"][0]["journal_id"]);

    sandbox.run_with(&["scratch", "put", "--label", "m"], "two").ok();
    let told = sandbox.run(&["scratch", "list"]).ok().stdout;
    assert!(told.ends_with("  m\n1 entry, 3 bytes\n"), "{told}");
    let told = sandbox.run(&["scratch", "rm", "--label", "m"]).ok().stdout;
    assert!(told.starts_with("removed ") && told.ends_with(", 3 bytes\n"), "{told}");
    assert_eq!(sandbox.run(&["scratch", "list"]).ok().stdout, "0 entries, 0 bytes\n");
}

#[test]
fn a_draft_goes_when_the_policy_keeps_it_no_longer() {
    let sandbox = Sandbox::new();
    let draft = "3f79bb7b435b05321651daefd374cdc681dc06faa65e374e38337b88ca046dea";
    sandbox.put(&format!(".resilient_write/scratch/{draft}.bin"), "e");
    sandbox.put(
        ".resilient_write/scratch/index.jsonl",
        format!(
            "{{\"bytes\":1,\"content_type\":null,\"created_at\":\"2020-01-01T00:00:00Z\",\
             \"encoding\":\"utf-8\",\"label\":\"draft:a\",\"notes\":\"blocked draft\",\
             \"sha256\":\"{draft}\"}}\n"
        ),
    );
    sandbox.run_with(&["scratch", "put"], "x").ok();
    let refused = sandbox.run(&["scratch", "get", draft, "--json"]).envelope();
    assert_eq!(refused["context"]["removed_for"], "expired");
}

#[test]
fn a_sealed_scratchpad_is_read_by_no_tool_of_either_server() {
    let sandbox = Sandbox::new().with("RW_SCRATCH_DISABLE_GET", "1");
    let put = sandbox.run_with(&["scratch", "put", "--json"], "secret").ok().json();
    let path = put["scratch_path"].as_str().unwrap();
    for mut client in [sandbox.serve(&["--with-read"]), sandbox.serve_reader(&[])] {
        for (tool, arguments) in [
            ("rr_stat", json!({"path": path, "include_sha256": true})),
            ("rr_read_bytes", json!({"path": path})),
            ("rr_read_lines", json!({"path": path})),
            ("rr_read_tail", json!({"path": path})),
            ("rr_make_cursor", json!({"path": path})),
            ("rr_search_then_page", json!({"path": path, "query": "s"})),
            (
                "rr_search_then_page",
                json!({"path": ".resilient_write/scratch", "query": "s", "glob": "*"}),
            ),
        ] {
            let refused = client.fails(
                tool,
                arguments,
                "policy_violation/permission/abort",
                json!({"reason": "scratch_get_disabled", "env": "RW_SCRATCH_DISABLE_GET"}),
            );
            assert!(!refused.to_string().contains("secret"), "{tool}");
        }
    }
    assert_eq!(sandbox.text(".resilient_write/.gitignore"), "*\n");
}

#[test]
fn a_hard_link_into_a_sealed_scratchpad_is_read_by_no_tool() {
    const SEALED: &str = "policy_violation/permission/abort";
    let sandbox = Sandbox::new().with("RW_SCRATCH_DISABLE_GET", "1");
    let put = sandbox.run_with(&["scratch", "put", "--json"], "secret").ok().json();
    let kept = sandbox.path(put["scratch_path"].as_str().unwrap());
    std::fs::hard_link(&kept, sandbox.path("a.txt")).unwrap();
    // A file with two names of its own is read as before.
    sandbox.put("b.txt", "plain secret");
    std::fs::hard_link(sandbox.path("b.txt"), sandbox.path("c.txt")).unwrap();
    let reads = [
        ("rr_stat", json!({"path": "a.txt", "include_sha256": true})),
        ("rr_read_bytes", json!({"path": "a.txt"})),
        ("rr_read_lines", json!({"path": "a.txt"})),
        ("rr_make_cursor", json!({"path": "a.txt"})),
        ("rr_search_then_page", json!({"path": "a.txt", "query": "secret"})),
    ];
    let sealed = || json!({"reason": "scratch_get_disabled"});
    for mut client in [sandbox.serve(&["--with-read"]), sandbox.serve_reader(&[])] {
        for (tool, arguments) in reads.clone() {
            client.fails(tool, arguments, SEALED, sealed());
        }
        assert_eq!(
            client.gives("rr_read_lines", json!({"path": "c.txt"}), &[])["content"],
            "1|plain secret"
        );
        let all = json!({"path": ".", "query": "secret", "glob": "*.txt"});
        let found = client.gives("rr_search_then_page", all, &[]);
        assert!(
            found["matches"].as_array().unwrap().iter().all(|it| it["path"] != "a.txt"),
            "{found}"
        );
    }
    let mut client = sandbox.serve(&["--tools", "full"]);
    let edit = json!({"path": "a.txt", "old_string": "sekret", "new_string": "x"});
    let by_path = || json!({"path": "a.txt"});
    for (tool, arguments) in [
        ("rw_safe_replace", edit),
        ("rw_redact", by_path()),
        ("rw_validate", by_path()),
        ("rw_risk_score", by_path()),
        ("rw_handoff_read", by_path()),
    ] {
        client.fails(tool, arguments, SEALED, sealed());
    }
}

#[test]
fn an_append_that_completes_a_secret_of_the_file_is_told_a_way_that_works() {
    let sandbox = Sandbox::new();
    let secret = key();
    let (front, back) = secret.split_at(20);
    sandbox.put("a.txt", format!("first\nk={front}"));
    let mut client = sandbox.serve(&[]);
    let other = ["AK", "IA", "Q7XZ3MPLW5TRN2KD"].concat();
    let append = |text: Value| {
        let mut call = json!({
            "path": "a.txt", "mode": "append", "classify": true, "classify_reject_at": "low",
        });
        call.as_object_mut().unwrap().extend(text.as_object().unwrap().clone());
        call
    };
    let text = json!({"content": format!("{back}\nmore\nid = {other}\n")});
    let refused = client.fails("rw_safe_write", append(text), BLOCKED, json!({}));
    let context = &refused["context"];
    let found = context["detected"].as_array().unwrap();
    assert_eq!((found.len(), &found[0]["kind"]), (2, &json!("api_key")), "{context}");
    assert_eq!(found[0].get("begins_in_file"), None, "{context}");
    assert_eq!((&found[1]["line"], &found[1]["begins_in_file"]), (&json!(1), &json!(true)));
    let hint = context["hint"].as_str().unwrap();
    assert!(hint.contains("`content_from`") && !hint.contains("`rw_safe_replace`"), "{hint}");
    assert_eq!(context["suggested_actions"][0].get("tool"), None, "a redaction is not enough");
    // The draft takes out what goes on with the file, which stays. Before, its rest was written.
    let draft = context["draft_sha256"].clone();
    let numbered = json!({"content_from": {"draft_sha256": draft, "redact": ["2"]}});
    let refused = client.fails("rw_safe_write", append(numbered), BLOCKED, json!({}));
    assert_eq!(refused["context"]["detected"][0]["kind"], "api_key", "{refused}");
    let all = json!({"content_from": {"draft_sha256": draft}});
    let written = client.gives("rw_safe_write", append(all), &["replaced"]);
    let places: Vec<&Value> =
        written["replaced"].as_array().unwrap().iter().map(|it| &it["from"]["line"]).collect();
    assert_eq!(places, [&json!(1), &json!(3)], "{written}");
    let clean =
        format!("first\nk={front}<REDACTED:github_pat:1>\nmore\nid = <REDACTED:api_key:1>\n");
    assert_eq!(sandbox.text("a.txt"), clean);
    // Where the file only names the secrets, they go whole.
    let named = ["IgxLk3Jd9fQx7LmZ", "2pVtR8sWbN4c"].concat();
    for (file, added, clean) in [
        ("token ", "#\nok\n", "token <REDACTED:generic_secret:1>\nok\n"),
        ("password = \"", "#\"\nok\n", "password = \"<REDACTED:generic_secret:1>\"\nok\n"),
        (
            "user,password\n",
            "jo,#\namy,-\n",
            "user,password\njo,<REDACTED:generic_secret:1>\namy,-\n",
        ),
    ] {
        sandbox.put("a.txt", file);
        let text = added.replace('#', &named);
        let refused =
            client.fails("rw_safe_write", append(json!({"content": text})), BLOCKED, json!({}));
        let draft = refused["context"]["draft_sha256"].clone();
        let from = json!({"content_from": {"draft_sha256": draft}});
        client.gives("rw_safe_write", append(from), &["replaced"]);
        let text = sandbox.text("a.txt");
        assert_eq!(text.replace("api_key", "generic_secret"), clean);
    }
    // In the words of the smallest set, too.
    sandbox.put(".resilient_write/policy.yaml", "classify: {default: on, reject_at: low}\n");
    sandbox.put("a.txt", format!("first\nk={front}"));
    let mut client = sandbox.serve(&["--tools", "core"]);
    let call = json!({"path": "a.txt", "append": true, "content": back});
    let refused = client.fails("rw_write_file", call, BLOCKED, json!({}));
    let hint = refused["context"]["hint"].as_str().unwrap();
    assert!(
        hint.starts_with("append the text without") && !hint.contains("content_from"),
        "{hint}"
    );
}

#[test]
fn a_text_that_is_blocked_for_its_size_is_told_a_way_that_works() {
    let sandbox = Sandbox::new();
    sandbox.put(".resilient_write/policy.yaml", "classify: {default: on, reject_at: low}\n");
    let mut client = sandbox.serve(&[]);
    let line = "one more line\n";
    let whole = line.repeat(6_000);
    let write =
        |content: &str, mode: &str| json!({"path": "a.txt", "content": content, "mode": mode});
    let refused = client.fails("rw_safe_write", write(&whole, "create"), BLOCKED, json!({}));
    let hint = refused["context"]["hint"].as_str().unwrap();
    assert!(
        hint.contains("several `rw_safe_write` calls") && hint.contains("`mode` append"),
        "{hint}"
    );
    // Parts are no way round, and are not named.
    for _ in 0..3 {
        let part = json!({"session": "s", "content": line.repeat(2_000)});
        client.gives("rw_chunk_append", part, &[]);
    }
    let compose = json!({"session": "s", "output_path": "a.txt"});
    let refused = client.fails("rw_chunk_compose", compose, BLOCKED, json!({}));
    let hint = refused["context"]["hint"].as_str().unwrap();
    assert!(hint.contains("`mode` append") && hint.contains("`rw_chunk_reset`"), "{hint}");
    client.gives("rw_safe_write", write(&line.repeat(3_000), "create"), &[]);
    client.gives("rw_safe_write", write(&line.repeat(3_000), "append"), &[]);
    assert_eq!(sandbox.text("a.txt"), whole);
    // Nor is another size what an encoded text lacks.
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = 1_u32;
    let encoded: String = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(alphabet[(state >> 26) as usize])
    })
    .take(608)
    .collect();
    let refused = client.fails("rw_safe_write", write(&encoded, "overwrite"), BLOCKED, json!({}));
    let hint = refused["context"]["hint"].as_str().unwrap();
    assert!(hint.starts_with("break the encoded text into lines of less than 200"), "{hint}");
    let lines: Vec<&str> = (0..8).map(|at| &encoded[at * 76..(at + 1) * 76]).collect();
    client.gives("rw_safe_write", write(&(lines.join("\n") + "\n"), "overwrite"), &[]);
    let mut client = sandbox.serve(&["--tools", "core"]);
    let part = |part: i64, last: bool| json!({"path": "b.txt", "part": part, "content": line.repeat(3_000), "last": last});
    client.gives("rw_write_part", part(1, false), &[]);
    let refused = client.fails("rw_write_part", part(2, true), BLOCKED, json!({}));
    let hint = refused["context"]["hint"].as_str().unwrap();
    assert!(
        hint.contains("several `rw_write_file` calls") && hint.contains("`append` true"),
        "{hint}"
    );
}

#[test]
fn a_blocked_part_of_a_file_is_told_with_the_path_of_the_file() {
    let sandbox = strict();
    let mut client = sandbox.serve(&["--tools", "core"]);
    let part = json!({"path": "src/b.txt", "part": 1, "content": key()});
    client.fails("rw_write_part", part, BLOCKED, json!({"path": "src/b.txt"}));
}

#[test]
fn a_verdict_to_refuse_at_without_a_check_is_answered_with_a_warning() {
    let sandbox = Sandbox::new();
    let mut client = sandbox.serve(&[]);
    let reasons = |answer: &serde_json::Value| answer["warnings"][0]["reason"].clone();
    let write = |more: serde_json::Value| {
        let mut write = json!({"path": "a.json", "content": "{}", "mode": "overwrite"});
        write.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        write
    };
    let low = write(json!({"classify_reject_at": "low"}));
    assert_eq!(reasons(&client.call("rw_safe_write", low)), "not_checked");
    for more in [json!({}), json!({"classify_reject_at": "low", "classify": true})] {
        let answer = client.call("rw_safe_write", write(more));
        assert_eq!((&answer["ok"], reasons(&answer)), (&json!(true), json!(null)), "{answer}");
    }
    let edit = json!({
        "path": "a.json", "old_string": "{}", "new_string": "[1, 2]", "classify_reject_at": "low",
    });
    assert_eq!(reasons(&client.call("rw_safe_replace", edit)), "not_checked");
}

/// Before, the hint named the numbers of what was left, which `redact` does not take: the call went in a circle.
#[test]
fn what_a_part_of_a_redaction_leaves_is_numbered_as_in_the_first_answer() {
    let sandbox = Sandbox::new();
    sandbox.put(".resilient_write/policy.yaml", "classify: {default: on, reject: secrets}\n");
    let mut client = sandbox.serve(&["--tools", "full"]);
    let token = |fill: &str| ["gh", "p_", &fill.repeat(6)].concat();
    let text = format!("a = \"{}\"\nb = \"{}\"\n", token("k3Jd9f"), token("Zq8vN2"));
    let write = |content| json!({"path": "a.txt", "content": content, "classify": true});
    let refused = client.fails("rw_safe_write", write(json!(text)), BLOCKED, json!({}));
    let draft = refused["context"]["draft_sha256"].clone();
    let from = |redact: Value| json!({"path": "a.txt", "classify": true, "content_from": {"draft_sha256": draft, "redact": redact}});
    let refused = client.fails("rw_safe_write", from(json!(["1"])), BLOCKED, json!({}));
    let hint = refused["context"]["hint"].as_str().unwrap();
    assert!(hint.starts_with("add to `redact` what else is to go"), "{hint}");
    client.gives("rw_safe_write", from(json!(["1", "2"])), &["replaced"]);
}
