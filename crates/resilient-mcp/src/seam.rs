//! What this crate uses of the library: a workspace to act on and the envelope of a failure.

use serde::Serialize;
use serde_json::Value;

pub use resilient_core::Workspace;
pub use resilient_core::envelope::{Envelope, ErrorKind, ReasonHint, SuggestedAction};
pub use resilient_core::journal::By;
pub use resilient_core::recovery::Notice;

/// One call, after its arguments were checked: the success object without its `ok`, or the
/// envelope that says what went wrong.
pub type Answer = Result<Value, Box<Envelope>>;

/// Turns what a read of the library answers into what a tool answers.
pub(crate) fn read_answer<T: Serialize>(result: resilient_core::Result<T>) -> Answer {
    match result {
        Ok(success) => Ok(serde_json::to_value(success).unwrap_or_default()),
        Err(error) => Err(Box::new(Envelope::of_read(&error))),
    }
}

/// Turns what the library answers into what a tool answers.
pub(crate) fn answer<T: Serialize>(result: resilient_core::Result<T>) -> Answer {
    match result {
        Ok(success) => Ok(serde_json::to_value(success).unwrap_or_default()),
        Err(error) => Err(Box::new(Envelope::from(&error))),
    }
}
