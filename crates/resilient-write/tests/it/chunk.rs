//! `chunk`.

use serde_json::json;

use crate::sandbox::Sandbox;

#[test]
fn parts_are_kept_previewed_composed_and_removed() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run_with(&["chunk", "append", "s", "--total", "3"], "one\n").ok();
    assert!(ran.stdout.starts_with("kept part 1 of s\n  bytes    4\n"), "{ran:?}");
    sandbox.run_with(&["chunk", "write", "s", "3"], "three\n").ok();

    let ran = sandbox.run(&["chunk", "status", "s"]).ok();
    let told = "session s\n  parts    1 3\n  missing  2\n  total    3\n  bytes    10\n  kept in  \
                .resilient_write/chunks/s\n  changed  20";
    assert!(ran.stdout.starts_with(told), "{ran:?}");
    assert!(ran.stdout.ends_with("Z\npart 3 ends with:\nthree\n"), "{ran:?}");
    let ran = sandbox.run(&["chunk", "status"]).ok();
    assert!(ran.stdout.ends_with("Z            10  2 parts of 3  s\n"), "{ran:?}");
    let gap = sandbox.run(&["chunk", "compose", "s", "out.txt", "--json"]).envelope();
    assert_eq!(gap["context"]["missing"], json!([2]));
    assert!(!sandbox.path("out.txt").exists());

    sandbox.run(&["chunk", "write", "s", "2", "--content", "two\n"]).ok();
    let preview = sandbox.run(&["chunk", "preview", "s", "--separator", "-\n"]).ok();
    assert_eq!(preview.stdout, "one\n-\ntwo\n-\nthree\n");
    let ran = sandbox.run(&["chunk", "compose", "s", "out.txt", "--separator", "-\n"]).ok();
    assert!(ran.stdout.starts_with("composed out.txt\n  parts    3\n  bytes    18\n"), "{ran:?}");
    assert_eq!(sandbox.text("out.txt"), preview.stdout);
    sandbox.put("theirs.txt", "of another\n");
    let ran = sandbox.run(&["chunk", "compose", "s", "theirs.txt"]).ok();
    let told = "composed theirs.txt\n  replaced  a file of 11 bytes\n";
    assert!(ran.stdout.starts_with(told), "{ran:?}");

    let answer = sandbox.run(&["chunk", "compose", "s", "out.txt", "--cleanup", "--json"]).ok();
    assert_eq!(answer.json()["cleaned_up"], true);
    let gone = "there is no session s\nit was composed into out.txt at ";
    let status = sandbox.run(&["chunk", "status", "s"]);
    assert!(status.code == 8 && status.stdout.starts_with(gone), "{status:?}");

    let before = "\n  before   composed into out.txt at ";
    let ran = sandbox.run(&["chunk", "append", "s", "--content", "four\n"]).ok();
    assert!(ran.stdout.contains(before), "{ran:?}");
    assert!(sandbox.run(&["chunk", "status", "s"]).ok().stdout.contains(before));
    let lost = sandbox.run(&["chunk", "compose", "s", "out.txt", "--json"]).envelope();
    assert_eq!(lost["context"]["reason"], "composed_before");
}

#[test]
fn a_join_in_the_middle_of_a_line_is_said_and_a_preview_has_pages() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(&["chunk", "status"]).ok().stdout, "no sessions\n");
    sandbox.run(&["chunk", "append", "s", "--content", "one"]).ok();
    sandbox.run(&["chunk", "append", "s", "--content", "two\n"]).ok();
    let page = sandbox.run(&["chunk", "preview", "s", "--max-bytes", "4"]);
    assert_eq!((page.stdout.as_str(), page.stderr.as_str()), ("onet", "more: --offset 4\n"));
    let page = sandbox.run(&["chunk", "preview", "s", "--offset", "4"]).ok();
    assert_eq!(page.stdout, "wo\n");
    let told = sandbox.run(&["chunk", "compose", "s", "out"]).ok().stdout;
    assert!(told.ends_with("goes on in the same line: 1\n"), "{told}");
    let answer = sandbox.run(&["chunk", "compose", "s", "out", "--json"]).ok().json();
    assert_eq!(answer["joined_mid_line"], json!([1]));
}

#[test]
fn reset_says_what_it_removed() {
    let sandbox = Sandbox::new();
    sandbox.run(&["chunk", "append", "s", "--content", "x"]).ok();
    assert_eq!(sandbox.run(&["chunk", "reset", "s"]).ok().stdout, "removed session s, 1 part\n");
    let answer = sandbox.run(&["chunk", "reset", "s", "--json"]).json();
    assert_eq!(answer, json!({"ok": true, "session": "s", "removed": 0, "existed": false}));
}

#[test]
fn numbers_out_of_range_are_the_librarys_business() {
    let sandbox = Sandbox::new();
    for index in ["0", "-1", "1000"] {
        let refused = sandbox.run(&["chunk", "write", "s", index, "--content", "x", "--json"]);
        assert_eq!(refused.envelope()["context"]["reason"], "index_must_be_int_in_1..999");
    }
    let refused = sandbox.run(&["chunk", "append", "s", "--total", "0", "--content", "", "--json"]);
    assert_eq!(refused.envelope()["context"]["reason"], "total_expected_must_be_int_in_1..999");
    assert_eq!(sandbox.run(&["chunk", "write", "s", "one"]).code, 2);
}
