//! The journal and the state directory: what is read from a damaged one, and what is written anew
//! when parts of it are taken away.

use resilient_core::Workspace;
use resilient_core::digest::Digest;
use resilient_core::journal::{Chain, Filter, Line, Mode, Row, Tie};
use resilient_core::scratch::PutRequest;
use serde_json::{Value, json};

use crate::home::{FORBIDDEN, Home, append, create, envelope, overwrite, replace, sha};

/// A row as the Python server writes it.
fn foreign(id: &str, path: &str) -> String {
    format!(
        "{{\"bytes\":3,\"caller\":\"python\",\"journal_id\":\"{id}\",\"mode\":\"create\",\
         \"path\":\"{path}\",\"sha256\":\"{}\",\"ts\":\"2023-01-01T00:00:00Z\"}}",
        sha("abc")
    )
}

fn tail(ws: &Workspace, n: usize) -> Vec<String> {
    let tail = ws.journal_tail(n, &Filter::default()).unwrap();
    tail.entries.into_iter().map(|entry| entry.journal_id).collect()
}

#[test]
fn entries_have_these_fields() {
    let home = Home::new();
    let ws = home.builder().caller("tests").open();
    let first = ws.write(create("a.txt", "abc")).unwrap();
    let second = ws.write(overwrite("a.txt", "")).unwrap();
    let tail = ws.journal_tail(9, &Filter::default()).unwrap();
    let common = |value: &mut Value| {
        value["path"] = json!("a.txt");
        value["abs_path"] = json!(home.abs("a.txt"));
        value["caller"] = json!("tests");
    };
    let mut expected = json!([
        {
            "journal_id": first.journal_id, "ts": first.wrote_at, "sha256": sha("abc"),
            "bytes": 3, "mode": "create",
        },
        {
            "journal_id": second.journal_id, "ts": second.wrote_at, "sha256": sha(""),
            "prev_sha256": sha("abc"), "bytes": 0, "mode": "overwrite",
        },
    ]);
    expected.as_array_mut().unwrap().iter_mut().for_each(common);
    assert_eq!(serde_json::to_value(&tail).unwrap(), json!({ "entries": expected }));
}

#[test]
fn a_path_without_rows_and_without_a_file_is_told_the_nearest_files() {
    let home = Home::new();
    home.put("src/other.rs", "x");
    let ws = home.open();
    let near = |path: &str| {
        let filter = Filter { path: Some(path.to_owned()), ..Filter::default() };
        ws.journal_tail(9, &filter).unwrap().nearest_names
    };
    assert_eq!(near("src/othr.rs"), ["src/other.rs"], "without a journal");
    ws.write(create("src/main.rs", "abc")).unwrap();
    assert_eq!(near("src/mian.rs"), ["src/main.rs"]);
    assert_eq!(near("main.rs"), ["src/main.rs"]);
    assert_eq!(near("src/main.rs"), [""; 0], "it has rows");
    assert_eq!(near("src/other.rs"), [""; 0], "it is there, without rows");
}

#[test]
fn the_tail_is_the_newest_rows_oldest_first() {
    let home = Home::new();
    let ws = home.open();
    let ids: Vec<String> =
        (0..5).map(|n| ws.write(create(&format!("{n}"), "")).unwrap().journal_id).collect();
    assert_eq!(tail(&ws, 2), ids[3..]);
    assert_eq!(tail(&ws, 5), ids);
    assert_eq!(tail(&ws, 1_000_000), ids);
    assert_eq!(tail(&ws, 0), [""; 0]);
}

#[test]
fn a_tail_is_cut_after_it_is_filtered() {
    let home = Home::new();
    let ws = home.open();
    ws.write(create("a", "1")).unwrap();
    ws.write(append("a", "2")).unwrap();
    ws.write(create("b", "1")).unwrap();
    ws.write(append("a", "3")).unwrap();
    ws.replace(replace("a", "3", "4")).unwrap();
    ws.write(overwrite("b", "2")).unwrap();
    let found = |path: Option<&str>, mode, n| -> Vec<(String, Mode)> {
        let filter = Filter { path: path.map(str::to_owned), mode, ..Filter::default() };
        let tail = ws.journal_tail(n, &filter).unwrap();
        tail.entries.into_iter().map(|entry| (entry.path, entry.mode)).collect()
    };
    let row = |path: &str, mode| (path.to_owned(), mode);
    assert_eq!(
        found(Some("a"), None, 3),
        [row("a", Mode::Append), row("a", Mode::Append), row("a", Mode::Replace)]
    );
    assert_eq!(
        found(None, Some(Mode::Create), 9),
        [row("a", Mode::Create), row("b", Mode::Create)]
    );
    assert_eq!(found(Some("b"), Some(Mode::Overwrite), 1), [row("b", Mode::Overwrite)]);
    assert_eq!(found(Some("b"), Some(Mode::Replace), 9), []);
    assert_eq!(found(Some("./a"), None, 9), found(Some("a"), None, 9));
    assert_eq!(found(Some(""), None, 9), []);
}

#[test]
fn rows_of_the_python_server_are_read_and_continued() {
    let home = Home::new();
    let theirs = [foreign("wj_1", "a"), foreign("wj_2", "b")].map(|row| row + "\n").concat();
    home.put(".resilient_write/journal.jsonl", &theirs);
    home.policy("version: 1\n");
    let ws = home.open();
    assert_eq!(tail(&ws, 9), ["wj_1", "wj_2"]);
    let receipt = ws.write(create("c", "")).unwrap();
    assert_eq!(tail(&ws, 9), ["wj_1", "wj_2", &receipt.journal_id]);
    // Their rows stay byte for byte; ours begin to count.
    let journal = home.journal();
    assert!(journal.starts_with(theirs.as_bytes()));
    assert_eq!(home.rows()[2].seq, Some(1));
    let ours = journal.strip_prefix(theirs.as_bytes()).unwrap();
    let ours: Value = serde_json::from_slice(ours).unwrap();
    for field in ["journal_id", "ts", "path", "sha256", "bytes", "mode", "caller"] {
        assert!(!ours[field].is_null(), "{field}");
    }
}

#[test]
fn a_torn_last_line_is_no_damage_and_is_cut() {
    for torn in [
        &b"{\"bytes\":3,\"caller\":\"x\",\"jour"[..],
        b"{",
        b"\xFF\xFE",
        &[0; 4096],
        b"{\"bytes\":3}\0\0\n\0\0\0\0",
    ] {
        let home = Home::new();
        let ws = home.open();
        let first = ws.write(create("a", "")).unwrap().journal_id;
        drop(ws);
        let whole = home.journal();
        home.put(".resilient_write/journal.jsonl", [&whole, torn].concat());
        let ws = home.open();
        assert_eq!(tail(&ws, 9), [first.as_str()]);
        let second = ws.write(create("b", "")).unwrap().journal_id;
        assert_eq!(tail(&ws, 9), [first, second]);
        // Nothing of it is left between the rows, and they are one chain.
        assert!(home.journal().starts_with(&whole));
        assert_eq!(home.rows().len(), 2);
    }
}

#[test]
fn a_torn_line_under_an_open_workspace_is_cut_too() {
    let home = Home::new();
    let ws = home.open();
    ws.write(create("a", "")).unwrap();
    home.put(".resilient_write/journal.jsonl", [&home.journal(), &b"{\"by"[..]].concat());
    ws.write(create("b", "")).unwrap();
    assert_eq!(home.rows().len(), 2);
}

#[test]
fn zeros_of_any_number_behind_the_journal_refuse_no_call() {
    let home = Home::new();
    let ids = [home.open().write(create("a", "")).unwrap().journal_id];
    let path = home.state("journal.jsonl");
    let journal = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    let len = journal.metadata().unwrap().len();
    // More than a row may have. The file is sparse.
    journal.set_len(len + (300 << 20)).unwrap();
    let ws = home.open();
    assert_eq!(tail(&ws, 9), ids);
    let second = ws.write(create("b", "")).unwrap().journal_id;
    assert_eq!(tail(&home.open(), 9), [&ids[..], &[second]].concat());
    assert!(path.metadata().unwrap().len() < 2 * len + 1000);
}

#[test]
fn a_last_row_that_lacks_only_its_end_stays() {
    let home = Home::new();
    let ws = home.open();
    let first = ws.write(create("a", "")).unwrap().journal_id;
    let whole = home.journal();
    home.put(".resilient_write/journal.jsonl", whole.strip_suffix(b"\n").unwrap());
    assert_eq!(tail(&ws, 9), [first.as_str()]);
    let second = ws.write(create("b", "")).unwrap().journal_id;
    assert_eq!(tail(&ws, 9), [first, second]);
    assert_eq!(home.rows().len(), 2);
}

#[test]
fn a_row_of_the_python_server_with_a_name_that_is_not_utf_8_is_a_row() {
    let home = Home::new();
    // As Python writes the byte 0xFF of a name.
    let theirs = foreign("wj_1", "d\\udcff");
    for end in ["\n", ""] {
        home.put(".resilient_write/journal.jsonl", format!("{theirs}{end}"));
        let ws = home.open();
        let found = ws.journal_tail(9, &Filter::default()).unwrap();
        assert_eq!((found.entries.len(), found.damaged_lines), (1, 0));
        assert_eq!(found.entries[0].path, "d\u{fffd}");
        let name = format!("c{}", end.len());
        ws.write(create(&name, "")).unwrap();
        assert!(home.journal().starts_with(format!("{theirs}\n").as_bytes()));
        let found = ws.verify_journal().unwrap();
        assert_eq!((found.rows, found.breaks.len()), (2, 0));
        let report = serde_json::to_value(ws.analytics(None, None).unwrap()).unwrap();
        assert_eq!((&report["total_writes"], report.get("damaged_lines")), (&json!(2), None));
    }
}

#[test]
fn damage_in_the_middle_is_counted_and_blocks_nothing() {
    let home = Home::new();
    let ws = home.open();
    let ids: Vec<String> =
        (0..4).map(|n| ws.write(create(&format!("{n}"), "")).unwrap().journal_id).collect();
    drop(ws);
    let mut lines: Vec<Vec<u8>> =
        home.journal().split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    lines[1] = b"\0\0\0\0\n".to_vec();
    lines.insert(3, b"[1, \"no row\"]\n{\"path\":\n".to_vec());
    lines.insert(0, b"\xC3\x28\n\n".to_vec());
    let damaged = lines.concat();
    home.put(".resilient_write/journal.jsonl", &damaged);
    let ws = home.open();
    let tail = ws.journal_tail(9, &Filter::default()).unwrap();
    // The empty line is no damage.
    assert_eq!(tail.damaged_lines, 4);
    assert_eq!(serde_json::to_value(&tail).unwrap()["damaged_lines"], json!(4));
    let seen: Vec<_> = tail.entries.iter().map(|entry| entry.journal_id.clone()).collect();
    assert_eq!(seen, [&ids[0], &ids[2], &ids[3]].map(Clone::clone));
    // What is not looked at is not counted.
    assert_eq!(ws.journal_tail(1, &Filter::default()).unwrap().damaged_lines, 0);
    ws.write(create("more", "")).unwrap();
    assert!(home.journal().starts_with(&damaged));
    assert_eq!(ws.journal_tail(9, &Filter::default()).unwrap().entries.len(), 4);
}

#[test]
fn lines_of_any_length_are_read_backwards() {
    // Around one and two blocks of 32 KiB, and a line longer than many.
    for long in [32_760, 32_766, 32_767, 32_768, 32_769, 65_535, 65_536, 65_537, 400_000] {
        let home = Home::new();
        let filler = |id: &str, len: usize| {
            let bare = foreign(id, "").len() + 1;
            foreign(id, &"p".repeat(len - bare)) + "\n"
        };
        let rows = [filler("wj_1", 300), filler("wj_2", long), filler("wj_3", 300)].concat();
        assert_eq!(rows.len(), long + 600);
        home.put(".resilient_write/journal.jsonl", rows);
        assert_eq!(tail(&home.open(), 9), ["wj_1", "wj_2", "wj_3"], "{long}");
        let one = filler("wj_1", long);
        home.put(".resilient_write/journal.jsonl", one.trim_end());
        assert_eq!(tail(&home.open(), 9), ["wj_1"], "{long} alone");
    }
}

/// How the lines are tied, one after the other.
fn ties(lines: &[String]) -> Vec<Tie> {
    let mut chain = Chain::default();
    lines.iter().map(|line| chain.see(line.as_bytes())).collect()
}

#[test]
fn a_row_that_was_changed_no_longer_follows() {
    let home = Home::new();
    let ws = home.open();
    for n in 0..3 {
        ws.write(create(&format!("{n}"), "")).unwrap();
    }
    let journal = String::from_utf8(home.journal()).unwrap();
    let lines: Vec<String> = journal.lines().map(str::to_owned).collect();
    let with = |change: &dyn Fn(&mut Vec<String>)| {
        let mut lines = lines.clone();
        change(&mut lines);
        ties(&lines)
    };
    use Tie::{Broken, Holds, Loose};
    assert_eq!(with(&|_| {}), [Holds; 3]);
    assert_eq!(
        with(&|lines| lines[1] = lines[1].replace("\"1\"", "\"9\"")),
        [Holds, Broken, Holds]
    );
    // A field that this version does not know counts too.
    let added = |lines: &mut Vec<String>| lines[1] = lines[1].replacen('{', "{\"new\":1,", 1);
    assert_eq!(with(&added), [Holds, Broken, Holds]);
    assert_eq!(with(&|lines| drop(lines.remove(1))), [Holds, Broken]);
    assert_eq!(with(&|lines| lines.swap(1, 2)), [Holds, Broken, Broken]);
    // A row of the Python server has no value, and the next row covers it.
    let foreign = foreign("wj_1", "a");
    assert_eq!(with(&|lines| lines.insert(1, foreign.clone())), [Holds, Loose, Broken, Holds]);
}

#[test]
fn a_row_of_the_python_server_cannot_be_taken_out_unseen() {
    let home = Home::new();
    let ws = home.open();
    ws.write(create("a", "")).unwrap();
    let before = home.journal();
    home.put(
        ".resilient_write/journal.jsonl",
        [&before, (foreign("wj_1", "x") + "\n").as_bytes()].concat(),
    );
    ws.write(create("b", "")).unwrap();
    let numbers: Vec<Option<u64>> = home.rows().iter().map(|row| row.seq).collect();
    assert_eq!(numbers, [Some(1), None, Some(2)]);
    let journal = String::from_utf8(home.journal()).unwrap();
    let mut lines: Vec<String> = journal.lines().map(str::to_owned).collect();
    assert_eq!(ties(&lines), [Tie::Holds, Tie::Loose, Tie::Holds]);
    lines.remove(1);
    assert_eq!(ties(&lines), [Tie::Holds, Tie::Broken]);
}

#[test]
fn the_chain_goes_on_from_workspace_to_workspace() {
    let home = Home::new();
    let (one, two) = (home.open(), home.open());
    for n in 0..6 {
        let ws = if n % 2 == 0 { &one } else { &two };
        ws.write(create(&format!("{n}"), "")).unwrap();
    }
    drop((one, two));
    home.open().write(create("last", "")).unwrap();
    let numbers: Vec<_> = home.rows().iter().filter_map(|row| row.seq).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn the_state_directory_may_vanish_under_an_open_workspace() {
    let home = Home::new();
    let ws = home.open();
    ws.write(create("a", "")).unwrap();
    for n in 0..3 {
        std::fs::remove_dir_all(home.state("")).unwrap();
        assert_eq!(tail(&ws, 9), [""; 0]);
        let id = ws.write(create(&format!("{n}"), "")).unwrap().journal_id;
        assert_eq!(tail(&ws, 9), [id]);
        assert_eq!(home.rows().len(), 1);
    }
}

#[test]
fn parts_of_the_state_may_vanish_under_an_open_workspace() {
    let home = Home::new();
    let ws = home.open();
    ws.write(create("a", "")).unwrap();
    for (n, part) in ["lock", "format"].iter().enumerate() {
        std::fs::remove_file(home.state(part)).unwrap();
        ws.write(create(&format!("b{n}"), "")).unwrap();
        // A second workspace makes it anew, or has found it; both go on together.
        home.open().write(create(&format!("c{n}"), "")).unwrap();
        ws.write(create(&format!("d{n}"), "")).unwrap();
    }
    assert_eq!(home.rows().len(), 7);
    std::fs::remove_dir_all(home.state("tmp")).unwrap();
    ws.write(create("e", "")).unwrap();
    assert_eq!(home.rows().len(), 8);
    std::fs::remove_file(home.state("journal.jsonl")).unwrap();
    let id = ws.write(create("f", "")).unwrap().journal_id;
    assert_eq!(tail(&ws, 9), [id]);
    assert_eq!(home.rows()[0].seq, Some(1));
}

#[test]
fn slots_may_vanish_under_an_open_workspace() {
    let home = Home::new();
    let ws = home.open();
    for n in 0..3 {
        ws.write(create(&format!("{n}"), "")).unwrap();
        for entry in std::fs::read_dir(home.state("tmp")).unwrap() {
            std::fs::remove_file(entry.unwrap().path()).unwrap();
        }
    }
    ws.write(create("last", "")).unwrap();
    assert_eq!(home.rows().len(), 4);
}

#[test]
fn a_moved_workspace_is_written_on() {
    let home = Home::new();
    let old = home.path("old");
    std::fs::create_dir(&old).unwrap();
    let ws = Workspace::builder(&old).open();
    ws.write(create("a", "")).unwrap();
    let put = PutRequest { content: "kept".to_owned(), ..PutRequest::default() };
    ws.scratch().put(put).unwrap();
    drop(ws);
    std::fs::rename(&old, home.path("new")).unwrap();
    // Without it nobody knows that the last writer was done.
    std::fs::remove_file(home.path("new/.resilient_write/lock")).unwrap();
    let ws = Workspace::builder(home.path("new")).open();
    ws.write(create("b", "")).unwrap();
    assert_eq!(tail(&ws, 9).len(), 3);
}

#[test]
fn a_newer_format_is_refused() {
    let home = Home::new();
    home.put(".resilient_write/format", "3\n");
    let ws = home.open();
    let expected = envelope(
        FORBIDDEN,
        json!({
            "reason": "newer_state_format", "found": "3", "known": 2,
        }),
    );
    assert_eq!(home.refused(|| ws.write(create("a", ""))), expected);
    assert_eq!(home.refused(|| ws.recover()), expected);
    assert_eq!(std::fs::read(home.state("format")).unwrap(), b"3\n");
    // This version's own, the one before, and one that was torn when it was made.
    for text in ["2\n", "1\n", "1", ""] {
        home.put(".resilient_write/format", text);
        home.open().write(overwrite("a", text)).unwrap();
        assert_eq!(std::fs::read(home.state("format")).unwrap(), b"2\n");
    }
}

#[test]
fn a_long_journal_is_closed_and_the_next_one_goes_on_with_its_numbers_and_chain() {
    let home = Home::new();
    let ws = home.builder().longest_journal(1).open();
    ws.write(create("a", "")).unwrap();
    ws.write(create("b", "")).unwrap();
    ws.recover().unwrap();
    assert_eq!(home.journal(), b"");
    // The next process finds an empty journal, and nobody's note of where it ended.
    drop(ws);
    std::fs::remove_file(home.state("lock")).unwrap();
    home.open().write(create("c", "")).unwrap();
    let closed =
        ["000001", "000002"].map(|n| home.text(&format!(".resilient_write/journal/{n}.jsonl")));
    let all = [closed.concat(), String::from_utf8(home.journal()).unwrap()].concat();
    let lines: Vec<String> = all.lines().map(str::to_owned).collect();
    assert_eq!(ties(&lines), [Tie::Holds; 3]);
    let rows: Vec<Row> = lines.iter().map(|line| Row::parse(line.as_bytes()).unwrap()).collect();
    assert_eq!(rows.iter().map(|row| row.seq).collect::<Vec<_>>(), [Some(1), Some(2), Some(3)]);
    // The first row of each journal has the epoch, and it is one epoch.
    assert!(rows[0].epoch.is_some() && rows.iter().all(|row| row.epoch == rows[0].epoch));
    // Nothing else is left, and no journal has two names.
    assert_eq!(std::fs::read_dir(home.state("journal")).unwrap().count(), 2);
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        assert_eq!(std::fs::metadata(home.state("journal.jsonl")).unwrap().nlink(), 1);
    }
}

#[test]
fn a_journal_that_is_restored_from_a_backup_costs_no_closed_one() {
    let home = Home::new();
    home.open().write(create("a", "")).unwrap();
    let backup = home.journal();
    home.open().write(create("precious", "")).unwrap();
    let ws = home.builder().longest_journal(1).open();
    ws.recover().unwrap();
    let closed = home.text(".resilient_write/journal/000001.jsonl");
    // All of a copy of the first row, and a part of it.
    for backup in [&backup[..], &backup[..backup.len() / 2]] {
        home.put(".resilient_write/journal.jsonl", backup);
        let rows = tail(&home.open(), 10);
        assert!(rows.len() >= 2, "{rows:?}");
        let verified = home.open().verify_journal().unwrap();
        assert!(backup.last() != Some(&b'\n') || !verified.breaks.is_empty(), "{verified:?}");
        // It is closed in its turn, and takes nobody's place.
        let ws = home.builder().longest_journal(1).open();
        ws.write(overwrite("b", &format!("{}", backup.len()))).unwrap();
        ws.recover().unwrap();
        assert_eq!(home.text(".resilient_write/journal/000001.jsonl"), closed);
    }
}

#[test]
fn a_journal_that_a_copy_of_the_directory_has_made_two_of_is_counted_once() {
    let home = Home::new();
    home.open().write(create("a", "")).unwrap();
    home.put(".resilient_write/journal/000001.jsonl", home.journal());
    assert_eq!(tail(&home.open(), 10).len(), 1);
    home.open().write(create("b", "")).unwrap();
    assert_eq!(tail(&home.open(), 10).len(), 2);
    let ws = home.builder().longest_journal(1).open();
    ws.write(create("c", "")).unwrap();
    ws.recover().unwrap();
    assert_eq!(tail(&home.open(), 10).len(), 3);
}

#[test]
fn another_process_that_is_open_goes_on_in_the_new_journal() {
    let home = Home::new();
    let other = home.open();
    other.write(create("a", "")).unwrap();
    home.builder().longest_journal(1).open().write(create("b", "")).unwrap();
    other.write(create("c", "")).unwrap();
    let journal = String::from_utf8(home.journal()).unwrap();
    let rows = journal.lines().map(|line| Row::parse(line.as_bytes()).unwrap());
    assert_eq!(rows.map(|row| row.seq).collect::<Vec<_>>(), [Some(2), Some(3)]);
}

#[test]
fn rows_of_the_python_server_do_not_send_the_next_process_to_recovery() {
    let home = Home::new();
    home.open().write(create("a", "")).unwrap();
    let row = foreign("wj_1", "x") + "\n";
    home.put(".resilient_write/journal.jsonl", [&home.journal(), row.as_bytes()].concat());
    // Recovery would sweep it.
    home.put(".resilient_write/tmp/s-0000000000000001-1", "");
    home.open().write(create("b", "")).unwrap();
    assert_eq!(home.rows().len(), 3);
    assert!(home.state("tmp/s-0000000000000001-1").exists());
}

#[cfg(unix)]
#[test]
fn a_state_that_is_no_directory_of_its_own_is_refused() {
    use std::os::unix::fs::symlink;
    for part in ["", "tmp", "journal.jsonl", "lock", "format"] {
        let home = Home::new();
        let elsewhere = home.beside("elsewhere");
        if matches!(part, "" | "tmp") {
            std::fs::create_dir(&elsewhere).unwrap();
        } else {
            std::fs::write(&elsewhere, "").unwrap();
        }
        if !part.is_empty() {
            std::fs::create_dir(home.path(".resilient_write")).unwrap();
        }
        let link = home.abs(&format!(".resilient_write/{part}"));
        symlink(&elsewhere, link.trim_end_matches('/')).unwrap();
        let ws = home.open();
        let found = home.refused(|| ws.write(create("a", "")));
        assert_eq!(found["error"], "policy_violation", "{part}");
        let shown = format!(".resilient_write/{part}");
        assert_eq!(found["context"]["path"], json!(shown.trim_end_matches('/')));
        if matches!(part, "" | "journal.jsonl") {
            assert!(ws.journal_tail(9, &Filter::default()).is_err());
        }
    }
}

/// The Python server makes no lock and no slots; a program that only reads leaves its directory as
/// it is.
#[test]
fn a_reader_changes_nothing_in_a_directory_of_the_python_server() {
    for end in ["\n", "", "\n{\"bytes\":3,\"caller\":\"x\",\"jour", "\n\0\0\0"] {
        let home = Home::new();
        let journal = format!("{}{end}", foreign("wj_1", "a").trim_end());
        home.put(".resilient_write/journal.jsonl", &journal);
        assert_eq!(tail(&home.open(), 9), ["wj_1"], "{end:?}");
        assert_eq!(home.journal(), journal.as_bytes(), "{end:?}");
        let names = std::fs::read_dir(home.path(".resilient_write")).unwrap().count();
        assert_eq!(names, 1, "{end:?}");
    }
}

#[test]
fn whole_lines_at_the_end_that_are_no_rows_stay() {
    for lines in [&b"{\"bytes\":3}\n"[..], b"\n\n", b"a later version's\nand another\n"] {
        let home = Home::new();
        let ws = home.open();
        let first = ws.write(create("a", "")).unwrap().journal_id;
        drop(ws);
        let whole = [&home.journal(), lines].concat();
        home.put(".resilient_write/journal.jsonl", &whole);
        let ws = home.open();
        assert_eq!(ws.recover().unwrap().cut, 0);
        let second = ws.write(create("b", "")).unwrap().journal_id;
        assert_eq!(tail(&ws, 9), [first, second]);
        assert!(home.journal().starts_with(&whole));
        assert_eq!(ws.verify_journal().unwrap().rows, 2);
    }
}

/// A row that says that `slot` is still to become the file at `path`.
fn promised(path: &str, slot: &str, content: &str) -> Row {
    Row {
        abs_path: Some(path.to_owned()),
        batch: Some(1),
        bytes: content.len() as u64,
        seq: Some(1),
        sha256: Digest::of(content.as_bytes()).into(),
        staged: Some(slot.to_owned()),
        ..Row::parse(foreign("wj_1", "a").as_bytes()).unwrap()
    }
}

#[test]
fn what_a_crash_interrupted_is_finished() {
    let home = Home::new();
    let row = promised(&home.abs("d/a"), "s-1", "abc");
    home.put(".resilient_write/tmp/s-1", "abc");
    home.put(".resilient_write/journal.jsonl", serde_json::to_string(&row).unwrap() + "\n");
    let report = home.open().recover().unwrap();
    assert_eq!(report.finished, ["a"]);
    assert_eq!(home.text("d/a"), "abc");
    assert_eq!(home.rows().len(), 1);
}

/// A repository may bring a state directory along, made to write where no tool may.
#[test]
fn a_journal_of_a_stranger_writes_nothing_into_git() {
    let evil = "#!/bin/sh\n";
    for path in [".git/hooks/post-commit", "../outside", "d/../.git/hooks/post-commit"] {
        let home = Home::new();
        home.policy("allow_git_writes: true\n");
        home.put(".git/config", "abc");
        let row = promised(&home.abs(path), "s-1", evil);
        home.put(".resilient_write/tmp/s-1", evil);
        home.put(".resilient_write/journal.jsonl", serde_json::to_string(&row).unwrap() + "\n");
        let ws = home.open();
        ws.write(create("a", "")).unwrap();
        assert!(!home.path(path).exists(), "{path}");
        assert!(!home.path(".git/hooks").exists(), "{path}");
        // It waits for somebody who may write there, and nothing of it is lost.
        assert_eq!(ws.take_notices().pending.len(), 1, "{path}");
        assert_eq!(std::fs::read(home.state("tmp/s-1")).unwrap(), evil.as_bytes());
        assert_eq!(tail(&ws, 9).len(), 1);
        let given_up = ws.abandon_pending().unwrap();
        assert_eq!((given_up.pending.len(), given_up.conflicts.len()), (0, 1), "{path}");
        let kept = std::fs::read(home.state(&format!("conflicts/{}.bin", sha(evil)))).unwrap();
        assert_eq!(kept, evil.as_bytes());
        assert!(!home.path(".git/hooks").exists(), "{path}");
    }
}

#[test]
fn a_journal_of_a_stranger_adds_no_lines_elsewhere_and_moves_no_files() {
    let home = Home::new();
    home.put(".git/config", "abc");
    home.put("b", "abc");
    let line = Line { abs_path: home.abs(".git/config"), at: 3, text: "[evil]".to_owned() };
    let first = Row { line: Some(line), staged: None, ..promised(&home.abs("b"), "", "abc") };
    // What is named as a slot is a file of the user.
    let second = Row { seq: Some(2), ..promised(&home.abs("moved"), &home.abs("b"), "abc") };
    let third = Row { seq: Some(3), ..promised(&home.abs("moved"), "..", "abc") };
    let rows: String =
        [first, second, third].map(|row| serde_json::to_string(&row).unwrap() + "\n").concat();
    home.put(".resilient_write/journal.jsonl", rows);
    home.open().write(create("a", "")).unwrap();
    assert_eq!((home.text(".git/config").as_str(), home.text("b").as_str()), ("abc", "abc"));
    assert!(!home.path("moved").exists());
}

#[test]
fn odd_names_among_closed_journals_stop_no_call() {
    for odd in ["a file", "a directory", "the last number"] {
        let home = Home::new();
        match odd {
            "a file" => home.put(".resilient_write/journal", "x"),
            "a directory" => std::fs::create_dir_all(home.state("journal/000001.jsonl")).unwrap(),
            _ => home.put(".resilient_write/journal/18446744073709551615.jsonl", "x"),
        }
        let ws = home.builder().longest_journal(1).open();
        for path in ["a", "b", "c"] {
            ws.write(create(path, "")).unwrap();
        }
        let rows = tail(&ws, 9).len();
        assert_eq!(rows, 3, "{odd}");
        assert_eq!(ws.analytics(None, None).unwrap().total_writes, 3, "{odd}");
        assert_eq!(ws.verify_journal().unwrap().rows, 3, "{odd}");
    }
}

/// Editors strip the end of the last line.
#[test]
fn a_journal_without_the_end_of_its_last_line_lacks_no_row() {
    for (taken, missing) in [(1, 0), (2, 2)] {
        let home = Home::new();
        home.builder().open().write(create("a", "1")).unwrap();
        let path = home.path(".resilient_write/journal.jsonl");
        let before = std::fs::read(&path).unwrap();
        let journal = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        journal.set_len(before.len() as u64 - taken).unwrap();
        let ws = home.builder().open();
        ws.write(create("b", "2")).unwrap();
        assert_eq!(ws.take_notices().missing, missing);
        let is_whole = std::fs::read(&path).unwrap().starts_with(&before);
        assert_eq!(is_whole, missing == 0);
        assert_eq!(ws.verify_journal().unwrap().breaks, []);
    }
}
