//! Reading a journal from its beginning to its end, in blocks.

use std::io;

use crate::disk::{File, read_up_to};

/// The length of a read. A longer line makes the reads longer.
const BLOCK: usize = 256 * 1024;

/// A line that is passed from the beginning to the end.
#[derive(Debug)]
pub(crate) struct LineOf<'a> {
    /// Without the end.
    pub(crate) text: &'a [u8],
    /// Whether the line has its end. Only the last one may have none; it is empty in a journal
    /// that ends with a whole line.
    pub(crate) ended: bool,
}

impl LineOf<'_> {
    /// Whether the line is no damage even where it is no row: it is blank, or a torn end.
    pub(crate) fn may_be_no_row(&self) -> bool {
        !self.ended || self.text.iter().all(u8::is_ascii_whitespace)
    }
}

/// Shows each line in the first `len` bytes of a file, in order. Holds one block and the line that
/// it cuts.
pub(crate) fn each_line(
    file: &dyn File,
    len: u64,
    mut see: impl FnMut(LineOf<'_>),
) -> io::Result<()> {
    each_line_until(file, len, |line| {
        see(line);
        true
    })
}

/// The same as long as `see` says to go on.
pub(super) fn each_line_until(
    file: &dyn File,
    len: u64,
    mut see: impl FnMut(LineOf<'_>) -> bool,
) -> io::Result<()> {
    let mut held = vec![0; BLOCK];
    // The beginning of a line that the last block has cut.
    let mut cut = 0;
    let mut at = 0;
    loop {
        let room = held.get_mut(cut..).unwrap_or_default();
        let want = room.len().min(usize::try_from(len - at).unwrap_or(usize::MAX));
        let read = read_up_to(file, room.get_mut(..want).unwrap_or_default(), at)?;
        at += read as u64;
        let end = cut + read;
        let mut start = 0;
        for newline in memchr::memchr_iter(b'\n', held.get(cut..end).unwrap_or_default()) {
            let newline = cut + newline;
            if !see(LineOf { text: held.get(start..newline).unwrap_or_default(), ended: true }) {
                return Ok(());
            }
            start = newline + 1;
        }
        if read == 0 || at == len {
            see(LineOf { text: held.get(start..end).unwrap_or_default(), ended: false });
            return Ok(());
        }
        held.copy_within(start..end, 0);
        cut = end - start;
        if cut == held.len() {
            // Doubling keeps one line of any length linear.
            held.resize(2 * cut, 0);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::ffi::OsStr;

    use super::*;
    use crate::disk::{Access, Disk, RealDisk};

    /// Gives a file of this text.
    pub(crate) fn with_file<T>(text: &[u8], then: impl FnOnce(&dyn File) -> T) -> T {
        let dir = tempfile::tempdir().unwrap();
        let root = RealDisk.open_root(dir.path()).unwrap();
        let file = root.create_new(OsStr::new("journal.jsonl"), Access::Default).unwrap();
        file.write_all_at(text, 0).unwrap();
        then(&*file)
    }

    fn lines(text: &[u8], len: u64) -> Vec<(Vec<u8>, bool)> {
        let mut lines = Vec::new();
        let see = |line: LineOf<'_>| lines.push((line.text.to_vec(), line.ended));
        with_file(text, |file| each_line(file, len, see)).unwrap();
        lines
    }

    #[test]
    fn the_lines_are_those_of_a_split_however_long_they_are() {
        let long = |len: usize| vec![b'x'; len];
        let texts = [
            b"".to_vec(),
            b"a".to_vec(),
            b"a\n".to_vec(),
            b"\n\na\nb".to_vec(),
            b"row\n".repeat(BLOCK),
            [long(BLOCK - 1), b"\n".to_vec(), long(BLOCK), b"\n".to_vec()].concat(),
            [b"a\n".to_vec(), long(5 * BLOCK), b"\nb\n".to_vec(), long(BLOCK)].concat(),
        ];
        for text in texts {
            let all: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
            let last = all.len() - 1;
            let expected: Vec<(Vec<u8>, bool)> =
                all.iter().enumerate().map(|(nth, line)| (line.to_vec(), nth < last)).collect();
            assert!(lines(&text, u64::MAX) == expected, "{} bytes", text.len());
            assert!(lines(&text, text.len() as u64) == expected, "{} bytes", text.len());
        }
    }

    #[test]
    fn what_is_behind_the_length_is_not_read() {
        let expected = [(b"a".to_vec(), true), (b"b".to_vec(), false)];
        assert_eq!(lines(b"a\nb\nc\n", 3), expected);
        assert_eq!(lines(b"a\nb\nc\n", 0), [(Vec::new(), false)]);
    }
}
