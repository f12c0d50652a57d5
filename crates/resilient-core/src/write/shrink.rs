//! The guard against new content that leaves out most of a file, and says so in a line that stands for the rest.

use std::borrow::Cow;

use crate::commit::Old;
use crate::digest::Digest;
use crate::edit;
use crate::error::{Error, Result};
use crate::form::Guess;
use crate::roots::Target;

/// A shorter file is soon written again.
const OLD_BYTES_MIN: u64 = 200;
/// Longer content is no placeholder for more.
const NEW_BYTES_MAX: u64 = 256 << 10;

/// Whether new content of this length is notably shorter than the file: by a fifth or more.
pub(crate) fn is_notable(old_len: u64, new_len: u64) -> bool {
    new_len <= NEW_BYTES_MAX && is_shorter(old_len, new_len)
}

fn is_shorter(old_len: u64, new_len: u64) -> bool {
    old_len >= OLD_BYTES_MIN && new_len <= old_len / 5 * 4
}

/// Whether a file is of a format in which no line is dots alone. In Python they are a statement, in YAML the end of a
/// document.
fn has_no_dots(path: &str) -> bool {
    const ENDINGS: [&str; 14] = [
        "c", "cpp", "css", "go", "h", "html", "java", "js", "json", "jsx", "md", "rs", "ts", "tsx",
    ];
    path.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}

/// Whether a file loses so much that a line which stands for text stands for more than it did, even where the file
/// had that line: half of it or more.
fn loses_most(old_len: u64, new_len: u64) -> bool {
    new_len <= old_len / 2
}

/// Refuses new content that is notably shorter than the file and has a line that stands for text, which the file
/// does not have, or half as long and has any such line. Content without such a line is never refused.
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
    let may_end_in_dots = has_no_dots(&target.shown);
    let first = |had: &str| {
        let dots = may_end_in_dots.then(|| edit::last_dots(&new, had)).flatten();
        edit::first_placeholder(&new, had).or(dots)
    };
    if first("").is_none() {
        return Ok(());
    }
    let old_bytes = old_bytes()?;
    let had = text(&old_bytes);
    let had = if loses_most(old.stat.len, new_len) { "" } else { &had };
    match first(had) {
        None => Ok(()),
        Some((line, mark)) => Err(placeholder(target, line, mark, new_len, &old_bytes)),
    }
}

/// Refuses an edit by the same rule: it makes the file notably shorter, and its new text has a line that stands
/// for text, which is then a line of the file and was none before.
///
/// # Errors
/// It is such an edit: [`Error::Placeholder`]; its line is one of the new text.
pub(crate) fn check_edit(target: &Target, old: &[u8], new: &[u8], new_string: &str) -> Result<()> {
    let is_shorter = is_shorter(old.len() as u64, new.len() as u64);
    if !is_shorter || edit::first_placeholder(new_string, "").is_none() {
        return Ok(());
    }
    let had = text(old);
    let had = if loses_most(old.len() as u64, new.len() as u64) { "" } else { &had };
    match edit::first_placeholder(new_string, had) {
        // What is put into the middle of a line is no line that stands for others.
        Some((line, mark)) if edit::is_in_a_line(&text(new), mark) => {
            Err(placeholder(target, line, mark, new.len() as u64, old))
        }
        _ => Ok(()),
    }
}

/// The text of a file, without its byte order mark.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    const MARK: char = '\u{feff}';
    match Guess::of(bytes).encoding.text_of(bytes) {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_start_matches(MARK)),
        Cow::Owned(text) => Cow::Owned(text.trim_start_matches(MARK).to_owned()),
    }
}

fn placeholder(target: &Target, line: usize, mark: &str, bytes: u64, old: &[u8]) -> Error {
    Error::Placeholder {
        path: target.shown.clone(),
        line,
        mark: mark.to_owned(),
        bytes,
        prev_bytes: old.len() as u64,
        prev_sha256: Digest::of(old),
    }
}
