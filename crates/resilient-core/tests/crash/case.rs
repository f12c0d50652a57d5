//! A file system on which `Notes.txt` and `notes.txt` are one file.

use resilient_core::digest::Digest;
use resilient_core::disk::sim::{Fault, FaultKind, Model, SimDisk};
use resilient_core::form::Asked;
use resilient_core::journal::Filter;
use resilient_core::write::{APPEND_IN_PLACE_FROM, WriteMode, WriteRequest};
use resilient_core::{Error, Workspace};

use crate::campaign::recover;
use crate::workload::{Answer, Order, append, create, done, large, open, overwrite, together};

fn folding() -> (SimDisk, Workspace) {
    let disk = SimDisk::new().with_case_folded();
    disk.mkdir("w");
    let ws = open(&disk, 1, Order::Forwards);
    (disk, ws)
}

fn swap(ws: &Workspace, path: &str, expected: &str, content: &str) -> Answer {
    let request = WriteRequest {
        path: path.to_owned(),
        content: content.to_owned(),
        mode: WriteMode::Overwrite,
        expected_prev_sha256: Some(Digest::of(expected.as_bytes()).to_string()),
        reject_at: None,
        validate: false,
        form: Asked::default(),
        allow_shrink: false,
    };
    Answer::of(ws.write(request), |receipt| Some(receipt.journal_id))
}

/// The file by whatever name its directory has.
fn notes(disk: &SimDisk) -> Vec<u8> {
    let tree = disk.tree();
    let mut found = tree.iter().filter(|(path, _)| path.eq_ignore_ascii_case("w/notes.txt"));
    let (_, bytes) = found.next().expect("the file");
    assert_eq!(found.count(), 0, "twice in {:?}", tree.keys());
    bytes.clone()
}

#[test]
fn a_batch_that_makes_a_file_under_two_names_makes_it_once() {
    let (disk, ws) = folding();
    let answers =
        together(&ws, &[|ws| create(ws, "Notes.txt", "one"), |ws| create(ws, "notes.txt", "two")]);
    assert!(answers[0].is_done(), "{answers:?}");
    assert!(matches!(answers[1].error(), Some(Error::AlreadyExists { .. })), "{answers:?}");
    assert_eq!(notes(&disk), b"one");
}

#[test]
fn of_two_swaps_under_two_names_one_is_done() {
    let (disk, ws) = folding();
    done(create(&ws, "Notes.txt", "old"));
    let answers = together(
        &ws,
        &[
            |ws| swap(ws, "Notes.txt", "old", "one"),
            |ws| swap(ws, "NOTES.txt", "old", "two"),
            |ws| swap(ws, "notes.TXT", "one", "three"),
        ],
    );
    assert!(answers[0].is_done() && answers[2].is_done(), "{answers:?}");
    assert!(matches!(answers[1].error(), Some(Error::Stale { .. })), "{answers:?}");
    assert_eq!(notes(&disk), b"three");
}

#[test]
fn appends_under_two_names_are_all_there_in_place_or_not() {
    for old in ["old\n".to_owned(), large()] {
        let (disk, ws) = folding();
        assert_eq!(old.len() as u64 >= APPEND_IN_PLACE_FROM, old.len() > 4);
        done(create(&ws, "Notes.txt", &old));
        let answers = together(
            &ws,
            &[|ws| append(ws, "Notes.txt", "one\n"), |ws| append(ws, "notes.txt", "two\n")],
        );
        assert!(answers.iter().all(Answer::is_done), "{answers:?}");
        assert_eq!(notes(&disk), (old + "one\ntwo\n").as_bytes());
    }
}

#[test]
fn the_history_of_a_file_is_found_by_each_of_its_names() {
    let rows = |ws: &Workspace, path: &str| {
        let filter = Filter { path: Some(path.to_owned()), ..Filter::default() };
        ws.journal_tail(9, &filter).expect("rows").entries.len()
    };
    let (_, ws) = folding();
    done(create(&ws, "Notes.txt", "1"));
    done(overwrite(&ws, "notes.txt", "2"));
    done(create(&ws, "other.txt", "3"));
    for path in ["Notes.txt", "notes.txt", "NOTES.TXT", "/w/noteS.txt"] {
        assert_eq!(rows(&ws, path), 2, "{path}");
    }
    // Where case counts, they are two files.
    let disk = SimDisk::new();
    disk.mkdir("w");
    let ws = open(&disk, 1, Order::Forwards);
    done(create(&ws, "Notes.txt", "1"));
    done(create(&ws, "notes.txt", "2"));
    assert_eq!((rows(&ws, "Notes.txt"), rows(&ws, "NOTES.TXT")), (1, 0));
}

#[test]
fn the_state_and_repositories_are_protected_under_names_in_other_case() {
    let (_, ws) = folding();
    done(create(&ws, "a.txt", "1"));
    for path in [".Resilient_Write/journal.jsonl", ".GIT/config", "/w/.resilient_WRITE/x"] {
        let answer = overwrite(&ws, path, "x");
        assert!(matches!(answer.error(), Some(Error::ProtectedPath { .. })), "{path}: {answer:?}");
    }
}

/// A batch with two creations and two appends of one file, with that fault; where it began.
fn batch(fault: Option<Fault>) -> (SimDisk, u64, Vec<Answer>) {
    let (disk, ws) = folding();
    done(create(&ws, "warm.txt", "warm"));
    let begin = disk.ops();
    fault.iter().for_each(|fault| disk.plan(*fault));
    let answers = together(
        &ws,
        &[
            |ws| create(ws, "Notes.txt", "one\n"),
            |ws| create(ws, "notes.txt", "two\n"),
            |ws| append(ws, "NOTES.txt", "three\n"),
        ],
    );
    (disk, begin, answers)
}

#[test]
fn two_names_of_one_file_survive_every_crash() {
    let (whole, begin, _) = batch(None);
    for at in begin..=whole.ops() {
        for kind in [FaultKind::PowerCut, FaultKind::TornWrite] {
            let (disk, _, answers) = batch(Some(Fault { at, kind }));
            let states = disk.crash_states(Model::Strict, 24);
            for index in 0..states.len() {
                let lost = states.get(index).expect("a state");
                recover(&lost, 90).expect("recovery");
                let text = match lost.tree().keys().any(|it| it.eq_ignore_ascii_case("w/notes.txt"))
                {
                    true => notes(&lost),
                    false => Vec::new(),
                };
                let text = String::from_utf8(text).expect("text");
                let told = || format!("{kind:?} at {at}: {text:?}\n{}", states.describe(index));
                let is_whole = ["", "one\n", "two\n", "three\n", "one\nthree\n", "two\nthree\n"]
                    .contains(&&*text);
                assert!(is_whole, "{}", told());
                for (answer, line) in answers.iter().zip(["one", "two", "three"]) {
                    assert!(!answer.is_done() || text.contains(line), "{line}: {}", told());
                }
            }
        }
    }
}
