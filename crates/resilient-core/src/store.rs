//! What all families of tools share: the disk, the clock, the boundary, and the way into the state.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::contents::read_whole;
use crate::disk::{Clock, DirRef, Disk, File, Kind, Stat};
use crate::error::{Error, NotAFile, Result};
use crate::figures::Figures;
use crate::journal::Filter;
use crate::policy::{HardLinks, Policy};
use crate::policy_file::PolicyFile;
use crate::report::Notice;
use crate::roots::{Git, Root, Roots, SCRATCH_DIRS, STATE_DIR, Target};
use crate::stamp;
use crate::state::{Digests, Site, State};

/// The directory of all chunk sessions, in the state directory.
pub(crate) const CHUNKS: &str = "chunks";
/// The directory of the scratchpad, in the state directory.
pub(crate) const SCRATCH: &str = "scratch";
/// The directories of the state whose files have rows.
const OF_ROWS: [&str; 4] = [CHUNKS, SCRATCH, "checkpoints", "handoffs"];
/// What all families share: the disk, the clock, the boundary and the way into the state.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) roots: Roots,
    /// The directory that holds the state directory.
    pub(crate) home: Root,
    pub(crate) caller: String,
    pub(crate) policy: PolicyFile,
    /// A journal of this length is closed.
    pub(crate) longest_journal: u64,
    /// What is known of files without reading them again.
    pub(crate) digests: Arc<Digests>,
    /// What was done so far, in numbers.
    pub(crate) figures: Figures,
    /// Is called once for each thing that recovery did or kept.
    pub(crate) on_notice: fn(&Notice),
}

impl Store {
    /// Where the state directory is, for the code that opens it.
    pub(crate) fn site(&self) -> Site<'_> {
        Site {
            home: &self.home,
            disk: &*self.disk,
            clock: &*self.clock,
            longest_journal: self.longest_journal,
            digests: &self.digests,
        }
    }

    /// The state directory's absolute path.
    pub(crate) fn state_path(&self) -> PathBuf {
        self.home.path().join(STATE_DIR)
    }

    /// Reports a path in the state directory: relative to the directory that holds it.
    pub(crate) fn show_state(&self, path: &Path) -> String {
        path.strip_prefix(self.home.path()).map_or_else(
            |_| path.to_string_lossy().into_owned(),
            |inside| inside.iter().map(OsStr::to_string_lossy).collect::<Vec<_>>().join("/"),
        )
    }

    /// Reports an absolute path: in the state directory, or in the workspace.
    pub(crate) fn show(&self, path: &str) -> String {
        let path = self.path_of(path);
        if path.starts_with(self.state_path()) {
            self.show_state(&path)
        } else {
            self.roots.show(&path)
        }
    }

    /// The path that a row means: rows are text, and the path of this workspace may be none.
    fn path_of(&self, path: &str) -> PathBuf {
        let home = self.home.path();
        let inside = Path::new(path).strip_prefix(&*home.to_string_lossy());
        inside.map_or_else(|_| path.into(), |inside| home.join(inside))
    }

    /// Whether a row can name a path, so that it leads recovery to the same file: it is text, or what is no text of it
    /// leads to this workspace.
    pub(crate) fn is_nameable(&self, path: &Path) -> bool {
        let named = path.to_string_lossy();
        let leads_back = |path: &Path| {
            let is_inside =
                path.strip_prefix(self.roots.cwd()).is_ok_and(|inside| inside.to_str().is_some());
            is_inside || path.starts_with(self.state_path())
        };
        path.to_str().is_some() || self.path_of(&named) == path && leads_back(path)
    }

    /// Finds what a path of a row leads to, wherever that is in the roots.
    pub(crate) fn locate(&self, path: &str) -> Result<Target> {
        self.roots.locate(&self.argument(path))
    }

    /// A row's path as the roots take it: relative where it is no text.
    fn argument<'a>(&self, path: &'a str) -> Cow<'a, str> {
        let full = self.path_of(path);
        let inside = full.strip_prefix(self.roots.cwd()).ok().and_then(Path::to_str);
        match inside.filter(|_| full.to_str().is_none()) {
            Some(inside) => Cow::Owned(format!("./{inside}")),
            None => Cow::Borrowed(path),
        }
    }

    /// The filter for the rows of a path, however that is written. A relative path is that of the rows
    /// themselves where it leads to no file that may be written.
    pub(crate) fn named_by(&self, path: &str, filter: Filter) -> Result<Filter> {
        let target = match self.roots.locate(path) {
            Ok(target) => target,
            Err(error @ Error::PathForm { .. }) => return Err(error),
            Err(_) => return Ok(Filter { path: Some(self.show(path)), ..filter }),
        };
        let is_in_base = target.path.starts_with(self.roots.cwd());
        let is_relative = !Path::new(path).is_absolute() && is_in_base;
        let in_root = target.path.strip_prefix(&target.root.path).ok().and_then(Path::to_str);
        // Rows of the Python server and of older versions have paths in the root.
        let old_path = in_root.filter(|_| !is_in_base).map(str::to_owned);
        let path = self.show(&target.path.to_string_lossy());
        let abs_path = (!is_relative).then(|| target.path.to_string_lossy().into_owned());
        let any_case = target.has_any_case();
        Ok(Filter { path: Some(path), old_path, abs_path, any_case, ..filter })
    }

    /// Whether recovery may write into `.git`.
    ///
    /// IMPORTANT: a policy in the state directory permits it to tools, not to recovery. Journal,
    /// slots and that policy may all have come with a stranger's repository.
    pub(crate) fn git(&self) -> Git {
        let permits = self.operator_permits(|policy| policy.allow_git);
        if permits { Git::Open } else { Git::Protected }
    }

    /// Whether recovery may write a file with several names on account of a row that does not say where it was written:
    /// one of the names may be outside. As for [`Store::git`], a policy in the state directory permits it to tools alone.
    pub(crate) fn may_write_links(&self) -> bool {
        self.operator_permits(|policy| policy.hard_links == HardLinks::InPlace)
    }

    fn operator_permits(&self, permits: fn(&Policy) -> bool) -> bool {
        self.policy.get().is_ok_and(|policy| permits(&policy))
            && self.policy.lies_in(&self.state_path()).is_ok_and(|lies_in| !lies_in)
    }

    /// Opens a directory of the state for reading; `None` where nothing was ever written.
    pub(crate) fn state_dir(&self, below: &[&str]) -> Result<Option<DirRef>> {
        let mut names = vec![OsString::from(STATE_DIR)];
        names.extend(below.iter().map(OsString::from));
        match self.home.enter(&*self.disk)?.dir.open_beneath(&names) {
            Ok(dir) => Ok(Some(dir)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Error::os(self.shown_state(below), "open", source)),
        }
    }

    /// Whether a file is another name of one that holds what the scratchpad holds. Only a file with several
    /// names is looked for.
    pub(crate) fn has_in_scratch(&self, stat: &Stat) -> bool {
        let is_in = |dir: &DirRef| -> io::Result<bool> {
            let mut names = dir.entries()?.into_iter();
            Ok(names.any(|name| dir.stat(&name).is_ok_and(|known| known.id == stat.id)))
        };
        // Where nobody can tell, nothing is given away.
        let is_in_one = |name: &&str| match self.state_dir(&[name]) {
            Ok(dir) => dir.is_some_and(|dir| is_in(&dir).unwrap_or(true)),
            Err(_) => true,
        };
        stat.links > 1 && stat.kind == Kind::File && SCRATCH_DIRS.iter().any(is_in_one)
    }

    /// Opens a file of the state for reading; `None` where it does not exist.
    pub(crate) fn state_file(&self, below: &[&str], name: &str) -> Result<Option<Arc<dyn File>>> {
        let Some(dir) = self.state_dir(below)? else { return Ok(None) };
        match dir.open(OsStr::new(name)) {
            Ok(file) => Ok(Some(file.into())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => {
                Err(Error::os(format!("{}/{name}", self.shown_state(below)), "open", source))
            }
        }
    }

    /// Reads a file of the state; `None` where it does not exist.
    pub(crate) fn state_bytes(&self, below: &[&str], name: &str) -> Result<Option<Vec<u8>>> {
        let Some(file) = self.state_file(below, name)? else { return Ok(None) };
        let shown = format!("{}/{name}", self.shown_state(below));
        read_whole(&*file, &shown).map(Some)
    }

    pub(crate) fn shown_state(&self, below: &[&str]) -> String {
        std::iter::once(STATE_DIR).chain(below.iter().copied()).collect::<Vec<_>>().join("/")
    }

    /// The time now, as it is written.
    pub(crate) fn now(&self) -> String {
        stamp::utc(self.clock.now_ns())
    }

    /// A new row's identity.
    pub(crate) fn journal_id(&self) -> String {
        let clock = self.clock.now_ns() & 0xFFFF_FFFF_FFFF;
        format!("wj_{clock:012x}{:08x}", self.clock.random() >> 32)
    }

    /// Finds the target of a path in the state directory that is to be written, under the lock.
    pub(crate) fn state_target(&self, state: &State, below: &[&str], name: &str) -> Result<Target> {
        let shown = format!("{}/{name}", self.shown_state(below));
        let mut dir = state.dir.clone();
        let mut missing: Vec<OsString> = Vec::new();
        for part in below {
            if missing.is_empty() {
                match dir.open_dir(OsStr::new(part)) {
                    Ok(next) => dir = next,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {
                        missing.push(part.into());
                    }
                    Err(source) => return Err(Error::os(shown, "open", source)),
                }
            } else {
                missing.push(part.into());
            }
        }
        let stat = if missing.is_empty() {
            match dir.stat(OsStr::new(name)) {
                Ok(stat @ Stat { kind: Kind::File | Kind::Dir, .. }) => Some(stat),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(source) => return Err(Error::os(shown, "stat", source)),
                Ok(_) => {
                    return Err(Error::NotARegularFile {
                        path: shown,
                        what: NotAFile::SpecialOrLink,
                    });
                }
            }
        } else {
            None
        };
        let mut path = self.state_path();
        path.extend(below);
        path.push(name);
        let shown = self.show_state(&path);
        let root = state.home.clone();
        Ok(Target { root, dir, missing, name: name.into(), path, shown, stat })
    }

    /// Opens the directories that lead from a root to a target, as far as they exist, but the deepest
    /// one, which the target has open.
    ///
    /// # Errors
    /// One of them cannot be opened, and so cannot be synced.
    pub(crate) fn directories_above(&self, target: &Target) -> Result<Vec<DirRef>> {
        self.ancestors(target, &mut HashMap::new())
    }

    /// The same, with those that are open already.
    pub(crate) fn ancestors(
        &self,
        target: &Target,
        open: &mut HashMap<PathBuf, DirRef>,
    ) -> Result<Vec<DirRef>> {
        let (path, root) = (&target.path, &target.root);
        let names: Vec<&OsStr> = path.strip_prefix(&root.path).unwrap_or(path).iter().collect();
        // The last ones are the directory that is open, those that are missing, and the file.
        let Some(last) = names.len().checked_sub(2 + target.missing.len()) else {
            return Ok(Vec::new());
        };
        let between = names.get(..last).unwrap_or_default();
        let mut at = root.path.clone();
        let is_root = |dir: &DirRef| matches!((dir.id(), root.dir.id()), (Ok(a), Ok(b)) if a == b);
        if open.get(&at).is_some_and(|dir| !is_root(dir)) {
            // A call of the same batch was in another directory of this path.
            open.clear();
        }
        let mut above: Vec<DirRef> = Vec::with_capacity(between.len() + 1);
        for name in std::iter::once(None).chain(between.iter().map(Some)) {
            at.extend(name);
            let dir = match (open.get(&at), above.last(), name) {
                (Some(dir), ..) => dir.clone(),
                (None, Some(dir), Some(name)) => dir
                    .open_dir(name)
                    .map_err(|source| Error::os(self.roots.show(&at), "open", source))?,
                _ => root.dir.clone(),
            };
            open.insert(at.clone(), dir.clone());
            above.push(dir);
        }
        Ok(above)
    }

    /// Whether a target is in this state directory or in the workspace that holds it: the innermost one, if one lies in
    /// another. Where no workspace does, the user has named the directory, and all of them count.
    pub(crate) fn is_home(&self, target: &Target) -> bool {
        let holders = self.roots.paths().filter(|root| self.state_path().starts_with(root));
        let home = holders.max_by_key(|root| root.components().count());
        target.path.starts_with(self.state_path())
            || home.is_none_or(|home| target.path.starts_with(home))
    }

    /// Finds the target of an absolute path that a journal row names.
    pub(crate) fn row_target(&self, state: &State, path: &str, git: Git) -> Result<Target> {
        if let Ok(inside) = self.path_of(path).strip_prefix(self.state_path()) {
            let mut names: Vec<&str> = inside.iter().filter_map(OsStr::to_str).collect();
            // IMPORTANT: rows may be a stranger's, and the policy is in this directory, too.
            if names.len() < 2 || !names.first().is_some_and(|first| OF_ROWS.contains(first)) {
                return Err(Error::ProtectedPath { path: path.to_owned() });
            }
            let name = names.pop().ok_or(Error::InvalidPath { path: path.to_owned() })?;
            return self.state_target(state, &names, name);
        }
        self.roots.writable(&self.argument(path), git)
    }
}
