//! The ground of a trial: a fresh directory, looked at and changed as anybody would.
//!
//! Scenarios lay files out here, inject changes behind the agent's back, and judges look at what
//! is left. Nothing here depends on the tools.
#![expect(clippy::disallowed_methods, reason = "someone who knows nothing of Resilient Write")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use tempfile::TempDir;

/// The directory that the servers keep their own state in.
pub(crate) const STATE_DIR: &str = ".resilient_write";

/// More than this of one file is not looked at.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// A directory that is removed with the trial.
#[derive(Debug)]
pub(crate) struct Ground {
    root: PathBuf,
    _dir: TempDir,
}

impl Ground {
    /// Makes an empty one.
    ///
    /// # Errors
    /// There is no room for it.
    pub(crate) fn new() -> Result<Self> {
        let dir = TempDir::with_prefix("rab-").context("a directory for the trial")?;
        Ok(Self { root: fs::canonicalize(dir.path())?, _dir: dir })
    }

    /// Where it is, links resolved.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Puts a file there.
    ///
    /// # Errors
    /// The disk refuses.
    pub(crate) fn write(&self, path: &str, text: &str) -> Result<()> {
        let file = self.root.join(path);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&file, text).with_context(|| format!("writing {path}"))
    }

    /// What a file holds; nothing where there is none. Bytes that are no UTF-8 are replaced.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        self.bytes(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        let file = self.root.join(path);
        let facts = fs::symlink_metadata(&file).ok()?;
        (facts.is_file() && facts.len() <= FILE_BYTES_MAX).then(|| fs::read(&file).ok())?
    }

    /// All files, by their path with `/`; with the servers' state only when it is asked for.
    pub(crate) fn files(&self, with_state: bool) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut pending = vec![String::new()];
        while let Some(dir) = pending.pop() {
            for entry in fs::read_dir(self.root.join(&dir)).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                let path = if dir.is_empty() { name } else { format!("{dir}/{name}") };
                if path == STATE_DIR && !with_state {
                    continue;
                }
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => pending.push(path),
                    _ => {
                        if let Some(bytes) = self.bytes(&path) {
                            files.insert(path, bytes);
                        }
                    }
                }
            }
        }
        files
    }
}

/// Whether a text occurs in some bytes.
pub(crate) fn holds(bytes: &[u8], text: &str) -> bool {
    !text.is_empty() && bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_at_any_depth_and_state_only_when_asked_for() {
        let ground = Ground::new().unwrap();
        ground.write("a/b/c.txt", "deep").unwrap();
        ground.write(".resilient_write/scratch/x.bin", "kept").unwrap();
        let names = |with| ground.files(with).into_keys().collect::<Vec<_>>();
        assert_eq!(names(false), ["a/b/c.txt"]);
        assert_eq!(names(true), [".resilient_write/scratch/x.bin", "a/b/c.txt"]);
        assert_eq!(ground.read("a/b/c.txt").as_deref(), Some("deep"));
        assert_eq!(ground.read("a/b"), None);
        assert!(holds(b"one two", "e t") && !holds(b"one", "") && !holds(b"o", "one"));
    }
}
