//! The scratchpad on a real disk.

use std::sync::atomic::{AtomicU32, Ordering};

use resilient_core::journal::Mode;
use resilient_core::scratch::{Encoding, GetRequest, ListRequest, PutReceipt, PutRequest};
use resilient_core::{Cancelled, Error, Workspace};
use serde_json::{Value, json};

use crate::home::{Home, digest, entries, envelope, hinted, json_of, malformed, refusal, stale};

const INDEX: &str = ".resilient_write/scratch/index.jsonl";

fn text(content: &str) -> PutRequest {
    PutRequest { content: content.to_owned(), ..PutRequest::default() }
}

fn labelled(content: &str, label: &str) -> PutRequest {
    PutRequest { label: Some(label.to_owned()), ..text(content) }
}

fn base64(content: &str) -> PutRequest {
    PutRequest { encoding: Encoding::Base64, ..text(content) }
}

fn put(ws: &Workspace, request: PutRequest) -> PutReceipt {
    ws.scratch().put(request).expect("a receipt")
}

fn bin(content: impl AsRef<[u8]>) -> String {
    format!(".resilient_write/scratch/{}.bin", digest(content))
}

#[test]
fn long_content_comes_in_pages_that_add_up_to_it_and_cut_no_character() {
    let home = Home::new();
    let ws = home.open();
    let content = "a line with an é and a 🦀\n".repeat(100_000);
    let sha256 = put(&ws, text(&content)).sha256.to_string();
    let pages = |encoding, max_bytes: Option<i64>| {
        let (mut pages, mut next) = (Vec::new(), Some(0));
        while let Some(offset) = next {
            let (sha256, offset) = (sha256.clone(), i64::try_from(offset).unwrap());
            let request = GetRequest { sha256, encoding, offset, max_bytes };
            let page = ws.scratch().page(&request).expect("a page");
            assert_eq!(page.offset, Some(offset.unsigned_abs()));
            assert_eq!(page.bytes, content.len() as u64);
            next = page.next_offset;
            pages.push(page.content);
        }
        pages
    };
    // Unasked, an answer has at most 2 MiB.
    let unasked = pages(Encoding::Utf8, None);
    assert!(unasked.len() == 2 && unasked.concat() == content, "{}", unasked.len());
    assert_eq!(pages(Encoding::Utf8, Some(65_537)).concat(), content);
    let decoded: Vec<Vec<u8>> =
        pages(Encoding::Base64, Some(999_999)).iter().map(|page| unbase64(page)).collect();
    assert_eq!(decoded.concat(), content.as_bytes());
    let behind = GetRequest {
        sha256: sha256.clone(),
        encoding: Encoding::Utf8,
        offset: i64::MAX,
        max_bytes: None,
    };
    let page = ws.scratch().page(&behind).expect("a page");
    assert_eq!((page.content.as_str(), page.next_offset), ("", None));
    for (offset, max_bytes) in [(-1, None), (0, Some(0)), (0, Some(2_097_153))] {
        refusal(ws.scratch().page(&GetRequest { offset, max_bytes, ..behind.clone() }));
    }
    // What is whole says nothing of pages.
    let short = put(&ws, text("short")).sha256.to_string();
    let request = GetRequest { sha256: short, offset: 0, ..behind };
    let short = json_of(ws.scratch().page(&request).expect("a page"));
    assert_eq!((short.get("offset"), short.get("next_offset")), (None, None));
}

fn unbase64(text: &str) -> Vec<u8> {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.decode(text).expect("base64")
}

#[test]
fn content_is_kept_under_its_digest() {
    let home = Home::new();
    home.put(".gitignore", ".resilient_write/\n");
    let ws = home.open();
    let receipt = put(
        &ws,
        PutRequest {
            label: Some("näme".to_owned()),
            content_type: Some("text/plain".to_owned()),
            notes: Some("why \"not\"".to_owned()),
            ..text("tökén")
        },
    );
    assert_eq!(
        json_of(&receipt),
        json!({
            "sha256": digest("tökén"), "scratch_path": bin("tökén"), "bytes": 7, "deduped": false,
            "journal_id": receipt.journal_id, "warnings": [],
        })
    );
    assert_eq!(home.text(&bin("tökén")), "tökén");
    assert_eq!(
        home.text(INDEX),
        format!(
            "{{\"bytes\":7,\"content_type\":\"text/plain\",\
             \"created_at\":\"2023-11-14T22:13:20Z\",\"encoding\":\"utf-8\",\"label\":\"näme\",\
             \"notes\":\"why \\\"not\\\"\",\"sha256\":\"{}\"}}\n",
            digest("tökén")
        )
    );
    let [row] = &entries(&ws)[..] else { panic!("one row") };
    assert_eq!((&row.path, row.mode, row.bytes), (&bin("tökén"), Mode::Create, 7));
    assert_eq!(Some(&row.journal_id), receipt.journal_id.as_ref());
    home.assert_tidy();
}

#[cfg(unix)]
#[test]
fn content_is_private_to_the_user() {
    let home = Home::new();
    put(&home.open(), text("secret"));
    assert_eq!(home.mode(".resilient_write"), 0o700);
    assert_eq!(home.mode(".resilient_write/scratch"), 0o700);
    assert_eq!(home.mode(&bin("secret")), 0o600);
    assert_eq!(home.mode(INDEX), 0o600);
}

#[test]
fn the_same_bytes_are_kept_once_and_indexed_every_time() {
    let home = Home::new();
    let ws = home.open();
    put(&ws, labelled("x", "one"));
    let second = put(&ws, labelled("x", "two"));
    assert!(second.deduped);
    assert_eq!((second.journal_id, second.bytes), (None, 1));
    // In base64 too; "eA==" is "x".
    assert!(put(&ws, base64("eA==")).deduped);
    assert_eq!(entries(&ws).len(), 1);
    let index = home.text(INDEX);
    let lines: Vec<Value> =
        index.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(
        lines[2],
        json!({
            "sha256": digest("x"), "label": null, "content_type": null, "bytes": 1,
            "encoding": "base64", "notes": null, "created_at": "2023-11-14T22:13:20Z",
        })
    );
    home.assert_tidy();
}

#[test]
fn a_reference_is_found_by_digest_by_label_or_by_both() {
    let home = Home::new();
    let ws = home.open();
    put(&ws, labelled("x", "a"));
    put(&ws, labelled("y", "b"));
    put(&ws, labelled("x", "b"));
    let key = digest("x").to_string();
    let scratch = ws.scratch();

    let found = scratch.reference(Some(&key), None).expect("a reference");
    assert_eq!(
        json_of(&found),
        json!({
            "entry": {
                "sha256": key, "label": "b", "content_type": null, "bytes": 1,
                "encoding": "utf-8", "notes": null, "created_at": "2023-11-14T22:13:20Z",
            },
            "scratch_path": bin("x"), "bin_exists": true, "alias_count": 2,
        })
    );
    let found = scratch.reference(None, Some("b")).expect("a reference");
    assert_eq!((found.entry.sha256, found.alias_count), (digest("x"), 2));
    let found = scratch.reference(Some(&key), Some("a")).expect("a reference");
    assert_eq!((found.entry.label.as_deref(), found.alias_count), (Some("a"), 1));
    let y = digest("y").to_string();
    assert_eq!(
        refusal(scratch.reference(Some(&y), Some("a"))),
        stale(json!({"sha256": y, "label": "a", "reason": "not_found"})),
        "both must match"
    );
    assert_eq!(
        refusal(scratch.reference(None, Some("c"))),
        stale(json!({"sha256": null, "label": "c", "reason": "not_found"}))
    );

    std::fs::remove_file(home.path(&bin("x"))).expect("removed");
    assert!(!scratch.reference(Some(&key), None).expect("a reference").bin_exists);
}

#[test]
fn a_reference_needs_a_key_and_creates_nothing() {
    let home = Home::new();
    let ws = home.open();
    assert_eq!(
        refusal(ws.scratch().reference(None, None)),
        malformed(json!({"reason": "must_provide_sha256_or_label"}))
    );
    let upper = digest("x").to_string().to_uppercase();
    for wrong in ["", "abc", upper.as_str(), &"g".repeat(64), "../../../etc/passwd"] {
        let expected = malformed(json!({"sha256": wrong, "reason": "not_a_lowercase_sha256_hex"}));
        assert_eq!(refusal(ws.scratch().reference(Some(wrong), Some("a"))), expected);
        assert_eq!(refusal(ws.scratch().get(wrong, Encoding::Utf8)), expected);
    }
    let key = digest("x").to_string();
    assert_eq!(
        refusal(ws.scratch().reference(Some(&key), None)),
        stale(json!({"sha256": key, "label": null, "reason": "not_found"}))
    );
    assert_eq!(
        refusal(ws.scratch().get(&key, Encoding::Utf8)),
        stale(json!({"sha256": key, "reason": "not_found"}))
    );
    assert_eq!(home.names(""), [""; 0]);
}

#[test]
fn what_is_got_is_what_was_put() {
    let home = Home::new();
    let ws = home.open();
    put(&ws, labelled("größe\r\n\0", "old"));
    put(
        &ws,
        PutRequest { content_type: Some("text/x".to_owned()), ..labelled("größe\r\n\0", "new") },
    );
    let key = digest("größe\r\n\0").to_string();
    assert_eq!(
        json_of(ws.scratch().get(&key, Encoding::Utf8).expect("content")),
        json!({
            "sha256": key, "content": "größe\r\n\0", "encoding": "utf-8", "bytes": 10,
            "content_type": "text/x", "label": "new",
        })
    );
    let got = ws.scratch().get(&key, Encoding::Base64).expect("content");
    assert_eq!(json_of(&got)["encoding"], "base64");
    assert_eq!(got.content, "Z3LDtsOfZQ0KAA==");
    // Without an index the content is there all the same.
    std::fs::remove_file(home.path(INDEX)).expect("removed");
    let got = ws.scratch().get(&key, Encoding::Utf8).expect("content");
    assert_eq!((got.label, got.content_type), (None, None));
}

#[test]
fn bytes_that_are_no_text_come_back_in_base64() {
    let home = Home::new();
    let ws = home.open();
    let receipt = put(&ws, base64("/wD+"));
    assert_eq!((receipt.sha256, receipt.bytes), (digest(b"\xff\x00\xfe"), 3));
    let key = receipt.sha256.to_string();
    let refused = refusal(ws.scratch().get(&key, Encoding::Utf8));
    let told = refused["context"]["errno"].clone();
    assert!(told.as_str().is_some_and(|told| told.contains("index 0")), "{told}");
    assert_eq!(
        refused,
        envelope(
            ["policy_violation", "encoding", "retry_later"],
            json!({
                "sha256": key, "reason": "not_valid_utf8",
                "errno": told, "code": "retry_with_encoding_base64",
            }),
        )
    );
    assert_eq!(ws.scratch().get(&key, Encoding::Base64).expect("content").content, "/wD+");
}

#[test]
fn base64_is_strict() {
    let home = Home::new();
    let ws = home.open();
    // Whitespace, missing and surplus padding, another alphabet, half a byte, no base64 at all.
    for wrong in ["eA==\n", "e A==", " eA==", "eA", "eA=", "eA===", "_-8=", "e", "eA==eA==", "ß"] {
        let refused = refusal(ws.scratch().put(base64(wrong)));
        let told = refused["context"]["reason"].as_str().unwrap_or_default().to_owned();
        assert!(told.starts_with("bad_base64: "), "{wrong:?}: {told}");
        assert_eq!(refused, malformed(json!({"reason": told})));
    }
    assert_eq!(home.names(""), [""; 0]);
    assert_eq!(put(&ws, base64("")).bytes, 0);
    assert_eq!(put(&ws, base64("+/8=")).sha256, digest(b"\xfb\xff"));
}

#[test]
fn other_encodings_are_refused() {
    for name in ["utf8", "UTF-8", "hex", ""] {
        assert_eq!(
            refusal(Encoding::named(name)),
            malformed(json!({
                "encoding": name, "valid": ["base64", "utf-8"], "reason": "unsupported_encoding",
            }))
        );
    }
    assert_eq!(Encoding::named("utf-8").expect("an encoding"), Encoding::Utf8);
    assert_eq!(Encoding::named("base64").expect("an encoding"), Encoding::Base64);
}

#[test]
fn a_sealed_scratchpad_gives_nothing_whatever_is_asked() {
    let home = Home::new();
    let key = put(&home.open(), text("secret")).sha256.to_string();
    let ws = home.builder().seal_scratch(true).open();
    let expected = envelope(
        ["policy_violation", "permission", "abort"],
        json!({"reason": "scratch_get_disabled", "env": "RW_SCRATCH_DISABLE_GET"}),
    );
    assert_eq!(refusal(ws.scratch().get(&key, Encoding::Utf8)), expected);
    assert_eq!(refusal(ws.scratch().get("nonsense", Encoding::Base64)), expected);
    // It takes and tells all the same.
    assert!(put(&ws, text("secret")).deduped);
    assert_eq!(ws.scratch().reference(Some(&key), None).expect("a reference").alias_count, 2);
}

#[test]
fn changed_bytes_are_noticed_and_putting_them_again_heals() {
    let home = Home::new();
    let ws = home.open();
    put(&ws, text("right"));
    home.put(&bin("right"), "wrong");
    let key = digest("right");
    assert_eq!(
        refusal(ws.scratch().get(&key.to_string(), Encoding::Utf8)),
        envelope(
            ["write_corruption", "unknown", "abort"],
            json!({
                "sha256": key, "actual_sha256": digest("wrong"), "reason": "hash_drift_on_read",
            }),
        )
    );
    assert!(!ws.scratch().holds(key).expect("an answer"));
    let receipt = put(&ws, text("right"));
    assert!(!receipt.deduped);
    assert!(receipt.journal_id.is_some());
    assert_eq!(
        ws.scratch().get(&key.to_string(), Encoding::Utf8).expect("content").content,
        "right"
    );
    assert!(ws.scratch().holds(key).expect("an answer"));
    home.assert_tidy();
}

#[test]
fn a_torn_last_line_of_the_index_is_ignored_and_cut() {
    let home = Home::new();
    let ws = home.open();
    put(&ws, labelled("x", "one"));
    let whole = home.text(INDEX);
    for torn in [&whole[..20], "\0\0\0\0\0", "{"] {
        home.put(INDEX, format!("{whole}{torn}"));
        let found = ws.scratch().reference(None, Some("one")).expect("a reference");
        assert_eq!(found.alias_count, 1, "{torn:?}");
        assert_eq!(
            ws.scratch().get(&digest("x").to_string(), Encoding::Utf8).expect("content").content,
            "x"
        );
    }
    put(&ws, labelled("x", "two"));
    let index = home.text(INDEX);
    assert!(index.starts_with(&whole));
    assert_eq!(index.lines().count(), 2);
    // A line that only lacks its end is whole.
    home.put(INDEX, whole.trim_end());
    assert_eq!(ws.scratch().reference(None, Some("one")).expect("a reference").alias_count, 1);
    put(&ws, labelled("x", "two"));
    assert_eq!(home.text(INDEX), index);
}

#[test]
fn a_damaged_line_of_the_index_is_counted_and_hides_no_other_one() {
    let home = Home::new();
    let ws = home.open();
    put(&ws, labelled("x", "one"));
    let whole = home.text(INDEX);
    let list = || {
        let request = ListRequest { label_prefix: None, limit: 10 };
        ws.scratch().list(&request).expect("a list")
    };
    for bad in ["{\"half\":", "[]", "nonsense", &"é".repeat(300)] {
        home.put(INDEX, format!("{bad}\n{whole}"));
        assert_eq!((list().count, list().damaged_lines), (1, 1), "{bad}");
        let found = ws.scratch().reference(None, Some("one")).expect("a reference");
        assert_eq!((found.alias_count, found.damaged_lines), (1, 1), "{bad}");
        let kept = ws.scratch().get(&digest("x").to_string(), Encoding::Utf8).expect("content");
        assert_eq!(kept.label.as_deref(), Some("one"));
        assert_eq!(put(&ws, text("x")).journal_id, None, "taking goes on");
    }
    // Empty lines and the line ends of another system are none.
    home.put(INDEX, format!("\n{}\r\n\r\n{whole}", whole.trim_end()));
    let found = ws.scratch().reference(None, Some("one")).expect("a reference");
    assert_eq!((found.alias_count, found.damaged_lines), (2, 0));
    assert_eq!(ws.scratch().remove(None, Some("one")).expect("a removal").removed.len(), 1);
    assert_eq!(list().count, 0);
}

#[test]
fn an_index_of_the_python_server_is_read() {
    let home = Home::new();
    let key = digest("x");
    home.put(&bin("x"), "x");
    home.put(
        INDEX,
        format!(
            "{{\"bytes\":1,\"content_type\":null,\"created_at\":\"2026-01-01T00:00:00Z\",\
             \"encoding\":\"utf-8\",\"label\":\"n\\u00e4me\",\"notes\":null,\"sha256\":\"{key}\"}}\n"
        ),
    );
    let ws = home.open();
    let found = ws.scratch().reference(None, Some("näme")).expect("a reference");
    assert_eq!((found.entry.sha256, found.bin_exists), (key, true));
}

#[test]
fn the_user_is_warned_until_the_state_directory_is_ignored() {
    let warned = json!([{
        "reason": "state_dir_not_gitignored",
        "hint": "add '.resilient_write/' to .gitignore to keep scratched material out of git",
    }]);
    let home = Home::new();
    home.put(".resilient_write/.gitignore", "# somebody's own\n");
    let ws = home.open();
    let warnings = |content: &str| json_of(put(&ws, text(content)).warnings);
    assert_eq!(warnings("a"), warned, "without a .gitignore");
    for line in [
        ".resilient_write",
        ".resilient_write/",
        "/.resilient_write",
        "/.resilient_write/",
        "**/.resilient_write",
        "**/.resilient_write/",
        "  .resilient_write/  ",
    ] {
        home.put(".gitignore", format!("target\n{line}\nother"));
        assert_eq!(warnings("a"), json!([]), "{line:?}");
        home.put(".gitignore", format!("target\r\n{line}\r\n"));
        assert_eq!(warnings("a"), json!([]), "{line:?}");
    }
    for line in [
        "",
        "# .resilient_write",
        "#.resilient_write",
        "!.resilient_write",
        ".resilient_write/scratch",
        "a/.resilient_write",
        ".resilient_write//",
        "//.resilient_write",
        ".resilient_writes",
    ] {
        home.put(".gitignore", format!("{line}\n"));
        assert_eq!(warnings("a"), warned, "{line:?}");
    }
    home.put(".gitignore", b"\xff\xfe\n.resilient_write\n");
    assert_eq!(warnings("a"), json!([]), "a line that is no text is no obstacle");
}

#[test]
fn many_threads_put_without_losing_a_line() {
    let home = Home::new();
    let spaces = [home.open(), home.open()];
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let ws = &spaces[thread % 2];
            scope.spawn(move || {
                for n in 0..10 {
                    put(ws, labelled(&format!("{}", n % 5), &format!("{thread}")));
                }
            });
        }
    });
    assert_eq!(home.text(INDEX).lines().count(), 40);
    assert_eq!(entries(&spaces[0]).len(), 5, "five different contents");
    for n in 0..5 {
        let key = digest(n.to_string()).to_string();
        let found = spaces[1].scratch().reference(Some(&key), None).expect("a reference");
        assert_eq!(found.alias_count, 8);
    }
}

const INDEX_OF_DRAFTS: &str = "blocked draft";

/// Content as a blocked call leaves it.
fn draft(content: &str) -> PutRequest {
    PutRequest { notes: Some(INDEX_OF_DRAFTS.to_owned()), ..labelled(content, "draft:a.txt") }
}

fn listed(ws: &Workspace) -> Vec<String> {
    let request = ListRequest { label_prefix: None, limit: 100 };
    let list = ws.scratch().list(&request).expect("a list");
    list.entries.iter().map(|entry| entry.row.sha256.to_string()).collect()
}

fn key(content: &str) -> String {
    digest(content).to_string()
}

#[test]
fn removed_content_is_gone_with_a_row_and_its_look_up_says_when() {
    let home = Home::new();
    let ws = home.open();
    put(&ws, labelled("secret", "a"));
    put(&ws, labelled("stays", "b"));
    let ws = home.open_after(60);
    let removal = ws.scratch().remove(Some(&key("secret")), None).expect("a removal");
    let [gone] = removal.removed.as_slice() else { panic!("{removal:?}") };
    assert_eq!((gone.sha256, gone.bytes, gone.label.as_deref()), (digest("secret"), 6, Some("a")));
    assert_eq!(gone.removed_at, "2023-11-14T22:14:20Z");
    assert!(!home.has(&bin("secret")));
    assert_eq!(home.names(".resilient_write/scratch").len(), 2, "the index, and what stays");
    let row = entries(&ws).pop().expect("a row");
    assert_eq!((row.journal_id.as_str(), row.mode), (gone.journal_id.as_str(), Mode::Remove));
    assert_eq!((row.path, row.bytes), (bin("secret"), 0));
    assert_eq!(row.prev_sha256, Some(digest("secret")));
    assert_eq!(row.sha256, digest(""));

    let found = ws.scratch().reference(None, Some("a")).expect("a reference");
    assert_eq!((found.bin_exists, found.alias_count), (false, 0));
    assert_eq!(found.removed_at.as_deref(), Some("2023-11-14T22:14:20Z"));
    let refused = refusal(ws.scratch().get(&key("secret"), Encoding::Utf8));
    assert_eq!(refused["context"]["reason"], "removed");
    assert_eq!(refused["context"]["removed_at"], "2023-11-14T22:14:20Z");
    assert_eq!(refused["context"]["removed_for"], "asked");
    let again = refusal(ws.scratch().remove(Some(&key("secret")), None));
    assert_eq!(again["context"]["reason"], "removed");
    assert_eq!(listed(&ws), [key("stays")]);
    // The Python server reads the last row of a digest, whatever else is in it.
    let index = home.text(INDEX);
    let last: Value = serde_json::from_str(index.lines().last().expect("a line")).expect("JSON");
    assert_eq!((&last["sha256"], &last["label"]), (&json!(key("secret")), &json!("a")));
    home.assert_tidy();

    // Put again, it is there again.
    assert!(!put(&ws, labelled("secret", "c")).deduped);
    let found = ws.scratch().reference(Some(&key("secret")), None).expect("a reference");
    assert_eq!((found.bin_exists, found.removed_at), (true, None));
    assert_eq!(ws.scratch().get(&key("secret"), Encoding::Utf8).expect("kept").content, "secret");
}

#[test]
fn content_is_removed_by_label_and_what_is_not_there_is_said_to_be_so() {
    let home = Home::new();
    let ws = home.open();
    assert_eq!(
        refusal(ws.scratch().remove(Some(&key("x")), None)),
        stale(json!({"sha256": key("x"), "reason": "not_found"}))
    );
    assert_eq!(
        refusal(ws.scratch().remove(None, None))["context"]["reason"],
        "must_provide_sha256_or_label"
    );
    for (content, label) in [("one", "a"), ("two", "a"), ("three", "b")] {
        put(&ws, labelled(content, label));
    }
    let of_both = refusal(ws.scratch().remove(Some(&key("three")), Some("a")));
    assert_eq!(of_both["context"]["reason"], "not_found");
    let removal = ws.scratch().remove(None, Some("a")).expect("a removal");
    let gone: Vec<_> = removal.removed.iter().map(|gone| gone.sha256).collect();
    assert_eq!(gone, [digest("one"), digest("two")]);
    assert_eq!(listed(&ws), [key("three")]);
    home.assert_tidy();
}

/// Before, the contents behind the one that was just removed stayed, and nobody was told which.
#[test]
fn a_removal_that_has_begun_is_finished_although_it_is_cancelled() {
    let home = Home::new();
    let ws = home.open();
    for content in ["one", "two", "three"] {
        put(&ws, labelled(content, "a"));
    }
    // It is asked for before each change.
    let asked = AtomicU32::new(0);
    let later = Cancelled::when(move || asked.fetch_add(1, Ordering::Relaxed) > 0);
    let removal = ws.unless(later).scratch().remove(None, Some("a")).expect("a removal");
    assert_eq!((removal.removed.len(), listed(&ws)), (3, vec![]));
    put(&ws, labelled("four", "a"));
    let before = ws.unless(Cancelled::when(|| true)).scratch().remove(None, Some("a"));
    assert!(matches!(before, Err(Error::Cancelled)), "{before:?}");
    assert_eq!(listed(&ws), [key("four")]);
}

#[test]
fn a_label_goes_alone_while_others_hold_its_content() {
    let home = Home::new();
    let ws = home.open();
    for label in ["a", "b", "c", "a"] {
        put(&ws, labelled("one", label));
    }
    put(&ws, labelled("two", "a"));
    let removal = ws.scratch().remove(None, Some("a")).expect("a removal");
    assert_eq!(
        json_of(&removal.labels_removed),
        json!([{
            "sha256": key("one"), "label": "a", "other_labels": ["b", "c"],
            "removed_at": "2023-11-14T22:13:20Z",
        }])
    );
    let gone: Vec<_> = removal.removed.iter().map(|gone| gone.sha256).collect();
    assert_eq!(gone, [digest("two")]);
    // Another process sees the same.
    let ws = home.open();
    assert_eq!(ws.scratch().get(&key("one"), Encoding::Utf8).expect("kept").content, "one");
    let by_label = |label: &str| ws.scratch().reference(None, Some(label));
    let gone = by_label("a").expect("what was removed");
    assert_eq!((gone.entry.sha256, gone.bin_exists), (digest("two"), false));
    assert_eq!(by_label("b").expect("kept").entry.sha256, digest("one"));
    let of_both = ws.scratch().remove(Some(&key("one")), Some("b")).expect("a removal");
    assert_eq!(of_both.removed, []);
    // The content goes with its last label.
    let removal = ws.scratch().remove(None, Some("c")).expect("a removal");
    assert_eq!((removal.removed.len(), removal.labels_removed.len()), (1, 0));
    assert_eq!(listed(&ws), [] as [String; 0]);
    // A label of content that was removed and put again under another is none of it.
    put(&ws, labelled("one", "d"));
    assert_eq!(refusal(ws.scratch().remove(None, Some("c")))["error"], "stale_precondition");
    // A digest removes what all labels hold.
    put(&ws, labelled("one", "e"));
    let removal = ws.scratch().remove(Some(&key("one")), None).expect("a removal");
    assert_eq!(removal.removed.len(), 1);
    let (hint, _) = hinted(&ws.scratch().remove(Some(&key("one")), None).unwrap_err());
    assert!(hint.starts_with("do nothing: the content is gone already"), "{hint}");
    home.assert_tidy();
}

#[test]
fn the_list_has_what_is_kept_newest_first_without_its_content() {
    let home = Home::new();
    let ws = home.builder().seal_scratch(true).open();
    assert_eq!(ws.scratch().list(&ListRequest { label_prefix: None, limit: 1 }).unwrap().count, 0);
    assert!(!home.has(".resilient_write/scratch"));
    put(&ws, labelled("secret one", "a"));
    put(&ws, draft("secret two"));
    put(&ws, labelled("secret one", "again"));
    let list = |label_prefix: Option<&str>, limit| {
        let label_prefix = label_prefix.map(str::to_owned);
        json_of(ws.scratch().list(&ListRequest { label_prefix, limit }).expect("a list"))
    };
    let all = list(None, 100);
    assert_eq!((&all["count"], &all["total_bytes"]), (&json!(2), &json!(20)));
    assert_eq!(all["entries"][0]["label"], "again");
    assert_eq!(
        (&all["entries"][0]["alias_count"], &all["entries"][0]["draft"]),
        (&json!(2), &json!(false))
    );
    assert_eq!(
        (&all["entries"][1]["sha256"], &all["entries"][1]["draft"]),
        (&json!(key("secret two")), &json!(true))
    );
    assert!(!all.to_string().contains("secret"), "{all}");
    let first = list(None, 1);
    assert_eq!(
        (first["entries"].as_array().map(Vec::len), &first["omitted"]),
        (Some(1), &json!(1))
    );
    assert_eq!(list(Some("draft:"), 100)["count"], 1);
}

const DAY: u64 = 86_400;

#[test]
fn drafts_go_after_thirty_days_and_nothing_else_does() {
    let home = Home::new();
    put(&home.open(), draft("a draft"));
    put(&home.open(), labelled("kept", "mine"));
    // A draft that somebody has put as well is not one alone.
    put(&home.open(), draft("both"));
    put(&home.open(), labelled("both", "mine"));
    put(&home.open_after(30 * DAY - 1), text("a put"));
    assert!(home.has(&bin("a draft")), "not yet");
    let ws = home.open_after(30 * DAY + 1);
    put(&ws, text("another put"));
    assert_eq!(listed(&ws).len(), 4);
    let refused = refusal(ws.scratch().get(&key("a draft"), Encoding::Utf8));
    assert_eq!(refused["context"]["removed_for"], "expired");
    assert_eq!(refused["context"]["removed_at"], "2023-12-14T22:13:21Z");
    assert_eq!(entries(&ws).pop().expect("a row").mode, Mode::Remove);
    home.assert_tidy();
}

#[test]
fn the_policy_says_how_long_and_how_much_the_scratchpad_keeps() {
    let home = Home::new();
    home.policy("scratch: {keep_days: 2, drafts_keep_days: unlimited}\n");
    put(&home.open(), labelled("old", "mine"));
    put(&home.open(), draft("an old draft"));
    put(&home.open_after(DAY), text("newer"));
    let ws = home.open_after(2 * DAY + 1);
    assert_eq!(ws.scratch().retain(1).expect("a removal").removed.len(), 1, "no more than asked");
    assert_eq!(ws.scratch().retain(9).expect("a removal").removed.len(), 1, "drafts, too");
    assert_eq!(listed(&ws), [key("newer")]);

    home.policy("scratch: {max_bytes: 10}\n");
    let ws = home.open_after(2 * DAY + 1);
    put(&ws, text("1234"));
    assert_eq!(listed(&ws).len(), 2);
    put(&ws, text("123456"));
    assert_eq!(listed(&ws), [key("123456"), key("1234")], "the oldest went");
    put(&ws, text(&"x".repeat(100)));
    assert_eq!(listed(&ws), [key(&"x".repeat(100))], "what was put last stays");
    let refused = refusal(ws.scratch().get(&key("newer"), Encoding::Utf8));
    assert_eq!(refused["context"]["removed_for"], "room");

    // A file may have a secret no longer that a redaction has kept.
    put(&ws, labelled("a secret that goes on", "redacted:a.py:<REDACTED:api_key:1>"));
    put(&ws, text("123456"));
    put(&ws, text("12345"));
    assert_eq!(listed(&ws), [key("12345"), key("a secret that goes on")]);

    home.policy("scratch: {max_bytes: nothing}\n");
    put(&ws, text("y"));
    assert_eq!(listed(&ws).len(), 3, "a policy that cannot be used removes nothing");
    home.assert_tidy();
}

#[test]
fn the_state_directory_keeps_itself_out_of_repositories() {
    let home = Home::new();
    let ws = home.open();
    put(&ws, text("x"));
    const OWN: &str = ".resilient_write/.gitignore";
    assert_eq!(home.text(OWN), "*\n");
    #[cfg(unix)]
    assert_eq!((home.mode(".resilient_write"), home.mode(OWN)), (0o700, 0o600));
    // A directory of an earlier version gets it by the first write; a torn one is made anew.
    for left in [None, Some(""), Some("\0"), Some("*\0")] {
        std::fs::remove_file(home.path(OWN)).unwrap();
        left.iter().for_each(|left| home.put(OWN, left));
        put(&home.open(), text("y"));
        assert_eq!(home.text(OWN), "*\n", "{left:?}");
    }
    // What somebody has written there stays.
    home.put(OWN, "!scratch\n");
    put(&home.open(), text("z"));
    assert_eq!(home.text(OWN), "!scratch\n");
}
