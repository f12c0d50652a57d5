//! The index of a closed journal: where its rows of a path, an identity or a digest are.
//!
//! `NNNNNN.idx` is a header and a table, sorted by key, in blocks. A key is 64 bits of a digest of what is
//! looked up. The row at the place that the table gives is read and compared, so that two keys may be equal.
//! Each block begins with a checksum of it: a look-up reads some blocks and none that is damaged.

use std::io;

use super::derived::{self, Of};
use super::{Journals, Name, Opened};
use crate::digest::{Digest, DigestPrefix};
use crate::disk::{File, FileBox, read_range, read_up_to};
use crate::journal::{Row, each_line};

const MAGIC: &[u8; 8] = b"rwindex4";
/// Magic, journal, number of entries.
const HEADER: usize = MAGIC.len() + Of::LEN + 8;
/// A key and the offset of a line.
const ENTRY: usize = 16;
/// How long a checksum is: as an entry, so that a block is a page.
const CHECKSUM: usize = ENTRY;
/// How many entries a block has. The last one may have fewer.
const IN_BLOCK: u64 = 255;
const BLOCK: usize = CHECKSUM + IN_BLOCK as usize * ENTRY;
const ENDING: &str = "idx";

/// What a row is looked up by.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Key<'a> {
    /// The reported path.
    Path(&'a str),
    JournalId(&'a str),
    Sha256(&'a DigestPrefix),
}

impl Key<'_> {
    /// The least and the greatest key in the table.
    fn hashes(self) -> (u64, u64) {
        let digest = match self {
            Self::Path(path) => Digest::of(&[b"path ", path.as_bytes()].concat()),
            Self::JournalId(id) => Digest::of(&[b"id ", id.as_bytes()].concat()),
            Self::Sha256(prefix) => return prefix.heads(),
        };
        let hash =
            digest.as_bytes().first_chunk().copied().map(u64::from_be_bytes).unwrap_or_default();
        (hash, hash)
    }
}

/// What an index has for a key.
pub(crate) struct Lines {
    /// So much of the journal is in the index.
    pub(crate) covers: u64,
    /// Where the lines begin that may be of the key.
    pub(crate) offsets: Vec<u64>,
}

impl Lines {
    /// Looks a key up in the index of a journal. An index that is absent or damaged is made anew; where it cannot be
    /// kept, it is used once.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub(crate) fn of(
        journals: &Journals,
        name: &Name,
        journal: &Opened,
        key: Key<'_>,
    ) -> io::Result<Self> {
        let file = derived::name(name, ENDING);
        let found = journals.dir().and_then(|dir| dir.open(&file).ok());
        let index = found.map(|found| Index::open(found, journal)).transpose()?.flatten();
        if let Some(lines) = index.map(|mut index| index.lines_of(key)).transpose()?.flatten() {
            return Ok(lines);
        }
        let (of, entries) = make(journal)?;
        if let Some(dir) = journals.dir() {
            // Only a matter of time: the next reader makes it again.
            let _ = derived::keep(dir, &file, &encode(&of, &entries));
        }
        let (first, last) = key.hashes();
        let hits = entries.iter().map(numbers).filter(|(found, _)| (first..=last).contains(found));
        Ok(Self { covers: of.len, offsets: hits.map(|(_, offset)| offset).collect() })
    }
}

/// The index of a closed journal.
struct Index {
    file: FileBox,
    of: Of,
    entries: u64,
    /// The block that was read last, and its number.
    block: (u64, Vec<u8>),
}

impl Index {
    /// Opens what may be the index of a journal.
    fn open(file: FileBox, journal: &Opened) -> io::Result<Option<Self>> {
        let header = read_range(&*file, 0, HEADER as u64)?;
        let Some((of, entries)) = decode(&header) else { return Ok(None) };
        let blocks = entries.div_ceil(IN_BLOCK);
        let table = entries.checked_add(blocks).and_then(|all| all.checked_mul(ENTRY as u64));
        let is_whole = table == file.stat()?.len.checked_sub(HEADER as u64);
        // A row is longer than its entries: an index with more of them is not one of this program, and
        // would take long to read.
        if !is_whole || table.is_none_or(|table| table > of.len) || !of.is_of(journal)? {
            return Ok(None);
        }
        Ok(Some(Self { file, of, entries, block: (u64::MAX, Vec::new()) }))
    }

    /// The lines that may be of a key; `None` where a block is damaged.
    fn lines_of(&mut self, key: Key<'_>) -> io::Result<Option<Lines>> {
        let (first, last) = key.hashes();
        let (mut low, mut high) = (0, self.entries);
        while low < high {
            let middle = low + (high - low) / 2;
            let Some((found, _)) = self.entry(middle)? else { return Ok(None) };
            if found < first { low = middle + 1 } else { high = middle }
        }
        let mut offsets = Vec::new();
        while low < self.entries {
            let Some((found, offset)) = self.entry(low)? else { return Ok(None) };
            if found > last {
                break;
            }
            offsets.push(offset);
            low += 1;
        }
        Ok(Some(Lines { covers: self.of.len, offsets }))
    }

    /// Reads an entry; `None` where its block is damaged.
    fn entry(&mut self, at: u64) -> io::Result<Option<(u64, u64)>> {
        let number = at / IN_BLOCK;
        if self.block.0 != number {
            let begin = HEADER as u64 + number * BLOCK as u64;
            let block = read_range(&*self.file, begin, begin + BLOCK as u64)?;
            let Some((sum, entries)) = block.split_at_checked(CHECKSUM) else { return Ok(None) };
            if sum != checksum(&self.of, number, entries) {
                return Ok(None);
            }
            self.block = (number, entries.to_owned());
        }
        let entry = self.block.1.get((at % IN_BLOCK) as usize * ENTRY..);
        let entry = entry.and_then(|rest| rest.first_chunk::<ENTRY>());
        Ok(entry.map(numbers))
    }
}

/// The key of an entry and the offset.
fn numbers(entry: &[u8; ENTRY]) -> (u64, u64) {
    let both = u128::from_be_bytes(*entry);
    ((both >> 64) as u64, both as u64)
}

/// The checksum of a block of entries: it says of which journal and where in the table the block is.
fn checksum(of: &Of, number: u64, entries: &[u8]) -> [u8; CHECKSUM] {
    let digest = Digest::of(&[&of.encode()[..], &number.to_be_bytes(), entries].concat());
    digest.as_bytes().first_chunk().copied().unwrap_or_default()
}

/// Takes a header apart: what tells the journal, and the number of entries.
fn decode(header: &[u8]) -> Option<(Of, u64)> {
    let (of, entries) = header.strip_prefix(MAGIC)?.split_at_checked(Of::LEN)?;
    Some((Of::decode(of)?, u64::from_be_bytes(entries.try_into().ok()?)))
}

/// Makes the entries of a journal as it is now, in order.
fn make(journal: &Opened) -> io::Result<(Of, Vec<[u8; ENTRY]>)> {
    let mut entries: Vec<[u8; ENTRY]> = Vec::new();
    let mut offset = 0;
    each_line(journal.file(), journal.len, |line| {
        if let Some(row) = Row::parse(line.text) {
            let digest = row.sha256.digest().map(DigestPrefix::from);
            let digest = digest.as_ref().map(Key::Sha256);
            let names = [Key::Path(&row.path), Key::JournalId(&row.journal_id)];
            for key in names.into_iter().chain(digest) {
                let mut entry = [0; ENTRY];
                let (hash, place) = entry.split_at_mut(8);
                hash.copy_from_slice(&key.hashes().0.to_be_bytes());
                place.copy_from_slice(&u64::to_be_bytes(offset));
                entries.push(entry);
            }
        }
        offset += line.text.len() as u64 + 1;
    })?;
    // Big-endian numbers are in order when their bytes are.
    entries.sort_unstable();
    Ok((Of::beginning(journal, journal.len)?, entries))
}

/// The file of an index.
fn encode(of: &Of, entries: &[[u8; ENTRY]]) -> Vec<u8> {
    let mut bytes = [&MAGIC[..], &of.encode(), &u64::to_be_bytes(entries.len() as u64)].concat();
    for (number, block) in (0..).zip(entries.chunks(IN_BLOCK as usize)) {
        bytes.extend(checksum(of, number, block.as_flattened()));
        bytes.extend(block.as_flattened());
    }
    bytes
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
