//! `write` and `replace`.

use serde_json::json;

use crate::sandbox::{Sandbox, secrets};

/// Of the text `one\n`.
const ONE: &str = "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806";

#[test]
fn content_comes_from_standard_input_or_from_the_option() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run_with(&["write", "deep/a.txt"], "one\n").ok();
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[0], "created deep/a.txt");
    assert_eq!(lines[1], "  bytes    4");
    assert_eq!(lines[2], format!("  sha256   {ONE}"));
    assert_eq!(sandbox.text("deep/a.txt"), "one\n");

    let ran = sandbox.run(&["write", "deep/a.txt", "--mode", "append", "--content", "-two"]).ok();
    assert!(ran.stdout.starts_with("appended to deep/a.txt\n"), "{ran:?}");
    assert_eq!(sandbox.text("deep/a.txt"), "one\n-two");
    let ran = sandbox.run_with(&["write", "deep/a.txt", "--mode", "overwrite"], "").ok();
    assert!(ran.stdout.starts_with("overwrote deep/a.txt\n  bytes    0\n"), "{ran:?}");
}

#[test]
fn a_failure_says_what_to_do_next() {
    let sandbox = Sandbox::new();
    sandbox.put("a.txt", "one\n");
    let ran = sandbox.run_with(&["write", "a.txt"], "two\n");
    assert_eq!(
        ran.complaint(),
        format!(
            "resilient-write: \"a.txt\" exists\n\
             next: ask_user - read the file, then pass `--mode` overwrite with existing_sha256 as `--expected-prev-sha256` to replace all of it, or `--mode` append to add to it, or write another path\n  \
             path: a.txt\n  reason: file_already_exists\n  existing_sha256: {ONE}\n"
        )
    );
    assert_eq!(sandbox.text("a.txt"), "one\n");
    let envelope = sandbox.run_with(&["--json", "write", "a.txt"], "two\n").envelope();
    assert_eq!(envelope["context"]["tool"], "rw.safe_write");
}

#[test]
fn the_expected_hash_guards_the_file() {
    let sandbox = Sandbox::new();
    sandbox.put("a.txt", "one\n");
    let overwrite = ["write", "a.txt", "--mode", "overwrite", "--content", "two\n"];
    let stale = sandbox.run(&[&overwrite[..], &["--json", "--expect", ""]].concat()).envelope();
    assert_eq!(stale["error"], "stale_precondition");
    assert_eq!(stale["context"]["actual_prev_sha256"], ONE);
    sandbox.run(&[&overwrite[..], &["--expect", ONE]].concat()).ok();
    assert_eq!(sandbox.text("a.txt"), "two\n");
}

#[test]
fn a_text_that_is_refused_for_its_size_is_to_be_sent_in_pieces() {
    let sandbox = Sandbox::new();
    let long = "a line of text\n".repeat(7000);
    sandbox.run_with(&["chunk", "append", "s"], &long).ok();
    let compose = sandbox.run(&["chunk", "compose", "s", "b.txt", "--classify=low"]);
    let write = sandbox.run_with(&["write", "a.txt", "--classify=low"], &long);
    for refused in [write, compose] {
        let complaint = refused.complaint();
        let next = complaint.lines().find(|line| line.starts_with("next: ")).unwrap().to_owned();
        assert!(next.contains("send the text in several `resilient-write write`"), "{complaint}");
        assert!(!next.contains("take the detected"), "{complaint}");
    }
}

#[test]
fn an_append_that_completes_a_secret_is_told_a_call_that_takes_out_its_rest() {
    let sandbox = Sandbox::new();
    let secret = ["gh", "p_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let (front, back) = secret.split_at(14);
    sandbox.put("app.py", format!("b='{front}"));
    let append = ["write", "app.py", "--mode", "append", "--classify=low"];
    let refused = sandbox.run_with(&append, format!("{back}'\n"));
    let complaint = refused.complaint();
    let next = complaint.lines().find(|line| line.starts_with("next: ")).unwrap();
    assert!(complaint.contains("which begins in the file\n"), "{complaint}");
    // Before, the hint led to the rest of the secret in the file.
    let call = next.split('`').nth(1).unwrap().replace("PATH", "app.py");
    let call: Vec<&str> = call.split(' ').skip(1).collect();
    assert_eq!(sandbox.run(&call).code, 0);
    assert_eq!(sandbox.text("app.py"), format!("b='{front}<REDACTED:github_pat:1>'\n"));
}

#[test]
fn content_that_looks_like_secrets_is_refused_when_asked() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run_with(&["write", "a.txt", "--classify"], secrets());
    let complaint = ran.complaint();
    assert!(
        complaint.contains(
            "\nnext: redact - write the refused text without the detected strings with `resilient-write redact --draft-sha256 "
        ),
        "{complaint}"
    );
    assert!(complaint.contains("\n  line 1: api_key (anthropic_oat) sk-a…\n"));
    assert!(complaint.contains("\n  draft_sha256: "), "{complaint}");
    assert!(!complaint.contains(&"A1b2C3d4".repeat(2)), "the secret itself is not shown");
    assert!(!sandbox.path("a.txt").exists());

    let token = secrets().lines().next().unwrap().to_owned();
    sandbox.run_with(&["write", "a.txt", "--classify"], &token).ok();
    let low = sandbox.run_with(&["write", "b.txt", "--classify=low", "--json"], &token).envelope();
    assert_eq!(low["error"], "blocked");
    assert_eq!(low["retry_budget"], 3);
    assert_eq!(low["detected_patterns"], json!(["api_key"]));
}

/// Before, the hint of both was that of a write to a file.
#[test]
fn the_hint_for_a_refused_part_adds_the_part() {
    let sandbox = Sandbox::new();
    let token = secrets().lines().next().unwrap().to_owned();
    for (number, add) in [&["append", "book"][..], &["write", "book", "2"]].into_iter().enumerate()
    {
        let part = [&["chunk"], add, &["--classify=low"]].concat();
        let refused = sandbox.run_with(&part, format!("{token}\n"));
        let complaint = refused.complaint();
        let next = complaint.lines().find(|line| line.starts_with("next: ")).unwrap();
        let (redact, keep) = next.split('`').nth(1).unwrap().split_once(" | ").unwrap();
        let words = |call: &str| -> Vec<String> {
            let call = call.replace("SESSION INDEX", "book 2").replace("SESSION", "book");
            call.split(' ').skip(1).map(str::to_owned).collect()
        };
        let run = |call: &str, input: &str| {
            let words = words(call);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let ran = sandbox.run_with(&words, input);
            assert_eq!(ran.code, 0, "{ran:?}");
            ran.stdout
        };
        run(keep, &run(redact, ""));
        let parts = sandbox.run(&["chunk", "preview", "book"]).ok().stdout;
        assert_eq!(parts.matches("<REDACTED:api_key:1>\n").count(), number + 1, "{parts}");
    }
}

/// Before, the hint led to a file of nothing but the text of the edit or the append.
#[test]
fn the_hint_for_a_refused_part_of_a_file_makes_no_file_of_it() {
    let sandbox = Sandbox::new();
    sandbox.put(".resilient_write/policy.yaml", "classify: {default: on, reject: secrets}\n");
    let token = secrets().lines().next().unwrap().to_owned();
    sandbox.put("a.txt", "one\ntwo\n");
    let edit = sandbox.run(&["replace", "a.txt", "--old", "two", "--new", &token]);
    let edit = edit.complaint();
    assert!(edit.contains("make this call again without the detected strings"), "{edit}");
    assert!(!edit.contains("--write-to"), "{edit}");

    let append = ["write", "a.txt", "--mode", "append"];
    let next = sandbox.run_with(&append, &token);
    let next = next.complaint();
    let draft = next.split("--draft-sha256 ").nth(1).unwrap().split('`').next().unwrap();
    let clean = sandbox.run(&["redact", "--draft-sha256", draft]);
    sandbox.run_with(&append, clean.stdout).ok();
    assert!(sandbox.text("a.txt").starts_with("one\ntwo\n"));
}

#[test]
fn input_that_is_not_utf8_is_refused() {
    let sandbox = Sandbox::new();
    let refused = sandbox.run_with(&["write", "a.txt", "--json"], b"\xFF").envelope();
    assert_eq!(
        (&refused["error"], &refused["reason_hint"]),
        (&json!("policy_violation"), &json!("encoding"))
    );
    assert!(!sandbox.path("a.txt").exists());
}

#[test]
fn replace_edits_what_occurs_as_often_as_expected() {
    let sandbox = Sandbox::new();
    sandbox.put("a.txt", "x\r\ny\r\nx\r\n");
    let complaint =
        sandbox.run(&["replace", "a.txt", "--old", "x", "--new", "z"]).complaint().to_owned();
    assert!(complaint.contains("next: ask_user - add the lines around"), "{complaint}");
    assert!(complaint.contains("\n  lines: [1,3]\n"), "{complaint}");

    let ran = sandbox.run(&["replace", "a.txt", "--old", "x", "--new", "-z", "--count", "-1"]);
    assert!(ran.ok().stdout.starts_with("edited a.txt\n  replaced  2\n"));
    assert_eq!(sandbox.text("a.txt"), "-z\r\ny\r\n-z\r\n");
    let answer =
        sandbox.run(&["replace", "a.txt", "--old", "y", "--new", "Y", "--json"]).ok().json();
    assert_eq!(
        (&answer["ok"], &answer["mode_applied"], &answer["replacements"]),
        (&json!(true), &json!("replace"), &json!(1))
    );
    let stale = ["replace", "a.txt", "--old", "Y", "--new", "y", "--expect", ONE, "--json"];
    assert_eq!(sandbox.run(&stale).envelope()["error"], "stale_precondition");
    let blocked = ["replace", "a.txt", "--old", "Y", "--new", &secrets(), "--classify", "--json"];
    assert_eq!(sandbox.run(&blocked).envelope()["error"], "blocked");
}

#[test]
fn a_hint_on_the_command_line_speaks_of_its_options() {
    let sandbox = Sandbox::new();
    sandbox.put("a.txt", "old");
    let over = ["write", "a.txt", "--content", "new"];
    let told = sandbox.run(&over);
    assert!(told.stderr.contains("`--mode` overwrite"), "{}", told.stderr);
    assert!(told.stderr.contains("`--expected-prev-sha256`"), "{}", told.stderr);
    let told = sandbox.run(&[&over[..], &["--json"]].concat()).envelope();
    let hint = told["context"]["hint"].as_str().unwrap();
    assert!(
        hint.contains("`--expected-prev-sha256`") && !hint.contains("expected_prev_sha256`"),
        "{hint}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_new_file_is_told_its_twins() {
    let sandbox = Sandbox::new();
    sandbox.put("Makefile", "all:\n");
    let told = sandbox.run(&["write", "makefile", "--content", "x"]).ok().stdout;
    assert!(told.contains("twins    Makefile"), "{told}");
    let composed = "caf\u{e9}.txt";
    sandbox.put(composed, "x");
    let mut client = sandbox.serve(&[]);
    let write = serde_json::json!({"path": "cafe\u{301}.txt", "content": "x"});
    let written = client.gives("rw_safe_write", write, &["twins"]);
    assert_eq!(written["twins"], serde_json::json!([composed]));
}

#[test]
fn an_overwrite_that_leaves_a_placeholder_needs_allow_shrink() {
    let sandbox = Sandbox::new();
    sandbox.put("a.py", "print('a line of the file')\n".repeat(40));
    let shrunk =
        ["write", "a.py", "--mode", "overwrite", "--content", "import a\n# ... rest unchanged\n"];
    let refused = sandbox.run(&[&shrunk[..], &["--json"]].concat()).envelope();
    assert_eq!(refused["context"]["reason"], "placeholder_for_text");
    assert!(refused["context"]["hint"].as_str().unwrap().contains("`--allow-shrink`"));
    sandbox.run(&[&shrunk[..], &["--allow-shrink"]].concat()).ok();
    assert_eq!(sandbox.text("a.py"), "import a\n# ... rest unchanged\n");
}

#[test]
fn the_sign_of_standard_input_is_no_path_to_write() {
    let sandbox = Sandbox::new();
    for args in [
        &["write", "-"][..],
        &["replace", "-", "--old", "a", "--new", "b"],
        &["chunk", "compose", "s", "-"],
        &["handoff", "write", "--path", "-"],
        &["redact", "a.txt", "--write-to", "-"],
    ] {
        let ran = sandbox.run_with(args, "piped");
        assert!(ran.code == 2 && ran.stderr.contains("PATH is missing"), "{args:?}: {ran:?}");
    }
    assert!(!sandbox.path("-").exists());
    sandbox.run_with(&["write", "./-"], "piped").ok();
    assert_eq!(sandbox.text("-"), "piped");
}

#[test]
fn a_verdict_beside_its_option_is_told_the_sign() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run_with(&["write", "a.txt", "--classify", "low"], "x");
    assert!(ran.complaint().contains("write --classify=low"), "{ran:?}");
}

#[test]
fn a_command_of_another_program_is_told_what_does_it_here() {
    let sandbox = Sandbox::new();
    for (word, tip) in [
        ("edit", "tip: use 'replace'"),
        ("grep", "tip: use 'search'"),
        ("find", "tip: use 'list --glob' for files"),
        ("cat", "tip: use 'read'"),
        ("ls", "tip: use 'list'"),
        ("append", "tip: use 'write --mode append'"),
        ("undo", "tip: take the older text from git"),
        ("version", "tip: use '--version'"),
        ("doctor", "tip: use 'recover' to finish"),
    ] {
        let ran = sandbox.run(&[word, "a.txt"]);
        assert!(ran.code == 2 && ran.stderr.contains(tip), "{word}: {ran:?}");
        assert!(!ran.stderr.contains("similar subcommand"), "{ran:?}");
    }
    for (args, tip) in [
        (["checkpoint", "delete"], "tip: no command removes one checkpoint: 'checkpoint cleanup'"),
        (["checkpoint", "get"], "tip: use 'checkpoint read'"),
        (["chunk", "list"], "tip: use 'chunk status'"),
        (["chunk", "delete"], "tip: no command removes one part: 'chunk write' with an empty"),
        (["chunk", "rm"], "tip: no command removes one part"),
        (["scratch", "write"], "tip: use 'scratch put'"),
    ] {
        let ran = sandbox.run(&args);
        assert!(ran.code == 2 && ran.stderr.contains(tip), "{args:?}: {ran:?}");
    }
}

#[test]
fn a_part_of_an_options_name_is_told_the_whole_name() {
    let sandbox = Sandbox::new();
    for (args, tip) in [
        (&["read", "a", "--lines", "3"][..], "'--max-lines'"),
        (&["read", "a", "--tokens", "3"], "'--max-tokens'"),
        (&["search", "a", "--matches", "3"], "'--max-matches'"),
        (&["scratch", "list", "--prefix", "a"], "'--label-prefix'"),
    ] {
        let ran = sandbox.run(args);
        assert!(ran.code == 2 && ran.stderr.contains(tip), "{args:?}: {ran:?}");
        assert!(!ran.stderr.contains("as a value"), "{ran:?}");
    }
}

/// Before, each was told to pass the option as a value, and `--all` to take the guard of a shrink away.
#[test]
fn an_option_of_another_program_is_told_what_there_is() {
    let sandbox = Sandbox::new();
    for (args, tip) in [
        (&["write", "a", "--overwrite"][..], Some("'--mode overwrite'")),
        (&["write", "a", "--append"], Some("'--mode append'")),
        (&["replace", "a", "--all"], Some("'--count -1'")),
        (&["redact", "a", "--in-place"], Some("'--write-to'")),
        (&["search", "a", "--ignore-case"], Some("'--case-sensitive'")),
        (&["read", "a", "--offset", "3"], Some("'--start-line'")),
        (&["search", "--qqq"], Some("'-- --qqq'")),
        (&["write", "a", "--frobnicate"], None),
    ] {
        let ran = sandbox.run(args);
        let says = tip.map_or(!ran.stderr.contains("tip:"), |tip| ran.stderr.contains(tip));
        assert!(ran.code == 2 && says, "{args:?}: {ran:?}");
        assert!(!ran.stderr.contains("tip: a similar"), "{args:?}: {ran:?}");
    }
}
