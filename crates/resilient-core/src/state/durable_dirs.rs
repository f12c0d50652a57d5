//! Directories that are known to be reachable after a power loss.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::disk::DirRef;
use crate::roots::{Entered, Target};

/// How many directories are kept open.
const MOST: usize = 64;

/// Directories that are known to be reachable after a power loss, by path. They are held open, so that no other
/// directory can take over their identity, and so is the root from which they are reached.
#[derive(Debug, Default)]
pub(crate) struct DurableDirs(HashMap<PathBuf, (Arc<Entered>, DirRef)>);

impl DurableDirs {
    /// Whether a target's directory is known to be reachable after a power loss. Else the
    /// directories above it are to be synced: somebody may have made them a moment ago, and a file
    /// is only as durable as the names that lead to it.
    pub(crate) fn has(&self, target: &Target) -> bool {
        let known = target.path.parent().and_then(|parent| self.0.get(parent));
        known.is_some_and(|(root, known)| {
            // IMPORTANT: a directory that was moved into a new root has no durable name there.
            root.is(&target.root)
                && matches!((known.id(), target.dir.id()), (Ok(known), Ok(now)) if known == now)
        })
    }

    /// Notes that those directories were synced, all of them.
    pub(crate) fn add(&mut self, target: &Target) {
        if self.0.len() >= MOST {
            self.0.clear();
        }
        if let Some(parent) = target.path.parent() {
            self.0.insert(parent.to_owned(), (target.root.clone(), target.dir.clone()));
        }
    }

    /// Closes what is only kept open to spare work; tells whether there was anything.
    pub(crate) fn close(&mut self) -> bool {
        !std::mem::take(&mut self.0).is_empty()
    }
}
