//! Every tool that reads through the real servers: `resilient-read` alone, and `--with-read`.

use std::fs::{FileTimes, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};

use serde_json::{Value, json};

use crate::sandbox::{Client, Sandbox, assert_envelope};

const OUTSIDE: &str = "permission_denied/outside_workspace/abort";
const MISSING: &str = "not_found/missing/abort";
const NO_FILE: &str = "invalid_input/not_file/abort";
const RANGE: &str = "invalid_input/range/retry_later";
const NO_CURSOR: &str = "invalid_input/cursor_decode/retry_later";
const MALFORMED: &str = "policy_violation/encoding/retry_later";

const READ: [&str; 8] = [
    "rr_stat",
    "rr_list_files",
    "rr_read_bytes",
    "rr_read_lines",
    "rr_read_tail",
    "rr_search_then_page",
    "rr_make_cursor",
    "rr_read_next",
];

/// Both ways to be served.
fn servers(sandbox: &Sandbox) -> [Client; 2] {
    [sandbox.serve_reader(&[]), sandbox.serve(&["--with-read"])]
}

fn names(client: &mut Client) -> Vec<String> {
    let list = client.request("tools/list", json!({}));
    let tools = list["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn each_server_has_its_tools_and_its_name() {
    let sandbox = Sandbox::new();
    let mut reader = sandbox.serve_reader(&[]);
    assert_eq!(reader.hello["serverInfo"]["name"], "resilient-read");
    assert!(reader.hello["instructions"].as_str().unwrap().contains("rr_read_next"));
    assert_eq!(names(&mut reader), READ);
    let mut both = sandbox.serve(&["serve", "--with-read"]);
    assert_eq!(both.hello["serverInfo"]["name"], "resilient-write");
    let instructions = both.hello["instructions"].as_str().unwrap();
    assert!(instructions.contains("rr_read_next") && instructions.contains("rw_safe_write"));
    // Some clients cut what is longer.
    assert!(instructions.len() <= 2048, "{}", instructions.len());
    assert_eq!(
        names(&mut both)[21..],
        READ.into_iter().filter(|name| *name != "rr_list_files").collect::<Vec<_>>()
    );
    let mut dotted = sandbox.serve_reader(&["--tool-names", "dotted"]);
    assert_eq!(names(&mut dotted)[0], "rr.stat");
    assert!(dotted.hello["instructions"].as_str().unwrap().contains("rr.read_next"));
    let mut plain = sandbox.serve(&[]);
    assert!(names(&mut plain).iter().all(|name| name.starts_with("rw_")));
}

#[test]
fn every_tool_answers_with_all_its_fields() {
    let sandbox = Sandbox::new();
    sandbox.put("d/a.log", "one  \ntwo\nTHREE\nfour");
    for mut client in servers(&sandbox) {
        let path = json!({"path": "d/a.log"});
        let facts =
            client.gives("rr_stat", json!({"path": "d/a.log", "include_sha256": true}), &[]);
        assert_eq!((&facts["size"], &facts["path"]), (&json!(20), &json!("d/a.log")));
        assert_eq!(facts["sha256"].as_str().unwrap().len(), 64);
        let unasked = client.gives("rr_stat", path.clone(), &[]);
        assert_eq!(unasked["sha256"], facts["sha256"], "told unasked for a short file");
        let listed = client.gives("rr_list_files", json!({"glob": "*.log"}), &["has_more"]);
        assert_eq!(listed["files"][0]["path"], "d/a.log");
        assert_eq!(
            (&listed["files"][0]["size"], &listed["files"][0]["mtime_ns"]),
            (&json!(20), &facts["mtime_ns"])
        );
        let window = client.gives(
            "rr.read_bytes",
            path.clone(),
            &[
                "offset",
                "bytes_read",
                "next_offset",
                "eof",
                "size",
                "mtime_ns",
                "encoding",
                "content",
            ],
        );
        assert_eq!(window["content"], "one  \ntwo\nTHREE\nfour");
        let lines = client.gives(
            "rr_read_lines",
            json!({"path": "d/a.log", "start_line": 2, "max_lines": 2}),
            &["lines_returned", "mtime_ns"],
        );
        assert_eq!(lines["content"], "2|two\n3|THREE");
        assert_eq!((&lines["start_line"], &lines["end_line"]), (&json!(2), &json!(3)));
        assert_eq!(lines["eof"], false);
        let tail = client.gives("rr.read_tail", json!({"path": "d/a.log", "max_lines": 1}), &[]);
        assert_eq!((&tail["content"], &tail["total_lines"]), (&json!("4|four"), &json!(4)));
        let found = client.gives(
            "rr_search_then_page",
            json!({"path": "d/a.log", "query": "three", "context_before": 0, "context_after": 1}),
            &["from_line", "has_more", "mtime_ns"],
        );
        assert_eq!(found["matches"][0]["excerpt"], "3|THREE\n4|four");
        assert_eq!((&found["next_from_line"], &found["matches_returned"]), (&json!(4), &json!(1)));
        let below =
            json!({"path": ".", "glob": "**/*.log", "query": "t.o", "regex": true, "count": true});
        let found = client.gives("rr.search_then_page", below, &["files_searched"]);
        assert_eq!(
            (&found["total_matches"], &found["matches"][0]["path"]),
            (&json!(1), &json!("d/a.log"))
        );
        let made = client.gives(
            "rr_make_cursor",
            json!({"path": "d/a.log", "max_bytes": 6}),
            &["offset", "max_bytes", "size", "mtime_ns"],
        );
        assert!(made["cursor"].as_str().unwrap().len() <= 80, "{made}");
        let next = client.gives("rr_read_next", json!({"cursor": made["cursor"]}), &["encoding"]);
        assert_eq!((&next["content"], &next["next_offset"]), (&json!("one  \n"), &json!(6)));
        let next = json!({"cursor": next["cursor"], "max_bytes": 100, "strict": true});
        let last = client.gives("rr.read_next", next, &["cursor"]);
        assert_eq!((&last["content"], &last["eof"]), (&json!("two\nTHREE\nfour"), &json!(true)));
    }
    assert_eq!(sandbox.names(), ["d"], "reading leaves nothing behind");
}

#[test]
fn every_way_to_fail_has_its_envelope() {
    let sandbox = Sandbox::new();
    sandbox.put("a.txt", "abc\n");
    sandbox.put("d/x", "");
    let root = sandbox.root();
    for mut client in servers(&sandbox) {
        for tool in ["rr_stat", "rr_read_bytes", "rr_read_lines", "rr_read_tail", "rr_make_cursor"]
        {
            for (path, kind) in [
                ("../x", OUTSIDE),
                ("/etc/hostname", OUTSIDE),
                ("nope", MISSING),
                ("d", NO_FILE),
                ("", NO_FILE),
            ] {
                let failed = client.fails(tool, json!({"path": path}), kind, json!({"path": path}));
                assert_ne!(failed["message"], "");
                if kind == OUTSIDE {
                    assert_eq!(failed["context"]["workspaces"], json!([root]));
                }
            }
            client.fails(tool, json!({}), MALFORMED, json!({"reason": "missing_argument: path"}));
            let unknown = json!({"path": "a.txt", "file": 1});
            client.fails(tool, unknown, MALFORMED, json!({"reason": "unknown_argument: file"}));
        }
        let search = |more: Value| {
            let mut arguments = json!({"path": "a.txt", "query": "a"});
            arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            arguments
        };
        let bytes = |more: Value| json!({"path": "a.txt", "offset": more["offset"], "max_bytes": more["max_bytes"]});
        for (tool, arguments, kind, facts) in [
            ("rr_search_then_page", search(json!({"path": "../x"})), OUTSIDE, json!({})),
            ("rr_search_then_page", search(json!({"path": "nope"})), MISSING, json!({})),
            ("rr_list_files", json!({"path": ".."}), OUTSIDE, json!({})),
            ("rr_list_files", json!({"max_files": 0}), RANGE, json!({})),
            (
                "rr_search_then_page",
                search(json!({"path": "d"})),
                NO_FILE,
                json!({
                    "hint": "name the files by a glob such as **/* to search below a directory, or pass the path of one file",
                }),
            ),
            ("rr_search_then_page", search(json!({"path": "..", "glob": "*"})), OUTSIDE, json!({})),
            (
                "rr_search_then_page",
                search(json!({"path": "nope", "glob": "*"})),
                MISSING,
                json!({}),
            ),
            (
                "rr_search_then_page",
                search(json!({"query": ""})),
                RANGE,
                json!({"reason": "query_must_not_be_empty"}),
            ),
            ("rr_search_then_page", search(json!({"query": "(", "regex": true})), RANGE, json!({})),
            ("rr_search_then_page", search(json!({"max_matches": 101})), RANGE, json!({})),
            (
                "rr_read_bytes",
                bytes(json!({"offset": 5, "max_bytes": 1})),
                RANGE,
                json!({"reason": "offset_exceeds_file_size", "size": 4, "offset": 5}),
            ),
            (
                "rr_read_bytes",
                bytes(json!({"offset": 0, "max_bytes": 2_097_153})),
                RANGE,
                json!({"reason": "max_bytes_cannot_exceed_2097152"}),
            ),
            (
                "rr_read_bytes",
                json!({"path": "a.txt", "encoding": "nope"}),
                MALFORMED,
                json!({"reason": "unsupported_encoding"}),
            ),
            (
                "rr_read_bytes",
                json!({"path": "a.txt", "errors": "nope"}),
                MALFORMED,
                json!({"reason": "invalid_value: errors"}),
            ),
            (
                "rr_read_lines",
                json!({"path": "a.txt", "max_lines": 5001}),
                RANGE,
                json!({"reason": "max_lines_must_be_between_1_and_5000"}),
            ),
            ("rr_read_lines", json!({"path": "a.txt", "max_tokens": 0}), RANGE, json!({})),
            ("rr_read_tail", json!({"path": "a.txt", "max_lines": 0}), RANGE, json!({})),
            (
                "rr_make_cursor",
                bytes(json!({"offset": 5, "max_bytes": 1})),
                RANGE,
                json!({"reason": "offset_out_of_file_bounds"}),
            ),
            ("rr_read_next", json!({"cursor": "rubbish"}), NO_CURSOR, json!({})),
        ] {
            let failed = client.fails(tool, arguments, kind, facts);
            assert!(failed["message"].as_str().unwrap().len() > 3, "{failed}");
        }
    }
}

#[test]
fn an_unknown_tool_is_told_by_each_server() {
    let sandbox = Sandbox::new();
    let mut reader = sandbox.serve_reader(&[]);
    let mut both = sandbox.serve(&["--with-read"]);
    for (client, hint) in [(&mut reader, "unknown_tool"), (&mut both, "unknown")] {
        let params = json!({"name": "rr.fly", "arguments": {}});
        let answer = client.request("tools/call", params)["structuredContent"].clone();
        assert_envelope(&answer);
        assert_eq!(
            (&answer["error"], &answer["reason_hint"]),
            (&json!("policy_violation"), &json!(hint))
        );
        assert_eq!(answer["context"]["tool"], "rr.fly");
    }
    let params = json!({"name": "rw_safe_write", "arguments": {"path": "a", "content": "x"}});
    let refused = reader.request("tools/call", params);
    assert_eq!(refused["structuredContent"]["context"]["unknown_tool"], "rw_safe_write");
    assert!(sandbox.names().is_empty());
}

#[test]
fn drift_is_told_and_the_fresh_cursor_goes_on() {
    const GO_ON: &str = "stale_precondition/file_changed/retry_later";
    const ANEW: &str = "stale_precondition/file_changed/abort";
    let sandbox = Sandbox::new();
    for mut client in servers(&sandbox) {
        sandbox.put("f", "0123456789".repeat(20_000));
        let made = client.gives("rr_make_cursor", json!({"path": "f", "max_bytes": 70_000}), &[]);
        let first = client.gives("rr_read_next", json!({"cursor": made["cursor"]}), &[]);
        let cursor = json!({"cursor": first["cursor"]});

        let mut file = OpenOptions::new().append(true).open(sandbox.path("f")).unwrap();
        file.write_all(b"more").unwrap();
        let facts = json!({
            "path": "f", "drift": "appended", "appended": true, "offset": 70_000,
            "expected_size": 200_000, "actual_size": 200_004,
        });
        let grown = client.fails("rr_read_next", cursor.clone(), GO_ON, facts);
        let fresh = json!({"cursor": grown["context"]["cursor"]});
        assert_eq!(client.gives("rr_read_next", fresh.clone(), &[])["offset"], 70_000);

        // In place, of the same size and time: found by who asks.
        let file = OpenOptions::new().write(true).open(sandbox.path("f")).unwrap();
        let modified = file.metadata().unwrap().modified().unwrap();
        (&file).seek(SeekFrom::Start(3)).unwrap();
        (&file).write_all(b"X").unwrap();
        file.set_times(FileTimes::new().set_modified(modified)).unwrap();
        client.gives("rr_read_next", fresh.clone(), &[]);
        let strict = json!({"cursor": fresh["cursor"], "strict": true});
        let facts = json!({"drift": "read_part", "appended": false, "actual_size": 200_004});
        let changed = client.fails("rr_read_next", strict, ANEW, facts);
        assert_eq!(changed["context"].get("cursor"), None);
        assert!(changed["context"]["hint"].as_str().unwrap().contains("rr_make_cursor"));

        sandbox.put("f", "short");
        client.fails("rr_read_next", cursor.clone(), ANEW, json!({"drift": "read_part"}));
        std::fs::remove_file(sandbox.path("f")).unwrap();
        client.fails("rr_read_next", cursor, MISSING, json!({}));
    }
}

#[cfg(unix)]
#[test]
fn nothing_waits_for_a_fifo() {
    let sandbox = Sandbox::new();
    let made = std::process::Command::new("mkfifo").arg(sandbox.path("fifo")).status().unwrap();
    assert!(made.success());
    for mut client in servers(&sandbox) {
        for tool in ["rr_stat", "rr_read_bytes", "rr_read_lines", "rr_read_tail", "rr_make_cursor"]
        {
            client.fails(tool, json!({"path": "fifo"}), NO_FILE, json!({}));
        }
    }
}

#[test]
fn the_reader_has_roots_and_variables_of_its_own() {
    let elsewhere = Sandbox::new();
    elsewhere.put("there.txt", "there");
    let sandbox = Sandbox::new().with("RR_WORKSPACE", elsewhere.root().to_str().unwrap());
    sandbox.put("here.txt", "here");
    let mut client = sandbox.serve_reader(&[]);
    let path = elsewhere.path("there.txt");
    for (path, text) in [(&json!("here.txt"), "here"), (&json!(path), "there")] {
        let window = client.gives("rr_read_bytes", json!({"path": path}), &[]);
        assert_eq!(window["content"], text);
    }
    // A relative path is of the working directory, as for a writer beside it.
    let near = json!({"nearest_names": [path, "here.txt"]});
    client.fails("rr_stat", json!({"path": "there.txt"}), "not_found/missing/abort", near);
    // What names the writer's roots is not heard.
    let deaf = Sandbox::new().with("RW_WORKSPACE", elsewhere.root().to_str().unwrap());
    deaf.serve_reader(&[]).fails("rr_stat", json!({"path": path}), OUTSIDE, json!({}));

    let sandbox = Sandbox::new().with("RR_WORKSPACE", "/").with("RW_ALLOW_UNSAFE_ROOTS", "1");
    let ran = sandbox.run_reader(&["call", "rr.stat", r#"{"path": "a"}"#]);
    let refusal = "resilient-read: refusing to use '/' as RR_WORKSPACE. \
                   Set the variable to your project directory.\n";
    assert!(ran.complaint().starts_with(refusal), "{ran:?}");
}

#[test]
fn the_command_line_reads_too() {
    let sandbox = Sandbox::new();
    sandbox.put("a.txt", "one\ntwo\n");
    let arguments = r#"{"path": "a.txt", "max_lines": 1}"#;
    for ran in [
        sandbox.run_reader(&["call", "rr.read_tail", arguments, "--json"]).ok(),
        sandbox.run(&["call", "rr_read_tail", arguments, "--json"]).ok(),
    ] {
        assert_eq!(ran.json()["content"], "2|two");
    }
    let failed = sandbox.run_reader(&["call", "rr.stat", r#"{"path": "../x"}"#, "--json"]);
    assert_eq!(failed.envelope()["error"], "permission_denied");
    let help = sandbox.run_reader(&["--help"]).ok().stdout;
    assert!(help.contains("RR_WORKSPACE"), "{help}");
    let version = sandbox.run_reader(&["--version"]).ok().stdout;
    assert_eq!(version, concat!("resilient-read ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn a_long_search_is_told_of_while_it_runs() {
    let sandbox = Sandbox::new();
    sandbox.put("big", "a line of hay, and of nothing else\n".repeat(300_000));
    let mut client = sandbox.serve_reader(&[]);
    let params = json!({
        "name": "rr_search_then_page",
        // Much work for each byte.
        "arguments": {"path": "big", "query": "(?:[a-z ,]+x)+$", "regex": true, "count": true},
        "_meta": {"progressToken": "p"},
    });
    client.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
    let mut last = 0.0;
    let result = loop {
        let message = client.receive().unwrap();
        if message["id"] == 1 {
            break message["result"].clone();
        }
        assert_eq!(message["method"], "notifications/progress");
        let step = &message["params"];
        assert_eq!((&step["progressToken"], &step["total"]), (&json!("p"), &json!(10_500_000.0)));
        let progress = step["progress"].as_f64().unwrap();
        assert!(progress > last && progress <= 10_500_000.0);
        last = progress;
    };
    assert_eq!(result["structuredContent"]["total_matches"], 0);
}
