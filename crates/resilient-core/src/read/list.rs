//! The files below a directory, with length and time, page by page.

use std::ops::ControlFlow;

use serde::Serialize;

use super::budget::{tokens, tokens_max};
use super::files::{Reached, Selection};
use super::{Reader, at_least, count_in, nanoseconds};
use crate::disk::{Kind, Stat};
use crate::error::{Error, NO_DIRECTORY, Result};
use crate::roots::STATE_DIR;

/// How many files an answer may have.
const FILES_MAX: i64 = 5000;

/// About how many tokens a file has beside its path.
const TOKENS_BESIDE: u64 = 25;
/// A page has no more tokens: 2 MiB.
const TOKENS_MAX: u64 = (2 << 20) / 4;
/// So many names that are not UTF-8 may follow a full page.
const ADDED_MAX: u64 = 100;

/// Asks for the files below a directory.
#[derive(Clone, Debug)]
pub struct ListRequest {
    /// The directory.
    pub path: String,
    /// Which files; without `/` it is of names in any directory. Otherwise all.
    pub glob: Option<String>,
    /// Whether to heed `.gitignore`.
    pub gitignore: bool,
    /// Whether to show names that begin with a dot.
    pub hidden: bool,
    /// How many directories deep to look; 1 for the directory's own files.
    pub depth: Option<i64>,
    /// How many files to show.
    pub max_files: i64,
    /// How many tokens, about.
    pub max_tokens: Option<i64>,
    /// Where to begin: the `next_from_path` of the page before.
    pub from_path: Option<String>,
}

impl ListRequest {
    /// The first files below a directory, at any depth, without hidden and ignored ones.
    #[must_use]
    pub fn of(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            glob: None,
            gitignore: true,
            hidden: false,
            depth: None,
            max_files: 200,
            max_tokens: None,
            from_path: None,
        }
    }
}

/// A page of files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// The path as it was given.
    pub path: String,
    /// The files, in the order of their paths.
    pub files: Vec<ListedFile>,
    /// How many there are on this page.
    pub files_returned: u64,
    /// Whether there are more.
    pub has_more: bool,
    /// Where the next page begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_from_path: Option<String>,
    /// Whether there were too many names to look at, or names behind the page that are not UTF-8 were left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// That nothing is at `from_path`, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<&'static str>,
}

/// A file of a listing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedFile {
    /// Its path, good for the other reads unless `not_utf8`.
    pub path: String,
    /// Whether the path on disk is not UTF-8: U+FFFD stands for what is none, and the path is no good for other calls.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub not_utf8: bool,
    /// What it is, when it is no regular file: `dir` (at the greatest depth), `link` or `other`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is: Option<&'static str>,
    /// Its length in bytes; of regular files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// When it was last changed, in nanoseconds since 1970.
    pub mtime_ns: i64,
}

impl Reader<'_> {
    /// Lists the files below a directory. The state directory and `.git` are left out, and no link is
    /// followed.
    ///
    /// # Errors
    /// The path leads out of every root or into the state directory, or is no directory; a number is out of range, or the glob is
    /// none; `from_path` is not below `path`.
    pub fn list(&self, request: &ListRequest) -> Result<Listing> {
        let files_max = at_least("max_files", request.max_files, 1)?;
        if request.max_files > FILES_MAX {
            return Err(Error::range(format!("max_files must be between 1 and {FILES_MAX}")));
        }
        let depth = request.depth.map(|depth| at_least("depth", depth, 1)).transpose()?;
        let tokens_max = tokens_max(request.max_tokens)?.min(TOKENS_MAX);
        let glob = request.glob.as_deref();
        let depth = depth.map(count_in);
        let selection = Selection::listed(glob, request.gitignore, request.hidden, depth)?;
        if let Ok((_, base)) = self.roots.readable_dir(&request.path)
            && base.iter().any(|name| name == STATE_DIR)
        {
            return Err(Error::ProtectedPath { path: request.path.clone() });
        }
        let mut listing = Listing {
            path: request.path.clone(),
            files: Vec::new(),
            files_returned: 0,
            has_more: false,
            next_from_path: None,
            truncated: false,
            warning: None,
        };
        let (mut spent, mut left_out) = (0, false);
        let from = request.from_path.as_deref();
        let visited = self.visit(&request.path, &selection, from, |reached| {
            let Reached { stat, path, .. } = reached;
            let not_utf8 = path.to_str().is_none();
            let path = self.roots.show(path);
            spent += tokens(&path) + TOKENS_BESIDE;
            let count = listing.files.len() as u64;
            let is_full = count >= files_max || (spent > tokens_max && count > 0);
            // No page begins with a name that a caller cannot give back: a few are added, and the rest is left out.
            if is_full && not_utf8 {
                if count < files_max + ADDED_MAX
                    && spent <= tokens_max.saturating_add(ADDED_MAX * TOKENS_BESIDE)
                {
                    listing.files.push(entry(stat, path, not_utf8));
                } else {
                    left_out = true;
                }
                return Ok(ControlFlow::Continue(()));
            }
            if is_full {
                listing.has_more = true;
                listing.next_from_path = Some(path);
                return Ok(ControlFlow::Break(()));
            }
            listing.files.push(entry(stat, path, not_utf8));
            Ok(ControlFlow::Continue(()))
        });
        let visited = visited.map_err(|error| self.no_directory(error, NO_DIRECTORY))?;
        listing.truncated = visited.too_many || left_out;
        listing.warning = visited.warning();
        listing.files_returned = listing.files.len() as u64;
        Ok(listing)
    }
}

fn entry(stat: Stat, path: String, not_utf8: bool) -> ListedFile {
    let (is, size) = match stat.kind {
        Kind::File => (None, Some(stat.len)),
        Kind::Dir => (Some("dir"), None),
        Kind::Link => (Some("link"), None),
        Kind::Other => (Some("other"), None),
    };
    ListedFile { path, not_utf8, is, size, mtime_ns: nanoseconds(stat.mtime_ns) }
}
