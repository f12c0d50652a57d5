//! What a refusal of the operating system means for the agent.

use std::io;

use serde_json::json;

use super::{Envelope, ErrorKind, ReasonHint, SuggestedAction, set};
use crate::error::Error;

impl Envelope {
    /// What the operating system's refusal means for the agent.
    pub(super) fn of_os(path: &str, operation: &str, source: &io::Error) -> Self {
        let mut context = json!({
            "path": path, "operation": operation,
            "errno": source.raw_os_error(), "strerror": strerror(source),
        });
        if Error::is_exhaustion(source) {
            set(&mut context, "reason", "too_many_open_files");
            let action = SuggestedAction::RetryLater;
            return Self::of(ErrorKind::QuotaExceeded, ReasonHint::Unknown, action, context);
        }
        if source.kind() == io::ErrorKind::OutOfMemory {
            set(&mut context, "reason", "out_of_memory");
            let (error, hint) = (ErrorKind::QuotaExceeded, ReasonHint::SizeLimit);
            return Self::of(error, hint, SuggestedAction::RetryLater, context);
        }
        if let Some(reason) = reason_of_full(source) {
            set(&mut context, "reason", reason);
        }
        let (error, hint) = Self::kind_of_os(source);
        Self::of(error, hint, SuggestedAction::Abort, context)
    }

    pub(super) fn kind_of_os(source: &io::Error) -> (ErrorKind, ReasonHint) {
        use io::ErrorKind as K;
        match source.kind() {
            K::StorageFull | K::QuotaExceeded | K::FileTooLarge => {
                (ErrorKind::QuotaExceeded, ReasonHint::SizeLimit)
            }
            K::PermissionDenied | K::ReadOnlyFilesystem | K::CrossesDevices => {
                (ErrorKind::PolicyViolation, ReasonHint::Permission)
            }
            // EIO has no kind of its own in the standard library.
            _ if source.raw_os_error() == Some(5) => {
                (ErrorKind::WriteCorruption, ReasonHint::Unknown)
            }
            _ => (ErrorKind::PolicyViolation, ReasonHint::Unknown),
        }
    }
}

/// What is full, where something is.
pub(super) fn reason_of_full(source: &io::Error) -> Option<&'static str> {
    if Error::is_full(source) {
        return Some("disk_full");
    }
    (source.kind() == io::ErrorKind::FileTooLarge).then_some("file_too_large")
}

/// The system's words for an error, whose number has a field of its own.
pub(super) fn strerror(source: &io::Error) -> String {
    let text = source.to_string();
    let number = source.raw_os_error().map(|errno| format!(" (os error {errno})"));
    match number.and_then(|number| text.strip_suffix(&number)) {
        Some(words) => words.to_owned(),
        None => text,
    }
}
