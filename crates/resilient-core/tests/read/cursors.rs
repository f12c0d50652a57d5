//! Cursors: a walk through a file, and what becomes of it when the file changes.

use std::fs::{File, FileTimes, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::sync::Arc;
use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use resilient_core::Workspace;
use resilient_core::digest::Digest;
use resilient_core::disk::SystemClock;
use resilient_core::read::{CursorRequest, NextRequest, NextWindow};
use serde_json::{Value, json};

use crate::home::{Home, append, json_of, overwrite};
use crate::refused;

const CHANGED: &str = "stale_precondition/file_changed";

fn cursor(ws: &Workspace, max_bytes: i64, strict: bool) -> String {
    let request = CursorRequest { max_bytes, strict, ..CursorRequest::of("f") };
    ws.reader().make_cursor(&request).unwrap().cursor
}

#[track_caller]
fn next(ws: &Workspace, cursor: &str) -> NextWindow {
    ws.reader().next(&NextRequest::of(cursor)).unwrap()
}

/// The context of a walk that meets a changed file.
#[track_caller]
fn drift(ws: &Workspace, cursor: &str, strict: bool) -> (String, Value) {
    let (kind, context) =
        refused(ws.reader().next(&NextRequest { strict, ..NextRequest::of(cursor) }));
    let action = kind.strip_prefix(CHANGED).unwrap().trim_start_matches('/').to_owned();
    (action, context)
}

#[test]
fn a_walk_is_the_file() {
    let home = Home::new();
    let text = "漢字 and ASCII\n".repeat(1000);
    home.put("f", &text);
    let ws = home.open();
    let made =
        ws.reader().make_cursor(&CursorRequest { max_bytes: 1000, ..CursorRequest::of("f") });
    let made = made.unwrap();
    assert_eq!((made.offset, made.max_bytes, made.size), (0, 1000, text.len() as u64));
    let (mut all, mut token) = (String::new(), made.cursor);
    loop {
        // A cursor holds in another process.
        let step = next(&home.open(), &token);
        assert!(step.window.bytes_read <= 1000);
        all.push_str(&step.window.content);
        token = step.cursor;
        if step.window.eof {
            break;
        }
    }
    assert!(all == text);
    let end = next(&ws, &token);
    assert_eq!((end.window.bytes_read, end.window.eof, end.window.content.as_str()), (0, true, ""));
    let fields = json_of(&end);
    for name in ["path", "offset", "next_offset", "size", "mtime_ns", "encoding", "cursor"] {
        assert!(fields.get(name).is_some(), "{name} in {fields}");
    }
}

#[test]
fn what_is_appended_is_told_and_the_walk_goes_on_at_once() {
    let home = Home::new();
    home.put("f", "one two three ");
    let ws = home.open();
    let first = next(&ws, &cursor(&ws, 8, false));
    assert_eq!(first.window.content, "one two ");
    for how in ["in place", "by a new file"] {
        if how == "in place" {
            let mut file = OpenOptions::new().append(true).open(home.path("f")).unwrap();
            file.write_all(b"four ").unwrap();
        } else {
            ws.write(append("f", "five ")).unwrap();
        }
        let (action, context) = drift(&ws, &first.cursor, false);
        assert_eq!(action, "retry_later", "{how}");
        assert_eq!((&context["drift"], &context["appended"]), (&json!("appended"), &json!(true)));
        assert_eq!((&context["offset"], &context["expected_size"]), (&json!(8), &json!(14)));
        assert_eq!(context["actual_size"], if how == "in place" { 19 } else { 24 });
        assert!(context["expected_mtime_ns"].is_i64() && context["actual_mtime_ns"].is_i64());
        let step = next(&ws, context["cursor"].as_str().unwrap());
        assert_eq!((step.window.offset, step.window.content.as_str()), (8, "three fo"));
    }
}

#[test]
fn at_the_end_a_cursor_waits_for_more() {
    let home = Home::new();
    home.put("f", "log\n");
    let ws = home.open();
    let end = next(&ws, &cursor(&ws, 100, false));
    assert!(end.window.eof);
    let end = next(&ws, &end.cursor);
    assert_eq!((end.window.eof, end.window.content.as_str()), (true, ""));
    ws.write(append("f", "more\n")).unwrap();
    let (_, context) = drift(&ws, &end.cursor, false);
    let more = next(&ws, context["cursor"].as_str().unwrap());
    assert_eq!((more.window.content.as_str(), more.window.eof), ("more\n", true));
}

#[test]
fn a_change_of_what_was_read_ends_the_walk() {
    let home = Home::new();
    home.put("f", "one two three");
    let ws = home.open();
    let first = next(&ws, &cursor(&ws, 8, false));
    for (text, kind) in [
        ("ONE two three and more", "read_part"),
        ("one", "read_part"),
        ("other", "read_part"),
        ("one two THREE", "unread_part"),
        ("one two ", "unread_part"),
        ("one two three", "unread_part"),
    ] {
        ws.write(overwrite("f", "between")).unwrap();
        ws.write(overwrite("f", text)).unwrap();
        let (action, context) = drift(&ws, &first.cursor, false);
        assert_eq!(context["drift"], kind, "{text}");
        assert_eq!(context["appended"], false);
        assert_eq!(context.get("cursor").is_some(), kind == "unread_part");
        assert_eq!(action, if kind == "unread_part" { "retry_later" } else { "abort" });
    }
    std::fs::remove_file(home.path("f")).unwrap();
    let gone = ws.reader().next(&NextRequest::of(&first.cursor));
    let (kind, context) = refused(gone);
    assert_eq!(kind, "not_found/missing/abort");
    assert_eq!(context["reason"], "cursor_file_not_found");
}

/// Writes into a file, and sets its time back.
fn change_in_place(home: &Home, at: u64, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(home.path("f")).unwrap();
    let modified = file.metadata().unwrap().modified().unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(bytes).unwrap();
    file.set_times(FileTimes::new().set_modified(modified)).unwrap();
}

#[test]
fn a_change_that_keeps_size_and_time_is_found_when_asked_for() {
    let home = Home::new();
    // Old: a check of the times alone trusts them.
    let old = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_500_000_000);
    for clock_is_real in [true, false] {
        for at in [0, 70_000, 140_000] {
            home.put("f", "0123456789".repeat(30_000));
            File::options()
                .write(true)
                .open(home.path("f"))
                .unwrap()
                .set_times(FileTimes::new().set_modified(old))
                .unwrap();
            let ws = match clock_is_real {
                true => home.builder().clock(Arc::new(SystemClock)).open(),
                false => home.open_after(400_000_000),
            };
            let mut token = cursor(&ws, 50_000, false);
            for _ in 0..3 {
                token = next(&ws, &token).cursor;
            }
            ws.reader().next(&NextRequest { strict: true, ..NextRequest::of(&token) }).unwrap();
            change_in_place(&home, at, b"x");
            let (action, context) = drift(&ws, &token, true);
            assert_eq!((action.as_str(), &context["drift"]), ("abort", &json!("read_part")));
            assert_eq!(context["expected_mtime_ns"], context["actual_mtime_ns"]);
            assert_eq!(context["expected_size"], context["actual_size"]);
            // Without that option, the answer is about the last piece only.
            let plain = ws.reader().next(&NextRequest::of(&token));
            assert_eq!(plain.is_ok(), at < 131_072, "{at}");
            // What was not read may change.
            change_in_place(&home, at, &b"0123456789"[at as usize % 10..][..1]);
            change_in_place(&home, 200_000, b"x");
            ws.reader().next(&NextRequest { strict: true, ..NextRequest::of(&token) }).unwrap();
        }
    }
}

#[test]
fn a_strict_cursor_stays_strict() {
    let home = Home::new();
    home.put("f", "0123456789".repeat(20_000));
    let ws = home.open();
    let mut token = cursor(&ws, 70_000, true);
    token = next(&ws, &token).cursor;
    token = next(&ws, &token).cursor;
    change_in_place(&home, 5, b"x");
    assert_eq!(drift(&ws, &token, false).1["drift"], "read_part");
}

#[test]
fn a_cursor_of_the_python_reader_is_taken() {
    let home = Home::new();
    home.put("f", "one two three");
    let ws = home.open();
    let made = ws.reader().make_cursor(&CursorRequest::of("f")).unwrap();
    let theirs = |size: u64| {
        let token = json!({
            "path": "f", "offset": 4, "max_bytes": 3, "size": size, "mtime_ns": made.mtime_ns,
        });
        URL_SAFE.encode(token.to_string())
    };
    let step = next(&ws, &theirs(13));
    assert_eq!((step.window.content.as_str(), step.window.next_offset), ("two", 7));
    let (action, context) = drift(&ws, &theirs(12), false);
    assert_eq!((action.as_str(), &context["drift"]), ("abort", &json!("unknown")));
}

#[test]
fn a_long_cursor_of_an_earlier_version_is_taken_with_all_that_it_knows() {
    let home = Home::new();
    home.put("f", "one two three");
    let ws = home.open();
    let made = ws.reader().make_cursor(&CursorRequest::of("f")).unwrap();
    let tip = Digest::of(&[&[0; 32][..], b"one "].concat());
    let theirs = |strict: bool| {
        let read = json!({
            "from": 0, "chain": URL_SAFE.encode([0; 32]),
            "tip": URL_SAFE.encode(&tip.as_bytes()[..9]),
        });
        let token = json!({
            "path": "f", "offset": 4, "max_bytes": 3, "size": 13, "mtime_ns": made.mtime_ns,
            "strict": strict, "ctime_ns": 1, "settled": true, "read": read,
        });
        URL_SAFE.encode(token.to_string())
    };
    let step = next(&ws, &theirs(true));
    assert_eq!((step.window.content.as_str(), step.window.next_offset), ("two", 7));
    assert!(step.cursor.len() <= 80);
    assert_eq!(next(&ws, &step.cursor).window.content, " th");
    change_in_place(&home, 0, b"x");
    assert_eq!(drift(&ws, &step.cursor, true).1["drift"], "read_part");
    assert_eq!(drift(&ws, &theirs(false), false).1["drift"], "read_part");
}

#[test]
fn a_cursor_has_at_most_80_characters_wherever_its_file_is() {
    let home = Home::new();
    let deep: String = (0..20).map(|n| format!("a directory with a long name {n}/")).collect();
    for path in ["f".to_owned(), format!("{deep}{}.log", "n".repeat(200))] {
        home.put(&path, "0123456789".repeat(10_000));
        let ws = home.open();
        let request = CursorRequest {
            offset: 70_001,
            max_bytes: 12_345,
            encoding: Some("windows-1252".to_owned()),
            strict: true,
            ..CursorRequest::of(&path)
        };
        let mut token = ws.reader().make_cursor(&request).unwrap().cursor;
        for at in [70_001, 82_346, 94_691, 100_000] {
            assert!(token.len() <= 80, "{}", token.len());
            // In another process, which does not know the path.
            let step = next(&home.open(), &token);
            assert_eq!((step.window.offset, step.window.path.as_str()), (at, path.as_str()));
            token = step.cursor;
        }
    }
}

#[test]
fn a_cursor_whose_file_was_moved_is_told_so_in_another_process() {
    let home = Home::new();
    home.put("d/f", "one two three");
    home.put("d/g", "another file");
    let made = home.open().reader().make_cursor(&CursorRequest::of("d/f")).unwrap();
    std::fs::rename(home.path("d/f"), home.path("d/h")).unwrap();
    let (kind, context) = refused(home.open().reader().next(&NextRequest::of(&made.cursor)));
    assert_eq!(kind, "not_found/missing/abort");
    assert_eq!(context["reason"], "cursor_file_not_found");
    assert!(context["hint"].as_str().unwrap().contains("rr_make_cursor"));
}

#[test]
fn what_is_no_cursor_is_said_to_be_none() {
    let home = Home::new();
    home.put("f", "x");
    let ws = home.open();
    for token in ["", "garbage!", "e30=", &"A".repeat(100_000)] {
        let (kind, _) = refused(ws.reader().next(&NextRequest::of(token)));
        assert_eq!(kind, "invalid_input/cursor_decode/retry_later");
    }
    // A cursor leads nowhere that a path does not.
    let outside = json!({"path": "../x", "offset": 0, "max_bytes": 3, "size": 9, "mtime_ns": 0});
    let (kind, _) =
        refused(ws.reader().next(&NextRequest::of(URL_SAFE.encode(outside.to_string()))));
    assert_eq!(kind, "permission_denied/outside_workspace/abort");
    let beyond = ws.reader().make_cursor(&CursorRequest { offset: 2, ..CursorRequest::of("f") });
    let (kind, context) = refused(beyond);
    assert_eq!(kind, "invalid_input/range/retry_later");
    assert_eq!(
        context,
        json!({"reason": "offset_out_of_file_bounds",
            "hint": "correct the call: `offset` out of file bounds", "offset": 2, "size": 1})
    );
}
