//! Whether calls can be made.

use resilient_core::Error;
use resilient_core::journal::Filter;

use crate::seam::Workspace;
use crate::tools::Offer;

/// Why no call can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unready {
    /// What is wrong, for everybody: it names no file.
    pub what: &'static str,
    /// One sentence that says why.
    pub why: String,
}

impl Unready {
    /// Looks at the roots of a workspace, at its lock and its disk by writing a small file, and at the policy and the journal.
    /// This may wait for the lock and the disk.
    ///
    /// # Errors
    /// The first of them that is not as it has to be.
    pub(super) fn none(workspace: &Workspace, offer: Offer) -> Result<(), Self> {
        if let Some(gone) = workspace.roots().paths().find(|root| !root.is_dir()) {
            let why = format!("{} is no directory any more", gone.display());
            return Err(Self { what: "a root is gone", why });
        }
        if offer == Offer::Read {
            return Ok(());
        }
        let as_error = |what| move |error: Error| Self { what, why: error.to_string() };
        workspace.probe().map_err(|error| {
            let what = match error {
                Error::Locked { .. } => "another program holds the lock",
                _ => "nothing can be written to the state directory",
            };
            as_error(what)(error)
        })?;
        workspace.policy().map_err(as_error("the policy cannot be used"))?;
        let tail = workspace.journal_tail(1, &Filter::default());
        tail.map(drop).map_err(as_error("the journal cannot be read"))
    }
}
