//! The walk along the journal's chain.

use std::io;

use serde::Serialize;

use super::chain::{Chain, Tie};
use super::{LineOf, Row, each_line};
use crate::disk::File;

/// What a walk along the journal's chain found; see [`crate::Workspace::verify_journal`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// How many rows were read.
    pub rows: u64,
    /// How many of them are chained; rows of the Python server are covered by the next one that is.
    pub chained: u64,
    /// Where the chain does not hold, in the order of the lines.
    pub breaks: Vec<Break>,
    /// By how many bytes the journal is shorter than its last writer left it: rows were taken off its end.
    pub missing_bytes: u64,
}

/// A line of the journal that is not as it was written, or does not follow the one before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Break {
    /// The closed journal that it is in; absent for the current one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal: Option<String>,
    /// The line's number, from 1.
    pub line: u64,
    /// Whose row it is, where that can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journal_id: Option<String>,
    /// `unreadable` or `chain_mismatch`.
    pub reason: &'static str,
}

/// A walk along the chain, from journal to journal.
///
/// After a line that cannot be read there is nothing to hold the next row against; it counts as
/// following, and the damage is reported once.
#[derive(Default)]
pub(crate) struct ChainWalk {
    found: Verification,
    /// The name of the journal, for one that was closed.
    journal: Option<String>,
    /// The number of the last line in it.
    number: u64,
    chain: Chain,
    /// The last chain value.
    value: Option<String>,
    after_damage: bool,
}

impl ChainWalk {
    /// Walks on along the first `len` bytes of the next journal: a closed one has a name.
    pub(crate) fn go_on(
        &mut self,
        journal: &dyn File,
        len: u64,
        name: Option<String>,
    ) -> io::Result<()> {
        // What others wrote behind the last row of a closed journal is not covered.
        self.chain = Chain::behind(self.value.as_deref());
        (self.journal, self.number) = (name, 0);
        each_line(journal, len, |line| self.see(&line))
    }

    /// What was found.
    pub(crate) fn finish(self) -> Verification {
        self.found
    }

    fn see(&mut self, line: &LineOf<'_>) {
        self.number += 1;
        let Some(row) = Row::parse(line.text) else {
            if !line.may_be_no_row() || Row::len_in(line.text).is_some() {
                self.break_at(None, "unreadable");
                self.after_damage = true;
            }
            self.chain.pass(line.text);
            self.chain.pass(b"\n");
            return;
        };
        self.found.rows += 1;
        let tie = self.chain.see(line.text);
        self.found.chained += u64::from(tie != Tie::Loose);
        // A value that is not at its place: something was put behind it, so that it ties the row to nothing.
        let is_untied = tie == Tie::Loose && row.chain.is_some();
        if is_untied || tie == Tie::Broken && !self.after_damage {
            self.break_at(Some(row.journal_id.clone()), "chain_mismatch");
        }
        self.after_damage |= is_untied;
        if tie != Tie::Loose {
            self.after_damage = false;
            self.value = row.chain;
        }
    }

    fn break_at(&mut self, journal_id: Option<String>, reason: &'static str) {
        let (journal, line) = (self.journal.clone(), self.number);
        self.found.breaks.push(Break { journal, line, journal_id, reason });
    }
}

#[cfg(test)]
mod tests {
    use super::super::{End, RowWriter, find_end, with_file};
    use super::*;
    use crate::digest::Digest;

    fn verified(text: &[u8]) -> Verification {
        let mut walk = ChainWalk::default();
        with_file(text, |file| walk.go_on(file, u64::MAX, None)).unwrap();
        walk.finish()
    }

    /// A row as the Python server writes it.
    fn foreign(name: &str) -> String {
        let sha256 = Digest::of(b"a");
        let row = format!(
            "{{\"bytes\":1,\"caller\":\"x\",\"journal_id\":\"wj_{name}\",\"mode\":\"create\",\
             \"path\":\"{name}\",\"sha256\":\"{sha256}\",\"ts\":\"2026-11-21T10:00:00Z\"}}"
        );
        row + "\n"
    }

    /// The lines of a journal of `count` chained rows, behind lines of others.
    fn lines_behind(others: &[String], count: u64) -> Vec<String> {
        let mut rows =
            with_file(b"", |file| RowWriter::behind(file, &End::default(), 7, String::new()))
                .unwrap();
        rows.others(others.concat().as_bytes());
        for bytes in 1..=count {
            let row =
                foreign(&bytes.to_string()).replace("\"bytes\":1,", &format!("\"bytes\":{bytes},"));
            rows.row(&Row::parse(row.as_bytes()).unwrap()).unwrap();
        }
        let text = String::from_utf8(rows.finish().0).unwrap();
        text.split_inclusive('\n').map(str::to_owned).collect()
    }

    fn chained_lines(count: u64) -> Vec<String> {
        lines_behind(&[], count)
    }

    /// Two rows as version 0.4.0 wrote them.
    fn old_lines() -> Vec<String> {
        let mut before = String::new();
        let mut lines = Vec::new();
        for name in ["1", "2"] {
            let bare = foreign(name).replacen("{\"bytes\"", "{\"batch\":1,\"bytes\"", 1);
            let value = Digest::of(format!("{before}{}", bare.trim_end()).as_bytes()).short();
            lines.push(bare.replacen(
                "\"journal_id\"",
                &format!("\"chain\":\"{value}\",\"journal_id\""),
                1,
            ));
            before = value;
        }
        lines
    }

    fn breaks(lines: &[String]) -> Vec<(u64, &'static str)> {
        let found = verified(lines.concat().as_bytes());
        found.breaks.into_iter().map(|broken| (broken.line, broken.reason)).collect()
    }

    #[test]
    fn a_journal_as_it_was_written_has_no_break() {
        let lines = chained_lines(4);
        let found = verified(lines.concat().as_bytes());
        assert_eq!(
            found,
            Verification { rows: 4, chained: 4, breaks: Vec::new(), missing_bytes: 0 }
        );
        assert_eq!(verified(b""), Verification::default());
    }

    #[test]
    fn a_changed_row_is_noticed_and_only_it() {
        let mut lines = chained_lines(4);
        lines[1] = lines[1].replace("wj_2", "wj_9");
        assert_eq!(breaks(&lines), [(2, "chain_mismatch")]);
        let mut lines = chained_lines(4);
        lines[1] = lines[1].replacen('{', "{\"added\":1,", 1);
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
    fn a_row_with_something_behind_it_is_not_taken_as_intact() {
        let behind = [" ", "\r", "garbage", " {\"torn", "\u{0}"];
        for (at, more) in (0..3).flat_map(|at| behind.map(|more| (at, more))) {
            let mut lines = chained_lines(3);
            lines[at] = lines[at].replace('\n', &format!("{more}\n"));
            let reason = if more.trim().is_empty() { "chain_mismatch" } else { "unreadable" };
            assert_eq!(breaks(&lines), [(at as u64 + 1, reason)], "{more:?}");
        }
        // The last line may lack its end, but not hold more than its row.
        let mut lines = chained_lines(3);
        lines[2].pop();
        assert_eq!(breaks(&lines), []);
        lines[2].push_str("garbage");
        assert_eq!(breaks(&lines), [(3, "unreadable")]);
        // A field behind the value.
        let mut lines = chained_lines(3);
        lines[2] = lines[2].replace("\"}\n", "\",\"x\":1}\n");
        assert_eq!(breaks(&lines), [(3, "chain_mismatch")]);
    }

    #[test]
    fn the_next_row_covers_lines_of_others() {
        let others = [foreign("x"), "no row\n".to_owned(), "\n".to_owned()];
        let mut lines = lines_behind(&others, 2);
        assert_eq!(breaks(&lines), [(2, "unreadable")]);
        lines[0] = foreign("y");
        assert_eq!(breaks(&lines), [(2, "unreadable")], "damage in front of it was told");
        let mut lines = lines_behind(&[foreign("x")], 2);
        let found = verified(lines.concat().as_bytes());
        assert_eq!(
            found,
            Verification { rows: 3, chained: 2, breaks: Vec::new(), missing_bytes: 0 }
        );
        lines.remove(0);
        assert_eq!(breaks(&lines), [(1, "chain_mismatch")]);
    }

    #[test]
    fn rows_of_format_1_are_verified_by_its_rule() {
        let mut lines = old_lines();
        let found = verified(lines.concat().as_bytes());
        assert_eq!(
            found,
            Verification { rows: 2, chained: 2, breaks: Vec::new(), missing_bytes: 0 }
        );
        lines[0] = lines[0].replace("wj_1", "wj_9");
        assert_eq!(breaks(&lines), [(1, "chain_mismatch")]);
        lines.remove(0);
        assert_eq!(breaks(&lines), [(1, "chain_mismatch")]);
        // A new row goes on behind them.
        let old = old_lines().concat();
        let new = with_file(old.as_bytes(), |file| {
            let end = find_end(file, old.len() as u64).unwrap();
            assert_eq!(end, None, "no number");
            let value = chain_value(&old);
            let end = End {
                len: old.len() as u64,
                covered: old.len() as u64,
                chain: Some(value),
                ..End::default()
            };
            let mut rows = RowWriter::behind(file, &end, 7, String::new()).unwrap();
            rows.row(&Row::parse(foreign("3").trim_end().as_bytes()).unwrap()).unwrap();
            rows.finish().0
        });
        let found = verified(&[old.as_bytes(), &new].concat());
        assert_eq!(
            found,
            Verification { rows: 3, chained: 3, breaks: Vec::new(), missing_bytes: 0 }
        );
    }

    /// The chain value of a journal's last line.
    fn chain_value(journal: &str) -> String {
        let last = journal.lines().next_back().unwrap();
        Row::parse(last.as_bytes()).unwrap().chain.unwrap()
    }
}
