#![expect(clippy::disallowed_methods, reason = "a test prepares the disk as others do")]

use std::fs;
use std::io::Write as _;

use super::*;
use crate::digest::Digest;
use crate::disk::{Disk as _, RealDisk};
use crate::journal::{Filter, Mode, Tail};

/// A state directory with closed journals of ten rows each, and a current one.
struct State(tempfile::TempDir);

impl State {
    fn new(closed: u64) -> Self {
        let state = Self(tempfile::tempdir().unwrap());
        fs::create_dir(state.0.path().join("journal")).unwrap();
        for number in 0..=closed {
            let lines = (number * 10..number * 10 + 10).map(line).collect::<String>();
            let path =
                if number == closed { "journal.jsonl".to_owned() } else { closed_name(number) };
            fs::write(state.0.path().join(path), lines).unwrap();
        }
        state
    }

    fn journals(&self) -> Journals {
        let state = RealDisk.open_root(self.0.path()).unwrap();
        let current = state.open("journal.jsonl".as_ref()).unwrap();
        let len = current.stat().unwrap().len;
        Journals::behind(Some(&*state), current.into(), len).unwrap()
    }

    fn add(&self, name: &str, bytes: &[u8]) {
        let path = self.0.path().join(name);
        let mut file = fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
        file.write_all(bytes).unwrap();
    }

    /// The numbers of the rows that a tail has.
    fn tail(&self, n: usize, filter: &Filter) -> Vec<u64> {
        let Tail { entries, damaged_lines, .. } = tail(&self.journals(), n, filter).unwrap();
        assert_eq!(damaged_lines, 0);
        entries.iter().map(|entry| entry.bytes).collect()
    }
}

fn closed_name(number: u64) -> String {
    format!("journal/{:06}.jsonl", number + 1)
}

/// A row of one of three paths.
fn line(number: u64) -> String {
    format!(
        "{{\"bytes\":{number},\"caller\":\"x\",\"journal_id\":\"wj_{number}\",\"mode\":\"create\",\
         \"path\":\"{}.txt\",\"sha256\":\"{}\",\"ts\":\"2026-11-21T10:00:00Z\"}}\n",
        number % 3,
        Digest::of(&number.to_le_bytes())
    )
}

fn of_path(path: &str) -> Filter {
    Filter { path: Some(path.to_owned()), ..Filter::default() }
}

#[test]
fn a_tail_goes_on_in_closed_journals() {
    let state = State::new(3);
    let all = Filter::default();
    assert_eq!(state.tail(5, &all), [35, 36, 37, 38, 39]);
    assert_eq!(state.tail(12, &all), (28..40).collect::<Vec<_>>());
    assert_eq!(state.tail(1000, &all), (0..40).collect::<Vec<_>>());
    let created = Filter { mode: Some(Mode::Create), ..Filter::default() };
    assert_eq!(state.tail(1000, &created), (0..40).collect::<Vec<_>>());
    let appended = Filter { mode: Some(Mode::Append), ..Filter::default() };
    assert_eq!(state.tail(1000, &appended), [0; 0]);
}

#[test]
fn a_row_is_found_by_path_identity_and_digest() {
    let state = State::new(3);
    for time in ["without an index", "with it"] {
        let every_third: Vec<u64> = (0..40).filter(|number| number % 3 == 1).collect();
        assert_eq!(state.tail(1000, &of_path("1.txt")), every_third, "{time}");
        assert_eq!(state.tail(6, &of_path("0.txt")), [24, 27, 30, 33, 36, 39], "{time}");
        assert_eq!(state.tail(1, &of_path("3.txt")), [0; 0], "{time}");
        let by_id = Filter { journal_id: Some("wj_17".to_owned()), ..Filter::default() };
        assert_eq!(state.tail(1, &by_id), [17], "{time}");
        let digest = Digest::of(&4_u64.to_le_bytes());
        // The first digits of a digest stand for it.
        for digits in [64, 63, 17, 16, 15, 12] {
            let sha256 = digest.to_string()[..digits].parse().ok();
            assert!(sha256.is_some());
            let by_digest = Filter { sha256, ..Filter::default() };
            assert_eq!(state.tail(9, &by_digest), [4], "{time}");
        }
        let by_digest = Filter { sha256: Some(digest.into()), ..Filter::default() };
        // All that a filter names counts.
        let other = Filter { path: Some("0.txt".to_owned()), ..by_digest };
        assert_eq!(state.tail(9, &other), [0; 0], "{time}");
        assert!(state.0.path().join("journal/000001.idx").exists());
    }
}

#[test]
fn an_index_that_cannot_be_used_is_made_anew() {
    let expected: Vec<u64> = (0..20).filter(|number| number % 3 == 2).collect();
    let sound = {
        let state = State::new(1);
        state.tail(99, &of_path("2.txt"));
        fs::read(state.0.path().join("journal/000001.idx")).unwrap()
    };
    let flipped = |at: usize| {
        let mut bytes = sound.clone();
        bytes[at] ^= 1;
        bytes
    };
    let of_another = flipped(20);
    // The checksum, a key and an offset.
    let damaged = [40, 56, sound.len() - 1].map(flipped);
    let (header, one_less) = (&sound[..40], &sound[..sound.len() - 16]);
    let broken = [&b""[..], b"rwindex2", header, one_less, &[0; 4096], &of_another];
    for bytes in broken.into_iter().chain(damaged.iter().map(|bytes| &bytes[..])) {
        let state = State::new(1);
        state.add("journal/000001.idx", bytes);
        assert_eq!(state.tail(99, &of_path("2.txt")), expected, "{} bytes", bytes.len());
        assert!(fs::read(state.0.path().join("journal/000001.idx")).unwrap() == sound);
    }
    // A directory in its place is in nobody's way.
    let state = State::new(1);
    fs::create_dir(state.0.path().join("journal/000001.idx")).unwrap();
    assert_eq!(state.tail(99, &of_path("2.txt")), expected);
}

#[test]
fn an_index_that_another_process_makes_is_left_to_it() {
    let state = State::new(1);
    state.add("journal/000001.idx.new0", b"a part");
    for path in ["0.txt", "1.txt"] {
        state.tail(99, &of_path(path));
        assert!(state.0.path().join("journal/000001.idx").exists());
        assert_eq!(fs::read(state.0.path().join("journal/000001.idx.new0")).unwrap(), b"a part");
    }
}

#[test]
fn an_index_of_several_blocks_finds_each_row() {
    let state = State::new(1);
    let lines = (100..1100).map(line).collect::<String>();
    state.add(&closed_name(0), lines.as_bytes());
    for number in [0, 9, 100, 101, 554, 1098, 1099] {
        let by_id = Filter { journal_id: Some(format!("wj_{number}")), ..Filter::default() };
        assert_eq!(state.tail(9, &by_id), [number]);
    }
    let index = fs::read(state.0.path().join("journal/000001.idx")).unwrap();
    assert!(index.len() > 3 * 1010 * 16, "{}", index.len());
    let of_path = state.tail(2000, &of_path("1.txt"));
    assert_eq!(
        of_path.len(),
        (0..10).chain(100..1100).chain(10..20).filter(|n| n % 3 == 1).count()
    );
}

#[test]
fn what_a_killed_process_was_making_goes_when_a_journal_is_closed() {
    let state = State::new(1);
    for file in ["000001.idx.new0", "000001.sum.new15", "000001.idx", "mine.new", "mine.newer"] {
        state.add(&format!("journal/{file}"), b"a part");
    }
    let dir = RealDisk.open_root(&state.0.path().join("journal")).unwrap();
    sweep(&*dir);
    assert_eq!(dir.entries().unwrap(), ["000001.idx", "000001.jsonl", "mine.new", "mine.newer"]);
}

#[test]
fn a_line_that_comes_late_is_found_behind_the_index() {
    let state = State::new(1);
    state.tail(99, &of_path("1.txt"));
    state.add(&closed_name(0), line(100).as_bytes());
    assert_eq!(state.tail(99, &of_path("1.txt")), [1, 4, 7, 100, 10, 13, 16, 19]);
}

#[test]
fn one_journal_of_two_names_is_read_once() {
    let state = State::new(2);
    let expected: Vec<u64> = (0..30).collect();
    let current = state.0.path().join("journal.jsonl");
    let closing = state.0.path().join(closed_name(2));
    fs::hard_link(&current, &closing).unwrap();
    assert_eq!(state.tail(99, &Filter::default()), expected);
    // Copied, these are two files.
    fs::remove_file(&closing).unwrap();
    fs::copy(&current, &closing).unwrap();
    assert_eq!(state.tail(99, &Filter::default()), expected);
    assert_eq!(state.journals().verify().unwrap().rows, 30);
}

#[test]
fn other_names_are_no_journals() {
    let state = State::new(1);
    for name in ["1.jsonl", "0000001.jsonl", "00000x.jsonl", "next.jsonl", "000001.jsonl.bak"] {
        state.add(&format!("journal/{name}"), line(7).as_bytes());
    }
    assert_eq!(state.tail(99, &Filter::default()), (0..20).collect::<Vec<_>>());
}
