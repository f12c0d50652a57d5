//! What a workspace may change about the judgement of texts and about writes.
//!
//! A policy starts from the built-in values; its [file](Policy::parse) replaces those that it names. Finding and
//! reading that file is left to the callers.

mod added;
mod demand;
mod doubts;
mod error;
mod file;
mod keys;
mod place;
mod retention;
mod yaml;

use crate::form::FormPolicy;
use crate::risk;

pub use self::demand::Demand;
pub use self::doubts::Doubt;
pub use self::error::PolicyError;
pub use self::keys::KEYS;
pub use self::place::Place;
pub use self::retention::Retention;

/// What decides about a text and about a write.
#[derive(Clone, Debug)]
pub struct Policy {
    /// How texts are judged.
    pub risk: risk::Policy,
    /// How often a blocked write may be tried again.
    pub retry_budget: u32,
    /// What a write does to a file that has several names.
    pub hard_links: HardLinks,
    /// What a write does to a file that nobody may write.
    pub read_only: ReadOnly,
    /// Whether writes into `.git` are let through.
    pub allow_git: bool,
    /// What form files get.
    pub form: FormPolicy,
    /// What it demands of every write.
    pub classify: Demand,
    /// How long the scratchpad keeps its content.
    pub scratch: Retention,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            risk: risk::Policy::default(),
            retry_budget: 3,
            hard_links: HardLinks::Refuse,
            read_only: ReadOnly::Refuse,
            allow_git: false,
            form: FormPolicy::default(),
            classify: Demand::default(),
            scratch: Retention::default(),
        }
    }
}

impl Policy {
    /// The policy in the place of one that cannot be used, for writes that do not ask to be judged: it permits
    /// what every policy does, and nothing else.
    #[must_use]
    pub fn least() -> Self {
        Self { classify: Demand::STRICTEST, ..Self::default() }
    }
}

/// What a write does to a file that has several names, which a rename would part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HardLinks {
    /// Refuses the write.
    Refuse,
    /// Writes into the existing file, so that all its names keep showing the same content.
    InPlace,
}

/// What a write does to a file whose permissions let nobody write it, which a rename would pass over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadOnly {
    /// Refuses the write.
    Refuse,
    /// Writes the file, which stays read-only.
    Overwrite,
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn parse(text: &str) -> Policy {
        Policy::parse(text).unwrap()
    }

    pub(super) fn error(text: &str) -> PolicyError {
        Policy::parse(text).unwrap_err()
    }
}
