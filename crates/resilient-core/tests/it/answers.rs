//! What a refusal tells, so that the next call is right.

use resilient_core::checkpoint::{Format, SaveRequest};
use resilient_core::chunk::{ComposeRequest, PreviewRequest};
use resilient_core::form::{Asked, AskedEol, Eol};
use resilient_core::handoff::HandoffRequest;
use resilient_core::journal::By;
use resilient_core::scratch::PutRequest;
use resilient_core::workspace::Source;
use resilient_core::write::{ReplaceRequest, WriteRequest};
use resilient_core::{Error, Workspace};
use serde_json::{Value, json};

use crate::home::{
    Home, answer, append, composing, create, digest, envelope, hinted, overwrite, replace, sha,
};

fn expecting(expected: &str, request: WriteRequest) -> WriteRequest {
    WriteRequest { expected_prev_sha256: Some(expected.to_owned()), ..request }
}

/// The hint and the context of a refusal.
#[track_caller]
fn told<T: std::fmt::Debug>(result: Result<T, Error>) -> (String, Value) {
    let (hint, mut answer) = hinted(&result.expect_err("a refusal"));
    (hint, answer["context"].take())
}

fn lines(count: usize) -> String {
    (1..=count).map(|n| format!("line {n} of the file\n")).collect()
}

#[test]
fn a_stale_digest_is_told_who_wrote_when_and_with_what() {
    let home = Home::new();
    home.put("a.txt", "one");
    let other = home.open().for_caller(By {
        client: Some("editor/1".to_owned()),
        session: Some("s1".to_owned()),
        tool: Some("rw.safe_write".to_owned()),
        ..By::default()
    });
    let written = other.write(overwrite("a.txt", "two")).unwrap();
    let ws = home.open();
    let (hint, context) = told(ws.write(expecting(&sha("one"), overwrite("a.txt", "three"))));
    assert_eq!(
        context,
        json!({
            "path": "a.txt", "expected_prev_sha256": sha("one"), "actual_prev_sha256": sha("two"),
            "changed_by": "resilient_write",
            "last_write": {
                "journal_id": written.journal_id, "ts": written.wrote_at, "mode": "overwrite",
                "client": "editor/1", "session": "s1", "tool": "rw.safe_write",
            },
        })
    );
    assert!(hint.contains("context.actual_prev_sha256"), "{hint}");

    home.put("a.txt", "edited");
    let (_, context) = told(ws.write(expecting(&sha("two"), append("a.txt", "three"))));
    assert_eq!(context["changed_by"], "outside");
    assert_eq!(context["last_write"]["journal_id"], json!(written.journal_id));
}

/// Before, a client that lost the answer was told to read the file and to make the call again.
#[test]
fn a_compose_that_was_made_before_says_so() {
    let home = Home::new();
    let ws = home.open().for_caller(By {
        client: Some("agent/1".to_owned()),
        session: Some("s1".to_owned()),
        ..By::default()
    });
    for text in ["one\n", "two\n"] {
        ws.chunks().append("s", text.to_owned(), None).unwrap();
    }
    let new = || ComposeRequest {
        expected_prev_sha256: Some(String::new()),
        ..composing("a.txt", false)
    };
    ws.compose(new()).unwrap();
    let (hint, context) = told(ws.compose(new()));
    assert_eq!(context["already_written"], true, "{context}");
    assert!(hint.starts_with("do nothing"), "{hint}");
    // So is the same text in another form.
    let form = Asked { eol: AskedEol::Named(Eol::CrLf), ..Asked::default() };
    let (_, context) = told(ws.compose(ComposeRequest { form, ..new() }));
    assert_eq!(context.get("already_written"), None, "{context}");
    // Other parts are another text.
    ws.chunks().append("s", "three\n".to_owned(), None).unwrap();
    let (_, context) = told(ws.compose(new()));
    assert_eq!(context.get("already_written"), None, "{context}");
}

#[test]
fn a_stale_digest_is_told_what_changed_where_the_old_content_is_kept() {
    let home = Home::new();
    let ws = home.open();
    let old = "a\nb\nc\nd\n";
    ws.scratch().put(PutRequest { content: old.to_owned(), ..PutRequest::default() }).unwrap();
    home.put("a.txt", "a\nB\nc\nd\n");
    let request = || expecting(&sha(old), overwrite("a.txt", "new"));
    let (hint, context) = told(ws.write(request()));
    assert_eq!(context["diff"], "--- expected\n+++ actual\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
    assert!(hint.contains("context.diff"), "{hint}");
    // What the user has sealed is not read by another way.
    let sealed = home.builder().seal_scratch(true).open();
    assert_eq!(told(sealed.write(request())).1.get("diff"), None);
}

#[test]
fn what_a_refusal_shows_of_a_text_has_no_secret_whole() {
    let home = Home::new();
    let ws = home.open();
    let [old, new] = ["k3Jd9f", "Zq8vN2"].map(|fill| ["gh", "p_", &fill.repeat(6)].concat());
    let before = format!("a\ntoken = \"{old}\"\nc\n");
    ws.scratch().put(PutRequest { content: before.clone(), ..PutRequest::default() }).unwrap();
    home.put("a.txt", format!("a\ntoken = \"{new}\"\nC\n"));
    let stale = ws.write(expecting(&sha(&before), overwrite("a.txt", "z")));
    let (_, context) = told(stale);
    let diff = context["diff"].as_str().unwrap();
    assert!(diff.contains("\n-c\n") && diff.ends_with("\n+C\n"), "{diff}");
    let edits = [
        ws.replace(replace("a.txt", &format!("nothing near {old}"), "z")),
        ws.replace(replace("a.txt", &format!("tokens = \"{new}\""), "z")),
    ];
    let told = edits.map(|edit| told(edit).1["old_string"].to_string());
    for shown in [context.to_string(), told.concat()] {
        assert!(!shown.contains(&old[..24]) && !shown.contains(&new[..24]), "{shown}");
    }
    // Where only a secret has changed, there is nothing to show.
    home.put("a.txt", format!("a\ntoken = \"{}{}\"\nc\n", &old[..39], "Q"));
    let stale = ws.write(expecting(&sha(&before), overwrite("a.txt", "z")));
    assert_eq!(hinted(&stale.unwrap_err()).1["context"].get("diff"), None);
}

#[test]
fn a_stale_checkpoint_or_handoff_is_told_who_wrote_and_which_tool_reads_it() {
    let home = Home::new();
    let ws = home.open();
    let save = |data: u64, expected: Option<String>| {
        ws.save_checkpoint(SaveRequest {
            name: "c".to_owned(),
            data: json!(data),
            format: Format::Json,
            ttl: "session".to_owned(),
            expected_prev_sha256: expected,
            reject_at: None,
        })
    };
    save(1, None).unwrap();
    let note = |summary: &str, expected: Option<String>| {
        let facts = json!({
            "task_id": "t", "status": "partial", "agent": "a", "summary": summary,
            "next_steps": [], "last_good_state": [],
        });
        let Value::Object(envelope) = facts else { unreachable!("an object") };
        ws.write_handoff(HandoffRequest {
            envelope,
            body: String::new(),
            path: "HANDOFF.md".to_owned(),
            archive: false,
            expected_prev_sha256: expected,
            reject_at: None,
            allow_shrink: false,
        })
    };
    note("one", None).unwrap();
    let stale = [
        (save(2, Some(sha("other"))).map(|_| ()), "rw_checkpoint_read"),
        (note("two", Some(sha("other"))).map(|_| ()), "rw_handoff_read"),
    ];
    for (refused, tool) in stale {
        let (hint, context) = told(refused);
        assert!(hint.contains(tool), "{hint}");
        assert_eq!(context["changed_by"], "resilient_write", "{context}");
        assert!(context["last_write"]["journal_id"].is_string(), "{context}");
    }
}

#[test]
fn a_stale_edit_is_told_whether_it_still_applies() {
    let home = Home::new();
    home.put("a.txt", "one two two");
    let ws = home.open();
    let edit = |old: &str, count| ReplaceRequest {
        count,
        expected_prev_sha256: Some(sha("before")),
        ..replace("a.txt", old, "x")
    };
    for (old, count, matches, applies) in
        [("one", 1, 1, true), ("two", 1, 2, false), ("two", -1, 2, true), ("six", 1, 0, false)]
    {
        let (hint, context) = told(ws.replace(edit(old, count)));
        assert_eq!(
            (&context["match_count"], &context["still_applies"]),
            (&json!(matches), &json!(applies))
        );
        assert_eq!(hint.contains("still applies"), applies, "{hint}");
    }
    // Both are told: that the file has changed, and that the text is not in it.
    let (hint, context) = told(ws.replace(edit("one  two", 1)));
    assert_eq!(context["nearest"]["suggested_old_string"], "one two", "{context}");
    assert!(
        hint.contains("suggested_old_string") && hint.contains("the file has changed"),
        "{hint}"
    );
    // The digest that the answer gives lets the same edit through.
    let next = ReplaceRequest { expected_prev_sha256: Some(sha("one two two")), ..edit("one", 1) };
    ws.replace(next).unwrap();
}

#[test]
fn an_edit_that_was_made_before_says_so() {
    let home = Home::new();
    home.put("a.txt", "head\ntotal = 1\n");
    let ws = home.open();
    ws.replace(replace("a.txt", "total = 1", "total = 2")).unwrap();
    let (hint, context) = told(ws.replace(replace("a.txt", "total = 1", "total = 2")));
    assert_eq!(context["already_applied"], json!(true));
    assert_eq!(context["new_string_lines"], json!([2]));
    assert!(hint.starts_with("do nothing"), "{hint}");
}

#[test]
fn an_insertion_that_was_made_before_is_not_made_twice() {
    let home = Home::new();
    let long = "x\n".repeat(200_000);
    let edit = |path: &str, count, expected: String| ReplaceRequest {
        count,
        expected_prev_sha256: Some(expected),
        ..replace(path, "import os\n", "import os\nimport re\n")
    };
    for (path, before, count, lines) in [
        ("a.py", "import os\nx\n", 1, json!([1])),
        ("crlf.py", "#!\r\nimport os\r\nx\r\n", 1, json!([2])),
        ("all.py", "import os\nx\nimport os\n", -1, json!([1, 4])),
        ("long.py", &format!("import os\n{long}"), 1, json!([1])),
    ] {
        home.put(path, before);
        home.open().replace(edit(path, count, sha(before))).unwrap();
        let after = home.text(path);
        // Also in another process, which remembers nothing.
        let ws = home.open();
        let (hint, context) = told(ws.replace(edit(path, count, sha(before))));
        assert_eq!(context["already_applied"], true, "{path}: {context}");
        assert_eq!(context["new_string_lines"], lines, "{path}");
        assert!(context.get("still_applies").is_none(), "{path}: {context}");
        assert!(hint.starts_with("do nothing:"), "{path}: {hint}");
        assert_eq!(home.text(path), after, "{path}");
    }
    // Somebody has changed the file, too: then it may have been made, and nobody knows.
    let (hint, context) = told(home.open().replace(edit("a.py", 1, sha("other"))));
    assert!(context.get("already_applied").is_none(), "{context}");
    assert_eq!(context["new_string_lines"], json!([1]));
    assert!(hint.starts_with("do nothing if this edit was made before"), "{hint}");
}

#[test]
fn a_text_that_an_edit_took_out_is_not_sought_in_another_place() {
    let home = Home::new();
    home.put("a.txt", "let a = open(1);\nlet b = open(2);\nlet c = open(3);\n");
    let ws = home.open();
    let again = |ws: &Workspace, new: &str, expected: Option<String>| {
        told(ws.replace(ReplaceRequest {
            expected_prev_sha256: expected,
            ..replace("a.txt", "let b = open(2);\n", new)
        }))
    };
    ws.replace(replace("a.txt", "let b = open(2);\n", "")).unwrap();
    for expected in [None, Some(sha("before"))] {
        let (hint, context) = again(&ws, "", expected.clone());
        assert_eq!(context["already_applied"], true, "{context}");
        assert!(context.get("nearest").is_none(), "{context}");
        assert!(hint.starts_with("do nothing"), "{hint}");
        // Another process has not made the edit.
        let (hint, context) = again(&home.open(), "", expected.clone());
        assert!(context.get("already_applied").is_none(), "{context}");
        assert!(context["nearest"].get("suggested_old_string").is_none(), "{context}");
        assert!(hint.starts_with("do nothing if this text was taken out"), "{hint}");
        // What puts other text there is an edit as any other.
        let (_, context) = again(&ws, "let b = close(2);\n", expected);
        assert!(context["nearest"].get("suggested_old_string").is_some(), "{context}");
    }
    // White space is no other text.
    let (_, context) = told(ws.replace(replace("a.txt", "let  c = open(3);", "")));
    assert_eq!(context["nearest"]["suggested_old_string"], "let c = open(3);");
    home.put("a.txt", "let  b = open(2);\n");
    let (_, context) = again(&ws, "", None);
    assert!(context.get("already_applied").is_none(), "somebody put it back: {context}");
    assert_eq!(context["nearest"]["suggested_old_string"], "let  b = open(2);\n");
}

#[test]
fn an_append_that_was_made_before_is_told_so() {
    let home = Home::new();
    let ws = home.open();
    let adds = |path: &str, text: &str, expected: String| WriteRequest {
        expected_prev_sha256: Some(expected),
        ..append(path, text)
    };
    let long = "x\n".repeat(40_000);
    for (path, before, text, after) in [
        ("a.txt", "one\n", "two\n", "one\ntwo\n".to_owned()),
        ("crlf.txt", "one\r\n", "two\n", "one\r\ntwo\r\n".to_owned()),
        ("empty.txt", "", "two\n", "two\n".to_owned()),
        ("long.txt", &long, "two\n", format!("{long}two\n")),
    ] {
        home.put(path, before);
        ws.write(adds(path, text, sha(before))).unwrap();
        let (hint, context) = told(ws.write(adds(path, text, sha(before))));
        assert_eq!(context["already_written"], true, "{path}: {context}");
        assert!(hint.starts_with("do nothing"), "{path}: {hint}");
        assert_eq!(home.text(path), after, "{path}");
        for other in [adds(path, "2\n", sha(before)), adds(path, text, sha("other"))] {
            let (_, context) = told(ws.write(other));
            assert!(context.get("already_written").is_none(), "{path}: {context}");
        }
    }
    ws.write(adds("new.txt", "two\n", String::new())).unwrap();
    let (_, context) = told(ws.write(adds("new.txt", "two\n", String::new())));
    assert_eq!(context["already_written"], true, "{context}");
}

#[test]
fn what_stands_there_already_is_done_only_if_the_caller_has_made_it() {
    let by = |client: &str, session: &str| By {
        client: Some(client.to_owned()),
        session: Some(session.to_owned()),
        ..By::default()
    };
    let (mine, yours) = ("do nothing:", "read what is there and decide");
    for (client, session, begins, names) in [
        ("a/1", "s1", mine, "an earlier call of yours"),
        // The client has connected again, or another one has its name.
        ("a/1", "s2", "do nothing if context.last_write is an earlier call of yours", "decide"),
        ("a/2", "s2", "do nothing if context.last_write is an earlier call of yours", "decide"),
        ("b/1", "s2", yours, "another client, which context.last_write names"),
    ] {
        let home = Home::new();
        let first = home.open().for_caller(by("a/1", "s1"));
        let ws = home.open().for_caller(by(client, session));
        let edit = || ReplaceRequest {
            expected_prev_sha256: Some(sha("n = 5\n")),
            ..replace("edited", "5", "6")
        };
        home.put("edited", "n = 5\n");
        home.put("old", "5\n");
        home.put("log", "5\n");
        let writes = || {
            [
                create("new", "6\n"),
                expecting(&sha("5\n"), overwrite("old", "6\n")),
                expecting(&sha("5\n"), append("log", "6\n")),
            ]
        };
        for request in writes() {
            first.write(request).unwrap();
        }
        first.replace(edit()).unwrap();
        let mut answers: Vec<_> = writes().map(|it| told(ws.write(it))).into();
        answers.push(told(ws.replace(edit())));
        for (hint, context) in &answers {
            assert!(hint.starts_with(begins) && hint.contains(names), "{session}: {hint}");
            assert_eq!(context["last_write"]["client"], "a/1", "{context}");
        }
        let made = |fact| answers.iter().filter(|(_, context)| context[fact] == true).count();
        assert_eq!((made("already_written"), made("already_applied")), (3, 1), "{answers:?}");
    }
}

#[test]
fn a_file_of_another_program_that_holds_the_text_is_not_called_done() {
    let home = Home::new();
    home.put("a.txt", "one\n");
    let (hint, context) = told(home.open().write(create("a.txt", "one\n")));
    assert_eq!(context["changed_by"], "outside");
    assert!(hint.contains("another program"), "{hint}");
    let (hint, context) = told(home.open().write(create("a.txt", "two\n")));
    assert!(context.get("already_written").is_none(), "{context}");
    assert!(hint.starts_with("read the file, then pass `mode` overwrite"), "{hint}");
}

#[test]
fn known_mistakes_in_the_text_to_be_replaced_are_named() {
    let home = Home::new();
    home.put("a.rs", "if a < b {\n\tcall();\n}\n");
    let ws = home.open();
    for (old, mistake) in [
        ("if a &lt; b {", "html_entities"),
        ("if a < b {\\n\\tcall();", "literal_escapes"),
        ("if a < b {\n    // ... existing code ...\n}", "placeholder"),
    ] {
        let (_, context) = told(ws.replace(replace("a.rs", old, "x")));
        assert_eq!(context["mistakes"], json!([mistake]), "{old}");
        assert_eq!(context["reason"], "old_string_not_found");
    }
}

#[test]
fn places_that_come_equally_near_are_all_listed_and_a_text_is_told_twice_at_most() {
    let home = Home::new();
    let block = "begin {\n\tset value = one;\n}\n";
    home.put("a.txt", block.repeat(3));
    let ws = home.open();
    let (hint, context) = told(ws.replace(replace("a.txt", "    set value = one;", "x")));
    assert_eq!(context["nearest"]["equally_near_lines"], json!([2, 5, 8]));
    assert!(hint.contains("context.nearest.equally_near_lines"), "{hint}");
    let all = context.to_string();
    assert!(all.matches("set value = one;").count() <= 2, "{all}");

    let many = ws.replace(replace("a.txt", "value", "x"));
    assert_eq!(told(many).1["lines"], json!([2, 5, 8]));
}

#[test]
fn an_append_in_the_middle_of_a_line_is_said() {
    let home = Home::new();
    let ws = home.open();
    for (before, added, joined) in [
        ("one", "two\n".to_owned(), true),
        ("one", "\ntwo\n".to_owned(), false),
        ("one\n", "two".to_owned(), false),
        ("", "two".to_owned(), false),
        ("one", String::new(), false),
    ] {
        // A long file grows where it is.
        for front in [String::new(), "x\n".repeat(40_000)] {
            if before.is_empty() && !front.is_empty() {
                continue;
            }
            home.put("a.txt", format!("{front}{before}"));
            let receipt = ws.write(append("a.txt", &added)).unwrap();
            assert_eq!(receipt.joined_mid_line, joined, "{before:?} {added:?}");
        }
    }
    home.put("wide.txt", [&[0xff, 0xfe][..], b"a\0\n\0"].concat());
    assert!(!ws.write(append("wide.txt", "b")).unwrap().joined_mid_line);
    assert!(ws.write(append("wide.txt", "c")).unwrap().joined_mid_line);
}

#[test]
fn a_misspelt_name_is_told_the_nearest() {
    let home = Home::new();
    home.put("src/main.rs", "x");
    home.put("src/lib.rs", "x");
    home.put("other/deep/notes.md", "x");
    let ws = home.open();
    let near = |path: &str| told(ws.replace(replace(path, "a", "b"))).1["nearest_names"].clone();
    assert_eq!(near("src/mian.rs"), json!(["src/main.rs"]));
    assert_eq!(near("notes.md"), json!(["other/deep/notes.md"]));
    assert_eq!(near("nothing-like-it"), Value::Null);
    let (hint, context) = told(ws.read_handoff("src/libs.rs"));
    assert_eq!(context["nearest_names"], json!(["src/lib.rs"]));
    assert!(hint.ends_with("the nearest: src/lib.rs"), "{hint}");

    ws.chunks().append("report-1", "x".to_owned(), None).unwrap();
    let refused =
        ws.compose(ComposeRequest { session: "reprot-1".to_owned(), ..composing("out", false) });
    assert_eq!(told(refused).1["nearest_names"], json!(["report-1"]));
    let refused = ws.chunks().preview(&PreviewRequest::of("reprot-1"));
    assert_eq!(told(refused).1["nearest_names"], json!(["report-1"]));
    let source = Source::Session { session: "reprot-1".to_owned(), separator: String::new() };
    let (hint, context) = told(ws.validate(source, None, None));
    assert_eq!(context["nearest_names"], json!(["report-1"]));
    assert!(hint.ends_with("the nearest: report-1"), "{hint}");
    // These succeed.
    assert_eq!(ws.chunks().status("reprot-1").unwrap().nearest_names, ["report-1"]);
    assert_eq!(ws.chunks().reset("reprot-1").unwrap().nearest_names, ["report-1"]);
    assert!(ws.chunks().status("report-1").unwrap().nearest_names.is_empty());
    assert!(ws.chunks().reset("else").unwrap().nearest_names.is_empty());

    let save = resilient_core::checkpoint::SaveRequest {
        name: "step_two".to_owned(),
        data: json!(1),
        format: resilient_core::checkpoint::Format::Json,
        ttl: "session".to_owned(),
        expected_prev_sha256: None,
        reject_at: None,
    };
    ws.checkpoints().save(save).unwrap();
    let refused = ws.checkpoints().read("step-tow");
    assert_eq!(told(refused).1["nearest_names"], json!(["step_two"]));
}

#[test]
fn an_overwrite_that_leaves_a_placeholder_is_refused() {
    let home = Home::new();
    let old = lines(40);
    home.put("a.py", &old);
    let ws = home.open();
    for mark in [
        "# ... existing code ...",
        "# rest unchanged",
        "# ...",
        "... rest of the file ...",
        "[unchanged]",
    ] {
        let new = format!("line 1 of the file\n{mark}\n");
        assert_eq!(
            home.refused(|| ws.write(overwrite("a.py", &new))),
            envelope(
                ["stale_precondition", "unknown", "ask_user"],
                json!({
                    "path": "a.py", "reason": "placeholder_for_text", "line": 2, "mark": mark,
                    "bytes": new.len(), "prev_bytes": old.len(), "prev_sha256": sha(&old),
                })
            )
        );
    }
    let new = "line 1\n# ...\n";
    ws.write(WriteRequest { allow_shrink: true, ..overwrite("a.py", new) }).unwrap();
    assert_eq!(home.text("a.py"), new);
}

#[test]
fn dots_at_the_end_stand_for_the_rest_where_no_line_is_dots_alone() {
    let home = Home::new();
    let ws = home.open();
    for (name, dots, is_refused) in [
        ("a.md", "...", true),
        ("a.js", "  \u{2026}\n\n", true),
        ("a.json", "...\n", true),
        ("a.py", "    ...\n", false),
        ("a.yaml", "...\n", false),
        ("a.md", "...\nand the end\n", false),
    ] {
        home.put(name, lines(40));
        let written = ws.write(overwrite(name, &format!("line 1\n{dots}")));
        assert_eq!(written.is_err(), is_refused, "{name} {dots:?}");
        if let Err(refused) = written {
            assert_eq!(told(Err::<(), _>(refused)).1["line"], 2);
        }
    }
    // Where the file has such a line and loses little, it is none.
    home.put("b.md", format!("{}...\n", lines(40)));
    ws.write(overwrite("b.md", &format!("{}...\n", lines(30)))).unwrap();
}

#[test]
fn content_without_a_placeholder_is_never_refused_however_short() {
    let home = Home::new();
    let ws = home.open();
    let refactored = "# Keeps what is unchanged.\ndef short():\n    ...\n";
    for new in ["", "x", refactored] {
        home.put("a.py", lines(100));
        ws.write(overwrite("a.py", new)).unwrap();
    }
    // Nor is content that is not notably shorter, or whose mark the file has too.
    home.put("a.py", lines(40));
    ws.write(overwrite("a.py", &format!("{}# ...\n", lines(39)))).unwrap();
    ws.write(overwrite("a.py", &format!("{}# ...\n", lines(30)))).unwrap();
    // Nor is a new file.
    ws.write(create("b.py", "# rest unchanged\n")).unwrap();
}

#[test]
fn an_edit_that_leaves_a_placeholder_for_much_of_the_file_is_refused() {
    let home = Home::new();
    let old = lines(40);
    home.put("a.py", &old);
    let ws = home.open();
    let most = old.split_once('\n').unwrap().1;
    let new = "# the rest\n# ... existing code ...\n";
    let kept = old.len() - most.len() + new.len();
    assert_eq!(
        home.refused(|| ws.replace(replace("a.py", most, new))),
        envelope(
            ["stale_precondition", "unknown", "ask_user"],
            json!({
                "path": "a.py", "reason": "placeholder_for_text", "line": 2,
                "mark": "# ... existing code ...", "bytes": kept, "prev_bytes": old.len(),
                "prev_sha256": sha(&old),
            })
        )
    );
    ws.replace(ReplaceRequest { allow_shrink: true, ..replace("a.py", most, new) }).unwrap();
    assert_eq!(home.text("a.py"), format!("line 1 of the file\n{new}"));
}

#[test]
fn an_edit_that_takes_little_away_or_leaves_no_placeholder_is_never_refused() {
    let home = Home::new();
    let ws = home.open();
    let old = lines(40);
    let most = old.split_once('\n').unwrap().1;
    // Little is taken away; nothing stands for it; it is no line of its own; the file has the mark already.
    home.put("a.py", &old);
    ws.replace(replace("a.py", "line 2 of the file\n", "# ...\n")).unwrap();
    home.put("a.py", &old);
    ws.replace(replace("a.py", most, "line 2\n")).unwrap();
    home.put("a.py", format!("state = {}", "x".repeat(400)));
    ws.replace(replace("a.py", &"x".repeat(400), "unchanged")).unwrap();
    assert_eq!(home.text("a.py"), "state = unchanged");
    let third = lines(13);
    home.put("a.py", format!("# ...\n{old}"));
    ws.replace(replace("a.py", &third, "# ...\n")).unwrap();
    // In the encoding of the file, too.
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    home.put("b.txt", [&[0xff, 0xfe], &*utf16(&format!("# ...\n{old}"))].concat());
    ws.replace(replace("b.txt", &third, "# ...\n")).unwrap();
}

#[test]
fn composing_parts_into_a_placeholder_is_refused_too() {
    let home = Home::new();
    home.put("a.py", lines(40));
    let ws = home.open();
    ws.chunks().append("s", "line 1\n".to_owned(), None).unwrap();
    ws.chunks().append("s", "# rest unchanged\n".to_owned(), None).unwrap();
    let refused = home.refused(|| ws.compose(composing("a.py", false)));
    assert_eq!(refused["context"]["reason"], "placeholder_for_text");
    let request = ComposeRequest { allow_shrink: true, ..composing("a.py", false) };
    let composed = ws.compose(request).unwrap();
    assert_eq!(composed.prev_sha256, Some(digest(lines(40))));
}

#[test]
fn every_change_of_a_file_tells_what_it_was() {
    let home = Home::new();
    let ws = home.open();
    let created = ws.write(create("a.txt", "one")).unwrap();
    assert_eq!((created.prev_bytes, created.prev_sha256), (None, None));
    let written = ws.write(overwrite("a.txt", "three")).unwrap();
    assert_eq!((written.prev_bytes, written.prev_sha256), (Some(3), Some(digest("one"))));
    let appended = ws.write(append("a.txt", "!")).unwrap();
    assert_eq!((appended.prev_bytes, appended.prev_sha256), (Some(5), Some(digest("three"))));
    let long = "x".repeat(70_000);
    ws.write(create("long.txt", &long)).unwrap();
    let appended = ws.write(append("long.txt", "!")).unwrap();
    assert_eq!((appended.prev_bytes, appended.prev_sha256), (Some(70_000), Some(digest(&long))));
    let edited = ws.replace(replace("a.txt", "three", "3")).unwrap();
    assert_eq!((edited.prev_bytes, edited.prev_sha256), (Some(6), Some(digest("three!"))));
    let first = ws.chunks().append("s", "first".to_owned(), None).unwrap();
    assert_eq!((first.prev_bytes, first.prev_sha256), (None, None));
    let again = ws.chunks().write("s", 1, "new".to_owned(), None).unwrap();
    assert_eq!((again.prev_bytes, again.prev_sha256), (Some(5), Some(digest("first"))));
    let composed = ws.compose(composing("a.txt", false)).unwrap();
    assert_eq!((composed.prev_bytes, composed.prev_sha256), (Some(2), Some(digest("3!"))));
}

#[test]
fn a_full_disk_is_called_one() {
    for errno in [28, 122] {
        let source = std::io::Error::from_raw_os_error(errno);
        let error = Error::Os { path: "a".to_owned(), operation: "sync", source };
        let answer = answer(&error);
        assert_eq!(answer["error"], "quota_exceeded");
        assert_eq!(answer["context"]["reason"], "disk_full");
    }
}
