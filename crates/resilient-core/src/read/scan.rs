//! A pass over a part of a file, in blocks that begin and end with lines, on several threads where
//! there is enough to do.
//!
//! Blocks are cut where a line begins, near multiples of [`BLOCK`]. Where none does within a reach,
//! the cut goes through a line: no line is ever held whole only because it is long. The work on a
//! block is done on any thread; the results are used in the order of the file.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;

use super::terminator::{self, Unit};
use crate::disk::{File, read_up_to};

/// About how much is worked on at a time: what a core keeps close to itself.
pub(super) const BLOCK: u64 = 256 << 10;

/// How far behind a multiple of [`BLOCK`] a line's beginning is looked for.
const REACH: usize = 32 << 10;

/// From how much on it pays to start threads.
const PARALLEL_MIN: u64 = 4 * BLOCK;

/// More threads than this read no faster.
const THREADS_MAX: usize = 8;

/// A part of a file, as it is.
#[derive(Debug)]
pub(super) struct Block<'a> {
    /// Where it begins in the file.
    pub(super) start: u64,
    /// How long it is.
    pub(super) len: usize,
    /// Its bytes; and where a line is cut, some of what follows, for what begins here and ends there.
    pub(super) with_beyond: &'a [u8],
    /// Whether its last line goes on.
    pub(super) is_cut: bool,
}

impl<'a> Block<'a> {
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.with_beyond.get(..self.len).unwrap_or(self.with_beyond)
    }

    /// Where the next block begins.
    pub(super) fn end(&self) -> u64 {
        self.start + self.len as u64
    }
}

/// What is passed over: `start` is the beginning of a line, or the whole pass begins inside one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span<'a> {
    pub(super) file: &'a dyn File,
    pub(super) unit: Unit,
    pub(super) start: u64,
    pub(super) end: u64,
}

/// Works on every block of a span and takes the results in order, until told to stop.
///
/// # Errors
/// The device failed.
pub(super) fn scan<R: Send>(
    span: Span<'_>,
    work: impl Fn(Block<'_>) -> R + Sync,
    mut take: impl FnMut(R) -> ControlFlow<()>,
) -> io::Result<()> {
    let blocks = span.end.saturating_sub(span.start).div_ceil(BLOCK);
    let mut buffer = Vec::new();
    // The first block is worked on at once: most passes that end early end here.
    let alone = if blocks * BLOCK >= PARALLEL_MIN { 1 } else { blocks };
    for number in 0..alone {
        let result = span.with_block(number, &mut buffer, &work)?;
        if take(result).is_break() {
            return Ok(());
        }
    }
    if alone < blocks { scan_side_by_side(span, alone, blocks, &work, take) } else { Ok(()) }
}

fn scan_side_by_side<R: Send>(
    span: Span<'_>,
    first: u64,
    blocks: u64,
    work: &(impl Fn(Block<'_>) -> R + Sync),
    mut take: impl FnMut(R) -> ControlFlow<()>,
) -> io::Result<()> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
    let (next, stop) = (AtomicU64::new(first), AtomicBool::new(false));
    // A block is not begun before there is room for its result: nobody runs far ahead.
    let (results, taken) = mpsc::sync_channel(2 * threads);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (results, next, stop) = (results.clone(), &next, &stop);
            scope.spawn(move || {
                let mut buffer = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= blocks {
                        return;
                    }
                    let result = span.with_block(number, &mut buffer, work);
                    if results.send((number, result)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(results);
        let mut early = BTreeMap::new();
        let mut due = first;
        while let Ok((number, result)) = taken.recv() {
            early.insert(number, result);
            while let Some(result) = early.remove(&due) {
                due += 1;
                let flow = result.map(&mut take);
                if !matches!(flow, Ok(ControlFlow::Continue(()))) {
                    stop.store(true, Ordering::Relaxed);
                    // A thread that has a result left finds nobody to take it.
                    drop(taken);
                    return flow.map(|_| ());
                }
            }
        }
        Ok(())
    })
}

impl Span<'_> {
    /// Reads one block and works on it.
    fn with_block<R>(
        self,
        number: u64,
        buffer: &mut Vec<u8>,
        work: impl Fn(Block<'_>) -> R,
    ) -> io::Result<R> {
        let (raw_start, raw_end) = (self.raw_cut(number), self.raw_cut(number + 1));
        // One unit in front of each cut and the reach behind it decide where the cut falls.
        let margin = self.unit.len().min(raw_start - self.start);
        let from = raw_start - margin;
        let want = usize::try_from(raw_end - from).map_err(io::Error::other)? + REACH;
        let want = want.min(usize::try_from(self.end - from).map_err(io::Error::other)?);
        if buffer.len() < want {
            buffer.resize(want, 0);
        }
        let room = buffer.get_mut(..want).unwrap_or_default();
        let read = read_up_to(self.file, room, from)?;
        let bytes = buffer.get(..read).unwrap_or_default();
        let ends_here = from + read as u64 >= self.end;
        let margin = usize::try_from(margin).map_err(io::Error::other)?;
        let start = if number == 0 { 0 } else { self.cut(bytes, margin, ends_here).0 };
        let raw_end = usize::try_from(raw_end - from).map_err(io::Error::other)?;
        let (end, is_cut) = if raw_end >= bytes.len() && ends_here {
            (bytes.len(), false)
        } else {
            self.cut(bytes, raw_end.min(bytes.len()), ends_here)
        };
        let (start, end) = (start.min(end), end.min(bytes.len()));
        let beyond = if is_cut { bytes.len() } else { end };
        Ok(work(Block {
            start: from + start as u64,
            len: end - start,
            with_beyond: bytes.get(start..beyond).unwrap_or_default(),
            is_cut,
        }))
    }

    /// Where a block would begin if lines did not matter: a multiple of the least character.
    fn raw_cut(self, number: u64) -> u64 {
        (self.start + number * BLOCK).min(self.end)
    }

    /// The first beginning of a line at or behind `at`, within the reach; otherwise `at` itself, and
    /// that a line is cut there. The same for both blocks that meet here.
    fn cut(self, bytes: &[u8], at: usize, ends_here: bool) -> (usize, bool) {
        let before = at.saturating_sub(self.unit.len() as usize);
        let reach = bytes.get(before..bytes.len().min(at + REACH)).unwrap_or_default();
        let is_last = ends_here && before + reach.len() == bytes.len();
        match terminator::find(reach, self.unit, is_last) {
            Some(found) => (before + found.end, false),
            None if is_last => (bytes.len(), false),
            None => {
                // Behind such a byte no encoding of single bytes is inside a character.
                let here = bytes.get(at..bytes.len().min(at + REACH)).unwrap_or_default();
                let soft = |byte: &u8| *byte < 0x30;
                let found = here.iter().position(soft).filter(|_| self.unit == Unit::Byte);
                (found.map_or(at, |found| at + found + 1), true)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::{Access, Disk, RealDisk};
    use std::ffi::OsStr;

    fn pieces(content: &[u8], unit: Unit) -> (Vec<u8>, Vec<(u64, bool)>) {
        let dir = tempfile::tempdir().unwrap();
        let root = RealDisk.open_root(dir.path()).unwrap();
        let file = root.create_new(OsStr::new("f"), Access::Default).unwrap();
        file.write_all_at(content, 0).unwrap();
        let span = Span { file: &*file, unit, start: 0, end: content.len() as u64 };
        let (mut all, mut starts) = (Vec::new(), Vec::new());
        scan(
            span,
            |block| (block.start, block.bytes().to_vec(), block.is_cut),
            |(start, bytes, is_cut)| {
                assert_eq!(start, all.len() as u64, "no gap and no overlap");
                all.extend(bytes);
                starts.push((start, is_cut));
                ControlFlow::Continue(())
            },
        )
        .unwrap();
        (all, starts)
    }

    #[test]
    fn blocks_are_the_file_and_begin_with_lines() {
        let lines: Vec<u8> =
            (0..200_000).flat_map(|n| format!("line {n}\r\n").into_bytes()).collect();
        let (all, starts) = pieces(&lines, Unit::Byte);
        assert_eq!(all, lines);
        assert!(starts.len() > 8, "more than one thread has worked");
        for (start, is_cut) in starts {
            assert!(!is_cut);
            assert!(start == 0 || lines[start as usize - 2..start as usize] == *b"\r\n");
        }
    }

    #[test]
    fn a_line_longer_than_any_block_is_cut() {
        let mut content = vec![b'x'; 5 << 20];
        content.extend(b"\nshort\n");
        let (all, starts) = pieces(&content, Unit::Byte);
        assert_eq!(all, content);
        assert!(starts.iter().filter(|(_, is_cut)| *is_cut).count() > 15);
    }

    #[test]
    fn terminators_at_every_place_of_a_cut_are_whole() {
        for shift in 0..6 {
            for terminator in ["\n", "\r", "\r\n"] {
                let line = "x".repeat(BLOCK as usize - 3 + shift);
                let content = format!("{line}{terminator}{line}{terminator}{line}").into_bytes();
                let (all, starts) = pieces(&content, Unit::Byte);
                assert_eq!(all, content);
                let inside = |at: u64| {
                    at > 0
                        && content[at as usize - 1] == b'\r'
                        && content.get(at as usize) == Some(&b'\n')
                };
                assert!(starts.iter().all(|(at, _)| !inside(*at)), "{shift} {terminator:?}");
            }
        }
    }
}
