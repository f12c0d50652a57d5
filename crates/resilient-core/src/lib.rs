//! Durable, verified, journaled file writes for coding agents.

pub mod analytics;
pub mod checkpoint;
pub mod chunk;
mod commit;
mod contents;
pub mod digest;
pub mod disk;
pub mod edit;
pub mod envelope;
pub mod error;
pub mod front_matter;
pub mod handoff;
pub mod journal;
mod name;
mod number;
pub mod read;
pub mod recovery;
pub mod redact;
pub mod risk;
pub mod roots;
pub mod scratch;
mod sectors;
pub mod stamp;
mod state;
mod store;
pub mod unit;
pub mod validate;
pub mod workspace;
pub mod write;

pub use envelope::Envelope;
pub use error::{Error, Result};
pub use workspace::{Builder, Workspace};
