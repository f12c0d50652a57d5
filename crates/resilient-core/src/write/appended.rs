//! Whether an append was made before: when an answer is lost, its call comes again.

use std::io;

use crate::contents::{digest_range, form_of, holds};
use crate::digest::Hasher;
use crate::disk::File;
use crate::error::{Error, Result};
use crate::form::Asked;
use crate::roots::Target;

use super::Content;
use super::spelling::added;

/// Whether a file ends with what an append adds, and has the digest in front of it that the append expects.
///
/// # Errors
/// The text cannot be added to the file; the disk refuses.
pub(crate) fn is_appended(
    target: &Target,
    text: &str,
    asked: Asked,
    expected: &str,
) -> Result<bool> {
    let os = |source| Error::os(target.shown.clone(), "read", source);
    let file = target.dir.open(&target.name).map_err(os)?;
    let len = file.stat().map_err(os)?.len;
    let (form, tail) = form_of(&*file, len).map_err(os)?;
    let (added, _) = added(&Content::of(text.into()), asked, form, &tail, len, &target.shown)?;
    ends_with(&*file, len, &added.bytes, expected).map_err(os)
}

/// Whether the end of a file is `added`, and all before it has the digest.
fn ends_with(file: &dyn File, len: u64, added: &[u8], expected: &str) -> io::Result<bool> {
    let Some(before) = len.checked_sub(added.len() as u64).filter(|_| !added.is_empty()) else {
        return Ok(false);
    };
    if !holds(file, before, added)? {
        return Ok(false);
    }
    if expected.is_empty() {
        return Ok(before == 0);
    }
    let mut hasher = Hasher::default();
    digest_range(file, 0, before, &mut hasher)?;
    Ok(hasher.finish().is_meant_by(expected))
}
