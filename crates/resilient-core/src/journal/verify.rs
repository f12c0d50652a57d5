//! The walk along the journal's chain.

use std::io;

use serde::Serialize;

use super::{LineOf, Row, each_line};
use crate::disk::File;

/// What a walk along the journal's chain found; see [`crate::Workspace::verify_journal`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// How many rows were read.
    pub rows: u64,
    /// How many of them are chained; rows of the Python server are not.
    pub chained: u64,
    /// Where the chain does not hold, in the order of the lines.
    pub breaks: Vec<Break>,
}

/// A line of the journal that is not as it was written, or does not follow the one before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Break {
    /// The line's number, from 1.
    pub line: u64,
    /// Whose row it is, where that can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal_id: Option<String>,
    /// `unreadable` or `chain_mismatch`.
    pub reason: &'static str,
}

/// Walks the chain of a journal.
///
/// A row is held against the row before it. After a line that cannot be read there is nothing to
/// hold the next row against; it counts as following, and the damage is reported once.
pub(crate) fn verify(journal: &dyn File) -> io::Result<Verification> {
    let mut walk = Walk::default();
    each_line(journal, u64::MAX, |line| walk.see(&line))?;
    Ok(walk.found)
}

/// A walk along the chain.
#[derive(Default)]
struct Walk {
    found: Verification,
    /// The number of the last line.
    number: u64,
    /// The chain value of the last row.
    previous: Option<String>,
    after_damage: bool,
}

impl Walk {
    fn see(&mut self, line: &LineOf<'_>) {
        self.number += 1;
        let Some(row) = Row::parse(line.text) else {
            if !line.may_be_no_row() {
                self.break_at(None, "unreadable");
                self.after_damage = true;
            }
            return;
        };
        self.found.rows += 1;
        if row.chain.is_some() {
            self.found.chained += 1;
            // The chain covers the fields that a row has; whatever else is in the line is foreign.
            let as_written = serde_json::to_vec(&row).is_ok_and(|text| text == line.text);
            let follows = self.after_damage || row.follows(self.previous.as_deref());
            if !(as_written && follows) {
                self.break_at(Some(row.journal_id), "chain_mismatch");
            }
        }
        self.previous = row.chain;
        self.after_damage = false;
    }

    fn break_at(&mut self, journal_id: Option<String>, reason: &'static str) {
        self.found.breaks.push(Break { line: self.number, journal_id, reason });
    }
}

#[cfg(test)]
mod tests {
    use super::super::with_file;
    use super::super::{Digest, Mode};
    use super::*;

    fn verified(text: &[u8]) -> Verification {
        with_file(text, |file| verify(file).unwrap())
    }

    /// The lines of a journal of `count` chained rows.
    fn chained_lines(count: u64) -> Vec<String> {
        let mut previous = None;
        (1..=count)
            .map(|seq| {
                let mut row = Row {
                    abs_path: None,
                    also: Vec::new(),
                    at: None,
                    batch: Some(seq),
                    bytes: seq,
                    caller: "test".to_owned(),
                    chain: None,
                    gone: Vec::new(),
                    journal_id: format!("wj_{seq}"),
                    line: None,
                    mode: Mode::Create,
                    path: format!("{seq}.txt"),
                    prev_sha256: None,
                    sectors: None,
                    seq: Some(seq),
                    sha256: Digest::of(&seq.to_le_bytes()),
                    staged: None,
                    undo: None,
                    ts: "2026-11-21T10:00:00Z".to_owned(),
                };
                let line = row.chained(previous.as_deref()).unwrap();
                previous = row.chain;
                String::from_utf8(line).unwrap()
            })
            .collect()
    }

    fn breaks(lines: &[String]) -> Vec<(u64, &'static str)> {
        let found = verified(lines.concat().as_bytes());
        found.breaks.into_iter().map(|broken| (broken.line, broken.reason)).collect()
    }

    #[test]
    fn a_journal_as_it_was_written_has_no_break() {
        let lines = chained_lines(4);
        let found = verified(lines.concat().as_bytes());
        assert_eq!(found, Verification { rows: 4, chained: 4, breaks: Vec::new() });
        assert_eq!(verified(b""), Verification::default());
    }

    #[test]
    fn a_changed_row_is_noticed_and_only_it() {
        let mut lines = chained_lines(4);
        lines[1] = lines[1].replace("2.txt", "9.txt");
        assert_eq!(breaks(&lines), [(2, "chain_mismatch")]);
        let mut lines = chained_lines(4);
        lines[1] = lines[1].replace("{\"batch\"", "{\"added\":1,\"batch\"");
        assert_eq!(breaks(&lines), [(2, "chain_mismatch")]);
    }

    #[test]
    fn a_row_that_was_taken_out_or_moved_is_noticed() {
        let mut lines = chained_lines(4);
        lines.remove(1);
        assert_eq!(breaks(&lines), [(2, "chain_mismatch")]);
        let mut lines = chained_lines(4);
        lines.swap(1, 2);
        assert_eq!(
            breaks(&lines),
            [(2, "chain_mismatch"), (3, "chain_mismatch"), (4, "chain_mismatch")]
        );
    }

    #[test]
    fn damage_is_reported_once_and_a_torn_end_is_none() {
        let mut lines = chained_lines(3);
        lines[1] = "garbage\n".to_owned();
        lines.push("{\"torn".to_owned());
        assert_eq!(breaks(&lines), [(2, "unreadable")]);
    }

    #[test]
    fn rows_without_a_chain_follow_anything() {
        let foreign = format!(
            concat!(
                r#"{{"bytes":1,"caller":"x","journal_id":"wj_0","mode":"create","path":"a","#,
                r#""sha256":"{}","ts":"2026-11-21T10:00:00Z"}}"#,
                "\n"
            ),
            Digest::of(b"a")
        );
        let mut lines = vec![foreign];
        lines.extend(chained_lines(2));
        let found = verified(lines.concat().as_bytes());
        assert_eq!(found, Verification { rows: 3, chained: 2, breaks: Vec::new() });
    }
}
