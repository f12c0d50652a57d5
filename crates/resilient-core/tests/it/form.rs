//! The form of files: what is added to them, what takes their place, and what is said of it.

use proptest::prelude::*;
use resilient_core::chunk::ComposeRequest;
use resilient_core::form::{Asked, AskedEol, Encoding, Eol};
use resilient_core::write::{APPEND_IN_PLACE_FROM, ReplaceRequest, WriteRequest, asked};
use serde_json::{Value, json};

use crate::home::{Home, append, create, json_of, overwrite, replace, sha};

/// The parts of session `s`, to be joined into `a.txt`.
fn composing(form: Asked) -> ComposeRequest {
    ComposeRequest {
        session: "s".to_owned(),
        output_path: "a.txt".to_owned(),
        form,
        ..ComposeRequest::default()
    }
}

/// Text in an encoding; `\u{FEFF}` is the byte order mark.
fn bytes(label: &str, text: &str) -> Vec<u8> {
    let (encoded, encoding, lossy) =
        encoding_rs::Encoding::for_label(label.as_bytes()).unwrap().encode(text);
    match label {
        "utf-16le" => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        "utf-16be" => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        _ => {
            assert!(!lossy, "{encoding:?}");
            encoded.into_owned()
        }
    }
}

fn form(encoding: Option<&str>, eol: AskedEol) -> Asked {
    asked(encoding, eol).unwrap()
}

fn with(encoding: &str, request: WriteRequest) -> WriteRequest {
    WriteRequest { form: form(Some(encoding), AskedEol::Unsaid), ..request }
}

/// Texts that are long enough for a sure guess, each in an encoding that has it.
const TEXTS: [(&str, &str, &str); 9] = [
    ("utf-8", "\u{FEFF}été\r\nniño\r\n", "plus 漢字\n"),
    ("utf-16le", "\u{FEFF}été\r\n漢字\r\n", "plus 😀\n"),
    ("utf-16be", "\u{FEFF}été\n漢字\n", "plus 😀\r\n"),
    ("windows-1252", "déjà vu, là-bas, à côté\r\n", "été à Zürich\n"),
    ("shift_jis", "これは日本語のテキストです。\r\n次の行です。\r\n", "表示\n"),
    ("euc-jp", "これは日本語のテキストです。\n次の行です。\n", "表示\r\n"),
    ("gbk", "这是一个中文文本文件。\r\n下一行。\r\n", "北京\n"),
    ("big5", "這是一個中文文字檔案。\n下一行。\n", "臺北\n"),
    ("euc-kr", "이것은 한국어 텍스트 파일입니다.\n다음 줄.\n", "서울\n"),
];

#[test]
fn an_append_is_in_the_encoding_and_has_the_line_ends_of_the_file_short_or_long() {
    for (label, text, more) in TEXTS {
        for times in [1, 6000] {
            let home = Home::new();
            let (mark, line) = match text.strip_prefix('\u{FEFF}') {
                Some(line) => ("\u{FEFF}", line),
                None => ("", text),
            };
            let text = format!("{mark}{}", line.repeat(times));
            let before = bytes(label, &text);
            assert_eq!(before.len() as u64 >= APPEND_IN_PLACE_FROM, times > 1, "{label}");
            home.put("a.txt", &before);
            let ends = if text.contains("\r\n") { "\r\n" } else { "\n" };
            let more = more.replace("\r\n", "\n");
            let wanted = bytes(label, &format!("{text}{}", more.replace('\n', ends)));
            let receipt = home.open().write(append("a.txt", &more)).unwrap();
            assert!(home.read("a.txt") == wanted, "{label} {times}");
            // What the receipt and the journal digest is what is on disk.
            assert_eq!(receipt.sha256.to_string(), sha(&wanted));
            assert_eq!(receipt.bytes, wanted.len() as u64);
            let rows = home.rows();
            assert_eq!(rows.last().map(|row| row.sha256), Some(receipt.sha256));
            let said = json_of(&receipt)["form"].clone();
            if said != Value::Null {
                assert_eq!(said["encoding"], label, "{said}");
                assert_eq!(said.get("encoding_confidence"), None);
            }
        }
    }
}

#[test]
fn a_character_that_the_file_cannot_hold_is_refused_with_its_line() {
    let home = Home::new();
    let latin = bytes("windows-1252", "déjà vu, là-bas, à côté\n");
    home.put("a.txt", &latin);
    home.put("long.txt", latin.repeat(4000));
    for path in ["a.txt", "long.txt"] {
        let refused = home.refused(|| home.open().write(append(path, "one\ntwo λ\n")));
        let context = &refused["context"];
        assert_eq!(context["reason"], "unencodable_character");
        assert_eq!(
            (&context["character"], &context["line"], &context["encoding"]),
            (&json!("λ"), &json!(2), &json!("windows-1252"))
        );
    }
}

#[test]
fn an_append_to_a_binary_file_is_refused_unless_it_is_raw() {
    for times in [1, 20_000] {
        let home = Home::new();
        let content = b"PK\x03\x04\x00\x00text\n".repeat(times);
        home.put("a.zip", &content);
        let ws = home.open();
        let refused = home.refused(|| ws.write(append("a.zip", "more\n")));
        assert_eq!(refused["context"]["reason"], "append_to_binary");
        ws.write(with("raw", append("a.zip", "more\n"))).unwrap();
        assert!(home.read("a.zip") == [content.as_slice(), b"more\n"].concat());
    }
}

#[test]
fn an_append_behind_half_a_character_is_refused() {
    let home = Home::new();
    let mut cut = bytes("utf-16le", "\u{FEFF}abc\n");
    cut.pop();
    home.put("a.txt", &cut);
    let refused = home.refused(|| home.open().write(append("a.txt", "more\n")));
    assert_eq!(refused["context"]["reason"], "file_ends_inside_character");
}

#[test]
fn mixed_line_ends_are_said_and_the_most_frequent_is_taken() {
    let home = Home::new();
    home.put("a.txt", "a\r\nb\nc\r\n");
    let receipt = home.open().write(append("a.txt", "d\n")).unwrap();
    assert_eq!(home.text("a.txt"), "a\r\nb\nc\r\nd\r\n");
    assert_eq!(
        json_of(&receipt)["form"],
        json!({"encoding": "utf-8", "eol": "crlf", "eol_mixed": true})
    );
}

#[test]
fn line_ends_of_an_append_can_be_named_or_left() {
    let home = Home::new();
    let ws = home.open();
    let to = |eol| WriteRequest { form: form(None, eol), ..append("a.txt", "x\n") };
    home.put("a.txt", "a\r\n");
    ws.write(to(AskedEol::Raw)).unwrap();
    ws.write(to(AskedEol::Named(Eol::Lf))).unwrap();
    ws.write(to(AskedEol::Keep)).unwrap();
    assert_eq!(home.text("a.txt"), "a\r\nx\nx\nx\n");
}

#[test]
fn an_overwrite_writes_its_bytes_and_says_that_the_form_has_changed() {
    let home = Home::new();
    let ws = home.open();
    home.put("a.txt", bytes("utf-16le", "\u{FEFF}one\r\n"));
    let receipt = json_of(ws.write(overwrite("a.txt", "two\n")).unwrap());
    assert_eq!(home.read("a.txt"), b"two\n");
    assert_eq!(
        receipt["form_changed"],
        json!({
            "from": {"encoding": "utf-16le", "bom": true, "eol": "crlf"},
            "to": {"encoding": "utf-8", "eol": "lf"},
        })
    );
    let receipt = json_of(ws.write(overwrite("a.txt", "déjà\n")).unwrap());
    assert_eq!(receipt.get("form_changed"), None, "ASCII is UTF-8");
    assert_eq!(receipt.get("form"), None);
}

#[test]
fn an_overwrite_keeps_the_form_where_it_is_asked_to_or_the_policy_says_so() {
    for by_policy in [false, true] {
        let home = Home::new();
        let keep = if by_policy {
            home.policy("form: keep\n");
            Asked::default()
        } else {
            form(Some("keep"), AskedEol::Keep)
        };
        let ws = home.open();
        for (label, text, more) in TEXTS {
            home.put("a.txt", bytes(label, text));
            let request = WriteRequest { form: keep, ..overwrite("a.txt", more) };
            let receipt = json_of(ws.write(request.clone()).unwrap());
            let ends = if text.contains("\r\n") { "\r\n" } else { "\n" };
            let mark = if text.starts_with('\u{FEFF}') { "\u{FEFF}" } else { "" };
            let wanted = format!("{mark}{}", more.replace("\r\n", "\n").replace('\n', ends));
            assert_eq!(home.read("a.txt"), bytes(label, &wanted), "{label}");
            assert_eq!(receipt.get("unchanged"), None);
            if matches!(label, "utf-8" | "utf-16le" | "utf-16be") {
                let again = json_of(ws.write(request).unwrap());
                assert_eq!(again["unchanged"], true, "{label}: the retry finds it in place");
                assert_eq!(again["sha256"], receipt["sha256"]);
            }
        }
    }
}

#[test]
fn a_named_encoding_is_written_and_a_retry_finds_it_in_place() {
    let home = Home::new();
    let ws = home.open();
    let request = |mode: fn(&str, &str) -> WriteRequest, encoding| {
        let form = form(Some(encoding), AskedEol::Named(Eol::CrLf));
        WriteRequest { form, ..mode("a.txt", "東京\n") }
    };
    ws.write(request(create, "shift_jis")).unwrap();
    assert_eq!(home.read("a.txt"), bytes("shift_jis", "東京\r\n"));
    let again = ws.write(request(overwrite, "shift_jis")).unwrap();
    assert!(again.unchanged);
    ws.write(request(overwrite, "utf-16be")).unwrap();
    assert_eq!(home.read("a.txt"), bytes("utf-16be", "\u{FEFF}東京\r\n"));
    assert_eq!(home.rows().len(), 3);
    assert!(asked(Some("rot13"), AskedEol::Unsaid).is_err());
}

#[test]
fn a_guess_is_said_and_takes_nothing_outside_ascii() {
    let home = Home::new();
    let ws = home.open();
    let two = bytes("windows-1251", "да\n");
    home.put("a.txt", &two);
    let receipt = json_of(ws.write(append("a.txt", "ok\n")).unwrap());
    assert_eq!(receipt["form"]["encoding_confidence"], "low");
    let refused = home.refused(|| ws.write(append("a.txt", "нет\n")));
    assert_eq!(refused["context"]["reason"], "encoding_not_sure");
    assert_eq!(refused["context"]["line"], 1);
    ws.write(with("windows-1251", append("a.txt", "нет\n"))).unwrap();
    assert_eq!(home.read("a.txt"), bytes("windows-1251", "да\nok\nнет\n"));
}

#[test]
fn text_outside_ascii_behind_a_long_ascii_head_and_tail_is_utf_8_and_not_sure() {
    let home = Home::new();
    home.put("a.log", "plain words\n".repeat(10_000));
    let receipt = json_of(home.open().write(append("a.log", "é\n")).unwrap());
    assert!(home.read("a.log").ends_with("\né\n".as_bytes()));
    assert_eq!(receipt["form"]["encoding_confidence"], "low");
}

#[test]
fn new_files_have_the_form_that_the_project_declares_when_the_policy_says_so() {
    let home = Home::new();
    home.put(".editorconfig", "root = true\n[*.txt]\ncharset = utf-16le\nend_of_line = crlf\n");
    home.put("sub/.gitattributes", "*.txt eol=lf\n*.bat eol=crlf\n");
    let ws = home.open();
    ws.write(create("sub/plain.txt", "a\n")).unwrap();
    assert_eq!(home.read("sub/plain.txt"), b"a\n", "nothing is looked up unasked");

    home.policy("form_from: [gitattributes, editorconfig]\n");
    ws.write(create("sub/new/a.txt", "a\n")).unwrap();
    assert_eq!(home.read("sub/new/a.txt"), bytes("utf-16le", "\u{FEFF}a\n"));
    ws.write(append("sub/a.bat", "a\n")).unwrap();
    assert_eq!(home.read("sub/a.bat"), b"a\r\n");
    ws.write(create("a.txt", "a\n")).unwrap();
    assert_eq!(home.read("a.txt"), bytes("utf-16le", "\u{FEFF}a\r\n"));
    ws.write(with("raw", create("raw.txt", "a\n"))).unwrap();
    assert_eq!(home.read("raw.txt"), b"a\n");
    home.put("old.txt", "a\n");
    ws.write(overwrite("old.txt", "b\n")).unwrap();
    assert_eq!(home.read("old.txt"), b"b\n", "it is not new");
}

#[test]
fn a_composed_file_has_the_form_that_is_asked_for_and_says_what_has_changed() {
    let home = Home::new();
    let ws = home.open();
    let latin = bytes("windows-1252", "déjà vu, là-bas, à côté\r\n");
    home.put("a.txt", &latin);
    for part in ["été\r", "\nà\n"] {
        ws.chunks().append("s", part.to_owned(), None).unwrap();
    }
    let keep = form(Some("keep"), AskedEol::Keep);
    let receipt = json_of(ws.compose_as(composing(keep)).unwrap());
    assert_eq!(home.read("a.txt"), bytes("windows-1252", "été\r\nà\r\n"));
    assert_eq!(receipt.get("form_changed"), None);
    assert_eq!(receipt["form"], json!({"encoding": "windows-1252", "eol": "crlf"}));

    let utf16 = form(Some("utf-16le"), AskedEol::Named(Eol::Lf));
    let receipt = json_of(ws.compose_as(composing(utf16)).unwrap());
    assert_eq!(home.read("a.txt"), bytes("utf-16le", "\u{FEFF}été\nà\n"));
    assert_eq!(receipt["form_changed"]["to"]["encoding"], "utf-16le");
    ws.chunks().append("s", "λ".to_owned(), None).unwrap();
    let latin = form(Some("latin-1"), AskedEol::Unsaid);
    let refused = home.refused(|| ws.compose_as(composing(latin)));
    assert_eq!(
        (&refused["context"]["line"], &refused["context"]["character"]),
        (&json!(3), &json!("λ"))
    );
}

#[test]
fn text_is_replaced_in_the_encoding_that_is_named() {
    let home = Home::new();
    let ws = home.open();
    home.put("a.txt", bytes("shift_jis", "値\n"));
    let edit = ReplaceRequest {
        form: form(Some("shift_jis"), AskedEol::Named(Eol::CrLf)),
        ..replace("a.txt", "値\n", "表\n示\n")
    };
    let receipt = json_of(ws.replace(edit).unwrap());
    assert_eq!(home.read("a.txt"), bytes("shift_jis", "表\r\n示\r\n"));
    assert_eq!(receipt["form"], json!({"encoding": "shift_jis", "eol": "crlf"}));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 32, failure_persistence: None, ..ProptestConfig::default()
    })]

    /// What is appended piece by piece, and read back, is the text, in any encoding that has it.
    #[test]
    fn what_is_appended_reads_back_in_every_encoding(
        which in 0..11_usize,
        pieces in prop::collection::vec("[a-zA-Z0-9 =表éПß中한。\n]{1,20}", 1..5),
        long in any::<bool>(),
    ) {
        let label = ["utf-8", "utf-8-bom", "utf-16le", "utf-16be", "latin-1", "windows-1251",
            "shift_jis", "euc-jp", "gbk", "gb18030", "euc-kr"][which];
        let home = Home::new();
        let ws = home.open();
        let named = |request| with(label, request);
        let mut text = if long { "word\n".repeat(40_000) } else { "word\n".to_owned() };
        ws.write(named(create("a.txt", &text))).unwrap();
        for piece in &pieces {
            match ws.write(named(append("a.txt", piece))) {
                Ok(_) => text.push_str(piece),
                Err(error) => {
                    let refused = resilient_core::Envelope::from(&error);
                    let character = refused.context["character"].as_str().unwrap_or_default();
                    prop_assert!(piece.contains(character) && !character.is_ascii(), "{error}");
                }
            }
        }
        let plain = label.trim_end_matches("-bom");
        let read = home.read("a.txt");
        let decoder = encoding_rs::Encoding::for_label(plain.as_bytes());
        let (decoded, _, damaged) =
            decoder.unwrap_or(encoding_rs::WINDOWS_1252).decode(&read);
        prop_assert!(!damaged);
        prop_assert!(decoded == text, "{} {:?}", label, pieces);
        prop_assert!(Encoding::named(plain).is_some());
    }
}
