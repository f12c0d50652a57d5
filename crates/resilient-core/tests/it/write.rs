//! Single-file writes: what is answered, what is on disk, and who wins.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::sync::Barrier;
use std::thread;

use resilient_core::journal::Mode;
use resilient_core::risk::Verdict;
use resilient_core::scratch::Encoding;
use resilient_core::write::{APPEND_IN_PLACE_FROM, ReplaceRequest, WriteRequest};
use resilient_core::{Envelope, Error};
use serde_json::{Value, json};

use crate::home::{
    FORBIDDEN, Home, MALFORMED, NOW, REFUSED, STALE, append, create, envelope, hinted, overwrite,
    replace, sha,
};

// FIPS 180-4: the digests of no bytes and of "abc".
const NOTHING: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

fn expecting(expected: &str, request: WriteRequest) -> WriteRequest {
    WriteRequest { expected_prev_sha256: Some(expected.to_owned()), ..request }
}

fn rejecting(at: Verdict, request: WriteRequest) -> WriteRequest {
    WriteRequest { reject_at: Some(at), ..request }
}

#[test]
fn a_receipt_has_these_fields_and_no_others() {
    let home = Home::new();
    let receipt = home.open().write(create("a/b.txt", "abc")).unwrap();
    assert_eq!(home.text("a/b.txt"), "abc");
    let id = receipt.journal_id.clone();
    assert_eq!(
        serde_json::to_value(receipt).unwrap(),
        json!({
            "path": "a/b.txt", "abs_path": home.abs("a/b.txt"), "sha256": ABC, "bytes": 3,
            "mode_applied": "create", "journal_id": id, "wrote_at": NOW,
        })
    );
    let digits = id.strip_prefix("wj_").unwrap();
    assert_eq!(digits.len(), 20);
    assert!(digits.bytes().all(|c| c.is_ascii_digit() || (b'a'..=b'f').contains(&c)), "{id}");
}

#[test]
fn a_row_tells_what_the_receipt_told() {
    let home = Home::new();
    let ws = home.builder().caller("tests").open();
    let receipt = ws.write(create("a.txt", "abc")).unwrap();
    let rows = home.rows();
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    assert_eq!(row.journal_id, receipt.journal_id);
    assert_eq!(row.ts, receipt.wrote_at);
    assert_eq!(row.path, "a.txt");
    assert_eq!(row.abs_path, Some(receipt.abs_path));
    assert_eq!(row.sha256, receipt.sha256);
    assert_eq!(row.prev_sha256, None);
    assert_eq!((row.bytes, row.mode, row.seq), (3, Mode::Create, Some(1)));
    assert_eq!(row.caller, "tests");
}

#[test]
fn rows_name_the_content_before() {
    let home = Home::new();
    let ws = home.open();
    ws.write(create("a.txt", "abc")).unwrap();
    ws.write(overwrite("a.txt", "")).unwrap();
    ws.write(append("a.txt", "abc")).unwrap();
    let rows = home.rows();
    let seen: Vec<_> = rows
        .iter()
        .map(|row| (row.mode, row.prev_sha256.map(|d| d.to_string()), row.sha256.to_string()))
        .collect();
    assert_eq!(
        seen,
        [
            (Mode::Create, None, ABC.to_owned()),
            (Mode::Overwrite, Some(ABC.to_owned()), NOTHING.to_owned()),
            (Mode::Append, Some(NOTHING.to_owned()), ABC.to_owned()),
        ]
    );
}

#[test]
fn journal_ids_differ_over_quick_writes() {
    let home = Home::new();
    let ws = home.open();
    let ids: BTreeSet<String> =
        (0..25).map(|n| ws.write(create(&format!("{n}.txt"), "")).unwrap().journal_id).collect();
    assert_eq!(ids.len(), 25);
}

#[test]
fn an_empty_file_is_a_file() {
    let home = Home::new();
    let receipt = home.open().write(create("empty", "")).unwrap();
    assert_eq!((receipt.sha256.to_string().as_str(), receipt.bytes), (NOTHING, 0));
    assert_eq!(home.read("empty"), b"");
}

#[test]
fn content_is_written_byte_for_byte() {
    let home = Home::new();
    let content = "\u{feff}one\r\ntwo\n\0é\u{1F980} no end";
    home.open().write(create("a.txt", content)).unwrap();
    assert_eq!(home.text("a.txt"), content);
}

#[test]
fn an_overwrite_also_creates_and_says_overwrite() {
    let home = Home::new();
    let ws = home.open();
    assert_eq!(ws.write(overwrite("a.txt", "one")).unwrap().mode_applied, Mode::Overwrite);
    assert_eq!(ws.write(overwrite("a.txt", "two")).unwrap().mode_applied, Mode::Overwrite);
    assert_eq!(home.text("a.txt"), "two");
}

#[test]
fn an_append_answers_for_the_whole_file() {
    let home = Home::new();
    let ws = home.open();
    let first = ws.write(append("log", "a")).unwrap();
    assert_eq!((first.mode_applied, first.bytes), (Mode::Append, 1));
    let second = ws.write(append("log", "bc")).unwrap();
    assert_eq!((second.bytes, second.sha256.to_string().as_str()), (3, ABC));
    assert_eq!(home.text("log"), "abc");
}

#[test]
fn directories_are_made_on_the_way() {
    let home = Home::new();
    home.open().write(create("x/y/z/a.txt", "deep")).unwrap();
    assert_eq!(home.text("x/y/z/a.txt"), "deep");
}

#[test]
fn creating_over_a_file_is_stale() {
    let home = Home::new();
    home.put("a.txt", "abc");
    let ws = home.open();
    let mut expected = envelope(
        STALE,
        json!({
            "path": "a.txt", "reason": "file_already_exists", "existing_sha256": ABC,
        }),
    );
    assert_eq!(home.refused(|| ws.write(create("a.txt", "new"))), expected);
    // That it exists is found before that it is not what was expected.
    assert_eq!(home.refused(|| ws.write(expecting("00", create("a.txt", "new")))), expected);
    expected["context"]["already_written"] = json!(true);
    expected["context"]["changed_by"] = json!("outside");
    assert_eq!(home.refused(|| ws.write(create("a.txt", "abc"))), expected);
}

#[test]
fn another_digest_than_expected_is_stale_in_every_mode() {
    let home = Home::new();
    home.put("a.txt", "abc");
    let ws = home.open();
    for request in [overwrite("a.txt", "new"), append("a.txt", "new")] {
        assert_eq!(
            home.refused(|| ws.write(expecting(NOTHING, request))),
            envelope(
                STALE,
                json!({
                    "path": "a.txt", "expected_prev_sha256": NOTHING, "actual_prev_sha256": ABC,
                    "changed_by": "outside",
                })
            )
        );
    }
    for request in [create("new/b.txt", ""), overwrite("new/b.txt", ""), append("new/b.txt", "x")] {
        assert_eq!(
            home.refused(|| ws.write(expecting(ABC, request))),
            envelope(
                STALE,
                json!({
                    "path": "new/b.txt", "expected_prev_sha256": ABC, "actual_prev_sha256": "",
                })
            )
        );
    }
}

#[test]
fn a_digest_in_capitals_or_its_first_twelve_digits_counts_as_equal() {
    let shortest = &ABC[..12];
    let spellings = [
        ABC.to_uppercase(),
        shortest.to_owned(),
        format!("sha256:{ABC}"),
        format!("SHA256:{}", shortest.to_uppercase()),
    ];
    for spelling in spellings {
        let home = Home::new();
        home.put("a.txt", "abc");
        let ws = home.open();
        ws.write(expecting(&spelling, overwrite("a.txt", "new"))).unwrap();
        assert_eq!(home.text("a.txt"), "new", "{spelling}");
    }
    let home = Home::new();
    home.put("a.txt", "abc");
    let ws = home.open();
    for other in [&ABC[..11], "sha256:", "000000000000"] {
        let refused = ws.write(expecting(other, overwrite("a.txt", "new")));
        assert!(matches!(refused, Err(Error::Stale { .. })), "{other}");
    }
}

#[test]
fn the_expected_digest_lets_a_write_through() {
    let home = Home::new();
    let ws = home.open();
    ws.write(expecting("", create("a.txt", "abc"))).unwrap();
    ws.write(expecting(ABC, overwrite("a.txt", ""))).unwrap();
    ws.write(expecting(NOTHING, append("a.txt", "abc"))).unwrap();
    ws.write(expecting("", overwrite("b.txt", "abc"))).unwrap();
    ws.write(expecting("", append("c.txt", "abc"))).unwrap();
    assert_eq!(home.rows().len(), 5);
}

#[cfg(unix)]
#[test]
fn what_the_policy_lets_pass_is_decided_by_where_a_path_leads() {
    let home = Home::new();
    home.policy("allow: {paths: ['fixtures/**']}\n");
    home.put("fixtures/old.txt", "");
    home.put("src/real.txt", "");
    std::os::unix::fs::symlink("../src/real.txt", home.path("fixtures/link.txt")).unwrap();
    let ws = home.open();
    let write =
        |path: &str| ws.write(rejecting(Verdict::Low, overwrite(path, "mail jane@example.com")));
    write("fixtures/new/a.txt").unwrap();
    write(home.path("fixtures/old.txt").to_str().unwrap()).unwrap();
    write("./src/../fixtures/b.txt").unwrap();
    for path in ["a.txt", "fixtures/../a.txt", "fixtures/link.txt"] {
        let refused = ws.risk_score_file(path, "mail jane@example.com").unwrap();
        assert_eq!(refused.verdict, Verdict::Low, "{path}");
        assert!(write(path).is_err(), "{path}");
    }
    assert_eq!(ws.risk_score_file("fixtures/c.txt", "mail jane@example.com").unwrap().score, 0.0);
}

/// What `mail jane@example.com` is answered with, except for where its draft is kept.
fn blocked(path: &str, draft: &str) -> Value {
    let mut expected = envelope(
        ["blocked", "content_filter", "redact"],
        json!({
            "path": path, "score": 0.15, "verdict": "low", "classify_reject_at": "low",
            "detected": [
                {"kind": "pii", "pattern": "email", "match": "jane…", "line": 1}
            ],
            "suggested_actions": [{
                "action": "redact", "targets": ["pii"],
                "tool": "rw_redact", "arguments": {"draft_sha256": draft},
            }],
            "draft_sha256": draft,
        }),
    );
    expected["detected_patterns"] = json!(["pii"]);
    expected["retry_budget"] = json!(3);
    expected
}

#[test]
fn a_blocked_draft_is_kept_and_not_written() {
    let home = Home::new();
    let ws = home.open();
    let draft = "mail jane@example.com";
    let refuse = || {
        let error = ws.write(rejecting(Verdict::Low, create("a.txt", draft))).unwrap_err();
        let (hint, facts) = hinted(&error);
        assert!(hint.contains("make this call again with `content_from` {draft_sha256}"), "{hint}");
        facts
    };
    assert_eq!(refuse(), blocked("a.txt", &sha(draft)));
    assert!(!home.path("a.txt").exists());
    let kept = ws.scratch().get(&sha(draft), Encoding::Utf8).unwrap();
    assert_eq!(kept.content, draft);
    // Once kept, it is neither kept nor journaled again.
    assert_eq!(refuse(), blocked("a.txt", &sha(draft)));
    let rows = home.rows();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].path, format!(".resilient_write/scratch/{}.bin", sha(draft)));
    home.assert_tidy();
}

#[test]
fn only_the_asked_verdict_blocks() {
    let home = Home::new();
    let ws = home.open();
    ws.write(rejecting(Verdict::Medium, create("a.txt", "mail jane@example.com"))).unwrap();
    ws.write(rejecting(Verdict::Low, create("b.txt", "plain"))).unwrap();
    ws.write(create("c.txt", "mail jane@example.com")).unwrap();
    assert_eq!(home.rows().len(), 3);
}

#[test]
fn the_policy_decides_what_is_blocked_and_how_often() {
    let home = Home::new();
    home.policy("retry_budget: {default: 7}\n");
    let ws = home.open();
    let request = || rejecting(Verdict::Low, create("a.txt", "mail jane@example.com"));
    let error = ws.write(request()).unwrap_err();
    assert_eq!(Envelope::from(&error).retry_budget, 7);
    home.policy("disable_families: [pii]\n");
    ws.write(request()).unwrap();
}

#[test]
fn the_draft_is_looked_at_before_the_path() {
    let home = Home::new();
    let ws = home.open();
    let draft = "mail jane@example.com";
    let error = ws.write(rejecting(Verdict::Low, create("../a.txt", draft))).unwrap_err();
    assert_eq!(hinted(&error).1, blocked("../a.txt", &sha(draft)));
}

#[test]
fn a_policy_that_cannot_be_used_judges_nothing_and_permits_nothing() {
    let home = Home::new();
    home.put("a.txt", "abc");
    let ws = home.open();
    let path = home.abs(".resilient_write/policy.yaml");
    let judged = |path: &str| rejecting(Verdict::High, create(path, ""));
    let expected = |(line, column): (u64, u64), reason: &str| {
        let context = json!({"path": path, "reason": reason, "line": line, "column": column});
        envelope(MALFORMED, context)
    };
    home.policy("- a list\n");
    let refused = expected((1, 1), "policy_yaml_not_mapping");
    assert_eq!(home.refused(|| ws.write(judged("b.txt"))), refused);
    let edit = || ReplaceRequest { reject_at: Some(Verdict::Low), ..replace("a.txt", "a", "b") };
    assert_eq!(home.refused(|| ws.replace(edit())), refused);
    ws.write(create("b.txt", "")).unwrap();
    ws.replace(replace("a.txt", "a", "b")).unwrap();

    home.policy("extend_patterns:\n  house:\n  - name: open\n    regex: 'a(b'\n");
    let found = home.refused(|| ws.write(judged("c.txt")));
    let mut refused = expected((4, 12), "bad_regex: unclosed group");
    refused["context"]["family"] = json!("house");
    refused["context"]["name"] = json!("open");
    assert_eq!(found, refused);

    home.policy("version: 1\nallow_git_writes: true\nhard_links: [in_place\n");
    let found = home.refused(|| ws.write(judged("c.txt")));
    let reason = found["context"]["reason"].as_str().unwrap();
    assert!(reason.starts_with("yaml_error: "), "{reason}");
    assert_eq!(found["context"]["line"], 3);
    // What the file may have been meant to permit is not permitted.
    let protected = home.refused(|| ws.write(create(".git/config", "")));
    assert_eq!(protected["context"]["reason"], "protected_path");
    std::fs::hard_link(home.abs("a.txt"), home.abs("twin.txt")).unwrap();
    assert_eq!(home.refused(|| ws.replace(replace("a.txt", "c", "d"))), found);
    assert_eq!(home.refused(|| ws.write(overwrite("a.txt", ""))), found);

    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    let found = home.refused(|| ws.write(judged("c.txt")));
    assert_eq!(found["error"], "policy_violation");
    assert_eq!(found["context"]["path"], json!(path));

    std::fs::remove_dir(&path).unwrap();
    ws.write(judged("c.txt")).unwrap();
}

#[test]
fn a_directory_is_no_target() {
    let home = Home::new();
    std::fs::create_dir(home.path("d")).unwrap();
    let ws = home.open();
    let expected = |path: &str| {
        envelope(
            REFUSED,
            json!({
                "path": path, "reason": "is_a_directory",
                "errno": 21, "strerror": "Is a directory",
            }),
        )
    };
    for path in ["d", "d/", "d/.", ".", "d/..", "./d"] {
        for request in [create(path, "x"), overwrite(path, "x"), append(path, "x")] {
            assert_eq!(home.refused(|| ws.write(request)), expected(path));
        }
        assert_eq!(home.refused(|| ws.replace(replace(path, "a", "b"))), expected(path));
    }
}

#[test]
fn a_file_on_the_way_is_no_directory() {
    let home = Home::new();
    home.put("f", "abc");
    let ws = home.open();
    for path in ["f/a.txt", "f/d/a.txt", "f/../a.txt"] {
        let mut found = home.refused(|| ws.write(create(path, "x")));
        let reason = found["context"]["reason"].take();
        assert!(reason.as_str().unwrap().starts_with("mkdir_failed: "), "{reason}");
        assert_eq!(found, envelope(FORBIDDEN, json!({"path": path, "reason": null, "errno": 20})));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_too_long_leaves_no_directories_behind() {
    let home = Home::new();
    let ws = home.open();
    let long = "n".repeat(256);
    let found = home.refused(|| ws.write(create(&long, "x")));
    assert_eq!(
        (&found["error"], &found["context"]["errno"]),
        (&json!("policy_violation"), &json!(36))
    );
    // Below directories that do not exist yet, it is found at the very end.
    let found = home.refused(|| ws.write(create(&format!("d/e/{long}"), "x")));
    assert_eq!(
        (&found["error"], &found["context"]["errno"]),
        (&json!("policy_violation"), &json!(36))
    );
    let found = home.refused(|| ws.write(create(&format!("d/{long}/a"), "x")));
    let reason = found["context"]["reason"].as_str().unwrap();
    assert!(reason.starts_with("mkdir_failed: "), "{reason}");
    // 255 bytes are a name.
    ws.write(create(&long[1..], "x")).unwrap();
}

#[test]
fn content_that_is_in_place_is_not_written() {
    let home = Home::new();
    home.put("a.txt", "abc");
    let before = home.tree();
    let ws = home.open();
    for request in [overwrite("a.txt", "abc"), append("a.txt", "")] {
        let receipt = ws.write(request).unwrap();
        assert!(receipt.unchanged);
        assert_eq!((receipt.bytes, receipt.sha256.to_string().as_str()), (3, ABC));
    }
    let receipt = ws.replace(replace("a.txt", "b", "b")).unwrap();
    assert!(receipt.unchanged);
    assert_eq!(receipt.replacements, Some(1));
    assert_eq!(home.tree(), before);
    // They were asked for and answered: they have their rows.
    let modes: Vec<Mode> = home.rows().iter().map(|row| row.mode).collect();
    assert_eq!(modes, [Mode::Overwrite, Mode::Append, Mode::Replace]);
    assert_eq!(serde_json::to_value(&receipt).unwrap()["unchanged"], json!(true));
}

#[test]
fn of_sixteen_creators_one_wins() {
    let home = Home::new();
    let workspaces = [home.open(), home.open()];
    let start = Barrier::new(16);
    let won: Vec<usize> = thread::scope(|scope| {
        let (start, workspaces) = (&start, &workspaces);
        let threads: Vec<_> = (0..16)
            .map(|n| {
                scope.spawn(move || {
                    start.wait();
                    workspaces[n % 2].write(create("a.txt", &n.to_string()))
                })
            })
            .collect();
        let results = threads.into_iter().map(|thread| thread.join().unwrap()).enumerate();
        results
            .filter_map(|(n, result)| match result {
                Ok(_) => Some(n),
                Err(Error::AlreadyExists { .. }) => None,
                Err(error) => panic!("{error:?}"),
            })
            .collect()
    });
    assert_eq!(won.len(), 1);
    assert_eq!(home.text("a.txt"), won[0].to_string());
    assert_eq!(home.rows().len(), 1);
}

#[test]
fn no_increment_is_lost_between_two_workspaces() {
    const EACH: usize = 10;
    let home = Home::new();
    home.put("n", "0");
    let workspaces = [home.open(), home.open()];
    thread::scope(|scope| {
        for n in 0..8 {
            let (home, ws) = (&home, &workspaces[n % 2]);
            scope.spawn(move || {
                let mut done = 0;
                while done < EACH {
                    let now = home.text("n");
                    let next = (now.parse::<usize>().unwrap() + 1).to_string();
                    match ws.write(expecting(&sha(&now), overwrite("n", &next))) {
                        Ok(_) => done += 1,
                        Err(Error::Stale { .. }) => {}
                        Err(error) => panic!("{error:?}"),
                    }
                }
            });
        }
    });
    assert_eq!(home.text("n"), (8 * EACH).to_string());
    assert_eq!(home.rows().len(), 8 * EACH);
}

#[test]
fn no_append_is_lost_between_two_workspaces() {
    for begin in [0, APPEND_IN_PLACE_FROM] {
        let home = Home::new();
        let begin = "-".repeat(usize::try_from(begin).unwrap());
        home.put("log", &begin);
        let workspaces = [home.open(), home.open()];
        thread::scope(|scope| {
            for n in 0..8 {
                let ws = &workspaces[n % 2];
                scope.spawn(move || {
                    for turn in 0..5 {
                        ws.write(append("log", &format!("{n}:{turn}\n"))).unwrap();
                    }
                });
            }
        });
        let text = home.text("log");
        let lines: BTreeSet<&str> = text.strip_prefix(&begin).unwrap().lines().collect();
        let all: Vec<String> =
            (0..8).flat_map(|n| (0..5).map(move |t| format!("{n}:{t}"))).collect();
        assert_eq!(lines, all.iter().map(String::as_str).collect());
        let rows = home.rows();
        assert_eq!(rows.len(), 40);
        assert_eq!(rows.last().unwrap().sha256.to_string(), sha(&text));
    }
}

#[cfg(unix)]
#[test]
fn long_files_are_appended_to_in_place_and_short_ones_are_not() {
    use std::os::unix::fs::MetadataExt as _;
    let home = Home::new();
    let ws = home.open();
    let inode = || std::fs::metadata(home.path("log")).unwrap().ino();
    let limit = usize::try_from(APPEND_IN_PLACE_FROM).unwrap();
    home.put("log", vec![b'x'; limit - 1]);
    let first = inode();
    let receipt = ws.write(append("log", "y")).unwrap();
    assert_eq!(receipt.bytes, APPEND_IN_PLACE_FROM);
    let second = inode();
    assert_ne!(first, second);
    let receipt = ws.write(append("log", "z")).unwrap();
    assert_eq!(inode(), second);
    let whole = home.read("log");
    assert_eq!(whole, ["x".repeat(limit - 1).as_str(), "yz"].concat().into_bytes());
    assert_eq!((receipt.bytes, receipt.sha256.to_string()), (APPEND_IN_PLACE_FROM + 1, sha(whole)));
    let rows = home.rows();
    assert_eq!(
        rows.iter().map(|row| row.at).collect::<Vec<_>>(),
        [None, Some(APPEND_IN_PLACE_FROM)]
    );
}

#[test]
fn a_row_does_not_grow_with_what_is_appended() {
    let home = Home::new();
    let ws = home.open();
    home.put("log", "x".repeat(100_000));
    for more in [20_000, 40_000, 4_000_000] {
        ws.write(append("log", &"y".repeat(more))).unwrap();
        let line = home.text(".resilient_write/journal.jsonl").lines().last().unwrap().len();
        assert!(line < 1600, "{more}: {line}");
    }
    let slots = std::fs::read_dir(home.path(".resilient_write/tmp")).unwrap();
    let left = slots.map(|slot| slot.unwrap()).filter(|slot| slot.metadata().unwrap().len() > 0);
    assert_eq!(left.map(|slot| slot.file_name()).collect::<Vec<_>>(), Vec::<OsString>::new());
}

#[test]
fn an_append_notices_what_others_did_to_the_file() {
    let home = Home::new();
    let ws = home.open();
    home.put("log", "x".repeat(100_000));
    for turn in 0..20 {
        ws.write(append("log", "one\n")).unwrap();
        // Another content of the same length, as soon as the answer is there.
        let mut bytes = home.read("log");
        bytes[turn] = b'y';
        home.put("log", &bytes);
        bytes.extend(b"two\n");
        let receipt = ws.write(append("log", "two\n")).unwrap();
        assert_eq!(receipt.sha256.to_string(), sha(&bytes), "turn {turn}");
        assert_eq!(home.read("log"), bytes);
    }
    let before = home.text("log");
    home.put("log", "short");
    assert_eq!(ws.write(append("log", "er")).unwrap().sha256.to_string(), sha("shorter"));
    home.put("log", &before);
    let stale = home.refused(|| ws.write(expecting(ABC, append("log", "x"))));
    assert_eq!(stale["context"]["actual_prev_sha256"], json!(sha(&before)));
}

#[test]
fn two_workspaces_append_in_turn() {
    let home = Home::new();
    let workspaces = [home.open(), home.open()];
    let mut whole = "x".repeat(70_000);
    home.put("log", &whole);
    for turn in 0..12 {
        // Three times each: what one of them remembers is out of date then.
        let line = format!("{turn}\n");
        whole.push_str(&line);
        let receipt = workspaces[turn / 3 % 2].write(append("log", &line)).unwrap();
        assert_eq!((receipt.bytes, receipt.sha256.to_string()), (whole.len() as u64, sha(&whole)));
    }
    assert_eq!(home.text("log"), whole);
}

#[test]
fn calls_that_share_a_batch_have_each_their_row() {
    let home = Home::new();
    let ws = home.open();
    thread::scope(|scope| {
        for n in 0..24 {
            let ws = &ws;
            scope.spawn(move || {
                // Every third has to fail, and takes nobody with it.
                if n % 3 == 0 {
                    let refused = ws.write(expecting(ABC, create(&format!("d{n}/a"), "")));
                    assert!(matches!(refused, Err(Error::Stale { .. })), "{refused:?}");
                } else {
                    ws.write(create(&format!("d{}/{n}", n % 2), &n.to_string())).unwrap();
                }
            });
        }
    });
    assert_eq!(home.rows().len(), 16);
    for n in (0..24).filter(|n| n % 3 != 0) {
        assert_eq!(home.text(&format!("d{}/{n}", n % 2)), n.to_string());
    }
    home.assert_tidy();
}

#[test]
fn nothing_is_touched_before_the_first_change() {
    let home = Home::new();
    let ws = home.open();
    assert_eq!(ws.journal_tail(5, &Default::default()).unwrap().entries, []);
    ws.policy().unwrap();
    ws.risk_score("x").unwrap();
    drop(ws);
    assert_eq!(std::fs::read_dir(home.path("")).unwrap().count(), 0);
}

#[test]
fn a_closed_workspace_leaves_no_slots() {
    let home = Home::new();
    let ws = home.open();
    ws.write(create("a.txt", "abc")).unwrap();
    home.refused(|| ws.write(create("a.txt", "abc")));
    drop(ws);
    assert_eq!(std::fs::read_dir(home.state("tmp")).unwrap().count(), 0);
}

#[test]
fn the_state_may_lie_elsewhere() {
    let home = Home::new();
    for name in ["work", "state"] {
        std::fs::create_dir(home.path(name)).unwrap();
    }
    let ws = resilient_core::Workspace::builder(home.path("work")).state(home.path("state")).open();
    ws.write(create("a.txt", "abc")).unwrap();
    assert_eq!(home.text("work/a.txt"), "abc");
    assert!(!home.path("work/.resilient_write").exists());
    assert!(home.path("state/.resilient_write/journal.jsonl").exists());
}
