//! The guard against new content that leaves out most of a file, and says so in a line that stands for the rest.

use crate::commit::Old;
use crate::digest::Digest;
use crate::edit;
use crate::error::{Error, Result};
use crate::roots::Target;

/// A shorter file is soon written again.
const OLD_BYTES_MIN: u64 = 200;
/// Longer content is no placeholder for more.
const NEW_BYTES_MAX: u64 = 256 << 10;

/// Whether new content of this length is notably shorter than the file: by a fifth or more.
pub(crate) fn is_notable(old_len: u64, new_len: u64) -> bool {
    old_len >= OLD_BYTES_MIN && new_len <= NEW_BYTES_MAX && new_len <= old_len / 5 * 4
}

/// Refuses new content that is notably shorter than the file and has a line that stands for text, which the file
/// does not have. Content without such a line is never refused.
///
/// # Errors
/// It is such content: [`Error::Placeholder`]; the file cannot be read.
pub(crate) fn check(
    target: &Target,
    old: &Old,
    new: &[u8],
    old_bytes: impl FnOnce() -> Result<Vec<u8>>,
) -> Result<()> {
    let new_len = new.len() as u64;
    if !is_notable(old.stat.len, new_len) {
        return Ok(());
    }
    let new = String::from_utf8_lossy(new);
    if edit::first_placeholder(&new, "").is_none() {
        return Ok(());
    }
    let old_bytes = old_bytes()?;
    match edit::first_placeholder(&new, &String::from_utf8_lossy(&old_bytes)) {
        None => Ok(()),
        Some((line, mark)) => Err(Error::Placeholder {
            path: target.shown.clone(),
            line,
            mark: mark.to_owned(),
            bytes: new_len,
            prev_bytes: old_bytes.len() as u64,
            prev_sha256: Digest::of(&old_bytes),
        }),
    }
}
