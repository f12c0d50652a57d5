//! A root as its path leads to it now.
//!
//! A handle on a directory outlives the directory's name. Somebody may move a workspace away under a running
//! server and make another one: what the server holds open is the old one then. So each call asks what the
//! path leads to, and works there.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::disk::{DirRef, Disk, FileId, Kind};
use crate::error::{Error, Result};

/// A directory under which files may be written, opened when it is first needed.
#[derive(Debug)]
pub struct Root {
    path: PathBuf,
    entered: Mutex<Option<Arc<Entered>>>,
}

/// A root as a call has found it. Two of the same path may be different directories.
#[derive(Debug)]
pub(crate) struct Entered {
    pub(crate) path: PathBuf,
    pub(crate) dir: DirRef,
}

impl Entered {
    /// Whether both are the same directory at the same path. That a handle is open keeps its directory's number
    /// from being given to another one.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.path == other.path
            && matches!((self.dir.id(), other.dir.id()), (Ok(a), Ok(b)) if a == b)
    }
}

impl Root {
    /// Names a root by its absolute path with all links resolved.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self { path, entered: Mutex::new(None) }
    }

    /// Its absolute path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directory that its path leads to now.
    ///
    /// # Errors
    /// There is none, or the path leads over a link.
    pub(crate) fn enter(&self, disk: &dyn Disk) -> Result<Arc<Entered>> {
        let now = id_of(disk, &self.path).map_err(|source| self.gone(source))?;
        let mut held = self.entered.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entered) = held.as_ref()
            && entered.dir.id().is_ok_and(|id| id == now)
        {
            return Ok(entered.clone());
        }
        let dir = self.open(disk).map_err(|source| self.gone(source))?;
        let entered = Arc::new(Entered { path: self.path.clone(), dir });
        *held = Some(entered.clone());
        Ok(entered)
    }

    /// Opens it from the top.
    ///
    /// IMPORTANT: without following a link. The path had none when it was given; one that has come since may
    /// have been put there to lead this process out of the workspace.
    fn open(&self, disk: &dyn Disk) -> io::Result<DirRef> {
        let top = self.path.ancestors().last().unwrap_or(&self.path);
        let names: Vec<_> = super::names(&self.path).collect();
        let ground = disk.open_root(top)?;
        if names.is_empty() { Ok(ground) } else { ground.open_beneath(&names) }
    }

    fn gone(&self, source: io::Error) -> Error {
        let root = self.path.to_string_lossy().into_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Error::RootGone { root, what: "not there" },
            io::ErrorKind::NotADirectory => {
                Error::RootGone { root, what: "behind a link, or no directory" }
            }
            _ => Error::os(root, "open", source),
        }
    }
}

/// What a path leads to now, also over a link.
pub(super) fn id_of(disk: &dyn Disk, path: &Path) -> io::Result<FileId> {
    let stat = disk.stat(path)?;
    if stat.kind == Kind::Link { disk.open_root(path)?.id() } else { Ok(stat.id) }
}
