//! What the last writer leaves in the lock file: up to where the journal is decided, and whether that is all of it.
//!
//! It is written without a sync, after everything that it covers was made durable. So a marker
//! that survives a power loss is true. It has two sums:
//! * One covers the identities of the files and directories too. If it is right, the marker is *clean*: the last
//!   writer was done, and nothing has to be recovered. In a copy of the state directory, or beside another
//!   journal, this sum is wrong.
//! * The other one covers the marker alone, with the chain value of the last decided row. If the journal has that
//!   value at that place, its rows up to there are decided. That holds in a copy too.
//!
//! IMPORTANT: recovery judges no decided row again. The user may have cut the end of a log since, and no look could
//! tell that from an append that was interrupted.

use std::ffi::OsStr;
use std::io;

use super::roll::last_closed_end_within;
use crate::digest::Digest;
use crate::disk::{Dir, File, FileBox, FileId, read_range, read_up_to};
use crate::journal::{End, ReverseLines, Row, find_end};

/// The marker's content.
struct Marker {
    /// Up to here nothing is unfinished.
    decided: End,
    /// Whether nothing follows that may be unfinished.
    is_clean: bool,
}

const MAGIC: &[u8; 8] = b"rwclean4";
/// Length, number, place up to which the chain goes, epoch.
const NUMBERS: usize = 4;
const CHAIN: usize = 64;
const SUM: usize = 16;

impl Marker {
    const BODY: usize = MAGIC.len() + 8 * NUMBERS + CHAIN;
    const LEN: usize = Self::BODY + 2 * SUM;

    /// Gives its bytes; those of a clean one are for these files and directories.
    fn encode(&self, of: &[FileId]) -> Vec<u8> {
        let End { len, seq, chain, covered, epoch } = &self.decided;
        let mut bytes = MAGIC.to_vec();
        for number in [*len, *seq, *covered, epoch.unwrap_or_default()] {
            bytes.extend(number.to_le_bytes());
        }
        let mut chain = chain.clone().unwrap_or_default().into_bytes();
        chain.resize(CHAIN, b' ');
        bytes.extend(chain);
        let (of_marker, of_files) = (sum(&bytes, &[]), sum(&bytes, of));
        bytes.extend(of_marker.as_bytes().iter().take(SUM));
        if self.is_clean {
            bytes.extend(of_files.as_bytes().iter().take(SUM));
        }
        bytes.resize(Self::LEN, 0);
        bytes
    }

    /// Reads it; `None` where it is damaged. For other files and directories it is not clean.
    fn decode(bytes: &[u8], of: &[FileId]) -> Option<Self> {
        let (body, sums) = bytes.get(..Self::LEN)?.split_at_checked(Self::BODY)?;
        let (of_marker, of_files) = sums.split_at_checked(SUM)?;
        let is = |of: &[FileId], found: &[u8]| sum(body, of).as_bytes().starts_with(found);
        let is_whole = is(&[], of_marker);
        let (numbers, chain) =
            body.strip_prefix(MAGIC).filter(|_| is_whole)?.split_at_checked(8 * NUMBERS)?;
        let (numbers, _) = numbers.as_chunks::<8>();
        let [len, seq, covered, epoch] = *numbers else { return None };
        let chain = str::from_utf8(chain).ok()?.trim_end();
        let epoch = u64::from_le_bytes(epoch);
        Some(Self {
            decided: End {
                len: u64::from_le_bytes(len),
                seq: u64::from_le_bytes(seq),
                covered: u64::from_le_bytes(covered),
                chain: (!chain.is_empty()).then(|| chain.to_owned()),
                epoch: (epoch != 0).then_some(epoch),
            },
            is_clean: is(of, of_files),
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

/// Notes that the last writer was done, and where the journal of these files and directories ends.
pub(super) fn write_clean(lock: &dyn File, end: &End, of: &[FileId]) -> io::Result<()> {
    let marker = Marker { decided: end.clone(), is_clean: true };
    lock.write_all_at(&marker.encode(of), 0)
}

/// Notes that something behind this end of the journal may be unfinished.
pub(super) fn write_dirty(lock: &dyn File, decided: &End) -> io::Result<()> {
    let marker = Marker { decided: decided.clone(), is_clean: false };
    lock.write_all_at(&marker.encode(&[]), 0)
}

/// Has the next process recover, whatever the marker of a lock file says. What is decided stays so.
pub(super) fn unclean(lock: &dyn File) -> io::Result<()> {
    match read(lock, &[])? {
        Some(marker) => write_dirty(lock, &marker.decided),
        None => lock.write_all_at(&[0; Marker::LEN], 0),
    }
}

/// The journal's length, if the last writer of this state directory was done with all of it; for a
/// process that does not write.
pub(crate) fn clean_len(dir: &dyn Dir, journal: &dyn File) -> io::Result<Option<u64>> {
    let (lock, of) = lock_of(dir, journal)?;
    Ok(clean_end(&*lock, journal, &of)?.map(|end| end.len))
}

/// By how many bytes the journal, which may be gone, is shorter than the last writer of this state directory left it;
/// for a process that does not write.
pub(crate) fn missing_len(dir: &dyn Dir, journal: Option<&dyn File>) -> io::Result<u64> {
    missing(dir, &*dir.open(OsStr::new("lock"))?, journal)
}

/// Up to where the journal is decided, for a process that does not write; zero where no writer left a lock file.
pub(crate) fn decided_len_of(dir: &dyn Dir, journal: &dyn File) -> io::Result<u64> {
    match dir.open(OsStr::new("lock")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        lock => decided_len(&*lock?, journal),
    }
}

/// Up to where the journal is decided, as far as the marker of the lock file shows.
pub(super) fn decided_len(lock: &dyn File, journal: &dyn File) -> io::Result<u64> {
    let Some(Marker { decided, .. }) = read(lock, &[])? else { return Ok(0) };
    if decided.len > journal.stat()?.len {
        return Ok(0);
    }
    // IMPORTANT: the chain value covers every byte in front of it.
    let is_of_this = find_end(journal, decided.len)?.is_some_and(|found| is_end(&found, &decided));
    Ok(if is_of_this { decided.len } else { 0 })
}

/// The lock file, and what its marker covers.
fn lock_of(dir: &dyn Dir, journal: &dyn File) -> io::Result<(FileBox, [FileId; 4])> {
    let lock = dir.open(OsStr::new("lock"))?;
    let tmp = dir.stat(OsStr::new("tmp"))?.id;
    let of = [dir.id()?, tmp, journal.id()?, lock.id()?];
    Ok((lock, of))
}

/// Reads the marker of a lock file.
fn read(lock: &dyn File, of: &[FileId]) -> io::Result<Option<Marker>> {
    let mut record = [0; Marker::LEN];
    let read = read_up_to(lock, &mut record, 0)?;
    Ok(Marker::decode(record.get(..read).unwrap_or_default(), of))
}

/// Where the journal ended when the last writer was done; `None` where it was not.
fn read_clean(lock: &dyn File, of: &[FileId]) -> io::Result<Option<End>> {
    Ok(read(lock, of)?.filter(|marker| marker.is_clean).map(|marker| marker.decided))
}

/// The journal's end, if the last writer was done. Lines that others have added since need no
/// recovery: none of them is of a batch.
pub(super) fn clean_end(
    lock: &dyn File,
    journal: &dyn File,
    of: &[FileId],
) -> io::Result<Option<End>> {
    let Some(end) = read_clean(lock, of)? else { return Ok(None) };
    let len = journal.stat()?.len;
    let is_clean = len == end.len || len > end.len && is_of_others(journal, end.len, len)?;
    // IMPORTANT: the next row begins a line. Somebody may have put something else in the place of the last line's end.
    let is_clean = is_clean && (len == 0 || read_range(journal, len - 1, len)? == b"\n");
    Ok(is_clean.then_some(End { len, ..end }))
}

/// By how many bytes the journal is shorter than the last writer left it. If nothing is known about the last
/// writer, the answer is zero.
pub(super) fn missing(
    dir: &dyn Dir,
    lock: &dyn File,
    journal: Option<&dyn File>,
) -> io::Result<u64> {
    let Some(Marker { decided, .. }) = read(lock, &[])? else { return Ok(0) };
    let len = journal.map_or(Ok(0), |journal| journal.stat().map(|stat| stat.len))?;
    let missing = decided.len.saturating_sub(len);
    if missing == 0 {
        return Ok(0);
    }
    // An editor strips the end of the last line. The row is there, and recovery gives it back its end.
    if let (1, Some(journal)) = (missing, journal)
        && !read_range(journal, len.saturating_sub(1), len)?.ends_with(b"\n")
    {
        return Ok(0);
    }
    // The journal that the marker is of was closed. The writer ended before it wrote the next marker, or a loss of
    // power has left an earlier one, which may end anywhere in that journal.
    let closed = last_closed_end_within(dir, decided.len)?;
    // One in which only others have written has no chain value.
    let is_of_others = closed.chain.is_none() && decided.chain.is_none();
    let is_closed = is_end(&closed, &decided) || is_of_others && closed.len == decided.len;
    Ok(if is_closed { 0 } else { missing })
}

/// Whether a journal ends with the row that is decided last.
fn is_end(found: &End, decided: &End) -> bool {
    let last = |end: &End| (end.chain.clone(), end.seq, end.epoch);
    found.chain.is_some() && last(found) == last(decided)
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
