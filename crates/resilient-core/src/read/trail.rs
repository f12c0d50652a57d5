//! Which file a cursor is of, in a few bytes.
//!
//! A path is too long for a cursor. A trail has a digest of it, and one byte of a digest of each name in
//! the path, by which the file is found again: a look through its directories, of each a few. So a
//! cursor holds in another process. The process that made it remembers the path.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::Reader;
use crate::digest::Digest;
use crate::disk::{DirRef, Kind};
use crate::error::Result;
use crate::roots::Roots;

/// How many paths a process remembers.
const PATHS: usize = 64;

/// How many names are looked at for one file.
const NAMES_MAX: u64 = 500_000;

/// How many bytes of a path's digest are kept.
pub(super) const PATH: usize = 5;

/// How to find a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trail {
    /// The beginning of the digest of the absolute path.
    pub(super) path: [u8; PATH],
    /// The first byte of the digest of each name, from the root down.
    pub(super) names: Vec<u8>,
    /// Whether there are more names than that.
    pub(super) is_cut: bool,
}

/// The paths of the last cursors, as they were given.
#[derive(Debug, Default)]
pub(super) struct Paths(Mutex<VecDeque<([u8; PATH], String)>>);

/// A file that was found.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) dir: DirRef,
    pub(super) name: OsString,
    pub(super) path: PathBuf,
}

impl Paths {
    pub(super) fn remember(&self, trail: &Trail, path: &str) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|(digest, _)| *digest != trail.path);
        if held.len() == PATHS {
            held.pop_front();
        }
        held.push_back((trail.path, path.to_owned()));
    }

    pub(super) fn recall(&self, trail: &Trail) -> Option<String> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.iter().find(|(digest, _)| *digest == trail.path).map(|(_, path)| path.clone())
    }
}

impl Trail {
    /// The trail to a file, by its absolute path with all links resolved.
    pub(super) fn to(path: &Path, roots: &Roots) -> Self {
        let inside = roots.paths().find_map(|root| path.strip_prefix(root).ok()).unwrap_or(path);
        Self {
            path: short(path.as_os_str()),
            names: inside.iter().map(|name| short::<1>(name)[0]).collect(),
            is_cut: false,
        }
    }

    /// The same with at most so many names.
    pub(super) fn cut_to(&self, room: usize) -> Self {
        let names: Vec<u8> = self.names.iter().copied().take(room).collect();
        Self { path: self.path, is_cut: self.is_cut || names.len() < self.names.len(), names }
    }

    /// Whether the name at some depth may be in the path.
    fn admits(&self, depth: usize, name: &OsStr) -> bool {
        match self.names.get(depth) {
            Some(byte) => short::<1>(name) == [*byte],
            None => self.is_cut,
        }
    }
}

impl Reader<'_> {
    /// Finds the file at the end of a trail; `None` where no root has it.
    ///
    /// # Errors
    /// A root cannot be opened.
    pub(super) fn follow(&self, trail: &Trail) -> Result<Option<Place>> {
        let mut names_seen = 0;
        for root in self.roots.paths() {
            let Some((path, dir)) = self.roots.way_to(root)?.pop() else { continue };
            let mut ahead = vec![(dir, path, 0)];
            while let Some((dir, path, depth)) = ahead.pop() {
                // What cannot be looked through is passed over.
                for name in dir.entries().unwrap_or_default() {
                    names_seen += 1;
                    if names_seen > NAMES_MAX {
                        return Ok(None);
                    }
                    if !trail.admits(depth, &name) {
                        continue;
                    }
                    let below = path.join(&name);
                    match dir.stat(&name).map(|stat| stat.kind) {
                        Ok(Kind::Dir) => {
                            if let Ok(dir) = dir.open_dir(&name) {
                                ahead.push((dir, below, depth + 1));
                            }
                        }
                        Ok(Kind::File) if short(below.as_os_str()) == trail.path => {
                            return Ok(Some(Place { dir, name, path: below }));
                        }
                        _ => {}
                    }
                }
            }
        }
        Ok(None)
    }
}

/// The beginning of a digest.
fn short<const N: usize>(name: &OsStr) -> [u8; N] {
    let digest = Digest::of(name.as_encoded_bytes());
    digest.as_bytes().first_chunk().copied().unwrap_or([0; N])
}
