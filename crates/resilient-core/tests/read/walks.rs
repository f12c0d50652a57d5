//! Any file, any windows: read one after another they are the file, and nothing goes unnoticed.

use proptest::prelude::*;
use resilient_core::Workspace;
use resilient_core::read::{
    CursorRequest, LinesRequest, NextRequest, SearchRequest, TailRequest, WindowRequest,
};

use crate::home::{Home, answer};

/// Files as they are met: text in several encodings, damaged, binary; with all kinds of lines.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        "[a-z ]{0,12}",
        Just("é漢😀".to_owned()),
        Just("\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("\r".to_owned()),
        Just("\u{FEFF}".to_owned()),
        Just("\0".to_owned()),
    ];
    let text = proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat());
    let utf16 = |big_endian: bool| {
        move |text: String| -> Vec<u8> {
            let text = format!("\u{FEFF}{text}");
            let units = text.encode_utf16();
            units
                .flat_map(|it| if big_endian { it.to_be_bytes() } else { it.to_le_bytes() })
                .collect()
        }
    };
    prop_oneof![
        4 => text.clone().prop_map(String::into_bytes),
        1 => text.clone().prop_map(utf16(false)),
        1 => text.clone().prop_map(utf16(true)),
        1 => proptest::collection::vec(any::<u8>(), 0..300),
        1 => (text, proptest::collection::vec(any::<u8>(), 1..6), any::<prop::sample::Index>())
            .prop_map(|(text, damage, at)| {
                let mut bytes = text.into_bytes();
                let at = at.index(bytes.len() + 1);
                bytes.splice(at..at, damage);
                bytes
            }),
    ]
}

/// The bytes of a window: its text in the encoding that it says it is in.
fn bytes_of(encoding: &str, text: &str) -> Vec<u8> {
    use base64::Engine as _;
    match encoding {
        "utf-8" => text.as_bytes().to_vec(),
        "utf-16le" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        "utf-16be" => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        "base64" => base64::engine::general_purpose::STANDARD.decode(text).unwrap(),
        label => {
            let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
            let (bytes, _, lossy) = encoding.encode(text);
            assert!(!lossy, "{label} {text:?}");
            bytes.into_owned()
        }
    }
}

/// The encoding of this name, where a character has one byte or several.
fn double_byte(label: &str) -> Option<&'static encoding_rs::Encoding> {
    let known = encoding_rs::Encoding::for_label(label.as_bytes())?;
    let is_other = known.is_single_byte() || known.output_encoding() != known;
    (!is_other && known != encoding_rs::UTF_8).then_some(known)
}

/// The lines of some UTF-8 text.
fn split(text: &str) -> Vec<&str> {
    let (mut lines, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let at = rest.find(['\n', '\r']).unwrap_or(rest.len());
        lines.push(&rest[..at]);
        let end = if rest[at..].starts_with("\r\n") { at + 2 } else { (at + 1).min(rest.len()) };
        rest = &rest[end..];
    }
    lines
}

fn home_of(bytes: &[u8]) -> (Home, Workspace) {
    let home = Home::new();
    home.put("f", bytes);
    let ws = home.open();
    (home, ws)
}

const ENCODINGS: [Option<&str>; 9] = [
    None,
    Some("utf-8"),
    Some("utf-16le"),
    Some("utf-16be"),
    Some("latin-1"),
    Some("base64"),
    Some("shift_jis"),
    Some("gb18030"),
    Some("euc-jp"),
];

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

#[test]
fn a_window_that_looks_binary_ends_where_a_character_of_the_file_does() {
    // The head of the file is UTF-8, and a window with its null byte is not.
    let bytes = "aaaa\u{feff}\né漢😀\r\n\r\n\n".as_bytes();
    let bytes = [bytes, b"\xEF\0\xBB\xBF", "\u{feff}\n\ré漢😀aa a\r\n".as_bytes()].concat();
    let (_home, ws) = home_of(&bytes);
    let mut offset = 0;
    while offset < bytes.len() as i64 {
        let request =
            WindowRequest { offset, max_bytes: 13, max_tokens: Some(1), ..WindowRequest::of("f") };
        let window = ws.reader().window(&request).unwrap();
        assert_eq!(window.offset, offset as u64);
        offset = window.next_offset as i64;
    }
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn all_windows_together_are_the_file(
        bytes in content(),
        sizes in proptest::collection::vec(1_i64..40, 1..8),
        encoding in proptest::sample::select(&ENCODINGS[..]),
        max_tokens in proptest::option::of(1_i64..20),
    ) {
        let (_home, ws) = home_of(&bytes);
        let (mut all, mut offset, mut step) = (Vec::new(), 0, 0);
        loop {
            let window = ws.reader().window(&WindowRequest {
                offset,
                max_bytes: sizes[step % sizes.len()],
                max_tokens,
                encoding: encoding.map(str::to_owned),
                ..WindowRequest::of("f")
            }).unwrap();
            prop_assert_eq!(window.offset, offset as u64);
            prop_assert_eq!(window.requested_offset, None);
            prop_assert_eq!(window.next_offset, window.offset + window.bytes_read);
            let own = &bytes[window.offset as usize..window.next_offset as usize];
            match double_byte(&window.encoding) {
                // A character may have several spellings there.
                Some(known) => {
                    let (text, damaged) = known.decode_without_bom_handling(own);
                    prop_assert_eq!(window.invalid_bytes > 0, damaged);
                    prop_assert!(damaged || text == window.content);
                }
                None => {
                    let is_same = bytes_of(&window.encoding, &window.content) == own;
                    prop_assert_eq!(window.invalid_bytes == 0, is_same);
                }
            }
            all.extend_from_slice(own);
            offset = window.next_offset as i64;
            step += 1;
            if window.eof {
                break;
            }
            prop_assert!(window.bytes_read > 0, "a window that is not the last goes on");
        }
        prop_assert_eq!(all, bytes);
    }

    #[test]
    fn a_walk_in_base64_is_the_file_across_restarts(
        bytes in content(),
        sizes in proptest::collection::vec(1_i64..40, 1..8),
    ) {
        let (home, ws) = home_of(&bytes);
        let encoding = Some("base64".to_owned());
        let made = ws.reader().make_cursor(&CursorRequest { encoding, ..CursorRequest::of("f") });
        let (mut token, mut all, mut step) = (made.unwrap().cursor, Vec::new(), 0);
        loop {
            let max_bytes = Some(sizes[step % sizes.len()]);
            let strict = step % 2 == 1;
            let request = NextRequest { max_bytes, strict, ..NextRequest::of(token) };
            let next = home.open().reader().next(&request).unwrap();
            all.extend(bytes_of("base64", &next.window.content));
            token = next.cursor;
            step += 1;
            if next.window.eof {
                break;
            }
        }
        prop_assert_eq!(all, bytes);
    }

    #[test]
    fn all_lines_together_are_the_text(
        text in content().prop_filter_map("text", |bytes| String::from_utf8(bytes).ok()),
        page in 1_i64..9,
    ) {
        let (_home, ws) = home_of(text.as_bytes());
        let facts = ws.reader().window(&WindowRequest::of("f")).unwrap();
        prop_assume!(facts.encoding == "utf-8");
        let expected: Vec<String> = split(&text)
            .iter()
            .enumerate()
            .map(|(at, line)| {
                let line = if at == 0 { line.strip_prefix('\u{FEFF}').unwrap_or(line) } else { line };
                format!("{}|{line}", at + 1)
            })
            .collect();
        let (mut all, mut start_line) = (Vec::new(), 1);
        loop {
            let answer = ws.reader().lines(&LinesRequest {
                start_line, max_lines: page, ..LinesRequest::of("f")
            }).unwrap();
            let lines = answer.lines_returned as usize;
            if lines > 0 {
                all.push(answer.content);
            }
            prop_assert_eq!(answer.end_line + 1, answer.start_line + answer.lines_returned);
            start_line = answer.end_line as i64 + 1;
            if answer.eof {
                break;
            }
            prop_assert_eq!(lines, page as usize);
        }
        prop_assert_eq!(all.join("\n"), expected.join("\n"));
        let tail = ws.reader().tail(&TailRequest { max_lines: page, ..TailRequest::of("f") }).unwrap();
        prop_assert_eq!(tail.total_lines, Some(expected.len() as u64));
        let from = expected.len().saturating_sub(page as usize);
        prop_assert_eq!(tail.content, expected[from..].join("\n"));
    }

    #[test]
    fn a_search_finds_the_lines_that_have_it(
        text in content().prop_filter_map("text", |bytes| String::from_utf8(bytes).ok()),
        query in "[a-e]{1,2}|é|漢|😀",
    ) {
        let (_home, ws) = home_of(text.as_bytes());
        let facts = ws.reader().window(&WindowRequest::of("f")).unwrap();
        prop_assume!(facts.encoding == "utf-8");
        let expected: Vec<u64> = split(&text)
            .iter()
            .zip(1..)
            .filter(|(line, _)| line.contains(&query))
            .map(|(_, number)| number)
            .collect();
        let found = ws.reader().search(&SearchRequest {
            max_matches: 100, count: true, case_sensitive: true, ..SearchRequest::of("f", query)
        }).unwrap();
        prop_assert_eq!(found.total_matches, Some(expected.len() as u64));
        prop_assert_eq!(found.matches.iter().map(|it| it.match_line).collect::<Vec<_>>(), expected);
    }
}

proptest! {
    // Each case walks a dozen times.
    #![proptest_config(cases(32))]

    #[test]
    fn a_change_at_any_step_of_a_walk_is_told(
        bytes in proptest::collection::vec(any::<u8>(), 1..3000),
        size in 1_i64..700,
        at in any::<prop::sample::Index>(),
        change in 0..4,
    ) {
        // A file that is not older than the clock can tell is compared by its bytes.
        let (home, ws) = home_of(&bytes);
        let steps = (bytes.len() as u64).div_ceil(size as u64);
        let encoding = Some("base64".to_owned());
        let request = CursorRequest { max_bytes: size, encoding, strict: true, ..CursorRequest::of("f") };
        for drift_at in 0..=steps.min(12) {
            home.put("f", &bytes);
            let mut token = ws.reader().make_cursor(&request).unwrap().cursor;
            let mut read = 0;
            for _ in 0..drift_at {
                let next = ws.reader().next(&NextRequest::of(&token)).unwrap();
                (token, read) = (next.cursor, next.window.next_offset as usize);
            }
            let mut changed = bytes.clone();
            let place = at.index(bytes.len());
            match change {
                0 => changed[place] ^= 1,
                1 => changed.truncate(place),
                2 => changed.extend(b"more"),
                _ => changed.insert(place, 7),
            }
            let file = std::fs::File::options().write(true).open(home.path("f")).unwrap();
            let modified = file.metadata().unwrap().modified().unwrap();
            home.put("f", &changed);
            file.set_times(std::fs::FileTimes::new().set_modified(modified)).unwrap();
            let stands = changed.get(..read) == Some(&bytes[..read]);
            match ws.reader().next(&NextRequest::of(&token)) {
                Ok(next) => {
                    prop_assert!(stands && changed.len() == bytes.len(), "an unnoticed change");
                    prop_assert_eq!(next.window.offset, read as u64);
                }
                Err(error) => {
                    let context = &answer(&error)["context"];
                    prop_assert_eq!(context.get("cursor").is_some(), stands, "{}", context);
                    prop_assert_eq!(context["appended"] == true, stands && changed.len() > bytes.len());
                    if let Some(fresh) = context["cursor"].as_str() {
                        let next = ws.reader().next(&NextRequest::of(fresh)).unwrap();
                        prop_assert_eq!(next.window.offset, read as u64);
                    }
                }
            }
        }
    }
}
