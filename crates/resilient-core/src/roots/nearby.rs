//! Files that a path which leads to nothing was probably meant to lead to.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use super::{Roots, STATE_DIR};
use crate::disk::{DirRef, Kind};
use crate::error::Error;
use crate::near::nearest;

/// No more paths are told.
const PATHS_MAX: usize = 3;
/// No more names are looked at in all directories.
const NAMES_MAX: usize = 3000;
/// No more directories are held open.
const OPEN_MAX: usize = 64;
/// No directory further down is looked at.
const DEPTH_MAX: usize = 5;
/// Directories that hold what others made.
const PASSED_OVER: [&str; 3] = ["node_modules", "target", "venv"];

impl Roots {
    /// Adds the nearest files to the refusal of a path that leads to nothing.
    pub(crate) fn with_near(&self, error: Error, path: &str) -> Error {
        match error {
            Error::NotFound { path: shown, .. } => {
                Error::NotFound { path: shown, near: self.nearby(path) }
            }
            other => other,
        }
    }

    /// The paths of files in other roots that a relative path would lead to, then of files with a similar name in
    /// the same directory, then of files with that very name in others: three at most, relative as the caller's
    /// path is or as paths are reported.
    pub(crate) fn nearby(&self, path: &str) -> Vec<String> {
        let given = Path::new(path);
        let Some(name) = given.file_name().and_then(|name| name.to_str()) else {
            return Vec::new();
        };
        let parent = given.parent().and_then(Path::to_str).filter(|parent| !parent.is_empty());
        let mut near = self.elsewhere(path);
        if let Ok((dir, _)) = self.readable_dir(parent.unwrap_or("."))
            && let Ok(entries) = dir.entries()
        {
            let known = entries.iter().take(NAMES_MAX).filter_map(|entry| entry.to_str());
            let known = known.filter(|entry| *entry != STATE_DIR);
            let paths = nearest(name, known).into_iter().map(|name| given.with_file_name(name));
            near.extend(paths.map(|path| path.to_string_lossy().replace('\\', "/")));
        }
        for shown in self.namesakes(name) {
            if !near.contains(&shown) {
                near.push(shown);
            }
        }
        near.truncate(PATHS_MAX);
        near
    }

    /// Files of that name near the top of the roots, as paths are reported.
    fn namesakes(&self, name: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut left = NAMES_MAX;
        let tops = self.list.iter().filter_map(|root| {
            let dir = root.enter(&*self.disk).ok()?.dir.clone();
            Some((dir, root.path().to_owned(), 0_usize))
        });
        let mut ahead: VecDeque<(DirRef, PathBuf, usize)> = tops.collect();
        while let Some((dir, at, depth)) = ahead.pop_front() {
            for entry in dir.entries().unwrap_or_default() {
                if left == 0 || found.len() == PATHS_MAX {
                    return found;
                }
                left -= 1;
                let (Some(text), Ok(stat)) = (entry.to_str(), dir.stat(&entry)) else { continue };
                let path = at.join(&entry);
                let is_ours = !text.starts_with('.') && !PASSED_OVER.contains(&text);
                match stat.kind {
                    Kind::File if text.eq_ignore_ascii_case(name) => found.push(self.show(&path)),
                    Kind::Dir if is_ours && depth < DEPTH_MAX && ahead.len() < OPEN_MAX => {
                        ahead.extend(dir.open_dir(&entry).map(|dir| (dir, path, depth + 1)));
                    }
                    _ => {}
                }
            }
        }
        found
    }
}
