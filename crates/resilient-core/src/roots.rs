//! The access boundary: the workspace roots, and the way from a path that an agent writes to a
//! file inside them.
//!
//! A path is resolved once, by directory handles, without ever asking the kernel to follow a link:
//! what `Target::dir` holds stays inside its root whatever is renamed or linked meanwhile. Links
//! are followed by hand where they end inside; one that leads outside is refused.

mod elsewhere;
mod nearby;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::disk::{DirRef, Disk, Kind, Stat};
use crate::error::{Error, NotAFile, Result};
use crate::name::without_case;
use known::Known;

mod known;
mod root;
mod twins;
mod written;

pub(crate) use root::Entered;
pub use root::Root;
pub use written::plain;

/// The name of the state directory.
pub const STATE_DIR: &str = ".resilient_write";

/// As Linux's own limit (`MAXSYMLINKS`, `path_resolution(7)`).
const MAX_LINKS: usize = 40;

/// As Linux's own limit (`PATH_MAX`, the NUL at the end included). Directories could be made and entered beyond it
/// one by one, where no other program finds them, and thousands of them take long.
const PATH_MAX: usize = 4096;
/// What the system says of such a path (`ENAMETOOLONG`).
const TOO_LONG: i32 = if cfg!(target_os = "linux") {
    36
} else if cfg!(windows) {
    206
} else {
    63
};

/// Whether tools may write into a repository's own directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Git {
    /// `.git` is refused.
    Protected,
    /// The policy has opened it.
    Open,
}

/// All roots, and the directory at which relative paths begin.
#[derive(Debug)]
pub struct Roots {
    disk: Arc<dyn Disk>,
    cwd: PathBuf,
    list: Vec<Root>,
    state: PathBuf,
    /// The policy file that the operator has named.
    policy: Option<PathBuf>,
    user_home: Option<PathBuf>,
}

/// Where a file is or would be, as a handle inside a root.
#[derive(Debug, Clone)]
pub struct Target {
    /// The root that it is in.
    pub(crate) root: Arc<Entered>,
    /// The deepest directory of the path that exists.
    pub(crate) dir: DirRef,
    /// The directories to be made below it, outermost first.
    pub(crate) missing: Vec<OsString>,
    /// The file's own name.
    pub(crate) name: OsString,
    /// The absolute path with all links resolved.
    pub(crate) path: PathBuf,
    /// The path as it is reported.
    pub(crate) shown: String,
    /// What the name was when it was looked at; `None` for a file that did not exist.
    pub(crate) stat: Option<Stat>,
}

impl Target {
    /// The absolute path with all links resolved.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// A directory that a path passes.
struct Step {
    dir: DirRef,
    /// Its absolute path with all links resolved, by the name that is known here.
    at: PathBuf,
    /// Where it is a root.
    root: Option<Arc<Entered>>,
}

/// Where a path leads.
struct Resolved {
    /// The innermost root that it is in.
    root: Option<Arc<Entered>>,
    /// The deepest directory of the path that exists.
    dir: DirRef,
    /// The absolute path with all links resolved.
    path: PathBuf,
    /// What does not exist of it, outermost first.
    missing: Vec<OsString>,
    /// The name that is no directory at its end.
    found: Option<(OsString, Stat)>,
}

impl Roots {
    /// Sets the boundary. All paths are absolute with their links resolved; `state` is the
    /// directory that holds the state directory.
    #[must_use]
    pub fn new(disk: Arc<dyn Disk>, cwd: PathBuf, roots: Vec<PathBuf>, state: &Path) -> Self {
        Self {
            disk,
            cwd,
            list: roots.into_iter().map(Root::new).collect(),
            state: state.join(STATE_DIR),
            policy: None,
            user_home: None,
        }
    }

    /// Sets the user's home directory, in which a path is that begins with `~` or `$HOME`.
    #[must_use]
    pub fn user_home(self, home: Option<PathBuf>) -> Self {
        Self { user_home: home, ..self }
    }

    /// Names the operator's policy file: a tool that could write it could switch it off.
    #[must_use]
    pub fn policy(self, path: Option<PathBuf>) -> Self {
        Self { policy: path, ..self }
    }

    /// The roots' absolute paths.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.list.iter().map(Root::path)
    }

    /// The directory at which relative paths begin.
    #[must_use]
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Resolves a path that is to be written.
    ///
    /// # Errors
    /// The path is empty or cannot be named; it leads out of every root, into the state directory
    /// or into `.git`; it is a directory, FIFO, socket or device; it goes through a file.
    pub fn writable(&self, path: &str, git: Git) -> Result<Target> {
        // A path that ends like a directory does not name a file.
        if path.len() > 1 && path.ends_with(std::path::is_separator) {
            return Err(Error::NotARegularFile {
                path: path.to_owned(),
                what: NotAFile::Directory,
            });
        }
        let target = self.locate(path).map_err(|error| match error {
            Error::Os { path, source, .. } if source.kind() == io::ErrorKind::NotADirectory => {
                Error::MakeDirectory { path, source }
            }
            other => other,
        })?;
        if self.protects(&target.path, git) {
            return Err(Error::ProtectedPath { path: path.to_owned() });
        }
        if let Some(Stat { kind: Kind::Other, .. }) = target.stat {
            return Err(Error::NotARegularFile { path: path.to_owned(), what: NotAFile::Special });
        }
        Ok(target)
    }

    /// Resolves a path that is to be read. It leads to the same file as for a write.
    ///
    /// # Errors
    /// As [`Roots::writable`], except for protection; and the file does not exist.
    pub fn readable(&self, path: &str) -> Result<Target> {
        let target = self.locate(path).map_err(|error| match error {
            Error::Os { path, source, .. } if source.kind() == io::ErrorKind::NotADirectory => {
                Error::NotFound { path, near: Vec::new() }
            }
            other => other,
        })?;
        self.existing(target, path)
    }

    fn existing(&self, target: Target, path: &str) -> Result<Target> {
        match target.stat {
            None => Err(Error::NotFound { path: path.to_owned(), near: Vec::new() }),
            Some(Stat { kind: Kind::Other, .. }) => {
                Err(Error::NotARegularFile { path: path.to_owned(), what: NotAFile::Special })
            }
            Some(_) => Ok(target),
        }
    }

    /// The absolute path by its letters alone: `.` and `..` are taken out, links are not followed, and nothing is read. Two
    /// spellings of a file have the same, unless one goes through a link.
    ///
    /// # Errors
    /// The path cannot be named.
    pub fn spelled_out(&self, path: &str) -> Result<PathBuf> {
        let mut out = PathBuf::new();
        for component in self.absolute(path)?.components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => {
                    out.pop();
                }
                other => out.push(other),
            }
        }
        Ok(out)
    }

    /// Reports a path: relative to the working directory if it is below that, else absolute; always with `/`.
    /// Given back as an argument, it leads to the same file.
    #[must_use]
    pub fn show(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.cwd).unwrap_or(path);
        if inside.as_os_str().is_empty() {
            return ".".to_owned();
        }
        if inside.is_absolute() {
            return inside.to_string_lossy().into_owned();
        }
        let names: Vec<_> = inside.iter().map(OsStr::to_string_lossy).collect();
        let shown = names.join("/");
        // A directory may be named `~`.
        let is_plain = matches!(plain(&shown, None), Ok(Cow::Borrowed(_)));
        if is_plain { shown } else { format!("./{shown}") }
    }

    /// Finds the root that holds an absolute path and enters it; for recovery, which meets paths
    /// that were resolved before.
    pub(crate) fn locate(&self, path: &str) -> Result<Target> {
        if path.is_empty() {
            return Err(Error::EmptyPath);
        }
        let absolute = self.absolute(path)?;
        if let Some(target) = self.straight(path, &absolute)? {
            return Ok(target);
        }
        self.walk(path, &absolute)
    }

    /// The path from the top, as it is written otherwise.
    fn absolute(&self, path: &str) -> Result<PathBuf> {
        if path.contains('\0') {
            return Err(Error::InvalidPath { path: path.to_owned() });
        }
        let absolute = self.cwd.join(&*plain(path, self.user_home.as_deref())?);
        if absolute.as_os_str().len() >= PATH_MAX {
            return Err(Error::os(path, "resolve", io::Error::from_raw_os_error(TOO_LONG)));
        }
        Ok(absolute)
    }

    /// The common case in one call to the kernel: a path written without links and dots.
    fn straight(&self, given: &str, absolute: &Path) -> Result<Option<Target>> {
        let Some(root) = self.enter(absolute)? else { return Ok(None) };
        let inside = absolute.strip_prefix(&root.path).unwrap_or(absolute);
        let names: Option<Vec<OsString>> = inside
            .components()
            .map(|part| match part {
                Component::Normal(name) => Some(name.to_owned()),
                _ => None,
            })
            .collect();
        let Some(mut names) = names else { return Ok(None) };
        // Joined anew: the path may be written with `//` and `/./`.
        let path = root.path.join(names.iter().collect::<PathBuf>());
        let Some(name) = names.pop() else { return Ok(None) };
        let top = &root.dir;
        // IMPORTANT: not into another mount, where a directory may have a second name. The long way knows it.
        let dir = if names.is_empty() { Ok(top.clone()) } else { top.open_in_mount(&names) };
        let Ok(dir) = dir else { return Ok(None) };
        let stat = match dir.stat(&name) {
            Ok(Stat { kind: Kind::Link | Kind::Dir, .. }) => return Ok(None),
            Ok(stat) => Some(stat),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(Error::os(given, "stat", source)),
        };
        let shown = self.show(&path);
        Ok(Some(Target { root, dir, missing: Vec::new(), name, path, shown, stat }))
    }

    /// Resolves a directory that is to be looked through: its handle, and its absolute path with all links
    /// resolved.
    ///
    /// # Errors
    /// The path leads out of every root; there is no such directory.
    pub(crate) fn readable_dir(&self, path: &str) -> Result<(DirRef, PathBuf)> {
        let absolute = self.absolute(path)?;
        match self.resolve(path, &absolute)? {
            Resolved { dir, path, missing, found: None, .. } if missing.is_empty() => {
                Ok((dir, path))
            }
            _ => Err(Error::NotFound { path: path.to_owned(), near: self.elsewhere(path) }),
        }
    }

    /// The handles of the directories from a root down to one inside it, the root's first.
    pub(crate) fn way_to(&self, dir: &Path) -> Result<Vec<(PathBuf, DirRef)>> {
        let Some(root) = self.list.iter().find(|root| dir.starts_with(root.path())) else {
            return Ok(Vec::new());
        };
        let mut way = vec![(root.path().to_owned(), root.enter(&*self.disk)?.dir.clone())];
        for name in dir.strip_prefix(root.path()).unwrap_or(dir).iter() {
            let Some((path, above)) = way.last() else { break };
            let path = path.join(name);
            let below = above
                .open_dir(name)
                .map_err(|source| Error::os(path.to_string_lossy(), "open", source))?;
            way.push((path, below));
        }
        Ok(way)
    }

    /// A file's place at the end of a resolved path.
    fn walk(&self, given: &str, absolute: &Path) -> Result<Target> {
        let Resolved { root, dir, path, mut missing, found } = self.resolve(given, absolute)?;
        let (name, stat) = match found {
            Some((name, stat)) => (name, Some(stat)),
            None => match missing.pop() {
                Some(name) => (name, None),
                None => {
                    return Err(Error::NotARegularFile {
                        path: given.to_owned(),
                        what: NotAFile::Directory,
                    });
                }
            },
        };
        // Directories are only ever made inside a root, never above one.
        let Some(root) = root else {
            return Err(Error::os(given, "resolve", io::ErrorKind::NotFound.into()));
        };
        let shown = self.show(&path);
        Ok(Target { root, dir, missing, name, path, shown, stat })
    }

    /// Follows every component by hand, links and `..` included, from the top of the file system.
    fn resolve(&self, given: &str, absolute: &Path) -> Result<Resolved> {
        let os = |source| Error::os(given, "resolve", source);
        let top: PathBuf = absolute.ancestors().last().unwrap_or(absolute).to_owned();
        let ground = self.disk.open_root(&top).map_err(os)?;
        let mut stack: Vec<Step> = Vec::new();
        let mut known = None;
        let mut missing: Vec<OsString> = Vec::new();
        let mut found: Option<(OsString, Stat)> = None;
        let mut links = 0;
        let mut ahead: VecDeque<OsString> = names(absolute).collect();

        while let Some(name) = ahead.pop_front() {
            if name == ".." {
                if missing.pop().is_none() {
                    stack.pop();
                }
                continue;
            }
            if !missing.is_empty() {
                missing.push(name);
                continue;
            }
            let dir = stack.last().map_or(&ground, |step| &step.dir);
            let here = stack.last().map_or(&top, |step| &step.at).join(&name);
            if self.list.iter().any(|root| root.path() == here)
                && let Some(root) = self.enter(&here)?
                && root.path == here
            {
                // The same directory for this path as for one that is written without links.
                stack.push(Step { dir: root.dir.clone(), at: here, root: Some(root) });
                continue;
            }
            // IMPORTANT: no error tells what there is outside.
            let os = |source| {
                if self.paths().any(|root| here.starts_with(root) || root.starts_with(&here)) {
                    return os(source);
                }
                self.escapes(given, &here.join(ahead.iter().collect::<PathBuf>()))
            };
            match dir.stat(&name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(name),
                Err(source) => return Err(os(source)),
                Ok(stat) => match stat.kind {
                    Kind::Link => {
                        links += 1;
                        if links > MAX_LINKS {
                            return Err(Error::LinkLoop { path: given.to_owned() });
                        }
                        let to = match dir.read_link(&name) {
                            // Another program has put something else there: it is looked at again.
                            Err(error) if is_no_link(&error) => {
                                ahead.push_front(name);
                                continue;
                            }
                            to => to.map_err(os)?,
                        };
                        if to.is_absolute() {
                            stack.clear();
                        }
                        for part in names(&to).rev() {
                            ahead.push_front(part);
                        }
                    }
                    Kind::File | Kind::Other if ahead.is_empty() => found = Some((name, stat)),
                    // Fails, as it should, where it is no directory.
                    Kind::Dir | Kind::File | Kind::Other => {
                        let dir = dir.open_dir(&name).map_err(os)?;
                        let known = known.get_or_insert_with(|| Known::of(self));
                        stack.push(match known.path_of(stat.id) {
                            None => Step { dir, at: here, root: None },
                            Some(at) => match self.enter(at)?.filter(|root| root.path == *at) {
                                Some(root) => {
                                    let dir = root.dir.clone();
                                    Step { dir, at: at.clone(), root: Some(root) }
                                }
                                None => Step { dir, at: at.clone(), root: None },
                            },
                        });
                    }
                },
            }
        }

        let mut path = stack.last().map_or(&top, |step| &step.at).clone();
        path.extend(&missing);
        path.extend(found.iter().map(|(name, _)| name));
        if !self.list.iter().any(|root| path.starts_with(root.path())) {
            return Err(self.escapes(given, &path));
        }
        let root = match stack.iter_mut().rev().find_map(|step| step.root.take()) {
            None => self.enter(&top)?,
            root => root,
        };
        let dir = stack.pop().map_or(ground, |step| step.dir);
        Ok(Resolved { root, dir, path, missing, found })
    }

    /// The root that holds an absolute path, of roots inside each other the innermost that is there.
    ///
    /// # Errors
    /// None of those that hold it is there.
    fn enter(&self, path: &Path) -> Result<Option<Arc<Entered>>> {
        let mut holding: Vec<&Root> =
            self.list.iter().filter(|root| path.starts_with(root.path())).collect();
        holding.sort_by_key(|root| std::cmp::Reverse(root.path().as_os_str().len()));
        let mut gone = None;
        for root in holding {
            match root.enter(&*self.disk) {
                Ok(entered) => return Ok(Some(entered)),
                Err(error) => gone = gone.or(Some(error)),
            }
        }
        gone.map_or(Ok(None), Err)
    }

    fn escapes(&self, given: &str, resolved: &Path) -> Error {
        Error::EscapesWorkspace {
            path: given.to_owned(),
            resolved: resolved.to_string_lossy().into_owned(),
            workspaces: self.paths().map(|root| root.to_string_lossy().into_owned()).collect(),
        }
    }

    /// Whether tools must keep their hands off: the state directory, wherever it is, the operator's policy file,
    /// and `.git`.
    ///
    /// Names are compared as the most lenient file system would.
    fn protects(&self, path: &Path, git: Git) -> bool {
        let is_policy = |policy: &PathBuf| {
            without_case(&policy.to_string_lossy()) == without_case(&path.to_string_lossy())
        };
        if path.starts_with(&self.state) || self.policy.as_ref().is_some_and(is_policy) {
            return true;
        }
        let Some(inside) = self.paths().find_map(|root| path.strip_prefix(root).ok()) else {
            return true;
        };
        inside.iter().any(|name| {
            let folded = fold(&name.to_string_lossy());
            folded == STATE_DIR || (folded == ".git" && git == Git::Protected)
        })
    }
}

/// The directories of a state directory whose files hold what the scratchpad holds: itself, slots on their way
/// there, and what recovery has set aside.
pub(crate) const SCRATCH_DIRS: [&str; 3] = ["scratch", "tmp", "conflicts"];

/// Whether an absolute path with its links resolved leads to scratch content, in whatever state directory.
///
/// Names are compared as the most lenient file system would.
pub(crate) fn holds_scratch(path: &Path) -> bool {
    let mut names = path.iter().map(|name| fold(&name.to_string_lossy()));
    while let Some(name) = names.next() {
        if name == STATE_DIR {
            return names.next().is_some_and(|below| SCRATCH_DIRS.contains(&below.as_str()));
        }
    }
    false
}

/// Whether an error says that a name is no link, or leads nowhere.
fn is_no_link(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidInput)
}

fn names(path: &Path) -> impl DoubleEndedIterator<Item = OsString> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsString::from("..")),
        _ => None,
    })
}

/// The name as a file system sees it that ignores case, invisible characters (HFS+), trailing dots
/// and spaces, short names and streams (NTFS): the same tricks that git refuses in `.git`.
fn fold(name: &str) -> String {
    let visible: String = name
        .chars()
        .filter(|c| {
            !matches!(c, '\u{ad}' | '\u{34f}' | '\u{180b}'..='\u{180f}' | '\u{2060}'..='\u{2064}'
                | '\u{fe00}'..='\u{fe0f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{206a}'..='\u{206f}' | '\u{feff}')
        })
        .map(|c| if c == '\u{17f}' { 's' } else { c })
        .flat_map(char::to_lowercase)
        .collect();
    let plain = visible.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    match plain {
        "git~1" => ".git".to_owned(),
        "resili~1" => STATE_DIR.to_owned(),
        _ => plain.to_owned(),
    }
}
