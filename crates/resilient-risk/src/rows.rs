//! The table of formats, read; and the texts by which those are found that do not lie in runs.

use std::sync::LazyLock;

use super::byte_classes::is_token;
use super::format::Format;
use super::tables::{DUMMY_PREFIXES, FORMATS, FormatRow};

/// A token that goes on behind its run, with a colon or a dollar sign, has at least so many characters in it.
pub(super) const PART_MIN: usize = 8;

/// The rows whose form can be read, in the order of the table.
pub(super) static ROWS: LazyLock<Vec<(&'static FormatRow, Format<'static>)>> =
    LazyLock::new(|| {
        FORMATS.iter().filter_map(|row| Some((row, Format::parse(row.format).ok()?))).collect()
    });

/// The text by which a format is found that does not lie in runs, and how far behind its start it stands: a sign
/// that no run has comes before enough of it to tell, as in `sha256~{w43}` or `{n3}8Q~{t31-34}`.
pub(super) fn outside_text(format: &Format<'static>) -> Option<(usize, &'static [u8])> {
    let (at, text) = format.fixed();
    let sign = text.iter().position(|byte| !is_token(*byte))?;
    if text.len() < 2 || at + sign >= PART_MIN {
        return None;
    }
    Some((at, text))
}

/// The texts by which what does not lie in runs is found.
pub(super) fn outside_texts() -> impl Iterator<Item = &'static [u8]> {
    let rows = ROWS.iter().filter_map(|(_, format)| Some(outside_text(format)?.1));
    rows.chain(DUMMY_PREFIXES.iter().map(|(prefix, ..)| prefix.as_bytes()))
}
