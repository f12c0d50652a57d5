//! Directories that are the same under every name: the roots, the state directory, and the roots' repositories.
//!
//! A directory may have a second name: in another case where the file system ignores case, and at another place
//! where it is bound to. A path through that name leads to the same files, and so to the same answer: a root is a
//! root, and what tools keep their hands off stays so.

use std::path::PathBuf;

use super::Roots;
use super::root::id_of;
use crate::disk::FileId;

/// These directories, as they are now.
pub(super) struct Known(Vec<(FileId, PathBuf)>);

impl Known {
    pub(super) fn of(roots: &Roots) -> Self {
        let repositories = roots.paths().map(|root| root.join(".git"));
        let own = std::iter::once(roots.state.clone()).chain(repositories);
        let all = roots.paths().map(ToOwned::to_owned).chain(own);
        Self(all.filter_map(|path| Some((id_of(&*roots.disk, &path).ok()?, path))).collect())
    }

    /// The path by which this directory is known.
    pub(super) fn path_of(&self, id: FileId) -> Option<&PathBuf> {
        self.0.iter().find(|(known, _)| *known == id).map(|(_, path)| path)
    }
}
