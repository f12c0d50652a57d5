//! State directories that other versions have written: they open without a step, and nothing of them is lost.
//!
//! The journals in `versions/` were written by 0.4.0, by the Python server 0.3.0, by both in turn, and by a process of
//! 0.4.0 that was killed right before it published. All worked in `/home/user/w`.

use resilient_core::Workspace;
use resilient_core::journal::{Filter, Row};

use crate::home::{Home, create, overwrite, refusal};

const JOURNAL: &str = ".resilient_write/journal.jsonl";

/// A workspace with that journal.
fn with(journal: &str, format: Option<&str>) -> Home {
    let home = Home::new();
    home.put(JOURNAL, journal);
    if let Some(format) = format {
        home.put(".resilient_write/format", format);
    }
    home
}

fn ids(journal: &str) -> Vec<String> {
    let id = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        row["journal_id"].as_str().unwrap().to_owned()
    };
    journal.lines().map(id).collect()
}

fn tail(ws: &Workspace) -> Vec<String> {
    let tail = ws.journal_tail(99, &Filter::default()).unwrap();
    tail.entries.into_iter().map(|entry| entry.journal_id).collect()
}

#[test]
fn journals_of_earlier_versions_are_read_and_go_on() {
    for (name, journal, format, chained) in [
        ("0.4.0", include_str!("versions/0.4.0.jsonl"), Some("1\n"), 4),
        ("Python", include_str!("versions/python.jsonl"), None, 0),
        ("both", include_str!("versions/both.jsonl"), Some("1\n"), 5),
    ] {
        let home = with(journal, format);
        let before = ids(journal);
        let rows = before.len() as u64;
        let ws = home.open();
        // A reader changes nothing.
        assert_eq!(tail(&ws), before, "{name}");
        assert_eq!(ws.analytics(None, None).unwrap().total_writes, rows, "{name}");
        let verified = ws.verify_journal().unwrap();
        assert_eq!((verified.rows, verified.chained), (rows, chained), "{name}");
        assert_eq!(verified.breaks, [], "{name}");
        // A row of 0.4.0 that is not known to be finished is looked at by recovery, under the lock.
        let receipt = ws.write(create("new.txt", "x")).unwrap();
        let expected = [before, vec![receipt.journal_id]].concat();
        assert_eq!(tail(&ws), expected, "{name}");
        let verified = ws.verify_journal().unwrap();
        assert_eq!((verified.rows, verified.chained), (rows + 1, chained + 1), "{name}");
        assert_eq!(verified.breaks, [], "{name}");
        assert_eq!(home.text(".resilient_write/format"), "2\n", "{name}");
        // The rows of 0.4.0 are in a closed journal, byte for byte; those of the Python server stay.
        if format.is_some() {
            assert_eq!(home.text(".resilient_write/journal/000001.jsonl"), journal, "{name}");
        } else {
            assert!(home.text(JOURNAL).starts_with(journal), "{name}");
        }
    }
}

#[test]
fn a_format_that_is_not_known_is_refused_and_stays() {
    for (found, reason) in [
        ("3\n", "newer_state_format"),
        ("99999999999", "newer_state_format"),
        ("3.1", "unknown_state_format"),
        ("2.9", "unknown_state_format"),
        ("v3", "unknown_state_format"),
        ("-1", "unknown_state_format"),
        ("0", "unknown_state_format"),
        (&"9".repeat(100), "newer_state_format"),
    ] {
        let home = with("", Some(found));
        let refused = refusal(home.open().write(create("a.txt", "x")));
        assert_eq!(refused["context"]["reason"], reason, "{found}");
        assert_eq!(home.text(".resilient_write/format"), found);
    }
    for torn in ["", "\0\0", "\n"] {
        let home = with("", Some(torn));
        home.open().write(create("a.txt", "x")).unwrap();
        assert_eq!(home.text(".resilient_write/format"), "2\n");
    }
}

#[test]
fn a_number_that_none_can_follow_is_passed_over() {
    let largest = u64::MAX;
    for before in [None, Some("b.txt")] {
        let home = Home::new();
        let ws = home.open();
        ws.write(create("a.txt", "x")).unwrap();
        drop(ws);
        // The crafted row follows nothing; the rows behind it do.
        let rows = || -> Vec<Row> {
            home.text(JOURNAL).lines().filter_map(|line| Row::parse(line.as_bytes())).collect()
        };
        let row = &rows()[0];
        let line = home.text(JOURNAL).replace("\"seq\":1", &format!("\"seq\":{largest}"));
        let line = line.replace("\"batch\":1", &format!("\"batch\":{largest}"));
        assert_eq!((row.seq, line.matches(&largest.to_string()).count()), (Some(1), 2));
        let mut journal = before.map(|_| home.text(JOURNAL)).unwrap_or_default();
        journal.push_str(&line);
        home.put(JOURNAL, journal);
        // Recovery has to look: the marker has another end.
        home.put(".resilient_write/lock", "");
        let ws = home.open();
        for name in ["c.txt", "d.txt"] {
            ws.write(create(name, "x")).unwrap();
        }
        let rows = rows();
        let numbers: Vec<_> = rows.iter().rev().take(2).map(|row| (row.seq, row.batch)).collect();
        let first = if before.is_some() { 2 } else { 1 };
        let of = |number| (Some(number), Some(number));
        assert_eq!(numbers, [of(first + 1), of(first)]);
    }
}

#[test]
fn a_write_of_0_4_0_that_was_killed_is_finished() {
    let journal = include_str!("versions/killed.jsonl");
    // Where it was written is somewhere else here.
    let home = Home::new();
    let root = home.abs("");
    let journal = journal.replace("/home/user/w/", &root);
    home.put(JOURNAL, &journal);
    home.put(".resilient_write/format", "1\n");
    home.put(".resilient_write/tmp/s-78e52a1af46bf4b8-16", "two");
    home.put("a.txt", "one");
    let ws = home.open();
    let report = ws.recover().unwrap();
    assert_eq!((report.finished, report.pending), (vec!["a.txt".to_owned()], Vec::new()));
    assert_eq!(home.text("a.txt"), "two");
    assert_eq!(tail(&ws), ids(&journal));
    ws.write(overwrite("a.txt", "three")).unwrap();
    assert_eq!(tail(&ws).len(), 3);
}
