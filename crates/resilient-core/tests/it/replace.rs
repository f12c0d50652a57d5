//! Replacing text: how often, in which encodings, and in which order it is refused.

use resilient_core::form::Asked;
use resilient_core::journal::Mode;
use resilient_core::risk::Verdict;
use resilient_core::write::ReplaceRequest;
use resilient_core::{Envelope, Workspace};
use serde_json::{Value, json};

use crate::home::{Home, MALFORMED, NOW, STALE, envelope, replace, sha};

fn counting(count: i64, request: ReplaceRequest) -> ReplaceRequest {
    ReplaceRequest { count, ..request }
}

#[test]
fn a_receipt_tells_how_many_were_replaced() {
    let home = Home::new();
    home.put("d/a.txt", "one two one");
    let receipt = home.open().replace(counting(2, replace("d/a.txt", "one", "1"))).unwrap();
    assert_eq!(home.text("d/a.txt"), "1 two 1");
    let rows = home.rows();
    assert_eq!(
        serde_json::to_value(&receipt).unwrap(),
        json!({
            "path": "d/a.txt", "abs_path": home.abs("d/a.txt"), "sha256": sha("1 two 1"),
            "bytes": 7, "mode_applied": "replace", "journal_id": rows[0].journal_id,
            "wrote_at": NOW, "replacements": 2,
            "prev_bytes": 11, "prev_sha256": sha("one two one"),
        })
    );
    assert_eq!(rows[0].mode, Mode::Replace);
    assert_eq!(rows[0].prev_sha256.map(|digest| digest.to_string()), Some(sha("one two one")));
}

#[test]
fn minus_one_replaces_all() {
    let home = Home::new();
    home.put("a.txt", "aaaaa");
    let receipt = home.open().replace(counting(-1, replace("a.txt", "aa", "b"))).unwrap();
    assert_eq!((home.text("a.txt").as_str(), receipt.replacements), ("bba", Some(2)));
}

#[test]
fn text_may_be_taken_out() {
    let home = Home::new();
    home.put("a.txt", "keep this");
    home.open().replace(replace("a.txt", " this", "")).unwrap();
    assert_eq!(home.text("a.txt"), "keep");
}

#[test]
fn requests_that_mean_nothing_are_refused() {
    let home = Home::new();
    home.put("a.txt", "abc");
    let ws = home.open();
    for path in ["a.txt", "no such file", "../outside", ""] {
        // Both are found before the path is looked at, and the first before the second.
        assert_eq!(
            home.refused(|| ws.replace(counting(0, replace(path, "", "x")))),
            envelope(MALFORMED, json!({"path": path, "reason": "empty_old_string"}))
        );
        assert_eq!(
            home.refused(|| ws.replace(counting(0, replace(path, "a", "x")))),
            envelope(MALFORMED, json!({"path": path, "reason": "count_cannot_be_zero"}))
        );
    }
}

#[test]
fn a_missing_file_is_stale() {
    let home = Home::new();
    let ws = home.open();
    for path in ["a.txt", "d/e/a.txt"] {
        assert_eq!(
            home.refused(|| ws.replace(replace(path, "a", "b"))),
            envelope(STALE, json!({"path": path, "reason": "file_not_found"}))
        );
    }
}

#[test]
fn another_digest_than_expected_is_stale() {
    let home = Home::new();
    home.put("a.txt", "abc");
    let ws = home.open();
    let expecting = |expected: &str| ReplaceRequest {
        expected_prev_sha256: Some(expected.to_owned()),
        ..replace("a.txt", "b", "x")
    };
    assert_eq!(
        home.refused(|| ws.replace(expecting(""))),
        envelope(
            STALE,
            json!({
                "path": "a.txt", "expected_prev_sha256": "", "actual_prev_sha256": sha("abc"),
                "changed_by": "outside", "match_count": 1, "still_applies": true,
            })
        )
    );
    ws.replace(expecting(&sha("abc"))).unwrap();
    assert_eq!(home.text("a.txt"), "axc");
}

#[test]
fn counts_that_are_not_met_are_stale() {
    let home = Home::new();
    home.put("a.txt", "one\ntwo\none\n");
    let ws = home.open();
    assert_eq!(
        home.refused(|| ws.replace(counting(3, replace("a.txt", "one", "1")))),
        envelope(
            STALE,
            json!({
                "path": "a.txt", "reason": "insufficient_matches", "old_string": "one",
                "expected_count": 3, "actual_count": 2,
            })
        )
    );
    for count in [1, -2] {
        assert_eq!(
            home.refused(|| ws.replace(counting(count, replace("a.txt", "one", "1")))),
            envelope(
                STALE,
                json!({
                    "path": "a.txt", "reason": "ambiguous_match", "old_string": "one",
                    "expected_count": count, "actual_count": 2, "lines": [1, 3],
                })
            )
        );
    }
}

#[test]
fn text_that_does_not_occur_is_stale_and_the_nearest_is_shown() {
    let home = Home::new();
    home.put("a.txt", "fn main() {\n    let value = 1;\n}\n");
    let ws = home.open();
    let mut found = home.refused(|| ws.replace(replace("a.txt", "let  value = 1;", "x")));
    let nearest = found["context"].as_object_mut().unwrap().remove("nearest").unwrap();
    assert_eq!(
        found,
        envelope(
            STALE,
            json!({
                "path": "a.txt", "reason": "old_string_not_found", "old_string": "let  value = 1;",
            })
        )
    );
    assert!(nearest.is_object(), "{nearest}");

    home.put("empty", "");
    assert_eq!(
        home.refused(|| ws.replace(replace("empty", "a", "b"))),
        envelope(
            STALE,
            json!({
                "path": "empty", "reason": "old_string_not_found", "old_string": "a",
                "empty_file": true,
            })
        )
    );
}

#[test]
fn line_endings_stay_as_they_are() {
    let home = Home::new();
    let ws = home.open();
    home.put("crlf.txt", "one\r\ntwo\r\nthree\r\n");
    ws.replace(replace("crlf.txt", "one\ntwo\n", "1\n2\n")).unwrap();
    assert_eq!(home.text("crlf.txt"), "1\r\n2\r\nthree\r\n");
    home.put("mixed.txt", "one\r\ntwo\nthree\r\n");
    ws.replace(replace("mixed.txt", "three", "3")).unwrap();
    assert_eq!(home.text("mixed.txt"), "one\r\ntwo\n3\r\n");
}

#[test]
fn encodings_stay_as_they_are() {
    let home = Home::new();
    let ws = home.open();
    home.put("bom.txt", b"\xEF\xBB\xBFone two");
    ws.replace(replace("bom.txt", "two", "2")).unwrap();
    assert_eq!(home.read("bom.txt"), b"\xEF\xBB\xBFone 2");

    // "café noir" in Latin-1.
    home.put("latin1.txt", b"caf\xE9 noir");
    ws.replace(replace("latin1.txt", "noir", "crème")).unwrap();
    assert_eq!(home.read("latin1.txt"), b"caf\xE9 cr\xE8me");
    ws.replace(replace("latin1.txt", "café", "thé")).unwrap();
    assert_eq!(home.read("latin1.txt"), b"th\xE9 cr\xE8me");

    // UTF-16, little-endian: "ab" becomes "ax".
    home.put("utf16.txt", b"\xFF\xFEa\0b\0");
    ws.replace(replace("utf16.txt", "b", "x")).unwrap();
    assert_eq!(home.read("utf16.txt"), b"\xFF\xFEa\0x\0");
}

#[test]
fn what_an_encoding_lacks_is_refused() {
    let home = Home::new();
    home.put("latin1.txt", b"caf\xE9 noir");
    let ws = home.open();
    let found = home.refused(|| ws.replace(replace("latin1.txt", "noir", "a\u{1F980}")));
    assert_eq!(
        (&found["error"], &found["reason_hint"]),
        (&json!("policy_violation"), &json!("encoding"))
    );
    assert_eq!(found["context"]["reason"], "unencodable_character");
    assert_eq!(
        (&found["context"]["character"], &found["context"]["offset"]),
        (&json!("\u{1F980}"), &json!(1))
    );
}

#[test]
fn a_file_that_is_no_text_says_so() {
    let home = Home::new();
    home.put("binary", b"\x00\xFF\x80\x81");
    let ws = home.open();
    let mut found = home.refused(|| ws.replace(replace("binary", "abc", "x")));
    let reason = found["context"]["reason"].take();
    assert!(reason.as_str().unwrap().starts_with("not_utf8: "), "{reason}");
    assert_eq!(found, envelope(MALFORMED, json!({"path": "binary", "reason": null})));
}

#[test]
fn refusals_come_in_this_order() {
    // Each request has one fault less than the one before it.
    let home = Home::new();
    home.put("a.txt", b"\xFFabc\xFF");
    let ws = home.open();
    let faults = ReplaceRequest {
        path: "../a.txt".to_owned(),
        old_string: String::new(),
        new_string: "jane@example.com".to_owned(),
        count: 0,
        expected_prev_sha256: Some("00".to_owned()),
        reject_at: Some(Verdict::Low),
        validate: false,
        form: Asked::default(),
        allow_shrink: false,
    };
    let reason = |request: &ReplaceRequest| reason(&ws, request.clone());
    assert_eq!(reason(&faults), "empty_old_string");
    let faults = ReplaceRequest { old_string: "absent".to_owned(), ..faults };
    assert_eq!(reason(&faults), "count_cannot_be_zero");
    let faults = ReplaceRequest { count: 1, ..faults };
    assert_eq!(reason(&faults), "escapes_workspace");
    let faults = ReplaceRequest { path: "none.txt".to_owned(), ..faults };
    assert_eq!(reason(&faults), "file_not_found");
    let faults = ReplaceRequest { path: "a.txt".to_owned(), ..faults };
    assert_eq!(reason(&faults), "blocked");
    let faults = ReplaceRequest { reject_at: None, validate: false, ..faults };
    assert_eq!(reason(&faults), "stale_precondition");
    let faults = ReplaceRequest { expected_prev_sha256: None, ..faults };
    assert_eq!(reason(&faults).split(':').next(), Some("not_utf8"));
    home.put("a.txt", "abc");
    assert_eq!(reason(&faults), "old_string_not_found");
    let sound = ReplaceRequest { old_string: "abc".to_owned(), ..faults };
    assert_eq!(reason(&sound), "");
}

/// The reason of a refusal; its category where it has none.
fn reason(ws: &Workspace, request: ReplaceRequest) -> String {
    let Err(error) = ws.replace(request) else { return String::new() };
    let envelope = serde_json::to_value(Envelope::from(&error)).unwrap();
    match &envelope["context"]["reason"] {
        Value::String(reason) => reason.clone(),
        _ => envelope["error"].as_str().unwrap().to_owned(),
    }
}

#[test]
fn only_the_new_text_is_looked_at() {
    let home = Home::new();
    home.put("a.txt", "mail jane@example.com now");
    let ws = home.open();
    let rejecting =
        |request| ReplaceRequest { reject_at: Some(Verdict::Low), validate: false, ..request };
    let error = ws.replace(rejecting(replace("a.txt", "now", "john@example.com"))).unwrap_err();
    let found = serde_json::to_value(Envelope::from(&error)).unwrap();
    assert_eq!(found["error"], "blocked");
    assert_eq!(found["context"]["path"], "a.txt");
    assert_eq!(found["context"]["draft_sha256"], json!(sha("john@example.com")));
    assert_eq!(home.text("a.txt"), "mail jane@example.com now");
    ws.replace(rejecting(replace("a.txt", "now", "later"))).unwrap();
    assert_eq!(home.text("a.txt"), "mail jane@example.com later");
}
