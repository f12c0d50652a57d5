//! The files of a crate: its targets, and every source file that it has.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// All `.rs` files below a directory, sorted; none where there is no such directory.
///
/// # Errors
/// A directory cannot be read.
pub fn rust_files(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut ahead = vec![dir.to_owned()];
    while let Some(dir) = ahead.pop() {
        for path in entries(&dir)? {
            if path.is_dir() {
                ahead.push(path);
            } else if is_rust(&path) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The roots of a crate's targets, the library or the first program first.
///
/// # Errors
/// A directory cannot be read.
pub fn roots(krate: &Path) -> Result<Vec<PathBuf>> {
    let src = krate.join("src");
    let mut roots = vec![src.join("lib.rs"), src.join("main.rs"), krate.join("build.rs")];
    roots.retain(|root| root.exists());
    for dir in ["src/bin", "tests", "benches", "examples"] {
        for path in entries(&krate.join(dir))? {
            let root = if path.is_dir() { path.join("main.rs") } else { path };
            if is_rust(&root) && root.exists() {
                roots.push(root);
            }
        }
    }
    Ok(roots)
}

/// The directories of `crates/`, sorted.
///
/// # Errors
/// The directory cannot be read.
pub fn crates(workspace: &Path) -> Result<Vec<PathBuf>> {
    let mut crates = entries(&workspace.join("crates"))?;
    crates.retain(|path| path.join("Cargo.toml").exists());
    crates.sort();
    Ok(crates)
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>> {
    if !dir.exists() {
        return Ok(Vec::new());
    }
    let entries = std::fs::read_dir(dir).with_context(|| format!("{}", dir.display()))?;
    entries.map(|entry| Ok(entry?.path())).collect()
}

fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rs")
}
