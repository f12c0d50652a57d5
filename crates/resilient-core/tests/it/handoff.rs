//! Handoffs on a real disk.

use resilient_core::checkpoint::{Format, SaveRequest};
use resilient_core::handoff::{HandoffReceipt, HandoffRequest};
use resilient_core::journal::Mode;
use resilient_core::{Result, Workspace};
use serde_json::{Map, Value, json};

use crate::home::{
    Home, correctable, digest, entries, envelope, json_of, malformed, refusal, stale,
};

const ARCHIVE: &str = ".resilient_write/handoffs";

fn facts() -> Value {
    json!({
        "task_id": "T-1", "status": "partial", "agent": "tester", "summary": "half: done",
        "next_steps": ["go on"], "last_good_state": [],
    })
}

/// The facts with one of them set otherwise.
fn with(key: &str, value: Value) -> Value {
    let mut facts = facts();
    facts[key] = value;
    facts
}

fn request(facts: Value) -> HandoffRequest {
    let Value::Object(envelope) = facts else { panic!("a map") };
    HandoffRequest {
        envelope,
        body: String::new(),
        path: "HANDOFF.md".to_owned(),
        archive: false,
        expected_prev_sha256: None,
        reject_at: None,
        allow_shrink: false,
    }
}

fn write(ws: &Workspace, facts: Value) -> HandoffReceipt {
    ws.write_handoff(request(facts)).expect("a receipt")
}

fn archive(ws: &Workspace, facts: Value) -> HandoffReceipt {
    let request = HandoffRequest { archive: true, ..request(facts) };
    ws.write_handoff(request).expect("a receipt")
}

#[test]
fn a_handoff_says_what_other_writes_say_of_the_file_that_it_makes_or_replaces() {
    let home = Home::new();
    home.put("handoff.md", "");
    home.put("utf16.md", [b"\xff\xfe".as_slice(), b"o\0l\0d\0"].concat());
    let ws = home.open();
    assert_eq!(write(&ws, facts()).twins, ["handoff.md"]);
    assert_eq!(json_of(write(&ws, facts())).get("form_changed"), None);
    let request = HandoffRequest { path: "utf16.md".to_owned(), ..request(facts()) };
    let receipt = json_of(ws.write_handoff(request).expect("a receipt"));
    assert_eq!(receipt["form_changed"]["from"]["encoding"], "utf-16le", "{receipt}");
}

#[test]
fn a_handoff_with_a_placeholder_for_most_of_the_file_is_refused_unless_it_is_insisted_on() {
    let home = Home::new();
    let old = "all of the report\n".repeat(100);
    home.put("report.md", &old);
    let ws = home.open();
    let body = "The report.\n\n[... rest of the file unchanged ...]\n";
    let over = || HandoffRequest {
        path: "report.md".to_owned(),
        body: body.to_owned(),
        ..request(facts())
    };
    let refused = home.refused(|| ws.write_handoff(over()));
    assert_eq!(refused["context"]["reason"], "placeholder_for_text", "{refused}");
    assert_eq!(refused["context"]["prev_sha256"], json!(digest(&old)));
    ws.write_handoff(HandoffRequest { allow_shrink: true, ..over() }).expect("a receipt");
    assert!(home.text("report.md").contains(body));
}

#[test]
fn a_handoff_puts_no_mark_over_the_value_that_it_stands_for() {
    let home = Home::new();
    let secret = ["ghp_", &"aB3dE6gH9".repeat(4)].concat();
    let ws = home.open();
    write(&ws, with("summary", json!(format!("use {secret}"))));
    let text = home.text("HANDOFF.md");
    let request_of = |content: String| resilient_core::workspace::RedactRequest {
        source: resilient_core::workspace::Source::Content(content),
        chosen: Vec::new(),
        language: None,
        env: false,
        keep: false,
        write: None,
    };
    let clean = ws.redact(request_of(text.clone())).expect("a text").text.expect("a text");
    let summary = clean.lines().find_map(|line| line.strip_prefix("summary: ")).expect("a summary");
    let summary = summary.trim_matches(['"', '\'']);
    assert!(!summary.contains(&secret), "{summary}");
    let refused = home.refused(|| ws.write_handoff(request(with("summary", json!(summary)))));
    assert_eq!(refused["context"]["reason"], "mark_over_value", "{refused}");
    assert_eq!(home.text("HANDOFF.md"), text);
}

fn read(ws: &Workspace, path: &str) -> Result<Value> {
    ws.read_handoff(path).map(json_of)
}

fn drift(home: &Home, path: &str, sha256: &str) -> Value {
    let state = json!([{"path": path, "sha256": sha256}]);
    let receipt = write(&home.open(), with("last_good_state", state));
    let found = home.open().read_handoff("HANDOFF.md").expect("a handoff");
    assert_eq!(
        found.drift_warnings, receipt.drift_warnings,
        "a reader finds what the writer found"
    );
    json_of(found.drift_warnings)
}

#[test]
fn a_handoff_is_written_with_its_row_and_reads_back() {
    let home = Home::new();
    let ws = home.open();
    let receipt = ws
        .write_handoff(HandoffRequest {
            body: "# Größe\n\ntext \n\n \n".to_owned(),
            path: "docs/next.md".to_owned(),
            ..request(with("extra", json!({"z": 1, "a": [true, null, "08"]})))
        })
        .expect("a receipt");
    let text = "---\ntask_id: T-1\nstatus: partial\nagent: tester\nsummary: \"half: done\"\n\
                next_steps:\n- go on\nlast_good_state: []\nextra:\n  z: 1\n  a:\n  - true\n  \
                - null\n  - \"08\"\nupdated_at: \"2023-11-14T22:13:20Z\"\n---\n\n\
                # Größe\n\ntext\n";
    assert_eq!(home.text("docs/next.md"), text);
    assert_eq!(
        json_of(&receipt),
        json!({
            "handoff_path": "docs/next.md", "sha256": digest(text), "bytes": text.len(),
            "journal_id": receipt.journal_id, "drift_warnings": [],
        })
    );
    let [row] = &entries(&ws)[..] else { panic!("one row") };
    assert_eq!((row.path.as_str(), row.mode), ("docs/next.md", Mode::Create));
    assert_eq!((&row.journal_id, row.sha256.digest()), (&receipt.journal_id, Some(receipt.sha256)));
    let found = read(&ws, "docs/next.md").expect("a handoff");
    let mut expected = with("extra", json!({"z": 1, "a": [true, null, "08"]}));
    expected["updated_at"] = json!("2023-11-14T22:13:20Z");
    assert_eq!(
        found,
        json!({
            "handoff_path": "docs/next.md", "envelope": expected,
            "body": "# Größe\n\ntext\n", "drift_warnings": [],
        })
    );
    let keys: Vec<&String> = found["envelope"].as_object().expect("a map").keys().collect();
    assert_eq!(
        keys,
        [
            "task_id",
            "status",
            "agent",
            "summary",
            "next_steps",
            "last_good_state",
            "extra",
            "updated_at"
        ]
    );
    home.assert_tidy();
}

#[test]
fn a_time_that_is_given_stays_where_and_what_it_is() {
    let home = Home::new();
    let ws = home.open();
    let mut facts = Map::new();
    facts.insert("updated_at".to_owned(), json!("whenever"));
    if let Value::Object(rest) = self::facts() {
        facts.extend(rest);
    }
    write(&ws, Value::Object(facts));
    assert!(home.text("HANDOFF.md").starts_with("---\nupdated_at: whenever\ntask_id: T-1\n"));
}

#[test]
fn a_body_of_nothing_but_space_is_none() {
    let home = Home::new();
    let ws = home.open();
    for body in ["", "\n", " \n\t\n"] {
        let request = HandoffRequest { body: body.to_owned(), ..request(facts()) };
        ws.write_handoff(request).expect("a receipt");
        assert!(home.text("HANDOFF.md").ends_with("Z\"\n---\n"), "{body:?}");
        assert_eq!(read(&ws, "HANDOFF.md").expect("a handoff")["body"], "");
    }
    let body = "\n\n---\nnot: facts\n---\nrest".to_owned();
    ws.write_handoff(HandoffRequest { body, ..request(facts()) }).expect("a receipt");
    assert_eq!(read(&ws, "HANDOFF.md").expect("a handoff")["body"], "---\nnot: facts\n---\nrest\n");
}

#[test]
fn facts_are_checked_before_anything_is_made() {
    let home = Home::new();
    let ws = home.open();
    let refused = |facts: Value| refusal(ws.write_handoff(request(facts)));
    assert_eq!(
        refused(json!({"last_good_state": 1, "status": "?", "agent": null})),
        malformed(json!({"missing_fields": ["task_id", "summary", "next_steps"]}))
    );
    assert_eq!(
        refused(json!({})),
        malformed(json!({
            "missing_fields":
                ["task_id", "status", "agent", "summary", "next_steps", "last_good_state"],
        }))
    );
    for status in [json!("done"), json!(""), json!(null), json!(["partial"]), json!("Partial")] {
        assert_eq!(
            refused(with("status", status.clone())),
            malformed(json!({
                "status": status, "valid": ["blocked", "complete", "handed_off", "partial"],
            }))
        );
    }
    for wrong in [json!("a"), json!(null), json!({}), json!(1)] {
        for field in ["next_steps", "last_good_state"] {
            assert_eq!(
                refused(with(field, wrong.clone())),
                malformed(json!({"field": field, "reason": "must_be_list"}))
            );
        }
    }
    let good = json!({"path": "a", "sha256": "b"});
    for wrong in [json!("a"), json!({"path": "a"}), json!({"sha256": "b"}), json!([]), json!(null)]
    {
        assert_eq!(
            refused(with("last_good_state", json!([good, wrong, 1]))),
            malformed(json!({
                "field": "last_good_state", "index": 1,
                "reason": "each_entry_needs_path_and_sha256",
            }))
        );
    }
    let deep: Value =
        serde_json::from_str(&["[".repeat(100), "]".repeat(100)].concat()).expect("JSON");
    assert_eq!(
        refused(with("extra", deep)),
        correctable(json!({
            "argument": "envelope", "reason": "more than 64 levels of lists and maps",
        }))
    );
    assert_eq!(home.names(""), [""; 0]);
    for status in ["complete", "partial", "blocked", "handed_off"] {
        write(&ws, with("status", json!(status)));
    }
}

#[test]
fn drift_is_told_and_never_an_error() {
    let home = Home::new();
    home.put("a.txt", "as it was");
    home.put("sub/b.txt", "b");
    let right = digest("as it was").to_string();
    assert_eq!(drift(&home, "a.txt", &right), json!([]));
    assert_eq!(drift(&home, "./sub/../a.txt", &right), json!([]));
    assert_eq!(drift(&home, &home.path("a.txt").to_string_lossy(), &right), json!([]));
    let wrong = digest("other").to_string();
    assert_eq!(
        drift(&home, "a.txt", &wrong),
        json!([{
            "path": "a.txt", "reason": "hash_mismatch", "expected_sha256": wrong,
            "actual_sha256": right,
        }])
    );
    for missing in ["gone.txt", "no/dir/gone.txt", "a.txt/below"] {
        assert_eq!(
            drift(&home, missing, &right),
            json!([{"path": missing, "reason": "missing"}]),
            "exactly these two"
        );
    }
    for invalid in ["", "../a.txt", "/etc/passwd", "a\0b", "sub", "."] {
        assert_eq!(
            drift(&home, invalid, &right),
            json!([{"path": invalid, "reason": "invalid_path"}])
        );
    }
    // All of them in one handoff, in its order; odd values too.
    let state = json!([
        {"path": "a.txt", "sha256": null}, {"path": 7, "sha256": right},
        {"path": "gone", "sha256": "x", "note": "kept"},
    ]);
    let receipt = write(&home.open(), with("last_good_state", state.clone()));
    assert_eq!(
        json_of(receipt.drift_warnings),
        json!([
            {
                "path": "a.txt", "reason": "hash_mismatch", "expected_sha256": "null",
                "actual_sha256": right,
            },
            {"path": 7, "reason": "invalid_path"},
            {"path": "gone", "reason": "missing"},
        ])
    );
    let found = read(&home.open(), "HANDOFF.md").expect("a handoff");
    assert_eq!(found["envelope"]["last_good_state"], state);
}

#[cfg(unix)]
#[test]
fn nothing_outside_is_ever_digested() {
    let home = Home::new();
    let outside = Home::new();
    outside.put("secret", "secret");
    let link = std::os::unix::fs::symlink::<_, std::path::PathBuf>;
    link(outside.path("secret"), home.path("link")).expect("a link");
    link(outside.path(""), home.path("dir")).expect("a link");
    for path in ["link", "dir/secret", &outside.path("secret").to_string_lossy()] {
        assert_eq!(drift(&home, path, "x"), json!([{"path": path, "reason": "invalid_path"}]));
        let refused = refusal(read(&home.open(), path));
        assert_eq!(refused["context"]["reason"], "escapes_workspace", "{path}");
        assert!(!refused.to_string().contains(&digest("secret").to_string()));
    }
}

#[test]
fn a_file_of_the_last_good_state_is_looked_for_in_every_root() {
    let home = Home::new();
    home.put("main/x", "");
    home.put("other/b.txt", "b");
    home.put("outside.md", "---\na: 1\n---\n");
    let ws = home
        .builder()
        .cwd(home.path("main"))
        .state(home.path("main"))
        .roots(vec![home.path("main"), home.path("other")])
        .open();
    let state = json!([{"path": "b.txt", "sha256": digest("b")}]);
    let receipt = ws
        .write_handoff(HandoffRequest {
            path: home.path("other/HANDOFF.md").to_string_lossy().into_owned(),
            ..request(with("last_good_state", state))
        })
        .expect("a receipt");
    assert_eq!(receipt.drift_warnings, []);
    let there = home.path("other/HANDOFF.md").to_string_lossy().into_owned();
    assert_eq!(receipt.handoff_path, there);
    assert_eq!(read(&ws, &there).expect("a handoff")["envelope"]["task_id"], "T-1");
    let missing = refusal(read(&ws, "HANDOFF.md"));
    assert_eq!(missing["context"]["nearest_names"], json!([there]));
    let expected = |path: &str| {
        envelope(
            ["policy_violation", "permission", "abort"],
            json!({
                "path": path, "reason": "escapes_workspace",
                "resolved": home.path("outside.md"),
                "workspaces": [home.path("main"), home.path("other")],
            }),
        )
    };
    let absolute = home.path("outside.md").to_string_lossy().into_owned();
    for path in ["../outside.md", absolute.as_str()] {
        assert_eq!(refusal(read(&ws, path)), expected(path));
    }
    // What is not there at all is no better.
    assert_eq!(refusal(read(&ws, "../nowhere.md"))["context"]["reason"], "escapes_workspace");
}

#[test]
fn what_cannot_be_read_is_named() {
    let home = Home::new();
    let ws = home.open();
    assert_eq!(
        refusal(read(&ws, "HANDOFF.md")),
        stale(json!({"path": "HANDOFF.md", "reason": "not_found"}))
    );
    assert_eq!(
        refusal(read(&ws, "")),
        envelope(
            ["policy_violation", "permission", "abort"],
            json!({"path": "", "reason": "empty_path"}),
        )
    );
    assert_eq!(home.names(""), [""; 0]);
    std::fs::create_dir(home.path("dir")).expect("a directory");
    assert_eq!(
        refusal(read(&ws, "dir")),
        envelope(
            ["policy_violation", "unknown", "abort"],
            json!({
                "path": "dir", "reason": "is_a_directory", "errno": 21,
                "strerror": "Is a directory",
            }),
        )
    );
    for (bytes, reason) in [
        (&b""[..], "missing_front_matter_delimiter"),
        (b"# Title\n---\n", "missing_front_matter_delimiter"),
        (b"\n---\na: 1\n---\n", "missing_front_matter_delimiter"),
        (b"--", "missing_front_matter_delimiter"),
        (b"---", "unterminated_front_matter"),
        (b"---\na: 1\n --- \n", "unterminated_front_matter"),
        (b"---\n---\n", "front_matter_not_mapping"),
        (b"---\ntext\n---\n", "front_matter_not_mapping"),
        (b"---\n- a\n---\n", "front_matter_not_mapping"),
        (b"---\na: [\n---\n", "yaml_error: "),
        (b"---\na: b: c\n---\n", "yaml_error: "),
        (b"---\na: \xff\n---\n", "not_utf8: "),
    ] {
        home.put("HANDOFF.md", bytes);
        let refused = refusal(read(&ws, "HANDOFF.md"));
        let told = refused["context"]["reason"].as_str().unwrap_or_default().to_owned();
        assert!(told.starts_with(reason), "{}: {told}", String::from_utf8_lossy(bytes));
        assert_eq!(refused, malformed(json!({"path": "HANDOFF.md", "reason": told})));
    }
    home.put("HANDOFF.md", ["---\na: ", &"[".repeat(10_000), "\n---\n"].concat());
    assert!(refusal(read(&ws, "HANDOFF.md")).to_string().contains("yaml_error: "));
}

#[test]
fn a_handoff_that_an_editor_on_windows_saved_reads_the_same() {
    let home = Home::new();
    let ws = home.open();
    let body = "one\ntwo\n".to_owned();
    ws.write_handoff(HandoffRequest { body, ..request(facts()) }).expect("a receipt");
    let before = read(&ws, "HANDOFF.md").expect("a handoff");
    let text = home.text("HANDOFF.md").replace('\n', "\r\n");
    home.put("HANDOFF.md", format!("\u{feff}{text}"));
    let after = read(&ws, "HANDOFF.md").expect("a handoff");
    assert_eq!(after["envelope"], before["envelope"]);
    assert_eq!(after["body"], "one\r\ntwo\r\n");
}

#[test]
fn an_earlier_handoff_is_replaced_without_a_word() {
    let home = Home::new();
    let ws = home.open();
    home.put("HANDOFF.md", "anything at all");
    write(&ws, facts());
    assert_eq!(entries(&ws).pop().map(|row| row.mode), Some(Mode::Overwrite));
    assert!(home.text("HANDOFF.md").starts_with("---\n"));
    assert!(!home.has(ARCHIVE));
}

#[test]
fn an_archive_keeps_the_handoff_that_is_replaced() {
    let home = Home::new();
    let ws = home.open();
    assert_eq!(archive(&ws, facts()).archive_path, None);
    assert!(!home.has(ARCHIVE), "there was none to keep");
    home.put("HANDOFF.md", b"old\r\n\xff");
    let kept = archive(&ws, with("task_id", json!("next"))).archive_path;
    assert_eq!(kept, Some(format!("{ARCHIVE}/20231114T221320Z_next.md")));
    assert_eq!(home.names(ARCHIVE), ["20231114T221320Z_next.md"]);
    assert_eq!(home.read(&format!("{ARCHIVE}/20231114T221320Z_next.md")), b"old\r\n\xff");
    assert_eq!(entries(&ws).len(), 2, "the copy has no row");
    #[cfg(unix)]
    assert_eq!(
        (home.mode(ARCHIVE), home.mode(&format!("{ARCHIVE}/20231114T221320Z_next.md"))),
        (0o700, 0o600)
    );
    home.assert_tidy();
    drop(ws);
    assert_eq!(home.names(".resilient_write/tmp"), [""; 0]);
}

#[test]
fn an_archive_never_replaces_another_copy() {
    let home = Home::new();
    let ws = home.open();
    for old in ["one", "two", "three", "two"] {
        home.put("HANDOFF.md", old);
        archive(&ws, facts());
    }
    let stem = "20231114T221320Z_T-1";
    assert_eq!(
        home.names(ARCHIVE),
        [format!("{stem}.md"), format!("{stem}_2.md"), format!("{stem}_3.md")]
    );
    assert_eq!(home.text(&format!("{ARCHIVE}/{stem}.md")), "one");
    assert_eq!(home.text(&format!("{ARCHIVE}/{stem}_2.md")), "two");
    assert_eq!(home.text(&format!("{ARCHIVE}/{stem}_3.md")), "three");
    // Nor do calls that share a batch.
    let threads = 6;
    std::thread::scope(|scope| {
        for n in 0..threads {
            home.put(&format!("h{n}.md"), format!("handoff {n}"));
            let ws = &ws;
            scope.spawn(move || {
                let request = HandoffRequest {
                    archive: true,
                    path: format!("h{n}.md"),
                    ..request(with("task_id", json!("all")))
                };
                ws.write_handoff(request).expect("a receipt");
            });
        }
    });
    let copies = home.names(ARCHIVE);
    let mut kept: Vec<String> = copies
        .iter()
        .filter(|name| name.contains("all"))
        .map(|name| home.text(&format!("{ARCHIVE}/{name}")))
        .collect();
    kept.sort();
    assert_eq!(kept, (0..threads).map(|n| format!("handoff {n}")).collect::<Vec<_>>());
}

#[test]
fn a_hostile_task_names_no_other_file() {
    for (task, name) in [
        (json!("../x/y"), ".._x_y"),
        (json!("a\\b:c*?\"<>|\0\n"), "a_b_c________"),
        (json!(""), ""),
        (json!(7), "7"),
        (json!("größe 1.2"), "größe_1.2"),
        (json!(["/"]), "_____"),
        (json!("é".repeat(500)), &*"é".repeat(100)),
    ] {
        let home = Home::new();
        home.put("HANDOFF.md", "old");
        archive(&home.open(), with("task_id", task));
        assert_eq!(home.names(ARCHIVE), [format!("20231114T221320Z_{name}.md")]);
        assert_eq!(home.names(""), [".resilient_write", "HANDOFF.md"]);
    }
}

#[test]
fn the_same_handoff_again_keeps_its_copy_and_leaves_no_litter() {
    let home = Home::new();
    let ws = home.open();
    let facts = with("updated_at", json!("now"));
    let first = write(&ws, facts.clone());
    let before = std::fs::metadata(home.path("HANDOFF.md")).expect("the file");
    let second = archive(&ws, facts.clone());
    let after = std::fs::metadata(home.path("HANDOFF.md")).expect("the file");
    assert_eq!(before.modified().expect("a time"), after.modified().expect("a time"));
    assert_eq!((first.sha256, first.bytes), (second.sha256, second.bytes));
    assert_ne!(first.journal_id, second.journal_id);
    assert_eq!(entries(&ws).len(), 2);
    assert_eq!(
        home.text(&format!("{ARCHIVE}/20231114T221320Z_T-1.md")),
        home.text("HANDOFF.md"),
        "it was asked for"
    );
    archive(&ws, facts);
    assert_eq!(home.names(ARCHIVE).len(), 1, "one copy of one content");
    home.assert_tidy();
    drop(ws);
    assert_eq!(home.names(".resilient_write/tmp"), [""; 0]);
    let report = home.open().recover().expect("a report");
    assert_eq!(report, resilient_core::recovery::Report::default(), "nothing was left to do");
}

#[test]
fn a_crash_before_the_copy_of_an_unchanged_handoff_is_recovered() {
    // The copy is the only file of the row: the handoff itself was in place.
    for (slot, finished) in [(None, true), (Some("torn"), false)] {
        let home = Home::new();
        write(&home.open(), facts());
        let text = home.text("HANDOFF.md");
        let mut journal = home.text(".resilient_write/journal.jsonl");
        let mut row: Value = serde_json::from_str(journal.trim_end()).expect("a row");
        let fields = row.as_object_mut().expect("a map");
        fields.retain(|key, _| key != "staged" && key != "chain");
        fields.insert("prev_sha256".to_owned(), json!(digest(&text)));
        fields.insert("seq".to_owned(), json!(2));
        fields.insert("batch".to_owned(), json!(2));
        let copy = format!("{ARCHIVE}/copy.md");
        let also = json!([{
            "abs_path": home.path(&copy), "sha256": digest(&text), "staged": "s-0-1",
        }]);
        fields.insert("also".to_owned(), also);
        journal.push_str(&format!("{row}\n"));
        home.put(".resilient_write/journal.jsonl", journal);
        home.put(".resilient_write/tmp/s-0-1", slot.unwrap_or(&text));

        let ws = home.open();
        let report = ws.recover().expect("a report");
        let paths = vec!["HANDOFF.md".to_owned()];
        if finished {
            assert_eq!((report.finished, report.withdrawn), (paths, vec![]));
            assert_eq!(home.text(&copy), text);
            #[cfg(unix)]
            assert_eq!(home.mode(ARCHIVE), 0o700, "as it would have been without a crash");
        } else {
            assert_eq!((report.finished, report.withdrawn), (vec![], paths));
            assert!(!home.has(&copy));
        }
        assert_eq!(entries(&ws).len(), if finished { 2 } else { 1 });
        assert_eq!(home.text("HANDOFF.md"), text, "the handoff is what it was");
        home.assert_tidy();
    }
}

#[test]
fn a_bad_path_is_refused_and_nothing_is_archived() {
    let home = Home::new();
    let ws = home.open();
    std::fs::create_dir(home.path("dir")).expect("a directory");
    let reason = |path: &str| {
        let request = HandoffRequest { archive: true, path: path.to_owned(), ..request(facts()) };
        refusal(ws.write_handoff(request))["context"]["reason"].clone()
    };
    assert_eq!(reason("../HANDOFF.md"), "escapes_workspace");
    assert_eq!(reason(""), "empty_path");
    assert_eq!(reason("dir"), "is_a_directory");
    assert_eq!(reason(".resilient_write/handoffs/x.md"), "protected_path");
    assert_eq!(reason(".git/HANDOFF.md"), "protected_path");
    assert!(!home.has(ARCHIVE));
    home.assert_tidy();
}

#[cfg(unix)]
#[test]
fn a_handoff_with_another_name_is_not_parted_from_it() {
    let home = Home::new();
    let ws = home.open();
    home.put("HANDOFF.md", "old");
    std::fs::hard_link(home.path("HANDOFF.md"), home.path("twin.md")).expect("a link");
    let request = || HandoffRequest { archive: true, ..request(facts()) };
    assert_eq!(refusal(ws.write_handoff(request()))["context"]["reason"], "hard_linked");
    assert!(!home.has(ARCHIVE), "no copy of what was not replaced, nor its directory");
    home.assert_tidy();
    home.put(".resilient_write/policy.yaml", "hard_links: in_place\n");
    ws.write_handoff(request()).expect("a receipt");
    assert_eq!(home.text("HANDOFF.md"), home.text("twin.md"));
    assert_eq!(home.text(&format!("{ARCHIVE}/20231114T221320Z_T-1.md")), "old");
    home.assert_tidy();
}

#[cfg(unix)]
#[test]
fn permissions_of_the_handoff_are_kept() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    home.put("HANDOFF.md", "old");
    std::fs::set_permissions(home.path("HANDOFF.md"), std::fs::Permissions::from_mode(0o640))
        .expect("permissions");
    archive(&home.open(), facts());
    assert_eq!(home.mode("HANDOFF.md"), 0o640);
    assert_eq!(home.mode(&format!("{ARCHIVE}/20231114T221320Z_T-1.md")), 0o600);
}

#[test]
fn checkpoints_are_mentioned_if_there_are_any() {
    let home = Home::new();
    let ws = home.open();
    assert!(json_of(write(&ws, facts())).get("checkpoint_refs").is_none());
    assert!(read(&ws, "HANDOFF.md").expect("a handoff").get("checkpoint_refs").is_none());
    for name in ["zeta", "alpha"] {
        let request = SaveRequest {
            name: name.to_owned(),
            data: json!(name),
            format: Format::Json,
            ttl: "session".to_owned(),
            expected_prev_sha256: None,
            reject_at: None,
        };
        ws.checkpoints().save(request).expect("a checkpoint");
    }
    let listed = |name: &str| {
        let path = format!(".resilient_write/checkpoints/{name}.json");
        let bytes = home.read(&path);
        json!({"name": name, "sha256": digest(&bytes), "bytes": bytes.len(), "path": path})
    };
    let expected = json!([listed("alpha"), listed("zeta")]);
    assert_eq!(json_of(write(&ws, facts()))["checkpoint_refs"], expected);
    assert_eq!(read(&ws, "HANDOFF.md").expect("a handoff")["checkpoint_refs"], expected);
    // What is no checkpoint file keeps nobody from a handoff.
    std::fs::create_dir(home.path(".resilient_write/checkpoints/dir.json")).expect("a directory");
    assert_eq!(read(&ws, "HANDOFF.md").expect("a handoff")["checkpoint_refs"], expected);
}
