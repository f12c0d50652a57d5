//! Slots that lie beside their target, where no rename leads there from `tmp/`.
//!
//! A slot in `tmp/` then holds a note of where the content is, so that recovery finds it without a
//! search.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// How the name of a slot begins that lies beside its target.
const PREFIX: &str = ".rw-";

/// What a slot in `tmp/` holds when the content is beside its target.
#[derive(serde::Serialize, serde::Deserialize)]
pub(crate) struct Note {
    /// The absolute path of the content.
    pub(crate) beside: String,
    /// The path that the directory had which holds the state directory. Notes of earlier versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) home: Option<String>,
}

/// The name beside a target that belongs to a slot in `tmp/`.
pub(crate) fn name_of(slot: &str) -> OsString {
    format!("{PREFIX}{slot}").into()
}

/// Whether a name is that of a slot beside its target.
pub(crate) fn is_name(name: &OsStr) -> bool {
    name.to_string_lossy().strip_prefix(PREFIX).is_some_and(|slot| slot.starts_with("s-"))
}

/// The name in `tmp/` of a slot that a row names: its own, or that of the note of it.
pub(crate) fn note_of(place: &str) -> OsString {
    let last = Path::new(place).file_name().and_then(OsStr::to_str).unwrap_or(place);
    last.strip_prefix(PREFIX).unwrap_or(last).into()
}
