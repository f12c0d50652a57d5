//! `journal` and `recover`.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

const JOURNAL: &str = ".resilient_write/journal.jsonl";

fn with_three_writes() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.run(&["write", "a.txt", "--content", "1"]).ok();
    sandbox.run(&["write", "b.txt", "--content", "2"]).ok();
    sandbox.run(&["write", "a.txt", "--content", "3", "--mode", "append"]).ok();
    sandbox
}

#[test]
fn the_tail_lists_the_last_writes() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(&["journal", "tail"]).ok().stdout, "no rows\n");
    let sandbox = with_three_writes();
    sandbox.put("src/lib.rs", "");
    let below = sandbox.run_in(&sandbox.path("src"), &["journal", "tail"], "").ok().stdout;
    let root = sandbox.root().canonicalize().unwrap();
    assert_eq!(
        below,
        format!("no rows\n{} has a journal: run the command there\n", root.display())
    );
    let paths = |args: &[&str]| {
        let args = [&["journal", "tail", "--json"], args].concat();
        let entries = sandbox.run(&args).ok().json()["entries"].take();
        let paths = entries.as_array().unwrap().iter();
        paths.map(|entry| entry["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(paths(&[]), ["a.txt", "b.txt", "a.txt"]);
    assert_eq!(paths(&["-n", "2"]), ["b.txt", "a.txt"]);
    assert_eq!(paths(&["--path", "b.txt"]), ["b.txt"]);
    assert_eq!(paths(&["--mode", "append"]), ["a.txt"]);
    assert!(paths(&["--filter-mode", "remove"]).is_empty());
    assert!(paths(&["--filter-mode", "rename"]).is_empty());
    sandbox.run(&["scratch", "put", "--content", "material", "--label", "old"]).ok();
    let kept = paths(&["-n", "1"]);
    sandbox.run(&["scratch", "rm", "--label", "old"]).ok();
    sandbox.run(&["write", "c.txt", "--content", "13"]).ok();
    assert_eq!(paths(&["--filter-mode", "remove"]), kept);
    assert_eq!(paths(&["--filter-mode", "remove", "--path", "a.txt"]), [""; 0]);
    assert!(paths(&["--filter-mode", "rename"]).is_empty());
    let text = sandbox.run(&["journal", "tail", "-n", "1"]).ok().stdout;
    let words: Vec<&str> = text.split_whitespace().skip(1).collect();
    // The hash of "13" begins so.
    assert_eq!(words, ["create", "2", "3fdba35f04dc", "c.txt"]);
    assert_eq!(sandbox.run(&["journal", "tail", "-n", "0"]).code, 2);
}

#[test]
fn a_row_says_who_wrote_it() {
    let sandbox = Sandbox::new();
    sandbox.run(&["write", "a.txt", "--content", "1"]).ok();
    sandbox.run(&["call", "rw.safe_write", r#"{"path": "b.txt", "content": "2"}"#]).ok();
    let mut client = sandbox.serve(&[]);
    client.gives("rw_safe_write", json!({"path": "c.txt", "content": "3"}), &[]);
    client.gives("rw_scratch_put", json!({"content": "4"}), &[]);
    // Before, all clients without a name were one program.
    let mut nameless = sandbox.serve_as("", &[]);
    nameless.gives("rw_safe_write", json!({"path": "e.txt", "content": "5"}), &[]);
    let rows: Vec<Value> =
        sandbox.text(JOURNAL).lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let by = |at: usize, key: &str| rows[at]["by"][key].as_str().unwrap_or("-").to_owned();
    let who = |at| [by(at, "origin"), by(at, "tool"), by(at, "client")];
    assert_eq!(who(0), ["cli", "write", "-"]);
    assert_eq!(who(1), ["cli", "rw.safe_write", "-"]);
    assert_eq!(who(2), ["server", "rw.safe_write", "test/0"]);
    assert_eq!(who(3), ["server", "rw.scratch_put", "test/0"]);
    assert_eq!(who(4), ["server", "rw.safe_write", "-"]);
    // One connection is one session; each run of the command line is another one.
    assert_eq!(by(2, "session").len(), 16);
    assert_eq!(by(2, "session"), by(3, "session"));
    assert_ne!(by(0, "session"), by(2, "session"));
}

#[test]
fn a_sound_chain_is_verified() {
    let sandbox = with_three_writes();
    let ran = sandbox.run(&["journal", "verify"]).ok();
    assert_eq!(ran.stdout, "3 rows, 3 chained, 0 breaks\n");
    let empty = Sandbox::new().run(&["journal", "verify", "--json"]).ok().json();
    assert_eq!(
        empty,
        json!({"ok": true, "rows": 0, "chained": 0, "breaks": [], "missing_bytes": 0})
    );
}

#[test]
fn a_changed_row_breaks_the_chain() {
    let sandbox = with_three_writes();
    let changed = sandbox.text(JOURNAL).replacen("b.txt", "c.txt", 1);
    sandbox.put(JOURNAL, changed);
    let ran = sandbox.run(&["journal", "verify"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.starts_with("line 2: chain_mismatch (wj_"), "{ran:?}");
    assert!(ran.stdout.ends_with("\n3 rows, 3 chained, 1 breaks\n"), "{ran:?}");
}

#[test]
fn a_row_that_was_taken_out_breaks_the_chain() {
    let sandbox = with_three_writes();
    let journal = sandbox.text(JOURNAL);
    let without: String = journal.split_inclusive('\n').skip(1).collect();
    sandbox.put(JOURNAL, without);
    let ran = sandbox.run(&["journal", "verify", "--json"]);
    assert_eq!(ran.code, 1);
    let found = ran.json();
    assert_eq!(found["breaks"][0]["line"], 1);
    assert_eq!(found["breaks"].as_array().unwrap().len(), 1);
}

#[test]
fn rows_that_were_taken_off_the_end_are_told_of_by_the_next_call() {
    let sandbox = with_three_writes();
    let shorten = || {
        let journal = sandbox.text(JOURNAL);
        let rows: Vec<&str> = journal.split_inclusive('\n').collect();
        sandbox.put(JOURNAL, rows[..rows.len() - 1].concat());
        rows[rows.len() - 1].len()
    };
    let len = shorten();
    let told = format!("the journal is {len} bytes shorter than its last writer left it");
    for _ in 0..2 {
        let verified = sandbox.run(&["journal", "verify"]);
        assert_eq!(verified.code, 1);
        assert!(verified.stdout.contains(&told), "{verified:?}");
    }
    let verified = sandbox.run(&["journal", "verify", "--json"]);
    assert_eq!((verified.code, verified.json()["missing_bytes"].as_u64()), (1, Some(len as u64)));
    let tail = sandbox.run(&["journal", "tail", "--json"]);
    assert_eq!(tail.json()["notices"][0]["about"], "missing", "{tail:?}");
    sandbox.run(&["journal", "verify"]).ok();
    let len = shorten();
    let mut client = sandbox.serve(&[]);
    let written = client.gives(
        "rw_safe_write",
        serde_json::json!({"path": "next.txt", "content": "x"}),
        &["notices"],
    );
    assert_eq!(written["notices"][0]["about"], "missing", "{written}");
    assert!(written["notices"][0]["text"].as_str().unwrap().contains(&len.to_string()));
}

#[test]
fn a_journal_that_was_removed_or_replaced_by_a_shorter_one_lacks_rows() {
    for other in [None, Some("")] {
        let sandbox = with_three_writes();
        let mut client = sandbox.serve(&[]);
        let taken = |sandbox: &Sandbox| {
            let len = sandbox.text(JOURNAL).len();
            std::fs::remove_file(sandbox.path(JOURNAL)).unwrap();
            other.inspect(|text| sandbox.put(JOURNAL, text));
            let verified = sandbox.run(&["journal", "verify", "--json"]);
            let missing = verified.json()["missing_bytes"].as_u64();
            assert_eq!((verified.code, missing), (1, Some(len as u64)), "{other:?}");
        };
        taken(&sandbox);
        let written = sandbox.run(&["write", "d.txt", "--content", "d"]);
        assert!(written.code == 0 && written.stderr.contains("shorter"), "{other:?}: {written:?}");
        sandbox.run(&["journal", "verify"]).ok();
        taken(&sandbox);
        let written = client.gives(
            "rw_safe_write",
            json!({"path": "next.txt", "content": "x"}),
            &["notices"],
        );
        assert_eq!(written["notices"][0]["about"], "missing", "{other:?}: {written}");
    }
}

#[test]
fn recovery_reports_what_it_did() {
    let sandbox = with_three_writes();
    assert_eq!(sandbox.run(&["recover"]).ok().stdout, "nothing to recover\n");
    let mut torn = sandbox.text(JOURNAL);
    torn.push_str("{\"abs_path\":");
    sandbox.put(JOURNAL, torn);
    let told = "12 bytes of a torn row were cut off the journal; 12 of them are in \
                .resilient_write/conflicts/\n";
    assert_eq!(sandbox.run(&["recover"]).ok().stdout, told);
    let mut torn = sandbox.text(JOURNAL);
    torn.push_str("{\"abs_path\":");
    sandbox.put(JOURNAL, torn);
    let tail = sandbox.run(&["journal", "tail"]);
    assert_eq!(tail.code, 0);
    assert_eq!(tail.stderr, format!("resilient-write: {told}"), "a reader recovers, and says so");
    let again = sandbox.run(&["recover", "--json"]).ok().json();
    assert_eq!(
        again,
        json!({"ok": true, "finished": [], "withdrawn": [], "conflicts": [], "cut": 0})
    );
    sandbox.run(&["journal", "verify"]).ok();
}

#[test]
fn the_next_answer_of_any_tool_tells_what_recovery_did() {
    let sandbox = with_three_writes();
    let mut torn = sandbox.text(JOURNAL);
    torn.push_str("{\"abs_path\":");
    sandbox.put(JOURNAL, torn);
    let mut client = sandbox.serve(&[]);
    let told = client.gives("rw_checkpoint_list", json!({}), &[])["notices"].clone();
    assert_eq!(told[0]["about"], "cut");
    assert_eq!(told.as_array().map(Vec::len), Some(1));
    assert!(client.gives("rw_checkpoint_list", json!({}), &[]).get("notices").is_none());
}

/// An interrupted write outside of the roots waits, tells so, and can be given up.
#[test]
fn a_write_that_waits_refuses_its_path_and_can_be_given_up() {
    let sandbox = with_three_writes();
    // As a process with more roots leaves it that is killed before it publishes.
    let path = sandbox.path(".git/config");
    let row = json!({
        "abs_path": path, "batch": 4, "bytes": 3, "caller": "x", "journal_id": "wj_1",
        "mode": "create", "path": ".git/config", "seq": 4, "staged": "s-1",
        "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "ts": "2026-11-21T10:00:00Z",
    });
    sandbox.put(JOURNAL, format!("{}{row}\n", sandbox.text(JOURNAL)));
    sandbox.put(".resilient_write/tmp/s-1", "abc");
    let mut client = sandbox.serve(&[]);
    let write = json!({"path": "other.txt", "content": "x"});
    let answer = client.gives("rw_safe_write", write, &[]);
    assert_eq!(answer["notices"][0]["about"], "pending", "{answer}");
    drop(client);
    assert_eq!(sandbox.text(".resilient_write/tmp/s-1"), "abc");
    let ran = sandbox.run(&["recover", "--json"]);
    assert_eq!(ran.json()["pending"][0]["path"], ".git/config");
    let ran = sandbox.run(&["recover", "--abandon", "--json"]);
    let kept = ran.json()["conflicts"][0]["kept_sha256"].as_str().unwrap().to_owned();
    assert_eq!(sandbox.text(&format!(".resilient_write/conflicts/{kept}.bin")), "abc");
    assert_eq!(sandbox.run(&["recover"]).ok().stdout, "nothing to recover\n");
}

#[test]
fn the_history_without_a_path_leaves_out_the_parts_of_long_files() {
    let sandbox = Sandbox::new();
    let mut client = sandbox.serve(&["--tools", "core"]);
    client.gives("rw_write_file", json!({"path": "a.txt", "content": "x"}), &[]);
    let part = |number: u64| json!({"path": "long.md", "part": number, "content": "text\n", "last": number == 3});
    for number in 1..=3 {
        client.gives("rw_write_part", part(number), &[]);
    }
    let paths = |answer: &Value| -> Vec<String> {
        let entries = answer["entries"].as_array().unwrap();
        entries.iter().map(|entry| entry["path"].as_str().unwrap().to_owned()).collect()
    };
    let newest = client.call("rw_history", json!({"limit": 2}));
    assert_eq!(paths(&newest), ["a.txt", "long.md"]);
    // Rows of parts are there for who asks for one.
    let all = paths(&client.call("rw_history", json!({"path": "long.md"})));
    assert_eq!(all, ["long.md"]);
    let rows = sandbox.text(".resilient_write/journal.jsonl");
    let rows = rows.lines().map(|row| serde_json::from_str::<Value>(row).unwrap());
    let rows: Vec<Value> =
        rows.filter(|row| row["path"].as_str().unwrap().contains("/chunks/")).collect();
    assert_eq!(rows.len(), 3);
    let of_part = client.call("rw_history", json!({"path": rows[0]["path"]}));
    assert_eq!(of_part["entries"].as_array().unwrap().len(), 1, "{of_part}");
}
