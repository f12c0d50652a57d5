//! Windows by bytes: where they begin and end, and what they are read as.

use resilient_core::read::{
    DIGESTED_MAX, LinesRequest, OnInvalid, StatRequest, TailRequest, Window, WindowRequest,
};
use resilient_core::write::WriteRequest;
use serde_json::json;

use crate::home::{Home, json_of, overwrite, sha};
use crate::refused;

#[track_caller]
fn window(bytes: impl AsRef<[u8]>, offset: i64, max_bytes: i64) -> Window {
    let home = Home::new();
    home.put("f", bytes);
    let request = WindowRequest { offset, max_bytes, ..WindowRequest::of("f") };
    home.open().reader().window(&request).unwrap()
}

#[test]
fn a_window_has_all_its_fields() {
    let home = Home::new();
    home.put("f", "alpha beta");
    let request = WindowRequest { offset: 2, max_bytes: 5, ..WindowRequest::of("f") };
    let window = home.open().reader().window(&request).unwrap();
    let mtime_ns = window.mtime_ns;
    assert!(mtime_ns > 1_600_000_000_000_000_000);
    assert_eq!(
        json_of(window),
        json!({
            "path": "f", "offset": 2, "bytes_read": 5, "next_offset": 7, "eof": false, "size": 10,
            "mtime_ns": mtime_ns, "encoding": "utf-8", "content": "pha b", "tokens": 2,
        })
    );
}

#[test]
fn facts_are_of_the_file() {
    let home = Home::new();
    home.put("f", "abc");
    let ws = home.open();
    let facts = |path: &str, digest| {
        json_of(ws.reader().stat(&StatRequest { path: path.into(), digest }).unwrap())
    };
    let plain = facts("f", Some(false));
    assert_eq!((&plain["size"], &plain["encoding"]), (&json!(3), &json!("utf-8")));
    assert_eq!(plain.get("sha256"), None);
    assert_eq!(facts("f", Some(true))["sha256"], sha("abc"));
    assert_eq!(facts("f", None)["sha256"], sha("abc"), "a short file's is told unasked");
    let long = std::fs::File::create(home.path("long")).unwrap();
    long.set_len(DIGESTED_MAX + 1).unwrap();
    let unasked = facts("long", None);
    assert_eq!(unasked.get("sha256"), None);
    assert!(unasked["hint"].as_str().unwrap().contains("digest true"));
    let asked = facts("long", Some(true));
    assert!(asked["sha256"].is_string() && asked.get("hint").is_none());
}

#[test]
fn a_read_of_a_whole_file_gives_the_digest_for_the_next_write() {
    let home = Home::new();
    home.put("f", "one\ntwo\n");
    let ws = home.open();
    let read = |request: &WindowRequest| ws.reader().window(request).unwrap().sha256;
    let whole = read(&WindowRequest::of("f")).unwrap();
    assert_eq!(whole.to_string(), sha("one\ntwo\n"));
    assert_eq!(read(&WindowRequest { offset: 1, ..WindowRequest::of("f") }), None);
    assert_eq!(read(&WindowRequest { max_bytes: 7, ..WindowRequest::of("f") }), None);
    let lines = |request: &LinesRequest| ws.reader().lines(request).unwrap().sha256;
    assert_eq!(lines(&LinesRequest::of("f")), Some(whole));
    assert_eq!(lines(&LinesRequest { max_lines: 1, ..LinesRequest::of("f") }), None);
    assert_eq!(lines(&LinesRequest { start_line: 2, ..LinesRequest::of("f") }), None);
    let tail = |request: &TailRequest| ws.reader().tail(request).unwrap().sha256;
    assert_eq!(tail(&TailRequest::of("f")), Some(whole));
    assert_eq!(tail(&TailRequest { max_lines: 1, ..TailRequest::of("f") }), None);
    // Unless it is asked for, so that the next write can be sure of the file whatever was shown of it.
    let digest = true;
    let part = LinesRequest { max_lines: 1, digest, ..LinesRequest::of("f") };
    assert_eq!(lines(&part), lines(&LinesRequest::of("f")));
    let end = TailRequest { max_lines: 1, digest, ..TailRequest::of("f") };
    assert_eq!(tail(&end), lines(&part));
    let sha256 = whole.to_string();
    let next = WriteRequest { expected_prev_sha256: Some(sha256), ..overwrite("f", "three\n") };
    ws.write(next).unwrap();
}

#[test]
fn no_character_is_cut_and_none_is_lost() {
    // Each character has three bytes.
    let text = "漢字仮名交じり";
    let first = window(text, 0, 7);
    assert_eq!((first.content.as_str(), first.next_offset), ("漢字", 6));
    let second = window(text, 6, 7);
    assert_eq!((second.content.as_str(), second.next_offset), ("仮名", 12));
    // A client that counts by itself lands inside a character, and gets all of it.
    let inside = window(text, 7, 7);
    assert_eq!((inside.content.as_str(), inside.offset), ("仮名", 6));
    assert_eq!(inside.requested_offset, Some(7));
    // Less than a character is one.
    assert_eq!(window(text, 0, 1).content, "漢");
}

#[test]
fn the_end_is_the_end() {
    for (offset, max_bytes, content, eof) in
        [(0, 3, "abc", true), (0, 2, "ab", false), (2, 1, "c", true), (3, 9, "", true)]
    {
        let window = window("abc", offset, max_bytes);
        assert_eq!((window.content.as_str(), window.eof), (content, eof), "{offset} {max_bytes}");
    }
    assert!(window("", 0, 1).eof);
}

#[test]
fn encodings_are_told_by_the_bytes() {
    let utf16: Vec<u8> = "\u{FEFF}häl".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (bytes, encoding, content) in [
        (&b"plain"[..], "utf-8", "plain"),
        ("\u{FEFF}mark".as_bytes(), "utf-8", "\u{FEFF}mark"),
        (b"caf\xe9\n", "windows-1252", "café\n"),
        (b"\x00\x01\x02\xff\xfe", "base64", "AAEC//4="),
        (&utf16, "utf-16le", "\u{FEFF}häl"),
    ] {
        let window = window(bytes, 0, 100);
        assert_eq!((window.encoding.as_str(), window.content.as_str()), (encoding, content));
        assert_eq!(window.invalid_bytes, 0);
    }
}

#[test]
fn a_window_that_is_not_like_the_head_is_what_it_looks_like() {
    let mut bytes = b"plain text\n".repeat(3000);
    let at = bytes.len() as i64;
    bytes.extend(b"na\xefve caf\xe9\n");
    let window = window(&bytes, at, 100);
    assert_eq!(
        (window.encoding.as_str(), window.content.as_str()),
        ("windows-1252", "naïve café\n")
    );
}

#[test]
fn an_encoding_that_was_asked_for_is_kept_to() {
    let home = Home::new();
    home.put("f", b"a\xe9\xff");
    let ws = home.open();
    let read = |encoding: &str, on_invalid| {
        let encoding = Some(encoding.to_owned());
        ws.reader().window(&WindowRequest { encoding, on_invalid, ..WindowRequest::of("f") })
    };
    let content = |encoding, on_invalid| read(encoding, on_invalid).unwrap().content;
    assert_eq!(content("utf-8", OnInvalid::Replace), "a\u{FFFD}\u{FFFD}");
    assert_eq!(content("utf-8", OnInvalid::Ignore), "a");
    assert_eq!(content("utf-8", OnInvalid::Backslash), r"a\xe9\xff");
    assert_eq!(read("utf-8", OnInvalid::Replace).unwrap().invalid_bytes, 2);
    assert_eq!(content("latin-1", OnInvalid::Strict), "aéÿ");
    assert_eq!(content("cp1251", OnInvalid::Replace), "aйя");
    assert_eq!(content("base64", OnInvalid::Replace), "Yen/");
    let (kind, context) = refused(read("utf-8", OnInvalid::Strict));
    assert_eq!(
        (kind.as_str(), &context["offset"]),
        ("policy_violation/encoding/retry_later", &json!(1))
    );
    let (kind, context) = refused(read("klingon", OnInvalid::Replace));
    assert_eq!(kind, "policy_violation/encoding/retry_later");
    assert_eq!(
        (&context["encoding"], &context["reason"]),
        (&json!("klingon"), &json!("unsupported_encoding"))
    );
}

#[test]
fn tokens_are_a_budget_too() {
    let home = Home::new();
    home.put("f", "word ".repeat(1000));
    let ws = home.open();
    let read = |offset, max_tokens| {
        let request = WindowRequest { offset, max_tokens, ..WindowRequest::of("f") };
        ws.reader().window(&request).unwrap()
    };
    let window = read(0, Some(100));
    assert!((90..=100).contains(&window.tokens), "{window:?}");
    assert_eq!(window.bytes_read, window.content.len() as u64);
    assert!(!window.eof);
    assert_eq!(read(0, Some(1)).tokens, 1);
    assert_eq!(read(0, None).bytes_read, 5000);
    let mut all = String::new();
    while all.len() < 5000 {
        all.push_str(&read(all.len() as i64, Some(77)).content);
    }
    assert_eq!(all, "word ".repeat(1000));
}

#[test]
fn numbers_out_of_range_are_named() {
    let home = Home::new();
    home.put("f", "abc");
    let ws = home.open();
    let plain = WindowRequest::of("f");
    for (request, reason) in [
        (WindowRequest { offset: 4, ..plain.clone() }, "offset_exceeds_file_size"),
        (WindowRequest { offset: -1, ..plain.clone() }, "offset_must_be_at_least_0"),
        (WindowRequest { max_bytes: 0, ..plain.clone() }, "max_bytes_must_be_at_least_1"),
        (
            WindowRequest { max_bytes: 2_097_153, ..plain.clone() },
            "max_bytes_cannot_exceed_2097152",
        ),
        (WindowRequest { max_tokens: Some(0), ..plain.clone() }, "max_tokens_must_be_at_least_1"),
    ] {
        let (kind, context) = refused(ws.reader().window(&request));
        assert_eq!(
            (kind.as_str(), &context["reason"]),
            ("invalid_input/range/retry_later", &json!(reason))
        );
        if request.offset == 4 {
            assert_eq!((&context["offset"], &context["size"]), (&json!(4), &json!(3)));
        }
    }
}
