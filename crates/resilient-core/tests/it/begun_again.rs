//! A chunk session that was composed and removed, and begins again.

use resilient_core::Workspace;
use resilient_core::chunk::{ComposeRequest, PartRequest};
use resilient_core::journal::By;
use serde_json::{Value, json};

use crate::home::{Home, STALE, composing, digest, entries, envelope, hinted, json_of, overwrite};

const NOVEL: &str = "chapter 1\nchapter 2\n";

fn part(content: &str) -> PartRequest {
    let (session, content) = ("s".to_owned(), content.to_owned());
    PartRequest { session, content, ..PartRequest::default() }
}

/// What `composed` and `composed_before` have after the two chapters were composed.
fn composed(ws: &Workspace, path: &str) -> Value {
    let sha256 = digest(NOVEL);
    let row = entries(ws).into_iter().find(|row| row.path == path && row.sha256 == sha256);
    let journal_id = row.expect("a row").journal_id;
    json!({"journal_id": journal_id, "path": path, "sha256": sha256, "ts": "2023-11-14T22:13:20Z"})
}

/// Two chapters that were composed into `novel.md`; the session is gone.
fn novel(home: &Home) -> Workspace {
    let ws = home.open();
    for chapter in NOVEL.split_inclusive('\n') {
        ws.keep_part(part(chapter)).expect("a part");
    }
    ws.compose(composing("novel.md", true)).expect("a receipt");
    ws
}

#[test]
fn a_part_that_goes_behind_parts_that_were_composed_is_told_where_they_are() {
    let home = Home::new();
    let ws = novel(&home);
    let expected = Some(digest("chapter 2\n").to_string());
    for index in [None, Some(1), Some(2)] {
        let next =
            PartRequest { index, expected_prev_sha256: expected.clone(), ..part("chapter 3\n") };
        let (hint, answer) = hinted(&ws.keep_part(next).expect_err("a refusal"));
        assert_eq!(
            answer,
            envelope(
                STALE,
                json!({
                    "session": "s", "reason": "session_composed", "composed": composed(&ws, "novel.md"),
                    "expected_prev_sha256": expected, "actual_prev_sha256": "",
                }),
            ),
            "{index:?}"
        );
        assert!(hint.starts_with("append more text to the file context.composed.path"), "{hint}");
        assert!(hint.ends_with("or begin a session of another name"), "{hint}");
    }
    assert!(!ws.session_status("s").expect("a status").exists);

    // A session that was never composed has no such file.
    let other = PartRequest {
        session: "t".to_owned(),
        expected_prev_sha256: expected.clone(),
        ..part("chapter 3\n")
    };
    let (_, answer) = hinted(&ws.keep_part(other).expect_err("a refusal"));
    assert_eq!(answer["context"]["path"], ".resilient_write/chunks/t/part-001.txt");

    // Nor is a part that another beginning does not have yet where the file is.
    ws.keep_part(part("another\n")).expect("a part");
    let third =
        PartRequest { index: Some(3), expected_prev_sha256: expected, ..part("chapter 3\n") };
    let (_, answer) = hinted(&ws.keep_part(third).expect_err("a refusal"));
    assert_eq!(answer["context"]["reason"], "session_composed");
}

#[test]
fn a_session_that_begins_again_says_what_it_was_composed_into() {
    let home = Home::new();
    let ws = novel(&home);
    for index in [1, 2] {
        let kept = json_of(ws.keep_part(part("more\n")).expect("a part"));
        assert_eq!(
            (&kept["index"], &kept["composed_before"]),
            (&json!(index), &composed(&ws, "novel.md"))
        );
    }
    let status = json_of(ws.session_status("s").expect("a status"));
    assert_eq!(status["composed_before"], composed(&ws, "novel.md"));

    // A reset removes the parts; what the session was composed into stays.
    ws.chunks().reset("s").expect("a reset");
    let again = PartRequest { index: Some(2), ..part("more\n") };
    let kept = json_of(ws.keep_part(again).expect("a part"));
    assert_eq!(kept["composed_before"], composed(&ws, "novel.md"));

    // A session that was composed without cleanup goes on.
    let home = Home::new();
    let ws = home.open();
    ws.keep_part(part("chapter 1\n")).expect("a part");
    ws.compose(composing("novel.md", false)).expect("a receipt");
    let kept = json_of(ws.keep_part(part("chapter 2\n")).expect("a part"));
    assert_eq!(kept.get("composed_before"), None);
    assert_eq!(json_of(ws.session_status("s").expect("a status")).get("composed_before"), None);
    ws.compose(composing("novel.md", true)).expect("a receipt");
    assert_eq!(home.text("novel.md"), NOVEL);
}

#[test]
fn a_new_beginning_replaces_what_the_session_was_composed_into_only_by_its_digest() {
    let home = Home::new();
    let ws = novel(&home);
    ws.keep_part(part("chapter 3\n")).expect("a part");
    let plain = || ws.compose(composing("novel.md", true));
    let refused = || {
        let (hint, answer) = hinted(&plain().expect_err("a refusal"));
        for advice in [
            "if the parts go on with the file, append their text to it with `rw_safe_write` and `mode` append",
            "if they are a new version of it, pass context.actual_prev_sha256 as `expected_prev_sha256`",
        ] {
            assert!(hint.contains(advice), "{hint}");
        }
        answer
    };
    home.refused(plain);
    assert_eq!(
        refused(),
        envelope(
            STALE,
            json!({
                "session": "s", "path": "novel.md", "reason": "composed_before",
                "composed_before": composed(&ws, "novel.md"), "actual_prev_sha256": digest(NOVEL),
            }),
        )
    );

    // Another file is composed without a digest, and that changes nothing for the first one.
    ws.compose(composing("other.md", false)).expect("a receipt");
    assert_eq!(refused()["context"]["reason"], "composed_before");
    // The digest is that of the file as it is now, and nothing else will do.
    home.put("novel.md", "the user's own\n");
    let now = digest("the user's own\n");
    assert_eq!(refused()["context"]["actual_prev_sha256"], json!(now));
    let named = |sha256: &str| ComposeRequest {
        expected_prev_sha256: Some(sha256.to_owned()),
        ..composing("novel.md", false)
    };
    ws.compose(named(&digest(NOVEL).to_string())).expect_err("a refusal");
    ws.compose(named(&now.to_string())).expect("a receipt");
    assert_eq!(home.text("novel.md"), "chapter 3\n");

    // Now the file is made of the parts that are there, and they go on.
    ws.keep_part(part("chapter 4\n")).expect("a part");
    plain().expect("a receipt");
    assert_eq!(home.text("novel.md"), "chapter 3\nchapter 4\n");
}

#[test]
fn a_compose_without_a_digest_replaces_only_what_the_parts_of_its_session_have_left() {
    // What happens between the compose of two chapters and that of the third one, by what it is refused, and whether
    // the parts stay meanwhile.
    type Between = fn(&Home, &Workspace);
    let appends: Between = |home, _| {
        let text = [home.text("novel.md"), "the user's own\n".to_owned()].concat();
        home.put("novel.md", text);
    };
    let elsewhere: Between = |_, ws| {
        ws.keep_part(part("a note\n")).expect("a part");
        ws.compose(composing("notes.md", true)).expect("a receipt");
    };
    let by_digest: Between = |home, ws| {
        ws.keep_part(part("chapter 3\n")).expect("a part");
        let now = digest(home.text("novel.md")).to_string();
        let named =
            ComposeRequest { expected_prev_sha256: Some(now), ..composing("novel.md", false) };
        ws.compose(named).expect("a receipt");
    };
    let elsewhere_too: Between = |_, ws| {
        ws.compose(composing("notes.md", false)).expect("a receipt");
    };
    let cases: &[(&str, bool, &[Between], Option<&str>)] = &[
        ("the parts stay", false, &[], None),
        ("the parts stay and go elsewhere, too", false, &[elsewhere_too], None),
        ("somebody appends", false, &[appends], Some("stale")),
        (
            "somebody appends, and the parts go elsewhere, too",
            false,
            &[appends, elsewhere_too],
            Some("stale"),
        ),
        ("a new beginning", true, &[], Some("composed_before")),
        ("a new beginning after one for another file", true, &[elsewhere], Some("composed_before")),
        ("two of them", true, &[elsewhere, elsewhere], Some("composed_before")),
        ("a new beginning was composed by the digest", true, &[by_digest], None),
        ("and somebody appends", true, &[by_digest, appends], Some("stale")),
    ];
    for (what, cleanup, between, refused) in cases {
        let home = Home::new();
        let ws = home.open();
        for chapter in NOVEL.split_inclusive('\n') {
            ws.keep_part(part(chapter)).expect("a part");
        }
        ws.compose(composing("novel.md", *cleanup)).expect("a receipt");
        let left = digest(NOVEL);
        for step in *between {
            step(&home, &ws);
        }
        ws.keep_part(part("the end\n")).expect("a part");
        let now = home.text("novel.md");
        let compose = || ws.compose(composing("novel.md", false));
        let Some(refused) = refused else {
            compose().unwrap_or_else(|error| panic!("{what}: {error}"));
            continue;
        };
        home.refused(compose);
        let (hint, answer) = hinted(&compose().err().unwrap_or_else(|| panic!("{what}")));
        let context = &answer["context"];
        assert_eq!(answer["error"], "stale_precondition", "{what}: {answer}");
        assert_eq!(context["actual_prev_sha256"], json!(digest(&now)), "{what}: {answer}");
        assert!(
            hint.contains("context.actual_prev_sha256 as `expected_prev_sha256`"),
            "{what}: {hint}"
        );
        match *refused {
            "composed_before" => {
                assert_eq!(context["reason"], "composed_before", "{what}");
                assert_eq!(context["composed_before"]["path"], "novel.md", "{what}");
                assert_eq!(context["composed_before"]["sha256"], json!(left), "{what}");
            }
            _ => assert_eq!(context["changed_by"], "outside", "{what}: {answer}"),
        }
        // By the digest it is composed.
        let named = ComposeRequest {
            expected_prev_sha256: Some(digest(&now).to_string()),
            ..composing("novel.md", false)
        };
        ws.compose(named).unwrap_or_else(|error| panic!("{what}: {error}"));
    }
}

#[test]
fn a_new_beginning_that_loses_nothing_is_composed() {
    let home = Home::new();
    let ws = novel(&home);
    // The same text again.
    ws.keep_part(part(NOVEL)).expect("a part");
    ws.compose(composing("novel.md", true)).expect("a receipt");
    // A file that is gone.
    std::fs::remove_file(home.path("novel.md")).expect("removed");
    ws.keep_part(part("chapter 3\n")).expect("a part");
    ws.compose(composing("novel.md", true)).expect("a receipt");
    assert_eq!(home.text("novel.md"), "chapter 3\n");
    // A file of which another session was composed.
    let other = PartRequest { session: "t".to_owned(), ..part("other\n") };
    assert_eq!(json_of(ws.keep_part(other).expect("a part")).get("composed_before"), None);
    let session = "t".to_owned();
    ws.compose(ComposeRequest { session, ..composing("novel.md", true) }).expect("a receipt");
    assert_eq!(home.text("novel.md"), "other\n");
}

#[test]
fn that_a_session_was_composed_is_known_for_a_thousand_rows() {
    for (more, is_known) in [(999, true), (1000, false)] {
        let home = Home::new();
        let ws = novel(&home);
        let row = entries(&ws).pop().expect("a row");
        drop(ws);
        // Rows as the Python server writes them: they name the session, and are not of it.
        let line = format!(
            "{{\"bytes\":1,\"caller\":\"s\",\"journal_id\":\"wj_1\",\"mode\":\"create\",\"path\":\"s\",\
             \"sha256\":\"{}\",\"ts\":\"{}\"}}\n",
            digest("s"),
            row.ts
        );
        let journal = [home.journal(), line.repeat(more).into_bytes()].concat();
        home.put(".resilient_write/journal.jsonl", journal);
        let kept = json_of(home.open().keep_part(part("chapter 3\n")).expect("a part"));
        assert_eq!(kept.get("composed_before").is_some(), is_known, "{more}");
    }
}

#[test]
fn a_compose_replaces_what_its_own_client_has_written_since() {
    // A new version of a program is the same client.
    for (writer, refused) in
        [("one/1", None), ("one/2", None), ("other/1", Some("resilient_write"))]
    {
        let home = Home::new();
        let opened = home.open();
        let of = |client: &str| {
            opened.for_caller(By { client: Some(client.to_owned()), ..By::default() })
        };
        let ws = of("one/1");
        ws.keep_part(part("chapter 1\n")).expect("a part");
        ws.compose(composing("novel.md", false)).expect("a receipt");
        of(writer).write(overwrite("novel.md", "a draft\n")).expect("a receipt");
        let again = ws.compose(composing("novel.md", false));
        let told = again.err().map(|error| hinted(&error).1["context"]["changed_by"].clone());
        assert_eq!(told, refused.map(Value::from), "{writer}");
    }
}

/// Before, two composes within one second counted as one, and a compose of parts that were kept was refused.
#[test]
fn two_composes_of_the_same_text_within_one_second_are_told_apart() {
    let home = Home::new();
    let ws = home.open();
    for cleanup in [true, false] {
        ws.keep_part(part("chapter 1\n")).expect("a part");
        ws.compose(composing("novel.md", cleanup)).expect("a receipt");
    }
    ws.keep_part(part("chapter 2\n")).expect("a part");
    ws.compose(composing("novel.md", false)).expect("a receipt");
    assert_eq!(home.text("novel.md"), NOVEL);
}
