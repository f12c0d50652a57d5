//! A window: a stretch of a file by bytes, as text.

use serde::Serialize;

use super::budget::{BYTES, BYTES_MAX, tokens, tokens_max};
use super::encoding::{CHARACTER_MAX, Decoded, Encoding, OnInvalid};
use super::{Opened, Reader, at_least, count_in};
use crate::digest::Digest;
use crate::error::{Error, Result};
use crate::omit::is_zero;

/// Asks for a window.
#[derive(Clone, Debug)]
pub struct WindowRequest {
    /// The file.
    pub path: String,
    /// Where it begins.
    pub offset: i64,
    /// How long it is at most; a last character may go beyond if it is the only one.
    pub max_bytes: i64,
    /// How many tokens, about.
    pub max_tokens: Option<i64>,
    /// What to read it as; guessed when absent.
    pub encoding: Option<String>,
    /// What becomes of bytes that are no character.
    pub on_invalid: OnInvalid,
}

impl WindowRequest {
    /// The beginning of a file, as much of it as is read unasked.
    #[must_use]
    pub fn of(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            offset: 0,
            max_bytes: BYTES,
            max_tokens: None,
            encoding: None,
            on_invalid: OnInvalid::Replace,
        }
    }
}

/// A window. The next one begins at `next_offset`: read one after another they hold every character
/// once, and none is cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Window {
    /// The path as it was given.
    pub path: String,
    /// Where it begins.
    pub offset: u64,
    /// The offset that was asked for, where it is inside a character: the window begins with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested_offset: Option<u64>,
    /// How many bytes of the file it is.
    pub bytes_read: u64,
    /// Where the next one begins.
    pub next_offset: u64,
    /// Whether the file ends here.
    pub eof: bool,
    /// How long the file is.
    pub size: u64,
    /// When the file was last changed, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// What the bytes were read as. Without `invalid_bytes`, the content in this encoding is
    /// exactly the window's bytes; in Shift_JIS, EUC, Big5 and GBK a character may have further
    /// spellings.
    pub encoding: String,
    /// `low` where that is only the best of several guesses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding_confidence: Option<&'static str>,
    /// The text.
    pub content: String,
    /// About how many tokens the content has.
    pub tokens: u64,
    /// How many bytes were no character.
    #[serde(skip_serializing_if = "is_zero")]
    pub invalid_bytes: u64,
    /// The digest of the file, where the window is all of it: what the next write wants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Digest>,
}

/// What is wanted of a window, checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) bytes: u64,
    pub(super) tokens: u64,
    /// What was asked for by name.
    pub(super) encoding: Option<Encoding>,
    pub(super) on_invalid: OnInvalid,
}

impl Reader<'_> {
    /// Reads a window.
    ///
    /// # Errors
    /// As [`Reader::stat`]; the offset is behind the end, or a number out of range; the encoding is
    /// not known, or bytes do not fit it and that was to be refused.
    pub fn window(&self, request: &WindowRequest) -> Result<Window> {
        let offset = at_least("offset", request.offset, 0)?;
        let wanted = Wanted {
            bytes: bytes_max(request.max_bytes)?,
            tokens: tokens_max(request.max_tokens)?,
            encoding: request.encoding.as_deref().map(named).transpose()?,
            on_invalid: request.on_invalid,
        };
        let opened = self.open(&request.path)?;
        let (window, _) = opened.window(offset, wanted)?;
        Ok(window)
    }
}

/// A number of bytes from a request.
pub(super) fn bytes_max(max_bytes: i64) -> Result<u64> {
    let bytes = at_least("max_bytes", max_bytes, 1)?;
    if bytes > BYTES_MAX {
        return Err(Error::range(format!("max_bytes cannot exceed {BYTES_MAX}")));
    }
    Ok(bytes)
}

/// An encoding from a request.
pub(super) fn named(label: &str) -> Result<Encoding> {
    Encoding::of_label(label).ok_or_else(|| Error::ReadEncoding { encoding: label.to_owned() })
}

impl Opened {
    /// Where the character begins that holds the byte at `offset`.
    pub(super) fn character_at(&self, offset: u64, encoding: Encoding) -> Result<u64> {
        let from = offset.saturating_sub(encoding.reach() as u64);
        let around = self.bytes(from, encoding.reach() + CHARACTER_MAX)?;
        let at = count_in(offset - from);
        let begin = match encoding.begin_of(&around, at) {
            Some(begin) => begin,
            None if from == 0 => 0,
            // Nothing near tells; the ends of windows are where characters begin.
            None => return Ok(offset),
        };
        let (around, at) = (around.get(begin..).unwrap_or_default(), at - begin);
        // The last byte of a file may be half a character; the end of the file is not inside it.
        let back = if offset < self.stat.len { encoding.into_character(around, at) } else { 0 };
        Ok(offset - back as u64)
    }

    /// The window at `offset`, and its bytes.
    pub(super) fn window(&self, offset: u64, wanted: Wanted) -> Result<(Window, Vec<u8>)> {
        let size = self.stat.len;
        if offset > size {
            return Err(Error::ReadRange {
                message: "offset exceeds file size".to_owned(),
                facts: vec![("offset", offset), ("size", size)],
            });
        }
        // Windows begin and end by the file's encoding, whatever the text of one looks like: the next
        // one looks different.
        let whole = wanted.encoding.unwrap_or(self.encoding);
        let start = self.character_at(offset, whole)?;
        let mut bytes = self.bytes(start, count_in(wanted.bytes) + CHARACTER_MAX)?;
        let mut end = whole.end_of(&bytes, count_in(wanted.bytes));
        let (encoding, decoded, tokens) = loop {
            let window = bytes.get(..end).unwrap_or_default();
            let (encoding, decoded) = self.text_of(window, wanted);
            let tokens = tokens(&decoded.text);
            // In proportion, and always less than before: a few rounds at most.
            let share = u128::from(wanted.tokens) * end as u128 / u128::from(tokens.max(1));
            let fewer = usize::try_from(share).unwrap_or(end).clamp(1, end.max(2) - 1);
            let shorter = whole.end_of(window, fewer);
            if tokens <= wanted.tokens || shorter >= end {
                break (encoding, decoded, tokens);
            }
            end = shorter;
        };
        if wanted.on_invalid == OnInvalid::Strict
            && let Some(first) = decoded.first_invalid
        {
            return Err(Error::Undecodable {
                path: self.path.clone(),
                encoding: encoding.name_of_window(),
                offset: start + first as u64,
            });
        }
        bytes.truncate(end);
        let next_offset = start + end as u64;
        let window = Window {
            path: self.path.clone(),
            offset: start,
            requested_offset: (start != offset).then_some(offset),
            bytes_read: end as u64,
            next_offset,
            eof: next_offset >= size,
            size,
            mtime_ns: self.mtime_ns(),
            encoding: encoding.name_of_window(),
            encoding_confidence: if wanted.encoding.is_some() { None } else { self.confidence() },
            content: decoded.text,
            tokens,
            invalid_bytes: decoded.invalid_bytes as u64,
            sha256: (start == 0 && next_offset >= size).then(|| Digest::of(&bytes)),
        };
        Ok((window, bytes))
    }

    /// The text of a window. Where nobody has named an encoding, a window that is not what the head
    /// of its file looks like is read as what it looks like itself.
    fn text_of(&self, window: &[u8], wanted: Wanted) -> (Encoding, Decoded) {
        let encoding = wanted.encoding.unwrap_or(self.encoding);
        let decoded = encoding.decode(window, wanted.on_invalid);
        if wanted.encoding.is_none() && decoded.invalid_bytes > 0 {
            let own = Encoding::of_stretch(window);
            if matches!(own, Encoding::SingleByte(_) | Encoding::Binary) {
                return (own, own.decode(window, wanted.on_invalid));
            }
        }
        (encoding, decoded)
    }
}
