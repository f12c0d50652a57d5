//! What the last writer leaves in the lock file: that it was done, and where the journal ended then.
//!
//! It is written without a sync, after everything that it covers was made durable. So a marker
//! that survives a power loss is true. Its sum covers the identities of the files and directories
//! that it covers: in a copy of the state directory, or beside another journal, it says nothing.

use std::ffi::OsStr;
use std::io;

use crate::digest::Digest;
use crate::disk::{Dir, File, FileBox, FileId, read_range, read_up_to};
use crate::journal::{End, ReverseLines, Row};

/// The marker's content.
pub(super) struct CleanMarker {
    pub(super) end: End,
}

const MAGIC: &[u8; 8] = b"rwclean3";
/// Length, number, place up to which the chain goes, epoch.
const NUMBERS: usize = 4;
const CHAIN: usize = 64;
const SUM: usize = 16;

impl CleanMarker {
    pub(super) const LEN: usize = MAGIC.len() + 8 * NUMBERS + CHAIN + SUM;

    /// Writes it for these files and directories.
    pub(super) fn encode(&self, of: &[FileId]) -> Vec<u8> {
        let End { len, seq, chain, covered, epoch } = &self.end;
        let mut bytes = MAGIC.to_vec();
        for number in [*len, *seq, *covered, epoch.unwrap_or_default()] {
            bytes.extend(number.to_le_bytes());
        }
        let mut chain = chain.clone().unwrap_or_default().into_bytes();
        chain.resize(CHAIN, b' ');
        bytes.extend(chain);
        let sum = sum(&bytes, of);
        bytes.extend(sum.as_bytes().iter().take(SUM));
        bytes
    }

    /// Reads it; `None` where it is damaged, or covers other files.
    pub(super) fn decode(bytes: &[u8], of: &[FileId]) -> Option<Self> {
        let (body, found) = bytes.split_at_checked(Self::LEN - SUM)?;
        let is_sum = found.len() == SUM && sum(body, of).as_bytes().starts_with(found);
        let (numbers, chain) =
            body.strip_prefix(MAGIC).filter(|_| is_sum)?.split_at_checked(8 * NUMBERS)?;
        let (numbers, _) = numbers.as_chunks::<8>();
        let [len, seq, covered, epoch] = *numbers else { return None };
        let chain = str::from_utf8(chain).ok()?.trim_end();
        let epoch = u64::from_le_bytes(epoch);
        Some(Self {
            end: End {
                len: u64::from_le_bytes(len),
                seq: u64::from_le_bytes(seq),
                covered: u64::from_le_bytes(covered),
                chain: (!chain.is_empty()).then(|| chain.to_owned()),
                epoch: (epoch != 0).then_some(epoch),
            },
        })
    }
}

fn sum(body: &[u8], of: &[FileId]) -> Digest {
    let mut bytes = body.to_vec();
    for id in of {
        bytes.extend(id.device.to_le_bytes());
        bytes.extend(id.inode.to_le_bytes());
    }
    Digest::of(&bytes)
}

/// Takes the marker of a lock file back.
pub(super) fn clear(lock: &dyn File) -> io::Result<()> {
    lock.write_all_at(&[0; CleanMarker::LEN], 0)
}

/// The journal's length, if the last writer of this state directory was done with all of it; for a
/// process that does not write.
pub(crate) fn clean_len(dir: &dyn Dir, journal: &dyn File) -> io::Result<Option<u64>> {
    let (lock, of) = lock_of(dir, journal)?;
    Ok(clean_end(&*lock, journal, &of)?.map(|end| end.len))
}

/// By how many bytes the journal is shorter than the last writer of this state directory left it; for a process
/// that does not write.
pub(crate) fn missing_len(dir: &dyn Dir, journal: &dyn File) -> io::Result<u64> {
    let (lock, of) = lock_of(dir, journal)?;
    missing(&*lock, journal, &of)
}

/// The lock file, and what its marker covers.
fn lock_of(dir: &dyn Dir, journal: &dyn File) -> io::Result<(FileBox, [FileId; 4])> {
    let lock = dir.open(OsStr::new("lock"))?;
    let tmp = dir.stat(OsStr::new("tmp"))?.id;
    let of = [dir.id()?, tmp, journal.id()?, lock.id()?];
    Ok((lock, of))
}

/// Reads the marker of a lock file.
fn read(lock: &dyn File, of: &[FileId]) -> io::Result<Option<CleanMarker>> {
    let mut record = [0; CleanMarker::LEN];
    let read = read_up_to(lock, &mut record, 0)?;
    Ok(CleanMarker::decode(record.get(..read).unwrap_or_default(), of))
}

/// The journal's end, if the last writer was done. Lines that others have added since need no
/// recovery: none of them is of a batch.
pub(super) fn clean_end(
    lock: &dyn File,
    journal: &dyn File,
    of: &[FileId],
) -> io::Result<Option<End>> {
    let Some(CleanMarker { end }) = read(lock, of)? else { return Ok(None) };
    let len = journal.stat()?.len;
    let is_clean = len == end.len || len > end.len && is_of_others(journal, end.len, len)?;
    // IMPORTANT: the next row begins a line. Somebody may have put something else in the place of the last line's end.
    let is_clean = is_clean && (len == 0 || read_range(journal, len - 1, len)? == b"\n");
    Ok(is_clean.then_some(End { len, ..end }))
}

/// By how many bytes the journal is shorter than the last writer left it. If nothing is known about the last
/// writer, the answer is zero.
pub(super) fn missing(lock: &dyn File, journal: &dyn File, of: &[FileId]) -> io::Result<u64> {
    let marker = read(lock, of)?;
    let len = journal.stat()?.len;
    let missing = marker.map_or(0, |CleanMarker { end }| end.len.saturating_sub(len));
    // An editor strips the end of the last line. The row is there, and recovery gives it back its end.
    let is_line_end =
        missing == 1 && !read_range(journal, len.saturating_sub(1), len)?.ends_with(b"\n");
    Ok(if is_line_end { 0 } else { missing })
}

/// Whether the bytes of a journal between two places are whole lines of others.
fn is_of_others(journal: &dyn File, from: u64, to: u64) -> io::Result<bool> {
    for line in ReverseLines::new(journal, to) {
        let line = line?;
        if line.offset < from || line.is_torn() || Row::of_batch(&line.text).is_some() {
            return Ok(false);
        }
        if line.offset == from {
            return Ok(true);
        }
    }
    Ok(false)
}
