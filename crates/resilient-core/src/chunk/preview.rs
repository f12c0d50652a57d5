//! A page of what composing would write.

use serde::Serialize;

use super::Chunks;
use super::joined::Joined;
use super::kept::{check_session, complete};
use crate::digest::{Digest, Hasher};
use crate::error::{Error, Result};
use crate::page::{self, CHARACTER_MAX};

/// Asks for a page of the joined text.
#[derive(Clone, Debug)]
pub struct PreviewRequest {
    /// The session's name.
    pub session: String,
    /// Text between the parts.
    pub separator: String,
    /// Where the page begins, in bytes; inside a character, with that character.
    pub offset: i64,
    /// How long the page is at most: 1 to 2,097,152 bytes; a first character may go beyond.
    pub max_bytes: i64,
}

impl PreviewRequest {
    /// The first 65,536 bytes.
    #[must_use]
    pub fn of(session: impl Into<String>) -> Self {
        Self { session: session.into(), separator: String::new(), offset: 0, max_bytes: 65_536 }
    }
}

/// What composing would give.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Preview {
    /// The session's name.
    pub session: String,
    /// How many parts there are.
    pub chunk_count: usize,
    /// Digest of each part.
    pub chunk_hashes: Vec<Digest>,
    /// Length of all of the text.
    pub total_bytes: u64,
    /// Where the page begins.
    pub offset: u64,
    /// Where the next page begins.
    pub next_offset: u64,
    /// Whether the text ends here.
    pub eof: bool,
    /// The page.
    pub content: String,
    /// The parts without a newline at their end: their last line goes on in the next part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub joined_mid_line: Vec<u32>,
    /// Always true.
    pub preview: bool,
}

impl Chunks<'_> {
    /// All of the joined text, in memory.
    ///
    /// # Errors
    /// As [`Chunks::preview`].
    pub(crate) fn text(&self, session: &str, separator: &str) -> Result<String> {
        self.store.visible()?;
        check_session(session)?;
        let (dir, indices) = complete(self.store, session, false)?;
        let content = Joined::new(&dir, session, &indices, separator.as_bytes()).content()?;
        String::from_utf8(content).map_err(|error| Error::ComposedNotUtf8 {
            session: session.to_owned(),
            message: error.to_string(),
        })
    }

    /// Digest of the joined text, which is streamed.
    ///
    /// # Errors
    /// As [`Chunks::preview`].
    pub(crate) fn digest(&self, session: &str, separator: &str) -> Result<Digest> {
        let (dir, indices) = complete(self.store, session, false)?;
        let mut joined = Joined::new(&dir, session, &indices, separator.as_bytes());
        let mut hasher = Hasher::default();
        while let Some(block) = joined.next_block()? {
            hasher.update(&block);
        }
        Ok(hasher.finish())
    }

    /// Joins all parts without writing anything, and gives a page of the text.
    ///
    /// The parts are streamed: no more than the page is held in memory.
    ///
    /// # Errors
    /// As [`Chunks::compose`], except for the output; and a number is out of range.
    pub fn preview(&self, request: &PreviewRequest) -> Result<Preview> {
        let PreviewRequest { session, separator, .. } = request;
        self.store.visible()?;
        check_session(session)?;
        let (offset, max_bytes) = page::asked(request.offset, request.max_bytes)?;
        let (dir, indices) = complete(self.store, session, false)?;
        let mut joined = Joined::new(&dir, session, &indices, separator.as_bytes());
        // The characters at both ends of the page, whole.
        let from = offset.saturating_sub(CHARACTER_MAX);
        let to = offset.saturating_add(max_bytes).saturating_add(CHARACTER_MAX);
        let mut held = Vec::new();
        let mut at = 0_u64;
        while let Some(block) = joined.next_block()? {
            let end = at + block.len() as u64;
            let within = |place: u64| (place.clamp(at, end) - at) as usize;
            held.extend_from_slice(block.get(within(from)..within(to)).unwrap_or_default());
            at = end;
        }
        let (begin, content) = page::page(&held, from.min(at), offset, max_bytes);
        let next_offset = begin + content.len() as u64;
        Ok(Preview {
            session: session.clone(),
            chunk_count: joined.hashes.len(),
            chunk_hashes: joined.hashes,
            total_bytes: at,
            offset: begin,
            next_offset,
            eof: next_offset >= at,
            content,
            joined_mid_line: joined.mid_line,
            preview: true,
        })
    }
}
