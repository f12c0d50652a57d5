//! The index of a closed journal: where its rows of a path, an identity or a digest are.
//!
//! `NNNNNN.idx` is a header and a table, sorted by key. A key is 64 bits of a digest of what is
//! looked up. The row at the place that the table gives is read and compared, so that two keys may be equal.

use std::io;

use super::derived::{self, Of};
use super::{Journals, Name, Opened};
use crate::digest::Digest;
use crate::disk::{File, FileBox, read_up_to};
use crate::journal::{Row, each_line};

const MAGIC: &[u8; 8] = b"rwindex3";
/// Magic, journal, number of entries.
const HEADER: usize = MAGIC.len() + Of::LEN + 8;
/// A key and the offset of a line.
const ENTRY: usize = 16;
const ENDING: &str = "idx";

/// What a row is looked up by.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Key<'a> {
    /// The reported path.
    Path(&'a str),
    JournalId(&'a str),
    Sha256(Digest),
}

impl Key<'_> {
    fn hash(self) -> u64 {
        let digest = match self {
            Self::Path(path) => Digest::of(&[b"path ", path.as_bytes()].concat()),
            Self::JournalId(id) => Digest::of(&[b"id ", id.as_bytes()].concat()),
            Self::Sha256(digest) => digest,
        };
        digest.as_bytes().first_chunk().copied().map(u64::from_be_bytes).unwrap_or_default()
    }
}

/// The index of a closed journal.
pub(crate) struct Index {
    table: Table,
    entries: u64,
    /// So much of the journal is in it.
    pub(crate) covers: u64,
}

enum Table {
    File(FileBox),
    /// It was made a moment ago.
    Memory(Vec<u8>),
}

impl Index {
    /// Opens the index of a journal, or makes it. Where it cannot be kept, it is used once.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub(crate) fn of(journals: &Journals, name: &Name, journal: &Opened) -> io::Result<Self> {
        let file = derived::name(name, ENDING);
        let found = journals.dir().and_then(|dir| dir.open(&file).ok());
        if let Some(index) = found.map(|found| Self::open(found, journal)).transpose()?.flatten() {
            return Ok(index);
        }
        let bytes = make(journal)?;
        if let Some(dir) = journals.dir() {
            // Only a matter of time: the next reader makes it again.
            let _ = derived::keep(dir, &file, &bytes);
        }
        let entries = (bytes.len() - HEADER) / ENTRY;
        Ok(Self { table: Table::Memory(bytes), entries: entries as u64, covers: journal.len })
    }

    /// Opens what may be the index of a journal.
    fn open(file: FileBox, journal: &Opened) -> io::Result<Option<Self>> {
        let mut header = [0; HEADER];
        let read = read_up_to(&*file, &mut header, 0)?;
        let header = header.get(..read).and_then(decode);
        let Some((of, entries)) = header else { return Ok(None) };
        let table = entries.checked_mul(ENTRY as u64);
        let is_whole = table == file.stat()?.len.checked_sub(HEADER as u64);
        // A row is longer than its entries: more of them are none of ours, and would take long to read.
        if !is_whole || table.is_none_or(|table| table > of.len) || !of.is_of(journal)? {
            return Ok(None);
        }
        Ok(Some(Self { table: Table::File(file), entries, covers: of.len }))
    }

    /// The offsets of the lines that may be of a key, the last one first.
    pub(crate) fn lines_of(&self, key: Key<'_>) -> io::Result<Vec<u64>> {
        let hash = key.hash();
        let (mut low, mut high) = (0, self.entries);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.entry(middle)?.0 < hash { low = middle + 1 } else { high = middle }
        }
        let mut offsets = Vec::new();
        while low < self.entries {
            let (found, offset) = self.entry(low)?;
            if found != hash {
                break;
            }
            offsets.push(offset);
            low += 1;
        }
        offsets.reverse();
        Ok(offsets)
    }

    fn entry(&self, at: u64) -> io::Result<(u64, u64)> {
        let begin = HEADER as u64 + at * ENTRY as u64;
        let mut bytes = [0; ENTRY];
        match &self.table {
            Table::File(file) => {
                if read_up_to(&**file, &mut bytes, begin)? != ENTRY {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
            Table::Memory(table) => {
                let entry = table.get(begin as usize..).and_then(|rest| rest.first_chunk());
                bytes = *entry.ok_or(io::ErrorKind::UnexpectedEof)?;
            }
        }
        let (numbers, _) = bytes.as_chunks::<8>();
        match numbers {
            [hash, offset] => Ok((u64::from_be_bytes(*hash), u64::from_be_bytes(*offset))),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

/// Takes a header apart: what tells the journal, and the number of entries.
fn decode(header: &[u8]) -> Option<(Of, u64)> {
    let (of, entries) = header.strip_prefix(MAGIC)?.split_at_checked(Of::LEN)?;
    Some((Of::decode(of)?, u64::from_be_bytes(entries.try_into().ok()?)))
}

/// Makes the index of a journal as it is now.
fn make(journal: &Opened) -> io::Result<Vec<u8>> {
    let mut entries: Vec<[u8; ENTRY]> = Vec::new();
    let mut offset = 0;
    each_line(journal.file(), journal.len, |line| {
        if let Some(row) = Row::parse(line.text) {
            let digest = row.sha256.digest().map(Key::Sha256);
            let names = [Key::Path(&row.path), Key::JournalId(&row.journal_id)];
            for key in names.into_iter().chain(digest) {
                let mut entry = [0; ENTRY];
                let (hash, place) = entry.split_at_mut(8);
                hash.copy_from_slice(&key.hash().to_be_bytes());
                place.copy_from_slice(&u64::to_be_bytes(offset));
                entries.push(entry);
            }
        }
        offset += line.text.len() as u64 + 1;
    })?;
    // Big-endian numbers are in order when their bytes are.
    entries.sort_unstable();
    let of = Of::beginning(journal, journal.len)?.encode();
    let count = u64::to_be_bytes(entries.len() as u64);
    Ok([&MAGIC[..], &of, &count, entries.as_flattened()].concat())
}

/// Reads the row whose line begins at an offset; `None` where no row does.
pub(crate) fn row_at(journal: &dyn File, offset: u64, len: u64) -> io::Result<Option<Row>> {
    const FIRST: usize = 2048;
    let mut bytes = Vec::new();
    let mut want = FIRST;
    loop {
        let room = usize::try_from(len.saturating_sub(offset)).unwrap_or(usize::MAX).min(want);
        bytes.resize(room, 0);
        let read = read_up_to(journal, &mut bytes, offset)?;
        bytes.truncate(read);
        if let Some(end) = memchr::memchr(b'\n', &bytes) {
            return Ok(bytes.get(..end).and_then(Row::parse));
        }
        if read < want {
            return Ok(Row::parse(&bytes));
        }
        // Doubling keeps one line of any length linear.
        want *= 2;
    }
}
