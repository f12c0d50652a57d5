//! Durable, verified, journaled file writes for coding agents.

pub mod analytics;
mod beside;
pub mod checkpoint;
pub mod chunk;
mod commit;
mod contents;
pub mod digest;
pub mod edit;
pub mod envelope;
pub mod error;
pub mod front_matter;
pub mod handoff;
pub mod journal;
mod name;
mod number;
pub mod pending;
mod policy_file;
pub mod read;
pub mod recovery;
pub mod redact;
mod report;
pub mod risk;
pub mod roots;
pub mod scratch;
mod sectors;
pub mod stamp;
mod state;
mod store;
pub mod unit;
pub mod workspace;
pub mod write;

pub use envelope::Envelope;
pub use error::{Error, Result};
pub use resilient_disk as disk;
pub use resilient_validate as validate;
pub use workspace::{Builder, Workspace};
