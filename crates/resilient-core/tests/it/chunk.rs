//! Chunk sessions on a real disk.

use std::collections::BTreeSet;

use resilient_core::chunk::{
    ChunkReceipt, ComposeReceipt, ComposeRequest, Preview, PreviewRequest, Reset,
};
use resilient_core::journal::Mode;
use resilient_core::{Result, Workspace};
use serde_json::json;

use crate::home::{
    Home, composing, damaged, digest, entries, envelope, hinted, json_of, malformed, refusal, stale,
};

fn write(ws: &Workspace, index: i64, content: &str) -> ChunkReceipt {
    ws.chunks().write("s", index, content.to_owned(), None).expect("a part")
}

fn announce(ws: &Workspace, index: i64, content: &str, total: i64) -> Result<ChunkReceipt> {
    ws.chunks().write("s", index, content.to_owned(), Some(total))
}

fn append(ws: &Workspace, session: &str, content: &str) -> ChunkReceipt {
    ws.chunks().append(session, content.to_owned(), None).expect("a part")
}

fn compose(ws: &Workspace, path: &str, separator: &str, cleanup: bool) -> Result<ComposeReceipt> {
    ws.compose(ComposeRequest { separator: separator.to_owned(), ..composing(path, cleanup) })
}

/// The first page of what composing would give.
fn preview(ws: &Workspace, session: &str, separator: &str) -> Result<Preview> {
    let separator = separator.to_owned();
    ws.chunks().preview(&PreviewRequest { separator, ..PreviewRequest::of(session) })
}

#[test]
fn a_part_is_kept_with_its_row_and_manifest() {
    let home = Home::new();
    let ws = home.open();
    let receipt = write(&ws, 7, "größe\n");
    let part = ".resilient_write/chunks/s/part-007.txt";
    assert_eq!(
        json_of(&receipt),
        json!({
            "session": "s", "index": 7, "chunk_path": part, "sha256": digest("größe\n"),
            "bytes": 8, "journal_id": receipt.journal_id,
        })
    );
    assert_eq!(home.text(part), "größe\n");
    let [row] = &entries(&ws)[..] else { panic!("one row") };
    assert_eq!((row.path.as_str(), row.mode, row.bytes), (part, Mode::Overwrite, 8));
    assert_eq!((&row.journal_id, row.sha256.digest()), (&receipt.journal_id, Some(receipt.sha256)));
    home.assert_tidy();
}

#[test]
fn the_manifest_is_the_text_that_it_is_documented_to_be() {
    let home = Home::new();
    announce(&home.open(), 1, "one", 3).expect("a part");
    let manifest = ".resilient_write/chunks/s/manifest.json";
    assert_eq!(
        home.text(manifest),
        "{\n  \"created_at\": \"2023-11-14T22:13:20Z\",\n  \"session\": \"s\",\n  \
         \"total_expected\": 3,\n  \"updated_at\": \"2023-11-14T22:13:20Z\"\n}\n"
    );
    let later = home.open_after(60);
    write(&later, 2, "two");
    assert_eq!(
        home.text(manifest),
        "{\n  \"created_at\": \"2023-11-14T22:13:20Z\",\n  \"session\": \"s\",\n  \
         \"total_expected\": 3,\n  \"updated_at\": \"2023-11-14T22:14:20Z\"\n}\n",
        "a part without a total keeps the one announced before"
    );
    announce(&later, 3, "three", 5).expect("a part");
    assert_eq!(
        later.chunks().status("s").expect("status").parts.expect("parts").total_expected,
        Some(5)
    );
    later.chunks().append("t", "x".to_owned(), None).expect("a part");
    assert!(
        home.text(".resilient_write/chunks/t/manifest.json")
            .contains("  \"total_expected\": null,\n")
    );
}

#[test]
fn a_manifest_of_the_python_server_is_read() {
    let home = Home::new();
    home.put(
        ".resilient_write/chunks/s/manifest.json",
        "{\n  \"created_at\": \"2026-01-01T00:00:00Z\",\n  \"session\": \"s\",\n  \
         \"total_expected\": 2,\n  \"updated_at\": \"2026-01-01T00:00:00Z\"\n}\n",
    );
    home.put(".resilient_write/chunks/s/part-001.txt", "one");
    let ws = home.open();
    write(&ws, 2, "two");
    assert_eq!(preview(&ws, "s", "").expect("a preview").content, "onetwo");
    assert!(home.text(".resilient_write/chunks/s/manifest.json").contains("2026-01-01T00:00:00Z"));
}

#[cfg(unix)]
#[test]
fn parts_are_private_to_the_user() {
    let home = Home::new();
    write(&home.open(), 1, "one");
    for dir in ["", "/chunks", "/chunks/s", "/tmp"] {
        assert_eq!(home.mode(&format!(".resilient_write{dir}")), 0o700, "{dir}");
    }
    for file in
        ["journal.jsonl", "format", "lock", "chunks/s/part-001.txt", "chunks/s/manifest.json"]
    {
        assert_eq!(home.mode(&format!(".resilient_write/{file}")), 0o600, "{file}");
    }
}

#[test]
fn a_number_may_be_written_again() {
    let home = Home::new();
    let ws = home.open();
    write(&ws, 1, "old");
    let receipt = write(&ws, 1, "new");
    assert_eq!(home.text(".resilient_write/chunks/s/part-001.txt"), "new");
    assert_eq!(entries(&ws).last().map(|row| row.prev_sha256), Some(Some(digest("old"))));
    // The same bytes once more are a write like any other.
    let again = write(&ws, 1, "new");
    assert_eq!(again.sha256, receipt.sha256);
    assert_ne!(again.journal_id, receipt.journal_id);
    assert_eq!(entries(&ws).len(), 3);
}

#[test]
fn arguments_are_checked_before_anything_is_made() {
    let home = Home::new();
    let ws = home.open();
    let long = "x".repeat(65);
    for session in ["", "a b", "a/b", "..", "é", "a\n", long.as_str()] {
        let expected = malformed(json!({
            "session": session, "reason": "session_must_match_^[A-Za-z0-9_-]{1,64}$",
        }));
        let chunks = ws.chunks();
        assert_eq!(refusal(chunks.write(session, 1, String::new(), None)), expected);
        assert_eq!(refusal(chunks.append(session, String::new(), None)), expected);
        assert_eq!(
            refusal(ws.compose(ComposeRequest {
                session: session.to_owned(),
                ..composing("out", false)
            })),
            expected
        );
        assert_eq!(refusal(preview(&ws, session, "")), expected);
        assert_eq!(refusal(chunks.status(session)), expected);
        assert_eq!(refusal(chunks.reset(session)), expected);
    }
    for index in [0, -1, 1000, i64::MAX, i64::MIN] {
        assert_eq!(
            refusal(ws.chunks().write("s", index, String::new(), None)),
            malformed(json!({
                "session": "s", "index": index, "reason": "index_must_be_int_in_1..999",
            }))
        );
    }
    for total in [0, -1, 1000] {
        let expected = malformed(json!({
            "session": "s", "total_expected": total,
            "reason": "total_expected_must_be_int_in_1..999",
        }));
        assert_eq!(refusal(announce(&ws, 1, "", total)), expected);
        assert_eq!(refusal(ws.chunks().append("s", String::new(), Some(total))), expected);
    }
    assert_eq!(
        refusal(announce(&ws, 4, "", 3)),
        malformed(json!({
            "session": "s", "index": 4, "total_expected": 3,
            "reason": "index_exceeds_total_expected",
        }))
    );
    assert_eq!(home.names(""), [""; 0]);
    let longest = "x".repeat(64);
    ws.chunks().write(&longest, 999, String::new(), Some(999)).expect("the limits themselves");
}

#[test]
fn a_total_of_an_earlier_call_does_not_limit_numbers() {
    let home = Home::new();
    let ws = home.open();
    announce(&ws, 1, "a", 2).expect("a part");
    let beyond = write(&ws, 3, "c");
    assert_eq!(beyond.index, 3);
    let warning = json_of(&beyond)["warning"].take();
    assert!(warning.as_str().is_some_and(|it| it.contains("beyond total_expected")), "{warning}");
    // Only a total in the same call does, for an append too.
    assert_eq!(
        refusal(ws.chunks().append("s", "d".to_owned(), Some(3))),
        malformed(json!({
            "session": "s", "index": 4, "total_expected": 3,
            "reason": "index_exceeds_total_expected",
        }))
    );
    assert_eq!(append(&ws, "s", "d").index, 4);
    assert!(json_of(announce(&ws, 4, "d", 4).expect("a part")).get("warning").is_none());
    // A total that is lowered leaves a part beyond it, too.
    let lowered = json_of(announce(&ws, 3, "c", 3).expect("a part"))["warning"].take();
    let names_it = |it: &str| it.starts_with("part 4 is beyond total_expected, which is 3");
    assert!(lowered.as_str().is_some_and(names_it), "{lowered}");
}

#[test]
fn the_hint_of_a_refused_compose_leads_out_in_one_step() {
    // (parts, total): the ones that are missing are sent as the hint says.
    for (have, total, missing, announced) in [
        (vec![1, 3], None, vec![2], None),
        (vec![1, 3], Some(5), vec![2, 4, 5], None),
        (vec![1, 2, 8], Some(4), vec![3, 4, 5, 6, 7], Some(8)),
        (vec![1, 2, 4], Some(4), vec![3], None),
    ] {
        let home = Home::new();
        let ws = home.open();
        for index in &have {
            write(&ws, *index, "x");
        }
        if let Some(total) = total {
            announce(&ws, 1, "x", total).expect("a part");
        }
        let (hint, refused) = hinted(&compose(&ws, "out", "", false).expect_err("a refusal"));
        assert_eq!(refused["context"]["missing"], json!(missing), "{have:?}");
        let status = json_of(ws.chunks().status("s").expect("a status"));
        assert_eq!(status["missing"], json!(missing), "{have:?}");
        let says = announced.map(|total| format!("`rw_chunk_write` and `total_expected` {total};"));
        let says = says.unwrap_or_else(|| "with `rw_chunk_write`;".to_owned());
        assert!(hint.contains(&says), "{have:?}: {hint}");
        for index in missing {
            ws.chunks().write("s", index, "x".to_owned(), announced).expect("a part");
        }
        compose(&ws, "out", "", false).expect("a receipt");
    }
}

#[test]
fn an_append_takes_the_number_after_the_highest() {
    let home = Home::new();
    let ws = home.open();
    assert_eq!(append(&ws, "s", "a").index, 1);
    write(&ws, 3, "c");
    assert_eq!(append(&ws, "s", "d").index, 4, "gaps are not filled");
    write(&ws, 999, "z");
    assert_eq!(
        refusal(ws.chunks().append("s", "more".to_owned(), None)),
        malformed(json!({
            "session": "s", "index": 1000, "reason": "index_must_be_int_in_1..999",
        }))
    );
    // Other names in the directory are no parts.
    for name in ["part-000.txt", "part-1.txt", "part-0005.txt", "part-5ab.txt", "part-005.tmp"] {
        home.put(&format!(".resilient_write/chunks/t/{name}"), "?");
    }
    assert_eq!(append(&ws, "t", "a").index, 1);
}

#[test]
fn appends_of_many_threads_and_two_workspaces_get_numbers_of_their_own() {
    let home = Home::new();
    let spaces = [home.open(), home.open()];
    let mut indices = Vec::new();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|thread| {
                let ws = &spaces[thread % 2];
                scope.spawn(move || {
                    (0..20)
                        .map(|n| (append(ws, "s", &format!("{thread}:{n};")).index, (thread, n)))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        for thread in threads {
            let mine = thread.join().expect("a thread");
            assert!(mine.is_sorted(), "one thread's parts are in its order");
            indices.extend(mine);
        }
    });
    let distinct: BTreeSet<u32> = indices.iter().map(|(index, _)| *index).collect();
    assert!(distinct.iter().copied().eq(1..=160), "{distinct:?}");
    for (index, (thread, n)) in indices {
        let part = format!(".resilient_write/chunks/s/part-{index:03}.txt");
        assert_eq!(home.text(&part), format!("{thread}:{n};"));
    }
    assert_eq!(entries(&spaces[0]).len(), 160);
    drop(spaces);
    assert_eq!(home.names(".resilient_write/tmp"), [""; 0]);
}

#[test]
fn compose_joins_parts_with_separators_between_them() {
    let home = Home::new();
    let ws = home.open();
    for part in ["one", "", "drei→"] {
        append(&ws, "s", part);
    }
    let receipt = compose(&ws, "new/dir/out.md", "\n--\n", false).expect("a receipt");
    let text = "one\n--\n\n--\ndrei→";
    assert_eq!(home.text("new/dir/out.md"), text);
    assert_eq!(
        json_of(&receipt),
        json!({
            "session": "s", "output_path": "new/dir/out.md", "sha256": digest(text),
            "bytes": text.len(), "chunk_count": 3,
            "chunk_hashes": [digest("one"), digest(""), digest("drei→")],
            "journal_id": receipt.journal_id, "cleaned_up": false,
        })
    );
    let row = entries(&ws).pop().expect("a row");
    assert_eq!((row.path.as_str(), row.mode), ("new/dir/out.md", Mode::Create));
    assert_eq!(row.journal_id, receipt.journal_id);
    assert_eq!(home.names(".resilient_write/chunks/s").len(), 4, "parts are kept");

    // A file that is there is replaced without a word.
    append(&ws, "s", "four");
    compose(&ws, "new/dir/out.md", "", false).expect("a receipt");
    assert_eq!(home.text("new/dir/out.md"), "onedrei→four");
    assert_eq!(entries(&ws).pop().map(|row| row.mode), Some(Mode::Overwrite));
    home.assert_tidy();
}

#[test]
fn composing_what_is_there_already_leaves_the_file_alone() {
    let home = Home::new();
    let ws = home.open();
    append(&ws, "s", "same");
    home.put("out.txt", "same");
    let before = std::fs::metadata(home.path("out.txt")).expect("the file");
    let receipt = compose(&ws, "out.txt", "", false).expect("a receipt");
    let after = std::fs::metadata(home.path("out.txt")).expect("the file");
    assert_eq!(before.modified().expect("a time"), after.modified().expect("a time"));
    let row = entries(&ws).pop().expect("a row");
    assert_eq!((row.journal_id, row.mode), (receipt.journal_id, Mode::Overwrite));
    home.assert_tidy();
    // And with cleanup the parts go all the same.
    let receipt = compose(&ws, "out.txt", "", true).expect("a receipt");
    assert!(receipt.cleaned_up);
    assert_eq!(home.text("out.txt"), "same");
    assert_eq!(home.names(".resilient_write/chunks"), [""; 0]);
    home.assert_tidy();
}

#[test]
fn cleanup_takes_the_whole_session() {
    let home = Home::new();
    let ws = home.open();
    append(&ws, "s", "one");
    append(&ws, "other", "stays");
    home.put(".resilient_write/chunks/s/notes/deep/file", "somebody's");
    let receipt = compose(&ws, "out", "", true).expect("a receipt");
    assert_eq!((receipt.cleaned_up, receipt.chunk_count), (true, 1));
    assert_eq!(home.names(".resilient_write/chunks"), ["other"]);
    home.assert_tidy();
    assert!(!ws.chunks().status("s").expect("a status").exists);
    // The name is free for another session, and numbers begin anew.
    assert_eq!(append(&ws, "s", "x").index, 1);
}

#[test]
fn a_character_may_be_cut_by_the_border_of_two_parts() {
    let home = Home::new();
    let ws = home.open();
    append(&ws, "s", "a");
    append(&ws, "s", "b");
    let text = "a→é𝄞b";
    let bytes = text.as_bytes();
    for cut in 0..=bytes.len() {
        home.put(".resilient_write/chunks/s/part-001.txt", &bytes[..cut]);
        home.put(".resilient_write/chunks/s/part-002.txt", &bytes[cut..]);
        let preview = preview(&ws, "s", "").expect("a preview");
        assert_eq!(preview.content, text, "cut at {cut}");
        assert_eq!(preview.chunk_hashes, [digest(&bytes[..cut]), digest(&bytes[cut..])]);
    }
    home.put(".resilient_write/chunks/s/part-001.txt", &bytes[..2]);
    home.put(".resilient_write/chunks/s/part-002.txt", &bytes[2..]);
    compose(&ws, "out", "", false).expect("a receipt");
    assert_eq!(home.text("out"), text);
    // With a separator in the cut the bytes are no text.
    assert_eq!(
        refusal(compose(&ws, "out2", "-", false)),
        damaged(json!({
            "session": "s", "reason": "composed_not_utf8: invalid byte at offset 1",
        }))
    );
    assert!(!home.has("out2"));
    home.assert_tidy();
}

#[test]
fn bytes_that_are_no_text_are_not_composed() {
    let home = Home::new();
    let ws = home.open();
    append(&ws, "s", "a");
    for (bytes, offset) in [
        (&b"ab\xff"[..], 2),
        (b"\xc3(", 0),
        (b"abc\xe2\x86", 3),
        (b"\xed\xa0\x80", 0),
        (b"\xf0\x9f\x98", 0),
    ] {
        home.put(".resilient_write/chunks/s/part-001.txt", bytes);
        let expected = damaged(json!({
            "session": "s",
            "reason": format!("composed_not_utf8: invalid byte at offset {offset}"),
        }));
        assert_eq!(refusal(compose(&ws, "deep/er/out", "", true)), expected);
        assert_eq!(refusal(preview(&ws, "s", "")), expected);
    }
    assert!(!home.has("deep"), "no directory is left");
    assert!(home.has(".resilient_write/chunks/s/part-001.txt"), "cleanup only after success");
    home.assert_tidy();
}

#[test]
fn a_part_longer_than_a_block_streams_whole() {
    let home = Home::new();
    let ws = home.open();
    // Three bytes each, so that the borders of blocks fall into characters.
    let long = "→".repeat(200_000);
    append(&ws, "s", &long);
    append(&ws, "s", &long);
    let receipt = compose(&ws, "out", "|", false).expect("a receipt");
    let text = format!("{long}|{long}");
    assert_eq!((receipt.bytes, receipt.sha256), (1_200_001, digest(&text)));
    assert_eq!(home.text("out"), text);
    // One byte of a character lost far behind is found where it is.
    let mut bytes = long.into_bytes();
    bytes.remove(400_000);
    home.put(".resilient_write/chunks/s/part-001.txt", bytes);
    assert_eq!(
        refusal(compose(&ws, "out", "|", false)),
        damaged(json!({
            "session": "s", "reason": "composed_not_utf8: invalid byte at offset 399999",
        }))
    );
    assert_eq!(home.text("out"), text, "the file is as it was");
}

#[test]
fn a_preview_shows_and_creates_nothing() {
    let home = Home::new();
    let none = stale(json!({"session": "s", "reason": "no_chunks_found"}));
    assert_eq!(refusal(preview(&home.open(), "s", "")), none);
    assert_eq!(home.names(""), [""; 0]);
    let ws = home.open();
    append(&ws, "s", "one");
    append(&ws, "s", "zwö");
    let before = home.names(".resilient_write/chunks/s");
    let preview = preview(&ws, "s", ", ").expect("a preview");
    assert_eq!(
        preview,
        Preview {
            session: "s".to_owned(),
            chunk_count: 2,
            chunk_hashes: vec![digest("one"), digest("zwö")],
            total_bytes: 9,
            offset: 0,
            next_offset: 9,
            eof: true,
            content: "one, zwö".to_owned(),
            joined_mid_line: vec![1],
            preview: true,
        }
    );
    assert_eq!(entries(&ws).len(), 2);
    assert_eq!(home.names(".resilient_write/chunks/s"), before);
    assert_eq!(home.names(""), [".resilient_write"]);
}

#[test]
fn gaps_are_reported_with_what_is_there_and_what_is_not() {
    let home = Home::new();
    let ws = home.open();
    let session = || ws.chunks().reset("s").expect("a reset");
    // (have, missing, unexpected): missing counts up to the highest part, unexpected from the number of parts on.
    for (have, missing, unexpected) in [
        (vec![1, 3], vec![2], vec![3]),
        (vec![3], vec![1, 2], vec![3]),
        (vec![2, 3, 6], vec![1, 4, 5], vec![6]),
        (vec![1, 10], (2..=9).collect(), vec![10]),
    ] {
        for index in &have {
            write(&ws, *index, "x");
        }
        let context = json!({
            "session": "s", "reason": "non_contiguous_chunks", "have": have, "missing": missing,
            "unexpected": unexpected,
        });
        assert_eq!(refusal(preview(&ws, "s", "")), stale(context.clone()));
        assert_eq!(refusal(compose(&ws, "out", "", true)), stale(context));
        session();
    }
    assert!(!home.has("out"));
}

#[test]
fn the_number_of_parts_must_be_the_announced_one() {
    let home = Home::new();
    let ws = home.open();
    announce(&ws, 1, "a", 3).expect("a part");
    append(&ws, "s", "b");
    let expected = stale(json!({
        "session": "s", "reason": "chunk_count_mismatch", "have": 2, "total_expected": 3,
        "missing": [3],
    }));
    assert_eq!(refusal(compose(&ws, "out", "", false)), expected);
    assert_eq!(refusal(preview(&ws, "s", "")), expected);
    // Gaps come first.
    write(&ws, 4, "d");
    assert_eq!(refusal(preview(&ws, "s", ""))["context"]["reason"], "non_contiguous_chunks");
    append(&ws, "s", "e");
    write(&ws, 3, "c");
    let refused = refusal(compose(&ws, "out", "", false));
    assert_eq!(refused["context"]["have"], 5);
    assert_eq!(refused["context"]["unexpected"], json!([4, 5]));
    // A later total takes the place of the earlier one.
    announce(&ws, 5, "e", 5).expect("a part");
    compose(&ws, "out", "", false).expect("a receipt");
    assert_eq!(home.text("out"), "abcde");
}

#[test]
fn parts_with_a_wrong_index_are_emptied_as_the_hint_says() {
    // (strays, unexpected, the parts to be sent empty) beside the three parts that were announced.
    for (strays, unexpected, empty) in [
        (vec![4], vec![4], vec![4]),
        (vec![5], vec![5], vec![4, 5]),
        (vec![5, 6], vec![5, 6], vec![4, 5, 6]),
    ] {
        let home = Home::new();
        let ws = home.open();
        for (index, content) in [(1, "a"), (2, "b"), (3, "c")] {
            announce(&ws, index, content, 3).expect("a part");
        }
        for stray in &strays {
            write(&ws, *stray, "stray");
        }
        let last = strays.last().copied().expect("a stray part");
        for refused in [
            hinted(&compose(&ws, "out", "", false).expect_err("a refusal")),
            hinted(&preview(&ws, "s", "").expect_err("a refusal")),
        ] {
            let (hint, refused) = refused;
            assert_eq!(refused["context"]["unexpected"], json!(unexpected), "{strays:?}");
            assert!(hint.contains(&format!("`total_expected` {last}")), "{strays:?}: {hint}");
            assert!(hint.contains("an empty `content`"), "{strays:?}: {hint}");
        }
        for index in empty {
            announce(&ws, index, "", last).expect("a part");
        }
        compose(&ws, "out", "", false).expect("a receipt");
        assert_eq!(home.text("out"), "abc", "{strays:?}");
    }
}

#[test]
fn a_syntax_error_of_a_composed_text_names_its_parts() {
    // (parts, those that have the error); a line of two parts names both.
    for (parts, wrong) in [
        (["{\n", "\"a\": 1,\n", "}\n"], vec![2]),
        (["{\n", "\"a\": ", "x\n}\n"], vec![2, 3]),
        (["{\n", "\"a\": 1\n", ""], vec![2]),
    ] {
        let home = Home::new();
        let ws = home.open();
        for part in parts {
            append(&ws, "s", part);
        }
        let request = ComposeRequest { validate: true, ..composing("out.json", false) };
        let (hint, refused) = hinted(&ws.compose(request).expect_err("a refusal"));
        assert_eq!(refused["context"]["reason"], "invalid_syntax", "{parts:?}");
        assert_eq!(refused["context"]["parts"], json!(wrong), "{parts:?}: {refused}");
        assert!(hint.contains("context.parts") && hint.contains("`rw_chunk_write`"), "{hint}");
        assert!(!home.has("out.json"));
    }
}

#[test]
fn a_session_that_is_not_there_or_is_empty_cannot_be_composed() {
    let home = Home::new();
    let ws = home.open();
    assert_eq!(
        refusal(compose(&ws, "out", "", false)),
        stale(json!({"session": "s", "reason": "session_not_found"}))
    );
    std::fs::create_dir_all(home.path(".resilient_write/chunks/s")).expect("a directory");
    let none = stale(json!({"session": "s", "reason": "no_chunks_found"}));
    assert_eq!(refusal(compose(&ws, "out", "", false)), none);
    assert_eq!(refusal(preview(&ws, "s", "")), none);
}

#[test]
fn a_bad_output_path_is_refused_and_the_parts_are_kept() {
    let home = Home::new();
    let ws = home.open();
    append(&ws, "s", "one");
    std::fs::create_dir(home.path("dir")).expect("a directory");
    let reason = |path: &str| refusal(compose(&ws, path, "", true))["context"]["reason"].clone();
    assert_eq!(reason("../out"), "escapes_workspace");
    assert_eq!(reason(""), "empty_path");
    assert_eq!(reason(".resilient_write/out"), "protected_path");
    assert_eq!(reason(".git/hooks/post-commit"), "protected_path");
    assert_eq!(reason("dir"), "is_a_directory");
    assert!(home.has(".resilient_write/chunks/s/part-001.txt"));
    home.assert_tidy();
}

#[cfg(unix)]
#[test]
fn hard_links_of_the_output_are_not_parted() {
    let home = Home::new();
    let ws = home.open();
    append(&ws, "s", "new");
    home.put("out", "old");
    std::fs::hard_link(home.path("out"), home.path("twin")).expect("a link");
    assert_eq!(refusal(compose(&ws, "out", "", true))["context"]["reason"], "hard_linked");
    assert_eq!(home.text("out"), "old");
    home.put(".resilient_write/policy.yaml", "hard_links: in_place\n");
    compose(&ws, "out", "", true).expect("a receipt");
    assert_eq!((home.text("out"), home.text("twin")), ("new".to_owned(), "new".to_owned()));
    home.assert_tidy();
}

#[test]
fn a_status_tells_what_there_is_and_creates_nothing() {
    let home = Home::new();
    let ws = home.open();
    assert_eq!(
        json_of(ws.chunks().status("s").expect("a status")),
        json!({"session": "s", "exists": false})
    );
    assert_eq!(home.names(""), [""; 0]);
    write(&ws, 3, "c");
    announce(&ws, 1, "a", 12).expect("a part");
    assert_eq!(
        json_of(ws.chunks().status("s").expect("a status")),
        json!({
            "session": "s", "exists": true, "total_expected": 12, "present_indices": [1, 3],
            "missing": [2, 4, 5, 6, 7, 8, 9, 10, 11, 12], "chunk_dir": ".resilient_write/chunks/s", "bytes": 2,
            "updated_at": "2023-11-14T22:13:20Z", "age_seconds": 0,
            "last_part": {"index": 3, "bytes": 1, "tail": "c"}, "joined_mid_line": [1],
        })
    );
    let long = format!("{}\nthe last line", "ä".repeat(1000));
    write(&ws, 3, &long);
    let later = home.open_after(90);
    let parts = later.chunks().status("s").expect("a status").parts.expect("parts");
    assert_eq!((parts.bytes, parts.age_seconds), (1 + long.len() as u64, Some(90)));
    let tail = parts.last_part.expect("a part").tail;
    assert!(tail.chars().count() == 200 && tail.ends_with("ä\nthe last line"), "{tail}");
    append(&ws, "t", "a");
    assert_eq!(json_of(ws.chunks().status("t").expect("a status"))["total_expected"], json!(null));
}

#[test]
fn sessions_are_listed_with_parts_bytes_and_age() {
    let home = Home::new();
    let ws = home.open();
    assert_eq!(
        json_of(ws.chunks().sessions().expect("a list")),
        json!({"sessions": [], "count": 0})
    );
    assert_eq!(home.names(""), [""; 0], "asking creates nothing");
    append(&ws, "old", "one\n");
    append(&ws, "old", "two\n");
    let later = home.open_after(100);
    later.chunks().append("new", "x".to_owned(), Some(3)).expect("a part");
    home.put(".resilient_write/chunks/torn/manifest.json", "{");
    home.put(".resilient_write/chunks/no session/part-001.txt", "x");
    let session = |name: &str, parts: u64, total, bytes: u64, at: &str, age: u64| {
        json!({
            "session": name, "parts": parts, "total_expected": total, "bytes": bytes,
            "updated_at": at, "age_seconds": age,
        })
    };
    assert_eq!(
        json_of(home.open_after(160).chunks().sessions().expect("a list")),
        json!({
            "sessions": [
                session("new", 1, json!(3), 1, "2023-11-14T22:15:00Z", 60),
                session("old", 2, json!(null), 8, "2023-11-14T22:13:20Z", 160),
                {
                    "session": "torn", "parts": 0, "total_expected": null, "bytes": 0,
                    "damaged": true,
                },
            ],
            "count": 3,
        })
    );
}

#[test]
fn a_part_without_a_final_newline_is_named_where_parts_are_joined() {
    let home = Home::new();
    let ws = home.open();
    for content in ["one\n", "two", "three\n", "", "four"] {
        append(&ws, "s", content);
    }
    assert_eq!(compose(&ws, "a", "", false).expect("a receipt").joined_mid_line, [2]);
    assert_eq!(compose(&ws, "b", "\n", false).expect("a receipt").joined_mid_line, [0_u32; 0]);
    assert_eq!(compose(&ws, "c", ", ", false).expect("a receipt").joined_mid_line, [2]);
    assert_eq!(preview(&ws, "s", "").expect("a preview").joined_mid_line, [2]);
    let parts = ws.chunks().status("s").expect("a status").parts.expect("parts");
    assert_eq!(parts.joined_mid_line, [2]);
}

#[test]
fn pages_of_a_preview_are_the_text() {
    let home = Home::new();
    let ws = home.open();
    let parts = ["eins ä\n".repeat(5_000), "zwei 漢😀\n".repeat(20_000)];
    for part in &parts {
        append(&ws, "s", part);
    }
    let text = parts.concat();
    for max_bytes in [65_536, 1_000_001, 50_003] {
        let (mut all, mut offset) = (String::new(), 0);
        loop {
            let request = PreviewRequest { offset, max_bytes, ..PreviewRequest::of("s") };
            let page = ws.chunks().preview(&request).expect("a page");
            assert_eq!((page.offset, page.total_bytes), (offset as u64, text.len() as u64));
            assert!(page.content.len() as i64 <= max_bytes);
            all.push_str(&page.content);
            offset = page.next_offset as i64;
            if page.eof {
                break;
            }
        }
        assert!(all == text, "{max_bytes}");
    }
    let tiny = PreviewRequest { offset: 7, max_bytes: 1, ..PreviewRequest::of("s") };
    let page = ws.chunks().preview(&tiny).expect("a page");
    assert_eq!((page.offset, page.content.as_str()), (7, "\n"));
    let inside = PreviewRequest { offset: 6, max_bytes: 1, ..PreviewRequest::of("s") };
    let page = ws.chunks().preview(&inside).expect("a page");
    assert_eq!((page.offset, page.content.as_str()), (5, "ä"), "a character is not cut");
    let beyond = PreviewRequest { offset: 10_000_000, ..PreviewRequest::of("s") };
    let page = ws.chunks().preview(&beyond).expect("a page");
    assert_eq!((page.content.as_str(), page.eof), ("", true));
    for (offset, max_bytes) in [(-1, 1), (0, 0), (0, 2_097_153)] {
        let request = PreviewRequest { offset, max_bytes, ..PreviewRequest::of("s") };
        assert!(ws.chunks().preview(&request).is_err());
    }
}

#[test]
fn a_reset_takes_the_session_and_counts_its_files() {
    let home = Home::new();
    let ws = home.open();
    let gone = Reset {
        session: "s".to_owned(),
        removed: 0,
        parts: 0,
        existed: false,
        nearest_names: Vec::new(),
    };
    assert_eq!(ws.chunks().reset("s").expect("a reset"), gone);
    assert_eq!(home.names(""), [""; 0]);
    for _ in 0..3 {
        append(&ws, "s", "x");
    }
    home.put(".resilient_write/chunks/s/below/file", "x");
    assert_eq!(
        ws.chunks().reset("s").expect("a reset"),
        Reset {
            session: "s".to_owned(),
            removed: 5,
            parts: 3,
            existed: true,
            nearest_names: Vec::new()
        }
    );
    assert_eq!(home.names(".resilient_write/chunks"), [""; 0]);
    home.assert_tidy();
    assert_eq!(entries(&ws).len(), 3, "a reset has no row");
    assert_eq!(ws.chunks().reset("s").expect("a reset"), gone);
    drop(ws);
    assert_eq!(home.names(".resilient_write/tmp"), [""; 0]);
}

#[test]
fn a_damaged_manifest_is_named() {
    let home = Home::new();
    let ws = home.open();
    append(&ws, "s", "a");
    let manifest = ".resilient_write/chunks/s/manifest.json";
    for (text, reason) in [
        ("[1]", "not_mapping"),
        ("\"s\"", "not_mapping"),
        ("{", "bad_manifest: "),
        ("", "bad_manifest: "),
        ("\0\0\0\0", "bad_manifest: "),
        ("{\"session\": \"s\", \"total_expected\": \"three\"}", "bad_manifest: "),
    ] {
        home.put(manifest, text);
        for found in [
            refusal(ws.chunks().append("s", "b".to_owned(), None)),
            refusal(ws.chunks().write("s", 2, "b".to_owned(), Some(2))),
            refusal(ws.chunks().status("s")),
            refusal(preview(&ws, "s", "")),
            refusal(compose(&ws, "out", "", false)),
        ] {
            let told = found["context"]["reason"].as_str().unwrap_or_default().to_owned();
            assert!(told.starts_with(reason), "{text}: {told}");
            assert_eq!(
                found,
                envelope(
                    ["write_corruption", "encoding", "abort"],
                    json!({"session": "s", "manifest": manifest, "reason": told}),
                )
            );
        }
    }
    assert_eq!(home.names(".resilient_write/chunks/s"), ["manifest.json", "part-001.txt"]);
    assert!(ws.chunks().reset("s").expect("a reset").existed, "a reset is the way out");
    // A session without a manifest is one whose total was not announced.
    append(&ws, "s", "a");
    std::fs::remove_file(home.path(manifest)).expect("removed");
    assert_eq!(preview(&ws, "s", "").expect("a preview").content, "a");
}

#[test]
fn a_session_is_there_for_the_next_process() {
    let home = Home::new();
    announce(&home.open(), 1, "a", 2).expect("a part");
    assert_eq!(append(&home.open(), "s", "b").index, 2);
    compose(&home.open(), "out", "", true).expect("a receipt");
    assert_eq!(home.text("out"), "ab");
    assert_eq!(home.names(".resilient_write/tmp"), [""; 0]);
}
