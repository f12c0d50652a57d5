//! The files below a directory that a glob names, in one order, each as it is reached.
//!
//! Every directory is entered by handle from the one above, no link is followed, and no more
//! directories are open than the tree is deep. The repository's own directory and the state
//! directory are passed over; what `.gitignore` files say is heeded when asked for.

use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::Reader;
use crate::disk::{DirRef, Kind, Stat, read_all};
use crate::error::{Error, Result};
use crate::roots::STATE_DIR;

/// How many names are looked at for one answer.
const NAMES_MAX: u64 = 500_000;

/// How deep directories may lie in each other.
const DEPTH_MAX: usize = 128;

/// A longer `.gitignore` is not heeded.
const IGNORE_LEN_MAX: u64 = 1 << 20;

/// Which files are meant.
#[derive(Debug)]
pub(super) struct Selection {
    glob: GlobMatcher,
    /// A glob without `/` is of names in any directory.
    is_of_names: bool,
    heeds_gitignore: bool,
    /// Whether names that begin with a dot are left out.
    skips_hidden: bool,
    /// How deep files may be below the base, whose own have depth 1.
    depth: usize,
    /// Whether links, devices and directories that are not entered are meant, too.
    means_all_kinds: bool,
}

/// A file that was reached, or whatever else the selection means.
#[derive(Debug)]
pub(super) struct Reached<'a> {
    pub(super) dir: &'a DirRef,
    pub(super) name: &'a OsStr,
    pub(super) stat: Stat,
    /// Its absolute path.
    pub(super) path: &'a Path,
    /// Whether it is the one to begin with.
    pub(super) is_from: bool,
}

/// What there is to say of a visit.
#[derive(Debug)]
pub(super) struct Visited {
    /// Whether there were too many names to look at.
    pub(super) too_many: bool,
    /// Whether what it was to begin with is there, if anything.
    from_is_there: bool,
}

impl Visited {
    /// That nothing is where the visit was to begin. The place of what is gone still counts: a page may have named it.
    pub(super) fn warning(&self) -> Option<&'static str> {
        const NONE: &str = "nothing is at from_path: the answer begins with what comes after it in the order of the \
                            paths";
        (!self.from_is_there && !self.too_many).then_some(NONE)
    }
}

/// A directory that is being looked through.
struct Level {
    dir: DirRef,
    path: PathBuf,
    names: std::vec::IntoIter<OsString>,
    ignored: Option<Gitignore>,
}

impl Selection {
    pub(super) fn new(glob: &str, heeds_gitignore: bool) -> Result<Self> {
        let built = GlobBuilder::new(glob).literal_separator(true).build();
        let glob_matcher = built.map_err(|error| Error::range(format!("bad_glob: {error}")))?;
        Ok(Self {
            glob: glob_matcher.compile_matcher(),
            is_of_names: !glob.contains('/'),
            heeds_gitignore,
            skips_hidden: false,
            depth: DEPTH_MAX,
            means_all_kinds: false,
        })
    }

    /// Whatever a listing of a directory shows.
    pub(super) fn listed(
        glob: Option<&str>,
        heeds_gitignore: bool,
        hidden: bool,
        depth: Option<usize>,
    ) -> Result<Self> {
        Ok(Self {
            skips_hidden: !hidden,
            depth: depth.unwrap_or(DEPTH_MAX).min(DEPTH_MAX),
            means_all_kinds: glob.is_none(),
            ..Self::new(glob.unwrap_or("*"), heeds_gitignore)?
        })
    }

    fn means(&self, inside: &Path, name: &OsStr) -> bool {
        if self.is_of_names { self.glob.is_match(name) } else { self.glob.is_match(inside) }
    }
}

impl Reader<'_> {
    /// Visits the files below `base` that are meant, beginning with `from`, until told to stop.
    pub(super) fn visit(
        &self,
        base: &str,
        selection: &Selection,
        from: Option<&str>,
        mut visit: impl FnMut(Reached<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<Visited> {
        let (dir, base) = self.roots.readable_dir(base)?;
        self.unseal(&base)?;
        let from = from.map(|from| self.below(&base, from)).transpose()?;
        let from = from.as_deref();
        let mut above: Vec<Gitignore> = Vec::new();
        if selection.heeds_gitignore {
            let mut way = self.roots.way_to(&base)?;
            way.pop();
            above.extend(way.iter().filter_map(|(path, dir)| ignored_in(dir, path)));
        }
        let mut levels = vec![Level::enter(dir, base.clone(), selection)?];
        let mut names_seen = 0;
        let mut visited =
            Visited { too_many: false, from_is_there: from.is_none_or(|from| from == base) };
        while let Some(level) = levels.last_mut() {
            let Some(name) = level.names.next() else {
                levels.pop();
                continue;
            };
            names_seen += 1;
            if names_seen > NAMES_MAX {
                return Ok(Visited { too_many: true, ..visited });
            }
            let path = level.path.join(&name);
            let is_from = from == Some(path.as_path());
            visited.from_is_there |= is_from;
            if name == ".git"
                || name == STATE_DIR
                || self.unseal(&path).is_err()
                || is_before(&path, from)
            {
                continue;
            }
            if selection.skips_hidden && name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            // What is gone or cannot be looked at is not there.
            let Ok(stat) = level.dir.stat(&name) else { continue };
            let is_dir = stat.kind == Kind::Dir;
            let dir = level.dir.clone();
            if selection.heeds_gitignore && is_ignored(&levels, &above, &path, is_dir) {
                continue;
            }
            if is_dir && levels.len() < selection.depth {
                if let Ok(below) = dir.open_dir(&name)
                    && let Ok(level) = Level::enter(below, path, selection)
                {
                    levels.push(level);
                }
                continue;
            }
            if stat.kind != Kind::File && !selection.means_all_kinds {
                continue;
            }
            let inside = path.strip_prefix(&base).unwrap_or(&path);
            if selection.means(inside, &name)
                && visit(Reached { dir: &dir, name: &name, stat, path: &path, is_from })?.is_break()
            {
                return Ok(visited);
            }
        }
        Ok(visited)
    }
}

impl Reader<'_> {
    /// Tells a file in the place of the directory to be looked through from what is not there.
    pub(super) fn no_directory(&self, error: Error, message: &'static str) -> Error {
        match error {
            Error::NotFound { path, .. } if self.open(&path).is_ok() => Error::range(message),
            other => other,
        }
    }

    /// The absolute path of a file below `base`, which is given as it was shown.
    fn below(&self, base: &Path, path: &str) -> Result<PathBuf> {
        Some(self.roots.cwd().join(path))
            .filter(|path| path.starts_with(base))
            .ok_or_else(|| Error::range("from_path must be below path"))
    }
}

impl Level {
    fn enter(dir: DirRef, path: PathBuf, selection: &Selection) -> Result<Self> {
        let names = dir
            .entries()
            .map_err(|source| Error::os(path.to_string_lossy(), "list", source))?
            .into_iter();
        let ignored = selection.heeds_gitignore.then(|| ignored_in(&dir, &path)).flatten();
        Ok(Self { dir, path, names, ignored })
    }
}

/// What the `.gitignore` of a directory says.
fn ignored_in(dir: &DirRef, path: &Path) -> Option<Gitignore> {
    let file = dir.open(OsStr::new(".gitignore")).ok()?;
    let bytes = read_all(&*file, IGNORE_LEN_MAX).ok()?;
    let mut builder = GitignoreBuilder::new(path);
    for line in String::from_utf8_lossy(&bytes).lines() {
        // A line that is no pattern ignores nothing.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok()
}

/// The nearest `.gitignore` that has an opinion decides.
fn is_ignored(levels: &[Level], above: &[Gitignore], path: &Path, is_dir: bool) -> bool {
    let inner = levels.iter().rev().filter_map(|level| level.ignored.as_ref());
    for ignored in inner.chain(above.iter().rev()) {
        match ignored.matched(path, is_dir) {
            Match::None => {}
            Match::Ignore(_) => return true,
            Match::Whitelist(_) => return false,
        }
    }
    false
}

/// Whether a walk that begins at `from` has a path, and all that is below it, behind itself.
fn is_before(path: &Path, from: Option<&Path>) -> bool {
    from.is_some_and(|from| path < from && !from.starts_with(path))
}
