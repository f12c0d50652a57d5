//! Lines by number, and the tail.

use resilient_core::read::{LinesAnswer, LinesRequest, SearchRequest, TailRequest, WindowRequest};
use serde_json::json;

use crate::home::{Home, json_of, sha};
use crate::refused;

fn home_of(bytes: impl AsRef<[u8]>) -> Home {
    let home = Home::new();
    home.put("f", bytes);
    home
}

fn lines(home: &Home, start_line: i64, max_lines: i64) -> LinesAnswer {
    let request = LinesRequest { start_line, max_lines, ..LinesRequest::of("f") };
    home.open().reader().lines(&request).unwrap()
}

fn tail(home: &Home, max_lines: i64) -> LinesAnswer {
    let request = TailRequest { max_lines, ..TailRequest::of("f") };
    home.open().reader().tail(&request).unwrap()
}

#[test]
fn lines_have_numbers_and_keep_their_white_space() {
    let home = home_of("one  \n\ttwo\t\n\n  \nfive");
    let answer = lines(&home, 1, 400);
    let mtime_ns = answer.mtime_ns;
    assert_eq!(
        json_of(answer),
        json!({
            "path": "f", "start_line": 1, "end_line": 5, "lines_returned": 5, "eof": true,
            "mtime_ns": mtime_ns, "size": 20, "encoding": "utf-8", "tokens": 11,
            "content": "1|one  \n2|\ttwo\t\n3|\n4|  \n5|five", "no_final_newline": true,
            "sha256": sha("one  \n\ttwo\t\n\n  \nfive"),
        })
    );
    let middle = lines(&home, 2, 2);
    assert_eq!((middle.content.as_str(), middle.eof), ("2|\ttwo\t\n3|", false));
    assert_eq!((middle.start_line, middle.end_line), (2, 3));
    assert!(lines(&home, 5, 1).eof, "the window ends where the file does");
}

#[test]
fn all_three_terminators_end_a_line() {
    assert_eq!(lines(&home_of("a\r\nb\rc\nd\r\n"), 1, 9).content, "1|a\n2|b\n3|c\n4|d");
    assert_eq!(lines(&home_of("\n\r\n\r"), 1, 9).content, "1|\n2|\n3|");
}

#[test]
fn behind_the_end_there_is_nothing() {
    for (bytes, start, end_line) in [("", 1, 0), ("a\n", 2, 1), ("a", 2, 1), ("a\nb\n", 100, 99)] {
        let answer = lines(&home_of(bytes), start, 5);
        assert_eq!((answer.lines_returned, answer.end_line, answer.eof), (0, end_line, true));
        assert_eq!(answer.content, "");
    }
}

#[test]
fn who_reads_behind_the_end_is_told_where_the_file_ends() {
    for (bytes, total) in [("a\nb\n", 2), ("a\nb", 2), ("a\nb\nc", 3), ("", 0)] {
        let home = home_of(bytes);
        for start_line in [total + 1, total + 2, 99] {
            let answer = lines(&home, start_line.max(2), 9);
            let told = answer.total_lines.map(|lines| i64::try_from(lines).unwrap());
            assert_eq!(
                (answer.lines_returned, answer.eof, told),
                (0, true, Some(total)),
                "{bytes:?}"
            );
        }
        assert_eq!(lines(&home, 1, 9).total_lines, None);
    }
}

#[test]
fn a_mark_at_the_head_is_not_part_of_the_first_line() {
    let utf16: Vec<u8> = "\u{FEFF}é\r\n漢\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (bytes, encoding, content) in [
        ("\u{FEFF}a\nb\n".as_bytes(), "utf-8", "1|a\n2|b"),
        (&utf16, "utf-16be", "1|é\n2|漢"),
        (b"caf\xe9\nna\xefve\n", "windows-1252", "1|café\n2|naïve"),
        (b"a\0b\n", "utf-8", "1|a\0b"),
    ] {
        let answer = lines(&home_of(bytes), 1, 9);
        assert_eq!((answer.encoding.as_str(), answer.content.as_str()), (encoding, content));
    }
}

#[test]
fn a_damaged_line_of_utf_8_shows_what_is_no_character_wherever_a_read_begins() {
    let home = home_of("süß\nüber\n".as_bytes());
    let mut bytes = home.read("f");
    bytes.extend(b"caf\xe9 na\xefve\nend\n");
    home.put("f", &bytes);
    let shown = "3|caf\u{FFFD} na\u{FFFD}ve";
    let ws = home.open();
    for encoding in [None, Some("utf-8".to_owned())] {
        let request = LinesRequest {
            start_line: 3,
            max_lines: 1,
            encoding: encoding.clone(),
            ..LinesRequest::of("f")
        };
        let answer = ws.reader().lines(&request).unwrap();
        let facts = (answer.content.as_str(), answer.encoding.as_str(), answer.invalid_bytes);
        assert_eq!(facts, (shown, "utf-8", 2));
        let request =
            TailRequest { max_lines: 2, encoding: encoding.clone(), ..TailRequest::of("f") };
        let answer = ws.reader().tail(&request).unwrap();
        let facts = (answer.content.as_str(), answer.invalid_bytes);
        assert_eq!(facts, (&*format!("{shown}\n4|end"), 2));
        let request = SearchRequest {
            encoding,
            context_before: 0,
            context_after: 0,
            ..SearchRequest::of("f", "caf")
        };
        let found = &ws.reader().search(&request).unwrap().matches[0];
        assert_eq!((found.excerpt.as_str(), found.invalid_bytes), (shown, 2));
    }
}

#[test]
fn a_line_of_30_mb_is_shown_in_part_and_its_rest_can_be_had() {
    let mut bytes = b"first\n".to_vec();
    bytes.extend("é".repeat(15_000_000).into_bytes());
    bytes.extend(b"\nlast\n");
    let home = home_of(&bytes);
    let answer = lines(&home, 1, 400);
    assert!(answer.content.len() < 70_000, "{}", answer.content.len());
    assert!(answer.truncated && answer.eof);
    assert!(answer.content.ends_with("\n3|last"));
    assert_eq!(
        json_of(&answer.cut_lines),
        json!([{"line": 2, "bytes": 30_000_000, "shown_bytes": 65_536, "next_offset": 65_542}])
    );
    let request = WindowRequest { offset: 65_542, ..WindowRequest::of("f") };
    let rest = home.open().reader().window(&request).unwrap();
    assert_eq!((rest.content.as_str(), rest.requested_offset), ("é".repeat(32_768).as_str(), None));
    let answer = tail(&home, 2);
    assert!(answer.content.len() < 70_000);
    assert_eq!((answer.start_line, answer.total_lines), (2, Some(3)));
}

#[test]
fn a_tail_of_a_minified_file_is_the_end_of_its_line_within_the_budget() {
    let mut text = "var a=1;".repeat(500_000);
    text.push_str("end()");
    let home = home_of(&text);
    let answer = tail(&home, 200);
    assert!(answer.content.len() < 5_000, "{}", answer.content.len());
    assert!(answer.content.starts_with("1|…") && answer.content.ends_with("var a=1;end()"));
    assert!(answer.truncated && answer.sha256.is_none());
    assert_eq!(
        json_of(&answer.cut_lines),
        json!([{
            "line": 1, "bytes": 4_000_005, "shown_bytes": 4096, "shown_offset": 3_995_909,
            "next_offset": 0,
        }])
    );
    for max_tokens in [1, 10, 1000, 10_000] {
        let request = TailRequest { max_tokens: Some(max_tokens), ..TailRequest::of("f") };
        let answer = home.open().reader().tail(&request).unwrap();
        assert!(answer.tokens <= max_tokens as u64 || answer.content.len() < 8, "{answer:?}");
        assert!(answer.truncated && answer.content.ends_with(')'), "{answer:?}");
        assert_eq!(answer.cut_lines.len(), 1);
    }
    // A long line in front of others is cut, and they are not.
    let home = home_of(format!("{text}\nlast\n"));
    let answer = tail(&home, 2);
    assert!(answer.content.ends_with("end()\n2|last") && answer.content.len() < 5_000);
    // No character is cut.
    let home = home_of("é".repeat(100_000));
    let answer = tail(&home, 1);
    assert_eq!((answer.invalid_bytes, answer.content.contains('\u{FFFD}')), (0, false));
}

#[test]
fn a_binary_file_is_said_to_be_one() {
    let home = home_of(b"\x7fELF\x02\x01\x00\x00\xff\xfe\n\x80\x81");
    let ws = home.open();
    let reader = ws.reader();
    let found = [
        refused(reader.lines(&LinesRequest::of("f"))),
        refused(reader.tail(&TailRequest::of("f"))),
        refused(reader.search(&SearchRequest::of("f", "ELF"))),
    ];
    for (kind, context) in found {
        assert_eq!(kind, "invalid_input/encoding/abort");
        assert_eq!(
            (&context["path"], &context["reason"], &context["size"]),
            (&json!("f"), &json!("binary_file"), &json!(13))
        );
        assert_eq!(context["head_hex"], "7f454c4602010000fffe0a8081");
        let hint = context["hint"].as_str().unwrap();
        assert!(hint.contains("`encoding` base64 to `rr_read_bytes`"), "{hint}");
    }
    let bytes = reader.window(&WindowRequest::of("f")).unwrap();
    assert_eq!(bytes.encoding, "base64");
}

#[test]
fn lines_that_have_no_room_are_left_to_the_next_call() {
    let long = format!("{}\n", "x".repeat(60_000)).repeat(100);
    let home = home_of(&long);
    let answer = lines(&home, 1, 100);
    assert!(answer.content.len() <= 2_097_152 && answer.truncated && !answer.eof);
    assert_eq!(answer.end_line, answer.lines_returned);
    assert!((30..40).contains(&answer.lines_returned));
    let answer = tail(&home, 100);
    assert!(answer.content.len() <= 2_097_152 && answer.truncated);
    assert_eq!(answer.end_line, 100, "of a tail the end is kept");
}

#[test]
fn tokens_are_a_budget_of_lines_too() {
    let home = home_of("four\n".repeat(1000));
    let ws = home.open();
    let request = LinesRequest { max_tokens: Some(50), ..LinesRequest::of("f") };
    let answer = ws.reader().lines(&request).unwrap();
    assert!(answer.tokens <= 50 && answer.lines_returned > 10 && answer.truncated, "{answer:?}");
    let request = TailRequest { max_tokens: Some(50), ..TailRequest::of("f") };
    let answer = ws.reader().tail(&request).unwrap();
    assert!(answer.tokens <= 50 && answer.end_line == 1000, "{answer:?}");
    // A line that is too long by itself is cut.
    let request = LinesRequest { max_tokens: Some(2), ..LinesRequest::of("g") };
    home.put("g", "x".repeat(1000));
    let answer = ws.reader().lines(&request).unwrap();
    assert!(answer.tokens <= 2 && answer.lines_returned == 1 && !answer.cut_lines.is_empty());
}

#[test]
fn a_tail_counts_the_whole_file() {
    let home = home_of((1..=10_000).map(|n| format!("row {n}\n")).collect::<String>());
    let answer = tail(&home, 2);
    assert_eq!(answer.content, "9999|row 9999\n10000|row 10000");
    assert_eq!((answer.start_line, answer.total_lines, answer.eof), (9999, Some(10_000), true));
    // Found from the end, whatever the terminators, and in lines that are longer than a look.
    for (terminator, is_ended) in [("\n", true), ("\r\n", true), ("\r", false), ("\n", false)] {
        let mut text: String = (1..=20_000).map(|n| format!("row {n}{terminator}")).collect();
        if !is_ended {
            text.truncate(text.len() - terminator.len());
        }
        let home = home_of(text);
        assert_eq!(tail(&home, 1).content, "20000|row 20000", "{terminator:?}");
        let answer = tail(&home, 5000);
        assert!(answer.content.starts_with("15001|row 15001\n15002|row 15002\n"));
        assert!(answer.content.ends_with("\n20000|row 20000"));
    }
    let home = home_of(format!("{}\n{}\nlast\n", "a".repeat(100_000), "b".repeat(60_000)));
    let request = TailRequest { max_lines: 2, max_tokens: Some(50_000), ..TailRequest::of("f") };
    let answer = home.open().reader().tail(&request).unwrap();
    assert!(answer.content == format!("2|{}\n3|last", "b".repeat(60_000)));
    assert!(tail(&home, 3).content.starts_with("1|…aaa"));
    let answer = tail(&home_of(""), 5);
    assert_eq!((answer.start_line, answer.end_line, answer.total_lines), (1, 0, Some(0)));
    let answer = tail(&home_of("a\nb"), 5);
    assert_eq!((answer.content.as_str(), answer.no_final_newline), ("1|a\n2|b", true));
}

#[test]
fn a_deep_line_is_found_and_found_again() {
    let home = home_of((1..=400_000).map(|n| format!("row {n}\r\n")).collect::<String>());
    // Long after the file was written, so that its index is kept.
    let ws = home.open_after(400_000_000);
    for line in [399_999, 1, 200_000, 399_999] {
        let request = LinesRequest { start_line: line, max_lines: 1, ..LinesRequest::of("f") };
        let answer = ws.reader().lines(&request).unwrap();
        assert_eq!(answer.content, format!("{line}|row {line}"));
    }
    // A new version has a new index.
    home.put("f", "other\n".repeat(500_000));
    let request = LinesRequest { start_line: 499_999, max_lines: 9, ..LinesRequest::of("f") };
    let answer = ws.reader().lines(&request).unwrap();
    assert_eq!(answer.content, "499999|other\n500000|other");
}

#[test]
fn numbers_out_of_range_are_named() {
    let home = home_of("a\n");
    let ws = home.open();
    for max_lines in [0, -1, 5001] {
        let request = LinesRequest { max_lines, ..LinesRequest::of("f") };
        let (kind, context) = refused(ws.reader().lines(&request));
        assert_eq!(kind, "invalid_input/range/retry_later");
        assert_eq!(context["reason"], "max_lines_must_be_between_1_and_5000");
        let request = TailRequest { max_lines, ..TailRequest::of("f") };
        assert_eq!(refused(ws.reader().tail(&request)).1, context);
    }
    let request = LinesRequest { start_line: 0, ..LinesRequest::of("f") };
    assert_eq!(refused(ws.reader().lines(&request)).0, "invalid_input/range/retry_later");
}
