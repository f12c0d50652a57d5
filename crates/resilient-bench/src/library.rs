//! The library in the benchmark's own process, without a server.

use anyhow::Result;
use resilient_core::Workspace;
use resilient_core::form::Asked;
use resilient_core::write::{WriteMode, WriteRequest};
use tempfile::TempDir;

use crate::measure::{Cost, timed};

/// The library in this process, in a directory of its own.
pub(crate) struct Library {
    pub(crate) workspace: Workspace,
    _home: Option<TempDir>,
}

impl Library {
    pub(crate) fn open(home: TempDir) -> Result<Self> {
        let root = home.path().canonicalize()?;
        Ok(Self { workspace: Workspace::builder(root).open(), _home: Some(home) })
    }

    /// In a directory that stays.
    pub(crate) fn of(workspace: Workspace) -> Self {
        Self { workspace, _home: None }
    }

    /// Times one write.
    pub(crate) fn time_write(
        &self,
        path: String,
        content: String,
        mode: WriteMode,
    ) -> Result<Cost> {
        let request = WriteRequest {
            path,
            content,
            mode,
            expected_prev_sha256: None,
            reject_at: None,
            validate: false,
            form: Asked::default(),
            allow_shrink: false,
        };
        Ok(timed(|| Ok(self.workspace.write(request)?))?.0)
    }
}
