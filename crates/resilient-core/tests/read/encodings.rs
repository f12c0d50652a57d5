//! Text in the encodings of East Asia and others, guessed or named.

use resilient_core::read::{
    LinesRequest, OnInvalid, SearchRequest, StatRequest, TailRequest, WindowRequest,
};
use serde_json::json;

use crate::home::{Home, json_of};
use crate::refused;

const TEXTS: [(&str, &str); 5] = [
    ("shift_jis", "これは日本語のテキストです。\n表示する行\n"),
    ("euc-jp", "これは日本語のテキストです。\n表示する行\n"),
    ("gbk", "这是一个中文文本文件。\n下一行表示\n"),
    ("big5", "這是一個中文文字檔案。\n下一行表示\n"),
    ("euc-kr", "이것은 한국어 텍스트 파일입니다.\n다음 줄을 표시\n"),
];

fn bytes(label: &str, text: &str) -> Vec<u8> {
    let (bytes, _, lossy) =
        encoding_rs::Encoding::for_label(label.as_bytes()).unwrap().encode(text);
    assert!(!lossy);
    bytes.into_owned()
}

#[test]
fn east_asian_text_is_recognised_read_and_searched() {
    for (label, text) in TEXTS {
        let home = Home::new();
        home.put("f", bytes(label, text));
        let ws = home.open();
        let lines: Vec<&str> = text.lines().collect();
        let page = ws.reader().lines(&LinesRequest::of("f")).unwrap();
        assert_eq!(page.content, format!("1|{}\n2|{}", lines[0], lines[1]), "{label}");
        assert_eq!((page.encoding.as_str(), page.encoding_confidence), (label, None));
        let tail = TailRequest { max_lines: 1, ..TailRequest::of("f") };
        assert_eq!(ws.reader().tail(&tail).unwrap().content, format!("2|{}", lines[1]));
        let query: String = lines[1].chars().take(2).collect();
        let found = ws.reader().search(&SearchRequest::of("f", &query)).unwrap();
        assert_eq!(found.matches[0].match_line, 2, "{label}");
        assert_eq!(found.encoding.as_deref(), Some(label));
    }
}

#[test]
fn windows_of_double_byte_text_are_the_text_wherever_they_are_cut() {
    for (label, text) in TEXTS {
        let home = Home::new();
        // Longer than what is looked at to find where a character begins.
        let text = text.replace([' ', '\n'], "").repeat(300);
        home.put("f", bytes(label, &text));
        let ws = home.open();
        let (mut all, mut offset) = (String::new(), 0);
        loop {
            let request = WindowRequest { offset, max_bytes: 777, ..WindowRequest::of("f") };
            let window = ws.reader().window(&request).unwrap();
            assert_eq!((window.invalid_bytes, window.requested_offset), (0, None), "{label}");
            all.push_str(&window.content);
            offset = window.next_offset as i64;
            if window.eof {
                break;
            }
        }
        assert!(all == text, "{label}");
        let inside = WindowRequest { offset: 3, max_bytes: 10, ..WindowRequest::of("f") };
        let window = ws.reader().window(&inside).unwrap();
        assert_eq!((window.offset, window.requested_offset), (2, Some(3)), "{label}");
    }
}

#[test]
fn a_long_line_of_double_byte_text_is_searched_across_blocks() {
    let home = Home::new();
    let filler = "表示する、 ".repeat(60_000);
    home.put("f", bytes("shift_jis", &format!("{filler}東京{filler}大阪\n")));
    let ws = home.open();
    for query in ["東京", "大阪"] {
        let request = SearchRequest { count: true, ..SearchRequest::of("f", query) };
        let found = ws.reader().search(&request).unwrap();
        assert_eq!(found.total_matches, Some(1), "{query}");
        let excerpt = &found.matches[0].excerpt;
        assert!(excerpt.contains(query) && !excerpt.contains('\u{FFFD}'), "{excerpt}");
    }
}

#[test]
fn a_guess_that_is_not_sure_is_said_and_a_name_ends_the_doubt() {
    let home = Home::new();
    home.put("f", bytes("windows-1251", "имя\n"));
    let ws = home.open();
    let facts =
        json_of(ws.reader().stat(&StatRequest { path: "f".into(), digest: Some(false) }).unwrap());
    assert_eq!(facts["encoding_confidence"], "low");
    let found = ws.reader().lines(&LinesRequest::of("f")).unwrap();
    assert_eq!(found.encoding_confidence, Some("low"));
    assert_eq!(
        ws.reader().window(&WindowRequest::of("f")).unwrap().encoding_confidence,
        Some("low")
    );

    let encoding = Some("cp1251".to_owned());
    let request = LinesRequest { encoding: encoding.clone(), ..LinesRequest::of("f") };
    let named = ws.reader().lines(&request).unwrap();
    assert_eq!((named.content.as_str(), named.encoding_confidence), ("1|имя", None));
    let request = TailRequest { encoding: encoding.clone(), ..TailRequest::of("f") };
    assert_eq!(ws.reader().tail(&request).unwrap().content, "1|имя");
    for (path, glob) in [("f", None), (".", Some("f".to_owned()))] {
        let encoding = encoding.clone();
        let request = SearchRequest { encoding, glob, ..SearchRequest::of(path, "ИМЯ") };
        assert_eq!(ws.reader().search(&request).unwrap().matches[0].excerpt, "1|имя");
    }
    for label in ["rot13", "base64", "iso-2022-jp", "utf8x"] {
        let request = LinesRequest { encoding: Some(label.into()), ..LinesRequest::of("f") };
        let (kind, context) = refused(ws.reader().lines(&request));
        assert_eq!(kind, "policy_violation/encoding/retry_later");
        assert_eq!(context["reason"], "unsupported_encoding");
    }
}

#[test]
fn a_byte_over_127_is_none_of_ascii() {
    let home = Home::new();
    home.put("f", b"caf\xe9\n");
    let ws = home.open();
    let encoding = Some("us-ascii".to_owned());
    let request = LinesRequest { encoding: encoding.clone(), ..LinesRequest::of("f") };
    let answer = ws.reader().lines(&request).unwrap();
    let facts = (answer.content.as_str(), answer.invalid_bytes, answer.encoding.as_str());
    assert_eq!(facts, ("1|caf\u{FFFD}", 1, "ascii"));
    let on_invalid = OnInvalid::Strict;
    let request =
        WindowRequest { encoding: encoding.clone(), on_invalid, ..WindowRequest::of("f") };
    let (_, context) = refused(ws.reader().window(&request));
    assert_eq!((&context["reason"], &context["offset"]), (&"undecodable_byte".into(), &3.into()));
    let request = SearchRequest { encoding, ..SearchRequest::of("f", "caf") };
    assert_eq!(ws.reader().search(&request).unwrap().matches[0].excerpt, "1|caf\u{FFFD}");
}

#[test]
fn facts_tell_the_mark_and_the_line_ends() {
    let home = Home::new();
    home.put("f", "\u{FEFF}a\r\nb\n");
    let ws = home.open();
    let facts =
        json_of(ws.reader().stat(&StatRequest { path: "f".into(), digest: Some(false) }).unwrap());
    assert_eq!(
        json!([facts["encoding"], facts["bom"], facts["eol"], facts["eol_mixed"]]),
        json!(["utf-8", true, "lf", true])
    );
}
