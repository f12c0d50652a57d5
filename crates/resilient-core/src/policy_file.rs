//! The policy in force: read anew when its file has changed.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::disk::{Disk, FileBox, FileId, Kind, Stat, read_all};
use crate::error::{Error, Result};
use crate::policy::Policy;

/// How many links may lead to the policy.
const MAX_LINKS: usize = 8;
/// In how many directories it may lie.
const DEEPEST: usize = 256;
/// A larger file is no policy.
const LONGEST: u64 = 1 << 24;

/// The file that holds the policy, and what was read from it last.
#[derive(Debug)]
pub(crate) struct PolicyFile {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    /// Whether the user has named it, so that it has to be there.
    is_named: bool,
    known: Mutex<Option<Known>>,
}

/// A policy, with the facts of its file: `None` where there was none.
type Known = (Option<Stat>, Arc<Policy>);

impl PolicyFile {
    pub(crate) fn new(disk: Arc<dyn Disk>, path: PathBuf, is_named: bool) -> Self {
        Self { disk, path, is_named, known: Mutex::default() }
    }

    /// Its absolute path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The policy; the built-in one where there is no file and none is named.
    ///
    /// # Errors
    /// A file that is named is not there. The file is there and cannot be read or used.
    pub(crate) fn get(&self) -> Result<Arc<Policy>> {
        let shown = self.path.to_string_lossy();
        let os = |source| Error::os(shown.clone(), "read", source);
        // IMPORTANT: a directory that this user may not enter tells nothing of the file, which may not be there.
        let os_of_dir = |source: io::Error| {
            let dir = self.path.parent().unwrap_or(&self.path);
            Error::os(dir.to_string_lossy(), "open", source)
        };
        if let Some(policy) = self.unchanged() {
            return Ok(policy);
        }
        let file = match self.open() {
            Ok(Found::File(file)) => Some(file),
            Ok(Found::Nothing) if !self.is_named => None,
            Ok(Found::Nothing | Found::LinkToNothing) => {
                return Err(Error::PolicyNotFound { path: shown.into_owned() });
            }
            Err(source) if !self.may_enter() => return Err(os_of_dir(source)),
            Err(source) => return Err(os(source)),
        };
        let stat = file.as_ref().map(|file| file.stat()).transpose().map_err(os)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, policy)) = known.as_ref()
            && *of == stat
        {
            return Ok(policy.clone());
        }
        let policy = match file {
            None => Policy::default(),
            Some(file) => {
                let bytes = read_all(&*file, LONGEST).map_err(os)?;
                let text = String::from_utf8_lossy(&bytes);
                Policy::parse(&text).map_err(|source| Error::Policy {
                    path: shown.to_string(),
                    place: source.place(&text),
                    source,
                })?
            }
        };
        let policy = Arc::new(policy);
        *known = Some((stat, policy.clone()));
        Ok(policy)
    }

    /// What was read last, where one look at the path shows that it still holds. A link at the end of the path
    /// never shows it.
    fn unchanged(&self) -> Option<Arc<Policy>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (of, policy) = known.as_ref()?;
        let now = match self.disk.stat(&self.path) {
            Ok(stat) => Some(stat),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(_) => return None,
        };
        (*of == now).then(|| policy.clone())
    }

    /// Whether the directory of the file can be opened and looked up in.
    fn may_enter(&self) -> bool {
        let dir = self.path.parent().and_then(|dir| self.disk.open_root(dir).ok());
        let name = self.path.file_name().unwrap_or_default();
        let denied = |error: &io::Error| error.kind() == io::ErrorKind::PermissionDenied;
        dir.is_some_and(|dir| !dir.stat(name).is_err_and(|error| denied(&error)))
    }

    fn open(&self) -> io::Result<Found> {
        // The operator names this file, so that its links may lead anywhere.
        let mut path = self.path.clone();
        let mut is_link = false;
        for _ in 0..MAX_LINKS {
            match self.step(&path) {
                Ok(Step::Link(to)) => (path, is_link) = (to, true),
                Ok(Step::File(file)) => return Ok(Found::File(file)),
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Err(_) if is_link => return Ok(Found::LinkToNothing),
                Err(_) => return Ok(Found::Nothing),
            }
        }
        Err(io::ErrorKind::InvalidInput.into())
    }

    /// Whether the file lies in a directory or below, whatever path and links lead there.
    ///
    /// # Errors
    /// It is not there, or cannot be followed.
    pub(crate) fn lies_in(&self, dir: &Path) -> io::Result<bool> {
        let dir = self.disk.open_root(dir)?.id()?;
        let mut path = self.path.clone();
        for _ in 0..MAX_LINKS {
            if self.is_below(&path, dir)? {
                return Ok(true);
            }
            match self.step(&path)? {
                Step::Link(to) => path = to,
                Step::File(_) => return Ok(false),
            }
        }
        Err(io::ErrorKind::InvalidInput.into())
    }

    fn is_below(&self, path: &Path, dir: FileId) -> io::Result<bool> {
        let mut above = path.parent().unwrap_or(Path::new("/")).to_owned();
        let mut id = self.disk.open_root(&above)?.id()?;
        for _ in 0..DEEPEST {
            if id == dir {
                return Ok(true);
            }
            above.push("..");
            let last = std::mem::replace(&mut id, self.disk.stat(&above)?.id);
            if id == last {
                return Ok(false);
            }
        }
        Err(io::ErrorKind::InvalidInput.into())
    }

    fn step(&self, path: &Path) -> io::Result<Step> {
        let parent = path.parent().unwrap_or(Path::new("/"));
        let dir = self.disk.open_root(parent)?;
        let name = path.file_name().unwrap_or(OsStr::new(""));
        Ok(match dir.stat(name)?.kind {
            Kind::Link => Step::Link(parent.join(dir.read_link(name)?)),
            _ => Step::File(dir.open(name)?),
        })
    }
}

/// What is in the place of the policy file.
enum Found {
    File(FileBox),
    /// A link that leads nowhere, which is no absent policy.
    LinkToNothing,
    Nothing,
}

/// Where a path leads to.
enum Step {
    File(FileBox),
    Link(PathBuf),
}
