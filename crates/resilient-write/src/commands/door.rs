//! The door of the HTTP server on the command line: its options, and whether its files are out of reach of clients.

use std::path::{Path, PathBuf};

use clap::Args;

/// Where an HTTP server listens, and whom it lets in.
#[derive(Debug, Args)]
pub(super) struct Door {
    /// With http and sse: the interface [default: 127.0.0.1]
    #[arg(long)]
    pub(super) host: Option<String>,
    /// With http and sse: the port, or 0 for any that is free [default: 8000]
    #[arg(long)]
    pub(super) port: Option<u16>,
    /// With http and sse: the file of bearer tokens; made with one token if it is not there. A host that others can
    /// reach needs it
    #[arg(long, value_name = "FILE")]
    pub(super) token_file: Option<PathBuf>,
    /// With http and sse: the server's certificate (PEM), with those up to one that clients trust. Clients come by https
    /// then. Needs a program that was built with `--features tls`
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(super) tls_certificate: Option<PathBuf>,
    /// With http and sse: the certificate's private key (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub(super) tls_key: Option<PathBuf>,
    /// With http and sse: a name by which clients reach the server besides its own; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(super) allow_host: Vec<String>,
    /// With http and sse: a page that may send requests, as https://app.example; may be given several times
    #[arg(long, value_name = "ORIGIN")]
    pub(super) allow_origin: Vec<String>,
}

impl Door {
    /// Whether any of its options was given.
    pub(super) fn is_given(&self) -> bool {
        let Self { host, port, token_file, tls_certificate, tls_key, allow_host, allow_origin } =
            self;
        host.is_some()
            || tls_certificate.is_some()
            || tls_key.is_some()
            || port.is_some()
            || token_file.is_some()
            || !allow_host.is_empty()
            || !allow_origin.is_empty()
    }

    /// What is wrong with a file of TLS that cannot even be looked at.
    pub(super) fn missing(&self) -> Option<String> {
        let files = [("--tls-certificate", &self.tls_certificate), ("--tls-key", &self.tls_key)];
        files.into_iter().find_map(|(option, path)| {
            let path = path.as_ref()?;
            let error = path.metadata().err()?;
            Some(format!("{option} {}: {error}", path.display()))
        })
    }

    /// What is wrong with a file that a client could read or replace in one of these directories.
    pub(super) fn within_reach(&self, dirs: &[PathBuf]) -> Option<String> {
        if let Some(file) = self.with_two_names() {
            return Some(format!(
                "{} has another name (a hard link), which may lie in a workspace: name a file that has one name",
                file.display()
            ));
        }
        let shown = shown_in(dirs);
        let dirs = dirs.iter().map(|dir| (dir, dir.as_path()));
        let all: Vec<_> = dirs.chain(shown.iter().map(|(dir, at)| (*dir, at.as_path()))).collect();
        let mut files = self.files();
        files.find_map(|file| {
            let above = above(file);
            let is_below = |at: &Path| above.iter().any(|above| are_one(above, at));
            let (dir, _) = all.iter().find(|(_, at)| is_below(at))?;
            Some(format!(
                "{} lies in the workspace {}, where a client can read or replace it: name a file outside of the workspaces",
                file.display(),
                dir.display()
            ))
        })
    }

    fn files(&self) -> impl Iterator<Item = &Path> {
        let Self { token_file, tls_certificate, tls_key, .. } = self;
        [token_file, tls_certificate, tls_key].into_iter().flatten().map(PathBuf::as_path)
    }

    /// A secret file with another name, which may lie in a workspace.
    fn with_two_names(&self) -> Option<&Path> {
        let mut files = [&self.token_file, &self.tls_key].into_iter().flatten();
        let file = files.find(|file| names_of(file).is_some_and(|names| names > 1));
        file.map(PathBuf::as_path)
    }
}

/// A file and the directories that it lies in: where its name stands, and where it leads, which may be another place.
fn above(file: &Path) -> Vec<PathBuf> {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new(".")).canonicalize();
    let places = [parent, file.canonicalize()];
    places.iter().flatten().flat_map(|at| at.ancestors()).map(Path::to_owned).collect()
}

#[cfg(unix)]
fn names_of(file: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    file.metadata().ok().filter(std::fs::Metadata::is_file).map(|it| it.nlink())
}

#[cfg(not(unix))]
fn names_of(_file: &Path) -> Option<u64> {
    None
}

/// Whether two paths lead to one file or directory. A mount can give it a second path.
#[cfg(unix)]
fn are_one(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |path: &Path| path.metadata().ok().map(|it| (it.dev(), it.ino()));
    identity(one).is_some_and(|one| Some(one) == identity(other))
}

#[cfg(not(unix))]
fn are_one(one: &Path, other: &Path) -> bool {
    one == other
}

/// The directories and files that a mount shows below these directories, each with the directory.
#[cfg(target_os = "linux")]
fn shown_in(dirs: &[PathBuf]) -> Vec<(&PathBuf, PathBuf)> {
    #[expect(clippy::disallowed_methods, reason = "the mounts belong to no workspace")]
    let mounts = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
    let mut shown = Vec::new();
    for at in mounts.split(|byte| *byte == b'\n').filter_map(mount_point) {
        let is_in = |dir: &&PathBuf| dir.canonicalize().is_ok_and(|dir| at.starts_with(dir));
        shown.extend(dirs.iter().find(is_in).map(|dir| (dir, at.clone())));
    }
    shown
}

#[cfg(not(target_os = "linux"))]
fn shown_in(_dirs: &[PathBuf]) -> Vec<(&PathBuf, PathBuf)> {
    Vec::new()
}

/// The mount point of a line of *mountinfo*: its fifth field, in which three digits after a backslash are a byte.
#[cfg(target_os = "linux")]
fn mount_point(line: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    let mut rest = line.split(|byte| *byte == b' ').nth(4)?;
    let mut path = Vec::new();
    while let Some((first, behind)) = rest.split_first() {
        let digits = behind.get(..3).filter(|_| *first == b'\\');
        let byte = digits.and_then(|it| u8::from_str_radix(str::from_utf8(it).ok()?, 8).ok());
        path.push(byte.unwrap_or(*first));
        rest = byte.and_then(|_| behind.get(3..)).unwrap_or(behind);
    }
    Some(std::ffi::OsString::from_vec(path).into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_mount_point_may_have_blanks() {
        let line = br"36 35 98:0 /mnt1 /a\040b\134c rw,noatime master:1 - ext3 /dev/root rw";
        assert_eq!(mount_point(line), Some(PathBuf::from(r"/a b\c")));
        assert_eq!(mount_point(b""), None);
    }
}
