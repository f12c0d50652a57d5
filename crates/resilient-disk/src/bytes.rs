//! Reading and writing whole pieces of a [`File`], on top of its two calls by offset.

use std::io;
use std::ops::Range;

use crate::File;

/// Reads a whole file of at most `limit` bytes.
///
/// # Errors
/// The device failed; the file is larger ([`io::ErrorKind::FileTooLarge`]); or there is no memory for it
/// ([`io::ErrorKind::OutOfMemory`]).
pub fn read_all(file: &dyn File, limit: u64) -> io::Result<Vec<u8>> {
    let len = file.stat()?.len;
    if len > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    read_range(file, 0, len)
}

/// Reads the bytes of a file between two places, or as many of them as there are.
///
/// # Errors
/// The device failed, or there is no memory for them ([`io::ErrorKind::OutOfMemory`]).
pub fn read_range(file: &dyn File, from: u64, to: u64) -> io::Result<Vec<u8>> {
    let len = usize::try_from(to.saturating_sub(from)).map_err(|_| io::ErrorKind::OutOfMemory)?;
    let mut bytes = Vec::new();
    // IMPORTANT: the length comes from the disk. `vec!` would end the process where it is too much.
    bytes.try_reserve_exact(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
    bytes.resize(len, 0);
    let read = read_up_to(file, &mut bytes, from)?;
    bytes.truncate(read);
    Ok(bytes)
}

/// Fills `buf` from `offset` on until it is full or the file ends; returns how much was read.
///
/// # Errors
/// The device failed.
pub fn read_up_to(file: &dyn File, buf: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buf.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, offset + filled as u64)? {
            0 => break,
            n => filled += n,
        }
    }
    Ok(filled)
}

/// A piece of an append that does not stand where it was to, since another program has changed the file's length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strayed {
    /// Which of the bytes.
    pub piece: Range<usize>,
    /// Where it begins in the file.
    pub at: u64,
}

/// Adds all of `bytes` to a file that ends at `end`, in writes that a kill does not divide: none crosses the end of
/// a page, in the file or in memory. Only between pages does a kernel look for a deadly signal, or
/// for memory that it has to fetch first.
///
/// It stops behind the first piece that does not stand where it was to, and returns that. What another program
/// adds meanwhile stays (see [`File::append`]).
///
/// # Errors
/// As [`File::write_all_at`].
pub fn append_by_pages(file: &dyn File, bytes: &[u8], end: u64) -> io::Result<Option<Strayed>> {
    /// The smallest page in use; larger ones are multiples of it.
    const PAGE: usize = 4096;
    let mut room = vec![0; 2 * PAGE];
    let aligned = room.as_ptr().align_offset(PAGE);
    let page = room.get_mut(aligned..).unwrap_or_default();
    let mut done = 0;
    while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
        let meant = end + done as u64;
        let left = PAGE - (meant % PAGE as u64) as usize;
        let (piece, _) = rest.split_at(left.min(rest.len()));
        let at = match page.get_mut(..piece.len()) {
            Some(page) => {
                page.copy_from_slice(piece);
                file.append(page, meant)?
            }
            None => file.append(piece, meant)?,
        };
        if at != meant {
            return Ok(Some(Strayed { piece: done..done + piece.len(), at }));
        }
        done += piece.len();
    }
    Ok(None)
}
