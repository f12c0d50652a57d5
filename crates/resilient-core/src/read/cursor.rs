//! A cursor: where a walk through a file is, and enough of what was read to notice a change of it.
//!
//! A cursor is a token that the client keeps; nothing of it is kept here, so it holds across
//! restarts. It names the version of the file by size and times, and carries a [`Prefix`]: a digest
//! of everything that the walk has read. On a change of size or time the prefix tells whether what
//! was read still stands; then the walk goes on at the same place, with a fresh cursor.

use base64::Engine as _;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::{Deserialize, Serialize};

use super::encoding::{Encoding, OnInvalid};
use super::window::{Wanted, Window, bytes_max, named};
use super::{Opened, Reader, at_least, budget};
use crate::digest::Hasher;
use crate::error::{Drift, Error, Result};

/// URL-safe, with padding as the Python reader writes it; read with or without.
const TOKEN: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A longer token is none of ours: a path has at most 4,096 bytes.
const TOKEN_MAX: usize = 32 << 10;

/// A prefix is digested in pieces that end at multiples of this.
const LEAF: u64 = 64 << 10;

/// Asks for a cursor.
#[derive(Clone, Debug)]
pub struct CursorRequest {
    /// The file.
    pub path: String,
    /// Where the walk begins.
    pub offset: i64,
    /// How long its windows are.
    pub max_bytes: i64,
    /// What to read the file as; guessed when absent.
    pub encoding: Option<String>,
    /// Whether everything that was read is to be compared wherever the times leave a doubt.
    pub strict: bool,
}

impl CursorRequest {
    /// At the beginning of a file.
    #[must_use]
    pub fn of(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            offset: 0,
            max_bytes: budget::BYTES,
            encoding: None,
            strict: false,
        }
    }
}

/// A cursor, and what it was made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CursorAnswer {
    /// The token.
    pub cursor: String,
    /// The path as it was given.
    pub path: String,
    /// Where the walk begins.
    pub offset: u64,
    /// How long its windows are.
    pub max_bytes: u64,
    /// How long the file is.
    pub size: u64,
    /// When the file was last changed, in nanoseconds since 1970.
    pub mtime_ns: i64,
}

/// Asks for the window at a cursor.
#[derive(Clone, Debug)]
pub struct NextRequest {
    /// The token.
    pub cursor: String,
    /// How long the window is; otherwise as the cursor says.
    pub max_bytes: Option<i64>,
    /// How many tokens, about.
    pub max_tokens: Option<i64>,
    /// As in [`CursorRequest::strict`]; it is enough that one of them asks for it.
    pub strict: bool,
}

impl NextRequest {
    /// As the cursor says.
    #[must_use]
    pub fn of(cursor: impl Into<String>) -> Self {
        Self { cursor: cursor.into(), max_bytes: None, max_tokens: None, strict: false }
    }
}

/// A window, and the cursor for the next one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NextWindow {
    /// The window.
    #[serde(flatten)]
    pub window: Window,
    /// The token for the next one; at the end of the file it is good for what will be appended.
    pub cursor: String,
}

/// What a token says. The first five are all that the Python reader knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Cursor {
    path: String,
    offset: u64,
    max_bytes: u64,
    size: u64,
    mtime_ns: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    encoding: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    strict: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ctime_ns: Option<i64>,
    /// The version was old enough when it was read that no change can share its times.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    settled: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    read: Option<Prefix>,
}

/// A digest of the bytes from `from` to a cursor's offset. It grows with every window, without
/// reading the earlier ones again.
///
/// `chain` is of all pieces that are complete: each digest is of the one before and the piece's
/// bytes. `tip` is the same with the last piece, as far as it goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Prefix {
    from: u64,
    chain: String,
    tip: String,
}

/// A prefix while it grows.
struct Growing {
    at: u64,
    chain: [u8; 32],
    piece: Hasher,
}

impl Growing {
    fn new(at: u64, chain: [u8; 32]) -> Self {
        let mut piece = Hasher::default();
        piece.update(&chain);
        Self { at, chain, piece }
    }

    fn absorb(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = super::count_in(LEAF - self.at % LEAF);
            let (piece, rest) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
            self.piece.update(piece);
            self.at += piece.len() as u64;
            bytes = rest;
            if self.at.is_multiple_of(LEAF) {
                *self = Self::new(self.at, *self.piece.finish().as_bytes());
            }
        }
    }

    fn prefix(&self, from: u64) -> Prefix {
        let tip = self.piece.finish();
        // All of the chain, since more is built on it; of the tip what no accident repeats.
        let short = tip.as_bytes().get(..9).unwrap_or_default();
        Prefix { from, chain: TOKEN.encode(self.chain), tip: TOKEN.encode(short) }
    }
}

impl Prefix {
    fn empty(at: u64) -> Self {
        Growing::new(at, [0; 32]).prefix(at)
    }

    /// Where its last piece begins.
    fn last_piece(&self, upto: u64) -> u64 {
        self.from.max(upto - upto % LEAF)
    }

    /// The prefix with the bytes that follow it; nothing when its last piece has changed meanwhile.
    fn extended(&self, opened: &Opened, upto: u64, bytes: &[u8]) -> Result<Option<Self>> {
        let begin = self.last_piece(upto);
        let chain = TOKEN.decode(&self.chain).ok().and_then(|chain| chain.try_into().ok());
        let mut growing = Growing::new(begin, chain.ok_or(Error::CursorDecode)?);
        growing.absorb(&opened.bytes(begin, super::count_in(upto - begin))?);
        if growing.prefix(self.from).tip != self.tip {
            return Ok(None);
        }
        growing.absorb(bytes);
        Ok(Some(growing.prefix(self.from)))
    }

    /// Whether the file still begins so: reads all of it again.
    fn holds(&self, opened: &Opened, upto: u64) -> Result<bool> {
        const PIECE: u64 = 1 << 20;
        let mut growing = Growing::new(self.from, [0; 32]);
        while growing.at < upto {
            let bytes =
                opened.bytes(growing.at, super::count_in((upto - growing.at).min(PIECE)))?;
            if bytes.is_empty() {
                return Ok(false);
            }
            growing.absorb(&bytes);
        }
        Ok(growing.prefix(self.from) == *self)
    }
}

impl Cursor {
    fn encode(&self) -> String {
        TOKEN.encode(serde_json::to_vec(self).unwrap_or_default())
    }

    fn decode(token: &str) -> Result<Self> {
        if token.len() > TOKEN_MAX {
            return Err(Error::CursorDecode);
        }
        let bytes = TOKEN.decode(token.trim()).map_err(|_| Error::CursorDecode)?;
        let cursor: Self = serde_json::from_slice(&bytes).map_err(|_| Error::CursorDecode)?;
        let is_sound = (1..=budget::BYTES_MAX).contains(&cursor.max_bytes)
            && cursor.offset <= cursor.size
            && cursor.read.as_ref().is_none_or(|read| read.from <= cursor.offset);
        if is_sound { Ok(cursor) } else { Err(Error::CursorDecode) }
    }

    /// The same place in the version that is open.
    fn in_version(self, reader: &Reader<'_>, opened: &Opened) -> Self {
        Self {
            size: opened.stat.len,
            mtime_ns: opened.mtime_ns(),
            ctime_ns: i64::try_from(opened.stat.ctime_ns).ok(),
            settled: reader.is_settled(&opened.stat),
            ..self
        }
    }
}

impl Reader<'_> {
    /// Makes a cursor.
    ///
    /// # Errors
    /// As [`Reader::window`].
    pub fn make_cursor(&self, request: &CursorRequest) -> Result<CursorAnswer> {
        let offset = at_least("offset", request.offset, 0)?;
        let max_bytes = bytes_max(request.max_bytes)?;
        let encoding = request.encoding.as_deref().map(named).transpose()?;
        let opened = self.open(&request.path)?;
        if offset > opened.stat.len {
            return Err(Error::ReadRange {
                message: "offset out of file bounds".to_owned(),
                facts: vec![("offset", offset), ("size", opened.stat.len)],
            });
        }
        let offset = opened.character_at(offset, encoding.unwrap_or(opened.encoding))?;
        let cursor = Cursor {
            path: request.path.clone(),
            offset,
            max_bytes,
            size: 0,
            mtime_ns: 0,
            encoding: encoding.map(Encoding::name),
            strict: request.strict,
            ctime_ns: None,
            settled: false,
            read: Some(Prefix::empty(offset)),
        }
        .in_version(self, &opened);
        Ok(CursorAnswer {
            cursor: cursor.encode(),
            path: opened.path,
            offset,
            max_bytes,
            size: cursor.size,
            mtime_ns: cursor.mtime_ns,
        })
    }

    /// Reads the window at a cursor, if the file is still the one that the cursor is of.
    ///
    /// One handle serves for the check, the window and the next cursor. A change while the window
    /// is read is one like any other.
    ///
    /// # Errors
    /// The token is none; the file has changed since ([`Error::CursorStale`]); as
    /// [`Reader::window`].
    pub fn next(&self, request: &NextRequest) -> Result<NextWindow> {
        let cursor = Cursor::decode(&request.cursor)?;
        let wanted = Wanted {
            bytes: request.max_bytes.map_or(Ok(cursor.max_bytes), bytes_max)?,
            tokens: budget::tokens_max(request.max_tokens)?,
            encoding: cursor.encoding.as_deref().map(named).transpose()?,
            on_invalid: OnInvalid::Replace,
        };
        let mut opened = self.open(&cursor.path)?;
        if self.has_changed(&cursor, &opened, cursor.strict || request.strict)? {
            return Err(self.stale(cursor, &opened)?);
        }
        let (window, bytes) = opened.window(cursor.offset, wanted)?;
        let read = match &cursor.read {
            Some(read) => match read.extended(&opened, cursor.offset, &bytes)? {
                Some(read) => read,
                None => return Err(self.stale(cursor, &opened)?),
            },
            None => Prefix::empty(window.next_offset),
        };
        let now = opened.file.stat().map_err(|source| opened.failed("stat", source))?;
        if (now.len, now.mtime_ns, now.ctime_ns)
            != (opened.stat.len, opened.stat.mtime_ns, opened.stat.ctime_ns)
        {
            opened.stat = now;
            return Err(self.stale(cursor, &opened)?);
        }
        let next = Cursor { offset: window.next_offset, read: Some(read), ..cursor };
        let cursor = next.in_version(self, &opened).encode();
        Ok(NextWindow { window, cursor })
    }

    fn has_changed(&self, cursor: &Cursor, opened: &Opened, strict: bool) -> Result<bool> {
        if opened.stat.len != cursor.size || opened.mtime_ns() != cursor.mtime_ns {
            return Ok(true);
        }
        // The time of the last change of any kind cannot be set back: if it is the same, and was
        // some time ago when the cursor was made, so is the file.
        let same_ctime = cursor.ctime_ns == i64::try_from(opened.stat.ctime_ns).ok();
        match &cursor.read {
            Some(read) if strict && !(same_ctime && cursor.settled) => {
                Ok(!read.holds(opened, cursor.offset)?)
            }
            _ => Ok(false),
        }
    }

    /// What a changed file means for a walk.
    fn stale(&self, cursor: Cursor, opened: &Opened) -> Result<Error> {
        let still_read = match &cursor.read {
            Some(read) if cursor.offset <= opened.stat.len => {
                read.holds(opened, cursor.offset).map(Some)?
            }
            Some(_) => Some(false),
            None => None,
        };
        let drift = match still_read {
            Some(true) if opened.stat.len > cursor.size => "appended",
            Some(true) => "unread_part",
            Some(false) => "read_part",
            None => "unknown",
        };
        let fresh =
            (still_read == Some(true)).then(|| cursor.clone().in_version(self, opened).encode());
        Ok(Error::CursorStale(Box::new(Drift {
            path: cursor.path,
            offset: cursor.offset,
            expected_size: cursor.size,
            actual_size: opened.stat.len,
            expected_mtime_ns: cursor.mtime_ns,
            actual_mtime_ns: opened.mtime_ns(),
            drift,
            cursor: fresh,
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_does_not_depend_on_the_windows_it_grew_by() {
        let bytes: Vec<u8> = (0..300_000_u32).map(|n| (n % 251) as u8).collect();
        let mut whole = Growing::new(1000, [0; 32]);
        whole.absorb(&bytes);
        for size in [1000, 4096, 65_535, 65_536, 299_999] {
            let mut growing = Growing::new(1000, [0; 32]);
            bytes.chunks(size).for_each(|window| growing.absorb(window));
            assert_eq!(growing.prefix(1000), whole.prefix(1000), "{size}");
        }
        let mut other = Growing::new(1000, [0; 32]);
        let mut changed = bytes.clone();
        changed[0] ^= 1;
        other.absorb(&changed);
        assert_ne!(other.prefix(1000), whole.prefix(1000));
    }

    #[test]
    fn a_token_of_the_python_reader_is_understood_and_garbage_is_not() {
        let theirs = r#"{"max_bytes":64,"mtime_ns":1,"offset":3,"path":"a","size":9}"#;
        let cursor = Cursor::decode(&TOKEN.encode(theirs)).unwrap();
        assert_eq!((cursor.path.as_str(), cursor.offset, cursor.read.clone()), ("a", 3, None));
        assert_eq!(Cursor::decode(&cursor.encode()).unwrap(), cursor);
        let broken = [
            String::new(),
            "no token".to_owned(),
            TOKEN.encode("{}"),
            TOKEN.encode("[1,2]"),
            TOKEN.encode(r#"{"max_bytes":0,"mtime_ns":1,"offset":3,"path":"a","size":9}"#),
            TOKEN.encode(r#"{"max_bytes":1,"mtime_ns":1,"offset":10,"path":"a","size":9}"#),
            TOKEN.encode(r#"{"max_bytes":1,"mtime_ns":1,"offset":-1,"path":"a","size":9}"#),
            "A".repeat(TOKEN_MAX + 1),
        ];
        for token in broken {
            assert!(matches!(Cursor::decode(&token), Err(Error::CursorDecode)), "{token}");
        }
    }
}
