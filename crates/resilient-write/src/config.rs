//! The surroundings: what the environment and the command line say about the workspace.
//!
//! This is the only file that reads the environment. The rules are those of the Python server.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use resilient_core::error::NEVER_THERE;
use resilient_core::{Builder, Error, Workspace, roots};

use crate::output::one_line;

/// Directories that hold the system; nobody means them as a workspace.
const UNSAFE_ROOTS: [&str; 7] = ["/", "/bin", "/sbin", "/usr", "/etc", "/var", "/tmp"];

/// The settings from outside the process, read once.
#[derive(Debug, Clone)]
pub(crate) struct Surroundings {
    pub(crate) program: Program,
    pub(crate) cwd: PathBuf,
    pub(crate) home: Option<PathBuf>,
    pub(crate) workspace: Option<String>,
    pub(crate) state_dir: Option<String>,
    pub(crate) policy_file: Option<OsString>,
    pub(crate) seal_scratch: bool,
    pub(crate) allow_unsafe_roots: bool,
}

/// Who asks; each has variables of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    Write,
    Read,
}

impl Program {
    fn name(self) -> &'static str {
        match self {
            Self::Write => "resilient-write",
            Self::Read => "resilient-read",
        }
    }

    /// The variables that name the roots and the place of the state.
    fn variables(self) -> (&'static str, &'static str) {
        match self {
            Self::Write => ("RW_WORKSPACE", "RW_STATE_DIR"),
            Self::Read => ("RR_WORKSPACE", "RR_STATE_DIR"),
        }
    }
}

/// The working directory.
///
/// # Errors
/// It was removed: [`Error::RootGone`], as for any other root.
#[expect(clippy::disallowed_methods, reason = "this is the file that reads the environment")]
fn current_dir() -> Result<PathBuf> {
    env::current_dir().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            let root = env::var("PWD").unwrap_or_else(|_| ".".to_owned());
            Error::RootGone { root, what: "not there" }.into()
        }
        _ => anyhow::Error::new(error),
    })
}

impl Surroundings {
    /// Reads the environment of `resilient-read`, which keeps no state and judges no content.
    ///
    /// # Errors
    /// The working directory is gone.
    #[expect(clippy::disallowed_methods, reason = "this is the file that reads the environment")]
    pub(crate) fn of_reader() -> Result<Self> {
        let (workspace, _) = Program::Read.variables();
        Ok(Self {
            program: Program::Read,
            cwd: resolved(&current_dir()?),
            home: env::home_dir(),
            workspace: env::var(workspace).ok().filter(|value| !value.trim().is_empty()),
            state_dir: None,
            policy_file: None,
            seal_scratch: is_sealed(),
            allow_unsafe_roots: false,
        })
    }

    /// Reads the environment.
    ///
    /// # Errors
    /// The working directory is gone.
    #[expect(clippy::disallowed_methods, reason = "this is the file that reads the environment")]
    pub(crate) fn of_process() -> Result<Self> {
        let text = |name| env::var(name).ok().filter(|value| !value.trim().is_empty());
        Ok(Self {
            program: Program::Write,
            cwd: resolved(&current_dir()?),
            home: env::home_dir(),
            workspace: text("RW_WORKSPACE"),
            state_dir: text("RW_STATE_DIR"),
            policy_file: env::var_os("RW_POLICY_FILE").filter(|value| !value.is_empty()),
            seal_scratch: is_sealed(),
            allow_unsafe_roots: text("RW_ALLOW_UNSAFE_ROOTS").is_some_and(|value| {
                let value = value.trim().to_lowercase();
                ["1", "true", "yes", "on"].contains(&value.as_str())
            }),
        })
    }

    /// Describes the workspace, with `given` roots of the command line in front of those of the environment.
    ///
    /// Where the working directory lies outside of what the command line names, it is only where the client
    /// happened to start: relative paths and the state are in the first directory that is named, and it is no
    /// root. Where only the environment names roots, it is one, as with the Python server, unless it holds the
    /// system: then relative paths are in the first root.
    ///
    /// # Errors
    /// A root is one that holds the system; one of the command line is not there.
    pub(crate) fn workspace(&self, given: &[PathBuf]) -> Result<Builder> {
        let (workspace, state_dir) = self.program.variables();
        let given = given.iter().map(|root| self.existing(root)).collect::<Result<Vec<_>>>()?;
        let named = self.workspace.as_deref().map(list).unwrap_or_default();
        let mut roots = given.clone();
        roots.extend(named.iter().map(|root| resolved(&self.cwd.join(root))));
        let outside = !given.iter().any(|root| self.cwd.starts_with(root));
        let place = given.first().filter(|_| outside).unwrap_or(&self.cwd);
        // Not a root to refuse when others are named.
        let is_meant = roots.is_empty() || !is_unsafe(&self.cwd);
        let is_within = roots.iter().any(|root| self.cwd.starts_with(root));
        if given.is_empty() && is_meant && !is_within {
            roots.insert(0, self.cwd.clone());
        }
        let state = self.state_dir.as_deref().map(list).and_then(|named| named.into_iter().next());
        let state = state.map_or_else(|| place.clone(), |named| resolved(&self.cwd.join(named)));
        let mut warned = Vec::new();
        let workspace = if given.is_empty() { workspace } else { "-w" };
        for root in &roots {
            let is_set = !given.is_empty() || self.workspace.is_some();
            self.refuse_unsafe(root, workspace, is_set, &mut warned)?;
        }
        // A program that only reads has no state, wherever that would be.
        if self.program == Program::Write {
            let is_set = !given.is_empty() || self.state_dir.is_some();
            self.refuse_unsafe(&state, state_dir, is_set, &mut warned)?;
        }
        self.warn_of_no_directory(workspace, &named);
        if self.state_dir.is_some() {
            self.warn_of_no_directory(state_dir, std::slice::from_ref(&state));
        }
        // No relative path may begin where nothing is read or written.
        let is_inside = roots.iter().any(|root| place.starts_with(root));
        let base = roots.first().filter(|_| !is_inside).unwrap_or(place);
        let builder = Workspace::builder(base)
            .roots(roots)
            .state(state)
            .user_home(self.home.clone())
            .seal_scratch(self.seal_scratch);
        Ok(match &self.policy_file {
            Some(file) => builder.policy_file(file),
            None => builder,
        })
    }

    /// Describes a workspace of its own: a directory with its own state and policy, whatever the environment says.
    ///
    /// # Errors
    /// The directory is not there, or holds the system.
    pub(crate) fn alone(self, dir: &Path) -> Result<Builder> {
        let cwd = self.existing(dir)?;
        let alone = Self { cwd, workspace: None, state_dir: None, policy_file: None, ..self };
        alone.workspace(&[])
    }

    /// A directory of the command line, which no shell may have read: with its links resolved.
    #[expect(clippy::disallowed_methods, reason = "the roots are named by paths")]
    fn existing(&self, root: &Path) -> Result<PathBuf> {
        let path = match root.to_str() {
            Some(text) => PathBuf::from(&*roots::plain(text, self.home.as_deref())?),
            None => root.to_owned(),
        };
        let path = resolved(&self.cwd.join(path));
        let what = match std::fs::metadata(&path) {
            Ok(found) if found.is_dir() => return Ok(path),
            Ok(_) => "no directory",
            Err(error) if error.kind() == io::ErrorKind::NotFound => NEVER_THERE,
            Err(source) => return Err(source).context(format!("-w {}", path.display())),
        };
        let root = path.to_string_lossy().into_owned();
        Err(Error::RootGone { root, what }).context("-w")
    }

    /// Says which elements of a variable are no directory. They stay: one may come later.
    #[expect(clippy::print_stderr, reason = "a warning to whoever started the process")]
    fn warn_of_no_directory(&self, variable: &str, named: &[PathBuf]) {
        let program = self.program.name();
        for element in named {
            if self.cwd.join(element).is_dir() {
                continue;
            }
            let shown = one_line(&element.to_string_lossy());
            if shown.trim_start().starts_with(['[', '{']) {
                eprintln!(
                    "{program}: WARNING: {variable} is no JSON array of paths and is taken as one path: \
                     correct {shown}"
                );
            } else if let Err(Error::PathForm { what, instead, .. }) =
                roots::plain(&shown, self.home.as_deref())
            {
                eprintln!(
                    "{program}: WARNING: {variable} names '{shown}', which is {what}: write {instead}"
                );
            } else {
                eprintln!(
                    "{program}: WARNING: {variable} names '{shown}', which is no directory: make it, or \
                     correct the variable"
                );
            }
        }
    }

    #[expect(clippy::print_stderr, reason = "a warning to whoever started the process")]
    fn refuse_unsafe(
        &self,
        root: &Path,
        variable: &'static str,
        is_set: bool,
        warned: &mut Vec<PathBuf>,
    ) -> Result<()> {
        if !is_unsafe(root) || warned.iter().any(|path| path == root) {
            return Ok(());
        }
        warned.push(root.to_owned());
        let root = root.to_string_lossy().into_owned();
        if self.allow_unsafe_roots {
            eprintln!(
                "resilient-write: WARNING: using '{root}' as {variable}, \
                 since RW_ALLOW_UNSAFE_ROOTS is set"
            );
            return Ok(());
        }
        bail!(Error::UnsafeRoot {
            root,
            variable: variable.to_owned(),
            is_set,
            program: self.program.name(),
        })
    }
}

/// The set of tools that the environment names.
#[expect(clippy::disallowed_methods, reason = "this is the file that reads the environment")]
pub(crate) fn tools_of_environment() -> Option<String> {
    env::var("RW_TOOLS").ok().filter(|value| !value.trim().is_empty())
}

/// Whether reading the scratchpad is switched off.
#[expect(clippy::disallowed_methods, reason = "this is the file that reads the environment")]
fn is_sealed() -> bool {
    env::var_os("RW_SCRATCH_DISABLE_GET").is_some_and(|value| !value.is_empty())
}

fn is_unsafe(root: &Path) -> bool {
    UNSAFE_ROOTS.iter().any(|name| root == Path::new(name) || root == resolved(Path::new(name)))
}

/// Reads a list of paths: a JSON array, or paths separated as in `PATH`, or one path.
fn list(text: &str) -> Vec<PathBuf> {
    let text = text.trim();
    if text.starts_with('[')
        && let Ok(paths) = serde_json::from_str::<Vec<String>>(text)
    {
        return paths.into_iter().filter(|path| !path.is_empty()).map(PathBuf::from).collect();
    }
    if cfg!(windows) {
        return env::split_paths(text).filter(|path| !path.as_os_str().is_empty()).collect();
    }
    text.split(':').filter(|path| !path.is_empty()).map(PathBuf::from).collect()
}

/// The path with its links resolved; what does not exist is left as it is written.
#[expect(clippy::disallowed_methods, reason = "the roots are named by paths")]
fn resolved(path: &Path) -> PathBuf {
    let mut tail = Vec::new();
    let mut head = path;
    loop {
        if let Ok(resolved) = std::fs::canonicalize(head) {
            return tail.iter().rev().fold(resolved, |path, name| path.join(name));
        }
        match (head.parent(), head.file_name()) {
            (Some(parent), Some(name)) => {
                tail.push(name.to_owned());
                head = parent;
            }
            _ => return path.to_owned(),
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes the directories it needs")]
mod tests {
    use super::*;

    fn surroundings(cwd: &Path) -> Surroundings {
        Surroundings {
            program: Program::Write,
            cwd: resolved(cwd),
            home: None,
            workspace: None,
            state_dir: None,
            policy_file: None,
            seal_scratch: false,
            allow_unsafe_roots: false,
        }
    }

    fn roots(surroundings: &Surroundings, more: &[PathBuf]) -> Vec<PathBuf> {
        let workspace = surroundings.workspace(more).expect("a workspace").open();
        workspace.roots().paths().map(Path::to_owned).collect()
    }

    #[test]
    fn a_list_is_an_array_or_separated_by_colons_or_one_path() {
        let paths = |text| {
            list(text).into_iter().map(|p| p.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(paths(r#"["/a", "", "/b:c"]"#), ["/a", "/b:c"]);
        assert_eq!(paths("/a::/b"), ["/a", "/b"]);
        assert_eq!(paths(" /a "), ["/a"]);
        assert_eq!(paths("[broken"), ["[broken"]);
    }

    #[test]
    fn the_working_directory_is_a_root_unless_it_lies_in_one() {
        let home = tempfile::tempdir().expect("a directory");
        let (a, b) = (home.path().join("a"), home.path().join("b"));
        std::fs::create_dir_all(a.join("deep")).expect("a");
        std::fs::create_dir_all(&b).expect("b");
        let (a, b) = (resolved(&a), resolved(&b));

        assert_eq!(roots(&surroundings(&a), &[]), std::slice::from_ref(&a));
        let named = Surroundings { workspace: Some(b.display().to_string()), ..surroundings(&a) };
        assert_eq!(roots(&named, &[]), [a.clone(), b.clone()]);
        let inside = Surroundings {
            workspace: Some(a.display().to_string()),
            ..surroundings(&a.join("deep"))
        };
        assert_eq!(roots(&inside, &[]), std::slice::from_ref(&a));
        // The command line comes in front of the environment, which may be a colon list.
        let both = Surroundings {
            workspace: Some(format!("{}:{}", b.display(), a.join("deep").display())),
            ..surroundings(&a)
        };
        assert_eq!(roots(&both, std::slice::from_ref(&a)), [a.clone(), b, a.join("deep")]);
    }

    #[test]
    fn the_command_line_names_the_base_of_relative_paths_for_a_client_that_starts_elsewhere() {
        let home = tempfile::tempdir().expect("a directory");
        let [a, b, c] = ["a", "b", "a/c"].map(|name| {
            let path = resolved(home.path()).join(name);
            std::fs::create_dir_all(&path).expect("a directory");
            path
        });
        let open = |of: &Surroundings, more: &[&PathBuf]| {
            let more: Vec<PathBuf> = more.iter().map(|path| (*path).clone()).collect();
            let workspace = of.workspace(&more).expect("a workspace").open();
            let roots: Vec<_> = workspace.roots().paths().map(Path::to_owned).collect();
            (workspace.roots().cwd().to_owned(), workspace.state_root().to_owned(), roots)
        };
        let of = |cwd: &Path| surroundings(cwd);
        let both = vec![b.clone(), a.clone()];
        assert_eq!(open(&of(&a), &[&b]), (b.clone(), b.clone(), vec![b.clone()]));
        assert_eq!(open(&of(&a), &[&b, &a]), (a.clone(), a.clone(), both));
        assert_eq!(open(&of(&c), &[&a]), (c.clone(), c.clone(), vec![a.clone()]));
        assert_eq!(open(&of(Path::new("/")), &[&a]), (a.clone(), a.clone(), vec![a.clone()]));
        // The state stays where the environment puts it, and the environment names no base.
        let of_environment = Surroundings {
            state_dir: Some(c.display().to_string()),
            workspace: Some(b.display().to_string()),
            ..of(&a)
        };
        let roots = vec![a.clone(), b.clone()];
        assert_eq!(open(&of_environment, &[]), (a.clone(), c.clone(), roots));
        assert_eq!(open(&of_environment, &[&b]).1, c);
    }

    #[test]
    fn system_directories_are_refused_unless_allowed() {
        let home = tempfile::tempdir().expect("a directory");
        for (variable, surroundings) in [
            (
                "RW_WORKSPACE",
                Surroundings { workspace: Some("/etc".into()), ..surroundings(home.path()) },
            ),
            (
                "RW_STATE_DIR",
                Surroundings { state_dir: Some("/var".into()), ..surroundings(home.path()) },
            ),
            ("RW_WORKSPACE", surroundings(Path::new("/"))),
        ] {
            let refused = surroundings.workspace(&[]).expect_err("refused").to_string();
            assert!(refused.starts_with("resilient-write: refusing to use '/"), "{refused}");
            assert!(refused.contains(variable), "{refused}");
            let allowed = Surroundings { allow_unsafe_roots: true, ..surroundings };
            assert!(allowed.workspace(&[]).is_ok());
        }
    }
}
