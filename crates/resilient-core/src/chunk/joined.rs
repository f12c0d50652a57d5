//! The parts of a session as one text.

use std::ffi::OsStr;
use std::sync::Arc;

use super::kept::part_name;
use crate::contents::check_whole;
use crate::digest::{Digest, Hasher};
use crate::disk::{DirRef, File, read_up_to};
use crate::error::{Error, Result};
use crate::form::Encoding;
use crate::store::CHUNKS;

const BLOCK: usize = 128 * 1024;

/// The parts as one stream of blocks, checked to be UTF-8 as they are read.
pub(super) struct Joined<'a> {
    dir: &'a DirRef,
    session: &'a str,
    ahead: std::slice::Iter<'a, u32>,
    separator: &'a [u8],
    /// The part that is being read, how far, and its hasher.
    open: Option<(Arc<dyn File>, u64, Hasher)>,
    pub(super) hashes: Vec<Digest>,
    /// Where each part that was read ends.
    pub(super) ends: Vec<u64>,
    /// The last byte so far.
    last: Option<u8>,
    /// The parts whose last line goes on in the next one.
    pub(super) mid_line: Vec<u32>,
    /// Whether a part after the first text began with a byte order mark, which was left out.
    pub(super) bom_dropped: bool,
    /// The beginning of a character whose rest has not come yet.
    cut: Vec<u8>,
    offset: u64,
    done: bool,
}

/// Whether a part that ends with this byte is joined in the middle of a line.
pub(super) fn is_mid_line(last: Option<u8>, separator: &[u8]) -> bool {
    last.is_some_and(|byte| byte != b'\n') && !separator.starts_with(b"\n")
}

impl<'a> Joined<'a> {
    pub(super) fn new(
        dir: &'a DirRef,
        session: &'a str,
        indices: &'a [u32],
        separator: &'a [u8],
    ) -> Self {
        Self {
            dir,
            session,
            ahead: indices.iter(),
            separator,
            open: None,
            hashes: Vec::new(),
            ends: Vec::new(),
            last: None,
            mid_line: Vec::new(),
            bom_dropped: false,
            cut: Vec::new(),
            offset: 0,
            done: false,
        }
    }

    /// All blocks as one.
    ///
    /// # Errors
    /// As [`check_whole`], before anything is read; and as [`Joined::next_block`].
    pub(super) fn content(&mut self) -> Result<Vec<u8>> {
        let lens = self.ahead.clone().filter_map(|index| {
            let stat = self.dir.stat(part_name(*index).as_ref());
            stat.ok().map(|stat| stat.len + self.separator.len() as u64)
        });
        let shown = format!("{}/{CHUNKS}/{}", crate::roots::STATE_DIR, self.session);
        check_whole(lens.sum(), &shown)?;
        let mut content = Vec::new();
        while let Some(mut block) = self.next_block()? {
            content.append(&mut block);
        }
        Ok(content)
    }

    pub(super) fn next_block(&mut self) -> Result<Option<Vec<u8>>> {
        let shown = || format!("{}/{CHUNKS}/{}", crate::roots::STATE_DIR, self.session);
        let os = |source| Error::os(shown(), "read", source);
        loop {
            if let Some((file, at, hasher)) = &mut self.open {
                let mut block = vec![0; BLOCK];
                let read = read_up_to(&**file, &mut block, *at).map_err(os)?;
                block.truncate(read);
                if read > 0 {
                    let begins = *at == 0;
                    *at += read as u64;
                    hasher.update(&block);
                    if begins && self.offset > 0 && self.cut.is_empty() {
                        self.drop_mark(&mut block);
                    }
                    self.last = block.last().copied();
                    self.check(&block)?;
                    return Ok(Some(block));
                }
                self.hashes.push(hasher.finish());
                self.ends.push(self.offset);
                self.open = None;
            }
            let Some(index) = self.ahead.next() else {
                if !self.done && !self.cut.is_empty() {
                    return Err(self.not_utf8());
                }
                self.done = true;
                return Ok(None);
            };
            let file: Arc<dyn File> =
                self.dir.open(OsStr::new(&part_name(*index))).map_err(os)?.into();
            self.open = Some((file, 0, Hasher::default()));
            if is_mid_line(self.last.take(), self.separator) {
                self.mid_line.push(index.saturating_sub(1));
            }
            if !self.hashes.is_empty() && !self.separator.is_empty() {
                let separator = self.separator.to_vec();
                self.check(&separator)?;
                return Ok(Some(separator));
            }
        }
    }

    /// Leaves out a byte order mark that would stand in the middle of the file.
    fn drop_mark(&mut self, block: &mut Vec<u8>) {
        let mark = Encoding::Utf8.mark();
        if block.starts_with(mark) {
            block.drain(..mark.len());
            self.bom_dropped = true;
        }
    }

    fn check(&mut self, block: &[u8]) -> Result<()> {
        let mut text = std::mem::take(&mut self.cut);
        self.offset -= text.len() as u64;
        text.extend_from_slice(block);
        let total = text.len() as u64;
        if let Err(error) = str::from_utf8(&text) {
            if error.error_len().is_some() {
                self.offset += error.valid_up_to() as u64;
                return Err(self.not_utf8());
            }
            self.cut = text.split_off(error.valid_up_to());
        }
        self.offset += total;
        Ok(())
    }

    fn not_utf8(&self) -> Error {
        let offset = self.offset - self.cut.len() as u64;
        Error::ComposedNotUtf8 {
            session: self.session.to_owned(),
            message: format!("invalid byte at offset {offset}"),
        }
    }
}
