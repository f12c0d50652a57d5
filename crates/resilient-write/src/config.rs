//! The surroundings: what the environment and the command line say about the workspace.
//!
//! This is the only file that reads the environment. The rules are those of the Python server.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use resilient_core::{Builder, Error, Workspace};

/// Directories that hold the system; nobody means them as a workspace.
const UNSAFE_ROOTS: [&str; 7] = ["/", "/bin", "/sbin", "/usr", "/etc", "/var", "/tmp"];

/// What the process is told from outside, read once.
#[derive(Debug, Clone)]
pub(crate) struct Surroundings {
    pub(crate) program: Program,
    pub(crate) cwd: PathBuf,
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
            cwd: resolved(&env::current_dir()?),
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
            cwd: resolved(&env::current_dir()?),
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

    /// Describes the workspace, with `more` roots in front of those of the environment.
    ///
    /// # Errors
    /// A root is one that holds the system.
    pub(crate) fn workspace(&self, more: &[PathBuf]) -> Result<Builder> {
        let (workspace, state_dir) = self.program.variables();
        let mut named: Vec<PathBuf> = more.to_vec();
        named.extend(self.workspace.as_deref().map(list).unwrap_or_default());
        let mut roots: Vec<PathBuf> =
            named.iter().map(|root| resolved(&self.cwd.join(root))).collect();
        for root in &roots {
            self.refuse_unsafe(root, workspace)?;
        }
        if !roots.iter().any(|root| self.cwd.starts_with(root)) {
            // Not a root to refuse when others are named: it is where the client happened to be.
            if roots.is_empty() || !is_unsafe(&self.cwd) {
                roots.insert(0, self.cwd.clone());
            }
        }
        let state = match self.state_dir.as_deref().map(list) {
            Some(named) => named
                .first()
                .map_or_else(|| self.cwd.clone(), |first| resolved(&self.cwd.join(first))),
            None => self.cwd.clone(),
        };
        for root in &roots {
            self.refuse_unsafe(root, workspace)?;
        }
        // Whoever only reads has no state, wherever that would be.
        if self.program == Program::Write {
            self.refuse_unsafe(&state, state_dir)?;
        }
        let builder =
            Workspace::builder(&self.cwd).roots(roots).state(state).seal_scratch(self.seal_scratch);
        Ok(match &self.policy_file {
            Some(file) => builder.policy_file(file),
            None => builder,
        })
    }

    #[expect(clippy::print_stderr, reason = "a warning to whoever started the process")]
    fn refuse_unsafe(&self, root: &Path, variable: &'static str) -> Result<()> {
        if !is_unsafe(root) {
            return Ok(());
        }
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
            program: self.program.name(),
        })
    }
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
