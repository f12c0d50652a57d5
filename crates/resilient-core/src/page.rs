//! A page of a text, which begins and ends between characters.

use crate::error::{Error, Result};

/// The longest page.
pub(crate) const PAGE_MAX: i64 = 2 << 20;
/// A character has at most so many bytes.
pub(crate) const CHARACTER_MAX: u64 = 4;

/// Where a page begins and how long it is at most, as a caller asks for it.
///
/// # Errors
/// A number is out of range.
pub(crate) fn asked(offset: i64, max_bytes: i64) -> Result<(u64, u64)> {
    let refuse =
        |argument, message: &str| Err(Error::BadArgument { argument, message: message.to_owned() });
    let Ok(offset) = u64::try_from(offset) else {
        return refuse("offset", "must be at least 0");
    };
    match max_bytes {
        1..=PAGE_MAX => Ok((offset, max_bytes.unsigned_abs())),
        _ => refuse("max_bytes", "must be between 1 and 2097152"),
    }
}

/// The whole characters of a page, and where it begins. All of the text is UTF-8; `held` begins at `from`.
pub(crate) fn page(held: &[u8], from: u64, offset: u64, max_bytes: u64) -> (u64, String) {
    let begins = |at: usize| held.get(at).is_none_or(|byte| !matches!(byte, 0x80..=0xBF));
    let mut begin = usize::try_from(offset.saturating_sub(from)).unwrap_or(usize::MAX);
    begin = begin.min(held.len());
    while begin > 0 && !begins(begin) {
        begin -= 1;
    }
    let mut end = begin.saturating_add(usize::try_from(max_bytes).unwrap_or(usize::MAX));
    end = end.min(held.len());
    while end > begin && !begins(end) {
        end -= 1;
    }
    if end == begin && begin < held.len() {
        // One character is longer than the page.
        end += 1;
        while !begins(end) {
            end += 1;
        }
    }
    let content = String::from_utf8_lossy(held.get(begin..end).unwrap_or_default()).into_owned();
    (from + begin as u64, content)
}
