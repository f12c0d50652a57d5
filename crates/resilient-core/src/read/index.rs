//! Where lines are: a sparse index of a file version, and the few versions that are remembered.
//!
//! An index grows as far as somebody has looked, at the price of looking; a later question begins
//! at the nearest mark. It belongs to one version of a file, which is identified by everything that
//! the system reports, its inode and the time of its last change of any kind included.

use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use super::scan::{Span, scan};
use super::terminator::{self, Unit};
use super::trail::Paths;
use super::walk::{Mark, Walk};
use crate::disk::{File, Stat, read_up_to};

/// How many file versions are remembered.
const VERSIONS: usize = 8;

/// How many marks a file has at most; in a larger file they are farther apart.
const MARKS_MAX: u64 = 16 << 10;

/// What is known of a file's lines.
#[derive(Clone, Debug)]
struct Known {
    /// Ascending, the first at the beginning.
    marks: Vec<Mark>,
    /// How far the file was looked at.
    upto: Mark,
    /// At the end of the file: its number of lines.
    total: Option<u64>,
}

/// The index of one version.
#[derive(Debug)]
pub(super) struct Index {
    len: u64,
    unit: Unit,
    known: Mutex<Known>,
}

/// What is remembered from read to read: versions, the longest unused first, and paths.
#[derive(Debug, Default)]
pub(crate) struct Indexes {
    held: Mutex<VecDeque<(Stat, Arc<Index>)>>,
    /// The files of the last cursors.
    pub(super) paths: Paths,
}

impl Indexes {
    /// The index of a version; remembered unless the version may still change without a trace.
    pub(super) fn of(&self, stat: &Stat, unit: Unit, is_settled: bool) -> Arc<Index> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let place = held.iter().position(|(of, index)| of == stat && index.unit == unit);
        let index = match place.and_then(|place| held.remove(place)) {
            Some((_, index)) => index,
            None => Arc::new(Index::new(stat.len, unit)),
        };
        if is_settled {
            held.retain(|(of, _)| of.id != stat.id || of == stat);
            if held.len() == VERSIONS {
                held.pop_front();
            }
            held.push_back((*stat, Arc::clone(&index)));
        }
        index
    }
}

impl Index {
    fn new(len: u64, unit: Unit) -> Self {
        let known = Known { marks: vec![Mark::default()], upto: Mark::default(), total: None };
        Self { len, unit, known: Mutex::new(known) }
    }

    /// The nearest mark at or before a line, counted from 1.
    fn before(&self, line: u64) -> Mark {
        let known = self.lock();
        let at = known.marks.partition_point(|mark| mark.lines < line);
        at.checked_sub(1).and_then(|at| known.marks.get(at)).copied().unwrap_or_default()
    }

    /// A walk that begins at a line, counted from 1; at the end of the file where there are fewer.
    ///
    /// # Errors
    /// The device failed.
    pub(super) fn lines_from<'a>(&self, file: &'a dyn File, line: u64) -> io::Result<Walk<'a>> {
        if self.upto().lines + 1 < line {
            self.look(file, |upto| upto.lines + 1 < line)?;
        }
        let mark = self.before(line);
        let mut lines = Walk::new(file, self.unit, mark, self.len);
        lines.skip(line.saturating_sub(1).saturating_sub(mark.lines))?;
        Ok(lines)
    }

    /// How many lines the file has; what follows the last terminator is one.
    ///
    /// # Errors
    /// The device failed.
    pub(super) fn total(&self, file: &dyn File) -> io::Result<u64> {
        if let Some(total) = self.lock().total {
            return Ok(total);
        }
        self.look(file, |_| true)?;
        let ended = self.upto().lines;
        let total = if self.ends_with_line(file)? { ended } else { ended + 1 };
        self.lock().total = Some(total);
        Ok(total)
    }

    /// A walk over the last `count` lines of `total`, found from the end of the file where that is
    /// soon.
    ///
    /// # Errors
    /// The device failed.
    pub(super) fn last_lines<'a>(
        &self,
        file: &'a dyn File,
        count: u64,
        total: u64,
    ) -> io::Result<Walk<'a>> {
        const PIECE: u64 = 64 << 10;
        let first = total.saturating_sub(count) + 1;
        let begin = self.len.saturating_sub(PIECE);
        if self.unit == Unit::Byte && begin > 0 {
            let mut piece = vec![0; PIECE as usize];
            let read = read_up_to(file, &mut piece, begin)?;
            piece.truncate(read);
            // A terminator at the very end begins no line; one that is cut in front is not counted.
            let skip = u64::from(self.ends_with_line(file)?);
            let mut ends = terminator::ends_before(&piece);
            if let Some(at) = ends.nth(super::count_in(count - 1 + skip)) {
                let mark = Mark { offset: begin + at as u64, lines: first - 1 };
                return Ok(Walk::new(file, self.unit, mark, self.len));
            }
        }
        self.lines_from(file, first)
    }

    /// Whether nothing follows the last terminator.
    fn ends_with_line(&self, file: &dyn File) -> io::Result<bool> {
        let Some(at) = self.len.checked_sub(self.unit.len()) else { return Ok(self.len == 0) };
        let mut last = [0; 2];
        let last = last.get_mut(..self.unit.len() as usize).unwrap_or_default();
        read_up_to(file, last, at)?;
        Ok(terminator::find(last, self.unit, true).is_some())
    }

    /// Takes note of what a pass found that began `at` where the index ends: a line begins at `end`
    /// unless one `is_cut` there.
    pub(super) fn note(&self, at: Mark, end: Mark, is_cut: bool) {
        let mut known = self.lock();
        if known.upto != at {
            return;
        }
        known.upto = end;
        let spacing = self.len / MARKS_MAX;
        let last = known.marks.last().map_or(0, |mark| mark.offset);
        if !is_cut && end.offset < self.len && end.offset - last > spacing {
            known.marks.push(end);
        }
    }

    /// How far the file was looked at.
    pub(super) fn upto(&self) -> Mark {
        self.lock().upto
    }

    /// Looks at more of the file while there is a reason to.
    fn look(&self, file: &dyn File, goes_on: impl Fn(Mark) -> bool) -> io::Result<()> {
        let mut at = self.upto();
        let span = Span { file, unit: self.unit, start: at.offset, end: self.len };
        scan(
            span,
            |block| (block.end(), terminator::count(block.bytes(), self.unit), block.is_cut),
            |(end, lines, is_cut)| {
                let to = Mark { offset: end, lines: at.lines + lines };
                self.note(at, to, is_cut);
                at = to;
                if goes_on(at) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            },
        )
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::{Access, Disk, FileBox, RealDisk};
    use std::ffi::OsStr;

    fn file_of(content: &[u8]) -> (tempfile::TempDir, FileBox, Index) {
        let dir = tempfile::tempdir().unwrap();
        let root = RealDisk.open_root(dir.path()).unwrap();
        let file = root.create_new(OsStr::new("f"), Access::Default).unwrap();
        file.write_all_at(content, 0).unwrap();
        let index = Index::new(content.len() as u64, Unit::Byte);
        (dir, file, index)
    }

    fn text_at(index: &Index, file: &FileBox, line: u64) -> Option<(u64, String)> {
        let found = index.lines_from(&**file, line).unwrap().next(100).unwrap()?;
        Some((found.number, String::from_utf8(found.text).unwrap()))
    }

    #[test]
    fn every_line_is_found_from_cold_and_from_warm() {
        let count = 300_000;
        let text: String = (1..=count).map(|n| format!("number {n}\n")).collect();
        for line in [1, 2, 150_000, count, 17] {
            let (_dir, file, cold) = file_of(text.as_bytes());
            assert_eq!(text_at(&cold, &file, line), Some((line, format!("number {line}"))));
        }
        let (_dir, file, index) = file_of(text.as_bytes());
        assert_eq!(text_at(&index, &file, count + 1), None);
        for line in [count, 1, 299_999, 150_000] {
            assert_eq!(text_at(&index, &file, line), Some((line, format!("number {line}"))));
        }
        assert_eq!(index.total(&*file).unwrap(), count);
        assert!(index.lock().marks.len() > 10);
    }

    #[test]
    fn what_follows_the_last_terminator_is_a_line() {
        for (text, total) in
            [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n", 1), ("a\r\nb\r", 2), ("\r\r", 2)]
        {
            let (_dir, file, index) = file_of(text.as_bytes());
            assert_eq!(index.total(&*file).unwrap(), total, "{text:?}");
            assert_eq!(text_at(&index, &file, total + 1), None, "{text:?}");
            assert_eq!(text_at(&index, &file, total).is_some(), total > 0, "{text:?}");
        }
    }

    #[test]
    fn few_versions_are_remembered_and_none_that_may_still_change() {
        let (_dir, file, _) = file_of(b"a\n");
        let stat = file.stat().unwrap();
        let indexes = Indexes::default();
        let fresh = indexes.of(&stat, Unit::Byte, false);
        assert!(!Arc::ptr_eq(&fresh, &indexes.of(&stat, Unit::Byte, true)));
        let kept = indexes.of(&stat, Unit::Byte, true);
        assert!(Arc::ptr_eq(&kept, &indexes.of(&stat, Unit::Byte, true)));
        let touched = Stat { ctime_ns: stat.ctime_ns + 1, ..stat };
        assert!(!Arc::ptr_eq(&kept, &indexes.of(&touched, Unit::Byte, true)));
        for inode in 0..20 {
            let id = crate::disk::FileId { inode, ..stat.id };
            indexes.of(&Stat { id, ..stat }, Unit::Byte, true);
        }
        assert_eq!(indexes.held.lock().unwrap().len(), VERSIONS);
    }
}
