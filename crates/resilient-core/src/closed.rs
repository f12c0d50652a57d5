//! Closed journals: what was the journal until it had become long.
//!
//! They lie in `journal/`, numbered in the order in which they were closed. No row is added to one any
//! more; a server that closes no journals may still add a line that it had begun. Beside a
//! closed journal there may be files that are derived from it (`derived`). They can be deleted at any time.

use std::ffi::{OsStr, OsString};
use std::io;
use std::sync::Arc;

use crate::disk::{Dir, DirRef, File, FileBox, Stat, read_up_to};
use crate::journal::{ChainWalk, Verification};

mod derived;
mod index;
mod tail;
#[cfg(test)]
mod tests;

pub(crate) use derived::{Of, keep, name as derived_name, sweep};
pub(crate) use tail::{newest_with, tail};

/// The directory of closed journals, in the state directory.
pub(crate) const DIR: &str = "journal";

/// How much of two files is compared at a time.
const PIECE: usize = 64 << 10;

/// The name of a closed journal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Name {
    pub(crate) number: u64,
    pub(crate) file: OsString,
}

impl Name {
    pub(crate) fn of(number: u64) -> Self {
        Self { number, file: format!("{number:06}.jsonl").into() }
    }

    /// The name as it is reported, below the state directory.
    pub(crate) fn shown(&self) -> String {
        format!("{DIR}/{}", self.file.to_string_lossy())
    }
}

/// Opens the directory of closed journals; `None` where no journal was ever closed.
pub(crate) fn open(state: &dyn Dir) -> io::Result<Option<DirRef>> {
    match state.open_dir(OsStr::new(DIR)) {
        Ok(dir) => Ok(Some(dir)),
        // Something else of that name holds no journal.
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The names of the closed journals, oldest first. Other names are ignored.
pub(crate) fn names(dir: &dyn Dir) -> io::Result<Vec<Name>> {
    let entries = dir.entries()?.into_iter();
    let mut names: Vec<Name> = entries
        .filter_map(|file| {
            let number = file.to_str()?.strip_suffix(".jsonl")?.parse().ok()?;
            Some(Name::of(number)).filter(|name| name.file == file)
        })
        .collect();
    names.sort_unstable();
    Ok(names)
}

/// All journals at one moment: the closed ones, and the current one as far as a reader may see it.
pub(crate) struct Journals {
    dir: Option<DirRef>,
    /// Oldest first.
    pub(crate) closed: Vec<Name>,
    current: Arc<dyn File>,
    /// How much of the current one counts.
    len: u64,
}

/// One of the journals, opened.
pub(crate) struct Opened {
    file: Source,
    pub(crate) len: u64,
}

enum Source {
    Closed(FileBox),
    Current(Arc<dyn File>),
}

impl Opened {
    pub(crate) fn file(&self) -> &dyn File {
        match &self.file {
            Source::Closed(file) => &**file,
            Source::Current(file) => &**file,
        }
    }
}

impl Journals {
    /// Finds the closed journals behind a current one that is open already. So a journal that is closed
    /// meanwhile is read once.
    pub(crate) fn behind(
        state: Option<&dyn Dir>,
        current: Arc<dyn File>,
        len: u64,
    ) -> io::Result<Self> {
        let dir = state.map(open).transpose()?.flatten();
        let closed = dir.as_ref().map(|dir| names(&**dir)).transpose()?.unwrap_or_default();
        let journals = Self { dir, closed, current, len };
        let last = match journals.closed.last() {
            Some(last) => journals.open(last)?,
            None => None,
        };
        match last {
            Some(last) if is_in_current(last.file(), &*journals.current)? => {
                let closed = journals.closed.split_last().map(|(_, others)| others.to_vec());
                Ok(Self { closed: closed.unwrap_or_default(), ..journals })
            }
            _ => Ok(journals),
        }
    }

    /// The current journal.
    pub(crate) fn current(&self) -> Opened {
        Opened { file: Source::Current(self.current.clone()), len: self.len }
    }

    /// Opens a closed journal; `None` where it is gone, or is no file.
    pub(crate) fn open(&self, name: &Name) -> io::Result<Option<Opened>> {
        let Some(dir) = &self.dir else { return Ok(None) };
        match dir.open(&name.file) {
            Ok(file) => Ok(Some(Opened { len: file.stat()?.len, file: Source::Closed(file) })),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::InvalidInput
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The closed journals that are there, oldest first, each with its facts.
    pub(crate) fn stats(&self) -> io::Result<Vec<(&Name, Stat)>> {
        let Some(dir) = &self.dir else { return Ok(Vec::new()) };
        let mut stats = Vec::new();
        for name in &self.closed {
            match dir.stat(&name.file) {
                Ok(stat) => stats.push((name, stat)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(stats)
    }

    /// Walks the chain from the first row of the oldest journal.
    pub(crate) fn verify(&self) -> io::Result<Verification> {
        let mut walk = ChainWalk::default();
        for name in &self.closed {
            if let Some(journal) = self.open(name)? {
                walk.go_on(journal.file(), journal.len, Some(name.shown()))?;
            }
        }
        walk.go_on(&*self.current, u64::MAX, None)?;
        Ok(walk.finish())
    }

    /// The directory of closed journals, for what is derived from them.
    pub(crate) fn dir(&self) -> Option<&dyn Dir> {
        self.dir.as_deref()
    }
}

/// Whether all of a closed journal is in the current one too: it is the same file, as between the two steps of
/// closing, or a copy of the directory has made two files of it. All bytes are compared: a journal
/// that somebody restored from a backup begins like a closed one, too.
pub(crate) fn is_in_current(closed: &dyn File, current: &dyn File) -> io::Result<bool> {
    if closed.id()? == current.id()? {
        return Ok(true);
    }
    let len = closed.stat()?.len;
    if len == 0 || len > current.stat()?.len {
        return Ok(false);
    }
    let (mut one, mut other) = (vec![0; PIECE], vec![0; PIECE]);
    let mut offset = 0;
    while offset < len {
        let read = read_up_to(closed, &mut one, offset)?;
        let (one, other) = (one.get(..read), other.get_mut(..read));
        let Some((one, other)) = one.zip(other).filter(|(one, _)| !one.is_empty()) else {
            return Ok(false);
        };
        if read_up_to(current, other, offset)? != read || one != other {
            return Ok(false);
        }
        offset += read as u64;
    }
    Ok(true)
}
