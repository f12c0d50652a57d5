//! What becomes known to one call and matters to other clients: a resource that has changed, and what recovery has done.
//!
//! Only changes that this process makes are known. Nothing is sent, and nothing is looked up, while nobody follows.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use resilient_core::roots::{Git, Roots};
use serde_json::Value;
use tokio::sync::broadcast;

use crate::seam::Notice;

/// A follower that is behind by more has missed some: it is told that everything has changed.
const KEPT: usize = 256;

/// What can change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Subject {
    /// The journal.
    Journal,
    /// A file, by its absolute path with all links resolved.
    File(PathBuf),
}

/// One thing to tell.
#[derive(Debug, Clone)]
pub(crate) enum Update {
    /// It was changed.
    Changed(Subject),
    /// Recovery did or kept something.
    Recovered(Arc<Notice>),
}

/// The updates of one workspace.
#[derive(Debug)]
pub(crate) struct Updates {
    /// `None` once nothing more is told.
    sender: Mutex<Option<broadcast::Sender<Update>>>,
}

impl Default for Updates {
    fn default() -> Self {
        Self { sender: Mutex::new(Some(broadcast::Sender::new(KEPT))) }
    }
}

impl Updates {
    /// Everything from now on; `None` if nothing more is told.
    pub(crate) fn follow(&self) -> Option<broadcast::Receiver<Update>> {
        self.sender
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_ref()
            .map(broadcast::Sender::subscribe)
    }

    /// Ends what is followed.
    pub(crate) fn end(&self) {
        *self.sender.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Tells what a call of a tool that writes has changed, by its answer.
    pub(crate) fn changed(&self, roots: &Roots, answer: &Value) {
        let Some(sender) = self.followed() else { return };
        let _ = sender.send(Update::Changed(Subject::Journal));
        for path in paths(answer) {
            let _ = sender.send(Update::Changed(Subject::File(resolved(roots, path))));
        }
    }

    /// Tells what recovery did.
    pub(crate) fn recovered(&self, notices: &[Notice]) {
        let Some(sender) = self.followed() else { return };
        for notice in notices {
            let _ = sender.send(Update::Recovered(Arc::new(notice.clone())));
        }
        // Whatever it finished or took back.
        let _ = sender.send(Update::Changed(Subject::Journal));
    }

    fn followed(&self) -> Option<broadcast::Sender<Update>> {
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner).clone();
        sender.filter(|sender| sender.receiver_count() > 0)
    }
}

/// The absolute path of a file that is there or may come to be.
pub(crate) fn resolved(roots: &Roots, path: &str) -> PathBuf {
    let target = roots.readable(path).or_else(|_| roots.writable(path, Git::Open));
    target.map_or_else(|_| roots.cwd().join(path), |target| target.path().to_owned())
}

/// The files that an answer names as written.
fn paths(answer: &Value) -> Vec<&str> {
    let written = answer.get("written").into_iter();
    let names = ["path", "output_path", "handoff_path"];
    let mut all: Vec<&str> = [answer]
        .into_iter()
        .chain(written)
        .flat_map(|answer| names.iter().filter_map(move |name| answer.get(*name)?.as_str()))
        .collect();
    all.dedup();
    all
}
