//! Which edits were made: when an answer is lost, its call comes again and finds nothing to replace.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use crate::digest::{Digest, Hasher};
use crate::error::Error;
use crate::write::ReplaceRequest;

/// Some hours of work.
const REMEMBERED_MAX: usize = 1024;

/// The newest edits of this process.
#[derive(Debug, Default)]
pub(super) struct Made(Mutex<VecDeque<Digest>>);

/// What tells an edit from others.
pub(super) fn key(request: &ReplaceRequest) -> Digest {
    let ReplaceRequest { path, old_string, new_string, .. } = request;
    let mut hasher = Hasher::default();
    for text in [path, old_string, new_string] {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finish()
}

impl Made {
    /// Remembers an edit.
    pub(super) fn add(&self, edit: Digest) {
        let mut edits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        edits.truncate(REMEMBERED_MAX - 1);
        edits.push_front(edit);
    }

    /// Says of an edit whose text does not occur that it was made before, if it was. Then no other text is meant, unless
    /// the file has the same one in another form.
    pub(super) fn tell(&self, edit: Digest, mut error: Error) -> Error {
        let found = match &mut error {
            Error::OldStringNotFound { nearest, diagnosis, .. }
            | Error::NotUtf8 { nearest, diagnosis, .. } => Some((nearest, diagnosis)),
            Error::Stale { since: Some(since), .. } => {
                since.missing.as_mut().map(|missing| (&mut missing.nearest, &mut missing.diagnosis))
            }
            _ => None,
        };
        if let Some((nearest, diagnosis)) = found
            && !nearest.as_ref().is_some_and(|it| it.is_same_text())
            && self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&edit)
        {
            *nearest = None;
            diagnosis.already_applied = true;
            diagnosis.mistakes.clear();
            diagnosis.corrected_lines.clear();
        }
        error
    }
}
