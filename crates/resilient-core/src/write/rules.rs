//! What the policy lets a write do to a file that is there.

use crate::commit::Old;
use crate::error::{Error, Result};
use crate::policy::{HardLinks, Policy, ReadOnly};
use crate::roots::{Git, Target};

/// What the policy says of paths and of files that are there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) git: Git,
    hard_links: HardLinks,
    read_only: ReadOnly,
}

impl Rules {
    pub(crate) fn of(policy: &Policy) -> Self {
        Self { git: super::git(policy), hard_links: policy.hard_links, read_only: policy.read_only }
    }

    /// Checks that the content of a file may be changed.
    ///
    /// # Errors
    /// The file has several names, or nobody may write it, and the policy does not permit that.
    pub(crate) fn check(self, target: &Target, old: &Old) -> Result<()> {
        let path = || target.shown.clone();
        if old.stat.links > 1 && self.hard_links == HardLinks::Refuse {
            return Err(Error::HardLinked { path: path(), links: old.stat.links });
        }
        let rights = old.file.rights().map_err(|source| Error::os(path(), "stat", source))?;
        if rights.read_only && self.read_only == ReadOnly::Refuse {
            return Err(Error::ReadOnly { path: path() });
        }
        Ok(())
    }
}
