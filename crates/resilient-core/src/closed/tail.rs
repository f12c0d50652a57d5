//! The newest rows of all journals.

use std::io;

use memchr::memmem;

use super::index::{Key, Lines, row_at};
use super::{Journals, Name, Opened};
use crate::journal::{Filter, ReverseLines, Row, Tail};

/// Reads the last `n` rows that pass the filter. Costs what these rows cost, not the journals: a closed journal
/// is looked up in its index where the filter names a path, an identity or a digest.
pub(crate) fn tail(journals: &Journals, n: usize, filter: &Filter) -> io::Result<Tail> {
    let mut reading = Reading { tail: Tail::default(), n, filter };
    reading.scan(&journals.current(), 0)?;
    for name in journals.closed.iter().rev() {
        if reading.is_full() {
            break;
        }
        let Some(journal) = journals.open(name)? else { continue };
        match keys(filter).as_slice() {
            [] => reading.scan(&journal, 0)?,
            keys => reading.look_up(journals, name, &journal, keys)?,
        }
    }
    reading.tail.entries.reverse();
    Ok(reading.tail)
}

/// Looks at the rows whose lines hold a text, newest first, until one of them gives an answer. Only the newest `among`
/// lines are read.
pub(crate) fn newest_with<T>(
    journals: &Journals,
    text: &str,
    among: usize,
    mut look: impl FnMut(Row) -> Option<T>,
) -> io::Result<Option<T>> {
    let mut left = among;
    let mut find = |journal: &Opened| -> io::Result<Option<T>> {
        for line in ReverseLines::new(journal.file(), journal.len).take(left) {
            let line = line?;
            left -= 1;
            // Most lines do not hold it, and are not parsed.
            if memmem::find(&line.text, text.as_bytes()).is_none() {
                continue;
            }
            if let Some(found) = Row::parse(&line.text).and_then(&mut look) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    };
    if let Some(found) = find(&journals.current())? {
        return Ok(Some(found));
    }
    for name in journals.closed.iter().rev() {
        let Some(journal) = journals.open(name)? else { continue };
        if let Some(found) = find(&journal)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// What a filter can be looked up by: the rarest that it has. A row has one of these.
fn keys(filter: &Filter) -> Vec<Key<'_>> {
    let id = filter.journal_id.as_deref().map(Key::JournalId);
    let digest = filter.sha256.as_ref().map(Key::Sha256);
    match id.or(digest) {
        Some(key) => vec![key],
        // The index has paths as rows have them.
        None if filter.any_case => Vec::new(),
        None => {
            let paths = filter.path.iter().chain(&filter.old_path);
            paths.map(|path| Key::Path(path)).collect()
        }
    }
}

struct Reading<'a> {
    /// Newest first, as it is read.
    tail: Tail,
    n: usize,
    filter: &'a Filter,
}

impl Reading<'_> {
    fn is_full(&self) -> bool {
        self.tail.entries.len() >= self.n
    }

    /// Takes a row if it is looked for.
    fn see(&mut self, row: Row) {
        if self.filter.lets_pass(&row) {
            self.tail.entries.push(row.into());
        }
    }

    /// Reads a journal backwards, from its end to an offset.
    fn scan(&mut self, journal: &Opened, from: u64) -> io::Result<()> {
        let mut newest = true;
        for line in ReverseLines::new(journal.file(), journal.len) {
            if self.is_full() {
                break;
            }
            let line = line?;
            if line.offset < from {
                break;
            }
            let torn = std::mem::take(&mut newest) && !line.ended;
            match Row::parse(&line.text) {
                Some(row) => self.see(row),
                // A torn end and an empty line are no damage.
                None if torn || line.text.iter().all(u8::is_ascii_whitespace) => {}
                None => self.tail.damaged_lines += 1,
            }
        }
        Ok(())
    }

    fn look_up(
        &mut self,
        journals: &Journals,
        name: &Name,
        journal: &Opened,
        keys: &[Key<'_>],
    ) -> io::Result<()> {
        let (mut covered, mut offsets) = (journal.len, Vec::new());
        for key in keys {
            let lines = Lines::of(journals, name, journal, *key)?;
            covered = covered.min(lines.covers);
            offsets.extend(lines.offsets);
        }
        // Lines that came late.
        self.scan(journal, covered)?;
        offsets.retain(|offset| *offset < covered);
        offsets.sort_unstable_by_key(|offset| std::cmp::Reverse(*offset));
        offsets.dedup();
        for offset in offsets {
            if self.is_full() {
                break;
            }
            if let Some(row) = row_at(journal.file(), offset, journal.len)? {
                self.see(row);
            }
        }
        Ok(())
    }
}
