//! A cursor: where a walk through a file is, and enough of what was read to notice a change of it.
//!
//! A cursor is a token that the client keeps; nothing of it is needed here, so it holds across
//! restarts. It names the version of the file by size and times, and carries a [`Prefix`]: a digest
//! of everything that the walk has read. On a change of size or time the prefix tells whether what
//! was read still stands; then the walk goes on at the same place, with a fresh cursor.

use serde::Serialize;

use super::encoding::{Encoding, OnInvalid};
use super::prefix::Prefix;
use super::token::{self, Cursor, Whose, short_time};
use super::trail::{Place, Trail};
use super::window::{Wanted, Window, bytes_max, named};
use super::{Opened, Reader, at_least, budget};
use crate::error::{Drift, Error, Result};

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

impl Cursor {
    /// The same place in the version that is open.
    fn in_version(self, reader: &Reader<'_>, opened: &Opened) -> Self {
        Self {
            size: opened.stat.len,
            mtime_ns: opened.mtime_ns(),
            ctime: Some(short_time(opened.stat.ctime_ns)),
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
        let (opened, trail) = self.open_given(&request.path)?;
        if offset > opened.stat.len {
            return Err(Error::ReadRange {
                message: "offset out of file bounds".to_owned(),
                facts: vec![("offset", offset), ("size", opened.stat.len)],
            });
        }
        let offset = opened.character_at(offset, encoding.unwrap_or(opened.encoding))?;
        let cursor = Cursor {
            whose: Whose::Trail(trail.clone()),
            offset,
            max_bytes,
            size: 0,
            mtime_ns: 0,
            encoding: encoding.map(Encoding::name),
            strict: request.strict,
            ctime: None,
            settled: false,
            read: Some(Prefix::empty(offset)),
        }
        .in_version(self, &opened);
        Ok(CursorAnswer {
            cursor: token::encode(&cursor, &trail),
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
        let cursor = token::decode(&request.cursor)?;
        let wanted = Wanted {
            bytes: request.max_bytes.map_or(Ok(cursor.max_bytes), bytes_max)?,
            tokens: budget::tokens_max(request.max_tokens)?,
            encoding: cursor.encoding.as_deref().map(named).transpose()?,
            on_invalid: OnInvalid::Replace,
        };
        // A cursor is no path that could be corrected.
        let (mut opened, trail) = self.open_whose(&cursor.whose).map_err(|error| match error {
            Error::NotFound { .. } => Error::CursorLost,
            other => other,
        })?;
        if self.has_changed(&cursor, &opened, cursor.strict || request.strict)? {
            return Err(self.stale(cursor, &trail, &opened)?);
        }
        let (window, bytes) = opened.window(cursor.offset, wanted)?;
        let read = match &cursor.read {
            Some(read) => match read.extended(&opened, cursor.offset, &bytes)? {
                Some(read) => read,
                None => return Err(self.stale(cursor, &trail, &opened)?),
            },
            None => Prefix::empty(window.next_offset),
        };
        let now = opened.file.stat().map_err(|source| opened.failed("stat", source))?;
        if (now.len, now.mtime_ns, now.ctime_ns)
            != (opened.stat.len, opened.stat.mtime_ns, opened.stat.ctime_ns)
        {
            opened.stat = now;
            return Err(self.stale(cursor, &trail, &opened)?);
        }
        let next = Cursor { offset: window.next_offset, read: Some(read), ..cursor };
        let cursor = token::encode(&next.in_version(self, &opened), &trail);
        Ok(NextWindow { window, cursor })
    }

    /// Opens the file that a cursor is of.
    fn open_whose(&self, whose: &Whose) -> Result<(Opened, Trail)> {
        let trail = match whose {
            Whose::Path(path) => return self.open_given(path),
            Whose::Trail(trail) => trail,
        };
        if let Some(path) = self.indexes.paths.recall(trail) {
            return Ok((self.open(&path)?, Trail::clone(trail)));
        }
        let Some(Place { dir, name, path }) = self.follow(trail)? else {
            return Err(Error::CursorLost);
        };
        self.unseal(&path)?;
        // The cursor may have room for some of the names only.
        Ok((self.open_in(&*dir, &name, &self.roots.show(&path))?, Trail::to(&path, self.roots)))
    }

    /// Opens a file by its path, and remembers that for its cursors.
    fn open_given(&self, path: &str) -> Result<(Opened, Trail)> {
        let target = self.locate(path)?;
        self.unseal(&target.path)?;
        let trail = Trail::to(&target.path, self.roots);
        let opened = self.open_in(&*target.dir, &target.name, path)?;
        self.indexes.paths.remember(&trail, path);
        Ok((opened, trail))
    }

    fn has_changed(&self, cursor: &Cursor, opened: &Opened, strict: bool) -> Result<bool> {
        if opened.stat.len != cursor.size || opened.mtime_ns() != cursor.mtime_ns {
            return Ok(true);
        }
        // The time of the last change of any kind cannot be set back: if it is the same, and was
        // some time ago when the cursor was made, so is the file.
        let same_ctime = cursor.ctime == Some(short_time(opened.stat.ctime_ns));
        match &cursor.read {
            Some(read) if strict && !(same_ctime && cursor.settled) => {
                Ok(!read.holds(opened, cursor.offset)?)
            }
            _ => Ok(false),
        }
    }

    /// What a changed file means for a walk.
    fn stale(&self, cursor: Cursor, trail: &Trail, opened: &Opened) -> Result<Error> {
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
        let fresh = if still_read == Some(true) {
            let short = match &cursor.read {
                Some(read) if !read.is_short() => read.in_short(opened, cursor.offset)?,
                read => read.clone(),
            };
            let there = Cursor { read: short, ..cursor.clone() }.in_version(self, opened);
            Some(token::encode(&there, trail))
        } else {
            None
        };
        Ok(Error::CursorStale(Box::new(Drift {
            path: opened.path.clone(),
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
