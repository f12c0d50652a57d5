//! The form of files through the real programs: the server and the command line.

use serde_json::json;

use crate::sandbox::Sandbox;

const ENCODING: &str = "policy_violation/encoding/abort";

fn utf16(text: &str) -> Vec<u8> {
    "\u{FEFF}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

fn read(sandbox: &Sandbox, path: &str) -> Vec<u8> {
    std::fs::read(sandbox.path(path)).unwrap()
}

#[test]
fn every_write_keeps_encoding_and_line_ends_over_the_wire() {
    let sandbox = Sandbox::new();
    let mut client = sandbox.serve(&["--with-read"]);
    sandbox.put("a.txt", utf16("one\r\n"));
    let append = json!({"path": "a.txt", "content": "zwölf\n", "mode": "append"});
    let answer = client.gives("rw_safe_write", append, &["form", "sha256"]);
    assert_eq!(answer["form"], json!({"encoding": "utf-16le", "bom": true, "eol": "crlf"}));
    assert_eq!(read(&sandbox, "a.txt"), utf16("one\r\nzwölf\r\n"));

    let overwrite = json!({"path": "a.txt", "content": "é\n", "mode": "overwrite"});
    let mut keep = overwrite.clone();
    keep["encoding"] = json!("keep");
    keep["eol"] = json!("keep");
    client.gives("rw_safe_write", keep.clone(), &[]);
    assert_eq!(read(&sandbox, "a.txt"), utf16("é\r\n"));
    assert_eq!(client.gives("rw_safe_write", keep, &[])["unchanged"], true);
    let answer = client.gives("rw_safe_write", overwrite, &["form_changed"]);
    assert_eq!(answer["form_changed"]["from"]["encoding"], "utf-16le");
    assert_eq!(answer["form_changed"]["to"], json!({"encoding": "utf-8", "eol": "lf"}));
    assert_eq!(read(&sandbox, "a.txt"), "é\n".as_bytes());

    sandbox.put("b.txt", b"caf\xe9 et th\xe9\r\n");
    let lacking = json!({"path": "b.txt", "content": "a\nλ", "mode": "append"});
    let facts = json!({"reason": "unencodable_character", "character": "λ", "line": 2});
    client.fails("rw_safe_write", lacking, "policy_violation/encoding/escape", facts);
    sandbox.put("c.bin", b"a\0b");
    let binary = json!({"path": "c.bin", "content": "c", "mode": "append"});
    client.fails("rw_safe_write", binary, ENCODING, json!({"reason": "append_to_binary"}));
    let strict = json!({"path": "d.txt", "content": "caf\u{e9}", "encoding": "ascii"});
    let facts =
        json!({"reason": "unencodable_character", "encoding": "ascii", "character": "\u{e9}"});
    client.fails("rw_safe_write", strict, "policy_violation/encoding/escape", facts);
    let misspelt = json!({"path": "d.txt", "content": "c", "encoding": "utf-16-lee"});
    let facts =
        json!({"reason": "unsupported_encoding", "nearest_names": ["utf-16le", "utf-16be"]});
    let refused = client.fails("rw_safe_write", misspelt, ENCODING, facts);
    let hint = refused["context"]["hint"].as_str().unwrap();
    assert!(hint.contains("utf-16le"), "{hint}");
    let unknown = json!({"path": "d.txt", "content": "c", "encoding": "rot13"});
    client.fails("rw_safe_write", unknown, ENCODING, json!({"reason": "unsupported_encoding"}));

    let part = json!({"session": "s", "content": "東京\n"});
    client.gives("rw_chunk_append", part, &[]);
    let compose = json!({"session": "s", "output_path": "b.txt", "encoding": "shift_jis"});
    let answer = client.gives("rw_chunk_compose", compose, &["form_changed"]);
    assert_eq!(answer["form"]["encoding"], "shift_jis");
    let edit = json!({
        "path": "b.txt", "old_string": "京", "new_string": "北\n", "encoding": "sjis", "eol": "crlf",
    });
    client.gives("rw_safe_replace", edit, &["form"]);
    let lines = json!({"path": "b.txt", "encoding": "shift_jis"});
    assert_eq!(client.gives("rr_read_lines", lines.clone(), &[])["content"], "1|東北\n2|");
    assert_eq!(client.gives("rr_read_tail", lines, &[])["encoding"], "shift_jis");
    let search = json!({"path": "b.txt", "query": "東", "encoding": "shift_jis"});
    assert_eq!(client.gives("rr_search_then_page", search, &[])["matches_returned"], 1);
}

#[test]
fn every_write_keeps_encoding_and_line_ends_on_the_command_line() {
    let sandbox = Sandbox::new();
    let created = ["write", "a.txt", "--content", "é\n", "--encoding", "utf-16le", "--eol", "crlf"];
    let ran = sandbox.run(&created).ok();
    assert!(
        ran.stdout.ends_with("  form     utf-16le with a byte order mark, CRLF\n"),
        "{}",
        ran.stdout
    );
    sandbox.run(&["write", "a.txt", "--mode", "append", "--content", "ü\n"]).ok();
    assert_eq!(read(&sandbox, "a.txt"), utf16("é\r\nü\r\n"));
    sandbox.run(&["replace", "a.txt", "--old", "ü", "--new", "ö\n", "--eol", "lf"]).ok();
    assert_eq!(read(&sandbox, "a.txt"), utf16("é\r\nö\n\r\n"));
    sandbox.run(&["chunk", "append", "s", "--content", "x\n"]).ok();
    let ran = sandbox.run(&["chunk", "compose", "s", "a.txt"]).ok();
    let told =
        "  form      utf-8, LF\n  was       utf-16le with a byte order mark, mixed line ends\n";
    assert!(ran.stdout.ends_with(told), "{}", ran.stdout);
    sandbox.run(&["chunk", "compose", "s", "a.txt", "--encoding", "utf-8-bom"]).ok();
    assert_eq!(read(&sandbox, "a.txt"), "\u{FEFF}x\n".as_bytes());
    let refused = ["write", "b.txt", "--content", "λ", "--encoding", "latin-1", "--json"];
    let envelope = sandbox.run(&refused).envelope();
    assert_eq!(envelope["context"]["reason"], "unencodable_character");
    assert!(!sandbox.path("b.txt").exists());
}

#[test]
fn the_policy_keeps_the_form_of_files_and_looks_it_up_for_new_ones() {
    let sandbox = Sandbox::new();
    let policy = "form: keep\nform_from: [editorconfig, gitattributes]\n";
    sandbox.put(".resilient_write/policy.yaml", policy);
    sandbox.put(".editorconfig", "[*.txt]\ncharset = utf-16le\n");
    sandbox.put(".gitattributes", "* eol=crlf\n");
    sandbox.run(&["write", "a.txt", "--content", "a\n"]).ok();
    assert_eq!(read(&sandbox, "a.txt"), utf16("a\r\n"));
    sandbox.run(&["write", "a.txt", "--mode", "overwrite", "--content", "b\n"]).ok();
    assert_eq!(read(&sandbox, "a.txt"), utf16("b\r\n"));
}

#[test]
fn a_wrong_edit_of_a_file_in_any_encoding_is_told_what_comes_near() {
    let sandbox = Sandbox::new();
    let mut client = sandbox.serve(&[]);
    let body = "if a < b {\r\n\ttotal = 1\r\n}\r\n";
    sandbox.put("wide.txt", utf16(&format!("é\r\n{body}")));
    sandbox.put("latin.txt", [b"un caf\xe9 noir et un th\xe9 vert\r\n", body.as_bytes()].concat());
    sandbox.put(
        "kana.txt",
        [b"\x83\x4a\x83\x5e\x83\x4a\x83\x69\x83\x4a\x83\x5e\r\n", body.as_bytes()].concat(),
    );
    for path in ["wide.txt", "latin.txt", "kana.txt"] {
        let edit =
            |old: &str| json!({"path": path, "old_string": old, "new_string": "\ttotal = 2"});
        let refused = client.fails("rw_safe_replace", edit("    total = 1"), ENCODING, json!({}));
        let context = &refused["context"];
        assert!(context["reason"].as_str().unwrap().starts_with("not_utf8: "), "{context}");
        assert_eq!(context["nearest"]["differs"], json!(["tabs"]), "{context}");
        assert!(context["hint"].as_str().unwrap().contains("suggested_old_string"), "{context}");
        let entities = json!({"mistakes": ["html_entities"], "corrected_lines": [2]});
        client.fails("rw_safe_replace", edit("if a &lt; b {"), ENCODING, entities);
        let suggested = context["nearest"]["suggested_old_string"].as_str().unwrap();
        client.gives("rw_safe_replace", edit(suggested), &[]);
        let made = json!({"already_applied": true, "new_string_lines": [3]});
        client.fails("rw_safe_replace", edit("\ttotal = 1"), ENCODING, made);
    }
}

#[test]
fn a_file_in_any_encoding_is_judged_checked_and_cleaned_by_its_path() {
    let sandbox = Sandbox::new();
    let mut client = sandbox.serve(&["--tools", "full"]);
    let token = ["gh", "p_", "k3Jd9fQx7LmZ2pVtR8sWk3Jd9fQx7LmZ2pVt"].concat();
    let text = |value: &str| format!("{{\"né\": 1,\r\n\"token\": \"{value}\"}}\r\n");
    let latin = |text: &str| -> Vec<u8> { text.chars().map(|it| it as u8).collect() };
    for (path, spelled) in [("wide.json", utf16 as fn(&str) -> Vec<u8>), ("latin.json", latin)] {
        sandbox.put(path, spelled(&text(&token)));
        let scored = client.gives("rw_risk_score", json!({"path": path}), &[]);
        assert_eq!(scored["detected_patterns"][0]["line"], 2, "{scored}");
        for args in [vec!["risk", path, "--json"], vec!["risk", path, "--format", "json"]] {
            let told = sandbox.run(&args);
            assert!(told.stdout.contains("github_pat"), "{}", told.stdout);
        }
        assert_eq!(client.gives("rw_validate", json!({"path": path}), &[])["valid"], true);
        sandbox.run(&["validate", path]).ok();
        let clean = json!({"path": path, "write_to": path, "keep": true});
        client.gives("rw_redact", clean, &[]);
        let cleaned = read(&sandbox, path);
        assert_eq!(cleaned, spelled(&text("<REDACTED:github_pat:1>")), "every other byte stays");
    }
    sandbox.put("a.bin", b"\x00\xff\x80\x81");
    for tool in ["rw_risk_score", "rw_validate", "rw_redact"] {
        let refused = client.fails(tool, json!({"path": "a.bin"}), ENCODING, json!({}));
        let hint = refused["context"]["hint"].as_str().unwrap();
        assert!(hint.contains("`content`") && !hint.contains("old_string"), "{hint}");
    }
}

#[test]
fn no_byte_order_mark_comes_into_the_middle_of_a_file() {
    let sandbox = Sandbox::new();
    let mut client = sandbox.serve(&[]);
    let mark = "\u{feff}";
    let append = |path: &str, encoding: Option<&str>| {
        let mut call = json!({"path": path, "content": format!("{mark}b\n"), "mode": "append"});
        if let Some(encoding) = encoding {
            call["encoding"] = json!(encoding);
        }
        call
    };
    // A new file begins with it.
    let begun = client.gives("rw_safe_write", append("a.txt", None), &[]);
    assert!(begun.get("bom_dropped").is_none(), "{begun}");
    assert_eq!(client.gives("rw_safe_write", append("a.txt", None), &[])["bom_dropped"], true);
    assert_eq!(sandbox.text("a.txt"), format!("{mark}b\nb\n"));
    client.gives("rw_safe_write", append("a.txt", Some("raw")), &[]);
    assert_eq!(sandbox.text("a.txt"), format!("{mark}b\nb\n{mark}b\n"));
    let long = "a\n".repeat(64 << 10);
    sandbox.put("long.txt", &long);
    assert_eq!(client.gives("rw_safe_write", append("long.txt", None), &[])["bom_dropped"], true);
    assert_eq!(sandbox.text("long.txt"), format!("{long}b\n"));
    sandbox.put("latin.txt", b"caf\xe9 et th\xe9\n");
    client.gives("rw_safe_write", append("latin.txt", None), &[]);
    assert_eq!(read(&sandbox, "latin.txt"), b"caf\xe9 et th\xe9\nb\n");

    let edit = json!({"path": "long.txt", "old_string": "b\n", "new_string": format!("{mark}c\n")});
    assert_eq!(client.gives("rw_safe_replace", edit, &[])["bom_dropped"], true);
    assert_eq!(sandbox.text("long.txt"), format!("{long}c\n"));

    for part in ["1\n", "2\n", ""] {
        let part = json!({"session": "s", "content": format!("{mark}{part}")});
        client.gives("rw_chunk_append", part, &[]);
    }
    let whole = format!("{mark}1\n2\n");
    let preview = client.gives("rw_chunk_preview", json!({"session": "s"}), &[]);
    assert_eq!(preview["content"], whole);
    let compose = json!({"session": "s", "output_path": "c.txt"});
    let composed = client.gives("rw_chunk_compose", compose, &[]);
    assert_eq!(composed["bom_dropped"], true);
    assert_eq!(sandbox.text("c.txt"), whole);

    let told =
        sandbox.run(&["write", "c.txt", "--mode", "append", "--content", &format!("{mark}3")]);
    assert!(told.ok().stdout.contains("bom"));
    assert_eq!(sandbox.text("c.txt"), format!("{whole}3"));
}
