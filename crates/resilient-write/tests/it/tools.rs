//! The sets of tools: what each lists, and daily work with `core`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::sandbox::{Client, Sandbox};

fn tools(client: &mut Client) -> Vec<Value> {
    client.request("tools/list", json!({}))["tools"].as_array().unwrap().clone()
}

fn names(client: &mut Client) -> Vec<String> {
    tools(client).iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn core(sandbox: &Sandbox) -> Client {
    sandbox.serve(&["--tools", "core"])
}

const CORE: [&str; 8] = [
    "rw_read_file",
    "rw_write_file",
    "rw_edit_file",
    "rw_write_part",
    "rw_list_parts",
    "rw_list_files",
    "rw_search_files",
    "rw_history",
];

#[test]
fn a_set_is_chosen_on_the_command_line_or_by_the_environment() {
    let count = |sandbox: &Sandbox, args: &[&str]| names(&mut sandbox.serve(args)).len();
    let sandbox = Sandbox::new();
    assert_eq!(names(&mut sandbox.serve(&["--tools", "core"])), CORE);
    assert_eq!(names(&mut sandbox.serve(&["serve", "--tools=core"])), CORE);
    // What these sets have already is not listed twice.
    assert_eq!(names(&mut sandbox.serve(&["--tools", "core", "--with-read"])), CORE);
    assert_eq!(count(&sandbox, &["--tools", "full", "--with-read"]), 32);
    assert_eq!(count(&sandbox, &[]), 21);
    assert_eq!(count(&sandbox, &["--tools", "paper"]), 21);
    assert_eq!(count(&sandbox, &["--tools", "paper", "--with-read"]), 28);
    assert_eq!(count(&sandbox, &["--tools", "full"]), 32);

    let sandbox = Sandbox::new().with("RW_TOOLS", " Core ");
    assert_eq!(names(&mut sandbox.serve(&[])), CORE);
    assert_eq!(count(&sandbox, &["--tools", "full"]), 32, "the option comes first");
    let empty = Sandbox::new().with("RW_TOOLS", " ");
    assert_eq!(count(&empty, &["serve"]), 21);
    assert!(sandbox.names().is_empty() && empty.names().is_empty());
}

#[test]
fn a_set_that_is_not_there_ends_the_start_with_the_nearest() {
    let sandbox = Sandbox::new().with("RW_TOOLS", "ful");
    let ran = sandbox.run::<&str>(&[]);
    assert_eq!(ran.code, 1);
    assert!(ran.complaint().starts_with(
        "resilient-write: RW_TOOLS: \"ful\" is no set of tools (full comes nearest); set it to core, paper or \
         full\n"
    ));
    let ran = sandbox.run(&["--json", "serve"]);
    assert_eq!(ran.code, 1);
    let refused = ran.json();
    assert_eq!(refused["context"]["argument"], "RW_TOOLS");
    assert!(refused["context"]["hint"].as_str().unwrap().contains("full comes nearest"));
    // Who only writes is not concerned, and an option that is given is enough.
    sandbox.run(&["write", "a.txt", "--content", "a"]).ok();
    assert_eq!(sandbox.serve(&["--tools", "core"]).hang_up().1, 0);

    let ran = Sandbox::new().run(&["--tools", "cor"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
    assert!(ran.stderr.contains("'core'") && ran.stderr.contains("paper"), "{ran:?}");
    let misplaced = Sandbox::new().run(&["--tools", "core", "journal", "tail"]);
    assert!(misplaced.code == 2 && misplaced.stderr.contains("`serve`"), "{misplaced:?}");
}

#[test]
fn every_list_keeps_to_its_budget_and_the_instructions_to_the_list() {
    let sandbox = Sandbox::new();
    for (args, budget) in [
        (&["--tools", "core"][..], 1000),
        (&[], 2500),
        (&["--with-read"], 3300),
        (&["--tools", "full"], 4000),
    ] {
        let mut client = sandbox.serve(args);
        let listed = tools(&mut client);
        let bytes: usize = listed
            .iter()
            .map(|tool| {
                let counted = json!({
                    "name": tool["name"],
                    "description": tool["description"],
                    "inputSchema": tool["inputSchema"],
                });
                counted.to_string().len()
            })
            .sum();
        assert!(bytes / 4 <= budget, "{args:?}: {} tokens", bytes / 4);
        let instructions = client.hello["instructions"].as_str().unwrap();
        let words = instructions.split(|char: char| char != '_' && !char.is_ascii_lowercase());
        let named: BTreeSet<&str> =
            words.filter(|word| word.starts_with("rw_") || word.starts_with("rr_")).collect();
        let listed: BTreeSet<&str> =
            listed.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert!(!named.is_empty() && named.is_subset(&listed), "{args:?}: {named:?}");
    }
}

#[test]
fn an_older_client_pays_once() {
    let sandbox = Sandbox::new();
    for (version, knows) in
        [("2024-11-05", false), ("2025-03-26", false), ("2025-06-18", true), ("2025-11-25", true)]
    {
        let mut client = sandbox.connect(&["--tools", "core"]).greeted_in(version);
        let params = json!({"name": "rw_history", "arguments": {}});
        let result = client.request("tools/call", params);
        assert_eq!(result["content"][0]["text"], r#"{"entries":[],"ok":true}"#, "{version}");
        assert_eq!(result.get("structuredContent").is_some(), knows, "{version}");
    }
}

#[test]
fn core_reads_edits_and_writes_with_digests() {
    const STALE: &str = "stale_precondition/unknown/ask_user";
    let sandbox = Sandbox::new();
    let mut client = core(&sandbox);
    let new = json!({"path": "src/a.txt", "content": "one\n\ttwo\nthree\n"});
    let made = client.gives("rw_write_file", new.clone(), &["sha256", "journal_id"]);

    let read = client.gives("rw_read_file", json!({"path": "src/a.txt"}), &[]);
    let size = "one\n\ttwo\nthree\n".len();
    assert_eq!(
        read,
        json!({
            "ok": true, "path": "src/a.txt", "content": "one\n\ttwo\nthree\n", "offset": 1, "lines": 3,
            "eof": true, "size": size, "sha256": made["sha256"],
        })
    );
    // A part is enough to have the digest, and tells how to go on.
    let part = client.gives("rw_read_file", json!({"path": "src/a.txt", "limit": 2}), &[]);
    assert_eq!(
        (&part["content"], &part["next_offset"], &part["sha256"], &part["eof"]),
        (&json!("one\n\ttwo\n"), &json!(3), &made["sha256"], &json!(false))
    );
    let rest = json!({"path": "src/a.txt", "offset": part["next_offset"]});
    assert_eq!(client.gives("rw_read_file", rest, &["eof"])["content"], "three\n");
    let end = json!({"path": "src/a.txt", "offset": -1});
    let end = client.gives("rw_read_file", end, &[]);
    assert_eq!(
        (&end["content"], &end["offset"], &end["total_lines"], &end["sha256"]),
        (&json!("three\n"), &json!(3), &json!(3), &made["sha256"])
    );

    let edit = json!({
        "path": "src/a.txt", "old_string": "\ttwo\n", "new_string": "\t2\n",
        "expected_prev_sha256": read["sha256"],
    });
    let edited = client.gives("rw_edit_file", edit.clone(), &["sha256", "replacements"]);
    let stale = client.fails("rw_edit_file", edit, STALE, json!({}));
    assert_eq!(stale["context"]["actual_prev_sha256"], edited["sha256"]);

    let there = client.fails("rw_write_file", new, STALE, json!({"reason": "file_already_exists"}));
    assert_eq!(
        there["context"]["hint"],
        "read the file, then pass context.existing_sha256 as `expected_prev_sha256` to replace all of it, or \
         `append` true to add to it, or write another path"
    );
    let digest = &there["context"]["existing_sha256"];
    let whole = json!({"path": "src/a.txt", "content": "x = x\n", "expected_prev_sha256": digest});
    client.gives("rw_write_file", whole, &["prev_sha256"]);
    let append = json!({"path": "src/a.txt", "content": "y\n", "append": true});
    client.gives("rw_write_file", append, &[]);
    let edit = json!({"path": "src/a.txt", "old_string": "x", "new_string": "z"});
    let twice =
        client.fails("rw_edit_file", edit.clone(), STALE, json!({"reason": "ambiguous_match"}));
    assert!(twice["context"]["hint"].as_str().unwrap().contains("`replace_all` true"), "{twice}");
    let mut all = edit;
    all["replace_all"] = true.into();
    client.gives("rw_edit_file", all, &[]);
    assert_eq!(sandbox.text("src/a.txt"), "z = z\ny\n");

    let history = client.gives("rw.history", json!({"path": "src/a.txt"}), &[]);
    let rows = history["entries"].as_array().unwrap();
    assert_eq!(rows.len(), 5);
    assert_eq!(rows[0]["sha256"], made["sha256"]);
    let last = client.gives("rw_history", json!({"limit": 1}), &[]);
    assert_eq!(last["entries"], json!([rows[4]]));
}

#[test]
fn core_lists_and_searches() {
    let sandbox = Sandbox::new();
    sandbox.put("a.rs", "fn one() {}\nfn two() {}\n");
    sandbox.put("d/b.rs", "fn three() {}\n");
    sandbox.put("d/c.md", "fn four\n");
    sandbox.put(".gitignore", "*.log\n");
    sandbox.put("x.log", "fn five\n");
    sandbox.put(".ci/run", "run\n");
    let mut client = core(&sandbox);
    let all = client.gives("rw_list_files", json!({}), &[]);
    assert_eq!(
        (&all["files"], &all["has_more"]),
        (
            &json!([
                {"path": ".ci/run", "size": 4}, {"path": ".gitignore", "size": 6},
                {"path": "a.rs", "size": 24}, {"path": "d/b.rs", "size": 14},
                {"path": "d/c.md", "size": 8},
            ]),
            &json!(false)
        )
    );
    let some = client.gives("rw_list_files", json!({"path": "d", "glob": "*.md"}), &[]);
    assert_eq!(some["files"], json!([{"path": "d/c.md", "size": 8}]));
    let found = client.gives("rw_search_files", json!({"pattern": "fn t\\w+"}), &[]);
    assert_eq!(
        found,
        json!({
            "ok": true, "has_more": false, "files_searched": 5,
            "matches": [
                {"path": "a.rs", "line": 2, "text": "fn two() {}"},
                {"path": "d/b.rs", "line": 1, "text": "fn three() {}"},
            ],
        })
    );
    let one = client.gives("rw_search_files", json!({"pattern": "fn", "path": "d/c.md"}), &[]);
    assert_eq!(one["matches"], json!([{"path": "d/c.md", "line": 1, "text": "fn four"}]));
    let named = json!({"pattern": "FN", "glob": "*.md"});
    assert_eq!(client.gives("rw_search_files", named, &[])["matches"], json!([]));
    let file = json!({"pattern": "fn", "path": "a.rs", "glob": "*.rs"});
    let reason = json!({"reason": "path_must_be_a_directory_where_there_is_a_glob_or_from_path"});
    client.fails("rw_search_files", file, "policy_violation/encoding/retry_later", reason);
    let broken = client.fails(
        "rw_search_files",
        json!({"pattern": "fn("}),
        "policy_violation/encoding/retry_later",
        json!({}),
    );
    assert!(broken["context"]["hint"].as_str().unwrap().starts_with("correct `pattern`"));
}

#[test]
fn core_pages_through_matches() {
    let sandbox = Sandbox::new();
    sandbox.put("a.txt", "hit\n".repeat(60));
    sandbox.put("b.txt", "hit\n".repeat(3));
    let mut client = core(&sandbox);
    let first = client.gives("rw_search_files", json!({"pattern": "hit"}), &[]);
    let matches = |answer: &Value| answer["matches"].as_array().unwrap().len();
    assert_eq!((matches(&first), &first["has_more"]), (50, &json!(true)));
    let rest = json!({
        "pattern": "hit", "from_path": first["next_from_path"], "from_line": first["next_from_line"],
    });
    let rest = client.gives("rw_search_files", rest, &[]);
    assert_eq!((matches(&rest), &rest["has_more"]), (13, &json!(false)));
    // And so within one file.
    let one = json!({"pattern": "hit", "path": "a.txt"});
    let first = client.gives("rw_search_files", one, &[]);
    let rest = json!({"pattern": "hit", "path": "a.txt", "from_line": first["next_from_line"]});
    assert_eq!(matches(&client.gives("rw_search_files", rest, &[])), 10);
}

#[test]
fn core_names_what_comes_near_an_unknown_path() {
    let sandbox = Sandbox::new();
    sandbox.put("d/long.md", "one\n");
    let mut client = core(&sandbox);
    let near = client.gives("rw_history", json!({"path": "d/lnog.md"}), &[]);
    assert_eq!(near, json!({"ok": true, "entries": [], "nearest_names": ["d/long.md"]}));
    let part = json!({"path": "d/report.md", "part": 1, "content": "one\n"});
    client.gives("rw_write_part", part, &["sha256"]);
    let near = client.gives("rw_list_parts", json!({"path": "d/repotr.md"}), &[]);
    assert_eq!(near["nearest_names"], json!(["d/report.md"]), "{near}");
    let known = client.gives("rw_list_parts", json!({"path": "d/report.md"}), &[]);
    assert!(known.get("nearest_names").is_none(), "{known}");
}

#[test]
fn core_reads_5000_lines_from_the_end_at_most() {
    let sandbox = Sandbox::new();
    sandbox.put("d/long.md", "one\n");
    let mut client = core(&sandbox);
    let read = |offset: i64| json!({"path": "d/long.md", "offset": offset});
    client.gives("rw_read_file", read(-5000), &["content"]);
    let reason = json!({"reason": "offset_must_be_at_least_-5000", "offset": -5001});
    client.fails("rw_read_file", read(-5001), "policy_violation/encoding/retry_later", reason);
}

#[test]
fn core_writes_a_long_file_in_several_calls() {
    const STALE: &str = "stale_precondition/unknown/ask_user";
    let sandbox = Sandbox::new();
    let part = |path: &str, part: u32, content: &str| json!({"path": path, "part": part, "content": content});
    let mut client = core(&sandbox);
    let kept = client.gives("rw_write_part", part("d/long.md", 1, "one\n"), &["sha256"]);
    assert_eq!((&kept["written"], &kept["next_part"]), (&json!(false), &json!(2)));
    client.gives("rw_write_part", part("./d/long.md", 2, "2\n"), &[]);
    // A file begins with part 1.
    for last in [false, true] {
        let mut ahead = part("d/other.md", 2, "2\n");
        ahead["last"] = last.into();
        let gap = client.fails(
            "rw_write_part",
            ahead,
            "stale_precondition/unknown/abort",
            json!({"reason": "non_contiguous_chunks", "missing": [1]}),
        );
        let hint = gap["context"]["hint"].as_str().unwrap();
        assert!(
            hint.contains("send all parts again with `rw_write_part`, from `part` 1 on"),
            "{gap}"
        );
    }
    let first = client.gives("rw_write_part", part("d/other.md", 1, "1\n"), &["sha256"]);
    assert_eq!((first.get("discarded_parts"), &first["next_part"]), (None, &json!(2)));
    client.gives(
        "rw_write_part",
        json!({"path": "d/other.md", "part": 2, "content": "2\n", "last": true}),
        &["sha256"],
    );
    client.gives("rw_write_part", part("d/long.md", 2, "two\n"), &[]);
    assert_eq!(client.hang_up().1, 0);

    // Another process goes on where this one has stopped, however the path is written.
    let mut client = core(&sandbox);
    let path = sandbox.path("d/long.md");
    let status = client.gives("rw_list_parts", json!({"path": path}), &[]);
    assert_eq!(
        status,
        json!({
            "ok": true, "path": "d/long.md", "parts": [1, 2], "next_part": 3, "ends_with": "two\n",
        })
    );
    // What it lists goes on by the path that it names.
    let all = client.gives("rw_list_parts", json!({}), &[]);
    assert_eq!((&all["count"], all.get("sessions")), (&json!(1), None), "{all}");
    let file = &all["files"][0];
    assert_eq!(
        (&file["path"], &file["parts"], &file["next_part"], &file["bytes"]),
        (&json!("d/long.md"), &json!([1, 2]), &json!(3), &json!(8)),
    );
    let mut last = part("d/long.md", 4, "four\n");
    last["last"] = true.into();
    let gap = client.fails(
        "rw_write_part",
        last.clone(),
        "stale_precondition/unknown/abort",
        json!({"reason": "non_contiguous_chunks", "missing": [3]}),
    );
    assert!(gap["context"]["hint"].as_str().unwrap().contains("`rw_write_part`"), "{gap}");
    client.gives("rw_write_part", part("d/long.md", 3, "three\n"), &[]);
    let written = client.gives("rw_write_part", last, &["sha256", "journal_id"]);
    assert_eq!((&written["written"], &written["parts"]), (&json!(true), &json!(4)));
    assert_eq!(sandbox.text("d/long.md"), "one\ntwo\nthree\nfour\n");
    let none = client.gives("rw_list_parts", json!({"path": "d/long.md"}), &[]);
    assert_eq!((&none["parts"], &none["next_part"]), (&json!([]), &json!(1)));

    // A file that is there is replaced only by who has seen it, and part 1 begins anew.
    let begun = client.gives("rw_write_part", part("d/long.md", 1, "old\n"), &[]);
    assert_eq!(begun["composed_before"]["sha256"], written["sha256"]);
    let again = client.gives("rw_write_part", part("d/long.md", 2, "older\n"), &[]);
    assert_eq!(again.get("prev_bytes"), None);
    let again = client.gives("rw_write_part", part("d/long.md", 2, "old\n"), &["prev_sha256"]);
    assert_eq!(again["prev_bytes"], 6);
    let again = client.gives("rw_write_part", part("d/long.md", 1, "old\n"), &[]);
    assert_eq!(again["discarded_parts"], 2);
    let mut only = part("d/long.md", 1, "new\n");
    only["last"] = true.into();
    let there = client.fails("rw_write_part", only.clone(), STALE, json!({}));
    assert_eq!(there["context"]["actual_prev_sha256"], written["sha256"]);
    assert!(there["context"]["hint"].as_str().unwrap().starts_with("read the file"), "{there}");
    only["expected_prev_sha256"] = written["sha256"].clone();
    let replaced = client.gives("rw_write_part", only.clone(), &[]);
    assert_eq!(replaced["prev_sha256"], written["sha256"]);
    let again = client.fails("rw_write_part", only, STALE, json!({"already_written": true}));
    assert!(again["context"]["hint"].as_str().unwrap().starts_with("do nothing"), "{again}");
    assert_eq!(replaced["prev_bytes"], "one\ntwo\nthree\nfour\n".len());
    assert_eq!(sandbox.text("d/long.md"), "new\n");
}

#[test]
fn core_keeps_the_other_parts_when_the_last_one_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.put(".resilient_write/policy.yaml", "classify: {default: on, reject: secrets}\n");
    let mut client = core(&sandbox);
    let part = |part: u32, content: &str, last: bool| json!({"path": "a.py", "part": part, "content": content, "last": last});
    let (front, back) = (["x = \"ey", "JhbGciOiJI"].concat(), ".eyJzdWIiOiIx.c2lnbmF0dXJl\"\n");
    // No part alone holds it.
    client.gives("rw_write_part", part(1, &front, false), &[]);
    client.gives("rw_write_part", part(2, back, false), &[]);
    client.gives("rw_write_part", part(3, "z = 3\n", false), &[]);
    let refused = client.fails(
        "rw_write_part",
        part(4, "end = 4\n", true),
        "blocked/content_filter/redact",
        json!({"reason": "secret_found", "parts": [1, 2]}),
    );
    let hint = refused["context"]["hint"].as_str().unwrap();
    assert!(hint.starts_with("send parts 1 and 2 again"), "{hint}");
    let again = client.gives("rw_write_part", part(1, "x = \"\n", false), &["sha256"]);
    assert_eq!((again.get("discarded_parts"), &again["next_part"]), (None, &json!(2)));
    client.gives("rw_write_part", part(2, "\"\n", false), &["sha256"]);

    // A part that is wrongly said to be the last one loses none either.
    let refused = client.fails(
        "rw_write_part",
        part(2, "y = 1\n", true),
        "stale_precondition/unknown/abort",
        json!({"reason": "chunk_count_mismatch"}),
    );
    let hint = refused["context"]["hint"].as_str().unwrap();
    assert!(hint.contains("and at the end `part` 4 with `last` true"), "{hint}");
    client.gives("rw_write_part", part(2, "y = 2\n", false), &["sha256"]);
    let written = client.gives("rw_write_part", part(4, "end = 4\n", true), &["sha256"]);
    assert_eq!(written["parts"], 4);
    assert_eq!(sandbox.text("a.py"), "x = \"\ny = 2\nz = 3\nend = 4\n");
}

#[test]
fn core_starts_over_at_part_1_and_never_mixes_two_texts() {
    let sandbox = Sandbox::new();
    sandbox.put("a.md", "there\n");
    let mut client = core(&sandbox);
    let part = |part: u32, content: &str, last: bool| json!({"path": "a.md", "part": part, "content": content, "last": last});
    client.gives("rw_write_part", part(1, "old 1\n", false), &[]);
    client.gives("rw_write_part", part(2, "old 2\n", false), &[]);
    let stale = "stale_precondition/unknown/ask_user";
    let refused = client.fails("rw_write_part", part(3, "old 3\n", true), stale, json!({}));
    let first = client.gives("rw_write_part", part(1, "new 1\n", false), &["sha256"]);
    assert_eq!((&first["discarded_parts"], &first["next_part"]), (&json!(3), &json!(2)));
    let mut last = part(2, "new 2\n", true);
    last["expected_prev_sha256"] = refused["context"]["actual_prev_sha256"].clone();
    client.gives("rw_write_part", last, &[]);
    assert_eq!(sandbox.text("a.md"), "new 1\nnew 2\n");
}

#[test]
fn core_refuses_in_its_own_words() {
    const ENCODING: &str = "policy_violation/encoding/retry_later";
    let sandbox = Sandbox::new();
    sandbox.put("binary", [0, 1, 2, 0xff, 0]);
    let mut client = core(&sandbox);
    let hint = |envelope: &Value| envelope["context"]["hint"].as_str().unwrap().to_owned();
    let is_binary = json!({"reason": "binary_file", "size": 5, "head_hex": "000102ff00"});
    let refused = client.fails(
        "rw_read_file",
        json!({"path": "binary"}),
        "policy_violation/encoding/abort",
        is_binary,
    );
    assert!(hint(&refused).contains("--tools full"), "{refused}");
    let refused = client.fails(
        "rw_read_file",
        json!({"path": "none"}),
        "stale_precondition/unknown/abort",
        json!({"reason": "not_found"}),
    );
    assert_ne!(hint(&refused), "");
    for limit in [0, -1] {
        let refused = client.fails(
            "rw_read_file",
            json!({"path": "binary", "limit": limit}),
            ENCODING,
            json!({"argument": "limit"}),
        );
        assert!(hint(&refused).contains("`limit`"), "{refused}");
    }
    let cut = client.fails(
        "rw_write_file",
        json!({"path": "a.md"}),
        "policy_violation/size_limit/split",
        json!({"reason": "missing_argument: content"}),
    );
    assert!(hint(&cut).contains("`rw_write_part`") && !hint(&cut).contains("chunk"), "{cut}");
    let gone = json!({"path": "new", "content": "x", "expected_prev_sha256": "0".repeat(64)});
    let refused =
        client.fails("rw_write_file", gone, "stale_precondition/unknown/ask_user", json!({}));
    assert!(hint(&refused).starts_with("leave out `expected_prev_sha256`"), "{refused}");
    let edit = json!({"path": "none", "old_string": "a", "new_string": "b"});
    let refused =
        client.fails("rw_edit_file", edit, "stale_precondition/unknown/ask_user", json!({}));
    assert!(hint(&refused).contains("`rw_write_file`"), "{refused}");
    let outside = json!({"path": "../x", "part": 1, "content": "x"});
    client.fails(
        "rw_write_part",
        outside,
        "policy_violation/permission/abort",
        json!({"reason": "escapes_workspace"}),
    );
    assert_eq!(sandbox.names(), [".resilient_write", "binary"]);
}

#[test]
fn core_keeps_the_form_of_what_it_reads_and_edits() {
    let sandbox = Sandbox::new();
    sandbox.put("crlf.txt", "one\r\ntwo\r\nthree");
    sandbox.put("empty.txt", "");
    sandbox.put("long.txt", format!("{}\nend\n", "x".repeat(100_000)));
    let mut client = core(&sandbox);
    let read = client.gives("rw_read_file", json!({"path": "crlf.txt"}), &["sha256"]);
    assert_eq!((&read["content"], &read["lines"]), (&json!("one\ntwo\nthree"), &json!(3)));
    assert_eq!(read["eol"], "crlf");
    let edit = json!({
        "path": "crlf.txt", "old_string": "one\ntwo\n", "new_string": "1\n2\n",
        "expected_prev_sha256": read["sha256"],
    });
    client.gives("rw_edit_file", edit, &[]);
    assert_eq!(sandbox.text("crlf.txt"), "1\r\n2\r\nthree");
    // What is read and written keeps its line ends, in one call or in parts.
    for tool in ["rw_write_file", "rw_write_part"] {
        let read = client.gives("rw_read_file", json!({"path": "crlf.txt"}), &[]);
        let mut write = json!({
            "path": "crlf.txt", "content": read["content"], "expected_prev_sha256": read["sha256"],
        });
        if tool == "rw_write_part" {
            write["part"] = 1.into();
            write["last"] = true.into();
        }
        let written = client.gives(tool, write, &[]);
        assert_eq!(written["sha256"], read["sha256"], "{written}");
    }
    assert_eq!(sandbox.text("crlf.txt"), "1\r\n2\r\nthree");
    let empty = client.gives("rw_read_file", json!({"path": "empty.txt"}), &["sha256"]);
    assert_eq!((&empty["content"], &empty["eof"]), (&json!(""), &json!(true)));
    let long = client.gives("rw_read_file", json!({"path": "long.txt"}), &["sha256"]);
    assert_eq!(long["cut_lines"][0]["bytes"], 100_000);
    assert!(long["content"].as_str().unwrap().ends_with("x\nend\n"), "{}", long["lines"]);
    // Who counts from 0 means the first line.
    let first = json!({"path": "crlf.txt", "offset": 0, "limit": 1});
    assert_eq!(client.gives("rw_read_file", first, &[])["content"], "1\n");
}
