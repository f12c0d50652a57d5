//! A page of what composing would write.

use serde::Serialize;

use super::{Chunks, Joined, check_session, complete};
use crate::digest::Digest;
use crate::error::{Error, Result};

/// The longest page.
const PAGE_MAX: u64 = 2 << 20;
/// A character has at most so many bytes.
const CHARACTER_MAX: u64 = 4;

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

    /// Joins all parts without writing anything, and gives a page of the text.
    ///
    /// The parts are streamed: no more than the page is held in memory.
    ///
    /// # Errors
    /// As [`Chunks::compose`], but for the output; and a number is out of range.
    pub fn preview(&self, request: &PreviewRequest) -> Result<Preview> {
        let PreviewRequest { session, separator, .. } = request;
        self.store.visible()?;
        check_session(session)?;
        let offset = u64::try_from(request.offset)
            .map_err(|_| out_of_range("offset", "must be at least 0"))?;
        let max_bytes = u64::try_from(request.max_bytes)
            .ok()
            .filter(|bytes| (1..=PAGE_MAX).contains(bytes))
            .ok_or_else(|| out_of_range("max_bytes", "must be between 1 and 2097152"))?;
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
        let (begin, content) = page(&held, from.min(at), offset, max_bytes);
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

fn out_of_range(argument: &'static str, message: &str) -> Error {
    Error::BadArgument { argument, message: message.to_owned() }
}

/// The whole characters of a page, and where it begins. All of the text is UTF-8; `held` begins at `from`.
fn page(held: &[u8], from: u64, offset: u64, max_bytes: u64) -> (u64, String) {
    let begins = |at: usize| held.get(at).is_none_or(|byte| !matches!(byte, 0x80..=0xBF));
    let mut begin = usize::try_from(offset.saturating_sub(from)).unwrap_or(usize::MAX);
    begin = begin.min(held.len());
    while begin > 0 && !begins(begin) {
        begin -= 1;
    }
    let mut end = begin.saturating_add(usize::try_from(max_bytes).unwrap_or(usize::MAX));
    end = end.min(held.len());
    while end > begin && !begins(end) {
        end -= 1;
    }
    if end == begin && begin < held.len() {
        // One character is longer than the page.
        end += 1;
        while !begins(end) {
            end += 1;
        }
    }
    let content = String::from_utf8_lossy(held.get(begin..end).unwrap_or_default()).into_owned();
    (from + begin as u64, content)
}
